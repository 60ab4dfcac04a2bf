"""The options of every classifier: type, choices, default, help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lincore.model_selection.option_types import Choice, Option

#: Maximum epochs of a perceptron and iterations of a solver, so that fits from pages and links end.
MOST_ITERATIONS = 1_000_000


def _choices(**values: Any) -> tuple[Choice, ...]:
    return tuple(Choice(value, label.replace("_", " ")) for label, value in values.items())


PRIORS = Option(
    "priors",
    "Priors",
    "priors",
    None,
    "Probability of each class before the features are known.",
    main=True,
    choices=_choices(
        shares_of_the_training_rows=None, equal="equal", shares_of_all_rows_as_in_R="all"
    ),
)
CLASS_WEIGHT = Option(
    "class_weight",
    "Class weights",
    "choice",
    None,
    "Balanced: all classes have the same total weight in the fit, however few their rows.",
    main=True,
    choices=_choices(none=None, balanced="balanced"),
)
SHRINKAGE = Option(
    "shrinkage",
    "Shrinkage",
    "number",
    None,
    "Shrink the covariance towards a spherical one: more stable with few rows or many features.",
    main=True,
    choices=(Choice(None, "none"), Choice("oas", "estimated (OAS)")),
    low=0,
    high=1,
)
RANDOM_STATE = Option(
    "random_state",
    "Seed",
    "integer",
    None,
    "Makes random results reproducible.",
    choices=(Choice(None, "same as the experiment"),),
    low=0,
    high=2**32 - 1,
)
BINARY = Option(
    "estimator",
    "Binary classifier",
    "method",
    "logistic",
    "The binary classifier.",
    main=True,
    choices=tuple(
        Choice(word, label)
        for word, label in (
            ("logistic", "Logistic regression"),
            ("lda", "LDA"),
            ("qda", "QDA"),
            ("naive-bayes", "Naive Bayes"),
            ("fisher", "Fisher's discriminant"),
            ("least-squares", "Least squares"),
            ("perceptron", "Perceptron"),
        )
    ),
)

_LDA = (
    PRIORS,
    SHRINKAGE,
    Option(
        "divisor",
        "Covariance estimator",
        "choice",
        "n",
        "Maximum likelihood divides by the number of rows n, unbiased by n minus the number of "
        "classes.",
        choices=(Choice("n", "maximum likelihood"), Choice("n-k", "unbiased")),
    ),
    CLASS_WEIGHT,
)

CLASSIFIER_OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "lda": _LDA,
    "diagonal-lda": _LDA,
    "qda": (
        PRIORS,
        Option(
            "regularization",
            "Regularisation",
            "number",
            0.0,
            "Shrink each class covariance towards the pooled one: 0 is QDA, 1 is LDA.",
            main=True,
            low=0,
            high=1,
        ),
        SHRINKAGE._replace(main=False),
        Option(
            "divisor",
            "Covariance estimator",
            "choice",
            "n",
            "Maximum likelihood divides by the number of rows n of a class, unbiased by n − 1.",
            choices=(Choice("n", "maximum likelihood"), Choice("n-1", "unbiased")),
        ),
        CLASS_WEIGHT,
    ),
    "naive-bayes": (
        PRIORS,
        Option(
            "var_smoothing",
            "Variance smoothing",
            "number",
            1e-9,
            "Fraction of the largest feature variance that is added to every class variance.",
            low=0,
        ),
        Option(
            "alpha",
            "Added counts",
            "number",
            1.0,
            "Pseudo-count for every level of a categorical column in every class.",
            low=0,
            open_low=True,
        ),
        CLASS_WEIGHT,
    ),
    "multinomial-nb": (
        Option(
            "alpha",
            "Added counts",
            "number",
            1.0,
            "Pseudo-count for every word in every class; with 0 a single unseen word excludes a "
            "class.",
            main=True,
            low=0,
        ),
        PRIORS,
        CLASS_WEIGHT,
    ),
    "fisher": (
        Option(
            "threshold",
            "Threshold",
            "choice",
            "midpoint",
            "Position of the decision threshold along the direction.",
            main=True,
            choices=(
                Choice("midpoint", "midpoint of the means"),
                Choice("gaussian", "Gaussian (LDA)"),
                Choice("minimum-error", "fewest training errors"),
            ),
        ),
        Option(
            "n_components",
            "Directions",
            "integer",
            None,
            "Number of directions, at most one less than the number of classes.",
            main=True,
            choices=(Choice(None, "all"),),
            low=1,
        ),
        PRIORS._replace(main=False, help="Class probabilities, only for the Gaussian threshold."),
        CLASS_WEIGHT,
    ),
    "least-squares": (
        Option(
            "targets",
            "Target values",
            "choice",
            "one-hot",
            "Target values of the classes; N/N_k gives small classes equal influence.",
            main=True,
            choices=(
                Choice("one-hot", "1 and 0"),
                Choice("plus-minus", "1 and -1"),
                Choice("fisher", "N/N_k (Fisher)"),
            ),
        ),
        Option(
            "alpha",
            "Ridge penalty",
            "number",
            0.0,
            "Shrinks the coefficients; 0 is ordinary least squares.",
            main=True,
            low=0,
        ),
        CLASS_WEIGHT,
    ),
    "perceptron": (
        Option(
            "weights",
            "Coefficients to keep",
            "choice",
            "last",
            "Pocket and averaged coefficients are for classes that are not linearly separable.",
            main=True,
            choices=_choices(last="last", pocket="pocket", averaged="averaged"),
        ),
        Option(
            "max_epochs",
            "Max epochs",
            "integer",
            100,
            "Maximum number of visits to every row.",
            main=True,
            low=1,
            high=MOST_ITERATIONS,
        ),
        Option(
            "eta",
            "Step length",
            "number",
            1.0,
            "Only scales the coefficients, because they start at zero.",
            low=0,
            open_low=True,
        ),
        Option(
            "tol",
            "Tolerance",
            "number",
            1e-3,
            "Stop when an epoch changes the coefficients by less than this many steps.",
            low=0,
        ),
        Option(
            "standardize",
            "Standardise inside",
            "switch",
            True,
            "Standardise features before learning, regardless of the preprocessing.",
        ),
        Option(
            "shuffle",
            "New order in every epoch",
            "switch",
            True,
            "Otherwise rows are visited in the given order.",
        ),
        RANDOM_STATE,
        CLASS_WEIGHT,
    ),
    "logistic": (
        Option(
            "C",
            "Inverse penalty C",
            "number",
            1.0,
            "Small values shrink the coefficients; infinite is maximum likelihood.",
            main=True,
            choices=(Choice(float("inf"), "maximum likelihood"),),
            low=0,
            open_low=True,
        ),
        Option(
            "solver",
            "Solver",
            "choice",
            "newton-cg",
            "Algorithm; all solvers find the same minimum.",
            main=True,
            choices=(
                Choice("newton-cg", "Newton, conjugate gradients"),
                Choice("newton", "Newton (reweighted least squares)"),
                Choice("fixed-hessian", "Fixed Hessian (Böhning)"),
                Choice("gradient", "Gradient descent, fixed rate"),
                Choice("sgd", "Stochastic gradient descent"),
            ),
        ),
        Option(
            "max_iter",
            "Max iterations",
            "integer",
            None,
            "Epochs for stochastic gradient descent.",
            choices=(Choice(None, "the solver's own"),),
            low=1,
            high=MOST_ITERATIONS,
        ),
        Option(
            "tol",
            "Tolerance",
            "number",
            1e-8,
            "The solver stops when no entry of the gradient of the mean loss exceeds it.",
            low=0,
            open_low=True,
        ),
        Option(
            "learning_rate",
            "Learning rate",
            "number",
            None,
            "Step length of gradient and stochastic gradient descent; L is the maximum curvature.",
            choices=(Choice(None, "1/L, computed"),),
            low=0,
            open_low=True,
        ),
        Option(
            "batch_size",
            "Batch size",
            "integer",
            1,
            "For stochastic gradient descent.",
            low=1,
        ),
        Option(
            "fit_intercept",
            "Intercept",
            "switch",
            True,
            "Without it every boundary passes through the origin.",
        ),
        RANDOM_STATE,
        CLASS_WEIGHT,
    ),
    "one-vs-rest": (
        BINARY,
        Option(
            "models",
            "Models",
            "choice",
            "k",
            "With one less, the last class claims the points that no other class claims.",
            main=True,
            choices=(Choice("k", "one for each class"), Choice("k-1", "one less")),
        ),
        CLASS_WEIGHT,
    ),
    "one-vs-one": (BINARY, CLASS_WEIGHT),
}


def option(word: str, name: str) -> Option:
    """Return one option of a classifier."""
    for found in CLASSIFIER_OPTIONS[word]:
        if found.name == name:
            return found
    known = ", ".join(found.name for found in CLASSIFIER_OPTIONS[word])
    raise KeyError(f"{word} has no option {name!r}; it has {known}.")
