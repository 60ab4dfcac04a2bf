"""Files of SPSS, Stata and SAS: labels as categories, declared missing values, damage."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import DataError
from lincore.io import ReadOptions, load, read_table, sample, table_to_dataset
from lincore.limits import LIMITS

pyreadstat = pytest.importorskip("pyreadstat")

N = 60
FRAME = pd.DataFrame(
    {
        "age": [20.0 + i % 40 if i % 10 else 99.0 for i in range(N)],
        "sex": [1.0 + i % 2 for i in range(N)],
        "score": [float(i % 7) if i % 11 else 98.0 for i in range(N)],
        "town": [["Oslo", "Köln", ""][i % 3] for i in range(N)],
    }
)
LABELS = {"sex": {1: "male", 2: "female"}, "score": {98: "refused"}}
WRITERS = {
    "sav": lambda path: pyreadstat.write_sav(
        FRAME, path, variable_value_labels=LABELS, missing_ranges={"age": [99]}
    ),
    "zsav": lambda path: pyreadstat.write_sav(
        FRAME, path, variable_value_labels=LABELS, compress=True
    ),
    "dta": lambda path: pyreadstat.write_dta(FRAME, path, variable_value_labels=LABELS),
    "old.dta": lambda path: pyreadstat.write_dta(FRAME, path, version=10),
    "xpt": lambda path: pyreadstat.write_xport(FRAME, path),
    "old.xpt": lambda path: pyreadstat.write_xport(FRAME, path, file_format_version=5),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("statfiles")
    found = {}
    for kind, write in WRITERS.items():
        write(str(folder / f"made.{kind}"))
        found[kind] = (folder / f"made.{kind}").read_bytes()
    return found


@pytest.mark.parametrize("kind", WRITERS)
def test_values_labels_and_gaps_are_those_of_the_file(kind, files):
    frame = read_table(files[kind], f"made.{kind}").frame
    assert list(frame) == ["age", "sex", "score", "town"]
    np.testing.assert_array_equal(frame["score"], FRAME["score"])
    # Files of old Stata do not say their encoding.
    options = ReadOptions(encoding="utf-8") if kind == "old.dta" else None
    towns = read_table(files[kind], f"made.{kind}", options).frame["town"]
    assert towns.fillna("").tolist() == FRAME["town"].tolist()
    # Labels of values go with SPSS and with Stata from version 11 on.
    labelled = kind in ("sav", "zsav", "dta")
    expected = FRAME["sex"].map(LABELS["sex"]) if labelled else FRAME["sex"]
    assert frame["sex"].tolist() == expected.tolist()
    assert frame["age"].isna().sum() == (6 if kind == "sav" else 0)


def test_what_was_decided_is_said_and_overruled(files):
    table = read_table(files["sav"], "made.sav")
    assert [notice.code for notice in table.notices] == ["LIN047", "LIN048", "LIN049"]
    assert str(table.reading) == "SPSS, 60 rows of 4 columns"
    raw = read_table(files["sav"], "made.sav", ReadOptions(overrule=("LIN047", "LIN049"))).frame
    np.testing.assert_array_equal(raw[["age", "sex"]], FRAME[["age", "sex"]])
    some = read_table(files["sav"], "made.sav", ReadOptions(overrule=("LIN048",)))
    assert {notice.code for notice in some.notices} == {"LIN047", "LIN049"}
    assert set(some.frame["score"]) == {"refused", *"0123456"}
    data = table_to_dataset(table, "sex")
    assert data.classes.tolist() == ["female", "male"]
    assert load(files["sav"], name="made.sav", target="sex").n_rows == N


def test_labels_that_two_values_share_are_told_apart(tmp_path):
    path = str(tmp_path / "made.sav")
    labels = {"sex": {1: "other", 2: "other"}}
    pyreadstat.write_sav(FRAME, path, variable_value_labels=labels)
    frame = read_table((tmp_path / "made.sav").read_bytes(), "made.sav").frame
    assert set(frame["sex"]) == {"other (1)", "other (2)"}


def test_a_file_that_sas_wrote_is_read():
    """Of the R package haven 2.5.1, since nothing in Python writes such: © RStudio, MIT licence."""
    raw = gzip.decompress(Path(__file__).with_name("iris.sas7bdat.gz").read_bytes())
    data = load(raw, name="iris.sas7bdat", target="Species")
    iris = sample("iris")
    np.testing.assert_array_equal(data.X, iris.X)
    np.testing.assert_array_equal(data.codes, iris.codes)
    assert data.classes.tolist() == ["setosa", "versic", "virgin"]


@pytest.mark.parametrize("kind", ["sav", "dta", "xpt"])
def test_damaged_and_large_files_are_refused(kind, files):
    raw = files[kind]
    with pytest.raises(DataError, match="too large to be opened"):
        read_table(raw, "made", limits=replace(LIMITS, max_cells=100))
    with pytest.raises(DataError) as caught:
        read_table(raw[:200] + b"\xff" * 300, "made")
    assert caught.value.notice.remedy


def test_where_the_reader_is_not_installed_the_remedy_says_how(files, monkeypatch, tmp_path):
    process = Path(lincore.__file__).parent / "io/tables/formats/_statfile_process.py"
    script = process.read_text().replace("import pyreadstat", "import no_such_package")
    (tmp_path / "process.py").write_text(script)
    monkeypatch.setattr(
        "lincore.io.tables.formats.in_subprocess._STATFILE_PROCESS", tmp_path / "process.py"
    )
    with pytest.raises(DataError, match=r"pip install lincore\[statfiles\]"):
        read_table(files["sav"], "made.sav")
