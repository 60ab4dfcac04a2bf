"""Displays of images along principal components: eigen-images, class means, reconstructions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, plots
from lincore.displays.data.projections import (
    N_COMPONENTS,
    FisherDisplay,
    ProjectedDisplay,
    component_numbers,
    first_components,
)
from lincore.errors import DataError
from lincore.fields import Field
from lincore.utils import percent
from lincore.utils.typing import Array, Rows

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Images on a sheet, classes, and numbers that a figure may send to the browser.
_SHEET_COLUMNS, _MOST_IMAGES, _MOST_CLASSES, _MOST_VALUES = 6, 12, 48, 400_000
_MOST_JUDGED = 1_000  # test rows on which the reconstruction is judged


@dataclass(frozen=True, eq=False)
class SheetDisplay(ProjectedDisplay):
    """A display of images on one sheet."""

    def most(self, number: int) -> int:
        """Return how many images a figure holds."""
        return max(2, min(number, _MOST_VALUES // self.projected.data.n_features))

    def stack(self, rows: Array) -> Array:
        """Return rows (m, p) as images."""
        shape = self.projected.data.image_shape or ()
        if not shape:
            raise DataError("These rows are not images.", where=self.projected.data.name)
        return rows.reshape(-1, *shape)


def _columns(number: int) -> int:
    """Return the number of images per line that fills the lines most evenly."""
    lines = -(-number // _SHEET_COLUMNS)
    return -(-number // lines)


@dataclass(frozen=True, eq=False)
class EigenImagesDisplay(SheetDisplay):
    """The first components, or Fisher's directions, as images."""

    title: ClassVar[str] = "Eigen-images"
    made_by: ClassVar[str] = "projection.eigen_images"

    kind: Annotated[
        str,
        Field("Images of", "The components, or Fisher’s directions within them.", longest=20,
              choices={"components": "Components", "fisher": "Fisher’s directions"}),
    ] = "components"  # fmt: skip
    n_components: Annotated[int, N_COMPONENTS] | None = None

    @property
    def fisher(self) -> FisherDisplay:
        """The directions."""
        return FisherDisplay(self.projected, n_components=self.n_components)

    @cached_property
    def weights(self) -> Array:
        """The images, a row each."""
        most = self.most(_MOST_IMAGES)
        if self.kind == "components":
            return self.projection.components[:most]
        directions = self.projection.weights(self.fisher.discriminant)
        return directions[: min(most, _SHEET_COLUMNS)]

    def frame(self) -> pd.DataFrame:
        """Return a line for each image, a column for each pixel."""
        return pd.DataFrame(self.weights, columns=list(self.projection.names))

    def plot(self) -> go.Figure:
        """Return the sheet."""
        own = self.kind == "components"
        return plots.coefficient_images(
            self.stack(self.weights),
            [f"{'' if own else 'Direction '}{i + 1}" for i in range(len(self.weights))],
            columns=_columns(len(self.weights)),
            title=f"{'The components' if own else 'Fisher’s directions'} as images",
        )

    def notes(self) -> tuple[str, ...]:
        """Return the units and the colours, or what Fisher's discriminant uses."""
        if self.kind == "fisher":
            seen = first_components(self.fisher.seen)
            return (f"Computed from {seen}; with more, images are sharper and noisier.",)
        scaled = "standardize" in self.projection.pipeline.named_steps
        colours = (
            "Grey pixels have no effect."
            if len(self.projected.data.image_shape or ()) == 3
            else "Blue pixels increase an image’s score, ochre ones decrease it."
        )
        return (f"Coefficients of {'standardised pixels' if scaled else 'pixels'}. {colours}",)


@dataclass(frozen=True, eq=False)
class ClassMeansDisplay(SheetDisplay):
    """The mean training image of each class."""

    title: ClassVar[str] = "Class means"
    made_by: ClassVar[str] = "projection.class_means"

    @cached_property
    def means(self) -> Array:
        """The mean row of each class, NaN for one without training rows."""
        data, train = self.projected.data, self.projected.split.train
        return inspection.class_means(data.X[train], data.codes[train], data.n_classes)

    @property
    def known(self) -> Rows:
        """The codes of the classes with training rows."""
        return np.flatnonzero(np.isfinite(self.means).all(axis=1))

    def frame(self) -> pd.DataFrame:
        """Return a line for each class, a column for each pixel."""
        lines = pd.DataFrame(
            self.means[self.known], columns=list(self.projected.data.feature_names)
        )
        lines.insert(0, "class", self.projected.data.classes[self.known])
        return lines

    def plot(self) -> go.Figure:
        """Return the sheet."""
        shown = self.known[: self.most(_MOST_CLASSES)]
        return plots.images(
            self.stack(np.rint(self.means[shown]).astype(np.uint8)),
            [str(self.projected.data.classes[code]) for code in shown],
            columns=_columns(len(shown)),
            title="The mean image of each class",
        )

    def notes(self) -> tuple[str, ...]:
        """Return the rows, and which classes are not shown."""
        most, n_classes = self.most(_MOST_CLASSES), len(self.known)
        rest = f" The first {most} of {n_classes} classes are shown." if n_classes > most else ""
        return (f"Over {self.training}.{rest}",)


def _up_to_twenty(so_far: SimpleNamespace) -> int:
    return min(20, len(so_far.projected.projection.components))


def _rownumbers(so_far: SimpleNamespace) -> range:
    return range(so_far.projected.data.n_rows)


def _first_image(so_far: Any) -> int:
    split = so_far.projected.split
    return so_far.beside[0] if so_far.beside else int([*split.test, *split.train][0])


@dataclass(frozen=True, eq=False)
class ReconstructionDisplay(SheetDisplay):
    """Images reconstructed from a number of components."""

    title: ClassVar[str] = "Reconstruction"
    made_by: ClassVar[str] = "projection.reconstruction"
    page_key: ClassVar[str] = "explore.reconstruction"

    beside: Annotated[
        tuple[int, ...],
        Field("Beside", "Other images; by default a test image of each class."),
    ] = ()
    n_components: (
        Annotated[
            int,
            Field("Components", "Number of components used to reconstruct each image.", low=1,
                  choices=component_numbers, auto=_up_to_twenty, slide=True),
        ] | None
    ) = None  # fmt: skip
    image: (
        Annotated[
            int,
            Field("Image", "A row number. The images chosen above are shown beside it, or else "
                  "one test image of each class.", low=0, choices=_rownumbers, auto=_first_image),
        ] | None
    ) = None  # fmt: skip

    @property
    def number(self) -> int:
        """Number of components from which the images are reconstructed."""
        return int(self.setting("n_components"))

    @cached_property
    def rows(self) -> list[int]:
        """Up to six rows: the one that is asked for, and chosen ones or one of each class."""
        data, test = self.projected.data, self.projected.split.test
        row, others = self.setting("image"), list(self.beside)
        if not others:
            _, first = np.unique(data.codes[test], return_index=True)
            others = [int(i) for i in test[first] if data.codes[i] != data.codes[row]]
        return list(dict.fromkeys([row, *others]))[:_SHEET_COLUMNS]

    def frame(self) -> pd.DataFrame:
        """Return a line for each image that is rebuilt, a column for each pixel."""
        data = self.projected.data
        rebuilt = self.projection.rebuilt(data.X[self.rows], self.number)
        lines = pd.DataFrame(rebuilt, columns=list(data.feature_names))
        lines.insert(0, "row", self.rows)
        return lines

    def plot(self) -> go.Figure:
        """Return the images, each above its reconstruction."""
        X = self.projected.data.X[self.rows]
        rebuilt = self.stack(self.projection.rebuilt(X, self.number))
        return plots.reconstructions(self.stack(X), [rebuilt], [self.number])

    def notes(self) -> tuple[str, ...]:
        """State what the components hold, the error on test images, and which are shown."""
        data, test = self.projected.data, self.projected.split.test
        share = percent(self.projection.shares[: self.number].sum())
        text = (
            f"{self.number:,} of {len(self.projection.components):,} components hold {share} of "
            "the variance of the training images."
        )
        if len(judged := test[:: -(-len(test) // _MOST_JUDGED) or 1]):
            X = data.X[judged]
            error = inspection.reconstruction_error(self.projection, X, self.number)
            text += (
                f" On {len(judged):,} test images the error of a pixel is {error:.1f} of 255 grey "
                "levels (root mean square)."
            )
        names = ", ".join(f"{i} ({data.classes[data.codes[i]]})" for i in self.rows)
        return (f"{text} Shown: {names}.",)
