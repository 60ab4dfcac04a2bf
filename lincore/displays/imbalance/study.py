"""Displays of a study of imbalance: what was lost and recovered, scores, training loss."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import imbalance, inspection, metrics, model_selection, plots, report
from lincore.data import Dataset
from lincore.displays.base import Display
from lincore.fields import Field
from lincore.imbalance import REMEDIES, BalanceStudy, BayesReference
from lincore.metrics import Interval, Results
from lincore.plots.base import shorten, shorten_all
from lincore.utils import interval, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

UNCORRECTED = "uncorrected"
#: So many classes are counted by name, and so many recalls are columns of a table.
NAMED = 6
#: Characters of a class's name in a sentence.
LONGEST = 24
# Pixels of the plot of corrections, as high as the waterfall beside it.
_HEIGHT = 430


def methods_of(so_far: SimpleNamespace) -> dict[str, str]:
    """Return the labels of the methods of a study."""
    return {name: so_far.study.settings.label(name) for name in so_far.study.methods}


def first_method(so_far: SimpleNamespace) -> str:
    """Return the method that is shown by default."""
    return str(so_far.study.methods[0])


def _losses(so_far: SimpleNamespace) -> tuple[str, ...]:
    return tuple(so_far.study.loss_names)


def _leading(so_far: SimpleNamespace) -> str:
    return str(so_far.study.leading_loss)


@dataclass(frozen=True, eq=False)
class StudyDisplay(Display):
    """A display of what a smaller class does to one of the models."""

    study: BalanceStudy
    method: (
        Annotated[
            str,
            Field("Model", "The model that is shown.", longest=500, choices=methods_of,
                  auto=first_method),
        ]
        | None
    ) = None  # fmt: skip

    @property
    def chosen(self) -> str:
        """The method that is shown."""
        return self.method or self.study.methods[0]

    @property
    def label(self) -> str:
        """What that method is called."""
        return self.study.settings.label(self.chosen)

    def scope(self) -> str:
        """Return the splits, and the rows of each class."""
        return f"{report.balance_basis(self.study)} {rows_of(self.study)}"

    def call(self) -> str:
        """Return the expression that makes this display; of one split alone, the first."""
        text = super().call()
        return text if len(self.study.seeds) > 1 else f"first{text.removeprefix('study')}"


@dataclass(frozen=True, eq=False)
class StudyLossDisplay(StudyDisplay):
    """A display of one loss, over all splits."""

    loss: (
        Annotated[
            str,
            Field(
                "Loss",
                "What is counted: errors, errors by class, log loss, or the recall of one class.",
                longest=500,
                choices=_losses,
                auto=_leading,
            ),
        ]
        | None
    ) = None

    @property
    def shown(self) -> str:
        """The loss that was chosen, or the leading one."""
        return self.loss or self.study.leading_loss

    @property
    def is_possible(self) -> bool:
        """True if the model has this loss."""
        full = self.study.attribution(self.chosen, self.shown).full.value
        return bool(full == full)

    @property
    def scaling(self) -> dict[str, Any]:
        """The unit, scale and basis of figures."""
        in_nats, several = self.shown == "log loss", len(self.study.seeds) > 1
        return {"unit": "" if in_nats else "points", "scale": 1.0 if in_nats else 100.0} | {
            "basis": f"95 % intervals{self._over}." if several else "One split."
        }

    _over: ClassVar[str] = " over splits"


@dataclass(frozen=True, eq=False)
class DecompositionDisplay(StudyLossDisplay):
    """To what a loss went when classes were reduced: four parts."""

    title: ClassVar[str] = "Error decomposition"
    made_by: ClassVar[str] = "study.decomposition"

    def finding(self) -> str:
        """Return what the reduction did, and which part weighs most."""
        return report.balance_finding(self.study, self.chosen, self.shown)

    def frame(self) -> pd.DataFrame:
        """Return a line for each method, loss and part, with its interval."""
        return pd.DataFrame(
            {"method": method, "loss": loss, "part": part, **value._asdict()}
            for method in self.study.methods
            for loss in self.study.loss_names
            for part, value in self._parts(method, loss).items()
        )

    def _parts(self, method: str, loss: str) -> dict[str, Interval]:
        split = self.study.attribution(method, loss)
        return {"full": split.full, **split.parts, "reduced": split.reduced}

    def table(self) -> pd.DataFrame:
        """Return a line for each loss of the model that the reduction is about."""
        cut = zip(self.study.recall_names, self.study.is_reduced, strict=True)
        recalls = [name for name, is_reduced in cut if is_reduced]
        rows = []
        for loss in ("error", "balanced error", "log loss", *recalls):
            parts = self._parts(self.chosen, loss)
            if not np.isnan(parts["full"].value):
                row = {"loss": f"{loss} ({'nats' if loss == 'log loss' else '%'})"}
                rows.append(row | {k: report.format_loss(v, loss) for k, v in parts.items()})
        return pd.DataFrame(rows)

    def plot(self) -> go.Figure | None:
        """Return the waterfall from the full to the reduced set."""
        if not self.is_possible:
            return None
        split = self.study.attribution(self.chosen, self.shown)
        return plots.waterfall(
            split.parts,
            split.full.value,
            loss=self.shown,
            greater_is_better=self.study.named(self.shown).greater_is_better,
            **self.scaling,
        )

    def notes(self) -> tuple[str, ...]:
        """Return each part in words."""
        if not self.is_possible:
            return ()
        found = report.decomposition_sentences(self.study, self.chosen, self.shown)
        return tuple(found.values())


@dataclass(frozen=True, eq=False)
class CorrectionsDisplay(StudyLossDisplay):
    """What each correction recovers of what the reduction cost."""

    title: ClassVar[str] = "Corrections"
    made_by: ClassVar[str] = "study.corrections"
    _over: ClassVar[str] = ", paired"

    @cached_property
    def recommended(self) -> str | None:
        """The correction that is recommended, if there is one."""
        if not self.is_possible:
            return None
        remedy = imbalance.choose_remedy(self.study, self.chosen, self.shown).remedy
        return remedy.name if remedy.recovered.low > 0 else None

    def finding(self) -> str:
        """Return which correction is recommended, what it recovers, and why; or that none is."""
        if not self.is_possible:
            return report.balance_finding(self.study, self.chosen, self.shown)
        advice = imbalance.choose_remedy(self.study, self.chosen, self.shown)
        return report.remedy_finding(advice, self.shown)

    def frame(self) -> pd.DataFrame:
        """Return a line for each correction and quantity, with its interval."""
        return pd.DataFrame(
            {"correction": one.name, "quantity": quantity, **value._asdict()}
            for one in self.study.remedies(self.chosen, self.shown)
            for quantity, value in {
                self.shown: one.loss,
                "recovered": one.recovered,
                "still missing": one.still_missing,
                "change of the recall of the others": one.others,
            }.items()
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each correction."""
        if not self.is_possible:
            return pd.DataFrame()
        return pd.DataFrame(
            {
                "correction": report.correction_name(one.name),
                self.shown: report.format_loss(one.loss, self.shown),
                "recovered": report.format_loss(one.recovered, self.shown),
                "of the loss": "–" if np.isnan(one.share) else percent(one.share, 0),
                "still missing": report.format_loss(one.still_missing, self.shown),
                "recall of the others": report.format_loss(one.others, "recall"),
            }
            for one in self.study.remedies(self.chosen, self.shown)
        )

    def plot(self) -> go.Figure | None:
        """Return a bar for each correction: what it recovers, and what the others lose."""
        if not self.is_possible:
            return None
        found = self.study.remedies(self.chosen, self.shown)
        is_alone = self.shown == "log loss" or bool(self.study.is_reduced.all())
        return plots.remedies(
            [report.correction_name(one.name) for one in found],
            [one.recovered for one in found],
            None if is_alone else [one.others for one in found],
            whole=abs(self.study.attribution(self.chosen, self.shown).total.value),
            score=self.shown,
            title=f"What corrections recover: {self.shown}",
            height=_HEIGHT,
            **self.scaling,
        )

    def notes(self) -> tuple[str, ...]:
        """Return the unit, and how corrections are made."""
        if not self.is_possible:
            return ()
        return (
            f"{'In nats' if self.shown == 'log loss' else 'In points'}. Corrected priors are "
            "applied after training; weights, under- and oversampling are trained again on the "
            "same reduced rows.",
        )


def _remedies(so_far: SimpleNamespace) -> dict[str, str]:
    return {name: report.correction_name(name) for name in (UNCORRECTED, *REMEDIES)}


@dataclass(frozen=True, eq=False)
class OneSplitDisplay(StudyDisplay):
    """A display of one split: the models of the full set beside those of the reduced one."""

    data: Dataset | None = None
    remedy: Annotated[
        str,
        Field(
            "The reduced set",
            "Apply a correction: its effect is shown on the same reduced rows.",
            longest=60,
            choices=_remedies,
        ),
    ] = UNCORRECTED

    @property
    def condition(self) -> str:
        """The reduced set, as it is or with a correction."""
        return "reduced" if self.remedy == UNCORRECTED else self.remedy

    def results(self, condition: str) -> Results:
        """Return the predictions of the test rows."""
        return self.study.example.results[condition]

    def scope(self) -> str:
        """Return that it is of one split, and the rows of each class."""
        return f"For one split only. {rows_of(self.study)}"


@dataclass(frozen=True, eq=False)
class StudyScoresDisplay(OneSplitDisplay):
    """The scores of every model, trained on the full and on the reduced set."""

    title: ClassVar[str] = "Scores"
    made_by: ClassVar[str] = "study.scores"

    @property
    def conditions(self) -> tuple[str, ...]:
        """The sets that models are trained on."""
        return tuple(dict.fromkeys(("full", "reduced", self.condition)))

    @cached_property
    def known(self) -> BayesReference | None:
        """The Bayes classifier, where the distribution is known."""
        if self.data is None or self.data.truth is None:
            return None
        return imbalance.true_parameters_of(self.study, self.data)

    def finding(self) -> str:
        """Return which models lead on the reduced set."""
        ranked = metrics.rank_methods(self.results(self.condition))
        return f"{set_name(self.condition).capitalize()}: {report.comparison_finding(ranked)}"

    def _scored(self) -> list[tuple[str, str, str, Results]]:
        scored = [
            (condition, method, self.study.settings.label(method), self.results(condition))
            for method in self.study.methods
            for condition in self.conditions
        ]
        if self.known is not None:
            best = self.known.results.methods[0]
            scored.append(("true parameters", best, best, self.known.results))
        return scored

    def _scores(self, results: Results, method: str) -> dict[str, Interval]:
        names = ("accuracy", "balanced accuracy", "log loss")
        found = {name: metrics.score(results, method, name) for name in names}
        recalls = metrics.recall(results, method)
        return found | dict(zip(self.study.recall_names, recalls, strict=True))

    def frame(self) -> pd.DataFrame:
        """Return a line for each model, set and score, with its interval."""
        return pd.DataFrame(
            {"method": method, "set": condition, "score": name, **value._asdict()}
            for condition, method, _, results in self._scored()
            for name, value in self._scores(results, method).items()
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each model and set; of many classes the recalls of reduced ones."""
        all_named = len(self.study.classes) <= NAMED
        cut = zip(self.study.recall_names, self.study.is_reduced, strict=True)
        recalls = [name for name, is_reduced in cut if is_reduced or all_named][:NAMED]
        rows = []
        for condition, method, label, results in self._scored():
            row = {"model": label, "set": report.correction_name(condition)}
            for name, value in self._scores(results, method).items():
                if name in self.study.recall_names and name not in recalls:
                    continue
                unit = "" if name == "log loss" else " (%)"
                row[f"{name}{unit}"] = report.format_loss(value, name)
            rows.append(row)
        return pd.DataFrame(rows)

    def plot(self) -> go.Figure | None:
        """Return the boundary of the Bayes classifier, where it is known and of two features."""
        if self.known is None or self.data is None or self.data.n_features != 2:
            return None
        view = true_view(self.study, self.data, self.known)
        return plots.boundary(view, title="The Bayes classifier: the best there can be")

    def notes(self) -> tuple[str, ...]:
        """Return the intervals, the best that is possible, and what equal priors bring."""
        notes = ["One split, with 95 % intervals over its test rows."]
        word = {name: model_selection.as_method(name).word for name in self.study.methods}
        generative = [m for m in word if word[m] in ("lda", "qda", "naive-bayes")]
        if generative and self.study.settings.rows == "images":
            notes.append(report.equal_priors_note(self.study, generative[0]))
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


@dataclass(frozen=True, eq=False)
class TrainingLossDisplay(OneSplitDisplay):
    """The loss that training made small, over the full and over the reduced set."""

    title: ClassVar[str] = "Training loss"
    made_by: ClassVar[str] = "study.training_loss"

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
        return report.training_loss_finding(
            self.study.settings.label(method),
            (full.total, reduced.total),
            (full.n, reduced.n),
            self.study.settings.rows,
        )

    def finding(self) -> str:
        """Return what became of the log loss of the training rows."""
        if self.chosen not in self.errors:
            return f"{self.label} has no posterior probabilities, so it has no log loss."
        return self._sentence(self.chosen)

    def frame(self) -> pd.DataFrame:
        """Return a line for each method with posteriors and set: sum, mean and rows."""
        return pd.DataFrame(
            {"method": method, "set": subset, **found._asdict()}
            for method, pair in self.errors.items()
            for subset, found in pair.items()
        )

    def table(self) -> pd.DataFrame:
        """Return nothing: finding and notes hold all of it."""
        return pd.DataFrame()

    @cached_property
    def traces(self) -> Mapping[str, Any]:
        """The way down of the models that iterate."""
        found = {}
        names = report.short_names(self.study.methods)
        for method, name in zip(self.study.methods, names, strict=True):
            for subset in ("full", "reduced"):
                model = self.study.example.pipelines[method, subset].steps[-1][1]
                trace = getattr(model, "trace_", None)
                if trace and len(trace) > 1:
                    found[f"{subset.capitalize()}: {name}"] = trace
        return found

    def plot(self) -> go.Figure | None:
        """Return the loss at each iteration, where models iterate."""
        return plots.convergence(self.traces) if self.traces else None

    def notes(self) -> tuple[str, ...]:
        """Return the other models, warnings, and what the training loss is."""
        rows = self.study.settings.rows
        about = "No model here iterates: all have closed forms."
        if self.traces:
            about = (
                "The training loss is what a model minimises: for logistic regression the log "
                f"loss summed over the training {rows}, in nats, and its penalty. Sums over "
                f"unequal numbers of {rows} are not comparable."
            )
        others = [self._sentence(method) for method in self.errors if method != self.chosen]
        return (*others, *(f"Note while fitting: {note}" for note in self.study.notices), about)


def set_name(condition: str) -> str:
    """Return what the rows are called that models are trained on."""
    if condition in ("full", "reduced"):
        return f"{condition} set"
    return f"reduced set, {report.correction_name(condition)}"


def rows_of(study: BalanceStudy) -> str:
    """Say how many rows of each class trained and tested on one split."""
    sizes = {name: counted(study.counts[name], study) for name in ("full", "reduced")}
    return (
        f"Full set: {sizes['full']}. Reduced set: {sizes['reduced']}. Test set, untouched: "
        f"{counted(tested(study), study)}."
    )


def tested(study: BalanceStudy) -> np.ndarray:
    """Return the test rows of each class on one split."""
    return np.bincount(study.example.results["full"].truth, minlength=len(study.classes))


def counted(counts: np.ndarray, study: BalanceStudy) -> str:
    """Say how many rows there are of each class; of many classes, those that were reduced."""
    total = f"{int(counts.sum()):,} {study.settings.rows}"
    chosen = [*range(len(study.classes))]
    if len(chosen) > NAMED:
        chosen = np.flatnonzero(study.is_reduced)[:NAMED].tolist()
    # Together, for names that begin alike are cut elsewhere than at their end.
    short = shorten_all(study.classes.tolist(), LONGEST)
    each = ", ".join(f"{int(counts[k]):,} {_called(short[k])}" for k in chosen)
    return f"{total} ({each}{', …' if len(study.classes) > NAMED else ''})"


def _called(label: object) -> str:
    """Return the label of a class behind a count."""
    name = shorten(label, LONGEST)
    if any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name):
        name = f"\u2068{name}\u2069"  # counts beside it keep their places
    return quoted(name)


def true_view(study: BalanceStudy, data: Dataset, known: BayesReference) -> inspection.View:
    """Return a view of the Bayes classifier over the test rows, in two features."""
    test = study.example.split.test
    plane = inspection.feature_plane(data, (0, 1), test)
    return inspection.make_view(known.pipeline, data, test, plane)
