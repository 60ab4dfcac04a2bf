"""What is said and drawn of an imbalance's cost: planted losses come back with their signs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import lincore
from lincore import report

ASKED = "if all classes are equally frequent in deployment"
CONDITIONS = (
    "uncorrected", "corrected priors", "both", "balanced weights", "tuned threshold",
    "oversampling", "undersampling",
)  # fmt: skip
LEVELS = {"uncorrected": 0.30, "corrected priors": 0.22, "both": 0.18, "balanced weights": 0.26}


@pytest.fixture(scope="module")
def study():
    return lincore.imbalance_cost(lincore.sample("gaussian"), ("lda", "least-squares"), repeats=6)


@pytest.fixture(scope="module")
def planted(study):
    """Plant the balanced error by condition, and b / n beside 10 % at each size."""
    losses, sizes = study.losses.copy(), study.size_losses.copy()
    noise = 0.002 * np.array([1.0, -1.0, 1.0, -1.0, 0.5, -0.5])
    for j, condition in enumerate(CONDITIONS):
        losses[0, j, :, 0] = LEVELS.get(condition, 0.30) + (1 + j % 3) * noise
    sizes[0, :, :, 0] = 0.10 + (0.08 * study.sizes[-1] / study.sizes)[:, None]
    return replace(study, losses=losses, size_losses=sizes, variances={})


def test_the_finding_and_its_price(planted):
    said = planted.curve("lda").finding()
    assert said.startswith(
        "Balancing the priors of LDA does not significantly pay at any cost of an error"
    )
    assert said.endswith("on 'class 3' up to 10 other errors.")
    assert planted.curve("lda").scope().startswith("At 3 to 1, balancing ")
    advised = planted.corrections("lda").finding()
    assert advised.startswith(
        f"{ASKED[0].upper()}{ASKED[1:]}, balanced weights + corrected priors "
    )
    assert "lower the balanced error by 12.0 points (" in advised
    assert "30.0 % → 18.0 %, the best of 6 on these rows (12.0 points corrected" in advised
    assert "at the file's own shares the error does not change beyond chance" in advised
    better = planted.losses.copy()
    better[0, CONDITIONS.index("oversampling"), :, 0] = 0.17 + 0.02 * np.array([1, -1] * 3)
    simplest = replace(planted, losses=better).corrections("lda").finding()
    assert "30.0 % → 18.0 %, chosen from 6 on these rows (" in simplest
    worse = planted.losses.copy()
    worse[0, 0, :, 0] = 0.1
    harmed = replace(planted, losses=worse)
    assert "no correction is shown to lower" in harmed.corrections("lda").finding()
    assert "no posterior" in planted.decomposition("least-squares", "log loss").finding()
    few = replace(planted, losses=planted.losses[:, :, :2], seeds=planted.seeds[:2],
                  size_losses=planted.size_losses[:, :, :2])  # fmt: skip
    said = few.curve("lda").finding()
    assert said.startswith("After 2 of 6 splits: balancing the priors of LDA")


def test_parts_are_said_and_drawn_with_their_signs(planted):
    shift, bias, small, _ = planted.decomposition("lda").notes()
    assert shift.startswith("Prior shift: 8.0 points (")
    assert bias.startswith("Majority bias: 4.0 points (")
    assert small.startswith("Small class: 8.0 points") and "class 3" in small
    assert "not available" in planted.decomposition("least-squares").notes()[0]
    more = int(planted.counts[planted.rare])
    said = planted.more_rows("lda", more=more).finding()
    assert said.startswith(f"{more} more training rows of 'class 3' (now {more})")
    assert "of LDA by 4.0 points" in said
    ends, steps, _ = planted.decomposition("lda").plot().data
    assert_allclose(np.asarray(ends.y, float), [30, 10], rtol=1e-5)
    assert_allclose(np.asarray(steps.y, float), [-8, -4, -8], rtol=1e-5)
    figure = planted.corrections("lda").plot()
    names = [c.name for c in planted.corrected("lda")]
    recovered = np.asarray(figure.data[0].x, float)[[names.index(n) for n in LEVELS if n in names]]
    assert_allclose(recovered, [8, 12, 4], rtol=1e-5)
    curve = planted.more_rows("lda").plot()
    line = next(trace for trace in curve.data if trace.mode == "lines+markers")
    assert_allclose(np.asarray(line.x, float), planted.sizes)
    assert np.asarray(line.y, float)[-1] == pytest.approx(0.18)
    two = replace(planted, sizes=planted.sizes[-2:], size_losses=planted.size_losses[:, -2:])
    assert two.more_rows("lda").plot() is None


def test_tables_of_corrections_and_methods(planted):
    uncorrected, *rows = planted.corrections("lda").table().to_dict("records")
    assert uncorrected["balanced error (%)"].startswith("30.0 (")
    cells = {row["correction"]: row for row in rows}
    assert "corrected priors" in cells
    both = cells["balanced weights + corrected priors (recommended)"]
    assert both["balanced error (%)"].startswith("18.0") and both["recovered"].startswith("12.0")
    correction = next(c for c in planted.corrected("lda") if c.name == "both")
    for column, value in (
        ("change of recall of 'class 3'", correction.recall_change[2]),
        ("change for others", correction.others),
        ("change in file", correction.file_error),
    ):
        assert both[column].startswith(f"{100 * value.value:.1f} (".replace("-", "−"))
    lda, squares = planted.decomposition().table().to_dict("records")
    assert lda["prior shift"].startswith("8.0") and lda["recovered"].startswith("12.0")
    assert lda["model"] == "LDA" and lda["recommended"] == "balanced weights + corrected priors"
    for display in (planted.corrections("lda"), planted.decomposition()):
        assert f"The recommendation holds {ASKED}." in display.notes()
    assert squares["prior shift"] == "–"
    counts, shares = planted.counts, planted.prevalence
    said = planted.decomposition().scope()
    assert f"'class 3' {counts[2]} ({100 * shares[2]:.1f} %)" in said
    assert said.startswith(f"Means of 6 splits ({planted.n_test} test rows each)")


def test_figures_of_a_study_hold_its_parts_and_remedies():
    study = lincore.balance(lincore.sample("gaussian"), {"class 3": 11}, "lda", repeats=3)
    for loss, scale in (("error", 100), ("log loss", 1), ("recall of class 3", 100)):
        split = study.attribution("lda", loss)
        ends, steps, _ = study.decomposition("lda", loss=loss).plot().data
        ends, steps = (np.asarray(trace.y, float) for trace in (ends, steps))
        assert_allclose(ends, scale * np.array([split.full.value, split.reduced.value]), rtol=1e-5)
        parts = [scale * part.value for part in split.parts.values()]
        assert_allclose(steps, parts, rtol=1e-4, atol=1e-5)
        remedies = study.remedies("lda", loss)
        bars = study.corrections("lda", loss=loss).plot().data
        assert len(bars) == (1 if loss == "log loss" else 2)
        assert_allclose(
            np.asarray(bars[0].x, float), [scale * r.recovered.value for r in remedies], rtol=1e-5
        )
        table = study.decomposition("lda").table().set_index("loss")
        name = report.loss_in_words(loss)
        row = table.loc[f"{name} ({'nats' if loss == 'log loss' else '%'})"]
        rows = study.corrections("lda", loss=loss).table().to_dict("records")
        for remedy, line in zip(remedies, rows, strict=True):
            gain = line["recovered"].split(" ")[0].replace("−", "-")
            assert float(gain) == pytest.approx(scale * remedy.recovered.value, abs=0.051)
        said = row["majority bias"].split(" ")[0].replace("−", "-")
        assert float(said) == pytest.approx(scale * split.majority_bias.value, abs=0.051)
