"""Options of a table: roles of columns, rows used, missing values, classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from lincore.errors import DataError
from lincore.io.tables.bins import Binning

if TYPE_CHECKING:  # pages need options before pandas and scikit-learn are loaded
    from lincore.io.tables.row_filters import Condition

Missing: TypeAlias = Literal["median", "most_frequent", "indicator", "drop"]


@dataclass(frozen=True)
class TableOptions:
    """Options for converting a table to a data set: roles, rows, missing values, classes.

    Parameters
    ----------
    where : sequence of Condition, or of (column, relation, values)
        Conditions that all used rows must meet, such as
        ``("age", "between", (18, None))``. See `lincore.io.tables.row_filters`.
    rename : mapping of str to str
        New names for some columns. All other options use the names of the table.
    roles : mapping of str to str
        "target", "feature", "text", "group", "weight", "frequency" or "ignore" for some columns,
        instead of the roles proposed by `describe_columns`. For weights and frequencies see
        `lincore.data.with_row_weights`.
    missing : {"median", "most_frequent", "indicator", "drop"}, optional
        How missing values are imputed from the training rows, or "drop" to leave out such rows.
        Default: "median"; for a file that is read in blocks, "drop".
    rare : int, optional
        Levels with fewer training rows than this are merged. Default: 5 if there are at least 100
        rows.
    bins : Bins, int or sequence of float, optional
        Bin a numeric target into this many classes, or at thresholds: (12.5,) makes two classes.
    categories : sequence of str
        Columns to treat as categorical: numbers such as postcodes, or texts in which "yes" and
        "Yes" are different levels.
    drop_classes : sequence
        Labels whose rows are left out.
    merge_classes : mapping of label to label
        Labels to be renamed.
    drop_duplicates : bool
        Remove duplicates: rows that agree in all features and the class.
    drawn_only : bool
        For a file that is too large for memory, use only the rows sampled for a first look.

    Raises
    ------
    DataError
        If there is no such imputation method.
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
        """Validate the imputation method."""
        ways = get_args(Missing)
        if self.missing not in (None, *ways):
            raise DataError(
                f"There is no imputation method {self.missing!r}.",
                where="option missing",
                remedy=f"Choose among: {', '.join(ways)}.",
            )


AS_PROPOSED = TableOptions()
