"""Notices of one kind, merged over columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lincore.data.labels import columns_named
from lincore.errors import Notice

_COLUMN = re.compile(r"column '(.*)'|column \"(.*)\"")
# Parts that differ between columns with the same problem: a number of rows, an example.
_OWN = re.compile(r" \([\d,]+ rows?\)|,? such as ('[^']*'|\"[^\"]*\"),?")


def merge_notices(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Merge equal notices of several columns at the position of the first."""
    alike: dict[tuple[str, str, str, str], list[Notice]] = {}
    for notice in notices:
        column = _COLUMN.fullmatch(notice.where)
        what = _OWN.sub("", notice.what) if column else notice.what
        alike.setdefault(
            (what, "" if column else notice.where, notice.remedy, notice.code), []
        ).append(notice)
    return tuple(
        same[0] if len(same) == 1 else Notice(what, where or _places(same), remedy, code)
        for (what, where, remedy, code), same in alike.items()
    )


def _places(notices: Sequence[Notice]) -> str:
    found = (_COLUMN.fullmatch(notice.where) for notice in notices)
    return columns_named([match[1] or match[2] or "" for match in found if match])
