"""Messages of a script: together, in their order, and none before its run has begun."""

import asyncio
import time
from types import SimpleNamespace

import pytest
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from pages.ui import handover

PAUSE = 0.01


class Told:
    """A loop that counts how often it was woken, and what it has done since."""

    def __init__(self):
        self.times = 0
        self.done = []

    def tell(self, call):
        """Make a call as soon as what was told before is done."""
        self.times += 1
        asyncio.get_running_loop().call_soon(call)

    def doing(self, what):
        """Return a call that does something."""
        return lambda: self.done.append(what)


def batches(told):
    return handover.Batches(told.tell, PAUSE)


def test_many_calls_wake_the_loop_once():
    async def main():
        told = Told()
        batch = batches(told)
        for i in range(100):
            batch.add(told.doing(i))
        await asyncio.sleep(0)
        assert not told.done
        await asyncio.sleep(3 * PAUSE)
        assert told.done == list(range(100))
        assert told.times == 1

    asyncio.run(main())


def test_what_is_closed_comes_before_what_is_told_next():
    async def main():
        told = Told()
        batch = batches(told)
        batch.add(told.doing("drawn"))
        batch.close()
        told.tell(told.doing("run over"))
        batch.close()  # with nothing in it
        await asyncio.sleep(0)
        assert told.done == ["drawn", "run over"]
        await asyncio.sleep(3 * PAUSE)
        assert told.done == ["drawn", "run over"]

    asyncio.run(main())


def test_a_loop_that_is_late_does_not_mix_two_runs():
    """The pause of a batch ends while the loop is busy, and the next run is drawn meanwhile."""

    async def main():
        told = Told()
        batch = batches(told)

        def begin_the_next_run():
            batch.close()
            told.tell(told.doing("begun"))
            batch.add(told.doing("drawn by the next run"))

        batch.add(told.doing("drawn"))
        # Due before the end of the pause, and done in the same round as that.
        asyncio.get_running_loop().call_later(PAUSE / 2, begin_the_next_run)
        await asyncio.sleep(0)
        time.sleep(2 * PAUSE)
        await asyncio.sleep(5 * PAUSE)
        assert told.done == ["drawn", "begun", "drawn by the next run"]

    asyncio.run(main())


def test_one_call_that_fails_stops_no_other():
    async def main():
        told, failed = Told(), []
        asyncio.get_running_loop().set_exception_handler(lambda loop, what: failed.append(what))
        batch = batches(told)
        batch.add(lambda: 1 / 0)
        batch.add(told.doing("next"))
        await asyncio.sleep(3 * PAUSE)
        assert told.done == ["next"]
        assert isinstance(failed[0]["exception"], ZeroDivisionError)

    asyncio.run(main())


@pytest.fixture
def on_event(monkeypatch):
    """Return what Streamlit calls for every event of a script, as long as the test lasts."""
    monkeypatch.setattr(AppSession, "_on_scriptrunner_event", AppSession._on_scriptrunner_event)
    before = AppSession._on_scriptrunner_event
    handover.in_batches()
    assert AppSession._on_scriptrunner_event is not before, "Streamlit names it otherwise now"
    return AppSession._on_scriptrunner_event


def test_a_session_sends_what_its_script_draws_in_batches(on_event):
    class Session:
        def __init__(self, told):
            self._call_soon_on_event_loop = told.tell
            self.told = told

        def _handle_scriptrunner_event_on_event_loop(self, _sender, event, forward_msg=None, *_):
            self.told.done.append(forward_msg if forward_msg is not None else event)

        _on_scriptrunner_event = on_event

    async def main():
        told = Told()
        session, runner = Session(told), SimpleNamespace()
        started, message, stopped = (
            ScriptRunnerEvent.SCRIPT_STARTED,
            ScriptRunnerEvent.ENQUEUE_FORWARD_MSG,
            ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS,
        )
        session._on_scriptrunner_event(runner, started, page_script_hash="page")
        for i in range(50):
            session._on_scriptrunner_event(runner, message, forward_msg=i)
        session._on_scriptrunner_event(runner, stopped)
        await asyncio.sleep(0)
        assert told.done == [started, *range(50), stopped]
        assert told.times == 4  # started, the first message, the end of the batch, stopped

    asyncio.run(main())


def test_two_sessions_have_batches_of_their_own(on_event):
    async def main():
        loops = Told(), Told()
        sessions = [
            SimpleNamespace(
                _call_soon_on_event_loop=told.tell,
                _handle_scriptrunner_event_on_event_loop=lambda *_, told=told, forward_msg: (
                    told.done.append(forward_msg)
                ),
            )
            for told in loops
        ]
        for session, word in zip(sessions, ("mine", "yours"), strict=True):
            on_event(session, None, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=word)
        await asyncio.sleep(2 * handover.PAUSE)
        assert [told.done for told in loops] == [["mine"], ["yours"]]

    asyncio.run(main())


def test_without_streamlits_own_names_nothing_is_changed(monkeypatch):
    before = AppSession._on_scriptrunner_event
    monkeypatch.delattr(AppSession, "_handle_scriptrunner_event_on_event_loop")
    handover.in_batches()
    assert AppSession._on_scriptrunner_event is before
