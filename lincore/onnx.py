"""Models as ONNX graphs: importing this module registers the estimators of lincore with skl2onnx.

After ``import lincore.onnx`` skl2onnx's own `to_onnx` takes `LinearDiscriminantAnalysis`,
`DiagonalLinearDiscriminantAnalysis`, `QuadraticDiscriminantAnalysis`, `GaussianNB`,
`MultinomialNB`, `FisherDiscriminant`, `LeastSquaresClassifier`, `LogisticRegression`, `Perceptron`,
`OneVsRest` and `OneVsOne` of these, `PCA`, `Standardizer` and the `Preparer` of tables, alone and
in pipelines; and `FittedModel`, as returned by ``results.model(name)``, for rows in the form of
``Dataset.X``. A classifier returns labels and probabilities of shape (n, K); `OneVsRest`,
`OneVsOne` and those without probabilities return their scores: for two classes zero and the
decision function. Arithmetic is always in double precision; results are in single precision unless
the rows are double. For double rows pass ``options={"zipmap": False}``: otherwise skl2onnx turns
the probabilities into dictionaries, which ONNX does not support for doubles. A `FittedModel`
decides at its operating point; one that abstains is refused, because a graph labels every row.

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
from lincore.estimators.recalibrated import Recalibrated
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

# Attribute of a classifier: the `FittedModel` at whose operating point it decides.
_DECIDED = "_decided"
# A node of a graph, or its name: skl2onnx has no types.
Node = Any
# Maps the rows as a node, a fitted classifier and the opset version to its scores (n, K).
Scores = Callable[[Node, Any, dict[str, Any]], Node]


def _affine_map(rows: Node, origin: Array, matrix: Array, opset: dict[str, Any]) -> Node:
    """Return ``(rows - origin) @ matrix``; a diagonal matrix may be given as (p,)."""
    centred = ops.OnnxSub(rows, origin, **opset)
    if matrix.ndim == 1:
        return ops.OnnxMul(centred, matrix, **opset)
    return ops.OnnxMatMul(centred, matrix, **opset)


def _linear_scores(rows: Node, model: LinearClassifier, opset: dict[str, Any]) -> Node:
    functions = model.discriminants()
    coef = np.stack([function.b for function in functions], axis=1)
    constants = np.array([[function.c for function in functions]])
    return ops.OnnxAdd(ops.OnnxMatMul(rows, coef, **opset), constants, **opset)


def _gaussian_scores(
    rows: Node, densities: Gaussians, priors: Array, opset: dict[str, Any]
) -> Node:
    """Sum squares of whitened rows, which lose no digits, unlike expanded quadrics."""
    columns = []
    with np.errstate(divide="ignore"):
        log_priors = np.log(priors)
    for mean, whitener, log_prior in zip(*densities, log_priors, strict=True):
        white = _affine_map(rows, mean, whitener.factor, opset)
        halves = np.full((whitener.factor.shape[-1], 1), -0.5)
        squares = ops.OnnxMatMul(ops.OnnxMul(white, white, **opset), halves, **opset)
        constant = np.array([[log_prior - 0.5 * whitener.log_det]])
        columns.append(ops.OnnxAdd(squares, constant, **opset))
    return ops.OnnxConcat(*columns, axis=1, **opset)


def _naive_bayes_scores(rows: Node, model: GaussianNB, opset: dict[str, Any]) -> Node:
    categories = model._categories
    if categories is None:
        return _gaussian_scores(rows, model.densities_, model.priors_, opset)
    numbers = ops.OnnxGather(rows, np.flatnonzero(model._numeric), axis=1, **opset)
    coded = ops.OnnxGather(rows, categories.columns, axis=1, **opset)
    logs = ops.OnnxMatMul(coded, categories.coef.T, **opset)
    scores = ops.OnnxAdd(logs, categories.constant[None], **opset)
    gaussian = _gaussian_scores(numbers, model._densities, model.priors_, opset)
    return ops.OnnxAdd(gaussian, scores, **opset)


def _count_scores(rows: Node, model: MultinomialNB, opset: dict[str, Any]) -> Node:
    """Score counts; exclude classes with more impossible occurrences than others."""
    finite = ops.OnnxMatMul(rows, model._finite.T, **opset)
    scores = ops.OnnxAdd(finite, model.class_log_prior_[None], **opset)
    if not model._impossible.any():
        return scores
    excluded_always = np.where(model.priors_ == 0, np.inf, 0.0)[None]
    excluded = ops.OnnxAdd(
        ops.OnnxMatMul(rows, model._impossible.T, **opset), excluded_always, **opset
    )
    # The minimum as a negative maximum: the operator for reductions differs between versions.
    first = np.array([1], dtype=np.int64)
    largest = ops.OnnxTopK(ops.OnnxNeg(excluded, **opset), first, axis=1, **opset)[0]
    is_excluded = ops.OnnxGreater(
        excluded, ops.OnnxMul(largest, np.array([-1 - 1e-12]), **opset), **opset
    )
    return ops.OnnxWhere(is_excluded, np.array([-np.inf]), scores, **opset)


def _margins(rows: Node, model: BinaryModels, opset: dict[str, Any]) -> Node:
    """Return the decision functions of the binary models, (n, n_models)."""
    columns = []
    for binary in model.estimators_:
        if isinstance(binary, HalfSpace):
            plane = ops.OnnxMatMul(rows, binary.coef_.T, **opset)
            columns.append(ops.OnnxAdd(plane, binary.intercept_, **opset))
            continue
        if type(binary) not in SCORES or not hasattr(binary, "decision_function"):
            raise DataError(
                f"ONNX export does not support the decision function of {type(binary).__name__}.",
                where=f"binary models of {type(model).__name__}",
                remedy=f"Choose one of {', '.join(kind.__name__ for kind in SCORES)}, and put "
                f"transformers in front of {type(model).__name__} instead of inside.",
            )
        sides = np.array([[-1.0], [1.0]])
        columns.append(ops.OnnxMatMul(SCORES[type(binary)](rows, binary, opset), sides, **opset))
    return ops.OnnxConcat(*columns, axis=1, **opset)


def _rest_scores(rows: Node, model: OneVsRest, opset: dict[str, Any]) -> Node:
    margins = _margins(rows, model, opset)
    if len(model.design_) == len(model.classes_):
        return margins
    # A zero appended: the score of the class without a model.
    padded = np.eye(len(model.design_), len(model.classes_))
    return ops.OnnxMatMul(margins, padded, **opset)


def _vote_scores(rows: Node, model: OneVsOne, opset: dict[str, Any]) -> Node:
    margins = _margins(rows, model, opset)
    design = model.design_.astype(np.float64)
    claims = ops.OnnxCast(
        ops.OnnxGreater(margins, np.zeros(1), **opset), to=onnx_proto.TensorProto.DOUBLE, **opset
    )
    lost = (len(model.classes_) - 1 - design.sum(axis=0, keepdims=True)) / 2
    votes = ops.OnnxAdd(ops.OnnxMatMul(claims, design, **opset), lost, **opset)
    clipped = ops.OnnxClip(margins, np.array(-1e300), np.array(1e300), **opset)
    confidence = ops.OnnxMatMul(clipped, design, **opset)
    size = ops.OnnxAdd(ops.OnnxAbs(confidence, **opset), np.ones(1), **opset)
    squeezed = ops.OnnxDiv(ops.OnnxMul(confidence, np.array([1 / 3]), **opset), size, **opset)
    return ops.OnnxAdd(votes, squeezed, **opset)


def _convert_classifier(score: Scores, scope: Any, operator: Any, container: Any) -> None:
    model, opset = operator.raw_operator, {"op_version": container.target_opset}
    scores = score(_double(operator, opset), model, opset)
    best, labels = ops.OnnxArgMax(scores, axis=1, keepdims=0, **opset), model.classes_
    if isinstance(model, SoftmaxPosterior):
        scores = ops.OnnxSoftmax(scores, axis=1, **opset)
        if (decided := getattr(model, _DECIDED, None)) is not None:
            labels = decided.classes
            best = _decision(scores, decided, opset)
    elif len(model.classes_) == 2:
        scores = ops.OnnxMatMul(scores, np.array([[0.0, -1.0], [0.0, 1.0]]), **opset)
    label = ops.OnnxGather(_labels(labels), best, **opset, output_names=operator.outputs[:1])
    label.add_to(scope, container)
    _in_input_precision(scores, operator, 1, opset).add_to(scope, container)


def _decision(posteriors: Node, decided: FittedModel, opset: dict[str, Any]) -> Node:
    """Return the positions of the labels that an operating point chooses."""
    point, n_classes = decided.operating_point, len(decided.classes)
    # A class whose rows were all removed by a step has no posterior, but costs may choose it.
    padding = np.eye(n_classes)[np.asarray(decided.classifier.classes_, dtype=np.intp)]
    assert point is not None
    if point.costs is None:
        at = np.array([point.threshold])
        own = ops.OnnxMatMul(posteriors, padding[:, [point.code]], **opset)
        is_below = ops.OnnxCast(
            ops.OnnxLess(own, at, **opset), to=onnx_proto.TensorProto.DOUBLE, **opset
        )
        own_class = (np.arange(2) == point.code).astype(float)[None]
        scores = ops.OnnxAbs(ops.OnnxSub(is_below, own_class, **opset), **opset)
        return ops.OnnxArgMax(scores, axis=1, keepdims=0, **opset)
    costs = np.asarray(point.costs, dtype=float)
    excess = costs - costs.min(axis=1, keepdims=True)
    risk = ops.OnnxMatMul(posteriors, padding @ excess, **opset)
    return ops.OnnxArgMax(ops.OnnxNeg(risk, **opset), axis=1, keepdims=0, **opset)


def _convert_transformer(scope: Any, operator: Any, container: Any) -> None:
    model, opset = operator.raw_operator, {"op_version": container.target_opset}
    # The matrix of a standardizer is diagonal; for all pixels of an image it would be too large.
    is_diagonal = isinstance(model, Standardizer)
    origin, matrix = (model.mean_, 1 / model.scale_) if is_diagonal else model.affine()
    mapped = _affine_map(_double(operator, opset), origin, matrix, opset)
    _in_input_precision(mapped, operator, 0, opset).add_to(scope, container)


def _convert_preparer(scope: Any, operator: Any, container: Any) -> None:
    model, opset = operator.raw_operator, {"op_version": container.target_opset}
    if model.n_words:
        raise DataError(
            "ONNX does not support sparse rows, such as counts of words.",
            where="the step that prepares the columns",
            remedy="Leave the text columns out, or save the model with skops.",
        )
    rows, columns = _double(operator, opset), []
    for i, learned in enumerate(model.columns_):
        column = ops.OnnxGather(rows, np.array([i]), axis=1, **opset)
        if isinstance(learned, Filling):
            columns += _filled(column, learned, opset)
        elif learned.of_column:
            columns.append(_coded(column, learned, opset))
    _in_input_precision(ops.OnnxConcat(*columns, axis=1, **opset), operator, 0, opset).add_to(
        scope, container
    )


def _filled(column: Node, filling: Filling, opset: dict[str, Any]) -> list[Node]:
    gaps = ops.OnnxIsNaN(column, **opset)
    filled = ops.OnnxWhere(gaps, np.array([filling.value]), column, **opset)
    indicator = ops.OnnxCast(gaps, to=onnx_proto.TensorProto.DOUBLE, **opset)
    return [filled, indicator] if filling.has_indicator else [filled]


def _coded(column: Node, coding: Coding, opset: dict[str, Any]) -> Node:
    n_levels = len(coding.position) - 2
    gaps = ops.OnnxIsNaN(column, **opset)
    numbers = ops.OnnxWhere(gaps, np.zeros(1), column, **opset)
    codes = ops.OnnxCast(numbers, to=onnx_proto.TensorProto.INT64, **opset)
    outside = ops.OnnxOr(
        ops.OnnxLess(codes, np.array([0]), **opset),
        ops.OnnxGreater(codes, np.array([n_levels]), **opset),
        **opset,
    )
    known = ops.OnnxWhere(outside, np.array([n_levels]), codes, **opset)
    all_codes = ops.OnnxWhere(gaps, np.array([n_levels + 1]), known, **opset)
    positions = ops.OnnxGather(np.asarray(coding.position, np.int64), all_codes, axis=0, **opset)
    indicators = ops.OnnxEqual(positions, np.arange(len(coding.of_column))[None], **opset)
    return ops.OnnxCast(indicators, to=onnx_proto.TensorProto.DOUBLE, **opset)


def _parse_fitted(scope: Any, model: FittedModel, inputs: Any, custom_parsers: Any = None) -> Any:
    """Use its pipeline, with a classifier that returns labels instead of codes."""
    if model.abstains_below is not None:
        raise DataError(
            "ONNX graphs give every row a label, and this model abstains.",
            where=model.label,
            remedy="Export the model that does not abstain, and compare its largest probability.",
        )
    if isinstance(model.classifier, Recalibrated):
        raise DataError(
            "ONNX export does not support recalibrated posteriors.",
            where=model.label,
            remedy="Choose no recalibration, or save the model with save_model.",
        )
    classifier = copy(model.classifier)
    if model.operating_point is not None:
        if not isinstance(classifier, SoftmaxPosterior):
            raise DataError(
                "Graphs of several binary models give scores and no posteriors, so they do not "
                "decide at an operating point.",
                where=model.label,
                remedy="Convert the model without it, or save the model with save_model.",
            )
        setattr(classifier, _DECIDED, model)
    classifier.classes_ = model.classes[np.asarray(classifier.classes_, dtype=np.intp)]
    pipeline = Pipeline([*model.pipeline.steps[:-1], ("classify", classifier)])
    options = (scope.options or {}).get(id(model)) or {}
    scope.add_options(id(classifier), {"zipmap": True, **options})
    return parse_sklearn(scope, pipeline, inputs, custom_parsers=custom_parsers)


def _double(operator: Any, opset: dict[str, Any]) -> Node:
    return ops.OnnxCast(operator.inputs[0], to=onnx_proto.TensorProto.DOUBLE, **opset)


def _in_input_precision(node: Node, operator: Any, output: int, opset: dict[str, Any]) -> Node:
    dtype = guess_proto_type(operator.outputs[output].type)
    return ops.OnnxCast(node, to=dtype, **opset, output_names=operator.outputs[output : output + 1])


def _labels(classes: NDArray[Any]) -> NDArray[Any]:
    """Return the labels in a form that ONNX supports."""
    if classes.dtype.kind in "biu":
        return np.asarray(classes, dtype=np.int64)
    if all(isinstance(label, str) for label in classes.tolist()):
        return np.asarray(classes, dtype=np.str_)
    raise ValueError(
        f"ONNX labels are integers or strings; these are {classes.tolist()}. Fit the model with "
        "labels of one of these kinds."
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
    QuadraticDiscriminantAnalysis: lambda rows, model, opset: _gaussian_scores(
        rows, model.densities_, model.priors_, opset
    ),
    GaussianNB: _naive_bayes_scores,
    MultinomialNB: _count_scores,
}


def _register() -> None:
    multiclass: dict[type, Scores] = {OneVsRest: _rest_scores, OneVsOne: _vote_scores}
    for classifier, score in (SCORES | multiclass).items():
        update_registered_converter(
            classifier,
            f"Lincore{classifier.__name__}",
            calculate_linear_classifier_output_shapes,
            partial(_convert_classifier, score),
            options={"zipmap": [True, False, "columns"], "nocl": [False]},
        )
    transformers = {
        PCA: _convert_transformer,
        Standardizer: _convert_transformer,
        Preparer: _convert_preparer,
    }
    for transformer, convert in transformers.items():
        update_registered_converter(
            transformer, f"Lincore{transformer.__name__}", _infer_transformer, convert
        )
    update_registered_parser(FittedModel, _parse_fitted)


_register()
