"""One-versus-rest and one-versus-one classification, with their ambiguous regions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from lincore.estimators.base.class_weights import ClassWeight, weighted_rows
from lincore.estimators.base.linear import LinearClassifier, no_probabilities
from lincore.estimators.base.validation import validate_rows
from lincore.estimators.logistic import batched
from lincore.linalg.products import blocked_product
from lincore.utils.atomic import atomic
from lincore.utils.numeric_rows import numeric_rows
from lincore.utils.typing import Array, Flags

# From this many models on, planes are evaluated in one product: 40 classes have 780 pairs.
MANY_MODELS = 32
# Probabilities of a pair are clipped to this distance from 0 and 1.
SURE = 1e-12


class Ambiguity(IntEnum):
    """Ambiguity of the binary classifiers at a point; zero if they agree on a class."""

    CLEAR = 0
    CLAIMED_BY_NONE = 1
    CLAIMED_BY_SEVERAL = 2
    TIED_VOTES = 3


class HalfSpace(NamedTuple):
    """A binary model reduced to its hyperplane."""

    coef_: Array  # (1, p)
    intercept_: Array  # (1,)

    def decision_function(self, X: Array) -> Array:
        """Return its margin, (n,)."""
        return np.asarray(X @ self.coef_[0] + self.intercept_[0])


class BinaryModels(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Base of one-versus-rest and one-versus-one: a coding design with one model per row."""

    # Row m of the design has +1 for the positive classes of model m, -1 for the negative ones, and
    # 0 for classes whose rows it does not use.
    # Allwein, Schapire, Singer (2000), "Reducing multiclass to binary", section 3.

    estimator: Any
    class_weight: ClassWeight
    classes_: NDArray[Any]
    estimators_: list[Any]
    design_: NDArray[np.int8]

    @abstractmethod
    def _design(self, n_classes: int) -> NDArray[np.int8]:
        """Return the design, shape (n_models, K)."""

    @abstractmethod
    def _scores(self, margins: Array) -> Array:
        """Convert the margins of the models (n, n_models) to scores of the classes (n, K)."""

    @abstractmethod
    def _couple(self, proba: Array) -> Array:
        """Convert probabilities of the models (n, n_models) to those of the classes (n, K)."""
        # Rows sum to one.

    @abstractmethod
    def candidates(self, positive: Flags) -> Flags:
        """Return the classes (n, K) among which the largest of `score_planes` decides."""

    @abstractmethod
    def score_planes(self) -> tuple[Array, Array]:
        """Return coefficients (K, p) and intercepts (K,) of the decision functions."""
        # For linear binary models only.

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a clone of `estimator` for each row of the design."""
        self._check_estimator()
        labelled = validate_rows(self, X, y, sample_weight, **self._accepted)
        rows, codes, weight = weighted_rows(self, labelled)
        self._check_classes(codes, weight)
        self.design_ = self._design(len(self.classes_))
        stacked = self._fit_together(rows, codes, weight)
        self.estimators_ = []
        for row, fitted in zip(self.design_, stacked, strict=True):
            if fitted is not None:
                self.estimators_.append(fitted)
                continue
            side = row[codes]
            used = slice(None) if side.all() else side != 0
            weights = {} if weight is None else {"sample_weight": weight[used]}
            try:
                # This was checked above for all of them.
                with config_context(assume_finite=self._accepted["ensure_all_finite"] is True):
                    model = clone(self.estimator).fit(
                        rows[used], (side[used] > 0).astype(int), **weights
                    )
            except ValueError as error:
                speaks, against = (self.classes_[row == sign].tolist() for sign in (1, -1))
                error.add_note(f"While fitting classes {speaks} against {against}.")
                raise
            self.estimators_.append(model)
        return self

    def _fit_together(
        self, rows: Any, codes: NDArray[np.intp], weight: Array | None
    ) -> Sequence[Any]:
        """Return models if they are small and many; None if they are fitted one by one."""
        if len(self.design_) == 1 or not batched.stackable(self.estimator, 2):
            return [None] * len(self.design_)
        problems = []
        for row in self.design_:
            side = row[codes]
            used = side != 0
            own = None if weight is None else weight[used]
            problems.append(batched.Problem(rows[used], (side[used] > 0).astype(np.intp), own))
        return batched.fit_stack(self.estimator, problems, 2)

    def decision_function(self, X: ArrayLike) -> Array:
        """Score rows."""
        scores = self._scores(self.margins(X))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label of the largest score, shape (n,), also for ambiguous points."""
        chosen = self._scores(self.margins(X)).argmax(axis=1)
        return self.classes_[chosen]

    @property
    def predict_proba(self) -> Callable[[ArrayLike], Array]:
        """A method that returns the class probabilities, (n, K); rows sum to one."""
        # Only if the binary models have probabilities.
        self._require_probabilities("predict_proba")
        return self._probabilities

    @property
    def predict_log_proba(self) -> Callable[[ArrayLike], Array]:
        """A method that returns their logarithms, (n, K)."""
        self._require_probabilities("predict_log_proba")
        return self._log_probabilities

    def _require_probabilities(self, name: str) -> None:
        model = self.estimators_[0] if hasattr(self, "estimators_") else self.estimator
        if not hasattr(model, "predict_proba"):
            because = f"those of its binary models ({type(model).__name__}) give"
            raise no_probabilities(self, name, because)

    def _probabilities(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False, **self._accepted)
        probabilities = [np.asarray(model.predict_proba(rows))[:, 1] for model in self.estimators_]
        return self._couple(np.column_stack(probabilities))

    def _log_probabilities(self, X: ArrayLike) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._probabilities(X)))

    def margins(self, X: ArrayLike) -> Array:
        """Return the output of each model, (n, n_models): positive for its positive classes."""
        # Its `decision_function`; or its probability minus one half; or plus or minus one if a
        # model only predicts.
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False, **self._accepted)
        has_many = len(self.estimators_) > MANY_MODELS
        if has_many and all(isinstance(m, LinearClassifier | HalfSpace) for m in self.estimators_):
            return blocked_product(rows, self.coef_.T) + self.intercept_
        return np.column_stack([_margin(model, rows) for model in self.estimators_])

    @property
    def coef_(self) -> Array:
        """Coefficients of the models, (n_models, p), if `estimator` is linear."""
        check_is_fitted(self)
        return np.vstack([model.coef_ for model in self.estimators_])

    @property
    def intercept_(self) -> Array:
        """Intercepts of the models, (n_models,), if `estimator` is linear."""
        check_is_fitted(self)
        return np.concatenate([np.ravel(model.intercept_) for model in self.estimators_])

    @property
    def _accepted(self) -> dict[str, Any]:
        """Input tags for scikit-learn's checks."""
        tags = self.__sklearn_tags__().input_tags
        return {
            "accept_sparse": "csr" if tags.sparse else False,
            "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
        }

    def __sklearn_tags__(self) -> Tags:
        """Declare that sparse rows and NaN are accepted if `estimator` accepts them."""
        tags, model = super().__sklearn_tags__(), self.estimator
        tags.input_tags.sparse = get_tags(model).input_tags.sparse
        # A pipeline may impute values without declaring it.
        steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
        first = next((step for step in steps if hasattr(step, "fit")), model)
        tags.input_tags.allow_nan = get_tags(first).input_tags.allow_nan
        return tags

    def _check_estimator(self) -> None:
        given = self.estimator
        kind = None if isinstance(given, type) else getattr(given, "__sklearn_tags__", None)
        if kind is not None and kind().estimator_type == "classifier":
            return
        name = given.__name__ if isinstance(given, type) else type(given).__name__
        problem = "a class: pass an instance of it" if isinstance(given, type) else "no classifier"
        if kind is not None and kind().estimator_type:
            problem = f"a {kind().estimator_type.replace('_', ' ')}"
        raise ValueError(
            f"{type(self).__name__} needs a classifier, such as LogisticRegression(); {name} is "
            f"{problem}."
        )

    def _check_classes(self, codes: NDArray[np.intp], weight: Array | None) -> None:
        if len(self.classes_) < 2:
            raise ValueError("A classifier needs rows of at least two classes; got 1 class.")
        if weight is None:
            return
        if not has_fit_parameter(self.estimator, "sample_weight"):
            name = type(self.estimator).__name__
            raise ValueError(
                f"{name}.fit takes no sample_weight. Leave the weights out, choose an estimator "
                "that takes them, or, for a Pipeline, put its transformers in front of "
                f"{type(self).__name__} instead of inside."
            )
        total = np.bincount(codes, weight, minlength=len(self.classes_))
        if not total.all():
            empty = self.classes_[total == 0].tolist()
            raise ValueError(f"All rows of the classes {empty} have weight zero; leave them out.")


class OneVsRest(BinaryModels):
    """One binary model for each class against all others; the model of class k *claims* points.

    A point may be claimed by exactly one class, by none or by several: see `ambiguity`. `predict`
    resolves ambiguity by the largest score, as `sklearn.multiclass.OneVsRestClassifier` does
    without reporting it.

    If the binary models have probabilities, `predict_proba` divides them by their sum; a class
    without a model ("k-1") first gets one minus the largest of them.

    Parameters
    ----------
    estimator : classifier
        Any binary classifier with scikit-learn's interface; it is cloned.
    models : {"k", "k-1"}, default "k"
        "k-1" is the lecture's construction: the last class has no model, its score is zero, and it
        claims all points that no other class claims.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, the same in every binary model; see
        `lincore.estimators.base.class_weights.class_weights`. With "balanced" all classes have the
        same total weight, so "one" has 1 / (K - 1) of the weight of "the rest".
        (`class_weight="balanced"` of the binary `estimator` balances the two sides of each model
        instead.)

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    estimators_ : list of K or K - 1 fitted models, in the order of `classes_`
    design_ : ndarray of shape (n_models, K)
        +1 for the class of a model, -1 for the others.
    coef_, intercept_ : ndarrays of shapes (n_models, p) and (n_models,)
        Only if `estimator` is linear; one row per model, also for two classes.
    n_features_in_ : int

    References
    ----------
    "lecture-linear-classifiers", "One versus The Other"; Bishop (2006), "Pattern Recognition and
    Machine Learning", section 4.1.2.

    Examples
    --------
    >>> from lincore import LinearDiscriminantAnalysis
    >>> corners = np.array([[0.0, 2.0], [-1.7, -1.0], [1.7, -1.0]])
    >>> square = np.array([[0.1, 0.1], [0.1, -0.1], [-0.1, 0.1], [-0.1, -0.1]])
    >>> X = np.concatenate([corner + square for corner in corners])
    >>> model = OneVsRest(LinearDiscriminantAnalysis(priors=[0.1, 0.9]))
    >>> model = model.fit(X, np.repeat(["a", "b", "c"], 4))
    >>> [Ambiguity(code).name for code in model.ambiguity([[0, 2], [0, -2], [0, 0]])]
    ['CLEAR', 'CLAIMED_BY_SEVERAL', 'CLAIMED_BY_NONE']
    """

    def __init__(
        self,
        estimator: Any,
        *,
        models: Literal["k", "k-1"] = "k",
        class_weight: ClassWeight = None,
    ) -> None:
        self.estimator = estimator
        self.models = models
        self.class_weight = class_weight

    def claims(self, X: ArrayLike) -> Flags:
        """Return which classes claim each row, shape (n, K): positive scores."""
        margins = self.margins(X)
        claimed = margins > 0
        if self._has_rest:
            claimed = np.column_stack([claimed, ~claimed.any(axis=1)])
        return claimed

    def ambiguity(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return a code of `Ambiguity` for each row, shape (n,): CLEAR or CLAIMED_BY_..."""
        number = self.claims(X).sum(axis=1)
        meanings = [Ambiguity.CLAIMED_BY_NONE, Ambiguity.CLEAR, Ambiguity.CLAIMED_BY_SEVERAL]
        return np.array(meanings, dtype=np.intp)[np.minimum(number, 2)]

    def candidates(self, positive: Flags) -> Flags:
        """Return all classes (n, K): the largest margin decides, regardless of claims."""
        return np.ones((len(positive), len(self.classes_)), dtype=bool)

    def score_planes(self) -> tuple[Array, Array]:
        """Return the planes of the models, (K, p) and (K,), zero for a class without a model."""
        rest = len(self.classes_) - len(self.design_)
        return (
            np.vstack([self.coef_, np.zeros((rest, self.n_features_in_))]),
            np.append(self.intercept_, np.zeros(rest)),
        )

    @property
    def _has_rest(self) -> bool:
        return len(self.design_) < len(self.classes_)

    def _design(self, n_classes: int) -> NDArray[np.int8]:
        if self.models not in ("k", "k-1"):
            raise ValueError(f"models must be 'k' or 'k-1', got {self.models!r}.")
        n_models = n_classes if self.models == "k" else n_classes - 1
        return (2 * np.eye(n_models, n_classes) - 1).astype(np.int8)

    def _scores(self, margins: Array) -> Array:
        return np.column_stack([margins, np.zeros(len(margins))]) if self._has_rest else margins

    def _couple(self, proba: Array) -> Array:
        if self._has_rest:
            proba = np.column_stack([proba, 1 - proba.max(axis=1)])
        total = proba.sum(axis=1, keepdims=True)
        return np.where(total > 0, proba / np.where(total > 0, total, 1.0), 1 / proba.shape[1])


class OneVsOne(BinaryModels):
    """One binary model for each pair of classes; each casts a vote.

    A point may have a unique winner or tied votes: see `ambiguity`. `predict` resolves a tie by
    the sum of the models' margins for each class, squeezed into (-1/3, 1/3) and added to the
    votes: the score of `sklearn.multiclass.OneVsOneClassifier`, which hides the tie.

    If the binary models have probabilities r, `predict_proba` couples them: p minimises
    ``Σ_i Σ_j (r_ji p_i - r_ij p_j)²``. The class with the largest probability may differ from the
    one with the most votes.

    Parameters
    ----------
    estimator : classifier
        Any binary classifier with scikit-learn's interface; it is cloned.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, the same in every pair; see
        `lincore.estimators.base.class_weights.class_weights`. With "balanced" the two classes of a
        pair have the same total weight.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    estimators_ : list of K (K - 1) / 2 fitted models
        For the pairs (0, 1), (0, 2), ..., (K - 2, K - 1).
    design_ : ndarray of shape (n_models, K)
        -1 for the first class of the pair, +1 for the second, 0 for the others.
    coef_, intercept_ : ndarrays of shapes (n_models, p) and (n_models,)
        Only if `estimator` is linear.
    n_features_in_ : int

    References
    ----------
    "lecture-linear-classifiers", "One versus One"; Bishop (2006), "Pattern Recognition and
    Machine Learning", section 4.1.2; Wu, Lin, Weng (2004), "Probability estimates for multi-class
    classification by pairwise coupling", eq. 21.

    Examples
    --------
    >>> from lincore import LinearDiscriminantAnalysis
    >>> turns = np.exp(2j * np.pi / 3) ** np.arange(3)  # a pinwheel of three slanting bars
    >>> Z = np.ravel(turns[:, None] * [2j, 1 + 3j, -1 + 1j])
    >>> X = np.column_stack([Z.real, Z.imag])
    >>> model = OneVsOne(LinearDiscriminantAnalysis(shrinkage=0.1)).fit(X, list("aaabbbccc"))
    >>> model.votes([[0, 2], [0, 0]])
    array([[2, 0, 1],
           [1, 1, 1]])
    """

    def __init__(self, estimator: Any, *, class_weight: ClassWeight = None) -> None:
        self.estimator = estimator
        self.class_weight = class_weight

    def votes(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the number of pairs that each class wins, shape (n, K)."""
        return self._count(self.margins(X))

    def ambiguity(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return a code of `Ambiguity` for each row, shape (n,): CLEAR or TIED_VOTES."""
        votes = self.votes(X)
        tied = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1
        return np.where(tied, Ambiguity.TIED_VOTES, Ambiguity.CLEAR).astype(np.intp)

    def candidates(self, positive: Flags) -> Flags:
        """Return the classes with the most votes, (n, K)."""
        votes = self._count(positive.astype(float))
        return np.asarray(votes == votes.max(axis=1, keepdims=True))

    def score_planes(self) -> tuple[Array, Array]:
        """Return the sums of the planes in favour of each class, (K, p) and (K,)."""
        design = self.design_.astype(np.float64).T
        return design @ self.coef_, design @ self.intercept_

    def _count(self, margins: Array) -> NDArray[np.intp]:
        # Wins minus losses are 2 wins - (K - 1): a class is in K - 1 pairs. Zero is not a win.
        # In floating point, where products are fast and counts exact.
        design = self.design_.astype(np.float32)
        balance = 2 * ((margins > 0).astype(np.float32) @ design) - design.sum(axis=0)
        return np.asarray((balance + len(self.classes_) - 1) / 2, dtype=np.intp)

    def _design(self, n_classes: int) -> NDArray[np.int8]:
        first, second = np.triu_indices(n_classes, k=1)
        identity = np.eye(n_classes, dtype=np.int8)
        return identity[second] - identity[first]

    def _scores(self, margins: Array) -> Array:
        # Clipped, so that sums of large margins do not overflow.
        confidence = np.clip(margins, -1e300, 1e300) @ self.design_.astype(np.float64)
        return self._count(margins) + confidence / 3 / (np.abs(confidence) + 1)

    def _couple(self, proba: Array) -> Array:
        n_classes = len(self.classes_)
        if n_classes == 2:
            return np.column_stack([1 - proba, proba])
        first, second = np.triu_indices(n_classes, k=1)
        # Certain pairs must not make the system singular.
        proba = np.clip(proba, SURE, 1 - SURE)
        wins = np.zeros((len(proba), n_classes, n_classes))
        wins[:, second, first], wins[:, first, second] = proba, 1 - proba
        # Minimise Σ (r_ji p_i - r_ij p_j)² subject to Σ p = 1; zero if the pairs are consistent.
        system = np.ones((len(proba), n_classes + 1, n_classes + 1))
        system[:, -1, -1] = 0
        system[:, :-1, :-1] = -wins * wins.swapaxes(1, 2)
        diagonal = np.arange(n_classes)
        system[:, diagonal, diagonal] = (wins**2).sum(axis=1)
        right = np.zeros((n_classes + 1, 1))
        right[-1] = 1
        solution = np.maximum(np.linalg.solve(system, right)[:, :-1, 0], 0)
        return np.asarray(solution / solution.sum(axis=1, keepdims=True))


def _margin(model: Any, rows: Any) -> Array:
    """Return the score of a third-party binary model for its second class, shape (n,)."""
    # hasattr is scikit-learn's convention: which of the three a model has may depend on its
    # options.
    if hasattr(model, "decision_function"):
        return np.ravel(model.decision_function(rows)).astype(float)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(rows)[:, 1] - 0.5, dtype=float)
    return np.where(np.asarray(model.predict(rows)) > 0, 1.0, -1.0)
