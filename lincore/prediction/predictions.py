"""`Predictions`: labels, posteriors and distances of the rows of a new file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from lincore.data.dataset import Dataset
from lincore.data.labels import unique_names
from lincore.data.splits import draw_rows
from lincore.errors import DataError
from lincore.io.tables.matching import RowMatch
from lincore.linalg.hotelling import ClassDistances
from lincore.metrics.priors import PriorEstimate, adjust_posteriors, estimate_priors
from lincore.metrics.results import Results
from lincore.model_selection.fitted_model import FittedModel
from lincore.model_selection.training_summary import remoteness
from lincore.prediction._files import csv_bytes, parquet_bytes
from lincore.prediction.column_drift import drift
from lincore.prediction.new_rows import NO_LABEL, NewRows
from lincore.utils.displayed import display
from lincore.utils.formatting import count
from lincore.utils.probabilities import probabilities
from lincore.utils.typing import Array, Codes, Counts, Flags

Order: TypeAlias = Literal["row", "far", "uncertain", "misclassified"]

# Rows from which priors are estimated: of more, so many drawn at random.
_ESTIMATED_FROM = 100_000
_SEED = 0


class Evaluated(NamedTuple):
    """Output of a pipeline for n rows, under the priors of training.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        By the classifier's own rule.
    log_proba : ndarray of shape (n, K)
        NaN for a classifier without posteriors.
    decision : ndarray of shape (n, K) or None
        Margins of such a classifier.
    squared_distances : ndarray of shape (n, K) or None
        Squared Mahalanobis distances from the classes.
    """

    codes: Codes
    log_proba: Array
    decision: Array | None
    squared_distances: Array | None


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """Predictions of the rows of a new file by a fitted model.

    Parameters
    ----------
    model : FittedModel
    name : str
        Of the file.
    new : NewRows
        The rows, as the model takes them and as their file has them.
    evaluated : Evaluated
    distances : ClassDistances or None
        The classes that rows are measured from.
    level : float
        See `far`.
    priors : ndarray of shape (K,), optional
        In deployment, where they are others than in training.
    estimate : PriorEstimate, optional
        Where the priors were estimated from these rows.
    made_from : str
        Digest of the model and the rows.

    Examples
    --------
    >>> import lincore
    >>> from lincore.prediction import predict
    >>> iris = lincore.sample("iris")
    >>> model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    >>> predictions = predict(model, iris)
    >>> dict(zip(predictions.classes.tolist(), predictions.counts.tolist()))
    {'setosa': 50, 'versicolor': 49, 'virginica': 51}
    >>> int(predictions.far.sum()), predictions.results().methods
    (0, ('LDA',))
    """

    model: FittedModel
    name: str
    new: NewRows
    evaluated: Evaluated
    distances: ClassDistances | None
    level: float = 0.01
    priors: Array | None = None
    estimate: PriorEstimate | None = None
    made_from: str = ""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.evaluated.codes)

    def __repr__(self) -> str:
        """Count the predictions by class."""
        shares = zip(self.classes.tolist(), self.counts.tolist(), strict=True)
        phrases = [f"{label} {number:,}" for label, number in shares]
        more = [f"{len(phrases) - 8} more"] if len(phrases) > 8 else []
        far = ""
        if self.far is not None:
            number = int(self.far.sum())
            far = f"; {number or 'none'} {'are' if number > 1 else 'is'} unlike the training data"
        n_unknown, n_unlabelled = sum(self.new.unknown_labels.values()), self.new.n_unlabelled
        unscored = f"; {n_unknown:,} of a class that is not known" if n_unknown else ""
        unscored += f"; {n_unlabelled:,} without a class" if n_unlabelled else ""
        return (
            f"<{count(len(self), 'row')} of {self.name} predicted by {self.model.label}: "
            f"{', '.join(phrases[:8] + more)}{far}{unscored}>"
        )

    @property
    def classes(self) -> NDArray[Any]:
        """Labels of the classes, (K,)."""
        return self.model.classes

    @cached_property
    def learned_priors(self) -> Array | None:
        """Priors behind the posteriors of the model, (K,); see `FittedModel.priors`."""
        return self.model.priors

    @property
    def match(self) -> RowMatch:
        """Agreement of the columns of the file with the features."""
        return self.new.match

    @property
    def noun(self) -> str:
        """What the rows are called, in the plural."""
        rows = "rows" if self.model.image_shape is None else "images"
        return rows if self.new.numbers is None else f"test {rows}"

    @property
    def numbers(self) -> Codes:
        """Numbers of the rows: those of a test set in its data, from 1 on in a file."""
        return np.arange(1, len(self) + 1) if self.new.numbers is None else self.new.numbers

    @cached_property
    def digest(self) -> str:
        """Digest of the model, the rows, the priors and the level."""
        priors = None if self.priors is None else self.priors.tolist()
        return f"{self.made_from} {self.level!r} {priors}"

    @property
    def has_posteriors(self) -> bool:
        """True if the model has posterior probabilities."""
        return not np.isnan(self.evaluated.log_proba).any()

    @cached_property
    def log_proba(self) -> Array:
        """Logarithms of the posteriors under the priors in deployment, (n, K)."""
        if self.priors is None or self.learned_priors is None:
            return self.evaluated.log_proba
        return adjust_posteriors(self.evaluated.log_proba, self.learned_priors, self.priors)

    @cached_property
    def posteriors(self) -> Array:
        """Posterior probabilities under the priors in deployment, (n, K); NaN where none are."""
        return np.exp(self.log_proba)

    @cached_property
    def codes(self) -> Codes:
        """Predicted classes as positions in `classes`, (n,)."""
        if self.priors is None or not self.has_posteriors:
            return self.evaluated.codes
        return np.asarray(self.log_proba.argmax(axis=1), dtype=np.intp)

    @property
    def labels(self) -> NDArray[Any]:
        """Predicted classes, (n,)."""
        return np.asarray(self.classes[self.codes])

    @property
    def counts(self) -> Counts:
        """Rows predicted as each class, (K,)."""
        return np.bincount(self.codes, minlength=len(self.classes))

    @cached_property
    def distance(self) -> Array | None:
        """Mahalanobis distance of each row from the nearest class, (n,), without units.

        In the coordinates that the classifier sees: by the covariances of the model where it has
        full ones (LDA the pooled one, QDA those of the classes), else by the pooled covariance of
        the training rows. None for sparse rows, and where coordinates outnumber training rows.
        """
        squared = self.evaluated.squared_distances
        return None if squared is None else np.sqrt(np.nanmin(squared, axis=1))

    @cached_property
    def nearest(self) -> Codes | None:
        """The nearest class of each row as a position in `classes`, (n,)."""
        squared = self.evaluated.squared_distances
        return None if squared is None else np.nanargmin(squared, axis=1)

    @cached_property
    def far(self) -> Flags | None:
        """Rows that are unlike the training data, (n,).

        Further from each class than all but a share `level` of a normal class
        (`lincore.linalg.hotelling.ClassDistances.limits`: for many training rows the quantile of
        chi-square), and further, by that measure, than a share `level` of the training rows are
        from classes estimated without them (`squared_left_out`). The latter is needed because
        indicator coordinates are not normal: of test rows of the sample "passengers" one in six is
        beyond the normal region of 99 %, and one in a hundred is far. None where there are no
        distances, or no class has enough training rows.

        References
        ----------
        Lei, G'Sell, Rinaldo, Tibshirani, Wasserman (2018), "Distribution-free predictive inference
        for regression", section 2.
        """
        squared, training = self.evaluated.squared_distances, self.model.training
        if squared is None or self.distances is None or training is None:
            return None
        beyond = remoteness(self.distances, squared, self.level)
        usual_units = remoteness(self.distances, squared)
        if beyond is None or usual_units is None or training.remoteness is None:
            return None
        places = np.linspace(0, 1, len(training.remoteness))
        n = training.counts.sum()
        usual = np.interp(min(1.0, (1 - self.level) * (n + 1) / n), places, training.remoteness)
        return np.asarray((beyond > 1) & (usual_units > usual))

    @property
    def truth(self) -> Codes | None:
        """The classes that the file says, as positions in `classes`, -1 where none is known."""
        return self.new.truth

    def at_level(self, level: float) -> Predictions:
        """Return the predictions with another `level` of `far`.

        Raises
        ------
        DataError
            When it is not between 0 and 1.
        """
        if not 0 < level < 1:
            raise DataError(
                f"The level is {level}.", where="option level", remedy="Give 0.01, for example."
            )
        return replace(self, level=level)

    def with_priors(self, priors: ArrayLike | Mapping[Any, float] | str | None) -> Predictions:
        """Return the predictions under other priors in deployment, without predicting again.

        Parameters
        ----------
        priors : array-like of shape (K,), mapping of label to prior, "equal", "estimate" or None
            See `lincore.prediction.predict`; None for those of training.

        Raises
        ------
        DataError
            When the model has no posteriors, or these are not K probabilities.
        """
        if priors is None:
            return replace(self, priors=None, estimate=None)
        if not self.has_posteriors or self.learned_priors is None:
            raise DataError(
                f"{self.model.label} has no posteriors to correct for other priors.",
                where="option priors",
                remedy="Choose a model with posterior probabilities, such as LDA.",
            )
        if isinstance(priors, str) and priors == "estimate":
            estimate = self._estimated()
            return replace(self, priors=estimate.priors, estimate=estimate)
        equal = isinstance(priors, str) and priors == "equal"
        n_classes = len(self.classes)
        given = np.full(n_classes, 1 / n_classes) if equal else _checked(priors, self.classes)
        return replace(self, priors=given, estimate=None)

    def _estimated(self) -> PriorEstimate:
        assert self.learned_priors is not None
        rows, weights = self.new.counting, self.new.weights
        rows = rows[draw_rows(len(rows), _ESTIMATED_FROM, _SEED)]
        try:
            return estimate_priors(
                self.evaluated.log_proba[rows],
                self.learned_priors,
                weight=None if weights is None else weights[rows],
            )
        except ValueError as error:
            raise DataError(
                f"Priors cannot be estimated. {error}",
                where=self.name,
                remedy="Give the priors, or leave out the rows that are unlike the training data.",
            ) from error

    def ranked(self, by: Order = "row") -> Codes:
        """Return rows in a given order.

        Parameters
        ----------
        by : {"row", "far", "uncertain", "misclassified"}
            All rows as they come; those unlike the training data, the farthest first; all, the
            least posterior of the predicted class first; those whose class the file gives
            otherwise.

        Raises
        ------
        ValueError
            For another word.
        """
        if by == "row":
            return np.arange(len(self))
        if by == "far":
            far = np.flatnonzero(self.far) if self.far is not None else np.arange(0)
            return far if self.distance is None else far[np.argsort(-self.distance[far])]
        if by == "uncertain":
            if not self.has_posteriors:
                return np.arange(len(self))
            return np.argsort(self.posteriors.max(axis=1), kind="stable")
        if by == "misclassified":
            truth = np.full(len(self), NO_LABEL) if self.truth is None else self.truth
            return np.flatnonzero((truth != NO_LABEL) & (truth != self.codes))
        raise ValueError(
            f"There is no order {by!r}; choose one of row, far, uncertain, misclassified."
        )

    def to_frame(self, rows: ArrayLike | None = None) -> pd.DataFrame:
        """Return the file's own columns, with prediction, posteriors and distance added.

        A name that the file has already is numbered.

        Parameters
        ----------
        rows : array-like of int, optional
            Positions of rows, in the order wanted; all rows when not given.
        """
        own = self.new.frame
        own = own if rows is None else own.iloc[np.asarray(rows)]
        added = self.added(rows)
        names = unique_names([*(str(name) for name in own.columns), *added.columns])[0]
        return pd.concat([own, added.set_index(own.index)], axis=1).set_axis(names, axis=1)

    def added(self, rows: ArrayLike | None = None) -> pd.DataFrame:
        """Return prediction, posteriors and distance alone, a column each; see `to_frame`."""
        chosen: Any = slice(None) if rows is None else np.asarray(rows)
        target = self.model.target_name or "class"
        text = pd.Index(self.classes.astype(object))
        columns: dict[str, Any] = {
            f"predicted {target}": pd.Categorical.from_codes(self.codes[chosen], categories=text)
        }
        if self.has_posteriors:
            for k, label in enumerate(self.classes.tolist()):
                columns[f"P({label})"] = self.posteriors[chosen, k]
        if self.distance is not None:
            columns["distance"] = self.distance[chosen]
        if self.far is not None:
            columns["unlike the training data"] = pd.Categorical.from_codes(
                self.far[chosen].astype(np.intp), categories=pd.Index(["no", "yes"])
            )
        return pd.DataFrame(columns)

    def to_csv(self) -> bytes:
        """Return `to_frame` as a file of text that is safe to open in a spreadsheet.

        UTF-8; text that could run as a formula has an apostrophe in front of it.
        """
        return csv_bytes(self.to_frame())

    def to_parquet(self) -> bytes:
        """Return `to_frame` as a Parquet file."""
        return parquet_bytes(self.to_frame())

    def rows(self, **settings: Any) -> Any:
        """Return the prediction of every row: a `PredictedRowsDisplay`."""
        return display("PredictedRowsDisplay", self, **settings)

    def by_class(self) -> Any:
        """Return the rows predicted as each class: a `PredictedClassesDisplay`."""
        return display("PredictedClassesDisplay", self)

    def columns(self) -> Any:
        """Return what did and did not match the features: a `MatchedColumnsDisplay`."""
        return display("MatchedColumnsDisplay", self)

    def scores(self) -> Any:
        """Return the scores where the classes are known: a `PredictionScoresDisplay`."""
        return display("PredictionScoresDisplay", self)

    def confusion(self) -> Any:
        """Return true classes against predicted ones: a `PredictionConfusionDisplay`."""
        return display("PredictionConfusionDisplay", self)

    def drift(self, training: Dataset) -> Any:
        """Return how the columns differ from those of the training rows: a `DriftDisplay`."""
        plain = training.kind.is_images or training.n_words
        return display("DriftDisplay", drift(training, self.new.X if plain else self.new.frame))

    def results(self) -> Results:
        """Return the results on the rows whose class the file says, for every score of `metrics`.

        Scores are weighted by the column of weights of the training data, where the file has it.
        Rows of a `Dataset` with groups belong together, and those of a `TestSet` are stratified as
        in its split, so that scores and intervals are those of the comparison.

        Raises
        ------
        DataError
            When the file has no classes.
        """
        if self.truth is None:
            unknown = ", ".join(map(repr, list(self.new.unknown_labels)[:5]))
            what = f"Its labels {unknown} are none of the model's classes." if unknown else ""
            raise DataError(
                what or f"There is no column {self.model.target_name!r} to compare with.",
                where=self.name,
                remedy="Add the true classes to the file to have scores.",
            )
        known, weights = self.new.counting, self.new.weights
        known = known[self.truth[known] != NO_LABEL]
        truth = self.truth[known]
        decision, label, training = self.evaluated.decision, self.model.label, self.model.training
        given = self.new.settings
        counts, shares, groups = given.class_counts, given.training_shares, given.row_groups
        return Results(
            methods=(label,),
            classes=self.classes,
            rows=known,
            truth=truth,
            predicted=self.codes[known][None],
            log_proba=self.log_proba[known][None],
            seconds=np.array([np.nan]),
            n_train=np.full(len(known), 0 if training is None else int(training.counts.sum())),
            decision={} if decision is None else {label: decision[known]},
            settings=replace(
                given,
                data=self.name,
                scheme="new rows",
                labels={label: label},
                training_shares=self.learned_priors if shares is None else shares,
                class_counts=(
                    np.bincount(truth, minlength=len(self.classes)) if counts is None else counts
                ),
                row_groups=None if groups is None else groups[known],
                row_weights=None if weights is None else weights[known],
            ),
        )


def _checked(priors: Any, classes: NDArray[Any]) -> Array:
    """Return priors as K probabilities; DataError where they are none."""
    try:
        return probabilities(priors, classes)
    except ValueError as error:
        raise DataError(
            f"{len(classes)} probabilities with sum 1 are expected, not {priors!r}.",
            where="option priors",
            remedy=f"Give one for each of {classes.tolist()}, in this order or by label, or "
            "'equal', or 'estimate'.",
        ) from error
