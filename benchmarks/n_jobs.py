"""Folds, trials and sizes fitted in two processes against one: what `n_jobs=2` gains.

Run ``python benchmarks/n_jobs.py`` on two cores that nobody else uses. Both sides run in turns.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a core for a process, on both sides

from common import finish, ratio, require
from sklearn.ensemble import RandomForestClassifier

import lincore
from lincore.model_selection import Steps, learning_curve

TURNS = 3
METHODS = {"lda": "lda", "logistic": "logistic", "forest": RandomForestClassifier()}


def main() -> None:
    """Print the ratios; end with an error if a bound is missed."""
    digits = lincore.sample("digits")
    splits = [lincore.split(digits, seed=seed) for seed in range(6)]
    logistic, steps = ["lda", "logistic"], Steps()
    cases: dict[str, Callable[[int], Any]] = {
        "comparison by 10-fold": lambda n: lincore.compare(digits, METHODS, "10-fold", n_jobs=n),
        "study of 10 splits": lambda n: lincore.balance(
            digits, {0: 44}, logistic, steps=steps, repeats=10, n_jobs=n
        ),
        "cost of imbalance, 6 splits": lambda n: lincore.imbalance_cost(
            digits, logistic, steps=steps, repeats=6, n_jobs=n
        ),
        "sweep of 20 sizes, 5 splits": lambda n: lincore.imbalance.sweep(
            digits, [0], methods=logistic, steps=steps, repeats=5, n_jobs=n
        ),
        "learning curve, 6 splits": lambda n: learning_curve(
            digits, logistic, splits, steps=steps, n_jobs=n
        ),
    }
    for name, work in cases.items():
        work(2)  # processes have started
        found = ratio(lambda work=work: work(2), lambda work=work: work(1), TURNS)
        require(f"{name}: two processes / one", found, at_most=0.65)
    finish()


if __name__ == "__main__":
    main()
