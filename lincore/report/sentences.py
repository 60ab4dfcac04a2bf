"""Findings on the scores of one model, one sentence each, computed from the results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from lincore.metrics import scores
from lincore.metrics.chance.permutation import permutation_p
from lincore.metrics.chance.selection import best_score
from lincore.metrics.class_ratio import leading_score
from lincore.metrics.ranking import CLASS_SCORES
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, row_weights
from lincore.utils.formatting import (
    capital,
    decimals,
    interval,
    listed,
    p_equals,
    percent,
    quoted,
    quoted_pair,
    true_minus,
)

#: Number of classes named in a sentence.
MOST_NAMED = 3

# Maximum width next to a figure of pairs.
_SHORT_NAMES = {
    "lda": "LDA",
    "diagonal-lda": "Diag. LDA",
    "qda": "QDA",
    "naive-bayes": "Naive B.",
    "multinomial-nb": "Multin. B",
    "fisher": "Fisher",
    "least-squares": "Least sq.",
    "perceptron": "Perceptr.",
    "logistic": "Logistic",
    "one-vs-rest": "1 v. rest",
    "one-vs-one": "1 v. 1",
}


def a_score(name: str) -> str:
    """Return the name of a score with its article: 'an accuracy', 'a log loss'."""
    return f"{'an' if name in ('accuracy', 'MCC', 'AUC') else 'a'} {name}"


def format_score(estimate: scores.Interval, score: str) -> str:
    """Format a score with its interval and unit; empty if there is none.

    Parameters
    ----------
    found : Interval
        In the unit of the score.
    score : str
        One of `SCORES` or `CLASS_SCORES`.

    Examples
    --------
    >>> format_score(scores.Interval(0.877, 0.835, 0.91), "accuracy")
    '87.7 % (83.5–91.0)'
    >>> format_score(scores.Interval(0.5, 0.4, 0.62), "log loss")
    '0.500 (0.400–0.620)'
    >>> format_score(scores.Interval(56754486.7, 0.3, 2e8), "log loss")
    '5.68e+07 (0.3–2e+08)'
    >>> format_score(scores.Interval(-0.048, -0.243, 0.158), "MCC")
    '−0.048 (−0.243–0.158)'
    """
    if np.isnan(estimate.value):
        return ""
    if np.isinf(estimate.value):
        return "infinite"
    if score in CLASS_SCORES or scores.SCORES[score].is_share:
        value, ends = percent(estimate.value), interval(estimate.low, estimate.high)
    else:
        # The log loss of an overconfident model is unbounded.
        form = ".3f" if max(abs(estimate.value), abs(estimate.high)) < 1000 else ".3g"
        value = true_minus(f"{estimate.value:{form}}")
        ends = true_minus(f"{estimate.low:{form}}–{estimate.high:{form}}")
    return value if np.isnan(estimate.low) or np.isnan(estimate.high) else f"{value} ({ends})"


def score_texts(lines: pd.DataFrame) -> list[str]:
    """Format lines of `lincore.metrics.score_table`, see `format_score`."""
    shown = lines[["score", "value", "low", "high"]].itertuples(index=False)
    return [format_score(scores.Interval(*values), name) for name, *values in shown]


def missing_interval_note(results: Results, score: str, method: str | None = None) -> str:
    """Explain why a score has no interval if it depends on too few rows; otherwise empty.

    Parameters
    ----------
    results : Results
    score : str
        One of `SCORES`.
    method : str, optional
        One of ``results.methods``. Default: all of them.

    Examples
    --------
    >>> truth = np.repeat([0, 1], [20, 3])
    >>> r = Results(("LDA",), np.array(["common", "rare"]), np.arange(23), truth, truth[None],
    ...             np.full((1, 23, 2), np.nan), np.zeros(1))
    >>> missing_interval_note(r, "balanced accuracy")
    "too few rows of 'rare' for an interval"
    >>> missing_interval_note(r, "accuracy")
    ''
    """
    codes = scores.few_rows(results, score)
    if not codes:
        methods = results.methods if method is None else [method]
        reasons = []
        for applies, why in (
            (scores.is_carried_by_few, "too few rows dominate the loss{} for an interval"),
            (
                scores.has_untested_zeros,
                "too few rows show the cost of zero posteriors{} for an interval",
            ),
        ):
            affected = [name for name in methods if applies(results, name, score)]
            whose = (
                ""
                if method or len(affected) == len(results.methods)
                else f" of {listed([*map(results.settings.label, affected)])}"
            )
            reasons += [why.format(whose)] * bool(affected)
        return "; ".join(reasons)
    names = [quoted(results.classes[code]) for code in codes]
    which = listed(names) if len(names) <= MOST_NAMED else f"{len(names)} classes"
    return f"too few rows of {which} for an interval"


def missing_intervals_note(results: Results, names: Sequence[str] = tuple(scores.SCORES)) -> str:
    """State which scores have no interval, and why; empty if all have.

    Parameters
    ----------
    results : Results
    names : sequence of str
        Names of scores, of `SCORES`.

    Examples
    --------
    >>> truth = np.repeat([0, 1], [20, 3])
    >>> r = Results(("LDA",), np.array(["common", "rare"]), np.arange(23), truth, truth[None],
    ...             np.full((1, 23, 2), np.nan), np.zeros(1))
    >>> missing_intervals_note(r, ["accuracy", "MCC", "AUC"])
    "MCC and AUC: too few rows of 'rare' for an interval."
    """
    reasons: dict[str, list[str]] = {}
    for name in names:
        if why := missing_interval_note(results, name):
            reasons.setdefault(why, []).append(name)
    return " ".join(f"{capital(listed(affected))}: {why}." for why, affected in reasons.items())


def classification_finding(results: Results, method: str) -> str:
    """State a method's score on the test set, and its main misclassification.

    Parameters
    ----------
    results : Results
        Results on one test set.
    method : str

    Examples
    --------
    >>> codes = np.array([0, 0, 1, 1])
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(4), codes, codes[None],
    ...             np.log(np.full((1, 4, 2), 0.5)), np.zeros(1))
    >>> classification_finding(r, "LDA")
    'LDA reaches an accuracy of 100.0 % (51.0–100.0) over 4 test rows; none is misclassified.'
    """
    name = leading_score(results.class_counts)
    estimate = scores.score(results, method, name)
    n_rows = len(np.unique(results.rows))  # over repetitions each counts once
    value, rows = format_score(estimate, name), results.settings.rows
    over = f"{n_rows:,} test {rows}"
    if row_weights(results) is not None:
        number = find_sampling_units(results).n_effective
        over = f"{n_rows:,} weighted test {rows} ({number:,.1f} of equal weight)"
    text = f"{a_score(name)} of {value} over {over}"
    if predicates := never_predicted(results, [method]):
        return f"{method} {predicates[method]}: {text}."
    text = f"{method} reaches {text}"
    errors = scores.confusion_matrix(results, method)
    np.fill_diagonal(errors, 0)
    if not errors.any():
        return f"{text}; none is misclassified."
    true, predicted = np.unravel_index(errors.argmax(), errors.shape)
    share = "most" if errors.max() > errors.sum() / 2 else "the commonest"
    if (errors == errors.max()).sum() > 1:
        share = "among the commonest"
    noun = "errors" if errors.sum() > 1 else "error"
    if errors.sum() == 1:
        share = "its only"
    true_label, predicted_label = quoted_pair(results.classes[true], results.classes[predicted])
    return f"{text}; {share} {noun}: {true_label} predicted as {predicted_label}."


def never_predicted(results: Results, methods: Sequence[str]) -> dict[str, str]:
    """State which classes with rows are never predicted by some methods."""
    n_rows = f"{len(np.unique(results.rows)):,} {results.settings.rows}"
    predicates, of_rows = {}, f"for none of the {n_rows}"
    for method in methods:
        codes = scores.never_predicted(results, method)
        if 0 < len(codes) <= MOST_NAMED:
            names = listed([quoted(results.classes[code]) for code in codes])
            predicates[method] = f"predicts {names} {of_rows}"
        elif len(codes):
            predicates[method] = (
                f"predicts {len(codes)} of {len(results.classes)} classes {of_rows}"
            )
    return predicates


def baseline_finding(results: Results, method: str, *, subject: str = "That") -> str:
    """State whether a method beats the majority-class baseline, by the leading score.

    By its interval, corrected for the choice if it is the best of several, or by permutation if
    there are too few rows, see `lincore.metrics.permutation_p`. With unequal classes, accuracy, MCC
    and the recall of the rarest class are added.

    Parameters
    ----------
    results : Results
    method : str
    subject : str
        Subject of the sentence; "That" after a headline about the method.
    """
    name = leading_score(results.class_counts)
    estimate = scores.score(results, method, name)
    baseline = scores.majority_baseline_score(results, name)
    p, best = permutation_p(results, method, name), best_score(results, name)
    if best is not None and best.method == method:
        estimate, p = best.corrected, min(1.0, best.n_methods * p)  # Bonferroni
    largest = quoted(results.classes[scores.baseline_results(results).predicted[0, 0]])
    baseline_text = f"{name} {percent(baseline)}"
    few_rows = missing_interval_note(results, name, method)
    by_permutation = f"{p_equals(p)} by permutation"
    is_better, is_worse = estimate.low > baseline, estimate.high < baseline
    if np.isnan(estimate.low):
        baseline_text = "; ".join(filter(None, (baseline_text, by_permutation, few_rows)))
        is_better, is_worse = (
            p < 1 - scores.LEVEL and sign * (estimate.value - baseline) > 0 for sign in (1, -1)
        )
    always = f"always predicting {largest} ({baseline_text})"
    if is_better or is_worse:
        text = f"{subject} is {'better' if is_better else 'worse'} than {always}."
    else:
        text = f"{subject} is not distinguishable from {always}"
        if p < 1 - scores.LEVEL:
            text += f", though predictions and classes are associated ({by_permutation})"
        elif not np.isnan(estimate.low):
            text = f"{text[:-1]}; {by_permutation})"
        text += "."
    if name == "accuracy":
        return text
    rarest = rarest_class(results)
    recall = format_score(scores.recall(results, method)[rarest], "accuracy")
    accuracy = format_score(scores.accuracy(results, method), "accuracy")
    return (
        f"{text} Accuracy {accuracy}, MCC {decimals(scores.score(results, method, 'MCC').value)}, "
        f"recall of {quoted(results.classes[rarest])}, the rarest class, {recall}."
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


def rarest_class(results: Results) -> np.intp:
    """Return the code of the class with the fewest test rows among those that have any.

    Returns
    -------
    int
        From 0 to K - 1.
    """
    counts = np.bincount(results.truth, minlength=len(results.classes))
    return np.where(counts > 0, counts, counts.max(initial=0) + 1).argmin()


def short_names(methods: Sequence[str]) -> list[str]:
    """Return method names of at most nine characters, numbered if repeated."""
    known = {"features=pixels": " pix", "features=hog": " HOG"}
    words = [
        (name.partition("(")[0], next((known[option] for option in known if option in name), ""))
        for name in methods
    ]
    names = []
    for i, (word, features) in enumerate(words):
        several = words.count((word, features)) > 1
        end = features + (f" {words[: i + 1].count((word, features))}" if several else "")
        names.append(_SHORT_NAMES.get(word, word)[: 9 - len(end)].strip() + end)
    return names
