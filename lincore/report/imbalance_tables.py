"""Tables of an imbalance study, each value with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.imbalance.attribution import PARTS
from lincore.imbalance.deployment import (
    cost_in_deployment,
    error_in_deployment,
    log_loss_in_deployment,
)
from lincore.imbalance.study import BalanceStudy
from lincore.metrics import scores
from lincore.metrics.results import Results
from lincore.metrics.scores import Interval
from lincore.utils.formatting import decimals, percent, points, quoted, true_minus
from lincore.utils.typing import Array

#: Explanations of names in a study.
REMEDY_NAMES: Mapping[str, str] = {"both": "balanced weights + corrected priors"}
#: Number of classes whose recalls a table lists; with more, only those of reduced classes.
MOST_RECALLS = 6
#: From this value, three digits are enough for an unbounded loss.
HUGE = 1000


def score_rows(
    study: BalanceStudy, conditions: Sequence[str], truth: Results | None = None
) -> tuple[dict[str, str], ...]:
    """Return the scores of every method in some conditions of the example of a study.

    Parameters
    ----------
    study : BalanceStudy
    conditions : sequence of str
    truth : Results, optional
        Of the best possible classifier on the same test rows: the last line.

    Returns
    -------
    tuple of dict of column to str
        In per cent, the log loss in nats; 95 % intervals over the test rows in brackets.

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 11}, "lda", repeats=1)
    >>> [row["set"] for row in score_rows(study, ["full", "reduced"])]
    ['full', 'reduced']
    """
    shown = [
        k
        for k in range(len(study.classes))
        if len(study.classes) <= MOST_RECALLS or study.is_reduced[k]
    ][:MOST_RECALLS]
    named = [(study.recall_names[k], k) for k in shown]
    rows = [
        {"model": study.settings.label(method), "set": REMEDY_NAMES.get(condition, condition)}
        | _scores(study.example.results[condition], method, named)
        for method in study.methods
        for condition in conditions
    ]
    if truth is not None:
        best = truth.methods[0]
        rows.append({"model": best, "set": "true parameters"} | _scores(truth, best, named))
    return tuple(rows)


def _scores(results: Results, method: str, recalls: Sequence[tuple[str, int]]) -> dict[str, str]:
    row = {}
    for name, head in (
        ("accuracy", "accuracy (%)"),
        ("balanced accuracy", "balanced accuracy (%)"),
        ("log loss", "log loss"),
    ):
        row[head] = format_loss(scores.score(results, method, name), name)
    found = scores.recall(results, method)
    return row | {f"{name} (%)": format_loss(found[k], "recall") for name, k in recalls}


def decomposition_rows(
    study: BalanceStudy, method: str, losses: Sequence[str]
) -> tuple[dict[str, str], ...]:
    """Return each loss before and after, and its decomposition.

    Parameters
    ----------
    study : BalanceStudy
    method : str
    losses : sequence of str
        Of ``study.loss_names``; those that the method does not have are left out.

    Returns
    -------
    tuple of dict of column to str
        Errors and recalls in points, the log loss in nats; intervals in brackets.

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 11}, "lda", repeats=5)
    >>> line = decomposition_rows(study, "lda", ["recall of class 3"])[0]
    >>> list(line)[:4], line["loss"]
    (['loss', 'full', 'prior shift', 'majority bias'], 'recall of class 3 (%)')
    """
    rows = []
    for loss in losses:
        split = study.attribution(method, loss)
        if np.isnan(split.full.value):
            continue
        row = {"loss": f"{loss} ({'nats' if loss == 'log loss' else '%'})"}
        row["full"] = format_loss(split.full, loss)
        row |= {part: format_loss(split.parts[part], loss) for part in PARTS}
        row["reduced"] = format_loss(split.reduced, loss)
        rows.append(row)
    return tuple(rows)


def remedy_rows(study: BalanceStudy, method: str, loss: str) -> tuple[dict[str, str], ...]:
    """Return what each correction recovers, what is still missing, and the price.

    Parameters
    ----------
    study : BalanceStudy
    method, loss : str

    Returns
    -------
    tuple of dict of column to str

    Examples
    --------
    >>> import lincore
    >>> study = lincore.balance(lincore.sample("gaussian"), {"class 3": 11}, "lda", repeats=5)
    >>> [row["remedy"] for row in remedy_rows(study, "lda", "error")][:2]
    ['corrected priors', 'balanced weights']
    """
    return tuple(
        {
            "remedy": REMEDY_NAMES.get(remedy.name, remedy.name),
            loss: format_loss(remedy.loss, loss),
            "recovered": format_loss(remedy.recovered, loss),
            "of the loss": _share(remedy.share),
            "still missing": format_loss(remedy.still_missing, loss),
            "recall of the others": format_loss(remedy.others, "recall"),
        }
        for remedy in study.remedies(method, loss)
    )


def _share(share: float) -> str:
    return "–" if np.isnan(share) else percent(share, 0)


def deployment_rows(
    results: Results, adjusted: Results, shares: ArrayLike
) -> tuple[dict[str, str], ...]:
    """Return error and log loss of every method under the shares of deployment.

    Parameters
    ----------
    results, adjusted : Results
        As trained, and with corrected priors, see `lincore.metrics.adjust_priors`.
    shares : array-like of shape (K,)

    Returns
    -------
    tuple of dict of column to str
        With 95 % intervals in brackets.
    """
    both = {"as trained": results, "corrected priors": adjusted}
    rows = []
    for name in results.methods:
        row = {"model": results.settings.label(name)}
        for what, found in both.items():
            error = error_in_deployment(found, name, shares)
            row[f"error (%), {what}"] = format_loss(error, "error")
        for what, found in both.items():
            loss = log_loss_in_deployment(found, name, shares)
            row[f"log loss, {what}"] = format_loss(loss, "log loss")
        rows.append(row)
    return tuple(rows)


def decision_cost_rows(
    probable: Results, cheapest: Results, shares: ArrayLike, costs: ArrayLike
) -> tuple[dict[str, str], ...]:
    """Return the expected cost of a row by every method, and the error of its cheapest decision.

    Parameters
    ----------
    probable, cheapest : Results
        That decide for the most probable class and at least expected cost, see
        `lincore.imbalance.minimum_cost_decisions`.
    shares : array-like of shape (K,)
        In deployment.
    costs : array-like of shape (K, K)

    Returns
    -------
    tuple of dict of column to str
        With 95 % intervals in brackets.
    """
    rows = []
    for name in probable.methods:
        before, after = (
            cost_in_deployment(found, name, shares, costs) for found in (probable, cheapest)
        )
        error = error_in_deployment(cheapest, name, shares)
        rows.append(
            {
                "model": probable.settings.label(name),
                "cost of the most probable class": format_loss(before, "log loss"),
                "cost of the cheapest decision": format_loss(after, "log loss"),
                "error of the cheapest decision (%)": format_loss(error, "error"),
            }
        )
    return tuple(rows)


def format_loss(found: Interval, loss: str) -> str:
    """Write a loss, or a change of one, with its interval.

    Parameters
    ----------
    found : Interval
        In nats for the log loss, otherwise a share, which is written in per cent.
    loss : str
        "log loss", or the name of another one.

    Examples
    --------
    >>> format_loss(Interval(0.103, 0.081, 0.125), "error")
    '10.3 (8.1 to 12.5)'
    >>> format_loss(Interval(0.5, float("nan"), float("nan")), "log loss")
    '0.500'
    >>> format_loss(Interval(25408143.971, 976000.2, 49840287.7), "log loss")
    '2.54e+07 (9.76e+05 to 4.98e+07)'
    """
    if np.isnan(found.value):
        return "–"
    huge = loss == "log loss" and max(abs(found.value), abs(found.high)) >= HUGE

    def number(value: float) -> str:
        if huge:  # of a confident model that errs, or where costs are
            return true_minus(f"{value:.3g}")
        # No plus sign, which begins a formula in a spreadsheet.
        return decimals(value) if loss == "log loss" else points(value)

    text = number(found.value)
    if np.isnan(found.low):
        return text
    return f"{text} ({number(found.low)} to {number(found.high)})"


def loss_in_words(loss: str) -> str:
    """Write the name of a loss in a sentence, with the label of its class quoted."""
    label = loss.removeprefix("recall of ")
    return loss if label == loss else f"recall of {quoted(label)}"


def after_splits(n: int, wanted: int) -> str:
    """Begin a sentence about the splits so far; "" after all of them."""
    return f"After {n} of {wanted} splits: " if n < wanted else ""


def recall_of_others(change: Interval) -> str:
    """Describe the change of the mean recall of the other classes; "" if there are none."""
    value, low, high = change
    if np.isnan(value):
        return ""
    if not value:
        return "the recall of the other classes is unchanged"
    if low <= 0 <= high:
        return "the recall of the other classes does not change beyond chance"
    verb, sign = ("lose", -1) if value < 0 else ("gain", 1)
    ends = sorted((sign * low, sign * high))
    text = f"the other classes {verb} {points(abs(value))} points of recall"
    return text if np.isnan(low) else f"{text} ({points(ends[0])} to {points(ends[1])})"


def best_of(n: int, corrected: str) -> str:
    """Report that a value is the best of several, and its value corrected for the choice."""
    if n < 2:
        return "the only one on these rows"
    text = f"the best of {n} on these rows"
    return f"{text} ({corrected} corrected for the choice)" if corrected else text


def weights_in_sizes(counts: NDArray[np.intp], totals: Array) -> str:
    """Explain weights in a study; "" if rows have none."""
    if (counts == totals).all():
        return ""
    return " Rows are weighted; class sizes are numbers of rows."


def balance_basis(study: BalanceStudy) -> str:
    """Describe the means reported by a study."""
    n, weighted = len(study.seeds), weights_in_sizes(study.counts["full"], study.totals["full"])
    if n == 1:
        return f"One split so far, so no intervals.{weighted}"
    what = "splits" if study.new_splits else "choices of the training rows, one test set"
    wanted = study.settings.repeats
    of = f"{n} of {wanted}" if n < wanted else str(n)
    rows = f"{study.n_test:,} test rows each"
    return f"Mean of {of} {what} ({rows}), with 95 % intervals.{weighted}"
