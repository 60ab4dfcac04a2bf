"""Scripts take turns: in order, given back whatever happens, kept by nobody who waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from streamlit.runtime import app_session, scriptrunner
from streamlit.runtime.scriptrunner import RerunException, StopException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from pages.ui.jobs.executor import Job
from pages.ui.server import preload, script_queue
from pages.ui.server.script_queue import Turns
from tests.app.settling import until

WAIT = 10.0


@contextmanager
def queued(own: Turns, *works) -> Iterator[list[Thread]]:
    """Have works queue up in this order while the test has the turn."""
    threads = []
    with own.taken():
        for work in works:
            thread = Thread(target=work, daemon=True)
            n_before = own.n_waiting
            thread.start()
            until(lambda n=n_before: own.n_waiting > n)
            threads.append(thread)
        yield threads
    for thread in threads:
        thread.join(WAIT)
        assert not thread.is_alive()


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """Return the time by which turns go, for a test to set."""
    now = [100.0]
    monkeypatch.setattr(script_queue, "monotonic", lambda: now[0])
    return now


def test_when_it_asked_is_known_to_who_waited(clock):
    own, asked = Turns(WAIT), []

    def work():
        with own.taken():
            asked.append(own.asked_at)

    with queued(own, work):
        clock[0] = 105.0
    assert asked == [100.0]
    assert own.asked_at == 105.0, "who did not queue up asks now"


def test_who_asks_first_is_first_and_nobody_runs_beside():
    own, order, inside = Turns(WAIT), [], []

    def work(name):
        with own.taken():
            inside.append(name)
            order.append((name, list(inside)))
            inside.remove(name)

    with queued(own, *(lambda name=name: work(name) for name in "abcdef")):
        assert not order
    assert order == [(name, [name]) for name in "abcdef"]


def test_the_impatient_go_before_the_patient_in_their_own_order_for_a_while(clock):
    own, order = Turns(WAIT), []

    def work(name, patience):
        with own.taken(patience):
            order.append(name)

    asked = [("page", 0.2), ("tab 1", 0.0), ("other page", 0.2), ("tab 2", 0.0)]
    with queued(own, *(lambda one=one: work(*one) for one in asked)):
        clock[0] += 0.25
        late = Thread(target=work, args=("late tab", 0.0))
        late.start()
        until(lambda: own.n_waiting == 5)
    late.join(WAIT)
    assert order == ["tab 1", "tab 2", "page", "other page", "late tab"]


@pytest.mark.parametrize("error", [ValueError(), StopException(), RerunException(RerunData())])
def test_a_turn_ends_with_any_exception(error):
    own = Turns(WAIT)
    with pytest.raises(type(error)), own.taken():
        raise error
    assert not own.is_mine
    with own.taken():
        assert own.is_mine


def test_within_a_turn_one_goes_on_and_keeps_it_to_the_end():
    own = Turns(WAIT)
    with own.taken():
        with own.taken():
            assert own.is_mine
        assert own.is_mine, "the inner block does not give away what the outer one has"


def test_who_waits_lets_others_go_and_queues_up_behind_them():
    own, order, should_continue = Turns(WAIT), [], Event()

    def waits():
        with own.taken():
            order.append("asks")
            with own.released():
                assert should_continue.wait(WAIT)
            order.append("goes on")

    def other(name):
        with own.taken():
            order.append(name)
            should_continue.set()
            # Whoever waited queues up while this one still runs.
            until(lambda: own.n_waiting)

    with queued(own, waits, lambda: other("other")):
        pass
    assert order == ["asks", "other", "goes on"]


def test_a_job_that_is_waited_for_holds_up_nobody():
    own, served = script_queue.scripts, []

    def other():
        with own.taken():
            served.append(job.is_over)
            finish.set()

    finish = Event()
    job = Job("page.fit", 1, lambda progress: finish.wait(WAIT))
    Thread(target=job.do, daemon=True).start()
    with queued(own, other):
        assert job.wait(WAIT), "the other, for whom it waits, never got its turn"
    assert served == [False]


def test_who_takes_long_keeps_nobody_waiting():
    own, served = Turns(0.01), Event()

    def other():
        with own.taken():
            served.set()

    with queued(own, other):
        assert served.wait(WAIT)
        assert not own.is_mine
    with own.taken():
        assert own.is_mine, "giving back what is gone takes it from nobody"


@pytest.fixture
def own(monkeypatch) -> Turns:
    """Return the turns of this test, which the server knows."""
    own = Turns(WAIT)
    monkeypatch.setattr(script_queue, "scripts", own)
    return own


def test_others_have_their_turn_while_one_waits_for_the_warm_up_and_not_once_it_is_over(
    own, monkeypatch
):
    served, over = [], Event()
    monkeypatch.setattr("pages.ui.server.preload._over", over)

    def other(name):
        with own.taken():
            served.append(name)
            over.set()

    with queued(own, lambda: other("first"), lambda: other("second")):
        assert preload.wait(WAIT)
        assert served == ["first", "second"]
    with queued(own, lambda: other("third")):
        assert preload.wait(WAIT)
        assert own.is_mine
        assert len(served) == 2, "a script would queue up twice"
    assert len(served) == 3


def test_without_a_turn_there_is_none_to_release():
    own = Turns(WAIT)
    with own.released():
        assert not own.is_mine
    assert not own.is_mine


@pytest.fixture
def runner(monkeypatch):
    """Return the class that Streamlit runs scripts with, as the dashboard leaves it."""
    monkeypatch.setattr(app_session, "ScriptRunner", app_session.ScriptRunner)
    before = app_session.ScriptRunner
    script_queue.let_scripts_take_turns()
    assert app_session.ScriptRunner is not before, "Streamlit names it otherwise now"
    return app_session.ScriptRunner


def test_every_run_of_a_script_has_its_turn(runner, monkeypatch):
    seen = []
    monkeypatch.setattr(
        runner.__mro__[1],
        "_run_script",
        lambda self, data: seen.append(script_queue.scripts.is_mine),
    )
    runner._run_script(runner.__new__(runner), RerunData())
    assert seen == [True]
    assert not script_queue.scripts.is_mine
    script_queue.let_scripts_take_turns()
    assert app_session.ScriptRunner is runner, "app.py was read again"


@pytest.mark.parametrize(("has_started", "n_heard"), [(False, 0), (True, 1)])
def test_callbacks_are_not_cut_short_by_the_next_request(runner, monkeypatch, has_started, n_heard):
    heard = []
    base = runner.__mro__[1]
    name = "_maybe_handle_execution_control_request"
    monkeypatch.setattr(base, name, lambda self: heard.append(self))
    context = SimpleNamespace(has_script_started=has_started)
    monkeypatch.setattr(scriptrunner, "get_script_run_ctx", lambda **named: context)
    runner.__new__(runner)._maybe_handle_execution_control_request()
    assert len(heard) == n_heard


@pytest.mark.parametrize(
    ("asked", "patience"),
    [
        (RerunData(page_script_hash="other"), script_queue.VISIT),
        (RerunData(page_script_hash="here"), script_queue.CLICK),
        (RerunData(page_script_hash="here", fragment_id_queue=["a"]), 0.0),
        (RerunData(fragment_id_queue=["a"], is_auto_rerun=True), script_queue.CLICK),
    ],
)
def test_a_click_in_a_fragment_waits_least_and_another_page_most(
    runner, monkeypatch, asked, patience
):
    told = []
    taken = script_queue.scripts.taken
    monkeypatch.setattr(
        script_queue.scripts, "taken", lambda *given: told.append(given) or taken(*given)
    )
    monkeypatch.setattr(runner.__mro__[1], "_run_script", lambda self, data: None)
    own = runner.__new__(runner)
    own._pages_manager = SimpleNamespace(current_page_script_hash="here")
    runner._run_script(own, asked)
    assert told == [(patience,)]
