"""The specification of an analysis: all choices in one record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NoReturn, TypeAlias

from lincore.analysis._link import MOST_BYTES, pack, unpack
from lincore.analysis.data_sources import DataSource, FileData, SampleData
from lincore.analysis.experiment import Experiment, SplitChoice, checked_basis
from lincore.analysis.predict_question import File, NewFile, PredictedRows, PredictQuestion
from lincore.analysis.questions import ClassifyQuestion, Options, Question
from lincore.data.dataset import Dataset
from lincore.displays import ExperimentDisplay
from lincore.errors import DataError
from lincore.fields.bounds import AtMost, Between, Matching, Name, shown
from lincore.fields.field import Field
from lincore.fields.schema import Label, Schema
from lincore.imbalance.cost.record import ImbalanceCost
from lincore.imbalance.study import BalanceStudy
from lincore.io.tables.bins import Bins
from lincore.io.tables.table import Condition, TableOptions
from lincore.metrics.results import Results
from lincore.model_selection.fitted_classifier import FittedClassifier
from lincore.model_selection.pipeline import Steps
from lincore.utils.typing import Progress

#: The version of the format, increased when a field changes its meaning.
SCHEMA = 1

_Thresholds: TypeAlias = Annotated[tuple[float, ...], AtMost(49)]
_Labels: TypeAlias = Annotated[tuple[Label, ...], AtMost(1_000)]
_Short: TypeAlias = Annotated[str, AtMost(200)]
_ViewKey: TypeAlias = Annotated[str, Matching(r"[a-z][\w.-]{0,79}", "a short word")]
_ViewValue: TypeAlias = (
    bool | int | float | _Short | Annotated[tuple[bool | int | float | _Short, ...], AtMost(500)]
)
Answer: TypeAlias = (
    Dataset
    | ExperimentDisplay
    | FittedClassifier
    | PredictedRows
    | Results
    | ImbalanceCost
    | BalanceStudy
)
View: TypeAlias = Annotated[Mapping[_ViewKey, _ViewValue], AtMost(300)]

#: Records of other modules, with narrower bounds for their fields in a specification.
_SHAPES: Mapping[type, Mapping[str, Any]] = {
    Steps: {"basis": Annotated[str, AtMost(80), checked_basis] | None},
    TableOptions: {
        "where": Annotated[tuple[Condition, ...], AtMost(100)],
        "rename": Mapping[Name, Name],
        "bins": Annotated[int, Between(2, 50)] | Bins | _Thresholds | None,
        "drop_classes": _Labels,
        "merge_classes": Mapping[Label, Name],
    },
    Bins: {"n": Annotated[int, Between(2, 50)], "how": Annotated[str, AtMost(20)]},
    Condition: {
        "column": Name,
        "relation": Annotated[str, AtMost(20)],
        "values": Annotated[tuple[Label | None, ...], AtMost(1_000)],
    },
}
_SCHEMA = Schema(_SHAPES)


@dataclass(frozen=True)
class Analysis:
    """The complete state of a page as one record: data, experiment, question, view.

    Parameters
    ----------
    data : SampleData, GeneratedData, DownloadData, ExperimentData or FileData
    split : SplitChoice
        Choice of the test set.
    steps : Steps
        Preprocessing steps; a basis is given by its name.
    options : mapping of str to mapping
        Short name of a classifier to its options that differ from the defaults, for every question.
    question : Question
        The question, with a record type for each page.
    view : mapping of str to value
        Tabs, planes, axes and camera presets of the pages, which affect no numbers.
    others : tuple of Question
        The questions of other pages.

    Examples
    --------
    >>> from lincore.analysis import Analysis, CompareQuestion, SampleData
    >>> asked = Analysis(SampleData("wine"), question=CompareQuestion(("lda", "qda")))
    >>> Analysis.from_json(asked.to_json()) == Analysis.from_query(asked.to_query()) == asked
    True
    >>> asked.run(asked.load()).methods
    ('lda', 'qda')
    """

    data: DataSource = SampleData("iris")
    split: SplitChoice = SplitChoice()
    steps: Annotated[Steps, Field("Steps", "Preprocessing before the models.")] = Steps()
    options: Options = field(default_factory=dict)
    question: Question = ClassifyQuestion()
    view: View = field(default_factory=dict)
    others: Annotated[tuple[Question, ...], AtMost(10)] = ()

    def __hash__(self) -> int:
        """Return a hash that is independent of the order of mappings."""
        return hash((self.data.kind, self.split, self.question.kind))

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the specification as JSON, without defaults.

        Parameters
        ----------
        indent : int, optional
            Spaces per level of indentation. Default: a single line.

        Examples
        --------
        >>> Analysis(SampleData("wine")).to_json()
        '{"schema":1,"data":{"kind":"sample","name":"wine"}}'
        """
        content = {"schema": SCHEMA, **_SCHEMA.encode(self)}
        separators = (",", ":") if indent is None else (",", ": ")
        return json.dumps(content, ensure_ascii=False, indent=indent, separators=separators)

    @classmethod
    def from_json(cls, text: str | bytes) -> Analysis:
        """Return the specification in a text.

        Parameters
        ----------
        text : str or bytes
            As `to_json` writes it.

        Raises
        ------
        DataError
            If it is not JSON, has another version, or contains an invalid field, type or value.

        Examples
        --------
        >>> Analysis.from_json('{"schema": 1, "split": {"test_size": "two"}}')
        Traceback (most recent call last):
        ...
        lincore.errors.DataError: split.test_size: It is 'two'. Give a number.
        """
        content = _read(text)
        version = content.pop("schema", None)
        if type(version) is not int or version != SCHEMA:
            raise DataError(
                f"The specification has version {shown(version)}; version {SCHEMA} is expected.",
                where="schema",
                remedy="Open it with the version of lincore that made it.",
            )
        decoded: Analysis = _SCHEMA.decode(cls, content, "")
        return decoded

    def to_query(self) -> str:
        """Return the specification as the value of a query parameter.

        Raises
        ------
        DataError
            If it has more than 16,000 characters, as many generated classes may require.

        Examples
        --------
        >>> len(Analysis(SampleData("wine")).to_query())
        67
        """
        return pack(self.to_json())

    @classmethod
    def from_query(cls, text: str) -> Analysis:
        """Return the specification in a query parameter.

        Parameters
        ----------
        text : str
            As `to_query` writes it.

        Raises
        ------
        DataError
            As for `from_json`, and if the link is damaged.

        Examples
        --------
        >>> Analysis.from_query(Analysis().to_query()) == Analysis()
        True
        """
        return cls.from_json(unpack(text))

    def load(self, file: Any = None, *, progress: Progress | None = None) -> Dataset:
        """Return the data set of the specification.

        Parameters
        ----------
        file : path, bytes, open binary file, or several (name, bytes), optional
            The file, if the data come from one.
        progress : callable, optional
            Called as ``progress(done, total, description)`` while a file is read.

        Raises
        ------
        DataError
            If a required file is missing or a different one, or the data cannot be used.

        Examples
        --------
        >>> Analysis(SampleData("wine")).load().name
        'wine'
        """
        return self.data.load(file, progress=progress)

    def experiment(self, data: Dataset) -> Experiment:
        """Return the data with the choices that are common to all questions.

        Parameters
        ----------
        data : Dataset
            As `load` returns it.

        Examples
        --------
        >>> Analysis().experiment(Analysis().load()).lines(("lda",))
        ('lda',)
        """
        return Experiment(data, self.split.resolved(data), self.steps, self.options)

    def run(
        self,
        data: Dataset | None,
        *,
        new: File | None = None,
        model: File | None = None,
        progress: Progress | None = None,
        keep: Any = None,
    ) -> Answer:
        """Answer the question, with the same calls as the pages.

        Parameters
        ----------
        data : Dataset, optional
            As `load` returns it; not needed if a saved model predicts new rows.
        new, model : path or bytes, optional
            The file of new rows and the model file, if the question names them.
        progress : callable, optional
            Called as ``progress(done, total, description)``; returning False stops the computation.
        keep : callable, optional
            Called with partial results, if there are any.

        Returns
        -------
        Dataset, ExperimentDisplay, FittedClassifier, PredictedRows, Results, ImbalanceCost or
        BalanceStudy
            Of the pages Data and Explore; Geometry; Classify; Predict; Compare; Balance.

        Raises
        ------
        DataError
            If the question cannot be answered with the data.

        Examples
        --------
        >>> asked = Analysis()
        >>> float((asked.run(asked.load()).results.predicted >= 0).mean())
        1.0
        """
        experiment = None if data is None else self.experiment(data)
        if isinstance(self.question, PredictQuestion):
            table = getattr(self.data, "table", TableOptions())
            return self.question.run(
                experiment, table=table, new=new, model=model, progress=progress
            )
        if experiment is None:
            raise DataError("The data are missing.", where="data", remedy="Load them first.")
        return self.question.run(experiment, progress=progress, keep=keep)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the required files: data, new rows, and a saved model.

        Examples
        --------
        >>> from lincore.analysis import NewFile, PredictQuestion
        >>> Analysis(question=PredictQuestion(rows=NewFile("march.csv"))).files
        ('march.csv',)
        """
        files: list[Any] = [self.data] if isinstance(self.data, FileData) else []
        if isinstance(self.question, PredictQuestion):
            rows = self.question.rows
            files += [rows if isinstance(rows, NewFile) else None, self.question.model]
        return tuple(file.name for file in files if file is not None and file.name)

    def ask(self, question: Question) -> Analysis:
        """Return the same experiment with another question.

        Parameters
        ----------
        question : Question

        Examples
        --------
        >>> Analysis(SampleData("wine")).ask(ClassifyQuestion("qda")).question
        ClassifyQuestion(classifier='qda')
        """
        return replace(self, question=question)


def _read(text: str | bytes) -> dict[str, Any]:
    """Return the JSON object in a text."""
    broken = DataError(
        "It is not an analysis in JSON.", where="specification", remedy="Save it again."
    )
    if len(text) > 5 * MOST_BYTES:
        raise broken
    try:
        content = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise broken from None
    if not isinstance(content, dict):
        raise broken
    return content


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)
