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
        verb = "are" if len(missing) > 1 else "is"
        notes.append(f"{listed(missing)} {verb} missing: the comparison was stopped before.")
    n_fits = metrics.find_sampling_units(results).n_folds
    for name, warning_counts in settings.notes.items():
        if name not in results.methods:
            continue
        for kind, times in warning_counts.items():
            event = _NOTES.get(kind, f"warned ({kind})")
            where = f" in {times:,} of {n_fits:,} fits" if n_fits > 1 else ""
            end = " when it ended" if kind == "ConvergenceWarning" else ""
            notes.append(f"{settings.label(name)} {event}{end}{where}.")
    notes += _threshold_notes(results)
    unlearned = _in_one_fold(results)
    if unlearned:
        each = " each" if len(unlearned) > 1 else ""
        more = len(unlearned) - MOST_NAMED
        unlearned = unlearned if more < 2 else [*unlearned[:MOST_NAMED], f"{more:,} other classes"]
        notes.append(
            f"All rows of {listed(unlearned)} are in one fold{each}, so no model that is tested on "
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
        disagreement = metrics.find_disagreements(results, first, second)
        if len(disagreement.rows) < _OFTEN * disagreement.n_rows:
            continue
        areas = [metrics.estimate(results, method, "AUC").value for method in (first, second)]
        alike = abs(areas[0] - areas[1]) < _SAME_AUC
        if alike and metrics.rank_correlation(results, first, second) >= _SAME_RANKS:
            pairs.append((len(disagreement.rows), disagreement.n_rows, first, second, areas))
    if not pairs:
        return []
    n_differ, n_rows, first, second, areas = max(pairs, key=lambda pair: pair[0])
    texts = [decimals(area) for area in areas]
    auc = f"{texts[0]} for both" if texts[0] == texts[1] else " and ".join(texts)
    models = f"{results.settings.label(first)} and {results.settings.label(second)}"
    more = f" The same holds for {count(len(pairs) - 1, 'more pair')}." if len(pairs) > 1 else ""
    return [
        f"{models} rank the rows almost alike (AUC {auc}) but decide differently on {n_differ:,} "
        f"of {n_rows:,} rows: mainly their thresholds differ.{more}"
    ]


def _in_one_fold(results: Results) -> list[str]:
    """Return the classes whose rows are all in one test set, and so in no training set of it."""
    repetition, fold = results.repetition.astype(np.intp), results.fold.astype(np.intp)
    n_rows = results.n_train + _fold_sizes(results)
    # Otherwise some training rows may never be tested.
    all_are_tested = all(
        len(np.unique(fold[own])) > 1 and n_rows[own].max() <= np.count_nonzero(own)
        for own in (repetition == number for number in np.unique(repetition))
    )
    if metrics.find_sampling_units(results).one_fit or not all_are_tested:
        return []
    triples = np.unique(np.stack([repetition, results.truth, fold]), axis=1)
    (_, codes), n_folds = np.unique(triples[:2], axis=1, return_counts=True)
    return [quoted(results.classes[code]) for code in np.unique(codes[n_folds == 1])]


def _fold_sizes(results: Results) -> NDArray[np.intp]:
    """Return for each row the size of its test set."""
    folds = np.stack([results.repetition, results.fold])
    _, positions, sizes = np.unique(folds, axis=1, return_inverse=True, return_counts=True)
    return np.asarray(sizes[positions.ravel()])
