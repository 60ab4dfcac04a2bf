"""The laboratory in a browser: equal axes, frames that move, the player by keyboard alone."""

from __future__ import annotations

import numpy as np
import pytest

from lincore.analysis import Analysis, GeometryQuestion
from lincore.laboratory import demonstrate, experiment_rows
from tests.browser.axe import assert_accessible

pytestmark = pytest.mark.browser

PIXELS = """chart => {
    const { xaxis, yaxis } = chart._fullLayout;
    return [xaxis, yaxis].map(axis => axis._length / Math.abs(axis.range[1] - axis.range[0]));
}"""


INK = """scheme => {
    const light = element => Number(getComputedStyle(element).color.match(/\\d+/)[0]) > 128;
    const boundary = document.querySelector(
        '.st-key-geometry-figure path.js-line[style*="rgb(38, 39, 48)"], ' +
        '.st-key-geometry-figure path.js-line[style*="rgb(250, 250, 250)"]');
    const inks = [document.querySelector("[data-testid=stApp]"), boundary];
    const drawn = boundary && Number(getComputedStyle(boundary).stroke.match(/\\d+/)[0]) > 128;
    return boundary && [...inks.map(light), drawn].every(one => one === (scheme === "dark"));
}"""


def test_a_prediction_is_revealed_and_stepped_by_keyboard(dashboard):
    asked = Analysis(question=GeometryQuestion("perceptron"))
    dashboard.goto(f"geometry?analysis={asked.to_query()}")
    chart = dashboard.element("geometry.figure").locator(".js-plotly-plot")
    across, up = chart.evaluate(PIXELS)
    assert across == pytest.approx(up, rel=0.01)

    links = dashboard.page.get_by_test_id("stSidebarNav").inner_text()
    assert links.index("Predict") < links.index("Learn") < links.index("Geometry")
    dashboard.element("geometry.guess.perceptron.classic").locator("input").fill("40")
    dashboard.element("geometry.reveal").get_by_role("button").first.click()
    dashboard.page.locator(".player").wait_for()
    assert not dashboard.page.get_by_text("Computed:").count(), "the perceptron still walks"
    assert dashboard.page.evaluate("document.activeElement.innerText.includes('Reveal')")
    answer = "Your prediction: 40 mistakes. Computed: 47 mistakes."
    dashboard.page.get_by_text(answer).wait_for()
    dashboard.settle()
    assert dashboard.page.locator(".player").get_attribute("data-frame") == "47"
    found = demonstrate("perceptron")
    player = dashboard.page.locator(".player")
    player.locator("button.reset").press("Enter")
    step, sentence = player.locator("button.step"), player.locator(".sentence")
    for number in (1, 2, 3):
        step.press("Enter")
        assert sentence.text_content() == found.frames[number].sentence
    dashboard.page.locator('.player[data-drawn="3"]').wait_for()
    drawn = chart.evaluate("(chart, i) => [[...chart.data[i].x], [...chart.data[i].y]]",
                           found.moving[0])  # fmt: skip
    np.testing.assert_allclose(np.transpose(drawn), found.frames[3].places[0], atol=1e-3)

    # A theme that changes takes the ink of figure and player with it.
    for scheme in ("dark", "light"):
        dashboard.page.emulate_media(color_scheme=scheme)
        dashboard.page.wait_for_function(INK, arg=scheme)

    slider = player.get_by_role("slider")
    slider.press("End")
    assert sentence.text_content() == found.frames[-1].sentence
    assert slider.get_attribute("aria-valuetext") == "mistake 47"
    assert_accessible(dashboard.page)
    dashboard.check()

    # A presenter's figure is in sight as a whole, and its keys work at once.
    dashboard.page.set_viewport_size({"width": 1280, "height": 720})
    dashboard.switch("geometry.presenter")
    assert not dashboard.page.get_by_test_id("stSidebar").is_visible()
    plot = dashboard.element("geometry.figure").locator(".js-plotly-plot").bounding_box()
    assert plot["height"] >= 560 and plot["y"] + plot["height"] <= 720
    dashboard.page.keyboard.press("ArrowLeft")
    assert sentence.text_content() == found.frames[-2].sentence
    dashboard.page.keyboard.press("h")
    dashboard.page.locator(".st-key-geometry-reveal button:visible").wait_for()
    dashboard.page.get_by_text("Computed:").wait_for(state="detached")
    is_drawn = "(chart, i) => Array.from(chart._fullData[i].x, Number.isFinite)"
    assert not any(chart.evaluate(is_drawn, found.moving[0])), "the line is hidden too"
    # The switch that has the focus keeps no key from the experiments.
    for is_on in (False, True):
        dashboard.switch("geometry.presenter", is_on)
    dashboard.page.keyboard.press("n")
    dashboard.element("geometry.guess.race.classic").wait_for()
    dashboard.settle()
    assert dashboard.chosen("geometry.experiment").endswith("A race of optimisers")
    dashboard.check()


@pytest.mark.long
def test_the_longest_answer_ends_above_the_fold_of_a_projector(dashboard):
    dashboard.goto("geometry")
    dashboard.choose("geometry.experiment", "4 Fisher's direction by hand")
    presets = dashboard.open_list("geometry.preset")
    dashboard.page.keyboard.press("Escape")
    assert dashboard.chosen("geometry.preset") == presets[0]
    dashboard.page.set_viewport_size({"width": 1280, "height": 720})
    dashboard.press("geometry.reveal")
    answer = dashboard.page.get_by_text("J is largest at")
    answer.wait_for()
    dashboard.settle()
    box = answer.bounding_box()
    assert box["y"] + box["height"] <= 720
    # Playing goes on where the answer is.
    player, found = dashboard.page.locator(".player"), demonstrate("fisher")
    assert player.get_attribute("data-frame") == str(found.stop)
    player.locator("button.play").press("Enter")
    following = [f'.player[data-frame="{i}"]' for i in range(found.stop + 1, len(found.frames))]
    dashboard.page.locator(", ".join(following)).wait_for()


@pytest.mark.long
def test_rows_of_ones_own_are_dragged_and_moved_by_keyboard(dashboard):
    asked = Analysis(question=GeometryQuestion("own-rows", "classic", None, True))
    dashboard.goto(f"geometry?analysis={asked.to_query()}")
    opened = dashboard.page.url
    board = dashboard.page.locator(".board")
    where, plane = board.locator("output"), board.locator("> svg")
    x, y = experiment_rows("own-rows").X[0]
    assert where.text_content() == f"Row 1, class 1, at ({x:.1f}, {y:.1f})".replace("-", "−")
    point, plot = board.locator('[data-point="0"]').bounding_box(), plane.bounding_box()
    assert plot["width"] == pytest.approx(plot["height"], rel=0.01)
    dashboard.page.mouse.move(point["x"] + 4, point["y"] + 4)
    dashboard.page.mouse.down()
    for step in range(1, 11):
        dashboard.page.mouse.move(point["x"] + 4 + 18 * step, point["y"] + 4 + 12 * step)
    dashboard.page.mouse.up()
    assert not where.text_content().startswith(f"Row 1, class 1, at ({x:.1f}".replace("-", "−"))
    # All lines come again, and what they misclassify is said.
    dashboard.page.wait_for_function(
        "former => !document.querySelector('.st-key-geometry-reply').innerText.includes(former)",
        arg="least squares 1, LDA 1, logistic regression 0",
    )
    # Then the page puts the rows into its link.
    dashboard.page.wait_for_url(lambda url: url != opened)
    dashboard.settle()
    moved = dashboard.page.url
    for key in ("PageDown", "ArrowUp", "Enter"):
        plane.press(key)
    dashboard.page.get_by_text("Misclassified of 25 rows").wait_for()
    plane.press("Delete")
    dashboard.page.get_by_text("Misclassified of 24 rows").first.wait_for()
    dashboard.page.wait_for_url(lambda url: url != moved)
    dashboard.settle()
    assert_accessible(dashboard.page)
    dashboard.press("geometry.use")
    dashboard.check()
    assert "own rows" in dashboard.text("sidebar.summary")


TITLE_OVER_TICKS = """chart => [...chart.querySelectorAll(".x3title, .x2title, .xtitle")].some(
    title => {
        const name = title.getBoundingClientRect();
        return [...chart.querySelectorAll("[class*=tick] > text")].some(tick => {
            const place = tick.getBoundingClientRect();
            return place.left < name.right && name.left < place.right
                && place.top < name.bottom - 1 && name.top + 1 < place.bottom;
        });
    })"""


def test_names_of_axes_do_not_cover_their_ticks_on_a_phone(dashboard):
    asked = Analysis(question=GeometryQuestion("far-points"))
    dashboard.goto(f"geometry?analysis={asked.to_query()}", width=390)
    chart = dashboard.element("geometry.figure").locator(".js-plotly-plot")
    assert not chart.evaluate(TITLE_OVER_TICKS)
