"""Options of a command from the fields of a record: name, type, bounds, default and help."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from lincore import fields
from lincore.errors import DataError


def add_fields(group: argparse._ActionsContainer, record_type: type, *names: str) -> None:
    """Add an option for each named field of a record."""
    for option in fields.options(record_type):
        if option.name not in names:
            continue
        flag = f"--{option.name.replace('_', '-')}"
        text = f"{option.field.label}. {option.field.help}".replace("%", "%%")
        if option.type is bool:
            group.add_argument(flag, action="store_true", help=text)
            continue
        shown = "" if option.default is None else f" ({option.default})"
        group.add_argument(
            flag,
            type=_reader(option),
            default=option.default,
            metavar=option.name.rpartition("_")[2].upper(),
            help=f"{text}{shown}",
        )


def _reader(option: fields.FieldOption) -> Callable[[str], Any]:
    """Return what reads the text of an option, within the bounds of its field."""
    noun = {int: "a whole number", float: "a number"}.get(option.type, "a text")

    def read(text: str) -> Any:
        try:
            value = option.type(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {noun}") from None
        try:
            return option.field(value, "")
        except DataError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read
