"""The pages of the dashboard with small data sets: all that a visitor sees on them, recorded.

A case is a page with a data set. Everything is found by what it says (titles, names of columns,
labels of tabs and widgets), never by its place, so that pages may be laid out anew.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from io import BytesIO
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from PIL import Image
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Widget

from tests.app.data_page import a_zip, as_png, bring, give_roles, plain
from tests.app.settling import settled, unfolded
from tests.app.test_pages import open_app
from tests.golden.cases import SINGLE, Found, checksum, digest

#: Longer lists are recorded as a checksum or a digest.
LONGEST = 12
#: Time and memory of the machine, also as limits of the server, and columns of them.
_MEASURED = re.compile(r"\b\d[\d.,]* (ms|s|min|MB)\b")
_OF_TIME = ("seconds",)
#: Less than this is the rounding of a zero: no page shows so many digits.
_ZERO = 1e-12
_NUMBER = re.compile(r"\d[\d.,]*")
#: What elements say is recorded with its kind, which a new layout may not change by chance.
_KINDS = {
    **dict.fromkeys(("header", "subheader", "title"), "headline"),
    **dict.fromkeys(("markdown", "caption", "latex", "code"), "text"),
    **dict.fromkeys(("info", "warning", "error", "success"), "message"),
    "expander": "text",
    "metric": "metric",
}
_DRAWN = ("x", "y", "z", "base", "text", "hovertext", "customdata", "source")
_BARS = [(bars, end) for bars in ("error_x", "error_y") for end in ("array", "arrayminus")]


def _csv(**columns: Any) -> bytes:
    return pd.DataFrame(columns).to_csv(index=False).encode()


def _points(rng: np.random.Generator, codes: np.ndarray, spread: float = 1.0) -> np.ndarray:
    """Return two columns whose means differ by class."""
    means = rng.normal(scale=1.5, size=(codes.max() + 1, 2))
    return (means[codes] + spread * rng.normal(size=(len(codes), 2))).round(2)


def _gaps() -> bytes:
    rng = np.random.default_rng(1)
    codes = rng.choice(3, 120, p=[0.5, 0.3, 0.2])
    length, width = _points(rng, codes, 2.0).T
    colour = np.where(rng.random(120) < 0.4, np.array(["red", "green", "blue"])[codes], "grey")
    length[rng.choice(120, 9, replace=False)] = np.nan
    colour = np.where(rng.random(120) < 0.1, "", colour)
    return _csv(length=length, width=width, colour=colour, kind=np.array([*"abc"])[codes])


def _images() -> bytes:
    rng = np.random.default_rng(2)
    means = rng.uniform(60, 200, size=(3, 6, 6))
    return a_zip(
        {
            f"{name}/{i}.png": as_png(np.clip(mean + rng.normal(0, 60, (6, 6)), 0, 255))
            for name, mean in zip(("Ann", "Ben", "Cleo"), means, strict=True)
            for i in range(16)
        }
    )


def _text() -> bytes:
    rng = np.random.default_rng(3)
    codes = rng.choice(2, 90)
    words = np.array([*["good", "bad", "long", "short", "film", "book", "story", "plot"]])
    shares = np.array([[4, 1, 2, 2, 3, 1, 2, 1], [1, 4, 3, 1, 2, 2, 2, 1]])
    texts = [" ".join(rng.choice(words, 9, p=shares[k] / shares[k].sum())) for k in codes]
    return _csv(review=texts, verdict=np.array(["praise", "blame"])[codes])


def _groups() -> bytes:
    rng = np.random.default_rng(4)
    subject = np.repeat(np.arange(30), 4)
    codes = subject % 2
    length, width = (_points(rng, codes) + rng.normal(size=(30, 2))[subject]).round(2).T
    return _csv(patient=[f"P{i:02}" for i in subject], length=length, width=width, ill=codes)


def _weights() -> bytes:
    rng = np.random.default_rng(5)
    codes = rng.choice(3, 150)
    length, width = _points(rng, codes, 2.0).T
    counts = rng.gamma(2.0, size=150).round(2)
    return _csv(length=length, width=width, counts=counts, kind=np.array([*"abc"])[codes])


def _many() -> bytes:
    rng = np.random.default_rng(6)
    codes = np.arange(320) % 40
    length, width = _points(rng, codes, 0.5).T
    depth = (codes % 7 + rng.normal(size=320)).round(2)
    return _csv(length=length, width=width, depth=depth, kind=[f"k{k:02}" for k in codes])


def _rare() -> bytes:
    rng = np.random.default_rng(7)
    codes = (np.arange(315) % 21 == 0).astype(int)
    length, width = (1.5 * codes[:, None] + rng.normal(size=(315, 2))).round(2).T
    return _csv(length=length, width=width, fraud=np.array(["no", "yes"])[codes])


def _wide() -> bytes:
    rng = np.random.default_rng(8)
    codes = np.arange(60) % 3
    X = (rng.normal(size=(60, 90)) + rng.normal(size=(3, 90))[codes] * 0.4).round(2)
    return _csv(kind=np.array([*"abc"])[codes], **{f"gene {j}": X[:, j] for j in range(90)})


#: Name and content of the file, and the roles that are given to columns, by data set.
DATA_SETS: dict[str, tuple[str, Callable[[], bytes], dict[str, str]]] = {
    "gaps and categories": ("flowers.csv", _gaps, {}),
    "images": ("people.zip", _images, {}),
    "text": ("reviews.csv", _text, {}),
    "groups": ("patients.csv", _groups, {"patient": "group"}),
    "weights": ("survey.csv", _weights, {"counts": "weight"}),
    "40 classes": ("species.csv", _many, {}),
    "20 to 1": ("fraud.csv", _rare, {}),
    "p > n": ("genes.csv", _wide, {}),
}

# A step is a tab to open, by its name, or widgets to set, by their labels; the page is looked at
# after each. Every tab is opened for one data set at least.
Step = str | dict[str, Any]
AT_FIRST: Step = {}
TWO = {"Random splits": 2, "Models": ["LDA", "Logistic regression"]}
CUT: Step = {"Question": "What if a class were smaller?", **TWO}
COST: Step = {"Question": "What does this imbalance cost?", **TWO}
SUMMARY, SCATTER, CORRELATIONS, WORDS, PROJECTIONS = (
    {"View": view} for view in ("Summary", "Scatter", "Correlations", "Words", "PCA and Fisher")
)
STEPS: dict[str, dict[str, tuple[Step, ...]]] = {
    "data": dict.fromkeys(DATA_SETS, (AT_FIRST,)),
    "explore": {
        "gaps and categories": (AT_FIRST, SUMMARY, PROJECTIONS),
        "images": (AT_FIRST, "Class means", "Reconstruction", "Variance"),
        "text": (WORDS, PROJECTIONS, "Loadings"),
        "groups": (SCATTER,),
        "weights": (AT_FIRST, CORRELATIONS, SUMMARY),
        "40 classes": (AT_FIRST, PROJECTIONS, "Biplot"),
        "20 to 1": (SCATTER, PROJECTIONS),
        "p > n": (CORRELATIONS, PROJECTIONS, "Loadings"),
    },
    "classify": {
        "gaps and categories": (
            {"Classifier": "Logistic regression"}, "Coefficients", "Convergence"
        ),
        "images": (AT_FIRST, "Scores", "Coefficients"),
        "text": (AT_FIRST, "Coefficients", "ROC"),
        "groups": (AT_FIRST, "Calibration", "What if"),
        "weights": (AT_FIRST, "What was learned", "Assumptions", {"Classifier": "QDA"}),
        "40 classes": (AT_FIRST, "Scores"),
        "20 to 1": (AT_FIRST, "ROC"),
        "p > n": (AT_FIRST, "Assumptions", "What was learned"),
    },
    "compare": {
        "gaps and categories": (AT_FIRST, "Disagreements", "Recall by class"),
        "images": (AT_FIRST, "Boundaries"),
        "text": (AT_FIRST,),
        "groups": ({"Validation": "5-fold"},),
        "weights": (AT_FIRST, {"Validation": "10-fold"}),
        "40 classes": (AT_FIRST, "Recall by class"),
        "20 to 1": (AT_FIRST, {"Score": "AUC"}, "Boundaries"),
        "p > n": ({"Validation": "5-fold"},),
    },
    "balance": {
        "gaps and categories": (COST, CUT, "Scores", "Training loss"),
        "images": (CUT, "Full and reduced set"),
        "text": (CUT,),
        "groups": (CUT, "Priors in deployment"),
        "weights": (COST, CUT, "Costs"),
        "40 classes": (CUT,),
        "20 to 1": (COST, CUT, "Full and reduced set"),
        "p > n": (CUT,),
    },
    "predict": {
        "gaps and categories": (AT_FIRST, {"Priors in deployment": "Equal"}),
        "images": ({"Show": "Least certain first"},),
        "text": (AT_FIRST,),
        "groups": (AT_FIRST, {"Rows to predict": "A row typed in"}),
        "weights": ({"Classifier": "QDA"},),
        "40 classes": (AT_FIRST,),
        "20 to 1": (AT_FIRST,),
        "p > n": (AT_FIRST,),
    },
}  # fmt: skip
#: Pages that need no data of the visitor.
ALONE = ("start", "geometry")


@unfolded()
def visited(page: str, data: str = "") -> Found:
    """Open a page with a data set; return what it shows at first and after each of its steps."""
    app = open_app()
    if data:
        name, make, roles = DATA_SETS[data]
        bring(app, (name, make()))
        if roles:
            give_roles(app, roles)
    app.switch_page(f"pages/{page}.py").run()
    values: dict[str, Any] = {}
    words: dict[str, Any] = {}
    for step in STEPS[page][data] if data else (AT_FIRST,):
        _take(app, step)
        for kept, seen in zip((values, words), _seen(settled(app)), strict=True):
            for name, shown in seen.items():
                # As JSON, where a missing number is like another.
                if json.dumps(kept.setdefault(name, shown)) != json.dumps(shown):
                    kept[f"{name} [{_called(step)}]"] = shown
    return values, words


def _called(step: Step) -> str:
    return step if isinstance(step, str) else ", ".join(map(str, step.values()))


def _take(app: AppTest, step: Step) -> None:
    """Open a tab, or set widgets one after another."""
    if isinstance(step, str):
        rows = [node for node in app.main if getattr(node, "type", "") == "tab_container"]
        (row,) = [row for row in rows if step in [tab.label for tab in row.children.values()]]
        app.session_state[row.key] = step
        app.run()
        return
    for label, answer in step.items():
        named = [node for node in app.main if getattr(node, "label", "") == label]
        next(node for node in named if isinstance(node, Widget)).set_value(answer).run()


def _seen(app: AppTest) -> Found:
    """Return the numbers in tables and figures, by the titles of these, and all words."""
    values: dict[str, Any] = {}
    words: dict[str, Any] = {}
    for node in app.main:
        if node.type == "dataframe":
            name, parts = f"table: {node.proto.alt}", _columns(node.value)
        elif node.type == "plotly_chart":
            figure = json.loads(node.proto.spec)
            go.Figure(figure)  # Plotly has not validated it so far: an error if it is invalid
            name, parts = f"figure: {figure['layout']['meta']['title']}", _arrays(figure)
            words[plain(node.proto.alt)] = "alternative of a figure"
        else:
            words |= _sentence(node)
            continue
        # Numbers in a title are among the words; in a name they would make it another one.
        name = _unused(values, _NUMBER.sub("#", name))
        found = {part: _flat(data) for part, data in parts.items()}
        values[name] = {part: _recorded(data) for part, data in found.items() if _counts(data)}
        texts = {part: _recorded(data) for part, data in found.items() if not _counts(data)}
        words |= {name: texts} if texts else {}
    return values, words


def _sentence(node: Any) -> dict[str, str]:
    kind = _KINDS.get(node.type)
    if kind is None:
        return {}
    text = node.label if node.type in ("expander", "metric") else node.value
    if kind == "metric":
        text = f"{text}: {node.value} ({node.delta})"
    return {_MEASURED.sub("…", plain(text)): kind}


def _columns(table: pd.DataFrame) -> dict[str, Any]:
    return {str(name): column for name, column in table.items() if name not in _OF_TIME}


def _arrays(figure: dict[str, Any]) -> dict[str, Any]:
    """Return what the traces of a figure draw, by their names, and the texts around them."""
    found: dict[str, Any] = {}
    for trace in figure["data"]:
        title = trace.get("name") or trace.get("meta", [trace["type"]])[0]
        drawn = {axis: trace.get(axis) for axis in _DRAWN}
        drawn |= {f"{bars} {end}": trace.get(bars, {}).get(end) for bars, end in _BARS}
        for axis, data in drawn.items():
            if data is not None:
                found[_unused(found, f"{title}: {axis}")] = data
    layout = figure["layout"]
    corners = [
        [shape.get(end) for end in ("x0", "x1", "y0", "y1")] for shape in layout.get("shapes", ())
    ]
    found["shapes"] = corners
    found["annotations"] = [each.get("text") for each in layout.get("annotations", ())]
    for axis in sorted(name for name in layout if "axis" in name):
        found[f"title of {axis}"] = [layout[axis].get("title", {}).get("text")]
        found[f"ticks of {axis}"] = layout[axis].get("ticktext", [])
    return {name: data for name, data in found.items() if len(data) and data != [None]}


def _unused(names: Iterable[str], name: str) -> str:
    """Return a name, numbered if there is one like it."""
    numbered = (f"{name} ({i})" if i > 1 else name for i in count(1))
    return next(one for one in numbered if one not in names)


def _flat(data: Any) -> np.ndarray:
    """Return a column or an array of a figure in one dimension: numbers, or objects."""
    if isinstance(data, dict):
        return np.frombuffer(base64.b64decode(data["bdata"]), data["dtype"])
    if isinstance(data, str) and data.startswith("data:image"):
        return np.ravel(Image.open(BytesIO(base64.b64decode(data.partition(",")[2]))))
    cells = [None if pd.isna(cell) else cell for cell in np.ravel(np.array(data, dtype=object))]
    is_text = any(isinstance(cell, str) for cell in cells)
    return np.array(cells, dtype=object if is_text else float)


def _counts(data: np.ndarray) -> bool:
    """Tell numbers, also as texts, from words."""
    return data.dtype != object or any(_NUMBER.search(str(cell)) for cell in data)


def _recorded(data: np.ndarray) -> Any:
    if data.dtype == object:
        cells = [None if cell is None else _MEASURED.sub("…", str(cell)) for cell in data]
        return cells if len(cells) <= LONGEST else digest(np.array(cells, dtype=object))
    numbers = np.where(np.abs(data) < _ZERO, data.dtype.type(0), data)
    found = numbers.tolist() if len(data) <= LONGEST else checksum(numbers)
    return {SINGLE: found} if data.dtype == np.float32 else found


PAGES: dict[str, Callable[[], Found]] = {
    **{page: partial(visited, page) for page in ALONE},
    **{f"{page}: {data}": partial(visited, page, data) for page in STEPS for data in STEPS[page]},
}
