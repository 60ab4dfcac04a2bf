"""Pages go first: when a job waits for a page that is being drawn, and when it does not."""

from __future__ import annotations

from threading import Event

import pytest

from pages.ui.courtesy import Courtesy
from pages.ui.workers import Job, Pool

WAIT = 10.0


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Courtesy:
    pages = Courtesy()
    monkeypatch.setattr("pages.ui.courtesy.pages", pages)
    monkeypatch.setattr("pages.ui.workers.MOST_COURTESY", WAIT)
    return pages


def test_a_job_begins_when_the_page_is_drawn(pages):
    order, began = [], Event()

    def work(progress):
        began.set()
        order.append("job")

    with pages.drawing():
        job = Job("study", 1, work)
        Pool(1).submit(job)
        with pages.drawing():
            pass
        assert not began.wait(0.05), "the other page is still being drawn"
        order.append("page")
    assert job.wait(WAIT)
    assert order == ["page", "job"]


def test_a_job_that_the_page_waits_for_begins_at_once(pages):
    with pages.drawing():
        job = Job("fit", 1, lambda progress: progress(1, 2) and "done")
        Pool(1).submit(job)
        assert job.wait(WAIT / 2)
    assert job.result == "done"


def test_a_job_waits_no_longer_than_its_share(pages, monkeypatch):
    monkeypatch.setattr("pages.ui.workers.MOST_COURTESY", 0.02)
    with pages.drawing():
        job = Job("fit", 1, lambda progress: all(progress(i, 9) for i in range(9)))
        job.do()
    assert job.result is True
