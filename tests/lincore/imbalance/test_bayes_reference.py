"""The best possible classifier of generated classes stands beside what was learned from them."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import metrics, plots
from lincore.imbalance import true_parameters_of
from lincore.inspection import feature_plane, make_view
from lincore.report import format_loss


@pytest.fixture(scope="module")
def study():
    return lincore.balance(lincore.sample("gaussian"), {"class 3": 11}, "lda", repeats=1)


def test_it_is_scored_on_the_same_rows_as_the_models(study):
    known = true_parameters_of(study, lincore.sample("gaussian"))
    assert np.array_equal(known.results.rows, study.example.split.test)
    wrong = 1 - metrics.score(known.results, "Bayes classifier", "accuracy").value
    assert wrong == pytest.approx(known.on_test.value)
    table = study.scores(lincore.sample("gaussian")).table()
    last = table.iloc[-1]
    assert (last["model"], last["set"]) == ("Bayes classifier", "true parameters")
    assert last["log loss"] == format_loss(
        metrics.score(known.results, "Bayes classifier", "log loss"), "log loss"
    )
    assert list(table) == list(study.scores().table())


def test_its_boundary_is_dashed_over_that_of_a_model(study):
    data, test = lincore.sample("gaussian"), study.example.split.test
    plane = feature_plane(data, (0, 1), test)
    model, truth = (
        make_view(pipeline, data, test, plane)
        for pipeline in (
            study.example.pipelines["lda", "full"],
            true_parameters_of(study, data).pipeline,
        )
    )
    frame = plots.SharedAxes.of(model)
    figure = plots.boundary(model, shared=frame, truth=truth)
    (dashed,) = [line for line in figure.data if line.name == "best possible (dashed)"]
    assert dashed.line.dash == "dash" and dashed.showlegend
    alone = plots.boundary(truth, shared=frame).data
    (whole,) = [line for line in alone if line.name == "decision boundary"]
    np.testing.assert_allclose(dashed.x, whole.x, rtol=1e-5)
    assert "Dashed: the boundary of the best possible classifier." in figure.layout.meta["alt"]
    assert len(figure.data) == len(plots.boundary(model, shared=frame).data) + 1
