"""The page Data: every kind of file, every choice about it, and what is refused."""

from __future__ import annotations

import io
import threading
import time
import zipfile

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from lincore.errors import DataError, Remedy
from lincore.gaussian_classes import ellipse
from pages.ui import data_groups, jobs, state, uploads
from pages.ui.data_sources import Pictures, Source, recognise
from tests.app.test_pages import assert_fine, figures, main_text, open_app
from tests.data import DATA, needs_data


@pytest.fixture(autouse=True)
def _no_jobs_of_before():
    jobs.shared.clear()


def bring(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Upload files together, and wait until pictures are decoded."""
    app.file_uploader[0].upload(*files[0]) if len(files) == 1 else several(app, files)
    app.run()
    for _ in range(100):
        job = jobs_of(app).get(uploads.JOB)
        if job is None or job.is_over:
            break
        job.wait(10)
        app.run()
    assert_fine(app)
    return app


def several(app: AppTest, files) -> None:
    app.file_uploader[0].set_value([(*file, "application/octet-stream") for file in files])


def jobs_of(app: AppTest) -> dict:
    # AppTest's state has no get().
    kept = app.session_state[jobs.JOBS].values() if jobs.JOBS in app.session_state else ()
    return {job.key: job for job in kept}


def data_of(app: AppTest):
    return app.session_state[state.DATASET]


def source_of(app: AppTest) -> Source:
    return app.session_state[state.SOURCE]


def frames(app: AppTest) -> list:
    return [frame.value for frame in app.dataframe]


def a_table(n: int = 40, separator: str = ",") -> bytes:
    lines = [f"{i}.5,{i * i % 7},{'xyz'[i % 3]},g{i // 4},{'ab'[i % 2]}" for i in range(n)]
    return "\n".join(["length,width,colour,batch,kind", *lines]).replace(",", separator).encode()


def a_picture(grey: int, size: tuple[int, int] = (6, 5)) -> bytes:
    noise = np.random.default_rng(grey).integers(0, 255, size[::-1], dtype=np.uint8)
    stream = io.BytesIO()
    Image.fromarray(noise).save(stream, "PNG")
    return stream.getvalue()


def a_zip(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


PICTURES = {f"{pet}_{i}.png": a_picture(10 * k + i) for k, pet in enumerate("cd") for i in range(4)}
FOLDERS = {f"pets/{name[0]}/{name}": raw for name, raw in PICTURES.items()}


# --- tables -----------------------------------------------------------------------------------


def test_how_a_table_was_read_is_said_and_a_wrong_separator_overruled():
    # Nothing but two columns of "a|b" and "c" can be made of it by commas.
    raw = a_table().replace(b",", b"|").replace(b"\n", b",x\n") + b",x"
    app = bring(open_app(), ("wrong.csv", raw))
    app.selectbox(key="data.read.separator").set_value(",").run()
    assert_fine(app)
    assert app.error and len(frames(app)[0].columns) == 2, "the preview follows at once"
    app.selectbox(key="data.read.separator").set_value("|").run()
    assert_fine(app)
    assert not app.error
    assert "vertical bar" in main_text(app)
    assert list(frames(app)[0].columns)[:3] == ["length", "width", "colour"]
    assert data_of(app).classes.tolist() == ["a,x", "b,x"]


def test_a_file_that_could_not_be_read_can_be_read_otherwise_or_given_up():
    app = bring(open_app(), ("wrong.csv", a_table(separator="^")))
    assert "one column" in app.error[0].value and "was not read" in main_text(app)
    assert "Still in use: iris" in main_text(app)
    assert "^" not in app.selectbox(key="data.read.separator").options, "it can be typed in"
    app.button(key="data.refused.back").click().run()
    assert_fine(app)
    assert not app.error and "was not read" not in main_text(app)


def test_a_table_read_otherwise_is_shown_even_where_it_makes_no_data():
    app = bring(open_app(), ("good.csv", a_table()))
    assert "UTF\\-8, comma, header in line 1, 40 rows of 5 columns" in main_text(app)
    app.selectbox(key="data.read.separator").set_value("\t").run()
    assert_fine(app)
    assert "one column" in app.error[0].value and "Still in use: good" in main_text(app)
    assert data_of(app).n_rows == 40
    app.button(key="data.refused.back").click().run()
    assert not app.error and app.selectbox(key="data.read.separator").value == "detect"
    assert "comma" in main_text(app)


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("header", False, "no header, 41 rows"),
        ("encoding", "latin-1", r"Latin\-1"),
        ("comment", "#", r"comments after \#"),
        ("thousands", "'", "thousands apostrophe"),
        ("quote", "'", "single quotes"),
    ],
)
def test_every_part_of_reading_can_be_overruled_and_given_back(part, value, said):
    app = bring(open_app(), ("good.csv", a_table()))
    app.selectbox(key=f"data.read.{part}").set_value(value).run()
    assert_fine(app)
    assert said in main_text(app)
    app.button(key="data.read.detect").click().run()
    assert said not in main_text(app)


def test_missing_values_are_marked_as_wished():
    app = bring(open_app(), ("good.csv", a_table()))
    app.text_input(key="data.read.marks").set_value("x NA").run()
    assert_fine(app)
    assert source_of(app).options.missing_marks == ("x", "NA")
    assert source_of(app).table.frame["colour"].isna().sum() == 14
    app.selectbox(key="data.read.column").set_value("width")
    app.text_input(key="data.read.value").set_value("2").run()
    app.button(key="data.read.missing").click().run()
    assert_fine(app)
    assert np.isnan(data_of(app).X[:, 1]).sum() > 0
    assert "Also missing: width → 2" in main_text(app)
    app.button(key="data.undo.missing_in").click().run()
    assert np.isnan(data_of(app).X[:, 1]).sum() == 0


def test_a_quantity_as_target_is_refused_with_ranges_at_a_click():
    app = bring(open_app(), ("good.csv", a_table()))
    app.selectbox(key="data.target").set_value("length").run()
    assert_fine(app)
    assert "looks like a quantity" in app.error[0].value
    assert data_of(app).classes.tolist() == ["a", "b"], "the former target stays in use"
    assert app.selectbox(key="data.target").value == "kind"
    offered = [b for b in app.button if b.label.startswith("Cut length into 3")]
    offered[0].click().run()
    assert_fine(app)
    assert data_of(app).n_classes == 3 and source_of(app).target == "length"
    app.selectbox(key="data.bins").set_value(4).run()
    assert data_of(app).n_classes == 4
    app.selectbox(key="data.bins.how").set_value("width").run()
    assert_fine(app)
    assert source_of(app).choices["bins"] == (4, "width")


def test_a_file_without_a_likely_target_waits_for_one():
    raw = b"x,z\n" + b"\n".join(f"{i}.25,{i * 7 % 31}.5".encode() for i in range(31))
    app = bring(open_app(), ("measures.csv", raw))
    assert "No column looks like classes" in app.error[0].value
    assert app.selectbox(key="data.target").value is None
    app.selectbox(key="data.target").set_value("z").run()
    next(b for b in app.button if b.label.startswith("Cut z into 2")).click().run()
    assert_fine(app)
    assert not app.error and data_of(app).n_classes == 2 and data_of(app).name == "measures"


def test_findings_come_with_a_remedy_at_a_click_that_can_be_undone():
    rows = [f"{(i % 20) + 50 if i % 9 else 0},{'ab'[i % 2]}" for i in range(300)]
    app = bring(open_app(), ("odd.csv", ("pressure,kind\n" + "\n".join(rows)).encode()))
    assert "0 stands in" in main_text(app)
    next(b for b in app.button if b.label.startswith("Read 0 in")).click().run()
    assert_fine(app)
    assert data_of(app).has_missing and "0 stands in" not in main_text(app)
    next(b for b in app.button if b.label == "Keep one of each").click().run()
    assert_fine(app)
    assert data_of(app).n_rows < 50
    assert "Keep one of each" not in [b.label for b in app.button]
    app.button(key="data.undo.drop_duplicates").click().run()
    assert data_of(app).n_rows == 300


def test_lone_classes_are_left_out_or_merged_at_a_click():
    app = bring(open_app(), ("lone.csv", a_table() + b"\n1,2,x,g1,c"))
    assert data_of(app).n_classes == 3
    next(b for b in app.button if b.label == "Leave out c").click().run()
    assert data_of(app).n_classes == 2 and "Left out: c" in main_text(app)
    app.button(key="data.undo.drop_classes").click().run()
    next(b for b in app.button if b.label.startswith("Merge c")).click().run()
    assert_fine(app)
    assert data_of(app).n_classes == 2 and data_of(app).n_rows == 41


@pytest.mark.parametrize("missing", ["most_frequent", "indicator", "drop"])
def test_missing_values_and_rare_levels_are_treated_as_chosen(missing):
    app = bring(open_app(), ("gaps.csv", a_table().replace(b"\n3.5,", b"\n,")))
    app.selectbox(key="data.missing").set_value(missing).run()
    assert_fine(app)
    data = data_of(app)
    assert (data.n_rows, data.imputation) == (
        (39, "median") if missing == "drop" else (40, missing)
    )
    app.selectbox(key="data.rare").set_value(10).run()
    assert data_of(app).rare == 10
    app.selectbox(key="data.rare").set_value(0).run()
    assert data_of(app).rare == 0


def test_markup_in_columns_reaches_no_button():
    raw = b"![](http://evil.example/p.png),kind\n" + b"\n".join(
        f"{(i % 20) + 50 if i % 9 else 0},{'ab'[i % 2]}".encode() for i in range(200)
    )
    app = bring(open_app(), ("evil.csv", raw))
    labels = [b.label for b in app.button if b.label.startswith("Read 0")]
    assert labels and "![" not in labels[0] and r"\!\[" in labels[0]


# --- sources without a page -------------------------------------------------------------------


def opened(raw: bytes) -> Source:
    return Source(None, raw=raw, name="t.csv").read()


def roles(source: Source) -> dict[str, str]:
    return {column.name: column.role for column in source.columns}


def test_roles_follow_what_was_chosen_and_only_one_is_target_or_group():
    found = opened(a_table())
    assert roles(found)["kind"] == "target" and roles(found)["colour"] == "feature"
    found = found.with_roles({"colour": "ignore", "batch": "group"})
    assert found.dataset().feature_names == ("length", "width")
    assert len(found.dataset().group_names) == 10
    moved = found.with_roles({"colour": "group"})
    assert roles(moved)["colour"] == "group" and roles(moved)["batch"] != "group"
    other = found.with_roles({"colour": "target"})
    assert other.target == "colour" and roles(other)["kind"] == "feature"
    with pytest.raises(DataError, match="holds the classes"):
        found.with_roles({"kind": "feature"})


def test_numbers_as_names_are_levels_until_they_are_ignored():
    found = opened(a_table()).with_choices(categories=("width",))
    assert found.dataset().levels[1] is not None
    assert "width" not in found.with_roles({"width": "ignore"}).dataset().feature_names


def test_another_target_forgets_what_was_said_of_the_former_classes():
    found = opened(a_table()).with_remedy(Remedy("x", options={"drop_classes": ("a",)}))
    found = found.with_roles({"width": "ignore"}).with_target("colour")
    assert "drop_classes" not in found.choices and found.choices["roles"] == {"width": "ignore"}


def test_reading_otherwise_keeps_roles_while_the_columns_stay():
    found = opened(a_table()).with_roles({"colour": "ignore"}).with_target("batch")
    again = found.with_reading(encoding="latin-1").read()
    assert again.target == "batch" and roles(again)["colour"] == "ignore"
    renamed = found.with_reading(header=False).read()
    assert renamed.choices == {} and renamed.target == "column 5"


def test_files_are_told_by_what_they_hold():
    buffer = io.BytesIO()
    np.savez(buffer, X=np.eye(4), y=np.array([0, 1, 0, 1]))
    assert recognise([("a.zip", buffer.getvalue())]).n_rows == 4
    packed = recognise([("t.zip", a_zip({"in/t.csv": a_table()}))])
    assert isinstance(packed, Source) and packed.name == "t.csv"
    assert isinstance(recognise([("p.zip", a_zip(FOLDERS))]), Pictures)
    assert isinstance(recognise([("readme.txt", b"x"), *PICTURES.items()]), Pictures)
    with pytest.raises(DataError, match="none of them is a picture"):
        recognise([("a.csv", a_table()), ("b.csv", a_table())])


# --- pictures and arrays ----------------------------------------------------------------------


def test_a_zip_with_junk_lists_what_was_skipped():
    junk = {"__MACOSX/pets/._x.png": b"\0\5", "pets/c/notes.txt": b"hello", "pets/d/bad.png": b"?"}
    app = bring(open_app(), ("pets.zip", a_zip(FOLDERS | junk)))
    assert "8 pictures of 6 × 5 pixels in 2 classes" in main_text(app)
    skipped = next(frame for frame in frames(app) if "reason" in frame.columns)
    assert set(skipped["file"]) == set(junk) and skipped["reason"].str.len().min() > 3


def test_pictures_are_read_again_in_another_size_and_in_colour():
    app = bring(open_app(), ("pets.zip", a_zip(FOLDERS)))
    assert app.button(key="data.pictures.again").disabled
    app.toggle(key="data.pictures.colour").set_value(True)
    app.toggle(key="data.pictures.resize").set_value(True).run()
    app.number_input(key="data.pictures.width").set_value(4).run()
    app.button(key="data.pictures.again").click()
    bring_nothing(app)
    assert data_of(app).image_shape == (5, 4, 3)
    app.selectbox(key="data.pictures.fit").set_value("crop").run()
    app.selectbox(key="data.pictures.level").set_value(1).run()
    app.text_input(key="data.pictures.pattern").set_value(r"(?P<group>\d)").run()
    app.selectbox(key="data.pictures.level").set_value(None).run()
    app.button(key="data.pictures.again").click()
    bring_nothing(app)
    assert len(data_of(app).group_names) == 4
    assert "4 groups of pictures" in main_text(app)
    app.text_input(key="data.pictures.pattern").set_value("(((").run()
    app.button(key="data.pictures.again").click()
    bring_nothing(app)
    assert "no regular expression" in app.error[0].value and data_of(app).n_rows == 8


def bring_nothing(app: AppTest) -> None:
    app.run()
    job = jobs_of(app).get(uploads.JOB)
    if job is not None:
        assert job.wait(10)
        app.run()
    assert_fine(app)


def test_several_pictures_have_their_class_from_their_names():
    app = bring(open_app(), *PICTURES.items(), ("Thumbs.db", b"x"))
    assert data_of(app).classes.tolist() == ["c", "d"] and data_of(app).n_rows == 8
    assert "file names give the classes" in main_text(app)


def test_copies_among_pictures_are_told_and_shown():
    app = bring(
        open_app(), ("pets.zip", a_zip(FOLDERS | {"pets/d/again.png": PICTURES["c_0.png"]}))
    )
    bring_nothing(app)
    assert any("2 pictures have a copy" in w.value for w in app.warning)
    assert any("another class" in w.value for w in app.warning)


def test_arrays_are_taken_as_they_are():
    buffer = io.BytesIO()
    rng = np.random.default_rng(0)
    np.savez(
        buffer,
        X_train=rng.integers(0, 255, (30, 8, 8), np.uint8),
        y_train=np.arange(30) % 3,
        X_test=rng.integers(0, 255, (9, 8, 8), np.uint8),
        y_test=np.arange(9) % 3,
    )
    app = bring(open_app(), ("arrays.npz", buffer.getvalue()))
    assert data_of(app).given_test.sum() == 9
    assert app.selectbox(key="sidebar.how").value == "given"


class Slow:
    """Pictures that take until they are stopped or let go."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def wait(self, progress) -> None:
        """Count to a thousand, slowly."""
        for i in range(1000):
            if not progress(i, 1000, "Decoding"):
                raise DataError("Reading was stopped.")
            if self.go.wait(0.01):
                break


def test_long_reading_is_seen_goes_on_elsewhere_and_can_be_stopped(monkeypatch):
    slow, read = Slow(), Pictures.read

    def waiting(pictures, progress=None):
        slow.wait(progress)
        return read(pictures, progress)

    monkeypatch.setattr(Pictures, "read", waiting)
    monkeypatch.setattr(uploads, "PATIENCE", 0.05)
    app = open_app()
    app.file_uploader[0].upload("pets.zip", a_zip(FOLDERS))
    app.run()
    assert "Reading pets" in app.get("progress")[0].proto.text
    assert data_of(app).name == "iris"
    app.button(key=f"{uploads.JOB}.stop").click().run()
    assert jobs_of(app)[uploads.JOB].wait(10)
    app.run()
    assert_fine(app)
    assert "stopped" in app.error[0].value and data_of(app).name == "iris"
    app.button(key="data.pictures.again").click().run()
    assert not app.error
    app.switch_page("pages/classify.py").run()
    assert app.sidebar.get("progress"), "it goes on while one looks at another page"
    slow.go.set()
    assert jobs_of(app)[uploads.JOB].wait(10)
    app.run()
    assert_fine(app)
    assert data_of(app).name == "pets"


# --- samples, downloads, the generator --------------------------------------------------------


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
    np.testing.assert_allclose(data.truth.covariances[0], ellipse(n_features=3))
    assert "of errors" in main_text(app) and r"5% outliers" in main_text(app)
    came = app.session_state[state.ORIGIN]
    assert came.kind == "generated" and came.arguments["seed"] == 7
    app.toggle(key="data.draw.mixed").set_value(True).run()
    app.button(key="data.draw.go").click().run()
    assert_fine(app)
    assert data_of(app).n_rows == 600 and app.session_state[state.ORIGIN].arguments["sizes"] == 600
    assert figures(app)


def test_a_download_without_a_network_says_so_and_loses_nothing(monkeypatch):
    def fetch(name):
        raise DataError("It cannot be downloaded: no route.", where=name, remedy="Check the net.")

    monkeypatch.setattr("lincore.samples.fetch", fetch)
    app = open_app()
    app.button(key="data.download.mnist").click()
    bring_nothing(app)
    assert "no route" in app.error[0].value and data_of(app).name == "iris"


def test_limits_are_stated():
    text = main_text(open_app())
    assert "50 million cells" in text and "25 megapixels" in text and "200 MB" in text


# --- groups -----------------------------------------------------------------------------------


def test_groups_are_tested_as_a_whole():
    data = opened(a_table(200)).with_roles({"batch": "group"}).dataset()
    split = data_groups.split_by_group(data, 0.3, 1)
    assert not set(data.groups[split.train]) & set(data.groups[split.test])
    assert len(split.train) + len(split.test) == 200 and 40 <= len(split.test) <= 90
    lines = [f"{i * i % 13}.5,g{i % 3},{'abc'[i % 3]}" for i in range(60)]
    alone = opened("\n".join(["x,g,kind", *lines]).encode()).with_roles({"g": "group"})
    with pytest.raises(DataError, match="leave no training rows"):
        data_groups.split_by_group(alone.dataset(), 0.3, 0)


def test_the_sidebar_offers_whole_groups_where_there_are_any():
    app = bring(open_app(), ("good.csv", a_table(200)))
    assert "Whole groups, at random" not in app.selectbox(key="sidebar.how").options
    app.session_state[state.SOURCE] = found = source_of(app).with_roles({"batch": "group"})
    app.session_state[state.DATASET] = found.dataset()
    app.run()
    app.selectbox(key="sidebar.how").set_value("group").run()
    assert_fine(app)
    assert "50 groups of rows" in main_text(app)
    app.switch_page("pages/classify.py").run()
    assert_fine(app)
    assert not app.error


# --- the real files ---------------------------------------------------------------------------

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
@pytest.mark.parametrize("name", TABLES)
def test_real_tables_go_through_the_page(name):
    app = bring(open_app(), (name, (DATA / "csv" / name).read_bytes()))
    assert not app.error and TABLES[name] in main_text(app)
    for page in ("pages/explore.py", "pages/classify.py"):
        app.switch_page(page).run()
        assert_fine(app)


@needs_data
@pytest.mark.parametrize(
    ("name", "shape", "n"),
    [
        ("faces3_bmp30.zip", (30, 30), 3000),
        ("orl_faces.zip", (112, 92), 400),
        ("mnist.npz", (28, 28), 70_000),
        ("cifar10_lossless_sample.npz", (32, 32, 3), 5000),
    ],
)
def test_real_pictures_go_through_the_page(name, shape, n):
    started = time.monotonic()
    app = bring(open_app(), (name, (DATA / name).read_bytes()))
    assert not app.error
    assert data_of(app).image_shape == shape and data_of(app).n_rows == n
    assert time.monotonic() - started < 30
