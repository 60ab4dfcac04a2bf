"""Every experiment: its frames fit its figure, and what it says has the known numbers."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

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
    assert 3 <= len(found.frames) <= 80
    n_traces = len(found.figure.data)
    assert len(set(found.moving)) == len(found.moving) and max(found.moving) < n_traces
    for frame in found.frames:
        assert frame.label
        assert len(frame.places) == len(found.moving)
        assert all(each.ndim == 2 and each.shape[1] == 2 for each in frame.places)
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
    if axes.yaxis.scaleanchor == "x":
        spans = [np.ptp(axis.range) for axis in (axes.xaxis, axes.yaxis)]
        assert axes.yaxis.scaleratio == 1 and spans[0] == pytest.approx(spans[1])


@pytest.mark.parametrize("preset", EXPERIMENTS["perceptron"].presets)
def test_the_direction_of_a_perceptron_begins_on_its_boundary_at_a_right_angle(shown, preset):
    checked = 0
    for frame in shown["perceptron", preset].frames:
        boundary, arrow, _ = frame.places
        if np.isfinite(boundary).all() and np.isfinite(arrow[:2]).all():
            along, direction = boundary[1] - boundary[0], arrow[1] - arrow[0]
            away = arrow[0] - boundary[0]
            scale = np.linalg.norm(along) * np.linalg.norm(direction)
            assert along @ direction == pytest.approx(0, abs=1e-6 * scale)
            assert along[0] * away[1] == pytest.approx(along[1] * away[0], abs=1e-6 * scale)
            checked += 1
    assert checked


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
    ("race", "afar", 6, 0, "exploded", "always arrives"),
    ("race", "irls", 5, 0, "it is the minimum", "(0.8833, −0.6763)"),
    ("covariances", "classic", 72, 0, "169 misclassified, halfway 84", "QDA"),
    ("bayes", "classic", -0.1513, 5e-5, "0.6534 at 2", "0.1953 at 5"),
    ("bayes", "truth", 6.298, 5e-4, "0.0006298", "one row in"),
    ("basis", "classic", 0, 0, "logistic regression 0, least squares 1", "100 of 200 in x"),
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
        _, squares, lda = frame.places
        directions = [np.diff(each, axis=0)[0] for each in (squares, lda)]
        (a, b), (c, d) = (one / np.linalg.norm(one) for one in directions)
        assert a * d - b * c == pytest.approx(0, abs=1e-10)
    rows = experiment_rows("covariances")
    lda = lincore.LinearDiscriminantAnalysis().fit(rows.X, rows.codes)
    shared = lincore.QuadraticDiscriminantAnalysis(regularization=1).fit(rows.X, rows.codes)
    np.testing.assert_allclose(
        shared.decision_function(rows.X), lda.decision_function(rows.X), atol=1e-11
    )


def test_only_few_rows_make_qda_worse_than_lda(shown):
    found = shown["bayes", "regret"]
    lda, qda, squares = (place[:, 1] for place in found.frames[-1].places)
    assert qda[0] > lda[0] and qda[-1] < lda[-1] < squares[-1]
    assert 84 < found.answer <= 336


def test_rows_of_experiments_are_data_sets():
    for word, name in ALL:
        if EXPERIMENTS[word].presets[name].rows is not None:
            fewest = 20 if word == "own-rows" else 12 if name == "irls" else 100
            assert experiment_rows(word, name).n_rows >= fewest
    with pytest.raises(DataError, match="lines and no rows"):
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
        ([*points[:3], (7.0, 0.0, 1)], "outside of the window"),
        ([*points[:3], (np.nan, 0.0, 1)], "outside of the window"),
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
    with pytest.raises(DataError, match="no points of your own"):
        demonstrate("fisher", points=points)
    with pytest.raises(DataError, match="no letter of your own"):
        demonstrate("fisher", letter="to be")


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
    with pytest.raises(DataError, match="lost a dimension"):
        board.reply(flat)
    with pytest.raises(DataError, match="Give four"):
        board.reply(board.start()[:3])
    found = demonstrate("likelihood", "hand", points=board.start())
    assert found.answer == pytest.approx(-138.4696, abs=5e-5)
    assert experiment_rows("likelihood", "hand", points=board.start()).n_rows == 300


def test_a_letter_of_ones_own_is_counted_word_by_word():
    found = demonstrate("likelihood", letter="Question? Not to be, not to BE; alas, Yorick")
    heights = found.frames[1].places[0][:, 1]
    # Ham has 4, 4, 2, 1, 1 of twelve words, spam 1, 2, 1, 2, 6: with the letter's 2, 2, 0, 2, 1.
    odds = np.log(np.array([4, 4, 2, 1, 1]) / [1, 2, 1, 2, 6]) * [2, 2, 0, 2, 1]
    np.testing.assert_allclose(heights, [*odds, odds.sum()], atol=1e-12)
    assert found.finding.endswith("In none of the four letters: alas and yorick.")
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
        w = np.linalg.solve(hessian, design.T @ R @ z)


def test_a_prediction_is_set_against_the_answer():
    preset = EXPERIMENTS["far-points"].presets["classic"]
    assert preset.verdict(None, 15) == "Computed: 15 rows."
    assert preset.verdict(None, 1) == "Computed: 1 row."
    assert preset.verdict(15.2, 15) == "Your prediction is exact: 15 rows."
    loss = EXPERIMENTS["bayes"].presets["classic"]
    assert loss.verdict(-0.5, -0.15129) == "Your prediction: −0.5000. Computed: −0.1513."


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
