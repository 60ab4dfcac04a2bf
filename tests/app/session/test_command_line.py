"""Analyses between the command line and the dashboard, in both directions."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore.analysis import Analysis
from lincore.cli import main
from tests.app.data_page import bring, data_of
from tests.app.frame.test_share import opened
from tests.app.predict.test_predict_page import opened as predict_page
from tests.app.predict.test_predict_page import upload
from tests.app.session.test_link import asked, page_of
from tests.app.settling import settled
from tests.app.test_pages import choose_sample, open_app

CSV = "id,length,port,kind\n" + "".join(
    f"{1000 + 7 * i},{i % 7 + (i % 2) * 3},{'SCQ'[i % 3]},{'ab'[i % 5 > 2]}\n" for i in range(120)
)
METHODS = ["--methods", "lda,qda(regularization=0.25),logistic(C=0.1)"]
COMMANDS = {
    "compare": [*METHODS, "--scheme", "5-fold", "--steps", "n_components=2"],
    "balance": ["--methods", "lda(shrinkage=0.5)", "--repeats", "2"],
    "balance --reduce": ["--methods", "lda", "--repeats", "2", "--reduce", "b=9"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_saved_is_opened_on_its_page(command, tmp_path, capsys):
    file, saved = tmp_path / "trips.csv", tmp_path / "analysis.json"
    file.write_text(CSV)
    word = command.split()[0]
    given = [word, str(file), "--target", "kind", "--role", "id=ignore", "--seed", "3"]
    more = COMMANDS[command]
    assert main([*given, *more, "--save-analysis", str(saved), "--json", "--quiet"]) == 0
    answered = json.loads(capsys.readouterr().out)
    app = opened("pages/explore.py")
    app.file_uploader[0].upload("analysis.json", saved.read_bytes()).run()
    assert "needs trips\\.csv" in app.header[0].value
    wanted = Analysis.from_json(saved.read_bytes())
    app.switch_page(page_of(wanted))  # a browser has gone there; AppTest goes back
    bring(app, ("trips.csv", file.read_bytes()))
    found = asked(settled(app))
    assert data_of(app).digest == answered["data"]["digest"]
    assert found.question.kind == wanted.question.kind
    for part in ("methods", "scheme", "repeats", "sizes", "prevalence", "cost"):
        assert getattr(found.question, part, 0) == getattr(wanted.question, part, 0), part
    assert (found.data, found.options) == (wanted.data, wanted.options)
    assert found.split == wanted.split.resolved(data_of(app))
    # What the page asks is answered alike.
    one, other = (each.run(data_of(app)) for each in (wanted, found))
    if word == "compare":
        np.testing.assert_array_equal(one.predicted, other.predicted)


def test_a_workspace_of_the_dashboard_is_run_by_the_command_line(tmp_path, capsys):
    app = open_app("pages/compare.py")
    choose_sample(app, "wine")
    app.switch_page("pages/compare.py")
    app.session_state["settings.compare"] = {
        "methods": ("lda", "naive-bayes"),
        "scheme": "5-fold",
    }
    settled(app)
    saved = tmp_path / "analysis.json"
    saved.write_text(asked(app).to_json(indent=1))
    assert main(["run", str(saved), "--json", "--quiet"]) == 0
    answered = json.loads(capsys.readouterr().out)
    assert answered["data"]["digest"] == data_of(app).digest
    said = str(app.dataframe[0].value.to_dict())
    for row in answered["displays"][0]["rows"]:
        if row["score"] == "accuracy":
            assert f"{100 * row['value']:.1f}" in said


def test_predictions_of_a_workspace_are_those_of_the_command_line(tmp_path, capsys):
    new = lincore.sample("passengers").to_frame()[::-1].head(40).to_csv(index=False).encode()
    app = upload(predict_page(), "march.csv", new)
    app.selectbox(key="predict.priors").set_value("equal")
    settled(app)
    (tmp_path / "march.csv").write_bytes(new)
    saved = tmp_path / "analysis.json"
    saved.write_text(asked(app).to_json(indent=1))
    assert main(["run", str(saved), "--quiet"]) == 0
    output = capsys.readouterr()
    (tmp_path / "said.csv").write_text(output.out)
    table = pd.read_csv(tmp_path / "said.csv")
    (shown,) = (one.value for one in app.dataframe if "P(yes)" in one.value)
    np.testing.assert_array_equal(table["P(yes)"].round(3), shown["P(yes)"])
    assert table["predicted survived"].tolist() == shown["predicted survived"].tolist()
    (tmp_path / "march.csv").write_bytes(new[:-2])
    assert main(["run", str(saved), "--quiet"]) == 1
    assert "march.csv" in capsys.readouterr().err
