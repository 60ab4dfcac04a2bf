"""The confusion matrix: true classes against predicted ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from lincore.metrics import scores
from lincore.metrics.results import Results
from lincore.plots.base.palette import ACCENT, CLEAR, INK, translucent
from lincore.plots.base.sentences import join
from lincore.plots.base.style import Trace, axis, escape, figure, names, shorten_all, trace
from lincore.plots.data.contact_sheet import png_uri
from lincore.utils.formatting import count, percent, quoted
from lincore.utils.typing import Array, Counts

Normalize = Literal["true", "pred"] | None

# Maximum number of classes with count and share in each cell, ...
MOST_SHARES = 6
# ... and with the count alone; with more, numbers appear on hovering.
MOST_COUNTS = 20
# The strongest shade on which text has a contrast of 4.5 in both themes.
STRONGEST = 0.6
TICK_WIDTH = 14
# Characters of names that fit side by side under the columns of twenty classes on a phone.
_UPRIGHT = 2
# The side of an image in a cell and its distance above the centre, in cells.
IMAGE_SIDE, IMAGE_RISE = 0.56, 0.19


class Room(NamedTuple):
    """Layout of a confusion matrix."""

    shares: int  # maximum number of classes for count and share in a cell
    counts: int  # maximum number of classes for a count in a cell
    tick_width: int  # characters of a class name on the axes
    tallest: int  # pixels; a matrix is square
    ticks: int  # maximum number of classes that are all named on an axis
    margins: bool = False  # recall and precision beside the cells

    def height(self, n_classes: int) -> int:
        """Return the height of a figure in pixels."""
        return int(np.clip(110 + 74 * n_classes, 320, self.tallest))


PAGE = Room(MOST_SHARES, MOST_COUNTS, TICK_WIDTH, 430, 25)
THIRD = Room(4, 8, 10, 340, 14)


def confusion(
    results: Results,
    method: str,
    *,
    normalize: Normalize = None,
    narrow: bool = False,
    images: Mapping[tuple[int, int], NDArray[np.generic]] | None = None,
) -> go.Figure:
    """Draw the confusion matrix of a method, true classes from the top.

    On a page the recall of each class stands at the end of its row, its precision under its column.

    Parameters
    ----------
    results : Results
    method : str
    normalize : {None, "true", "pred"}
        Cells hold counts, with the share of their true class beneath; or first the share of the
        true ("true") or of the predicted class ("pred"), with the count beneath. The shade is
        that share.
    narrow : bool, default False
        For a third of a page: less text in the cells and on the axes, and no taller than wide.
    images : mapping of (true, predicted) to ndarray of shape (h, w) or (h, w, 3), optional
        Images to draw in the cells of these codes, each above its number.

    Returns
    -------
    plotly.graph_objects.Figure
        Its last trace holds an invisible marker on each cell, which can be selected (a heat map
        cannot) and has the codes of true and predicted class as `customdata`.
    """
    counts, noun = scores.confusion_matrix(results, method), results.settings.rows
    labels, n_classes = names(results.classes), len(results.classes)
    room = THIRD if narrow else PAGE._replace(margins=n_classes <= MOST_COUNTS)
    shares = _shares(counts, normalize)
    margins = [_margins(counts, room)] if room.margins else []
    return figure(
        [
            _shade(shares),
            *margins,
            _cells(counts, shares, labels, normalize, room, images or {}, noun),
        ],
        _finding(counts, labels, noun),
        subtitle=f"{method}, {_rows(counts, noun)}; shade: share of the "
        f"{'predicted' if normalize == 'pred' else 'true'} class",
        alt=_alt(counts, labels, method, noun),
        height=room.height(n_classes),
        showlegend=False,
        images=[_cell_image(*cell, image) for cell, image in (images or {}).items()],
        **class_axes(labels, room),
    )


def _cell_image(true: int, predicted: int, image: NDArray[np.generic]) -> dict[str, Any]:
    """Return an image in the upper half of a cell."""
    return {
        "source": png_uri(image),
        "x": predicted,
        "y": true - IMAGE_RISE,
        "sizex": IMAGE_SIDE,
        "sizey": IMAGE_SIDE,
        "xref": "x",
        "yref": "y",
        "xanchor": "center",
        "yanchor": "middle",
    }


def _shares(counts: Counts, normalize: Normalize) -> Array:
    total = counts.sum(axis=0 if normalize == "pred" else 1, keepdims=True)
    return counts / np.where(total > 0, total, 1)


def _rows(counts: Counts, noun: str) -> str:
    """Return the number of rows, or images, to which weights (of mean 1) add up."""
    weighted = " by weight" if counts.dtype.kind == "f" else ""
    return f"{count(round(counts.sum()), noun.removesuffix('s'))}{weighted}"


def _number(value: Any, noun: str = "") -> str:
    """Format a number of rows, or a sum of weights with one decimal."""
    if value == round(value):
        return count(round(value), noun.removesuffix("s")) if noun else f"{value:,.0f}"
    return f"{value:,.1f} {noun}" if noun else f"{value:,.1f}"


def _shade(shares: Array) -> Trace:
    strongest = STRONGEST if len(shares) <= MOST_COUNTS else 1.0
    return trace(
        "heatmap",
        z=shares.astype(np.float32),
        zmin=0,
        zmax=1,
        colorscale=[[0, translucent(ACCENT, 0.05)], [1, translucent(ACCENT, strongest)]],
        showscale=False,
        hoverinfo="skip",
        xgap=2 if len(shares) <= MOST_COUNTS else 0,
        ygap=2 if len(shares) <= MOST_COUNTS else 0,
    )


def _cells(
    counts: Counts,
    shares: Array,
    labels: list[str],
    normalize: Normalize,
    room: Room,
    images: Mapping[tuple[int, int], Any],
    noun: str,
) -> Trace:
    """Return the text of the cells, in the theme's text colour."""
    true, predicted = np.indices(counts.shape).reshape(2, -1)
    shown, size = len(labels) <= room.counts, _text_size(counts, room)
    texts = _texts(counts, shares, normalize, room)
    if images:
        size, cells = 12, zip(true.tolist(), predicted.tolist(), strict=True)
        texts = [
            f"<br><br>{text.partition('<br>')[0]}" if cell in images else text
            for cell, text in zip(cells, texts, strict=True)
        ]
    return trace(
        "scatter",
        x=predicted.astype(np.int16),
        y=true.astype(np.int16),
        mode="markers+text" if shown else "markers",
        text=texts if shown else None,
        textfont={"size": size, "color": INK},
        customdata=np.column_stack([true, predicted]).astype(np.int16),
        hovertext=_hover_texts(counts, [escape(label) for label in labels], noun),
        hovertemplate="%{hovertext}<extra></extra>",
        marker={"symbol": "square", "size": 30, "opacity": 0, "color": INK},
        selected={"marker": {"opacity": 0.25}},
        unselected={"marker": {"opacity": 0}, "textfont": {"color": INK}},
    )


def _margins(counts: Counts, room: Room) -> Trace:
    """Return the recall of each class beside its row, and its precision under its column."""
    n_classes, right = len(counts), np.diag(counts)
    positions, end = np.arange(n_classes), np.full(n_classes, n_classes)
    totals = [*counts.sum(axis=1).tolist(), *counts.sum(axis=0).tolist()]
    shares = zip([*right.tolist()] * 2, totals, strict=True)
    # Beside many classes, decimals would overlap.
    decimals, size = (1, 12) if n_classes <= room.shares else (0, 9)
    return trace(
        "scatter",
        x=np.concatenate([end, positions]).astype(np.int16),
        y=np.concatenate([positions, end]).astype(np.int16),
        mode="text",
        text=[f"{100 * n / total:.{decimals}f}" if total else "–" for n, total in shares],
        textfont={"size": size, "color": INK},
        hoverinfo="skip",
        # Not faded when a cell is selected.
        unselected={"textfont": {"color": INK}},
    )


def _hover_texts(counts: Counts, labels: list[str], noun: str) -> list[str]:
    """Return the hover text of each cell."""
    texts = []
    for (i, j), share in np.ndenumerate(_shares(counts, "true")):
        pair = (
            f"<b>{labels[i]}</b> predicted as <b>{labels[j]}</b>"
            if i != j
            else f"{labels[i]} correct"
        )
        number = counts[i, j]
        share_text = f" of {_number(counts[i].sum(), noun)} ({percent(share)})" if number else ""
        texts.append(f"{pair}: {_number(number)}{share_text}")
    return texts


def _text_size(counts: Counts, room: Room) -> int:
    """Return a size in pixels that fits the cells on a phone."""
    if len(counts) <= room.shares:
        return 15
    return (13 if len(counts) <= 12 else 10) - (2 if counts.max() >= 1000 else 0)


def _texts(counts: Counts, shares: Array, normalize: Normalize, room: Room) -> list[str]:
    texts = []
    for number, share in zip(counts.ravel().tolist(), shares.ravel().tolist(), strict=True):
        first, second = _number(number), percent(share)
        if normalize is not None:
            first, second = second, first
        if not number:
            texts.append("0")
        elif len(counts) > room.shares:
            texts.append(first)
        else:
            texts.append(f"{first}<br><span style='font-size:11px'>{second}</span>")
    return texts


def class_axes(labels: list[str], room: Room) -> dict[str, Any]:
    """Return the axes of a square of classes: predicted ones across, true ones from the top."""
    every = int(np.ceil(len(labels) / room.ticks))
    ticks = list(range(0, len(labels), every))
    short, n_classes = shorten_all(labels, room.tick_width), len(labels)
    texts = [escape(short[i]) for i in ticks]
    common = {"showgrid": False, "constrain": "domain", "tickcolor": CLEAR,
              "tickvals": [*ticks, n_classes] if room.margins else ticks}  # fmt: skip
    first, last = -0.5, n_classes - 0.5 + room.margins
    across: dict[str, Any] = common | {"range": [first, last], "constraintoward": "left"}
    across |= {"ticktext": [*texts, "<i>recall (%)</i>"] if room.margins else texts}
    down = common | {"range": [last, first], "constraintoward": "top", "scaleanchor": "x"}
    down |= {"ticktext": [*texts, "<i>precision (%)</i>"] if room.margins else texts}
    below = {}
    if n_classes > room.shares:
        # The margin that Plotly finds for turned names can leave the square at half its size.
        across |= {"tickangle": 90, "automargin": False}
        below = {"bottom": 40 + 7 * max(len("recall (%)") * room.margins, *map(len, short))}
        if max(map(len, short)) <= _UPRIGHT and n_classes <= room.counts:
            # Below the names, where it covers none of them.
            recall = ["<br><i>recall<br>(%)</i>"] if room.margins else []
            across |= {"tickangle": 0, "ticktext": [*texts, *recall]}
            below = {"bottom": 85}
    return below | {"xaxis": axis("predicted class", **across), "yaxis": axis("true class", **down)}


def _most_frequent_error(counts: Counts) -> tuple[int, int, float, bool]:
    """Return the classes of the most frequent error, its number, and if it is the only such one."""
    errors = counts - np.diag(np.diag(counts))
    true, predicted = np.unravel_index(errors.argmax(), errors.shape)
    return int(true), int(predicted), float(errors.max()), int((errors == errors.max()).sum()) == 1


def short_pair(labels: list[str], first: int, second: int) -> tuple[str, str]:
    """Return two names for a title, shortened but still distinct."""
    short = shorten_all(labels, TICK_WIDTH)
    return short[first], short[second]


def _finding(counts: Counts, labels: list[str], noun: str) -> str:
    total, right = counts.sum(), np.trace(counts)
    if not total:
        return f"No {noun} to judge by"
    true, predicted, number, is_single = _most_frequent_error(counts)
    if not number:
        return f"All {_rows(counts, noun)} correct"
    error = " predicted as ".join(map(quoted, short_pair(labels, true, predicted)))
    errors = "most frequent error:" if is_single else "errors such as"
    return f"{percent(right / total)} correct; {errors} {error} ({_number(number)})"


def _alt(counts: Counts, labels: list[str], method: str, noun: str) -> str:
    total, right = counts.sum(), np.trace(counts)
    if not total:
        return f"Confusion matrix of {method}, without {noun}."
    worst = ""
    true, predicted, number, is_single = _most_frequent_error(counts)
    if number:
        worst = (
            f"{'The most frequent error' if is_single else 'Among the most frequent errors'}: "
            f"{quoted(labels[true])} predicted as "
            f"{quoted(labels[predicted])}, "
            f"{_number(number, noun)} of {_number(counts[true].sum())}."
        )
    return join(
        f"Confusion matrix of {method} over {count(len(labels), 'class', 'classes')}: "
        f"{_number(right)} of {_rows(counts, noun)} correct ({percent(right / total)}).",
        worst,
    )
