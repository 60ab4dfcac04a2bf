"""The options that say what the data are: file, target, roles, missing values."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import Any, NamedTuple

import lincore
from lincore import io
from lincore.cli.reading_options import (
    add_reading_options,
    assignment,
    read_options,
    spelling_of_reading,
)
from lincore.errors import Hint
from lincore.io.files.sources import read_source

SAMPLE = "sample:"
STANDARD_INPUT = "-"


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Add the file and the options of how it is used."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a table (CSV, Excel, SPSS, Parquet and others), a zip of images in class folders, an "
        f"npz; {STANDARD_INPUT} for standard input, {SAMPLE}passengers for a bundled one",
    )
    group = parser.add_argument_group("data")
    group.add_argument(
        "--target", metavar="COLUMN", help="the column of the classes (default: guessed)"
    )
    group.add_argument(
        "--role",
        metavar="COLUMN=ROLE",
        action="append",
        type=assignment,
        help="feature, text, group, weight, frequency or ignore, instead of the proposed role; may "
        "be repeated",
    )
    group.add_argument(
        "--weights", metavar="COLUMN", help="sampling weights of the rows, in fits, scores, studies"
    )
    group.add_argument(
        "--frequencies", metavar="COLUMN", help="how many equal rows each row stands for"
    )
    group.add_argument(
        "--missing",
        choices=("median", "most_frequent", "indicator", "drop"),
        help="how missing values are filled in (median)",
    )
    cut = group.add_mutually_exclusive_group()
    cut.add_argument("--bins", type=int, metavar="N", help="bin a numeric target into N classes")
    cut.add_argument(
        "--threshold",
        type=float,
        action="append",
        metavar="VALUE",
        help="cut a numeric target at this value, which belongs to the upper class; may be "
        "repeated",
    )
    group.add_argument(
        "--drop-class", metavar="CLASS", action="append", help="leave a class out; may be repeated"
    )
    group.add_argument(
        "--merge-class",
        metavar="CLASS=NAME",
        action="append",
        type=assignment,
        help="give a class another name; may be repeated",
    )
    group.add_argument(
        "--category",
        metavar="COLUMN",
        action="append",
        help="treat a column as categorical; may be repeated",
    )
    group.add_argument("--drop-duplicates", action="store_true", help="remove duplicates")
    group.add_argument(
        "--size", metavar="HEIGHTxWIDTH", type=_size, help="images: pixels they are brought to"
    )
    group.add_argument("--colour", action="store_true", help="images: keep colours")
    add_reading_options(parser)


def load_data(options: argparse.Namespace, source: CommandSource | None = None) -> lincore.Dataset:
    """Load the data that the options of `add_data_options` name."""
    source = source or data_source(options.file, options.target)
    if isinstance(source.data, lincore.Dataset):
        return source.data
    return lincore.load(
        source.data,
        target=source.target,
        name=source.name,
        size=options.size,
        colour=options.colour,
        options=read_options(options),
        **table_choices(options),
    )


class CommandSource(NamedTuple):
    """Source of the data, as `lincore.load` takes it.

    Attributes
    ----------
    data : path, open file, bytes, DataFrame or Dataset
    name : str or None
        None where the data have one.
    target : str or None
    """

    data: Any
    name: str | None
    target: str | None


def data_source(file: str, target: str | None) -> CommandSource:
    """Return what a FILE on the command line stands for."""
    if file == STANDARD_INPUT:
        return CommandSource(*read_source(sys.stdin.buffer, "standard input"), target)
    if not file.startswith(SAMPLE):
        return CommandSource(file, None, target)
    name = file.removeprefix(SAMPLE)
    if name in io.SAMPLE_TABLES:
        return CommandSource(io.sample_file(name), f"{name}.csv", target or io.SAMPLE_TABLES[name])
    data = lincore.sample(name)
    if data.kind.is_images:
        return CommandSource(data, name, None)
    return CommandSource(data.to_frame(), name, target or data.target_name or "class")


def table_choices(options: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of `lincore.io.TableOptions` that were given."""
    counted = {options.weights: "weight", options.frequencies: "frequency"}
    given = {
        "roles": dict(options.role or ()) | {name: r for name, r in counted.items() if name},
        "missing": options.missing,
        "bins": options.bins or tuple(options.threshold or ()),
        "drop_classes": tuple(options.drop_class or ()),
        "merge_classes": dict(options.merge_class or ()),
        "drop_duplicates": options.drop_duplicates,
        "categories": tuple(options.category or ()),
    }
    return {name: value for name, value in given.items() if value}


def spelling(hint: Hint) -> str:
    """Return the options that apply a hint, or nothing where there are none."""
    words = [
        f"--target {shlex.quote(name)}"
        if role == "target"
        else f"--role {shlex.quote(f'{name}={role}')}"
        for name, role in hint.roles.items()
    ]
    for name, value in hint.options.items():
        if name == "drop_duplicates":
            words.append("--drop-duplicates")
        elif name == "drop_classes":
            words += [f"--drop-class {shlex.quote(str(label))}" for label in value]
        elif name == "merge_classes":
            words += [f"--merge-class {shlex.quote(f'{a}={b}')}" for a, b in value.items()]
        elif name == "bins":
            words.append(f"--bins {value}")
        elif name == "categories":
            words += [f"--category {shlex.quote(column)}" for column in value]
    words += ["--colour"] if hint.images.get("colour") else []
    words += spelling_of_reading(hint)
    return " ".join(words)


def _size(text: str) -> tuple[int, int]:
    height, cross, width = text.lower().partition("x")
    if not (cross and height.isdigit() and width.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form 32x32")
    return int(height), int(width)
