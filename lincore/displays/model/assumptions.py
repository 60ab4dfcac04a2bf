"""Display of the assumptions of a classifier."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import pandas as pd

from lincore import checks, model_selection
from lincore.checks import Check
from lincore.displays.model.model_display import ModelDisplay
from lincore.utils import listed


@dataclass(frozen=True, eq=False)
class AssumptionsDisplay(ModelDisplay):
    """What the classifier assumes, checked on the training rows as it sees them."""

    title: ClassVar[str] = "Assumptions"
    made_by: ClassVar[str] = "model.assumptions"
    is_reported: ClassVar[bool] = True

    known: tuple[Check, ...] | None = None

    @property
    def word(self) -> str:
        """The short name of the checked classifier: the binary one of a multiclass scheme."""
        if self.model.word in ("one-vs-rest", "one-vs-one"):
            estimator = self.model.classifier.estimator or "logistic"
            return model_selection.as_method(estimator).word or ""
        return model_selection.as_method(self.model.classifier).word or ""

    @property
    def obstacle(self) -> str:
        """Why nothing is checked; "" if something is."""
        if self.model.data.kind.is_sparse and "svd" not in self.model.pipeline.named_steps:
            return "Word counts are not checked: no model here assumes that they are Gaussian."
        if not checks.ASSUMPTIONS.get(self.word):
            return f"{self.method} makes no assumption that is checked here."
        return ""

    @cached_property
    def checked(self) -> tuple[Check, ...]:
        """The checks."""
        if self.obstacle:
            return ()
        if self.known is not None:
            return self.known
        model = self.model
        seen = checks.assumption_inputs(model.pipeline, model.data, model.split.train)
        return checks.assumptions(*seen, model=self.word)

    def finding(self) -> str:
        """State which assumptions are doubtful."""
        if self.obstacle:
            return self.obstacle
        warnings, notes, fine = (
            [check.name for check in self.checked if check.verdict == verdict]
            for verdict in ("warning", "note", "fine")
        )
        sentences = [f"Warning: {listed(warnings)}."] if warnings else []
        sentences += [f"Worth knowing: {listed(notes)}."] if notes else []
        if not sentences:
            return "No checked assumption is rejected."
        if fine:
            rest = "check is" if len(fine) == 1 else f"{len(fine)} checks are"
            sentences.append(f"The other {rest} fine.")
        return " ".join(sentences)

    def frame(self) -> pd.DataFrame:
        """Return a line for each check, warnings first: verdict, finding, what to do."""
        rank = {"warning": 0, "note": 1, "fine": 2}
        return pd.DataFrame(
            {
                "Check": check.name,
                "Verdict": check.verdict,
                "Finding": check.sentence,
                "What to do": check.remedy,
            }
            for check in sorted(self.checked, key=lambda check: rank[check.verdict])
        )

    def notes(self) -> tuple[str, ...]:
        """Return the rows that were checked."""
        if self.obstacle:
            return ()
        return (
            f"What {self.method} assumes, checked on the {self.trained} as the classifier sees "
            "them.",
        )

    def call(self) -> str:
        """Return the expression that makes this display: it checks by itself."""
        return f"{self.made_by}()"
