"""The icons that judge are named once, and nothing else looks like them."""

from __future__ import annotations

import re

from pages.ui.widgets import verdicts
from tests.app.test_pages import ROOT

_ALIKE = re.compile(
    r":material/(check\w*|done\w*|task_alt|help\w*|question\w*|contact_support|"
    r"live_help|error\w*|warning\w*|priority_high|report\w*|info\w*|feedback):"
)


def test_the_three_icons_differ_and_are_named_in_one_place():
    assert len({verdicts.FINE, verdicts.DECIDE, verdicts.WRONG}) == 3
    named = {
        path.name: found
        for path in [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]
        if (found := set(_ALIKE.findall(path.read_text())) - {"checklist"})
    }
    assert named == {"verdicts.py": {"check", "contact_support", "error"}}
