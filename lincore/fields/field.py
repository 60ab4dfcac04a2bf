"""Options written once, as annotated fields of records: widgets, links, keywords follow from them.

A field says what an option is: its type and bounds, its choices, its default, a label and a line
of help. Choices that depend on the data, or on the options before it, are rules: functions of
what is known so far. Constructors do not validate; `checked` does, at every door.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass
from dataclasses import fields as fields_of
from functools import cache
from types import SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_type_hints
from typing import get_args as args_of
from typing import get_origin as origin_of

from lincore.errors import DataError
from lincore.fields.bounds import refuse, shown
from lincore.fields.schema import Schema
from lincore.utils.code import call, literal

#: Computes something from the context and the options before it: `so_far.results`, `so_far.score`.
Rule: TypeAlias = Callable[[SimpleNamespace], Any]
_SCHEMA = Schema({})


@dataclass(frozen=True)
class Field:
    """What an option is; write ``Annotated[float, Field(...)] | None`` if it may be left out.

    Parameters
    ----------
    label, help : str
        The name of the widget, and a sentence about what the option does.
    low, high : float, optional
        Bounds of a number.
    longest : int, optional
        Characters of a text, or items of a list.
    pattern : str, optional
        Regular expression that a text matches; choices are suggestions then.
    wanted : str, optional
        What such a text is, as a message asks for it: "holdout or 10-fold".
    step : float, optional
        By which a widget changes a number.
    choices : collection or Rule, optional
        What can be chosen; a mapping gives the choices their names.
    auto : Rule, optional
        The value if nothing is chosen.
    when : Rule, optional
        The option is asked for only if true.
    unit : Rule, optional
        (name, factor): how people read and enter the number.
    slide : bool, default False
        A slider, for a number that is tried out.
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
    slide: bool = False

    def __call__(self, value: Any, place: str) -> Any:
        """Return the value if it is within the bounds, or refuse it; a bound of `Schema`."""
        low, high = self.low, self.high
        # Not by "<" and ">": no comparison with NaN holds.
        if not ((low is None or value >= low) and (high is None or value <= high)):
            ends = [f"from {low}"] * (low is not None) + [f"to {high}"] * (high is not None)
            raise refuse(f"It is {shown(value)}.", place, f"Give a number {' '.join(ends)}.")
        if self.longest is not None and len(value) > self.longest:
            noun = "characters" if isinstance(value, str) else "items"
            wanted = f"Give at most {self.longest:,}."
            raise refuse(f"It has {len(value):,} {noun}.", place, wanted)
        if self.pattern is not None and not re.fullmatch(self.pattern, value):
            raise refuse(f"It is {shown(value)}.", place, f"Give {self.wanted or 'another text'}.")
        return value


def per_cent(so_far: SimpleNamespace) -> tuple[str, float]:
    """Return the unit of a share that people read and enter in per cent; a rule."""
    return "%", 100


class FieldOption(NamedTuple):
    """One option of a record."""

    name: str
    type: Any  # bool, int, float or str; of the items if it is a list
    is_list: bool
    default: Any
    field: Field

    def choices(self, so_far: SimpleNamespace) -> Collection[Any] | None:
        """Return the values on offer; None if any value of the type may be given."""
        rule = self.field.choices
        return rule(so_far) if callable(rule) else rule

    def fits(self, value: Any, so_far: SimpleNamespace) -> bool:
        """Return whether a value of the right type is within the bounds and on offer."""
        if value is None:
            return True
        try:
            self.field(value, self.name)
        except (DataError, TypeError):
            return False
        if self.field.pattern is not None or (choices := self.choices(so_far)) is None:
            return True
        return set(value) <= set(choices) if self.is_list else value in choices

    def resolved(self, value: Any, so_far: SimpleNamespace) -> Any:
        """Return the value, or the one that holds if nothing is chosen."""
        if value is None and self.field.auto is not None:
            return self.field.auto(so_far)
        return value


def options(record_type: Any) -> tuple[FieldOption, ...]:
    """Return the options of a record: its fields with a `Field`, in the order of asking."""
    return _options(record_type)


@cache
def _options(record_type: Any) -> tuple[FieldOption, ...]:
    hints = get_type_hints(record_type, include_extras=True)
    found = []
    for part in fields_of(record_type):
        for inner, field in _annotations(hints[part.name]):
            is_list = origin_of(inner) is tuple
            kind = args_of(inner)[0] if is_list else inner
            if origin_of(kind) is Annotated:
                kind = kind.__origin__
            if origin_of(kind) is Literal:
                kind = str
            default = part.default
            if default is MISSING and part.default_factory is not MISSING:
                default = part.default_factory()
            found.append(FieldOption(part.name, kind, is_list, default, field))
    return tuple(found)


def _annotations(hint: Any) -> Iterator[tuple[Any, Field]]:
    if origin_of(hint) is Annotated:
        yield from ((hint.__origin__, f) for f in hint.__metadata__ if isinstance(f, Field))
    elif origin_of(hint) in (Union, UnionType):
        for part in args_of(hint):
            yield from _annotations(part)


def given(record: Any) -> dict[str, Any]:
    """Return the options that differ from their defaults."""
    return {
        option.name: value
        for option in options(type(record))
        if (value := getattr(record, option.name)) != option.default
    }


def checked(record_type: type, raw: Mapping[str, Any], **context: Any) -> dict[str, Any]:
    """Return options of a record, validated: types, bounds, and what the context offers.

    Parameters
    ----------
    record_type : type
    raw : mapping of str to object
        Options by name.
    **context
        What rules may read, such as ``results=...``; without any, rules are not asked.

    Raises
    ------
    DataError
        With the option, the value, and what is possible.
    """
    known = {option.name: option for option in options(record_type)}
    if unknown := [name for name in raw if name not in known]:
        wanted = f"There are: {', '.join(known) or 'none'}."
        raise refuse("There is no such option.", unknown[0], wanted)
    hints, values = get_type_hints(record_type, include_extras=True), {}
    so_far = SimpleNamespace(**context)
    for name, option in known.items():
        value = option.default
        if name in raw:
            value = values[name] = _SCHEMA.decode(hints[name], raw[name], name)
            if context and not option.fits(value, so_far):
                choices = ", ".join(map(str, option.choices(so_far) or ()))
                raise refuse(f"It is {shown(value)}.", name, f"Choose from: {choices}.")
        if context:
            setattr(so_far, name, option.resolved(value, so_far))
    return values


def resolved(record: Any, **context: Any) -> SimpleNamespace:
    """Return the options of a record as rules read them: with what None and misfits stand for."""
    so_far = SimpleNamespace(**context)
    for option in options(type(record)):
        value = getattr(record, option.name)
        value = value if option.fits(value, so_far) else option.default
        setattr(so_far, option.name, option.resolved(value, so_far))
    return so_far


def call_text(record: Any, function: str, *arguments: str) -> str:
    """Return the call that makes a record, with the options that differ from their defaults."""
    keywords = {name: literal(value) for name, value in given(record).items()}
    return call(function, *arguments, **keywords)
