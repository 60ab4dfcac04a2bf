"""Column rule: columns created by trailing separators are left out."""

from __future__ import annotations

from lincore.data.labels import columns_named
from lincore.errors import Notice
from lincore.io.tables.rules.protocol import Applied, Columns


class UnnamedColumns:
    """Leave out the last columns that have neither a name nor a value.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"u": [1, 2], "column 2": [None, None]})
    >>> columns = Columns(frame, "made.csv", header=("u", ""))
    >>> list(UnnamedColumns().apply(columns).columns.frame)
    ['u']
    """

    codes = ("LIN041",)

    def apply(self, columns: Columns) -> Applied | None:
        """Return the remaining columns."""
        frame, names = columns.frame, [str(name) for name in columns.frame]
        kept = len(names)
        while kept and names[kept - 1] == f"column {kept}" and frame[names[kept - 1]].isna().all():
            kept -= 1
        if not columns.header or kept in (0, len(names)):
            return None
        where = columns_named(names[kept:])
        finding = Notice("Left out: neither a name nor values.", where, code="LIN041")
        return Applied(columns.with_frame(frame[names[:kept]]), (finding,))
