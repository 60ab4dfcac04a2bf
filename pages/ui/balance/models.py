"""Choice of the models on the page Balance: classifiers, steps, the one displayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import model_selection, report
from pages.ui.session import questions
from pages.ui.widgets import controls, experiment_record, model_options, text

if TYPE_CHECKING:
    from lincore.data import Dataset, Split
    from lincore.imbalance import BalanceStudy, ImbalanceCost
    from lincore.model_selection import Steps

KEY = "balance"


def ask(data: Dataset, split: Split) -> tuple[tuple[str, ...], Steps]:
    """Ask for the models with their options, and for the steps before them."""
    words, key = list(model_selection.suitable_methods(data)), f"{KEY}.methods"
    # Through the session alone: a default beside a stored value is reported as a mistake.
    st.session_state[key] = questions.studied(data)
    with st.expander("Models, options and steps", key=f"{KEY}.models", on_change="rerun") as panel:
        if panel.open:
            st.multiselect(
                "Models",
                words,
                key=key,
                persist_state="session",
                format_func=model_selection.CLASSIFIER_LABELS.__getitem__,
                help="All are trained on the same rows and evaluated on the same test rows.",
            )
            model_options.steps(data, split)
            for word in st.session_state[key]:
                st.markdown(f"**{model_selection.CLASSIFIER_LABELS[word]}**")
                model_options.options(word)
    lines = [
        model_options.line(word, experiment_record.chosen_options(word))
        for word in st.session_state[key]
    ]
    return tuple(lines), experiment_record.chosen_steps(data, len(split.train))


def ask_repeats(default: int, *, key: str) -> int:
    """Ask over how many random splits everything is repeated."""
    return controls.number(
        "Random splits",
        2,
        200,
        default,
        key=key,
        help="Number of random splits; more of them make the intervals narrower.",
    )


def ask_shown(methods: tuple[str, ...]) -> str:
    """Ask which model headline, waterfall and corrections are about."""
    labels = {line: model_selection.as_method(line).label for line in methods}
    return str(
        controls.choose(
            "Model",
            list(methods),
            key=f"{KEY}.method",
            format_func=labels.__getitem__,
            help="The model of the headline, the waterfall and the corrections.",
            width="stretch",
        )
    )


def known(found: BalanceStudy | ImbalanceCost, method: str) -> str:
    """Return the method, or the first where it could not be fitted."""
    name = model_selection.as_method(method).name
    return name if name in found.methods else found.methods[0]


def left_out(found: BalanceStudy | ImbalanceCost) -> None:
    """Say which models are missing and why, with a remedy at a click where there is one."""
    for name, why in found.failures.items():
        called = found.settings.label(name)
        reason = report.with_class_names(why, found.classes)
        st.caption(
            f"{text.escape(called)} is left out, because it cannot be fitted to all of the "
            f"compared training sets: {text.escape(reason)}"
        )
    fails = any(name.partition("(")[0] == "qda" for name in found.failures)
    if fails and "regularization" not in experiment_record.chosen_options("qda"):
        model_options.offer_regularization(key=f"{KEY}.regularise")


def say_what_is_seen(data: Dataset, steps: Steps, split: Split) -> None:
    """Say what rows and features the models see, where these are not all."""
    if data.n_streamed:
        st.caption(f"Everything on this page refers to the {data.n_rows:,} rows in memory.")
    sentence = report.projection_sentence(data, steps, len(split.train), who="All models use")
    if not sentence:
        return
    place = st.container(
        horizontal=True, vertical_alignment="center", key=f"{KEY}.seen", width="content"
    )
    with place:
        st.caption(sentence, width="content")
        if not data.kind.is_images:
            st.button(
                "Use all features",
                key=f"{KEY}.all_features",
                on_click=experiment_record.keep_step,
                args=("pca", experiment_record.ALL),
                help="Without principal components: closer to the models' best performance.",
            )
