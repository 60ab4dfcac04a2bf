"""Questions of the pages, read from the widgets of the session and written into them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import analysis, imbalance, laboratory, metrics, model_selection
from pages.ui.widgets import displays, experiment_record, model_options

if TYPE_CHECKING:
    from lincore.analysis import Question
    from lincore.data import Dataset

STUDIED, STUDIED_ON_WORDS = ("lda", "qda", "logistic"), ("multinomial-nb", "logistic")
#: The settings of the question of Compare.
COMPARE = "question.compare"
#: Random splits of both studies of Balance, at first.
COST_REPEATS, STUDY_REPEATS = 20, 30
COST, CUT = "cost", "cut"
#: The file of new rows and the saved model of the page Predict, as a specification knows them,
#: whether they were given or are awaited; the row that was typed in, and how often one came with a
#: specification; where the rows come from.
NEW_FILE, MODEL = "predict.new", "predict.model"
TYPED, TYPED_TURN = "predict.typed", "predict.typed.turn"
FILL, SOURCE = "predict.fill_missing", "predict.source"
TEST, UPLOAD, BY_HAND = "test", "file", "hand"
#: Of the page Geometry, by experiment and preset: what was predicted, which answers are shown, the
#: points that were moved, and letters typed.
GUESSES, SHOWN = "geometry.guesses", "geometry.shown"
POINTS, LETTERS = "geometry.points", "geometry.letters"


def read(page: str, data: Dataset, counts: Sequence[int]) -> Question:
    """Return the question of a page."""
    if page == "explore":
        return analysis.ExploreQuestion()
    if page == "geometry":
        return experiment()
    if page == "classify":
        return _classify(data)
    if page == "compare":
        return _compare(data)
    if page == "predict":
        return _predict(data)
    if page == "balance":
        return _cost(data) if balance_mode(counts) == COST else _study(data, counts)
    return analysis.DataQuestion()


def others(page: str, data: Dataset, counts: Sequence[int]) -> tuple[Question, ...]:
    """Return the questions of the other pages that were visited."""
    begun = {
        "classify": "classify.word",
        "compare": "settings.question.compare",
        "balance": "balance.methods",
    }
    begun |= {"predict": "predict.priors", "geometry": "geometry.experiment"}
    return tuple(
        read(other, data, counts)
        for other, key in begun.items()
        if other != page and key in st.session_state
    )


def write(question: Question, data: Dataset, counts: Sequence[int]) -> None:
    """Let the widgets of a page ask a question, as far as they offer it; `counts` as in `read`."""
    writers: dict[str, Any] = {
        "geometry": _write_experiment,
        "classify": _write_classify,
        "compare": _write_compare,
        "balance-cost": _write_cost,
        "predict": _write_predict,
    }
    if question.kind in writers:
        writers[question.kind](question, data)
    elif question.kind == "balance-study":
        _write_study(question, data, counts)


def balance_mode(counts: Sequence[int]) -> str:
    """Return the question of the page Balance; at first the one that the training rows suggest."""
    chosen = st.session_state.get("balance.mode")
    if chosen in (COST, CUT):
        return str(chosen)
    return COST if metrics.is_imbalanced(counts) else CUT


def studied(data: Dataset) -> list[str]:
    """Return the classifiers of the page Balance, in the order of their choice."""
    usual = STUDIED_ON_WORDS if data.kind.is_sparse else STUDIED
    wanted = st.session_state.get("balance.methods", usual)
    known = list(model_selection.suitable_methods(data))
    return list(wanted if set(wanted) <= set(known) else usual)


def third_of(count: int) -> int:
    """Return a third of some rows, one at least."""
    return max(1, round(int(count) / 3))


def kept_rows(counts: Sequence[int]) -> dict[int, int]:
    """Return the training rows kept by code of a reduced class; a third of one class at first."""
    kept = st.session_state.get("balance.kept")
    if kept is not None:
        return dict(kept)
    possible = [k for k, n in enumerate(counts) if n > 1]
    return {possible[-1]: third_of(counts[possible[-1]])} if possible else {}


def experiment() -> analysis.GeometryQuestion:
    """Return the experiment and preset of the page Geometry, and what was predicted of it."""
    chosen = st.session_state.get("geometry.experiment")
    word = chosen if chosen in laboratory.EXPERIMENTS else next(iter(laboratory.EXPERIMENTS))
    presets = laboratory.EXPERIMENTS[word].presets
    chosen = st.session_state.get("geometry.preset")
    preset = chosen if chosen in presets else next(iter(presets))
    place = (word, preset)
    guess, points, letter = (
        st.session_state.get(key, {}).get(place) for key in (GUESSES, POINTS, LETTERS)
    )
    return analysis.GeometryQuestion(
        word, preset, guess, place in st.session_state.get(SHOWN, {}), points or (), letter or ""
    )


def keep(key: str, place: tuple[str, str], value: Any) -> None:
    """Keep what belongs to a preset of an experiment; None forgets it."""
    others = {k: v for k, v in st.session_state.get(key, {}).items() if k != place}
    st.session_state[key] = others if value is None else {**others, place: value}


def _write_experiment(question: Any, data: Dataset) -> None:
    place = (question.experiment, question.preset)
    st.session_state["geometry.experiment"], st.session_state["geometry.preset"] = place
    preset = laboratory.EXPERIMENTS[place[0]].presets.get(place[1])
    has_board, has_letter = preset and preset.board, preset and preset.letter
    keep(GUESSES, place, question.guess)
    keep(SHOWN, place, True if question.revealed else None)
    keep(POINTS, place, question.points if has_board and question.points else None)
    keep(LETTERS, place, question.letter if has_letter and question.letter else None)


def _classify(data: Dataset) -> Question:
    word, words = (
        st.session_state.get("classify.word"),
        list(model_selection.suitable_methods(data)),
    )
    return analysis.ClassifyQuestion(word if word in words else "lda")


def _write_classify(question: Any, data: Dataset) -> None:
    st.session_state["classify.word"] = question.classifier


def _predict(data: Dataset) -> Question:
    held = st.session_state
    kind, code = held.get("predict.priors"), held.get("predict.priors.class")
    share = held.get(f"predict.priors.share.{code}")
    priors: Any = kind if kind in ("equal", "estimate") else None
    if kind == "set" and share is not None:
        priors = analysis.ClassShare(code, share / 100)
    rows: Any = None
    if predicted_rows() == BY_HAND:
        rows = analysis.TypedRow(held.get(TYPED, {}))
    elif predicted_rows() == UPLOAD:
        rows = replace(held.get(NEW_FILE, analysis.NewFile()), fill_missing=held.get(FILL, False))
    return analysis.PredictQuestion(
        _classify(data).classifier, priors, held.get("predict.level", 0.01), rows, held.get(MODEL)
    )


def predicted_rows() -> str:
    """Return where the rows to be predicted come from: at first the test set, if there is one."""
    found = st.session_state.get(SOURCE)
    own = MODEL in st.session_state or (found is None and NEW_FILE in st.session_state)
    return BY_HAND if found == BY_HAND else UPLOAD if own or found == UPLOAD else TEST


def _write_predict(question: Any, data: Dataset) -> None:
    _write_classify(question, data)
    held, priors, rows = st.session_state, question.priors, question.rows
    held["predict.level"] = question.level
    held["predict.priors"] = "training" if priors is None else priors
    if isinstance(priors, analysis.ClassShare):
        held["predict.priors"], held["predict.priors.class"] = "set", priors.code
        share = min(max(round(100 * priors.share), 1), 99)
        held[f"predict.priors.share.{priors.code}"] = share
    held[SOURCE] = TEST
    if isinstance(rows, analysis.TypedRow):
        held[SOURCE], held[TYPED] = BY_HAND, dict(rows.values)
        held[TYPED_TURN] = held.get(TYPED_TURN, 0) + 1
    elif rows is not None:
        held[SOURCE], held[FILL] = UPLOAD, rows.fill_missing
        if rows.name:
            held[NEW_FILE] = replace(rows, fill_missing=False)
    held.pop(MODEL, None)
    if question.model is not None:
        held[MODEL] = question.model


def _compare(data: Dataset) -> Question:
    asked = displays.read(analysis.CompareQuestion, COMPARE, data=data)
    second = {
        word: experiment_record.chosen_options(word, key="compare.second")
        for word in asked["methods"]
        if st.session_state.get(f"compare.{word}.twice")
    }
    judged = displays.settings("compare")
    return analysis.CompareQuestion(
        **asked, second=second, score=judged.get("score"), rope=judged.get("rope")
    )


def _write_compare(question: Any, data: Dataset) -> None:
    scheme = "5-fold by group" if question.scheme == "by-group" else question.scheme
    asked = {"methods": question.methods, "both_features": question.both_features}
    displays.set_settings(COMPARE, scheme=scheme, **asked)
    for word in model_selection.CLASSIFIER_OPTIONS:
        if word in question.second or f"compare.{word}.twice" in st.session_state:
            st.session_state[f"compare.{word}.twice"] = word in question.second
    for word, chosen in question.second.items():
        experiment_record.set_options(word, chosen, key="compare.second")
    score = question.score if question.score in metrics.SCORES else None
    displays.set_settings("compare", score=score, rope=question.rope)


def _shown(data: Dataset) -> str | None:
    """Return the word of the model that Balance is about."""
    line = st.session_state.get("balance.method")
    words = studied(data)
    known = {
        model_options.line(word, experiment_record.chosen_options(word)): word for word in words
    }
    return known.get(line) if isinstance(line, str) else None


def _write_balance(question: Any) -> None:
    st.session_state["balance.methods"] = list(question.methods)
    if question.method is not None:
        chosen = experiment_record.chosen_options(question.method)
        st.session_state["balance.method"] = model_options.line(question.method, chosen)


def _cost(data: Dataset) -> Question:
    loss = st.session_state.get("balance.cost.loss")
    return analysis.BalanceCostQuestion(
        tuple(studied(data)),
        *deployment(data),
        int(st.session_state.get("balance.cost.repeats", COST_REPEATS)),
        loss,
        _shown(data),
    )


def deployment(data: Dataset) -> tuple[Any, float]:
    """Return the prevalence in deployment, and the cost of an error on the rarest class.

    Unless another share of that class was given, the prevalence is the file's. There, costs as
    unequal as the classes are the same as equal classes and equal costs.
    """
    k = data.n_classes
    share = st.session_state.get(f"balance.cost.share.{k}")
    class_ratio = imbalance.CostRatios.of(data).class_ratio
    cost = float(st.session_state.get("balance.cost.weight", class_ratio))
    if share is None:
        return ("equal", 1.0) if math.isclose(cost, class_ratio, rel_tol=1e-4) else ("file", cost)
    if share == round(100 / k):
        return "equal", cost
    rare = analysis.rarest_class(data)
    others = (1 - share / 100) / (k - 1)
    return tuple(share / 100 if i == rare else others for i in range(k)), cost


def _write_cost(question: Any, data: Dataset) -> None:
    _write_balance(question)
    k, rare, cost = data.n_classes, analysis.rarest_class(data), float(question.cost)
    shares, share = question.prevalence, None
    if shares == "equal" and cost == 1:
        cost = imbalance.CostRatios.of(data).class_ratio
    elif shares == "equal":
        share = 1 / k
    elif not isinstance(shares, str) and len(shares) == k:
        share = shares[rare]
    if share is not None:
        share = int(min(max(round(100 * share), 1), 99))
    st.session_state["balance.mode"] = COST
    st.session_state[f"balance.cost.share.{k}"] = share
    st.session_state["balance.cost.weight"] = cost
    st.session_state["balance.cost.repeats"] = question.repeats
    if question.loss is not None:
        st.session_state["balance.cost.loss"] = question.loss


def _study(data: Dataset, counts: Sequence[int]) -> Question:
    labels = data.classes.tolist()
    kept = {k: n for k, n in sorted(kept_rows(counts).items()) if k < len(labels)}
    return analysis.BalanceStudyQuestion(
        {labels[k]: min(n, int(counts[k])) for k, n in kept.items() if n < counts[k]},
        tuple(studied(data)),
        int(st.session_state.get("balance.repeats", STUDY_REPEATS)),
        st.session_state.get("balance.loss"),
        _shown(data),
    )


def _write_study(question: Any, data: Dataset, counts: Sequence[int]) -> None:
    _write_balance(question)
    code = {label: k for k, label in enumerate(data.classes.tolist())}
    kept = {
        code[label]: max(1, round(n if n >= 1 else n * int(counts[code[label]])))
        for label, n in question.sizes.items()
        if label in code
    }
    st.session_state["balance.mode"] = CUT
    st.session_state["balance.kept"] = kept or None  # where nothing is reduced, what is usual is
    st.session_state.pop("balance.base", None)
    st.session_state["balance.repeats"] = question.repeats
    if question.loss is not None:
        st.session_state["balance.loss"] = question.loss
