"""Histograms of oriented gradients: the numbers of a slow loop, and the way through a pipeline."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import DataError
from lincore.analysis import Analysis, SampleData
from lincore.export import load_model, save_model
from lincore.model_selection import Steps, on_both_features, pipeline_for
from lincore.preprocessing import HOG


def images(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def hog_by_loops(image, size):
    """Describe an image of shape (height, width, channels), pixel by pixel and block by block."""
    height, width, n_channels = image.shape
    image = image.astype(float)
    cells = np.zeros((height // size, width // size, 9))
    for i, j in np.ndindex(len(cells) * size, cells.shape[1] * size):
        best, angle = -1.0, 0.0
        for c in range(n_channels):
            down = image[i + 1, j, c] - image[i - 1, j, c] if 0 < i < height - 1 else 0.0
            right = image[i, j + 1, c] - image[i, j - 1, c] if 0 < j < width - 1 else 0.0
            if np.hypot(down, right) > best:
                best, angle = np.hypot(down, right), np.degrees(np.arctan2(down, right)) % 180
        cells[i // size, j // size, int(angle // 20) % 9] += best / size**2
    down, right = min(2, len(cells)), min(2, cells.shape[1])
    blocks = []
    for i in range(len(cells) - down + 1):
        for j in range(cells.shape[1] - right + 1):
            block = cells[i : i + down, j : j + right].ravel()
            block = np.minimum(block / np.sqrt(block @ block + 1e-10), 0.2)
            blocks.append(block / np.sqrt(block @ block + 1e-10))
    return np.concatenate(blocks)


@pytest.mark.parametrize(("shape", "size"), [((17, 20), 5), ((8, 9, 3), 2), ((9, 24), 8)])
def test_the_numbers_are_those_of_the_definition(shape, size):
    several = images(3, *shape)
    expected = [hog_by_loops(image.reshape(*shape[:2], -1), size) for image in several]
    found = HOG(shape, cell_size=size).fit_transform(several.reshape(3, -1))
    assert_allclose(found, expected, atol=1e-9)
    assert found.shape[1] == HOG(shape, cell_size=size).fit(several.reshape(3, -1)).n_features_out


@pytest.mark.parametrize(("side", "size"), [(8, 2), (28, 4), (35, 5), (112, 8)])
def test_a_cell_is_a_seventh_of_the_shorter_side(side, size):
    assert HOG((side, side + 9)).fit(images(2, side * (side + 9))).cell_size_ == size


def test_many_images_are_described_in_blocks_as_one_by_one(monkeypatch):
    rows = images(7, 64)
    whole = HOG((8, 8)).fit_transform(rows)
    monkeypatch.setattr("lincore.preprocessing.hog.BLOCK_VALUES", 2 * 8 * 64)
    assert_array_equal(HOG((8, 8)).fit_transform(rows), whole)


def test_light_and_contrast_change_nothing():
    dark = images(4, 256) // 4
    expected = HOG((16, 16)).fit_transform(dark)
    assert_allclose(HOG((16, 16)).fit_transform(3 * dark + 40), expected, rtol=1e-6, atol=1e-9)


def test_one_grey_has_no_gradient():
    assert not HOG((8, 8)).fit_transform(np.full((2, 64), 7)).any()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (HOG(), "HOG describes images; rows of 64 values are none."),
        (HOG((9, 8)), r"rows of 64 values are not of shape \(9, 8\)"),
        (HOG((8, 8), cell_size=9), "No cell of 9 pixels fits into images"),
        (HOG((8, 8), cell_size=0), "No cell of 0 pixels"),
    ],
)
def test_what_cannot_be_described_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(images(3, 64))


def test_gradients_come_before_standardising_and_components():
    digits = lincore.sample("digits").take(slice(0, 400))
    steps = Steps(standardize=True, basis="hog(cell_size=4)", n_components=10)
    pipeline = pipeline_for(digits, lincore.LinearDiscriminantAnalysis(), steps)
    assert list(pipeline.named_steps) == ["basis", "standardize", "pca", "classify"]
    pipeline.fit(digits.X, digits.codes)
    seen = HOG((8, 8), cell_size=4).fit_transform(digits.X)
    assert_allclose(pipeline.named_steps["standardize"].mean_, seen.mean(axis=0))
    # The coefficients of the gradients, taken back through both steps, give the same scores.
    weights = lincore.inspection.feature_weights(pipeline, digits, np.arange(400))
    found = seen @ weights.values.T
    expected = pipeline.decision_function(digits.X)
    assert_allclose(found - found.mean(axis=0), expected - expected.mean(axis=0), atol=1e-8)


def test_rows_that_are_no_images_are_refused_with_a_reason():
    with pytest.raises(DataError, match="HOG describes images"):
        lincore.compare(lincore.sample("iris"), "lda", steps=Steps(basis="hog"))


def test_a_saved_model_describes_new_images():
    digits = lincore.sample("digits").take(slice(0, 500))
    steps = Steps(basis="hog", n_components=30)
    results = lincore.compare(digits, "lda", steps=steps, keep_models=True)
    model, _ = load_model(save_model(results.model("lda")))
    assert_array_equal(model.predict(digits.X), results.model("lda").predict(digits.X))
    assert float((model.predict(digits.X) == digits.y).mean()) > 0.95


def test_a_link_holds_them_and_a_specification_bounds_them():
    asked = Analysis(SampleData("digits"), steps=Steps(basis="hog(cell_size=4)"))
    assert Analysis.from_query(asked.to_query()).steps == asked.steps
    for wrong in ("hog(cell_size=0)", "hog(cell_size=9999)", "hog(block=2)"):
        with pytest.raises(DataError):
            Analysis.from_json(f'{{"schema": 1, "steps": {{"basis": "{wrong}"}}}}')


def test_gradients_recognise_digits_in_any_light():
    digits = lincore.sample("digits").take(slice(0, 900))
    rng = np.random.default_rng(0)
    light = digits.X * rng.uniform(0.15, 1, (900, 1)) + rng.uniform(0, 40, (900, 1))
    varied = replace(digits, X=light.astype(np.uint8))
    results = lincore.compare(varied, on_both_features(["lda"]), "5-fold")
    assert results.methods == ("lda(features=pixels)", "lda(features=hog)")
    accuracy = (results.predicted == results.truth).mean(axis=1)
    assert accuracy[1] > accuracy[0] + 0.01
    assert [results.settings.label(name) for name in results.methods] == [
        "Pixels + LDA",
        "HOG + LDA",
    ]
