"""Balance in a browser: the faces of the text, full and reduced, and what a remedy changes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import lincore
from lincore import imbalance, metrics, report
from lincore.imbalance import sweep
from lincore.model_selection import Steps

REPEATS = 2


def cells(dashboard, key: str) -> np.ndarray:
    """Return the numbers in the cells of a confusion matrix on the screen."""
    texts = dashboard.figure(key)["data"][-1]["text"]
    numbers = [re.split("<", str(one))[0].replace(",", "").replace("−", "-") for one in texts]
    return np.array(numbers, dtype=int).reshape(3, 3)


def few_repeats(dashboard, components: str = "", classes: str = "") -> None:
    dashboard.choose("balance.mode", "What if a class were smaller?")
    if components:
        dashboard.open_popover("chips.steps")
        dashboard.choose("experiment.n_components.kind", components)
        dashboard.close_popover()
    dashboard.press("balance.options")
    dashboard.unfold("balance.models")
    if classes:
        dashboard.choose("balance.classes", classes)
    dashboard.enter("balance.repeats", REPEATS)
    dashboard.close_popover()
    # What takes more than a moment begins once unasked, and then when it is asked for.
    update = dashboard.element("balance.study.update")
    finished = dashboard.page.get_by_text(f"Mean of {REPEATS} splits")
    finished.or_(update).first.wait_for()
    if update.count():
        dashboard.press("balance.study.update")
    finished.first.wait_for()
    dashboard.wait_for_job("balance.study")


def type_cell(dashboard, grid, row: int, column: int, n_columns: int, typed: str) -> None:
    """Click a cell of a table of equal columns, type, and press Enter."""
    canvas = grid.locator('canvas[data-testid="data-grid-canvas"]').first
    dashboard._bring(canvas)
    box = canvas.bounding_box()
    across = box["x"] + box["width"] * (column + 0.5) / n_columns
    field = dashboard.page.locator("#portal input, #portal textarea").first
    dashboard.open_table_cell((across, box["y"] + 35 * (row + 1) + 18), field)
    sent = dashboard._sent()
    dashboard.fill_cell(field, typed)
    dashboard._follow(sent, patience=10_000)  # the table waits a moment before it tells


@pytest.mark.long
def test_sizes_and_costs_are_typed(dashboard):
    dashboard.goto()
    dashboard.choose("data.sample", "Gaussian")
    dashboard.visit("balance")
    few_repeats(dashboard)
    dashboard.press("balance.options")
    dashboard.unfold("balance.popover")
    popover = dashboard.page.get_by_test_id("stPopoverBody")
    popover.locator("canvas").first.wait_for()
    type_cell(dashboard, popover, 2, 2, 3, "20")
    assert "With 20 instead of 53 training rows of 'class 3'" in dashboard.text()
    type_cell(dashboard, popover, 2, 2, 3, "-5")
    assert "'class 3' cannot keep -5 rows (minimum 1). It stays at 20." in popover.inner_text()
    assert "With 20 instead of 53 training rows of 'class 3'" in dashboard.text()
    dashboard.close_popover()

    dashboard.open_tab("balance.tabs", "Costs")
    before = dashboard.table("balance.costs.table")
    boundary = dashboard.figure("balance.costs.least.figure")["data"]
    grid = dashboard.page.get_by_test_id("stMain")
    type_cell(dashboard, grid, 2, 1, 4, "9")
    after = dashboard.table("balance.costs.table")
    study = lincore.balance(
        lincore.sample("gaussian"),
        {"class 3": 20},
        ("lda", "qda", "logistic"),
        steps=Steps(standardize=True),
        repeats=1,
    )
    new = study.counts["full"] / study.counts["full"].sum()
    costs = 1.0 - np.eye(3)
    costs[2, 0] = 9
    old = imbalance.condition_priors(study, "reduced")
    careful = imbalance.minimum_cost_decisions(
        metrics.adjust_priors(study.example.results["reduced"], old, new), costs
    )
    expected = [imbalance.cost_in_deployment(careful, name, new, costs) for name in study.methods]
    assert [row[2] for row in after[1:]] == [
        report.format_loss(cost, "log loss") for cost in expected
    ]
    assert before != after
    moved = dashboard.figure("balance.costs.least.figure")["data"]
    assert any(
        not np.array_equal(a.get("z"), b.get("z")) for a, b in zip(boundary, moved, strict=True)
    )
    for typed, said in (("-4", "-4 is not a cost"), ("", "An empty cell is not a cost")):
        type_cell(dashboard, grid, 2, 1, 4, typed)
        assert f"{said}: 'class 3' predicted as 'class 1' stays at 9." in dashboard.text()
        assert dashboard.table("balance.costs.table") == after
    dashboard.visit("compare")
    dashboard.visit("balance")
    dashboard.open_tab("balance.tabs", "Costs")
    assert dashboard.table("balance.costs.table") == after, "what was typed outlives the page"
    dashboard.check()


def test_a_class_is_made_smaller_and_a_remedy_applied(dashboard):
    dashboard.goto("balance?sample=gaussian")
    few_repeats(dashboard)
    seen = []
    study = lincore.balance(
        lincore.sample("gaussian"),
        {"class 3": 18},
        ("lda", "qda", "logistic"),
        steps=Steps(standardize=True),
        repeats=REPEATS,
        keep=seen.append,
    )
    one = seen[0].example.results  # of the split in the sidebar
    shown = dashboard.text()
    assert study.decomposition("lda", loss="balanced error").finding() in shown
    for sentence in study.decomposition("lda", loss="balanced error").notes():
        assert sentence in shown
    dashboard.open_tab("balance.tabs", "Full and reduced set")
    before, after, both = (
        metrics.confusion_matrix(one[cell], "lda") for cell in ("full", "reduced", "both")
    )
    np.testing.assert_array_equal(cells(dashboard, "balance.confusion.full.figure"), before)
    np.testing.assert_array_equal(
        cells(dashboard, "balance.confusion.difference.figure"), after - before
    )
    dashboard.choose("balance.sides.remedy", "balanced weights + corrected priors")
    np.testing.assert_array_equal(cells(dashboard, "balance.confusion.reduced.figure"), both)
    dashboard.open_tab("balance.tabs", "Scores")
    assert "The true parameters are known here" in dashboard.text()
    dashboard.check()


def crossing_table(n: int = 500, p: int = 16) -> bytes:
    """Return a CSV in which few rows suit LDA and many QDA: classes of different covariance."""
    rng = np.random.default_rng(3)
    calm = rng.normal(size=(n, p))
    spread = np.exp(rng.normal(0, 0.4, p))
    turn = np.linalg.qr(rng.normal(size=(p, p)))[0]
    wild = rng.normal(size=(n, p)) * spread @ turn.T + 0.8
    names = ",".join([f"m{j}" for j in range(p)] + ["state"])
    lines = [
        ",".join([*(f"{value:.3f}" for value in row), label])
        for rows, label in ((calm, "calm"), (wild, "wild"))
        for row in rows
    ]
    return "\n".join([names, *rng.permutation(lines), ""]).encode()


@pytest.mark.long
def test_where_the_order_changes_is_marked_and_said(dashboard, tmp_path):
    path = tmp_path / "crossing.csv"
    path.write_bytes(crossing_table())
    dashboard.goto(width=390, dark=True)
    dashboard.upload("data.upload", path)
    dashboard.visit("balance")
    dashboard.close_sidebar()
    few_repeats(dashboard, classes="calm")
    dashboard.open_tab("balance.tabs", "Class-size sweep")
    dashboard.wait_for_job("balance.sweep")

    found = sweep(
        lincore.load(path),
        ["calm", "wild"],
        methods=("lda", "qda", "logistic"),
        steps=Steps(standardize=True),
        repeats=10,
    )
    crossings = found.crossings("error")
    assert crossings
    marks = [mark["x0"] for mark in dashboard.figure("balance.sizes.figure")["layout"]["shapes"]]
    np.testing.assert_allclose(marks, [crossing.size for crossing in crossings])
    assert found.curves(loss="error").finding() in dashboard.text()
    assert "The order changes at" in dashboard.alternative("balance.sizes.figure")
    dashboard.element("balance.sizes.figure").scroll_into_view_if_needed()
    dashboard.check()
    dashboard.screenshot("balance-crossing")
