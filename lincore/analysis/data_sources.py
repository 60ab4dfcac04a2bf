"""Data of an analysis: sample, generated classes, experiment, file by SHA-256."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol, TypeAlias

from lincore.checks.image_duplicates import drop_image_duplicates
from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.fields.bounds import AtMost, Between, Matching, Name, OneOf
from lincore.io.files.sources import large_path, read_source
from lincore.io.images.decode import is_image
from lincore.io.images.read import ImageOptions, read_image_files, read_image_zip
from lincore.io.loading import recognise_file
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
from lincore.io.tables.formats.zipped import tables_among, zip_tables
from lincore.io.tables.options import TableOptions
from lincore.io.tables.text.options import ReadOptions
from lincore.laboratory.board import MOST_POINTS
from lincore.laboratory.catalogue import EXPERIMENTS, experiment_rows
from lincore.utils.typing import Progress

#: Classes and features, and rows in all, of generated data.
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


@dataclass(frozen=True)
class SampleData:
    """One of the bundled data sets, possibly with other column roles.

    Parameters
    ----------
    name : str
        As in `lincore.io.SAMPLES`.
    target : str, optional
        Another column for the classes. For tables only, as what follows.
    reading : ReadOptions
    table : TableOptions
    drop_image_duplicates : bool
        As for `FileData`.
    """

    kind: ClassVar[str] = "sample"  # in JSON

    name: Annotated[str, OneOf(SAMPLES)]
    target: Name | None = None
    reading: ReadOptions = ReadOptions()
    table: TableOptions = TableOptions()
    drop_image_duplicates: bool = False

    def load(self, file: Any = None, *, progress: Progress | None = None) -> Dataset:
        """Return the data set; `file` is ignored.

        Raises
        ------
        DataError
            When its columns cannot be used so.
        """
        if self.name in SAMPLE_TABLES:
            target = self.target or SAMPLE_TABLES[self.name]
            table = read_table(sample_file(self.name), f"{self.name}.csv", self.reading)
            return table_to_dataset(table, target, self.table)
        found = sample(self.name)
        called = found.target_name or "class"
        target = self.target or called
        if target == called and self.reading == ReadOptions() and self.table == TableOptions():
            return drop_image_duplicates(found) if self.drop_image_duplicates else found
        if found.kind.is_images:
            raise DataError("It has images and no columns.", where=f"sample {self.name!r}")
        table = dataset_to_table(found, called, self.reading)
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
        With more than 100,000 rows in all.
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
        """Raise an error for more rows than a page draws."""
        rows = sum(self.sizes) if isinstance(self.sizes, tuple) else self.sizes or 0
        if rows > MOST_ROWS:
            raise DataError(
                f"There would be {rows:,} rows.",
                where="data.sizes",
                remedy=f"Give at most {MOST_ROWS:,} in all.",
            )

    def arguments(self) -> dict[str, Any]:
        """Return the keywords of `lincore.io.gaussian_classes`.

        Examples
        --------
        >>> GeneratedData(means=((0.0,), (2.0,)), seed=3).arguments()
        {'means': ((0.0,), (2.0,)), 'seed': 3}
        """
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        return {one.name: given[one.name] for one in fields(self) if given[one.name] != one.default}

    def load(self, file: Any = None, *, progress: Progress | None = None) -> Dataset:
        """Return rows drawn from the classes; `file` is ignored.

        Raises
        ------
        DataError
            When the arguments do not fit each other.
        """
        return gaussian_classes(**self.arguments())


@dataclass(frozen=True)
class DownloadData:
    """A data set that scikit-learn can fetch.

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
            When it cannot be downloaded.
        """
        found = fetch_dataset(self.name)
        return drop_image_duplicates(found) if self.drop_image_duplicates else found


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
        Two coordinates and a class each: rows moved by hand, where a preset has such.
    """

    kind: ClassVar[str] = "experiment"  # in JSON

    experiment: Annotated[str, OneOf(tuple(EXPERIMENTS))]
    preset: Annotated[str, AtMost(40)] = "classic"
    points: Points = ()

    def load(self, file: Any = None, *, progress: Progress | None = None) -> Dataset:
        """Return the rows; `file` is not looked at.

        Raises
        ------
        DataError
            For a preset that there is not, or that has no rows, and for rows that cannot be.
        """
        return experiment_rows(self.experiment, self.preset, points=self.points)


@dataclass(frozen=True)
class FileData:
    """A file of the user, known by its name and its content, and how it is read.

    Parameters
    ----------
    name : str
        Of the file; of several images together "images".
    sha256 : str
        64 hexadecimal digits, of the bytes; of several files, of one after the other in the order
        of their names. Empty: any file is taken.
    target : str, optional
        The column of the classes, by its name in the file; proposed when not given.
    reading : ReadOptions
        For text.
    table : TableOptions
        For tables.
    images : ImageOptions
        For images.
    drop_image_duplicates : bool
        Whether duplicates among images are left out (`lincore.checks.drop_image_duplicates`).
    several : bool
        Whether it is several files, or a folder: it is called as the folder then, or "images" or
        "tables".
    """

    kind: ClassVar[str] = "file"  # in JSON

    name: Name
    sha256: Sha256 = ""
    target: Name | None = None
    reading: ReadOptions = ReadOptions()
    table: TableOptions = TableOptions()
    images: ImageOptions = ImageOptions()
    drop_image_duplicates: bool = False
    several: bool = False

    def load(
        self,
        file: str | Path | bytes | Sequence[tuple[str, bytes]] | None = None,
        *,
        progress: Progress | None = None,
    ) -> Dataset:
        r"""Return the data set that the file makes.

        Parameters
        ----------
        file : path, bytes, open binary file, or several (name, bytes)
        progress : callable, optional
            As for `lincore.io.read_image_zip`.

        Raises
        ------
        DataError
            When there is no file, its SHA-256 is another one, or it cannot be used.

        Examples
        --------
        >>> FileData("flowers.csv").load(b"length,kind\n1,a\n2,b\n3,a\n4,b\n").classes.tolist()
        ['a', 'b']
        """
        found = checked_file(self, file)
        if isinstance(found, Path):
            table = read_table(found, self.name, self.reading)
            return table_to_dataset(table, self.target, self.table, progress=progress)
        if not isinstance(found, bytes):
            tables = tables_among(found)
            if any(is_image(raw, name) for name, raw in found) or not tables:
                return self._without(
                    read_image_files(found, self.images, name=self.name, progress=progress)
                )
            found = tables[0][1] if len(tables) == 1 else zip_tables(tables)
        kind, raw, name = recognise_file(found, self.name)
        if kind == "arrays":
            return self._without(read_npz(raw, name))
        if kind == "images":
            return self._without(read_image_zip(raw, name, self.images, progress=progress))
        table = read_table(raw, name, self.reading)
        return table_to_dataset(table, self.target, self.table, progress=progress)

    def _without(self, data: Dataset) -> Dataset:
        return drop_image_duplicates(data) if self.drop_image_duplicates else data


class NamedFile(Protocol):
    """A file that a specification knows by its name and its content."""

    @property
    def name(self) -> str:
        """Name of the file; "images" of several images."""

    @property
    def sha256(self) -> str:
        """SHA-256 of its bytes; empty where any file is taken."""


def checked_file(
    wanted: NamedFile, file: Any, asked: str = "The analysis is of a file."
) -> Path | bytes | list[tuple[str, bytes]]:
    """Return a readable file, if it is the expected one.

    Parameters
    ----------
    wanted : NamedFile
    file : path, bytes, open binary file, several (name, bytes) of images, or None
    asked : str
        The first sentence of the message where there is none.

    Returns
    -------
    Path, bytes or list of (name, bytes)
        The path of a file that is too large to be held; images in the order of their names.

    Raises
    ------
    DataError
        When there is no file, or its SHA-256 is another one.

    Examples
    --------
    >>> checked_file(FileData("a.csv"), b"u,v")
    b'u,v'
    """
    if file is None:
        raise DataError(asked, where=wanted.name, remedy="Give this file as well.")
    large = large_path(file)
    if large is not None:
        with large.open("rb") as stream:
            check_hash(wanted, hash_of(iter(lambda: stream.read(1 << 20), b"")))
        return large
    if isinstance(file, Sequence) and not isinstance(file, (str, bytes)):
        files = sorted(file, key=lambda one: one[0])
        check_hash(wanted, hash_of(raw for _, raw in files))
        return files
    raw, _ = read_source(file, wanted.name)
    check_hash(wanted, hash_of([raw]))
    return raw


def check_hash(wanted: NamedFile, found: str) -> None:
    """Raise an error for a file whose SHA-256 is not the expected one."""
    if wanted.sha256 and found != wanted.sha256:
        raise DataError(
            f"This is another file: its SHA-256 begins with {found[:12]}, that of the analysis "
            f"with {wanted.sha256[:12]}.",
            where=wanted.name,
            remedy=f"Give the file {wanted.name} that the analysis was made with.",
        )


def hash_of(blocks: Iterable[bytes]) -> str:
    """Return the SHA-256 of successive bytes, as 64 hexadecimal digits.

    Parameters
    ----------
    blocks : iterable of bytes

    Returns
    -------
    str

    Examples
    --------
    >>> hash_of([b"a", b"b"])[:8]
    'fb8e20fc'
    """
    digest = sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


DataSource: TypeAlias = SampleData | GeneratedData | DownloadData | ExperimentData | FileData
