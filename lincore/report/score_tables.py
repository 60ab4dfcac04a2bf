"""Tables of scores: of a comparison, of its pairs, of one model and of its classes."""

from __future__ import annotations

import numpy as np

from lincore.metrics import differences, scores
from lincore.metrics.chance.selection import BestScore, best_score
from lincore.metrics.class_ratio import is_imbalanced, leading_score
from lincore.metrics.estimates import missing_score_reason
from lincore.metrics.results import ROPE, Results
from lincore.report.sentences import format_score, format_score_cell, rarest_class
from lincore.utils.formatting import p_value, percent, quoted

# The order of scores after the leading one.
_ORDER = ("balanced accuracy", "accuracy", "MCC", "log loss", "AUC", "macro F1", "Brier")
_ENDS = ("", " from", " to")


def comparison_rows(
    results: Results, score: str | None = None, rope: float = ROPE
) -> tuple[dict[str, object], ...]:
    """Return every score of every method with its interval, in the order of the results.

    Parameters
    ----------
    results : Results
        See `lincore.metrics.rank_methods` for the best method first.
    score : str, optional
        Score that defines the groups and comes first. Default: the leading one.
    rope : float
        Half-width of the region of practical equivalence, in the unit of the score.

    Returns
    -------
    tuple of dict
        "model", "group" (None for a method without the score), and text for each score, shares
        in per cent; with unequal classes the recall of the rarest follows the first, then the score
        of the best, corrected for the choice, see `best_heading`.

    Examples
    --------
    >>> import lincore
    >>> rows = comparison_rows(lincore.compare(lincore.sample("iris"), ["lda", "qda"]))
    >>> rows[0]["model"], rows[0]["group"], rows[0]["accuracy (%)"]
    ('LDA', 1, '100.0 (92.1–100.0)')
    """
    score = score or leading_score(results.class_counts)
    group = differences.groups(results, score, rope)
    names = sorted(scores.SCORES, key=lambda name: (name != score, _ORDER.index(name)))
    best = best_score(results, score)
    lines = []
    for method in results.methods:
        label = results.settings.label(method)
        line: dict[str, object] = {"model": label, "group": group[method] or None}
        for name in names:
            found = scores.score(results, method, name)
            cell = format_score_cell(found, name) or missing_score_reason(results, method, name)
            line[score_heading(name)] = cell
            if name == score and is_imbalanced(results.class_counts):
                recall = scores.recall(results, method)[rarest_class(results)]
                line[rarest_heading(results)] = format_score_cell(recall, "accuracy")
            if name == score and best is not None and best.n_methods > 1:
                is_best = method == best.method
                line[best_heading(best, score)] = (
                    format_score_cell(best.corrected, score) if is_best else ""
                )
        lines.append(line)
    return tuple(lines)


def score_heading(score: str) -> str:
    """Return the column heading of a score: "accuracy (%)", "log loss".

    Parameters
    ----------
    score : str
        One of `SCORES`.

    Examples
    --------
    >>> score_heading("accuracy"), score_heading("log loss")
    ('accuracy (%)', 'log loss')
    """
    return f"{score} (%)" if scores.SCORES[score].is_share else score


def best_heading(best: BestScore, score: str) -> str:
    """Return the column heading of the best score, corrected for the choice.

    Parameters
    ----------
    best : BestScore
    score : str
        One of `SCORES`.
    """
    unit = " (%)" if scores.SCORES[score].is_share else ""
    return f"best of {best.n_methods} on these rows, corrected{unit}"


def rarest_heading(results: Results) -> str:
    """Return the column heading of the recall of the rarest class."""
    return f"recall of {quoted(results.classes[rarest_class(results)])} (%)"


def pairwise_rows(
    results: Results, score: str | None = None, rope: float = ROPE
) -> tuple[dict[str, object], ...]:
    """Return the difference of every two methods with interval, p-values and verdict.

    Parameters
    ----------
    results, score, rope
        As for `comparison_rows`.

    Returns
    -------
    tuple of dict
        Differences of shares in points; p-values as text.

    Examples
    --------
    >>> import lincore
    >>> row = pairwise_rows(lincore.compare(lincore.sample("iris"), ["lda", "qda"]))[0]
    >>> list(row)
    ['first', 'second', 'difference (points)', 'from', 'to', 'p', 'p (Holm)', 'verdict']
    """
    score = score or leading_score(results.class_counts)
    is_share = scores.SCORES[score].is_share
    unit, scale = ("points", 100) if is_share else (score, 1)
    return tuple(
        {
            "first": results.settings.label(d.first),
            "second": results.settings.label(d.second),
            f"difference ({unit})": scale * d.value,
            "from": scale * d.low,
            "to": scale * d.high,
            "p": p_value(d.p),
            "p (Holm)": p_value(d.p_holm),
            "verdict": d.verdict,
        }
        for d in differences.pairwise_differences(results, score, rope)
    )


def pairwise_note(results: Results, score: str | None = None, rope: float = ROPE) -> str:
    """State the tests, the number of pairs, and the meaning of the verdicts.

    Parameters
    ----------
    results, score, rope
        As for `comparison_rows`.

    Examples
    --------
    >>> import lincore
    >>> pairwise_note(lincore.compare(lincore.sample("iris"), ["lda", "qda"])).split(". ")[:2]
    ['Test: Bonett-Price', 'p (Holm) is corrected for 1 pair']
    """
    found = differences.pairwise_differences(results, score, rope)
    n_tested = sum(not np.isnan(d.p) for d in found)
    tests = ", ".join(dict.fromkeys(d.test for d in found if not d.test.startswith("none")))
    test_names = f"Test: {tests}. " if tests else ""
    return (
        f"{test_names}p (Holm) is corrected for {n_tested:,} pair{'s' * (n_tested != 1)}. "
        "Better: it is below 0.05. Equivalent: the whole interval is inside the region of "
        "practical equivalence."
    )


def confusion_rows(results: Results, method: str) -> tuple[dict[str, object], ...]:
    """Return a line for each true class with the rows, or weights, predicted as each class.

    Parameters
    ----------
    results : Results
    method : str

    Returns
    -------
    tuple of dict
        "true class", and "as <class>" for each class.

    Examples
    --------
    >>> import lincore
    >>> confusion_rows(lincore.compare(lincore.sample("iris"), "lda"), "lda")[2]
    {'true class': 'virginica', 'as setosa': 0, 'as versicolor': 0, 'as virginica': 15}
    """
    names = [str(label) for label in results.classes]
    table = scores.confusion_matrix(results, method).round(2)
    return tuple(
        {"true class": name} | {f"as {other}": n for other, n in zip(names, row, strict=True)}
        for name, row in zip(names, table.tolist(), strict=True)
    )


def headline_score_names(results: Results) -> tuple[str, ...]:
    """Return the leading score with accompanying ones.

    Examples
    --------
    >>> import lincore
    >>> headline_score_names(lincore.compare(lincore.sample("iris"), "lda"))
    ('accuracy', 'log loss')
    """
    leading = leading_score(results.class_counts)
    return (leading, "log loss") if leading == "accuracy" else (leading, "MCC", "accuracy")


def headline_scores(results: Results, method: str) -> tuple[dict[str, object], ...]:
    """Return the main scores of a method, with intervals and baseline.

    With unequal classes these are the leading score, MCC, accuracy and the recall of the rarest
    class; otherwise the leading score and the log loss.

    Parameters
    ----------
    results : Results
    method : str

    Returns
    -------
    tuple of dict
        "score" and "value", text with the interval; omitted without such a score.

    Examples
    --------
    >>> import lincore
    >>> headline_scores(lincore.compare(lincore.sample("iris"), "lda"), "lda")[0]
    {'score': 'accuracy', 'value': '100.0 % (92.1–100.0)'}
    """
    leading = leading_score(results.class_counts)
    unequal = leading != "accuracy"
    lines: list[dict[str, object]] = [
        {"score": name, "value": format_score(scores.score(results, method, name), name)}
        for name in headline_score_names(results)
    ]
    if unequal:
        rarest = rarest_class(results)
        recall = format_score(scores.recall(results, method)[rarest], "accuracy")
        lines.append({"score": f"recall of {quoted(results.classes[rarest])}", "value": recall})
    guess = percent(scores.majority_baseline_score(results, leading))
    lines.append({"score": "majority-class baseline", "value": guess})
    return tuple(lines)


def recall_rows(results: Results) -> tuple[dict[str, str], ...]:
    """Return the recall of each class by each method, with its interval.

    Parameters
    ----------
    results : Results

    Returns
    -------
    tuple of dict
        "class", and text for each method under its label.

    Examples
    --------
    >>> import lincore
    >>> recall_rows(lincore.compare(lincore.sample("iris"), ["lda", "qda"]))[0]
    {'class': 'setosa', 'LDA': '100.0 % (79.6–100.0)', 'QDA': '100.0 % (79.6–100.0)'}
    """
    columns = {
        results.settings.label(m): [
            format_score(one, "accuracy") for one in scores.recall(results, m)
        ]
        for m in results.methods
    }
    return tuple(
        {"class": str(label)} | {name: column[k] for name, column in columns.items()}
        for k, label in enumerate(results.classes)
    )
