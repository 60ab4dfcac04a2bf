"""Displays of estimates: means, priors, words, matrices, images; chosen options and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pandas as pd

from lincore import fields, geometry, inspection, model_selection, plots
from lincore.displays.model.model_display import ModelDisplay, once
from lincore.fields import Field
from lincore.utils import count, decimals, listed, p_value, percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.estimators.tuned import Tuning
    from lincore.geometry import Learned, LearnedImages
    from lincore.linalg import SelectionStep
    from lincore.model_selection import FittedClassifier


#: Images of means and components.
MOST_IMAGES = 24
#: Options with which a formula of `lincore.report.FORMULAS` does not hold.
_CHANGED_BY = {
    "priors": {"priors", "class_weight"},
    "means": {"covariance", "class_weight"},
    "shared covariance": {"covariance", "shrinkage", "divisor", "class_weight"},
    "covariances": {"regularization", "shrinkage", "divisor", "class_weight"},
}
_ROBUST = (
    "Means and covariance are robust (MCD): outliers have no weight in them (Rousseeuw and Van "
    "Driessen 1999)."
)
#: Selected features that a sentence names.
_MOST_NAMED = 8


@once
def _learned(model: FittedClassifier) -> Learned:
    return geometry.learned(model.pipeline, model.data, model.split.train)


@dataclass(frozen=True, eq=False)
class LearnedDisplay(ModelDisplay):
    """Priors, means and log likelihood: what a classifier has estimated for every class."""

    title: ClassVar[str] = "What was learned"
    made_by: ClassVar[str] = "model.learned"

    @property
    def estimates(self) -> Learned:
        """The estimates."""
        return _learned(self.model)

    @property
    def formulas(self) -> tuple[str, ...]:
        """The formulas of what is shown, as `lincore.report.FORMULAS` names them."""
        names = [] if self.estimates.priors is None else ["priors"]
        names += [] if self.estimates.words else ["means"]
        if self.estimates.log_likelihood is not None:
            names.append("joint log likelihood" if self.estimates.is_joint else "log likelihood")
        return self.that_hold(names)

    def that_hold(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the formulas that hold for this model with its options."""
        if not self.estimates.is_joint:
            return tuple(names)
        options = set(model_selection.as_method(self.model.classifier).options)
        return tuple(name for name in names if not options & _CHANGED_BY.get(name, set()))

    def finding(self) -> str:
        """Return the log likelihood of the training rows."""
        estimates, rows = self.estimates, f"{int(self.estimates.counts.sum()):,} training rows"
        if estimates.log_likelihood is None:
            return f"{self.method} has learned from {rows}."
        value = f"{estimates.log_likelihood:,.4f}".replace("-", "−")
        return f"Log likelihood {value} nats, summed over {rows}."

    def frame(self) -> pd.DataFrame:
        """Return rows, prior and mean of every class."""
        return self.estimates.by_class

    def notes(self) -> tuple[str, ...]:
        """State how many of the coordinates are shown, and robust estimates."""
        n_shown, n_inputs = len(self.estimates.names), self.estimates.n_coordinates
        notes = [_ROBUST] if getattr(self.model.classifier, "covariance", "") == "mcd" else []
        if n_inputs > n_shown:
            notes.append(f"The first {n_shown} of {n_inputs:,} inputs of the classifier.")
        return tuple(notes)


@dataclass(frozen=True, eq=False)
class LearnedPartDisplay(LearnedDisplay):
    """A part of the estimates."""

    def notes(self) -> tuple[str, ...]:
        """Return nothing."""
        return ()


@dataclass(frozen=True, eq=False)
class WordProbabilitiesDisplay(LearnedPartDisplay):
    """The probability of each word in every class, the most different first."""

    title: ClassVar[str] = "Words"
    made_by: ClassVar[str] = "model.words"

    @property
    def formulas(self) -> tuple[str, ...]:
        """The formula of a probability."""
        return ("words",)

    def finding(self) -> str:
        """Return the word whose probabilities differ most."""
        if not self.estimates.words:
            return f"{self.method} has no probabilities of words."
        word = quoted(self.estimates.words[0][0])
        return f"The probabilities of {word} differ most between classes."

    def frame(self) -> pd.DataFrame:
        """Return a line for each word."""
        return self.estimates.by_word


def _matrices(so_far: SimpleNamespace) -> dict[int, str]:
    estimates = _learned(so_far.model)
    return {} if estimates.words else dict(enumerate(estimates.matrices))


@dataclass(frozen=True, eq=False)
class MatrixDisplay(LearnedPartDisplay):
    """A covariance or scatter matrix."""

    title: ClassVar[str] = "Matrix"
    made_by: ClassVar[str] = "model.matrix"
    page_key: ClassVar[str] = "classify.learned.matrix"

    which: Annotated[
        int,
        Field(
            "Matrix",
            "Covariances are the model's; S_W and S_B are sums over the training rows.",
            low=0,
            choices=_matrices,
        ),
    ] = 0

    @property
    def selected(self) -> tuple[str, tuple[str, pd.DataFrame]]:
        """Title, and name of the formula with the matrix."""
        return list(self.estimates.matrices.items())[self.which]

    @property
    def formulas(self) -> tuple[str, ...]:
        """The formula of the matrix, if it holds."""
        return self.that_hold([self.selected[1][0]])

    def finding(self) -> str:
        """State which matrix it is."""
        return self.selected[0]

    def frame(self) -> pd.DataFrame:
        """Return a row and a column for each coordinate."""
        return self.selected[1][1]


_SHEETS = {
    "means": "Class means",
    "mean": "Mean image, from which PCA starts",
    "basis": "Principal components, with their eigenvalues",
}


@once
def _learned_images(model: FittedClassifier) -> LearnedImages:
    return geometry.learned_images(model.pipeline, model.data, model.split.train)


@dataclass(frozen=True, eq=False)
class LearnedImagesDisplay(ModelDisplay):
    """Class means, the mean image and principal components as images."""

    title: ClassVar[str] = "Images"
    made_by: ClassVar[str] = "model.learned_images"
    is_tabulated: ClassVar[bool] = False

    what: Annotated[str, Field("Images", "What is drawn.", longest=20, choices=_SHEETS)] = "means"

    @property
    def learned_images(self) -> LearnedImages:
        """The images."""
        return _learned_images(self.model)

    @property
    def sheets(self) -> list[str]:
        """What can be drawn: the mean and the components only behind PCA."""
        return ["means"] if self.learned_images.mean is None else list(_SHEETS)

    def finding(self) -> str:
        """State what is drawn."""
        return _SHEETS[self.what] if self.what in self.sheets else "There is no PCA to draw."

    def frame(self) -> pd.DataFrame:
        """Return the eigenvalues."""
        return pd.DataFrame({"eigenvalue": self.learned_images.eigenvalues})

    def plot(self) -> go.Figure | None:
        """Return the images."""
        learned, title = self.learned_images, _SHEETS[self.what]
        if self.what == "means":
            means = geometry.grey_levels(learned.means[:MOST_IMAGES])
            return plots.images(means, learned.classes[:MOST_IMAGES], title=title)
        if learned.mean is None:
            return None
        if self.what == "mean":
            return plots.images(geometry.grey_levels(learned.mean[None]), [""], title=title)
        titles = [
            f"{i}: {value:,.0f}" if value >= 1000 else f"{i}: {value:.4g}"
            for i, value in enumerate(learned.eigenvalues, start=1)
        ]
        return plots.coefficient_images(learned.basis, titles, columns=6, title=title)


@dataclass(frozen=True, eq=False)
class TuningDisplay(ModelDisplay):
    """How inner cross-validation chose options of the classifier, or the number of components."""

    title: ClassVar[str] = "Choice of options"
    made_by: ClassVar[str] = "model.tuning"
    page_key: ClassVar[str] = "classify.tuning"

    @property
    def tuning(self) -> Tuning | None:
        """The losses of the candidates; None if nothing was chosen."""
        last = (self.model.classifier, self.model.pipeline.named_steps.get("pca"))
        return next((step.tuning_ for step in last if getattr(step, "tuning_", None)), None)

    @property
    def options(self) -> dict[str, str]:
        """The labels of the options that were chosen, by name."""
        if self.tuning is None:
            return {}
        word = model_selection.as_method(self.model.classifier).word
        known = fields.options(model_selection.Steps)
        if word is not None:
            known += fields.options(model_selection.CLASSIFIER_OPTIONS[word])
        labels = {option.name: option.field.label for option in known}
        return {name: labels[name] for name in self.tuning.options}

    @property
    def is_of_components(self) -> bool:
        """True if the number of principal components was chosen."""
        return "n_components" in self.options

    def finding(self) -> str:
        """State the choice and its loss."""
        tuning = self.tuning
        if tuning is None:
            return f"No option of {self.method} was chosen by cross-validation."
        if self.is_of_components:
            chosen, simplest = count(round(tuning.values["n_components"]), "component"), "fewest"
        else:
            chosen = listed([f"{self.options[name]} {v:.3g}" for name, v in tuning.values.items()])
            simplest = "most regularised choice"
        least = self._loss(tuning.mean[tuning.best])
        if tuning.rule == "cv":
            return f"{chosen}: least mean {tuning.loss} over five inner folds, {least}."
        return (
            f"{chosen}: {simplest} within one standard error of the least mean "
            f"{tuning.loss} over five inner folds, {least}."
        )

    def _loss(self, value: float) -> str:
        assert self.tuning is not None
        if self.tuning.loss == "error rate":
            return percent(value)
        return f"{value:.4f} nats" if np.isfinite(value) else "not fitted"

    def frame(self) -> pd.DataFrame:
        """Return a line for each candidate."""
        tuning = self.tuning
        if tuning is None:
            return pd.DataFrame()
        tried = dict(zip(tuning.options, tuning.candidates.T, strict=True))
        position = range(len(tuning.candidates))
        return pd.DataFrame(
            {
                **tried,
                tuning.loss: tuning.mean,
                "standard error": tuning.error,
                "chosen": [i == tuning.chosen for i in position],
            }
        )

    def table(self) -> pd.DataFrame:
        """Return the same, for people."""
        tuning = self.tuning
        if tuning is None:
            return pd.DataFrame()
        shown = self.frame().rename(columns=self.options)
        for label in self.options.values():
            shown[label] = [f"{value:.3g}" for value in shown[label]]
        for name in (tuning.loss, "standard error"):
            shown[name] = [self._loss(value) for value in shown[name]]
        return shown.assign(chosen=["chosen" if value else "" for value in shown["chosen"]])

    def plot(self) -> go.Figure | None:
        """Return the losses of the candidates."""
        tuning = self.tuning
        if tuning is None:
            return None
        return plots.tuning(
            tuning.candidates,
            tuning.mean,
            tuning.error,
            tuning.chosen,
            list(self.options.values()),
            loss=tuning.loss,
            title=self.finding(),
        )

    def notes(self) -> tuple[str, ...]:
        """State what the losses are for, and whether better values may lie outside them."""
        tuning = self.tuning
        if tuning is None:
            return ()
        n = len(tuning.candidates)
        notes = [
            f"These losses are only for the choice: the least of {n} on the same folds, of models "
            "fitted to four fifths of the training rows. The test rows were not used, so that "
            "their scores judge model and choice together."
        ]
        if self.is_of_components:
            notes.append(
                "Tests and intervals of coefficients take the components as given, although the "
                "classes of the same rows chose their number."
            )
        ends = tuning.candidates.min(), tuning.candidates.max()
        if len(tuning.options) == 1 and tuning.options[0] in ("C", "alpha"):
            (value,) = tuning.values.values()
            if value in ends:
                notes.append(
                    f"The choice is at the end of the candidates, {ends[0]:g} to {ends[1]:g}: "
                    "values beyond it were not tried."
                )
        return tuple(notes)


@dataclass(frozen=True, eq=False)
class StepwiseDisplay(ModelDisplay):
    """Which feature entered or left at each step, by Wilks' lambda and partial F."""

    title: ClassVar[str] = "Stepwise selection"
    made_by: ClassVar[str] = "model.selection"
    page_key: ClassVar[str] = "classify.selection"

    @property
    def is_stepwise(self) -> bool:
        """True for LDA with stepwise selection."""
        return isinstance(getattr(self.model.classifier, "selection", None), str)

    @cached_property
    def steps(self) -> list[SelectionStep]:
        """The steps."""
        return self.model.classifier.selection_steps_ if self.is_stepwise else []

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The inputs of the classifier."""
        return inspection.classifier_input_names(self.model.pipeline, self.model.data)

    def finding(self) -> str:
        """State which features were selected, in the order of their entry."""
        if not self.is_stepwise:
            return f"{self.method} uses all features."
        features = count(len(self.names), "feature")
        chosen = self.model.classifier.selected_
        if not chosen.any():
            return f"None of {features} was selected: all rows are predicted by the priors."
        entered = dict.fromkeys(step.feature for step in reversed(self.steps) if step.enters)
        order = [self.names[j] for j in reversed(entered) if chosen[j]]
        return (
            f"Stepwise selection chose {len(order)} of {features}: "
            f"{listed(order, most=_MOST_NAMED)}. Wilks’ Λ = {decimals(self.steps[-1].wilks)}."
        )

    def scope(self) -> str:
        """State the rows."""
        return f"On {self.trained}." if self.is_stepwise else ""

    def frame(self) -> pd.DataFrame:
        """Return a line for each step."""
        lines = [
            (i, self.names[s.feature], "in" if s.enters else "out", *s[2:], s.p)
            for i, s in enumerate(self.steps, 1)
        ]
        columns = ["step", "feature", "change", "wilks", "F", "df1", "df2", "p"]
        return pd.DataFrame(lines, columns=columns)

    def table(self) -> pd.DataFrame:
        """Return the same, rounded."""
        lines = self.frame()
        if lines.empty:
            return pd.DataFrame()
        return pd.DataFrame(
            {
                "step": lines["step"],
                "feature": lines["feature"],
                "": lines["change"],
                "Wilks’ Λ": [
                    f"{wilks:.4f}" if wilks >= 1e-4 else f"{wilks:.1e}" for wilks in lines["wilks"]
                ],
                "partial F": lines["F"].map(decimals),
                "df": [f"{a:g}, {b:.6g}" for a, b in zip(lines["df1"], lines["df2"], strict=True)],
                "p (as if not selected)": lines["p"].map(p_value),
            }
        )

    def notes(self) -> tuple[str, ...]:
        """Return the rule, and what the p-values are not."""
        if not self.is_stepwise:
            return ()
        notes = [
            "The feature with the largest partial F enters if that is at least 3.84, and one "
            "leaves at 2.71 or less. p is that of a feature named in advance: the largest of many "
            "F is larger by chance, so that these p-values are too small. Only training rows "
            "select; the scores of the test rows judge selection and model together. Compare shows "
            "how often folds select each feature."
        ]
        if self.model.data.groups is not None:
            notes.append("Rows of one group are not independent, which enlarges F.")
        return tuple(notes)
