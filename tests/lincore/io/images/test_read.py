"""Zips of images: classes, sizes, splits, every skipped file listed, and back to a zip."""

from __future__ import annotations

import io
import struct
import threading
import warnings
import zipfile
import zlib
from dataclasses import replace
from time import sleep

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from lincore import DataError
from lincore.data import Dataset, split
from lincore.io import ImageOptions, load, read_image_files, read_image_zip, sample, write_image_zip
from lincore.limits import LIMITS
from tests.lincore.io.images.in_memory import encoded, read_alone, zipped


def image(seed=0, size=(5, 4), kind="PNG", mode="L"):
    """Return an image of random grey levels; `size` is (height, width)."""
    pixels = np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(buffer, kind)
    return buffer.getvalue()


def two_classes(**more):
    return {f"{label}/{i}.png": image(i) for label in "ab" for i in range(2)} | more


def read(files, limits=LIMITS, **options):
    return read_image_zip(zipped(files), "made.zip", ImageOptions(**options), limits=limits)


def refused(raw, limits=LIMITS):
    with pytest.raises(DataError) as caught:
        read_image_zip(raw, "made.zip", limits=limits)
    assert caught.value.notice.remedy
    assert "made.zip" in caught.value.notice.where
    return str(caught.value)


def reasons(data):
    return {file.name: file.reason for file in data.skipped}


def png_of_stated_size(width, height):
    """Return a PNG whose header states any size, over no pixels at all."""

    def chunk(kind, content):
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = chunk(b"IDAT", zlib.compress(b""))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")


def test_the_folder_is_the_class_and_order_is_natural():
    files = {f"top/Class{k}/x_{i}.png": image(10 * k + i) for k in (10, 2) for i in (10, 2, 1)}
    data = read(files)
    assert data.classes.tolist() == ["Class2", "Class10"]
    assert data.row_names == tuple(f"top/Class{k}/x_{i}.png" for k in (2, 10) for i in (1, 2, 10))
    assert (data.name, data.image_shape, data.X.dtype) == ("made", (5, 4), np.uint8)
    expected = np.random.default_rng(21).integers(0, 256, (5, 4), dtype=np.uint8)
    np.testing.assert_array_equal(data.X[0].reshape(5, 4), expected)
    assert data.given_test is None
    assert data.notices == ()
    assert data.skipped == ()
    assert data.feature_names[:5] == (
        "pixel 1,1",
        "pixel 1,2",
        "pixel 1,3",
        "pixel 1,4",
        "pixel 2,1",
    )


def test_a_file_opened_is_read_like_its_bytes(tmp_path):
    path = tmp_path / "made.zip"
    path.write_bytes(zipped(two_classes()))
    with path.open("rb") as stream:
        assert read_image_zip(stream, "made.zip").digest == load(path).digest


@pytest.mark.parametrize(
    ("train", "test"), [("train", "test"), ("Training", "VAL"), ("TRAIN", "validation")]
)
@pytest.mark.parametrize("layout", ["{part}/{label}/{i}.png", "top/{label}/{part}/{i}.png"])
def test_a_split_in_folders_is_kept(train, test, layout):
    files = {
        layout.format(part=part, label=label, i=i): image(i)
        for part in (train, test)
        for label in "ab"
        for i in range(3 if part == train else 1)
    }
    data = read(files)
    assert data.classes.tolist() == ["a", "b"]
    assert [test in name for name in data.row_names] == data.given_test.tolist()
    assert len(split(data, "given").test) == 2
    assert "6 training and 2 test images" in str(data.notices[0])


def test_a_test_folder_without_a_training_folder_is_a_class():
    data = read({"test/1.png": image(1), "control/1.png": image(2)})
    assert data.classes.tolist() == ["control", "test"]
    assert data.given_test is None


def test_an_image_in_a_split_without_a_class_is_skipped():
    files = {f"{part}/{label}/1.png": image() for part in ("train", "test") for label in "ab"}
    assert reasons(read(files | {"train/1.png": image()})) == {
        "train/1.png": "not inside a class folder"
    }


def test_every_skipped_file_is_listed_with_its_reason():
    whole = image()
    data = read(
        two_classes()
        | {
            "a/": b"",
            "root.png": whole,
            "__MACOSX/a/._0.png": whole,
            "a/.DS_Store": b"x",
            "a/notes.txt": b"text",
            "a/cut.png": whole[:-40],
            "a/text.png": b"text",
            "a/empty.png": b"",
            "../a/up.png": whole,
            "/a/absolute.png": whole,
            "C:\\a\\drive.png": whole,
            "a/image.eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
        }
    )
    assert reasons(data) == {
        "root.png": "not inside a class folder",
        "__MACOSX/a/._0.png": "hidden, or a system's own (__MACOSX)",
        "a/.DS_Store": "hidden, or a system's own (__MACOSX)",
        "a/notes.txt": "not an image",
        "a/cut.png": "damaged image",
        "a/text.png": "damaged image",
        "a/empty.png": "empty file",
        "../a/up.png": "its path leads out of the zip",
        "/a/absolute.png": "its path leads out of the zip",
        "C:/a/drive.png": "its path leads out of the zip",
        "a/image.eps": "not an image",
    }
    assert data.n_rows == 4


def test_backslashes_are_folders():
    assert read({"a\\1.png": image(), "b\\1.png": image()}).classes.tolist() == ["a", "b"]


def test_mixed_sizes_are_brought_to_the_most_frequent():
    data = read(two_classes(**{"a/wide.png": image(size=(4, 30))}))
    assert data.image_shape == (5, 4)
    assert "1 of 5 images had a different size: resized to 5 × 4" in str(data.notices[0])


def test_photographs_of_all_sizes_are_brought_to_the_middle_one():
    files = {f"{'ab'[i % 2]}/{i}.png": image(size=(10 + i, 30 - i)) for i in range(9)}
    data = read(files)
    assert data.image_shape == (14, 26)
    assert "The 9 images have 9 different sizes: resized to 14 × 26" in str(data.notices[0])


def test_a_damaged_image_is_not_counted_among_those_resized():
    data = read(two_classes(**{"a/cut.png": image(size=(40, 30))[:-40]}))
    assert list(reasons(data)) == ["a/cut.png"]
    assert data.notices == ()


def test_a_size_asked_for_overrules():
    plain = {f"{label}/1.png": encoded(Image.new("L", (4, 6), 77)) for label in "ab"}
    data = read(plain, size=(3, 2))
    assert data.image_shape == (3, 2)
    assert set(data.X.ravel().tolist()) == {77}
    with pytest.raises(DataError, match="size"):
        read(plain, size=(0, 2))


@pytest.mark.parametrize(
    ("size", "expected"), [((20, 80), (5, 20)), ((1, 900), (1, 100)), ((900, 1), (100, 1))]
)
def test_large_images_are_scaled_down_in_proportion(size, expected):
    files = {f"{label}/1.png": image(size=size) for label in "ab"}
    data = read(files, limits=replace(LIMITS, max_features=100))
    assert data.image_shape == expected
    assert "scaled down" in str(data.notices[0])


def test_a_class_of_one_image_is_told():
    assert "class 'c': A single row" in str(read(two_classes(**{"c/1.png": image()})).notices[0])


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "No image can be used (0 files"),
        ({"a/1.txt": b"text"}, "a/1.txt: not an image"),
        ({"faces/1.png": image(), "faces/2.png": image()}, "one class: faces"),
        ({"1.png": image(), "2.png": image()}, "not inside a class folder"),
        ({"a/1.png": image(), "b/1.png": image()[:-40]}, "one class: a"),
        ({f"{label * 201}/1.png": image() for label in "ab"}, "longer than 200"),
    ],
)
def test_a_zip_without_two_classes_of_images_is_refused(files, message):
    assert message in refused(zipped(files))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_members": 3}, "more than 3 files"),
        ({"max_total_bytes": 100}, "unpacks to over"),
        ({"max_file_bytes": 100}, "larger than"),
        ({"max_total_pixels": 79}, "are too many"),
        ({"max_source_pixels": 79}, "billion pixels"),
        ({"max_member_bytes": 10}, "larger than 0 MB"),
        ({"max_image_pixels": 19}, "too many pixels: 5 × 4"),
    ],
)
def test_limits_hold(change, message):
    assert message in refused(zipped(two_classes()), replace(LIMITS, **change))


@pytest.mark.parametrize("side", [6_000, 13_000, 60_000])
def test_a_header_of_too_many_pixels_is_not_decoded(side):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        data = read(two_classes(**{"a/huge.png": png_of_stated_size(side, side)}))
    assert warned == []
    assert list(reasons(data)) == ["a/huge.png"]
    if side < 10_000:
        assert reasons(data)["a/huge.png"] == f"too many pixels: {side} × {side}"


def test_digits_come_back_as_they_were():
    digits = sample("digits").take(slice(300))
    raw = write_image_zip(digits)
    assert raw == write_image_zip(digits)
    again = load(raw, name="digits.zip")
    assert again.row_names[0] == "digits/0/00001.png"
    assert again.classes.tolist() == [str(label) for label in digits.classes]
    grouped = np.argsort(digits.codes, kind="stable")
    np.testing.assert_array_equal(again.X, digits.X[grouped])
    np.testing.assert_array_equal(again.codes, digits.codes[grouped])


@settings(max_examples=20)
@example(["0", " ."])
@example(["0", "__MACOSX"])
@given(st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=5, unique=True))
def test_classes_of_any_name_can_be_written(labels):
    X = np.arange(6 * len(labels), dtype=np.uint8).reshape(len(labels), 6)
    names = tuple(f"p{i}" for i in range(6))
    codes = np.arange(len(labels))
    data = Dataset("../x", X, codes, np.array(labels), names, image_shape=(2, 3))
    try:
        raw = write_image_zip(data)
    except UnicodeEncodeError:
        pytest.skip("surrogates are no text")
    again = read_image_zip(raw, "x.zip")
    assert sorted(again.X.tolist()) == X.tolist()
    assert again.n_classes == len(labels)
    assert again.skipped == ()


def test_a_table_is_not_written_as_images():
    with pytest.raises(DataError, match="not images"):
        write_image_zip(sample("iris"))


def test_colour_comes_back_as_it_was():
    pixels = np.random.default_rng(0).integers(0, 256, (6, 4, 5, 3), dtype=np.uint8)
    files = {
        f"{label}/{i}.png": encoded(Image.fromarray(pixels[i])) for i, label in enumerate("aabbcc")
    }
    data = read(files, colour=True)
    assert data.image_shape == (4, 5, 3)
    assert data.feature_names[59] == "pixel 4,5 blue"
    np.testing.assert_array_equal(data.X.reshape(pixels.shape), pixels)
    again = load(write_image_zip(data), name="made.zip", colour=True)
    np.testing.assert_array_equal(again.X, data.X)
    grey = read(files)
    assert grey.image_shape == (4, 5)
    assert [notice.code for notice in grey.notices] == ["LIN080"]
    assert data.notices == ()


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "CMYK"])
def test_grey_images_in_a_format_for_colours_are_no_colour_images(mode):
    kind = "TIFF" if mode == "CMYK" else "PNG"
    files = {f"{x}/{i}.{kind}": image(i, kind=kind, mode=mode) for x in "ab" for i in (1, 2)}
    assert "LIN080" not in [notice.code for notice in read(files).notices]


def test_a_split_is_written_and_read_back():
    names = [f"{s}/{c}/{i}.png" for s in ("train", "test") for c in "ab" for i in "12"]
    data = read({name: image(position) for position, name in enumerate(names)})
    again = load(write_image_zip(data), name="made.zip")
    for tests in (False, True):
        np.testing.assert_array_equal(
            again.X[again.given_test == tests], data.X[data.given_test == tests]
        )


def test_colours_count_among_the_features():
    files = {f"{label}/1.png": image(size=(10, 10)) for label in "ab"}
    limits = replace(LIMITS, max_features=100)
    assert read(files, limits=limits).image_shape == (10, 10)
    assert read(files, limits=limits, colour=True).image_shape == (5, 5, 3)


def test_names_give_the_classes_where_folders_do_not():
    files = {f"pets/{pet}.{i}.png": image(i) for pet in ("cat", "dog") for i in range(3)}
    data = read(files)
    assert data.classes.tolist() == ["cat", "dog"]
    assert "file names give the classes, such as cat in cat.0.png." in str(data.notices[0])
    by_part = [f"{s}/{c}_{i}.png" for s in ("train", "test") for c in "ab" for i in "12"]
    data = read({name: image(i) for i, name in enumerate(by_part)})
    assert data.given_test.tolist() == [name.startswith("test") for name in data.row_names]


def test_a_pattern_overrules_the_folders():
    files = {f"{label}/x_{pet}1.png": image() for label in "ab" for pet in ("cat", "dog")}
    data = read(files | {"a/none.png": image()}, pattern=r"_(?P<label>[a-z]+)")
    assert data.classes.tolist() == ["cat", "dog"]
    assert data.notices == ()
    assert reasons(data) == {"a/none.png": "the pattern finds no class in its name"}


def test_what_belongs_together_is_a_group():
    files = {f"{label}/anna_{i}.png": image() for label in "ab" for i in "12"}
    files |= {f"{label}/ben_1.png": image() for label in "ab"}
    data = read(files, pattern="(?P<group>[a-z]+)_")
    assert data.classes.tolist() == ["a", "b"]
    assert [data.group_names[code] for code in data.groups] == ["anna", "anna", "ben"] * 2
    persons = {
        f"{label}/p{label}{i}/{j}.png": image() for label in "ab" for i in "12" for j in "12"
    }
    data = read(persons)
    assert data.group_names == ("a/pa1", "a/pa2", "b/pb1", "b/pb2")
    assert data.groups.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert read(two_classes()).groups is None


def test_single_files_are_read_like_a_zip():
    files = [(f"{pet}_{i}.png", image(i)) for pet in ("cat", "dog") for i in range(3)]
    data = read_image_files([*files, ("notes.txt", b"text"), ("cat_9.png", b"")])
    assert data.digest == replace(read(dict(files)), name="images").digest
    assert reasons(data) == {"notes.txt": "not an image", "cat_9.png": "damaged image"}
    with pytest.raises(DataError, match="No image can be used"):
        read_image_files([("a.txt", b"text")])
    with pytest.raises(DataError, match="empty"):
        read_image_files([])
    with pytest.raises(DataError, match="more than 2 files"):
        read_image_files(files, limits=replace(LIMITS, max_members=2))


def test_progress_is_told_and_can_stop():
    raw = zipped({f"{label}/{i}.png": image(i) for label in "ab" for i in range(200)})
    told = []
    read_image_zip(raw, "made.zip", progress=lambda *state: told.append(state))
    assert {what for _, _, what in told} == {"Looking at images", "Decoding images"}
    assert told[-1] == (400, 400, "Decoding images")
    for what in ("Looking at images", "Decoding images"):
        done = [state[0] for state in told if state[2] == what]
        assert done == sorted(done)
    with pytest.raises(DataError, match="stopped"):
        read_image_zip(raw, "made.zip", progress=lambda done, *_: done < 100)


class Fault(BaseException):
    """What no decoder raises."""


def test_an_error_while_decoding_comes_out_and_ends_the_work(monkeypatch):
    raw = zipped({f"{label}/{i}.png": image() for label in "ab" for i in range(1_000)})
    opened, known = [], Image.open

    def failing(*given, **named):
        if threading.current_thread().name.startswith("decode") and caught_up.is_set():
            opened.append(1)
            if len(opened) == 70:
                raise Fault
            sleep(0.001)
        return known(*given, **named)

    def note(done, total, what):
        if what == "Decoding images":
            caught_up.set()
        return True

    caught_up = threading.Event()
    monkeypatch.setattr(Image, "open", failing)
    with pytest.raises(Fault):
        read_image_zip(raw, "made.zip", progress=note)
    assert len(opened) < 1_500, "the rest is left undone"
    assert not [one for one in threading.enumerate() if one.name.startswith("decode")]


@pytest.mark.parametrize("fit", ["pad", "crop", "stretch"])
def test_other_sizes_are_fitted_as_asked(fit):
    half = np.zeros((4, 8), dtype=np.uint8)
    half[:, 4:] = 240
    data = read(two_classes(**{"a/wide.png": encoded(Image.fromarray(half))}), fit=fit)
    row = data.X[[name.endswith("wide.png") for name in data.row_names]]
    alone, _ = read_alone(encoded(Image.fromarray(half)), size=(5, 4), fit=fit)
    assert np.array_equal(row, alone[None])
    with pytest.raises(DataError, match="no resize method"):
        read(two_classes(), fit="squeeze")


SMALL = zipped(
    {
        f"{label}/{kind}": image(i, (8, 9), kind, "RGB" if kind == "JPEG" else "L")
        for i, label in enumerate("ab")
        for kind in ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP")
    },
    zipfile.ZIP_STORED,
)
VALUES = [b"\xff\xff\xff\xff", bytes(4), b"PK\x01\x02", b"PK\x05\x06", b"\x7f", b""]
changes = st.lists(st.tuples(st.integers(0, len(SMALL) - 1), st.sampled_from(VALUES)), max_size=6)


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(changes, st.integers(0, 12))
def test_any_damage_is_a_skipped_file_or_refused_with_a_remedy(places, cut):
    raw = bytearray(SMALL)
    for place, value in places:
        raw[place : place + len(value)] = value
        del raw[place : place + cut * (value == b"")]
    try:
        data = read_image_zip(bytes(raw), "made.zip")
    except DataError as error:
        assert error.notice.remedy
    else:
        assert len(data.row_names) == data.n_rows == len(data.X)
