"""Naive Bayes without smoothing: words that exclude a class in equation, plot and bars."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import inspection, plots
from lincore.estimators import boundary
from lincore.model_selection import pipeline_for
from lincore.plots import coefficients

WORDS = ["to", "be", "or", "money", "win", "question"]
SHARES = ([3, 3, 2, 0, 0, 1], [1, 0, 2, 3, 2, 1])


def documents():
    rng = np.random.default_rng(0)
    lines = ["text,kind"]
    for kind, share in zip(("ham", "spam"), SHARES, strict=True):
        for _ in range(40):
            words = rng.choice(WORDS, 10, p=np.array(share) / sum(share))
            lines.append(f"{' '.join(words)},{kind}")
    return lincore.load("\n".join(lines).encode(), target="kind", name="documents.csv")


@pytest.fixture(scope="module")
def fitted():
    data = documents()
    pipeline = pipeline_for(data, lincore.MultinomialNB(alpha=0))
    return data, pipeline.fit(data.X, data.codes)


def test_there_is_no_equation_and_why(fitted):
    data, pipeline = fitted
    with pytest.raises(ValueError, match="3 words that are absent from a class exclude it"):
        inspection.boundary_equation(pipeline, data, 1, 0)
    one = lincore.MultinomialNB(alpha=0).fit([[2, 1], [1, 0], [1, 1]], ["a", "b", "a"])
    with pytest.raises(ValueError, match="1 word that is absent from a class excludes it"):
        boundary(one, 0, 1)
    smooth = lincore.MultinomialNB().fit([[2, 1], [1, 0], [1, 1]], ["a", "b", "a"])
    assert boundary(smooth, 0, 1).is_linear


def test_the_contour_shows_what_the_model_itself_says(fitted):
    data, pipeline = fitted
    rows = np.arange(data.n_rows)
    plane = inspection.default_plane(pipeline, data, rows)
    view = inspection.make_view(pipeline, data, rows, plane)
    proba = np.exp(view.log_posterior(view.points))
    assert np.isfinite(proba).all() and np.allclose(proba.sum(axis=1), 1)
    for quantity in view.quantities:
        shades = [t for t in plots.contour(view, quantity=quantity).data if t.type == "contour"]
        assert len(shades) == 2 and all(shade.z.max() > 0 for shade in shades)


def test_infinite_coefficients_are_bars_that_say_so(fitted):
    data, pipeline = fitted
    rows = np.arange(data.n_rows)
    found = inspection.score_coefficients(pipeline, data, rows, ("spam over ham",))
    assert np.isinf(found.per_deviation[0]).sum() == 3
    figure = coefficients(found.names, found.per_deviation[0])
    lengths = np.asarray(figure.data[0].x)
    assert np.isfinite(lengths).all()
    endless = np.abs(lengths) == np.abs(lengths).max()
    assert endless.sum() == 3
    assert {figure.data[0].text[i] for i in np.flatnonzero(endless)} == {"∞", "−∞"}
    assert "infinite" in {row[1] for row in figure.data[0].customdata}
    assert "∞" in figure.layout.meta["subtitle"]
