"""The commands with a named source, and with rows that are repeated by a column."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing

import pandas as pd
import pytest

from lincore.cli import main
from tests.lincore.cli.test_commands import CSV, answer, record


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "trips.csv"
    path.write_text(CSV)
    return str(path)


def test_a_frequency_is_an_option(capsys, file):
    given = ("--target", "kind", "--role", "id=ignore")
    shown = answer(capsys, "inspect", file, *given, "--frequencies", "length")
    assert "111 lines repeated by 'length'" in shown and "frequency" in shown


@pytest.fixture
def secret(tmp_path, monkeypatch):
    """Name a table of a database whose address holds a secret; return the secret."""
    word = "hunter2"
    (tmp_path / word).mkdir()
    with closing(sqlite3.connect(tmp_path / word / "shop.db")) as connection:
        pd.read_csv(io.StringIO(CSV)).to_sql("trips", connection, index=False)
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "secrets.toml").write_text(
        f"[sources.trips]\naddress = 'sqlite:///{tmp_path}/{word}/shop.db'\ntable = 'trips'\n"
        f"[sources.gone]\naddress = 'sqlite:///{tmp_path}/{word}/gone.db'\ntable = 'trips'\n"
    )
    monkeypatch.chdir(tmp_path)
    return word


def test_a_named_source_takes_the_place_of_a_file_and_is_nowhere_located(
    capsys, file, secret, tmp_path
):
    role = ("--target", "kind", "--role", "id=ignore")
    there = record(capsys, "compare", "source:trips", *role, "--methods", "lda,qda")
    here = record(capsys, "compare", file, *role, "--methods", "lda,qda")
    scores = [[one["scores"]["accuracy"] for one in each["methods"]] for each in (there, here)]
    assert scores[0] == scores[1]
    columns = [
        [one["name"] for one in record(capsys, "inspect", name, *role)["columns"]]
        for name in ("source:trips", file)
    ]
    assert columns[0] == columns[1]
    assert main(["predict", "source:trips", "source:trips", *role, "--quiet"]) == 0
    assert "120 rows of trips" in capsys.readouterr().err
    saved, page = tmp_path / "saved.json", tmp_path / "page.html"
    answer(
        capsys, "compare", "source:trips", *role, "--methods", "lda",
        "--save-analysis", str(saved),
    )  # fmt: skip
    assert json.loads(saved.read_text())["data"]["kind"] == "source"
    assert record(capsys, "run", str(saved))["methods"]
    answer(capsys, "report", "source:trips", *role, "--methods", "lda", "--output", str(page))
    assert "trips" in page.read_text()
    assert not any(secret in one.read_text() for one in (saved, page))


@pytest.mark.parametrize(("name", "said"), [("other", "no source"), ("gone", "cannot be read")])
def test_a_source_that_is_not_there_is_told_without_its_address(capsys, secret, name, said):
    assert main(["inspect", f"source:{name}", "--quiet"]) != 0
    error = capsys.readouterr().err
    assert said in error and secret not in error
