"""Displays of the score that decides about a row: what each feature adds, and nearest changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, plots
from lincore.displays.model.model_display import class_labels, once
from lincore.displays.model.what_if import MEDIAN, RowDisplay
from lincore.fields import Field
from lincore.utils import count, listed, number, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.inspection import Contributions, NearestChange
    from lincore.model_selection import FittedClassifier

#: Instead of a class: the one with the next highest score.
NEXT = -1
# Maximum number of changes in a sentence, and of lines in the table.
_MOST_NAMED = 3
_MOST_LINES = 200


def _features(so_far: SimpleNamespace) -> dict[int, str]:
    return dict(enumerate(so_far.model.data.feature_names))


def _other_classes(so_far: SimpleNamespace) -> dict[int, str]:
    classes = class_labels(so_far)
    return {NEXT: "The next class", **classes} if len(classes) > 2 else {}


@once
def _has_contributions(model: FittedClassifier) -> bool:
    return not isinstance(ContributionsDisplay(model).parts, str)


@once
def _has_nearest_change(model: FittedClassifier) -> bool:
    return not isinstance(NearestChangeDisplay(model).change, str)


def _is_additive(so_far: SimpleNamespace) -> bool:
    return _has_contributions(so_far.model)


def _can_change(so_far: SimpleNamespace) -> bool:
    return _has_nearest_change(so_far.model)


@dataclass(frozen=True, eq=False)
class ContributionsDisplay(RowDisplay):
    """What each feature adds to the score of the predicted class over another, for one row."""

    title: ClassVar[str] = "Contributions"
    made_by: ClassVar[str] = "model.contributions"
    page_key: ClassVar[str] = "classify.contributions"

    against: Annotated[
        int,
        Field("Against", "The class with which the predicted class is compared.",
              choices=_other_classes,
              when=_is_additive),
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
        mean = f"{number(parts.base)} on average over {self.trained}"
        pair = f"The {self.unit} of {self._pair(parts)}"
        return f"{self.origin} {pair}: {mean}, {number(parts.score)} here."

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
        """Return the features that count most; nothing for pixels."""
        if self.model.data.kind.is_images:
            return pd.DataFrame()
        return self.frame()[:_MOST_LINES]

    def plot(self) -> go.Figure | None:
        """Return a waterfall from the mean training row to the row; for pixels, an image."""
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


@dataclass(frozen=True, eq=False)
class NearestChangeDisplay(RowDisplay):
    """The smallest change of a row that makes the model predict another class."""

    title: ClassVar[str] = "Nearest change"
    made_by: ClassVar[str] = "model.nearest_change"
    page_key: ClassVar[str] = "classify.nearest"

    target: Annotated[
        int,
        Field(
            "Towards",
            "The class that is to be predicted.",
            choices=_other_classes,
            when=_can_change,
        ),
    ] = NEXT  # fmt: skip
    locked: Annotated[
        tuple[int, ...],
        Field(
            "Locked",
            "Features that must keep their value.",
            longest=500,
            choices=_features,
            when=_can_change,
        ),
    ] = ()

    @cached_property
    def change(self) -> NearestChange | str:
        """The change, or why there is none."""
        model, target = self.model, None if self.target == NEXT else self.target
        if model.point is not None:
            return "It is computed for decisions by the largest posterior, not at a threshold."
        try:
            return inspection.nearest_change(
                model.pipeline, model.data, model.split.train, self.given, target, self.locked
            )
        except (TypeError, ValueError) as error:
            return f"No nearest change. {error}"

    def finding(self) -> str:
        """State the largest changes and the class that they lead to."""
        change, data = self.change, self.model.data
        if isinstance(change, str):
            return change
        label = quoted(data.classes[change.second])
        categories = [
            f"{data.feature_names[j]} {self._level(j, level)}" for j, level in change.levels
        ]
        if not np.isfinite(change.row).all():
            if categories:
                return (
                    f"One changed category would suffice: {listed(categories, most=_MOST_NAMED)}."
                )
            wanted = "another class" if self.target == NEXT else label
            return f"No numbers in the range of the training rows lead to {wanted}."
        lines = [line for line in self.frame().to_dict("records") if line["step"]]
        steps = [
            f"{line['feature']} {number(line['now'])} → {number(line['nearest'])}"
            for line in lines[:_MOST_NAMED]
        ]
        if more := len(lines) - len(steps):
            steps.append(count(more, "smaller change"))
        return f"{label} would be predicted with {listed(steps)}."

    def _level(self, column: int, level: int) -> str:
        levels = inspection.level_names(self.model.data, column)
        return "" if levels is None else quoted(levels[level])

    def scope(self) -> str:
        """Return the row and the length of the change."""
        if isinstance(self.change, str):
            return ""
        length = float(np.linalg.norm(self.change.steps))
        if not np.isfinite(length):
            return self.origin
        return f"{self.origin} Distance: {number(length)} standard deviations of the training rows."

    def frame(self) -> pd.DataFrame:
        """Return a line for each numeric feature, the largest change first; none if none leads."""
        change, data = self.change, self.model.data
        if isinstance(change, str):
            return pd.DataFrame()
        columns = [
            j
            for j in range(data.n_features if np.isfinite(change.row).all() else 0)
            if j not in self.locked and inspection.level_names(data, j) is None
        ]
        columns.sort(key=lambda j: -np.nan_to_num(abs(change.steps[j])))
        return pd.DataFrame(
            {
                "feature": [data.feature_names[j] for j in columns],
                "now": self.given[columns],
                "nearest": change.row[columns],
                "step": change.steps[columns],
                "alone": change.alone[columns],
            }
        )

    def table(self) -> pd.DataFrame:
        """Return the same as text, and the categories that suffice alone."""
        if isinstance(self.change, str):
            return pd.DataFrame()
        lines, names = self.frame(), self.model.data.feature_names
        for name in lines.columns[1:]:
            lines[name] = [number(value) if np.isfinite(value) else "" for value in lines[name]]
        levels = pd.DataFrame(
            {
                "feature": names[j],
                "now": self._level(j, int(self.given[j])),
                "alone": self._level(j, level),
            }
            for j, level in self.change.levels
        )
        headings = {
            "nearest": "together",
            "step": "change (standard deviations)",
            "alone": "if only this changes",
        }
        shown = pd.concat([lines, levels])[:_MOST_LINES].astype(object).fillna("")
        return shown.rename(columns=headings)

    def plot(self) -> go.Figure | None:
        """Return the changes as bars; for pixels, an image."""
        change, data = self.change, self.model.data
        if isinstance(change, str) or not np.isfinite(change.row).all():
            return None
        unit, title = "change (standard deviations)", self.finding()
        if data.kind.is_images:
            stack = change.steps.reshape(1, *(data.image_shape or ()))
            stack = stack.mean(axis=3) if stack.ndim == 4 else stack
            label = quoted(data.classes[change.second])
            return plots.coefficient_images(stack, [label], columns=1, title=title)
        lines = self.frame()
        moved = lines[lines["step"] != 0]
        return plots.coefficients(
            moved["feature"].tolist(), moved["step"], unit=unit, title=title, is_ordered=True
        )

    def notes(self) -> tuple[str, ...]:
        """State what the change means."""
        if isinstance(self.change, str):
            return ()
        whole = (
            "Whole numbers stay whole."
            if self.change.are_whole
            else "Whole numbers may get a fraction here: too many of them change."
        )
        return (
            "The shortest way to the boundary for numbers (Wachter, Mittelstadt, Russell 2018), in "
            "standard deviations of the training rows and within their range. "
            f"{whole} Blank: that feature alone does not suffice. It describes the model: changing "
            "these values in the world need not change the outcome.",
        )
