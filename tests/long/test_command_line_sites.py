"""Three sites on a terminal: moments written, merged, and tested where the rows are."""

from __future__ import annotations

import json

import numpy as np
from numpy.testing import assert_allclose

import lincore
from lincore.cli import main


def record(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_counts_of_the_sites_add_up_to_those_of_all_rows(capsys, tmp_path):
    iris = lincore.sample("iris")
    frame = iris.to_frame()
    tables, files = [], []
    for site in range(2):
        tables.append(str(tmp_path / f"{site}.csv"))
        files.append(str(tmp_path / f"{site}.moments"))
        frame.iloc[site::2].to_csv(tables[-1], index=False)
        made = ("--target", "species", "--folds", "3", "--smallest", "5", "--output", files[-1])
        assert record(capsys, "moments", tables[-1], *made)["rows"] == 75
    merged = str(tmp_path / "all.moments")
    assert record(capsys, "merge", *files, "--output", merged)["sites"] == 2
    found = [
        record(capsys, "score", merged, table, "--target", "species", "--methods", "lda,qda")
        for table in tables
    ]
    confusion = sum(np.array(one["methods"][0]["confusion"]) for one in found)
    assert confusion.sum() == 150
    assert_allclose(confusion.trace(axis1=1, axis2=2).sum(), 147, atol=2)


def test_what_is_no_file_of_moments_is_refused(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n")
    assert main(["merge", str(path), "--output", str(tmp_path / "out")]) == 1
    assert "Have the site write its moments again" in capsys.readouterr().err
