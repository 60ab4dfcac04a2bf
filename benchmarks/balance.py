"""A sweep over 20 class sizes against fitting everything once, and a whole study of the faces.

Run ``python benchmarks/balance.py [rows]``. Times are compared in turns in this run. "Fitting
everything once" is every method fitted from all training rows through the same pipeline and
asked for the test rows, each by itself, as an analyst would do it; the ratio to all of them fitted
together from one pass is printed too. The test set of the table is small: to predict is work at
every size, which no summary of the training rows can save.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from common import DATA, finish, mnist, ratio, require, seconds

import lincore
from lincore.data import Dataset, Split
from lincore.imbalance import sweep
from lincore.io import gaussian_classes
from lincore.model_selection import Steps, Task, TrainingSample, as_methods, run

MOMENT_METHODS = ("lda", "qda", "naive-bayes", "fisher", "least-squares")
SIZES = 20


def compare(what: str, data: Dataset, split: Split, label: object, steps: Steps) -> None:
    """Time a sweep of one class against one fit of every method."""
    largest = int(np.bincount(data.codes[split.train])[data.classes.tolist().index(label)])
    sizes = np.unique(np.geomspace(20, largest, SIZES).round().astype(int))[:-1].tolist()

    def everything() -> None:
        for method in as_methods(MOMENT_METHODS):
            fit(data, split, steps, [method])

    def swept(exact: bool) -> None:
        sweep(
            data, [label], sizes, MOMENT_METHODS, steps=steps, split=split, repeats=1, exact=exact
        )

    plain = ratio(lambda: swept(False), everything, turns=3)
    require(f"{what}: a sweep of {len(sizes) + 1} sizes / one fit of everything", plain, at_most=2)
    print(f"       with the exact curves: {ratio(lambda: swept(True), everything, turns=1)}")
    methods = as_methods(MOMENT_METHODS)
    one_pass = ratio(lambda: swept(False), lambda: fit(data, split, steps, methods), turns=1)
    print(f"       against all methods together from one pass: {one_pass}")


def fit(data: Dataset, split: Split, steps: Steps, methods: Sequence[Any]) -> None:
    """Fit methods from one pass and predict the test rows."""
    list(run([Task(TrainingSample(split.train), split.test)], methods, data, steps=steps))


def main() -> None:
    """Print the ratios; end with an error if a bound is missed."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    rng = np.random.default_rng(0)
    means = rng.normal(0, 1, (3, 50))
    table = gaussian_classes(means, sizes=[n_rows // 3] * 3)
    split = lincore.split(table, test_size=0.01)
    compare(f"{n_rows:,} x 50, 3 classes", table, split, "class 3", Steps())
    arrays = mnist()
    X = np.concatenate([arrays["X_train"], arrays["X_test"]])
    codes = np.concatenate([arrays["y_train"], arrays["y_test"]]).astype(np.intp)
    names = tuple(f"pixel {i}" for i in range(X.shape[1]))
    digits = Dataset("mnist", X, codes, np.arange(10), names, image_shape=(28, 28))
    split = Split(np.arange(60_000), np.arange(60_000, 70_000))
    compare("MNIST with PCA(50)", digits, split, 8, Steps(n_components=50))
    faces = lincore.load(DATA / "faces3_bmp30.zip")
    took = seconds(
        lambda: lincore.balance(
            faces, {"Class3": 300}, steps=Steps(n_components=2), test_size=0.1, repeats=30
        )
    )
    print(f"       30 splits of the faces, 3 methods, 6 fits each: {took:.1f} s")
    finish()


if __name__ == "__main__":
    main()
