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
    noun = data.kind.rows
    codes = data.codes[split.train]
    duplicates = find_near_duplicates(train, test, noun, train_codes=codes, cost=cost)
    exact = duplicates.rows[duplicates.exact]
    contradicts = data.codes[split.test[exact]] != codes[duplicates.nearest[duplicates.exact]]
    values = {
        "exact": float(duplicates.exact.mean()),
        "near": float(duplicates.near.mean()),
        "surprising": float(duplicates.surprising.mean()),
        "searched": float(len(duplicates.rows)),
        "contradicting": float(contradicts.mean()) if len(exact) else 0.0,
    }
    name, share = "duplicates across the split", values["surprising"]
    searched = f"the {len(split.test):,} test {noun}"
    if len(duplicates.rows) < len(split.test):
        searched = f"{len(duplicates.rows):,} of {searched}, drawn at random,"
    n_contradicting = int(contradicts.sum())
    of_another = f" {n_contradicting:,} exact duplicates have another class there."
    twins = of_another if n_contradicting else ""
    if share < NOTEWORTHY or duplicates.surprising.sum() < FEWEST:
        return Check(name, values, "fine", _harmless_sentence(duplicates, noun, searched) + twins)
    verdict: Verdict = "warning" if share >= SERIOUS else "note"
    how = f"{percent(share)} of {searched} have an exact or near duplicate in the training set"
    how += f", {percent((duplicates.exact & duplicates.surprising).mean())} exactly.{twins}"
    if noun != "images":
        sentence = f"{how} Models tend to do better on these than on new {noun}."
        remedy = 'Remove duplicates, or split by group or by row order ("last") so that they stay '
        return Check(name, values, verdict, sentence, f"{remedy}on one side.")
    start = "Training and test images are nearly the same: " if verdict == "warning" else ""
    sentence = f"{start}{how} Test scores then say little about new images."
    remedy = 'Split by group (person, photograph) or by row order ("last"), so that all versions '
    return Check(name, values, verdict, sentence, f"{remedy}of an image are on one side.")


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


def _harmless_sentence(duplicates: NearDuplicates, noun: RowNoun, searched: str) -> str:
    if not duplicates.near.any():
        return f"None of {searched} has a duplicate in the training set."
    number = int(duplicates.near.sum())
    have = "has" if number == 1 else "have"
    text = f"{number:,} of {searched} {have} an exact or near duplicate in the training set"
    return text + (", as expected by chance." if noun == "rows" else ", too few to matter.")
