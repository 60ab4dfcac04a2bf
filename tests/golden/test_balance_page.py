"""Balance shows what it showed when it was recorded; a file of its own, half of the time of all."""

from __future__ import annotations

import pytest

from tests.golden.pages import PAGES
from tests.golden.record import KINDS, assert_as_recorded


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", [case for case in PAGES if case.startswith("balance")])
def test_a_page_shows_what_was_recorded(case, kind):
    assert_as_recorded(case, kind)
