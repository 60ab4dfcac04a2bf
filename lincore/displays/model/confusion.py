"""Displays of errors: the confusion matrix, and the rows of one of its cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, metrics, plots
from lincore.displays.base import pivot
from lincore.displays.model.model_display import ModelDisplay, class_labels, once
from lincore.fields import Field
from lincore.utils import count, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.inspection import ConfusionCell
    from lincore.metrics import Results
    from lincore.model_selection import FittedClassifier


#: Rows of a cell that are listed.
MOST_ROWS = 500
# With more classes the cells are too small for an image.
_MOST_WITH_IMAGES = 6


@dataclass(frozen=True, eq=False)
class ConfusionDisplay(ModelDisplay):
    """The confusion matrix: true classes against predicted ones."""

    title: ClassVar[str] = "Confusion"
    made_by: ClassVar[str] = "model.confusion"
    page_key: ClassVar[str] = "classify.confusion"
    is_reported: ClassVar[bool] = True

    cells: Annotated[
        str,
        Field(
            "Cells",
            "Rows of each cell, or their share of the true class (row) or of the predicted one "
            "(column).",
            choices={"counts": "Counts", "true": "By row", "pred": "By column"},
        ),
    ] = "counts"

    def frame(self) -> pd.DataFrame:
        """Return the number of rows, or their weight, of each true and predicted class."""
        return confusion_lines(self.results, self.method)

    def table(self) -> pd.DataFrame:
        """Return a line for each true class, a column for each predicted one."""
        counts = pivot(self.frame(), "true class", columns="predicted class", values="rows")
        return counts.rename(columns=lambda name: name if name == "true class" else f"as {name}")

    def plot(self) -> go.Figure:
        """Return the matrix; each of its cells can be selected."""
        normalize: Any = None if self.cells == "counts" else self.cells
        return plots.confusion(
            self.results, self.method, normalize=normalize, images=self._first_images()
        )

    def _first_images(self) -> dict[tuple[int, int], np.ndarray]:
        """Return the first image of each cell, by the codes of its classes."""
        data, results = self.model.data, self.results
        if not data.kind.is_images or data.n_classes > _MOST_WITH_IMAGES:
            return {}
        cells = results.truth * data.n_classes + results.predicted[0]
        occupied, first = np.unique(cells, return_index=True)
        images = data.X[results.rows[first]].reshape(-1, *data.image_shape)  # type: ignore[misc]
        cell_codes = [divmod(cell, data.n_classes) for cell in occupied.tolist()]
        return dict(zip(cell_codes, images, strict=True))


def confusion_lines(results: Results, method: str) -> pd.DataFrame:
    """Return the number of rows, or their weight, of each true and predicted class."""
    names = list(map(str, results.classes))
    counts = metrics.confusion_matrix(results, method).round(2)
    return pd.DataFrame(
        {
            "true class": np.repeat(names, len(names)),
            "predicted class": np.tile(names, len(names)),
            "rows": counts.ravel(),
        }
    )


@once
def _most_frequent_error(model: FittedClassifier) -> tuple[int, int]:
    counts = metrics.confusion_matrix(model.results, model.name)
    errors = counts - np.diag(np.diag(counts))
    most = int((errors if errors.any() else counts).argmax())
    return divmod(most, len(counts))


def _first_true(so_far: SimpleNamespace) -> int:
    return _most_frequent_error(so_far.model)[0]


def _first_predicted(so_far: SimpleNamespace) -> int:
    return _most_frequent_error(so_far.model)[1]


@dataclass(frozen=True, eq=False)
class ConfusionCellDisplay(ModelDisplay):
    """The test rows of one cell of the confusion matrix, the most wrong first."""

    title: ClassVar[str] = "Rows of the cell"
    made_by: ClassVar[str] = "model.confusion_cell"

    true: (
        Annotated[
            int,
            Field(
                "True class",
                "By default that of the most frequent error.",
                choices=class_labels,
                auto=_first_true,
            ),
        ]
        | None
    ) = None
    predicted: (
        Annotated[
            int,
            Field(
                "Predicted class",
                "By default that of the most frequent error.",
                choices=class_labels,
                auto=_first_predicted,
            ),
        ]
        | None
    ) = None

    @cached_property
    def cell(self) -> tuple[int, int]:
        """The codes of the true and of the predicted class."""
        return self.setting("true"), self.setting("predicted")

    @cached_property
    def cell_rows(self) -> ConfusionCell:
        """The rows with their posteriors and distances."""
        model = self.model
        return inspection.confusion_cell(model.results, model.pipeline, model.data, *self.cell)

    def finding(self) -> str:
        """Return the cell, how many rows it holds, and their order."""
        labels = [quoted(self.model.data.classes[code]) for code in self.cell]
        right = self.cell[0] == self.cell[1]
        verdict = "predicted correctly" if right else f"predicted as {labels[1]}"
        order = "the least certain first" if right else "the highest log loss first"
        number = count(len(self.cell_rows.rows), self.noun.removesuffix("s"))
        return f"{labels[0]} {verdict}: {number}, {order}."

    @property
    def noun(self) -> str:
        """What a row is."""
        return self.model.data.kind.rows

    def frame(self) -> pd.DataFrame:
        """Return the rows with posteriors and distances; for tables, also their features."""
        data, cell_rows = self.model.data, self.cell_rows
        columns = inspection.cell_columns(data, cell_rows, *self.cell)
        if data.kind.is_images:
            return pd.DataFrame({"row": cell_rows.rows, **columns})
        return inspection.row_table(data, cell_rows.rows, columns)

    def table(self) -> pd.DataFrame:
        """Return the first 500 of them."""
        return self.frame().head(MOST_ROWS)

    def images(self) -> tuple[np.ndarray, list[str]] | None:
        """Return the rows with the posterior of the true class and the distance from it."""
        if not self.model.data.kind.is_images:
            return None
        cell_rows, true = self.cell_rows, self.cell[0]
        if cell_rows.proba is None:
            return cell_rows.rows, [""] * len(cell_rows.rows)
        # Short: six images stand side by side on a phone.
        far = cell_rows.distances
        return cell_rows.rows, [
            percent(share) + ("" if far is None else f" d {far[i, true]:.1f}")
            for i, share in enumerate(cell_rows.proba[:, true].tolist())
        ]

    def notes(self) -> tuple[str, ...]:
        """State what is written above the images, or how many rows are listed."""
        n_rows = len(self.cell_rows.rows)
        if self.model.data.kind.is_images:
            if self.cell_rows.proba is None:
                return ()
            return ("Above each image: posterior of the true class, and distance d from it.",)
        return (f"The first {MOST_ROWS:,} of {n_rows:,}.",) if n_rows > MOST_ROWS else ()
