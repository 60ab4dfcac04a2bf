"""New rows that have weights or frequencies of their own."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore.prediction import predict


def test_scores_of_a_file_count_its_rows_by_the_columns_of_training():
    frame = lincore.sample("iris").to_frame()
    rng = np.random.default_rng(0)
    frame = frame.assign(w=rng.gamma(1.0, size=150), n=rng.integers(0, 3, 150))
    data = lincore.load(frame, weights="w", frequencies="n")
    model = lincore.compare(data, "lda", keep_models=True).model("lda")
    again = lincore.export.load_model(lincore.export.save_model(model)).model
    found = predict(again, frame)
    assert not found.match.additional and len(found) == 150
    often = np.repeat(np.arange(150), frame["n"])
    weights = frame["w"].to_numpy()[often]
    scores = found.scores()
    right = found.labels[often] == frame[data.target_name].to_numpy()[often]
    wanted = np.average(right, weights=weights)
    assert lincore.metrics.score(scores, "LDA", "accuracy").value == pytest.approx(wanted)
    note = lincore.prediction.counting_note(found)
    assert (
        "as often as 'n' says and by their weights in 'w'" in note and f"{len(often)} rows" in note
    )
    # As if the copies stood in the file.
    copies = predict(again, frame.iloc[often].drop(columns="n"))
    ends = [lincore.metrics.score(one, "LDA", "accuracy") for one in (copies.scores(), scores)]
    assert ends[0] == ends[1]
    priors = [one.with_priors("estimate").estimate for one in (copies, found)]
    np.testing.assert_allclose(priors[0].priors, priors[1].priors, atol=1e-12)
    assert priors[0].p_value == pytest.approx(priors[1].p_value)
    # What cannot be used is told, and stops no prediction.
    odd = predict(
        again, frame.assign(w=np.where(np.arange(150) == 3, np.nan, 1.0)).drop(columns="n")
    )
    assert odd.new.weights is None and not lincore.prediction.counting_note(odd)
    assert "data row 4: The weight is missing. It is not used" in str(odd.new.findings[0])
    plain = predict(again, frame.drop(columns=["w", "n"]))
    assert plain.scores().settings.row_weights is None
