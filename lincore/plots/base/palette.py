"""One colour and one marker shape for each class, the same in every figure and both themes."""

from __future__ import annotations

# Okabe and Ito's colours without black and yellow, and two more; dark ones first. Each has at
# least 2:1 against white and against a dark page, and they differ under colour blindness.
COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#7F7F7F",
    "#8C564B",
)
SYMBOLS = (
    "circle",
    "diamond",
    "square",
    "triangle-up",
    "cross",
    "triangle-down",
    "x",
    "star",
)
# The only symbols of WebGL's three-dimensional markers.
SYMBOLS_3D = (
    "circle",
    "diamond",
    "square",
    "circle-open",
    "cross",
    "diamond-open",
    "x",
    "square-open",
)

# With more classes than this, regions have no colours and rows show whether they are misclassified.
MANY_CLASSES = 12
# With more classes, a scatter initially colours this many and draws the others in grey.
COLOURED_OF_MANY = 6

ACCENT = "#6870C9"  # the accent of the theme, between its light and its dark form
# Better and worse, the ends of a diverging scale: colours of no class, told apart by colour-blind
# people.
GOOD, BAD = ACCENT, "#B8860B"
GREY = "#7F7F7F"
# Marks what is pointed at in a figure of two classes.
MARK = COLOURS[2]
GRID = "rgba(127,127,127,0.2)"
CLEAR = "rgba(0,0,0,0)"
# Streamlit replaces this colour by that of its text (it is GRAY_90 in its
# `streamlit_plotly_theme`); elsewhere it is almost black.
INK = "#000037"
# The outline of markers, which may overlap or lie on a shade of their own hue.
EDGE = "rgba(255,255,255,0.85)"


def colour(code: int) -> str:
    """Return the colour of a class, by its position among the classes.

    Parameters
    ----------
    code : int
        From 0; colours repeat where there are more classes than colours.
    """
    return COLOURS[code % len(COLOURS)]


def shade_colour(code: int, n_classes: int) -> str:
    """Return the colour of the region of a class: grey for all if there are too many classes."""
    return colour(code) if n_classes <= MANY_CLASSES else GREY


def symbol(code: int) -> str:
    """Return the marker shape of a class.

    The first eight classes differ in colour and in shape; every further eight move one shape on,
    so that no two of the first 64 classes share both.
    """
    return SYMBOLS[_shape(code)]


def symbol_3d(code: int) -> str:
    """Return the marker shape of a class in three dimensions."""
    return SYMBOLS_3D[_shape(code)]


def method_look(position: int) -> tuple[str, str, str]:
    """Return colour, dash and marker of a method: of lines that are not classes."""
    # The accent, then the colours of classes in reverse order; the first five also differ in
    # dash, so that a method is not mistaken for a class.
    hues, dashes = (ACCENT, *COLOURS[::-1]), ("solid", "dash", "dot", "dashdot", "longdash")
    hue = hues[position % len(hues)]
    return hue, dashes[position % len(dashes)], SYMBOLS[position % len(SYMBOLS)]


def translucent(hex_colour: str, alpha: float) -> str:
    """Return a colour such as "#0072B2" with an opacity.

    Parameters
    ----------
    hex_colour : str
        "#rrggbb".
    alpha : float
        Opacity, between 0 and 1.

    Examples
    --------
    >>> translucent("#0072B2", 0.5)
    'rgba(0,114,178,0.5)'
    """
    red, green, blue = (int(hex_colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:.4g})"


def _shape(code: int) -> int:
    return (code + code // len(COLOURS)) % len(SYMBOLS)
