"""Learning curves: scores against the number of training rows, on nested subsets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import rows_by_class
from lincore.errors import DataError
from lincore.metrics import scores
from lincore.metrics.results import Results
from lincore.metrics.seed_intervals import over_seeds
from lincore.model_selection.comparison import compare
from lincore.model_selection.methods import Spec, as_methods
from lincore.model_selection.pipeline import PLAIN, Steps
from lincore.utils.displayed import display
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Progress

N_SIZES = 7
# The smallest subset is this share of the training rows, or this many rows of each class.
SMALLEST_SHARE, FEWEST_BY_CLASS = 1 / 32, 4


@dataclass(frozen=True)
class LearningCurve:
    """Results of the same methods, test rows and splits at every size of the training set.

    Parameters
    ----------
    methods : tuple of M str
    results : mapping of int to Results
        By number of training rows; the repetitions are the splits.
    test_ratio : float
        Ratio of test to training rows if splits are drawn independently, otherwise 0.
    """

    methods: tuple[str, ...]
    results: dict[int, Results]
    test_ratio: float

    def score_table(self, score: str = "accuracy") -> pd.DataFrame:
        """Return a score with its 95 % interval, a line for each method and size.

        Over several splits it is the mean with Nadeau and Bengio's interval, see
        `lincore.metrics.over_seeds`; with one split it is that of the rows, see
        `lincore.metrics.score`.

        Returns
        -------
        DataFrame
            Columns "method", "score", "training rows", "value", "low" and "high"; NaN if a method
            could not be fitted or does not have the score.

        Raises
        ------
        KeyError
            If there is no such score.
        """
        kind, intervals = scores.SCORES[score], {}
        for size, results in self.results.items():
            splits = np.column_stack([results.repetition, results.fold])
            by_split = [
                results.take((splits == split).all(axis=1)) for split in np.unique(splits, axis=0)
            ]
            for name in results.methods:
                if len(by_split) == 1:
                    interval = scores.score(by_split[0], name, score)
                else:
                    values = [scores.estimate(split, name, score).value for split in by_split]
                    interval = over_seeds(
                        np.array(values), self.test_ratio, grain=1 / len(by_split[0].truth)
                    )
                intervals[name, size] = interval.within(kind.lowest, kind.highest)
        missing = scores.Interval(np.nan, np.nan, np.nan)
        return pd.DataFrame(
            [
                (name, score, size, *intervals.get((name, size), missing))
                for name in self.methods
                for size in sorted(self.results)
            ],
            columns=["method", "score", "training rows", "value", "low", "high"],
        )

    def scores(self, **settings: Any) -> Any:
        """Return a score against the number of training rows: a `LearningCurveDisplay`."""
        return display("LearningCurveDisplay", self, **settings)

    def extrapolated(self, **settings: Any) -> Any:
        """Return the error with several times as many rows: an `ExtrapolationDisplay`."""
        return display("ExtrapolationDisplay", self, **settings)


def learning_curve(
    data: Dataset,
    methods: Spec,
    splits: Sequence[Split],
    *,
    steps: Steps = PLAIN,
    seed: int = 0,
    sizes: Iterable[int] | None = None,
    progress: Progress | None = None,
    keep: Any = None,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Fit methods on growing subsets of the training rows, evaluated on the same test rows.

    The subsets are nested and stratified (up to rounding), and drawn in a different random order in
    every split.

    Parameters
    ----------
    data : Dataset
        For a file read in blocks, only the rows in memory are used.
    methods : see `lincore.compare`
    splits : sequence of Split
        Several random splits, or a single given one.
    seed : int
        For the order of the rows, and for methods.
    sizes : iterable of int, optional
        Numbers of training rows. Default: seven sizes evenly spaced on a logarithmic scale up to
        all rows.
    progress : callable, optional
        As in `lincore.compare`; if it returns False, the finished sizes are returned.
    keep : callable, optional
        ``keep(curve)``, called after every size with the current curve.
    n_jobs : int, optional
        Processes, as in `lincore.compare`.

    Returns
    -------
    LearningCurve
        A method that could not be fitted at some size is missing there, with the reason in
        ``settings.failed`` of its results.

    Raises
    ------
    DataError
        If no method could be fitted at any size.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> splits = [lincore.split(iris, seed=seed) for seed in range(3)]
    >>> learning_curve(iris, ["lda"], splits, sizes=[15, 105]).score_table()["value"].round(2)
    0    0.96
    1    0.97
    Name: value, dtype: float64
    """
    chosen = as_methods(methods)
    if data.blocks is not None:  # streamed rows would make every subset large
        data = replace(data, blocks=None)
    orders = [_order(data, split, seed + i) for i, split in enumerate(splits)]
    most = min(map(len, orders))
    chosen_sizes = sorted({min(int(size), most) for size in sizes or _sizes(data, most)})
    drawn_anew = len({split.test.tobytes() for split in splits}) > 1
    ratio = float(np.mean([len(s.test) / len(s.train) for s in splits])) if drawn_anew else 0.0
    results_by_size: dict[int, Results] = {}
    reason: DataError | None = None
    for done, size in enumerate(chosen_sizes):
        plan = [(order[:size], split.test) for order, split in zip(orders, splits, strict=True)]
        report = None if progress is None else _within_size(progress, done, len(chosen_sizes), size)
        try:
            with captured_warnings():  # a method may fail with few rows, which the curve shows
                results = compare(
                    data,
                    chosen,
                    plan,
                    steps=steps,
                    seed=seed,
                    progress=report,
                    preselection=False,
                    n_jobs=n_jobs,
                )
        except DataError as error:
            reason = error
            continue
        if results.methods:
            results_by_size[size] = results
        curve = LearningCurve(tuple(m.name for m in chosen), dict(results_by_size), ratio)
        if results.settings.stopped:
            return curve
        if keep is not None:
            keep(curve)
    if not results_by_size and reason is not None:
        raise reason
    return LearningCurve(tuple(m.name for m in chosen), results_by_size, ratio)


def _within_size(progress: Progress, n_done: int, n_sizes: int, size: int) -> Progress:
    """Return a callback that reports progress within one size as progress over all sizes."""

    def report(done: int, total: int, label: str) -> bool | None:
        return progress(n_done * total + done, n_sizes * total, f"{size:,} training rows: {label}")

    return report


def _order(data: Dataset, split: Split, seed: int) -> NDArray[np.intp]:
    """Order the training rows so that every prefix is stratified."""
    # They are shuffled together, independent of class.
    rows = np.random.default_rng(seed).permutation(split.train)
    position = np.empty(len(rows))
    for members in rows_by_class(data.codes[rows], data.n_classes):
        # From 0, so that each class has a row before any has two.
        position[members] = np.arange(len(members)) / len(members)
    return np.asarray(rows[np.argsort(position, kind="stable")])


def _sizes(data: Dataset, most: int) -> list[int]:
    least = min(most, max(FEWEST_BY_CLASS * data.n_classes, round(most * SMALLEST_SHARE)))
    return [round(size) for size in np.geomspace(least, most, N_SIZES)]
