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
from lincore.io.tables.column_roles import YES_NO, says_yes, says_yes_or_no
from lincore.model_selection.fitted_model import FittedModel
from lincore.preprocessing.pca import PCA
from lincore.preprocessing.standardize import Standardizer
from lincore.preprocessing.tabular import Coding, Filling, Preparer
from lincore.utils.typing import Array

#: Larger models take over 20 MB of text in any language.
MOST_TERMS = 1_000_000
_OTHERWISE = "Save the model with save_model, or export it with lincore.onnx."


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
        own = self.matrix * matrix if matrix.ndim == 1 else self.matrix[:, None] * matrix
        return Affine(moved, own, np.zeros(own.shape[-1]))


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
    >>> [(one.column, one.levels) for one in functions.inputs[:4]]  # doctest: +NORMALIZE_WHITESPACE
    [('cabin class', ('first',)), ('cabin class', ('second',)), ('cabin class', ('third',)),
     ('sex', ('male',))]
    """
    if model.n_words:
        raise DataError(
            "The model uses word counts, which are not columns of a table.",
            where=model.label,
            remedy=_OTHERWISE,
        )
    steps = dict(model.pipeline.steps[:-1])
    inputs = _inputs(model, steps.pop("prepare", None))
    classifier = model.classifier
    affine, basis, behind = _mapped_inputs(model, steps, len(inputs), classifier)
    found = classifier_functions(classifier, affine.start if basis is None else behind.start)
    if basis is None:
        functions = [function.pulled_back(affine.matrix) for function in found.functions]
    else:
        functions = [
            _of_products(of_basis.moved(-behind.origin), basis, model).pulled_back(affine.matrix)
            for of_basis in (one.pulled_back(behind.matrix) for one in found.functions)
        ]
    origin = np.where([one.kind == "number" for one in inputs], _short(affine), 0.0)
    step = origin - affine.origin
    classes, functions = _possible(found.classes, [one.moved(step) for one in functions], model)
    if model.operating_point is not None and len(classes) < len(model.classes):
        raise DataError(
            "A class cannot be predicted, so its operating point does not fit.",
            where=model.label,
            remedy="Choose priors above zero, or no operating point.",
        )
    written = ScoreFunctions(
        label=model.label,
        data_name=model.data_name,
        digest=model.digest,
        target_name=model.target_name,
        columns=model.feature_names,
        classes=tuple(model.classes[np.asarray(classes, dtype=np.intp)].tolist()),
        link=found.link,
        inputs=inputs,
        origin=origin,
        functions=tuple(functions),
        pairs=found.pairs,
        operating_point=model.operating_point,
        abstains_below=model.abstains_below,
    )
    refuse_large(written, MOST_TERMS, "formula")
    return written


def _mapped_inputs(
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
                remedy=f"Remove the step or choose polynomial(degree=2). {_OTHERWISE}",
            )
    if not steps and hasattr(classifier, "means_"):
        # Near the data, because far from it squares cancel.
        centre = classifier.means_[np.isfinite(classifier.means_).all(axis=1)].mean(axis=0)
        maps[0] = Affine(centre, np.ones(q), centre)
    return maps[0], basis, maps[-1]


def _of_standardizer(step: Standardizer) -> tuple[Array, Array]:
    # `affine` would return a full matrix over all pixels of an image.
    return step.mean_, 1 / step.scale_


_LINEAR_STEPS: dict[type, Callable[[Any], tuple[Array, Array]]] = {
    Standardizer: _of_standardizer,
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
    found: list[Input] = []
    levels = model.levels or (None,) * len(model.feature_names)
    for name, known, learned in zip(model.feature_names, levels, preparer.columns_, strict=True):
        if isinstance(learned, Filling):
            found.append(Input(name, fill=float(learned.value)))
            if learned.has_indicator:
                found.append(Input(name, "missing"))
        else:
            found += _coded(name, known or (), learned)
    return tuple(found)


def _coded(name: str, known: Sequence[str], coding: Coding) -> list[Input]:
    places = np.asarray(coding.place)
    own, unknown, missing = places[:-2], int(places[-2]), int(places[-1])
    found = []
    for place in range(len(coding.of_column)):
        is_complement = unknown == place
        listed = (own != place) if is_complement else (own == place)
        levels = tuple(
            text
            for level, is_in in zip(known, listed, strict=True)
            if is_in
            for text in _spellings(level, known)
        )
        found.append(Input(name, "levels", None, levels, is_complement, missing == place))
    return found


def _spellings(level: str, known: Sequence[str]) -> list[str]:
    """Return a level and, for yes and no, the other spellings accepted in a new file."""
    found = [level]
    if len(known) == 2 and says_yes_or_no(known):
        words = dict.fromkeys(word for pair in YES_NO for word in pair)
        for text in (form for word in words for form in (word, word.title(), word.upper())):
            is_new = text not in known and says_yes_or_no([text, *known])
            if is_new and says_yes(text) == says_yes(level):
                found.append(text)
    return found


def _of_products(
    function: ScoreFunction, basis: PolynomialFeatures, model: FittedModel
) -> ScoreFunction:
    """Convert a linear function of powers and products to a quadratic function of the columns."""
    powers = np.asarray(basis.powers_)
    if powers.sum(axis=1).max() > 2 or not function.is_linear:
        what = "degree three or more" if function.is_linear else "degree four"
        raise DataError(
            f"After this basis the scores are polynomials of {what}, not quadratic functions.",
            where=model.label,
            remedy=f"Choose polynomial(degree=2) and a linear classifier. {_OTHERWISE}",
        )
    q = powers.shape[1]
    linear, form = np.zeros(q), np.zeros((q, q))
    constant = function.constant
    for power, coefficient in zip(powers, function.linear, strict=True):
        of = np.repeat(np.arange(q), power)
        if not len(of):
            constant += coefficient
        elif len(of) == 1:
            linear[of[0]] += coefficient
        else:
            form[of[0], of[1]] += coefficient / 2
            form[of[1], of[0]] += coefficient / 2
    values, axes = np.linalg.eigh(form)
    kept = np.abs(values) > np.finfo(float).eps * np.abs(values).max(initial=0.0)
    return ScoreFunction(
        float(constant), linear, values[kept], axes[:, kept].T, np.zeros(np.count_nonzero(kept))
    )


def _short(affine: Affine) -> Array:
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


def _possible(
    codes: Sequence[int], functions: Sequence[ScoreFunction], model: FittedModel
) -> tuple[list[int], list[ScoreFunction]]:
    """Leave out classes that cannot be predicted: those with a prior of zero."""
    constants = np.array([function.constant for function in functions])
    if np.isfinite(constants).all():
        return list(codes), list(functions)
    kept = constants == np.inf if (constants == np.inf).any() else np.isfinite(constants)
    if len(codes) != len(functions) or kept.sum() < 2:
        raise DataError(
            "Only one class has a prior above zero.",
            where=model.label,
            remedy="Give at least two classes a prior above zero.",
        )
    places = np.flatnonzero(kept).tolist()
    return [codes[place] for place in places], [functions[place] for place in places]
