"""Explore without a browser: every option, every kind of data, the library's own numbers."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

import lincore
from lincore import inspection, model_selection
from pages.ui.widgets.text import escape

ROOT = Path(__file__).resolve().parents[3]


def explore(name: str = "", raw: bytes = b"", view: str = "projections") -> AppTest:
    """Open a view of Explore on an upload, or on a sample."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=300).switch_page("pages/data.py").run()
    if raw:
        app.file_uploader[0].upload(name, raw)
        app.run()
        fine(app)
    elif name:
        app.pills(key="data.sample").set_value(name).run()
    app.switch_page("pages/explore.py").run()
    return show(app, view)


def show(app: AppTest, view: str) -> AppTest:
    fine(app)
    app.session_state["settings.explore"] = {"view": view}
    return fine(app.run())


def fine(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    for chart in app.get("plotly_chart"):
        assert chart.proto.alt.strip(), "a figure without a text alternative"
    return app


def figures(app: AppTest) -> dict[str, dict]:
    """Return the specifications of the figures of the page by their titles."""
    specs = [json.loads(chart.proto.spec) for chart in app.main.get("plotly_chart")]
    return {spec["layout"]["meta"]["title"]: spec for spec in specs}


def numbers(values) -> np.ndarray:
    if not isinstance(values, dict):
        return np.asarray(values)
    found = np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return (
        found.reshape([int(n) for n in values["shape"].split(",")]) if "shape" in values else found
    )


def text_of(app: AppTest) -> str:
    parts = [*app.header, *app.markdown, *app.caption, *app.error, *app.info]
    return "\n".join(part.value for part in parts).replace("\\", "")


def open_tab(app: AppTest, label: str) -> AppTest:
    key = next(k for k in PANELS if label in PANELS[k] and k in app.session_state)
    app.session_state[key] = label
    return fine(app.run())


PANELS = {
    "explore.panels.images": ("Eigen-images", "Class means", "Reconstruction", "Variance"),
    "explore.panels.table3": ("Variance", "Loadings", "Biplot"),
    "explore.panels.table2": ("Variance", "Loadings"),
}


def projected(name: str, standardize: bool):
    data = lincore.sample(name)
    split = lincore.split(data)
    part = model_selection.summarise_training_set(data, split)
    return data, split, inspection.fit_projections(data, part, standardize=standardize)


def test_it_opens_on_the_column_with_the_largest_association():
    app = explore(view="columns")
    assert "petal length" in app.header[0].value
    assert "Of 4 features, petal length" in app.header[0].value
    assert any(
        "p by permutation of the labels, max over 4 features" in text.value for text in app.markdown
    )
    ranked = inspection.associations(lincore.sample("iris"))
    listed = app.dataframe[1].value
    assert listed["column"].tolist() == [one.name for one in ranked]
    drawn = figures(app)["petal length (cm), by class"]
    assert drawn["layout"]["meta"]["subtitle"] == "All 150 rows."
    for code, bars in enumerate(drawn["data"]):
        values = lincore.sample("iris").X[lincore.sample("iris").codes == code, 2]
        edges = np.append(numbers(bars["customdata"])[:, 0], numbers(bars["customdata"])[-1, 1])
        inside = np.histogram(values, edges.astype(float))[0]
        np.testing.assert_allclose(numbers(bars["y"]), inside / 50, atol=0.021)
    assert app.dataframe[0].value["mean"].round(3).tolist() == [3.758, 1.462, 4.26, 5.552]


@pytest.mark.usefixtures("unfolded")
def test_every_way_to_draw_a_column_and_the_rows_it_is_drawn_from():
    app = explore("gaps.csv", ODD["gaps.csv"], view="columns")
    assert set(app.selectbox(key="explore.column.column").options) == {"size", "age", "colour"}
    for column, ways in (
        ("age", ("histogram", "density", "box")),
        ("colour", ("of_class", "of_level")),
    ):
        app.selectbox(key="explore.column.column").set_value(column).run()
        for way in ways:
            app.selectbox(key="explore.column.drawing").set_value(way).run()
            (title,) = figures(fine(app))
            assert title.startswith(column)
    assert "20 (33.3 %) are missing" in figures(app)[title]["layout"]["meta"]["subtitle"]
    app.selectbox(key="explore.rows.rows").set_value("test").run()
    assert "18 test rows" in figures(fine(app))[title]["layout"]["meta"]["subtitle"]


def test_two_columns_correlations_and_the_summary():
    app = explore("gaps.csv", ODD["gaps.csv"], view="pairs")
    (scatter,) = figures(app).values()
    drawn = [t for t in scatter["data"] if t["mode"] == "markers"]
    assert sum(len(numbers(t["customdata"])) for t in drawn) == 51, "nine rows have no age"
    assert "9 (15.0 %) are missing in both" in scatter["layout"]["meta"]["subtitle"]
    app = show(app, "correlations")
    within = numbers(next(iter(figures(app).values()))["data"][0]["z"])
    app.selectbox(key="explore.correlations.kind").set_value("total").run()
    total = numbers(next(iter(figures(fine(app)).values()))["data"][0]["z"])
    data = app.session_state["shared.dataset"]
    for found, scope in ((within, True), (total, False)):
        wanted = inspection.correlations(data, within=scope).matrix
        np.testing.assert_allclose(found, wanted, atol=6e-4)
    app.selectbox(key="explore.correlations.order").set_value("clustered").run()
    app = show(app, "summary")
    assert [len(frame.value) for frame in fine(app).dataframe] == [6, 3]
    assert "3 columns, 2 with missing values" in app.header[0].value


def test_the_finding_and_the_points_are_the_librarys():
    app = explore()
    iris, split, found = projected("iris", True)
    library = iris.projection(split)
    assert app.header[0].value == escape(library.variance().finding())
    assert library.fisher(n_components=4).finding() in text_of(app)

    drawn = figures(app)["Most variance: PCA"]["data"]
    markers = [trace for trace in drawn if trace["mode"] == "markers"]
    rows = np.concatenate([numbers(trace["customdata"]) for trace in markers])
    np.testing.assert_array_equal(np.sort(rows), split.train)
    x = np.concatenate([numbers(trace["x"]) for trace in markers])
    np.testing.assert_allclose(x, found.scores(iris.X[rows], (0,))[:, 0], rtol=1e-5)
    assert sum(trace["mode"] == "lines" for trace in drawn) == 3, "an ellipse for each class"
    assert "Best separation: Fisher" in figures(app)


@pytest.mark.usefixtures("unfolded")
def test_every_option_of_a_table():
    app = explore("wine")
    first = figures(app)["Most variance: PCA"]
    app.selectbox(key="explore.scatter.rows").set_value("test").run()
    assert "53 test rows" in figures(fine(app))["Most variance: PCA"]["layout"]["meta"]["subtitle"]
    app.selectbox(key="explore.scatter.rows").set_value("train").run()
    app.toggle(key="explore.pca.whiten").set_value(True).run()
    fine(app)
    drawn = [t for t in figures(app)["Most variance: PCA, whitened"]["data"] if "name" in t]
    x = np.concatenate([numbers(t["x"]) for t in drawn if t["mode"] == "markers"])
    assert np.std(x, ddof=1) == pytest.approx(1, rel=1e-4)
    app.toggle(key="explore.pca.whiten").set_value(False).run()
    app.toggle(key="explore.standardize").set_value(False).run()
    assert figures(fine(app))["Most variance: PCA"] != first
    app.selectbox(key="explore.pca.x").set_value(2).run()
    axis = figures(fine(app))["Most variance: PCA"]["layout"]["xaxis"]["title"]["text"]
    assert axis.startswith("Component 3")
    app.number_input(key="explore.fisher.n_components").set_value(1).run()
    assert "It uses the first component." in text_of(fine(app))
    app.selectbox(key="explore.scatter.dimensions").set_value(3).run()
    fine(app)
    kinds = {trace["type"] for trace in figures(app)["Most variance: PCA"]["data"]}
    assert kinds == {"scatter3d"}
    app.selectbox(key="explore.pca.z").set_value(5).run()
    fine(app)


def test_loadings_and_biplot_use_the_users_names():
    app = open_tab(explore("wine"), "Loadings")
    data, _, found = projected("wine", True)
    for position, weights in ((0, found.components[0]), (10, found.weights(found.fisher(13))[0])):
        app.selectbox(key="explore.loadings.direction").set_value(position).run()
        (bars,) = [f for t, f in figures(fine(app)).items() if t.startswith("Largest weight")]
        order = np.argsort(-np.abs(weights), kind="stable")
        np.testing.assert_allclose(numbers(bars["data"][0]["x"]), weights[order], rtol=1e-5)
        assert bars["data"][0]["text"] == [data.feature_names[i] for i in order]
    app = open_tab(app, "Biplot")
    image = figures(app)["Rows and features along two components"]
    names = {note["text"] for note in image["layout"]["annotations"]} - {""}
    assert len(names) == 8
    parts = [part for name in names for part in name.split("…")]
    assert all(any(part in feature for feature in data.feature_names) for part in parts)
    assert not any("95 %" in title for title in figures(app)), "only what is open is drawn"


def test_every_panel_of_images_shows_the_librarys_numbers():
    app = explore("digits")
    digits, split, found = projected("digits", False)
    assert "Most variance: PCA" in figures(app) and "Best separation: Fisher" in figures(app)
    eigen = figures(app)["The components as images"]["data"]
    assert len(eigen) == 12
    np.testing.assert_allclose(numbers(eigen[2]["z"]).ravel(), found.components[2], atol=1e-6)
    assert len(figures(app)["Fisher’s directions as images"]["data"]) == 6
    app = open_tab(app, "Class means")
    means = figures(app)["The mean image of each class"]["data"]
    train = split.train[digits.codes[split.train] == 7]
    wanted = np.rint(digits.X[train].mean(axis=0)).reshape(8, 8)
    np.testing.assert_array_equal(numbers(means[7]["z"]), wanted)
    app = open_tab(app, "Reconstruction")
    app.number_input(key="explore.reconstruction.image").set_value(9).run()
    app.slider(key="explore.reconstruction.n_components").set_value(30).run()
    drawn = figures(fine(app))["Images rebuilt from 30 components"]["data"]
    rebuilt = np.clip(np.rint(found.rebuilt(digits.X[[9]], 30)), 0, 255).reshape(8, 8)
    np.testing.assert_array_equal(numbers(drawn[0]["z"]), digits.X[9].reshape(8, 8))
    np.testing.assert_array_equal(numbers(drawn[6]["z"]), rebuilt)
    error = inspection.reconstruction_error(found, digits.X[split.test], 30)
    assert f"of a pixel is {error:.1f} of 255" in text_of(app)
    app = open_tab(app, "Variance")
    assert any(title.startswith("28 of 61 components hold 95 %") for title in figures(app))


def test_chosen_points_list_their_rows_and_begin_the_reconstruction():
    app = explore("digits")
    row = int(lincore.split(lincore.sample("digits")).train[5])
    app.session_state["explore.pca.picked"] = [row, 10**7]
    app.run()
    assert "The selected images" in figures(fine(app))
    assert "1 image." in text_of(app)
    app = open_tab(app, "Reconstruction")
    assert app.number_input(key="explore.reconstruction.image").value == row
    app.button(key="explore.pca.clear").click().run()
    assert "The selected images" not in figures(fine(app))


def test_rows_of_the_other_part_are_not_shown_as_chosen():
    app = explore()
    row = int(lincore.split(lincore.sample("iris")).train[0])
    for part, shown in (("train", 1), ("test", 0)):
        app.selectbox(key="explore.scatter.rows").set_value(part)
        app.session_state["explore.fisher.picked"] = [row]
        app.run()
        assert len(fine(app).dataframe) == shown


def table(lines: list[str]) -> bytes:
    return "\n".join(lines).encode()


RNG = np.random.default_rng(3)
ODD = {
    "one.csv": table(["x,kind", *(f"{i % 13 + i % 2},{'ab'[i % 2]}" for i in range(40))]),
    "wide.csv": table(
        [",".join([*(f"f{j}" for j in range(60)), "kind"])]
        + [",".join([*map(str, RNG.normal(size=60).round(3) + i % 3), "abc"[i % 3]])
           for i in range(24)]
    ),
    "gaps.csv": table(
        ["size,age,colour,kind"]
        + [f"{i % 9},{'' if i % 7 == 0 else i % 5},{('red', 'green', '')[i % 3]},{'ab'[i % 2]}"
           for i in range(60)]
    ),
    "many.csv": table(
        ["u,v,w,kind", *(f"{i % 40 + i % 7},{i * i % 11},{i % 5},k{i % 40}" for i in range(200))]
    ),
    "lone.csv": table(["u,v,kind", *(f"{i % 7},{i * i % 11},{'ab'[i % 2]}" for i in range(20)),
                       "3,4,c"]),
    "![x](http://evil.example).csv": table(
        ["<b>u</b>,[v](x),kind", *(f"{i % 7},{i * i % 11},<i>{'ab'[i % 2]}</i>" for i in range(20))]
    ),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("dimensions", [2, 3])
def test_odd_tables(name, dimensions):
    app = explore(name, ODD[name], view="columns")
    for view in ("pairs", "correlations", "summary", "projections"):
        app = show(app, view)
    app.selectbox(key="explore.scatter.dimensions").set_value(dimensions).run()
    assert not fine(app).error
    assert any(title.startswith("Most variance") for title in figures(app))
    for tab in next(tabs for key, tabs in PANELS.items() if key in app.session_state):
        open_tab(app, tab)
    for part in [*app.header, *app.markdown, *app.caption]:
        assert "](" not in part.value


@pytest.mark.usefixtures("unfolded")
def test_equal_means_are_told_and_the_components_drawn():
    rows = [f"{x},{y},{k}" for k in "ab" for x, y in ((1.5, 0), (-1.5, 0), (0, 1.5), (0, -1.5)) * 4]
    app = explore("equal.csv", table(["x,y,kind", *rows]))
    app.selectbox(key="sidebar.how").set_value("last").run()
    app.number_input(key="sidebar.test_size").set_value(25.0).run()
    assert "class means are equal" in app.info[0].value
    assert "Most variance: PCA" in figures(fine(app))


def test_words_are_projected_by_singular_vectors():
    vocabulary = ["ham", "egg", "spam", "sale", "free", "tea", "milk", "prize"]
    rng = np.random.default_rng(1)
    lines = ["text\tkind"]
    for i in range(80):
        lean = np.linspace(1, 5, 8)[:: 1 if i % 2 else -1]
        said = rng.choice(vocabulary, 9, p=lean / lean.sum())
        lines.append(f"{' '.join(said)} number{i} is here\t{'ab'[i % 2]}")
    app = explore("mail.tsv", table(lines))
    assert "singular vectors explain" in app.header[0].value, app.header[0].value
    assert "first singular vector" in text_of(app)
    assert "Most variance: SVD" in figures(app)
    for tab in ("Loadings", "Biplot", "Variance"):
        open_tab(app, tab)
    assert not any(toggle.key == "explore.standardize" for toggle in app.toggle)
    app = show(app, "words")
    assert "is the most characteristic word" in app.header[0].value
    assert "Words by class" in figures(app)


def colours() -> bytes:
    rng = np.random.default_rng(0)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for i in range(24):
            pixels = rng.integers(0, 120, (6, 5, 3)).astype(np.uint8)
            pixels[..., i % 2] += 90
            image = io.BytesIO()
            Image.fromarray(pixels).save(image, "PNG")
            archive.writestr(f"{['red', 'green'][i % 2]}/{i}.png", image.getvalue())
    return stream.getvalue()


def test_images_in_colour():
    app = AppTest.from_file(ROOT / "app.py", default_timeout=300).switch_page("pages/data.py").run()
    from pages.ui.session import state

    app.session_state[state.DATASET] = lincore.load(colours(), name="hues.zip", colour=True)
    app.switch_page("pages/explore.py").run()
    for tab in PANELS["explore.panels.images"]:
        open_tab(fine(app), tab)
    drawn = figures(open_tab(app, "Reconstruction"))
    (title,) = [title for title in drawn if title.startswith("Images rebuilt")]
    assert {trace["type"] for trace in drawn[title]["data"]} == {"image"}


def test_many_rows_are_drawn_as_a_sample_that_says_so():
    rng = np.random.default_rng(0)
    codes = np.arange(40_000) % 3
    X = rng.normal(size=(40_000, 3)) + codes[:, None]
    app = AppTest.from_file(ROOT / "app.py", default_timeout=300).switch_page("pages/data.py").run()
    from pages.ui.session import state

    app.session_state[state.DATASET] = lincore.load((X, codes), name="many")
    app.switch_page("pages/explore.py").run()
    image = figures(show(app, "projections"))["Most variance: PCA"]
    assert "A sample of 20,000 of 28,000 rows" in image["layout"]["meta"]["subtitle"]
    markers = [trace for trace in image["data"] if trace["mode"] == "markers"]
    assert {trace["type"] for trace in markers} == {"scattergl"}
    assert sum(len(numbers(trace["customdata"])) for trace in markers) == 20_000


def test_two_classes_along_fishers_direction_are_histograms_with_the_threshold():
    app = explore("breast cancer")
    figure = figures(app)["Best separation: Fisher, with the midpoint"]
    kinds = [trace["type"] for trace in figure["data"]]
    assert kinds.count("bar") == 2 and kinds.count("scatter") == 2
    assert any(shape.get("type") == "line" for shape in figure["layout"]["shapes"])
    assert "misclassified" in figure["layout"]["meta"]["subtitle"]
