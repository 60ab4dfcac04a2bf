"""New files are read as the training file was: binned targets, ways to fit, grey levels."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import lincore
from lincore.export import load_model, save_model
from lincore.io import Bins, ImageOptions, read_image_files
from lincore.prediction import predict

LDA = ("lda", lincore.Steps(n_components=2))


def fitted(data):
    method, steps = LDA
    return lincore.compare(data, method, steps=steps, keep_models=True).model(method)


def deep_image(rng, size, most) -> bytes:
    values = rng.integers(0, most, size, dtype=np.uint16)
    Image.fromarray(values).save(buffer := io.BytesIO(), "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize("fit", ["pad", "crop", "stretch"])
def test_new_images_become_the_rows_that_they_were_in_training(fit):
    rng = np.random.default_rng(0)
    sizes = [(8, 8), (8, 8), (12, 6), (5, 9)]
    files = {
        f"{name}/{i}.png": deep_image(rng, sizes[i % 4], 3800 if i else 900)
        for name in "ab"
        for i in range(12)
    }
    data = read_image_files(list(files.items()), ImageOptions(fit=fit))
    assert data.image_scale.fit == fit and data.image_scale.whole == (0, 4095)
    model = load_model(save_model(fitted(data))).model
    for place in (0, 2, 15):
        path = data.row_names[place]
        found = predict(model, [(path, files[path])])
        np.testing.assert_array_equal(found.new.X[0], data.X[place])
        assert found.truth.tolist() == [data.codes[place]]


@pytest.mark.parametrize("bins", [3, Bins(4, "width")])
def test_the_numbers_of_a_binned_target_are_classes_of_new_rows(bins):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(90, 3)), columns=list("xyz"))
    frame["price"] = (10 * frame["x"] + rng.normal(size=90)).round(2)
    data = lincore.load(frame, target="price", bins=bins)
    model = load_model(save_model(fitted(data))).model
    new = frame.astype({"price": object})
    new.loc[:4, "price"] = None
    found = predict(model, new.to_csv(index=False).encode())
    assert not found.new.unknown_labels
    np.testing.assert_array_equal(found.truth[5:], data.codes[5:])
    assert (found.truth[:5] == -1).all()
    assert predict(model, data).truth.tolist() == data.codes.tolist()
