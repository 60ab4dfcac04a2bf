"""Logistic regression: class probabilities as the softmax of scores that are linear in x."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lincore.data.blocks import RowBlock
from lincore.estimators.base.class_weights import ClassWeight, class_weights, weighted_rows
from lincore.estimators.base.linear import LinearClassifier, SoftmaxPosterior
from lincore.estimators.base.validation import (
    checked_weights,
    require_classes,
    require_number,
    validate_rows,
)
from lincore.estimators.logistic.conditioning import condition, condition_by_moments
from lincore.estimators.logistic.elastic_net import FITTED, ElasticNetLoss, path_of_C
from lincore.estimators.logistic.firth import FirthLoss
from lincore.estimators.logistic.loss import BlockLoss, OverBlocks, SoftmaxLoss, SummedLoss
from lincore.estimators.logistic.profile import ProfileLikelihood, profile_errors
from lincore.estimators.logistic.separation import (
    Separation,
    SeparationKind,
    SeparationWarning,
    detect_separation,
    to_separation,
)
from lincore.estimators.logistic.solvers import (
    SOLVERS,
    LearningRates,
    Posed,
    learning_rates,
    minimise,
    pose,
    pose_rows,
    strength_of,
    subtract_bias,
)
from lincore.estimators.logistic.wald import Wald, reason_against_errors, wald_errors
from lincore.linalg.optimize import OptimizerStep, Optimum, Reason
from lincore.moments.moments import Moments
from lincore.utils.atomic import atomic
from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.thread_warnings import warn
from lincore.utils.threads import part_mapper
from lincore.utils.typing import Array


class LogisticRegression(SoftmaxPosterior, LinearClassifier):
    """Softmax regression by (penalised) maximum likelihood.

    Minimises ``C Σᵢ sᵢ (-log p(yᵢ | xᵢ)) + l1_ratio ‖coef_‖₁ + ½ (1 - l1_ratio) ‖coef_‖²``, as
    scikit-learn's estimator does: intercepts are not penalised; two classes have one coefficient
    vector, more classes have one each.

    Parameters
    ----------
    C : float, default 1.0
        Inverse strength of the penalty on the coefficients, in the units of the features;
        ``np.inf`` for maximum likelihood. If there are several maxima, the one with minimum norm is
        used, which is the limit for large C: coefficients sum to zero over the classes.
    l1_ratio : float, default 0.0
        0 is a ridge (L2) penalty. Above it coefficients become exactly zero: 1 is the lasso (L1),
        values between are elastic nets. These are solved by Newton's method on the coefficients
        that are not zero, whatever the solver, and have no standard errors.
    solver : {"newton-cg", "newton", "fixed-hessian", "gradient", "sgd"}
        All solvers find the same minimum. "newton" is iteratively reweighted least squares with the
        whole Hessian, ((K - 1)(p + 1))² numbers, for small problems; "newton-cg" only uses products
        with it, for large problems; "fixed-hessian" uses Böhning's bound; "gradient" and "sgd" use
        a fixed learning rate. If many small models are fitted at once, as in a study or in
        one-versus-one, "newton" solves them side by side, also in place of "newton-cg".
    tol : float, default 1e-8
        The solver stops when no entry of the gradient of the mean loss exceeds it, for features in
        units of ``√(variance + 2 / (C n))`` (their standard deviations unless C is very small). A
        small change of the objective never stops it.
    max_iter : int, optional
        Maximum number of iterations ("sgd": epochs). Default: 100; 10,000 for "fixed-hessian" and
        "gradient".
    learning_rate : float, optional
        η in ``w ← w - η ∇E(w)``, with E the summed loss ("sgd": the loss of a batch) for
        standardised features. Default: 1/L, with L the maximum curvature by Böhning's bound.
    batch_size : int, default 1
        Batch size of "sgd".
    fit_intercept : bool, default True
    random_state : int, RandomState or None
        Order of the rows for "sgd".
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, which multiply the sample weights; see
        `lincore.estimators.base.class_weights.class_weights`. The weighted likelihood has no Wald
        standard errors.
    bias_reduction : {None, "firth", "king-zeng"}
        Reduction of the small-sample bias of maximum likelihood; C and l1_ratio are not used.
        "firth" penalises by Jeffreys' prior: estimates are finite even if classes are separable.
        "king-zeng" subtracts the estimated bias from the maximum likelihood estimate: one step
        towards Firth's, named for rare events. Both use the whole Hessian, whatever the solver.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    coef_ : ndarray of shape (K, p), or (1, p) for two classes
    intercept_ : ndarray of shape (K,), or (1,) for two classes
    log_loss_ : float
        Negative log likelihood of the training rows, without the penalty.
    n_iter_ : int
    trace_ : tuple of OptimizerStep
        Iteration, objective / C, gradient norm, step length and seconds, from the start on.
    converged_ : bool
        Whether the gradient reached `tol` and a finite minimum exists.
    reason_ : Reason
        Why the solver stopped, such as "gradient"; ``reason_.words`` and ``reason_.remedy``
        describe it.
    separation_ : Separation or None
        The direction that separates the classes, if detected at C = inf.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Only if X is a DataFrame with string column names.

    References
    ----------
    "faces-generative-vs-discriminative", "Probabilistic Discriminative Model" (its "final log
    probability error" is `log_loss_`); "prml-chapter-4-in-r", section 4.3.3;
    "lda-qda-derivations", eqs. 1 to 5.

    Examples
    --------
    >>> X = np.array([[0.5], [1.0], [1.5], [2.0], [2.5], [3.0]])
    >>> passed = ["no", "no", "yes", "no", "yes", "yes"]
    >>> model = LogisticRegression(C=np.inf).fit(X, passed)
    >>> model.converged_, round(model.log_loss_, 3)
    (True, 2.478)
    >>> model.predict([[0.7], [2.9]]).tolist()
    ['no', 'yes']
    """

    _sparse = True

    def __init__(
        self,
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        solver: Literal["newton-cg", "newton", "fixed-hessian", "gradient", "sgd"] = "newton-cg",
        tol: float = 1e-8,
        max_iter: int | None = None,
        learning_rate: float | None = None,
        batch_size: int = 1,
        fit_intercept: bool = True,
        random_state: Any = None,
        class_weight: ClassWeight = None,
        bias_reduction: Literal["firth", "king-zeng"] | None = None,
    ) -> None:
        self.C = C
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.class_weight = class_weight
        self.bias_reduction = bias_reduction

    @property
    def is_shrunk(self) -> bool:
        """True if the coefficients are penalised by C."""
        return self.bias_reduction is None and bool(np.isfinite(self.C))

    @property
    def selects(self) -> bool:
        """True if the penalty makes coefficients exactly zero."""
        return self.is_shrunk and self.l1_ratio > 0

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state from a file, which may hold the reason as text (skops)."""
        # Files of older versions lack these options.
        super().__setstate__({"bias_reduction": None, "l1_ratio": 0.0, **state})
        if "reason_" in state:
            self.__dict__["reason_"] = Reason(state["reason_"])

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p)
            Finite numbers; uint8 and float32 are used without a float64 copy, and sparse rows stay
            sparse. More than a thousand sparse features need "newton-cg" or "sgd". At C = inf these
            find a maximum of the likelihood, which is not always the one with minimum norm.
        y : array-like of shape (n,)
            Labels of any type, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            A row of weight w counts as w copies of itself.

        Raises
        ------
        ValueError
            If input is not finite, there are fewer than two classes, options are invalid, or the
            solver needs a p × p matrix and sparse rows have too many features.

        Warns
        -----
        ConvergenceWarning
            If the gradient did not become small enough, with the reason and the remedy.
        SeparationWarning
            If C is infinite and the classes are separable, with the features that separate them.
        UserWarning
            If features vary so little relative to their size that they are treated as constant,
            with their names.
        """
        self._check_options()
        labelled = validate_rows(self, X, y, sample_weight, accept_sparse="csr")
        rows = weighted_rows(self, labelled)
        with part_mapper(rows.X.size) as mapper:
            posed = pose_rows(self, rows.X, rows.codes, rows.weight, len(self.classes_), mapper)
            any_size = self.solver in ("newton-cg", "sgd") or self.selects
            if posed.loss.wide and not any_size:
                raise ValueError(
                    f"The solver {self.solver!r} needs a p × p matrix, too large for "
                    f"{self.n_features_in_:,} sparse features. Choose 'newton-cg'."
                )
            self._name_rounding(posed.conditioned.rounding)
            optimum = self._minimise(posed)
            # The certificate sums over the rows again, in the same threads.
            is_free = not self.is_shrunk and self.bias_reduction != "firth"
            self.separation_: Separation | None = None
            if is_free:
                self.separation_ = detect_separation(posed.conditioned, posed.loss, optimum)
            if self.bias_reduction == "king-zeng" and self.separation_ is None:
                self._keep(posed, subtract_bias(posed.loss, optimum))
        self.__dict__.pop("_in_blocks", None)
        self._report()
        return self

    def fit_path(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        Cs: ArrayLike | None = None,
    ) -> list[Self]:
        """Return a model for each of several C, each fit starting at the one before.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        Cs : array-like, optional
            Ascending. Default: 40 values, the first the largest C at which all coefficients are
            zero, the last ten thousand times as large, or a hundred times if there are no more
            rows than features; fewer if the log loss falls below a thousandth of its first value.

        Returns
        -------
        list of LogisticRegression
            Copies with these C; this object stays as it is.

        Raises
        ------
        ValueError
            If ``l1_ratio`` is 0, or as in `fit`.

        References
        ----------
        Friedman, Hastie, Tibshirani (2010), "Regularization paths for generalized linear models
        via coordinate descent".

        Examples
        --------
        >>> X = np.array([[0.5, 0.0], [1.0, 1.0], [1.5, 0.0], [2.0, 1.0], [2.5, 0.0], [3.0, 1.0]])
        >>> lasso = LogisticRegression(l1_ratio=1)
        >>> path = lasso.fit_path(X, [0, 0, 1, 0, 1, 1], Cs=[0.4, 1, 10])
        >>> [int(np.count_nonzero(model.coef_)) for model in path]
        [0, 1, 2]
        """
        first = clone(self).set_params(C=1.0)
        first._check_options()
        if not first.selects:
            raise ValueError("A path of coefficients needs l1_ratio above 0.")
        labelled = validate_rows(first, X, y, sample_weight, accept_sparse="csr")
        rows = weighted_rows(first, labelled)
        models = []
        with part_mapper(rows.X.size) as mapper:
            posed = pose_rows(first, rows.X, rows.codes, rows.weight, len(first.classes_), mapper)
            first._name_rounding(posed.conditioned.rounding)
            least, given_Cs = 0.0, Cs
            if given_Cs is None:
                given_Cs = path_of_C(posed.loss, posed.start, self.l1_ratio)
                least = FITTED * float(posed.loss(posed.start).value)
            for C in np.asarray(given_Cs, dtype=float).tolist():
                model = copy(first).set_params(C=C)
                optimum = model._minimise(posed)
                posed = posed._replace(start=optimum.x)
                model.separation_ = None
                model._report()
                models.append(model)
                if model.log_loss_ < least:
                    break
        return models

    @available_if(
        lambda model: (
            model.solver in ("newton-cg", "newton")
            and model.bias_reduction is None
            and not model.selects
        )
    )
    @atomic
    def fit_blocks(
        self, over: OverBlocks, moments: Moments, classes: ArrayLike, sample: RowBlock
    ) -> Self:
        """Fit to rows that are not in memory, in several passes over their blocks.

        Available for the solvers "newton-cg" and "newton", which take few steps. The fit to the
        sample is the start; from there every step takes a pass, with the curvature of the sample.

        Parameters
        ----------
        over : OverBlocks
            Iterates over the blocks of all rows.
        moments : Moments of shapes (K,), (K, p), (K, p, p)
            Moments of all rows, by class.
        classes : array-like of shape (K,)
            The labels in increasing order, matching the codes.
        sample : RowBlock
            Some of the rows, at random.

        Raises
        ------
        ValueError
            As in `fit`.

        Notes
        -----
        Separation is detected only if the fit classifies every row correctly.
        """
        self._check_options()
        has_rows = moments.count > 0
        moments = moments[has_rows]
        self.classes_, self.n_features_in_ = np.asarray(classes)[has_rows], moments.n_features
        require_classes(moments.count)
        weights = class_weights(self.class_weight, self.classes_, moments.count)
        weighted = moments if weights is None else moments.scale(weights)
        strength = strength_of(self, len(self.classes_))
        total = weighted.pooled()
        conditioned = condition_by_moments(total, strength, intercept=self.fit_intercept)
        self._name_rounding(conditioned.rounding)
        of_block = BlockLoss(conditioned.rows, np.cumsum(has_rows) - 1, weights)
        loss = SummedLoss(over, of_block, sample, conditioned.penalty, float(total.count))
        posed = pose(self, loss, conditioned, weighted.count)
        nearby = minimise(pose(self, loss.sample, conditioned, weighted.count), self.solver)
        if nearby.converged:
            posed = posed._replace(start=nearby.x)
        optimum = self._minimise(posed)
        self.separation_, self._in_blocks = None, True
        if not self.is_shrunk and loss.separates(optimum.point):
            self.separation_ = to_separation(conditioned, optimum.x, SeparationKind.COMPLETE)
        self._report()
        return self

    def wald(
        self,
        X: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        reference: Any = None,
        confidence: float = 0.95,
    ) -> Wald:
        """Return standard errors, tests and intervals of maximum likelihood coefficients.

        Parameters
        ----------
        X, sample_weight
            The training rows. Their labels do not enter the information.
        reference : label, optional
            The class with which the others are compared. Default: the first.

        Returns
        -------
        Wald
            The same numbers as statsmodels' `Logit` and `MNLogit`, by class instead of by column.

        Raises
        ------
        ValueError
            If C is finite (a penalised estimate is biased and has no such errors), classes are
            weighted, the fit did not converge, or the information matrix is singular.
        """
        self.require_maximum_likelihood()
        rows = numeric_rows(self, X, reset=False)
        weight = None
        if sample_weight is not None:
            weight = checked_weights(sample_weight, rows)
        W, intercept = self._by_class()
        return wald_errors(
            rows,
            weight,
            W,
            intercept if self.fit_intercept else None,
            classes=self.classes_,
            names=self._names(),
            reference=self.classes_[0] if reference is None else reference,
            confidence=confidence,
        )

    def profile(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        reference: Any = None,
        confidence: float = 0.95,
    ) -> ProfileLikelihood:
        """Return intervals and tests by the profile of Firth's penalised likelihood.

        Parameters
        ----------
        X, y
            The training rows.
        reference, confidence
            As for `wald`.

        Returns
        -------
        ProfileLikelihood
            The same numbers as R's logistf.

        Raises
        ------
        ValueError
            If the model was fitted without Firth's penalty, or as for `wald`.
        """
        if self.bias_reduction != "firth":
            raise ValueError("Profile intervals are those of Firth's penalised likelihood.")
        self.require_maximum_likelihood()
        rows = validate_rows(self, X, y, None, classes=self.classes_, reset=False)
        W, intercept = self._by_class()
        return profile_errors(
            rows.X,
            rows.codes,
            W,
            intercept if self.fit_intercept else None,
            classes=self.classes_,
            names=self._names(),
            reference=self.classes_[0] if reference is None else reference,
            confidence=confidence,
        )

    def _by_class(self) -> tuple[Array, Array]:
        """Return coefficients (p, K) and intercepts (K,), also of two classes."""
        W, intercept = self.coef_.T, self.intercept_
        if len(self.classes_) == 2:
            return np.column_stack([0 * W, W]), np.append(0.0, intercept)
        return W, intercept

    def require_maximum_likelihood(self) -> None:
        """Raise ValueError with the reason if the coefficients have no Wald errors."""
        check_is_fitted(self)
        if reason := reason_against_errors(self):
            raise ValueError(reason)

    def learning_rates(self, X: ArrayLike) -> LearningRates:
        """Return 1/L and 2/L of gradient descent, and the local limit at this model.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The training rows.

        Returns
        -------
        LearningRates
            For the summed loss and standardised features, like `learning_rate`.

        Raises
        ------
        ValueError
            If there are too many sparse features.
        """
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False, accept_sparse="csr")
        strength = strength_of(self, len(self.classes_))
        conditioned = condition(rows, None, strength, intercept=self.fit_intercept)
        if conditioned.rows.wide:
            raise ValueError(f"{self.n_features_in_:,} sparse features are too many for 1/L.")
        proba = self.predict_proba(X)
        # Labels do not affect the curvature: any will do.
        codes = np.zeros(len(proba), dtype=np.intp)
        loss = SoftmaxLoss(conditioned.rows, codes, proba.shape[1], None, conditioned.penalty)
        return learning_rates(loss, proba)

    def log_likelihood(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the summed log probabilities of the true classes, in nats."""
        check_is_fitted(self)
        rows = validate_rows(
            self, X, y, sample_weight, classes=self.classes_, reset=False, accept_sparse="csr"
        )
        own = self.predict_log_proba(X)[np.arange(len(rows.codes)), rows.codes]
        return float(own.sum() if rows.weight is None else rows.weight @ own)

    def _check_options(self) -> None:
        if self.bias_reduction not in (None, "firth", "king-zeng"):
            raise ValueError(
                f"bias_reduction must be None, 'firth' or 'king-zeng'; got {self.bias_reduction!r}."
            )
        if self.solver not in SOLVERS:
            raise ValueError(f"solver must be one of {', '.join(SOLVERS)}; got {self.solver!r}.")
        for name in ("C", "tol", "max_iter", "learning_rate", "batch_size"):
            value = getattr(self, name)
            if value is None:
                continue
            require_number(name, value)
            if not value > 0:
                raise ValueError(f"{name} must be positive, got {value!r}.")
        require_number("l1_ratio", self.l1_ratio)
        if not 0 <= self.l1_ratio <= 1:
            raise ValueError(f"l1_ratio must be from 0 to 1, got {self.l1_ratio!r}.")

    def _minimise(self, posed: Posed) -> Optimum:
        """Minimise the loss, and store the minimiser."""
        penalised: Any = None
        if self.bias_reduction == "firth":
            penalised = FirthLoss(posed.loss)
        elif self.selects:
            penalised = ElasticNetLoss(posed.loss, self.C, self.l1_ratio)
        if penalised is not None:
            penalised_optimum = minimise(posed._replace(loss=penalised), "newton")
            # The loss itself is reported, without the penalty.
            optimum = replace(penalised_optimum, point=posed.loss(penalised_optimum.x))
        else:
            optimum = minimise(posed, self.solver)
        self._keep(posed, optimum)
        return optimum

    def _keep(self, posed: Posed, optimum: Optimum) -> None:
        # Directions by conjugate gradients sum to zero over the classes up to rounding.
        mean = optimum.x.mean(axis=1, keepdims=True)
        if self.selects:
            mean[: self.n_features_in_] = 0  # zeros stay zero
        W, intercept = posed.conditioned.to_user(optimum.x - mean)
        self._set_linear(W.T, intercept)
        penalty = 0.5 * float((posed.loss.penalty[:, None] * optimum.x**2).sum())
        self.log_loss_ = float(optimum.point.value) - penalty
        self.trace_: tuple[OptimizerStep, ...] = optimum.trace
        self.n_iter_ = max(1, len(optimum.trace) - 1)
        self.reason_: Reason = optimum.reason
        self.converged_ = optimum.converged

    def _report(self) -> None:
        if self.separation_ is not None:
            self.converged_ = False
            names = self._names()
            leading = ", ".join(names[j] for j in self.separation_.leading_features())
            warn(
                f"The classes can be separated ({self.separation_.kind} separation), so the "
                f"likelihood has no maximum: coefficients and standard errors diverge. "
                f"The separating direction is in separation_; its main features: "
                f"{leading or 'none'}. Use bias_reduction='firth' or a finite C, or check why "
                f"these features determine the class.",
                SeparationWarning,
                stacklevel=4,
            )
        elif not self.converged_:
            warn(
                f"LogisticRegression(solver={self.solver!r}) did not converge: stopped after "
                f"{self.n_iter_} iterations because {self.reason_.words} (gradient "
                f"{self.trace_[-1].gradient_norm:.2g}). {self.reason_.remedy}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _name_rounding(self, features: tuple[int, ...]) -> None:
        if not features:
            return
        names = self._names()
        listed = ", ".join(repr(names[j]) for j in features)
        warn(
            f"Relative to their size these features vary too little to be distinguished from "
            f"rounding, and get coefficients of zero: {listed}. Subtract their offset, such as the "
            f"smallest value, before storing them as float64.",
            UserWarning,
            stacklevel=4,
        )

    def _names(self) -> tuple[str, ...]:
        given = getattr(self, "feature_names_in_", None)
        numbered = (f"feature {j}" for j in range(self.n_features_in_))
        names = tuple(numbered if given is None else map(str, given))
        return (*names, "intercept") if self.fit_intercept else names
