"""Results of a class-size sweep: learning curves by class size, and their crossings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.imbalance.losses import Loss, named_loss, position, study_losses
from lincore.metrics.scores import LEVEL
from lincore.metrics.seed_intervals import less, over_seeds
from lincore.metrics.settings import Settings
from lincore.utils.displayed import display
from lincore.utils.typing import Array, Flags

# With R the rows of a size and F all rows, both with class weights and priors as in `attribution`.
CURVES = ("as trained", "corrected priors", "rarer", "rarer, corrected priors")


class SizeCurve(NamedTuple):
    """One loss of one method over the sizes."""

    sizes: Array  # (A,); training rows of the swept classes, increasing
    mean: Array  # (A,)
    # `low`, `high`: the central 80 % of the seeds
    low: Array  # (A,)
    high: Array  # (A,)


class Crossing(NamedTuple):
    """A crossing of two curves that is significant on both sides."""

    size: float  # training rows of the swept classes
    # `below`, `above`: the better method at smaller and at larger sizes
    below: str
    above: str
    # The largest size below and the smallest size above at which the difference is significant
    clear: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Sweep:
    """Losses at every size of some classes, for every method and seed.

    Parameters
    ----------
    classes : ndarray of shape (K,)
        The labels.
    swept : tuple
        Labels of the classes whose size changes.
    sizes : ndarray of shape (A, K)
        Training rows of each class, increasing up to all.
    methods : tuple of M str
    loss_names : tuple of L str
    losses : ndarray of shape (M, A, 4, S, L)
        The third axis is `CURVES`: L(R, πR, πR), L(R, πR, πF), L(F, πR, πR) and L(F, πR, πF). The
        last two show the effect of the class shares alone, without noise from the choice of rows.
        For methods not fitted from moments, these and sizes off the coarser grid are NaN.
    seeds : ndarray of shape (S,)
    test_ratio : float
        See `lincore.metrics.seed_intervals.over_seeds`.
    failures : mapping of str to str
        Methods that could not be fitted at some size (NaN), with the reason.
    settings : Settings
    n_test : int
        Number of test rows; zero if unknown.
    """

    classes: NDArray[Any]
    swept: tuple[Any, ...]
    sizes: NDArray[np.intp]
    methods: tuple[str, ...]
    loss_names: tuple[str, ...]
    losses: Array
    seeds: NDArray[np.intp]
    test_ratio: float
    failures: Mapping[str, str] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    n_test: int = 0

    def curves(self, **settings: Any) -> Any:
        """Return a loss of every method over the sizes: a `SweepDisplay`."""
        return display("SweepDisplay", self, **settings)

    @property
    def rows(self) -> Array:
        """Mean training rows of the swept classes at each size, shape (A,)."""
        positions = [self.classes.tolist().index(label) for label in self.swept]
        return np.asarray(self.sizes[:, positions].mean(axis=1))

    def test_ratios(self, kind: str) -> Array:
        """Return `test_ratio` at every size of a curve, shape (A,)."""
        if kind not in CURVES[:2]:  # fitted to all rows
            return np.full(len(self.sizes), self.test_ratio)
        # Draws of n of N rows have n²/N in common: if only some classes are reduced, the training
        # sets of two seeds overlap relatively more. See docs/coverage.md.
        shared = (self.sizes**2 / self.sizes[-1].clip(1)).sum(axis=1) / self.sizes.sum(axis=1) ** 2
        return np.asarray(self.test_ratio * shared / shared[-1])

    @property
    def is_filled(self) -> Flags:
        """Mask (A,) of the sizes fitted so far."""
        trained = self.losses[:, :, position(CURVES, "as trained", "curve")]
        return np.asarray((~np.isnan(trained)).any(axis=(0, 2, 3)))

    def curve(self, method: str, loss: str = "error", kind: str = "as trained") -> SizeCurve:
        """Return mean and band over the seeds, without sizes that were not fitted.

        Parameters
        ----------
        kind : str
            One of `CURVES`, or "prior shift" or "majority bias": the parts of the attribution for
            all rows, L(F, πR, πR) - L(F, πR, πF) and L(F, πR, πF) - L(F, πF, πF).

        Raises
        ------
        KeyError
            If a name is unknown.
        """
        values = self._values(method, loss, kind)
        seen = ~np.isnan(values).any(axis=1)
        values = values[seen]
        with np.errstate(invalid="ignore"):  # log losses may be infinite
            low, high = np.quantile(values, [0.1, 0.9], axis=1)
        return SizeCurve(self.rows[seen], values.mean(axis=1), low, high)

    def crossings(self, loss: str = "error") -> tuple[Crossing, ...]:
        """Return the sizes at which the order of two methods changes.

        Only crossings at which the paired difference is significant at some size on either side are
        returned, because curves that nearly coincide cross by chance. The intervals have
        simultaneous 95 % coverage over all sizes (Bonferroni).
        """
        crossings = []
        for i, first in enumerate(self.methods):
            for second in self.methods[i + 1 :]:
                crossings += self._crossings_of(first, second, loss)
        return tuple(sorted(crossings))

    def _crossings_of(self, first: str, second: str, loss: str) -> list[Crossing]:
        better = -1.0 if self.named(loss).greater_is_better else 1.0
        kind = "as trained"
        gap = better * less(self._values(first, loss, kind), self._values(second, loss, kind))
        rows = self.rows
        seen = np.flatnonzero(~np.isnan(gap).any(axis=1))
        level = 1 - (1 - LEVEL) / max(1, len(seen))
        ratios = self.test_ratios(kind)
        intervals = [over_seeds(gap[i], ratios[i], level, grain=self.grain(loss)) for i in seen]
        clear = [
            (i, float(np.sign(interval.value)))
            for i, interval in zip(seen, intervals, strict=True)
            if interval.low > 0 or interval.high < 0
        ]
        with np.errstate(invalid="ignore"):  # of infinite losses, which are never clear
            mean = gap.mean(axis=1)
        crossings = []
        for (a, before), (b, after) in zip(clear, clear[1:], strict=False):
            if before != after:
                between = seen[(seen >= a) & (seen <= b) & np.isfinite(mean[seen])]
                # The last sign change of the mean, interpolated linearly over the log size like the
                # plotted curves.
                gaps = before * mean[between]
                i = int(np.flatnonzero(gaps > 0)[-1])
                share = gaps[i] / (gaps[i] - gaps[i + 1])
                low, high = np.log(rows[between[i : i + 2]])
                size = float(np.exp((1 - share) * low + share * high))
                names = (second, first) if before > 0 else (first, second)
                crossings.append(Crossing(size, *names, (float(rows[a]), float(rows[b]))))
        return crossings

    def grain(self, loss: str) -> float:
        """Return the change of a loss by one test row; see `over_seeds`."""
        return self.named(loss).grain(self.sizes[-1], self.n_test)

    def named(self, loss: str) -> Loss:
        """Return a loss by name."""
        return named_loss(loss, study_losses(self.classes))

    def _values(self, method: str, loss: str, kind: str) -> Array:
        """Return (A, S) losses, or differences of them."""
        i = position(self.methods, method, "method")
        k = position(self.loss_names, loss, "loss")
        table = self.losses[i, :, :, :, k]
        if kind == "prior shift":
            return less(table[:, 2], table[:, 3])
        if kind == "majority bias":
            return less(table[:, 3], table[-1, 3])
        return np.asarray(table[:, position(CURVES, kind, "curve")])


class Grid(NamedTuple):
    """One loss of every method at every size.

    Attributes
    ----------
    sizes : ndarray of shape (A,)
        Training rows of the swept classes, increasing.
    mean, low, high : ndarray of shape (M, A)
        Mean over the seeds with its 95 % interval, clipped to possible values; NaN if not fitted.
    """

    sizes: Array
    mean: Array
    low: Array
    high: Array


def size_grid(sweep: Sweep, loss: str = "error", kind: str = "as trained") -> Grid:
    """Return a loss of all methods, with intervals.

    Parameters
    ----------
    kind : str
        One of `lincore.imbalance.size_curves.CURVES`.

    Examples
    --------
    >>> import lincore
    >>> from lincore.imbalance.class_size_sweep import sweep
    >>> curves = sweep(lincore.sample("gaussian"), ["class 3"], [5, 20], ["lda", "qda"], repeats=3)
    >>> grid = size_grid(curves)
    >>> grid.sizes.tolist(), grid.mean.shape
    ([5.0, 20.0, 53.0], (2, 3))
    """
    k = position(sweep.loss_names, loss, "loss")
    table = sweep.losses[:, :, position(CURVES, kind, "curve"), :, k]
    grain, ratios = sweep.grain(loss), sweep.test_ratios(kind)
    ends = np.array(
        [
            [over_seeds(v, ratio, grain=grain) for v, ratio in zip(row, ratios, strict=True)]
            for row in table
        ]
    )
    # With few seeds an interval may exceed the possible values.
    low, high = ends[..., 1].clip(0), ends[..., 2].clip(0, sweep.named(loss).highest)
    return Grid(sweep.rows, ends[..., 0], low, high)
