"""Classes from file names: what is proposed, what is found, and which patterns are refused."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from lincore import DataError
from lincore.io import read_image_zip
from tests.lincore.io.images.in_memory import encoded, read_paths, zipped


def labels(names, pattern=None):
    """Return the class of every image, found by a pattern of its name."""
    data = read_paths(names, pattern=pattern)
    found = dict(zip(data.row_names, data.classes[data.codes].tolist(), strict=True))
    return [found[name] for name in names]


@pytest.mark.parametrize(
    "layout",
    ["{c}_{i}.png", "{c}.{i}.jpg", "{c} ({i}).bmp", "x/{c}{i}.png", "{i}_{c}.png", "0{i}-{c}.gif"],
)
@pytest.mark.parametrize("classes", [("cat", "dog"), ("Egyptian_cat", "Great Dane")])
def test_common_names_are_understood(layout, classes):
    names = [layout.format(c=c, i=i) for c in classes for i in range(1, 4)]
    assert labels(names) == [c for c in classes for _ in range(3)]


@pytest.mark.parametrize(
    "lines",
    [
        ["filename,label", *(f"{i:03}.png,{['cat', 'dog'][i % 2]}" for i in range(20))],
        ["id;age;breed", *(f"{i:03};{i};{['cat', 'dog'][i % 2]}" for i in range(40))],
        [
            "path\tsize\tclass",
            *(f"x/{i:03}.png\t{i % 3}\t{['cat', 'dog'][i % 2]}" for i in range(20)),
        ],
    ],
)
def test_a_table_in_the_zip_gives_the_classes(lines):
    files = {f"x/{i:03}.png": encoded(Image.new("L", (4, 3), i)) for i in range(20)}
    data = read_image_zip(zipped({**files, "labels.csv": "\n".join(lines)}), "made.zip")
    assert data.classes[data.codes].tolist() == ["cat", "dog"] * 10
    assert [notice.code for notice in data.notices] == ["LIN085"] and not data.skipped
    # An image that it does not name is skipped; rows of several objects are no classes.
    files["x/new.png"] = files["x/000.png"]
    data = read_image_zip(zipped({**files, "labels.csv": "\n".join(lines)}), "made.zip")
    assert [one.reason for one in data.skipped] == ["labels.csv gives no class for it"]
    with pytest.raises(DataError, match="one class"):
        read_image_zip(zipped({**files, "labels.csv": "\n".join(lines * 2)}), "made.zip")


def test_a_person_before_a_dot_and_a_digit_before_a_number():
    yale = [f"subject{i:02}.{mood}" for i in (1, 2) for mood in ("happy.gif", "sad.gif")]
    assert set(labels(yale)) == {"subject01", "subject02"}
    digits = [f"{k}_{i:05}.png" for k in (3, 8) for i in range(3)]
    assert list(map(str, labels(digits))) == ["3"] * 3 + ["8"] * 3


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["1.png", "2.png"],
        ["cat_1.png", "cat_2.png"],
        ["cat_1.png", "dog_1.png"],
        [f"{c}_1.png" for c in "abcdefgh"],
    ],
)
def test_names_without_classes_have_no_pattern(names):
    with pytest.raises(DataError):
        labels(names)


def test_groups_and_labels_may_both_be_found():
    names = ["anna-smile-1.png", "anna-smile-2.png", "bea-sad-1.png", "x.png"]
    data = read_paths(names, pattern=r"^(?P<group>\w+)-(?P<label>\w+)-")
    groups = [data.group_names[group] for group in data.groups]
    found = zip(data.row_names, data.classes[data.codes].tolist(), groups, strict=True)
    assert sorted(found) == [
        ("anna-smile-1.png", "smile", "anna"),
        ("anna-smile-2.png", "smile", "anna"),
        ("bea-sad-1.png", "sad", "bea"),
    ]
    assert [one.name for one in data.skipped] == ["x.png"]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "not a regular expression"),
        (r"\w+", "no group called"),
        (r"(?P<label>(a+)+)$", "forever"),
        (r"(?P<label>(a|a)*)$", "forever"),
        (r"(?P<label>a)\1*(b){2,}", "forever"),
        (r"(?P<label>.*.*.*.*)=", "forever"),
        (r"(?P<label>a)" + "a?" * 30, "forever"),
        (r"(?P<label>a)(?=(a+)+b)", "forever"),
        (r"(?P<label>a)" + "b" * 300, "longer than 200"),
    ],
)
def test_a_pattern_that_is_none_or_runs_away_is_refused(pattern, reason):
    with pytest.raises(DataError, match=reason) as caught:
        labels(["cat_1.png", "dog_1.png"], pattern)
    assert "cat_01.png" in caught.value.notice.remedy


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(?P<label>[^\W\d]\D*?)[ _.-]*\(?\d+\)?$",
        r"^(?P<label>[^_. -]+)(?:[_. -]|$)",
        r"(?i)^(?P<label>[A-Z]+)",
    ],
)
def test_ordinary_patterns_are_allowed(pattern):
    assert labels(["cat_1.png", "dog_1.png"], pattern) == ["cat", "dog"]


@settings(max_examples=30)
@given(st.text(max_size=60))
def test_any_text_is_a_pattern_or_refused(text):
    try:
        data = read_paths(["cat_01.png", "dog_1.png"], pattern=text)
    except DataError as error:
        assert error.notice.remedy
    else:
        assert data.n_rows == 2


def test_a_search_that_takes_too_long_is_given_up(monkeypatch):
    seconds = count()
    clock = SimpleNamespace(monotonic=lambda: next(seconds))
    monkeypatch.setattr("lincore.io.images._classes.time", clock)
    with pytest.raises(DataError, match="too long"):
        labels([f"cat_{i}.png" for i in range(100)], "(?P<label>[a-z]+)")
    assert next(seconds) < 20


def test_what_follows_the_last_point_is_an_ending_only_where_it_is_one_of_images():
    names = [f"faces/subject{i:02d}.{look}" for i in (1, 2) for look in ("happy", "wink", "gif")]
    assert labels(names) == ["subject01"] * 3 + ["subject02"] * 3
