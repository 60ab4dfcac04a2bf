"""Import options and checks of uploaded images."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from lincore import checks, io, plots
from lincore.limits import LIMITS
from pages.ui.jobs import page_jobs
from pages.ui.session import commands
from pages.ui.widgets import controls, image_sheets, tables, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from pages.ui.session.sources import ImageSource

SHOWN_PAIRS = 12
_FITS = {
    "pad": "Whole, with bars at the sides",
    "crop": "Its middle",
    "stretch": "Stretched",
}
_LEVELS = {None: "As found", 0: "The outermost", 1: "The second", 2: "The third", 3: "The fourth"}


def otherwise(found: ImageSource, data: Dataset | None) -> None:
    """Offer to read images in another size, in colour, or with other classes."""
    options = found.options or io.ImageOptions()
    with st.expander("Import options", key="data.images"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            wanted = _shape(options, data)
            fit = controls.choose(
                "Resizing",
                list(_FITS),
                key="data.images.fit",
                index=list(_FITS).index(options.fit),
                format_func=_FITS.__getitem__,
                help="How images are resized to the common size.",
                width=240,
            )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            level = controls.choose(
                "Folder that is the class",
                list(_LEVELS),
                key="data.images.level",
                index=list(_LEVELS).index(options.level) if options.level in _LEVELS else 0,
                format_func=_LEVELS.__getitem__,
                help="Counted from outside, folders called train and test left out.",
                width=200,
            )
            pattern = st.text_input(
                "Pattern of the file names",
                options.pattern or "",
                key="data.images.pattern",
                persist_state="session",
                placeholder="^(?P<label>[A-Za-z]+)",
                help="A regular expression that finds the class (?P<label>…) or the group "
                "(?P<group>…) in a file's name.",
                width=340,
            )
            wanted = replace(wanted, fit=fit, level=level, pattern=pattern.strip() or None)
            if st.button(
                "Read again",
                key="data.images.again",
                disabled=data is not None and wanted == options and not found.drop_duplicates,
                help="Decode all images again, including duplicates.",
            ):
                commands.decode(replace(found, options=wanted, drop_duplicates=False), is_new=False)
                st.rerun()


def skipped(data: Dataset) -> None:
    """List every file that was skipped, with the reason."""
    if not data.skipped:
        return
    many = "file was" if len(data.skipped) == 1 else "files were"
    st.subheader(f"{len(data.skipped):,} {many} skipped", anchor=False)
    with st.container(key="data.skipped"):
        tables.show(
            pd.DataFrame(data.skipped, columns=["file", "reason"]),
            hide_index=True,
            height=min(38 + 35 * len(data.skipped), 320),
            alt=f"{len(data.skipped)} files that were skipped, with the reason for each.",
        )


def groups(data: Dataset) -> None:
    """Say how many groups of rows belong together."""
    if data.groups is None or data.group_names is None:
        return
    noun = text.row_noun(data)
    st.caption(f"{len(data.group_names):,} groups of {noun} that belong together.")


def copies(data: Dataset) -> None:
    """Say which images occur twice, or all but."""

    def work(progress: page_jobs.Progress) -> Any:
        progress(0, 0, "comparing images")
        return checks.find_image_duplicates(data)

    job = page_jobs.run("data.copies", data.digest, work, describe="Looking for duplicates")
    page_jobs.show(job)
    if job.result is None or (notice := job.result.notice(data, most=1)) is None:
        return
    st.warning(
        f"{text.escape(notice.what)} A test image may be a duplicate of a training image.",
        icon=":material/content_copy:",
    )
    st.button(
        "Remove duplicates",
        key="data.copies.out",
        on_click=commands.drop_image_duplicates,
        args=(job.result,),
        help="Keep the first of each. Reading the file again brings them back.",
    )
    with st.expander("Which images", key="data.copies.open", on_change="rerun") as panel:
        if panel.open:
            _pairs(data, job.result)


def _pairs(data: Dataset, found: Any) -> None:
    order, seen = [], set()
    for row, other in zip(found.rows.tolist(), found.nearest.tolist(), strict=True):
        pair = (min(row, other), max(row, other))
        if pair not in seen:
            seen.add(pair)
            order += list(pair)
    rows = np.array(order[: 2 * SHOWN_PAIRS])
    names = data.row_names or tuple(f"row {i + 1}" for i in range(data.n_rows))
    sheet = plots.images(
        data.X[rows].reshape(-1, *data.image_shape),
        [names[row].rsplit("/", 1)[-1] for row in rows],
        columns=6,
        title=f"Images and their duplicates: the first {len(rows) // 2} of {len(seen):,} pairs",
    )
    image_sheets.show(sheet, key="data.copies")


def _shape(options: io.ImageOptions, data: Dataset | None) -> io.ImageOptions:
    shape = data.image_shape if data is not None and data.image_shape else (32, 32)
    common = st.toggle(
        "Another size",
        value=options.size is not None,
        key="data.images.resize",
        persist_state="session",
        help="Instead of the most frequent size.",
    )
    size = None
    if common:
        side = int(LIMITS.max_features**0.5)
        height = controls.number(
            "Height",
            1,
            4 * side,
            options.size[0] if options.size else shape[0],
            key="data.images.height",
            help="In pixels.",
            width=120,
        )
        width = controls.number(
            "Width",
            1,
            4 * side,
            options.size[1] if options.size else shape[1],
            key="data.images.width",
            help="In pixels.",
            width=120,
        )
        size = (height, width)
    colour = st.toggle(
        "In colour",
        value=options.colour,
        key="data.images.colour",
        persist_state="session",
        help="Red, green and blue of each pixel, instead of grey: three times the numbers.",
    )
    return replace(options, size=size, colour=colour)
