"""The library without the dashboard: what data and results say of themselves, and new rows."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lincore

FRAME = pd.DataFrame(
    {
        "length": [1.0, 2.0, np.nan, 4.0, 5.5, 6.0, 7.0, 8.5] * 5,
        "port": ["S", "C", "S", None, "Q", "C", "S", "Q"] * 5,
        "kind": ["b", "b", "b", "a", "b", "a", "a", "a"] * 5,
    }
)


@pytest.fixture(scope="module")
def results():
    return lincore.compare(
        FRAME, ["naive-bayes", "lda"], "5-fold", target="kind", keep_models=True, seed=1
    )


def test_a_data_set_says_what_it_is():
    data = lincore.load(FRAME, target="kind", name="trips")
    assert len(data) == 40
    assert repr(data) == (
        "<Dataset 'trips': 40 rows of 2 features, with missing values; 2 classes by 'kind': "
        "a 20, b 20>"
    )
    assert "<table" in data._repr_html_() and "&#x27;trips" in data._repr_html_()
    back = data.to_frame()
    assert list(back.columns) == ["length", "port", "kind"]
    pd.testing.assert_frame_equal(back.astype(FRAME.dtypes), FRAME, check_dtype=False)
    described = data.describe()
    assert described.loc["length", ["missing", "distinct", "max"]].tolist() == [5, 7, 8.5]
    assert described.loc["port", ["kind", "missing", "most frequent"]].tolist() == [
        "category", 5, "S"
    ]  # fmt: skip


def test_words_images_and_repeated_names_have_frames():
    texts = ["good film", "bad film", "good book", "bad book"] * 5
    told = pd.DataFrame({"review": texts, "verdict": ["yes", "no"] * 10})
    words = lincore.load(told, target="verdict", roles={"review": "text"})
    assert words.to_frame()["good"].sum() == 10 and len(words.describe()) == words.n_features
    faces = lincore.sample("faces")
    assert faces.to_frame().shape == (360, 1025) and "<table" in faces._repr_html_()


class Exchanged:
    """A table that is known by the data frame interchange protocol alone."""

    def __init__(self, table):
        self.table = table

    def __dataframe__(self, **options):
        """Return what the protocol asks for."""
        return self.table.__dataframe__(**options)


@pytest.mark.parametrize("wrap", [pa.table, lambda given: Exchanged(pa.table(given))])
def test_tables_of_other_libraries_load(wrap):
    given = {"size": [1.5, None, 3.5], "sex": ["m", "f", "m"], "y": ["u", "v", "u"]}
    data = lincore.load(wrap(given), target="y")
    assert data.levels == (None, ("f", "m")) and np.isnan(data.X[1, 0])


def test_what_is_no_table_says_so():
    with pytest.raises(lincore.DataError, match="to_pandas"):
        lincore.load(pa.chunked_array([[1.0, 2.0]]))


class Silent:
    """A table whose library does not export it, and does not say why."""

    def __dataframe__(self, **options):
        """Refuse."""
        raise NotImplementedError


def test_a_table_that_cannot_be_exported_says_so():
    with pytest.raises(lincore.DataError, match="NotImplementedError.*to_pandas"):
        lincore.load(Silent(), target="y")


def test_results_say_what_they_are(results):
    assert len(results) == 2
    assert re.fullmatch(
        r"<Results of 2 methods on table, 5-fold, 40 rows of 2 classes; accuracy: .* 0\.\d{3}>",
        repr(results),
    )
    assert results.best in repr(results).split("accuracy: ")[1].split()[0]
    assert "<table" in results._repr_html_()
    described = results.describe()
    assert described.loc["lda", "label"] == "LDA" and "standardize" in described.loc["lda", "steps"]
    lines = results.to_frame()
    assert len(lines) == 2 * 40
    right = lines.groupby("method").apply(lambda part: (part.truth == part.predicted).mean())
    assert_allclose(right["lda"], lincore.metrics.score(results, "lda", "accuracy").value)
    assert_allclose(lines[["p(a)", "p(b)"]].sum(axis=1), 1)


def test_the_table_is_sorted_and_readable(results):
    lines = lincore.metrics.score_table(results)
    assert list(lines["method"].unique()) == ["naive-bayes", "lda"]
    for score, sign in (("accuracy", 1), ("log loss", -1)):
        read = results.scores(score=score).table()
        assert list(read.columns[:2]) == ["model", "group"] and score in read.columns[2]
        own = lines[lines["score"] == score].set_index("method")
        ordered = (sign * own["value"]).sort_values(ascending=False, kind="stable")
        assert list(read["model"]) == [results.settings.label(name) for name in ordered.index]
        value, low, high = own.loc[ordered.index[0], ["value", "low", "high"]]
        if score == "accuracy":
            assert read.iloc[0, 2] == f"{100 * value:.1f} ({100 * low:.1f}–{100 * high:.1f})"
        else:
            assert read.iloc[0, 2] == f"{value:.3f} ({low:.3f}–{high:.3f})"
    assert results.best == results.scores().frame()["method"].iloc[0]
    with pytest.raises(lincore.DataError, match="F2"):
        results.scores(score="F2")
    with pytest.raises(KeyError, match="F2"):
        lincore.metrics.score_table(results, ["F2"])


def test_pairs_and_groups_are_those_of_the_functions(results):
    ranked = lincore.metrics.rank_methods(results, "MCC")
    expected = [d.p for d in lincore.metrics.pairwise_differences(ranked, "MCC")]
    assert results.pairwise(score="MCC").frame()["p"].tolist() == expected
    assert results.groups("MCC") == lincore.metrics.groups(results, "MCC")
    iris = lincore.compare(lincore.sample("iris"), ["perceptron", "lda"]).scores().table()
    assert iris.set_index("model").loc["Perceptron", "log loss"] == "no posteriors"


def test_a_kept_model_predicts_raw_rows_by_name(results):
    model = results.model("lda")
    whole = lincore.load(FRAME, target="kind")
    found = model.predict(FRAME[["port", "kind", "length"]].set_index(FRAME.index + 7))
    assert found.name == "kind" and found.index[0] == 7
    assert_array_equal(found, model.predict(whole.X))
    assert_array_equal(found, model.predict(whole))
    proba = model.predict_proba(FRAME.astype({"length": str}).replace("nan", ""))
    assert list(proba.columns) == ["a", "b"]
    assert_allclose(proba, model.predict_proba(whole.X))
    assert model.column_names == ("length", "port = C", "port = Q", "port = S")
    # What no training row had is zero in every column of its category.
    odd = model.predict_proba(pd.DataFrame({"length": [3.0], "port": ["Z"]}))
    assert np.isfinite(odd.to_numpy()).all()


def test_rows_that_do_not_fit_a_model_are_refused(results):
    model = results.model("naive-bayes")
    with pytest.raises(lincore.DataError, match="'length'"):
        model.predict(FRAME[["port"]])
    with pytest.raises(lincore.DataError, match="'long' is not a number"):
        model.predict(pd.DataFrame({"length": ["long"], "port": ["S"]}))
    with pytest.raises(lincore.DataError, match="2 features"):
        model.predict(np.ones((3, 5)))
    plain = lincore.compare(lincore.sample("iris"), "lda")
    with pytest.raises(ValueError, match="keep_models=True"):
        plain.model("lda")
    with pytest.raises(KeyError, match="qda"):
        plain.model("qda")
    assert results.select("lda").model("lda") is results.model("lda")


@pytest.mark.parametrize("given", [np.ones((4, 2)), None, [[1.0], [2.0]], 3])
def test_compare_refuses_what_is_no_data_set(given):
    with pytest.raises(lincore.DataError, match=r"lincore\.load"):
        lincore.compare(given, "lda")
    with pytest.raises(lincore.DataError, match="already been chosen"):
        lincore.compare(lincore.sample("iris"), "lda", target="colour")


def heading(figure):
    return figure.layout.meta["title"]


def test_figures_of_results_draw_their_scores(results):
    accuracies = lincore.metrics.score_table(results, ["accuracy"]).set_index("method")["value"]
    shown = results.scores(score="accuracy")
    assert_allclose(shown.plot().data[0].x, accuracies[shown.frame()["method"].unique()], rtol=1e-6)
    assert heading(results.scores(score="log loss").plot()).startswith("Log loss")
    assert len(results.pairwise().plot().data[0].x) == 1
    assert len(results.times().plot().data) == 2
    curves = lincore.metrics.roc_curve(results, "lda")
    drawn = lincore.plots.roc([lincore.plots.Curve.from_roc(curve) for curve in curves])
    assert len(drawn.data) == 1 + 3 * 2  # line, point, and what is clicked, of a class
