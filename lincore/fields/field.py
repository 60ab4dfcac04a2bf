"""Options declared once, as annotated fields of records.

Widgets, links and keywords are derived from them. A field declares type and bounds, choices,
default, label and a line of help. Choices that depend on the data or on preceding options are
rules: functions of a namespace with the known values. Constructors do not validate; every entry
point calls `checked`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache
from math import inf
from types import MappingProxyType, SimpleNamespace, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from lincore.errors import DataError
from lincore.fields.bounds import AtMost, Matching, refuse, shown
from lincore.fields.schema import Schema, defaults, is_record, names
from lincore.utils.code import call, literal

#: A function of the context and the preceding options: `so_far.results`, `so_far.score`.
#: In the annotations of a class, a lambda cannot refer to names of its module: they are evaluated
#: as texts, in the namespace of the class.
Rule: TypeAlias = Callable[[SimpleNamespace], Any]
_SCHEMA = Schema({})


@dataclass(frozen=True, eq=False)  # by identity, as choices may be a mapping
class Field:
    """The declaration of an option; an optional one is ``Annotated[float, Field(...)] | None``.

    Parameters
    ----------
    label, help : str
        The label of the widget, and a sentence on the effect of the option.
    low, high : float, optional
        Bounds of a number.
    longest : int, optional
        Characters of a text, or items of a list.
    pattern : str, optional
        Regular expression for a text; choices are then suggestions.
    wanted : str, optional
        Description of such a text for messages: "holdout or 10-fold".
    step : float, optional
        Increment of a number in widgets.
    choices : collection or Rule, optional
        Possible values; a mapping gives their names.
    auto : Rule, optional
        The value if nothing is chosen.
    when : Rule, optional
        The option is asked for only if true.
    unit : Rule, optional
        (name, factor) of the unit in which people read and enter the number.
    free : bool, default False
        Choices are suggestions: any value within the bounds is allowed.
    above : bool, default False
        The lower bound itself is not allowed.
    most : Rule, optional
        Upper bound of a number, if it depends on the data.
    start : number or Rule, optional
        Initial value if a number, or a record, is entered instead of one of the choices.
    slide : bool, default False
        Whether the widget is a slider.
    row : bool, default False
        Whether all choices are shown side by side.
    wording : Rule, optional
        (label, help) that depend on the data.
    main : bool, default False
        Whether the option matters to most users.
    marks : Rule, optional
        Values by name that a widget offers as buttons below it.
    per : tuple of str, default ()
        Preceding options: a value of this one is kept for each combination of their values.
    """

    label: str
    help: str = ""
    low: float | None = None
    high: float | None = None
    longest: int | None = None
    pattern: str | None = None
    wanted: str = ""
    step: float | None = None
    choices: Collection[Any] | Rule | None = None
    auto: Rule | None = None
    when: Rule | None = None
    unit: Rule | None = None
    free: bool = False
    above: bool = False
    most: Rule | None = None
    start: float | Rule | None = None
    slide: bool = False
    row: bool = False
    wording: Rule | None = None
    main: bool = False
    marks: Rule | None = None
    per: tuple[str, ...] = ()

    def __call__(self, value: Any, where: str) -> Any:
        """Return the value, or refuse a value outside the bounds; a bound of `Schema`."""
        if isinstance(value, (int, float)):
            self._check_bounds(value, where)
        if self.longest is not None:
            AtMost(self.longest)(value, where)
        if self.pattern is not None:
            Matching(self.pattern, self.wanted or "another text")(value, where)
        return value

    def _check_bounds(self, value: float, where: str) -> None:
        low, high = self.low, self.high
        # Written so that NaN is refused: all comparisons with it are false.
        if low is not None and self.above:
            is_high_enough = value > low
        else:
            is_high_enough = low is None or value >= low
        if not (is_high_enough and (high is None or value <= high)):
            least = f"above {low}" if self.above else f"from {low}"
            ends = [least] * (low is not None) + [f"to {high}"] * (high not in (None, inf))
            raise refuse(f"It is {shown(value)}.", where, f"Give a number {' '.join(ends)}.")


def per_cent(so_far: SimpleNamespace) -> tuple[str, float]:
    """Return per cent as the unit of a share; a rule."""
    return "%", 100


class FieldOption(NamedTuple):
    """One option of a record."""

    name: str
    type: Any  # bool, int, float or str; for lists and mappings that of their items or values
    is_list: bool
    default: Any
    field: Field
    is_mapping: bool = False
    words: tuple[str, ...] = ()  # of a `Literal`, also as one of several types
    records: Mapping[str, type] = MappingProxyType({})  # by name, as in choices

    def settings_key(self, so_far: SimpleNamespace) -> str:
        """Return the name under which settings keep a value."""
        return ".".join((self.name, *(str(getattr(so_far, name)) for name in self.field.per)))

    def choices(self, so_far: SimpleNamespace) -> Collection[Any] | None:
        """Return the possible values; None if any value of the type is allowed."""
        rule = self.field.choices
        return rule(so_far) if callable(rule) else rule

    def fits(self, value: Any, so_far: SimpleNamespace) -> bool:
        """Return whether a value of the right type is allowed."""
        if value is None:
            return True
        choices = self.choices(so_far)
        if choices is not None:
            chosen = set(value) if self.is_list else {choice_of(value)}
            if chosen <= set(choices):
                return True
            if self.field.pattern is None and not self.field.free:
                return False
        if self.type in (int, float) and isinstance(value, str):
            return False
        if self.field.most is not None and value > self.field.most(so_far):
            return False
        try:
            self.field(value, self.name)
        except (DataError, TypeError):
            return False
        return True

    def resolved(self, value: Any, so_far: SimpleNamespace) -> Any:
        """Return the value, or the default if nothing is chosen."""
        if value is None and self.field.auto is not None:
            return self.field.auto(so_far)
        return value


def choice_of(value: Any) -> Any:
    """Return a value as one of the choices: a record as the name of its type."""
    return type(value).__name__ if is_record(type(value)) else value


def options(record_type: Any) -> tuple[FieldOption, ...]:
    """Return the options of a record: its fields with a `Field`, in order; none for other types."""
    return _options(record_type) if is_record(record_type) else ()


@cache
def _options(record_type: Any) -> tuple[FieldOption, ...]:
    hints = get_type_hints(record_type, include_extras=True)
    record_options = []
    known = defaults(record_type)
    for name in names(record_type):
        for inner, field in _annotations(hints[name]):
            is_list = get_origin(inner) is Sequence or Ellipsis in get_args(inner)
            is_mapping = get_origin(inner) is Mapping
            kind = get_args(inner)[is_mapping] if is_list or is_mapping else inner
            if get_origin(kind) is Annotated:
                kind = kind.__origin__
            members = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
            words = tuple(
                word
                for member in members
                if get_origin(member) is Literal
                for word in get_args(member)
            )
            if len(members) > 1 or words:  # a number or a word
                kind = next(
                    (member for member in members if member in (int, float)),
                    str,
                )
            records = {member.__name__: member for member in members if is_record(member)}
            default = known.get(name, MISSING)
            record_options.append(
                FieldOption(name, kind, is_list, default, field, is_mapping, words, records)
            )
    return tuple(record_options)


def _annotations(hint: Any) -> Iterator[tuple[Any, Field]]:
    if get_origin(hint) is Annotated:
        yield from ((hint.__origin__, f) for f in hint.__metadata__ if isinstance(f, Field))
    elif get_origin(hint) in (Union, UnionType):
        for member in get_args(hint):
            yield from _annotations(member)


def given(record: Any) -> dict[str, Any]:
    """Return the options that differ from their defaults."""
    return {
        option.name: value
        for option in options(type(record))
        if (value := getattr(record, option.name)) != option.default
    }


def checked(
    record_type: type, raw: Mapping[str, Any], *, prefix: str = "", **context: Any
) -> dict[str, Any]:
    """Return validated options of a record: types, bounds and choices.

    Parameters
    ----------
    record_type : type
    raw : mapping of str to object
        Options by name.
    prefix : str
        Precedes the name of an option in errors.
    **context
        Context of the rules, such as ``results=...``; without it, rules are not evaluated.

    Raises
    ------
    DataError
        With the option, the value, and the possible values.
    """
    if not raw:
        return {}
    known = {option.name: option for option in options(record_type)}
    if unknown := [name for name in raw if name not in known]:
        wanted = f"There are: {', '.join(known) or 'none'}."
        raise refuse("There is no such option.", f"{prefix}{unknown[0]}", wanted)
    hints, values = get_type_hints(record_type, include_extras=True), {}
    so_far = SimpleNamespace(**context)
    for name, option in known.items():
        value = option.default
        if name in raw:
            value = values[name] = _SCHEMA.decode(hints[name], raw[name], f"{prefix}{name}")
            if context and not option.fits(value, so_far):
                choices = ", ".join(map(str, option.choices(so_far) or ()))
                raise refuse(
                    f"It is {shown(value)}.", f"{prefix}{name}", f"Choose from: {choices}."
                )
        if context:
            setattr(so_far, name, option.resolved(value, so_far))
    return values


def resolved(record: Any, **context: Any) -> SimpleNamespace:
    """Return the options of a record for rules, with None and invalid values resolved."""
    so_far = SimpleNamespace(**context)
    for option in options(type(record)):
        value = getattr(record, option.name)
        value = value if option.fits(value, so_far) else option.default
        setattr(so_far, option.name, option.resolved(value, so_far))
    return so_far


def call_text(record: Any, function: str, *arguments: str) -> str:
    """Return the call that makes a record, with the options that are not defaults."""
    keywords = {name: literal(value) for name, value in given(record).items()}
    return call(function, *arguments, **keywords)
