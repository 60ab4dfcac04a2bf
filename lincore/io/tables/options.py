"""Options of a table: roles of columns, rows used, missing values, classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from lincore.errors import DataError
from lincore.io.tables.bins import Binning

if TYPE_CHECKING:  # pages have options before pandas and scikit-learn are there
    from lincore.io.tables.row_filters import Condition

Missing: TypeAlias = Literal["median", "most_frequent", "indicator", "drop"]


@dataclass(frozen=True)
class TableOptions:
    """Options from a table to a data set: roles of columns, rows used, missing values, classes.

    Parameters
    ----------
    where : sequence of Condition, or of (column, relation, values)
        The rows that are used: those that meet all conditions, such as
        ``("age", "between", (18, None))``. See `lincore.io.tables.row_filters`.
    rename : mapping of str to str
        Other names for some of the columns. All other options name them as the table does.
    roles : mapping of str to str
        "target", "feature", "text", "group", "weight", "frequency" or "ignore" for some of the
        columns, instead of the roles that `describe_columns` proposes. Of a weight
        or a frequency see `lincore.data.with_row_weights`.
    missing : {"median", "most_frequent", "indicator", "drop"}, optional
        How missing values are filled in from the training rows; or rows with any are left out.
        The median when not given; of a file that is read in blocks they are left out.
    rare : int, optional
        Levels with fewer training rows than this are pooled; 5 from 100 rows on when not given.
    bins : Bins, int or sequence of float, optional
        Bin a numeric target into so many classes, or at thresholds: (12.5,) makes two classes.
    categories : sequence of str
        Columns to treat as categorical: numbers such as postcodes, or texts of which
        "yes" and "Yes" are two levels.
    drop_classes : sequence
        Labels whose rows are left out.
    merge_classes : mapping of label to label
        Labels that get another name.
    drop_duplicates : bool
        Remove duplicates: rows that are the same in every feature and the class.
    drawn_only : bool
        Of a file too large to be held, use the rows drawn for a first look as if they were all.

    Raises
    ------
    DataError
        When there is no such way to fill in.
    """

    where: Sequence[Condition | tuple[str, str, tuple[Any, ...]]] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    missing: Missing | None = None
    rare: int | None = None
    bins: Binning | None = None
    categories: Sequence[str] = ()
    drop_classes: Sequence[Any] = ()
    merge_classes: Mapping[Any, str] = field(default_factory=dict)
    drop_duplicates: bool = False
    drawn_only: bool = False

    def __post_init__(self) -> None:
        """Check the way to fill in."""
        ways = get_args(Missing)
        if self.missing not in (None, *ways):
            raise DataError(
                f"No way to fill in is called {self.missing!r}.",
                where="option missing",
                remedy=f"Choose among: {', '.join(ways)}.",
            )


AS_PROPOSED = TableOptions()
