"""Response times of the dashboard's options: server time, and time until drawn.

A real Chromium changes every widget that it finds, there and back, ten times; before each change
another seed draws another split, so that no answer comes from a cache. The server's time is that
of the runs of the script, their end included, as its log tells it. The drawn time goes from the
browser's message to the last stroke.

Wants an idle machine. Names of journeys (sample, faces, mnist, lesson), of pages (explore, ...) and
of experiments of the lesson (fisher, ...) as arguments choose some of them; ``LINCORE_TURNS`` says
how often instead of ten times.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import CDPSession, Locator, Page, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from benchmarks.common import DATA, ROOT, finish, mnist, require
from lincore.analysis import Analysis, GeometryQuestion
from lincore.laboratory import EXPERIMENTS
from tests.browser.dashboard import Dashboard
from tests.browser.install import ARGUMENTS, find
from tests.browser.server import serving

TURNS = int(os.environ.get("LINCORE_TURNS", "10"))
RUN = re.compile(r"^lincore-run ([\d.]+)$", re.MULTILINE)
BUSY = re.compile(r"^lincore-busy ([\d.]+)$", re.MULTILINE)
#: Stands before the first line of app.py, which is served as it is otherwise.
OBSERVED = "import observed\n\nobserved.begin()\n"
SEED = "sidebar.seed"
#: Data and what concerns all pages are not options of a page.
PAGES = ("explore", "classify", "compare", "balance", "geometry")

#: The first option of a multiselect: all at once is another experiment, not another option.
EVERYTHING = "Select all"

#: The keys of the widgets in sight, each with its kind.
WIDGETS = """
(page) => [...document.querySelectorAll(`[data-testid="stMain"] [class*="st-key-${page}-"]`)]
  .filter((element) => element.checkVisibility() && !element.querySelector('[class*="st-key-"]'))
  .map((element) => {
    const name = [...element.classList].find((one) => one.startsWith('st-key-'));
    const has = (selector) => element.querySelectorAll(selector).length;
    const kinds = {
      switch: has('input[type="checkbox"]'), choose: has('[role="combobox"]'),
      enter: has('input[type="number"]'), slide: has('input[type="range"]'),
      press: has('[data-testid="stButtonGroup"]'),
    };
    const found = Object.entries(kinds).filter(([, count]) => count === 1);
    return found.length === 1 ? [name.slice('st-key-'.length), found[0][0]] : null;
  })
  .filter((one) => one !== null)
"""


class Times(NamedTuple):
    """Seconds on the server, and from the message to the last stroke."""

    server: float
    drawn: float


class Visit:
    """A visitor of a server that logs its runs."""

    def __init__(self, dashboard: Dashboard, log: Path) -> None:
        self.dashboard = dashboard
        self.log = log

    def time(self, action: Callable[[], Any]) -> Times:
        """Return how long an action takes."""
        read = len(self.log.read_text())
        drawn = self.dashboard.seconds_until_drawn(action)
        runs = RUN.findall(self.log.read_text()[read:])
        return Times(sum(map(float, runs)), drawn)

    def widgets(self, page: str) -> dict[str, str]:
        """Return the keys of the widgets of a page, unfolded, with their kinds."""
        for summary in self.dashboard.page.get_by_test_id("stMain").locator("summary").all():
            if summary.evaluate("summary => !summary.parentElement.open"):
                summary.click()
        self.dashboard.settle()
        return dict(self.dashboard.page.evaluate(WIDGETS, page))

    def reseed(self, turn: int) -> None:
        """Draw another split, where the split is drawn."""
        if self.dashboard.element(SEED).count():
            self.dashboard.enter(SEED, turn + 1)

    def changes(self, key: str, kind: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
        """Return what changes a widget, and what changes it back."""
        dashboard, element = self.dashboard, self.dashboard.element(key)
        if kind == "switch":
            on = element.locator("input").is_checked()
            return (lambda: dashboard.switch(key, not on)), (lambda: dashboard.switch(key, on))
        if kind in ("enter", "slide"):
            here, there = _neighbours(element.locator("input").first)
            act = dashboard.enter if kind == "enter" else dashboard.slide
            return (lambda: act(key, there)), (lambda: act(key, here))
        chosen, other = self._options(key, element, kind)
        if element.get_by_test_id("stMultiSelect").count():
            return (lambda: dashboard.choose(key, other)), (lambda: self._take_back(key, other))
        return (lambda: dashboard.choose(key, other)), (lambda: dashboard.choose(key, chosen))

    def _options(self, key: str, element: Locator, kind: str) -> tuple[str, str]:
        if kind == "press":
            # Not the button of the help text.
            buttons = element.locator('button[data-variant], [data-testid$="Option"]')
            names = [name.strip() for name in buttons.all_inner_texts()]
            pressed = buttons.evaluate_all(
                "all => all.findIndex((one) => one.getAttribute('aria-checked') === 'true'"
                " || one.getAttribute('aria-pressed') === 'true')"
            )
            return names[max(pressed, 0)], names[pressed - 1]
        combobox = element.get_by_role("combobox")
        chosen = combobox.input_value()
        names = self.dashboard.open_list(key)
        combobox.press("Escape")
        return chosen, next(name for name in names if name not in (chosen, EVERYTHING))

    def _take_back(self, key: str, option: str) -> None:
        """Take a choice of a multiselect away."""
        self.dashboard.element(key).get_by_label(f"Remove {option}", exact=True).click()
        self.dashboard.settle()


def _neighbours(field: Locator) -> tuple[float, float]:
    number = {
        name: float(field.get_attribute(name) or default)
        for name, default in (("min", "-inf"), ("max", "inf"), ("step", "1"))
    }
    step = number["step"] if np.isfinite(number["step"]) and number["step"] > 0 else 1.0
    here = float(field.input_value())
    there = here + step if here + step <= number["max"] else here - step
    return _plain(here), _plain(there)


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value


@contextmanager
def visiting() -> Iterator[Visit]:
    """Serve the dashboard, its times in the log, and bring a visitor."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        shutil.copy(ROOT / "benchmarks" / "served" / "observed.py", folder)
        for part in ("pages", "lincore", ".streamlit"):
            (folder / part).symlink_to(ROOT / part)
        (folder / "app.py").write_text(OBSERVED + (ROOT / "app.py").read_text())
        browser = playwright.chromium.launch(executable_path=find(), args=list(ARGUMENTS))
        with serving(folder, home=folder, log=folder / "log") as address:
            dashboard = Dashboard(browser, address, folder)
            yield Visit(dashboard, folder / "log")
            dashboard.close()
        browser.close()


def every_option(visit: Visit, data: str, server: float, drawn: float) -> None:
    """Change every widget of every page that there is, and hold the medians to their bounds."""
    wanted = [page for page in PAGES if page in sys.argv] or PAGES
    for page in [page for page in wanted if page in visit.dashboard.pages()]:
        visit.dashboard.visit(page)
        for key, kind in visit.widgets(page).items():
            try:
                times = _there_and_back(visit, page, key, kind)
            except (PlaywrightError, RuntimeError, StopIteration, IndexError, ValueError) as error:
                # Options that hide or forbid each other are no fault; what is left out is listed.
                reason = (str(error) or repr(error)).splitlines()[0]
                print(f"left   {data}, {key}: {reason}", flush=True)
                visit.dashboard.visit(page)
                continue
            _require(f"{data}, {key}", times, server, drawn)


def _there_and_back(visit: Visit, page: str, key: str, kind: str) -> list[Times]:
    there, back = visit.changes(key, kind)
    times = []
    for turn in range(TURNS):
        visit.reseed(turn)
        visit.widgets(page)
        times.append(visit.time(back if turn % 2 else there))
    if TURNS % 2:
        back()
    return times


def _require(what: str, times: list[Times], server: float, drawn: float) -> None:
    medians = Times(*(float(np.median(column)) for column in zip(*times, strict=True)))
    require(f"{what}, seconds on the server", round(medians.server, 3), at_most=server)
    require(f"{what}, seconds until drawn", round(medians.drawn, 3), at_most=drawn)


def sample() -> None:
    """Any option on a bundled sample: 0.2 s on the server, drawn within 1.5 s."""
    with visiting() as visit:
        visit.dashboard.goto()
        every_option(visit, "iris", server=0.2, drawn=1.5)


def faces() -> None:
    """3,000 images of 30 by 30 pixels, 50 components: 1 s and 2.5 s."""
    path = DATA / "faces3_bmp30.zip"
    if not path.exists():
        sys.exit(f"{path} not found: set LINCORE_DATA to the folder that holds it.")
    with visiting() as visit:
        visit.dashboard.goto()
        visit.dashboard.upload("data.upload", path)
        for page in ("classify", "balance"):
            visit.dashboard.visit(page)
            visit.widgets(page)
            if visit.dashboard.element(f"{page}.pca").count():
                visit.dashboard.choose(f"{page}.pca", "Number")
                visit.dashboard.enter(f"{page}.components", 50)
        every_option(visit, "faces", server=1.0, drawn=2.5)


def digits() -> None:
    """MNIST from its arrays: LDA fitted and what is open of Classify drawn within 6 s."""
    arrays = mnist()
    rows = np.concatenate([arrays["X_train"], arrays["X_test"]]).reshape(-1, 28, 28)
    labels = np.concatenate([arrays["y_train"], arrays["y_test"]])
    with visiting() as visit, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mnist.npz"
        np.savez(path, X=rows.astype(np.uint8), y=labels)
        times = []
        for _ in range(TURNS):
            # Every visitor brings another seed: the caches of the one before do not answer.
            visit.dashboard.goto(f"data?arrays={path}")
            visit.reseed(len(times))
            times.append(visit.time(lambda: visit.dashboard.visit("classify")))
        _require("MNIST, Classify", times, server=6.0, drawn=6.0)


def lesson() -> None:
    """Every link to Geometry opens within 2 s, and *Reveal* answers within 0.3 s of its click.

    Counted are processor seconds, of the browser's main thread and of the server's runs: on a
    machine with nothing else to do a visitor waits for their sum.
    """
    with visiting() as visit:
        visit.dashboard.goto()
        clocks: list[CDPSession] = []
        visit.dashboard.page.context.on("page", lambda page: clocks.append(_clock(page)))
        for word in [word for word in EXPERIMENTS if word in sys.argv] or EXPERIMENTS:
            for name in EXPERIMENTS[word].presets:
                link = Analysis(question=GeometryQuestion(word, name)).to_query()
                times = [_opened_and_revealed(visit, link, clocks) for _ in range(TURNS)]
                opened, revealed = np.median(times, axis=0).round(3).tolist()
                require(f"{word}, {name}: opened, seconds", opened, at_most=2.0)
                require(f"{word}, {name}: revealed, seconds", revealed, at_most=0.3)


def _clock(page: Page) -> CDPSession:
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


def _opened_and_revealed(visit: Visit, link: str, clocks: list[CDPSession]) -> tuple[float, float]:
    """Open a link in a tab of its own, and reveal its answer without playing."""

    def busy() -> float:
        metrics = clocks[-1].send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")

    dashboard, read = visit.dashboard, len(visit.log.read_text())
    dashboard.open_tab_of_its_own(f"geometry?analysis={link}")
    opened = busy() + sum(map(float, BUSY.findall(visit.log.read_text()[read:])))
    dashboard.page.emulate_media(reduced_motion="reduce")
    start, read = busy(), len(visit.log.read_text())
    dashboard.element("geometry.reveal").get_by_role("button").first.click()
    dashboard.page.locator(".player[data-drawn], .board[data-judged=true]").wait_for()
    drawn = busy() - start
    dashboard.settle()
    # A second run follows, which writes the answer over the last frame.
    first, *_ = map(float, BUSY.findall(visit.log.read_text()[read:]))
    dashboard.page.close()
    return opened, drawn + first


JOURNEYS = {"sample": sample, "faces": faces, "mnist": digits, "lesson": lesson}

if __name__ == "__main__":
    for chosen in [name for name in sys.argv[1:] if name not in (*PAGES, *EXPERIMENTS)] or JOURNEYS:
        JOURNEYS[chosen]()
    finish()
