"""Display of a classifier in a plane or along a line: contour, boundary, surface, histogram."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

import pandas as pd

from lincore import fields, inspection, plots
from lincore.displays.base import first_of
from lincore.displays.model.model_display import ModelDisplay, class_labels, once
from lincore.fields import Field
from lincore.plots.plane import MOST_FAINT, with_ellipses

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.inspection import Plane, View
    from lincore.model_selection import FittedClassifier

#: The number of other features that can be held at chosen values: more fields would be unreadable.
MOST_HELD = 12
# More ellipses than this hide the plot, so they are off by default.
_MOST_ELLIPSES = 5
# Views of a model that are kept.
_MOST_VIEWS = 8
_ALL = -1
_KINDS = {
    "discriminant": "Discriminant plane",
    "direction": "Discriminant direction",
    "features": "Two features",
    "principal": "Principal axes",
    "coordinates": "Model inputs",
}
_ROWS = {"test": "test ", "training": "training ", "all": ""}
_QUANTITIES = {
    "posterior": "Posterior probability",
    "density": "Class density × prior",
    "score": "Margin",
}


class PlaneChoice(NamedTuple):
    """Choice of a plane: kind, axes, and the values at which other features are held."""

    kind: str
    axes: tuple[int, ...]
    values: tuple[tuple[int, float], ...]
    rest: Any
    rows: Any


@once
def _views(model: FittedClassifier) -> dict[PlaneChoice, View | str]:
    return {}


def _view(model: FittedClassifier, choice: PlaneChoice) -> View | str:
    """Return the model in a plane, or why it cannot be drawn."""
    known = _views(model)
    if choice not in known:
        if len(known) >= _MOST_VIEWS:
            known.pop(next(iter(known)))
        kind, axes, values, rest, rows = choice
        try:
            known[choice] = inspection.view_of_kind(
                model.pipeline, model.data, model.split, kind, axes,
                values=dict(values), rest=rest, rows=rows,
            )  # fmt: skip
        except ValueError as error:  # such as class means that do not span a discriminant direction
            known[choice] = f"This plane cannot be drawn. {error}"
    return known[choice]


@once
def _kinds_of(model: FittedClassifier) -> tuple[str, ...]:
    return inspection.plane_kinds(model.pipeline, model.data)


def _kinds(so_far: SimpleNamespace) -> dict[str, str]:
    kinds = _kinds_of(so_far.model)
    return {kind: _KINDS[kind] for kind in kinds} if len(kinds) > 1 else {}


def _first_kind(so_far: SimpleNamespace) -> str:
    return _kinds_of(so_far.model)[0]


def _axes(so_far: SimpleNamespace) -> dict[int, str]:
    model = so_far.model
    if so_far.kind == "coordinates":
        return dict(enumerate(inspection.classifier_input_names(model.pipeline, model.data)))
    return dict(enumerate(map(str, model.data.feature_names)))


def _has_axes(so_far: SimpleNamespace) -> bool:
    return so_far.kind in ("coordinates", "features") and len(_axes(so_far)) > 2


@once
def _leading(model: FittedClassifier) -> dict[str, tuple[int, ...]]:
    return {}


def _first_axes(so_far: SimpleNamespace) -> tuple[int, ...]:
    model, known = so_far.model, _leading(so_far.model)
    if so_far.kind not in known:
        known[so_far.kind] = inspection.plane_axes(
            model.pipeline, model.data, model.split, so_far.kind
        )
    return known[so_far.kind]


def _first_x(so_far: SimpleNamespace) -> int:
    return (*_first_axes(so_far), 0)[0]


def _other_axes(so_far: SimpleNamespace) -> dict[int, str]:
    return {i: name for i, name in _axes(so_far).items() if i != so_far.x}


def _first_y(so_far: SimpleNamespace) -> int:
    first, second = (*_first_axes(so_far), 0, 1)[:2]
    return first if second == so_far.x else second


def _has_others(so_far: SimpleNamespace) -> bool:
    return bool(so_far.kind == "features" and so_far.model.data.n_features > 2)


def by_position(pairs: tuple[float, ...]) -> dict[int, float]:
    """Return numbers by position from a flat list of alternating positions and numbers."""
    return {int(i): value for i, value in zip(pairs[::2], pairs[1::2], strict=False)}


def _others(so_far: SimpleNamespace) -> dict[int, str]:
    axes = (so_far.x, so_far.y)
    return {i: name for i, name in _axes(so_far).items() if i not in axes}


def _plane_choice(so_far: SimpleNamespace) -> PlaneChoice:
    axes: tuple[int, ...] = ()
    if so_far.kind in ("coordinates", "features"):
        axes = (so_far.x, so_far.y) if _has_axes(so_far) else _first_axes(so_far)
    elif so_far.kind == "principal":
        axes = (0, 1)
    if not _has_others(so_far):
        return PlaneChoice(so_far.kind, axes, (), "median", so_far.rows)
    held = {i: value for i, value in by_position(so_far.held).items() if i in _others(so_far)}
    return PlaneChoice(so_far.kind, axes, tuple(held.items()), so_far.rest, so_far.rows)


def _view_so_far(so_far: SimpleNamespace) -> View | str:
    return _view(so_far.model, _plane_choice(so_far))


def _drawings(so_far: SimpleNamespace) -> dict[str, str]:
    view = _view_so_far(so_far)
    if isinstance(view, str):
        return {}
    if len(view.axis_names) == 1:
        return {"histogram": "Histogram", "curves": "Curves"}
    drawings = {"contour": "Contour", "boundary": "Boundary", "surface": "Surface"}
    return drawings if view.ambiguous is None else {**drawings, "ambiguity": "Ambiguity"}


def _quantities(so_far: SimpleNamespace) -> dict[str, str]:
    view = _view_so_far(so_far)
    names: list[str] = [] if isinstance(view, str) else list(view.quantities)
    if so_far.drawing == "surface":
        names = [name for name in names if name != "score"][::-1]
    return {name: _QUANTITIES[name] for name in names}


def _is_shaded(so_far: SimpleNamespace) -> bool:
    if so_far.drawing == "surface":
        return len(_quantities(so_far)) > 1
    return so_far.drawing in ("contour", "curves")


def _has_focus(so_far: SimpleNamespace) -> bool:
    return so_far.drawing in ("contour", "curves")


def _focus(so_far: SimpleNamespace) -> dict[int, str]:
    return {_ALL: "All classes", **class_labels(so_far)}


def _is_surface(so_far: SimpleNamespace) -> bool:
    return bool(so_far.drawing == "surface")


def _has_ellipses(so_far: SimpleNamespace) -> bool:
    view = _view_so_far(so_far)
    if isinstance(view, str) or so_far.drawing not in ("contour", "boundary"):
        return False
    return view.densities is not None and len(view.axis_names) == 2


def _are_few(so_far: SimpleNamespace) -> bool:
    return bool(so_far.model.data.n_classes <= _MOST_ELLIPSES)


def _is_histogram(so_far: SimpleNamespace) -> bool:
    return bool(so_far.drawing == "histogram")


@dataclass(frozen=True, eq=False)
class PlaneDisplay(ModelDisplay):
    """The classifier in a plane or along a line, with its rows."""

    title: ClassVar[str] = "Geometry"
    made_by: ClassVar[str] = "model.plane"
    page_key: ClassVar[str] = "classify.plane"
    is_reported: ClassVar[bool] = True
    is_tabulated: ClassVar[bool] = False

    kind: (
        Annotated[
            str,
            Field(
                "Plane",
                "What is shown of the model; the title describes the other directions.",
                longest=20,
                choices=_kinds,
                auto=_first_kind,
            ),
        ]
        | None
    ) = None
    x: (
        Annotated[
            int,
            Field("x axis", "Drawn from left to right.", choices=_axes, auto=_first_x,
                  when=_has_axes),
        ]
        | None
    ) = None  # fmt: skip
    y: (
        Annotated[
            int,
            Field("y axis", "Drawn from bottom to top.", choices=_other_axes, auto=_first_y,
                  when=_has_axes),
        ]
        | None
    ) = None  # fmt: skip
    rest: Annotated[
        str,
        Field(
            "Other features held at their",
            "Of the training rows; categories at their most frequent level.",
            choices={"median": "Median", "mean": "Mean"},
            when=_has_others,
        ),
    ] = "median"
    held: Annotated[
        tuple[float, ...],
        Field(
            "Held",
            "Features by their positions, each followed by the value at which it is held.",
            longest=2 * MOST_HELD,
        ),
    ] = ()
    rows: Annotated[
        str,
        Field(
            "Rows",
            "The model has learned from the training rows: it errs less on them.",
            choices={"test": "Test", "training": "Training", "all": "Both"},
        ),
    ] = "test"
    drawing: (
        Annotated[
            str,
            Field(
                "Plot",
                "Rows over filled contours or regions, a surface, or histograms along one "
                "direction.",
                longest=20,
                choices=_drawings,
                auto=first_of(_drawings, "contour"),
            ),
        ]
        | None
    ) = None
    quantity: (
        Annotated[
            str,
            Field(
                "Show",
                "The posterior of the predicted class, its density times its prior, or the margin "
                "of its score over the next.",
                longest=20,
                choices=_quantities,
                auto=first_of(_quantities, None),
                when=_is_shaded,
            ),
        ]
        | None
    ) = None
    focus: Annotated[
        int,
        Field("Class", "One class alone, or each class where it is predicted.", choices=_focus,
              when=_has_focus),
    ] = _ALL  # fmt: skip
    camera: Annotated[
        str,
        Field(
            "Seen from",
            "The first view; drag the plot to turn it.",
            choices={"oblique": "Oblique", "above": "Above", "front": "Front"},
            when=_is_surface,
        ),
    ] = "oblique"
    ellipses: (
        Annotated[
            bool,
            Field(
                "Ellipses",
                "The class densities of the model: their means, and ellipses that hold 95 %.",
                auto=_are_few,
                when=_has_ellipses,
            ),
        ]
        | None
    ) = None
    counts: Annotated[
        bool,
        Field(
            "Counts",
            "Heights are numbers of rows; otherwise each class has area 1.",
            when=_is_histogram,
        ),
    ] = False

    @cached_property
    def chosen(self) -> SimpleNamespace:
        """All settings, with None replaced by its default."""
        return fields.resolved(self, model=self.model)

    @property
    def choice(self) -> PlaneChoice:
        """The plane."""
        return _plane_choice(self.chosen)

    @property
    def view(self) -> View | str:
        """The model in the plane, or why it cannot be drawn."""
        return _view(self.model, self.choice)

    @property
    def plane(self) -> Plane:
        """The plane itself."""
        model, choice = self.model, self.choice
        return inspection.plane_of_kind(
            model.pipeline, model.data, model.split, choice.kind, choice.axes,
            values=dict(choice.values), rest=choice.rest,
        )  # fmt: skip

    @property
    def _training(self) -> View | None:
        """The training rows in the plane, if they are drawn faintly behind the test rows."""
        if self.rows != "test" or len(self.model.split.train) > MOST_FAINT:
            return None
        view = _view(self.model, self.choice._replace(rows="training"))
        return None if isinstance(view, str) else view

    def finding(self) -> str:
        """State what is drawn, or why it cannot be."""
        return self.figure_title or str(self.view)

    def scope(self) -> str:
        """Return the rows, how faithful the regions are, and what the plane leaves out."""
        view = self.view
        if isinstance(view, str):
            return ""
        rows = f"{len(view.rows):,} {_ROWS[self.rows]}{self.model.data.kind.rows}"
        usual = "Regions and predictions are by the largest posterior, not at the operating point."
        shown = view.fidelity if self.model.point is None else usual
        return f"{rows}. {shown} {view.caption}"

    def frame(self) -> pd.DataFrame:
        """Return the rows with their coordinates, true and predicted classes."""
        view = self.view
        if isinstance(view, str):
            return pd.DataFrame()
        columns: dict[str, Any] = {"row": view.rows}
        columns |= {name: view.points[:, i] for i, name in enumerate(view.axis_names)}
        classes = view.classes[view.codes], view.classes[view.predicted]
        return pd.DataFrame({**columns, "class": classes[0], "predicted": classes[1]})

    def plot(self) -> go.Figure | None:
        """Return the figure of the drawing."""
        view, chosen = self.view, self.chosen
        if isinstance(view, str):
            return None
        if chosen.drawing == "histogram":
            return plots.direction_histogram(view, counts=self.counts)
        if chosen.drawing == "ambiguity":
            return plots.ambiguity(view)
        if chosen.drawing == "surface":
            given: dict[str, Any] = {"camera": self.camera}
            given |= {"quantity": chosen.quantity} if _is_shaded(chosen) else {}
            return plots.surface(view, **given)
        training = self._training
        if chosen.drawing == "boundary":
            figure = plots.boundary(view, training=training)
        else:
            focus = None if self.focus == _ALL else self.focus
            figure = plots.contour(view, quantity=chosen.quantity, focus=focus, training=training)
        wanted = chosen.ellipses and _has_ellipses(chosen)
        return with_ellipses(figure, view) if wanted else figure
