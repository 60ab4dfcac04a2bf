"""Tables in which each line is quoted as a whole, as one field."""

from __future__ import annotations

import re

_WHOLE = re.compile(r'^"((?:[^"\n]|"")*+)"[,;\t ]*$', re.MULTILINE)
_LINES = 200
_FEWEST, _MOSTLY = 2, 0.5


def lines_in_quotes(text: str) -> str | None:
    r"""Return the text without quotes around whole lines; None if few lines have them."""
    lines = [line for line in text.split("\n", _LINES)[:_LINES] if line.strip()]
    whole = [line for line in lines if _WHOLE.fullmatch(line)]
    if len(whole) < max(_FEWEST, _MOSTLY * len(lines)):
        return None
    return _WHOLE.sub(lambda found: found[1].replace('""', '"'), text)
