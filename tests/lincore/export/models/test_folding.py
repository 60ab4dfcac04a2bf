"""Models that are no linear or quadratic functions of columns say why."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import Pipeline

import lincore
from lincore import DataError, Steps
from lincore.export import score_functions
from lincore.model_selection import CLASSIFIER_FACTORIES, FittedModel, as_method
from tests.lincore.export.models.cases import Case, dataset

REFUSED = [
    (Case("iris", "lda", Steps(basis="radial")), "RadialBasis"),
    (Case("iris", "lda", Steps(basis="trigonometric")), "TrigonometricFeatures"),
    (Case("iris", "lda", Steps(basis="kernel(n_components=5)")), "Nystroem"),
    (Case("iris", "lda", Steps(basis="polynomial(degree=3)")), "degree three"),
    (Case("gaussian", "qda", Steps(basis="polynomial")), "degree four"),
    (Case("iris", "multinomial-nb(alpha=0)", Steps(standardize=False)), None),
]


@pytest.mark.parametrize(("case", "words"), REFUSED, ids=str)
def test_what_is_no_quadratic_function_is_refused(case, words):
    if words is None:
        # Every class has every count: without smoothing it is linear all the same.
        assert score_functions(case.model).n_terms == 15
        return
    with pytest.raises(DataError, match=words):
        score_functions(case.model)


def fitted(classifier, X, codes, classes=("a", "b", "c")):
    names = tuple(f"x{i}" for i in range(X.shape[1]))
    pipeline = Pipeline([("classify", classifier)]).fit(X, codes)
    return FittedModel("model", pipeline, names, None, 0, np.array(classes), "y")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("word", CLASSIFIER_FACTORIES)
def test_every_classifier_of_the_library_is_written(word):
    iris = lincore.sample("iris")
    model = fitted(as_method(word).estimator, iris.X, iris.codes)
    assert len(score_functions(model).functions) == 3


def test_a_classifier_of_others_is_refused():
    iris = lincore.sample("iris")
    with pytest.raises(DataError, match="LinearDiscriminantAnalysis"):
        score_functions(fitted(LinearDiscriminantAnalysis(), iris.X, iris.codes))
    with pytest.raises(DataError, match="LinearDiscriminantAnalysis"):
        score_functions(fitted(lincore.OneVsRest(LinearDiscriminantAnalysis()), iris.X, iris.codes))


def test_counts_that_exclude_a_class_are_refused():
    counts = np.array([[3, 0], [2, 0], [1, 4], [2, 2]])
    model = fitted(lincore.MultinomialNB(0), counts, [0, 0, 1, 1])
    with pytest.raises(DataError, match="alpha"):
        score_functions(model)


def test_words_are_refused():
    words = FittedModel("words", Pipeline([]), ("good",), None, 1, np.array(["a"]), "y")
    with pytest.raises(DataError, match="words"):
        score_functions(words)


def test_a_class_of_prior_zero_is_left_out():
    iris = lincore.sample("iris")
    priors = {"priors": [0.0, 0.4, 0.6]}
    model = fitted(lincore.QuadraticDiscriminantAnalysis(**priors), iris.X, iris.codes)
    functions = score_functions(model)
    assert functions.classes == ("b", "c")
    found = np.column_stack([f.values(iris.X - functions.origin) for f in functions.functions])
    expected = model.pipeline.predict_proba(iris.X)[:, 1:]
    exps = np.exp(found - found.max(axis=1, keepdims=True))
    np.testing.assert_allclose(exps / exps.sum(axis=1, keepdims=True), expected, atol=1e-9)
    one = fitted(lincore.LinearDiscriminantAnalysis(priors=[0, 0, 1]), iris.X, iris.codes)
    with pytest.raises(DataError, match="one class"):
        score_functions(one)


def test_gaps_and_categories_are_inputs_of_their_columns():
    functions = Case("indicator", "lda").functions
    kinds = {(one.column, one.kind) for one in functions.inputs}
    assert {("age", "number"), ("age", "missing"), ("deck", "levels")} <= kinds
    assert any(one.is_complement for one in functions.inputs)  # rare levels share a column
    assert functions.digest == dataset("indicator").digest
    indicators = [one.kind != "number" for one in functions.inputs]
    assert not functions.origin[indicators].any()
