"""Choice of the models on the page Balance: classifiers, steps, the one displayed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import analysis, model_selection, report
from pages.ui.session import questions
from pages.ui.widgets import displays, experiment_record, model_options

if TYPE_CHECKING:
    from lincore.data import Dataset, Split
    from lincore.imbalance import BalanceStudy, ImbalanceCost
    from lincore.model_selection import Steps
    from pages.ui.session.experiment import PageExperiment

KEY = "balance"
# Options that other widgets of the page ask for.
_PLACED = ("methods", "method", "loss", "prevalence", "miss_cost", "sizes")


def ask(record: Any, experiment: PageExperiment) -> None:
    """Ask for models with options and steps, and for options without other widgets."""
    chosen = questions.asked(record, *experiment.known.values())
    with st.expander("Models and options", key=f"{KEY}.models", on_change="rerun") as panel:
        if panel.open:
            displays.ask(record, KEY, "methods", **experiment.known)
            for word in chosen["methods"]:
                st.markdown(f"**{model_selection.CLASSIFIER_LABELS[word]}**")
                model_options.options(word)
    elsewhere = {name: chosen[name] for name in _PLACED if name in chosen}
    displays.ask(record, KEY, **experiment.known, **elsewhere)


def ask_shown(record: Any, experiment: PageExperiment, chosen: Mapping[str, Any]) -> str:
    """Ask for the model of headline, waterfall and corrections; return its line.

    `chosen` are the current options of the question.
    """
    displays.ask(record, KEY, "method", methods=chosen["methods"], **experiment.known)
    word = chosen["method"]
    return analysis.method_line(word, experiment_record.chosen_options(word))


def known(result: BalanceStudy | ImbalanceCost, method: str) -> str:
    """Return the method, or the first one if it could not be fitted."""
    name = _name(method)
    return name if name in result.methods else result.methods[0]


@cache
def _name(line: str) -> str:
    return model_selection.as_method(line).name


def offer_regularization(result: BalanceStudy | ImbalanceCost) -> None:
    """Offer what lets QDA be fitted where it could not."""
    fails = any(name.partition("(")[0] == "qda" for name in result.failures)
    if fails and "regularization" not in experiment_record.chosen_options("qda"):
        model_options.offer_regularization(key=f"{KEY}.regularise")


def describe_inputs(data: Dataset, steps: Steps, split: Split) -> None:
    """State which rows and features the models use, if not all."""
    if streamed := report.streamed_rows_sentence(data, split):
        st.caption(streamed)
    sentence = report.projection_sentence(data, steps, len(split.train), who="All models use")
    if not sentence:
        return
    row = st.container(
        horizontal=True, vertical_alignment="center", key=f"{KEY}.seen", width="content"
    )
    with row:
        st.caption(sentence, width="content")
        if not data.kind.is_images:
            st.button(
                "Use all features",
                key=f"{KEY}.all_features",
                on_click=displays.set_settings,
                args=(experiment_record.SHARED,),
                kwargs={"n_components": displays.NOTHING},
                help="Without principal components: closer to the models' best performance.",
            )
