"""Moments by class of a table that stays in its database: the questions in SQL, and the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lincore.errors import DataError
from lincore.moments.moments import Moments
from lincore.utils.sql_names import identifier

#: Features that one table is asked for: more would be more columns than PostgreSQL selects from.
MOST_FEATURES = 500
#: Rows of a class below which no sums are taken or shared: of one row the mean is the row.
SMALLEST_CELL = 20
# Sums in one answer: SQLite selects 2,000 columns at most, PostgreSQL 1,664.
_SUMS_AT_ONCE = 1_000


@dataclass(frozen=True)
class MomentsQuery:
    """Count, mean and scatter of the classes of a table, asked for in SQL.

    No row is selected: each statement gives one row of sums for each class. Products are summed
    about the means of the class, which an inner query finds first, so that nothing is lost where
    means are large beside the spread. Rows without a label, or without a value in any of the
    features, are left out.

    Parameters
    ----------
    table : str or sequence of str
        Name of the table, or its parts: ``("schema", "table")``.
    features : sequence of p str
        Columns of numbers.
    target : str
        Column of the labels.
    dialect : {"standard", "mysql"}
        Standard SQL, as DuckDB, PostgreSQL and SQLite take it, or with the backticks of MySQL.
    smallest : int, default 20
        Rows that every class must have: the answers about fewer would reveal single rows.

    Raises
    ------
    DataError
        With no feature, one that is there twice, or more than 500, and for names that SQL has not.

    Notes
    -----
    The database answers about every class, however small; `read` refuses such answers. Who must not
    see them leaves the class out of the table, or lets somebody else ask.

    References
    ----------
    Chan, Golub, LeVeque (1983), "Algorithms for computing the sample variance", section 3.

    Examples
    --------
    >>> import sqlite3
    >>> from lincore import LinearDiscriminantAnalysis
    >>> warehouse = sqlite3.connect(":memory:")
    >>> _ = warehouse.execute("CREATE TABLE flowers (length REAL, width REAL, kind TEXT)")
    >>> rows = [(1.0, 2.0, "a"), (3.0, 6.0, "a"), (2.0, 3.0, "a"), (9.0, 9.0, "b"), (8.0, 9.5, "b")]
    >>> _ = warehouse.executemany("INSERT INTO flowers VALUES (?, ?, ?)", rows)
    >>> query = MomentsQuery("flowers", ["length", "width"], "kind", smallest=2)
    >>> answers = [warehouse.execute(text).fetchall() for text in query.statements]
    >>> moments, classes = query.read(answers)
    >>> moments.count, classes
    (array([3., 2.]), array(['a', 'b'], dtype='<U1'))
    >>> LinearDiscriminantAnalysis().fit_moments(moments, classes).predict([[1.0, 3.0]])
    array(['a'], dtype='<U1')
    >>> warehouse.close()
    """

    table: str | Sequence[str]
    features: Sequence[str]
    target: str
    dialect: Literal["standard", "mysql"] = "standard"
    smallest: int = SMALLEST_CELL

    def __post_init__(self) -> None:
        """Check the features."""
        p = len(self.features)
        if not 0 < p <= MOST_FEATURES or len({*self.features, self.target}) < p + 1:
            raise DataError(
                f"{p} features were named, or a column twice.",
                where="moments in SQL",
                remedy=f"Name 1 to {MOST_FEATURES} columns, each once, the target not among them.",
            )

    @property
    def statements(self) -> tuple[str, ...]:
        """The questions: one for up to 40 features, since each gives at most 1,000 sums."""
        sums = self._sums()
        chunks = [sums[at : at + _SUMS_AT_ONCE] for at in range(0, len(sums), _SUMS_AT_ONCE)]
        return tuple(self._statement(chunk) for chunk in chunks)

    def read(self, answers: Sequence[Any]) -> tuple[Moments, NDArray[Any]]:
        """Return the moments by class, and the classes in sorted order.

        Parameters
        ----------
        answers : sequence of DataFrame, or of sequences of rows
            One for each statement, such as what `fetchall` of a cursor returns.

        Returns
        -------
        moments : Moments of shapes (K,), (K, p), (K, p, p)
        classes : ndarray of shape (K,)

        Raises
        ------
        DataError
            When the answers are not those of these statements, hold what is no number, or are about
            a class of fewer rows than `smallest`.
        """
        n_sums, p = len(self._sums()), len(self.features)
        tables = [np.asarray(answer, dtype=object) for answer in answers]
        n_statements = -(-n_sums // _SUMS_AT_ONCE)
        if len(tables) != n_statements or not all(one.ndim == 2 and len(one) for one in tables):
            raise _unusable(f"{n_statements} answers with a row for each class were expected.")
        labels = np.array(tables[0][:, 0].tolist())
        order = np.argsort(labels)
        columns = [tables[0][order, 1:2]]
        for one in tables:
            own = np.argsort(np.array(one[:, 0].tolist()))
            if len(one) != len(order) or (one[own, 0] != tables[0][order, 0]).any():
                raise _unusable("The classes differ between the answers.")
            columns.append(one[own, 2:])
        values = _numbers(np.concatenate(columns, axis=1), 1 + n_sums)
        count, pilot, total, products = np.split(values, [1, 1 + p, 1 + 2 * p], axis=1)
        if count.min() < self.smallest:
            raise DataError(
                f"A class has only {count.min():.0f} rows, and sums of fewer than {self.smallest} "
                "would reveal single rows.",
                where="answers in SQL",
                remedy="Join or leave out the smallest class, or ask for another smallest number.",
            )
        delta = total / count
        scatter = np.empty((len(count), p, p))
        upper = np.triu_indices(p)
        scatter[:, *upper] = scatter[:, *upper[::-1]] = products
        scatter -= count[:, :, None] * delta[:, :, None] * delta[:, None, :]
        return Moments(count[:, 0], pilot + delta, scatter), labels[order]

    def _sums(self) -> list[str]:
        """Return the pilot means, the sums about them and the sums of products, as expressions."""
        p = range(len(self.features))
        pairs = combinations_with_replacement(p, 2)
        return [
            *(f"MIN(m{j}) AS mean_{j}" for j in p),
            *(f"SUM(d{j}) AS rest_{j}" for j in p),
            *(f"SUM(d{i} * d{j}) AS product_{i}_{j}" for i, j in pairs),
        ]

    def _statement(self, sums: Sequence[str]) -> str:
        parts = [self.table] if isinstance(self.table, str) else self.table
        table = ".".join(self._quoted(part) for part in parts)
        label, names = self._quoted(self.target), [self._quoted(name) for name in self.features]
        double = "DOUBLE" if self.dialect == "mysql" else "DOUBLE PRECISION"
        values = [f"CAST(t.{name} AS {double})" for name in names]
        whole = " AND ".join(f"t.{name} IS NOT NULL" for name in (label, *names))
        means = ", ".join(f"AVG({value}) AS m{j}" for j, value in enumerate(values))
        centred = ", ".join(f"m{j}, {value} - m{j} AS d{j}" for j, value in enumerate(values))
        # Names of our own making; those of others went through `identifier`.
        return (
            f"SELECT label, COUNT(*) AS n, {', '.join(sums)}\n"  # noqa: S608
            f"FROM (SELECT t.{label} AS label, {centred}\n"
            f"  FROM {table} AS t JOIN (SELECT t.{label} AS pilot, {means}\n"
            f"    FROM {table} AS t WHERE {whole} GROUP BY t.{label}) AS pilots\n"
            f"  ON pilot = t.{label} WHERE {whole}) AS centred\n"
            "GROUP BY label"
        )

    def _quoted(self, name: str) -> str:
        return identifier(name, "`" if self.dialect == "mysql" else '"')


def _numbers(values: NDArray[Any], n_columns: int) -> NDArray[np.float64]:
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise _unusable("A sum is no number.") from error
    if numbers.shape[1] != n_columns or not np.isfinite(numbers).all():
        raise _unusable("A sum is missing or not finite: the columns may hold NaN or infinity.")
    return numbers


def _unusable(what: str) -> DataError:
    return DataError(
        what,
        where="answers in SQL",
        remedy="Run each of the statements as it is, and give the rows of all in their order.",
    )
