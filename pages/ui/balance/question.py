"""Choice between the two questions of the page Balance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pages.ui.session import questions
from pages.ui.widgets import controls

if TYPE_CHECKING:
    from pages.ui.session.sidebar import PageExperiment

COST, CUT = questions.COST, questions.CUT
MODES = {COST: "What does this imbalance cost?", CUT: "What if a class were smaller?"}


def ask(experiment: PageExperiment) -> str:
    """Ask for the question; at first the one that the training rows suggest."""
    data, _, split = experiment
    counts = np.bincount(data.codes[split.train], minlength=data.n_classes)
    return str(
        controls.choose(
            "Question",
            list(MODES),
            key="balance.mode",
            index=list(MODES).index(questions.balance_mode(counts)),
            format_func=MODES.__getitem__,
            help="The first uses the data unchanged; the second leaves out training rows of a "
            "class, as in the faces text: 900 → 300.",
            width=250,
        )
    )
