"""Models as ONNX graphs, run by onnxruntime: what they say is what the library says."""

from __future__ import annotations

import doctest
import subprocess
import sys

import numpy as np
import onnxruntime
import pytest
from skl2onnx import to_onnx
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline

import lincore
import lincore.onnx  # noqa: F401 - it registers the converters
from lincore.preprocessing import Preparer

X, CODES = load_wine(return_X_y=True)
SINGLE = X.astype(np.float32)
LABELS = {
    "texts": np.array(["Barolo", "Grignolino", "Barbera"])[CODES],
    "whole numbers": CODES * 7 - 3,
}
CLASSIFIERS = [
    lincore.LinearDiscriminantAnalysis(),
    lincore.LinearDiscriminantAnalysis(priors="equal", shrinkage=0.1),
    lincore.DiagonalLinearDiscriminantAnalysis(),
    lincore.QuadraticDiscriminantAnalysis(),
    lincore.GaussianNB(),
    lincore.FisherDiscriminant(),
    lincore.FisherDiscriminant("minimum-error", n_components=1),
    lincore.LeastSquaresClassifier(),
    lincore.Perceptron(weights="pocket", random_state=0),
    lincore.LogisticRegression(),
    lincore.MultinomialNB(),
    lincore.MultinomialNB(alpha=0, priors="equal"),
    lincore.OneVsRest(lincore.LinearDiscriminantAnalysis()),
    lincore.OneVsRest(lincore.QuadraticDiscriminantAnalysis(), models="k-1"),
    lincore.OneVsOne(lincore.LogisticRegression()),
    lincore.OneVsOne(lincore.QuadraticDiscriminantAnalysis()),
    lincore.OneVsOne(lincore.GaussianNB()),
]


def run(model, rows, **options):
    graph = to_onnx(model, rows[:1], options=options or None)
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {session.get_inputs()[0].name: rows})


def expected(model, rows):
    """Return probabilities, or the scores of all classes if its graph has none."""
    of_several = isinstance(model, lincore.OneVsRest | lincore.OneVsOne)
    if hasattr(model, "predict_proba") and not of_several:
        return model.predict_proba(rows)
    scores = model.decision_function(rows)
    return np.column_stack([0 * scores, scores]) if scores.ndim == 1 else scores


# Half of the perceptrons' planes separate nothing, and they say so.
@pytest.mark.filterwarnings("ignore:The perceptron did not converge")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=str)
def test_classifier_says_what_its_graph_says(classifier, labels, n_classes):
    rows = np.flatnonzero(n_classes > CODES)
    model = classifier.fit(SINGLE[rows], LABELS[labels][rows])
    for given, tolerance in ((SINGLE[rows], 1e-5), (X[rows], 1e-11)):
        found, numbers = run(model, given, zipmap=False)
        assert found.tolist() == model.predict(given).tolist()
        np.testing.assert_allclose(numbers, expected(model, given), rtol=tolerance, atol=tolerance)
        assert numbers.dtype == given.dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "transformer", [lincore.Standardizer(), lincore.PCA(3), lincore.PCA(0.9, whiten=True)], ids=str
)
def test_transformer_gives_what_its_graph_gives(transformer, dtype):
    given = X.astype(dtype)
    (found,) = run(transformer.fit(X), given)
    np.testing.assert_allclose(found, transformer.transform(given), rtol=1e-5, atol=1e-5)
    assert found.dtype == dtype and found.shape[1] == len(transformer.get_feature_names_out())


@pytest.mark.parametrize("classifier", [CLASSIFIERS[0], CLASSIFIERS[3], CLASSIFIERS[9]], ids=str)
def test_pipeline_says_what_its_graph_says(classifier):
    pipeline = make_pipeline(lincore.Standardizer(), lincore.PCA(5), classifier)
    pipeline.fit(X, LABELS["texts"])
    for given, tolerance in ((SINGLE, 1e-5), (X, 1e-11)):
        found, probabilities = run(pipeline, given, zipmap=False)
        assert found.tolist() == pipeline.predict(given).tolist()
        np.testing.assert_allclose(probabilities, pipeline.predict_proba(given), atol=tolerance)
    by_label = run(pipeline, SINGLE)[1][0]  # what skl2onnx does unasked
    own = dict(zip(pipeline.classes_, pipeline.predict_proba(SINGLE[:1])[0], strict=True))
    assert by_label == pytest.approx(own, abs=1e-5)


def test_rows_of_whole_numbers_and_far_from_the_origin():
    counts = np.random.default_rng(0).poisson(CODES[:, None] + 3, (len(CODES), 4))
    model = lincore.QuadraticDiscriminantAnalysis().fit(counts, CODES)
    found, probabilities = run(model, counts, zipmap=False)
    assert found.tolist() == model.predict(counts).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(counts), atol=1e-6)
    far = counts + 1e6
    model.fit(far, CODES)
    probabilities = run(model, far.astype(np.float32), zipmap=False)[1]
    np.testing.assert_allclose(probabilities, model.predict_proba(far), atol=1e-6)


def test_a_class_that_never_came_is_never_said():
    model = lincore.QuadraticDiscriminantAnalysis()
    model.partial_fit(X[:, :3], CODES, classes=[0, 1, 2, 3])
    found, probabilities = run(model, X[:, :3], zipmap=False)
    assert found.tolist() == model.predict(X[:, :3]).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(X[:, :3]), atol=1e-12)


def test_what_a_graph_cannot_hold_is_refused():
    halves = lincore.LinearDiscriminantAnalysis().fit(X, CODES + 1.0)
    with pytest.raises(ValueError, match="ONNX labels are integers or strings"):
        to_onnx(halves, X[:1])
    inside = lincore.OneVsRest(make_pipeline(lincore.PCA(3), lincore.LogisticRegression()))
    with pytest.raises(lincore.DataError, match="decision function of Pipeline.*in front of"):
        to_onnx(inside.fit(X, CODES), X[:1])
    words = Preparer(n_words=X.shape[1]).fit(X)
    with pytest.raises(lincore.DataError, match="not support sparse rows.*skops"):
        to_onnx(words, X[:1])


def test_words_that_a_class_never_had():
    counts = np.array([[3, 0, 1, 0], [1, 2, 0, 0], [0, 0, 4, 0], [0, 1, 0, 2], [0, 0, 0, 5.0]])
    model = lincore.MultinomialNB(alpha=0).fit(counts, ["a", "a", "b", "c", "c"])
    asked = np.vstack([counts, np.eye(4), np.ones((1, 4)), [[2, 1, 3, 1]]])
    found, probabilities = run(model, asked, zipmap=False)
    assert found.tolist() == model.predict(asked).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(asked), atol=1e-12)


def test_votes_of_planes_that_stand_alone_and_of_the_class_without_a_model():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 3))
    codes = np.repeat(np.arange(6), 10)
    for model in (
        lincore.OneVsOne(lincore.LeastSquaresClassifier()),
        lincore.OneVsRest(lincore.LogisticRegression(), models="k-1"),
    ):
        found, scores = run(model.fit(rows, codes), rows, zipmap=False)
        assert found.tolist() == model.predict(rows).tolist()
        np.testing.assert_allclose(scores, model.decision_function(rows), atol=1e-12)


@pytest.mark.parametrize("imputation", ["median", "most_frequent", "indicator"])
def test_preparation_of_a_table_in_a_graph(imputation):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 7, 80).astype(float)
    rows = np.column_stack([rng.standard_normal(80), codes, codes > 3, rng.integers(0, 3, 80)])
    rows[rng.random(rows.shape) < 0.2] = np.nan
    preparer = Preparer((None, 9, 2, 3), imputation=imputation, rare=12).fit(rows)
    asked = np.vstack([rows, [[np.nan] * 4, [9, 9, 2, 3], [0, 8, 5, -1]]])
    for dtype in (np.float32, np.float64):
        (found,) = run(preparer, asked.astype(dtype))
        np.testing.assert_array_equal(found, preparer.transform(asked).astype(dtype))


@pytest.mark.parametrize("method", ["lda", "qda", "naive-bayes", "logistic", "one-vs-one"])
def test_a_kept_model_of_a_messy_table(method):
    passengers = lincore.sample("passengers")
    model = lincore.compare(passengers, method, keep_models=True).model(method)
    for given, tolerance in ((passengers.X, 1e-11), (passengers.X.astype(np.float32), 1e-5)):
        found, numbers = run(model, given, zipmap=False)
        assert found.tolist() == model.predict(given).tolist()
        if method != "one-vs-one":
            np.testing.assert_allclose(numbers, model.predict_proba(given), atol=tolerance)


POINTS = [
    ("passengers", {"threshold": 0.15}),
    ("passengers", {"threshold": 0.7, "code": 0}),
    ("passengers", {"costs": [[0, 1], [5, 0]]}),
    ("wine", {"costs": [[0, 1, 9], [4, 0, 1], [6, 0.5, 0]]}),
]


@pytest.mark.parametrize("method", ["lda", "qda(regularization=0.3)", "naive-bayes"])
@pytest.mark.parametrize(("name", "point"), POINTS, ids=str)
def test_a_graph_decides_at_the_operating_point(name, point, method):
    data = lincore.sample(name)
    plain = lincore.fit(data, method)
    model = plain.at(**point).fitted_model
    # Beyond the data too, where posteriors are far from the sample's.
    rows = data.X[np.random.default_rng(2).integers(0, data.n_rows, 1000)].astype(float)
    if data.levels is None:
        rows += np.random.default_rng(3).normal(0, rows.std(axis=0), rows.shape)
    expected = model.predict(rows).tolist()
    assert expected != plain.fitted_model.predict(rows).tolist()
    assert run(model, rows, zipmap=False)[0].tolist() == expected


def test_what_a_graph_does_not_decide_is_refused():
    passengers = lincore.sample("passengers")
    abstaining = lincore.fit(passengers, "lda").fitted_model.abstaining(0.2)
    with pytest.raises(lincore.DataError, match="this model abstains"):
        to_onnx(abstaining, passengers.X[:1])
    pairs = lincore.fit(passengers, "one-vs-one").at(0.2).fitted_model
    with pytest.raises(lincore.DataError, match="scores and no posteriors"):
        to_onnx(pairs, passengers.X[:1])
    recalibrated = lincore.fit(passengers, "lda(recalibration=sigmoid)").fitted_model
    with pytest.raises(lincore.DataError, match="recalibrated posteriors.*save_model"):
        to_onnx(recalibrated, passengers.X[:1])


def test_only_the_module_itself_needs_the_extra():
    code = """
import sys
sys.modules["skl2onnx"] = None
import lincore
assert all(getattr(lincore, name) for name in lincore.__all__)
assert "lincore.onnx" not in sys.modules
try:
    import lincore.onnx
except ImportError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == (
        "lincore.onnx needs the package skl2onnx: pip install lincore[onnx]."
    )


def test_the_example_of_the_module():
    assert doctest.testmod(lincore.onnx).attempted
    assert not doctest.testmod(lincore.onnx).failed
