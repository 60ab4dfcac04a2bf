"""Functions of scripts without lincore: scripts contain their source, and checks call them."""

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline


def hold_out(
    y: np.ndarray, n_test: dict[str, int], seed: int | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return training and test rows: the last rows of each class, shuffled if there is a seed."""
    rng, test = np.random.default_rng(seed), []
    for label, n in n_test.items():
        rows = np.flatnonzero(y == label)
        rows = rows if seed is None else rng.permutation(rows)
        test += rows[len(rows) - n :].tolist()
    return [(np.setdiff1d(np.arange(len(y)), test), np.sort(test))]


def deal_folds(
    y: np.ndarray, labels: list[str], n_repeats: int, n_folds: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return training and test rows: the rows of each class, shuffled, go to the folds in turn."""
    rng, splits = np.random.default_rng(seed), []
    for _ in range(n_repeats):
        rows = np.concatenate([rng.permutation(np.flatnonzero(y == label)) for label in labels])
        for fold in range(n_folds):
            test = rows[fold::n_folds]
            splits.append((np.setdiff1d(np.arange(len(y)), test), np.sort(test)))
    return splits


def predict(
    model: Pipeline, X: pd.DataFrame, y: np.ndarray, splits: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[list[str], list[str], list[np.ndarray]]:
    """Return the classes of all test rows, those predicted, and posteriors if there are any."""
    true, predicted, posteriors = [], [], []
    for train, test in splits:
        model.fit(X.iloc[train], y[train])
        true.extend(y[test])
        predicted.extend(model.predict(X.iloc[test]))
        if hasattr(model, "predict_proba"):
            posteriors.extend(model.predict_proba(X.iloc[test]))
    return true, predicted, posteriors
