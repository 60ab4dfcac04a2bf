"""Curves of a class-size sweep on one common grid of sizes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lincore.imbalance.losses import position
from lincore.imbalance.size_curves import CURVES, Sweep
from lincore.metrics.seed_intervals import over_seeds
from lincore.utils.typing import Array


class Grid(NamedTuple):
    """One loss of every method at every size.

    Attributes
    ----------
    sizes : ndarray of shape (A,)
        Training rows of the swept classes, increasing.
    mean, low, high : ndarray of shape (M, A)
        Over the seeds, with the 95 % interval of the mean, as far as a loss can be; NaN where
        nothing was fitted.
    """

    sizes: Array
    mean: Array
    low: Array
    high: Array


def size_grid(sweep: Sweep, loss: str = "error", kind: str = "as trained") -> Grid:
    """Return a loss of all methods, with intervals.

    Parameters
    ----------
    sweep : Sweep
    loss : str
    kind : str
        One of `lincore.imbalance.size_curves.CURVES`.

    Examples
    --------
    >>> import lincore
    >>> from lincore.imbalance.class_size_sweep import sweep
    >>> found = sweep(lincore.sample("gaussian"), "class 3", [5, 20], ["lda", "qda"], repeats=3)
    >>> grid = size_grid(found)
    >>> grid.sizes.tolist(), grid.mean.shape
    ([5.0, 20.0, 53.0], (2, 3))
    """
    k = position(sweep.loss_names, loss, "loss")
    table = sweep.losses[:, :, position(CURVES, kind, "curve"), :, k]
    grain = sweep.grain(loss)
    ends = np.array(
        [[over_seeds(cell, sweep.test_ratio, grain=grain) for cell in row] for row in table]
    )
    # Of few seeds an interval may reach beyond what a loss can be.
    low, high = ends[..., 1].clip(0), ends[..., 2].clip(0, sweep.named(loss).highest)
    return Grid(sweep.rows, ends[..., 0], low, high)
