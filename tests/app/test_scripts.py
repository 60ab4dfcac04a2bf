"""The script of every page, run in a process of its own, prints every number of the page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import lincore
from lincore.analysis import ClassShare, NewFile, TypedRow
from lincore.displays import SelectedFeaturesDisplay
from pages.ui.balance.reduction import PANELS
from pages.ui.classify.panels import TABS
from pages.ui.frame import export_menu
from pages.ui.jobs import page_jobs
from tests.app.data_page import data_of, give_roles, plain
from tests.app.settling import settled
from tests.app.test_pages import ROOT, choose_sample, open_app, upload

EVIL = "kind'''); import os # \\"
RNG = np.random.default_rng(4)
FILE = "flo'wers\".csv"
WEIGHT = "w'eight"
_ROWS = RNG.normal(size=(90, 3)) + np.arange(90)[:, None] % 3 * [1.0, 0.5, 0.0]
_FRAME = pd.DataFrame(_ROWS.round(2), columns=["length", 'wi"dth', "depth {x}"])
_FRAME["colour"] = RNG.choice(["red", "gr\\een", "it's"], 90)
_FRAME[WEIGHT] = RNG.gamma(2.0, size=90).round(2)
_FRAME[EVIL] = np.array(["a'", 'b"', "c\\"])[np.arange(90) % 3]
RAW = _FRAME.to_csv(index=False).encode()
_WORDS = RNG.choice(["good", "bad", "long", "short", "film", "book", "story"], (60, 9))
_TEXTS = [" ".join([*words, "praise" if i % 2 else "blame"]) for i, words in enumerate(_WORDS)]
REVIEWS = pd.DataFrame({"text": _TEXTS, "kind": ["ab"[i % 2] for i in range(60)]})
REVIEWS = REVIEWS.to_csv(index=False).encode()

# Other rows to be predicted: columns in another order, a level and a label that are new, a gap.
_NEW = _FRAME.head(30)[::-1].reset_index(drop=True).assign(note="=1+1")
_NEW.loc[:2, "colour"], _NEW.loc[3, "length"], _NEW.loc[4, EVIL] = "blue", np.nan, "d"
NEW = _NEW[[*reversed(_NEW.columns)]].to_csv(index=False).encode()

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
#: Sentences of a page that no script repeats: seconds, limits, and what every page explains.
OF_THIS_MACHINE = re.compile(
    r"\b\d[\d.]* (ms|s)\b|(times|about) as long|measured here|up to [\d,]+ MB|"
    r"^Read as|Guessed to be the target|of \d+ columns selected|^\d+ edits?:|"
    r"^The first [\d,]+ of|Ellipses: 95|from 0 to 1|, eqs?[.] |come with scikit-learn"
)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?")


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


class Visit(NamedTuple):
    """A page, the tabs that are opened on it, and what is chosen and uploaded there before."""

    page: str
    tabs: tuple[str, ...] = ("",)
    chosen: dict[str, object] = {}
    buttons: tuple[str, ...] = ()
    given: tuple[tuple[str, str], ...] = ()
    panels: str = ""

    @property
    def key(self) -> str:
        """The widget of its tabs."""
        if self.panels:
            return self.panels
        return "balance.tabs" if self.page == "balance" else f"{self.page}.panels"


DATA, LOGISTIC = Visit("data"), {"settings.classify": {"classifier": "logistic"}}
PREDICT = Visit("predict", chosen={
    "settings.predict": {"priors": "equal", "reject": "sets by class"}
})  # fmt: skip
SHARE = Visit("predict", chosen={
    "settings.predict": {"priors": ClassShare(1, 0.12), "level": 0.05, "threshold": 0.3,
                         "reject": "cost"}
})  # fmt: skip
TYPED = Visit("predict", chosen={
    "settings.predict": {"priors": "estimate", "rows": TypedRow(
        {"sex": "female", "fare": 81.25, "port": None, "deck": "it's"}
    )},
})  # fmt: skip
SAVED = Visit("predict", given=(("Open a saved model", "flo'wers.zip"),
                                ("Upload the new rows", "iris.csv")))  # fmt: skip
NEW_ROWS = Visit("predict", chosen={"settings.predict": {"priors": "equal", "rows": NewFile()}},
                 given=(("Upload the new rows", "ne'w\".csv"),))  # fmt: skip
NEW_IMAGES = Visit("predict", chosen={"settings.predict": {"rows": NewFile()},
                                      "settings.predict.rows": {"order": "uncertain"}},
                   given=(("Upload the new rows", "digits.zip"),))  # fmt: skip
_STEPS = ("race", "irls")
EXPERIMENT = Visit("geometry", chosen={
    "settings.geometry": {
        "experiment": _STEPS[0], "preset": _STEPS[1],
        f"revealed.{_STEPS[0]}.{_STEPS[1]}": True, f"guess.{_STEPS[0]}.{_STEPS[1]}": 4.0,
    },
})  # fmt: skip
COST = Visit("balance", chosen={"settings.balance": {
    "mode": "cost", "repeats": 2, "methods": ("lda", "logistic"),
}})  # fmt: skip


def classify(*tabs: str, **chosen: object) -> Visit:
    keys = {f"classify.{key.replace('_', '.')}": value for key, value in chosen.items()}
    prefix = "classify.settings"
    keys = {key.replace(prefix, "settings.classify", 1): value for key, value in keys.items()}
    return Visit("classify", tabs, LOGISTIC | keys)


def compare(
    *tabs: str, buttons: tuple[str, ...] = (), scheme: str = "holdout", **options: object
) -> Visit:
    chosen = {"settings.compare": {"methods": ("lda", "qda"), "scheme": scheme}}
    chosen |= {f"settings.experiment.{word}": given for word, given in options.items()}
    return Visit("compare", tabs, chosen, buttons)


def study(*tabs: str, **chosen: object) -> Visit:
    keys = {f"settings.balance.{key}": value for key, value in chosen.items()}
    return Visit("balance", tabs, COST.chosen | {
        **keys,
        "settings.balance": lambda data: {
            "mode": "cut", "repeats": 2, "methods": ("lda", "logistic"),
            "sizes": {data.classes.tolist()[0]: 9},
        },
    })  # fmt: skip


#: Every page on every data set, and every tab on one of them.
VISITS = {
    "iris": (
        DATA, COST,
        Visit("explore", ("columns", "pairs"), {"explore.pair.picked": [3, 60]}),
        classify("Convergence", "What if", settings_whatif={"moved": (0.0, 6.25, 3.0, 0.5)}),
        compare("Training size", "Choice of split",
                buttons=("compare.sizes.start", "compare.splits.start")),
        study("Error decomposition", "Costs", errors={"costs": (0, 1, 1, 5, 0, 1, 1, 1, 0.0)}),
    ),
    "wine": (
        DATA, SHARE, COST,
        Visit("explore", ("correlations", "projections"),
              {"settings.explore": {"standardize": True}}),
        Visit("explore", ("Biplot", "Loadings"),
              {"settings.explore": {"view": "projections"}, "explore.pca.picked": [10, 0],
               "settings.explore.pca": {"y": 2}, "settings.explore.scatter": {"rows": "test"}},
              panels="explore.panels.table3"),
        classify("What was learned", "Coefficients", settings_plane={"kind": "features"}),
        compare("Boundaries", "Rows needed", "Time", scheme="5-fold"),
        compare("Stepwise selection", buttons=("compare.run.update",), scheme="5-fold",
                lda={"selection": "stepwise"}),
        study("Class-size sweep", "Training loss"),
    ),
    "gaussian": (
        DATA, PREDICT, COST,
        Visit("explore", ("summary",)),
        classify("ROC", "Canonical functions", "Calibration", "Errors by part", "Operating point",
                 settings_plane={"drawing": "surface"},
                 settings_operating={"costs": (0, 1, 1, 1, 0, 1, 6, 1, 0.0)}),
        compare("Recall by class"), compare("Yardsticks", buttons=("compare.yardsticks.fit",)),
        study("Scores", "All models"),
    ),
    "passengers": (
        DATA, TYPED, COST,
        Visit("explore", ("columns", "summary")),
        classify("Coefficients", "Assumptions", "Operating point",
                 settings_plane={"kind": "direction"},
                 settings_operating={"by": "cross-validation", "miss_cost": 4.0},
                 settings_reject={"reject": "sets"}),
        compare("Pairwise comparisons", "Disagreements"),
        study("Priors in deployment", priors={"code": 0, "share": 0.3}),
    ),
    "upload": (
        DATA, NEW_ROWS, COST,
        Visit("explore", ("columns",)),
        classify("Scores", settings_plane={"kind": "coordinates"},
                 confusion_picked=[0, 1]),
        compare("Pairwise comparisons", scheme="5-fold"),
        study("Full and reduced set", sides={"remedy": "corrected priors"}),
    ),
    "reviews": (Visit("explore", ("words",)), SAVED),
    "digits": (
        NEW_IMAGES, EXPERIMENT,
        Visit("explore", ("Eigen-images", "Class means", "Reconstruction"),
              {"explore.pca.picked": [7], "settings.explore.reconstruction": {"n_components": 12}},
              panels="explore.panels.images"),
    ),
}  # fmt: skip
FILES = {"upload": (FILE, RAW, EVIL), "reviews": ("reviews.csv", REVIEWS, "kind")}


@cache
def given_files() -> dict[str, bytes]:
    """Return the files that are given to Predict, by their names."""
    iris = lincore.sample("iris")
    model = lincore.compare(iris, "qda", keep_models=True, seed=3).model("qda")
    rows = iris.to_frame()[::5].head(25).to_csv(index=False).encode()
    images = lincore.io.write_image_zip(lincore.sample("digits").take(slice(0, 30)))
    return {
        "flo'wers.zip": lincore.export.save_model(model),
        "iris.csv": rows,
        "ne'w\".csv": NEW,
        "digits.zip": images,
    }


def opened(name: str) -> AppTest:
    page_jobs.shared.clear()
    app = open_app()
    if name not in FILES:
        choose_sample(app, name)
        return app
    file, raw, target = FILES[name]
    upload(app, file, raw)
    app.selectbox(key="data.target").set_value(target).run()
    if name == "upload":
        give_roles(app, {WEIGHT: "weight"})
    return app.run()


class Seen(NamedTuple):
    """What a page says with numbers, its displays as text, and its script."""

    said: list[str]
    displays: list[str]
    script: str


def seen(name: str) -> dict[str, Seen]:
    """Visit the pages of a data set; return what each shows, by page and tab."""
    app, found = opened(name), {}
    for visit in VISITS[name]:
        for key, value in visit.chosen.items():
            app.session_state[key] = value(data_of(app)) if callable(value) else value
        app.switch_page(f"pages/{visit.page}.py").run()
        settled(app)
        for label, file in visit.given:
            (box,) = [one for one in app.file_uploader if one.label == label]
            box.upload(file, given_files()[file])
            settled(app)
        for i, tab in enumerate(visit.tabs):
            if tab and visit.key == "explore.panels":  # a view
                held = visit.chosen.get("settings.explore", {})
                app.session_state["settings.explore"] = held | {"view": tab}
                app.run()
            elif tab:
                app.session_state[visit.key] = tab
                app.run()
            if visit.buttons:
                app.button(key=visit.buttons[i]).click().run()
            settled(app)
            page = app.session_state[export_menu.SHOWN]
            key = f"{name}: {page.analysis.question.kind} {tab}".strip()
            found[key] = Seen(claims(app), [str(one) for one in page.shown()], page.script())
    return found


def run_in_new_process(scripts: dict[str, str], folder: Path) -> dict[str, str]:
    """Run scripts in one new process, where the files lie; return what each prints."""
    for file, raw in [*(one[:2] for one in FILES.values()), *given_files().items()]:
        (folder / file).write_bytes(raw)
    run = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(scripts), capture_output=True, text=True,
        cwd=folder, env=ENVIRONMENT, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    printed: dict[str, str] = json.loads(run.stdout)
    return printed


def missing(page: Seen, output: str) -> list[str]:
    """Return lines of displays that are not in the output, and what the page says with numbers.

    The page may say it in other words.
    """
    lines = {line.strip() for display in page.displays for line in display.splitlines()}
    lacking_lines = [
        line for line in lines if line not in output and not OF_THIS_MACHINE.search(line)
    ]
    output = plain(output)
    known = set(NUMBER.findall(output))
    lacking = {text: sorted(set(NUMBER.findall(text)) - known) for text in page.said}
    return lacking_lines + [
        f"{text}: {numbers}"
        for text, numbers in lacking.items()
        if numbers and text not in output and not OF_THIS_MACHINE.search(text)
    ]


#: A table with weights, categories and names that need quotes; images; texts and a saved model.
SHORT = ("upload", "digits", "reviews")


@pytest.mark.parametrize(
    "names",
    [
        SHORT,
        *(pytest.param((name,), marks=pytest.mark.long) for name in VISITS if name not in SHORT),
    ],
    ids=" ".join,
)
def test_a_script_prints_every_number_of_its_page(names, tmp_path):
    here = {key: both for name in names for key, both in seen(name).items()}
    assert len(here) >= sum(len(VISITS[name]) for name in names)
    printed = run_in_new_process({key: page.script for key, page in here.items()}, tmp_path)
    lacking = {}
    for key, page in here.items():
        assert len(page.said) > 1 and page.displays, key
        if found := missing(page, printed[key]):
            lacking[key] = found
    assert not lacking, json.dumps(lacking, indent=1, ensure_ascii=False)


def test_every_tab_is_visited():
    seen = {tab for visits in VISITS.values() for visit in visits for tab in visit.tabs} - {""}
    views = {"columns", "pairs", "correlations", "summary", "words", "projections"}
    kinds = (*TABS, SelectedFeaturesDisplay)  # whose tab only stepwise selection has
    tabs, offered = {*(kind.title for kind in kinds), *PANELS}, set()
    for name in ("iris", "digits", "reviews"):
        app = opened(name)
        app.switch_page("pages/compare.py")
        tabs |= {tab.label for tab in settled(app).tabs}
        app.session_state["settings.explore"] = {"view": "projections"}
        app.switch_page("pages/explore.py")
        tabs |= {tab.label for tab in settled(app).tabs}
        if name != "digits":
            offered |= set(app.button_group(key="explore.view").options)
    assert len(offered) == len(views), "a new view is to be visited"
    assert seen == tabs - {"Variance"} | views  # that is open where no other is
