"""The classifiers that can be compared, by name or as estimators."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

from lincore import fields
from lincore.data.dataset import Dataset
from lincore.estimators.fisher import FisherDiscriminant
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.linear_discriminant import (
    DiagonalLinearDiscriminantAnalysis,
    LinearDiscriminantAnalysis,
)
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.estimators.multiclass import OneVsOne, OneVsRest
from lincore.estimators.multinomial import MultinomialNB
from lincore.estimators.naive_bayes import GaussianNB
from lincore.estimators.perceptron import Perceptron
from lincore.estimators.quadratic_discriminant import QuadraticDiscriminantAnalysis
from lincore.estimators.recalibrated import Recalibrated
from lincore.estimators.tuned import RULES, Tuned
from lincore.model_selection.options import CLASSIFIER_OPTIONS
from lincore.model_selection.pipeline import CATEGORICAL
from lincore.model_selection.specs import format_spec, parse_spec

CLASSIFIER_FACTORIES: Mapping[str, Callable[..., Any]] = {
    "lda": LinearDiscriminantAnalysis,
    "diagonal-lda": DiagonalLinearDiscriminantAnalysis,
    "qda": QuadraticDiscriminantAnalysis,
    "naive-bayes": GaussianNB,
    "multinomial-nb": MultinomialNB,
    "fisher": FisherDiscriminant,
    "least-squares": LeastSquaresClassifier,
    "perceptron": Perceptron,
    "logistic": LogisticRegression,
    "one-vs-rest": OneVsRest,
    "one-vs-one": OneVsOne,
}

CLASSIFIER_LABELS: Mapping[str, str] = {
    "lda": "LDA",
    "diagonal-lda": "Diagonal LDA",
    "qda": "QDA",
    "naive-bayes": "Naive Bayes",
    "multinomial-nb": "Multinomial naive Bayes",
    "fisher": "Fisher's discriminant",
    "least-squares": "Least squares",
    "perceptron": "Perceptron",
    "logistic": "Logistic regression",
    "one-vs-rest": "One versus rest",
    "one-vs-one": "One versus one",
}

#: Image features that a method can request, with the prefix of its label.
IMAGE_FEATURES: Mapping[str, str] = {"pixels": "Pixels", "hog": "HOG"}

#: The option of every method with posteriors that wraps it into `Recalibrated`.
RECALIBRATION = "recalibration"

# The default binary classifier of one-vs-rest and one-vs-one.
BINARY = "logistic"

Spec: TypeAlias = Any


@dataclass(frozen=True)
class Method:
    """A classifier that can be fitted any number of times, and its names."""

    # Name in results; for the library's classifiers, the specification that recreates the method
    name: str
    estimator: Any  # never fitted itself; it is cloned
    label: str  # display name
    word: str | None = None  # the key in `CLASSIFIER_FACTORIES`; None for third-party estimators
    # Options that differ from the defaults, for the settings of results
    options: Mapping[str, Any] = field(default_factory=dict)
    # {"pixels", "hog"}; image features that it uses, regardless of the steps
    features: str | None = None

    @property
    def from_moments(self) -> bool:
        """True if it is fitted from the moments by class only."""
        # Whether one of the library's classifiers has the method also depends on its options.
        return hasattr(self.estimator, "fit_moments")

    @property
    def from_blocks(self) -> bool:
        """True if it can learn from rows that are not in memory: from moments, or in passes."""
        return self.from_moments or hasattr(self.estimator, "fit_blocks")

    @property
    def takes_sparse(self) -> bool:
        """True if rows may be sparse."""
        return bool(get_tags(self.estimator).input_tags.sparse)

    @property
    def counts(self) -> bool:
        """True if rows must be counts, so that centring or rotation would make no sense."""
        return bool(get_tags(self.estimator).input_tags.positive_only)

    @cached_property
    def own_weights(self) -> str | None:
        """The classifier's own option for class weights, if any."""
        # Excludes "balanced" weights of the library's classifiers, which the weights of a study do
        # not affect.
        for name, value in self.estimator.get_params(deep=True).items():
            given = name.rpartition("__")[2] == "class_weight" and value is not None
            if given and not (self._balances and name == "class_weight"):
                return str(name)
        return None

    @property
    def _balances(self) -> bool:
        """True if it gives all classes the same weight, regardless of row weights."""
        own = self.estimator.get_params(deep=False).get("class_weight")
        return self.word is not None and isinstance(own, str) and own == "balanced"

    @cached_property
    def has_fixed_priors(self) -> bool:
        """True if priors are set by options instead of being estimated from rows."""
        if self._balances:
            return True
        if self.options.get(RECALIBRATION) in ("sigmoid", "isotonic"):
            return False  # the recalibration learns them from the rows
        for name, value in self.estimator.get_params(deep=True).items():
            option = name.rpartition("__")[2]
            if option in ("priors", "class_prior") and value is not None:
                return True
            if option == "fit_prior" and value is False:
                return True
        return False

    def fresh(self, classes: int | ArrayLike, seed: int = 0) -> Any:
        """Return an estimator to fit on codes from 0 to K - 1."""
        estimator = clone(self.estimator)
        changed: dict[str, Any] = {}
        for name, value in estimator.get_params(deep=True).items():
            if name.rpartition("__")[2] == "random_state" and value is None:
                changed[name] = seed
            # A binary model inside another one sees two sides instead of the labels.
            elif name in ("class_weight", "priors") and isinstance(value, Mapping):
                changed[name] = _by_code(name, value, classes)
        return estimator.set_params(**changed)


def as_method(spec: Spec) -> Method:
    """Return the method for a name, a specification, an estimator or a pair.

    Parameters
    ----------
    spec : str, classifier, (str, classifier) or Method
        "lda"; "logistic(C=inf, solver=newton)"; any classifier with scikit-learn's interface; or a
        pair of a name and one of these. ``priors=equal`` gives all classes the same prior;
        ``features=hog`` fits it on image gradients, ``features=pixels`` on pixels, regardless of
        the steps.

    Raises
    ------
    ValueError
        For an unknown name or option; the message lists the known ones.
    TypeError
        If it is not a classifier.

    Examples
    --------
    >>> method = as_method("logistic(C=inf, solver=newton)")
    >>> method.word, method.from_moments, method.estimator
    ('logistic', False, LogisticRegression(C=inf, solver='newton'))
    >>> as_method(LinearDiscriminantAnalysis(shrinkage=0.1)).name
    'lda(shrinkage=0.1)'
    """
    if isinstance(spec, Method):
        return spec
    if isinstance(spec, str):
        return _from_text(spec)
    if isinstance(spec, tuple) and len(spec) == 2 and isinstance(spec[0], str):
        return replace(as_method(spec[1]), name=spec[0], label=spec[0])
    if isinstance(spec, type) or not hasattr(spec, "fit") or not is_classifier(spec):
        raise TypeError(f"{spec!r} is not a classifier: give a name, or an object with fit(X, y).")
    return _from_estimator(spec)


def as_methods(specs: Spec | Iterable[Spec] | Mapping[str, Spec]) -> tuple[Method, ...]:
    """Return several methods with unique names.

    Parameters
    ----------
    specs : one spec, several, or a mapping from names to them

    Returns
    -------
    tuple of Method
        In the order given.

    Raises
    ------
    ValueError
        If there is none, or two have the same name.
    """
    if isinstance(specs, Mapping):
        methods = tuple(as_method((name, spec)) for name, spec in specs.items())
    elif isinstance(specs, (str, Method)) or hasattr(specs, "fit"):
        methods = (as_method(specs),)
    else:
        methods = tuple(as_method(spec) for spec in specs)
    names = [method.name for method in methods]
    if not names:
        raise ValueError("There is no method to compare.")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Two methods are called {name!r}: name them, as in {{'a': ...}}.")
    return methods


# Values times classes up to which the default methods include one that iterates.
MOST_ITERATED = 5_000_000


def default_methods(data: Dataset) -> tuple[str, ...]:
    """Return the default methods of a comparison: for large data only those that do not iterate.

    Returns
    -------
    tuple of str
        They differ between word counts and tables or images. Logistic regression is left out if
        the values times the classes are more than five million.

    Examples
    --------
    >>> import lincore
    >>> default_methods(lincore.sample("iris"))
    ('lda', 'qda', 'naive-bayes', 'fisher', 'least-squares', 'logistic')
    """
    methods: tuple[str, ...] = ("lda", "qda", "naive-bayes", "fisher", "least-squares", "logistic")
    if data.kind.is_sparse:
        methods = ("multinomial-nb", "lda", "naive-bayes", "least-squares", "logistic")
    return methods if data.X.size * data.n_classes <= MOST_ITERATED else methods[:-1]


def yardsticks() -> tuple[Method, ...]:
    """Return flexible classifiers that show how much better than linear ones a model can be.

    Gradient boosting on histograms and a random forest, scikit-learn's with their defaults.

    References
    ----------
    Friedman (2001), "Greedy function approximation: a gradient boosting machine"; Breiman (2001),
    "Random forests".
    """
    # Imported here: slow, and only needed where they are fitted.
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

    return (
        Method("boosting", HistGradientBoostingClassifier(), "Gradient boosting"),
        Method("random-forest", RandomForestClassifier(), "Random forest"),
    )


def suitable_methods(data: Dataset) -> tuple[str, ...]:
    """Return the classifiers that can be fitted: multinomial naive Bayes needs counts.

    Returns
    -------
    tuple of str
        Multinomial naive Bayes first if the features are words.

    Examples
    --------
    >>> import lincore
    >>> "multinomial-nb" in suitable_methods(lincore.sample("iris"))
    False
    """
    words = [word for word in CLASSIFIER_FACTORIES if word != "multinomial-nb"]
    if not data.holds_counts:
        return tuple(words)
    words.insert(0 if data.kind.is_sparse else len(words), "multinomial-nb")
    return tuple(words)


def keywords(word: str) -> dict[str, Any]:
    """Return the options of a classifier of the library with their defaults."""
    if word not in CLASSIFIER_FACTORIES:
        raise ValueError(
            f"There is no method {word!r}; choose one of {', '.join(CLASSIFIER_FACTORIES)}."
        )
    return dict(_defaults(word))


@cache
def _defaults(word: str) -> dict[str, Any]:
    parameters = inspect.signature(CLASSIFIER_FACTORIES[word]).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.name != CATEGORICAL}
    if word in ("lda", "diagonal-lda"):
        # The number of canonical coordinates of `transform` does not affect predictions.
        del defaults["n_components"]
    if word == "diagonal-lda":
        del defaults["selection"]
    if "estimator" in defaults:
        defaults["estimator"] = BINARY
    if any(option.name == RECALIBRATION for option in fields.options(CLASSIFIER_OPTIONS[word])):
        defaults[RECALIBRATION] = None
    return defaults


def _by_code(name: str, values: Mapping[Any, float], classes: int | ArrayLike) -> dict[Any, float]:
    """Return class weights or priors by code instead of by label; ValueError for other labels."""
    labels = list(range(classes)) if isinstance(classes, int) else np.asarray(classes).tolist()
    unknown = [label for label in values if label not in labels]
    if unknown:
        raise ValueError(f"{name} names {unknown}; the classes are {labels}.")
    return {labels.index(label): value for label, value in values.items()}


def _from_text(text: str) -> Method:
    word, options = parse_spec(text)
    word = word.lower()
    defaults, features = keywords(word), options.pop("features", None)
    if features not in (None, *IMAGE_FEATURES):
        raise ValueError(f"features are {' or '.join(IMAGE_FEATURES)}, not {features!r}.")
    unknown = [name for name in options if name not in defaults]
    if unknown:
        known = ", ".join(defaults)
        raise ValueError(f"{word} has no option {', '.join(unknown)}; it has {known}.")
    tuned = {name: value for name, value in options.items() if value in RULES}
    arguments = {name: value for name, value in options.items() if name not in tuned}
    recalibration = arguments.pop(RECALIBRATION, None)
    if "estimator" in defaults:
        arguments["estimator"] = as_method(options.get("estimator", BINARY)).estimator
    image_features = {} if features is None else {"features": features}
    estimator = CLASSIFIER_FACTORIES[word](**arguments)
    if tuned:
        estimator = _tune(word, estimator, tuned)
    if recalibration is not None:
        fields.checked(CLASSIFIER_OPTIONS[word], {RECALIBRATION: recalibration})
        estimator = Recalibrated(estimator, recalibration)
    return Method(
        name=format_spec(word, options | image_features),
        estimator=estimator,
        label=(f"{IMAGE_FEATURES[features]} + " if features else "") + _label(word, options),
        word=word,
        options=options | image_features,
        features=features,
    )


def _tune(word: str, estimator: Any, rules: Mapping[str, str]) -> Tuned:
    """Return the classifier with options that inner cross-validation chooses."""
    fields.checked(CLASSIFIER_OPTIONS[word], rules)
    if "C" in rules and estimator.bias_reduction is not None:
        raise ValueError("A model with bias reduction has no penalty, so that C cannot be chosen.")
    # Two options are chosen together: one standard error for one of them is one for both.
    return Tuned(estimator, tuple(sorted(rules)), max(rules.values()))


def on_both_features(lines: Iterable[str]) -> tuple[str, ...]:
    """Return every method twice, on pixels and on gradients of images.

    Methods for counts are unchanged.

    Parameters
    ----------
    lines : iterable of str
        Specifications for `as_method`.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> on_both_features(["lda(shrinkage=0.1)"])
    ('lda(shrinkage=0.1, features=pixels)', 'lda(shrinkage=0.1, features=hog)')
    """
    specs = []
    for line in lines:
        word, options = parse_spec(line)
        kinds = (None,) if as_method(line).counts else tuple(IMAGE_FEATURES)
        chosen = ({} if kind is None else {"features": kind} for kind in kinds)
        specs += [format_spec(word, options | features) for features in chosen]
    return tuple(specs)


def _from_estimator(estimator: Any) -> Method:
    """Return the method of an estimator; a fitted one with tuned options is tuned again."""
    recalibrated = type(estimator) is Recalibrated
    if not recalibrated and getattr(estimator, "tuning_", None) is not None:
        tuning = estimator.tuning_
        estimator = Tuned(clone(estimator), tuning.options, tuning.rule)
    tuned = estimator.estimator if recalibrated else estimator
    inner = tuned.estimator if isinstance(tuned, Tuned) else tuned
    for word, factory in CLASSIFIER_FACTORIES.items():
        if type(inner) is factory:
            options = _changed_options(word, inner)
            if isinstance(tuned, Tuned):
                options |= dict.fromkeys(tuned.options, tuned.rule)
            if recalibrated:
                options[RECALIBRATION] = estimator.method
            name = " ".join(format_spec(word, options).split())
            return Method(name, estimator, _label(word, options), word, options)
    # scikit-learn prints the changed options.
    name = " ".join(repr(estimator).split())
    return Method(name, estimator, name)


def _changed_options(word: str, estimator: Any) -> dict[str, Any]:
    given, options = estimator.get_params(deep=False), {}
    for name, default in keywords(word).items():
        value = given.get(name, default)
        if name == "estimator":
            value = as_method(value).name
        elif isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, (list, tuple)) or value != default:
            options[name] = value
    return options


def describe_options(classifier: Any) -> str:
    """Describe the options of a classifier that differ from the defaults, as pages name them.

    Parameters
    ----------
    classifier : str or classifier
        As for `as_method`.

    Examples
    --------
    >>> describe_options("lda(covariance=mcd, shrinkage=0.1)")
    'outliers: robust (MCD), shrinkage: 0.1'
    >>> describe_options("qda")
    ''
    """
    method = as_method(classifier)
    if method.word is None:
        return ""
    known = {
        option.name: option.field for option in fields.options(CLASSIFIER_OPTIONS[method.word])
    }
    words = []
    for name, value in method.options.items():
        if name not in known or name == "random_state":  # the seed is that of the experiment
            continue
        label, choices = known[name].label, known[name].choices
        names = choices if isinstance(choices, Mapping) else {}
        is_named = isinstance(value, Hashable) and value in names
        shown = names[value] if is_named else _written(value)
        words.append(f"{label[0].lower()}{label[1:]}: {shown}")
    return ", ".join(words)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _label(word: str, options: Mapping[str, Any]) -> str:
    if not options:
        return CLASSIFIER_LABELS[word]
    return f"{CLASSIFIER_LABELS[word]} ({', '.join(f'{k}={v}' for k, v in options.items())})"
