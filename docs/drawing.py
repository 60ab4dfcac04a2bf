"""Panels, regions, points, lines and PNG export shared by the figures of the guide."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
from PIL import Image
from playwright.sync_api import sync_playwright
from plotly.offline import get_plotlyjs
from plotly.subplots import make_subplots

from lincore import plots
from lincore.plots.base import GREY, INK, axis, colour
from lincore.plots.plane import Layer, Map, Marks, point_traces, trace_lines

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "browser"))
from install import ARGUMENTS, find  # noqa: E402

WIDTH, HEIGHT = 900, 450
NODES = 241
TINT = np.array([0.20])
FONT = {"family": "Liberation Sans, Arial, Helvetica, sans-serif", "size": 14, "color": INK}
Span = tuple[float, float]


class Panels:
    """A row of panels under a title each, with one legend below.

    Parameters
    ----------
    titles : str
        The finding of each panel.
    height : int
        In pixels, with the legend.
    """

    def __init__(self, *titles: str, height: int = HEIGHT, **layout: Any) -> None:
        self.figure = make_subplots(
            cols=len(titles), subplot_titles=titles, horizontal_spacing=0.22 / len(titles)
        )
        self.named: set[str] = set()
        self.figure.update_layout(
            template=go.layout.Template(),
            width=WIDTH,
            height=height,
            font=FONT,
            paper_bgcolor="white",
            plot_bgcolor="white",
            margin={"l": 12, "r": 14, "t": 44, "b": 64},
            showlegend=True,
            legend={
                "orientation": "h",
                "x": 0.5,
                "xanchor": "center",
                "y": 0.012,
                "yref": "container",
                "yanchor": "bottom",
                "itemsizing": "constant",
            },
            **layout,
        )
        self.figure.update_annotations(font={**FONT, "size": 15}, yshift=6)

    def add(self, panel: int, *traces: Any) -> None:
        """Draw traces in a panel; what the legend names already is not named again."""
        for trace in traces:
            if trace.name and trace.showlegend is not False:
                trace.update(legendgroup=trace.name, showlegend=trace.name not in self.named)
                self.named.add(trace.name)
            else:
                trace.showlegend = False
            self.figure.add_trace(trace, row=1, col=panel)

    def axes(self, panel: int, x: Any, y: Any, *, square: bool = False) -> None:
        """Name the axes of a panel; `x` and `y` are settings of `lincore.plots.base.style.axis`."""
        look = {"linecolor": GREY, "linewidth": 1, "mirror": True, "nticks": 7}
        if square:
            y = y | {"scaleanchor": f"x{panel}", "scaleratio": 1, "constrain": "domain"}
            x = x | {"constrain": "domain"}
        look["title_font_size"] = 15
        self.figure.update_xaxes(axis(**(look | x)), row=1, col=panel)
        self.figure.update_yaxes(axis(**(look | y)), row=1, col=panel)

    def plane(
        self, panel: int, x: Span, y: Span, names: Sequence[str] = ("x₁", "x₂"), **options: Any
    ) -> None:
        """Show a stretch of the plane in a panel."""
        settings = [
            {"title": name, "range": list(span), "showgrid": False}
            for name, span in zip(names, (x, y), strict=True)
        ]
        self.axes(panel, *settings, **options)

    def note(self, panel: int, x: float, y: float, text: str, **settings: Any) -> None:
        """Write a few words at a point of a panel."""
        look = {"showarrow": False, "font": {"size": 13}, "bgcolor": "rgba(255,255,255,0.8)"}
        self.figure.add_annotation(x=x, y=y, text=text, row=1, col=panel, **(look | settings))


def rows(
    X: Any, codes: Any, classes: Sequence[str], *, predicted: Any = None, size: float = 0
) -> list[Any]:
    """Return a trace for each class; misclassified rows are ringed where `predicted` is given."""
    marks = Marks.from_arrays(X, codes, classes, predicted=predicted)
    traces = _objects(point_traces(marks, ("x", "y")))
    for trace in traces:
        trace.name = trace.name.rsplit(" (", 1)[0]
        if size:
            trace.marker.size = size + 5 if trace.name == "misclassified" else size
    return traces


def scores_of(model: Any, points: Any) -> Any:
    """Return a score of each class at points (n, 2), shape (n, K)."""
    scores = model.decision_function(points)
    return np.column_stack([-scores, scores]) / 2 if scores.ndim == 1 else scores


def regions(
    model: Any, x: Span, y: Span, *, tinted: bool = True, nodes: int = NODES, **line: Any
) -> list[Any]:
    """Return the shaded region of each class, and the boundaries between them."""
    return regions_by(lambda points: scores_of(model, points), x, y, tinted, nodes, line)


def regions_by(
    scores: Callable[[Any], Any],
    x: Span,
    y: Span,
    tinted: bool = True,
    nodes: int = NODES,
    line: dict[str, Any] | None = None,
) -> list[Any]:
    """Return what `regions` does, for any function from points (n, 2) to scores (n, K)."""
    xs, ys = np.linspace(*x, nodes), np.linspace(*y, nodes)
    points = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    values = scores(points).reshape(nodes, nodes, -1)
    traces = []
    for code in range(values.shape[-1] if tinted else 0):
        lead = values[..., code] - np.delete(values, code, axis=-1).max(axis=-1)
        layer = Layer(code, xs, ys, np.clip(lead, -5, 5).astype(np.float32))
        traces.append(plots.plane.filled(layer, np.zeros(1), alphas=TINT))
    boundary = plots.plane.boundary_trace(trace_lines(Map(xs, ys, values)))
    name = (line or {}).pop("name", "")
    look = boundary["line"] | (line or {})
    boundary |= {"line": look, "name": name, "showlegend": bool(name)}
    return _objects([*traces, boundary])


def _objects(traces: Sequence[Any]) -> list[Any]:
    """Return traces of lincore.plots, which are dictionaries, as the figures here change them."""
    return list(go.Figure(traces).data)


def curve(x: Any, y: Any, name: str = "", hue: str = INK, **line: Any) -> go.Scatter:
    """Return a line through points."""
    look = {"color": hue, "width": 2.2} | line
    return go.Scatter(x=np.asarray(x), y=np.asarray(y), mode="lines", name=name, line=look)


def marked(x: Any, y: Any, name: str = "", hue: str = INK, **marker: Any) -> go.Scatter:
    """Return a line through points that are marked."""
    trace = curve(x, y, name, hue)
    return trace.update(mode="lines+markers", marker={"size": 7, "color": hue} | marker)


def spots(X: Any, code: int, name: str = "", **marker: Any) -> go.Scatter:
    """Return large markers in the colour of a class: means, for one."""
    X = np.atleast_2d(X)
    look = {"size": 13, "symbol": "x", "color": colour(code), "line": {"color": INK, "width": 1.5}}
    return go.Scatter(x=X[:, 0], y=X[:, 1], mode="markers", name=name, marker=look | marker)


def ellipse(mean: Any, covariance: Any, radius: float, code: int, **line: Any) -> go.Scatter:
    """Return the points at one Mahalanobis distance from a mean."""
    turn = np.linspace(0, 2 * np.pi, 181)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    path = mean + radius * circle @ np.linalg.cholesky(covariance).T
    return curve(path[:, 0], path[:, 1], hue=colour(code), **({"width": 2} | line))


def arrow(panels: Panels, panel: int, start: Any, end: Any, hue: str = INK) -> None:
    """Draw an arrow between two points of the plane of a panel."""
    n = "" if panel == 1 else panel
    panels.figure.add_annotation(
        x=end[0],
        y=end[1],
        ax=start[0],
        ay=start[1],
        xref=f"x{n}",
        yref=f"y{n}",
        axref=f"x{n}",
        ayref=f"y{n}",
        text="",
        showarrow=True,
        arrowhead=2,
        arrowwidth=3,
        arrowcolor=hue,
    )


def write_pngs(figures: Iterable[tuple[str, go.Figure]], folder: Path, scale: int = 2) -> None:
    """Draw each figure with Chromium, at twice its size, and keep it in 256 colours."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(ARGUMENTS))
        page = browser.new_page(device_scale_factor=scale)
        page.set_content("<body style='margin:0'><div id='figure'></div></body>")
        page.add_script_tag(content=get_plotlyjs())
        for name, figure in figures:
            page.set_viewport_size({"width": figure.layout.width, "height": figure.layout.height})
            page.evaluate(
                "figure => { Plotly.purge('figure'); return Plotly.newPlot('figure', figure.data,"
                " figure.layout, {staticPlot: true}).then(() => null); }",
                json.loads(figure.to_json()),
            )
            figure = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            path = folder / f"{name}.png"
            figure.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
        browser.close()
