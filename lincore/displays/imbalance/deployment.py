"""Displays of a model in deployment: other class shares, and unequal costs of errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
import pandas as pd

from lincore import imbalance, metrics, plots, report
from lincore.displays.imbalance.study import OneSplitDisplay
from lincore.displays.imbalance.two_sets import AxisX, AxisY, PlaneKind, views_of
from lincore.fields import Between, Field, per_cent
from lincore.metrics import Interval, Results
from lincore.utils import percent, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Shares at which a curve over the priors in deployment is computed.
N_SHARES = 25


def _classes(so_far: SimpleNamespace) -> dict[int, str]:
    return dict(enumerate(map(str, so_far.study.classes)))


def _first_reduced(so_far: SimpleNamespace) -> int:
    return int(np.flatnonzero(so_far.study.is_reduced)[0])


def _share_of_full(so_far: SimpleNamespace) -> float:
    return min(max(float(so_far.study.shares("full")[so_far.code]), 0.01), 0.99)


def _share_marks(so_far: SimpleNamespace) -> dict[str, float]:
    own, equal = so_far.study.shares("full")[so_far.code], 1 / len(so_far.study.classes)
    return {
        f"As in the file: {percent(own, 0)}": _share_of_full(so_far),
        f"Equal: {percent(equal, 0)}": equal,
    }


@dataclass(frozen=True, eq=False)
class DeploymentDisplay(OneSplitDisplay):
    """A display of the class shares in deployment, without fitting again."""

    code: (
        Annotated[
            int,
            Field(
                "Class",
                "The others divide what is left as in the full training set.",
                choices=_classes,
                auto=_first_reduced,
            ),
        ]
        | None
    ) = None
    share: (
        Annotated[
            float,
            Field(
                "Share in deployment",
                "Scores are updated immediately, without refitting.",
                low=0.01,
                high=0.99,
                step=0.01,
                unit=per_cent,
                auto=_share_of_full,
                marks=_share_marks,
            ),
        ]
        | None
    ) = None

    @property
    def condition(self) -> str:
        """The reduced set: moving a threshold is equivalent to changing priors."""
        condition = super().condition
        return "reduced" if condition == "moved threshold" else condition

    @cached_property
    def class_code(self) -> int:
        """The class whose share is set."""
        return int(self.setting("code"))

    @cached_property
    def shares(self) -> np.ndarray:
        """The shares of all classes in deployment."""
        full = self.study.shares("full")
        if self.share is None:
            return np.asarray(full)
        return np.asarray(imbalance.priors_with_share(full, self.class_code, self.share))

    @property
    def learned(self) -> np.ndarray:
        """The priors behind the posteriors of each method."""
        return np.asarray(imbalance.condition_priors(self.study, self.condition))

    @cached_property
    def adjusted(self) -> Results:
        """The predictions with the priors of deployment."""
        return metrics.adjust_priors(self.results(self.condition), self.learned, self.shares)

    @property
    def quoted_class(self) -> str:
        """The label of the class whose share is set, in quotes."""
        return quoted(self.study.classes[self.class_code])

    @property
    def trained_phrase(self) -> str:
        """What the models learned from."""
        if self.condition == "reduced":
            return "Trained on the reduced set"
        correction = "both corrections" if self.condition == "both" else self.condition
        return f"Trained on the reduced set with {correction}"


@dataclass(frozen=True, eq=False)
class PriorsDisplay(DeploymentDisplay):
    """Error and log loss under other class shares, as trained and with corrected priors."""

    title: ClassVar[str] = "Priors in deployment"
    made_by: ClassVar[str] = "study.priors"
    page_key: ClassVar[str] = "balance.priors"

    def _values(self, method: str) -> dict[tuple[str, str], Interval]:
        both = {"as trained": self.results(self.condition), "corrected priors": self.adjusted}
        scoring = {
            "error": imbalance.error_in_deployment,
            "log loss": imbalance.log_loss_in_deployment,
        }
        return {
            (name, priors): score(results, method, self.shares)
            for name, score in scoring.items()
            for priors, results in both.items()
        }

    def finding(self) -> str:
        """Return the error of the model with these shares, as trained and corrected."""
        values = self._values(self.chosen)
        trained, corrected = (
            percent(values["error", name].value) for name in ("as trained", "corrected priors")
        )
        return (
            f"If {self.quoted_class} is {percent(self.shares[self.class_code], 0)} of the rows in "
            f"deployment, {self.label} has an error of {trained} as trained and of {corrected} "
            "with corrected priors."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each method, score and priors, with its interval."""
        return pd.DataFrame(
            {"method": method, "score": name, "priors": priors, **value._asdict()}
            for method in self.study.methods
            for (name, priors), value in self._values(method).items()
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each model."""
        return pd.DataFrame(
            {"model": self.study.settings.label(method)}
            | {
                f"{name}{' (%)' if name == 'error' else ''}, {priors}": report.format_loss(
                    value, name
                )
                for (name, priors), value in self._values(method).items()
            }
            for method in self.study.methods
        )

    def plot(self) -> go.Figure:
        """Return the error by the share of the class, as trained and with corrected priors."""
        old = self.learned[self.study.methods.index(self.chosen)]
        own = self.results(self.condition).select(self.chosen)
        shares = np.geomspace(0.01, 0.95, N_SHARES)
        curves = [
            imbalance.error_by_share(own, old, self.class_code, shares, corrected=corrected)
            for corrected in (False, True)
        ]
        value, low, high = np.moveaxis(np.vstack(curves), -1, 0)
        return plots.sweep(
            100 * shares,
            value,
            low,
            high,
            [f"{self.label}, as trained", f"{self.label}, corrected priors"],
            across=f"share of {self.quoted_class} in deployment (%)",
            score="error",
            title=f"Error of {self.label} by the share of {self.quoted_class} in deployment",
            basis="Bands: 95 % intervals over the test rows.",
        )

    def notes(self) -> tuple[str, ...]:
        """Return the training set, the test rows, and what correcting priors does."""
        rows = f"{len(self.adjusted.rows):,} test {self.study.settings.rows}"
        return (
            f"{self.trained_phrase}. {rows}, weighted to these shares; 95 % intervals. With "
            "corrected priors, posteriors are multiplied by new over old shares, without "
            "refitting.",
        )


@dataclass(frozen=True, eq=False)
class CostsDisplay(DeploymentDisplay):
    """Decisions for the most probable class and those of least expected cost."""

    title: ClassVar[str] = "Costs"
    made_by: ClassVar[str] = "study.costs"
    page_key: ClassVar[str] = "balance.errors"

    costs: Annotated[
        tuple[Annotated[float, Between(0)], ...],
        Field(
            "Costs of errors",
            "A row for each true class, a column for each predicted one; by default 1 for every "
            "error.",
            longest=10_000,
        ),
    ] = ()
    decision: Annotated[
        Literal["least expected cost", "most probable class"],
        Field(
            "Decision",
            "The decision rule of the plotted boundary.",
            choices=("least expected cost", "most probable class"),
        ),
    ] = "least expected cost"
    kind: PlaneKind = None
    x: AxisX = 0
    y: AxisY = None

    @cached_property
    def matrix(self) -> np.ndarray:
        """The costs as a table, true classes along the first axis."""
        return np.array(imbalance.costs_of(self.costs, len(self.study.classes)))

    @cached_property
    def cheapest(self) -> Results:
        """The predictions of least expected cost."""
        return imbalance.minimum_cost_decisions(self.adjusted, self.matrix)

    def _costs(self, method: str) -> tuple[Interval, Interval]:
        before, after = (
            imbalance.cost_in_deployment(results, method, self.shares, self.matrix)
            for results in (self.adjusted, self.cheapest)
        )
        return before, after

    @property
    def has_posteriors(self) -> bool:
        """True if costs move the boundary of the model."""
        return bool(metrics.has_posteriors(self.adjusted, self.chosen))

    def finding(self) -> str:
        """State what deciding at least expected cost does to the cost of a row."""
        if not self.has_posteriors:
            return f"{self.label} has no posteriors, so costs do not change its boundary."
        before, after = (report.format_loss(cost, "log loss") for cost in self._costs(self.chosen))
        if before == after:
            return f"The expected cost of a row by {self.label} is {before} by both decisions."
        return (
            f"The expected cost of a row by {self.label} is {before} for the most probable class "
            f"and {after} for the decision of least expected cost."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each method and decision: the cost, with its interval."""
        return pd.DataFrame(
            {"method": method, "decision": decision, **cost._asdict()}
            for method in self.study.methods
            for decision, cost in zip(
                ("most probable class", "least expected cost"), self._costs(method), strict=True
            )
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each model: the cost of both decisions, the error of the second."""
        rows = []
        for method in self.study.methods:
            before, after = self._costs(method)
            error = imbalance.error_in_deployment(self.cheapest, method, self.shares)
            rows.append(
                {
                    "model": self.study.settings.label(method),
                    "cost of the most probable class": report.format_loss(before, "log loss"),
                    "cost of the cheapest decision": report.format_loss(after, "log loss"),
                    "error of the cheapest decision (%)": report.format_loss(error, "error"),
                }
            )
        return pd.DataFrame(rows)

    def plot(self) -> go.Figure | None:
        """Return the regions of one of the two decisions."""
        if self.data is None or not self.has_posteriors:
            return None
        old = self.learned[self.study.methods.index(self.chosen)]
        sets = ("full", self.condition)
        view = views_of(self, (self.chosen,), sets, kind=self.kind, x=self.x, y=self.y)[1]
        view = imbalance.view_with_prior_shift(view, imbalance.log_prior_shift(old, self.shares))
        shared, results = plots.SharedAxes.of(view), self.adjusted
        if self.decision == "least expected cost":
            view, results = imbalance.view_with_costs(view, self.matrix), self.cheapest
        view = imbalance.view_with_predictions(view, results, self.chosen)
        return plots.boundary(view, shared=shared, title=f"{self.label}, {self.decision}")

    def notes(self) -> tuple[str, ...]:
        """Return the costs, the priors, and the test rows."""
        rows = f"{len(self.adjusted.rows):,} test {self.study.settings.rows}"
        share = percent(self.shares[self.class_code], 0)
        return (
            report.costs_in_words(self.matrix, self.study.classes),
            f"{self.trained_phrase}, priors corrected for deployment: {self.quoted_class} {share} "
            f"(set under “Priors in deployment”). {rows}, weighted to the shares in deployment; "
            "95 % intervals.",
        )
