"""Real tables: what is to be detected in each; in the long suite, what is learned from them."""

from __future__ import annotations

import gzip
import re
import warnings
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

import lincore
from lincore.checks import find_table_problems
from lincore.data import Dataset
from lincore.io import Table, TableOptions, describe_columns, read_table, table_to_dataset
from lincore.preprocessing import build_preparer, prepared_names
from tests.data import DATA, needs_data


class Expected(NamedTuple):
    """What is detected in a table without any help."""

    reading: str
    target: str
    kinds: dict[str, int]  # of the columns besides the target
    missing: int  # cells of the features
    shape: tuple[int, int]
    counts: list[int]  # rows of each class, in the order of the classes
    suspicious: tuple[str, ...] = ()


_ONE = "UTF-8, comma, header in line 1, "
_NONE = "UTF-8, comma, no header, "
EXPECTED = {
    "ecoli_noheader.csv": Expected(
        f"{_NONE}336 rows of 8 columns",
        "column 8",
        {"number": 7},
        0,
        (336, 7),
        [143, 77, 2, 2, 35, 20, 5, 52],
    ),
    "gapminder_semicolon_decimalcomma.txt": Expected(
        "UTF-8, semicolon, decimal comma, header in line 1, 1,704 rows of 6 columns",
        "continent",
        {"category": 2, "number": 3},
        0,
        (1704, 5),
        [624, 300, 396, 360, 24],
        ("column 'country'", "column 'iso_alpha'"),
    ),
    "german_credit.csv": Expected(
        f"{_ONE}1,000 rows of 21 columns",
        "default",
        {"category": 13, "number": 7},
        0,
        (1000, 20),
        [700, 300],
    ),
    "mushrooms.csv": Expected(
        f"{_ONE}8,124 rows of 23 columns",
        "type",
        {"category": 21, "constant": 1},
        2480,
        (8124, 21),
        [4208, 3916],
    ),
    "oil_spill_noheader.csv": Expected(
        f"{_NONE}937 rows of 50 columns",
        "column 50",
        {"number": 48, "constant": 1},
        0,
        (937, 48),
        [896, 41],
    ),
    "penguins_raw.csv": Expected(
        f"{_ONE}344 rows of 17 columns",
        "Species",
        {"number": 6, "category": 4, "identifier": 2, "constant": 2, "date": 1, "text": 1},
        46,
        (344, 10),
        [152, 68, 124],
    ),
    "pima_noheader.csv": Expected(
        f"{_NONE}768 rows of 9 columns",
        "column 9",
        {"number": 8},
        0,
        (768, 8),
        [500, 268],
        tuple(f"column 'column {i}'" for i in (2, 3, 4, 5, 6)),
    ),
    "sms_spam_latin1.csv": Expected(
        "Windows-1252, comma, header in line 1, 5,572 rows of 5 columns",
        "v1",
        {"text": 4},
        0,
        (5572, 8673),
        [4825, 747],
        ("sms_spam_latin1.csv",),
    ),
    "telco_churn.csv": Expected(
        f"{_ONE}7,043 rows of 21 columns",
        "Churn",
        {"identifier": 1, "category": 15, "number": 4},
        11,
        (7043, 19),
        [5174, 1869],
        ("telco_churn.csv",),
    ),
    "titanic.csv": Expected(
        f"{_ONE}891 rows of 12 columns",
        "Survived",
        {"identifier": 3, "text": 1, "category": 2, "number": 5},
        179,
        (891, 7),
        [549, 342],
        ("column 'Fare'", "titanic.csv"),
    ),
    "winequality_red_semicolon.csv": Expected(
        "UTF-8, semicolon, header in line 1, 1,599 rows of 12 columns",
        "quality",
        {"number": 11},
        0,
        (1599, 11),
        [10, 53, 681, 638, 199, 18],
        ("winequality_red_semicolon.csv",),
    ),
}
METHODS = (
    "lda",
    "qda",
    "naive-bayes",
    "multinomial-nb",
    "fisher",
    "least-squares",
    "perceptron(max_epochs=5)",
    "logistic",
)
# The tables for which a method cannot be, and what is said of it.
_SINGULAR = ["ecoli", "gapminder", "german", "mushrooms", "oil", "penguins", "winequality"]
REFUSED = {
    "qda": ("covariance of class .* is singular", _SINGULAR),
    "multinomial-nb": ("Negative values", ["oil", "penguins"]),
}

pytestmark = needs_data


def raw(name: str) -> bytes:
    return (DATA / "csv" / name).read_bytes()


@cache
def table(name: str) -> Table:
    return read_table(raw(name), name)


@cache
def dataset(name: str) -> Dataset:
    return table_to_dataset(table(name))


def test_every_real_table_is_expected():
    # The two of PRML are rebuilt, not real.
    found = {path.name for path in (DATA / "csv").iterdir()}
    assert {name for name in found if not name.startswith("prml_r")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_detected(name):
    expected = EXPECTED[name]
    columns = describe_columns(table(name))
    assert str(table(name).reading) == expected.reading
    assert [column.name for column in columns if column.role == "target"] == [expected.target]
    assert Counter(c.kind for c in columns if c.role != "target") == expected.kinds
    assert sum(c.n_missing for c in columns if c.role == "feature") == expected.missing
    data = dataset(name)
    assert data.X.shape == expected.shape
    assert data.counts.tolist() == expected.counts
    found = " ".join(finding.notice.where for finding in find_table_problems(table(name), columns))
    for where in expected.suspicious:
        assert where.removeprefix("column ") in found


@pytest.mark.long
@pytest.mark.parametrize("name", EXPECTED)
def test_every_classifier_is_fitted_or_says_why_not(name):
    data = dataset(name)
    with warnings.catch_warnings():
        # Not to have converged in five passes is no fault here; what failed is looked at below.
        warnings.simplefilter("ignore")
        results = lincore.compare(data, METHODS, "holdout")
    failed = results.settings.failed
    expected = {method for method, (_, names) in REFUSED.items() if name.startswith(tuple(names))}
    assert set(failed) == expected
    assert all(re.search(REFUSED[method][0], reason) for method, reason in failed.items())
    accuracy = (results.predicted == results.truth).mean(axis=1)
    assert (accuracy > 0).all()
    assert accuracy.max() > np.bincount(results.truth).max() / len(results.truth)


@pytest.mark.long
@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_prepared_is_finite_and_named(name):
    data = dataset(name)
    preparer = build_preparer(data)
    assert (preparer is not None) == data.needs_preparation
    if preparer is not None:
        X = preparer.fit(data.X[: data.n_rows // 2]).transform(data.X)
        assert X.shape[1] == len(prepared_names(preparer, data))
        assert len(set(prepared_names(preparer, data))) == X.shape[1]
        assert np.isfinite(X.data if sp.issparse(X) else X).all()


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_table_in_another_dress_is_the_same(name):
    plain = table(name).frame
    text = raw(name).decode("cp1252" if "latin1" in name else "utf-8")
    dresses = {
        "gzip": gzip.compress(text.encode()),
        "UTF-16": text.encode("utf-16"),
        "byte order mark": text.encode("utf-8-sig"),
        "CRLF": text.replace("\r\n", "\n").replace("\n", "\r\n").encode(),
    }
    for dress, changed in dresses.items():
        assert read_table(changed, name).frame.equals(plain), dress


@pytest.mark.long
def test_gapminder_is_hard_once_what_gives_it_away_is_ignored():
    name = "gapminder_semicolon_decimalcomma.txt"
    found = find_table_problems(table(name), describe_columns(table(name)))
    roles = {column: role for f in found for r in f.remedies for column, role in r.roles.items()}
    data = table_to_dataset(table(name), options=TableOptions(roles=roles))
    assert data.feature_names == ("year", "lifeExp", "pop")
    results = lincore.compare(data, ["lda"], "5-fold")
    assert 0.4 < (results.predicted[0] == results.truth).mean() < 0.8


@pytest.mark.long
def test_spam_is_told_from_ham():
    data = dataset("sms_spam_latin1.csv")
    results = lincore.compare(data, ["multinomial-nb"], "5-fold")
    assert (results.predicted[0] == results.truth).mean() >= 0.98


@pytest.mark.long
def test_spam_is_counted_as_scikit_learn_does():
    name = "sms_spam_latin1.csv"
    texts, data = table(name).frame["v2"].to_numpy(dtype=object), dataset(name)
    train = np.random.default_rng(1).permutation(len(texts))[:4000]
    test = np.setdiff1d(np.arange(len(texts)), train)
    theirs = CountVectorizer().fit(texts[train])
    preparer = build_preparer(data).fit(data.X[train])
    assert prepared_names(preparer, data) == tuple(theirs.get_feature_names_out())
    X = preparer.transform(data.X[test])
    assert abs(X - theirs.transform(texts[test])).max() == 0
    model = MultinomialNB().fit(preparer.transform(data.X[train]), data.codes[train])
    assert (model.predict(X) == data.codes[test]).mean() > 0.975


@pytest.mark.long
def test_each_way_to_fill_in_is_fitted():
    data = dataset("titanic.csv")
    for imputation in ("median", "most_frequent", "indicator"):
        changed = replace(data, imputation=imputation)
        results = lincore.compare(changed, ["lda"], "5-fold")
        assert (results.predicted[0] == results.truth).mean() > 0.77
    complete = TableOptions(missing="drop")
    assert table_to_dataset(table("titanic.csv"), options=complete).n_rows == 712
