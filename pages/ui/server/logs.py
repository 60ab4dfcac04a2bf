"""Log lines for machines, without a word of what visitors load, type or click.

With ``LINCORE_LOG=json`` in the environment every line on standard error is a JSON object. The text
of an error may quote a cell or a column's name, and that of a message of Streamlit's a label: of an
error its kind and its frames are written, of a foreign message its place, and of ours the sentence
without what is put into it.
"""

from __future__ import annotations

import json
import logging
import os
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

VARIABLE = "LINCORE_LOG"
#: Packages whose sentences are ours.
OWN = ("pages", "lincore")
#: What `fields` may hold besides numbers: words of the program, not of visitors.
_FIELDS = "lincore_fields"


def fields(**values: float | str) -> dict[str, dict[str, float | str]]:
    """Return numbers and words of the program for a log call's `extra`."""
    return {_FIELDS: values}


class JsonLines(logging.Formatter):
    """One JSON object for each record."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
        }
        if record.name.partition(".")[0] in OWN:
            line["event"] = str(record.msg)
        else:
            line["place"] = f"{record.module}:{record.lineno}"
        line |= getattr(record, _FIELDS, {})
        if record.exc_info and record.exc_info[1] is not None:
            line["errors"] = list(_errors(record.exc_info[1]))
        return json.dumps(line)


def is_wanted() -> bool:
    """Return whether the operator asked for lines for machines."""
    return os.environ.get(VARIABLE, "").lower() == "json"


def write_json_lines() -> None:
    """Have every logger that there is write JSON lines to standard error, where that is wanted.

    Streamlit gives each of its loggers a handler of its own as it makes it, so this is called at
    the start and again when everything has been imported.
    """
    if not is_wanted():
        return
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        if logger.handlers:
            logger.handlers = []
            logger.propagate = True
    logging.getLogger("pages").setLevel(logging.INFO)


def _errors(error: BaseException | None) -> Iterator[dict[str, Any]]:
    """Yield kind and frames of an error and of what it came from, without their texts."""
    while error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        yield {
            "kind": type(error).__name__,
            "frames": [f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in frames],
        }
        error = error.__cause__ or error.__context__
