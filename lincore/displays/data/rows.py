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

# Rows and images that are shown; more are slow in a browser.
MOST_ROWS, MOST_IMAGES, _SHEET_COLUMNS = 500, 60, 6


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

    @property
    def shown(self) -> Rows:
        """The numbers of the rows that are listed."""
        most = MOST_IMAGES if self.data.kind.is_images else MOST_ROWS
        return np.array(self.numbers[:most], dtype=np.intp)

    def finding(self) -> str:
        """Return how many rows these are."""
        number, noun = len(self.numbers), self.data.kind.rows.removesuffix("s")
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
        names = [str(label) for label in self.data.y[self.shown]]
        stack = self.data.X[self.shown].reshape(-1, *self.data.image_shape)  # type: ignore[misc]
        return plots.images(stack, names, columns=_SHEET_COLUMNS, title="The selected rows")
