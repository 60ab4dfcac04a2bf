"""Models as ONNX graphs: importing this module registers the estimators of lincore with skl2onnx.

After ``import lincore.onnx`` skl2onnx's own `to_onnx` takes `LinearDiscriminantAnalysis`,
`DiagonalLinearDiscriminantAnalysis`, `QuadraticDiscriminantAnalysis`, `GaussianNB`,
`MultinomialNB`, `FisherDiscriminant`, `LeastSquaresClassifier`, `LogisticRegression`, `Perceptron`,
`OneVsRest` and `OneVsOne` of these, `PCA`, `Standardizer` and the `Preparer` of tables, alone and
in pipelines; and `FittedModel`, as returned by ``results.model(name)``, for rows in the form of
``Dataset.X``. A classifier returns labels and probabilities of shape (n, K); `OneVsRest`,
`OneVsOne` and those without probabilities return their scores: for two classes zero and the
decision function. Arithmetic is always in double precision; results are in single precision unless
the rows are double. For double rows pass ``options={"zipmap": False}``: skl2onnx would turn the
probabilities into dictionaries, and ONNX has none of doubles. Labels are those of the largest
score: a graph does not decide by the operating point of a model, and does not abstain.

It needs skl2onnx (``pip install lincore[onnx]``); running a graph needs an ONNX runtime, such as
onnxruntime.

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
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.errors import DataError
from lincore.estimators.base.linear import LinearClassifier, SoftmaxPosterior
from lincore.estimators.fisher import FisherDiscriminant
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.linear_discriminant import (
    DiagonalLinearDiscriminantAnalysis,
    LinearDiscriminantAnalysis,
)
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.estimators.multiclass import BinaryModels, HalfSpace, OneVsOne, OneVsRest
from lincore.estimators.multinomial import MultinomialNB
from lincore.estimators.naive_bayes import GaussianNB
from lincore.estimators.perceptron import Perceptron
from lincore.estimators.quadratic_discriminant import QuadraticDiscriminantAnalysis
from lincore.linalg.gaussian import Gaussians
from lincore.model_selection.fitted_model import FittedModel
from lincore.preprocessing.pca import PCA
from lincore.preprocessing.standardize import Standardizer
from lincore.preprocessing.tabular import Coding, Filling, Preparer
from lincore.utils.typing import Array

try:
    from skl2onnx import update_registered_converter, update_registered_parser
    from skl2onnx._parse import parse_sklearn
    from skl2onnx.algebra import onnx_ops as ops
    from skl2onnx.common.data_types import guess_proto_type, guess_tensor_type
    from skl2onnx.common.shape_calculator import calculate_linear_classifier_output_shapes
    from skl2onnx.proto import onnx_proto
except ImportError as error:
    raise ImportError(
        "lincore.onnx needs the package skl2onnx: pip install lincore[onnx]."
    ) from error

# A node of a graph, or its name: skl2onnx has no types.
Node = Any
# Maps the rows as a node, a fitted classifier and node options to its scores (n, K).
Scores = Callable[[Node, Any, dict[str, Any]], Node]


def _mapped(rows: Node, origin: Array, matrix: Array, at: dict[str, Any]) -> Node:
    """Return ``(rows - origin) @ matrix``; a diagonal matrix may be given as (p,)."""
    centred = ops.OnnxSub(rows, origin, **at)
    if matrix.ndim == 1:
        return ops.OnnxMul(centred, matrix, **at)
    return ops.OnnxMatMul(centred, matrix, **at)


def _linear_scores(rows: Node, model: LinearClassifier, at: dict[str, Any]) -> Node:
    functions = model.discriminants()
    coef = np.stack([function.b for function in functions], axis=1)
    constants = np.array([[function.c for function in functions]])
    return ops.OnnxAdd(ops.OnnxMatMul(rows, coef, **at), constants, **at)


def _quadratic_scores(rows: Node, model: QuadraticDiscriminantAnalysis, at: dict[str, Any]) -> Node:
    return _gaussian_scores(rows, model.densities_, model.priors_, at)


def _gaussian_scores(rows: Node, densities: Gaussians, priors: Array, at: dict[str, Any]) -> Node:
    """Sum squares of whitened rows, which lose no digits, unlike expanded quadrics."""
    columns = []
    with np.errstate(divide="ignore"):
        log_priors = np.log(priors)
    for mean, whitener, log_prior in zip(*densities, log_priors, strict=True):
        white = _mapped(rows, mean, whitener.factor, at)
        halves = np.full((whitener.factor.shape[-1], 1), -0.5)
        squares = ops.OnnxMatMul(ops.OnnxMul(white, white, **at), halves, **at)
        constant = np.array([[log_prior - 0.5 * whitener.log_det]])
        columns.append(ops.OnnxAdd(squares, constant, **at))
    return ops.OnnxConcat(*columns, axis=1, **at)


def _naive_bayes_scores(rows: Node, model: GaussianNB, at: dict[str, Any]) -> Node:
    categories = model._categories
    if categories is None:
        return _gaussian_scores(rows, model.densities_, model.priors_, at)
    numbers = ops.OnnxGather(rows, np.flatnonzero(model._numeric), axis=1, **at)
    coded = ops.OnnxGather(rows, categories.columns, axis=1, **at)
    logs = ops.OnnxMatMul(coded, categories.coef.T, **at)
    scores = ops.OnnxAdd(logs, categories.constant[None], **at)
    gaussian = _gaussian_scores(numbers, model._densities, model.priors_, at)
    return ops.OnnxAdd(gaussian, scores, **at)


def _count_scores(rows: Node, model: MultinomialNB, at: dict[str, Any]) -> Node:
    """Score counts; exclude classes with more impossible occurrences than others."""
    finite = ops.OnnxMatMul(rows, model._finite.T, **at)
    scores = ops.OnnxAdd(finite, model.class_log_prior_[None], **at)
    if not model._impossible.any():
        return scores
    never = np.where(model.priors_ == 0, np.inf, 0.0)[None]
    excluded = ops.OnnxAdd(ops.OnnxMatMul(rows, model._impossible.T, **at), never, **at)
    # The minimum as a negative maximum: the operator for reductions differs between versions.
    first = np.array([1], dtype=np.int64)
    largest = ops.OnnxTopK(ops.OnnxNeg(excluded, **at), first, axis=1, **at)[0]
    out = ops.OnnxGreater(excluded, ops.OnnxMul(largest, np.array([-1 - 1e-12]), **at), **at)
    return ops.OnnxWhere(out, np.array([-np.inf]), scores, **at)


def _margins(rows: Node, model: BinaryModels, at: dict[str, Any]) -> Node:
    """Return the decision functions of the binary models, (n, n_models)."""
    columns = []
    for one in model.estimators_:
        if isinstance(one, HalfSpace):
            plane = ops.OnnxMatMul(rows, one.coef_.T, **at)
            columns.append(ops.OnnxAdd(plane, one.intercept_, **at))
            continue
        if type(one) not in SCORES or not hasattr(one, "decision_function"):
            raise DataError(
                f"ONNX export does not support the decision function of {type(one).__name__}.",
                where=f"binary models of {type(model).__name__}",
                remedy=f"Choose one of {', '.join(kind.__name__ for kind in SCORES)}, and put "
                f"transformers in front of {type(model).__name__} instead of inside.",
            )
        sides = np.array([[-1.0], [1.0]])
        columns.append(ops.OnnxMatMul(SCORES[type(one)](rows, one, at), sides, **at))
    return ops.OnnxConcat(*columns, axis=1, **at)


def _rest_scores(rows: Node, model: OneVsRest, at: dict[str, Any]) -> Node:
    margins = _margins(rows, model, at)
    if len(model.design_) == len(model.classes_):
        return margins
    # A zero appended: the score of the class without a model.
    padded = np.eye(len(model.design_), len(model.classes_))
    return ops.OnnxMatMul(margins, padded, **at)


def _vote_scores(rows: Node, model: OneVsOne, at: dict[str, Any]) -> Node:
    margins = _margins(rows, model, at)
    design = model.design_.astype(np.float64)
    claims = ops.OnnxCast(
        ops.OnnxGreater(margins, np.zeros(1), **at), to=onnx_proto.TensorProto.DOUBLE, **at
    )
    lost = (len(model.classes_) - 1 - design.sum(axis=0, keepdims=True)) / 2
    votes = ops.OnnxAdd(ops.OnnxMatMul(claims, design, **at), lost, **at)
    clipped = ops.OnnxClip(margins, np.array(-1e300), np.array(1e300), **at)
    confidence = ops.OnnxMatMul(clipped, design, **at)
    size = ops.OnnxAdd(ops.OnnxAbs(confidence, **at), np.ones(1), **at)
    squeezed = ops.OnnxDiv(ops.OnnxMul(confidence, np.array([1 / 3]), **at), size, **at)
    return ops.OnnxAdd(votes, squeezed, **at)


def _convert_classifier(score: Scores, scope: Any, operator: Any, container: Any) -> None:
    model, at = operator.raw_operator, {"op_version": container.target_opset}
    scores = score(_double(operator, at), model, at)
    best = ops.OnnxArgMax(scores, axis=1, keepdims=0, **at)
    label = ops.OnnxGather(_labels(model), best, **at, output_names=operator.outputs[:1])
    if isinstance(model, SoftmaxPosterior):
        scores = ops.OnnxSoftmax(scores, axis=1, **at)
    elif len(model.classes_) == 2:
        scores = ops.OnnxMatMul(scores, np.array([[0.0, -1.0], [0.0, 1.0]]), **at)
    label.add_to(scope, container)
    _in_the_rows_precision(scores, operator, 1, at).add_to(scope, container)


def _convert_transformer(scope: Any, operator: Any, container: Any) -> None:
    model, at = operator.raw_operator, {"op_version": container.target_opset}
    # The matrix of a standardizer is diagonal; for all pixels of an image it would be too large.
    scales = isinstance(model, Standardizer)
    origin, matrix = (model.mean_, 1 / model.scale_) if scales else model.affine()
    mapped = _mapped(_double(operator, at), origin, matrix, at)
    _in_the_rows_precision(mapped, operator, 0, at).add_to(scope, container)


def _convert_preparer(scope: Any, operator: Any, container: Any) -> None:
    model, at = operator.raw_operator, {"op_version": container.target_opset}
    if model.n_words:
        raise DataError(
            "ONNX does not support sparse rows, such as counts of words.",
            where="the step that prepares the columns",
            remedy="Leave the text columns out, or save the model with skops.",
        )
    rows, columns = _double(operator, at), []
    for i, learned in enumerate(model.columns_):
        column = ops.OnnxGather(rows, np.array([i]), axis=1, **at)
        if isinstance(learned, Filling):
            columns += _filled(column, learned, at)
        elif learned.of_column:
            columns.append(_coded(column, learned, at))
    _in_the_rows_precision(ops.OnnxConcat(*columns, axis=1, **at), operator, 0, at).add_to(
        scope, container
    )


def _filled(column: Node, filling: Filling, at: dict[str, Any]) -> list[Node]:
    gaps = ops.OnnxIsNaN(column, **at)
    filled = ops.OnnxWhere(gaps, np.array([filling.value]), column, **at)
    indicator = ops.OnnxCast(gaps, to=onnx_proto.TensorProto.DOUBLE, **at)
    return [filled, indicator] if filling.has_indicator else [filled]


def _coded(column: Node, coding: Coding, at: dict[str, Any]) -> Node:
    n_levels = len(coding.place) - 2
    gaps = ops.OnnxIsNaN(column, **at)
    numbers = ops.OnnxWhere(gaps, np.zeros(1), column, **at)
    codes = ops.OnnxCast(numbers, to=onnx_proto.TensorProto.INT64, **at)
    outside = ops.OnnxOr(
        ops.OnnxLess(codes, np.array([0]), **at),
        ops.OnnxGreater(codes, np.array([n_levels]), **at),
        **at,
    )
    known = ops.OnnxWhere(outside, np.array([n_levels]), codes, **at)
    at_all = ops.OnnxWhere(gaps, np.array([n_levels + 1]), known, **at)
    places = ops.OnnxGather(np.asarray(coding.place, np.int64), at_all, axis=0, **at)
    own = ops.OnnxEqual(places, np.arange(len(coding.of_column))[None], **at)
    return ops.OnnxCast(own, to=onnx_proto.TensorProto.DOUBLE, **at)


def _parse_fitted(scope: Any, model: FittedModel, inputs: Any, custom_parsers: Any = None) -> Any:
    """Use its pipeline, with a classifier that returns labels instead of codes."""
    classifier = copy(model.classifier)
    classifier.classes_ = model.classes[np.asarray(classifier.classes_, dtype=np.intp)]
    pipeline = Pipeline([*model.pipeline.steps[:-1], ("classify", classifier)])
    given = (scope.options or {}).get(id(model))
    scope.add_options(id(classifier), {"zipmap": True, **(given or {})})
    return parse_sklearn(scope, pipeline, inputs, custom_parsers=custom_parsers)


def _double(operator: Any, at: dict[str, Any]) -> Node:
    return ops.OnnxCast(operator.inputs[0], to=onnx_proto.TensorProto.DOUBLE, **at)


def _in_the_rows_precision(node: Node, operator: Any, output: int, at: dict[str, Any]) -> Node:
    to = guess_proto_type(operator.outputs[output].type)
    return ops.OnnxCast(node, to=to, **at, output_names=operator.outputs[output : output + 1])


def _labels(model: Any) -> NDArray[Any]:
    """Return the labels in a form that ONNX supports."""
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


SCORES: dict[type, Scores] = {
    LinearDiscriminantAnalysis: _linear_scores,
    DiagonalLinearDiscriminantAnalysis: _linear_scores,
    FisherDiscriminant: _linear_scores,
    LeastSquaresClassifier: _linear_scores,
    LogisticRegression: _linear_scores,
    Perceptron: _linear_scores,
    QuadraticDiscriminantAnalysis: _quadratic_scores,
    GaussianNB: _naive_bayes_scores,
    MultinomialNB: _count_scores,
}


def _register() -> None:
    of_several: dict[type, Scores] = {OneVsRest: _rest_scores, OneVsOne: _vote_scores}
    for classifier, score in (SCORES | of_several).items():
        update_registered_converter(
            classifier,
            f"Lincore{classifier.__name__}",
            calculate_linear_classifier_output_shapes,
            partial(_convert_classifier, score),
            options={"zipmap": [True, False, "columns"], "nocl": [False]},
        )
    of_transformers = {
        PCA: _convert_transformer,
        Standardizer: _convert_transformer,
        Preparer: _convert_preparer,
    }
    for transformer, convert in of_transformers.items():
        update_registered_converter(
            transformer, f"Lincore{transformer.__name__}", _infer_transformer, convert
        )
    update_registered_parser(FittedModel, _parse_fitted)


_register()
