"""Fitted models as files: skops, which runs no code, and a model card."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PolynomialFeatures

from lincore.errors import DataError, error_summary
from lincore.estimators.multiclass import BinaryModels, HalfSpace
from lincore.estimators.recalibrated import PARTS, Recalibrated
from lincore.export.models.model_card import ModelCard, model_card
from lincore.io.files.archives import SkippedFile, list_zip, unpack
from lincore.limits import LIMITS, Limits, check_size
from lincore.metrics.curves.operating_point import OperatingPoint
from lincore.model_selection.fitted_model import FittedModel
from lincore.model_selection.methods import CLASSIFIER_FACTORIES
from lincore.preprocessing.basis import RadialBasis, TrigonometricFeatures
from lincore.preprocessing.hog import HOG
from lincore.preprocessing.pca import PCA
from lincore.preprocessing.standardize import Standardizer
from lincore.preprocessing.tabular import Preparer
from lincore.preprocessing.truncated_svd import SingularVectors
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.versions import package_versions

#: The part of a model file that contains the model.
MODEL_PART = "model.skops"
_CARD, _README = "card.json", "README.md"
_TIME = (2000, 1, 1, 0, 0, 0)
#: Types that a file may contain, in addition to those that skops trusts.
TRUSTED = frozenset(
    (
        "lincore.data.dataset.ImageScale",
        "lincore.estimators._categorical.CategoricalFactors",
        "lincore.estimators.fisher.FisherDiscriminant",
        "lincore.estimators.least_squares.LeastSquaresClassifier",
        "lincore.estimators.linear_discriminant.DiagonalLinearDiscriminantAnalysis",
        "lincore.estimators.linear_discriminant.LinearDiscriminantAnalysis",
        "lincore.estimators.logistic.estimator.LogisticRegression",
        "lincore.estimators.logistic.separation.Separation",
        "lincore.estimators.multiclass.HalfSpace",
        "lincore.estimators.multiclass.OneVsOne",
        "lincore.estimators.multiclass.OneVsRest",
        "lincore.estimators.multinomial.MultinomialNB",
        "lincore.estimators.naive_bayes.GaussianNB",
        "lincore.estimators.perceptron.Perceptron",
        "lincore.estimators.quadratic_discriminant.QuadraticDiscriminantAnalysis",
        "lincore.estimators.recalibrated.LogOdds",
        "lincore.estimators.recalibrated.Recalibrated",
        "lincore.estimators.tuned.Tuned",
        "lincore.estimators.tuned.Tuning",
        "lincore.linalg.covariance.RowSpace",
        "lincore.linalg.covariance.Whitener",
        "lincore.linalg.gaussian.Gaussians",
        "lincore.linalg.optimize.OptimizerStep",
        "lincore.metrics.curves.operating_point.OperatingPoint",
        "lincore.model_selection.fitted_model.FittedModel",
        "lincore.model_selection.training_summary.TrainingSummary",
        "lincore.moments.moments.Moments",
        "lincore.preprocessing.basis.RadialBasis",
        "lincore.preprocessing.basis.TrigonometricFeatures",
        "lincore.preprocessing.hog.HOG",
        "lincore.preprocessing.pca.PCA",
        "lincore.preprocessing.standardize.Standardizer",
        "lincore.preprocessing.tabular.Coding",
        "lincore.preprocessing.tabular.Filling",
        "lincore.preprocessing.tabular.Preparer",
        "lincore.preprocessing.truncated_svd.SingularVectors",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.calibration._TemperatureScaling",
    )
)
#: Possible steps before a classifier.
STEPS = frozenset(
    (
        Preparer,
        Standardizer,
        PCA,
        SingularVectors,
        RadialBasis,
        TrigonometricFeatures,
        HOG,
        PolynomialFeatures,
        Nystroem,
    )
)


class ModelFile(NamedTuple):
    """A model loaded from a file.

    Attributes
    ----------
    model : FittedModel
        Predicts the raw rows of a new file.
    card : ModelCard
    """

    model: FittedModel
    card: ModelCard

    @property
    def origin(self) -> str:
        """Sentence with the model, its training data and the version of lincore."""
        model = self.model
        noun = "images" if model.image_shape is not None else "rows"
        n_rows = "" if model.training is None else f"{int(model.training.counts.sum()):,} "
        data = f" of {model.data_name}" if model.data_name else ""
        fitted = f"{model.label}, fitted on {n_rows}{noun}{data}. "
        return f"{fitted}{_decision(model)}{_versions_sentence(self.card)}"


def save_model(
    model: FittedModel, *, card: ModelCard | None = None, path: str | Path | None = None
) -> bytes:
    """Return a fitted model as a file: pipeline, classes, columns, digest of the data, model card.

    Parameters
    ----------
    model : FittedModel
        As returned by ``compare(..., keep_models=True).model(name)``.
    card : ModelCard, optional
        Default: a card made from the model; see `model_card` for scores and checks of assumptions.
    path : str or Path, optional
        File to write as well.

    Returns
    -------
    bytes
        An uncompressed zip of ``model.skops``, ``card.json`` and ``README.md``, without pickles.

    Raises
    ------
    DataError
        If a step has a type that `load_model` would not trust.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> results = lincore.compare(iris, "lda", keep_models=True)
    >>> stored = save_model(results.model("lda"))
    >>> model, card = load_model(stored)
    >>> model.predict(iris.to_frame().head(2)).tolist(), card.versions["lincore"]
    (['setosa', 'setosa'], '...')
    """
    import skops.io  # it imports all of scikit-learn

    card = card or model_card(model)
    _refuse_foreign(model)
    stored = skops.io.dumps(model)
    _refuse_untrusted(stored, model.label)
    stream = io.BytesIO()
    # Not compressed: highly compressed files are rejected when loaded.
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(MODEL_PART, _TIME), stored)
        archive.writestr(zipfile.ZipInfo(_CARD, _TIME), card.to_json())
        archive.writestr(zipfile.ZipInfo(_README, _TIME), card.to_markdown())
    if path is not None:
        Path(path).write_bytes(stream.getvalue())
    return stream.getvalue()


def load_model(source: bytes | str | Path, limits: Limits = LIMITS) -> ModelFile:
    """Read a file written by `save_model`. It runs no code, so the source may be untrusted.

    Parameters
    ----------
    source : bytes, or path
    limits : Limits

    Returns
    -------
    ModelFile

    Raises
    ------
    DataError
        If it is not such a file, is too large or damaged, contains untrusted types, or its model
        cannot predict; with the version of lincore that made it.

    Examples
    --------
    >>> load_model(b"abc")
    Traceback (most recent call last):
    ...
    lincore.errors.DataError: model file: The zip cannot be opened: File is not a zip file. ...
    """
    raw, name = _read(source, limits)
    try:
        files = {file.path: file for file in list_zip(raw, name, limits)}
    except DataError as error:
        remedy = "Give a file that save_model wrote."
        raise DataError(error.notice.what, where=name, remedy=remedy) from error
    if not {MODEL_PART, _CARD} <= set(files):
        raise DataError(
            "This is not a lincore model file.",
            where=name,
            remedy=f"It should be a zip with {MODEL_PART} and {_CARD}, as written by save_model.",
        )
    try:
        stored, text = (unpack(raw, files[member], limits) for member in (MODEL_PART, _CARD))
        card = ModelCard.from_json(text.decode("utf-8", "replace"))
        inner = list_zip(stored, f"{name}, {MODEL_PART}", limits)
    except SkippedFile as error:
        raise DataError(
            f"It cannot be used: {error}.", where=name, remedy="Save the model again."
        ) from error
    refused = [file for file in inner if file.refused]
    if refused:
        raise DataError(
            f"A part cannot be used: {refused[0].refused}.",
            where=f"{name}, {MODEL_PART}",
            remedy="Save the model again.",
        )
    return ModelFile(_load(stored, name, card), card)


def _read(source: bytes | str | Path, limits: Limits) -> tuple[bytes, str]:
    if isinstance(source, bytes):
        check_size(len(source), "model file", limits)
        return source, "model file"
    path = Path(source)
    try:
        check_size(path.stat().st_size, path.name, limits)
        return path.read_bytes(), path.name
    except OSError as error:
        raise DataError(
            f"The file cannot be read: {error_summary(error)}.",
            where=path.name,
            remedy="Choose another file.",
        ) from error


def _refuse_foreign(model: FittedModel) -> None:
    """Raise an error for third-party steps and classifiers, which may run code or read files."""
    last = model.classifier
    recalibrated = [last, *last.parts] if type(last) is Recalibrated else []
    last = last.estimator_ if recalibrated else last
    inner = last.estimators_ if isinstance(last, BinaryModels) else []
    steps = [type(step) for _, step in model.pipeline.steps[:-1]]
    classifiers = {type(classifier) for classifier in (last, *inner)}
    known = {*CLASSIFIER_FACTORIES.values(), HalfSpace}
    foreign = [kind for kind in steps if kind not in STEPS] + list(classifiers - known)
    foreign += {type(part) for part in recalibrated} - {Recalibrated, *PARTS}
    if foreign:
        raise DataError(
            f"{foreign[0].__name__} is not a lincore classifier or step.",
            where=model.label,
            remedy="Save other models with skops itself.",
        )


def _refuse_untrusted(stored: bytes, where: str, versions: str = "") -> None:
    import skops.io

    untrusted = sorted(set(skops.io.get_untrusted_types(data=stored)) - TRUSTED)
    if untrusted:
        raise DataError(
            f"The model contains untrusted types: {', '.join(untrusted[:5])}. {versions}".strip(),
            where=where,
            remedy="Only models made of lincore classifiers and steps are supported.",
        )


def _load(stored: bytes, name: str, card: ModelCard) -> FittedModel:
    import skops.io

    versions = _versions_sentence(card)
    try:
        _refuse_untrusted(stored, name, versions)
        with captured_warnings():
            model: FittedModel = skops.io.loads(stored, trusted=sorted(TRUSTED))
            _check(model)
    except DataError:
        raise
    # A forged or damaged file may raise any error in skops, NumPy or an estimator.
    except Exception as error:
        raise DataError(
            f"The model cannot be read ({error_summary(error)[:200]}). {versions}",
            where=name,
            remedy="Save it again with the version of lincore that reads it.",
        ) from error
    return model


def _decision(model: FittedModel) -> str:
    point = model.operating_point
    sentences = "" if point is None else f"{point.sentence(model.classes)} "
    rule = model.reject_option
    return sentences if rule is None else f"{sentences}{rule.sentence()} "


def _versions_sentence(card: ModelCard) -> str:
    made, current = card.versions.get("lincore"), package_versions()["lincore"]
    return f"It was made by lincore {made}; this is {current}."


def _check(model: Any) -> None:
    """Raise an error unless a model is complete and can predict test rows."""
    if type(model) is not FittedModel or type(model.pipeline) is not Pipeline:
        raise TypeError(f"{type(model).__name__} is not a fitted model")
    names, classes = model.feature_names, model.classes
    texts = [model.label, model.target_name, model.data_name, model.digest]
    texts += [model.weight_name, model.group_name]
    if not isinstance(names, tuple) or not all(isinstance(text, str) for text in (*names, *texts)):
        raise TypeError("its names are not text")
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or not len(classes):
        raise TypeError("it has no classes")
    levels = model.levels
    if levels is not None and len(levels) != len(names):
        raise ValueError("its levels do not match its columns")
    if not isinstance(model.n_words, int) or not 0 <= model.n_words <= len(names):
        raise ValueError("its words are not among its columns")
    if model.operating_point is not None:
        _check_operating_point(model)
    below = model.abstains_below
    if below is not None and not (isinstance(below, float) and 0 <= below <= 1):
        raise ValueError("it abstains below something other than a posterior")
    _refuse_foreign(model)
    codes = np.asarray(model.classifier.classes_)
    if not set(codes.tolist()) <= set(range(len(classes))):
        raise ValueError("its classes do not match its classifier")
    row = np.zeros((1, len(names)))
    model.predict(sp.csr_array(row) if model.n_words else row)


def _check_operating_point(model: FittedModel) -> None:
    """Raise an error unless the operating point is valid and fits the classes."""
    point, n_classes = model.operating_point, len(model.classes)
    if type(point) is not OperatingPoint or not hasattr(model.classifier, "predict_proba"):
        raise TypeError("it has no posteriors for its operating point")
    if point.costs is not None:
        costs = np.asarray(point.costs, dtype=float)
        fits = costs.shape == (n_classes, n_classes) and bool((costs >= 0).all())
        fits = fits and bool(np.isfinite(costs).all())
    else:
        threshold = point.threshold
        fits = isinstance(threshold, float) and 0 <= threshold <= 1
        fits = fits and point.code in (0, 1) and n_classes == 2
    if not fits:
        raise ValueError("its operating point does not match its classes")
