"""Scripts and notebooks are Python in which no name of a file is obeyed."""

from __future__ import annotations

import ast
import io
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import lincore
from lincore import analysis as asked
from lincore.analysis import Analysis, DataQuestion, FileData
from lincore.cli import main
from lincore.errors import DataError
from lincore.export import to_notebook, to_script
from lincore.io import Condition, ImageOptions, ReadOptions, TableOptions
from tests.common.test_doors import by_the_back
from tests.lincore.analysis.strategies import analyses

EVIL = "'''\"\"\"\n#); import os\u2028\\"


def calls(code: str) -> set[str]:
    """Return what a script imports and which names of modules it calls."""
    found = {ast.unparse(node.func) for node in ast.walk(ast.parse(code))
             if isinstance(node, ast.Call)}  # fmt: skip
    return {name for name in found if name.split(".")[0] in ("os", "sys", "subprocess", "eval")}


@settings(max_examples=15, deadline=None)
@given(analyses)
def test_any_analysis_has_a_script_of_public_names(analysis):
    script = to_script(analysis)
    assert by_the_back(script) == [] and not calls(script)
    cells = [cell for cell in json.loads(to_notebook(analysis))["cells"]
             if cell["cell_type"] == "code"]  # fmt: skip
    for cell in cells:
        ast.parse("".join(cell["source"]))
    assert max(map(len, script.splitlines())) < 6_000_000


@settings(max_examples=15, deadline=None)
@given(st.text(min_size=1, max_size=40))
def test_a_name_stays_a_literal(name):
    table = TableOptions(where=(Condition(name, "is", (name,)),), roles={name: "ignore"})
    source = asked.FileData(name, target=name, table=table, reading=ReadOptions(comment=name[:9]))
    tree = ast.parse(to_script(Analysis(source, question=asked.DataQuestion())))
    literals = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    assert literals.count(name) >= 4
    plain = asked.FileData("a.csv", target="b", table=TableOptions(
        where=(Condition("b", "is", ("b",)),), roles={"b": "ignore"}),
        reading=ReadOptions(comment="#"))  # fmt: skip
    same = ast.parse(to_script(Analysis(plain, question=asked.DataQuestion())))
    assert shape(tree) == shape(same)


def shape(tree: ast.AST) -> list[str]:
    return [type(node).__name__ for node in ast.walk(tree)]


@pytest.mark.parametrize(
    "images", [ImageOptions(), ImageOptions(size=(8, 8), colour=True), ImageOptions(level=1)]
)
def test_images_are_read_with_their_options(images, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = lincore.io.read_image_files([*IMAGES.items()])
    raw = lincore.io.write_image_zip(data)
    (tmp_path / "pets.zip").write_bytes(raw)
    source = asked.FileData("pets.zip", lincore.io.hash_of([raw]), images=images)
    names: dict = {}
    exec(to_script(Analysis(source, question=DataQuestion())), names)
    assert names["data"].digest == source.load(raw).digest
    assert (names["data"].n_features == data.n_features) == (images.size is None)


def test_another_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    script = to_script(Analysis(asked.FileData("a.csv", "0" * 64), question=asked.DataQuestion()))
    with pytest.raises(DataError, match="a different file"):
        exec(compile(script, "script.py", "exec"), {})


def test_generated_classes_and_changed_samples_come_back():
    generated = asked.GeneratedData(means=((0.0, 1.0), (2.0, 3.0)), sizes=(9, 12), seed=3)
    changed = asked.SampleData("iris", target="species", table=TableOptions(
        roles={"sepal length (cm)": "ignore"}))  # fmt: skip
    for source in (generated, changed, asked.SampleData("passengers")):
        names: dict[str, object] = {}
        exec(to_script(Analysis(source, question=asked.DataQuestion())), names)
        data = names["data"]
        assert isinstance(data, lincore.Dataset) and data.digest == source.load().digest


def test_an_experiment_is_carried_out_again(capsys):
    question = asked.GeometryQuestion("perceptron", guess=40.0)
    exec(to_script(Analysis(asked.ExperimentData("basis"), question=question)), {})
    printed = capsys.readouterr().out
    assert "Your prediction: 40 mistakes. Computed: 47 mistakes." in printed
    assert re.search(r"mistake 47 +Mistake 47, in epoch 2", printed) and "4,095.08" in printed


def test_evil_names_are_in_no_comment_and_no_docstring():
    source = asked.FileData(EVIL, target=EVIL)
    script = to_script(Analysis(source, question=asked.DataQuestion()))
    assert "import os" not in {line.strip() for line in script.splitlines()}
    assert ast.get_docstring(ast.parse(script)).startswith("Analysis with lincore")


def an_image(seed: int) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 255, (5, 6), dtype=np.uint8)
    stream = io.BytesIO()
    Image.fromarray(noise).save(stream, "PNG")
    return stream.getvalue()


IMAGES = {f"pets/{k}/{i}.png": an_image(10 * k + i) for k in range(2) for i in range(4)}
TABLES = {
    "survey/a.csv": b"u,v,kind\n" + b"1,2,a\n3,1,b\n2,2,a\n4,0,b\n" * 9,
    "survey/b.csv": b"u,kind\n1,a\n",
}
FOLDERS = {
    "pets": (IMAGES, {}),
    "images": ({f"{'cd'[i // 4]}_{i}.png": raw for i, raw in enumerate(IMAGES.values())}, {}),
    "survey": (TABLES, {"target": "kind"}),
    "survey/a.csv": ({"survey/a.csv": TABLES["survey/a.csv"], "survey/notes.md": b"x"},
                     {"target": "kind"}),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_is_read_as_it_was_uploaded(name, tmp_path, monkeypatch, capsys):
    files, more = FOLDERS[name]
    digest = lincore.io.hash_of(files[one] for one in sorted(files))
    asked = Analysis(FileData(name, digest, several=True, **more), question=DataQuestion())
    wanted = asked.load(list(files.items())[::-1])
    flat = tmp_path if "/" in next(iter(files)) else tmp_path / name
    for one, raw in files.items():
        (flat / one).parent.mkdir(parents=True, exist_ok=True)
        (flat / one).write_bytes(raw)
    monkeypatch.chdir(tmp_path)
    found: dict = {}
    exec(compile(to_script(asked), "script.py", "exec"), found)
    assert found["data"].digest == wanted.digest
    (tmp_path / "analysis.json").write_text(asked.to_json())
    assert main(["run", "analysis.json", "--json", "--quiet"]) == 0
    assert wanted.digest in capsys.readouterr().out
    (flat / next(iter(files))).write_bytes(b"another one")
    with pytest.raises(DataError, match="a different file"):
        exec(compile(to_script(asked), "script.py", "exec"), {})
