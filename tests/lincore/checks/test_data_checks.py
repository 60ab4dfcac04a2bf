"""The checks that stand on every page: what is planted is found, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore.checks import data_checks, find_table_problems
from lincore.data import Dataset, Split, TargetGuess
from lincore.io import describe_columns, load, read_table
from tests.data import DATA, needs_data


def made(n=400, p=4, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, n)
    X = rng.standard_normal((n, p)) + codes[:, None]
    return Dataset("made", X, codes, np.array(["a", "b"]), tuple(f"x{j}" for j in range(p)))


def codes_of(data, split=None):
    return [found.code for found in data_checks(data, split or lincore.split(data))]


@pytest.mark.parametrize("name", ["iris", "wine", "breast cancer", "digits", "gaussian"])
def test_no_false_alarm_on_the_samples(name):
    assert codes_of(lincore.sample(name)) == []


def test_each_planted_fault_is_found_and_said_where_to_act():
    data = made()
    assert codes_of(data) == []
    guessed = replace(data, target_guess=TargetGuess("kind", True, ("sex",), "port"))
    (found,) = data_checks(guessed, lincore.split(guessed))
    assert found == (
        "target-guessed",
        "Target 'kind': guessed by its name alone. Or is it 'port'?",
        "data",
    )
    assert codes_of(replace(data, target_guess=TargetGuess("class", False, ("sex",)))) == []
    leaked = replace(data, X=np.column_stack([data.X[:, 1:], data.codes + 3.0]))
    assert codes_of(leaked) == ["leakage", "constant"]
    assert "leakage: 'x3' alone" in data_checks(leaked, lincore.split(leaked))[0].sentence
    groups = np.arange(400) // 4
    together = replace(data, groups=groups, group_names=tuple(map(str, range(100))))
    tested = np.isin(groups, np.arange(30))
    assert codes_of(together, Split(*map(np.flatnonzero, (~tested, tested)))) == []
    assert codes_of(together, lincore.split(data)) == ["groups"]
    for ungrouped in (data, together):  # lines that are repeated are groups beside such a column
        suspected = replace(ungrouped, group_candidate="rat")
        (found,) = data_checks(suspected, lincore.split(suspected))
        assert (found.code, found.where) == ("groups", "data")
        assert "'rat'" in found.sentence


def test_levels_that_give_the_class_away_are_found_and_missing_ones_are_not():
    data = made()
    level = np.where(np.arange(400) < 4, np.nan, data.codes.astype(float))
    known = replace(data, X=np.column_stack([data.X[:, 1:], level]))
    known = replace(known, levels=(None, None, None, ("no", "yes")))
    (found,) = data_checks(known, lincore.split(known))
    assert found.code == "leakage" and "leakage: 'x3' alone" in found.sentence
    gaps = np.where(np.arange(400) < 40, np.nan, data.codes.astype(float))
    assert codes_of(replace(known, X=np.column_stack([data.X[:, 1:], gaps]))) == []


def clusters(n, rng):
    """Return measurements of two classes that lie apart, as those of the R text."""
    codes = np.resize([0, 1], n)
    return rng.standard_normal(n) + 6 * codes, codes


def cut(share, draw):
    """Return numbers, and the classes that a threshold makes of them."""

    def made(n, rng):
        x = getattr(rng, draw)(size=n)
        return x, (x > np.quantile(x, share)).astype(int)

    return made


@pytest.mark.parametrize("n", [100, 2_000])
@pytest.mark.parametrize(
    ("made", "is_leak"),
    [
        (clusters, False),
        (lambda n, rng: (np.sqrt(np.arange(n) + 0.5), np.arange(n) * 3 // n), True),
        (cut(0.5, "standard_normal"), True),
        (cut(0.2, "standard_normal"), True),
        (cut(0.5, "random"), True),
        (cut(0.8, "exponential"), True),
        (cut(0.5, "exponential"), True),
    ],
)
def test_clusters_are_a_good_measurement_and_a_column_that_was_cut_is_a_leak(n, made, is_leak):
    x, codes = made(n, np.random.default_rng(3))
    frame = pd.DataFrame({"x": x, "u": np.resize([1.5, 2.5, 3.0], n), "kind": codes})
    frame["kind"] = "k" + frame["kind"].astype(str)
    raw = frame.to_csv(index=False).encode()
    data = load(raw, name="made.csv", target="kind")
    assert codes_of(data) == ["leakage"] * is_leak
    table = read_table(raw, "made.csv")
    found = find_table_problems(table, describe_columns(table, "kind"))
    told = {f.notice.code: f.notice.what for f in found if "alone predicts" in f.notice.what}
    assert [*told] == (["LIN066"] if is_leak else ["LIN073"])
    assert ("leakage" in "".join(told.values())) is is_leak


@pytest.mark.long
@needs_data
@pytest.mark.parametrize(
    ("file", "target", "expected"),
    [
        ("csv/winequality_red_semicolon.csv", "quality", ["duplicates"]),
        ("csv/mushrooms.csv", "type", []),
        ("csv/german_credit.csv", "default", []),
        ("csv/ecoli_noheader.csv", None, []),
        ("csv/pima_noheader.csv", None, []),
        ("csv/gapminder_semicolon_decimalcomma.txt", "continent", ["leakage", "groups"]),
        ("csv/prml_r_train.csv", None, []),
        ("faces3_bmp30.zip", None, ["duplicates"]),
    ],
)
def test_real_data(file, target, expected):
    assert codes_of(load(DATA / file, target=target)) == expected
