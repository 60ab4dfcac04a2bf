"""The record of an imbalance study and the analyses computed from it."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from lincore.imbalance.attribution import Attribution, attribution
from lincore.imbalance.losses import Example, SubsetLosses
from lincore.imbalance.remedies import Remedy, remedies


@dataclass(frozen=True, eq=False, kw_only=True)
class BalanceStudy(SubsetLosses):
    """Losses of full, reduced and control subsets, what they are made of, and what recovers them.

    Parameters
    ----------
    example : Example
        One seed in full; the other parts are those of `lincore.imbalance.losses.SubsetLosses`.
    """

    example: Example

    def attribution(self, method: str, loss: str = "error") -> Attribution:
        """Split a loss into its four parts; see `lincore.imbalance.attribution.attribution`."""
        return attribution(self, method, loss)

    def remedies(self, method: str, loss: str = "error") -> tuple[Remedy, ...]:
        """Compare the remedies; see `lincore.imbalance.remedies.remedies`."""
        return remedies(self, method, loss)

    def table(self, loss: str = "error") -> pd.DataFrame:
        """Return one line for each method: full, reduced and the four parts, in the loss's unit."""
        lines = {}
        for method in self.methods:
            split = self.attribution(method, loss)
            columns = {"full": split.full, "reduced": split.reduced, **split.parts}
            lines[method] = {
                f"{name}{end}": value
                for name, interval in columns.items()
                for end, value in zip(("", " from", " to"), interval, strict=True)
            }
        frame = pd.DataFrame.from_dict(lines, orient="index")
        frame.index.name = "method"
        return frame

    def remedy_table(self, method: str, loss: str = "error") -> pd.DataFrame:
        """Return one line for each remedy: the loss with it, recovered, change of the others."""
        lines = {
            remedy.name: {
                f"{name}{end}": value
                for name in ("loss", "recovered", "still missing", "others")
                for end, value in zip(
                    ("", " from", " to"), getattr(remedy, name.replace(" ", "_")), strict=True
                )
            }
            for remedy in self.remedies(method, loss)
        }
        frame = pd.DataFrame.from_dict(lines, orient="index")
        frame.index.name = "remedy"
        return frame
