"""Convergence of iterative fits, and error by iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import EDGE, method_look
from lincore.plots.base.sentences import join
from lincore.plots.base.style import LEGEND_WIDTH, Trace, axis, escape, figure, trace
from lincore.utils.formatting import capital, count, listed, number, shorten, true_minus
from lincore.utils.typing import Array

if TYPE_CHECKING:
    from lincore.linalg.optimize import OptimizerStep

# A rise in this share of the steps is reported: the learning rate is too large.
OSCILLATES = 0.25
# From this ratio of lengths, traces are drawn on a logarithmic axis.
UNEVEN = 20


def convergence(
    traces: Mapping[str, Sequence[OptimizerStep]],
    *,
    quantity: Literal["training loss", "excess", "gradient norm"] = "training loss",
    across: Literal["iteration", "seconds"] = "iteration",
) -> go.Figure:
    """Draw the traces of one or several solvers.

    Parameters
    ----------
    traces : mapping of name to trace
        Each the `trace_` of a fitted model.
    quantity : {"training loss", "excess", "gradient norm"}
        "excess" is the training loss above the least that any of them reached. This and the
        gradient norm are drawn on a logarithmic axis.
    across : {"iteration", "seconds"}

    Returns
    -------
    plotly.graph_objects.Figure
    """
    tables = {
        name: np.array(
            [(s.iteration, s.objective, s.gradient_norm, s.seconds) for s in steps], float
        ).reshape(-1, 4)
        for name, steps in traces.items()
    }
    losses = {name: table[:, 1] for name, table in tables.items()}
    finding = join(_ends(losses), oscillation(losses))
    least = min((float(np.nanmin(loss)) for loss in losses.values() if len(loss)), default=0)
    lengths = [len(table) for table in tables.values()]
    # Beside thousands of steps, a trace of few would be a vertical line.
    stretched = max(lengths, default=1) > UNEVEN * max(min(lengths, default=1), 1)
    drawn = []
    for position, (name, table) in enumerate(tables.items()):
        iteration, loss, gradient, seconds = table.T
        y = {"training loss": loss, "excess": loss - least, "gradient norm": gradient}
        x = iteration + stretched if across == "iteration" else seconds
        x = np.where(x > 0, x, np.nan) if stretched else x
        drawn.append(_trace(position, name, x, y[quantity], quantity != "training loss"))
    logarithmic = {"type": "log", "exponentformat": "power", "nticks": 6}
    unit = "iteration + 1" if stretched and across == "iteration" else across
    named = {"excess": "training loss above the least"}.get(quantity, quantity)
    return figure(
        drawn,
        f"{capital(quantity)} by {across}",
        subtitle=finding,
        alt=join(f"{capital(quantity)} against {across} of "
                 f"{count(len(tables), 'solver')}.", finding),
        height=430,
        xaxis=axis(unit, **(logarithmic | {"dtick": 1} if stretched else {})),
        yaxis=axis(named, **(logarithmic if quantity != "training loss" else {})),
    )  # fmt: skip


def error_curves(
    curves: Mapping[str, ArrayLike],
    *,
    across: str = "iteration",
    error: str = "log loss of the training rows",
) -> go.Figure:
    """Draw an error by iteration, with its final value.

    Parameters
    ----------
    curves : mapping of name to array-like of shape (t,)
        From iteration 0 on.
    across, error : str
        What the axes are.

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> figure = error_curves({"Newton": [3.3, 1.2, 0.9]}, error="error")
    >>> figure.layout.meta["title"], figure.layout.meta["subtitle"]
    ('Error by iteration', 'Newton ends at 0.9.')
    >>> error_curves({"mistakes": [4, 0]}, error="mistakes").layout.meta["subtitle"]
    'It ends with 0 mistakes.'
    """
    errors = {name: np.asarray(values, dtype=float) for name, values in curves.items()}
    ends = _ends(errors)
    if len(errors.get(error, ())):  # the name of a single curve may be what it counts
        ends = f"It ends with {_final(errors[error])} {error}."
    finding = join(ends, oscillation(errors))
    return figure(
        [
            _trace(position, name, np.arange(len(values), dtype=float), values, False)
            for position, (name, values) in enumerate(errors.items())
        ],
        f"{capital(error)} by {across}",
        subtitle=finding,
        alt=join(f"{capital(error)} against {across} of "
                 f"{count(len(errors), 'curve')}.", finding),
        height=430,
        xaxis=axis(across),
        yaxis=axis(error),
    )  # fmt: skip


def oscillation(curves: Mapping[str, Array]) -> str:
    """Name the curves that rise in at least a quarter of their steps; "" if there are none."""
    phrases = []
    for name, values in curves.items():
        steps = np.diff(values[np.isfinite(values)])
        noise = 1e-9 * np.abs(values[np.isfinite(values)]).max(initial=0.0)
        rises = int(np.count_nonzero(steps > noise))
        if len(steps) > 2 and rises >= OSCILLATES * len(steps):
            phrases.append(f"{name} oscillates: it rises in {rises:,} of {len(steps):,} steps.")
    return " ".join(phrases[:3])


def _ends(curves: Mapping[str, Array]) -> str:
    phrases = [
        f"{shorten(name)} ends at {_final(values)}"
        for name, values in curves.items()
        if len(values)
    ]
    return f"{listed(phrases, most=4)}." if phrases else ""


def _final(values: Array) -> str:
    """Format the last value with six digits, as the source texts do."""
    value = float(values[-1])
    return number(value) if not np.isfinite(value) else true_minus(f"{value:.6g}")


def _trace(position: int, name: str, x: Array, y: Array, positive: bool) -> Trace:
    hue, dash, shape = method_look(position)
    shown = np.where(y > 0, y, np.nan) if positive else y
    return trace(
        "scatter",
        x=np.asarray(x, dtype=np.float32),
        y=np.asarray(shown, dtype=np.float32),
        mode="lines+markers" if len(x) <= 60 else "lines",
        name=escape(shorten(name, LEGEND_WIDTH)),
        showlegend=True,
        line={"color": hue, "width": 2.2, "dash": dash},
        marker={"symbol": shape, "size": 7, "line": {"color": EDGE, "width": 1}},
        meta=[escape(name)],
        hovertemplate="<b>%{meta[0]}</b><br>%{x:.4~g}: %{y:.6~g}<extra></extra>",
    )
