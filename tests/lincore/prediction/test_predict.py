"""Predictions of new rows: the pipeline's own, matched by name, with distances and priors."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy import stats
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

import lincore
from lincore import DataError
from lincore.io import read_table
from lincore.limits import LIMITS
from lincore.linalg import ClassDistances, Gaussians, Whitener
from lincore.prediction import Reading, predict

#: A table of so many bytes is read in blocks.
SMALL = replace(LIMITS, max_table_bytes=1_000)


@pytest.fixture(scope="module")
def passengers():
    return lincore.sample("passengers")


@pytest.fixture(scope="module")
def models(passengers):
    return lincore.compare(passengers, ["lda", "qda", "logistic", "perceptron"], keep_models=True)


@pytest.fixture(scope="module")
def frame(passengers):
    return passengers.to_frame()


@pytest.mark.parametrize("name", ["lda", "qda", "logistic", "perceptron"])
def test_predictions_are_those_of_the_pipeline(models, passengers, frame, name):
    model = models.model(name)
    found = predict(
        model, frame.sample(frac=1, axis=1, random_state=0), reading=Reading("again.csv")
    )
    np.testing.assert_array_equal(found.codes, model.pipeline.predict(passengers.X))
    assert found.match.reordered and not found.match.missing and not found.match.unseen
    if found.has_posteriors:
        np.testing.assert_allclose(
            found.posteriors, model.pipeline.predict_proba(passengers.X), atol=1e-12
        )


def test_blocks_change_nothing(models, frame, monkeypatch):
    whole = predict(models.model("lda"), frame)
    monkeypatch.setattr("lincore.prediction.predict_rows._BLOCK_VALUES", 1)
    monkeypatch.setattr("lincore.prediction.predict_rows._LEAST_ROWS", 7)
    steps = []
    parts = predict(
        models.model("lda"), frame, progress=lambda done, total, what: steps.append((done, total))
    )
    np.testing.assert_allclose(parts.posteriors, whole.posteriors, rtol=1e-12)
    np.testing.assert_allclose(parts.distance, whole.distance, rtol=1e-9)
    assert steps[-1] == (len(frame), len(frame)) and len(steps) > 10
    with pytest.raises(DataError, match="stopped"):
        predict(models.model("lda"), frame, progress=lambda *_: False)


def test_what_does_not_match_is_named_and_counted(models, frame):
    new = frame.drop(columns="survived").astype({"port": str})
    new.loc[:2, "port"] = "Cork"
    new.loc[3, "fare"] = np.nan
    new = new.rename(columns={"age": " Age"}).assign(cabin=1)
    match = predict(models.model("lda"), new).match
    assert match.unseen["port"]["Cork"] == 3
    assert match.spelled == {"age": " Age"} and match.additional == ("cabin",)
    assert match.gaps["fare"] == 1
    said = " ".join(str(notice) for notice in match.notices)
    assert "'Cork'" in said and "3 rows" in said and "'cabin'" in said


def test_a_missing_column_is_an_error_or_counts_as_missing(models, frame):
    without = frame.drop(columns=["fare", "deck"])
    with pytest.raises(DataError, match="'fare' and 'deck'"):
        predict(models.model("lda"), without)
    found = predict(models.model("lda"), without, reading=Reading(fill_missing=True))
    assert found.match.missing == ("fare", "deck")
    gaps = predict(models.model("lda"), frame.assign(fare=np.nan, deck=None))
    np.testing.assert_array_equal(found.codes, gaps.codes)


def test_text_among_numbers_and_infinities_are_refused(models, frame):
    with pytest.raises(DataError, match="'old' is not a number"):
        predict(models.model("lda"), frame.astype({"age": object}).assign(age="old"))
    with pytest.raises(DataError, match="infinite"):
        predict(models.model("lda"), frame.assign(fare=np.inf))


def test_gaps_are_filled_by_medians_where_training_had_none():
    wine = lincore.sample("wine")
    model = lincore.compare(wine, "lda", keep_models=True).model("lda")
    new = wine.to_frame().iloc[:3, :-1].copy()
    filled = new.copy()
    new.iloc[1, 0] = np.nan
    filled.iloc[1, 0] = np.median(wine.X[:, 0])
    found = predict(model, new)
    np.testing.assert_array_equal(found.posteriors, predict(model, filled).posteriors)
    assert found.match.gaps == {wine.feature_names[0]: 1}


@pytest.mark.parametrize("name", ["lda", "qda", "logistic"])
def test_distances_are_mahalanobis_distances_from_the_nearest_class(name):
    data = lincore.sample("iris")
    found = predict(lincore.compare(data, name, keep_models=True).model(name), data)
    means = np.array([data.X[data.codes == k].mean(axis=0) for k in range(3)])
    centred = data.X - means[data.codes]
    pooled = centred.T @ centred / (len(data) if name == "lda" else len(data) - 3)
    expected = np.empty((len(data), 3))
    for k, mean in enumerate(means):
        own = data.X[data.codes == k] - mean
        covariance = own.T @ own / len(own) if name == "qda" else pooled
        inverse = np.linalg.inv(covariance)
        expected[:, k] = np.einsum("ij,jk,ik->i", data.X - mean, inverse, data.X - mean)
    np.testing.assert_allclose(found.distance, np.sqrt(expected.min(axis=1)), rtol=1e-8)
    np.testing.assert_array_equal(found.nearest, expected.argmin(axis=1))


@pytest.mark.parametrize("name", ["lda", "qda", "logistic"])
@pytest.mark.parametrize("level", [0.05, 0.2])
def test_limits_are_those_of_hotellings_prediction_region(name, level):
    data = lincore.sample("iris").take(slice(10, None))
    found = predict(lincore.compare(data, name, keep_models=True).model(name), data)
    n, p = data.counts, 4
    degrees = n - 1 if name == "qda" else np.full(3, n.sum() - 3)
    # LDA and QDA divide scatters by the rows.
    unbiased = {"lda": n.sum() / (n.sum() - 3), "qda": n / (n - 1), "logistic": 1.0}[name]
    quantile = stats.f.isf(level, p, degrees - p + 1)
    expected = (1 + 1 / n) * p * degrees / (degrees - p + 1) * quantile * unbiased
    np.testing.assert_allclose(found.distances.limits(level), expected, rtol=1e-12)
    beyond = (found.evaluated.squared_distances > expected).all(axis=1)
    assert beyond.any() and not (found.at_level(level).far & ~beyond).any()


@pytest.mark.long
@pytest.mark.parametrize("name", ["lda", "qda", "logistic"])
@pytest.mark.parametrize("level", [0.05, 0.2])
def test_of_normal_classes_as_many_rows_are_far_as_the_level_says(name, level):
    rng = np.random.default_rng(3)
    codes, shift = np.repeat([0, 1], 30), np.full(5, 1e3)
    shares = []
    for _ in range(60):
        X = rng.normal(size=(60, 5)) + codes[:, None] * shift
        model = lincore.compare(lincore.load((X, codes)), name, keep_models=True).model(name)
        new = rng.normal(size=(2_000, 5))
        found = predict(model, new)
        shares.append(
            (found.distances.limits(level)[0] < found.evaluated.squared_distances[:, 0]).mean()
        )
    assert np.mean(shares) == pytest.approx(level, abs=3 * np.std(shares) / np.sqrt(60) + 0.005)


def test_rows_far_away_are_far_and_training_rows_are_not(models, passengers, frame):
    for name in ("lda", "qda", "logistic"):
        found = predict(models.model(name), frame)
        assert found.far.mean() <= 0.01
        assert predict(models.model(name), frame.assign(fare=1e5)).far.all()
        assert (found.at_level(0.1).far | ~found.far).all()


def test_priors_in_deployment_reweight_the_posteriors(models, frame):
    model = models.model("lda")
    found = predict(model, frame)
    odds = found.posteriors[:, 1] / found.posteriors[:, 0]
    learned = model.priors
    equal = found.with_priors("equal")
    np.testing.assert_allclose(
        equal.posteriors[:, 1] / equal.posteriors[:, 0], odds * learned[0] / learned[1], rtol=1e-9
    )
    np.testing.assert_array_equal(equal.codes, equal.posteriors.argmax(axis=1))
    assert equal.with_priors(None).counts.tolist() == found.counts.tolist()
    for wrong in ([0.5, 0.6], [1.0], "even", [np.nan, 1]):
        with pytest.raises(DataError, match="probabilities with sum 1"):
            found.with_priors(wrong)
    with pytest.raises(DataError, match="no posteriors"):
        predict(models.model("perceptron"), frame, priors="equal")


def fixed(model, passengers, threshold: float) -> np.ndarray:
    """Return scikit-learn's predictions at a threshold for 'yes', the rarer class."""
    rule = FixedThresholdClassifier(
        FrozenEstimator(model.pipeline), threshold=threshold, pos_label=1
    )
    return rule.fit(passengers.X, passengers.y).predict(passengers.X)


@pytest.mark.parametrize("name", ["lda", "qda", "logistic"])
@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.3, 0.5, 0.8, 1.0])
def test_a_threshold_is_that_of_scikit_learn(models, passengers, frame, name, threshold):
    model = models.model(name)
    plain = predict(model, frame)
    found = plain.with_threshold(threshold)
    np.testing.assert_array_equal(found.codes, fixed(model, passengers, threshold))
    assert found.evaluated is plain.evaluated and found.digest != plain.digest
    np.testing.assert_array_equal(found.results().predicted[0], found.codes)
    np.testing.assert_array_equal(found.with_threshold(None).codes, plain.codes)
    assert found.scores().notes()[-1].endswith("they are optimistic.")
    assert not any("too good" in note for note in plain.scores().notes())
    nearest = found.posteriors[found.ranked("uncertain")[:20], 1]
    assert (np.diff(np.abs(nearest - threshold)) >= 0).all()


def test_a_threshold_applies_to_the_corrected_posteriors(models, passengers, frame):
    model = models.model("lda")
    priors, threshold = np.array([0.4, 0.6]), 0.7
    found = predict(model, frame).with_threshold(threshold).with_priors(priors)
    # The same rule on the posteriors of training: the odds divided by the change of the priors.
    change = (priors[1] / priors[0]) / (model.priors[1] / model.priors[0])
    odds = threshold / (1 - threshold) / change
    np.testing.assert_array_equal(found.codes, fixed(model, passengers, odds / (1 + odds)))
    assert found.by_class().finding().startswith("900 rows predicted (threshold for 'yes': 70 %): ")


def test_a_threshold_needs_two_classes_with_posteriors(models, frame):
    found = predict(models.model("lda"), frame)
    for wrong in (-0.1, 1.1, np.nan):
        with pytest.raises(DataError, match="The threshold is"):
            found.with_threshold(wrong)
    with pytest.raises(DataError, match="no posteriors"):
        predict(models.model("perceptron"), frame).with_threshold(0.3)
    iris = lincore.sample("iris")
    model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    with pytest.raises(DataError, match="3 classes"):
        predict(model, iris).with_threshold(0.3)


def test_priors_are_estimated_from_the_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2)) + np.repeat([0, 2], 300)[:, None]
    model = lincore.compare(
        lincore.load((X, np.repeat(["a", "b"], 300))), "lda", keep_models=True
    ).model("lda")
    codes = (rng.random(4_000) < 0.1).astype(int)
    new = rng.normal(size=(4_000, 2)) + 2 * codes[:, None]
    found = predict(model, new, priors="estimate")
    assert found.priors[1] == pytest.approx(0.1, abs=0.02)
    assert found.estimate.p_value < 1e-6
    assert (found.codes == codes).mean() > (predict(model, new).codes == codes).mean()


def test_unchanged_priors_are_rarely_called_changed_by_a_model_of_few_rows():
    rng, alarms = np.random.default_rng(0), []
    for _ in range(100):
        codes = (rng.random(360) < 0.3).astype(int)
        X = rng.normal(size=(360, 2)) + 1.5 * codes[:, None]
        model = lincore.fit(lincore.load((X[:60], codes[:60])), "lda")
        found = predict(model.fitted_model, X[60:], priors="estimate")
        alarms.append(found.estimate.p_value < 0.05)
    assert np.mean(alarms) < 0.1  # 0.4 if the shares of the training rows counted as known


def test_scores_of_a_file_with_labels_are_those_of_the_library(passengers):
    split = lincore.split(passengers)
    model = lincore.fit(passengers, "lda", split)
    fitted, results = model.pipeline, model.results
    model = lincore.model_selection.FittedModel.of(passengers, fitted, "LDA", split.train)
    found = predict(model, passengers.take(split.test))
    scores = found.results()
    for name in ("accuracy", "balanced accuracy", "log loss", "AUC"):
        one, other = (lincore.metrics.score(r, "LDA", name) for r in (scores, results))
        assert one.value == pytest.approx(other.value, abs=1e-12)
    assert lincore.metrics.confusion_matrix(scores, "LDA").sum() == len(split.test)
    assert scores.scores().table()["model"].tolist() == ["LDA"]


def test_labels_that_are_missing_or_unknown_are_left_out_of_the_scores(models, frame):
    new = frame.astype({"survived": object}).copy()
    new.loc[:9, "survived"] = None
    new.loc[10:12, "survived"] = "perhaps"
    found = predict(models.model("lda"), new)
    assert found.new.unknown_labels == {"perhaps": 3}
    assert len(found.results().truth) == len(frame) - 13
    with pytest.raises(DataError, match="no column 'survived'"):
        predict(models.model("lda"), frame.drop(columns="survived")).results()
    with pytest.raises(DataError, match="'perhaps' are not classes"):
        predict(models.model("lda"), frame.assign(survived="perhaps")).results()


def test_files_hold_the_own_columns_and_the_predictions(models, frame):
    new = frame.assign(note="=HYPERLINK(1)", distance=1.0)
    found = predict(models.model("lda"), new)
    read = pd.read_csv(io.BytesIO(found.to_csv()))
    assert read["note"].unique().tolist() == ["'=HYPERLINK(1)"]
    assert list(read.columns[: new.shape[1]]) == list(new.columns)
    assert "distance (2)" in read.columns
    np.testing.assert_allclose(read["P(yes)"], found.posteriors[:, 1], rtol=1e-12)
    packed = pd.read_parquet(io.BytesIO(found.to_parquet()))
    assert packed["note"].iloc[0] == "=HYPERLINK(1)"
    assert packed["predicted survived"].astype(str).tolist() == found.labels.tolist()


def test_a_file_of_text_is_read_as_any_other(models, frame):
    text = frame.to_csv(index=False, sep=";", decimal=",").encode()
    found = predict(models.model("lda"), text, reading=Reading("german.csv"))
    np.testing.assert_array_equal(found.codes, predict(models.model("lda"), frame).codes)
    for wrong in (b"", b"%PDF-1.7", b"\x00\x01"):
        with pytest.raises(DataError):
            predict(models.model("lda"), wrong, reading=Reading("wrong.csv"))


def test_a_file_read_in_blocks_is_predicted_as_a_whole():
    iris = lincore.sample("iris")
    model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    raw = iris.to_frame().to_csv(index=False).encode()
    table = read_table(raw, "iris.csv", limits=SMALL)
    found = predict(model, table)
    np.testing.assert_array_equal(found.codes, predict(model, iris).codes)
    assert found.results().truth.tolist() == iris.codes.tolist()


@pytest.mark.parametrize("in_blocks", [False, True])
def test_lines_that_do_not_fit_cost_no_other_and_are_told(in_blocks):
    iris = lincore.sample("iris")
    model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    lines = iris.to_frame().to_csv(index=False).splitlines()
    lines[101:101] = ["9,9,9,9,setosa,9,9", "8,8,8,8,setosa,8,8"]
    raw = "\n".join([*lines, ""]).encode()
    rows = raw
    if in_blocks:
        rows = read_table(raw, "iris.csv", limits=SMALL)
    found = predict(model, rows, reading=Reading("iris.csv"))
    np.testing.assert_array_equal(found.codes, predict(model, iris).codes)
    assert [one.code for one in found.new.findings] == ["LIN021"]
    assert found.new.has_lost_rows


def test_images_come_to_the_size_of_the_training_images():
    digits = lincore.sample("digits")
    model = lincore.compare(
        digits, "lda", steps=lincore.Steps(n_components=20), keep_models=True
    ).model("lda")
    zipped = lincore.io.write_image_zip(digits.take(slice(0, 40)))
    found = predict(model, zipped, reading=Reading("new.zip"))
    assert len(found) == 40 and found.new.n_resized == 0
    assert found.results().truth.shape == (40,)
    np.testing.assert_array_equal(
        np.bincount(found.codes, minlength=10),
        np.bincount(predict(model, digits.X[:40]).codes, minlength=10),
    )
    Image.new("RGB", (30, 40), (9, 9, 9)).save(buffer := io.BytesIO(), "PNG")
    one = predict(model, [("photo.png", buffer.getvalue()), ("readme.txt", b"text")])
    assert one.new.n_resized == 1 and one.new.skipped[0].name == "readme.txt"
    assert one.new.frame["file"].tolist() == ["photo.png"]
    with pytest.raises(DataError, match="fitted on images"):
        predict(model, b"a,b\n1,2\n", reading=Reading("table.csv"))
    with pytest.raises(DataError, match="No image"):
        predict(model, [("readme.txt", b"text")])


def test_texts_are_counted_by_the_words_of_training():
    rng = np.random.default_rng(0)
    words = {"ham": ["meeting", "report", "monday"], "spam": ["offer", "winner", "cash"]}
    lines = [
        {"text": " ".join(rng.choice(words[kind], 6)) + f" of {i}", "size": float(i), "kind": kind}
        for i, kind in enumerate(["ham", "spam"] * 30)
    ]
    data = lincore.load(pd.DataFrame(lines), target="kind", roles={"text": "text"})
    assert data.text_columns == ("text",)
    for name in ("multinomial-nb", "logistic"):
        model = lincore.compare(data, name, keep_models=True).model(name)
        new = pd.DataFrame(
            {"size": [1.0, 2.0], "text": ["Winner of cash unheard", "monday report meeting"]}
        )
        assert predict(model, new).labels.tolist() == ["spam", "ham"]
        np.testing.assert_array_equal(
            predict(model, data).codes, predict(model, pd.DataFrame(lines)).codes
        )


def test_spellings_of_yes_are_taken_together_as_in_training():
    frame = pd.DataFrame(
        {"x": np.arange(40.0), "smokes": ["yes", "no"] * 20, "y": ["a"] * 20 + ["b"] * 20}
    )
    model = lincore.compare(lincore.load(frame, target="y"), "lda", keep_models=True).model("lda")
    found = predict(model, frame.assign(smokes=["YES", "No"] * 20))
    assert not found.match.unseen
    np.testing.assert_array_equal(found.codes, predict(model, frame).codes)


def test_the_region_of_many_rows_is_that_of_chi_square():
    X = np.random.default_rng(0).normal(size=(100_000, 3))
    data = lincore.load((X, np.repeat(["a", "b"], 50_000)))
    model = lincore.compare(data, "lda", keep_models=True).model("lda")
    limits = predict(model, data.X[:5]).distances.limits(0.01)
    np.testing.assert_allclose(limits, stats.chi2.isf(0.01, 3), rtol=2e-3)


@pytest.mark.long
@pytest.mark.parametrize("name", ["iris", "passengers"])
def test_about_as_many_test_rows_are_far_as_the_level_says(name):
    data, shares = lincore.sample(name), []
    for seed in range(5):
        split = lincore.split(data, seed=seed)
        fitted = lincore.fit(data, "lda", split).pipeline
        model = lincore.model_selection.FittedModel.of(data, fitted, "LDA", split.train)
        found = predict(model, data.take(split.test)).at_level(0.05)
        shares.append(found.far.mean())
    assert np.mean(shares) == pytest.approx(0.05, abs=0.025)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("by_rows", [False, True])
def test_distances_of_left_out_rows_are_those_of_another_estimate(own, by_rows):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], [9, 12, 15])
    X = rng.normal(size=(36, 3)) @ rng.normal(size=(3, 3)) + codes[:, None]

    def classes(rows, labels):
        groups = [rows[labels == k] for k in range(3)]
        n = np.array([len(group) for group in groups], dtype=float)
        scatters = [(g - g.mean(axis=0)).T @ (g - g.mean(axis=0)) for g in groups]
        if own:
            divisors = n if by_rows else n - 1
            whiteners = tuple(
                Whitener.from_covariance(s / d) for s, d in zip(scatters, divisors, strict=True)
            )
        else:
            divisor = n.sum() if by_rows else n.sum() - 3
            whiteners = (Whitener.from_covariance(sum(scatters) / divisor),) * 3
        means = np.array([group.mean(axis=0) for group in groups])
        return ClassDistances.of(Gaussians(means, whiteners), np.arange(3), n, by_rows=by_rows)

    found = classes(X, codes).squared_left_out(X, codes)
    for i in range(len(X)):
        others = np.arange(len(X)) != i
        expected = classes(X[others], codes[others]).squared(X[[i]])[0]
        np.testing.assert_allclose(found[i], expected, rtol=1e-8)
