"""Predictions of new rows in a report: classes, what did not match, scores, drift."""

from __future__ import annotations

from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, display_section


def prediction_sections(contents: ReportContents) -> tuple[Section, ...]:
    """Return what was predicted of new rows, and their drift; nothing without predictions."""
    if contents.predicted is None:
        return ()
    found, drift = contents.predicted
    shown = [
        found.by_class(),
        *([found.columns()] if found.new.findings else []),
        *([found.scores(), found.confusion()] if found.truth is not None else []),
        *([drift] if drift is not None else []),
    ]
    return tuple(map(display_section, shown))
