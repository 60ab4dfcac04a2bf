"""Identifiers that repeat: found by what they hold, and no quantity or factor mistaken for one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore.checks import find_table_problems
from lincore.io import describe_columns, frame_to_table, load
from tests.data import DATA, needs_data


def found_in(frame, target="kind"):
    table = frame_to_table(frame, "made")
    found = find_table_problems(table, describe_columns(table, target))
    first = [remedy for one in found for remedy in one.remedies[:1]]
    return [name for one in first for name, role in one.roles.items() if role == "group"]


def subjects(names, n_each=8, *, shuffled=True, seed=0):
    """Return rows of some subjects with age and sex of the subject, and what varies."""
    rng = np.random.default_rng(seed)
    each = n_each if np.ndim(n_each) else np.full(len(names), n_each)
    who = np.repeat(np.arange(len(names)), each)
    age, sex = rng.integers(20, 45, len(names)), rng.integers(0, 2, len(names))
    frame = pd.DataFrame(
        {
            "who": np.asarray(names, dtype=object)[who],
            "age": age[who],
            "sex": np.array(["f", "m"])[sex[who]],
            "u": rng.normal(size=len(who)),
            "v": rng.integers(0, 5, len(who)),
            "kind": rng.choice(["a", "b"], len(who)),
        }
    )
    return frame.sample(frac=1, random_state=seed) if shuffled else frame


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "names",
    [
        [f"P{i:02}" for i in range(30)],
        [f"{chr(65 + i)}n{chr(97 + 7 * i % 26)}a" for i in range(20)],
        list(range(1, 31)),
        [1000 + 37 * i for i in range(25)],
        [f"patient-{i}" for i in range(90)],
    ],
)
def test_subjects_are_found_by_what_never_changes_within_them(names, seed):
    assert found_in(subjects(names, seed=seed)) == ["who"]
    rng = np.random.default_rng(seed)
    assert found_in(subjects(names, rng.integers(2, 9, len(names)), seed=seed)) == ["who"]


def test_numbered_names_in_blocks_of_one_size_need_no_other_column():
    names = [f"S{i:02}" for i in range(20)]
    frame = subjects(names, shuffled=False)[["who", "u", "v", "kind"]]
    assert found_in(frame) == ["who"]
    assert found_in(frame.sample(frac=1, random_state=0).iloc[:130]) == []


def test_a_class_for_each_subject_is_evidence_and_ages_are_none():
    frame = subjects([f"{c}-house" for c in "abcdefghijklmnopqrstuvwxyz"]).drop(
        columns=["age", "sex"]
    )
    frame["kind"] = np.where(frame["who"].str[0] < "n", "a", "b")
    assert found_in(frame) == ["who"]


@pytest.mark.parametrize("seed", range(3))
def test_factors_and_quantities_are_no_subjects(seed):
    rng = np.random.default_rng(seed)
    n = 600
    hour, age, code = rng.integers(0, 24, n), rng.integers(18, 79, n), rng.integers(0, 16, n)
    frame = pd.DataFrame(
        {
            "hour": hour,
            "night": (hour < 6) | (hour > 21),
            "part": pd.cut(hour, 4).codes,
            "age": age,
            "age_band": age // 10,
            "adult": age > 30,
            "retired": age > 65,
            "education": [f"school {c}" for c in code],
            "education_years": code + 4,
            "town": rng.choice([f"t{i}" for i in range(40)], n),
            "rare": rng.random(n) < 0.002,
            "kind": rng.choice(["a", "b"], n),
        }
    )
    assert found_in(frame) == []


def test_the_proposal_keeps_groups_together_and_is_made_once():
    frame = subjects([f"P{i:02}" for i in range(30)])
    frame["same"] = frame["who"].str.replace("P", "Q")
    table = frame_to_table(frame, "made")
    columns = describe_columns(table, "kind")
    (finding,) = [
        f for f in find_table_problems(table, columns) if "groups of rows, such" in f.notice.what
    ]
    assert "30 groups" in finding.notice.what
    assert "'age', 'sex'" in finding.notice.what
    (together, _) = finding.remedies
    assert together.roles == {"who": "group"}
    data = load(frame, target="kind")
    assert data.group_candidate == "who"
    grouped = load(frame, target="kind", roles=together.roles)
    assert grouped.group_candidate == ""
    assert len(grouped.group_names) == 30


@pytest.mark.long
@needs_data
@pytest.mark.parametrize(
    "file",
    ["titanic", "penguins_raw", "german_credit", "mushrooms", "telco_churn", "pima_noheader",
     "oil_spill_noheader", "ecoli_noheader", "sms_spam_latin1", "winequality_red_semicolon"],
)  # fmt: skip
def test_no_false_alarm_on_real_tables(file):
    assert load(DATA / "csv" / f"{file}.csv").group_candidate == ""


@pytest.mark.long
@needs_data
def test_countries_are_groups_of_years():
    data = load(DATA / "csv" / "gapminder_semicolon_decimalcomma.txt", target="continent")
    assert data.group_candidate == "country"


def test_no_false_alarm_on_the_samples():
    for name in ("iris", "wine", "breast cancer"):
        data = lincore.sample(name)
        frame = pd.DataFrame(data.X, columns=list(data.feature_names)).assign(kind=data.y)
        assert found_in(frame) == []
