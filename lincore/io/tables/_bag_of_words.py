"""Text columns as word counts: the bag of words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from lincore.errors import DataError
from lincore.limits import LIMITS


class Words(NamedTuple):
    """Counts of each word in each text.

    Attributes
    ----------
    counts : csr_array of shape (n, q)
        In float64.
    vocabulary : tuple of q str
        In alphabetical order.
    """

    counts: Any
    vocabulary: tuple[str, ...]


def count_words(texts: Iterable[object], where: str) -> Words:
    """Count the words of each text as scikit-learn's CountVectorizer does.

    A word is a run of two or more letters or digits, ignoring case. After dropping words that occur
    in no training text, the result equals that of a CountVectorizer fitted to the training texts.
    """
    vectorizer = CountVectorizer(dtype=np.float64)
    try:
        counts = vectorizer.fit_transform(text if isinstance(text, str) else "" for text in texts)
    except ValueError as error:
        raise DataError(
            "It contains no words of two or more letters.",
            where=where,
            remedy="Ignore this column.",
        ) from error
    if counts.shape[1] > LIMITS.max_words or counts.nnz > 100 * LIMITS.max_words:
        raise DataError(
            f"There are {counts.shape[1]:,} distinct words, {counts.nnz:,} in all rows together.",
            where=where,
            remedy="Load fewer rows, or shorter texts.",
        )
    return Words(sp.csr_array(counts), tuple(vectorizer.get_feature_names_out().tolist()))
