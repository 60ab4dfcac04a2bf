"""Models that rank rows alike and decide differently differ in their thresholds, and it is said."""

import numpy as np
import pytest

import lincore


def unequal(n_classes=2, apart=1.5):
    rng = np.random.default_rng(0)
    codes = rng.choice(n_classes, 400, p=[0.85, 0.15] if n_classes == 2 else None)
    X = rng.standard_normal((400, 3))
    X[:, 0] += apart * codes
    return lincore.load((X, np.array(["no", "yes", "maybe"])[codes]))


def said(results):
    return [note for note in results.scores().notes() if "threshold" in note]


@pytest.mark.parametrize("scheme", ["holdout", "5-fold", "2x5-fold"])
def test_fisher_and_lda_share_a_direction_but_not_a_threshold(scheme):
    results = lincore.compare(unequal(), ["lda", "fisher", "qda"], scheme)
    (note, *_) = said(results)
    first = results.repetition == results.repetition.min()
    lda, fisher = (results.predicted[results.position(m)] for m in ("lda", "fisher"))
    n = np.count_nonzero((lda != fisher) & first)
    assert note.startswith("Fisher's discriminant and LDA rank the rows almost alike (AUC 0.")
    assert (
        f"decide differently on {n:,} of {first.sum():,} rows: mainly their thresholds differ."
        in note
    )


def test_models_that_decide_or_rank_otherwise_are_not_said_to():
    assert not said(lincore.compare(unequal(), ["lda", "logistic"], "5-fold"))  # decide alike
    rng = np.random.default_rng(1)
    squares = lincore.load(
        (rng.standard_normal((300, 2)) * np.tile([[1], [3]], (150, 1)), [0, 1] * 150)
    )
    assert not said(lincore.compare(squares, ["lda", "qda"], "5-fold"))  # rank differently
    assert not said(lincore.compare(unequal(n_classes=3), ["lda", "fisher"], "5-fold"))
