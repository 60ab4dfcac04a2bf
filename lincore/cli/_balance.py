"""`lincore balance`: the cost of an imbalance, or of one that is made, and what recovers it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import lincore
from lincore import imbalance, report
from lincore.analysis import BalanceCostQuestion, BalanceStudyQuestion
from lincore.cli.analysis_options import add_save_option, analysis_of, with_saved, words_of
from lincore.cli.answer import Answer, AnswerSection
from lincore.cli.data_findings import class_named, data_line, data_record, finding_sentences
from lincore.cli.data_options import add_data_options, load_data
from lincore.cli.method_options import add_method_options, chosen_steps, positive
from lincore.cli.reading_options import assignment

if TYPE_CHECKING:
    from lincore.analysis import Analysis
    from lincore.utils import Progress

METHODS = ("lda", "qda", "logistic")
EXAMPLES = """examples:
  lincore balance titanic.csv --target Survived --methods lda
  lincore balance faults.csv --miss-cost 20
  lincore balance faults.csv --prevalence faulty=0.02
  lincore balance iris.csv --reduce virginica=10 --reduce setosa=50%
"""


def add_command(commands: Any) -> None:
    """Add the command to those of a parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "balance",
        help="what an imbalance costs, and what recovers it",
        description="Decompose the cost of the file's imbalance under the class shares of "
        "deployment, and compare corrections. With --reduce: create an imbalance by leaving out "
        "training rows of some classes.",
        epilog=EXAMPLES.replace("%", "%%"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_data_options(parser)
    add_method_options(parser, ",".join(METHODS))
    parser.add_argument(
        "--prevalence",
        metavar="SHARES",
        action="append",
        help="of the classes in deployment: equal, file, or CLASS=SHARE, which may be repeated "
        "(equal)",
    )
    parser.add_argument(
        "--miss-cost",
        metavar="RATIO",
        type=float,
        help="of an error on the rarest class, in errors on the others (false alarms); with the "
        "class shares of the file, unless --prevalence gives others (the class ratio)",
    )
    parser.add_argument(
        "--reduce",
        metavar="CLASS=SIZE",
        action="append",
        type=assignment,
        help="training rows kept of a class, such as 300 or 20%%; may be repeated",
    )
    parser.add_argument("--repeats", type=positive, default=20, help="random splits (20)")
    add_save_option(parser)


def run(options: argparse.Namespace, progress: Progress) -> Answer:
    """Run the study, and return the parts of the loss and the corrections."""
    data = load_data(options)
    arguments: dict[str, Any] = {
        "steps": chosen_steps(options, data),
        "test_size": options.test_size,
        "seed": options.seed,
        "repeats": options.repeats,
        "progress": progress,
    }
    methods = options.methods or METHODS
    if options.reduce:
        if options.prevalence or options.miss_cost is not None:
            raise ValueError(
                "--prevalence or --miss-cost cannot be combined with --reduce: give one of them."
            )
        sizes = {
            class_named(data.classes.tolist(), name): _size(text) for name, text in options.reduce
        }
        asked = _asked(options, data, BalanceStudyQuestion(sizes, repeats=options.repeats))
        study = lincore.balance(data, sizes, methods, **arguments)
        return with_saved(study_answer(data, study), options, asked)
    usual = ["equal" if options.miss_cost is None else "file"]
    prevalence = _prevalence(data, options.prevalence or usual)
    question = BalanceCostQuestion(cost=_miss_cost(options), repeats=options.repeats)
    asked = _asked(options, data, question)
    cost = lincore.imbalance_cost(
        data, methods, prevalence=prevalence, costs=question.costs(data), **arguments
    )
    if asked is not None:
        shares = tuple(cost.prevalence.tolist()) if isinstance(prevalence, dict) else prevalence
        saved: Any = asked.question
        asked = asked.ask(replace(saved, prevalence=shares))
    return with_saved(cost_answer(data, cost), options, asked)


def _miss_cost(options: argparse.Namespace) -> float:
    cost = 1.0 if options.miss_cost is None else float(options.miss_cost)
    if not 0.01 <= cost <= 1000:
        raise ValueError(f"--miss-cost {cost:g} is not between 0.01 and 1000.")
    return cost


def _asked(options: argparse.Namespace, data: lincore.Dataset, question: Any) -> Analysis | None:
    """Return the analysis that is to be saved, before anything is fitted; None without."""
    if not options.save_analysis:
        return None
    words = words_of(options.methods or METHODS)
    return analysis_of(options, data, replace(question, methods=words))


def cost_answer(data: lincore.Dataset, found: lincore.ImbalanceCost) -> Answer:
    """Return findings, parts and corrections for the imbalance of a file."""
    first = found.methods[0]
    notes = _notes(data, found)
    unit = " (points)" if found.costs is None else ""
    sections = [
        AnswerSection(
            data_line(data),
            (
                report.cost_finding(found, first),
                report.cost_recommendation(found, first),
                report.cost_basis(found),
            ),
        ),
        AnswerSection(
            f"{report.loss_name(found, imbalance.LOSS).capitalize()} and its parts{unit}",
            rows=report.cost_method_rows(found),
        ),
        *(
            AnswerSection(
                f"Expected cost of 100 rows by {report.cost_method_label(found, method)}; "
                "a false alarm costs 1",
                rows=report.cost_curve_rows(found, method),
            )
            for method in found.curves
        ),
        *(
            AnswerSection(
                f"Corrections of {report.cost_method_label(found, method)}{unit}",
                report.cost_decomposition_sentences(found, method),
                report.cost_correction_rows(found, method),
            )
            for method in found.methods
        ),
        *([AnswerSection("Notes", notes)] if notes else []),
    ]
    return Answer(_cost_record(data, found, notes), tuple(sections))


def study_answer(data: lincore.Dataset, study: lincore.BalanceStudy) -> Answer:
    """Return findings, parts and corrections for an imbalance that was made."""
    losses = ("error", *study.recall_names)
    notes = _notes(data, study)
    sections = [
        AnswerSection(
            f"{study.settings.label(method)}: {data_line(data)}"
            if not number
            else study.settings.label(method),
            (
                report.balance_finding(study, method),
                *report.decomposition_sentences(study, method).values(),
                report.remedy_finding(imbalance.choose_remedy(study, method, "error")),
            ),
            report.decomposition_rows(study, method, losses),
        )
        for number, method in enumerate(study.methods)
    ]
    sections += [
        AnswerSection(
            f"Corrections of {study.settings.label(method)} (points)",
            rows=report.remedy_rows(study, method, "error"),
        )
        for method in study.methods
    ]
    sections += [AnswerSection("Notes", notes)] if notes else []
    return Answer(_study_record(data, study, notes), tuple(sections))


def _notes(
    data: lincore.Dataset, found: lincore.ImbalanceCost | lincore.BalanceStudy
) -> tuple[str, ...]:
    left_out = tuple(
        f"{found.settings.label(name)} is left out: {report.with_class_names(why, found.classes)}"
        for name, why in found.failures.items()
    )
    return (*left_out, *found.notices, *finding_sentences(data))


def _size(text: str) -> int | float:
    """Return rows as a whole number, and a share as a number up to one."""
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        raise ValueError(
            f"{text!r} is neither a number of rows, such as 300, nor a share, such as 20%."
        ) from None


def _prevalence(data: lincore.Dataset, given: list[str]) -> Any:
    if len(given) == 1 and given[0] in ("equal", "file"):
        return given[0]
    shares = {}
    for text in given:
        name, equals, share = text.rpartition("=")
        if not equals:
            raise ValueError(f"{text!r} is neither equal nor file nor CLASS=SHARE.")
        shares[class_named(data.classes.tolist(), name)] = float(_size(share))
    return shares


def _settings(found: lincore.ImbalanceCost | lincore.BalanceStudy) -> dict[str, Any]:
    settings = found.settings
    return {
        "scheme": settings.scheme,
        "seed": settings.seed,
        "test_size": settings.test_size,
        "repeats": len(found.seeds),
        "versions": settings.versions,
    }


def _cost_record(
    data: lincore.Dataset, found: lincore.ImbalanceCost, notes: tuple[str, ...]
) -> dict[str, Any]:
    labels = found.classes.tolist()
    methods = []
    for method in found.methods:
        split, chosen = found.decomposition(method), found.recommended(method)
        methods.append(
            {
                "method": method,
                "label": found.settings.label(method),
                "finding": report.cost_finding(found, method),
                "uncorrected": split.uncorrected._asdict(),
                "parts": {name: value._asdict() for name, value in split.parts.items()},
                "orders": {name: list(values) for name, values in split.orders.items()},
                "condition": report.cost_condition(found),
                "recommended": chosen.name if chosen else None,
                "optimism": found.optimism(method),
                "cost_curve": _curve_record(found, method),
                "corrections": [
                    {
                        "correction": one.name,
                        "loss": one.loss._asdict(),
                        "recovered": one.recovered._asdict(),
                        "recall_change": {
                            str(label): change._asdict()
                            for label, change in zip(labels, one.recall_change, strict=True)
                        },
                        "file_error": one.file_error._asdict(),
                    }
                    for one in found.corrections(method)
                ],
                "unavailable": found.unavailable.get(method, {}),
            }
        )
    return {
        "command": "balance",
        "question": "cost",
        "data": data_record(data),
        "settings": _settings(found),
        "loss": found.loss_name,
        "prevalence": dict(zip(map(str, labels), found.prevalence.tolist(), strict=True)),
        "rarest": None if found.rare is None else str(labels[found.rare]),
        "methods": methods,
        "failed": found.failures,
        "notes": notes,
    }


def _curve_record(found: lincore.ImbalanceCost, method: str) -> dict[str, Any] | None:
    if method not in found.curves:
        return None
    curve = found.curves[method]
    return {
        "class_ratio": found.ratios.class_ratio,
        "ratios": curve.ratios.tolist(),
        "break_even": curve.break_even()._asdict(),
        "lines": {
            line: [value.tolist() for value in curve.line(line)]
            for line in ("uncorrected", "balanced", "matched")
        },
    }


def _study_record(
    data: lincore.Dataset, study: lincore.BalanceStudy, notes: tuple[str, ...]
) -> dict[str, Any]:
    losses = [loss for loss in study.loss_names if loss != "log loss"]
    methods = []
    for method in study.methods:
        split = {loss: study.attribution(method, loss) for loss in losses}
        methods.append(
            {
                "method": method,
                "label": study.settings.label(method),
                "finding": report.balance_finding(study, method),
                "losses": {
                    loss: {
                        "full": found.full._asdict(),
                        "reduced": found.reduced._asdict(),
                        "parts": {name: one._asdict() for name, one in found.parts.items()},
                    }
                    for loss, found in split.items()
                },
                "remedies": [
                    {
                        "remedy": remedy.name,
                        "loss": remedy.loss._asdict(),
                        "recovered": remedy.recovered._asdict(),
                        "still_missing": remedy.still_missing._asdict(),
                    }
                    for remedy in study.remedies(method)
                ],
            }
        )
    return {
        "command": "balance",
        "question": "study",
        "data": data_record(data),
        "settings": _settings(study),
        "rows": {
            name: dict(zip(map(str, study.classes.tolist()), counts.tolist(), strict=True))
            for name, counts in study.counts.items()
        },
        "methods": methods,
        "failed": study.failures,
        "notes": notes,
    }
