"""Results of experiments: scores, intervals, tests and rankings.

What is computed from `Results` is attached to it here as methods, for the record itself may not
import what reads it. They find that by this package's door, which imports it at the first call:
with SciPy's statistics it takes 1.2 s, which every module here would cost to import instead of 0.1.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import lazy_loader

from lincore import metrics
from lincore.metrics.results import ROPE, Results

if TYPE_CHECKING:
    import pandas as pd

# The names listed in `__init__.pyi`, each imported on first access.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def _table(self: Results, score: str | None = None, *, wide: bool = False) -> pd.DataFrame:
    """Return the scores with their 95 % intervals, one line for each method, the best first."""
    table = metrics.score_table if wide else metrics.readable_score_table
    return table(self, score)


def _groups(self: Results, score: str | None = None, rope: float = ROPE) -> dict[str, int]:
    """Return groups of methods not shown to be worse than their best, 1 with the best method.

    See `lincore.metrics.groups`.
    """
    return metrics.groups(self, score, rope)


def _best(self: Results) -> str:
    """Return the method that stands first in `table()`; "" where none was finished."""
    return next(iter(metrics.rank_methods(self).methods), "")


def _describe(self: Results) -> pd.DataFrame:
    """Return what was fitted: a line for each method with label, options, steps and notes."""
    return metrics.method_table(self)


def _to_frame(self: Results) -> pd.DataFrame:
    """Return every prediction as a line: method, row, fold, truth, predicted, posteriors."""
    return metrics.prediction_table(self)


def _repr(self: Results) -> str:
    """Say what was compared and which method leads, in a line."""
    return f"<Results of {metrics.results_summary(self)}>"


def _repr_html(self: Results) -> str:
    """Return what a notebook shows: the line, and the table."""
    return f"<p>Results of {escape(metrics.results_summary(self))}</p>{_table(self).to_html()}"


_ATTACHED: dict[str, Any] = {
    "table": _table,
    "groups": _groups,
    "best": property(_best),
    "describe": _describe,
    "to_frame": _to_frame,
    "__repr__": _repr,
    "_repr_html_": _repr_html,
}
for _name, _method in _ATTACHED.items():
    setattr(Results, _name, _method)
