"""The options that say what is fitted and how it is tested: methods, steps, seed."""

from __future__ import annotations

import argparse

import lincore
from lincore import model_selection
from lincore.analysis import SplitChoice
from lincore.cli.field_options import add_fields
from lincore.utils import listed

STEPS = ("standardize", "basis", "n_components", "whiten")


def add_method_options(parser: argparse.ArgumentParser, default: str) -> None:
    """Add methods, steps, test fraction and seed."""
    group = parser.add_argument_group("models")
    group.add_argument(
        "--methods",
        metavar="LIST",
        type=method_list,
        help=f'such as lda,qda,"logistic(C=0.1)" ({default}); there are '
        f"{listed(list(model_selection.CLASSIFIER_LABELS))}",
    )
    add_steps_and_seed(group)


def add_steps_and_seed(group: argparse._ArgumentGroup) -> None:
    """Add steps, test fraction and seed."""
    group.add_argument(
        "--steps",
        metavar="LIST",
        type=step_options,
        default={},
        help='preprocessing, such as "standardize=False, n_components=20, whiten=True, '
        'basis=polynomial(degree=2)"',
    )
    add_fields(group, SplitChoice, "test_size", "seed")


def one_method(text: str) -> str:
    """Return a method, checked."""
    methods = method_list(text)
    if len(methods) > 1:
        raise argparse.ArgumentTypeError("one method is wanted")
    return methods[0]


def method_list(text: str) -> tuple[str, ...]:
    """Return the methods of a list, checked."""
    try:
        return tuple(m.name for m in model_selection.as_methods(model_selection.split_specs(text)))
    except (ValueError, TypeError) as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def step_options(text: str) -> dict[str, object]:
    """Return the fields of `lincore.Steps` that a list gives."""
    try:
        given = model_selection.parse_spec(f"steps({text})")[1]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form step=value, ...") from error
    unknown = [name for name in given if name not in STEPS]
    if unknown:
        known = ", ".join(STEPS)
        raise argparse.ArgumentTypeError(f"there is no step {unknown[0]!r}; choose one of {known}")
    return given


def chosen_steps(options: argparse.Namespace, data: lincore.Dataset) -> lincore.Steps:
    """Return the steps of `default_steps`, with those that were given in their place."""
    n_train = round((1 - options.test_size) * data.n_rows)
    return model_selection.default_steps(data, n_train)._replace(**options.steps)


def positive(text: str) -> int:
    """Return a whole number from 1."""
    return _whole(text, 1)


def _whole(text: str, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least}")
    return int(text)


def fraction(text: str) -> float:
    """Return a share between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share between 0 and 1, such as 0.3")
    return value
