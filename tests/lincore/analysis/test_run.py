"""Answers of a specification: those of the library's own calls."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import DataError, io
from lincore.analysis import (
    Analysis,
    BalanceCostQuestion,
    BalanceStudyQuestion,
    ClassifyQuestion,
    ClassShare,
    CompareQuestion,
    DataQuestion,
    ExploreQuestion,
    FileData,
    GeneratedData,
    SampleData,
    SplitChoice,
)
from lincore.model_selection import Steps

ASKED = Analysis(
    SampleData("gaussian"),
    SplitChoice("stratified", 0.4, 7),
    Steps(True),
    {"logistic": {"C": 0.001}},
)


def test_classify_is_a_fit():
    data = ASKED.load()
    found = ASKED.ask(ClassifyQuestion("logistic")).run(data).results
    split = lincore.split(data, test_size=0.4, seed=7)
    wanted = lincore.fit(data, "logistic(C=0.001)", split, steps=Steps(True)).results
    np.testing.assert_array_equal(found.rows, wanted.rows)
    np.testing.assert_allclose(found.log_proba, wanted.log_proba, atol=1e-9)


def test_compare_has_the_options_of_the_experiment_and_second_entries():
    question = CompareQuestion(("logistic", "lda"), {"lda": {"priors": "equal"}})
    found = ASKED.ask(question).run(ASKED.load())
    assert found.methods == ("logistic(C=0.001)", "lda", "lda(priors=equal)")
    assert len(found.rows) == round(0.4 * 525)
    folds = ASKED.ask(CompareQuestion(("lda",), scheme="5-fold")).run(ASKED.load())
    assert len(folds.rows) == 525


def test_studies_are_those_of_the_library():
    data = ASKED.load()
    cost = ASKED.ask(BalanceCostQuestion(("lda",), miss_cost=5, repeats=2)).run(data)
    wanted = lincore.imbalance_cost(
        data,
        "lda",
        costs=np.array([[0, 1, 1], [1, 0, 1], [5, 5, 0]]),
        steps=Steps(True),
        test_size=0.4,
        seed=7,
        repeats=2,
    )
    assert cost.attribution("lda").prior_shift == wanted.attribution("lda").prior_shift
    study = ASKED.ask(BalanceStudyQuestion({"class 1": 30}, ("lda",), 2)).run(data)
    assert study.counts["reduced"].tolist() == [30, 90, 45]


@pytest.mark.parametrize("question", [DataQuestion(), ExploreQuestion()])
def test_pages_that_fit_nothing_are_about_the_data(question):
    data = ASKED.load()
    assert ASKED.ask(question).run(data) is data


@pytest.mark.parametrize("question", [CompareQuestion(()), BalanceStudyQuestion(methods=())])
def test_no_method_is_refused(question):
    with pytest.raises(DataError, match=r"question\.methods"):
        ASKED.ask(question).run(ASKED.load())


def test_a_basis_too_large_for_the_data_is_refused():
    asked = Analysis(SampleData("faces"), steps=Steps(basis="polynomial(degree=5)"))
    with pytest.raises(DataError, match="too many functions"):
        asked.run(asked.load())


@pytest.mark.parametrize("name", io.SAMPLES)
def test_samples_are_those_of_the_library(name):
    assert SampleData(name).load().digest == lincore.sample(name).digest


def test_columns_of_samples_can_be_used_otherwise():
    wine = SampleData("wine", "alcohol", table=io.TableOptions(bins=3)).load()
    assert wine.target_name == "alcohol" and wine.n_classes == 3
    few = SampleData("passengers", table=io.TableOptions(roles={"sex": "ignore"})).load()
    assert not any("sex" in feature for feature in few.feature_names)
    with pytest.raises(DataError, match="no columns"):
        SampleData("digits", "pixel").load()


def test_files_of_all_kinds_are_read_as_by_load(tmp_path):
    raw = _frame().to_csv(index=False).encode()
    path = tmp_path / "t.csv"
    path.write_bytes(raw)
    by_bytes, by_path = (FileData("t.csv", target="kind").load(file) for file in (raw, path))
    assert by_bytes.digest == by_path.digest == lincore.load(path, target="kind").digest
    digits = lincore.sample("digits")
    images = FileData("digits.zip", images=io.ImageOptions((4, 4))).load(io.write_image_zip(digits))
    assert images.image_shape == (4, 4)


def _frame() -> pd.DataFrame:
    return pd.DataFrame({"length": [1.5, 2.5, 3.5, 4.5] * 5, "kind": list("abab") * 5})


def test_splits_have_the_default_of_the_data():
    data = GeneratedData(sizes=90).load()
    assert SplitChoice().scheme(data) == "holdout"
    assert SplitChoice("last").scheme(data) == "last"
    np.testing.assert_array_equal(
        SplitChoice("last", 0.2).rows(data).test, lincore.split(data, "last", test_size=0.2).test
    )


def test_shares_and_costs_of_the_file_are_asked_as_equal_ones():
    data = lincore.sample("gaussian")
    equal = BalanceCostQuestion()
    shown = equal.asked(data)
    assert (shown.prevalence, shown.miss_cost) == ("file", 3.0)
    assert shown.resolved(data, data.counts) == equal
    other = BalanceCostQuestion(prevalence="file", miss_cost=5.0)
    assert other.asked(data) == other.resolved(data, data.counts) == other
    unfit = BalanceCostQuestion(prevalence=(0.5, 0.5), miss_cost=5.0)
    assert unfit.resolved(data, data.counts) == other


def test_sizes_are_resolved_to_rows_of_the_classes_that_there_are():
    data, counts = lincore.sample("gaussian"), [300, 150, 75]
    first, second, third = data.classes.tolist()
    asked = BalanceStudyQuestion({first: 0.5, second: 10**6, "nobody": 3})
    assert asked.resolved(data, counts).sizes == {first: 150}
    assert BalanceStudyQuestion().resolved(data, counts).sizes == {third: 25}
    assert asked.size_marks(data, counts, 0) == {
        "As in the file: 300": 300, "Equal shares: 112": 112
    }  # fmt: skip


def test_the_share_of_a_class_in_training_is_in_whole_per_cent():
    model = lincore.compare(lincore.sample("passengers"), "lda", keep_models=True).model("lda")
    assert model.priors[1] == pytest.approx(174 / 900)
    found = ClassShare.of_training(model, 1)
    assert (found.code, found.share, found.per_cent) == (1, 0.19, 19)
