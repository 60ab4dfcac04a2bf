"""The question of the page Predict: rows, model, and priors in deployment.

New rows and saved models are files, which a specification identifies by name and SHA-256.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

from lincore.analysis.data_sources import Sha256, checked_file
from lincore.analysis.experiment import Classifier, Experiment, PageQuestion
from lincore.data.dataset import Dataset
from lincore.displays import RULES, Coverage, DriftDisplay, RejectionCost, rule_of
from lincore.errors import DataError
from lincore.export.models.model_file import load_model
from lincore.fields.bounds import AtMost, Between, Name
from lincore.fields.field import Field, per_cent
from lincore.fields.schema import Label
from lincore.io.tables.table import TableOptions
from lincore.io.tables.text.options import ReadOptions
from lincore.metrics.results import Results
from lincore.model_selection.fitted_model import FittedModel
from lincore.prediction.new_rows import Reading, TestSet
from lincore.prediction.predict_rows import predict
from lincore.prediction.predictions import Predictions
from lincore.prediction.typed_rows import typed_row
from lincore.utils.formatting import quoted
from lincore.utils.typing import Progress

#: A file as an argument: its path, its bytes, or several images.
File: TypeAlias = str | Path | bytes | Sequence[tuple[str, bytes]]

AS_IT_IS = TableOptions()


@dataclass(frozen=True)
class NewFile:
    """A file of new rows, identified by name and content, with its import options.

    Parameters
    ----------
    name : str
        Name of the file; "images" for several images. Empty: not yet provided.
    sha256 : str
        As for `FileData`. Empty: any file is accepted.
    reading : ReadOptions
        Import options of text files.
    fill_missing : bool
        Whether missing columns are filled with missing values.
    """

    kind: ClassVar[str] = "file"  # in JSON

    name: Name = ""
    sha256: Sha256 = ""
    reading: ReadOptions = ReadOptions()
    fill_missing: Annotated[
        bool, Field("Fill missing columns", "A column that the new rows lack counts as missing.")
    ] = False

    @property
    def request(self) -> str:
        """The sentence that asks for it."""
        return f"This analysis predicts {self.name}: upload it again to continue."


@dataclass(frozen=True)
class TypedRow:
    """One row, typed by the user.

    Parameters
    ----------
    values : mapping of str to value
        By column; None is missing. Other columns have the values of the median observation of the
        training rows.
    """

    kind: ClassVar[str] = "typed"  # in JSON

    values: Annotated[Mapping[Name, Label | None], AtMost(5_000)] = field(default_factory=dict)


@dataclass(frozen=True)
class SavedModel:
    """A model file, identified by name and content.

    Parameters
    ----------
    name : str
    sha256 : str
        As for `FileData`.
    """

    name: Name
    sha256: Sha256 = ""

    @property
    def request(self) -> str:
        """The sentence that asks for it."""
        return f"This analysis needs the model {self.name}: open it again to continue."

    def load(self, file: File | None) -> FittedModel:
        """Return the model in the file.

        Parameters
        ----------
        file : path or bytes

        Raises
        ------
        DataError
            If the file is missing, has a different SHA-256, or is rejected.
        """
        content = checked_file(self, file, "The analysis needs a saved model.")
        return load_model(content if isinstance(content, bytes) else b"").model


@dataclass(frozen=True)
class ClassShare:
    """Priors in deployment by the share of one class; the others keep their training ratios.

    Parameters
    ----------
    code : int
        Position of the class among those of the model.
    share : float
    """

    code: Annotated[int, Between(0, 10_000)]
    share: Annotated[float, Between(0, 1)]

    @classmethod
    def of_training(cls, model: FittedModel, code: int) -> ClassShare:
        """Return the share of a class in training, in whole per cent from 1 to 99.

        Parameters
        ----------
        model : FittedModel
        code : int
        """
        share = 0.0 if model.priors is None else float(model.priors[code])
        return cls(code, cls(code, share).per_cent / 100)

    @property
    def per_cent(self) -> int:
        """The share in whole per cent, from 1 to 99."""
        return min(max(round(100 * self.share), 1), 99)


class PredictedRows(NamedTuple):
    """Predictions of new rows, and their drift.

    Attributes
    ----------
    predictions : Predictions
    drift : DriftDisplay or None
        None for a typed row and for a saved model, whose training rows are unknown.
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
    """Predict rows, and compare their columns with the training rows.

    Parameters
    ----------
    model, rows, reading, progress
        As for `lincore.prediction.predict`.
    training : Dataset, optional
        Without it there is no drift.

    Raises
    ------
    DataError
        As for `lincore.prediction.predict`.
    """
    predictions = predict(model, rows, reading=reading, progress=progress)
    if training is None:
        return PredictedRows(predictions, None)
    if progress is not None:
        progress(len(predictions), len(predictions), "comparing columns with the training rows")
    return PredictedRows(predictions, predictions.drift(training))


def _priors(so_far: SimpleNamespace) -> dict[str | None, str]:
    """Return the possible priors; only its own for a model without posteriors."""
    named: dict[str | None, str] = {None: "As in training"}
    fitted = getattr(so_far, "fitted", None)
    if fitted is not None and fitted.priors is None:
        return named
    named |= {"equal": "Equal", "estimate": "Estimate from these rows"}
    return named | {ClassShare.__name__: "Set a share"}


def _share_of_the_rarest(so_far: SimpleNamespace) -> ClassShare:
    return ClassShare.of_training(so_far.fitted, int(so_far.fitted.priors.argmin()))


def _sources(so_far: SimpleNamespace) -> dict[str | None, str]:
    """Return the possible sources of rows."""
    # A saved model may have been fitted to the test set; images cannot be typed.
    named: dict[str | None, str] = {None: "Test set"} if so_far.model is None else {}
    named[NewFile.__name__] = "New file"
    inputs = so_far.data if so_far.model is None else getattr(so_far, "fitted", None)
    if inputs is None or inputs.image_shape is None:
        named[TypedRow.__name__] = "By hand"
    return named


def _first_source(so_far: SimpleNamespace) -> NewFile | None:
    return None if so_far.model is None else NewFile()


def _rejections(so_far: SimpleNamespace) -> dict[str | None, str]:
    """Return when a model may abstain: the training rows of a saved one are unknown."""
    known = {"cost"} if so_far.model is not None else set(RULES)
    # The name stays the same if a saved model is opened: the browser sends an option by its name.
    return {None: "Never, or as saved"} | {
        word: name for word, name in RULES.items() if word in known
    }


def _no_training_rows() -> Results:
    raise DataError(
        "The training rows of a saved model are unknown: there are no prediction sets.",
        where="question.reject",
        remedy="Fit the model again, or give a cost of rejection.",
    )


def _usual_threshold(so_far: SimpleNamespace) -> float:
    """Return the threshold of a saved model for the rarer class, or 50 %."""
    predictions = getattr(so_far, "predictions", None)
    usual = None if predictions is None else predictions.with_threshold(None).rarer_threshold
    return 0.5 if usual is None else float(usual)


def _threshold_wording(so_far: SimpleNamespace) -> tuple[str, str]:
    label = quoted(so_far.predictions.classes[so_far.predictions.rarer])
    return (
        f"Threshold for {label}",
        f"{label} is predicted from this posterior on; 50 %: the class with the larger posterior. "
        "Nothing is fitted or predicted again.",
    )


@dataclass(frozen=True)
class PredictQuestion(PageQuestion):
    """The predictions of one model for new rows.

    Parameters
    ----------
    classifier : str
        As in `lincore.model_selection.CLASSIFIER_FACTORIES`.
    priors : "equal", "estimate" or ClassShare, optional
        Shares of the classes in deployment, as for `lincore.prediction.predict`. Default: those of
        the training rows.
    level : float
        Share of the rows of a normal class that are flagged as unlike the training data.
    model : SavedModel, optional
        Used instead of the classifier.
    rows : NewFile or TypedRow, optional
        Default: the test set.
    threshold : float, optional
        Of two classes: posterior from which the rarer one in training is predicted. Default: the
        operating point of a saved model, or the class with the larger posterior.
    reject : "cost", "sets" or "sets by class", optional
        When the model abstains, see `lincore.displays.RejectOptionDisplay`. Default: never.
    coverage, rejection_cost : float
        Of prediction sets; of abstaining, as a share of the cost of an error.
    """

    kind: ClassVar[str] = "predict"  # in JSON

    classifier: Classifier = "lda"
    priors: (
        Annotated[
            Literal["equal", "estimate"] | ClassShare,
            Field(
                "Priors in deployment",
                "Class shares in the population of these rows. Posteriors are multiplied by new "
                "over old shares, without refitting. Estimated by expectation maximisation.",
                choices=_priors,
                start=_share_of_the_rarest,
            ),
        ]
        | None
    ) = None
    level: Annotated[
        float,
        Field(
            "Unlike the training data",
            "Share of ordinary rows that may be flagged. A flagged row is further from every class "
            "than all but this share of its rows, if classes were normal, and than all but this "
            "share of the training rows.",
            low=1e-9,
            high=0.5,
            choices={0.05: "5 %", 0.01: "1 %", 0.001: "0.1 %"},
            free=True,
        ),
    ] = 0.01
    model: (
        Annotated[SavedModel, Field("Saved model", "Its file is used instead of the classifier.")]
        | None
    ) = None
    rows: (
        Annotated[
            NewFile | TypedRow,
            Field(
                "Rows to predict",
                "The test set, which the model has not seen; your own file; or one row that is "
                "typed in.",
                choices=_sources,
                auto=_first_source,
                row=True,
            ),
        ]
        | None
    ) = None
    threshold: (
        Annotated[
            float,
            Field(
                "Threshold",
                "Of two classes, the one that is rarer in training is predicted from this "
                "posterior on. Default: the operating point of a saved model, or the class with "
                "the larger posterior.",
                low=0,
                high=1,
                step=0.01,
                auto=_usual_threshold,
                unit=per_cent,
                slide=True,
                wording=_threshold_wording,
            ),
        ]
        | None
    ) = None

    reject: (
        Annotated[
            Literal["cost", "sets", "sets by class"],
            Field(
                "Abstain by",
                "Cost: if an error is likelier than abstaining costs. Sets: unless one class alone "
                "is in a prediction set, calibrated by cross-validation on the training rows. "
                "By default only a saved model may abstain, if it was exported so.",
                choices=_rejections,
            ),
        ]
        | None
    ) = None
    coverage: Coverage = 0.9
    rejection_cost: RejectionCost = 0.2

    @property
    def needs_data(self) -> bool:
        """True if the answer depends on the data: not for a saved model and new rows."""
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
            None if `needs_data` is False.
        table : TableOptions
            Options of the training data: columns and classes are renamed and merged as there.
        new : path, bytes, or several (name, bytes)
            The file of new rows, if the question names one.
        model : path or bytes
            The model file, if the question names one.

        Raises
        ------
        DataError
            If a file is missing or a different one, or the rows cannot be predicted.
        """
        training, fitted, held_out = None, None, None
        if self.model is not None:
            fitted = self.model.load(model)
        elif experiment is not None:
            training = experiment.data.take(experiment.split.rows(experiment.data).train)
            trained = experiment.fit(self.classifier)
            fitted, held_out = trained.fitted_model, trained.held_out
        if fitted is None:
            raise DataError(
                "The model file is missing.", where="question.model", remedy="Provide it."
            )
        rows, reading = self._rows(fitted, experiment, training, new)
        if self.model is None and isinstance(self.rows, NewFile):
            reading = reading._replace(rename=table.rename, merge_classes=table.merge_classes)
        compared = None if isinstance(self.rows, TypedRow) else training
        answer = predict_and_compare(fitted, rows, reading, compared, progress)
        return answer._replace(predictions=self.apply_to(answer.predictions, held_out))

    def apply_to(
        self, predictions: Predictions, held_out: Callable[[], Results] | None = None
    ) -> Predictions:
        """Return predictions under the level, priors, threshold and reject option of the question.

        Parameters
        ----------
        predictions : Predictions
        held_out : callable, optional
            Returns predictions of training rows by models without them; prediction sets need it.

        Raises
        ------
        DataError
            If the model has no posteriors, the class does not exist, more than two classes have
            a threshold, or prediction sets are asked of a saved model.
        """
        priors: Any = self.priors
        if isinstance(priors, ClassShare):
            if priors.code >= len(predictions.classes):
                raise DataError(
                    f"There is no class {priors.code}.",
                    where="question.priors.code",
                    remedy=f"Give a position below {len(predictions.classes)}.",
                )
            priors = {predictions.classes.tolist()[priors.code]: priors.share}
        predictions = predictions.at_level(self.level).with_priors(priors)
        predictions = predictions.with_threshold(self.threshold)
        rule = rule_of(self, len(predictions.classes), held_out or _no_training_rows)
        return predictions.with_reject_option(rule)

    def _rows(
        self,
        model: FittedModel,
        experiment: Experiment | None,
        training: Dataset | None,
        new: File | None,
    ) -> tuple[Any, Reading]:
        """Return the rows to predict, with their import options."""
        if isinstance(self.rows, TypedRow):
            return typed_row(model, self.rows.values, training), Reading("The row typed in")
        if isinstance(self.rows, NewFile):
            rows = checked_file(self.rows, new, "The analysis needs a file of new rows.")
            name, fill = self.rows.name or "new rows", self.rows.fill_missing
            return rows, Reading(name, self.rows.reading, fill_missing=fill)
        if experiment is None:
            raise DataError(
                "The data are missing.", where="question.rows", remedy="Provide a file."
            )
        data = experiment.data
        return TestSet(data, experiment.split.rows(data)), Reading()
