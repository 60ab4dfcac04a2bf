"""A classifier fitted again without each of its features."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.preprocessing import FunctionTransformer

from lincore.errors import DataError
from lincore.metrics.results import Results
from lincore.model_selection.engine import run
from lincore.model_selection.fitted_classifier import FittedClassifier, results_of_fit
from lincore.model_selection.fitting import TrainingSample
from lincore.model_selection.methods import as_method
from lincore.model_selection.pipeline import asks_for_categories
from lincore.model_selection.stages import Failure, Task
from lincore.preprocessing.tabular import source_features
from lincore.utils.typing import Progress

#: Prefix of the feature in the name of a fit.
WITHOUT = "without "
#: Maximum number of features that are left out one by one.
MOST_FEATURES = 200
_SEPARATE = {"prepare", "standardize"}


def can_drop_features(model: FittedClassifier) -> bool:
    """Return whether each feature can be left out by itself, and they are not too many."""
    data = model.data
    mixed = {name for name, _ in model.pipeline.steps[:-1]} - _SEPARATE
    if mixed or (data.has_categories and asks_for_categories(model.classifier)):
        return False
    if any(model.results.settings.streamed.values()):  # only rows in memory are fitted again
        return False
    return 2 <= data.n_features <= MOST_FEATURES


def drop_features(model: FittedClassifier, *, progress: Progress | None = None) -> Results:
    """Fit a classifier again without each of its features, to the same training rows.

    Parameters
    ----------
    progress : callable, optional
        ``progress(done, total, what)``; after False, the finished fits are returned.

    Returns
    -------
    Results
        Predictions of the test rows by the model, the first method, and by each fit without a
        feature, such as "without length"; a fit that fails is left out.

    Raises
    ------
    DataError
        If features are mixed before the classifier (by PCA or basis functions), or there are fewer
        than two or more than `MOST_FEATURES`.

    References
    ----------
    Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, "Distribution-Free Predictive Inference for
    Regression" (2018), section 6: leave one covariate out.

    Examples
    --------
    >>> import lincore
    >>> results = drop_features(lincore.fit(lincore.sample("iris"), "lda"))
    >>> results.methods[:2]
    ('LDA', 'without sepal length (cm)')
    """
    data, steps = model.data, tuple(model.pipeline.steps[:-1])
    if not can_drop_features(model):
        raise DataError(
            "Leaving features out one by one needs all training rows in memory, and 2 to "
            f"{MOST_FEATURES} features that are separate inputs of the classifier.",
            remedy="Switch PCA and basis functions off, or choose another classifier.",
        )
    source = source_features(model.pipeline.named_steps.get("prepare"), data)
    method, results = as_method(model.classifier), model.results
    for j, name in enumerate(data.feature_names):
        if progress is not None and progress(j, data.n_features, f"{WITHOUT}{name}") is False:
            break
        columns = np.flatnonzero(source == j)
        keep_others = FunctionTransformer(partial(np.delete, obj=columns, axis=1)).fit(
            columns[None]
        )
        sample = TrainingSample(model.split.train, fitted=(*steps, ("others", keep_others)))
        *_, step = run([Task(sample, model.split.test)], [method], data)
        outcome = step.outcomes[method.name]
        if not isinstance(outcome, Failure):
            results = results.joined(results_of_fit(outcome, data, model.split, f"{WITHOUT}{name}"))
    return results
