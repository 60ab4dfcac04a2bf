"""The script of every page, run in a process of its own, prints every number of the page."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from lincore.analysis import (
    Analysis,
    BalanceCostQuestion,
    BalanceStudyQuestion,
    ClassifyQuestion,
    CompareQuestion,
    DataQuestion,
    ExploreQuestion,
    FileData,
    PredictQuestion,
    SampleData,
    SplitChoice,
)
from lincore.export import to_script
from lincore.model_selection import Steps
from pages.ui.jobs import page_jobs
from pages.ui.session import take_away
from tests.app.settling import kept_jobs, settled
from tests.app.test_pages import ROOT, choose_sample, open_app, upload

EVIL = "kind'''); import os # \\"
RNG = np.random.default_rng(4)
FILE = "flo'wers\".csv"
_ROWS = RNG.normal(size=(90, 3)) + np.arange(90)[:, None] % 3 * [1.0, 0.5, 0.0]
_FRAME = pd.DataFrame(_ROWS.round(2), columns=["length", 'wi"dth', "depth {x}"])
_FRAME["colour"] = RNG.choice(["red", "gr\\een", "it's"], 90)
_FRAME[EVIL] = np.array(["a'", 'b"', "c\\"])[np.arange(90) % 3]
RAW = _FRAME.to_csv(index=False).encode()

SAMPLES = ("iris", "wine", "gaussian", "passengers")
METHODS = ("lda", "qda", "logistic")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
#: Sentences of a page that no script repeats: seconds, limits, and what every page explains.
OF_THIS_MACHINE = re.compile(
    r"\b\d[\d.]* (ms|s)\b|measured here|up to [\d,]+ MB|^Read as|of \d+ columns selected|"
    r"^The first [\d,]+ of|Ellipses: 95|from 0 to 1|come with scikit-learn"
)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?")


def plain(text: str) -> str:
    """Return text without Markdown, its blanks and signs made alike."""
    text = re.sub(r":material/\w+:", "", text).replace("**", "").removeprefix("- ")
    text = re.sub(r"\\([\\`*_{}\[\]()<>#+\-.!|~$:&])", r"\1", text)
    return " ".join(text.replace("−", "-").replace("\u00a0", " ").split())


def cells(frame) -> list[str]:
    """Return the cells of a table as they are shown."""
    config = json.loads(frame.proto.columns or "{}")
    found = []
    for name, column in frame.value.items():
        form = (config.get(str(name), {}).get("type_config") or {}).get("format")
        for value in column:
            if isinstance(value, float) and value != value or value is None or value is pd.NA:
                continue
            spec = re.match(r"%(\.\d+[fg])", form or "")
            if isinstance(value, (float, np.floating)) and spec:
                found.append(f"{value:{spec[1]}}")
            else:
                found.append(str(value))
    return found


def claims(app: AppTest) -> list[str]:
    """Return everything with a number that the main part of a page says."""
    main = app.main
    said = [each.value for kind in ("header", "markdown", "caption") for each in main.get(kind)]
    said += [code.value for code in main.get("code")][:1]
    for metric in main.get("metric"):
        said += [metric.value, str(metric.delta)]
    for frame in main.get("dataframe"):
        if "select" not in frame.value and len(frame.value) >= 90:
            continue  # the rows of the file as they are
        said += cells(frame)
    for chart in main.get("plotly_chart"):
        said.append(json.loads(chart.proto.spec)["layout"]["meta"]["alt"])
    return [text for text in map(plain, said) if re.search(r"\d", text)]


RUN = """
import contextlib, io, json, sys, warnings
warnings.simplefilter("ignore")
printed = {}
for name, script in json.load(sys.stdin).items():
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(script, f"{name}.py", "exec"), {"__name__": "__main__"})
    printed[name] = said.getvalue()
json.dump(printed, sys.stdout)
"""


def analysis(source, question) -> Analysis:
    return Analysis(source, steps=Steps(standardize=True), question=question)


def questions(data) -> dict[str, object]:
    smallest = data.classes[data.counts.argmin()]
    return {
        "data": DataQuestion(),
        "explore": ExploreQuestion(),
        "classify": ClassifyQuestion("logistic"),
        "predict": PredictQuestion("logistic", "equal"),
        "compare": CompareQuestion(METHODS, scheme="5-fold"),
        "balance-cost": BalanceCostQuestion(("lda", "logistic"), repeats=2),
        "balance-study": BalanceStudyQuestion({smallest: 9}, ("lda", "logistic"), repeats=2),
    }


def sources() -> dict[str, object]:
    file = FileData(FILE, hashlib.sha256(RAW).hexdigest(), target=EVIL)
    return {name: SampleData(name) for name in SAMPLES} | {"upload": file}


def load(source):
    return source.load(RAW if isinstance(source, FileData) else None)


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> dict[str, str]:
    """Run the scripts of every page and data set in one process, where the file lies."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / FILE).write_bytes(RAW)
    scripts = {
        f"{page} {name}": to_script(analysis(source, question))
        for name, source in sources().items()
        for page, question in questions(load(source)).items()
    }
    run = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(scripts), capture_output=True, text=True,
        cwd=folder, env=ENVIRONMENT, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout)


def opened(name: str) -> AppTest:
    page_jobs.shared.clear()
    app = open_app()
    if name == "upload":
        upload(app, FILE, RAW)
        app.selectbox(key="data.target").set_value(EVIL).run()
    else:
        choose_sample(app, name)
    return app


def with_tabs(app: AppTest, key: str, tabs) -> list[str]:
    said = []
    for tab in tabs:
        app.session_state[key] = tab
        app.run()
        if not all(job.is_over for job in kept_jobs(app)):
            settled(app)
        said += claims(app)
    return said


def page(name: str, of: str, data) -> list[str]:
    """Return what a page says of a data set, in all its tabs."""
    app, smallest = opened(name), int(data.counts.argmin())
    values = {
        "data": {},
        "explore": {},
        "classify": {"classify.word": "logistic"},
        "predict": {"classify.word": "logistic", "predict.priors": "equal"},
        "compare": {"compare.words": list(METHODS), "compare.scheme": "5-fold"},
        "balance-cost": {"balance.cost.repeats": 2, "balance.mode": "cost",
                         "balance.methods": ["lda", "logistic"]},
        "balance-study": {"balance.repeats": 2, "balance.mode": "cut",
                          "balance.methods": ["lda", "logistic"],
                          "balance.kept": {smallest: 9}},
    }[of]  # fmt: skip
    for key, value in values.items():
        app.session_state[key] = value
    file = "balance" if of.startswith("balance") else of
    app.switch_page(f"pages/{file}.py").run()
    settled(app)
    expected = analysis(sources()[name], questions(data)[of])
    asked = app.session_state[take_away.SHOWN].analysis
    assert to_script(bare(asked)) == to_script(bare(expected)), "the page offers another script"
    tabs = {
        "classify": ("classify.panels", ("Confusion", "Scores", "ROC", "Calibration",
                                         "Coefficients", "Equation", "Assumptions")),
        "compare": ("compare.panels", ("Pairwise comparisons", "Disagreements",
                                       "Recall by class")),
        "explore": ("explore.view", ("columns", "correlations", "summary", "projections")),
        "balance-study": ("balance.tabs", ("Error decomposition", "Scores")),
    }.get(of)  # fmt: skip
    return with_tabs(app, *tabs) if tabs else claims(app)


def bare(asked: Analysis) -> Analysis:
    """Return a specification in which what a page fills in itself is left to be filled in."""
    own = {
        name: None for name in ("score", "rope", "loss", "method") if hasattr(asked.question, name)
    }
    question = replace(asked.question, **own)
    return replace(asked, split=SplitChoice(), question=question, view={}, others=())


def missing(said: list[str], output: str) -> list[str]:
    """Return what a page says that the output has neither word for word nor by its numbers."""
    output = plain(output)
    known = set(NUMBER.findall(output))
    return [
        text
        for text in dict.fromkeys(said)
        if text not in output
        and not OF_THIS_MACHINE.search(text)
        and set(NUMBER.findall(text)) - known
    ]


@pytest.mark.parametrize("name", [*SAMPLES, "upload"])
@pytest.mark.parametrize(
    "of", ["data", "explore", "classify", "predict", "compare", "balance-cost", "balance-study"]
)
def test_a_script_prints_every_number_of_its_page(name, of, printed):
    data = load(sources()[name])
    said = page(name, of, data)
    assert len(said) > 3
    assert missing(said, printed[f"{of} {name}"]) == []
