"""Frequencies as a column: rows are repeated, and copies of a line stay together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import DataError
from lincore.data import counting, with_row_weights
from lincore.model_selection import plan_folds
from lincore.prediction import predict
from tests.lincore.data.test_row_weights import FLOWERS


def test_a_frequency_repeats_the_rows():
    data = lincore.load(FLOWERS.drop(columns="w"), target="kind", frequencies="n")
    assert_array_equal(data.X.ravel(), [1.5, *[2.5] * 5, 4, 6.5, 6.5])
    assert_array_equal(data.lines, [0, 1, 1, 2, 2, 2, 3, 4, 4])
    repeated = FLOWERS.loc[np.repeat(np.arange(6), FLOWERS["n"]), ["length", "kind"]]
    plain = lincore.load(repeated, target="kind")
    assert data.rare == plain.rare and data.counts.tolist() == plain.counts.tolist()
    assert counting(data) == "5 lines repeated by 'n'"


def test_both_together_are_those_of_arrays():
    table = lincore.load(FLOWERS, target="kind", weights="w", frequencies="n")
    X, y = FLOWERS[["length"]].to_numpy(), FLOWERS["kind"].to_numpy()
    arrays = lincore.load((X, y), weights=FLOWERS["w"], frequencies=FLOWERS["n"])
    assert_array_equal(table.X, arrays.X)
    assert_allclose(table.weights, arrays.weights)
    assert_array_equal(table.lines, arrays.lines)
    assert_allclose(table.take([0, 1, 5]).weights.mean(), 1)


@pytest.mark.parametrize(
    ("columns", "roles", "message"),
    [
        ({"n": [1, 2.5, 3, 1, 1, 1]}, {"n": "frequency"}, "frequency 2.5 is no whole number"),
        ({"n": [1, 2, -1, 1, 1, 1]}, {"n": "frequency"}, "The frequency -1 is negative"),
        ({"n": [1, 10**7, 1, 1, 1, 1]}, {"n": "frequency"}, "add up to 10,000,005 rows"),
    ],
)
def test_what_is_no_frequency_is_refused_with_its_place(columns, roles, message):
    roles = {"w": "ignore", "n": "ignore"} | roles
    with pytest.raises(DataError, match=message):
        lincore.load(FLOWERS.assign(**columns), target="kind", roles=roles)


def test_a_digest_knows_frequencies():
    data = lincore.sample("iris")
    assert with_row_weights(data, frequencies=np.ones(150)).digest != data.digest


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=24, max_size=24),
    st.integers(0, 9),
    st.sampled_from(["holdout", "last", "3-fold", "2x4-fold", "leave-one-out"]),
)
def test_copies_of_a_line_are_never_divided(frequencies, seed, scheme):
    rng = np.random.default_rng(seed)
    source = (rng.normal(size=(24, 2)), np.arange(24) % 2)
    data = lincore.load(source, frequencies=frequencies)
    for fold in plan_folds(data, scheme, seed):
        assert not np.isin(data.lines[fold.test], data.lines[fold.train]).any()
    for how in ("stratified", "last"):
        split = lincore.split(data, how, seed=seed)
        assert not np.isin(data.lines[split.test], data.lines[split.train]).any()


def test_scores_of_a_file_count_its_rows_by_the_columns_of_training():
    frame = lincore.sample("iris").to_frame()
    rng = np.random.default_rng(0)
    frame = frame.assign(w=rng.gamma(1.0, size=150), n=rng.integers(0, 3, 150))
    data = lincore.load(frame, weights="w", frequencies="n")
    model = lincore.compare(data, "lda", keep_models=True).model("lda")
    again = lincore.export.load_model(lincore.export.save_model(model)).model
    found = predict(again, frame)
    assert not found.match.additional and len(found) == 150
    often = np.repeat(np.arange(150), frame["n"])
    weights = frame["w"].to_numpy()[often]
    scores = found.scores()
    right = found.labels[often] == frame[data.target_name].to_numpy()[often]
    wanted = np.average(right, weights=weights)
    assert lincore.metrics.score(scores, "LDA", "accuracy").value == pytest.approx(wanted)
    note = lincore.prediction.counting_note(found)
    assert (
        "as often as 'n' says and by their weights in 'w'" in note and f"{len(often)} rows" in note
    )
    # As if the copies stood in the file.
    copies = predict(again, frame.iloc[often].drop(columns="n"))
    ends = [lincore.metrics.score(one, "LDA", "accuracy") for one in (copies.scores(), scores)]
    assert ends[0] == ends[1]
    priors = [one.with_priors("estimate").estimate for one in (copies, found)]
    np.testing.assert_allclose(priors[0].priors, priors[1].priors, atol=1e-12)
    assert priors[0].p_value == pytest.approx(priors[1].p_value)
    # What cannot be used is told, and stops no prediction.
    odd = predict(
        again, frame.assign(w=np.where(np.arange(150) == 3, np.nan, 1.0)).drop(columns="n")
    )
    assert odd.new.weights is None and not lincore.prediction.counting_note(odd)
    assert "data row 4: The weight is missing. It is not used" in str(odd.new.findings[0])
    plain = predict(again, frame.drop(columns=["w", "n"]))
    assert plain.scores().settings.row_weights is None
