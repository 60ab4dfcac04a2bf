"""Work in processes: what comes back, how it is stopped, and what is left when one dies."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import lincore
from lincore import DataError
from pages.ui.jobs import page_jobs, worker_process
from pages.ui.jobs.executor import Job, Pool
from tests.app.settling import until

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are forked from a prepared one on Linux alone"
)

WAIT = 60.0


@pytest.fixture(scope="module", autouse=True)
def _processes() -> Iterator[None]:
    worker_process.start()
    assert worker_process.is_ready()
    yield
    worker_process.end()  # other tests look into their work


def done(work, **named) -> Job:
    """Return a job that a process has done."""
    job = Job("work", 1, work, **named)
    Pool(1).submit(job)
    assert job.wait(WAIT)
    return job


def test_work_is_done_in_another_process_and_comes_back_whole():
    rows = np.arange(6.0).reshape(2, 3)

    def work(progress):
        rows[0, 0] = 9  # its own: nothing that is sent may be written to here
        return os.getpid(), rows, rows.flags.writeable

    job = done(work)
    pid, found, is_writable = job.result
    assert job.reason == "finished" and pid != os.getpid() and is_writable
    np.testing.assert_array_equal(found, [[9, 1, 2], [3, 4, 5]])
    assert rows[0, 0] == 0


def test_a_data_set_or_a_file_comes_back_as_the_one_that_was_sent():
    data, file = lincore.sample("iris"), b"x" * 200_000
    found = done(lambda progress: (data, file, data.X.sum(), len(file))).result
    assert found[0] is data and found[1] is file
    assert found[2:] == (data.X.sum(), 200_000)


def test_results_are_those_of_this_process():
    data, methods = lincore.sample("iris"), ["lda", "qda", "logistic"]
    there = done(lambda progress: lincore.compare(data, methods)).result
    here = lincore.compare(data, methods)
    tables = [lincore.metrics.score_table(one) for one in (there, here)]
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize("package", [lincore.checks, lincore.geometry, lincore.metrics])
def test_work_may_name_a_package(package):
    """lazy_loader gives a package a class of its own if a name in it is that of its module."""
    assert done(lambda progress: package.__name__).result == package.__name__


def test_errors_come_back_as_they_were_raised():
    def refuse(progress):
        raise DataError("No such column.", where="column 'a'", remedy="Choose another.")

    refused = done(refuse)
    assert refused.reason == "failed" and isinstance(refused.error, DataError)
    assert refused.error.notice.where == "column 'a'"
    assert isinstance(done(lambda progress: 1 / 0).error, ZeroDivisionError)

    class OddError(Exception):
        def __init__(self, first, second):
            super().__init__(first)

    def fail(progress):
        raise OddError(1, 2)

    assert str(done(fail).error) == "OddError", "one that cannot be made again"


def test_progress_and_what_is_finished_so_far_come_back(tmp_path):
    gate = tmp_path / "gate"

    def work(progress):
        for i in range(3):
            progress(i, 3, f"step {i}")
            progress.keep([i])
        while not gate.exists():
            progress(3, 3, "waits")
        return "whole"

    job = Job("work", 1, work)
    Pool(1).submit(job)
    until(lambda: job.result == [2] and job.progress.description == "waits")
    assert job.progress.share == 1 and not job.is_over
    gate.touch()
    assert job.wait(WAIT) and (job.result, job.reason) == ("whole", "finished")


def test_work_that_listens_is_stopped_with_what_it_has():
    def work(progress):
        n = 0
        while progress(n, 0):
            n += 1
        return ["what it has", n]

    job = Job("work", 1, work)
    Pool(1).submit(job)
    until(lambda: job.progress.done)
    job.stop()
    assert job.wait(WAIT) and job.reason == "stopped" and job.result[0] == "what it has"


def test_work_that_does_not_listen_is_ended_and_what_it_kept_stands(monkeypatch):
    monkeypatch.setattr(worker_process, "SECONDS_TO_STOP", 0.1)

    def work(progress):
        progress.keep("a part")
        progress(1, 2, "in native code")
        threading.Event().wait()

    job = Job("work", 1, work)
    Pool(1).submit(job)
    until(lambda: job.result == "a part")
    job.stop()
    assert job.wait(WAIT) and (job.result, job.reason) == ("a part", "stopped")


@pytest.mark.parametrize(
    ("number", "said"), [(signal.SIGSEGV, "native code"), (signal.SIGKILL, "memory ran out")]
)
def test_a_process_that_dies_ends_its_job_with_a_message_and_nothing_else(number, said):
    killed = done(lambda progress: os.kill(os.getpid(), number))
    assert killed.reason == "failed" and isinstance(killed.error, worker_process.WorkerDiedError)
    assert said in killed.error.notice.what
    assert done(lambda progress: "next").result == "next"


def test_where_the_process_that_forks_has_died_another_is_begun():
    pid = done(lambda progress: os.getppid()).result
    os.kill(pid, signal.SIGKILL)
    assert done(lambda progress: os.getppid()).result not in (pid, os.getpid())


def test_a_page_says_that_its_work_died_and_offers_another_try(tmp_path, monkeypatch):
    page_jobs.shared.clear()
    monkeypatch.setattr(page_jobs, "pool", Pool(1))
    monkeypatch.setenv("LINCORE_TEST_GATE", str(tmp_path / "gate"))

    def page():
        import os
        import signal
        from pathlib import Path

        import streamlit as st

        from pages.ui.jobs import page_jobs

        gate = Path(os.environ["LINCORE_TEST_GATE"])

        def work(progress):
            if not gate.exists():
                os.kill(os.getpid(), signal.SIGSEGV)
            return "answer"

        st.text_input("Typed", key="typed")
        job = page_jobs.run("page.work", (1,), work, describe="Work", patience=30.0)
        st.markdown(f"the {page_jobs.require(job)}")

    app = AppTest.from_function(page, default_timeout=WAIT).run()
    app.text_input(key="typed").set_value("kept").run()
    shown = "\n".join(one.value for one in [*app.error, *app.markdown, *app.warning])
    assert "A crash in native code" in shown and "the answer" not in shown
    (tmp_path / "gate").touch()
    app.button(key="page.work.restart").click().run()
    assert [one.value for one in app.markdown][-1] == "the answer"
    assert app.text_input(key="typed").value == "kept" and not app.exception


def test_the_process_is_there_while_somebody_is_and_ends_afterwards(monkeypatch):
    worker_process.end()
    monkeypatch.setattr(worker_process, "SECONDS_TO_START", 0.0)
    monkeypatch.setattr(worker_process, "SECONDS_BETWEEN_LOOKS", 0.01)
    worker_process.wake()
    assert not worker_process.is_ready(), "no server has allowed it"
    worker_process.allow()
    worker_process.allow(False)
    until(worker_process.is_ready, WAIT)
    pid = done(lambda progress: os.getpid()).result
    assert pid != os.getpid()
    monkeypatch.setattr(worker_process, "SECONDS_TO_END", 0.0)
    until(lambda: not worker_process.is_ready(), WAIT)
    worker_process.start()
    assert worker_process.is_ready()
