"""Figures of finished experiments hold the numbers that they are given, and say what they find."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lincore import LogisticRegression, Results, inspection, metrics, plots
from lincore.inspection import Correlations
from lincore.plots.base import BAD, GOOD

NASTY = '<img src=x onerror=alert(1)> & "q" %{x}'
METHODS = ["LDA", NASTY, "a method with a name that is far too long for a phone"]
INTERVALS = [(0.85, 0.82, 0.88), (0.8, 0.7, 0.9), (0.5, 0.4, 0.6)]
CLASSES = ["a", NASTY, "c"]


def decoded(spec) -> np.ndarray:
    values = np.frombuffer(base64.b64decode(spec["bdata"]), dtype=spec["dtype"])
    shape = spec.get("shape")
    return values.reshape([int(n) for n in shape.split(",")]) if shape else values


def data(figure) -> list[dict]:
    return figure.to_dict()["data"]


def trace_of(losses, seconds=0.1):
    return [
        SimpleNamespace(iteration=i, objective=v, gradient_norm=v / 2, seconds=seconds * i)
        for i, v in enumerate(losses)
    ]


def everything() -> dict[str, object]:
    rng = np.random.default_rng(0)
    three = np.linspace(0.5, 0.9, 9).reshape(3, 3)
    pairs = [SimpleNamespace(first=NASTY, second="b", value=0.02, low=0.01, high=0.04,
                             verdict="first better")]  # fmt: skip
    names = [NASTY, "second", "third"]
    curve = plots.Curve(NASTY, [0, 0.1, 1], [0, 0.8, 1], (0.1, 0.8), 0.9, 1)
    reliable = metrics.Calibration(
        NASTY, *np.array([[0.2, 0.8], [0.3, 0.7], [0.2, 0.6], [0.4, 0.8], [9, 11]]),
        metrics.BrierParts(0.2, 0.01, 0.06, 0.25), 0.005,
    )  # fmt: skip
    points, codes = rng.normal(size=(30, 3)), np.arange(30) % 3
    values, levels = rng.normal(size=30), (NASTY, "f")
    numeric = inspection.class_histograms(values, codes, 3)
    counted = inspection.level_counts(codes % 2, codes, 3, levels)
    related = Correlations([NASTY, "b"], np.array([[1.0, -0.7], [-0.7, 1.0]]), 30, 4)
    return {
        "histogram": plots.histogram(numeric, CLASSES, NASTY, subtitle=NASTY),
        "densities": plots.densities(inspection.class_densities(values, codes, 3), CLASSES, NASTY,
                                     sizes=[10, 10, 10]),
        "boxes": plots.box_plot(inspection.box_plot_statistics(values, codes, 3), CLASSES, NASTY),
        "levels": plots.share_bars(counted.levels, counted.of_class(), CLASSES, title=NASTY,
                                   unit="share"),
        "stacked": plots.share_bars(counted.levels, counted.of_level(), CLASSES, title=NASTY,
                                    unit="share", stacked=True),
        "correlations": plots.correlation_matrix(related, kind="within classes"),
        "intervals": plots.score_intervals(METHODS, INTERVALS, groups=[1, 1, 2],
                                           baselines={NASTY: 0.4}),
        "effects": plots.pairwise_effects(pairs, rope=0.01),
        "recall_map": plots.recall_map(three, METHODS, CLASSES),
        "recall_change": plots.recall_change(INTERVALS, INTERVALS[::-1], CLASSES,
                                             words=(NASTY, NASTY)),
        "sweep": plots.sweep([10, 100, 1000], three, three - 0.1, three + 0.1, METHODS,
                             crossings=[30.0], across=NASTY, score=NASTY),
        "seconds": plots.seconds_and_score([0.1, 0, 3], INTERVALS, METHODS),
        "waterfall": plots.waterfall({NASTY: (0.1, 0.05, 0.2), "b": (-0.02, -0.03, 0.0)}, 0.1),
        "remedies": plots.remedies(METHODS, INTERVALS, INTERVALS, whole=0.9),
        "roc": plots.roc([curve]),
        "precision_recall": plots.precision_recall([curve], shares=[0.3]),
        "calibration": plots.calibration(reliable),
        "convergence": plots.convergence({NASTY: trace_of([3, 2, 1])}, quantity="excess"),
        "errors": plots.error_curves({NASTY: [3.0, 2.0, 1.0]}),
        "coefficients": plots.coefficients(names, [1, -2, 3], low=[0, -3, 2], high=[2, -1, 4]),
        "path": plots.coefficient_path([0.1, 1, 10], np.diag([0.0, 1, 2]), names, [0, 1, 1],
                                       {NASTY: 1.0}, title=NASTY),
        "odds": plots.odds_ratios(names, [1.0, 0.5, 3], [0.5, 0.4, 2], [2, 0.7, 9]),
        "difference": plots.confusion_difference(np.eye(3, dtype=int) * 9, np.arange(9).reshape(
            3, 3), CLASSES, words=(NASTY, "b")),
        "scatter_3d": plots.scatter_3d(points, codes, CLASSES, names, title=NASTY,
                                       predicted=np.zeros(30, int)),
        "biplot": plots.biplot(points[:, :2], codes, CLASSES, np.eye(3)[:2], names, names[:2]),
        "weights": plots.coefficient_images(rng.normal(size=(2, 3, 4)), [NASTY, "b"]),
        "rebuilt": plots.reconstructions(rng.random((2, 4, 4)), [rng.random((2, 4, 4))], [3]),
    }  # fmt: skip


@pytest.fixture(scope="module")
def figures():
    return everything()


def test_every_figure_has_words_and_shows_user_text_letter_by_letter(figures):
    for name, figure in figures.items():
        spec = json.loads(figure.to_json())
        meta = spec["layout"].pop("meta")
        assert len(meta["alt"]) > 20 and meta["title"], name
        text = json.dumps(spec)
        assert "<img" not in text, name
        assert " %{x}" not in text.replace(": %{x}", ""), name
        assert "NaN" not in json.dumps(spec["layout"]), name
        assert len(figure.to_json()) < 60_000, name


def test_hover_texts_write_shares_as_sentences_do(figures):
    for name, figure in figures.items():
        templates = [trace.get("hovertemplate") or "" for trace in data(figure)]
        assert not any("%}" in template for template in templates), name
    (recall,) = data(figures["recall_map"])
    assert recall["customdata"][0][0] == "LDA, a: 50.0 %"


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)).map(sorted),
                min_size=1, max_size=40))  # fmt: skip
@settings(max_examples=20)
def test_intervals_are_drawn_as_they_are(triples):
    values = [(middle, low, high) for low, middle, high in triples]
    figure = plots.score_intervals([f"m{i}" for i in range(len(values))], values)
    (trace,) = data(figure)
    centre = decoded(trace["x"])
    np.testing.assert_allclose(centre, [v[0] for v in values], atol=1e-6)
    ends = centre - decoded(trace["error_x"]["arrayminus"])
    np.testing.assert_allclose(ends, [v[1] for v in values], atol=1e-6)
    ends = centre + decoded(trace["error_x"]["array"])
    np.testing.assert_allclose(ends, [v[2] for v in values], atol=1e-6)


def test_tiers_have_bands_and_baselines_lines(figures):
    shapes = figures["intervals"].layout.shapes
    assert [(s.y0, s.y1) for s in shapes if s.type == "rect"] == [(-0.5, 1.5)]
    assert [s.x0 for s in shapes if s.type == "line"] == [0.4]


def test_bars_below_a_calibration_curve_count_rows(figures):
    bars = figures["calibration"].data[3].y
    assert sorted(bars[bars > 0]) == [9, 11]


def test_differences_are_in_points_with_their_band(figures):
    figure = figures["effects"]
    np.testing.assert_allclose(decoded(data(figure)[0]["x"]), [2.0], rtol=1e-6)
    band = next(s for s in figure.layout.shapes if s.type == "rect")
    assert (band.x0, band.x1) == (-1, 1)
    assert figure.layout.meta["title"] == "1 of 1 pair is significantly different"


@pytest.mark.parametrize("n_classes", [1, 40])
def test_recall_by_class_without_rows_and_of_many(n_classes):
    recalls = np.linspace(0, 1, 2 * n_classes).reshape(2, n_classes)
    recalls[:, 0] = np.nan
    figure = plots.recall_map(recalls, ["one", "two"], range(n_classes))
    np.testing.assert_array_equal(decoded(data(figure)[0]["z"]), recalls.T.astype(np.float32))
    assert "without test rows" in figure.layout.meta["alt"]
    nothing = [(np.nan,) * 3] * n_classes
    plain = plots.recall_change(nothing, nothing, range(n_classes))
    assert plain.layout.meta["title"] == "No test rows to judge by"
    assert plain.layout.height < 1000


def test_the_largest_change_of_recall_is_told():
    before, after = [(0.9, 0.8, 1), (0.77, 0.7, 0.8)], [(0.92, 0.9, 1), (0.13, 0, 0.2)]
    figure = plots.recall_change(before, after, ["a", "b"])
    assert figure.layout.meta["title"] == "Recall of 'b' falls by 64.0 points"


def test_a_sweep_has_line_band_and_crossing(figures):
    figure = figures["sweep"]
    lines = [t for t in data(figure) if t["mode"] == "lines+markers"]
    np.testing.assert_allclose(decoded(lines[1]["y"]), [0.65, 0.7, 0.75], rtol=1e-6)
    band = data(figure)[2]
    np.testing.assert_allclose(decoded(band["y"]), [0.75, 0.8, 0.85, 0.65, 0.6, 0.55], rtol=1e-6)
    assert figure.layout.xaxis.type == "log" and figure.layout.shapes[0].x0 == 30
    short = plots.sweep([10, 20], [[0.1, 0.2]], [[0, 0]], [[1, 1]], ["a"], ranges=(0, 1))
    assert short.layout.xaxis.type is None and short.layout.yaxis.range == (0, 1)


def test_a_waterfall_adds_up():
    parts = {"prior shift": (0.103, 0.09, 0.11), "majority bias": (0.061, 0.05, 0.07),
             "sample size": (-0.001, -0.003, 0.001)}  # fmt: skip
    figure = plots.waterfall(parts, 0.157)
    ends, steps, _ = data(figure)
    np.testing.assert_allclose(decoded(ends["y"]), [15.7, 32.0], rtol=1e-6)
    tops = np.asarray(steps["base"], float) + decoded(steps["y"])
    np.testing.assert_allclose(tops, [26.0, 32.1, 32.0], rtol=1e-6)
    np.testing.assert_allclose(np.asarray(steps["base"], float)[1:], tops[:-1], rtol=1e-6)
    np.testing.assert_allclose(decoded(steps["error_y"]["array"]), [0.7, 0.9, 0.2], rtol=1e-4)
    assert figure.layout.meta["title"] == ("+16.3 points of error: most of it prior shift (+10.3)")
    by_chance = plots.waterfall(parts, 0.157, is_chance=True)
    assert by_chance.layout.meta["title"] == "+16.3 points of error: no loss beyond chance"
    nats = plots.waterfall({"a": (-0.2, -0.3, -0.1)}, 0.9, unit="", scale=1, loss="log loss")
    assert nats.layout.meta["title"] == "\u22120.2 in log loss: most of it a (\u22120.2)"


def test_steps_that_are_small_beside_the_loss_are_seen():
    figure = plots.waterfall({"a": (0.02, 0.01, 0.03), "b": (-0.01, -0.015, -0.005)}, 0.9)
    bottom, top = figure.layout.yaxis.range
    assert 80 < bottom < 90 and top > 93
    assert f"The axis begins at {bottom:g} %" in figure.layout.title.text
    from_zero = plots.waterfall({"a": (0.2, 0.1, 0.3)}, 0.3)
    assert from_zero.layout.yaxis.rangemode == "tozero"
    assert "begins at" not in from_zero.layout.title.text


def test_points_have_a_tenth_and_the_whole_loss_its_name_below_the_title():
    figure = plots.waterfall(
        {"majority bias": (0.00963, 0.001, 0.02), "rest": (-0.0002, -0.1, 0.1)}, 0.07926
    )
    assert figure.layout.meta["title"] == "+0.9 points of error: most of it majority bias (+1)"
    assert list(data(figure)[0]["text"]) == ["7.9", "8.9"]
    assert "majority bias +1 (0.1 to 2), rest 0" in figure.layout.meta["alt"].replace(" and ", ", ")
    for end, side in ((0.05, "left"), (0.3, "right")):
        figure = plots.remedies(["a", "b"], [(0.1, 0.05, 0.3), (0.2, 0.1, 0.3)], whole=end)
        (name,) = figure.layout.annotations
        assert (name.yanchor, name.xanchor) == ("top", side), "inside, where there is room"
        assert figure.layout.yaxis.range[1] < -0.8, "above the first bar"


def test_what_chance_explains_is_no_finding():
    parts = {"prior shift": (0.1, -0.39, 0.59), "majority bias": (-0.05, -0.3, 0.2)}
    unclear = plots.waterfall(parts, 0.4).layout.meta["title"]
    assert unclear == "+5 points of error: no part of it beyond chance"
    parts |= {"class size": (0.01, 0.005, 0.015)}
    mixed = plots.waterfall(parts, 0.4).layout.meta["title"]
    assert mixed.endswith("most of it prior shift (+10), by itself not beyond chance")
    none = plots.remedies(["undersampling", "both"], [(0.1, -0.4, 0.6), (0.2, -0.1, 0.5)])
    assert none.layout.meta["title"] == "No correction recovers the loss beyond chance"
    clear = plots.remedies(["undersampling", "both"], [(0.1, 0.05, 0.15), (0.2, -0.1, 0.5)])
    assert clear.layout.meta["title"] == "Undersampling: 10 points of error recovered"
    one = plots.remedies(["a"], [(0.1, np.nan, np.nan)]).layout.meta["title"]
    assert one == "A: 10 points of error recovered", "of one split nothing else can be said"


def test_remedies_show_what_they_buy_and_cost(figures):
    figure = figures["remedies"]
    back, others = data(figure)
    np.testing.assert_allclose(decoded(back["x"]), [85, 80, 50], rtol=1e-6)
    np.testing.assert_allclose(decoded(others["error_x"]["arrayminus"]), [3, 10, 10], rtol=1e-4)
    assert figure.layout.meta["title"] == "LDA: 85 points of error recovered"
    assert 90 in [shape.x0 for shape in figure.layout.shapes]


def test_long_curves_are_thinned_and_keep_their_shape():
    x = np.sort(np.random.default_rng(0).random(100_000))
    figure = plots.roc([plots.Curve("one", x, x**0.3, area=0.77)])
    line = data(figure)[1]
    kept, y = decoded(line["x"]).astype(float), decoded(line["y"])
    assert len(kept) <= 602
    np.testing.assert_allclose(np.interp(x, kept, y), x**0.3, atol=5e-3)
    assert figure.layout.meta["title"] == "ROC: area 0.770"


def test_curves_of_results_are_taken_over():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    proba = np.clip(rng.normal(0.3 + 0.4 * truth, 0.2), 0.01, 0.99)
    log_proba = np.log(np.column_stack([1 - proba, proba, np.full(200, 1e-300)]))[None]
    predicted = log_proba.argmax(axis=2)
    results = Results(("lda",), np.array(["a", "b", "none"]), np.arange(200), truth, predicted,
                      log_proba, np.zeros(1))  # fmt: skip
    found = metrics.roc_curve(results, "lda")
    figure = plots.roc([plots.Curve.from_roc(c, code=k) for k, c in enumerate(found)])
    assert f"{found[0].area:.3g}" in figure.data[1].name
    places, point = [t for t in data(figure) if t["mode"] == "markers"][:2]
    np.testing.assert_allclose(decoded(point["y"]), [found[0].operating.y], rtol=1e-6)
    np.testing.assert_array_equal(decoded(places["customdata"]), range(len(found[0].recall)))
    line = next(t for t in data(figure) if t.get("name", "").startswith("b ("))
    np.testing.assert_allclose(decoded(line["y"]), found[1].recall, rtol=1e-6)
    lines = metrics.precision_recall_curve(results, "lda")
    figure = plots.precision_recall([plots.Curve.from_precision_recall(c) for c in lines])
    assert "nan" not in figure.layout.meta["alt"]


def test_a_falling_recall_is_the_worse():
    steps = data(plots.waterfall({"a": (-0.1, -0.2, 0)}, 0.8, greater_is_better=True))[1]
    other = data(plots.waterfall({"a": (-0.1, -0.2, 0)}, 0.8))[1]
    assert (steps["marker"]["color"], other["marker"]["color"]) == ([BAD], [GOOD])


@pytest.mark.parametrize("solver", ["newton", "newton-cg"])
def test_the_trace_of_a_fit_is_drawn(solver):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    model = LogisticRegression(C=1.0, solver=solver).fit(X, y)
    figure = plots.convergence({solver: model.trace_})
    np.testing.assert_allclose(
        decoded(data(figure)[0]["y"]), [s.objective for s in model.trace_], rtol=1e-6
    )
    assert f"ends at {model.trace_[-1].objective:.6g}" in figure.layout.meta["subtitle"]
    timed = plots.convergence({solver: model.trace_}, quantity="gradient norm", across="seconds")
    assert timed.layout.yaxis.type == "log"
    np.testing.assert_allclose(
        decoded(data(timed)[0]["x"]), [s.seconds for s in model.trace_], rtol=1e-6
    )


def test_an_oscillating_learning_rate_is_told():
    falling, jumping = 1 / np.arange(1.0, 20), 1 + 0.5 * (-1.0) ** np.arange(19)
    figure = plots.error_curves({"0.002": falling, "0.5": jumping})
    assert "0.5 oscillates: it rises in 9 of 18 steps." in figure.layout.meta["subtitle"]
    assert "0.002 oscillates" not in figure.layout.meta["alt"]
    settled = plots.error_curves({"settled": np.full(50, 3.0) + 1e-13 * np.arange(50)})
    assert settled.layout.meta["subtitle"] == "settled ends at 3."


def test_traces_of_very_different_length_are_seen_together():
    traces = {"few": trace_of([3.0, 1.0]), "many": trace_of(1 / np.arange(1.0, 200))}
    figure = plots.convergence(traces)
    assert figure.layout.xaxis.type == "log"
    assert decoded(data(figure)[0]["x"]).tolist() == [1, 2]


def test_coefficients_are_ordered_by_size_and_ratios_by_distance_from_one():
    figure = plots.coefficients([f"f{i}" for i in range(40)], np.arange(40.0) - 20)
    (bars,) = data(figure)
    assert decoded(bars["x"])[:5].tolist() == [-20, -19, 19, -18, 18]
    assert "The 25 largest of 40" in figure.layout.meta["subtitle"]
    figure = plots.coefficients(list("abcd"), [0.0, -1.0, 0.0, 2.0])
    assert decoded(data(figure)[0]["x"]).tolist() == [2, -1]
    assert figure.layout.meta["subtitle"] == "The 2 largest of 4; the others are 0."
    assert len(data(plots.coefficients(list("ab"), [0.0, 0.0]))[0]["x"]) > 0
    odds = plots.odds_ratios(["a", "b", "c"], [1.1, 0.01, np.inf], [0.9, 0.005, 2], [1.3, 0.02, np.inf])  # noqa: E501  # fmt: skip
    assert odds.layout.yaxis.ticktext == ("c", "b", "a")
    assert odds.layout.meta["title"] == "2 of 3 odds ratios differ from 1"
    assert np.isfinite(decoded(data(odds)[0]["x"])).all()
    ratios = np.exp(np.arange(40) / 10)
    low = np.where(np.arange(40) < 2, np.nan, ratios / 4)
    many = plots.odds_ratios([f"f{i}" for i in range(40)], ratios, low, ratios * 4)
    title = f"{(low > 1).sum()} of 40 odds ratios differ from 1, 2 without interval"
    assert many.layout.meta["title"] == title
    assert "The 25 furthest from 1 of 40" in many.layout.meta["subtitle"]


def test_the_difference_of_matrices_is_signed_by_what_is_better():
    before, after = np.array([[8, 2], [1, 9]]), np.array([[9, 1], [6, 4]])
    shade, cells = data(plots.confusion_difference(before, after, ["a", "b"]))
    np.testing.assert_array_equal(decoded(shade["z"]), [[1, 1], [-5, -5]])
    assert cells["text"] == ["+1", "\u22121", "+5", "\u22125"]
    assert decoded(cells["customdata"]).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    same = plots.confusion_difference(before, before, ["a", "b"])
    assert same.layout.meta["title"] == "No row is predicted differently"
    many = plots.confusion_difference(np.eye(40), np.ones((40, 40)), range(40))
    assert "text" not in data(many)[1] and len(many.to_json()) < 400_000


def test_ellipses_hold_the_class_and_pass_over_what_is_too_small():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(size=(4000, 2)) @ [[2, 1], [0, 1]], [[9, 9], [9, 8]]])
    codes = np.r_[np.zeros(4000, int), 1, 1]
    figure = plots.scatter(points, codes, ["a", "b"], ["u", "v"], title="t", ellipses=True)
    (outline,) = [t for t in data(figure) if t.get("mode") == "lines"]
    ring = np.column_stack([decoded(outline["x"]), decoded(outline["y"])]).astype(float)
    white = np.linalg.inv(np.cov(points[:4000].T))
    radius = np.einsum("ij,jk,ik->i", *(lambda d: (d, white, d))(ring - points[:4000].mean(0)))
    np.testing.assert_allclose(radius, 5.991, rtol=1e-3)  # chi-squared, 2 degrees, 95 %
    low, high = np.array([figure.layout.xaxis.range, figure.layout.yaxis.range]).T
    outlines = [trace for trace in figure.data if trace.mode == "lines"]
    for outline in outlines:
        assert (low[0] < outline.x).all() and (outline.x < high[0]).all(), "an outline is cut off"
        assert (low[1] < outline.y).all() and (outline.y < high[1]).all(), "an outline is cut off"
    flat = plots.scatter(points * [1, 0], codes, ["a", "b"], ["u", "v"], title="t", ellipses=True)
    assert "Ellipses" in flat.layout.meta["subtitle"]


def test_three_components_are_sampled_and_keep_their_rows():
    rng = np.random.default_rng(0)
    points, codes = rng.normal(size=(9000, 3)), np.arange(9000) % 40
    figure = plots.scatter_3d(points, codes, range(40), "uvw", title="t", rows=np.arange(9000) + 5)
    rows = np.concatenate([decoded(t["customdata"]) for t in data(figure)])
    assert len(figure.data) == 7 and len(rows) <= 6000
    shown = np.concatenate([decoded(t["x"]) for t in data(figure)])
    np.testing.assert_allclose(shown, points[rows - 5, 0], rtol=1e-6)
    assert "A sample of 6,000 of 9,000 rows" in figure.layout.meta["subtitle"]


@pytest.mark.parametrize("draw", [plots.scatter, plots.scatter_3d])
def test_beyond_twelve_classes_those_chosen_have_colours_and_the_others_are_grey(draw):
    names = "uv" if draw is plots.scatter else "uvw"
    points, codes = np.random.default_rng(0).normal(size=(130, len(names))), np.arange(130) % 13
    labels = [f"class {code}" for code in range(13)]

    def legend(**chosen):
        figure = draw(points, codes, labels, names, title="t", **chosen)
        return {
            trace.name: trace.marker.color for trace in figure.data if trace.showlegend is not False
        }

    first = legend()
    assert list(first) == ["7 other classes (70)"] + [f"class {code} (10)" for code in range(6)]
    chosen = legend(coloured=(3, 5, 7, 9, 10, 11, 12))
    grey = chosen.pop("6 other classes (60)")
    assert "class 12 (10)" in chosen and "class 0 (10)" not in chosen
    assert len({grey, *chosen.values()}) == 8, "no two classes share a colour, none is grey"


def test_weights_are_even_about_zero_and_colour_images_are_small():
    figure = plots.coefficient_images(np.array([[[-1.0, 3.0]]]), ["w"])
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-3, 3)
    pixels = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    sheet = plots.images(pixels[None], [NASTY])
    (image,) = data(sheet)
    content = base64.b64decode(image["source"].split(",")[1])
    size = struct.unpack(">I", content[33:37])[0]
    lines = np.frombuffer(zlib.decompress(content[41 : 41 + size]), np.uint8).reshape(4, 16)
    np.testing.assert_array_equal(lines[:, 1:].reshape(4, 5, 3), pixels)
    assert struct.unpack(">II", content[16:24]) == (5, 4)


def test_images_are_rebuilt_in_one_scale_below_their_originals():
    originals = np.full((3, 2, 2), 200, np.uint8)
    rebuilt = [np.full((3, 2, 2), 300.7), np.full((3, 2, 2), -3.0)]
    shown = data(plots.reconstructions(originals, rebuilt, [1, 5]))
    assert len(shown) == 9
    assert {int(decoded(t["z"])[0, 0]) for t in shown[3:6]} == {255}
    assert {int(decoded(t["z"])[0, 0]) for t in shown[6:]} == {0}


def test_many_classes_are_drawn_as_outlines_and_the_largest_alone():
    codes = np.repeat(np.arange(30), np.arange(1, 31))
    values = np.random.default_rng(0).normal(size=len(codes))
    found = plots.histogram(inspection.class_histograms(values, codes, 30), np.arange(30), "x")
    assert [trace["type"] for trace in data(found)] == ["scatter"] * 12
    assert "The 12 largest of 30 classes" in found.layout.meta["subtitle"]
    assert data(found)[0]["name"] == "18 (19)"


def test_the_strongest_correlation_is_the_title_and_bars_carry_their_shares():
    found = everything()["correlations"]
    assert "strongest" in found.layout.meta["title"] and "−0.7" in found.layout.meta["title"]
    (bars, *_) = data(everything()["levels"])
    np.testing.assert_allclose(decoded(bars["x"]), [1.0, 0.0])
