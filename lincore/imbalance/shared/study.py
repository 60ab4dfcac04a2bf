"""Imbalance study from moments: classes reduced to some of their folds, judged at the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.errors import DataError
from lincore.federation.shared_moments import SharedMoments
from lincore.imbalance.losses import CONDITIONS, loss_names
from lincore.imbalance.shared.models import SharedLosses, SharedModels
from lincore.imbalance.study import SubsetStudy
from lincore.imbalance.trials import SOURCES
from lincore.metrics.settings import Settings
from lincore.model_selection.methods import Spec, as_methods
from lincore.moments.moments import Moments, stacked
from lincore.utils.typing import Array, Counts

# Subsets of whole folds, and the weighted ones; those of `SOURCES` but oversampling.
_SAMPLES = ("full", "reduced", "control", "undersampling", "reweighted", "control, weighted")
#: Conditions of a study that need the training rows: thresholds, and rows drawn again.
NEED_ROWS = ("moved threshold", "oversampling")
_ASKED = tuple(name for name in CONDITIONS if name not in NEED_ROWS)


@dataclass(frozen=True, eq=False)
class StudyModels(SharedModels["StudyScores"]):
    """Models of every fold in the conditions of an imbalance study, see `fit_study`.

    Parameters
    ----------
    counts : mapping of str to ndarray of shape (F, K)
        Training rows by class of "full", "reduced", "control" and "undersampling".
    labels : mapping of str to str
        Display names of the methods.
    """

    counts: Mapping[str, Array]
    labels: Mapping[str, str]

    def score(
        self, X: NDArray[Any], codes: NDArray[np.intp], part: NDArray[np.intp]
    ) -> StudyScores:
        """Test the models on rows, see `lincore.imbalance.shared.models.SharedModels.score`."""
        return StudyScores(self.without_models(), *self.sums(X, codes, part))


class StudyScores(SharedLosses):
    """Sums of losses in the conditions of an imbalance study; those of sites add up."""

    def study(self) -> SubsetStudy:
        """Return the study, with a fold for each seed; what needs training rows is NaN."""
        of: StudyModels = self.of
        F, _, K = of.sizes.shape
        losses = np.full((len(of.methods), len(CONDITIONS), F, 3 + K), np.nan)
        losses[:, [CONDITIONS.index(name) for name in _ASKED]] = self.losses()
        counts = {name: rows[0].astype(np.intp) for name, rows in of.counts.items()}
        return SubsetStudy(
            classes=of.classes,
            methods=of.methods,
            loss_names=loss_names(of.classes),
            losses=losses,
            seeds=np.arange(F),
            counts=counts,
            totals={name: rows.astype(float) for name, rows in counts.items()},
            n_test=int(self.counts[0].sum()),
            new_splits=True,
            settings=Settings(
                data="",
                digest="",
                labels=of.labels,
                scheme=f"{F}-fold",
                seed=of.seed,
                repeats=F,
            ),
        )


def fit_study(
    shared: SharedMoments,
    sizes: Mapping[Any, float],
    methods: Spec | Iterable[Spec] = ("lda", "qda"),
) -> StudyModels:
    """Fit methods to full, reduced and control subsets of what each fold trains on, from moments.

    Rows were dealt over the folds at random, so that some of the other folds are a random subset
    of the training rows: a class is reduced to as many of them as come nearest to its share. The
    control has the same number of folds of every class, that nearest to the rows of the reduced
    subset; its size is theirs but for half a fold. Weights and priors are those of
    `lincore.balance`, and so are the losses, given the same rows. A moved threshold and
    oversampling need the training rows and are left out.

    Parameters
    ----------
    shared : SharedMoments
        Of sites, or of partitions of a table that is larger than memory.
    sizes : mapping of class label to float
        Shares of its training rows to keep, in (0, 1]; other classes keep all.
    methods : spec or specs
        That are solved from moments.

    Returns
    -------
    StudyModels

    Raises
    ------
    DataError
        For classes and shares that are not there, for folds too few or too empty to reduce a class,
        and methods that want rows.

    Examples
    --------
    >>> import lincore
    >>> from lincore.federation import summarise
    >>> data = lincore.sample("gaussian")
    >>> shared = summarise(data, n_folds=7, smallest=5)
    >>> study = fit_study(shared, {"class 3": 1 / 3}, "lda").score_site(shared, data).study()
    >>> split = study.attribution("lda", "recall of class 3")
    >>> bool(np.isclose(sum(part.value for part in split.parts.values()), split.total.value))
    True
    """
    chosen, blocks = as_methods(methods), _blocks(shared, sizes)
    models, learned, counts = [], [], []
    for fold in range(shared.n_folds):
        samples = _samples(shared, fold, blocks)
        models.append(
            tuple(
                tuple(shared.fit(method, sample).without_moments() for method in chosen)
                for sample in samples.values()
            )
        )
        learned.append(np.stack([sample.count for sample in samples.values()]))
        counts.append({name: sample.count for name, sample in samples.items() if name in blocks})
    sources = {**SOURCES, "control": ("control, weighted", "full")}
    conditions = [[_SAMPLES.index(name) for name in sources[asked]] for asked in _ASKED]
    return StudyModels(
        tuple(method.name for method in chosen),
        tuple(models),
        np.array([not method.has_fixed_priors for method in chosen]),
        np.stack(learned),
        np.array(conditions),
        shared.classes,
        shared.seed,
        {name: np.stack([of_fold[name] for of_fold in counts]) for name in blocks},
        {method.name: method.label for method in chosen},
    )


def _blocks(shared: SharedMoments, sizes: Mapping[Any, float]) -> dict[str, Counts]:
    """Return how many of the other folds each subset has of each class, (K,)."""
    known, most = shared.classes.tolist(), shared.n_folds - 1
    reduced = np.full(len(known), most)
    for label, share in sizes.items():
        if label not in known or not 0 < share <= 1:
            raise DataError(
                "Classes and shares of their rows are wanted.",
                where=f"class {label}, share {share}",
                remedy=f"Choose from {', '.join(map(str, known[:10]))}; shares above 0, up to 1.",
            )
        reduced[known.index(label)] = max(1, round(share * most))
    if (reduced == most).all():
        raise DataError(
            f"No class is reduced: it keeps whole folds, and {most} are trained on.",
            where="sizes",
            remedy="Give smaller shares, or sum the rows in more folds.",
        )
    if not shared.moments.count.all():
        raise DataError(
            "A class has no rows in one of the folds.",
            where="moments by fold and class",
            remedy="Sum the rows in fewer folds.",
        )
    rows = shared.by_class.count
    same = max(1, round(most * float(rows @ reduced) / float(rows.sum() * most)))
    return {
        "full": np.full_like(reduced, most),
        "reduced": reduced,
        "control": np.full_like(reduced, same),
        "undersampling": np.full_like(reduced, reduced.min()),
    }


def _samples(shared: SharedMoments, fold: int, blocks: Mapping[str, Counts]) -> dict[str, Moments]:
    """Return the moments by class of what is fitted for a fold, by the names in `_SAMPLES`."""
    parts = [shared.moments[i % shared.n_folds] for i in range(fold + 1, fold + shared.n_folds)]
    # Of every class the first fold after the tested one, the first two, and so on: nested.
    grown = [parts[0]]
    for part in parts[1:]:
        grown.append(grown[-1] + part)
    found = {
        name: stacked([grown[size - 1][k] for k, size in enumerate(sizes)])
        for name, sizes in blocks.items()
    }
    target = found["full"].count / found["full"].count.sum()
    for name, source in (("reweighted", "reduced"), ("control, weighted", "control")):
        count = found[source].count
        found[name] = found[source].scale(target / (count / count.sum()))
    return found
