"""The part of a script about the view of Explore that is open: the calls that make its displays."""

from __future__ import annotations

from collections.abc import Sequence

from lincore.analysis.specification import Analysis
from lincore.export.scripts._code import Block
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


def explore_blocks(analysis: Analysis, calls: Sequence[str]) -> tuple[Block, ...]:
    """Return the code that prints the displays of the page Explore."""
    calls = calls or _VIEWS.get(str(analysis.view.get("explore.view")), _PROJECTIONS)
    lines = [f"print({text})" for text in calls]
    if any(text.startswith("projection.") for text in calls):
        chosen = analysis.view.get("explore.standardize")
        given = {} if chosen is None else {"standardize": literal(chosen)}
        lines.insert(0, f"projection = {call('data.projection', 'split', **given)}")
    return (Block("Exploration", "\n".join(lines), tuple(f"{text}.plot()" for text in calls)),)
