"""The question of the page Predict: which rows are predicted, by which model, under which priors.

Rows of one's own and saved models are files: a specification knows them by name and SHA-256.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

from lincore.analysis.data_sources import Sha256, checked_file
from lincore.analysis.experiment import Experiment, Word
from lincore.data.dataset import Dataset
from lincore.displays import DriftDisplay
from lincore.errors import DataError
from lincore.export.models.model_file import load_model
from lincore.fields.bounds import AtMost, Between, Name
from lincore.fields.schema import Label
from lincore.imbalance.deployment import priors_with_share
from lincore.io.tables.options import TableOptions
from lincore.io.tables.text.options import ReadOptions
from lincore.model_selection.fitted_model import FittedModel
from lincore.prediction.new_rows import Reading, TestSet
from lincore.prediction.predict_rows import predict
from lincore.prediction.predictions import Predictions
from lincore.prediction.typed_rows import typed_row
from lincore.utils.typing import Progress

#: A file as it is given: its path, its bytes, or several images.
File: TypeAlias = str | Path | bytes | Sequence[tuple[str, bytes]]

AS_IT_IS = TableOptions()


@dataclass(frozen=True)
class NewFile:
    """A file of new rows, known by its name and its content, and how it is read.

    Parameters
    ----------
    name : str
        Of the file; of several images together "images". Empty: one that is yet to be given.
    sha256 : str
        As for `FileData`. Empty: any file is taken.
    reading : ReadOptions
        For text.
    fill_missing : bool
        Whether all values of a column that is not there count as missing.
    """

    kind: ClassVar[str] = "file"  # in JSON

    name: Name = ""
    sha256: Sha256 = ""
    reading: ReadOptions = ReadOptions()
    fill_missing: bool = False


@dataclass(frozen=True)
class TypedRow:
    """One row that was typed in.

    Parameters
    ----------
    values : mapping of str to value
        By column; None is missing. Columns that are not named have the values of the median
        observation of the training rows.
    """

    kind: ClassVar[str] = "typed"  # in JSON

    values: Annotated[Mapping[Name, Label | None], AtMost(5_000)] = field(default_factory=dict)


@dataclass(frozen=True)
class SavedModel:
    """A model file, known by its name and its content.

    Parameters
    ----------
    name : str
    sha256 : str
        As for `FileData`.
    """

    name: Name
    sha256: Sha256 = ""

    def load(self, file: File | None) -> FittedModel:
        """Return the model that the file holds.

        Parameters
        ----------
        file : path or bytes

        Raises
        ------
        DataError
            When there is no file, its SHA-256 is another one, or it is refused.
        """
        found = checked_file(self, file, "A saved model predicts.")
        return load_model(found if isinstance(found, bytes) else b"").model


@dataclass(frozen=True)
class ClassShare:
    """Priors in deployment by the share of one class; the others divide the rest as in training.

    Parameters
    ----------
    code : int
        Position of the class among those of the model.
    share : float
    """

    code: Annotated[int, Between(0, 10_000)]
    share: Annotated[float, Between(0, 1)]


class PredictedRows(NamedTuple):
    """Predictions of new rows, and their drift.

    Attributes
    ----------
    predictions : Predictions
    drift : DriftDisplay or None
        None for a typed row and for a saved model, whose training rows are not known.
    """

    predictions: Predictions
    drift: DriftDisplay | None


def predict_and_compare(
    model: FittedModel,
    rows: Any,
    reading: Reading,
    training: Dataset | None,
    progress: Progress | None = None,
) -> PredictedRows:
    """Predict rows, and compare their columns with those of the training rows.

    Parameters
    ----------
    model, rows, reading, progress
        As for `lincore.prediction.predict`.
    training : Dataset, optional
        No drift without it.

    Raises
    ------
    DataError
        As for `lincore.prediction.predict`.
    """
    found = predict(model, rows, reading=reading, progress=progress)
    if training is None:
        return PredictedRows(found, None)
    if progress is not None:
        progress(len(found), len(found), "comparing columns with the training rows")
    return PredictedRows(found, found.drift(training))


@dataclass(frozen=True)
class PredictQuestion:
    """The predictions of one model for new rows.

    Parameters
    ----------
    classifier : str
        As in `lincore.model_selection.CLASSIFIER_FACTORIES`.
    priors : "equal", "estimate" or ClassShare, optional
        Shares of the classes in deployment, as for `lincore.prediction.predict`; those of the
        training rows when not given.
    level : float
        Share of the rows of a normal class that count as far from it.
    rows : NewFile or TypedRow, optional
        The test set when not given.
    model : SavedModel, optional
        In the place of the classifier.
    """

    kind: ClassVar[str] = "predict"  # in JSON

    classifier: Word = "lda"
    priors: Literal["equal", "estimate"] | ClassShare | None = None
    level: Annotated[float, Between(1e-9, 0.5)] = 0.01
    rows: NewFile | TypedRow | None = None
    model: SavedModel | None = None

    @property
    def needs_data(self) -> bool:
        """True if the answer depends on the data: not where a saved model predicts other rows."""
        return self.model is None or self.rows is None

    def run(
        self,
        experiment: Experiment | None,
        *,
        table: TableOptions = AS_IT_IS,
        new: File | None = None,
        model: File | None = None,
        progress: Progress | None = None,
    ) -> PredictedRows:
        """Return the predictions, and the drift of the columns.

        Parameters
        ----------
        experiment : Experiment or None
            None where `needs_data` is False.
        table : TableOptions
            Of the training data: what was renamed or merged there is in the new rows too.
        new : path, bytes, or several (name, bytes)
            The file of new rows, where there is one.
        model : path or bytes
            The model file, where there is one.

        Raises
        ------
        DataError
            When a file is missing or another one, or the rows cannot be predicted.
        """
        training, fitted = None, None
        if self.model is not None:
            fitted = self.model.load(model)
        elif experiment is not None:
            training = experiment.data.take(experiment.split.rows(experiment.data).train)
            fitted = self._fit(experiment)
        if fitted is None:
            raise DataError("There is no model.", where="question.model", remedy="Give its file.")
        rows, reading = self._rows(fitted, experiment, training, new)
        if self.model is None and isinstance(self.rows, NewFile):
            reading = reading._replace(rename=table.rename, merge_classes=table.merge_classes)
        compared = None if isinstance(self.rows, TypedRow) else training
        found = predict_and_compare(fitted, rows, reading, compared, progress)
        return found._replace(predictions=self.under(found.predictions))

    def under(self, found: Predictions) -> Predictions:
        """Return predictions at the level and under the priors in deployment.

        Raises
        ------
        DataError
            When the model has no posteriors, or no such class.
        """
        priors: Any = self.priors
        if isinstance(priors, ClassShare):
            if found.learned_priors is not None and priors.code >= len(found.learned_priors):
                raise DataError(
                    f"There is no class {priors.code}.",
                    where="question.priors.code",
                    remedy=f"Give a position below {len(found.learned_priors)}.",
                )
            learned = found.learned_priors
            # Without posteriors `with_priors` says why none can be changed.
            priors = (
                "equal"
                if learned is None
                else priors_with_share(learned, priors.code, priors.share)
            )
        return found.at_level(self.level).with_priors(priors)

    def _fit(self, experiment: Experiment) -> FittedModel:
        found = experiment.fit(self.classifier)
        return FittedModel.of(experiment.data, found.pipeline, found.name, found.split.train)

    def _rows(
        self,
        model: FittedModel,
        experiment: Experiment | None,
        training: Dataset | None,
        new: File | None,
    ) -> tuple[Any, Reading]:
        """Return the rows to be predicted and how they are read."""
        if isinstance(self.rows, TypedRow):
            return typed_row(model, self.rows.values, training), Reading("The row typed in")
        if isinstance(self.rows, NewFile):
            rows = checked_file(self.rows, new, "A file of new rows is predicted.")
            name, fill = self.rows.name or "new rows", self.rows.fill_missing
            return rows, Reading(name, self.rows.reading, fill_missing=fill)
        if experiment is None:
            raise DataError("There are no data.", where="question.rows", remedy="Give a file.")
        data = experiment.data
        return TestSet(data, experiment.split.rows(data)), Reading(f"{data.name}, test set")
