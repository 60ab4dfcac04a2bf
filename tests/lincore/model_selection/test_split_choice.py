"""The last rows of each class against random ones: who wins, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import FitFailedWarning

import lincore
from lincore.model_selection import SplitVariation, compare_splits


def drifting(shift):
    """Return two classes whose last fifth has moved by `shift`."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = rng.standard_normal((400, 2)) + 2 * y[:, None]
    X[np.arange(400) % 200 >= 160] += [shift, -shift]
    return lincore.load((X, y), name="drifting")


def test_the_accuracies_are_those_of_hold_outs_and_a_drift_is_seen():
    data = drifting(1.5)
    found = compare_splits(data, ["lda", "qda"], test_size=0.2, seeds=range(4))
    split = lincore.split(data, "last", test_size=0.2)
    for place, model in enumerate(
        (lincore.LinearDiscriminantAnalysis(), lincore.QuadraticDiscriminantAnalysis())
    ):
        model.fit(data.X[split.train], data.codes[split.train])
        expected = model.score(data.X[split.test], data.codes[split.test])
        assert found.last[place] == pytest.approx(expected)
    assert found.random.shape == (4, 2)
    assert found.last_shift > 20 and found.random_shift < 3
    assert "differ from the others" in found.accuracies().finding()
    still = compare_splits(drifting(0.0), ["lda"], test_size=0.2, seeds=range(4))
    assert still.last_shift < 3 and "are like the others" in still.accuracies().finding()


def test_a_model_that_fails_on_some_splits_is_left_out_and_named():
    X = np.random.default_rng(1).standard_normal((60, 2)) + np.repeat([0, 3], 30)[:, None]
    X[30:, 1] = 0.0
    X[30 + 20, 1] = 1.0  # QDA fails where this row of the second class is not in training
    data = lincore.load((X, np.repeat([0, 1], 30)), name="rare value")
    with pytest.warns(FitFailedWarning, match="qda is left out"):
        found = compare_splits(data, ["lda", "qda"], seeds=range(8))
    assert found.labels == ("LDA",) and found.random.shape == (8, 1)
    assert found.left_out == ("QDA",)
    assert found.accuracies().notes() == ("Score: accuracy. Not fitted on all splits: QDA.",)


def test_unequal_classes_are_judged_by_balanced_accuracy():
    uneven = drifting(0.0).take(np.arange(240))  # 200 rows and 40
    found = compare_splits(uneven, "lda", seeds=range(2))
    split = lincore.split(uneven, "last", test_size=0.3)
    results = lincore.compare(uneven, "lda", split)
    assert found.score == "balanced accuracy"
    assert found.last[0] == lincore.metrics.score(results, "lda", "balanced accuracy").value


def test_it_can_be_stopped():
    asked = []
    assert (
        compare_splits(drifting(0.0), "lda", progress=lambda *said: asked.append(said) or False)
        is None
    )
    assert asked == [(0, 11, "last of each class")]


def choice(last, random, shift=50.9):
    return SplitVariation(("LDA", "Logistic", "QDA")[: len(last)], np.array(last), np.array(random),
                       shift, 1.2)  # fmt: skip


def test_the_finding_names_the_winners_and_who_changes_places():
    said = choice([0.877, 0.823], [[0.84, 0.86], [0.84, 0.87]]).accuracies().finding()
    assert said.startswith(
        "Which model is best depends on the split: on the last of each class it is LDA "
        "(accuracy 87.7 %, Logistic 82.3 %), on rows at random Logistic in 2 of 2 test sets"
    )
    assert "2 of 2 test sets (86.5 % on average, LDA 84.0 %)" in said
    assert "50.9 times as far" in said and "change order" not in said
    said = choice([0.877, 0.823, 0.88], [[0.84, 0.86, 0.87]] * 3).accuracies().finding()
    assert said.startswith(
        "QDA is best on the last of each class (accuracy 88.0 %) and, in 3 of 3 test"
    )
    assert "on rows at random (87.0 % on average)" in said
    assert "LDA and Logistic change order: 87.7 % and 82.3 % on the last" in said


def test_ties_are_called_so():
    said = choice([0.9, 0.9], [[0.8, 0.8], [0.7, 0.8], [0.8, 0.8]]).accuracies().finding()
    assert said.startswith(
        "Logistic is best on the last of each class (accuracy 90.0 %, tied with LDA) and, in "
        "3 of 3 test sets (2 tied), on rows at random"
    )


def test_equal_priors_are_told_beside_the_texts_number_where_test_rows_are_equally_many():
    iris = lincore.sample("iris")
    study = lincore.balance(iris, {"virginica": 9}, ["lda", "logistic"], repeats=1)
    (said,) = [note for note in notes_on_images(study) if note.startswith("With equal priors LDA")]
    results = study.example.results
    for name in ("corrected priors", "reduced"):
        place = results[name].methods.index("lda")
        value = (results[name].predicted[place] == results[name].truth).mean()
        assert f"{100 * value:.1f} %" in said
    assert "77.3 %" in said
    uneven = lincore.balance(lincore.sample("gaussian"), {"class 3": 9}, "lda", repeats=1)
    assert not any("equal priors" in note for note in notes_on_images(uneven))


def notes_on_images(study):
    images = replace(study, settings=replace(study.settings, rows="images"))
    return images.scores().notes()
