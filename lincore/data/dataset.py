"""The data set: features, labels, names, groups and a fixed test set."""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from lincore.data.frames import describe_frame, feature_frame
from lincore.data.kinds import IMAGES, TABLE, TEXTS, Kind
from lincore.errors import DataError, Notice
from lincore.utils.displayed import display
from lincore.utils.formatting import count

if TYPE_CHECKING:
    import pandas as pd

    from lincore.data.blocks import Blocks
    from lincore.data.target_guess import TargetGuess

Imputation: TypeAlias = Literal["median", "most_frequent", "indicator"]


class Skipped(NamedTuple):
    """A file of a zip that was left out, and why."""

    name: str
    reason: str


class Split(NamedTuple):
    """Row numbers of the training and of the test set, each sorted.

    Parameters
    ----------
    train, test : ndarray of int
        Disjoint positions of rows of the data set.
    """

    train: np.ndarray
    test: np.ndarray


class ImageScale(NamedTuple):
    """Conversion of images into rows: resizing and grey levels."""

    # {"pad", "crop", "stretch"}; how images of another size were brought to the common size
    fit: Literal["pad", "crop", "stretch"] = "pad"
    # `whole`, `fraction`: range for integer images of more than 8 bits, and for images of fractions
    whole: tuple[float, float] | None = None  # (black, white)
    fraction: tuple[float, float] | None = None  # (black, white)


@dataclass(frozen=True, eq=False)
class TrueParameters:
    """The distribution from which generated data were drawn.

    Parameters
    ----------
    means : (K, p) float64
    covariances : (K, p, p) float64
    priors : (K,) float64
        Sum to one.
    outliers : float
        Share of the rows drawn from a much wider distribution around the same mean.
    label_noise : float
        Share of the rows that carry the label of another class.
    """

    means: np.ndarray
    covariances: np.ndarray
    priors: np.ndarray
    outliers: float = 0.0
    label_noise: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Rows, their classes, and their provenance.

    Parameters
    ----------
    name : str
    X : (n, p) array
        float64 for tables (NaN for missing values), uint8 for images. A
        `scipy.sparse.csr_array` of float64 if `n_words` is not zero.
    codes : (n,) intp
        Class of each row, as a position in `classes`.
    classes : (K,) array
        The labels, whole numbers or text, in order (Class2 before Class10).
    feature_names : tuple of str
    row_names : tuple of str, optional
        File names of images.
    given_test : (n,) bool, optional
        The test rows defined by the source itself.
    image_shape : (height, width) or (height, width, 3), optional
        In pixels, if rows are images; three channels for colour.
    image_scale : ImageScale
        How images were converted to rows.
    notices : tuple of Notice
        Import log.
    skipped : tuple of Skipped
        The files of a zip that were left out.
    truth : TrueParameters, optional
        For generated data.
    levels : tuple of p (tuple of str, or None), optional
        Names of the levels of a column of `X` that holds level codes (0, 1, …; NaN is missing),
        None for a numeric column; or None if all columns are numeric.
    n_words : int
        The last `n_words` columns of `X` are word counts.
    groups : (n,) intp, optional
        Group of each row, as a position in `group_names`.
    group_names : tuple of str, optional
    group_name : str
        The column that names the groups, or a description such as "lines of 'n'"; "" if none.
    groups_by_part : bool
        Whether a group is the common prefix of its row names, as P01 in P01_1 and P01_2.
    weights : (n,) float64, optional
        Sampling weight of each row, with mean 1; see `lincore.data.with_row_weights`.
    weight_name : str
        The column of the weights; "" if none.
    imputation : {"median", "most_frequent", "indicator"}
        How missing values are imputed from the training rows (`preprocessing.tabular`).
    rare : int
        Levels with fewer training rows than this are merged; 0 merges none.
    blocks : Blocks, optional
        The other rows of a table that does not fit into memory: models learn from them too. They
        are never tested.
    target_name : str
        The column that holds the classes; "" if none.
    target_guess : TargetGuess, optional
        The reason for that column and the next best ones, if the user did not choose it.
    group_candidate : str
        A column that seems to name subjects with several rows each but is not used as `groups`.
    bin_bounds : tuple of float
        The bounds between the classes, if these are bins of a quantity.
    text_columns : tuple of str
        The columns whose words are counted, if any.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.load(([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["b", "a", "b"]), name="tiny")
    >>> data.classes.tolist(), data.codes.tolist(), data.counts.tolist()
    (['a', 'b'], [1, 0, 1], [1, 2])
    """

    name: str
    X: Any
    codes: np.ndarray
    classes: np.ndarray
    feature_names: tuple[str, ...]
    row_names: tuple[str, ...] | None = None
    given_test: np.ndarray | None = None
    image_shape: tuple[int, ...] | None = None
    notices: tuple[Notice, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    truth: TrueParameters | None = None
    levels: tuple[tuple[str, ...] | None, ...] | None = None
    n_words: int = 0
    groups: np.ndarray | None = None
    group_names: tuple[str, ...] | None = None
    imputation: Imputation = "median"
    rare: int = 0
    blocks: Blocks | None = None
    target_name: str = ""
    target_guess: TargetGuess | None = None
    group_candidate: str = ""
    text_columns: tuple[str, ...] = ()
    image_scale: ImageScale = ImageScale()
    bin_bounds: tuple[float, ...] = ()
    weights: np.ndarray | None = None
    weight_name: str = ""
    group_name: str = ""
    groups_by_part: bool = False

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.n_rows

    @property
    def headline(self) -> str:
        """Name and size, such as "iris: 150 rows of 4 features in 3 classes."."""
        return f"{self.name}: {self.size_text}."

    @property
    def size_text(self) -> str:
        """Rows, features and classes, such as "150 rows of 4 features in 3 classes"."""
        if self.image_shape is not None:
            height, width = self.image_shape[:2]
            features = f"{width} × {height} pixels"
        elif self.n_words == self.n_features:
            features = count(self.n_words, "distinct word")
        else:
            features = count(self.n_features, "feature")
            features += f", {self.n_words:,} of them words," if self.n_words else ""
        streamed = f", and {self.n_streamed:,} streamed rows" if self.n_streamed else ""
        rows = count(self.n_rows, self.kind.rows.removesuffix("s"))
        return f"{rows} of {features} in {self.n_classes} classes{streamed}"

    def __repr__(self) -> str:
        """Describe the data in one or two lines."""
        rows = f"{self.n_rows:,} rows of {self.n_features:,} features"
        target = f" by {self.target_name!r}" if self.target_name else ""
        shares = zip(self.classes.tolist(), self.counts.tolist(), strict=True)
        phrases = [f"{label} {count:,}" for label, count in shares]
        more = [f"{len(phrases) - 8} more"] if len(phrases) > 8 else []
        number = len(self.notices)
        notices = f"; {number} notice{'s' if number > 1 else ''}" if number else ""
        return (
            f"<Dataset {self.name!r}: {rows}{', with missing values' if self.has_missing else ''}"
            f"{f', weighted by {self.weight_name!r}' if self.weight_name else ''}; "
            f"{self.n_classes} classes{target}: {', '.join(phrases[:8] + more)}{notices}>"
        )

    def _repr_html_(self) -> str:
        """Return the description and the first rows, for notebooks."""
        first = self._frame(slice(0, 5)).iloc[:, -30:]
        return f"<p>{escape(repr(self)[1:-1])}</p>{first.to_html(max_cols=12)}"

    def to_frame(self) -> pd.DataFrame:
        """Return the rows as a table: one column per feature, the classes last.

        Categories are shown by level name, missing values as NaN.

        Examples
        --------
        >>> import lincore
        >>> data = lincore.load(([[1.0], [2.0]], ["b", "a"]))
        >>> data.to_frame()
           feature 1 class
        0        1.0     b
        1        2.0     a
        """
        return self._frame(slice(None))

    def _frame(self, rows: slice) -> pd.DataFrame:
        frame = feature_frame(self.X[rows], self.feature_names, self.levels, self.n_words)
        label = self.target_name or "class"
        frame.insert(frame.shape[1], label, self.y[rows], allow_duplicates=True)
        return frame

    def describe(self) -> pd.DataFrame:
        """Return a line for each feature: kind, missing and distinct values, range, mean.

        Examples
        --------
        >>> import lincore
        >>> lincore.load(([[1.0], [2.0]], ["b", "a"])).describe()[["kind", "missing", "mean"]]
                     kind  missing  mean
        feature
        feature 1  number        0   1.5
        """
        return describe_frame(self.to_frame().iloc[:, :-1])

    def class_counts(self, **settings: Any) -> Any:
        """Return the rows of each class: a `ClassCountsDisplay`."""
        return display("ClassCountsDisplay", self, **settings)

    def findings(self, **settings: Any) -> Any:
        """Return problems that make scores on the data doubtful: a `FindingsDisplay`."""
        return display("FindingsDisplay", self, **settings)

    def skipped_files(self, **settings: Any) -> Any:
        """Return the files that were not read, and why: a `SkippedFilesDisplay`."""
        return display("SkippedFilesDisplay", self, **settings)

    def true_parameters(self, **settings: Any) -> Any:
        """Return the distribution that the data were drawn from: a `TrueParametersDisplay`."""
        return display("TrueParametersDisplay", self, **settings)

    def associations(self, **settings: Any) -> Any:
        """Return the columns by their association with the class: an `AssociationsDisplay`."""
        return display("AssociationsDisplay", self, **settings)

    def column(self, column: str | None = None, **settings: Any) -> Any:
        """Return one column by class: a `ColumnDisplay`."""
        return display("ColumnDisplay", self, column=column, **settings)

    def pair(self, x: str | None = None, y: str | None = None, **settings: Any) -> Any:
        """Return a scatter of two numeric columns: a `ColumnPairDisplay`."""
        return display("ColumnPairDisplay", self, x=x, y=y, **settings)

    def correlations(self, **settings: Any) -> Any:
        """Return the correlations of the columns: a `CorrelationsDisplay`."""
        return display("CorrelationsDisplay", self, **settings)

    def columns(self, **settings: Any) -> Any:
        """Return a summary of every column by class: a `ColumnsDisplay`."""
        return display("ColumnsDisplay", self, **settings)

    def words(self, **settings: Any) -> Any:
        """Return the words by class: a `WordsDisplay`."""
        return display("WordsDisplay", self, **settings)

    def projection(self, split: Split | None = None, *, standardize: bool | None = None) -> Any:
        """Project the rows on principal components and Fisher's directions: `ProjectedData`."""
        project = pkgutil.resolve_name("lincore.inspection:project")
        return project(self, split, standardize=standardize)

    @cached_property
    def holds_counts(self) -> bool:
        """True if every feature is a count: words, pixels, whole numbers from 0."""
        if self.kind.is_sparse:
            return self.n_words == self.n_features
        if self.X.dtype.kind in "ub":
            return True
        if self.has_categories or self.has_missing:
            return False
        return bool((self.X >= 0).all() and (self.X % 1 == 0).all())

    def rows(self, numbers: Any, **settings: Any) -> Any:
        """Return some rows as a table or as images: a `RowsDisplay`."""
        return display("RowsDisplay", self, numbers=tuple(map(int, numbers)), **settings)

    @property
    def kind(self) -> Kind:
        """Images, texts (counts of words, beside columns or alone) or a table."""
        if self.image_shape is not None:
            return IMAGES
        return TEXTS if self.n_words else TABLE

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def n_table_columns(self) -> int:
        """Number of features that are columns rather than word counts."""
        return self.n_features - self.n_words

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def y(self) -> np.ndarray:
        """Label of each row, shape (n,)."""
        labels: np.ndarray = self.classes[self.codes]
        return labels

    @property
    def counts(self) -> np.ndarray:
        """Rows of each class, shape (K,)."""
        return np.bincount(self.codes, minlength=self.n_classes)

    def weights_of(self, rows: Any) -> np.ndarray | None:
        """Return the weights of some rows (m,); None if the data have none.

        Examples
        --------
        >>> import lincore
        >>> lincore.load(([[1.0], [2.0]], ["b", "a"]), weights=[1, 3]).weights_of([1])
        array([1.5])
        """
        return None if self.weights is None else np.asarray(self.weights[rows])

    def counts_in(self, rows: np.ndarray) -> np.ndarray:
        """Return the number of rows of each class among some rows, (K,)."""
        return np.bincount(self.codes[rows], minlength=self.n_classes)

    @property
    def streamed_counts(self) -> np.ndarray:
        """Streamed rows of the same file by class, shape (K,)."""
        return np.zeros(self.n_classes, np.intp) if self.blocks is None else self.blocks.counts

    @property
    def n_streamed(self) -> int:
        """Number of streamed rows of the same file, which are not in memory."""
        return int(self.streamed_counts.sum())

    @cached_property
    def has_missing(self) -> bool:
        """True if any feature of any row is missing."""
        values = self.X.data if self.kind.is_sparse else self.X
        return values.dtype.kind == "f" and bool(np.isnan(values).any())

    @property
    def has_categories(self) -> bool:
        """True if any column of `X` holds level codes."""
        return self.levels is not None and any(names is not None for names in self.levels)

    @property
    def needs_preparation(self) -> bool:
        """True if columns must be converted to numbers first: see `preprocessing.tabular`."""
        return self.has_categories or self.kind.is_sparse or self.has_missing

    def take(self, rows: Any) -> Dataset:
        """Return some of the rows as a new data set.

        Parameters
        ----------
        rows : array of row numbers, (n,) bool, or slice
            In the desired order. Classes without rows are dropped.

        Returns
        -------
        Dataset
            With the metadata of the whole; true parameters of generated data are kept only if no
            class is dropped. Streamed rows are not included.

        Raises
        ------
        DataError
            If no row is left.
        IndexError
            If there is no such row.

        Examples
        --------
        >>> import lincore
        >>> data = lincore.load(([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "c", "c"]))
        >>> few = data.take([3, 0])
        >>> few.X.tolist(), few.y.tolist(), few.classes.tolist()
        ([[4.0], [1.0]], ['c', 'a'], ['a', 'c'])
        """
        chosen = np.arange(self.n_rows)[rows]
        if not chosen.size:
            raise DataError("No row is left.", where=self.name, remedy="Choose at least one.")
        left, codes = np.unique(self.codes[chosen], return_inverse=True)
        names, tested, groups = self.row_names, self.given_test, self.groups
        weights = None if self.weights is None else self.weights[chosen]
        return replace(
            self,
            X=self.X[chosen],
            codes=codes.astype(np.intp, copy=False),
            classes=self.classes[left],
            row_names=None if names is None else tuple(names[row] for row in chosen),
            given_test=None if tested is None else tested[chosen],
            groups=None if groups is None else groups[chosen],
            weights=None if weights is None else weights / weights.mean(),
            truth=self.truth if len(left) == self.n_classes else None,
            blocks=None,
        )

    @cached_property
    def digest(self) -> str:
        """Fingerprint of the whole content (never a sample of it), for caches."""
        state = blake2b(digest_size=16)
        names = (self.name, self.target_name, self.feature_names, self.row_names, self.image_shape)
        preparation = (self.levels, self.n_words, self.group_names, self.imputation, self.rare)
        described = repr(
            (names, self.classes.tolist(), preparation, *filter(None, (self.weight_name,)))
        )
        state.update(described.encode("utf-8", "surrogatepass"))
        X = (self.X.data, self.X.indices, self.X.indptr) if self.kind.is_sparse else (self.X,)
        sums: tuple[np.ndarray, ...] = ()
        if self.blocks is not None:
            moments = self.blocks.moments
            sums = (moments.count, moments.mean, moments.scatter, self.blocks.counts)
        rows = (self.codes, self.given_test, self.groups, self.weights)
        for array in (*X, *rows, *sums):
            if array is not None:
                state.update(repr((array.shape, array.dtype.str)).encode())
                state.update(np.ascontiguousarray(array).data)
        return state.hexdigest()
