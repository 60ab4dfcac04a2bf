"""Bundled, generated and downloadable sample data sets."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn import datasets

from lincore.data.dataset import Dataset
from lincore.data.faces import faces
from lincore.data.frames import pixel_names
from lincore.data.generators import gaussian_classes
from lincore.data.labels import encode_labels
from lincore.data.passengers import passengers_csv
from lincore.data.prml_sample import prml_rows
from lincore.errors import DataError, not_among
from lincore.io.table_files import read_table, table_to_dataset

__all__ = [
    "DOWNLOADS",
    "SAMPLES",
    "SAMPLE_TABLES",
    "fetch_dataset",
    "gaussian_classes",
    "sample",
    "sample_file",
]

SAMPLES = (
    "passengers",
    "faces",
    "gaussian",
    "prml chapter 4",
    "iris",
    "wine",
    "breast cancer",
    "digits",
)
#: The samples that are read from the text of a table, and the column of their classes.
SAMPLE_TABLES = {"passengers": "survived"}
# What the classes of the bundled tables mean.
_TARGETS = {"iris": "species", "wine": "cultivar", "breast cancer": "diagnosis"}

# Seconds to wait for the first response of a server.
_PATIENCE = 4.0


class _Download(NamedTuple):
    """A data set that scikit-learn can fetch."""

    url: str  # address of its bytes
    # Where scikit-learn stores them, below its data folder; * matches one of several files.
    stored: str
    openml: int = 0  # number of the data set at OpenML; 0 elsewhere
    last: int = 0  # number of test rows at the end, by convention of the data set


_OPENML = "https://api.openml.org/api/v1/json/data/"
_DOWNLOADS = {
    "olivetti faces": _Download("https://ndownloader.figshare.com/files/5976027", "olivetti*.pkz"),
    "mnist": _Download(f"{_OPENML}554", "openml/**/*554*", 554, 10_000),
    "fashion mnist": _Download(f"{_OPENML}40996", "openml/**/*40996*", 40996, 10_000),
}
DOWNLOADS = tuple(_DOWNLOADS)


def sample(name: str) -> Dataset:
    """Return one of the bundled data sets, named as in `SAMPLES`.

    Parameters
    ----------
    name : str
        One of `SAMPLES`.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        If there is no such sample.

    Examples
    --------
    >>> data = sample("iris")
    >>> data.X.shape, data.classes.tolist()
    ((150, 4), ['setosa', 'versicolor', 'virginica'])
    >>> sample("breast_cancer").name  # as scikit-learn writes it
    'breast cancer'
    """
    asked, name = name, name.lower().replace("_", " ").replace("-", " ")
    if name not in SAMPLES:
        raise not_among("There is no such sample.", f"sample {asked!r}", SAMPLES)
    if name in SAMPLE_TABLES:
        table = read_table(sample_file(name), f"{name}.csv")
        return table_to_dataset(table, SAMPLE_TABLES[name])
    made: dict[str, Callable[[], Dataset]] = {
        "gaussian": gaussian_classes,
        "faces": faces,
        "prml chapter 4": prml_rows,
        "digits": _digits,
    }
    return made[name]() if name in made else _bundled_table(name)


def sample_file(name: str) -> bytes:
    """Return the text of a sample table with columns of all kinds, one of `SAMPLE_TABLES`.

    Parameters
    ----------
    name : str
        A key of `SAMPLE_TABLES`.

    Returns
    -------
    bytes
        A CSV file, as a user would upload it.
    """
    return {"passengers": passengers_csv}[name]()


def _bundled_table(name: str) -> Dataset:
    bunch = getattr(datasets, f"load_{name.replace(' ', '_')}")()
    codes, classes = encode_labels(bunch.target_names[bunch.target], name)
    features = tuple(str(feature) for feature in bunch.feature_names)
    X = bunch.data.astype(np.float64)
    return Dataset(name, X, codes, classes, features, target_name=_TARGETS[name])


def _digits() -> Dataset:
    bunch = datasets.load_digits()
    codes, classes = encode_labels(bunch.target, "digits")
    # Values run from 0 to 16: multiplied by 15 they are exact, proportional grey levels.
    X = (15 * bunch.data).astype(np.uint8)
    return Dataset("digits", X, codes, classes, pixel_names(8, 8), image_shape=(8, 8))


def fetch_dataset(name: str) -> Dataset:
    """Download one of scikit-learn's data sets, named as in `DOWNLOADS`.

    scikit-learn caches downloads (``sklearn.datasets.get_data_home()``), so the network is needed
    only once.

    Parameters
    ----------
    name : {"olivetti faces", "mnist", "fashion mnist"}

    Returns
    -------
    Dataset
        Grey images; the last 10,000 of either MNIST are its test set.

    Raises
    ------
    DataError
        If there is no such data set, or it cannot be downloaded.
    """
    if name not in _DOWNLOADS:
        raise not_among("There is no such data set.", f"data set {name!r}", DOWNLOADS)
    wanted = _DOWNLOADS[name]
    _require_network(name, wanted)
    try:
        if wanted.openml:
            bunch = datasets.fetch_openml(
                data_id=wanted.openml, as_frame=False, parser="pandas", n_retries=1
            )
            pixels, labels = bunch.data, bunch.target.astype(np.int64)  # labels come as text
        else:
            bunch = datasets.fetch_olivetti_faces(n_retries=1)
            pixels, labels = 255 * bunch.data, bunch.target
    # No network, no disk, a changed file: anything may go wrong.
    except Exception as error:
        raise _unreachable(name, error) from error
    pixels = np.rint(pixels).astype(np.uint8)
    side = int(np.sqrt(pixels.shape[1]))
    codes, classes = encode_labels(labels, name)
    tested = np.arange(len(pixels)) >= len(pixels) - wanted.last if wanted.last else None
    return Dataset(
        name,
        pixels,
        codes,
        classes,
        pixel_names(side, side),
        given_test=tested,
        image_shape=(side, side),
    )


def _require_network(name: str, wanted: _Download) -> None:
    """Request one byte from the server: scikit-learn itself would wait for minutes."""
    if any(Path(datasets.get_data_home()).glob(wanted.stored)):
        return
    # The address is a constant of this file.
    request = urllib.request.Request(wanted.url, headers={"User-Agent": "lincore"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310
            answer.read(1)
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise _unreachable(name, error) from error


def _unreachable(name: str, error: Exception) -> DataError:
    return DataError(
        f"It cannot be downloaded: {error}.",
        where=f"data set {name!r}",
        remedy="Check the network, or load the data from a file.",
    )
