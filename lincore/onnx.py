"""Models as ONNX graphs: importing this module teaches skl2onnx the estimators of lincore.

After ``import lincore.onnx`` skl2onnx's own `to_onnx` takes `LinearDiscriminantAnalysis`,
`DiagonalLinearDiscriminantAnalysis`, `QuadraticDiscriminantAnalysis`, `GaussianNB`,
`FisherDiscriminant`, `LeastSquaresClassifier`, `LogisticRegression`, `Perceptron`, `PCA` and
`Standardizer`, alone and in pipelines. A classifier gives labels and, of shape (n, K),
probabilities; one that has none gives its scores, of two classes zero and its decision function.
Arithmetic is in double precision whatever the rows are; results come in single precision unless
the rows are double. With double rows give ``options={"zipmap": False}``: ONNX has no
dictionaries of doubles, which skl2onnx would make of the probabilities.

It needs skl2onnx (``pip install lincore[onnx]``), and running a graph needs a runtime for ONNX,
as onnxruntime is.

Examples
--------
>>> import numpy as np
>>> from skl2onnx import to_onnx
>>> from lincore import LogisticRegression
>>> X = np.array([[0.5], [1.0], [1.5], [2.0], [2.5], [3.0]])
>>> model = LogisticRegression().fit(X, ["no", "no", "yes", "no", "yes", "yes"])
>>> graph = to_onnx(model, X[:1], options={"zipmap": False})
>>> [output.name for output in graph.graph.output]
['label', 'probabilities']
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.estimators.base.linear import LinearClassifier, SoftmaxPosterior
from lincore.estimators.fisher import FisherDiscriminant
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.linear_discriminant import (
    DiagonalLinearDiscriminantAnalysis,
    LinearDiscriminantAnalysis,
)
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.estimators.naive_bayes import GaussianNB
from lincore.estimators.perceptron import Perceptron
from lincore.estimators.quadratic_discriminant import QuadraticDiscriminantAnalysis, QuadraticScores
from lincore.preprocessing.pca import PCA
from lincore.preprocessing.standardize import Standardizer
from lincore.utils.typing import Array

try:
    from skl2onnx import update_registered_converter
    from skl2onnx.algebra import onnx_ops as ops
    from skl2onnx.common.data_types import guess_proto_type, guess_tensor_type
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes
    from skl2onnx.proto import onnx_proto
except ImportError as error:
    raise ImportError(
        "lincore.onnx needs the package skl2onnx: pip install lincore[onnx]."
    ) from error

# A node of a graph, or what names one: skl2onnx has no types.
Node = Any
# From the rows as a node, a fitted classifier and the options of nodes to its scores (n, K).
Scores = Callable[[Node, Any, dict[str, Any]], Node]


def _mapped(rows: Node, origin: Array, matrix: Array, at: dict[str, Any]) -> Node:
    """Return ``(rows - origin) @ matrix``, of a diagonal matrix given as (p,) too."""
    centred = ops.OnnxSub(rows, origin, **at)
    if matrix.ndim == 1:
        return ops.OnnxMul(centred, matrix, **at)
    return ops.OnnxMatMul(centred, matrix, **at)


def _linear_scores(rows: Node, model: LinearClassifier, at: dict[str, Any]) -> Node:
    functions = model.discriminants()
    coef = np.stack([function.b for function in functions], axis=1)
    constants = np.array([[function.c for function in functions]])
    return ops.OnnxAdd(ops.OnnxMatMul(rows, coef, **at), constants, **at)


def _gaussian_scores(rows: Node, model: QuadraticScores, at: dict[str, Any]) -> Node:
    """Sum squares of whitened rows, which lose no digits; expanded quadrics would."""
    columns = []
    with np.errstate(divide="ignore"):
        log_priors = np.log(model.priors_)
    for mean, whitener, log_prior in zip(*model.densities_, log_priors, strict=True):
        white = _mapped(rows, mean, whitener.factor, at)
        halves = np.full((whitener.factor.shape[-1], 1), -0.5)
        squares = ops.OnnxMatMul(ops.OnnxMul(white, white, **at), halves, **at)
        constant = np.array([[log_prior - 0.5 * whitener.log_det]])
        columns.append(ops.OnnxAdd(squares, constant, **at))
    return ops.OnnxConcat(*columns, axis=1, **at)


def _convert_classifier(score: Scores, scope: Any, operator: Any, container: Any) -> None:
    model, at = operator.raw_operator, {"op_version": container.target_opset}
    scores = score(_double(operator, at), model, at)
    best = ops.OnnxArgMax(scores, axis=1, keepdims=0, **at)
    label = ops.OnnxGather(_labels(model), best, **at, output_names=operator.outputs[:1])
    if isinstance(model, SoftmaxPosterior):
        scores = ops.OnnxSoftmax(scores, axis=1, **at)
    label.add_to(scope, container)
    _in_the_rows_precision(scores, operator, 1, at).add_to(scope, container)


def _convert_transformer(scope: Any, operator: Any, container: Any) -> None:
    model, at = operator.raw_operator, {"op_version": container.target_opset}
    # The matrix of a standardizer is diagonal, of all pixels of an image far too large.
    scales = isinstance(model, Standardizer)
    origin, matrix = (model.mean_, 1 / model.scale_) if scales else model.affine()
    mapped = _mapped(_double(operator, at), origin, matrix, at)
    _in_the_rows_precision(mapped, operator, 0, at).add_to(scope, container)


def _double(operator: Any, at: dict[str, Any]) -> Node:
    return ops.OnnxCast(operator.inputs[0], to=onnx_proto.TensorProto.DOUBLE, **at)


def _in_the_rows_precision(node: Node, operator: Any, output: int, at: dict[str, Any]) -> Node:
    to = guess_proto_type(operator.outputs[output].type)
    return ops.OnnxCast(node, to=to, **at, output_names=operator.outputs[output : output + 1])


def _labels(model: Any) -> NDArray[Any]:
    """Return the labels as ONNX has them.

    Raises
    ------
    ValueError
        For labels that are neither whole numbers nor texts.
    """
    classes = model.classes_
    if classes.dtype.kind in "biu":
        return np.asarray(classes, dtype=np.int64)
    if all(isinstance(label, str) for label in classes.tolist()):
        return np.asarray(classes, dtype=np.str_)
    raise ValueError(
        f"ONNX has whole numbers and texts for labels; these are {classes.tolist()}. Fit the "
        "model with labels of one of these kinds."
    )


def _infer_transformer(operator: Any) -> None:
    rows, model = operator.inputs[0], operator.raw_operator
    width = len(model.get_feature_names_out())
    operator.outputs[0].type = guess_tensor_type(rows.type)
    operator.outputs[0].type.shape = [rows.get_first_dimension(), width]


def _register() -> None:
    of_classifiers: dict[type, Scores] = {
        LinearDiscriminantAnalysis: _linear_scores,
        DiagonalLinearDiscriminantAnalysis: _linear_scores,
        FisherDiscriminant: _linear_scores,
        LeastSquaresClassifier: _linear_scores,
        LogisticRegression: _linear_scores,
        Perceptron: _linear_scores,
        QuadraticDiscriminantAnalysis: _gaussian_scores,
        GaussianNB: _gaussian_scores,
    }
    for classifier, score in of_classifiers.items():
        update_registered_converter(
            classifier,
            f"Lincore{classifier.__name__}",
            calculate_linear_classifier_output_shapes,
            partial(_convert_classifier, score),
            options={"zipmap": [True, False, "columns"], "nocl": [False]},
        )
    for transformer in (PCA, Standardizer):
        update_registered_converter(
            transformer,
            f"Lincore{transformer.__name__}",
            _infer_transformer,
            _convert_transformer,
        )


_register()
