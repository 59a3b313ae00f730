"""What every request needs and every reply carries (specification, sections 4, 5, 7 and 9)."""

from __future__ import annotations

import re
from email.utils import formatdate

import pytest
from lxml import etree

from fakestore import faults
from tests.support.cases import each
from tests.support.documents import lifecycle, rule
from tests.support.state import stack, state_of
from tests.support.wire import STANDARD_HEADERS, elements, outcome, own_headers, send, status_of

statement = pytest.mark.statement
decision = pytest.mark.decision

#: One request of each operation of the specification, for a bucket that holds cat.jpg.
REQUESTS = {
    "PUT Object": ("PUT", "/new.jpg", [], b"meow"),
    "PUT Object Copy": ("PUT", "/new.jpg", [("x-svc-copy-source", "/photos/cat.jpg")], b""),
    "DELETE Object": ("DELETE", "/cat.jpg", [], b""),
    "GET Object ACL": ("GET", "/cat.jpg?acl", [], b""),
}


@pytest.fixture(params=REQUESTS)
def ask(request, store):
    """Send the request of one operation, with further header fields."""
    method, target, own, body = REQUESTS[request.param]
    store["photos"].put("cat.jpg", b"meow", acl="public-read-write")

    def ask(bucket="photos", fields=(), **options):
        return send(store, method, bucket, target, [*own, *fields], body, **options)

    return ask


def authorization(store):
    return "Authorization", f"SVC {store.default_account.access_key_id}:signature"


# -- headers of every reply


@statement("4.1-47", "4.1-48", "4.1-49", "4.1-50", "4.1-51")
def test_every_reply_carries_the_standard_headers(noon, store, ask):
    answers = [ask(), ask("nosuch"), ask(signed=False)]
    store.fail(None, faults.ServiceError("SlowDown"))
    answers.append(ask())
    assert [answer.status for answer in answers][1:] == [404, 403, 503]
    for answer in answers:
        standard = {name: value for name, value in answer.headers.items() if name in STANDARD_HEADERS}
        assert re.fullmatch("[0-9A-F]{16}", standard.pop("x-svc-request-id"))
        assert re.fullmatch("[0-9A-F]{64}", standard.pop("x-svc-id-2"))
        assert standard == {"connection": "close", "date": "Sat, 21 Nov 2026 12:00:00 GMT", "server": "fakestore"}
    for name in ("x-svc-request-id", "x-svc-id-2"):
        assert len({answer.headers[name] for answer in answers}) == 4


# -- errors


@statement("7-01", "7-02", "7-03", "7-04")
@decision("error-body")
def test_error_is_a_document_that_names_the_resource(ask):
    answer = ask("nosuch")
    resource = elements(answer)["Resource"]
    assert (answer.status, own_headers(answer)) == (
        404,
        {"content-type": "text/xml; charset=utf-8", "content-length": str(len(answer.body))},
    )
    assert etree.fromstring(answer.body).tag == "Error"
    assert elements(answer) == {
        "Code": "NoSuchBucket",
        "Message": "The specified bucket does not exist",
        "BucketName": "nosuch",
        "Resource": resource,
        "RequestId": answer.headers["x-svc-request-id"],
        "HostId": answer.headers["x-svc-id-2"],
    }
    assert resource in {"/nosuch/new.jpg", "/nosuch/cat.jpg"}


def test_head_answers_like_get_without_the_body(store, session, noon):
    store["photos"].put("cat.jpg", b"meow", metadata={"a": "b"})
    get, head = (session.request(method, store.url("photos", "cat.jpg")) for method in ("GET", "HEAD"))
    assert (status_of(head), own_headers(head), head.content) == (200, own_headers(get), b"")
    get, head = (session.request(method, store.url("photos", "nosuch.jpg")) for method in ("GET", "HEAD"))
    assert (status_of(get), status_of(head), head.content) == (404, 404, b"")


# -- authentication


@statement("4-02", "5-01")
@decision("authorization-header")
def test_request_without_authorization_is_refused(store, ask):
    before = state_of(store)
    assert outcome(ask(fields=[("Date", formatdate(usegmt=True))], signed=False)) == (403, "AccessDenied")
    assert state_of(store) == before


@statement("5-02")
@decision("anonymous-requests")
def test_anonymous_copy_is_refused_even_if_all_is_public(store, session):
    store["photos"].put("cat.jpg", b"meow", acl="public-read-write")
    store["photos"].acl = "public-read-write"
    session.auth = None
    headers = {"x-svc-copy-source": "/photos/cat.jpg", "Date": formatdate(usegmt=True)}
    answer = session.put(store.url("photos", "copy.jpg"), headers=headers)
    assert outcome(answer) == (403, "AccessDenied")
    assert "store.auth()" in store.exchanges[-1].explanation
    assert list(store["photos"]) == ["cat.jpg"]


@decision("http-date-forms")
def test_date_of_another_form_is_read(store, noon):
    for case in each(
        "Sun, 21 Nov 2026 12:00:00 GMT",
        "Sat, 21 Nov 2026 12:00:00",
        "21 Nov 2026 12:00:00",
        "Sat, 21 Nov 2026 14:00:00 +0200",
        "Sat, 21 Nov 2026 07:00:00 EST",
        "Sat, 21 Nov 2026 12:00:00 +0000",
        "Saturday, 21-Nov-26 12:00:00 GMT",
        "Sat Nov 21 12:00:00 2026",
    ):
        with case as date:
            assert send(store, "GET", "photos", "/", {"Date": date}).status == 200


@statement("5-04")
@decision("authorization-header")
def test_invalid_authorization_is_refused(store):
    key = store.default_account.access_key_id
    before = state_of(store)
    malformed = [
        f"SVC {key}",
        f"SVC {key}:",
        "SVC :signature",
        "SVC :",
        "SVC",
        f"SVC  {key}:signature",
        f"SVC {key} :signature",
        f"SVC {key}: signature",
        f"SVC {key}:signature more",
        f"SVC {key}:sig\tnature",
        f"SVC Credential={key}",
    ]
    others = {f"AWS {key}:signature": "AccessDenied", f"{key}:signature": "AccessDenied", "": "AccessDenied"}
    expected = {
        **dict.fromkeys(malformed, (400, "InvalidArgument")),
        **{value: (403, code) for value, code in others.items()},
        "SVC AKNOBODY:signature": (403, "InvalidAccessKeyId"),
    }
    answers = {value: outcome(send(store, "PUT", "photos", "/k", {"Authorization": value})) for value in expected}
    assert answers == expected
    assert {exchange.account for exchange in store.exchanges} == {None}
    assert "Authorization" in store.exchanges[0].explanation
    assert state_of(store) == before


@statement("5-04")
def test_authorization_sent_twice_is_refused(store):
    twice = [authorization(store), authorization(store)]
    assert outcome(send(store, "PUT", "photos", "/k", twice)) == (400, "InvalidArgument")
    assert list(store["photos"]) == []


# -- access


@statement("4.2-11", "5-07")
def test_copy_needs_read_on_the_version_it_copies(store, alice):
    private = store["kept"].put("cat.jpg", b"secret")
    public = store["kept"].put("cat.jpg", b"meow", acl="public-read")
    store["photos"].acl = "public-read-write"
    sources = [f"/kept/cat.jpg?versionId={version.version_id}" for version in (private, public)]
    answers = [
        send(store, "PUT", "photos", "/copy.jpg", {"x-svc-copy-source": source}, account=alice) for source in sources
    ]
    assert [answer.status for answer in answers] == [403, 200]
    explanation = store.exchanges[-2].explanation
    assert all(name in explanation for name in ("alice", "s3:GetObjectVersion", "kept/cat.jpg", "READ", "default"))
    assert stack(store, "photos", "copy.jpg") == [b"meow"]


@statement("5-11")
def test_only_the_bucket_owner_deletes_a_version(store, alice):
    store["kept"].acl = "public-read-write"
    version = store["kept"].put("cat.jpg", b"meow", account=alice, acl="public-read-write")
    store["kept"].allow(alice, "s3:*")
    target = f"/cat.jpg?versionId={version.version_id}"
    assert outcome(send(store, "DELETE", "kept", target, account=alice)) == (403, "AccessDenied")
    explanation = store.exchanges[-1].explanation
    assert all(name in explanation for name in ("alice", "s3:DeleteObjectVersion", "kept/cat.jpg", "default"))
    assert store["kept"].versions() == [version]
    assert send(store, "DELETE", "kept", target).status == 204
    assert store["kept"].versions() == []


@statement("5-12")
@pytest.mark.parametrize("action", ["s3:DeleteObject", "s3:deleteobject", "s3:Delete*"])
def test_denied_delete_object_applies_to_the_named_account(store, alice, action):
    store["photos"].acl = "public-read-write"
    store["photos"].put("cat.jpg", b"meow", account=alice)
    store["photos"].deny(alice, action)
    assert outcome(send(store, "DELETE", "photos", "/cat.jpg", account=alice)) == (403, "AccessDenied")
    assert stack(store, "photos", "cat.jpg") == [b"meow"]
    assert send(store, "PUT", "photos", "/dog.jpg", body=b"woof", account=alice).status == 200
    assert send(store, "DELETE", "photos", "/cat.jpg").status == 204


@statement("5-14")
def test_denied_put_lifecycle_keeps_objects_from_expiring(store):
    store["photos"].put("cat.jpg", b"meow")
    store["photos"].deny(store.default_account, "s3:PutLifeCycleConfiguration")
    body = lifecycle(rule("<Expiration><Days>1</Days></Expiration>"))
    assert outcome(send(store, "PUT", "photos", "/?lifecycle", body=body)) == (403, "AccessDenied")
    store.travel(days=3)
    assert list(store["photos"]) == ["cat.jpg"]


# -- several errors in one request


@decision("order-of-checks")
def test_invalid_path_is_reported_before_authentication(store):
    answer = send(store, "GET", "photos", "/%ff?acl", signed=False)
    assert outcome(answer) == (400, "InvalidURI")
    assert elements(answer)["Resource"] == "/%ff"


# -- the interface


@statement("9-01")
@decision("xml-documents")
def test_documents_have_no_namespace(store):
    for namespace, status in ((b' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"', 400), (b"", 200)):
        body = b"<VersioningConfiguration%s><Status>Enabled</Status></VersioningConfiguration>" % namespace
        assert send(store, "PUT", "photos", "/?versioning", body=body).status == status
    assert b"<VersioningConfiguration><Status>" in send(store, "GET", "photos", "/?versioning").body
