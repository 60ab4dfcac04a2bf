"""Studies of small data, whose samples are fitted together: what each would be by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as ScikitLogistic

import lincore
from lincore import (
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    Moments,
    QuadraticDiscriminantAnalysis,
)
from lincore.data.dataset import Dataset
from lincore.estimators.base.linear import log_posterior
from lincore.estimators.batched_moments import MomentStack, is_plain, solve_together
from lincore.imbalance import sample_fits, trials
from lincore.model_selection.pipeline import Steps


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
    swept = lincore.sweep(data, label, [5, 12], "logistic", steps=steps, repeats=2)
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
    swept = lincore.sweep(data, "virginica", [5], ["lda", Stubborn()], repeats=2)
    assert np.isfinite(swept.curve("lda").mean).all()


PLAIN = (
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    GaussianNB(),
    LeastSquaresClassifier(),
    LeastSquaresClassifier(targets="fisher"),
    FisherDiscriminant(),
    FisherDiscriminant("gaussian"),
)


CASES = {
    "iris": ("iris", Steps()),
    "wine": ("wine", Steps()),
    "components": ("wine", Steps(n_components=3, whiten=True)),
    "as they are": ("breast cancer", Steps(standardize=False)),
    "basis": ("iris", Steps(basis="polynomial")),
    "gaussian": ("gaussian", Steps()),
}


@pytest.mark.parametrize("kind", CASES)
def test_models_from_moments_of_many_samples_are_those_of_each(kind, monkeypatch):
    name, steps = CASES[kind]
    data = lincore.sample(name)
    sizes = {data.classes.tolist()[-1]: 20}
    methods = ("lda", "qda", "lda(priors=equal)", "qda(divisor=n-1)", "naive-bayes")
    methods += ("least-squares", "fisher", "fisher(threshold=gaussian)")
    together = lincore.balance(data, sizes, methods, steps=steps, repeats=5)
    monkeypatch.setattr(sample_fits, "moment_stack", lambda trainings: None)
    monkeypatch.setattr(trials, "LARGEST_AT_ONCE", 1)
    each = lincore.balance(data, sizes, methods, steps=steps, repeats=5)
    assert together.methods == each.methods and together.failures == each.failures
    assert_allclose(together.losses, each.losses, rtol=1e-9, atol=1e-12)
    for condition in together.conditions:
        one, other = (found.example.results[condition] for found in (together, each))
        assert_allclose(one.log_proba, other.log_proba, rtol=1e-7, atol=1e-9)


@given(
    st.integers(0, 2**31),
    st.integers(2, 6),
    st.sampled_from([1, 2, 3, 4, 20]),
    st.sampled_from([0.0, 1e5, -1e5]),
    st.floats(1e-6, 1e6),
)
@settings(deadline=None, max_examples=40)
def test_a_stack_is_what_each_is_by_itself(seed, n_classes, p, offset, scale):
    rng = np.random.default_rng(seed)
    every = []
    for _ in range(3):
        codes = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 40)])
        rows = (rng.normal(size=(len(codes), p)) + codes[:, None] + offset) * scale
        rows[:, -1] *= rng.choice([0.0, 1.0])
        every.append(Moments.from_groups(rows, codes, n_classes))
    counts = rng.uniform(0.5, 3.0, (3, n_classes)) * rng.choice([0.0, 1.0], (3, 1), p=[0.1, 0.9])
    every = [one.scale(weight) for one, weight in zip(every, counts, strict=True)]
    together = Moments(*(np.stack(parts) for parts in zip(*map(parts_of, every), strict=True)))
    for estimator in PLAIN:
        scores = solve_together(estimator, MomentStack(together))
        for b in np.flatnonzero(scores.certain):
            model = clone(estimator).fit_moments(every[b], np.arange(n_classes))
            found = scores.of(b, rows)
            found = found[:, 1] - found[:, 0] if n_classes == 2 else found
            if hasattr(model, "predict_log_proba"):
                found, expected = log_posterior(found), model.predict_log_proba(rows)
            else:
                expected = model.decision_function(rows)
            size = max(1.0, float(np.abs(expected).max()))
            assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * size)


def parts_of(moments):
    return moments.count, moments.mean, moments.scatter


def test_what_is_open_to_doubt_is_left_to_a_fit_by_itself():
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(30, 3)), np.repeat([0, 1, 2], 10)
    plain = Moments.from_groups(rows, codes, 3)
    equal = rows.copy()
    equal[:, 2] = equal[:, 1]
    alike = Moments.from_groups(equal, codes, 3)
    empty = Moments.from_groups(rows[:20], codes[:20], 3)
    lost = Moments(plain.count, plain.mean * np.nan, plain.scatter)
    every = [plain, alike, empty, lost]
    together = Moments(*(np.stack(parts) for parts in zip(*map(parts_of, every), strict=True)))
    for estimator in PLAIN:
        certain = solve_together(estimator, MomentStack(together)).certain.tolist()
        # Naive Bayes never looks at what is equal between two features.
        assert certain == [True, isinstance(estimator, GaussianNB), False, False]


def test_classes_far_from_each_other_are_left_to_a_fit_by_itself():
    rng = np.random.default_rng(2)
    codes = np.repeat([0, 1, 2], 20)
    rows = rng.normal(size=(60, 2)) + 1e5 * (codes == 2)[:, None]
    moments = Moments.from_groups(rows, codes, 3)
    together = MomentStack(Moments(*(part[None] for part in parts_of(moments))))
    assert not solve_together(LinearDiscriminantAnalysis(), together).certain.any()
    assert solve_together(QuadraticDiscriminantAnalysis(), together).certain.all()


def test_means_on_a_line_leave_fishers_directions_to_a_fit_by_itself():
    rng = np.random.default_rng(1)
    rows, codes = rng.normal(size=(60, 3)), np.repeat([0, 1, 2], 20)
    on_a_line = Moments.from_groups(rows, codes, 3)
    on_a_line.mean[:] = np.arange(3)[:, None]
    together = MomentStack(Moments(*(part[None] for part in parts_of(on_a_line))))
    assert not solve_together(FisherDiscriminant(), together).certain.any()
    assert solve_together(LinearDiscriminantAnalysis(), together).certain.all()


@pytest.mark.parametrize(
    "estimator",
    [
        LeastSquaresClassifier(alpha=0.1),
        FisherDiscriminant(n_components=1),
        FisherDiscriminant("minimum-error"),
        GaussianNB(var_smoothing=-1.0),
        QuadraticDiscriminantAnalysis(regularization=0.1),
        LinearDiscriminantAnalysis(divisor="n-k"),
    ],
)
def test_other_options_are_left_to_a_fit_by_itself(estimator):
    assert not is_plain(estimator)


def test_a_partial_study_makes_only_what_is_asked_for(monkeypatch):
    made = []
    fitted = sample_fits._fitted_alone
    monkeypatch.setattr(
        sample_fits, "_fitted_alone", lambda *found: made.append(found) or fitted(*found)
    )
    seen = []
    data = lincore.sample("iris")
    study = lincore.balance(data, {"virginica": 9}, repeats=4, keep=seen.append)
    assert [len(part.seeds) for part in seen] == [1, 2, 3, 4] and not made
    first = seen[0].example
    assert first.seed == 0 and len(first.pipelines) == 3 * len(study.conditions)
    model = first.pipelines["logistic", "full"].steps[-1][1]
    assert len(made) == 1 and model.converged_
    assert first.pipelines["logistic", "full"].steps[-1][1] is model
    reduced = first.pipelines["lda", "reduced"]
    assert first.pipelines["lda", "corrected priors"] is reduced and len(made) == 2
    with pytest.raises(KeyError):
        first.pipelines["lda", "nowhere"]


def test_a_stop_amid_those_that_are_fitted_together_keeps_what_is_finished():
    data = lincore.sample("iris")
    whole = lincore.balance(data, {"virginica": 9}, repeats=12)
    for last in (1, 2, 5, 11):
        seen = []
        stopped = lincore.balance(
            data,
            {"virginica": 9},
            repeats=12,
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
    assert len(fitted) == 2 * 6


def test_of_the_sizes_at_which_a_method_fails_the_largest_is_told():
    swept = lincore.sweep(lincore.sample("wine"), "class_1", [3, 6, 9, 12, 40], "qda", repeats=1)
    assert "its 12 rows do not vary" in swept.failures["qda"]
