"""Score functions as JSON for other programs."""

from __future__ import annotations

import json
from typing import Any

from lincore.export.models.literals import abstention, number
from lincore.export.models.score_functions import Input, ScoreFunction, ScoreFunctions

SCHEMA, VERSION = "lincore.score_functions", 1

_HOW = {
    "softmax": "Probability of class k: exp(s_k) / sum over j of exp(s_j) with the functions s.",
    "scores": "The class with the largest function (the first of ties) is predicted, without "
    "probabilities.",
    "votes": "Function m above zero is a vote for the second class of pair m, else for the first. "
    "Score of a class: its votes + c / 3 / (abs(c) + 1), where c is the sum of the functions "
    "in favour of it minus those against it. The class with the largest score is predicted.",
}
_INPUTS = (
    "An input of kind number is the column's value, or fill if it is missing. Of kind missing "
    "it is 1 if the value is missing, else 0. Of kind levels it is 1 if the text of the "
    "value is among levels (is_complement: is not among them), else 0; if the value is "
    "missing it is counts_missing. The text of an integer has no decimals. Dates are days since "
    "1970-01-01."
)
_FUNCTION = (
    "With d = inputs - origin: constant + sum(linear * d) + sum over squares of "
    "weight * (sum(direction * d) - shift)^2."
)


def to_json(functions: ScoreFunctions) -> str:
    """Return score functions as a self-explanatory JSON document.

    Parameters
    ----------
    functions : ScoreFunctions

    Returns
    -------
    str
        An object with "schema" and "version" (1; it changes with the meaning of a field),
        "reading" (the formulas in words), "model", "data", "target", "columns", "classes",
        "link", "inputs", "origin", "functions" and "pairs"; "operating_point" if the model has one,
        "abstains_below" if it abstains. Only ASCII characters.

    Raises
    ------
    DataError
        If a coefficient is not finite.

    Examples
    --------
    >>> import lincore
    >>> model = lincore.compare(lincore.sample("iris"), "lda", keep_models=True).model("lda")
    >>> document = json.loads(to_json(lincore.export.score_functions(model)))
    >>> document["schema"], document["version"], document["classes"][0], document["link"]
    ('lincore.score_functions', 1, 'setosa', 'softmax')
    """
    document = {
        "schema": SCHEMA,
        "version": VERSION,
        "reading": {
            "inputs": _INPUTS,
            "functions": _FUNCTION,
            "link": f"{_HOW[functions.link]}{_decision(functions)} {abstention(functions)}",
        },
        "model": functions.label,
        "data": {"name": functions.data_name, "digest": functions.digest},
        "target": functions.target_name,
        "columns": list(functions.columns),
        "classes": list(functions.classes),
        "link": functions.link,
        "inputs": [_input(source) for source in functions.inputs],
        "origin": [_finite(value) for value in functions.origin.tolist()],
        "functions": [_function(function) for function in functions.functions],
        "pairs": [list(pair) for pair in functions.pairs],
    }
    if (point := functions.operating_point) is not None:
        label = functions.classes[point.code]
        document["operating_point"] = (
            {"class": label, "threshold": point.threshold}
            if point.costs is None
            else {"costs": [list(row) for row in point.costs]}
        )
    if functions.abstains_below is not None:
        document["abstains_below"] = functions.abstains_below
    return json.dumps(document, ensure_ascii=True, indent=1, allow_nan=False)


def _decision(functions: ScoreFunctions) -> str:
    if functions.operating_point is None:
        return ""
    if functions.operating_point.costs is not None:
        return (
            " The class k with the least sum over j of probability[j] * costs[j][k] is predicted, "
            "with the costs of operating_point."
        )
    return (
        " The class of operating_point is predicted if its probability is at least the threshold, "
        "otherwise the other one."
    )


def _finite(value: float) -> float:
    return float(number(value))


def _input(source: Input) -> dict[str, Any]:
    document: dict[str, Any] = {"column": source.column, "kind": source.kind}
    if source.kind == "number":
        document["fill"] = source.fill
    elif source.kind == "levels":
        document["levels"] = list(source.levels)
        document["is_complement"] = source.is_complement
        document["counts_missing"] = source.counts_missing
    return document


def _function(function: ScoreFunction) -> dict[str, Any]:
    squares = zip(
        function.weight.tolist(), function.shift.tolist(), function.directions.tolist(), strict=True
    )
    return {
        "constant": _finite(function.constant),
        "linear": [_finite(value) for value in function.linear.tolist()],
        "squares": [
            {
                "weight": _finite(weight),
                "shift": _finite(shift),
                "direction": [_finite(value) for value in direction],
            }
            for weight, shift, direction in squares
        ],
    }
