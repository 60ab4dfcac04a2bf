"""The methods paragraph says what was done, and nothing else."""

from __future__ import annotations

import re

import pytest

import lincore
from lincore.export import ReportContents, report_sections

IRIS = lincore.sample("iris")


def methods(data=IRIS, **parts):
    sections = report_sections(ReportContents(data, **parts))
    return next(section for section in sections if section.title == "Methods")


@pytest.mark.parametrize(
    ("specs", "scheme", "score", "said", "unsaid"),
    [
        (["lda", "qda"], "holdout", "accuracy", ["Bonett", "Wilson", "hold-out"],
         ["Nadeau", "jackknife", "Kohavi"]),
        (["lda", "qda"], "2x5-fold", "accuracy", ["repeated 2 times", "Nadeau", "Kohavi", "Holm"],
         ["Bonett and Price"]),
        (["lda", "qda"], "holdout", "log loss", ["paired t-test"], ["Bonett and Price"]),
        (["logistic(C=inf)"], "5-fold", None, ["C=inf", "logistic regression"], ["Holm", "LDA"]),
    ],
)  # fmt: skip
def test_tests_and_intervals_are_those_that_were_used(specs, scheme, score, said, unsaid):
    found = methods(comparison=lincore.compare(IRIS, specs, scheme), score=score)
    text = " ".join((*found.sentences, *found.items))
    assert all(word in text for word in said), text
    assert not any(word in text for word in unsaid), text


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("logistic(bias_reduction=firth)", ["Firth's penalty", "Firth D. (1993)", "Heinze"]),
        ("logistic(bias_reduction=king-zeng)", ["King and Zeng", "King G., Zeng L. (2001)"]),
        ("one-vs-rest(estimator='logistic(bias_reduction=firth)')", ["Firth D. (1993)"]),
        ("logistic(l1_ratio=1, C=0.1)", ["an L1 penalty (lasso)", "Tibshirani R. (1996)"]),
        ("logistic(l1_ratio=0.5, C=0.1)", ["an elastic net, a sum of", "Zou H., Hastie T. (2005)"]),
        ("lda(covariance=mcd)", ["minimum covariance determinant", "Rousseeuw"]),
        ("lda(selection=stepwise)", ["stepwise by Wilks' lambda", "Rencher A. C. (2002)"]),
        ("lda(recalibration=sigmoid)", ["Platt scaling", "Platt J. C. (1999)"]),
        ("qda(recalibration=temperature)", ["by a temperature", "Guo C."]),
        ("lda(recalibration=isotonic)", ["isotonic regression", "Zadrozny B."]),
        ("logistic(C=cv)", ["“C” was chosen by five-fold", "least mean loss", "Varma S."]),
        ("lda(shrinkage=cv-1se)", ["one standard error", "Breiman L."]),
        ("qda(shrinkage=cv, regularization=cv)",
         ["“regularization” and “shrinkage” were chosen", "Friedman J. H. (1989)"]),
    ],
)  # fmt: skip
def test_what_options_do_is_said_with_its_source_only_if_used(spec, said):
    data, text = (lincore.sample("passengers") if "bias" in spec else IRIS), {}
    for line in (spec, "lda"):
        model = lincore.fit(data, line)
        for parts in ({"model": model}, {"comparison": lincore.compare(data, [line])}):
            found = methods(data, **parts)
            text[line, *parts] = " ".join((*found.sentences, *found.items))
    for (line, _), words in text.items():
        assert all(word in words for word in said) == (line == spec), words


def test_every_citation_has_its_reference_and_the_other_way_round():
    data = lincore.sample("gaussian")
    found = methods(
        data,
        comparison=lincore.compare(data, ["lda", "qda", "fisher", "logistic", "one-vs-one"]),
        cost=lincore.imbalance_cost(data, "lda", repeats=1),
        study=lincore.balance(data, {"class 3": 11}, "lda", repeats=1),
    )
    cited = {int(n) for part in re.findall(r"\[([\d, ]+)\]", found.sentences[0])
             for n in part.split(",")}  # fmt: skip
    assert cited == set(range(1, len(found.items) + 1))
    assert [int(item[1 : item.index("]")]) for item in found.items] == sorted(cited)


def test_texts_are_named_where_they_are_the_source():
    every = list(lincore.model_selection.CLASSIFIER_FACTORIES)
    every.remove("multinomial-nb")
    found = " ".join(methods(comparison=lincore.compare(IRIS, every)).items)
    for text in ("faces-generative-vs-discriminative", "lda-from-scratch", "lda-qda-derivations",
                 "lecture-linear-classifiers", "prml-chapter-4-in-r"):  # fmt: skip
        assert text in found


def test_preparation_is_that_of_the_data():
    data = lincore.sample("passengers")
    found = lincore.compare(data, ["lda", "logistic"], steps=lincore.Steps(n_components=3))
    text = methods(data, comparison=found).sentences[0]
    assert "Missing values were filled in by the median" in text
    assert "indicator columns" in text and "principal components (3)" in text
    assert "learned from the training rows alone" in text
    assert "filled in" not in methods(comparison=lincore.compare(IRIS, "lda")).sentences[0]


@pytest.mark.parametrize(
    ("rule", "said"),
    [("cv", ["with the least mean loss", "Varma S."]), ("cv-1se", ["the fewest", "Breiman L."])],
)
def test_a_number_of_components_that_cross_validation_chose_is_said(rule, said):
    steps = lincore.Steps(n_components=rule)
    model = lincore.fit(IRIS, "lda", steps=steps)
    for parts in ({"model": model}, {"comparison": lincore.compare(IRIS, "lda", steps=steps)}):
        found = methods(**parts)
        text = " ".join((*found.sentences, *found.items))
        assert "as many principal components as five-fold cross-validation" in text
        assert all(word in text for word in said), text
