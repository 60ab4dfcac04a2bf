"""`lincore compare` and `lincore report`: several methods on the same splits, and a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import lincore
from lincore import export, metrics, model_selection
from lincore import report as wording
from lincore.analysis import BalanceCostQuestion, ClassifyQuestion, CompareQuestion
from lincore.cli._answer import (
    STANDARD_OUTPUT,
    Answer,
    AnswerSection,
    answer_of,
    data_line,
    data_record,
    finding_sentences,
    settings_record,
    write_file,
)
from lincore.cli._displays import Call, make_display, read_calls
from lincore.cli._field_options import field_options
from lincore.cli._options import command, option
from lincore.cli._request import Request, request_options
from lincore.displays import (
    Display,
    ScoresDisplay,
    SelectedFeaturesDisplay,
    SelectionOptimismDisplay,
    YardsticksDisplay,
)
from lincore.errors import DataError
from lincore.io.files.verified import file_hash
from lincore.utils import Progress

question_options = field_options(
    CompareQuestion, without=("methods",), section="Comparison", into="question"
)


def _reported_calls(text: str) -> list[Call]:
    return read_calls(text, ("model", "results", "cost"))


@command(
    "lincore compare titanic.csv --target Survived",
    'lincore compare digits.zip --methods lda,"logistic(C=0.1)" --scheme 10-fold',
)
@question_options
@request_options(CompareQuestion, saves=True)
def compare(request: Request, question: CompareQuestion, progress: Progress) -> Answer:
    """Compare methods on the same splits.

    Fit several methods on the same training rows, and predict the same test rows: scores with
    95 % intervals, and groups of methods not significantly worse than their best.
    """
    data = request.load()
    asked = request.as_analysis(data, question)  # refused before anything is fitted
    results = lincore.compare(**request.arguments(data, question), progress=progress)
    return request.with_saved(comparison_answer(data, results, question), asked)


def comparison_answer(
    data: lincore.Dataset, results: lincore.Results, question: CompareQuestion
) -> Answer:
    """Return the scores of a comparison, and notes on the data."""
    judged = {"score": question.score, "rope": question.rope}
    scores = ScoresDisplay.of(results, **judged)
    shown: list[Display] = [scores]
    if question.yardsticks:
        shown.append(YardsticksDisplay.of(results, **judged))
    if results.selections:
        optimism = SelectionOptimismDisplay.of(results, **judged)
        shown += [SelectedFeaturesDisplay.of(results), optimism]
    findings = finding_sentences(data)
    return answer_of(
        "compare",
        data,
        shown,
        remarks=findings,
        settings=settings_record(results.settings, score=scores.deciding, rope=question.rope),
        failed=results.settings.failed,
        findings=findings,
    )


@command(
    "lincore report titanic.csv --target Survived",
    "lincore report wine.csv --methods lda,qda --output wine.html",
)
@option(
    "with_cost --balance/--no-balance",
    "Include the cost of imbalance.  [default: if a class has three times the rows of another]",
    default=None,
)
@option(
    "--displays LIST",
    "What the report shows of the best model, the comparison and the cost of imbalance, such as "
    '"model.scores,results.pairwise(rope=0.02)"; any other word lists them.  [default: those of '
    "the dashboard's reports]",
    kind=_reported_calls,
)
@option("--title TEXT", "Title of the report.  [default: names the data]")
@option(
    "-o --output FILE",
    f"The HTML file; {STANDARD_OUTPUT} for standard output.  [default: the name of the data with "
    ".html]",
)
@question_options
@request_options(CompareQuestion)
def report(
    request: Request,
    question: CompareQuestion,
    with_cost: bool | None,
    displays: list[Call] | None,
    title: str | None,
    output: str | None,
    progress: Progress,
) -> Answer:
    """Write all results as one HTML file.

    The file is self-contained: the data, the best model with its errors and assumptions, the
    comparison, the cost of imbalance, a methods section, and all settings.
    """
    data, path = request.load(), Path(request.file)
    comparison = lincore.compare(**request.arguments(data, question), progress=progress)
    best = metrics.rank_methods(comparison, question.score).methods[0]
    experiment, cost = request.experiment(data), None
    rows = experiment.split.rows(data)
    if with_cost is None:
        asked_for = any(name.startswith("cost.") for name, _ in displays or ())
        with_cost = asked_for or (displays is None and metrics.is_imbalanced(data.counts))
    if with_cost:
        keywords = request.arguments(data, BalanceCostQuestion()) | {"methods": best}
        cost = lincore.imbalance_cost(**keywords, progress=progress)
    contents = export.ReportContents(
        data,
        split=rows,
        seed=experiment.split.seed,
        model=lincore.fit(data, best, rows, steps=experiment.steps),
        comparison=comparison,
        score=question.score,
        rope=question.rope,
        cost=cost,
        file_name=path.name if path.is_file() else "",
        sha256=file_hash(path) if path.is_file() else "",
    )
    shown = _selected_displays(contents, displays)
    script = _script(request, data, best, question, shown, has_cost=cost is not None)
    contents = replace(contents, displays=shown, script=script)
    heading = title or f"Report on {data.name}"
    page = export.render_html(heading, export.report_sections(contents))
    finding = wording.comparison_finding(comparison, question.score, question.rope)
    record = {
        "command": "report",
        "data": data_record(data),
        "finding": finding,
        "model": best,
    }
    if output == STANDARD_OUTPUT:
        return Answer(record, (AnswerSection(data_line(data), (finding,)),), page)
    target = output or f"{Path(data.name).name}.html"
    written = write_file(target, page.encode())
    section = AnswerSection(data_line(data), (finding, written))
    return Answer({**record, "output": target}, (section,))


def _selected_displays(
    contents: export.ReportContents, calls: list[Call] | None
) -> tuple[Display, ...]:
    """Return the displays of a report by their calls, or the usual ones."""
    usual = export.report_displays(contents).values()
    if calls is None:
        return tuple(usual)
    known = {display.made_by: display for display in usual}
    results = {"model": contents.model, "results": contents.comparison, "cost": contents.cost}
    selected = []
    for name, settings in calls:
        if contents.cost is None and name.startswith("cost."):
            raise ValueError(f"{name} needs the cost of imbalance, which --no-balance leaves out.")
        is_usual = name in known and not settings
        selected.append(known[name] if is_usual else make_display((name, settings), results))
    return tuple(selected)


def _script(
    request: Request,
    data: lincore.Dataset,
    best: str,
    question: CompareQuestion,
    displays: Sequence[Display],
    *,
    has_cost: bool,
) -> str:
    """Return the script of the comparison, the best model and the cost."""
    # Empty if no analysis can describe the comparison: data from standard input, or three
    # entries of one classifier.
    try:
        asked: Any = request.specified(data, question)
    except DataError:
        return ""
    classifier, options = model_selection.parse_spec(best)
    others: list[Any] = []
    if options == asked.options.get(classifier, {}):  # not of a second entry, or on gradients
        others.append(ClassifyQuestion(classifier))
        others += [BalanceCostQuestion((classifier,))] * has_cost
    return export.to_script(asked, displays=displays, reported=True, others=others)
