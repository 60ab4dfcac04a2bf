"""Checks of a split and of assumptions, and sparse fits, against the work they cannot do without.

Run ``python benchmarks/checks.py``.
"""

from __future__ import annotations

import numpy as np
from common import DATA, Ratio, finish, ratio, require, seconds
from sklearn.feature_extraction.text import CountVectorizer

import lincore
from lincore import LogisticRegression
from lincore.checks import assumptions, data_checks, find_near_duplicates
from lincore.data import Dataset

TURNS = 7


def main() -> None:
    """Print the figures; end with an error if a bound is missed."""
    X = np.random.default_rng(0).integers(0, 256, (6000, 900), dtype=np.uint8)
    copies = copies_of(X[:4200], X[4200:])
    require("copies among 4,200 x 1,800 images / the product of the parts", copies, at_most=8)
    checks = checks_of(X[:2000, :400])
    require("assumptions of 2,000 x 400 / the spectrum of their product", checks, at_most=12)
    many = np.random.default_rng(0).integers(0, 256, (30_000, 784), dtype=np.uint8)
    took = seconds(lambda: find_near_duplicates(many[:25_000], many[25_000:], "images"))
    require("copies among 25,000 x 5,000 images, some of them drawn, in s", took, at_most=4)
    found = data_of(X=np.random.default_rng(0).normal(size=(10_000, 50)))
    took = seconds(lambda: data_checks(found, lincore.split(found)))
    require("checks of 10,000 x 50 rows that every page shows, in s", took, at_most=0.2)
    words()
    finish()


def data_of(X: np.ndarray) -> Dataset:
    """Return rows of three classes."""
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return Dataset("rows", X, np.arange(len(X)) % 3, np.array(["a", "b", "c"]), names)


def copies_of(train: np.ndarray, test: np.ndarray) -> Ratio:
    """Compare the search for copies with one product."""
    return ratio(
        lambda: find_near_duplicates(train, test, "images"),
        lambda: train.astype(np.float32) @ test.astype(np.float32).T,
        TURNS,
    )


def checks_of(X: np.ndarray) -> Ratio:
    """Compare all assumptions with the eigenvalues of one scatter."""

    def spectrum() -> None:
        rows = X.astype(float)
        np.linalg.eigvalsh(rows.T @ rows)

    names = np.array(["a", "b", "c"])
    return ratio(lambda: assumptions(X, np.arange(len(X)) % 3, names), spectrum, TURNS)


def words() -> None:
    """Time a logistic fit on the words of short messages, where the real data are."""
    path = DATA / "csv" / "sms_spam_latin1.csv"
    if not path.exists():
        print(f"       {path} not found: the fit on words was not timed.")
        return
    lines = path.read_text(encoding="latin-1").splitlines()[1:]
    y = np.array([line.split(",", 1)[0] for line in lines])
    kept = np.isin(y, ["ham", "spam"])
    X = CountVectorizer(dtype=float).fit_transform(np.array(lines)[kept])
    took = seconds(lambda: LogisticRegression().fit(X, y[kept]))
    require(f"logistic regression on {X.shape[0]:,} x {X.shape[1]:,} words, in s", took, at_most=5)


if __name__ == "__main__":
    main()
