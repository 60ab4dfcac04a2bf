"""Seconds that a visitor waits for on the bundled samples: comparisons of seven models, studies.

Seconds in this process, on however many cores it may use; the bounds are for two.
"""

from __future__ import annotations

from typing import Any

from common import DATA, finish, require, seconds

import lincore
from lincore.data import Dataset
from lincore.model_selection import Steps

SEVEN = ("lda", "qda", "fisher", "least-squares", "naive-bayes", "logistic", "perceptron")
THREE = ("lda", "qda", "logistic")
TURNS = 3


def best(work: Any) -> float:
    """Return the seconds of the fastest of some turns: what is left is work, not noise."""
    return round(min(seconds(work) for _ in range(TURNS)), 2)


def study(data: Dataset, repeats: int = 30, **options: Any) -> float:
    """Return the seconds of a study of three models that keeps a quarter of the first class."""
    label, size = data.classes[0], int((data.codes == 0).sum())
    sizes = {label: size // 4}
    return best(lambda: lincore.balance(data, sizes, THREE, repeats=repeats, **options))


def main() -> None:
    """Print the seconds; end with an error if a bound is missed."""
    for name in ("iris", "wine", "breast cancer", "digits"):
        data = lincore.sample(name)
        took = best(lambda data=data: lincore.compare(data, SEVEN, "10-fold"))
        require(f"{name}: seven models by 10-fold, seconds", took, at_most=5)
    iris, digits = lincore.sample("iris"), lincore.sample("digits")
    faces = lincore.load(DATA / "faces3_bmp30.zip")
    cases: list[tuple[Dataset, dict[str, Any], float]] = [
        (iris, {}, 0.8),
        (faces, {"steps": Steps(n_components=2)}, 20),
        (digits, {"steps": Steps()}, 60),
    ]
    for data, options, bound in cases:
        require(f"{data.name}: one split, seconds", study(data, 1, **options), at_most=3)
        require(f"{data.name}: study of 30 splits, seconds", study(data, **options), at_most=bound)
    people = lincore.load(DATA / "orl_faces.zip")
    X = lincore.PCA(50).fit_transform(people.X)
    pairs = lincore.OneVsOne(lincore.LogisticRegression())
    took = best(lambda: pairs.fit(X, people.y))
    require("780 pairs of logistic regressions of 40 people, seconds", took, at_most=2)
    finish()


if __name__ == "__main__":
    main()
