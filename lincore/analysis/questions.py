"""The questions of the pages, each with its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, TypeAlias

from lincore.analysis.balance_questions import BalanceCostQuestion, BalanceStudyQuestion
from lincore.analysis.data_sources import Points
from lincore.analysis.experiment import (
    Classifier,
    Experiment,
    Keep,
    PageQuestion,
    Word,
    checked_options,
    method_line,
    suitable_classifiers,
)
from lincore.analysis.predict_question import PredictQuestion
from lincore.data.dataset import Dataset
from lincore.displays import ExperimentDisplay
from lincore.displays.comparison.judged import ROPE_FIELD, SCORE_FIELD
from lincore.fields.bounds import AtMost, Between, OneOf
from lincore.fields.field import Field
from lincore.laboratory.catalogue import EXPERIMENTS
from lincore.metrics.results import ROPE, Results
from lincore.metrics.scores import SCORES
from lincore.model_selection.comparison import compare
from lincore.model_selection.fitted_classifier import FittedClassifier
from lincore.model_selection.methods import default_methods, on_both_features
from lincore.model_selection.pipeline import (
    STANDARDIZE,
    has_units,
    offers_gradients,
    usually_standardized,
)
from lincore.utils.formatting import count
from lincore.utils.typing import Progress

Options: TypeAlias = Annotated[Mapping[str, Mapping[str, Any]], AtMost(30), checked_options]

#: Validations: the test set, folds of up to 100 parts, repeated up to 100 times, by group or not.
SCHEME = (
    r"holdout|leave-one-out|by-group|"
    r"(?:([1-9]\d?|100)x)?([2-9]|[1-9]\d|100)-fold(?: by group)?"
)


@dataclass(frozen=True)
class DataQuestion(PageQuestion):
    """The data themselves: columns, rows, findings."""

    kind: ClassVar[str] = "data"  # in JSON

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> Dataset:
        """Return the data set."""
        return experiment.data


def _views(so_far: SimpleNamespace) -> dict[str, str]:
    """Return the possible views of Explore."""
    data, views = so_far.data, {"projections": "PCA and Fisher"}
    if data.kind.is_images:
        return views
    if data.kind.is_sparse:
        views = {"words": "Words", **views}
    n = data.n_table_columns
    if not n:
        return views
    levels = [None] * n if data.levels is None else data.levels[:n]
    n_numeric = sum(names is None for names in levels)
    pairs = {"pairs": "Scatter"} if n_numeric >= 2 else {}
    if n_numeric + sum(names is not None and len(names) == 2 for names in levels) >= 2:
        pairs["correlations"] = "Correlations"
    return {"columns": "Columns", **pairs, "summary": "Summary", **views}


def _first_view(so_far: SimpleNamespace) -> str:
    return next(iter(_views(so_far)))


@dataclass(frozen=True)
class ExploreQuestion(PageQuestion):
    """Columns by class, correlations, projections.

    Parameters
    ----------
    view : str, optional
        "columns", "pairs", "correlations", "summary", "words" or "projections"; the first that
        makes sense for the data by default.
    standardize : bool, optional
        Whether features are standardised before they are projected; the default depends on the kind
        of data.
    """

    kind: ClassVar[str] = "explore"  # in JSON

    view: (
        Annotated[
            str,
            Field(
                "View",
                "One column by class, two columns, correlations, numbers, or projections of all "
                "columns.",
                longest=40,
                choices=_views,
                auto=_first_view,
                row=True,
            ),
        ]
        | None
    ) = None
    standardize: (
        Annotated[bool, Field(*STANDARDIZE, when=has_units, auto=usually_standardized)] | None
    ) = None

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> Dataset:
        """Return the data set."""
        return experiment.data


def _presets(so_far: SimpleNamespace) -> dict[str, str]:
    presets = EXPERIMENTS[so_far.experiment].presets
    return {word: preset.title for word, preset in presets.items()}


def _first_preset(so_far: SimpleNamespace) -> str:
    return next(iter(_presets(so_far)))


_NUMBERED = {
    name: f"{i}  {experiment.title}" for i, (name, experiment) in enumerate(EXPERIMENTS.items(), 1)
}
_PRESET = ("experiment", "preset")


def _has_board(so_far: SimpleNamespace) -> bool:
    return EXPERIMENTS[so_far.experiment].presets[so_far.preset].board is not None


def _has_letter(so_far: SimpleNamespace) -> bool:
    return EXPERIMENTS[so_far.experiment].presets[so_far.preset].letter is not None


@dataclass(frozen=True)
class GeometryQuestion(PageQuestion):
    """An experiment of the laboratory, and a prediction of its outcome.

    Parameters
    ----------
    experiment : str
        As in `lincore.laboratory.EXPERIMENTS`.
    preset : str
        As in its presets; an unknown word selects the first.
    guess : float, optional
        The predicted answer.
    revealed : bool
        Whether the computed answer is shown.
    points : tuple of (float, float, int)
        Two coordinates and a class for each row, if rows of the preset were moved.
    letter : str
        Text instead of that of the preset, for experiments on words.
    """

    kind: ClassVar[str] = "geometry"  # in JSON
    needs_data: ClassVar[bool] = False

    experiment: Annotated[
        str,
        OneOf(tuple(EXPERIMENTS)),
        Field(
            "Experiment",
            "Experiments on chapter 4, one per screen.",
            longest=40,
            choices=_NUMBERED,
        ),
    ] = "one-function"
    preset: Annotated[
        str,
        Field(
            "Preset",
            "The classic case, and cases that contradict it.",
            longest=40,
            choices=_presets,
            auto=_first_preset,
        ),
    ] = "classic"
    guess: (
        Annotated[
            float,
            Between(-1e9, 1e9),
            Field(
                "Your prediction",
                "It is compared with the computed answer. Optional.",
                per=_PRESET,
            ),
        ]
        | None
    ) = None
    revealed: Annotated[bool, Field("Reveal", "Show the computed answer.", per=_PRESET)] = False
    points: Annotated[Points, Field("Points", "Moved by hand.", when=_has_board, per=_PRESET)] = ()
    letter: Annotated[
        str,
        AtMost(200),
        Field(
            "Your own letter",
            "Its words are counted, and each word multiplies the odds of ham.",
            when=_has_letter,
            per=_PRESET,
        ),
    ] = ""

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
            If the preset does not exist, or the points or the letter are invalid.
        """
        display = self.display()
        _ = display.shown  # raises an error if points or letter are invalid
        return display


@dataclass(frozen=True)
class ClassifyQuestion(PageQuestion):
    """One model, its scores and errors, and the geometry of its decisions.

    Parameters
    ----------
    classifier : str
        As in `lincore.model_selection.CLASSIFIER_FACTORIES`.
    """

    kind: ClassVar[str] = "classify"  # in JSON

    classifier: Classifier = "lda"

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> FittedClassifier:
        """Return the classifier, fitted on the training set, and its results on the test set.

        Raises
        ------
        DataError
            If the training rows do not allow the model.
        """
        return experiment.fit(self.classifier)


def _default_methods(so_far: SimpleNamespace) -> tuple[str, ...]:
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
class CompareQuestion(PageQuestion):
    """Several models on the same training and test rows.

    Parameters
    ----------
    methods : tuple of str
        Short names of classifiers, with the options of the experiment.
    second : mapping of str to mapping
        Short names of methods that are compared twice, with the options of the second entry.
    both_features : bool
        Whether every method is fitted to pixels and to gradients (for images only).
    scheme : str
        "holdout" for the test set of the experiment; "10-fold", "10x10-fold", "leave-one-out",
        "5-fold by group" and so on, as for `lincore.compare`.
    score : str, optional
        The score in the headline. Default: the leading one of the data.
    rope : float
        Half the width of the region of practical equivalence, in units of the score.
    yardsticks : bool
        Whether gradient boosting and a random forest are fitted too, for reference only.
    """

    kind: ClassVar[str] = "compare"  # in JSON

    methods: Annotated[
        tuple[Word, ...],
        Field(
            "Models",
            "All are fitted on the same training rows and tested on the same test rows.",
            longest=30,
            choices=suitable_classifiers,
            auto=_default_methods,
        ),
    ] = ("lda", "qda", "logistic")
    second: Annotated[Mapping[str, Mapping[str, Any]], AtMost(30)] = field(
        default_factory=dict, hash=False
    )
    scheme: Annotated[
        str,
        Field(
            "Validation",
            "A single test set, or folds: each row is then tested once by a model that was trained "
            "without it. Other numbers of folds and repetitions can be typed: 20x5-fold.",
            pattern=SCHEME,
            wanted="holdout, 10-fold, 10x10-fold or leave-one-out",
            choices=_schemes,
        ),
    ] = "holdout"
    score: Annotated[str, replace(SCORE_FIELD, choices=tuple(SCORES), auto=None)] | None = None
    rope: Annotated[float, ROPE_FIELD] = ROPE
    both_features: Annotated[
        bool,
        Field(
            "Each model on pixels and on gradients (HOG)",
            "Shows the effect of the image features on the same folds, with an interval "
            "under Pairwise comparisons.",
            when=_offers_gradients,
        ),
    ] = False
    yardsticks: Annotated[
        bool,
        Field(
            "Fit gradient boosting and a random forest too",
            "Both are far more flexible. They are fitted on the same splits, for reference only, "
            "and show what staying with these models costs.",
        ),
    ] = False

    def __post_init__(self) -> None:
        """Check the options of second entries, including entries without options."""
        checked = {
            word: checked_options({word: given}, "second") for word, given in self.second.items()
        }
        object.__setattr__(self, "second", {w: c.get(w, {}) for w, c in checked.items()})

    def asked(self, data: Dataset) -> CompareQuestion:
        """Return the question with a validation that the page offers."""
        return replace(self, scheme=self.scheme.replace("by-group", "5-fold by group"))

    def lines(self, experiment: Experiment) -> tuple[str, ...]:
        """Return all entries in the notation of `lincore.compare`, each once.

        Examples
        --------
        >>> import lincore
        >>> asked = CompareQuestion(("lda", "qda"), second={"lda": {"shrinkage": 0.1}})
        >>> asked.lines(Experiment(lincore.sample("iris"), None, lincore.Steps(), {}))
        ('lda', 'lda(shrinkage=0.1)', 'qda')
        """
        lines = []
        for word, line in zip(self.methods, experiment.lines(self.methods), strict=True):
            lines.append(line)
            if word in self.second:
                lines.append(method_line(word, self.second[word]))
        every = on_both_features(lines) if self.both_features else lines
        return tuple(dict.fromkeys(every))

    def arguments(self, experiment: Experiment) -> dict[str, Any]:
        """Return the keywords of `lincore.compare`."""
        return {
            "data": experiment.data,
            "methods": list(self.lines(experiment)),
            "scheme": experiment.scheme if self.scheme == "holdout" else self.scheme,
            "steps": experiment.steps,
            "seed": experiment.split.seed,
            "test_size": experiment.split.test_size,
            **({"yardsticks": True} if self.yardsticks else {}),
        }

    def plan(self, experiment: Experiment) -> str:
        """Return the number of models."""
        return f"Comparing {count(len(self.lines(experiment)), 'model')}"

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> Results:
        """Return the results of all methods.

        Raises
        ------
        DataError
            If there is no method, the validation does not fit the data, or no method could be
            fitted.
        """
        experiment.check_methods(self.methods)
        return compare(**self.arguments(experiment), progress=progress, keep=keep)


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
