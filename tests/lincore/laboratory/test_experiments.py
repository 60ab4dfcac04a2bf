"""Every experiment: its frames fit its figure, and what it says has the known numbers."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import lincore
from lincore import DataError
from lincore.laboratory import (
    EXPERIMENTS,
    demonstrate,
    experiment_rows,
)
from lincore.report import FORMULAS

ALL = [(word, name) for word, found in EXPERIMENTS.items() for name in found.presets]


@pytest.fixture(scope="module")
def shown():
    return {place: demonstrate(*place) for place in ALL}


@pytest.mark.parametrize("place", ALL, ids="/".join)
def test_frames_fit_the_figure(shown, place):
    found = shown[place]
    assert found.figure.layout.meta["alt"] and np.isfinite(found.answer)
    # A title of two lines would push the legend below the fold of a projector.
    assert len(found.figure.layout.meta["title"]) <= 62
    assert 3 <= len(found.frames) <= 80
    n_traces = len(found.figure.data)
    assert len(set(found.moving)) == len(found.moving) and max(found.moving) < n_traces
    for frame in found.frames:
        assert frame.label
        assert len(frame.places) == len(found.moving)
        assert all(each.ndim == 2 and each.shape[1] in (2, 3) for each in frame.places)
    sent = json.dumps([frame.coordinates() for frame in found.frames], allow_nan=False)
    assert len(sent) < 400_000
    drawn = found.figure_at(-1)
    for number, place in zip(found.moving, found.frames[-1].places, strict=True):
        np.testing.assert_allclose(drawn.data[number].x, place[:, 0], rtol=1e-5, atol=1e-6)
    # The figure itself stays in its first frame; areas lie below rows, lines and rings above.
    for number, place in zip(found.moving, found.frames[0].places, strict=True):
        first = found.figure.data[number].x
        np.testing.assert_allclose(first, place[:, 0], rtol=1e-5, atol=1e-6)
    areas = [n for n in found.moving if found.figure.data[n].to_plotly_json().get("fill")]
    assert areas == list(range(len(areas)))
    above = sorted(set(found.moving) - set(areas))
    assert above == list(range(n_traces - len(above), n_traces))
    axes = found.figure.layout
    # On a phone panels are under the plane, none on another.
    assert all(axes[name.split(".")[0]] for name in axes.meta["narrow"])
    if axes.yaxis.scaleanchor == "x":
        spans = [np.ptp(axis.range) for axis in (axes.xaxis, axes.yaxis)]
        assert axes.yaxis.scaleratio == 1 and spans[0] == pytest.approx(spans[1])


@pytest.mark.parametrize("preset", EXPERIMENTS["perceptron"].presets)
def test_the_direction_of_a_perceptron_begins_on_its_boundary_at_a_right_angle(shown, preset):
    checked = 0
    for frame in shown["perceptron", preset].frames:
        boundary, arrow, *_ = frame.places
        if np.isfinite(boundary).all() and np.isfinite(arrow[:2]).all():
            along, direction = boundary[1] - boundary[0], arrow[1] - arrow[0]
            away = arrow[0] - boundary[0]
            scale = np.linalg.norm(along) * np.linalg.norm(direction)
            assert along @ direction == pytest.approx(0, abs=1e-6 * scale)
            assert along[0] * away[1] == pytest.approx(along[1] * away[0], abs=1e-6 * scale)
            checked += 1
    assert checked


def test_a_step_of_the_perceptron_is_a_parallelogram(shown):
    """On one scale w before and the row, added or subtracted, end where w ends."""
    frames = shown["perceptron", "classic"].frames[2:]
    for former, frame in zip(shown["perceptron", "classic"].frames[1:], frames, strict=False):
        boundary, w, row, before, step, earlier, *_ = frame.places
        np.testing.assert_allclose(step[0], before[1])
        np.testing.assert_allclose(step[1], w[1])
        (a, b), (x, y) = step[1] - step[0], row[0]
        assert a * y - b * x == pytest.approx(0, abs=1e-9)
        np.testing.assert_allclose(earlier, former.places[0])


def test_regions_are_named_after_the_classes_that_claim_them(shown):
    found = shown["ambiguity", "classic"]
    names = dict(zip(found.figure.data[found.moving[3]].text,
                     found.frames[found.stop].places[3], strict=True))  # fmt: skip
    np.testing.assert_allclose(names["none"], [0, 0], atol=1e-9)
    assert np.isnan(names["1 + 2 + 3"]).all()
    directions = np.radians([90, 210, 330])
    for name, at in names.items():
        if np.isfinite(at).all() and name != "none":
            above = at @ np.stack([np.cos(directions), np.sin(directions)]) > 1
            assert name == " + ".join(str(k + 1) for k in np.flatnonzero(above))


def handles(first, second, sigma):
    """Return the points of the sigmoid with these means and this deviation."""
    return [(first, 0.6, 0), (second, 0.6, 1), (first + sigma, 0.6, 0), (5.6, 3.1, 1)]


def test_sentences_describe_the_frame_beside_them(shown):
    codes, frames = experiment_rows("perceptron").codes, shown["perceptron", "classic"].frames
    for former, frame in pairwise(frames[1:]):
        row = int(re.search(r"row (\d+)", frame.sentence)[1]) - 1
        w0, former_w0 = (
            float(re.search(r"w0 = (−?\d+)", each.sentence)[1].replace("−", "-"))
            for each in (frame, former)
        )
        assert ("added to" in frame.sentence) == (codes[row] == 1) == (w0 > former_w0)
        assert ("subtracted from" in frame.sentence) == (codes[row] == 0)
    # The answer that is asked for is in the frame at which playing ends.
    for key in (("ambiguity", "learned"), ("perceptron", "overlap")):
        found = shown[key]
        sentence = found.frames[found.stop].sentence
        numbers = [float(number) for number in re.findall(r"\d+\.?\d*", sentence)]
        asked = round(found.answer, 1)
        assert asked in (*numbers, *(round(a + b, 1) for a, b in pairwise(numbers))), sentence
    # Of a mean or rows moved by hand, the conclusion says where they are.
    moved = demonstrate("far-points", "hand", points=[(5.5, -3.0, 1)])
    assert "about (5.5, −3.0)" in moved.finding
    moved = demonstrate("sigmoid", "hand", points=handles(-1, 0.5, 2))
    assert "grows from 0.38 to 1.5:" in moved.finding and "σ = 1.00" in moved.frames[-1].sentence
    assert "μ1 = −1.00" in moved.frames[0].sentence and moved.answer == 4
    assert "grows from 0 to 0" in demonstrate("sigmoid", "hand", points=handles(1, 1, 1)).finding
    assert "about (12.0, 0.0)" in shown["far-points", "hand"].finding
    assert "· (−0.25)" in shown["one-function", "sigmoid"].frames[12].sentence


def test_what_is_not_asked_is_seen_before_the_answer(shown):
    for name in ("scaled", "turned"):
        found = shown["one-function", name]
        line, w, *_ = found.frames[0].places
        assert np.isfinite(line).all()
        low, high = np.array([found.figure.layout[f"{axis}axis"].range for axis in "xy"]).T
        if name == "scaled":
            tip = found.frames[-1].places[1][1]
            assert (tip > low).all() and (tip < high).all(), "the head of w is inside"
            assert np.ptp([np.ptp(each.places[1][:2], axis=0)[0] for each in found.frames]) > 1
    masked = shown["ambiguity", "masked"]
    axis = masked.figure.layout.xaxis.range
    regions = np.concatenate(masked.frames[1].places[1:4])
    assert (np.nanmin(regions), np.nanmax(regions)) == tuple(axis), "no margin without a class"


@pytest.mark.parametrize("preset", EXPERIMENTS["fisher"].presets)
def test_fisher_turns_to_its_direction_and_says_its_threshold(shown, preset):
    found = shown["fisher", preset]
    assert found.stop > 10, "the direction turns before it arrives"
    midpoint = float(
        re.search(r"projected means, (−?[\d.]+)", found.frames[found.stop].sentence)[1].replace(
            "−", "-"
        )
    )
    assert not re.search(r"\de[+-]?\d", found.frames[found.stop].sentence)
    if preset != "far":
        stated = re.search(r"projected means is (−?[\d.]+),", found.finding)[1]
        assert float(stated.replace("−", "-")) == pytest.approx(midpoint, abs=6e-4)


def test_arrows_have_heads_of_one_size(shown):
    lengths, heads = [], []
    for word in ("one-function", "perceptron"):
        found = shown[word, "classic"]
        window = found.figure.layout.xaxis.range
        for place in (place for frame in found.frames for place in frame.places):
            if len(place) == 6 and np.isfinite(place[0]).all():
                sizes = np.linalg.norm(place - place[1], axis=1) / np.ptp(window)
                lengths.append(sizes[0])
                heads += [sizes[3], sizes[5]]
    assert np.ptp(lengths) > 0.01
    np.testing.assert_allclose(heads, heads[0], rtol=1e-6)


def test_names_of_lines_lie_inside_the_plot_and_follow_their_line(shown):
    found = shown["far-points", "classic"]
    low, high = np.array([found.figure.layout[f"{one}axis"].range for one in "xy"]).T
    names = found.figure.data[found.moving[-1]]
    assert list(names.text) == ["least squares", "logistic regression"]
    for frame in found.frames:
        for line, at in zip(frame.places[1:3], frame.places[-1], strict=True):
            along = (line[1] - line[0]) / np.linalg.norm(line[1] - line[0])
            away = abs(along[0] * (at - line[0])[1] - along[1] * (at - line[0])[0])
            assert 0 < away < 0.4 * np.ptp([low, high], axis=0)[0]
            assert (at > low).all() and (at < high).all()
    for number in found.moving[1:3]:
        assert found.figure.data[number].showlegend is False
    # A name never stands where its line is not drawn.
    for place, each in shown.items():
        looks = [each.figure.data[number].to_plotly_json() for number in each.moving]
        if looks[-1].get("mode") == "text":
            known = [look["name"] for look in looks]
            for frame in each.frames:
                for name, at in zip(looks[-1]["text"], frame.places[-1], strict=True):
                    line = frame.places[known.index(name)]
                    assert np.isfinite(line).all(axis=1).any() or np.isnan(at).all(), place


@pytest.mark.parametrize(
    "place",
    [("one-function", "classic"), ("one-function", "scaled"), ("one-function", "turned"),
     ("far-points", "lda"), ("fisher", "far")],
)  # fmt: skip
def test_names_of_lines_cover_neither_rows_nor_each_other(shown, place):
    found = shown[place]
    layout = found.figure.layout
    ranges = np.array([layout.xaxis.range, layout.yaxis.range])
    # Axes of one unit: a window of 1280 pixels leaves 390 for the whole width of a figure.
    unit = 390 * np.ptp(layout.xaxis.domain or (0, 1)) / np.ptp(ranges, axis=1).max()
    names = found.figure.data[found.moving[-1]]
    at = (found.frames[found.stop].places[-1] - ranges[:, 0]) * unit
    halves = np.array([[3.3 * len(name), 6.0] for name in names.text])
    rows = [
        np.column_stack([one.x, one.y])
        for one in found.figure.data
        if one.type in ("scatter", "scattergl") and one.mode == "markers"
        if (one.xaxis or "x") == "x" and one.marker.symbol != "circle-open" and len(one.x)
    ]
    pixels = (np.concatenate(rows) - ranges[:, 0]) * unit
    assert len(pixels) >= 100
    for i, centre in enumerate(at):
        assert not (np.abs(pixels - centre) < halves[i] + 3).all(axis=1).any(), names.text[i]
        for j in range(i):
            assert (np.abs(at[j] - centre) >= halves[i] + halves[j]).any() or np.isnan(at[j]).any()


def test_names_of_lines_that_begin_at_one_point_do_not_cover_each_other(shown):
    found = shown["race", "classic"]
    moving = [found.figure.data[number] for number in found.moving]
    place = next(i for i, one in enumerate(moving) if one.text and "minimum" in one.text)
    layout, names = found.figure.layout, moving[place].text
    ranges = np.array([layout.xaxis.range, layout.yaxis.range])
    unit = 390 * np.ptp(layout.xaxis.domain) / np.ptp(ranges, axis=1).max()
    at = (found.frames[0].places[place] - ranges[:, 0]) * unit
    halves = np.array([[3.3 * len(name), 7.0] for name in names])
    for i in range(len(names)):
        for j in range(i):
            assert (np.abs(at[j] - at[i]) >= halves[i] + halves[j]).any(), (names[i], names[j])


def test_the_first_frame_does_not_give_the_answer_away(shown):
    for (word, name), found in shown.items():
        preset = EXPERIMENTS[word].presets[name]
        answer = f"{found.answer:.{preset.digits}f}"
        if preset.digits:
            assert answer not in preset.question + found.frames[0].sentence or name == "scaled"


#: Preset, answer, its tolerance, and what is said at the frame where playing ends or as finding.
KNOWN = [
    ("one-function", "classic", 2.449120, 5e-7, "2.141", "−29.04°"),
    ("one-function", "scaled", 1.05535, 5e-6, "−1.055", "only their ratio"),
    ("one-function", "sigmoid", 6.23200, 5e-6, "exp(a) = ", "multiplies the odds"),
    ("ambiguity", "classic", 3.608, 5e-4, "5.196", "37.4833"),
    ("ambiguity", "masked", 16, 1e-9, "72.0 %", "97.0 %"),
    ("far-points", "classic", 15, 0, "30.05°", "less than 0.01°"),
    ("far-points", "lda", 34.3, 0.05, "LDA turns by 34.3°", "15 of the 120"),
    ("fisher", "faces", 2.0358, 5e-5, "misclassifies", "first component"),
    ("fisher", "classic", 13.086342, 5e-7, "−29.0393°", "6.8451"),
    ("perceptron", "classic", 47, 0, "4,095.08", "38, 9 and 0"),
    ("perceptron", "standardised", 4, 0, "55.82", "4 and 0"),
    ("perceptron", "overlap", 23, 0, "11, 23, 9, 16 and 11", "9, 9, 9, 9 and 8"),
    ("race", "classic", 318, 0, "0.014219", "fixed Hessian ΦᵀΦ/4 83"),
    ("race", "rates", 79, 0, "0.0667916", "379 steps with 11 rises"),
    ("race", "afar", 6, 0, "diverged", "always converges"),
    ("race", "irls", 5, 0, "it is the minimum", "(0.8833, −0.6763)"),
    ("covariances", "classic", 72, 0, "169 misclassified, halfway 84", "QDA"),
    ("bayes", "classic", -0.1513, 5e-5, "0.6534 at 2", "0.1953 at 5"),
    ("bayes", "truth", 6.298, 5e-4, "0.0006298", "one row in"),
    ("basis", "classic", 0, 0, "logistic regression 0, least squares 1", "100 of 200 in x"),
    ("sigmoid", "classic", 1.693147, 5e-7, "at x = 1.6931", "ln π2/π1"),
    ("sigmoid", "hand", 4, 1e-12, "a(x) = 8.0000 x − 8.0000", "from 2 to 8"),
    ("likelihood", "classic", 98.46, 5e-3, "98.46 %", "p(to | spam) = 0.0833"),
    ("likelihood", "hand", -138.4696, 5e-5, "pooled covariance", "estimates of LDA"),
    ("likelihood", "mean", 86.0282, 5e-5, "−138.4696", "pooled covariance"),
]


@pytest.mark.parametrize(("word", "name", "answer", "tolerance", *"ab"), KNOWN)
def test_known_numbers_are_said(shown, word, name, answer, tolerance, a, b):
    found = shown[word, name]
    assert found.answer == pytest.approx(answer, abs=tolerance)
    said = f"{found.frames[found.stop].sentence} {found.finding}"
    assert b in said
    assert a in said


def test_given_priors_give_the_posteriors_of_a_point(shown):
    """Prior times Gaussian density of either class, by hand."""
    truth = experiment_rows("bayes", "truth").truth
    inverse, point = np.linalg.inv(truth.covariances[0]), np.array([5.3, 4.5])
    distances = [(point - mean) @ inverse @ (point - mean) for mean in truth.means]
    for prior, frame in ((0.02, 1), (0.5, 25), (0.6, 30)):
        joint = np.array([prior, 1 - prior]) * np.exp(-0.5 * np.array(distances))
        one, two = joint / joint.sum()
        said = shown["bayes", "truth"].frames[frame].sentence
        assert f"At (5.3, 4.5) the posteriors are {one:.4f} and {two:.4f}" in said


def test_the_error_above_the_minimum_falls_as_the_steps_say(shown):
    """Beside the paths: the gradient's errors at its steps, down to rounding, and its count."""
    found = shown["race", "classic"]
    looks = [found.figure.data[number] for number in found.moving]
    under = [i for i, look in enumerate(looks) if look.yaxis == "y2"]
    gradient, counts = found.frames[-1].places[under[3]], looks[under[4]]
    assert list(counts.text) == ["6", "83", "318"] and gradient[-1, 0] == 318
    assert (np.diff(gradient[:, 1]) <= 1e-12).all() and gradient[-1, 1] < 1e-9 < gradient[0, 1]
    sent = found.frames[-1].coordinates()[under[3]]
    np.testing.assert_allclose(sent["y"], gradient[:, 1], rtol=1e-4)
    assert np.isnan(found.frames[5].places[under[4]]).all(), "no count before the end"
    np.testing.assert_array_equal(found.frames[found.stop].places[0][:, 0], [318, 318])


def test_the_likelihood_falls_as_the_formula_says(shown):
    """A mean moved by δ costs n δᵀΣ⁻¹δ / 2, a covariance doubled n p (ln 2 - ½) / 2."""
    data = experiment_rows("likelihood", "mean")
    X, codes = data.X[:100], data.codes[:100]
    within = sum(np.cov(X[codes == k].T, bias=True) * np.sum(codes == k) for k in (0, 1)) / 100
    moved = 0.25 * np.linalg.inv(within)[0, 0] * np.sum(codes == 1) / 2
    assert shown["likelihood", "mean"].answer == pytest.approx(moved)
    assert shown["likelihood", "covariance"].answer == pytest.approx(100 * (np.log(2) - 0.5))


def test_lda_follows_far_points_exactly_and_shared_covariances_are_lda(shown):
    frames = shown["far-points", "lda"].frames
    for frame in frames:
        _, squares, lda, *_ = frame.places
        directions = [np.diff(each, axis=0)[0] for each in (squares, lda)]
        (a, b), (c, d) = (one / np.linalg.norm(one) for one in directions)
        assert a * d - b * c == pytest.approx(0, abs=1e-10)
    rows = experiment_rows("covariances")
    lda = lincore.LinearDiscriminantAnalysis().fit(rows.X, rows.codes)
    shared = lincore.QuadraticDiscriminantAnalysis(regularization=1).fit(rows.X, rows.codes)
    np.testing.assert_allclose(
        shared.decision_function(rows.X), lda.decision_function(rows.X), atol=1e-11
    )


def test_the_losses_of_far_points_are_lengths(shown):
    """First under the line of the 120 rows, then under lines for which they count by a weight."""
    rows, found = experiment_rows("far-points"), shown["far-points", "classic"]
    X, t = np.column_stack([rows.X, np.ones(130)]), np.where(rows.codes, 1.0, -1.0)
    frames = dict(zip([frame.label for frame in found.frames], found.frames, strict=True))
    for label, weight in (("100 % of the way", 0), ("weight 50 %", 0.5), ("weight 100 %", 1)):
        root = np.sqrt(np.append(np.ones(120), np.full(10, weight)))
        w = np.linalg.lstsq(root[:, None] * X, root * t)[0]
        margins = t * (X @ w)
        old, far, old_logistic, far_logistic = frames[label].places[3:7]
        lengths = np.column_stack([margins, (1 - margins) ** 2])
        np.testing.assert_allclose(np.vstack([old, far]), lengths, atol=1e-9)
        sums = lengths[:, 1]
        said = f"squared errors {sums[120:].sum():.2f} and {sums[:120].sum():.2f}"
        assert said in frames[label].sentence
        m = np.vstack([old_logistic, far_logistic])
        np.testing.assert_allclose(m[:, 1], np.log(1 + np.exp(-m[:, 0])), atol=1e-9)
        assert m[120:, 1].max() < 1e-9, "far on the correct side costs logistic nothing"
    # At the minimum of the logistic loss the gradient is zero.
    p = 1 / (1 + np.exp(old_logistic[:, 0]))
    np.testing.assert_allclose(X[:120].T @ (t[:120] * p), 0, atol=1e-4)
    assert "S_W⁻¹(m2 − m1), whatever the rows" in shown["far-points", "lda"].finding


def test_far_points_are_dragged_together():
    board = EXPERIMENTS["far-points"].presets["hand"].board
    sentence, lines, judged = board.reply([(12.0, -12.0, 1)])
    assert "squared errors 173.58 and 35.38, logistic losses 0.00 and 20.68" in sentence
    assert "misclassified" not in sentence and "misclassifies 15 of the 120 old rows" in judged
    X = experiment_rows("far-points").X
    np.testing.assert_allclose(np.add(board.cluster(), (12, -12)), X[120:], atol=0.005)
    # Least squares in the plane, each far point as a stem of the first panel.
    assert (lines[0]["name"], lines[0]["panel"]) == ("least squares", 0)
    far = [line for line in lines if line["panel"] == 1][-1]["ends"]
    assert far[0][1] == 0 and far[2] == [None, None] and len(far) == 29
    heights = sum(y for _, y in far[1::3])
    assert heights == pytest.approx(173.58, abs=0.02)
    assert json.dumps([lines, board.settings(), board.start()], allow_nan=False)
    (answer,) = board.best()
    assert (
        f"misclassifies {demonstrate('far-points', 'hand').answer:.0f} of"
        in board.reply([answer]).judged
    )
    with pytest.raises(DataError, match="Give one"):
        board.reply([answer, answer])


@pytest.mark.parametrize("preset", EXPERIMENTS["fisher"].presets)
def test_histograms_of_projections_turn_with_the_direction(shown, preset):
    rows, found = experiment_rows("fisher", preset), shown["fisher", preset]
    X, codes = (rows.X[:100], rows.codes[:100]) if preset == "classic" else (rows.X, rows.codes)
    n = np.bincount(codes)
    per_row = []
    for frame in found.frames[1::7]:
        way, _, one, other, scatters, curve, dot, *_ = frame.places
        w = (way[1] - way[0]) / np.linalg.norm(way[1] - way[0])
        z = [(X @ w)[codes == k] for k in (0, 1)]
        between = n[0] * n[1] / n.sum() * (z[1].mean() - z[0].mean()) ** 2
        within = sum(each.var() * len(each) for each in z)
        np.testing.assert_allclose(scatters[:, 1], [between, within], rtol=1e-9)
        assert dot[0, 1] == pytest.approx(between / within)
        angle = np.degrees(np.arctan2(w[1], w[0]))
        assert dot[0, 0] == pytest.approx(angle, abs=1e-6)
        assert any(np.array_equal(dot[0], each) for each in curve)
        for outline, each in ((one, z[0]), (other, z[1])):
            along, across = outline @ w, outline @ [-w[1], w[0]]
            np.testing.assert_allclose(across[[0, -1]], way[0] @ [-w[1], w[0]])
            # Bars lie where the rows are, and their areas count them.
            assert along.min() <= each.min() and each.max() <= along.max()
            area = np.sum(np.diff(along) * (across[1:] + across[:-1] - 2 * across[0]) / 2)
            per_row.append(abs(area) / len(each))
    np.testing.assert_allclose(per_row, per_row[0])


def test_rows_and_boundary_have_true_coordinates_in_both_planes(shown):
    functions = {
        "classic": lambda X: X**2,
        "xor": lambda X: np.stack([X[:, 0], X[:, 0] * X[:, 1]], axis=1),
    }
    for preset, phi in functions.items():
        rows, found = experiment_rows("basis", preset), shown["basis", preset]
        _, _, *classes, curve, line = found.frames[-1].places[:6]
        for k, places in enumerate(classes):
            np.testing.assert_allclose(places, phi(rows.X[rows.codes == k]))
        normal = np.array([line[0, 1] - line[1, 1], line[1, 0] - line[0, 0]])
        offsets = phi(curve[np.isfinite(curve).all(axis=1)]) @ normal - line[0] @ normal
        np.testing.assert_allclose(offsets / np.linalg.norm(normal), 0, atol=0.1)
        for frame in found.frames[1:-1]:
            here, there, *_ = frame.places
            np.testing.assert_allclose(phi(here), there)


def test_only_few_rows_make_qda_worse_than_lda(shown):
    found = shown["bayes", "regret"]
    lda, qda, squares = (place[:, 1] for place in found.frames[-1].places[:3])
    assert qda[0] > lda[0] and qda[-1] < lda[-1] < squares[-1]
    assert 84 < found.answer <= 336


def test_rows_of_experiments_are_data_sets():
    for word, name in ALL:
        if EXPERIMENTS[word].presets[name].rows is not None:
            fewest = 20 if word == "own-rows" else 12 if name == "irls" else 100
            assert experiment_rows(word, name).n_rows >= fewest
    with pytest.raises(DataError, match="has no rows"):
        experiment_rows("ambiguity")
    with pytest.raises(DataError, match="Choose one of classic"):
        demonstrate("fisher", "nothing")
    with pytest.raises(DataError, match="Choose one of one-function"):
        demonstrate("nothing")


def test_lines_are_fitted_to_rows_of_ones_own():
    board = EXPERIMENTS["own-rows"].presets["classic"].board
    points = [(-2.0, 0.0, 0), (-1.0, 1.0, 0), (2.0, 0.0, 1), (1.0, 1.0, 1)]
    sentence, lines, _ = board.reply(points)
    assert sentence == (
        "Misclassified of 4 rows: least squares 0, LDA 0, logistic regression 0 and perceptron 0."
    )
    assert json.dumps([lines, board.settings(), board.start()], allow_nan=False)
    np.testing.assert_allclose([end[0] for end in lines[0]["ends"]], 0, atol=1e-9)
    for wrong, words in (
        ([(x, y, 0) for x, y, _ in points], "fewer than two"),
        ([], "fewer than two"),
        ([*points[:3], (7.0, 0.0, 1)], "outside the window"),
        ([*points[:3], (np.nan, 0.0, 1)], "outside the window"),
        ([*points[:3], (1.0, 0.0, 2)], "neither class"),
        ([(0.0, 0.0, i % 2) for i in range(201)], "at most 200"),
        ([*points[:3], (1.0, 0.0)], "two coordinates and a class"),
    ):
        with pytest.raises(DataError, match=words):
            board.reply(wrong)


def test_points_of_ones_own_are_experiment_and_data():
    points = ((-2.0, 0.0, 0), (-1.0, 1.0, 0), (2.0, 0.0, 1), (1.0, 1.0, 1), (-1.5, 0.5, 1))
    found = demonstrate("own-rows", "far", points=points)
    assert found.answer == 1 and found.frames[0].sentence == "5 rows of two classes."
    rows = experiment_rows("own-rows", "far", points=points)
    np.testing.assert_array_equal(rows.X, [point[:2] for point in points])
    assert rows.codes.tolist() == [0, 0, 1, 1, 1] and rows.name == "own rows"
    start = EXPERIMENTS["own-rows"].presets["far"].board.start()
    np.testing.assert_array_equal(experiment_rows("own-rows", "far").X, [p[:2] for p in start])
    with pytest.raises(DataError, match="not accept your own points"):
        demonstrate("fisher", points=points)
    with pytest.raises(DataError, match="not accept your own letter"):
        demonstrate("fisher", letter="to be")


def test_the_bar_of_the_likelihood_ends_at_the_sum_of_all_log_densities():
    board, data = (
        EXPERIMENTS["likelihood"].presets["hand"].board,
        experiment_rows("likelihood", "hand"),
    )
    X, codes = data.X[:100], data.codes[:100]
    (one, other, *_), covariance = np.array(board.start())[:, :2], 0.4 * np.eye(2)
    densities = [multivariate_normal(mean, covariance).logpdf(X) for mean in (one, other)]
    value = sum(
        densities[k][codes == k].sum() + np.sum(codes == k) * np.log(np.mean(codes == k))
        for k in (0, 1)
    )
    bar, mark = board.reply(board.start()).lines
    assert bar["ends"][1][1] == pytest.approx(value, abs=0.02) and not bar.get("isAnswer")
    assert mark["isAnswer"] and mark["ends"][0][1] == pytest.approx(-138.4696, abs=1e-3)
    frames = demonstrate("likelihood", "hand").frames
    assert np.isnan(frames[0].places[3]).all(), "the maximum is not seen before it is revealed"
    assert frames[-1].places[2][1, 1] == pytest.approx(-138.4696, abs=1e-3)


def test_the_estimates_are_the_maximum_of_the_likelihood_by_hand():
    board = EXPERIMENTS["likelihood"].presets["hand"].board
    assert "−138.4696: the maximum." in board.reply(board.best()).judged
    below = board.reply(board.start()).judged
    assert "below the maximum" in below and "Σ = (0.40, 0.00; 0.00, 0.40)" in below
    best = np.array(board.best())
    for i in range(4):
        for j in (0, 1):
            moved = best.copy()
            moved[i, j] += 0.05
            if i == 0:  # its handles go along
                moved[2:, j] += 0.05
            points = [(x, y, int(code)) for x, y, code in moved]
            assert "below the maximum" in board.reply(points).judged
    flat = [*board.start()[:3], board.start()[2]]
    with pytest.raises(DataError, match="Σ is singular"):
        board.reply(flat)
    with pytest.raises(DataError, match="Give four"):
        board.reply(board.start()[:3])
    found = demonstrate("likelihood", "hand", points=board.start())
    assert found.answer == pytest.approx(-138.4696, abs=5e-5)
    assert experiment_rows("likelihood", "hand", points=board.start()).n_rows == 300


def test_gaussian_classes_have_linear_log_odds_and_a_sigmoid():
    """PRML (4.57), (4.66) and (4.67), by hand, for parameters that were dragged."""
    board = EXPERIMENTS["sigmoid"].presets["hand"].board
    base, tall = board.ticks[0][0], board.ticks[2][0] - board.ticks[0][0]
    means, sigma, prior = (-1.0, 1.5), 0.8, 0.3
    points = [(means[0], base, 0), (means[1], base, 1), (means[0] + sigma, base, 0),
              (5.6, base + tall * prior, 1)]  # fmt: skip
    slope = (means[1] - means[0]) / sigma**2
    intercept = (means[0] ** 2 - means[1] ** 2) / (2 * sigma**2) + np.log(prior / (1 - prior))
    sentence, lines, judged = board.reply(points)
    assert f"{-intercept / slope:.4f}" in judged and f"{-intercept / slope:.4f}" not in sentence
    assert f"a(x) = {slope:.4f} x" in judged
    posterior = np.array(lines[3]["ends"])
    x, p = posterior[:, 0], (posterior[:, 1] - base) / tall
    joint = [
        share * np.exp(-((x - mean) ** 2) / (2 * sigma**2))
        for mean, share in zip(means, (1 - prior, prior), strict=True)
    ]
    np.testing.assert_allclose(p, joint[1] / (joint[0] + joint[1]), atol=5e-4)
    assert json.dumps([lines, board.settings(), board.start()], allow_nan=False)
    with pytest.raises(DataError, match="Give four"):
        board.reply(points[:3])


def test_a_letter_of_ones_own_is_counted_word_by_word():
    found = demonstrate("likelihood", letter="Question? Not to be, not to BE; alas, Yorick")
    heights = found.frames[1].places[0][:, 1]
    # Ham has 4, 4, 2, 1, 1 of twelve words, spam 1, 2, 1, 2, 6: with the letter's 2, 2, 0, 2, 1.
    odds = np.log(np.array([4, 4, 2, 1, 1]) / [1, 2, 1, 2, 6]) * [2, 2, 0, 2, 1]
    np.testing.assert_allclose(heights, [*odds, odds.sum()], atol=1e-12)
    assert found.finding.endswith("Not in the four letters: alas and yorick.")
    with pytest.raises(DataError, match="None of its words"):
        demonstrate("likelihood", letter="alas!")


def test_iteratively_reweighted_least_squares_step_by_step(shown):
    found = shown["race", "irls"]
    whole, rows = (numbers.frame for numbers in found.numbers)
    x, t = rows["x"].to_numpy()[:12], rows["t"].to_numpy()[:12]
    design = np.column_stack([x, np.ones(12)])
    w = np.zeros(2)
    for step, part in rows.groupby("steps"):
        y = 1 / (1 + np.exp(-design @ w))
        R = np.diag(y * (1 - y))
        z = design @ w - np.linalg.solve(R, y - t)
        np.testing.assert_allclose(part[["y", "R", "z"]], np.column_stack([y, np.diag(R), z]))
        at = whole[whole["steps"] == step].iloc[0]
        np.testing.assert_allclose(at[["w", "w0"]].astype(float), w, atol=1e-9)
        gradient = design.T @ (y - t)
        np.testing.assert_allclose(at[["∂E/∂w", "∂E/∂w0"]].astype(float), gradient, atol=1e-9)
        hessian = design.T @ R @ design
        np.testing.assert_allclose(at["H: w, w0"], hessian[0, 1])
        # A point's third coordinate, its area, is R; above at its target, below at z.
        above, below = (found.frames[step + 1].places[i : i + 2] for i in (0, 4))
        drawn = [np.concatenate(pair)[:, 1:] for pair in (above, below)]
        by_class = np.argsort(t, kind="stable")
        np.testing.assert_allclose(drawn[0], np.column_stack([t, np.diag(R)])[by_class])
        np.testing.assert_allclose(drawn[1], np.column_stack([z, np.diag(R)])[by_class])
        np.testing.assert_allclose(
            found.frames[step + 1].coordinates()[0]["size"], np.diag(R)[t == 0], rtol=1e-3
        )
        sigmoid, straight = (found.frames[step + 1].places[i] for i in (2, 6))
        np.testing.assert_allclose(sigmoid[:, 1], 1 / (1 + np.exp(-straight[:, 1])))
        np.testing.assert_allclose(straight[:, 1], w[0] * straight[:, 0] + w[1], atol=1e-9)
        w = np.linalg.solve(hessian, design.T @ R @ z)


def test_a_prediction_is_set_against_the_answer():
    preset = EXPERIMENTS["far-points"].presets["classic"]
    assert preset.verdict(None, 15) == "Computed: 15 rows."
    assert preset.verdict(None, 1) == "Computed: 1 row."
    assert preset.verdict(15.2, 15) == "Your prediction is exact: 15 rows."
    loss = EXPERIMENTS["bayes"].presets["classic"]
    assert loss.verdict(-0.5, -0.15129) == "Your prediction: −0.5000. Computed: −0.1513."


def test_a_prediction_is_drawn_beside_the_outcome(shown):
    """The line at the predicted distance from the origin; none for impossible or exact guesses."""
    usual, found = shown["one-function", "classic"], demonstrate("one-function", guess=1.6)
    assert found.moving == usual.moving and len(usual.figure.data) < len(found.figure.data)
    ghost = found.figure.data[len(usual.figure.data)]
    assert ghost.name == "your prediction: 1.600"
    (x0, x1), (y0, y1) = ghost.x, ghost.y
    assert abs(x0 * y1 - x1 * y0) / np.hypot(x1 - x0, y1 - y0) == pytest.approx(1.6, abs=0.05)
    for guess in (40.0, usual.answer):
        assert demonstrate("one-function", guess=guess).figure is usual.figure or len(
            demonstrate("one-function", guess=guess).figure.data
        ) == len(usual.figure.data)
    for place in (("fisher", "classic"), ("bayes", "classic"), ("likelihood", "mean")):
        values = [frame.value for frame in shown[place].frames[1:]]
        assert shown[place].frames[shown[place].stop].value == pytest.approx(shown[place].answer)
        assert np.isfinite(values).all()
    assert "your prediction: 12" in str(lincore.laboratory.answer("far-points", guess=12.0).plot())


#: Headings of the lecture and of the text on faces, as they print them.
HEADINGS = {
    "Linear Classifiers",
    "Geometry of Binary Classification",
    "Multi-class Classification",
    "Least Square Classifier",
    "Why not to use LS Classifier?",
    "Within-class Scatterness",
    "Between-class Scatterness",
    "Fisher Discriminant Analysis",
    "Probabilistic Classification",
    "Continuous Input Variable",
    "Linear Decision Boundary",
    "Naïve Bayes",
    "Computing Lab",
    "Probabilistic Discriminative Model",
    "Fixed Learning Rate",
    "Appendix 0",
}


def test_passages_and_formulas_cite_headings_that_exist():
    cited = [found for one in EXPERIMENTS.values() for found in re.findall("“(.+?)”", one.passage)]
    sources = [one.source.partition(" (")[0].split(", ", 1)[1] for one in FORMULAS.values()]
    cited += [one for one in sources if not one.startswith(("eq", "section"))]
    assert len(cited) > 15
    assert set(cited) <= HEADINGS
