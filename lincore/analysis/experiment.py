"""The choices of an experiment that are common to all questions: split, steps, options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias

from lincore import fields
from lincore.data.dataset import Dataset, Split
from lincore.data.splits import split
from lincore.errors import DataError
from lincore.fields.bounds import Between, OneOf, refuse, shown
from lincore.fields.field import Field, per_cent
from lincore.limits import LIMITS
from lincore.model_selection.fitted_classifier import FittedClassifier, fit
from lincore.model_selection.methods import (
    CLASSIFIER_FACTORIES,
    CLASSIFIER_LABELS,
    suitable_methods,
)
from lincore.model_selection.options import CLASSIFIER_OPTIONS
from lincore.model_selection.pipeline import Steps
from lincore.model_selection.specs import format_spec, parse_spec
from lincore.preprocessing.hog import HOG
from lincore.utils.formatting import percent

#: Called with the results so far.
Keep: TypeAlias = Callable[[Any], None]
#: The choices of the test set as schemes of `lincore.compare` and of the imbalance studies.
_SCHEMES = {"stratified": "holdout", "group": "holdout by group", "last": "last", "given": "given"}
_SUMMARIES = {
    "stratified": "{share} test set, by class",
    "last": "Last {share} of each class as test set",
    "given": "Test set as in the file",
    "group": "{share} test set, whole groups",
}
#: The options of basis functions, with their ranges.
_BASES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "polynomial": {"degree": (1, 5)},
    "trigonometric": {"n_harmonics": (1, 50)},
    "radial": {"n_centers": (1, 1000)},
    "kernel": {"n_components": (1, 1000)},
    "hog": {"cell_size": (1, 512)},
}

Word: TypeAlias = Annotated[str, OneOf(tuple(CLASSIFIER_FACTORIES))]


def suitable_classifiers(so_far: SimpleNamespace) -> dict[str, str]:
    """Return the classifiers that can be fitted to the data, with their names; a rule."""
    return {word: CLASSIFIER_LABELS[word] for word in suitable_methods(so_far.data)}


def _default_classifier(so_far: SimpleNamespace) -> str:
    words = suitable_classifiers(so_far)
    return "lda" if "lda" in words else next(iter(words))


Classifier: TypeAlias = Annotated[
    Word,
    Field(
        "Classifier",
        "The model to be fitted.",
        choices=suitable_classifiers,
        auto=_default_classifier,
    ),
]


def _test_sets(so_far: SimpleNamespace) -> dict[str, str]:
    """Return the possible test sets: that of the source first, then whole groups."""
    named = {"stratified": "At random, by class", "last": "The last of each class"}
    if so_far.data.groups is not None:
        named = {"group": "Whole groups, at random", **named}
    if so_far.data.given_test is not None:
        named = {"given": "As given in the file", **named}
    return named


def _default_test_set(so_far: SimpleNamespace) -> str:
    return next(iter(_test_sets(so_far)))


@dataclass(frozen=True)
class SplitChoice:
    """Choice of the test set.

    Parameters
    ----------
    how : {"stratified", "group", "last", "given"}, optional
        As for `lincore.split`. Default: the test set of the source, if it has one; whole groups if
        the data have groups; otherwise stratified.
    test_size : float
        Share of the test rows, below 1.
    seed : int
    """

    how: (
        Annotated[
            Literal["stratified", "group", "last", "given"],
            Field(
                "Test set",
                "Rows that are used only for evaluation. If rows are related, like images of one "
                "series, a random split puts near-duplicates into both sets: choose whole groups "
                "or the last of each class.",
                choices=_test_sets,
                auto=_default_test_set,
            ),
        ]
        | None
    ) = None
    test_size: Annotated[
        float,
        Field(
            "Test fraction",
            "The share of each class that is for testing. Whole groups match it approximately.",
            low=0,
            high=0.99,
            step=0.05,
            unit=per_cent,
            when=lambda so_far: so_far.how != "given",
        ),
    ] = 0.3
    seed: Annotated[
        int,
        Field(
            "Seed",
            "Another seed draws another split.",
            low=0,
            high=2**31 - 1,
            step=1,
            when=lambda so_far: so_far.how in ("stratified", "group"),
        ),
    ] = 0

    def resolved(self, data: Dataset) -> SplitChoice:
        """Return the choice with the default of `how` for a data set.

        Examples
        --------
        >>> import lincore
        >>> SplitChoice().resolved(lincore.sample("iris"))
        SplitChoice(how='stratified', test_size=0.3, seed=0)
        """
        if self.how is not None:
            return self
        if data.given_test is not None:
            return replace(self, how="given")
        return replace(self, how="stratified" if data.groups is None else "group")

    def summary(self, data: Dataset) -> str:
        """Return the test set in a few words.

        Examples
        --------
        >>> import lincore
        >>> SplitChoice().summary(lincore.sample("iris"))
        '30 % test set, by class'
        """
        share = percent(self.test_size, 0)
        return _SUMMARIES[self.resolved(data).how or "stratified"].format(share=share)

    def rows(self, data: Dataset) -> Split:
        """Return the rows of the training and of the test set.

        Raises
        ------
        DataError
            If the data do not allow this split.

        Examples
        --------
        >>> import lincore
        >>> len(SplitChoice(test_size=0.2).rows(lincore.sample("iris")).test)
        30
        """
        how = self.resolved(data).how
        return split(data, how, test_size=self.test_size, seed=self.seed)

    def scheme(self, data: Dataset) -> str:
        """Return the name of the same split as a scheme of `lincore.compare`.

        Examples
        --------
        >>> import lincore
        >>> SplitChoice("group").scheme(lincore.sample("iris"))
        'holdout by group'
        """
        return _SCHEMES[self.resolved(data).how or "stratified"]


class Experiment(NamedTuple):
    """Data with the choices that are common to all questions.

    Attributes
    ----------
    data : Dataset
    split : SplitChoice
    steps : Steps
    options : mapping of str to mapping
        Short name of a classifier to its options that differ from the defaults.
    """

    data: Dataset
    split: SplitChoice
    steps: Steps
    options: Mapping[str, Mapping[str, Any]]

    def lines(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return classifiers with their options, in the notation of `lincore.compare`.

        Examples
        --------
        >>> Experiment(None, SplitChoice(), Steps(), {"lda": {"shrinkage": 0.1}}).lines(("lda",))
        ('lda(shrinkage=0.1)',)
        """
        return tuple(method_line(word, self.options.get(word, {})) for word in words)

    @property
    def scheme(self) -> str:
        """The test set as a scheme of `lincore.compare`."""
        return self.split.scheme(self.data)

    def fit(self, word: str) -> FittedClassifier:
        """Fit one classifier on the training set, and predict the test set.

        Raises
        ------
        DataError
            If the basis would not fit into memory.
        """
        self.check_size()
        (line,) = self.lines((word,))
        return fit(self.data, line, self.split.rows(self.data), steps=self.steps)

    def check_methods(self, methods: Sequence[str]) -> None:
        """Raise an error if there is no method, or the basis would not fit into memory."""
        if not methods:
            raise DataError("There is no method.", where="question.methods", remedy="Give one.")
        self.check_size()

    def check_size(self) -> None:
        """Raise an error for a basis that would not fit into memory.

        Raises
        ------
        DataError
            If rows times basis functions exceed the limit of cells.
        """
        word, options = parse_spec(self.steps.basis) if self.steps.basis else ("", {})
        p, functions = self.data.n_features, 1.0
        if word == "polynomial":
            degree = options.get("degree", 2)
            for i in range(1, degree + 1):
                functions *= (p + i) / i
        elif word == "trigonometric":
            functions = 2 * p * options.get("n_harmonics", 2)
        elif word == "hog" and self.data.image_shape is not None:
            functions = HOG(self.data.image_shape, **options).fit(self.data.X[:1]).n_features_out
        if functions * self.data.n_rows > LIMITS.max_cells:
            raise DataError(
                f"The basis {self.steps.basis} of {p:,} features has too many functions.",
                where="steps.basis",
                remedy="Leave it out, or use fewer features.",
            )


class PageQuestion:
    """A question, in the form that its page shows and in the form that is answered."""

    def resolved(self, data: Dataset, counts: Sequence[int]) -> Self:
        """Return the question as answered; `counts` are the training rows of each class."""
        return self

    def asked(self, data: Dataset) -> Self:
        """Return the question as the widgets of its page show it."""
        return self

    def plan(self, experiment: Experiment) -> str:
        """Describe in a few words what is computed, for progress."""
        return "Computing"


def method_line(word: str, options: Mapping[str, Any]) -> str:
    """Return a classifier with its options in the notation of `lincore.compare`.

    Parameters
    ----------
    word : str
        As in `lincore.model_selection.CLASSIFIER_FACTORIES`.
    options : mapping of str to object

    Returns
    -------
    str
        Options in the order of `CLASSIFIER_OPTIONS`, without defaults.

    Examples
    --------
    >>> method_line("logistic", {"solver": "newton", "C": float("inf")})
    'logistic(C=inf, solver=newton)'
    """
    defaults = {option.name: option.default for option in fields.options(CLASSIFIER_OPTIONS[word])}
    chosen = {name: options[name] for name in defaults if name in options}
    return format_spec(word, {k: v for k, v in chosen.items() if v != defaults[k]})


def checked_options(given: Any, where: str) -> dict[str, dict[str, Any]]:
    """Return options by classifier, without defaults; a bound of `Schema`."""
    checked = {}
    for word, options in given.items():
        if word not in CLASSIFIER_OPTIONS:
            raise refuse(f"There is no classifier {shown(word)}.", where, "Leave it out.")
        record = CLASSIFIER_OPTIONS[word]
        chosen = fields.given(record(**fields.checked(record, options, prefix=f"{where}.{word}.")))
        if chosen:
            checked[word] = chosen
    return checked


def checked_basis(value: str, where: str) -> str:
    """Return a valid specification of a basis; a bound of `Schema`."""
    match = re.fullmatch(r"([a-z]+)(?:\(([a-z_]+)=(\d{1,4})\))?", value)
    word, option, number = match.groups("") if match else ("", "", "")
    if word not in _BASES or (option and option not in _BASES[word]):
        raise refuse(f"There is no basis {shown(value)}.", where, f"Use {', '.join(_BASES)}.")
    if option:
        Between(*_BASES[word][option])(int(number), where)
    return value
