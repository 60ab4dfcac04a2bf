"""Conversion of records to JSON and back, validated by the types of their fields.

A record is a dataclass or a named tuple. Type hints give the types of its fields, and `Annotated`
their bounds (`lincore.fields.bounds`); without an annotation the bounds are `MOST_ITEMS` and
`MOST_CHARACTERS`. Defaults are omitted.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from math import inf, isfinite
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from lincore.errors import DataError
from lincore.fields.bounds import AtMost, number, refuse, shown

#: Bounds of lists, mappings and texts without an annotation.
MOST_ITEMS, MOST_CHARACTERS = 5_000, 10_000
#: The key that identifies the record type in a union.
TAG = "kind"

#: Types of a class label or a cell of a table.
Label = bool | int | float | str


class Schema:
    """Types and bounds of records, with overrides for some of them.

    Parameters
    ----------
    shapes : mapping of record to mapping of field to type
        Overrides for records without annotations, or with wider ones.
    """

    def __init__(self, shapes: Mapping[type, Mapping[str, Any]]) -> None:
        self._shapes = shapes
        self._hints: dict[type, dict[str, Any]] = {}

    def decode(self, kind: Any, value: Any, where: str) -> Any:
        """Decode a JSON value."""
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._bounded(arguments[0], arguments[1:], value, where)
        if origin in (Union, types.UnionType):
            return self._one_of(arguments, value, where)
        if origin is Literal:
            if not any(type(value) is type(choice) and value == choice for choice in arguments):
                wanted = f"Give one of: {', '.join(map(str, arguments))}."
                raise refuse(f"It is {shown(value)}.", where, wanted)
            return value
        if origin is tuple or origin is Sequence:
            return self._items(arguments, value, where)
        if origin is Mapping:
            return self._mapping(arguments[0], arguments[1], value, where)
        if kind is Any:
            return self.decode(Label | None, value, where)
        if is_record(kind):
            return self._record(kind, value, where)
        return _plain(kind, value, where)

    def encode(self, value: Any, *, tagged: bool = False) -> Any:
        """Encode a record as JSON values, without defaults."""
        if is_record(type(value)):
            given = ((name, getattr(value, name)) for name in self.hints(type(value)))
            default = defaults(type(value))
            encoded = {
                name: self.encode(item, tagged=_is_tagged(type(item)))
                for name, item in given
                if name not in default
                or type(item) is not type(default[name])
                or item != default[name]
            }
            return ({TAG: value.kind} if tagged else {}) | encoded
        if isinstance(value, Mapping):
            if all(isinstance(key, str) for key in value):
                return {key: self.encode(item) for key, item in value.items()}
            return [[self.encode(key), self.encode(item)] for key, item in value.items()]
        if isinstance(value, (list, tuple)):
            return [self.encode(item, tagged=_is_tagged(type(item))) for item in value]
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
            known = names(record)
            if set(known) <= set(shape):
                self._hints[record] = {name: shape[name] for name in known}
            else:
                own = get_type_hints(record, include_extras=True)
                self._hints[record] = {name: shape.get(name, own[name]) for name in known}
        return self._hints[record]

    def _bounded(self, kind: Any, bounds: tuple[Any, ...], value: Any, where: str) -> Any:
        infinite = any(getattr(bound, "high", None) == inf for bound in bounds)
        if kind is float or (infinite and value in ("inf", "-inf", inf, -inf)):
            decoded: Any = number(value, where, infinite=infinite)
        else:
            decoded = self.decode(kind, value, where)
        for bound in bounds:
            decoded = bound(decoded, where)
        return decoded

    def _one_of(self, kinds: tuple[Any, ...], value: Any, where: str) -> Any:
        """Decode a value as the first matching type of a union; records by their tag."""
        tagged = {kind.kind: kind for kind in kinds if _is_tagged(kind)}
        if tagged and not (value is None and type(None) in kinds):
            word = value.get(TAG) if isinstance(value, dict) else None
            if not isinstance(word, str) or word not in tagged:
                wanted = f"Give one of: {', '.join(tagged)}."
                raise refuse(f"Its {TAG} is {shown(word)}.", where, wanted)
            rest = {name: item for name, item in value.items() if name != TAG}
            return self._record(tagged[word], rest, where)
        reasons = []
        for kind in kinds:
            try:
                return self.decode(kind, value, where)
            except DataError as error:
                if kind is not type(None):
                    reasons.append(error)
        if len(reasons) == 1:
            raise reasons[0]
        raise refuse(f"It is {shown(value)}.", where, "Give a valid value, or leave it out.")

    def _items(self, kinds: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise refuse(f"It is {shown(value)}.", where, "Give a list.")
        AtMost(MOST_ITEMS)(value, where)
        if len(kinds) > 1 and kinds[1] is not Ellipsis:
            if len(value) != len(kinds):
                raise refuse(f"It has {len(value)} items.", where, f"Give {len(kinds)}.")
            item_kinds = kinds
        else:
            item_kinds = (kinds[0],) * len(value)
        return tuple(
            self.decode(kind, item, f"{where}[{i}]")
            for i, (kind, item) in enumerate(zip(item_kinds, value, strict=True))
        )

    def _mapping(self, key: Any, kind: Any, value: Any, where: str) -> dict[Any, Any]:
        """Decode a mapping; with keys other than text it is a list of pairs."""
        pairs = list(value.items()) if isinstance(value, Mapping) else value
        return dict(self._items((tuple[key, kind], ...), pairs, where))

    def _record(self, record: type, value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            raise refuse(f"It is {shown(value)}.", where, "Give its fields by name.")
        hints = self.hints(record)
        unknown = [name for name in value if name not in hints]
        if unknown:
            wanted = f"Its fields are: {', '.join(hints)}."
            raise refuse(f"There is no field {shown(unknown[0])}.", where, wanted)
        given = {
            name: self.decode(hints[name], item, f"{where}.{name}" if where else name)
            for name, item in value.items()
        }
        missing = [name for name in hints if name not in given and name not in defaults(record)]
        if missing:
            raise refuse(f"The field {missing[0]} is missing.", where, "Give it.")
        return record(**given)


def names(record: type) -> tuple[str, ...]:
    """Return the names of the fields of a record, in their order."""
    return getattr(record, "_fields", None) or tuple(field.name for field in fields(record))


def defaults(record: type) -> dict[str, Any]:
    """Return the defaults of the fields of a record that have one."""
    if hasattr(record, "_field_defaults"):
        return dict(record._field_defaults)
    values = {}
    for field in fields(record):
        if field.default is not MISSING:
            values[field.name] = field.default
        elif field.default_factory is not MISSING:
            values[field.name] = field.default_factory()
    return values


def is_record(kind: Any) -> bool:
    """Return whether a type is a record."""
    return isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_field_defaults"))


def _is_tagged(kind: Any) -> bool:
    return is_record(kind) and isinstance(getattr(kind, TAG, None), str)


def _plain(kind: Any, value: Any, where: str) -> Any:
    if kind is type(None):
        if value is None:
            return None
    elif kind is float:
        return number(value, where)
    elif kind is int:
        if type(value) is int and abs(value) <= 2**53:
            return value
    elif kind is str:
        if isinstance(value, str):
            return _text(value, where)
    elif kind is bool and isinstance(value, bool):
        return value
    nouns = {int: "a whole number", str: "a text", bool: "true or false"}
    raise refuse(f"It is {shown(value)}.", where, f"Give {nouns.get(kind, 'nothing')}.")


def _text(value: str, where: str) -> str:
    AtMost(MOST_CHARACTERS)(value, where)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refuse("It contains an incomplete character.", where, "Give valid Unicode.") from None
    return value
