"""The largest association is tested as a maximum, and its sentence says what was found."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore.errors import DataError
from lincore.inspection import associations, largest_association_test


def finding(data, rows=None):
    ranked = associations(data, rows)
    test = largest_association_test(data, ranked[0].column, rows)
    return test, replace(data, target_name="kind").associations().finding()


def noise(rng, n=60, p=20, n_classes=2):
    X = rng.standard_normal((n, p))
    X[:, ::4] = np.round(X[:, ::4])
    X[rng.random(X.shape) < 0.05] = np.nan
    return lincore.load((X, rng.integers(0, n_classes, n)))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_noise_alarms_in_about_one_data_set_of_twenty(n_classes):
    p = [finding(noise(np.random.default_rng(s), n_classes=n_classes))[0].p for s in range(200)]
    # Four standard errors either side of 5 %; the seeds are fixed.
    assert 0.0 < np.mean(np.array(p) < 0.05) < 0.115
    assert 0.4 < np.mean(p) < 0.6


def test_rows_of_one_group_do_not_alarm():
    alarms = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        groups = np.repeat(np.arange(24), rng.integers(2, 9, 24))
        X = rng.standard_normal((24, 5))[groups] + 0.1 * rng.standard_normal((len(groups), 5))
        data = lincore.load((X, (np.arange(24) % 2)[groups]))
        test, _ = finding(replace(data, groups=groups))
        assert test.by_groups
        alarms.append(test.p < 0.05)
    assert np.mean(alarms) < 0.14  # row by row 0.8


def test_the_maximum_is_that_of_an_independent_permutation_test():
    rng = np.random.default_rng(0)
    data = noise(rng, n=40, p=6, n_classes=3)
    observed = associations(data)[0].value
    largest = [
        associations(replace(data, codes=rng.permutation(data.codes)))[0].value for _ in range(500)
    ]
    expected = np.mean(np.array(largest) >= observed - 1e-9)
    assert finding(data)[0].p == pytest.approx(expected, abs=0.07)


def test_sentences_say_what_was_tested_and_found():
    rng = np.random.default_rng(3)
    codes = np.arange(80) % 2
    X = rng.standard_normal((80, 3))
    _, said = finding(lincore.load((X, codes)))
    assert said.startswith("The association of ") and "is no larger than expected by chance" in said
    assert "the largest of 3 features (p = " in said
    X[:, 1] += codes
    _, said = finding(lincore.load((X, codes)))
    assert "has the largest association with 'kind' (η = " in said
    assert "; p = 0.001), then " in said
    _, said = finding(lincore.load((X[:, [1]], codes)))
    assert "is associated with 'kind' (η = " in said and "largest" not in said


def test_weak_associations_of_many_rows_and_samples_of_them():
    rng = np.random.default_rng(1)
    codes = np.arange(60_000) % 2
    X = rng.standard_normal((60_000, 30))
    X[:, 4] += 0.15 * codes
    test, said = finding(lincore.load((X, codes)))
    assert test.is_sample and test.n_rows < 60_000 and test.n_permutations == 199
    assert said.startswith("No single column separates the classes: of 30 features, ")
    assert "p = 0.005" in said
    scope = lincore.load((X, codes)).associations().scope()
    assert f"; p by permutation of the labels of {test.n_rows:,} rows drawn at random" in scope


def test_without_columns_or_rows_there_is_nothing_to_test():
    texts = pd.DataFrame({"text": ["good film", "bad film", "good"] * 9, "y": ["a", "b", "a"] * 9})
    words = lincore.load(texts, target="y", roles={"text": "text"})
    assert words.associations().finding() == "There is no column to compare."
    with pytest.raises(DataError, match="no such column to show"):
        print(words.column())
    data = lincore.sample("passengers")
    assert finding(data, np.arange(0))[0].p == 1.0 and finding(data, [0, 1, 2])[0].p > 0.05
