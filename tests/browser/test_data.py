"""The page Data in a browser: read a file with other options, change a role, see the notices."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

import lincore

pytestmark = pytest.mark.long

HEADER_PIXELS = ROW_PIXELS = 35
ROLE_PIXELS = 275


def a_table(separator: str = ",") -> bytes:
    lines = [f"{i}.5,{i * i % 7},{'xyz'[i % 3]},{'ab'[i % 2]}" for i in range(40)]
    return "\n".join(["length,width,colour,kind", *lines]).replace(",", separator).encode()


def choose_role(dashboard, row: int, role: str) -> None:
    """Choose a role in the table of the columns: it is painted, so only places can be clicked."""
    canvas = dashboard.element("data.columns").locator("canvas").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    offered = dashboard.page.get_by_role("option", name=role, exact=True)
    place = (box["x"] + ROLE_PIXELS, box["y"] + HEADER_PIXELS + ROW_PIXELS * (row + 0.5))
    dashboard.open_table_cell(place, offered)
    # On a busy machine the menu is drawn anew under the mouse, which then hits nothing.
    for _ in range(4):
        sent = dashboard._sent()
        offered.click()
        dashboard._follow(sent)
        if not offered.count():
            break


def test_a_separator_that_nobody_could_guess_is_typed_in(dashboard):
    dashboard.goto()
    dashboard.upload("data.upload", ("odd.csv", a_table("@")))
    shown = dashboard.text()
    assert "There is only one column" in shown and "Current data: iris" in shown
    dashboard.element("data.otherwise").get_by_role("button").first.click()
    separator = dashboard.element("data.read.separator").get_by_role("combobox")
    separator.click()
    sent = dashboard._sent()
    separator.press_sequentially("@")
    separator.press("Enter")
    dashboard._follow(sent)
    assert "odd: 40 rows of 3 features in 2 classes" in dashboard.text()
    assert dashboard.table("data.rows")[0] == ["length", "width", "colour", "kind"]
    assert "separator @" in dashboard.text("data.reading")
    dashboard.screenshot("data-otherwise")
    dashboard.check()


def test_a_role_is_changed_in_the_table_of_columns_and_kept(dashboard):
    dashboard.goto()
    dashboard.upload("data.upload", ("made.csv", a_table()))
    assert "40 rows of 3 features" in dashboard.text()
    choose_role(dashboard, 2, "ignore")
    assert "40 rows of 2 features" in dashboard.text()
    # The table moves down below what was edited.
    dashboard.page.get_by_text("Ignore: colour").first.wait_for()  # Streamlit measures a copy
    dashboard.settle()
    choose_role(dashboard, 3, "ignore")
    dashboard.page.get_by_text("It holds the classes").first.wait_for()  # there must be a target
    dashboard.visit("classify")
    dashboard.visit("data")
    assert "40 rows of 2 features" in dashboard.text()
    assert dashboard.table("data.columns")[3][2] == "ignore"
    dashboard.check()


def test_a_folder_with_junk_lists_what_was_skipped(dashboard, tmp_path):
    rng = np.random.default_rng(0)
    files = {"pets/cat/notes.txt": b"hello", "pets/cat/._1.png": b"\0", "pets/a.pdf": b"%PDF"}
    for i in range(12):
        stream = io.BytesIO()
        Image.fromarray(rng.integers(0, 255, (9, 8), np.uint8)).save(stream, "PNG")
        files[f"pets/{'cat' if i % 2 else 'dog'}/{i}.png"] = stream.getvalue()
    files["pets/dog/broken.png"] = stream.getvalue()[:40]
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    dashboard.goto()
    dashboard.upload("data.upload", tmp_path / "pets")
    assert "pets: 12 images of 8 × 9 pixels in 2 classes" in dashboard.text()
    expected = lincore.io.read_image_files([*files.items()]).skipped
    dashboard.unfold("data.skipped.open")
    listed = {tuple(row) for row in dashboard.table("data.skipped.table")[1:]}
    assert listed == {tuple(skipped) for skipped in expected} and len(listed) == 4
    dashboard.screenshot("data-junk")
    dashboard.check()


def test_a_cell_that_is_typed_just_before_generate_counts(dashboard):
    dashboard.goto("data?sample=iris")
    dashboard.unfold("data.draw")
    canvas = dashboard.element("data.draw.table").locator("canvas").first
    canvas.scroll_into_view_if_needed()
    dashboard.settle()
    box = canvas.bounding_box()
    field = dashboard.page.locator("#portal input").first
    dashboard.open_table_cell((box["x"] + 0.18 * box["width"], box["y"] + 52), field)
    dashboard.fill_cell(field, "41")
    # The table tells of its cells a moment later, perhaps after the click.
    field.wait_for(state="detached")
    dashboard.press("data.draw.go")
    dashboard.page.get_by_text("gaussian: 341 rows of 2 features in 3 classes.").wait_for()
    dashboard.check()
