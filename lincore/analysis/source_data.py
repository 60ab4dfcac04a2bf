"""Data of an analysis that an operator has named: a table of a database, or a folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from lincore.analysis._bounds import Name
from lincore.data.dataset import Dataset
from lincore.io.databases.tables import open_source
from lincore.io.table_files import table_to_dataset
from lincore.io.tables.options import TableOptions
from lincore.io.tables.text.options import ReadOptions
from lincore.utils.typing import Progress


@dataclass(frozen=True)
class SourceData:
    """A table that an operator has named, as it is when it is read; nothing says where it is.

    Parameters
    ----------
    name : str
        As in `lincore.io.source_names`.
    target : str, optional
        The column of the classes; proposed when not given.
    reading : ReadOptions
        Of these, what is missing in some columns.
    table : TableOptions
    """

    kind: ClassVar[str] = "source"  # in JSON

    name: Name
    target: Name | None = None
    reading: ReadOptions = ReadOptions()
    table: TableOptions = TableOptions()

    def load(self, file: Any = None, *, progress: Progress | None = None) -> Dataset:
        """Return the data set that the table makes; `file` is not looked at.

        Raises
        ------
        DataError
            When there is no such source here, or it cannot be used.
        """
        table = open_source(self.name, self.reading)
        return table_to_dataset(table, self.target, self.table, progress=progress)
