"""Actions in a figure: hover, click, and lasso selection."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from playwright.sync_api import Locator, Page

from tests.browser.scripts import HOVERED, MARKER, PLACE

Place = tuple[float, float]


class Figures(ABC):
    """The part of a `Dashboard` that acts in Plotly figures, in the coordinates of their data."""

    page: Page

    @abstractmethod
    def element(self, key: str) -> Locator:
        """Return the element of the widget or container with this key."""

    @abstractmethod
    def settle(self) -> None:
        """Wait until everything has been drawn."""

    @abstractmethod
    def _sent(self) -> int: ...

    @abstractmethod
    def _follow(self, before: int, messages: int = 1, patience: float = 1_500) -> None: ...

    def click_row(self, key: str, row: int) -> None:
        """Click the marker of a row of the data."""
        self._click_marker(key, [row])

    def click_cell(self, key: str, true: int, predicted: int) -> None:
        """Click a cell of a confusion matrix, by the codes of its classes."""
        self._click_marker(key, [true, predicted])

    def click_at(self, key: str, x: float, y: float) -> None:
        """Click a place of a figure where there is a mark."""
        sent = self._sent()
        left, top = self._pixels(key, x, y)
        # Plotly clicks what it has found under the pointer, and looks now and then.
        self.page.mouse.move(left - 3, top - 3)
        self.page.mouse.move(left, top, steps=3)
        plot = self._figure(key).locator(".js-plotly-plot").element_handle()
        self.page.wait_for_function(HOVERED, arg=[plot, x, y])
        self.page.mouse.click(left, top, delay=30)
        self._follow(sent)

    def select_lasso(self, key: str, places: Sequence[Place]) -> None:
        """Choose the points inside a polygon."""
        self._drag(key, "Lasso Select", [*places, places[0]])

    def _click_marker(self, key: str, wanted: list[int]) -> None:
        place = self._figure(key).evaluate(MARKER, wanted)
        if place is None:
            raise ValueError(f"no marker with customdata {wanted} in {key}")
        self.click_at(key, *place)

    def _drag(self, key: str, tool: str, places: Sequence[Place]) -> None:
        sent = self._sent()
        figure = self._figure(key)
        # The bar is seen only while the pointer is over the figure; its buttons work all the same.
        figure.locator(f'[data-title="{tool}"]').evaluate("button => button.click()")
        self._stroke([self._pixels(key, *place) for place in places])
        self._follow(sent)

    def _stroke(self, places: Sequence[Place]) -> None:
        mouse = self.page.mouse
        mouse.move(*places[0])
        mouse.down()
        for place in places[1:]:
            mouse.move(*place, steps=8)
        self.page.evaluate("new Promise(requestAnimationFrame)")
        mouse.up()

    def _pixels(self, key: str, x: float, y: float) -> Place:
        left, top = self._figure(key).evaluate(PLACE, [x, y])
        return left, top

    def _figure(self, key: str) -> Locator:
        element = self.element(key)
        element.scroll_into_view_if_needed()
        return element
