"""Recalibration: scikit-learn's, within the training rows, whole groups at a time."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logit
from sklearn.calibration import CalibratedClassifierCV, _SigmoidCalibration
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

import lincore
from lincore import metrics
from lincore.data import Dataset
from lincore.errors import DataError
from lincore.export import load_model, save_model
from lincore.model_selection import CLASSIFIER_OPTIONS, as_method

METHODS = ("sigmoid", "temperature", "isotonic")


def data_set(X, labels, groups=None):
    classes, codes = np.unique(labels, return_inverse=True)
    names = tuple(f"x{i}" for i in range(X.shape[1]))
    more = {} if groups is None else {"groups": groups, "group_names": np.unique(groups)}
    return Dataset("made", X, codes, classes, names, **more)


def some(n_classes, n=240, seed=0):
    """Return unbalanced Gaussian classes that overlap."""
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random(n) < 0.5, 0, rng.integers(n_classes, size=n))
    X = rng.normal(size=(n, 3)) + 1.2 * rng.normal(size=(n_classes, 3))[codes]
    return data_set(X, codes)


def posteriors_of(data, spec):
    split = lincore.split(data, seed=1)
    model = lincore.fit(data, spec, split)
    scaler = StandardScaler().fit(data.X[split.train])
    train, test = (scaler.transform(data.X[rows]) for rows in split)
    return np.exp(model.results.log_proba[0]), train, data.codes[split.train], test


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_scikit_learns(n_classes, method):
    ours, train, codes, test = posteriors_of(some(n_classes), f"lda(recalibration={method})")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = LinearDiscriminantAnalysis()
    if n_classes == 2 or method == "temperature":
        reference = CalibratedClassifierCV(model, method=method, cv=folds, ensemble=False)
        assert_allclose(ours, reference.fit(train, codes).predict_proba(test), atol=1e-7)
        return
    # Each class by the log odds of its posterior; scikit-learn's scores are not log odds.
    inner = cross_val_predict(model, train, codes, cv=folds, method="predict_proba")
    outer, each = model.fit(train, codes).predict_proba(test), []
    for k in range(3):
        fit = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1)
        fit = fit if method == "isotonic" else _SigmoidCalibration()
        each.append(fit.fit(logit(inner[:, k]), codes == k).predict(logit(outer[:, k])))
    expected = np.transpose(each)
    assert_allclose(ours, expected / expected.sum(axis=1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_options_are_chosen_anew_in_every_fold(method):
    data, line = some(2, n=160), f"lda(shrinkage=cv, recalibration={method})"
    ours, train, codes, test = posteriors_of(data, line)
    model = lincore.fit(data, line, lincore.split(data, seed=1))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    shrinkage = {"shrinkage": model.tuning().frame()["shrinkage"].tolist()}
    search = GridSearchCV(
        LinearDiscriminantAnalysis(solver="lsqr"), shrinkage, scoring="neg_log_loss", cv=folds
    )
    reference = CalibratedClassifierCV(search, method=method, cv=folds, ensemble=False)
    reference.fit(train, codes)
    assert_allclose(ours, reference.predict_proba(test), atol=1e-6)
    best = reference.calibrated_classifiers_[0].estimator.best_params_["shrinkage"]
    assert model.classifier.estimator_.shrinkage == best
    assert f"{best:g}" in model.tuning().finding()
    # The name makes it again, also from the fitted classifier; its file holds all of it.
    assert as_method(line).name == as_method(model.classifier).name
    again = load_model(save_model(model.fitted_model)).model
    assert_allclose(again.predict_proba(data.X[model.split.test]), ours, atol=1e-12)


def test_the_choice_keeps_groups_together_and_knows_all_priors():
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(40, 8)), np.arange(40) % 2  # noise
    X, labels = np.repeat(rows, 4, axis=0), np.repeat(codes, 4)
    line = "qda(regularization=cv, recalibration=temperature)"
    chosen = [
        lincore.fit(data, line, lincore.split(grouped)).classifier.estimator_.regularization
        for grouped in [data_set(X, labels, np.repeat(np.arange(40), 4))]
        for data in (grouped, data_set(X, labels))
    ]
    assert chosen[0] > 0.5 > chosen[1]  # copies on both sides make the richest model look best
    line = "lda(priors=all, shrinkage=cv, recalibration=temperature)"
    data = some(3)
    model = lincore.fit(data, line)
    assert_allclose(model.classifier.estimator_.priors_, np.bincount(data.codes) / len(data.codes))


def test_it_is_an_option_of_every_classifier_with_posteriors():
    data, words = some(3, n=120), []
    for word in CLASSIFIER_OPTIONS:
        if word == "multinomial-nb":
            continue
        given = metrics.has_posteriors(lincore.compare(data, word), word)
        line = f"{word}(recalibration=sigmoid)"
        if given:
            words.append(line)
            assert as_method(line).name == line == as_method(as_method(line).estimator).name
        else:
            with pytest.raises(ValueError, match="has no option recalibration"):
                as_method(line)
    results = lincore.compare(data, words, "5-fold")
    assert list(results.methods) == words
    with pytest.raises(DataError, match="recalibration"):
        as_method("lda(recalibration=platt)")


def test_a_comparison_shows_what_it_buys():
    data = some(2, n=600, seed=3)
    copies = data_set(np.tile(data.X, 6), data.codes)
    names = ["naive-bayes", *(f"naive-bayes(recalibration={method})" for method in METHODS)]
    results = lincore.compare(copies, names, "5-fold")
    for score in ("log loss", "Brier"):
        before, *after = (metrics.score(results, name, score).value for name in names)
        assert max(after) < before, score
    slopes = [metrics.logistic_recalibration(results, name, 1).slope.value for name in names[:3]]
    assert slopes[0] < 0.6 and abs(slopes[1] - 1) < 0.25 and abs(slopes[2] - 1) < 0.25


def test_rows_of_a_group_stay_in_one_inner_fold():
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(40, 25)), np.arange(40) % 2  # noise
    groups = np.repeat(np.arange(40), 4)
    data = data_set(np.repeat(rows, 4, axis=0), np.repeat(codes, 4), groups)
    split = lincore.split(data)
    model = lincore.fit(data, "qda(regularization=0.5, recalibration=temperature)", split)
    # With copies on both sides of the inner folds the model would look perfect.
    assert metrics.score(model.results, model.name, "log loss").value < 0.8


def test_few_rows_are_refused_with_their_class():
    X = np.random.default_rng(0).normal(size=(40, 2))
    labels = np.array(["yes"] * 5 + ["no"] * 35)
    data = data_set(X, labels)
    with pytest.raises(DataError, match=r"5 training rows of each class, but class 'yes' has [34]"):
        lincore.fit(data, "lda(recalibration=isotonic)")
    without = "one-vs-rest(estimator=perceptron, recalibration=sigmoid)"
    with pytest.raises(DataError, match="Only posteriors can be recalibrated"):
        lincore.fit(some(2), without)


@pytest.mark.parametrize("method", METHODS)
def test_only_a_temperature_keeps_given_priors(method):
    keeps = method == "temperature"
    data = some(3)
    line = f"lda(priors=equal, recalibration={method})"
    assert as_method(line).has_fixed_priors == keeps
    model = lincore.fit(data, line)
    shares = np.bincount(data.codes[model.split.train]) / len(model.split.train)
    assert_allclose(model.fitted_model.priors, np.full(3, 1 / 3) if keeps else shares)
    # So that the posteriors of new rows can be given other priors.
    close = np.abs(np.exp(model.results.log_proba[0]).mean(axis=0) - shares).max() < 0.1
    assert close != keeps


@pytest.mark.parametrize("method", METHODS)
def test_a_model_file_holds_the_recalibration(method):
    data = some(3)
    model = lincore.fit(data, f"lda(priors=all, recalibration={method})")
    again = load_model(save_model(model.fitted_model)).model
    assert model.name == "Recalibrated LDA"
    assert (
        lincore.fit(data, "naive-bayes(recalibration=sigmoid)").name == "Recalibrated naive Bayes"
    )
    test = data.X[model.split.test]
    assert_allclose(again.predict_proba(test), np.exp(model.results.log_proba[0]), atol=1e-12)
