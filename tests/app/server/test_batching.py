"""Streamlit's work for every element of a page is done once for many, and does the same."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from streamlit.runtime.state import SessionState

from pages.ui.server import batching
from pages.ui.server.batching import Outbox


class Loop:
    """A real event loop that counts how often another thread wakes it."""

    def __init__(self) -> None:
        self.real = asyncio.get_running_loop()
        self.n_woken = 0
        self.call_soon, self.call_later = self.real.call_soon, self.real.call_later

    def call_soon_threadsafe(self, callback, *args):
        """Wake the loop."""
        self.n_woken += 1
        return self.real.call_soon_threadsafe(callback, *args)


def test_a_hundred_elements_wake_the_loop_once_and_keep_their_order():
    async def send():
        loop, seen = Loop(), []
        outbox = Outbox(loop)
        for i in range(100):
            outbox.put(lambda i=i: seen.append(i), at_once=False)
        await asyncio.sleep(3 * batching.SECONDS_HELD)
        assert seen == list(range(100)), "they come although nothing more is put"
        assert loop.n_woken == 1
        outbox.put(lambda: seen.append(100), at_once=False)
        await asyncio.sleep(3 * batching.SECONDS_HELD)
        assert seen[-1] == 100, "and so does the next"

    asyncio.run(send())


def test_the_end_of_a_script_takes_along_what_was_put_before():
    async def send():
        seen = []
        outbox = Outbox(Loop())
        outbox.put(lambda: seen.append("element"), at_once=False)
        outbox.put(lambda: 1 / 0, at_once=False)
        outbox.put(lambda: seen.append("finished"), at_once=True)
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        for _ in range(3):
            await asyncio.sleep(0)
        assert seen == ["element", "finished"]

    asyncio.run(send())


@pytest.fixture
def session(monkeypatch):
    """Return the class of sessions as the dashboard leaves it."""
    for name in ("_on_scriptrunner_event", "_call_soon_on_event_loop"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))  # fails if it is gone
    monkeypatch.setattr(AppSession, "sends_through", True, raising=False)
    del AppSession.sends_through
    batching.send_in_batches()
    assert AppSession.sends_through, "Streamlit names it otherwise now"
    return AppSession


def test_sessions_send_their_elements_together(session):
    async def run():
        seen = []
        one = SimpleNamespace(
            _event_loop=Loop(),
            _handle_scriptrunner_event_on_event_loop=lambda sender, event, **more: seen.append(
                event
            ),
        )
        for _ in range(50):
            session._on_scriptrunner_event(
                one, None, event=ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=ForwardMsg()
            )
        session._on_scriptrunner_event(
            one, None, event=ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS
        )
        await asyncio.sleep(3 * batching.SECONDS_HELD)
        assert seen[-1] == ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS
        assert len(seen) == 51
        assert one._event_loop.n_woken == 2

    asyncio.run(run())


def test_a_key_is_looked_up_without_a_copy_of_the_session(monkeypatch):
    state = SessionState()
    state["here"], state["nothing"] = 1, None
    copy = state.filtered_state
    monkeypatch.setattr(SessionState, "filtered_state", SessionState.filtered_state)
    monkeypatch.setattr(SessionState, "is_viewed", True, raising=False)
    del SessionState.is_viewed
    batching.look_up_one_key()
    assert dict(state.filtered_state) == copy
    assert len(state.filtered_state) == 2
    monkeypatch.setattr(SessionState, "_keys", lambda self: pytest.fail("all keys were read"))
    assert "here" in state.filtered_state
    assert "elsewhere" not in state.filtered_state
    assert state.filtered_state["nothing"] is None
