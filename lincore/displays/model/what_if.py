"""Displays of one row, some of its values changed: its prediction, and what each adds to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from lincore import fields, inspection, plots, prediction
from lincore.displays.model.model_display import ModelDisplay
from lincore.displays.model.plane import PlaneDisplay, by_position
from lincore.fields import Field
from lincore.utils import quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.prediction import RowPrediction

#: Instead of a row: the median of each number, the most frequent level of each category.
MEDIAN = -1


def _start(so_far: SimpleNamespace) -> int:
    model = so_far.model
    return MEDIAN if model.data.kind.single_features else int(model.split.test[0])


@dataclass(frozen=True, eq=False)
class RowDisplay(ModelDisplay):
    """A display of one row with some values changed."""

    row: (
        Annotated[
            int,
            Field(
                "Row",
                "The row to begin with; −1 takes the median of each number and the most frequent "
                "level of each category of the training rows.",
                low=MEDIAN,
                auto=_start,
            ),
        ]
        | None
    ) = None
    moved: Annotated[
        tuple[float, ...],
        Field(
            "Changed",
            "Features (of images behind PCA components) by their positions, each followed by its "
            "value.",
            longest=500,
        ),
    ] = ()

    @property
    def start(self) -> int:
        """The row to begin with."""
        return int(self.setting("row"))

    @property
    def by_component(self) -> bool:
        """True if components of images are changed, not features."""
        steps = self.model.pipeline.named_steps
        return bool(self.model.data.kind.is_images and "pca" in steps)

    @property
    def changed(self) -> dict[int, float]:
        """The values that are changed, by position."""
        model = self.model
        width = len(inspection.classifier_input_names(model.pipeline, model.data))
        n = width if self.by_component else model.data.n_features
        return {i: value for i, value in by_position(self.moved).items() if 0 <= i < n}

    @cached_property
    def given(self) -> np.ndarray:
        """The row with its changed values; for images the row itself."""
        model, start = self.model, None if self.start == MEDIAN else self.start
        row = inspection.complete_row(model.data, model.split.train, start)
        if not self.by_component:
            row[list(self.changed)] = list(self.changed.values())
        return row

    @cached_property
    def prediction(self) -> RowPrediction:
        """The prediction."""
        model = self.model
        inputs = self.changed if self.by_component else None
        return prediction.predict_row(model.pipeline, model.data, self.given, inputs=inputs)

    @property
    def origin(self) -> str:
        """The row that it began with, or how the median row was made."""
        data = self.model.data
        if self.start != MEDIAN:
            noun = data.kind.rows.removesuffix("s").capitalize()
            true = quoted(data.classes[data.codes[self.start]])
            return f"{noun} {self.start}, true class {true}."
        if data.kind.is_sparse:
            return "The mean of every feature."
        is_category = [names is not None for names in data.levels or ()]
        if not any(is_category):
            return "The median of every feature."
        if all(is_category):
            return "The most frequent level of every category."
        return "The median of every number, the most frequent level of every category."

    def scope(self) -> str:
        """Return the row that it began with."""
        return "" if self.start == MEDIAN else self.origin


@dataclass(frozen=True, eq=False)
class WhatIfDisplay(RowDisplay):
    """The prediction for a row with some values changed."""

    title: ClassVar[str] = "What if"
    made_by: ClassVar[str] = "model.what_if"
    page_key: ClassVar[str] = "classify.whatif"

    plane: PlaneDisplay | None = None

    @property
    def first_features(self) -> list[int]:
        """The features to change first: for words, those that occur most."""
        if not self.model.data.kind.is_sparse:
            return list(range(6))
        first: list[int] = np.argsort(-self.given, kind="stable")[:4].tolist()
        return first

    def limits(self, column: int) -> tuple[float, float] | None:
        """Return the range of a feature in the training rows and in this row; None without one."""
        known = inspection.column_values(self.model.data, column, self.model.split.train)
        if np.isnan(known).all():
            return None
        usual = float(self.given[column])
        low, high = min(float(np.nanmin(known)), usual), max(float(np.nanmax(known)), usual)
        return (low, high) if low < high else None

    def reach(self, component: int) -> float:
        """Return three standard deviations of a component, or more if its value lies beyond."""
        pca = self.model.pipeline.named_steps["pca"]
        spread = 1.0 if pca.whiten else float(np.sqrt(pca.explained_variance_[component]))
        return max(3 * spread, abs(float(self.prediction.seen[component])), 1e-9)

    def finding(self) -> str:
        """Return the prediction with its posterior."""
        return self.prediction.finding

    def frame(self) -> pd.DataFrame:
        """Return posterior, score and distance of every class, as available."""
        return self.prediction.table

    def table(self) -> pd.DataFrame:
        """Return the same, rounded."""
        digits = {"posterior": 1, "score": 3, "distance": 2}
        return self.prediction.table.round(digits).reset_index(drop=True)

    def plot(self) -> go.Figure | None:
        """Return the row in the plane; for images behind PCA, what the model sees."""
        if self.by_component:
            return self._rebuilt()
        shown = PlaneDisplay(self.model) if self.plane is None else self.plane
        view = shown.view
        if isinstance(view, str):
            return None
        row: Any = self.given[None]
        row = csr_array(row) if self.model.data.kind.is_sparse else row
        position = inspection.row_in_view(view, shown.plane, self.model.pipeline, row)
        if len(view.axis_names) == 1:
            return plots.with_row(plots.direction_histogram(view), position)
        return plots.with_row(plots.contour(view, quantity=view.quantities[0]), position)

    def _rebuilt(self) -> go.Figure | None:
        steps = self.model.pipeline.named_steps
        if "basis" in steps:  # no image has these gradients
            return None
        values = steps["pca"].inverse_transform(self.prediction.seen[None])
        if "standardize" in steps:
            values = values * steps["standardize"].scale_ + steps["standardize"].mean_
        stack = values.reshape(1, *(self.model.data.image_shape or ()))
        return plots.images(stack, [""], columns=1, title="What the model sees")

    def call(self) -> str:
        """Return the expression that makes this display."""
        plane = "" if self.plane is None else self.plane.call()
        given = [] if plane in ("", f"{PlaneDisplay.made_by}()") else [f"plane={plane}"]
        return fields.call_text(self, self.made_by, *given)
