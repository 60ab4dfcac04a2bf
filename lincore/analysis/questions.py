"""Questions that the pages ask of an experiment, each with its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np

from lincore.analysis.data_sources import Points
from lincore.analysis.experiment import Experiment, Word, checked_options, method_line
from lincore.analysis.predict_question import PredictQuestion
from lincore.data.dataset import Dataset
from lincore.displays import ExperimentDisplay
from lincore.errors import DataError
from lincore.fields.bounds import AtMost, Between, OneOf
from lincore.fields.field import Field
from lincore.fields.schema import Label
from lincore.imbalance.cost.estimate import imbalance_cost
from lincore.imbalance.cost.record import ImbalanceCost
from lincore.imbalance.run_study import balance
from lincore.imbalance.study import BalanceStudy
from lincore.laboratory.catalogue import EXPERIMENTS
from lincore.metrics.results import Results
from lincore.model_selection.comparison import compare
from lincore.model_selection.fitted_classifier import FittedClassifier
from lincore.model_selection.methods import (
    CLASSIFIER_LABELS,
    default_methods,
    offers_gradients,
    on_both_features,
    suitable_methods,
)
from lincore.utils.typing import Progress

Words: TypeAlias = Annotated[tuple[Word, ...], AtMost(30)]
Options: TypeAlias = Annotated[Mapping[str, Mapping[str, Any]], AtMost(30), checked_options]
Shares: TypeAlias = Annotated[tuple[Annotated[float, Between(0, 1)], ...], AtMost(1000)]
Repeats: TypeAlias = Annotated[int, Between(1, 1000)]
#: The name of a loss or a score; the recall of a class has the name of the class in it.
LossName: TypeAlias = Annotated[str, AtMost(260)]
Keep: TypeAlias = Callable[[Any], None]

#: Validations: the test set, folds of up to 100 parts, repeated up to 100 times, by group or not.
SCHEME = (
    r"holdout|leave-one-out|by-group|"
    r"(?:([1-9]\d?|100)x)?([2-9]|[1-9]\d|100)-fold(?: by group)?"
)


@dataclass(frozen=True)
class DataQuestion:
    """The data themselves: columns, rows, findings."""

    kind: ClassVar[str] = "data"  # in JSON

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> Dataset:
        """Return the data set."""
        return experiment.data


@dataclass(frozen=True)
class ExploreQuestion:
    """Columns by class, correlations, projections."""

    kind: ClassVar[str] = "explore"  # in JSON

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> Dataset:
        """Return the data set."""
        return experiment.data


@dataclass(frozen=True)
class GeometryQuestion:
    """An experiment of the laboratory, and a prediction of its outcome.

    Parameters
    ----------
    experiment : str
        As in `lincore.laboratory.EXPERIMENTS`.
    preset : str
        As in its presets; the first one for a word that is none of them.
    guess : float, optional
        The predicted answer.
    revealed : bool
        Whether the computed answer is shown.
    points : tuple of (float, float, int)
        Two coordinates and a class each: those moved by hand, where a preset has such.
    letter : str
        In place of the preset's, where words are counted.
    """

    kind: ClassVar[str] = "geometry"  # in JSON

    experiment: Annotated[str, OneOf(tuple(EXPERIMENTS))] = "one-function"
    preset: Annotated[str, AtMost(40)] = "classic"
    guess: Annotated[float, Between(-1e9, 1e9)] | None = None
    revealed: bool = False
    points: Points = ()
    letter: Annotated[str, AtMost(200)] = ""

    def display(self) -> ExperimentDisplay:
        """Return the display of the experiment."""
        return ExperimentDisplay(self.experiment, self.preset, self.guess, self.points, self.letter)

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> ExperimentDisplay:
        """Return the experiment, run on its own rows.

        Raises
        ------
        DataError
            For a preset that the experiment does not have, and points or letters that it cannot
            use.
        """
        found = self.display()
        _ = found.shown  # carried out, or refused
        return found


@dataclass(frozen=True)
class ClassifyQuestion:
    """One model, what it gets right, and the geometry of its decisions.

    Parameters
    ----------
    classifier : str
        As in `lincore.model_selection.CLASSIFIER_FACTORIES`.
    """

    kind: ClassVar[str] = "classify"  # in JSON

    classifier: Word = "lda"

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> FittedClassifier:
        """Return the classifier, fitted on the training set, and its results on the test set.

        Raises
        ------
        DataError
            When the training rows do not allow the model.
        """
        return experiment.fit(self.classifier)


def _suitable(so_far: SimpleNamespace) -> dict[str, str]:
    return {word: CLASSIFIER_LABELS[word] for word in suitable_methods(so_far.data)}


def _usual(so_far: SimpleNamespace) -> tuple[str, ...]:
    return default_methods(so_far.data)


def _schemes(so_far: SimpleNamespace) -> dict[str, str]:
    folds = {"5-fold": "5-fold", "10-fold": "10-fold", "10x10-fold": "10-fold, 10 times"}
    grouped = {}
    if so_far.data.groups is not None:
        grouped = {f"{word} by group": f"{name}, whole groups" for word, name in folds.items()}
    return {"holdout": "Test set", **grouped, **folds, "leave-one-out": "Leave-one-out"}


def _offers_gradients(so_far: SimpleNamespace) -> bool:
    return offers_gradients(so_far.data)


@dataclass(frozen=True)
class CompareQuestion:
    """Several models on the same training and test rows.

    Parameters
    ----------
    methods : tuple of str
        Words of classifiers, with the options of the experiment.
    second : mapping of str to mapping
        Words of those that enter twice, to the options of the second entry.
    both_features : bool
        Whether every entry is fitted on pixels and on gradients, for data of images.
    scheme : str
        "holdout" for the test set of the experiment; "10-fold", "10x10-fold", "leave-one-out",
        "5-fold by group" and so on, as for `lincore.compare`.
    score : str, optional
        The score in the headline; the leading one of the data when not given.
    rope : float, optional
        Half the width of the region of practical equivalence, in units of the score.
    """

    kind: ClassVar[str] = "compare"  # in JSON

    methods: Annotated[
        tuple[Word, ...],
        Field(
            "Models",
            "All are fitted on the same training rows and tested on the same test rows.",
            longest=30,
            choices=_suitable,
            auto=_usual,
        ),
    ] = ("lda", "qda", "logistic")
    second: Annotated[Mapping[str, Mapping[str, Any]], AtMost(30)] = field(default_factory=dict)
    scheme: Annotated[
        str,
        Field(
            "Validation",
            "Which rows train and which are tested: the test set of the sidebar, or folds, so that "
            "every row is tested once by models that have not seen it. Other numbers of folds and "
            "repetitions can be typed: 20x5-fold.",
            pattern=SCHEME,
            wanted="holdout, 10-fold, 10x10-fold or leave-one-out",
            choices=_schemes,
        ),
    ] = "holdout"
    score: Annotated[str, AtMost(60)] | None = None
    rope: Annotated[float, Between(0, 1e6)] | None = None
    both_features: Annotated[
        bool,
        Field(
            "Each model on pixels and on gradients (HOG)",
            "Shows what the choice of image features does, on the same folds, with its interval "
            "under Pairwise comparisons.",
            when=_offers_gradients,
        ),
    ] = False

    def __post_init__(self) -> None:
        """Check the options of second entries, including entries without options."""
        checked = {
            word: checked_options({word: given}, "second") for word, given in self.second.items()
        }
        object.__setattr__(self, "second", {w: c.get(w, {}) for w, c in checked.items()})

    def lines(self, experiment: Experiment) -> tuple[str, ...]:
        """Return all entries as `lincore.compare` reads them, each once.

        Examples
        --------
        >>> import lincore
        >>> asked = CompareQuestion(("lda", "qda"), second={"lda": {"shrinkage": 0.1}})
        >>> asked.lines(Experiment(lincore.sample("iris"), None, lincore.Steps(), {}))
        ('lda', 'lda(shrinkage=0.1)', 'qda')
        """
        found = []
        for word, first in zip(self.methods, experiment.lines(self.methods), strict=True):
            found.append(first)
            if word in self.second:
                found.append(method_line(word, self.second[word]))
        every = on_both_features(found) if self.both_features else found
        return tuple(dict.fromkeys(every))

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> Results:
        """Return the results of all methods.

        Raises
        ------
        DataError
            When there is no method, the validation does not fit the data, or no method could be
            fitted.
        """
        data, split, steps, _ = experiment
        _require(self.methods)
        experiment.check_size()
        scheme = split.scheme(data) if self.scheme == "holdout" else self.scheme
        return compare(
            data,
            self.lines(experiment),
            scheme,
            steps=steps,
            seed=split.seed,
            test_size=split.test_size,
            progress=progress,
            keep=keep,
        )


@dataclass(frozen=True)
class BalanceCostQuestion:
    """The cost of the imbalance in the data, and what recovers it.

    Parameters
    ----------
    methods : tuple of str
        Words of classifiers, with the options of the experiment.
    prevalence : "equal", "file" or tuple of K floats
        Shares of the classes in deployment, in the order of the classes.
    cost : float
        Of an error on the rarest class, in errors on other classes.
    repeats : int
        Random splits.
    loss, method : str, optional
        What the headline is about.
    """

    kind: ClassVar[str] = "balance-cost"  # in JSON

    methods: Words = ("lda", "qda", "logistic")
    prevalence: Literal["equal", "file"] | Shares = "equal"
    cost: Annotated[float, Between(0.01, 1000)] = 1.0
    repeats: Repeats = 20
    loss: LossName | None = None
    method: Word | None = None

    def costs(self, data: Dataset) -> Any:
        """Return the costs of all errors, (K, K), or None if all are 1.

        Examples
        --------
        >>> import lincore
        >>> BalanceCostQuestion(cost=5).costs(lincore.sample("gaussian"))[2].tolist()
        [5.0, 5.0, 0.0]
        """
        if self.cost == 1:
            return None
        costs = 1.0 - np.eye(data.n_classes)
        costs[rarest_class(data)] *= self.cost
        return costs

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> ImbalanceCost:
        """Return the losses of every method and correction.

        Raises
        ------
        DataError
            When there is no method, or none can be fitted, or the shares fit no classes.
        """
        return imbalance_cost(
            **_study_arguments(experiment, self.methods),
            prevalence=self.prevalence,
            costs=self.costs(experiment.data),
            repeats=self.repeats,
            progress=progress,
            keep=keep,
        )


@dataclass(frozen=True)
class BalanceStudyQuestion:
    """The effect of a smaller class, its causes and remedies.

    Parameters
    ----------
    sizes : mapping of class label to number
        Training rows to keep: a whole number, or a share below 1. Others keep all.
    methods : tuple of str
        Words of classifiers, with the options of the experiment.
    repeats : int
        Random choices of the rows.
    loss, method : str, optional
        What the headline is about.
    """

    kind: ClassVar[str] = "balance-study"  # in JSON

    sizes: Annotated[Mapping[Label, Annotated[float, Between(0, 1e9)]], AtMost(1000)] = field(
        default_factory=dict
    )
    methods: Words = ("lda", "qda", "logistic")
    repeats: Repeats = 30
    loss: LossName | None = None
    method: Word | None = None

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> BalanceStudy:
        """Return the losses of every method on the full and the reduced training set.

        Raises
        ------
        DataError
            When there is no method or no such class, or none can be fitted.
        """
        return balance(
            **_study_arguments(experiment, self.methods),
            sizes=self.sizes,
            repeats=self.repeats,
            progress=progress,
            keep=keep,
        )


Question: TypeAlias = (
    DataQuestion
    | ExploreQuestion
    | GeometryQuestion
    | ClassifyQuestion
    | CompareQuestion
    | BalanceCostQuestion
    | BalanceStudyQuestion
    | PredictQuestion
)


def rarest_class(data: Dataset) -> int:
    """Return the code of the smallest class that has rows.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    int

    Examples
    --------
    >>> import lincore
    >>> rarest_class(lincore.sample("gaussian"))
    2
    """
    counts = data.counts
    return min((k for k in range(data.n_classes) if counts[k]), key=lambda k: int(counts[k]))


def _require(methods: tuple[str, ...]) -> None:
    if not methods:
        raise DataError("There is no method.", where="question.methods", remedy="Give one.")


def _study_arguments(experiment: Experiment, methods: tuple[str, ...]) -> dict[str, Any]:
    """Return what both questions of the page Balance give to the library."""
    data, split, steps, _ = experiment
    _require(methods)
    experiment.check_size()
    scheme = split.scheme(data)
    return {
        "data": data,
        "methods": experiment.lines(methods),
        "steps": steps,
        "split": "stratified" if scheme == "holdout" else scheme,
        "test_size": split.test_size,
        "seed": split.seed,
    }
