"""Truncated SVD of word counts."""

from __future__ import annotations

from typing import Any

from sklearn.decomposition import TruncatedSVD

from lincore.utils.atomic import atomic


class SingularVectors(TruncatedSVD):
    """scikit-learn's truncated SVD, limited to the number of columns."""

    # The number of words of a training set is unknown until they are counted.

    n_components: int

    @atomic
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit to sparse rows (n, p) and return them as (n, at most `n_components`)."""
        requested = self.n_components
        self.n_components = min(requested, X.shape[1])
        try:
            return super().fit_transform(X, y)
        finally:
            self.n_components = requested
