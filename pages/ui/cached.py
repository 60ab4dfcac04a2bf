"""Bounded caches over lincore, keyed by the content of the data and the choices made."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

if TYPE_CHECKING:
    import numpy as np
    from sklearn.pipeline import Pipeline

    from lincore.datasets import Dataset, Split
    from lincore.experiments.holdout import TrainingPart
    from lincore.experiments.results import Results
    from lincore.experiments.views import View


class SplitChoice(NamedTuple):
    """How the test part is set apart."""

    how: str
    test_size: float
    seed: int


class ModelChoice(NamedTuple):
    """Every option of a model and the steps before it."""

    standardize: bool
    n_components: int | None
    whiten: bool
    shrinkage: float | str | None
    equal_priors: bool


class Fitted(NamedTuple):
    """A fitted pipeline and what it makes of the test part."""

    pipeline: Pipeline
    results: Results


# Samples and fits depend on nothing but their arguments, a digest of the whole content among
# them, so visitors share them. The data themselves travel as `_data`, which is not hashed.


@st.cache_resource(max_entries=8, show_spinner=False)
def sample(name: str) -> Dataset:
    """Return a bundled sample."""
    from lincore.samples import sample as load_sample

    return load_sample(name)


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def split(digest: str, choice: SplitChoice, _data: Dataset) -> Split:
    """Return the rows of the training and of the test part."""
    from lincore.datasets import split as split_rows

    return split_rows(_data, choice.how, test_size=choice.test_size, seed=choice.seed)


@st.cache_resource(max_entries=8, ttl="2h", show_spinner="Summarising the training rows …")
def training_part(digest: str, choice: SplitChoice, _data: Dataset) -> TrainingPart:
    """Make the one pass over the training rows that every fit is solved from."""
    from lincore.experiments.holdout import summarise

    return summarise(_data, split(digest, choice, _data))


@st.cache_resource(max_entries=32, ttl="2h", show_spinner="Fitting …")
def classify(digest: str, choice: SplitChoice, model: ModelChoice, _data: Dataset) -> Fitted:
    """Fit LDA and its steps on the training part and predict the test part."""
    import numpy as np

    from lincore.discriminant import LinearDiscriminantAnalysis
    from lincore.experiments import holdout
    from lincore.experiments.pipeline import Steps, pipeline_for

    rows = split(digest, choice, _data)
    part = training_part(digest, choice, _data)
    classifier = LinearDiscriminantAnalysis(
        priors=np.full(_data.n_classes, 1 / _data.n_classes) if model.equal_priors else None,
        shrinkage=model.shrinkage,
    )
    steps = Steps(model.standardize, n_components=model.n_components, whiten=model.whiten)
    pipeline = pipeline_for(_data, classifier, steps)
    start = time.perf_counter()
    holdout.fit(pipeline, _data, rows, part)
    seconds = time.perf_counter() - start
    return Fitted(pipeline, holdout.evaluate(pipeline, _data, rows, method="LDA", seconds=seconds))


@st.cache_resource(max_entries=32, ttl="2h", show_spinner="Finding the principal components …")
def components(
    digest: str, choice: SplitChoice, standardize: bool, n_components: int, _data: Dataset
) -> Pipeline:
    """Fit PCA, and the steps before it, on the training part."""
    from lincore.experiments import holdout
    from lincore.experiments.pipeline import Steps, pipeline_for

    part = training_part(digest, choice, _data)
    pipeline = pipeline_for(_data, None, Steps(standardize, n_components=n_components))
    return holdout.fit(pipeline, _data, split(digest, choice, _data), part)


@st.cache_resource(max_entries=32, ttl="2h", show_spinner=False)
def view(
    digest: str,
    choice: SplitChoice,
    model: ModelChoice,
    axes: tuple[int, ...],
    _data: Dataset,
) -> View:
    """Look at a fitted model along some of its coordinates, with the test rows."""
    from lincore.experiments.views import model_view

    fitted = classify(digest, choice, model, _data)
    rows: np.ndarray = split(digest, choice, _data).test
    return model_view(fitted.pipeline, _data, rows, axes)


@st.cache_data(max_entries=8, ttl="2h", max_size="200MB", show_spinner="Packing the images …")
def image_zip(digest: str, _data: Dataset) -> bytes:
    """Return the data set as a zip of images in class folders."""
    from lincore.images import write_image_zip

    return write_image_zip(_data)
