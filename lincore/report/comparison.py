"""Notes on a comparison: data, validation, and single methods."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.metrics import scores
from lincore.metrics.disagreements import Disagreement, find_disagreements, rank_correlation
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, per_results, row_weights
from lincore.report import streamed_rows
from lincore.utils.formatting import class_named, count, decimals, listed, percent, quoted

#: Number of classes named in a note.
MOST_NAMED = 5
WILSON = "Wilson"
#: Minimum rank correlation and maximum AUC difference of models with the same ranking, and the
#: share of rows with different decisions.
_SAME_RANKS, _SAME_AUC, _OFTEN = 0.99, 0.005, 0.05
#: Rules of the intervals, see `lincore.metrics.score`.
_RULES = {
    "accuracy": WILSON,
    "balanced accuracy": "Price–Bonett",
    "macro F1": "Price–Bonett, linearised",
    "MCC": "Price–Bonett, linearised",
    "log loss": "Student’s t on a log scale",
    "Brier": "Student’s t on a log scale",
    "AUC": "DeLong, with two rows added",
}
_NOTES = {
    "ConstantFeatureWarning": "ignored a feature that is constant within every class",
    "ConvergenceWarning": "had not converged",
    "SeparationWarning": "met separable classes, so its coefficients diverge",
}


def evaluation_scope(results: Results) -> str:
    """Report which rows were predicted, by models trained on how many.

    Parameters
    ----------
    results : Results

    Examples
    --------
    >>> codes = np.array([0, 0, 1, 1])
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(4), codes, codes[None],
    ...             np.log(np.full((1, 4, 2), 0.5)), np.zeros(1), n_train=np.full(4, 9))
    >>> evaluation_scope(r)
    'On 4 test rows, by models trained on 9 others.'
    """
    base, rows = find_sampling_units(results), results.settings.rows
    n_tested = len(np.unique(results.rows))
    least, most = int(results.n_train.min()), int(results.n_train.max())
    others = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    learned = f"by models trained on {others} others"
    more = f" {also}" if (also := streamed_rows.learned(results)) else ""
    more += f" {kept}" if (kept := groups(results)) else ""
    more += f" {weighed}" if (weighed := weighting(results)) else ""
    if base.one_fit:
        return f"On {n_tested:,} test {rows}, {learned}.{more}"
    times = "once" if base.repeats <= 1 else f"{base.repeats:.3g} times"
    tested = f"{n_tested:,} {rows}, each predicted {times}, {learned}."
    return f"Over {base.n_folds:,} folds: {tested}{more}"


def groups(results: Results) -> str:
    """Report whether rows of one group were kept together; "" if the data have no groups."""
    if results.settings.row_groups is None:
        return ""
    if results.settings.groups_divided:
        return (
            "Rows of one group are in both training and test sets, which biases scores upwards if "
            "new rows come from new groups."
        )
    return "Rows of one group are kept together."


def weighting(results: Results) -> str:
    """Report the effective number of tested rows; "" without unequal weights.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.load((np.arange(40.0)[:, None] % 7, np.arange(40) % 2),
    ...                     weights=1 + np.arange(40) % 3)
    >>> weighting(lincore.compare(data, "lda", "5-fold"))
    'Rows are weighted: the 40 tested ones are equivalent to 34.1 of equal weight (Kish).'
    """
    if row_weights(results) is None:
        return ""
    base = find_sampling_units(results)
    units = _units(results)
    tested = f"{base.n_units:,} tested {'ones' if units == 'rows' else units}"
    number = f"{base.n_effective:,.1f} of equal weight (Kish)"
    return f"Rows are weighted: the {tested} are equivalent to {number}."


def interval_method(results: Results, *names: str) -> str:
    """State the rules of the intervals of some scores.

    Parameters
    ----------
    results : Results
    *names : str
        Of scores, of `SCORES`.

    Examples
    --------
    >>> codes = np.array([0, 0, 1, 1])
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(4), codes, codes[None],
    ...             np.log(np.full((1, 4, 2), 0.5)), np.zeros(1))
    >>> interval_method(r, "accuracy")
    '95 % intervals: Wilson.'
    >>> interval_method(r, "accuracy", "MCC")
    '95 % intervals: accuracy by Wilson; MCC by Price–Bonett, linearised.'
    """
    own = {"AUC": "DeLong"} if scores.has_delongs_interval(results) else {}
    rules = [own.get(name, _RULES[name]) for name in names]
    base, units = find_sampling_units(results), _units(results)
    if not base.independent_rows:
        number = f"effective number of {units}"
        variance = f"variance by {units}"
        rules = [f"{rule}, {number if rule == WILSON else variance}" for rule in rules]
    if len(names) > 1:
        rules = [f"{name} by {rule}" for name, rule in zip(names, rules, strict=True)]
    if results.common is not None:
        rules[-1] += f"{';' if len(names) > 1 else ','} jackknife over the models of the folds"
    said = f"{percent(scores.LEVEL, 0)} intervals: {'; '.join(rules)}."
    pure = _delong_intervals(results) if names == ("AUC",) and not own else {}
    if not pure:
        return said
    without = "; ".join(
        f"{label} {found.value:.3f} ({found.low:.3f} to {found.high:.3f})"
        for label, found in pure.items()
    )
    return f"{said} Without these rows, as in R’s pROC: {without}."


def delong_note(results: Results) -> str:
    """Report the AUC of one model for two classes with DeLong's interval; empty if unavailable.

    Examples
    --------
    >>> import lincore
    >>> delong_note(lincore.compare(lincore.sample("passengers"), "lda"))
    'AUC ...; DeLong’s 95 % interval, as in R’s pROC, is ... to .... The table ...'
    """
    found = next(iter(_delong_intervals(results).values()), None)
    if found is None:
        return ""
    return (
        f"AUC {found.value:.3f}; DeLong’s {percent(scores.LEVEL, 0)} interval, as in R’s pROC, is "
        f"{found.low:.3f} to {found.high:.3f}. The table of scores adds two rows."
    )


def _delong_intervals(results: Results) -> dict[str, scores.Interval]:
    """Return the AUC of each model with DeLong's interval, by label, if available."""
    asked = replace(results, settings=replace(results.settings, auc_interval="DeLong"))
    if not scores.has_delongs_interval(asked) or scores.few_rows(results, "AUC"):
        return {}
    found = {results.settings.label(m): scores.score(asked, m, "AUC") for m in results.methods}
    return {label: one for label, one in found.items() if np.isfinite(one.low)}


def _units(results: Results) -> str:
    return "rows" if results.settings.row_groups is None else "groups"


def with_class_names(reason: str, classes: NDArray[Any]) -> str:
    """Replace class codes by labels in the message of a classifier.

    Parameters
    ----------
    reason : str
        A message with codes in it, such as "class 2".
    classes : ndarray of shape (K,)
        Labels, in the order of the codes.

    Examples
    --------
    >>> with_class_names("The covariance of class 1 is singular.", np.array(["cat", "dog"]))
    "The covariance of class 'dog' is singular."
    """

    def label(found: re.Match[str]) -> str:
        code = int(found[1])
        return class_named(classes[code]) if code < len(classes) else found[0]

    return re.sub(r"\bclass (\d+)\b", label, reason)


def comparison_notes(results: Results) -> list[str]:
    """Report missing methods with reasons, warnings, and classes that no method could learn.

    Examples
    --------
    >>> from lincore.metrics.settings import Settings
    >>> codes = np.array([0, 0, 1, 1])
    >>> r = Results(("a",), np.array(["a", "b"]), np.arange(4), codes, codes[None],
    ...             np.full((1, 4, 2), np.nan), np.zeros(1),
    ...             settings=Settings(notes={"a": {"ConvergenceWarning": 1}}, failed={"b": "x."}))
    >>> comparison_notes(r)
    ['b is left out: x.', 'a had not converged when it ended.']
    """
    settings = results.settings
    notes = [
        f"{settings.label(name)} is left out: {with_class_names(reason, results.classes)}"
        for name, reason in settings.failed.items()
    ]
    missing = [
        label
        for name, label in settings.labels.items()
        if name not in results.methods and name not in settings.failed
    ]
    if settings.stopped and missing:
        are = "are" if len(missing) > 1 else "is"
        notes.append(f"{listed(missing)} {are} missing: the comparison was stopped before.")
    n_fits = find_sampling_units(results).n_folds
    for name, found in settings.notes.items():
        if name not in results.methods:
            continue
        for kind, times in found.items():
            what = _NOTES.get(kind, f"warned ({kind})")
            where = f" in {times:,} of {n_fits:,} fits" if n_fits > 1 else ""
            end = " when it ended" if kind == "ConvergenceWarning" else ""
            notes.append(f"{settings.label(name)} {what}{end}{where}.")
    notes += threshold_notes(results)
    alone = _in_one_fold(results)
    if alone:
        each = " each" if len(alone) > 1 else ""
        more = len(alone) - MOST_NAMED
        alone = alone if more < 2 else [*alone[:MOST_NAMED], f"{more:,} other classes"]
        notes.append(
            f"All rows of {listed(alone)} are in one fold{each}, so no model that is tested on "
            f"them has learned the class: they count as errors. Leave the class out, or choose a "
            f"validation that divides its rows."
        )
    return notes


@per_results  # pages ask at every rerun
def threshold_notes(results: Results) -> tuple[str, ...]:
    """Report pairs of models with the same ranking but different decisions.

    For two classes; at most three pairs, those that differ in most rows first.
    """
    if len(results.classes) != 2:
        return ()
    pairs = []
    for first, second in combinations(results.methods, 2):
        found = find_disagreements(results, first, second)
        if len(found.rows) < _OFTEN * found.n_rows:
            continue
        areas = [scores.estimate(results, method, "AUC").value for method in (first, second)]
        alike = abs(areas[0] - areas[1]) < _SAME_AUC
        if alike and rank_correlation(results, first, second) >= _SAME_RANKS:
            pairs.append((len(found.rows), found.n_rows, first, second, areas))
    sentences = []
    for n_differ, n_rows, first, second, areas in sorted(pairs, key=lambda pair: -pair[0])[:3]:
        one, other = (decimals(area) for area in areas)
        auc = f"{one} for both" if one == other else f"{one} and {other}"
        who = f"{results.settings.label(first)} and {results.settings.label(second)}"
        sentences.append(
            f"{who} rank the rows equally (AUC {auc}) but decide differently on {n_differ:,} of "
            f"{n_rows:,} rows: only their thresholds differ."
        )
    if more := len(pairs) - len(sentences):
        sentences.append(f"The same holds of {count(more, 'more pair')}.")
    return tuple(sentences)


def _in_one_fold(results: Results) -> list[str]:
    """Return the classes whose rows are all in one test set, so that its models never saw them."""
    by_pass = results.repetition.astype(np.intp), results.fold.astype(np.intp)
    passes = np.unique(by_pass[0])
    whole = [
        len(np.unique(by_pass[1][by_pass[0] == one])) > 1
        and (results.n_train + _in_fold(results))[by_pass[0] == one].max()
        <= np.count_nonzero(by_pass[0] == one)
        for one in passes
    ]
    if find_sampling_units(results).one_fit or not all(
        whole
    ):  # some training rows may never be tested
        return []
    seen = np.unique(np.stack([by_pass[0], results.truth, by_pass[1]]), axis=1)
    found, n_folds = np.unique(seen[:2], axis=1, return_counts=True)
    return [quoted(results.classes[code]) for code in np.unique(found[1][n_folds == 1])]


def _in_fold(results: Results) -> NDArray[np.intp]:
    """Return for each row the size of its test set."""
    folds = np.stack([results.repetition, results.fold])
    _, which, sizes = np.unique(folds, axis=1, return_inverse=True, return_counts=True)
    return np.asarray(sizes[which.ravel()])


def disagreement_finding(
    found: Disagreement, first: str, second: str, *, rows: str = "rows"
) -> str:
    """State how often two models disagree, and which of them is then correct.

    Parameters
    ----------
    found : Disagreement
    first, second : str
        Display names of the methods.
    rows : str
        What a row is.

    Examples
    --------
    >>> nothing = np.empty(0, dtype=np.intp)
    >>> pair = np.empty((2, 0), dtype=np.intp)
    >>> disagreement_finding(Disagreement("a", "b", nothing, nothing, pair, pair, 9), "LDA", "QDA")
    'LDA and QDA predict the same for all 9 rows.'
    """
    differ = len(found.rows)
    if not differ:
        return f"{first} and {second} predict the same for all {found.n_rows:,} {rows}."
    counts = [int(part.sum()) for part in (found.only_first, found.only_second, found.neither)]
    text = (
        f"{first} and {second} disagree on {differ:,} of {found.n_rows:,} {rows}: only {first} is "
        f"correct on {counts[0]:,}, only {second} on {counts[1]:,}"
    )
    return text + (f", neither on {counts[2]:,}." if counts[2] else ".")
