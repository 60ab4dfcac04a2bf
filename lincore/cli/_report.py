"""`lincore report`: data, model, comparison and imbalance as one HTML file."""

from __future__ import annotations

import argparse
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lincore
from lincore import export, metrics, model_selection, report
from lincore.analysis import BalanceCostQuestion, ClassifyQuestion
from lincore.cli._compare import add_validation_options, compare_methods
from lincore.cli.analysis_options import analysis_of, compare_question, method_options
from lincore.cli.answer import STANDARD_OUTPUT, Answer, AnswerSection, write_file
from lincore.cli.data_findings import data_line, data_record
from lincore.cli.data_options import add_data_options, load_data
from lincore.cli.method_options import add_method_options, chosen_steps
from lincore.errors import DataError

if TYPE_CHECKING:
    from lincore.utils import Progress

EXAMPLES = """examples:
  lincore report titanic.csv --target Survived
  lincore report wine.csv --methods lda,qda --scheme 10-fold --output wine.html
"""


def add_command(commands: Any) -> None:
    """Add the command to those of a parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "report",
        help="all results as one HTML file",
        description="Write one self-contained HTML file: the data, the best model with its errors "
        "and assumptions, the comparison, the cost of imbalance, a methods section, and all "
        "settings.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    add_data_options(parser)
    add_method_options(parser, "those that suit the data")
    add_validation_options(parser)
    parser.add_argument(
        "--balance",
        action=argparse.BooleanOptionalAction,
        help="include the cost of imbalance (default if a class has three times the rows of "
        "another)",
    )
    parser.add_argument("--title", default="", help="(Report on the name of the data)")
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help=f"(the name of the data with .html); {STANDARD_OUTPUT} for standard output",
    )


def run(options: argparse.Namespace, progress: Progress) -> Answer:
    """Compute and write the report, and return where it is."""
    data = load_data(options)
    comparison = compare_methods(options, data, progress)
    best = metrics.rank_methods(comparison, options.score).methods[0]
    cost = _cost(options, data, best, progress)
    page = export.html_report(
        data,
        title=options.title,
        comparison=comparison,
        score=options.score,
        rope=options.rope,
        cost=cost,
        script=_script(options, data, best, cost),
        **_model(options, data, best),
        **_source(options.file),
    )
    finding = report.comparison_finding(comparison, options.score, options.rope)
    record = {
        "command": "report",
        "data": data_record(data),
        "finding": finding,
        "model": best,
    }
    if options.output == STANDARD_OUTPUT:
        return Answer(record, (AnswerSection(data_line(data), (finding,)),), page)
    path = options.output or f"{Path(data.name).name}.html"
    written = write_file(path, page.encode())
    section = AnswerSection(data_line(data), (finding, written))
    return Answer({**record, "output": path}, (section,))


def _model(options: argparse.Namespace, data: lincore.Dataset, best: str) -> dict[str, Any]:
    """Return a test set, and the best method fitted to the rest."""
    split = lincore.split(data, test_size=options.test_size, seed=options.seed)
    model = lincore.fit(data, best, split, steps=chosen_steps(options, data))
    return {"split": split, "seed": options.seed, "model": model}


def _script(
    options: argparse.Namespace,
    data: lincore.Dataset,
    best: str,
    cost: lincore.ImbalanceCost | None,
) -> str:
    """Return the script of the comparison, the best model and the cost.

    Empty where no analysis can hold them: of standard input, or of three entries of a classifier.
    """
    try:
        first, second = method_options(options.methods or ())
        asked = analysis_of(options, data, compare_question(options, data))
    except DataError:
        return ""
    word, chosen = model_selection.parse_spec(best)
    others: list[Any] = []
    if chosen == first.get(word, {}) or word not in second:
        others.append(ClassifyQuestion(word))
        others += [] if cost is None else [BalanceCostQuestion((word,))]
    return export.to_script(asked, reported=True, others=others)


def _cost(
    options: argparse.Namespace, data: lincore.Dataset, best: str, progress: Progress
) -> lincore.ImbalanceCost | None:
    wanted = options.balance
    if wanted is False or (wanted is None and not metrics.is_imbalanced(data.counts)):
        return None
    return lincore.imbalance_cost(
        data,
        best,
        steps=chosen_steps(options, data),
        test_size=options.test_size,
        seed=options.seed,
        progress=progress,
    )


def _source(file: str) -> dict[str, str]:
    """Return name and SHA-256 of a file, so that a reader can tell it again."""
    path = Path(file)
    if not path.is_file():
        return {}
    digest = sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return {"file_name": path.name, "sha256": digest.hexdigest()}
