"""The questions of the page Balance, each with its answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np

from lincore.analysis.experiment import (
    Experiment,
    Keep,
    PageQuestion,
    Word,
    suitable_classifiers,
)
from lincore.data.dataset import Dataset
from lincore.fields.bounds import Between
from lincore.fields.field import Field
from lincore.fields.schema import Label
from lincore.imbalance.class_size_sweep import sweep
from lincore.imbalance.cost.curve import CostRatios
from lincore.imbalance.cost.estimate import imbalance_cost
from lincore.imbalance.cost.record import LOG_LOSS, LOSS, ImbalanceCost
from lincore.imbalance.losses import leading_loss, loss_names, recall_names
from lincore.imbalance.one_third import a_third
from lincore.imbalance.run_study import balance
from lincore.imbalance.size_curves import Sweep
from lincore.imbalance.study import BalanceStudy
from lincore.metrics.class_ratio import is_imbalanced
from lincore.model_selection.methods import CLASSIFIER_LABELS
from lincore.report.imbalance_words import cost_ratio
from lincore.utils.formatting import capital, count
from lincore.utils.typing import Progress


def _studied(so_far: SimpleNamespace) -> tuple[str, ...]:
    return ("multinomial-nb", "logistic") if so_far.data.kind.is_sparse else STUDIED


def _chosen(so_far: SimpleNamespace) -> dict[str, str]:
    return {word: CLASSIFIER_LABELS[word] for word in so_far.methods}


def _class_ratio(so_far: SimpleNamespace) -> float:
    return CostRatios.of(so_far.data).class_ratio


def _ratios(so_far: SimpleNamespace) -> dict[float, str]:
    return {ratio: cost_ratio(ratio) for ratio in CostRatios.of(so_far.data).ratios.tolist()}


def _cost_marks(so_far: SimpleNamespace) -> dict[str, float]:
    """Return the costs at which equal shares and the file's own are the right priors."""
    ratio = CostRatios.of(so_far.data).class_ratio
    return {"Equal costs: 1": 1.0, f"Class ratio: {cost_ratio(ratio)}": ratio}


def _cost_wording(so_far: SimpleNamespace) -> tuple[str, str]:
    """Return label and help of the cost of an error on the rarest class."""
    ratios = CostRatios.of(so_far.data)
    rare = so_far.data.classes[ratios.rare]
    others, missed = "false alarms", f"a missed '{rare}'"
    if so_far.data.n_classes > 2:
        others, missed = "other errors", f"an error on '{rare}'"
    return (
        f"How many {others} does {missed} cost?",
        f"At 1 all errors cost the same. At {cost_ratio(ratios.class_ratio)}, the class ratio, "
        "costs are inversely proportional to class sizes: the balanced error.",
    )


def _capitalised(names: tuple[str, ...]) -> dict[str, str]:
    return {name: capital(name) for name in names}


def _cost_losses(so_far: SimpleNamespace) -> dict[str, str]:
    names = {LOSS: "Error or cost in deployment", LOG_LOSS: "Log loss in deployment"}
    return names | _capitalised(recall_names(so_far.data.classes))


def _default_loss(so_far: SimpleNamespace) -> str:
    return LOSS


def _study_losses(so_far: SimpleNamespace) -> dict[str, str]:
    return _capitalised(loss_names(so_far.data.classes))


def _counts(so_far: SimpleNamespace) -> np.ndarray:
    """Return the training rows of each class, or all rows if the split is unknown."""
    return np.asarray(getattr(so_far, "counts", so_far.data.counts + so_far.data.streamed_counts))


def _leading_loss(so_far: SimpleNamespace) -> str:
    return leading_loss(_counts(so_far))


def _a_third(so_far: SimpleNamespace) -> dict[Any, int]:
    """Return a third of the training rows of the last class that can be reduced."""
    counts = _counts(so_far)
    possible = np.flatnonzero(counts > 1)
    if not len(possible):
        return {}
    last = int(possible[-1])
    return {so_far.data.classes.tolist()[last]: a_third(int(counts[last]))}


def _default_mode(so_far: SimpleNamespace) -> str:
    return "cost" if is_imbalanced(so_far.counts) else "cut"


@dataclass(frozen=True)
class BalanceMode:
    """The choice between the questions of the page Balance.

    Parameters
    ----------
    mode : {"cost", "cut"}, optional
        Default: the cost of the imbalance if there is one.
    """

    mode: (
        Annotated[
            Literal["cost", "cut"],
            Field(
                "Question",
                "The first question is on the data as they are; for the second, training rows of "
                "a class are left out, as in the text on faces: 900 → 300.",
                choices={
                    "cost": "What does this imbalance cost?",
                    "cut": "What if a class were smaller?",
                },
                auto=_default_mode,
            ),
        ]
        | None
    ) = None


STUDIED = ("lda", "qda", "logistic")
Studied: TypeAlias = Annotated[
    tuple[Word, ...],
    Field(
        "Models",
        "All are trained on the same rows and evaluated on the same test rows.",
        longest=30,
        choices=suitable_classifiers,
        auto=_studied,
    ),
]
Repeats: TypeAlias = Annotated[
    int,
    Field(
        "Random splits",
        "More splits make the intervals narrower.",
        low=2,
        high=1000,
        step=1,
    ),
]
ShownMethod: TypeAlias = Annotated[
    Word,
    Field(
        "Model",
        "The model of the headline, the waterfall and the corrections.",
        choices=_chosen,
        auto=lambda so_far: next(iter(so_far.methods), None),
    ),
]


@dataclass(frozen=True)
class BalanceCostQuestion(PageQuestion):
    """The cost of the imbalance in the data, and its corrections.

    Parameters
    ----------
    methods : tuple of str
        Short names of classifiers, with the options of the experiment.
    prevalence : "equal", "file" or tuple of K floats
        Shares of the classes in deployment, in the order of the classes.
    miss_cost : float
        Of an error on the rarest class, in errors on other classes.
    repeats : int
        Random splits.
    loss, method : str, optional
        What the headline is about.
    """

    kind: ClassVar[str] = "balance-cost"  # in JSON

    methods: Studied = STUDIED
    prevalence: Annotated[
        Literal["equal", "file"] | tuple[Annotated[float, Between(0, 1)], ...],
        Field(
            "Shares in deployment",
            "Class shares in deployment.",
            longest=1000,
            auto=lambda so_far: "file",
        ),
    ] = "equal"
    miss_cost: Annotated[
        float,
        Field(
            "Cost of an error on the rarest class",
            "Measured in errors on the other classes (false alarms).",
            low=0.01,
            high=1000,
            choices=_ratios,
            free=True,
            slide=True,
            auto=_class_ratio,
            wording=_cost_wording,
            marks=_cost_marks,
        ),
    ] = 1.0
    repeats: Repeats = 20
    loss: (
        Annotated[
            str,
            Field(
                "Loss",
                "The decomposed loss: by default the share of misclassified rows under the "
                "deployment prevalence.",
                longest=260,  # with the name of a class
                choices=_cost_losses,
                auto=_default_loss,
            ),
        ]
        | None
    ) = None
    method: ShownMethod | None = None

    def resolved(self, data: Dataset, counts: Sequence[int]) -> BalanceCostQuestion:
        """Return the question as answered: equal shares and costs if they are equivalent.

        The shares of the file with costs inverse to them are the same question.
        """
        if not isinstance(self.prevalence, str) and len(self.prevalence) != data.n_classes:
            return replace(self, prevalence="file").resolved(data, counts)
        ratio = CostRatios.of(data).class_ratio
        if self.prevalence == "file" and math.isclose(self.miss_cost, ratio, rel_tol=1e-4):
            return replace(self, prevalence="equal", miss_cost=1.0)
        return self

    def asked(self, data: Dataset) -> BalanceCostQuestion:
        """Return the question as shown: the file's shares with inverse costs for equal ones."""
        if self.prevalence == "equal" and self.miss_cost == 1:
            ratio = CostRatios.of(data).class_ratio
            return replace(self, prevalence="file", miss_cost=ratio)
        return self

    def arguments(self, experiment: Experiment) -> dict[str, Any]:
        """Return the keywords of `lincore.imbalance_cost`."""
        return _study_arguments(
            experiment,
            self,
            prevalence=self.prevalence,
            miss_cost=self.miss_cost,
            repeats=self.repeats,
        )

    def plan(self, experiment: Experiment) -> str:
        """Return the number of splits."""
        return f"Cost of the imbalance on {count(self.repeats, 'split')}"

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> ImbalanceCost:
        """Return the losses of every method and correction.

        Raises
        ------
        DataError
            If there is no method, or none can be fitted, or the shares fit no classes.
        """
        experiment.check_methods(self.methods)
        return imbalance_cost(**self.arguments(experiment), progress=progress, keep=keep)


@dataclass(frozen=True)
class BalanceStudyQuestion(PageQuestion):
    """The effect of a smaller class, its causes and remedies.

    Parameters
    ----------
    sizes : mapping of class label to number
        Training rows to keep: a whole number, or a share below 1. Others keep all. Default: on the
        page Balance a third of the last class.
    methods : tuple of str
        Short names of classifiers, with the options of the experiment.
    repeats : int
        Random choices of the rows.
    loss, method : str, optional
        What the headline is about.
    """

    kind: ClassVar[str] = "balance-study"  # in JSON

    sizes: (
        Annotated[
            Mapping[Label, Annotated[float, Between(0, 1e9)]],
            Field(
                "Reduce",
                "Classes that keep only some of their training rows. Test rows are never changed.",
                longest=1000,
                auto=_a_third,
            ),
        ]
        | None
    ) = field(default=None, hash=False)
    methods: Studied = STUDIED
    repeats: Repeats = 30
    loss: (
        Annotated[
            str,
            Field(
                "Loss",
                "What is counted: errors, errors by class, log loss, or the recall of one class.",
                longest=260,  # with the name of a class
                choices=_study_losses,
                auto=_leading_loss,
            ),
        ]
        | None
    ) = None
    method: ShownMethod | None = None

    def kept_rows(self, data: Dataset, counts: Sequence[int]) -> dict[int, int]:
        """Return the kept training rows by code of a reduced class; `counts` are all of them."""
        code = {label: k for k, label in enumerate(data.classes.tolist())}
        usual = _a_third(SimpleNamespace(data=data, counts=counts))
        sizes = {}
        for label, n in (usual if self.sizes is None else self.sizes).items():
            if label in code:
                rows = int(counts[code[label]])
                sizes[code[label]] = min(rows, max(1, round(n if n >= 1 else n * rows)))
        return sizes

    def size_marks(self, data: Dataset, counts: Sequence[int], code: int) -> dict[str, int]:
        """Return sizes of a reduced class by name: that of the file, and the mean of the others."""
        sizes, n = self.kept_rows(data, counts), int(counts[code])
        others = [sizes.get(k, int(rows)) for k, rows in enumerate(counts) if k != code]
        equal = round(sum(others) / len(others))
        marks = {f"As in the file: {n:,}": n}
        return marks | ({f"Equal shares: {equal:,}": equal} if equal < n else {})

    def resolved(self, data: Dataset, counts: Sequence[int]) -> BalanceStudyQuestion:
        """Return the question with the number of rows that it keeps of each reduced class."""
        labels, sizes = data.classes.tolist(), self.kept_rows(data, counts)
        reduced = {labels[k]: n for k, n in sorted(sizes.items()) if n < counts[k]}
        return replace(self, sizes=reduced)

    def arguments(self, experiment: Experiment) -> dict[str, Any]:
        """Return the keywords of `lincore.balance`."""
        return _study_arguments(
            experiment, self, sizes=dict(self.sizes or {}), repeats=self.repeats
        )

    def sweep_arguments(self, experiment: Experiment) -> dict[str, Any]:
        """Return the keywords of `lincore.imbalance.sweep`."""
        return _study_arguments(experiment, self, classes=list(self.sizes or {}))

    def plan(self, experiment: Experiment) -> str:
        """Return the number of splits."""
        return f"Study of {count(self.repeats, 'split')}"

    def run(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> BalanceStudy:
        """Return the losses of every method on the full and the reduced training set.

        Raises
        ------
        DataError
            If there is no method or no such class, or none can be fitted.
        """
        experiment.check_methods(self.methods)
        return balance(**self.arguments(experiment), progress=progress, keep=keep)

    def sweep(
        self, experiment: Experiment, *, progress: Progress | None = None, keep: Keep | None = None
    ) -> Sweep:
        """Return the losses of every method at many sizes of the reduced classes.

        Raises
        ------
        DataError
            If there is no method or no such class, or none can be fitted.
        """
        experiment.check_methods(self.methods)
        return sweep(**self.sweep_arguments(experiment), progress=progress, keep=keep)


def _study_arguments(
    experiment: Experiment, question: BalanceCostQuestion | BalanceStudyQuestion, **more: Any
) -> dict[str, Any]:
    """Return the keywords that both questions of the page Balance share, and further ones."""
    scheme = experiment.scheme
    return {
        "data": experiment.data,
        "methods": list(experiment.lines(question.methods)),
        **more,
        "steps": experiment.steps,
        "split": "stratified" if scheme == "holdout" else scheme,
        "test_size": experiment.split.test_size,
        "seed": experiment.split.seed,
    }
