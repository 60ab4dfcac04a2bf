"""The choices of an experiment that hold for every question: split, steps, options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from types import SimpleNamespace
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import split
from lincore.errors import DataError
from lincore.fields.bounds import AtMost, Between, OneOf, number, refuse, shown
from lincore.fields.field import Field, per_cent
from lincore.limits import LIMITS
from lincore.model_selection.fitted_classifier import FittedClassifier, fit
from lincore.model_selection.methods import CLASSIFIER_FACTORIES
from lincore.model_selection.option_types import Option
from lincore.model_selection.options import CLASSIFIER_OPTIONS
from lincore.model_selection.pipeline import Steps
from lincore.model_selection.specs import format_spec, parse_spec
from lincore.preprocessing.hog import HOG

#: The test set as hold-out schemes of `lincore.compare` and of the studies are called.
_SCHEMES = {"stratified": "holdout", "group": "holdout by group", "last": "last", "given": "given"}
#: The options of basis functions and the ends of their ranges.
_BASES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "polynomial": {"degree": (1, 5)},
    "trigonometric": {"n_harmonics": (1, 50)},
    "radial": {"n_centers": (1, 1000)},
    "kernel": {"n_components": (1, 1000)},
    "hog": {"cell_size": (1, 512)},
}

Word: TypeAlias = Annotated[str, OneOf(tuple(CLASSIFIER_FACTORIES))]


def _ways(so_far: SimpleNamespace) -> dict[str, str]:
    """Return the ways to set a test set apart, that of the source first, then whole groups."""
    named = {"stratified": "At random, by class", "last": "The last of each class"}
    if so_far.data.groups is not None:
        named = {"group": "Whole groups, at random", **named}
    if so_far.data.given_test is not None:
        named = {"given": "As the file gives it", **named}
    return named


def _usual(so_far: SimpleNamespace) -> str:
    return next(iter(_ways(so_far)))


def _has_size(so_far: SimpleNamespace) -> bool:
    return so_far.how != "given"


def _is_random(so_far: SimpleNamespace) -> bool:
    return so_far.how in ("stratified", "group")


@dataclass(frozen=True)
class SplitChoice:
    """Choice of the test set.

    Parameters
    ----------
    how : {"stratified", "group", "last", "given"}, optional
        As for `lincore.split`. When not given: as the source brought it, if it did; whole groups
        if the data have groups; else stratified.
    test_size : float
        Share of the test rows, below 1.
    seed : int
    """

    how: (
        Annotated[
            Literal["stratified", "group", "last", "given"],
            Field(
                "Test set",
                "Rows that no model sees before it is judged. If rows are related, as images of "
                "one series are, a random split puts near-duplicates on both sides: take whole "
                "groups, or the last of each class.",
                choices=_ways,
                auto=_usual,
            ),
        ]
        | None
    ) = None
    test_size: Annotated[
        float,
        Field(
            "Test fraction",
            "Of each class; the rest is for training. By group it is as near as whole groups come.",
            low=0,
            high=0.99,
            step=0.05,
            unit=per_cent,
            when=_has_size,
        ),
    ] = 0.3
    seed: Annotated[
        int,
        Field(
            "Seed",
            "Another number draws another split.",
            low=0,
            high=2**31 - 1,
            step=1,
            when=_is_random,
        ),
    ] = 0

    def resolved(self, data: Dataset) -> SplitChoice:
        """Return the choice with what ``how=None`` means for a data set.

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

    def rows(self, data: Dataset) -> Split:
        """Return the rows of the training and of the test set.

        Raises
        ------
        DataError
            When the data cannot be split so.

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
    """Data with all choices that hold for every question about them.

    Attributes
    ----------
    data : Dataset
    split : SplitChoice
    steps : Steps
    options : mapping of str to mapping
        Word of a classifier to its options that differ from the defaults.
    """

    data: Dataset
    split: SplitChoice
    steps: Steps
    options: Mapping[str, Mapping[str, Any]]

    def lines(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the classifiers with their options, as `lincore.compare` reads them.

        Examples
        --------
        >>> Experiment(None, SplitChoice(), Steps(), {"lda": {"shrinkage": 0.1}}).lines(("lda",))
        ('lda(shrinkage=0.1)',)
        """
        return tuple(method_line(word, self.options.get(word, {})) for word in words)

    def fit(self, word: str) -> FittedClassifier:
        """Fit one classifier on the training set, and predict the test set.

        Raises
        ------
        DataError
            When the basis would not fit into memory.
        """
        self.check_size()
        (line,) = self.lines((word,))
        return fit(self.data, line, self.split.rows(self.data), steps=self.steps)

    def check_size(self) -> None:
        """Raise an error for a basis that would not fit into memory.

        Raises
        ------
        DataError
            When rows times functions are more than the cells of the largest table.
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


def method_line(word: str, options: Mapping[str, Any]) -> str:
    """Return a classifier with its options as the line that `lincore.compare` reads.

    Parameters
    ----------
    word : str
        As in `lincore.model_selection.CLASSIFIER_FACTORIES`.
    options : mapping of str to object

    Returns
    -------
    str
        Options in the order of `CLASSIFIER_OPTIONS`, those with their default left out.

    Examples
    --------
    >>> method_line("logistic", {"solver": "newton", "C": float("inf")})
    'logistic(C=inf, solver=newton)'
    """
    known = {option.name: option.default for option in CLASSIFIER_OPTIONS[word]}
    chosen = {name: options[name] for name in known if name in options}
    return format_spec(word, {k: v for k, v in chosen.items() if v != known[k]})


def checked_options(given: Any, place: str) -> dict[str, dict[str, Any]]:
    """Return options by classifier, those with their default left out; a bound of `Schema`."""
    found = {}
    for word, options in given.items():
        if word not in CLASSIFIER_OPTIONS:
            raise refuse(f"There is no classifier {shown(word)}.", place, "Leave it out.")
        chosen = checked_options_of(word, options, f"{place}.{word}")
        if chosen:
            found[word] = chosen
    return found


def checked_options_of(word: str, given: Any, place: str) -> dict[str, Any]:
    """Return the options of one classifier that differ from the defaults."""
    known = {option.name: option for option in CLASSIFIER_OPTIONS[word]}
    unknown = [name for name in given if name not in known]
    if unknown:
        wanted = f"The options of {word} are: {', '.join(known) or 'none'}."
        raise refuse(f"There is no option {shown(unknown[0])}.", place, wanted)
    values = {
        name: _checked(option, given[name], f"{place}.{name}")
        for name, option in known.items()
        if name in given
    }
    return {name: value for name, value in values.items() if value != known[name].default}


def _checked(option: Option, value: Any, place: str) -> Any:
    """Return a value of an option; a number may be infinite, priors may be a list."""
    choices = [choice.value for choice in option.choices]
    if isinstance(value, (list, tuple)):
        if option.kind != "priors":
            raise refuse("It is a list.", place, "Give one value.")
        AtMost(LIMITS.max_levels)(value, place)
        return [Between(0, 1)(number(share, place), place) for share in value]
    if any(type(value) is type(one) and value == one for one in choices):
        return value
    if option.kind in ("number", "integer"):
        value = number(value, place, infinite=inf in choices)
    if not isinstance(value, (bool, int, float)) or not option.allows(value):
        raise refuse(f"It is {shown(value)}.", place, "Give one of its values on the page.")
    return value


def checked_basis(value: str, place: str) -> str:
    """Return the specification of a basis, if it is one of bounded size; a bound of `Schema`."""
    found = re.fullmatch(r"([a-z]+)(?:\(([a-z_]+)=(\d{1,4})\))?", value)
    ranges = _BASES.get(found[1]) if found else None
    if found is None or ranges is None or (found[2] and found[2] not in ranges):
        raise refuse(f"There is no basis {shown(value)}.", place, f"Use {', '.join(_BASES)}.")
    if found[2]:
        low, high = ranges[found[2]]
        Between(low, high)(int(found[3]), place)
    return value
