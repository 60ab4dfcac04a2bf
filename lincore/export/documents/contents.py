"""The subject of a document: data, and what was computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lincore.data.dataset import Dataset, Split
from lincore.metrics.class_ratio import leading_score
from lincore.metrics.results import ROPE, Results
from lincore.model_selection.methods import as_method

if TYPE_CHECKING:
    from lincore.analysis.predict_question import PredictedRows
    from lincore.displays import Display
    from lincore.imbalance.cost.record import ImbalanceCost
    from lincore.imbalance.study import BalanceStudy
    from lincore.model_selection.fitted_classifier import FittedClassifier


@dataclass(frozen=True, eq=False)
class ReportContents:
    """Data, and those results that a report is to show.

    Parameters
    ----------
    data : Dataset
    split : Split, optional
        Training and test rows, for the findings on them.
    model : FittedClassifier, optional
        See `lincore.fit`.
    comparison : Results, optional
        See `lincore.compare`.
    cost : ImbalanceCost, optional
        See `lincore.imbalance_cost`.
    study : BalanceStudy, optional
        See `lincore.balance`.
    predicted : PredictedRows, optional
        New rows: see `lincore.analysis.PredictQuestion`.
    displays : tuple of Display, optional
        What is shown, a section each; by default the displays of the results: see
        `report_displays`.
    score : str, optional
        Which decides the comparison; by default the leading one.
    rope : float
        Region of practical equivalence of the comparison, in the unit of the score.
    method : str, optional
        The method of `cost` and `study` that is shown in detail; by default their first.
    loss : str, optional
        Of `cost` or `study`; by default the first of either.
    file_name, sha256 : str
        Of the file that was loaded.
    seed : int, optional
        Of the split.
    script : str
        Python that computes the numbers again.
    """

    data: Dataset
    split: Split | None = None
    model: FittedClassifier | None = None
    comparison: Results | None = None
    cost: ImbalanceCost | None = None
    study: BalanceStudy | None = None
    predicted: PredictedRows | None = None
    displays: tuple[Display, ...] | None = None
    score: str | None = None
    rope: float = ROPE
    method: str | None = None
    loss: str | None = None
    file_name: str = ""
    sha256: str = ""
    seed: int | None = None
    script: str = ""

    @property
    def experiments(self) -> dict[str, Results | ImbalanceCost | BalanceStudy]:
        """Comparison, cost and study, as available, by their names in a report."""
        found = {
            "comparison": self.comparison,
            "cost of the imbalance": self.cost,
            "imbalance study": self.study,
        }
        return {name: part for name, part in found.items() if part is not None}

    @property
    def deciding_score(self) -> str:
        """Score that decides the comparison."""
        return self.score or leading_score(self.data.counts)

    @property
    def word(self) -> str | None:
        """The short name of the model's classifier; None for a third-party one."""
        return None if self.model is None else self.model.word or None

    @property
    def words(self) -> tuple[str, ...]:
        """The short names of all classifiers that occur, each once."""
        found = [] if self.model is None else [as_method(self.model.classifier).word or ""]
        for part in self.experiments.values():
            found += [name.partition("(")[0] for name in part.methods]
        return tuple(dict.fromkeys(filter(None, found)))

    @property
    def versions(self) -> Mapping[str, str]:
        """Versions with which results were computed, if recorded."""
        found = (part.settings.versions for part in self.experiments.values())
        return next(filter(None, found), {})

    def shown(self, part: ImbalanceCost | BalanceStudy) -> tuple[str, str]:
        """Return the method and the loss to show in detail: those chosen, or the first."""
        method = self.method if self.method in part.methods else part.methods[0]
        return method, self.loss if self.loss in part.loss_names else part.loss_names[0]
