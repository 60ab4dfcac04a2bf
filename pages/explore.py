"""Explore: columns by class, correlations, summary, projections."""

from pages.ui.explore import columns, projections, views
from pages.ui.frame import checks_line, sidebar
from pages.ui.session.experiment import PageExperiment

DRAW = {
    "columns": columns.show_column,
    "pairs": columns.show_pair,
    "correlations": columns.show_correlations,
    "summary": columns.show_summary,
    "words": columns.show_words,
    "projections": projections.show,
}


@sidebar.fragment
def show(experiment: PageExperiment) -> None:
    """Draw the view that is chosen: nothing else on the page depends on it."""
    DRAW[views.current(experiment)](experiment)


experiment = sidebar.show("explore")
checks_line.show(experiment)
show(experiment)
