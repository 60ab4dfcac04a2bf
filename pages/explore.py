"""Explore: columns by class, correlations, summary, projections."""

from pages.ui.explore import column_view, pairs, projections, summary, views
from pages.ui.session import checks_line, sidebar
from pages.ui.session.sidebar import PageExperiment

DRAW = {
    "columns": column_view.show,
    "pairs": pairs.scatter,
    "correlations": pairs.correlations,
    "summary": summary.summary,
    "words": summary.words,
    "projections": projections.show,
}


@sidebar.fragment
def show(experiment: PageExperiment) -> None:
    """Draw the view that is chosen: nothing else on the page depends on it."""
    DRAW[views.current(experiment.data)](experiment)


experiment = sidebar.show("explore")
checks_line.show(experiment)
show(experiment)
