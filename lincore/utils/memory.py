"""Free memory: checked before large allocations, and returned to the system."""

from __future__ import annotations

import ctypes
import platform
import sys
from functools import cache
from pathlib import Path

import numpy as np

from lincore.errors import TooLargeError

MEMINFO = Path("/proc/meminfo")
#: A container's memory limit and use in cgroup v2 and v1, and the part of it that is file cache,
#: which can be reclaimed.
CGROUPS = (
    (Path("/sys/fs/cgroup"), "memory.max", "memory.current", "inactive_file"),
    (
        Path("/sys/fs/cgroup/memory"),
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "total_inactive_file",
    ),
)
#: Smaller allocations are not checked, in bytes.
MUCH = 200_000_000


def available_bytes() -> float:
    """Return how many bytes this process may still allocate; infinite if unknown (not Linux)."""
    left = _entry(MEMINFO, "MemAvailable:") * 1024
    for folder, limit, used, files in CGROUPS:
        within = _number(folder / limit) - _number(folder / used)
        reclaimable = _entry(folder / "memory.stat", files)
        left = min(left, within + (reclaimable if np.isfinite(reclaimable) else 0.0))
    return max(0.0, left)


def require_memory(n_bytes: float, work: str, remedy: str) -> None:
    """Raise `TooLargeError` if work would need more memory than is free."""
    if n_bytes < MUCH:
        return
    left = available_bytes()
    if n_bytes > left:
        raise TooLargeError(
            f"{work} would take {n_bytes / 1e9:,.1f} GB of memory, and {left / 1e9:,.1f} GB are "
            "free.",
            remedy=remedy,
        )


def trim() -> bool:
    """Return freed memory to the system; return whether the C library supports it.

    The C library keeps freed memory, in one arena per thread that has allocated some, and Arrow
    keeps its own.
    """
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    libc = glibc()
    if libc is None:
        return False
    libc.malloc_trim(0)
    return True


@cache
def glibc() -> ctypes.CDLL | None:
    """Return the C library if it is glibc, otherwise None."""
    if platform.libc_ver()[0] != "glibc":
        return None
    return ctypes.CDLL("libc.so.6")


def _entry(path: Path, name: str) -> float:
    """Return the number after a name in a file; infinity if it is missing."""
    try:
        lines = path.read_text("ascii").splitlines()
    except OSError:
        return np.inf
    return next((float(line.split()[1]) for line in lines if line.startswith(f"{name} ")), np.inf)


def _number(path: Path) -> float:
    """Return the number in a file; infinity if there is no file or it contains "max"."""
    try:
        return float(int(path.read_text("ascii")))
    except (OSError, ValueError):
        return np.inf
