"""Options written once, as annotated fields of records: widgets, links, keywords follow from them.

A field says what an option is: its type and bounds, its choices, its default, a label and a line
of help. Choices that depend on the data, or on the options before it, are rules: functions of
what is known so far. Constructors do not validate; `checked` does, at every door.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from types import SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar, Union
from typing import get_args as args_of
from typing import get_origin as origin_of

import msgspec
from msgspec import Meta, Struct

from lincore.errors import DataError
from lincore.utils.code import call, literal

T = TypeVar("T", bound=Struct)
#: Computes something from the context and the options before it: `so_far.results`, `so_far.score`.
Rule: TypeAlias = Callable[[SimpleNamespace], Any]


class Hints(NamedTuple):
    """The part of a field that its type and bounds do not express."""

    step: float | None = None
    format: str | None = None
    choices: Collection[Any] | Rule | None = None  # a mapping gives the choices their names
    auto: Rule | None = None  # the value that None stands for
    when: Rule | None = None  # the option is asked for only if true
    unit: Rule | None = None  # (name, factor): how people read and enter the number


class Option(NamedTuple):
    """One option of a record."""

    name: str
    type: Any  # bool, int, float or str; of the items if it is a list
    is_list: bool
    default: Any
    label: str
    help: str
    low: float | None
    high: float | None
    hints: Hints

    def choices(self, so_far: SimpleNamespace) -> Collection[Any] | None:
        """Return the values on offer; None if any value of the type may be given."""
        rule = self.hints.choices
        return rule(so_far) if callable(rule) else rule

    def fits(self, value: Any, so_far: SimpleNamespace) -> bool:
        """Return whether a value of the right type is within the bounds and on offer."""
        if value is None:
            return True
        if self.type in (int, float) and not self.is_list:
            if self.low is not None and value < self.low:
                return False
            if self.high is not None and value > self.high:
                return False
        if (choices := self.choices(so_far)) is None:
            return True
        return set(value) <= set(choices) if self.is_list else value in choices

    def resolved(self, value: Any, so_far: SimpleNamespace) -> Any:
        """Return the value, or what None stands for."""
        if value is None and self.hints.auto is not None:
            return self.hints.auto(so_far)
        return value


def Field(  # noqa: N802, reads as a type in an annotation
    label: str,
    help: str = "",
    *,
    low: float | None = None,
    high: float | None = None,
    longest: int | None = None,
    pattern: str | None = None,
    **hints: Any,
) -> Meta:
    """Describe an option; write ``Annotated[float, Field(...)] | None`` if it may be left out.

    Parameters
    ----------
    label, help : str
        The name of the widget, and a sentence about what the option does.
    low, high : float, optional
        Bounds of a number.
    longest : int, optional
        Characters of a text, or items of a list.
    pattern : str, optional
        Regular expression that a text matches.
    **hints
        Fields of `Hints`.
    """
    bounds: dict[str, Any] = {"ge": low, "le": high, "max_length": longest, "pattern": pattern}
    return Meta(title=label, description=help, extra={"hints": Hints(**hints)}, **bounds)


# Evaluates the annotations anew at every call: a quarter of the time of a page.
_parts = cache(msgspec.structs.fields)


@cache
def options(record_type: type[Struct]) -> tuple[Option, ...]:
    """Return the options of a record: its fields with a `Field`, in the order of asking."""
    found = []
    for field in _parts(record_type):
        for inner, meta in _annotations(field.type):
            if not (meta.extra and "hints" in meta.extra):
                continue
            hints, is_list = meta.extra["hints"], origin_of(inner) is tuple
            kind = args_of(inner)[0] if is_list else inner
            kind = next((base for base, _ in _annotations(kind)), kind)
            if origin_of(kind) is Literal:
                hints, kind = hints._replace(choices=args_of(kind)), str
            texts = (meta.title or field.name, meta.description or "")
            found.append(
                Option(field.name, kind, is_list, field.default, *texts, meta.ge, meta.le, hints)
            )
    return tuple(found)


def _annotations(hint: Any) -> Iterator[tuple[Any, Meta]]:
    if origin_of(hint) is Annotated:
        yield from ((hint.__origin__, meta) for meta in hint.__metadata__)
    elif origin_of(hint) in (Union, UnionType):
        for part in args_of(hint):
            yield from _annotations(part)


@cache
def _stored(record_type: type[Struct]) -> type[Struct]:
    """Return a record that holds the options of another one and nothing else."""
    named = {option.name for option in options(record_type)}
    held = [(f.name, f.type, f.default) for f in _parts(record_type) if f.name in named]
    name = f"{record_type.__name__}Options"
    return msgspec.defstruct(name, held, frozen=True, forbid_unknown_fields=True)


def given(record: Struct) -> dict[str, Any]:
    """Return the options that differ from their defaults, as plain values.

    Compared by ``==``: msgspec's own `omit_defaults` compares by identity.
    """
    return {
        option.name: msgspec.to_builtins(value)
        for option in options(type(record))
        if (value := getattr(record, option.name)) != option.default
    }


def checked(record_type: type[Struct], raw: Mapping[str, Any], **context: Any) -> dict[str, Any]:
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
    unknown = [name for name in raw if name not in {o.name for o in options(record_type)}]
    if unknown:
        known = ", ".join(o.name for o in options(record_type)) or "none"
        raise DataError("There is no such option.", where=unknown[0], remedy=f"There are: {known}.")
    try:
        record = msgspec.convert(dict(raw), _stored(record_type))
    except msgspec.ValidationError as error:
        cause, _, path = str(error).partition(" - at `$")
        name = path.strip(".`").partition("[")[0]
        raise DataError(f"{cause}, not {raw.get(name)!r:.60}.", where=name) from None
    values, so_far = {}, SimpleNamespace(**context)
    for option in options(record_type):
        value = getattr(record, option.name)
        if context and option.name in raw and not option.fits(value, so_far):
            known = ", ".join(map(str, option.choices(so_far) or ()))
            raise DataError(f"It is {value!r}.", where=option.name, remedy=f"Choose from: {known}.")
        if context:
            setattr(so_far, option.name, option.resolved(value, so_far))
        if option.name in raw:
            values[option.name] = value
    return values


def call_text(record: Struct, function: str, *arguments: str) -> str:
    """Return the call that makes a record, with the options that differ from their defaults."""
    keywords = {name: literal(value) for name, value in given(record).items()}
    return call(function, *arguments, **keywords)
