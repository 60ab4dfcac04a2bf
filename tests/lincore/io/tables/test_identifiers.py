"""Columns that name rows or subjects: left out or kept together, and measurements kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincore.io import load

RNG = np.random.default_rng(7)
N = 200
NAMES = ["ID", "Respondent ID", "Index", "Sample code number", "CLIENTNUM", "EmployeeNumber",
         "Kundennummer", "KdNr", "case no", "Code", "num", "Nº", "Numéro", "n° client", "N°",
         "№ заказа", "numéro de dossier", "codigo_cliente", "identificador", "uid"]  # fmt: skip


def loaded(name, values):
    """Return the data set of a column beside a measurement and classes."""
    n = len(values)
    frame = pd.DataFrame({name: values, "u": RNG.normal(size=n), "kind": RNG.choice([*"ab"], n)})
    return load(frame, target="kind")


def some_repeated(n_distinct: int, n: int = N) -> np.ndarray:
    """Return random numbers of seven digits, of which so many differ."""
    values = RNG.choice(np.arange(1_000_000, 9_000_000, 17), n_distinct, replace=False)
    return RNG.permutation(np.append(values, values[: n - n_distinct]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_distinct", [N, 184, 110])
def test_a_number_that_is_called_an_identifier_is_left_out_though_some_repeat(name, n_distinct):
    data = loaded(name, some_repeated(n_distinct))
    assert data.feature_names == ("u",)
    assert [n.code for n in data.notices] == ["LIN050"]


@pytest.mark.parametrize(
    "values",
    [
        np.arange(N) + 500,
        RNG.permutation(N),
        np.sort(RNG.choice(300, N, replace=False)),  # consecutive but for those who have left
        some_repeated(N) + 700_000_000,
        np.append(RNG.permutation(N - 4), [3, 4, 5, 6]),
    ],
)
def test_whole_numbers_that_hardly_repeat_are_identifiers_under_any_name(values):
    assert loaded("who", values).feature_names == ("u",)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", RNG.integers(18, 90, N)),
        ("income", RNG.integers(20_000, 90_000, N)),
        ("income", RNG.integers(200, 900, N) * 1_000),
        ("population", np.exp(RNG.normal(14, 2, N)).astype(int)),
        ("number", RNG.integers(0, 9, N)),
        ("num_words", RNG.integers(0, 1_000, N)),
        ("zip code", RNG.integers(10_000, 10_040, N)),
        ("score", RNG.integers(0, 1_000, N)),
        ("covid", RNG.integers(0, 5_000, N)),
        ("index", RNG.normal(size=N).round(2)),
    ],
)
def test_what_is_measured_or_repeats_is_a_feature(name, values):
    assert name in loaded(name, values).feature_names


SHARED = {
    "number": [f"phon_R01_S{i // 6:02}_{i % 6 + 1}" for i in range(N)],
    "hyphen": [f"mouse-{300 + i // 15}-{i % 15}" for i in range(N)],
    "letter": [f"S{i // 5:03}{'abcde'[i % 5]}" for i in range(N)],
    "take": [f"subject{i // 4:02}.{['happy', 'sad', 'sleepy', 'wink'][i % 4]}" for i in range(N)],
}


@pytest.mark.parametrize(("kind", "n_subjects"), [*zip(SHARED, (34, 14, 40, 50), strict=True)])
def test_the_common_part_of_names_is_the_group_by_default(kind, n_subjects):
    data = loaded("name", RNG.permutation(SHARED[kind]))
    assert data.group_name == "name" and len(data.group_names) == n_subjects
    (notice,) = [one for one in data.notices if one.code == "LIN059"]
    assert f"200 rows of {n_subjects} subjects" in notice.what
    sizes = np.bincount(data.groups)
    assert sizes.max() <= 15 and sizes.sum() == N


@pytest.mark.parametrize(
    "names",
    [
        [f"row {i}" for i in range(N)],
        [f"{'abc'[i % 3]}_{i}" for i in range(N)],
        [f"{RNG.integers(1e6)}-{RNG.integers(1e6)}" for _ in range(N)],
        [f"img_{i:04}.png" for i in range(N)],
    ],
)
def test_names_without_a_common_part_are_left_out(names):
    data = loaded("name", names)
    assert data.groups is None and data.feature_names == ("u",)


@pytest.mark.parametrize("name", ["ID", "Kundennummer", "patient"])
def test_an_identifier_of_several_rows_each_is_the_group(name):
    data = loaded(name, np.repeat(some_repeated(50, 50), 4))
    assert (data.group_name, data.feature_names) == (name, ("u",))


def test_a_group_that_was_asked_for_takes_the_place_of_the_proposed_one():
    frame = pd.DataFrame(
        {
            "ID": np.repeat(np.arange(50), 4),
            "town": np.tile([*"abcdefghijklmnopqrst"], 10),
            "u": RNG.normal(size=N),
            "kind": RNG.choice([*"ab"], N),
        }
    )
    data = load(frame, target="kind", roles={"town": "group"})
    assert (data.group_name, data.feature_names) == ("town", ("u",))
