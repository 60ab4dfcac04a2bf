"""Data and assumption checks as sentences and as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lincore.utils.formatting import listed

if TYPE_CHECKING:
    from lincore.checks.check import Check


def assumptions_finding(checks: Iterable[Check]) -> str:
    """List in one sentence the checks that need attention, warnings first.

    Parameters
    ----------
    checks : iterable of Check

    Examples
    --------
    >>> from lincore.checks.check import Check
    >>> checks = [Check("separation", {}, "note", "..."), Check("normality", {}, "fine", "...")]
    >>> assumptions_finding(checks)
    'Worth knowing: separation. The other check is fine.'
    """
    by_verdict: dict[str, list[str]] = {"warning": [], "note": [], "fine": []}
    for check in checks:
        by_verdict[check.verdict].append(check.name)
    warnings, notes, fine = by_verdict.values()
    parts = []
    if warnings:
        parts.append(f"Warning: {listed(warnings)}.")
    if notes:
        parts.append(f"Worth knowing: {listed(notes)}.")
    if not parts:
        return "No checked assumption is rejected." if fine else "Nothing was checked."
    if fine:
        rest = "check is" if len(fine) == 1 else f"{len(fine)} checks are"
        parts.append(f"The other {rest} fine.")
    return " ".join(parts)


def assumption_rows(checks: Iterable[Check]) -> list[dict[str, str]]:
    """Return one line per check, warnings first: name, verdict, finding and remedy.

    Parameters
    ----------
    checks : iterable of Check
        As `lincore.checks.assumptions` returns them.

    Returns
    -------
    list of dict
        Heading of a column to text.

    Examples
    --------
    >>> from lincore.checks.check import Check
    >>> assumption_rows([Check("conditioning", {}, "fine", "All is well.")])
    [{'Check': 'conditioning', 'Verdict': 'fine', 'Finding': 'All is well.', 'What to do': ''}]
    """
    rank = {"warning": 0, "note": 1, "fine": 2}
    return [
        {
            "Check": check.name,
            "Verdict": check.verdict,
            "Finding": check.sentence,
            "What to do": check.remedy,
        }
        for check in sorted(checks, key=lambda check: rank[check.verdict])
    ]
