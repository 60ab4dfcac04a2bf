"""A report as one HTML file that fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from plotly.offline import get_plotlyjs
from plotly.utils import PlotlyJSONEncoder

from lincore.data.dataset import Dataset
from lincore.export.documents._style import SCRIPT, STYLE
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, SectionTable
from lincore.export.documents.sections import report_sections
from lincore.export.documents.tables import cell, cells, is_right, with_index
from lincore.plots.base.palette import INK

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Up to so many points a figure is drawn as lines and shapes, which are sharp on paper.
MOST_SHAPES = 4_000
# Characters from which on a cell holds a sentence.
LONG = 45
_SCRIPT = SCRIPT.replace("INK", INK)


def html_report(data: Dataset | ReportContents, *, title: str = "", **parts: Any) -> str:
    """Return a report on data and results as one HTML file.

    It fetches nothing: Plotly's JavaScript (about 5 MB) is in it, once. It follows the reader's
    light or dark theme, can be printed, and no name from the data is obeyed as HTML or script.

    Parameters
    ----------
    data : Dataset or ReportContents
    title : str
        "Report on <name of the data>" when not given.
    **parts
        What is to be in it, the fields of `ReportContents`: `split`, `model`, `comparison`,
        `cost`, `study`, `score`, `rope`, `script` and so on.

    Returns
    -------
    str
        To be written in UTF-8.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> page = html_report(iris, comparison=lincore.compare(iris, ["lda", "qda"]))
    >>> page.count("<h2"), "http-equiv" in page, len(page) < 8_000_000
    (5, True, True)
    """
    contents = data if isinstance(data, ReportContents) else ReportContents(data, **parts)
    name = title or f"Report on {contents.data.name}"
    return render_html(name, report_sections(contents))


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
    figures = [figure for section in sections for figure in section.figures]
    scripts = [get_plotlyjs(), _SCRIPT] if figures else []
    made = datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC")
    links = "".join(
        f'<li><a href="#section-{i}">{_text(section.title)}</a></li>'
        for i, section in enumerate(sections, 1)
    )
    sources = iter(range(1, len(figures) + 1))
    body = "\n".join(_section(i, one, sources) for i, one in enumerate(sections, 1))
    embedded = "\n".join(f"<script>{script}</script>" for script in scripts)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">
<title>{_text(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>{_text(title)}</h1>
<p class="lead">Made by lincore on {made}. This file fetches nothing.</p>
</header>
<nav aria-label="Contents"><ul>{links}</ul></nav>
<main>
{body}
</main>
<footer>Intervals are of 95 %. Figures: point at them for values; their camera saves a PNG.</footer>
{embedded}
</body>
</html>
"""


def _policy(scripts: Sequence[str]) -> str:
    """Return what the page may do: run its own scripts, by their hashes, and fetch nothing."""
    hashes = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    ]
    # Plotly compiles the shaders of figures in WebGL with `new Function`.
    allowed = " ".join(f"'sha256-{one}'" for one in hashes) + " 'unsafe-eval'"
    return (
        f"default-src 'none'; script-src {allowed if scripts else 'none'}; "
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _section(number: int, section: Section, sources: Any) -> str:
    parts = [f'<section id="section-{number}">', f"<h2>{_text(section.title)}</h2>"]
    parts += [f"<p>{_text(sentence)}</p>" for sentence in section.sentences]
    parts += [_figure(figure, next(sources)) for figure in section.figures]
    if section.items:
        items = "".join(f"<li>{_text(item)}</li>" for item in section.items)
        numbered = all(item.startswith("[") for item in section.items)
        parts.append(f'<ul class="{"references" if numbered else "items"}">{items}</ul>')
    parts += [_table(table, f"table-{number}-{i}") for i, table in enumerate(section.tables, 1)]
    if section.code:
        parts.append(f'<pre tabindex="0"><code>{escape(section.code)}</code></pre>')
    return "\n".join([*parts, "</section>"])


def _figure(figure: go.Figure, number: int) -> str:
    alt = str((figure.layout.meta or {}).get("alt", "")) or "A figure."
    source, label = f"figure-{number}", escape(" ".join(alt.split()))
    return (
        f'<figure>{_caption(figure)}<div class="plot" role="group" aria-label="{label}" '
        f'data-source="{source}"></div>'
        f"<noscript><p>{_text(alt)}</p></noscript>"
        f'<script type="application/json" id="{source}">{_json(figure)}</script></figure>'
    )


def _caption(figure: go.Figure) -> str:
    """Return the title of a figure that does not draw it itself, as those of a page do not."""
    meta = figure.layout.meta or {}
    if figure.layout.title.text or not meta.get("title"):
        return ""
    subtitle = f" {_text(meta['subtitle'])}" if meta.get("subtitle") else ""
    return f"<figcaption><strong>{_text(meta['title'])}</strong>{subtitle}</figcaption>"


def _json(figure: go.Figure) -> str:
    """Return a figure as JSON that cannot close the script element around it."""
    drawn = figure.to_dict()
    for trace, plain in zip(figure.data, drawn["data"], strict=True):
        if plain["type"] == "scattergl" and np.size(trace.x) <= MOST_SHAPES:
            plain["type"] = "scatter"
    text = json.dumps(drawn, cls=PlotlyJSONEncoder, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _table(table: SectionTable, name: str) -> str:
    frame = with_index(table.frame)
    right = is_right(frame)
    marks = [' class="number"' if one else "" for one in right]
    heads = "".join(
        f'<th scope="col"{mark}>{_text(cell(name))}</th>'
        for name, mark in zip(frame.columns, marks, strict=True)
    )
    lines = []
    for row in cells(frame):
        first, *others = [cell(value, table.form) for value in row]
        line = "".join(
            f"<td{mark or _width(value)}>{_cell(value)}</td>"
            for value, mark in zip(others, marks[1:], strict=True)
        )
        lines.append(f'<tr><th scope="row"{marks[0]}>{_cell(first)}</th>{line}</tr>')
    # Not a caption element: that is as wide as the table, which on a phone is scrolled.
    return (
        f'<p class="caption" id="{name}">{_text(table.caption)}</p>'
        f'<div class="wide" role="region" aria-labelledby="{name}" tabindex="0">'
        f'<table aria-labelledby="{name}"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _width(text: str) -> str:
    """Return the class of a cell of text: a sentence needs room on a phone."""
    return ' class="long"' if len(text) > LONG else ""


def _cell(text: str) -> str:
    """Return text of a cell, in which an interval in brackets stays on one line."""
    return re.sub(r"(\([−\d][^()]*\))", r'<span class="whole">\1</span>', _text(text))


def _text(text: object) -> str:
    """Return text on one line, letter by letter; a number and its per cent sign stay together."""
    return escape(re.sub(r"(\d) %", "\\1\u00a0%", " ".join(str(text).split())))
