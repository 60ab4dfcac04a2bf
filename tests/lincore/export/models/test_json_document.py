"""The JSON document, read by the formulas that it states, against the pipeline."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from lincore import DataError
from lincore.export import ScoreFunction, to_json
from tests.lincore.export.models.cases import FEW, Case, check


def is_missing(value):
    return value is None or value != value


def text_of(value):
    text = str(int(value) if isinstance(value, float) and value.is_integer() else value)
    return text if len(text) <= 200 else f"{text[:199]}…"


def value_of(one, row):
    """Return an input, as "reading" says it."""
    value = row[one["column"]]
    if one["kind"] == "missing":
        return float(is_missing(value))
    if one["kind"] == "number":
        return one["fill"] if is_missing(value) else value
    if is_missing(value):
        return float(one["counts_missing"])
    return float((text_of(value) in one["levels"]) != one["is_complement"])


def scores_of(document, row):
    inputs = [value_of(one, row) for one in document["inputs"]]
    d = [value - origin for value, origin in zip(inputs, document["origin"], strict=True)]
    found = []
    for function in document["functions"]:
        total = function["constant"] + np.dot(function["linear"], d)
        for square in function["squares"]:
            total += square["weight"] * (np.dot(square["direction"], d) - square["shift"]) ** 2
        found.append(total)
    if document["link"] == "softmax":
        exps = [math.exp(value - max(found)) for value in found]
        return [value / sum(exps) for value in exps]
    if document["link"] == "scores":
        return found
    votes, sums = np.zeros(len(document["classes"])), np.zeros(len(document["classes"]))
    for margin, (first, second) in zip(found, document["pairs"], strict=True):
        votes[second if margin > 0 else first] += 1
        sums[second] += margin
        sums[first] -= margin
    return list(votes + sums / 3 / (np.abs(sums) + 1))


@pytest.mark.parametrize("case", FEW, ids=str)
def test_the_document_is_read_as_it_says(case):
    document = json.loads(to_json(case.functions))
    assert (document["schema"], document["version"]) == ("lincore.score_functions", 1)
    values = [scores_of(document, row) for row in case.rows.to_dict("records")]
    check(case, values, [document["classes"][int(np.argmax(row))] for row in values])


def test_the_document_names_its_data():
    document = json.loads(to_json(Case("passengers", "lda").functions))
    assert document["data"]["name"] == "passengers" and len(document["data"]["digest"]) == 32
    assert document["target"] == "survived" and document["columns"][0] == "cabin class"


def test_coefficients_that_are_not_finite_are_refused():
    functions = Case("iris", "lda").functions
    broken = [ScoreFunction.affine(math.inf, one.linear) for one in functions.functions]
    with pytest.raises(DataError, match="inf"):
        to_json(replace(functions, functions=tuple(broken)))
