"""`Predictions`: labels, posteriors and distances of the rows of a new file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from lincore.data.dataset import Dataset
from lincore.data.frames import unique_names
from lincore.data.splits import draw_rows
from lincore.errors import DataError
from lincore.io.tables.matching import RowMatch
from lincore.linalg.hotelling import ClassDistances
from lincore.metrics.curves.operating_point import OperatingPoint
from lincore.metrics.curves.reject_option import RejectOption
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

Order: TypeAlias = Literal["row", "far", "uncertain", "rejected", "misclassified"]

# Maximum number of rows from which priors are estimated; of more, a random sample is used.
_ESTIMATED_FROM = 100_000
_SEED = 0


class Evaluated(NamedTuple):
    """Output of a pipeline for n rows, under the priors of training."""

    codes: Codes  # (n,); classes predicted by the classifier
    log_proba: Array  # (n, K); NaN for a classifier without posteriors
    decision: Array | None  # (n, K); decision values of a classifier without posteriors
    squared_distances: Array | None  # (n, K); squared Mahalanobis distances from the classes


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """Predictions of the rows of a new file by a fitted model.

    Parameters
    ----------
    model : FittedModel
    name : str
        Name of the file.
    new : NewRows
        The rows.
    evaluated : Evaluated
    distances : ClassDistances or None
        The classes from which distances are computed.
    level : float
        See `far`.
    priors : ndarray of shape (K,), optional
        Priors in deployment, if they differ from those in training.
    estimate : PriorEstimate, optional
        Given if the priors were estimated from these rows.
    threshold : float, optional
        Posterior from which the rarer of two classes is predicted; see `with_threshold`. Default:
        the operating point of the model, if it has one.
    reject_option : RejectOption, optional
        When the model abstains; see `with_reject_option`. Default: as the model does.
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
    threshold: float | None = None
    reject_option: RejectOption | None = None
    made_from: str = ""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.evaluated.codes)

    def __repr__(self) -> str:
        """Return the number of rows predicted as each class."""
        shares = zip(self.classes.tolist(), self.counts.tolist(), strict=True)
        phrases = [f"{label} {number:,}" for label, number in shares]
        more = [f"{len(phrases) - 8} more"] if len(phrases) > 8 else []
        far = ""
        if self.far is not None:
            number = int(self.far.sum())
            far = f"; {number or 'none'} {'are' if number > 1 else 'is'} unlike the training data"
        n_unknown, n_unlabelled = sum(self.new.unknown_labels.values()), self.new.n_unlabelled
        unscored = f"; {n_unknown:,} of an unknown class" if n_unknown else ""
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
        """Priors that the model's posteriors imply, (K,); see `FittedModel.priors`."""
        return self.model.priors

    @property
    def match(self) -> RowMatch:
        """How the columns of the file were matched with the features."""
        return self.new.match

    @property
    def noun(self) -> str:
        """Noun for the rows, in the plural."""
        rows = "rows" if self.model.image_shape is None else "images"
        return rows if self.new.numbers is None else f"test {rows}"

    @property
    def numbers(self) -> Codes:
        """Row numbers: for a test set, positions in its data set; for a file, from 1 on."""
        return np.arange(1, len(self) + 1) if self.new.numbers is None else self.new.numbers

    @cached_property
    def digest(self) -> str:
        """Digest of the model, the rows and all settings."""
        priors = None if self.priors is None else self.priors.tolist()
        return f"{self.made_from} {self.level!r} {priors} {self.threshold!r} {self.reject_option}"

    @property
    def has_posteriors(self) -> bool:
        """True if the model has posterior probabilities."""
        return not np.isnan(self.evaluated.log_proba).any()

    @property
    def can_have_threshold(self) -> bool:
        """True for two classes with posteriors."""
        return len(self.classes) == 2 and self.has_posteriors

    @cached_property
    def rarer(self) -> int:
        """Position of the rarest class of the training rows; the first of equal ones."""
        training, sizes = self.model.training, self.learned_priors
        if training is not None:
            weights = training.class_weights
            sizes = training.counts if weights is None else weights
        return 1 if sizes is None else int(np.argmin(sizes))

    @cached_property
    def log_proba(self) -> Array:
        """Logarithms of the posteriors under the priors in deployment, (n, K)."""
        if self.priors is None or self.learned_priors is None:
            return self.evaluated.log_proba
        return adjust_posteriors(self.evaluated.log_proba, self.learned_priors, self.priors)

    @cached_property
    def posteriors(self) -> Array:
        """Posterior probabilities under the priors in deployment, (n, K); NaN if there are none."""
        return np.exp(self.log_proba)

    @cached_property
    def point(self) -> OperatingPoint | None:
        """The operating point: the given threshold, or the model's; None for the largest value."""
        if self.threshold is not None:
            return OperatingPoint(self.threshold, self.rarer)
        return self.model.operating_point

    @property
    def rarer_threshold(self) -> float | None:
        """Posterior from which the rarer of two classes is predicted, if there is one."""
        return None if self.point is None else self.point.threshold_for(self.rarer)

    @cached_property
    def codes(self) -> Codes:
        """Predicted classes as positions in `classes`, (n,)."""
        if self.point is not None:
            return self.point.decide(self.log_proba)
        if self.priors is None or not self.has_posteriors:
            return self.evaluated.codes
        return np.asarray(self.log_proba.argmax(axis=1), dtype=np.intp)

    @property
    def rule(self) -> RejectOption | None:
        """When the model abstains: the given reject option, or the model's; None for never."""
        return self.reject_option or self.model.reject_option

    @cached_property
    def sets(self) -> Flags | None:
        """Classes in the prediction set of each row, (n, K); None without a reject option.

        Sets with a given coverage use the posteriors under the training priors, as in their
        calibration; Chow's rule uses those under the priors in deployment.
        """
        rule = self.rule
        if rule is None:
            return None
        return rule.sets(self.log_proba if rule.coverage is None else self.evaluated.log_proba)

    @property
    def is_rejected(self) -> Flags | None:
        """Rows for which the model abstains, (n,): their set does not hold exactly one class."""
        return None if self.sets is None else self.sets.sum(axis=1) != 1

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
        """Mahalanobis distance of each row from the nearest class, (n,), dimensionless.

        In the classifier's coordinates. The covariance is the model's if it has a full one (pooled
        for LDA, one per class for QDA), otherwise the pooled covariance of the training rows. None
        for sparse rows, and if there are more coordinates than training rows.
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

        A row is flagged if two conditions hold. It lies outside the region of every class that
        contains all but a share `level` of a normal class
        (`lincore.linalg.hotelling.ClassDistances.limits`; with many training rows a chi-square
        quantile). And its distance, relative to that limit, exceeds the distances of all but a
        share `level` of the training rows, each measured from classes estimated without it
        (`squared_left_out`). The second condition is needed because indicator coordinates are not
        normal: in the sample "passengers" one test row in six is outside the 99 % region, but only
        one in a hundred is flagged. None if there are no distances or no class has enough training
        rows.

        References
        ----------
        Lei, G'Sell, Rinaldo, Tibshirani, Wasserman (2018), "Distribution-free predictive inference
        for regression", section 2.
        """
        squared, training = self.evaluated.squared_distances, self.model.training
        if squared is None or self.distances is None or training is None:
            return None
        relative_to_limit = remoteness(self.distances, squared, self.level)
        relative_distance = remoteness(self.distances, squared)
        if relative_to_limit is None or relative_distance is None or training.remoteness is None:
            return None
        quantiles = np.linspace(0, 1, len(training.remoteness))
        n = training.counts.sum()
        largest_usual = np.interp(
            min(1.0, (1 - self.level) * (n + 1) / n), quantiles, training.remoteness
        )
        return np.asarray((relative_to_limit > 1) & (relative_distance > largest_usual))

    @property
    def truth(self) -> Codes | None:
        """The classes given in the file, as positions in `classes`; -1 if unknown."""
        return self.new.truth

    def at_level(self, level: float) -> Predictions:
        """Return the predictions with another `level` for `far`.

        Raises
        ------
        DataError
            If it is not between 0 and 1.
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
            See `lincore.prediction.predict`; None for those of training. Classes missing from a
            mapping share the rest as in training.

        Raises
        ------
        DataError
            If the model has no posteriors or the priors are invalid.
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
            estimate = self._estimate_priors()
            return replace(self, priors=estimate.priors, estimate=estimate)
        equal = isinstance(priors, str) and priors == "equal"
        n_classes = len(self.classes)
        if isinstance(priors, Mapping):
            priors = _complete_priors(priors, self.classes, self.learned_priors)
        new = np.full(n_classes, 1 / n_classes) if equal else _check_priors(priors, self.classes)
        return replace(self, priors=new, estimate=None)

    def with_threshold(self, threshold: float | None) -> Predictions:
        """Return the predictions of two classes at a threshold, without predicting again.

        The class that is rarer in training is predicted if its posterior, under the priors in
        deployment, is at least the threshold.

        Parameters
        ----------
        threshold : float or None
            From 0 to 1; None for the operating point of the model, or the larger posterior.

        Raises
        ------
        DataError
            If there are more than two classes or no posteriors, or it is not between 0 and 1.

        See Also
        --------
        sklearn.model_selection.FixedThresholdClassifier : The same rule as a classifier.

        Examples
        --------
        >>> import lincore
        >>> from lincore.prediction import predict
        >>> passengers = lincore.sample("passengers")
        >>> model = lincore.compare(passengers, "lda", keep_models=True).model("lda")
        >>> predict(model, passengers).with_threshold(0.3).counts.tolist()
        [648, 252]
        """
        if threshold is None:
            return replace(self, threshold=None)
        if not self.can_have_threshold:
            n_classes = len(self.classes)
            reason = "no posteriors" if n_classes == 2 else f"{n_classes} classes"
            raise DataError(
                f"{self.model.label} has {reason}: there is no threshold.",
                where="option threshold",
                remedy="Choose a model of two classes with posteriors, or no threshold.",
            )
        if not 0 <= threshold <= 1:
            raise DataError(
                f"The threshold is {threshold}.",
                where="option threshold",
                remedy="Give a posterior from 0 to 1, such as 0.3.",
            )
        return replace(self, threshold=float(threshold))

    def with_reject_option(self, rule: RejectOption | None) -> Predictions:
        """Return the predictions with rows for which the model abstains, without predicting again.

        Parameters
        ----------
        rule : RejectOption or None
            Such as ``model.reject_option(reject="sets").rule`` of a `FittedClassifier`, or
            ``RejectOption.of_cost(0.2, 2)``; None for that of the model, if it has one.

        Raises
        ------
        DataError
            If the model has no posteriors, or the rule is for another number of classes.

        Examples
        --------
        >>> import lincore
        >>> from lincore.prediction import TestSet, predict
        >>> data = lincore.sample("passengers")
        >>> model = lincore.fit(data, "lda")
        >>> predictions = predict(model.fitted_model, TestSet(data, model.split))
        >>> rule = model.reject_option(reject="sets").rule
        >>> predictions = predictions.with_reject_option(rule)
        >>> int(predictions.is_rejected.sum()), predictions.added()["prediction set"][:2].tolist()
        (49, ['no', 'no'])
        """
        if rule is not None and not self.has_posteriors:
            raise DataError(
                f"{self.model.label} has no posteriors, so it cannot abstain.",
                where="option reject",
                remedy="Choose a model with posteriors, such as LDA.",
            )
        if rule is not None and len(rule.thresholds) != len(self.classes):
            raise DataError(
                f"The rule is for {len(rule.thresholds)} classes, and the model has "
                f"{len(self.classes)}.",
                where="option reject",
                remedy="Calibrate it with this model.",
            )
        return replace(self, reject_option=rule)

    def _estimate_priors(self) -> PriorEstimate:
        assert self.learned_priors is not None
        rows, weights, training = self.new.counting, self.new.weights, self.model.training
        rows = rows[draw_rows(len(rows), _ESTIMATED_FROM, _SEED)]
        try:
            return estimate_priors(
                self.evaluated.log_proba[rows],
                self.learned_priors,
                weight=None if weights is None else weights[rows],
                n_train=None if training is None else float(training.counts.sum()),
            )
        except ValueError as error:
            raise DataError(
                f"Priors cannot be estimated. {error}",
                where=self.name,
                remedy="Give the priors, or leave out the rows that are unlike the training data.",
            ) from error

    def ranked(self, by: Order = "row") -> Codes:
        """Return positions of rows in a given order.

        Parameters
        ----------
        by : {"row", "far", "uncertain", "rejected", "misclassified"}
            All rows in file order; rows unlike the training data, the farthest first; all rows by
            increasing posterior of the predicted class, or the nearest to the threshold first; rows
            for which the model abstains; rows whose true class differs from the prediction.

        Raises
        ------
        ValueError
            If `by` is anything else.
        """
        if by == "row":
            return np.arange(len(self))
        if by == "far":
            far = np.flatnonzero(self.far) if self.far is not None else np.arange(0)
            return far if self.distance is None else far[np.argsort(-self.distance[far])]
        if by == "uncertain":
            if not self.has_posteriors:
                return np.arange(len(self))
            certainty = self.posteriors.max(axis=1)
            if self.rarer_threshold is not None:
                certainty = np.abs(self.posteriors[:, self.rarer] - self.rarer_threshold)
            return np.argsort(certainty, kind="stable")
        if by == "rejected":
            return np.arange(0) if self.is_rejected is None else np.flatnonzero(self.is_rejected)
        if by == "misclassified":
            truth = np.full(len(self), NO_LABEL) if self.truth is None else self.truth
            return np.flatnonzero((truth != NO_LABEL) & (truth != self.codes))
        raise ValueError(f"There is no order {by!r}; choose one of {', '.join(get_args(Order))}.")

    def to_frame(self, rows: ArrayLike | None = None) -> pd.DataFrame:
        """Return the columns of the file, with prediction, posteriors and distance added.

        A name that already exists in the file gets a number.

        Parameters
        ----------
        rows : array-like of int, optional
            Positions of the rows to return. Default: all.
        """
        frame = self.new.frame
        frame = frame if rows is None else frame.iloc[np.asarray(rows)]
        added = self.added(rows)
        names = unique_names([*(str(name) for name in frame.columns), *added.columns])[0]
        return pd.concat([frame, added.set_index(frame.index)], axis=1).set_axis(names, axis=1)

    def added(self, rows: ArrayLike | None = None) -> pd.DataFrame:
        """Return only the columns that `to_frame` adds: prediction, posteriors, set, distance."""
        chosen: Any = slice(None) if rows is None else np.asarray(rows)
        target = self.model.target_name or "class"
        text = pd.Index(self.classes.astype(object))
        columns: dict[str, Any] = {
            f"predicted {target}": pd.Categorical.from_codes(self.codes[chosen], categories=text)
        }
        if self.has_posteriors:
            for k, label in enumerate(self.classes.tolist()):
                columns[f"P({label})"] = self.posteriors[chosen, k]
        if self.sets is not None:
            sets = self.sets[chosen]
            columns["prediction set"] = [", ".join(text[members].map(str)) for members in sets]
        if self.distance is not None:
            columns["distance"] = self.distance[chosen]
        if self.far is not None:
            columns["unlike the training data"] = pd.Categorical.from_codes(
                self.far[chosen].astype(np.intp), categories=pd.Index(["no", "yes"])
            )
        return pd.DataFrame(columns)

    def to_csv(self) -> bytes:
        """Return `to_frame` as CSV that is safe to open in a spreadsheet.

        Encoded in UTF-8; text that could run as a formula has an apostrophe in front.
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
        """Return how columns were matched with the features: a `MatchedColumnsDisplay`."""
        return display("MatchedColumnsDisplay", self)

    def scores(self) -> Any:
        """Return the scores on rows with known classes: a `PredictionScoresDisplay`."""
        return display("PredictionScoresDisplay", self)

    def confusion(self) -> Any:
        """Return true against predicted classes: a `PredictionConfusionDisplay`."""
        return display("PredictionConfusionDisplay", self)

    def drift(self, training: Dataset) -> Any:
        """Return how the columns differ from those of the training rows: a `DriftDisplay`."""
        plain = training.kind.is_images or training.n_words
        return display("DriftDisplay", drift(training, self.new.X if plain else self.new.frame))

    def results(self) -> Results:
        """Return results on the rows with known classes, for any score of `lincore.metrics`.

        Scores are weighted if the file has the weight column of the training data. Groups of a
        `Dataset` are respected, and a `TestSet` is stratified as in its split, so scores and
        intervals equal those of the comparison.

        Raises
        ------
        DataError
            If the file has no classes.
        """
        if self.truth is None:
            unknown = ", ".join(map(repr, list(self.new.unknown_labels)[:5]))
            cause = f"Its labels {unknown} are not classes of the model." if unknown else ""
            raise DataError(
                cause or f"There is no column {self.model.target_name!r} to compare with.",
                where=self.name,
                remedy="Add the true classes to the file to get scores.",
            )
        rows, weights = self.new.counting, self.new.weights
        rows = rows[self.truth[rows] != NO_LABEL]
        truth = self.truth[rows]
        decision, label, training = self.evaluated.decision, self.model.label, self.model.training
        settings = self.new.settings
        counts, shares, groups = (
            settings.class_counts,
            settings.training_shares,
            settings.row_groups,
        )
        return Results(
            methods=(label,),
            classes=self.classes,
            rows=rows,
            truth=truth,
            predicted=self.codes[rows][None],
            log_proba=self.log_proba[rows][None],
            seconds=np.array([np.nan]),
            n_train=np.full(len(rows), 0 if training is None else int(training.counts.sum())),
            decision={} if decision is None else {label: decision[rows]},
            settings=replace(
                settings,
                data=self.name,
                scheme="new rows",
                labels={label: label},
                training_shares=self.learned_priors if shares is None else shares,
                class_counts=(
                    np.bincount(truth, minlength=len(self.classes)) if counts is None else counts
                ),
                row_groups=None if groups is None else groups[rows],
                row_weights=None if weights is None else weights[rows],
            ),
        )


def _complete_priors(
    given: Mapping[Any, float], classes: NDArray[Any], learned: Array
) -> Mapping[Any, float] | Array:
    """Return priors by label as K numbers: classes that are not given share the rest."""
    labels = classes.tolist()
    is_given = np.array([label in given for label in labels])
    if is_given.all() or is_given.sum() < len(given):
        return given
    completed = np.array([given.get(label, 0.0) for label in labels])
    rest = np.where(is_given, 0.0, learned)
    rest = rest if rest.any() else np.where(is_given, 0.0, 1.0)
    return np.asarray(completed + rest * ((1 - completed.sum()) / rest.sum()))


def _check_priors(priors: Any, classes: NDArray[Any]) -> Array:
    """Return priors as K probabilities, or raise `DataError`."""
    try:
        return probabilities(priors, classes)
    except ValueError as error:
        raise DataError(
            f"{len(classes)} probabilities with sum 1 are expected, not {priors!r}.",
            where="option priors",
            remedy=f"Give one for each of {classes.tolist()}, in this order or by label, or "
            "'equal', or 'estimate'.",
        ) from error
