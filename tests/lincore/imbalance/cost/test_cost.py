"""The cost of an imbalance: identities, cases with known answers, scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

import lincore
from lincore import DataError
from lincore.imbalance import LOSS, imbalance_cost
from lincore.model_selection import Steps

PERCEPTRON = "perceptron(max_epochs=5)"


def gaussians(counts, *, means=None, spreads=None, seed=0):
    """Return a data set of Gaussian classes of unit covariance, or of other spreads."""
    rng = np.random.default_rng(seed)
    means = np.zeros((len(counts), 2)) if means is None else np.asarray(means, dtype=float)
    spreads = np.ones(len(counts)) if spreads is None else spreads
    X = [m + s * rng.normal(size=(n, means.shape[1])) for n, m, s in zip(counts, means, spreads,
                                                                        strict=True)]  # fmt: skip
    return lincore.load((np.concatenate(X), np.repeat(np.arange(len(counts)), counts)), name="g")


def mammography_like():
    """Return a file of 42:1 with six features; the rare class lies in two far-apart clusters."""
    rng = np.random.default_rng(1)
    rare = np.repeat([[2.5, 2.0, 1.5, 0, 0, 0], [1.0, 0, 0, 3.0, 2.0, 1.0]], [40, 30], axis=0)
    X = np.concatenate([rng.normal(size=(2940, 6)) * [1, 1, 1.5, 1, 1, 0.7],
                        rare + rng.normal(size=(70, 6)) * 1.2])  # fmt: skip
    return lincore.load((X, np.repeat(["no", "yes"], [2940, 70])), name="mammography-like")


@pytest.fixture(scope="module")
def unequal():
    return gaussians([300, 60, 30], means=[[0, 0], [2, 0], [1, 2]], spreads=[1.0, 0.7, 1.3])


@pytest.fixture(scope="module")
def study(unequal):
    return imbalance_cost(unequal, ("lda", "qda", "logistic", PERCEPTRON), repeats=4)


def test_the_parts_and_the_limit_add_up_to_the_loss(study):
    for method in study.methods:
        for loss in study.loss_names:
            split = study.attribution(method, loss)
            if np.isnan(split.uncorrected.value):
                continue
            parts = [part.value for part in (*split.parts.values(), split.limit)]
            assert_allclose(np.nansum(parts), split.uncorrected.value, atol=1e-12)


def test_equal_classes_cost_nothing():
    found = imbalance_cost(gaussians([40] * 3, means=np.eye(3)), ("lda", "logistic"), repeats=3)
    assert found.rare is None
    for method in found.methods:
        split = found.attribution(method)
        assert [part.value for part in split.parts.values()] == [0, 0, 0]
        assert found.recommended(method) is None


def test_with_equal_covariances_all_of_it_is_prior_shift():
    data = gaussians([2000, 100], means=[[0, 0], [1.5, 0]])
    found = imbalance_cost(data, "lda", repeats=10)
    split = found.attribution("lda")
    assert split.prior_shift.low > 0.1
    assert split.majority_bias.low < 0 < split.majority_bias.high
    assert abs(split.majority_bias.value) < 0.01
    assert abs(split.small_class.value) < 0.01
    assert found.recommended("lda").name == "corrected priors"


def test_a_file_as_deployment_will_be_has_nothing_to_recover():
    data = gaussians([200, 50], means=[[0, 0], [2, 0]])
    found = imbalance_cost(data, ("lda", "logistic"), prevalence="file", repeats=3)
    for method in found.methods:
        assert not found.attribution(method).by_seed.any()
        assert found.recommended(method) is None


def test_negative_parts_recommend_no_correction(study):
    losses = study.losses.copy()
    losses[:, 0, :, 0] = np.nanmin(losses[:, 1:, :, 0]) - 0.05  # uncorrected is the best
    helped = replace(study, losses=losses)
    split = helped.attribution("lda")
    assert split.prior_shift.value + split.majority_bias.value < 0
    assert all(c.recovered.value < 0 for c in helped.corrected("lda"))
    assert helped.recommended("lda") is None
    assert helped.recommended("lda") is None


def test_corrections_are_judged_on_the_same_rows_and_priced(study):
    for correction in study.corrected("lda"):
        values = study.loss("lda", "uncorrected") - study.loss("lda", correction.name)
        assert_allclose(correction.recovered.value, values.mean())
        change = np.array([c.value for c in correction.recall_change])
        assert_allclose(correction.recovered.value, change.mean())
        assert_allclose(correction.others.value, np.delete(change, study.rare).mean())
    assert {c.name for c in study.corrected("lda")} == {
        "corrected priors", "both", "balanced weights", "tuned threshold", "oversampling",
        "undersampling",
    }  # fmt: skip
    assert study.attribution("lda").by_seed.shape == (2, 4)


def test_what_a_method_does_not_allow_is_named(unequal, study):
    assert "posterior" in study.unavailable[PERCEPTRON]["corrected priors"]
    split = study.attribution(PERCEPTRON)
    assert np.isnan(split.prior_shift.value)
    assert "tuned threshold" not in {c.name for c in study.corrected(PERCEPTRON)}
    found = imbalance_cost(unequal, KNeighborsClassifier(5), repeats=2)
    (name,) = found.methods
    assert "does not support weights" in found.unavailable[name]["balanced weights"]
    split = found.attribution(name)
    assert not np.isnan(split.prior_shift.value)
    assert np.isnan(split.majority_bias.value) and np.isnan(split.small_class.value)
    assert_allclose(split.prior_shift.value + split.limit.value, split.uncorrected.value)


def test_more_rows_are_extrapolated_from_nested_sizes():
    data = gaussians([600, 30], means=np.eye(2, 12) * 2)
    told = []
    found = imbalance_cost(
        data, "lda", repeats=12, progress=lambda done, total, _: told.append((done, total))
    )
    assert told == [(step, 24) for step in range(1, 25)]
    small = found.attribution("lda").small_class
    assert small.low <= small.value <= small.high and small.value > 0
    gain = found.with_more_rows("lda", found.counts[found.rare])
    assert_allclose(gain.value, small.value / 2)
    assert found.sizes.tolist() == [7, 9, 13, 17, 21]


def test_costs_move_the_target_and_are_the_loss():
    data = gaussians([300, 60], means=[[0, 0], [2, 0]])
    by_cost = imbalance_cost(data, "lda", prevalence="file", costs=[[0, 1], [5, 0]], repeats=3)
    by_share = imbalance_cost(data, "lda", prevalence=[0.5, 0.5], repeats=3)
    # Five times the cost of a sixth of the rows: the decisions are those for equal classes.
    for condition in ("corrected priors", "both"):
        for recall in by_cost.loss_names[3:]:
            assert_allclose(
                by_cost.loss("lda", condition, recall), by_share.loss("lda", condition, recall)
            )
    recalls = [by_cost.loss("lda", "both", name) for name in by_cost.loss_names[3:]]
    expected = 300 / 360 * (1 - recalls[0]) + 60 / 360 * 5 * (1 - recalls[1])
    assert_allclose(by_cost.loss("lda", "both", LOSS), expected)
    assert by_cost.loss_name == "expected cost"


def test_the_first_answer_comes_before_the_rest(unequal):
    kept = []
    imbalance_cost(unequal, "lda", repeats=2, keep=kept.append, progress=lambda *_: False)
    first, whole = kept
    assert np.isnan(first.loss("lda", "undersampling")).all()
    assert np.isfinite(whole.loss("lda", "undersampling")).any()
    assert_allclose(first.loss("lda", "both"), whole.loss("lda", "both"))
    assert np.isnan(first.attribution("lda").small_class.value)
    assert {c.name for c in first.corrected("lda")} == {
        "corrected priors", "both", "balanced weights",
    }  # fmt: skip


class Watched(LinearDiscriminantAnalysis):
    """Notes the rows that it is fitted on and predicts: the first feature is their number."""

    seen = []

    def fit(self, X, y):  # noqa: D102
        self.rows_ = X[:, 0].astype(int)
        return super().fit(X, y)

    def predict_log_proba(self, X):  # noqa: D102
        self.seen.append((self.rows_, X[:, 0].astype(int)))
        return super().predict_log_proba(X)


def test_thresholds_see_no_test_rows_and_groups_stay_together():
    y, visitor = np.repeat([0] * 30 + [1] * 10, 6), np.repeat(np.arange(40), 6)
    X = np.column_stack([np.arange(240), np.random.default_rng(0).normal(size=(240, 2))])
    data = replace(lincore.load((X, y), name="visits"), groups=visitor,
                   group_names=tuple(map(str, range(40))))  # fmt: skip
    Watched.seen.clear()
    found = imbalance_cost(data, Watched(), repeats=1, steps=Steps(standardize=False))
    assert found.settings.scheme == "holdout by group"
    split = lincore.split(data)
    assert not any(np.isin(fitted, split.test).any() for fitted, _ in Watched.seen)
    inner = [(a, b) for a, b in Watched.seen if not np.isin(b, split.test).any()]
    assert not any(np.isin(visitor[fitted], visitor[held]).any() for fitted, held in inner)
    assert sorted(np.concatenate([held for _, held in inner])) == sorted(split.train)


def test_losses_are_weighted_to_the_prevalence(unequal):
    found = imbalance_cost(unequal, "lda", prevalence=[0.2, 0.8, 0.0], repeats=2)
    recalls = [found.loss("lda", "uncorrected", f"recall of {k}") for k in range(3)]
    expected = 0.2 * (1 - recalls[0]) + 0.8 * (1 - recalls[1])
    assert_allclose(found.loss("lda", "uncorrected", LOSS), expected)
    tested = np.array([90, 18, 9])
    error = 1 - (tested @ recalls) / tested.sum()
    assert_allclose(found.loss("lda", "uncorrected", "error in the file"), error)


@pytest.mark.parametrize(
    ("prevalence", "said"),
    [("even", "not a prevalence"), ({"x": 0.5}, "no class"), ([0.5, 0.6, 0.1], "sum to 1")],
)
def test_a_prevalence_that_is_none_is_refused(unequal, prevalence, said):
    with pytest.raises(DataError, match=said):
        imbalance_cost(unequal, "lda", prevalence=prevalence, repeats=1)


def test_costs_that_are_none_are_refused(unequal):
    with pytest.raises(DataError, match="3 by 3"):
        imbalance_cost(unequal, "lda", costs=[[0, 1], [1, 0]], repeats=1)


def test_two_clusters_of_a_rare_class_are_found_again():
    found = imbalance_cost(mammography_like(), ("lda", "logistic"), repeats=4)
    assert found.classes[found.rare] == "yes"
    for method in found.methods:
        split, chosen = found.attribution(method), found.recommended(method)
        assert split.uncorrected.value > 0.2
        assert chosen.name in ("corrected priors", "both")
        assert chosen.loss.value < 0.6 * split.uncorrected.value
        assert chosen.others.value < 0 < chosen.file_error.value  # that is its price


def test_scikit_learn_says_the_same_on_the_same_split(unequal):
    split = lincore.split(unequal, test_size=0.3, seed=5)
    kept = []
    imbalance_cost(unequal, ("lda", "logistic"), split=split, repeats=1, keep=kept.append)
    (train, test), X, y = split, unequal.X, unequal.codes
    balanced = (len(train) / 3 / np.bincount(y[train]))[y[train]]
    equal, logistic = np.full(3, 1 / 3), LogisticRegression(max_iter=3000, tol=1e-9)
    for method, condition, model, weight in (
        ("lda", "uncorrected", LinearDiscriminantAnalysis(), None),
        ("lda", "corrected priors", LinearDiscriminantAnalysis(priors=equal), None),
        ("logistic", "uncorrected", logistic, None),
        # Weights act on mean and deviation too; the penalty is of standardised features.
        ("logistic", "both", logistic, balanced),
    ):
        scaler = StandardScaler().fit(X[train], sample_weight=weight)
        given = {} if weight is None else {"sample_weight": weight}
        said = model.fit(scaler.transform(X[train]), y[train], **given)
        said = said.predict(scaler.transform(X[test]))
        expected = 1 - balanced_accuracy_score(y[test], said)
        assert_allclose(kept[0].loss(method, condition)[0], expected)
