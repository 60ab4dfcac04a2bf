"""The commands: what they print is what the library says."""

from __future__ import annotations

import html
import io
import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import analysis, metrics, model_selection, prediction, report
from lincore.cli import main

CSV = "id,length,port,kind\n" + "".join(
    f"{1000 + 7 * i},{i % 7 + (i % 2) * 3},{'SCQ'[i % 3]},{'ab'[i % 5 > 2]}\n" for i in range(120)
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "trips.csv"
    path.write_text(CSV)
    return str(path)


def answer(capsys, *arguments):
    """Run a command that must succeed; return what it printed."""
    code = main([*arguments, "--quiet"])
    output = capsys.readouterr()
    assert (code, output.err) == (0, "")
    return output.out


def record(capsys, *arguments):
    return json.loads(answer(capsys, *arguments, "--json"))


def deployed(found: dict) -> list[float]:
    """Return the priors in deployment by class."""
    (lines,) = [one["rows"] for one in found["displays"] if one["display"].startswith("Predicted")]
    return [line["prior in deployment"] for line in lines]


def scored(found: dict) -> dict[tuple[str, str], dict]:
    """Return the rows of the scores by method and score."""
    rows = [row for display in found["displays"] for row in display["rows"]]
    return {(row["method"], row["score"]): row for row in rows if row.get("class") == ""}


def test_compare_gives_the_scores_of_the_library(capsys, file):
    found = record(
        capsys, "compare", file, "--target", "kind", "--role", "id=ignore", "--scheme", "5-fold",
        "--methods", "lda,qda,logistic(C=0.1)", "--seed", "3", "--steps", "n_components=2",
    )  # fmt: skip
    data = lincore.load(file, target="kind", roles={"id": "ignore"})
    steps = lincore.Steps(standardize=True, n_components=2)
    results = lincore.compare(
        data, ["lda", "qda", "logistic(C=0.1)"], "5-fold", seed=3, steps=steps
    )
    assert found["data"]["digest"] == data.digest
    assert {method for method, _ in scored(found)} == set(results.methods)
    for (method, name), row in scored(found).items():
        expected = metrics.score(results, method, name)._asdict()
        assert {end: row[end] for end in expected} == expected
    text = answer(
        capsys, "compare", file, "--role", "id=ignore", "--scheme", "5-fold",
        "--methods", "lda,qda,logistic(C=0.1)", "--seed", "3", "--steps", "n_components=2",
    )  # fmt: skip
    assert report.comparison_finding(results) in " ".join(text.split())


def test_methods_and_score_are_those_that_are_usual(capsys, file):
    found = record(capsys, "compare", file)
    data = lincore.load(file)
    methods = {method for method, _ in scored(found)}
    assert methods | set(found["failed"]) == set(model_selection.default_methods(data))
    assert found["settings"]["score"] == metrics.leading_score(data.counts)
    assert any(re.search(r"\bid\b", note) for note in found["findings"]) == any(
        re.search(r"\bid\b", finding.sentence)
        for finding in lincore.data_checks(data, lincore.split(data))
    )
    other = record(capsys, "compare", file, "--methods", "lda,fisher", "--score", "MCC")
    values = [row["value"] for (_, name), row in scored(other).items() if name == "MCC"]
    assert values == sorted(values, reverse=True)


def test_images_are_compared_on_both_features(capsys):
    found = record(capsys, "compare", "sample:digits", "--methods", "lda", "--both-features")
    assert {method for method, _ in scored(found)} == {
        "lda(features=pixels)", "lda(features=hog)",
    }  # fmt: skip


def test_balance_gives_the_cost_of_the_library(capsys):
    command = ["balance", "sample:gaussian", "--methods", "lda", "--repeats", "4"]
    found = record(capsys, *command, "--prevalence", "class 3=0.5")
    data = lincore.load(lincore.sample("gaussian").to_frame(), target="class", name="gaussian")
    cost = lincore.imbalance_cost(data, "lda", prevalence={"class 3": 0.5}, repeats=4)
    rows = {one["display"]: one["rows"] for one in found["displays"]}
    shift = {"part": "prior shift", **cost.attribution("lda").prior_shift._asdict()}
    parts = rows["CostDecompositionDisplay"]
    assert any(shift.items() <= row.items() for row in parts)
    assert found["prevalence"] == {"class 1": 1 / 3, "class 2": 1 / 6, "class 3": 0.5}
    corrected = {row["correction"] for row in rows["CostCorrectionsDisplay"]}
    assert corrected == {"uncorrected", *(one.name for one in cost.corrected("lda"))}
    text = answer(capsys, *command)
    equal = lincore.imbalance_cost(data, "lda", repeats=4)
    assert equal.curve("lda").finding() in " ".join(text.split())
    for row in equal.corrections("lda").table().to_dict("records"):
        assert all(cell in text for cell in row.values())


@pytest.mark.parametrize(("size", "kept"), [("10", 10), ("20%", 11), ("0.2", 11), ("1.0", 53)])
def test_balance_makes_an_imbalance(capsys, size, kept):
    command = ["balance", "sample:gaussian", "--methods", "lda", "--repeats", "2"]
    found = record(capsys, *command, "--reduce", f"class 3={size}")
    assert found["rows"]["reduced"] == {"class 1": 210, "class 2": 105, "class 3": kept}
    data = lincore.load(lincore.sample("gaussian").to_frame(), target="class", name="gaussian")
    study = lincore.balance(data, {"class 3": kept}, "lda", repeats=2)
    error = study.attribution("lda")
    reduced = {"loss": "error", "part": "reduced", **error.reduced._asdict()}
    assert any(reduced.items() <= row.items() for row in found["displays"][0]["rows"])
    if size == "10":
        text = answer(capsys, *command, "--reduce", "class 3=10")
        assert study.decomposition("lda", loss="error").finding() in " ".join(text.split())
        assert "moved threshold" in text


def test_inspect_says_what_columns_hold_and_how_to_put_findings_right(capsys, file):
    found = record(capsys, "inspect", file)
    roles = {column["name"]: column["role"] for column in found["columns"]}
    assert roles == {"id": "ignore", "length": "feature", "port": "feature", "kind": "target"}
    assert found["target_guess"]["column"] == "kind"
    assert found["data"]["classes"] == {"a": 72, "b": 48}
    text = answer(capsys, "inspect", file, "--role", "id=feature")
    assert "--role id=ignore" in text
    as_feature = record(capsys, "inspect", file, "--role", "id=feature")
    (identifier,) = [one for one in as_feature["findings"] if one["code"] == "LIN060"]
    name, value = identifier["options"][0].split()
    codes = {one["code"] for one in record(capsys, "inspect", file, name, value)["findings"]}
    assert codes == {"LIN050", "LIN054"}, "nothing but that it is left out, and the guess"


def test_inspect_shows_a_table_without_a_target(capsys, tmp_path):
    path = tmp_path / "measured.csv"
    path.write_text("u,v\n" + "".join(f"{i / 7},{i * i / 11}\n" for i in range(60)))
    found = record(capsys, "inspect", str(path))
    assert found["data"] is None and "No column looks like classes" in found["findings"][0]["what"]
    assert [column["role"] for column in found["columns"]] == ["feature", "feature"]
    assert "No column looks like classes" in answer(capsys, "inspect", str(path))


def test_inspect_of_images(capsys):
    found = record(capsys, "inspect", "sample:digits")
    assert found["image_shape"] == [8, 8] and found["data"]["classes"]["0"] == 178
    assert "images of 8 x 8" in answer(capsys, "inspect", "sample:digits")


def test_inspect_lists_the_first_of_very_many_columns(capsys, tmp_path):
    path = tmp_path / "wide.csv"
    names = ",".join(f"c{i}" for i in range(300))
    rows = [
        ",".join(str(i * j % 13) for i in range(300)) + f",{'abcdef'[j % 6]}" for j in range(20)
    ]
    path.write_text(f"{names},class\n" + "\n".join(rows))
    text = answer(capsys, "inspect", str(path))
    assert "(a 4, b 4, c 3, d 3, e 3, f 3)" in " ".join(text.split())
    assert "101 more" in text and "c198" in text and "c299 " not in text
    assert len(record(capsys, "inspect", str(path))["columns"]) == 301


def test_options_of_the_data_reach_the_loader(capsys, tmp_path):
    path = tmp_path / "messy.csv"
    rows = [f"{'-1' if i % 9 == 0 else i % 5};{i % 3};{'xyz'[i % 3]}" for i in range(90)]
    path.write_text("size;width;kind\n" + "\n".join([*rows, *rows]))
    options = ["--separator", ";", "--encoding", "utf-8", "--missing-code", "size=-1"]
    options += ["--drop-class", "z", "--merge-class", "x=first", "--drop-duplicates"]
    options += ["--missing", "most_frequent"]
    found = record(capsys, "inspect", str(path), "--target", "kind", *options)
    size = next(column for column in found["columns"] if column["name"] == "size")
    assert size["n_missing"] == 20
    expected = lincore.load(
        path, target="kind",
        options=lincore.io.ReadOptions(separator=";", missing_in={"size": (-1,)}),
        drop_classes=["z"], merge_classes={"x": "first"}, drop_duplicates=True,
        missing="most_frequent",
    )  # fmt: skip
    assert found["data"]["digest"] == expected.digest


SHOP = "\n".join(
    [
        "kind;sold;mass",
        *(f"{'ab'[i % 2]};{i};{i * 7 % 5}.5" for i in range(20)),
        "Total;190;50.0",
        "",
        "kind;x;y",
        *(f"{'uv'[i % 2]};{i};{i * 3 % 7}" for i in range(12)),
        "a;1;2;3;4",
    ]
)


@pytest.mark.parametrize(
    ("switches", "options"),
    [
        ("--overrule LIN032", {"overrule": ("LIN032",)}),
        ("--table 2 --uneven keep", {"table": 2, "uneven": "keep"}),
        ("--table 2 --uneven skip", {"table": 2, "uneven": "skip"}),
        ("--header no --separator ;", {"header": False, "separator": ";"}),
        ("--header 3 --quote none --decimal .", {"header": 3, "quote": "", "decimal": "."}),
        ("--as-text --cut kind=b", {"as_text": True, "cut_at": {"kind": "b"}}),
        ("--missing-code sold=3 --comment #", {"missing_in": {"sold": [3.0]}, "comment": "#"}),
        ("--encoding latin-1 --thousands none", {"encoding": "latin-1", "thousands": ""}),
    ],
)
def test_switches_of_reading_are_its_options(capsys, tmp_path, switches, options):
    path = tmp_path / "shop.csv"
    path.write_text(SHOP)
    found = record(capsys, "inspect", str(path), *switches.split())
    table = lincore.io.read_table(path.read_bytes(), "shop.csv", lincore.io.ReadOptions(**options))
    assert found["reading"] == str(table.reading)
    assert [one["examples"] for one in found["columns"]] == [
        list(one.examples) for one in lincore.io.describe_columns(table)
    ]


def test_findings_of_reading_come_with_their_switches(capsys, tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text(SHOP)
    findings = record(capsys, "inspect", str(path))["findings"]
    switches = {one["code"]: one["options"] for one in findings}
    assert switches["LIN002"] == ["--table 2"] and switches["LIN032"] == ["--overrule LIN032"]
    code = main(["inspect", str(path), "--overrule", "LIN001", "--quiet"])
    assert code == 1 and "codes among" in capsys.readouterr().err


def test_standard_input_is_a_file(capsys, monkeypatch):
    given = io.TextIOWrapper(io.BytesIO(CSV.encode()))
    monkeypatch.setattr("sys.stdin", given)
    assert record(capsys, "inspect", "-", "--target", "port")["data"]["target"] == "port"
    arrays = io.BytesIO()
    np.savez(arrays, X=np.arange(40.0).reshape(20, 2), y=np.repeat([0, 1], 10))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(arrays.getvalue())))
    assert record(capsys, "inspect", "-")["data"]["rows"] == 20


def test_report_writes_one_file(capsys, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["report", file, "--methods", "lda,fisher", "--balance", "--seed", "2"]
    found = record(capsys, *command, "--title", "Trips")
    assert found["output"] == "trips.html" and found["model"] in ("lda", "fisher")
    page = (tmp_path / "trips.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>") and "<h1>Trips</h1>" in page
    for heading in ("Data", "Comparison", "Cost of the imbalance: corrections", "Methods"):
        assert f"<h2>{heading}</h2>" in page
    assert sha256(CSV.encode()).hexdigest() in page
    assert found["finding"] in html.unescape(page.replace("\u00a0", " "))


def test_a_report_shows_the_chosen_displays(capsys, file):
    command = ["report", file, "--methods", "lda,qda", "--quiet", "-o", "-", "--displays"]
    assert main([*command, "results.disagreements,model.coefficients"]) == 0
    page = capsys.readouterr().out
    assert re.findall("<h2>(.*?)</h2>", page) == [
        "Data", "Disagreements", "Coefficients of LDA", "Methods", "Settings", "Script",
    ]  # fmt: skip
    printed = re.findall(r"print\((\w+\.\w+)\(", page)
    shown = ["data.class_counts", "data.findings", "results.disagreements", "model.coefficients"]
    assert printed == shown
    assert main([*command, "model.scors"]) == 2
    assert "choose among cost.corrections, cost.curve" in capsys.readouterr().err
    assert main([*command, "cost.curve", "--no-balance"]) == 2
    capsys.readouterr()
    costly = "model.operating_point(by=costs, miss_cost=5),results.pairwise(rope=0.05)"
    assert main([*command, costly]) == 0
    page = html.unescape(capsys.readouterr().out)
    assert 'model.operating_point(by="costs"' in page
    assert "results.pairwise(rope=0.05)" in page
    assert main([*command, "results.pairwise(rop=0.05)"]) == 1
    assert "There is no such option." in capsys.readouterr().err


def test_report_on_standard_output(capsys):
    assert main(["report", "sample:iris", "--methods", "lda", "--quiet", "-o", "-"]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("<!DOCTYPE html>") and "Cost of the imbalance" not in output.out
    assert output.err.startswith("iris: 150 rows")


def test_a_place_that_cannot_be_written_to(capsys, file, tmp_path):
    place = str(tmp_path / "nowhere" / "r.html")
    assert main(["report", file, "--methods", "lda", "--quiet", "-o", place]) == 1
    assert "Choose another place with --output." in capsys.readouterr().err


@pytest.fixture
def new(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("port,length,note\nS,3,u\nZ,,v\nC,99,w\n")
    return str(path)


def test_predict_writes_the_predictions_of_the_library(capsys, file, new, tmp_path):
    command = ["predict", file, new, "--target", "kind", "--role", "id=ignore"]
    data = lincore.load(file, target="kind", roles={"id": "ignore"})
    model = lincore.compare(data, "lda", keep_models=True).model("lda")
    expected = prediction.predict(model, new)
    assert main([*command, "--quiet"]) == 0
    output = capsys.readouterr()
    assert output.out.encode() == expected.to_csv()
    assert "3 rows predicted: 3 'a'; 1 is unlike" in output.err and "'Z'" in output.err
    found = record(capsys, *command, "-o", str(tmp_path / "out.parquet"), "--method", "lda")
    shown = {one["display"]: one["rows"] for one in found["displays"]}
    assert sum(line["rows"] for line in shown["PredictedClassesDisplay"]) == 3
    assert "PredictionScoresDisplay" not in shown and "DriftDisplay" in shown
    assert pd.read_parquet(tmp_path / "out.parquet").equals(
        pd.read_parquet(io.BytesIO(expected.to_parquet()))
    )
    halved = record(capsys, *command, "--priors", "a=0.5")
    assert deployed(halved) == [0.5, 0.5]
    both = record(capsys, *command, "--priors", "a=0.25", "--priors", "b=0.75")
    assert deployed(both) == [0.25, 0.75]
    estimated = record(capsys, *command, "--priors", "estimate")
    assert deployed(estimated) == expected.with_priors("estimate").priors.tolist()
    main([*command, "--decision-threshold", "0.1", "--priors", "b=0.5", "--quiet"])
    decided = expected.with_priors({"b": 0.5}).with_threshold(0.1)
    assert capsys.readouterr().out.encode() == decided.to_csv() != expected.to_csv()
    assert main([*command, "--decision-threshold", "2", "--quiet"]) == 2
    main([*command, "--reject", "cost", "--rejection-cost", "0.01", "--quiet"])
    rule = metrics.RejectOption.of_cost(0.01, 2)
    assert capsys.readouterr().out.encode() == expected.with_reject_option(rule).to_csv()
    main([*command, "--reject", "sets", "--coverage", "0.8", "--quiet"])
    rule = metrics.conformal_sets(lincore.compare(data, "lda"), "lda", 0.8)
    assert capsys.readouterr().out.encode() == expected.with_reject_option(rule).to_csv()


def test_predict_scores_rows_whose_class_is_known(capsys, file):
    command = ["predict", file, file, "--target", "kind", "--method", "qda", "-o", "-"]
    found = record(capsys, *command)
    data = lincore.load(file, target="kind")
    model = lincore.compare(data, "qda", keep_models=True).model("qda")
    results = prediction.predict(model, file).results()
    (lines,) = [one["rows"] for one in found["displays"] if "Scores" in one["display"]]
    wanted = metrics.score(results, "QDA", "accuracy")._asdict()
    assert {"method": "QDA", "score": "accuracy", "class": "", **wanted} in lines


@pytest.mark.parametrize(
    ("priors", "code", "words"),
    [("even", 2, "neither equal"), ("c=0.5", 1, "There are a and b"), ("a=2", 2, "not a share")],
)
def test_predict_refuses_priors_that_are_none(capsys, file, new, priors, code, words):
    assert main(["predict", file, new, "--quiet", "--priors", priors]) == code
    assert words in capsys.readouterr().err


QUESTIONS = [
    analysis.DataQuestion(),
    analysis.GeometryQuestion("far-points", guess=12.0),
    analysis.ClassifyQuestion("qda"),
    analysis.CompareQuestion(("lda", "fisher"), scheme="5-fold"),
    analysis.BalanceCostQuestion(("lda",), repeats=2),
    analysis.BalanceStudyQuestion({"a": 20}, ("lda",), repeats=2),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.kind)
def test_run_answers_the_question_of_an_analysis(capsys, file, tmp_path, question):
    source = analysis.FileData("trips.csv", sha256(CSV.encode()).hexdigest(), "kind")
    asked = analysis.Analysis(source, question=question)
    path = tmp_path / "asked.json"
    path.write_text(asked.to_json(indent=1))
    found = record(capsys, "run", str(path))
    assert analysis.Analysis.from_json(json.dumps(found["analysis"])) == asked
    answered = asked.run(asked.load(file))
    if question.kind in ("classify", "compare"):
        results = getattr(answered, "results", answered)
        for (method, name), row in scored(found).items():
            value = metrics.score(results, method, name).value
            assert row["value"] == (None if np.isnan(value) else value)
    if question.kind.startswith("balance"):
        name = "uncorrected" if "cost" in question.kind else "reduced"
        value = {"part": name, **getattr(answered.attribution("lda"), name)._asdict()}
        rows = [row for one in found["displays"] for row in one["rows"]]
        assert any(value.items() <= row.items() for row in rows)
    said = answer(capsys, "run", str(path), file)
    if question.kind == "geometry":
        assert found["answer"] == 15 and "12 rows. Computed: 15 rows." in said
    else:
        assert said.startswith("trips")


def test_run_shows_the_displays_asked_for(capsys, tmp_path):
    iris, asked = lincore.sample("iris"), analysis.Analysis(analysis.SampleData("iris"))
    path = tmp_path / "asked.json"

    def shown(question, displays):
        path.write_text(replace(asked, question=question).to_json())
        return record(capsys, "run", str(path), "--displays", displays)["displays"]

    wanted = lincore.fit(iris, "lda").coefficients(per_deviation=False).to_dict()
    question = analysis.ClassifyQuestion("lda")
    assert shown(question, "model.coefficients(per_deviation=False)") == [
        json.loads(json.dumps(wanted))
    ]
    study = analysis.BalanceStudyQuestion({"setosa": 20}, ("lda",), repeats=2)
    assert [one["display"] for one in shown(study, "study.costs,study.scores")] == [
        "CostsDisplay",
        "StudyScoresDisplay",
    ]
    for displays, words in (
        ("results.scores", "choose among study.boundaries"),
        ("study.scores(", "neither a name"),
        ("study.scores(x=1)", "x: There is no such option."),
    ):
        assert main(["run", str(path), "--displays", displays]) != 0
        assert words in capsys.readouterr().err
    [by_class] = shown(analysis.PredictQuestion("lda"), "predictions.by_class")
    assert by_class["display"] == "PredictedClassesDisplay"
    path.write_text(replace(asked, question=analysis.GeometryQuestion()).to_json())
    assert main(["run", str(path), "--displays", "laboratory.answer"]) == 2
    assert "has no displays to choose from" in capsys.readouterr().err


def test_run_refuses_another_file(capsys, new, file, tmp_path):
    path = tmp_path / "asked.json"
    source = analysis.FileData("trips.csv", sha256(CSV.encode()).hexdigest(), "kind")
    path.write_text(analysis.Analysis(source).to_json())
    assert main(["run", str(path), new, "--quiet"]) == 1
    assert "a different file" in capsys.readouterr().err
    path.write_text(analysis.Analysis(analysis.FileData("../../other.csv")).to_json())
    assert main(["run", str(path), "--quiet"]) == 1
    assert "Provide this file as well" in capsys.readouterr().err
    assert main(["run", file, "--quiet"]) == 1
    assert "not an analysis in JSON" in capsys.readouterr().err


def test_a_saved_model_predicts_without_the_training_rows(capsys, file, new, tmp_path):
    saved = str(tmp_path / "model.skops")
    command = [new, "--target", "kind", "--role", "id=ignore", "--method", "qda"]
    first = answer(capsys, "predict", file, *command, "--save-model", saved, "-o", f"{saved}.csv")
    assert f"Written to {saved} " in first
    again = record(capsys, "predict", saved, new, "--priors", "a=0.5", "-o", f"{saved}.parquet")
    assert again["model"] == "QDA" and deployed(again) == [0.5, 0.5]
    assert "DriftDisplay" not in {one["display"] for one in again["displays"]}
    assert main(["predict", saved, new, "--quiet"]) == 0
    assert capsys.readouterr().out == (tmp_path / "model.skops.csv").read_text()
    (tmp_path / "forged.skops").write_bytes(b"PK\x03\x04 nothing")
    assert main(["predict", str(tmp_path / "forged.skops"), new, "--quiet"]) == 1


def test_a_saved_model_keeps_its_threshold(capsys, tmp_path):
    rows = lincore.sample("passengers").to_frame()
    file, new, saved = (str(tmp_path / name) for name in ("all.csv", "new.csv", "model.skops"))
    rows.to_csv(file, index=False)
    rows.head(40).to_csv(new, index=False)
    command = [new, "--target", "survived", "--decision-threshold", "0.2"]
    answer(capsys, "predict", file, *command, "--save-model", saved, "-o", f"{saved}.csv")
    assert main(["predict", saved, new, "--quiet"]) == 0
    assert capsys.readouterr().out == (tmp_path / "model.skops.csv").read_text()
    model = lincore.export.load_model(saved).model
    assert model.operating_point.threshold_for(1) == pytest.approx(0.2)


def test_a_saved_model_keeps_the_cost_of_rejection(capsys, tmp_path):
    rows = lincore.sample("passengers").to_frame()
    file, new, saved = (str(tmp_path / name) for name in ("all.csv", "new.csv", "model.skops"))
    rows.to_csv(file, index=False)
    rows.head(40).to_csv(new, index=False)
    command = [new, "--target", "survived", "--save-model", saved, "-o", f"{saved}.csv"]
    cost = ["--reject", "cost", "--rejection-cost", "0.1"]
    assert "does not abstain" not in answer(capsys, "predict", file, *command, *cost)
    assert main(["predict", saved, new, "--quiet"]) == 0
    found = capsys.readouterr().out
    assert found == (tmp_path / "model.skops.csv").read_text() and "prediction set" in found
    said = answer(capsys, "predict", file, *command, "--reject", "sets")
    assert "The saved model does not abstain" in " ".join(said.split())
    assert lincore.export.load_model(saved).model.reject_option is None


@pytest.mark.parametrize(
    ("given", "used"), [({}, 0.01), ({"rope": 0.0}, 0.0), ({"rope": 0.05}, 0.05)]
)
def test_run_takes_the_rope_of_an_analysis_and_none_is_not_zero(capsys, tmp_path, given, used):
    question = analysis.CompareQuestion(("lda", "fisher"), **given)
    path = tmp_path / "asked.json"
    path.write_text(analysis.Analysis(analysis.SampleData("iris"), question=question).to_json())
    assert record(capsys, "run", str(path))["settings"]["rope"] == used


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("compare", ["--methods", "lda,qda,lda(shrinkage=0.5)", "--scheme", "5-fold"]),
        ("compare", ["--methods", "lda(shrinkage=0.5)", "--test-set", "last", "--score", "MCC"]),
        ("balance", ["--methods", "lda", "--repeats", "2", "--prevalence", "b=0.5"]),
        ("balance", ["--methods", "lda", "--repeats", "2", "--reduce", "b=9"]),
    ],
)
def test_a_saved_analysis_gives_the_numbers_of_its_command(capsys, file, command, options):
    path = Path(file).parent / "analysis.json"
    data = ["--target", "kind", "--role", "id=ignore", "--seed", "3", "--save-analysis", str(path)]
    found = record(capsys, command, file, *data, *options)
    again = record(capsys, "run", str(path))
    assert found["saved"] == str(path) and found["data"]["digest"] == again["data"]["digest"]
    for one in (found, again):
        one["numbers"] = one["displays"][0]["rows"]
        for each in one["numbers"]:
            each.pop("seconds", None)
        one["numbers"].sort(key=lambda each: (each.get("method", ""), each.get("score", "")))
    assert found["numbers"] == again["numbers"]


def test_options_are_the_fields_of_the_saved_analysis(capsys, file):
    path = Path(file).with_suffix(".json")
    answer(
        capsys, "compare", file, "--target", "kind", "--methods", "lda", "--test-set", "last",
        "--test-size", "0.4", "--seed", "7", "--scheme", "3-fold", "--rope", "0.02",
        "--role", "id=ignore", "--missing", "indicator", "--rare", "2", "--category", "port",
        "--merge-class", "a=first", "--drop-duplicates",
        "--separator", ",", "--quote", "none", "--header", "1", "--missing-code", "length=-1",
        "--missing-code", "length=?", "--ordered", "port=S<C<Q", "--overrule", "LIN032",
        "--save-analysis", str(path),
    )  # fmt: skip
    asked = analysis.Analysis.from_json(path.read_bytes())
    assert asked.split == analysis.SplitChoice("last", 0.4, 7)
    assert (asked.question.scheme, asked.question.rope) == ("3-fold", 0.02)
    assert asked.data.table == lincore.io.TableOptions(
        roles={"id": "ignore"}, missing="indicator", rare=2, categories=("port",),
        merge_classes={"a": "first"}, drop_duplicates=True,
    )  # fmt: skip
    assert asked.data.reading == lincore.io.ReadOptions(
        separator=",", quote="", header=1, missing_in={"length": (-1, "?")},
        ordered={"port": ("S", "C", "Q")}, overrule=("LIN032",),
    )  # fmt: skip


def test_an_analysis_that_cannot_be_saved_is_refused_before_the_work(capsys, file):
    thrice = "lda,lda(shrinkage=0.5),lda(shrinkage=0.6)"
    path = str(Path(file).parent / "analysis.json")
    assert main(["compare", file, "--methods", thrice, "--save-analysis", path]) == 1
    assert "lda at most twice" in capsys.readouterr().err


def test_a_report_holds_the_script_of_its_numbers(capsys, file):
    path = Path(file).with_suffix(".html")
    answer(capsys, "report", file, "--methods", "lda", "--no-balance", "--output", str(path))
    page = path.read_text("utf-8")
    code = html.unescape(page.rpartition("<code>")[2].partition("</code>")[0])
    assert "lincore.compare(" in code and sha256(CSV.encode()).hexdigest() in code
    assert "lincore.fit(" in code and "lincore.imbalance_cost(" not in code


def test_what_rows_count_is_an_option_of_every_command(capsys, file):
    given = ("--target", "kind", "--role", "id=ignore")
    found = record(
        capsys, "compare", file, *given, "--weights", "length", "--methods", "lda", "--scheme",
        "3-fold",
    )  # fmt: skip
    data = lincore.load(file, target="kind", roles={"id": "ignore"}, weights="length")
    results = lincore.compare(data, ["lda"], "3-fold")
    accuracy = scored(found)["lda", "accuracy"]["value"]
    assert accuracy == pytest.approx(metrics.score(results, "lda", "accuracy").value)
    shown = answer(capsys, "inspect", file, *given, "--weights", "length")
    assert "weighted by 'length'" in shown
