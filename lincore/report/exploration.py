"""Findings on columns, correlations, words and projections, one sentence each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from lincore.metrics.intervals import LEVEL
from lincore.utils.formatting import count, p_equals, percent, quoted, true_minus
from lincore.utils.typing import Array

if TYPE_CHECKING:
    from lincore.estimators.bayes_risk import ExpectedLoss
    from lincore.inspection.association import Association, LargestAssociation
    from lincore.inspection.correlation import Correlations

_MEASURES = {"eta": "η", "V": "Cramér’s V"}
# Below this an association is not worth a headline.
_WEAK = 0.1


def association_finding(
    ranked: Sequence[Association],
    test: LargestAssociation | None,
    n_classes: int,
    target: str | None = None,
) -> str:
    """State the column with the largest association with the classes, and whether it is chance.

    Parameters
    ----------
    ranked : sequence of Association
        The strongest first.
    test : LargestAssociation or None
        For the first; None if there is no column.
    n_classes : int
    target : str, optional
        The name of the column of the classes.

    Examples
    --------
    >>> from lincore.inspection import Association, LargestAssociation
    >>> two = [Association(1, "sex", "V", 0.54), Association(0, "fare", "eta", 0.26)]
    >>> association_finding(two, LargestAssociation(0.001, 2, 999, 891, False, False), 2, "survived")
    "sex has the largest association with 'survived' of 2 features (Cramér’s V = 0.54; p = 0.001 by permutation of the labels, max over 2 features), then fare (η = 0.26)."
    >>> association_finding(two[1:], LargestAssociation(0.4, 9, 999, 891, False, False), 2)
    'The association of fare with the 2 classes (η = 0.26) is no larger than expected by chance for
    the largest of 9 features (p = 0.400 by permutation of the labels).'
    """  # noqa: E501
    if not ranked or test is None:
        return "There is no column to compare."
    classes = f"the {n_classes} classes" if target is None else quoted(target)
    values = [f"{_MEASURES[one.measure]} = {one.value:.2f}" for one in ranked[:2]]
    first, many = ranked[0], count(test.n_columns, "feature")
    p = f"{p_equals(test.p)} by permutation of the labels{_permuted_rows(test)}"
    if test.p >= 1 - LEVEL:
        of = "" if test.n_columns == 1 else f" for the largest of {many}"
        return (
            f"The association of {first.name} with {classes} ({values[0]}) is no larger than "
            f"expected by chance{of} ({p})."
        )
    if test.n_columns == 1:
        return f"{first.name} is associated with {classes} ({values[0]}; {p})."
    numbers = f"({values[0]}; {p}, max over {many})"
    if first.value < _WEAK:
        return (
            f"No single column separates the classes: of {many}, {first.name} has the largest "
            f"association with {classes} {numbers}."
        )
    then = f", then {ranked[1].name} ({values[1]})"
    return f"{first.name} has the largest association with {classes} of {many} {numbers}{then}."


def _permuted_rows(test: LargestAssociation) -> str:
    """Say whose labels were permuted, if not those of all rows one by one."""
    if not test.is_sample:
        return " of whole groups" if test.by_groups else ""
    groups = "whole groups among " if test.by_groups else ""
    return f" of {groups}{test.n_rows:,} rows drawn at random"


def non_missing_note(n_present: int, n_rows: int, rows: str, where: str = "") -> str:
    """State the number of rows used, and the number of missing values.

    Parameters
    ----------
    n_present, n_rows : int
        Rows with a value, and rows in all.
    rows : str
        The rows in words, with their number.
    where : str
        Where the value is missing, in words.

    Examples
    --------
    >>> non_missing_note(714, 891, "all 891 rows")
    '714 of all 891 rows; 177 (19.9 %) are missing.'
    >>> non_missing_note(150, 150, "all 150 rows")
    'All 150 rows.'
    """
    if n_present == n_rows:
        return f"{rows[:1].upper()}{rows[1:]}."
    gone = n_rows - n_present
    both = f" {where}" if where else ""
    return f"{n_present:,} of {rows}; {gone:,} ({percent(gone / n_rows)}) are missing{both}."


def jitter_note(names: Sequence[str]) -> str:
    """State which columns of a scatter plot are jittered, if any.

    Parameters
    ----------
    names : sequence of str
        Of the columns that are moved; there may be none.

    Examples
    --------
    >>> jitter_note(["deck"])
    'deck is jittered by up to a quarter of a step.'
    """
    if not names:
        return ""
    verb = "is" if len(names) == 1 else "are"
    return f"{' and '.join(names)} {verb} jittered by up to a quarter of a step."


def pair_finding(names: Sequence[str], within: float, total: float) -> str:
    """Return how two columns are correlated.

    Parameters
    ----------
    names : sequence of two str
        Of the columns.
    within, total : float
        Correlations, from -1 to 1: within the classes, and of all rows together.

    Examples
    --------
    >>> pair_finding(["length", "width"], 0.48, 0.962)
    'length and width: r = 0.48 within classes, 0.96 over all rows.'
    """
    if not np.isfinite(total):
        return f"{names[0]} and {names[1]}: one of them is constant."
    inside = "unknown" if not np.isfinite(within) else _signed(within)
    return (
        f"{names[0]} and {names[1]}: r = {inside} within classes, {_signed(total)} over all rows."
    )


def correlation_finding(found: Correlations) -> str:
    """Return how strongly the columns are correlated at most."""
    pair = found.strongest()
    if pair is None:
        return "No two columns vary together."
    one, other = (found.names[i] for i in pair)
    return f"{one} and {other} are the most correlated: r = {_signed(float(found.matrix[pair]))}."


def correlation_note(found: Correlations, rows: str) -> str:
    """Return what the matrix was computed on, and which columns it shows.

    Parameters
    ----------
    found : Correlations
    rows : str
        The rows in words, with their number.

    Examples
    --------
    >>> from lincore.inspection.correlation import Correlations
    >>> correlation_note(Correlations(["a", "b"], np.eye(2), 9, 5), "all 9 rows")
    'All 9 rows, each pair with both values present. The 2 of 5 columns with the strongest
    correlations.'
    """  # noqa: E501
    text = f"{rows[:1].upper()}{rows[1:]}, each pair with both values present."
    if len(found.names) < found.n_columns:
        text += f" The {len(found.names)} of {found.n_columns:,} columns with the strongest "
        text += "correlations."
    return text


def missing_finding(numbers: Any, levels: Any) -> str:
    """Return how many of the summarised columns have missing values, and which has most.

    Parameters
    ----------
    numbers, levels : DataFrame
        See `lincore.inspection.univariate.summarise_columns`.
    """
    lines = [
        (str(row["column"]), float(row["missing"]))
        for frame in (numbers, levels)
        if len(frame)
        for _, row in frame[frame["class"] == "all"].iterrows()
    ]
    gaps = [line for line in lines if line[1] > 0]
    many = f"{len(lines):,} columns" if len(lines) != 1 else "1 column"
    if not gaps:
        return f"{many}, no missing values."
    worst = max(gaps, key=lambda line: line[1])
    some = f"{len(gaps):,} with missing values"
    return f"{many}, {some}: most in {worst[0]} ({percent(worst[1] / 100)})."


def words_finding(
    first: Sequence[tuple[str, Sequence[float]]], classes: ArrayLike, order: str
) -> str:
    """Return in which rows the first word occurs.

    Parameters
    ----------
    first : sequence of (word, shares)
        Words in order; shares of shape (K,), between 0 and 1, of the rows of each class.
    classes : array-like of shape (K,)
        Labels.
    order : str
        What the words are ordered by, as an adjective.

    Examples
    --------
    >>> words_finding([("call", [0.05, 0.46])], ["ham", "spam"], "characteristic")
    "“call” is the most characteristic word: in 46.0 % of 'spam', in 5.0 % of 'ham'."
    """
    if not first:
        return "No word occurs in these rows."
    word, shares = first[0]
    labels = [str(label) for label in np.asarray(classes).tolist()]
    ranked = sorted(zip(shares, labels, strict=True), key=lambda one: -one[0])
    phrases = [
        f"in {percent(share)} of {quoted(label)}" for share, label in (ranked[0], ranked[-1])
    ]
    return f"“{word}” is the most {order} word: {', '.join(phrases)}."


def _signed(value: float) -> str:
    return true_minus(f"{value:.2f}")


def vectors_finding(shares: ArrayLike, n_rows: int) -> str:
    """State how much variance the singular vectors of word counts explain.

    Parameters
    ----------
    shares : array-like of shape (k,)
    n_rows : int

    Examples
    --------
    >>> vectors_finding([0.1, 0.05, 0.02], 300)
    '3 singular vectors explain 17.0 % of the variance of 300 training rows, two of them 15.0 %.'
    """
    share = np.asarray(shares, dtype=float)
    if len(share) == 1:
        return f"One singular vector explains {percent(share[0])} of {n_rows:,} training rows."
    text = f"{len(share)} singular vectors explain {percent(share.sum())} of the variance of "
    text += f"{n_rows:,} training rows"
    return text + (f", two of them {percent(share[:2].sum())}." if len(share) > 2 else ".")


def separation_finding(
    training: ArrayLike,
    test: ArrayLike,
    n_test: int,
    *,
    rows: str = "rows",
    component: str = "component",
) -> str:
    """Compare the separation by Fisher's first direction with that by the first component.

    Parameters
    ----------
    training, test : array-like of shape (2,)
        J of the first component and of Fisher's first direction, on rows of either part.
    n_test : int
    rows : str
        What a row is: "rows" or "images".
    component : str
        What a component is: "component" or "singular vector".

    Examples
    --------
    >>> separation_finding([13.4, 30.0], [21.7, 39.0], 45)
    'Along Fisher’s first direction the classes are further apart than along the first component: J,
    the ratio of between-class to within-class scatter, is 30.0 against 13.4 (on 45 test rows 39.0
    against 21.7).'
    """  # noqa: E501
    seen, unseen = np.asarray(training, dtype=float), np.asarray(test, dtype=float)
    apart = "no further" if seen[1] <= 1.005 * seen[0] else "further"
    text = f"Along Fisher’s first direction the classes are {apart} apart than along the first "
    text += f"{component}: J, the ratio of between-class to within-class scatter, is "
    text += f"{format_fisher_criterion(seen[1])} against {format_fisher_criterion(seen[0])}"
    if n_test:
        text += f" (on {n_test:,} test {rows} {format_fisher_criterion(unseen[1])} against "
        text += f"{format_fisher_criterion(unseen[0])})"
    return f"{text}."


def format_fisher_criterion(value: float) -> str:
    """Format a value of J: three digits, or "unlimited".

    Parameters
    ----------
    value : float
        J >= 0: scatter between the classes over scatter within; may be infinite.

    Examples
    --------
    >>> [format_fisher_criterion(value) for value in (13.354, 0.00017, float("inf"))]
    ['13.4', '0.00017', 'unlimited']
    """
    if not np.isfinite(value):
        return "unlimited"
    return f"{value:#.3g}" if 0.001 <= value < 1000 else f"{value:.3g}"


def variance_finding(
    variances: Array, n_rows: int, *, rows: str = "rows", share: float = 0.95
) -> str:
    """State how few components explain most of the variance of the training rows.

    Parameters
    ----------
    variances : ndarray of shape (rank,)
        Of every component, in decreasing order.
    n_rows : int
        How many rows it was fitted on.
    rows : str
        What a row is.
    share : float
        What "most" means.
    """
    ratio = variances / variances.sum()
    first = percent(float(ratio[:2].sum()))
    needed = int(np.argmax(np.cumsum(ratio) >= share - 1e-12)) + 1
    if len(ratio) == 1:
        return f"One component explains all the variance of {n_rows:,} training {rows}."
    return (
        f"Two components explain {first} of the variance of {n_rows:,} training {rows}; "
        f"{percent(share, 0)} need {needed} of {len(ratio)}."
    )


def bayes_error_finding(error: ExpectedLoss) -> str:
    """State the Bayes error for known distributions, however small it is.

    Parameters
    ----------
    error : ExpectedLoss
        What `lincore.estimators.bayes_error` returns, without a loss matrix.

    Examples
    --------
    >>> from lincore.estimators import ExpectedLoss
    >>> bayes_error_finding(ExpectedLoss(6.2981e-7, 0.0, "closed form"))
    'No classifier is better on these Gaussians than 0.000063 % (exactly: closed form).'
    >>> bayes_error_finding(ExpectedLoss(0.0, 1e-7, "Monte Carlo"))
    'No error was found among the rows drawn from these Gaussians (Monte Carlo): a classifier \
can be nearly perfect.'
    """
    if error.value == 0 and error.standard_error:
        return (
            f"No error was found among the rows drawn from these Gaussians ({error.method}): a "
            f"classifier can be nearly perfect."
        )
    share = 100 * error.value
    if share >= 0.1:
        value = percent(error.value, 2)
    elif share >= 1e-10:
        value = percent(error.value, 1 - math.floor(math.log10(share)))
    else:
        return f"A classifier can be nearly perfect on these Gaussians ({error.method})."
    least = "up to chance" if error.standard_error else "exactly"
    return f"No classifier is better on these Gaussians than {value} ({least}: {error.method})."
