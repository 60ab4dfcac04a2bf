"""Rows as markers by class, misclassified ones ringed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.data.kinds import RowNoun
from lincore.data.splits import rows_by_class
from lincore.inspection.views import View
from lincore.plots.base.palette import (
    BAD,
    COLOURED_OF_MANY,
    EDGE,
    GOOD,
    GREY,
    INK,
    MANY_CLASSES,
    colour,
    symbol,
)
from lincore.plots.base.sentences import join
from lincore.plots.base.style import (
    LEGEND_WIDTH,
    Trace,
    compact,
    escape,
    names,
    narrow,
    shorten_all,
    trace,
)
from lincore.utils.formatting import capital, count, listed, percent
from lincore.utils.typing import Array, Flags

# Up to this many points SVG is as fast as WebGL, and sharper.
MOST_SVG = 2_000
# A sample of more points is drawn: 100,000 take 5 s in a browser without a graphics card.
MOST_DRAWN = 20_000
# Over shades, a sample of more points is drawn, 60 kB: all of them would hide the shades.
MOST_OVER_SHADES = 1_500
# Characters of the class as which a row is misclassified: fewer if there are many classes, because
# many rows are misclassified then.
HOVER_WIDTH, HOVER_WIDTH_OF_MANY = 16, 12
# Layers of all classes, and of one class.
MOST_LAYERS, MOST_TURNS = 60, 12
# More rings than this would hide the points.
MOST_RINGS = 120
# More training rows than this would hide the shades behind the test rows.
MOST_FAINT = 1_000
# Rows are spread if more than this many coincide, with at most this many places on an axis.
CROWDED, MOST_PLACES = 3, 20
# At most this many values on one axis are stripes, if each has this many rows.
MOST_STRIPES, ROWS_OF_A_STRIPE = 6, 8


class Marks(NamedTuple):
    """Rows to draw.

    Attributes
    ----------
    points : ndarray of shape (n, d)
    codes : ndarray of shape (n,)
    labels : list of K str
    rows : ndarray of shape (n,)
        Which rows of the data set they are.
    predicted : ndarray of shape (n,), optional
    counts : ndarray of shape (K,)
        Rows of each class, also those that are not drawn.
    n_wrong : int
        Rows misclassified, also those that are not drawn.
    coloured : tuple of int
        The codes of the classes with colours of their own; the others are grey.
    are_spread : bool
        Whether rows of equal numbers are drawn side by side.
    noun : {"rows", "texts", "images"}
        What the rows are.
    """

    points: Array
    codes: NDArray[np.intp]
    labels: list[str]
    rows: NDArray[np.intp]
    predicted: NDArray[np.intp] | None
    counts: NDArray[np.intp]
    n_wrong: int
    coloured: tuple[int, ...]
    are_spread: bool = False
    noun: RowNoun = "rows"

    @classmethod
    def of(cls, view: View) -> Marks:
        """Take the rows of a view, jittered where many share a few places."""
        points, are_spread = _spread(view)
        marks = cls.from_arrays(
            points, view.codes, view.classes, rows=view.rows, predicted=view.predicted
        )
        return marks._replace(are_spread=are_spread, noun=view.noun)

    @classmethod
    def from_arrays(
        cls,
        points: ArrayLike,
        codes: ArrayLike,
        classes: ArrayLike,
        *,
        rows: ArrayLike | None = None,
        predicted: ArrayLike | None = None,
        coloured: Sequence[int] = (),
        noun: RowNoun = "rows",
    ) -> Marks:
        """Take rows as they come; without `rows` they are numbered from 0.

        With too many classes, only those in `coloured`, or the first ones, have colours.
        """
        codes = np.asarray(codes, dtype=np.intp)
        guesses = None if predicted is None else np.asarray(predicted, dtype=np.intp)
        labels = names(classes)
        are_few = len(labels) <= MANY_CLASSES
        return cls(
            points=np.asarray(points, dtype=float),
            codes=codes,
            labels=labels,
            rows=np.arange(len(codes)) if rows is None else np.asarray(rows, dtype=np.intp),
            predicted=guesses,
            counts=np.bincount(codes, minlength=len(labels)),
            n_wrong=0 if guesses is None else int(np.count_nonzero(guesses != codes)),
            coloured=tuple(range(len(labels)) if are_few else coloured or range(COLOURED_OF_MANY)),
            noun=noun,
        )

    @property
    def one(self) -> str:
        """What a row is: "row", "text" or "image"."""
        return self.noun.removesuffix("s")

    @property
    def counted(self) -> str:
        """How many rows there are."""
        return count(len(self.codes), self.one)

    @property
    def class_counts(self) -> str:
        """The rows of each class for a sentence."""
        pairs = zip(self.labels, self.counts.tolist(), strict=True)
        return listed([f"{label} ({number:,})" for label, number in pairs], most=12)

    @property
    def wrong(self) -> Flags:
        """Mask of the misclassified rows."""
        if self.predicted is None:
            return np.zeros(len(self.codes), dtype=bool)
        return np.asarray(self.predicted != self.codes)

    @property
    def looks(self) -> dict[int, int]:
        """Position in the palette of the colour and marker shape of each coloured class."""
        every = len(self.coloured) == len(self.labels)
        numbers = (i for i in itertools.count() if every or colour(i) != GREY)
        return dict(zip(self.coloured, numbers, strict=False))

    @property
    def others(self) -> Flags:
        """Mask of the rows of classes without a colour."""
        return ~np.isin(self.codes, self.coloured)

    @property
    def name_of_others(self) -> str:
        """The classes without a colour in the legend."""
        of_others = np.delete(self.counts, self.coloured)
        noun = count(len(of_others), "other class", "other classes")
        return f"{noun} ({of_others.sum():,})"

    @property
    def by_verdict(self) -> bool:
        """True if colours show which rows are misclassified: there are too many classes."""
        return self.predicted is not None and len(self.labels) > MANY_CLASSES

    @property
    def are_ringed(self) -> bool:
        """True if the misclassified rows are few enough to have rings around them."""
        return int(np.count_nonzero(self.wrong)) <= MOST_RINGS

    def sample(self, most: int = MOST_DRAWN) -> Marks:
        """Keep at most `most` rows, of each class its share but at least one; always the same."""
        if len(self.codes) <= most:
            return self
        share = self.counts * (most - np.count_nonzero(self.counts)) / len(self.codes)
        quota = np.where(self.counts > 0, np.floor(share) + 1, 0).astype(int)
        # What rounding down left over goes to the classes that lost most, while they have rows.
        order = np.argsort(np.floor(share) - share, kind="stable")
        while quota.sum() < most:
            quota[order[self.counts[order] > quota[order]][: most - quota.sum()]] += 1
        shuffled = rows_by_class(self.codes, len(quota), seed=0)
        keep = [rows[:number] for rows, number in zip(shuffled, quota.tolist(), strict=True)]
        chosen = np.zeros(len(self.codes), dtype=bool)
        chosen[np.concatenate(keep)] = True
        return self.only(chosen)

    def only(self, chosen: Flags) -> Marks:
        """Keep some rows (n,); counts stay those of all."""
        predicted = None if self.predicted is None else self.predicted[chosen]
        return self._replace(
            points=self.points[chosen],
            codes=self.codes[chosen],
            rows=self.rows[chosen],
            predicted=predicted,
        )

    def note(self, drawn: Marks) -> str:
        """Describe the points if they are sampled or jittered; otherwise empty."""
        is_sample = len(drawn.codes) < len(self.codes)
        return join(
            f"A sample of {len(drawn.codes):,} of {len(self.codes):,} {self.noun}."
            if is_sample
            else "",
            f"{capital(self.noun)} of equal values are drawn side by side."
            if self.are_spread
            else "",
        )


def point_traces(
    marks: Marks, axis_names: tuple[str, ...], *, ringed: bool | None = None
) -> list[Trace]:
    """Return a trace for each class that has rows (of many rows several), and one of rings.

    Misclassified rows have rings while they are few, or as `ringed` says.

    Points of one coordinate are spread over the height of a lane for each class, from 0 at the
    bottom to K at the top.

    Parameters
    ----------
    marks : Marks
        Rows, with their places in the plane or on the line.
    axis_names : tuple of str
        One or two, for what is shown of a point under the mouse.
    ringed : bool, optional
        Whether misclassified rows have rings, and otherwise dots; rings while they are few when
        not given.
    """
    coordinates = marks.points if marks.points.shape[1] == 2 else _lane_points(marks)
    kind = "scatter" if len(marks.codes) <= MOST_SVG else "scattergl"
    x, y = compact(coordinates[:, 0]), compact(coordinates[:, 1])
    if marks.by_verdict:
        return _verdict_traces(kind, x, y, marks, axis_names)
    traces, seen, looks = [], set[int](), marks.looks
    if marks.others.any():
        look = marker(0, len(marks.codes)) | {"color": GREY, "opacity": 0.5}
        traces.append(
            _grouped(kind, x, y, marks, axis_names, marks.others, marks.name_of_others, look)
        )
    for code, chosen in _layers(marks):
        label = marks.labels[code]
        traces.append(
            trace(
                kind,
                x=x[chosen],
                y=y[chosen],
                mode="markers",
                name=legend_name(marks.labels, code, int(marks.counts[code])),
                legendgroup=str(code),
                showlegend=code not in seen,
                marker=marker(looks[code], len(marks.codes)),
                customdata=narrow(marks.rows[chosen]),
                text=_verdicts(marks, chosen),
                meta=[escape(label), *(escape(name) for name in axis_names)],
                hovertemplate=_hover(
                    len(axis_names), f"<b>%{{meta[0]}}</b>, {marks.one} %{{customdata}}%{{text}}"
                ),
            )
        )
        seen.add(code)
    return traces + _wrong(kind, x, y, marks, marks.are_ringed if ringed is None else ringed)


def _verdict_traces(
    kind: str, x: NDArray[Any], y: NDArray[Any], marks: Marks, axis_names: tuple[str, ...]
) -> list[Trace]:
    """Return the correct rows, and over them the misclassified ones."""
    look = marker(0, len(marks.codes))
    correct, wrong = look | {"color": GOOD}, look | {"color": BAD, "symbol": "diamond"}
    return [
        _grouped(kind, x, y, marks, axis_names, ~marks.wrong, "correct", correct),
        _grouped(kind, x, y, marks, axis_names, marks.wrong, "misclassified", wrong),
    ]


def _grouped(
    kind: str,
    x: NDArray[Any],
    y: NDArray[Any],
    marks: Marks,
    axis_names: tuple[str, ...],
    chosen: Flags,
    name: str,
    look: dict[str, Any],
) -> Trace:
    """Return rows of several classes that look the same."""
    short = [escape(label) for label in shorten_all(marks.labels, HOVER_WIDTH)]
    codes = marks.codes[chosen].tolist()
    pairs = zip(codes, _verdicts(marks, chosen) or [""] * len(codes), strict=True)
    return trace(
        kind,
        x=x[chosen],
        y=y[chosen],
        mode="markers",
        name=name,
        legendgroup=name,
        showlegend=True,
        marker=look,
        customdata=narrow(marks.rows[chosen]),
        text=[f"{short[code]}{verdict}" for code, verdict in pairs],
        meta=["", *(escape(name) for name in axis_names)],
        hovertemplate=_hover(len(axis_names), f"%{{text}}, {marks.one} %{{customdata}}"),
    )


def behind(view: View | None) -> list[Trace]:
    """Return the rows of a view of two coordinates as faint markers, to be drawn behind others."""
    if view is None or not 0 < len(view.rows) <= MOST_FAINT:
        return []
    rows = Marks.of(view)
    hues = [colour(int(code)) for code in rows.codes]
    if len(rows.labels) > MANY_CLASSES:
        hues = [INK] * len(hues)
    look = {"color": hues, "symbol": "circle", "size": 4, "opacity": 0.45, "line": {"width": 0}}
    return [
        trace(
            "scatter",
            x=compact(rows.points[:, 0]),
            y=compact(rows.points[:, 1]),
            mode="markers",
            showlegend=False,
            hoverinfo="skip",
            marker=look,
        ),
        # Otherwise its marker in the legend would have the colour of the first row.
        trace(
            "scatter",
            x=[None],
            y=[None],
            mode="markers",
            name=f"training {rows.noun} ({len(rows.codes):,})",
            marker=look | {"color": INK},
        ),
    ]


def _layers(marks: Marks) -> list[tuple[int, NDArray[np.intp]]]:
    """Return the coloured classes with positions of their rows, in the order of painting."""
    # With many rows, classes are painted in alternating layers: otherwise the last class would
    # hide the others wherever they overlap.
    rows = {code: np.flatnonzero(marks.codes == code) for code in sorted(marks.coloured)}
    rows = {code: positions for code, positions in rows.items() if len(positions)}
    turns = min(1, len(rows))
    if turns and len(marks.codes) > MOST_SVG:
        turns = int(np.clip(MOST_LAYERS // len(rows), 1, MOST_TURNS))
    codes, layers = list(rows), []
    for turn in range(turns):
        # In every turn a different class comes last.
        order = codes[turn % len(codes) :] + codes[: turn % len(codes)]
        layers += [(code, rows[code][turn::turns]) for code in order]
    return [(code, chosen) for code, chosen in layers if len(chosen)]


def marker(code: int, n_points: int) -> dict[str, Any]:
    """Return the look of a class, smaller the more points there are."""
    decades = np.log10(max(n_points, 1))
    few = n_points <= MOST_SVG
    size = float(np.clip(13 - 1.6 * decades, 5.5, 10) if few else np.clip(16 - 2.7 * decades, 4, 7))
    edge = {"color": EDGE, "width": 1 if few else 0}
    opacity = 0.95 if few else 0.6
    return {
        "color": colour(code),
        "symbol": symbol(code),
        "size": round(size, 2),
        "opacity": opacity,
        "line": edge,
    }


def legend_name(labels: list[str], code: int, n_rows: int) -> str:
    """Return the legend name of a class, which is unique."""
    return f"{escape(shorten_all(labels, LEGEND_WIDTH)[code])} ({n_rows:,})"


def _verdicts(marks: Marks, chosen: NDArray[np.intp] | Flags) -> list[str] | None:
    if marks.predicted is None:
        return None
    # Short, because this is most of what is sent for a row.
    many = len(marks.labels) > MANY_CLASSES
    width = HOVER_WIDTH_OF_MANY if many else HOVER_WIDTH
    taken = [f", predicted {escape(label)}" for label in shorten_all(marks.labels, width)]
    pairs = zip(marks.predicted[chosen].tolist(), marks.wrong[chosen].tolist(), strict=True)
    return [taken[guess] if wrong else "" for guess, wrong in pairs]


def _hover(n_axes: int, row: str) -> str:
    # User text is passed as meta: %{...} within a template would be evaluated.
    places = "<br>".join(f"%{{meta[{i + 1}]}}: %{{{'xy'[i]}:.4~g}}" for i in range(n_axes))
    return f"{row}<br>{places}<extra></extra>"


def _wrong(kind: str, x: NDArray[Any], y: NDArray[Any], marks: Marks, ringed: bool) -> list[Trace]:
    """Return a ring around each misclassified row; if there are many, a dot inside it."""
    wrong = marks.wrong
    if not wrong.any():
        return []
    size = marker(0, len(marks.codes))["size"]
    look: dict[str, Any] = {"symbol": "circle", "size": 0.35 * size, "color": INK}
    if ringed:
        ring = {"size": size + 6, "line": {"width": 1.8, "color": INK}}
        look |= {"symbol": "circle-open"} | ring
    return [
        trace(
            kind,
            x=x[wrong],
            y=y[wrong],
            mode="markers",
            name=f"misclassified ({marks.n_wrong:,})",
            hoverinfo="skip",
            marker=look,
        )
    ]


def _spread(view: View) -> tuple[Array, bool]:
    """Return jittered points (n, d), and whether values of numeric axes were jittered."""
    points, levels = view.points.copy(), view.levels or (None,) * view.points.shape[1]
    places = len(np.unique(points, axis=0))
    crowded = points.shape[1] == 2 and len(points) > CROWDED * places
    are_spread = False
    for number, known in enumerate(levels):
        gap = 1.0 if known is not None else 0.0
        if known is None and points.shape[1] == 2:
            gap = _gap(points[:, number], MOST_PLACES if crowded else MOST_STRIPES)
        are_spread |= known is None and gap > 0
        # A different irrational step for each axis: otherwise all would lie on one line.
        step = (0.7548776662466927, 0.5698402909980532)[number]
        if gap:
            points[:, number] += gap * (0.5 * (view.rows * step % 1) - 0.25)
    return points, are_spread


def _gap(values: Array, most: int) -> float:
    """Return the smallest step between the values of an axis; 0 if there are many, or one."""
    levels = np.unique(values)
    few = 1 < len(levels) <= min(most, len(values) / ROWS_OF_A_STRIPE)
    return float(np.diff(levels).min()) if few else 0.0


def _lane_points(marks: Marks) -> Array:
    """Return points (n, 2): the single coordinate, and a height within the lane of the class."""
    # Multiples of the golden ratio are spread evenly, and a row always has the same height.
    jitter = marks.rows * 0.6180339887498949 % 1
    lane = len(marks.labels) - 1 - marks.codes + 0.15 + 0.7 * jitter
    return np.column_stack([marks.points[:, 0], lane])


def verdict(marks: Marks, drawn: Marks | None = None) -> str:
    """Return how many of the rows are misclassified, and how those drawn are marked."""
    # Empty without predictions.
    if marks.predicted is None or not len(marks.codes):
        return ""
    rows = marks.counted
    if not marks.n_wrong:
        return f"None of {rows} is misclassified."
    verb = "is" if marks.n_wrong == 1 else "are"
    marking = "" if drawn is None else ", ringed" if drawn.are_ringed else ", dotted"
    marking = "" if marks.by_verdict else marking
    share = percent(marks.n_wrong / len(marks.codes))
    return f"{marks.n_wrong:,} of {rows} {verb} misclassified ({share}){marking}."
