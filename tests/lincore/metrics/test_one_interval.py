"""One quantity on the same rows has one value and one interval, and its rule has a name."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest

import lincore
from lincore import Results, metrics, prediction, report
from lincore.data import Split
from lincore.metrics import Settings
from lincore.model_selection import plan_folds


def judged(right, truth, counts=None, **settings):
    """Return one method on a test set of two classes, right on some rows."""
    right, truth = np.asarray(right), np.asarray(truth)
    return Results(
        ("m",), np.array(["a", "b"]), np.arange(len(truth)), truth,
        np.where(right, truth, 1 - truth)[None], np.full((1, len(truth), 2), np.nan), np.zeros(1),
        settings=Settings(class_counts=counts, **settings),
    )  # fmt: skip


@pytest.mark.parametrize("counts", [None, np.array([160, 80])])
def test_the_accuracy_of_one_stratified_test_set_has_wilsons_interval(counts):
    truth = np.repeat([0, 1], [48, 24])
    found = metrics.score(judged(np.arange(72) >= 42, truth, counts), "m", "accuracy")
    ends = binomtest(30, 72).proportion_ci(method="wilson")
    assert_allclose(found, [30 / 72, *ends])


def grouped():
    """Return data of twelve groups on a test set that no shares explain, and their split."""
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(40), 6)
    codes = rng.permutation(np.arange(240) % 3 % 2)
    X = codes[:, None] * 0.8 + rng.normal(size=(40, 2))[groups] + 0.4 * rng.normal(size=(240, 2))
    return replace(lincore.load((X, codes)), groups=groups)


def weighted():
    rng = np.random.default_rng(5)
    codes = np.arange(150) % 3 % 2
    X = codes[:, None] + rng.normal(size=(150, 2))
    return lincore.load((X, codes), weights=1 + np.arange(150) % 4)


def stratified():
    rng = np.random.default_rng(6)
    codes = np.repeat([0, 1], [162, 54])
    return lincore.load((0.9 * codes[:, None] + rng.normal(size=(216, 2)), codes))


def one_split(data):
    """Return the hold-out that the data ask for."""
    scheme = "holdout" if data.groups is None else "holdout by group"
    fold = plan_folds(data, scheme, seed=1)[0]
    return Split(fold.train, fold.test)


@pytest.mark.parametrize("make", [grouped, weighted, stratified])
def test_the_test_set_has_the_scores_of_the_comparison_where_it_is_predicted(make):
    data = make()
    split = one_split(data)
    compared = lincore.compare(data, "lda", split, keep_models=False)
    model = lincore.compare(data.take(split.train), "lda", keep_models=True).model("lda")
    found = prediction.predict(model, prediction.TestSet(data, split)).results()
    assert metrics.leading_score(found.class_counts) == metrics.leading_score(compared.class_counts)
    for name in metrics.SCORES:
        one, other = metrics.score(compared, "lda", name), metrics.score(found, "LDA", name)
        assert_allclose(other, one, err_msg=name)
    assert found.pairwise().scope() == compared.pairwise().scope()
    assert report.baseline_finding(found, "LDA") == report.baseline_finding(compared, "lda")


def test_groups_of_a_data_set_that_is_predicted_count_as_groups():
    data = grouped()
    model = lincore.compare(data, "lda", keep_models=True).model("lda")
    wide = prediction.predict(model, data).results()
    narrow = prediction.predict(model, replace(data, groups=None)).results()
    one, other = (metrics.score(found, "LDA", "accuracy") for found in (wide, narrow))
    assert one.value == other.value and one.high - one.low > 1.1 * (other.high - other.low)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("accuracy", "Wilson"),
        ("balanced accuracy", "Price–Bonett"),
        ("macro F1", "Price–Bonett, linearised"),
        ("MCC", "Price–Bonett, linearised"),
        ("AUC", "DeLong, with two rows added"),
        ("log loss", "Student’s t on a log scale"),
    ],
)
def test_the_caption_names_the_rule_that_was_used(name, rule):
    results = judged(np.arange(40) >= 6, np.arange(40) % 2)
    p = np.random.default_rng(0).uniform(0.2, 0.8, (1, 40, 1))  # AUC and log loss need posteriors
    results = replace(results, log_proba=np.log(np.concatenate([p, 1 - p], axis=2)))
    assert report.interval_method(results, name).startswith(f"95 % intervals: {rule}.")
    together = replace(results, settings=Settings(row_groups=np.arange(40) // 4))
    found = report.interval_method(together, name)
    assert "groups" in found and ("Wilson" in found) == (name == "accuracy")


def test_the_caption_of_several_scores_says_which_has_which_rule():
    results = judged(np.arange(40) >= 6, np.arange(40) % 2)
    assert report.interval_method(results, "balanced accuracy", "MCC", "accuracy") == (
        "95 % intervals: balanced accuracy by Price–Bonett; MCC by Price–Bonett, linearised; "
        "accuracy by Wilson."
    )
