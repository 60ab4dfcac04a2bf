"""Compute the golden values: results of the library by its public names alone.

Every case returns two mappings: values (numbers, labels, digests), which no change of names or
places may touch, and words (messages, names of conditions), which may be reworded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np

import lincore
from tests.data import DATA

Found = tuple[dict[str, Any], dict[str, Any]]

#: The name of numbers that a figure holds in single precision.
SINGLE = "float32"
SCORES = ("accuracy", "balanced accuracy", "macro F1", "MCC", "log loss", "Brier", "AUC")
METHODS = (
    "lda",
    "lda(shrinkage=oas)",
    "diagonal-lda",
    "qda",
    "naive-bayes",
    "multinomial-nb",
    "fisher",
    "least-squares",
    "perceptron(max_epochs=5)",
    "logistic",
    "logistic(C=10, solver=newton)",
    "one-vs-rest",
    "one-vs-one(estimator=lda)",
)
IMBALANCED = ("lda", "qda", "naive-bayes", "least-squares", "logistic")
SOLVED = ("breast cancer", "gaussian")
TABLES = (
    "ecoli_noheader.csv",
    "gapminder_semicolon_decimalcomma.txt",
    "german_credit.csv",
    "mushrooms.csv",
    "oil_spill_noheader.csv",
    "penguins_raw.csv",
    "pima_noheader.csv",
    "sms_spam_latin1.csv",
    "telco_churn.csv",
    "titanic.csv",
    "winequality_red_semicolon.csv",
)
IMAGES = (
    "cifar10_lossless_sample.npz",
    "faces3_bmp30.zip",
    "mnist.npz",
    "orl_faces.zip",
)


def digest(*arrays: Any) -> str:
    """Return a fingerprint of arrays that are exact: dtype, shape and contents."""
    state = blake2b(digest_size=8)
    for array in map(np.asarray, arrays):
        state.update(repr((array.dtype.kind, array.shape)).encode())
        is_text = array.dtype.kind in "OUT"
        state.update(repr(array.tolist()).encode() if is_text else np.ascontiguousarray(array).data)
    return state.hexdigest()


def checksum(array: Any) -> list[float]:
    """Return two weighted sums, the Euclidean length, and how many values are not finite.

    A change of any value changes them; rounding does by about as much as it changes the values.
    """
    values = np.ravel(np.asarray(array, dtype=float))
    known = np.isfinite(values)
    values = np.where(known, values, 0.0)
    place = np.arange(1.0, len(values) + 1)
    sums = [float(np.sum(wave(place) * values)) for wave in (np.cos, np.sin)]
    return [*sums, float(np.sqrt(np.sum(values**2))), float(np.count_nonzero(~known))]


def compared(
    load: Callable[[], Any], scheme: str, methods: Iterable[str] = METHODS, **choices: Any
) -> Found:
    """Compare methods: predictions, scores with intervals, paired tests, groups."""
    results = lincore.compare(load(), methods, scheme, **choices)
    table = lincore.metrics.score_table(results).set_index("score")
    values: dict[str, Any] = {
        "methods": results.methods,
        "best": results.best,
        "rows": digest(results.rows, results.truth, results.fold, results.repetition),
        "training rows": digest(results.n_train),
        "labels": [digest(results.classes[codes]) for codes in results.predicted],
        "posteriors": [checksum(np.exp(logs)) for logs in results.log_proba],
        "margins": {name: checksum(margin) for name, margin in results.decision.items()},
    }
    words: dict[str, Any] = {}
    for score in SCORES:
        values[score] = table.loc[[score], ["value", "low", "high"]].to_numpy()
        values[f"groups by {score}"] = [results.groups(score)[m] for m in results.methods]
    for score in ("accuracy", "balanced accuracy", "log loss"):
        pairs = lincore.metrics.pairwise_differences(results, score)
        values[f"differences of {score}"] = checksum([pair[3:6] for pair in pairs])
        values[f"first differences of {score}"] = [pair[3:6] for pair in pairs[:6]]
        values[f"p of {score}"] = checksum([pair.p for pair in pairs])
        values[f"first p of {score}"] = [pair.p for pair in pairs[:6]]
        # Of a bootstrap p is known to 1/2,000, which Holm's method multiplies.
        if score != "log loss":
            values[f"adjusted p of {score}"] = checksum([pair.p_holm for pair in pairs])
        words[f"verdicts on {score}"] = _counted(f"{p.verdict}, {p.test}" for p in pairs)
    description = results.describe().drop(columns="seconds")
    words["description"] = description.astype(str).to_dict("index")
    return values, words


def _counted(texts: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    return counts


def reduced(load: Callable[[], Any], sizes: Mapping[str, float], **choices: Any) -> Found:
    """Reduce classes; record the losses, their parts and the remedies."""
    study = lincore.balance(load(), sizes, IMBALANCED, **choices)
    rare = next(iter(sizes))
    values: dict[str, Any] = {
        "methods": study.methods,
        "counts": list(study.counts.values()),
        "test rows": study.n_test,
        "seeds": study.seeds,
        "example": [digest(rows) for rows in study.example.rows.values()],
    }
    words: dict[str, Any] = {
        "counts": list(study.counts),
        "losses": study.loss_names,
        "failures": study.failures,
        "notices": study.notices,
    }
    for i, method in enumerate(study.methods):
        values[f"losses of {method}"] = checksum(study.losses[i])
        values[f"mean losses of {method}"] = study.losses[i].mean(axis=1)
        for loss in ("error", "log loss", f"recall of {rare}"):
            found = study.attribution(method, loss)
            whole = (found.full, found.reduced, found.total)
            values[f"parts of {loss} of {method}"] = [*whole, *found.parts.values()]
            words["parts"] = list(found.parts)
        remedies = study.remedies(method)
        values[f"remedies for {method}"] = [(r.loss.value, *r.recovered) for r in remedies]
        values[f"their price for {method}"] = checksum(
            [(*r.loss, *r.still_missing, *r.others, *np.ravel(r.recall_change)) for r in remedies]
        )
        values[f"recovered shares of {method}"] = [remedy.share for remedy in remedies]
        words["remedies"] = [remedy.name for remedy in remedies]
    return values, words


def imbalanced(load: Callable[[], Any], **choices: Any) -> Found:
    """Find the cost of an imbalance, its parts and its corrections."""
    cost = lincore.imbalance_cost(load(), IMBALANCED, repeats=3, **choices)
    values: dict[str, Any] = {
        "methods": cost.methods,
        "prevalence": cost.prevalence,
        "counts": cost.counts,
        "rare": cost.rare,
        "sizes": cost.sizes,
    }
    words: dict[str, Any] = {
        "loss": cost.loss_name,
        "unavailable": cost.unavailable,
        "failures": cost.failures,
        "notices": cost.notices,
        "recommended": {},
    }
    for i, method in enumerate(cost.methods):
        values[f"losses of {method}"] = checksum(cost.losses[i])
        values[f"mean losses of {method}"] = cost.losses[i].mean(axis=1)
        values[f"losses by size of {method}"] = checksum(cost.size_losses[i])
        found = cost.attribution(method)
        values[f"parts of {method}"] = [found.uncorrected, *found.parts.values(), found.limit]
        words["parts"] = list(found.parts)
        corrections = cost.corrected(method)
        values[f"corrections of {method}"] = [(c.loss.value, *c.recovered) for c in corrections]
        values[f"their price for {method}"] = checksum(
            [(*c.loss, *c.file_error, *c.others, *np.ravel(c.recall_change)) for c in corrections]
        )
        values[f"100 more rows for {method}"] = cost.with_more_rows(method, 100)
        words[f"corrections of {method}"] = [correction.name for correction in corrections]
        best = cost.recommended(method)
        words["recommended"][method] = None if best is None else best.name
    return values, words


def swept(load: Callable[[], Any], label: str, **choices: Any) -> Found:
    """Follow the losses over the sizes of a class."""
    sweep = lincore.sweep(load(), [label], methods=IMBALANCED, repeats=3, **choices)
    values: dict[str, Any] = {"methods": sweep.methods, "sizes": sweep.sizes}
    for i, method in enumerate(sweep.methods):
        values[f"losses of {method}"] = checksum(sweep.losses[i])
        for loss in ("error", f"recall of {label}"):
            values[f"{loss} of {method}"] = list(sweep.curve(method, loss))
    return values, {"losses": sweep.loss_names, "failures": sweep.failures}


def learned(load: Callable[[], Any], **choices: Any) -> Found:
    """Follow scores over the number of training rows."""
    data = load()
    splits = [lincore.split(data, seed=seed) for seed in range(3)]
    curve = lincore.learning_curve(data, ("lda", "naive-bayes", "logistic"), splits, **choices)
    values: dict[str, Any] = {"methods": curve.methods}
    for score in ("accuracy", "log loss"):
        lines = curve.score_table(score)
        values["sizes"] = lines["training rows"].unique()
        shape = (len(curve.methods), -1)
        values[score] = [lines[end].to_numpy().reshape(shape) for end in ("value", "low", "high")]
    return values, {}


def fitted(name: str) -> Found:
    """Fit PCA and the central classifiers to standardised features of a bundled sample."""
    data = lincore.sample(name)
    X = lincore.Standardizer().fit_transform(data.X)
    pca = lincore.PCA(2).fit(data.X)
    lda = lincore.LinearDiscriminantAnalysis().fit(X, data.y)
    shrunk = lincore.LinearDiscriminantAnalysis(shrinkage=0.3).fit(X, data.y)
    qda = lincore.QuadraticDiscriminantAnalysis(regularization=0.1).fit(X, data.y)
    fisher = lincore.FisherDiscriminant().fit(X, data.y)
    logistic = lincore.LogisticRegression(C=1.0).fit(X, data.y)
    values: dict[str, Any] = {
        "means before": data.X.mean(axis=0),
        "components": pca.components_,
        "variances": pca.explained_variance_,
        "scores of the rows": checksum(pca.transform(data.X)),
        "LDA means": lda.means_,
        "Fisher's projections": checksum(fisher.transform(X)),
        "QDA functions": qda.decision_function(X[:5]),
    }
    for title, model in (("LDA", lda), ("shrunk LDA", shrunk), ("logistic", logistic)):
        values[f"{title} coefficients"] = model.coef_
        values[f"{title} intercepts"] = model.intercept_
    for title, model in (("LDA", lda), ("QDA", qda), ("logistic", logistic)):
        values[f"{title} posteriors"] = checksum(model.predict_proba(X))
        values[f"{title} labels"] = digest(model.predict(X))
    moments = lincore.Moments.from_groups(X, data.codes, data.n_classes)
    values["moments"] = [checksum(part) for part in (moments.count, moments.mean, moments.scatter)]
    return values, {"reason to stop": str(logistic.reason_)}


def described(data: Any) -> Found:
    """Describe a data set: rows, labels, names and notices."""
    sparse = (data.X.data, data.X.indices, data.X.indptr) if hasattr(data.X, "indptr") else None
    values = {
        "shape": data.X.shape,
        "dtype": str(data.X.dtype),
        "rows": digest(*sparse) if sparse else digest(data.X),
        "labels": digest(data.y),
        "classes": data.classes,
        "counts": data.counts,
        "target": data.target_name,
        "feature names": digest(data.feature_names),
        "levels": digest(repr(data.levels)),
        "missing": data.has_missing,
        "filled in by": data.imputation,
        "rare below": data.rare,
        "row names": None if data.row_names is None else digest(data.row_names),
        "given test": None if data.given_test is None else digest(data.given_test),
        "groups": None if data.groups is None else digest(data.groups),
        "image shape": data.image_shape,
    }
    skipped = [list(file) for file in data.skipped]
    return values, {"data": repr(data), "notices": map(str, data.notices), "skipped": skipped}


def read(name: str) -> Found:
    """Read a table: every column, what is found in it, and the data set that is made of it."""
    table = lincore.io.read_table((DATA / "csv" / name).read_bytes(), name)
    columns = lincore.io.describe_columns(table)
    findings = lincore.checks.find_table_problems(table, columns)
    values, words = described(lincore.io.table_to_dataset(table))
    for column in columns:
        series = table.frame[column.name]
        values[f"column {column.name}"] = [
            str(series.dtype),
            column.kind,
            column.role,
            column.n_missing,
            column.n_distinct,
            digest(repr(series.tolist())),
        ]
    words["reading"] = str(table.reading)
    words["notices of the table"] = map(str, table.notices)
    words["reasons"] = {column.name: column.reason for column in columns if column.reason}
    words["findings"] = [
        [str(finding.notice), *(remedy.label for remedy in finding.remedies)]
        for finding in findings
    ]
    return values, words


def loaded(name: str) -> Found:
    """Load a set of images."""
    return described(lincore.load(DATA / name))


def _by_group() -> Any:
    frame = lincore.sample("passengers").to_frame()
    return lincore.load(frame, target="survived", roles={"relatives": "group"})


_TWO = lincore.Steps(standardize=False, n_components=2)
_TEN = lincore.Steps(n_components=10)
_QUADRATIC = lincore.Steps(basis="polynomial(degree=2)")
_FEW = ("lda", "naive-bayes", "least-squares", "logistic")
_COUNTS = ("multinomial-nb", "naive-bayes")
_COSTS = [[0, 1, 5], [1, 0, 2], [9, 1, 0]]

_iris, _wine, _digits, _gaussian, _passengers, _faces = (
    partial(lincore.sample, name)
    for name in ("iris", "wine", "digits", "gaussian", "passengers", "faces")
)
_spam = partial(lincore.load, DATA / "csv" / "sms_spam_latin1.csv")

BUNDLED: dict[str, Callable[[], Found]] = {
    "compare iris 10-fold": partial(compared, _iris, "10-fold"),
    "compare iris leave-one-out": partial(compared, _iris, "leave-one-out", _FEW[:2]),
    "compare wine 2x5-fold": partial(compared, _wine, "2x5-fold"),
    "compare passengers hold-out": partial(compared, _passengers, "holdout"),
    "compare passengers by group": partial(compared, _by_group, "5-fold by group", _FEW),
    "compare gaussian quadratic": partial(compared, _gaussian, "5-fold", _FEW, steps=_QUADRATIC),
    "compare digits hold-out": partial(compared, _digits, "holdout", steps=_TEN),
    "balance iris": partial(reduced, _iris, {"virginica": 0.3}, repeats=4),
    "balance gaussian": partial(reduced, _gaussian, {"class 3": 12}, repeats=6),
    "balance bundled faces": partial(reduced, _faces, {"Cleo": 0.3}, steps=_TWO, repeats=2),
    "imbalance cost of gaussian": partial(imbalanced, _gaussian, costs=_COSTS),
    "imbalance cost at a prevalence": partial(imbalanced, _gaussian, prevalence={"class 3": 0.3}),
    "sweep of iris": partial(swept, _iris, "setosa", sizes=[5, 10, 20, 1.0]),
    "learning curve of gaussian": partial(learned, _gaussian, sizes=[20, 80, 300]),
    **{f"fit {name}": partial(fitted, name) for name in SOLVED},
}
REAL: dict[str, Callable[[], Found]] = {
    "compare spam hold-out": partial(compared, _spam, "holdout", _COUNTS),
    **{f"table {name}": partial(read, name) for name in TABLES},
    **{f"images {name}": partial(loaded, name) for name in IMAGES},
}
