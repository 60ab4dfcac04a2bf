"""Tables as spreadsheets, instruments and other programs leave them: what is made of each."""

from __future__ import annotations

import numpy as np
import pytest

from lincore.checks import find_table_problems
from lincore.io import TableOptions, describe_columns, load, read_table, table_to_dataset
from lincore.model_selection import as_method
from lincore.preprocessing import build_preparer

RNG = np.random.default_rng(0)
CODES = np.arange(60) % 3
CLASSES = np.array(["north", "south", "east"])[CODES]
LENGTH = np.round(RNG.normal(10 + 2 * CODES, 1), 2)
MONEY = np.round(RNG.normal(1500 + 100 * CODES, 80), 2)
HEAD, ROWS = (
    "length,money,region",
    [f"{a},{b},{c}" for a, b, c in zip(LENGTH, MONEY, CLASSES, strict=True)],
)


def text(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def german(number: float) -> str:
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


def with_money(write) -> str:
    """Return the table with quoted amounts written in some way."""
    rows = zip(LENGTH, MONEY, CLASSES, strict=True)
    return text(HEAD, *(f'{a},"{write(b)}",{c}' for a, b, c in rows))


# Each is the same table: two features, three classes of twenty rows.
MESSY = {
    "as it should be": text(HEAD, *ROWS),
    "totals at the end": text(HEAD, *ROWS, f"{LENGTH.sum():.2f},{MONEY.sum():.2f},Total"),
    "means and totals": text(
        HEAD, *ROWS, f"{LENGTH.mean()},{MONEY.mean()},Mean", f"{LENGTH.sum()},{MONEY.sum()},Sum"
    ),
    "the header once more": text(HEAD, *ROWS[:20], HEAD, *ROWS[20:40], HEAD, *ROWS[40:]),
    "blank rows of commas": text(HEAD, *(line for row in ROWS for line in (row, ",,"))),
    "pairs above the table": text("Station,Berlin", "Day,2024", "", "a,b,c,length,money,region")
    + text(*(f"1,2,{i % 7},{row}" for i, row in enumerate(ROWS))),
    "a spreadsheet's pairs": text("Station,Berlin,,,,", "Day,2024,,,,", ",,,,,")
    + text("a,b,c,length,money,region", *(f"1,2,{i % 7},{row}" for i, row in enumerate(ROWS))),
    "line breaks in the header": text('"length\n[mm]","money\n[EUR]",region', *ROWS),
    "a heading over two columns": text("size,,place", HEAD, *ROWS),
    "tabs and commas": text("who\tlength\tmoney\tregion")
    + text(*(f"Doe, Jo {i}\t" + row.replace(",", "\t") for i, row in enumerate(ROWS))),
    "currencies": with_money(lambda b: f"USD {b:,.2f}"),
    "currency before the number": with_money(lambda b: f"-US${b:,.2f}"),
    "brackets for minus": with_money(lambda b: f"({b:.2f})" if b < 1600 else f"{b:.2f}"),
    "minus at the end": with_money(lambda b: f"{b:.2f}-" if b < 1600 else f"{b:.2f}"),
    "units in every cell": with_money(lambda b: f"{b:.1f} kg"),
    "stars": with_money(lambda b: f"{b:.2f}*" if b > 1700 else f"{b:.2f}"),
    "limits of detection": with_money(lambda b: "<1450" if b < 1450 else f"{b:.2f}"),
    "an error of a spreadsheet": text("money,length,region")
    + text(*(f"{b if i % 9 else '#N/A'},{LENGTH[i]},{CLASSES[i]}" for i, b in enumerate(MONEY))),
    "decimal commas and points": text("length;money;region")
    + text(*(f"{german(LENGTH[i])};{german(b)} €;{CLASSES[i]}" for i, b in enumerate(MONEY))),
}


@pytest.mark.parametrize("kind", MESSY)
def test_what_is_messy_is_read_as_meant(kind):
    data = load(MESSY[kind].encode(), name="made.csv")
    assert data.classes.tolist() == ["east", "north", "south"]
    assert data.counts.tolist() == [20, 20, 20]
    used = [any(word in name for word in ("length", "money")) for name in data.feature_names]
    assert sum(used) == 2
    preparer = build_preparer(data)
    X = data.X if preparer is None else preparer.fit_transform(data.X, data.codes)
    assert (as_method("lda").estimator.fit(X, data.codes).predict(X) == data.codes).mean() > 0.6


def numbers(kind: str) -> list[float]:
    frame = read_table(MESSY[kind].encode(), "made.csv").frame
    return frame["money"].tolist()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("currencies", MONEY),
        ("currency before the number", -MONEY),
        ("brackets for minus", np.where(MONEY < 1600, -MONEY, MONEY)),
        ("minus at the end", np.where(MONEY < 1600, -MONEY, MONEY)),
        ("units in every cell", np.round(MONEY, 1)),
        ("stars", MONEY),
        ("limits of detection", np.where(MONEY < 1450, 1450, MONEY)),
        ("decimal commas and points", MONEY),
    ],
)
def test_numbers_keep_their_value_whatever_stands_around_them(kind, expected):
    np.testing.assert_allclose(numbers(kind), expected, atol=0.051 if "units" in kind else 1e-9)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("totals at the end", "The last row contains totals"),
        ("means and totals", "The last 2 rows contain totals"),
        ("the header once more", "2 rows were that repeat the header line"),
        ("blank rows of commas", "60 rows were without any value"),
        ("brackets for minus", "read as negative"),
        ("limits of detection", "a flag, such as '<1450'"),
        ("units in every cell", "Numbers with kg"),
    ],
)
def test_what_was_left_out_or_changed_is_said(kind, said):
    notices = read_table(MESSY[kind].encode(), "made.csv").notices
    assert any(said in notice.what for notice in notices)


def test_a_row_called_total_that_is_no_total_stays():
    table = text(HEAD, *ROWS, "10.5,1500,Total")
    assert len(read_table(table.encode(), "made.csv").frame) == 61
    every = text(HEAD, *(row.replace("north", "all") for row in ROWS))
    assert len(read_table(every.encode(), "made.csv").frame) == 60


@pytest.mark.parametrize("decimal", [".", ","])
def test_labels_and_codes_keep_their_leading_zeros(decimal):
    lines = [
        f"{a};{zipcode};{label};{1 + i % 2}"
        for i, (a, zipcode, label) in enumerate(
            zip(LENGTH, ["01067", "10115", "99999"] * 20, ["007", "07", "7"] * 20, strict=True)
        )
    ]
    table = text("length;zip;label;half", *lines).replace(".", decimal)
    data = load(table.encode(), name="made.csv", target="label")
    assert data.classes.tolist() == ["007", "07", "7"]
    assert data.counts.tolist() == [20] * 3
    assert data.feature_names == ("length", "zip", "half")
    assert data.levels == (None, ("01067", "10115", "99999"), None)
    assert "Leading zeros" in data.notices[0].what


def test_gaps_among_codes_are_gaps():
    table = text(
        "code,u,kind", *(f"{'' if i % 7 == 0 else f'{i % 4:05}'},{i},a" for i in range(60))
    )
    frame = read_table(table.encode(), "made.csv").frame
    assert frame["code"].dropna().unique().tolist() == ["00001", "00002", "00003", "00000"]
    assert frame["code"].isna().sum() == 9


def test_zeros_that_only_pad_numbers_are_no_codes():
    pixels = RNG.integers(0, 256, (40, 9))
    lines = [",".join(f"{value:03}" for value in row) for row in pixels]
    frame = read_table(text(*lines).encode(), "made.csv").frame
    np.testing.assert_array_equal(frame, pixels)
    lines = [f"{day:03},{LENGTH[day % 60]},{'ab'[day % 2]}" for day in range(300)]
    frame = read_table(text("day,length,kind", *lines).encode(), "made.csv").frame
    assert frame["day"].tolist() == list(range(300))


@pytest.mark.parametrize("place", [0, 9, 20])
@pytest.mark.parametrize("padded", ["007", '"007"', " 007"])
def test_leading_zeros_are_found_wherever_they_stand(place, padded):
    rows = [f"{110 + i},{i % 3}.05,0,{'ab'[i % 2]}" for i in range(20)]
    plain = text("code,u,v,kind", *rows).encode()
    assert read_table(plain, "made.csv").frame["code"].tolist() == list(range(110, 130))
    rows.insert(place, f"{padded},0.07,0,a")
    raw = text("code,u,v,kind", *rows).encode()
    assert read_table(raw, "made.csv").frame["code"][place] == "007"


def test_quotation_marks_without_a_partner_and_with_one():
    feet = text("length,height,money,region", *(f"{a},5' 3\",1,b" for a in LENGTH))
    assert read_table(feet.encode(), "made.csv").frame["height"][0] == "5' 3\""
    broken = text(*(f'{a},"two\nlines",{c}' for a, c in zip(LENGTH, CLASSES, strict=True)))
    assert read_table(broken.encode(), "made.csv").frame.iloc[0, 1] == "two\nlines"


def test_what_begins_with_a_hash_may_be_a_value():
    colours = text(
        "# exported by hand", "colour,length,region", "#ff0000,1.5,a", "red,2.5,b", "blue,3.5,a"
    )
    frame = read_table((colours + "green,4.5,b\n").encode(), "made.csv").frame
    assert frame["colour"].tolist() == ["#ff0000", "red", "blue", "green"]
    out = text("length,money,region", "1.5,2,a", "#2.5,3,b", "3.5,4,a", "4.5,5,b", "5.5,6,b")
    assert read_table(out.encode(), "made.csv").frame["length"].tolist() == [1.5, 3.5, 4.5, 5.5]


def test_blank_fields_between_tabs_are_missing_however_late_they_come():
    lines = [f"{a}\t{b}\t{c}" for a, b, c in zip(LENGTH, MONEY, CLASSES, strict=True)] * 100
    table = text("length\tmoney\tregion", *lines, "1.5\t\tnorth")
    last = read_table(table.encode(), "made.csv").frame.iloc[-1]
    assert (last["length"], last["region"]) == (1.5, "north")
    assert np.isnan(last["money"])


def test_words_for_yes_and_no_are_two_levels_whatever_they_are():
    words = ["TRUE", "false", "Yes", "no", "True", "NO"]
    lines = [
        f"{a},{words[i % 6]},{c}" for i, (a, c) in enumerate(zip(LENGTH, CLASSES, strict=True))
    ]
    data = load(text("length,smokes,region", *lines).encode(), name="made.csv")
    assert data.levels == (None, ("false", "TRUE"))
    np.testing.assert_array_equal(data.X[:6, 1], [1, 0, 1, 0, 1, 0])
    letters = [
        f"{a},{'TNM'[i % 3]},{c}" for i, (a, c) in enumerate(zip(LENGTH, CLASSES, strict=True))
    ]
    assert load(text("length,stage,region", *letters).encode()).levels == (None, ("M", "N", "T"))


def test_spellings_of_a_class_are_merged_at_one_click():
    spelled = ["north", "North", " NORTH", "south", "south", "South  "]
    lines = [f'{a},"{spelled[i % 6]}"' for i, a in enumerate(LENGTH)]
    table = read_table(text("length,region", *lines).encode(), "made.csv")
    found = find_table_problems(table, describe_columns(table))
    (remedy,) = next(one for one in found if "case or spaces" in one.notice.what).remedies
    data = table_to_dataset(table, options=TableOptions(**remedy.options))
    assert data.counts.tolist() == [30, 30]
    assert {str(label).casefold() for label in data.classes} == {"north", "south"}
    problems = find_table_problems(table, describe_columns(table, "length"))
    assert "case or spaces" not in str(problems)


def test_numbers_before_features_without_names_may_name_the_rows():
    names = RNG.permutation(np.arange(60) * 997 + 84_000)
    lines = [f"{n},{a},{b},{c}" for n, a, b, c in zip(names, LENGTH, MONEY, CLASSES, strict=True)]
    data = load(text(*lines).encode(), name="made.data")
    assert data.feature_names == ("column 2", "column 3")
    named = load(text("income,length,money,region", *lines).encode(), name="made.csv")
    assert named.feature_names == ("income", "length", "money")


def test_gaps_in_columns_told_by_their_place_stay_where_they_are():
    lines = [
        f"{a:8.2f}{'' if i % 9 == 4 else format(b, '.1f'):>10}{c:>8}"
        for i, (a, b, c) in enumerate(zip(LENGTH, MONEY, CLASSES, strict=True))
    ]
    found = read_table(text(f"{'length':>8}{'money':>10}{'region':>8}", *lines).encode(), "made")
    assert found.frame["region"].tolist() == CLASSES.tolist()
    assert found.frame["length"].tolist() == LENGTH.tolist()
    assert np.flatnonzero(found.frame["money"].isna()).tolist() == list(range(4, 60, 9))
    assert "fixed-width columns" in str(found.reading)


def test_quotation_marks_behind_a_backslash_belong_to_the_text():
    lines = [
        f'{a},"O\\"Neil, {i % 4}",{c}' for i, (a, c) in enumerate(zip(LENGTH, CLASSES, strict=True))
    ]
    frame = read_table(text("length,name,region", *lines).encode(), "made.csv").frame
    assert frame["name"].unique().tolist() == [f'O"Neil, {i}' for i in range(4)]


def test_pairs_above_a_blank_line_and_two_columns_are_skipped():
    pairs = '"Station","Berlin"\n"Operator","A. Smith"\n"Year","2007"\n\n'
    rows = "".join(f"{i}.5,{'ab'[i % 2]}\n" for i in range(20))
    table = read_table(f"{pairs}length,kind\n{rows}".encode(), "made.csv")
    assert table.frame["length"].tolist() == [i + 0.5 for i in range(20)]
    assert [notice.code for notice in table.notices] == ["LIN010"]
    table = read_table(f"length,kind\n\n{rows}".encode(), "made.csv")
    assert table.frame.shape == (20, 2) and table.notices == ()


def test_sections_above_a_table_are_skipped():
    table = text("[Header]", "Version,1", "[Data]", HEAD, *ROWS)
    found = read_table(table.encode(), "made.csv")
    assert found.frame.shape == (60, 3)
    assert found.reading.header_line == 4


def test_fields_without_text_behind_the_last_column_are_no_fields():
    plain = read_table(text(HEAD, *ROWS).encode(), "plain.csv").frame
    lines = [ROWS[0], ROWS[1] + ",,,", *ROWS[2:], ROWS[0] + ", ", ",,,,,,"]
    frame = read_table(text(HEAD, *lines).encode(), "made.csv").frame
    assert frame.shape == (61, 3)
    np.testing.assert_array_equal(frame[:60], plain)
    found = read_table(text(HEAD, *ROWS, ROWS[0] + ",,late").encode(), "made.csv")
    assert len(found.frame) == 60
    assert found.reading.uneven[0].number == 62


def test_nulls_of_a_database_and_rules_of_dashes():
    table = text("| length | money | region |", "|---|---|---|")
    table += text(
        *(
            f"| {a if i % 7 else chr(92) + 'N'} | {i} | {c} |"
            for i, (a, c) in enumerate(zip(LENGTH, CLASSES, strict=True))
        )
    )
    frame = read_table(table.encode(), "made.txt").frame
    assert frame["length"].isna().sum() == 9
    assert frame["length"].dtype == np.float64


@pytest.mark.parametrize("encoding", ["gb18030", "shift_jis", "cp1251", "cp1252"])
def test_encodings_are_told_by_the_text(encoding):
    words = {
        "gb18030": ("长度,类别", "北京市", "上海市"),
        "shift_jis": ("長さ,種類", "東京都", "大阪府"),
        "cp1251": ("длина,город", "Москва", "Казань"),
        "cp1252": ("Länge [°C],Größe", "groß", "klein à la française"),
    }[encoding]
    lines = [f"{a},{words[1 + i % 2]}" for i, a in enumerate(LENGTH)]
    frame = read_table(text(words[0], *lines).encode(encoding), "made.csv").frame
    assert frame.columns.tolist() == words[0].split(",")
    assert set(frame.iloc[:, 1]) == set(words[1:])


def test_stray_nul_bytes_are_left_out_and_told():
    rows = "".join(f"{i}.5\0,{'ab'[i % 2]}\n" for i in range(20))
    table = read_table(f"u,class\n{rows}".encode(), "made.csv")
    assert table.frame["u"].tolist() == [i + 0.5 for i in range(20)]
    assert [notice.code for notice in table.notices] == ["LIN004"]
    assert not read_table(f"u,class\n{rows}".replace("\0", "").encode("utf-16-le"), "m").notices


LEVELS = "".join(
    f"{['red', 'blue', 'green'][i % 3]},{'yes' if i % 4 else 'no'},{'up' if i % 5 else 'down'},"
    f"{'xy'[i % 2]},{'mn'[i % 3 > 1]}\n"
    for i in range(20)
)


@pytest.mark.parametrize(
    ("header", "names", "code"),
    [
        (
            ",Travel,,Food,\ncolour,air,rail,kind,meat",
            ["colour", "Travel air", "Travel rail", "Food kind", "Food meat"],
            ["LIN012"],
        ),
        ("colour,air,ra\nil,kind,meat", ["colour", "air", "ra il", "kind", "meat"], ["LIN017"]),
        ('"colour\nof it",air,rail,kind,meat', ["colour of it", "air", "rail", "kind", "meat"], []),
        ("colour,,rail,,meat", ["colour", "column 2", "rail", "column 4", "meat"], []),
        (
            ",Travel,,Food,",
            ["column 1", "Travel", "column 3", "Food", "column 5"],
            [],
        ),
    ],
)
def test_headers_over_text_alone(header, names, code):
    table = read_table(f"{header}\n{LEVELS}".encode(), "made.csv")
    assert list(table.frame) == names and len(table.frame) == 20
    assert [notice.code for notice in table.notices] == code


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", ["São Paulo", "Lisboa"]),
        ("latin-1", ["Bär", "Anna"]),
        ("cp850", ["Größe", "männlich"]),
        ("cp437", ["grün", "groß"]),
        ("cp1251", ["мужской", "женский", "возраст", "да"]),
        ("gb18030", ["男", "女", "性别", "年龄"]),
    ],
)
def test_few_words_beyond_ascii_are_read_in_the_likeliest_encoding(encoding, words):
    lines = [f"{i}.5;{words[i % len(words)]};{'ab'[i % 2]}" for i in range(24)]
    table = read_table("\n".join(["x;word;kind", *lines]).encode(encoding), "made.csv")
    assert table.frame["word"].tolist() == [words[i % len(words)] for i in range(24)]


@pytest.mark.parametrize(
    ("above", "header", "names"),
    [
        ("Report;May;x", "length;width;kind", ["length", "width", "kind"]),
        ("Report;May;x", "length;width;kind;", ["length", "width", "kind"]),
        ("Made;by;Anna", "age;bmi;outcome", ["age", "bmi", "outcome"]),
        ("length;width;kind", "cm;mm;-", ["length (cm)", "width (mm)", "kind"]),
        ("time;mass;kind", "seconds;grams;species", ["time (seconds)", "mass (grams)", None]),
        ("u;v;kind", "numeric;numeric;nominal", ["u (numeric)", "v (numeric)", None]),
    ],
)
def test_words_above_the_header_are_a_title_and_units_below_it_are_units(above, header, names):
    end = ";" if header.endswith(";") else ""
    lines = [f"{i % 7}.5;{i % 5}.25;{'ab'[i % 2]}{end}" for i in range(30)]
    table = read_table("\n".join([above, header, *lines]).encode(), "made.csv")
    found = table.frame.columns.tolist()
    assert [a for a, b in zip(found, names, strict=True) if b] == [b for b in names if b]
    assert len(table.frame) == 30


@pytest.mark.parametrize(
    "word",
    ["keine Angabe", "k. A.", "(leer)", "unbekannt", "inconnu", "sans objet", "s/d", "sin dato"]
    + ["desconocido", "manquant", "(blank)", "[missing]", "N.D."],
)
def test_words_for_no_value_in_several_languages_leave_a_column_of_numbers(word):
    lines = [f"{word if i % 6 == 5 else i % 9 + 0.5};{'ab'[i % 2]}" for i in range(36)]
    found = read_table("\n".join(["x;kind", *lines]).encode(), "made.csv").frame["x"]
    assert found.dtype == np.float64 and found.isna().sum() == 6


@pytest.mark.parametrize("above", [";;;;\n", ";;;;\n;;;;\n"])
def test_lines_of_separators_above_the_header_are_not_worth_a_notice(above):
    rows = "".join(f";;{i % 9},5;{i % 5};{'ab'[i % 2]}\n" for i in range(30))
    table = read_table(f"{above};;x;y;kind\n{rows}".encode(), "made.csv")
    assert table.frame.columns[-3:].tolist() == ["x", "y", "kind"] and not table.notices


def test_a_rule_below_the_header_holds_no_units():
    rows = "".join(f"| {i % 9}.5 | {i % 5} | {'ab'[i % 2]} |\n" for i in range(30))
    table = read_table(f"| x | y | kind |\n|---|---|------|\n{rows}".encode(), "made.md")
    assert {"x", "y", "kind"} <= set(table.frame) and len(table.frame) == 30
    assert "units" not in " ".join(notice.what for notice in table.notices)


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("Blood,Blood,Outcome\npressure,sugar,kind", ["Blood pressure", "Blood sugar"]),
        (
            "Blood,,Outcome\npressure,sugar,kind\nmmHg,mg/dl,",
            ["Blood pressure (mmHg)", "Blood sugar (mg/dl)"],
        ),
        (
            "Blood,Blood,Outcome\npressure,sugar,kind\nmmHg,mg/dl,",
            ["Blood pressure (mmHg)", "Blood sugar (mg/dl)"],
        ),
    ],
)
def test_names_below_names_of_groups_are_joined_and_may_have_units_below(head, names):
    rows = "".join(f"{i % 9}.5,{i % 5},{'ab'[i % 2]}\n" for i in range(30))
    frame = read_table(f"{head}\n{rows}".encode(), "made.csv").frame
    assert frame.columns.tolist() == [*names, "Outcome kind"] and len(frame) == 30
