"""The cost curve: expected cost per row against the cost of missing the rarest class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.imbalance.deployment import priors_with_share
from lincore.imbalance.subsets import class_totals
from lincore.metrics.intervals import UNKNOWN, Interval
from lincore.metrics.row_variance import RowVariance
from lincore.metrics.seed_intervals import over_seeds
from lincore.utils.formatting import percent
from lincore.utils.typing import Array

#: Lines of the curve; the decision of the third depends on the ratio.
UNCORRECTED, BALANCED, MATCHED = LINES = ("uncorrected", "balanced", "matched")
#: Ratios in each decade, and how far the curve extends beyond the class ratio.
STEPS, BEYOND = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0), 2.0
#: Minimum and maximum of the last ratio, unless a larger one is requested.
LEAST_END, LARGEST_END = 10.0, 1000.0
#: Points between two ratios for the search of the break-even.
N_BETWEEN = 12


class CostRatios(NamedTuple):
    """The cost ratios of a curve: cost of a miss in units of a false alarm.

    Attributes
    ----------
    rare : int
        Code of the rarest class, whose misses cost more.
    shares : ndarray of shape (K,)
        Class shares in the file.
    class_ratio : float
        Ratio of the class sizes: the mean size of the other classes over that of the rarest.
    asked : float
        The ratio implied by prevalence and costs in deployment.
    ratios : ndarray of shape (G,)
        Increasing from one, including the two ratios above.
    """

    rare: int
    shares: Array
    class_ratio: float
    asked: float
    ratios: Array

    @property
    def share_marks(self) -> dict[str, int | None]:
        """Shares of the rarest class with names, in per cent; None is that of the file."""
        own, equal = float(self.shares[self.rare]), round(100 / len(self.shares))
        named = f"As in the file: {percent(own, 1 if own >= 0.001 else 2)}"
        return {named: None, f"Equal: {equal} %": equal}

    def per_cent(self, prevalence: str | Sequence[float]) -> int | None:
        """Return the share of the rarest class in per cent; None if it is that of the file."""
        k = len(self.shares)
        if prevalence == "equal":
            return round(100 / k)
        if isinstance(prevalence, str) or len(prevalence) != k:
            return None
        return min(max(round(100 * prevalence[self.rare]), 1), 99)

    def prevalence(self, per_cent: int | None) -> str | tuple[float, ...]:
        """Return shares with a given one of the rarest class, in per cent; None for the file's.

        The other classes share the remainder equally.
        """
        k = len(self.shares)
        if per_cent is None:
            return "file"
        if per_cent == round(100 / k):
            return "equal"
        return tuple(priors_with_share(np.full(k, 1 / k), self.rare, per_cent / 100).tolist())

    @classmethod
    def of(cls, data: Dataset, target: Array | None = None) -> CostRatios:
        """Return the ratios for a data set and the weights (K,) of class errors.

        Examples
        --------
        >>> import lincore
        >>> CostRatios.of(lincore.sample("gaussian")).ratios.tolist()
        [1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0]
        """
        totals = class_totals(data)
        shares = totals / totals.sum()
        present = np.flatnonzero(totals > 0)
        rare = int(present[totals[present].argmin()])
        odds = shares[rare] / (1 - shares[rare]) if len(present) > 1 else 1.0
        class_ratio = float(1 / (odds * max(len(present) - 1, 1)))
        class_ratio = 1.0 if np.isclose(class_ratio, 1.0) else class_ratio
        asked = class_ratio
        if target is not None and 0 < target[rare] < 1:
            asked = float(target[rare] / (1 - target[rare]) / odds)
        asked = class_ratio if np.isclose(asked, class_ratio, rtol=1e-4) else asked
        end = min(max(BEYOND * class_ratio, asked, LEAST_END), LARGEST_END)
        grid = np.outer(10.0 ** np.arange(4), STEPS).ravel()
        marks = np.array([class_ratio, asked])
        # Drop ratios close to the two above.
        grid = grid[(grid <= end) & (np.abs(np.log(grid[:, None] / marks)).min(axis=1) > 0.05)]
        return cls(rare, shares, class_ratio, asked, np.unique([1.0, *grid, *marks]))

    def class_costs(self, ratio: float) -> Array:
        """Return the cost (K,) of an error on a row of each class."""
        costs = np.ones(len(self.shares))
        costs[self.rare] = ratio
        return costs

    def priors(self) -> Array:
        """Return the priors (2 + G, K) of every decision of the curve."""
        equal = (self.shares > 0) / (self.shares > 0).sum()
        matched = [self.shares * self.class_costs(ratio) for ratio in self.ratios]
        priors = np.stack([self.shares, equal, *matched])
        return np.asarray(priors / priors.sum(axis=1, keepdims=True))

    @property
    def decisions(self) -> dict[str, int]:
        """Positions of the decisions by name."""
        names = (UNCORRECTED, BALANCED, *(matched_at(ratio) for ratio in self.ratios))
        return {name: i for i, name in enumerate(names)}

    @property
    def stand_ins(self) -> dict[str, str]:
        """The nearer of two decisions, whose split effects are used for a matched one."""
        middle = np.sqrt(self.class_ratio)
        return {
            matched_at(ratio): UNCORRECTED if ratio < middle else BALANCED for ratio in self.ratios
        }


def matched_at(ratio: float) -> str:
    """Return the name of the decision matched to a cost ratio."""
    return f"{MATCHED} to {ratio:g}"


def named_decision(method: str, decision: str) -> str:
    """Return the name of a method's decision among those of all methods."""
    return f"{method}: {decision}"


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Expected costs of one method's decisions at the class shares of the file.

    A false alarm, an error on any class but the rarest, costs one; a miss of the rarest class costs
    the ratio. All decisions use the posteriors of one model: *uncorrected*, with the learned
    priors; *balanced*, with equal priors regardless of costs; *matched*, with minimum expected
    cost. Intervals are conditional on the class counts of the file.

    Parameters
    ----------
    method : str
    costs : CostRatios
    errors : ndarray of shape (2 + G, S, K)
        Error rate of each class on the test rows, for every decision and split.
    test_ratio : float
        Test rows per training row if every split is drawn anew, otherwise zero.
    rows : RowVariance or None
        Variance of the means of all methods, estimated from rows; its conditions and models are
        named by `named_decision`. If None, it is estimated from splits.

    References
    ----------
    Drummond, Holte (2006), "Cost curves: An improved method for visualizing classifier
    performance"; Elkan (2001), "The foundations of cost-sensitive learning", theorem 1.
    """

    method: str
    costs: CostRatios
    errors: Array
    test_ratio: float
    rows: RowVariance | None

    @property
    def ratios(self) -> Array:
        """Cost ratios, shape (G,)."""
        return self.costs.ratios

    def cost(self, line: str, ratio: float) -> Interval:
        """Return the expected cost per row.

        Parameters
        ----------
        line : {"uncorrected", "balanced", "matched"}
        ratio : float
            For "matched", one of `ratios`.
        """
        return self._contrast(ratio, [(self, line, 1.0)]).within(0.0, np.inf)

    def line(self, line: str) -> Array:
        """Return the expected cost per row at every ratio with its interval, shape (G, 3)."""
        return np.array([self.cost(line, ratio) for ratio in self.ratios])

    def saving(self, ratio: float, line: str = BALANCED) -> Interval:
        """Return the saving per row of a decision compared with the uncorrected one."""
        return self._contrast(ratio, [(self, UNCORRECTED, 1.0), (self, line, -1.0)])

    def excess(self, other: CostCurve, ratio: float, line: str = MATCHED) -> Interval:
        """Return the cost per row minus that of another method with the same rule of decision.

        Parameters
        ----------
        other : CostCurve
            Curve of the same `ImbalanceCost`, so that the splits are the same.
        ratio, line
            As for `cost`.
        """
        return self._contrast(ratio, [(self, line, 1.0), (other, line, -1.0)])

    def relative_saving(self, ratio: float) -> Interval:
        """Return the saving of the balanced decision as a share of the uncorrected cost."""
        uncorrected = self.cost(UNCORRECTED, ratio).value
        share = self.saving(ratio).value / uncorrected if uncorrected > 0 else np.nan
        if not np.isfinite(share):
            return UNKNOWN
        # The interval is by the delta method.
        saved = self._contrast(ratio, [(self, UNCORRECTED, 1.0 - share), (self, BALANCED, -1.0)])
        return Interval(share, *(share + (end - saved.value) / uncorrected for end in saved[1:]))

    def break_even(self) -> Interval:
        """Return the ratio above which the balanced decision costs less than the uncorrected one.

        The interval contains the ratios at which the costs are not significantly different. NaN if
        the balanced decision does not miss fewer rows of the rarest class. An end is infinite if it
        lies beyond the curve, and one if it reaches equal costs.
        """
        at_one, at_two = (self.saving(ratio).value for ratio in (1.0, 2.0))
        slope = at_two - at_one  # saving of balancing per unit of the cost of a miss
        if not slope > 0:
            return UNKNOWN
        value = max(1.0, 1.0 - at_one / slope)
        if self.errors.shape[1] < 2:
            return Interval(value, np.nan, np.nan)
        grid = np.geomspace(1.0, self.ratios[-1], N_BETWEEN * len(self.ratios))
        ends = np.array([self.saving(ratio)[1:] for ratio in grid])
        # The saving grows with the ratio: its upper end crosses zero first, then its lower end.
        low, high = (_first_above(grid, ends[:, i]) for i in (1, 0))
        return Interval(value, min(low, value), max(high, value))

    def _contrast(self, ratio: float, contrast: Sequence[tuple[CostCurve, str, float]]) -> Interval:
        """Return the mean of a contrast of lines, also of several methods, at one ratio."""
        weights = self.costs.shares * self.costs.class_costs(ratio)
        seen = np.isfinite(self.errors[0]).all(axis=0) & (weights > 0)
        weights = np.where(seen, weights, 0.0)
        values, factors = np.zeros(self.errors.shape[1]), dict[str, float]()
        for curve, line, factor in contrast:
            if line not in LINES:
                raise KeyError(f"No line {line!r}; there are {', '.join(LINES)}.")
            decision = matched_at(ratio) if line == MATCHED else line
            errors = curve.errors[self.costs.decisions[decision]]
            values += factor * (errors[:, seen] @ weights[seen])
            factors[named_decision(curve.method, decision)] = factor
        variance = np.nan
        if self.rows is not None:
            variance = self.rows.of(0, weights, factors)
            if len(factors) == 1:
                variance = max(variance, self.rows.of_shares(0, weights, *factors))
            elif any(curve is not self for curve, _, _ in contrast):
                variance = max(variance, self.rows.of_few_rows(weights))
        return over_seeds(values, self.test_ratio, variance=variance)


def _first_above(ratios: Array, values: Array) -> float:
    """Return the ratio at which values first exceed zero, or infinity."""
    above = np.flatnonzero(values > 0)
    if not len(above):
        return np.inf
    i = int(above[0])
    if not i:
        return float(ratios[0])
    share = -values[i - 1] / (values[i] - values[i - 1])
    return float(np.exp(np.interp(share, [0, 1], np.log(ratios[i - 1 : i + 1]))))
