"""Five real sets of images, as they are uploaded, under every classifier the library has."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.exceptions import FitFailedWarning

import lincore
from lincore.model_selection import CLASSIFIER_LABELS
from tests.data import DATA, needs_data

pytestmark = [needs_data, pytest.mark.long]


class Images(NamedTuple):
    """A file, how many of its rows are used, and what must come of them.

    `best` is what most classifiers must reach on 20 components, `worst` what all of them must.
    """

    file: str
    scheme: str
    n_rows: int
    shape: tuple[int, ...]
    n_classes: int
    best: float
    worst: float


SETS = [
    Images("faces3_bmp30.zip", "holdout", 900, (30, 30), 3, 0.97, 0.8),
    Images("orl_faces.zip", "holdout", 400, (112, 92), 40, 0.87, 0.7),
    Images("mnist.npz", "given", 2000, (28, 28), 10, 0.78, 0.7),
    Images("fashion_mnist.npz", "given", 2000, (28, 28), 10, 0.68, 0.5),
    Images("cifar10_lossless_sample.npz", "given", 700, (32, 32, 3), 10, 0.25, 0.2),
]


@pytest.mark.parametrize("images", SETS, ids=lambda images: images.file)
def test_every_classifier_learns_from_the_images(images):
    whole = lincore.load(DATA / images.file)
    assert whole.X.dtype == np.uint8 and whole.image_shape == images.shape
    data = whole.take(np.linspace(0, whole.n_rows - 1, images.n_rows).astype(int))
    assert data.n_classes == whole.n_classes == images.n_classes
    # 780 pairs of persons take a while and say nothing else.
    words = [word for word in CLASSIFIER_LABELS if word != "one-vs-one" or data.n_classes < 20]
    steps = lincore.Steps(n_components=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitFailedWarning)
        results = lincore.compare(data, words, images.scheme, steps=steps)
    if images.n_classes == 40:
        # Seven images of a person do not span a covariance of 20 components: QDA says so.
        assert list(results.settings.failed) == ["qda"]
        assert "7 rows" in results.settings.failed["qda"]
    else:
        assert results.methods == tuple(words)
    accuracy = (results.predicted == results.truth).mean(axis=1)
    assert np.median(accuracy) > images.best, dict(zip(results.methods, accuracy, strict=True))
    assert accuracy.min() > images.worst, dict(zip(results.methods, accuracy, strict=True))
    accuracies = lincore.metrics.score_table(results, ["accuracy"])
    assert ((accuracies["low"] < accuracies["value"]) | (accuracies["value"] == 0)).all()
    losses = lincore.metrics.score_table(results, ["log loss"])["value"]
    assert (losses.dropna() >= 0).all()
