"""Notes on a comparison: missing models, warnings, thresholds, classes that were not learned."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lincore import metrics, report
from lincore.metrics import Results
from lincore.utils import count, decimals, listed, quoted

#: Number of classes named in a note.
MOST_NAMED = 5
#: Minimum rank correlation and maximum AUC difference of models with the same ranking, and the
#: share of rows with different decisions.
_SAME_RANKS, _SAME_AUC, _OFTEN = 0.99, 0.005, 0.05
_NOTES = {
    "ConstantFeatureWarning": "ignored a feature that is constant within every class",
    "ConvergenceWarning": "had not converged",
    "SeparationWarning": "met separable classes, so its coefficients diverge",
}


def comparison_notes(results: Results) -> list[str]:
    """Report missing methods with reasons, warnings, and classes that no method could learn."""
    settings = results.settings
    notes = report.left_out(settings.failed, settings, results.classes)
    missing = [
        label
        for name, label in settings.labels.items()
        if name not in results.methods and name not in settings.failed
    ]
    if settings.stopped and missing:
        are = "are" if len(missing) > 1 else "is"
        notes.append(f"{listed(missing)} {are} missing: the comparison was stopped before.")
    n_fits = metrics.find_sampling_units(results).n_folds
    for name, found in settings.notes.items():
        if name not in results.methods:
            continue
        for kind, times in found.items():
            what = _NOTES.get(kind, f"warned ({kind})")
            where = f" in {times:,} of {n_fits:,} fits" if n_fits > 1 else ""
            end = " when it ended" if kind == "ConvergenceWarning" else ""
            notes.append(f"{settings.label(name)} {what}{end}{where}.")
    notes += _threshold_notes(results)
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


def _threshold_notes(results: Results) -> list[str]:
    """Report pairs of models with the same ranking but different decisions."""
    # For two classes; only the pair that differs in most rows is named.
    if len(results.classes) != 2:
        return []
    pairs = []
    for first, second in combinations(results.methods, 2):
        found = metrics.find_disagreements(results, first, second)
        if len(found.rows) < _OFTEN * found.n_rows:
            continue
        areas = [metrics.estimate(results, method, "AUC").value for method in (first, second)]
        alike = abs(areas[0] - areas[1]) < _SAME_AUC
        if alike and metrics.rank_correlation(results, first, second) >= _SAME_RANKS:
            pairs.append((len(found.rows), found.n_rows, first, second, areas))
    if not pairs:
        return []
    n_differ, n_rows, first, second, areas = max(pairs, key=lambda pair: pair[0])
    one, other = (decimals(area) for area in areas)
    auc = f"{one} for both" if one == other else f"{one} and {other}"
    who = f"{results.settings.label(first)} and {results.settings.label(second)}"
    more = f" The same holds for {count(len(pairs) - 1, 'more pair')}." if len(pairs) > 1 else ""
    return [
        f"{who} rank the rows almost alike (AUC {auc}) but decide differently on {n_differ:,} of "
        f"{n_rows:,} rows: mainly their thresholds differ.{more}"
    ]


def _in_one_fold(results: Results) -> list[str]:
    """Return the classes whose rows are all in one test set, and so in no training set of it."""
    by_pass = results.repetition.astype(np.intp), results.fold.astype(np.intp)
    passes = np.unique(by_pass[0])
    whole = [
        len(np.unique(by_pass[1][by_pass[0] == one])) > 1
        and (results.n_train + _in_fold(results))[by_pass[0] == one].max()
        <= np.count_nonzero(by_pass[0] == one)
        for one in passes
    ]
    # Otherwise some training rows may never be tested.
    if metrics.find_sampling_units(results).one_fit or not all(whole):
        return []
    seen = np.unique(np.stack([by_pass[0], results.truth, by_pass[1]]), axis=1)
    found, n_folds = np.unique(seen[:2], axis=1, return_counts=True)
    return [quoted(results.classes[code]) for code in np.unique(found[1][n_folds == 1])]


def _in_fold(results: Results) -> NDArray[np.intp]:
    """Return for each row the size of its test set."""
    folds = np.stack([results.repetition, results.fold])
    _, which, sizes = np.unique(folds, axis=1, return_inverse=True, return_counts=True)
    return np.asarray(sizes[which.ravel()])
