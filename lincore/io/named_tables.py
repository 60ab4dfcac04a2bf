"""Load a data set that an operator has named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lincore.data.dataset import Dataset
from lincore.io.databases.tables import open_source
from lincore.io.table_files import table_to_dataset
from lincore.io.tables.options import TableOptions
from lincore.io.tables.text.options import ReadOptions
from lincore.utils.typing import Progress


def load_source(
    name: str,
    *,
    target: str | int | None = None,
    options: ReadOptions | None = None,
    secrets: Path | str | None = None,
    progress: Progress | None = None,
    **choices: Any,
) -> Dataset:
    r"""Load a table of a database, a folder or an object store that an operator has named.

    Parameters
    ----------
    name : str
        As in `source_names`.
    target : str or int, optional
        As for `load`.
    options : ReadOptions, optional
        As for `open_source`.
    secrets : path, optional
        The file that says where it is: ``.streamlit/secrets.toml`` when not given.
    progress : callable, optional
        As for `table_to_dataset`.
    **choices
        The fields of `TableOptions`.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        When there is no such source, it cannot be read, or makes no data set.

    Examples
    --------
    >>> import sqlite3
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> with sqlite3.connect(folder / "shop.db") as shop:
    ...     _ = shop.execute("CREATE TABLE sales (price REAL, size REAL, kind TEXT)")
    ...     rows = [(1.0, 2.0, "a"), (3.0, 6.0, "b"), (2.0, 3.0, "a"), (9.0, 9.0, "b")]
    ...     _ = shop.executemany("INSERT INTO sales VALUES (?, ?, ?)", rows)
    >>> shop.close()
    >>> secrets = folder / "secrets.toml"
    >>> address = f"sqlite:///{folder}/shop.db"
    >>> _ = secrets.write_text(f"[sources.sales]\naddress = '{address}'\ntable = 'sales'")
    >>> data = load_source("sales", target="kind", secrets=secrets)
    >>> data.X.shape, data.classes.tolist()
    ((4, 2), ['a', 'b'])
    """
    table = open_source(name, options, secrets=secrets)
    return table_to_dataset(table, target, TableOptions(**choices), progress=progress)
