"""The scores of a comparison: the figure of intervals, and the table of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from pages.ui import controls, tables, text

if TYPE_CHECKING:
    from lincore.datasets import Dataset
    from lincore.experiments.results import Results
    from pages.ui.compare_choice import Choice

KEY = "compare"


class Shown(NamedTuple):
    """A comparison and how it is looked at.

    Attributes
    ----------
    data : Dataset
    choice : Choice
        With which the results were made.
    results : Results
        The best method first.
    score : str
    rope : float
        How small a difference does not matter, in the unit of the score.
    """

    data: Dataset
    choice: Choice
    results: Results
    score: str
    rope: float

    @property
    def labels(self) -> list[str]:
        """What the methods are called, in the order of the results."""
        known = self.results.settings["labels"]
        return [str(known[name]) for name in self.results.methods]

    @property
    def as_chosen(self) -> list[int]:
        """The positions of the methods in the order of the choice, which no score changes."""
        known = list(self.results.settings["labels"])
        methods = self.results.methods
        return sorted(range(len(methods)), key=lambda i: known.index(methods[i]))

    @property
    def is_share(self) -> bool:
        """Whether the score reads well in per cent."""
        from lincore.experiments.scores import SCORES

        return SCORES[self.score].is_share


def ask(data: Dataset, choice: Choice, results: Results) -> Shown:
    """Ask for the score that decides, and how small a difference does not matter."""
    from lincore.experiments import ranking
    from lincore.experiments.class_ratio import leading_score
    from lincore.experiments.scores import SCORES

    leading = leading_score(results.class_counts)
    names = sorted(ranking.known(results), key=lambda name: name != leading)
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{KEY}.look"):
        score = controls.choose(
            "Score",
            names,
            key=f"{KEY}.score",
            help=" ".join(f"{name}: {SCORES[name].help}" for name in names),
            width=240,
        )
        share = SCORES[score].is_share
        rope = st.number_input(
            "Too small to matter (points)" if share else "Too small to matter",
            0.0,
            50.0 if share else 1.0,
            1.0 if share else 0.01,
            step=0.5 if share else 0.01,
            key=f"{KEY}.rope.{'points' if share else 'unit'}",
            persist_state="session",
            help="The region of practical equivalence: differences that are surely smaller than "
            "this are called equivalent, however significant they are.",
            width=240,
        )
    rope = rope / 100 if share else rope
    return Shown(data, choice, ranking.ranked(results, score), score, rope)


def figure(shown: Shown) -> None:
    """Draw the score of each method with its interval, baselines and tiers."""
    from lincore import plots
    from lincore.experiments import differences, ranking, scores

    results, score = shown.results, shown.score
    tier = differences.tiers(results, score, shown.rope)
    told = [i for i, name in enumerate(results.methods) if tier[name]]
    names = [results.methods[i] for i in told]
    controls.figure(
        plots.score_intervals(
            [shown.labels[i] for i in told],
            [scores.score(results, name, score) for name in names],
            score=score,
            baselines=ranking.guesses(results, score),
            tiers=[tier[name] for name in names],
            as_percent=shown.is_share,
        ),
        key=f"{KEY}.intervals",
    )
    untold = [shown.labels[i] for i, name in enumerate(results.methods) if not tier[name]]
    if untold:
        st.caption(f"Without posteriors there is no {score}: {text.escape(', '.join(untold))}.")


def table(shown: Shown) -> None:
    """Show every score of every method with its interval, and offer it as CSV."""
    import pandas as pd

    from lincore.experiments import differences, ranking, scores
    from lincore.report.words import with_interval

    results = shown.results
    tier = differences.tiers(results, shown.score, shown.rope)
    lines = []
    for name, label in zip(results.methods, shown.labels, strict=True):
        line: dict[str, object] = {"model": label, "group": tier[name] or None}
        for score in sorted(scores.SCORES, key=lambda score: score != shown.score):
            line[score] = with_interval(scores.score(results, name, score), score)
        line["seconds"] = float(results.seconds[results.position(name)])
        lines.append(line)
    with st.container(key=f"{KEY}.table"):
        tables.show(
            pd.DataFrame(lines),
            hide_index=True,
            column_config={
                "group": st.column_config.NumberColumn(
                    format="%d",
                    help="Models of one group are not significantly different from its best by "
                    f"{shown.score}.",
                ),
                "seconds": st.column_config.NumberColumn(
                    format="%.3f", help="To fit the model by itself, over all folds."
                ),
                **{
                    name: st.column_config.TextColumn(help=score.help)
                    for name, score in scores.SCORES.items()
                },
            },
            placeholder="",
            alt="Every score of every model with its 95 % interval.",
        )
    st.download_button(
        "Scores as CSV",
        lambda: ranking.for_file(results).to_csv().encode(),
        file_name=f"{shown.data.name} comparison.csv",
        mime="text/csv",
        key=f"{KEY}.csv",
        on_click="ignore",
        help="Every score, its interval, seconds and group, in full precision.",
    )
