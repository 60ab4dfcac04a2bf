"""Model files: what is saved comes back, and nothing hostile does."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import skops.io
from numpy.testing import assert_array_equal
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import lincore
from lincore import DataError, Steps
from lincore.export import load_model, model_card, save_model
from lincore.limits import LIMITS
from lincore.model_selection import CLASSIFIER_FACTORIES
from lincore.utils import captured_warnings
from tests.lincore.export.models.cases import CASES, Case

STEPS = [
    Steps(basis="radial"),
    Steps(basis="trigonometric"),
    Steps(basis="kernel(n_components=5)"),
    Steps(basis="polynomial", n_components=3),
]
KEPT = [case for case in CASES if case.data in ("passengers", "indicator", "mixed")]
KEPT += [Case("iris", spec) for spec in ("logistic", "one-vs-rest", "perceptron")]
KEPT += [Case("iris", "lda", steps) for steps in STEPS]


def parts(stored: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(stored)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.fixture(scope="module")
def results():
    data = lincore.sample("passengers")
    return lincore.compare(data, ["lda", "logistic"], "5-fold", keep_models=True)


@pytest.fixture(scope="module")
def stored(results):
    model = results.model("lda")
    return save_model(model, card=model_card(model, results, "lda"))


@pytest.mark.parametrize("case", KEPT, ids=str)
def test_every_model_comes_back(case):
    found = load_model(save_model(case.model)).model
    assert repr(found) == repr(case.model)
    pd.testing.assert_series_equal(found.predict(case.rows), case.model.predict(case.rows))
    if hasattr(case.model.classifier, "predict_proba"):
        pd.testing.assert_frame_equal(
            found.predict_proba(case.rows), case.model.predict_proba(case.rows)
        )


@pytest.mark.parametrize("word", CLASSIFIER_FACTORIES)
def test_every_classifier_is_saved_with_more_columns_than_rows(word):
    rng = np.random.default_rng(0)
    rows = np.abs(rng.normal(size=(24, 40)) + np.repeat(np.eye(3, 40), 8, axis=0))
    data = lincore.load((rows, np.repeat(["a", "b", "c"], 8)))
    spec = "qda(regularization=1, shrinkage=0.5)" if word == "qda" else word
    with captured_warnings():
        results = lincore.compare(data, spec, "holdout", keep_models=True)
    model = results.model(results.methods[0])
    assert_array_equal(load_model(save_model(model)).model.predict(rows), model.predict(rows))


def test_words_come_back():
    texts = pd.DataFrame({"review": ["good film", "bad film", "good book", "bad book"] * 5})
    data = lincore.load(
        texts.assign(verdict=["yes", "no"] * 10), target="verdict", roles={"review": "text"}
    )
    results = lincore.compare(
        data, "multinomial-nb", "holdout", keep_models=True, steps=Steps(n_components=None)
    )
    model = results.model("multinomial-nb")
    assert_array_equal(load_model(save_model(model)).model.predict(data.X), model.predict(data.X))


def test_the_file_holds_no_pickle_and_says_what_it_is(stored, results, tmp_path):
    files = parts(stored)
    assert set(files) == {"model.skops", "card.json", "README.md"}
    assert b"GLOBAL" not in stored and not any(name.endswith(".pkl") for name in files)
    card = json.loads(files["card.json"])
    assert card["schema"] == "lincore.model_card" and card["versions"]["lincore"]
    assert card["trained_on"]["digest"] == lincore.sample("passengers").digest
    assert (
        card["scores"]["accuracy"]["value"]
        == lincore.metrics.score(results, "lda", "accuracy").value
    )
    path = tmp_path / "lda.zip"
    assert save_model(results.model("lda"), path=path)[:2] == b"PK"
    assert load_model(path).card == load_model(path.read_bytes()).card


def test_a_classifier_of_others_is_not_saved():
    iris = lincore.sample("iris")
    forest = RandomForestClassifier(2, random_state=0)
    results = lincore.compare(iris, {"forest": forest}, "holdout", keep_models=True)
    with pytest.raises(DataError, match="RandomForestClassifier"):
        save_model(results.model("forest"))
    rest = lincore.compare(iris, {"rest": lincore.OneVsRest(forest)}, "holdout", keep_models=True)
    with pytest.raises(DataError, match="RandomForestClassifier"):
        save_model(rest.model("rest"))


def test_a_forged_step_is_refused_before_it_is_asked_anything(stored):
    model = load_model(stored).model
    asked = FunctionTransformer(np.negative)
    steps = [("asked", asked), *model.pipeline.steps]
    forged = replace(model, pipeline=Pipeline(steps))
    content = skops.io.dumps(forged)
    with pytest.raises(DataError, match="FunctionTransformer"):
        load_model(packed({**parts(stored), "model.skops": content}))


class Evil:
    """A type that a file may not name."""

    def __init__(self) -> None:
        self.command = "echo"


def test_types_that_are_not_trusted_are_refused(stored):
    for evil in (Evil(), lincore.Dataset, lincore.load, print):
        try:
            content = skops.io.dumps(evil)
        except Exception:  # what skops itself cannot write needs no refusal
            continue
        with pytest.raises(DataError):
            load_model(packed({**parts(stored), "model.skops": content}))


def test_files_of_other_kinds_are_refused(stored):
    files = parts(stored)
    iris = lincore.sample("iris")
    lda = skops.io.dumps(lincore.LinearDiscriminantAnalysis().fit(iris.X, iris.y))
    wrong = [
        b"",
        b"abc",
        b"PK\x03\x04" + bytes(50),
        packed({"a.txt": b"b"}),
        packed({**files, "model.skops": b"abc"}),
        packed({**files, "model.skops": lda}),
        packed({**files, "card.json": b"[]"}),
        packed({**files, "card.json": b"[" * 100_000}),
        packed(
            {**files, "card.json": files["card.json"].replace(b'"version": 1', b'"version": 9')}
        ),
        packed({"card.json": files["card.json"]}),
        stored[:-200],
    ]
    for raw in wrong:
        with pytest.raises(DataError):
            load_model(raw)
    with pytest.raises(DataError, match="cannot be read"):
        load_model("no such file.zip")


def test_damage_anywhere_is_refused_or_harmless(stored):
    rng = np.random.default_rng(3)
    rows = lincore.sample("passengers").to_frame().iloc[:5, :-1]
    for place in rng.integers(0, len(stored), 60):
        broken = bytearray(stored)
        broken[place] ^= 1 << int(rng.integers(8))
        try:
            model = load_model(bytes(broken)).model
        except DataError:
            continue
        assert len(model.predict(rows)) == 5


def test_forged_schemas_are_refused(stored):
    inner = parts(parts(stored)["model.skops"])
    schema = inner["schema.json"].decode()
    forged = [
        schema.replace('"FittedModel"', '"Dataset"'),
        schema.replace("lincore.model_selection.fitted_model", "os"),
        schema.replace('"Pipeline"', '"FeatureUnion"'),
        "{" * 50_000,
        "null",
        "{}",
    ]
    for text in forged:
        model = packed({**inner, "schema.json": text.encode()})
        with pytest.raises(DataError):
            load_model(packed({**parts(stored), "model.skops": model}))


def test_bombs_are_refused(stored):
    files = parts(stored)
    zeros = bytes(30_000_000)
    with pytest.raises(DataError, match="times its size"):
        load_model(packed({**files, "model.skops": zeros}, zipfile.ZIP_DEFLATED))
    inner = packed({**parts(files["model.skops"]), "zeros.npy": zeros}, zipfile.ZIP_DEFLATED)
    with pytest.raises(DataError, match="times its size"):
        load_model(packed({**files, "model.skops": inner}))
    with pytest.raises(DataError, match="larger than"):
        load_model(stored, replace(LIMITS, max_file_bytes=1_000))


def test_arrays_that_claim_to_be_huge_are_refused(stored):
    files = parts(stored)
    inner = parts(files["model.skops"])
    name = next(name for name in inner if name.endswith(".npy"))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**13,)}
    )
    model = packed({**inner, name: header.getvalue()})
    with pytest.raises(DataError):
        load_model(packed({**files, "model.skops": model}))


def test_a_model_of_another_version_says_so(stored):
    files = parts(stored)
    here = lincore.__version__.encode()
    card = files["card.json"].replace(b'"lincore": "' + here, b'"lincore": "9.9.9')
    broken = packed({**files, "card.json": card, "model.skops": packed({"schema.json": b"{}"})})
    with pytest.raises(DataError, match=r"made by lincore 9\.9\.9"):
        load_model(broken)


def test_a_card_of_checked_assumptions_is_saved(results):
    data = lincore.sample("passengers")
    card = model_card(results.model("lda"), results, "lda", data=data)
    assert load_model(save_model(results.model("lda"), card=card)).card == card
