"""The distributions that naive Bayes assumes of the columns, as a sentence."""

from __future__ import annotations


def naive_bayes_distributions(n_numeric: int, n_categorical: int) -> str:
    """Return which columns are Gaussian and which multinomial.

    Parameters
    ----------
    n_numeric, n_categorical : int
        Numbers of columns before they were coded; without any categorical ones they were mixed
        with others.

    Examples
    --------
    >>> naive_bayes_distributions(7, 5)
    'Naive Bayes: 7 numeric columns Gaussian, 5 categorical columns multinomial.'
    """
    if not n_categorical:
        return (
            "Naive Bayes: categories were coded as numbers and mixed with others by the steps "
            "before, so all columns are Gaussian. Without a projection or a basis they would have "
            "probabilities of their own."
        )
    numeric = f"{_columns(n_numeric, 'numeric')} Gaussian, " if n_numeric else ""
    return f"Naive Bayes: {numeric}{_columns(n_categorical, 'categorical')} multinomial."


def _columns(number: int, kind: str) -> str:
    return f"{number:,} {kind} column{'' if number == 1 else 's'}"
