"""The specification of an analysis: all that a visitor has chosen, in one record."""

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
from lincore.fields.schema import Label, Schema
from lincore.imbalance.cost.record import ImbalanceCost
from lincore.imbalance.study import BalanceStudy
from lincore.io.images.read import ImageOptions
from lincore.io.tables.bins import Bins
from lincore.io.tables.options import TableOptions
from lincore.io.tables.row_filters import Condition
from lincore.io.tables.text.options import ReadOptions
from lincore.metrics.results import Results
from lincore.model_selection.fitted_classifier import FittedClassifier
from lincore.model_selection.pipeline import Steps
from lincore.utils.typing import Progress

#: The version of the format; it grows when a field changes its meaning.
SCHEMA = 1

_Mark: TypeAlias = Annotated[str, AtMost(4)] | None
_Pixels: TypeAlias = Annotated[int, Between(1, 16_384)]
_Names: TypeAlias = Annotated[tuple[Name, ...], AtMost(5_000)]
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

#: Records of other modules, with the bounds that a specification sets to their fields.
_SHAPES: Mapping[type, Mapping[str, Any]] = {
    Steps: {
        "standardize": bool | None,
        "basis": Annotated[str, AtMost(80), checked_basis] | None,
        "n_components": Annotated[float, Between(1e-6, 16_384)] | None,
        "whiten": bool,
    },
    ReadOptions: {
        "encoding": Annotated[str, Matching(r"[\w.-]{1,40}", "the name of an encoding")] | None,
        "separator": _Mark,
        "decimal": _Mark,
        "thousands": _Mark,
        "quote": _Mark,
        "header": bool | Annotated[int, Between(1, 1e9)] | None,
        "comment": Annotated[str, AtMost(20)] | None,
        "missing_codes": _Names | None,
        "missing_in": Mapping[Name, tuple[int | float | Name, ...]] | None,
        "ordered": Mapping[Name, _Names] | None,
        "overrule": Annotated[
            tuple[Annotated[str, Matching(r"LIN\d{3}", "the code of a finding")], ...], AtMost(100)
        ],
    },
    TableOptions: {
        "where": Annotated[tuple[Condition, ...], AtMost(100)],
        "rename": Mapping[Name, Name],
        "roles": Mapping[Name, Annotated[str, AtMost(20)]],
        "missing": Annotated[str, AtMost(20)] | None,
        "rare": Annotated[int, Between(0, 1e9)] | None,
        "bins": Annotated[int, Between(2, 50)] | Bins | _Thresholds | None,
        "categories": _Names,
        "drop_classes": _Labels,
        "merge_classes": Mapping[Label, Name],
        "drop_duplicates": bool,
        "drawn_only": bool,
    },
    Bins: {"n": Annotated[int, Between(2, 50)], "how": Annotated[str, AtMost(20)]},
    Condition: {
        "column": Name,
        "relation": Annotated[str, AtMost(20)],
        "values": Annotated[tuple[Label | None, ...], AtMost(1_000)],
    },
    ImageOptions: {
        "size": tuple[_Pixels, _Pixels] | None,
        "colour": bool,
        "fit": Annotated[str, AtMost(20)],
        "pattern": Name | None,
        "level": Annotated[int, Between(0, 100)] | None,
        "white": Annotated[float, Between(1, 1e9)] | None,
    },
}
_SCHEMA = Schema(_SHAPES)


@dataclass(frozen=True)
class Analysis:
    """Everything that a page shows, as one record: data, experiment, question, view.

    Parameters
    ----------
    data : SampleData, GeneratedData, DownloadData, ExperimentData or FileData
    split : SplitChoice
        How the test set is set apart.
    steps : Steps
        What is done to the rows before a classifier sees them; a basis by its name.
    options : mapping of str to mapping
        Word of a classifier to its options that differ from the defaults, for every question.
    question : Question
        What is asked: a record of `lincore.analysis` for each page.
    view : mapping of str to value
        Tabs, planes, axes and camera presets of the pages; no number depends on it.
    others : tuple of Question
        What was asked on other pages, to go back to.

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
    steps: Steps = Steps()
    options: Options = field(default_factory=dict)
    question: Question = ClassifyQuestion()
    view: View = field(default_factory=dict)
    others: Annotated[tuple[Question, ...], AtMost(10)] = ()

    def __hash__(self) -> int:
        """Return a number that equal specifications share, whatever the order of their mappings."""
        return hash((self.data.kind, self.split, self.question.kind))

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the specification as JSON, without what is as by default.

        Parameters
        ----------
        indent : int, optional
            Spaces by which a level is indented; one line when not given.

        Examples
        --------
        >>> Analysis(SampleData("wine")).to_json()
        '{"schema":1,"data":{"kind":"sample","name":"wine"}}'
        """
        found = {"schema": SCHEMA, **_SCHEMA.encode(self)}
        separators = (",", ":") if indent is None else (",", ": ")
        return json.dumps(found, ensure_ascii=False, indent=indent, separators=separators)

    @classmethod
    def from_json(cls, text: str | bytes) -> Analysis:
        """Return the specification that a text holds.

        Parameters
        ----------
        text : str or bytes
            As `to_json` writes it.

        Raises
        ------
        DataError
            When it is no JSON, of another version, or holds a field, a type or a value that does
            not belong there.

        Examples
        --------
        >>> Analysis.from_json('{"schema": 1, "steps": {"n_components": "two"}}')
        Traceback (most recent call last):
        ...
        lincore.errors.DataError: steps.n_components: It is 'two'. Give a number.
        """
        found = _read(text)
        version = found.pop("schema", None)
        if type(version) is not int or version != SCHEMA:
            raise DataError(
                f"The specification is of version {shown(version)}; this lincore reads {SCHEMA}.",
                where="schema",
                remedy="Open it with the version of lincore that made it.",
            )
        decoded: Analysis = _SCHEMA.decode(cls, found, "")
        return decoded

    def to_query(self) -> str:
        """Return the specification as the value of a query parameter.

        Raises
        ------
        DataError
            When it takes more than 16,000 characters, as large generated classes may.

        Examples
        --------
        >>> len(Analysis(SampleData("wine")).to_query())
        67
        """
        return pack(self.to_json())

    @classmethod
    def from_query(cls, text: str) -> Analysis:
        """Return the specification of a query parameter.

        Parameters
        ----------
        text : str
            As `to_query` writes it.

        Raises
        ------
        DataError
            As for `from_json`, and when it is damaged.

        Examples
        --------
        >>> Analysis.from_query(Analysis().to_query()) == Analysis()
        True
        """
        return cls.from_json(unpack(text))

    def load(self, file: Any = None, *, progress: Progress | None = None) -> Dataset:
        """Return the data set that the specification is about.

        Parameters
        ----------
        file : path, bytes, open binary file, or several (name, bytes), optional
            The file, where the data are one.
        progress : callable, optional
            Called as ``progress(done, total, what)`` while a file is read.

        Raises
        ------
        DataError
            When a file is wanted and missing or another one, or the data cannot be used.

        Examples
        --------
        >>> Analysis(SampleData("wine")).load().name
        'wine'
        """
        return self.data.load(file, progress=progress)

    def experiment(self, data: Dataset) -> Experiment:
        """Return the data with the choices that hold for every question.

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
        """Answer the question with the same calls as the pages.

        Parameters
        ----------
        data : Dataset, optional
            As `load` returns it; not needed where a saved model predicts new rows.
        new, model : path or bytes, optional
            The file of new rows and the model file, where a question of Predict names them.
        progress : callable, optional
            Called as ``progress(done, total, what)``; to return False stops.
        keep : callable, optional
            Given what there is so far, where that comes in pieces.

        Returns
        -------
        Dataset, ExperimentDisplay, FittedClassifier, PredictedRows, Results, ImbalanceCost or
        BalanceStudy
            Of the pages Data and Explore; Geometry; Classify; Predict; Compare; Balance.

        Raises
        ------
        DataError
            When the data do not allow it.

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
            raise DataError("There are no data.", where="data", remedy="Load them.")
        return self.question.run(experiment, progress=progress, keep=keep)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files that are needed: data, new rows, and a saved model.

        Examples
        --------
        >>> from lincore.analysis import NewFile, PredictQuestion
        >>> Analysis(question=PredictQuestion(rows=NewFile("march.csv"))).files
        ('march.csv',)
        """
        parts: list[Any] = [self.data] if isinstance(self.data, FileData) else []
        if isinstance(self.question, PredictQuestion):
            rows = self.question.rows
            parts += [rows if isinstance(rows, NewFile) else None, self.question.model]
        return tuple(part.name for part in parts if part is not None and part.name)

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
    """Return the object that a text of JSON holds."""
    broken = DataError(
        "It is no JSON of an analysis.", where="specification", remedy="Save it again."
    )
    if len(text) > 5 * MOST_BYTES:
        raise broken
    try:
        found = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise broken from None
    if not isinstance(found, dict):
        raise broken
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)
