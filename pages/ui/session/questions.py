"""Questions of the pages: read from the settings of the session, and written to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from lincore import analysis, fields, model_selection
from pages.ui.widgets import displays, experiment_record

if TYPE_CHECKING:
    from lincore.analysis import Question
    from lincore.data import Dataset

#: Where the session keeps the settings of each question; both of Balance share them.
EXPLORE, GEOMETRY, CLASSIFY, PREDICT = "explore", "geometry", "classify", "predict"
BALANCE, COMPARE = "balance", "compare"
KEYS: Mapping[str, str] = {
    "classify": CLASSIFY,
    "compare": COMPARE,
    "balance-cost": BALANCE,
    "balance-study": BALANCE,
    "predict": PREDICT,
    "explore": EXPLORE,
    "geometry": GEOMETRY,
}
# The question of each `analysis.BalanceMode`.
_KINDS: Mapping[Any, str] = {"cost": "balance-cost", "cut": "balance-study"}


def asked(record: Any, data: Dataset, counts: Sequence[int]) -> dict[str, Any]:
    """Return the current options of a question; `counts` are the training rows by class."""
    options = displays.read(record, KEYS[record.kind], data=data, counts=counts)
    if record is analysis.PredictQuestion:  # with the classifier of Classify
        options |= asked(analysis.ClassifyQuestion, data, counts)
    return options


def ask_classifier(data: Dataset) -> str:
    """Ask for the classifier of Classify and Predict."""
    displays.ask(analysis.ClassifyQuestion, CLASSIFY, data=data)
    return displays.read(analysis.ClassifyQuestion, CLASSIFY, data=data)["classifier"]


def read(page: str, data: Dataset, counts: Sequence[int]) -> Question:
    """Return the question of a page; `counts` as in `asked`."""
    kind = _KINDS[balance_mode(counts)] if page == BALANCE else page
    if kind not in KEYS:
        return analysis.DataQuestion()
    record = next(record for record in get_args(analysis.Question) if record.kind == kind)
    options, held = asked(record, data, counts), displays.settings(KEYS[kind])
    for option in fields.options(record):
        if option.default is None and option.field.auto and option.name not in held:
            options[option.name] = None  # the question resolves it
    if "second" in record.__dataclass_fields__:
        options["second"] = experiment_record.second_entries(options["methods"])
    return record(**options).resolved(data, counts)


def others(
    page: str, data: Dataset, counts: Sequence[int], chosen: Mapping[str, Any]
) -> tuple[Question, ...]:
    """Return the questions of the other pages that have settings; `chosen` are those of all."""
    second = f"{experiment_record.SECOND}."
    known = {key for key, settings in chosen.items() if settings and key != page}
    if page != COMPARE and any(key.startswith(second) for key in chosen):
        known.add(COMPARE)
    pages = dict.fromkeys(kind.partition("-")[0] for kind in KEYS)
    return tuple(read(name, data, counts) for name in pages if name in known)


def write(question: Question, data: Dataset, counts: Sequence[int]) -> None:
    """Set the widgets of a page to a question, as far as they offer its values."""
    key, known = KEYS.get(question.kind), {"data": data, "counts": counts}
    if key is None:
        return
    question = question.asked(data)
    if key != CLASSIFY and hasattr(question, "classifier"):
        write(analysis.ClassifyQuestion(question.classifier), data, counts)
        known["classifier"] = question.classifier
    if hasattr(question, "second"):
        for word in model_selection.CLASSIFIER_OPTIONS:
            experiment_record.set_second_entry(word, question.second.get(word))
    for mode, kind in _KINDS.items():
        if kind == question.kind:
            displays.choose(analysis.BalanceMode(mode), BALANCE, **known)
    displays.choose(question, key, **known)


def balance_mode(counts: Sequence[int]) -> str:
    """Return the selected question of Balance; by default the one suggested by the class counts."""
    return str(displays.read(analysis.BalanceMode, BALANCE, counts=counts)["mode"])


def experiment() -> analysis.GeometryQuestion:
    """Return the question of the page Geometry."""
    return analysis.GeometryQuestion(**displays.read(analysis.GeometryQuestion, GEOMETRY))


def preset_choice(preset_key: tuple[str, str], name: str) -> Any:
    """Return a choice made for a preset of an experiment, such as its points; None without one."""
    return displays.settings(GEOMETRY).get(".".join((name, *preset_key)))


def choose_for_preset(preset_key: tuple[str, str], **values: Any) -> None:
    """Choose guess, revealed, points or letter of a preset; None forgets a value."""
    chosen = {".".join((name, *preset_key)): value for name, value in values.items()}
    displays.set_settings(GEOMETRY, **chosen)
