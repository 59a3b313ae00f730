"""What every answer carries, and what every request needs (specification, sections 4, 5 and 7)."""

from __future__ import annotations

import re

import pytest
import requests
from lxml import etree

from fakestore import fake_store, faults
from fakestore.http.dates import http_date
from tests.spec.arrange import (
    STANDARD_HEADERS,
    body_of,
    elements,
    holdings,
    own_headers,
    refusal,
    stack,
    status_of,
    whole,
    wire,
)

statement = pytest.mark.statement

#: One request of each operation of the specification, all of them meant for a bucket that holds cat.jpg.
REQUESTS = {
    "PUT Object": ("PUT", "/new.jpg", [("Content-Length", "4")], b"meow"),
    "PUT Object Copy": ("PUT", "/new.jpg", [("x-svc-copy-source", "/photos/cat.jpg")], b""),
    "DELETE Object": ("DELETE", "/cat.jpg", [], b""),
    "GET Object ACL": ("GET", "/cat.jpg?acl", [], b""),
}


@pytest.fixture(params=REQUESTS)
def ask(request, store):
    """Sends the request of one operation; extra fields and options go with it."""
    method, target, own, body = REQUESTS[request.param]
    store["photos"].put("cat.jpg", b"meow", acl="public-read-write")

    def send(bucket="photos", fields=(), **options):
        return wire(store, method, bucket, target, [*own, *fields], body, **options)

    return send


# -- headers of every answer


def _expect_standard_headers(answer):
    told = {name.lower(): value for name, value in answer.headers.items() if name.lower() in STANDARD_HEADERS}
    assert told == {
        "connection": "close",
        "date": "Sat, 21 Nov 2026 12:00:00 GMT",
        "server": "fakestore",
        "x-svc-id-2": told["x-svc-id-2"],
        "x-svc-request-id": told["x-svc-request-id"],
    }
    assert re.fullmatch("[0-9A-F]{16}", told["x-svc-request-id"])
    assert re.fullmatch("[0-9A-F]{64}", told["x-svc-id-2"])


@statement("4.1-47", "4.1-48", "4.1-49", "4.1-50", "4.1-51")
def test_every_success_carries_the_standard_headers(noon, ask):
    answer = ask()
    assert answer.status in (200, 204)
    _expect_standard_headers(answer)


@statement("4.1-47", "4.1-48", "4.1-49", "4.1-50", "4.1-51")
def test_every_refusal_carries_the_standard_headers(noon, store, ask):
    store.fail(None, faults.ServiceError("SlowDown"))
    for answer, status in ((ask("nosuch"), 503), (ask("nosuch"), 404), (ask(signed=False), 403)):
        assert answer.status == status
        _expect_standard_headers(answer)


@statement("4.1-47", "4.1-48")
def test_every_answer_has_ids_of_its_own(ask):
    answers = [ask(), ask(), ask("nosuch"), ask("nosuch")]
    for name in ("x-svc-request-id", "x-svc-id-2"):
        assert len({answer.headers[name] for answer in answers}) == 4


# -- errors


@statement("7-01", "7-02", "7-03", "7-04")
def test_an_error_is_a_document_that_names_what_was_asked_for(ask):
    answer = ask("nosuch")
    path = elements(answer.body)["Resource"]
    assert whole(answer)[:2] == (
        404,
        {"content-type": "text/xml; charset=utf-8", "content-length": str(len(answer.body))},
    )
    assert etree.fromstring(answer.body).tag == "Error"
    assert elements(answer.body) == {
        "Code": "NoSuchBucket",
        "Message": "The specified bucket does not exist",
        "BucketName": "nosuch",
        "Resource": path,
        "RequestId": answer.headers["x-svc-request-id"],
        "HostId": answer.headers["x-svc-id-2"],
    }
    assert path in {"/nosuch/new.jpg", "/nosuch/cat.jpg"}


def test_a_head_answers_as_a_get_without_the_body(store, session, noon):
    store["photos"].put("cat.jpg", b"meow", metadata={"a": "b"})
    for key in ("cat.jpg", "nosuch.jpg"):
        get, head = (session.request(method, store.url("photos", key)) for method in ("GET", "HEAD"))
        assert (status_of(head), own_headers(head)) == (status_of(get), own_headers(get))
        assert (head.content, len(get.content)) == (b"", int(get.headers["Content-Length"]))


# -- authentication


@statement("4-02", "5-01")
def test_without_authorization_every_operation_is_refused(store, ask):
    before = holdings(store)
    dated = [("Date", http_date(store._service.clock()))]
    assert refusal(ask(fields=dated, signed=False)) == (403, "AccessDenied")
    assert holdings(store) == before


@statement("5-02")
def test_an_anonymous_copy_is_refused_though_everything_is_public(store, session):
    store["photos"].put("cat.jpg", b"meow", acl="public-read-write")
    store["photos"].acl = "public-read-write"
    session.auth = None
    headers = {"x-svc-copy-source": "/photos/cat.jpg", "Date": http_date(store._service.clock())}
    answer = session.put(store.url("photos", "copy.jpg"), headers=headers)
    assert refusal(answer) == (403, "AccessDenied")
    assert store.exchanges[-1].explanation == (
        "the request has no Authorization header; anonymous requests are always refused."
        " Sign it with auth=store.auth(), or send it through store.session()"
    )
    assert list(store["photos"]) == ["cat.jpg"]


@statement("4-01", "5-03")
@pytest.mark.parametrize(
    "fields",
    [[], [("Date", "")], [("Date", "yesterday")], [("Date", "2026-11-21T12:00:00Z")], [("Date", "9" * 400)]],
    ids=["none", "empty", "word", "ISO", "digits"],
)
def test_without_a_date_every_operation_is_refused(store, ask, fields):
    before = holdings(store)
    authorization = ("Authorization", f"SVC {store.default_account.access_key_id}:signature")
    assert refusal(ask(fields=[authorization, *fields], signed=False)) == (403, "AccessDenied")
    assert holdings(store) == before


def test_the_services_own_date_header_stands_in_for_date(store, noon, ask):
    authorization = ("Authorization", f"SVC {store.default_account.access_key_id}:signature")
    fields = [authorization, ("x-svc-date", "Sat, 21 Nov 2026 12:00:00 GMT")]
    assert ask(fields=fields, signed=False).status in (200, 204)


@pytest.mark.parametrize(
    ("time", "taken"), [("11:45:00", True), ("11:44:59", False), ("12:15:00", True), ("12:15:01", False)]
)
def test_a_date_may_be_a_quarter_of_an_hour_off(store, noon, time, taken):
    fields = [
        ("Content-Length", "0"),
        ("Authorization", f"SVC {store.default_account.access_key_id}:signature"),
        ("Date", f"Sat, 21 Nov 2026 {time} GMT"),
    ]
    answer = wire(store, "PUT", "photos", "/k", fields, signed=False)
    assert (answer.status if taken else refusal(answer)) == (200 if taken else (403, "RequestTimeTooSkewed"))
    assert ("k" in store["photos"]) is taken


@statement("5-04")
@pytest.mark.parametrize(
    ("authorization", "expected"),
    [
        ("SVC {key}", (400, "InvalidArgument")),
        ("SVC {key}:", (400, "InvalidArgument")),
        ("SVC :signature", (400, "InvalidArgument")),
        ("SVC {key} signature", (400, "InvalidArgument")),
        ("SVC {key}:signature more", (400, "InvalidArgument")),
        ("SVC  {key}:signature", (400, "InvalidArgument")),
        ("SVC", (400, "InvalidArgument")),
        ("SVC AKNOBODY:signature", (403, "InvalidAccessKeyId")),
        ("AWS {key}:signature", (403, "AccessDenied")),
        ("Basic {key}:signature", (403, "AccessDenied")),
        ("{key}:signature", (403, "AccessDenied")),
        ("", (403, "AccessDenied")),
    ],
)
def test_authorization_of_another_form_is_refused(store, noon, ask, authorization, expected):
    before = holdings(store)
    value = authorization.format(key=store.default_account.access_key_id)
    fields = [("Date", "Sat, 21 Nov 2026 12:00:00 GMT"), ("Authorization", value)]
    assert refusal(ask(fields=fields, signed=False)) == expected
    assert holdings(store) == before


@statement("5-04")
def test_an_authorization_that_came_twice_is_refused(store, ask):
    before = holdings(store)
    twice = [("Authorization", f"SVC {store.default_account.access_key_id}:one, two")]
    assert refusal(ask(fields=twice)) == (400, "InvalidArgument")
    assert holdings(store) == before


@statement("5-04")
def test_who_asks_is_told_by_the_access_key(store, alice):
    store["photos"].acl = "public-read-write"
    wire(store, "PUT", "photos", "/cat.jpg", [("Content-Length", "0")], account=alice)
    assert store["photos"]["cat.jpg"].owner == alice


@statement("5-05")
def test_a_signature_made_with_another_secret_is_refused_when_signatures_are_checked():
    with (
        fake_store(signatures="verify", buckets=["photos"]) as store,
        fake_store(base_url="http://elsewhere.test", secret_key="another secret", buckets=["photos"]) as elsewhere,
    ):
        prepared = elsewhere.session().prepare_request(
            requests.Request("PUT", elsewhere.url("photos", "cat.jpg"), data=b"meow")
        )
        key = store.default_account.access_key_id
        headers = {
            name: value.replace(elsewhere.default_account.access_key_id, key)
            for name, value in prepared.headers.items()
        }
        forged = requests.put(store.url("photos", "cat.jpg"), data=b"meow", headers=headers)
        signed = requests.put(store.url("photos", "dog.jpg"), data=b"woof", auth=store.auth())
        assert (refusal(forged), signed.status_code) == ((403, "SignatureDoesNotMatch"), 200)
        assert list(store["photos"]) == ["dog.jpg"]


@statement("5-05")
def test_a_signature_of_another_request_is_refused_when_signatures_are_checked():
    with fake_store(signatures="verify", buckets=["photos"]) as store:
        prepared = store.session().prepare_request(requests.Request("PUT", store.url("photos", "a"), data=b"meow"))
        answer = requests.put(store.url("photos", "b"), data=b"meow", headers=dict(prepared.headers))
        assert refusal(answer) == (403, "SignatureDoesNotMatch")
        assert list(store["photos"]) == []


# -- access


def _allow_on_bucket(store, account, permission):
    """Give an account one permission on the bucket, and keep the owner's own."""
    store.session().put(
        store.url("photos", acl=None),
        headers={
            "x-svc-grant-full-control": f'id="{store.default_account.id}"',
            f"x-svc-grant-{permission}": f'id="{account.id}"',
        },
    ).raise_for_status()


@statement("5-06")
def test_a_put_takes_write_on_the_bucket_and_nothing_else(store, alice):
    session = store.session(alice)
    answers = []
    for permission in ("read", "read-acp", "write-acp", "write"):
        _allow_on_bucket(store, alice, permission)
        answers.append(session.put(store.url("photos", "cat.jpg"), data=b"meow").status_code)
    assert answers == [403, 403, 403, 200]


@statement("5-06")
def test_full_control_of_an_object_does_not_let_it_be_put_again(store, alice):
    store.session().put(
        store.url("photos", "cat.jpg"), data=b"meow", headers={"x-svc-grant-full-control": f'id="{alice.id}"'}
    )
    answer = store.session(alice).put(store.url("photos", "cat.jpg"), data=b"hiss")
    assert refusal(answer) == (403, "AccessDenied")
    assert stack(store, "photos", "cat.jpg") == [b"meow"]


@statement("5-07", "5-08", "5-09", "3-08", "3-09", "4.2-11")
@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("writes", [True, False])
def test_a_copy_takes_read_on_the_source_and_write_on_the_destination_bucket(store, alice, reads, writes):
    store["kept"].put("cat.jpg", b"meow", acl="public-read" if reads else "private")
    if writes:
        _allow_on_bucket(store, alice, "write")
    answer = store.session(alice).put(store.url("photos", "copy.jpg"), headers={"x-svc-copy-source": "/kept/cat.jpg"})
    assert answer.status_code == (200 if reads and writes else 403)
    assert list(store["photos"]) == (["copy.jpg"] if reads and writes else [])


@statement("4.2-11", "5-07")
def test_read_is_asked_of_the_version_that_is_copied(store, alice):
    private = store["kept"].put("cat.jpg", b"secret")
    public = store["kept"].put("cat.jpg", b"meow", acl="public-read")
    store["photos"].acl = "public-read-write"
    session = store.session(alice)
    answers = [
        session.put(
            store.url("photos", "copy.jpg"),
            headers={"x-svc-copy-source": f"/kept/cat.jpg?versionId={version.version_id}"},
        ).status_code
        for version in (private, public)
    ]
    assert answers == [403, 200]
    assert stack(store, "photos", "copy.jpg") == [b"meow"]


@statement("5-11")
def test_a_version_is_deleted_by_the_buckets_owner_alone(store, alice):
    store["kept"].acl = "public-read-write"
    version = store["kept"].put("cat.jpg", b"meow", account=alice, acl="public-read-write")
    store["kept"].allow(alice, "s3:*")
    url = store.url("kept", "cat.jpg", versionId=version.version_id)
    assert refusal(store.session(alice).delete(url)) == (403, "AccessDenied")
    assert store["kept"].versions() == [version]
    assert store.session().delete(url).status_code == 204
    assert store["kept"].versions() == []


@statement("5-12")
@pytest.mark.parametrize("action", ["s3:DeleteObject", "s3:deleteobject", "s3:Delete*"])
def test_who_is_denied_delete_object_deletes_none(store, alice, action):
    store["photos"].acl = "public-read-write"
    store["photos"].put("cat.jpg", b"meow", account=alice)
    store["photos"].deny(alice, action)
    assert refusal(store.session(alice).delete(store.url("photos", "cat.jpg"))) == (403, "AccessDenied")
    assert stack(store, "photos", "cat.jpg") == [b"meow"]


@statement("5-12")
def test_a_denial_of_delete_object_is_for_whom_it_names(store, alice):
    store["photos"].acl = "public-read-write"
    store["photos"].put("cat.jpg", b"meow")
    store["photos"].deny(alice, "s3:DeleteObject")
    assert store.session(alice).put(store.url("photos", "dog.jpg"), data=b"woof").status_code == 200
    assert store.session().delete(store.url("photos", "cat.jpg")).status_code == 204


@statement("5-13")
def test_who_is_denied_delete_object_version_deletes_none_though_the_bucket_is_theirs(store, session):
    version = store["kept"].put("cat.jpg", b"meow")
    store["kept"].deny(store.default_account, "s3:DeleteObjectVersion")
    url = store.url("kept", "cat.jpg", versionId=version.version_id)
    assert refusal(session.delete(url)) == (403, "AccessDenied")
    assert store["kept"].versions() == [version]
    assert session.delete(store.url("kept", "cat.jpg")).status_code == 204


@statement("5-14")
def test_who_is_denied_the_lifecycle_sets_no_rule_that_deletes(store, session):
    store["photos"].put("cat.jpg", b"meow")
    store["photos"].deny(store.default_account, "s3:PutLifeCycleConfiguration")
    rule = "<Rule><ID>all</ID><Prefix></Prefix><Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule>"
    answer = session.put(
        store.url("photos", lifecycle=None), data=f"<LifecycleConfiguration>{rule}</LifecycleConfiguration>"
    )
    assert refusal(answer) == (403, "AccessDenied")
    store.travel(days=3)
    assert list(store["photos"]) == ["cat.jpg"]


# -- the interface


@statement("9-01")
def test_a_document_in_the_namespace_of_2006_03_01_is_understood(store, session):
    body = (
        '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        "<Status>Enabled</Status></VersioningConfiguration>"
    )
    assert session.put(store.url("photos", versioning=None), data=body).status_code == 200
    assert store["photos"].versioning == "enabled"


@statement("9-02", "9-06")
def test_ids_of_versions_are_told_by_every_operation_that_meets_one(store, session):
    url = store.url("kept", "cat.jpg")
    put = session.put(url, data=b"meow").headers["x-svc-version-id"]
    copied = session.put(store.url("kept", "copy.jpg"), headers={"x-svc-copy-source": "/kept/cat.jpg"}).headers
    acl = session.get(store.url("kept", "cat.jpg", acl=None)).headers["x-svc-version-id"]
    deleted = session.delete(url).headers["x-svc-version-id"]
    assert (acl, copied["x-svc-copy-source-version-id"]) == (put, put)
    assert len({put, copied["x-svc-version-id"], deleted}) == 3
    assert {each.version_id for each in store["kept"].versions()} == {put, copied["x-svc-version-id"], deleted}


def test_no_answer_to_the_operations_has_a_body_where_none_belongs(store):
    store["photos"].put("cat.jpg", b"meow")
    assert [
        body_of(wire(store, "PUT", "photos", "/k", [("Content-Length", "0")])),
        body_of(wire(store, "DELETE", "photos", "/k")),
    ] == [b"", b""]
