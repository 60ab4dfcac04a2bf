"""A fitted method that takes raw rows of a new file and returns labelled predictions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset, ImageScale
from lincore.data.frames import as_frame, is_frame
from lincore.errors import DataError
from lincore.estimators.base.class_weights import class_weights
from lincore.estimators.recalibrated import Recalibrated
from lincore.io.tables.matching import FeatureSchema, RowMatch, match_rows
from lincore.metrics.curves.operating_point import OperatingPoint
from lincore.metrics.curves.reject_option import RejectOption
from lincore.model_selection.training_summary import TrainingSummary
from lincore.preprocessing.tabular import prepared_names
from lincore.utils.typing import Array


@dataclass(frozen=True, eq=False)
class FittedModel:
    """Steps and classifier, fitted on all rows of a data set.

    Parameters
    ----------
    label : str
        Display name of the method.
    pipeline : Pipeline
        Takes rows in the form of ``Dataset.X`` and predicts codes, positions in `classes`.
    feature_names : tuple of p str
    levels : tuple of p (tuple of str, or None), optional
        See `Dataset`.
    n_words : int
    classes : ndarray of shape (K,)
    target_name : str
    data_name : str
        Name of the training data.
    column_names : tuple of q str, optional
        Names of the columns made by the first step, such as "sex = male"; empty if a basis or a
        projection follows.
    text_columns : tuple of str, optional
    image_shape : tuple of int, optional
    image_scale : ImageScale, optional
    bin_bounds : tuple of float, optional
        See `Dataset`.
    training : TrainingSummary, optional
        Summary of the training rows.
    digest : str
        Fingerprint of the training data.
    weight_name, group_name : str
        Columns of weights and of groups, see `Dataset`; "" if there are none.
    groups_by_part : bool
        See `Dataset`.
    operating_point : OperatingPoint, optional
        Where posteriors decide; by default, the classifier predicts.
    abstains_below : float, optional
        Largest posterior below which the model abstains, see `abstaining`. Default: never.

    Examples
    --------
    >>> import lincore
    >>> passengers = lincore.sample("passengers")
    >>> results = lincore.compare(passengers, "lda", keep_models=True)
    >>> model = results.model("lda")
    >>> model
    <LDA, fitted on passengers: 7 features predict 'survived': 2 classes>
    >>> new = {"cabin class": ["first", "third"], "sex": ["female", "male"], "age": [30, None],
    ...        "relatives": [0, 1], "fare": [80.0, 8.5], "port": ["Cherbourg", None],
    ...        "deck": ["C", None], "a column that it does not know": [1, 2]}
    >>> model.predict(pd.DataFrame(new)).tolist()
    ['yes', 'no']
    >>> model.predict_proba(pd.DataFrame(new)).round(2)
         no   yes
    0  0.29  0.71
    1  0.98  0.02
    """

    label: str
    pipeline: Pipeline
    feature_names: tuple[str, ...]
    levels: tuple[tuple[str, ...] | None, ...] | None
    n_words: int
    classes: NDArray[Any]
    target_name: str
    data_name: str = ""
    column_names: tuple[str, ...] | None = None
    text_columns: tuple[str, ...] = ()
    image_shape: tuple[int, ...] | None = None
    training: TrainingSummary | None = None
    digest: str = ""
    image_scale: ImageScale = ImageScale()
    bin_bounds: tuple[float, ...] = ()
    weight_name: str = ""
    group_name: str = ""
    groups_by_part: bool = False
    operating_point: OperatingPoint | None = None
    abstains_below: float | None = None

    @classmethod
    def of(
        cls, data: Dataset, pipeline: Pipeline, label: str, rows: ArrayLike | None = None
    ) -> FittedModel:
        """Wrap a pipeline that was fitted on rows of a data set; by default on all rows."""
        steps = pipeline.named_steps
        mixed = any(step in steps for step in ("basis", "pca", "svd"))
        names = None if mixed else prepared_names(steps.get("prepare"), data)
        return cls(
            label,
            pipeline,
            data.feature_names,
            data.levels,
            data.n_words,
            data.classes,
            data.target_name,
            data.name,
            names,
            data.text_columns,
            data.image_shape,
            TrainingSummary.of(data, pipeline, rows),
            data.digest,
            data.image_scale,
            data.bin_bounds,
            data.weight_name,
            data.group_name,
            data.groups_by_part,
        )

    def __repr__(self) -> str:
        """Describe the model, its training data and its target."""
        target = f" predict {self.target_name!r}" if self.target_name else ""
        data = f" on {self.data_name}" if self.data_name else ""
        return (
            f"<{self.label}, fitted{data}: {len(self.feature_names):,} features{target}: "
            f"{len(self.classes)} classes>"
        )

    @property
    def classifier(self) -> Any:
        """The last step."""
        return self.pipeline.steps[-1][1]

    @property
    def reject_option(self) -> RejectOption | None:
        """The rule by which it abstains; None if it predicts every row."""
        below = self.abstains_below
        return None if below is None else RejectOption((below,) * len(self.classes))

    def abstaining(self, cost: float) -> FittedModel:
        """Return the model with Chow's rule: it abstains if an error is likelier than the cost.

        `predict` then returns None for such rows, and exported files give no class.

        Parameters
        ----------
        cost : float
            Cost of abstaining, as a share of the cost of an error.

        Raises
        ------
        DataError
            If the model has no posteriors, or the cost is not between 0 and 1.

        References
        ----------
        Chow (1970), "On optimum recognition error and reject tradeoff", eq. 3.

        Examples
        --------
        >>> import lincore
        >>> passengers = lincore.sample("passengers")
        >>> model = lincore.fit(passengers, "lda").fitted_model.abstaining(0.1)
        >>> int(model.predict(passengers).isna().sum())
        352
        """
        if not hasattr(self.classifier, "predict_proba"):
            raise DataError(
                f"{self.label} has no posteriors, so it cannot abstain.",
                where="cost of rejection",
                remedy="Choose a model with posteriors, such as LDA.",
            )
        if not 0 <= cost <= 1:
            raise DataError(
                f"The cost of rejection is {cost}.",
                where="cost of rejection",
                remedy="Give a share from 0 to 1 of the cost of an error, such as 0.2.",
            )
        return replace(self, abstains_below=float(1 - cost))

    def predict(self, rows: Any) -> pd.Series[Any]:
        """Return the class of each row, under the name of the target; None if it abstains.

        Parameters
        ----------
        rows : DataFrame, or another library's table
            The columns of the training file, by name and in any order; others are ignored. Unseen
            levels are treated as unknown; missing values are imputed as in training, or by the
            medians if there were none. Or an array (n, p), in the form of ``Dataset.X``.

        Raises
        ------
        DataError
            If a column is missing, or contains text where numbers are expected.
        """
        X, index = self._read(rows)
        if self.operating_point is None:
            codes = np.asarray(self.pipeline.predict(X), dtype=np.intp)
        else:
            with np.errstate(divide="ignore"):
                codes = self.operating_point.decide(np.log(self._proba(X)))
        labels = self.classes[codes]
        if self.abstains_below is not None:
            labels = labels.astype(object)
            labels[self._proba(X).max(axis=1) < self.abstains_below] = None
        return pd.Series(labels, index=index, name=self.target_name or "class")

    def predict_proba(self, rows: Any) -> pd.DataFrame:
        """Return the posterior probability of each class, one column per class.

        Raises
        ------
        DataError
            As for `predict`.
        AttributeError
            If the method has no posteriors.
        """
        X, index = self._read(rows)
        return pd.DataFrame(self._proba(X), index=index, columns=list(self.classes))

    def _proba(self, X: Any) -> Array:
        proba = np.zeros((X.shape[0], len(self.classes)))
        # A class whose rows were all removed by a step has no column.
        proba[:, np.asarray(self.classifier.classes_, dtype=int)] = self.pipeline.predict_proba(X)
        return proba

    @property
    def schema(self) -> FeatureSchema:
        """Names and types of the features."""
        return FeatureSchema(self.feature_names, self.levels, self.n_words, self.text_columns)

    @property
    def priors(self) -> Array | None:
        """Class priors of the posteriors, (K,): as given or as estimated from the rows.

        None for a model with unknown training rows.
        """
        classifier = self.classifier
        if isinstance(classifier, Recalibrated) and classifier.method == "temperature":
            # The others give posteriors the class shares of the training rows.
            classifier = classifier.estimator_
        for name in ("priors_", "class_prior_"):
            if hasattr(classifier, name):
                priors = np.zeros(len(self.classes))
                priors[classifier.classes_] = getattr(classifier, name)
                return priors
        if self.training is None:
            return None
        given, counts = classifier.get_params().get("class_weight"), self.training.counts
        if self.training.class_weights is not None:
            counts = self.training.class_weights
        weights = class_weights(given, np.arange(len(counts)), counts)
        shares = counts if weights is None else counts * weights
        return np.asarray(shares / shares.sum())

    def match(self, frame: pd.DataFrame, *, fill_missing: bool = False) -> tuple[Any, RowMatch]:
        """Return the rows of a new table in the form of ``Dataset.X``, and what did not match.

        Parameters
        ----------
        frame : DataFrame
            See `predict`.
        fill_missing : bool, default False
            Treat all values of an absent column as missing.

        Raises
        ------
        DataError
            As for `predict`.
        """
        if self.n_words and not self.text_columns:
            raise DataError(
                "It uses word counts, which a table of raw texts does not provide.",
                where=self.label,
                remedy="Load the new file like the first one, and pass its X.",
            )
        X, match = match_rows(frame, self.schema, fill_missing=fill_missing)
        return self._filled(X), match

    def _filled(self, X: Any) -> Any:
        """Impute missing values by the training medians if no step does."""
        if self.n_words or "prepare" in self.pipeline.named_steps or not np.isnan(X).any():
            return X
        if self.training is None or self.training.medians is None:
            raise DataError(
                "A value is missing, and the training rows had no missing values to learn from.",
                where="new rows",
                remedy="Fill in the values, or leave these rows out.",
            )
        return np.where(np.isnan(X), self.training.medians, X)

    def _read(self, rows: Any) -> tuple[Any, Any]:
        """Return rows in the form of ``Dataset.X``, and their names."""
        if isinstance(rows, Dataset):
            plain = self.n_words or rows.kind.is_images
            rows = rows.X if plain else rows.to_frame().iloc[:, :-1]
        if not is_frame(rows):
            X = rows if hasattr(rows, "tocsr") else np.asarray(rows, dtype=float)
            return self.require_width(X), None
        frame = as_frame(rows)
        return self.match(frame)[0], frame.index

    def require_width(self, X: Any) -> Any:
        """Return an array unchanged if it has rows of these features.

        Raises
        ------
        DataError
            If its shape differs.
        """
        if np.ndim(X) != 2 or X.shape[1] != len(self.feature_names):
            raise DataError(
                f"Rows of {len(self.feature_names)} features are expected, not an array of shape "
                f"{np.shape(X)}.",
                where=self.label,
                remedy="Pass a DataFrame with the columns of the file, or X of a data set.",
            )
        return X
