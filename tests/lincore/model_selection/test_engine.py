"""Pipelines fitted from moments equal those fitted from rows, on training rows alone."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import FitFailedWarning
from sklearn.pipeline import Pipeline

import lincore
from lincore import LinearDiscriminantAnalysis, metrics, model_selection
from lincore.data import Blocks, RowBlock
from lincore.model_selection import (
    Steps,
    Task,
    TrainingSample,
    as_methods,
    default_steps,
    pipeline_for,
    run,
    transform_for_classifier,
)
from lincore.moments import Moments

CHOICES = [
    {"standardize": True, "n_components": 2},
    {"standardize": False, "n_components": 3, "whiten": True},
    {"standardize": True},
    {"standardize": False, "n_components": 0.9},
]


def with_gaps(data, share=0.1, seed=0):
    X = data.X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return replace(data, X=X)


@pytest.mark.parametrize(
    ("options", "gaps"), list(zip(CHOICES, [True, False, True, False], strict=True))
)
def test_from_moments_equals_from_rows(options, gaps):
    data = lincore.sample("wine")
    data = with_gaps(data) if gaps else data
    split = lincore.split(data, seed=3)
    part = model_selection.summarise_training_set(data, split)
    assert part.moments is not None
    fast = lincore.fit(data, "lda", split, steps=Steps(**options), sample=part).pipeline
    slow = pipeline_for(data, LinearDiscriminantAnalysis(), Steps(**options))
    slow.fit(data.X[split.train], data.codes[split.train])
    X = data.X[split.test]
    assert_allclose(fast.predict_proba(X), slow.predict_proba(X), rtol=1e-6, atol=1e-9)
    assert fast.named_steps.keys() == slow.named_steps.keys()


def test_classes_keep_the_order_of_the_data_whatever_their_names():
    rng = np.random.default_rng(0)
    names = np.array([f"s{i}" for i in range(1, 13)])
    codes = np.repeat(np.arange(12), 20)
    X = rng.standard_normal((240, 3)) * 0.1 + rng.standard_normal((12, 3))[codes]
    data = lincore.load((X, names[codes]), name="many")
    assert data.classes.tolist() == names.tolist()
    for shape in (X, np.column_stack([X, rng.standard_normal((240, 300))])):
        data = lincore.load((shape, names[codes]), name="many")
        split = lincore.split(data)
        results = lincore.fit(data, "lda", split, steps=Steps(n_components=3)).results
        assert_array_equal(results.truth, data.codes[split.test])
        assert metrics.score(results, "LDA", "accuracy").value > 0.9 or shape is not X


def test_what_the_model_cannot_do_is_said_as_a_data_error():
    data = lincore.load((np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 0, 1, 1]), name="two points")
    with pytest.raises(lincore.DataError, match="No feature varies within the classes"):
        lincore.fit(data, "lda", lincore.split(data, test_size=0.5))


def images(n_rows, side):
    stack = np.random.default_rng(0).integers(0, 255, (n_rows, side * side)).astype(np.uint8)
    y = np.arange(n_rows) % 2
    return replace(lincore.load((stack, y), name="noise"), image_shape=(side, side))


@pytest.mark.parametrize(
    ("n_rows", "side", "expected"),
    [(100, 8, None), (50, 8, 0.95), (1000, 20, None), (999, 21, 0.95)],
)
def test_models_see_all_features_by_default_and_of_large_images_most_variance(
    n_rows, side, expected
):
    assert default_steps(images(n_rows, side), n_rows) == Steps(False, n_components=expected)


def test_a_wide_table_is_not_projected_by_default():
    data = lincore.load((np.random.default_rng(0).normal(size=(20, 500)), [0, 1] * 10), name="wide")
    assert default_steps(data, 14) == Steps(True)


def test_the_steps_before_the_classifier_can_stand_alone():
    data = lincore.sample("iris")
    split = lincore.split(data)
    sample = model_selection.summarise_training_set(data, split)
    sample = model_selection.fit_steps(data, sample, Steps(n_components=2))
    found = transform_for_classifier(Pipeline([*sample.fitted]), data.X)
    assert_allclose(found[split.train].mean(axis=0), 0, atol=1e-9)
    assert found.shape == (150, 2)


class Refusing(ClassifierMixin, BaseEstimator):
    """Refuse any rows, and count how often."""

    tries: ClassVar[list[int]] = []

    def fit(self, X, y):
        self.tries.append(len(X))
        raise RuntimeError("no such rows")


def test_what_fails_on_one_fold_is_not_tried_on_the_next_and_leaves_others_alone():
    data, folds = lincore.sample("iris"), model_selection.plan_folds
    plan = [Task(TrainingSample(f.train), f.test) for f in folds(data, "5-fold")]
    methods = as_methods(["lda", "logistic", Refusing()])
    Refusing.tries.clear()
    steps = list(run(plan, methods, data))
    assert Refusing.tries == [120] and [step.done for step in steps] == list(range(1, 16))
    assert [step.task for step in steps] == 3 * list(range(5)) and steps[-1].total == 15
    found = [step.outcomes[methods[-1].name] for step in steps[10:]]
    assert {outcome.reason for outcome in found} == {"RuntimeError: no such rows"}


def test_all_orders_of_a_run_fit_the_same_models():
    data, split = lincore.sample("wine"), lincore.split(lincore.sample("wine"))
    plan = [Task(TrainingSample(split.train[i:]), split.test) for i in range(3)]
    methods, steps = as_methods(["lda", "qda", "logistic"]), Steps(n_components=3)
    known = [Task(model_selection.fit_steps(data, task.sample, steps), task.test) for task in plan]
    fits = []
    for tasks, stacked in ((plan, False), (plan, True), (known, False)):
        by_task = {
            (step.task, name): outcome
            for step in run(tasks, methods, data, steps=steps, stacked=stacked)
            for name, outcome in step.outcomes.items()
        }
        assert len(by_task) == 9
        fits.append(by_task)
    for key, expected in fits[0].items():
        for by_task in fits[1:]:
            found = by_task[key].predicted.log_proba
            assert_allclose(found, expected.predicted.log_proba, atol=1e-6)


def test_a_run_without_rows_to_predict_only_fits():
    data = lincore.sample("iris")
    plan = [Task(TrainingSample(np.arange(150)), np.arange(0))]
    for step in run(plan, as_methods(["lda", "logistic"]), data):
        (fit,) = step.outcomes.values()
        assert fit.predicted.codes.shape == (0,) and fit.predicted.log_proba.shape == (0, 3)
        assert fit.pipeline.predict(data.X).shape == (150,)


def with_blocks(X, codes):
    """Return data whose first rows are also streamed, a little moved."""
    rest = RowBlock(X[:500] + 0.1, codes[:500])
    blocks = Blocks(
        Moments.from_groups(rest.X, rest.codes, 2),
        np.bincount(rest.codes),
        [()],
        lambda: iter([rest]),
    )
    return replace(lincore.load((X, codes)), blocks=blocks)


def test_folds_that_share_passes_hold_no_copies_of_the_rows(monkeypatch):
    for name in ("SAMPLE_VALUES", "_BLOCK_VALUES"):
        monkeypatch.setattr(f"lincore.model_selection.streamed_rows.{name}", 20_000)
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=10_000)
    X = rng.normal(size=(len(codes), 40)) + 0.2 * codes[:, None]
    data = with_blocks(X, codes)
    lincore.compare(data, "logistic", "2-fold")  # imports are not counted
    tracemalloc.start()
    try:
        lincore.compare(data, "logistic", "10-fold")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Test rows of all folds, kept at once, would be one more copy.
    assert peak < 3 * X.nbytes


def test_a_method_that_rejects_rows_leaves_other_methods_with_passes_alone():
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=600)
    data = with_blocks(rng.normal(size=(len(codes), 2)) + codes[:, None], codes)
    with pytest.warns(FitFailedWarning, match="Negative values"):
        found = lincore.compare(data, ["multinomial-nb", "logistic"], "3-fold")
    assert found.methods == ("logistic",)
