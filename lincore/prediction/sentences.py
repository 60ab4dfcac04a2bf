"""Findings on the predictions of new rows, as sentences."""

from __future__ import annotations

import numpy as np

from lincore.data.row_weights import effective_number
from lincore.prediction.new_rows import NO_LABEL
from lincore.prediction.predictions import Predictions
from lincore.utils.formatting import count, listed, p_equals, percent, quoted
from lincore.utils.typing import Codes

_MOST_CLASSES = 6
_ALPHA = 0.05


def prediction_finding(predictions: Predictions, rows: str = "rows") -> str:
    """State the predicted classes, and how many rows are unlike the training data.

    Parameters
    ----------
    predictions : Predictions
    rows : str
        What rows are called, in the plural.

    Examples
    --------
    >>> import lincore
    >>> from lincore.prediction import predict
    >>> iris = lincore.sample("iris")
    >>> model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    >>> prediction_finding(predict(model, iris))
    "150 rows: 51 'virginica', 50 'setosa' and 49 'versicolor'; none is unlike the training data."
    >>> prediction_finding(predict(model, iris.X[:1]))
    "Predicted: 'setosa', at 100.0 %; it is like the training data."
    """
    labels, far = [str(label) for label in predictions.classes], predictions.far
    if len(predictions) == 1:
        code = int(predictions.codes[0])
        sure = ""
        if predictions.has_posteriors:
            sure = f", at {percent(float(predictions.posteriors[0, code]))}"
        place = "" if far is None else f"; it is {'un' if far[0] else ''}like the training data"
        return f"Predicted: {quoted(labels[code])}{sure}{place}."
    counts = predictions.counts
    order = [k for k in (-counts).argsort(kind="stable").tolist() if counts[k]]
    named = listed([f"{counts[k]:,} {quoted(labels[k])}" for k in order], _MOST_CLASSES)
    if len(order) > _MOST_CLASSES:
        named = f"{named} classes"
    place = ""
    if far is not None:
        n_far = int(far.sum())
        verb = "is" if n_far <= 1 else "are"
        place = f"; {f'{n_far:,}' if n_far else 'none'} {verb} unlike the training data"
    return f"{len(predictions):,} {rows}: {named}{place}."


def match_finding(predictions: Predictions) -> str:
    """State whether the columns of the file match the training data.

    Parameters
    ----------
    predictions : Predictions
    """
    match, new = predictions.match, predictions.new
    if predictions.model.image_shape is not None:
        height, width = predictions.model.image_shape[:2]
        size = f"{width} × {height} pixels"
        resized = f"{count(new.n_resized, 'image')} resized to {size}" if new.n_resized else ""
        skipped = f"{count(len(new.skipped), 'file')} skipped" if new.skipped else ""
        parts = [part for part in (resized, skipped) if part]
        return f"{listed(parts)}." if parts else f"All images have {size}."
    n_columns = len(predictions.model.schema.columns)
    found = n_columns - len(match.missing)
    everything = "All" if not match.missing else f"{found} of"
    order = ", in another order" if match.reordered else ""
    noun = "column was" if n_columns == 1 else "columns were"
    return f"{everything} {n_columns} {noun} found by name{order}."


def match_notes(predictions: Predictions) -> list[str]:
    """Report findings of reading, and mismatches of columns, levels and labels.

    Parameters
    ----------
    predictions : Predictions
    """
    return [str(notice) for notice in predictions.new.findings]


def counting_note(predictions: Predictions) -> str:
    """Say which rows count in scores and by which column; "" where all do, and each once.

    Parameters
    ----------
    predictions : Predictions

    Examples
    --------
    >>> import lincore
    >>> from lincore.prediction import predict
    >>> frame = lincore.sample("iris").to_frame().assign(w=[1, 2] * 75)
    >>> data = lincore.load(frame, weights="w")
    >>> model = lincore.compare(data, "lda", keep_models=True).model("lda")
    >>> counting_note(predict(model, frame))
    "In scores rows count by their weights in 'w': 150 rows as 135.0 of equal weight (Kish)."
    >>> counting_note(predict(model, frame.drop(columns="w")))
    ''
    """
    if predictions.truth is None:
        return ""
    n_scored = int((predictions.truth != NO_LABEL).sum())
    left_out = (
        f"{n_scored:,} of {len(predictions):,} rows are scored: the others have no class, or one "
        "that the model does not know."
        if n_scored < len(predictions)
        else ""
    )
    if predictions.new.weights is None:
        return left_out
    results, name = predictions.scores(), predictions.model.weight_name
    number = count(len(results.rows), "row")
    effective = effective_number(np.asarray(results.settings.row_weights))
    return (
        f"{left_out} In scores rows count by their weights in {name!r}: {number} as "
        f"{effective:,.1f} of equal weight (Kish)."
    ).strip()


def image_titles(predictions: Predictions, rows: Codes) -> list[str]:
    """Return the predicted class of images, with its posterior where there is one.

    Parameters
    ----------
    predictions : Predictions
    rows : ndarray of int
        Positions of rows.
    """
    labels = [str(label) for label in predictions.labels[rows]]
    if not predictions.has_posteriors:
        return labels
    sure = predictions.posteriors[rows, predictions.codes[rows]].tolist()
    return [f"{label}: {percent(share, 0)}" for label, share in zip(labels, sure, strict=True)]


def priors_finding(predictions: Predictions) -> str:
    """Say which priors the posteriors are of, and what they were in training.

    Parameters
    ----------
    predictions : Predictions

    Examples
    --------
    >>> import lincore
    >>> from lincore.prediction import predict
    >>> iris = lincore.sample("iris")
    >>> model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    >>> priors_finding(predict(model, iris, priors=[0.5, 0.3, 0.2]))
    "Priors in deployment: 'setosa' 50.0 % (training 33.3 %), 'versicolor' 30.0 % (training 33.3 %)
    and 'virginica' 20.0 % (training 33.3 %)."
    """
    learned, priors = predictions.learned_priors, predictions.priors
    if learned is None:
        return ""
    if priors is None:
        return "Priors as in training."
    parts = [
        f"{quoted(label)} {percent(float(new))} (training {percent(float(old))})"
        for label, new, old in zip(predictions.classes, priors, learned, strict=True)
    ]
    found = f"{listed(parts, _MOST_CLASSES)}."
    estimate = predictions.estimate
    if estimate is None:
        return f"Priors in deployment: {found}"
    differ = "differ" if estimate.p_value < _ALPHA else "do not differ significantly"
    return (
        f"Priors estimated from these rows: {found} They {differ} from those of training "
        f"({p_equals(estimate.p_value)})."
    )


def far_note(predictions: Predictions) -> str:
    """Say what unlike the training data means here, or why nothing is known of it.

    Parameters
    ----------
    predictions : Predictions
    """
    if predictions.distance is None:
        return (
            "No distances: the rows are sparse, or the model has too few training rows for its "
            "inputs."
        )
    if predictions.far is None:
        return "No class has enough training rows to say what is unlike it."
    level = percent(1 - predictions.level, 0 if predictions.level >= 0.01 else 1)
    return (
        "The distance is Mahalanobis's from the nearest class, in the inputs of the classifier. "
        f"Flagged: more unusual than {level} of the training rows, both if each class were normal "
        "and by their distances from classes estimated without them."
    )
