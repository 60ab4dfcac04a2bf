"""`lincore balance`: the cost of an imbalance, or of one that is made, and what recovers it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import lincore
from lincore import report
from lincore.analysis import BalanceCostQuestion, BalanceStudyQuestion
from lincore.cli.analysis_options import add_save_option, analysis_of, with_saved, words_of
from lincore.cli.answer import Answer, AnswerSection, display_section
from lincore.cli.data_findings import class_named, data_line, data_record, finding_sentences
from lincore.cli.data_options import add_data_options, load_data
from lincore.cli.method_options import add_method_options, chosen_steps, positive
from lincore.cli.reading_options import assignment

if TYPE_CHECKING:
    from lincore.analysis import Analysis
    from lincore.displays.imbalance.cost import CostDisplay
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


def cost_answer(data: lincore.Dataset, cost: lincore.ImbalanceCost) -> Answer:
    """Return the displays of every method for the imbalance of a file."""
    curves = [cost.curve(method) for method in cost.curves]
    parts, corrections = (
        [show(method) for method in cost.methods] for show in (cost.decomposition, cost.corrections)
    )
    shown = [*curves, *parts, *corrections]
    labels = cost.classes.tolist()
    about = {
        "loss": cost.loss_name,
        "prevalence": dict(zip(map(str, labels), cost.prevalence.tolist(), strict=True)),
        "rarest": None if cost.rare is None else str(labels[cost.rare]),
        "unavailable": cost.unavailable,
    }
    return _answer("cost", data, cost, shown, about)


def _answer(
    question: str,
    data: lincore.Dataset,
    found: lincore.ImbalanceCost | lincore.BalanceStudy,
    shown: Sequence[CostDisplay],
    about: Mapping[str, Any],
) -> Answer:
    notes = _notes(data, found)
    settings = found.settings
    record = {
        "command": "balance",
        "question": question,
        "data": data_record(data),
        "settings": {
            "scheme": settings.scheme,
            "seed": settings.seed,
            "test_size": settings.test_size,
            "repeats": len(found.seeds),
            "versions": settings.versions,
        },
        **about,
        "displays": [display.to_dict() for display in shown],
        "failed": found.failures,
        "notes": notes,
    }
    sections: list[AnswerSection] = [AnswerSection(data_line(data))]
    for display in shown:
        # What displays of other methods say as well is said once.
        section = display_section(display)
        said = {sentence for one in sections for sentence in one.sentences}
        new = tuple(sentence for sentence in section.sentences if sentence not in said)
        rows = () if section.rows in [one.rows for one in sections] else section.rows
        sections.append(AnswerSection(f"{display.title}: {display.label}", new, rows))
    sections += [AnswerSection("Notes", notes)] if notes else []
    return Answer(record, tuple(sections))


def study_answer(data: lincore.Dataset, study: lincore.BalanceStudy) -> Answer:
    """Return the displays of every method for an imbalance that was made."""
    shown = [
        display(method, loss="error")
        for display in (study.decomposition, study.corrections)
        for method in study.methods
    ]
    labels = [*map(str, study.classes.tolist())]
    rows = {name: dict(zip(labels, n.tolist(), strict=True)) for name, n in study.counts.items()}
    return _answer("study", data, study, shown, {"rows": rows})


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
