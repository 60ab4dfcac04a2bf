"""The Bayes classifier and its error: formulas, counting, and parameters that need care."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import estimator_checks

from lincore import (
    BayesClassifier,
    LinearDiscriminantAnalysis,
    Moments,
    OneVsRest,
    QuadraticDiscriminantAnalysis,
    sample,
)
from lincore.estimators import bayes_error, expected_loss, regret
from tests.lincore.references_bayes import (
    joint_densities,
    least_expected_loss,
    loss_by_counting,
)

LOSS = [[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [10.0, 3.0, 0.0]]


def three(p=2, seed=0):
    """Three overlapping classes with covariances and priors of their own."""
    rng = np.random.default_rng(seed)
    roots = rng.standard_normal((3, p, p)) * 0.4 + np.eye(p)
    return (
        1.2 * rng.standard_normal((3, p)),
        roots @ roots.swapaxes(1, 2),
        np.array([0.6, 0.3, 0.1]),
    )


def fitted(means, covariances, priors=None, **options):
    model = BayesClassifier(means, covariances, priors, **options)
    return model.fit(np.repeat(means, 2, axis=0), np.repeat(np.arange(len(means)), 2))


def plug_in(model, means, covariances, priors):
    """Fit a classifier with the true parameters in place of estimates."""
    moments = Moments(np.asarray(priors), np.asarray(means), priors[:, None, None] * covariances)
    return model.fit_moments(moments, np.arange(len(means)))


@pytest.mark.parametrize("loss", [None, LOSS])
@pytest.mark.parametrize("p", [1, 2, 4])
def test_decisions_and_posteriors_are_those_of_the_definition(p, loss):
    truth = three(p)
    X = np.random.default_rng(1).standard_normal((200, p)) * 3
    model = fitted(*truth, loss=loss)
    joint = joint_densities(*truth, X)
    assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1)[:, None], rtol=1e-8)
    costs = 1 - np.eye(3) if loss is None else loss
    assert_array_equal(model.predict(X), least_expected_loss(*truth, costs, X))
    assert_array_equal(model.decision_function(X).argmax(axis=1), model.predict(X))
    assert_allclose(model.risk(X), model.predict_proba(X) @ costs)


def test_two_classes_of_one_covariance_are_linear_discriminant_analysis():
    means, covariances, priors = three()
    means, shared, priors = means[:2], covariances[:1].repeat(2, axis=0), np.array([0.7, 0.3])
    X = np.random.default_rng(1).standard_normal((50, 2)) * 3
    bayes = fitted(means, shared[0], priors)
    lda = plug_in(LinearDiscriminantAnalysis(), means, shared, priors)
    assert_allclose(bayes.decision_function(X), lda.decision_function(X), rtol=1e-9, atol=1e-9)
    # A loss matrix moves the threshold by the logarithm of the ratio of its costs.
    dear = fitted(means, shared[0], priors, loss=[[0, 1], [10, 0]])
    shift = dear.decision_function(X) - bayes.decision_function(X)
    assert_allclose(shift, np.log(10), rtol=1e-9)


@given(st.floats(0.01, 8), st.floats(0.01, 0.99), st.integers(1, 5), st.integers(0, 99))
@settings(deadline=None)
def test_two_classes_of_one_covariance_have_a_closed_form(distance, prior, p, seed):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((p, p)) + 2 * np.eye(p)
    direction = rng.standard_normal(p)
    means = 1e6 + np.outer([0, distance / np.linalg.norm(direction)], root @ direction)
    equal = bayes_error(BayesClassifier(means, root @ root.T))
    assert (equal.method, equal.standard_error) == ("closed form", 0.0)
    assert_allclose(equal.value, norm.cdf(-distance / 2), rtol=1e-5)
    unequal = bayes_error(BayesClassifier(means, root @ root.T, [1 - prior, prior]))
    log_odds = np.log((1 - prior) / prior)
    expected = (1 - prior) * norm.cdf(-distance / 2 - log_odds / distance)
    expected += prior * norm.cdf(-distance / 2 + log_odds / distance)
    assert_allclose(unequal.value, expected, rtol=1e-5)


@pytest.mark.parametrize(
    "loss", [None, [[0, 1], [10, 0]], [[1, 2], [3, 0.5]], [[0, 1], [1, 2]], [[2, 1], [1, 2]]]
)
def test_the_closed_form_is_the_result_of_quadrature_and_counting(loss):
    for distance, prior in ((1.5, 0.0), (1.5, 0.2), (1.5, 1.0), (0.0, 0.2)):
        for p in (1, 3):
            means = np.zeros((2, p))
            means[1, 0] = distance
            truth = BayesClassifier(means, np.eye(p), [1 - prior, prior], loss=loss)
            exact = bayes_error(truth)
            assert exact.method == "closed form"
            rule = truth.fit(means, [0, 1])
            found = expected_loss(rule, truth, standard_error=1e-3)
            assert found.method.startswith("quadrature" if p == 1 else "Monte Carlo with")
            assert abs(found.value - exact.value) <= 4 * found.standard_error + 1e-12


@pytest.mark.parametrize("loss", [None, LOSS])
@pytest.mark.parametrize("p", [1, 2])
def test_quadrature_is_what_counting_finds(p, loss):
    truth = three(p, seed=2)
    model = fitted(*truth, loss=loss)
    found = bayes_error(model)
    assert (found.method, found.standard_error) == ("quadrature", 0.0)
    costs = 1 - np.eye(3) if loss is None else loss
    value, error = loss_by_counting(model.predict, *truth, costs, 200_000)
    assert abs(found.value - value) < 4 * error


@pytest.mark.long
def test_quadrature_is_a_fine_grid():
    means, covariances, priors = three(seed=3)
    axis, step = np.linspace(-14, 14, 2001, retstep=True)
    total = 0.0
    for x in axis:
        joint = joint_densities(means, covariances, priors, np.column_stack([x + 0 * axis, axis]))
        total += (joint.sum(axis=1) - joint.max(axis=1)).sum() * step**2
    assert_allclose(
        bayes_error(BayesClassifier(means, covariances, priors)).value, total, atol=1e-6
    )


@pytest.mark.parametrize("deviation", [1e-2, 1e-4, 1e-6])
def test_quadrature_finds_a_class_that_is_very_narrow(deviation):
    # Within the narrow class's bounds the wide one is flat: an exact integral in polar form.
    covariances = np.array([np.eye(2), deviation**2 * np.eye(2)])
    found = bayes_error(BayesClassifier(np.zeros((2, 2)), covariances, [0.9, 0.1])).value
    # The boundary is a circle: r² (1/s² - 1) = 2 log(0.1 / (0.9 s²)).
    square = 2 * np.log(0.1 / 0.9 / deviation**2) / (deviation**-2 - 1)
    expected = 0.9 * -np.expm1(-square / 2) + 0.1 * np.exp(-square / 2 / deviation**2)
    assert_allclose(found, expected, atol=1e-8)


def test_monte_carlo_stops_at_the_standard_error_and_is_the_closed_form_within_it():
    means, _, priors = three(6)
    truth = BayesClassifier(means, np.eye(6), priors)
    exact = bayes_error(truth)  # three means span a plane
    assert exact.method == "quadrature"
    rule = truth.fit(means, np.arange(len(means)))
    for wanted in (1e-3, 3e-4):
        found = expected_loss(rule, truth, standard_error=wanted)
        assert 0 < found.standard_error <= wanted
        assert abs(found.value - exact.value) < 4 * found.standard_error
        assert found == expected_loss(rule, truth, standard_error=wanted)
        assert found != expected_loss(rule, truth, standard_error=wanted, seed=1)
    beyond = bayes_error(BayesClassifier(*three(3)), standard_error=1e-3)
    assert beyond.method.startswith("Monte Carlo with")


@given(st.integers(0, 1000))
@settings(deadline=None, max_examples=3)
def test_the_error_does_not_depend_on_units_offsets_or_the_order_of_classes(seed):
    means, covariances, priors = three(seed=seed)
    plain = bayes_error(BayesClassifier(means, covariances, priors)).value
    assert 0 <= plain <= 1 - priors.max() + 1e-12
    units = np.array([1e-8, 1e8])
    scaled = BayesClassifier(means * units, covariances * np.outer(units, units), priors)
    assert_allclose(bayes_error(scaled).value, plain, atol=1e-6)
    moved = BayesClassifier(np.round(means, 6) - 1e6, covariances, priors)
    assert_allclose(bayes_error(moved).value, plain, atol=1e-6)
    turned = BayesClassifier(means[::-1], covariances[::-1], priors[::-1])
    assert_allclose(bayes_error(turned).value, plain, atol=1e-6)


def test_a_direction_in_which_nothing_varies_is_left_out():
    means, covariances, priors = three()
    A = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, -1.0, 0.0]])  # a sum, and a constant
    X = np.random.default_rng(0).standard_normal((30, 2)) * 2
    plain, wide = (
        fitted(means, covariances, priors),
        BayesClassifier(means @ A + 1e3, A.T @ covariances @ A, priors).fit(
            means @ A + 1e3, [0, 1, 2]
        ),
    )
    assert_allclose(wide.predict_proba(X @ A + 1e3), plain.predict_proba(X), rtol=1e-6)
    assert_allclose(bayes_error(wide).value, bayes_error(plain).value, atol=1e-8)


@pytest.mark.parametrize("p", [1, pytest.param(2, marks=pytest.mark.long), 3])
def test_the_true_parameters_plugged_in_have_no_regret(p):
    means, covariances, priors = three(p)
    truth = BayesClassifier(means, covariances, priors)
    qda = plug_in(QuadraticDiscriminantAnalysis(), means, covariances, priors)
    assert regret(qda, truth, standard_error=1e-3).value < 1e-12
    shared = covariances[:1].repeat(3, axis=0)
    lda = plug_in(LinearDiscriminantAnalysis(), means, shared, priors)
    one = BayesClassifier(means, shared[0], priors)
    assert regret(lda, one, standard_error=1e-3).value < 1e-12
    lda_there = regret(lda, truth, standard_error=1e-3)
    assert lda_there.value > 1e-4
    assert regret(fitted(means, covariances, priors), truth, standard_error=1e-3).value == 0


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        (LinearDiscriminantAnalysis(), LOSS),
        pytest.param(QuadraticDiscriminantAnalysis(), None, marks=pytest.mark.long),
        pytest.param(OneVsRest(LinearDiscriminantAnalysis()), LOSS, marks=pytest.mark.long),
        pytest.param(DecisionTreeClassifier(max_depth=3), None, marks=pytest.mark.long),
    ],
    ids=lambda m: type(m).__name__,
)
def test_regret_is_the_difference_of_true_losses(model, loss):
    data = sample("gaussian")
    model = clone(model).fit(data.X, data.y)
    parameters = data.truth.means, data.truth.covariances, data.truth.priors
    truth = BayesClassifier(*parameters, loss=loss)
    lost = expected_loss(model, truth, standard_error=2e-3)
    excess = regret(model, truth, standard_error=2e-3)
    noise = 4 * np.hypot(lost.standard_error, excess.standard_error)
    assert_allclose(excess.value, lost.value - bayes_error(truth).value, atol=2e-6 + noise)

    def decide(X):
        return np.searchsorted(data.classes, model.predict(X))

    costs = 1 - np.eye(3) if loss is None else loss
    value, error = loss_by_counting(decide, *parameters, costs, 100_000)
    assert abs(lost.value - value) < 4 * np.hypot(error, lost.standard_error)


@pytest.mark.long
@pytest.mark.parametrize("max_depth", [4, None])
def test_a_jagged_classifier_is_not_said_to_be_known_exactly(max_depth):
    data = sample("gaussian")
    parameters = data.truth.means, data.truth.covariances, data.truth.priors
    model = DecisionTreeClassifier(max_depth=max_depth, random_state=0).fit(data.X, data.codes)
    found = expected_loss(model, BayesClassifier(*parameters), standard_error=1e-3)
    value, error = loss_by_counting(model.predict, *parameters, 1 - np.eye(3), 100_000)
    assert abs(found.value - value) < 4 * np.hypot(error, found.standard_error)
    if max_depth is None:
        assert 0 < found.standard_error <= 1e-3


def test_a_hundred_classes_and_one_feature():
    means = np.arange(100.0)[:, None]
    found = bayes_error(BayesClassifier(means, [[0.01]]))
    # All but the two at the ends overlap on both sides.
    assert_allclose(found.value, 2 * 0.99 * norm.cdf(-5), atol=1e-9)
    shapes = np.linspace(0.01, 0.02, 100)[:, None, None]
    model = fitted(1e6 + means, shapes)
    assert_array_equal(model.predict(1e6 + means), np.arange(100))


def test_far_rows_have_finite_scores():
    model = fitted(*three(), loss=LOSS)
    X = np.array([[1e6, -1e6], [1e8, 1e8]])
    for values in (model.decision_function(X), model.predict_proba(X), model.risk(X)):
        assert np.isfinite(values).all()
    sure = fitted([[0.0], [1.0]], [[1.0]], [1.0, 0.0])
    assert np.isfinite(sure.decision_function([[0.0], [1e3]])).all()
    assert_array_equal(sure.predict([[0.0], [1e3]]), 0)


@pytest.mark.parametrize("convert", [np.float32, np.uint8, np.asfortranarray])
def test_kinds_of_rows(convert):
    model = fitted([[10.0, 20.0], [30.0, 25.0]], 20 * np.eye(2))
    X = np.random.default_rng(0).integers(0, 50, (40, 2)).astype(float)
    rows = convert(X) if convert is np.asfortranarray else X.astype(convert)
    assert_array_equal(model.predict_proba(rows), model.predict_proba(X))


E2 = np.eye(2)


@pytest.mark.parametrize(
    ("parameters", "options", "message"),
    [
        (([0.0, 1.0], E2), {}, "means must be finite"),
        (([[0.0, 1.0]], E2), {}, "K >= 2"),
        (([[0, 1], [1, np.nan]], E2), {}, "means must be finite"),
        (([[0, 1], [1, 0]], np.eye(3)), {}, "covariances must be finite, of shape"),
        (([[0, 1], [1, 0]], [[1, 0.5], [0, 1]]), {}, "class 0 is not symmetric"),
        (([[0, 1], [1, 0]], [[1, 2], [2, 1]]), {}, "not positive semidefinite"),
        (([[0, 1], [1, 0]], [[-1e-20, 0], [0, 1]]), {}, "not positive semidefinite"),
        (([[0, 1], [1, 0]], 0 * E2), {}, "No feature varies"),
        (([[0, 1], [1, 0]], [[1, 0], [0, 0]]), {}, "separated without error"),
        (([[0, 1], [1, 1]], [E2, [[1, 0], [0, 0]]]), {}, "class 1 is singular"),
        (([[0, 1], [1, 0]], E2, [0.5, 0.6]), {}, "sum to 1"),
        (([[0, 1], [1, 0]], E2), {"loss": [[0, -1], [1, 0]]}, "loss must be"),
        (([[0, 1], [1, 0]], E2), {"loss": [0, 1]}, "loss must be"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(parameters, options, message):
    truth = BayesClassifier(*parameters, **options)
    with pytest.raises(ValueError, match=message):
        bayes_error(truth)
    with pytest.raises(ValueError, match=message):
        truth.fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])


def test_what_else_does_not_fit_is_said():
    truth = BayesClassifier([[0.0], [1.0]], [[1.0]])
    with pytest.raises(ValueError, match="2 classes and 1 features, but the rows have 2"):
        truth.fit([[0.0, 1.0], [1.0, 1.0]], [0, 1])
    with pytest.raises(ValueError, match="knows 3 classes, the truth has 2"):
        regret(LinearDiscriminantAnalysis().fit([[0.0], [1], [2], [3]], [0, 1, 1, 2]), truth)
    with pytest.raises(ValueError, match="standard_error must be positive"):
        expected_loss(truth.fit([[0.0], [1.0]], [0, 1]), truth, standard_error=0)


ASKED = ("predict", "predict_proba", "decision_function", "risk")


def test_it_is_not_fitted_before_fit():
    for method in ASKED:
        with pytest.raises(NotFittedError):
            getattr(BayesClassifier([[0.0], [1.0]], [[1.0]]), method)([[0.0]])


def test_the_part_of_scikit_learns_suite_that_brings_no_rows_of_its_own():
    # The rest fits on rows of 2 to 20 features, of which the given means know nothing.
    for check in (
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_estimator_tags_renamed,
        estimator_checks.check_valid_tag_types,
    ):
        check("BayesClassifier", BayesClassifier([[0.0], [1.0]], [[1.0]]))


def test_rows_whose_squares_overflow_are_refused():
    model = BayesClassifier([[0.0, 0.0], [2.0, 1.0]], np.eye(2)).fit(
        [[0.0, 0.0], [1.0, 1.0]], [0, 1]
    )
    for method in ASKED:
        for value in (1e151, -1e160, 1e307):
            with pytest.raises(ValueError, match="more than 1e150 deviations from the classes"):
                getattr(model, method)([[0.0, 0.0], [value, 1.0]])
        assert np.isfinite(getattr(model, method)([[0.0, 0.0], [1e140, 1.0]])).all()
