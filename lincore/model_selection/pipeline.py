"""The steps of a model by name: prepare, standardise, basis, projection, classifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset, Split
from lincore.estimators.tuned import RULES
from lincore.fields.bounds import Between
from lincore.fields.field import Field
from lincore.limits import LIMITS
from lincore.model_selection.options import Rule
from lincore.model_selection.specs import parse_spec
from lincore.preprocessing.basis import RadialBasis, TrigonometricFeatures, kernel, polynomial
from lincore.preprocessing.hog import HOG, SMALLEST_CELL
from lincore.preprocessing.pca import PCA
from lincore.preprocessing.standardize import Standardizer
from lincore.preprocessing.tabular import build_preparer, prepared_names
from lincore.preprocessing.truncated_svd import SingularVectors
from lincore.utils.formatting import percent

# Basis functions by name; options as in "polynomial(degree=3)".
BASES: Mapping[str, Callable[..., Any]] = {
    "polynomial": polynomial,
    "trigonometric": TrigonometricFeatures,
    "radial": RadialBasis,
    "kernel": kernel,
    "hog": HOG,
}


# Maximum number of features that a basis is offered for: its columns grow fast.
MOST_BASIS_FEATURES = 12
# Beyond this many coordinates a covariance by class is slow to look at in a browser.
MOST_COMPONENTS = 200
# First suggestion for the number of principal components, and of singular vectors.
_FIRST_COMPONENTS, _FIRST_WORD_COMPONENTS = 20, 50

#: Label and help, also for projections.
STANDARDIZE = (
    "Standardise",
    "Scale every feature to mean 0 and variance 1 over the training rows, so that units do not "
    "matter. Pixels share one unit and are better left unchanged.",
)


def has_units(so_far: SimpleNamespace) -> bool:
    """Return whether features can be standardised: not if they are sparse; a rule."""
    return not so_far.data.kind.is_sparse


def usually_standardized(so_far: SimpleNamespace) -> bool:
    """Return whether features of some kind are standardised by default; a rule."""
    return bool(so_far.data.kind.standardize)


def _bases(so_far: SimpleNamespace) -> dict[str | None, str]:
    data = so_far.data
    if data.kind.is_images:
        return {None: "Pixels", "hog": "Gradients (HOG)"} if offers_gradients(data) else {}
    if data.kind.is_sparse or data.n_features > MOST_BASIS_FEATURES:
        return {}
    return {
        None: "None",
        "polynomial(degree=2)": "Quadratic",
        "polynomial(degree=3)": "Cubic",
        "trigonometric": "Fourier",
        "radial": "RBF",
        "kernel": "Kernel",
    }


def _basis_wording(so_far: SimpleNamespace) -> tuple[str, str]:
    if so_far.data.kind.is_images:
        return (
            "Image features",
            "The grey levels themselves, or histograms of oriented gradients: directions of edges "
            "in cells of the image, which are less sensitive to shifts and lighting.",
        )
    return "Basis functions", "Functions of the features, which allow nonlinear boundaries."


def _components(so_far: SimpleNamespace) -> dict[float | str | None, str]:
    if so_far.data.kind.is_sparse:
        return {None: "None"}
    two = "2, as in the faces text" if so_far.data.kind.is_images else "2"
    return {
        None: "None",
        DEFAULT_VARIANCE_SHARE: f"{percent(DEFAULT_VARIANCE_SHARE, 0)} of the variance",
        2: two,
        "cv": "cross-validated",
        "cv-1se": "fewest within 1 SE",
    }


def _components_wording(so_far: SimpleNamespace) -> tuple[str, str]:
    if so_far.data.kind.is_sparse:
        return (
            "Singular vectors",
            "Replace the words by their first singular vectors, as Gaussian models require.",
        )
    return (
        "Principal components",
        "Replace the features by their first principal components. The fewer are kept, the more "
        "information is lost. Plots do not need them. Cross-validated: inner folds of the training "
        "rows choose their number for each method by the mean loss, the best or the fewest within "
        "one standard error (SE) of it.",
    )


def _most_components(so_far: SimpleNamespace) -> int:
    return int(min(so_far.data.n_features, so_far.n_train - 1, MOST_COMPONENTS))


def _can_be_projected(so_far: SimpleNamespace) -> bool:
    return _most_components(so_far) >= 2


def _usual_components(so_far: SimpleNamespace) -> float | str | None:
    if not _can_be_projected(so_far):
        return None
    return default_steps(so_far.data, so_far.n_train).n_components


def _first_components(so_far: SimpleNamespace) -> int:
    first = _FIRST_WORD_COMPONENTS if so_far.data.kind.is_sparse else _FIRST_COMPONENTS
    return min(first, _most_components(so_far))


def _can_be_whitened(so_far: SimpleNamespace) -> bool:
    return so_far.n_components is not None and not so_far.data.kind.is_sparse


class Steps(NamedTuple):
    """Preprocessing steps before a classifier; the same for every method.

    Parameters
    ----------
    standardize : bool, optional
        Standardise every feature. None: yes for tables; no for images, whose features share a unit,
        and for word counts, which are sparse.
    basis : str or transformer, optional
        "polynomial", "trigonometric", "radial" or "kernel", with options as in
        "polynomial(degree=3)"; for images "hog", histograms of oriented gradients, which come
        before standardising; or any transformer.
    n_components : int, float, "cv" or "cv-1se", optional
        Principal components (see `PCA`), or the rule by which inner cross-validation chooses their
        number for each method, see ``model.tuning()``; for sparse rows, singular vectors.
    whiten : bool
        Scale every component to variance one.
    """

    standardize: (
        Annotated[bool, Field(*STANDARDIZE, when=has_units, auto=usually_standardized)] | None
    ) = None
    basis: Annotated[Any, Field("Basis functions", choices=_bases, wording=_basis_wording)] = None
    n_components: (
        Annotated[
            int | Rule,
            Field(
                "Principal components",
                low=1,
                high=16_384,
                step=1,
                choices=_components,
                free=True,
                most=_most_components,
                start=_first_components,
                when=_can_be_projected,
                auto=_usual_components,
                wording=_components_wording,
                row=True,
            ),
        ]
        | Annotated[float, Between(1e-6, 1)]
        | None
    ) = None
    whiten: Annotated[
        bool,
        Field(
            "Whiten",
            "Scale every component to variance 1.",
            when=_can_be_whitened,
        ),
    ] = False

    def resolved(self, data: Dataset) -> Steps:
        """Return the steps with `standardize=None` resolved for a data set."""
        if self.standardize is not None:
            return self
        return self._replace(standardize=data.kind.standardize)

    @property
    def chooses_components(self) -> bool:
        """True if inner cross-validation chooses the number of components for each method."""
        return self.n_components in RULES


PLAIN = Steps()

#: Images with more pixels than this are projected by default, to as many components as explain this
#: share of the variance.
MANY_PIXELS = 400
DEFAULT_VARIANCE_SHARE = 0.95


def default_steps(data: Dataset, n_train: int) -> Steps:
    """Return suitable steps for a data set: all features, or most of the variance of large images.

    Parameters
    ----------
    n_train : int
        Number of training rows.

    Returns
    -------
    Steps
        Tables are only standardised. Images with more pixels than `MANY_PIXELS` or training rows
        are projected to the components that explain 95 % of their variance.

    Examples
    --------
    >>> import lincore
    >>> default_steps(lincore.sample("wine"), 125)
    Steps(standardize=True, basis=None, n_components=None, whiten=False)
    """
    steps = PLAIN.resolved(data)
    if data.kind.is_images and data.n_features > min(MANY_PIXELS, n_train):
        return steps._replace(n_components=DEFAULT_VARIANCE_SHARE)
    return steps


def offers_gradients(data: Dataset) -> bool:
    """Return whether rows are images large enough for gradients that fit into memory.

    Examples
    --------
    >>> import lincore
    >>> offers_gradients(lincore.sample("digits")), offers_gradients(lincore.sample("iris"))
    (True, False)
    """
    if data.image_shape is None or min(data.image_shape[:2]) < SMALLEST_CELL:
        return False
    width = HOG(data.image_shape).fit(data.X[:1]).n_features_out
    return width * data.n_rows <= LIMITS.max_cells


#: The classifier option for the indicator columns of categories.
CATEGORICAL = "categorical_columns"


def asks_for_categories(classifier: Any) -> bool:
    """Return whether a classifier, or one inside it, handles categories specially."""
    return any(name.rpartition("__")[2] == CATEGORICAL for name in classifier.get_params())


def steps_before(classifier: Any, data: Dataset, steps: Steps) -> Steps:
    """Return the steps before a classifier, which keep categories unchanged if it needs them."""
    # Standardising does not affect naive Bayes on numbers. A basis and a projection mix the
    # columns, so no categories remain.
    steps = steps.resolved(data)
    coded = data.has_categories or (data.imputation == "indicator" and data.has_missing)
    mixed = steps.basis is not None or steps.n_components is not None or data.kind.is_sparse
    if coded and not mixed and asks_for_categories(classifier):
        return steps._replace(standardize=False)
    return steps


def pipeline_for(
    data: Dataset, classifier: Any | None, steps: Steps = PLAIN, *, seed: int = 0
) -> Pipeline:
    """Build the pipeline of a data set: its preparation, and default steps.

    Parameters
    ----------
    classifier : estimator or None
        Unfitted; None for the steps only.
    steps : Steps
        Unspecified steps have the defaults for the kind of data. The steps only are without
        principal components if inner cross-validation chooses their number for each classifier.
    seed : int
        For randomness in a step, such as the centres of a basis.
    """
    steps = steps.resolved(data) if classifier is None else steps_before(classifier, data, steps)
    sparse, prepare = data.kind.is_sparse, build_preparer(data)
    named: list[tuple[str, Any]] = []
    if prepare is not None:
        named.append(("prepare", prepare))
    if sparse and (steps.standardize or steps.whiten):
        raise ValueError("Word counts are sparse: do not standardise or whiten them.")
    basis = []
    if steps.basis is not None:
        basis = [("basis", as_basis(steps.basis, seed, data.image_shape))]
    of_pixels = any(isinstance(step, HOG) for _, step in basis)
    named += basis if of_pixels else []
    if not sparse and steps.standardize is not False:
        named.append(("standardize", Standardizer()))
    named += [] if of_pixels else basis
    number: Any = None if steps.chooses_components else steps.n_components
    if steps.chooses_components and classifier is not None:
        raise ValueError("The number of components is chosen in a fit: see `lincore.fit`.")
    if number is not None and sparse:
        named.append(("svd", SingularVectors(int(number), random_state=seed)))
    elif number is not None:
        named.append(("pca", PCA(number, whiten=steps.whiten)))
    if classifier is not None:
        named.append(("classify", classifier))
    return Pipeline(named)


def classifier_input_names(pipeline: Pipeline, data: Dataset) -> tuple[str, ...]:
    """Return the names of the coordinates of the final classifier."""
    steps = pipeline.named_steps
    if "pca" in steps:
        return tuple(f"Component {i + 1}" for i in range(steps["pca"].n_components_))
    if "svd" in steps:
        return tuple(f"Component {i + 1}" for i in range(len(steps["svd"].components_)))
    names = prepared_names(steps.get("prepare"), data)
    if "basis" in steps:
        outputs = steps["basis"].get_feature_names_out(np.array(names, dtype=object))
        return tuple(str(name) for name in outputs)
    return names


def as_basis(spec: Any, seed: int, image_shape: tuple[int, ...] | None) -> Any:
    """Return the transformer for a specification such as "radial(n_centers=30)", or a copy."""
    # It receives the seed and the image shape if it has these parameters and they are not set.
    if isinstance(spec, str):
        word, options = parse_spec(spec)
        if word not in BASES:
            raise ValueError(f"There is no basis {word!r}; choose one of {', '.join(BASES)}.")
        basis = BASES[word](**options)
    else:
        basis = clone(spec)
    given = basis.get_params()
    known = {"random_state": seed, "image_shape": image_shape}
    missing = {name: value for name, value in known.items() if given.get(name, value) is None}
    basis.set_params(**{name: value for name, value in missing.items() if name in given})
    return basis


def training_error(pipeline: Pipeline, data: Dataset, split: Split) -> float:
    """Return the weighted training error of a fitted model.

    It does not estimate the error on new rows, because the model was fitted to these.

    Parameters
    ----------
    pipeline : Pipeline
        With a last step "classify", fitted on the codes of the training rows.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> split = lincore.split(iris, seed=0)
    >>> pipeline = pipeline_for(iris, lincore.LinearDiscriminantAnalysis())
    >>> pipeline = pipeline.fit(iris.X[split.train], iris.codes[split.train])
    >>> round(training_error(pipeline, iris, split), 3)
    0.029
    """
    inputs = transform_for_classifier(pipeline, data.X[split.train])
    wrong = pipeline.steps[-1][1].predict(inputs) != data.codes[split.train]
    weight = data.weights_of(split.train)
    return float(np.average(wrong, weights=weight))


def transform_for_classifier(pipeline: Pipeline, X: Any) -> Any:
    """Return rows (n, p) transformed by the steps before the classifier, (n, q), dense or sparse.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.
    X : array of shape (n, p)
        As in ``Dataset.X``; dense or sparse.

    Returns
    -------
    array of shape (n, q)
    """
    X = through([step for step in pipeline.steps if step[0] != "classify"], X)
    return X if sp.issparse(X) else np.asarray(X)


def through(preprocessor: Sequence[tuple[str, Any]], rows: Any) -> Any:
    """Return rows transformed by fitted steps; only the classifier validates them."""
    for _, step in preprocessor:
        own = isinstance(step, (Standardizer, PCA))
        rows = step.map_rows(rows) if own else step.transform(rows)
    return rows
