"""The two names of each operation: that of the specification, and that of the S3 API, which boto3 has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import boto3
import pytest

from fakestore import FakeStore, OperationName, fake_store, faults

TABLE = Path(__file__).parents[2] / "docs" / "reference" / "operations.md"
#: The names of each operation: that of the specification, and that of the S3 API.
NAMES = dict(re.findall(r"^\| ([A-Z][^|<]+)(?:<br>(\w+))? \| (?!Re)", TABLE.read_text(), flags=re.MULTILINE))
#: boto3 has no browser forms and no preflights.
WITHOUT_API_NAME = {"POST Object", "OPTIONS Service", "OPTIONS Bucket", "OPTIONS Object"}
#: The names of the S3 API that boto3 does not have.
NOT_IN_BOTO3: set[str] = set()


def test_api_name_of_each_operation_is_one_of_boto3():
    operations = boto3.client("s3", "us-east-1").meta.service_model.operation_names
    assert {name for name, api_name in NAMES.items() if api_name == ""} == WITHOUT_API_NAME
    api_names = [api_name for api_name in NAMES.values() if api_name]
    assert len(api_names) == len(set(api_names))
    assert set(api_names) - set(operations) == NOT_IN_BOTO3


def test_names_for_type_checkers_are_those_that_are_accepted():
    names = [name for pair in NAMES.items() for name in pair if name]
    assert sorted(names) == sorted(get_args(OperationName))
    assert [name for name in names if FakeStore().calls(name)] == []


def test_calls_are_found_by_both_names():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        (put,) = store.exchanges
        assert (put.operation, put.api_name) == ("PUT Object", "PutObject")
        assert store.calls("PutObject") == store.calls("PUT Object") == [put]
        assert store.calls("CreateMultipartUpload") == store.calls("GET Object") == []


@pytest.mark.parametrize("name", ["GetBucketLifecycleConfiguration", "GET Bucket lifecycle"])
def test_faults_are_planned_with_both_names(fakestore, name):
    fakestore.create_bucket("photos")
    fakestore.fail(name, faults.ServiceError("SlowDown"))
    assert fakestore.session().get(fakestore.url("photos", lifecycle=None)).status_code == 503
    fakestore.fail("CopyObject", faults.EmbeddedError())
    fakestore.clear_faults()


def test_dropped_exchange_is_found_by_both_names():
    store = FakeStore(buckets=["photos"], journal_size=0)
    session = store.session()
    session.mount("http://", store.adapter())
    session.put(store.url("photos", "cat.jpg"))
    for name in ("PUT Object", "PutObject"):
        with pytest.raises(RuntimeError, match="journal_size"):
            store.calls(name)


def test_exchange_of_an_invalid_url_has_no_names(fakestore):
    fakestore.session().get(fakestore.base_url + "/%FF")
    assert (fakestore.exchanges[-1].operation, fakestore.exchanges[-1].api_name) == (None, None)
