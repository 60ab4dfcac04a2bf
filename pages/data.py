"""Data: findings, columns and rows, and the entries to other data."""

import streamlit as st

from pages.ui.data import (
    columns,
    findings,
    images,
    new_data,
    reading,
    table,
    treatment,
)
from pages.ui.session import checks_line, panels, sidebar, state, uploads
from pages.ui.session.sources import ImageSource, Source
from pages.ui.widgets import displays, text

data, choice = sidebar.show_on_data()
opened = state.opened()
used = (None, state.source(), state.image_source(), state.sample_source())
is_current = any(opened is one for one in used)

st.header(f"{text.escape(data.name)}: {text.describe(data)}.", anchor=False)
findings.target(data, choice)
checks_line.show_on_data(data, choice)
new_data.show()
findings.refused()

if not isinstance(opened, Source):
    new_data.folded()
if isinstance(opened, Source):
    columns.show(opened)
    reading.show(opened)
    findings.findings(opened, data.notices if is_current else opened.notices)
    treatment.show(opened)
    table.rows(opened)
elif isinstance(opened, ImageSource):
    images.otherwise(opened, data if is_current else None)

if is_current:
    if data.kind.is_images:
        panels.contact_sheet(data)
        images.skipped(data)
        images.copies(data)
    elif opened is None:
        panels.table_head(data)
    images.groups(data)
    if not isinstance(opened, Source):
        findings.findings(opened if isinstance(opened, ImageSource) else None, data.notices)
    if data.truth is not None:
        truth = data.true_parameters()
        st.subheader(truth.title, anchor=False)
        displays.show(truth, key="data.truth")

new_data.generator()
uploads.limits()
