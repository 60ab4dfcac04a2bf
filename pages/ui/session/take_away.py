"""The popover Export: script, notebook, report, tables and figures of what is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import export
from pages.ui.widgets import controls, displays

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.analysis import Analysis
    from lincore.data import Dataset, Split
    from lincore.displays import Display
    from lincore.export import ReportContents, Section

KEY = "take"
SHOWN = "shared.take.shown"
#: All but the question, and the results of the pages that were visited with it.
KEPT = "shared.take.kept"


# Questions whose results are figures: no other section of a report holds them.
_FIGURES = ("data",)
# Questions whose results are the displays of the page.
_DISPLAYS = ("explore", "geometry")


@dataclass
class ShownResults:
    """The content of a page in one run: nothing is made of it before a click.

    Attributes
    ----------
    analysis : Analysis
    data : Dataset
    split : Split or None
    figures : dict
        By their keys, as they were drawn.
    displays : dict
        By their keys, as they were shown.
    kept : dict
        Question and results of each page visited since, by the kind of the question.
    parts : dict
        Fields of `ReportContents`: the results of the page.
    """

    analysis: Analysis
    data: Dataset
    split: Split | None
    figures: dict[str, go.Figure]
    displays: dict[str, Display]
    kept: dict[str, tuple[Any, ...]]
    parts: dict[str, Any] = field(default_factory=dict)

    def contents(self) -> ReportContents:
        """Return what a report is to be about: this page, and others of the same experiment."""
        source = self.analysis.data
        own, questions, together = self.analysis.question.kind, [], {}
        for kind, (question, parts) in self.kept.items():
            # Method and loss are those of one study of imbalance.
            if kind.partition("-")[0] != own.partition("-")[0]:
                questions.append(question)
                together |= parts
        displays = self.told() if own in _DISPLAYS else ()
        return export.ReportContents(
            self.data,
            self.split,
            file_name=source.name if source.kind == "file" else "",
            sha256=source.sha256 if source.kind == "file" else "",
            seed=self.analysis.split.seed,
            figures=tuple(self.drawn()) if own in _FIGURES else (),
            displays=displays,
            script=export.to_script(
                self.analysis,
                displays=self.told() if own in (*_FIGURES, *_DISPLAYS) else (),
                reported=True,
                others=questions,
            ),
            **together | self.parts,
        )

    def told(self) -> tuple[Display, ...]:
        """Return the displays as they were shown last, each once."""
        return tuple({one.key: one for one in self.displays.values()}.values())

    def script(self) -> str:
        """Return a script that prints every number of the page."""
        return export.to_script(self.analysis, displays=self.told())

    def notebook(self) -> str:
        """Return the same as a notebook, with figures."""
        return export.to_notebook(self.analysis, displays=self.told())

    def sections(self) -> tuple[Section, ...]:
        """Return the sections of the report."""
        return export.report_sections(self.contents())

    def drawn(self) -> list[go.Figure]:
        """Return the figures of the page, without that of the sidebar."""
        return [one for key, one in self.figures.items() if not key.startswith("sidebar.")]


def show(analysis: Analysis, data: Dataset, split: Split | None) -> None:
    """Draw the popover for what the page is about to show."""
    # Other pages belong to the same report as long as all but the question is the same.
    experiment = analysis.data, analysis.split, analysis.steps, analysis.options
    if st.session_state.get(KEPT, (None,))[0] != experiment:
        st.session_state[KEPT] = experiment, {}
    kept = st.session_state[KEPT][1]
    shown = ShownResults(
        analysis, data, split, controls.begin_figures(), displays.begin_displays(), kept
    )
    st.session_state[SHOWN] = shown
    with st.popover(
        "Export", key=KEY, icon=":material/download:", on_change="rerun", width="stretch"
    ) as panel:
        if panel.open:
            _buttons(shown)


def keep(**parts: Any) -> None:
    """Let the report hold the results of the page, as fields of `ReportContents`."""
    shown: ShownResults | None = st.session_state.get(SHOWN)
    if shown is not None:
        shown.parts.update(parts)
        question = shown.analysis.question
        shown.kept[question.kind] = question, shown.parts


def _buttons(shown: ShownResults) -> None:
    with st.container(gap="xsmall", key=f"{KEY}.files"):
        _button("Report (HTML)", "html", lambda: export.html_report(shown.contents()),
                "One self-contained HTML file: data card, scores, figures, tests, methods "
                "with references, settings, script.", shown)  # fmt: skip
        _button("Script (Python)", "py", shown.script,
                "A Python script that prints every number of this page and of the open tab.",
                shown)  # fmt: skip
        _button("Notebook (Jupyter)", "ipynb", shown.notebook,
                "The same for Jupyter, with figures.", shown)  # fmt: skip
        st.caption("Tables of the report")
        with st.container(horizontal=True, gap="xsmall", key=f"{KEY}.tables"):
            _button("CSV", "csv.zip", lambda: export.tables_to_csv(shown.sections()),
                    "All tables of the report, in full precision.", shown)  # fmt: skip
            _button("LaTeX", "tex", lambda: export.tables_to_latex(shown.sections()),
                    "All tables of the report, for the package booktabs.", shown)  # fmt: skip
            _button("Markdown", "md", lambda: export.tables_to_markdown(shown.sections()),
                    "All tables of the report.", shown)  # fmt: skip
        st.caption("All figures on this page")
        with st.container(horizontal=True, gap="xsmall", key=f"{KEY}.figures"):
            _button("Data (CSV)", "figures.zip", lambda: export.figures_to_csv(shown.drawn()),
                    "The data behind each figure, as CSV.", shown)  # fmt: skip
            _button("HTML", "figures.html", lambda: _figures_page(shown),
                    "The figures as one HTML file that fetches nothing. PNG: the camera of a "
                    "figure.", shown)  # fmt: skip


def _button(
    label: str, ending: str, make: Callable[[], str | bytes], help: str, shown: ShownResults
) -> None:
    """Offer a file that is made when it is asked for."""

    def made() -> bytes:
        found = make()
        return found.encode() if isinstance(found, str) else found

    page = shown.analysis.question.kind
    st.download_button(
        label,
        made,
        file_name=f"{shown.data.name} {page}.{ending}",
        key=f"{KEY}.{ending}",
        on_click="ignore",
        width="stretch",
        help=help,
    )


def _figures_page(shown: ShownResults) -> str:
    title = f"Figures of {shown.data.name}"
    return export.render_html(title, [export.Section("Figures", figures=tuple(shown.drawn()))])
