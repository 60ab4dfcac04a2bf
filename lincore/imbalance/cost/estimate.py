"""Imbalance in the data: its cost under a deployment prevalence, and corrections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset, Split
from lincore.data.magnitudes import require_squares
from lincore.errors import DataError
from lincore.imbalance.cost._costs import as_costs, as_prevalence, row_losses
from lincore.imbalance.cost._samples import (
    Samples,
    draw_later_samples,
    draw_samples,
)
from lincore.imbalance.cost.curve import (
    BALANCED,
    UNCORRECTED,
    CostCurve,
    CostRatios,
    named_decision,
)
from lincore.imbalance.cost.record import CONDITIONS, ImbalanceCost, cost_losses, size_name
from lincore.imbalance.losses import mean_losses
from lincore.imbalance.run_study import study_settings
from lincore.imbalance.sample_predictions import Prediction, split_predictions
from lincore.imbalance.trials import Plan
from lincore.metrics.curves.calibration import BrierParts
from lincore.metrics.priors import move_threshold
from lincore.metrics.row_variance import RowSums, RowVariance, SplitLosses
from lincore.model_selection.engine import SHARE_PASSES
from lincore.model_selection.methods import as_methods
from lincore.model_selection.pipeline import PLAIN, Steps
from lincore.model_selection.splitters import default_scheme
from lincore.model_selection.stages import Task
from lincore.utils.memory import trim
from lincore.utils.typing import Array, Progress

Fits = list[dict[str, Prediction]]

SILENT = "{} has no posterior probabilities."
FIXED = "The priors of {} are fixed by its options."
#: Models of all training rows, whose split effects are used for all conditions.
MODELS = ("uncorrected", "corrected priors", "balanced weights")
#: Maximum number of posteriors and losses kept in memory until thresholds and sweep are computed at
#: the end (80 MB); with more, these are computed split by split.
MOST_HELD = 10_000_000
#: Minimum ratio of shares for a class to count as rarer than in deployment.
RARER = 1 + 1e-9


def imbalance_cost(
    data: Dataset,
    methods: Any = ("lda", "qda", "logistic"),
    *,
    prevalence: str | Mapping[Any, float] | ArrayLike = "equal",
    costs: ArrayLike | None = None,
    miss_cost: float = 1.0,
    steps: Steps = PLAIN,
    split: str | Split | None = None,
    test_size: float = 0.3,
    seed: int = 0,
    repeats: int = 20,
    progress: Progress | None = None,
    keep: Callable[[ImbalanceCost], None] | None = None,
    n_jobs: int | None = None,
) -> ImbalanceCost:
    """Estimate the cost of class imbalance, decompose it, and compare corrections.

    Every method is trained on all training rows, uncorrected and with each correction, and
    evaluated on the same unchanged test rows, weighted to the prevalence in deployment. To create
    an imbalance by leaving rows out, see `lincore.balance`. Sampling weights apply within classes
    and to the class shares of the file; under- and oversampling draw rows regardless of weight.

    Parameters
    ----------
    data : Dataset
        Rows that are not in memory (``data.blocks``) are training rows in every split, of methods
        that are fitted from moments or in passes; other methods are left out.
    methods : one method or several
        As for `lincore.model_selection.methods.as_methods`.
    prevalence : "equal", "file", mapping of class label to share, or array-like of shape (K,)
        Class shares in deployment. With "equal" the loss is the balanced error. Classes missing
        from a mapping share the rest as in the data.
    costs : array-like of shape (K, K), optional
        Cost of predicting the column's class if the row's class is true; zero on the diagonal.
        Corrections then target the prevalence times the mean cost of a class's errors, which is
        exact for two classes.
    miss_cost : float
        By which the costs of errors on the rarest class are multiplied: of a miss, in false alarms.
    steps : Steps
        Preprocessing.
    split : {"stratified", "last", "given", "holdout by group"} or Split, optional
        Default: by group if the data have groups, otherwise stratified.
    seed : int
        Seed of the first repetition, incremented for each of the others.
    repeats : int
        Number of random splits.
    progress : callable, optional
        Called as ``progress(done, total, what)``; returning False stops after this repetition.
    keep : callable, optional
        Called with the record so far: in the first repetition before resampling (NaN), then after
        each repetition. Thresholds and sweep take longest and are only in the returned record,
        unless `progress` stopped the run.
    n_jobs : int, optional
        Processes, as in `lincore.compare`.

    Raises
    ------
    DataError
        If prevalence or costs are invalid, or no method can be fitted.
    ValueError
        If a method does not exist, or there is less than one repetition.

    References
    ----------
    Elkan (2001), "The foundations of cost-sensitive learning", theorem 2; Breiman, Friedman,
    Olshen, Stone (1984), "Classification and regression trees", section 4.4 (altered priors).

    Examples
    --------
    >>> import lincore
    >>> cost = lincore.imbalance_cost(lincore.sample("gaussian"), "lda", repeats=4)
    >>> cost.attribution("lda").prior_shift.value > 0
    True
    """
    if repeats < 1:
        raise ValueError(f"At least one repetition is needed, got {repeats}.")
    require_squares(data)
    split = default_scheme(data, "stratified") if split is None else split
    plan = Plan(data, {}, as_methods(methods), steps, split, test_size, seed, n_jobs, repeats)
    shares = as_prevalence(data, prevalence)
    return _Study(plan, shares, as_costs(data, costs, miss_cost)).run(progress, keep)


class _Decided(NamedTuple):
    """Predictions by method, and the priors under which they decide."""

    fits: Mapping[str, Prediction]
    priors: Array


class _Split(NamedTuple):
    """One split: its samples, predictions in each condition, and row losses of `MODELS`."""

    # `softened` and `trained` are softened losses (M, X, D, m) of test and training rows, see
    # `row_losses`; `curve` has the losses of the cost curves of all methods.

    samples: Samples
    conditions: dict[str, _Decided]
    softened: Array
    trained: Array
    curve: SplitLosses | None


class _Evaluated(NamedTuple):
    """Losses of one split, (M, C, L) and (M, A, L); mean posteriors, miscalibrations (M, C)."""

    losses: Array
    by_size: Array
    posteriors: Array
    miscalibrations: Array


class _Study:
    """A run: draw, fit and evaluate one split after the other."""

    def __init__(self, plan: Plan, prevalence: Array, costs: Array | None) -> None:
        self.plan, self.prevalence, self.costs = plan, prevalence, costs
        self.repeats = plan.repeats
        data = plan.data
        self.losses = cost_losses(data.classes, prevalence, is_share=costs is None)
        # Altered priors: a class counts by its prevalence times the cost of its errors.
        target = prevalence if costs is None else prevalence * costs.sum(axis=1)
        self.target = target / target.sum()
        split, nested = plan.draw(0)
        totals = nested.totals(nested.counts, data.weights)
        shares = totals / totals.sum()
        ratio = np.divide(self.target, shares, out=np.zeros(len(totals)), where=totals > 0)
        self.rare = int(ratio.argmax()) if ratio.max() > RARER else None
        self.ratios = CostRatios.of(data, self.target)
        # Codes and log posteriors of four fits in a split, and softened losses.
        self.n_kinds = 2 if costs is None else 3
        n_values = 4 * (1 + data.n_classes) + self.n_kinds * len(MODELS)
        self.n_held = len(split.test) * n_values * len(plan.methods)
        self.unavailable: dict[str, dict[str, str]] = {}
        self.rows: dict[str, RowSums] = {}
        # Methods with a cost curve in the first split, the losses of their rows, and their errors
        # (M, 2 + G, K) in every split.
        self.curve_methods: tuple[str, ...] | None = None
        self.without_curve: set[str] = set()
        self.curve_rows = self._row_sums()
        self.curve_errors: list[Array] = []

    def run(
        self, progress: Progress | None, keep: Callable[[ImbalanceCost], None] | None
    ) -> ImbalanceCost:
        splits: list[_Split] = []
        evaluated: list[_Evaluated] = []
        later_at_once = self.repeats * self.n_held > MOST_HELD
        n_steps = self.repeats if later_at_once else 2 * self.repeats
        for repeats in self._batches(soon=keep is not None):
            drawn = [draw_samples(self.plan, i, self.target, self.rare) for i in repeats]
            if not evaluated:
                first = drawn[0]
            fitted = self._fit_all_rows(drawn)
            self._add_curve_errors(fitted[0])
            if keep is not None and not evaluated:
                keep(self._record(first, [self._evaluate(fitted[0], is_final=False)]))
            self._fit_resampled(fitted)
            if later_at_once:
                self._fit_later(fitted, repeats)
            else:
                splits += fitted
            for repeat, split in zip(repeats, fitted, strict=True):
                if split is not fitted[0]:
                    self._add_curve_errors(split)
                evaluated.append(self._evaluate(split))
                if keep is not None:
                    keep(self._record(first, evaluated))
                step = f"Split {repeat + 1} of {self.repeats}"
                if progress is not None and progress(repeat + 1, n_steps, step) is False:
                    return self._record(first, evaluated)
            del drawn, fitted, split  # before the next ones are drawn
            if self.plan.streams:
                trim()
        if later_at_once:
            return self._record(first, evaluated)
        without_later = self._record(first, evaluated)
        self.rows, evaluated = {}, []
        for repeats in self._batches(soon=False):
            self._fit_later([splits[repeat] for repeat in repeats], repeats)
            for repeat in repeats:
                evaluated.append(self._evaluate(splits[repeat]))
                splits[repeat].conditions.clear()
                step = f"Thresholds and sweep, split {repeat + 1} of {self.repeats}"
                done = self.repeats + repeat + 1
                if progress is not None and progress(done, n_steps, step) is False:
                    return without_later if done < n_steps else self._record(first, evaluated)
        return self._record(first, evaluated)

    def _batches(self, *, soon: bool) -> Iterator[range]:
        """Yield the repetitions that are fitted together; the first alone if it is wanted soon."""
        # Several share passes over blocks, or keep all processes busy.
        streams, number = self.plan.streams, 1
        if not all(method.from_moments for method in self.plan.alive):
            number = SHARE_PASSES if streams else effective_n_jobs(self.plan.n_jobs)
            number = max(1, min(number, MOST_HELD // self.n_held))
        start, end = 0, 1 if soon or streams else number
        while start < self.repeats:
            yield range(start, min(end, self.repeats))
            start, end = end, end + number

    def _fit_all_rows(self, drawn: list[Samples]) -> list[_Split]:
        """Fit the models of all training rows, plain and weighted."""
        plan, refused = self.plan, dict[str, str]()
        plain_fits = self._fit([samples.plain for samples in drawn], plan.failures)
        if not plan.alive:
            raise DataError(
                "No method can be fitted: "
                + " ".join(f"{name}: {why}" for name, why in plan.failures.items()),
                where=f"training set of {plan.data.name}",
                remedy="Use fewer components, or another method.",
            )
        weighted_fits = self._fit([samples.weighted for samples in drawn], refused)
        splits = []
        for samples, plain, weighted in zip(drawn, plain_fits, weighted_fits, strict=True):
            n_test = len(samples.split.test)
            plain, plain_trained = split_predictions(plain, n_test)
            weighted, weighted_trained = split_predictions(weighted, n_test)
            self._note_unavailable(plain, refused)
            conditions = {
                "uncorrected": _Decided(plain, samples.shares),
                "corrected priors": _Decided(plain, samples.target),
                "balanced weights": _Decided(weighted, samples.shares),
                "both": _Decided(weighted, samples.target),
            }
            splits.append(
                _Split(
                    samples,
                    conditions,
                    self._soften(samples, plain, weighted, samples.split.test),
                    self._soften(samples, plain_trained, weighted_trained, samples.trained),
                    self._curve_losses(samples, plain, plain_trained),
                )
            )
        return splits

    def _fit_resampled(self, splits: list[_Split]) -> None:
        tasks = [task for split in splits for task in split.samples.resampled.values()]
        fits = iter(self._fit(tasks, {}))
        for split in splits:
            for name in split.samples.resampled:
                split.conditions[name] = _Decided(next(fits), split.samples.target)

    def _fit_later(self, splits: list[_Split], repeats: range) -> None:
        """Tune thresholds by inner folds, and fit the class-size sweep."""
        later = [draw_later_samples(self.plan, i, self.target, self.rare) for i in repeats]
        folds = iter(self._fit([fold.task for more in later for fold in more.inner], {}))
        smaller = iter(self._fit([task for more in later for task in more.smaller], {}))
        for split, more in zip(splits, later, strict=True):
            samples, conditions = split.samples, split.conditions
            inner = [(fold.rows, next(folds)) for fold in more.inner]
            tuned = self._tune(samples, inner, conditions["uncorrected"].fits)
            conditions["tuned threshold"] = _Decided(tuned, samples.shares)
            if len(samples.sizes):
                fits = [*islice(smaller, len(more.smaller)), conditions["both"].fits]
                for i, by_method in enumerate(fits):
                    conditions[size_name(i)] = _Decided(by_method, samples.target)

    def _fit(self, tasks: list[Task], failures: dict[str, str]) -> Fits:
        """Fit the methods that have not failed, and add reasons of failures to `failures`."""
        plan = self.plan
        by_task, warnings = plan.fit(tasks, failures)
        if tasks and tasks[0].sample.class_weight is None:
            plan.notices.update(dict.fromkeys(map(str, warnings)))
        return [
            {name: fit._replace(pipeline=Pipeline([])) for name, fit in fits.items()}
            for fits in by_task
        ]

    def _evaluate(self, split: _Split, *, is_final: bool = True) -> _Evaluated:
        """Return the losses of a split; if they are final, record the losses of its rows."""
        plan, samples = self.plan, split.samples
        test, n_conditions = samples.split.test, len(CONDITIONS)
        positions, truth = self._positions(samples), plan.data.codes[test]
        losses = np.full((len(plan.methods), len(positions), len(self.losses)), np.nan)
        posteriors, miscalibrations = np.full((2, len(plan.methods), n_conditions), np.nan)
        weight, is_rare = self._weights_in_file(samples), truth == self.ratios.rare
        for i, method in enumerate(plan.methods):
            # Losses of each row in every condition; errors are counted, so float32 is exact.
            dtypes = [np.float32, *[np.float64] * (self.n_kinds - 1)]
            by_kind = [np.full((len(positions), len(test)), np.nan, dtype) for dtype in dtypes]
            for name, (fits, priors) in split.conditions.items():
                if method.name not in fits:
                    continue
                predicted, log_proba = fits[method.name].under(priors)
                rows = row_losses(truth, predicted, log_proba, self.costs)
                for table, values in zip(by_kind, rows, strict=True):
                    table[positions[name]] = values
                losses[i, positions[name]] = self._means(samples, rows)
                rare = np.exp(log_proba[:, self.ratios.rare])
                if positions[name] < n_conditions and not np.isnan(rare).any():
                    posteriors[i, positions[name]] = np.average(rare, weights=weight)
                    parts = BrierParts.of(rare, is_rare, weight)
                    miscalibrations[i, positions[name]] = parts.miscalibration
            if is_final and plan.new_splits and method.name not in plan.failures:
                if method.name not in self.rows:
                    self.rows[method.name] = self._row_sums()
                self.rows[method.name].add(
                    SplitLosses(test, by_kind, split.softened[i], samples.trained, split.trained[i])
                )
        by_size = losses[:, n_conditions:]
        return _Evaluated(losses[:, :n_conditions], by_size, posteriors, miscalibrations)

    def _positions(self, samples: Samples) -> dict[str, int]:
        sizes = map(size_name, range(len(samples.sizes)))
        return {name: i for i, name in enumerate((*CONDITIONS, *sizes))}

    def _add_curve_errors(self, split: _Split) -> None:
        if split.curve is None:
            return
        data, rows = self.plan.data, split.curve.rows
        if self.plan.new_splits:
            self.curve_rows.add(split.curve)
        weight = np.ones(len(rows)) if data.weights is None else data.weights[rows]
        members = (data.codes[rows][:, None] == np.arange(data.n_classes)) * weight[:, None]
        with np.errstate(invalid="ignore"):
            errors = split.curve.losses[0] @ members / members.sum(axis=0)
        self.curve_errors.append(errors.reshape(len(self.curve_methods or ()), -1, data.n_classes))

    def _row_sums(self) -> RowSums:
        data = self.plan.data
        return RowSums(data.codes, data.n_classes, data.groups, data.weights)

    def _soften(
        self,
        samples: Samples,
        plain: Mapping[str, Prediction],
        weighted: Mapping[str, Prediction],
        rows: NDArray[np.intp],
    ) -> Array:
        """Return row losses of `MODELS` with softened errors, (M, X, D, m)."""
        truth, methods = self.plan.data.codes[rows], self.plan.methods
        losses = np.full((len(methods), self.n_kinds, len(MODELS), len(rows)), np.nan)
        models = (plain, samples.shares), (plain, samples.target), (weighted, samples.shares)
        for i, method in enumerate(methods):
            for j, (fits, priors) in enumerate(models):
                if method.name in fits:
                    predicted = fits[method.name].under(priors)
                    losses[i, :, j] = row_losses(truth, *predicted, self.costs, soft=True)
        return losses

    def _curve_losses(
        self,
        samples: Samples,
        plain: Mapping[str, Prediction],
        trained: Mapping[str, Prediction],
    ) -> SplitLosses | None:
        """Return the rows misclassified by every decision of every curve; None without curves."""
        codes, test = self.plan.data.codes, samples.split.test
        if self.curve_methods is None:
            with_priors = [name for name, fit in plain.items() if fit.learned is not None]
            self.curve_methods = tuple(with_priors)
        if not self.curve_methods:
            return None
        seen = samples.shares > 0
        priors = np.where(seen, self.ratios.priors(), 0.0)
        priors /= priors.sum(axis=1, keepdims=True)
        # A method that fails in a later split has no curve.
        shapes = ((len(priors), len(test)), (2, len(test)), (2, len(samples.trained)))
        failed = [np.zeros(shape, dtype=bool) for shape in shapes]
        by_method = [failed] * len(self.curve_methods)
        for i, name in enumerate(self.curve_methods):
            if name not in plain or plain[name].learned is None:
                self.without_curve.add(name)
            else:
                wrong = np.stack([plain[name].under(prior)[0] != codes[test] for prior in priors])
                soft_errors = [
                    np.stack(
                        [row_losses(codes[rows], *fit.under(prior), soft=True)[0]
                         for prior in priors[:2]]
                    )
                    for fit, rows in ((plain[name], test), (trained[name], samples.trained))
                ]  # fmt: skip
                by_method[i] = [wrong, *soft_errors]
        errors, softened, trained_losses = (
            np.concatenate(arrays)[None] for arrays in zip(*by_method, strict=True)
        )
        return SplitLosses(test, errors, softened, samples.trained, trained_losses)

    def _means(self, samples: Samples, rows: Array) -> Array:
        data, test = self.plan.data, samples.split.test
        return mean_losses(
            self.losses,
            data.codes[test],
            rows,
            data.n_classes,
            shares=self.ratios.shares,
            weight=data.weights_of(test),
        )

    def _weights_in_file(self, samples: Samples) -> Array:
        """Return weights of the test rows that give the classes their shares of the file."""
        data, test = self.plan.data, samples.split.test
        weight = data.weights_of(test)
        rows = np.ones(len(test)) if weight is None else weight
        totals = np.bincount(data.codes[test], rows, data.n_classes)
        factor = np.divide(self.ratios.shares, totals, out=np.zeros(len(totals)),
                           where=totals > 0)  # fmt: skip
        return np.asarray(rows * factor[data.codes[test]])

    def _variances(self, first: Samples) -> dict[str, RowVariance]:
        """Return the row-based variance of the mean losses, by method."""
        positions = self._positions(first)
        models = {name: i for i, name in enumerate(MODELS)}
        stand_ins = {name: name if name in MODELS else "corrected priors" for name in positions}
        return {
            method.name: self.rows[method.name].variance(
                positions, models, stand_ins, self._test_ratio(first), self.plan.streamed_ratio
            )
            for method in self.plan.alive
            if method.name in self.rows
        }

    def _curves(self, first: Samples) -> dict[str, CostCurve]:
        methods, decisions = self.curve_methods, self.ratios.decisions
        if not methods:
            return {}
        variance, ratio = None, 0.0
        if self.plan.new_splits:
            ratio = self._test_ratio(first)
            models = {UNCORRECTED: 0, BALANCED: 1}
            condition_positions, model_positions = (
                {
                    named_decision(name, decision): i * n + position
                    for i, name in enumerate(methods)
                    for decision, position in positions.items()
                }
                for n, positions in ((len(self.ratios.priors()), decisions), (2, models))
            )
            stand_ins = {
                named_decision(name, decision): named_decision(name, model)
                for name in methods
                for decision, model in self.ratios.stand_ins.items()
            }
            variance = self.curve_rows.variance(
                condition_positions, model_positions, stand_ins, ratio, self.plan.streamed_ratio
            )
        errors = dict(zip(methods, np.stack(self.curve_errors, axis=2), strict=True))
        known_methods = set(methods) - self.without_curve
        alive = [method.name for method in self.plan.alive if method.name in known_methods]
        return {name: CostCurve(name, self.ratios, errors[name], ratio, variance) for name in alive}

    @staticmethod
    def _test_ratio(first: Samples) -> float:
        return len(first.split.test) / len(first.split.train)

    def _tune(
        self,
        samples: Samples,
        inner: list[tuple[NDArray[np.intp], dict[str, Prediction]]],
        plain: Mapping[str, Prediction],
    ) -> dict[str, Prediction]:
        """Return predictions at thresholds tuned on the held-out rows of the inner folds."""
        if not inner:
            return {}
        folds = [fits for _, fits in inner]
        rows = np.concatenate([held for held, _ in inner])
        codes, weight = self.plan.data.codes[rows], self.plan.data.weights_of(rows)
        paid = np.divide(samples.target, samples.shares, where=samples.shares > 0,
                         out=np.zeros_like(samples.shares))  # fmt: skip
        cost_of_row = paid[codes] if weight is None else paid[codes] * weight
        tuned = {}
        for name, fit in plain.items():
            predictions = [fits.get(name) for fits in (plain, *folds)]
            if any(p is None or np.isnan(p.log_proba).any() for p in predictions):
                continue
            held = np.concatenate([p.log_proba for p in predictions[1:] if p is not None])
            shifts = move_threshold(held, codes, cost_of_row)
            # Only labels change; posteriors are kept.
            tuned[name] = fit._replace(
                predicted=(fit.log_proba + shifts).argmax(axis=1), learned=None
            )
        return tuned

    def _note_unavailable(
        self, plain: Mapping[str, Prediction], refused: Mapping[str, str]
    ) -> None:
        """Record which corrections are unavailable for each method, and why."""
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

    def _record(self, first: Samples, evaluated: list[_Evaluated]) -> ImbalanceCost:
        plan, is_alive = self.plan, [m in self.plan.alive for m in self.plan.methods]
        losses, by_size, posteriors, miscalibrations = (
            np.stack(arrays, axis=2)[is_alive] for arrays in zip(*evaluated, strict=True)
        )
        for i, method in enumerate(plan.alive):
            for condition in self.unavailable[method.name]:
                losses[i, CONDITIONS.index(condition)] = np.nan
        data = plan.data
        return ImbalanceCost(
            classes=data.classes,
            methods=tuple(method.name for method in plan.alive),
            prevalence=self.prevalence,
            costs=self.costs,
            counts=first.counts,
            totals=first.totals,
            n_test=len(first.split.test),
            losses=losses,
            rare=self.rare,
            sizes=first.sizes,
            size_losses=by_size,
            seeds=plan.seed + np.arange(len(evaluated)),
            new_splits=plan.new_splits,
            ratios=self.ratios,
            posteriors=posteriors,
            miscalibrations=miscalibrations,
            curves=self._curves(first),
            unavailable={name: dict(why) for name, why in self.unavailable.items()},
            failures=dict(plan.failures),
            notices=tuple(plan.notices),
            settings=study_settings(plan),
            variances=self._variances(first),
        )
