"""Decisions made while reading tables and images, as findings with options that overrule them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lincore.checks.table_findings import TableFinding
from lincore.data.frames import columns_named
from lincore.errors import Hint, Notice
from lincore.io.tables.column_roles import Column
from lincore.io.tables.row_source import DRAWN_ONLY
from lincore.io.tables.text.options import OVERRULABLE, DetectedOptions, ReadOptions

if TYPE_CHECKING:
    from lincore.io.images.read import ImageOptions
    from lincore.io.tables.table import Table

_UNEVEN = {
    "mend": Hint("Repair or leave out", reading={"uneven": "mend"}),
    "keep": Hint("Repair or cut", reading={"uneven": "keep"}),
    "skip": Hint("Leave out", reading={"uneven": "skip"}),
}
_OTHERS = {
    "LIN001": (
        Hint("Windows-1252", reading={"encoding": "cp1252"}),
        Hint("UTF-16", reading={"encoding": "utf-16"}),
    ),
    "LIN004": (Hint("UTF-16", reading={"encoding": "utf-16"}),),
    "LIN011": (Hint("Use the first line as header", reading={"header": True}),),
    "LIN014": (Hint("No header", reading={"header": False}),),
    "LIN015": (Hint("No header", reading={"header": False}),),
    "LIN016": (Hint("No header", reading={"header": False}),),
    "LIN021": (_UNEVEN["keep"],),
    "LIN025": (_UNEVEN["keep"], _UNEVEN["skip"]),
    "LIN022": (_UNEVEN["mend"], _UNEVEN["skip"]),
    "LIN023": (_UNEVEN["skip"],),
    "LIN024": (_UNEVEN["skip"],),
    "LIN052": (Hint("Keep duplicates", options={"drop_duplicates": False}),),
    "LIN057": (Hint("Use all rows", options={"drawn_only": False}),),
}
_FITTED = {
    "pad": Hint("Pad the images", images={"fit": "pad"}),
    "crop": Hint("Crop to the centre", images={"fit": "crop"}),
    "stretch": Hint("Stretch them", images={"fit": "stretch"}),
}
_OF_IMAGES = {
    "LIN080": (Hint("Keep colours", images={"colour": True}),),
    "LIN083": (Hint("White at 65,535", images={"white": 65_535}),),
    "LIN087": (Hint("Keep duplicates", images={"drop_duplicates": False}),),
}
#: Roles that can be chosen for columns that were left out because of their contents.
_USES: Mapping[str, str] = {"identifier": "feature", "date": "feature", "text": "text"}
_FEW = 5


def with_decisions(
    problems: Sequence[TableFinding],
    table: Table,
    columns: Sequence[Column],
    notices: Sequence[Notice],
    options: ReadOptions | None = None,
) -> tuple[TableFinding, ...]:
    r"""Return the findings on a table: problems, decisions, and decisions that were overruled.

    Parameters
    ----------
    problems : sequence of TableFinding
        The result of `find_table_problems`; notices about the same problem are left out.
    columns : sequence of Column
        With their current roles.
    notices : sequence of Notice
        Notices of the table, or of the data set made from it.
    options : ReadOptions, optional
        Options with which the table was read.

    Returns
    -------
    tuple of TableFinding
        Decisions have options that overrule them, if there are alternatives.

    Examples
    --------
    >>> from lincore.io.table_files import read_table
    >>> table = read_table(b"Made\nu,kg,k\n1,2 kg,a\n2,4 kg,b\n3,3 kg,a\n", "made.csv")
    >>> for found in with_decisions((), table, (), table.notices):
    ...     print(found.notice.code, [dict(remedy.reading) for remedy in found.remedies])
    LIN010 [{'overrule': ('LIN010',)}]
    LIN042 [{'overrule': ('LIN042',)}]
    """
    options = options or ReadOptions()
    known = {(problem.notice.code, problem.notice.where) for problem in problems}
    decisions = [
        TableFinding(
            notice,
            _reading_hints(notice.code, options, table.reading)
            + _use_hints(notice, table, columns),
            is_decision=True,
        )
        for notice in dict.fromkeys(notices)
        if (notice.code, notice.where) not in known
    ]
    for code in options.overrule:
        kept_codes = tuple(kept_code for kept_code in options.overrule if kept_code != code)
        restore = Hint("Restore", reading={"overrule": kept_codes})
        overridden = Notice(f"{code} was overridden.")
        decisions.append(TableFinding(overridden, (restore,), is_decision=True))
    return (*problems, *decisions)


def image_decisions(
    notices: Sequence[Notice], options: ImageOptions | None = None
) -> tuple[TableFinding, ...]:
    """Return the decisions made while reading images, with options that overrule them.

    Parameters
    ----------
    notices : sequence of Notice
        Notices of the data set made from the images.
    options : ImageOptions, optional
        Options with which they were read.

    Returns
    -------
    tuple of TableFinding
        Without options if there are no alternatives.

    Examples
    --------
    >>> notice = Notice("The images are in colour and were made grey.", code="LIN080")
    >>> [dict(hint.images) for hint in image_decisions([notice])[0].remedies]
    [{'colour': True}]
    """
    fit = "pad" if options is None else options.fit
    other_methods = tuple(hint for method, hint in _FITTED.items() if method != fit)
    remedies = {**_OF_IMAGES, "LIN082": other_methods}
    decisions = [TableFinding(n, remedies.get(n.code, ()), is_decision=True) for n in notices]
    if options is not None and options.white is not None:
        restore = Hint("Restore", images={"white": None})
        asked = Notice(f"White is at {options.white:,g}, as requested.")
        decisions.append(TableFinding(asked, (restore,), is_decision=True))
    return tuple(decisions)


def _reading_hints(
    code: str, options: ReadOptions, reading: DetectedOptions | None
) -> tuple[Hint, ...]:
    """Return the import options that overrule a finding, ready to be applied."""
    if code in OVERRULABLE:
        overruled = tuple(dict.fromkeys((*options.overrule, code)))
        return (Hint("Overrule", reading={"overrule": overruled}),)
    if reading is not None and code == "LIN002":
        tables = [i for i in range(1, reading.n_tables + 1) if i != (options.table or 1)]
        return tuple(Hint(f"Read number {i}", reading={"table": i}) for i in tables[:_FEW])
    if reading is not None and code == "LIN003":
        sheets = [name for name in reading.sheets if name != reading.sheet]
        return tuple(Hint(f"Read {name!r}", reading={"sheet": name}) for name in sheets[:_FEW])
    if reading is not None and code == "LIN045":
        decimal, name = (".", "point") if reading.decimal == "," else (",", "comma")
        return (Hint(f"Decimal {name}", reading={"decimal": decimal}),)
    return _OTHERS.get(code, ())


def _use_hints(notice: Notice, table: Table, columns: Sequence[Column]) -> tuple[Hint, ...]:
    """Return other uses of the columns, rows or target that a finding is about."""
    if notice.code == "LIN053" and table.source is None:
        return (Hint("Fill them in", options={"missing": None}),)
    if notice.code == "LIN053":
        return (DRAWN_ONLY,)
    about = next((c.name for c in columns if columns_named([c.name]) == notice.where), None)
    if about is not None and notice.code in ("LIN055", "LIN058", "LIN059"):
        return (Hint(f"Ignore {about!r}", roles={about: "ignore"}),)
    if about is not None and notice.code == "LIN056":
        return (Hint("Use it as categorical", options={"categories": (about,)}),)
    if notice.code == "LIN054" and table.guess is not None:
        others = table.guess.runners_up[:_FEW]
        return tuple(Hint(f"Target: {target!r}", roles={target: "target"}) for target in others)
    for kind, role in _USES.items() if notice.code == "LIN050" else ():
        names = [column.name for column in columns if column.kind == kind and column.reason]
        if names and columns_named(names) == notice.where:
            described = repr(names[0]) if len(names) == 1 else f"the {len(names):,} columns"
            return (Hint(f"Use {described} as {role}", roles=dict.fromkeys(names, role)),)
    return ()
