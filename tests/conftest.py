"""Fixtures that all tests share."""

from __future__ import annotations

import json
from collections.abc import Iterator

import plotly.graph_objects as go
import plotly.io
import pytest
from hypothesis import settings

from lincore.plots.base import style

# No deadlines: how long an example takes says more about the machine than about the code.
settings.register_profile("lincore", deadline=None)
settings.register_profile("ci", parent=settings.get_profile("ci"), deadline=None)
settings.load_profile("ci" if settings.get_current_profile_name() == "ci" else "lincore")


@pytest.fixture(autouse=True, scope="session")
def every_figure_is_looked_over() -> Iterator[None]:
    """Let Plotly check what every figure is made of: it must be valid, and stay as it was."""

    def sent(fig: go.Figure) -> dict:
        figure = json.loads(plotly.io.to_json(fig, validate=False))
        # Lists of nothing are left out by Plotly.
        return figure | {"layout": {k: v for k, v in figure["layout"].items() if v != []}}

    def looked_over(traces, layout) -> go.Figure:
        fig = assembled(traces, layout)
        assert sent(fig) == sent(go.Figure(list(traces), layout))
        return fig

    assembled = style.assembled
    style.assembled = looked_over
    yield
    style.assembled = assembled
