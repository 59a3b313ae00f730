"""botocore's descriptions of services, which sessions share while a store is entered."""

from __future__ import annotations

import json
from pathlib import Path

import boto3
import botocore.loaders
import botocore.session
import pytest
from botocore.config import Config

from fakestore import fake_store

_OURS = {
    "version": "2.0",
    "metadata": {
        "apiVersion": "2020-01-01",
        "endpointPrefix": "ours",
        "protocol": "rest-json",
        "serviceFullName": "Ours",
        "serviceId": "Ours",
        "signatureVersion": "v4",
    },
    "operations": {"Old": {"name": "Old", "http": {"method": "GET", "requestUri": "/"}}},
    "shapes": {},
}
_MAKE_SESSION = {"own": boto3.Session, "default": lambda: boto3, "botocore": botocore.session.Session}


def _write_model(folder: Path, operation: str) -> None:
    model = folder / "ours" / "2020-01-01" / "service-2.json"
    model.parent.mkdir(parents=True, exist_ok=True)
    model.write_text(json.dumps(_OURS).replace("Old", operation))


def _operations(make_session: str) -> list[str]:
    session = _MAKE_SESSION[make_session]()
    make_client = session.create_client if make_session == "botocore" else session.client
    return list(
        make_client("ours", "us-east-1", endpoint_url="http://ours.example").meta.method_to_api_mapping.values()
    )


@pytest.mark.parametrize("make_session", _MAKE_SESSION)
@pytest.mark.parametrize("place", ["AWS_DATA_PATH", "home"])
def test_models_of_the_user_are_read_by_each_session(monkeypatch, tmp_path, make_session, place):
    with fake_store(dialect="s3"):
        boto3.Session().client("s3")  # the other descriptions are shared already
    if place == "home":
        monkeypatch.setattr(botocore.loaders.Loader, "CUSTOMER_DATA_PATH", str(tmp_path))
    else:
        monkeypatch.setenv("AWS_DATA_PATH", str(tmp_path))
    for operation in ("Old", "New"):
        _write_model(tmp_path, operation)
        with fake_store(dialect="s3"):
            assert _operations(make_session) == [operation]


def test_extras_of_the_user_end_with_their_folder(monkeypatch, tmp_path):
    extras = tmp_path / "s3" / "2006-03-01" / "service-2.sdk-extras.json"
    extras.parent.mkdir(parents=True)
    extras.write_text('{"merge": {"metadata": {"serviceFullName": "Ours"}}}')

    def full_name():
        with fake_store(dialect="s3"):
            return boto3.client("s3").meta.service_model.metadata["serviceFullName"]

    real = full_name()
    monkeypatch.setenv("AWS_DATA_PATH", str(tmp_path))
    assert full_name() == "Ours"
    monkeypatch.delenv("AWS_DATA_PATH")
    assert full_name() == real


def test_a_search_path_that_is_added_later_counts(tmp_path):
    _write_model(tmp_path, "Added")
    with fake_store(dialect="s3"):
        session = botocore.session.Session()
        session.get_component("data_loader").search_paths.append(str(tmp_path))
        assert "ours" in session.get_available_services()
        assert "ours" not in botocore.session.Session().get_available_services()


def test_botocore_completes_what_is_shared_in_the_same_way_for_each_session():
    def use(session, **config):
        s3 = session.client("s3", config=Config(**config))
        s3.get_waiter("bucket_exists").wait(Bucket="photos")
        assert list(s3.get_paginator("list_objects_v2").paginate(Bucket="photos"))
        session.resource("s3").Bucket("photos").load()
        session.client("dynamodb", "eu-west-1", config=Config(**config))

    def loaded(loader):
        model, *others = (loader.load_service_model("s3", name) for name in ("service-2", "paginators-1", "waiters-2"))
        used = [model["operations"][name] for name in ("HeadBucket", "ListObjectsV2", "ListBuckets")]
        retries = loader.load_data("_retry")["retry"]
        others += loader.load_service_model("s3", "endpoint-rule-set-1"), loader.load_data("partitions")
        others += loader.load_service_model("s3", "resources-1"), loader.load_data("sdk-default-configuration")
        return [used, model["shapes"], model["metadata"], retries["__default__"], retries["dynamodb"], *others]

    core = botocore.session.Session()
    core.register_component("data_loader", botocore.loaders.Loader())
    with fake_store(dialect="s3", buckets=["photos"]):
        for config in ({"retries": {"max_attempts": 9}}, {"defaults_mode": "in-region"}, {"use_fips_endpoint": True}):
            use(boto3.Session(), **config)
        shared = boto3.Session()._session.get_component("data_loader")  # noqa: SLF001
        use(boto3.Session(botocore_session=core))
        own = core.get_component("data_loader")
        assert loaded(shared) == loaded(own)
        boto3.Session().get_available_services().clear()
        assert boto3.Session().get_available_services() == own.list_available_services("service-2")


def test_endpoints_are_the_same_as_without_a_store():
    def endpoints(make_client):
        variants = ({"use_fips_endpoint": True}, {}, {"use_dualstack_endpoint": True})
        return [
            make_client(service, region, config=Config(**variant)).meta.endpoint_url
            for service in ("sts", "dynamodb")
            for region in ("us-east-1", "cn-north-1", "us-gov-west-1")
            for variant in (*variants, *reversed(variants))
        ]

    with fake_store(dialect="s3"):
        inside = endpoints(lambda *arguments, **options: boto3.Session().client(*arguments, **options))
    assert inside == endpoints(boto3.Session().client)


def test_sessions_share_until_the_last_store_is_left():
    def description():
        return botocore.session.Session().get_component("data_loader").load_service_model("s3", "service-2")

    with fake_store(dialect="s3"):
        with fake_store(dialect="s3"):
            shared = description()
        assert description() is shared
    assert description() is not shared
    assert botocore.session.create_loader is botocore.loaders.create_loader
    with fake_store(dialect="s3"):
        assert description() is shared
