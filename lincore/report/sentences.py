"""Findings on scores and comparisons, one sentence each, computed from the results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lincore.metrics import differences, scores
from lincore.metrics.class_ratio import leading_score
from lincore.metrics.results import Results
from lincore.utils.formatting import (
    decimals,
    interval,
    listed,
    p_equals,
    percent,
    points,
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


def missing_interval_note(results: Results, score: str) -> str:
    """Say why a score has no interval, where classes have too few rows; else nothing.

    Parameters
    ----------
    results : Results
    score : str
        One of `SCORES`.

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
        return ""
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
    few = {name: why for name in names if (why := missing_interval_note(results, name))}
    return f"{_capital(listed(list(few)))}: {next(iter(few.values()))}." if few else ""


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
    if few := missing_interval_note(results, name):
        value = f"{value} ({few})"
    text = f"{a_score(name)} of {value} over {n_rows:,} test {rows}"
    if blind := never_predicted(results, [method]):
        return f"{method} {blind[method]}: {text}."
    text = f"{method} reaches {text}"
    errors = scores.confusion_matrix(results, method)
    np.fill_diagonal(errors, 0)
    if not errors.any():
        return f"{text}; none is misclassified."
    true, predicted = np.unravel_index(errors.argmax(), errors.shape)
    share = "most" if errors.max() > errors.sum() / 2 else "the commonest"
    noun = "errors are" if errors.sum() > 1 else "error is"
    if errors.sum() == 1:
        share = "its one"
    what = f"{_name(results, true)} misclassified as {_name(results, predicted)}"
    return f"{text}; {share} {noun} {what}."


def never_predicted(results: Results, methods: Sequence[str]) -> dict[str, str]:
    """Say of the methods that never predict some class with rows which classes those are.

    Examples
    --------
    >>> truth = np.array([0, 0, 0, 1])
    >>> r = Results(("LDA",), np.array(["common", "rare"]), np.arange(4), truth, 0 * truth[None],
    ...             np.full((1, 4, 2), np.nan), np.zeros(1))
    >>> never_predicted(r, ["LDA"])
    {'LDA': 'never predicts rare'}
    """
    found = {}
    for method in methods:
        codes = scores.never_predicted(results, method)
        if 0 < len(codes) <= MOST_NAMED:
            found[method] = f"never predicts {listed([_name(results, code) for code in codes])}"
        elif len(codes):
            found[method] = f"never predicts {len(codes)} of {len(results.classes)} classes"
    return found


def _name(results: Results, code: np.intp) -> str:
    """Return a label as it stands in a sentence: a number in quotation marks."""
    label = results.classes[code]
    return str(label) if isinstance(label, str) else f"“{label}”"


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


def comparison_finding(results: Results, score: str | None = None, rope: float = 0.01) -> str:
    """Say which methods lead, whom they beat, and which classes some of them never predict.

    The groups are those of `lincore.metrics.differences.groups`: whoever shares one is not
    significantly different from its best.

    Parameters
    ----------
    results : Results
    score : str, optional
        One of `lincore.metrics.scores.SCORES`; by default the leading one, see
        `lincore.metrics.class_ratio.leading_score`.
    rope : float
        How small a difference does not matter, in the unit of the score.

    Examples
    --------
    >>> truth = np.arange(200) % 2
    >>> wrong = np.where(np.arange(200) < 60, 1 - truth, truth)
    >>> r = Results(("LDA", "QDA", "Fisher"), np.array(["a", "b"]), np.arange(200), truth,
    ...             np.stack([truth, truth, wrong]), np.full((3, 200, 2), np.nan), np.zeros(3))
    >>> comparison_finding(r)
    'LDA and QDA are not significantly different (accuracy 100.0 %); both beat Fisher (70.0 %).'
    """
    score = score or leading_score(results.class_counts)
    group = differences.groups(results, score, rope)
    ranked = _ranked(results, score)
    if not ranked:
        return f"No model has a score for {score}."
    finding = _who_leads(results, ranked, group, score, rope)
    return " ".join([finding, *never_predicted_finding(results, ranked)])


def _who_leads(
    results: Results, ranked: list[str], group: dict[str, int], score: str, rope: float
) -> str:
    leaders = [method for method in ranked if group[method] == 1]
    others = [method for method in ranked if group[method] > 1]
    span = _span(results, leaders, score)
    if len(ranked) == 1:
        return f"{_labels(results, ranked)[0]} reaches {a_score(score)} of {span}."
    if not others:
        who = (
            listed(_labels(results, leaders)) if len(leaders) <= 6 else f"All {len(leaders)} models"
        )
        return f"{who} {_alike(results, leaders, score, rope)} ({score} {span})."
    beaten = (
        listed(_labels(results, others)) if len(others) <= 4 else f"the other {len(others)} models"
    )
    beaten += f" ({_span(results, others, score)})"
    if len(leaders) == 1:
        return f"{_labels(results, leaders)[0]} ({score} {span}) beats {beaten}."
    verb = "both beat" if len(leaders) == 2 else f"all {len(leaders)} beat"
    # The best beats them; of those that stand beside it the tests need not say so.
    if not _all_beat(results, leaders, others, score, rope):
        verb = f"{_labels(results, leaders)[0]} beats"
    first = listed(_labels(results, leaders))
    alike = _alike(results, leaders, score, rope)
    return f"{first} {alike} ({score} {span}); {verb} {beaten}."


def never_predicted_finding(results: Results, methods: Sequence[str]) -> list[str]:
    """Return a sentence for each set of classes that some of the methods never predict.

    Parameters
    ----------
    results : Results
    methods : sequence of str
        Some of ``results.methods``.
    """
    found = never_predicted(results, methods)
    labels = dict(zip(methods, _labels(results, list(methods)), strict=True))
    sentences = []
    for blind in dict.fromkeys(found.values()):
        who = [labels[method] for method in methods if found.get(method) == blind]
        if len(who) == len(methods) > 1:
            names = f"{'Neither' if len(who) == 2 else 'None'} of them ever"
            sentences.append(f"{names} {blind.removeprefix('never ')}.")
        else:
            plural = len(who) > 1
            sentences.append(
                f"{listed(who)} {blind.replace('predicts', 'predict') if plural else blind}."
            )
    return sentences


def difference_finding(difference: differences.Difference) -> str:
    """Say in one sentence what is known of two methods.

    Examples
    --------
    >>> difference_finding(differences.Difference(
    ...     "LDA", "QDA", "accuracy", 0.021, 0.003, 0.039, 0.02, 0.04, "first better", "t"))
    'LDA beats QDA by 2.1 points of accuracy (0.3 to 3.9).'
    """
    first, second, score = difference.first, difference.second, difference.score
    if np.isnan(difference.value):
        return f"{first} and {second} cannot be compared by {score}."
    value, low, high = difference.value, difference.low, difference.high
    better = difference.better
    if better is not None:
        worse = second if better == first else first
        if value < 0:
            value, low, high = -value, -high, -low
        span = f"({_amount(low, score)} to {_amount(high, score)})"
        return f"{better} beats {worse} by {_amount(value, score)}{_unit(score)} {span}."
    span = f"{first} minus {second} is {_amount(value, score)}{_unit(score)}"
    span += f" ({_amount(low, score)} to {_amount(high, score)})"
    if difference.verdict == "equivalent":
        return f"{first} and {second} are equivalent in practice: {span}."
    return f"{first} and {second} are not significantly different: {span}."


def cochran_finding(found: differences.Omnibus, *, some_pair: bool = True) -> str:
    """Say what Cochran's test says of all methods together.

    Parameters
    ----------
    found : Omnibus
    some_pair : bool, default True
        Whether two of the methods are significantly different by themselves.

    Examples
    --------
    >>> cochran_finding(differences.Omnibus(9.2, 0.01, 2))
    'The models are not all correct equally often (Cochran’s Q = 9.2, p = 0.010).'
    """
    numbers = f"(Cochran’s Q = {found.statistic:.1f}, {p_equals(found.p)})"
    if found.p < 1 - scores.LEVEL:
        alone = "" if some_pair else ", though no two of them are significantly different"
        return f"The models are not all correct equally often {numbers}{alone}."
    return f"No model is known to be correct more often than another {numbers}."


def number(value: float, score: str) -> str:
    """Write a score as its kind is read: '87.7 %', '0.321'."""
    return percent(value) if scores.SCORES[score].is_share else decimals(value)


def _labels(results: Results, methods: list[str]) -> list[str]:
    """Return what the methods are called in a sentence: "LDA" for "lda"."""
    return [results.settings.label(method) for method in methods]


def _ranked(results: Results, score: str) -> list[str]:
    values = {m: scores.estimate(results, m, score).value for m in results.methods}
    sign = -1 if scores.SCORES[score].greater_is_better else 1
    return sorted((m for m in values if not np.isnan(values[m])), key=lambda m: sign * values[m])


def _span(results: Results, methods: list[str], score: str) -> str:
    """Return the scores of the best and the worst of some methods in rank order."""
    ends = (scores.estimate(results, m, score).value for m in (methods[0], methods[-1]))
    best, worst = (number(value, score) for value in ends)
    return best if best == worst else f"{best} to {worst}"


def _alike(results: Results, leaders: list[str], score: str, rope: float) -> str:
    """Say of the methods of a group that none is known to be better, or that it does not matter."""
    found = differences.pairwise_differences(results, score, rope)
    pairs = [d for d in found if d.first in leaders and d.second in leaders]
    # Models that never predict some class are alike in a fault: that is no equivalence to praise.
    if any(d.verdict != "equivalent" for d in pairs) or never_predicted(results, leaders):
        return "are not significantly different"
    return (
        f"are equivalent in practice, surely less than {_amount(rope, score)}{_unit(score)} apart"
    )


def _all_beat(
    results: Results, leaders: list[str], others: list[str], score: str, rope: float
) -> bool:
    found = differences.pairwise_differences(results, score, rope)
    better = {frozenset((d.first, d.second)): d.better for d in found}
    return all(better[frozenset((a, b))] == a for a in leaders for b in others)


def _amount(value: float, score: str) -> str:
    return points(value) if scores.SCORES[score].is_share else decimals(value)


def _unit(score: str) -> str:
    return f" points of {score}" if scores.SCORES[score].is_share else f" of {score}"
