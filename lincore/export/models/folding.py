"""Conversion of a fitted pipeline to functions of the raw columns, including all steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.preprocessing import PolynomialFeatures

from lincore.errors import DataError
from lincore.export.models._classifiers import classifier_functions
from lincore.export.models.literals import refuse_large
from lincore.export.models.score_functions import Input, ScoreFunction, ScoreFunctions
from lincore.io.tables.column_roles import YES_NO, are_yes_or_no, means_yes
from lincore.model_selection.fitted_model import FittedModel
from lincore.preprocessing.pca import PCA
from lincore.preprocessing.standardize import Standardizer
from lincore.preprocessing.tabular import Coding, Filling, Preparer
from lincore.utils.typing import Array

#: Larger models take over 20 MB of text in any language.
MOST_TERMS = 1_000_000
_ALTERNATIVE = "Save the model with save_model, or export it with lincore.onnx."


@dataclass(frozen=True)
class Affine:
    """The map ``z = (v - origin) @ matrix + start`` of inputs v (q,)."""

    origin: Array  # (q,)
    matrix: Array  # (q, r), or (q,) for a diagonal one
    start: Array  # (r,)

    @classmethod
    def identity(cls, q: int) -> Affine:
        """Return the identity map."""
        return cls(np.zeros(q), np.ones(q), np.zeros(q))

    def then(self, origin: Array, matrix: Array) -> Affine:
        """Return this map followed by ``(z - origin) @ matrix``."""
        if self.matrix.ndim == 2:
            scaled = self.matrix * matrix if matrix.ndim == 1 else self.matrix @ matrix
            step = self.start - origin
            return Affine(self.origin, scaled, step * matrix if matrix.ndim == 1 else step @ matrix)
        # Move the origin to the zero of z, so that no digits are lost far from it.
        moved = self.origin + (origin - self.start) / self.matrix
        product = self.matrix * matrix if matrix.ndim == 1 else self.matrix[:, None] * matrix
        return Affine(moved, product, np.zeros(product.shape[-1]))


def score_functions(model: FittedModel) -> ScoreFunctions:
    """Write a fitted model as functions of the raw columns of its file.

    Parameters
    ----------
    model : FittedModel
        A linear or quadratic classifier, or several binary ones, after linear steps; a polynomial
        basis of degree two is possible before a linear classifier.

    Returns
    -------
    ScoreFunctions

    Raises
    ------
    DataError
        If the model cannot be written in this form, with the reason.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.sample("passengers")
    >>> model = lincore.compare(data, "logistic", keep_models=True).model("logistic")
    >>> functions = score_functions(model)
    >>> [(i.column, i.levels) for i in functions.inputs[:4]]  # doctest: +NORMALIZE_WHITESPACE
    [('cabin class', ('first',)), ('cabin class', ('second',)), ('cabin class', ('third',)),
     ('sex', ('male',))]
    """
    if model.n_words:
        raise DataError(
            "The model uses word counts, which are not columns of a table.",
            where=model.label,
            remedy=_ALTERNATIVE,
        )
    steps = dict(model.pipeline.steps[:-1])
    inputs = _inputs(model, steps.pop("prepare", None))
    classifier = model.classifier
    affine, basis, after_basis = _linear_maps(model, steps, len(inputs), classifier)
    written = classifier_functions(classifier, affine.start if basis is None else after_basis.start)
    decides_by_posteriors = model.operating_point is not None or model.abstains_below is not None
    if decides_by_posteriors and written.link != "softmax":
        raise DataError(
            "Formulas of several binary models give scores and no posteriors, so they neither "
            "decide at an operating point nor abstain.",
            where=model.label,
            remedy="Export the model without them, or save it with save_model.",
        )
    if basis is None:
        functions = [function.pulled_back(affine.matrix) for function in written.functions]
    else:
        functions = [
            _expand_products(
                function.pulled_back(after_basis.matrix).moved(-after_basis.origin), basis, model
            ).pulled_back(affine.matrix)
            for function in written.functions
        ]
    is_number = [source.kind == "number" for source in inputs]
    origin = np.where(is_number, _rounded_origin(affine), 0.0)
    step = origin - affine.origin
    functions = [function.moved(step) for function in functions]
    classes, functions = _possible_classes(written.classes, functions, model)
    if model.operating_point is not None and len(classes) < len(model.classes):
        raise DataError(
            "A class cannot be predicted, so its operating point does not fit.",
            where=model.label,
            remedy="Choose priors above zero, or no operating point.",
        )
    result = ScoreFunctions(
        label=model.label,
        data_name=model.data_name,
        digest=model.digest,
        target_name=model.target_name,
        columns=model.feature_names,
        classes=tuple(model.classes[np.asarray(classes, dtype=np.intp)].tolist()),
        link=written.link,
        inputs=inputs,
        origin=origin,
        functions=tuple(functions),
        pairs=written.pairs,
        operating_point=model.operating_point,
        abstains_below=model.abstains_below,
    )
    refuse_large(result, MOST_TERMS, "formula")
    return result


def _linear_maps(
    model: FittedModel, steps: Mapping[str, Any], q: int, classifier: Any
) -> tuple[Affine, PolynomialFeatures | None, Affine]:
    """Return the linear steps before a basis, the basis, and the linear steps after it."""
    maps = [Affine.identity(q)]
    basis = None
    for name, step in steps.items():
        if isinstance(step, PolynomialFeatures) and basis is None:
            basis = step
            maps.append(Affine.identity(len(step.powers_)))
        elif type(step) in _LINEAR_STEPS:
            maps[-1] = maps[-1].then(*_LINEAR_STEPS[type(step)](step))
        else:
            raise DataError(
                f"After the step {name!r} ({type(step).__name__}) the scores are not quadratic "
                "functions of the columns.",
                where=model.label,
                remedy=f"Remove the step or choose polynomial(degree=2). {_ALTERNATIVE}",
            )
    if not steps and hasattr(classifier, "means_"):
        # Near the data, because far from it squares cancel.
        centre = classifier.means_[np.isfinite(classifier.means_).all(axis=1)].mean(axis=0)
        maps[0] = Affine(centre, np.ones(q), centre)
    return maps[0], basis, maps[-1]


# Origin and matrix, (q,) for a diagonal one: a full matrix over all pixels would be too large.
_LINEAR_STEPS: dict[type, Callable[[Any], tuple[Array, Array]]] = {
    Standardizer: lambda step: (step.mean_, 1 / step.scale_),
    PCA: PCA.affine,
}


def _inputs(model: FittedModel, preparer: Preparer | None) -> tuple[Input, ...]:
    """Return the input for each prepared column."""
    if preparer is None:
        medians = None if model.training is None else model.training.medians
        if medians is None:
            return tuple(Input(name) for name in model.feature_names)
        fills = zip(model.feature_names, medians.tolist(), strict=True)
        return tuple(Input(name, fill=fill) for name, fill in fills)
    inputs: list[Input] = []
    levels = model.levels or (None,) * len(model.feature_names)
    for name, names, learned in zip(model.feature_names, levels, preparer.columns_, strict=True):
        if isinstance(learned, Filling):
            inputs.append(Input(name, fill=float(learned.value)))
            if learned.has_indicator:
                inputs.append(Input(name, "missing"))
        else:
            inputs += _coded(name, names or (), learned)
    return tuple(inputs)


def _coded(name: str, names: Sequence[str], coding: Coding) -> list[Input]:
    column_of = np.asarray(coding.position)
    of_levels, unknown, missing = column_of[:-2], int(column_of[-2]), int(column_of[-1])
    inputs = []
    for column in range(len(coding.of_column)):
        is_complement = unknown == column
        listed = (of_levels != column) if is_complement else (of_levels == column)
        levels = tuple(
            text
            for level, is_in in zip(names, listed, strict=True)
            if is_in
            for text in _spellings(level, names)
        )
        inputs.append(Input(name, "levels", None, levels, is_complement, missing == column))
    return inputs


def _spellings(level: str, levels: Sequence[str]) -> list[str]:
    """Return a level and, for yes and no, the other spellings accepted in a new file."""
    spellings = [level]
    if len(levels) == 2 and are_yes_or_no(levels):
        spellings.append("1" if means_yes(level) else "0")
        words = dict.fromkeys(word for pair in YES_NO for word in pair)
        for text in (form for word in words for form in (word, word.title(), word.upper())):
            is_new = text not in levels and are_yes_or_no([text, *levels])
            if is_new and means_yes(text) == means_yes(level):
                spellings.append(text)
    return spellings


def _expand_products(
    function: ScoreFunction, basis: PolynomialFeatures, model: FittedModel
) -> ScoreFunction:
    """Convert a linear function of powers and products to a quadratic function of the columns."""
    powers = np.asarray(basis.powers_)
    if powers.sum(axis=1).max() > 2 or not function.is_linear:
        degree = "degree three or more" if function.is_linear else "degree four"
        raise DataError(
            f"After this basis the scores are polynomials of {degree}, not quadratic functions.",
            where=model.label,
            remedy=f"Choose polynomial(degree=2) and a linear classifier. {_ALTERNATIVE}",
        )
    q = powers.shape[1]
    linear, form = np.zeros(q), np.zeros((q, q))
    constant = function.constant
    for power, coefficient in zip(powers, function.linear, strict=True):
        factors = np.repeat(np.arange(q), power)
        if not len(factors):
            constant += coefficient
        elif len(factors) == 1:
            linear[factors[0]] += coefficient
        else:
            form[factors[0], factors[1]] += coefficient / 2
            form[factors[1], factors[0]] += coefficient / 2
    values, axes = np.linalg.eigh(form)
    is_nonzero = np.abs(values) > np.finfo(float).eps * np.abs(values).max(initial=0.0)
    return ScoreFunction(
        float(constant),
        linear,
        values[is_nonzero],
        axes[:, is_nonzero].T,
        np.zeros(np.count_nonzero(is_nonzero)),
    )


def _rounded_origin(affine: Affine) -> Array:
    """Round the origin of a map to few digits, within a standard deviation."""
    if affine.matrix.ndim == 1 and (affine.matrix == 1).all():
        return affine.origin  # the spread is unknown
    per_unit = np.abs(affine.matrix)
    spread = 1 / np.maximum(per_unit.max(axis=1) if per_unit.ndim == 2 else per_unit, 1e-300)
    digits = np.clip(1 - np.floor(np.log10(spread)), -300, 300).astype(int)
    rounded = [
        round(value, int(places))
        for value, places in zip(affine.origin.tolist(), digits, strict=True)
    ]
    return np.array(rounded)


def _possible_classes(
    codes: Sequence[int], functions: Sequence[ScoreFunction], model: FittedModel
) -> tuple[list[int], list[ScoreFunction]]:
    """Leave out classes that cannot be predicted: those with a prior of zero."""
    constants = np.array([function.constant for function in functions])
    if np.isfinite(constants).all():
        return list(codes), list(functions)
    is_possible = constants == np.inf if (constants == np.inf).any() else np.isfinite(constants)
    if len(codes) != len(functions) or is_possible.sum() < 2:
        raise DataError(
            "Only one class has a prior above zero.",
            where=model.label,
            remedy="Give at least two classes a prior above zero.",
        )
    positions = np.flatnonzero(is_possible).tolist()
    return [codes[i] for i in positions], [functions[i] for i in positions]
