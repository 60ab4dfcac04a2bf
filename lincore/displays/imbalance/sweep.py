"""Display of a class-size sweep: every model as classes shrink from all rows to a few."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import imbalance, plots, report
from lincore.displays.base import Display
from lincore.fields import Field
from lincore.imbalance import Grid, Sweep
from lincore.utils import quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

_KINDS = {
    "as trained": "As trained",
    "corrected priors": "Corrected priors",
    "rarer": "Rarer, estimated from all rows",
    "rarer, corrected priors": "Rarer, all rows, corrected priors",
}


def _kinds(so_far: SimpleNamespace) -> dict[str, str]:
    return _KINDS


def _swept_losses(so_far: SimpleNamespace) -> tuple[str, ...]:
    return tuple(so_far.sweep.loss_names)


@dataclass(frozen=True, eq=False)
class SweepDisplay(Display):
    """A loss of every model as classes shrink from all rows to a few."""

    title: ClassVar[str] = "Class-size sweep"
    made_by: ClassVar[str] = "sweep.curves"
    page_key: ClassVar[str] = "balance.sizes"
    is_tabulated: ClassVar[bool] = False

    sweep: Sweep
    loss: Annotated[str, Field("Loss", "What is counted.", longest=500, choices=_swept_losses)] = (
        "error"
    )
    kind: Annotated[
        str,
        Field(
            "Curves",
            "With the rows and priors of each size; with the priors of the full set; or from all "
            "rows with the weights of each size, which shows the effect of rarity alone.",
            longest=60,
            choices=_kinds,
        ),
    ] = "as trained"

    @cached_property
    def grid(self) -> Grid:
        """The loss by method and size."""
        return imbalance.size_grid(self.sweep, self.loss, self.kind)

    @cached_property
    def drawn(self) -> list[int]:
        """The methods that have such curves."""
        return [i for i, mean in enumerate(self.grid.mean) if not np.isnan(mean).all()]

    @cached_property
    def crossings(self) -> tuple[Any, ...]:
        """The sizes at which two methods change places."""
        return self.sweep.crossings(self.loss) if self.kind == "as trained" else ()

    def finding(self) -> str:
        """State where the order of the models changes first, or what is drawn."""
        if not self.drawn:
            return "No model here has these curves: they need a model fitted from moments."
        if self.crossings:
            return self._crossing_sentences()[0]
        if self.kind == "as trained" and len(self.sweep.seeds) > 1:
            return "The order of the models does not change beyond chance."
        return self.figure_title

    def _crossing_sentences(self) -> list[str]:
        label, loss = self.sweep.settings.label, report.loss_in_words(self.loss)
        return [
            f"Below about {size:.0f} training rows {label(below)} has the better {loss}, above it "
            f"{label(above)}. The difference is beyond chance up to {clear[0]:,.0f} and from "
            f"{clear[1]:,.0f} on."
            for size, below, above, clear in self.crossings
        ]

    def scope(self) -> str:
        """Return the splits, and which rows stay."""
        everything = len(self.sweep.swept) == len(self.sweep.classes)
        others = "The" if everything else "The other classes keep all their training rows, and the"
        nested = "smaller sets are subsets of larger ones"
        return f"{self._basis()}; {nested}. {others} test set is untouched."

    def _basis(self) -> str:
        n, wanted = len(self.sweep.seeds), self.sweep.settings.repeats
        unit = "splits" if self.sweep.test_ratio else "choices of the training rows, one test set"
        if n == 1:
            filled = self.sweep.is_filled
            sizes = "all" if filled.all() else f"{int(filled.sum())} of"
            return f"One split so far, {sizes} {len(filled)} sizes, so no intervals"
        number = f"{n} of {wanted}" if n < wanted else str(n)
        return f"Means of {number} {unit}, with 95 % intervals"

    def frame(self) -> pd.DataFrame:
        """Return a line for each method and size, with the interval."""
        return pd.DataFrame(
            {
                "method": self.sweep.methods[i],
                "training rows": float(size),
                "value": self.grid.mean[i, a],
                "low": self.grid.low[i, a],
                "high": self.grid.high[i, a],
            }
            for i in self.drawn
            for a, size in enumerate(self.grid.sizes)
        )

    def plot(self) -> go.Figure | None:
        """Return the curves with their intervals, and where they cross."""
        if not self.drawn:
            return None
        names = ", ".join(map(quoted, self.sweep.swept[:3]))
        across = f"training rows of {'each of ' if len(self.sweep.swept) > 1 else ''}{names}"
        if len(self.sweep.swept) > 3:
            across = "training rows of each swept class"
        several = len(self.sweep.seeds) > 1
        return plots.sweep(
            self.grid.sizes,
            self.grid.mean[self.drawn],
            self.grid.low[self.drawn],
            self.grid.high[self.drawn],
            [self.sweep.settings.label(self.sweep.methods[i]) for i in self.drawn],
            across=across,
            score=self.loss,
            crossings=[crossing.size for crossing in self.crossings],
            as_percent=self.loss != "log loss",
            basis="Lines: means; bands: 95 % intervals." if several else "Lines: one split.",
        )

    def notes(self) -> tuple[str, ...]:
        """Return further crossings, and models that could not be fitted at some sizes."""
        sweep, failure = self.sweep, "could not be fitted at some sizes"
        failed = report.left_out(sweep.failures, sweep.settings, sweep.classes, failure)
        return (*self._crossing_sentences()[1:], *failed)
