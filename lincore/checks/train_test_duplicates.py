"""Test rows with an exact or near duplicate in the training set."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lincore.checks.check import Check, Verdict
from lincore.checks.row_duplicates import COST, NearDuplicates, find_near_duplicates
from lincore.data.dataset import Dataset, Split
from lincore.data.kinds import RowNoun
from lincore.utils.formatting import percent

# Shares of the test rows that deserve a note and a warning; minimum number of rows.
NOTEWORTHY, SERIOUS, FEWEST = 0.02, 0.05, 3


def duplicates_across_split(data: Dataset, split: Split, *, cost: float = COST) -> Check:
    """Count the test rows with an exact or near duplicate in the training set.

    Duplicates bias the scores of all models upwards, especially of flexible ones. In a table of
    few, coarse columns some are expected by chance; the verdict is based on the others.

    Parameters
    ----------
    cost : float
        Maximum number of multiplications for the search.

    Returns
    -------
    Check
        Its values are shares of the examined test rows: `exact`, `near` and `surprising`; the
        number `searched`; and the share `contradicting` of exact duplicates with another class.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.sample("iris")
    >>> duplicates_across_split(data, lincore.split(data)).verdict
    'fine'
    """
    if not len(split.train) or not len(split.test):
        return Check("duplicates across the split", {}, "fine", "One side of the split is empty.")
    train, test = data.X[split.train], data.X[split.test]
    what = data.kind.rows
    found = find_near_duplicates(train, test, what, train_codes=data.codes[split.train], cost=cost)
    exact = found.rows[found.exact]
    other = data.codes[split.test[exact]] != data.codes[split.train[found.nearest[found.exact]]]
    values = {
        "exact": float(found.exact.mean()),
        "near": float(found.near.mean()),
        "surprising": float(found.surprising.mean()),
        "searched": float(len(found.rows)),
        "contradicting": float(other.mean()) if len(exact) else 0.0,
    }
    return _say(values, found, what, len(split.test), int(other.sum()))


def groups_across(groups: ArrayLike, split: Split) -> Check:
    """Check whether groups have rows on both sides of the split."""
    every = np.asarray(groups)
    tested = np.unique(every[split.test])
    shared = np.isin(tested, every[split.train])
    values = {"shared": float(shared.mean()) if len(tested) else 0.0}
    name = "groups across the split"
    if not shared.any():
        return Check(name, values, "fine", "No group has rows on both sides of the split.")
    return Check(
        name,
        values,
        "warning",
        f"{shared.sum():,} of the {len(tested):,} groups in the test set also have rows in the "
        "training set.",
        "Split by group, unless new rows will come from the same groups.",
    )


def _say(
    values: dict[str, float], found: NearDuplicates, what: RowNoun, n_test: int, contradicting: int
) -> Check:
    name, share = "duplicates across the split", values["surprising"]
    number = int(found.surprising.sum())
    searched = f"the {n_test:,} test {what}"
    if len(found.rows) < n_test:
        searched = f"{len(found.rows):,} of {searched}, drawn at random,"
    of_another = f" {contradicting:,} exact duplicates have another class there."
    twins = of_another if contradicting else ""
    if share < NOTEWORTHY or number < FEWEST:
        return Check(name, values, "fine", _harmless(found, what, searched) + twins)
    verdict: Verdict = "warning" if share >= SERIOUS else "note"
    how = f"{percent(share)} of {searched} have an exact or near duplicate in the training set"
    how += f", {percent((found.exact & found.surprising).mean())} exactly"
    if what == "images":
        start = "Training and test images are nearly the same: " if verdict == "warning" else ""
        return Check(
            name,
            values,
            verdict,
            f"{start}{how}.{twins} Test scores then say little about new images.",
            'Split by group (person, photograph) or by row order ("last"), so that all versions '
            "of an image are on one side.",
        )
    return Check(
        name,
        values,
        verdict,
        f"{how}.{twins} Models look better on these than on new {what}.",
        'Remove duplicates, or split by group or by row order ("last") so that they stay on one '
        "side.",
    )


def _harmless(found: NearDuplicates, what: RowNoun, searched: str) -> str:
    if not found.near.any():
        return f"None of {searched} has a duplicate in the training set."
    number = int(found.near.sum())
    have = "has" if number == 1 else "have"
    text = f"{number:,} of {searched} {have} an exact or near duplicate in the training set"
    return text + (", as expected by chance." if what == "rows" else ", too few to matter.")
