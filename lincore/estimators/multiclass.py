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

# From here on planes are asked in one product: of 40 classes there are 780 pairs.
MANY_MODELS = 32
# Probabilities of a pair are taken for no nearer to 0 and 1 than this.
SURE = 1e-12


class Ambiguity(IntEnum):
    """Ambiguity of the binary classifiers at a point; zero where they agree on a class."""

    CLEAR = 0
    CLAIMED_BY_NONE = 1
    CLAIMED_BY_SEVERAL = 2
    TIED_VOTES = 3


class HalfSpace(NamedTuple):
    """A binary model that is a plane and no more.

    Attributes
    ----------
    coef_ : ndarray of shape (1, p)
    intercept_ : ndarray of shape (1,)
    """

    coef_: Array
    intercept_: Array

    def decision_function(self, X: Array) -> Array:
        """Return its margin, (n,)."""
        return np.asarray(X @ self.coef_[0] + self.intercept_[0])


class BinaryModels(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Base of one-versus-rest and one-versus-one: a coding design, one model for each row of it.

    Row m of the design has +1 for the classes that model m is to speak for, -1 for those that it
    is to speak against, and 0 for those whose rows it never sees.

    References
    ----------
    Allwein, Schapire, Singer (2000), "Reducing multiclass to binary", section 3.
    """

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
        """Turn the margins of the models (n, n_models) into scores of the classes (n, K)."""

    @abstractmethod
    def _coupled(self, proba: Array) -> Array:
        """Turn probabilities that the models speak for (n, n_models) into those of classes (n, K).

        Rows sum to one.
        """

    @abstractmethod
    def candidates(self, positive: Flags) -> Flags:
        """Return the classes (n, K) between which the largest of `score_planes` decides."""

    @abstractmethod
    def score_planes(self) -> tuple[Array, Array]:
        """Return coefficients (K, p) and intercepts (K,) of the functions that decide.

        Of linear binary models alone.
        """

    @atomic
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a clone of `estimator` for each row of the design."""
        self._check_estimator()
        labelled = validate_rows(self, X, y, sample_weight, **self._accepted)
        rows, codes, weight = weighted_rows(self, labelled)
        self._check_classes(codes, weight)
        self.design_ = self._design(len(self.classes_))
        together = self._fit_together(rows, codes, weight)
        self.estimators_ = []
        for row, fitted in zip(self.design_, together, strict=True):
            if fitted is not None:
                self.estimators_.append(fitted)
                continue
            side = row[codes]
            used = slice(None) if side.all() else side != 0
            weights = {} if weight is None else {"sample_weight": weight[used]}
            try:
                # That was seen above, for all of them.
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
        """Return the models, where they are small and many; None for what is fitted by itself."""
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
        """Return the label of the largest score, shape (n,): this decides ambiguous points too."""
        chosen = self._scores(self.margins(X)).argmax(axis=1)
        return self.classes_[chosen]

    @property
    def predict_proba(self) -> Callable[[ArrayLike], Array]:
        """The method that returns the probabilities of the classes, (n, K); rows sum to one.

        Where the binary models have probabilities themselves; else there is no such method.
        """
        self._require_probabilities("predict_proba")
        return self._probabilities

    @property
    def predict_log_proba(self) -> Callable[[ArrayLike], Array]:
        """The method that returns the logarithms of the same, (n, K)."""
        self._require_probabilities("predict_log_proba")
        return self._log_probabilities

    def _require_probabilities(self, name: str) -> None:
        part = self.estimators_[0] if hasattr(self, "estimators_") else self.estimator
        if not hasattr(part, "predict_proba"):
            because = f"those of its binary models ({type(part).__name__}) give"
            raise no_probabilities(self, name, because)

    def _probabilities(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False, **self._accepted)
        parts = [np.asarray(model.predict_proba(rows))[:, 1] for model in self.estimators_]
        return self._coupled(np.column_stack(parts))

    def _log_probabilities(self, X: ArrayLike) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._probabilities(X)))

    def margins(self, X: ArrayLike) -> Array:
        """Return what each model says, shape (n, n_models): positive where it speaks for.

        Its `decision_function`; or its probability less one half; or, of a model that only
        predicts, plus or minus one.
        """
        check_is_fitted(self)
        rows = numeric_rows(self, X, reset=False, **self._accepted)
        many = len(self.estimators_) > MANY_MODELS
        if many and all(isinstance(m, LinearClassifier | HalfSpace) for m in self.estimators_):
            return blocked_product(rows, self.coef_.T) + self.intercept_
        return np.column_stack([_margin(model, rows) for model in self.estimators_])

    @property
    def coef_(self) -> Array:
        """Coefficients of the models, (n_models, p), where `estimator` is linear."""
        check_is_fitted(self)
        return np.vstack([model.coef_ for model in self.estimators_])

    @property
    def intercept_(self) -> Array:
        """Intercepts of the models, (n_models,), where `estimator` is linear."""
        check_is_fitted(self)
        return np.concatenate([np.ravel(model.intercept_) for model in self.estimators_])

    @property
    def _accepted(self) -> dict[str, Any]:
        """What rows may hold: for scikit-learn's checks."""
        tags = self.__sklearn_tags__().input_tags
        return {
            "accept_sparse": "csr" if tags.sparse else False,
            "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
        }

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that sparse rows and NaN are taken where `estimator` takes them."""
        tags, part = super().__sklearn_tags__(), self.estimator
        tags.input_tags.sparse = get_tags(part).input_tags.sparse
        # A pipeline may fill in, and says nothing of that itself.
        steps = [step for _, step in part.steps] if isinstance(part, Pipeline) else [part]
        first = next((step for step in steps if hasattr(step, "fit")), part)
        tags.input_tags.allow_nan = get_tags(first).input_tags.allow_nan
        return tags

    def _check_estimator(self) -> None:
        given = self.estimator
        kind = None if isinstance(given, type) else getattr(given, "__sklearn_tags__", None)
        if kind is not None and kind().estimator_type == "classifier":
            return
        name = given.__name__ if isinstance(given, type) else type(given).__name__
        what = "a class: give an instance of it" if isinstance(given, type) else "no classifier"
        if kind is not None and kind().estimator_type:
            what = f"a {kind().estimator_type.replace('_', ' ')}"
        raise ValueError(
            f"{type(self).__name__} needs a classifier, such as LogisticRegression(); {name} is "
            f"{what}."
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

    A point may be claimed by exactly one class, by none or by several: `ambiguity` tells. What
    `sklearn.multiclass.OneVsRestClassifier` does in silence, `predict` says here: ambiguity is
    resolved by the largest score.

    Where the binary models have probabilities, `predict_proba` gives those of the claims, divided
    by their sum; a class without a model ("k-1") has one less the strongest claim before that.

    Parameters
    ----------
    estimator : classifier
        Any binary classifier with scikit-learn's interface; it is cloned.
    models : {"k", "k-1"}, default "k"
        "k-1" is the lecture's construction: the last class has no model, its score is zero, and
        it claims what nobody else does. Then no point is without a claim.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, the same in every binary model; see
        `lincore.estimators.base.class_weights.class_weights`. With "balanced" all classes weigh the
        same, so "one" still weighs 1 / (K - 1) of "the rest". (`class_weight="balanced"` of the
        binary `estimator` balances the two sides of each model instead.)

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    estimators_ : list of K or K - 1 fitted models, in the order of `classes_`
    design_ : ndarray of shape (n_models, K)
        +1 for the class that a model speaks for, -1 for the others.
    coef_, intercept_ : ndarrays of shapes (n_models, p) and (n_models,)
        Where `estimator` is linear; also for two classes one row for each model.
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
        """Return all classes (n, K): the largest margin decides, whoever claims."""
        return np.ones((len(positive), len(self.classes_)), dtype=bool)

    def score_planes(self) -> tuple[Array, Array]:
        """Return the planes of the models, (K, p) and (K,), and zero for a class without one."""
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

    def _coupled(self, proba: Array) -> Array:
        if self._has_rest:
            proba = np.column_stack([proba, 1 - proba.max(axis=1)])
        total = proba.sum(axis=1, keepdims=True)
        return np.where(total > 0, proba / np.where(total > 0, total, 1.0), 1 / proba.shape[1])


class OneVsOne(BinaryModels):
    """One binary model for each pair of classes; each casts a vote.

    A point may have a unique winner or tied votes: `ambiguity` tells. `predict` resolves a tie by
    the sum of the models' margins for each class, squeezed into (-1/3, 1/3) and added to the
    votes: the score of `sklearn.multiclass.OneVsOneClassifier`, which hides the tie.

    Where the binary models have probabilities r, `predict_proba` couples them: p minimises
    ``Σ_i Σ_j (r_ji p_i - r_ij p_j)²``. The largest of them may belong to another class than the
    one with the most votes.

    Parameters
    ----------
    estimator : classifier
        Any binary classifier with scikit-learn's interface; it is cloned.
    class_weight : None, "balanced" or mapping of label to weight
        Class weights, the same in every pair; see
        `lincore.estimators.base.class_weights.class_weights`. With "balanced" the two classes of a
        pair weigh the same.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
    estimators_ : list of K (K - 1) / 2 fitted models
        Of the pairs (0, 1), (0, 2), ..., (K - 2, K - 1).
    design_ : ndarray of shape (n_models, K)
        -1 for the first class of the pair, +1 for the second, 0 for the others.
    coef_, intercept_ : ndarrays of shapes (n_models, p) and (n_models,)
        Where `estimator` is linear.
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
        """Return the sums of the planes that speak for each class, (K, p) and (K,)."""
        design = self.design_.astype(np.float64).T
        return design @ self.coef_, design @ self.intercept_

    def _count(self, margins: Array) -> NDArray[np.intp]:
        # Wins less losses are 2 wins - (K - 1): a class is in K - 1 pairs. Zero is no claim.
        # In floating point, which multiplies fast and counts exactly.
        design = self.design_.astype(np.float32)
        balance = 2 * ((margins > 0).astype(np.float32) @ design) - design.sum(axis=0)
        return np.asarray((balance + len(self.classes_) - 1) / 2, dtype=np.intp)

    def _design(self, n_classes: int) -> NDArray[np.int8]:
        first, second = np.triu_indices(n_classes, k=1)
        identity = np.eye(n_classes, dtype=np.int8)
        return identity[second] - identity[first]

    def _scores(self, margins: Array) -> Array:
        # Sums of what is that sure already need not overflow.
        confidence = np.clip(margins, -1e300, 1e300) @ self.design_.astype(np.float64)
        return self._count(margins) + confidence / 3 / (np.abs(confidence) + 1)

    def _coupled(self, proba: Array) -> Array:
        n_classes = len(self.classes_)
        if n_classes == 2:
            return np.column_stack([1 - proba, proba])
        first, second = np.triu_indices(n_classes, k=1)
        # Sure pairs must not make the system singular.
        proba = np.clip(proba, SURE, 1 - SURE)
        wins = np.zeros((len(proba), n_classes, n_classes))
        wins[:, second, first], wins[:, first, second] = proba, 1 - proba
        # Minimise Σ (r_ji p_i - r_ij p_j)² where Σ p = 1: both are zero where the pairs agree.
        system = np.ones((len(proba), n_classes + 1, n_classes + 1))
        system[:, -1, -1] = 0
        system[:, :-1, :-1] = -wins * wins.swapaxes(1, 2)
        diagonal = np.arange(n_classes)
        system[:, diagonal, diagonal] = (wins**2).sum(axis=1)
        right = np.zeros((n_classes + 1, 1))
        right[-1] = 1
        found = np.linalg.solve(system, right)[:, :-1, 0]
        return np.asarray(np.maximum(found, 0) / np.maximum(found, 0).sum(axis=1, keepdims=True))


def _margin(model: Any, rows: Any) -> Array:
    """Return how much a foreign binary model speaks for its second class, shape (n,)."""
    # hasattr is scikit-learn's own contract here: which of the three a model has may depend on
    # its options.
    if hasattr(model, "decision_function"):
        return np.ravel(model.decision_function(rows)).astype(float)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(rows)[:, 1] - 0.5, dtype=float)
    return np.where(np.asarray(model.predict(rows)) > 0, 1.0, -1.0)
