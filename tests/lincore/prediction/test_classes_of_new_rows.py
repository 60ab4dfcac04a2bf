"""Rows of new files that cannot be scored are counted and named, and their groups are kept."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore.cli import main
from lincore.prediction import predict


def rows(n: int = 60, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    return pd.DataFrame(
        {
            "len": rng.normal(size=n) + codes,
            "wid": rng.normal(size=n) - codes,
            "kind": np.array([*"xyz"])[codes],
        }
    )


def model_of(frame: pd.DataFrame, **options):
    data = lincore.load(frame, target="kind", **options)
    return lincore.compare(data, "lda", keep_models=True).model("lda")


NEW = {
    "unknown": ["w", "w", "v", "x", "y", "z"],
    "none": [None, None, None, "x", "y", "z"],
    "both": ["w", None, None, "x", "y", "z"],
    "all unknown": ["w", "w", "v", "w", "w", "w"],
}


@pytest.mark.parametrize("case", NEW)
def test_unknown_classes_and_rows_without_one_are_counted_everywhere(case, capsys, tmp_path):
    labels = NEW[case]
    new = rows(6, 1).assign(kind=labels)
    unknown = pd.Series([one for one in labels if one and one not in "xyz"]).value_counts()
    n_missing = sum(one is None for one in labels)
    found = predict(model_of(rows()), new)
    assert found.new.unknown_labels == unknown.to_dict()
    assert found.new.n_unlabelled == n_missing
    said = " ".join(found.columns().notes())
    assert ("unknown to the model: 'w'" in said) == (len(unknown) > 0)
    assert (f"{n_missing} rows without a class" in said) == (n_missing > 0)
    assert ("of an unknown class" in repr(found)) == (len(unknown) > 0)
    assert ("without a class" in repr(found)) == (n_missing > 0)
    if case != "all unknown":
        assert any(note.startswith("3 of 6 rows are scored") for note in found.scores().notes())
    rows().to_csv(tmp_path / "train.csv", index=False)
    new.to_csv(tmp_path / "new.csv", index=False)
    command = ["predict", str(tmp_path / "train.csv"), str(tmp_path / "new.csv")]
    assert main([*command, "--output", str(tmp_path / "o.csv"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    shown = {one["display"]: one for one in record["displays"]}
    remarks = " ".join(line["what"] for line in shown["MatchedColumnsDisplay"]["rows"])
    assert all(f"'{name}' ({n})" in remarks for name, n in unknown.items())
    assert ("Predicted, not scored" in remarks) == (len(unknown) > 0)
    assert (f"{n_missing} rows without a class" in remarks) == (n_missing > 0)
    n_scored = 6 - n_missing - unknown.sum()
    notes = " ".join(shown.get("PredictionScoresDisplay", {}).get("notes", ()))
    assert (f"{n_scored} of 6 rows are scored" in notes) == (0 < n_scored < 6)


@pytest.mark.parametrize("name", ["Kind", " KIND ", "kind"])
def test_the_target_is_found_as_loosely_as_features_are(name):
    frame = rows()
    found = predict(model_of(frame), frame.rename(columns={"kind": name, "len": "Len"}))
    assert found.truth is not None and len(found.results().truth) == 60
    assert name not in found.match.additional
    spelled = found.match.spelled.get("kind", "kind")
    assert spelled == name


def test_yes_and_no_of_the_target_are_matched_as_those_of_features_are():
    frame = rows().assign(kind=np.where(np.arange(60) % 2, "yes", "no"))
    found = predict(model_of(frame), frame.assign(kind=frame["kind"].str.upper()))
    assert not found.new.unknown_labels
    assert found.truth.tolist() == (np.arange(60) % 2).tolist()


@pytest.mark.parametrize("names", [[f"P{i // 5}" for i in range(60)], list(range(60))])
def test_a_group_column_of_a_new_file_is_used_for_intervals(names):
    frame = rows().assign(who=[f"P{i // 5:02}" for i in range(60)])
    model = model_of(frame, roles={"who": "group"})
    assert model.group_name == "who"
    new = rows(60, 1).assign(Who=names)
    found = predict(model, new)
    assert "Who" not in found.match.additional
    groups = found.results().settings.row_groups
    assert len(np.unique(groups)) == len(set(names))
    alone = predict(model, new.drop(columns="Who"))
    one, other = (
        lincore.metrics.score(f.results(), f.model.label, "accuracy") for f in (found, alone)
    )
    assert (one == other) == (len(set(names)) == 60)


def test_names_that_share_their_beginning_are_groups_of_new_rows_too():
    frame = rows().assign(who=[f"rec_S{i // 5:02}_{i % 5}" for i in range(60)])
    model = model_of(frame, roles={"who": "group"})
    for n_rows, n_subjects in ((60, 12), (10, 2)):  # few subjects are grouped as many are
        found = predict(model, frame.head(n_rows))
        assert len(np.unique(found.results().settings.row_groups)) == n_subjects
