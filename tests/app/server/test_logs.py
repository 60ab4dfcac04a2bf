"""Log lines for machines say what happened, and no word of what visitors load."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from pages.ui.server import logs


@pytest.fixture
def own_loggers(monkeypatch):
    """Give the test the loggers of a process of its own."""
    loggers = {"streamlit.script": logging.Logger("streamlit.script")}
    monkeypatch.setattr(logging.root.manager, "loggerDict", loggers)
    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setenv(logs.VARIABLE, "json")
    loggers["streamlit.script"].parent = logging.root
    loggers["streamlit.script"].addHandler(logging.StreamHandler())
    loggers["streamlit.script"].propagate = False
    return loggers


def test_lines_are_json_and_quote_nothing_of_a_file(own_loggers, capsys):
    logs.write_json_lines()
    ours, foreign = logging.getLogger("pages.ui.jobs"), own_loggers["streamlit.script"]
    ours.info("a job is over", extra=logs.fields(job="compare.run", seconds=1.5))
    ours.warning("no column %r", "salary of Ann")
    foreign.warning("salary of Ann is a label")
    try:
        try:
            raise KeyError("salary of Ann")
        except KeyError as error:
            raise ValueError("salary of Ann") from error
    except ValueError:
        foreign.error("salary of Ann", exc_info=sys.exc_info())
    text = capsys.readouterr().err
    assert "Ann" not in text
    over, missing, label, failed = (json.loads(line) for line in text.splitlines())
    assert (over["event"], over["job"], over["seconds"]) == ("a job is over", "compare.run", 1.5)
    assert missing["event"] == "no column %r" and "event" not in label
    assert [error["kind"] for error in failed["errors"]] == ["ValueError", "KeyError"]
    assert "test_logs.py" in failed["errors"][0]["frames"][0]


def test_without_being_asked_nothing_changes(own_loggers, monkeypatch):
    monkeypatch.delenv(logs.VARIABLE)
    before = list(own_loggers["streamlit.script"].handlers)
    logs.write_json_lines()
    assert own_loggers["streamlit.script"].handlers == before
