"""New rows that have weights of their own."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore.prediction import predict


def test_scores_of_a_file_weigh_its_rows_by_the_column_of_training():
    frame = lincore.sample("iris").to_frame()
    frame = frame.assign(w=np.random.default_rng(0).gamma(1.0, size=150))
    frame.loc[7, "w"] = 0.0
    data = lincore.load(frame, weights="w")
    model = lincore.compare(data, "lda", keep_models=True).model("lda")
    again = lincore.export.load_model(lincore.export.save_model(model)).model
    found = predict(again, frame)
    assert not found.match.additional and len(found) == 150
    right = found.labels == frame[data.target_name].to_numpy()
    wanted = np.average(right, weights=frame["w"])
    assert lincore.metrics.score(found.results(), "LDA", "accuracy").value == pytest.approx(wanted)
    assert "weight the rows by 'w': 149 rows count as" in found.scores().notes()[1]
    whole = predict(again, data).results()
    assert lincore.metrics.score(whole, "LDA", "accuracy").value == pytest.approx(wanted)
    # What cannot be used is told, and stops no prediction.
    odd = predict(again, frame.assign(w=np.where(np.arange(150) == 3, np.nan, 1.0)))
    assert odd.new.weights is None and len(odd.scores().notes()) == 1
    assert "data row 4: The weight is missing. It is not used" in str(odd.new.findings[0])
    plain = predict(again, frame.drop(columns="w"))
    assert plain.results().settings.row_weights is None


def test_estimated_priors_count_a_row_of_weight_three_three_times():
    frame = lincore.sample("iris").to_frame()
    rng = np.random.default_rng(1)
    target = frame.columns[-1]
    frame = frame.assign(w=1.0)
    data = lincore.load(frame, target=target, weights="w")
    model = lincore.compare(data, "lda", keep_models=True).model("lda")
    times = np.where(frame[target] == "virginica", 3, rng.integers(0, 3, size=150))
    weighted = predict(model, frame.assign(w=times.astype(float)), priors="estimate")
    copies = predict(model, frame.loc[frame.index.repeat(times)], priors="estimate")
    np.testing.assert_allclose(weighted.priors, copies.priors, atol=1e-6)
    assert weighted.priors[2] > predict(model, frame, priors="estimate").priors[2] + 0.05
