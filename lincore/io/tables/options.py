"""Options of a table: roles of columns, rows used, missing values, classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, get_args

from lincore.data.labels import level_name
from lincore.errors import DataError, Hint
from lincore.fields.bounds import Name
from lincore.fields.field import Field
from lincore.io.tables.bins import Binning

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
            "Of a column instead of the proposed one: feature, text, group, weight, frequency or "
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
            Binning, Field("Bins", "Bin a numeric target into so many classes.", low=2, high=50)
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
        Mapping[Any, Name], Field("Rename a class", "Classes of one name are merged.")
    ] = field(default_factory=dict)
    drop_duplicates: Annotated[
        bool, Field("Remove duplicates", "Keep one of the rows that agree in all columns used.")
    ] = False
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
