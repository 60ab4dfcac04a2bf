"""Options chosen by inner folds: scikit-learn's grid searches, one standard error, honesty."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler

import lincore
from lincore import metrics
from lincore.data import Dataset
from lincore.errors import DataError
from lincore.export import load_model, save_model, score_functions, to_numpy
from lincore.model_selection import as_method


def some(n=200, p=6, n_classes=3, seed=0, **more):
    """Return unbalanced Gaussian classes that overlap, standardised."""
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random(n) < 0.4, 0, rng.integers(n_classes, size=n))
    X = rng.normal(size=(n, p)) + rng.normal(size=(n_classes, p))[codes]
    return data_set(X, codes, **more)


def data_set(X, codes, **more):
    names = tuple(f"x{i}" for i in range(X.shape[1]))
    classes = np.array([f"class {k}" for k in np.unique(codes)])
    return Dataset("made", X, codes, classes, names, **more)


def searched(data, model, reference, grid, scoring):
    """Return the search of scikit-learn over the same inner folds."""
    train = data.X[model.split.train]
    search = GridSearchCV(
        reference,
        grid,
        scoring=scoring,
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
    )
    return search.fit(StandardScaler().fit_transform(train), data.codes[model.split.train])


@pytest.mark.parametrize(
    ("line", "option", "reference", "scoring", "sign"),
    [
        ("lda", "shrinkage", LinearDiscriminantAnalysis(solver="lsqr"), "neg_log_loss", -1),
        (
            "logistic",
            "C",
            LogisticRegression(solver="newton-cholesky", tol=1e-10),
            "neg_log_loss",
            -1,
        ),
        ("least-squares", "alpha", RidgeClassifier(), "accuracy", 1),
    ],
)
def test_the_choice_is_that_of_scikit_learns_grid_search(line, option, reference, scoring, sign):
    data = some()
    model = lincore.fit(data, f"{line}({option}=cv)")
    tuning = model.tuning().frame()
    grid = {option: tuning[option].tolist()}
    search = searched(data, model, reference, grid, scoring)
    means = search.cv_results_["mean_test_score"]
    loss = tuning.columns[1]
    ours = 1 - tuning[loss] if loss == "error rate" else tuning[loss]
    assert_allclose(ours, sign * means, atol=1e-6)
    assert tuning[option][tuning["chosen"]].tolist() == [search.best_params_[option]]
    assert getattr(model.classifier, option) == search.best_params_[option]
    test = StandardScaler().fit(data.X[model.split.train]).transform(data.X[model.split.test])
    assert (search.predict(test) == model.results.predicted[0]).all()


def test_both_parameters_of_friedman_are_chosen_together():
    assert as_method("qda(shrinkage=cv-1se, regularization=cv)").estimator.rule == "cv-1se"
    model = lincore.fit(some(n=90, p=10), "qda(shrinkage=cv, regularization=cv)")
    frame = model.tuning().frame()
    assert len(frame) == 25
    best = frame.loc[frame["log loss"].idxmin()]
    assert model.classifier.regularization == best["regularization"]
    assert model.classifier.shrinkage == best["shrinkage"]
    # Other candidates are those of fits with these values.
    by_hand = lincore.fit(some(n=90, p=10), "qda(regularization=0.354, shrinkage=0.5)")
    assert by_hand.classifier.regularization == 0.354


def test_one_standard_error_takes_the_most_regularised():
    data = some(n=120)
    model = lincore.fit(data, "logistic(C=cv-1se)")
    frame = model.tuning().frame()
    least = frame.loc[frame["log loss"].idxmin()]
    within = frame[frame["log loss"] <= least["log loss"] + least["standard error"]]
    assert model.classifier.C == within["C"].min() < least["C"]
    assert frame["C"][frame["chosen"]].tolist() == [model.classifier.C]
    assert "most regularised" in model.tuning().finding()
    # The standard error is that of five folds.
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    train, codes = data.X[model.split.train], data.codes[model.split.train]
    X = StandardScaler().fit_transform(train)
    losses = [
        log_loss(codes[test], LogisticRegression(solver="newton-cholesky", tol=1e-10)
                 .fit(X[rest], codes[rest]).predict_proba(X[test]))
        for rest, test in folds.split(X, codes)
    ]  # fmt: skip
    at_one = frame.loc[frame["C"] == 1]
    assert_allclose(at_one["standard error"], np.std(losses, ddof=1) / np.sqrt(5), rtol=1e-5)


def test_weights_count_in_fits_and_losses():
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.2, 3, size=200)
    data = some(weights=weights)
    model = lincore.fit(data, "lda(shrinkage=cv)")
    plain = lincore.fit(some(), "lda(shrinkage=cv)", model.split)
    train, codes = data.X[model.split.train], data.codes[model.split.train]
    own = weights[model.split.train]
    scaler = StandardScaler().fit(train, sample_weight=own)
    X, losses = scaler.transform(train), []
    for rest, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, codes):
        fit = LogisticRegression(solver="newton-cholesky", tol=1e-10)
        fit.fit(X[rest], codes[rest], sample_weight=own[rest])
        losses.append(log_loss(codes[test], fit.predict_proba(X[test]), sample_weight=own[test]))
    found = lincore.fit(data, "logistic(C=cv)", model.split).tuning().frame()
    assert_allclose(found.loc[found["C"] == 1, "log loss"], np.mean(losses), rtol=1e-5)
    mine, unweighted = (one.tuning().frame()["log loss"] for one in (model, plain))
    assert np.abs(mine - unweighted).min() > 1e-4


def test_rows_of_a_group_stay_in_one_inner_fold():
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(60, 40)), np.arange(60) % 2  # noise
    groups = np.repeat(np.arange(60), 4)
    copies = np.repeat(rows, 4, axis=0)
    data = data_set(copies, np.repeat(codes, 4), groups=groups, group_names=np.unique(groups))
    model = lincore.fit(data, "qda(regularization=cv)")
    # With copies on both sides of the inner folds a nearly perfect model would seem possible.
    assert model.tuning().frame()["log loss"].min() > 0.6


def test_the_outer_score_of_noise_is_chance():
    rng = np.random.default_rng(3)
    rates = []
    for _ in range(12):
        data = data_set(rng.normal(size=(80, 30)), np.arange(80) % 2)
        results = lincore.compare(data, "lda(shrinkage=cv)", "5-fold")
        rates.append(metrics.score(results, "lda(shrinkage=cv)", "accuracy").value)
    assert abs(np.mean(rates) - 0.5) < 0.06


def test_what_refits_the_model_chooses_again():
    data = some(n=120, seed=2)
    model = lincore.fit(data, "qda(shrinkage=cv)")
    assert as_method(model.classifier).name == "qda(shrinkage=cv)"
    again = as_method(as_method("qda(regularization=cv)").estimator)
    assert again.name == "qda(regularization=cv)" and again.word == "qda"
    fixed = lincore.fit(data, f"qda(shrinkage={model.classifier.shrinkage})", model.split)
    assert_allclose(fixed.results.log_proba, model.results.log_proba, atol=1e-9)
    assert np.abs(model.held_out().log_proba - fixed.held_out().log_proba).max() > 1e-3


def test_a_candidate_that_cannot_be_fitted_is_left_out():
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    X = rng.normal(size=(60, 25)) + codes[:, None]
    model = lincore.fit(data_set(X, codes), "qda(shrinkage=cv)")
    table = model.tuning().table()
    assert table["log loss"].iloc[-1] == "not fitted" and model.classifier.shrinkage > 0
    assert "not fitted" not in table["log loss"].iloc[0]
    assert model.tuning().plot() is not None


@pytest.mark.parametrize("line", ["lda(shrinkage=cv)", "qda(regularization=cv, shrinkage=cv)"])
def test_exports_hold_the_chosen_values(line):
    data = some()
    model = lincore.fit(data, line)
    again = load_model(save_model(model.fitted_model)).model
    test = data.X[model.split.test]
    assert_allclose(again.predict_proba(test), np.exp(model.results.log_proba[0]), atol=1e-12)
    assert "import numpy" in to_numpy(score_functions(model.fitted_model))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("logistic(C=cv, bias_reduction=firth)", "no penalty"),
        ("lda(divisor=cv)", "divisor"),
        ("naive-bayes(var_smoothing=cv)", "var_smoothing"),
    ],
)
def test_other_options_and_mixtures_are_refused(line, message):
    with pytest.raises((ValueError, DataError), match=message):
        as_method(line)


def test_few_rows_are_refused_with_their_class():
    X = np.random.default_rng(0).normal(size=(40, 2))
    codes = np.repeat([0, 1], [35, 5])
    with pytest.raises(DataError, match=r"shrinkage by cross-validation needs at least 5 training"):
        lincore.fit(data_set(X, codes), "lda(shrinkage=cv)")


def test_a_model_without_a_choice_says_so():
    found = lincore.fit(some(), "lda").tuning()
    assert found.finding() == "No option of LDA was chosen by cross-validation."
    assert found.plot() is None and found.frame().empty and found.table().empty
