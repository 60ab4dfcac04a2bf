"""Balance in sentences: conditions, prices, choices, and how many splits they are of."""

import re
from dataclasses import replace

import numpy as np
import pytest

import lincore
from lincore import report
from lincore.imbalance import choose_remedy, imbalance_cost
from lincore.metrics import Interval


def file_of(labels=("no", "yes"), counts=(380, 40), shift=1.8, seed=1):
    rng = np.random.default_rng(seed)
    y = np.repeat(labels, counts)
    X = rng.normal(size=(len(y), 2))
    X[y == labels[-1], 0] += shift
    return lincore.load((X, y), name="file")


@pytest.fixture(scope="module")
def kept():
    records = []
    final = imbalance_cost(file_of(), ("lda", "least-squares"), repeats=8, keep=records.append)
    return [*records, final]


@pytest.fixture(scope="module")
def studies():
    records = []
    final = lincore.balance(
        lincore.sample("gaussian"), {"class 3": 8}, ["lda", "least-squares"], repeats=8,
        keep=records.append,
    )  # fmt: skip
    return [*records, final]


def test_the_headline_is_conditional_on_the_cost_of_a_miss(kept):
    found = kept[-1]
    even = found.curves["lda"].break_even()
    said = found.curve("lda").finding()
    value, low, high = map(report.cost_ratio, even)
    assert said == (
        "Balancing the priors of LDA pays if a missed 'yes' costs more than "
        f"{value} false alarms ({low} to {high})."
    )
    effect = found.curve("lda").scope()
    assert effect.startswith("At 9.5 to 1, balancing lowers the cost by") and "at 1 to 1" in effect


def test_the_headline_claims_nothing_at_a_cost_within_the_interval_of_the_break_even(kept):
    even = kept[-1].curves["lda"].break_even()
    assert 1 < even.low < even.value < even.high < np.inf
    value, low, high = map(report.cost_ratio, even)

    def said(asked):
        costs = np.array([[0.0, 1.0], [asked, 0.0]])
        return imbalance_cost(file_of(), "lda", prevalence="file", costs=costs, repeats=8).curve()

    for asked in (0.5 * (even.low + even.value), 0.5 * (even.value + even.high)):
        assert said(asked).finding() == (
            "Balancing the priors of LDA does not significantly change the cost if a missed 'yes' "
            f"costs {report.cost_ratio(asked)} false alarms: the break-even is {value} "
            f"({low} to {high})."
        )
        assert "changes the cost by" in said(asked).effect()
    for asked in (0.9 * even.low, 1.1 * even.high):
        text = said(asked).finding()
        assert text.endswith(f"pays if a missed 'yes' costs more than {value} false alarms "
                             f"({low} to {high}).")  # fmt: skip
    figure = said(even.value).plot()
    assert "pays" not in figure.layout.title.text
    assert f"{value} to 1 ({low} to {high})" in figure.layout.title.text


def test_a_break_even_at_equal_costs_is_no_certain_one(kept, monkeypatch):
    curve = kept[-1].curves["lda"]

    def said(even):
        monkeypatch.setattr(type(curve), "break_even", lambda _: even)
        return kept[-1].curve("lda").finding()

    what = "Balancing the priors of LDA "
    assert said(Interval(1, 1, 1)) == f"{what}pays even if a missed 'yes' costs a false alarm."
    assert said(Interval(1, 1, 4)) == (
        f"{what}pays if a missed 'yes' costs more than a false alarm (1 to 4)."
    )
    assert said(Interval(1, 1, 12)).startswith(f"{what}does not significantly change the cost if ")
    assert said(Interval(2, np.nan, np.nan)).endswith("2 false alarms, estimated on one split.")


def test_a_correction_never_stands_without_its_condition_price_and_calibration(kept):
    said = kept[-1].corrections("lda").finding()
    assert said.startswith("If a missed 'yes' costs 9.5 false alarms, corrected priors lower the ")
    assert (
        re.search("(the best of|chosen from) 6 on these rows", said)
        and "corrected for the choice)" in said
    )
    sentence = said.split(". ")[0]
    for price in ("at the file's own shares the error rises by", "'yes' gets a mean probability of",
                  "the other classes lose", "points of recall"):  # fmt: skip
        assert price in sentence
    rows = kept[-1].corrections("lda").table().to_dict("records")
    assert sum(row["correction"].endswith(" (recommended)") for row in rows) == 1
    notes = kept[-1].corrections("lda").notes()
    assert "The recommendation holds if a missed 'yes' costs 9.5 false alarms." in notes


def test_what_is_corrected_for_the_choice_is_less(kept):
    found = kept[-1]
    chosen = found.recommended("lda")
    left = chosen.recovered.value - found.optimism("lda")
    assert (
        f"({100 * left:.1f} points corrected for the choice)" in found.corrections("lda").finding()
    )


def test_the_largest_estimate_is_no_upper_limit():
    rng = np.random.default_rng(3)
    data = lincore.load((rng.normal(size=(120, 2)), np.repeat([0, 1], [100, 20])), name="noise")
    said = imbalance_cost(data, "lda", repeats=6).corrections().finding()
    assert "no correction is shown to lower the balanced error" in said
    assert "at most" not in said
    assert "the largest estimate is" in said and ", by " in said and "the best of 6" in said


def test_sentences_are_of_the_splits_so_far(kept, studies):
    for records, sentence in (
        (kept, lambda one: one.curve("lda").finding()),
        (kept, lambda one: one.corrections("lda").finding()),
        (studies, lambda one: one.decomposition("lda", loss="error").finding()),
    ):
        for record in records:
            n = len(record.seeds)
            said = sentence(record)
            assert said.startswith(f"After {n} of 8 splits: ") == (n < 8)
    assert "5 of 8 splits" in kept[5].curve().scope()


def test_one_split_claims_no_chance(studies):
    for loss in ("error", "recall of class 3"):
        said = studies[0].decomposition("lda", loss=loss).sentences
        assert len(studies[0].seeds) == 1
        assert not any("distinguishable" in sentence for sentence in said.values())
        assert "on one split" in said["prior shift"]


def test_intervals_far_from_zero_are_distinguished_from_it(kept, studies):
    for record in studies:
        split = record.attribution("lda", "recall of class 3")
        said = record.decomposition("lda", loss="recall of class 3").sentences
        for part, value in split.parts.items():
            if value.low > 0 or value.high < 0:
                assert "not distinguishable" not in said[part]


def test_both_orders_are_shown(kept, studies):
    split = kept[-1].attribution("lda")
    first, last = (f"{100 * value:.1f}" for value in split.orders["prior shift"])
    said = kept[-1].decomposition("lda").notes()[0]
    assert first == last or f", {first} if corrected first and {last} if second" in said
    said = studies[-1].decomposition("lda", loss="recall of class 3").sentences["prior shift"]
    assert "if corrected first and" in said


def test_parts_are_conditional_on_the_class_counts(kept):
    assert "conditional on the class counts of the file" in kept[-1].curve().scope()


def test_numbers_that_are_labels_stand_in_quotes():
    data = file_of(("0", "1"))
    found = imbalance_cost(data, "lda", repeats=5)
    n = int(found.counts[1])
    assert (
        found.more_rows("lda", more=29)
        .finding()
        .startswith(f"29 more training rows of class '1' (now {n})")
    )
    assert "a + b / n with n training rows of '1'" in found.more_rows("lda").notes()[0]
    assert "class '1' has few rows" in found.decomposition("lda").notes()[2]
    assert "a missed '1'" in found.curve("lda").finding()


def test_of_more_classes_an_error_is_compared_with_other_errors():
    data = file_of(("a", "b", "c"), (200, 150, 30))
    costs = 1.0 - np.eye(3)
    costs[2] *= 4
    found = imbalance_cost(data, "lda", prevalence="file", costs=costs, repeats=5)
    assert found.decomposition().condition == "an error on 'c' costs as much as 4 others"
    assert "an error on 'c'" in found.curve("lda").finding()
    equal = imbalance_cost(data, "lda", repeats=1)
    assert equal.decomposition().condition == "all classes are equally frequent in deployment"


def test_equal_classes_leave_nothing_to_balance():
    found = imbalance_cost(lincore.sample("iris"), "lda", repeats=2)
    assert "equally frequent, so balancing changes nothing" in found.curve("lda").finding()


def test_other_classes_lose_recall_in_words(studies):
    study = studies[-1]
    advice = choose_remedy(study, "lda", "recall of class 3")
    others = advice.remedy.others._replace(value=-0.248, low=-0.3, high=-0.2)
    said = study.corrections("lda", loss="recall of class 3").recommendation(
        advice._replace(remedy=advice.remedy._replace(others=others))
    )
    assert "; the other classes lose 24.8 points of recall (20.0 to 30.0)" in said
    assert "Recommended if class shares in deployment are those of the full set: " in said
    choice = "the best of" if advice.remedy.name == advice.most.name else "chosen from"
    assert f"{choice} {advice.n_compared} on these rows" in said


def test_no_remedy_names_the_largest_estimate(studies):
    advice = choose_remedy(studies[-1], "lda", "error")
    none = advice.most._replace(recovered=advice.most.recovered._replace(low=-0.065, high=0.145,
                                                                         value=0.04))  # fmt: skip
    shown = studies[-1].corrections("lda", loss="error")
    said = shown.recommendation(advice._replace(remedy=none, most=none))
    assert "the largest estimate is 4.0 points (−6.5 to 14.5), by" in said


def test_the_cost_curve_is_drawn_from_the_numbers_of_the_record(kept):
    found = kept[-1]
    figure, curve = found.curve("lda").plot(), found.curves["lda"]
    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    assert [trace.name for trace in lines] == [
        "uncorrected", "balanced (equal priors)", "matched to the costs",
    ]  # fmt: skip
    for trace, line in zip(lines, ("uncorrected", "balanced", "matched"), strict=True):
        np.testing.assert_allclose(trace.y, 100 * curve.line(line)[:, 0], rtol=1e-5)
    names = [note.text for note in figure.layout.annotations]
    assert sum("class ratio" in name for name in names) == 1
    assert any("equal costs" in name for name in names)
    assert any(name.startswith("break-even") for name in names)
    rows = found.curve("lda").table()
    assert len(rows) == len(curve.ratios)
    unshown = replace(found, curves={"lda": replace(curve, errors=np.zeros_like(curve.errors))})
    assert unshown.curve("lda").plot().layout.meta["title"]
