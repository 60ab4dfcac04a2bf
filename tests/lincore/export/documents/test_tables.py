"""Tables as LaTeX and Markdown show every name letter by letter."""

from __future__ import annotations

import io
import re
import zipfile

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lincore
from lincore.export import (
    Section,
    SectionTable,
    figure_data,
    tables_to_csv,
    tables_to_latex,
    tables_to_markdown,
    to_latex,
    to_markdown,
)

HOSTILE = [
    r"\input{/etc/x}",
    "a & b",
    "50 %",
    "x_1^2",
    "# $ { } ~",
    "a|b",
    "<b>*x*</b>",
    "[z]",
]


def cells_of_latex(text: str) -> list[list[str]]:
    """Return the cells as LaTeX would set them."""
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
    lines = [line.strip().removesuffix(r"\\").strip() for line in body.strip().splitlines()]
    return [[set_text(cell.strip()) for cell in re.split(r"(?<!\\)&", line)] for line in lines]


def set_text(latex: str) -> str:
    words = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^",
             "textless": "<", "textgreater": ">", "textbar": "|"}  # fmt: skip
    text = latex.replace("{}[", "[").replace("$-$", "−")
    text = re.sub(r"\\(text\w+)\{\}", lambda found: words[found[1]], text)
    return re.sub(r"\\([{}$&#%_])", r"\1", text)


def test_hostile_cells_come_out_as_they_are():
    frame = pd.DataFrame({"name": HOSTILE, "value": np.arange(len(HOSTILE)) - 0.5})
    assert [line[0] for line in cells_of_latex(to_latex(frame))] == HOSTILE
    lines = to_markdown(frame).splitlines()
    assert len(lines) == len(HOSTILE) + 2
    assert "<b>" not in to_markdown(frame) and r"a\|b" in to_markdown(frame)
    assert "−0.500" in lines[2]


@settings(max_examples=30)
@given(st.text(min_size=1, max_size=30))
def test_any_text_stays_in_its_cell(text):
    frame = pd.DataFrame({"a": [text, "end"], "b": ["x", "y"]})
    assert len(to_markdown(frame).splitlines()) == 4
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in to_markdown(frame).split("\n"))
    assert len(cells_of_latex(to_latex(frame))) == 2
    assert all(len(line) == 2 for line in cells_of_latex(to_latex(frame)))


def test_the_table_of_a_comparison_is_whole():
    results = lincore.compare(lincore.sample("iris"), ["lda", "perceptron"])
    table = results.scores().table().set_index("model")
    text = to_latex(table, caption="Scores (%)", label="tab:scores")
    assert r"\caption{Scores (\%)}" in text and r"\label{tab:scores}" in text
    found = cells_of_latex(text)
    assert [line[0] for line in found] == list(table.index)
    assert found[0][2] == table.iloc[0, 1]
    assert to_markdown(table).splitlines()[0].startswith("| model | group | accuracy (%) |")
    assert r"\toprule" in text and "rr" not in text.split("tabular}{")[1].split("}")[0][:2]


@pytest.mark.parametrize("value", [np.nan, None, pd.NA])
def test_what_is_missing_is_empty(value):
    frame = pd.DataFrame({"a": ["x", value]})
    assert cells_of_latex(to_latex(frame))[1] == [""]
    assert to_markdown(frame).splitlines()[3] == "|  |"


def test_files_of_all_tables_are_safe_and_whole():
    frame = pd.DataFrame({"=name": ["=1+1", "b/../c"], "value": [0.123456789, np.nan]})
    sections = [
        Section(
            "S", tables=(SectionTable("../../etc: scores", frame), SectionTable("Second", frame))
        )
    ]
    archive = zipfile.ZipFile(io.BytesIO(tables_to_csv(sections)))
    assert archive.namelist() == ["01 etc scores.csv", "02 Second.csv"]
    text = archive.read("02 Second.csv").decode()
    assert text.splitlines() == ["'=name,value", "'=1+1,0.123456789", "b/../c,"]
    assert tables_to_latex(sections).count(r"\begin{table}") == 2
    assert tables_to_markdown(sections).count("| --- |") == 2


def test_every_kind_of_trace_gives_its_data():
    z = np.arange(6.0).reshape(2, 3)
    figure = go.Figure(
        [
            go.Heatmap(x=[1, 2, 3], y=["a", "b"], z=z),
            go.Bar(x=["p", "q"], y=[3.0, 4.0], error_y={"array": [0.1, 0.2]}, name="bars"),
            go.Scatter3d(x=[1.0], y=[2.0], z=[3.0], name="point"),
        ]
    )
    found = figure_data(figure)
    assert found["trace"].value_counts().to_dict() == {"heatmap 1": 6, "bars": 2, "point": 1}
    assert found["z"].iloc[:6].tolist() == z.ravel().tolist()
    assert found.loc[found["trace"] == "bars", "error_y down"].tolist() == [0.1, 0.2]
