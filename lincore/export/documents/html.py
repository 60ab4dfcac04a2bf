"""A report as one self-contained HTML file: sections in the template `report.html`."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import Environment, PackageLoader
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup
from plotly.offline import get_plotlyjs
from plotly.utils import PlotlyJSONEncoder

from lincore.data.dataset import Dataset
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section
from lincore.export.documents.sections import report_sections
from lincore.plots.base.palette import INK

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Up to this many points a figure is drawn as vectors, which are sharp on paper.
MOST_SHAPES = 4_000
# Maximum size of all figures, so that a report stays below 8 MB: Plotly itself takes 4.8.
MOST_BYTES = 2_500_000


def html_report(data: Dataset, *, title: str = "", **parts: Any) -> str:
    """Return a report on data and results as one HTML file.

    The file is self-contained: it includes Plotly's JavaScript (about 5 MB) once. It follows the
    reader's light or dark theme and can be printed. Names from the data cannot act as HTML or
    scripts.

    Parameters
    ----------
    data : Dataset
    title : str
        Default: "Report on <name of the data>".
    **parts
        Contents, as fields of `ReportContents`: `split`, `model`, `comparison`, `cost`, `study`,
        `displays`, `score`, `rope`, `script` and so on.

    Returns
    -------
    str
        Text to be written in UTF-8.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> page = html_report(iris, comparison=lincore.compare(iris, ["lda", "qda"]))
    >>> page.count("<h2"), "http-equiv" in page, len(page) < 8_000_000
    (5, True, True)
    """
    sections = report_sections(ReportContents(data, **parts))
    return render_html(title or f"Report on {data.name}", sections)


def render_html(title: str, sections: Sequence[Section]) -> str:
    """Return sections as one HTML file.

    Parameters
    ----------
    title : str
    sections : sequence of Section

    Returns
    -------
    str
        See `html_report`.

    Examples
    --------
    >>> page = render_html("A < B", [Section("Data", ("150 rows.",))])
    >>> "<h1>A &lt; B</h1>" in page, "<p>150 rows.</p>" in page, "Plotly" in page
    (True, True, False)
    """
    jinja = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=PackageLoader("lincore.export.documents", "."),
    )
    jinja.filters |= {"line": _line, "parts": _parts, "drawn": _figure_writer(MOST_BYTES)}
    return jinja.get_template("report.html").render(
        title=title,
        sections=sections,
        plotly=get_plotlyjs() if any(section.figures for section in sections) else "",
        ink=INK,
        nonce=secrets.token_urlsafe(16),
        made=datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC"),
    )


def _line(text: object) -> str:
    """Return text on one line; a number and its per cent sign stay together."""
    return re.sub(r"(\d) %", "\\1\u00a0%", " ".join(str(text).split()))


def _parts(text: str) -> list[str]:
    """Split the text of a cell: every second part is an interval in brackets."""
    return re.split(r"(\([−\d][^()]*\))", _line(text))


def _figure_writer(max_bytes: int) -> Callable[[go.Figure], Markup]:
    """Return a function that writes figures as JSON safe in a script; empty beyond a total size."""
    left = max_bytes

    def write(figure: go.Figure) -> Markup:
        nonlocal left
        plain = figure.to_dict()
        for trace, plain_trace in zip(figure.data, plain["data"], strict=True):
            if plain_trace["type"] == "scattergl" and np.size(trace.x) <= MOST_SHAPES:
                plain_trace["type"] = "scatter"
        text = htmlsafe_json_dumps(plain, cls=PlotlyJSONEncoder, separators=(",", ":"))
        if len(text) > left:
            return Markup("")
        left -= len(text)
        return text

    return write
