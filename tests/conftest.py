"""Which tests run, in which order, and the fixtures that all share.

`make test` runs the short suite. ``--long`` (`make test-all`) adds the folder ``tests/long``, whose
packages ``requirements-long.txt`` lists, and what is marked ``long`` elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# No deadlines: how long an example takes says more about the machine than about the code.
settings.register_profile("lincore", deadline=None)
settings.register_profile("ci", parent=settings.get_profile("ci"), deadline=None)
# `make fuzz`: what takes minutes in CI as well.
settings.register_profile("fuzz", max_examples=8_000, deadline=None)
settings.load_profile("ci" if settings.get_current_profile_name() == "ci" else "lincore")


LONG = Path(__file__).parent / "long"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--long``."""
    parser.addoption("--long", action="store_true", help="also run what takes long")


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples of each law in the short suite."""
    if not config.getoption("long"):
        parent = settings.get_profile(settings.get_current_profile_name())
        settings.register_profile("short", parent=parent, max_examples=25)
        settings.load_profile("short")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave ``tests/long`` alone: the packages that it needs may be absent."""
    return True if collection_path == LONG and not config.getoption("long") else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked long."""
    if not config.getoption("long"):
        left_out = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("long")]


@pytest.fixture(autouse=True)
def _keep_main() -> Iterator[None]:
    # A page under test leaves itself as `__main__`, and each process that a later test starts
    # would run it.
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
