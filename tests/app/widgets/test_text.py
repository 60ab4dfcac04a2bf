"""Text on pages: user text harmless, a number and its unit on one line."""

from __future__ import annotations

from pages.ui.widgets import text


def test_a_headline_does_not_break_between_a_number_and_its_sign():
    assert text.escape("LDA loses 24.1 % of it") == "LDA loses 24\\.1\u00a0% of it"
    assert text.escape("5 % and % of") == "5\u00a0% and % of"


def test_the_ends_of_an_interval_and_a_sign_of_equality_stay_with_their_numbers():
    assert text.escape("(24.8–50.1)") == "\\(24\\.8\u2060–\u206050\\.1\\)"
    assert text.escape("2.6 points (1.2 to 8.1)") == (
        "2\\.6\u00a0points \\(1\\.2\u00a0to\u00a08\\.1\\)"
    )
    assert text.escape("p = 0.001; a to b, 2 stones, Price–Bonett") == (
        "p\u00a0=\u00a00\\.001; a to b, 2 stones, Price–Bonett"
    )


def test_what_is_escaped_twice_keeps_the_sign_with_its_number():
    assert "\u00a0%" in text.escape(text.escape("87.7 %"))
