"""Ten thousand hostile specifications and links: each is one, or a `DataError`."""

from __future__ import annotations

import json
import random
import string
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lincore import DataError, io
from lincore.analysis import (
    Analysis,
    BalanceCostQuestion,
    BalanceStudyQuestion,
    ClassShare,
    CompareQuestion,
    FileData,
    GeneratedData,
    NewFile,
    PredictQuestion,
    SampleData,
    SavedModel,
    SplitChoice,
    TypedRow,
)
from lincore.model_selection import Steps

STEPS = Steps(True, "polynomial(degree=2)", 0.95, True)
TABLE = io.TableOptions(
    where=(io.Condition("age", "between", (18, None)), io.Condition("sex", "is one of", ("f",))),
    rename={"a": "b"},
    roles={"a": "ignore"},
    bins=io.Bins(4, "width"),
    drop_classes=("x", 3),
    merge_classes={1: "one", "y": "one"},
)
READING = io.ReadOptions(None, ";", ",", "", '"', 3, "#", ("?", "NA"), {"BMI": (0, "x")})
OPTIONS = {"logistic": {"C": float("inf"), "max_iter": 7}, "qda": {"priors": "equal"}}
MEANS = ((0.0, 0.5), (2.0, 1.0))
SPECIFICATIONS = (
    Analysis(SampleData("passengers", "class", READING, TABLE), steps=STEPS, options=OPTIONS),
    Analysis(FileData("a.zip", "0f" * 32, None, images=io.ImageOptions((32, 24), True, "crop"))),
    Analysis(
        GeneratedData(MEANS, (MEANS, MEANS), (30, 20), (0.5, 0.5), 0.1, 0.1, 9),
        SplitChoice("last", 0.4, 3),
        question=CompareQuestion(("lda", "qda"), {"lda": {"shrinkage": 0.1}}, "10x10-fold"),
        view={"compare.panels": "Time", "compare.axes.x": 3, "compare.list": ("a", 2, True)},
    ),
    Analysis(question=BalanceCostQuestion(("lda",), (0.2, 0.8), 5, 20, "error", "lda")),
    Analysis(question=BalanceStudyQuestion({"a": 3, 7: 0.5}, ("lda",), 20)),
    Analysis(question=PredictQuestion("lda", ClassShare(1, 0.5), 0.05)),
    Analysis(question=PredictQuestion(rows=NewFile("a.csv", "0f" * 32, READING, True))),
    Analysis(
        question=PredictQuestion(
            rows=TypedRow({"age": 3.5, "sex": None, "port": "Cork"}), model=SavedModel("a.zip")
        )
    ),
)
ATOMS: tuple[Callable[[random.Random], Any], ...] = (
    lambda rng: None,
    lambda rng: rng.random() < 0.5,
    lambda rng: rng.randint(-(10 ** rng.randint(0, 400)), 10 ** rng.randint(0, 400)),
    lambda rng: rng.uniform(-1, 1) * 10.0 ** rng.randint(-320, 308),
    lambda rng: rng.choice([float("nan"), float("inf"), float("-inf"), -0.0, 1, 0]),
    lambda rng: rng.choice(["inf", "nan", "\ud800", "\0", "a" * 5_000, "", "../..", "<script>"]),
    lambda rng: "".join(rng.choices(string.printable, k=rng.randint(0, 9))),
    lambda rng: [some(rng) for _ in range(rng.randint(0, 3))],
    lambda rng: {str(some(rng))[:9]: some(rng) for _ in range(rng.randint(0, 2))},
    lambda rng: [0] * 6_000,
    lambda rng: rng.choice(["kind", "sample", "lda", "holdout", "drop", "given"]),
)


def some(rng: random.Random) -> Any:
    """Return anything that JSON can hold, and what it cannot."""
    return rng.choice(ATOMS)(rng)


def exchange(found: Any, rng: random.Random) -> None:
    """Put something else at a place somewhere within, or add a field."""
    while True:
        places = list(found) if isinstance(found, dict) else list(range(len(found)))
        if not places or rng.random() < 0.1:
            if isinstance(found, dict):
                found[rng.choice(["kind", "name", "where", "x"])] = some(rng)
            else:
                found.append(some(rng))
            return
        place = rng.choice(places)
        if isinstance(found[place], (dict, list)) and rng.random() < 0.8:
            found = found[place]
        else:
            found[place] = some(rng)
            return


def read(function: Callable[[str], Analysis], text: str) -> None:
    """Read a text, which is a specification that comes back as it is, or refused."""
    try:
        found = function(text)
    except DataError as error:
        assert len(str(error)) < 1_500
    else:
        assert Analysis.from_json(found.to_json()) == found
        hash(found)


@pytest.mark.long
@settings(max_examples=250, deadline=None, database=None)
@given(st.integers(0, 2**32))
def test_forty_at_a_time(seed):
    rng = random.Random(seed)
    for _ in range(10):
        asked = rng.choice(SPECIFICATIONS)
        found = json.loads(asked.to_json())
        for _ in range(rng.randint(1, 3)):
            exchange(found, rng)
        read(Analysis.from_json, json.dumps(found))
        link = list(asked.to_query())
        link[rng.randrange(len(link))] = rng.choice(string.printable)
        read(Analysis.from_query, "".join(link))
        read(Analysis.from_query, "".join(link[: rng.randrange(len(link))]))
        read(Analysis.from_query, "".join(rng.choices(string.ascii_letters + "-_", k=40)))


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_any_text(text):
    read(Analysis.from_json, text)
    read(Analysis.from_query, text)


@pytest.mark.parametrize("inside", [b" " * 10**7, b"[" * 10**6])
def test_a_link_that_unpacks_to_very_much_is_refused(inside):
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    bomb = urlsafe_b64encode(packer.compress(inside) + packer.flush()).decode()
    with pytest.raises(DataError):
        Analysis.from_query(bomb.rstrip("="))
    with pytest.raises(DataError):
        Analysis.from_query("A" * 10**6)
