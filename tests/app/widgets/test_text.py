"""Text on pages: user text harmless, a number and its per cent sign on one line."""

from __future__ import annotations

from pages.ui.widgets import text


def test_a_headline_does_not_break_between_a_number_and_its_sign():
    assert text.escape("LDA loses 24.1 % of it") == "LDA loses 24\\.1\u00a0% of it"
    assert text.escape("5 % and % of") == "5\u00a0% and % of"


def test_what_is_escaped_twice_keeps_the_sign_with_its_number():
    assert "\u00a0%" in text.escape(text.escape("87.7 %"))
