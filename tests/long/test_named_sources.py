"""Tables that an operator has named: as from a file, within limits, never with their address."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lincore import DataError, io
from lincore.io.databases.named_sources import find_source
from lincore.limits import LIMITS

SECRET = "hunter2"
TABLE = 'all "sales"; --'
KINDS = ["sqlite", "duckdb", "parquet"]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    found = pd.DataFrame(rng.normal(1e3, 1, (4_000, 3)), columns=["x", 'a "b"', "c, d"])
    found["whole"] = rng.integers(0, 50, len(found))
    found.loc[::500, "x"] = np.nan
    return found.assign(kind=rng.choice(["no", "yes"], len(found), p=[0.8, 0.2]))


@pytest.fixture(scope="module")
def folder(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(SECRET)
    with closing(sqlite3.connect(folder / "shop.db")) as connection:
        frame.to_sql(TABLE, connection, index=False)
        connection.execute("CREATE TABLE odd (n, t, y)")
        rows = [(1, "a", "u"), (2.5, 7, "v"), (None, b"z", "u"), (10**30 / 7, None, "v")]
        connection.executemany("INSERT INTO odd VALUES (?, ?, ?)", rows)
        connection.commit()
    with duckdb.connect(folder / "shop.duckdb") as connection:
        connection.register("given", frame)
        connection.execute(f'CREATE TABLE "{TABLE.replace(chr(34), chr(34) * 2)}" AS FROM given')
    (folder / "parts").mkdir()
    for i, part in enumerate((frame[:1_000], frame[1_000:])):
        lists = pa.array([[1]] * len(part))
        table = pa.Table.from_pandas(part).append_column("lists", lists)
        pq.write_table(table, folder / "parts" / f"{i}.parquet")
    lines = [
        ("sqlite", f"sqlite:///{folder}/shop.db", TABLE),
        ("duckdb", f"duckdb:///{folder}/shop.duckdb", TABLE),
        ("parquet", f"{folder}/parts", ""),
        ("odd", f"sqlite:///{folder}/shop.db", "odd"),
        ("nowhere", f"sqlite:///{folder}/none.db", TABLE),
        ("no table", f"sqlite:///{folder}/shop.db", "none"),
        ("gone", f"{folder}/gone", ""),
        ("postgres", f"postgresql://reader:{SECRET}@127.0.0.1:9/shop", "sales"),
        ("web", f"https://{SECRET}.example.org/rows.parquet", ""),
        ("unnamed", f"duckdb:///{folder}/shop.duckdb", ""),
    ]
    entries = [
        f"[sources.'{name}']\naddress = '{address}'\ntable = ['''{table}''']\n"
        if table
        else f"[sources.'{name}']\naddress = '{address}'\n"
        for name, address, table in lines
    ]
    limited = f"address = 'sqlite:///{folder}/shop.db'\ntable = ['''{TABLE}''']\n"
    entries += [
        f"[sources.'few rows']\n{limited}max_rows = 3999\n",
        f"[sources.'few bytes']\n{limited}max_bytes = 100000\n",
    ]
    (folder / "secrets.toml").write_text("\n".join(entries))
    return folder


def opened(name: str, folder: Path, **changes) -> io.Table:
    return io.open_source(name, secrets=folder / "secrets.toml", **changes)


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_makes_the_data_of_its_rows(kind, frame, folder):
    found = io.load_source(kind, target="kind", secrets=folder / "secrets.toml")
    wanted = io.table_to_dataset(io.open_table(frame), "kind")
    assert_array_equal(found.X, wanted.X)
    assert_array_equal(found.y, wanted.y)
    assert found.feature_names == wanted.feature_names
    assert found.name == kind
    assert ("lists" in str(found.notices)) == (kind == "parquet")


@pytest.mark.parametrize("kind", KINDS)
def test_more_rows_than_are_held_are_read_in_blocks(kind, frame, folder):
    small = replace(LIMITS, max_rows=3_000, max_rows_in_memory=500)
    table = opened(kind, folder, limits=small)
    word = "Parquet" if kind == "parquet" else "database"
    assert str(table.reading) == f"{word}, 4,000 rows of 5 columns, read in blocks"
    assert 300 < len(table.frame) < 700
    data = io.table_to_dataset(table, "kind")
    assert data.streamed is not None and 400 < data.n_rows < 600
    whole = frame.dropna()
    held = np.bincount(data.codes)
    sizes = [(whole["kind"] == label).sum() for label in ("no", "yes")]
    assert_array_equal(held + data.streamed.count, sizes)
    for k, label in enumerate(("no", "yes")):
        rows = whole.loc[whole["kind"] == label].drop(columns="kind").to_numpy()
        total = data.X[data.codes == k].sum(axis=0) + data.streamed.count[k] * data.streamed.mean[k]
        assert_allclose(total / len(rows), rows.mean(axis=0), rtol=1e-12)


def test_cells_of_sqlite_have_types_of_their_own(folder):
    found = opened("odd", folder).frame
    assert_allclose(found["n"], [1, 2.5, np.nan, 10**30 / 7])
    assert found["t"].fillna("-").tolist() == ["a", "7", "z", "-"]


def test_missing_values_of_a_column_are_named_as_for_a_file(frame, folder):
    table = opened("sqlite", folder, options=io.ReadOptions(missing_in={"whole": (7,)}))
    assert table.frame["whole"].isna().sum() == (frame["whole"] == 7).sum() > 0


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("few rows", "4,000 rows; 3,999 are allowed"),
        ("few bytes", "more than 100,000 bytes"),
        ("nowhere", r"cannot be read \(OperationalError\)"),
        ("no table", r"cannot be read \(OperationalError\)"),
        ("gone", "cannot be read"),
        ("unnamed", "Its table is missing"),
        ("postgres", "cannot be read"),
        ("web", "cannot be read"),
        ("another", "no source of this name"),
        ("../secrets", "no source of this name"),
    ],
)
def test_what_cannot_be_read_is_told_without_its_address(name, says, folder):
    with pytest.raises(DataError, match=says) as caught:
        opened(name, folder)
    error: BaseException | None = caught.value
    while error is not None:
        assert SECRET not in str(error) and "shop" not in str(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


@pytest.mark.parametrize(
    "text",
    [
        f"[sources.s]\naddress = 3\npassword = '{SECRET}'",
        f"[sources.s]\naddress = '{SECRET}'\nmax_rows = '{SECRET}'",
        f"[sources.s]\naddress = '{SECRET}'\nmax_bytes = 0",
        f"[sources.s]\naddress = '{SECRET}'\ntable = ['']",
        f"sources = '{SECRET}'",
        f"[sources]\ns = '{SECRET}'",
        f"[sources.s]\naddress = {SECRET}",
    ],
)
def test_damaged_secrets_are_told_and_not_quoted(text, tmp_path):
    (tmp_path / "secrets.toml").write_text(text)
    with pytest.raises(DataError) as caught:
        find_source("s", tmp_path / "secrets.toml")
    assert SECRET not in str(caught.value)


def test_names_are_all_that_is_shown(folder, tmp_path, monkeypatch):
    assert "parquet" in io.source_names(folder / "secrets.toml")
    assert SECRET not in repr(find_source("postgres", folder / "secrets.toml"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pathlib.Path.home", lambda: tmp_path)
    assert "parquet" not in io.source_names()


def test_nothing_is_made_where_there_is_no_database(folder):
    before = sorted(folder.iterdir())
    with pytest.raises(DataError):
        opened("nowhere", folder)
    assert sorted(folder.iterdir()) == before
