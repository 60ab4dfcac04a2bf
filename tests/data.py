"""Paths of the real data, and the mark of the tests that need them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).parents[2] / "shared" / "data"
DATA = Path(os.environ.get("LINCORE_DATA", _BESIDE))

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="real data not found: set LINCORE_DATA")
