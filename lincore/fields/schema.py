"""Records to JSON and back, by the types of their fields: nothing else is let in.

A record is a dataclass or a named tuple. Its fields say with `typing` what they hold, and with
`Annotated` within what bounds (`lincore.fields.bounds`); what is not annotated has the bounds
of `MOST_ITEMS` and `MOST_CHARACTERS`. Fields that have their default are left out.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from math import isfinite
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from lincore.errors import DataError
from lincore.fields.bounds import Between, number, refuse, shown

#: Of a list or a mapping, and of a text, whose type has no bound of its own.
MOST_ITEMS, MOST_CHARACTERS = 5_000, 10_000
#: The name that tells which record of a union is meant.
TAG = "kind"

#: What a label or a cell of a table may be.
Label = bool | int | float | str


class Schema:
    """Types and bounds of records that are written elsewhere, beside those that say their own.

    Parameters
    ----------
    shapes : mapping of record to mapping of field to type
        Fields of records that are not made for this, or need narrower bounds here.
    """

    def __init__(self, shapes: Mapping[type, Mapping[str, Any]]) -> None:
        self._shapes = shapes
        self._hints: dict[type, dict[str, Any]] = {}

    def decode(self, kind: Any, value: Any, place: str) -> Any:
        """Return what a value of JSON stands for."""
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._bounded(arguments[0], arguments[1:], value, place)
        if origin in (Union, types.UnionType):
            return self._one_of(arguments, value, place)
        if origin is Literal:
            if not any(type(value) is type(one) and value == one for one in arguments):
                wanted = f"Give one of: {', '.join(map(str, arguments))}."
                raise refuse(f"It is {shown(value)}.", place, wanted)
            return value
        if origin is tuple or origin is Sequence:
            return self._items(arguments, value, place)
        if origin is Mapping:
            return self._mapping(arguments[0], arguments[1], value, place)
        if kind is Any:
            return self.decode(Label | None, value, place)
        if _is_record(kind):
            return self._record(kind, value, place)
        return _plain(kind, value, place)

    def encode(self, value: Any, *, tagged: bool = False) -> Any:
        """Return a record as JSON has it: without what is as by default."""
        if _is_record(type(value)):
            given = ((name, getattr(value, name)) for name in self.hints(type(value)))
            default = defaults(type(value))
            found = {
                name: self.encode(part, tagged=_is_tagged(type(part)))
                for name, part in given
                if name not in default or not _same(part, default[name])
            }
            return ({TAG: value.kind} if tagged else {}) | found
        if isinstance(value, Mapping):
            if all(isinstance(key, str) for key in value):
                return {key: self.encode(part) for key, part in value.items()}
            return [[self.encode(key), self.encode(part)] for key, part in value.items()]
        if isinstance(value, (list, tuple)):
            return [self.encode(part, tagged=_is_tagged(type(part))) for part in value]
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float) and not isfinite(value):
            return str(value)
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise refuse(f"It is {shown(value)}.", "specification", "Use a number or a text.")

    def hints(self, record: type) -> dict[str, Any]:
        """Return the types of the fields of a record."""
        if record not in self._hints:
            shape = self._shapes.get(record, {})
            names = getattr(record, "_fields", None) or [one.name for one in fields(record)]
            if set(names) <= set(shape):
                self._hints[record] = {name: shape[name] for name in names}
            else:
                own = get_type_hints(record, include_extras=True)
                self._hints[record] = {name: shape.get(name, own[name]) for name in names}
        return self._hints[record]

    def _bounded(self, kind: Any, bounds: tuple[Any, ...], value: Any, place: str) -> Any:
        infinite = any(isinstance(one, Between) and not isfinite(one.high) for one in bounds)
        if kind is float:
            found: Any = number(value, place, infinite=infinite)
        else:
            found = self.decode(kind, value, place)
        for bound in bounds:
            found = bound(found, place)
        return found

    def _one_of(self, kinds: tuple[Any, ...], value: Any, place: str) -> Any:
        """Return the value as the first of some types that it is of; records by their tag."""
        tagged = {kind.kind: kind for kind in kinds if _is_tagged(kind)}
        if tagged and not (value is None and type(None) in kinds):
            word = value.get(TAG) if isinstance(value, dict) else None
            if not isinstance(word, str) or word not in tagged:
                wanted = f"Give one of: {', '.join(tagged)}."
                raise refuse(f"Its {TAG} is {shown(word)}.", place, wanted)
            rest = {name: part for name, part in value.items() if name != TAG}
            return self._record(tagged[word], rest, place)
        reasons = []
        for kind in kinds:
            try:
                return self.decode(kind, value, place)
            except DataError as error:
                if kind is not type(None):
                    reasons.append(error)
        raise (
            reasons[0]
            if len(reasons) == 1
            else refuse(
                f"It is {shown(value)}.", place, "Give what belongs there, or leave it out."
            )
        )

    def _items(self, kinds: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise refuse(f"It is {shown(value)}.", place, "Give a list.")
        if len(value) > MOST_ITEMS:
            wanted = f"Give at most {MOST_ITEMS:,}."
            raise refuse(f"It has {len(value):,} items.", place, wanted)
        if len(kinds) > 1 and kinds[1] is not Ellipsis:
            if len(value) != len(kinds):
                raise refuse(f"It has {len(value)} items.", place, f"Give {len(kinds)}.")
            every = kinds
        else:
            every = (kinds[0],) * len(value)
        return tuple(
            self.decode(kind, part, f"{place}[{i}]")
            for i, (kind, part) in enumerate(zip(every, value, strict=True))
        )

    def _mapping(self, key: Any, kind: Any, value: Any, place: str) -> dict[Any, Any]:
        """Return a mapping; one whose keys are no text is written as pairs."""
        pairs = list(value.items()) if isinstance(value, Mapping) else value
        found = self._items((tuple[key, kind], ...), pairs, place)
        return dict(found)

    def _record(self, record: type, value: Any, place: str) -> Any:
        if not isinstance(value, dict):
            raise refuse(f"It is {shown(value)}.", place, "Give its fields by name.")
        hints = self.hints(record)
        unknown = [name for name in value if name not in hints]
        if unknown:
            wanted = f"Its fields are: {', '.join(hints)}."
            raise refuse(f"There is no field {shown(unknown[0])}.", place, wanted)
        given = {
            name: self.decode(hints[name], part, f"{place}.{name}" if place else name)
            for name, part in value.items()
        }
        missing = [name for name in hints if name not in given and name not in defaults(record)]
        if missing:
            raise refuse(f"The field {missing[0]} is missing.", place, "Give it.")
        return record(**given)


def defaults(record: type) -> dict[str, Any]:
    """Return the defaults of the fields of a record that have one."""
    if hasattr(record, "_field_defaults"):
        return dict(record._field_defaults)
    found = {}
    for one in fields(record):
        if one.default is not MISSING:
            found[one.name] = one.default
        elif one.default_factory is not MISSING:
            found[one.name] = one.default_factory()
    return found


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_field_defaults"))


def _is_tagged(kind: Any) -> bool:
    return _is_record(kind) and isinstance(getattr(kind, TAG, None), str)


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are the same, of the same type as well."""
    return type(one) is type(other) and bool(one == other)


def _plain(kind: Any, value: Any, place: str) -> Any:
    if kind is type(None):
        if value is None:
            return None
    elif kind is float:
        return number(value, place)
    elif kind is int:
        if type(value) is int and abs(value) <= 2**53:
            return value
    elif kind is str:
        if isinstance(value, str):
            return _text(value, place)
    elif kind is bool and isinstance(value, bool):
        return value
    nouns = {int: "a whole number", str: "a text", bool: "true or false"}
    raise refuse(f"It is {shown(value)}.", place, f"Give {nouns.get(kind, 'nothing')}.")


def _text(value: str, place: str) -> str:
    if len(value) > MOST_CHARACTERS:
        wanted = f"Give at most {MOST_CHARACTERS:,}."
        raise refuse(f"It has {len(value):,} characters.", place, wanted)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refuse("It holds half a character.", place, "Give whole ones.") from None
    return value
