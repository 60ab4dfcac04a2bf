"""Contributions of the features of a row against Shapley values by their definition."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest

import lincore
from lincore.inspection import complete_row, contributions
from lincore.model_selection import Steps


def shapley(score, row, background):
    """Return the Shapley values: features outside a coalition are those of the background."""
    p = len(row)

    def worth(coalition):
        mixed = background.copy()
        mixed[:, coalition] = row[coalition]
        return score(mixed).mean()

    worths = {
        places: worth(list(places)) for size in range(p + 1)
        for places in combinations(range(p), size)
    }  # fmt: skip
    return np.array([
        sum(
            factorial(len(s)) * factorial(p - len(s) - 1) / factorial(p)
            * (worths[tuple(sorted({*s, j}))] - value)
            for s, value in worths.items() if j not in s
        )
        for j in range(p)
    ])  # fmt: skip


def margin(model, first, second):
    """Return the score of one class over another as a function of rows."""

    def score(X):
        found = model.pipeline.decision_function(X)
        if found.ndim == 1:
            return found if first == 1 else -found
        return found[:, first] - found[:, second]

    return score


@pytest.mark.parametrize("name", ["iris", "passengers"])
@pytest.mark.parametrize("method", ["lda", "logistic", "fisher", "least-squares"])
def test_contributions_are_shapley_values(name, method):
    data = lincore.sample(name)
    model = lincore.fit(data, method)
    train = model.split.train
    row = complete_row(data, train, int(model.split.test[0]))
    found = contributions(model.pipeline, data, train, row)
    score = margin(model, found.first, found.second)
    expected = shapley(score, row, np.asarray(data.X[train], dtype=float))
    np.testing.assert_allclose(found.values, expected, rtol=1e-9, atol=1e-10)
    assert found.base == pytest.approx(score(data.X[train]).mean(), abs=1e-9)
    assert found.score == pytest.approx(float(score(row[None])[0]), abs=1e-9)


@pytest.mark.parametrize("method", ["lda", "logistic", "diagonal-lda"])
def test_log_odds_are_those_of_the_posteriors(method):
    iris = lincore.sample("iris")
    model = lincore.fit(iris, method, steps=Steps(n_components=3))
    train, row = model.split.train, iris.X[int(model.split.test[1])]
    log_posterior = model.pipeline.predict_log_proba(row[None])[0]
    first = int(log_posterior.argmax())
    for against in {0, 1, 2} - {first}:
        found = contributions(model.pipeline, iris, train, row, against)
        assert (found.first, found.second, found.are_log_odds) == (first, against, True)
        assert found.score == pytest.approx(log_posterior[first] - log_posterior[against])
        assert found.base + found.values.sum() == pytest.approx(found.score)


def test_the_next_class_is_the_one_with_the_next_highest_posterior():
    iris = lincore.sample("iris")
    model = lincore.fit(iris, "lda")
    row = iris.X[int(model.split.test[0])]
    order = np.argsort(-model.pipeline.predict_proba(row[None])[0])
    found = contributions(model.pipeline, iris, model.split.train, row)
    assert [found.first, found.second] == order[:2].tolist()


def test_words_count_also_where_they_are_absent():
    lines = [
        f"{what} {thing} number {i},{what == 'good'}"
        for i in range(30) for what in ("good", "bad") for thing in ("film", "book")
    ]  # fmt: skip
    data = lincore.load(
        "\n".join(["text,liked", *lines]).encode(), name="words.csv", target="liked"
    )
    model = lincore.fit(data, "multinomial-nb")
    row = np.asarray(data.X[[int(model.split.test[0])]].todense(), dtype=float).ravel()
    found = contributions(model.pipeline, data, model.split.train, row)
    absent = data.feature_names.index("bad" if row[data.feature_names.index("good")] else "good")
    assert found.values[absent] > 0


def test_a_value_that_was_missing_is_said_to_be_filled_in():
    data = lincore.sample("passengers")
    model = lincore.fit(data, "lda")
    age = data.feature_names.index("age")
    row = next(int(i) for i in model.split.test if np.isnan(data.X[i, age]))
    shown = model.contributions(row=row).frame().set_index("feature").value
    assert shown["age"].endswith("(filled in)")
    moved = model.contributions(row=row, moved=(age, 30)).frame().set_index("feature").value
    assert moved["age"] == "30"


@pytest.mark.parametrize(
    ("method", "steps", "message"),
    [
        ("qda", Steps(), "not linear"),
        ("one-vs-rest", Steps(), "binary models"),
        ("lda", Steps(basis="polynomial(degree=2)"), "act together"),
    ],
)
def test_where_no_feature_has_a_contribution_the_display_says_why(method, steps, message):
    model = lincore.fit(lincore.sample("iris"), method, steps=steps)
    shown = model.contributions()
    assert message in shown.finding() and shown.plot() is None and shown.frame().empty


def test_the_display_names_row_classes_and_the_largest_contribution():
    iris = lincore.sample("iris")
    model = lincore.fit(iris, "lda")
    row = int(model.split.test[0])
    shown = model.contributions(row=row, moved=(2, 6.0))
    lines = shown.frame()
    largest = lines.iloc[lines.contribution.abs().argmax()]
    assert f"{largest.feature} = {largest.value}" in shown.finding().replace("\u00a0", " ")
    assert lines.set_index("feature").value["petal length (cm)"] == "6"
    assert f"Row {row}" in shown.scope() and "log odds" in shown.scope()
    bars = shown.plot().data[0]
    ends = np.asarray(bars.base) + np.asarray(bars.x)
    np.testing.assert_allclose(ends[1:-2], np.asarray(bars.base)[2:-1], atol=1e-5)
    assert ends[-2] == pytest.approx(ends[-1], abs=1e-4)
