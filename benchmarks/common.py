"""Ratios of times, measured in turns in one run, and the bounds that they must keep."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("LINCORE_DATA", ROOT.parent / "shared" / "data"))
# Seconds for which BLAS's threads go on waiting for work after their last product, and a margin:
# what one side has left running is no cost of the other.
REST = 0.3
_missed: list[str] = []


class Ratio(NamedTuple):
    """Median, smallest and largest ratio of some turns."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the three numbers in one short text."""
        return f"{self.median:.2f} ({self.low:.2f} to {self.high:.2f})"


def seconds(work: Callable[[], Any]) -> float:
    """Return how long a call takes, begun when nothing that ran before is at work any more."""
    time.sleep(REST)
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(work: Callable[[], Any], against: Callable[[], Any], turns: int) -> Ratio:
    """Time two calls in turns, so that noise hits both, and compare each pair."""
    ratios = [seconds(work) / seconds(against) for _ in range(turns)]
    return Ratio(float(np.median(ratios)), min(ratios), max(ratios))


def require(
    what: str, value: Ratio | float, *, at_most: float = np.inf, at_least: float = -np.inf
) -> None:
    """Print a figure with its bound, and remember it if the bound is missed."""
    number = value.median if isinstance(value, Ratio) else value
    kept = at_least <= number <= at_most
    bound = f"at most {at_most:g}" if at_most < np.inf else f"at least {at_least:g}"
    print(f"{'ok    ' if kept else 'MISSED'} {what}: {value} [{bound}]", flush=True)
    if not kept:
        _missed.append(what)


def finish() -> None:
    """End the run, with an error if a bound was missed."""
    if _missed:
        sys.exit(f"{len(_missed)} bound(s) missed: {'; '.join(_missed)}")


def mnist() -> dict[str, np.ndarray]:
    """Return MNIST's arrays with one row for each image, or end the run saying what is missing."""
    path = DATA / "mnist.npz"
    if not path.exists():
        sys.exit(f"{path} not found: set LINCORE_DATA to the folder that holds mnist.npz.")
    with np.load(path) as arrays:
        return {
            name: arrays[name].reshape(len(arrays[name]), -1).squeeze() for name in arrays.files
        }
