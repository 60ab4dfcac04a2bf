"""Import options that overrule what reading a table decided by itself."""

from __future__ import annotations

from lincore.errors import Hint
from lincore.io.tables.text.options import OVERRULABLE, DetectedOptions, ReadOptions

_UNEVEN = {
    "mend": Hint("Put right or leave out", reading={"uneven": "mend"}),
    "keep": Hint("Put right or cut", reading={"uneven": "keep"}),
    "skip": Hint("Leave out", reading={"uneven": "skip"}),
}
_OTHERS = {
    "LIN001": (
        Hint("Windows-1252", reading={"encoding": "cp1252"}),
        Hint("UTF-16", reading={"encoding": "utf-16"}),
    ),
    "LIN011": (Hint("Use the first line as header", reading={"header": True}),),
    "LIN014": (Hint("No header", reading={"header": False}),),
    "LIN015": (Hint("No header", reading={"header": False}),),
    "LIN021": (_UNEVEN["keep"],),
    "LIN022": (_UNEVEN["mend"], _UNEVEN["skip"]),
    "LIN023": (_UNEVEN["skip"],),
    "LIN024": (_UNEVEN["skip"],),
}
_FEW = 5


def overruling(
    code: str, options: ReadOptions | None, reading: DetectedOptions | None
) -> tuple[Hint, ...]:
    """Return the import options that overrule a finding, ready to be applied.

    Parameters
    ----------
    code : str
        Of the finding.
    options : ReadOptions, optional
        With which the table was read.
    reading : DetectedOptions, optional
        How it was read.

    Returns
    -------
    tuple of Hint
        None for a finding of which nothing is to be chosen.

    Examples
    --------
    >>> [hint.reading for hint in overruling("LIN032", None, None)]
    [{'overrule': ('LIN032',)}]
    """
    options = options or ReadOptions()
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
