"""Learning curves of all models of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import model_selection, plots
from lincore.data import split
from pages.ui.jobs import page_jobs
from pages.ui.session import cache
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.model_selection import LearningCurve
    from pages.ui.compare.choices import CompareChoice
    from pages.ui.compare.score_table import Shown
    from pages.ui.jobs.progress import Progress

KEY = "compare.sizes"
REPEATS = 5


def show(shown: Shown) -> None:
    """Offer the curves, and draw what there is of them."""
    data, choice = shown.data, shown.choice
    lines = tuple(shown.results.methods[i] for i in shown.as_chosen)
    job = page_jobs.on_demand(
        KEY,
        (data.digest, choice.split, lines, choice.steps),
        lambda progress: work(data, choice, lines, progress),
        describe="Fitting on ever more training rows",
        label="Fit on ever more training rows",
        help=f"Seven sizes, from few rows to all of the training set; {REPEATS} random splits.",
        draw=lambda job: _draw(shown, job.result),
        keep_outdated=True,
    )
    if job is not None and not page_jobs.at_work(job) and job.result is not None:
        _draw(shown, job.result)


def work(
    data: Dataset, choice: CompareChoice, lines: tuple[str, ...], progress: Progress
) -> LearningCurve | None:
    """Compute the curves: over random splits, or on the test set that is given."""
    random = choice.split.how in ("stratified", "group")
    seeds = range(choice.split.seed, choice.split.seed + (REPEATS if random else 1))
    splits = [_split(data, choice.split._replace(seed=seed)) for seed in seeds]
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


def _best_two(shown: Shown, labels: list[str]) -> list[str]:
    return [label for label in shown.labels if label in labels][:2]


def _split(data: Dataset, choice: cache.SplitSettings) -> object:
    return split(data, choice.how, test_size=choice.test_size, seed=choice.seed)


def _draw(shown: Shown, curve: LearningCurve) -> None:
    band = curve.band(shown.score)
    labels = [shown.results.settings.label(name) for name in band.methods]
    # The intervals of all of them lie over each other: two can be read.
    banded = st.pills(
        "Intervals of",
        labels,
        selection_mode="multi",
        wrap=True,
        default=_best_two(shown, labels),
        key=f"{KEY}.bands",
        help="The models whose 95 % intervals are drawn.",
    )
    hidden = [label not in banded for label in labels]
    low, high = band.low.copy(), band.high.copy()
    low[hidden] = high[hidden] = float("nan")
    controls.figure(
        plots.sweep(
            band.sizes,
            band.mean,
            low,
            high,
            labels,
            across="training rows",
            score=shown.score,
            as_percent=shown.is_share,
        ),
        key=f"{KEY}.figure",
    )
    last = curve.results[int(band.sizes[-1])]
    n_splits = len({*zip(last.repetition.tolist(), last.fold.tolist(), strict=True)})
    splits = f"the mean over {n_splits} random splits" if n_splits > 1 else "of one split"
    st.caption(
        f"Tested on {len(last.rows) // n_splits:,} {text.row_noun(shown.data)}; {splits}. The "
        "parts of the training rows are nested and keep the shares of the classes."
    )
    missing = [
        shown.results.settings.label(name)
        for name, values in zip(band.methods, band.mean, strict=True)
        if (values != values).any()
    ]
    if missing:
        st.caption(
            "Not at every size, for want of rows or of posteriors: "
            f"{text.escape(', '.join(missing))}."
        )
