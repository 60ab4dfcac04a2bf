"""Results and their scores: every number from one object, and each against its definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics as referee
from sklearn.svm import LinearSVC
from statsmodels.stats.proportion import proportion_confint

import lincore
from lincore import Results, metrics, report
from lincore.imbalance import log_loss_in_deployment
from lincore.metrics import (
    Settings,
    adjust_priors,
    baseline_scores,
    find_sampling_units,
    groups,
    missing_score_reason,
    pairwise_differences,
    rank_methods,
    score_table,
)


def some_results(seed=0, m=40, n_classes=3, n_methods=2):
    rng = np.random.default_rng(seed)
    log_proba = np.log(rng.dirichlet(np.ones(n_classes), (n_methods, m)))
    return Results(
        methods=tuple(f"method {i}" for i in range(n_methods)),
        classes=np.array([f"class {k}" for k in range(n_classes)]),
        rows=np.arange(m),
        truth=rng.integers(0, n_classes, m),
        predicted=log_proba.argmax(axis=2),
        log_proba=log_proba,
        seconds=np.full(n_methods, 0.5),
    )


def folded(results, k, r, seed=0, n_train=True):
    """Return results as if the rows had been predicted r times in k folds (or in one test set)."""
    rng = np.random.default_rng(seed)
    n = len(results.rows) // r
    fold = np.concatenate([rng.permutation(np.arange(n) % k) for _ in range(r)])
    kept = slice(0, n * r)
    return replace(
        results, rows=np.tile(np.arange(n), r), truth=np.tile(results.truth[:n], r), fold=fold,
        predicted=results.predicted[:, kept], log_proba=results.log_proba[:, kept],
        repetition=np.repeat(np.arange(r), n),
        n_train=np.full(n * r, n - n // k) if n_train else None,
    )  # fmt: skip


@st.composite
def any_results(draw):
    """Draw one test set, folds, repeated folds or leave-one-out, with classes that are missing."""
    n_classes, r = draw(st.integers(2, 12)), draw(st.sampled_from([1, 1, 2, 3]))
    n = draw(st.integers(1, 40))
    results = some_results(draw(st.integers(0, 1000)), n * r, n_classes)
    present = draw(st.integers(1, n_classes))
    log_proba = results.log_proba.copy()
    if draw(st.booleans()):
        log_proba[1] = np.nan
    if draw(st.booleans()):
        log_proba = np.round(log_proba, 1)  # ties
    predicted = results.predicted % present if draw(st.booleans()) else results.predicted
    results = replace(
        results, truth=results.truth % present, log_proba=log_proba, predicted=predicted
    )
    k = draw(st.integers(1, n))
    if k == 1:
        return replace(results, rows=np.arange(n * r))
    return folded(results, k, r, n_train=draw(st.booleans()))


def ours(results, method, name):
    return metrics.score(results, method, name).value


@settings(max_examples=25)
@given(any_results())
def test_every_number_agrees_with_every_other_and_with_scikit_learn(results):
    everyone, truth = np.arange(len(results.classes)), results.truth
    for i, method in enumerate(results.methods):
        predicted = results.predicted[i]
        counts = metrics.confusion_matrix(results, method)
        expected = referee.confusion_matrix(truth, predicted, labels=everyone)
        assert_array_equal(counts, expected)
        assert_allclose(ours(results, method, "accuracy"), np.trace(counts) / counts.sum())
        recalls = np.array([found.value for found in metrics.recall(results, method)])
        precisions = np.array([found.value for found in metrics.precision(results, method)])
        f1s = np.array(metrics.f1(results, method))
        p, r, f, n = referee.precision_recall_fscore_support(
            truth, predicted, labels=everyone, zero_division=np.nan
        )
        assert_allclose(recalls, r)
        assert_allclose(precisions, p)
        assert_array_equal(np.isnan(recalls), n == 0)
        assert_allclose(ours(results, method, "balanced accuracy"), np.nanmean(recalls))
        assert_allclose(ours(results, method, "macro F1"), np.nanmean(f1s))
        assert_allclose(
            ours(results, method, "macro F1"),
            referee.f1_score(truth, predicted, average="macro", zero_division=0),
        )
        if len(np.union1d(truth, predicted)) > 1:  # else scikit-learn warns, and says 0
            expected = referee.matthews_corrcoef(truth, predicted)
            assert_allclose(ours(results, method, "MCC"), expected, atol=1e-12)
        the_posteriors_agree(results, i, counts)


def the_posteriors_agree(results, i, counts):
    method, truth, everyone = results.methods[i], results.truth, np.arange(len(results.classes))
    if not metrics.has_posteriors(results, method):
        for name in ("log loss", "Brier", "AUC"):
            assert np.isnan(metrics.score(results, method, name)).all()
        for curve in (metrics.roc_curve, metrics.precision_recall_curve):
            with pytest.raises(ValueError, match="no scores to rank rows"):
                curve(results, method)
        with pytest.raises(ValueError, match="without probabilities"):
            metrics.calibration_curve(results, method)
        return
    log_proba = results.log_proba[i]
    losses = -log_proba[np.arange(len(truth)), truth]
    assert_allclose(ours(results, method, "log loss"), losses.mean())
    one_hot = truth[:, None] == everyone
    brier = ((np.exp(log_proba) - one_hot) ** 2).sum(axis=1).mean()
    assert_allclose(ours(results, method, "Brier"), brier / (2 if len(everyone) == 2 else 1))
    areas = []
    rocs, lines = (
        metrics.roc_curve(results, method),
        metrics.precision_recall_curve(results, method),
    )
    for k in everyone:
        inside, right = truth == k, counts[k, k]
        roc, line = rocs[k], lines[k]
        assert_array_equal(roc.operating.y, metrics.recall(results, method)[k].value)
        assert_array_equal(line.operating.x, roc.operating.y)
        assert_array_equal(line.operating.y, metrics.precision(results, method)[k].value)
        if not 0 < inside.sum() < len(truth):
            assert np.isnan(roc.area)
            continue
        areas.append(referee.roc_auc_score(inside, log_proba[:, k]))
        assert_allclose(roc.area, areas[-1])
        assert_allclose(roc.operating.x, (counts[:, k].sum() - right) / (~inside).sum())
        x, y, _ = referee.roc_curve(inside, log_proba[:, k], drop_intermediate=False)
        assert_allclose(roc.false_positive_rate, x)
        assert_allclose(roc.recall, y)
        assert_allclose(line.average, referee.average_precision_score(inside, log_proba[:, k]))
        if len(everyone) == 2 and (results.predicted[i] == log_proba.argmax(axis=1)).all():
            on_curve = np.isclose(roc.false_positive_rate, roc.operating.x)
            ties = np.abs(np.diff(log_proba, axis=1)).min() < 1e-9
            assert np.isclose(roc.recall[on_curve], roc.operating.y).any() or ties
    if find_sampling_units(results).one_fit or find_sampling_units(results).one_row_folds:
        assert_allclose(ours(results, method, "AUC"), np.mean(areas) if areas else np.nan)
    else:
        assert_allclose(ours(results, method, "AUC"), auc_in_folds(results, log_proba))


def auc_in_folds(results, values):
    """Return the mean over classes of scikit-learn's AUC of the folds, weighted by their pairs."""
    folds, found = find_sampling_units(results).folds, []
    for k in range(len(results.classes)):
        inside, areas, n_pairs = results.truth == k, [], []
        for fold in np.unique(folds):
            here = inside[folds == fold]
            if 0 < here.sum() < len(here):
                areas.append(referee.roc_auc_score(here, values[folds == fold, k]))
                n_pairs.append(here.sum() * (~here).sum())
        if areas:
            found.append(np.average(areas, weights=n_pairs))
    return np.mean(found) if found else np.nan


@pytest.mark.parametrize("sample", ["breast cancer", "wine"])
def test_auc_of_decision_scores_is_scikit_learns(sample):
    data = lincore.sample(sample)
    methods = ["least-squares", "fisher", "perceptron"]
    one = lincore.compare(data, [*methods, "lda", LinearSVC()])
    one_hot = one.truth[:, None] == np.arange(data.n_classes)
    for name in one.methods[:3]:
        expected = referee.roc_auc_score(one_hot, one.decision[name], average="macro")
        found = metrics.score(one, name, "AUC")
        assert_allclose(found.value, expected)
        assert 0.85 < found.low <= expected <= found.high <= 1
        assert_allclose(np.mean([curve.area for curve in metrics.roc_curve(one, name)]), expected)
        for k, line in enumerate(metrics.precision_recall_curve(one, name)):
            expected = referee.average_precision_score(one_hot[:, k], one.decision[name][:, k])
            assert_allclose(line.average, expected)
        assert np.isnan(metrics.score(one, name, "log loss").value)
        assert missing_score_reason(one, name, "log loss") == "no posteriors"
    assert list(one.decision) == [name for name in one.methods if name != "lda"]
    assert metrics.score(one, one.methods[-1], "AUC").value > 0.9, (
        "of scikit-learn's classifiers too"
    )
    folds = lincore.compare(data, methods, "5-fold")
    for name in methods:
        assert_allclose(ours(folds, name, "AUC"), auc_in_folds(folds, folds.decision[name]))
        with pytest.raises(ValueError, match="several fits"):
            metrics.roc_curve(folds, name)


def test_scores_of_folds_on_different_scales_are_ranked_within_them():
    """Pooled, the scale of each fit would have decided."""
    truth, fold = np.tile([0, 1], 50), np.arange(100) // 20
    right = np.column_stack([-truth, truth]) * 0.1 + 10.0 ** fold[:, None]
    results = Results(
        ("m",), np.arange(2), np.arange(100), truth, truth[None], np.full((1, 100, 2), np.nan),
        np.zeros(1), fold=fold, decision={"m": right},
    )  # fmt: skip
    assert ours(results, "m", "AUC") == 1
    alone = replace(results, fold=np.arange(100))
    assert (
        np.isnan(ours(alone, "m", "AUC"))
        and missing_score_reason(alone, "m", "AUC") == "one row per fold"
    )


def test_an_auc_over_folds_varies_as_on_one_test_set_of_as_many_rows():
    """A row's pairs are within its fold, but it is as many rows that vary."""
    truth, fold = np.tile([0, 1], 200), np.arange(400) // 40
    values = truth + np.random.default_rng(0).normal(size=400)
    results = Results(
        ("m",), np.arange(2), np.arange(400), truth, truth[None], np.full((1, 400, 2), np.nan),
        np.zeros(1), fold=fold, decision={"m": np.column_stack([-values, values])},
    )  # fmt: skip
    found = metrics.score(results, "m", "AUC")
    areas = [referee.roc_auc_score(truth[fold == f], values[fold == f]) for f in range(10)]
    assert_allclose(found.value, np.mean(areas))
    alone = metrics.score(replace(results, fold=None), "m", "AUC")
    # The training rows of ten folds add a ninth to the variance.
    assert_allclose(found.high - found.low, np.sqrt(10 / 9) * (alone.high - alone.low), rtol=0.05)


@settings(max_examples=30)
@given(any_results())
def test_intervals_hold_their_value_and_stay_on_the_scale(results):
    for method in results.methods:
        for name, kind in metrics.SCORES.items():
            found = metrics.score(results, method, name)
            if np.isnan(found.value):
                assert np.isnan(found).all()
            elif np.isnan(found.low):  # one row, or few of a class, say nothing about others
                said = report.missing_interval_note(results, name, method)
                assert said or len(results.rows) == 1
                assert np.isnan(found.high)
            else:
                assert kind.lowest <= found.low <= found.value <= found.high <= kind.highest
        for found in (*metrics.recall(results, method), *metrics.precision(results, method)):
            assert np.isnan(found).all() or 0 <= found.low <= found.value <= found.high <= 1


@settings(max_examples=8)
@given(st.integers(0, 1000), st.integers(2, 5), st.integers(6, 40))
@example(255, 2, 6)
def test_influence_values_are_derivatives(seed, n_classes, m):
    results = some_results(seed, m, n_classes)
    for name in metrics.SCORES:
        found = metrics.estimate(results, "method 0", name)
        if np.isnan(found.value):  # of one class alone
            assert name == "AUC" and np.ptp(results.truth) == 0
            continue
        assert_allclose(found.influence.sum(), 0, atol=1e-9)
        # A thousand times the sample, with one row once more.
        row, copies = seed % m, 1000
        rows = np.append(np.tile(np.arange(m), copies), row)
        more = replace(
            results, rows=np.arange(len(rows)), truth=results.truth[rows], fold=None,
            predicted=results.predicted[:, rows], log_proba=results.log_proba[:, rows],
            repetition=None, n_train=None,
        )  # fmt: skip
        step = (metrics.estimate(more, "method 0", name).value - found.value) * len(rows)
        assert_allclose(step, found.influence[row], atol=0.02 * (1 + np.abs(found.influence[row])))


def test_rows_that_belong_together_make_wider_intervals():
    results = some_results(m=200)
    pairs = np.arange(200) // 2
    twice = replace(
        results, truth=results.truth[pairs], predicted=results.predicted[:, pairs],
        log_proba=results.log_proba[:, pairs],
    )  # fmt: skip
    grouped = replace(twice, settings=Settings(row_groups=pairs))
    for name in metrics.SCORES:
        alone = metrics.score(twice, "method 0", name)
        together = metrics.score(grouped, "method 0", name)
        assert_allclose(together.value, alone.value)
        ratio = (together.high - together.low) / (alone.high - alone.low)
        assert_allclose(ratio, np.sqrt(2), rtol=0.1)
    wide, narrow = metrics.recall(grouped, "method 0")[0], metrics.recall(twice, "method 0")[0]
    assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low)


def test_the_table_of_scores_holds_each_of_them_once():
    results = some_results()
    lines = score_table(results, (*metrics.SCORES, *metrics.CLASS_SCORES))
    assert not lines.duplicated(["method", "score", "class"]).any()
    assert len(lines) == len(results) * (len(metrics.SCORES) + 3 * len(results.classes))
    by_class = {"recall": metrics.recall, "precision": metrics.precision}
    labels = results.classes.astype(str).tolist()
    for method, name, label, *found in lines.itertuples(index=False):
        if not label:
            assert_array_equal(found, metrics.score(results, method, name))
        elif name == "F1":
            assert_array_equal(found[0], metrics.f1(results, method)[labels.index(label)])
        else:
            assert_array_equal(found, by_class[name](results, method)[labels.index(label)])
    lines["value"] = 0.0
    assert score_table(results)["value"].any(), "what a caller does to a table is not kept"


def test_a_score_does_not_depend_on_the_other_methods():
    results = some_results(n_methods=3)
    alone = results.select("method 2")
    for name in metrics.SCORES:
        assert metrics.score(results, "method 2", name) == metrics.score(alone, "method 2", name)


def test_baselines_guess_from_the_training_shares():
    results = predictions([0, 0, 1, 2], [0, 1, 1, 2])
    assert metrics.majority_baseline_score(results) == 0.5
    given_shares = replace(results, settings=Settings(training_shares=[0.2, 0.7, 0.1]))
    lines = score_table(metrics.baseline_results(given_shares))
    found = lines.set_index(["method", "score"])["value"]
    guess = metrics.majority_baseline_score(given_shares)
    assert found["Majority class", "accuracy"] == guess == 0.25
    expected = -np.log([0.2, 0.2, 0.7, 0.1]).mean()
    assert_allclose(found["Prior only", "log loss"], expected)
    assert found["Prior only", "AUC"] == 0.5
    assert np.isnan(found["Majority class", "log loss"])


def test_no_rows_are_no_scores():
    nothing = predictions(np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    for name in metrics.SCORES:
        assert np.isnan(metrics.score(nothing, "LDA", name)).all()
    assert np.isnan(metrics.recall(nothing, "LDA")).all()


@given(st.integers(0, 300), st.integers(1, 300))
def test_wilsons_interval_is_statsmodels(successes, n):
    successes = min(successes, n)
    truth = np.zeros(n, dtype=int)
    predicted = np.where(np.arange(n) < successes, 0, 1)[None]
    results = Results(
        ("m",), np.arange(2), np.arange(n), truth, predicted, np.zeros((1, n, 2)), np.zeros(1)
    )
    found = metrics.score(results, "m", "accuracy")
    assert_allclose(found[1:], proportion_confint(successes, n, method="wilson"), atol=1e-12)


def test_the_interval_of_the_log_loss_is_nearly_that_of_scipys_bootstrap():
    from scipy.stats import bootstrap

    results = some_results(m=300)
    losses = -results.log_proba[0][np.arange(300), results.truth]
    theirs = bootstrap((losses,), np.mean, method="BCa", rng=1).confidence_interval
    found = metrics.score(results, "method 0", "log loss")
    assert_allclose(found[1:], theirs, rtol=0.03)


@pytest.mark.parametrize(("n_groups", "size"), [(9, 20), (10, 4)])
def test_intervals_of_few_groups_contain_the_accuracy(n_groups, size):
    rng, covered = np.random.default_rng(0), []
    groups, truth = np.repeat(np.arange(n_groups), size), np.arange(n_groups * size) % 2
    for _ in range(400):
        chance = rng.beta(4, 1, n_groups)[groups]  # of a correct prediction, 0.8 on average
        predicted = truth ^ (rng.random(len(truth)) > chance)
        results = Results(
            ("m",), np.arange(2), np.arange(len(truth)), truth, predicted[None],
            np.full((1, len(truth), 2), np.nan), np.zeros(1),
            settings=metrics.Settings(row_groups=groups),
        )  # fmt: skip
        found = [metrics.score(results, "m", "accuracy"), metrics.recall(results, "m")[0]]
        covered.append([one.low <= 0.8 <= one.high for one in found])
    assert (np.mean(covered, axis=0) > 0.92).all()  # 0.84 to 0.89 with the normal quantile


@pytest.mark.parametrize("own", [0.0, 1e-300, 1e-17, 1e-15])
def test_a_class_held_impossible_costs_what_it_costs_in_scikit_learn(own):
    proba = np.array([[1.0 - own, own], [0.5, 0.5]])
    with np.errstate(divide="ignore"):
        log_proba = np.log(proba)[None]
    results = Results(
        ("m",), np.arange(2), np.arange(2), np.array([1, 0]), np.zeros((1, 2), int), log_proba,
        np.zeros(1),
    )  # fmt: skip
    expected = referee.log_loss([1, 0], proba)
    assert_allclose(metrics.score(results, "m", "log loss").value, expected, rtol=1e-14)
    assert_allclose(log_loss_in_deployment(results, "m", [0.5, 0.5]).value, expected, rtol=1e-14)


def test_wilson_is_refused_for_rows_that_occur_repeatedly():
    results = some_results()
    repeated = Results(
        results.methods, results.classes, results.rows % 10, results.truth, results.predicted,
        results.log_proba, results.seconds,
    )  # fmt: skip
    with pytest.raises(ValueError, match="one test set"):
        metrics.score(repeated, "method 0", "accuracy")


def test_shapes_that_do_not_fit_are_refused():
    results = some_results()
    with pytest.raises(ValueError, match="truth has shape"):
        Results(
            results.methods, results.classes, results.rows, results.truth[:-1], results.predicted,
            results.log_proba, results.seconds,
        )  # fmt: skip
    with pytest.raises(KeyError, match="method 0, method 1"):
        metrics.confusion_matrix(results, "other")


def predictions(truth, predicted):
    truth, predicted = np.array(truth), np.array(predicted)
    m = len(truth)
    return Results(
        ("LDA",), np.array(["a", "b", "c"]), np.arange(m), truth, predicted[None],
        np.log(np.full((1, m, 3), 1 / 3)), np.zeros(1),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("predicted", "ending"),
    [
        ([0, 0, 1, 1, 2, 2], "none is misclassified."),
        ([0, 0, 1, 2, 2, 2], "its only error: 'b' predicted as 'c'."),
        ([0, 0, 2, 2, 2, 1], "most errors: 'b' predicted as 'c'."),
        ([1, 2, 2, 2, 0, 2], "the commonest errors: 'b' predicted as 'c'."),
        ([0, 1, 2, 1, 2, 2], "among the commonest errors: 'a' predicted as 'b'."),
    ],
)
def test_the_finding_names_the_largest_confusion(predicted, ending):
    text = report.classification_finding(predictions([0, 0, 1, 1, 2, 2], predicted), "LDA")
    assert text.endswith(ending)


@pytest.mark.parametrize(
    ("truth", "predicted", "beginning"),
    [
        (
            [0, 1, 2] * 20,
            [0, 1, 2] * 20,
            "That is better than always predicting 'a' (accuracy 33.3 %)",
        ),
        ([0, 1, 2] * 20, [1, 2, 0] * 20, "That is worse"),
        (
            [0, 0, 1],
            [0, 0, 0],
            "That is not distinguishable from always predicting 'a' (accuracy 66.7 %; p = 1.000 by",
        ),
    ],
)
def test_the_finding_is_held_against_guessing(truth, predicted, beginning):
    assert report.baseline_finding(predictions(truth, predicted), "LDA").startswith(beginning)


def test_without_an_error_groups_count_and_not_their_rows():
    truth = np.repeat([0, 1], 60)
    certain = np.where(np.eye(2, dtype=bool)[truth], np.log(0.9), np.log(0.1))[None]
    plain = Results(
        ("m",), np.arange(2), np.arange(120), truth, truth[None], certain, np.zeros(1)
    )  # fmt: skip
    tens = replace(plain, settings=Settings(row_groups=np.arange(120) // 10))
    # Six groups of each class were seen, not sixty rows: too few for the balanced accuracy.
    low = proportion_confint(6, 6, method="wilson")[0]
    assert_allclose([interval.low for interval in metrics.recall(tens, "m")], low)
    assert_allclose([interval.low for interval in metrics.precision(tens, "m")], low)
    alone, together = (metrics.score(results, "m", "accuracy").low for results in (plain, tens))
    assert 3 * (1 - alone) < 1 - together
    assert np.isnan(metrics.score(tens, "m", "MCC").low)


def test_one_group_alone_has_no_interval():
    results = replace(some_results(), settings=Settings(row_groups=np.zeros(40)))
    for name in metrics.SCORES:
        found = metrics.score(results, "method 0", name)
        assert np.isfinite(found.value) and np.isnan([found.low, found.high]).all()
    assert np.isnan(metrics.recall(results, "method 0")[0].high)
    pair = pairwise_differences(results)[0]
    assert (
        np.isnan([pair.low, pair.high]).all() and pair.p == 1 and pair.verdict == "not significant"
    )


def test_results_without_a_method_are_an_empty_table():
    results = some_results()
    none = results.select()
    assert list(score_table(none)) == list(score_table(results)) and score_table(none).empty
    assert set(none.scores().table()) < set(results.scores().table())
    assert none.scores().table().empty
    assert pairwise_differences(none) == []
    assert adjust_priors(none, [0.2, 0.3, 0.5], [0.5, 0.3, 0.2]).predicted.shape == (0, 40)


def imbalanced(*predicted, labels=("LDA", "Fisher", "Least squares")):
    """Return results of 360 rows "common" and 40 "rare", from predicted codes (400,) each."""
    truth = np.repeat([0, 1], [360, 40])
    return Results(
        labels[: len(predicted)], np.array(["common", "rare"]), np.arange(400), truth,
        np.array(predicted), np.full((len(predicted), 400, 2), np.nan), np.zeros(len(predicted)),
    )  # fmt: skip


ALWAYS = np.zeros(400, int)
#: 120 false alarms, 36 of the 40 rare rows found: accuracy 69 %, balanced accuracy 78.3 %.
FINDS_RARE = np.where(np.arange(400) < 120, 1, np.repeat([0, 1], [364, 36]))


def test_balanced_accuracy_leads_where_classes_are_unequal():
    results = imbalanced(ALWAYS, FINDS_RARE)
    assert (
        metrics.score(results, "LDA", "accuracy").value
        == 0.9
        > metrics.score(results, "Fisher", "accuracy").value
    )
    assert rank_methods(results).methods == ("Fisher", "LDA")
    assert groups(results) == {"LDA": 2, "Fisher": 1}
    assert results.scores().table().columns[2] == "balanced accuracy (%)"
    assert baseline_scores(results) == {"Majority class": 0.5}
    assert pairwise_differences(results)[0].better == "Fisher"
    assert report.comparison_finding(results) == (
        "Fisher (balanced accuracy 78.3 %) beats LDA (50.0 %)."
    )
    assert report.comparison_details(results) == "LDA predicts 'rare' for none of the 400 rows."
    assert report.classification_finding(results, "Fisher").startswith(
        "Fisher reaches a balanced accuracy of 78.3 % ("
    )
    said = report.baseline_finding(results, "Fisher")
    assert said.startswith(
        "That is better than always predicting 'common' (balanced accuracy 50.0 %). "
        "Accuracy 69.0 % ("
    )
    assert "MCC 0.349, recall of 'rare', the rarest class, 90.0 % (" in said


def test_models_that_never_predict_a_class_are_named_and_not_called_equivalent():
    results = imbalanced(ALWAYS, ALWAYS, ALWAYS)
    assert report.comparison_finding(results, rope=0.5) == (
        "No significant difference among LDA, Fisher and Least squares (balanced accuracy 50.0 %); "
        "up to 3.3 points are not excluded."
    )
    assert report.comparison_details(results, rope=0.5) == (
        "None of them predicts 'rare' for any of the 400 rows."
    )
    assert report.comparison_finding(results, "MCC", rope=0.5).count("equivalent") == 0
    assert report.classification_finding(results, "LDA").startswith(
        "LDA predicts 'rare' for none of the 400 rows: a balanced accuracy of 50.0 % ("
    )
    assert report.baseline_finding(results, "LDA").startswith("That is not distinguishable from")
    two = report.comparison_details(imbalanced(ALWAYS, ALWAYS, FINDS_RARE))
    assert two.endswith("LDA and Fisher predict 'rare' for none of the 400 rows.")


def test_the_counts_of_the_data_decide_and_not_those_of_one_test_set():
    results = replace(imbalanced(FINDS_RARE), settings=Settings(class_counts=np.array([50, 50])))
    assert report.classification_finding(results, "LDA").startswith("LDA reaches an accuracy of")
    found = lincore.compare(lincore.sample("iris"), "lda")
    assert found.class_counts.tolist() == [50, 50, 50]
