"""Specifications at random, through the widgets of every page and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lincore import imbalance
from lincore.analysis import (
    Analysis,
    BalanceCostQuestion,
    BalanceStudyQuestion,
    ClassifyQuestion,
    ClassShare,
    CompareQuestion,
    DataQuestion,
    ExploreQuestion,
    GeneratedData,
    NewFile,
    PredictQuestion,
    SampleData,
    SplitChoice,
    TypedRow,
)
from lincore.model_selection import Steps
from tests.app.session.test_link import asked, opened

pytestmark = pytest.mark.long

words = st.sampled_from(["lda", "qda", "naive-bayes", "fisher", "least-squares"])
some = st.lists(words, min_size=1, max_size=3, unique=True).map(
    lambda chosen: tuple(
        w for w in ("lda", "qda", "naive-bayes", "fisher", "least-squares") if w in chosen
    )
)
DATA = [SampleData("iris"), GeneratedData(sizes=(40, 30, 20), seed=3)]


def specifications(*questions):
    """Return analyses of some questions, whose classes are those of the samples."""
    return st.builds(
        Analysis,
        st.sampled_from(DATA),
        st.builds(
            SplitChoice,
            st.just("stratified"),
            st.sampled_from([0.2, 0.35, 0.5]),
            st.integers(0, 9999),
        ),
        st.builds(
            Steps,
            st.booleans(),
            st.sampled_from([None, "polynomial(degree=2)", "radial"]),
            st.sampled_from([None, 0.95, 2]),
            st.just(False),
        ),
        st.fixed_dictionaries(
            {},
            optional={
                "lda": st.fixed_dictionaries({"shrinkage": st.sampled_from(["oas", 0.5])}),
                "qda": st.fixed_dictionaries({"regularization": st.sampled_from([0.25, 1.0])}),
                "least-squares": st.fixed_dictionaries({"alpha": st.sampled_from([1.0, 0.125])}),
            },
        ),
        st.one_of(*questions),
    )


def check(wanted: Analysis) -> None:
    """Open a specification on its page, and compare what the page writes again."""
    found = asked(opened(wanted))
    for part in ("data", "split", "steps", "options"):
        assert getattr(found, part) == getattr(wanted, part), part
    given = {k: v for k, v in vars(wanted.question).items() if v is not None}
    assert {k: getattr(found.question, k) for k in given} == given


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    specifications(
        st.builds(ClassifyQuestion, words),
        st.builds(
            CompareQuestion,
            some,
            scheme=st.sampled_from(["holdout", "5-fold", "7-fold", "2x3-fold"]),
        ),
        st.builds(
            PredictQuestion,
            words,
            st.sampled_from([None, "equal", "estimate", ClassShare(1, 0.25)]),
            st.sampled_from([0.05, 0.01, 0.001]),
            rows=st.sampled_from([None, NewFile(), TypedRow()]),
        ),
    )
)
def test_any_specification_comes_back_from_its_page(wanted):
    check(wanted)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    specifications(
        st.just(DataQuestion()),
        st.just(ExploreQuestion()),
        st.builds(
            BalanceCostQuestion,
            some.map(lambda chosen: chosen[:1]),
            st.sampled_from(["equal", (0.2, 0.4, 0.4), (0.45, 0.1, 0.45)]),
            st.sampled_from([1.0, 0.5, 7.25]),
            st.just(2),
        ),
        st.builds(
            BalanceStudyQuestion,
            st.dictionaries(st.integers(0, 2), st.integers(3, 9), min_size=1, max_size=2),
            some.map(lambda chosen: chosen[:1]),
            st.just(2),
        ),
    )
)
def test_any_specification_comes_back_from_the_other_pages(wanted):
    data = wanted.load()
    question = wanted.question
    if isinstance(question, BalanceStudyQuestion):
        labels = data.classes.tolist()
        question = replace(question, sizes={labels[k]: n for k, n in question.sizes.items()})
    if isinstance(question, BalanceCostQuestion) and question.prevalence != "equal":
        rare = imbalance.CostRatios.of(data).rare
        shares = [(1 - question.prevalence[1]) / 2] * 3
        shares[rare] = question.prevalence[1]
        question = replace(question, prevalence=tuple(shares))
    check(wanted.ask(question))
