"""A comparison in a report: scores with intervals and groups, pairwise tests, what was fitted."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from lincore.displays import PairwiseDisplay, ScoresDisplay
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, SectionTable, display_section
from lincore.metrics.results import Results


def comparison_sections(contents: ReportContents) -> tuple[Section, ...]:
    """Return the comparison and its pairs; nothing without one."""
    results = contents.comparison
    if results is None:
        return ()
    judged = {"score": contents.score, "rope": contents.rope}
    scores = display_section(ScoresDisplay.of(results, **judged))
    described = SectionTable("Methods, options, steps and seconds", _described(results))
    scores = replace(scores, title="Comparison", tables=(*scores.tables, described))
    if len(results.methods) < 2:
        return (scores,)
    return (scores, display_section(PairwiseDisplay.of(results, **judged)))


def _described(results: Results) -> pd.DataFrame:
    """Return what was fitted, without the columns that say nothing."""
    found = results.describe()
    return found.loc[:, [bool((found[name] != "").any()) for name in found.columns]]
