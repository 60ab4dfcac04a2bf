"""Data: what was read, its columns and rows, and the ways in to other data."""

import streamlit as st

from pages.ui import (
    data_columns,
    data_draw,
    data_pictures,
    data_table,
    data_treatment,
    data_warnings,
    data_ways,
    panels,
    sidebar,
    state,
    text,
    uploads,
)
from pages.ui.data_sources import Pictures, Source

data = sidebar.show_on_data()
opened = state.opened()
used = (None, state.source(), state.pictures(), state.sample_source())
in_use = any(opened is one for one in used)

st.caption("Data")
st.header(f"{text.escape(data.name)}: {text.describe(data)}.", anchor=False)
data_warnings.target(data)
data_warnings.held(data)
data_ways.show()
data_warnings.refused()

if isinstance(opened, Source):
    data_columns.show(opened)
    data_table.reading(opened)
    data_warnings.findings(opened)
    data_treatment.show(opened)
    data_table.rows(opened)
elif isinstance(opened, Pictures):
    if in_use:
        data_warnings.made_grey(opened, data)
    data_pictures.otherwise(opened, data if in_use else None)

if in_use:
    if data.image_shape:
        panels.contact_sheet(data, key="data.sheet")
        data_pictures.skipped(data)
        data_pictures.copies(data)
    elif opened is None:
        panels.table_head(data, key="data.head")
    data_pictures.groups(data)
    besides = [one.notice for one in opened.findings] if isinstance(opened, Source) else []
    data_warnings.notices(data, besides)
    data_draw.truth(data)

data_ways.generator()
uploads.limits()
