"""New rows through the model: a file with an unseen level, priors, the file to take away."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore.prediction import predict

pytestmark = pytest.mark.browser


def test_a_file_is_predicted_reweighted_and_taken_away(dashboard):
    data = lincore.sample("passengers")
    split = lincore.split(data)
    pipeline = lincore.fit(data, lincore.LinearDiscriminantAnalysis(), split).pipeline
    model = lincore.model_selection.FittedModel.of(data, pipeline, "LDA", split.train)
    new = data.to_frame().astype({"port": str}).head(60)
    new.loc[:4, "port"] = "Cork"
    raw = new.assign(note="=1+1")[::-1].to_csv(index=False).encode()

    dashboard.goto()
    dashboard.choose("data.sample", "Passengers")
    dashboard.visit("predict")
    assert "270 test rows" in dashboard.text()
    dashboard.choose("predict.rows", "New file")
    dashboard.upload("predict.upload", ("march.csv", raw))
    dashboard.wait_for_job("predict.run")
    found = predict(model, raw)
    assert found.by_class().finding() in dashboard.text()
    assert "'Cork', in 5 rows." in dashboard.text("predict.match")
    dashboard.choose("predict.priors", "Equal")
    equal = found.with_priors("equal")
    assert equal.by_class().finding() in dashboard.text()
    name, content = dashboard.download("predict.download.csv")
    assert name == "march predictions.csv"
    saved = pd.read_csv(io.BytesIO(content))
    np.testing.assert_allclose(saved["P(yes)"], equal.posteriors[:, 1], rtol=1e-9)
    assert saved["predicted survived"].tolist() == equal.labels.tolist()
    assert set(saved["note"]) == {"'=1+1"}
    dashboard.unfold("predict.drift")
    dashboard.check()
