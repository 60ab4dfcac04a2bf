"""Results of experiments: scores, intervals, tests and rankings.

Methods that compute something from `Results` are attached to the class here, because its module may
not import modules that use it. These are imported on first use: with SciPy's statistics they take
1.2 s, compared with 0.1 s for everything else.
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


def _groups(self: Results, score: str | None = None, rope: float = ROPE) -> dict[str, int]:
    """Return groups of methods not shown to be worse than their best, 1 with the best method."""
    # See `lincore.metrics.groups`.
    return metrics.groups(self, score, rope)


def _best(self: Results) -> str:
    """Return the method with the best leading score; "" if none was finished."""
    return next(iter(metrics.rank_methods(self).methods), "")


def _describe(self: Results) -> pd.DataFrame:
    """Return the fitted methods: one line each with label, options, steps and notes."""
    return metrics.method_table(self)


def _to_frame(self: Results) -> pd.DataFrame:
    """Return one line per prediction: method, row, fold, truth, predicted, posteriors."""
    return metrics.prediction_table(self)


def _repr(self: Results) -> str:
    """Return a one-line summary of the comparison."""
    return f"<Results of {metrics.results_summary(self)}>"


def _repr_html(self: Results) -> str:
    """Return what a notebook shows: the line, and the scores."""
    shown = self.scores()._repr_html_()
    return f"<p>Results of {escape(metrics.results_summary(self))}</p>{shown}"


_ATTACHED: dict[str, Any] = {
    "groups": _groups,
    "best": property(_best),
    "describe": _describe,
    "to_frame": _to_frame,
    "__repr__": _repr,
    "_repr_html_": _repr_html,
}
for _name, _method in _ATTACHED.items():
    setattr(Results, _name, _method)
