"""What is reduced on the page Balance, and which models learn from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.ui import cached, choosing, controls, tables, text

if TYPE_CHECKING:
    import numpy as np

    from lincore.datasets import Dataset, Split
    from lincore.experiments.pipeline import Steps
    from pages.ui.sidebar import Experiment

KEY = "balance"
KEPT = "balance.kept"
#: Of the number table: what was edited belongs to one drawing of it.
VERSION = "balance.version"
#: Up to so many reduced classes have a slider each; more share one.
MOST_SLIDERS = 4
REPEATS = 30


class Setup(NamedTuple):
    """Everything that a study depends on; hashable."""

    digest: str
    choice: cached.SplitChoice
    sizes: tuple[tuple[Any, int], ...]
    methods: tuple[str, ...]
    steps: Steps


def ask(experiment: Experiment) -> Setup:
    """Ask what is reduced, and for the models; end the page where nothing can be."""
    data, choice, split = experiment
    kept = _sizes(data, split)
    methods, steps = _models(data, split)
    labels = data.classes.tolist()
    counts = _counts(data, split)
    sizes = tuple((labels[k], n) for k, n in sorted(kept.items()) if n < counts[k])
    if not sizes or not methods:
        st.info("Reduce at least one class." if methods else "Choose at least one model.")
        st.stop()
    return Setup(data.digest, choice, sizes, methods, steps)


def repeats() -> int:
    """Return over how many random choices of the rows the study goes."""
    return int(st.session_state.get(f"{KEY}.repeats", REPEATS))


def _counts(data: Dataset, split: Split) -> np.ndarray:
    import numpy as np

    return np.bincount(data.codes[split.train], minlength=data.n_classes)


def _sizes(data: Dataset, split: Split) -> dict[int, int]:
    counts = _counts(data, split)
    possible = [k for k in range(data.n_classes) if counts[k] > 1]
    if not possible:
        st.info("No class has more than one training row: nothing can be left out.")
        st.stop()
    kept = {k: min(n, int(counts[k])) for k, n in _stored().items() if k in possible}
    if KEPT not in st.session_state:
        kept = _third(counts, possible[-1])
    st.session_state[KEPT] = kept
    st.session_state[f"{KEY}.classes"] = list(kept)
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{KEY}.sizes"):
        st.multiselect(
            "Reduce",
            possible,
            key=f"{KEY}.classes",
            format_func=lambda k: text.escape(data.classes[k]),
            on_change=_choose_classes,
            args=(counts,),
            help="Classes of which training rows are left out. Test rows are never touched.",
            width=280,
        )
        _sliders(data, counts, kept)
        st.button(
            "One class to a third",
            key=f"{KEY}.third",
            on_click=_store,
            args=(_third(counts, possible[-1]),),
            help="The last class, as in the text on faces: 900 → 300.",
        )
        with st.popover("Sizes as a table", key=f"{KEY}.popover"):
            _table(data, counts, kept)
    return kept


def _sliders(data: Dataset, counts: np.ndarray, kept: dict[int, int]) -> None:
    if len(kept) > MOST_SLIDERS:
        st.slider(
            "Training rows kept of each reduced class",
            1,
            99,
            33,
            format="%d %%",
            key=f"{KEY}.share",
            persist_state="session",
            on_change=_choose_share,
            args=(counts,),
            help="The table sets each class by itself.",
            width=320,
        )
        return
    for k in kept:
        key = f"{KEY}.size.{k}"
        st.session_state[key] = kept[k]
        st.slider(
            f"{text.escape(data.classes[k])}: training {text.row_noun(data)} kept",
            1,
            int(counts[k]),
            key=key,
            on_change=_choose_size,
            args=(k,),
            help=f"Of {counts[k]:,}.",
            width=320,
        )


def _table(data: Dataset, counts: np.ndarray, kept: dict[int, int]) -> None:
    import pandas as pd

    version = st.session_state.get(VERSION, 0)
    frame = pd.DataFrame(
        {
            "class": [str(label) for label in data.classes],
            "all": counts,
            "kept": [kept.get(k, int(counts[k])) for k in range(data.n_classes)],
        }
    )
    tables.edit(
        frame,
        key=f"{KEY}.table.{version}",
        hide_index=True,
        disabled=["class", "all"],
        column_config={
            "all": st.column_config.NumberColumn("all training rows", format="localized"),
            "kept": st.column_config.NumberColumn("kept", min_value=1, step=1, format="%d"),
        },
        on_change=_edit,
        args=(f"{KEY}.table.{version}", counts),
        alt="Training rows of each class, and how many are kept.",
    )


def _models(data: Dataset, split: Split) -> tuple[tuple[str, ...], Steps]:
    from lincore.experiments.methods import LABELS

    words = choosing.suitable(data)
    usual = ["multinomial-nb", "logistic"] if data.n_words else ["lda", "qda", "logistic"]
    key = f"{KEY}.methods"
    if not set(st.session_state.get(key, [])) <= set(words):
        del st.session_state[key]
    with st.expander("Models, options and steps", key=f"{KEY}.models"):
        chosen = st.multiselect(
            "Models",
            words,
            default=usual,
            key=key,
            persist_state="session",
            format_func=LABELS.__getitem__,
            help="All learn from the same rows and are judged on the same test rows.",
        )
        steps = choosing.steps(data, split, key=KEY)
        lines = []
        for word in chosen:
            st.markdown(f"**{LABELS[word]}**")
            lines.append(choosing.line(word, choosing.options(word, data, key=f"{KEY}.{word}")))
        controls.number(
            "Random choices of the rows",
            2,
            200,
            REPEATS,
            key=f"{KEY}.repeats",
            help="How often rows are drawn anew; more of them make the intervals narrower.",
            width=240,
        )
    return tuple(lines), steps


def _third(counts: np.ndarray, code: int) -> dict[int, int]:
    return {code: max(1, round(int(counts[code]) / 3))}


def _stored() -> dict[int, int]:
    return dict(st.session_state.get(KEPT, {}))


def _store(kept: dict[int, int]) -> None:
    st.session_state[KEPT] = kept
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


def _choose_classes(counts: np.ndarray) -> None:
    kept = _stored()
    chosen = sorted(st.session_state[f"{KEY}.classes"])
    _store({k: kept.get(k, _third(counts, k)[k]) for k in chosen})


def _choose_size(code: int) -> None:
    _store(_stored() | {code: int(st.session_state[f"{KEY}.size.{code}"])})


def _choose_share(counts: np.ndarray) -> None:
    share = st.session_state[f"{KEY}.share"] / 100
    _store({k: max(1, round(share * int(counts[k]))) for k in _stored()})


def _edit(key: str, counts: np.ndarray) -> None:
    kept = _stored()
    for row, change in st.session_state[key]["edited_rows"].items():
        wanted = change.get("kept")
        n = int(counts[row]) if wanted is None else min(int(wanted), int(counts[row]))
        kept[row] = n
    _store({k: n for k, n in sorted(kept.items()) if n < counts[k]})
