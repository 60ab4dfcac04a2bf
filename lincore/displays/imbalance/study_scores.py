"""Displays of the models of a study: their scores on both sets, and their training loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import imbalance, metrics, model_selection, plots, report
from lincore.displays.base import pivot
from lincore.displays.imbalance.study import NAMED, OneSplitDisplay, set_name, tested, true_view
from lincore.imbalance import BayesReference
from lincore.metrics import Interval
from lincore.utils import decimals, interval, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

_SCORES = ("accuracy", "balanced accuracy", "log loss", "recall")
# The correction whose priors are the shares of the test rows.
_EQUAL = "corrected priors"
#: What the text on faces reports of its generative model with one class reduced.
_FACES_TEXT = 0.773


@dataclass(frozen=True, eq=False)
class StudyScoresDisplay(OneSplitDisplay):
    """The scores of every model, trained on the full and on the reduced set."""

    title: ClassVar[str] = "Scores"
    made_by: ClassVar[str] = "study.scores"

    @cached_property
    def known(self) -> BayesReference | None:
        """The Bayes classifier, where the distribution is known."""
        if self.data is None or self.data.truth is None:
            return None
        return imbalance.true_parameters_of(self.study, self.data)

    def finding(self) -> str:
        """State which models lead on the reduced set."""
        ranked = metrics.rank_methods(self.results(self.condition))
        return f"{set_name(self.condition).capitalize()}: {report.comparison_finding(ranked)}"

    def scope(self) -> str:
        """Return details of the finding, and the rows of each class."""
        ranked = metrics.rank_methods(self.results(self.condition))
        return " ".join(filter(None, [report.comparison_details(ranked), super().scope()]))

    def frame(self) -> pd.DataFrame:
        """Return a line for each model, set, score and class, with its interval."""
        sets = {condition: self.results(condition) for condition in self.conditions}
        methods = list(self.study.methods)
        if self.known is not None:
            sets["true parameters"] = self.known.results
            methods += self.known.results.methods
        scores = pd.concat(
            metrics.score_table(results, _SCORES).assign(set=name) for name, results in sets.items()
        )
        return scores.set_index("method").loc[methods].reset_index()

    def table(self) -> pd.DataFrame:
        """Return a line for each model and set; for many classes, recalls of reduced ones only."""
        classes, is_reduced = self.study.classes.astype(str), self.study.is_reduced
        named = (classes if len(classes) <= NAMED else classes[is_reduced])[:NAMED]
        scores = self.frame()
        scores = scores[scores["class"].isin(["", *named])]
        lines = [
            (method, condition, _heading(score, label), report.format_loss(Interval(*ends), score))
            for method, score, label, *ends, condition in scores.itertuples(index=False)
        ]
        texts = pd.DataFrame(lines, columns=["method", "set", "score", "text"])
        texts = pivot(texts, "method", "set", columns="score", values="text")
        texts["method"] = texts["method"].map(self.study.settings.label)
        texts["set"] = texts["set"].map(report.correction_name)
        return texts.rename(columns={"method": "model"})

    def plot(self) -> go.Figure | None:
        """Return the boundary of the Bayes classifier, where it is known and of two features."""
        if self.known is None or self.data is None or self.data.n_features != 2:
            return None
        view = true_view(self.study, self.data, self.known)
        return plots.boundary(view, title="The Bayes classifier: no other has a lower error")

    def notes(self) -> tuple[str, ...]:
        """Return the intervals, the best that is possible, and what equal priors bring."""
        notes = ["One split, with 95 % intervals over its test rows."]
        word = {name: model_selection.as_method(name).word for name in self.study.methods}
        generative = [m for m in word if word[m] in ("lda", "qda", "naive-bayes")]
        if generative and self.study.settings.rows == "images":
            notes.append(self._equal_priors(generative[0]))
        if self.known is not None:
            least, on_test = self.known.least, self.known.on_test
            notes.append(
                "The true parameters are known here. No classifier can have an error below "
                f"{percent(least.value)} with the shares of the test set ({least.method}); the "
                "Bayes classifier, which knows means and covariances, has "
                f"{percent(on_test.value)} ({interval(on_test.low, on_test.high)}) on these "
                f"{self.study.n_test:,} test rows."
            )
            if not self.known.is_clean:
                notes.append("Outliers and wrong labels add to this.")
        return tuple(filter(None, notes))

    def _equal_priors(self, method: str) -> str:
        """Return the accuracy with equal priors beside that in the text on faces."""
        # Empty if classes have unequal numbers of test rows, or nothing was corrected.
        results = self.study.example.results
        corrected = results.get(_EQUAL)
        if corrected is None or method not in corrected.methods or np.ptp(tested(self.study)):
            return ""
        equal, learned = (
            metrics.score(results[name], method, "accuracy").value for name in (_EQUAL, "reduced")
        )
        return (
            f"With equal priors {self.study.settings.label(method)} reaches {percent(equal)} on "
            f"the reduced set, with the estimated ones {percent(learned)}. The text on faces "
            f"reports {percent(_FACES_TEXT)} for its generative model: it seems to have used equal "
            "priors."
        )


@dataclass(frozen=True, eq=False)
class TrainingLossDisplay(OneSplitDisplay):
    """The loss that training minimises, over the full and over the reduced set."""

    title: ClassVar[str] = "Training loss"
    made_by: ClassVar[str] = "study.training_loss"
    is_tabulated: ClassVar[bool] = False

    @cached_property
    def errors(self) -> dict[str, dict[str, imbalance.TrainingError]]:
        """Log losses of the training rows, by method with posteriors and set."""
        if self.data is None:
            return {}
        return {
            method: {
                subset: imbalance.training_error(self.study, self.data, method, subset)
                for subset in ("full", "reduced")
            }
            for method in self.study.methods
            if metrics.has_posteriors(self.results("full"), method)
        }

    def _sentence(self, method: str) -> str:
        full, reduced = self.errors[method].values()
        label, rows = self.study.settings.label(method), self.study.settings.rows
        before, after = full.total / full.n, reduced.total / reduced.n
        return (
            f"{label}: the log loss of the training {rows} goes from {full.total:,.1f} to "
            f"{reduced.total:,.1f}, summed over {full.n:,} and {reduced.n:,} {rows}; per row it "
            f"{'falls' if after < before else 'rises'} from {decimals(before)} to "
            f"{decimals(after)}."
        )

    def finding(self) -> str:
        """State how the log loss of the training rows changed."""
        if self.chosen not in self.errors:
            return f"{self.label} has no posterior probabilities, so it has no log loss."
        return self._sentence(self.chosen)

    def frame(self) -> pd.DataFrame:
        """Return a line for each method with posteriors and set: sum, mean and rows."""
        return pd.DataFrame(
            {"method": method, "set": subset, **error._asdict()}
            for method, pair in self.errors.items()
            for subset, error in pair.items()
        )

    @cached_property
    def traces(self) -> Mapping[str, Any]:
        """Traces of the training loss, for models that iterate."""
        traces = {}
        names = report.short_names(self.study.methods)
        for method, name in zip(self.study.methods, names, strict=True):
            for subset in ("full", "reduced"):
                model = self.study.example.pipelines[method, subset].steps[-1][1]
                trace = getattr(model, "trace_", None)
                if trace and len(trace) > 1:
                    traces[f"{subset.capitalize()}: {name}"] = trace
        return traces

    def plot(self) -> go.Figure | None:
        """Return the loss at each iteration, where models iterate."""
        return plots.convergence(self.traces) if self.traces else None

    def notes(self) -> tuple[str, ...]:
        """Return the other models, warnings, and what the training loss is."""
        rows = self.study.settings.rows
        explanation = "No model here iterates: all have closed forms."
        if self.traces:
            explanation = (
                "The training loss is what a model minimises: for logistic regression the log "
                f"loss summed over the training {rows}, in nats, and its penalty. Sums over "
                f"unequal numbers of {rows} are not comparable."
            )
        others = [self._sentence(method) for method in self.errors if method != self.chosen]
        return (
            *others,
            *(f"Note while fitting: {note}" for note in self.study.notices),
            explanation,
        )


def _heading(score: str, label: str) -> str:
    """Return the column of a score, or of the recall of a class."""
    return score if score == "log loss" else f"{score}{f' of {quoted(label)}' if label else ''} (%)"
