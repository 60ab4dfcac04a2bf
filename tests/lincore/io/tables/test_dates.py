"""Dates as forms, logs and networks write them."""

from __future__ import annotations

import pandas as pd
import pytest

from lincore.io import TableOptions, frame_to_table, table_to_dataset


def dated(texts):
    return frame_to_table(pd.DataFrame({"day": texts, "y": ["a", "b"]}), "made")


@pytest.mark.parametrize(
    "text",
    [
        "2024/05/01 9:37:00 AM CET",
        "2024/05/01 9:37:00 AM GMT+2",
        "2024/05/01 09:37:00 AM UTC+02:00",
        "2024-05-01 07:37:00 UTC",
        "Wed May 01 07:37:00 PDT 2024",
        "Wed May 01 07:37:00 +0000 2024",
        "Wed, 01 May 2024 07:37:00 GMT",
        "Wed, May 1, 2024",
        "Wednesday, 1 May 2024",
    ],
)
def test_dates_with_zones_and_days_of_the_week(text):
    table = dated([text, text.replace("01", "02").replace(" 1", " 2")])
    assert table.contents["day"].kind == "date"
    data = table_to_dataset(table, "y", TableOptions(roles={"day": "feature"}))
    # The place of the zone is not known: by a day at most.
    assert data.X[:, 0].tolist() == pytest.approx([19844, 19845], abs=1)


@pytest.mark.parametrize("text", ["Wed", "May", "in May 2024", "AM CET", "12 PDT"])
def test_words_are_no_dates(text):
    assert dated([text, text + "s"]).contents["day"].kind != "date"
