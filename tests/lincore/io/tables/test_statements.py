"""Statements about columns are true, at the boundaries too; one finding for a kind of fault."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lincore.checks import find_table_problems
from lincore.io import TableOptions, describe_columns, frame_to_table, read_table, table_to_dataset

RNG = np.random.default_rng(3)
N = 300


def described(**columns):
    n_rows = len(next(iter(columns.values())))
    others = {"x": RNG.normal(size=n_rows), "kind": np.resize(["a", "b"], n_rows)}
    frame = pd.DataFrame(columns | others)
    return {c.name: c for c in describe_columns(frame_to_table(frame, "made"), "kind")}


def problems(frame, target="kind", **roles):
    table = frame_to_table(frame, "made")
    columns = [c._replace(role=roles.get(c.name, c.role)) for c in describe_columns(table, target)]
    return table, find_table_problems(table, columns)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (
            [f"x{i % 61}" for i in RNG.permutation(N)],
            "61 distinct values in 300 rows, too many for categories (identifier)",
        ),
        ([f"x{i}" for i in range(N)], "a distinct value in every row (identifier)"),
        (
            [*(f"x{i}" for i in range(N - 1)), None],
            "a distinct value in every row with a value (identifier)",
        ),
        (
            ["x0", *(f"x{i}" for i in range(N - 1))],
            "299 distinct values in 300 rows, too many for categories (identifier)",
        ),
        (np.arange(N), "a distinct value in every row (identifier)"),
        (["x"] * N, "the same value in every row"),
        (["x"] * (N - 1) + [None], "a constant value"),
        ([None] * N, "no values"),
    ],
)
def test_the_reason_holds_for_the_column(values, reason):
    assert described(u=values)["u"].reason == reason


@pytest.mark.parametrize("n", [50, 60])
def test_up_to_a_fifth_of_the_rows_are_levels(n):
    assert described(u=[f"x{i % n}" for i in RNG.permutation(N)])["u"].kind == "category"


def test_a_counter_in_runs_is_said_to_count():
    number = np.tile(np.arange(1, 101), 3)
    assert described(**{"Sample Number": number})["Sample Number"].reason == (
        "row numbers (identifier)"
    )


@settings(deadline=None, max_examples=20)
@given(
    n_rows=st.integers(2, 120),
    n_levels=st.integers(1, 120),
    gaps=st.floats(0, 0.6),
    words=st.sampled_from(["x{}", "{}", "a word {}", "{}.5"]),
    seed=st.integers(0, 99),
)
def test_no_reason_is_false(n_rows, n_levels, gaps, words, seed):
    rng = np.random.default_rng(seed)
    level = rng.integers(0, n_levels, n_rows) if seed % 2 else np.arange(n_rows) % n_levels
    values = [None if rng.random() < gaps else words.format(i) for i in level]
    text = "u,v,kind\n" + "".join(
        f"{'' if value is None else value},{i % 7}.5,{'ab'[i % 2]}\n"
        for i, value in enumerate(values)
    )
    table = read_table(text.encode(), "made.csv")
    (column,) = [c for c in describe_columns(table, "kind") if c.name == "u"]
    present = table.frame["u"].dropna()
    reason = column.reason
    if "a distinct value in every row" in reason:
        assert present.nunique() == len(present)
        assert ("with a value" in reason) == (len(present) < len(table.frame))
    if "the same value in every row" in reason:
        assert present.nunique() == 1
        assert ("with a value" in reason) == (len(present) < len(table.frame))
    if found := re.match(r"([\d,]+) distinct values in ([\d,]+) rows", reason):
        said = tuple(int(number.replace(",", "")) for number in found.groups())
        assert said == (present.nunique(), len(present))
    if reason == "no values":
        assert present.empty


def air(n=400, seed=0):
    """Return sensors that write -200 where they failed, of very different ranges."""
    rng = np.random.default_rng(seed)
    sensors = {
        "CO": rng.gamma(2, 1, n).round(1),
        "NOx": rng.gamma(2, 200, n).round(),
        "T": rng.normal(18, 9, n).round(1),
        "ozone": rng.normal(1000, 200, n).round(),
        "level": rng.integers(1, 5, n).astype(float),
    }
    for i, values in enumerate(sensors.values()):
        values[rng.random(n) < 0.02 * (i + 1)] = -200
    steady = {"depth": rng.normal(-300, 90, n).round(), "u": rng.normal(size=n)}
    steady["depth"][:3] = -200
    return pd.DataFrame(sensors | steady | {"kind": rng.choice(["a", "b"], n)})


def test_a_missing_value_code_is_seen_in_all_columns_alike():
    frame = air()
    table, found = problems(frame)
    (finding,) = [one for one in found if "missing-value code" in one.notice.what]
    held = ["CO", "NOx", "T", "ozone", "level"]
    assert finding.notice.where == "columns 'CO', 'NOx', 'T', 'ozone', 'level'"
    share = [(frame[name] == -200).mean() for name in held]
    assert (
        f"{100 * min(share):.1f} % to {100 * max(share):.1f} % of the rows" in finding.notice.what
    )
    (remedy,) = finding.remedies
    assert remedy.reading == {"missing_in": dict.fromkeys(held, (-200.0,))}
    assert table_to_dataset(table, "kind").n_rows == len(frame)


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1, 2, 3, 4, 5] * 8 + [-999] * 3, [-999.0]),
        ([1, 2, 3, 4, 5] * 8 + [9] * 3, []),
        ([0, 1] * 20 + [-999] * 3, []),  # of two values it may be a third
        ([*range(40), -1, -1], []),
        ([*range(0, 4000, 100), -200, -200], [-200.0]),
        ([*range(-50, 4000, 100), -200, -200], []),
        ([*range(50, 90), 99, 99], []),
        ([*range(0, 30), 999, 999], [999.0]),
    ],
)
def test_a_code_is_out_of_all_proportion(values, codes):
    _, found = problems(pd.DataFrame({"u": values, "kind": np.resize(["a", "b"], len(values))}))
    said = [one for one in found if "missing-value code" in one.notice.what]
    held = [code for one in said for code in one.remedies[0].reading["missing_in"]["u"]]
    assert held == codes


def test_what_is_said_of_a_code_is_so():
    for seed in range(5):
        frame = air(seed=seed)
        _, found = problems(frame)
        for finding in found:
            for name, (code,) in finding.remedies[0].reading.get("missing_in", {}).items():
                assert frame[name].min() == code


def test_a_hundred_columns_with_one_fault_are_one_finding():
    frame = pd.DataFrame({f"c{j}": np.full(N, j) for j in range(112)})
    kind = RNG.integers(0, 2, N)
    leaks = {f"leak{j}": np.where(kind, f"yes {j}", f"no {j}") for j in range(20)}
    few = {f"few{j}": np.where(RNG.random(N) < 0.9, np.nan, RNG.normal(size=N)) for j in range(9)}
    frame = pd.concat([frame, pd.DataFrame(leaks | few)], axis=1).assign(
        u=RNG.normal(size=N), kind=kind
    )
    table, found = problems(frame, **{f"c{j}": "feature" for j in range(112)})
    assert len(found) == 3
    for finding, n_columns in zip(found, (112, 9, 20), strict=True):
        assert len(finding.remedies[0].roles) == n_columns
        assert "and" in finding.notice.where or n_columns < 10
    assert "% of the rows" in found[1].notice.what
    roles = {name: role for one in found for name, role in one.remedies[0].roles.items()}
    assert table_to_dataset(table, "kind", TableOptions(roles=roles)).feature_names == ("u",)
    notices = table_to_dataset(table, "kind").notices
    assert len([n for n in notices if "constant value" in n.what]) == 1


def test_one_notice_says_the_same_of_many_columns():
    rows = [
        ",".join(f"{i * j % 17}.5 kg" for j in range(1, 40)) + f",{'ab'[i % 2]}" for i in range(30)
    ]
    header = ",".join(f"w{j}" for j in range(1, 40)) + ",kind"
    table = read_table("\n".join([header, *rows]).encode(), "made.csv")
    (notice,) = table.notices
    assert notice.where.startswith("columns 'w1', 'w2'") and notice.where.endswith(" more")


def test_shares_of_missing_values_stand_in_per_cent():
    frame = pd.DataFrame({"u": RNG.normal(size=N), "few": RNG.normal(size=N)})
    frame.loc[:230, "few"] = np.nan
    _, (finding,) = problems(frame.assign(kind=np.resize(["a", "b", "b"], N)))
    assert finding.notice.what == "Missing in 77.0 % of the rows."
    frame.loc[:, "few"] = np.where(np.arange(N) < 150, np.nan, frame["u"])
    assert problems(frame.assign(kind=np.resize(["a", "b", "b"], N)))[1] == ()
