"""Displays of what was not read as expected: files, and lines of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from lincore.data import Dataset
from lincore.displays.base import Display
from lincore.io import DetectedOptions
from lincore.utils import count


@dataclass(frozen=True, eq=False)
class SkippedFilesDisplay(Display):
    """The files of a zip or a folder that were skipped, with the reason."""

    title: ClassVar[str] = "Skipped files"
    made_by: ClassVar[str] = "data.skipped_files"

    data: Dataset

    def finding(self) -> str:
        """State how many files were skipped."""
        n_files = len(self.data.skipped)
        if not n_files:
            return "No file was skipped."
        return f"{count(n_files, 'file was', 'files were')} skipped."

    def frame(self) -> pd.DataFrame:
        """Return a line for each file: its name, and why it was skipped."""
        return pd.DataFrame(self.data.skipped, columns=["file", "reason"])


@dataclass(frozen=True, eq=False)
class UnevenLinesDisplay(Display):
    """The lines of a text with more or fewer fields than columns, with their treatment."""

    title: ClassVar[str] = "Uneven lines"

    reading: DetectedOptions

    def finding(self) -> str:
        """State how many lines did not fit."""
        return f"{count(len(self.reading.uneven), 'line')} did not fit."

    def frame(self) -> pd.DataFrame:
        """Return a line for each: its number, its text, and what became of it."""
        return pd.DataFrame(self.reading.uneven, columns=["line", "text", "outcome"])
