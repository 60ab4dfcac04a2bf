"""Options of commands, derived from the fields of records."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple, get_origin

import click

from lincore import fields, model_selection
from lincore.cli import _options
from lincore.cli._options import Decorator
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


def _height_and_width(text: str) -> tuple[int, int]:
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
    texts = text.split(",")
    pairs = map(assignment, texts if all("=" in each for each in texts) else [text])
    shares = {name.strip(): float(rows_or_share(share)) for name, share in pairs}
    if not all(0 < share < 1 for share in shares.values()):
        raise ValueError(f"{text!r} is not a share between 0 and 1, such as 0.3.")
    return shares


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
    "size": Spelling("", "HEIGHTxWIDTH", _height_and_width),
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

    The command receives the record as the argument `into`, or else each field as an argument.
    `defaults` override those of the fields.
    """
    chosen = [
        option._replace(default=defaults.get(option.name, option.default))
        for option in fields.options(record_type)
        if option.name in (names or (option.name,)) and option.name not in without
    ]
    # Two records may have fields of the same name.
    arguments = {option.name: f"{into}_{option.name}" if into else option.name for option in chosen}
    shorthands = {
        name: shorthand for name, shorthand in SHORTHANDS.items() if shorthand.field in arguments
    }

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def run(**values: Any) -> Any:
            for name, shorthand in shorthands.items():
                items, argument = values.pop(name), arguments[shorthand.field]
                others = values[argument]
                if items and others and not isinstance(others, tuple):
                    raise click.UsageError(f"--{shorthand.field} and --{name} cannot be combined.")
                values[argument] = (*(others or ()), *items) if items else others
            fields_given = {
                option.name: _value(option, values.pop(arguments[option.name])) for option in chosen
            }
            if into is None:
                return function(**values, **fields_given)
            given = {
                name: value for name, value in fields_given.items() if value not in (None, (), {})
            }
            return function(**values, **{into: record_type(**defaults | given)})

        decorated: Callable[..., Any] = run
        for name, shorthand in reversed(shorthands.items()):
            words, read = f"--{name} {shorthand.metavar}", shorthand.read
            decorated = _options.option(
                words, shorthand.help, kind=read, multiple=True, section=section
            )(decorated)
        for option in reversed(chosen):
            decorated = _decorator(option, arguments[option.name], section)(decorated)
        return decorated

    return decorate


def format_options(record_type: type, values: Mapping[str, Any]) -> list[str]:
    """Return the options that give some fields of a record their values."""
    words = []
    for option in fields.options(record_type):
        if option.name not in values:
            continue
        flag, value = f"--{_flag(option)}", values[option.name]
        if option.type is bool:
            words += [flag] * value
            continue
        if option.is_mapping:
            pairs = [
                (f"{name}=", item)
                for name, items in value.items()
                for item in (items if _is_appended(option) else [items])
            ]
        else:
            pairs = [("", item) for item in (value if option.is_list else [value])]
        words += [f"{flag} {shlex.quote(name + _text(option, item))}" for name, item in pairs]
    return words


def _spelling(option: fields.FieldOption) -> Spelling:
    return SPELLINGS.get(option.name, Spelling())


def _flag(option: fields.FieldOption) -> str:
    return _spelling(option).flag or option.name.replace("_", "-")


def _text(option: fields.FieldOption, value: Any) -> str:
    write = _spelling(option).write
    if write is not None:
        return str(write(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_appended(option: fields.FieldOption) -> bool:
    """Return whether an option gives one item of a list that a mapping holds."""
    return (
        option.is_mapping and get_origin(option.type) is not None and _spelling(option).read is None
    )


def _words(option: fields.FieldOption) -> tuple[str, ...]:
    """Return the possible texts, if they do not depend on the data."""
    field, given = option.field, option.field.choices
    if option.words or given is None or callable(given) or field.free or field.pattern:
        return option.words
    return tuple(word for word in given if isinstance(word, str))


def _is_many(option: fields.FieldOption) -> bool:
    many = _spelling(option).many
    return option.is_list or option.is_mapping if many is None else many


def _value(option: fields.FieldOption, value: Any) -> Any:
    """Return the value of a field from what click parsed."""
    if option.is_mapping:
        mapping: dict[str, Any] = {}
        for name, item in value:
            mapping[name] = (*mapping.get(name, ()), item) if _is_appended(option) else item
        return mapping
    if not isinstance(value, tuple) or option.is_list or not _is_many(option):
        return value
    if all(isinstance(item, Mapping) for item in value):
        return {name: share for item in value for name, share in item.items()} or option.default
    if value[1:] or value[0] not in option.words:
        known = " nor ".join(option.words)
        raise ValueError(f"--{_flag(option)} is neither {known} nor CLASS=SHARE.")
    return value[0]


def _decorator(option: fields.FieldOption, argument: str, section: str) -> Decorator:
    spelling, is_many = _spelling(option), _is_many(option)
    label, help = option.field.label, option.field.help
    if not help.partition(" ")[0][1:].isupper():  # no abbreviation
        help = help[:1].lower() + help[1:]
    texts = [f"{label}: {help}" if help else f"{label}.", spelling.note]
    texts += [f"Give {option.field.wanted}."] * bool(option.field.wanted)
    texts += ["May be repeated."] * is_many
    if fields.options(option.type):
        texts.append(
            f"Names: {listed([suboption.name for suboption in fields.options(option.type)])}."
        )
    if spelling.metavar == "SHARES":
        texts.append(f"Give {', '.join(option.words)}, or CLASS=SHARE for one or more classes.")
    names, details = f"{argument} --{_flag(option)}", dict[str, Any]()
    if option.type is not bool:
        words = () if spelling.read else _words(option)
        choices = f"[{'|'.join(words)}]" if words and " " not in "".join(words) else ""
        usual = "N" if option.type is int else _flag(option).rpartition("-")[2].upper()
        names += f" {spelling.metavar or choices or usual}"
        details = {"kind": click.Choice(words) if words else _reader(option)}
        details |= {"multiple": True} if is_many else {"default": option.default}
    return _options.option(names, " ".join(filter(None, texts)), section=section, **details)


def _reader(option: fields.FieldOption) -> Callable[[str], Any]:
    """Return the parser of an option, with the bounds of its field."""
    noun = {int: "a whole number", float: "a number"}.get(option.type, "a text")

    def item(text: str) -> Any:
        read = _spelling(option).read or (_number_or_text if _is_appended(option) else option.type)
        try:
            return read(text)
        except ValueError as error:
            if read is not option.type:
                raise
            raise ValueError(f"{text!r} is not {noun}.") from error

    def read(text: str) -> Any:
        if option.is_mapping:
            name, value = assignment(text)
            return name, item(value)
        value = item(text)
        return value if option.is_list or isinstance(value, bool) else option.field(value, "")

    def record(text: str) -> Any:
        """Return options of a record that is written like the options of a method."""
        return fields.checked(option.type, model_selection.parse_spec(f"{option.name}({text})")[1])

    return record if fields.options(option.type) else read


def _number_or_text(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
