"""Accessibility violations found by axe-core.

The rules of WCAG 2.2, levels A and AA. The script comes with a package of Python: nothing is
fetched.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any, NamedTuple

from playwright.sync_api import Page

LEVELS = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
#: The rules that depend on colours, and so on the theme.
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}

#: Faults of Streamlit's own elements, which a page cannot mend: rule and where it may be broken.
#: The line in a metric is drawn without a name. (Of the others none breaks a rule in 1.67.)
#: Text that is about to be drawn anew is faint. A section of the navigation is a div in its list.
STREAMLITS_OWN = (
    ("svg-img-alt", '[data-testid="stMetric"] svg'),
    ("color-contrast", '[data-stale="true"]'),
    ("list", '[data-testid="stSidebarNavItems"]'),
    ("listitem", '[data-testid="stSidebarNavItems"]'),
)

RUN = """
async ([rules, allowed]) => {
  const found = await axe.run(document, {runOnly: rules});
  // What is about to be drawn anew is faint on purpose, and fades back.
  const fading = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime
    !== Infinity);
  await Promise.allSettled(fading.map((one) => one.finished));
  const own = (rule, element) => !element || allowed.some(([name, where]) =>
    name === rule && element.closest(where));
  return found.violations.flatMap((violation) => violation.nodes
    .filter((node) => !own(violation.id, document.querySelector(node.target[0])))
    .map((node) => [violation.id, violation.help, String(node.target), node.failureSummary]));
}
"""


class Violation(NamedTuple):
    """One rule, broken by one element."""

    rule: str
    help: str
    element: str
    summary: str

    def __str__(self) -> str:
        """Return it as two lines of text."""
        return f"{self.rule} ({self.help}) at {self.element}\n    {self.summary}"


def violations(page: Page, rules: dict[str, Any] = LEVELS) -> list[Violation]:
    """Return every violation of level A or AA on a page as it stands, Streamlit's own left out."""
    if not page.evaluate("typeof axe === 'object'"):
        script = files("axe_playwright_python").joinpath("axe.min.js").read_text()
        # Not as a script element: the page's own policy forbids foreign ones.
        page.evaluate(f"() => {{ {script} }}")
    found: list[Any] = page.evaluate(RUN, [rules, [list(pair) for pair in STREAMLITS_OWN]])
    return [Violation(*one) for one in found]


def assert_accessible(page: Page, rules: dict[str, Any] = LEVELS) -> None:
    """Assert that there is no violation, and say which there are."""
    found = violations(page, rules)
    assert not found, "\n" + "\n".join(map(str, found))
