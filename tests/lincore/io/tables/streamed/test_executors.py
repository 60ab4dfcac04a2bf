"""A folder of Parquet files: read here or by processes of joblib, with the same results."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from operator import add
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import DataError
from lincore.data import Blocks, RowBlock
from lincore.limits import LIMITS

N_ROWS, N_FILES = 3_000, 6
SMALL = replace(LIMITS, max_table_bytes=40_000, max_rows_in_memory=400, max_drawn_bytes=20_000)
METHODS = ["lda", "qda", "naive-bayes", "fisher", "least-squares", "logistic"]


def frame_of_numbers() -> pd.DataFrame:
    """Return three unequal classes; the rarest one only begins in the third of six files."""
    rng = np.random.default_rng(1)
    codes = rng.choice(3, N_ROWS, p=[0.6, 0.38, 0.02])
    codes[: N_ROWS // 3] %= 2
    X = rng.normal(size=(N_ROWS, 3)) * [1, 3, 0.1] + codes[:, None] * [0.5, 2, 0.1] + 1e3
    found = pd.DataFrame(X, columns=["u", "v", "w"])
    found.loc[::70, "v"] = np.nan
    return found.assign(kind=np.array(["Class10", "Class2", "é"])[codes])


def partitions(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """Cut rows into parts of equal length."""
    length = N_ROWS // N_FILES
    return [frame.iloc[i * length : (i + 1) * length] for i in range(N_FILES)]


def folder_of(frame: pd.DataFrame, path: Path) -> Path:
    """Write a folder of Parquet files."""
    path.mkdir()
    for i, part in enumerate(partitions(frame)):
        part.to_parquet(path / f"{i}.parquet", index=False)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(frame_of_numbers(), tmp_path / "rows")


@pytest.fixture
def small_memory(monkeypatch) -> None:
    """Let few rows fit into memory, and let every file be a part."""
    monkeypatch.setattr("lincore.io.loading.LIMITS", SMALL)
    monkeypatch.setattr("lincore.io.tables.streamed._parquet.PART_CELLS", 1)


def moments_of(data: lincore.Dataset) -> lincore.Moments:
    """Return the moments by class of all rows, read again block by block."""
    own = RowBlock(data.X, data.codes)
    assert data.blocks is not None
    again = data.blocks.fold(by_class, add)
    assert_allclose(again.scatter, data.blocks.moments.scatter, rtol=1e-9)
    assert_array_equal(again.count, data.streamed_counts)
    return by_class(own) + again


def by_class(block: RowBlock) -> lincore.Moments:
    return lincore.Moments.from_groups(block.X, block.codes, 3, block.weight)


def check_all(data: lincore.Dataset, frame: pd.DataFrame) -> None:
    """Compare what a data set holds and streams with all rows."""
    whole = frame.dropna()
    X, codes = whole[["u", "v", "w"]].to_numpy(), pd.Index(data.classes).get_indexer(whole["kind"])
    found, expected = moments_of(data), by_class(RowBlock(X, codes))
    assert_array_equal(found.count, expected.count)
    assert_allclose(found.mean, expected.mean, rtol=1e-12)
    assert_allclose(found.scatter, expected.scatter, rtol=1e-8)
    assert 300 < data.n_rows < 500 and data.counts.min() >= 2


def test_a_small_folder_is_read_as_one_table(folder):
    frame = frame_of_numbers()
    data, expected = lincore.load(folder, target="kind"), lincore.load(frame, target="kind")
    assert data.blocks is None and data.name == "rows"
    assert_array_equal(data.X, expected.X)
    assert_array_equal(data.y, expected.y)


@pytest.mark.usefixtures("small_memory")
def test_every_row_of_a_large_folder_is_in_memory_or_streamed(folder):
    data = lincore.load(folder, target="kind")
    check_all(data, frame_of_numbers())
    assert len(data.blocks.parts) == N_FILES
    assert "3,000 rows of 4 columns, read in blocks" in str(lincore.io.open_table(folder).reading)


@pytest.mark.usefixtures("small_memory")
def test_a_wide_row_group_is_read_by_some_columns_at_a_time(tmp_path, monkeypatch):
    (tmp_path / "rows").mkdir()
    frame = frame_of_numbers()[["u", "kind", "v", "w"]]
    frame.to_parquet(tmp_path / "rows" / "0.parquet", index=False, row_group_size=1_100)
    side_by_side = lincore.load(tmp_path / "rows", target="kind")
    monkeypatch.setattr("lincore.io.tables.streamed._parquet._MOST_OPEN", 1)
    monkeypatch.setattr("lincore.io.tables.streamed._parquet._BATCH_CELLS", 1_500)
    monkeypatch.setattr("lincore.io.tables.streamed._parquet._BATCH_ROWS", 1)
    data = lincore.load(tmp_path / "rows", target="kind")
    check_all(data, frame_of_numbers())
    assert_array_equal(data.X, side_by_side.X)
    assert_array_equal(data.y, side_by_side.y)
    assert_allclose(data.blocks.moments.scatter, side_by_side.blocks.moments.scatter, rtol=1e-10)


@pytest.mark.usefixtures("small_memory")
def test_a_class_that_comes_late_has_two_rows_in_memory(tmp_path):
    frame = frame_of_numbers()
    frame.loc[frame["kind"] == "é", "kind"] = "Class2"
    frame.loc[[601, 2_101, 2_901, 2_999], "kind"] = "é"
    data = lincore.load(folder_of(frame, tmp_path / "late"), target="kind")
    assert data.counts[2] >= 2 and data.counts[2] + data.streamed_counts[2] == 4
    moments_of(data)


@pytest.mark.usefixtures("small_memory")
def test_processes_of_joblib_find_the_same(folder):
    expected = lincore.load(folder, target="kind")
    with joblib.parallel_config(n_jobs=2):
        data = lincore.load(folder, target="kind")
        found = lincore.compare(data, METHODS, "3-fold")
        cost = lincore.imbalance_cost(data, ["lda", "logistic"], repeats=1)
    assert data.digest == expected.digest
    here = lincore.compare(expected, METHODS, "3-fold")
    assert_allclose(found.log_proba, here.log_proba, rtol=1e-10, atol=1e-10)
    assert set(found.settings.streamed.values()) == {data.n_streamed}
    alone = lincore.imbalance_cost(expected, ["lda", "logistic"], repeats=1)
    assert_allclose(cost.losses, alone.losses, rtol=1e-10, atol=1e-10)


@pytest.mark.usefixtures("small_memory")
def test_counts_are_summed_over_blocks(tmp_path):
    frame = frame_of_numbers().dropna().assign(u=np.arange(N_ROWS - 43) % 7)
    frame[["v", "w"]] = np.random.default_rng(0).poisson([2, 5], (len(frame), 2))
    data = lincore.load(folder_of(frame, tmp_path / "counts"), target="kind")
    model = lincore.fit(data, "multinomial-nb", lincore.split(data)).pipeline[-1]
    assert model.class_count_.sum() == len(frame) - len(lincore.split(data).test)
    tested = data.X[lincore.split(data).test].sum()
    assert model.feature_count_.sum() == frame[["u", "v", "w"]].to_numpy().sum() - tested


@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_bad_value_is_named_with_its_place(tmp_path, n_jobs):
    frame = frame_of_numbers()
    frame.loc[2_600, "w"] = np.inf
    path = folder_of(frame, tmp_path / "bad")
    with joblib.parallel_config(n_jobs=n_jobs), pytest.raises(DataError, match="is infinite") as no:
        lincore.load(path, target="kind")
    assert no.value.notice.where == "bad, data row 2,601, column 'w'"


def test_files_that_do_not_belong_together_are_refused(folder, tmp_path):
    frame_of_numbers().rename(columns={"u": "U"}).to_parquet(folder / "other.parquet")
    with pytest.raises(DataError, match="Some files have a column 'U'"):
        lincore.load(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no Parquet file"):
        lincore.load(tmp_path / "empty")


def read_or_die(mark: str, start: float) -> Iterator[RowBlock]:
    """Yield rows; the first process that reads the second part dies, as one out of memory does."""
    if start == 2 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    yield RowBlock(np.arange(start, start + 4)[:, None], np.array([0, 1, 2, 0]))


def check_killed(mark: Path, **options: object) -> None:
    """Kill a worker in the midst of its work: others do it."""
    parts = [(str(mark), float(start)) for start in range(5)]
    known = lincore.Moments.empty((3,), 1), np.zeros(3, dtype=np.intp)
    found = Blocks(*known, parts, read_or_die, **options).fold(by_class, add)
    assert mark.exists()
    expected = Blocks(*known, parts, read_or_die).fold(by_class, add)
    assert_array_equal(found.count, expected.count)
    assert_array_equal(found.scatter, expected.scatter)


def test_a_process_that_is_killed_changes_nothing(tmp_path):
    with joblib.parallel_config(n_jobs=2):
        check_killed(tmp_path / "killed")
