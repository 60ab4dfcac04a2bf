"""Parts of fitted models on Classify: cells, weights, odds, equations, termination."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import inspection, plots
from lincore.data import Dataset
from lincore.displays import equation_latex, equation_text
from lincore.inspection import (
    boundary_equation,
    classifier_input_names,
    compare_solvers,
    confusion_cell,
    feature_weights,
)
from lincore.linalg import Quadric, Reason, iteration_callback
from lincore.model_selection import Steps, pipeline_for
from lincore.plots.plane import with_ellipses
from lincore.report import termination_reason
from lincore.utils import captured_warnings

PLAIN = Steps()


def fitted_on(name: str, line: str, steps: Steps = PLAIN):
    data = lincore.sample(name)
    split = lincore.split(data)
    model = lincore.fit(data, line, split, steps=steps)
    return data, split, model.pipeline, model.results


@pytest.mark.parametrize("line", ["lda", "fisher", "perceptron(max_epochs=3)"])
def test_every_row_is_in_exactly_one_cell(line):
    with captured_warnings():
        data, _, pipeline, results = fitted_on("gaussian", line)
    found = [confusion_cell(results, pipeline, data, i, j) for i in range(3) for j in range(3)]
    rows = np.concatenate([one.rows for one in found])
    assert sorted(rows) == sorted(results.rows)
    assert (found[0].distances is not None) == (line == "lda")
    if line == "lda":
        model = pipeline.named_steps["classify"]
        seen = pipeline[:-1].transform(data.X[found[0].rows])
        squares = [
            (row - model.means_[0]) @ np.linalg.inv(model.covariance_) @ (row - model.means_[0])
            for row in seen
        ]
        np.testing.assert_allclose(found[0].distances[:, 0] ** 2, squares)


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("lda", Steps(True, None, 2, True)),
        ("logistic", Steps()),
        ("least-squares", Steps(True, None, 2)),
    ],
)
def test_weights_of_features_are_the_slopes_of_the_scores(line, steps):
    data, split, pipeline, _ = fitted_on("iris", line, steps)
    weights = feature_weights(pipeline, data, split.train)
    row = data.X[:1].astype(float)
    for j in range(data.n_features):
        step = np.eye(data.n_features)[[j]]
        slope = pipeline.decision_function(row + step) - pipeline.decision_function(row)
        np.testing.assert_allclose(slope[0], weights.values[:, j], atol=1e-8)
    np.testing.assert_allclose(weights.spread, data.X[split.train].std(axis=0))
    with pytest.raises(TypeError, match="not linear"):
        feature_weights(fitted_on("iris", "qda")[2], data, split.train)


@pytest.mark.parametrize("line", ["lda", "qda", "naive-bayes"])
def test_the_equation_has_its_zero_where_two_classes_are_equal(line):
    data, _, pipeline, _ = fitted_on("gaussian", line, Steps(True))
    function, names = boundary_equation(pipeline, data, 0, 1)
    assert names == data.feature_names
    log_proba = pipeline.predict_log_proba(data.X)
    np.testing.assert_allclose(
        function.values(data.X), log_proba[:, 0] - log_proba[:, 1], atol=1e-8
    )
    # What is written has the same sign as what is computed, but for its digits.
    plain = equation_text(function, ["x1", "x2"]).removesuffix(" = 0")
    python = plain.replace("−", "-").replace(" · ", "*").replace("²", "**2")
    written = np.array([eval(python, {"x1": x1, "x2": x2}) for x1, x2 in data.X.tolist()])
    np.testing.assert_allclose(written, function.values(data.X), rtol=1e-3, atol=0.01)


def test_an_equation_of_many_pixels_is_written_in_components():
    data, _, pipeline, _ = fitted_on("digits", "lda", Steps(False, None, 3))
    _, names = boundary_equation(pipeline, data, 3, 8)
    assert names == ("Component 1", "Component 2", "Component 3")
    with pytest.raises(ValueError, match="too long"):
        boundary_equation(fitted_on("digits", "lda")[2], data, 3, 8)
    with pytest.raises(TypeError):
        boundary_equation(fitted_on("gaussian", "one-vs-rest")[2], lincore.sample("gaussian"), 0, 1)


def test_latex_keeps_a_users_name_from_being_a_command():
    data, _, pipeline, _ = fitted_on("gaussian", "lda")
    latex = equation_latex(boundary_equation(pipeline, data, 0, 1)[0], ["50 % {a}_b", "\\input{x}"])
    assert r"\text{50 \% \{a\}\_b}" in latex
    assert r"\input" not in latex


def test_powers_of_a_basis_are_powers_in_latex():
    line = Quadric(np.zeros((3, 3)), np.array([2.0, -1.0, 3.0]), 0.5, np.zeros(3))
    latex = equation_latex(line, ["x_1^2", "x_1^2 y", "a^b^3^4"])
    assert latex == (
        r"2\,\text{x\_1}^{2} - 1\,\text{x\_1}^{2}\text{ y} + 3\,\text{a b 3}^{4} + 0.5 = 0"
    )


def test_names_behind_a_basis():
    data, _, pipeline, _ = fitted_on("gaussian", "lda", Steps(True, "polynomial(degree=2)"))
    assert classifier_input_names(pipeline, data) == ("x1", "x2", "x1^2", "x1 x2", "x2^2")
    assert feature_weights(pipeline, data, np.arange(50)).values.shape == (3, 5)


def test_endings_say_what_the_model_knows():
    iris = lincore.sample("iris")
    with captured_warnings() as said:
        separated = lincore.LogisticRegression(C=np.inf).fit(iris.X, iris.codes)
        capped = lincore.LogisticRegression(solver="gradient", max_iter=2).fit(iris.X, iris.codes)
        swinging = lincore.LogisticRegression(solver="gradient", learning_rate=5.0)
        swinging.fit(iris.X, iris.codes)
    assert len(said) == 3
    names = iris.feature_names
    end = termination_reason(separated, names)
    assert "separable" in end.sentence and any(name in end.sentence for name in names)
    assert not end.is_fine and "finite C" in end.remedy
    assert "iteration limit" in termination_reason(capped).sentence
    assert swinging.reason_ in (Reason.OSCILLATES, Reason.DIVERGED)
    assert swinging.reason_.words in termination_reason(swinging).sentence
    several = lincore.OneVsRest(lincore.LogisticRegression()).fit(iris.X, iris.codes)
    assert termination_reason(several).sentence == "All 3 binary models converged."
    assert (
        termination_reason(lincore.LinearDiscriminantAnalysis().fit(iris.X, iris.codes)).sentence
        == ""
    )


def test_whoever_watches_can_stop_every_iterating_fit():
    iris = lincore.sample("iris")
    for model in (
        lincore.LogisticRegression(solver="gradient"),
        lincore.LogisticRegression(solver="sgd", random_state=0),
        lincore.Perceptron(random_state=0),
    ):
        steps = []

        def goes_on(step, max_iter, steps=steps):
            steps.append(step)
            return len(steps) < 4

        with captured_warnings(), iteration_callback(goes_on):
            model.fit(iris.X, iris.codes)
        assert len(steps) == 4
    plain = lincore.LogisticRegression().fit(iris.X, iris.codes)
    assert plain.converged_, "nobody watches any more"


def test_a_race_keeps_what_is_finished_when_it_is_stopped():
    iris = lincore.sample("iris")
    kept = []

    def goes_on(done, total, what):
        return not what.startswith("gradient")

    model = lincore.fit(iris, "logistic")
    solvers = ["newton", "gradient", "newton-cg"]
    lines = compare_solvers(model, solvers, progress=goes_on, keep=kept.append)
    assert [line.reason for line in lines] == [Reason.GRADIENT, Reason.STOPPED]
    assert [len(part) for part in kept] == [1, 2]


def test_ellipses_hold_95_percent_of_each_class():
    data, split, pipeline, _ = fitted_on("gaussian", "qda", Steps(False))
    view = inspection.model_view(pipeline, data, split.test)
    figure = with_ellipses(plots.boundary(view), view)
    outlines = [trace for trace in figure.data if str(trace.name).startswith("ellipse of")]
    assert len(outlines) == 3
    model = pipeline.named_steps["classify"]
    for code, trace in enumerate(outlines):
        points = np.column_stack([trace.x, trace.y]).astype(float)
        squares = model.densities_.squared_distances(points)[:, code]
        np.testing.assert_allclose(squares, -2 * np.log(0.05), rtol=1e-3)
    perceptronlike = inspection.model_view(fitted_on("gaussian", "fisher")[2], data, split.test)
    assert len(with_ellipses(plots.boundary(perceptronlike), perceptronlike).data) == len(
        plots.boundary(perceptronlike).data
    )


def test_an_equation_leaves_out_what_is_rounding_and_nothing_else():
    weights = np.array([2.0, -1.1e-16, 0.0])
    plane = Quadric(np.zeros((3, 3)), weights, 0.5, np.zeros(3))
    assert equation_text(plane, ["a", "b", "c"]) == "2 · a + 0.5 = 0"
    large = Quadric(np.zeros((3, 3)), weights, 0.0, np.array([0.0, 1e17, 0.0]))
    assert "1.1e-16 · b" in equation_text(large, ["a", "b", "c"])
    data, split, pipeline, _ = fitted_on("iris", "lda", Steps(True, n_components=2))
    same = Dataset(
        "constant", np.column_stack([data.X, np.full(data.n_rows, 0.48)]), data.codes,
        data.classes, (*data.feature_names, "constant"),
    )  # fmt: skip
    pipeline = pipeline_for(same, lincore.LinearDiscriminantAnalysis(), Steps(True, n_components=2))
    pipeline.fit(same.X[split.train], same.codes[split.train])
    function, names = boundary_equation(pipeline, same, 0, 1)
    assert "constant" in names and "constant" not in equation_text(function, names)
