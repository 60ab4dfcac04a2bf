"""Column rule: columns declared as categories or texts are text."""

from __future__ import annotations

from lincore.data.labels import is_number
from lincore.io.tables.rules.protocol import Applied, Columns
from lincore.io.tables.text.column_assignment import with_columns


class DeclaredTypes:
    """Convert numbers to text if the file declares them as categories or texts.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"code": [1.0, None, 2.0]})
    >>> columns = Columns(frame, "made.tab", declared={"code": "category"})
    >>> DeclaredTypes().apply(columns).columns.frame["code"].tolist()
    ['1', nan, '2']
    """

    codes = ()

    def apply(self, columns: Columns) -> Applied | None:
        """Return the columns with these as text."""
        frame = columns.frame
        texts = {
            name: frame[name].map(_text, na_action="ignore").astype("str")
            for name, kind in columns.declared.items()
            if kind in ("category", "text") and name in frame and is_number(frame[name])
        }
        return Applied(columns.with_frame(with_columns(frame, texts))) if texts else None


def _text(value: float) -> str:
    """Return a number without the fraction that integers get in a column with missing values."""
    return str(int(value)) if float(value).is_integer() else str(value)
