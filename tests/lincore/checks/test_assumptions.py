"""Checks of assumptions: right by construction, calibrated under the null, quick on images."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import bartlett, binom, norm
from sklearn.pipeline import Pipeline
from statsmodels.stats.multivariate import test_cov_oneway as known_box_m

import lincore
from lincore.checks import ASSUMPTIONS, Check, assumption_inputs, assumptions, henze_zirkler
from lincore.displays import AssumptionsDisplay

NAMES = np.array(["a", "b", "c"])


def two_classes(sizes=(200, 200), p=3, ratio=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], sizes)
    return rng.standard_normal((len(y), p)) * np.where(y == 1, ratio, 1.0)[:, None], y


def checked(name, X, y, classes=NAMES[:2], *, model=None):
    """Return one of the checks of some rows."""
    (found,) = (one for one in assumptions(X, y, classes, model=model) if one.name == name)
    return found


normality = partial(checked, "normality", model="naive-bayes")
equal_covariances = partial(checked, "equal covariances", model="diagonal-lda")
conditioning = partial(checked, "conditioning", model="least-squares")
separability = partial(checked, "separation", model="logistic")


def at_most(level, n):
    """Return how many rejections of n chance allows once in ten thousand runs."""
    return binom.isf(1e-4, n, level)


# Normality


def test_henze_zirkler_and_mardia_agree_with_the_r_package_mvn():
    """Iris setosa in MVN: HZ 0.9488453, p 0.04995356; Mardia's b1 3.079721, b2 26.53766."""
    X = lincore.sample("iris").X[:50]
    found = henze_zirkler(X)
    assert found.statistic == pytest.approx(0.9488453, abs=1e-7)
    assert found.p_value == pytest.approx(0.04995356, abs=1e-7)
    expected = 4 * 6 * (51 * 5 - 6) / (51 * 53)
    assert found.skewness == pytest.approx(np.sqrt((3.079721 - expected) / 4), abs=1e-6)
    assert found.kurtosis == pytest.approx(26.53766 / 24 * 51 / 49 - 1, abs=1e-6)


def slow_henze_zirkler(X):
    """Return the statistic by loops, from the formulae as they are printed."""
    n, p = X.shape
    inverse = np.linalg.inv(np.cov(X.T, ddof=0).reshape(p, p))
    beta = ((2 * p + 1) * n / 4) ** (1 / (p + 4)) / np.sqrt(2)
    total = 0.0
    for x in X:
        for z in X:
            total += np.exp(-(beta**2) / 2 * (x - z) @ inverse @ (x - z)) / n
        from_mean = (x - X.mean(0)) @ inverse @ (x - X.mean(0))
        total -= (
            2 * (1 + beta**2) ** (-p / 2) * np.exp(-(beta**2) / (2 * (1 + beta**2)) * from_mean)
        )
    return total + n * (1 + 2 * beta**2) ** (-p / 2)


@pytest.mark.parametrize("p", [1, 2, 5])
def test_henze_zirkler_agrees_with_its_formula_and_is_affine_invariant(p):
    rng = np.random.default_rng(p)
    X = rng.gamma(2.0, size=(30, p))
    found = henze_zirkler(X)
    assert found.statistic == pytest.approx(slow_henze_zirkler(X), rel=1e-9)
    mapped = henze_zirkler(X @ rng.standard_normal((p, p)) * 1e3 + 1e5)
    assert_allclose(mapped, found, rtol=1e-5)


@pytest.mark.long
@pytest.mark.parametrize(("n", "p"), [(30, 1), (40, 4), (60, 20)])
def test_normal_rows_are_rarely_called_anything_else(n, p):
    rng = np.random.default_rng(n)
    p_values = np.array([henze_zirkler(rng.standard_normal((n, p))).p_value for _ in range(300)])
    assert (p_values < 0.05).sum() <= at_most(0.07, 300)
    assert (p_values < 0.05).sum() >= 3  # nor does it always say yes
    assert (p_values < 0.001).sum() <= at_most(0.005, 300)


def test_skewness_and_kurtosis_are_those_of_the_distribution():
    rng = np.random.default_rng(0)
    exponential = henze_zirkler(rng.exponential(size=(2000, 2)))
    assert exponential.skewness == pytest.approx(2.0, abs=0.3)
    uniform = henze_zirkler(rng.uniform(size=(2000, 1)))
    assert uniform.kurtosis == pytest.approx(-1.2 / 3, abs=0.03)


def test_a_skewed_class_is_named_and_a_small_deviation_in_many_rows_is_let_pass():
    X, y = two_classes((300, 300))
    X[y == 1] = np.exp(X[y == 1])
    found = normality(X, y, NAMES[:2])
    assert found.verdict == "warning"
    assert "'b' are not normal" in found.sentence
    assert "skewed" in found.sentence
    assert found.remedy
    rng = np.random.default_rng(1)
    some = normality(rng.gamma(11, size=(1400, 1)), np.zeros(1400, dtype=int), NAMES[:1])
    assert some.verdict == "note" and 0.5 < some.values["skewness"] < 1
    flat = normality(rng.uniform(size=(1400, 1)), np.zeros(1400, dtype=int), NAMES[:1])
    assert flat.verdict == "warning" and "tails lighter" in flat.sentence
    mild = norm.ppf(rng.uniform(0.02, 0.98, (1400, 1)))  # tails cut off
    surely = normality(mild, np.zeros(1400, dtype=int), NAMES[:1])
    assert surely.values["p_value"] < 0.05 or surely.verdict == "fine"


def test_between_class_differences_are_no_departure_from_normality():
    X, y = two_classes((300, 300))
    assert normality(X + 100 * y[:, None], y, NAMES[:2]).verdict == "fine"


def test_normality_says_that_it_sampled_and_that_it_cannot():
    rng = np.random.default_rng(0)
    large = normality(rng.standard_normal((4000, 2)), np.zeros(4000, dtype=int), NAMES[:1])
    assert "at most 1,500 rows per class, drawn at random" in large.sentence
    wide = normality(rng.standard_normal((20, 30)), np.arange(20) % 2, NAMES[:2])
    assert "cannot be tested" in wide.sentence
    flat = np.column_stack([rng.standard_normal(50), np.ones(50)])
    assert "cannot be tested" in normality(flat, np.arange(50) % 2, NAMES[:2]).sentence


# Equal covariances


def test_box_m_is_statsmodels_and_bartletts():
    rng = np.random.default_rng(3)
    count = np.array([40, 25, 90])
    y = np.repeat([0, 1, 2], count)
    X = rng.standard_normal((len(y), 4))
    found = equal_covariances(X, y, NAMES).values
    known = known_box_m([np.cov(X[y == k].T) for k in range(3)], count.tolist())
    assert_allclose(found["M"], known.statistic_base, rtol=1e-10)
    assert_allclose(found["p_value"], known.pvalue, rtol=1e-10)
    # Of one coordinate, where statsmodels (0.15) has the wrong sign: Bartlett's test.
    one = [rng.standard_normal(n) * (1 + n / 90) for n in count]
    found = equal_covariances(np.concatenate(one)[:, None], y, NAMES).values
    assert_allclose(found["p_value"], bartlett(*one).pvalue, rtol=0.01)
    far = np.array([0.0, 1.0, -1.0, 2.0, -2.0])
    found = equal_covariances(np.append(far, 1e-15 * far)[:, None], np.repeat([0, 1], 5))
    assert found.values["p_value"] == 0


@pytest.mark.long
@pytest.mark.parametrize(("sizes", "p"), [((20, 40, 60), 2), ((60, 60, 60), 15), ((12, 12, 12), 3)])
def test_equal_covariances_are_rarely_called_unequal(sizes, p):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], sizes)
    p_values = np.array(
        [
            equal_covariances(rng.standard_normal((len(y), p)), y, NAMES).values["p_value"]
            for _ in range(200)
        ]
    )
    assert 1 <= (p_values < 0.05).sum() <= at_most(0.06, 200)
    assert (p_values < 0.001).sum() <= at_most(0.003, 200)


@pytest.mark.parametrize("ratio", [1.5, 2.0, 4.0])
@pytest.mark.parametrize("p", [1, 2, 8])
def test_the_effect_is_the_ratio_of_the_deviations(ratio, p):
    X, y = two_classes((4000, 4000), p, ratio)
    found = equal_covariances(X, y, NAMES[:2])
    assert found.values["ratio"] == pytest.approx(ratio, rel=0.05)
    assert found.verdict in {1.5: ["note"], 2.0: ["note", "warning"], 4.0: ["warning"]}[ratio]
    assert "'b' is the widest class, 'a' the narrowest" in found.sentence
    assert "QDA" in found.remedy


def test_a_sure_but_small_difference_is_fine():
    X, y = two_classes((20_000, 20_000), 2, 1.1)
    found = equal_covariances(X, y, NAMES[:2])
    assert found.values["p_value"] < 1e-6
    assert found.verdict == "fine"
    assert "little" in found.sentence


def test_box_does_not_depend_on_units_or_rotation():
    X, y = two_classes((50, 80), 4, 1.4)
    rng = np.random.default_rng(0)
    mapped = X @ rng.standard_normal((4, 4)) * [1e-6, 1, 1e3, 1e6] + 50
    before, after = (equal_covariances(rows, y, NAMES[:2]).values for rows in (X, mapped))
    assert after["M"] == pytest.approx(before["M"], rel=1e-8)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.zeros((4, 2)), [0, 0, 0, 0], "only one class"),
        (np.random.default_rng(0).standard_normal((12, 9)), [0, 1] * 6, "6 rows for 9 coordinates"),
        (np.random.default_rng(0).standard_normal((9, 2)), [0] * 8 + [1], "1 row for 2"),
        (np.column_stack([np.arange(60.0), np.arange(60.0) % 2]), [0, 1] * 30, "is singular"),
        (np.random.default_rng(0).standard_normal((700, 301)), [0, 1] * 350, "too many"),
    ],
)
def test_what_cannot_be_compared_is_said_plainly(X, y, words):
    found = equal_covariances(X, np.array(y), NAMES[:2])
    assert found.verdict == "note"
    assert words in found.sentence


# Conditioning, rows, separation


def test_condition_is_that_of_the_correlations_within_classes():
    X, y = two_classes((500, 500), 2)
    X[:, 1] = X[:, 0] + 0.01 * X[:, 1]
    correlation = np.corrcoef(X.T)[0, 1]
    found = conditioning(X * [1e5, 1.0] + 1e3 * y[:, None], y)
    assert found.values["condition"] == pytest.approx((1 + correlation) / (1 - correlation), 0.02)
    assert found.verdict == "note"
    assert conditioning(*two_classes((500, 500), 2)).verdict == "fine"
    X[:, 1] = X[:, 0] + 1e-6 * X[:, 1]
    assert conditioning(X, y).verdict == "note"
    assert checked("conditioning", X, y, model="qda").verdict == "warning"


def test_singular_covariances_are_warned_of():
    X, y = two_classes((50, 50), 3)
    X[:, 2] = X[:, 0] - X[:, 1]
    assert conditioning(X, y).values["rank"] == 2
    assert conditioning(X, y).verdict == "note"
    assert checked("conditioning", X, y, model="qda").verdict == "warning"
    assert "span fewer directions" in conditioning(X[:3], y[:3]).sentence


def test_many_features_are_sampled_and_that_is_said(monkeypatch):
    monkeypatch.setattr("lincore.checks._covariances.DECOMPOSED", 50)
    X = np.random.default_rng(0).standard_normal((140, 60))
    assert "of 50 features drawn at random" in conditioning(X, np.arange(140) % 2).sentence


@pytest.mark.parametrize(
    ("counts", "p", "verdict"),
    [
        ((50, 50), 5, "fine"),
        ((17, 80), 8, "fine"),
        ((16, 80), 8, "note"),
        ((17, 50), 8, "note"),  # 0.75 rows per parameter of QDA
        ((10, 10), 18, "note"),
        ((10, 10), 19, "warning"),
    ],
)
def test_rows_per_parameter(counts, p, verdict):
    y = np.repeat([0, 1], counts)
    found = checked("rows per parameter", np.zeros((len(y), p)), y, model=None)
    assert found.verdict == verdict
    n = sum(counts)
    assert found.values["QDA"] == pytest.approx(n / (2 * (p + p * (p + 1) / 2) + 1))
    assert found.values["Logistic regression"] == pytest.approx(n / (p + 1))
    assert found.values["LDA"] == pytest.approx(n / (2 * p + 1 + p * (p + 1) / 2))
    assert found.values["Naive Bayes"] == pytest.approx(n / (4 * p + 1))


@pytest.mark.parametrize("copies", [1, 4000])  # by the linear programme, and by least squares
def test_separated_classes_are_noticed(copies):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20 * copies)
    corners = 100 * np.eye(3)
    apart = corners[y] + rng.standard_normal((len(y), 3))
    found = separability(apart, y)
    assert found.verdict == "note"
    assert found.values["separated"] == 1
    assert "finite C" in found.remedy
    together = separability(rng.standard_normal((len(y), 3)), y)
    assert together.verdict == "fine"
    assert together.values["separated"] != 1


def test_more_features_than_rows_are_separated_in_the_row_space():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    assert separability(rng.standard_normal((200, 1000)), y).values["separated"] == 1


# All together


def test_assumptions_of_what_a_classifier_sees():
    data = lincore.sample("wine")
    rows = lincore.split(data).train
    model = lincore.LinearDiscriminantAnalysis()
    pipeline = Pipeline([("pca", lincore.PCA(2)), ("classify", model)])
    pipeline.fit(data.X[rows], data.codes[rows])
    checks = assumptions(*assumption_inputs(pipeline, data, rows))
    assert len({check.name for check in checks}) == len(checks) == 5
    assert all(check.sentence.endswith(".") for check in checks)
    assert all(check.remedy for check in checks if check.verdict != "fine")
    assert "2 coordinates" in checks[0].sentence


@pytest.mark.parametrize("model", ASSUMPTIONS)
def test_only_what_a_model_assumes_is_checked(model):
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 60)
    X = rng.lognormal(sigma=2, size=(120, 3)) + y[:, None]
    checks = assumptions(X, y, NAMES[:2], model=model)
    assert tuple(check.name for check in checks) == ASSUMPTIONS[model]
    gaussian = model in ("lda", "diagonal-lda", "qda", "naive-bayes")
    assert ("normality" in ASSUMPTIONS[model]) == gaussian
    assert (
        any(check.name == "normality" and check.verdict != "fine" for check in checks) == gaussian
    )


def test_a_perceptron_is_told_whether_it_can_converge():
    y = np.repeat([0, 1], 30)
    X = np.random.default_rng(0).normal(size=(60, 2))
    (_, apart), (_, mixed) = (
        assumptions(rows, y, NAMES[:2], model="perceptron") for rows in (X + 9 * y[:, None], X)
    )
    assert (apart.verdict, mixed.verdict) == ("fine", "note")
    assert "pocket" in mixed.remedy


def told(*checks):
    """Return the display of checks, as if they were those of a model."""
    return AssumptionsDisplay(lincore.fit(lincore.sample("iris"), "lda"), checks)


def test_words_of_checks():
    checks = [
        Check("normality", {}, "fine", "A."),
        Check("separation", {}, "note", "B.", "C."),
        Check("conditioning", {}, "warning", "D.", "E."),
        Check("equal covariances", {}, "note", "F.", "G."),
    ]
    assert told(*checks).finding() == (
        "Warning: conditioning. Worth knowing: separation and equal covariances. "
        "The other check is fine."
    )
    assert told(*checks).frame()["Verdict"].tolist() == [
        "warning",
        "note",
        "note",
        "fine",
    ]
    assert told(checks[0]).finding() == "No checked assumption is rejected."
