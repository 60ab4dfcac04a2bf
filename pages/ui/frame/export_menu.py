"""The popover Export: script, notebook, report, tables and figures of the page."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import analysis, export
from lincore.errors import DataError
from pages.ui.jobs import cache
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.analysis import Analysis
    from lincore.data import Dataset, Split
    from lincore.displays import Display
    from lincore.export import ReportContents, Section

KEY = "take"
SHOWN = "shared.take"


@dataclass
class ShownResults:
    """The content of a page in one run; files are made from it on a click.

    Attributes
    ----------
    analysis : Analysis
    data : Dataset
    split : Split or None
    figures : dict
        By key, in the order of drawing.
    displays : dict
        By key, in the order of drawing.
    visited : dict
        Question and results of each page visited with these settings, by the kind of the question.
    chosen : dict
        Titles that the visitor added to the report or left out of it.
    parts : dict
        Fields of `ReportContents`: the results of the page.
    """

    analysis: Analysis
    data: Dataset
    split: Split | None
    figures: dict[str, go.Figure]
    displays: dict[str, Display]
    visited: dict[str, tuple[Any, ...]]
    chosen: dict[str, bool]
    parts: dict[str, Any] = field(default_factory=dict)

    @property
    def experiment(self) -> tuple[Any, ...]:
        """Everything that all pages share."""
        asked = self.analysis
        return asked.data, asked.split, asked.steps, asked.options

    def contents(self) -> ReportContents:
        """Return the contents of a report: this page, and others of the same experiment."""
        source, (offered, chosen) = self.analysis.data, self.choices()
        displays = tuple(offered[title] for title in chosen)
        questions, results = self._all_results()
        return export.ReportContents(
            self.data,
            self.split,
            file_name=source.name if isinstance(source, analysis.FileData) else "",
            sha256=source.sha256 if isinstance(source, analysis.FileData) else "",
            seed=self.analysis.split.seed,
            displays=displays,
            script=export.to_script(
                self.analysis, displays=displays, reported=True, others=questions
            ),
            **results,
        )

    def choices(self) -> tuple[dict[str, Display], list[str]]:
        """Return what the report can show, by title, and the titles that are chosen.

        By default these are the displays of the results; of a page without results, all.
        """
        contents = export.ReportContents(self.data, self.split, **self._all_results()[1])
        offered = export.report_displays(contents, self.shown())
        default = export.report_displays(contents) if self.parts else offered
        return offered, [title for title in offered if self.chosen.get(title, title in default)]

    def _all_results(self) -> tuple[list[Any], dict[str, Any]]:
        """Return the questions of the other pages, and the results of all."""
        own, questions, results = self.analysis.question.kind, list[Any](), dict[str, Any]()
        for kind, (question, parts) in self.visited.items():
            # Both questions of Balance share the fields `method` and `loss`.
            if kind.partition("-")[0] != own.partition("-")[0]:
                questions.append(question)
                results |= parts
        return questions, results | self.parts

    def shown(self) -> tuple[Display, ...]:
        """Return the displays of the page, each once."""
        return tuple({display.key: display for display in self.displays.values()}.values())

    def script(self) -> str:
        """Return a script that prints every number of the page."""
        return export.to_script(self.analysis, displays=self.shown())

    def notebook(self) -> str:
        """Return the same as a notebook, with figures."""
        return export.to_notebook(self.analysis, displays=self.shown())

    def sections(self) -> tuple[Section, ...]:
        """Return the sections of the report."""
        return export.report_sections(self.contents())

    def report(self) -> str:
        """Return the report as one HTML file."""
        return export.render_html(f"Report on {self.data.name}", self.sections())

    def drawn(self) -> list[go.Figure]:
        """Return the figures of the page, without that of the sidebar."""
        return [figure for key, figure in self.figures.items() if not key.startswith("sidebar.")]


def show(asked: Analysis, data: Dataset, split: Split | None) -> None:
    """Draw the popover; the page adds its content afterwards."""
    last: ShownResults | None = st.session_state.get(SHOWN)
    visited, chosen = ({}, {}) if last is None else (last.visited, last.chosen)
    shown = ShownResults(asked, data, split, *controls.begin_page(), visited, chosen)
    # Other pages belong to the same report while only the question differs.
    if last is not None and last.experiment != shown.experiment:
        shown.visited = {}
    st.session_state[SHOWN] = shown
    with st.popover(
        "Export", key=KEY, icon=":material/download:", on_change="rerun", width="stretch"
    ) as panel:
        if panel.open:
            # The page is drawn later in this run: its displays are those of the previous run.
            if last is None or last.analysis.question.kind != asked.question.kind:
                last = shown
            _buttons(shown, last)


def add_results(**parts: Any) -> None:
    """Add the results of the page to the report, as fields of `ReportContents`."""
    shown: ShownResults | None = st.session_state.get(SHOWN)
    if shown is not None:
        shown.parts.update(parts)
        question = shown.analysis.question
        shown.visited[question.kind] = question, shown.parts


def _buttons(shown: ShownResults, last: ShownResults) -> None:
    with st.container(gap="xsmall", key=f"{KEY}.files"):
        _button("Report (HTML)", "html", shown.report,
                "One self-contained HTML file: data card, scores, figures, tests, methods "
                "with references, settings, script.", shown)  # fmt: skip
        if st.toggle("Choose what the report shows", key=f"{KEY}.choose",
                     help="Also for the tables of the report. By default the results of the "
                     "pages visited with these settings."):  # fmt: skip
            _choose(last)
        _button("Script (Python)", "py", shown.script,
                "A Python script that prints every number of this page and of the open tab.",
                shown)  # fmt: skip
        _button("Notebook (Jupyter)", "ipynb", shown.notebook,
                "The same for Jupyter, with figures.", shown)  # fmt: skip
        if shown.analysis.question.kind in ("classify", "compare"):
            _offer_plain_script(shown)
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
                    "The figures as one self-contained HTML file. PNG: the camera button of a "
                    "figure.", shown)  # fmt: skip


def _choose(shown: ShownResults) -> None:
    """Ask for the displays of the report."""
    offered, chosen = shown.choices()

    def keep(new: list[str]) -> None:
        shown.chosen.update({title: title in new for title in offered})

    st.multiselect(
        "Displays in the report",
        list(offered),
        placeholder="Only data, methods and settings",
        **controls.edits(f"{KEY}.displays", chosen, keep),
    )


def _offer_plain_script(shown: ShownResults) -> None:
    """Offer the scores as a script without lincore, or state why there is none."""
    wanted = st.toggle(
        "As plain scikit-learn",
        key=f"{KEY}.plain",
        help="The scores as a short script without lincore, if scikit-learn has an exact "
        "counterpart: its posteriors are checked to agree within 1e-9.",
    )
    if wanted:
        script, reason = _plain_script(shown.analysis.to_json(), shown.data.digest, shown)
        if reason:
            st.caption(f"Not available: {text.escape(reason)}")
        else:
            _button("Script and rows (ZIP)", "sklearn.zip", lambda: _plain_files(script, shown),
                    "Python that needs only NumPy, pandas and scikit-learn, and the rows that it "
                    "reads as CSV.", shown)  # fmt: skip


@cache.by_bytes("Comparing scikit-learn with lincore")
def _plain_script(asked: str, digest: str, _shown: ShownResults) -> tuple[str, str]:
    """Return the script, or the reason why there is none."""
    try:
        return export.to_plain_script(_shown.analysis, _shown.data), ""
    except DataError as error:
        return "", str(error)


def _plain_files(script: str, shown: ShownResults) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scores.py", script)
        archive.writestr("rows.csv", shown.data.to_frame().to_csv(index=False))
    return stream.getvalue()


def _button(
    label: str, ending: str, make: Callable[[], str | bytes], help: str, shown: ShownResults
) -> None:
    """Offer a file that is created on a click."""

    def content() -> bytes:
        file = make()
        return file.encode() if isinstance(file, str) else file

    page = shown.analysis.question.kind
    st.download_button(
        label,
        content,
        file_name=f"{shown.data.name} {page}.{ending}",
        key=f"{KEY}.{ending}",
        on_click="ignore",
        width="stretch",
        help=help,
    )


def _figures_page(shown: ShownResults) -> str:
    title = f"Figures of {shown.data.name}"
    return export.render_html(title, [export.Section("Figures", figures=tuple(shown.drawn()))])
