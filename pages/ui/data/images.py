"""Import options and checks of uploaded images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import checks, io
from lincore.displays import duplicate_images, first_images
from lincore.limits import LIMITS
from pages.ui.jobs import cache, page_jobs
from pages.ui.session import commands
from pages.ui.widgets import controls, displays, text, verdicts

if TYPE_CHECKING:
    from lincore.data import Dataset
    from pages.ui.jobs.progress import Progress
    from pages.ui.session.sources import ImageSource

KEY = "data.images"
# Pixels.
_USUAL_SIDE = 32


def show_import_options(source: ImageSource, data: Dataset | None) -> None:
    """Offer to read the images in another size, in colour, or with other classes."""
    options = source.options or io.ImageOptions()
    if not displays.has_settings(KEY):
        displays.choose(options, KEY)
    with st.expander("Import options", key=KEY, on_change="rerun") as panel:
        if not panel.open:
            return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            _ask_size(data)
            displays.ask(io.ImageOptions, KEY, "colour", "fit", width=240)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            displays.ask(io.ImageOptions, KEY, "level", "pattern", width=340)
            wanted = io.ImageOptions(**displays.read(io.ImageOptions, KEY))
            if st.button(
                "Read again",
                key=f"{KEY}.again",
                disabled=data is not None and wanted == options and not source.drop_duplicates,
                help="Decode all images again, including duplicates.",
            ):
                commands.decode(
                    replace(source, options=wanted, drop_duplicates=False), is_new=False
                )
                st.rerun()


def _ask_size(data: Dataset | None) -> None:
    """Ask for a common size of the images, or none."""
    size = displays.settings(KEY).get("size")
    shape = data.image_shape if data is not None and data.image_shape else (_USUAL_SIDE,) * 2

    def keep(size: tuple[int, int] | None) -> None:
        displays.set_settings(KEY, size=size)

    st.toggle(
        "Another size",
        help="Instead of the most frequent size.",
        **controls.edits(
            f"{KEY}.resize", size is not None, lambda on: keep((shape[0], shape[1]) if on else None)
        ),
    )
    if size is None:
        return
    height, width = size
    sides: dict[str, tuple[int, Callable[[int], None]]] = {
        "Height": (height, lambda new: keep((new, width))),
        "Width": (width, lambda new: keep((height, new))),
    }
    for word, (value, change) in sides.items():
        st.number_input(
            word,
            1,
            4 * int(LIMITS.max_features**0.5),
            step=1,
            help="In pixels.",
            width=120,
            **controls.edits(f"{KEY}.{word.lower()}", value, change),
        )


def show_contact_sheet(data: Dataset) -> None:
    """Show some images of each class, and offer all of them as a zip."""
    sheet = displays.parts(first_images(data)).figure
    if sheet is not None:
        controls.figure(sheet, key="data.sheet")
    st.download_button(
        "Download as a zip of images",
        lambda: cache.image_zip(data.digest, data),
        file_name=f"{data.name}.zip",
        mime="application/zip",
        key="data.sheet.zip",
        on_click="ignore",
        help="One folder for each class, as the upload expects them.",
    )


def show_skipped(data: Dataset) -> None:
    """List every file that was skipped, with the reason, in an expander."""
    if data.skipped:
        files = data.skipped_files()
        with st.expander(text.escape(files.finding()), key="data.skipped.open"):
            displays.body(files, key="data.skipped")


def show_duplicates(data: Dataset) -> None:
    """Report duplicates and near-duplicates among the images."""

    def work(progress: Progress) -> Any:
        progress(0, 0, "comparing images")
        return checks.find_image_duplicates(data)

    job = page_jobs.run("data.copies", data.digest, work, describe="Looking for duplicates")
    page_jobs.show(job)
    if job.result is None or (notice := job.result.notice(data, most=1)) is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="data.copies.found"):
        st.markdown(
            f"{verdicts.WRONG} {text.escape(notice.what)} {text.escape(notice.remedy)}",
            width="content",
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
            sheet = displays.parts(duplicate_images(data, job.result)).figure
            if sheet is not None:
                controls.figure(sheet, key="data.copies")
