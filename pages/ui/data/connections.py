"""Database tables configured by the operator, read by Streamlit's SQL connection."""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from lincore.errors import DataError
from lincore.limits import LIMITS
from lincore.utils import count
from pages.ui.session import commands, state

#: Rows per chunk, so that reading can stop at the limit.
BLOCK = 50_000


@st.cache_resource(ttl="1m", show_spinner=False)
def names() -> list[str]:
    """Return the connections of `.streamlit/secrets.toml` that name a table."""
    try:
        known = st.secrets.get("connections", {})
    except Exception:  # no file, or invalid TOML, which visitors of the page cannot repair
        logging.getLogger(__name__).info("No connections: the file of secrets cannot be read.")
        return []
    return [name for name, settings in known.items() if "table" in settings]


def load(name: str) -> None:
    """Make the table of a connection the data of this session; keep the former if that fails."""
    try:
        raw = read(name, st.secrets["connections"][name])
    except DataError as error:
        state.refuse(error)
    else:
        commands.begin([(f"{name}.parquet", raw)])


def read(name: str, settings: Mapping[str, Any]) -> bytes:
    """Return the rows of the table of a connection as Parquet."""
    where = f"database {name}"
    try:
        import sqlalchemy
    except ImportError:
        raise DataError(
            "Databases need SQLAlchemy, which is not installed here.",
            where=where,
            remedy='Ask the operator of this server to install "lincore[sql]".',
        ) from None
    schema, _, table = str(settings["table"]).rpartition(".")
    most = int(settings.get("max_rows", LIMITS.max_rows_in_memory))
    source = sqlalchemy.table(table, schema=schema or None)
    rows = sqlalchemy.select(sqlalchemy.text("*")).select_from(source).limit(most + 1)
    try:
        with st.connection(name, type="sql").engine.connect() as session:
            frame = pd.concat(pd.read_sql(rows, session, chunksize=BLOCK), ignore_index=True)
        raw = io.BytesIO()
        frame.to_parquet(raw)  # raised for columns of mixed types
    except Exception as error:
        logging.getLogger(__name__).warning("Database %s: %s", name, type(error).__name__)
        raise DataError(
            f"The table could not be read ({type(error).__name__}).",
            where=where,
            remedy="Try again, or ask the operator of this server.",
        ) from None
    if len(frame) > most:
        raise DataError(
            f"The table exceeds the limit of {count(most, 'row')}.",
            where=where,
            remedy="Ask the operator of this server for a smaller table or view.",
        )
    return raw.getvalue()
