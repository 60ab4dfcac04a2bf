"""Sources of data that an operator has named: where they are stands in a file of secrets alone."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lincore.errors import DataError

# Streamlit looks for secrets here and at home, too.
_SECRETS = Path(".streamlit/secrets.toml")


@dataclass(frozen=True)
class NamedSource:
    """A table that can be read by a name; its address is in no message and no `repr`.

    Parameters
    ----------
    name : str
        What visitors choose it by.
    address : str
        ``sqlite:///file``, ``postgresql://...``, ``mysql://...``, ``duckdb:///file``,
        ``s3://bucket/folder``, ``https://host/file.parquet``, or the path of a Parquet file or of
        a folder of such.
    table : tuple of str
        Of a database: the name of the table or view, or schema and name.
    max_rows, max_bytes : int, optional
        More than these are refused; bytes are those of the columns in memory.
    """

    name: str
    address: str = field(repr=False)
    table: tuple[str, ...] = ()
    max_rows: int | None = None
    max_bytes: int | None = None


def source_names(secrets: Path | str | None = None) -> tuple[str, ...]:
    """Return the names of the sources that there are, in order.

    Parameters
    ----------
    secrets : path, optional
        The file that names them: a table ``[sources.NAME]`` for each. By default those where
        Streamlit looks for secrets: ``.streamlit/secrets.toml`` here, then at home.

    Raises
    ------
    DataError
        When the file is no TOML.
    """
    return tuple(sorted(_entries(secrets)))


def find_source(name: str, secrets: Path | str | None = None) -> NamedSource:
    """Return a source by its name.

    Parameters
    ----------
    name : str
    secrets : path, optional
        As for `source_names`.

    Raises
    ------
    DataError
        When there is none of this name, or its definition cannot be used.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp()) / "secrets.toml"
    >>> _ = file.write_text('''
    ... [sources.sales]
    ... address = "postgresql://reader:secret@db.example.org/shop"
    ... table = "public.sales"
    ... max_rows = 100000
    ... ''')
    >>> source_names(file)
    ('sales',)
    >>> find_source("sales", file)
    NamedSource(name='sales', table=('public', 'sales'), max_rows=100000, max_bytes=None)
    """
    entries = _entries(secrets)
    if name not in entries:
        raise DataError(
            "There is no source of this name here.",
            where=f"source {name!r}",
            remedy="Choose another one, or ask whoever runs this server.",
        )
    entry = entries[name] if isinstance(entries[name], Mapping) else {}
    address, table = entry.get("address"), entry.get("table", ())
    parts = tuple(table.split(".")) if isinstance(table, str) else table
    limits = {key: entry.get(key) for key in ("max_rows", "max_bytes")}
    _require(name, "address", isinstance(address, str) and bool(address))
    _require(name, "table", isinstance(parts, (list, tuple)) and all(map(_is_name, parts)))
    for key, most in limits.items():
        _require(name, key, most is None or (type(most) is int and most > 0))
    return NamedSource(name, str(address), tuple(parts), **limits)


def _require(name: str, key: str, fits: bool) -> None:
    if not fits:
        raise DataError(
            f"Its {key} is missing or cannot be used.",
            where=f"source {name!r}",
            remedy="Whoever runs this server can correct it: docs/operate.md.",
        )


def _is_name(part: Any) -> bool:
    return isinstance(part, str) and bool(part)


def _entries(secrets: Path | str | None) -> dict[str, Any]:
    """Return the tables of the sources, by their names."""
    found: dict[str, Any] = {}
    here_last = (Path.home() / _SECRETS, _SECRETS)
    for path in here_last if secrets is None else (Path(secrets),):
        try:
            given = tomllib.loads(path.read_text("utf-8")).get("sources", {})
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            # The words of an error may quote the secret beside it.
            raise DataError(
                "The file of secrets cannot be read.",
                where="sources",
                remedy="Whoever runs this server can correct it: docs/operate.md.",
            ) from None
        found |= given if isinstance(given, dict) else {}
    return found
