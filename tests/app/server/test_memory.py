"""Memory of ended sessions is bounded and released."""

from __future__ import annotations

import asyncio
import platform
from threading import Event, Lock, Thread
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit import runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage

from lincore.utils import glibc
from pages.ui.jobs import cache, page_jobs
from pages.ui.server import memory
from pages.ui.server.shared_cache import Shared

MEGABYTE = 1_000_000


@pytest.fixture
def kept(monkeypatch) -> Shared:
    kept = Shared(2 * MEGABYTE)
    monkeypatch.setattr(cache, "RESULTS", kept)
    return kept


def test_results_are_shared_by_what_they_were_asked_with_and_bounded_by_bytes(kept):
    made = []

    @cache.by_bytes()
    def rows(digest, seed, _data):
        made.append((digest, seed))
        return np.zeros(MEGABYTE // 8)

    first = rows("a", 1, object())
    assert rows("a", 1, object()) is first, "the data are not looked at, their digest is"
    rows("b", 1, None)
    assert rows("a", 2, None) is not first
    assert made == [("a", 1), ("b", 1), ("a", 2)]
    kept.max_bytes = MEGABYTE // 2
    rows("c", 1, None)
    rows("c", 1, None)
    assert made[-2:] == [("c", 1), ("c", 1)], "what is larger than all is not kept"


def test_a_part_of_an_array_counts_as_the_whole_that_it_keeps(kept):
    made = []

    @cache.by_bytes()
    def first_row(digest):
        made.append(digest)
        return np.zeros((100, MEGABYTE // 80))[:1]

    first_row("a")
    first_row("a")
    assert made == ["a", "a"], "one row takes little, and keeps ten megabytes"


def test_what_somebody_makes_another_waits_for(kept):
    began, may_end, made, found = Event(), Event(), [], []

    @cache.by_bytes()
    def slow(digest):
        made.append(digest)
        began.set()
        assert may_end.wait(10)
        return [digest]

    threads = [Thread(target=lambda: found.append(slow("a")), daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
        assert began.wait(10)
    may_end.set()
    for thread in threads:
        thread.join(10)
    assert made == ["a"] and found[0] is found[1]


def test_a_fault_is_not_kept(kept):
    made = []

    @cache.by_bytes()
    def fails(digest):
        made.append(digest)
        raise ValueError(digest)

    for _ in range(2):
        with pytest.raises(ValueError, match="a"):
            fails("a")
    assert made == ["a", "a"]


def test_all_that_is_shared_leaves_room_for_the_rest_of_600_megabytes():
    assert cache.RESULTS.max_bytes + page_jobs.shared.max_bytes <= 200 * MEGABYTE


def test_a_session_is_forgotten_in_time_though_nobody_comes(monkeypatch):
    storage = MemorySessionStorage(ttl_seconds=0)
    gone = SimpleNamespace(session=SimpleNamespace(id="a", shutdown=lambda: None))
    storage.save(gone)
    assert storage._cache._data, "Streamlit forgets by itself now: memory.py is no longer needed"
    server = SimpleNamespace(_session_mgr=SimpleNamespace(_session_storage=storage))
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    monkeypatch.setattr(memory, "Thread", lambda **named: SimpleNamespace(start=int))
    monkeypatch.setattr("pages.ui.server.memory._tidying", Lock())
    memory.tidy()
    assert not storage._cache._data


@pytest.mark.parametrize(("kind", "n_times"), [("websocket", 1), ("http", 0)])
def test_a_closed_connection_is_tidied_up_after(monkeypatch, kind, n_times):
    told = []
    monkeypatch.setattr(memory, "SECONDS_KEPT", 0.0)
    monkeypatch.setattr(memory, "tidy", lambda: told.append(True))

    async def app(scope, receive, send):
        raise ConnectionError("cut")

    async def visit():
        with pytest.raises(ConnectionError):
            await memory.Departures(app)({"type": kind}, None, None)
        await asyncio.sleep(0.01)

    asyncio.run(visit())
    assert len(told) == n_times


def test_memory_goes_back_where_the_c_library_can(monkeypatch):
    assert memory.trim() == (platform.libc_ver()[0] == "glibc")
    monkeypatch.setattr("platform.libc_ver", lambda: ("", ""))
    glibc.cache_clear()
    memory.limit_free_memory()
    assert not memory.trim()
    glibc.cache_clear()
