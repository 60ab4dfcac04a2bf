"""`ModelDisplay`: what displays of one fitted classifier have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

import pandas as pd

from lincore import metrics
from lincore.displays.base import Display
from lincore.model_selection import FittedClassifier

if TYPE_CHECKING:
    from lincore.metrics import Results


T = TypeVar("T")


def once(make: Callable[[FittedClassifier], T]) -> Callable[[FittedClassifier], T]:
    """Compute a property of a model once, for all rules and displays."""
    known: WeakKeyDictionary[FittedClassifier, T] = WeakKeyDictionary()

    def cached(model: FittedClassifier) -> T:
        if model not in known:
            known[model] = make(model)
        return known[model]

    return cached


def class_labels(so_far: SimpleNamespace) -> dict[int, str]:
    """Return the codes of the classes with their labels: a rule of options."""
    return dict(enumerate(map(str, so_far.model.data.classes)))


def has_posteriors(so_far: SimpleNamespace) -> bool:
    """Return whether the model has posteriors: a rule."""
    return metrics.has_posteriors(so_far.model.results, so_far.model.name)


@dataclass(frozen=True, eq=False)
class ModelDisplay(Display):
    """A display of one fitted classifier."""

    model: FittedClassifier

    @property
    def results(self) -> Results:
        """The predictions of the test rows."""
        return self.model.results

    @property
    def method(self) -> str:
        """What the model is called."""
        return self.model.name

    def call(self) -> str:
        """Return the expression that makes this display, also of a model at an operating point."""
        text, point = super().call(), self.model.point
        return text if point is None else text.replace("model.", f"model.{point.call()}.", 1)

    def scores(self, *names: str) -> pd.DataFrame:
        """Return scores of the test rows, see `lincore.metrics.score_table`."""
        scores = metrics.score_table(self.results, names)
        return scores[scores["method"] == self.method].reset_index(drop=True)

    @property
    def tested(self) -> str:
        """The number of test rows, as words."""
        return f"{len(self.results.rows):,} test {self.model.data.kind.rows}"

    @property
    def trained(self) -> str:
        """The number of training rows, as words."""
        return f"{len(self.model.split.train):,} training {self.model.data.kind.rows}"
