"""`lincore compare`: the scores of several methods on the same splits."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import lincore
from lincore import metrics, model_selection
from lincore.cli.analysis_options import (
    add_save_option,
    analysis_of,
    compare_question,
    with_saved,
)
from lincore.cli.answer import Answer, AnswerSection, display_section
from lincore.cli.data_findings import data_line, data_record, finding_sentences
from lincore.cli.data_options import add_data_options, load_data
from lincore.cli.field_options import add_fields
from lincore.cli.method_options import add_method_options, chosen_steps
from lincore.displays import ScoresDisplay

if TYPE_CHECKING:
    from lincore.utils import Progress

EXAMPLES = """examples:
  lincore compare titanic.csv --target Survived
  lincore compare digits.zip --methods lda,"logistic(C=0.1)" --scheme 10-fold --json
"""


def add_command(commands: Any) -> None:
    """Add the command to those of a parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "compare",
        help="compare methods on the same splits",
        description="Fit several methods on the same training rows, and predict the same test "
        "rows: scores with 95 % intervals, and groups of methods not significantly worse than "
        "their best.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_data_options(parser)
    add_method_options(parser, "those that suit the data")
    add_validation_options(parser)
    add_save_option(parser)


def add_validation_options(parser: argparse.ArgumentParser) -> None:
    """Add the validation, and the score that decides."""
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--scheme",
        help="holdout, 5-fold, 10-fold, 10x10-fold, leave-one-out, by-group, last, given (holdout)",
    )
    add_fields(group, ScoresDisplay, "score", "rope")


def run(options: argparse.Namespace, progress: Progress) -> Answer:
    """Compare, and return the scores."""
    data = load_data(options)
    asked = None
    if options.save_analysis:  # refused before anything is fitted
        asked = analysis_of(options, data, compare_question(options, data))
    results = compare_methods(options, data, progress)
    answer = comparison_answer(data, results, options.score, options.rope)
    return with_saved(answer, options, asked)


def compare_methods(
    options: argparse.Namespace, data: lincore.Dataset, progress: Progress
) -> lincore.Results:
    """Compare the methods of the options."""
    if options.score and options.score not in metrics.SCORES:
        known = ", ".join(metrics.SCORES)
        raise ValueError(f"There is no score {options.score!r}; choose one of {known}.")
    return lincore.compare(
        data,
        options.methods or model_selection.default_methods(data),
        options.scheme,
        steps=chosen_steps(options, data),
        seed=options.seed,
        test_size=options.test_size,
        progress=progress,
    )


def comparison_answer(
    data: lincore.Dataset, results: lincore.Results, score: str | None, rope: float
) -> Answer:
    """Return the scores of a comparison, and notes on the data."""
    scores = ScoresDisplay.of(results, score=score, rope=rope)
    findings = finding_sentences(data)
    settings = results.settings
    record = {
        "command": "compare",
        "data": data_record(data),
        "settings": {
            "scheme": settings.scheme,
            "seed": settings.seed,
            "test_size": settings.test_size,
            "score": scores.deciding,
            "rope": rope,
            "versions": settings.versions,
        },
        "displays": [scores.to_dict()],
        "failed": settings.failed,
        "findings": findings,
    }
    sections = [
        AnswerSection(data_line(data)),
        display_section(scores),
        *([AnswerSection("Notes on the data", findings)] if findings else []),
    ]
    return Answer(record, tuple(sections))
