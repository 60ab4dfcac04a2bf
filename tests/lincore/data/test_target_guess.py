"""The guess at the target: what a person would guess, and said to be a guess."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincore.data.target_guess import guess_target
from lincore.io.load import load


def columns_of(**given):
    """Return a frame of 400 rows: how many different numbers, or texts, each column has."""
    rng = np.random.default_rng(5)
    made = {}
    for name, (kind, n) in given.items():
        codes = np.append(np.arange(n), rng.integers(0, n, 400 - n))
        made[name] = codes if kind == "number" else [f"{name} {code}" for code in codes]
    return pd.DataFrame(made | {"measured": rng.normal(size=400)})[[*given]]


@pytest.mark.parametrize(
    ("proposed", "given"),
    [
        # A count of many values at the end is no class where something else looks like one.
        ("left", {"age": ("number", 43), "left": ("text", 2), "years": ("number", 30)}),
        ("grade", {"school": ("text", 2), "failures": ("number", 4), "grade": ("number", 18)}),
        ("count", {"count": ("number", 30)}),
        # A flag in front, the only one, before a count at the end.
        ("late", {"late": ("number", 2), "age": ("number", 60), "dependents": ("number", 6)}),
        ("quality", {"sex": ("number", 2), "age": ("number", 60), "quality": ("number", 6)}),
        ("kind", {"hair": ("number", 2), "milk": ("number", 2), "kind": ("number", 7)}),
        # Words that name what is to be told, also in longer names.
        ("Attrition", {"Attrition": ("text", 2), "Sex": ("text", 2), "Grade": ("text", 3)}),
        ("isFraud", {"kind": ("text", 5), "isFraud": ("number", 2), "isFlagged": ("number", 2)}),
        ("track_genre", {"track_genre": ("text", 49), "explicit": ("text", 2)}),
        # Many classes, each of several rows, where nothing else is in question.
        ("plant", {"id": ("number", 400), "plant": ("text", 70)}),
    ],
)
def test_a_target_is_proposed_as_a_person_would(proposed, given):
    assert guess_target(columns_of(**given)).column == proposed


def test_no_target_where_every_text_is_another_one():
    assert guess_target(columns_of(name=("text", 300), age=("number", 60))) is None


def test_the_next_best_columns_come_after_the_guess_in_their_order():
    given = {"Survived": ("number", 2), "Sex": ("text", 2), "Pclass": ("number", 3)}
    guess = guess_target(columns_of(age=("number", 60), **given))
    assert (guess.column, guess.by_name) == ("Survived", True)
    assert guess.runners_up == ("Pclass", "Sex")


def test_of_the_next_best_those_of_few_classes_come_first():
    columns = columns_of(rat=("text", 40), sex=("text", 2), status=("number", 2))
    assert guess_target(columns).runners_up == ("sex", "rat")


def test_what_was_guessed_is_said_and_what_was_chosen_is_not():
    raw = b"u,port,sex\n" + b"1.5,x,m\n2.5,y,f\n3.5,x,f\n" * 9
    guessed, chosen = load(raw), load(raw, target="sex")
    assert guessed.target_name == chosen.target_name == "sex"
    assert guessed.target_guess.runners_up == ("port",)
    said = str(guessed.notices[-1])
    assert said.startswith("column 'sex': Guessed to be the target, by its place")
    assert chosen.target_guess is None
    assert load(raw, roles={"sex": "target"}).target_guess is None
    assert "Guessed" not in " ".join(map(str, chosen.notices))


def test_thousands_of_columns_are_not_all_looked_at_where_a_name_decides():
    frame = pd.DataFrame(np.zeros((4, 5_000)), columns=[f"g{j}" for j in range(5_000)])
    guess = guess_target(frame.assign(kind=list("abab"), label=list("aabb")))
    assert guess.column == "label"
