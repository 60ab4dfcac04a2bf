"""Prediction of a million new rows of 20 columns: seconds for each model, files and drift included.

Run ``python benchmarks/predict.py``. The rows are a frame; reading Parquet and writing files are
timed by themselves.
"""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
from common import finish, require, seconds

import lincore
from lincore.prediction import Reading, drift, predict

N_ROWS, N_COLUMNS = 1_000_000, 20
MODELS = ("lda", "qda", "naive-bayes", "logistic", "perceptron")


def main() -> None:
    """Print the figures; end with an error if a bound is missed."""
    new = rows(N_ROWS, 1)
    training = lincore.load(rows(20_000, 0), target="kind")
    results = lincore.compare(training, list(MODELS), keep_models=True)
    steps: list[int] = []
    for name in MODELS:
        model = results.model(name)
        taken = seconds(lambda model=model: run(model, new, steps))
        require(f"seconds for {N_ROWS:,} x {N_COLUMNS} rows by {name}", taken, at_most=10)
    require("calls of progress at least", len(steps) / len(MODELS), at_least=10)
    found = predict(results.model("lda"), new)
    buffer = io.BytesIO()
    new.to_parquet(buffer)
    raw = buffer.getvalue()
    taken = seconds(lambda: predict(results.model("lda"), raw, reading=Reading("new.parquet")))
    require("seconds from a Parquet file to predictions", taken, at_most=10)
    require("seconds for priors by EM", seconds(lambda: found.with_priors("estimate")), at_most=5)
    require("seconds for CSV", seconds(found.to_csv), at_most=15)
    require("seconds for Parquet", seconds(found.to_parquet), at_most=10)
    require("seconds for drift", seconds(lambda: drift(training, found)), at_most=15)
    finish()


def rows(n_rows: int, seed: int) -> pd.DataFrame:
    """Return 16 columns of numbers, 4 of categories and a class."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(3, n_rows, p=[0.6, 0.3, 0.1])
    frame = pd.DataFrame(
        {f"x{j}": rng.normal(size=n_rows) + codes * j / 16 for j in range(N_COLUMNS - 4)}
    )
    for j in range(4):
        frame[f"c{j}"] = np.array(["red", "green", "blue", "grey"])[rng.integers(0, 4, n_rows)]
    frame["kind"] = np.array(["a", "b", "c"])[codes]
    return frame


def run(model: lincore.model_selection.FittedModel, new: pd.DataFrame, steps: list[int]) -> None:
    """Predict, and look at what the page shows first."""

    def progress(done: int, total: int, what: str) -> bool:
        steps.append(done)
        return True

    found = predict(model, new, progress=progress)
    assert found.counts.sum() == N_ROWS
    assert found.far is not None


if __name__ == "__main__":
    main()
