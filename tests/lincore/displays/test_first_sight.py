"""What a first look at Data, Explore and Predict relies on: names, numbers and nouns that agree."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import io, report
from lincore.checks import find_image_duplicates, find_table_problems
from lincore.data import Split
from lincore.displays import ColumnDisplay, CorrelationsDisplay, WordsDisplay
from lincore.io import describe_columns
from lincore.prediction import TestSet, predict

WARD = "department of internal medicine and geriatrics of the regional university hospital, ward"


def wards(n_classes: int, n_rows: int = 12) -> lincore.Dataset:
    codes = np.arange(n_classes * n_rows) % n_classes
    X = np.random.default_rng(0).standard_normal((len(codes), 2)) + codes[:, None] % 7
    labels = [f"{WARD} {code:02d} ({'north' if code % 2 else 'south'} wing)" for code in codes]
    return lincore.load((X, np.array(labels)))


@pytest.mark.parametrize("drawing", ["histogram", "density"])
@pytest.mark.parametrize("n_classes", [3, 12, 50])
def test_curves_of_long_names_and_many_classes_can_be_told_apart(drawing, n_classes):
    figure = ColumnDisplay(wards(n_classes), drawing=drawing).plot()
    names = [trace.name for trace in figure.data]
    assert len(set(names)) == len(names) == min(n_classes, 12)
    assert all(re.search(r"\d\d \((so|no)", name) for name in names)
    if n_classes > 4:
        looks = {(trace.line.color, trace.line.dash) for trace in figure.data}
        assert len(looks) == len(names)


def test_many_classes_are_boxes_first_without_the_colours_of_classes():
    assert ColumnDisplay(wards(12)).plot().data[0].type == "scatter"
    figure = ColumnDisplay(wards(13)).plot()
    assert {trace.type for trace in figure.data} <= {"box", "scatter"}
    assert figure.data[0].type == "box"
    assert len({trace.line.color or trace.marker.color for trace in figure.data}) == 1


def test_the_strongest_correlation_has_one_value():
    display = CorrelationsDisplay(lincore.sample("iris"))
    said, title = (
        re.findall(r"r = (\S+?)\.?$", text)
        for text in (display.finding(), display.plot().layout.meta["title"])
    )
    assert said == title and len(said) == 1


def test_the_ratio_of_class_sizes_has_one_value():
    data = lincore.load((np.arange(121.0)[:, None], np.repeat(["a", "b"], [103, 18])))
    counts = data.class_counts(split=Split(np.arange(85), np.arange(85, 121)))
    assert "(ratio 5.7)" in counts.finding()
    assert counts.plot().layout.meta["title"] == "Class balance 5.7 : 1"
    assert counts.notes()[0] == "85 training and 36 test rows."


def test_texts_are_called_texts():
    texts = [f"{'good' if i % 2 else 'bad'} word{i % 5} thing" for i in range(60)]
    table = pd.DataFrame({"text": texts, "kind": np.where(np.arange(60) % 2, "ham", "spam")})
    data = lincore.load(table, target="kind", roles={"text": "text"})
    layout = WordsDisplay(data).plot().layout
    assert "60 texts" in layout.meta["subtitle"]
    assert layout.xaxis.title.text.startswith("share of texts")


def test_only_intervals_that_are_shown_have_a_rule():
    truth = np.repeat([0, 1], [60, 4])
    results = lincore.metrics.Results(
        ("LDA",), np.array(["a", "b"]), np.arange(64), truth, truth[None],
        np.full((1, 64, 2), np.nan), np.zeros(1),
    )  # fmt: skip
    said = report.interval_method(results, "balanced accuracy", "MCC", "accuracy")
    assert said == "95 % intervals: accuracy by Wilson."
    assert report.interval_method(results, "balanced accuracy") == ""


def test_predictions_say_that_they_are_predicted_and_count_images():
    digits = lincore.sample("digits")
    fitted = lincore.fit(digits, "lda")
    predictions = predict(fitted.fitted_model, TestSet(digits, fitted.split))
    assert predictions.by_class().finding().startswith("539 test images predicted: ")
    assert " over 539 test images; " in predictions.scores().finding()
    assert predictions.scores().notes()[0].startswith("95 % intervals: accuracy by Wilson")


def test_headlines_of_predictions_with_long_names_have_two_lines():
    data = wards(50)
    finding = predict(lincore.fit(data, "lda").fitted_model, data).by_class().finding()
    named = re.findall(r"'(.+?)'", finding)
    assert len(finding) < 185 and len(set(named)) == 3


def test_a_single_row_is_not_plural():
    rows = pd.DataFrame({"x": [*range(60), 5], "y": [*range(60), 5], "c": [*"ab" * 30, "b"]})
    table = io.open_table(rows)
    findings = find_table_problems(table, describe_columns(table))
    assert any("Remove it unless it is a different case" in str(f.notice) for f in findings)
    assert str(io.open_table(b"a,b\n1,x\n", name="one.csv").reading).endswith("1 row of 2 columns")


def test_near_duplicates_without_exact_ones_say_none():
    pixels = np.random.default_rng(0).integers(0, 255, (40, 8, 8)).astype(np.uint8)
    pixels[1] = np.clip(pixels[0].astype(int) + 1, 0, 255)
    data = lincore.load((pixels, np.arange(40) % 2))
    notice = find_image_duplicates(data).notice(data)
    assert "2 images have an exact or near duplicate (none exact)" in notice.what


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([9, 9, 2], "The largest classes, 'a' and 'b', have 9 rows each, the smallest, 'c', 2"),
        ([9, 2, 2], "The largest class, 'a', has 9 rows, the smallest, 'b' and 'c', 2 each"),
        ([9, 8, 2], "The largest class, 'a', has 9 rows, the smallest, 'c', 2 (ratio 4.5)."),
    ],
)
def test_classes_of_equal_size_are_named_together(sizes, said):
    labels = np.repeat(list("abc"), sizes)
    data = lincore.load((np.arange(len(labels), dtype=float)[:, None], labels))
    assert data.class_counts().finding().startswith(said)


def test_classes_of_a_single_row_are_quoted_and_counted():
    rows = pd.DataFrame({"x": range(42), "c": [*"ab" * 20, "c", "d"]})
    table = io.open_table(rows)
    (finding,) = [
        finding
        for finding in find_table_problems(table, describe_columns(table))
        if finding.notice.code == "LIN069"
    ]
    assert finding.notice.where == "classes 'c' and 'd'"
    assert finding.notice.remedy == "Leave them out or merge them."
    assert finding.remedies[0].label == "Leave out 'c' and 'd'"
    (notice,) = [n for n in lincore.load(table.frame, target="c").notices if n.code == "LIN069"]
    assert notice.where == "classes 'c' and 'd'"


def test_short_names_of_many_classes_stand_upright_below_their_matrix():
    digits = lincore.fit(lincore.sample("digits"), "lda").confusion().plot().layout
    assert digits.xaxis.tickangle == 0 and digits.xaxis.ticktext[0] == "0"
    longer = lincore.fit(wards(8), "lda").confusion().plot().layout
    assert longer.xaxis.tickangle == 90
