"""Fixtures that all tests share."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

# No deadlines: how long an example takes says more about the machine than about the code.
settings.register_profile("lincore", deadline=None)
settings.register_profile("ci", parent=settings.get_profile("ci"), deadline=None)
# `make fuzz`: what takes minutes in CI as well.
settings.register_profile("fuzz", max_examples=8_000, deadline=None)
settings.load_profile("ci" if settings.get_current_profile_name() == "ci" else "lincore")


@pytest.fixture(autouse=True)
def _keep_main() -> Iterator[None]:
    # A page under test leaves itself as `__main__`, and each process that a later test starts
    # would run it.
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
