"""A visitor turns, chooses and rebuilds on Explore; what stands there is the library's."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import inspection, model_selection
from tests.data import DATA, needs_data

pytestmark = pytest.mark.browser


def projected(data, standardize: bool):
    split = lincore.split(data)
    part = model_selection.summarise_training_set(data, split)
    return split, inspection.fit_projections(data, part, standardize=standardize)


def test_a_lasso_lists_exactly_the_rows_inside(dashboard):
    dashboard.goto()
    dashboard.visit("explore")
    place = dashboard.element("explore.view").bounding_box()
    dashboard.choose("explore.view", "PCA and Fisher")
    assert dashboard.element("explore.view").bounding_box() == place, "the next click would miss"
    iris = lincore.sample("iris")
    split, found = projected(iris, True)
    x, y = found.scores(iris.X[split.train], (0, 1)).T
    # Three flowers at the top, far from the lasso's rope: no pixel decides about them.
    inside = split.train[(x > 1.9) & (x < 2.7) & (y > 1.6) & (y < 2.95)]
    assert len(inside) == 3
    corners = [(1.9, 1.6), (2.7, 1.6), (2.7, 2.95), (1.9, 2.95)]
    dashboard.select_lasso("explore.pca", corners)
    listed = dashboard.table("explore.pca.chosen.table")
    place = listed[0].index("row")
    assert sorted(int(line[place]) for line in listed[1:]) == sorted(inside.tolist())
    assert f"{len(inside)} rows." in dashboard.text()

    dashboard.choose("explore.scatter.dimensions", "3-D")
    assert dashboard.scenes("explore.pca.figure") == 1
    dashboard.check()


@pytest.mark.long
@needs_data
def test_faces_from_a_click_to_their_reconstruction(dashboard):
    dashboard.goto()
    dashboard.upload("data.upload", DATA / "faces3_bmp30.zip")
    dashboard.visit("explore")
    faces = lincore.load(DATA / "faces3_bmp30.zip")
    split, found = projected(faces, False)
    scores = found.scores(faces.X[split.train], (0, 1))
    apart = np.linalg.norm(scores[:, None] - scores[None], axis=2) + 1e9 * np.eye(len(scores))
    row = int(split.train[apart.min(axis=1).argmax()])  # alone: nothing lies over it
    dashboard.click_row("explore.pca", row)
    (image,) = dashboard.figure("explore.pca.chosen.figure")["data"]
    np.testing.assert_array_equal(np.reshape(image["z"], -1), faces.X[row])

    dashboard.open_tab("explore.panels.images", "Reconstruction")
    number = dashboard.element("explore.reconstruction.image").locator("input").first.input_value()
    assert int(number) == row
    dashboard.slide("explore.reconstruction.n_components", 25)
    error = inspection.reconstruction_error(found, faces.X[split.test], 25)
    dashboard.page.get_by_text(f"of a pixel is {error:.1f} of 255 grey levels").first.wait_for()
    drawn = dashboard.figure("explore.reconstruction.figure")["data"]
    rebuilt = np.clip(np.rint(found.rebuilt(faces.X[[row]], 25)), 0, 255)[0]
    np.testing.assert_array_equal(np.reshape(drawn[-1]["z"], -1), rebuilt)
    dashboard.screenshot("explore-faces-rebuilt")
    dashboard.check()


@pytest.mark.long
def test_a_sheet_of_images_is_as_tall_as_it_is_drawn(dashboard):
    for width in (1440, 390):
        dashboard.goto(width=width)
        dashboard.choose("data.sample", "Digits")
        dashboard.visit("explore")
        if width < 600:
            dashboard.close_sidebar()
        dashboard.open_tab("explore.panels.images", "Eigen-images")
        sheet = dashboard.figure("explore.eigenimages.figure")["layout"]
        margins = sheet["margin"]["t"] + sheet["margin"]["b"]
        # The images fill the width that they have, and their names stand side by side.
        drawn = dashboard.element("explore.eigenimages.figure").bounding_box()
        shown = sheet["meta"]["sheet"]
        across = min(drawn["width"] - 16, shown["width"])
        assert drawn["height"] == pytest.approx(across * shown["ratio"] + margins, abs=3)
        names = dashboard.element("explore.eigenimages.figure").locator(".annotation-text").all()
        ends = [name.bounding_box() for name in names[:6]]
        assert all(a["x"] + a["width"] < b["x"] for a, b in zip(ends, ends[1:], strict=False))
        dashboard.check()
