"""The pages agree: each shows what it shows a visitor who comes directly."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from itertools import pairwise, permutations
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from lincore.model_selection import Steps
from pages.ui.widgets import displays
from tests.app.data_page import bring
from tests.app.session.test_link import asked, link_of, open_link
from tests.app.settling import settled
from tests.app.test_pages import choose_sample, main_text, open_app

VISITED = ("classify", "compare", "balance", "predict")
#: Each page after each other one.
WALK = (
    *("classify", "compare", "classify", "balance", "classify", "predict", "compare"),
    *("balance", "compare", "predict", "balance", "predict", "classify"),
)
#: Said where a result is of other settings than those of now.
OUTDATED = ("Settings have changed", "outdated")


def a_table() -> bytes:
    """Return 240 rows of six features, a category among them; one class in five is rare."""
    rng = np.random.default_rng(5)
    rare = np.arange(240) % 5 == 0
    X = np.round(rng.normal(size=(240, 5)) + 0.9 * rare[:, None] * [1, -1, 1, 0, 0], 3)
    colour = rng.choice(["red", "green", "blue"], 240)
    lines = ["a,b,c,d,e,colour,kind"]
    for row, hue, is_rare in zip(X, colour, rare, strict=True):
        lines.append(f"{','.join(map(str, row))},{hue},{'rare' if is_rare else 'common'}")
    return "\n".join(lines).encode()


def a_zip() -> bytes:
    """Return 90 images of 20 by 20 grey levels in three folders: more pixels than training rows."""
    rng, stream = np.random.default_rng(3), io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for i in range(90):
            grey = rng.normal(120, 40, (20, 20))
            grey[:, 6 * (i % 3) : 6 * (i % 3) + 6] += 25
            image = io.BytesIO()
            Image.fromarray(grey.clip(0, 255).astype(np.uint8)).save(image, "PNG")
            archive.writestr(f"{'abc'[i % 3]}/{i}.png", image.getvalue())
    return stream.getvalue()


def a_text() -> bytes:
    """Return 160 short messages, a quarter of them spam."""
    rng = np.random.default_rng(7)
    ham, spam = (
        ["meet", "lunch", "home", "later", "train", "dinner", "sorry", "call"],
        ["win", "free", "cash", "call", "now"],
    )
    lines = ["label,message"]
    for i in range(160):
        words = rng.choice(spam if i % 4 == 0 else ham, 5).tolist() + rng.choice(ham, 3).tolist()
        lines.append(f"{'spam' if i % 4 == 0 else 'ham'},{' '.join(words)} {i % 13}")
    return "\n".join(lines).encode()


FILES = {"table": ("t.csv", a_table()), "images": ("i.zip", a_zip()), "text": ("m.csv", a_text())}


class Shown(NamedTuple):
    """The numbers that lead a page: its headline, the sentence below it, its metrics."""

    headline: str
    sentence: str
    metrics: tuple[tuple[str, str, str], ...]


def visit(app: AppTest, page: str) -> Shown:
    """Go to a page, wait until its jobs are over, and return what it leads with."""
    app.switch_page(f"pages/{page}.py").run()
    return look(app)


def look(app: AppTest) -> Shown:
    settled(app)
    assert not [words for words in OUTDATED if words in main_text(app)]
    sentences = [one.value for one in app.main.markdown if one.value.strip()]
    metrics = tuple((one.label, one.value, one.delta) for one in app.metric)
    return Shown(app.header[0].value, sentences[0], metrics)


def with_file(kind: str) -> AppTest:
    app = bring(open_app(), FILES[kind])
    assert not app.error
    # Splits of both questions of Balance: a few will do.
    app.session_state["settings.balance"] = {"repeats": 3}
    return app


def directly(kind: str) -> dict[str, Shown]:
    """Return what each page shows a visitor who opens no other one first."""
    found = {page: visit(with_file(kind), page) for page in VISITED}
    assert len({shown.headline for shown in found.values()}) == len(VISITED)
    return found


def test_a_page_after_any_other_shows_a_table_as_it_does_at_once():
    assert {*pairwise(WALK)} == {*permutations(VISITED, 2)}
    direct, app = directly("table"), with_file("table")
    for number, page in enumerate(WALK):
        assert visit(app, page) == direct[page], WALK[: number + 1]


@pytest.mark.long
@pytest.mark.parametrize("kind", FILES)
def test_pages_in_every_order_show_what_they_show_at_once(kind):
    direct = directly(kind)
    for order in permutations(VISITED):
        app = with_file(kind)
        for page in order:
            assert visit(app, page) == direct[page], f"{page} in the order {' '.join(order)}"


def unfolded(app: AppTest, key: str) -> AppTest:
    """Open an expander, whose widgets are drawn from then on."""
    app.session_state[key] = True
    return app.run()


#: What a visitor changes on each page, and how the specification then says it.
CHANGES: dict[str, Callable[[AppTest], object]] = {
    "classify": lambda app: (
        app.segmented_control(key="experiment.n_components.kind").set_value(2).run()
    ),
    "compare": lambda app: app.toggle(key="experiment.standardize").set_value(False).run(),
    "balance": lambda app: (
        unfolded(app, "balance.models")
        .selectbox(key="experiment.lda.priors")
        .set_value("equal")
        .run()
    ),
    "predict": lambda app: app.toggle(key="experiment.whiten").set_value(True).run(),
}


def assert_changes_hold_everywhere(order: Sequence[str]) -> None:
    """Change something on each page, in this order; each page shows what its link opens."""
    app = open_app()
    choose_sample(app, "wine")
    app.session_state["settings.balance"] = {"repeats": 3}
    for page in order:
        app.switch_page(f"pages/{page}.py").run()
        settled(app)
        CHANGES[page](app)
    for page in order:
        app.switch_page(f"pages/{page}.py").run()
        settled(app)
        for update in ("compare.run.update", "balance.study.update"):
            if any(button.key == update for button in app.button):
                app.button(key=update).click().run()
        found, asked_for = look(app), asked(app)
        assert asked_for.steps == Steps(False, None, 2, True)
        assert asked_for.options == {"lda": {"priors": "equal"}}
        assert look(open_link({"analysis": link_of(app)}, f"pages/{page}.py")) == found, page


@pytest.mark.usefixtures("unfolded")
def test_what_is_changed_on_each_page_holds_on_all_of_them():
    assert_changes_hold_everywhere(VISITED)


@pytest.mark.usefixtures("unfolded")
@pytest.mark.long
@pytest.mark.parametrize("first", range(1, len(VISITED)))
def test_what_is_changed_on_each_page_holds_whichever_comes_first(first):
    order = VISITED[first:] + VISITED[:first]
    # Components are whitened where there are some: they are chosen first.
    assert_changes_hold_everywhere(sorted(order, key=lambda page: page == "predict"))


@pytest.mark.usefixtures("unfolded")
def test_an_unknown_step_in_the_record_is_the_default():
    app = open_app("pages/compare.py")
    default = look(app)
    app.session_state["settings.experiment"] = {"n_components": "nobody", "basis": "nobody"}
    app.run()
    assert look(app) == default
    assert app.segmented_control(key="experiment.n_components.kind").value == displays.NOTHING
