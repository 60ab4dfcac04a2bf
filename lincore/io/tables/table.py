"""A table as read, before a target is chosen, and the options for making a data set of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.frames import as_plain, unique_names
from lincore.data.labels import level_name
from lincore.data.target_guess import TargetGuess, guess_target
from lincore.errors import Hint, Notice, not_among
from lincore.fields.bounds import Name
from lincore.fields.field import Field
from lincore.io.tables.bins import Binning
from lincore.io.tables.column_changes import cut_labels, mark_missing, with_ordered
from lincore.io.tables.column_roles import Content, Role, content_of
from lincore.io.tables.row_source import RowSource
from lincore.io.tables.text.options import DetectedOptions, ReadOptions
from lincore.limits import LIMITS, Limits, check_table_shape
from lincore.utils.displayed import display

Relation: TypeAlias = Literal[
    "is one of", "is not one of", "between", "is missing", "is not missing"
]
Missing: TypeAlias = Literal["median", "most_frequent", "indicator", "drop"]


class Condition(NamedTuple):
    """Condition on the value of a column; plain tuples are accepted too.

    Attributes
    ----------
    column : str
    relation : {"is one of", "is not one of", "between", "is missing", "is not missing"}
        A missing value satisfies neither "between" nor "is one of".
    values : tuple
        Values for the first two; (low, high) for "between", either of which may be None.

    Examples
    --------
    >>> print(Condition("age", "between", (18, None)), Condition("sex", "is one of", ("f",)))
    age from 18 sex is f
    """

    column: str
    relation: Relation
    values: tuple[Any, ...] = ()

    def __str__(self) -> str:
        """Describe it in words."""
        names = [level_name(value) for value in self.values if value is not None]
        if self.relation == "between":
            low, high = self.values
            low = "" if low is None else f" from {level_name(low)}"
            high = "" if high is None else f" to {level_name(high)}"
            return f"{self.column}{low}{high}"
        verb = self.relation.removesuffix(" one of")
        return " ".join([self.column, verb, " or ".join(names)]).rstrip()


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
    roles: Annotated[
        Mapping[Name, str],
        Field(
            "Role",
            "Replaces the proposed role of a column: feature, text, group, weight, frequency or "
            "ignore.",
        ),
    ] = field(default_factory=dict)
    missing: (
        Annotated[
            Missing,
            Field(
                "Missing values",
                "Filled in from the training rows, or rows with missing values are left out.",
            ),
        ]
        | None
    ) = None
    rare: (
        Annotated[
            int,
            Field("Rare levels", "Levels with fewer training rows are merged.", low=0, high=10**9),
        ]
        | None
    ) = None
    bins: (
        Annotated[
            Binning,
            Field(
                "Bins", "Number of classes into which a numeric target is binned.", low=2, high=50
            ),
        ]
        | None
    ) = None
    categories: Annotated[
        Sequence[Name],
        Field("Categorical", "Treat a column as categorical, such as postcodes.", longest=5_000),
    ] = ()
    drop_classes: Annotated[
        Sequence[Any], Field("Leave out a class", "Its rows are not used.", longest=1_000)
    ] = ()
    merge_classes: Annotated[
        Mapping[Any, Name], Field("Rename a class", "Classes of the same name are merged.")
    ] = field(default_factory=dict)
    drop_duplicates: Annotated[
        bool, Field("Remove duplicates", "Keep one of the rows that agree in all columns used.")
    ] = False
    drawn_only: bool = False

    def __post_init__(self) -> None:
        """Validate the imputation method."""
        ways = get_args(Missing)
        if self.missing not in (None, *ways):
            message = f"There is no imputation method {self.missing!r}."
            raise not_among(message, "option missing", ways)

    def name_of(self, column: str) -> str:
        """Return the current name of a column."""
        return str(self.rename.get(column, column))

    def unedited(self) -> TableOptions:
        """Return the treatment of missing values, rare levels and the target, and nothing else."""
        return TableOptions(missing=self.missing, rare=self.rare, bins=self.bins)

    def with_hint(self, hint: Hint) -> TableOptions:
        """Return these options with those of a hint; its classes and categories are added."""
        changes = dict(hint.options)
        for name in {"drop_classes", "categories"} & changes.keys():
            changes[name] = tuple(dict.fromkeys((*getattr(self, name), *changes[name])))
        if "merge_classes" in changes:
            changes["merge_classes"] = {**self.merge_classes, **changes["merge_classes"]}
        return replace(self, **changes) if changes else self


AS_PROPOSED = TableOptions()


@dataclass(frozen=True, eq=False)
class Table:
    """A table as read, before a target is chosen.

    Parameters
    ----------
    frame : DataFrame
        Columns under unique names, in the order of the file.
    name : str
        The file's name.
    notices : tuple of Notice
        Import log.
    first_line : int, optional
        Line of the file with the first row; None if rows do not correspond to lines.
    reading : DetectedOptions, optional
        How it was read.
    source : RowSource, optional
        All rows of a file that is too large for memory; `frame` is a random sample of them.
    rows : (n,) intp, optional
        The row numbers of `frame` in the file, if a filter left some out.
    whole : Table, optional
        The table before filtering: columns are described by all of its rows.
    roles : mapping of str to str
        Roles of columns declared in the file, as in Orange's format.
    orders : mapping of str to tuple of str
        Levels of the ordered categories of a frame, in order.
    """

    frame: pd.DataFrame
    name: str
    notices: tuple[Notice, ...] = ()
    first_line: int | None = None
    reading: DetectedOptions | None = None
    source: RowSource | None = None
    rows: NDArray[np.intp] | None = None
    whole: Table | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def contents(self) -> dict[str, Content]:
        """Content of each column, by its name."""
        contents = {str(name): content_of(self.frame[name]) for name in self.frame}
        if self.whole is None:
            return contents
        # A filtered identifier remains one; a column that no longer varies is constant.
        kinds = {name: content.kind for name, content in self.whole.contents.items()}
        return {
            name: content
            if content.kind in ("empty", "constant")
            else content._replace(kind=kinds[name])
            for name, content in contents.items()
        }

    @cached_property
    def first_rows(self) -> Any:
        """The first rows as they are in the file: a `FirstRowsDisplay`."""
        drawn_from = 0 if self.source is None else self.source.n_rows
        return display("FirstRowsDisplay", self.frame, drawn_from)

    def columns(self, target: str | int | None = None, choices: Any = None) -> Any:
        """Return role and content of each column, and problems: a `TableColumnsDisplay`.

        `choices` are `TableOptions`.
        """
        return display("TableColumnsDisplay", self, target, choices)

    @cached_property
    def guess(self) -> TargetGuess | None:
        """The column that looks like the classes, if any, and the next best ones."""
        # None if the file declares the target, and for counts such as successes and trials, whose
        # rows have no class.
        if "target" in self.roles.values():
            return None
        if self.whole is not None:
            return self.whole.guess
        dates = [name for name, content in self.contents.items() if content.kind == "date"]
        return guess_target(self.frame.drop(columns=dates) if dates else self.frame)

    @property
    def proposed(self) -> str | None:
        """The name of the column that is declared as target or looks like the classes, if any."""
        declared = [name for name, role in self.roles.items() if role == "target"]
        if declared:
            return declared[0]
        return self.guess.column if self.guess is not None else None

    def notices_with(self, findings: Sequence[Notice]) -> tuple[Notice, ...]:
        """Return its findings, for a large file with those on all rows."""
        codes = {notice.code for notice in findings}
        return (*(notice for notice in self.notices if notice.code not in codes), *findings)

    def place(self, row: int) -> str:
        """Describe the location of a row, counted from 0."""
        row = row if self.rows is None else int(self.rows[row])
        return f"data row {row + 1}" if self.first_line is None else f"line {row + self.first_line}"


def frame_to_table(
    frame: pd.DataFrame,
    name: str,
    notices: tuple[Notice, ...] = (),
    options: ReadOptions | None = None,
    *,
    kind: str = "frame",
    limits: Limits = LIMITS,
) -> Table:
    """Wrap a frame, converting column names to unique strings.

    Only the options that name columns are used: `missing_in`, `cut_at` and `ordered`.
    """
    check_table_shape(len(frame), frame.shape[1], name, limits)
    names, naming = unique_names([str(column) for column in frame.columns])
    frame = frame.set_axis(names, axis=1).reset_index(drop=True)
    orders = {
        column: tuple(map(str, kind.categories))
        for column, kind in zip(names, frame.dtypes, strict=True)
        if isinstance(kind, pd.CategoricalDtype) and kind.ordered
    }
    frame = as_requested(as_plain(frame), options or ReadOptions())
    reading = DetectedOptions(*frame.shape, kind=kind)
    return Table(frame, name, (*notices, *naming), reading=reading, orders=orders)


def as_requested(frame: pd.DataFrame, options: ReadOptions) -> pd.DataFrame:
    """Return the frame with missing-value codes, cut texts and ordered levels as requested."""
    if options.missing_in:
        frame = mark_missing(frame, options.missing_in)
    if options.cut_at:
        frame = cut_labels(frame, options.cut_at)
    return with_ordered(frame, options.ordered) if options.ordered else frame
