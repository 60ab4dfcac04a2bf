"""The last uploads of a browser, kept on the server for a reload or another tab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pages.ui.jobs import shared_cache
from pages.ui.server import _compat, browser_data
from pages.ui.session.sources import ImageSource, Source

if TYPE_CHECKING:
    from lincore.data import Dataset


class KeptData(NamedTuple):
    """A data set, what it was made from, and its `state.Origin`."""

    data: Dataset
    made_from: Source | ImageSource | None
    came_from: Any


def remember(found: KeptData) -> None:
    """Keep the data of a file for the browser of this session, instead of the same file before."""
    browser = browser_data.browser_of(_compat.cookies())
    if browser is not None:
        size = shared_cache.n_bytes((found.data, found.made_from))
        browser_data.KEPT.put(browser, found.came_from.sha, found, size)


def recall(sha: str = "") -> KeptData | None:
    """Return the data of a file that this browser has brought, or without a digest its last."""
    browser = browser_data.browser_of(_compat.cookies())
    found: KeptData | None = None if browser is None else browser_data.KEPT.get(browser, sha)
    return found


def forget() -> None:
    """Forget all data that are kept for the browser of this session."""
    browser = browser_data.browser_of(_compat.cookies())
    if browser is not None:
        browser_data.KEPT.forget(browser)
