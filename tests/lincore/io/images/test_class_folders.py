"""The class level is found whatever wraps it; train and test folders are no classes."""

from __future__ import annotations

import pytest
from PIL import Image

from lincore import DataError
from lincore.io import load
from tests.lincore.io.images.in_memory import encoded, read_paths, zipped

CELLS = [(name, i) for name in ("yes", "no") for i in range(3)]


def by_name(data):
    return dict(zip(data.row_names, data.classes[data.codes].tolist(), strict=True))


def labels(paths, level=None):
    found = by_name(read_paths(paths, level=level))
    return [found[path] for path in paths]


def spread(layout, **names):
    """Return a path for every combination of names, and one image in each."""
    paths = [layout + "/1.png"]
    for key, values in names.items():
        paths = [path.replace("{" + key + "}", value) for path in paths for value in values]
    return paths


@pytest.mark.parametrize(
    "layout",
    [
        "{c}",
        "top/{c}",
        "a/b/c/{c}",
        "{c}/images",
        "top/{c}/images",
        "{s}/{c}",
        "top/{s}/{c}/images",
        "top/{c}/{s}",
        "seg_{s}/seg_{s}/{c}",
        "data/{s}ing_set/{c}",
        "camera{n}/{c}",
        "domain{d}/images/{c}",
        "{c}/session{n}",
        "{c}/{n}0X",
        "{c}/patient-{c}{n}",
        "{c}/person{n}",
        "person{n}/{c}",
        "top/{c}/Subject_{n}/images",
    ],
)
def test_the_class_is_found_whatever_wraps_it(layout):
    paths = spread(layout, s=("train", "test"), c=("cat", "dog"), n="12", d=("Art", "Photo"))
    assert set(labels(paths)) == {"cat", "dog"}
    assert all(label in path for label, path in zip(labels(paths), paths, strict=True))


def test_folders_below_the_class_are_groups():
    paths = spread("{c}/{c}{n}", c=("sick", "well"), n="123")
    data = read_paths(paths)
    assert data.classes.tolist() == ["sick", "well"]
    assert len(set(data.groups)) == 6
    assert read_paths(spread("{c}/images", c="ab")).groups is None


def test_one_level_may_be_asked_for():
    paths = spread("{k}/{c}", k=("fur", "wings"), c=("cat", "dog"))
    assert set(labels(paths)) == {"cat", "dog"}
    assert set(labels(paths, level=0)) == {"fur", "wings"}
    with pytest.raises(DataError, match="class"):
        labels(paths, level=5)


def test_a_image_beside_the_classes_has_none():
    data = read_paths(["top/1.png", "top/a/1.png", "top/b/1.png"])
    assert by_name(data) == {"top/a/1.png": "a", "top/b/1.png": "b"}
    assert data.skipped == (("top/1.png", "not inside a class folder"),)


def test_images_without_a_class_in_a_third_folder_are_left_out():
    paths = spread("seg_{s}/seg_{s}/{c}", s=("train", "test"), c=("sea", "wood"))
    (skipped,) = read_paths([*paths, "seg_pred/seg_pred/1.png"]).skipped
    assert skipped.reason == "neither in the train nor in the test folder"


def test_classes_that_look_like_a_split_stay_classes():
    assert set(labels(spread("{c}", c=("train_station", "test_tube")))) == {
        "train_station",
        "test_tube",
    }
    assert set(labels(spread("{c}", c=("train", "ship")))) == {"train", "ship"}


@pytest.mark.parametrize("path", ["__MACOSX/a/1.png", "a/._1.png", "a/.git/1.png", "a/Thumbs.db"])
def test_what_a_system_adds_is_hidden(path):
    (skipped,) = read_paths(["a/0.png", "b/0.png", path]).skipped
    assert skipped.name == path and skipped.reason.startswith("hidden")


@pytest.mark.parametrize("layout", ["top/{c}/{w}", "{w}/{c}"])
def test_masks_are_no_images_of_a_class(layout):
    paths = spread(layout, c=("COVID", "Normal"), w=("images", "masks"))
    data = read_paths(paths)
    assert data.classes.tolist() == ["COVID", "Normal"]
    masks = {one.name for one in data.skipped if one.reason == "a mask of an image"}
    assert masks == {path for path in paths if "masks" in path}


def test_folders_called_masks_are_a_class_where_they_stand_beside_others():
    assert set(labels(spread("{c}", c=("masks", "hats")))) == {"masks", "hats"}
    assert set(labels(spread("{c}", c=("mask", "images")))) == {"mask", "images"}


@pytest.mark.parametrize("root", ["", "archive/", "a/b/"])
@pytest.mark.parametrize("container", ["x", "brain data", "yes and no/deeper", "train set"])
@pytest.mark.parametrize("names", [("yes", "no"), ("yes", "no", "maybe")])
def test_a_folder_that_holds_class_folders_is_no_class(root, container, names):
    paths = [f"{root}{container}/{name}/{i}.png" for name in names for i in range(2)]
    paths += [f"{root}{name}/{i}.png" for name in ("yes", "no") for i in range(2)]
    assert labels(paths) == [path.split("/")[-2] for path in paths]


def test_a_folder_of_class_folders_in_other_capitals_is_no_class():
    paths = [f"data/{name}/{i}.png" for name in ("CAT", "Dog") for i in range(2)]
    paths += [f"{name}/{i}.png" for name in ("cat", "dog") for i in range(2)]
    assert set(labels(paths)) == {"cat", "dog"}


def test_copies_at_another_level_are_left_out():
    grey = {(c, i): encoded(Image.new("L", (4, 3), 60 * i + 9 * len(c))) for c, i in CELLS}
    files = {f"x/{c}/{i}.png": raw for (c, i), raw in grey.items()}
    files |= {f"{c}/{i}.png": raw for (c, i), raw in grey.items()}
    files["x/no/3.png"] = encoded(Image.new("L", (4, 3), 200))
    data = load(zipped(files), name="made.zip")
    assert data.classes.tolist() == ["no", "yes"]
    assert data.counts.tolist() == [4, 3]
    assert "x/no/3.png" in data.row_names
    assert len(data.skipped) == 6
    assert all("copy of" in one.reason for one in data.skipped)
    # Other images of the same name are no copies.
    other = {name: encoded(Image.new("L", (4, 3), 10 * i)) for i, name in enumerate(files)}
    assert load(zipped(other), name="made.zip").counts.tolist() == [7, 6]
