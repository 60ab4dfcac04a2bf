"""Contact sheets of images: samples, class means, eigen-images."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from lincore.plots.base.style import Trace, bare_axis, escape, figure, shorten_all, trace
from lincore.utils.formatting import count, listed

# Shares of the width of an image: the gap between images, and the space for a title above a large
# and above a small image. A phone shows images smaller, but not their titles.
GAP, LINE, NAME_LINE = 0.08, 0.2, 0.045
# Pixels: maximum width of an image and of a sheet, and maximum height of a sheet.
LARGEST, WIDEST, TALLEST = 200, 900, 1400
# Characters: of all names side by side on a phone, and of the longest and the shortest name.
NAMES_WIDTH, LONGEST, SHORTEST = 66, 16, 6
BLACK_TO_WHITE = [[0.0, "rgb(0, 0, 0)"], [1.0, "rgb(255, 255, 255)"]]


def images(
    stack: NDArray[np.generic], titles: Sequence[str], *, columns: int = 6, title: str = "Images"
) -> go.Figure:
    """Draw images of one size, row by row.

    Parameters
    ----------
    stack : ndarray of shape (m, h, w), or (m, h, w, 3) in colour
        Bytes, of which 0 is black, or floats, of which the smallest is; the largest is white.
    titles : sequence of m str
    columns : int, default 6
    title : str

    Returns
    -------
    plotly.graph_objects.Figure
        Its ``layout.meta["sheet"]`` holds how wide the images are drawn at most, in pixels, and
        how tall they are for their width, so that a page can give a narrow sheet its height.
    """
    pixels = stack if stack.dtype == np.uint8 else stack.astype(np.float32)
    low = 0.0 if stack.dtype == np.uint8 else float(pixels.min())
    high = float(pixels.max())
    scale = {"colorscale": BLACK_TO_WHITE, "cmin": low, "cmax": high, "showscale": False}
    return sheet(pixels, titles, columns=columns, title=title, scale=scale)


def sheet(
    pixels: NDArray[np.generic],
    titles: Sequence[str],
    *,
    columns: int,
    title: str,
    scale: dict[str, Any],
) -> go.Figure:
    """Draw images in the colours of a scale, as `images` does."""
    n_images, height, width = pixels.shape[:3]
    columns = max(1, min(columns, n_images))
    gap, line = GAP * width, max(LINE, NAME_LINE * columns) * width * any(titles)
    n_lines = -(-n_images // columns)
    across, down = columns * (width + gap) - gap, n_lines * (height + line + gap) - gap
    wide = min(LARGEST * across / width, WIDEST, TALLEST * across / down)
    names = shorten_all(titles, int(np.clip(NAMES_WIDTH // columns, SHORTEST, LONGEST)))
    corners = [
        (position % columns * (width + gap), position // columns * (height + line + gap) + line)
        for position in range(n_images)
    ]
    draw = _colour if pixels.ndim == 4 else _grey
    fixed = {"constrain": "domain", "fixedrange": True}
    drawn = figure(
        [draw(*parts) for parts in zip(pixels, names, corners, strict=True)],
        title,
        alt=f"{title}: {count(n_images, 'image')} of {width} by {height} pixels, "
        f"{listed([name for name in titles if name], most=12)}.",
        height=round(wide * down / across),
        coloraxis=scale,
        annotations=[
            _heading(name, left + width / 2, top)
            for name, (left, top) in zip(names, corners, strict=True)
        ],
        xaxis=bare_axis(range=[0, across], constraintoward="left", **fixed),
        yaxis=bare_axis(range=[down, 0], scaleanchor="x", constraintoward="top", **fixed),
    )
    drawn.layout.meta = drawn.layout.meta | {"sheet": {"width": wide, "ratio": down / across}}
    return drawn


def _heading(name: str, middle: float, bottom: float) -> dict[str, Any]:
    position = {"x": middle, "y": bottom, "yanchor": "bottom"}
    return position | {"text": escape(name), "showarrow": False, "font": {"size": 11}}


def _grey(image: NDArray[np.generic], name: str, corner: tuple[float, float]) -> Trace:
    """Return an image trace in the colours of the scale, one unit per pixel."""
    left, top = corner
    return trace(
        "heatmap",
        z=image,
        x0=left + 0.5,
        dx=1,
        y0=top + 0.5,
        dy=1,
        coloraxis="coloraxis",
        meta=[escape(name)],
        hovertemplate="<b>%{meta[0]}</b><br>%{z:.3~g}<extra></extra>",
    )


def _colour(image: NDArray[np.generic], name: str, corner: tuple[float, float]) -> Trace:
    left, top = corner
    return trace(
        "image",
        source=png_uri(image),
        x0=left + 0.5,
        y0=top + 0.5,
        meta=[escape(name)],
        hovertemplate="<b>%{meta[0]}</b><extra></extra>",
    )


def png_uri(image: NDArray[np.generic]) -> str:
    """Return an image (h, w) or (h, w, 3) as a PNG in a data URI; floats fill the range."""
    low, span = (0.0, 255.0) if image.dtype == np.uint8 else (float(image.min()), np.ptp(image))
    pixels = np.rint(255 * (image.astype(float) - low) / (float(span) or 1.0)).astype(np.uint8)
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[..., None], 3, axis=2)
    return f"data:image/png;base64,{base64.b64encode(png(pixels)).decode()}"


def png(pixels: NDArray[np.uint8]) -> bytes:
    r"""Return an image (h, w, 3) as PNG, a tenth of the size of Plotly's lists of colours."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in np.ascontiguousarray(pixels))

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )
