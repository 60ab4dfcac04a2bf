"""Small files as programs and people leave them: each is read as `expected.json` says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lincore import DataError
from lincore.io import load, open_table

CORPUS = Path(__file__).with_name("corpus")
EXPECTED = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))


def test_every_file_has_its_reading():
    assert {path.name for path in CORPUS.iterdir()} == {*EXPECTED, "expected.json"}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_is_read_as_it_is_meant(name):
    expected, raw = EXPECTED[name], (CORPUS / name).read_bytes()
    if "refused" in expected:
        with pytest.raises(DataError, match=expected["refused"]) as caught:
            load(raw, name=name)
        assert caught.value.notice.remedy and caught.value.notice.where
        return
    table = open_table(raw, name=name)
    assert list(table.frame) == expected["columns"]
    assert len(table.frame) == expected["rows"]
    assert expected.get("reading", "") in str(table.reading)
    for column, values in expected.get("values", {}).items():
        found = table.frame[column].astype(object)
        assert found.where(found.notna(), None).tolist() == values
    codes = [notice.code for notice in table.notices]
    assert codes == expected.get("codes", codes)
    assert expected.get("where", "") in " ".join(str(one.where) for one in table.notices)
    assert table.first_line == expected.get("first_line", table.first_line)
    said = " ".join(notice.what for notice in table.notices)
    if "target" not in expected:
        assert all(part in said for part in expected.get("said", []))
        return
    data = load(
        raw, name=name, target=None if expected.get("says") == "LIN018" else expected["target"]
    )
    assert data.target_name == expected["target"]
    labels = map(str, data.classes.tolist())
    found = dict(zip(labels, data.counts.tolist(), strict=True))
    assert found == expected.get("classes", found)
    features = list(data.feature_names)
    assert features == expected.get("features", features)
    for feature, levels in expected.get("levels", {}).items():
        assert list(data.levels[features.index(feature)]) == levels
    assert expected.get("says", "") in {"", *(notice.code for notice in data.notices)}
    said += " ".join(notice.what for notice in data.notices)
    assert all(part in said for part in expected.get("said", []))
