"""Signatures that are checked: by the public rules of the 2006 REST authentication, or by rules of the user's own."""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import dataclass

import pytest
import requests
from freezegun import freeze_time

from fakestore import Dialect, FakeStore, Verifier
from fakestore.http import Headers, Request
from fakestore.protocol.authentication import HmacSha1
from fakestore.protocol.routing import Address, Endpoint, address_of

# The account, requests and signatures that the developer guide of the 2006 interface prints.
KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
PUBLIC = Dialect(header_prefix="x-amz-", auth_scheme="AWS")
BASE = "s3.amazonaws.com"


@dataclass(frozen=True)
class Published:
    method: str
    bucket: str | None
    target: str
    date: str
    signature: str
    fields: tuple[tuple[str, str], ...] = ()

    def request(self) -> Request:
        host = BASE if self.bucket is None else f"{self.bucket}.{BASE}"
        authorization = ("Authorization", f"AWS {KEY}:{self.signature}")
        headers = Headers([("Host", host), ("Date", self.date), *self.fields, authorization])
        return Request(self.method, "http", host, self.target, headers)


EXAMPLES = {
    "object get": Published(
        "GET",
        "johnsmith",
        "/photos/puppy.jpg",
        "Tue, 27 Mar 2007 19:36:42 +0000",
        "bWq2s1WEIj+Ydj0vQ697zp+IXMU=",
    ),
    "object put": Published(
        "PUT",
        "johnsmith",
        "/photos/puppy.jpg",
        "Tue, 27 Mar 2007 21:15:45 +0000",
        "MyyxeRY7whkBe+bq8fHCL/2kKUg=",
        (("Content-Type", "image/jpeg"), ("Content-Length", "94328")),
    ),
    "list": Published(
        "GET",
        "johnsmith",
        "/?prefix=photos&max-keys=50&marker=puppy",
        "Tue, 27 Mar 2007 19:42:41 +0000",
        "htDYFYduRNen8P9ZfE/s9SuKy0U=",
        (("User-Agent", "Mozilla/5.0"),),
    ),
    "fetch acl": Published(
        "GET",
        "johnsmith",
        "/?acl",
        "Tue, 27 Mar 2007 19:44:46 +0000",
        "c2WLPFtWHVgbEmeEG93a4cG37dM=",
    ),
    "delete": Published(
        "DELETE",
        "johnsmith",
        "/photos/puppy.jpg",
        "Tue, 27 Mar 2007 21:20:26 +0000",
        "lx3byBScXR6KzyMaifNkardMwNk=",
        (("User-Agent", "dotnet"),),
    ),
    "delete, dated by x-amz-date": Published(
        "DELETE",
        "johnsmith",
        "/photos/puppy.jpg",
        "Tue, 27 Mar 2007 21:20:27 +0000",
        "R4dJ53KECjStyBO5iTBJZ4XVOaI=",
        (("User-Agent", "dotnet"), ("x-amz-date", "Tue, 27 Mar 2007 21:20:26 +0000")),
    ),
    "list all my buckets": Published(
        "GET",
        None,
        "/",
        "Wed, 28 Mar 2007 01:29:59 +0000",
        "qGdzdERIC03wnaRNKh6OqZehG9s=",
    ),
    "unicode keys": Published(
        "GET",
        "dictionary",
        "/fran%C3%A7ais/pr%c3%a9f%c3%a8re",
        "Wed, 28 Mar 2007 01:49:49 +0000",
        "DNEZGsoieTZ92F3bUfSPQcbGmlM=",
    ),
}

of_every_example = pytest.mark.parametrize("published", EXAMPLES.values(), ids=EXAMPLES)


@of_every_example
def test_a_published_request_has_its_published_signature(published):
    request = published.request()
    address = address_of(request, Endpoint(BASE, None))
    assert HmacSha1(PUBLIC).signature(request, address, SECRET) == published.signature


@of_every_example
def test_a_store_that_verifies_takes_a_published_request(published):
    with freeze_time(published.date):
        store = FakeStore(
            base_url=f"http://{BASE}", dialect=PUBLIC, signatures="verify", access_key_id=KEY, secret_key=SECRET
        )
        store._service.handle(published.request())
    assert store.exchanges[0].account == store.default_account


def test_the_published_upload_has_its_published_signature():
    # Its host is a name of the bucket's own, which this store does not answer to.
    fields = [
        ("User-Agent", "curl/7.15.5"),
        ("Host", "static.johnsmith.net:8080"),
        ("Date", "Tue, 27 Mar 2007 21:06:08 +0000"),
        ("x-amz-acl", "public-read"),
        ("content-type", "application/x-download"),
        ("Content-MD5", "4gJE4saaMU4BqNR0kLY+lw=="),
        ("X-Amz-Meta-ReviewedBy", "joe@johnsmith.net"),
        ("X-Amz-Meta-ReviewedBy", "jane@johnsmith.net"),
        ("X-Amz-Meta-FileChecksum", "0x02661779"),
        ("X-Amz-Meta-ChecksumAlgorithm", "crc32"),
        ("Content-Disposition", "attachment; filename=database.dat"),
        ("Content-Encoding", "gzip"),
        ("Content-Length", "5913339"),
    ]
    request = Request("PUT", "http", "static.johnsmith.net:8080", "/db-backup.dat.gz", Headers(fields))
    address = Address("static.johnsmith.net", "db-backup.dat.gz", {}, "/static.johnsmith.net/db-backup.dat.gz")
    assert HmacSha1(PUBLIC).signature(request, address, SECRET) == "ilyl83RwaSoYIEdixDQcA4OnAnc="


# What the store signs, it verifies


@pytest.fixture
def fakestore_options():
    return {"signatures": "verify", "buckets": {"photos": "enabled"}}


def written_signature(prepared: requests.PreparedRequest, resource: str, secret_key: str) -> str:
    """Of a request to ``resource``, its subresources included; made without the code that is tested."""
    fields = {name.lower(): value for name, value in prepared.headers.items()}
    date = "" if "x-svc-date" in fields else fields["date"]
    own = [f"{name}:{value}" for name, value in sorted(fields.items()) if name.startswith("x-svc-")]
    lines = [prepared.method, fields.get("content-md5", ""), fields.get("content-type", ""), date, *own, resource]
    return base64.b64encode(hmac.new(secret_key.encode(), "\n".join(lines).encode(), hashlib.sha1).digest()).decode()


@freeze_time("2026-11-21 12:00:00")
@pytest.mark.parametrize("name", ["default", "bob"])
def test_every_kind_of_request_that_the_store_signs_is_verified(fakestore, name):
    account = fakestore.create_account("bob") if name == "bob" else fakestore.default_account
    session = fakestore.session(account)
    fakestore["photos"].acl = "public-read-write"
    url, path = fakestore.url("photos", "a ~b/ü+%&=?#.jpg"), "/photos/a%20~b/%C3%BC%2B%25%26%3D%3F%23.jpg"
    kept = session.put(url, data=b"meow", headers={"Content-MD5": MD5, "x-svc-meta-a": "1  2"})
    version_id = kept.headers["x-svc-version-id"]
    answers = [
        (kept, path),
        (session.get(url, params={"versionId": version_id}), f"{path}?versionId={version_id}"),
        (session.head(url), path),
        (session.get(fakestore.url("photos", "a ~b/ü+%&=?#.jpg", acl=None)), f"{path}?acl"),
        (session.put(fakestore.url("photos", "copy"), headers={"x-svc-copy-source": path}), "/photos/copy"),
        (session.get(fakestore.url("photos", list_type=2, prefix="a ~", delimiter="/")), "/photos/"),
        (
            session.post(
                fakestore.url("photos", delete=None), data=b"<Delete><Object><Key>copy</Key></Object></Delete>"
            ),
            "/photos/?delete",
        ),
        (session.delete(url), path),
        (session.get(fakestore.base_url), "/"),
        (session.get(fakestore.base_url, headers={"x-svc-date": "Sat, 21 Nov 2026 12:00:00 GMT"}), "/"),
    ]
    assert [answer.reason for answer, _ in answers] == ["OK"] * 7 + ["No Content"] + ["OK"] * 2
    assert [answer.request.headers["Authorization"].rpartition(":")[2] for answer, _ in answers] == [
        written_signature(answer.request, resource, account.secret_key) for answer, resource in answers
    ]


#: Of the content b"meow".
MD5 = base64.b64encode(hashlib.md5(b"meow").digest()).decode()


def signed(store: FakeStore) -> requests.PreparedRequest:
    headers = {"Content-MD5": MD5, "Content-Type": "image/jpeg", "x-svc-meta-name": "Felix"}
    url = store.url("photos", "cat.jpg")
    return requests.Request("PUT", url, data=b"meow", headers=headers, auth=store.auth()).prepare()


def send(store: FakeStore, prepared: requests.PreparedRequest) -> str | None:
    """Send it as it is, and return the code of the error."""
    requests.Session().send(prepared)
    return store.exchanges[-1].error_code


def test_a_signed_request_is_accepted_as_it_is(fakestore):
    assert send(fakestore, signed(fakestore)) is None


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg=="),
        ("Content-MD5", None),
        ("Content-Type", "image/png"),
        ("Content-Type", None),
        ("Date", "now"),
        ("x-svc-date", "now"),
        ("x-svc-meta-name", "Tom"),
        ("x-svc-meta-name", None),
        ("x-svc-meta-more", "added"),
        ("x-svc-acl", "public-read"),
        ("x-svc-copy-source", "/photos/dog.jpg"),
        ("Host", "films.objects.test"),
    ],
)
def test_a_signed_header_that_is_changed_added_or_taken_away_is_noticed(fakestore, header, value):
    prepared = signed(fakestore)
    if value is None:
        del prepared.headers[header]
    else:
        another_date = "Thu, 01 Jan 1970 00:00:00 GMT"
        prepared.headers[header] = another_date if value == "now" else value
    store_minds_no_date = FakeStore(signatures="verify", max_clock_skew=None, buckets=["photos", "films"])
    session = requests.Session()
    session.mount("http://", store_minds_no_date.adapter())
    session.send(prepared)
    assert store_minds_no_date.exchanges[-1].error_code == "SignatureDoesNotMatch"


@pytest.mark.parametrize(
    "url",
    [
        "http://films.objects.test/cat.jpg",
        "http://photos.objects.test/dog.jpg",
        "http://photos.objects.test/cat%2Ejpg",
        "http://photos.objects.test/cat.jpg?acl",
        "http://photos.objects.test/",
    ],
)
def test_a_signature_is_for_one_resource(fakestore, url):
    prepared = requests.Request("GET", fakestore.url("photos", "cat.jpg"), auth=fakestore.auth()).prepare()
    prepared.url = url
    assert send(fakestore, prepared) == "SignatureDoesNotMatch"


def test_a_signature_is_for_one_version(fakestore):
    first, second = fakestore["photos"].put("cat.jpg", b"1"), fakestore["photos"].put("cat.jpg", b"2")
    url = fakestore.url("photos", "cat.jpg", versionId=first.version_id)
    prepared = requests.Request("GET", url, auth=fakestore.auth()).prepare()
    prepared.url = url.replace(first.version_id, second.version_id)
    assert send(fakestore, prepared) == "SignatureDoesNotMatch"


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE"])
def test_a_signature_is_for_one_method(fakestore, method):
    prepared = requests.Request("PUT", fakestore.url("photos", "cat.jpg"), auth=fakestore.auth()).prepare()
    prepared.method = method
    assert send(fakestore, prepared) == "SignatureDoesNotMatch"


def test_what_is_not_signed_may_be_changed(fakestore):
    prepared = signed(fakestore)
    prepared.headers.update({"Cache-Control": "no-cache", "User-Agent": "another", "Expires": "1000"})
    assert send(fakestore, prepared) is None


@pytest.mark.parametrize("signature", ["AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "short", "not-ascii-\xe9"])
def test_a_wrong_signature_is_refused_and_told_what_was_expected_over_what(fakestore, signature):
    prepared = signed(fakestore)
    scheme, _, right = prepared.headers["Authorization"].partition(":")
    prepared.headers["Authorization"] = f"{scheme}:{signature}"
    date = prepared.headers["Date"]
    text = f"PUT\n{MD5}\nimage/jpeg\n{date}\nx-svc-meta-name:Felix\n/photos/cat.jpg"
    assert send(fakestore, prepared) == "SignatureDoesNotMatch"
    assert fakestore.exchanges[-1].explanation == (
        f"the signature of default is {signature!r}, where {right!r} was expected over {text!r}"
    )


def test_a_wrong_signature_writes_nothing_and_is_from_nobody(fakestore):
    prepared = signed(fakestore)
    prepared.headers["x-svc-meta-name"] = "Tom"
    send(fakestore, prepared)
    assert (fakestore.exchanges[-1].status, fakestore.exchanges[-1].account) == (403, None)
    assert fakestore["photos"].versions() == []


def test_one_accounts_secret_does_not_sign_for_another(fakestore):
    bob = fakestore.create_account("bob")
    prepared = signed(fakestore)
    _, _, signature = prepared.headers["Authorization"].partition(":")
    prepared.headers["Authorization"] = f"SVC {bob.access_key_id}:{signature}"
    assert send(fakestore, prepared) == "SignatureDoesNotMatch"


def test_blanks_inside_a_header_are_signed_as_they_are():
    request = Request("GET", "http", "objects.test", "/", Headers([("x-svc-meta-a", "  two  blanks  ")]))
    text = HmacSha1(Dialect()).string_to_sign(request, address_of(request, Endpoint("objects.test", None)))
    assert text.split("\n")[4] == "x-svc-meta-a:two  blanks"


# A user's own algorithm


class Sha256:
    """Signs the method and the resource, with SHA-256."""

    def signature(self, request: Request, address: Address, secret_key: str) -> str:
        text = f"{request.method} {address.resource}"
        return hmac.new(secret_key.encode(), text.encode(), hashlib.sha256).hexdigest()


VERIFIER: Verifier = Sha256()


@pytest.mark.fakestore(signatures=VERIFIER)
def test_a_verifier_of_the_users_own_verifies_what_the_application_signs(fakestore):
    account = fakestore.default_account
    digest = hmac.new(account.secret_key.encode(), b"PUT /photos/cat.jpg", hashlib.sha256).hexdigest()
    headers = {"Authorization": f"SVC {account.access_key_id}:{digest}", "Date": signed(fakestore).headers["Date"]}
    requests.put(fakestore.url("photos", "cat.jpg"), data=b"meow", headers=headers).raise_for_status()
    assert fakestore["photos"]["cat.jpg"].content == b"meow"


@pytest.mark.fakestore(signatures=VERIFIER)
def test_the_store_signs_with_the_users_own_verifier(fakestore):
    response = fakestore.session().put(fakestore.url("photos", "cat.jpg"), data=b"meow")
    assert response.status_code == 200


@pytest.mark.fakestore(signatures=VERIFIER)
def test_the_users_own_verifier_refuses_a_signature_of_another_algorithm(fakestore):
    prepared = signed(fakestore)
    text = "\n".join(
        ["PUT", prepared.headers["Content-MD5"], "image/jpeg", prepared.headers["Date"], "/photos/cat.jpg"]
    )
    key = fakestore.default_account
    digest = base64.b64encode(hmac.new(key.secret_key.encode(), text.encode(), hashlib.sha1).digest()).decode()
    right = prepared.headers["Authorization"].rpartition(":")[2]
    prepared.headers["Authorization"] = f"SVC {key.access_key_id}:{digest}"
    assert send(fakestore, prepared) == "SignatureDoesNotMatch"
    assert fakestore.exchanges[-1].explanation == (
        f"the signature of default is {digest!r}, where {right!r} was expected"
    )
