"""Work over the cores: every piece once, errors come out, and a stop is heeded."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from lincore import DataError
from lincore.io.images import _pixels
from lincore.io.images._pixels import over_cores


@pytest.mark.parametrize("count", [0, 1, 64, 65, 1000])
def test_every_piece_is_done_once(count):
    done, told = [0] * count, []

    def work(i):
        done[i] += 1

    over_cores(work, count, "Counting", lambda *state: told.append(state))
    assert done == [1] * count
    assert told[-1] == (count, count, "Counting")


@pytest.fixture
def stop(monkeypatch):
    """Return the event that ends the work: all but the first pieces wait for it."""
    event = threading.Event()
    monkeypatch.setattr(_pixels, "threading", SimpleNamespace(Event=lambda: event))
    return event


def test_an_error_comes_out_and_ends_the_work(stop):
    done = []

    def work(i):
        if i == 70:
            raise KeyError(i)
        assert i <= 1000 or stop.wait(60)
        done.append(i)

    with pytest.raises(KeyError):
        over_cores(work, 100_000, "Failing")
    assert len(done) < 2_000
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("decode")]


def test_a_stop_leaves_the_rest_undone(stop):
    done = []

    def work(i):
        assert i <= 1000 or stop.wait(60)
        done.append(i)

    with pytest.raises(DataError, match="stopped") as caught:
        over_cores(work, 100_000, "Stopping", lambda so_far, *_: so_far < 640)
    assert 640 <= len(done) < 2_000
    assert caught.value.notice.remedy
