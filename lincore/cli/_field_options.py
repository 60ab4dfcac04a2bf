"""Options of commands, derived from the fields of records."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple
from typing import get_origin as origin_of

import click

from lincore import fields, model_selection
from lincore.cli._options import Decorator, option
from lincore.utils import listed


class Spelling(NamedTuple):
    """How an option is written, if its flag or its values differ from those of its field."""

    # `read` and `write` convert a value, an item of a list, or a value of a mapping. `many`
    # says whether the option may be repeated, if the field does not; `note` completes the
    # help.

    flag: str = ""
    metavar: str = ""
    read: Callable[[str], Any] | None = None
    write: Callable[[Any], str] | None = None
    many: bool | None = None
    note: str = ""


class Shorthand(NamedTuple):
    """A further option for items of a field; it may be repeated."""

    field: str
    metavar: str
    help: str
    read: Callable[[str], Any]


_SIGNS = {"\\t": "\t", "tab": "\t", "space": " ", "none": ""}
_SIGN_NAMES = {sign: name for name, sign in _SIGNS.items()}
_HEADERS = {"yes": True, "no": False}


def assignment(text: str) -> tuple[str, str]:
    """Split NAME=VALUE at its last equals sign."""
    name, equals, value = text.rpartition("=")
    if not equals or not name:
        raise ValueError(f"{text!r} is not of the form NAME=VALUE.")
    return name, value


def _header(text: str) -> bool | int:
    if text not in _HEADERS and not text.isdecimal():
        raise ValueError(f"{text!r} is neither yes nor no nor a line number.")
    return _HEADERS[text] if text in _HEADERS else int(text)


def _size(text: str) -> tuple[int, int]:
    height, cross, width = text.lower().partition("x")
    if not (cross and height.isdigit() and width.isdigit()):
        raise ValueError(f"{text!r} is not of the form 32x32.")
    return int(height), int(width)


def rows_or_share(text: str) -> int | float:
    """Return rows as a whole number, and a share as a number up to one."""
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        raise ValueError(
            f"{text!r} is neither a number of rows, such as 300, nor a share, such as 20%."
        ) from None


def _word_or_shares(text: str) -> str | dict[str, float]:
    """Return a word, or the shares of one or several classes."""
    if "=" not in text:
        return text
    parts = text.split(",")
    pairs = map(assignment, parts if all("=" in part for part in parts) else [text])
    found = {name.strip(): float(rows_or_share(share)) for name, share in pairs}
    if not all(0 < share < 1 for share in found.values()):
        raise ValueError(f"{text!r} is not a share between 0 and 1, such as 0.3.")
    return found


def _methods(text: str) -> tuple[str, ...]:
    """Return the methods of a list, checked."""
    return tuple(m.name for m in model_selection.as_methods(model_selection.split_specs(text)))


def _method(text: str) -> str:
    return model_selection.as_method(text).name


_CLASSIFIERS = (
    f'With options such as "logistic(C=0.1)". Classifiers: '
    f"{listed(list(model_selection.CLASSIFIER_LABELS))}."
)
_SHARES = Spelling("", "SHARES", _word_or_shares, many=True)
#: Fields whose options are written differently; repeated ones are named in the singular.
SPELLINGS: Mapping[str, Spelling] = {
    **dict.fromkeys(
        ("separator", "decimal", "thousands", "quote", "comment"),
        Spelling("", "SIGN", lambda text: _SIGNS.get(text, text), lambda s: _SIGN_NAMES.get(s, s)),
    ),
    "header": Spelling(
        "", "LINE", _header, lambda line: {True: "yes", False: "no"}.get(line, line)
    ),
    "uneven": Spelling(note="mend: repair, or else skip; keep: repair, or else cut."),
    "missing_in": Spelling("missing-code", "COLUMN=VALUE"),
    "cut_at": Spelling("cut", "COLUMN=MARK"),
    "ordered": Spelling("", "COLUMN=LOW<...<HIGH", lambda text: tuple(text.split("<")), "<".join),
    "overrule": Spelling("", "CODE"),
    "missing_codes": Spelling("na", "CODE"),
    "roles": Spelling("role", "COLUMN=ROLE"),
    "categories": Spelling("category", "COLUMN"),
    "drop_classes": Spelling("drop-class", "CLASS", str),
    "merge_classes": Spelling("merge-class", "CLASS=NAME"),
    "size": Spelling("", "HEIGHTxWIDTH", _size),
    "how": Spelling("test-set"),
    "target": Spelling("", "COLUMN"),
    "methods": Spelling(
        "",
        "LIST",
        _methods,
        many=False,
        note=f"{_CLASSIFIERS}  [default: those that suit the data]",
    ),
    "classifier": Spelling("method", "METHOD", _method, note=_CLASSIFIERS),
    "steps": Spelling("", "LIST", note='For example "n_components=20, whiten=True".'),
    "prevalence": _SHARES,
    "priors": _SHARES,
    # --threshold cuts a numeric target.
    "threshold": Spelling("decision-threshold", "POSTERIOR"),
    "sizes": Spelling("reduce", "CLASS=SIZE", rows_or_share, note="Rows, or a share: 300 or 20%."),
}
SHORTHANDS: Mapping[str, Shorthand] = {
    "weights": Shorthand(
        "roles", "COLUMN", "Sampling weights of the rows.", lambda name: (name, "weight")
    ),
    "frequencies": Shorthand(
        "roles",
        "COLUMN",
        "Number of equal rows that a row represents.",
        lambda name: (name, "frequency"),
    ),
    "threshold": Shorthand(
        "bins",
        "VALUE",
        "Cut a numeric target at this value, which belongs to the upper class. May be repeated.",
        float,
    ),
}


def field_options(
    record_type: type,
    *names: str,
    without: Sequence[str] = (),
    section: str = "Options",
    into: str | None = None,
    **defaults: Any,
) -> Decorator:
    """Return a decorator that adds an option for each named field of a record, or for all but some.

    The command receives the record as the argument `into`, or else each field as one of its own.
    Here an option may have another default than its field.
    """
    chosen = [
        one._replace(default=defaults.get(one.name, one.default))
        for one in fields.options(record_type)
        if one.name in (names or (one.name,)) and one.name not in without
    ]
    # Two records may have fields of one name.
    place = {one.name: f"{into}_{one.name}" if into else one.name for one in chosen}
    short = {name: one for name, one in SHORTHANDS.items() if one.field in place}

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(**values: Any) -> Any:
            for name, one in short.items():
                items, others = values.pop(name), values[place[one.field]]
                if items and others and not isinstance(others, tuple):
                    raise click.UsageError(f"--{one.field} and --{name} cannot be combined.")
                values[place[one.field]] = (*(others or ()), *items) if items else others
            found = {one.name: _value(one, values.pop(place[one.name])) for one in chosen}
            if into is None:
                return function(**values, **found)
            given = {name: value for name, value in found.items() if value not in (None, (), {})}
            return function(**values, **{into: record_type(**defaults | given)})

        decorated: Callable[..., Any] = run
        for name, one in reversed(short.items()):
            words = f"--{name} {one.metavar}"
            decorated = option(words, one.help, kind=one.read, multiple=True, section=section)(
                decorated
            )
        for one in reversed(chosen):
            decorated = _decorator(one, place[one.name], section)(decorated)
        return decorated

    return decorate


def spelled(record_type: type, values: Mapping[str, Any]) -> list[str]:
    """Return the options that give some fields of a record their values."""
    words = []
    for one in fields.options(record_type):
        if one.name not in values:
            continue
        flag, value = f"--{_flag(one)}", values[one.name]
        if one.type is bool:
            words += [flag] * value
            continue
        if one.is_mapping:
            pairs = [
                (f"{name}=", part)
                for name, parts in value.items()
                for part in (parts if _is_appended(one) else [parts])
            ]
        else:
            pairs = [("", part) for part in (value if one.is_list else [value])]
        words += [f"{flag} {shlex.quote(name + _text(one, part))}" for name, part in pairs]
    return words


def _spelling(one: fields.FieldOption) -> Spelling:
    return SPELLINGS.get(one.name, Spelling())


def _flag(one: fields.FieldOption) -> str:
    return _spelling(one).flag or one.name.replace("_", "-")


def _text(one: fields.FieldOption, value: Any) -> str:
    write = _spelling(one).write
    if write is not None:
        return str(write(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_appended(one: fields.FieldOption) -> bool:
    """Return whether an option gives one item of a list that a mapping holds."""
    return one.is_mapping and origin_of(one.type) is not None and _spelling(one).read is None


def _words(one: fields.FieldOption) -> tuple[str, ...]:
    """Return the possible texts, if they do not depend on the data."""
    field, given = one.field, one.field.choices
    if one.words or given is None or callable(given) or field.free or field.pattern:
        return one.words
    return tuple(word for word in given if isinstance(word, str))


def _is_many(one: fields.FieldOption) -> bool:
    many = _spelling(one).many
    return one.is_list or one.is_mapping if many is None else many


def _value(one: fields.FieldOption, value: Any) -> Any:
    """Return the value of a field from what click parsed."""
    if one.is_mapping:
        found: dict[str, Any] = {}
        for name, part in value:
            found[name] = (*found.get(name, ()), part) if _is_appended(one) else part
        return found
    if not isinstance(value, tuple) or one.is_list or not _is_many(one):
        return value
    if all(isinstance(part, Mapping) for part in value):
        return {name: share for part in value for name, share in part.items()} or one.default
    if value[1:] or value[0] not in one.words:
        known = " nor ".join(one.words)
        raise ValueError(f"--{_flag(one)} is neither {known} nor CLASS=SHARE.")
    return value[0]


def _decorator(one: fields.FieldOption, place: str, section: str) -> Decorator:
    spelling, is_many = _spelling(one), _is_many(one)
    label, help = one.field.label, one.field.help
    if not help.partition(" ")[0][1:].isupper():  # no abbreviation
        help = help[:1].lower() + help[1:]
    texts = [f"{label}: {help}" if help else f"{label}.", spelling.note]
    texts += [f"Give {one.field.wanted}."] * bool(one.field.wanted) + ["May be repeated."] * is_many
    if fields.options(one.type):
        texts.append(f"Names: {listed([part.name for part in fields.options(one.type)])}.")
    if spelling.metavar == "SHARES":
        texts.append(f"Give {', '.join(one.words)}, or CLASS=SHARE for one or more classes.")
    names, details = f"{place} --{_flag(one)}", dict[str, Any]()
    if one.type is not bool:
        words = () if spelling.read else _words(one)
        choices = f"[{'|'.join(words)}]" if words and " " not in "".join(words) else ""
        usual = "N" if one.type is int else _flag(one).rpartition("-")[2].upper()
        names += f" {spelling.metavar or choices or usual}"
        details = {"kind": click.Choice(words) if words else _reader(one)}
        details |= {"multiple": True} if is_many else {"default": one.default}
    return option(names, " ".join(filter(None, texts)), section=section, **details)


def _reader(one: fields.FieldOption) -> Callable[[str], Any]:
    """Return the parser of an option, with the bounds of its field."""
    noun = {int: "a whole number", float: "a number"}.get(one.type, "a text")

    def item(text: str) -> Any:
        read = _spelling(one).read or (_number_or_text if _is_appended(one) else one.type)
        try:
            return read(text)
        except ValueError as error:
            if read is not one.type:
                raise
            raise ValueError(f"{text!r} is not {noun}.") from error

    def read(text: str) -> Any:
        if one.is_mapping:
            name, value = assignment(text)
            return name, item(value)
        value = item(text)
        return value if one.is_list or isinstance(value, bool) else one.field(value, "")

    def record(text: str) -> Any:
        """Return options of a record that is written like the options of a method."""
        return fields.checked(one.type, model_selection.parse_spec(f"{one.name}({text})")[1])

    return record if fields.options(one.type) else read


def _number_or_text(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
