"""Convergence of iterative fits, and error by iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from lincore.plots.base.palette import EDGE, method_look
from lincore.plots.base.sentences import join
from lincore.plots.base.style import LEGEND_WIDTH, Trace, axis, escape, figure, trace
from lincore.utils.formatting import capital, count, listed, number, shorten, true_minus
from lincore.utils.typing import Array

# A rise in this share of the steps is reported: the learning rate is too large.
OSCILLATES = 0.25
# From this ratio of lengths, traces are drawn on a logarithmic axis.
UNEVEN = 20


class ConvergenceStep(Protocol):
    """One line of a trace, as `lincore.linalg.optimize.OptimizerStep`."""

    @property
    def iteration(self) -> int:
        """Number of the iteration, from 0."""

    @property
    def objective(self) -> float:
        """Value of the objective."""

    @property
    def gradient_norm(self) -> float:
        """As the stopping rule measures it."""

    @property
    def seconds(self) -> float:
        """Since the start."""


def convergence(
    traces: Mapping[str, Sequence[ConvergenceStep]],
    *,
    quantity: Literal["training loss", "excess", "gradient norm"] = "training loss",
    across: Literal["iteration", "seconds"] = "iteration",
    reasons: Mapping[str, str] | None = None,
    title: str = "",
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
    reasons : mapping of name to str, optional
        Why each ended.
    title : str, optional
        The finding; otherwise which reached the least, and which went back and forth.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    parts = {name: np.array([_line(step) for step in steps], float).reshape(-1, 4)
             for name, steps in traces.items()}  # fmt: skip
    finals = {name: float(part[-1, 1]) for name, part in parts.items() if len(part)}
    found = join(_ends(finals), oscillation({name: part[:, 1] for name, part in parts.items()}))
    phrases = [f"{name}: {why}" for name, why in (reasons or {}).items()]
    least = min((float(np.nanmin(part[:, 1])) for part in parts.values() if len(part)), default=0)
    lengths = [len(part) for part in parts.values()]
    # Beside thousands of steps, a trace of few would be a vertical line.
    stretched = max(lengths, default=1) > UNEVEN * max(min(lengths, default=1), 1)
    drawn = []
    for position, (name, part) in enumerate(parts.items()):
        y = {"training loss": part[:, 1], "excess": part[:, 1] - least, "gradient norm": part[:, 2]}
        x = part[:, 0] + stretched if across == "iteration" else part[:, 3]
        x = np.where(x > 0, x, np.nan) if stretched else x
        drawn.append(_trace(position, name, x, y[quantity], quantity != "training loss"))
    logarithmic = {"type": "log", "exponentformat": "power", "nticks": 6}
    unit = "iteration + 1" if stretched and across == "iteration" else across
    named = {"excess": "training loss above the least"}.get(quantity, quantity)
    return figure(
        drawn,
        title or f"{capital(quantity)} by {across}",
        subtitle=join(found, f"{listed(phrases, most=3)}." if phrases else ""),
        alt=join(f"{capital(quantity)} against {across} of "
                 f"{count(len(parts), 'solver')}.", found, *(f"{text}." for text in phrases)),
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
    parts = {name: np.asarray(values, dtype=float) for name, values in curves.items()}
    finals = {name: float(part[-1]) for name, part in parts.items() if len(part)}
    # The name of a single curve may be what it counts: "It ends with 0 mistakes."
    ends = f"It ends with {number_of(finals[error])} {error}." if error in finals else _ends(finals)
    found = join(ends, oscillation(parts))
    return figure(
        [
            _trace(position, name, np.arange(len(part), dtype=float), part, False)
            for position, (name, part) in enumerate(parts.items())
        ],
        f"{capital(error)} by {across}",
        subtitle=found,
        alt=join(f"{capital(error)} against {across} of "
                 f"{count(len(parts), 'curve')}.", found),
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


def _line(step: ConvergenceStep) -> tuple[float, float, float, float]:
    return step.iteration, step.objective, step.gradient_norm, step.seconds


def _ends(finals: Mapping[str, float]) -> str:
    phrases = [f"{shorten(name, LEGEND_WIDTH)} ends at {number_of(value)}"
            for name, value in finals.items()]  # fmt: skip
    return f"{listed(phrases, most=4)}." if phrases else ""


def number_of(value: float) -> str:
    """Format a final value with six digits, as the source texts do."""
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
