"""Arrays in an npz file: parts, images and labels found by name; what cannot be read is refused."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest

from lincore import DataError
from lincore.io import load, read_npz, recognise_file
from lincore.limits import Limits
from tests.data import DATA, needs_data
from tests.lincore.io.images.in_memory import npy, zipped

RNG = np.random.default_rng(0)
GREY = RNG.integers(0, 256, (6, 4, 5), dtype=np.uint8)
CODES = np.array([2, 0, 1, 2, 0, 1])


def saved(**arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def read(**arrays):
    return read_npz(saved(**arrays), "made.npz")


def refused(raw, **limits):
    with pytest.raises(DataError) as caught:
        read_npz(raw, "made.npz", Limits(**limits))
    assert caught.value.notice.remedy
    assert "made.npz" in caught.value.notice.where
    return str(caught.value)


@pytest.mark.parametrize(
    "names",
    [
        ("X_train", "y_train", "X_test", "y_test"),
        ("x_train", "Y_train", "x_test", "Y_test"),
        ("train_images", "train_labels", "val_images", "val_labels"),
        ("data", "target", "test_data", "test_target"),
    ],
)
def test_parts_are_known_by_their_names(names):
    values = (GREY[:4], CODES[:4], GREY[4:], CODES[4:])
    data = read(**dict(zip(names, values, strict=True)))
    np.testing.assert_array_equal(data.X, GREY.reshape(6, 20))
    assert (data.X.dtype, data.image_shape, data.name) == (np.uint8, (4, 5), "made")
    assert data.codes.tolist() == CODES.tolist()
    assert data.given_test.tolist() == [False] * 4 + [True] * 2
    assert data.feature_names[1] == "pixel 1,2"


def test_one_part_alone_has_no_split():
    data = read(X=GREY, y=CODES)
    assert data.given_test is None
    assert data.digest == load(saved(X=GREY, y=CODES), name="made.npz").digest


def test_colour_and_one_channel():
    colour = RNG.integers(0, 256, (6, 2, 3, 3), dtype=np.uint8)
    data = read(X=colour, y=CODES[:, None])
    assert data.image_shape == (2, 3, 3)
    assert data.feature_names[:2] == ("pixel 1,1 red", "pixel 1,1 green")
    assert read(X=GREY[..., None], y=CODES).image_shape == (4, 5)


def test_square_rows_of_bytes_are_images():
    rows = RNG.integers(0, 256, (6, 81), dtype=np.uint8)
    data = read(X=rows, y=CODES)
    assert data.image_shape == (9, 9)
    assert "9 × 9" in str(data.notices[0])
    assert read(X=rows.astype(float), y=CODES).image_shape is None


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int32, np.bool_, np.int8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_tables_are_float(kind, order):
    rows = np.asarray(RNG.integers(0, 2, (6, 3)), dtype=kind, order=order)
    data = read(X=rows, y=CODES)
    assert (data.X.dtype, data.image_shape) == (np.float64, None)
    np.testing.assert_array_equal(data.X, rows)


@pytest.mark.parametrize("white", [1, 255, 65535])
def test_floating_point_images_become_bytes(white):
    data = read(X=GREY / 255 * white, y=CODES)
    assert data.X.dtype == np.uint8
    np.testing.assert_array_equal(data.X, GREY.reshape(6, 20))


@pytest.mark.parametrize(
    "labels", [["b", "a", "b", "a", "b", "é"], [b"b", b"a", b"b", b"a", b"b", "é".encode()]]
)
def test_labels_may_be_text(labels):
    assert read(X=GREY, y=np.array(labels)).classes.tolist() == ["a", "b", "é"]


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"X": GREY}, "no arrays named X and y"),
        ({"one": GREY, "two": CODES}, "no arrays named X and y"),
        ({"X": GREY, "y": CODES[:5]}, "do not match"),
        ({"X": GREY, "y": np.eye(6)}, "do not match"),
        ({"X": CODES, "y": CODES}, "do not match"),
        ({"X": GREY, "y": CODES.astype(object)}, "contains object"),
        ({"X": GREY * 1j, "y": CODES}, "contains complex"),
        ({"X": np.zeros((6, 2, 2, 4), dtype=np.uint8), "y": CODES}, "neither features nor images"),
        ({"X": np.zeros((6, 0)), "y": CODES}, "neither features nor images"),
        ({"X": np.zeros((0, 2)), "y": CODES[:0]}, "no rows"),
        ({"X": np.full((6, 2), np.inf), "y": CODES}, "infinite"),
        ({"X": np.full((6, 2, 2), np.nan), "y": CODES}, "Pixels run from"),
        ({"X": np.full((6, 2, 2), -1.0), "y": CODES}, "Pixels run from -1"),
        ({"X": GREY, "y": np.zeros(6)}, "only one class"),
        ({"X": GREY, "y": CODES, "X_test": GREY[:, :2], "y_test": CODES}, "differ in shape"),
    ],
)
def test_what_is_no_data_set_is_refused(arrays, reason):
    assert reason in refused(saved(**arrays))


def test_arrays_that_lie_about_their_size_are_refused():
    lying = zipped({"X.npy": npy((60_000, 10**9)), "y.npy": npy((60_000,))})
    assert "differs in size from its header" in refused(lying)
    header = b"\x93NUMPY\x02\0" + struct.pack("<I", 90_000) + b"(" * 90_000
    assert refused(zipped({"X.npy": header, "y.npy": npy((100,))}))


@pytest.mark.parametrize(
    "limits",
    [{"max_total_pixels": 119}, {"max_features": 19}, {"max_total_bytes": 100}],
)
def test_limits_hold(limits):
    assert refused(saved(X=GREY, y=CODES), **limits)
    assert refused(saved(X=GREY.astype(float).reshape(6, -1), y=CODES), max_cells=119)


def test_a_zip_of_images_is_no_file_of_arrays():
    assert recognise_file(saved(X=GREY), "made.npz")[0] == "arrays"
    assert recognise_file(b"u,text.npy\n1,2\n", "made.npy")[0] == "table"
    assert recognise_file(zipped({"a/1.png": b"\x89PNG"}), "made.zip")[0] == "images"


@pytest.mark.long
@needs_data
@pytest.mark.parametrize(
    ("name", "rows", "tests", "shape"),
    [
        ("mnist", 70_000, 10_000, (28, 28)),
        ("fashion_mnist", 70_000, 10_000, (28, 28)),
        ("cifar10_lossless_sample", 5_000, 1_000, (32, 32, 3)),
    ],
)
def test_image_sets_go_in(name, rows, tests, shape):
    data = load(DATA / f"{name}.npz")
    assert (data.n_rows, int(data.given_test.sum()), data.image_shape) == (rows, tests, shape)
    assert data.classes.tolist() == list(range(10))
    with np.load(DATA / f"{name}.npz") as arrays:
        np.testing.assert_array_equal(data.X[-tests:].ravel(), arrays["X_test"].ravel())
        np.testing.assert_array_equal(data.y[:-tests], arrays["y_train"])
