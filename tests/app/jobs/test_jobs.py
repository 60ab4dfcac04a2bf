"""Long work: jobs that report, stop and are shared fairly, and how a page shows them."""

from __future__ import annotations

import inspect
import textwrap
import threading
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from lincore import DataError
from pages.ui.jobs import page_jobs
from pages.ui.jobs.executor import InThread, Job, Pool
from pages.ui.server.shared_cache import Shared, n_bytes
from tests.app.settling import until

WAIT = 10.0


class Gate:
    """Work in steps that a test lets pass one by one."""

    def __init__(self) -> None:
        self.passes = threading.Semaphore(0)
        self.began = threading.Event()
        self.calls = 0
        self.fault: Exception | None = None

    def work(self, progress):
        """Take four steps, and keep each."""
        self.calls += 1
        self.began.set()
        finished = []
        for step in range(4):
            if not progress(step, 4, f"step *{step}*"):
                break
            assert self.passes.acquire(timeout=WAIT)
            if self.fault is not None:
                raise self.fault
            finished.append(step)
            progress.keep(list(finished))
        return finished


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    page_jobs.shared.clear()
    gate = Gate()
    monkeypatch.setattr(page_jobs, "gate", gate, raising=False)
    # Nothing that another test left running is waited for.
    monkeypatch.setattr(page_jobs, "pool", Pool(2))
    yield gate
    gate.passes.release(100)
    page_jobs.shared.clear()


def page():
    """Draw a page that fits at once, as Classify does."""
    import streamlit as st

    from pages.ui.jobs import page_jobs

    size = st.number_input("Size", 1, 9, 1, key="size", persist_state="session")
    job = page_jobs.run("page.fit", size, page_jobs.gate.work, describe="Fitting", patience=0.05)
    result = page_jobs.require(job, draw=lambda job: st.markdown(f"so far {job.result}"))
    st.markdown(f"result {result}")


def demand_page():
    """Draw a page whose work begins with a button, as Compare does."""
    import streamlit as st

    from pages.ui.jobs import page_jobs

    size = st.number_input("Size", 1, 9, 1, key="size")
    job = page_jobs.on_demand(
        "page.run", size, page_jobs.gate.work, describe="Comparing", label="Compare"
    )
    if job is not None and job.result is not None:
        stale = " stale" if job.is_stale(size) else ""
        st.markdown(f"result {job.result}{stale}")


def start(script) -> AppTest:
    app = AppTest.from_function(script, default_timeout=30).run()
    assert not app.exception
    return app


def the_job(app: AppTest) -> Job:
    return next(reversed(app.session_state[page_jobs.JOBS].values()))


def finish(app: AppTest, gate: Gate, passes: int = 4) -> None:
    gate.passes.release(passes)
    assert the_job(app).wait(WAIT)
    app.run()
    assert not app.exception


def shown(app: AppTest) -> str:
    return "\n".join(part.value for part in [*app.markdown, *app.caption, *app.error])


def bar(app: AppTest) -> str:
    return app.get("progress")[0].proto.text


def test_a_job_shows_its_progress_and_then_its_result(gate):
    app = start(page)
    assert "step" in bar(app) and r"\*0\*" in bar(app), "what it does, user text escaped"
    assert "0 of 4 done" in bar(app)
    assert "result" not in shown(app)
    gate.passes.release(2)
    until(lambda: the_job(app).progress.done == 2)
    app.run()
    assert "2 of 4 done" in bar(app)
    assert app.get("progress")[0].proto.value == 50
    assert "so far [0, 1]" in shown(app), "what is finished can be drawn meanwhile"
    finish(app, gate, 2)
    assert "result [0, 1, 2, 3]" in shown(app)
    assert not app.get("progress")
    assert gate.calls == 1, "the same settings never start twice"
    assert the_job(app).reason == "finished"


def test_quick_work_is_never_seen_to_run(gate):
    gate.passes.release(4)
    app = start(page)
    assert "result [0, 1, 2, 3]" in shown(app)
    assert not app.get("progress")


def test_stopping_keeps_what_was_finished_and_it_can_start_again(gate):
    app = start(page)
    gate.passes.release(2)
    until(lambda: the_job(app).progress.done == 2)
    app.button(key="page.fit.stop").click().run()
    assert "stopping" in bar(app)
    assert app.button(key="page.fit.stop").disabled
    finish(app, gate, 1)
    job = the_job(app)
    assert job.reason == "stopped" and job.result is not None
    assert "stopped after 3 of 4" in shown(app)
    assert "result [0, 1, 2]" in shown(app)
    app.run()
    assert gate.calls == 1, "nothing starts by itself after a stop"
    app.button(key="page.fit.restart").click().run()
    finish(app, gate)
    assert "result [0, 1, 2, 3]" in shown(app)
    assert gate.calls == 2


def test_a_fault_of_the_data_is_told_with_its_remedy(gate):
    gate.fault = DataError("A class has *one* row", where="class b", remedy="Drop it.")
    app = start(page)
    finish(app, gate)
    assert r"A class has \*one\* row" in app.error[0].value and "Drop it" in app.error[0].value
    app.run()
    assert gate.calls == 1


def test_any_other_fault_is_logged_and_shown_soberly(gate, caplog):
    gate.fault = ZeroDivisionError("secret detail")
    app = start(page)
    finish(app, gate)
    assert "secret detail" not in app.error[0].value
    assert "server's log" in app.error[0].value
    assert "secret detail" in caplog.text
    gate.fault = None
    app.button(key="page.fit.restart").click().run()
    finish(app, gate)
    assert "result [0, 1, 2, 3]" in shown(app)


NAVIGATION = """
import streamlit as st
st.navigation([st.Page("pages/work.py"), st.Page("pages/other.py")], position="hidden").run()
"""


def test_a_job_survives_a_page_switch(gate, tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "app.py").write_text(NAVIGATION)
    work = textwrap.dedent(inspect.getsource(page))
    (tmp_path / "pages" / "work.py").write_text(f"{work}\npage()\n")
    (tmp_path / "pages" / "other.py").write_text("import streamlit as st\nst.text('elsewhere')\n")
    app = AppTest.from_file(tmp_path / "app.py", default_timeout=30).run()
    assert bar(app)
    app.switch_page("pages/other.py").run()
    assert app.text[0].value == "elsewhere" and not app.get("progress")
    assert not the_job(app).is_over
    gate.passes.release(4)
    assert the_job(app).wait(WAIT)
    app.switch_page("pages/work.py").run()
    assert "result [0, 1, 2, 3]" in shown(app)
    assert gate.calls == 1


def test_other_settings_stop_the_former_job_and_finished_ones_are_kept(gate):
    app = start(page)
    former = the_job(app)
    app.number_input(key="size").set_value(2).run()
    assert former._stop.is_set() and the_job(app) is not former
    gate.passes.release(1)
    assert former.wait(WAIT)
    finish(app, gate)
    calls = gate.calls
    app.number_input(key="size").set_value(3).run()
    finish(app, gate)
    assert gate.calls == calls + 1
    app.number_input(key="size").set_value(2).run()
    assert "result [0, 1, 2, 3]" in shown(app)
    assert gate.calls == calls + 1, "the settings of before are still there"


def test_a_session_keeps_a_bounded_number(gate):
    gate.passes.release(1000)
    app = start(page)
    for size in range(2, 10):
        app.number_input(key="size").set_value(size).run()
        assert the_job(app).wait(WAIT)
    app.run()
    assert len(app.session_state[page_jobs.JOBS]) == page_jobs.MOST_KEPT


def test_a_session_keeps_a_bounded_number_of_bytes_and_the_last_of_a_kind(gate, monkeypatch):
    gate.passes.release(1000)
    app = start(page)
    assert the_job(app).wait(WAIT)
    one = the_job(app).size
    assert one > 0
    monkeypatch.setattr("pages.ui.jobs._registry.MOST_BYTES", 2 * one)
    for size in (2, 3, 4):
        app.number_input(key="size").set_value(size).run()
        assert the_job(app).wait(WAIT)
    app.number_input(key="size").set_value(5).run()
    left = [settings for _, settings in app.session_state[page_jobs.JOBS]]
    assert left in ([3, 4, 5], [4, 5]), "the last counts if it is over by then"
    assert the_job(app).wait(WAIT)
    monkeypatch.setattr("pages.ui.jobs._registry.MOST_BYTES", 0)
    app.number_input(key="size").set_value(6).run()
    assert [settings for _, settings in app.session_state[page_jobs.JOBS]] == [6]


def test_another_visitor_with_the_same_settings_has_the_result_at_once(gate):
    first = start(page)
    finish(first, gate)
    second = start(page)
    assert "result [0, 1, 2, 3]" in shown(second)
    assert gate.calls == 1


def test_work_on_demand_is_marked_stale_and_brought_up_to_date(gate):
    app = start(demand_page)
    assert gate.calls == 0 and "result" not in shown(app)
    app.button(key="page.run.start").click().run()
    finish(app, gate)
    assert shown(app) == "result [0, 1, 2, 3]"
    app.number_input(key="size").set_value(2).run()
    assert "Settings have changed" in shown(app) and "stale" in shown(app)
    assert gate.calls == 1
    app.button(key="page.run.update").click().run()
    finish(app, gate)
    assert shown(app) == "result [0, 1, 2, 3]"
    assert gate.calls == 2
    app.number_input(key="size").set_value(1).run()
    assert shown(app) == "result [0, 1, 2, 3]", "the first result was kept"
    assert gate.calls == 2


def unasked_page():
    """Draw a page whose work begins by itself where nothing is known, as on Balance."""
    import streamlit as st

    from pages.ui.jobs import page_jobs

    size = st.number_input("Size", 1, 9, 1, key="size")
    job = page_jobs.on_demand(
        "page.run",
        ("data", size),
        page_jobs.gate.work,
        describe="Studying",
        label="Study",
        unasked=True,
    )
    if job is not None and job.result is not None:
        st.markdown(f"result {job.result} of size {job.settings[1]}")


def test_what_begins_by_itself_does_so_once_and_is_then_asked_for(gate):
    app = start(unasked_page)
    assert gate.began.wait(WAIT)
    assert not [one for one in app.button if one.key == "page.run.start"]
    finish(app, gate)
    assert shown(app) == "result [0, 1, 2, 3] of size 1"
    app.number_input(key="size").set_value(2).run()
    assert "Settings have changed" in shown(app) and "of size 1" in shown(app)
    assert gate.calls == 1
    app.button(key="page.run.update").click().run()
    finish(app, gate)
    assert shown(app) == "result [0, 1, 2, 3] of size 2"


def test_what_began_by_itself_is_stopped_by_other_settings(gate):
    app = start(unasked_page)
    former = the_job(app)
    gate.passes.release(2)
    until(lambda: former.result == [0, 1])
    app.number_input(key="size").set_value(2).run()
    gate.passes.release(1)
    assert former.wait(WAIT) and former.reason == "stopped"
    assert "Settings have changed" in shown(app) and gate.calls == 1
    app.button(key="page.run.update").click().run()
    finish(app, gate)
    assert shown(app) == "result [0, 1, 2, 3] of size 2"


def test_of_what_has_no_result_yet_nothing_is_stale(gate):
    app = start(unasked_page)
    former = the_job(app)
    assert gate.began.wait(WAIT)
    app.number_input(key="size").set_value(2).run()
    assert "Settings have changed" not in shown(app)
    gate.passes.release(1)
    assert former.wait(WAIT) and former.reason == "stopped"
    finish(app, gate)
    assert shown(app) == "result [0, 1, 2, 3] of size 2"


def kept_page():
    """Draw a page that goes on showing the former result while there is no new one."""
    import streamlit as st

    from pages.ui.jobs import page_jobs

    size = st.number_input("Size", 1, 9, 1, key="size")
    data = st.text_input("Data", "some", key="data")
    job = page_jobs.on_demand(
        "page.run",
        ((data, "split"), size),
        page_jobs.gate.work,
        describe="Comparing",
        label="Compare",
        draw=lambda job: st.markdown(f"drawn {job.result} of size {job.settings[1]}"),
        keep_outdated=True,
    )
    if job is not None and job.is_over and job.result is not None:
        st.markdown(f"result {job.result} of size {job.settings[1]}")


def test_figures_and_headline_are_of_the_same_result_while_a_job_runs():
    """The headline of Balance was of seven splits, the figure below it of four."""

    def script():
        from types import SimpleNamespace

        import streamlit as st

        from pages.ui.jobs import page_jobs

        class Growing:
            key, is_over, is_stopping, age, started, seconds = "cost", False, False, 99, 1, 99
            describe, stop = "Cost", None
            progress = SimpleNamespace(share=0.5, total=0, description="")
            n_read = 0

            @property
            def result(self):
                self.n_read += 1
                return self.n_read

        def write(job):
            st.markdown(str(job.result))

        page_jobs.show(Growing(), draw=write, above=write)

    app = AppTest.from_function(script, default_timeout=30).run()
    assert not app.exception
    figures, headline = (one.value for one in app.markdown)
    assert figures == headline


def test_the_former_result_stays_until_there_is_a_new_one(gate):
    app = start(kept_page)
    app.button(key="page.run.start").click().run()
    finish(app, gate)
    app.number_input(key="size").set_value(2).run()
    assert "Settings have changed" in shown(app) and "of size 1" in shown(app)
    gate.began.clear()
    app.button(key="page.run.update").click().run()
    assert gate.began.wait(WAIT)
    app.run()
    assert "An outdated result" in shown(app) and "of size 1" in shown(app)
    assert app.get("progress"), "and one sees how far the new one is"
    gate.passes.release(1)
    until(lambda: the_job(app).result is not None)
    app.run()
    assert "drawn [0] of size 2" in shown(app)
    assert "outdated" not in shown(app) and "size 1" not in shown(app)
    app.button(key="page.run.stop").click().run()
    finish(app, gate)
    assert "what was finished is kept" in shown(app) and "of size 2" in shown(app)


def test_the_former_result_stays_when_the_new_one_fails(gate):
    app = start(kept_page)
    app.button(key="page.run.start").click().run()
    finish(app, gate)
    gate.fault = DataError("No method can be fitted.", remedy="Keep more rows.")
    app.number_input(key="size").set_value(2).run()
    app.button(key="page.run.update").click().run()
    finish(app, gate)
    assert "Keep more rows" in shown(app) and "drawn [0, 1, 2, 3] of size 1" in shown(app)


def test_a_result_of_other_data_is_never_shown(gate):
    app = start(kept_page)
    app.button(key="page.run.start").click().run()
    finish(app, gate)
    app.text_input(key="data").set_value("others").run()
    assert "result" not in shown(app) and "Settings have changed" not in shown(app)
    app.button(key="page.run.start").click().run()
    assert "size" not in shown(app)
    finish(app, gate)
    assert shown(app) == "result [0, 1, 2, 3] of size 1"


def make(name: str, gate: Gate, owner: str = "a") -> Job:
    return Job(name, name, gate.work, owner=owner)


def test_the_pool_serves_whoever_has_fewest_running():
    gates = [Gate() for _ in range(4)]
    greedy = [make(f"greedy {i}", gate) for i, gate in enumerate(gates[:3])]
    modest = make("modest", gates[3], owner="b")
    pool = Pool(2)
    for job in (*greedy, modest):
        pool.submit(job)
    assert gates[0].began.wait(WAIT) and gates[1].began.wait(WAIT)
    assert [pool.ahead(job) for job in (*greedy, modest)] == [0, 0, 2, 3]
    gates[1].passes.release(4)
    assert gates[3].began.wait(WAIT), "the one who has none running comes before the third of one"
    assert not gates[2].began.is_set()
    for gate in gates:
        gate.passes.release(4)
    assert all(job.wait(WAIT) for job in (*greedy, modest))


def test_without_threads_a_job_is_over_when_it_was_submitted():
    job = Job("sum", 3, lambda progress: progress(0, 1, "adding") and 3)
    inline = InThread()
    inline.submit(job)
    assert (job.result, job.reason, inline.ahead(job)) == (3, "finished", 0)


def test_a_page_shows_what_was_done_without_threads(monkeypatch):
    monkeypatch.setattr(page_jobs, "pool", InThread())
    page_jobs.shared.clear()
    app = AppTest.from_string(
        "import streamlit as st\n"
        "from pages.ui.jobs import page_jobs\n"
        "job = page_jobs.run('sum', (1,), lambda progress: 1 + 1, describe='Adding')\n"
        "st.write(f'sum {page_jobs.require(job)}')"
    ).run()
    assert [text.value for text in app.markdown] == ["sum 2"]


def test_a_job_nobody_waits_for_any_more_stops(monkeypatch):
    monkeypatch.setattr("pages.ui.jobs.executor.SECONDS_BETWEEN_LOOKS", 0.0)
    open_sessions = {"a"}
    gate = Gate()
    shared = Shared(max_bytes=100_000)
    job = Job("fit", 1, gate.work, is_wanted=lambda: "a" in open_sessions, shared=shared)
    Pool(1).submit(job)
    gate.passes.release(1)
    until(lambda: job.progress.done == 1)
    open_sessions.clear()
    gate.passes.release(3)
    assert job.wait(WAIT)
    assert job.reason == "stopped" and job.result == [0, 1]
    assert shared.get(("fit", 1)) is None, "a part of a result is nobody else's"


def test_a_stop_that_comes_too_late_leaves_a_whole_result():
    job = Job("fit", 1, lambda progress: job.stop() or "all of it")
    job.do()
    assert (job.result, job.reason) == ("all of it", "finished")


def test_what_is_shared_is_bounded_in_bytes():
    shared = Shared(max_bytes=100_000)
    for name in "abcd":
        shared.put(name, {"rows": np.zeros(4000)})
    assert [shared.get(name) is not None for name in "abcd"] == [False, True, True, True]
    shared.put("huge", np.zeros(20_000))
    assert shared.get("huge") is None and shared.get("d") is not None
    shared.get("b")
    shared.put("e", np.zeros(4000))
    assert shared.get("b") is not None and shared.get("c") is None, "the latest used stays"


def test_size_counts_what_is_held_to_be_called_later():
    rows = np.zeros(4000)

    class Asked:
        def ask(self):
            return self.rows

    def later():
        return rows, never

    asked = Asked()
    asked.rows = rows
    for holder in (partial(np.sum, rows), partial(np.sum, a=rows), lambda: rows, later, asked.ask):
        assert 32_000 <= n_bytes({"made": holder}) < 60_000, "once"
    never = None
    assert later()[1] is never


def test_size_counts_what_estimators_hold_once():
    class Fitted:
        def __init__(self, rows):
            self.rows_, self.view_, self.more = rows, rows, [(rows, "name")]

    assert 80_000 <= n_bytes(Fitted(np.zeros(10_000))) < 82_000
