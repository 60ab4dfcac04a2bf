"""`Display`: one view of a result, as pages, scripts, reports and the command line show it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from dataclasses import fields as dataclass_fields
from functools import cached_property
from html import escape
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd

from lincore import fields, metrics

if TYPE_CHECKING:
    import plotly.graph_objects as go


# Characters of a line in a terminal. Wider tables of at most so many rows are transposed.
_WIDTH, _MOST_TURNED = 100, 8
# Decimals of a number that is rounded for people.
_MOST_DECIMALS = 4


@dataclass(frozen=True, eq=False)
class Display:
    """One view of a result: a finding, the table behind it, its figure.

    The fields without `lincore.fields.Field` are what is shown; the others are settings. All of it
    is computed when it is asked for, from the same numbers.

    Attributes
    ----------
    title : str
        Heading of a tab or a section.
    made_by : str
        The expression that makes the display with default settings, such as ``results.scores``.
    page_key : str
        Key of its settings and elements on a page, such as "compare.recall"; links name settings by
        it. Subclasses have their own.
    is_reported : bool
        Whether reports contain it, and scripts that print the numbers of a report.
    is_tabulated : bool
        Whether `table` holds the frame; otherwise the figure or the notes say all of it.
    form : str
        Format of the floats of the table, as for Python's `format`; "" if they are rounded already.
    """

    title: ClassVar[str] = ""
    made_by: ClassVar[str] = ""
    page_key: ClassVar[str] = ""
    is_reported: ClassVar[bool] = False
    is_tabulated: ClassVar[bool] = True
    form: ClassVar[str] = ""

    @classmethod
    def of(cls, *subject: Any, **settings: Any) -> Self:
        """Return the display of results with validated settings.

        Raises
        ------
        DataError
            For a setting that does not exist, or a value that is not possible here.
        """
        names = cls.subject_names()
        context = dict(zip(names, subject, strict=False))
        context |= {name: settings.pop(name) for name in names if name in settings}
        return cls(**context, **fields.checked(cls, settings, **context))

    @classmethod
    def subject_names(cls) -> tuple[str, ...]:
        """Return the names of the fields that are shown, in order."""
        option_names = {option.name for option in fields.options(cls)}
        return tuple(
            field.name for field in dataclass_fields(cls) if field.name not in option_names
        )

    def setting(self, name: str) -> Any:
        """Return a setting, or if nothing is chosen what its rule makes of the data."""
        so_far = SimpleNamespace(**{shown: getattr(self, shown) for shown in self.subject_names()})
        for option in fields.options(type(self)):
            value = option.resolved(getattr(self, option.name), so_far)
            if option.name == name:
                return value
            setattr(so_far, option.name, value)
        raise AttributeError(f"{type(self).__name__} has no setting {name!r}.")

    def finding(self) -> str:
        """State what the numbers say, in one or two sentences; by default the figure's title."""
        return self.figure_title

    def scope(self) -> str:
        """State which rows and which method the finding rests on."""
        return ""

    def frame(self) -> pd.DataFrame:
        """Return the numbers in full precision, a line each."""
        raise NotImplementedError

    def table(self) -> pd.DataFrame:
        """Return what people read: rounded, with units in the headings."""
        return self.frame() if self.is_tabulated else pd.DataFrame()

    def table_help(self) -> Mapping[str, str]:
        """Return what the columns of the table mean, by heading."""
        return {}

    def plot(self) -> go.Figure | None:
        """Return the figure, if there is one."""
        return None

    def plotted(self) -> go.Figure | None:
        """Return the figure, and keep its title for findings that quote it."""
        figure = self.plot()
        if figure is not None:
            self.__dict__["figure_title"] = str(figure.layout.meta["title"])
        return figure

    @cached_property
    def figure_title(self) -> str:
        """The title of the figure; "" if there is none."""
        figure = self.plot()
        return "" if figure is None else str(figure.layout.meta["title"])

    def images(self) -> tuple[np.ndarray, list[str]] | None:
        """Return the rows of the data that are shown as images, and a caption each."""
        return None

    def notes(self) -> tuple[str, ...]:
        """Return methods, limits and warnings."""
        return ()

    def __str__(self) -> str:
        """Return finding, scope, figure in words, table and notes."""
        figure, finding = self.plotted(), self.finding()
        drawn = "" if figure is None else describe(figure).removeprefix(f"{finding}\n")
        table = upright(written(self.table(), self.form))
        rows = "" if table.empty else table.to_string(index=False, na_rep="")
        return "\n\n".join(filter(None, [finding, self.scope(), drawn, rows, *self.notes()]))

    def _repr_html_(self) -> str:
        sentences = [f"<p>{escape(self.finding())}</p>", f"<p>{escape(self.scope())}</p>"]
        notes = [f"<p><small>{escape(note)}</small></p>" for note in self.notes()]
        return "".join([*sentences, self.table().to_html(index=False, na_rep=""), *notes])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; a number that is not finite is None."""
        lines = self.frame().to_dict("records")
        return {
            "display": type(self).__name__,
            "settings": fields.given(self),
            "finding": self.finding(),
            "scope": self.scope(),
            "rows": [{str(name): plain(value) for name, value in line.items()} for line in lines],
            "notes": list(self.notes()),
        }

    def call(self) -> str:
        """Return the expression that makes this display."""
        others = self.subject_names()[1:]
        named = [f"{name}={name}" for name in others if getattr(self, name) is not None]
        return fields.call_text(self, self.made_by, *named)

    @cached_property
    def key(self) -> str:
        """A digest that equal displays share, of the same length for results of any size."""
        shown = [getattr(self, name) for name in self.subject_names()]
        settings = json.dumps(fields.given(self))
        return f"{type(self).__name__} {digest(shown)} {settings}"


def first_of(choices: Callable[[Any], Iterable[Any]], otherwise: Any = "") -> Callable[[Any], Any]:
    """Return the rule that chooses the first of the choices, or `otherwise` without any."""
    return lambda so_far: next(iter(choices(so_far)), otherwise)


def pivot(lines: pd.DataFrame, *index: str, columns: str, values: str) -> pd.DataFrame:
    """Return a line for each value of `index`, a column for each of `columns`, in their order."""
    pivoted = lines.pivot(index=list(index), columns=columns, values=values)
    pivoted = pivoted.reindex(columns=lines[columns].unique())
    pivoted = pivoted.loc[lines.set_index(list(index)).index.unique()]
    return pivoted.rename_axis(columns=None).reset_index()


def intervals(lines: pd.DataFrame) -> list[metrics.Interval]:
    """Return the values of a tidy table with their intervals."""
    return list(map(metrics.Interval, lines["value"], lines["low"], lines["high"]))


def upright(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table for a terminal, transposed if that makes it narrower."""
    if len(table) >= len(table.columns) or not 0 < len(table) <= _MOST_TURNED:
        return table
    if _width(table) <= _WIDTH or not table.iloc[:, 0].is_unique:
        return table
    first, *rest = table.columns
    lines = [[name, *table[name].tolist()] for name in rest]
    turned = pd.DataFrame(lines, columns=[first, *map(str, table[first])], dtype=object)
    return turned if _width(turned) < _width(table) else table


def _width(table: pd.DataFrame) -> int:
    return len(table.to_string(index=False).partition("\n")[0])


def written(table: pd.DataFrame, form: str = "") -> pd.DataFrame:
    """Return a table with its fractions as text, in one format or in that of `number_form`."""
    texts, formats = {}, number_forms(table)
    for position, name in enumerate(table.columns):
        values = table.iloc[:, position]
        if pd.api.types.is_float_dtype(values.dtype):
            number_format = form or formats[name]
            texts[name] = ["" if value != value else f"{value:{number_format}}" for value in values]
    return table.assign(**texts) if texts else table


def number_forms(table: pd.DataFrame) -> dict[Any, str]:
    """Return the format of each column of fractions; posteriors, P(class), share one."""
    fractions = table.loc[:, [pd.api.types.is_float_dtype(kind) for kind in table.dtypes]]
    posteriors = fractions.loc[:, [str(name).startswith("P(") for name in fractions.columns]]
    return {
        name: number_form(posteriors if name in posteriors else fractions[name])
        for name in fractions.columns
    }


def number_form(values: pd.Series | pd.DataFrame) -> str:
    """Return the format of numbers: all decimals of rounded ones, otherwise five digits."""
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    for decimals in range(_MOST_DECIMALS + 1):
        with np.errstate(invalid="ignore"):  # of infinite numbers
            differences = abs(numbers.round(decimals) - numbers)
        if not (differences >= 1e-9).any():
            return f".{decimals}f"
    return ".5g"


def describe(figure: go.Figure) -> str:
    """Return the title of a figure, and what it shows in words."""
    meta = figure.layout.meta
    return "\n".join(filter(None, [meta["title"], meta["subtitle"], meta["alt"]]))


def plain(value: Any) -> Any:
    """Return a value as JSON represents it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def digest(value: Any) -> str:
    """Return a digest of results, by their own `digest` if they have one."""
    hasher = hashlib.blake2b(digest_size=16)
    for chunk in _chunks(value):
        hasher.update(chunk)
    return hasher.hexdigest()


def _chunks(value: Any) -> Iterable[bytes]:
    """Yield the bytes of a value, part by part."""
    own = getattr(value, "digest", None)
    if isinstance(own, str) and own:
        yield own.encode()
    elif isinstance(value, np.ndarray):
        yield repr((value.shape, value.dtype.str)).encode()
        yield repr(value.tolist()).encode() if value.dtype == object else value.tobytes()
    elif isinstance(value, pd.DataFrame):
        yield repr(value.columns.tolist()).encode()
        yield pd.util.hash_pandas_object(value).to_numpy().tobytes()
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield repr(name).encode()
            yield from _chunks(item)
    elif isinstance(value, Display):
        yield value.key.encode()
    elif is_dataclass(value):
        for field in dataclass_fields(value):
            yield from _chunks(getattr(value, field.name))
    elif isinstance(value, list | tuple):
        yield f"{len(value)}".encode()
        for item in value:
            yield from _chunks(item)
    else:
        yield repr(value).encode()
