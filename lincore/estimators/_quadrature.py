"""Integrals of piecewise constant decision rules over Gaussian classes, line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from lincore.estimators.bayes import KnownClasses
from lincore.utils.typing import Array, Codes

# Beyond 8.5 deviations a Gaussian has 2e-17 of its mass.
REACH = 8.5
# Points on a line at which decisions are evaluated before their changes are located.
SCAN = 240
# Absolute accuracy of the quadrature.
ACCURACY = 1e-7
MOST_LINES = 20_000


class Rule(NamedTuple):
    """A function of position with finitely many values."""

    label: Callable[[Array], Codes]  # maps coordinates (n, r) to codes (n,) in 0 .. m - 1.
    cost: Array  # (K, m); cost of each code if class k is true
    smooth: bool  # whether the code is known not to change back within a small distance


def integrate_over_lines(known: KnownClasses, rule: Rule, scan: int) -> tuple[float, float]:
    """Integrate the cost of a rule in one or two dimensions."""
    if known.means.shape[1] == 2:
        return _integrate_plane(known, rule, scan)
    line = Lines(known.priors[None], known.means.T, np.sqrt(known.covariances[:, 0, 0]))
    return float(line.integrate(rule, np.empty((1, 0)), scan)[0]), 0.0


class Lines(NamedTuple):
    """Gaussian classes along parallel lines: all coordinates except the last are given."""

    weights: Array  # (n, K); prior times density of the class at the given coordinates
    means: Array  # (n, K); conditional means of the last coordinate
    deviations: Array  # (K,)

    def integrate(self, rule: Rule, given: Array, n_points: int) -> Array:
        """Return the cost of the rule along each line, (n,), exact if all changes are found."""
        # Between changes the cost is a sum of normal probabilities. Changes are found between
        # neighbouring points of a scan that is spaced by the deviations of every class.
        steps = np.linspace(-REACH, REACH, max(n_points // 10, n_points // len(self.deviations)))
        scan = self.means[:, :, None] + self.deviations[:, None] * steps
        scan = np.sort(scan.reshape(len(given), -1), axis=1)

        def label(line: Codes, v: Array) -> Codes:
            return rule.label(np.column_stack([given[line], v]))

        everywhere = np.repeat(np.arange(len(given)), scan.shape[1])
        codes = label(everywhere, scan.ravel()).reshape(scan.shape)
        total = (self.weights * rule.cost[:, codes[:, -1]].T).sum(axis=1)
        line, i = np.nonzero(codes[:, :-1] != codes[:, 1:])
        ends = scan[line, i], scan[line, i + 1]
        brackets = Brackets(line, *ends, codes[line, i], codes[line, i + 1])
        for line, change, left, right in brackets.pin_down(label, rule.cost.shape[1]):
            below = ndtr((change[:, None] - self.means[line]) / self.deviations)
            saved = (rule.cost[:, left] - rule.cost[:, right]).T
            np.add.at(total, line, (self.weights[line] * saved * below).sum(axis=1))
        return total


class Brackets(NamedTuple):
    """Intervals on lines with different codes at their ends; all of shape (m,)."""

    line: Codes
    low: Array
    high: Array
    left: Codes
    right: Codes

    def pin_down(
        self, label: Callable[[Codes, Array], Codes], n_codes: int
    ) -> list[tuple[Codes, Array, Codes, Codes]]:
        """Bisect for the first change in each interval, then in the rest: line, position, codes."""
        changes = []
        line, low, high, left, right = self
        for _ in range(n_codes):
            if not len(line):
                break
            first, end, end_code = low, high, right
            for _ in range(28):
                middle = (first + end) / 2
                code = label(line, middle)
                same = code == left
                first, end = np.where(same, middle, first), np.where(same, end, middle)
                end_code = np.where(same, end_code, code)
            changes.append((line, end, left, end_code))
            unfinished = end_code != right
            line, low, high, left, right = (
                a[unfinished] for a in (line, end, high, end_code, right)
            )
        return changes


def _integrate_plane(known: KnownClasses, rule: Rule, scan: int) -> tuple[float, float]:
    """Integrate over lines in two dimensions; return the value and a bound on its error."""
    cov, means = known.covariances, known.means
    across = np.sqrt(cov[:, 0, 0])
    slope = cov[:, 0, 1] / cov[:, 0, 0]
    along = np.sqrt(cov[:, 1, 1] - slope * cov[:, 0, 1])

    def along_lines(u: Array) -> Array:
        distance = (u - means[:, 0]) / across
        weights = known.priors * np.exp(-0.5 * distance**2) / (across * np.sqrt(2 * np.pi))
        return Lines(weights, means[:, 1] + slope * (u - means[:, 0]), along).integrate(
            rule, u, scan
        )

    knots = (means[:, :1] + across[:, None] * [-REACH, -3.0, 3.0, REACH]).ravel()
    # A jagged rule is left to Monte Carlo instead of searching for its many changes.
    most = MOST_LINES if rule.smooth else MOST_LINES // 5
    return _integrate_adaptively(along_lines, np.unique(knots), most)


def _integrate_adaptively(
    function: Callable[[Array], Array], knots: Array, most: int
) -> tuple[float, float]:
    """Integrate by Gauss's rule, halving panels as long as that changes the result."""
    # Where three classes meet the integrand has kinks, and panels become small. All panels of the
    # same size are evaluated together, whereas `scipy.integrate` evaluates one at a time.
    nodes, weights = np.polynomial.legendre.leggauss(12)

    def panels(low: Array, high: Array) -> Array:
        half = (high - low) / 2
        u = (low + half)[:, None] + half[:, None] * nodes
        return half * (function(u.reshape(-1, 1)).reshape(u.shape) @ weights)

    low, high = knots[:-1], knots[1:]
    whole, total, error, lines = panels(low, high), 0.0, 0.0, 0
    while len(low):
        middle = (low + high) / 2
        halves = np.stack([panels(low, middle), panels(middle, high)])
        change = np.abs(halves.sum(axis=0) - whole)
        lines += halves.size * len(nodes)
        done = (change <= 0.01 * ACCURACY) | (lines > most)
        total, error = total + halves[:, done].sum(), error + change[done].sum()
        coarse, whole = np.r_[~done, ~done], halves[:, ~done].ravel()
        low, high = np.r_[low, middle][coarse], np.r_[middle, high][coarse]
    return float(total), float(error)
