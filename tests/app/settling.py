"""Pages whose work goes on after they are drawn, waited for in tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from time import monotonic
from unittest.mock import patch

from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
from streamlit.elements.lib.mutable_popover_container import PopoverContainer
from streamlit.testing.v1 import AppTest

from pages.ui.jobs import page_jobs
from tests.app.test_pages import assert_fine


@contextmanager
def unfolded() -> Iterator[None]:
    """Let every popover and expander be open: what is in a closed one is not drawn."""
    is_open = property(lambda self: True, lambda self, value: None)
    with (
        patch.object(PopoverContainer, "open", is_open),
        patch.object(ExpanderContainer, "open", is_open),
    ):
        yield


def until(condition: Callable[[], object], at_most: float = 60.0) -> None:
    """Wait until a condition holds; fail where it does not within so many seconds."""
    deadline = monotonic() + at_most
    while not condition():
        assert monotonic() < deadline
        Event().wait(0.001)  # lets the other threads work


def kept_jobs(app: AppTest) -> list[page_jobs.Job]:
    """Return the jobs of this session, at work or over."""
    # AppTest's state has no get().
    return (
        list(app.session_state[page_jobs.JOBS].values())
        if page_jobs.JOBS in app.session_state
        else []
    )


def edit_cells(app: AppTest, key: str, rows: dict[int, dict[str, object]]) -> AppTest:
    """Type into cells of the table whose key begins so, as a browser would send them."""
    (table,) = (one for one in app.dataframe if f"-{key}" in one.proto.id)
    edits = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
    states = app._tree.get_widget_states()
    states.widgets.add(id=table.proto.id, string_value=json.dumps(edits))
    return app._run(states)


def settled(app: AppTest) -> AppTest:
    """Run until a page was drawn after all its jobs were over, and starts no further one.

    That a job is over now says nothing of the page before us: it may have ended since.
    """
    for _ in range(20):
        waited_for = kept_jobs(app)
        assert all(job.wait(120) for job in waited_for)
        app.run()
        if kept_jobs(app) == waited_for:
            break
    assert_fine(app)
    return app
