"""Garbage is collected now and then, and not at the end of every run."""

from __future__ import annotations

import gc
import tomllib
import weakref
from math import inf
from pathlib import Path
from threading import Event
from types import SimpleNamespace

from streamlit import config

from pages.ui.server import preload

ROOT = Path(__file__).parents[3]
OF_ALL = "pages.ui.server._garbage_collection.SECONDS_OF_ALL"


class Loop:
    """Something that only the collector can set free."""

    def __init__(self) -> None:
        self.itself = self


def make_things() -> list[list[int]]:
    made = [[i] for i in range(5_000)]
    gc.collect(0)  # as Python does by itself after every 700
    return made


def test_no_run_ends_with_a_collection():
    option = "runner.postScriptGC"
    assert option in config.get_config_options(force_reparse=False)
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["runner"]["postScriptGC"] is False


def test_what_has_grown_old_is_collected_and_then_nothing_until_there_is_more(monkeypatch):
    old = Loop()
    left = weakref.ref(old)
    gc.collect()  # it survives, and the collections of young things no longer look at it
    thread = begun(monkeypatch)
    assert thread["name"] == "lincore-garbage"
    collector, _ = thread["args"]
    monkeypatch.setattr(OF_ALL, inf)
    collector.collect()
    del old
    made = make_things()
    assert collector.collect() and made
    assert left() is not None, "it was seen once, and is not looked at again within a minute"
    monkeypatch.setattr(OF_ALL, 0.0)
    assert collector.collect()
    assert left() is None
    gc.disable()  # nothing young is collected, as if nothing was made
    try:
        collector.collect()  # what the lines above made
        assert not collector.collect()
    finally:
        gc.enable()


def test_collections_that_python_starts_leave_out_what_was_seen(monkeypatch):
    monkeypatch.setattr(OF_ALL, inf)
    (collector, _), old = begun(monkeypatch)["args"], Loop()
    made = make_things()
    left = weakref.ref(old)
    assert collector.collect() and made
    del old
    gc.collect()
    assert left() is not None
    collector.collect_all()
    assert left() is None


def begun(monkeypatch) -> dict[str, object]:
    """Return what the thread is given that collects, once a warm-up of nothing is over."""
    threads, over = [], Event()
    monkeypatch.setattr(preload, "MODULES", ())
    monkeypatch.setattr(preload, "gc", type("Gc", (), {"collect": int, "freeze": int}))
    monkeypatch.setattr("pages.ui.server.preload._started", False)
    monkeypatch.setattr(
        "pages.ui.server._garbage_collection.Thread",
        lambda **named: threads.append(named) or SimpleNamespace(start=int),
    )
    preload.start(then=over.set)
    assert over.wait(10), "the workers begin after it"
    (thread,) = threads
    return thread
