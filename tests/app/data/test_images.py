"""The page Data with images and arrays, decoded while one waits or looks elsewhere."""

from __future__ import annotations

import io
import threading

import numpy as np
import pytest
from PIL import Image

from lincore import DataError
from pages.ui.session import commands
from pages.ui.session.sources import ImageSource
from tests.app.data_page import FOLDERS, IMAGES, a_zip, bring, data_of, frames, jobs_of, wait
from tests.app.test_pages import assert_fine, main_text, open_app

pytestmark = pytest.mark.usefixtures("unfolded")


def test_a_zip_with_junk_lists_what_was_skipped():
    junk = {"__MACOSX/pets/._x.png": b"\0\5", "pets/c/notes.txt": b"hello", "pets/d/bad.png": b"?"}
    app = bring(open_app(), ("pets.zip", a_zip(FOLDERS | junk)))
    assert "8 images of 6 × 5 pixels in 2 classes" in main_text(app)
    skipped = next(frame for frame in frames(app) if "reason" in frame.columns)
    # Above the images, whose title is written as that of every figure.
    assert app.expander(key="data.skipped.open").label == "3 files were skipped\\."
    assert "The first images of" in main_text(app)
    assert set(skipped["file"]) == set(junk) and skipped["reason"].str.len().min() > 3


def test_images_are_read_again_in_another_size_and_in_colour():
    app = bring(open_app(), ("pets.zip", a_zip(FOLDERS)))
    assert app.button(key="data.images.again").disabled
    app.toggle(key="data.images.colour").set_value(True)
    app.toggle(key="data.images.resize").set_value(True).run()
    app.number_input(key="data.images.width").set_value(4).run()
    app.button(key="data.images.again").click()
    wait(app)
    assert data_of(app).image_shape == (5, 4, 3)
    app.selectbox(key="data.images.fit").set_value("crop").run()
    app.selectbox(key="data.images.level").set_value(1).run()
    app.text_input(key="data.images.pattern").set_value(r"(?P<group>\d)").run()
    app.selectbox(key="data.images.level").set_value("nothing").run()
    app.button(key="data.images.again").click()
    wait(app)
    assert len(data_of(app).group_names) == 4
    assert "4 groups of images" in main_text(app)
    app.text_input(key="data.images.pattern").set_value("(((").run()
    app.button(key="data.images.again").click()
    wait(app)
    assert "not a regular expression" in app.error[0].value and data_of(app).n_rows == 8


def test_colours_that_were_left_out_are_said_and_kept_at_a_click():
    rng = np.random.default_rng(0)
    files = {}
    for name in FOLDERS:
        image = Image.fromarray(rng.integers(0, 256, (5, 6, 3), dtype=np.uint8))
        image.save(stream := io.BytesIO(), "PNG")
        files[name] = stream.getvalue()
    app = bring(open_app(), ("pets.zip", a_zip(files)))
    assert "converted to grey" in main_text(app)
    next(button for button in app.button if button.label == "Keep colours").click()
    wait(app)
    assert data_of(app).image_shape == (5, 6, 3)
    assert app.toggle(key="data.images.colour").value
    assert "converted to grey" not in main_text(app)


def test_several_images_have_their_class_from_their_names():
    app = bring(open_app(), *IMAGES.items(), ("Thumbs.db", b"x"))
    assert data_of(app).classes.tolist() == ["c", "d"] and data_of(app).n_rows == 8
    assert "file names give the classes" in main_text(app)


def test_duplicates_among_images_are_named_and_shown():
    app = bring(open_app(), ("pets.zip", a_zip(FOLDERS | {"pets/d/again.png": IMAGES["c_0.png"]})))
    wait(app)
    assert "2 images have an exact or near duplicate" in main_text(app)
    assert "another class" in main_text(app)
    app.button(key="data.copies.out").click().run()
    wait(app)
    assert data_of(app).n_rows == 8 and "1 image was left out as duplicates" in main_text(app)
    assert len(data_of(app).row_names) == 8 and "near duplicate" not in main_text(app)
    app.button(key="data.images.again").click()
    wait(app)
    assert data_of(app).n_rows == 9


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
    """Images that take until they are stopped or let go."""

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
    slow, read = Slow(), ImageSource.read

    def waiting(images, progress=None):
        slow.wait(progress)
        return read(images, progress)

    monkeypatch.setattr(ImageSource, "read", waiting)
    monkeypatch.setattr(commands, "PATIENCE", 0.05)
    app = open_app()
    app.file_uploader[0].upload("pets.zip", a_zip(FOLDERS))
    app.run()
    assert "Reading pets" in app.get("progress")[0].proto.text
    assert data_of(app).name == "iris"
    job = jobs_of(app)[commands.JOB]
    app.button(key=f"{commands.JOB}.stop").click().run()
    assert job.wait(10)  # which the page may have seen already
    app.run()
    assert_fine(app)
    assert "stopped" in app.error[0].value and data_of(app).name == "iris"
    app.button(key="data.images.again").click().run()
    assert not app.error
    app.switch_page("pages/classify.py").run()
    assert app.sidebar.get("progress"), "it goes on while one looks at another page"
    slow.go.set()
    assert jobs_of(app)[commands.JOB].wait(10)
    app.run()
    assert_fine(app)
    assert data_of(app).name == "pets"
