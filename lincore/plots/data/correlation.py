"""Correlation matrix of columns as a heat map."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from lincore.inspection.correlation import Correlations
from lincore.plots.base.palette import BAD, CLEAR, GOOD, INK
from lincore.plots.base.sentences import join
from lincore.plots.base.style import CROWDED, Trace, axis, escape, figure, shorten_all, trace
from lincore.utils.formatting import true_minus
from lincore.utils.typing import Array

TICK_WIDTH = 18
# Maximum number of columns for which cells contain numbers.
MOST_NUMBERED = 14
STRONG = 0.5
_SCALE = [[0, BAD], [0.5, "rgba(127,127,127,0.08)"], [1, GOOD]]


def correlation_matrix(correlations: Correlations, *, kind: str, subtitle: str = "") -> go.Figure:
    """Draw correlations from −1 to 1.

    Parameters
    ----------
    correlations : Correlations
    kind : str
        What they are computed from: "within classes" or "over all classes".
    subtitle : str

    Returns
    -------
    plotly.graph_objects.Figure
    """
    p = len(correlations.names)
    short = [escape(name) for name in shorten_all(correlations.names, TICK_WIDTH)]
    positions = list(range(p))
    values: Array = np.asarray(np.round(correlations.matrix, 3), dtype=np.float64)
    cells = trace(
        "heatmap",
        z=values.astype(np.float32),
        x=positions,
        y=positions,
        zmin=-1,
        zmax=1,
        colorscale=_SCALE,
        colorbar={"title": {"text": "r"}, "thickness": 12, "outlinecolor": CLEAR},
        customdata=np.array([[f"{first}<br>{second}" for first in short] for second in short]),
        hovertemplate="%{customdata}<br>r = %{z:.3f}<extra></extra>",
        xgap=1,
        ygap=1,
    )
    pair = correlations.strongest()
    title = f"Correlations {kind}"
    if pair is not None:
        first, second = shorten_all([correlations.names[i] for i in pair])
        r = true_minus(f"{correlations.matrix[pair]:.2f}")
        title += f": strongest {first} and {second}, r = {r}"
    every = -(-p // 40) or 1
    ticks: dict[str, Any] = {
        "tickvals": positions[::every],
        "ticktext": short[::every],
        "showgrid": False,
    }
    return figure(
        [cells, *(_numbers(correlations.matrix) if p <= MOST_NUMBERED else [])],
        title,
        subtitle=subtitle,
        alt=join(f"{title}.", f"Matrix of {p} columns, {correlations.n_rows:,} rows."),
        height=int(np.clip(120 + 30 * p, 320, 720)),
        xaxis=axis(**ticks, **CROWDED),
        yaxis=axis(**ticks, autorange="reversed"),
    )


def _numbers(values: Array) -> list[Trace]:
    """Return the numbers in the cells: white on strong colours, in the colour of text elsewhere."""
    # The colour of Plotly's own numbers ignores a dark page behind translucent cells.
    traces = []
    for is_strong, ink in ((True, "#FFFFFF"), (False, INK)):
        row, column = np.nonzero((np.abs(values) > STRONG) == is_strong)
        shown = values[row, column]
        traces.append(
            trace(
                "scatter",
                x=column,
                y=row,
                mode="text",
                text=[true_minus(f"{r:.2f}") if np.isfinite(r) else "" for r in shown],
                textfont={"color": ink, "size": 12},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    return traces
