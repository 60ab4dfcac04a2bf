"""Figures of the dashboard: the start view's example, and one of each page, for the README."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from figures_of_guide import write_guide
from PIL import Image
from playwright.sync_api import sync_playwright

from lincore.analysis import Analysis, GeometryQuestion
from tests.browser.dashboard import Dashboard
from tests.browser.install import ARGUMENTS, find
from tests.browser.server import serving

ROOT = Path(__file__).parents[1]
_REVEALED = Analysis(question=GeometryQuestion("fisher", guess=9.0, revealed=True))
#: Of each page the link that shows something.
PAGES = {
    "start": "",
    "data": "data?sample=passengers",
    "explore": "explore?sample=passengers",
    "geometry": f"geometry?analysis={_REVEALED.to_query()}",
    "classify": "classify?sample=faces",
    "compare": "compare?sample=passengers",
    "balance": "balance?sample=passengers",
    "predict": "predict?sample=passengers",
}
WIDTH = 1100


def write_pages(folder: Path, guide: Path) -> None:
    """Serve the dashboard and keep what it shows at 1440 × 900, and parts of it for the guide."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(ARGUMENTS))
        with serving(ROOT, Path(home), Path(home) / "log") as address:
            visitor = Dashboard(browser, address, folder)
            for name, link in PAGES.items():
                visitor.goto(link)
                _wait_for_jobs(visitor)
                _write(visitor.page.screenshot(), folder / f"{name}.png")
                if name == "start":
                    example = visitor.element("start.example")
                    visitor.page.set_viewport_size({"width": 1440, "height": 1300})
                    visitor.settle()
                    _write(example.screenshot(), folder / "example.png")
            write_guide(visitor, guide, _wait_for_jobs)
            visitor.close()
        browser.close()


def _wait_for_jobs(visitor: Dashboard) -> None:
    jobs = visitor.page.locator('[class*="-job"][class*="st-key-"]')
    for number in range(jobs.count()):
        jobs.nth(number).wait_for(state="detached", timeout=60_000)
    visitor.settle()
    visitor.page.mouse.move(1435, 895)


def _write(png: bytes, path: Path) -> None:
    with Image.open(io.BytesIO(png)) as figure:
        height = round(figure.height * WIDTH / figure.width)
        small = figure.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    small.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
