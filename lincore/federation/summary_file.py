"""Shared moments as a file: arrays and names in an npz, without anything that could be run."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np

from lincore.errors import DataError
from lincore.federation.shared_moments import SharedMoments
from lincore.io.files.archives import list_zip
from lincore.limits import LIMITS, Limits, is_zip
from lincore.moments.moments import Moments

#: Of the file's fields; another number is another meaning.
SCHEMA = 1
_ARRAYS = ("count", "mean", "scatter")


def summary_bytes(shared: SharedMoments) -> bytes:
    """Return the moments of sites as a file: of each scatter one half, for it is symmetric.

    Parameters
    ----------
    shared : SharedMoments

    Returns
    -------
    bytes
        An npz of three arrays of numbers, and the names as JSON in a fourth.
    """
    upper = np.triu_indices(shared.moments.n_features)
    header = {
        "schema": SCHEMA,
        "features": shared.feature_names,
        "classes": shared.classes.tolist(),
        "target": shared.target_name,
        "seed": shared.seed,
        "smallest": shared.smallest,
        "digests": shared.digests,
    }
    file = io.BytesIO()
    np.savez_compressed(
        file,
        header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
        count=shared.moments.count,
        mean=shared.moments.mean,
        scatter=shared.moments.scatter[..., *upper],
    )
    return file.getvalue()


def is_summary(raw: bytes) -> bool:
    """Tell whether a file claims to be one of `summary_bytes`.

    Parameters
    ----------
    raw : bytes

    Examples
    --------
    >>> import lincore
    >>> from lincore.federation.shared_moments import summarise
    >>> is_summary(summary_bytes(summarise(lincore.sample("iris"), n_folds=2))), is_summary(b"a,b")
    (True, False)
    """
    # The first entry alone: to list a hostile zip of a million takes many seconds.
    return is_zip(raw) and raw[30:].startswith(b"header.npy")


def read_summary(raw: bytes, name: str, limits: Limits = LIMITS) -> SharedMoments:
    """Read a file of `summary_bytes`.

    Parameters
    ----------
    raw : bytes
    name : str
        The file's name, for messages.
    limits : Limits

    Returns
    -------
    SharedMoments

    Raises
    ------
    DataError
        When it is damaged, hostile, or of another version.

    Examples
    --------
    >>> import lincore
    >>> from lincore.federation.shared_moments import summarise
    >>> one = summarise(lincore.sample("iris"), n_folds=2)
    >>> again = read_summary(summary_bytes(one), "iris.npz")
    >>> bool((again.moments.scatter == one.moments.scatter).all()), again.digests == one.digests
    (True, True)
    """
    if not is_zip(raw):
        raise _unusable("It is no file of moments.", name)
    for file in list_zip(raw, name, limits):
        if file.refused:
            raise _unusable(f"{file.path}: {file.refused}.", name)
    try:
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            header = json.loads(arrays["header"].tobytes())
            count, mean, half = (np.asarray(arrays[one], dtype=float) for one in _ARRAYS)
        return _checked(header, count, mean, half)
    # NumPy and zlib meet hostile bytes here.
    except Exception as error:
        raise _unusable(f"It is no file of moments, or damaged: {error}.", name) from error


def _checked(header: Any, count: Any, mean: Any, half: Any) -> SharedMoments:
    """Return the record that a file claims to be, or raise a ValueError that says what is wrong."""
    if header["schema"] != SCHEMA:
        raise ValueError(f"version {header['schema']!r}; this lincore reads version {SCHEMA}")
    names, classes = header["features"], header["classes"]
    texts = [*names, *header["digests"], header["target"]]
    if not all(isinstance(text, str) for text in texts) or len(set(names)) < len(names):
        raise ValueError("names are not text, or there twice")
    labels = np.array(classes)
    if labels.ndim != 1 or labels.dtype.kind not in "biuU" or len(np.unique(labels)) < len(labels):
        raise ValueError("classes are neither text nor whole numbers, or there twice")
    p, shape = len(names), (len(count), len(classes))
    sizes = (shape, (*shape, p), (*shape, p * (p + 1) // 2))
    if (count.shape, mean.shape, half.shape) != sizes or len(count) < 2:
        raise ValueError("arrays and names are not of one size")
    smallest, seed = int(header["smallest"]), int(header["seed"])
    if not all(np.isfinite(values).all() for values in (count, mean, half)) or (count < 0).any():
        raise ValueError("counts, means or scatters are not finite, or negative")
    upper = np.triu_indices(p)
    scatter = np.zeros((*shape, p, p))
    scatter[..., *upper] = half
    scatter[..., *upper[::-1]] = half
    return SharedMoments(
        Moments(count, mean, scatter),
        tuple(names),
        labels,
        header["target"],
        seed,
        smallest,
        tuple(header["digests"]),
    )


def _unusable(what: str, name: str) -> DataError:
    return DataError(what, where=name, remedy="Have the site write its moments again.")
