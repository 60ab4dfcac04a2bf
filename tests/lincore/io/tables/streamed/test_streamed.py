"""Files beyond the memory budget: read in blocks, held in part, learned from as a whole."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import DataError
from lincore.data import Dataset, Split, with_row_weights
from lincore.io import ReadOptions, Table, TableOptions, read_table, table_to_dataset
from lincore.limits import LIMITS
from lincore.model_selection import (
    Steps,
    fit_steps,
    learning_curve,
    plan_folds,
    summarise_training_set,
)
from lincore.moments import Moments

N_ROWS = 6_000
BLOCK_CELLS = "lincore.io.tables.streamed._delimited.BLOCK_CELLS"
SMALL = replace(
    LIMITS,
    max_table_bytes=100_000,
    max_rows_in_memory=600,
    max_drawn_bytes=30_000,
    max_line_bytes=9_000,
)
LEARN_FROM_ALL = [
    "lda",
    "qda",
    "naive-bayes",
    "diagonal-lda",
    "fisher",
    "least-squares",
    "logistic(tol=1e-11)",
]
STEPS = Steps(standardize=True, n_components=3)


def frame_of_numbers(n_rows: int = N_ROWS) -> pd.DataFrame:
    """Return four features far from zero, of unequal spread, and three unequal classes."""
    rng = np.random.default_rng(3)
    codes = rng.choice(3, n_rows, p=[0.62, 0.33, 0.05])
    X = rng.normal(size=(n_rows, 4)) * [1, 3, 0.1, 20] + codes[:, None] * [0.5, 2, 0.1, -9] - 4e3
    frame = pd.DataFrame(X.round(6), columns=["u", "v", "w", "x"])
    return frame.assign(species=np.array(["setosa", "virginica", "é2"])[codes])


def csv_of(frame: pd.DataFrame, **kwargs: object) -> bytes:
    """Return a frame as the bytes of a CSV."""
    return frame.to_csv(index=False, **kwargs).encode()


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Read many blocks of few rows."""
    monkeypatch.setattr(BLOCK_CELLS, 3_500)


def opened(raw: bytes, name: str = "big.csv", options=None, **limits: int) -> Table:
    """Open a table that is too large for the small budget."""
    table = read_table(raw, name, options, limits=replace(SMALL, **limits))
    assert table.source is not None
    return table


def whole(data: Dataset, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return features and codes of every row, the held ones first, in their order."""
    X = frame[list(data.feature_names)].to_numpy()
    codes = np.searchsorted(data.classes, frame["species"].to_numpy(dtype=str))
    held = {row.tobytes() for row in data.X}
    others = [i for i, row in enumerate(X) if row.tobytes() not in held]
    assert len(others) == data.n_streamed
    return np.vstack([data.X, X[others]]), np.concatenate([data.codes, codes[others]])


def test_stray_nul_bytes_far_down_cost_no_row():
    frame = frame_of_numbers()
    raw = csv_of(frame)
    middle = raw.index(b"\n", len(raw) // 2)
    held, stray = (
        table_to_dataset(opened(one)) for one in (raw, raw[:middle] + b"\0" + raw[middle:])
    )
    assert held.n_streamed == stray.n_streamed > 0
    np.testing.assert_array_equal(held.X, stray.X)


def test_every_row_is_either_held_or_summed():
    frame = frame_of_numbers()
    data = table_to_dataset(opened(csv_of(frame)))
    X, codes = whole(data, frame)
    assert data.classes.tolist() == ["setosa", "virginica", "é2"]
    assert len(X) == N_ROWS == data.n_rows + data.n_streamed
    expected = Moments.from_groups(X[data.n_rows :], codes[data.n_rows :], 3)
    assert data.blocks is not None
    np.testing.assert_array_equal(data.blocks.moments.count, expected.count)
    np.testing.assert_allclose(data.blocks.moments.mean, expected.mean, rtol=1e-13)
    np.testing.assert_allclose(data.blocks.moments.scatter, expected.scatter, rtol=1e-9)
    # As many of each class as its share asks for, one by one out of equal stretches of the file.
    np.testing.assert_allclose(
        data.counts / (data.counts + data.blocks.moments.count), 0.1, atol=0.02
    )


FORMS = {
    "gzip": lambda f: gzip.compress(csv_of(f)),
    "UTF-16 and tabs": lambda f: f.to_csv(index=False, sep="\t").encode("utf-16"),
    "Windows-1252": lambda f: f.to_csv(index=False).encode("cp1252"),
    "decimal commas": lambda f: f.to_csv(index=False, sep=";", decimal=",").encode(),
    "CRLF": lambda f: f.to_csv(index=False, lineterminator="\r\n").encode(),
    "CR": lambda f: f.to_csv(index=False, lineterminator="\r").encode(),
    "a mark, a comment and quotes": lambda f: b"\xef\xbb\xbf# made\n" + csv_of(f, quoting=2),
    "Parquet": lambda f: parquet_of(f),
    "no header": lambda f: f.to_csv(index=False, header=False).encode(),
    "spaces": lambda f: f.to_csv(index=False, sep=" ").encode(),
    "a title": lambda f: b"A long title\n\n" + csv_of(f),
    "comments": lambda f: b"# one\n# two\n" + csv_of(f),
    "units": lambda f: csv_of(f).replace(b"\n", b"\n[m],[s],[kg],[V],\n", 1),
    "blank lines": lambda f: csv_of(f).replace(b"\n", b"\n\n"),
    "thousands": lambda f: (
        f.assign(x=[f'"{x:,.3f}"' for x in f["x"]])
        .to_csv(index=False, sep=";", quoting=csv.QUOTE_NONE)
        .encode()
    ),
    "labels of numbers": lambda f: csv_of(f.assign(species=f["species"].str.len())),
    "padded labels": lambda f: csv_of(f.assign(species="0" + f["species"].str.len().astype(str))),
    "truths": lambda f: csv_of(f.assign(species=f["species"] == "setosa")),
    "gaps": lambda f: csv_of(f.where(f != f.iloc[7]), na_rep="?"),
    "blanks before values": lambda f: csv_of(f, quoting=2).replace(b",", b", "),
    "blanks far down": lambda f: csv_of(f)[:50_000] + csv_of(f)[50_000:].replace(b",", b" ,\t "),
    "blanks around labels": lambda f: csv_of(f.assign(species=" " + f["species"] + " ")),
    "tabs and blanks": lambda f: f.to_csv(index=False, sep="\t").replace("\t", "\t ").encode(),
    "labels of all marks": lambda f: csv_of(
        f.assign(species=f["species"].where(f["u"] > -4e3, "-").where(f["v"] > -4e3, "NA"))
    ),
    "repeated names": lambda f: csv_of(f).replace(b"u,v,w", b"u,u,w", 1),
    "Parquet of small numbers": lambda f: parquet_of(f.astype({"u": "float32"})),
    "Parquet with gaps": lambda f: parquet_of(
        f.assign(v=f["v"].round().astype("Int64").where(f["u"] > -4e3))
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_read_in_blocks_is_read_as_a_whole(form):
    raw = FORMS[form](frame_of_numbers(2_500))
    table = opened(raw, max_table_bytes=40_000)
    data = table_to_dataset(table, target=-1)
    held = table_to_dataset(read_table(raw, "big.csv"), -1, TableOptions(missing="drop"))
    assert data.feature_names == held.feature_names
    assert data.classes.tolist() == held.classes.tolist()
    expected = lincore.Moments.from_groups(held.X, held.codes, held.n_classes)
    found = lincore.Moments.from_groups(data.X, data.codes, data.n_classes) + data.blocks.moments
    np.testing.assert_array_equal(found.count, expected.count)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12)
    scale = np.sqrt(np.einsum("kii->ki", expected.scatter))
    within = scale[:, :, None] * scale[:, None, :] * 1e-9
    assert (np.abs(found.scatter - expected.scatter) <= within).all()
    assert "2,500 rows" in str(table.reading)


def parquet_of(frame: pd.DataFrame) -> bytes:
    """Return a frame as the bytes of a Parquet file of several row groups."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, row_group_size=1_000)
    return buffer.getvalue()


def test_blocks_of_another_length_hold_the_same_rows(monkeypatch):
    raw = csv_of(frame_of_numbers())
    table = opened(raw)
    plain = table_to_dataset(table)
    monkeypatch.setattr(BLOCK_CELLS, 2_345)
    again = table_to_dataset(table)
    np.testing.assert_array_equal(again.X, plain.X)
    np.testing.assert_allclose(
        again.blocks.moments.scatter, plain.blocks.moments.scatter, rtol=1e-9
    )
    assert table_to_dataset(opened(raw)).digest != replace(plain, blocks=None).digest


def test_a_path_too_large_to_be_held_is_read_in_blocks(tmp_path, monkeypatch):
    frame = frame_of_numbers()
    path = tmp_path / "big.csv"
    path.write_bytes(csv_of(frame))
    stat = Path.stat

    def large(self, **options):
        found = stat(self, **options)
        size = LIMITS.max_file_bytes + 1 if self == path else found.st_size
        return SimpleNamespace(st_mode=found.st_mode, st_size=size)

    monkeypatch.setattr(Path, "stat", large)
    data = lincore.load(path, target="species")
    assert data.n_rows + data.n_streamed == N_ROWS
    assert data.n_streamed == 0  # as the budget for what is held is a large one


@pytest.mark.parametrize(
    ("scheme", "steps"), [("3-fold", Steps(standardize=False)), ("holdout", STEPS)]
)
def test_methods_learn_from_all_training_rows(scheme, steps):
    frame = frame_of_numbers()
    data = table_to_dataset(opened(csv_of(frame)))
    results = lincore.compare(data, LEARN_FROM_ALL, scheme, steps=steps, seed=4)
    X, codes = whole(data, frame)
    everything = Dataset("all", X, codes, data.classes, data.feature_names)
    beyond = np.arange(data.n_rows, len(X))
    for j, word in enumerate(LEARN_FROM_ALL):
        for fold in plan_folds(data, scheme, 4):
            rows = np.concatenate([fold.train, beyond])
            there = lincore.fit(everything, word, Split(rows, fold.test), steps=steps).results
            at = np.isin(results.rows, fold.test) & (results.fold == fold.fold)
            np.testing.assert_array_equal(results.predicted[j, at], there.predicted[0])
            np.testing.assert_allclose(results.log_proba[j, at], there.log_proba[0], atol=1e-9)
    assert set(results.settings.streamed.values()) == {data.n_streamed}


@pytest.mark.parametrize("word", ["lda", "qda", "logistic(tol=1e-11)"])
def test_the_page_classify_learns_the_same(word):
    data = table_to_dataset(opened(csv_of(frame_of_numbers())))
    split = lincore.split(data, seed=1)
    known = fit_steps(data, summarise_training_set(data, split), STEPS)
    compared = lincore.compare(data, word, "holdout", steps=STEPS, seed=1)
    for sample in (None, known):
        model = lincore.fit(data, word, split, steps=STEPS, sample=sample)
        found = model.pipeline.predict_log_proba(data.X[split.test])
        np.testing.assert_allclose(found, compared.log_proba[0], atol=1e-9)
        np.testing.assert_allclose(model.results.log_proba, compared.log_proba, atol=1e-9)
        assert model.results.settings.streamed == {model.name: data.n_streamed}


def test_methods_that_need_rows_learn_from_those_held():
    data = table_to_dataset(opened(csv_of(frame_of_numbers())))
    plain = Steps(standardize=False)
    word = "logistic(solver=fixed-hessian)"
    held = lincore.compare(replace(data, blocks=None), word, "3-fold", steps=plain)
    both = lincore.compare(data, [word, "lda"], "3-fold", steps=plain)
    np.testing.assert_allclose(both.select(word).log_proba, held.log_proba, atol=1e-12)
    assert both.settings.streamed == {word: 0, "lda": data.n_streamed}
    bent = lincore.compare(data, "lda", "3-fold", steps=Steps(basis="polynomial(degree=2)"))
    assert bent.settings.streamed == {"lda": 0}


def test_logistic_regression_sees_the_steps_that_the_others_see():
    data = table_to_dataset(opened(csv_of(frame_of_numbers())))
    alone = lincore.compare(data, "logistic", "3-fold", steps=Steps(n_components=2))
    both = lincore.compare(data, ["logistic", "lda"], "3-fold", steps=Steps(n_components=2))
    np.testing.assert_allclose(both.select("logistic").log_proba, alone.log_proba, atol=1e-9)


def test_components_are_not_chosen_by_a_part_of_the_rows():
    data = table_to_dataset(opened(csv_of(frame_of_numbers())))
    chosen = Steps(n_components="cv")
    for line in ("lda", "logistic"):
        with pytest.raises(DataError, match="of streamed rows: give a number"):
            lincore.fit(data, line, steps=chosen)
        with pytest.raises(DataError, match="of streamed rows: give a number"):
            lincore.compare(data, line, "3-fold", steps=chosen)


def test_a_forecast_learns_nothing_from_rows_of_unknown_time():
    data = table_to_dataset(opened(csv_of(frame_of_numbers())))
    known = replace(data, blocks=None)
    forecast = lincore.compare(data, "lda", "last")
    np.testing.assert_array_equal(
        forecast.log_proba, lincore.compare(known, "lda", "last").log_proba
    )
    assert forecast.settings.streamed == {"lda": 0}
    part = summarise_training_set(data, lincore.split(data, "last"))
    assert part.moments is not None
    assert part.moments.count.sum() < data.n_rows


def test_chosen_rows_and_learning_curves_are_of_the_rows_held():
    data = table_to_dataset(opened(csv_of(frame_of_numbers())))
    known, split = replace(data, blocks=None), lincore.split(data, seed=1)
    fewer = Split(split.train[::2], split.test)
    some = lincore.compare(data, "lda", fewer)
    np.testing.assert_array_equal(some.log_proba, lincore.compare(known, "lda", fewer).log_proba)
    lines, alone = (learning_curve(one, "lda", [split]).score_table() for one in (data, known))
    np.testing.assert_array_equal(lines["value"], alone["value"])
    assert lines["training rows"].max() == len(split.train)


def test_some_of_the_rows_leave_what_is_summed_behind():
    data = table_to_dataset(opened(csv_of(frame_of_numbers())))
    few = data.take(np.arange(50))
    assert few.blocks is None
    assert few.n_streamed == 0


def test_rows_without_a_value_are_left_out_and_counted():
    frame = frame_of_numbers()
    frame.loc[10:19, "u"] = np.nan
    frame.loc[3_000:3_004, "species"] = np.nan
    data = table_to_dataset(opened(csv_of(frame)))
    said = " ".join(map(str, data.notices))
    assert data.n_rows + data.n_streamed == N_ROWS - 15
    assert "10 of 6,000 rows have a missing value" in said
    assert "5 of 6,000 rows have no value in the target" in said


def test_classes_are_left_out_and_merged_as_they_come():
    frame = frame_of_numbers()
    table = opened(csv_of(frame))
    data = table_to_dataset(table, options=TableOptions(drop_classes=["setosa"]))
    assert data.classes.tolist() == ["virginica", "é2"]
    assert data.n_rows + data.n_streamed == int((frame["species"] != "setosa").sum())
    merged = table_to_dataset(table, options=TableOptions(merge_classes={"é2": "virginica"}))
    assert (merged.counts + merged.blocks.moments.count).tolist() == [
        int((frame["species"] == "setosa").sum()),
        int((frame["species"] != "setosa").sum()),
    ]


def test_another_target_and_fewer_features_are_read_anew():
    frame = frame_of_numbers().assign(half=np.arange(N_ROWS) % 2)
    table = opened(csv_of(frame))
    data = table_to_dataset(table, "half", TableOptions(roles={"species": "ignore", "u": "ignore"}))
    assert data.classes.tolist() == [0, 1]
    assert data.feature_names == ("v", "w", "x")
    assert (data.counts + data.blocks.moments.count).tolist() == [3_000, 3_000]


def test_a_class_of_few_rows_is_there():
    frame = frame_of_numbers()
    frame.loc[[5, 4_000, 5_999], "species"] = "rare"
    data = table_to_dataset(opened(csv_of(frame)))
    rare = data.classes.tolist().index("rare")
    assert data.counts[rare] >= 2
    assert data.counts[rare] + data.blocks.moments.count[rare] == 3
    frame.loc[5_999, "species"] = "setosa"
    held = table_to_dataset(opened(csv_of(frame)))
    assert (held.counts[rare], held.blocks.moments.count[rare]) == (2, 0)
    assert not held.blocks.moments.scatter[rare].any()
    assert lincore.compare(data, "lda", "holdout").predicted.size


@pytest.mark.parametrize(
    ("change", "options", "said", "remedy"),
    [
        ({"kind": "a b"}, {}, "'kind'", {"kind": "ignore"}),
        ({}, {"missing": "median"}, "needs all rows at once", None),
        ({}, {"bins": 2}, "needs all rows at once", None),
        ({}, {"categories": ["u"]}, "needs all rows at once", None),
        ({}, {"drop_duplicates": True}, "needs all rows at once", None),
        ({"person": 1}, {"roles": {"person": "group"}}, "kept together", {"person": "ignore"}),
        ({}, {"roles": {"u": "target", "species": "ignore"}}, "distinct values", None),
        ({}, {"roles": dict.fromkeys("uvwx", "ignore")}, "No feature is left", None),
    ],
)
def test_what_needs_all_rows_is_refused_with_a_way_out(change, options, said, remedy):
    frame = frame_of_numbers()
    places = np.arange(N_ROWS) % 3
    for name, value in change.items():
        values = np.array(["a", "b", "c"]) if isinstance(value, str) else np.arange(3)
        frame[name] = values[places]
    table = opened(csv_of(frame), max_levels=100)
    with pytest.raises(DataError, match=said) as caught:
        target = None if "target" in options.get("roles", {}).values() else "species"
        table_to_dataset(table, target, TableOptions(**options))
    if remedy is not None:
        first, last = caught.value.remedies
        assert first.roles == remedy
        data = table_to_dataset(table, "species", TableOptions(roles=first.roles))
        assert data.n_rows + data.n_streamed == N_ROWS
        alone = table_to_dataset(table, "species", TableOptions(**last.options))
        assert alone.n_streamed == 0
        assert alone.n_rows == len(table.frame) < N_ROWS
        assert "drawn at random" in " ".join(map(str, alone.notices))


def test_a_word_or_an_infinite_value_far_down_is_refused_with_its_place():
    frame = frame_of_numbers().astype({"w": object})
    frame.loc[4_321, "w"] = "broken pipe"
    data = table_to_dataset(opened(csv_of(frame), max_drawn_bytes=3_000))
    assert data.n_rows + data.n_streamed == N_ROWS - 1
    assert "Numbers except 'broken pipe'" in " ".join(map(str, data.notices))
    frame.loc[4_321:4_921, "w"] = "broken pipe"
    with pytest.raises(DataError, match="row 4,322, column 'w'.*'broken pipe' is not a number"):
        table_to_dataset(
            opened(csv_of(frame), max_drawn_bytes=300), options=TableOptions(roles={"w": "feature"})
        )
    frame.loc[4_322:4_921, "w"] = "1"
    frame.loc[4_321, "w"] = "inf"
    with pytest.raises(DataError, match="4,322, column 'w'.* is infinite"):
        table_to_dataset(opened(csv_of(frame), max_drawn_bytes=3_000))


@pytest.mark.parametrize(
    ("uneven", "damage", "code", "n_rows"),
    [
        (None, b",7,8", "LIN021", N_ROWS - 1),
        ("keep", b",7,8", "LIN022", N_ROWS),
        ("skip", b",7,8", "LIN021", N_ROWS - 1),
        (None, b",", "", N_ROWS),
    ],
)
def test_a_line_too_long_far_down_is_told_and_costs_no_other(uneven, damage, code, n_rows):
    lines = csv_of(frame_of_numbers()).split(b"\n")
    lines[5_000] += damage
    table = opened(b"\n".join(lines), options=ReadOptions(uneven=uneven), max_drawn_bytes=3_000)
    data = table_to_dataset(table)
    assert data.n_rows + data.n_streamed == n_rows
    told = [one for one in data.notices if one.code == code and "line 5001" in one.where]
    assert bool(told) == bool(code)


def test_labels_are_cut_in_blocks_too():
    frame = frame_of_numbers()
    label = frame.columns[-1]
    marked = frame.assign(**{label: [f"{one}|{i}" for i, one in enumerate(frame[label])]})
    options = ReadOptions(cut_at={label: "|"})
    data = table_to_dataset(opened(csv_of(marked), options=options), target=label)
    assert data.digest == table_to_dataset(opened(csv_of(frame)), target=label).digest


def test_too_many_cells_are_read_in_blocks_as_too_many_bytes_are():
    raw = csv_of(frame_of_numbers())
    data = table_to_dataset(opened(raw, max_table_bytes=10**7, max_cells=9_000))
    assert data.digest == table_to_dataset(opened(raw)).digest


def test_a_lone_quotation_mark_swallows_no_rows():
    lines = csv_of(frame_of_numbers()).split(b"\n")
    lines[5_000] = b'"' + lines[5_000]
    data = table_to_dataset(opened(b"\n".join(lines), max_drawn_bytes=3_000))
    assert data.n_rows + data.n_streamed == N_ROWS - 1
    assert "read as missing" in " ".join(map(str, data.notices))


def test_what_is_too_large_even_in_blocks_is_refused():
    raw = csv_of(frame_of_numbers())
    with pytest.raises(DataError, match="allowed even in blocks"):
        opened(raw, max_streamed_cells=1_000)
    with pytest.raises(DataError, match="The line is longer than"):
        opened(raw + b"1" * 2_500_000)
    bomb = gzip.compress(b"a,class\n" + b"1,2\n" * 4_000_000)
    with pytest.raises(DataError, match="unpacks to more than"):
        opened(bomb)
    with pytest.raises(DataError, match="NUL"):
        opened(gzip.compress(raw + bytes(3_000_000)), max_ratio=10**6)
    with pytest.raises(DataError, match="too many"):
        table_to_dataset(opened(raw, max_streamed_values=30))
    with pytest.raises(DataError, match="unpacks to more"):
        opened(parquet_of(frame_of_numbers()), max_streamed_bytes=1_000)
    with pytest.raises(DataError, match="Reading was stopped"):
        table_to_dataset(opened(raw), progress=lambda done, total, what: done < 1_000)


@pytest.mark.parametrize("write", [csv_of, parquet_of], ids=["text", "Parquet"])
def test_a_file_on_disk_may_be_of_any_length(write, tmp_path):
    limits = replace(SMALL, max_streamed_bytes=1_000, max_streamed_cells=1_000)
    path = tmp_path / "large"
    path.write_bytes(write(frame_of_numbers()))
    assert read_table(path, path.name, limits=limits).reading.n_rows == N_ROWS


def test_lines_are_drawn_from_all_over_the_file():
    frame = frame_of_numbers().assign(place=np.arange(N_ROWS))
    table = opened(csv_of(frame), max_drawn_bytes=10_000)
    drawn = table.frame["place"].to_numpy()
    assert (np.diff(drawn) > 0).all()
    later = drawn[drawn >= N_ROWS / 2]
    assert abs(later.mean() / N_ROWS - 0.75) < 0.08
    assert str(table.reading).endswith("6,000 rows of 6 columns, read in blocks")


def test_places_among_drawn_lines_are_told_as_in_the_file():
    lines = csv_of(frame_of_numbers()).split(b"\n")
    for i in range(4_000, 5_000):
        lines[i] = lines[i].rsplit(b",", 1)[0]
    table = opened(b"\n".join(lines))
    (short,) = [one for one in table.notices if "Fewer fields" in one.what]
    named = [
        int(line) for line in short.where.split("lines ")[1].removesuffix(" and more").split(", ")
    ]
    assert all(4_000 < line <= 5_000 for line in named)


def test_rows_are_held_by_class_and_evenly():
    codes = np.tile([0, 0, 0, 1], 5_000)
    numbered = pd.DataFrame({"u": np.arange(20_000) + 0.5, "kind": np.array(["a", "b"])[codes]})
    data = table_to_dataset(opened(csv_of(numbered)), "kind")
    held = np.zeros(20_000, dtype=bool)
    held[(data.X[:, 0] - 0.5).astype(int)] = True
    assert held.sum() == data.n_rows < 1_000
    assert abs(held[codes == 0].sum() - 3 * held[codes == 1].sum()) <= 8
    stretches = held.reshape(20, -1).sum(axis=1)
    assert stretches.min() >= 0.7 * stretches.mean()


def test_columns_are_renamed_but_rows_are_not_filtered():
    table = opened(csv_of(frame_of_numbers()))
    first = table_to_dataset(table).feature_names[0]
    renamed = table_to_dataset(table, options=TableOptions(rename={first: "renamed"}))
    assert renamed.feature_names[0] == "renamed"
    with pytest.raises(DataError, match="Filtering rows"):
        table_to_dataset(table, options=TableOptions(where=[(first, "between", (0, None))]))


def weighted_frame() -> pd.DataFrame:
    """Return rows that weigh; one in twenty counts nothing."""
    rng = np.random.default_rng(5)
    weight = rng.gamma(2.0, size=N_ROWS).round(3) * (rng.random(N_ROWS) > 0.05)
    return frame_of_numbers().assign(weight=weight)


@pytest.mark.parametrize("written", [csv_of, lambda f: parquet_of(f)], ids=["csv", "parquet"])
def test_weights_of_all_rows_are_summed(written):
    frame = weighted_frame()
    options = TableOptions(roles={"weight": "weight"})
    data = table_to_dataset(opened(written(frame)), "species", options=options)
    X, codes = frame[["u", "v", "w", "x"]].to_numpy(), frame["species"].to_numpy(dtype=str)
    codes, weight = np.searchsorted(data.classes, codes), frame["weight"].to_numpy()
    wanted = Moments.from_groups(X, codes, 3, weight)
    everything = Split(np.arange(data.n_rows), np.arange(0))
    found = summarise_training_set(data, everything).moments
    unit = wanted.count / found.count
    np.testing.assert_allclose(unit, unit[0], rtol=1e-12)
    np.testing.assert_allclose(found.mean, wanted.mean, rtol=1e-12)
    np.testing.assert_allclose(found.scatter * unit[:, None, None], wanted.scatter, rtol=1e-9)
    # Rows are counted as they stand, and none that counts is lost.
    np.testing.assert_array_equal(
        data.counts + data.streamed_counts, np.bincount(codes[weight > 0])
    )
    assert 0.5 * 600 < data.n_rows < 1.6 * 600
    (notice,) = [notice for notice in data.notices if notice.code == "LIN058"]
    assert notice.what.startswith(f"{(weight == 0).sum():,} of {N_ROWS:,} rows have weight zero")
    assert data.weights.mean() == pytest.approx(1) and data.weight_name == "weight"
    np.testing.assert_allclose(unit[0] * data.weights, weight_of(data, X, weight))


def weight_of(data: Dataset, X: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return what the file says of each held row."""
    place = {row.tobytes(): i for i, row in enumerate(X)}
    return values[[place[row.tobytes()] for row in data.X]]


def test_methods_learn_from_the_weights_of_streamed_rows():
    frame = weighted_frame()
    options = TableOptions(roles={"weight": "weight"})
    data = table_to_dataset(opened(csv_of(frame)), "species", options=options)
    results = lincore.compare(data, ["lda", "qda"], "holdout")
    assert results.settings.streamed["lda"] == data.n_streamed
    test = results.rows
    tested = {row.tobytes() for row in data.X[test]}
    X = frame[["u", "v", "w", "x"]].to_numpy()
    rest = np.array([row.tobytes() not in tested for row in X])
    codes = np.searchsorted(data.classes, frame["species"].to_numpy(dtype=str))
    for method, model in (
        ("lda", lincore.LinearDiscriminantAnalysis()),
        ("qda", lincore.QuadraticDiscriminantAnalysis()),
    ):
        model.fit(X[rest], codes[rest], sample_weight=frame["weight"].to_numpy()[rest])
        found = results.log_proba[results.position(method)]
        np.testing.assert_allclose(found, model.predict_log_proba(data.X[test]), atol=1e-6)
    with pytest.raises(DataError, match="already been summed can no longer be weighted"):
        with_row_weights(data, weights=np.ones(data.n_rows))
    weight = data.weights[test]
    right = results.predicted[0] == results.truth
    score = lincore.metrics.score(results, "lda", "accuracy")
    assert score.value == pytest.approx(np.average(right, weights=weight))


@pytest.mark.parametrize(
    ("value", "message"),
    [(-1.5, r"The weight -1.5 is negative"), (None, r"The weight is missing")],
)
def test_what_is_no_weight_far_down_is_named(value, message):
    frame = frame_of_numbers().assign(count=1.0)
    frame.loc[4_000, "count"] = value
    options = TableOptions(roles={"count": "weight"})
    with pytest.raises(DataError, match=message) as refused:
        table_to_dataset(opened(csv_of(frame)), "species", options=options)
    assert refused.value.notice.where == "column 'count', data row 4,001"


def test_a_frequency_needs_all_rows_in_memory():
    table = opened(csv_of(frame_of_numbers().assign(count=2)))
    options = TableOptions(roles={"count": "frequency"})
    with pytest.raises(DataError, match="repeated in memory only") as refused:
        table_to_dataset(table, "species", options=options)
    as_weights, drawn_only = refused.value.remedies
    assert dict(as_weights.roles) == {"count": "weight"} and drawn_only.options
    weighted = table_to_dataset(table, "species", options=TableOptions(roles=as_weights.roles))
    assert weighted.weight_name == "count" and weighted.n_streamed
    drawn = table_to_dataset(table, "species", options=replace(options, **drawn_only.options))
    assert drawn.n_rows == 2 * len(table.frame)


@pytest.mark.parametrize(
    "which", [[5, 100, 3_000], range(5_800, 6_000), [4_321], range(0, 6_000, 5)]
)
def test_a_field_behind_the_last_column_costs_no_more_than_its_line(which):
    lines = csv_of(frame_of_numbers()).decode().splitlines()
    raw = "\n".join(
        [lines[0], *(f"{one},late" if i in which else one for i, one in enumerate(lines[1:]))]
    )
    data = table_to_dataset(opened(raw.encode()), "species")
    assert data.classes.tolist() == ["setosa", "virginica", "é2"]
    n_lost = 0 if len(which) > 1_000 else len(which)
    assert data.n_rows + data.n_streamed == N_ROWS - n_lost
