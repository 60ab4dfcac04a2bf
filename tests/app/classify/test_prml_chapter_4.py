"""The table, the line and the posteriors of "prml-chapter-4-in-r", on the page Classify."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import inspection
from lincore.model_selection import pipeline_for
from tests.app.classify.test_classify import choose, open_classify, open_panel
from tests.app.data_page import plain
from tests.app.test_pages import assert_fine, figures, main_text

SAMPLE = "prml chapter 4"


def numbers_of(equation: str) -> list[float]:
    """Return the coefficients of "a · X1 − b · X2 − c = 0" with their signs."""
    plain = equation.replace("− ", "-").replace("+ ", "").replace("−", "-")
    return [float(term) for term in plain.split() if term.lstrip("-").replace(".", "").isdigit()]


def test_the_line_is_that_of_the_text_and_all_200_new_rows_are_right():
    app = open_panel(open_classify("least-squares", SAMPLE), "Coefficients")
    *w, w0, zero = numbers_of(app.code[0].value)
    assert (*w, w0, zero) == pytest.approx((0.91946, -0.51049, -2.5757, 0), abs=6e-5)
    assert np.degrees(np.arctan2(w[1], w[0])) == pytest.approx(-29.0393, abs=2e-3)
    data = lincore.sample(SAMPLE)
    split = lincore.split(data, "given")
    fitted = pipeline_for(data, lincore.LeastSquaresClassifier())
    fitted.fit(data.X[split.train], data.codes[split.train])
    table = np.zeros((2, 2), dtype=int)
    np.add.at(table, (data.codes[split.test], fitted.predict(data.X[split.test])), 1)
    assert table.tolist() == [[130, 0], [0, 70]]
    # The page's headline is of the same 200 rows.
    assert "none of them misclassified" in main_text(app) or "200 test rows" in main_text(app)
    text = main_text(app).replace("\\", "")
    assert "100.0 %" in text and "200 test rows" in text


@pytest.mark.usefixtures("unfolded")
def test_posteriors_at_typed_values_are_those_of_the_text_and_the_row_is_drawn():
    app = open_classify("lda", SAMPLE)
    choose(app, "experiment.lda.priors", "equal")
    open_panel(app, "What if")
    for point, wanted in {
        (4.0, 5.0): (100, 0),
        (6.0, 3.0): (0, 100),
        (5.3, 4.5): (46.8, 53.2),
    }.items():
        fields = [one for one in app.number_input if one.key.endswith(".typed")]
        for field, value in zip(fields, point, strict=True):
            field.set_value(value)
        app.run()
        assert_fine(app)
        shown = app.dataframe[0].value.set_index("class")["posterior"]
        assert tuple(shown[["1", "2"]]) == pytest.approx(wanted, abs=0.05)
    sliders = [one.value for one in app.slider if one.key.startswith("classify.whatif")]
    assert sliders == pytest.approx([5.3, 4.5], abs=0.05)


def test_a_slider_writes_its_value_into_the_field_and_a_star_follows():
    app = open_panel(open_classify("lda", SAMPLE), "What if")
    slider = next(one for one in app.slider if one.key.startswith("classify.whatif"))
    slider.set_value(slider.max).run()
    fields = [one.value for one in app.number_input if one.key.endswith(".typed")]
    assert fields[0] == pytest.approx(slider.max)

    stars = [
        trace
        for figure in figures(app)
        for trace in figure["data"]
        if trace.get("marker", {}).get("symbol") == "star"
    ]
    assert len(stars) == 1


def test_a_row_lies_where_it_does_in_each_kind_of_plane():
    data = lincore.sample(SAMPLE)
    rows = np.arange(100)
    fitted = pipeline_for(data, lincore.LinearDiscriminantAnalysis())
    fitted.fit(data.X[rows], data.codes[rows])
    for plane in (
        inspection.feature_plane(data, (1, 0), rows),
        inspection.principal_plane(fitted, data, rows),
        inspection.discriminant_plane(fitted, data, rows, n_axes=1),
        inspection.model_plane(fitted, data, rows),
    ):
        view = inspection.make_view(fitted, data, rows, plane)
        for row in (3, 40):
            place = inspection.row_in_view(view, plane, fitted, data.X[[row]])
            np.testing.assert_allclose(place, view.points[row], atol=1e-12)


def test_what_was_learned_of_the_rows_is_printed_with_the_known_numbers():
    app = open_panel(open_classify("lda", SAMPLE), "What was learned")
    classes, matrix, ratio = (frame.value for frame in app.dataframe[:3])
    assert classes["rows"].tolist() == [53, 47]
    assert classes["prior"].tolist() == pytest.approx([0.53, 0.47])
    data = lincore.sample(SAMPLE)
    X, y = data.X[:100], data.codes[:100]
    means = [X[y == k].mean(axis=0) for k in (0, 1)]
    shown = classes[["mean of X1", "mean of X2"]].to_numpy()
    np.testing.assert_allclose(shown, means)
    pooled = sum((X[y == k] - means[k]).T @ (X[y == k] - means[k]) for k in (0, 1)) / 100
    np.testing.assert_allclose(matrix[["X1", "X2"]].to_numpy(), pooled)
    np.testing.assert_allclose(ratio["b"], np.linalg.solve(pooled, means[1] - means[0]))
    assert "-138.4696 nats" in plain(main_text(app))
    assert "inputs of the classifier" not in main_text(app), "all of them are shown"
    places = {"S_W": 1, "S_B": 2}
    for name, place in places.items():
        choose(app, "classify.learned.matrix.which", place)
        found = app.dataframe[1].value[["X1", "X2"]].to_numpy()
        centre = X.mean(axis=0)
        between = sum(
            (y == k).sum() * np.outer(means[k] - centre, means[k] - centre) for k in (0, 1)
        )
        np.testing.assert_allclose(found, 100 * pooled if name == "S_W" else between)


def test_every_kind_of_model_shows_what_it_learned():
    app = open_panel(open_classify(), "What was learned")
    for word in ("qda", "diagonal-lda", "naive-bayes", "logistic", "least-squares"):
        choose(app, "classify.classifier", word)
        assert_fine(app)
        assert not app.error and len(app.dataframe) >= 3, word
        assert ("nats" in main_text(app)) == (word != "least-squares"), word
