"""Data checks shown on every page: guessed target, leakage, duplicates, groups."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from lincore.checks.leakage import classes_told, may_leak
from lincore.checks.train_test_duplicates import duplicates_across_split, groups_across
from lincore.data.dataset import Dataset, Split
from lincore.data.labels import MANY_NUMBERS, count_distinct
from lincore.data.splits import draw_rows
from lincore.utils.formatting import listed, percent

# Of more cells, rows are drawn.
_MOST_CELLS = 1_000_000
# Products of numbers that the search for duplicates may cost (a few hundredths of a second).
_COST = 5e8
# Of so many pixels in the training set a search would take a second and more.
_MOST_PIXELS = 20_000_000
_MOST_NAMED = 3


Code: TypeAlias = Literal[
    "target-guessed", "numeric-target", "leakage", "constant", "duplicates", "groups"
]


class DataFinding(NamedTuple):
    """One finding that affects the numbers of a page.

    Attributes
    ----------
    code : {"target-guessed", "numeric-target", "leakage", "constant", "duplicates", \
"groups"}
        Stable, for keys and tests.
    sentence : str
        Short, for the user; names of columns stand in it as they are in the file.
    where : {"data", "split"}
        Where to act: on the page Data (roles of columns, duplicates), or where the test set is
        chosen.
    """

    code: Code
    sentence: str
    where: Literal["data", "split"]


def data_checks(data: Dataset, split: Split) -> tuple[DataFinding, ...]:
    """Check what would bias scores on this split, or change their meaning.

    Cheap enough for every page, and to be cached: the findings follow from `data.digest`, the
    split, `data.target_guess` and `data.group_candidate`.

    Parameters
    ----------
    data : Dataset
    split : Split

    Returns
    -------
    tuple of DataFinding
        In this order, those that there are: a target that was guessed by its name alone, or with a
        close rival; a guessed target of more than ten numbers, each a class; features each of which
        alone tells the class of 99 % of the rows, unless each class is a cluster of its numbers;
        features that are constant within every class;
        test rows with a duplicate in the training set, more than chance makes (not searched for
        among images of more than 20 million pixels); groups with rows on both sides, or a
        column that seems to name groups and is not used as such.

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
    found = (
        _guessed(data),
        _many_numbers(data),
        _leaking(data),
        constant_within_classes(data, split),
        _duplicates(data, split),
        _groups(data, split),
    )
    return tuple(finding for finding in found if finding is not None)


def leaking_features(data: Dataset) -> tuple[str, ...]:
    """Return the features each of which alone tells the class of nearly every row.

    Pixels, words, and data that were generated are not judged. Numbers that form one cluster for
    each class are taken for a good measurement.
    """
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
    return classes_told(x, codes, by_order=by_order).is_leak


def _guessed(data: Dataset) -> DataFinding | None:
    guess = data.target_guess
    if guess is None or not guess.rival:
        return None
    sentence = f"Target {guess.column!r}: guessed {guess.reason}. Or is it {guess.rival!r}?"
    return DataFinding("target-guessed", sentence, "data")


def _many_numbers(data: Dataset) -> DataFinding | None:
    """Warn that each number of a target became a class by default."""
    is_number = data.classes.dtype.kind == "i" and not data.bin_bounds
    if data.target_guess is None or not is_number or data.n_classes <= MANY_NUMBERS:
        return None
    sentence = (
        f"Each of the {data.n_classes} numbers of {data.target_name!r} is a class: cut it at a "
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
    sentence = f"Possible target leakage: {shown} {each}alone tells the class of nearly every row."
    return DataFinding("leakage", sentence, "data")


def constant_within_classes(data: Dataset, split: Split) -> DataFinding | None:
    """Name the features that some models ignore, since they never vary within a class.

    Parameters
    ----------
    data : Dataset
    split : Split
        Its training rows are judged.

    Returns
    -------
    DataFinding or None

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
    if data.streamed is not None and names:
        scatter = data.streamed.diagonal().within()
        names = [name for name in names if not scatter[data.feature_names.index(name)]]
    if not names:
        return None
    shown = listed([repr(name) for name in names], _MOST_NAMED)
    verb, them = ("is", "it") if len(names) == 1 else ("are", "them")
    sentence = (
        f"{shown} {verb} constant within every class, so LDA, diagonal LDA, Fisher and QDA give "
        f"{them} coefficient 0: use shrinkage (a ridge), least squares or logistic regression."
    )
    return DataFinding("constant", sentence, "data")


def _is_constant_within(x: np.ndarray, starts: np.ndarray, is_category: bool) -> bool:
    """Return whether a column, or being one of its levels, is constant in classes and differs.

    The rows of one class are together, from `starts` on.
    """
    if len(starts) < 2 or np.isnan(x).any():
        return False
    low, high = np.minimum.reduceat(x, starts), np.maximum.reduceat(x, starts)
    alone = low[low == high]  # of the classes that have one value
    if not is_category:
        return len(alone) == len(low) and bool(np.ptp(low) > 0)
    # Coded as indicators, each level is a column: one that some classes have alone, and no other.
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
        f"About {percent(share)} of the test {noun} have a duplicate, or nearly one, in the "
        "training set."
    )
    return DataFinding("duplicates", sentence, "data")


def _groups(data: Dataset, split: Split) -> DataFinding | None:
    if data.group_candidate:
        column = data.group_candidate
        sentence = f"{column!r} seems to name groups of rows, which are not kept together."
        return DataFinding("groups", sentence, "data")
    if data.groups is None:
        return None
    check = groups_across(data.groups, split)
    if check.verdict == "fine":
        return None
    share = check.values["shared"]
    sentence = f"{percent(share)} of the groups of the test set have rows in the training set too."
    return DataFinding("groups", sentence, "split")
