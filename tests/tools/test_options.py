"""The options of a store: each is checked when the recipe is written, and the sentence says what can be."""

from __future__ import annotations

import datetime as dt

import pytest
import requests

from fakestore import S3, FakeStore, Limits, UnexpectedRequest, fake_store


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"base_url": "objects.test"},
            "base_url is 'objects.test'; it begins with http:// or https:// and names a host",
        ),
        ({"base_url": "ftp://objects.test"}, "it begins with http:// or https://"),
        ({"base_url": "http://"}, "names a host"),
        ({"base_url": "http://objects.test:port"}, "which is no URL"),
        ({"base_url": "http://objects.test/path"}, "it is a scheme, a host and at most a port"),
        ({"base_url": "http://me@objects.test"}, "it is a scheme, a host and at most a port"),
        ({"auth_scheme": "two words"}, "auth_scheme is one word, such as 'SVC' or 'AWS', not 'two words'"),
        ({"auth_scheme": ""}, "auth_scheme is one word"),
        ({"signatures": "ignore"}, "signatures is 'accept', 'verify' or a Verifier, not 'ignore'"),
        ({"max_clock_skew": -1}, "max_clock_skew is -1; it cannot be negative"),
        ({"max_clock_skew": dt.timedelta(-1)}, "it cannot be negative"),
        ({"max_clock_skew": float("inf")}, "max_clock_skew is inf; it cannot be negative or more than a timedelta"),
        ({"max_clock_skew": float("nan")}, "max_clock_skew is nan; it cannot be"),
        ({"max_clock_skew": 10**30}, "or more than a timedelta can be"),
        ({"buckets": ["Photos"]}, "Photos"),
        ({"buckets": {"photos": "on"}}, "versioning is 'on'; there are 'never', 'enabled', 'suspended'"),
    ],
)
def test_a_value_that_cannot_be_is_refused_before_anything_is_entered(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        fake_store(**options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"buckets": "photos"}, "buckets is a list of names, or names with their versioning, not 'photos'"),
        (
            {"buckets": iter(["photos"])},
            "buckets is a list of names, or names with their versioning, not <list_iterator",
        ),
        ({"seed": "7"}, "seed is an integer, not '7'"),
        ({"max_clock_skew": True}, "max_clock_skew is a timedelta, seconds, or None for unchecked, not True"),
        ({"max_clock_skew": "15"}, "max_clock_skew is a timedelta, seconds, or None for unchecked, not '15'"),
        ({"allow_network": "no"}, "allow_network is True or False, not 'no'"),
    ],
)
def test_a_value_of_another_type_is_refused_before_anything_is_entered(options, sentence):
    with pytest.raises(TypeError, match=sentence):
        fake_store(**options)


@pytest.mark.parametrize("make", [fake_store, FakeStore])
def test_an_unknown_option_is_refused_by_name(make):
    with pytest.raises(TypeError, match=r"^there is no option 'base_urls'; there are .* Did you mean 'base_url'\?$"):
        make(base_urls="http://objects.test")


def test_dialect_is_chosen_by_name_and_brings_its_base_url():
    store = FakeStore(dialect="s3", buckets=["photos"])
    assert (store.dialect, store.base_url) == (S3, "https://s3.amazonaws.com")
    assert FakeStore(dialect="s3", base_url="http://objects.test").base_url == "http://objects.test"


def test_unknown_dialect_is_refused_with_a_suggestion():
    with pytest.raises(
        ValueError, match=r"unknown dialect 'documents'; known dialects: 'document', 's3'.*Did you mean 'document'"
    ):
        fake_store(dialect="documents")


@pytest.mark.parametrize(
    ("options", "bucket", "url"),
    [
        ({"dialect": "s3"}, "photos", "https://photos.s3.amazonaws.com/cat.jpg"),
        ({"dialect": "s3"}, "Photos", "https://s3.amazonaws.com/Photos/cat.jpg"),
        ({"dialect": "s3", "base_url": "http://127.0.0.1:9000"}, "photos", "http://127.0.0.1:9000/photos/cat.jpg"),
        ({"dialect": "s3", "base_url": "http://localhost:9000"}, "photos", "http://photos.localhost:9000/cat.jpg"),
        ({"base_url": "http://127.0.0.1"}, "photos", "http://photos.127.0.0.1/cat.jpg"),
    ],
)
def test_url_names_the_bucket_in_the_host_unless_it_cannot(options, bucket, url):
    assert FakeStore(**options).url(bucket, "cat.jpg") == url


def test_the_defaults():
    with fake_store() as store:
        assert (store.base_url, dict(store.buckets), store.dialect.auth_scheme, store.default_account.display_name) == (
            "http://objects.test",
            {},
            "SVC",
            "default",
        )


def test_buckets_may_be_named_with_their_versioning():
    versioning: dict = {"a": None, "b": "never", "c": "enabled", "d": "suspended"}
    store = FakeStore(buckets={f"bucket-{name}": state for name, state in versioning.items()})
    assert [bucket.versioning for bucket in store.buckets.values()] == ["never", "never", "enabled", "suspended"]


def test_the_default_account_has_the_credentials_given():
    account = FakeStore(access_key_id="AKID", secret_key="hush").default_account
    assert (account.access_key_id, account.secret_key) == ("AKID", "hush")


def test_the_auth_scheme_given_beats_the_dialects():
    with fake_store(auth_scheme="AWS", buckets=["photos"]) as store:
        answer = store.session().get(store.url("photos"))
        assert (answer.status_code, answer.request.headers["Authorization"].split()[0]) == (200, "AWS")


@pytest.mark.parametrize(
    ("skew", "status"), [(None, 200), (60, 403), (dt.timedelta(hours=2), 200), (7200, 200), (7200.0, 200)]
)
def test_the_clock_skew_may_be_a_timedelta_or_seconds_or_none(skew, status):
    an_hour_ago = dt.datetime.now(dt.UTC) - dt.timedelta(hours=1)
    with fake_store(max_clock_skew=skew, buckets=["photos"]) as store:
        headers = {"Date": f"{an_hour_ago:%a, %d %b %Y %H:%M:%S GMT}"}
        assert store.session().get(store.url("photos"), headers=headers).status_code == status


def test_limits_may_be_lowered():
    with fake_store(limits=Limits(object_size=3), buckets=["photos"]) as store:
        answer = store.session().put(store.url("photos", "cat.jpg"), data=b"meow")
        assert (answer.status_code, "<Code>EntityTooLarge</Code>" in answer.text) == (400, True)


def test_a_base_url_may_end_in_a_slash_and_have_a_port():
    with fake_store(base_url="https://s3.internal:9000/", buckets=["photos"]) as store:
        assert store.url("photos", "k") == "https://photos.s3.internal:9000/k"
        assert store.session().put(store.url("photos", "k"), data=b"meow").status_code == 200


def test_another_port_of_our_host_is_not_ours():
    with fake_store(base_url="https://s3.internal:9000") as store:
        with pytest.raises(UnexpectedRequest):
            requests.get("https://s3.internal:9001/")
        store.unhandled_requests.clear()
