"""Data of an analysis: sample, generated classes, experiment, file by SHA-256."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol, TypeAlias

from lincore.checks.image_duplicates import drop_image_duplicates
from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.fields.bounds import AtMost, Between, Matching, Name, OneOf
from lincore.fields.field import Field
from lincore.io.files.sources import large_path, read_source
from lincore.io.files.verified import check_hash, file_hash, hash_of
from lincore.io.images.read import ImageOptions, read_image_files, read_image_zip
from lincore.io.loading import combine_tables, recognise_file
from lincore.io.npz import read_npz
from lincore.io.samples import (
    DOWNLOADS,
    SAMPLE_TABLES,
    SAMPLES,
    fetch_dataset,
    gaussian_classes,
    sample,
    sample_file,
)
from lincore.io.table_files import dataset_to_table, read_table, table_to_dataset
from lincore.io.tables.table import TableOptions
from lincore.io.tables.text.options import ReadOptions
from lincore.laboratory.catalogue import EXPERIMENTS, experiment_rows
from lincore.laboratory.experiment import MOST_POINTS
from lincore.utils.typing import Progress

#: Limits of generated data: classes, features, rows in total.
MOST_CLASSES, MOST_ROWS = 20, 100_000

Sha256: TypeAlias = Annotated[str, Matching("([0-9a-f]{64})?", "64 hexadecimal digits")]
_Coordinate: TypeAlias = Annotated[float, Between(-1e3, 1e3)]
Points: TypeAlias = Annotated[
    tuple[tuple[_Coordinate, _Coordinate, Annotated[int, Between(0, 1)]], ...], AtMost(MOST_POINTS)
]
_Row: TypeAlias = Annotated[tuple[Annotated[float, Between(-1e9, 1e9)], ...], AtMost(MOST_CLASSES)]
_Matrix: TypeAlias = Annotated[tuple[_Row, ...], AtMost(MOST_CLASSES)]
_Size: TypeAlias = Annotated[int, Between(1, MOST_ROWS)]
_Share: TypeAlias = Annotated[float, Between(0, 1)]
Target: TypeAlias = Annotated[
    str, AtMost(200), Field("Target", "The column of the classes; guessed by default.")
]


@dataclass(frozen=True)
class SampleData:
    """One of the bundled data sets, possibly with other column roles.

    Parameters
    ----------
    name : str
        As in `lincore.io.SAMPLES`.
    target : str, optional
        Another column for the classes; for tables only, as are the next two.
    reading : ReadOptions
    table : TableOptions
    drop_image_duplicates : bool
        As for `FileData`.
    """

    kind: ClassVar[str] = "sample"  # in JSON

    name: Annotated[str, OneOf(SAMPLES)]
    target: Target | None = None
    reading: ReadOptions = ReadOptions()
    table: TableOptions = TableOptions()
    drop_image_duplicates: bool = False

    def load(self, file: Any = None, *, progress: Progress | None = None) -> Dataset:
        """Return the data set; `file` is ignored.

        Raises
        ------
        DataError
            If its columns cannot be used so.
        """
        if self.name in SAMPLE_TABLES:
            target = self.target or SAMPLE_TABLES[self.name]
            table = read_table(sample_file(self.name), f"{self.name}.csv", self.reading)
            return table_to_dataset(table, target, self.table)
        data = sample(self.name)
        class_column = data.target_name or "class"
        target = self.target or class_column
        if (
            target == class_column
            and self.reading == ReadOptions()
            and self.table == TableOptions()
        ):
            return drop_image_duplicates(data) if self.drop_image_duplicates else data
        if data.kind.is_images:
            raise DataError(
                "It consists of images and has no columns.", where=f"sample {self.name!r}"
            )
        table = dataset_to_table(data, class_column, self.reading)
        return table_to_dataset(table, target, self.table)


@dataclass(frozen=True)
class GeneratedData:
    """Gaussian classes: the arguments of `lincore.io.gaussian_classes`.

    Parameters
    ----------
    means : tuple of K tuples of p numbers, optional
    covariances : tuple of tuples, optional
        One matrix of p rows, or K of them.
    sizes : tuple of K numbers, or one, optional
    priors : tuple of K numbers, optional
    outliers, label_noise : float
    seed : int

    Raises
    ------
    DataError
        With more than 100,000 rows in total.
    """

    kind: ClassVar[str] = "generated"  # in JSON

    means: _Matrix | None = None
    covariances: _Matrix | Annotated[tuple[_Matrix, ...], AtMost(MOST_CLASSES)] | None = None
    sizes: Annotated[tuple[_Size, ...], AtMost(MOST_CLASSES)] | _Size | None = None
    priors: _Row | None = None
    outliers: _Share = 0.0
    label_noise: _Share = 0.0
    seed: Annotated[int, Between(0, 2**32 - 1)] = 0

    def __post_init__(self) -> None:
        """Raise an error if there are more rows than a page can draw."""
        rows = sum(self.sizes) if isinstance(self.sizes, tuple) else self.sizes or 0
        if rows > MOST_ROWS:
            raise DataError(
                f"There would be {rows:,} rows.",
                where="data.sizes",
                remedy=f"Give at most {MOST_ROWS:,} in total.",
            )

    def arguments(self) -> dict[str, Any]:
        """Return the keywords of `lincore.io.gaussian_classes`.

        Examples
        --------
        >>> GeneratedData(means=((0.0,), (2.0,)), seed=3).arguments()
        {'means': ((0.0,), (2.0,)), 'seed': 3}
        """
        given = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in given.items() if value != default}

    def load(self, file: Any = None, *, progress: Progress | None = None) -> Dataset:
        """Return rows drawn from the classes; `file` is ignored.

        Raises
        ------
        DataError
            If the arguments do not fit each other.
        """
        return gaussian_classes(**self.arguments())


@dataclass(frozen=True)
class DownloadData:
    """A data set that scikit-learn can download.

    Parameters
    ----------
    name : str
        As in `lincore.io.DOWNLOADS`.
    drop_image_duplicates : bool
        As for `FileData`.
    """

    kind: ClassVar[str] = "download"  # in JSON

    name: Annotated[str, OneOf(DOWNLOADS)]
    drop_image_duplicates: bool = False

    def load(self, file: Any = None, *, progress: Progress | None = None) -> Dataset:
        """Return the data set, downloaded or from the cache; `file` is ignored.

        Raises
        ------
        DataError
            If it cannot be downloaded.
        """
        data = fetch_dataset(self.name)
        return drop_image_duplicates(data) if self.drop_image_duplicates else data


@dataclass(frozen=True)
class ExperimentData:
    """The rows of an experiment of the laboratory.

    Parameters
    ----------
    experiment : str
        As in `lincore.laboratory.EXPERIMENTS`.
    preset : str
        As in its presets.
    points : tuple of (float, float, int)
        Two coordinates and a class for each row, if rows of the preset were moved.
    """

    kind: ClassVar[str] = "experiment"  # in JSON

    experiment: Annotated[str, OneOf(tuple(EXPERIMENTS))]
    preset: Annotated[str, AtMost(40)] = "classic"
    points: Points = ()

    def load(self, file: Any = None, *, progress: Progress | None = None) -> Dataset:
        """Return the rows; `file` is ignored.

        Raises
        ------
        DataError
            If the preset does not exist or has no rows, or if the points are invalid.
        """
        return experiment_rows(self.experiment, self.preset, points=self.points)


@dataclass(frozen=True)
class FileData:
    """A file of the user, identified by name and content, with its import options.

    Parameters
    ----------
    name : str
        Name of the file; "images" for several images.
    sha256 : str
        Digest of the bytes, 64 hexadecimal digits; several files are concatenated in the order of
        their names. Empty: any file is accepted.
    target : str, optional
        The column of the classes, by its name in the file. Default: the proposed one.
    reading : ReadOptions
        Import options of text files.
    table : TableOptions
        Use of columns and rows of tables.
    images : ImageOptions
        Import options of images.
    drop_image_duplicates : bool
        Whether duplicates among images are left out (`lincore.checks.drop_image_duplicates`).
    several : bool
        Whether it consists of several files or a folder; its name is then that of the folder, or
        "images" or "tables".
    """

    kind: ClassVar[str] = "file"  # in JSON

    name: Name
    sha256: Sha256 = ""
    target: Target | None = None
    reading: ReadOptions = ReadOptions()
    table: TableOptions = TableOptions()
    images: ImageOptions = ImageOptions()
    drop_image_duplicates: bool = False
    several: bool = False

    @property
    def request(self) -> str:
        """The sentence that asks for it."""
        return f"This analysis needs {self.name}: upload it again to continue."

    def load(
        self,
        file: str | Path | bytes | Sequence[tuple[str, bytes]] | None = None,
        *,
        progress: Progress | None = None,
    ) -> Dataset:
        r"""Return the data set made from the file.

        Parameters
        ----------
        file : path, bytes, open binary file, or several (name, bytes)
        progress : callable, optional
            As for `lincore.io.read_image_zip`.

        Raises
        ------
        DataError
            If the file is missing, has a different SHA-256, or cannot be used.

        Examples
        --------
        >>> FileData("flowers.csv").load(b"length,kind\n1,a\n2,b\n3,a\n4,b\n").classes.tolist()
        ['a', 'b']
        """
        content = checked_file(self, file)
        if isinstance(content, Path):
            table = read_table(content, self.name, self.reading)
            return table_to_dataset(table, self.target, self.table, progress=progress)
        if not isinstance(content, bytes):
            tables = combine_tables(content)
            if tables is None:
                return self._deduplicated(
                    read_image_files(content, self.images, name=self.name, progress=progress)
                )
            content = tables
        kind, raw, name = recognise_file(content, self.name)
        if kind == "arrays":
            return self._deduplicated(read_npz(raw, name))
        if kind == "images":
            return self._deduplicated(read_image_zip(raw, name, self.images, progress=progress))
        table = read_table(raw, name, self.reading)
        return table_to_dataset(table, self.target, self.table, progress=progress)

    def _deduplicated(self, data: Dataset) -> Dataset:
        return drop_image_duplicates(data) if self.drop_image_duplicates else data


class NamedFile(Protocol):
    """A file identified by name and content in a specification."""

    @property
    def name(self) -> str:
        """Name of the file; "images" for several images."""

    @property
    def sha256(self) -> str:
        """SHA-256 of its bytes; empty if any file is accepted."""


def checked_file(
    wanted: NamedFile, file: Any, asked: str = "The analysis needs a file."
) -> Path | bytes | list[tuple[str, bytes]]:
    """Return a file in readable form, if it is the expected one.

    Parameters
    ----------
    wanted : NamedFile
    file : path, bytes, open binary file, several (name, bytes) of images, or None
    asked : str
        The first sentence of the message if the file is missing.

    Returns
    -------
    Path, bytes or list of (name, bytes)
        The path of a file that is too large for memory; images in the order of their names.

    Raises
    ------
    DataError
        If the file is missing or has a different SHA-256.

    Examples
    --------
    >>> checked_file(FileData("a.csv"), b"u,v")
    b'u,v'
    """
    if file is None:
        raise DataError(asked, where=wanted.name, remedy="Provide this file as well.")
    large = large_path(file)
    if large is not None:
        check_hash(wanted.name, wanted.sha256, file_hash(large))
        return large
    if isinstance(file, Sequence) and not isinstance(file, (str, bytes)):
        files = sorted(file, key=lambda named: named[0])
        check_hash(wanted.name, wanted.sha256, hash_of(raw for _, raw in files))
        return files
    raw, _ = read_source(file, wanted.name)
    check_hash(wanted.name, wanted.sha256, hash_of([raw]))
    return raw


DataSource: TypeAlias = SampleData | GeneratedData | DownloadData | ExperimentData | FileData
