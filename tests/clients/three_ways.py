"""The three ways in which a client reaches a store, as `test_three_ways.py` runs them.

Each test fails at its end, because its report is tested, too. Each client stores an object with its own name.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import aiobotocore.session
import boto3
import duckdb
import httpx
import numpy
import obstore
import opendal
import pandas
import polars
import pytest
import rasterio
import s3fs
from deltalake import DeltaTable, write_deltalake
from obstore.store import S3Store

from fakestore import fake_store

CATS = {"name": ["Ada"]}
HTTPFS = Path(find_spec("duckdb_extension_httpfs").origin).parent / f"extensions/v{duckdb.__version__}"


def asynchronous_client():
    """Return a client of aioboto3, or of aiobotocore. aioboto3 needs an old aiobotocore, see the Makefile."""
    if find_spec("aioboto3"):
        import aioboto3

        return aioboto3.Session().client("s3")
    return aiobotocore.session.get_session().create_client("s3")


async def put_asynchronously():
    async with asynchronous_client() as s3:
        await s3.put_object(Bucket="photos", Key="aioboto3", Body=b"meow")


@fake_store(dialect="s3", buckets=["photos"])
def test_intercepted(store):
    boto3.client("s3").put_object(Bucket="photos", Key="boto3", Body=b"meow")
    pandas.DataFrame(CATS).to_csv("s3://photos/pandas", index=False)
    assert pandas.read_csv("s3://photos/pandas")["name"].tolist() == ["Ada"]
    s3fs.S3FileSystem().pipe("photos/s3fs", b"meow")
    asyncio.run(put_asynchronously())
    httpx.put(store.presign("PUT", "photos", "httpx", expires_in=60), content=b"meow").raise_for_status()
    assert list(store["photos"]) == ["aioboto3", "boto3", "httpx", "pandas", "s3fs"]
    pytest.fail("the end")


@fake_store(dialect="s3", buckets=["photos"], serve=True)
def test_served(store):
    with duckdb.connect() as database:
        database.load_extension(str(HTTPFS / "httpfs.duckdb_extension"))
        database.execute("SET s3_url_style = 'path'")
        database.execute("COPY (SELECT 'Ada' AS name) TO 's3://photos/duckdb' (FORMAT parquet)")
        database.execute("COPY (SELECT 'Ada' AS name) TO 's3://photos/duckdb.csv'")
        polars.DataFrame(CATS).write_parquet("s3://photos/polars")
        obstore.put(S3Store("photos"), "obstore", b"name\nAda\n")
        for table in ("read_parquet('s3://photos/polars')", "read_csv('s3://photos/obstore')"):
            assert database.execute(f"FROM {table}").fetchall() == [("Ada",)]
    for table in (polars.read_parquet("s3://photos/duckdb"), polars.read_csv("s3://photos/duckdb.csv")):
        assert table["name"].to_list() == ["Ada"]
    command = [sys.executable, "-m", "awscli", "s3", "cp", __file__, "s3://photos/aws"]
    subprocess.run(command, check=True, capture_output=True)
    assert list(store["photos"]) == ["aws", "duckdb", "duckdb.csv", "obstore", "polars"]
    pytest.fail("the end")


@fake_store(dialect="s3", buckets=["photos"], serve="process")
def test_in_a_process(store):
    write_deltalake("s3://photos/deltalake", polars.DataFrame(CATS))
    profile = {"driver": "GTiff", "width": 4, "height": 4, "count": 1, "dtype": "uint8"}
    with rasterio.Env(CPL_VSIL_USE_TEMP_FILE_FOR_RANDOM_WRITE="YES"):
        with pytest.warns(rasterio.errors.NotGeoreferencedWarning):
            with rasterio.open("/vsis3/photos/gdal", "w", **profile) as image:
                image.write(numpy.full((1, 4, 4), 7, "uint8"))
    operator = opendal.Operator("s3", bucket="photos", endpoint=store.server_url, region="us-east-1")
    operator.write("opendal", b"meow")
    assert sorted(each.path for each in operator.list("")) == ["deltalake/", "gdal", "opendal"]
    assert DeltaTable("s3://photos/deltalake").history()[0]["operation"] == "WRITE"
    pytest.fail("the end")
