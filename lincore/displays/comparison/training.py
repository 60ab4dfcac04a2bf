"""Displays of the effect of the training rows: number, choice, boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import pandas as pd

from lincore import inspection, plots, report
from lincore.displays.base import Display, first_of, pivot
from lincore.fields import Field
from lincore.inspection import View
from lincore.metrics import SCORES
from lincore.model_selection import AlikeFits, LearningCurve, SplitVariation
from lincore.utils import listed, part_of, percent

if TYPE_CHECKING:
    import plotly.graph_objects as go

# From this ratio of the squared distance to its expectation, test rows count as not random.
_FAR = 3.0
# A model that leads in this share of the random test sets is called better.
_OFTEN = 0.7


def _scores(so_far: SimpleNamespace) -> list[str]:
    return list(SCORES)


def _methods(so_far: SimpleNamespace) -> dict[str, str]:
    settings = next(iter(so_far.curve.results.values())).settings
    return {name: settings.label(name) for name in so_far.curve.methods}


def _best_two(so_far: SimpleNamespace) -> tuple[str, ...]:
    """Return the two methods that score best with all training rows."""
    scores = so_far.curve.score_table(so_far.score)
    last = scores[scores["training rows"] == scores["training rows"].max()]
    is_ascending = not SCORES[so_far.score].greater_is_better
    ranked = last.sort_values("value", ascending=is_ascending, kind="stable")
    return tuple(ranked["method"][:2])


@dataclass(frozen=True, eq=False)
class LearningCurveDisplay(Display):
    """A score of every method against the number of training rows."""

    title: ClassVar[str] = "Training size"
    made_by: ClassVar[str] = "curve.scores"
    page_key: ClassVar[str] = "compare.sizes"

    curve: LearningCurve
    score: Annotated[
        str, Field("Score", "The score that is drawn.", longest=60, choices=_scores)
    ] = "accuracy"
    bands: (
        Annotated[
            tuple[str, ...],
            Field(
                "Intervals of",
                "The models whose 95 % intervals are drawn.",
                longest=30,
                choices=_methods,
                auto=_best_two,
            ),
        ]
        | None
    ) = None

    @property
    def labels(self) -> dict[str, str]:
        """Labels of the methods."""
        return _methods(SimpleNamespace(curve=self.curve))

    def frame(self) -> pd.DataFrame:
        """Return a line for each method and size, with the interval."""
        return self.curve.score_table(self.score)

    def table(self) -> pd.DataFrame:
        """Return the means, a line for each size; shares in per cent."""
        unit, scale, decimals = (" (%)", 100, 1) if SCORES[self.score].is_share else ("", 1, 3)
        scores = self.frame()
        scores["value"] = (scale * scores["value"]).round(decimals)
        means = pivot(scores, "training rows", columns="method", values="value")
        means = means.dropna(axis="columns", how="all")  # the notes name these methods
        return means.rename(columns={name: f"{label}{unit}" for name, label in self.labels.items()})

    def plot(self) -> go.Figure:
        """Draw the curves; intervals only of the models in `bands`, since they overlap."""
        scores, last = self.frame(), self.curve.results[max(self.curve.results)]
        scores.loc[~scores["method"].isin(self.setting("bands")), ["low", "high"]] = np.nan
        shape = (len(self.curve.methods), -1)
        mean, low, high = (
            scores[end].to_numpy().reshape(shape) for end in ("value", "low", "high")
        )
        return plots.sweep(
            scores["training rows"].unique(),
            mean,
            low,
            high,
            list(self.labels.values()),
            across=f"training {last.settings.rows}",
            score=self.score,
            as_percent=SCORES[self.score].is_share,
        )

    def notes(self) -> tuple[str, ...]:
        """Return the test rows, the splits, and which models are missing at some size."""
        scores = self.frame()
        last = self.curve.results[max(self.curve.results)]
        n_splits = len({*zip(last.repetition.tolist(), last.fold.tolist(), strict=True)})
        splits = f"the mean over {n_splits} random splits" if n_splits > 1 else "of one split"
        notes = [
            f"Tested on {len(last.rows) // n_splits:,} {last.settings.rows}; {splits}. The "
            "smaller training sets are nested and keep the shares of the classes."
        ]
        n_known = scores["value"].notna().groupby(scores["method"], sort=False).sum()
        n_sizes = scores["training rows"].nunique()
        partly = [self.labels[name] for name in n_known.index[n_known.between(1, n_sizes - 1)]]
        never = [self.labels[name] for name in n_known.index[n_known == 0]]
        if partly:
            notes.append(f"Too few rows, or no posteriors, at some size: {', '.join(partly)}.")
        if never:
            notes.append(f"Not fitted in every split at any size: {', '.join(never)}.")
            notes += report.left_out(last.settings.failed, last.settings, last.classes)
        return tuple(notes)


@dataclass(frozen=True, eq=False)
class SplitChoiceDisplay(Display):
    """The scores on the last rows of each class beside those on random rows."""

    title: ClassVar[str] = "Choice of split"
    made_by: ClassVar[str] = "variation.accuracies"
    page_key: ClassVar[str] = "compare.splits"

    variation: SplitVariation

    @staticmethod
    def plan(test_size: float, n_random: int) -> str:
        """Return what is compared."""
        return (
            f"Each model is tested on the last {percent(test_size, 0)} of each class, and on "
            f"{n_random} random test sets of that size."
        )

    def finding(self) -> str:
        """State which model wins on the last rows, which at random, and why they differ."""
        labels, score = self.variation.labels, self.variation.score
        on_last, at_random = self.variation.last, self.variation.random
        mean, is_best = at_random.mean(axis=0), at_random == at_random.max(axis=1, keepdims=True)
        usual = int(is_best.sum(axis=0).argmax())
        n_tied = int((is_best[:, usual] & (is_best.sum(axis=1) > 1)).sum())
        wins = f"in {part_of(int(is_best[:, usual].sum()), len(at_random))} test sets"
        wins += f" ({n_tied:,} tied)" if n_tied else ""
        leaders = np.flatnonzero(on_last == on_last.max())
        last = usual if usual in leaders else int(leaders[0])
        others = [labels[i] for i in leaders if i != last]
        tied = f", tied with {listed(others)}" if others else ""
        if last == usual:
            text = (
                f"{labels[last]} is best on the last of each class ({score} "
                f"{percent(on_last[last])}{tied}) and, {wins}, on rows at random "
                f"({percent(mean[last])} on average)."
            )
        else:
            text = (
                "Which model is best depends on the split: on the last of each class it is "
                f"{labels[last]} ({score} {percent(on_last[last])}{tied}, {labels[usual]} "
                f"{percent(on_last[usual])}), on rows at random {labels[usual]} {wins} "
                f"({percent(mean[usual])} on average, {labels[last]} {percent(mean[last])})."
            )
        return " ".join(filter(None, [text, self._changed_order(last, usual), self._reason()]))

    def _changed_order(self, last: int, usual: int) -> str:
        """Name the two models whose order changes most clearly, apart from the winners."""
        labels, on_last, at_random = self.variation[:3]
        mean = at_random.mean(axis=0)
        lead = on_last[:, None] - on_last
        is_often = (at_random[:, None, :] > at_random[:, :, None]).mean(axis=0) >= _OFTEN
        reversal = np.where(is_often, np.minimum(lead, mean - mean[:, None]), -np.inf)
        reversal[last, usual] = -np.inf
        first, second = divmod(int(reversal.argmax()), len(labels))
        if not reversal[first, second] > 0:
            return ""
        return (
            f"{labels[first]} and {labels[second]} change order: {percent(on_last[first])} and "
            f"{percent(on_last[second])} on the last, {percent(mean[first])} and "
            f"{percent(mean[second])} at random."
        )

    def _reason(self) -> str:
        """State whether the last rows differ from the others."""
        last_shift, random_shift = self.variation.last_shift, self.variation.random_shift
        if not last_shift > _FAR:
            return (
                "The last rows are like the others: their class means are no further from those of "
                "the training rows than expected by chance."
            )
        return (
            f"The last rows differ from the others: their class means are {last_shift:.1f} times "
            "as far (squared) from those of the training rows as expected by chance; at random "
            f"{random_shift:.1f} times. Consecutive rows, such as images of one "
            "subject or session, are similar: such a test set differs from the training set, and "
            "it is a single one."
        )

    def frame(self) -> pd.DataFrame:
        """Return a line for each model and test set."""
        variation = self.variation
        test_sets = [
            ("last", -1, variation.last),
            *(("random", i, random_scores) for i, random_scores in enumerate(variation.random)),
        ]
        return pd.DataFrame(
            {"model": label, "test set": kind, "seed": seed, variation.score: float(scores[m])}
            for kind, seed, scores in test_sets
            for m, label in enumerate(variation.labels)
        )

    def table(self) -> pd.DataFrame:
        """Return a line for each model: on the last rows, and the mean and range at random."""
        variation = self.variation
        return pd.DataFrame(
            {
                "model": label,
                "last of each class": percent(variation.last[i]),
                "at random, mean": percent(variation.random[:, i].mean()),
                "lowest": percent(variation.random[:, i].min()),
                "highest": percent(variation.random[:, i].max()),
            }
            for i, label in enumerate(variation.labels)
        )

    def notes(self) -> tuple[str, ...]:
        """State the score, and which models are missing."""
        left_out = self.variation.left_out
        missing = f" Not fitted on all splits: {listed(left_out)}." if left_out else ""
        return (f"Score: {self.variation.score}.{missing}",)


_PLANES = {
    "discriminant": "Discriminant plane",
    "principal": "Two principal axes",
    "features": "Two features, the others fixed",
}


def _kinds(so_far: SimpleNamespace) -> dict[str, str]:
    fits = so_far.fits
    if not fits.pipelines:
        return {}
    first = next(iter(fits.pipelines.values()))
    return {kind: _PLANES[kind] for kind in inspection.common_plane_kinds(first, fits.data)}


def _is_of_features(so_far: SimpleNamespace) -> bool:
    return bool(so_far.kind == "features" and so_far.fits.data.n_features > 2)


def _features(so_far: SimpleNamespace) -> dict[int, str]:
    return dict(enumerate(map(str, so_far.fits.data.feature_names)))


def _other_features(so_far: SimpleNamespace) -> dict[int, str]:
    return {i: name for i, name in _features(so_far).items() if i != so_far.x}


def _first_other(so_far: SimpleNamespace) -> int:
    return 1 if so_far.x == 0 else 0


@dataclass(frozen=True, eq=False)
class BoundariesDisplay(Display):
    """The decision regions of several models in one common plane."""

    title: ClassVar[str] = "Boundaries"
    made_by: ClassVar[str] = "fits.boundaries"
    page_key: ClassVar[str] = "compare.planes"
    is_tabulated: ClassVar[bool] = False

    fits: AlikeFits
    kind: (
        Annotated[
            str,
            Field(
                "Plane",
                "The same for every model; what lies off it is held fixed.",
                longest=20,
                choices=_kinds,
                auto=first_of(_kinds),
            ),
        ]
        | None
    ) = None
    x: Annotated[
        int, Field("x axis", "Feature drawn from left to right.", choices=_features,
                   when=_is_of_features)
    ] = 0  # fmt: skip
    y: (
        Annotated[
            int, Field("y axis", "Feature drawn from bottom to top.", choices=_other_features,
                       auto=_first_other, when=_is_of_features)
        ] | None
    ) = None  # fmt: skip

    @property
    def obstacle(self) -> str:
        """Why nothing can be drawn; "" if it can."""
        if not self.fits.pipelines:
            return "No model could be fitted for a plot."
        first = next(iter(self.fits.pipelines.values()))
        if self.fits.data.kind.is_sparse and "svd" not in first.named_steps:
            return "Models of word counts cannot be drawn in a plane."
        return ""

    @cached_property
    def views(self) -> Sequence[View] | str:
        """The models in the plane, or the reason why they cannot be drawn."""
        if self.obstacle:
            return self.obstacle
        data, split, axes = self.fits.data, self.fits.split, (self.x, self.setting("y"))
        first = next(iter(self.fits.pipelines.values()))
        try:
            plane = inspection.common_plane(first, data, split, self.setting("kind"), axes)
            if len(plane.axis_names) < 2:
                return "A plot of boundaries needs two dimensions; these models have one."
            # All models are cut: a cut and a marginal could not be compared.
            return [
                inspection.make_view(pipeline, data, split.test, plane, how="cut")
                for pipeline in self.fits.pipelines.values()
            ]
        except ValueError as error:  # such as class means that do not span a discriminant plane
            return f"This plane cannot be drawn. {error}"

    def finding(self) -> str:
        """State what the panels show, or why there are none."""
        if isinstance(self.views, str):
            return self.views
        return self.figure_title

    def frame(self) -> pd.DataFrame:
        """Return a line for each model: predictions in all, and those that the regions show."""
        if isinstance(self.views, str):
            return pd.DataFrame()
        return pd.DataFrame(
            {"method": name, "predictions": len(view.points), "shown": view.n_faithful}
            for name, view in zip(self.fits.pipelines, self.views, strict=True)
        )

    def plot(self) -> Any:
        """Return a panel for each model, or nothing where no plane can be drawn."""
        if isinstance(self.views, str):
            return None
        labels = [self.fits.labels[name] for name in self.fits.pipelines]
        return plots.small_multiples(self.views, labels)

    def notes(self) -> tuple[str, ...]:
        """Return the rows, how faithful the regions are, and which models are missing."""
        if isinstance(self.views, str):
            return self.fits.missing
        rows, split = self.fits.data.kind.rows, self.fits.split
        shown = sum(view.n_faithful for view in self.views)
        n_predictions = sum(len(view.points) for view in self.views)
        return (
            f"Fitted on {len(split.train):,} training {rows} of one split; the share that is "
            f"misclassified is of its {len(split.test):,} test {rows}. {self.views[0].caption} The "
            f"regions show {shown:,} of {n_predictions:,} predictions as the models make them.",
            *self.fits.missing,
        )
