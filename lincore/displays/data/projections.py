"""Displays of a data set along principal components and Fisher's directions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, plots
from lincore.displays.base import Display
from lincore.displays.data.coloured import COLOURED
from lincore.errors import DataError
from lincore.fields import Field
from lincore.inspection import ProjectedData, Projection
from lincore.utils import percent
from lincore.utils.typing import Array, Rows

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.estimators import FisherDiscriminant

# Axes on offer: a longer list is hard to survey.
_MOST_LISTED = 50


def _noun(projection: Projection) -> str:
    return "Singular vector" if projection.is_sparse else "Component"


def _component_names(projection: Projection) -> list[str]:
    return [f"{_noun(projection)} {i + 1}" for i in range(len(projection.components))]


def _with_shares(projection: Projection, axes: tuple[int, ...]) -> list[str]:
    names = _component_names(projection)
    return [f"{names[i]} ({percent(projection.shares[i])})" for i in axes]


@dataclass(frozen=True, eq=False)
class ProjectedDisplay(Display):
    """A display of projected rows."""

    is_tabulated: ClassVar[bool] = False

    projected: ProjectedData

    @property
    def projection(self) -> Projection:
        """The fit."""
        return self.projected.projection

    @property
    def noun(self) -> str:
        """What a row is."""
        return self.projected.data.kind.rows

    @property
    def training(self) -> str:
        """The training rows in words."""
        return f"{len(self.projected.split.train):,} training {self.noun}"


@dataclass(frozen=True, eq=False)
class VarianceDisplay(ProjectedDisplay):
    """How much of the variance of the training rows each component holds."""

    title: ClassVar[str] = "Variance"
    made_by: ClassVar[str] = "projection.variance"

    def finding(self) -> str:
        """State how few components hold most of the variance."""
        shares, n_rows = self.projection.shares, int(self.projection.moments.count.sum())
        rows, two = f"{n_rows:,} training {self.noun}", percent(float(shares[:2].sum()))
        if len(shares) == 1:
            noun = _noun(self.projection)
            share = percent(shares[0]) if self.projection.is_sparse else "all the variance"
            return f"One {noun.lower()} explains {share} of {rows}."
        if self.projection.is_sparse:
            of_two = f", two of them {two}" if len(shares) > 2 else ""
            share = f"{len(shares)} singular vectors explain {percent(shares.sum())}"
            return f"{share} of the variance of {rows}{of_two}."
        needed = int(np.argmax(np.cumsum(shares) >= 0.95 - 1e-12)) + 1
        return (
            f"Two components explain {two} of the variance of {rows}; "
            f"95 % need {needed} of {len(shares)}."
        )

    def frame(self) -> pd.DataFrame:
        """Return the share of each component, and the cumulative share."""
        shares = self.projection.shares
        numbers = np.arange(1, len(shares) + 1)
        return pd.DataFrame({"component": numbers, "share": shares, "cumulative": shares.cumsum()})

    def plot(self) -> go.Figure:
        """Return the shares as bars."""
        if self.projection.is_sparse:
            return plots.vector_shares(self.projection.shares)
        return plots.scree(self.projection.pipeline.named_steps["pca"], show_kept=False)

    def notes(self) -> tuple[str, ...]:
        """Return the rows, and what bars and line are."""
        if self.projection.is_sparse:
            more = "Further vectors are not computed, so 95 % is not marked."
        else:
            more = "Bars: each component; line: cumulative."
        return (f"Computed on the {self.training}. {more}",)


def _split_parts(so_far: SimpleNamespace) -> dict[str, str]:
    tested = {"test": "Test"} if len(so_far.projected.split.test) else {}
    return {"train": "Training"} | tested


def _axes(so_far: Any, names: list[str]) -> tuple[int, ...]:
    """Return the drawn axes without repetitions, at most as many as there are."""
    chosen: list[int] = []
    for axis in (so_far.x, so_far.y, so_far.z)[: min(so_far.dimensions, len(names))]:
        free = [i for i in range(len(names)) if i not in chosen]
        chosen.append(axis if axis in free else free[0])
    return tuple(chosen)


def _offered(names: Callable[[SimpleNamespace], list[str]], *before: str) -> Callable[..., Any]:
    """Return the rule of an axis: the directions that no axis before it has."""

    def choices(so_far: SimpleNamespace) -> dict[int, str]:
        taken = [getattr(so_far, axis) for axis in before]
        listed = enumerate(names(so_far)[:_MOST_LISTED])
        return {i: name for i, name in listed if i not in taken}

    return choices


def _are_more(
    names: Callable[[SimpleNamespace], list[str]], axis: int
) -> Callable[[SimpleNamespace], bool]:
    """Return the rule that asks for an axis: if it is drawn, and there is a choice."""

    def asked(so_far: SimpleNamespace) -> bool:
        number = len(names(so_far))
        return axis < min(so_far.dimensions, number) < number

    return asked


def component_labels(so_far: SimpleNamespace) -> list[str]:
    return _component_names(so_far.projected.projection)


def _fisher(so_far: Any) -> FisherDiscriminant | str:
    """Return Fisher's discriminant fitted to that many components, or why there is none."""
    projection: Projection = so_far.projected.projection
    try:
        return projection.fisher(so_far.n_components)
    except ValueError as error:
        return str(error)


def direction_labels(so_far: SimpleNamespace) -> list[str]:
    fisher = _fisher(so_far)
    number = 0 if isinstance(fisher, str) else len(fisher.criterion_)
    return [f"Direction {i + 1}" for i in range(number)]


def component_numbers(so_far: SimpleNamespace) -> range:
    """Return from one to all components."""
    return range(1, len(so_far.projected.projection.components) + 1)


def _seen(so_far: SimpleNamespace) -> int:
    return inspection.n_fisher_components(so_far.projected.data, so_far.projected.projection)


def _axis(names: Callable[[SimpleNamespace], list[str]], axis: int, of: str = "") -> Field:
    """Return the option of an axis."""
    drawn = ("from left to right", "from bottom to top", "towards the viewer")[axis]
    choices = _offered(names, *"xyz"[:axis])
    return Field(
        f"{of}{'xyz'[axis]} axis",
        f"Drawn {drawn}.",
        low=0,
        choices=choices,
        auto=(lambda so_far: next(iter(choices(so_far)), 0)) if axis else None,
        when=_are_more(names, axis),
    )


_X, _Y, _Z = (_axis(component_labels, axis) for axis in range(3))
_FISHER_X, _FISHER_Y, _FISHER_Z = (_axis(direction_labels, axis, "Fisher’s ") for axis in range(3))
_WHITEN = Field(
    "Whiten", "Divide the scores along every component by their standard deviation, so that all "
    "components have equal variance.",
    when=lambda so_far: not so_far.projected.projection.is_sparse,
)  # fmt: skip
N_COMPONENTS = Field(
    "Components for Fisher’s discriminant", "With as many components as training "
    "rows it separates the training rows perfectly and the test rows badly: look at both.", low=1,
    choices=component_numbers, auto=_seen, when=lambda so_far: len(component_numbers(so_far)) > 1,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ScatterDisplay(ProjectedDisplay):
    """Rows along two directions, or three."""

    page_key: ClassVar[str] = "explore.scatter"

    dimensions: Annotated[
        int,
        Field("Dimensions", "Two axes, with selectable points, or three that can be "
              "rotated.", choices={2: "2-D", 3: "3-D"}),
    ] = 2  # fmt: skip
    rows: Annotated[
        str,
        Field("Rows", "The axes are learned from the training set; test rows show whether they "
              "hold for unseen rows.", longest=10, choices=_split_parts),
    ] = "train"  # fmt: skip
    coloured: Annotated[tuple[int, ...], COLOURED] | None = None

    @property
    def chosen(self) -> Rows:
        """Row numbers."""
        rows: Rows = getattr(self.projected.split, self.rows)
        return rows

    @property
    def which(self) -> str:
        """The rows in words."""
        return f"{len(self.chosen):,} {'training' if self.rows == 'train' else 'test'} {self.noun}."

    @property
    def axes(self) -> tuple[int, ...]:
        """The directions that are drawn."""
        raise NotImplementedError

    @property
    def axis_names(self) -> list[str]:
        """Their names."""
        raise NotImplementedError

    @property
    def points(self) -> Array:
        """The rows along them."""
        raise NotImplementedError

    def frame(self) -> pd.DataFrame:
        """Return the rows along the axes."""
        lines = pd.DataFrame(self.points, columns=self.axis_names)
        lines.insert(0, "row", self.chosen)
        lines.insert(1, "class", self.projected.data.y[self.chosen])
        return lines

    def _scatter(self, title: str) -> go.Figure:
        data, names = self.projected.data, self.axis_names
        common: dict[str, Any] = {
            "title": title,
            "rows": self.chosen,
            "coloured": self.coloured or (),
            "noun": data.kind.rows,
            "subtitle": self.which,
        }
        codes = data.codes[self.chosen]
        if len(names) == 3:
            return plots.scatter_3d(self.points, codes, data.classes, names, **common)
        return plots.scatter(self.points, codes, data.classes, names, ellipses=True, **common)


@dataclass(frozen=True, eq=False)
class PcaDisplay(ScatterDisplay):
    """Rows along principal components, or singular vectors of words."""

    title: ClassVar[str] = "Principal components"
    made_by: ClassVar[str] = "projection.pca"
    page_key: ClassVar[str] = "explore.pca"

    whiten: Annotated[bool, _WHITEN] = False
    x: Annotated[int, _X] = 0
    y: Annotated[int, _Y] | None = None
    z: Annotated[int, _Z] | None = None

    @property
    def axes(self) -> tuple[int, ...]:
        """The components that are drawn."""
        return _axes(self, _component_names(self.projection))

    @property
    def axis_names(self) -> list[str]:
        """Their names, with their shares of the variance."""
        return _with_shares(self.projection, self.axes)

    @cached_property
    def points(self) -> Array:
        """The rows along them."""
        X = self.projected.data.X[self.chosen]
        return self.projection.scores(X, self.axes, whiten=self.whiten)

    def finding(self) -> str:
        """State what the components maximise."""
        if self.projection.is_sparse:
            return (
                "Truncated SVD maximises the sum of squares along every vector. It replaces "
                "PCA because word counts are sparse and centring would make them dense."
            )
        return (
            "PCA maximises the variance of all rows along every component; it ignores the classes."
        )

    def plot(self) -> go.Figure:
        """Return the rows by class."""
        title = "Most variance: " + ("SVD" if self.projection.is_sparse else "PCA")
        return self._scatter(title + (", whitened" if self.whiten else ""))


@dataclass(frozen=True, eq=False)
class FisherDisplay(ScatterDisplay):
    """Rows along the directions in which the classes are furthest apart."""

    title: ClassVar[str] = "Fisher’s directions"
    made_by: ClassVar[str] = "projection.fisher"
    page_key: ClassVar[str] = "explore.fisher"

    n_components: Annotated[int, N_COMPONENTS] | None = None
    x: Annotated[int, _FISHER_X] = 0
    y: Annotated[int, _FISHER_Y] | None = None
    z: Annotated[int, _FISHER_Z] | None = None

    @cached_property
    def seen(self) -> int:
        """How many components the discriminant sees."""
        return int(self.setting("n_components"))

    @cached_property
    def fitted(self) -> FisherDiscriminant | str:
        """The discriminant, or why there is none."""
        return _fisher(SimpleNamespace(projected=self.projected, n_components=self.seen))

    @property
    def discriminant(self) -> FisherDiscriminant:
        """The discriminant.

        Raises
        ------
        DataError
            If there is none.
        """
        if isinstance(self.fitted, str):
            raise DataError(self.fitted, where=self.projected.data.name)
        return self.fitted

    @property
    def axes(self) -> tuple[int, ...]:
        """The directions that are drawn."""
        return _axes(self, [""] * len(self.discriminant.criterion_))

    @property
    def axis_names(self) -> list[str]:
        """Their names, with J on the training rows."""
        J = self.discriminant.criterion_
        return [f"Direction {i + 1} (J = {_criterion(J[i])})" for i in self.axes]

    @cached_property
    def points(self) -> Array:
        """The rows along them."""
        X = self.projected.data.X[self.chosen]
        return self.projection.fisher_scores(X, self.discriminant, self.axes)

    @cached_property
    def separation(self) -> tuple[Array, Array]:
        """J of the first component and of the first direction, on training and on test rows."""
        data, test = self.projected.data, self.projected.split.test
        training = self.projection.separation(self.discriminant)
        if not len(test):
            return training, np.full(2, np.nan)
        return training, self.projection.separation(
            self.discriminant, data.X[test], data.codes[test]
        )

    def finding(self) -> str:
        """State how much better the first direction separates the classes than a component."""
        if isinstance(self.fitted, str):
            return f"Fisher’s projection cannot be drawn. {self.fitted}"
        (first, best), unseen = self.separation
        distance = "no further" if best <= 1.005 * first else "further"
        component = _noun(self.projection).lower()
        text = (
            f"Along Fisher’s first direction the classes are {distance} apart than along the first "
        )
        text += f"{component}: J, the ratio of between-class to within-class scatter, is "
        text += f"{_criterion(best)} against {_criterion(first)}"
        if n_test := len(self.projected.split.test):
            text += f" (on {n_test:,} test {self.noun} {_criterion(unseen[1])} against "
            text += f"{_criterion(unseen[0])})"
        return f"{text}."

    def frame(self) -> pd.DataFrame:
        """Return the rows along the axes; nothing if there are none."""
        return pd.DataFrame() if isinstance(self.fitted, str) else super().frame()

    def plot(self) -> go.Figure | None:
        """Return the rows by class; for two classes, histograms along the only direction."""
        if isinstance(self.fitted, str):
            return None
        data = self.projected.data
        if len(self.fitted.directions_) == 1 and data.n_classes == 2:
            view = inspection.fisher_view(
                self.fitted, self.points[:, 0], data.codes[self.chosen], self.chosen,
                data.classes, axis_name=self.axis_names[0], noun=data.kind.rows,
            )  # fmt: skip
            title = "Best separation: Fisher, with the midpoint"
            return plots.direction_histogram(view, title=title)
        return self._scatter("Best separation: Fisher")

    def notes(self) -> tuple[str, ...]:
        """State what is maximised, and which components are used."""
        if isinstance(self.fitted, str):
            return ()
        n_classes = self.projected.data.n_classes
        most = n_classes - 1
        number = "one direction" if most == 1 else f"{most} directions at most"
        components = ""
        if self.seen < len(self.projection.shares):
            components = f" It uses {first_components(self.seen)}."
        return (
            "Fisher’s discriminant maximises J, the ratio of between-class to within-class "
            f"scatter; {n_classes} classes have {number}.{components}",
        )


def first_components(number: int) -> str:
    """Return a number of components in words."""
    return "the first component" if number == 1 else f"the first {number} components"


def _criterion(value: float) -> str:
    """Return a value of J in three digits, or that it has no bound."""
    if not np.isfinite(value):
        return "unlimited"
    return f"{value:#.3g}" if 0.001 <= value < 1000 else f"{value:.3g}"
