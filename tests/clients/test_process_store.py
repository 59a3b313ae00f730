"""The option ``serve="process"``: clients that hold the lock of the interpreter, and the words of a test."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from functools import partial
from tempfile import TemporaryDirectory

import boto3
import httpx
import numpy
import opendal
import polars
import pytest
import rasterio
import requests
from deltalake import (
    DeltaTable,
    Field,
    QueryBuilder,
    TableFeatures,
    convert_to_deltalake,
    write_deltalake,
)
from deltalake.exceptions import TableNotFoundError
from deltalake.schema import PrimitiveType

from fakestore import SparseContent, UnexpectedRequest, UnsupportedRequest, fake_store, faults
from fakestore.http import Request
from tests.clients.test_serve_option import is_free

TABLE = "s3://photos/cats"
in_process = partial(fake_store, dialect="s3", buckets={"photos": "enabled"}, serve="process")


@pytest.fixture
def store():
    with in_process() as store:
        yield store


def frame(*ids):
    return polars.DataFrame({"id": list(ids), "name": [f"cat {each}" for each in ids]})


# -- clients


def test_deltalake_writes_reads_and_maintains_a_table(store):
    assert not DeltaTable.is_deltatable(TABLE)
    with pytest.raises(TableNotFoundError):
        DeltaTable(TABLE)
    write_deltalake(TABLE, frame(1, 2), configuration={"delta.enableChangeDataFeed": "true"})
    write_deltalake(TABLE, frame(3), mode="append")
    assert sum(batch.num_rows for batch in DeltaTable(TABLE).load_cdf(0)) == 3
    write_deltalake(TABLE, frame(4, 5, 6), mode="overwrite")
    assert DeltaTable.is_deltatable(TABLE)
    table = DeltaTable(TABLE)
    table.update(predicate="id = 4", updates={"name": "'Ada'"})
    table.delete("id = 5")
    merge = table.merge(frame(6, 7), predicate="old.id = new.id", source_alias="new", target_alias="old")
    merge.when_matched_update_all().when_not_matched_insert_all().execute()
    assert sorted(polars.read_delta(TABLE)["id"]) == [4, 6, 7]
    assert table.version() == 5
    assert next(iter(table.history()))["operation"] == "MERGE"
    assert len(table.file_uris()) > 0
    assert table.get_add_actions().num_rows > 0
    assert [each.name for each in table.schema().fields] == ["id", "name"]
    assert table.metadata().partition_columns == []
    assert table.protocol().min_reader_version >= 1
    assert table.partitions() == []
    assert table.transaction_version("app") is None
    result = QueryBuilder().register("cats", table).execute("SELECT * FROM cats")
    assert sum(batch.num_rows for batch in result) == 3
    for name in ("deletion_vectors", "generate", "scan"):  # version 1.0 does not have these
        list(getattr(table, name, list)() or ())
    table.load_as_version(0)
    assert DeltaTable(TABLE, version=1).version() == 1
    table.update_incremental()
    table.optimize.compact()
    table.optimize.z_order(["id"])
    table.create_checkpoint()
    table.cleanup_metadata()
    table.restore(0)
    assert sorted(polars.read_delta(TABLE)["id"]) == [1, 2]
    table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    table.repair()
    table.alter.set_table_properties({"delta.appendOnly": "false"})
    table.alter.set_table_name("cats")
    table.alter.set_table_description("all cats")
    table.alter.set_column_metadata("id", {"unit": "none"})
    table.alter.add_columns([Field("age", PrimitiveType("integer"))])
    table.alter.add_constraint({"positive": "id > 0"})
    table.alter.drop_constraint("positive")
    table.alter.add_feature(TableFeatures.DeletionVectors, allow_protocol_versions_increase=True)
    DeltaTable.create("s3://photos/dogs", schema=table.schema())
    frame(8).write_parquet("s3://photos/birds/a.parquet")
    convert_to_deltalake("s3://photos/birds")
    assert polars.read_delta("s3://photos/birds")["id"].to_list() == [8]
    assert store.calls("PUT Object", bucket="photos")
    assert any(key.startswith("cats/_delta_log/") for key in store["photos"])


def test_opendal_lists_objects(store):
    for key in ("a/1", "a/2", "b"):
        store["photos"].put(key, b"meow")
    operator = opendal.Operator("s3", bucket="photos", endpoint=store.server_url, region="us-east-1")
    assert sorted(each.path for each in operator.list("a/")) == ["a/1", "a/2"]
    assert sorted(each.path for each in operator.scan("")) == ["a/1", "a/2", "b"]
    operator.write("c", b"meow")
    assert operator.read("c") == b"meow"


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_rasterio_writes_and_reads_an_image(store):
    profile = {"driver": "GTiff", "width": 4, "height": 4, "count": 1, "dtype": "uint8"}
    with rasterio.Env(CPL_VSIL_USE_TEMP_FILE_FOR_RANDOM_WRITE="YES"):
        with rasterio.open("/vsis3/photos/cat.tif", "w", **profile) as image:
            image.write(numpy.full((1, 4, 4), 7, "uint8"))
        with rasterio.open("s3://photos/cat.tif") as image:
            assert image.read(1).sum() == 7 * 16
    assert store["photos"]["cat.tif"].size > 0


def test_intercepted_clients_reach_the_child(store):
    boto3.client("s3").put_object(Bucket="photos", Key="a", Body=b"meow")
    body = {"data": iter([b"me", b"ow"]), "headers": {"Content-Length": "4"}}
    requests.put(store.url("photos", "b"), auth=store.auth(), **body).raise_for_status()
    session = store.session()
    session.mount("https://", store.adapter())
    assert session.get(store.url("photos", "a")).content == b"meow"
    assert store.handle(Request.to_url("GET", store.url("photos", "a"))).status == 403
    assert [each.operation for each in store.exchanges] == ["PUT Object", "PUT Object", "GET Object", "GET Object"]


# -- the words of a test


def test_buckets_objects_and_versions_are_arranged_and_read(store):
    bob = store.create_account("bob")
    films = store.create_bucket("films", owner=bob, object_lock=True)
    assert films == store["films"] != store["photos"]
    assert (films.name, films.owner, str(films.versioning)) == ("films", bob, "enabled")
    assert list(store) == ["films", "photos"]
    assert "films" in store
    photos = store["photos"]
    photos.put("cat.jpg", b"meow", metadata={"author": "Ada"})
    photos.put("cat.jpg", SparseContent(5 * 1024**4))
    photos.delete("cat.jpg")
    assert "cat.jpg" not in photos
    assert len(photos) == 0
    marker, newest, oldest = photos.versions("cat.jpg")
    assert (newest.size, oldest.content, oldest.metadata) == (5 * 1024**4, b"meow", {"author": "Ada"})
    photos.delete_version("cat.jpg", marker.version_id)
    assert photos["cat.jpg"] == newest
    photos.versioning = "suspended"
    photos.allow(bob, "s3:GetObject")
    photos.expire(rule_id="old", days=1)
    store.travel(days=3)
    assert [entry.rule_id for entry in store.journal] == ["old"]
    assert list(photos) == []
    with pytest.raises(KeyError, match=r"known buckets: .*films"):
        store["fotos"]
    with pytest.raises(ValueError, match="suspended"):
        photos.versioning = "often"


def test_faults_act_and_are_reported(store):
    photos = store["photos"]
    photos.put("cat.jpg", b"meow")
    store.fail("GET Object", faults.ServiceError("SlowDown"), times=2)
    assert httpx.get(f"{store.server_url}/photos/cat.jpg").status_code == 503
    store.clear_faults()
    with pytest.raises(AssertionError, match=r"never fired.*\n?.*DELETE Object"), in_process() as other:
        other.fail("DELETE Object", faults.ConnectionReset())


def test_snapshots_and_reset(store, tmp_path):
    store["photos"].put("cat.jpg", b"meow")
    snapshot = store.snapshot()
    store.reset()
    assert list(store["photos"]) == []
    store.restore(snapshot)
    assert store["photos"]["cat.jpg"].content == b"meow"
    store.dump("photos", tmp_path)
    store.create_bucket("copy")
    store.load("copy", tmp_path)
    assert list(store["copy"]) == ["cat.jpg"]
    store.to_html(tmp_path / "store.html")
    assert "cat.jpg" in (tmp_path / "store.html").read_text()
    assert "cat.jpg" in store.describe()


def test_unsupported_and_unexpected_requests_are_raised_when_the_store_is_left():
    with pytest.raises(UnsupportedRequest, match="torrent"), in_process() as store:
        httpx.get(f"{store.server_url}/photos/cat.jpg?torrent")
    with in_process() as store:
        with pytest.raises(UnexpectedRequest):
            requests.get("http://third.test")
        (error,) = store.unhandled_requests
        assert isinstance(error, UnexpectedRequest)
        store.unhandled_requests.remove(error)
        assert store.unhandled_requests == []


def test_contents_and_exchanges_are_read_after_the_store_was_left():
    with in_process() as store:
        photos = store["photos"]
        photos.put("cat.jpg", b"meow")
        httpx.get(f"{store.server_url}/photos/cat.jpg")
    assert photos["cat.jpg"].content == store["photos"]["cat.jpg"].content == b"meow"
    assert [each.status for each in store.exchanges] == [403]


def test_report_of_a_failed_test_shows_the_requests(pytester, plain_runs):
    pytester.makepyfile(
        """
import httpx
import multiprocessing
from fakestore import fake_store

@fake_store(dialect="s3", buckets=["photos"], serve="process")
def test_decorated(store):
    store["photos"].put("cat.jpg", b"meow")
    httpx.get(f"{store.server_url}/photos/cat.jpg")
    assert False

def test_fixture(fakestore):
    fakestore.create_bucket("films")
    httpx.get(f"{fakestore.server_url}/films/cat.jpg")
    assert False

def test_crash(fakestore):
    multiprocessing.active_children()[0].kill()
    list(fakestore)
"""
    )
    pytester.makeini("[pytest]\nfakestore_serve = process\nfakestore_dialect = s3")
    result = pytester.runpytest_subprocess("-p", "fakestore.pytest_plugin")
    result.stdout.fnmatch_lines(
        [
            "*GetObject (GET Object) photos/cat.jpg -> 403*",
            "*cat.jpg  4 bytes*",
            "*GetObject (GET Object) films/cat.jpg -> 403*",
            "*code -9*",
        ]
    )
    result.assert_outcomes(failed=3)


def test_what_cannot_work_in_a_process_says_so(store):
    for use in (
        lambda: store["photos"].on_event(print),
        lambda: store.destinations,
    ):
        with pytest.raises(TypeError, match=r"not possible with serve='process'.*use serve=True"):
            use()
    with pytest.raises(TypeError, match=r"served already.*server_url"):
        store.serve()
    with pytest.raises(TypeError, match=r"options.*cannot be pickled.*serve=True"):
        in_process(base_url="http://other.test", sleep=lambda seconds: None).__enter__()


def test_event_for_an_arn_says_that_no_mock_of_the_test_gets_it(store):
    queue = {
        "QueueArn": "arn:aws:sqs:us-east-1:111111111111:uploads",
        "Events": ["s3:ObjectCreated:*", "s3:LifecycleExpiration:*"],
    }
    s3 = boto3.client("s3")
    s3.put_bucket_notification_configuration(
        Bucket="photos", NotificationConfiguration={"QueueConfigurations": [queue]}
    )
    s3.put_object(Bucket="photos", Key="cat.jpg")
    store.travel(days=3)
    store["photos"].expire(rule_id="old", days=1)
    assert [event.name for event in store.events] == ["ObjectCreated:Put", "LifecycleExpiration:DeleteMarkerCreated"]
    assert [destination.outcome for event in store.events for destination in event.destinations] == [
        "not delivered: with serve='process', no mock of the test gets events; use serve=True"
    ] * 2


# -- the child


def test_child_ends_with_the_store():
    with in_process() as store:
        url = store.server_url
        assert not is_free(url)
    assert is_free(url)
    with pytest.raises(ZeroDivisionError), in_process() as store:
        url = store.server_url
        raise ZeroDivisionError
    assert is_free(url)


PROGRAM = """
import os, signal, sys, time
from fakestore import fake_store

if __name__ == "__main__":
    with fake_store(dialect="s3", serve="process") as store:
        print(store.server_url, flush=True)
        {end}
"""


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGKILL)", "sys.exit(1)"])
def test_child_ends_with_its_parent(tmp_path, end):
    (tmp_path / "program.py").write_text(PROGRAM.format(end=end))
    with TemporaryDirectory() as directory:  # for what a killed process leaves behind
        variables = {**os.environ, "TMPDIR": directory}
        command = [sys.executable, tmp_path / "program.py"]
        run = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    url = run.stdout.strip()
    assert url.startswith("http://127.0.0.1:"), run.stderr
    for _ in range(100):
        if is_free(url):
            return
        time.sleep(0.05)
    pytest.fail("the server still runs")


def test_child_that_crashed_is_reported():
    with pytest.raises(RuntimeError, match="has ended with exit code -9"), in_process() as store:
        (child,) = multiprocessing.active_children()
        os.kill(child.pid, signal.SIGKILL)
        list(store)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_reaches_the_store_by_its_server(store):
    def use():
        boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        with pytest.raises(RuntimeError, match=r"forked process.*server_url"):
            list(store)

    process = multiprocessing.get_context("fork").Process(target=use)
    process.start()
    process.join(20)
    assert process.exitcode == 0
    assert list(store["photos"]) == ["cat.jpg"]
