"""The reduction in the text on faces: one class keeps a third of its training rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lincore.data.dataset import Dataset
from lincore.data.splits import class_counts_of_test
from lincore.utils.formatting import percent, quoted

#: Training rows of each class in that text.
OF_THE_TEXT = 900


def a_third(n_rows: int) -> int:
    """Return a third of some rows, at least one.

    Examples
    --------
    >>> a_third(900), a_third(1)
    (300, 1)
    """
    return max(1, round(n_rows / 3))


class OneThird(NamedTuple):
    """The last class that can be reduced, to a third of its training rows.

    Attributes
    ----------
    code : int
        Code of the class.
    rows : int
        Its training rows now.
    test_size : float or None
        The test fraction that leaves it as many training rows as in the text; None if none does.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> OneThird.of(iris, [35, 35, 35], "stratified", 0.3)
    OneThird(code=2, rows=35, test_size=None)
    """

    code: int
    rows: int
    test_size: float | None

    @classmethod
    def of(cls, data: Dataset, counts: ArrayLike, how: str, test_size: float) -> OneThird:
        """Return the reduction, given the training rows of each class and the split."""
        counts = np.asarray(counts)
        code = int(np.flatnonzero(counts > 1)[-1])
        rows, possible = int(counts[code]), range(5, 51, 5)
        if rows == OF_THE_TEXT:
            return cls(code, rows, test_size)
        left = {
            share: data.counts[code] - class_counts_of_test(data, share / 100)[code]
            for share in (possible if how in ("stratified", "last") else ())
        }
        fitting = [share / 100 for share, n in left.items() if n == OF_THE_TEXT]
        return cls(code, rows, fitting[0] if fitting else None)

    @property
    def changes_test_size(self) -> bool:
        """True if only another test fraction leaves as many rows as in the text."""
        return self.test_size is not None and self.rows != OF_THE_TEXT

    def label(self) -> str:
        """Name the reduction, with the rows before and after it."""
        if self.test_size is None:
            return f"One class to a third: {self.rows:,} → {a_third(self.rows):,}"
        return f"As in the faces text: {OF_THE_TEXT} → {a_third(OF_THE_TEXT)}"

    def help(self, data: Dataset) -> str:
        """Describe the reduction, and what it changes elsewhere."""
        label = quoted(data.classes[self.code])
        if self.test_size is None:
            return (
                f"{label}, as in the text on faces: 900 → 300. No test fraction leaves it "
                f"{OF_THE_TEXT} training rows here, so it is a third of the available rows, for "
                "any test set."
            )
        changed = f"; the test fraction becomes {percent(self.test_size, 0)}, on every page"
        return (
            f"Training {data.kind.rows} of {label}{changed if self.changes_test_size else ''}. It "
            "remains a third for any test set."
        )
