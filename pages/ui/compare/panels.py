"""The panels below the scores of the page Compare, each drawn only when it is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import model_selection
from lincore.data import split
from lincore.displays import (
    BoundariesDisplay,
    DisagreementsDisplay,
    LearningCurveDisplay,
    PairwiseDisplay,
    RecallDisplay,
    ScoresDisplay,
    SplitChoiceDisplay,
    TimesDisplay,
)
from lincore.utils import percent
from pages.ui.jobs import page_jobs
from pages.ui.session import arrival, cache, sidebar
from pages.ui.widgets import displays

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.model_selection import LearningCurve
    from pages.ui.compare.choices import CompareChoice
    from pages.ui.jobs.executor import Job
    from pages.ui.jobs.progress import Progress

KEY = "compare"
REPEATS, SPLIT_REPEATS = 5, 10


class Shown(NamedTuple):
    """The scores that the page shows, and what they were computed from."""

    scores: ScoresDisplay
    data: Dataset
    choice: CompareChoice

    @property
    def judged(self) -> dict[str, Any]:
        """The settings that all displays of the results share."""
        return {"score": self.scores.score, "rope": self.scores.rope}

    @property
    def lines(self) -> tuple[str, ...]:
        """The methods in the order of the choice, which no score changes."""
        known = list(self.scores.results.settings.labels)
        return tuple(sorted(self.scores.results.methods, key=known.index))


@sidebar.fragment
def show(scores: ScoresDisplay, data: Dataset, choice: CompareChoice) -> None:
    """Draw the tabs, and in the open one what it holds."""
    shown = Shown(scores, data, choice)
    arrival.show(f"{KEY}.panels", next(iter(_PANELS)))
    tabs = st.tabs(list(_PANELS), key=f"{KEY}.panels", on_change="rerun")
    for tab, draw in zip(tabs, _PANELS.values(), strict=True):
        if tab.open:
            with tab:
                draw(shown)


def _pairs(shown: Shown) -> None:
    results = shown.scores.results
    displays.show(PairwiseDisplay(results, **shown.judged), key=f"{KEY}.pairs")


def _disagreements(shown: Shown) -> None:
    key, chosen = f"{KEY}.rows", dict(shown.judged)
    if len(shown.scores.results.methods) > 1:
        with st.container(horizontal=True, key=f"{key}.settings"):
            context = {"results": shown.scores.results, **shown.judged}
            chosen |= displays.ask(DisagreementsDisplay, key, width=300, **context)
    found = DisagreementsDisplay(shown.scores.results, data=shown.data, **chosen)
    displays.show(found, key=key, data=shown.data)


def _recall(shown: Shown) -> None:
    displays.show(RecallDisplay(shown.scores.results, **shown.judged), key=f"{KEY}.recall")


def _time(shown: Shown) -> None:
    displays.show(TimesDisplay(shown.scores.results, **shown.judged), key=f"{KEY}.seconds")


def _boundaries(shown: Shown) -> None:
    data, choice, key = shown.data, shown.choice, f"{KEY}.planes"
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
    with st.container(horizontal=True, key=f"{key}.settings"):
        chosen = displays.ask(BoundariesDisplay, key, width=260, fits=job.result)
    displays.show(BoundariesDisplay(job.result, **chosen), key=key)


def _training_size(shown: Shown) -> None:
    data, choice, lines, key = shown.data, shown.choice, shown.lines, f"{KEY}.sizes"

    def draw(job: Job) -> None:
        context = {"curve": job.result, "score": shown.scores.deciding}
        chosen = displays.ask(LearningCurveDisplay, key, **context)
        found = LearningCurveDisplay(job.result, shown.scores.deciding, **chosen)
        displays.show(found, key=key)

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
    if job is not None and not page_jobs.at_work(job) and job.result is not None:
        draw(job)


def learning_curve(
    data: Dataset, choice: CompareChoice, lines: tuple[str, ...], progress: Progress
) -> LearningCurve | None:
    """Compute the curves: over random splits, or on the given test set."""
    random = choice.split.how in ("stratified", "group")
    splits = [
        split(data, choice.split.how, test_size=choice.split.test_size, seed=seed)
        for seed in range(choice.split.seed, choice.split.seed + (REPEATS if random else 1))
    ]
    found = model_selection.learning_curve(
        data,
        lines,
        splits,
        steps=choice.steps,
        seed=choice.split.seed,
        progress=progress,
        keep=progress.keep,
    )
    return found if found.results else None


def _split_choice(shown: Shown) -> None:
    data, choice, lines, key = shown.data, shown.choice, shown.lines, f"{KEY}.splits"
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
        help=f"Each model is tested on the last {percent(test_size, 0)} of each class, and on "
        f"{SPLIT_REPEATS} random test sets of that size.",
        unasked=arrival.is_fresh(f"{KEY}.panels"),
    )
    if job is not None and not page_jobs.at_work(job) and job.result is not None:
        displays.show(SplitChoiceDisplay(job.result), key=key)


_PANELS: dict[str, Callable[[Shown], None]] = {
    PairwiseDisplay.title: _pairs,
    DisagreementsDisplay.title: _disagreements,
    RecallDisplay.title: _recall,
    BoundariesDisplay.title: _boundaries,
    LearningCurveDisplay.title: _training_size,
    SplitChoiceDisplay.title: _split_choice,
    TimesDisplay.title: _time,
}
