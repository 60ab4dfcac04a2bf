"""`lincore balance`: the cost of an imbalance, found or made, and what recovers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

import lincore
from lincore.analysis import BalanceCostQuestion, BalanceStudyQuestion
from lincore.cli._answer import Answer, answer_of, by_label, finding_sentences, settings_record
from lincore.cli._field_options import field_options
from lincore.cli._options import command
from lincore.cli._request import Request, request_options
from lincore.utils import Progress

if TYPE_CHECKING:
    from lincore.displays.imbalance.cost import CostDisplay


#: Fields of the questions with options of their own, or that only select what a page shows.
_ELSEWHERE = ("methods", "loss", "method")


@command(
    "lincore balance titanic.csv --target Survived --methods lda",
    "lincore balance faults.csv --miss-cost 20",
    "lincore balance faults.csv --prevalence faulty=0.02",
    "lincore balance iris.csv --reduce virginica=10 --reduce setosa=50%",
)
@field_options(
    BalanceCostQuestion, without=_ELSEWHERE, into="cost", prevalence=None, miss_cost=None
)
@field_options(BalanceStudyQuestion, without=(*_ELSEWHERE, "repeats"), into="study")
@request_options(BalanceCostQuestion, saves=True)
def balance(
    request: Request, cost: BalanceCostQuestion, study: BalanceStudyQuestion, progress: Progress
) -> Answer:
    """Find what an imbalance costs, and what recovers it.

    Decompose the cost of the file's imbalance under the class shares of deployment, equal ones by
    default, and compare corrections; with --miss-cost the shares are by default those of the file.
    With --reduce: create an imbalance by leaving out training rows of some classes.
    """
    shares: Any = cost.prevalence
    miss_cost: float | None = cost.miss_cost
    if study.sizes and not (shares is None and miss_cost is None):
        raise click.UsageError(
            "--prevalence or --miss-cost cannot be combined with --reduce: give one of them."
        )
    data = request.load()
    if study.sizes:
        study = replace(study, sizes=by_label(data.classes, study.sizes), repeats=cost.repeats)
        saved = request.as_analysis(data, study)  # refused before anything is fitted
        reduction = lincore.balance(**request.arguments(data, study), progress=progress)
        return request.with_saved(study_answer(data, reduction), saved)
    shares = by_label(data.classes, shares or ("equal" if miss_cost is None else "file"))
    cost = replace(cost, prevalence=shares, miss_cost=miss_cost or 1.0)
    saved = request.as_analysis(data, cost)
    result = lincore.imbalance_cost(**request.arguments(data, cost), progress=progress)
    if saved is not None and isinstance(shares, Mapping):
        question: Any = saved.question
        saved = saved.ask(replace(question, prevalence=tuple(result.prevalence.tolist())))
    return request.with_saved(cost_answer(data, result), saved)


def cost_answer(data: lincore.Dataset, cost: lincore.ImbalanceCost) -> Answer:
    """Return the displays of every method for the imbalance of a file."""
    displays = [cost.curve(method) for method in cost.curves]
    pairs = combinations(cost.curves, 2)
    displays += [cost.curve_difference(method, other=other) for method, other in pairs]
    for display in (cost.decomposition, cost.corrections):
        displays += [display(method) for method in cost.methods]
    labels = [*map(str, cost.classes.tolist())]
    return _answer(
        data,
        cost,
        displays,
        question="cost",
        loss=cost.loss_name,
        prevalence=dict(zip(labels, cost.prevalence.tolist(), strict=True)),
        rarest=None if cost.rare is None else labels[cost.rare],
        unavailable=cost.unavailable,
    )


def study_answer(data: lincore.Dataset, study: lincore.BalanceStudy) -> Answer:
    """Return the displays of every method for classes that were reduced."""
    displays = [
        display(method, loss="error")
        for display in (study.decomposition, study.corrections)
        for method in study.methods
    ]
    labels = [*map(str, study.classes.tolist())]
    rows = {name: dict(zip(labels, n.tolist(), strict=True)) for name, n in study.counts.items()}
    return _answer(data, study, displays, question="study", rows=rows)


def _answer(
    data: lincore.Dataset,
    result: lincore.ImbalanceCost | lincore.BalanceStudy,
    displays: Sequence[CostDisplay],
    **more: Any,
) -> Answer:
    notes = (*result.notices, *finding_sentences(data))
    return answer_of(
        "balance",
        data,
        displays,
        remarks=notes,
        headings=[f"{display.title}: {display.label}" for display in displays],
        settings=settings_record(result.settings, repeats=len(result.seeds)),
        failed=result.failures,
        notes=notes,
        **more,
    )
