"""Data checks shown on every page: guessed target, leakage, duplicates, groups."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lincore.checks.leakage import may_leak, predictability
from lincore.checks.train_test_duplicates import duplicates_across_split, groups_across
from lincore.data.dataset import Dataset, Split
from lincore.data.frames import count_distinct
from lincore.data.labels import MANY_NUMBERS
from lincore.data.splits import draw_rows
from lincore.utils.formatting import listed, percent

# Larger tables are sampled.
_MOST_CELLS = 1_000_000
# Multiplications allowed for the search for duplicates (a few hundredths of a second).
_COST = 5e8
# With more pixels in the training set the search would take over a second.
_MOST_PIXELS = 20_000_000
_MOST_NAMED = 3
# Relative variation that is rounding.
_NEGLIGIBLE = 1e-6


Code: TypeAlias = Literal[
    "target-guessed", "numeric-target", "leakage", "constant", "duplicates", "groups"
]


class DataFinding(NamedTuple):
    """One finding that affects the numbers of a page.

    Attributes
    ----------
    code : {"target-guessed", "numeric-target", "leakage", "constant", "duplicates", \
"groups"}
        Stable identifier.
    sentence : str
        Short, for the user; column names are not escaped.
    where : {"data", "split"}
        What to change: column roles or duplicates on the page Data, or the choice of the test set.
    """

    code: Code
    sentence: str
    where: Literal["data", "split"]


def data_checks(data: Dataset, split: Split) -> tuple[DataFinding, ...]:
    """Check for problems that bias the scores on this split or change their meaning.

    Fast enough for every page. The findings depend only on `data.digest`, the split,
    `data.target_guess` and `data.group_candidate`, so they can be cached.

    Returns
    -------
    tuple of DataFinding
        At most one of each kind, in this order: a target that was guessed from its name alone or
        with a close rival; a guessed numeric target with more than ten values, each a class;
        features that alone predict the class of 99 % of the rows, unless each class is a cluster of
        values; features that are constant within every class; more test rows with a duplicate in
        the training set than expected by chance (not searched for images with more than 20 million
        pixels); groups with rows on both sides of the split, or a column that seems to identify
        groups but is not used as such.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.sample("breast cancer")
    >>> data_checks(data, lincore.split(data))
    ()
    >>> again = data.take(np.tile(np.arange(569), 2))
    >>> [finding.code for finding in data_checks(again, lincore.split(again))]
    ['duplicates']
    """
    findings = (
        _guessed_target(data),
        _many_numbers(data),
        _leaking(data),
        constant_within_classes(data, split),
        _duplicates(data, split),
        _groups(data, split),
    )
    return tuple(finding for finding in findings if finding is not None)


def leaking_features(data: Dataset) -> tuple[str, ...]:
    """Return the features that alone predict the class of nearly every row."""
    # Pixels, words and generated data are not checked. A feature whose values form one cluster per
    # class is regarded as a good measurement.
    if not data.kind.single_features or data.truth is not None:
        return ()
    X, codes = data.X, data.codes
    most = max(1_000, _MOST_CELLS // data.n_features)
    if data.n_rows > most:
        rows = draw_rows(data.n_rows, most, seed=0)
        X, codes = X[rows], codes[rows]
    if not may_leak(codes):
        return ()
    levels = data.levels or (None,) * data.n_features
    names = zip(data.feature_names, levels, X.T, strict=True)
    return tuple(name for name, known, x in names if _leaks(x, known is not None, codes))


def _leaks(x: np.ndarray, is_category: bool, codes: np.ndarray) -> bool:
    by_order = not is_category and count_distinct(x[~np.isnan(x)]) > len(codes) / 10
    return predictability(x, codes, by_order=by_order).is_leak


def _guessed_target(data: Dataset) -> DataFinding | None:
    guess = data.target_guess
    if guess is None or not guess.rival:
        return None
    sentence = guess.question
    return DataFinding("target-guessed", sentence, "data")


def _many_numbers(data: Dataset) -> DataFinding | None:
    """Warn that each value of a numeric target is a class by default."""
    is_number = data.classes.dtype.kind == "i" and not data.bin_bounds
    if data.target_guess is None or not is_number or data.n_classes <= MANY_NUMBERS:
        return None
    sentence = (
        f"Each of the {data.n_classes} values of {data.target_name!r} is a class: bin it at a "
        "threshold or into ranges?"
    )
    return DataFinding("numeric-target", sentence, "data")


def _leaking(data: Dataset) -> DataFinding | None:
    names = leaking_features(data)
    if not names:
        return None
    shown = ", ".join(map(repr, names[:_MOST_NAMED]))
    if len(names) > _MOST_NAMED:
        shown += f" and {len(names) - _MOST_NAMED:,} more"
    each = "" if len(names) == 1 else "each "
    sentence = f"Possible target leakage: {shown} {each}alone predicts nearly every row's class."
    return DataFinding("leakage", sentence, "data")


def constant_within_classes(data: Dataset, split: Split) -> DataFinding | None:
    """Find features that some models ignore because they never vary within a class.

    Parameters
    ----------
    split : Split
        Only its training rows are checked.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.load(([[0, 1.5], [0, 2.5], [1, 2.0], [1, 3.5]], ["a", "a", "b", "b"]))
    >>> constant_within_classes(data, Split(np.arange(4), np.arange(0))).code
    'constant'
    """
    if not data.kind.single_features:
        return None
    X, codes = data.X[split.train], data.codes[split.train]
    order = np.argsort(codes, kind="stable")
    X, starts = X[order], np.flatnonzero(np.diff(codes[order], prepend=-1))
    levels = data.levels or (None,) * data.n_features
    names = [
        name
        for name, known, x in zip(data.feature_names, levels, X.T, strict=True)
        if _is_constant_within(x, starts, known is not None)
    ]
    if data.blocks is not None and names:
        scatter = data.blocks.moments.diagonal().within()
        names = [name for name in names if not scatter[data.feature_names.index(name)]]
    if not names:
        return None if data.blocks is not None else _combination_within(data, split.train)
    shown = listed([repr(name) for name in names], _MOST_NAMED)
    verb, them = ("is", "it") if len(names) == 1 else ("are", "them")
    sentence = (
        f"{shown} {verb} constant within every class, so LDA, diagonal LDA, Fisher and QDA give "
        f"{them} coefficient 0: use shrinkage (a ridge), least squares or logistic regression."
    )
    return DataFinding("constant", sentence, "data")


def _combination_within(data: Dataset, rows: NDArray[np.intp]) -> DataFinding | None:
    """Find a combination of numeric features that varies between classes only."""
    # The other columns of a one-hot encoded target are one. With too few rows there are many.
    levels = data.levels or (None,) * data.n_features
    columns = np.array([j for j, names in enumerate(levels) if names is None], dtype=np.intp)
    n_steps = len(rows) * len(columns) ** 2
    if not 2 <= len(columns) <= len(rows) - data.n_classes or n_steps > _COST:
        return None
    X = np.asarray(data.X[np.ix_(rows, columns)], dtype=np.float64)
    present, codes = np.unique(data.codes[rows], return_inverse=True)
    means = np.stack([X[codes == k].mean(axis=0) for k in range(len(present))])
    within = X - means[codes]
    spread = within.std(axis=0)
    varies = np.isfinite(spread) & (spread > 0)
    if varies.sum() < 2:
        return None
    columns, within, means = columns[varies], within[:, varies], means[:, varies]
    within, means = within / spread[varies], (means - means.mean(axis=0)) / spread[varies]
    values, vectors = np.linalg.eigh(within.T @ within / len(within))
    null = vectors[:, values <= values[-1] * _NEGLIGIBLE**2]
    between = means @ null
    if not between.size:
        return None
    direction = null @ between[np.abs(between).sum(axis=1).argmax()]
    gap = np.ptp(means @ direction)
    if gap <= _NEGLIGIBLE or np.abs(within @ direction).max() > _NEGLIGIBLE * gap:
        return None
    named = np.flatnonzero(np.abs(direction) > 1e-3 * np.abs(direction).max())
    shown = listed([repr(data.feature_names[j]) for j in columns[named]], _MOST_NAMED)
    sentence = (
        f"A combination of {shown} is constant within every class, so LDA, Fisher and QDA ignore "
        "it: use shrinkage (a ridge), least squares or logistic regression, or ignore columns that "
        "repeat the target."
    )
    return DataFinding("constant", sentence, "data")


def _is_constant_within(x: np.ndarray, starts: np.ndarray, is_category: bool) -> bool:
    """Return whether a column, or one of its level indicators, varies only between classes."""
    # Rows are sorted by class; `starts` are the first positions of the classes.
    if len(starts) < 2 or np.isnan(x).any():
        return False
    low, high = np.minimum.reduceat(x, starts), np.maximum.reduceat(x, starts)
    alone = low[low == high]  # values of the classes that have a single value
    if not is_category:
        return len(alone) == len(low) and bool(np.ptp(low) > 0)
    # One-hot encoded, each level is a column: look for one that fills some classes and no others.
    mixed = np.repeat(low != high, np.diff(starts, append=len(x)))
    own = np.setdiff1d(alone, x[mixed])
    return len(own) > 0 and bool((low != high).any() or np.ptp(low) > 0)


def _duplicates(data: Dataset, split: Split) -> DataFinding | None:
    if data.kind.is_images and len(split.train) * data.n_features > _MOST_PIXELS:
        return None
    check = duplicates_across_split(data, split, cost=_COST)
    if check.verdict == "fine":
        return None
    noun = "images" if data.kind.is_images else data.kind.rows
    share = check.values["surprising"]
    sentence = (
        f"About {percent(share)} of the test {noun} have an exact or near duplicate in the "
        "training set."
    )
    return DataFinding("duplicates", sentence, "data")


def _groups(data: Dataset, split: Split) -> DataFinding | None:
    if data.group_candidate:
        column = data.group_candidate
        sentence = f"{column!r} seems to identify groups of rows, but they are not kept together."
        return DataFinding("groups", sentence, "data")
    if data.groups is None:
        return None
    check = groups_across(data.groups, split)
    if check.verdict == "fine":
        return None
    share = check.values["shared"]
    sentence = f"{percent(share)} of the groups in the test set also have rows in the training set."
    return DataFinding("groups", sentence, "split")
