"""Displays of an iterative fit: how it converged, and how other solvers minimise the same loss."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import fields, inspection, model_selection, plots
from lincore.displays.model.model_display import ModelDisplay
from lincore.fields import Field
from lincore.inspection import SOLVER_NAMES
from lincore.utils import number, part_of

# Traces whose losses differ by less than this share of the total decrease coincide.
_COINCIDE = 1e-3
# Final losses that differ by less than this share are called the same.
_SAME_LOSS = 1e-6

if TYPE_CHECKING:
    import plotly.graph_objects as go


_QUANTITIES = {
    "training loss": "Training loss",
    "excess": "Above the least",
    "gradient norm": "Gradient",
}


@dataclass(frozen=True, eq=False)
class TraceDisplay(ModelDisplay):
    """A display of traces."""

    quantity: Annotated[
        str,
        Field(
            "What",
            "The penalised training loss in nats, its excess over the least, or the largest entry "
            "of its gradient.",
            choices=_QUANTITIES,
        ),
    ] = "training loss"
    across: Annotated[
        str,
        Field(
            "Against",
            "Iterations differ in cost; seconds depend on this machine.",
            choices={"iteration": "Iteration", "seconds": "Seconds"},
        ),
    ] = "iteration"

    def drawn(self, traces: Any) -> go.Figure:
        """Return traces against what is chosen."""
        quantity: Any = self.quantity
        across: Any = self.across
        return plots.convergence(traces, quantity=quantity, across=across)


@dataclass(frozen=True, eq=False)
class ConvergenceDisplay(TraceDisplay):
    """How the error fell, and its final value."""

    title: ClassVar[str] = "Convergence"
    made_by: ClassVar[str] = "model.convergence"
    page_key: ClassVar[str] = "classify.convergence"
    is_tabulated: ClassVar[bool] = False

    @cached_property
    def traces(self) -> dict[str, Any]:
        """The traces by solver, or by binary model."""
        return inspection.fit_traces(self.model.classifier)

    @property
    def iterates(self) -> bool:
        """True if the fit took steps that can be drawn."""
        return bool(self.traces) or hasattr(self.model.classifier, "mistakes_")

    @property
    def can_compare(self) -> bool:
        """True if other solvers can minimise the same loss."""
        classifier = self.model.classifier
        has_solvers = hasattr(classifier, "trace_") and hasattr(classifier, "solver")
        return has_solvers and classifier.bias_reduction is None and not classifier.selects

    def finding(self) -> str:
        """Return the final error and why the fit ended."""
        classifier = self.model.classifier
        if hasattr(classifier, "log_loss_"):
            return (
                f"Final log loss, without the penalty: {classifier.log_loss_:.4f} nats, summed "
                f"over {self.trained}. It stopped because {classifier.reason_.words}."
            )
        return self.figure_title or f"{self.method} is solved in one step, without iterations."

    def notes(self) -> tuple[str, ...]:
        """State that the training loss has a penalty, if it has."""
        ends = {trace[-1].objective for trace in self.traces.values() if len(trace)}
        log_loss = getattr(self.model.classifier, "log_loss_", None)
        if log_loss is None or not ends or np.isclose(min(ends), log_loss, rtol=1e-9):
            return ()
        return ("The training loss is the log loss with the penalty.",)

    def frame(self) -> pd.DataFrame:
        """Return a line for each iteration."""
        if hasattr(self.model.classifier, "mistakes_"):
            mistakes = self.model.classifier.mistakes_
            return pd.DataFrame({"epoch": range(len(mistakes)), "mistakes": mistakes})
        return pd.DataFrame(
            {
                "trace": name,
                "iteration": step.iteration,
                "training loss": step.objective,
                "gradient norm": step.gradient_norm,
                "seconds": step.seconds,
            }
            for name, trace in self.traces.items()
            for step in trace
        )

    def plot(self) -> go.Figure | None:
        """Return the traces; for a perceptron, its mistakes."""
        if self.traces:
            return self.drawn(self.traces)
        if not self.iterates:
            return None
        mistakes = {"mistakes": self.model.classifier.mistakes_}
        return plots.error_curves(mistakes, across="epoch", error="mistakes")


@dataclass(frozen=True, eq=False)
class SolversDisplay(TraceDisplay):
    """Several solvers on the same training loss, from the same start."""

    title: ClassVar[str] = "Solvers"
    made_by: ClassVar[str] = "model.solvers"
    page_key: ClassVar[str] = "classify.solvers"

    known: tuple[Any, ...] | None = None
    solvers: Annotated[
        tuple[str, ...],
        Field(
            "Solvers",
            "All start at the same point and minimise the same loss.",
            longest=10,
            choices=SOLVER_NAMES,
        ),
    ] = tuple(SOLVER_NAMES)[:4]
    # The rate of the text, and one at which the error oscillates.
    rate: Annotated[
        float,
        Field(
            "Learning rate",
            "For gradient descent with a fixed step: too large a rate makes the error oscillate.",
            low=1e-9,
            high=1e300,
        ),
    ] = 0.002
    other_rate: Annotated[
        float,
        Field(
            "Another rate",
            "For gradient descent with a fixed step.",
            low=1e-9,
            high=1e300,
        ),
    ] = 0.02

    @property
    def rates(self) -> tuple[float, ...]:
        """The fixed learning rates, each once."""
        return tuple(dict.fromkeys((self.rate, self.other_rate)))

    @cached_property
    def lines(self) -> tuple[Any, ...]:
        """The traces with their ends."""
        if self.known is not None:
            return self.known
        return inspection.compare_solvers(self.model, self.solvers, self.rates)

    def finding(self) -> str:
        """Return the solvers of the least training loss, and which of them iterates least."""
        ends = {line.title: line.trace[-1] for line in self.lines}
        least = min(float(end.objective) for end in ends.values())
        close = abs(least) * _SAME_LOSS
        best = {t: end.iteration for t, end in ends.items() if end.objective <= least + close}
        first, steps = min(best.items(), key=lambda title_and_steps: title_and_steps[1])
        if len(best) == 1:
            return f"{first} ends at the least training loss, after {steps:,} iterations."
        who = f"All {len(ends)}" if len(best) == len(ends) else part_of(len(best), len(ends))
        return (
            f"{who} solvers end at the same training loss, to six digits; {first} takes the fewest "
            f"iterations, {steps:,}."
        )

    def frame(self) -> pd.DataFrame:
        """Return the end of every solver."""
        return pd.DataFrame(
            {
                "solver": line.title,
                "training loss": line.trace[-1].objective,
                "gradient": line.trace[-1].gradient_norm,
                "iterations": line.trace[-1].iteration,
                "seconds": line.trace[-1].seconds,
                "ended because": line.reason.words,
            }
            for line in self.lines
        )

    def table(self) -> pd.DataFrame:
        """Return the same, rounded."""
        return self.frame().round({"training loss": 4, "seconds": 3})

    def plot(self) -> go.Figure:
        """Return the traces."""
        return self.drawn({line.title: line.trace for line in self.lines})

    def notes(self) -> tuple[str, ...]:
        """State which learning rates are safe, and solvers that take the same steps."""
        model = self.model
        X = model_selection.transform_for_classifier(
            model.pipeline, model.data.X[model.split.train]
        )
        try:
            limits = model.classifier.learning_rates(X)
        except ValueError:  # too costly to compute
            rates = ""
        else:
            rates = (
                f"Learning rates: 1/L = {number(limits.one_over_L)} (the default); below 2/L = "
                f"{number(limits.two_over_L)} the loss provably never rises; above 2/λmax = "
                f"{number(limits.local_limit)}, of the Hessian at the fitted coefficients, "
                "gradient descent does not converge."
            )
        return tuple(filter(None, (rates, self._coincidence())))

    def _coincidence(self) -> str:
        """State that fixed Hessian and gradient descent took the same steps; "" if not."""
        traces = {line.solver: line.trace for line in self.lines if line.rate is None}
        if not {"fixed-hessian", "gradient"} <= set(traces):
            return ""
        fixed, plain = (
            np.array([step.objective for step in traces[name]])
            for name in ("fixed-hessian", "gradient")
        )
        shared = min(len(fixed), len(plain))
        decrease = fixed[0] - fixed[-1]
        if shared < 3 or np.abs(fixed[:shared] - plain[:shared]).max() > _COINCIDE * decrease:
            return ""
        return (
            "Fixed Hessian and gradient descent at 1/L take the same steps here: with uncorrelated "
            "standardised coordinates, such as principal components, the bound of the Hessian is a "
            "multiple of the identity."
        )

    def call(self) -> str:
        """Return the expression that makes this display: it fits by itself."""
        return fields.call_text(self, self.made_by)
