"""Displays of Balance: their tables hold the numbers of the record, their calls make them again."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import lincore
from lincore import imbalance, metrics
from lincore.errors import DataError
from lincore.utils import points

COSTS = (0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 9.0, 9.0, 0.0)


@pytest.fixture(scope="module")
def made():
    data = lincore.sample("gaussian")
    methods = ["lda", "least-squares"]
    study, first = (
        lincore.balance(data, {"class 3": 11}, methods, repeats=repeats) for repeats in (3, 1)
    )
    return {
        "data": data,
        "cost": lincore.imbalance_cost(data, [*methods, "qda"], repeats=3),
        "study": study,
        "first": first,
        "sweep": imbalance.sweep(data, ["class 3"], methods=["lda", "qda"], repeats=2),
    }


CALLS = [
    'cost.curve(method="lda")',
    'cost.decomposition(method="lda", loss="recall of class 3")',
    "cost.corrections()",
    "cost.more_rows(more=30)",
    'cost.curve_difference(method="qda", line="balanced")',
    'study.decomposition(loss="log loss")',
    'study.corrections(method="lda")',
    'first.scores(data=data, remedy="both")',
    "first.training_loss(data=data)",
    'first.regions(data=data, side="full", drawing="Contour")',
    "first.boundaries(data=data)",
    'first.confusion(remedy="oversampling")',
    "first.priors(code=1, share=0.3)",
    f"first.costs(data=data, costs={list(COSTS)})",
    'sweep.curves(kind="rarer")',
]


@pytest.mark.parametrize("call", CALLS)
def test_a_display_names_the_call_that_makes_it_and_says_numbers(made, call):
    display = eval(call, {}, made)  # noqa: S307, calls of this file
    made_again = eval(display.call(), {}, made)  # noqa: S307
    assert made_again.key == display.key and made_again.call() == display.call()
    named = set(re.findall(r"(\w+)=", call))
    assert set(re.findall(r"(\w+)=", display.call())) == named, "what is as by default is left out"
    said = str(display)
    assert display.finding() in said and re.search(r"\d", said)
    assert len(display.frame()) and display.to_dict()["rows"]


@pytest.mark.parametrize("call", [call for call in CALLS if "method" not in call])
def test_a_model_without_posteriors_is_displayed_too(made, call):
    name = call.partition("(")[0]
    if name == "sweep.curves":
        return
    data = {"data": made["data"]} if "data=" in call else {}
    display = eval(name, {}, made)(method="least-squares", **data)  # noqa: S307
    assert str(display) and display.to_dict()["finding"]


def test_the_difference_of_two_cost_curves_is_stated_with_its_interval(made):
    cost = made["cost"]
    shown = cost.curve_difference()
    lines, asked = shown.frame(), cost.ratios.asked
    difference = cost.curves["lda"].excess(cost.curves["qda"], asked)
    at = lines[(lines["ratio"] == asked) & (lines["cost of"] == "difference")]
    assert at[["value", "low", "high"]].to_numpy().tolist() == [list(difference)]
    for number in difference:
        assert points(number) in shown.finding()
    assert "of LDA and QDA do not differ significantly" in shown.finding()
    assert shown.table()["difference"].str.contains(" to ").all()
    (below,) = [trace for trace in shown.plot().data if trace.name == "LDA minus QDA"]
    of_pair = lines[lines["cost of"] == "difference"]["value"]
    np.testing.assert_allclose(below.y, 100 * of_pair, rtol=1e-5)
    # A clear difference is said as such, whichever model is subtracted.
    clear = replace(cost.curves["qda"], errors=np.clip(cost.curves["qda"].errors + 0.4, 0, 1))
    clear = replace(cost, curves=cost.curves | {"qda": clear})
    for shown in (clear.curve_difference(), clear.curve_difference("qda", other="lda")):
        assert re.search(r"LDA costs \S+ less per 100 rows than QDA \(\S+ to ", shown.finding())
        assert "significantly lower: LDA from 1 to" in shown.scope()
    alone = lincore.imbalance_cost(made["data"], ["lda", "least-squares"], repeats=1)
    assert "No other model" in alone.curve_difference().finding()
    assert "no posterior" in cost.curve_difference("least-squares").finding()


def test_what_is_not_possible_is_refused(made):
    with pytest.raises(DataError):
        made["cost"].curve_difference("lda", other="lda")
    for wrong in ({"method": "qda"}, {"loss": "speed"}):
        with pytest.raises(DataError):
            made["study"].decomposition(**wrong)
    with pytest.raises(DataError):
        made["first"].priors(share=1.5)


def test_shares_and_costs_weigh_the_errors_of_the_test_rows(made):
    first, shares = made["first"], np.array([0.2, 0.4, 0.4])
    display = first.priors(code=2, share=0.4)
    before = first.shares("full")[:2]
    shares[:2] = 0.6 * before / before.sum()
    results = first.example.results["reduced"]
    adjusted = metrics.adjust_priors(results, first.shares("reduced"), shares)
    wrong = [adjusted.predicted[0] != adjusted.truth, results.predicted[0] != results.truth]
    found = display.frame().set_index(["method", "score", "priors"])["value"]["lda", "error"]
    for each, name in zip(wrong, ("corrected priors", "as trained"), strict=True):
        value = shares @ [each[results.truth == k].mean() for k in range(3)]
        assert found[name] == pytest.approx(value)
        assert f"{100 * value:.1f}" in display.table()[f"error (%), {name}"][0]
    costs = np.reshape(COSTS, (3, 3))
    cheapest = (np.exp(adjusted.log_proba[0]) @ costs).argmin(axis=1)
    paid = costs[results.truth, cheapest]
    value = shares @ [paid[results.truth == k].mean() for k in range(3)]
    display = first.costs(made["data"], code=2, share=0.4, costs=COSTS)
    found = display.frame().set_index(["method", "decision"])["value"]
    assert found["lda", "least expected cost"] == pytest.approx(value)


def test_tables_hold_the_parts_and_scores_of_the_record(made):
    study, first = made["study"], made["first"]
    found = study.decomposition().frame().set_index(["method", "loss", "part"])["value"]
    split = study.attribution("lda", "recall of class 3")
    assert found["lda", "recall of class 3", "class size"] == split.parts["class size"].value
    found = first.scores().frame().set_index(["method", "set", "score", "class"])["value"]
    expected = metrics.score(first.example.results["reduced"], "lda", "balanced accuracy").value
    assert found["lda", "reduced", "balanced accuracy", ""] == expected
    cost = made["cost"]
    (one, *_) = cost.corrected("lda")
    found = cost.corrections().frame().set_index(["correction", "quantity"])["low"]
    assert found[one.name, "recovered"] == one.recovered.low


def test_methods_that_cannot_be_fitted_are_named_with_the_reason():
    few = lincore.sample("gaussian").take(slice(0, 453))  # three rows of the last class
    said = "QDA is left out: The covariance of 'class 3' is singular"
    cost = lincore.imbalance_cost(few, ["lda", "qda"], repeats=2)
    assert said in str(cost.corrections()) and said in str(cost.corrections(loss="log loss"))
    study = lincore.balance(few, {"class 3": 1}, ["lda", "qda"], repeats=2)
    assert said in str(study.decomposition())
