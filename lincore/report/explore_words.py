"""What the projections of the training rows show, in a sentence each."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lincore.report.words import percent


def vectors_finding(shares: ArrayLike, n_rows: int) -> str:
    """Say how much of the variance the singular vectors of counted words hold.

    Parameters
    ----------
    shares : array-like of shape (k,)
    n_rows : int

    Examples
    --------
    >>> vectors_finding([0.1, 0.05, 0.02], 300)
    '3 singular vectors hold 17.0 % of the variance of 300 training rows, two of them 15.0 %.'
    """
    share = np.asarray(shares, dtype=float)
    if len(share) == 1:
        return f"One singular vector holds {percent(share[0])} of {n_rows:,} training rows."
    text = f"{len(share)} singular vectors hold {percent(share.sum())} of the variance of "
    text += f"{n_rows:,} training rows"
    return text + (f", two of them {percent(share[:2].sum())}." if len(share) > 2 else ".")


def separation_finding(
    training: ArrayLike,
    test: ArrayLike,
    n_test: int,
    *,
    rows: str = "rows",
    component: str = "component",
) -> str:
    """Say how much better Fisher's first direction separates the classes than the first component.

    Parameters
    ----------
    training, test : array-like of shape (2,)
        J of the first component and of Fisher's first direction, on rows of either part.
    n_test : int
    rows : str
        What a row is: "rows" or "pictures".
    component : str
        What a component is: "component" or "singular vector".

    Examples
    --------
    >>> separation_finding([13.4, 30.0], [21.7, 39.0], 45)
    'Along Fisher’s first direction the classes lie further apart than along the first component: J, the scatter between classes over that within them, is 30.0 against 13.4 (on 45 test rows 39.0 against 21.7).'
    """  # noqa: E501
    seen, unseen = np.asarray(training, dtype=float), np.asarray(test, dtype=float)
    apart = "no further" if seen[1] <= 1.005 * seen[0] else "further"
    text = f"Along Fisher’s first direction the classes lie {apart} apart than along the first "
    text += f"{component}: J, the scatter between classes over that within them, is "
    text += f"{criterion(seen[1])} against {criterion(seen[0])}"
    if n_test:
        text += f" (on {n_test:,} test {rows} {criterion(unseen[1])} against "
        text += f"{criterion(unseen[0])})"
    return f"{text}."


def criterion(value: float) -> str:
    """Write a value of J: three digits, or that it has no bound.

    Examples
    --------
    >>> criterion(13.354), criterion(0.00017), criterion(float("inf"))
    ('13.4', '0.00017', 'unlimited')
    """
    if not np.isfinite(value):
        return "unlimited"
    return f"{value:#.3g}" if 0.001 <= value < 1000 else f"{value:.3g}"
