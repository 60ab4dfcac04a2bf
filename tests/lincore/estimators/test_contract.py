"""What all estimators share: batches, fits that fail, odd input, priors, probabilities."""

from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from sklearn import linear_model, naive_bayes
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import get_scorer
from sklearn.svm import LinearSVC

import lincore
from lincore.preprocessing import HOG, RadialBasis, Standardizer, TrigonometricFeatures

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
NAMES = ["setosa", "versicolor", "virginica"]

BATCHED = [
    lincore.LinearDiscriminantAnalysis(),
    lincore.LinearDiscriminantAnalysis(shrinkage="oas", divisor="n-k", n_components=2),
    lincore.DiagonalLinearDiscriminantAnalysis(),
    lincore.QuadraticDiscriminantAnalysis(),
    lincore.GaussianNB(),
    lincore.FisherDiscriminant(),
    lincore.FisherDiscriminant("gaussian"),
    lincore.LeastSquaresClassifier(),
    lincore.LeastSquaresClassifier(targets="fisher"),
    lincore.MultinomialNB(),
]
WITH_PRIORS = [
    lincore.LinearDiscriminantAnalysis(),
    lincore.DiagonalLinearDiscriminantAnalysis(),
    lincore.QuadraticDiscriminantAnalysis(),
    lincore.GaussianNB(),
    lincore.FisherDiscriminant("gaussian"),
    lincore.MultinomialNB(),
]
CLASSIFIERS = [
    *BATCHED,
    lincore.FisherDiscriminant("minimum-error"),
    lincore.LogisticRegression(),
    lincore.Perceptron(random_state=0),
    lincore.OneVsRest(lincore.LinearDiscriminantAnalysis()),
    lincore.OneVsOne(lincore.LogisticRegression()),
    lincore.BayesClassifier(np.eye(3, 4), np.eye(4)),
]
TRANSFORMERS = [
    lincore.PCA(2),
    Standardizer(),
    RadialBasis(5),
    TrigonometricFeatures(),
    HOG((2, 2)),
]


# One row has no unbiased covariance.
ALONE = [model for model in BATCHED if getattr(model, "divisor", "n") != "n-k"]


@pytest.mark.parametrize(
    ("model", "rows"), [*((one, 1) for one in ALONE), *((one, 50) for one in BATCHED)], ids=str
)
def test_a_first_batch_may_hold_one_class(model, rows):
    batches = clone(model)
    batches.partial_fit(X[:rows], Y[:rows], classes=NAMES)
    assert (batches.predict(X) == "setosa").all()
    if hasattr(batches, "predict_proba"):
        assert batches.predict_proba(X[:2]).tolist() == [[1, 0, 0], [1, 0, 0]]
    batches.partial_fit(X[rows:], Y[rows:])
    at_once = clone(model).fit(X, Y)
    np.testing.assert_allclose(batches.decision_function(X), at_once.decision_function(X))


@pytest.mark.parametrize("model", BATCHED, ids=str)
def test_a_refused_batch_counts_nothing(model):
    model = clone(model)
    bad = X[:50].copy()
    bad[3, 1] = np.nan
    for rows, labels in (
        (bad, Y[:50]),
        (X[:50], np.full(50, "rose")),
        (np.full((50, 4), np.inf), Y[:50]),
    ):
        with np.errstate(all="ignore"), pytest.raises(ValueError):
            model.partial_fit(rows, labels, classes=NAMES)
    assert not hasattr(model, "classes_")
    with pytest.raises(ValueError, match="classes must be passed"):
        model.partial_fit(X, Y)
    model.partial_fit(X, Y, classes=NAMES)
    before = model.decision_function(X)
    for rows, labels in ((bad, Y[:50]), (X[:50, :3], Y[:50]), (X[:50], np.full(50, "rose"))):
        with pytest.raises(ValueError):
            model.partial_fit(rows, labels)
    with pytest.raises(ValueError, match="classes"):
        model.partial_fit(X, Y, classes=["setosa", "versicolor", "rose"])
    assert model.classes_.tolist() == NAMES
    np.testing.assert_array_equal(model.decision_function(X), before)
    model.partial_fit(X, Y, classes=NAMES[::-1])
    assert (model.predict(X) == clone(model).fit(X, Y).predict(X)).all()


@pytest.mark.parametrize("model", [*CLASSIFIERS, *TRANSFORMERS], ids=lambda m: type(m).__name__)
def test_a_fit_that_fails_leaves_the_estimator_as_it_was(model):
    model = clone(model)
    few = X[:3].astype(str).astype(object)
    few[1, 1] = "tall"
    refused = [
        (few, ["x", "y", "y"]),
        (np.full((4, 4), np.nan), list("xxyy")),
        (np.zeros((6, 7)), ["x", "y", "z"] * 2) if hasattr(model, "predict") else None,
        (X * 1e200, CODES),
    ]
    for fitted in (False, True):
        if fitted:
            model.fit(X, Y)
        before = dict(vars(model))
        for case in refused:
            if case is not None:
                with np.errstate(all="ignore"), suppress(ValueError, TypeError):
                    model.fit(*case)
                    # What a model accepts, it learns.
                    vars(model).clear()
                    vars(model).update(before)
            assert vars(model).keys() == before.keys()
            assert all(vars(model)[name] is value for name, value in before.items())


def test_labels_stay_with_their_coefficients_when_an_option_is_refused():
    model = lincore.OneVsRest(lincore.LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match="C must be positive"):
        model.set_params(estimator__C=-1).fit(X[:100], CODES[:100])
    assert model.classes_.tolist() == NAMES and len(model.estimators_) == 3
    lda = lincore.LinearDiscriminantAnalysis().fit(X, Y)
    with pytest.raises(ValueError, match="n_components"):
        lda.set_params(n_components=7).fit(X[:100], CODES[:100])
    assert lda.predict(X[:1]).tolist() == ["setosa"]


@pytest.mark.parametrize("value", ["1", [1.0], np.ones(4)], ids=["text", "list", "array"])
@pytest.mark.parametrize(
    ("model", "name"),
    [
        (lincore.MultinomialNB(), "alpha"),
        (lincore.LeastSquaresClassifier(), "alpha"),
        (lincore.GaussianNB(), "var_smoothing"),
        (lincore.QuadraticDiscriminantAnalysis(), "regularization"),
        (lincore.LinearDiscriminantAnalysis(), "shrinkage"),
        (lincore.Perceptron(), "eta"),
        (lincore.Perceptron(), "tol"),
        (lincore.LogisticRegression(), "C"),
        (lincore.LogisticRegression(), "l1_ratio"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_an_option_of_one_number_refuses_several(model, name, value):
    with pytest.raises(ValueError, match=f"^{name} must be .*, got "):
        clone(model).set_params(**{name: value}).fit(X, CODES)


@pytest.mark.parametrize("meta", [lincore.OneVsRest, lincore.OneVsOne])
def test_binary_models_are_classifiers(meta):
    for wrong in (linear_model.Ridge(), KMeans(2), lincore.PCA(), lincore.LogisticRegression, 3):
        with pytest.raises((TypeError, ValueError), match="classifier"):
            meta(wrong).fit(X, Y)
    with pytest.raises(ValueError, match="Ridge"):
        meta(linear_model.Ridge()).fit(X, Y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "meta",
    [
        lincore.OneVsRest(lincore.LogisticRegression()),
        lincore.OneVsRest(lincore.LogisticRegression(), models="k-1"),
        lincore.OneVsRest(linear_model.LogisticRegression()),
        lincore.OneVsOne(lincore.LinearDiscriminantAnalysis()),
        lincore.OneVsOne(naive_bayes.GaussianNB()),
    ],
    ids=str,
)
def test_binary_models_have_the_probabilities_of_their_parts(meta, n_classes):
    some = 3 - n_classes <= CODES
    model = clone(meta).fit(X[some], Y[some])
    proba = model.predict_proba(X[some])
    assert (proba >= 0).all() and proba.shape == (some.sum(), n_classes)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X[some])), proba)
    if isinstance(meta, lincore.OneVsRest):
        assert (model.classes_[proba.argmax(axis=1)] == model.predict(X[some])).all()
    if n_classes == 3:
        # One plane cannot cut the class in the middle from both others.
        assert get_scorer("roc_auc_ovr")(model, X, Y) > (0.85 if "k-1" in str(meta) else 0.98)
    else:
        part = model.estimators_[0].predict_proba(X[some])
        mine = proba if part[0, 1] > 0.5 and proba[0, 1] > 0.5 else proba[:, ::-1]
        np.testing.assert_allclose(np.sort(mine), np.sort(part), atol=1e-9)


def test_pairs_give_back_the_probabilities_they_were_made_from():
    class Pair(naive_bayes.GaussianNB):
        def predict_proba(self, rows):
            return np.column_stack([1 - rows[:, self.column], rows[:, self.column]])

    true = np.array([[0.7, 0.2, 0.1], [0.05, 0.05, 0.9], [0.0, 0.4, 0.6], [1.0, 0.0, 0.0]])
    first, second = np.triu_indices(3, k=1)
    with np.errstate(invalid="ignore"):
        pairs = np.nan_to_num(true[:, second] / (true[:, first] + true[:, second]), nan=0.5)
    model = lincore.OneVsOne(Pair()).fit(np.vstack([pairs] * 3), np.repeat(list("abc"), 4))
    for column, part in enumerate(model.estimators_):
        part.column = column
    np.testing.assert_allclose(model.predict_proba(pairs), true, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        lincore.Perceptron(),
        lincore.LeastSquaresClassifier(),
        lincore.FisherDiscriminant(),
        lincore.OneVsRest(lincore.Perceptron()),
        lincore.OneVsOne(LinearSVC()),
    ],
    ids=str,
)
@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("name", ["predict_proba", "predict_log_proba"])
def test_models_without_probabilities_say_so(model, fitted, name):
    model = clone(model)
    if fitted:
        separable = CODES < 2
        model.fit(X[separable], Y[separable])
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=rf"{name}.*probabilit"):
        getattr(model, name)


@pytest.mark.parametrize("model", WITH_PRIORS, ids=lambda m: type(m).__name__)
def test_priors_may_be_a_mapping(model):
    shares = {"virginica": 0.5, "setosa": 0.2, "versicolor": 0.3}
    by_label = clone(model).set_params(priors=shares).fit(X, Y)
    in_order = clone(model).set_params(priors=[0.2, 0.3, 0.5]).fit(X, Y)
    np.testing.assert_array_equal(by_label.priors_, in_order.priors_)
    np.testing.assert_array_equal(by_label.decision_function(X), in_order.decision_function(X))
    for wrong in (
        {"setosa": 0.5, "versicolor": 0.5},
        {"setosa": 0.2, "versicolor": 0.3, "virginica": 0.4, "rose": 0.1},
        {"setosa": "much", "versicolor": 0.3, "virginica": 0.5},
        {"setosa": 0.3, "versicolor": 0.3, "virginica": 0.5},
        ["a", "b", "c"],
        {0.2, 0.3, 0.5},
        0.5,
        object(),
        "even",
        [None, 0.5, 0.5],
        [np.nan, 0.5, 0.5],
        True,
    ):
        with pytest.raises(ValueError, match=r"priors.*'setosa'"):
            by_label.set_params(priors=wrong).fit(X, Y)


TEXT = pd.DataFrame(X, columns=["a", "b", "c", "d"])
ODD = {
    "text": np.where(CODES == 0, "low", "high"),
    "category": pd.Categorical(np.where(CODES == 0, "low", "high")),
    "dates": pd.date_range("2020", periods=150),
    "durations": pd.to_timedelta(np.arange(150), unit="D"),
    "periods": pd.period_range("2020", periods=150),
    "zoned": pd.date_range("2020", periods=150, tz="UTC"),
    "lists": [[1, 2]] * 150,
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("model", [*CLASSIFIERS, *TRANSFORMERS], ids=lambda m: type(m).__name__)
def test_a_column_without_numbers_is_named(model, kind):
    model = clone(model)
    odd = TEXT.assign(d=ODD[kind])
    with pytest.raises((ValueError, TypeError), match=r"[Cc]olumn 'd'.*(number|code)"):
        model.fit(odd, Y)
    with pytest.raises((ValueError, TypeError), match=r"[Cc]olumn 3.*(number|code)") as caught:
        model.fit(odd.to_numpy(dtype=object), Y)
    kinds = {"durations": "durations", "lists": "type list", "text": "text", "category": "text"}
    assert kinds.get(kind, "dates") in str(caught.value)
    model.fit(TEXT, Y)
    with pytest.raises((ValueError, TypeError), match=r"[Cc]olumn 'd'.*(number|code)"):
        (model.predict if hasattr(model, "predict") else model.transform)(odd)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)
def test_odd_labels_are_explained(model):
    model = clone(model)
    for missing in (None, np.nan, pd.NA):
        gap = Y.astype(object)
        gap[[3, 70]] = missing
        with pytest.raises(ValueError, match=r"2 labels are missing.*row 3"):
            model.fit(X, gap)
    with pytest.raises(ValueError, match=r"1 label is missing.*row 5"):
        model.fit(X, pd.Series(CODES).astype("Int64").mask(np.arange(150) == 5))
    with pytest.raises(ValueError, match=r"int.*str|str.*int"):
        model.fit(X, np.where(CODES == 0, "a", CODES.astype(object)))


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)
def test_odd_weights_and_sizes_are_explained(model):
    model = clone(model)
    weighted = "sample_weight" in model.fit.__code__.co_varnames or hasattr(model, "class_weight")
    if weighted:
        for size in (1e300, 1e307, 1e-310):
            with pytest.raises(ValueError, match="weight"):
                model.fit(X, Y, sample_weight=np.full(150, size))
        with pytest.raises(ValueError, match="weight.*number"):
            model.fit(X, Y, sample_weight=["heavy"] * 150)
        for wrong in ({"setosa": 1e300}, {"setosa": "heavy"}, {"setosa": None}, [1, 2, 3]):
            with pytest.raises(ValueError, match="class_weight"):
                model.set_params(class_weight=wrong).fit(X, Y)


_SQUARE_NOTHING = (
    lincore.MultinomialNB | lincore.BayesClassifier | lincore.OneVsRest | lincore.OneVsOne
)
SQUARING = [model for model in CLASSIFIERS if not isinstance(model, _SQUARE_NOTHING)]


@pytest.mark.parametrize("size", [1e-160, 1e-320])
@pytest.mark.parametrize("model", SQUARING, ids=lambda m: type(m).__name__)
def test_features_too_small_to_square_are_told_what_helps(model, size):
    if isinstance(model, lincore.LogisticRegression):
        model = lincore.LogisticRegression(C=np.inf)  # with a penalty the coefficients are zero
    with pytest.raises(ValueError, match="smaller units"):
        model.fit(X * size, Y)


def test_scores_of_another_width_or_with_gaps_are_refused():
    for model in (lincore.PCA(2).fit(X), Standardizer().fit(X)):
        Z = model.transform(X)
        np.testing.assert_allclose(model.inverse_transform(Z).shape, X.shape)
        gap = Z.copy()
        gap[4, 1] = np.nan
        for wrong, why in (
            (Z[:, :1], rf"1 .*{Z.shape[1]}"),
            (np.column_stack([Z, Z[:, 0]]), rf"{Z.shape[1] + 1} .*{Z.shape[1]}"),
            (gap, "NaN"),
            (Z[0], "2D"),
        ):
            with pytest.raises(ValueError, match=why):
                model.inverse_transform(wrong)


def test_no_more_components_than_features():
    for model in (lincore.LinearDiscriminantAnalysis, lincore.FisherDiscriminant):
        with pytest.raises(ValueError, match="n_components.*1"):
            model(n_components=2).fit(X[:, :1], Y)
        assert model(n_components=1).fit(X[:, :1], Y).transform(X[:, :1]).shape == (150, 1)


@pytest.mark.parametrize("offset", [2e15, -2e15, 4e12])
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_logistic_regression_far_from_the_origin(offset, C):
    rng = np.random.default_rng(1)
    codes = np.arange(200) % 2
    small = np.round(rng.normal(0, 5, (200, 2)) + 5 * codes[:, None])  # of which no digit is lost
    near = lincore.LogisticRegression(C=C).fit(small, codes)
    far = lincore.LogisticRegression(C=C).fit(small + offset, codes)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6)


def test_logistic_regression_names_the_features_that_it_takes_for_constant():
    rng = np.random.default_rng(1)
    codes = np.arange(200) % 2
    rows = pd.DataFrame({"plain": rng.normal(codes), "far": 1e15 + 0.25 * codes, "flat": 7.0})
    for C in (1.0, np.inf):
        with pytest.warns(UserWarning, match="'far'.*offset") as caught:
            model = lincore.LogisticRegression(C=C).fit(rows, codes)
        assert "plain" not in str(caught[0].message) and "flat" not in str(caught[0].message)
        assert model.coef_[0, 1] == 0
    lincore.LogisticRegression().fit(rows.assign(far=0.1 + 0.2), codes)


def test_gaussian_naive_bayes_smooths_as_scikit_learn_does():
    digits = lincore.sample("digits")
    rows, labels = digits.X.astype(np.float64), digits.y
    for share in ({}, {"var_smoothing": 1e-3}):
        ours = lincore.GaussianNB(**share).fit(rows, labels)
        theirs = naive_bayes.GaussianNB(**share).fit(rows, labels)
        assert ours.epsilon_ == pytest.approx(theirs.epsilon_)
        np.testing.assert_allclose(ours.var_, theirs.var_)
        np.testing.assert_allclose(
            ours.predict_log_proba(rows), theirs.predict_log_proba(rows), atol=1e-5
        )
    batches = lincore.GaussianNB()
    for part in np.array_split(np.arange(len(rows)), 7):
        batches.partial_fit(rows[part], labels[part], classes=np.unique(labels))
    np.testing.assert_allclose(batches.var_, lincore.GaussianNB().fit(rows, labels).var_)


def test_priors_by_label_reach_every_door():
    iris = lincore.sample("iris")
    by_label = dict(zip(iris.classes.tolist(), [0.2, 0.3, 0.5], strict=True))
    given = lincore.LinearDiscriminantAnalysis(priors=by_label)
    in_order = lincore.LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5])
    found = lincore.compare(iris, [("a", given), ("b", in_order), "lda"], keep_models=True)
    np.testing.assert_allclose(found.log_proba[0], found.log_proba[1])
    predicted = lincore.prediction.predict(found.model("lda"), iris, priors=by_label)
    assert predicted.priors.tolist() == [0.2, 0.3, 0.5]
    with pytest.raises(lincore.DataError, match="setosa"):
        predicted.with_priors({"rose": 1.0})
    adjusted = lincore.metrics.adjust_priors(found, "equal", by_label)
    ordered = lincore.metrics.adjust_priors(found, "equal", [0.2, 0.3, 0.5])
    np.testing.assert_array_equal(adjusted.log_proba, ordered.log_proba)
    bayes = lincore.BayesClassifier(np.eye(3, 4), np.eye(4), by_label).fit(iris.X, iris.y)
    assert bayes.predict_proba(np.full((1, 4), 0.1)).argmax() == 2
