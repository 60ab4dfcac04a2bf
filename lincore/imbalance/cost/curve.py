"""The cost curve: expected cost of a row against the cost of missing the rarest class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lincore.data.dataset import Dataset
from lincore.imbalance.subsets import class_totals
from lincore.metrics.intervals import UNKNOWN, Interval
from lincore.metrics.row_variance import RowVariance
from lincore.metrics.seed_intervals import over_seeds
from lincore.utils.typing import Array

#: Lines of the curve; the third is another decision at every ratio.
UNCORRECTED, BALANCED, MATCHED = LINES = ("uncorrected", "balanced", "matched")
#: Ratios of the curve in each decade, and how far beyond the class ratio it goes.
STEPS, BEYOND = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0), 2.0
#: The curve ends here at the least, and at the most unless a larger ratio is asked about.
LEAST_END, LARGEST_END = 10.0, 1000.0
#: Between the ratios of the curve, where the break-even is looked for.
N_BETWEEN = 12


class CostRatios(NamedTuple):
    """The costs that a curve is drawn over, in false alarms.

    Attributes
    ----------
    rare : int
        Code of the rarest class, whose misses cost more.
    shares : ndarray of shape (K,)
        Of the classes in the file.
    class_ratio : float
        Where a miss of the rarest class costs as many times more as the class is rarer; of more
        than two classes, than the others are on average.
    asked : float
        The ratio that prevalence and costs in deployment amount to.
    ratios : ndarray of shape (G,)
        Increasing from one; the two above are among them.
    """

    rare: int
    shares: Array
    class_ratio: float
    asked: float
    ratios: Array

    @classmethod
    def of(cls, data: Dataset, target: Array | None = None) -> CostRatios:
        """Return the ratios for the classes of data and the weights (K,) of their errors.

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
        asked = class_ratio
        if target is not None and 0 < target[rare] < 1:
            asked = float(target[rare] / (1 - target[rare]) / odds)
        asked = class_ratio if np.isclose(asked, class_ratio, rtol=1e-4) else asked
        end = min(max(BEYOND * class_ratio, asked, LEAST_END), LARGEST_END)
        grid = np.outer(10.0 ** np.arange(4), STEPS).ravel()
        near = np.array([class_ratio, asked])
        # Beside a ratio that is asked about, no other that is nearly the same.
        grid = grid[(grid <= end) & (np.abs(np.log(grid[:, None] / near)).min(axis=1) > 0.05)]
        return cls(rare, shares, class_ratio, asked, np.unique([1.0, *grid, *near]))

    def class_costs(self, ratio: float) -> Array:
        """Return what an error on a row of each class costs, shape (K,)."""
        costs = np.ones(len(self.shares))
        costs[self.rare] = ratio
        return costs

    def priors(self) -> Array:
        """Return the priors of every decision of the curve, shape (2 + G, K)."""
        equal = (self.shares > 0) / (self.shares > 0).sum()
        matched = [self.shares * self.class_costs(ratio) for ratio in self.ratios]
        every = np.stack([self.shares, equal, *matched])
        return np.asarray(every / every.sum(axis=1, keepdims=True))

    @property
    def decisions(self) -> dict[str, int]:
        """Where the decisions lie, by name."""
        names = (UNCORRECTED, BALANCED, *(matched_at(ratio) for ratio in self.ratios))
        return {name: i for i, name in enumerate(names)}

    @property
    def stand_ins(self) -> dict[str, str]:
        """The decision whose split effects stand for those of a matched one: the nearer."""
        middle = np.sqrt(self.class_ratio)
        return {
            matched_at(ratio): UNCORRECTED if ratio < middle else BALANCED for ratio in self.ratios
        }


def matched_at(ratio: float) -> str:
    """Return the name of the decision that is matched to a ratio of costs."""
    return f"{MATCHED} to {ratio:g}"


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Expected costs of one method's decisions at the class shares of the file.

    A false alarm, that is an error on any class but the rarest, costs one; a miss of the rarest
    class costs the ratio. The decisions are of one model and its posteriors: *uncorrected*, with
    the priors that it learned; *balanced*, with equal priors whatever errors cost; *matched*, of
    least expected cost. Class counts of the file are held fixed in all intervals.

    Parameters
    ----------
    costs : CostRatios
    errors : ndarray of shape (2 + G, S, K)
        Misclassified share of each class's test rows, for every decision and split.
    test_ratio : float
        Test rows for each training row where every split is a new one, else zero.
    rows : RowVariance or None
        What the rows say about the variance of the means; without, that of the splits.

    References
    ----------
    Drummond, Holte (2006), "Cost curves: An improved method for visualizing classifier
    performance"; Elkan (2001), "The foundations of cost-sensitive learning", theorem 1.
    """

    costs: CostRatios
    errors: Array
    test_ratio: float
    rows: RowVariance | None

    @property
    def ratios(self) -> Array:
        """Ratios of the costs, shape (G,)."""
        return self.costs.ratios

    def cost(self, line: str, ratio: float) -> Interval:
        """Return the expected cost of a row.

        Parameters
        ----------
        line : {"uncorrected", "balanced", "matched"}
        ratio : float
            For "matched" one of `ratios`.
        """
        return self._of(ratio, {self._decision(line, ratio): 1.0}).within(0.0, np.inf)

    def line(self, line: str) -> Array:
        """Return the expected cost of a row at every ratio with its interval, shape (G, 3)."""
        return np.array([self.cost(line, ratio) for ratio in self.ratios])

    def saving(self, ratio: float, line: str = BALANCED) -> Interval:
        """Return by how much a decision costs less than the uncorrected one, a row."""
        return self._of(ratio, {UNCORRECTED: 1.0, self._decision(line, ratio): -1.0})

    def relative_saving(self, ratio: float, line: str = BALANCED) -> Interval:
        """Return by which share a decision lowers the uncorrected cost.

        The interval is that of the numerator's linearised ratio (delta method).
        """
        whole = self.cost(UNCORRECTED, ratio).value
        share = self.saving(ratio, line).value / whole if whole > 0 else np.nan
        if not np.isfinite(share):
            return UNKNOWN
        decision = self._decision(line, ratio)
        found = self._of(ratio, {UNCORRECTED: 1.0 - share, decision: -1.0})
        return Interval(share, *(share + (end - found.value) / whole for end in found[1:]))

    def break_even(self) -> Interval:
        """Return the ratio from which on the balanced decision costs less than the uncorrected.

        The interval holds the ratios at which neither is shown to cost less. NaN where the
        balanced decision does not miss fewer rows of the rarest class; an end is infinite where
        the interval reaches beyond the curve, and one where it reaches equal costs.
        """
        at_one, at_two = (self.saving(ratio).value for ratio in (1.0, 2.0))
        slope = at_two - at_one  # what balancing saves in misses, for each unit that they cost
        if not slope > 0:
            return UNKNOWN
        value = max(1.0, 1.0 - at_one / slope)
        if self.errors.shape[1] < 2:
            return Interval(value, np.nan, np.nan)
        places = np.geomspace(1.0, self.ratios[-1], N_BETWEEN * len(self.ratios))
        ends = np.array([self.saving(place)[1:] for place in places])
        # The saving grows with the ratio: its upper end passes zero first, then its lower end.
        low, high = (_first_above(places, ends[:, i]) for i in (1, 0))
        return Interval(value, min(low, value), max(high, value))

    def _decision(self, line: str, ratio: float) -> str:
        if line not in LINES:
            raise KeyError(f"No line {line!r}; there are {', '.join(LINES)}.")
        return matched_at(ratio) if line == MATCHED else line

    def _of(self, ratio: float, contrast: Mapping[str, float]) -> Interval:
        """Return the mean of a contrast of decisions at one ratio."""
        costs, places = self.costs, self.costs.decisions
        weights = costs.shares * costs.class_costs(ratio)
        seen = np.isfinite(self.errors[0]).all(axis=0) & (weights > 0)
        weights = np.where(seen, weights, 0.0)
        factors = np.array(list(contrast.values()))
        errors = self.errors[[places[name] for name in contrast]][..., seen]
        values = factors @ (errors @ weights[seen])
        variance = np.nan
        if self.rows is not None:
            variance = self.rows.of(0, weights, contrast)
            if len(contrast) == 1:
                variance = max(variance, self.rows.of_shares(0, weights, *contrast))
        return over_seeds(values, self.test_ratio, variance=variance)


def _first_above(places: Array, values: Array) -> float:
    """Return where values first rise above zero: the first place if they begin so, or infinity."""
    above = np.flatnonzero(values > 0)
    if not len(above):
        return np.inf
    i = int(above[0])
    if not i:
        return float(places[0])
    share = -values[i - 1] / (values[i] - values[i - 1])
    return float(np.exp(np.interp(share, [0, 1], np.log(places[i - 1 : i + 1]))))
