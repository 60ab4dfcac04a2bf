"""Displays of results, found by name."""

from __future__ import annotations

import pkgutil
from typing import Any


def display(name: str, *subject: Any, **settings: Any) -> Any:
    """Return a display of `lincore.displays` with validated settings."""
    return pkgutil.resolve_name(f"lincore.displays:{name}").of(*subject, **settings)
