"""Imbalance in the data: its cost under a deployment prevalence, and what recovers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.data.dataset import Dataset, Split
from lincore.data.magnitudes import require_squares
from lincore.errors import DataError
from lincore.imbalance.cost._prevalence import as_costs, as_prevalence
from lincore.imbalance.cost._row_losses import row_losses
from lincore.imbalance.cost._samples import Samples, draw_samples
from lincore.imbalance.cost.record import CONDITIONS, ImbalanceCost, cost_losses, size_name
from lincore.imbalance.losses import mean_losses
from lincore.imbalance.run_study import study_settings
from lincore.imbalance.sample_fits import Prediction, cut_apart, fit_samples
from lincore.imbalance.subsets import class_totals
from lincore.imbalance.trials import Plan
from lincore.metrics.priors import move_threshold
from lincore.metrics.row_variance import RowSums, RowVariance, SplitLosses
from lincore.model_selection.engine import FitTask
from lincore.model_selection.methods import as_methods
from lincore.model_selection.pipeline import PLAIN, Steps
from lincore.model_selection.splitters import default_scheme
from lincore.utils.typing import Array, Progress

Fits = list[dict[str, Prediction]]

SILENT = "{} has no posterior probabilities."
FIXED = "The priors of {} are fixed by its options."
#: Models of all training rows, whose split effects stand for those of all conditions.
MODELS = ("uncorrected", "corrected priors", "balanced weights")
#: A class is rarer than in deployment from this ratio of the shares on.
RARER = 1 + 1e-9


def imbalance_cost(
    data: Dataset,
    methods: Any = ("lda", "qda", "logistic"),
    *,
    prevalence: str | Mapping[Any, float] | ArrayLike = "equal",
    costs: ArrayLike | None = None,
    steps: Steps = PLAIN,
    split: str | Split | None = None,
    test_size: float = 0.3,
    seed: int = 0,
    repeats: int = 20,
    progress: Progress | None = None,
    keep: Callable[[ImbalanceCost], None] | None = None,
) -> ImbalanceCost:
    """Find out what the imbalance of the data costs, why, and which corrections recover it.

    Every method is trained on all training rows, as they are and with each correction, and judged
    on the same untouched test rows, which are weighted to the prevalence in deployment. No rows
    are left out to make an imbalance; for that see `lincore.balance`. Sampling weights of rows
    count within their class and in the shares of the file; under- and oversampling draw rows.

    Parameters
    ----------
    data : Dataset
    methods : one method or several
        As for `lincore.model_selection.methods.as_methods`.
    prevalence : "equal", "file", mapping of class label to share, or array-like of shape (K,)
        Shares of the classes in deployment. "equal" makes the loss the balanced error. Classes
        that a mapping does not name share the rest as in the data.
    costs : array-like of shape (K, K), optional
        Of predicting the column where the row is true, zero on the diagonal. Corrections then aim
        at the prevalence times the mean cost of a class's errors: exact for two classes.
    steps : Steps
        What is done to the rows before a classifier sees them.
    split : {"stratified", "last", "given", "holdout by group"} or Split, optional
        Default: by group where the data have groups, else stratified.
    test_size : float
    seed : int
        Of the first repetition; the others count on from it.
    repeats : int
        Random splits.
    progress : callable, optional
        Called as ``progress(done, total, what)``; to return False stops after this repetition.
    keep : callable, optional
        Given the record so far: in the first repetition first without thresholds, resampling and
        sweep (NaN), then whole after each.

    Returns
    -------
    ImbalanceCost

    Raises
    ------
    DataError
        For a prevalence or costs that are none, and when no method can be fitted.
    ValueError
        For methods that do not exist, or fewer than one repetition.

    References
    ----------
    Elkan (2001), "The foundations of cost-sensitive learning", theorem 2; Breiman, Friedman,
    Olshen, Stone (1984), "Classification and regression trees", section 4.4 (altered priors).

    Examples
    --------
    >>> import lincore
    >>> found = lincore.imbalance_cost(lincore.sample("gaussian"), "lda", repeats=4)
    >>> found.decomposition("lda").prior_shift.value > 0
    True
    """
    if repeats < 1:
        raise ValueError(f"At least one repetition is needed, got {repeats}.")
    require_squares(data)
    split = default_scheme(data, "stratified") if split is None else split
    plan = Plan(data, {}, as_methods(methods), steps, split, test_size, seed)
    shares = as_prevalence(data, prevalence)
    return _Study(plan, shares, as_costs(data, costs), repeats).run(progress, keep)


class _Study:
    """A run: draw, fit and judge one split after the other."""

    def __init__(self, plan: Plan, prevalence: Array, costs: Array | None, repeats: int) -> None:
        self.plan, self.prevalence, self.costs, self.repeats = plan, prevalence, costs, repeats
        self.losses = cost_losses(plan.data.classes, prevalence, is_share=costs is None)
        # Altered priors: errors of a class count its prevalence times what they cost.
        target = prevalence if costs is None else prevalence * costs.sum(axis=1)
        self.target = target / target.sum()
        totals = class_totals(plan.data, plan.draw(0)[0].train)
        shares = totals / totals.sum()
        ratio = np.divide(self.target, shares, out=np.zeros(len(totals)), where=totals > 0)
        self.rare = int(ratio.argmax()) if ratio.max() > RARER else None
        self.unavailable: dict[str, dict[str, str]] = {}
        self.rows: dict[str, RowSums] = {}

    def run(
        self, progress: Progress | None, keep: Callable[[ImbalanceCost], None] | None
    ) -> ImbalanceCost:
        found: list[tuple[Array, Array]] = []
        for repeat in range(self.repeats):
            samples = draw_samples(self.plan, repeat, self.target, self.rare)
            if not repeat:
                first = samples
            for stage, losses in enumerate(self._stages(samples)):
                if keep is not None and not repeat and not stage:
                    keep(self._record(first, [losses]))
            found.append(losses)
            self._add_rows(samples)
            if keep is not None:
                keep(self._record(first, found))
            what = f"Split {repeat + 1} of {self.repeats}"
            if progress is not None and progress(repeat + 1, self.repeats, what) is False:
                break
        return self._record(first, found)

    def _stages(self, samples: Samples) -> Iterator[tuple[Array, Array]]:
        """Yield the losses of one split, (M, C, L) and (M, A, L), as they become known."""
        plan = self.plan
        shape = len(plan.methods), len(CONDITIONS), 3 + plan.data.n_classes
        losses = np.full(shape, np.nan)
        by_size = np.full((shape[0], len(samples.sizes), shape[2]), np.nan)
        n_judged = len(CONDITIONS) + len(samples.sizes)
        self.by_row = np.full((shape[0], 3, n_judged, len(samples.split.test)), np.nan)
        n_test = len(samples.split.test)
        (plain,) = self._fit([samples.plain], plan.failures)
        plain, plain_trained = cut_apart(plain, n_test)
        if not plan.alive:
            raise DataError(
                "No method can be fitted: "
                + " ".join(f"{name}: {why}" for name, why in plan.failures.items()),
                where=f"training set of {plan.data.name}",
                remedy="Use fewer components, or another method.",
            )
        refused: dict[str, str] = {}
        (weighted,) = self._fit([samples.weighted], refused)
        weighted, weighted_trained = cut_apart(weighted, n_test)
        self.softened = (
            self._soften(samples, plain, weighted, samples.split.test),
            self._soften(samples, plain_trained, weighted_trained, samples.trained),
        )
        self._enter(losses, samples, {"uncorrected": plain}, samples.shares)
        self._enter(losses, samples, {"corrected priors": plain}, samples.target)
        self._enter(losses, samples, {"balanced weights": weighted}, samples.shares)
        self._enter(losses, samples, {"both": weighted}, samples.target)
        self._note(plain, refused)
        yield losses.copy(), by_size.copy()
        resampled = self._fit(list(samples.resampled.values()), {})
        found = dict(zip(samples.resampled, resampled, strict=True))
        self._enter(losses, samples, found, samples.target)
        self._tune(losses, samples, plain)
        smaller = self._fit(samples.smaller, {})
        if len(samples.sizes):
            for a, fits in enumerate([*smaller, weighted]):
                place = len(CONDITIONS) + a
                self._enter_one(by_size[:, a], samples, fits, samples.target, place)
        yield losses, by_size

    def _fit(self, jobs: list[FitTask], failures: dict[str, str]) -> Fits:
        """Fit what has not failed as it is; reasons go to `failures`."""
        plan = self.plan
        found, warned = fit_samples(jobs, plan.alive, failures)
        if jobs and jobs[0].sample.class_weight is None:
            plan.notices.update(dict.fromkeys(map(str, warned)))
        return found

    def _enter(
        self, losses: Array, samples: Samples, found: Mapping[str, Any], priors: Array
    ) -> None:
        for condition, fits in found.items():
            place = CONDITIONS.index(condition)
            self._enter_one(losses[:, place], samples, fits, priors, place)

    def _enter_one(
        self,
        losses: Array,
        samples: Samples,
        fits: Mapping[str, Prediction],
        priors: Array,
        place: int,
    ) -> None:
        """Write the losses (M, L) of what some fits predict under priors."""
        for i, method in enumerate(self.plan.methods):
            if method.name in fits:
                rows = self._judge(samples, *fits[method.name].under(priors))
                self.by_row[i, :, place] = rows
                losses[i] = self._means(samples, rows)

    def _judge(self, samples: Samples, predicted: NDArray[np.intp], log_proba: Array) -> Array:
        truth = self.plan.data.codes[samples.split.test]
        return row_losses(truth, predicted, log_proba, self.costs)

    def _soften(
        self,
        samples: Samples,
        plain: Mapping[str, Prediction],
        weighted: Mapping[str, Prediction],
        rows: NDArray[np.intp],
    ) -> Array:
        """Return losses of rows by `MODELS` with softened errors, (M, 3, D, m)."""
        truth, methods = self.plan.data.codes[rows], self.plan.methods
        found = np.full((len(methods), 3, len(MODELS), len(rows)), np.nan)
        models = (plain, samples.shares), (plain, samples.target), (weighted, samples.shares)
        for i, method in enumerate(methods):
            for place, (fits, priors) in enumerate(models):
                if method.name in fits:
                    predicted = fits[method.name].under(priors)
                    found[i, :, place] = row_losses(truth, *predicted, self.costs, soft=True)
        return found

    def _means(self, samples: Samples, rows: Array) -> Array:
        data, test = self.plan.data, samples.split.test
        shares = class_totals(data) / class_totals(data).sum()
        return mean_losses(
            self.losses, data.codes[test], rows, data.n_classes, shares, data.weights_of(test)
        )

    def _add_rows(self, samples: Samples) -> None:
        """Enter what each test row lost in this repetition."""
        data = self.plan.data
        every = zip(self.plan.methods, self.by_row, *self.softened, strict=True)
        for method, rows, tested, trained in every:
            if self.plan.new_splits and method.name not in self.plan.failures:
                if method.name not in self.rows:
                    self.rows[method.name] = RowSums(
                        data.codes, data.n_classes, data.groups, data.weights
                    )
                self.rows[method.name].add(
                    SplitLosses(samples.split.test, rows, tested, samples.trained, trained)
                )

    def _variances(self, first: Samples) -> dict[str, RowVariance]:
        """Return what rows say about the variance of the mean losses, by method."""
        places = {name: i for i, name in enumerate(CONDITIONS)}
        places |= {size_name(a): len(CONDITIONS) + a for a in range(len(first.sizes))}
        models = {name: i for i, name in enumerate(MODELS)}
        standing = {name: name if name in MODELS else "corrected priors" for name in places}
        ratio = len(first.split.test) / len(first.split.train)
        return {
            method.name: self.rows[method.name].variance(places, models, standing, ratio)
            for method in self.plan.alive
            if method.name in self.rows
        }

    def _tune(self, losses: Array, samples: Samples, plain: Mapping[str, Prediction]) -> None:
        """Judge thresholds that were tuned on the held-out rows of the inner folds."""
        if not samples.inner:
            return
        folds = self._fit([fold.job for fold in samples.inner], {})
        rows = np.concatenate([fold.rows for fold in samples.inner])
        codes, weight = self.plan.data.codes[rows], self.plan.data.weights_of(rows)
        paid = np.divide(samples.target, samples.shares, where=samples.shares > 0,
                         out=np.zeros_like(samples.shares))  # fmt: skip
        cost_of_row = paid[codes] if weight is None else paid[codes] * weight
        for i, method in enumerate(self.plan.methods):
            every = [fits.get(method.name) for fits in (plain, *folds)]
            if any(fit is None or np.isnan(fit.log_proba).any() for fit in every):
                continue
            held = np.concatenate([fit.log_proba for fit in every[1:] if fit is not None])
            shifts = move_threshold(held, codes, cost_of_row)
            log_proba = plain[method.name].log_proba
            predicted = (log_proba + shifts).argmax(axis=1)
            place = CONDITIONS.index("tuned threshold")
            self.by_row[i, :, place] = self._judge(samples, predicted, log_proba)
            losses[i, place] = self._means(samples, self.by_row[i, :, place])

    def _note(self, plain: Mapping[str, Prediction], refused: Mapping[str, str]) -> None:
        """Note which corrections a method does not allow, and why."""
        for method in self.plan.alive:
            why = self.unavailable.setdefault(method.name, {})
            fit = plain[method.name]
            if method.name in refused:
                why |= dict.fromkeys(("balanced weights", "both"), refused[method.name])
            if fit.learned is None:
                silent = bool(np.isnan(fit.log_proba).any())
                reason = (SILENT if silent else FIXED).format(method.label)
                why["corrected priors"] = reason
                if silent:
                    why["tuned threshold"] = reason

    def _record(self, first: Samples, found: list[tuple[Array, Array]]) -> ImbalanceCost:
        plan, kept = self.plan, [m in self.plan.alive for m in self.plan.methods]
        losses = np.stack([one for one, _ in found], axis=2)[kept]
        for i, method in enumerate(plan.alive):
            for condition in self.unavailable[method.name]:
                losses[i, CONDITIONS.index(condition)] = np.nan
        data = plan.data
        return ImbalanceCost(
            classes=data.classes,
            methods=tuple(method.name for method in plan.alive),
            prevalence=self.prevalence,
            costs=self.costs,
            counts=np.bincount(data.codes[first.split.train], minlength=data.n_classes),
            totals=class_totals(data, first.split.train),
            n_test=len(first.split.test),
            losses=losses,
            rare=self.rare,
            sizes=first.sizes,
            size_losses=np.stack([one for _, one in found], axis=2)[kept],
            seeds=plan.seed + np.arange(len(found)),
            new_splits=plan.new_splits,
            unavailable={name: dict(why) for name, why in self.unavailable.items()},
            failures=dict(plan.failures),
            notices=tuple(plan.notices),
            settings=study_settings(plan, self.repeats),
            variances=self._variances(first),
        )
