"""Links of course.md and texts.md: each opens the dashboard in one state.

An experiment that the course links to asks its question; in texts.md its answer is revealed.

Run it to write them anew: ``python docs/links.py``. A test opens each.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from lincore.analysis import (  # noqa: E402
    Analysis,
    BalanceStudyQuestion,
    ClassifyQuestion,
    CompareQuestion,
    DataQuestion,
    ExploreQuestion,
    GeometryQuestion,
    SampleData,
    SplitChoice,
)
from lincore.laboratory import EXPERIMENTS  # noqa: E402
from lincore.model_selection import Steps  # noqa: E402

ADDRESS = "http://localhost:8501"
PAGES = ("course.md", TABLE := "texts.md")

R = SampleData("prml chapter 4")
GAUSSIAN, FACES = SampleData("gaussian"), SampleData("faces")
GIVEN = SplitChoice("given", 0.0)
TWO = Steps(n_components=2)
KINDS = ("lda", "qda", "fisher", "least-squares", "perceptron", "logistic")


def _r(classifier: str = "lda", tab: str = "", **more: object) -> Analysis:
    """Return a model of the rows of the R text."""
    return _classify(R, classifier, tab, split=GIVEN, **more)


def _classify(data: SampleData, classifier: str, tab: str = "", **more: object) -> Analysis:
    """Return a model, a kind of plot and an open tab."""
    given = {key: more.pop(key) for key in ("split", "steps") if key in more}
    options = {classifier: more.pop("options")} if "options" in more else {}
    view = {f"classify.{'' if '.' in key else 'plane.'}{key}": v for key, v in more.items()}
    if tab:
        view["classify.panels"] = tab
    return Analysis(
        data, question=ClassifyQuestion(classifier), options=options, view=view, **given
    )


def _explore(data: SampleData, view: str, split: SplitChoice | None = None) -> Analysis:
    """Return a view of the data."""
    split = split or SplitChoice()
    return Analysis(data, split, question=ExploreQuestion(view))


def _study(tab: str = "", drawing: str = "", method: str = "lda") -> Analysis:
    """Return the faces with a third of one class, in two components."""
    view = {"balance.tabs": tab, "balance.sides.drawing": drawing}
    question = BalanceStudyQuestion({"Ben": 37}, method=method)
    return Analysis(
        FACES,
        steps=TWO,
        question=question,
        view={key: value for key, value in view.items() if value},
    )


LINKS = {
    "r-data": Analysis(R, GIVEN, question=DataQuestion()),
    "r-scatter": _explore(R, "pairs", GIVEN),
    "r-projection": _explore(R, "projections", GIVEN),
    "r-compare": Analysis(R, GIVEN, question=CompareQuestion(KINDS)),
    "r-lda": _r(drawing="boundary", tab="Coefficients"),
    "r-equal": _r(drawing="boundary", tab="Coefficients", options={"priors": "equal"}),
    "r-learned": _r(tab="What was learned"),
    "r-within": _r(tab="What was learned", **{"learned.matrix.which": 1}),
    "r-between": _r(tab="What was learned", **{"learned.matrix.which": 2}),
    "r-qda-learned": _r("qda", tab="What was learned"),
    "r-equal-learned": _r(tab="What was learned", options={"priors": "equal"}),
    "r-posterior": _r(quantity="posterior"),
    "r-density": _r(quantity="density"),
    "r-what-if": _r(
        # A position and a value each.
        **{"whatif.moved": (0.0, 5.3, 1.0, 4.5)},
        tab="What if",
        options={"priors": "equal"},
    ),
    "r-fisher": _r("fisher", drawing="boundary", tab="Coefficients"),
    "r-fisher-errors": _r("fisher", drawing="boundary", options={"threshold": "minimum-error"}),
    "r-least-squares": _r("least-squares", drawing="boundary", tab="Coefficients"),
    "r-one-step": _r("least-squares", drawing="boundary"),
    "r-confusion": _r("least-squares", drawing="boundary"),
    "r-plus-minus": _r("least-squares", drawing="boundary", options={"targets": "plus-minus"}),
    "r-perceptron": _r("perceptron", drawing="boundary", tab="Convergence"),
    "r-logistic": _r("logistic", tab="Convergence", options={"C": float("inf")}),
    "gaussian-lda": _classify(GAUSSIAN, "lda", "Coefficients", drawing="boundary"),
    "gaussian-qda": _classify(GAUSSIAN, "qda", "Coefficients", drawing="boundary"),
    "gaussian-posterior": _classify(GAUSSIAN, "lda", quantity="posterior"),
    "gaussian-density": _classify(GAUSSIAN, "lda", quantity="density"),
    "gaussian-ovr-less": _classify(
        GAUSSIAN, "one-vs-rest", drawing="ambiguity", options={"models": "k-1"}
    ),
    "gaussian-ovo": _classify(GAUSSIAN, "one-vs-one", drawing="boundary"),
    "gaussian-ovo-perceptron": _classify(
        GAUSSIAN, "one-vs-one", drawing="ambiguity", options={"estimator": "perceptron"}
    ),
    "gaussian-perceptron": _classify(GAUSSIAN, "perceptron", "Convergence"),
    "gaussian-quadratic": _classify(
        GAUSSIAN, "logistic", "Coefficients", steps=Steps(basis="polynomial(degree=2)")
    ),
    "gaussian-newton": _classify(
        GAUSSIAN, "logistic", "Convergence", options={"solver": "newton", "C": float("inf")}
    ),
    "gaussian-gradient": _classify(
        GAUSSIAN, "logistic", "Convergence", options={"solver": "gradient", "C": float("inf")}
    ),
    "gaussian-sgd": _classify(GAUSSIAN, "logistic", "Convergence", options={"solver": "sgd"}),
    "gaussian-compare": Analysis(GAUSSIAN, question=CompareQuestion(KINDS)),
    "faces-one": _classify(FACES, "lda", steps=Steps(n_components=1), drawing="curves"),
    "faces-density": _classify(FACES, "lda", steps=TWO, quantity="density"),
    "faces-surface": _classify(FACES, "lda", steps=TWO, drawing="surface"),
    "faces-boundary": _classify(FACES, "lda", steps=TWO, drawing="boundary"),
    "faces-projection": _explore(FACES, "projections"),
    "faces-compare": Analysis(
        FACES,
        steps=TWO,
        question=CompareQuestion(("lda", "qda", "logistic")),
        view={"compare.panels": "Choice of split"},
    ),
    "faces-study": _study(),
    "faces-study-contour": _study("Full and reduced set", "Contour"),
    "faces-study-surface": _study("Full and reduced set", "Surface"),
    "faces-study-boundary": _study("Full and reduced set", "Boundary"),
    "faces-study-loss": _study("Training loss"),
    "faces-study-logistic": _study(method="logistic"),
    "passengers-odds": _classify(
        SampleData("passengers"), "logistic", "Coefficients", options={"C": float("inf")}
    ),
    "digits": _classify(SampleData("digits"), "lda"),
    **{
        f"g-{experiment}" + f"-{preset}" * (preset != "classic"): Analysis(
            SampleData("iris"), question=GeometryQuestion(experiment, preset)
        )
        for experiment, known in EXPERIMENTS.items()
        for preset in known.presets
    },
    **{
        f"gaussian-{basis.partition('(')[0]}": _classify(
            GAUSSIAN, "logistic", steps=Steps(basis=basis), drawing="boundary"
        )
        for basis in ("polynomial(degree=2)", "trigonometric", "radial", "kernel")
    },
}


def page_of(wanted: Analysis) -> str:
    """Return the path of the page that asks the question."""
    return wanted.question.kind.partition("-")[0]


def address(name: str, is_revealed: bool = False) -> str:
    """Return the address of a state."""
    wanted = LINKS[name]
    if is_revealed and isinstance(wanted.question, GeometryQuestion):
        wanted = wanted.ask(replace(wanted.question, revealed=True))
    return f"{ADDRESS}/{page_of(wanted)}?analysis={wanted.to_query()}"


def names_in(text: str) -> list[str]:
    """Return the names of the links that a page uses, in their order."""
    return list(dict.fromkeys(re.findall(r"\]\[([a-z-]+)\]", text)))


def with_definitions(page: str, text: str) -> str:
    """Return the text of a page with the addresses of its links at its end."""
    body = re.sub(r"^\[[a-z-]+\]: \S+\n", "", text, flags=re.MULTILINE).rstrip() + "\n"
    defined = (f"[{name}]: {address(name, page == TABLE)}\n" for name in names_in(body))
    return body + "\n" + "".join(defined)


if __name__ == "__main__":
    for page in PAGES:
        path = HERE / page
        path.write_text(with_definitions(page, path.read_text(encoding="utf-8")), encoding="utf-8")
