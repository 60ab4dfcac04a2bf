"""Log lines for machines, without anything that visitors load, type or click.

With ``LINCORE_LOG=json`` in the environment every line on standard error is a JSON object. The text
of an error may quote a cell or a column name, and a message of Streamlit a label. So errors are
logged by type and stack frames, messages of other packages by their location, and our own messages
as templates without their arguments.
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
#: Packages whose messages are ours.
OWN = ("pages", "lincore")
#: Words that `fields` may contain besides numbers; never input of visitors.
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
    """Return whether the operator asked for JSON lines."""
    return os.environ.get(VARIABLE, "").lower() == "json"


def write_json_lines() -> None:
    """Let every existing logger write JSON lines to standard error, if wanted.

    Streamlit gives each of its loggers its own handler, so this is called at the start and again
    after all imports.
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
    """Yield type and frames of an error and of its causes, without their messages."""
    while error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        yield {
            "kind": type(error).__name__,
            "frames": [
                f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames
            ],
        }
        error = error.__cause__ or error.__context__
