"""Garbage is collected now and then, and not at the end of every run."""

from __future__ import annotations

import gc
import tomllib
import weakref
from pathlib import Path

from streamlit import config

from pages.ui.server import _garbage_collection

ROOT = Path(__file__).parents[3]


class Loop:
    """Something that only the collector can set free."""

    def __init__(self) -> None:
        self.itself = self


def make_things() -> list[list[int]]:
    return [[i] for i in range(5_000)]


def test_no_run_ends_with_a_collection():
    option = "runner.postScriptGC"
    assert option in config.get_config_options(force_reparse=False)
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["runner"]["postScriptGC"] is False


def test_what_has_grown_old_is_collected_and_then_nothing_until_there_is_more():
    old = Loop()
    left = weakref.ref(old)
    gc.collect()  # it survives, and the collections of young things no longer look at it
    collector = _garbage_collection.Collector()
    collector.collect()
    del old
    made = make_things()
    assert collector.collect()
    assert left() is None and made
    gc.disable()  # nothing young is collected, as if nothing was made
    try:
        collector.collect()  # what the lines above made
        assert not collector.collect()
    finally:
        gc.enable()


def test_the_warm_up_ends_with_its_beginning(monkeypatch):
    from pages.ui.server import preload

    begun = []
    monkeypatch.setattr(preload, "MODULES", ())
    monkeypatch.setattr(preload, "gc", type("Gc", (), {"collect": int, "freeze": int}))
    monkeypatch.setattr(preload._garbage_collection, "start", lambda: begun.append(True))
    preload._warm_up(then=lambda: begun.append("workers"))
    assert begun == [True, "workers"]
