"""The guess at the target: what a person would guess, and said to be a guess."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincore.io import frame_to_table, load


def columns_of(**given):
    """Return a frame of 400 rows: how many different numbers, or texts, each column has."""
    rng = np.random.default_rng(5)
    made = {}
    for name, (kind, n) in given.items():
        codes = np.append(np.arange(n), rng.integers(0, n, 400 - n))
        texts = [f"{name}{code}" if kind == "numbered" else f"{name} n {code}" for code in codes]
        made[name] = codes if kind == "number" else texts
    return pd.DataFrame(made | {"measured": rng.normal(size=400)})[[*given]]


def guess_target(frame):
    return frame_to_table(frame, "made").guess


@pytest.mark.parametrize(
    ("proposed", "given"),
    [
        # A count of many values at the end is no class where something else looks like one.
        ("left", {"age": ("number", 43), "left": ("text", 2), "years": ("number", 30)}),
        ("grade", {**{f"q{i}": ("text", 2) for i in range(9)}, "grade": ("number", 18)}),
        # The only text column among numbers, unless it looks like names.
        ("period", {"period": ("text", 5), "breadth": ("number", 25), "nose": ("number", 18)}),
        ("nose", {"P": ("numbered", 25), "breadth": ("number", 25), "nose": ("number", 18)}),
        ("nose", {"owner": ("text", 90), "breadth": ("number", 25), "nose": ("number", 18)}),
        ("ill", {"smoker": ("text", 2), "age": ("number", 60), "ill": ("number", 2)}),
        # Last place and two values count for more than a name.
        ("y", {"default": ("text", 2), "loan": ("text", 2), "y": ("text", 2)}),
        ("bought", {"default": ("text", 2), "loan": ("text", 2), "bought": ("text", 2)}),
        ("bought", {"class": ("text", 3), "port": ("text", 4), "bought": ("number", 2)}),
        ("default", {"default": ("number", 2), "phone": ("text", 2), "job": ("text", 4)}),
        # Free text, names of rows and what never varies have no place.
        (
            "kind",
            {
                "hair": ("number", 2),
                "milk": ("number", 2),
                "kind": ("number", 7),
                "who": ("text", 300),
                "version": ("number", 1),
            },
        ),
        ("count", {"same": ("number", 1), "count": ("number", 30)}),
        # A flag in front, the only one, before a count at the end.
        ("late", {"late": ("number", 2), "age": ("number", 60), "dependents": ("number", 6)}),
        ("quality", {"sex": ("number", 2), "age": ("number", 60), "quality": ("number", 6)}),
        ("kind", {"hair": ("number", 2), "milk": ("number", 2), "kind": ("number", 7)}),
        # Words that name what is to be told, also in longer names.
        ("Attrition", {"Attrition": ("text", 2), "Sex": ("text", 2), "Grade": ("text", 3)}),
        ("isFraud", {"kind": ("text", 5), "isFraud": ("number", 2), "isFlagged": ("number", 2)}),
        ("track_genre", {"explicit": ("number", 2), "track_genre": ("text", 70)}),
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
    assert (guess.column, guess.by_name, guess.rival) == ("Survived", False, "")
    assert guess.runners_up == ("Pclass", "Sex")


def test_of_the_next_best_those_of_few_classes_come_first():
    columns = columns_of(rat=("text", 40), sex=("text", 2), status=("number", 2))
    assert guess_target(columns).runners_up == ("sex", "rat")


def test_what_was_guessed_is_said_and_what_was_chosen_is_not():
    raw = b"u,port,state\n" + b"1.5,x,m\n2.5,y,f\n3.5,x,f\n" * 9
    guessed, chosen = load(raw), load(raw, target="state")
    assert guessed.target_name == chosen.target_name == "state"
    assert guessed.target_guess.runners_up == ("port",)
    said = str(guessed.notices[-1])
    assert said.startswith("column 'state': Guessed to be the target, by its position")
    assert chosen.target_guess is None
    assert load(raw, roles={"state": "target"}).target_guess is None
    assert "Guessed" not in " ".join(map(str, chosen.notices))


@pytest.mark.parametrize(
    ("rival", "by_name", "given"),
    [
        # By its name alone.
        ("job", True, {"default": ("number", 2), "phone": ("text", 2), "job": ("text", 4)}),
        # A close rival.
        ("default", False, {"default": ("text", 2), "loan": ("text", 2), "bought": ("text", 2)}),
        ("", False, {"colour": ("text", 3), "age": ("number", 60), "kind": ("text", 2)}),
        ("", False, {"age": ("number", 60), "class": ("text", 3)}),
    ],
)
def test_a_guess_is_in_doubt_where_a_name_decides_or_another_column_is_close(rival, by_name, given):
    guess = guess_target(columns_of(**given))
    assert (guess.rival, guess.by_name) == (rival, by_name)


def test_thousands_of_columns_are_not_all_looked_at_where_a_name_decides():
    frame = pd.DataFrame(np.zeros((4, 4_000)), columns=[f"g{j}" for j in range(4_000)])
    guess = guess_target(frame.assign(kind=list("abab"), label=list("aabb")))
    assert guess.column == "label"
