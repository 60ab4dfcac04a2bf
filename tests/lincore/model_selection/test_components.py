"""The number of components chosen by inner folds: scikit-learn's grid searches, fits by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import lincore
from lincore import Steps
from lincore.data import Dataset, Split
from lincore.errors import DataError
from lincore.export import load_model, save_model
from lincore.imbalance import sweep
from lincore.model_selection import fit_alike
from lincore.utils import count

CHOSEN = Steps(n_components="cv")


def some(n=150, p=12, seed=0, **more):
    """Return unbalanced Gaussian classes in correlated features of unlike scales."""
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random(n) < 0.5, 0, rng.integers(3, size=n))
    factors = rng.normal(size=(n, 3)) + rng.normal(size=(3, 3))[codes]
    X = factors @ rng.normal(size=(3, p)) + rng.normal(size=(n, p))
    return data_set(X * rng.uniform(0.5, 2, size=p), codes, **more)


def data_set(X, codes, **more):
    names = tuple(f"x{i}" for i in range(X.shape[1]))
    classes = np.array([f"class {k}" for k in np.unique(codes)])
    return Dataset("made", X, codes, classes, names, **more)


def searched(data, rows, reference, steps, tried, scoring="neg_log_loss"):
    """Return scikit-learn's search over a pipeline of all steps, in the same inner folds."""
    scale = StandardScaler() if steps.standardize is not False else FunctionTransformer()
    pca = PCA(svd_solver="full", whiten=steps.whiten)
    search = GridSearchCV(
        make_pipeline(scale, pca, reference),
        {"pca__n_components": np.asarray(tried, dtype=int)},
        scoring=scoring,
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
    )
    return search.fit(data.X[rows], data.codes[rows])


REFERENCES = {
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(),
    "logistic": LogisticRegression(solver="newton-cholesky", tol=1e-10),
    "least-squares": RidgeClassifier(alpha=1e-12),
}


@pytest.mark.parametrize("line", REFERENCES)
@pytest.mark.parametrize(
    "steps", [CHOSEN, CHOSEN._replace(standardize=False), CHOSEN._replace(whiten=True)]
)
def test_the_choice_is_that_of_a_grid_search_over_the_whole_pipeline(line, steps):
    data = some()
    model = lincore.fit(data, line, steps=steps)
    tuning = model.tuning().frame()
    assert tuning["n_components"].tolist() == [1, 2, 4, 8, 12]
    loss = tuning.columns[1]
    errors = loss == "error rate"
    search = searched(
        data,
        model.split.train,
        REFERENCES[line],
        steps,
        tuning["n_components"],
        "accuracy" if errors else "neg_log_loss",
    )
    means = search.cv_results_["mean_test_score"]
    assert_allclose(1 - tuning[loss] if errors else -tuning[loss], means, atol=1e-6)
    chosen = search.best_params_["pca__n_components"]
    assert tuning["n_components"][tuning["chosen"]].tolist() == [chosen]
    assert model.pipeline["pca"].n_components_ == chosen
    assert (search.predict(data.X[model.split.test]) == model.results.predicted[0]).all()


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_each_outer_fold_chooses_from_its_own_training_rows(n_jobs):
    data, lines = some(n=240, seed=4), ["lda", "logistic", "qda"]
    results = lincore.compare(data, lines, "3-fold", steps=CHOSEN, n_jobs=n_jobs)
    numbers = set()
    for fold in range(3):
        tested = results.rows[results.fold == fold]
        train = np.setdiff1d(np.arange(data.n_rows), tested)
        for m, line in enumerate(lines):
            search = searched(data, train, REFERENCES[line], CHOSEN, [1, 2, 4, 8, 12])
            numbers.add(search.best_params_["pca__n_components"])
            expected = search.predict_proba(data.X[tested])
            found = np.exp(results.log_proba[m, results.fold == fold])
            assert_allclose(found, expected, atol=1e-6)
    assert len(numbers) > 1  # of methods and folds
    assert results.settings.steps["lda"]["n_components"] == "cv"


def test_one_standard_error_takes_the_fewest():
    rng = np.random.default_rng(5)
    codes = np.arange(120) % 2
    factor = rng.normal(size=120) + 2 * codes
    data = data_set(factor[:, None] + rng.normal(size=(120, 10)), codes)
    model = lincore.fit(data, "qda", steps=Steps(n_components="cv-1se"))
    frame = model.tuning().frame()
    least = frame.loc[frame["log loss"].idxmin()]
    within = frame[frame["log loss"] <= least["log loss"] + least["standard error"]]
    chosen = within["n_components"].min()
    assert model.pipeline["pca"].n_components_ == chosen < least["n_components"]
    assert (
        model.tuning().finding().startswith(f"{count(int(chosen), 'component')}: fewest within one")
    )
    assert model.tuning().finding() in model.steps().notes()
    assert model.tuning().plot() is not None and len(model.tuning().table()) == len(frame)


@pytest.mark.parametrize(
    ("data", "steps"),
    [
        (lincore.sample("passengers").take(np.arange(0, 890, 3)), CHOSEN),
        (lincore.sample("iris"), CHOSEN._replace(basis="polynomial(degree=2)", whiten=True)),
        (lincore.sample("digits").take(np.arange(300)), CHOSEN._replace(basis="hog")),
    ],
    ids=["missing values and categories", "basis", "gradients"],
)
def test_every_step_is_fitted_in_the_inner_training_rows(data, steps):
    model = lincore.fit(data, "lda(shrinkage=0.1)", steps=steps)
    frame, train = model.tuning().frame(), model.split.train
    inner = StratifiedKFold(5, shuffle=True, random_state=0).split(train, data.codes[train])
    splits = [Split(train[rest], train[test]) for rest, test in inner]
    for tried, expected in zip(frame["n_components"][1:4], frame["log loss"][1:4], strict=True):
        own, losses = steps._replace(n_components=int(tried)), []
        for split in splits:
            results = lincore.fit(data, "lda(shrinkage=0.1)", split, steps=own).results
            proba = np.exp(results.log_proba[0])
            losses.append(log_loss(results.truth, proba, labels=range(data.n_classes)))
        assert_allclose(expected, np.mean(losses), atol=1e-9)


def test_weights_count_in_steps_fits_and_losses():
    weights = np.random.default_rng(1).integers(1, 4, size=150)
    data = some(weights=weights)
    model = lincore.fit(data, "logistic", steps=CHOSEN)
    train = model.split.train
    X, codes, own = data.X[train], data.codes[train], weights[train]
    for tried, expected in model.tuning().frame()[["n_components", "log loss"]].to_numpy():
        reference = make_pipeline(
            StandardScaler(), PCA(int(tried), svd_solver="full"), REFERENCES["logistic"]
        )
        losses = []
        for rest, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, codes):
            copied = np.repeat(rest, own[rest])
            proba = reference.fit(X[copied], codes[copied]).predict_proba(X[test])
            losses.append(log_loss(codes[test], proba, sample_weight=own[test]))
        assert_allclose(expected, np.mean(losses), atol=1e-6)


def test_rows_of_a_group_stay_in_one_inner_fold():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 3)
    data = data_set(
        np.repeat(rng.normal(size=(60, 8)), 3, axis=0),
        np.repeat(np.arange(60) % 2, 3),
        groups=groups,
        group_names=np.unique(groups),
    )
    model = lincore.fit(data, "lda", steps=CHOSEN)
    train = model.split.train
    search = GridSearchCV(
        make_pipeline(StandardScaler(), PCA(svd_solver="full"), LinearDiscriminantAnalysis()),
        {"pca__n_components": [1, 2, 4, 8]},
        scoring="neg_log_loss",
        cv=StratifiedGroupKFold(5, shuffle=True, random_state=0),
    ).fit(data.X[train], data.codes[train], groups=groups[train])
    found = model.tuning().frame()["log loss"]
    assert_allclose(found, -search.cv_results_["mean_test_score"], atol=1e-6)


def test_numbers_that_cannot_be_fitted_are_left_out():
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    data = data_set(rng.normal(size=(60, 25)) + codes[:, None], codes)
    model = lincore.fit(data, "qda", steps=CHOSEN)
    assert model.tuning().table()["log loss"].iloc[-1] == "not fitted"
    assert model.pipeline["pca"].n_components_ < 20


def test_a_third_party_classifier_has_a_number_of_its_own():
    data = some()
    model = lincore.fit(data, LinearDiscriminantAnalysis(), steps=CHOSEN)
    own = lincore.fit(data, "lda", steps=CHOSEN)
    assert_allclose(model.tuning().frame()["log loss"], own.tuning().frame()["log loss"], atol=1e-9)


def test_what_refits_the_model_chooses_again():
    data = some(seed=4)
    model = lincore.fit(data, "lda", steps=CHOSEN)
    number = model.pipeline["pca"].n_components_
    fixed = lincore.fit(data, "lda", steps=Steps(n_components=number))
    assert_allclose(fixed.results.log_proba, model.results.log_proba, atol=1e-12)
    assert np.abs(model.held_out().log_proba - fixed.held_out().log_proba).max() > 1e-3
    again = load_model(save_model(model.fitted_model)).model
    expected = np.exp(model.results.log_proba[0])
    assert_allclose(again.predict_proba(data.X[model.split.test]), expected, atol=1e-12)


def test_a_study_chooses_in_every_subset():
    data = some(n=200)
    sizes = {"class 0": 30}
    chosen = lincore.balance(data, sizes, ["lda", "logistic"], steps=CHOSEN, repeats=2)
    assert not chosen.failures
    pipelines = chosen.example.pipelines
    assert all(hasattr(one["pca"], "tuning_") for one in pipelines.values())


def test_a_sweep_chooses_at_every_size():
    data = some()
    alone, both = (
        sweep(data, ["class 0"], [10, 30], lines, steps=CHOSEN, repeats=1)
        for lines in (["lda"], ["lda", "logistic"])
    )
    assert not alone.failures and not both.failures
    assert np.isfinite(alone.losses[0]).all()
    # Without a method that needs rows, the moments of all sizes are added up.
    assert_allclose(alone.losses[0], both.losses[0], atol=1e-9)
    model = lincore.fit(data, "lda", steps=CHOSEN)
    recalls = alone.curve("lda", "recall of class 0").mean
    tested = model.results.truth == 0
    assert recalls[-1] == pytest.approx(np.mean(model.results.predicted[0][tested] == 0))


def test_boundaries_are_drawn_of_models_with_the_same_number():
    data = lincore.sample("wine")
    fits = fit_alike(data, lincore.split(data), ["lda", "qda"], steps=Steps(n_components="cv-1se"))
    assert list(fits.pipelines) == ["lda"]
    assert fits.missing == ("QDA uses other coordinates and cannot be drawn here.",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("lda(shrinkage=cv)", "number of components and shrinkage together"),
        ("lda(shrinkage=cv, recalibration=sigmoid)", "number of components and shrinkage"),
    ],
)
def test_two_choices_at_once_are_refused(line, message):
    with pytest.raises(DataError, match=message):
        lincore.fit(some(), line, steps=CHOSEN)


def test_sparse_rows_are_refused():
    rng = np.random.default_rng(0)
    words = data_set(sp.csr_array(rng.poisson(1.0, (60, 20)).astype(float)), np.arange(60) % 2)
    with pytest.raises(DataError, match="components of sparse rows: give a number"):
        lincore.fit(replace(words, n_words=20), "lda", steps=CHOSEN._replace(standardize=False))


def test_few_rows_and_unknown_rules_are_refused():
    few = data_set(np.random.default_rng(0).normal(size=(40, 3)), np.repeat([0, 1], [35, 5]))
    with pytest.raises(DataError, match="number of components by cross-validation needs at least"):
        lincore.fit(few, "lda", steps=CHOSEN)
    with pytest.raises(DataError, match="got 'best'"):
        lincore.fit(some(), "lda", steps=Steps(n_components="best"))
