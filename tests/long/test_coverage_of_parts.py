"""Coverage of intervals over simulated data sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import lincore
from lincore.data import gaussian_classes


def test_intervals_of_the_parts_cover_and_are_not_too_wide():
    """Three classes of 60 rows, the third cut from 42 to 9: the seeds' variance is far too wide."""
    found: dict[str, list] = {}
    for seed in range(20):
        means = [[0.0, 0.0], [1.5, 0.0], [0.7, 1.4]]
        data = gaussian_classes(means, sizes=[60, 60, 60], seed=seed)
        study = lincore.balance(data, {"class 3": 9}, "lda", repeats=15)
        for rule, known in (("rows", study), ("seeds", replace(study, variances={}))):
            for loss in ("balanced error", "log loss"):
                parts = known.attribution("lda", loss).parts
                found.setdefault(rule, []).append([tuple(part) for part in parts.values()])
    widths = {}
    for rule, intervals in found.items():
        value, low, high = np.moveaxis(np.reshape(intervals, (20, 2, 4, 3)), 3, 0)
        truth = value.mean(axis=0)  # of 20 data sets: near enough
        assert np.mean((low <= truth) & (truth <= high)) > 0.92
        widths[rule] = np.mean((high - low).mean(axis=0) / (3.92 * value.std(axis=0, ddof=1)))
    assert widths["rows"] < 1.4 and widths["seeds"] > 2.2
