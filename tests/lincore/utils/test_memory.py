"""Memory: what is free, and work that is refused before it takes more."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore.errors import TooLargeError
from lincore.moments import Moments
from lincore.utils import available_bytes, require_memory


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Return a folder that stands for what a machine says of itself."""
    names = [
        (tmp_path, "memory.max", "memory.current", "inactive_file"),
        (tmp_path, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ]
    monkeypatch.setattr("lincore.utils.memory.MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr("lincore.utils.memory.CGROUPS", names)
    return tmp_path


def test_where_nobody_says_how_much_there_is_nothing_is_refused(machine):
    assert available_bytes() == np.inf
    require_memory(1e15, "Everything", "")


def test_the_least_of_machine_and_container_counts_and_files_give_way(machine):
    (machine / "meminfo").write_text("MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n")
    assert available_bytes() == 8_192_000_000
    (machine / "memory.max").write_text("max\n")
    (machine / "memory.current").write_text("1900000000\n")
    assert available_bytes() == 8_192_000_000
    (machine / "memory.max").write_text("2000000000\n")
    assert available_bytes() == 100_000_000
    (machine / "memory.stat").write_text("file 9\ninactive_file 500000000\n")
    assert available_bytes() == 600_000_000


def test_fits_that_do_not_fit_are_refused_before_they_begin(machine):
    (machine / "meminfo").write_text("MemAvailable: 1000000 kB\n")
    X, y = np.zeros((2, 9000)), np.array([0, 1])
    with pytest.raises(TooLargeError, match=r"3.9 GB of memory, and 1.0 GB are free.*principal"):
        Moments.from_groups(X, y, 2)
    Moments.from_groups(X, y, 2, diagonal=True)
    (machine / "meminfo").write_text("MemAvailable: 200000 kB\n")
    X, y = np.random.default_rng(0).standard_normal((700, 650)), np.arange(700) % 6
    with pytest.raises(TooLargeError, match="newton-cg"):
        lincore.LogisticRegression(solver="newton").fit(X, y)
