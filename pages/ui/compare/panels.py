"""The panels below the scores of the page Compare, each drawn only when it is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import model_selection
from lincore.data import split
from lincore.displays import (
    COMPARISON,
    BoundariesDisplay,
    ExtrapolationDisplay,
    LearningCurveDisplay,
    ScoresDisplay,
    SelectedFeaturesDisplay,
    SelectionOptimismDisplay,
    SplitChoiceDisplay,
    YardsticksDisplay,
)
from pages.ui.compare import run
from pages.ui.frame import sidebar
from pages.ui.jobs import cache, page_jobs
from pages.ui.widgets import displays, tabs

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.displays import Display
    from lincore.model_selection import LearningCurve
    from pages.ui.jobs.executor import Job
    from pages.ui.jobs.progress import Progress
    from pages.ui.session.experiment import Setup

KEY = "compare"
REPEATS, SPLIT_REPEATS = 5, 10


class ShownComparison(NamedTuple):
    """The results on the page, with data and choices."""

    scores: ScoresDisplay
    data: Dataset
    choice: Setup

    @property
    def judged(self) -> dict[str, Any]:
        """The common settings of the displays."""
        return {"score": self.scores.score, "rope": self.scores.rope}

    @property
    def lines(self) -> tuple[str, ...]:
        """The methods in the order of choice, independent of the scores."""
        known = list(self.scores.results.settings.labels)
        return tuple(sorted(self.scores.results.methods, key=known.index))


@sidebar.fragment
def show(scores: ScoresDisplay, data: Dataset, choice: Setup) -> None:
    """Draw the tabs and the content of the open one."""
    shown = ShownComparison(scores, data, choice)
    missing: set[type[Display]] = {ScoresDisplay}
    if not scores.results.selections:
        missing.add(SelectedFeaturesDisplay)
    kinds = [kind for kind in COMPARISON if kind not in missing]
    panels = {kind.title: partial(_FITTED.get(kind, _judged), shown, kind) for kind in kinds}
    tabs.show(f"{KEY}.panels", panels)


def _judged(shown: ShownComparison, kind: type[Display]) -> None:
    known: dict[str, Any] = {"results": shown.scores.results, "data": shown.data}
    subject = {name: known[name] for name in kind.subject_names()}
    display = displays.chosen(kind, **subject, **shown.judged)
    displays.show(display, key=kind.page_key, data=shown.data)


def _yardsticks(shown: ShownComparison, kind: type[Display]) -> None:
    fitted = shown.choice.question.yardsticks
    if not fitted and st.button(
        "Fit gradient boosting and a random forest",
        key=f"{kind.page_key}.fit",
        on_click=run.add_yardsticks,
        help="Far more flexible models, on the same splits: what does staying with these cost?",
    ):
        st.rerun()  # the whole page, which compares anew
    _judged(shown, kind)


def _selection(shown: ShownComparison, kind: type[Display]) -> None:
    features = displays.chosen(kind, results=shown.scores.results)
    displays.show(features, key=kind.page_key)
    optimism = SelectionOptimismDisplay.of(shown.scores.results, **shown.judged)
    st.markdown(f"##### {optimism.title}")
    displays.show(optimism, key=optimism.page_key)


def _boundaries(shown: ShownComparison, kind: type[Display]) -> None:
    data, choice, key = shown.data, shown.choice, kind.page_key
    rows = cache.split(data.digest, choice.split, data)
    job = page_jobs.run(
        key,
        (data.digest, choice.split, tuple(sorted(shown.lines)), choice.steps),
        lambda progress: model_selection.fit_alike(
            data,
            rows,
            shown.scores.ranked.methods,
            steps=choice.steps,
            seed=choice.split.seed,
            progress=progress,
        ),
        describe="Fitting the models for their boundaries",
    )
    page_jobs.show(job)
    if not job.is_over or job.result is None:
        return
    displays.show(displays.chosen(kind, fits=job.result), key=key)


def _training_size(shown: ShownComparison, kind: type[Display]) -> None:
    data, choice, lines, key = shown.data, shown.choice, shown.lines, kind.page_key

    def draw(job: Job) -> None:
        known = {"curve": job.result, "score": shown.scores.deciding}
        displays.show(displays.chosen(kind, **known), key=key)
        st.markdown(f"##### {ExtrapolationDisplay.title}")
        more = displays.chosen(ExtrapolationDisplay, curve=job.result)
        displays.show(more, key=more.page_key)

    job = page_jobs.on_demand(
        key,
        (data.digest, choice.split, lines, choice.steps),
        lambda progress: learning_curve(data, choice, lines, progress),
        describe="Fitting on increasing training rows",
        label="Fit on increasing training rows",
        help=f"Seven sizes, from few rows to all of the training set; {REPEATS} random splits.",
        draw=draw,
        keep_outdated=True,
    )
    if page_jobs.needs_drawing(job):
        draw(job)


def learning_curve(
    data: Dataset, choice: Setup, lines: tuple[str, ...], progress: Progress
) -> LearningCurve | None:
    """Compute the curves, over random splits or on the given test set."""
    random = choice.split.how in ("stratified", "group")
    splits = [
        split(data, choice.split.how, test_size=choice.split.test_size, seed=seed)
        for seed in range(choice.split.seed, choice.split.seed + (REPEATS if random else 1))
    ]
    curve = model_selection.learning_curve(
        data,
        lines,
        splits,
        steps=choice.steps,
        seed=choice.split.seed,
        progress=progress,
        keep=progress.keep,
    )
    return curve if curve.results else None


def _split_choice(shown: ShownComparison, kind: type[Display]) -> None:
    data, choice, lines, key = shown.data, shown.choice, shown.lines, kind.page_key
    test_size = choice.split.test_size
    job = page_jobs.on_demand(
        key,
        (data.digest, lines, choice.steps, test_size),
        lambda progress: model_selection.compare_splits(
            data,
            list(lines),
            steps=choice.steps,
            test_size=test_size,
            seeds=range(SPLIT_REPEATS),
            progress=progress,
        ),
        describe="Comparing splits",
        label="Compare the last of each class with random rows",
        help=SplitChoiceDisplay.plan(test_size, SPLIT_REPEATS),
        unasked=tabs.is_fresh(f"{KEY}.panels"),
    )
    if page_jobs.needs_drawing(job):
        displays.show(displays.chosen(kind, variation=job.result), key=key)


#: Tabs that need further fits.
_FITTED: dict[type[Display], Callable[[ShownComparison, type[Display]], None]] = {
    YardsticksDisplay: _yardsticks,
    SelectedFeaturesDisplay: _selection,
    BoundariesDisplay: _boundaries,
    LearningCurveDisplay: _training_size,
    SplitChoiceDisplay: _split_choice,
}
