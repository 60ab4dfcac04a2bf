"""Sources of servers that run here: PostgreSQL, MariaDB, S3 and the web."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from moto.server import ThreadedMotoServer
from numpy.testing import assert_array_equal
from pyarrow.fs import FileSystem

from lincore import DataError, io
from lincore.limits import LIMITS
from tests.long.servers import mariadb, postgresql

SECRET = "hunter2"
ROWS = 50_000
#: The same rows in both dialects: numbers, truth values, dates, texts, and a row without any.
SALES = """
CREATE TABLE {shop}.sales (
    {a}whole{a} bigint, {a}share{a} double precision, {a}net cost{a} numeric(12, 2),
    {a}paid{a} boolean, {a}sold{a} date, {a}note{a} varchar(40), {a}kind{a} char(1));
INSERT INTO {shop}.sales
    SELECT i, i / 8.0, i + 0.25, i % 2 = 0, CAST('2020-02-29' AS date), CONCAT('n° ', i),
    CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END FROM {rows};
INSERT INTO {shop}.sales ({a}whole{a}) VALUES (NULL);
CREATE USER {reader};
GRANT SELECT ON {shop}.sales TO {who};
"""
OTHERS = """
CREATE TYPE shop.mood AS ENUM ('low', 'high');
CREATE TABLE shop.others AS SELECT CAST('low' AS shop.mood) AS mood, CAST('12.50' AS money) AS fee,
    CAST('10.0.0.1' AS inet) AS host, CAST('NaN' AS numeric) AS lost, interval '1 day' AS time,
    gen_random_uuid() AS one, CAST('{"a": 1}' AS json) AS record, ARRAY[1, 2] AS several,
    timestamptz '2020-01-01 10:00:00+02' AS seen;
GRANT SELECT ON shop.others TO reader;
"""
BITS = """
CREATE TABLE shop.others (bits bit(3)) AS SELECT b'101' AS bits,
    CAST(18446744073709551615 AS unsigned) AS most,
    TIME '10:00:00' AS time, JSON_OBJECT('a', 1) AS record, x'ff61' AS bytes;
GRANT SELECT ON shop.others TO reader@localhost;
"""


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    i = np.arange(1, ROWS + 1)
    columns = {
        "whole": i.astype(float),
        "share": i / 8,
        "net cost": i + 0.25,
        "paid": i % 2 == 0,
        "sold": date(2020, 2, 29),
        "note": [f"n° {k}" for k in i],
        "kind": np.where(i % 3 == 0, "a", "b"),
    }
    return pd.concat([pd.DataFrame(columns).astype(object), pd.DataFrame([{}])])


def secrets(folder: Path, address: str, **limits: int) -> Path:
    lines = [f"{key} = {value}\n" for key, value in limits.items()]
    entries = [
        f"[sources.{name}]\naddress = '{address}'\ntable = '{table}'\n{''.join(lines)}"
        for name, table in (
            ("sales", "shop.sales"),
            ("others", "shop.others"),
            ("unseen", "shop.unseen"),
        )
    ]
    (folder / "secrets.toml").write_text("\n".join(entries))
    return folder / "secrets.toml"


@pytest.fixture(scope="module", params=["postgresql", "mysql"])
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    """Start a server with tables, of which the user may read all but one; yield the address."""
    if request.param == "postgresql":
        with postgresql() as (run, folder):
            words = {
                "a": '"',
                "shop": "shop",
                "rows": f"generate_series(1, {ROWS}) AS i",
                "reader": f"reader PASSWORD '{SECRET}'",
                "who": "reader",
            }
            unseen = "CREATE TABLE shop.unseen (a int); GRANT USAGE ON SCHEMA shop TO reader;"
            run(f"CREATE SCHEMA shop; {SALES.format(**words)} {OTHERS} {unseen}")
            yield f"postgresql://reader:{SECRET}@/postgres?host={folder}"
    else:
        with mariadb() as (run, socket):
            words = {
                "a": "`",
                "shop": "shop",
                "rows": f"(SELECT seq AS i FROM shop.seq_1_to_{ROWS}) AS numbers",
                "reader": f"reader@localhost IDENTIFIED BY '{SECRET}'",
                "who": "reader@localhost",
            }
            charset = "CREATE DATABASE shop CHARACTER SET utf8mb4; SET NAMES utf8mb4;"
            run(f"{charset} {SALES.format(**words)} {BITS} CREATE TABLE shop.unseen (a int);")
            yield f"mysql://reader:{SECRET}@localhost/shop?connect_timeout=10&unix_socket={socket}"


def test_a_table_of_a_server_has_its_rows(server, frame, tmp_path):
    found = io.open_source("sales", secrets=secrets(tmp_path, server))
    assert found.frame.columns.tolist() == frame.columns.tolist()
    assert str(found.reading).startswith("database, 50,001 rows of 7 columns")
    for name in frame:
        there = found.frame[name].notna().to_numpy()
        assert_array_equal(there, frame[name].notna())
        values = found.frame[name][there]
        if name == "sold":
            assert set(pd.to_datetime(values)) == {pd.Timestamp("2020-02-29")}
        elif name == "paid":
            assert values.astype(str).isin(["True", "1", "1.0"]).sum() == ROWS // 2
        elif name in ("note", "kind"):
            assert sorted(values) == sorted(frame[name][there])
        else:
            assert_array_equal(np.sort(values.astype(float)), np.sort(frame[name].iloc[:-1]))


def test_a_table_of_a_server_is_read_in_blocks(server, frame, tmp_path):
    small = replace(LIMITS, max_rows=20_000, max_rows_in_memory=500)
    table = io.open_source("sales", secrets=secrets(tmp_path, server), limits=small)
    assert "read in blocks" in str(table.reading)
    assert 300 < len(table.frame) < 700
    data = io.table_to_dataset(
        table, "kind", io.TableOptions(roles=dict.fromkeys(["paid", "sold", "note"], "ignore"))
    )
    assert data.n_rows + data.streamed.count.sum() == ROWS
    total = data.X.sum(axis=0) + data.streamed.count @ data.streamed.mean
    wanted = frame[["whole", "share", "net cost"]].iloc[:-1].astype(float).mean()
    np.testing.assert_allclose(total / ROWS, wanted, rtol=1e-12)


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"max_rows": ROWS}, "50,001 rows; 50,000 are allowed"),
        ({"max_bytes": 100_000}, "more than 100,000 bytes"),
    ],
)
def test_a_table_of_a_server_is_refused_beyond_its_limits(limits, says, server, tmp_path):
    with pytest.raises(DataError, match=says):
        io.open_source("sales", secrets=secrets(tmp_path, server, **limits))


def test_a_server_that_refuses_is_told_without_its_address(server, tmp_path):
    address = server.replace("//reader", "//postgres") if "postgresql" in server else server
    wrong = address.replace("/postgres?", "/none?").replace("/shop?", "/none?")
    for name, where in (("unseen", server), ("sales", wrong)):
        with pytest.raises(DataError, match="It cannot be read") as caught:
            io.open_source(name, secrets=secrets(tmp_path, where))
        assert caught.value.__suppress_context__
        for word in (SECRET, "reader", "none", "shop"):
            assert word not in str(caught.value)


def test_other_types_are_numbers_or_texts(server, tmp_path):
    table = io.open_source("others", secrets=secrets(tmp_path, server))
    row = table.frame.iloc[0]
    if server.startswith("mysql"):
        assert row["bits"] == 5 and row["most"] == 2.0**64
        assert "a" in row["record"]
    else:
        assert row["mood"] == "low" and row["fee"] == 12.5 and np.isnan(row["lost"])
        assert row["host"].startswith("10.0.0.1") and row["time"] == "1 day"
        assert len(row["one"]) == 36 and row["record"] == '{"a": 1}'
        assert pd.Timestamp(row["seen"]) == pd.Timestamp("2020-01-01 08:00", tz="UTC")
        assert "several" not in row and "several" in str(table.notices)


@pytest.fixture(scope="module")
def bucket() -> Iterator[int]:
    """Start a server of S3, which is on the web, too, with two files; yield its port."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    address = s3(port, "shop") + "&allow_bucket_creation=true"
    files, _ = FileSystem.from_uri(address)
    files.create_dir("shop")
    for i in range(2):
        rows = np.arange(1_000.0) + 1_000 * i
        table = pa.table({"x": rows, "kind": np.where(rows % 3 == 0, "a", "b")})
        pq.write_table(table, f"shop/all sales/{i}.parquet", filesystem=files)
    yield port
    server.stop()


def s3(port: int, path: str) -> str:
    where = f"scheme=http&endpoint_override=127.0.0.1:{port}&region=us-east-1"
    return f"s3://reader:{SECRET}@{path}?{where}"


def named(folder: Path, address: str) -> Path:
    (folder / "secrets.toml").write_text(f"[sources.sales]\naddress = '{address}'\n")
    return folder / "secrets.toml"


def test_a_folder_of_an_object_store_is_a_table(bucket, tmp_path):
    where = named(tmp_path, s3(bucket, "shop/all%20sales"))
    found = io.open_source("sales", secrets=where).frame
    assert_array_equal(found["x"], np.arange(2_000.0))


def test_a_file_of_the_web_is_a_table(bucket, tmp_path):
    where = named(tmp_path, f"http://127.0.0.1:{bucket}/shop/all%20sales/1.parquet")
    found = io.open_source("sales", secrets=where)
    assert_array_equal(found.frame["x"], np.arange(1_000.0, 2_000.0))
    small = replace(LIMITS, max_rows=700, max_rows_in_memory=300)
    table = io.open_source("sales", secrets=where, limits=small)
    data = io.table_to_dataset(table, "kind")
    assert data.n_rows + data.streamed.count.sum() == 1_000


@pytest.mark.parametrize("address", ["{s3}", "http://127.0.0.1:{port}/shop/hunter2.parquet"])
def test_what_is_not_in_a_store_is_told_without_its_address(address, bucket, tmp_path):
    where = named(tmp_path, address.format(s3=s3(bucket, SECRET), port=bucket))
    with pytest.raises(DataError, match="It cannot be read") as caught:
        io.open_source("sales", secrets=where)
    assert SECRET not in str(caught.value) and str(bucket) not in str(caught.value)
