"""Fixtures of page tests: empty caches and sessions."""

from collections.abc import Iterator

import pytest
import streamlit as st

from pages.ui.jobs import cache, page_jobs
from pages.ui.widgets import displays
from tests.app import settling


@pytest.fixture(autouse=True)
def _fresh_caches() -> Iterator[None]:
    # Streamlit's caches live as long as the process: an answer kept from one test would hide
    # that another test's page no longer computes it.
    st.cache_data.clear()
    st.cache_resource.clear()
    cache.RESULTS.clear()
    page_jobs.shared.clear()
    displays.CACHED.clear()
    yield


@pytest.fixture
def unfolded() -> Iterator[None]:
    """Let every popover and expander be open."""
    with settling.unfolded():
        yield
