"""PUT Object (specification, section 4.1): its reply, its body and its headers."""

from __future__ import annotations

import hashlib
from io import BytesIO

import pytest

from fakestore import UnsupportedRequest
from tests.support.cases import each
from tests.support.state import stack, state_of
from tests.support.wire import elements, etag_of, grants, md5_base64, outcome, own_headers, send, whole

statement = pytest.mark.statement
decision = pytest.mark.decision


def put(store, headers=(), body=b"meow", *, bucket="photos", **options):
    return send(store, "PUT", bucket, "/cat.jpg", headers, body, **options)


def refused(store, headers=(), body=b"meow", **options):
    """Send a PUT that must change nothing, and return its error."""
    before = state_of(store)
    error = outcome(put(store, headers, body, **options))
    assert state_of(store) == before
    return error


# -- the reply


@statement("4.1-36", "4.1-38", "4.1-39", "4.1-41", "4.1-45", "2.1-16")
def test_plain_put_answers_with_the_entity_tag_only(store):
    assert whole(put(store)) == (200, {"content-length": "0", "etag": '"4a4be40c96ac6314e91d93f38043a634"'}, b"")


@statement("4.1-46", "3-05", "9-06")
def test_put_with_versioning_names_the_version_it_stored(store):
    answer = put(store, bucket="kept")
    assert own_headers(answer)["x-svc-version-id"] == store["kept"]["cat.jpg"].version_id


@decision("suspended-put")
def test_put_while_suspended_names_no_version(store):
    assert "x-svc-version-id" not in put(store, bucket="paused").headers


@statement("2.1-17", "4.1-03", "4.1-39")
def test_body_is_stored_and_the_entity_tag_is_its_md5(store):
    for case in each(b"", b"meow", bytes(100_000)):
        with case as body:
            assert put(store, body=body).headers["ETag"] == etag_of(body)
            answer = send(store, "GET", "photos", "/cat.jpg")
            assert (answer.body, answer.headers["ETag"]) == (body, etag_of(body))


@statement("4.1-44", "4.1-31", "2.1-15")
@decision("encryption-algorithms")
def test_requested_encryption_is_confirmed_by_put_and_head(store):
    for algorithm in ["AES256", "aws:kms"]:
        answers = [put(store, {"x-svc-server-side-encryption": algorithm}), send(store, "HEAD", "photos", "/cat.jpg")]
        assert [each.headers["x-svc-server-side-encryption"] for each in answers] == [algorithm] * 2


# -- the query and the body


@statement("4.1-02")
def test_put_with_a_query_parameter_is_unsupported(store):
    for query in ["versionId=null", "nosuchsub", "uploads", "x=1"]:
        with pytest.raises(UnsupportedRequest, match=query.partition("=")[0]):
            send(store, "PUT", "photos", f"/cat.jpg?{query}", body=b"meow")
        store.unhandled_requests.clear()
        assert list(store["photos"]) == []


@statement("4.1-04")
@decision("content-length")
def test_put_without_content_length_is_refused(store, session):
    assert refused(store, length=False) == (411, "MissingContentLength")
    answer = session.put(store.url("photos", "cat.jpg"), data=(part for part in [b"me", b"ow"]))
    assert outcome(answer) == (411, "MissingContentLength")
    file = BytesIO(b"meow")
    answers = [session.put(store.url("photos", "cat.jpg"), data=file) for _ in range(2)]
    assert [outcome(each) for each in answers] == [(200, None), (411, "MissingContentLength")]
    assert "read to its end" in store.exchanges[-1].explanation


@statement("4.1-05", "4.1-08")
def test_matching_content_md5_stores_the_object(store):
    assert put(store, {"Content-MD5": md5_base64(b"meow")}).status == 200
    assert stack(store, "photos", "cat.jpg") == [b"meow"]


@statement("4.1-06", "7-05")
@decision("content-md5")
@pytest.mark.parametrize("older", [[], [b"older"]], ids=["new key", "existing key"])
def test_content_md5_of_another_body_stores_nothing(store, older):
    for content in older:
        store["photos"].put("cat.jpg", content)
    answer = put(store, {"Content-MD5": md5_base64(b"moo")})
    assert outcome(answer) == (400, "BadDigest")
    assert elements(answer)["ExpectedDigest"] == hashlib.md5(b"moo").hexdigest()
    assert elements(answer)["CalculatedDigest"] == md5_base64(b"meow")
    assert stack(store, "photos", "cat.jpg") == older


@statement("4.1-07")
@decision("content-md5")
def test_content_md5_that_is_not_base64_of_16_bytes_is_refused(store):
    for case in each(
        "4a4be40c96ac6314e91d93f38043a634",
        "SkvkDJasYxTpHZPzgEOm",
        "SkvkDJasYxTpHZPzgEOmNAAA",
        "SkvkDJasYxTpHZPzgEOmNA",
        "SkvkDJasYxTpHZPz gEOmNA==",
        "Skvk\xe9JasYxTpHZPzgEOmNA==",
    ):
        with case as value:
            assert refused(store, {"Content-MD5": value}) == (400, "InvalidDigest")


@decision("content-range")
def test_put_with_a_range_or_digest_is_unsupported(store):
    store["photos"].put("source", b"meow")
    for copied in [False, True]:
        for name in ["Content-Range", "Digest", "Content-Digest", "Repr-Digest"]:
            source = {"x-svc-copy-source": "/photos/source"} if copied else {}
            with pytest.raises(UnsupportedRequest, match=name.lower()):
                put(store, source | {name: "bytes 0-3/10"}, b"" if copied else b"meow")
            store.unhandled_requests.clear()
            assert list(store["photos"]) == ["source"]


# -- conditions


@decision("conditional-requests")
@pytest.mark.parametrize(
    ("condition", "meanwhile", "expected"),
    [
        ({"If-None-Match": "*"}, lambda bucket: bucket.put("cat.jpg", b"another"), (412, "PreconditionFailed")),
        ({"If-Match": etag_of(b"older")}, lambda bucket: bucket.put("cat.jpg", b"x"), (412, "PreconditionFailed")),
        ({"If-Match": etag_of(b"older")}, lambda bucket: bucket.delete("cat.jpg"), (404, "NoSuchKey")),
    ],
    ids=["created", "replaced", "deleted"],
)
def test_condition_is_checked_again_after_the_body_arrived(store, condition, meanwhile, expected):
    if "If-Match" in condition:
        store["photos"].put("cat.jpg", b"older")
    after = []

    def body():
        meanwhile(store["photos"])
        after.append(state_of(store))
        yield b"meow"

    answer = put(store, {"Content-Length": "4", **condition}, body())
    assert (outcome(answer), [state_of(store)]) == (expected, after)


@decision("conditional-requests")
def test_if_match_with_a_star_is_not_implemented(store):
    store["photos"].put("cat.jpg", b"meow")
    for case in each("*", '"x", *', '*, "x"', "x ,*"):
        with case as value:
            assert refused(store, {"If-Match": value}) == (501, "NotImplemented")


@decision("conditional-requests")
def test_if_match_of_a_put_may_list_entity_tags(store):
    store["photos"].put("cat.jpg", b"older")
    assert refused(store, {"If-Match": '"x", "y"'}) == (412, "PreconditionFailed")
    assert put(store, {"If-Match": f'"x", {etag_of(b"older")}'}).status == 200
    assert refused(store, {"If-Match": etag_of(b"meow"), "If-None-Match": "*"}) == (501, "NotImplemented")


# -- the headers


@statement("4.1-09")
@decision("empty-content-type")
def test_any_content_type_but_an_empty_one_is_kept_as_sent(store):
    for case in each("text/html; charset=utf-8", "application/vnd.x+json", "any text"):
        with case as value:
            put(store, {"Content-Type": value})
            assert send(store, "HEAD", "photos", "/cat.jpg").headers["Content-Type"] == value
    put(store, {"Content-Type": ""})
    assert send(store, "HEAD", "photos", "/cat.jpg").headers["Content-Type"] == "binary/octet-stream"


@statement("4.1-14", "2.1-09")
@decision("expires-of-an-object")
def test_expires_comes_back_as_the_digits_that_were_sent(store):
    for case in each("0", "007", "86400000", "999999999999999999"):
        with case as value:
            put(store, {"Expires": value})
            send(store, "PUT", "photos", "/copy", {"x-svc-copy-source": "/photos/cat.jpg"})
            assert store["photos"]["cat.jpg"].expires == int(value)
            answers = [send(store, "HEAD", "photos", target) for target in ("/cat.jpg", "/copy")]
            assert [each.headers["Expires"] for each in answers] == [value, value]


@statement("4.1-15")
@decision("expires-of-an-object")
def test_expires_that_is_not_a_whole_number_is_refused(store):
    for case in each("", "Sat, 21 Nov 2026 12:00:00 GMT", "1.5", "-1", "+1", "1_000", "1,2", "1" * 19):
        with case as value:
            assert refused(store, {"Expires": value}) == (400, "InvalidArgument")


OWNER = ("CanonicalUser", "alice", "FULL_CONTROL")


@pytest.mark.parametrize(
    ("canned", "added"),
    [
        pytest.param(None, [], marks=statement("4.1-18", "2.1-14")),
        pytest.param("private", [], marks=statement("4.1-19")),
        pytest.param("public-read", [("Group", "AllUsers", "READ")], marks=statement("4.1-20")),
        pytest.param(
            "public-read-write",
            [("Group", "AllUsers", "READ"), ("Group", "AllUsers", "WRITE")],
            marks=statement("4.1-21"),
        ),
        pytest.param("authenticated-read", [("Group", "AuthenticatedUsers", "READ")], marks=statement("4.1-22")),
        pytest.param("bucket-owner-read", [("CanonicalUser", "default", "READ")], marks=statement("4.1-23")),
        pytest.param(
            "bucket-owner-full-control", [("CanonicalUser", "default", "FULL_CONTROL")], marks=statement("4.1-24")
        ),
    ],
)
@statement("4.2-27", "4.2-28", "3-12")
@decision("properties-of-a-copy")
def test_canned_acl_makes_its_grants_with_put_and_copy(store, alice, canned, added):
    store["photos"].acl = "public-read-write"
    store["photos"].put("source", b"meow", acl="public-read")
    acl = {} if canned is None else {"x-svc-acl": canned}
    put(store, acl, account=alice)
    send(store, "PUT", "photos", "/copy", {"x-svc-copy-source": "/photos/source", **acl}, account=alice)
    for target in ("/cat.jpg?acl", "/copy?acl"):
        assert grants(send(store, "GET", "photos", target, account=alice)) == [OWNER, *added]


@statement("4.1-23", "4.1-24")
def test_object_of_the_bucket_owner_has_one_grant_for_them(store):
    for canned in ["bucket-owner-read", "bucket-owner-full-control"]:
        put(store, {"x-svc-acl": canned})
        acl = send(store, "GET", "photos", "/cat.jpg?acl")
        assert grants(acl) == [("CanonicalUser", "default", "FULL_CONTROL")]


@statement("4.1-25", "4.2-27")
@decision("errors-of-acl-headers")
def test_unknown_canned_acl_is_refused_by_put_and_copy(store):
    store["photos"].put("source", b"meow")
    for case in each("", "public", "PRIVATE", "private,private", "log-delivery-write", "aws-exec-read"):
        with case as value:
            assert refused(store, {"x-svc-acl": value}) == (400, "InvalidArgument")
            copy = {"x-svc-copy-source": "/photos/source", "x-svc-acl": value}
            assert refused(store, copy, b"") == (400, "InvalidArgument")


@decision("grant-headers-of-a-put")
def test_put_accepts_grants_like_a_copy(store, alice):
    for case in each("grant-read", "grant-write", "grant-read-acp", "grant-write-acp"):
        with case as name:
            grant = {f"x-svc-{name}": f'id="{alice.id}"'}
            store["photos"].put("source")
            put(store, grant)
            send(store, "PUT", "photos", "/copy", {"x-svc-copy-source": "/photos/source", **grant})
            assert store["photos"]["cat.jpg"].acl == store["photos"]["copy"].acl


@statement("4.1-26", "2.1-11")
def test_every_header_with_the_metadata_prefix_is_metadata(store):
    metadata = {name: f"value of {name}" for name in ("a", "acl", "date", "x-svc-meta-b", "with_underscore")}
    put(store, {f"x-svc-meta-{name}": value for name, value in metadata.items()})
    read = own_headers(send(store, "HEAD", "photos", "/cat.jpg"))
    prefix = "x-svc-meta-"
    assert {name.removeprefix(prefix): read[name] for name in read if name.startswith(prefix)} == metadata


@statement("4.1-31")
@decision("encryption-algorithms")
def test_unknown_encryption_is_refused(store):
    for case in each("", "aes256", "AES128", "AES256,AES256"):
        with case as value:
            assert refused(store, {"x-svc-server-side-encryption": value}) == (400, "InvalidArgument")


@decision("storage-classes")
@pytest.mark.parametrize(
    ("requested", "stored", "answered"),
    [
        pytest.param(None, "STANDARD", None, marks=statement("4.1-35", "2.1-12")),
        pytest.param("STANDARD", "STANDARD", None, marks=statement("4.1-32")),
        pytest.param(
            "REDUCED_REDUNDANCY",
            "REDUCED_REDUNDANCY",
            "REDUCED_REDUNDANCY",
            marks=statement("4.1-33", "2.1-13", "2.1-20"),
        ),
    ],
)
def test_storage_class_is_kept_and_named_unless_standard(store, requested, stored, answered):
    store["photos"].put("cat.jpg", b"older", storage_class="REDUCED_REDUNDANCY")
    put(store, {} if requested is None else {"x-svc-storage-class": requested})
    answer = send(store, "GET", "photos", "/cat.jpg")
    assert store["photos"]["cat.jpg"].storage_class.value == stored
    assert (answer.status, answer.body, answer.headers.get("x-svc-storage-class")) == (200, b"meow", answered)


@statement("4.1-34")
@decision("storage-classes")
def test_unknown_storage_class_is_refused(store):
    for case in each("", "standard", "GLACIER", "STANDARD,STANDARD"):
        with case as value:
            assert refused(store, {"x-svc-storage-class": value}) == (400, "InvalidStorageClass")


@statement("4.2-04")
def test_put_with_another_header_of_the_service_is_unsupported(store):
    for name in ["x-svc-object-lock-owner", "x-svc-object-size"]:
        with pytest.raises(UnsupportedRequest, match=f"{name}.*x-svc-acl.*x-svc-storage-class"):
            put(store, {name: "COPY"})
        store.unhandled_requests.clear()
        assert list(store["photos"]) == []


#: For each header of a PUT: a valid value, and the outcome if it is sent twice.
TWICE = {
    "Content-Length": ("4", (400, "InvalidArgument")),
    "Content-MD5": (md5_base64(b"meow"), (400, "InvalidDigest")),
    "Expires": ("1", (400, "InvalidArgument")),
    "If-Match": (etag_of(b"older"), (200, None)),
    "If-None-Match": ("*", (501, "NotImplemented")),
    "x-svc-acl": ("private", (400, "InvalidArgument")),
    "x-svc-server-side-encryption": ("AES256", (400, "InvalidArgument")),
    "x-svc-storage-class": ("STANDARD", (400, "InvalidStorageClass")),
    "Expect": ("100-continue", (200, None)),
    **dict.fromkeys(["Cache-Control", "Content-Encoding", "Content-Type", "x-svc-meta-a"], ("a", (200, None))),
}


@statement("4.1-26")
@decision("doubled-headers")
def test_header_sent_twice_is_one_with_both_values(store):
    for name, (value, expected) in TWICE.items():
        store["kept"].put("cat.jpg", b"older")
        before = state_of(store)
        answer = send(store, "PUT", "kept", "/cat.jpg", [(name, value), (name, value)], b"meow")
        assert (name, outcome(answer), state_of(store) == before) == (name, expected, expected != (200, None))
        if expected == (200, None) and name not in ("If-Match", "Expect"):
            assert send(store, "GET", "kept", "/cat.jpg").headers[name] == "a,a"
