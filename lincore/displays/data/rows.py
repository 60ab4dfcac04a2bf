"""Display of single rows of a data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, plots
from lincore.data import Dataset
from lincore.displays.base import Display
from lincore.fields import Field
from lincore.utils import count
from lincore.utils.typing import Rows

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.checks import ImageDuplicates

# Rows and images that are shown; more are slow in a browser.
MOST_ROWS, MOST_IMAGES, _SHEET_COLUMNS = 500, 60, 6
# For the sheet with the first images of each class.
_MOST_CLASSES, _MOST_COLUMNS = 10, 10
_MOST_PAIRS = 12


@dataclass(frozen=True, eq=False)
class RowsDisplay(Display):
    """Rows of a data set, as a table or as images."""

    title: ClassVar[str] = "Selected rows"
    made_by: ClassVar[str] = "data.rows"
    form: ClassVar[str] = ".6g"

    data: Dataset
    numbers: Annotated[
        tuple[int, ...], Field("Rows", "Their numbers in the data set.")
    ] = ()  # fmt: skip
    captions: Annotated[
        tuple[str, ...], Field("Captions", "Of the images; by default their classes.")
    ] = ()  # fmt: skip

    heading: Annotated[str, Field("Title", "Of the sheet of images.")] = "The selected images"
    columns: Annotated[int, Field("Columns", "Of the sheet of images.", low=1, high=20)] = (
        _SHEET_COLUMNS
    )

    @property
    def known(self) -> tuple[int, ...]:
        """The row numbers that exist: a link may have been made for other data."""
        return tuple(row for row in self.numbers if 0 <= row < self.data.n_rows)

    @property
    def shown(self) -> Rows:
        """The numbers of the rows that are listed."""
        most = max(MOST_IMAGES, 10 * self.columns) if self.data.kind.is_images else MOST_ROWS
        return np.array(self.known[:most], dtype=np.intp)

    def finding(self) -> str:
        """State how many rows these are."""
        number, noun = len(self.known), self.data.kind.rows.removesuffix("s")
        if 0 < number < self.data.n_rows and self.known == tuple(range(number)):
            return f"The first {number:,} of {count(self.data.n_rows, noun)}."
        rest = number - len(self.shown)
        more = f"; the first {len(self.shown):,} are shown, {rest:,} more are not" if rest else ""
        return f"{count(number, noun)}{more}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each row, with its class."""
        if self.data.kind.is_images:
            return pd.DataFrame({"row": self.shown, "class": self.data.y[self.shown]})
        return inspection.row_table(self.data, self.shown)

    def table(self) -> pd.DataFrame:
        """Return the same; nothing where the rows are images."""
        return pd.DataFrame() if self.data.kind.is_images else self.frame()

    def plot(self) -> go.Figure | None:
        """Return the images on one sheet."""
        if not self.data.kind.is_images or not len(self.shown):
            return None
        names = self.captions[: len(self.shown)] or [*map(str, self.data.y[self.shown])]
        stack = self.data.X[self.shown].reshape(-1, *self.data.image_shape)  # type: ignore[misc]
        return plots.images(stack, names, columns=self.columns, title=self.heading)


def first_images(data: Dataset) -> RowsDisplay:
    """Return some images of each class, or of the first ten classes.

    Examples
    --------
    >>> import lincore
    >>> first_images(lincore.sample("digits")).heading
    'The first images of each class'
    """
    # One line for each class, if each has enough images to fill it.
    fewest = int(data.counts.min())
    columns = min(fewest, _MOST_COLUMNS) if fewest > 2 else _SHEET_COLUMNS
    classes = range(min(_MOST_CLASSES, data.n_classes))
    rows = np.concatenate([np.flatnonzero(data.codes == k)[:columns] for k in classes])
    whose = f"the first {len(classes)} classes" if data.n_classes > len(classes) else "each class"
    heading = f"The first images of {whose}"
    return RowsDisplay(data, tuple(rows.tolist()), heading=heading, columns=columns)


def duplicate_images(data: Dataset, duplicates: ImageDuplicates) -> RowsDisplay:
    """Return the first pairs of images that are duplicates, with their names.

    Parameters
    ----------
    data : Dataset
    duplicates : ImageDuplicates
        The result of `lincore.checks.find_image_duplicates`.
    """
    pairs = duplicates.pairs[:_MOST_PAIRS]
    rows = [row for pair in pairs for row in pair]
    names = data.row_names or tuple(f"row {i + 1}" for i in range(data.n_rows))
    heading = f"Images and their duplicates: the first {len(pairs)} of "
    return RowsDisplay(
        data,
        tuple(rows),
        tuple(names[row].rsplit("/", 1)[-1] for row in rows),
        f"{heading}{len(duplicates.pairs):,} pairs",
    )
