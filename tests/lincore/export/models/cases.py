"""Fitted models, and rows on which every rendering is compared with their pipelines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

import lincore
from lincore import Steps
from lincore.export import ScoreFunctions, score_functions
from lincore.model_selection import FittedModel
from lincore.utils import captured_warnings

POLYNOMIAL = Steps(basis="polynomial")
#: Names that are hostile to some language: quotes, line ends, tags, formulas, prototypes.
HOSTILE = (
    "a \"double\" and 'single' quote",
    "two\nlines -- '); DROP TABLE data; --",
    "</script><script>alert(1)</script>",
    '=HYPERLINK("http://x","y")',
    "__proto__",
    "back\\slash \\u0041 _x0041_ ${x} %s {0}",
    "t\u00e4glich \u2028 \U0001f600 *bold* `code`",
)


@dataclass(frozen=True)
class Case:
    """A method on a data set.

    Parameters
    ----------
    data, spec : str
    steps : Steps
    """

    data: str
    spec: str
    steps: Steps = Steps()

    def __str__(self) -> str:
        """Return what pytest calls it."""
        basis = [str(part) for part in (self.steps.basis, self.steps.n_components) if part]
        return "-".join([self.data, self.spec, *basis])

    @property
    def model(self) -> FittedModel:
        """The model, fitted once."""
        return fitted(self)

    @property
    def functions(self) -> ScoreFunctions:
        """Its functions."""
        return score_functions(self.model)

    @property
    def rows(self) -> pd.DataFrame:
        """Raw rows, among them gaps and unseen levels where the data have any."""
        return rows(self.data)

    @cached_property
    def expected(self) -> np.ndarray:
        """Posteriors, or decision scores where there are none, (n, K)."""
        if self.functions.has_probabilities:
            return self.model.predict_proba(self.rows).to_numpy()
        scores = self.model.pipeline.decision_function(self.model._read(self.rows)[0])
        return scores if scores.ndim == 2 else np.column_stack([0 * scores, scores])

    @property
    def labels(self) -> list[Any]:
        """Predicted labels."""
        return self.model.predict(self.rows).tolist()


def check(case: Case, values: Any, labels: Any) -> None:
    """Compare a rendering's numbers (n, K) and labels with the pipeline's."""
    found = np.asarray(values, dtype=float)
    if len(case.functions.classes) == 2 and not case.functions.has_probabilities:
        # Of two classes the pipeline gives the difference alone.
        found, expected = np.ptp(found, axis=1), np.ptp(case.expected, axis=1)
    else:
        expected = case.expected
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert list(labels) == case.labels


@cache
def fitted(case: Case) -> FittedModel:
    with captured_warnings():
        results = lincore.compare(
            dataset(case.data), case.spec, "holdout", steps=case.steps, keep_models=True
        )
    assert not results.settings.failed
    return results.model(results.methods[0])


@cache
def dataset(name: str) -> lincore.Dataset:
    if name == "indicator":
        return replace(lincore.sample("passengers"), imputation="indicator", rare=20)
    if name == "offset":
        iris = lincore.sample("iris")
        return replace(iris, X=iris.X * [1e-3, 1.0, 1e3, 1.0] - [0.0, 1e6, 0.0, 0.0])
    if name == "narrow":
        # A column that does not vary within a class, and two that are nearly the same.
        rng, y = np.random.default_rng(9), np.repeat(["a", "b"], 60)
        X = rng.normal(size=(120, 3)) + (y == "b")[:, None]
        X[y == "a", 0] = 3.0
        X[:, 2] = X[:, 1] + 1e-4 * rng.normal(size=120)
        return lincore.load((X, y))
    if name == "hostile":
        return lincore.load(hostile(), target="class; --")
    if name in ("mixed", "spelled"):
        return lincore.load(mixed(), target="kind", categories=["code"])
    return lincore.sample(name)


def hostile() -> pd.DataFrame:
    """Return a table whose every column, level and class has a hostile name."""
    place, rng = np.arange(140) % 7, np.random.default_rng(7)
    numbers = {name: rng.normal(place * 0.2, 1.0) for name in HOSTILE}
    levels = [HOSTILE[(i + i // 7) % 7] for i in range(140)]
    classes = [HOSTILE[i % 3] for i in range(140)]
    return pd.DataFrame({**numbers, "level": levels, "class; --": classes})


def mixed() -> pd.DataFrame:
    """Return truth values, whole numbers as categories, and long levels."""
    place, rng = np.arange(60), np.random.default_rng(8)
    return pd.DataFrame(
        {
            "flag": place % 3 == 0,
            "code": (place % 5).astype(float),
            "text": np.array(["x" * 300, "y" * 300, "x" * 199])[place % 3],
            "size": rng.normal(place % 2, 1.0),
            "kind": np.array([0, 1])[(place // 2) % 2],
        }
    )


def rows(name: str) -> pd.DataFrame:
    """Return raw rows of a data set."""
    if name == "hostile":
        return hostile_rows()
    if name in ("mixed", "spelled"):
        frame = mixed().drop(columns="kind").head(25)
        words = np.array(["True", "yes", "NO", "false", "1", "Ja"])
        return frame.assign(flag=words[np.arange(25) % 6]) if name == "spelled" else frame
    data = dataset(name)
    frame = data.to_frame().iloc[::7, :-1].reset_index(drop=True)
    categories = [column for column in frame if frame[column].dtype == "category"]
    frame = frame.astype(dict.fromkeys(categories, "str"))
    frame.iloc[4, -1] = None if categories else np.nan
    if categories:
        frame.loc[0, "deck"], frame.loc[1, "port"], frame.loc[2, "sex"] = "Z", "Nowhere", None
        frame.loc[3, ["age", "fare"]] = np.nan
    return frame


@cache
def hostile_rows() -> pd.DataFrame:
    frame = dataset("hostile").to_frame().astype({"level": "str"}).drop(columns="class; --")
    frame.loc[0, "level"] = "one that was never seen"
    frame.iloc[1, 3] = np.nan
    return frame.head(25)


def without_fills(functions: ScoreFunctions) -> ScoreFunctions:
    """Return functions of a model that takes no missing values, as those of images are."""
    return replace(functions, inputs=tuple(one._replace(fill=None) for one in functions.inputs))


PROBABILITIES = [
    *(Case("iris", spec) for spec in ("lda", "diagonal-lda", "qda", "naive-bayes", "logistic")),
    *(Case("wine", spec) for spec in ("lda(shrinkage=0.1)", "qda", "logistic(C=inf)")),
    *(
        Case("passengers", spec)
        for spec in ("lda", "naive-bayes", "qda(regularization=0.5)", "logistic")
    ),
    *(Case("indicator", spec) for spec in ("lda", "naive-bayes", "logistic")),
    *(Case("offset", spec) for spec in ("lda", "qda", "naive-bayes")),
    *(Case("gaussian", spec) for spec in ("qda", "logistic")),
    *(Case("hostile", spec) for spec in ("lda", "qda(regularization=0.9)")),
    *(Case("mixed", spec) for spec in ("lda", "naive-bayes")),
    Case("spelled", "lda"),
    *(Case("narrow", spec) for spec in ("naive-bayes", "qda(regularization=0.1)")),
    Case("iris", "qda", Steps(n_components=2)),
    Case("passengers", "qda(regularization=0.5)", Steps(n_components=3, whiten=True)),
    Case("iris", "qda", Steps(standardize=False)),
    Case("iris", "lda", Steps(standardize=False, n_components=3)),
    Case("iris", "logistic", POLYNOMIAL),
    Case("gaussian", "lda", POLYNOMIAL),
    Case("iris", "lda", Steps(basis="polynomial", n_components=5)),
    Case("iris", "multinomial-nb", Steps(standardize=False)),
]
SCORES = [
    Case("iris", "fisher"),
    Case("passengers", "fisher"),
    Case("wine", "least-squares"),
    Case("iris", "perceptron"),
    Case("iris", "one-vs-rest"),
    Case("iris", "one-vs-rest(models=k-1)"),
    Case("iris", "one-vs-rest(estimator=qda)"),
    Case("iris", "one-vs-one"),
    Case("wine", "one-vs-one(estimator=naive-bayes)"),
    Case("passengers", "one-vs-one(estimator=lda)"),
    Case("hostile", "one-vs-one(estimator=lda)"),
]
CASES = [*PROBABILITIES, *SCORES]
#: One of each kind of input and of score, for what writes the functions in another language.
FEW = [
    Case("iris", "lda"),
    Case("iris", "qda"),
    Case("passengers", "lda"),
    Case("indicator", "naive-bayes"),
    Case("offset", "qda"),
    Case("hostile", "lda"),
    Case("mixed", "lda"),
    Case("iris", "logistic", POLYNOMIAL),
    Case("passengers", "qda(regularization=0.5)", Steps(n_components=3, whiten=True)),
    Case("spelled", "lda"),
    Case("passengers", "fisher"),
    Case("iris", "one-vs-rest"),
    Case("hostile", "one-vs-one(estimator=lda)"),
]
