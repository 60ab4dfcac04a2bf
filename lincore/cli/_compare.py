"""`lincore compare`: the scores of several methods on the same splits."""

from __future__ import annotations

import argparse
from math import nan
from typing import TYPE_CHECKING, Any

import lincore
from lincore import metrics, model_selection, report
from lincore.cli.analysis_options import (
    add_save_option,
    analysis_of,
    compare_question,
    with_saved,
)
from lincore.cli.answer import Answer, AnswerSection
from lincore.cli.data_findings import data_line, data_record, finding_sentences
from lincore.cli.data_options import add_data_options, load_data
from lincore.cli.method_options import add_method_options, chosen_steps

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
        "rows: scores with 95 % intervals, and groups not shown to be worse than their best.",
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
    group.add_argument("--score", help="decides order and groups (accuracy, or balanced accuracy)")
    group.add_argument(
        "--rope",
        type=float,
        default=metrics.ROPE,
        metavar="SIZE",
        help=f"differences with intervals inside ± this are called equivalent ({metrics.ROPE})",
    )


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
        raise ValueError(f"No score is called {options.score!r}; there are {known}.")
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
    """Return the finding, the scores and the notes of a comparison."""
    score = score or metrics.leading_score(results.class_counts)
    ranked = metrics.rank_methods(results, score)
    notes = (*report.comparison_notes(results), *finding_sentences(data))
    finding = report.comparison_finding(results, score, rope)
    best = report.best_finding(results, score)
    scope = (
        report.evaluation_scope(results, data.kind.rows),
        report.interval_method(results, score),
    )
    sections = [
        AnswerSection(data_line(data), (finding, *filter(None, (best,)), " ".join(scope))),
        AnswerSection("", rows=_score_rows(ranked, score, rope)),
        *([AnswerSection("Notes", notes)] if notes else []),
    ]
    return Answer(_record(data, ranked, score, rope, notes), tuple(sections))


def _score_rows(ranked: lincore.Results, score: str, rope: float) -> tuple[dict[str, str], ...]:
    """Return the deciding score with its interval, and the values of the others."""
    groups = metrics.groups(ranked, score, rope)
    others = [name for name in metrics.available_scores(ranked) if name != score]
    rows = []
    for method, seconds in zip(ranked.methods, ranked.seconds, strict=True):
        found = metrics.score(ranked, method, score)
        row = {"model": ranked.settings.label(method)}
        row[report.score_heading(score)] = _cell(found, score)
        row["group"] = str(groups[method] or "")
        for name in others:
            value = metrics.score(ranked, method, name)._replace(low=nan, high=nan)
            row[report.score_heading(name)] = _cell(value, name)
        rows.append(row | {"seconds": f"{seconds:.3f}"})
    return tuple(rows)


def _cell(found: metrics.Interval, score: str) -> str:
    return report.format_score_cell(found, score) or "–"


def _record(
    data: lincore.Dataset, ranked: lincore.Results, score: str, rope: float, notes: tuple[str, ...]
) -> dict[str, Any]:
    settings, groups = ranked.settings, metrics.groups(ranked, score, rope)
    best = metrics.best_score(ranked, score)
    return {
        "command": "compare",
        "data": data_record(data),
        "settings": {
            "scheme": settings.scheme,
            "seed": settings.seed,
            "test_size": settings.test_size,
            "score": score,
            "rope": rope,
            "versions": settings.versions,
        },
        "finding": report.comparison_finding(ranked, score, rope),
        "best": None
        if best is None
        else {
            "method": best.method,
            "of": best.n_methods,
            "score": best.raw._asdict(),
            "corrected": best.corrected._asdict(),
        },
        "methods": [
            {
                "method": method,
                "label": settings.label(method),
                "group": groups[method] or None,
                "scores": {
                    name: metrics.score(ranked, method, name)._asdict()
                    for name in metrics.available_scores(ranked)
                },
                "steps": settings.steps.get(method, {}),
                "seconds": seconds,
            }
            for method, seconds in zip(ranked.methods, ranked.seconds, strict=True)
        ],
        "failed": settings.failed,
        "notes": notes,
    }
