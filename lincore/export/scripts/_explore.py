"""The part of a script about the view of Explore that is open."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block, display_blocks
from lincore.utils.code import call, literal

# Displays of each view where the page has shown none; by default those that suit all data.
_VIEWS = {
    "columns": ("data.associations()", "data.column()"),
    "pairs": ("data.pair()",),
    "correlations": ("data.correlations()",),
    "summary": ("data.columns()",),
    "words": ("data.words()",),
}
_PROJECTIONS = ("projection.variance()", "projection.pca()", "projection.fisher()")


def view_calls(analysis: Analysis) -> tuple[str, ...]:
    """Return the displays of the view that is open, by default."""
    return _VIEWS.get(str(analysis.view.get("explore.view")), _PROJECTIONS)


def explore_blocks(analysis: Analysis, calls: Sequence[str]) -> tuple[Block, ...]:
    """Return the code that prints displays of projections."""
    if not calls:
        return ()
    chosen = analysis.view.get("explore.standardize")
    given = {} if chosen is None else {"standardize": literal(chosen)}
    code = f"projection = {call('data.projection', 'split', **given)}"
    return display_blocks({"projection": ("Projections", code)}, calls)
