"""Free memory, checked before large allocations."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lincore.errors import TooLargeError

MEMINFO = Path("/proc/meminfo")
#: Where a container says how much it may have and has, in the two generations of control groups;
#: and what of that are files, which give way.
CGROUPS = (
    (Path("/sys/fs/cgroup"), "memory.max", "memory.current", "inactive_file"),
    (
        Path("/sys/fs/cgroup/memory"),
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "total_inactive_file",
    ),
)
#: Bytes from which on it is worth asking.
MUCH = 200_000_000


def available_bytes() -> float:
    """Return how many bytes this process may still allocate; infinite if unknown (not Linux)."""
    left = _entry(MEMINFO, "MemAvailable:") * 1024
    for folder, limit, used, files in CGROUPS:
        within = _number(folder / limit) - _number(folder / used)
        reclaimable = _entry(folder / "memory.stat", files)
        left = min(left, within + (reclaimable if np.isfinite(reclaimable) else 0.0))
    return max(0.0, left)


def require_memory(n_bytes: float, what: str, remedy: str) -> None:
    """Raise an error before work that would need more memory than is free."""
    if n_bytes < MUCH:
        return
    left = available_bytes()
    if n_bytes > left:
        raise TooLargeError(
            f"{what} would take {n_bytes / 1e9:,.1f} GB of memory, and {left / 1e9:,.1f} GB are "
            "free.",
            remedy=remedy,
        )


def _entry(path: Path, name: str) -> float:
    """Return the number behind a name in a file of lines; infinity where there is none."""
    try:
        lines = path.read_text("ascii").splitlines()
    except OSError:
        return np.inf
    return next((float(line.split()[1]) for line in lines if line.startswith(f"{name} ")), np.inf)


def _number(path: Path) -> float:
    """Return the number in a file; infinity where there is no file, or the word "max"."""
    try:
        return float(int(path.read_text("ascii")))
    except (OSError, ValueError):
        return np.inf
