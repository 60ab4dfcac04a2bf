"""Figures of results, of a PCA, of class sizes and of images hold and say what these hold."""

from __future__ import annotations

import base64
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lincore import PCA, Results, metrics, plots

NASTY = '<img src=x onerror=alert(1)> & "q" %{x}'


def make_results(truth, predicted, classes) -> Results:
    n = len(truth)
    return Results(
        methods=("first", "lda"),
        classes=np.asarray(classes),
        rows=np.arange(n),
        truth=np.asarray(truth, dtype=np.intp),
        predicted=np.stack([np.asarray(truth), np.asarray(predicted)]).astype(np.intp),
        log_proba=np.zeros((2, n, len(classes))),
        seconds=np.zeros(2),
    )


def decoded(spec) -> np.ndarray:
    values = np.frombuffer(base64.b64decode(spec["bdata"]), dtype=spec["dtype"])
    return values.reshape([int(n) for n in spec["shape"].split(",")]) if "shape" in spec else values


@given(n_classes=st.integers(2, 12), seed=st.integers(0, 99))
@settings(max_examples=8)
def test_the_confusion_matrix_shows_the_counts_of_the_scores(n_classes, seed):
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, n_classes, (2, 100))
    results = make_results(truth, predicted, np.arange(n_classes))
    counts = metrics.confusion_matrix(results, "lda")
    shade, margins, cells = plots.confusion(results, "lda").to_dict()["data"]
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    assert shade["z"]["dtype"] == "f4"
    np.testing.assert_allclose(decoded(shade["z"]), shares, rtol=1e-6)
    shown = [int(text.split("<br>")[0]) for text in cells["text"]]
    np.testing.assert_array_equal(np.reshape(shown, counts.shape), counts)
    true, guess = decoded(cells["customdata"]).T
    np.testing.assert_array_equal(decoded(cells["y"]), true)
    np.testing.assert_array_equal(decoded(cells["x"]), guess)
    with np.errstate(invalid="ignore"):
        right = np.diag(counts)
        beside = np.concatenate([right / counts.sum(axis=1), right / counts.sum(axis=0)])
    shown = [np.nan if text == "–" else float(text) for text in margins["text"]]
    # Beside many classes, whole percentages.
    np.testing.assert_allclose(shown, 100 * beside, atol=0.051 if n_classes <= 6 else 0.501)


def test_an_image_stands_in_its_cell_above_the_number():
    truth = np.array([0, 0, 1, 1, 2])
    results = make_results(truth, np.roll(truth, 1), ["a", "b", "c"])
    image = np.arange(12, dtype=np.uint8).reshape(4, 3)
    figure = plots.confusion(results, "lda", images={(1, 0): image})
    (drawn,) = figure.layout.images
    side = drawn.sizey / 2
    assert drawn.x == 0 and drawn.y - side > 0.5 and drawn.y + side < 1.1
    assert drawn.source.startswith("data:image/png")
    cells = figure.data[-1]
    of_it = (cells.customdata == [1, 0]).all(axis=1)
    assert [text.strip("<br>") for text in np.array(cells.text)[of_it]] == ["1"]
    assert [text.startswith("<br>") for text in cells.text] == of_it.tolist()


def test_the_confusion_matrix_names_the_commonest_error():
    truth = np.repeat([0, 1, 2], 100)
    predicted = truth.copy()
    predicted[100:121], predicted[200:216] = 2, 0
    figure = plots.confusion(make_results(truth, predicted, ["A", "Class 2", "Class 3"]), "lda")
    finding = "87.7 % correct; most frequent error: 'Class 2' predicted as 'Class 3' (21)"
    assert figure.layout.meta["title"] == finding
    alt = figure.layout.meta["alt"]
    assert "263 of 300 rows correct (87.7 %)" in alt
    assert "'Class 2' predicted as 'Class 3', 21 rows of 100" in alt
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert figure.layout.yaxis.title.text == "true class"
    assert figure.layout.xaxis.title.text == "predicted class"
    predicted[216:221] = 0  # now as many errors of another kind
    tied = plots.confusion(make_results(truth, predicted, ["A", "Class 2", "Class 3"]), "lda")
    finding = "86.0 % correct; errors such as 'Class 2' predicted as 'Class 3' (21)"
    assert tied.layout.meta["title"] == finding


@pytest.mark.parametrize(("normalize", "axis"), [("true", 1), ("pred", 0)])
def test_shares_are_of_the_true_or_of_the_predicted_class(normalize, axis):
    results = make_results([0, 0, 0, 1], [0, 0, 1, 1], ["a", "b"])
    shade, _, cells = plots.confusion(results, "lda", normalize=normalize).to_dict()["data"]
    np.testing.assert_allclose(decoded(shade["z"]).sum(axis=axis), 1, rtol=1e-6)
    share = {"true": "66.7 %", "pred": "100.0 %"}[normalize]
    assert cells["text"][0].startswith(share + "<br>") and ">2<" in cells["text"][0]


@pytest.mark.parametrize("n_classes", [2, 20, 21, 50])
def test_many_classes_keep_their_hover_and_lose_their_numbers(n_classes):
    truth = np.arange(200) % n_classes
    labels = [f"a rather long label number {k}" for k in range(n_classes)]
    figure = plots.confusion(make_results(truth, np.roll(truth, 1), labels), "lda")
    cells = figure.to_dict()["data"][-1]
    assert ("text" in cells) == (n_classes <= 20)
    assert labels[-1] in cells["hovertext"][-1]
    assert all(len(tick) <= 14 for tick in figure.layout.xaxis.ticktext if "recall" not in tick)
    # Names that are turned have a margin of their own: Plotly's depends on how it was drawn before.
    assert (figure.layout.xaxis.automargin, figure.layout.margin.b > 100) == (
        (True, False) if n_classes == 2 else (False, True)
    )
    if n_classes == 20:  # a cell has room for three digits
        assert all(len(text) <= 3 for text in figure.data[1].text)
    assert len(figure.to_json()) < 400_000


@pytest.mark.parametrize(
    ("truth", "predicted", "finding"),
    [([0, 1], [0, 1], "All 2 rows correct"), ([], [], "No rows to judge by")],
)
def test_nothing_wrong_and_nothing_at_all(truth, predicted, finding):
    figure = plots.confusion(make_results(truth, predicted, ["a", "b"]), "lda")
    assert figure.layout.meta["title"] == finding


@pytest.mark.parametrize("n_components", [2, 0.95, None])
def test_scree_shows_shares_and_how_many_are_enough(n_components):
    rng = np.random.default_rng(0)
    pca = PCA(n_components).fit(rng.normal(size=(300, 80)) * np.geomspace(10, 0.5, 80))
    figure = plots.scree(pca)
    data = figure.to_dict()["data"]
    ratio = pca.all_variances_ / pca.all_variances_.sum()
    bars = np.concatenate([decoded(trace["y"]) for trace in data if trace["type"] == "bar"])
    np.testing.assert_allclose(bars, ratio[:50], rtol=1e-6)
    assert len(decoded(data[0]["y"])) == min(pca.n_components_, 50)
    line = next(trace for trace in data if trace.get("name") == "cumulative")
    np.testing.assert_allclose(decoded(line["y"]), np.cumsum(ratio)[:50], rtol=1e-6)
    number = int((np.cumsum(ratio) < 0.95).sum()) + 1
    assert f"{number} of 80 components hold 95 % of the variance" in figure.layout.meta["alt"]
    assert "The first 50 of 80 are shown" in figure.layout.meta["subtitle"]


def test_scree_of_one_component():
    pca = PCA().fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    assert "1 of 1 component holds 95 %" in plots.scree(pca).layout.meta["alt"]


@pytest.mark.parametrize("n_classes", [2, 50])
def test_class_balance_shows_both_parts(n_classes):
    train, test = np.arange(1, n_classes + 1) * 10, np.arange(n_classes) + 5
    figure = plots.class_balance(train, test, [f"{NASTY}{k}" for k in range(n_classes)])
    first, second = figure.to_dict()["data"]
    np.testing.assert_array_equal(decoded(first["x"]), train)
    np.testing.assert_array_equal(decoded(second["x"]), test)
    assert figure.layout.height < 480
    assert "10 and 5" in figure.layout.meta["alt"]


def test_class_balance_says_what_is_missing():
    figure = plots.class_balance([5, 0], [1, 0], ["a", "b"])
    assert figure.layout.meta["title"] == "1 class without rows"
    assert plots.class_balance([5, 4], [0, 1], "ab").layout.meta["title"] == "Classes of equal size"


@pytest.mark.parametrize("dtype", ["uint8", "float64"])
def test_images_hold_their_pixels_the_right_way_up(dtype):
    stack = np.arange(5 * 4 * 3).reshape(5, 4, 3).astype(dtype)
    figure = plots.images(stack, [NASTY, "b", "c", "d", "e"], columns=2)
    shown = figure.to_dict()["data"]
    assert len(shown) == 5
    for image, trace in zip(stack, shown, strict=True):
        np.testing.assert_array_equal(decoded(trace["z"]), image)
        assert trace["z"]["dtype"] == {"uint8": "u1", "float64": "f4"}[dtype]
        assert trace["coloraxis"] == "coloraxis"
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert figure.layout.yaxis.scaleanchor == "x"
    assert "5 images of 3 by 4 pixels" in figure.layout.meta["alt"]


def test_user_text_is_escaped_everywhere():
    results = make_results([0, 1, 1], [0, 1, 0], [NASTY, "<b>x</b>"])
    figures = [
        plots.confusion(results, "lda"),
        plots.class_balance([1, 2], [0, 1], [NASTY, "<b>x</b>"]),
        plots.images(np.zeros((1, 2, 2)), [NASTY], title=NASTY),
    ]
    for figure in figures:
        spec = figure.to_dict()
        spec["layout"].pop("meta")
        text = json.dumps(spec)
        assert "<img" not in text and "<b>x" not in text and " %{x}" not in text


def test_importing_lincore_loads_no_plotly():
    code = "import sys, lincore; assert 'plotly' not in sys.modules; lincore.plots.roc; " \
        "assert 'plotly' in sys.modules and 'streamlit' not in sys.modules"  # fmt: skip
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_shares_are_marked_at_round_numbers():
    shares = 100 * np.geomspace(0.01, 0.95, 25)
    line = np.full((1, 25), 0.2)
    figure = plots.sweep(shares, line, line - 0.1, line + 0.1, ["a"], basis="Over test rows.")
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "5", "10", "20", "50"]
    np.testing.assert_allclose(figure.layout.xaxis.tickvals, [1, 2, 5, 10, 20, 50])
    assert "Over test rows." in figure.layout.title.text + str(figure.layout.title.subtitle)


def test_classes_of_long_names_that_begin_alike_are_told_apart_in_titles_and_on_axes():
    classes = [f"Department of Something {k + 1} ({'ns'[k % 2]})" for k in range(40)]
    truth = np.repeat(np.arange(40), 3)
    predicted = np.where(truth == 16, 22, truth)
    results = make_results(truth, predicted, classes)
    figure = plots.confusion(results, "lda", narrow=True)
    title = figure.layout.meta["title"]
    assert "17 (n)" in title and "23 (n)" in title
    ticks = figure.layout.xaxis.ticktext
    assert len(ticks) <= 14 and len(set(ticks)) == len(ticks)
    changed = metrics.confusion_matrix(results, "lda") - 3 * np.eye(40, dtype=int)
    moved = plots.confusion_difference(0 * changed, changed, classes, narrow=True)
    assert "17 (n)" in moved.layout.meta["title"] and "23 (n)" in moved.layout.meta["title"]
