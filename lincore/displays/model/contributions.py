"""Display of what each feature adds to the score that decides about a row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, plots
from lincore.displays.model.model_display import codes
from lincore.displays.model.what_if import MEDIAN, RowDisplay
from lincore.fields import Field
from lincore.utils import number, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.inspection import Contributions

#: In the place of a class: the one with the next highest score.
NEXT = -1
# Lines of the table.
_MOST_LINES = 200


def _other_classes(so_far: SimpleNamespace) -> dict[int, str]:
    classes = codes(so_far)
    return {NEXT: "The next class", **classes} if len(classes) > 2 else {}


@dataclass(frozen=True, eq=False)
class ContributionsDisplay(RowDisplay):
    """What each feature adds to the score of the predicted class over another, for one row."""

    title: ClassVar[str] = "Contributions"
    made_by: ClassVar[str] = "model.contributions"
    place: ClassVar[str] = "classify.contributions"

    against: Annotated[
        int,
        Field("Against", "The class with which the predicted class is compared.",
              choices=_other_classes),
    ] = NEXT  # fmt: skip

    @cached_property
    def parts(self) -> Contributions | str:
        """The contributions, or why there are none."""
        model, against = self.model, None if self.against == NEXT else self.against
        try:
            return inspection.contributions(
                model.pipeline, model.data, model.split.train, self.given, against
            )
        except (TypeError, ValueError) as error:
            return f"No feature has a contribution of its own. {error}"

    @property
    def unit(self) -> str:
        """What the contributions add up to."""
        is_posterior = not isinstance(self.parts, str) and self.parts.are_log_odds
        return "log odds" if is_posterior else "score"

    def finding(self) -> str:
        """Return which feature counts most, or why none does."""
        return self.parts if isinstance(self.parts, str) else self.figure_title

    def scope(self) -> str:
        """Return the row, and what its score is made of."""
        parts = self.parts
        if isinstance(parts, str):
            return ""
        row = super().scope() or "The median of every feature."
        mean = f"{number(parts.base)} on average over {self.trained}"
        pair = f"The {self.unit} of {self._pair(parts)}"
        return f"{row} {pair}: {mean}, {number(parts.score)} here."

    def _pair(self, parts: Contributions) -> str:
        first, second = (self.model.data.classes[code] for code in (parts.first, parts.second))
        return f"{quoted(first)} over {quoted(second)}"

    def frame(self) -> pd.DataFrame:
        """Return a line for each feature, the largest contribution first."""
        if isinstance(self.parts, str):
            return pd.DataFrame()
        values = self.parts.values
        order = np.argsort(-np.abs(values), kind="stable")
        names = self.model.data.feature_names
        return pd.DataFrame(
            {
                "feature": [names[i] for i in order],
                "value": [self._value(i) for i in order.tolist()],
                "contribution": values[order],
            }
        )

    def _value(self, column: int) -> str:
        data, value = self.model.data, self.given[column]
        levels = inspection.level_names(data, column)
        shown = number(float(value)) if levels is None else str(levels[int(value)])
        is_known = self.start == MEDIAN or column in self.changed or not data.has_missing
        gap = not is_known and np.isnan(float(data.X[self.start, column]))
        return f"{shown} (filled in)" if gap else shown

    def table(self) -> pd.DataFrame:
        """Return the features that count most; of pixels nothing."""
        if self.model.data.kind.is_images:
            return pd.DataFrame()
        return self.frame()[:_MOST_LINES]

    def plot(self) -> go.Figure | None:
        """Return a waterfall from the mean of the training rows to the row; of pixels an image."""
        parts, data = self.parts, self.model.data
        if isinstance(parts, str):
            return None
        if data.kind.is_images:
            stack = parts.values.reshape(1, *(data.image_shape or ()))
            stack = stack.mean(axis=3) if stack.ndim == 4 else stack
            title = f"What each pixel adds to the {self.unit}"
            return plots.coefficient_images(stack, [self._pair(parts)], columns=1, title=title)
        lines = self.frame()
        labels = [
            f"{name} =\u00a0{value}" for name, value in zip(lines.feature, lines.value, strict=True)
        ]
        return plots.contributions(
            labels, lines.contribution, parts.base, unit=self.unit, of=self._pair(parts)
        )

    def notes(self) -> tuple[str, ...]:
        """Return what a contribution is."""
        if isinstance(self.parts, str):
            return ()
        return (
            "A contribution is the coefficient times the distance from the mean of the training "
            "rows, summed over the levels of a category: the Shapley value of a linear score "
            "(Lundberg and Lee 2017). It describes the model, not a cause: of two correlated "
            "features one may get the contribution of the other.",
        )
