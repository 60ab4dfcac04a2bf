"""The score that chooses separator and quotation mark among candidates."""

from __future__ import annotations

import pytest

from lincore.io import ReadOptions
from lincore.io.tables.text.dialect import find_layout, read_records, score
from lincore.io.tables.text.options import PLACES, SPACES


def of(text: str, separator: str, quote: str = '"') -> float:
    return score(list(read_records(text, separator, quote)), separator)


def test_a_consistent_table_of_clean_fields_has_the_score_of_its_prior():
    text = "u,v,kind\n1,2.5,a\n3,4.5,b\n"
    assert of(text, ",") == 1.0
    assert of(text.replace(",", "\t"), "\t") > 1.0
    assert of(text, ";") == 0.0


def test_an_uneven_row_and_a_trace_of_another_separator_lower_the_score():
    text = "u;v\n1,5;a\n2,5;b\n3,5;c\n"
    assert of(text, ";") == 1.0
    assert of(f"{text}4,5\n", ";") == pytest.approx(0.8)
    assert of(text, ",") < of(text, ";")


def test_prose_is_no_table():
    assert of("It was late.\nNobody had come to see it.\nSo they left again.\n", SPACES) == 0.0


@pytest.mark.parametrize(
    ("text", "separator", "quote"),
    [
        ("u,v\n1,a\n2,b\n", ",", '"'),
        ("who\tsize\nDoe, Jo\t1,5\nRoe, Al\t2,5\n", "\t", '"'),
        ("'u','v'\n'1','a,b'\n'2','c'\n", ",", "'"),
        ('u,v\n1,"a, b"\n2,"c\n3,"d, e"\n4,f\n', ",", '"'),
        ("u~v~w\n1~2~a\n3~4~b\n", "~", '"'),
        ("name 1\tx\ty\n" + "ab 2\t1\t2\n" * 9, "\t", '"'),
        ('u v kind\n1 2 "a b"\n3  c\n5 6 "d e"\n7 8 f\n', PLACES, '"'),
    ],
)
def test_the_best_candidate_is_taken(text, separator, quote):
    found = find_layout(text, ReadOptions())
    assert (found.separator, found.quote) == (separator, quote)
