"""The data of the session with their split, and the setup of a question about them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lincore import analysis, fields, model_selection
from pages.ui.session import questions
from pages.ui.widgets import experiment_record

if TYPE_CHECKING:
    from lincore.analysis import SplitChoice
    from lincore.data import Dataset, Split
    from lincore.model_selection import Steps

#: Options that only select which part of an answer is shown.
_VIEWS = ("score", "rope", "loss", "method")


class PageExperiment(NamedTuple):
    """The data of this session and their split."""

    data: Dataset
    choice: analysis.SplitChoice
    split: Split

    @property
    def counts(self) -> list[int]:
        """The training rows of each class, including streamed rows."""
        return model_selection.training_counts(self.data, *self.split).tolist()

    @property
    def known(self) -> dict[str, Any]:
        """The context of the rules of questions."""
        return {"data": self.data, "counts": self.counts}


class Setup(NamedTuple):
    """Everything that the answer to a question about methods depends on; hashable."""

    digest: str
    split: SplitChoice
    methods: tuple[str, ...]
    steps: Steps
    question: Any

    @classmethod
    def from_page(cls, page: str, experiment: PageExperiment) -> Setup:
        """Return the setup of the question of a page, without options that only select a view."""
        data, split, rows = experiment
        question: Any = questions.read(page, data, experiment.counts)
        views = {option.name: option.default for option in fields.options(type(question))}
        question = replace(question, **{name: views[name] for name in _VIEWS if name in views})
        steps = experiment_record.chosen_steps(data, len(rows.train))
        asked = cls(data.digest, split, (), steps, question)
        return asked._replace(methods=tuple(asked.arguments(data)["methods"]))

    def with_options(self, **changes: Any) -> Setup:
        """Return a setup with some options of the question changed."""
        return self._replace(question=replace(self.question, **changes))

    def experiment(self, data: Dataset) -> analysis.Experiment:
        """Return the data with the choices that hold for every question."""
        words = self.question.methods
        options = {word: experiment_record.chosen_options(word) for word in words}
        return analysis.Experiment(data, self.split, self.steps, options)

    def arguments(self, data: Dataset) -> dict[str, Any]:
        """Return the keywords of the call that answers the question."""
        return self.question.arguments(self.experiment(data))
