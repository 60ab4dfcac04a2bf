"""Sentences about an imbalance: computed, of the right sign, and in the right number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lincore
from lincore.imbalance import Sweep
from lincore.io import gaussian_classes


@pytest.fixture(scope="module")
def study():
    data = gaussian_classes([[0, 0], [1.5, 0], [0.7, 1.4]], sizes=[300, 300, 300])
    return lincore.balance(data, {"class 3": 0.1}, ("lda", "least-squares"), repeats=3)


def finding(study, method, loss="error"):
    return study.decomposition(method, loss=loss).finding()


def sentences(study, method, loss="error"):
    return study.decomposition(method, loss=loss).sentences


def with_losses(study, full, reduced, both, spread=0.001):
    """Plant means of three conditions: the priors explain nothing, control as full."""
    planted = {"full": full, "control": full, "reduced": reduced, "corrected priors": reduced}
    losses = study.losses.copy()
    for j, condition in enumerate(study.conditions):
        noise = spread * (1 + j % 4) * np.array([-1.0, 0.0, 1.0])  # of mean zero
        losses[:, j] = planted.get(condition, both) + noise[:, None]
    return replace(study, losses=losses, variances={})


def test_costs_and_gains(study):
    planted = with_losses(study, full=0.1, reduced=0.3, both=0.15)
    words = sentences(planted, "lda")
    assert words["majority bias"].startswith("Majority bias costs 15.0 points (")
    assert words["majority bias"].endswith("balanced weights recover this without new rows.")
    assert words["class size"].startswith("Class size costs 5.0 points (")
    assert "'class 3' has few rows" in words["class size"]
    assert words["prior shift"].startswith("Prior shift is not distinguishable from zero")
    # A recall that falls is a cost, and one that rises a gain.
    falls = with_losses(study, full=0.9, reduced=0.3, both=0.7)
    assert (
        falls.decomposition("lda", loss="recall of class 3")
        .sentences["majority bias"]
        .startswith("Majority bias costs 40.0")
    )
    rises = with_losses(study, full=0.3, reduced=0.9, both=0.7)
    assert "Majority bias gains" in sentences(rises, "lda", "recall of class 3")["majority bias"]


def test_the_finding_names_the_largest_part(study):
    planted = with_losses(study, full=0.1, reduced=0.3, both=0.15)
    said = finding(planted, "lda")
    assert said.startswith("With 21 instead of 210 training rows of 'class 3', the error of LDA ")
    assert said.endswith("goes from 10.0 % to 30.0 %; 75 % of the loss is majority bias.")
    unchanged = with_losses(study, full=0.1, reduced=0.1, both=0.1)
    assert (
        unchanged.decomposition("lda", loss="error")
        .finding()
        .endswith("no loss distinguishable from chance.")
    )
    none = "None of 6 corrections improves the error."
    assert unchanged.corrections("lda", loss="error").finding() == none


def test_recommendations_name_their_price(study):
    planted = with_losses(study, full=0.1, reduced=0.3, both=0.105)
    said = planted.corrections("lda", loss="error").finding()
    assert "which lower the error by 19.5 points (" in said
    assert (
        "; the other classes lose" in said
        or "; the recall of the other classes" in said
        or ("; the other classes gain" in said)
    )


def test_harm_is_a_negative_share_of_the_loss(study):
    harmful = with_losses(study, full=0.1, reduced=0.3, both=0.33)
    shares = harmful.corrections("lda", loss="error").table()["of the loss"].tolist()
    assert "−15 %" in shares and not any("-" in share for share in shares)


def test_a_proposal_says_what_it_is_not_worse_than(study):
    planted = with_losses(study, full=0.1, reduced=0.3, both=0.105)
    planted.losses[:, planted.conditions.index("undersampling")] -= 0.0005
    said = planted.corrections("lda", loss="error").finding()
    assert "full set: balanced weights + corrected priors, which lower the error by" in said
    assert "It uses every row once" in said


def test_what_is_not_beyond_chance_is_said_to_be_so(study):
    planted = with_losses(study, full=0.1, reduced=0.3, both=0.3)
    planted.losses[:, planted.conditions.index("both")] -= np.array([-0.3, 0.0, 0.36])[:, None]
    planted.losses[:, planted.conditions.index("corrected priors")] -= 0.019
    said = planted.corrections("lda", loss="error").finding()
    assert "full set: corrected priors, which lower the error by 1.9 points (" in said
    unclear = with_losses(study, full=0.1, reduced=0.3, both=0.3, spread=0.2)
    unclear.losses[:, unclear.conditions.index("full")] = 0.1
    unclear.losses[:, unclear.conditions.index("reduced")] = 0.3
    found = finding(unclear, "lda")
    assert found.endswith("; all of the loss is class size, by itself not beyond chance.")
    nothing = with_losses(study, full=0.1, reduced=0.3, both=0.3)
    advised = nothing.corrections("lda", loss="error").finding()
    assert advised == "None of 6 corrections improves the error."
    # "It" is what is proposed, not what was named last.
    other = with_losses(study, full=0.1, reduced=0.3, both=0.105)
    other.losses[:, other.conditions.index("undersampling")] -= 0.0005
    told = other.corrections("lda", loss="error").finding()
    whole = told.index("The loss that remains, 0.5 points (")
    assert whole < told.index("Undersampling would"), "what is said of the proposed is first"
    assert "The loss that remains" not in advised
    assert told.index("It uses every row once") < told.index("Undersampling would recover")


def test_a_method_without_posteriors(study):
    assert sentences(study, "least-squares")["sample size"] != "Sample size is zero."
    assert sentences(study, "least-squares")["prior shift"] == "Prior shift is zero."
    for said in (
        finding(study, "least-squares", "log loss"),
        *sentences(study, "least-squares", "log loss").values(),
    ):
        assert "no posterior probabilities" in said


def test_one_seed_and_several_classes():
    data = gaussian_classes([[0, 0], [1.5, 0], [0.7, 1.4]], sizes=[100, 100, 100])
    study = lincore.balance(data, {"class 2": 20, "class 3": 10}, "lda", repeats=1)
    assert "30 instead of 140 training rows of 'class 2' and 'class 3'" in finding(study, "lda")
    assert "nan" not in " ".join(sentences(study, "lda").values())
    none = "One split cannot tell which correction to recommend."
    assert study.corrections("lda", loss="error").finding() == none


def test_crossings():
    losses = np.zeros((2, 2, 4, 6, 1))
    losses[0, :, 0, :, 0] = np.array([[0.3], [-0.3]]) + np.linspace(-0.01, 0.01, 6)
    sizes = np.array([[10, 200], [90, 200]])
    sweep = Sweep(
        np.array(["a", "b"]), ("a",), sizes, ("lda", "qda"), ("error",), losses, np.arange(6), 0.0
    )
    said = sweep.curves().finding()
    assert said.startswith("Below about 30 training rows qda has the better error, above it lda.")
