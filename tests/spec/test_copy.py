"""PUT Object Copy (specification, sections 2.3 and 4.2): what is copied, for whom, and what is answered."""

from __future__ import annotations

import re
from itertools import product

import pytest
from lxml import etree

from fakestore import SparseContent, UnsupportedRequest, faults
from tests.support.cases import each
from tests.support.state import stack, state_of
from tests.support.wire import elements, etag_of, outcome, own_headers, send, whole

statement = pytest.mark.statement
decision = pytest.mark.decision

CHUNKED = {"content-type": "text/xml; charset=utf-8", "transfer-encoding": "chunked"}
#: The headers of a copy from one bucket that was never versioned into another.
NEVER_VERSIONED = {"x-svc-version-id": "null", "x-svc-copy-source-version-id": "null"}
DENIED = (403, "AccessDenied")
DESCRIBED = {
    "metadata": {"camera": "X100", "place": "stove"},
    "content_type": "image/jpeg",
    "cache_control": "max-age=60",
    "content_disposition": "inline",
    "content_encoding": "gzip",
    "content_language": "de",
    "expires": 86400000,
}
PUT_ARGUMENTS = {
    "metadata": DESCRIBED["metadata"],
    "content_type": DESCRIBED["content_type"],
    "headers": {
        "Cache-Control": "max-age=60",
        "Content-Disposition": "inline",
        "Content-Encoding": "gzip",
        "Content-Language": "de",
        "Expires": "86400000",
    },
}


def copy(store, source="/photos/cat.jpg", headers=(), *, to=("photos", "copy.jpg"), body=b"", **options):
    """Copy with further headers. A header that begins with a small letter is sent with the prefix of the service."""
    fields = [(name if name[0].isupper() else f"x-svc-{name}", value) for name, value in dict(headers).items()]
    return send(store, "PUT", to[0], f"/{to[1]}", [("x-svc-copy-source", source), *fields], body, **options)


def refused(store, *arguments, **options):
    """Send a copy that must change nothing, and return its error."""
    before = state_of(store)
    error = outcome(copy(store, *arguments, **options))
    assert state_of(store) == before
    return error


def description(version):
    """Return everything that describes an object version."""
    return {name: dict(version.metadata) if name == "metadata" else getattr(version, name) for name in DESCRIBED}


@pytest.fixture
def cat(store):
    return store["photos"].put("cat.jpg", b"meow")


# -- the document


@statement("2.3-01", "2.3-02", "2.3-03", "2.3-04", "2.3-05", "2.3-06", "4.2-41", "4.2-42")
@decision("xml-documents")
def test_copy_answers_with_a_copy_object_result(store, noon, cat):
    noon.tick(3661)
    assert whole(copy(store)) == (
        200,
        CHUNKED | NEVER_VERSIONED,
        b'<?xml version="1.0" encoding="UTF-8"?>\n<CopyObjectResult><LastModified>2026-11-21T13:01:01</LastModified>'
        b"<ETag>&quot;4a4be40c96ac6314e91d93f38043a634&quot;</ETag></CopyObjectResult>",
    )
    head = send(store, "HEAD", "photos", "/copy.jpg")
    assert (head.headers["Last-Modified"], head.headers["ETag"]) == ("Sat, 21 Nov 2026 13:01:01 GMT", cat.etag)


@statement("4.2-43")
def test_copy_over_http_1_0_is_answered_without_a_length(store, cat):
    answer = copy(store, length=False, http_version="1.0")
    assert own_headers(answer) == {"content-type": "text/xml; charset=utf-8"} | NEVER_VERSIONED
    assert etree.fromstring(answer.body).tag == "CopyObjectResult"


# -- source and destination


@statement("1-04", "4.2-01", "4.2-04", "3-11", "4.2-10")
@decision("copy-onto-itself")
def test_copy_is_stored_under_path_and_host_of_the_request(store, cat):
    for key in ("a/b", "cat.jpg"):
        copy(store, to=("kept", key))
        assert (stack(store, "photos", "cat.jpg"), stack(store, "kept", key)) == ([b"meow"], [b"meow"])


@statement("4.2-02")
def test_copy_with_a_query_parameter_is_unsupported(store, cat):
    for query in ["versionId=null", "partNumber=1", "x=1"]:
        with pytest.raises(UnsupportedRequest, match=query.partition("=")[0]):
            copy(store, to=("photos", f"k?{query}"))
        store.unhandled_requests.clear()
        assert list(store["photos"]) == ["cat.jpg"]


@statement("4.2-03", "3-10")
@decision("unexpected-body")
def test_copy_with_a_body_is_refused(store, cat):
    assert refused(store, body=b"meow") == (400, "UnexpectedContent")
    chunked = {"Transfer-Encoding": "chunked"}
    assert refused(store, headers=chunked, body=b"meow", length=False) == (400, "UnexpectedContent")
    assert copy(store, length=True).status == copy(store, length=False).status == 200
    assert copy(store, headers={"Content-Length": "00"}).status == 200


@statement("4.2-09", "7-02", "7-06")
def test_copy_with_a_missing_source_or_destination_is_refused(store, cat):
    for case in each(
        ("/nosuch/cat.jpg", "photos", (404, "NoSuchBucket")),
        ("/photos/nosuch.jpg", "photos", (404, "NoSuchKey")),
        ("/photos/cat.jpg", "nosuch", (404, "NoSuchBucket")),
    ):
        with case as (source, to, expected):
            assert refused(store, source, to=(to, "copy.jpg")) == expected


@statement("4.2-07", "4.2-08", "4.2-45", "9-05", "3-16")
@pytest.mark.parametrize(("named", "copied"), [(True, b"older"), (False, b"newer")])
def test_copy_takes_the_named_version_or_the_current_one(store, named, copied):
    older, newer = store["kept"].put("cat.jpg", b"older"), store["kept"].put("cat.jpg", b"newer")
    answer = copy(store, f"/kept/cat.jpg?versionId={older.version_id}" if named else "/kept/cat.jpg")
    version_id = (older if named else newer).version_id
    assert answer.headers["x-svc-copy-source-version-id"] == version_id
    assert stack(store, "photos", "copy.jpg") == [copied]


@decision("suspended-put")
@statement("4.2-45", "3-16")
def test_copy_of_a_null_version_names_it(store):
    for bucket in ("photos", "paused"):
        store[bucket].put("cat.jpg", b"meow")
        for source in (f"/{bucket}/cat.jpg", f"/{bucket}/cat.jpg?versionId=null"):
            assert copy(store, source).headers["x-svc-copy-source-version-id"] == "null"


@statement("4.2-47", "4.2-16", "3-15", "9-06")
def test_copy_differs_from_its_source_only_in_key_version_and_date(store, noon):
    source = store["kept"].put("cat.jpg", b"\x1f\x8b", **PUT_ARGUMENTS)
    noon.tick(60)
    answer = copy(store, "/kept/cat.jpg", to=("kept", "copy.jpg"))
    made = store["kept"]["copy.jpg"]
    assert own_headers(answer) == CHUNKED | {
        "x-svc-version-id": made.version_id,
        "x-svc-copy-source-version-id": source.version_id,
    }
    assert made.version_id != source.version_id
    assert (made.content, made.etag, description(made), made.acl) == (b"\x1f\x8b", source.etag, DESCRIBED, source.acl)


@statement("4.2-48", "3-17")
@decision("suspended-put")
def test_suspended_copy_replaces_null_version_and_names_none(store):
    store["kept"].put("copy.jpg", b"enabled")
    store["kept"].versioning = "suspended"
    for content in (b"1", b"2"):
        store["photos"].put("cat.jpg", content)
        assert own_headers(copy(store, to=("kept", "copy.jpg"))) == CHUNKED | {"x-svc-copy-source-version-id": "null"}
    assert stack(store, "kept", "copy.jpg") == [b"2", b"enabled"]
    assert store["kept"]["copy.jpg"].version_id == "null"


@decision("copy-source")
@pytest.mark.parametrize(
    ("named", "expected"), [(False, (404, "NoSuchKey")), (True, (400, "InvalidRequest"))], ids=["on top", "named"]
)
def test_copy_of_a_delete_marker_is_refused_without_its_headers(store, named, expected):
    store["kept"].put("cat.jpg", b"meow")
    marker = store["kept"].delete("cat.jpg")
    answer = copy(store, "/kept/cat.jpg" + (f"?versionId={marker.version_id}" if named else ""))
    assert outcome(answer) == expected
    assert set(own_headers(answer)) == {"content-type", "content-length"}


@decision("version-ids")
def test_copy_of_a_missing_or_invalid_version_is_refused(store):
    gone = store["kept"].put("cat.jpg", b"meow")
    store["kept"].delete_version("cat.jpg", gone.version_id)
    assert refused(store, f"/kept/cat.jpg?versionId={gone.version_id}") == (404, "NoSuchVersion")
    for case in each("", "A" * 32, "nonsense", "null%20"):
        with case as never:
            assert refused(store, f"/kept/cat.jpg?versionId={never}") == (400, "InvalidArgument")


# -- metadata

REPLACEMENT = {
    "Content-Type": "text/plain",
    "Cache-Control": "no-store",
    "Content-Disposition": "attachment",
    "Content-Encoding": "br",
    "Content-Language": "en",
    "Expires": "1",
}


@statement("4.2-12", "4.2-13", "3-13")
@decision("metadata-directive")
def test_copy_keeps_the_metadata_of_its_source(store):
    store["photos"].put("cat.jpg", b"\x1f\x8b", **PUT_ARGUMENTS)
    for case in each(
        *product(
            [REPLACEMENT | {"meta-new": "1"}, {"meta-a": "a" * 3000}, {"Expires": "soon"}],
            [{}, {"metadata-directive": "COPY"}],
        )
    ):
        with case as (ignored, directive):
            assert copy(store, headers=directive | ignored).status == 200
            assert description(store["photos"]["copy.jpg"]) == DESCRIBED


@statement("4.2-14", "4.2-34", "3-14")
@decision("metadata-directive")
@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (
            REPLACEMENT | {"meta-new": "1"},
            {name.lower().replace("-", "_"): value for name, value in REPLACEMENT.items()}
            | {"expires": 1, "metadata": {"new": "1"}},
        ),
        ({}, dict.fromkeys(DESCRIBED) | {"metadata": {}, "content_type": "binary/octet-stream"}),
    ],
    ids=["all", "nothing"],
)
def test_replace_takes_all_metadata_from_the_request(store, headers, expected):
    store["photos"].put("cat.jpg", b"\x1f\x8b", **PUT_ARGUMENTS)
    copy(store, headers={"metadata-directive": "REPLACE"} | headers)
    assert description(store["photos"]["copy.jpg"]) == expected


@statement("4.2-15")
@decision("metadata-directive")
def test_unknown_metadata_directive_is_refused(store, cat):
    for case in each("", "copy", "MERGE", "COPY,COPY"):
        with case as value:
            assert refused(store, headers={"metadata-directive": value}) == (400, "InvalidArgument")
            assert f"x-svc-metadata-directive is {value!r}" in store.exchanges[-1].explanation


# -- storage class, encryption, ACL


@statement("4.2-26")
@decision("properties-of-a-copy")
def test_storage_class_and_encryption_come_from_the_request_only(store):
    store["photos"].put("cat.jpg", b"meow", storage_class="REDUCED_REDUNDANCY", encryption="AES256")
    assert own_headers(copy(store)) == CHUNKED | NEVER_VERSIONED
    made = store["photos"]["copy.jpg"]
    assert (made.storage_class.value, made.encryption) == ("STANDARD", None)
    copy(store, headers={"storage-class": "REDUCED_REDUNDANCY"})
    assert store["photos"]["copy.jpg"].storage_class.value == "REDUCED_REDUNDANCY"


@statement("4.2-25", "4.2-46", "2.1-15")
@decision("encryption-algorithms")
def test_requested_encryption_of_a_copy_is_confirmed(store, cat):
    for algorithm in ["AES256", "aws:kms"]:
        answers = [
            copy(store, headers={"server-side-encryption": algorithm}),
            send(store, "HEAD", "photos", "/copy.jpg"),
        ]
        assert [each.headers["x-svc-server-side-encryption"] for each in answers] == [algorithm] * 2


@statement("3-12", "4.2-28")
def test_copy_of_a_public_object_belongs_to_the_requester(store, alice):
    store["photos"].put("cat.jpg", b"meow", acl="public-read-write")
    store["kept"].acl = "public-read-write"
    copy(store, to=("kept", "copy.jpg"), account=alice)
    assert store["kept"]["copy.jpg"].owner == alice


# -- onto itself


@decision("copy-onto-itself", "order-of-checks-in-a-copy")
def test_copy_onto_itself_that_changes_nothing_is_refused(store):
    fails = {"copy-source-if-match": etag_of(b"another")}
    for case in each(
        *product(
            [None, "AES256"], [{}, {"acl": "public-read"}, {"meta-new": "1"}, {"metadata-directive": "COPY"}, fails]
        )
    ):
        with case as (encryption, headers):
            store["kept"].put("cat.jpg", b"meow", encryption=encryption)
            assert refused(store, "/kept/cat.jpg", headers, to=("kept", "cat.jpg")) == (400, "InvalidRequest")


@decision("copy-onto-itself")
@pytest.mark.parametrize(
    "headers",
    [
        {"metadata-directive": "REPLACE"},
        {"storage-class": "STANDARD"},
        {"storage-class": "REDUCED_REDUNDANCY"},
        {"server-side-encryption": "AES256"},
    ],
)
def test_copy_onto_itself_that_changes_something_is_a_version(store, headers):
    store["kept"].put("cat.jpg", b"meow")
    assert copy(store, "/kept/cat.jpg", headers, to=("kept", "cat.jpg")).status == 200
    assert stack(store, "kept", "cat.jpg") == [b"meow", b"meow"]


@decision("copy-onto-itself")
def test_copy_onto_itself_removes_encryption_by_kms(store):
    store["kept"].put("cat.jpg", b"meow", encryption="aws:kms")
    answer = copy(store, "/kept/cat.jpg", to=("kept", "cat.jpg"))
    assert (answer.status, "x-svc-server-side-encryption" in answer.headers) == (200, False)
    assert [each.encryption and each.encryption.value for each in store["kept"].versions()] == [None, "aws:kms"]


@statement("4.2-07", "9-05")
@decision("copy-onto-itself")
def test_older_version_copied_onto_its_key_becomes_current(store):
    older, _ = store["kept"].put("cat.jpg", b"older"), store["kept"].put("cat.jpg", b"newer")
    answer = copy(store, f"/kept/cat.jpg?versionId={older.version_id}", to=("kept", "cat.jpg"))
    assert answer.status == 200
    assert stack(store, "kept", "cat.jpg") == [b"older", b"newer", b"older"]


@decision("copy-onto-itself")
@pytest.mark.parametrize("bucket", ["photos", "kept", "paused"])
def test_current_version_named_by_its_id_is_copied_onto_itself(store, bucket):
    current = store[bucket].put("cat.jpg", b"meow", metadata={"name": "Felix"}).version_id
    source = f"/{bucket}/cat.jpg?versionId={current}"
    assert copy(store, source, to=(bucket, "cat.jpg")).status == 200
    assert stack(store, bucket, "cat.jpg") == [b"meow"] * (2 if bucket == "kept" else 1)
    assert dict(store[bucket]["cat.jpg"].metadata) == {"name": "Felix"}


# -- conditions on the destination


@decision("conditional-requests")
@pytest.mark.parametrize("exists", [False, True], ids=["nothing", "an object"])
@pytest.mark.parametrize(
    ("name", "value", "without", "over"),
    [
        ("If-None-Match", "*", None, "PreconditionFailed"),
        ("If-Match", etag_of(b"older"), "NoSuchKey", None),
        ("If-Match", etag_of(b"meow"), "NoSuchKey", "PreconditionFailed"),
        ("If-Match", "*", "NotImplemented", "NotImplemented"),
        ("If-None-Match", etag_of(b"meow"), "NotImplemented", "NotImplemented"),
    ],
)
def test_copy_checks_conditions_on_its_destination(store, cat, exists, name, value, without, over):
    if exists:
        store["photos"].put("copy.jpg", b"older")
    before = state_of(store)
    answer = copy(store, headers={name: value})
    expected = over if exists else without
    assert store.exchanges[-1].error_code == expected
    if expected is None:
        assert stack(store, "photos", "copy.jpg") == [b"meow"]
    else:
        assert state_of(store) == before
    if expected == "PreconditionFailed":
        assert elements(answer)["Condition"] == name


@decision("conditional-requests")
def test_destination_under_a_delete_marker_does_not_exist(store, cat):
    store["kept"].put("copy.jpg", b"older")
    store["kept"].delete("copy.jpg")
    assert refused(store, headers={"If-Match": etag_of(b"older")}, to=("kept", "copy.jpg")) == (404, "NoSuchKey")
    assert copy(store, headers={"If-None-Match": "*"}, to=("kept", "copy.jpg")).status == 200


# -- errors


@statement("4.2-49", "7-07", "7-08")
@decision("error-in-a-200-reply")
def test_error_while_copying_is_embedded_in_a_200(store, cat):
    store["photos"].put("copy.jpg", b"older")
    before = state_of(store)
    store.fail("PUT Object Copy", faults.EmbeddedError("InternalError"))
    answer = copy(store)
    assert (outcome(answer), own_headers(answer)) == ((200, "InternalError"), CHUNKED)
    assert re.match(rb"<\?xml [^>]*\?>\n +<Error>", bytes(answer.body))
    assert elements(answer).keys() == {"Code", "Message", "Resource", "RequestId", "HostId"}
    assert state_of(store) == before
    assert etree.fromstring(copy(store).body).tag == "CopyObjectResult"


@statement("7-06")
@decision("error-in-a-200-reply")
def test_error_before_copying_is_not_embedded(store):
    store.fail("PUT Object Copy", faults.EmbeddedError("InternalError"), times=None)
    answer = copy(store, "/photos/nosuch.jpg")
    assert (outcome(answer), int(answer.headers["Content-Length"])) == ((404, "NoSuchKey"), len(answer.body))


@statement("7-06")
def test_copy_with_an_invalid_header_is_refused(store, cat):
    for case in each(
        ({"storage-class": "GLACIER"}, (400, "InvalidStorageClass")),
        ({"server-side-encryption": "rot13"}, (400, "InvalidArgument")),
        ({"metadata-directive": "REPLACE", "meta-a": "a" * 2048}, (400, "MetadataTooLarge")),
        ({"metadata-directive": "REPLACE", "Expires": "soon"}, (400, "InvalidArgument")),
        ({"meta-a": "a" * 8192}, (400, "RequestHeaderSectionTooLarge")),
    ):
        with case as (headers, expected):
            assert refused(store, headers=headers) == expected


@decision("content-md5")
def test_content_md5_is_refused_if_there_is_no_body(store, cat):
    for value in ("AAAA", "AAAAAAAAAAAAAAAAAAAAAA=="):
        with pytest.raises(UnsupportedRequest, match="content-md5"):
            copy(store, headers={"Content-MD5": value})
        for method in ("GET", "DELETE"):
            with pytest.raises(UnsupportedRequest, match="content-md5"):
                send(store, method, "photos", "/cat.jpg", {"Content-MD5": value})
    store.unhandled_requests.clear()
    assert list(store["photos"]) == ["cat.jpg"]
    assert copy(store, headers={"Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="}).status == 200


NOSUCH, HUGE, SMALL = "/nosuch/nosuch.jpg", "/kept/huge.jpg", "/kept/cat.jpg"


@decision("order-of-checks-in-a-copy")
@pytest.mark.parametrize(
    ("who", "to", "storage_class", "source", "acl", "expected"),
    [
        ("alice", "nosuch", "GLACIER", NOSUCH, "private", (404, "NoSuchBucket")),
        ("alice", "photos", "GLACIER", NOSUCH, "private", (403, "AccessDenied")),
        ("bob", "photos", "GLACIER", NOSUCH, "private", (400, "InvalidStorageClass")),
        ("bob", "photos", "STANDARD", NOSUCH, "private", (404, "NoSuchBucket")),
        ("bob", "photos", "STANDARD", "/kept/nosuch.jpg", "private", (404, "NoSuchKey")),
        ("bob", "photos", "STANDARD", f"{HUGE}?versionId=null", "private", (404, "NoSuchVersion")),
        ("bob", "photos", "STANDARD", HUGE, "private", (403, "AccessDenied")),
        ("bob", "photos", "STANDARD", HUGE, "public-read", (400, "InvalidRequest")),
        ("bob", "photos", "STANDARD", SMALL, "public-read", (412, "PreconditionFailed")),
    ],
    ids=["bucket", "WRITE", "headers", "source bucket", "key", "version", "READ", "size", "conditions"],
)
def test_first_of_several_errors_of_a_copy_is_answered(store, alice, who, to, storage_class, source, acl, expected):
    """Every request here also fails each check that comes after its own."""
    bob = store.create_account("bob")
    store["photos"].allow(bob, "s3:PutObject")
    store["kept"].allow(bob, "s3:ListBucket")
    store["kept"].put("huge.jpg", SparseContent(6 * 1024**3), acl=acl)
    store["kept"].put("cat.jpg", b"meow", acl=acl)
    headers = {"copy-source-if-match": etag_of(b"another"), "storage-class": storage_class}
    account = alice if who == "alice" else bob
    assert refused(store, source, headers, to=(to, "copy.jpg"), account=account) == expected


@decision("missing-keys", "order-of-checks-in-a-copy")
def test_missing_source_is_not_revealed_without_read_on_its_bucket(store, alice):
    store["photos"].acl = "public-read-write"
    gone, _ = store["kept"].put("gone.jpg", b"1"), store["kept"].put("gone.jpg", b"2")
    store["kept"].delete_version("gone.jpg", gone.version_id)
    marker = store["kept"].delete("gone.jpg")
    errors = {
        "never.jpg": (404, "NoSuchKey"),
        "never.jpg?versionId=null": (404, "NoSuchVersion"),
        "gone.jpg": (404, "NoSuchKey"),
        f"gone.jpg?versionId={gone.version_id}": (404, "NoSuchVersion"),
        f"gone.jpg?versionId={marker.version_id}": (400, "InvalidRequest"),
        f"gone.jpg?versionId={'A' * 32}": (400, "InvalidArgument"),
    }
    for case in each(*errors.items()):
        with case as (source, expected):
            assert outcome(send(store, "GET", "kept", f"/{source}", account=alice)) == DENIED
            assert refused(store, f"/kept/{source}", account=alice) == DENIED
            assert refused(store, f"/kept/{source}") == expected
    store["kept"].allow(alice, "s3:ListBucket")
    assert {source: refused(store, f"/kept/{source}", account=alice) for source in errors} == errors
