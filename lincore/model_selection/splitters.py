"""Training and test rows of every split, the same for every method."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, check_cv

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import Fold, rows_by_class, split
from lincore.errors import DataError
from lincore.metrics.settings import Settings
from lincore.model_selection.fitting import TrainingSample
from lincore.utils.typing import Rows

# A word, a `Split`, a scikit-learn splitter, or pairs of training and test rows.
Scheme: TypeAlias = Any

# Row numbers of all training sets together (200 MB): leaving each of 5,000 rows out.
LARGEST_PLAN = 25_000_000

WORDS = (
    "holdout, given, last, 5-fold, 10x10-fold, leave-one-out, by-group, 5-fold by group, "
    "holdout by group"
)
_FOLDED = re.compile(r"(?:(\d+)\s*x\s*)?(\d+)-fold( by group)?")


def plan_folds(
    data: Dataset, scheme: Scheme = "holdout", seed: int = 0, *, test_size: float = 0.3
) -> list[Fold]:
    """Plan an experiment.

    Parameters
    ----------
    scheme : str, Split, int, splitter or iterable of (train, test)
        "holdout" (stratified), "given" and "last" are the splits of `lincore.split`. "5-fold" and
        "10x10-fold" (repetitions x folds) distribute the rows of each class evenly over the folds;
        a class with fewer rows than folds is missing from some test sets. "leave-one-out". "5-fold
        by group" and "holdout by group" keep the rows of a group together, with class shares as
        equal as possible; "by-group" has five folds, or fewer with fewer groups. Anything with
        scikit-learn's ``split(X, y, groups)`` works too.
    seed : int, default 0
        For the randomness of a named scheme; a splitter has its own seed.
    test_size : float, default 0.3
        Test fraction of a hold-out; by group, as close as whole groups allow.

    Returns
    -------
    list of Fold

    Raises
    ------
    DataError
        If the scheme is unknown, or not possible with the data.

    References
    ----------
    Kohavi (1995), "A study of cross-validation and bootstrap for accuracy estimation".

    Examples
    --------
    >>> import lincore
    >>> plan = plan_folds(lincore.sample("iris"), "2x5-fold", seed=1)
    >>> len(plan), plan[7].repetition, plan[7].fold, len(plan[7].train), len(plan[7].test)
    (10, 1, 2, 120, 30)
    """
    plan: Iterable[tuple[Rows, Rows]]
    if isinstance(scheme, Split):
        plan = [(scheme.train, scheme.test)]
    elif isinstance(scheme, str):
        plan = _plan_by_name(data, scheme.strip().lower(), seed, test_size)
    elif isinstance(scheme, int) and not isinstance(scheme, bool):
        plan = _plan_by_name(data, f"{scheme}-fold", seed, test_size)
    else:
        plan = _plan_by_splitter(data, scheme)
    return _number_folds(data, plan)


def default_scheme(data: Dataset, otherwise: str = "holdout") -> str:
    """Return the hold-out, by group if the data have groups."""
    return otherwise if data.groups is None else "holdout by group"


def describe(scheme: Scheme) -> str:
    """Describe a scheme, for the settings of results."""
    if isinstance(scheme, Split):
        return f"split of {len(scheme.train)} training and {len(scheme.test)} test rows"
    if isinstance(scheme, str):
        return scheme.strip().lower()
    if isinstance(scheme, int):
        return f"{scheme}-fold"
    return " ".join(repr(scheme).split())[:200] if hasattr(scheme, "split") else "given rows"


def plan_settings(data: Dataset, plan: Sequence[Fold]) -> Settings:
    """Return the settings of results that follow from a plan and its data."""
    n_tested = [len(fold.test) for fold in plan]
    shares = [TrainingSample(fold.train).shares(data) for fold in plan]
    settings = Settings(
        data=data.name,
        digest=data.digest,
        training_shares=np.average(shares, axis=0, weights=n_tested),
        class_counts=data.counts,
        rows=data.kind.rows,
    )
    tested = np.concatenate([fold.test for fold in plan])
    settings = replace(settings, row_weights=data.weights_of(tested))
    if data.groups is None:
        return settings
    groups = data.groups
    return replace(
        settings,
        row_groups=groups[tested],
        groups_divided=any(np.isin(groups[f.test], groups[f.train]).any() for f in plan),
    )


def _plan_by_name(data: Dataset, word: str, seed: int, test_size: float) -> list[tuple[Rows, Rows]]:
    if word in ("holdout", "stratified", "last", "given"):
        how = "stratified" if word == "holdout" else word
        return [split(data, how, test_size=test_size, seed=seed)]
    if word == "leave-one-out":
        return _test_each_fold(data, np.arange(data.n_rows))
    if word == "holdout by group":
        return [split(data, "group", test_size=test_size, seed=seed)]
    if word == "by-group":
        return _plan_by_group(data, min(5, _n_groups(data)), seed)
    match = _FOLDED.fullmatch(word)
    if not match:
        raise DataError(f"There is no validation {word!r}.", remedy=f"Use one of {WORDS}.")
    repetitions, k = int(match[1] or 1), int(match[2])
    by_group = bool(match[3])
    limit, unit = (_n_groups(data), "groups") if by_group else (data.n_rows, "rows")
    if not 2 <= k <= limit or repetitions < 1:
        raise DataError(
            f"{word} of {limit} {unit} is not possible.",
            where=data.name,
            remedy=f"Use 2 to {limit} folds.",
        )
    rng = np.random.default_rng(seed)
    plan: list[tuple[Rows, Rows]] = []
    for repetition in range(repetitions):
        if by_group:
            plan += _plan_by_group(data, k, seed + repetition)
        else:
            # Each class continues where the previous one ended, so that fold sizes differ by at
            # most one row, overall and in each class.
            fold = np.empty(data.n_rows, dtype=np.intp)
            order = np.concatenate(rows_by_class(data.codes, data.n_classes, rng))
            fold[order] = np.arange(data.n_rows) % k
            plan += _test_each_fold(data, fold)
    return plan


def _test_each_fold(data: Dataset, fold: Rows) -> list[tuple[Rows, Rows]]:
    """Test each fold in turn: fold (n,) holds the fold of each row."""
    n_folds = int(fold.max()) + 1
    _check_plan(data, n_folds * data.n_rows)
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(n_folds)]


def _n_groups(data: Dataset) -> int:
    if data.groups is None:
        raise DataError(
            "The data have no groups of rows that belong together.",
            where=data.name,
            remedy="Use a validation without groups, or define groups.",
        )
    return len(np.unique(data.groups))


def _plan_by_group(data: Dataset, k: int, seed: int) -> list[tuple[Rows, Rows]]:
    n_groups = _n_groups(data)
    if not 2 <= k <= n_groups:
        raise DataError(
            f"{n_groups} groups cannot be distributed over {k} folds.",
            where=data.name,
            remedy="Use fewer folds, or a validation without groups.",
        )
    try:
        return group_folds(data.codes, data.groups, k, seed)
    except ValueError as error:
        raise DataError(str(error), where=data.name, remedy="Use fewer folds.") from error


def group_folds(codes: Rows, groups: Any, k: int, seed: int) -> list[tuple[Rows, Rows]]:
    """Distribute groups of rows to folds, with classes as even as possible."""
    splitter = StratifiedGroupKFold(k, shuffle=True, random_state=seed)
    # A class with fewer rows than folds is missing from some test sets, as documented.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        return list(splitter.split(groups, codes, groups))


def _plan_by_splitter(data: Dataset, scheme: Scheme) -> list[tuple[Rows, Rows]]:
    try:
        splitter = check_cv(scheme)
        return list(splitter.split(np.zeros((data.n_rows, 1)), data.codes, data.groups))
    except (ValueError, TypeError) as error:
        raise DataError(
            f"The scheme {describe(scheme)} cannot be used: {error}", where=data.name
        ) from error


def _number_folds(data: Dataset, plan: Iterable[tuple[Rows, Rows]]) -> list[Fold]:
    """Check and number the folds: a new repetition begins when a row is tested again."""
    numbered: list[Fold] = []
    tested = np.zeros(data.n_rows, dtype=bool)
    repetition = fold = size = 0
    for train, test in plan:
        train, test = (np.sort(np.asarray(rows, dtype=np.intp)) for rows in (train, test))
        size += len(train)
        _check_plan(data, size)
        _check_fold(data, train, test)
        if tested[test].any():
            repetition, fold = repetition + 1, 0
            tested[:] = False
        tested[test] = True
        numbered.append(Fold(repetition, fold, train, test))
        fold += 1
    if not numbered:
        raise DataError("The validation has no test set.", where=data.name)
    return numbered


def _check_fold(data: Dataset, train: Rows, test: Rows) -> None:
    trained = np.zeros(data.n_rows, dtype=bool)
    trained[train] = True
    if trained[test].any():
        row = test[np.argmax(trained[test])]
        raise DataError(
            f"Row {row} is in the training and in the test set.",
            where=data.name,
            remedy="Use a validation with disjoint training and test sets.",
        )
    if not len(test) or not len(train) or np.ptp(data.codes[train]) == 0:
        raise DataError(
            "A training set needs rows of at least two classes, and a test set needs rows.",
            where=data.name,
            remedy="Use fewer folds, or another validation.",
        )


def _check_plan(data: Dataset, size: int) -> None:
    if size > LARGEST_PLAN:
        raise DataError(
            f"The training sets of this many folds would have more than {LARGEST_PLAN:,} rows in "
            f"total.",
            where=data.name,
            remedy="Use fewer folds, such as 10-fold.",
        )
