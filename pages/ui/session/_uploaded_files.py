"""Uploaded files become a source: a table, images, or arrays.

Nothing here knows Streamlit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lincore import io
from lincore.errors import DataError
from pages.ui.session.sources import File, ImageSource, Source, common_name

if TYPE_CHECKING:
    from lincore.data import Dataset


def recognise(files: Sequence[File]) -> Source | ImageSource | Dataset:
    """Tell what uploaded files are: a table, images, or arrays, which are read at once."""
    if len(files) > 1:
        _require_folders(files)
        if any(io.is_image(raw, name) for name, raw in files):
            return ImageSource(tuple(files))
        tables = io.tables_among(files)
        if not tables:
            raise DataError(
                f"These are {len(files)} files, and none of them is an image or a table.",
                where=", ".join(name for name, _ in files[:3]) + (", …" if len(files) > 3 else ""),
                remedy="Upload one table or one zip at a time; images can come together.",
            )
        if len(tables) > 1:
            return Source(None, raw=io.zip_tables(tables), name=common_name(tables, "tables"))
        files = tables
    name, raw = files[0]
    kind, raw, name = io.recognise_file(raw, name)
    if kind == "arrays":
        return io.read_npz(raw, name)
    if kind == "images":
        return ImageSource(((name, raw),))
    return Source(None, raw=raw, name=name)


def _require_folders(files: Sequence[File]) -> None:
    """Refuse files of the same name: a dropped folder comes without its subfolders."""
    (name, count), *_ = Counter(name for name, _ in files).most_common(1)
    if count > 1:
        raise DataError(
            f"{count} of the {len(files)} files are called {name!r}: their folder names were not "
            f"transmitted.",
            where=name,
            remedy="Choose the folder with the button (A whole folder), or upload a zip of it.",
        )
