"""Displays of a classifier on its test rows: steps, scores, errors, curves, calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from lincore import inspection, metrics, model_selection, plots, report
from lincore.data import Fold
from lincore.displays.base import Display
from lincore.fields import Field
from lincore.model_selection import FittedClassifier
from lincore.utils import count, percent, points, quoted, seconds

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.inspection import ConfusionCell
    from lincore.metrics import Calibration, Results

T = TypeVar("T")
#: More curves than this are a thicket.
MOST_CURVES = 6
#: Rows of a cell that are listed.
MOST_ROWS = 500
#: Classes of which a table of errors is still read.
MOST_CLASSES = 12


def once(make: Callable[[FittedClassifier], T]) -> Callable[[FittedClassifier], T]:
    """Compute something of a model once, for the rules and displays that ask for it."""
    known: WeakKeyDictionary[FittedClassifier, T] = WeakKeyDictionary()

    def found(model: FittedClassifier) -> T:
        if model not in known:
            known[model] = make(model)
        return known[model]

    return found


def codes(so_far: SimpleNamespace) -> dict[int, str]:
    """Return the codes of the classes with their labels: a rule of options."""
    return dict(enumerate(map(str, so_far.model.data.classes)))


@dataclass(frozen=True, eq=False)
class ModelDisplay(Display):
    """A display of one fitted classifier."""

    model: FittedClassifier

    @property
    def results(self) -> Results:
        """The predictions of the test rows."""
        return self.model.results

    @property
    def method(self) -> str:
        """What the model is called."""
        return self.model.name

    @property
    def tested(self) -> str:
        """The number of test rows, as words."""
        return f"{len(self.results.rows):,} test {self.model.data.kind.rows}"

    @property
    def trained(self) -> str:
        """The number of training rows, as words."""
        return f"{len(self.model.split.train):,} training {self.model.data.kind.rows}"


@dataclass(frozen=True, eq=False)
class StepsDisplay(ModelDisplay):
    """What the rows go through, what was learned from how many rows, and how the fit ended."""

    title: ClassVar[str] = "Model"
    made_by: ClassVar[str] = "model.steps"

    @cached_property
    def end(self) -> Any:
        """How the fit ended, whether that is a solution, and what to do otherwise."""
        data = self.model.data
        names = list(inspection.classifier_input_names(self.model.pipeline, data))
        return report.termination_reason(self.model.classifier, names)

    def finding(self) -> str:
        """Return the steps, the classifier last."""
        steps = report.pipeline_steps(self.model.pipeline, self.model.data, self.method)
        way = " → ".join(steps)
        return f"{way[:1].upper()}{way[1:]}."

    def scope(self) -> str:
        """Return the rows that were learned from, and the errors on training and test rows."""
        model = self.model
        folds, basis = [Fold(0, 0, *model.split)], model.pipeline.named_steps.get("basis")
        rows = report.training_rows_note(
            self.trained,
            seconds(float(self.results.seconds[0])),
            model_selection.n_learned_from_streamed(model.data, folds, True, basis),
            self.results.settings.streamed.get(self.method, 0),
        )
        test = 1 - metrics.score(self.results, self.method, "accuracy").value
        return f"{rows} Training error {percent(model.training_error)}, test error {percent(test)}."

    def frame(self) -> pd.DataFrame:
        """Return a line for each step: its class and its settings."""
        lines = [
            (name, type(step).__name__, ", ".join(f"{k}={v}" for k, v in _settings(step)))
            for name, step in self.model.pipeline.steps
        ]
        return pd.DataFrame(lines, columns=["step", "class", "settings"])

    def notes(self) -> tuple[str, ...]:
        """Return how the fit ended, and the distributions of naive Bayes."""
        counts = inspection.naive_bayes_feature_counts(self.model.pipeline, self.model.data)
        named = "" if counts is None else report.naive_bayes_distributions(*counts)
        told = [f"Note from the fit: {note}" for note in self.model.notes]
        return tuple(filter(None, [self.end.sentence, self.end.remedy, named, *told]))


def _settings(step: Any) -> list[tuple[str, Any]]:
    """Return the settings of a step; how many levels columns have is no choice."""
    given = step.get_params(deep=False).items() if hasattr(step, "get_params") else ()
    return [
        (name, value)
        for name, value in given
        if value is not None and name not in ("n_levels", "n_words")
    ]


@dataclass(frozen=True, eq=False)
class ModelScoresDisplay(ModelDisplay):
    """Every score of a classifier with its interval, beside that of a baseline."""

    title: ClassVar[str] = "Scores"
    made_by: ClassVar[str] = "model.scores"

    def finding(self) -> str:
        """Return the leading score, and the most frequent error."""
        rows = self.model.data.kind.rows
        return report.classification_finding(self.results, self.method, rows=rows)

    def scope(self) -> str:
        """Return whether the model beats the majority-class baseline."""
        return report.baseline_finding(self.results, self.method)

    def frame(self) -> pd.DataFrame:
        """Return a line for each score: value, interval, baseline, meaning."""
        guesses, lines = metrics.baseline_results(self.results), []
        for name, kind in metrics.SCORES.items():
            needs_posteriors = kind.needs_posteriors or name == "AUC"
            guesser = "Prior only" if needs_posteriors else "Majority class"
            guess = metrics.estimate(guesses, guesser, name)
            found = metrics.score(self.results, self.method, name)
            line = {"method": self.method, "score": name, **found._asdict()}
            lines.append({**line, "baseline": guess.value, "what it is": kind.help})
        return pd.DataFrame(lines)

    def table(self) -> pd.DataFrame:
        """Return the same, rounded."""
        found = self.frame().drop(columns="method").round(3)
        return found.rename(columns={"low": "from", "high": "to"})

    def notes(self) -> tuple[str, ...]:
        """Return the rows, the rules of the intervals, and what the baseline is."""
        rules = report.interval_method(self.results, *metrics.available_scores(self.results))
        return (
            f"On {self.tested}. {rules} Baseline: always the largest class, or the shares of the "
            "classes as posterior.",
            *filter(None, [report.missing_intervals_note(self.results)]),
        )


@dataclass(frozen=True, eq=False)
class ClassScoresDisplay(ModelDisplay):
    """Recall, precision and F1 of every class, with intervals."""

    title: ClassVar[str] = "Scores by class"
    made_by: ClassVar[str] = "model.classes"

    def finding(self) -> str:
        """Return the classes of the lowest and the highest recall."""
        found = self.frame().dropna(subset="recall").sort_values("recall", kind="stable")
        if found.empty:
            return "No class was tested."
        low, high = found.iloc[0], found.iloc[-1]
        if low["recall"] == high["recall"]:
            return f"Every class has a recall of {percent(low['recall'])}."
        return (
            f"Recall is lowest for {quoted(low['class'])} ({percent(low['recall'])}) and highest "
            f"for {quoted(high['class'])} ({percent(high['recall'])})."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each class: recall and precision with their intervals, and F1."""
        parts = zip(
            self.results.classes,
            metrics.recall(self.results, self.method),
            metrics.precision(self.results, self.method),
            metrics.f1(self.results, self.method),
            strict=True,
        )
        ends = ("", " from", " to")
        return pd.DataFrame(
            {
                "class": str(label),
                **{f"recall{end}": value for end, value in zip(ends, recall, strict=True)},
                **{f"precision{end}": value for end, value in zip(ends, precision, strict=True)},
                "F1": float(f1),
            }
            for label, recall, precision, f1 in parts
        )

    def table(self) -> pd.DataFrame:
        """Return the same, rounded."""
        return self.frame().round(3)


@dataclass(frozen=True, eq=False)
class ConfusionDisplay(ModelDisplay):
    """The confusion matrix: true classes against predicted ones."""

    title: ClassVar[str] = "Confusion"
    made_by: ClassVar[str] = "model.confusion"

    cells: Annotated[
        str,
        Field(
            "Cells",
            "Rows of each cell, or their share of the true class (row) or of the predicted one "
            "(column).",
            choices={"counts": "Counts", "true": "By row", "pred": "By column"},
        ),
    ] = "counts"

    def finding(self) -> str:
        """Return the share that is correct, and the most frequent error."""
        return str(self.plot().layout.meta["title"])

    def frame(self) -> pd.DataFrame:
        """Return a line for each true class: rows, or weights, predicted as each class."""
        return pd.DataFrame(report.confusion_rows(self.results, self.method))

    def plot(self) -> go.Figure:
        """Return the matrix; each of its cells can be selected."""
        normalize: Any = None if self.cells == "counts" else self.cells
        return plots.confusion(self.results, self.method, normalize=normalize)


@once
def _most_frequent_error(model: FittedClassifier) -> tuple[int, int]:
    counts = metrics.confusion_matrix(model.results, model.name)
    errors = counts - np.diag(np.diag(counts))
    found = np.unravel_index((errors if errors.any() else counts).argmax(), errors.shape)
    return int(found[0]), int(found[1])


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
                choices=codes,
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
                choices=codes,
                auto=_first_predicted,
            ),
        ]
        | None
    ) = None

    @cached_property
    def cell(self) -> tuple[int, int]:
        """The codes of the true and of the predicted class."""
        first = _most_frequent_error(self.model)
        given = (self.true, self.predicted)
        true, predicted = (a if b is None else b for a, b in zip(first, given, strict=True))
        return true, predicted

    @cached_property
    def found(self) -> ConfusionCell:
        """The rows with their posteriors and distances."""
        model = self.model
        return inspection.confusion_cell(model.results, model.pipeline, model.data, *self.cell)

    def finding(self) -> str:
        """Return the cell, how many rows it holds, and their order."""
        labels = [quoted(self.model.data.classes[code]) for code in self.cell]
        right = self.cell[0] == self.cell[1]
        verdict = "predicted correctly" if right else f"predicted as {labels[1]}"
        order = "the least certain first" if right else "the highest log loss first"
        number = count(len(self.found.rows), self.noun.removesuffix("s"))
        return f"{labels[0]} {verdict}: {number}, {order}."

    @property
    def noun(self) -> str:
        """What a row is."""
        return self.model.data.kind.rows

    def frame(self) -> pd.DataFrame:
        """Return the rows with posteriors and distances; of a table with their features."""
        data, found = self.model.data, self.found
        columns = inspection.cell_columns(data, found, *self.cell)
        if data.kind.is_images:
            return pd.DataFrame({"row": found.rows, **columns})
        return inspection.row_table(data, found.rows, columns)

    def table(self) -> pd.DataFrame:
        """Return the first 500 of them."""
        return self.frame().head(MOST_ROWS)

    def images(self) -> tuple[np.ndarray, list[str]] | None:
        """Return the rows with the posterior of the true class and the distance from it."""
        if not self.model.data.kind.is_images:
            return None
        found, true = self.found, self.cell[0]
        if found.proba is None:
            return found.rows, [""] * len(found.rows)
        # Short: six images stand side by side on a phone.
        far = found.distances
        return found.rows, [
            percent(share) + ("" if far is None else f" d {far[place, true]:.1f}")
            for place, share in enumerate(found.proba[:, true].tolist())
        ]

    def notes(self) -> tuple[str, ...]:
        """Return what stands over the images, or how many rows are not listed."""
        n_rows = len(self.found.rows)
        if self.model.data.kind.is_images:
            if self.found.proba is None:
                return ()
            return ("Over each image: the posterior of the true class, and d, its distance.",)
        return (f"The first {MOST_ROWS:,} of {n_rows:,}.",) if n_rows > MOST_ROWS else ()


def _first_classes(so_far: SimpleNamespace) -> tuple[int, ...]:
    return tuple(range(min(so_far.model.data.n_classes, MOST_CURVES)))


def _are_many(so_far: SimpleNamespace) -> bool:
    return bool(so_far.model.data.n_classes > MOST_CURVES)


@dataclass(frozen=True, eq=False)
class CurvesDisplay(ModelDisplay):
    """A curve for each class against the rest."""

    classes: (
        Annotated[
            tuple[int, ...],
            Field(
                "Classes",
                "Whose curves are drawn.",
                longest=500,
                choices=codes,
                auto=_first_classes,
                when=_are_many,
            ),
        ]
        | None
    ) = None

    @property
    def drawn(self) -> tuple[int, ...]:
        """The codes of the classes; of two the second, for the other is its mirror image."""
        if self.model.data.n_classes == 2:
            return (1,)
        return self.classes or _first_classes(SimpleNamespace(model=self.model))

    def finding(self) -> str:
        """Return the areas under the curves."""
        return str(self.plot().layout.meta["title"])  # type: ignore[union-attr]

    def table(self) -> pd.DataFrame:
        """Return nothing: the figure holds all of it."""
        return pd.DataFrame()

    def scope(self) -> str:
        """Return the rows, and by what they are ranked."""
        by = "posterior" if metrics.has_posteriors(self.results, self.method) else "decision score"
        return (
            f"Each class against the rest, on {self.tested} ranked by the {by} of the class. The "
            "operating point is where the model itself decides."
        )


@dataclass(frozen=True, eq=False)
class RocDisplay(CurvesDisplay):
    """True against false positive rates."""

    title: ClassVar[str] = "ROC"
    made_by: ClassVar[str] = "model.roc"

    def frame(self) -> pd.DataFrame:
        """Return a line for each point of each curve."""
        found = metrics.roc_curve(self.results, self.method)
        return pd.DataFrame(
            {"class": str(found[k].label), "false positive rate": x, "true positive rate": y}
            for k in self.drawn
            for x, y in zip(found[k].false_positive_rate, found[k].recall, strict=True)
        )

    def plot(self) -> go.Figure:
        """Return the curves with their operating points."""
        found = metrics.roc_curve(self.results, self.method)
        return plots.roc([plots.Curve.from_roc(found[k], code=k) for k in self.drawn])

    def notes(self) -> tuple[str, ...]:
        """Return DeLong's interval of the area."""
        return tuple(filter(None, [report.delong_note(self.results)]))


@dataclass(frozen=True, eq=False)
class PrecisionRecallDisplay(CurvesDisplay):
    """Precision against recall."""

    title: ClassVar[str] = "Precision and recall"
    made_by: ClassVar[str] = "model.precision_recall"

    def frame(self) -> pd.DataFrame:
        """Return a line for each point of each curve."""
        found = metrics.precision_recall_curve(self.results, self.method)
        return pd.DataFrame(
            {"class": str(found[k].label), "recall": x, "precision": y}
            for k in self.drawn
            for x, y in zip(found[k].recall, found[k].precision, strict=True)
        )

    def plot(self) -> go.Figure:
        """Return the curves with their operating points, and the shares of the classes."""
        found = metrics.precision_recall_curve(self.results, self.method)
        curves = [plots.Curve.from_precision_recall(found[k], code=k) for k in self.drawn]
        return plots.precision_recall(curves, shares=[found[k].share for k in self.drawn])


def _posteriors(so_far: SimpleNamespace) -> Mapping[int, str]:
    return {-1: "the predicted class", **codes(so_far)}


@dataclass(frozen=True, eq=False)
class CalibrationDisplay(ModelDisplay):
    """The observed frequency of a class against its posterior."""

    title: ClassVar[str] = "Calibration"
    made_by: ClassVar[str] = "model.calibration"

    of_class: Annotated[
        int, Field("Posterior of", "Whose posterior is held against what came true.",
                   choices=_posteriors)
    ] = -1  # fmt: skip

    @property
    def code(self) -> int | None:
        """The class; None for the predicted one."""
        return None if self.of_class == -1 else self.of_class

    @property
    def is_possible(self) -> bool:
        """True for a model with posteriors."""
        return metrics.has_posteriors(self.results, self.method)

    @cached_property
    def found(self) -> Calibration:
        """The bins."""
        return metrics.calibration_curve(self.results, self.method, self.code)

    def finding(self) -> str:
        """Return the maximum calibration error."""
        if not self.is_possible:
            return f"{self.method} has no posteriors, so there is no calibration."
        return str(self.plot().layout.meta["title"])  # type: ignore[union-attr]

    def frame(self) -> pd.DataFrame:
        """Return a line for each bin of posteriors."""
        if not self.is_possible:
            return pd.DataFrame()
        part = plots.Reliability.from_calibration(self.found, code=self.code)
        named = {"predicted": part.predicted, "observed": part.observed}
        return pd.DataFrame({**named, "low": part.low, "high": part.high, "rows": part.counts})

    def table(self) -> pd.DataFrame:
        """Return nothing: the figure holds all of it."""
        return pd.DataFrame()

    def plot(self) -> go.Figure | None:
        """Return the bins with their intervals and numbers of rows."""
        if not self.is_possible:
            return None
        return plots.calibration([plots.Reliability.from_calibration(self.found, code=self.code)])

    def notes(self) -> tuple[str, ...]:
        """Return the expected calibration error, and the rows."""
        if not self.is_possible:
            return ()
        error = points(self.found.error)
        return (f"Expected calibration error {error} points, over {self.tested}.",)
