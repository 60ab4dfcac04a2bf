"""Types that signatures share: arrays, and the callback that receives progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
#: Rows of each class.
Counts: TypeAlias = NDArray[np.int64]
#: Classes or groups of rows as numbers, from 0.
Codes: TypeAlias = NDArray[np.intp]
#: Positions of rows.
Rows: TypeAlias = NDArray[np.intp]

#: Called with parts done, total parts and a description of the work; returning False stops it.
Progress: TypeAlias = Callable[[int, int, str], "bool | None"]
