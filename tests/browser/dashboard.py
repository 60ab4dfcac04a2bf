"""Drive the dashboard in a browser as a person does, and read what stands on the screen.

Widgets are named by their keys: Streamlit gives the element of ``key="data.target"`` the class
``st-key-data-target``. A read-only ``st.dataframe`` gets none in Streamlit 1.67: put it into a
``st.container(key=...)`` and name that.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Locator, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.browser.figures import Figures
from tests.browser.scripts import FIGURE, ROWS, SCENES, SETTLED, START, STOP, WATCH

#: Streamlit looks for its server beside the page first: two 404s on every direct way to a page.
STREAMLITS_OWN = re.compile(r"404 \(Not Found\) \(\S+/_stcore/(health|host-config)\)$")

#: Milliseconds. A first page imports everything; and a machine may be several times slower than
#: yesterday, which is no fault of a page: how long people wait is measured in benchmarks.
WIDEST_WAIT = 180_000


class Dashboard(Figures):
    """One visitor at a time, each in a browser context of its own.

    Parameters
    ----------
    browser : Browser
        A running Chromium.
    address : str
        Where the dashboard is served.
    artefacts : Path
        The folder for screenshots.
    """

    def __init__(self, browser: Browser, address: str, artefacts: Path) -> None:
        self.browser = browser
        self.address = address
        self.artefacts = artefacts
        self.faults: list[str] = []
        self._context: BrowserContext | None = None
        self._page: Page | None = None

    @property
    def page(self) -> Page:
        """The visitor's tab, for what has no helper here."""
        if self._page is None:
            raise RuntimeError("nobody is here yet: call goto() first")
        return self._page

    # --- coming and going -----------------------------------------------------------------

    def goto(self, page: str = "data", *, dark: bool = False, width: int = 1440) -> None:
        """Open a page as a new visitor; `page` is its URL path, with a query if there is one."""
        self.close()
        height = 900 if width > 600 else 844
        self._context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
        )
        self._context.add_init_script(WATCH)
        self._page = self._context.new_page()
        self._page.set_default_timeout(WIDEST_WAIT)
        self.faults = []
        self._page.on("pageerror", lambda error: self.faults.append(f"page error: {error}"))
        self._page.on("console", self._listen)
        self._page.goto(f"{self.address}/{page}")
        self.settle()
        if self._page.get_by_role("dialog", name="Page not found").count():
            raise ValueError(f"no page {page!r}; there are {self.pages()}")

    def visit(self, page: str) -> None:
        """Go to another page through the navigation, within the same session."""
        link = self.page.locator(f'[data-testid="stSidebarNavLink"][href$="/{page}"]')
        self.open_sidebar()
        sent = self._sent()
        link.click()
        self._follow(sent)

    def reload(self) -> None:
        """Load the page again, as the browser's button does."""
        self.page.reload()
        self.settle()

    def open_tab_of_its_own(self, page: str = "data") -> None:
        """Go on in another tab of the same browser, which opens a page by its URL path."""
        self._page = self.page.context.new_page()
        self._page.set_default_timeout(WIDEST_WAIT)
        self._page.goto(f"{self.address}/{page}")
        self.settle()

    def open_sidebar(self) -> None:
        """Open the sidebar where it is closed, as on a phone."""
        opener = self.page.get_by_test_id("stExpandSidebarButton")
        if opener.is_visible():
            opener.click()
            opener.wait_for(state="hidden")
            self.settle()

    def close_sidebar(self) -> None:
        """Close the sidebar where it is open, so that a phone shows the page again."""
        if not self.page.get_by_test_id("stExpandSidebarButton").is_visible():
            self.page.get_by_test_id("stSidebarHeader").hover()
            self.page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
            self.page.get_by_test_id("stExpandSidebarButton").wait_for()
            self.settle()

    def pages(self) -> list[str]:
        """Return the URL paths of all pages in the navigation, in its order; "" is the first."""
        links = self.page.locator('[data-testid="stSidebarNavLink"]')
        addresses: list[str] = links.evaluate_all("links => links.map(link => link.href)")
        return [address.removeprefix(f"{self.address}/") for address in addresses] or [""]

    def close(self) -> None:
        """Let the visitor go."""
        if self._context is not None:
            self._context.close()
        self._context = self._page = None

    def settle(self) -> None:
        """Wait until the script has run and everything that it sent has been drawn."""
        self.page.evaluate("window.lincore.looks = 0")
        self.page.wait_for_function(SETTLED, timeout=WIDEST_WAIT, polling=50)

    # --- what a person does ---------------------------------------------------------------

    def element(self, key: str) -> Locator:
        """Return the element of the widget or container with this key."""
        return self.page.locator(f".st-key-{re.sub(r'[^a-zA-Z0-9_-]', '-', key)}").first

    def choose(self, key: str, option: str) -> None:
        """Choose an option of a select box, multiselect, radio, segmented control or pills."""
        sent = self._sent()
        combobox = self.element(key).get_by_role("combobox")
        buttons = self.element(key).locator('button[data-variant], [data-testid$="Option"]')
        # A plot and its controls come when its model is fitted, which a settled page may wait for.
        combobox.or_(buttons).first.wait_for()
        if combobox.count():
            self.open_list(key)
            listed = self.page.get_by_role("option", name=option, exact=True)
            if not listed.is_visible():  # a long list draws only what is in view: search
                combobox.press_sequentially(option)
            try:
                listed.click(timeout=5_000)
            except PlaywrightTimeoutError:
                # A second click, of `open_list`, has closed a list that came late.
                self.open_list(key)
                listed.click()
            if self.element(key).get_by_test_id("stMultiSelect").count():
                combobox.press("Escape")  # its list stays open for the next choice
        else:
            exactly = re.compile(rf"^\s*{re.escape(option)}\s*$")
            buttons.filter(has_text=exactly).click()
        self._follow(sent)

    def open_list(self, key: str) -> list[str]:
        """Open the list of a select box or multiselect; return the options in view."""
        combobox = self.element(key).get_by_role("combobox")
        # The mouse may rest where an option was chosen: on a help, whose text then lies over this.
        # A popover that was closed by Escape leaves the focus, and its help, on its button.
        self.page.mouse.move(0, 0)
        self.page.evaluate("document.activeElement?.blur()")
        self.page.get_by_test_id("stTooltipContent").first.wait_for(state="detached")
        self._bring(combobox)
        combobox.click()
        listbox = self.page.get_by_role("listbox")
        try:
            listbox.wait_for(timeout=5_000)
        except PlaywrightTimeoutError:
            # An expander that still unfolds moves it away from under the mouse.
            combobox.click()
            listbox.wait_for()
        return self.page.get_by_role("option").all_inner_texts()

    def enter(self, key: str, value: float | str) -> None:
        """Type into a number or text input and press Enter."""
        sent = self._sent()
        field = self.element(key).locator("input, textarea").first
        field.fill(str(value))
        field.press("Enter")
        self._follow(sent)

    def slide(self, key: str, *values: float) -> None:
        """Set a slider by the keyboard: one value, or two of a range.

        A ``st.select_slider`` counts its options from 0.
        """
        sent = self._sent()
        for thumb, value in enumerate(values):
            handle = self.element(key).locator('input[type="range"]').nth(thumb)
            start, step = float(handle.input_value()), float(handle.get_attribute("step") or 1)
            presses = round((value - start) / step)
            for _ in range(abs(presses)):
                handle.press("ArrowRight" if presses > 0 else "ArrowLeft")
        self._follow(sent)

    def switch(self, key: str, on: bool = True) -> None:
        """Set a toggle or a checkbox."""
        sent = self._sent()
        box = self.element(key).locator('input[type="checkbox"]')
        if box.is_checked() == on:
            return
        self.element(key).locator("label").first.click()
        self._follow(sent)

    def click_quickly(self, key: str, way: str = "Up", times: int = 5) -> None:
        """Click a button of a number many times, without waiting for what it does."""
        button = self.element(key).get_by_test_id(f"stNumberInputStep{way}")
        for _ in range(times - 1):
            button.click(no_wait_after=True)
        sent = self._sent()
        button.click(no_wait_after=True)
        self._follow(sent)

    def number(self, key: str) -> float:
        """Return what a number input shows."""
        return float(self.element(key).get_by_role("spinbutton").input_value())

    def chosen(self, key: str) -> str:
        """Return what a select box shows."""
        return str(self.element(key).get_by_role("combobox").input_value())

    def press(self, key: str) -> None:
        """Press a button and wait for what it does."""
        sent = self._sent()
        self.element(key).get_by_role("button").first.click()
        self._follow(sent)

    def unfold(self, key: str) -> None:
        """Open an expander with this key, if it is closed."""
        summary, sent = self.element(key).locator("summary").first, self._sent()
        if summary.evaluate("summary => !summary.parentElement.open"):
            summary.click()
            self._follow(sent)  # most are filled when they are opened

    def open_popover(self, key: str) -> None:
        """Open a popover with this key, if it is closed."""
        self.settle()  # a chip whose label changes is drawn anew, and would close what was opened
        button, sent = self.element(key).get_by_role("button").first, self._sent()
        if button.get_attribute("aria-expanded") != "true":
            button.click()
            self._follow(sent)  # it is filled when it is opened

    def close_popover(self) -> None:
        """Close the popover that is open, as Escape does."""
        sent = self._sent()
        self.page.keyboard.press("Escape")
        self.page.get_by_test_id("stPopoverBody").wait_for(state="detached")
        self._follow(sent)

    def upload(self, key: str, *files: Path | tuple[str, bytes]) -> None:
        """Give a file uploader files, as paths or names with bytes; or a folder, by its path."""
        folded = self.element(f"{key}.open").get_by_role("button").first
        self.element(key).or_(folded).first.wait_for()
        if not self.element(key).count():
            # It is folded away once there are data.
            folded.click()
            self.element(key).wait_for()
        folder = next((one for one in files if isinstance(one, Path) and one.is_dir()), None)
        if folder is not None:
            self.switch(f"{key}.folder")
        sent = self._sent()
        named = [
            (file.name, file.read_bytes()) if isinstance(file, Path) else file
            for file in files
            if file is not folder
        ]
        given = [
            {"name": name, "mimeType": "application/octet-stream", "buffer": content}
            for name, content in named
        ]
        self.element(key).locator('input[type="file"]').set_input_files(folder or given)
        # One message asks where to put the files, the next says that they are there.
        self._follow(sent, messages=2, patience=WIDEST_WAIT)
        self.wait_for_job("data.read")

    def download(self, key: str) -> tuple[str, bytes]:
        """Press a download button; return the name and the bytes of the file that comes."""
        with self.page.expect_download() as waiting:
            self.element(key).get_by_role("button").first.click()
        self.settle()
        return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()

    def open_tab(self, key: str, label: str) -> None:
        """Open a tab of the ``st.tabs`` with this key."""
        sent = self._sent()
        exactly = re.compile(rf"^\s*{re.escape(label)}\s*$")
        self.element(key).get_by_role("tab").filter(has_text=exactly).first.click()
        self._follow(sent)

    def open_table_cell(self, place: tuple[float, float], editor: Locator) -> None:
        """Click a cell of an editable table, and wait for what it is edited with."""
        self.page.mouse.click(*place, delay=60)
        try:
            editor.wait_for(timeout=1_500)  # a click on the cell that is chosen opens it
        except PlaywrightTimeoutError:
            self.page.keyboard.press("Enter")
            editor.wait_for()

    def fill_cell(self, editor: Locator, typed: str) -> None:
        """Type into an open cell and press Enter, once the editor has taken it up."""
        editor.fill(typed)
        self.page.wait_for_timeout(150)
        editor.press("Enter")

    def wait_for_job(self, key: str, patience: float = WIDEST_WAIT) -> None:
        """Wait until the job with this key (``pages.ui.jobs.page_jobs``) is over and drawn."""
        self.element(f"{key}.job").wait_for(state="detached", timeout=patience)
        self.settle()

    def seconds_until_drawn(self, action: Callable[[], Any]) -> float:
        """Return how long an action takes from its message to the last stroke on the screen.

        What the server takes is part of it; `benchmarks/dashboard.py` reads that from its log.
        """
        self.page.evaluate(START)
        action()
        self.settle()
        seconds = self.page.evaluate(STOP)
        if seconds is None:
            raise RuntimeError("the action sent no message: it changed nothing")
        return float(seconds)

    # --- what stands on the screen --------------------------------------------------------

    def text(self, key: str | None = None) -> str:
        """Return the text of an element, or of the whole page without its sidebar."""
        return _unbound(self.element(key) if key else self.page.get_by_test_id("stMain"))

    def headline(self) -> str:
        """Return what the page tells in its first heading."""
        return _unbound(self.page.get_by_test_id("stMain").get_by_role("heading").first)

    def table(self, key: str) -> list[list[str]]:
        """Return the header and the rows in view of a table or data frame, as shown."""
        # A data frame writes its table for screen readers a moment after it has painted.
        self.element(key).locator("table tr").first.wait_for(state="attached")
        rows: list[list[str]] = self.element(key).evaluate(ROWS)
        return rows

    def figure(self, key: str) -> dict[str, Any]:
        """Return a Plotly figure's data and layout as drawn; numbers come as NumPy arrays."""
        figure: dict[str, Any] = _decoded(self.element(key).evaluate(FIGURE))
        return figure

    def alternative(self, key: str) -> str:
        """Return a figure's text alternative, as a screen reader finds it."""
        chart = self.element(key).get_by_test_id("stPlotlyChart")
        return chart.get_attribute("aria-label") or ""

    def scenes(self, key: str) -> int:
        """Count the WebGL scenes of a figure that are alive and in which something is drawn."""
        alive = [size for size in self.element(key).evaluate(SCENES) if min(size) > 0]
        if not alive:
            return 0
        self.element(key).scroll_into_view_if_needed()
        canvases = self.element(key).locator(".gl-container, #scene, .gl-canvas").all()
        drawn = [_colours(canvas.screenshot()) > 16 for canvas in canvases if canvas.is_visible()]
        return len(alive) if any(drawn) else 0

    def screenshot(self, name: str) -> Path:
        """Keep an image of the whole page, below the fold included."""
        path = self.artefacts / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        size = self.page.viewport_size or {"width": 1440, "height": 900}
        # The page scrolls inside stMain, so Playwright's full_page sees no more than the window.
        height = self.page.get_by_test_id("stMain").evaluate("main => main.scrollHeight")
        self.page.set_viewport_size(
            {"width": size["width"], "height": int(np.clip(height, size["height"], 8000))}
        )
        try:
            self.settle()
            self.page.screenshot(path=path)
        finally:
            self.page.set_viewport_size(size)
        return path

    def check(self) -> None:
        """Assert that no exception is shown, that the console is clean, that nothing overflows."""
        for shown in self.page.get_by_test_id("stException").all():
            raise AssertionError(f"an exception is shown: {shown.inner_text()}")
        assert not self.faults, f"the browser's console holds errors: {self.faults}"
        overflow = self.page.get_by_test_id("stMain").evaluate(
            "main => main.scrollWidth - main.clientWidth"
        )
        assert overflow <= 0, f"the page is {overflow} pixels wider than the window"

    # --- inside ---------------------------------------------------------------------------

    def _listen(self, message: Any) -> None:
        text = f"{message.text} ({message.location.get('url', '')})"
        if message.type == "error" and not STREAMLITS_OWN.search(text):
            self.faults.append(text)

    def _sent(self) -> int:
        return int(self.page.evaluate("window.lincore.sent"))

    def _bring(self, element: Locator) -> None:
        # Scrolling closes a list, and a click scrolls when it must: so scroll first, and wait
        # for the two frames in which the page hears of it.
        element.evaluate(
            """element => new Promise((done) => {
                 element.scrollIntoView({block: 'center', behavior: 'instant'});
                 requestAnimationFrame(() => requestAnimationFrame(done));
               })"""
        )

    def _follow(self, before: int, messages: int = 1, patience: float = 1_500) -> None:
        # Between a click and the message that it sends the page looks settled. Choosing what is
        # chosen sends none: then patience ends.
        try:
            self.page.wait_for_function(
                "least => window.lincore.sent >= least",
                arg=before + messages,
                timeout=patience,
                polling=20,
            )
        except PlaywrightTimeoutError:
            if patience >= WIDEST_WAIT:
                raise
        self.settle()


def _unbound(element: Locator) -> str:
    """Return text without what keeps numbers, units and intervals on a line."""
    return element.inner_text().replace("\u00a0", " ").replace("\u2060", "")


def _decoded(value: Any) -> Any:
    if isinstance(value, dict) and "bdata" in value:
        array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=f"<{value['dtype']}")
        shape = [int(n) for n in str(value.get("shape", array.size)).split(",")]
        return array.reshape(shape)
    if isinstance(value, dict):
        return {name: _decoded(part) for name, part in value.items()}
    if isinstance(value, list):
        parts = [_decoded(part) for part in value]
        plain = bool(parts) and all(type(part) in (int, float) for part in parts)
        return np.array(parts) if plain else parts
    return value


def _colours(png: bytes) -> int:
    with Image.open(io.BytesIO(png)) as image:
        return len(image.convert("RGB").getcolors(maxcolors=1 << 24) or [])
