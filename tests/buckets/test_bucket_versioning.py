"""Versioning of a bucket, set and asked over HTTP, and MFA Delete with it."""

from __future__ import annotations

import pytest
import requests
from lxml import etree

from fakestore import MfaDevice, UnsupportedRequest, fake_store


@pytest.fixture
def store():
    with fake_store(base_url="https://objects.test", buckets=["photos"]) as store:
        yield store


def set_versioning(store, status, mfa_delete=None, account=None, **headers):
    inner = f"<Status>{status}</Status>" + (f"<MfaDelete>{mfa_delete}</MfaDelete>" if mfa_delete else "")
    return requests.put(
        store.url("photos", versioning=None),
        data=f"<VersioningConfiguration>{inner}</VersioningConfiguration>".encode(),
        headers=headers,
        auth=store.auth(account),
    )


def configuration(store):
    reply = requests.get(store.url("photos", versioning=None), auth=store.auth())
    document = etree.fromstring(reply.content)
    return document.tag, {child.tag: child.text for child in document}


def code(reply):
    return reply.status_code, etree.fromstring(reply.content).findtext("Code")


def test_a_bucket_never_versioned_has_an_empty_configuration(store):
    assert configuration(store) == ("VersioningConfiguration", {})


@pytest.mark.parametrize("status", ["Enabled", "Suspended"])
def test_either_state_may_be_set_first(store, status):
    assert set_versioning(store, status).status_code == 200
    assert (configuration(store)[1], store["photos"].versioning) == ({"Status": status}, status.lower())


def test_versioning_goes_from_enabled_to_suspended_and_back(store):
    for status in ("Enabled", "Suspended", "Enabled"):
        set_versioning(store, status)
    assert store["photos"].versioning == "enabled"


@pytest.mark.parametrize("status", ["enabled", "Disabled", "Never", ""])
def test_another_status_is_malformed_and_changes_nothing(store, status):
    set_versioning(store, "Enabled")
    assert code(set_versioning(store, status)) == (400, "MalformedXML")
    assert store["photos"].versioning == "enabled"


def test_a_document_without_status_is_illegal(store):
    reply = requests.put(store.url("photos", versioning=None), data=b"<VersioningConfiguration/>", auth=store.auth())
    assert code(reply) == (400, "IllegalVersioningConfigurationException")


def test_a_stranger_neither_asks_nor_sets(store):
    bob = store.create_account("bob")
    asked = requests.get(store.url("photos", versioning=None), auth=store.auth(bob))
    assert code(asked) == (403, "AccessDenied")
    assert code(set_versioning(store, "Enabled", account=bob)) == (403, "AccessDenied")
    assert store["photos"].versioning == "never"


def test_the_history_of_a_key_follows_the_states(store):
    url, auth = store.url("photos", "k"), store.auth()
    requests.put(url, data=b"never", auth=auth)
    set_versioning(store, "Enabled")
    enabled = requests.put(url, data=b"enabled", auth=auth).headers["x-svc-version-id"]
    set_versioning(store, "Suspended")
    suspended = requests.put(url, data=b"suspended", auth=auth)
    assert "x-svc-version-id" not in suspended.headers
    assert [(each.version_id, each.content) for each in store["photos"].versions("k")] == [
        ("null", b"suspended"),
        (enabled, b"enabled"),
    ]


def test_mfa_delete_is_switched_off_with_the_devices_code(store):
    store["photos"].set_versioning("enabled", mfa_device=MfaDevice("serial", "123456"))
    assert set_versioning(store, "Enabled", "Disabled", **{"x-svc-mfa": "serial 123456"}).status_code == 200
    assert configuration(store)[1] == {"Status": "Enabled", "MfaDelete": "Disabled"}


@pytest.mark.parametrize("headers", [{}, {"x-svc-mfa": "serial 654321"}], ids=["without", "wrong"])
def test_mfa_delete_stays_on_without_the_devices_code(store, headers):
    store["photos"].set_versioning("enabled", mfa_device=MfaDevice("serial", "123456"))
    assert code(set_versioning(store, "Enabled", "Disabled", **headers)) == (403, "AccessDenied")
    assert configuration(store)[1] == {"Status": "Enabled", "MfaDelete": "Enabled"}


def test_while_mfa_delete_is_on_suspending_asks_for_the_code(store):
    store["photos"].set_versioning("enabled", mfa_device=MfaDevice("serial", "123456"))
    assert code(set_versioning(store, "Suspended")) == (403, "AccessDenied")
    assert set_versioning(store, "Suspended", **{"x-svc-mfa": "serial 123456"}).status_code == 200
    assert store["photos"].versioning == "suspended"


def test_mfa_delete_without_a_device_says_how_to_give_one(store):
    with pytest.raises(UnsupportedRequest, match="set_versioning"):
        set_versioning(store, "Enabled", "Enabled", **{"x-svc-mfa": "serial 123456"})
    assert store["photos"].versioning == "never"
    store.unhandled_requests.clear()


@pytest.mark.parametrize("given", [5, True, b"enabled"])
def test_versioning_is_given_by_its_name(store, given):
    with pytest.raises(TypeError, match="versioning is given by its name, not as"):
        store.create_bucket("films", versioning=given)
    assert list(store) == ["photos"]
