"""Displays of the features behind a projection: loadings, biplot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import plots
from lincore.displays.data.projections import (
    N_COMPONENTS,
    FisherDisplay,
    PcaDisplay,
    ProjectedDisplay,
    component_labels,
    direction_labels,
)
from lincore.fields import Field
from lincore.utils.typing import Array

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Directions of each kind on offer.
_MOST_DIRECTIONS = 10
_MOST_FEATURES = 8  # arrows of a biplot


def _named_directions(so_far: SimpleNamespace) -> dict[int, str]:
    """Return the first components, and after them the first of Fisher's directions."""
    names = component_labels(so_far)[:_MOST_DIRECTIONS]
    directions = direction_labels(so_far)[:_MOST_DIRECTIONS]
    names += [f"Fisher’s {name[0].lower()}{name[1:]}" for name in directions]
    return dict(enumerate(names))


@dataclass(frozen=True, eq=False)
class LoadingsDisplay(ProjectedDisplay):
    """The weights of the features in one direction."""

    title: ClassVar[str] = "Loadings"
    made_by: ClassVar[str] = "projection.loadings"
    page_key: ClassVar[str] = "explore.loadings"

    n_components: Annotated[int, N_COMPONENTS] | None = None
    direction: Annotated[
        int,
        Field("Coefficients of", "A row’s score is the sum of its features times these weights.",
              low=0, choices=_named_directions),
    ] = 0  # fmt: skip

    @cached_property
    def weights(self) -> Array:
        """The weight of each feature."""
        first = self.projection.components[:_MOST_DIRECTIONS]
        if self.direction < len(first):
            return np.asarray(first[self.direction])
        fisher = FisherDisplay(self.projected, n_components=self.n_components).discriminant
        return np.asarray(self.projection.weights(fisher)[self.direction - len(first)])

    def frame(self) -> pd.DataFrame:
        """Return a line for each feature."""
        return pd.DataFrame({"feature": self.projection.names, "weight": self.weights})

    def plot(self) -> go.Figure:
        """Return the largest weights as bars."""
        return plots.coefficients(list(self.projection.names), self.weights, unit="weight")

    def notes(self) -> tuple[str, ...]:
        """Return the direction, and the units of the weights."""
        seen = FisherDisplay(self.projected, n_components=self.n_components).seen
        so_far = SimpleNamespace(projected=self.projected, n_components=seen)
        if self.projection.is_sparse:
            units = "per occurrence of the word in a row"
        elif "standardize" in self.projection.pipeline.named_steps:
            units = "per standard deviation of the feature, so they can be compared"
        else:
            units = "per unit of the feature: one with large values has a small weight"
        return (f"{_named_directions(so_far)[self.direction]}. Weights are {units}.",)


@dataclass(frozen=True, eq=False)
class BiplotDisplay(PcaDisplay):
    """Rows along two components, with an arrow for each feature of large weight."""

    title: ClassVar[str] = "Biplot"
    made_by: ClassVar[str] = "projection.biplot"

    @property
    def axes(self) -> tuple[int, ...]:
        """The first two of the components."""
        return super().axes[:2]

    def finding(self) -> str:
        """State what is drawn."""
        return self.figure_title

    def plot(self) -> go.Figure:
        """Return rows and features."""
        data = self.projected.data
        return plots.biplot(
            self.points,
            data.codes[self.chosen],
            data.classes,
            self.projection.components[list(self.axes)],
            self.projection.names,
            self.axis_names,
            rows=self.chosen,
            coloured=self.coloured or (),
        )

    def notes(self) -> tuple[str, ...]:
        """State what the arrows are."""
        shown = min(_MOST_FEATURES, len(self.projection.names))
        return (
            f"Arrows: the {shown} features with the largest weights, pointing towards larger "
            "values of the feature; all have the same scale.",
        )
