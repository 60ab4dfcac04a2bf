"""Plot data of a comparison, computed from its `Results`: curves, intervals, pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from lincore.metrics import differences, ranking, scores
from lincore.metrics.class_ratio import leading_score
from lincore.metrics.results import Results
from lincore.plots.base.sentences import join
from lincore.utils.typing import Array


def curves_of(kind: Any, results: Results, method: str, curve: Any) -> list[Any]:
    """Return the curves of a method, one for each class."""
    return [curve(found, code=code) for code, found in enumerate(kind(results, method))]


def interval_arguments(results: Results, score: str | None) -> dict[str, Any]:
    """Return what `score_intervals` draws: the methods that have the score, the best first."""
    score = score or leading_score(results.class_counts)
    order = ranking.rank_methods(results, score)
    group = differences.groups(results, score)
    drawn = [name for name in order.methods if group[name]]
    return {
        "methods": [_label(results, name) for name in drawn],
        "intervals": [scores.score(results, name, score) for name in drawn],
        "score": score,
        "baselines": ranking.baseline_scores(results, score),
        "groups": [group[name] for name in drawn],
        "as_percent": scores.SCORES[score].is_share,
    }


def pair_arguments(results: Results, score: str | None, rope: float) -> dict[str, Any]:
    """Return what `pairwise_effects` draws: the pairs whose difference is a number."""
    score = score or leading_score(results.class_counts)
    found = [
        one._replace(first=_label(results, one.first), second=_label(results, one.second))
        for one in differences.pairwise_differences(results, score, rope)
    ]
    return {
        "differences": [one for one in found if np.isfinite(one.value)],
        "score": score,
        "rope": rope,
        "as_percent": scores.SCORES[score].is_share,
    }


def time_arguments(results: Results, score: str | None) -> dict[str, Any]:
    """Return what `seconds_and_score` draws, in the order of the methods."""
    score = score or leading_score(results.class_counts)
    drawn = [m for m in results.methods if score in ranking.available_scores(results.select(m))]
    return {
        "seconds": [float(results.seconds[results.position(name)]) for name in drawn],
        "intervals": [scores.score(results, name, score) for name in drawn],
        "methods": [_label(results, name) for name in drawn],
        "score": score,
        "as_percent": scores.SCORES[score].is_share,
    }


def method_of(results: Results, method: str | None, plot: str) -> str:
    """Return the method to draw: the one that is named, or the only one."""
    if method is not None:
        results.position(method)
        return method
    if len(results.methods) != 1:
        raise ValueError(
            f"{plot} draws one method: name it, as in {plot}(results, {results.methods[0]!r})."
            if results.methods
            else f"{plot} has no method to draw."
        )
    return results.methods[0]


def weights_of(model: Any, label: Any) -> tuple[list[str], Array, str]:
    """Return the names and values of a fitted model's linear scores, and what these are."""
    classifier = getattr(model, "classifier", model)
    if not hasattr(classifier, "coef_"):
        raise ValueError(
            f"{type(classifier).__name__} has no coefficients to draw: they are of linear models, "
            "such as lda, logistic or least-squares, once fitted."
        )
    coef = np.atleast_2d(np.asarray(classifier.coef_, dtype=float))
    named = getattr(model, "column_names", None)
    if named is None:
        named = getattr(classifier, "feature_names_in_", None)
    names = [f"x{j}" for j in range(coef.shape[1])] if named is None else [str(n) for n in named]
    scaled = "standardize" in getattr(getattr(model, "pipeline", None), "named_steps", {})
    unit = join("coefficient", "per standard deviation" if scaled else "")
    classes = getattr(model, "classes", classifier.classes_).tolist()
    if label is not None and label not in classes:
        raise ValueError(f"There is no class {label!r}; there are {', '.join(map(str, classes))}.")
    if len(coef) == 1:
        sign = -1.0 if label == classes[0] else 1.0
        return names, sign * coef[0], f"{unit} for {classes[1] if sign > 0 else classes[0]}"
    if label is None or len(coef) != len(classes):
        return names, np.sqrt((coef**2).mean(axis=0)), f"{unit}, root mean square over the classes"
    return names, coef[classes.index(label)], f"{unit} for {label}"


def _label(results: Results, method: str) -> str:
    return results.settings.label(method)
