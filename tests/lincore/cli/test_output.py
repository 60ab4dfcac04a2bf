"""Answers as aligned text, as tables of rich, as JSON."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest

from lincore.cli import _output
from lincore.cli.answer import Answer, AnswerSection

ROWS = ({"model": "日本", "value": "9.5"}, {"model": "LDA", "value": "10.5", "note": "[b]"})
ANSWER = Answer(
    {"value": np.float64("nan"), "counts": np.array([3, 4]), "names": ("é", None), 5: True},
    (
        AnswerSection("Scores", ("A sentence " + "of many words " * 12,)),
        AnswerSection("", rows=ROWS),
    ),
)


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self):
        """Say that it is one."""
        return True


def test_json_has_no_number_that_is_none():
    stream = io.StringIO()
    _output.write(ANSWER, stream, stream, as_json=True)
    expected = {"value": None, "counts": [3, 4], "names": ["é", None], "5": True}
    expected["schema"] = _output.SCHEMA
    assert json.loads(stream.getvalue(), parse_constant=pytest.fail) == expected


@pytest.mark.parametrize("has_rich", [True, False])
@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_tables_are_aligned_with_rich_and_without(kind, has_rich, monkeypatch):
    if not has_rich:
        monkeypatch.setattr(_output, "HAS_RICH", False)
    stream = kind()
    _output.write(ANSWER, stream, io.StringIO())
    text = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    head, first, second = (line.rstrip() for line in text.splitlines()[-3:])
    assert head.split() == ["model", "value", "note"] and second.split() == ["LDA", "10.5", "[b]"]
    # The two signs take four places.
    assert first.index("9.5") + 2 + 3 == second.index("10.5") + 4 or kind is Terminal
    assert text.splitlines()[0].rstrip() == "Scores"
    assert ("\x1b[1m" in stream.getvalue()) == (has_rich and kind is Terminal)


def test_a_file_goes_to_standard_output_and_findings_beside_it():
    stream, beside = io.StringIO(), io.StringIO()
    _output.write(Answer(text="a,b\n1,2\n", sections=(AnswerSection("Two rows"),)), stream, beside)
    assert (stream.getvalue(), beside.getvalue()) == ("a,b\n1,2\n", "Two rows\n")
