"""Screenshots of parts of the pages for docs/guide/, beside those of whole pages."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from tests.browser.dashboard import Dashboard

#: Pixels of the page beside the sidebar, and how wide a figure of it is.
LEFT, RIGHT, HEIGHT, WIDTH = 340, 1400, 760, 880
#: Taller ones: the images below the matrix are part of it.
HEIGHTS = {"errors": 1100}


def projections(visitor: Dashboard) -> str:
    """Show principal components beside Fisher's discriminants."""
    visitor.goto("explore?sample=wine")
    visitor.choose("explore.view", "PCA and Fisher")
    return "explore.row"


def errors(visitor: Dashboard) -> str:
    """Show the confusion matrix with the rows of its largest error."""
    visitor.goto("classify?sample=faces")
    visitor.click_cell("classify.confusion", 2, 0)
    return "classify.model"


def pairs(visitor: Dashboard) -> str:
    """Show the pairwise comparisons."""
    visitor.goto("compare?sample=passengers")
    visitor.open_tab("compare.panels", "Pairwise comparisons")
    return "compare.panels"


def reduced(visitor: Dashboard) -> str:
    """Show one model on the full and on the reduced training set."""
    visitor.goto("balance?sample=gaussian")
    visitor.choose("balance.mode", "What if a class were smaller?")
    visitor.open_tab("balance.tabs", "Full and reduced set")
    return "balance.tabs"


FIGURES: dict[str, Callable[[Dashboard], str]] = {
    "projections": projections,
    "errors": errors,
    "pairs": pairs,
    "reduced": reduced,
}


def write_guide(visitor: Dashboard, folder: Path, wait: Callable[[Dashboard], None]) -> None:
    """Write the figures of the guide.

    Parameters
    ----------
    visitor : Dashboard
    folder : Path
    wait : callable
        Returns when the jobs of the page are finished.
    """
    folder.mkdir(exist_ok=True)
    for name, show in FIGURES.items():
        element = visitor.element(show(visitor))
        wait(visitor)
        # The page ends below the figure: with a taller window it can be scrolled to the top.
        visitor.page.set_viewport_size({"width": 1440, "height": 1800})
        visitor.settle()
        element.scroll_into_view_if_needed()
        top, height = element.bounding_box(), HEIGHTS.get(name, HEIGHT)
        box = {"x": LEFT, "y": max(0.0, top["y"] - 8), "width": RIGHT - LEFT, "height": height}
        png = visitor.page.screenshot(clip=box)
        with Image.open(io.BytesIO(png)) as figure:
            small = figure.convert("RGB").resize(
                (WIDTH, round(height * WIDTH / (RIGHT - LEFT))), Image.Resampling.LANCZOS
            )
        path = folder / f"{name}.png"
        small.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
