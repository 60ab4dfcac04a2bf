"""Findings on the scores of one model, one sentence each, computed from the results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lincore.metrics import scores
from lincore.metrics.class_ratio import leading_score
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, row_weights
from lincore.utils.formatting import (
    decimals,
    interval,
    listed,
    percent,
    true_minus,
)

#: So many classes are named in a sentence.
MOST_NAMED = 3


def format_score_cell(found: scores.Interval, score: str) -> str:
    """Write a score with its interval where the heading says the unit; nothing without a score.

    Parameters
    ----------
    found : Interval
        In the unit of the score.
    score : str
        One of `SCORES`.

    Examples
    --------
    >>> format_score_cell(scores.Interval(0.877, 0.835, 0.91), "accuracy")
    '87.7 (83.5–91.0)'
    """
    return format_score(found, score).replace(" %", "")


def a_score(name: str) -> str:
    """Return the name of a score with its article: 'an accuracy', 'a log loss'."""
    return f"{'an' if name in ('accuracy', 'MCC', 'AUC') else 'a'} {name}"


def format_score(found: scores.Interval, score: str) -> str:
    """Write a score with its interval as its kind is read; nothing where there is none.

    Parameters
    ----------
    found : Interval
        In the unit of the score.
    score : str
        One of `SCORES`.

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
    if np.isnan(found.value):
        return ""
    if np.isinf(found.value):
        return "infinite"
    if scores.SCORES[score].is_share:
        value, ends = percent(found.value), interval(found.low, found.high)
    else:
        # The log loss of a confident model that errs has no bound.
        form = ".3f" if max(abs(found.value), abs(found.high)) < 1000 else ".3g"
        value = true_minus(f"{found.value:{form}}")
        ends = true_minus(f"{found.low:{form}}–{found.high:{form}}")
    return value if np.isnan(found.low) or np.isnan(found.high) else f"{value} ({ends})"


def missing_interval_note(results: Results, score: str, method: str | None = None) -> str:
    """Say why a score has no interval, where it rests on too few rows; else nothing.

    Parameters
    ----------
    results : Results
    score : str
        One of `SCORES`.
    method : str, optional
        One of ``results.methods``; all of them when not given.

    Examples
    --------
    >>> truth = np.repeat([0, 1], [20, 3])
    >>> r = Results(("LDA",), np.array(["common", "rare"]), np.arange(23), truth, truth[None],
    ...             np.full((1, 23, 2), np.nan), np.zeros(1))
    >>> missing_interval_note(r, "balanced accuracy")
    'too few rows of rare for an interval'
    >>> missing_interval_note(r, "accuracy")
    ''
    """
    codes = scores.few_rows(results, score)
    if not codes:
        methods = results.methods if method is None else [method]
        carried = [one for one in methods if scores.is_carried_by_few(results, one, score)]
        whose = "" if method or len(carried) == len(results.methods) else f" of {listed(carried)}"
        return f"too few rows carry the loss{whose} for an interval" if carried else ""
    names = [_name(results, np.intp(code)) for code in codes]
    which = listed(names) if len(names) <= MOST_NAMED else f"{len(names)} classes"
    return f"too few rows of {which} for an interval"


def missing_intervals_note(results: Results, names: Sequence[str] = tuple(scores.SCORES)) -> str:
    """Say which of some scores have no interval, and why; nothing where all have.

    Parameters
    ----------
    results : Results
    names : sequence of str
        Of scores, of `SCORES`.

    Examples
    --------
    >>> truth = np.repeat([0, 1], [20, 3])
    >>> r = Results(("LDA",), np.array(["common", "rare"]), np.arange(23), truth, truth[None],
    ...             np.full((1, 23, 2), np.nan), np.zeros(1))
    >>> missing_intervals_note(r, ["accuracy", "MCC", "AUC"])
    'MCC and AUC: too few rows of rare for an interval.'
    """
    reasons: dict[str, list[str]] = {}
    for name in names:
        if why := missing_interval_note(results, name):
            reasons.setdefault(why, []).append(name)
    return " ".join(f"{_capital(listed(some))}: {why}." for why, some in reasons.items())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def classification_finding(results: Results, method: str, *, rows: str = "rows") -> str:
    """Say which score a method reaches on the test set, and what it mostly misclassifies.

    Parameters
    ----------
    results : Results
        Of one test set.
    method : str
    rows : str
        What a row is: "rows" or "images".

    Examples
    --------
    >>> codes = np.array([0, 0, 1, 1])
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(4), codes, codes[None],
    ...             np.log(np.full((1, 4, 2), 0.5)), np.zeros(1))
    >>> classification_finding(r, "LDA")
    'LDA reaches an accuracy of 100.0 % (51.0–100.0) over 4 test rows; none is misclassified.'
    """
    name = leading_score(results.class_counts)
    found = scores.score(results, method, name)
    n_rows = len(np.unique(results.rows))  # over repetitions each counts once
    value = format_score(found, name)
    if few := missing_interval_note(results, name, method):
        value = f"{value} ({few})"
    over = f"{n_rows:,} test {rows}"
    if row_weights(results) is not None:
        number = find_sampling_units(results).n_effective
        over = f"{n_rows:,} weighted test {rows} ({number:,.1f} of equal weight)"
    text = f"{a_score(name)} of {value} over {over}"
    if blind := never_predicted(results, [method]):
        return f"{method} {blind[method]}: {text}."
    text = f"{method} reaches {text}"
    errors = scores.confusion_matrix(results, method)
    np.fill_diagonal(errors, 0)
    if not errors.any():
        return f"{text}; none is misclassified."
    true, predicted = np.unravel_index(errors.argmax(), errors.shape)
    share = "most" if errors.max() > errors.sum() / 2 else "the commonest"
    noun = "errors" if share == "most" and errors.sum() > 1 else "error"
    if errors.sum() == 1:
        share = "its one"
    classes = results.classes
    return f"{text}; {share} {noun}: '{classes[true]}' predicted as '{classes[predicted]}'."


def never_predicted(results: Results, methods: Sequence[str]) -> dict[str, str]:
    """Say of the methods that never predict some class with rows which classes those are.

    Examples
    --------
    >>> truth = np.array([0, 0, 0, 1])
    >>> r = Results(("LDA",), np.array(["common", "rare"]), np.arange(4), truth, 0 * truth[None],
    ...             np.full((1, 4, 2), np.nan), np.zeros(1))
    >>> never_predicted(r, ["LDA"])
    {'LDA': "predicts 'rare' for none of the 4 rows"}
    """
    found = {}
    for method in methods:
        codes = scores.never_predicted(results, method)
        if 0 < len(codes) <= MOST_NAMED:
            names = listed([f"'{results.classes[code]}'" for code in codes])
            found[method] = f"predicts {names} for none of the {len(results.truth):,} rows"
        elif len(codes):
            found[method] = f"never predicts {len(codes)} of {len(results.classes)} classes"
    return found


def _name(results: Results, code: np.intp) -> str:
    """Return a label as it stands in a sentence: a number in quotation marks."""
    label = results.classes[code]
    return str(label) if isinstance(label, str) else f"“{label}”"


def training_error_note(training: float, results: Results, method: str) -> str:
    """Put the error on the training rows beside that on the test rows.

    Parameters
    ----------
    training : float
        See `lincore.model_selection.training_error`.
    results : Results
    method : str
    """
    test = 1 - scores.score(results, method, "accuracy").value
    return f"Training error {percent(training)}, test error {percent(test)}."


def baseline_finding(results: Results, method: str, *, subject: str = "That") -> str:
    """Say whether a method beats always predicting the largest class, by the leading score.

    Where classes are unequal, accuracy, MCC and the recall of the rarest class stand beside it.

    Parameters
    ----------
    results : Results
    method : str
    subject : str
        What the sentence calls the method, which after a headline about it is "That".
    """
    name = leading_score(results.class_counts)
    found, guess = (
        scores.score(results, method, name),
        scores.majority_baseline_score(results, name),
    )
    largest = _name(results, scores.baseline_results(results).predicted[0, 0])
    always = f"always predicting {largest} ({name} {percent(guess)})"
    if few := missing_interval_note(results, name):
        model = subject[:1].lower() + subject[1:] if subject == "That" else subject
        text = f"Whether {model} is better than {always} is not known: {few}."
    elif found.low > guess:
        text = f"{subject} is better than {always}."
    elif found.high < guess:
        text = f"{subject} is worse than {always}."
    else:
        text = f"{subject} is not distinguishable from {always}."
    if name == "accuracy":
        return text
    rarest = rarest_class(results)
    recall = format_score(scores.recall(results, method)[rarest], "accuracy")
    accuracy = format_score(scores.accuracy(results, method), "accuracy")
    return (
        f"{text} Accuracy {accuracy}, MCC {decimals(scores.score(results, method, 'MCC').value)}, "
        f"recall of {_name(results, rarest)}, the rarest class, {recall}."
    )


def rarest_class(results: Results) -> np.intp:
    """Return the code of the class with the fewest test rows among those that have any.

    Returns
    -------
    int
        From 0 to K - 1.
    """
    counts = np.bincount(results.truth, minlength=len(results.classes))
    return np.where(counts > 0, counts, counts.max(initial=0) + 1).argmin()
