"""Data: what to decide, then columns, rows and images, and entries to other data."""

import streamlit as st

from pages.ui.data import columns, findings, images, new_data, reading, treatment
from pages.ui.frame import checks_line, sidebar
from pages.ui.session import state
from pages.ui.session.sources import ImageSource, Source
from pages.ui.widgets import displays, text

data, choice = sidebar.show_on_data()
opened = state.opened()
used = (None, state.source(), state.image_source(), state.sample_source())
is_current = any(opened is source for source in used)

st.header(text.escape(data.headline), anchor=False)
checks_line.show_on_data(data, choice)
findings.show_classes(data, choice)
findings.show_refused()
if isinstance(opened, Source):
    findings.show(opened, data.notices if is_current else opened.notices)
elif is_current:
    findings.show(opened if isinstance(opened, ImageSource) else None, data.notices)
    if data.kind.is_images:
        with st.container():
            images.show_duplicates(data)
            images.show_skipped(data)
new_data.show()

if isinstance(opened, Source):
    columns.show(opened)
    reading.show(opened)
    treatment.show(opened)
    if opened.used is not None:
        columns.show_rows(opened.used.first_rows)
else:
    with st.container(horizontal=True):
        new_data.show_folded()
    if isinstance(opened, ImageSource):
        images.show_import_options(opened, data if is_current else None)

if is_current:
    if data.kind.is_images:
        images.show_contact_sheet(data)
    elif opened is None:
        columns.show_rows(data.rows(range(min(data.n_rows, columns.SHOWN_ROWS))))
    if data.truth is not None:
        truth = data.true_parameters()
        st.subheader(truth.title, anchor=False)
        displays.show(truth, key="data.truth")

new_data.show_generator()
