"""Signatures that are verified: by the published rules of signature version 2, or by a user's own rules."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
import requests
from freezegun import freeze_time

from fakestore import Dialect, FakeStore, Verifier
from fakestore.http import Headers, Request
from tests.support.cases import each

# The account, requests and signatures that the developer guide of the interface 2006-03-01 prints.
KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
BASE = "s3.amazonaws.com"
PUPPY = "/photos/puppy.jpg"

#: Method, bucket, target, date, signature and further headers of each published request.
EXAMPLES = {
    "object get": ("GET", "johnsmith", PUPPY, "Tue, 27 Mar 2007 19:36:42 +0000", "bWq2s1WEIj+Ydj0vQ697zp+IXMU=", {}),
    "object put": (
        *("PUT", "johnsmith", PUPPY, "Tue, 27 Mar 2007 21:15:45 +0000", "MyyxeRY7whkBe+bq8fHCL/2kKUg="),
        {"Content-Type": "image/jpeg", "Content-Length": "94328"},
    ),
    "list": (
        *("GET", "johnsmith", "/?prefix=photos&max-keys=50&marker=puppy", "Tue, 27 Mar 2007 19:42:41 +0000"),
        *("htDYFYduRNen8P9ZfE/s9SuKy0U=", {"User-Agent": "Mozilla/5.0"}),
    ),
    "fetch acl": ("GET", "johnsmith", "/?acl", "Tue, 27 Mar 2007 19:44:46 +0000", "c2WLPFtWHVgbEmeEG93a4cG37dM=", {}),
    "delete": ("DELETE", "johnsmith", PUPPY, "Tue, 27 Mar 2007 21:20:26 +0000", "lx3byBScXR6KzyMaifNkardMwNk=", {}),
    "delete, dated by x-amz-date": (
        *("DELETE", "johnsmith", PUPPY, "Tue, 27 Mar 2007 21:20:27 +0000", "R4dJ53KECjStyBO5iTBJZ4XVOaI="),
        {"x-amz-date": "Tue, 27 Mar 2007 21:20:26 +0000"},
    ),
    "list buckets": ("GET", None, "/", "Wed, 28 Mar 2007 01:29:59 +0000", "qGdzdERIC03wnaRNKh6OqZehG9s=", {}),
    "unicode keys": (
        *("GET", "dictionary", "/fran%C3%A7ais/pr%c3%a9f%c3%a8re", "Wed, 28 Mar 2007 01:49:49 +0000"),
        *("DNEZGsoieTZ92F3bUfSPQcbGmlM=", {}),
    ),
}

DATE = "Sat, 21 Nov 2026 12:00:00 GMT"
MD5 = base64.b64encode(hashlib.md5(b"meow").digest()).decode()
SIGNATURE_DOES_NOT_MATCH = "SignatureDoesNotMatch"


@pytest.fixture
def fakestore_options():
    return {"signatures": "verify", "buckets": {"photos": "enabled"}, "secret_key": "s\xe9cret"}


def hmac_sha1(secret_key: str, *lines: bytes) -> str:
    """Compute a signature from the signed bytes, without the code under test."""
    return base64.b64encode(hmac.new(secret_key.encode(), b"\n".join(lines), hashlib.sha1).digest()).decode()


def expected_signature(prepared: requests.PreparedRequest, resource: str, secret_key: str) -> str:
    """Compute the signature of a prepared request to `resource`, which includes its subresources."""
    fields = {name.lower(): value for name, value in prepared.headers.items()}
    date = "" if "x-svc-date" in fields else fields["date"]
    own = [f"{name}:{value}" for name, value in sorted(fields.items()) if name.startswith("x-svc-")]
    lines = [prepared.method, fields.get("content-md5", ""), fields.get("content-type", ""), date, *own, resource]
    return hmac_sha1(secret_key, *(line.encode() for line in lines))


def sent_signature(prepared: requests.PreparedRequest) -> str:
    return prepared.headers["Authorization"].rpartition(":")[2]


def signed_put(store: FakeStore, **headers: str) -> requests.PreparedRequest:
    headers |= {"Content-Type": "image/jpeg", "x-svc-meta-name": "Felix"}
    url = store.url("photos", "cat.jpg")
    return requests.Request("PUT", url, data=b"meow", headers=headers, auth=store.auth()).prepare()


def send(store: FakeStore, prepared: requests.PreparedRequest) -> str | None:
    """Send the request to the store as it is, and return the error code of the answer."""
    with requests.Session() as session:
        session.mount("http://", store.adapter())
        session.send(prepared)
    return store.exchanges[-1].error_code


@pytest.mark.decision("signature")
@pytest.mark.parametrize(("method", "bucket", "target", "date", "signature", "fields"), EXAMPLES.values(), ids=EXAMPLES)
def test_published_request_has_its_published_signature(method, bucket, target, date, signature, fields):
    host = BASE if bucket is None else f"{bucket}.{BASE}"
    dialect = Dialect(header_prefix="x-amz-", auth_scheme="AWS")
    with freeze_time(date):
        store = FakeStore(
            base_url=f"http://{BASE}", dialect=dialect, signatures="verify", access_key_id=KEY, secret_key=SECRET
        )
        for sent, account in [(signature, store.default_account), ("A" * 27 + "=", None)]:
            headers = {"Host": host, "Date": date, **fields, "Authorization": f"AWS {KEY}:{sent}"}
            store.handle(Request(method, "http", host, target, Headers(headers)))
            assert store.exchanges[-1].account == account


# The store verifies what it signs


@freeze_time("2026-11-21 12:00:00")
@pytest.mark.parametrize("name", ["default", "bob"])
def test_each_kind_of_request_that_the_store_signs_is_accepted(fakestore, name):
    account = fakestore.create_account("bob") if name == "bob" else fakestore.default_account
    session = fakestore.session(account)
    fakestore["photos"].acl = "public-read-write"
    key = "a ~b/\xfc+%&=?#.jpg"
    url, path = fakestore.url("photos", key), "/photos/a%20~b/%C3%BC%2B%25%26%3D%3F%23.jpg"
    document = b"<Delete><Object><Key>copy</Key></Object></Delete>"
    stored = session.put(url, data=b"meow", headers={"Content-MD5": MD5, "x-svc-meta-a": "1  2"})
    version_id = stored.headers["x-svc-version-id"]
    answers = [
        (stored, path),
        (session.get(url, params={"versionId": version_id}), f"{path}?versionId={version_id}"),
        (session.head(url), path),
        (session.get(fakestore.url("photos", key, acl=None)), f"{path}?acl"),
        (session.put(fakestore.url("photos", "copy"), headers={"x-svc-copy-source": path}), "/photos/copy"),
        (session.get(fakestore.url("photos", list_type=2, prefix="a ~", delimiter="/")), "/photos/"),
        (session.post(fakestore.url("photos", delete=None), data=document), "/photos/?delete"),
        (session.delete(url), path),
        (session.get(fakestore.base_url), "/"),
        (session.get(fakestore.base_url, headers={"x-svc-date": DATE}), "/"),
    ]
    assert [answer.status_code for answer, _ in answers if answer.status_code >= 300] == []
    assert [sent_signature(answer.request) for answer, _ in answers] == [
        expected_signature(answer.request, resource, account.secret_key) for answer, resource in answers
    ]


def test_subresources_and_response_overrides_are_signed_in_order(fakestore):
    overrides = ["cache-control", "content-disposition", "content-encoding", "content-language", "content-type"]
    for names in [[f"response-{name}"] for name in overrides] + [
        ["response-expires"],
        ["acl", "response-expires", "versionId"],
        *([name] for name in ("cors", "logging", "partNumber", "tagging", "torrent", "uploadId", "uploads", "website")),
    ]:
        query = "&".join(f"{name}=b%20c" for name in reversed(names))
        url = f"{fakestore.url('photos', 'cat.jpg')}?prefix=no&{query}&max-keys=1"
        prepared = requests.Request("GET", url, auth=fakestore.auth()).prepare()
        resource = "/photos/cat.jpg?" + "&".join(f"{name}=b c" for name in names)
        assert sent_signature(prepared) == expected_signature(prepared, resource, fakestore.default_account.secret_key)


def test_signed_header_cannot_be_changed_added_or_removed():
    store = FakeStore(signatures="verify", max_clock_skew=None, buckets=["photos", "films"])
    for header, value in [
        ("Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg=="),
        ("Content-MD5", None),
        ("Content-Type", "image/png"),
        ("Content-Type", None),
        ("Date", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("x-svc-date", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("x-svc-meta-name", "Tom"),
        ("x-svc-meta-name", None),
        ("x-svc-meta-more", "added"),
        ("x-svc-acl", "public-read"),
        ("x-svc-copy-source", "/photos/dog.jpg"),
        ("Host", "films.objects.test"),
    ]:
        digest = {} if header == "x-svc-copy-source" else {"Content-MD5": MD5}  # a copy has none
        prepared = signed_put(store, **digest)
        prepared.headers[header] = value
        if value is None:
            del prepared.headers[header]
        assert send(store, prepared) == SIGNATURE_DOES_NOT_MATCH
        assert (store.exchanges[-1].account, store["photos"].versions()) == (None, [])


def test_unsigned_headers_may_be_changed(fakestore):
    prepared = signed_put(fakestore)
    prepared.headers.update({"Cache-Control": "no-cache", "User-Agent": "another", "Expires": "1000"})
    assert send(fakestore, prepared) is None


@pytest.mark.statement("5-05")
def test_signature_is_for_one_method_resource_and_version(fakestore):
    first, second = (fakestore["photos"].put("cat.jpg", content).version_id for content in (b"1", b"2"))
    url = fakestore.url("photos", "cat.jpg", versionId=first)
    for case in each(
        url.replace(first, second),
        url.replace("photos", "films"),
        url.replace("cat", "dog"),
        url.replace("cat.jpg", "cat%2Ejpg"),
        fakestore.url("photos"),
        f"{url}&acl",
    ):
        with case as changed:
            prepared = requests.Request("GET", url, auth=fakestore.auth()).prepare()
            prepared.url = changed
            assert send(fakestore, prepared) == SIGNATURE_DOES_NOT_MATCH
    for method in ("HEAD", "DELETE"):
        prepared = requests.Request("GET", url, auth=fakestore.auth()).prepare()
        prepared.method = method
        assert send(fakestore, prepared) == SIGNATURE_DOES_NOT_MATCH


@pytest.mark.statement("5-05")
def test_secret_of_one_account_does_not_sign_for_another(fakestore):
    bob = fakestore.create_account("bob")
    prepared = signed_put(fakestore)
    prepared.headers["Authorization"] = f"SVC {bob.access_key_id}:{sent_signature(prepared)}"
    assert send(fakestore, prepared) == SIGNATURE_DOES_NOT_MATCH


# The signed bytes


@pytest.mark.decision("signature")
@freeze_time("2026-11-21 12:00:00")
@pytest.mark.parametrize("sent", ["voil\xe0".encode(), "\u65e5\u672c".encode(), "\xe9", b"\xe9\xff", b"plain"])
def test_bytes_of_a_header_are_signed_as_they_are_sent(fakestore, sent):
    wire = sent.encode("latin-1") if isinstance(sent, str) else sent
    account = fakestore.default_account
    lines = [b"PUT", b"", b"text/" + wire, DATE.encode(), b"x-svc-meta-a:" + wire, b"/photos/cat"]
    signature = hmac_sha1(account.secret_key, *lines)
    content_type = f"text/{sent}" if isinstance(sent, str) else b"text/" + sent
    headers = {"Date": DATE, "Content-Type": content_type, "x-svc-meta-a": sent}
    request = requests.Request("PUT", fakestore.url("photos", "cat"), headers=headers, auth=fakestore.auth())
    assert sent_signature(request.prepare()) == signature
    headers["Authorization"] = f"SVC {account.access_key_id}:{signature}"
    answer = requests.put(fakestore.url("photos", "cat"), data=b"meow", headers=headers)
    assert answer.status_code == 200


@pytest.mark.decision("signature")
@freeze_time("2026-11-21 12:00:00")
def test_parameter_is_signed_decoded_and_in_utf_8(fakestore):
    url = fakestore.url("photos", "cat", versionId="\u65e5\u672c")
    prepared = requests.Request("GET", url, auth=fakestore.auth()).prepare()
    resource = b"/photos/cat?versionId=" + "\u65e5\u672c".encode()
    signature = hmac_sha1(fakestore.default_account.secret_key, b"GET", b"", b"", DATE.encode(), resource)
    assert sent_signature(prepared) == signature


@pytest.mark.decision("signature")
@freeze_time("2026-11-21 12:00:00")
def test_header_values_are_stripped_joined_and_otherwise_unchanged(fakestore):
    account = fakestore.default_account
    lines = [b"PUT", b"", b"", DATE.encode(), b"x-svc-meta-a:two  blanks,more", b"/photos/cat"]
    authorization = f"SVC {account.access_key_id}:{hmac_sha1(account.secret_key, *lines)}"
    fields = [("X-Svc-Meta-A", "  two  blanks  "), ("x-svc-meta-a", "more"), ("Date", DATE), ("Content-Length", "0")]
    headers = Headers([*fields, ("Authorization", authorization)])
    assert fakestore.handle(Request("PUT", "http", "photos.objects.test", "/cat", headers)).status == 200


# A user's own algorithm


class Sha256:
    """Signs the method and the resource, with SHA-256."""

    def signature(self, request, address, secret_key):
        return hmac.new(secret_key.encode(), f"{request.method} {address.resource}".encode(), "sha256").hexdigest()


VERIFIER: Verifier = Sha256()


@pytest.mark.fakestore(signatures=VERIFIER)
def test_user_defined_verifier_signs_and_verifies(fakestore):
    account, url = fakestore.default_account, fakestore.url("photos", "cat.jpg")
    assert fakestore.session().put(url, data=b"meow").status_code == 200
    digest = hmac.new(account.secret_key.encode(), b"PUT /photos/cat.jpg", hashlib.sha256).hexdigest()
    prepared = signed_put(fakestore)
    prepared.headers["Authorization"] = f"SVC {account.access_key_id}:{digest}"
    assert send(fakestore, prepared) is None
    for secret_key, text in [(account.secret_key, b"PUT /photos/dog.jpg"), ("other", b"PUT /photos/cat.jpg")]:
        digest = hmac.new(secret_key.encode(), text, hashlib.sha256).hexdigest()
        prepared.headers["Authorization"] = f"SVC {account.access_key_id}:{digest}"
        assert send(fakestore, prepared) == SIGNATURE_DOES_NOT_MATCH


@pytest.mark.parametrize("signature", [b"signature", None])
def test_verifier_returns_text(signature):
    class Invalid:
        def signature(self, request, address, secret_key):
            return signature

    store = FakeStore(signatures=Invalid(), buckets=["photos"])
    with pytest.raises(TypeError, match="Verifier"):
        signed_put(store)
