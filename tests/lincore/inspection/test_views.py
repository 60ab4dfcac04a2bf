"""A view says of the points of a plane what the model itself says of the rows there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures
from sklearn.svm import SVC

import lincore
from lincore import (
    PCA,
    DiagonalLinearDiscriminantAnalysis,
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MultinomialNB,
    OneVsOne,
    OneVsRest,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    Standardizer,
    plots,
)
from lincore.data import Dataset
from lincore.inspection import (
    discriminant_plane,
    feature_plane,
    make_view,
    model_view,
    principal_plane,
)
from lincore.moments import Moments

GAUSSIAN = [
    LinearDiscriminantAnalysis(),
    DiagonalLinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    GaussianNB(),
]
OTHERS = [
    FisherDiscriminant(),
    LeastSquaresClassifier(),
    Perceptron(max_epochs=5),
    LogisticRegression(),
    OneVsRest(LinearDiscriminantAnalysis()),
    OneVsOne(LinearDiscriminantAnalysis()),
    RandomForestClassifier(5, random_state=0),
    RidgeClassifier(),
    SVC(decision_function_shape="ovo"),
]


def make_data(n_classes=3, p=4, n=150, *, shift=0.0, seed=0) -> Dataset:
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    mixing = rng.normal(size=(n_classes, p, p)) / 2 + np.eye(p)
    scales = 10.0 ** rng.integers(-3, 4, p)
    X = 2 * rng.normal(size=(n_classes, p))[codes]
    X += np.einsum("ij,ijk->ik", rng.normal(size=(n, p)), mixing[codes])
    classes = np.array([f"class {k}" for k in range(n_classes)])
    return Dataset("made", shift + X * scales, codes, classes, tuple("abcdefgh"[:p]))


pytestmark = pytest.mark.filterwarnings("ignore:The perceptron did not converge")


def fitted(classifier, data, *before) -> Pipeline:
    """Return a pipeline fitted on all rows, which learn codes."""
    steps = [(type(step).__name__.lower().replace("standardizer", "standardize"), step)
             for step in before]  # fmt: skip
    return Pipeline([*steps, ("classify", classifier)]).fit(data.X, data.codes)


def grid(view, n=15):
    low, high = view.points.min(axis=0), view.points.max(axis=0)
    x, y = np.linspace(low[0], high[0], n), np.linspace(low[1], high[1], n)
    return np.column_stack([np.tile(x, n), np.repeat(y, n)])


@pytest.mark.parametrize("model", [*GAUSSIAN, *OTHERS], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(("n_classes", "n_components"), [(2, None), (3, 3)])
def test_a_cut_decides_as_the_model_does_at_the_rows_it_stands_for(model, n_classes, n_components):
    data = make_data(n_classes, shift=5.0)
    before = [Standardizer()] + ([PCA(n_components)] if n_components else [])
    pipeline, rows = fitted(model, data, *before), np.arange(data.n_rows)
    plane = feature_plane(data, (2, 0), rows)
    view = make_view(pipeline, data, rows, plane, how="cut")
    Z = grid(view)
    said, expected = view.scores(Z).argmax(axis=1), pipeline.predict(plane.lift(Z))
    # scikit-learn's votes may be tied where its scores are not.
    assert np.mean(said == expected) > (0.97 if isinstance(model, SVC) else 0.999)
    np.testing.assert_array_equal(view.predicted, pipeline.predict(data.X))
    np.testing.assert_array_equal(view.points, data.X[:, [2, 0]])
    if "posterior" in view.quantities:
        proba = pipeline.predict_proba(plane.lift(Z))
        np.testing.assert_allclose(np.exp(view.log_posterior(Z)), proba, atol=1e-8)
    else:
        # Of binary models the planes are shown, and where they contradict each other.
        assert hasattr(model, "ambiguity") or not hasattr(pipeline, "predict_proba")


@pytest.mark.parametrize("model", GAUSSIAN, ids=lambda model: type(model).__name__)
def test_a_conditional_density_is_the_joint_one_along_the_cut(model):
    data = make_data()
    pipeline, rows = fitted(model, data, Standardizer()), np.arange(data.n_rows)
    plane = feature_plane(data, (1, 3), rows, values={0: 0.1})
    view = make_view(pipeline, data, rows, plane)
    Z = grid(view)
    inner = pipeline[:-1].transform(plane.lift(Z))
    joint = model.densities_.log_density(inner) + np.log(model.priors_)
    difference = view.log_joint(Z) - joint
    # Divided by the density of the rest, and in other units: one constant for all classes.
    np.testing.assert_allclose(difference, difference[0, 0], atol=1e-6)
    assert view.priors.sum() == pytest.approx(1)
    assert "held at chosen values" in view.caption


@pytest.mark.parametrize("model", GAUSSIAN, ids=lambda model: type(model).__name__)
def test_a_marginal_is_what_the_model_learns_from_these_features_alone(model):
    data = make_data()
    # What is added to variances depends on the units and on the other features.
    plain = {"var_smoothing": 0} if isinstance(model, GaussianNB) else {}
    pipeline = fitted(type(model)(**plain), data, Standardizer())
    rows = np.arange(data.n_rows)
    view = make_view(pipeline, data, rows, feature_plane(data, (3, 1), rows), how="marginal")
    alone = type(model)(**plain).fit(data.X[:, [3, 1]], data.codes)
    Z = grid(view)
    atol = 1e-9
    np.testing.assert_allclose(np.exp(view.log_posterior(Z)), alone.predict_proba(Z), atol=atol)
    assert "averaged exactly over" in view.caption
    np.testing.assert_allclose(
        np.exp(model_view(pipeline, data, rows, (3, 1)).log_posterior(Z)),
        alone.predict_proba(Z), atol=atol,
    )  # fmt: skip


def test_the_marginal_of_a_wide_model_is_found_without_its_covariance(monkeypatch):
    data = make_data(p=6)
    model = LinearDiscriminantAnalysis()
    pipeline, rows = fitted(model, data, Standardizer()), np.arange(data.n_rows)
    plane = principal_plane(pipeline, data, rows)
    view = make_view(pipeline, data, rows, plane, how="marginal")
    monkeypatch.setattr("lincore.inspection.gaussian_slices.MOST_FORMED", 1)
    other = make_view(pipeline, data, rows, plane, how="marginal")
    Z = grid(view)
    np.testing.assert_allclose(other.log_joint(Z), view.log_joint(Z), rtol=1e-8)


@pytest.mark.parametrize("how", ["cut", "marginal"])
def test_ldas_decisions_are_whole_in_the_discriminant_plane(how):
    data = make_data(p=6)
    pipeline, rows = fitted(LinearDiscriminantAnalysis(), data, Standardizer()), np.arange(150)
    view = make_view(pipeline, data, rows, discriminant_plane(pipeline, data, rows), how=how)
    np.testing.assert_array_equal(view.scores(view.points).argmax(axis=1), view.predicted)
    np.testing.assert_allclose(
        np.exp(view.log_posterior(view.points)), pipeline.predict_proba(data.X), atol=1e-8
    )


def test_what_contradicts_is_told_where_the_model_says_so():
    data = make_data(p=3)
    for model in (OneVsRest(LinearDiscriminantAnalysis()), OneVsOne(Perceptron(max_epochs=3))):
        pipeline, rows = fitted(model, data, Standardizer()), np.arange(data.n_rows)
        plane = feature_plane(data, (0, 1), rows)
        view = make_view(pipeline, data, rows, plane)
        Z = grid(view)
        seen = pipeline[:-1].transform(plane.lift(Z))
        np.testing.assert_array_equal(view.ambiguous.ambiguity(Z), model.ambiguity(seen))
        assert view.quantities == ("score",)


def test_steps_that_bend_are_followed():
    data = make_data(p=2)
    pipeline, rows = fitted(LogisticRegression(C=1.0), data, Standardizer(),
                            PolynomialFeatures(2, include_bias=False)), np.arange(150)  # fmt: skip
    plane = feature_plane(data, (0, 1), rows)
    view = make_view(pipeline, data, rows, plane)
    Z = grid(view)
    np.testing.assert_allclose(np.exp(view.log_posterior(Z)), pipeline.predict_proba(Z), atol=1e-9)
    assert view.caption.startswith("The whole model") and not view.subject


def test_counts_of_words_stay_sparse():
    rng = np.random.default_rng(0)
    X = csr_array(rng.poisson(1.0, (60, 30)).astype(float))
    names = tuple(f"word {i}" for i in range(30))
    data = Dataset("words", X, np.arange(60) % 2, np.array(["a", "b"]), names, n_words=30)
    pipeline, rows = Pipeline([("classify", MultinomialNB())]).fit(X, data.codes), np.arange(60)
    plane = feature_plane(data, (4, 7), rows)
    view = make_view(pipeline, data, rows, plane)
    np.testing.assert_array_equal(view.points, X[:, [4, 7]].toarray())
    expected = pipeline.predict_proba(csr_array(plane.lift(view.points)))
    np.testing.assert_allclose(np.exp(view.log_posterior(view.points)), expected, atol=1e-10)


def test_rows_without_a_value_are_left_out_and_counted():
    data = make_data(p=3)
    X = data.X.copy()
    pipeline = fitted(LogisticRegression(), data, Standardizer())
    X[:2, 1] = np.nan
    holed = Dataset("holed", X, data.codes, data.classes, data.feature_names)

    pipeline.steps.insert(0, ("impute", FunctionTransformer(np.nan_to_num)))
    rows = np.arange(data.n_rows)
    view = make_view(pipeline, holed, rows, feature_plane(holed, (1, 2), rows))
    np.testing.assert_array_equal(view.rows, rows[2:])
    assert view.caption.endswith("2 rows lack a value here and are not drawn.")


def test_a_class_that_the_model_never_met_is_impossible():
    data = make_data(3, p=2)
    kept = data.codes != 1
    for model in (LinearDiscriminantAnalysis(), LogisticRegression(), RandomForestClassifier(3)):
        pipeline = Pipeline([("classify", model)]).fit(data.X[kept], data.codes[kept])
        rows = np.arange(data.n_rows)
        view = make_view(pipeline, data, rows, feature_plane(data, (0, 1), rows))
        posterior = np.exp(view.log_posterior(view.points))
        assert posterior.shape == (150, 3)
        np.testing.assert_array_equal(posterior[:, 1], 0)
        for figure in (plots.contour(view), plots.boundary(view), plots.surface(view)):
            assert figure.layout.meta["alt"]


def test_a_marginal_that_does_not_exist_is_refused():
    data, rows = make_data(), np.arange(150)
    plane = feature_plane(data, (0, 1), rows)
    with pytest.raises(ValueError, match="LogisticRegression is not Gaussian"):
        make_view(fitted(LogisticRegression(), data), data, rows, plane, how="marginal")
    projected = fitted(LinearDiscriminantAnalysis(), data, Standardizer(), PCA(2))
    with pytest.raises(ValueError, match="inputs are not the features"):
        make_view(projected, data, rows, plane, how="marginal")


def test_one_coordinate_of_many_classes():
    data = make_data(7, n=700)
    pipeline, rows = fitted(QuadraticDiscriminantAnalysis(), data), np.arange(700)
    for how in ("cut", "marginal"):
        view = make_view(pipeline, data, rows, feature_plane(data, (1,), rows), how=how)
        assert view.points.shape == (700, 1)
        assert view.scores(view.points).shape == (700, 7)


def test_a_view_from_moments_needs_no_rows_to_learn_from():
    data = make_data(p=3)
    model = QuadraticDiscriminantAnalysis().fit_moments(
        Moments.from_groups(data.X, data.codes, 3), np.arange(3)
    )
    view = model_view(Pipeline([("classify", model)]), data, np.arange(150), (0, 9))
    assert view.axis_names == (data.feature_names[0],)


def test_counts_of_words_can_be_looked_at():
    texts = [f"{('good nice', 'bad poor')[i % 2]} word{i % 13} thing" for i in range(60)]
    frame = pd.DataFrame({"text": texts, "class": np.arange(60) % 2})
    data = lincore.load(frame, target="class", roles={"text": "text"})
    assert data.n_words
    every = np.arange(60)
    model = lincore.fit(data, "multinomial-nb").pipeline
    view = lincore.inspection.make_view(
        model, data, every, lincore.inspection.feature_plane(data, (0, 1), every)
    )
    below = view.scores(np.array([[-0.5, 0.5], [0.0, 0.5]]))
    np.testing.assert_array_equal(below[0], below[1])
    assert lincore.plots.contour(view).layout.meta["alt"]
