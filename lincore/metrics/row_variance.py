"""The variance of mean losses over splits that share rows, with the rows as sampling units."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.data.row_weights import effective_number
from lincore.utils.typing import Array, Flags

Contrast = Mapping[str, float]

#: Variances below this share of those that cancel in them are rounding.
ROUNDING = 1e-13

#: What a row adds as training row is rarely more, for each unit that it adds as test row.
LIKELY_SLOPE = 0.5


class RowVariance(NamedTuple):
    """Variance of one method's mean losses over splits, with the rows as sampling units.

    A mean over splits is a sum over rows: each row adds its own loss, averaged over the splits in
    which it was tested, and each changes the models that it trains. Class sizes are held fixed.

    - Choice: with the same rows other splits give another mean, by the variance of its terms over
      their number. A term is the split effect, how much higher the losses of a split are than the
      same rows' means over all splits. What single rows add to it is in the rows' means already.
    - Test rows: the squares of what each row adds to the mean loss of its class, about that mean
      and summed over rows (the sandwich estimate), less the choice. Groups count as one unit.
    - Training rows: splits that leave out m of n rows are a delete-m jackknife: the variance of
      split effects (less what single rows add to it) times (n - m) / m.
    - Sampling weights: a row adds to the weighted mean of its class in proportion to its weight
      (`weighted_losses`). What the classes weigh is held fixed, as their sizes are.
    - A row that is easy to predict also makes others easy, or hard: by the sign that leaving out
      has, minus the slope of split effects over the means of their test rows, times (n - m) / m,
      is what a row adds as training row for each unit that it adds as test row. The jackknife is
      of what the slope leaves.

    Models of random subsets vary with the choice as well. Split effects of the training rows are
    therefore taken from models of all training rows, weighted to the shares of the subset, that
    stand for them (`models`). Where these cancel, the choice is nearly all.

    Split effects are few and noisy, above all those of a difference, where most of both cancels.
    Their slope is weighted by its precision against none, give or take a half. The jackknife of a
    difference is weighted, as the rows' variance to its own standard error, against what Nadeau
    and Bengio expect, the rows' variance times the ratio of test to training rows.

    Attributes
    ----------
    conditions : mapping of str to int
        Where the C conditions stand.
    models : mapping of str to str
        The condition whose split effects stand for those of a condition; itself if not named.
    counts : ndarray of shape (K,)
        Rows (or groups) of each class that were tested; of unequal weights as many of equal weight
        as say as much (Kish).
    means : ndarray of shape (X, K, C)
        Of X losses by class, over the splits.
    rows : ndarray of shape (X, K, C, C)
        Covariance of these means over the choice of test rows.
    effects, tested : ndarray of shape (S, X, K, C)
        Split effects, and means of the test rows' means over all splits.
    chance, noise : ndarray of shape (X, K, C, C)
        What single rows, whose losses change from model to model, add to the covariance of the
        means over all splits, and of split effects.
    ratio : float
        Test rows for each training row.

    References
    ----------
    Efron, Stein (1981), "The jackknife estimate of variance"; Shao, Wu (1989), "A general theory
    for jackknife variance estimation", section 2; Nadeau, Bengio (2003), "Inference for the
    generalization error", section 4.
    """

    conditions: Mapping[str, int]
    models: Mapping[str, str]
    counts: Array
    means: Array
    rows: Array
    effects: Array
    tested: Array
    chance: Array
    noise: Array
    ratio: float

    def of(self, kind: int, weights: Array, contrast: Contrast) -> float:
        """Return the variance of a weighted mean over classes of a contrast of conditions.

        Parameters
        ----------
        kind : int
            Which of the X losses.
        weights : ndarray of shape (K,)
            Of the classes; those of weight zero are not looked at.
        contrast : mapping of condition to coefficient

        Returns
        -------
        float
            Zero where rows make no difference but by rounding.
        """
        seen = np.flatnonzero(weights)
        weights = weights[seen]
        places, factors = self._placed(contrast)
        covariance = self._summed(self.rows[kind], seen, places, weights)
        rows = float(factors @ covariance @ factors)
        if rows <= ROUNDING * float(factors**2 @ covariance.diagonal()):
            return 0.0
        effects = weights @ self.effects[:, kind][:, seen]
        own = effects[:, places] @ factors
        if not own.any():
            return (1 + self.ratio) * rows
        chance, noise = (
            float(factors @ self._summed(part[kind], seen, places, weights) @ factors)
            for part in (self.chance, self.noise)
        )
        choice = max(float(own.var(ddof=1)) - noise, 0.0) / len(own) + chance
        rows = max(rows - chance, 0.0)
        models, through = self._placed(self._stood_for(contrast))
        if not len(models):
            return rows + choice
        noise = float(through @ self._summed(self.noise[kind], seen, models, weights) @ through)
        tested = weights @ self.tested[:, kind][:, seen][..., places] @ factors
        is_level = abs(factors.sum()) > ROUNDING * np.abs(factors).sum()
        return self._trained(rows, effects[:, models] @ through, tested, noise, is_level) + choice

    def _trained(
        self, rows: float, effect: Array, tested: Array, noise: float, is_level: bool
    ) -> float:
        """Return the variance due to rows that are tested, and train."""
        n = len(effect) - 1
        effect, tested = effect - effect.mean(), (tested - tested.mean()) * self.ratio
        slope, squares = 0.0, float(tested @ tested)
        if squares > 0:
            slope = float(effect @ tested) / squares
            left = effect - slope * tested
            slope /= 1 + float(left @ left) / (n * squares * LIKELY_SLOPE**2)
        left = effect - slope * tested
        apart = (float(left @ left) / n - noise) / self.ratio
        if not is_level and noise > 0:
            weight = rows / (rows + sqrt(2 / n) * noise / self.ratio)
            apart = weight * apart + (1 - weight) * self.ratio * rows
        return rows * (1 - slope) ** 2 + max(apart, 0.0)

    def of_shares(self, kind: int, weights: Array, condition: str) -> float:
        """Return the variance of a weighted mean of shares of rows by class, never zero.

        Each share is taken as two rows more were right and two wrong (Agresti and Coull 1998).
        """
        seen = np.flatnonzero(weights)
        count = self.counts[seen]
        share = np.clip(self.means[kind, seen, self.conditions[condition]], 0, 1)
        share = (share * count + 2) / (count + 4)
        return float(weights[seen] ** 2 @ (share * (1 - share) / count))

    def _stood_for(self, contrast: Contrast) -> dict[str, float]:
        found: dict[str, float] = {}
        for name, factor in contrast.items():
            model = self.models.get(name, name)
            found[model] = found.get(model, 0.0) + factor
        # Factors of a slope cancel but for rounding.
        least = ROUNDING * sum(map(abs, contrast.values()))
        return {name: factor for name, factor in found.items() if abs(factor) > least}

    def _placed(self, contrast: Contrast) -> tuple[NDArray[np.intp], Array]:
        places = np.array([self.conditions[name] for name in contrast], dtype=np.intp)
        return places, np.array(list(contrast.values()), dtype=float)

    @staticmethod
    def _summed(
        covariance: Array, seen: NDArray[np.intp], places: NDArray[np.intp], weights: Array
    ) -> Array:
        part = covariance[np.ix_(seen, places, places)]
        return np.asarray(np.tensordot(weights**2, part, axes=1))


class RowSums:
    """Collects the losses of test rows, split by split, for `RowVariance`.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Classes of all rows of the data.
    n_classes : int
    units : ndarray of shape (n,) or None
        Rows of the same number belong together; None where each stands for itself.
    weight : ndarray of shape (n,) or None
        Sampling weights of the rows; None where all count the same.
    """

    def __init__(
        self,
        codes: NDArray[np.intp],
        n_classes: int,
        units: NDArray[np.intp] | None = None,
        weight: Array | None = None,
    ) -> None:
        self.codes, self.n_classes, self.units, self.weight = codes, n_classes, units, weight
        self.splits: list[NDArray[np.intp]] = []
        self.levels: list[Array] = []
        self.sums = self.squares = np.zeros(0)

    def add(self, rows: NDArray[np.intp], losses: Array) -> None:
        """Enter the losses (X, C, m) of the test rows (m,) of one split."""
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
            # A class at a time: the rows of the others are zero.
            own = losses[:, None] * members.T[:, None]
            self.squares += own @ losses[:, None].swapaxes(2, 3)

    def variance(
        self, conditions: Mapping[str, int], models: Mapping[str, str], ratio: float
    ) -> RowVariance:
        """Return what is known after the splits so far."""
        with np.errstate(invalid="ignore"):  # of infinite losses, which have no interval
            return self._variance(conditions, models, ratio)

    def _variance(
        self, conditions: Mapping[str, int], models: Mapping[str, str], ratio: float
    ) -> RowVariance:
        codes, k = self.codes, self.n_classes
        times = np.bincount(np.concatenate(self.splits), minlength=len(codes))
        by_class = np.bincount(codes, times, k)
        n_tested = np.maximum(by_class, 1)
        row_means = self.sums / np.maximum(times, 1)
        means = np.stack([self.sums[..., codes == c].sum(axis=-1) for c in range(k)], axis=1)
        means /= n_tested[:, None]
        influence = (self.sums - means.swapaxes(1, 2)[..., codes] * times) / n_tested[codes]
        counts, rows = self._covariance(influence, times > 0)
        tested = np.stack([row_means[..., r] @ _shares(self._members(r)) for r in self.splits])
        # A row's own loss is part of its mean: not much is known before it was tested twice.
        n_seen = np.bincount(codes[times > 0], minlength=k)
        often = by_class >= 2 * np.maximum(n_seen, 1)
        grown = np.divide(by_class, by_class - n_seen, out=np.zeros(k), where=often)
        effects = np.where(often, (np.stack(self.levels) - tested) * grown, 0.0).swapaxes(2, 3)
        # Single rows change by what a row's loss varies between splits, less what all rows share.
        changes = self._within(row_means, times)
        changes *= np.divide(grown, by_class, out=np.zeros(k), where=often)[:, None, None]
        chance = changes / n_tested[:, None, None]
        a_split = by_class / len(self.splits)
        several = np.divide(1, a_split - 1, out=np.zeros(k), where=a_split > 1)[:, None, None]
        noise = (changes * grown[:, None, None] - _covariance(effects)) * several
        tested = tested.swapaxes(2, 3)
        return RowVariance(
            conditions, models, counts, means, rows, effects, tested, chance, noise, ratio
        )

    def _members(self, rows: NDArray[np.intp]) -> Flags:
        return np.asarray(self.codes[rows][:, None] == np.arange(self.n_classes))

    def _within(self, row_means: Array, times: NDArray[np.intp]) -> Array:
        """Return squares and products of the rows' losses about their means, (X, K, C, C)."""
        weighted = row_means * times
        own = [self.codes == c for c in range(self.n_classes)]
        return self.squares - np.stack(
            [weighted[..., o] @ row_means[..., o].swapaxes(1, 2) for o in own], axis=1
        )

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


def weighted_losses(rows: Array, truth: NDArray[np.intp], weight: Array) -> Array:
    """Return losses whose mean over the rows of a class is the weighted mean of these.

    A row is moved from the weighted mean of its class by its weight, relative to the mean weight in
    the class: then the variance over rows is that of the weighted mean as well.

    Parameters
    ----------
    rows : ndarray of shape (..., m)
    truth : ndarray of shape (m,)
        Codes.
    weight : ndarray of shape (m,)

    Examples
    --------
    >>> found = weighted_losses(np.array([[0.0, 1.0]]), np.array([0, 0]), np.array([3.0, 1.0]))
    >>> found.tolist(), float(found.mean())
    ([[-0.125, 0.625]], 0.25)
    """
    number, total = np.bincount(truth), np.bincount(truth, weight)
    relative = weight * (number[truth] / total[truth])
    members = truth[:, None] == np.arange(len(number))
    means = ((rows * weight) @ members)[..., truth] / total[truth]
    return np.asarray(means + relative * (rows - means))


def _covariance(effects: Array) -> Array:
    """Return the covariance of split effects (S, X, K, C) within classes, (X, K, C, C)."""
    deviations = np.moveaxis(effects - effects.mean(axis=0), 0, -1)
    return np.asarray(deviations @ deviations.swapaxes(2, 3) / max(len(effects) - 1, 1))


def _shares(members: Flags) -> Array:
    """Return what a row weighs in the mean of its class, (m, K)."""
    return np.asarray(members / np.maximum(members.sum(axis=0), 1))
