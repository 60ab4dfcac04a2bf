"""Words that the training set lacks do not keep a model from being fitted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore.data import split
from lincore.io import TableOptions, frame_to_table, table_to_dataset
from lincore.model_selection import Steps, pipeline_for

RNG = np.random.default_rng(3)
COMMON = ["good", "bad", "cheap", "slow"]


def rare_words():
    """Return texts of which each has a word of its own: half are not in a training set."""
    texts = [f"{' '.join(RNG.choice(COMMON, 4))} only{i:02d}" for i in range(60)]
    frame = pd.DataFrame({"text": texts, "label": RNG.integers(0, 2, 60)})
    return table_to_dataset(
        frame_to_table(frame, "made"), "label", TableOptions(roles={"text": "text"})
    )


@pytest.mark.parametrize("method", ["lda", "naive-bayes", "least-squares", "fisher"])
def test_gaussian_models_are_fitted_whatever_words_the_training_part_lacks(method):
    data = rare_words()
    assert data.n_features == 64
    results = lincore.compare(data, [method], "5-fold")
    assert np.isfinite((results.predicted[0] == results.truth).mean())


def test_as_many_singular_vectors_as_there_are():
    data = rare_words()
    rows = split(data, "stratified", test_size=0.5, seed=1).train
    pipeline = pipeline_for(data, None, Steps(n_components=60))
    found = pipeline.fit(data.X[rows]).transform(data.X)
    # No more than rows to find them in, of 34 words.
    assert found.shape == (60, len(rows))
    assert pipeline.named_steps["svd"].get_params()["n_components"] == 60
