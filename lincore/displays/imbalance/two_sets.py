"""Displays of the full and the reduced set side by side: regions, errors, priors and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
import pandas as pd

from lincore import imbalance, inspection, metrics, plots, report
from lincore.displays.imbalance.study import (
    OneSplitDisplay,
    counted,
    set_name,
    tested,
    true_view,
)
from lincore.fields import Field
from lincore.inspection import View
from lincore.utils import listed

if TYPE_CHECKING:
    import plotly.graph_objects as go

_DISCRIMINANT = "discriminant"


def _pipeline(so_far: SimpleNamespace) -> Any:
    method = getattr(so_far, "method", None) or so_far.study.methods[0]
    return so_far.study.example.pipelines[method, "full"]


def _inputs(so_far: SimpleNamespace) -> dict[int, str]:
    """Return the names of the coordinates that span planes."""
    steps = _pipeline(so_far).named_steps
    if "pca" in steps:
        return {i: f"Component {i + 1}" for i in range(steps["pca"].n_components_)}
    if "svd" in steps:
        return {i: f"Component {i + 1}" for i in range(len(steps["svd"].components_))}
    return dict(enumerate(map(str, so_far.data.feature_names)))


def _has_plane(so_far: SimpleNamespace) -> bool:
    kind = inspection.default_plane_kind(_pipeline(so_far), so_far.data)
    return bool(kind == _DISCRIMINANT)


def _planes(so_far: SimpleNamespace) -> dict[str, str]:
    coordinates = "components" if "pca" in _pipeline(so_far).named_steps else "features"
    plane = {_DISCRIMINANT: "Discriminant plane"} if _has_plane(so_far) else {}
    return plane | {"inputs": f"Two {coordinates}"}


def _first_plane(so_far: SimpleNamespace) -> str:
    return next(iter(_planes(so_far)))


def _has_axes(so_far: SimpleNamespace) -> bool:
    return bool(so_far.kind == "inputs" and len(_inputs(so_far)) > 2)


def _others(so_far: SimpleNamespace) -> dict[int, str]:
    return {i: name for i, name in _inputs(so_far).items() if i != so_far.x}


def _first_other(so_far: SimpleNamespace) -> int:
    return 1 if so_far.x == 0 else 0


PlaneKind: TypeAlias = (
    Annotated[
        str,
        Field(
            "Plane",
            "The same for both models; the caption explains the other directions.",
            longest=20,
            choices=_planes,
            auto=_first_plane,
            when=_has_plane,
        ),
    ]
    | None
)
AxisX: TypeAlias = Annotated[
    int, Field("x axis", "Coordinate drawn from left to right.", choices=_inputs, when=_has_axes)
]
AxisY: TypeAlias = (
    Annotated[
        int,
        Field("y axis", "Coordinate drawn from bottom to top.", choices=_others,
              auto=_first_other, when=_has_axes),
    ]
    | None
)  # fmt: skip


def views_of(
    display: Any,
    methods: Sequence[str],
    conditions: Sequence[str],
    *,
    kind: str | None,
    x: int,
    y: int | None,
) -> list[View]:
    """Return for each method the views of several training sets, in one plane."""
    study, data, views = display.study, display.data, []
    for method in methods:
        so_far = SimpleNamespace(study=study, data=data, method=method)
        so_far.kind, so_far.x = kind or _first_plane(so_far), x
        pipelines = [study.example.pipelines[method, name] for name in conditions]
        n_inputs = len(_inputs(so_far))
        if so_far.kind == _DISCRIMINANT:
            planes = imbalance.shared_planes(pipelines, data, study.example.split.train)
        else:
            pair = (x, _first_other(so_far) if y is None else y) if n_inputs > 2 else (0, 1)
            test = study.example.split.test
            planes = imbalance.aligned_planes(pipelines, data, test, pair[:n_inputs])
        views += [
            imbalance.condition_view(study.example, method, name, data, plane)
            for name, plane in zip(conditions, planes, strict=True)
        ]
    return views


def _is_surface(so_far: SimpleNamespace) -> bool:
    return bool(so_far.drawing == "Surface")


@dataclass(frozen=True, eq=False)
class RegionsDisplay(OneSplitDisplay):
    """The decision regions of a model of the full set, or of the reduced one."""

    title: ClassVar[str] = "Regions"
    made_by: ClassVar[str] = "study.regions"
    page_key: ClassVar[str] = "balance.sides"
    is_tabulated: ClassVar[bool] = False

    side: Annotated[
        Literal["full", "reduced"],
        Field("Set", "Training set of the model.", choices=("full", "reduced")),
    ] = "reduced"
    drawing: Annotated[
        Literal["Boundary", "Contour", "Surface"],
        Field(
            "Plot",
            "Both sides have the same ranges, the same scale of colours and the same camera.",
            choices=("Boundary", "Contour", "Surface"),
        ),
    ] = "Boundary"
    camera: Annotated[
        Literal["oblique", "above", "front"],
        Field(
            "Seen from",
            "For both plots; dragging rotates only one.",
            choices={"oblique": "Oblique", "above": "Above", "front": "Front"},
            when=_is_surface,
        ),
    ] = "oblique"
    kind: PlaneKind = None
    x: AxisX = 0
    y: AxisY = None

    @cached_property
    def views(self) -> list[View]:
        """Both sides in one plane."""
        sets = ("full", self.condition)
        return views_of(self, (self.chosen,), sets, kind=self.kind, x=self.x, y=self.y)

    @property
    def view(self) -> View:
        """The side that is shown."""
        return self.views[0 if self.side == "full" else 1]

    @property
    def trained_on(self) -> str:
        """The set or correction that the model learned from."""
        return "full" if self.side == "full" else self.condition

    def finding(self) -> str:
        """State what is drawn."""
        return f"{self.label}, {set_name(self.trained_on)}"

    def frame(self) -> pd.DataFrame:
        """Return how many predictions there are, and those that the regions show."""
        return pd.DataFrame(
            [
                {
                    "method": self.chosen,
                    "set": self.trained_on,
                    "predictions": len(self.view.points),
                    "shown": self.view.n_faithful,
                }
            ]
        )

    def plot(self) -> go.Figure:
        """Return the regions, the contours of probability, or the surface of density."""
        options: dict[str, Any] = {
            "shared": plots.SharedAxes.of(*self.views),
            "title": self.finding(),
        }
        if self.drawing == "Surface":
            return plots.surface(self.view, camera=self.camera, **options)
        if self.drawing == "Contour":
            return plots.contour(self.view, **options)
        truth = None
        if self.data is not None and self.data.truth is not None and self.data.n_features == 2:
            known = imbalance.true_parameters_of(self.study, self.data)
            truth = true_view(self.study, self.data, known)
            if truth.axis_names != self.view.axis_names:
                truth = None  # the models see components
        return plots.boundary(self.view, truth=truth, **options)

    def notes(self) -> tuple[str, ...]:
        """Return the rows it was trained and tested on, and how faithful the regions are."""
        source = imbalance.condition_sample(self.trained_on)
        counts = self.study.counts["reduced" if source == "reweighted" else source]
        name = set_name(self.trained_on).capitalize()
        return (
            f"{name}: trained on {counted(counts, self.study)}.",
            f"{_tested_on(self)} {self.view.caption} The regions show {self.view.n_faithful:,} of "
            f"{len(self.view.points):,} predictions as the model makes them.",
        )


@dataclass(frozen=True, eq=False)
class SetBoundariesDisplay(OneSplitDisplay):
    """The regions of every model: of the full set, of the reduced one, and after a correction."""

    title: ClassVar[str] = "All models"
    made_by: ClassVar[str] = "study.boundaries"
    is_tabulated: ClassVar[bool] = False

    kind: PlaneKind = None
    x: AxisX = 0
    y: AxisY = None

    @cached_property
    def views(self) -> list[View]:
        """The sets side by side, for every method."""
        methods, sets = self.study.methods, self.conditions
        return views_of(self, methods, sets, kind=self.kind, x=self.x, y=self.y)

    @property
    def is_possible(self) -> bool:
        """True if models see two coordinates."""
        return len(self.views[0].axis_names) > 1

    def finding(self) -> str:
        """State what is drawn."""
        if not self.is_possible:
            return "With a single coordinate the models are drawn separately."
        names = [report.correction_name(name) for name in self.conditions]
        return f"Decision regions by training set: {listed(names)}"

    def frame(self) -> pd.DataFrame:
        """Return a line for each model and set: predictions, and those that the regions show."""
        return pd.DataFrame(
            {
                "method": method,
                "set": name,
                "predictions": len(view.points),
                "shown": view.n_faithful,
            }
            for (method, name), view in zip(
                [(method, name) for method in self.study.methods for name in self.conditions],
                self.views,
                strict=True,
            )
        )

    def plot(self) -> go.Figure | None:
        """Return a panel for each model and set."""
        if not self.is_possible:
            return None
        sides = ("Full", "Reduced", "Corrected")[: len(self.conditions)]
        names = report.short_names(self.study.methods)
        titles = [f"{side}: {name}" for name in names for side in sides]
        return plots.small_multiples(self.views, titles, columns=len(sides), title=self.finding())

    def notes(self) -> tuple[str, ...]:
        """Return the test rows."""
        return (_tested_on(self),)


def _tested_on(display: OneSplitDisplay) -> str:
    rows = counted(tested(display.study), display.study)
    return f"All are tested on the same {rows}: the test set is unchanged."


@dataclass(frozen=True, eq=False)
class SetConfusionDisplay(OneSplitDisplay):
    """The confusion matrix of a model of the full set, of the reduced one, or their difference."""

    title: ClassVar[str] = "Confusion"
    made_by: ClassVar[str] = "study.confusion"
    is_tabulated: ClassVar[bool] = False

    side: Annotated[
        Literal["full", "difference", "reduced"],
        Field(
            "Matrix",
            "Of the full set, of the reduced one, or their difference.",
            choices=("full", "difference", "reduced"),
        ),
    ] = "difference"

    @cached_property
    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """Counts of both sets, true classes along the first axis."""
        before, after = (
            metrics.confusion_matrix(self.results(name), self.chosen)
            for name in ("full", self.condition)
        )
        return before, after

    def frame(self) -> pd.DataFrame:
        """Return a line for each true and predicted class, the rows of both sets."""
        before, after = self.matrices
        names = list(map(str, self.study.classes))
        return pd.DataFrame(
            {"true": true, "predicted": predicted, "full": before[i, j], "reduced": after[i, j]}
            for i, true in enumerate(names)
            for j, predicted in enumerate(names)
        )

    def plot(self) -> go.Figure:
        """Return the matrix."""
        if self.side != "difference":
            name = "full" if self.side == "full" else self.condition
            results = self.results(name)
            labels = tuple(map(results.settings.label, results.methods))
            return plots.confusion(replace(results, methods=labels), self.label, narrow=True)
        end = "reduced" if self.condition == "reduced" else "corrected"
        return plots.confusion_difference(
            *self.matrices,
            self.study.classes,
            words=("full", end),
            title=f"From the full to the {end} set: changes of the predictions",
            narrow=True,
        )
