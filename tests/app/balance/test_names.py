"""Names on the page Balance: long ones, those from the right, and titles that fit their figures."""

from __future__ import annotations

import pytest

from lincore.imbalance import REMEDIES
from tests.app.balance.test_balance_page import PAGE, open_balance, open_tab
from tests.app.settling import settled
from tests.app.test_pages import assert_fine, figures, open_app, upload


@pytest.mark.usefixtures("unfolded")
def test_what_is_typed_in_stands_in_sight_beside_long_names():
    names = [f"Department of Something {k} (north)" for k in range(8)]
    rows = [f"{k % 8 + 0.1 * (k % 7)},{k % 5},{names[k % 8]}" for k in range(160)]
    app = upload(open_app(), "long.csv", "\n".join(["u,v,kind", *rows, ""]).encode())
    app.session_state["settings.balance"] = {"repeats": 2}
    app.session_state["balance.popover"] = True
    app.switch_page(PAGE).run()
    sizes = settled(app).dataframe[0].value
    assert sizes["class"].str.len().max() <= 16 and sizes["class"].is_unique
    captions = " ".join(caption.value for caption in app.caption).replace("\\", "")
    assert "7 (north)" in captions, "the reduced class is named where rows are counted"


def test_long_names_and_those_written_from_the_right_leave_counts_in_their_place():
    names = ["x" * 60, "שלום", "3"]
    rows = [f"{k % 3 + 0.1 * (k % 7)},{k % 5},{names[k % 3]}" for k in range(150)]
    app = upload(open_app(), "names.csv", "\n".join(["u,v,kind", *rows, ""]).encode())
    app.session_state["settings.balance"] = {"repeats": 2}
    app.session_state["balance.tabs"] = "Full and reduced set"
    app.switch_page(PAGE).run()
    captions = " ".join(caption.value for caption in settled(app).caption).replace("\\", "")
    for name in ("x" * 12 + "…" + "x" * 11, "\u2068שלום\u2069", "3"):
        assert f" '{name}'" in captions


@pytest.mark.long
def test_titles_of_matrices_fit_a_third_of_the_page_whatever_the_remedy():
    app = open_tab(open_balance(), "Full and reduced set")
    for remedy in REMEDIES:
        app.selectbox(key="balance.sides.remedy").set_value(remedy).run()
        assert_fine(app)
        (title,) = (
            figure["layout"]["meta"]["title"]
            for figure in figures(app)
            if "changes of the predictions" in figure["layout"]["meta"]["title"]
        )
        assert title == "From the full to the corrected set: changes of the predictions"


@pytest.mark.usefixtures("unfolded")
def test_options_of_lists_are_written_as_they_are():
    """Lists know no Markdown: there a backslash before a bracket is a backslash."""
    rows = [f"{k % 7},{k % 5},{'ab'[k % 2]} (*no-1*)" for k in range(60)]
    app = upload(open_app(), "two.csv", "\n".join(["u,v,kind", *rows, ""]).encode())
    app.session_state["settings.balance"] = {"repeats": 2}
    app.session_state["balance.tabs"] = "Priors in deployment"
    app.switch_page(PAGE).run()
    app = settled(app)
    assert app.multiselect(key="balance.classes").options == ["a (*no-1*)", "b (*no-1*)"]
    assert app.selectbox(key="balance.priors.code").options == ["a (*no-1*)", "b (*no-1*)"]
    assert "Recall of a (*no-1*)" in app.selectbox(key="balance.loss").options
