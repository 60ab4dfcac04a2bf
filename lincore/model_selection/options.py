"""The options of every classifier, as fields of a record each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Annotated, Literal, TypeAlias

from lincore.fields.field import Field

#: Maximum epochs of a perceptron and iterations of a solver, so that fits from pages and links end.
MOST_ITERATIONS = 1_000_000

#: An option that inner cross-validation chooses, see `Tuned`.
_TUNED = {
    "cv": "best by cross-validation",
    "cv-1se": "within one standard error of the best",
}
Rule: TypeAlias = Literal["cv", "cv-1se"]
_PRIORS = Field(
    "Priors",
    "Probability of each class before the features are known.",
    main=True,
    choices={
        None: "shares of the training rows",
        "equal": "equal",
        "all": "shares of all rows as in R",
    },
)
_SHRINKAGE = Field(
    "Shrinkage",
    "Shrink the covariance towards a spherical one: more stable with few rows or many features.",
    main=True,
    choices={None: "none", "oas": "estimated (OAS)", **_TUNED},
    free=True,
    low=0,
    high=1,
    start=0.1,
)
Priors: TypeAlias = Annotated[Literal["equal", "all"], _PRIORS]
ClassWeight: TypeAlias = Annotated[
    Literal["balanced"],
    Field(
        "Class weights",
        "Balanced: all classes have the same total weight in the fit, however few their rows.",
        main=True,
        choices={None: "none", "balanced": "balanced"},
    ),
]
#: Binary classifiers without posteriors.
_WITHOUT_POSTERIORS = ("fisher", "least-squares", "perceptron")
Recalibration: TypeAlias = Annotated[
    Literal["sigmoid", "temperature", "isotonic"],
    Field(
        "Recalibration",
        "Correct the posteriors by inner cross-validation within the training rows: logistic "
        "regression on the log odds, one factor for all log posteriors, or isotonic regression.",
        choices={
            None: "none",
            "sigmoid": "sigmoid (Platt)",
            "temperature": "temperature",
            "isotonic": "isotonic",
        },
        when=lambda so_far: getattr(so_far, "estimator", "") not in _WITHOUT_POSTERIORS,
    ),
]
Shrinkage: TypeAlias = Literal["oas"] | Rule | float
RandomState: TypeAlias = Annotated[
    int,
    Field(
        "Seed",
        "Makes random results reproducible.",
        choices={None: "same as the experiment"},
        free=True,
        low=0,
        high=2**32 - 1,
        step=1,
        start=0,
    ),
]
Binary: TypeAlias = Annotated[
    Literal["logistic", "lda", "qda", "naive-bayes", "fisher", "least-squares", "perceptron"],
    Field(
        "Binary classifier",
        "The binary classifier.",
        main=True,
        choices={
            "logistic": "Logistic regression",
            "lda": "LDA",
            "qda": "QDA",
            "naive-bayes": "Naive Bayes",
            "fisher": "Fisher's discriminant",
            "least-squares": "Least squares",
            "perceptron": "Perceptron",
        },
    ),
]


@dataclass(frozen=True)
class DiagonalLdaOptions:
    """Options of diagonal LDA."""

    priors: Priors | None = None
    shrinkage: Annotated[Shrinkage, _SHRINKAGE] | None = None
    divisor: Annotated[
        Literal["n", "n-k"],
        Field(
            "Covariance estimator",
            "Maximum likelihood divides by the number of rows n, unbiased by n minus the number "
            "of classes.",
            choices={"n": "maximum likelihood", "n-k": "unbiased"},
        ),
    ] = "n"
    covariance: Annotated[
        Literal["sample", "mcd"],
        Field(
            "Outliers",
            "The minimum covariance determinant (MCD) estimates means and covariance from the "
            "half of each class that lies closest together, so that outliers do not move them. "
            "For numeric features, with at least five rows of every class for each.",
            choices={"sample": "treated like other rows", "mcd": "robust (MCD)"},
        ),
    ] = "sample"
    class_weight: ClassWeight | None = None
    recalibration: Recalibration | None = None


@dataclass(frozen=True)
class LdaOptions(DiagonalLdaOptions):
    """Options of LDA."""

    selection: (
        Annotated[
            Literal["stepwise"],
            Field(
                "Features used",
                "Stepwise: features enter by a partial F of at least 3.84 and leave at 2.71 or "
                "less, the defaults of SPSS, anew in every training set: test rows never choose.",
                main=True,
                choices={None: "all", "stepwise": "stepwise (Wilks’ lambda)"},
            ),
        ]
        | None
    ) = None


@dataclass(frozen=True)
class QdaOptions:
    """Options of QDA."""

    priors: Priors | None = None
    regularization: Annotated[
        Rule | float,
        Field(
            "Regularisation",
            "Shrink each class covariance towards the pooled one: 0 is QDA, 1 is LDA.",
            main=True,
            choices={0.0: "none", **_TUNED},
            free=True,
            low=0,
            high=1,
            start=0.1,
        ),
    ] = 0.0
    shrinkage: Annotated[Shrinkage, replace(_SHRINKAGE, main=False)] | None = None
    divisor: Annotated[
        Literal["n", "n-1"],
        Field(
            "Covariance estimator",
            "Maximum likelihood divides by the number of rows n of a class, unbiased by n − 1.",
            choices={"n": "maximum likelihood", "n-1": "unbiased"},
        ),
    ] = "n"
    class_weight: ClassWeight | None = None
    recalibration: Recalibration | None = None


@dataclass(frozen=True)
class NaiveBayesOptions:
    """Options of naive Bayes, Gaussian and categorical."""

    priors: Priors | None = None
    var_smoothing: Annotated[
        float,
        Field(
            "Variance smoothing",
            "Fraction of the largest feature variance that is added to every class variance.",
            low=0,
        ),
    ] = 1e-9
    alpha: Annotated[
        float,
        Field(
            "Added counts",
            "Pseudo-count for every level of a categorical column in every class.",
            low=0,
            above=True,
        ),
    ] = 1.0
    class_weight: ClassWeight | None = None
    recalibration: Recalibration | None = None


@dataclass(frozen=True)
class MultinomialOptions:
    """Options of multinomial naive Bayes."""

    alpha: Annotated[
        float,
        Field(
            "Added counts",
            "Pseudo-count for every word in every class; with 0 a single unseen word excludes a "
            "class.",
            main=True,
            low=0,
        ),
    ] = 1.0
    priors: Priors | None = None
    class_weight: ClassWeight | None = None
    recalibration: Recalibration | None = None


@dataclass(frozen=True)
class FisherOptions:
    """Options of Fisher's discriminant."""

    threshold: Annotated[
        Literal["midpoint", "gaussian", "minimum-error"],
        Field(
            "Threshold",
            "Position of the decision threshold along the direction.",
            main=True,
            choices={
                "midpoint": "midpoint of the means",
                "gaussian": "Gaussian (LDA)",
                "minimum-error": "fewest training errors",
            },
        ),
    ] = "midpoint"
    n_components: (
        Annotated[
            int,
            Field(
                "Directions",
                "Number of directions, at most one less than the number of classes.",
                main=True,
                choices={None: "all"},
                free=True,
                low=1,
                step=1,
                start=1,
            ),
        ]
        | None
    ) = None
    priors: (
        Annotated[
            Literal["equal", "all"],
            replace(
                _PRIORS, main=False, help="Class probabilities, only for the Gaussian threshold."
            ),
        ]
        | None
    ) = None
    class_weight: ClassWeight | None = None


@dataclass(frozen=True)
class LeastSquaresOptions:
    """Options of least squares."""

    targets: Annotated[
        Literal["one-hot", "plus-minus", "fisher"],
        Field(
            "Target values",
            "Target values of the classes; N/N_k gives small classes equal influence.",
            main=True,
            choices={"one-hot": "1 and 0", "plus-minus": "1 and -1", "fisher": "N/N_k (Fisher)"},
        ),
    ] = "one-hot"
    alpha: Annotated[
        Rule | float,
        Field(
            "Ridge penalty",
            "Shrinks the coefficients; 0 is ordinary least squares.",
            main=True,
            choices={0.0: "none", **_TUNED},
            free=True,
            low=0,
            start=1.0,
        ),
    ] = 0.0
    class_weight: ClassWeight | None = None


@dataclass(frozen=True)
class PerceptronOptions:
    """Options of the perceptron."""

    weights: Annotated[
        Literal["last", "pocket", "averaged"],
        Field(
            "Coefficients to keep",
            "Pocket and averaged coefficients are for classes that are not linearly separable.",
            main=True,
            choices=("last", "pocket", "averaged"),
        ),
    ] = "last"
    max_epochs: Annotated[
        int,
        Field(
            "Max epochs",
            "Maximum number of visits to every row.",
            main=True,
            low=1,
            high=MOST_ITERATIONS,
            step=1,
        ),
    ] = 100
    eta: Annotated[
        float,
        Field(
            "Step length",
            "Only scales the coefficients, because they start at zero.",
            low=0,
            above=True,
        ),
    ] = 1.0
    tol: Annotated[
        float,
        Field(
            "Tolerance",
            "Stop when an epoch changes the coefficients by less than this many steps.",
            low=0,
        ),
    ] = 1e-3
    standardize: Annotated[
        bool,
        Field(
            "Standardise inside",
            "Standardise features before learning, regardless of the preprocessing.",
        ),
    ] = True
    shuffle: Annotated[
        bool,
        Field("New order in every epoch", "Otherwise rows are visited in the given order."),
    ] = True
    random_state: RandomState | None = None
    class_weight: ClassWeight | None = None


@dataclass(frozen=True)
class LogisticOptions:
    """Options of logistic regression."""

    bias_reduction: (
        Annotated[
            Literal["firth", "king-zeng"],
            Field(
                "Small-sample bias",
                "Maximum likelihood exaggerates coefficients if a class has few rows, and has no "
                "solution if planes separate the classes. Firth's penalty always gives one; King "
                "and Zeng subtract the estimated bias (rare events).",
                main=True,
                choices={None: "uncorrected", "firth": "Firth's penalty", "king-zeng": "King–Zeng"},
            ),
        ]
        | None
    ) = None
    C: Annotated[
        Rule | float,
        Field(
            "Inverse penalty C",
            "Small values shrink the coefficients; infinite is maximum likelihood.",
            main=True,
            choices={inf: "maximum likelihood", **_TUNED},
            free=True,
            low=0,
            above=True,
            high=inf,
            start=1.0,
            when=lambda so_far: so_far.bias_reduction is None,
        ),
    ] = 1.0
    l1_ratio: Annotated[
        float,
        Field(
            "L1 ratio",
            "Share of the L1 penalty, which makes coefficients of superfluous features exactly "
            "zero; a share below 1 keeps correlated features together.",
            main=True,
            choices={0.0: "0, ridge", 1.0: "1, lasso"},
            free=True,
            low=0,
            high=1,
            start=0.5,
            when=lambda so_far: so_far.bias_reduction is None,
        ),
    ] = 0.0
    solver: Annotated[
        Literal["newton-cg", "newton", "fixed-hessian", "gradient", "sgd"],
        Field(
            "Solver",
            "Algorithm; all solvers minimise the same loss.",
            main=True,
            choices={
                "newton-cg": "Newton, conjugate gradients",
                "newton": "Newton (reweighted least squares)",
                "fixed-hessian": "Fixed Hessian (Böhning)",
                "gradient": "Gradient descent, fixed rate",
                "sgd": "Stochastic gradient descent",
            },
            when=lambda so_far: not so_far.l1_ratio,
        ),
    ] = "newton-cg"
    max_iter: (
        Annotated[
            int,
            Field(
                "Max iterations",
                "Epochs for stochastic gradient descent.",
                choices={None: "the solver's own"},
                free=True,
                low=1,
                high=MOST_ITERATIONS,
                step=1,
                start=100,
            ),
        ]
        | None
    ) = None
    tol: Annotated[
        float,
        Field(
            "Tolerance",
            "The solver stops when no entry of the gradient of the mean loss exceeds it.",
            low=0,
            above=True,
        ),
    ] = 1e-8
    learning_rate: (
        Annotated[
            float,
            Field(
                "Learning rate",
                "Step length of gradient and stochastic gradient descent; L is the maximum "
                "curvature.",
                choices={None: "1/L, computed"},
                free=True,
                low=0,
                above=True,
                start=0.002,
            ),
        ]
        | None
    ) = None
    batch_size: Annotated[
        int, Field("Batch size", "For stochastic gradient descent.", low=1, step=1)
    ] = 1
    fit_intercept: Annotated[
        bool, Field("Intercept", "Without it every boundary passes through the origin.")
    ] = True
    random_state: RandomState | None = None
    class_weight: ClassWeight | None = None
    recalibration: Recalibration | None = None


@dataclass(frozen=True)
class OneVsRestOptions:
    """Options of one versus rest."""

    estimator: Binary = "logistic"
    models: Annotated[
        Literal["k", "k-1"],
        Field(
            "Models",
            "With one less, the last class claims the points that no other class claims.",
            main=True,
            choices={"k": "one for each class", "k-1": "one less"},
        ),
    ] = "k"
    class_weight: ClassWeight | None = None
    recalibration: Recalibration | None = None


@dataclass(frozen=True)
class OneVsOneOptions:
    """Options of one versus one."""

    estimator: Binary = "logistic"
    class_weight: ClassWeight | None = None
    recalibration: Recalibration | None = None


#: The options of each classifier; see `lincore.fields.options`.
CLASSIFIER_OPTIONS: Mapping[str, type] = {
    "lda": LdaOptions,
    "diagonal-lda": DiagonalLdaOptions,
    "qda": QdaOptions,
    "naive-bayes": NaiveBayesOptions,
    "multinomial-nb": MultinomialOptions,
    "fisher": FisherOptions,
    "least-squares": LeastSquaresOptions,
    "perceptron": PerceptronOptions,
    "logistic": LogisticOptions,
    "one-vs-rest": OneVsRestOptions,
    "one-vs-one": OneVsOneOptions,
}
