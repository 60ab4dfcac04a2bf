"""The page Data with samples, downloads, Gaussian classes to order and the real files."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import lincore
from lincore import DataError
from lincore.analysis import GeneratedData, SampleData
from lincore.data import ellipse_covariance
from lincore.io import sample
from pages.ui.session import state
from pages.ui.session.sources import source_of_sample
from pages.ui.widgets import text
from tests.app.data_page import bring, data_of, wait
from tests.app.test_pages import assert_fine, figures, main_text, open_app, unbound
from tests.data import DATA, needs_data


def test_gaussian_classes_are_drawn_to_order_with_their_truth():
    app = open_app()
    app.session_state["data.draw"] = True
    app.run()
    for key, value in {"classes": 4, "features": 3, "seed": 7}.items():
        app.number_input(key=f"data.draw.{key}").set_value(value)
    for key, value in {"distance": 4.0, "outliers": 0.05, "noise": 0.1}.items():
        app.number_input(key=f"data.draw.{key}").set_value(value)
    app.run()
    assert_fine(app)
    app.button(key="data.draw.go").click().run()
    assert_fine(app)
    data = data_of(app)
    assert data.X.shape == (600, 3) and data.counts.sum() == 600
    assert (data.truth.outliers, data.truth.label_noise) == (0.05, 0.1)
    np.testing.assert_allclose(data.truth.covariances[0], ellipse_covariance(n_features=3))
    assert "on these Gaussians" in main_text(app) and r"5 % outliers" in main_text(app)
    came = app.session_state[state.SOURCE]
    assert came.kind == "generated" and came.seed == 7
    app.toggle(key="data.draw.mixed").set_value(True).run()
    app.button(key="data.draw.go").click().run()
    assert_fine(app)
    assert data_of(app).n_rows == 600 and app.session_state[state.SOURCE].sizes == 600
    assert figures(app)


def test_the_least_error_of_unequal_classes_has_their_priors():
    app = open_app()
    arguments = {"sizes": (900, 100), "means": ((0.0,), (1.5,))}
    data = lincore.io.gaussian_classes(**arguments)
    app.session_state[state.DATASET] = data
    app.session_state[state.SOURCE] = GeneratedData(**arguments)
    assert_fine(app.run())
    best = lincore.BayesClassifier(data.truth.means, data.truth.covariances, priors=[0.9, 0.1])
    error = lincore.bayes_error(best, standard_error=5e-4)
    found = data.true_parameters().finding()
    assert f"below {100 * error.value:.2f}" in found
    assert unbound(text.escape(found)) in main_text(app)
    assert (
        "The largest class, 'class 1', has 900 rows, the smallest, 'class 2', 100 (ratio 9.0)."
        in (main_text(app).replace("\\", ""))
    )


def test_more_rows_than_a_link_can_hold_are_refused_and_the_data_stay():
    def script() -> None:
        from pages.ui.session import commands, state

        state.choose_sample("iris")
        commands.generate({"sizes": [60_000, 60_000], "means": [[0.0], [1.0]]})
        assert state.require_dataset().name == "iris"
        assert "There would be 120,000 rows" in state.refused().notice.what

    app = AppTest.from_function(script, default_timeout=30).run()
    assert not app.exception


def test_a_download_without_a_network_says_so_and_loses_nothing(monkeypatch):
    def fetch(name):
        raise DataError("It cannot be downloaded: no route.", where=name, remedy="Check the net.")

    monkeypatch.setattr("lincore.io.fetch_dataset", fetch)
    app = open_app()
    app.pills(key="data.download").set_value("mnist").run()
    wait(app)
    assert "no route" in app.error[0].value and data_of(app).name == "iris"


@pytest.mark.parametrize("name", ["iris", "gaussian"])
def test_the_columns_of_a_sample_can_be_used_otherwise(name):
    bundled = sample(name)
    found = source_of_sample(bundled, name)
    assert found.dataset() is bundled
    assert [column.role for column in found.columns] == ["feature"] * bundled.n_features + [
        "target"
    ]
    without = found.with_roles({bundled.feature_names[0]: "ignore"})
    fewer = without.dataset()
    assert fewer.feature_names == bundled.feature_names[1:]
    np.testing.assert_array_equal(fewer.X, bundled.X[:, 1:])
    np.testing.assert_array_equal(fewer.y, bundled.y)
    assert without.with_choices(roles={}).dataset() is bundled


def test_a_sample_is_changed_on_the_page_and_put_back():
    app = open_app()
    assert app.selectbox(key="data.target").value == "species"
    bundled = data_of(app)
    app.button(key="data.finding.0.0").click().run()
    assert_fine(app)
    assert data_of(app).n_rows == 149
    assert app.session_state[state.SOURCE].origin == SampleData("iris")
    app.button(key="data.undo.drop_duplicates.0").click().run()
    assert_fine(app)
    assert data_of(app).digest == bundled.digest
    # Digits are images: there are no columns to choose among.
    app.pills(key="data.sample").set_value("digits").run()
    assert_fine(app)
    assert not any(box.key == "data.target" for box in app.selectbox)


@pytest.mark.usefixtures("unfolded")
def test_limits_are_stated():
    text = main_text(open_app())
    assert "50 million cells" in text and "25 megapixels" in text and "200 MB" in text


TABLES = {
    "ecoli_noheader.csv": "no header",
    "gapminder_semicolon_decimalcomma.txt": "decimal comma",
    "german_credit.csv": "comma",
    "mushrooms.csv": "comma",
    "oil_spill_noheader.csv": "no header",
    "penguins_raw.csv": "comma",
    "pima_noheader.csv": "no header",
    "sms_spam_latin1.csv": "Windows",
    "telco_churn.csv": "comma",
    "titanic.csv": "comma",
    "winequality_red_semicolon.csv": "semicolon",
}


@needs_data
@pytest.mark.long
@pytest.mark.parametrize("name", TABLES)
def test_real_tables_go_through_the_page(name):
    app = bring(open_app(), (name, (DATA / "csv" / name).read_bytes()))
    assert not app.error and TABLES[name] in main_text(app)
    for page in ("pages/explore.py", "pages/classify.py"):
        app.switch_page(page).run()
        assert_fine(app)


@needs_data
@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "shape", "n"),
    [
        ("faces3_bmp30.zip", (30, 30), 3000),
        ("orl_faces.zip", (112, 92), 400),
        ("mnist.npz", (28, 28), 70_000),
        ("cifar10_lossless_sample.npz", (32, 32, 3), 5000),
    ],
)
def test_real_images_go_through_the_page(name, shape, n):
    app = bring(open_app(), (name, (DATA / name).read_bytes()))
    assert not app.error
    assert data_of(app).image_shape == shape and data_of(app).n_rows == n
