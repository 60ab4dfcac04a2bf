"""The displays of a comparison and of a model, in the order of a page and of a report."""

from __future__ import annotations

from lincore.displays.base import Display
from lincore.displays.comparison.pairs import DisagreementsDisplay, PairwiseDisplay
from lincore.displays.comparison.rows_needed import RowsNeededDisplay
from lincore.displays.comparison.scores import RecallDisplay, ScoresDisplay, TimesDisplay
from lincore.displays.comparison.selection import SelectedFeaturesDisplay
from lincore.displays.comparison.training import (
    BoundariesDisplay,
    LearningCurveDisplay,
    SplitChoiceDisplay,
)
from lincore.displays.comparison.yardsticks import YardsticksDisplay
from lincore.displays.model.assumptions import AssumptionsDisplay
from lincore.displays.model.calibration import CalibrationDisplay
from lincore.displays.model.canonical import CanonicalDisplay
from lincore.displays.model.coefficients import CoefficientsDisplay
from lincore.displays.model.confusion import ConfusionDisplay
from lincore.displays.model.contributions import ContributionsDisplay, NearestChangeDisplay
from lincore.displays.model.convergence import ConvergenceDisplay
from lincore.displays.model.curves import (
    DecisionCurveDisplay,
    PrecisionRecallDisplay,
    RocDisplay,
)
from lincore.displays.model.equation import EquationDisplay
from lincore.displays.model.error_slices import ErrorSlicesDisplay
from lincore.displays.model.learned import LearnedDisplay
from lincore.displays.model.operating_point import OperatingPointDisplay
from lincore.displays.model.plane import PlaneDisplay
from lincore.displays.model.reject_option import RejectOptionDisplay
from lincore.displays.model.scores import ClassScoresDisplay, ModelScoresDisplay
from lincore.displays.model.steps import StepsDisplay
from lincore.displays.model.what_if import WhatIfDisplay

#: For several models: the scores, then the tabs of the page Compare.
COMPARISON: tuple[type[Display], ...] = (
    ScoresDisplay,
    PairwiseDisplay,
    DisagreementsDisplay,
    RecallDisplay,
    YardsticksDisplay,
    SelectedFeaturesDisplay,
    BoundariesDisplay,
    LearningCurveDisplay,
    RowsNeededDisplay,
    SplitChoiceDisplay,
    TimesDisplay,
)
#: For one model: the tabs of the page Classify, and what is drawn above and beside them.
MODEL: tuple[type[Display], ...] = (
    StepsDisplay,
    PlaneDisplay,
    ConfusionDisplay,
    ModelScoresDisplay,
    ClassScoresDisplay,
    RocDisplay,
    PrecisionRecallDisplay,
    CalibrationDisplay,
    DecisionCurveDisplay,
    OperatingPointDisplay,
    RejectOptionDisplay,
    ErrorSlicesDisplay,
    ConvergenceDisplay,
    CoefficientsDisplay,
    EquationDisplay,
    LearnedDisplay,
    CanonicalDisplay,
    AssumptionsDisplay,
    WhatIfDisplay,
    ContributionsDisplay,
    NearestChangeDisplay,
)
