"""Models as ONNX graphs, run by onnxruntime: what they say is what the library says."""

from __future__ import annotations

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
]


def run(model, rows, **options):
    graph = to_onnx(model, rows[:1], options=options or None)
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {session.get_inputs()[0].name: rows})


def expected(model, rows):
    """Return probabilities, or scores of all classes where there are none."""
    if hasattr(model, "predict_proba"):
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


@pytest.mark.parametrize("classifier", [CLASSIFIERS[0], CLASSIFIERS[3], CLASSIFIERS[-1]], ids=str)
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
    with pytest.raises(ValueError, match="ONNX has whole numbers and texts for labels"):
        to_onnx(halves, X[:1])
    coded = np.column_stack([X, CODES > 0])
    mixed = lincore.GaussianNB(categorical_columns=[[X.shape[1]]]).fit(coded, CODES)
    with pytest.raises(AttributeError, match="categorical columns"):
        to_onnx(mixed, coded[:1])


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
