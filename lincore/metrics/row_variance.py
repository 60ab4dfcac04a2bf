"""The variance of mean losses over splits that share rows, with the rows as sampling units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.row_weights import effective_number, weighted_losses
from lincore.metrics.intervals import ADDED_ROWS
from lincore.utils.typing import Array

Contrast = Mapping[str, float]

#: Variances below this share of the cancelling terms are rounding.
ROUNDING = 1e-13

#: Share of its tests in which one more row of each class is supposed to differ.
DIFFERING_ROW = 0.25

#: If a larger share of the rows has been predicted, the others will be soon.
SOON_ALL = 0.1

#: Bound on the contribution of a training row relative to that of a test row.
LIKELY_SLOPE = 0.5


class ModelEffects(NamedTuple):
    """Split effects of the models of all training rows, with softened errors."""

    places: Mapping[str, int]  # positions of the D models
    # `tested`, `trained`: excess of a split's losses over the mean losses of the same rows over all
    # splits, for its test rows and its training rows
    tested: Array  # (S, X, K, D)
    trained: Array  # (S, X, K, D)
    # (X, K, D, D); contribution of single rows, whose losses vary between models, to the covariance
    # for the test rows
    noise: Array


class RowVariance(NamedTuple):
    """Variance of one method's mean losses over splits, with the rows as sampling units."""

    # A mean over splits is a sum over rows: each row contributes its loss, averaged over the splits
    # in which it was tested, and changes the models that it trains. Class sizes are fixed.
    # - Choice: with the same rows, other splits give another mean; its variance is that of the
    # split effects divided by their number. A split effect is the excess of a split's losses over
    # the same rows' means over all splits. The contribution of single rows is already in the rows'
    # means.
    # - Test rows: the sum of squared contributions of the rows to the mean loss of their class,
    # about that mean (the sandwich estimate), minus the choice. Groups count as one unit.
    # - Training rows: splits that leave out m of n rows are a delete-m jackknife. It uses the
    # covariance of a model's effect on the left-out rows with its effect on all rows, minus the
    # contribution of single rows, times (n - m) / m. The effect on the left-out rows alone includes
    # their interactions, which the jackknife counts two and a half times; on training rows models
    # are overconfident.
    # - Sampling weights: a row adds to the weighted mean of its class in proportion to its weight
    # (`weighted_losses`). Class weights are fixed, like class sizes.
    # - A row that is easy to predict also makes others easier, or harder: the contribution of a row
    # as training row per unit contribution as test row is minus the slope of split effects on the
    # means of their test rows, times (n - m) / m. The jackknife uses the residuals of this
    # regression.
    # Models of random subsets also vary with the choice. Split effects of the training rows are
    # therefore taken from models of all training rows, weighted to the shares of the subset, that
    # represent them (`models`). If these cancel, nearly all variance is due to the choice. Their
    # errors are softened (`lincore.metrics.training_variance.softened_errors`), because few rows
    # are so near a boundary that another model changes their label.
    # Split effects are few and noisy: their slope is shrunk by its precision against a prior of 0 ±
    # ½.
    # Efron, Stein (1981), "The jackknife estimate of variance"; Shao, Wu (1989), "A general theory
    # for jackknife variance estimation", section 2.

    conditions: Mapping[str, int]  # positions of the C conditions
    # The model whose split effects represent those of a condition; itself by default
    models: Mapping[str, str]
    # (K,); tested rows (or groups) of each class; with unequal weights their effective number
    # (Kish)
    counts: Array
    means: Array  # (X, K, C); of X losses by class, over the splits
    rows: Array  # (X, K, C, C); covariance of these means over the choice of test rows
    # `effects`, `tested`: split effects, and means of the test rows' means over all splits
    effects: Array  # (S, X, K, C)
    tested: Array  # (S, X, K, C)
    # `chance`, `noise`: contribution of single rows, whose losses vary between models, to the
    # covariance of the means over all splits, and of split effects
    chance: Array  # (X, K, C, C)
    noise: Array  # (X, K, C, C)
    by_model: ModelEffects
    ratio: float  # ratio of test to training rows
    # Further training rows, which are never tested, per row: those that are not in memory
    streamed: float = 0.0

    def of(self, kind: int, weights: Array, contrast: Contrast) -> float:
        """Return the variance of a weighted mean over classes of a contrast of conditions."""
        classes = np.flatnonzero(weights)
        weights = weights[classes]
        positions, factors = _as_arrays(contrast, self.conditions)
        covariance = _class_sum(self.rows[kind], classes, positions, weights)
        rows = float(factors @ covariance @ factors)
        if rows <= ROUNDING * float(factors**2 @ covariance.diagonal()):
            return 0.0
        own_effects = _class_mean(self.effects[:, kind], classes, positions, weights) @ factors
        if not own_effects.any():
            return (1 + self.ratio) * rows
        chance, noise = (
            float(factors @ _class_sum(covariances[kind], classes, positions, weights) @ factors)
            for covariances in (self.chance, self.noise)
        )
        choice = max(float(own_effects.var(ddof=1)) - noise, 0.0) / len(own_effects) + chance
        rows = max(rows - chance, 0.0)
        models, model_factors = _as_arrays(self._stand_ins(contrast), self.by_model.places)
        if not len(models):
            return rows + choice
        on_left_out, on_trained = (
            _class_mean(effects[:, kind], classes, models, weights) @ model_factors
            for effects in (self.by_model.tested, self.by_model.trained)
        )
        tested = _class_mean(self.tested[:, kind], classes, positions, weights) @ factors
        covariance = _class_sum(self.by_model.noise[kind], classes, models, weights)
        noise = float(model_factors @ covariance @ model_factors)
        return self._trained(rows, on_left_out, on_trained, tested, noise) + choice

    def _trained(
        self, rows: float, left_out: Array, trained: Array, tested: Array, noise: float
    ) -> float:
        """Return the variance due to rows as test and training rows."""
        n, share = len(tested) - 1, self.ratio / (1 + self.ratio)
        left_out, trained = left_out - left_out.mean(), trained - trained.mean()
        tested = (tested - tested.mean()) * self.ratio
        everywhere = share * left_out + (1 - share) * trained
        slope, squares = 0.0, float(tested @ tested)
        if squares > 0:
            slope = float(everywhere @ tested) / squares
            left = everywhere - slope * tested
            slope /= 1 + float(left @ left) / (n * squares * LIKELY_SLOPE**2)
        product = float((left_out - slope * tested) @ (everywhere - slope * tested)) / n
        # One row has less effect on models of more rows, and there are more such rows.
        growth = 1 + self.streamed
        grown = growth + self.streamed * self.ratio
        jackknife = max(product - share * noise, 0.0) / self.ratio * grown**2 / growth
        slope *= grown / growth
        return rows * ((1 - slope) ** 2 + self.streamed * slope**2) + jackknife

    def of_shares(self, kind: int, weights: Array, condition: str) -> float:
        """Return the variance of a weighted mean of shares of rows by class, never zero."""
        # Four rows, half of them correct, are divided equally among the classes, see
        # `lincore.metrics.intervals.enlarged`.
        classes = np.flatnonzero(weights)
        half, count = ADDED_ROWS / 2 / len(classes), self.counts[classes]
        share = np.clip(self.means[kind, classes, self.conditions[condition]], 0, 1)
        share = (share * count + half) / (count + 2 * half)
        return float(weights[classes] ** 2 @ (share * (1 - share) / (count + 2 * half)))

    def of_few_rows(self, weights: Array) -> float:
        """Return the least variance of a weighted mean of differences of shares, never zero."""
        # As if one row of each class differed in a quarter of the splits that test it. Coverage of
        # differences: benchmarks/coverage_of_cost_differences.py.
        classes = np.flatnonzero(weights)
        return float((weights[classes] ** 2) @ (DIFFERING_ROW / self.counts[classes]) ** 2)

    def _stand_ins(self, contrast: Contrast) -> dict[str, float]:
        factors: dict[str, float] = {}
        for name, factor in contrast.items():
            model = self.models.get(name, name)
            factors[model] = factors.get(model, 0.0) + factor
        # Factors of a slope cancel up to rounding.
        least = ROUNDING * sum(map(abs, contrast.values()))
        return {name: factor for name, factor in factors.items() if abs(factor) > least}


def _as_arrays(contrast: Contrast, positions: Mapping[str, int]) -> tuple[NDArray[np.intp], Array]:
    indices = np.array([positions[name] for name in contrast], dtype=np.intp)
    return indices, np.array(list(contrast.values()), dtype=float)


def _class_mean(
    effects: Array, classes: NDArray[np.intp], positions: NDArray[np.intp], weights: Array
) -> Array:
    """Return the weighted mean over classes of effects (S, K, C) at some positions, (S, P)."""
    return np.asarray((weights @ effects[:, classes])[:, positions])


def _class_sum(
    covariance: Array, classes: NDArray[np.intp], positions: NDArray[np.intp], weights: Array
) -> Array:
    block = covariance[np.ix_(classes, positions, positions)]
    return np.asarray(np.tensordot(weights**2, block, axes=1))


class SplitLosses(NamedTuple):
    """Losses of the rows of one split.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        The test rows.
    losses : sequence of X ndarrays of shape (C, m)
        Losses of each row in every condition; errors that are counted may be bool or float32.
    softened : sequence of X ndarrays of shape (D, m)
        By every model, with softened errors.
    trained : ndarray of shape (r,)
        Training rows, see `lincore.metrics.training_variance.rows_to_predict`.
    softened_trained : sequence of X ndarrays of shape (D, r)
    """

    rows: NDArray[np.intp]
    losses: Sequence[NDArray[Any]] | Array
    softened: Sequence[Array] | Array
    trained: NDArray[np.intp]
    softened_trained: Sequence[Array] | Array


class RowSums:
    """Collects the losses of rows, split by split, for `RowVariance`.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Classes of all rows of the data.
    n_classes : int
    units : ndarray of shape (n,) or None
        Group number of each row; None if rows are independent.
    weight : ndarray of shape (n,) or None
        Sampling weights of the rows; None if all are equal.
    """

    def __init__(
        self,
        codes: NDArray[np.intp],
        n_classes: int,
        units: NDArray[np.intp] | None = None,
        weight: Array | None = None,
    ) -> None:
        self.codes, self.n_classes, self.units, self.weight = codes, n_classes, units, weight
        self.every = np.arange(len(codes))
        # One for each kind of loss.
        self.own: list[_LossSums] = []
        self.left_out: list[_LossSums] = []
        self.trained: list[_LossSums] = []

    def add(self, split: SplitLosses) -> None:
        """Add the losses of one split."""
        self._add(self.own, split.rows, split.losses)
        self._add(self.left_out, split.rows, split.softened)
        self._add(self.trained, split.trained, split.softened_trained)

    def _add(
        self, sums: list[_LossSums], rows: NDArray[np.intp], losses: Sequence[NDArray[Any]] | Array
    ) -> None:
        if not sums:
            data = self.codes, self.every, self.n_classes, self.weight
            sums += [_LossSums(*data) for _ in losses]
        for sums_of_kind, losses_of_kind in zip(sums, losses, strict=True):
            sums_of_kind.add(rows, losses_of_kind)

    def variance(
        self,
        conditions: Mapping[str, int],
        places: Mapping[str, int],
        models: Mapping[str, str],
        ratio: float,
        streamed: float = 0.0,
    ) -> RowVariance:
        """Return the result of the splits so far, see `RowVariance`.

        `places` are those of the models among the losses, as `conditions` those of the conditions.
        """
        with np.errstate(invalid="ignore"):  # of infinite losses, which have no interval
            own, left_out, trained = (
                _Statistics.stack([kind.statistics(self.units) for kind in sums])
                for sums in (self.own, self.left_out, self.trained)
            )
        by_model = ModelEffects(places, left_out.effects, trained.effects, left_out.noise)
        return RowVariance(
            conditions, models, own.counts[0], own.means, own.rows, own.effects, own.tested,
            own.chance, own.noise, by_model, ratio, streamed,
        )  # fmt: skip


class _Statistics(NamedTuple):
    """Statistics of sums, see `RowVariance`; of one kind of loss there is no axis X."""

    counts: Array  # (X, K)
    means: Array
    rows: Array
    effects: Array
    tested: Array
    chance: Array
    noise: Array

    @classmethod
    def stack(cls, by_kind: Sequence[_Statistics]) -> _Statistics:
        """Stack the statistics of all kinds of losses."""
        stacked = cls(*map(np.stack, zip(*by_kind, strict=True)))
        effects, tested = (values.swapaxes(0, 1) for values in (stacked.effects, stacked.tested))
        return stacked._replace(effects=effects, tested=tested)


class _LossSums:
    """Sums of one kind of loss (C, n) over the splits in which a row was predicted."""

    def __init__(
        self,
        codes: NDArray[np.intp],
        every: NDArray[np.intp],
        n_classes: int,
        weight: Array | None,
    ) -> None:
        self.codes, self.every, self.n_classes, self.weight = codes, every, n_classes, weight
        self.rows = np.zeros(0, dtype=np.intp)  # those predicted so far, in order
        self.splits: list[NDArray[np.intp]] = []
        self.levels: list[Array] = []
        self.sums: NDArray[Any] = np.zeros(0)
        self.squares = np.zeros(0)

    def add(self, rows: NDArray[np.intp], losses: NDArray[Any]) -> None:
        codes = self.codes[rows]
        if self.weight is not None:
            with np.errstate(invalid="ignore"):
                losses = weighted_losses(losses, codes, self.weight[rows])
        if not self.splits:
            n_conditions = len(losses)
            # A large table has many rows: counts are small, and exact in single precision.
            kind = np.uint16 if losses.dtype == bool else np.result_type(losses, np.float32)
            self.sums = np.zeros((n_conditions, 0), kind)
            self.squares = np.zeros((self.n_classes, n_conditions, n_conditions))
        self.splits.append(rows)
        self._make_room(rows)
        self.sums[:, np.searchsorted(self.rows, rows)] += losses
        levels = np.zeros((self.n_classes, len(losses)))
        with np.errstate(invalid="ignore"):
            for k in range(self.n_classes):
                own = losses[:, codes == k].astype(float)
                levels[k] = own.sum(axis=1) / max(own.shape[1], 1)
                self.squares[k] += own @ own.T
        self.levels.append(levels)

    def _make_room(self, rows: NDArray[np.intp]) -> None:
        """Add columns for rows that are predicted for the first time."""
        if len(self.rows) == len(self.codes):
            return
        every = np.union1d(self.rows, rows)
        if len(every) > SOON_ALL * len(self.codes):
            every = self.every
        if len(every) > len(self.rows):
            sums = np.zeros((len(self.sums), len(every)), self.sums.dtype)
            sums[:, np.searchsorted(every, self.rows)] = self.sums
            self.rows, self.sums = every, sums

    def statistics(self, units: NDArray[np.intp] | None) -> _Statistics:
        """Return the statistics, class by class, overwriting the sums to save memory."""
        codes, k, n_conditions = self.codes[self.rows], self.n_classes, len(self.sums)
        n_splits, times = len(self.splits), np.zeros(len(codes), dtype=np.intp)
        split_columns = [np.searchsorted(self.rows, rows) for rows in self.splits]
        for tested_rows in split_columns:
            times[tested_rows] += 1
        by_class = np.bincount(codes, times, k)
        n_tested = np.maximum(by_class, 1)
        counts, means = np.zeros(k), np.zeros((k, n_conditions))
        rows, changes = np.zeros((2, k, n_conditions, n_conditions))
        tested = np.zeros((n_splits, k, n_conditions))
        for c in range(k):
            own = np.flatnonzero((codes == c) & (times > 0))
            of_rows, root = self.sums[:, own].astype(float, copy=False), np.sqrt(times[own])
            means[c] = of_rows.sum(axis=1) / n_tested[c]
            # Single rows: variation of a row's loss between splits, minus the common effect.
            of_rows /= root
            changes[c] = self.squares[c] - of_rows @ of_rows.T
            of_rows /= root  # now means over splits
            for s, tested_rows in enumerate(split_columns):
                tested_columns = np.searchsorted(own, tested_rows[codes[tested_rows] == c])
                tested[s, c] = of_rows[:, tested_columns].sum(axis=1) / max(len(tested_columns), 1)
            of_rows -= means[c][:, None]
            of_rows *= times[own] / n_tested[c]
            counts[c], rows[c] = self._covariance(of_rows, self.rows[own], units)
        # A row's own loss is part of its mean: it must have been predicted at least twice.
        n_seen = np.bincount(codes[times > 0], minlength=k)
        repeated = by_class >= 2 * np.maximum(n_seen, 1)
        factor = np.divide(by_class, by_class - n_seen, out=np.zeros(k), where=repeated)[:, None]
        effects = np.where(repeated[:, None], (np.stack(self.levels) - tested) * factor, 0.0)
        share = np.divide(factor[:, 0], by_class, out=np.zeros(k), where=repeated)
        changes *= share[:, None, None]
        chance = changes / n_tested[:, None, None]
        a_split = by_class / n_splits
        per_row = np.divide(1, a_split - 1, out=np.zeros(k), where=a_split > 1)[:, None, None]
        deviations = np.moveaxis(effects - effects.mean(axis=0), 0, -1)
        between = deviations @ deviations.swapaxes(1, 2) / max(len(effects) - 1, 1)
        noise = (changes * factor[:, None] - between) * per_row
        return _Statistics(counts, means, rows, effects, tested, chance, noise)

    def _covariance(
        self, influence: Array, own: NDArray[np.intp], units: NDArray[np.intp] | None
    ) -> tuple[float, Array]:
        """Return the units of a class and the covariance of its means over them."""
        weight = np.ones(len(own)) if self.weight is None else self.weight[own]
        if units is not None:
            members = np.unique(units[own], return_inverse=True)[1]
            influence = influence @ (members[:, None] == np.arange(members.max(initial=-1) + 1))
            weight = np.bincount(members, weight) / np.bincount(members)
        n = influence.shape[1]
        scale = n / (n - 1) if n > 1 else np.nan
        return effective_number(weight), influence @ influence.T * scale
