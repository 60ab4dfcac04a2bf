"""The model card: description, training data, validation and limits of a fitted model."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from lincore.checks.model_assumptions import ASSUMPTIONS, assumption_inputs, assumptions
from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.metrics.results import Results
from lincore.metrics.scores import SCORES, score
from lincore.model_selection.fitted_model import FittedModel
from lincore.model_selection.methods import CLASSIFIER_FACTORIES
from lincore.report.convergence import termination_reason
from lincore.utils.typing import Codes
from lincore.utils.versions import package_versions

SCHEMA, VERSION = "lincore.model_card", 1

_USE = (
    "Predict {target} for rows from the same population as the training rows, with the same "
    "columns in the same units. Not for other populations, other class shares without "
    "corrected priors, or decisions about people without an analysis of the errors."
)
_LOAD = """```python
from lincore.export import load_model

model, card = load_model("this file.zip")
model.predict(table)  # a DataFrame with the columns below, in any order
```"""
_UNKNOWN = "Not recorded: the model was saved without its results."


@dataclass(frozen=True)
class ModelCard:
    """The description stored with a model in its file, as plain JSON.

    Attributes
    ----------
    model, pipeline : str
        Name of the model, and its steps with their options.
    target : str
    classes : tuple of (str or int)
    columns : tuple of mapping
        Name, kind ("number" or "category") and levels of each raw column.
    trained_on : mapping
        Name and digest of the data and, if known, the numbers of rows in total and by class.
    validation : str
        Description of the validation.
    scores : mapping of str to mapping
        "value", "low" and "high" (95 % interval; None if unknown) of each score.
    assumptions : tuple of mapping
        Name, verdict, sentence and remedy of each check.
    warnings : tuple of str
    intended_use : str
    versions : mapping of str to str
        Versions of the packages with which it was fitted.
    """

    model: str
    pipeline: str
    target: str
    classes: tuple[Any, ...]
    columns: tuple[Mapping[str, Any], ...]
    trained_on: Mapping[str, Any]
    validation: str
    scores: Mapping[str, Mapping[str, float | None]]
    assumptions: tuple[Mapping[str, str], ...]
    warnings: tuple[str, ...]
    intended_use: str
    versions: Mapping[str, str]

    def to_json(self) -> str:
        """Return the card as a JSON object with "schema" and "version"."""
        document = {"schema": SCHEMA, "version": VERSION, **asdict(self)}
        return json.dumps(document, ensure_ascii=True, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> ModelCard:
        """Read a card.

        Raises
        ------
        DataError
            If it is not a model card, or has a later version.
        """
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _unreadable("It is not JSON.") from error
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise _unreadable("It is not a lincore model card.")
        if document.get("version") != VERSION:
            raise _unreadable(f"It has version {document.get('version')!r}; {VERSION} is expected.")
        values: dict[str, Any] = {}
        for field in fields(cls):
            kind = _KINDS[str(field.type).partition("[")[0]]
            if not isinstance(document.get(field.name), kind):
                raise _unreadable(f"{field.name!r} is missing or has the wrong type.")
            value = document[field.name]
            values[field.name] = tuple(value) if isinstance(value, list) else value
        return cls(**values)

    def to_markdown(self) -> str:
        """Return the card as Markdown."""
        rows = [f"| {name} | {_score(interval)} |" for name, interval in self.scores.items()]
        checks = [
            f"{check['name']}: {check['verdict']}. {_line(check['sentence'])}"
            for check in self.assumptions
        ]
        data = _line(self.trained_on.get("name") or "data without a name")
        parts = [
            f"# {_line(self.model)}",
            f"Predicts {_line(self.target or 'the class')}: "
            f"{', '.join(_line(label) for label in self.classes)}.",
            f"Trained on {data} ({_rows(self.trained_on)}).",
            "## Load",
            _LOAD,
            "## Intended use",
            _line(self.intended_use),
            "## Scores",
            f"Validation: {_line(self.validation)}",
            "\n".join(["| score | value (95 % interval) |", "|---|---|", *rows]) if rows else "",
            "## Assumptions",
            _list(checks or ["Not checked."]),
            "## Warnings",
            _list([_line(warning) for warning in self.warnings] or ["None."]),
            "## Columns",
            _list([f"{_line(column['name'])} ({column['kind']})" for column in self.columns]),
            "## Made with",
            ", ".join(f"{name} {version}" for name, version in self.versions.items()),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"


_KINDS: Mapping[str, type] = {"str": str, "tuple": list, "Mapping": dict}


def model_card(
    model: FittedModel,
    results: Results | None = None,
    method: str | None = None,
    *,
    data: Dataset | None = None,
    rows: Codes | None = None,
) -> ModelCard:
    """Create the card of a fitted model.

    Parameters
    ----------
    model : FittedModel
    results : Results, optional
        Validation results of the same method; without them the card has no scores.
    method : str, optional
        Its name in the results, if they are of several methods.
    data : Dataset, optional
        Training data; without it assumptions are not checked.
    rows : ndarray of int, optional
        Rows of `data` on which it was fitted. Default: all.

    Returns
    -------
    ModelCard

    Raises
    ------
    KeyError
        If there is no such method.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> results = lincore.compare(iris, "lda", keep_models=True)
    >>> card = model_card(results.model("lda"), results, data=iris)
    >>> card.scores["accuracy"]["low"] < card.scores["accuracy"]["value"]
    True
    >>> card.trained_on["rows"], [check["verdict"] for check in card.assumptions][:1]
    (150, ['fine'])
    """
    name = method or (results.methods[0] if results is not None and len(results) else "")
    use = _USE.format(target=repr(model.target_name) if model.target_name else "the class")
    rule = model.reject_option
    use += " The model does not abstain." if rule is None else f" {rule.sentence()}"
    return ModelCard(
        model=model.label,
        pipeline=" ".join(repr(model.pipeline).split()),
        target=model.target_name,
        classes=tuple(model.classes.tolist()),
        columns=_columns(model),
        trained_on=_trained_on(model, results, data, rows),
        validation=_UNKNOWN if results is None else _validation(results, model),
        scores={} if results is None else _scores(results, name),
        assumptions=() if data is None else _assumptions(model, data, rows),
        warnings=_warnings(model, results, name),
        intended_use=use,
        versions=package_versions(),
    )


def _columns(model: FittedModel) -> tuple[Mapping[str, Any], ...]:
    levels: Sequence[Any] = model.levels or [None] * len(model.feature_names)
    return tuple(
        {"name": name, "kind": "number", "levels": []}
        if known is None
        else {"name": name, "kind": "category", "levels": list(known)}
        for name, known in zip(model.feature_names, levels, strict=True)
    )


def _trained_on(
    model: FittedModel, results: Results | None, data: Dataset | None, rows: Codes | None
) -> Mapping[str, Any]:
    record: dict[str, Any] = {"name": model.data_name, "digest": model.digest}
    counts = None
    if data is not None:
        used = data if rows is None else data.take(rows)
        counts, labels = used.counts.tolist(), used.classes.tolist()
    elif results is not None and results.settings.class_counts is not None:
        counts, labels = results.settings.class_counts.tolist(), results.classes.tolist()
    if counts is not None:
        record["rows"] = int(sum(counts))
        record["classes"] = {str(label): int(n) for label, n in zip(labels, counts, strict=True)}
    return record


def _validation(results: Results, model: FittedModel) -> str:
    settings, point = results.settings, model.operating_point
    scheme = settings.scheme or "a test set"
    decision = "" if point is None else f". {point.sentence(model.classes).removesuffix('.')}"
    decision += "" if model.reject_option is None else ". Scores of all rows, without abstaining"
    return f"{scheme}, {len(results.rows):,} predictions of rows not used for training{decision}"


def _scores(results: Results, method: str) -> Mapping[str, Mapping[str, float | None]]:
    by_score = {}
    for name in SCORES:
        value, low, high = score(results, method, name)
        if math.isfinite(value):
            by_score[name] = {"value": value, "low": _known(low), "high": _known(high)}
    return by_score


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _assumptions(
    model: FittedModel, data: Dataset, rows: Codes | None
) -> tuple[Mapping[str, str], ...]:
    words = [
        word for word, factory in CLASSIFIER_FACTORIES.items() if type(model.classifier) is factory
    ]
    if not words or words[0] not in ASSUMPTIONS:
        return ()
    used = np.arange(data.n_rows) if rows is None else np.asarray(rows, dtype=np.intp)
    checks = assumptions(*assumption_inputs(model.pipeline, data, used), model=words[0])
    return tuple(
        {
            "name": check.name,
            "verdict": check.verdict,
            "sentence": check.sentence,
            "remedy": check.remedy,
        }
        for check in checks
    )


def _warnings(model: FittedModel, results: Results | None, method: str) -> tuple[str, ...]:
    """Return why the fit stopped if it did not converge, and warnings of validation fits."""
    end = termination_reason(model.classifier, model.column_names or ())
    warnings = [] if end.is_fine else [f"{end.sentence} {end.remedy}".strip()]
    if results is not None:
        notes = results.settings.notes.get(method, {})
        warnings += [f"{kind} in {n:,} fits of the validation." for kind, n in notes.items()]
        if results.settings.groups_divided:
            warnings.append("Some groups have rows in both training and test sets.")
    return tuple(warnings)


def _score(interval: Mapping[str, float | None]) -> str:
    if interval["low"] is None or interval["high"] is None:
        return f"{interval['value']:.3f}"
    return f"{interval['value']:.3f} ({interval['low']:.3f}–{interval['high']:.3f})"


def _rows(trained_on: Mapping[str, Any]) -> str:
    rows = f"{trained_on['rows']:,} rows, " if "rows" in trained_on else ""
    return f"{rows}digest {_line(trained_on.get('digest', ''))}"


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _line(text: object) -> str:
    """Return a text on one line with Markdown syntax removed."""
    return "".join(
        f"\\{letter}" if letter in "\\`*_[]<>#|&" else letter
        for letter in " ".join(str(text).split())
    )


def _unreadable(cause: str) -> DataError:
    return DataError(cause, where="model card", remedy="Save the model again with save_model.")
