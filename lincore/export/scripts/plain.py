"""An analysis as a script without lincore, if scikit-learn alone gives the same numbers.

Pipelines and splits are created as objects and compared with lincore's. The script consists of
their code and of the source of the functions that made them; generated code is never run.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from inspect import getsource, signature
from textwrap import indent
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, confusion_matrix, log_loss
from sklearn.model_selection import LeaveOneOut
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

from lincore import preprocessing
from lincore.analysis.questions import ClassifyQuestion, CompareQuestion
from lincore.analysis.specification import Analysis
from lincore.data.dataset import Dataset
from lincore.data.splits import Fold
from lincore.errors import DataError, error_summary
from lincore.estimators.tuned import Tuned
from lincore.export.scripts._plain_functions import deal_folds, hold_out, predict
from lincore.metrics.results import Results
from lincore.model_selection.comparison import compare
from lincore.model_selection.engine import method_steps
from lincore.model_selection.methods import RECALIBRATION, Method, as_method
from lincore.model_selection.pipeline import Steps, asks_for_categories, pipeline_for
from lincore.model_selection.splitters import plan_folds
from lincore.preprocessing.tabular import Preparer
from lincore.utils.code import call, literal

#: Largest difference between a posterior of the script and lincore's.
TOLERANCE = 1e-9
# Splits in which script and lincore are compared before the script is returned.
_CHECKED = 5
# Numbers in the data, and products in a Newton step of logistic regression, beyond which a
# comparison takes seconds.
_MOST_CELLS, _MOST_PRODUCTS = 5_000_000, 300_000_000
_FOLDED = re.compile(r"(?:(\d+)x)?(\d+)-fold")
# Names that a script may import from scikit-learn.
_IMPORTED: tuple[Any, ...] = (
    make_column_transformer, PCA, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis,
    SimpleImputer, LogisticRegression, RidgeClassifier, accuracy_score, balanced_accuracy_score,
    confusion_matrix, log_loss, LeaveOneOut, OneVsRestClassifier, GaussianNB, MultinomialNB,
    Pipeline, make_pipeline, OneHotEncoder, PolynomialFeatures, StandardScaler,
)  # fmt: skip
_ABOUT = '''"""The scores of an analysis by lincore, computed with scikit-learn alone.

Predictions are the same, and posteriors to 1e-9, with the versions in the environment of lincore.
"""'''
_SCORES = """for name, model in models.items():
    true, predicted, posteriors = predict(model, X, y, splits)
    print(f"{name}: accuracy {accuracy_score(true, predicted):.4f}")
    print(f"balanced accuracy {balanced_accuracy_score(true, predicted):.4f}")
    if posteriors:
        print(f"log loss {log_loss(true, posteriors, labels=model.classes_):.4f}")
    print(confusion_matrix(true, predicted))"""


def to_plain_script(analysis: Analysis, data: Dataset) -> str:
    """Return a script that computes the scores of Classify or Compare without lincore.

    It reads ``rows.csv``, as ``data.to_frame().to_csv("rows.csv", index=False)`` writes it. It is
    compared with lincore before it is returned: its splits, and predictions and posteriors in the
    first five of them.

    Parameters
    ----------
    analysis : Analysis
        Analysis with the question of Classify or Compare.
    data : Dataset
        Data as loaded by the analysis.

    Returns
    -------
    str
        Python that needs NumPy, pandas and scikit-learn.

    Raises
    ------
    DataError
        If there is no such script, with the reason: a step or an option has no exact counterpart,
        or posteriors differ by more than 1e-9.

    Examples
    --------
    >>> from lincore.analysis import SampleData
    >>> asked = Analysis(SampleData("wine"), question=CompareQuestion(("lda", "naive-bayes")))
    >>> script = to_plain_script(asked, asked.load())
    >>> [line.strip() for line in script.splitlines() if "GaussianNB()" in line]
    ['"Naive Bayes": make_pipeline(StandardScaler(), GaussianNB()),']
    """
    methods, scheme = _methods_and_scheme(analysis, data)
    prepare, seed = _preparation(data), analysis.split.seed
    models = {m.name: _model(m, data, analysis.steps, prepare) for m in methods}
    plan = plan_folds(data, scheme, seed, test_size=analysis.split.test_size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        splits = _splits(plan, scheme, seed, data)
        checked = [(fold.train, fold.test) for fold in plan[:_CHECKED]]
        results = compare(data, methods, checked, steps=analysis.steps, seed=seed)
        for method in methods:
            _check(method, models[method.name], data, checked, results)
    lines = [f"prepare = {_code(prepare)}"] * data.needs_preparation
    lines.append("models = {")
    for method in methods:
        steps = [step for _, step in models[method.name].steps]
        code = call(
            "make_pipeline", *("prepare" if step is prepare else _code(step) for step in steps)
        )
        lines.append(indent(f"{literal(method.label)}: {code},", "    "))
    body = "\n".join([_reading(data), "", *lines, "}", "", splits, "", _SCORES])
    used = [getsource(f) for f in (hold_out, deal_folds, predict) if f.__name__ in body]
    code = "\n\n".join([*used, body])
    return f"{_ABOUT}\n\n{_imports(code)}\n\n\n{code}\n"


def _reading(data: Dataset) -> str:
    """Return the code that reads the rows."""
    frame = data.to_frame()
    texts = literal(dict.fromkeys([*_categories(data), frame.columns[-1]], "str"))
    read = call("pd.read_csv", '"rows.csv"', dtype=texts, keep_default_na="False", na_values='""')
    return f"rows = {read}\nX, y = rows.iloc[:, :-1], rows.iloc[:, -1].to_numpy()"


def _categories(data: Dataset) -> list[str]:
    pairs = zip(data.feature_names, data.levels or (), strict=False)
    return [name for name, levels in pairs if levels is not None]


def _methods_and_scheme(analysis: Analysis, data: Dataset) -> tuple[tuple[Method, ...], str]:
    """Return the methods and the validation."""
    question, experiment = analysis.question, analysis.experiment(data)
    limits = {
        "word counts": data.n_words,
        "sampling weights": data.weights is not None,
        "rows that are not in memory": data.n_streamed,
        f"more than {_MOST_CELLS:,} cells": data.n_rows * data.n_features > _MOST_CELLS,
    }
    for limit, has in limits.items():
        if has:
            raise DataError(f"There is no script without lincore for {limit}.")
    if isinstance(question, CompareQuestion):
        lines, scheme = question.lines(experiment), question.scheme
    elif isinstance(question, ClassifyQuestion):
        lines, scheme = experiment.lines((question.classifier,)), "holdout"
    else:
        raise DataError("Only Classify and Compare have a script without lincore.")
    if scheme == "holdout":
        scheme = experiment.split.scheme(data)
    return tuple(map(as_method, lines)), scheme


def _preparation(data: Dataset) -> Any:
    """Return scikit-learn's counterpart of imputation and encoding."""
    marked, frequent = data.imputation == "indicator", data.imputation == "most_frequent"
    number = SimpleImputer(strategy="most_frequent" if frequent else "median", add_indicator=marked)
    if not data.has_categories:
        return number
    level = SimpleImputer(strategy="most_frequent")
    if marked:
        level = SimpleImputer(strategy="constant", fill_value="(missing)")
    coder = OneHotEncoder(drop="if_binary", handle_unknown="ignore", sparse_output=False)
    if data.rare > 1:
        coder.set_params(handle_unknown="infrequent_if_exist", min_frequency=data.rare)
    encode = make_pipeline(level, coder)
    return make_column_transformer((encode, _categories(data)), remainder=number)


def _model(method: Method, data: Dataset, steps: Steps, prepare: Any) -> Pipeline:
    """Return scikit-learn's counterpart of a method with its steps."""
    own = method_steps(method, data, steps)
    if own.chooses_components:
        raise _no_counterpart(method, " after a number of components that cross-validation chooses")
    mixed = own.basis is not None or own.n_components is not None
    coded = data.has_categories or (data.imputation == "indicator" and data.has_missing)
    if coded and not mixed and asks_for_categories(method.estimator):
        raise _no_counterpart(method, " of categories")
    width = own.n_components if isinstance(own.n_components, int) else data.n_features
    products = data.n_rows * (width * data.n_classes) ** 2
    if method.word == "logistic" and products > _MOST_PRODUCTS:
        raise DataError(f"{method.label} has too many coefficients to be compared in seconds.")
    steps_before: list[Any] = []
    for _, step in pipeline_for(data, None, own).steps:
        if isinstance(step, Preparer):
            steps_before.append(prepare)
        elif isinstance(step, preprocessing.Standardizer):
            steps_before.append(StandardScaler())
        elif isinstance(step, PolynomialFeatures):
            steps_before.append(step)
        elif isinstance(step, preprocessing.PCA):
            options = {"n_components": step.n_components, "whiten": step.whiten}
            steps_before.append(PCA(**options, svd_solver="full"))
        else:
            raise _no_counterpart(method, f" after {type(step).__name__}")
    return make_pipeline(*steps_before, _classifier(method, data))


def _classifier(method: Method, data: Dataset) -> Any:
    """Return scikit-learn's counterpart of a classifier."""
    if RECALIBRATION in method.options or isinstance(method.estimator, Tuned):
        raise _no_counterpart(method)
    given = method.estimator.get_params(deep=False)
    word, priors, K = method.word, given.get("priors"), data.n_classes
    if isinstance(priors, str):
        priors = [1 / K] * K if priors == "equal" else (data.counts / data.n_rows).tolist()
    shrinkage, weight = given.get("shrinkage"), given.get("class_weight")
    changed = given.get("divisor", "n") != "n" or given.get("regularization", 0) != 0
    changed |= given.get("covariance") == "mcd" or given.get("selection") is not None
    if changed or shrinkage == "oas" or (weight and word not in ("logistic", "least-squares")):
        raise _no_counterpart(method)
    if word == "lda" and (shrinkage is None or priors is None):
        solver = "svd" if shrinkage is None else "lsqr"
        return LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage, priors=priors)
    if word == "qda" and shrinkage is None:
        return QuadraticDiscriminantAnalysis(priors=priors, tol=1e-8)
    if word == "qda":
        return QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage, priors=priors)
    if word == "naive-bayes":
        return GaussianNB(priors=priors, var_smoothing=given["var_smoothing"])
    if word == "multinomial-nb" and given["alpha"] > 0:
        return MultinomialNB(alpha=given["alpha"], class_prior=priors)
    if word == "logistic":
        if method.estimator.selects:
            raise _no_counterpart(method)
        own = {name: given[name] for name in ("C", "class_weight", "fit_intercept")}
        return LogisticRegression(**own, solver="newton-cholesky", tol=1e-12)
    if word == "least-squares" and given["targets"] != "fisher":
        return RidgeClassifier(alpha=given["alpha"], class_weight=weight)
    if word == "one-vs-rest":
        return OneVsRestClassifier(_classifier(as_method(given["estimator"]), data))
    raise _no_counterpart(method)


def _no_counterpart(method: Method, context: str = "") -> DataError:
    return DataError(f"scikit-learn has no exact counterpart of {method.label}{context}.")


def _splits(plan: Sequence[Fold], scheme: str, seed: int, data: Dataset) -> str:
    """Return the code of the same training and test sets."""
    labels, folded = list(map(str, data.classes)), _FOLDED.fullmatch(scheme)
    if scheme == "leave-one-out":
        return "splits = list(LeaveOneOut().split(X))"
    if folded:
        arguments: list[Any] = [labels, int(folded[1] or 1), int(folded[2]), seed]
    elif scheme in ("holdout", "last"):
        n_test = data.counts_in(plan[0].test).tolist()
        arguments = [dict(zip(labels, n_test, strict=True)), *[seed] * (scheme == "holdout")]
    elif len(plan) > 1:
        raise DataError("Folds by group have no exact counterpart in scikit-learn.")
    else:
        test = plan[0].test
        runs = np.split(test, np.flatnonzero(np.diff(test) != 1) + 1)
        rows = ", ".join(f"{run[0]}:{run[-1] + 1}" for run in runs)
        return f"test = np.r_[{rows}]\nsplits = [(np.setdiff1d(np.arange(len(y)), test), test)]"
    make: Any = deal_folds if folded else hold_out
    for split, fold in zip(make(data.y.astype(str), *arguments), plan, strict=True):
        if not all(map(np.array_equal, split, (fold.train, fold.test))):
            raise DataError("The validation cannot be repeated without lincore.")
    return f"splits = {call(make.__name__, 'y', *map(literal, arguments))}"


def _check(
    method: Method, model: Pipeline, data: Dataset, splits: Sequence[Any], results: Results
) -> None:
    """Raise an error if predictions or posteriors are not those of lincore."""
    if method.name not in results.methods:
        raise DataError(f"lincore itself cannot fit {method.label} to these rows.")
    X, y = data.to_frame().iloc[:, :-1], data.y.astype(str)
    try:
        _, predicted, posteriors = predict(model, X, y, [*splits])
    except (ValueError, np.linalg.LinAlgError) as error:
        reason = error_summary(error)
        raise DataError(f"scikit-learn cannot fit {method.label}: {reason}") from error
    position, labels = results.position(method.name), list(map(str, data.classes))
    if [labels[code] for code in results.predicted[position]] != predicted:
        raise DataError(f"scikit-learn's {method.label} predicts other classes here.")
    if posteriors:
        order = [model.classes_.tolist().index(label) for label in labels]
        gap = np.abs(np.exp(results.log_proba[position]) - np.array(posteriors)[:, order]).max()
        if not gap <= TOLERANCE:
            raise DataError(
                f"A posterior of scikit-learn's {method.label} differs by {gap:.0e} here."
            )


def _code(value: Any) -> str:
    """Return the code that makes an estimator; its repr would be abbreviated."""
    if isinstance(value, Pipeline):
        return call("make_pipeline", *(_code(step) for _, step in value.steps))
    if isinstance(value, ColumnTransformer):
        parts = [f"({_code(step)}, {literal(columns)})" for _, step, columns in value.transformers]
        return call("make_column_transformer", *parts, remainder=_code(value.remainder))
    if not isinstance(value, BaseEstimator):
        return literal(value)
    given, changed = value.get_params(deep=False), {}
    for name, known in signature(type(value)).parameters.items():
        if given[name] is not known.default and given[name] != known.default:
            changed[name] = _code(given[name])
    return call(type(value).__name__, **changed)


def _imports(code: str) -> str:
    """Return the imports of the names in some code; a name from a file may add one."""
    words, by_module = set(re.findall(r"\w+", code)), dict[str, list[str]]()
    for imported in _IMPORTED:
        if imported.__name__ in words:
            module = imported.__module__.partition("._")[0]
            by_module.setdefault(module, []).append(imported.__name__)
    lines = [f"from {module} import {', '.join(names)}" for module, names in by_module.items()]
    return "\n".join(["import numpy as np", "import pandas as pd", *lines])
