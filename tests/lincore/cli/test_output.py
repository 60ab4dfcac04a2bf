"""Answers as aligned text, as tables of rich, as JSON."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

import lincore
from lincore.cli import main


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self):
        """Say that it is one."""
        return True


def test_json_has_no_number_that_is_none(capsys, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("u,kind\n" + "1.5,a\n2,b\n1.6,a\n2.2,b\n" * 5)
    assert main(["compare", str(path), "--methods", "lda", "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["schema"] >= 1
    rows = {row["score"]: row for row in found["displays"][0]["rows"]}
    # Of too few rows for an interval.
    assert (rows["MCC"]["value"], rows["MCC"]["low"], rows["MCC"]["high"]) == (1.0, None, None)


@pytest.mark.parametrize("has_rich", [True, False])
@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_tables_are_aligned_with_rich_and_without(kind, has_rich, monkeypatch, tmp_path):
    if not has_rich:
        monkeypatch.setattr("lincore.cli._answer.HAS_RICH", False)
    path = tmp_path / "signs.csv"
    path.write_text("日本,[b],kind\n" + "1.5,7,a\n2,8,b\n" * 2, encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stream := kind())
    assert main(["inspect", str(path), "--quiet"]) == 0
    text = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    table = [line for line in text.splitlines() if re.match(r"kind|\[b\]|日本", line)]
    target, plain, wide = sorted(table, key=lambda line: "k[日".index(line[0]))
    assert target.split()[1] == "target" and plain.split()[:2] == ["[b]", "feature"]
    # The two signs take four places.
    assert plain.index("feature") == target.index("target") == wide.index("feature") + 2
    assert ("\x1b[1m" in stream.getvalue()) == (has_rich and kind is Terminal)


def test_a_file_goes_to_standard_output_and_findings_beside_it(capsys, tmp_path):
    path = tmp_path / "new.csv"
    names = lincore.sample("iris").feature_names
    path.write_text(f"{','.join(names)}\n5,3,1,0.2\n")
    assert main(["predict", "sample:iris", str(path), "--quiet"]) == 0
    output = capsys.readouterr()
    assert output.out.startswith('"sepal length (cm)",') and output.out.count("\n") == 2
    assert "Priors as in training.\n" in output.err
