"""Studies of small data, whose samples are fitted together: what each would be by itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as ScikitLogistic

import lincore
from lincore import (
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from lincore.data import Dataset
from lincore.model_selection import Steps


def rare_levels():
    """Return rows with a category whose rare levels are missing from small samples."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [60, 40])
    levels = rng.choice(12, 100, p=np.array([20, 15, 10, *[1] * 9]) / 54)
    return Dataset(
        name="rare",
        X=np.column_stack([rng.normal(codes, 1.0), levels]),
        codes=codes,
        classes=np.array(["a", "b"]),
        feature_names=("x", "level"),
        levels=(None, tuple(map(str, range(12)))),
    )


@pytest.mark.parametrize("kind", ["levels", "share of the variance"])
def test_samples_may_leave_different_numbers_of_coordinates(kind):
    data, steps = rare_levels(), Steps()
    if kind != "levels":
        data, steps = lincore.sample("wine"), Steps(n_components=0.9, whiten=True)
    label = data.classes.tolist()[1]
    study = lincore.balance(data, {label: 12}, "logistic", steps=steps, repeats=4)
    assert study.methods == ("logistic",) and np.isfinite(study.losses).all()
    swept = lincore.sweep(data, [label], [5, 12], "logistic", steps=steps, repeats=2)
    assert np.isfinite(swept.curve("logistic").mean).all()


class Stubborn(ScikitLogistic):
    """Learns, but does not answer where it was shown few rows."""

    def fit(self, X, y, sample_weight=None):
        """Remember how many rows there were."""
        self.n_seen_ = len(X)
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        """Refuse to answer after few rows."""
        if self.n_seen_ < 60:
            raise RuntimeError("too few")
        return super().predict(X)


def test_a_classifier_from_elsewhere_that_fails_is_left_out():
    data = lincore.sample("iris")
    study = lincore.balance(data, {"virginica": 5}, ["lda", Stubborn()], repeats=2)
    assert study.methods == ("lda",)
    assert list(study.failures.values()) == ["RuntimeError: too few"]
    swept = lincore.sweep(data, ["virginica"], [5], ["lda", Stubborn()], repeats=2)
    assert np.isfinite(swept.curve("lda").mean).all()


STACKS = (
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(regularization=0.1),
    GaussianNB(),
    LeastSquaresClassifier(),
    FisherDiscriminant(),
)


@pytest.mark.parametrize("estimator", STACKS, ids=lambda estimator: type(estimator).__name__)
def test_folds_are_what_each_fit_is_by_itself(estimator):
    """Unequal, singular, missing, more features than rows: twelve problems as one plan of folds."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [30, 20, 8])
    rows = rng.normal(size=(len(codes), 12)) + codes[:, None]
    rows[:, 3] = rows[:, 2]
    data = Dataset(
        name="many",
        X=rows,
        codes=codes,
        classes=np.array(["a", "b", "c"]),
        feature_names=tuple(f"x{j}" for j in range(12)),
    )
    splits = []
    for _ in range(12):
        chosen = rng.permutation(len(codes))[: rng.integers(8, 50)]
        splits.append((np.sort(chosen), np.setdiff1d(np.arange(len(codes)), chosen)))
    plain = Steps(standardize=False)
    together = lincore.compare(data, {"m": estimator}, splits, steps=plain)
    start = 0
    for train, test in splits:
        alone = lincore.compare(data, {"m": estimator}, [(train, test)], steps=plain)
        own = slice(start, start := start + len(test))
        assert together.rows[own].tolist() == test.tolist()
        assert_allclose(together.log_proba[:, own], alone.log_proba, rtol=1e-12, atol=1e-12)
        assert together.predicted[:, own].tolist() == alone.predicted.tolist()
    model = clone(estimator).fit(rows[train], codes[train])
    assert model.predict(rows[test]).tolist() == alone.predicted[0].tolist()


def test_a_partial_study_holds_the_models_of_its_first_split():
    seen = []
    data = lincore.sample("iris")
    study = lincore.balance(data, {"virginica": 9}, repeats=4, keep=seen.append)
    assert [len(part.seeds) for part in seen] == [1, 2, 3, 4]
    first = seen[0].example
    assert first.seed == 0 and len(first.pipelines) == 3 * len(study.conditions)
    model = first.pipelines["logistic", "full"].steps[-1][1]
    assert model.converged_
    assert first.pipelines["logistic", "full"].steps[-1][1] is model
    assert first.pipelines["lda", "corrected priors"] is first.pipelines["lda", "reduced"]
    with pytest.raises(KeyError):
        first.pipelines["lda", "nowhere"]


def test_a_stop_amid_those_that_are_fitted_together_keeps_what_is_finished():
    data = lincore.sample("iris")
    whole = lincore.balance(data, {"virginica": 9}, repeats=6)
    for last in (1, 5):
        seen = []
        stopped = lincore.balance(
            data,
            {"virginica": 9},
            repeats=6,
            progress=lambda done, total, what, last=last: done < last,
            keep=seen.append,
        )
        assert len(stopped.seeds) == len(seen) == last
        assert_allclose(stopped.losses, whole.losses[:, :, :last], rtol=1e-12)
        assert stopped.example.seed in stopped.seeds


def test_what_is_fitted_one_by_one_can_be_stopped_after_each():
    """Nobody waits for ten splits of a slow method where one was asked for."""
    fitted = []

    class Slow(ScikitLogistic):
        def fit(self, X, y, sample_weight=None):
            """Count."""
            fitted.append(len(X))
            return super().fit(X, y, sample_weight)

    data = lincore.sample("iris")
    lincore.balance(
        data, {"virginica": 9}, ["lda", Slow()], repeats=9, progress=lambda done, *_: done < 2
    )
    assert len(fitted) == 2 * 7


def test_of_the_sizes_at_which_a_method_fails_the_largest_is_told():
    swept = lincore.sweep(lincore.sample("wine"), ["class_1"], [3, 6, 9, 12, 40], "qda", repeats=1)
    assert "its 12 rows do not vary" in swept.failures["qda"]
