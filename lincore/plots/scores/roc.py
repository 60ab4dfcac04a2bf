"""ROC and precision-recall curves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from lincore.plots.base.palette import EDGE, GREY, INK, colour, method_look, symbol
from lincore.plots.base.sentences import join
from lincore.plots.base.style import LEGEND_WIDTH, Trace, axis, escape, figure, percent_ticks, trace
from lincore.utils.formatting import count, listed, number, percent, shorten
from lincore.utils.typing import Array

if TYPE_CHECKING:
    from lincore.metrics.curves.rates import PrecisionRecall, Roc

# More points on a curve could not be distinguished on a screen.
MOST_POINTS = 600


class Curve(NamedTuple):
    """A curve of rates, of one class or of one method.

    Attributes
    ----------
    name : str
    x, y : array-like of shape (t,)
        Shares: false and true positive rates, or recall and precision.
    point : (x, y), optional
        Where the classifier itself decides.
    area : float, optional
        Under the curve.
    code : int, optional
        The class, for its colour; a curve without one is that of a method.
    """

    name: str
    x: ArrayLike
    y: ArrayLike
    point: tuple[float, float] | None = None
    area: float | None = None
    code: int | None = None

    @classmethod
    def from_roc(cls, curve: Roc, *, code: int | None = None) -> Curve:
        """Take one of `lincore.metrics.roc_curve`; it is named after its class."""
        rates = (curve.false_positive_rate, curve.recall)
        return cls(str(curve.label), *rates, _known(curve.operating), curve.area, code)

    @classmethod
    def from_precision_recall(cls, curve: PrecisionRecall, *, code: int | None = None) -> Curve:
        """Take one of `lincore.metrics.precision_recall_curve`."""
        rates = (curve.recall, curve.precision)
        return cls(str(curve.label), *rates, _known(curve.operating), curve.average, code)


def roc(curves: Sequence[Curve]) -> go.Figure:
    """Draw true against false positive rates, with the operating point of each curve.

    Parameters
    ----------
    curves : sequence of Curve

    Returns
    -------
    plotly.graph_objects.Figure

    Examples
    --------
    >>> figure = roc([Curve("lda", [0, 0, 1], [0, 0.9, 1], point=(0, 0.9), area=0.95)])
    >>> figure.layout.meta["title"]
    'ROC: area 0.950'
    """
    return _unit_square(
        [guide([0, 1], [0, 1]), *_lines(curves, "linear")],
        curves,
        _heading("ROC", curves),
        subject="ROC",
        note="Diagonal: chance.",
        axes=("false positive rate", "true positive rate"),
    )


def precision_recall(curves: Sequence[Curve], *, shares: Sequence[float] = ()) -> go.Figure:
    """Draw precision against recall, with the operating point of each curve.

    Parameters
    ----------
    curves : sequence of Curve
        `x` holds recall and `y` precision.
    shares : sequence of float, optional
        The share of each curve's positive rows: the precision of chance.
    """
    guesses = [guide([0, 1], [share, share]) for share in sorted(set(shares))]
    return _unit_square(
        [*guesses, *_lines(curves, "vh")],
        curves,
        _heading("Precision and recall", curves),
        subject="Precision against recall",
        note="Dotted: chance." if guesses else "",
        axes=("recall", "precision"),
    )


def _unit_square(
    lines: list[Trace],
    curves: Sequence[Curve],
    title: str,
    *,
    subject: str,
    note: str,
    axes: tuple[str, str],
) -> go.Figure:
    areas = [f"{c.name} {number(c.area)}" for c in curves if c.area is not None]
    points = [f"{c.name} at {percent(c.point[0])} and {percent(c.point[1])}"
              for c in curves if c.point is not None]  # fmt: skip
    return figure(
        lines,
        title,
        subtitle=join(note, "Large markers: where the classifier decides." if points else ""),
        alt=join(f"{subject}: {count(len(curves), 'curve')}.",
                 f"Areas: {listed(areas, most=12)}." if areas else "",
                 f"Operating points: {listed(points, most=12)}." if points else ""),
        height=460,
        xaxis=axis(axes[0], range=[-0.02, 1.02], **percent_ticks()),
        yaxis=axis(axes[1], range=[-0.02, 1.04], **percent_ticks()),
    )  # fmt: skip


def _heading(subject: str, curves: Sequence[Curve]) -> str:
    areas = [curve.area for curve in curves if curve.area is not None and np.isfinite(curve.area)]
    if not areas:
        return subject
    if f"{min(areas):.3f}" == f"{max(areas):.3f}":
        each = " for every class" if len(areas) > 1 else ""
        return f"{subject}: area {areas[0]:.3f}{each}"
    return f"{subject}: areas {min(areas):.3f} to {max(areas):.3f}"


def _lines(curves: Sequence[Curve], shape: str) -> list[Trace]:
    traces = (_curve(position, curve, shape) for position, curve in enumerate(curves))
    return list(chain.from_iterable(traces))


def _curve(position: int, curve: Curve, shape: str) -> list[Trace]:
    hue, dash, marker = look_of(position, curve.code)
    positions = thin(np.asarray(curve.x, float), np.asarray(curve.y, float))
    rates = [np.asarray(side, float)[positions] for side in (curve.x, curve.y)]
    x, y = (side.astype(np.float32) for side in rates)
    hover = [f"{percent(across)}, {percent(up)}" for across, up in zip(*rates, strict=True)]
    label = escape(shorten(curve.name, LEGEND_WIDTH))
    area = "" if curve.area is None else f" ({curve.area:.3f})"
    common: dict[str, Any] = {"legendgroup": str(position), "meta": [escape(curve.name)]}
    line = trace(
        "scatter", x=x, y=y, mode="lines", name=label + area, hoverinfo="skip", **common,
        line={"color": hue, "width": 2.2, "dash": dash, "shape": shape},
    )  # fmt: skip
    # Markers, because a page may let its visitor choose a point, and a line cannot be selected.
    places = trace(
        "scatter", x=x, y=y, mode="markers", showlegend=False, **common,
        customdata=positions.astype(np.int32), marker={"opacity": 0, "size": 6, "color": hue},
        selected={"marker": {"opacity": 0}}, unselected={"marker": {"opacity": 0}},
        hovertext=hover, hovertemplate="<b>%{meta[0]}</b> %{hovertext}<extra></extra>",
    )  # fmt: skip
    if curve.point is None:
        return [line, places]
    point = trace(
        "scatter", x=np.array(curve.point[:1], np.float32), y=np.array(curve.point[1:], np.float32),
        mode="markers", showlegend=False, **common,
        marker={"color": hue, "symbol": marker, "size": 13, "line": {"color": EDGE, "width": 1.5}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate="<b>%{meta[0]}</b> decides here: "
        f"{', '.join(map(percent, curve.point))}<extra></extra>",
    )  # fmt: skip
    return [line, places, point]


def _known(point: tuple[float, float]) -> tuple[float, float] | None:
    """Return a point; None if it is NaN, such as without predictions of a class."""
    x, y = point
    return (x, y) if np.isfinite(x) and np.isfinite(y) else None


def thin(x: Array, y: Array) -> NDArray[np.intp]:
    """Return positions of the points of a curve that a screen can show, the ends among them."""
    if len(x) <= MOST_POINTS:
        return np.arange(len(x))
    # Evenly along the curve, not by threshold: its steep parts keep their shape.
    length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    positions = np.unique(np.searchsorted(length, np.linspace(0, length[-1], MOST_POINTS)))
    return np.unique(np.concatenate([[0], np.minimum(positions, len(x) - 1), [len(x) - 1]]))


def guide(x: list[float], y: list[float]) -> Trace:
    """Return a dotted line to compare with, such as that of chance."""
    return trace(
        "scatter", x=np.array(x, np.float32), y=np.array(y, np.float32), mode="lines",
        showlegend=False, hoverinfo="skip",
        line={"color": GREY if x == y else INK, "width": 1.3, "dash": "dot"},
    )  # fmt: skip


def look_of(position: int, code: int | None) -> tuple[str, str, str]:
    """Return colour, dash and marker of a class, or else of the method in this position."""
    if code is None:
        return method_look(position)
    return colour(code), "solid", symbol(code)
