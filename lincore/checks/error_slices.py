"""Parts of the test rows, by one column at a time, in which a model errs more or less often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.stats import fisher_exact

from lincore.inspection.association import column_values, level_names
from lincore.metrics.differences import holm
from lincore.metrics.intervals import wilson
from lincore.metrics.sampling_units import row_weights
from lincore.model_selection.fitted_classifier import FittedClassifier
from lincore.utils.formatting import number
from lincore.utils.typing import Flags

#: Test rows of a part, and of all others together.
FEWEST_ROWS = 10
LEAST = "at most "
#: Parts of a numeric column, between quantiles of the training rows.
N_PARTS = 4


class Part(NamedTuple):
    """Test rows with one level of a column, or within one range of it."""

    # `feature`, `values`: the column, and what the rows have there, such as "2.5 to 4.9", "missing"
    # or a level
    feature: str
    values: str
    inside: Flags  # (n,); the test rows of the part, in the order of the results


class ErrorSlice(NamedTuple):
    """Errors in a part of the test rows and elsewhere.

    Attributes
    ----------
    feature, values : str
        See `Part`.
    n_rows : int
        Test rows of the part.
    error, low, high : float
        Share of misclassified rows, by their weights if they have any, and Wilson's 95 % interval;
        NaN bounds if rows come in groups or have weights.
    elsewhere : float
        The share among the other test rows.
    p, p_holm : float
        Of Fisher's exact test that both are equal, and adjusted for all parts; NaN as above.
    """

    feature: str
    values: str
    n_rows: int
    error: float
    low: float
    high: float
    elsewhere: float
    p: float
    p_holm: float


def parts_of(model: FittedClassifier, feature: str | None = None) -> list[Part]:
    """Return the parts of the test rows by each column of a table, or by one.

    Levels are parts of categories, quartiles of the training rows those of numbers, and missing
    values are a part. Parts with fewer than `FEWEST_ROWS` rows, inside or outside, are left out.
    """
    data = model.data
    if data.kind.is_images:
        return []
    columns = [
        column for column in range(data.n_table_columns)
        if feature in (None, str(data.feature_names[column]))
    ]  # fmt: skip
    parts = [part for column in columns for part in _parts(model, column)]
    return [
        part for part in parts
        if FEWEST_ROWS <= np.count_nonzero(part.inside) <= len(part.inside) - FEWEST_ROWS
    ]  # fmt: skip


def _parts(model: FittedClassifier, column: int) -> Iterator[Part]:
    data, name = model.data, str(model.data.feature_names[column])
    seen, levels = column_values(data, column, model.results.rows), level_names(data, column)
    gaps = np.isnan(seen)
    if levels is not None:
        for code, level in enumerate(levels):
            yield Part(name, str(level), seen == code)
    else:
        known = column_values(data, column, model.split.train)
        known = known[~np.isnan(known)]
        if not len(known):
            return
        inner = np.unique(np.quantile(known, np.arange(1, N_PARTS) / N_PARTS))
        edges = [-np.inf, *inner, np.inf]
        step = 1 if (known % 1 == 0).all() else 0
        for low, high in zip(edges, edges[1:], strict=False):
            values = _range_text(low, high, step)
            if step and high == known.min():
                values = values.removeprefix(LEAST)
            yield Part(name, values, (seen > low) & (seen <= high))
    yield Part(name, "missing", gaps)


def _range_text(low: float, high: float, step: int) -> str:
    """Return the values above one and up to another in words; whole numbers have a step of 1."""
    first, last = (f"{end:,.0f}" if abs(end) >= 1000 else number(end) for end in (low + step, high))
    if np.isinf(low):
        return f"{LEAST}{last}"
    if np.isinf(high):
        return f"{first} or more" if step else f"above {first}"
    return last if first == last else f"{first} to {last}"


def error_slices(model: FittedClassifier) -> list[ErrorSlice]:
    """Compare the errors in each part of the test rows with those elsewhere.

    Parameters
    ----------
    model : FittedClassifier
        Of a table; there are no parts of images.

    Returns
    -------
    list of ErrorSlice
        The least p-value first; without any, the greatest difference.

    References
    ----------
    Fisher (1935), "The Logic of Inductive Inference"; Holm (1979), "A Simple Sequentially
    Rejective Multiple Test Procedure".

    Examples
    --------
    >>> import lincore
    >>> found = error_slices(lincore.fit(lincore.sample("passengers"), "lda"))
    >>> found[0].feature, found[0].values, found[0].n_rows
    ('sex', 'female', 94)
    """
    results, lines, keys = model.results, [], []
    wrong = results.predicted[0] != results.truth
    weight = row_weights(results)
    settings = results.settings
    are_independent = settings.row_groups is None and settings.row_weights is None
    for part in parts_of(model):
        n, errors = int(part.inside.sum()), int(wrong[part.inside].sum())
        n_outside, errors_outside = len(wrong) - n, int(wrong.sum()) - errors
        _, low, high = (float(bound) for bound in wilson(errors, n))
        share, elsewhere = (
            float(np.average(wrong[rows], weights=None if weight is None else weight[rows]))
            for rows in (part.inside, ~part.inside)
        )
        p = np.nan
        if are_independent:
            counts = [[errors, n - errors], [errors_outside, n_outside - errors_outside]]
            p = float(fisher_exact(counts).pvalue)
        else:
            low = high = np.nan
        lines.append(ErrorSlice(part.feature, part.values, n, share, low, high, elsewhere, p, p))
        # Two parts that are all rows together are one comparison.
        keys.append(min(part.inside.tobytes(), (~part.inside).tobytes()))
    tested = dict(zip(keys, (line.p for line in lines), strict=True))
    adjusted = dict(zip(tested, holm(np.array([*tested.values()])).tolist(), strict=True))
    slices = [line._replace(p_holm=adjusted[key]) for line, key in zip(lines, keys, strict=True)]
    return sorted(slices, key=lambda d: (np.nan_to_num(d.p), -abs(d.error - d.elsewhere)))
