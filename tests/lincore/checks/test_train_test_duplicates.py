"""Duplicates across a split: those planted are found, those that chance makes are let pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import lincore
from lincore.checks import duplicates_across_split, find_near_duplicates
from lincore.data import Dataset, Split
from tests.data import DATA, needs_data


def halves(n):
    order = np.random.default_rng(1).permutation(n)
    return Split(np.sort(order[: n // 2]), np.sort(order[n // 2 :]))


def table(X, codes):
    return Dataset("made", X, codes, np.unique(codes), tuple(f"x{j}" for j in range(X.shape[1])))


@pytest.mark.parametrize("name", ["iris", "wine", "breast cancer", "digits", "gaussian"])
def test_no_false_alarm_on_the_samples(name):
    data = lincore.sample(name)
    assert duplicates_across_split(data, lincore.split(data)).verdict == "fine"


@pytest.mark.long
@needs_data
def test_titanic_repeats_itself_by_chance_and_wine_quality_does_not():
    titanic = lincore.load(DATA / "csv" / "titanic.csv", target="Survived")
    for seed in range(3):  # families on one ticket are worth a note, not more
        found = duplicates_across_split(titanic, lincore.split(titanic, seed=seed))
        assert found.verdict != "warning"
        assert found.values["surprising"] < found.values["exact"] / 2
    wine = lincore.load(DATA / "csv" / "winequality_red_semicolon.csv", target="quality")
    assert (
        duplicates_across_split(wine, lincore.split(wine)).verdict == "warning"
    )  # 240 repeated rows


@pytest.mark.long
@needs_data
def test_the_faces_are_nearly_the_same_in_both_parts_unless_split_by_number():
    faces = lincore.load(DATA / "faces3_bmp30.zip")
    found = duplicates_across_split(faces, lincore.split(faces))
    assert found.verdict == "warning"
    assert found.values["near"] > 0.5
    assert "Training and test images are nearly the same" in found.sentence
    assert "group" in found.remedy
    assert '"last"' in found.remedy
    by_number = duplicates_across_split(faces, lincore.split(faces, "last"))
    assert by_number.verdict == "fine"
    assert by_number.values["exact"] == 0


@pytest.mark.long
@needs_data
def test_messages_that_were_sent_twice_are_noticed():
    messages = lincore.load(DATA / "csv" / "sms_spam_latin1.csv", target="v1")
    found = duplicates_across_split(messages, lincore.split(messages))
    assert found.verdict != "fine"
    assert "test texts" in found.sentence
    assert found.values["exact"] >= 0.03  # 403 of 5,572 messages are repeats


@pytest.mark.long
@needs_data
def test_ten_images_of_a_person_are_ten_images():
    orl = lincore.load(DATA / "orl_faces.zip")
    assert duplicates_across_split(orl, lincore.split(orl)).verdict == "fine"


@pytest.mark.parametrize("noise", [0.0, 1e-5])
def test_planted_duplicates_in_a_table_are_found(noise):
    rng = np.random.default_rng(0)
    units = np.array([1, 1e3, 1e-3, 1])
    X = rng.standard_normal((400, 4)) * units + 1e3
    split = halves(400)
    X[split.test[:30]] = X[split.train[:30]] + noise * units
    found = find_near_duplicates(X[split.train], X[split.test])
    assert_array_equal(np.flatnonzero(found.surprising), np.arange(30))
    assert_array_equal(found.nearest[:30], np.arange(30))
    assert found.exact.sum() == (30 if noise == 0 else 0)
    check = duplicates_across_split(table(X, np.arange(400) % 2), split)
    assert check.verdict == "warning"
    assert check.values["surprising"] == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("planted", "n", "verdict"),
    [(3, 400, "fine"), (4, 400, "note"), (9, 400, "note"), (10, 400, "warning"), (2, 100, "fine"),
     (3, 100, "warning")],
)  # fmt: skip
def test_two_in_a_hundred_test_rows_are_noted_and_five_warned_of(planted, n, verdict):
    X, split = np.random.default_rng(0).standard_normal((n, 4)), halves(n)
    X[split.test[:planted]] = X[split.train[:planted]]
    check = duplicates_across_split(table(X, np.arange(n) % 2), split)
    assert check.verdict == verdict
    assert check.values["exact"] == check.values["near"] == 2 * planted / n
    of_another = np.mean(split.test[:planted] % 2 != split.train[:planted] % 2)
    assert check.values["contradicting"] == of_another


def test_coarse_values_coincide_by_chance():
    X = np.random.default_rng(0).integers(0, 4, (1000, 4)).astype(float)
    check = duplicates_across_split(table(X, np.arange(1000) % 2), halves(1000))
    assert check.values["exact"] > 0.5
    assert check.verdict == "fine"
    assert "another class" in check.sentence
    # A value of a single column is not rare among five, although no other row has it.
    few = table(np.array([0.0, 1, 2, 3, 4, 0])[:, None], np.zeros(6, dtype=int))
    found = duplicates_across_split(few, Split(np.arange(5), np.array([5])))
    assert found.values["exact"] == 1 and found.values["surprising"] == 0


def test_correlated_columns_do_not_make_chance_duplicates_surprising():
    rng = np.random.default_rng(0)
    score = np.round(3 * rng.standard_normal((2000, 1)))
    X = np.repeat(score, 8, axis=1)
    check = duplicates_across_split(table(X, np.zeros(2000, dtype=int)), halves(2000))
    assert check.values["exact"] > 0.9
    assert check.verdict == "fine"


def test_gaussian_rows_have_no_duplicates_however_dense():
    for p in (1, 2, 3):
        X = np.random.default_rng(p).standard_normal((4000, p))
        assert (
            duplicates_across_split(table(X, np.zeros(4000, dtype=int)), halves(4000)).verdict
            == "fine"
        )


def test_gaps_equal_gaps_alone():
    X = np.random.default_rng(0).standard_normal((60, 5))
    X[0, 2] = np.nan
    found = find_near_duplicates(X, np.vstack([X[0], np.where(np.isnan(X[0]), 0.0, X[0])]))
    assert_array_equal(found.exact, [True, False])


def test_images_are_compared_by_correlation():
    rng = np.random.default_rng(0)
    train = rng.integers(0, 256, (50, 100)).astype(np.uint8)
    test = np.vstack(
        [
            train[3],  # the same
            train[4] // 2 + 60,  # darker and flatter
            np.clip(train[5] + rng.normal(0, 5, 100), 0, 255),  # noisy
            rng.integers(0, 256, 100),  # another
        ]
    ).astype(np.uint8)
    found = find_near_duplicates(train, test, "images")
    assert_array_equal(found.near, [True, True, True, False])
    assert_array_equal(found.exact, [True, False, False, False])
    assert_array_equal(found.nearest[:3], [3, 4, 5])


def test_figures_of_one_brightness_are_like_each_other_alone():
    rng = np.random.default_rng(0)
    train = np.vstack([np.zeros(64), rng.uniform(size=(5, 64))])
    found = find_near_duplicates(train, np.vstack([np.zeros(64), rng.uniform(size=64)]), "images")
    assert_array_equal(found.exact, [True, False])
    assert_array_equal(found.near, [True, False])


def test_repeated_texts_are_found_and_short_ones_let_pass():
    rng = np.random.default_rng(0)
    counts = (rng.random((300, 500)) < 0.03).astype(float)
    counts[150:180] = counts[:30]
    counts[180:240] = 0
    counts[180:240, 7] = 1.0  # "ok"
    X = sp.csr_array(counts)
    found = find_near_duplicates(X[:150], X[150:], "texts")
    assert_array_equal(np.flatnonzero(found.exact & found.surprising), np.arange(30))
    assert not found.surprising[30:90].any()


def test_rows_are_drawn_where_all_would_take_too_long():
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (3_000, 64), dtype=np.uint8)
    images[2_500:] = images[:500]
    codes = np.arange(3_000) % 2
    data = replace(table(images, codes), image_shape=(8, 8))
    split = Split(np.arange(2_500), np.arange(2_500, 3_000))
    check = duplicates_across_split(data, split, cost=100 * 2_500 * 64)
    assert check.values["searched"] == 100
    assert "100 of the 500 test images" in check.sentence
    assert check.values["exact"] == 1


def test_an_empty_part_is_no_error():
    data = lincore.sample("iris")
    nothing = np.array([], dtype=np.intp)
    assert duplicates_across_split(data, Split(np.arange(150), nothing)).verdict == "fine"
