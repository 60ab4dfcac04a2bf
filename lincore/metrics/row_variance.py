"""The variance of mean losses over splits that share rows, with the rows as sampling units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.row_weights import effective_number, weighted_losses
from lincore.metrics.intervals import ADDED_ROWS
from lincore.utils.typing import Array, Flags

Contrast = Mapping[str, float]

#: Variances below this share of the cancelling terms are rounding.
ROUNDING = 1e-13

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
        seen = np.flatnonzero(weights)
        weights = weights[seen]
        places, factors = _placed(contrast, self.conditions)
        covariance = _summed(self.rows[kind], seen, places, weights)
        rows = float(factors @ covariance @ factors)
        if rows <= ROUNDING * float(factors**2 @ covariance.diagonal()):
            return 0.0
        own = _effect(self.effects[:, kind], seen, places, weights) @ factors
        if not own.any():
            return (1 + self.ratio) * rows
        chance, noise = (
            float(factors @ _summed(part[kind], seen, places, weights) @ factors)
            for part in (self.chance, self.noise)
        )
        choice = max(float(own.var(ddof=1)) - noise, 0.0) / len(own) + chance
        rows = max(rows - chance, 0.0)
        models, through = _placed(self._stood_for(contrast), self.by_model.places)
        if not len(models):
            return rows + choice
        left_out, trained = (
            _effect(effects[:, kind], seen, models, weights) @ through
            for effects in (self.by_model.tested, self.by_model.trained)
        )
        tested = _effect(self.tested[:, kind], seen, places, weights) @ factors
        noise = float(through @ _summed(self.by_model.noise[kind], seen, models, weights) @ through)
        return self._trained(rows, left_out, trained, tested, noise) + choice

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
        more = 1 + self.streamed
        grown = more + self.streamed * self.ratio
        jackknife = max(product - share * noise, 0.0) / self.ratio * grown**2 / more
        slope *= grown / more
        return rows * ((1 - slope) ** 2 + self.streamed * slope**2) + jackknife

    def of_shares(self, kind: int, weights: Array, condition: str) -> float:
        """Return the variance of a weighted mean of shares of rows by class, never zero."""
        # Four rows, half of them correct, are divided equally among the classes, see
        # `lincore.metrics.intervals.enlarged`.
        seen = np.flatnonzero(weights)
        half, count = ADDED_ROWS / 2 / len(seen), self.counts[seen]
        share = np.clip(self.means[kind, seen, self.conditions[condition]], 0, 1)
        share = (share * count + half) / (count + 2 * half)
        return float(weights[seen] ** 2 @ (share * (1 - share) / (count + 2 * half)))

    def _stood_for(self, contrast: Contrast) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, factor in contrast.items():
            model = self.models.get(name, name)
            found[model] = found.get(model, 0.0) + factor
        # Factors of a slope cancel up to rounding.
        least = ROUNDING * sum(map(abs, contrast.values()))
        return {name: factor for name, factor in found.items() if abs(factor) > least}


def _placed(contrast: Contrast, places: Mapping[str, int]) -> tuple[NDArray[np.intp], Array]:
    found = np.array([places[name] for name in contrast], dtype=np.intp)
    return found, np.array(list(contrast.values()), dtype=float)


def _effect(
    effects: Array, seen: NDArray[np.intp], places: NDArray[np.intp], weights: Array
) -> Array:
    """Return the weighted mean over classes of effects (S, K, C) at some positions, (S, P)."""
    return np.asarray((weights @ effects[:, seen])[:, places])


def _summed(
    covariance: Array, seen: NDArray[np.intp], places: NDArray[np.intp], weights: Array
) -> Array:
    part = covariance[np.ix_(seen, places, places)]
    return np.asarray(np.tensordot(weights**2, part, axes=1))


class SplitLosses(NamedTuple):
    """Losses of the rows of one split.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        The test rows.
    losses : ndarray of shape (X, C, m)
        Losses of each row in every condition.
    softened : ndarray of shape (X, D, m)
        By every model, with softened errors.
    trained : ndarray of shape (r,)
        Training rows, see `lincore.metrics.training_variance.rows_to_predict`.
    softened_trained : ndarray of shape (X, D, r)
    """

    rows: NDArray[np.intp]
    losses: Array
    softened: Array
    trained: NDArray[np.intp]
    softened_trained: Array


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
        self.own, self.left_out, self.trained = (_Sums(codes, n_classes, weight) for _ in range(3))

    def add(self, split: SplitLosses) -> None:
        """Add the losses of one split."""
        self.own.add(split.rows, split.losses)
        self.left_out.add(split.rows, split.softened)
        self.trained.add(split.trained, split.softened_trained)

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
            own = self.own.found()
            left_out, trained = self.left_out.found(), self.trained.found()
            counts, rows = self._covariance(own.influence, own.times > 0)
        by_model = ModelEffects(places, left_out.effects, trained.effects, left_out.noise)
        return RowVariance(
            conditions, models, counts, own.means, rows, own.effects, own.tested, own.chance,
            own.noise, by_model, ratio, streamed,
        )  # fmt: skip

    def _covariance(self, influence: Array, seen: Flags) -> tuple[Array, Array]:
        """Return units of each class and the covariance of class means over them."""
        counts, found = [], []
        for c in range(self.n_classes):
            own = (self.codes == c) & seen
            part = influence[..., own]
            weight = np.ones(part.shape[-1]) if self.weight is None else self.weight[own]
            if self.units is not None:
                units = np.unique(self.units[own], return_inverse=True)[1]
                part = part @ (units[:, None] == np.arange(units.max(initial=-1) + 1))
                weight = np.bincount(units, weight) / np.bincount(units)
            n = part.shape[-1]
            counts.append(effective_number(weight))
            found.append(part @ part.swapaxes(1, 2) * (n / (n - 1) if n > 1 else np.nan))
        return np.array(counts, dtype=float), np.stack(found, axis=1)


class _Found(NamedTuple):
    """Statistics of sums, see `RowVariance`; times (n,) and influence (X, C, n) of rows."""

    times: NDArray[np.intp]
    means: Array
    influence: Array
    effects: Array
    tested: Array
    chance: Array
    noise: Array


class _Sums:
    """Sums of losses (X, C) over the splits in which a row was predicted."""

    def __init__(self, codes: NDArray[np.intp], n_classes: int, weight: Array | None) -> None:
        self.codes, self.n_classes, self.weight = codes, n_classes, weight
        self.splits: list[NDArray[np.intp]] = []
        self.levels: list[Array] = []
        self.sums = self.squares = np.zeros(0)

    def add(self, rows: NDArray[np.intp], losses: Array) -> None:
        members = self._members(rows)
        if self.weight is not None:
            with np.errstate(invalid="ignore"):
                losses = weighted_losses(losses, self.codes[rows], self.weight[rows])
        if not self.splits:
            n_losses, n_conditions = losses.shape[:2]
            self.sums = np.zeros((n_losses, n_conditions, len(self.codes)))
            self.squares = np.zeros((n_losses, self.n_classes, n_conditions, n_conditions))
        self.splits.append(rows)
        self.sums[..., rows] += losses
        with np.errstate(invalid="ignore"):
            self.levels.append(losses @ _shares(members))
            # One class at a time: the rows of the others are zero.
            own = losses[:, None] * members.T[:, None]
            self.squares += own @ losses[:, None].swapaxes(2, 3)

    def found(self) -> _Found:
        codes, k = self.codes, self.n_classes
        times = np.bincount(np.concatenate(self.splits), minlength=len(codes))
        by_class = np.bincount(codes, times, k)
        n_tested = np.maximum(by_class, 1)
        row_means = self.sums / np.maximum(times, 1)
        means = np.stack([self.sums[..., codes == c].sum(axis=-1) for c in range(k)], axis=1)
        means /= n_tested[:, None]
        # In place: all rows of a large table may be tested in many conditions.
        influence = means.swapaxes(1, 2)[..., codes]
        influence *= times
        np.subtract(self.sums, influence, out=influence)
        influence /= n_tested[codes]
        tested = np.stack([row_means[..., r] @ _shares(self._members(r)) for r in self.splits])
        # A row's own loss is part of its mean: it must have been predicted at least twice.
        n_seen = np.bincount(codes[times > 0], minlength=k)
        often = by_class >= 2 * np.maximum(n_seen, 1)
        grown = np.divide(by_class, by_class - n_seen, out=np.zeros(k), where=often)
        effects = np.where(often, (np.stack(self.levels) - tested) * grown, 0.0).swapaxes(2, 3)
        # Single rows: variation of a row's loss between splits, minus the common effect.
        changes = self._within(row_means)
        changes *= np.divide(grown, by_class, out=np.zeros(k), where=often)[:, None, None]
        chance = changes / n_tested[:, None, None]
        a_split = by_class / len(self.splits)
        several = np.divide(1, a_split - 1, out=np.zeros(k), where=a_split > 1)[:, None, None]
        noise = (changes * grown[:, None, None] - _covariance(effects)) * several
        return _Found(times, means, influence, effects, tested.swapaxes(2, 3), chance, noise)

    def _members(self, rows: NDArray[np.intp]) -> Flags:
        return np.asarray(self.codes[rows][:, None] == np.arange(self.n_classes))

    def _within(self, row_means: Array) -> Array:
        """Return squares and products of the rows' losses about their means, (X, K, C, C)."""
        own = [self.codes == c for c in range(self.n_classes)]
        return self.squares - np.stack(
            [self.sums[..., o] @ row_means[..., o].swapaxes(1, 2) for o in own], axis=1
        )


def _covariance(effects: Array) -> Array:
    """Return the covariance of split effects (S, X, K, C) within classes, (X, K, C, C)."""
    deviations = np.moveaxis(effects - effects.mean(axis=0), 0, -1)
    return np.asarray(deviations @ deviations.swapaxes(2, 3) / max(len(effects) - 1, 1))


def _shares(members: Flags) -> Array:
    """Return the weight of a row in the mean of its class, (m, K)."""
    return np.asarray(members / np.maximum(members.sum(axis=0), 1))
