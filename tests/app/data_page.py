"""Files for the page Data, how tests bring them, and what the session then holds."""

from __future__ import annotations

import io
import re
import zipfile

import numpy as np
from PIL import Image
from streamlit.testing.v1 import AppTest

from pages.ui.session import commands, state
from pages.ui.session.sources import Source
from tests.app.settling import kept_jobs
from tests.app.test_pages import assert_fine


def bring(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Upload files together, and wait until images are decoded."""
    app.file_uploader[0].upload(*files[0]) if len(files) == 1 else several(app, files)
    app.run()
    for _ in range(100):
        job = jobs_of(app).get(commands.JOB)
        if job is None:
            break
        was_over = job.wait(10)
        app.run()
        if was_over:
            break
    assert_fine(app)
    return app


def several(app: AppTest, files) -> None:
    app.file_uploader[0].set_value([(*file, "application/octet-stream") for file in files])


def jobs_of(app: AppTest) -> dict:
    return {job.key: job for job in kept_jobs(app)}


def data_of(app: AppTest):
    return app.session_state[state.DATASET]


def source_of(app: AppTest) -> Source:
    return app.session_state[state.SOURCE]


def give_roles(app: AppTest, roles: dict[str, str]) -> AppTest:
    """Give columns of the table that is in use other roles, as its editor does."""
    found = source_of(app).with_roles(roles)
    app.session_state[state.SOURCE], app.session_state[state.DATASET] = found, found.dataset()
    return app


def frames(app: AppTest) -> list:
    return [frame.value for frame in app.dataframe]


def a_table(n: int = 40, separator: str = ",") -> bytes:
    lines = [f"{i}.5,{i * i % 7},{'xyz'[i % 3]},g{i // 4},{'ab'[i % 2]}" for i in range(n)]
    return "\n".join(["length,width,colour,batch,kind", *lines]).replace(",", separator).encode()


def an_image(grey: int, size: tuple[int, int] = (6, 5)) -> bytes:
    return as_png(np.random.default_rng(grey).integers(0, 255, size[::-1]))


def as_png(pixels: np.ndarray) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(stream, "PNG")
    return stream.getvalue()


def a_zip(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


IMAGES = {f"{pet}_{i}.png": an_image(10 * k + i) for k, pet in enumerate("cd") for i in range(4)}
FOLDERS = {f"pets/{name[0]}/{name}": raw for name, raw in IMAGES.items()}


def wait(app: AppTest) -> None:
    """Run the page, and wait until what it reads is read."""
    app.run()
    job = jobs_of(app).get(commands.JOB)
    if job is not None:
        assert job.wait(10)
        app.run()
    assert_fine(app)


def opened(raw: bytes) -> Source:
    """Return a table that was read, without a page."""
    return Source(None, raw=raw, name="t.csv").read()


def plain(text: str) -> str:
    """Return text without Markdown, its blanks and signs made alike."""
    text = re.sub(r":material/\w+:", "", text).replace("**", "").removeprefix("- ")
    text = re.sub(r"\\([\\`*_{}\[\]()<>#+\-.!|~$:&])", r"\1", text)
    return " ".join(text.replace("−", "-").replace("\u00a0", " ").replace("\u2060", "").split())
