"""PUT Object (specification, section 4.1): its headers, row by row, and its reply."""

from __future__ import annotations

import hashlib

import pytest

from fakestore import UnsupportedRequest
from tests.spec.arrange import (
    elements,
    etag_of,
    grants,
    holdings,
    md5_base64,
    own_headers,
    put_fields,
    refusal,
    stack,
    whole,
    wire,
)

statement = pytest.mark.statement

CANNED = {
    "private": [("CanonicalUser", "alice", "FULL_CONTROL")],
    "public-read": [("CanonicalUser", "alice", "FULL_CONTROL"), ("Group", "AllUsers", "READ")],
    "public-read-write": [
        ("CanonicalUser", "alice", "FULL_CONTROL"),
        ("Group", "AllUsers", "READ"),
        ("Group", "AllUsers", "WRITE"),
    ],
    "authenticated-read": [("CanonicalUser", "alice", "FULL_CONTROL"), ("Group", "AuthenticatedUsers", "READ")],
    "bucket-owner-read": [("CanonicalUser", "alice", "FULL_CONTROL"), ("CanonicalUser", "default", "READ")],
    "bucket-owner-full-control": [
        ("CanonicalUser", "alice", "FULL_CONTROL"),
        ("CanonicalUser", "default", "FULL_CONTROL"),
    ],
}


# -- the reply


@statement("4.1-36", "4.1-38", "4.1-39", "4.1-41", "4.1-45", "2.1-16")
def test_a_plain_put_answers_with_the_entity_tag_alone(store, session):
    answer = session.put(store.url("photos", "cat.jpg"), data=b"meow")
    assert whole(answer) == (200, {"content-length": "0", "etag": '"4a4be40c96ac6314e91d93f38043a634"'}, b"")


@statement("4.1-46", "3-05", "9-06")
def test_a_put_with_versioning_tells_the_version_stored(store, session):
    answer = session.put(store.url("kept", "cat.jpg"), data=b"meow")
    (stored,) = store["kept"].versions()
    assert own_headers(answer) == {
        "content-length": "0",
        "etag": etag_of(b"meow"),
        "x-svc-version-id": stored.version_id,
    }


def test_a_put_while_versioning_is_suspended_tells_no_version(store, session):
    answer = session.put(store.url("paused", "cat.jpg"), data=b"meow")
    assert own_headers(answer) == {"content-length": "0", "etag": etag_of(b"meow")}


@statement("2.1-17", "4.1-39")
@pytest.mark.parametrize("body", [b"", b"meow", bytes(100_000)])
def test_the_entity_tag_is_the_clients_own_md5(store, session, body):
    answer = session.put(store.url("photos", "cat.jpg"), data=body, headers={"Content-Length": str(len(body))})
    assert answer.headers["ETag"] == etag_of(body)
    assert session.head(store.url("photos", "cat.jpg")).headers["ETag"] == etag_of(body)


@statement("4.1-40", "4.1-42", "4.1-43", "3-06")
def test_a_put_under_an_expiration_rule_tells_date_and_rule(store, session, noon):
    store["photos"].expire(rule_id="old-photos", prefix="2026/", days=3)
    answer = session.put(store.url("photos", "2026/cat.jpg"), data=b"meow")
    assert own_headers(answer) == {
        "content-length": "0",
        "etag": etag_of(b"meow"),
        "x-svc-expiration": 'expiry-date="Wed, 25 Nov 2026 00:00:00 GMT", rule-id="old-photos"',
    }


@statement("4.1-41")
def test_a_put_beside_an_expiration_rule_tells_nothing_of_it(store, session):
    store["photos"].expire(rule_id="old-photos", prefix="2026/", days=3)
    answer = session.put(store.url("photos", "2025/cat.jpg"), data=b"meow")
    assert own_headers(answer) == {"content-length": "0", "etag": etag_of(b"meow")}


@statement("4.1-44", "4.1-31", "2.1-15")
@pytest.mark.parametrize("algorithm", ["AES256", "aws:kms"])
def test_encryption_that_was_asked_for_is_confirmed_and_told_again(store, session, algorithm):
    headers = {"x-svc-server-side-encryption": algorithm}
    answer = session.put(store.url("photos", "cat.jpg"), data=b"meow", headers=headers)
    assert own_headers(answer) == {
        "content-length": "0",
        "etag": etag_of(b"meow"),
        "x-svc-server-side-encryption": algorithm,
    }
    assert session.head(store.url("photos", "cat.jpg")).headers["x-svc-server-side-encryption"] == algorithm


@statement("4.1-47", "4.1-48", "4.1-49", "4.1-50", "4.1-51")
def test_a_put_answers_with_the_headers_of_every_answer(store, session, noon):
    answer = session.put(store.url("photos", "cat.jpg"), data=b"meow")
    told = {name.lower(): value for name, value in answer.headers.items() if name.lower() not in own_headers(answer)}
    assert told == {
        "connection": "close",
        "date": "Sat, 21 Nov 2026 12:00:00 GMT",
        "server": "fakestore",
        "x-svc-id-2": answer.headers["x-svc-id-2"],
        "x-svc-request-id": answer.headers["x-svc-request-id"],
    }
    assert all(told.values())


# -- the query and the body


@statement("4.1-02")
@pytest.mark.parametrize("query", ["partNumber=1", "versionId=null", "nosuchsub", "uploads", "x=1"])
def test_a_query_parameter_never_makes_a_plain_put(store, session, query):
    before = holdings(store)
    with pytest.raises(UnsupportedRequest, match=query.partition("=")[0]):
        session.put(store.url("photos", "cat.jpg") + "?" + query, data=b"meow")
    store.unhandled_requests.clear()
    assert holdings(store) == before


@statement("4.1-03")
def test_an_empty_body_is_an_empty_object(store, session):
    session.put(store.url("photos", "cat.jpg"), data=b"")
    assert whole(session.get(store.url("photos", "cat.jpg")))[2] == b""
    assert stack(store, "photos", "cat.jpg") == [b""]


@statement("4.1-04")
def test_without_content_length_nothing_is_stored(store):
    before = holdings(store)
    assert refusal(wire(store, "PUT", "photos", "/cat.jpg", body=b"meow")) == (411, "MissingContentLength")
    assert holdings(store) == before


@statement("4.1-04")
def test_a_generator_has_no_content_length(store, session):
    before = holdings(store)
    answer = session.put(store.url("photos", "cat.jpg"), data=(part for part in [b"me", b"ow"]))
    assert refusal(answer) == (411, "MissingContentLength")
    assert holdings(store) == before


@statement("4.1-04")
@pytest.mark.parametrize("length", ["", "four", "-4", "4.0", "4,4", "0x4", "٤", "4 4"])
def test_a_content_length_that_is_no_number_is_refused(store, length):
    before = holdings(store)
    answer = wire(store, "PUT", "photos", "/cat.jpg", [("Content-Length", length)], b"meow")
    assert refusal(answer) == (400, "InvalidArgument")
    assert holdings(store) == before


@statement("4.1-05")
def test_a_content_md5_that_matches_lets_the_object_be_stored(store, session):
    answer = session.put(store.url("photos", "cat.jpg"), data=b"meow", headers={"Content-MD5": md5_base64(b"meow")})
    assert (answer.status_code, stack(store, "photos", "cat.jpg")) == (200, [b"meow"])


@statement("4.1-06", "7-05")
@pytest.mark.parametrize("older", [[], [b"older"]])
def test_a_content_md5_of_another_body_is_refused_and_stores_nothing(store, session, older):
    for content in older:
        store["photos"].put("cat.jpg", content)
    answer = session.put(store.url("photos", "cat.jpg"), data=b"meow", headers={"Content-MD5": md5_base64(b"moo")})
    assert refusal(answer) == (400, "BadDigest")
    assert stack(store, "photos", "cat.jpg") == older


def test_a_digest_that_does_not_match_is_told_as_hexadecimal_digits_beside_the_calculated_one_in_base64(store):
    fields = put_fields(b"meow", ("Content-MD5", md5_base64(b"moo")))
    told = elements(wire(store, "PUT", "photos", "/cat.jpg", fields, b"meow").body)
    assert (told["ExpectedDigest"], told["CalculatedDigest"]) == (
        hashlib.md5(b"moo").hexdigest(),
        md5_base64(b"meow"),
    )


@statement("4.1-07")
@pytest.mark.parametrize(
    "value",
    [
        "",
        "meow",
        "4a4be40c96ac6314e91d93f38043a634",
        "SkvkDJasYxTpHZPzgEOm",
        "SkvkDJasYxTpHZPzgEOmNAAA",
        " ",
        "SkvkDJasYxTpHZPzgEOmNA",
        "SkvkDJasYxTpHZPz gEOmNA==",
        "Skvk\xe9JasYxTpHZPzgEOmNA==",
        "A" * 4000,
    ],
)
def test_a_content_md5_that_is_no_md5_is_refused_in_a_way_of_its_own(store, value):
    before = holdings(store)
    answer = wire(store, "PUT", "photos", "/cat.jpg", put_fields(b"meow", ("Content-MD5", value)), b"meow")
    assert refusal(answer) == (400, "InvalidDigest")
    assert holdings(store) == before


@statement("4.1-08")
def test_content_md5_may_be_left_out(store):
    assert wire(store, "PUT", "photos", "/cat.jpg", put_fields(b"meow"), b"meow").status == 200


# -- conditions


@pytest.mark.parametrize(
    ("there", "condition", "meanwhile", "expected"),
    [
        ([], ("If-None-Match", "*"), lambda bucket: bucket.put("cat.jpg", b"another"), (412, "PreconditionFailed")),
        (
            [b"older"],
            ("If-Match", etag_of(b"older")),
            lambda bucket: bucket.put("cat.jpg", b"another"),
            (412, "PreconditionFailed"),
        ),
        ([b"older"], ("If-Match", etag_of(b"older")), lambda bucket: bucket.delete("cat.jpg"), (404, "NoSuchKey")),
    ],
)
def test_a_condition_is_asked_again_once_the_body_is_there(store, session, there, condition, meanwhile, expected):
    for content in there:
        store["photos"].put("cat.jpg", content)
    after = []

    def body():
        meanwhile(store["photos"])
        after.append(holdings(store))
        yield b"meow"

    headers = {"Content-Length": "4", condition[0]: condition[1]}
    answer = session.put(store.url("photos", "cat.jpg"), data=body(), headers=headers)
    assert (refusal(answer), [holdings(store)]) == (expected, after)


# -- the headers


@statement("4.1-09")
@pytest.mark.parametrize("value", ["text/plain", "text/html; charset=utf-8", "application/vnd.x+json", "any text"])
def test_any_content_type_is_kept_as_it_was_sent(store, session, value):
    session.put(store.url("photos", "cat.jpg"), data=b"meow", headers={"Content-Type": value})
    assert session.head(store.url("photos", "cat.jpg")).headers["Content-Type"] == value


@statement("4.1-14", "2.1-09")
@pytest.mark.parametrize("value", ["0", "1", "86400000", "999999999999999999"])
def test_expires_is_a_whole_number_of_milliseconds(store, session, value):
    session.put(store.url("photos", "cat.jpg"), data=b"meow", headers={"Expires": value})
    assert store["photos"]["cat.jpg"].expires == int(value)
    assert session.head(store.url("photos", "cat.jpg")).headers["Expires"] == value


@statement("4.1-15")
@pytest.mark.parametrize(
    "value", ["", "Sat, 21 Nov 2026 12:00:00 GMT", "1.5", "-1", "soon", "1,2", "٣", "1" * 400, "1_000", "+1"]
)
def test_expires_that_is_no_whole_number_is_refused(store, value):
    before = holdings(store)
    answer = wire(store, "PUT", "photos", "/cat.jpg", put_fields(b"", ("Expires", value)))
    assert refusal(answer) == (400, "InvalidArgument")
    assert holdings(store) == before


@pytest.mark.parametrize(
    "canned",
    [
        pytest.param("private", marks=statement("4.1-19")),
        pytest.param("public-read", marks=statement("4.1-20")),
        pytest.param("public-read-write", marks=statement("4.1-21")),
        pytest.param("authenticated-read", marks=statement("4.1-22")),
        pytest.param("bucket-owner-read", marks=statement("4.1-23")),
        pytest.param("bucket-owner-full-control", marks=statement("4.1-24")),
    ],
)
def test_a_canned_acl_stands_for_its_grants(store, alice, canned):
    store["photos"].acl = "public-read-write"
    uploader = store.session(alice)
    uploader.put(store.url("photos", "cat.jpg"), data=b"meow", headers={"x-svc-acl": canned})
    assert grants(uploader.get(store.url("photos", "cat.jpg", acl=None)).content) == CANNED[canned]


@statement("4.1-23", "4.1-24")
@pytest.mark.parametrize("canned", ["bucket-owner-read", "bucket-owner-full-control"])
def test_an_object_of_the_buckets_owner_has_one_grant_for_them(store, session, canned):
    session.put(store.url("photos", "cat.jpg"), data=b"meow", headers={"x-svc-acl": canned})
    acl = session.get(store.url("photos", "cat.jpg", acl=None)).content
    assert grants(acl) == [("CanonicalUser", "default", "FULL_CONTROL")]


@statement("4.1-18", "2.1-14")
def test_an_object_put_without_an_acl_is_private(store, alice):
    store["photos"].acl = "public-read-write"
    uploader = store.session(alice)
    uploader.put(store.url("photos", "cat.jpg"), data=b"meow")
    assert grants(uploader.get(store.url("photos", "cat.jpg", acl=None)).content) == CANNED["private"]
    assert refusal(store.session().get(store.url("photos", "cat.jpg"))) == (403, "AccessDenied")


@statement("4.1-25")
@pytest.mark.parametrize(
    "value", ["", "public", "Private", "PRIVATE", "private,private", "log-delivery-write", "a" * 3000]
)
def test_another_canned_acl_is_refused(store, value):
    before = holdings(store)
    answer = wire(store, "PUT", "photos", "/cat.jpg", put_fields(b"", ("x-svc-acl", value)))
    assert refusal(answer) == (400, "InvalidArgument")
    assert holdings(store) == before


@statement("4.1-26", "2.1-11")
def test_every_header_of_the_prefix_is_user_metadata(store, session):
    headers = {
        f"x-svc-meta-{name}": f"value of {name}" for name in ("a", "acl", "date", "x-svc-meta-b", "with_underscore")
    }
    session.put(store.url("photos", "cat.jpg"), data=b"", headers=headers)
    told = session.head(store.url("photos", "cat.jpg")).headers
    assert {name: told[name] for name in told if name.lower().startswith("x-svc-meta-")} == headers


@statement("4.1-26")
def test_user_metadata_that_came_twice_is_joined_by_a_comma(store):
    fields = put_fields(b"", ("x-svc-meta-by", "ada"), ("x-svc-meta-by", "bob"))
    wire(store, "PUT", "photos", "/cat.jpg", fields)
    assert dict(store["photos"]["cat.jpg"].metadata) == {"by": "ada,bob"}


@statement("4.1-31")
@pytest.mark.parametrize("value", ["", "aes256", "AES128", "AES256,AES256", "none", "A" * 3000])
def test_an_algorithm_that_there_is_not_is_refused(store, value):
    before = holdings(store)
    answer = wire(store, "PUT", "photos", "/cat.jpg", put_fields(b"", ("x-svc-server-side-encryption", value)))
    assert refusal(answer) == (400, "InvalidArgument")
    assert holdings(store) == before


@pytest.mark.parametrize(
    "storage_class",
    [
        pytest.param("STANDARD", marks=statement("4.1-32")),
        pytest.param("REDUCED_REDUNDANCY", marks=statement("4.1-33")),
    ],
)
def test_a_storage_class_is_kept(store, session, storage_class):
    session.put(store.url("photos", "cat.jpg"), data=b"meow", headers={"x-svc-storage-class": storage_class})
    assert store["photos"]["cat.jpg"].storage_class.value == storage_class
    told = {"REDUCED_REDUNDANCY": "REDUCED_REDUNDANCY", "STANDARD": None}[storage_class]
    for method in ("GET", "HEAD"):
        answer = session.request(method, store.url("photos", "cat.jpg"))
        assert answer.headers.get("x-svc-storage-class") == told


@statement("4.1-35", "2.1-12")
def test_without_a_storage_class_an_object_is_standard(store, session):
    session.put(store.url("photos", "cat.jpg"), data=b"", headers={"x-svc-storage-class": "REDUCED_REDUNDANCY"})
    session.put(store.url("photos", "cat.jpg"), data=b"")
    assert store["photos"]["cat.jpg"].storage_class.value == "STANDARD"


@statement("4.1-34")
@pytest.mark.parametrize("value", ["", "standard", "GLACIER", "STANDARD_IA", "STANDARD,STANDARD", "A" * 3000])
def test_another_storage_class_is_refused(store, value):
    before = holdings(store)
    answer = wire(store, "PUT", "photos", "/cat.jpg", put_fields(b"", ("x-svc-storage-class", value)))
    assert refusal(answer) == (400, "InvalidStorageClass")
    assert holdings(store) == before


@statement("7-01")
@pytest.mark.parametrize(
    ("bucket", "as_owner", "expected"),
    [("nosuch", True, (404, "NoSuchBucket")), ("photos", False, (403, "AccessDenied"))],
)
def test_a_put_answers_with_the_general_errors(store, alice, bucket, as_owner, expected):
    session = store.session(store.default_account if as_owner else alice)
    assert refusal(session.put(store.url(bucket, "cat.jpg"), data=b"meow")) == expected


def test_a_header_of_the_service_that_a_put_does_not_know_is_never_ignored(store, session):
    before = holdings(store)
    with pytest.raises(UnsupportedRequest, match="x-svc-website-redirect-location"):
        session.put(store.url("photos", "k"), data=b"", headers={"x-svc-website-redirect-location": "/x"})
    store.unhandled_requests.clear()
    assert holdings(store) == before
