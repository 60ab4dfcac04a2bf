"""Coefficients as table rows: estimate, standard error, test and odds ratio."""

from __future__ import annotations

from typing import Any

import numpy as np

from lincore.inspection.coefficients import Coefficients
from lincore.utils.formatting import p_value, true_minus


def coefficient_rows(found: Coefficients, place: int) -> tuple[dict[str, Any], ...]:
    """Return one line per feature, and one for the intercept if known.

    Parameters
    ----------
    found : Coefficients
    place : int
        Index of the line of coefficients.

    Returns
    -------
    tuple of dict of column to number or text
        Without errors if unavailable; "penalised" instead of errors under a penalty.

    Examples
    --------
    >>> found = Coefficients(
    ...     ("ill against well",), ("age", "intercept"), np.array([[0.5, -2.0]]),
    ...     np.array([[1.0, np.nan]]), is_penalised=True,
    ... )
    >>> coefficient_rows(found, 0)[0]
    {'feature': 'age', 'coefficient': 0.5, 'per SD': 1.0, 'standard error': 'penalised'}
    """
    rows = []
    for j, name in enumerate(found.names):
        row: dict[str, Any] = {
            "feature": name,
            "coefficient": float(found.estimate[place, j]),
            "per SD": float(found.per_deviation[place, j]),
        }
        ratio = name != "intercept" and found.are_log_odds
        with np.errstate(over="ignore"):
            if found.error is None or found.low is None or found.high is None or found.p is None:
                if found.is_penalised:
                    row["standard error"] = "penalised"
                if ratio:
                    row["odds ratio"] = float(np.exp(row["coefficient"]))
            else:
                low, high = float(found.low[place, j]), float(found.high[place, j])
                row["standard error"] = float(found.error[place, j])
                row["95 % interval"] = _interval(low, high)
                row["p"] = p_value(float(found.p[place, j]))
                if ratio:
                    row["odds ratio"] = float(np.exp(row["coefficient"]))
                    row["its 95 % interval"] = _interval(float(np.exp(low)), float(np.exp(high)))
                elif found.are_log_odds:
                    row["its 95 % interval"] = "–"
        rows.append(row)
    return tuple(rows)


def _interval(low: float, high: float) -> str:
    # No hyphen, which begins a formula in a spreadsheet.
    return true_minus(f"{low:.3g} to {high:.3g}")
