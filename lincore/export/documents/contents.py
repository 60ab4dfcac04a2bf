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
    """Data, and the results to be reported.

    Parameters
    ----------
    data : Dataset
    split : Split, optional
        Training and test rows, for the data checks.
    model : FittedClassifier, optional
        See `lincore.fit`.
    comparison : Results, optional
        See `lincore.compare`.
    cost : ImbalanceCost, optional
        See `lincore.imbalance_cost`.
    study : BalanceStudy, optional
        See `lincore.balance`.
    predicted : PredictedRows, optional
        Predictions of new rows; see `lincore.analysis.PredictQuestion`.
    displays : tuple of Display, optional
        One section each. Default: the displays of the results, see `report_displays`.
    score : str, optional
        Score that decides the comparison. Default: the leading one.
    rope : float
        Region of practical equivalence of the comparison, in the unit of the score.
    method : str, optional
        Method of `cost` and `study` that is shown in detail. Default: their first.
    loss : str, optional
        Loss of `cost` or `study`. Default: the first of either.
    file_name, sha256 : str
        Name and hash of the file that was loaded.
    seed : int, optional
        Seed of the split.
    script : str
        Python code that computes the numbers again.
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
        records = {
            "comparison": self.comparison,
            "cost of the imbalance": self.cost,
            "imbalance study": self.study,
        }
        return {name: record for name, record in records.items() if record is not None}

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
        """The distinct short names of all classifiers."""
        words = [] if self.model is None else [as_method(self.model.classifier).word or ""]
        for record in self.experiments.values():
            words += [name.partition("(")[0] for name in record.methods]
        return tuple(dict.fromkeys(filter(None, words)))

    @property
    def versions(self) -> Mapping[str, str]:
        """Versions with which results were computed, if recorded."""
        versions = (record.settings.versions for record in self.experiments.values())
        return next(filter(None, versions), {})

    def shown(self, record: ImbalanceCost | BalanceStudy) -> tuple[str, str]:
        """Return the method and the loss to show in detail: those chosen, or the first."""
        method = self.method if self.method in record.methods else record.methods[0]
        return method, self.loss if self.loss in record.loss_names else record.loss_names[0]
