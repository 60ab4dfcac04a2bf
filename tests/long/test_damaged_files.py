"""Whatever is damaged in a file that strangers may give is read or refused with a reason.

A few seconds here; ``make fuzz`` tries thousands of each kind.
Hypothesis keeps in .hypothesis what failed, and tries it first. Links and workspaces are in
`tests/lincore/analysis/test_hostile.py`.
"""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

import lincore
from lincore import DataError
from lincore.export import load_model, save_model

#: Bytes that mean something somewhere.
TOKENS = [
    b",",
    b";",
    b"\t",
    b'"',
    b"'",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"NA",
    b"%",
    b"$",
    b"1e999",
]
TOKENS += [
    b"@",
    b"{",
    b"[",
    b"]",
    b"-",
    b"2024-13-45",
    b"\xef\xbb\xbf",
    b"nan",
    b"<",
    b"&",
    b"=1+1",
]
ROWS = pd.DataFrame(
    {
        "length": np.arange(30) * 0.37,
        "amount": [f"${i},{i:03}.50" for i in range(30)],
        "day": [f"2024-01-{i % 28 + 1:02}" for i in range(30)],
        "note": ['said "so"', "a, b", "", "ü", "line\nbreak", "x"] * 5,
        "kind": ["a", "b", "c"] * 10,
    }
)


def packed(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def image(value: int, kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    Image.fromarray(np.full((6, 6), value, dtype=np.uint8)).save(stream, kind)
    return stream.getvalue()


def images_of_classes() -> bytes:
    kinds = ("PNG", "BMP", "JPEG", "GIF", "TIFF")
    return packed({f"{c}/{i}.{k}": image(i, k) for c in "ab" for i, k in enumerate(kinds)})


def stored(write: Callable[[io.BytesIO], None]) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def model() -> bytes:
    results = lincore.compare(lincore.sample("iris"), ["lda"], "holdout", keep_models=True)
    return save_model(results.model("lda"))


FILES: dict[str, Callable[[], bytes]] = {
    "table.csv": lambda: ROWS.to_csv(index=False).encode(),
    "fixed.txt": lambda: ROWS.drop(columns="note").to_string(index=False).encode(),
    "rows.json": lambda: json.dumps(ROWS.to_dict("records")).encode(),
    "lines.jsonl": lambda: ROWS.to_json(orient="records", lines=True).encode(),
    "table.arff": lambda: (
        b"@relation r\n@attribute x real\n@attribute y {a,'b c'}\n@data\n"
        + b"1,a\n2,'b c'\n?,a\n" * 9
    ),
    "table.parquet": lambda: ROWS.to_parquet(index=False),
    "book.xlsx": lambda: stored(partial(ROWS.to_excel, index=False)),
    "arrays.npz": lambda: stored(lambda s: np.savez(s, X=np.eye(6), y=np.arange(6) % 2)),
    "images.zip": images_of_classes,
    "tables.zip": lambda: packed({"a.csv": b"x,y\n1,a\n2,b\n" * 9, "b.csv": b"u,v\n1,a\n" * 9}),
    "model.skops": model,
}
#: These are read in a process of their own, which takes half a second.
SLOW = {"book.xlsx": 10}


def read(name: str, raw: bytes) -> None:
    """Read a file as its name says; anything but an answer or a reason is a fault."""
    try:
        if name == "model.skops":
            load_model(raw)
        else:
            lincore.load(raw, name=name)
    except DataError as error:
        assert str(error)


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Draw what became of some bytes: some exchanged, left out, doubled, put in, or cut off."""
    raw = bytearray(whole)
    for _ in range(draw(st.integers(1, 5))):
        place = draw(st.integers(0, len(raw)))
        end = min(len(raw), place + draw(st.integers(0, 40)))
        change = draw(st.sampled_from(["exchange", "out", "double", "in", "cut"]))
        if change == "exchange":
            raw[place : place + 1] = bytes([draw(st.integers(0, 255))])
        elif change == "out":
            del raw[place:end]
        elif change == "double":
            raw[place:place] = raw[place:end] * draw(st.integers(1, 5))
        elif change == "in":
            raw[place:place] = draw(st.sampled_from(TOKENS)) * draw(st.integers(1, 3))
        else:
            del raw[place:]
    return bytes(raw)


@st.composite
def damaged_inside(draw: st.DrawFn, whole: bytes) -> bytes:
    """Draw what became of one file of a zip, which is then packed again, in order."""
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    chosen = draw(st.sampled_from(sorted(files)))
    files[chosen] = draw(damaged(files[chosen]))
    return packed(files)


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_refused(name):
    whole = FILES[name]()
    read(name, whole)
    kinds = damaged(whole)
    if zipfile.is_zipfile(io.BytesIO(whole)):
        kinds |= damaged_inside(whole)
    most = settings.get_profile(settings.get_current_profile_name()).max_examples // SLOW.get(
        name, 1
    )

    @settings(max_examples=max(most // 4, 1), suppress_health_check=list(HealthCheck))
    @given(kinds)
    def one(raw: bytes) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(name, raw)

    one()
