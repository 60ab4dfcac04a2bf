"""Drift: differences of column distributions between training and new rows."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from lincore.data.dataset import Dataset
from lincore.data.frames import as_frame, is_frame
from lincore.errors import DataError
from lincore.io.tables.matching import FeatureSchema, match_rows
from lincore.metrics.differences import holm
from lincore.utils.formatting import percent
from lincore.utils.typing import Array

#: Smallest effects of a small, moderate and large drift: the maximum difference of the distribution
#: functions of two normals 0.2, 0.5 and 0.8 standard deviations apart (Cohen 1988).
SIZES = {"large": 0.31, "moderate": 0.2, "small": 0.08}
_NEGLIGIBLE = "negligible"
# Cochran's rule: levels with fewer expected rows are merged for the test.
_LEAST_EXPECTED = 5.0
# Number of random divisions of the rows for the mean effect and the p-value without drift.
_DIVISIONS = 499
# The mean of the limiting distribution of Kolmogorov: sqrt(π/2) log 2.
_KOLMOGOROV_MEAN = 0.8687
_UNSEEN = "levels not seen in training"


class _Line(NamedTuple):
    column: str
    kind: str
    test: str
    effect: float
    chance: float
    p: float
    change: str


def drift(training: Dataset, rows: Any) -> pd.DataFrame:
    """Compare the distribution of every column between training and new rows.

    Numbers are compared by the two-sample Kolmogorov-Smirnov test, whose statistic (the maximum
    difference of the distribution functions) is the effect. Categories are compared by Pearson's
    chi-square test of homogeneity; the effect is the total variation distance (the share of rows
    that would have to change their level). Both effects lie between 0 and 1 and, unlike p-values,
    do not depend on the number of rows: with many rows even small differences are significant. With
    few rows or many levels the effect is large by chance alone: `chance` is its mean without drift,
    and `size` classifies the excess over it. Shares of missing values have separate lines. For
    images, brightness and contrast are compared; for texts, the number of words.

    Parameters
    ----------
    training : Dataset
        The rows that the model was fitted on: ``data.take(split.train)``.
    rows : DataFrame, Dataset or array
        New rows; columns are matched by name, and missing ones are left out.

    Returns
    -------
    DataFrame
        One line per column, the largest effect first: `column`, `kind`, `test`, `effect`,
        `chance`, `size` ("negligible", "small", "moderate", "large"), `p`, `p (Holm)`
        over all lines, and `change`: the medians, or the level whose share changed most.

    Raises
    ------
    DataError
        If the rows are of another kind.

    References
    ----------
    Rabanser, Günnemann, Lipton (2019), "Failing loudly: an empirical study of methods for
    detecting dataset shift", section 3.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.sample("passengers")
    >>> table = drift(data, data.to_frame().query("sex == 'female'"))
    >>> table[["column", "effect", "size", "change"]].head(2)
      column    effect        size                   change
    0    sex  0.631111       large  female 36.9 % → 100.0 %
    1   deck  0.102194  negligible        E 23.8 % → 17.4 %
    """
    schema = FeatureSchema.of(training)
    X = _new_values(training, rows, schema)
    compare = _compare_images if training.kind.is_images else _compare_columns
    lines = compare(training, X)
    table = pd.DataFrame(lines, columns=list(_Line._fields))
    table["p (Holm)"] = holm(table["p"].to_numpy(dtype=float))
    table["size"] = [
        next((name for name, least in SIZES.items() if excess >= least), _NEGLIGIBLE)
        for excess in table["effect"] - table["chance"]
    ]
    order = ["column", "kind", "test", "effect", "chance", "size", "p", "p (Holm)", "change"]
    table["effect"] = table["effect"].round(6)
    return table[order].sort_values("effect", ascending=False, ignore_index=True, kind="stable")


def _new_values(training: Dataset, rows: Any, schema: FeatureSchema) -> Any:
    """Return new rows in the form of ``Dataset.X``, with NaN for missing columns."""
    if isinstance(rows, Dataset):
        plain = training.kind.is_images or training.n_words
        rows = rows.X if plain else rows.to_frame()
    if is_frame(rows):
        return match_rows(as_frame(rows), schema, fill_missing=True)[0]
    if np.ndim(rows) != 2 or rows.shape[1] != training.n_features:
        raise DataError(
            f"Rows of {training.n_features} features are expected, not {type(rows).__name__} of "
            f"shape {np.shape(rows)}.",
            where="drift",
            remedy="Pass a table with the columns of the training data.",
        )
    return rows


def _compare_columns(training: Dataset, X: Any) -> list[_Line]:
    n_table = training.n_table_columns
    old, new = _dense(training.X[:, :n_table]), _dense(X[:, :n_table])
    lines = []
    for j, name in enumerate(training.feature_names[:n_table]):
        before, after = old[:, j], new[:, j]
        if np.isnan(after).all():
            continue
        if np.isnan(before).all():
            lines.append(_missing_line(name, np.isnan(before), np.isnan(after)))
            continue
        levels = None if training.levels is None else training.levels[j]
        gaps = np.isnan(before), np.isnan(after)
        present = before[~gaps[0]], after[~gaps[1]]
        if levels is None:
            lines.append(_number_line(name, *present))
        else:
            n_levels = len(levels) + 1
            tally = np.stack(
                [np.bincount(values.astype(int), minlength=n_levels) for values in present]
            )
            effect, chance, p = _homogeneity(tally)
            change = _largest_change(tally, [*levels, _UNSEEN])
            lines.append(_Line(name, "category", "chi-square", effect, chance, p, change))
        if gaps[0].any() or gaps[1].any():
            lines.append(_missing_line(name, gaps[0], gaps[1]))
    if training.n_words:
        counts = [np.asarray(rows[:, n_table:].sum(axis=1)).ravel() for rows in (training.X, X)]
        lines.append(_number_line("words known from training", *counts))
    return lines


def _compare_images(training: Dataset, X: Any) -> list[_Line]:
    """Compare the mean and the standard deviation of the pixels of each image."""
    statistics: dict[str, Any] = {"brightness": np.mean, "contrast": np.std}
    return [
        _number_line(name, *(compute(rows, axis=1).astype(float) for rows in (training.X, X)))
        for name, compute in statistics.items()
    ]


def _number_line(name: str, old: Array, new: Array) -> _Line:
    with warnings.catch_warnings():
        # SciPy warns if it uses the asymptotic distribution instead of the exact one.
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        test = stats.ks_2samp(old, new)
    change = f"median {np.median(old):.4g} → {np.median(new):.4g}".replace("-", "−")
    effect, p = float(test.statistic), float(test.pvalue)
    chance = _KOLMOGOROV_MEAN * float(np.sqrt(1 / len(old) + 1 / len(new)))
    return _Line(name, "number", "Kolmogorov–Smirnov", effect, chance, p, change)


def _missing_line(name: str, old: Array, new: Array) -> _Line:
    counts = np.array(
        [[len(is_missing) - is_missing.sum(), is_missing.sum()] for is_missing in (old, new)]
    )
    effect, chance, p = _homogeneity(counts)
    shares = counts[:, 1] / counts.sum(axis=1)
    change = f"{percent(shares[0])} → {percent(shares[1])} missing"
    return _Line(f"{name} missing", "missing", "chi-square", effect, chance, p, change)


def _homogeneity(counts: Any) -> tuple[float, float, float]:
    """Return the total variation distance, its mean without drift, and chi-square's p-value."""
    totals = counts.sum(axis=1, keepdims=True)
    effect = float(np.abs(np.subtract(*(counts / totals))).sum() / 2)
    pooled, (n_old, n_new) = counts.sum(axis=0), totals[:, 0]
    drawn = np.random.default_rng(0).multivariate_hypergeometric(
        pooled, n_new, size=_DIVISIONS, method="marginals"
    )
    by_chance = np.abs((pooled - drawn) / n_old - drawn / n_new).sum(axis=1) / 2
    chance = float(by_chance.mean())
    expected = pooled * totals / counts.sum()
    rare = expected.min(axis=0) < _LEAST_EXPECTED
    # A single rare level remains alone.
    merged = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    merged = merged[:, merged.sum(axis=0) > 0]
    if merged.shape[1] < 2:
        # Every level is too rare for chi-square.
        as_large = int((by_chance >= effect - 1e-12).sum())
        return effect, chance, (1 + as_large) / (1 + _DIVISIONS)
    return effect, chance, float(stats.chi2_contingency(merged, correction=False).pvalue)


def _largest_change(counts: Any, levels: list[str]) -> str:
    totals = counts.sum(axis=1, keepdims=True)
    shares = counts / totals
    most = int(np.abs(shares[1] - shares[0]).argmax())
    return f"{levels[most]} {percent(shares[0, most])} → {percent(shares[1, most])}"


def _dense(X: Any) -> Array:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
