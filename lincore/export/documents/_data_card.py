"""The data card: what the data are, where they come from, and what was found in them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lincore.data.dataset import Dataset
from lincore.data.row_weights import counting
from lincore.displays import ClassCountsDisplay, FindingsDisplay
from lincore.export.documents.contents import ReportContents
from lincore.export.documents.section import Section, SectionTable
from lincore.utils.formatting import percent_of

#: Features that have a line each; of more, none has.
MOST_FEATURES = 40
#: Notices and skipped files that are listed.
MOST_NOTICES = 20


def data_section(contents: ReportContents) -> Section:
    """Return rows, classes, target, missing values, hash, notices and findings of the data."""
    data, split = contents.data, contents.split
    classes = ClassCountsDisplay(data, split)
    tables = [
        SectionTable("Data card", _card(contents)),
        SectionTable(classes.title, classes.table()),
    ]
    if not data.kind.is_images and not data.n_words and data.n_features <= MOST_FEATURES:
        tables.append(SectionTable("Features", _features(data)))
    found, drawn = FindingsDisplay(data, split), classes.plot()
    notes = list(found.notes())
    if len(notes) > MOST_NOTICES:
        notes[MOST_NOTICES:] = [f"{len(notes) - MOST_NOTICES:,} more notices."]
    sentences = () if split is None else (found.finding(),)
    return Section("Data", sentences, (drawn,) if drawn else (), tuple(tables), tuple(notes))


def _card(contents: ReportContents) -> pd.DataFrame:
    data, split = contents.data, contents.split
    noun = data.kind.rows
    card = {
        "Name": data.name,
        "File": contents.file_name,
        "SHA-256 of the file": contents.sha256,
        "Digest of the data": data.digest,
        f"Number of {noun}": f"{data.n_rows:,}",
        f"{noun.capitalize()} streamed": f"{data.n_streamed:,}" if data.n_streamed else "",
        "Features": _width(data),
        "Target": data.target_name,
        "Classes": f"{data.n_classes:,}",
        "Missing values": _missing(data),
        "Rows count": counting(data),
        "Groups": f"{len(data.group_names or ()):,}" if data.groups is not None else "",
    }
    if split is not None:
        card["Training and test set"] = f"{len(split.train):,} and {len(split.test):,} {noun}"
    return pd.DataFrame([(name, value) for name, value in card.items() if value],
                        columns=["item", "value"])  # fmt: skip


def _width(data: Dataset) -> str:
    if data.kind.is_images:
        height, width = data.image_shape[:2]  # type: ignore[index]
        return f"{data.n_features:,} pixels ({width} × {height})"
    words = f", {data.n_words:,} of them counts of words" if data.n_words else ""
    return f"{data.n_features:,}{words}"


def _missing(data: Dataset) -> str:
    if not data.has_missing:
        return "none"
    missing = np.isnan(data.X)
    cells, lines = int(missing.sum()), int(missing.any(axis=1).sum())
    return (
        f"{cells:,} ({percent_of(cells, missing.size)} of the cells), in {lines:,} "
        f"{data.kind.rows} and {int(missing.any(axis=0).sum()):,} features"
    )


def _features(data: Dataset) -> pd.DataFrame:
    found = data.describe().reset_index()
    for name in found.columns:
        if pd.api.types.is_float_dtype(found[name].dtype):
            found[name] = ["" if value != value else f"{value:.4g}" for value in found[name]]
    return found.astype(object).where(found.notna(), "")
