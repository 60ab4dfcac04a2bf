"""Options chosen by cross-validation on Classify: offered, told, and not beside recalibration."""

from __future__ import annotations

from tests.app.classify.test_classify import open_classify
from tests.app.settling import settled
from tests.app.test_pages import assert_fine, main_text


def test_a_shrinkage_is_chosen_and_told():
    app = open_classify("lda", "wine")
    app.session_state["classify.options"] = True
    app.run()
    app.selectbox(key="experiment.lda.shrinkage.kind").set_value("cv").run()
    settled(app)
    assert_fine(app)
    assert "least mean log loss over five inner folds" in main_text(app)
    keys = [one.key for one in app.selectbox]
    assert "experiment.lda.recalibration" not in keys
