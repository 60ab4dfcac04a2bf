"""A script without lincore gives lincore's numbers, or it is refused with the reason."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import lincore
from lincore.analysis import (
    Analysis,
    ClassifyQuestion,
    CompareQuestion,
    FileData,
    GeneratedData,
    SampleData,
    SplitChoice,
)
from lincore.errors import DataError
from lincore.export import to_plain_script
from lincore.io import TableOptions

EVIL = "kind'''); import os # \\"
RNG = np.random.default_rng(3)
N = 160
_ROWS = RNG.normal(size=(N, 3)) + np.arange(N)[:, None] % 3 * [1.0, 0.5, 0.0]
_NUMBERS = pd.DataFrame(_ROWS.round(3), columns=["length", " width ", "depth"])
_MIXED = _NUMBERS.assign(colour=RNG.choice(["red", "gr\\een", "it's"], N, p=[0.6, 0.3, 0.1]))
_MIXED["port"] = RNG.choice([*"SSSSSSSSCCCCQQQ", "x", "y"], N)
_MIXED["sex"] = RNG.choice(["f", "m"], N)
_MIXED = _MIXED.mask(RNG.random(_MIXED.shape) < 0.06)
for _frame in (_NUMBERS, _MIXED):
    _frame[EVIL] = np.array(["a'", 'b"', "c\\"])[np.arange(N) % 3]
_MIXED.loc[5:7, EVIL] = np.nan
_IMAGES = RNG.integers(0, 255, (90, 5, 4), dtype=np.uint8)
_IMAGES[::2, :2] //= 3
_LABELS = np.array(["dark", "light"])[np.arange(90) % 2]


def npz() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, X_test=_IMAGES[60:], y_test=_LABELS[60:],
             X_train=_IMAGES[:60], y_train=_LABELS[:60])  # fmt: skip
    return stream.getvalue()


#: Files and samples, with the target of a table.
FILES = {
    "num'bers.csv": (_NUMBERS.to_csv(index=False, sep=";", decimal=",").encode(), EVIL),
    "mixed.csv": (_MIXED.to_csv(index=False, na_rep="?").encode(), EVIL),
    "bare.data": (_NUMBERS.to_csv(index=False, header=False).encode("latin-1"), "column 4"),
    "images.npz": (npz(), None),
}


def asked(name, question, *, table=None, **others) -> Analysis:
    if name not in FILES:
        return Analysis(SampleData(name), question=question, **others)
    source = FileData(name, target=FILES[name][1], table=table or TableOptions())
    return Analysis(source, question=question, **others)


def compare(*words, scheme="holdout") -> CompareQuestion:
    return CompareQuestion(words, scheme=scheme)


EXACT = compare("lda", "qda", "naive-bayes", "logistic")
CASES = {
    "several models": asked("wine", EXACT),
    "a file of numbers": asked("num'bers.csv", EXACT),
    "a file without a header": asked("bare.data", compare("lda", "qda", scheme="2x5-fold")),
    "the last rows": asked("num'bers.csv", ClassifyQuestion("lda"), split=SplitChoice("last", 0.2)),
    "leave one out": asked("iris", compare("lda", "naive-bayes", scheme="leave-one-out")),
    "groups": asked(
        "mixed.csv", ClassifyQuestion("lda"), table=TableOptions(roles={"port": "group"})
    ),
    "images": asked("images.npz", compare("lda", "qda", "naive-bayes", "multinomial-nb")),
    "images in few components": asked(
        "digits", compare("lda", "qda"), steps=lincore.Steps(n_components=12, whiten=True)
    ),
    "most of the variance": asked(
        "breast cancer", compare("lda", "logistic"), steps=lincore.Steps(n_components=0.9)
    ),
    "a basis": asked(
        "iris", compare("lda", "logistic"), steps=lincore.Steps(basis="polynomial(degree=2)")
    ),
    "options": asked(
        "wine",
        compare(
            "lda", "qda", "naive-bayes", "logistic", "least-squares", "one-vs-rest", scheme="5-fold"
        ),
        options={
            "lda": {"shrinkage": 0.2},
            "qda": {"shrinkage": 0.1, "priors": "equal"},
            "naive-bayes": {"var_smoothing": 0.01, "priors": "all"},
            "logistic": {"C": 0.1, "class_weight": "balanced", "solver": "newton"},
            "least-squares": {"alpha": 1.0, "targets": "plus-minus"},
        },
    ),
    "a sample with categories": asked("passengers", ClassifyQuestion("lda")),
    "generated classes": Analysis(GeneratedData(), question=ClassifyQuestion("lda")),
    "classes merged": asked("num'bers.csv", ClassifyQuestion("lda"),
                            table=TableOptions(merge_classes={"a'": 'b"'})),
    "some rows": asked("num'bers.csv", ClassifyQuestion("lda"), table=TableOptions(
        where=(lincore.io.Condition("width", "between", (0, None)),))),
    "priors": asked("wine", ClassifyQuestion("lda"), options={"lda": {"priors": "equal"}}),
    "unpenalised": asked("num'bers.csv", ClassifyQuestion("logistic"),
                         options={"logistic": {"C": float("inf")}}),
} | {
    f"gaps: {way}": asked(
        "mixed.csv", compare("lda", "logistic", scheme="5-fold"), table=TableOptions(missing=way)
    )
    for way in (None, "most_frequent", "indicator", "drop")
}  # fmt: skip

RUN = """
import contextlib, io, json, os, runpy, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
sys.modules["lincore"] = None
found = {}
for folder in json.load(sys.stdin):
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        made = runpy.run_path("scores.py")
    posteriors = {}
    for label, model in made["models"].items():
        found_of = made["predict"](model, made["X"], made["y"], made["splits"])
        rows = [one.tolist() for one in found_of[2]] or list(found_of[1])
        posteriors[label] = [model.classes_.tolist(), rows]
    found[folder] = printed.getvalue(), posteriors
json.dump(found, sys.stdout)
"""


@cache
def script_of_case(name: str) -> str:
    return to_plain_script(CASES[name], loaded(CASES[name]))


def loaded(analysis):
    return analysis.load(FILES[analysis.data.name][0] if analysis.data.kind == "file" else None)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Run all scripts where lincore cannot be imported; return what they print and predict."""
    folders = {name: tmp_path_factory.mktemp("plain") for name in CASES}
    for name, folder in folders.items():
        (folder / "scores.py").write_text(script_of_case(name), "utf-8")
        loaded(CASES[name]).to_frame().to_csv(folder / "rows.csv", index=False)
    run = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps([*map(str, folders.values())]),
        capture_output=True, text=True, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    printed = json.loads(run.stdout)
    return {name: printed[str(folder)] for name, folder in folders.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_script_without_lincore_gives_its_numbers(name, found):
    analysis = CASES[name]
    printed, posteriors = found[name]
    answer = analysis.run(loaded(analysis))
    results = getattr(answer, "results", answer)
    assert len(posteriors) == len(results.methods)
    accuracies = [f"{share:.4f}" for share in (results.predicted == results.truth).mean(axis=1)]
    assert re.findall(r": accuracy ([\d.]+)", printed) == accuracies
    for (labels, rows), own, code in zip(
        posteriors.values(), results.log_proba, results.predicted, strict=True
    ):
        if np.ndim(rows) == 1:
            assert [str(one) for one in rows] == [str(results.classes[k]) for k in code]
        else:
            order = [list(map(str, labels)).index(str(label)) for label in results.classes]
            assert_allclose(np.array(rows)[:, order], np.exp(own), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_a_script_is_short(name):
    body = script_of_case(name).split('"""')[2]
    code = [line for line in body.splitlines() if line and not line.startswith(("from", "import"))]
    assert len(code) < 60 and "lincore" not in body


@pytest.mark.parametrize(
    ("analysis", "reason"),
    [
        (asked("wine", compare("lda", "fisher")), "counterpart of Fisher's discriminant"),
        (asked("wine", ClassifyQuestion("lda"), options={"lda": {"divisor": "n-k"}}),
         r"counterpart of LDA \(divisor=n-k\)"),
        (asked("wine", ClassifyQuestion("lda"), steps=lincore.Steps(basis="radial")), "Radial"),
        (asked("wine", ClassifyQuestion("lda"), steps=lincore.Steps(n_components="cv")), "chooses"),
        (asked("mixed.csv", ClassifyQuestion("naive-bayes")), "Naive Bayes of categories"),
        (asked("digits", ClassifyQuestion("logistic")), "too many coefficients"),
        (asked("mixed.csv", ClassifyQuestion("logistic"),
               options={"logistic": {"C": float("inf")}}), "A posterior of"),
        (asked("wine", lincore.analysis.DataQuestion()), "Only Classify and Compare"),
        (asked("mixed.csv", compare("lda", scheme="by-group"),
               table=TableOptions(roles={"port": "group"})), "by group"),
    ],
)  # fmt: skip
def test_without_a_counterpart_there_is_a_reason(analysis, reason):
    with pytest.raises(DataError, match=reason):
        to_plain_script(analysis, loaded(analysis))


def names_in(script: str) -> set[str]:
    """Return the names that a script uses, and the modules that it imports."""
    tree = list(ast.walk(ast.parse(script)))
    modules = {node.module for node in tree if isinstance(node, ast.ImportFrom)}
    return {node.id for node in tree if isinstance(node, ast.Name)} | modules


@settings(max_examples=15, deadline=None)
@given(*[st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)] * 3)
def test_names_of_a_file_stay_literals(column, level, label):
    frame = pd.DataFrame({"x": _ROWS[:60, 0], column: [level, "other", "third"] * 20})
    frame["y"] = [label, "no"] * 30
    raw = frame.to_csv(index=False).encode()
    analysis = Analysis(FileData(f"{label}.csv", target="y"), question=ClassifyQuestion("lda"))
    try:
        script = to_plain_script(analysis, analysis.load(raw))
    except DataError:
        return
    assert names_in(script) <= set().union(*(names_in(script_of_case(name)) for name in CASES))
