"""Coefficients of pixels: per standard deviation, so that pixels at the border hide nothing."""

from __future__ import annotations

import pytest

from tests.app.classify.test_classify import open_classify, open_panel
from tests.app.test_pages import figures, main_text


def test_coefficients_of_pixels_are_drawn_per_standard_deviation():
    app = open_panel(open_classify("lda", "digits"), "Coefficients")
    titles = [
        figure["layout"]["meta"]["title"] for figure in figures(app) if "meta" in figure["layout"]
    ]
    assert "Coefficients of the pixels, per standard deviation" in titles
    assert "per standard deviation of a pixel" in main_text(app)


@pytest.mark.usefixtures("unfolded")
def test_what_was_learned_of_images_is_shown_as_images():
    app = open_classify("lda", "digits")
    app.segmented_control(key="experiment.n_components.kind").set_value(2).run()
    titles = [
        figure["layout"]["meta"]["title"]
        for figure in figures(open_panel(app, "What was learned"))
        if "meta" in figure["layout"]
    ]
    for title in ("Class means", "Mean image, from which PCA starts"):
        assert title in titles
    assert "Principal components, with their eigenvalues" in titles
