"""PUT Object Copy (specification, sections 2.3 and 4.2): what is copied, for whom, and what is answered."""

from __future__ import annotations

import re

import pytest
from lxml import etree

from fakestore import UnsupportedRequest, faults
from tests.spec.arrange import (
    elements,
    etag_of,
    grants,
    holdings,
    own_headers,
    refusal,
    stack,
    status_of,
    whole,
    wire,
)

statement = pytest.mark.statement

CHUNKED = {"content-type": "text/xml; charset=utf-8", "transfer-encoding": "chunked"}
DESCRIBED = {
    "metadata": {"camera": "X100", "place": "stove"},
    "content_type": "image/jpeg",
    "cache_control": "max-age=60",
    "content_disposition": "inline",
    "content_encoding": "gzip",
    "content_language": "de",
    "expires": 86400000,
}


def copy(store, source, *, to=("photos", "copy.jpg"), account=None, **headers):
    """Copy as an account; ``headers`` are of the service, underscores for hyphens."""
    named = {f"x-svc-{name.replace('_', '-')}": value for name, value in headers.items()}
    session = store.session(account)
    return session.put(store.url(*to), headers={"x-svc-copy-source": source, **named})


def describes(version):
    """Everything that describes an object version, as the arguments of ``Bucket.put``."""
    return {name: dict(version.metadata) if name == "metadata" else getattr(version, name) for name in DESCRIBED}


# -- the document


@statement("2.3-01", "2.3-02", "2.3-03", "2.3-04", "2.3-05", "2.3-06", "4.2-41", "4.2-42")
def test_a_copy_answers_with_a_copy_object_result(store, noon):
    store["photos"].put("cat.jpg", b"meow")
    noon.tick(3600)
    assert whole(copy(store, "/photos/cat.jpg")) == (
        200,
        CHUNKED,
        b'<?xml version="1.0" encoding="UTF-8"?>\n<CopyObjectResult><LastModified>2026-11-21T13:00:00</LastModified>'
        b"<ETag>&quot;4a4be40c96ac6314e91d93f38043a634&quot;</ETag></CopyObjectResult>",
    )


@statement("2.3-03")
def test_last_modified_of_a_copy_has_no_zone(store):
    store["photos"].put("cat.jpg", b"meow")
    told = elements(copy(store, "/photos/cat.jpg").content)["LastModified"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", told, re.ASCII)


@statement("2.3-04", "2.3-05")
def test_the_document_says_what_a_head_of_the_copy_says(store, session, noon):
    store["photos"].put("cat.jpg", b"meow")
    noon.tick(61)
    told = elements(copy(store, "/photos/cat.jpg").content)
    head = session.head(store.url("photos", "copy.jpg"))
    assert told == {"LastModified": "2026-11-21T12:01:01", "ETag": head.headers["ETag"]}
    assert head.headers["Last-Modified"] == "Sat, 21 Nov 2026 12:01:01 GMT"


@statement("4.2-43")
def test_a_copy_over_http_1_0_is_answered_without_any_length(store):
    store["photos"].put("cat.jpg", b"meow")
    answer = wire(store, "PUT", "photos", "/k", [("x-svc-copy-source", "/photos/cat.jpg")], http_version="1.0")
    assert own_headers(answer) == {"content-type": "text/xml; charset=utf-8"}
    assert etree.fromstring(answer.body).tag == "CopyObjectResult"


# -- source and destination


@statement("4.2-01", "3-11")
def test_the_copy_is_at_the_path_and_host_of_the_request(store):
    store["photos"].put("cat.jpg", b"meow")
    copy(store, "/photos/cat.jpg", to=("kept", "a/b"))
    assert (stack(store, "photos", "cat.jpg"), stack(store, "kept", "a/b")) == ([b"meow"], [b"meow"])


@statement("4.2-02")
@pytest.mark.parametrize("query", ["versionId=null", "partNumber=1", "x=1"])
def test_a_query_parameter_never_makes_a_plain_copy(store, session, query):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    with pytest.raises(UnsupportedRequest, match=query.partition("=")[0]):
        session.put(store.url("photos", "k") + "?" + query, headers={"x-svc-copy-source": "/photos/cat.jpg"})
    store.unhandled_requests.clear()
    assert holdings(store) == before


@statement("4.2-03", "3-10")
@pytest.mark.parametrize(
    "fields",
    [[("Content-Length", "4")], [("Transfer-Encoding", "chunked")]],
    ids=["of known length", "chunked"],
)
def test_a_copy_with_a_body_is_refused(store, fields):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    answer = wire(store, "PUT", "photos", "/k", [("x-svc-copy-source", "/photos/cat.jpg"), *fields], b"meow")
    assert refusal(answer) == (400, "UnexpectedContent")
    assert holdings(store) == before


@statement("4.2-03")
def test_a_copy_that_announces_an_empty_body_is_done(store):
    store["photos"].put("cat.jpg", b"meow")
    fields = [("x-svc-copy-source", "/photos/cat.jpg"), ("Content-Length", "0")]
    assert wire(store, "PUT", "photos", "/k", fields).status == 200


@statement("4.2-04")
def test_without_a_copy_source_there_is_no_copy(store, session):
    store["photos"].put("cat.jpg", b"meow")
    with pytest.raises(UnsupportedRequest, match="x-svc-metadata-directive"):
        session.put(store.url("photos", "k"), data=b"", headers={"x-svc-metadata-directive": "COPY"})
    store.unhandled_requests.clear()
    assert list(store["photos"]) == ["cat.jpg"]


@statement("4.2-10")
def test_the_source_may_be_in_another_bucket(store):
    store["kept"].put("cat.jpg", b"meow")
    assert copy(store, "/kept/cat.jpg").status_code == 200
    assert stack(store, "photos", "copy.jpg") == [b"meow"]


@statement("4.2-09", "7-06")
def test_a_source_bucket_that_there_is_not_is_refused(store):
    before = holdings(store)
    assert refusal(copy(store, "/nosuch/cat.jpg")) == (404, "NoSuchBucket")
    assert holdings(store) == before


@statement("7-02", "7-06")
def test_a_source_key_that_there_is_not_is_refused(store):
    before = holdings(store)
    assert refusal(copy(store, "/photos/cat.jpg")) == (404, "NoSuchKey")
    assert holdings(store) == before


@statement("7-02", "7-06")
def test_a_destination_bucket_that_there_is_not_is_refused(store):
    store["photos"].put("cat.jpg", b"meow")
    assert refusal(copy(store, "/photos/cat.jpg", to=("nosuch", "k"))) == (404, "NoSuchBucket")


@statement("4.2-07", "4.2-45", "9-05", "3-16")
def test_a_version_of_the_source_is_selected_by_its_id(store):
    older, _ = store["kept"].put("cat.jpg", b"older"), store["kept"].put("cat.jpg", b"newer")
    answer = copy(store, f"/kept/cat.jpg?versionId={older.version_id}")
    assert own_headers(answer) == CHUNKED | {"x-svc-copy-source-version-id": older.version_id}
    assert stack(store, "photos", "copy.jpg") == [b"older"]


@statement("4.2-08", "4.2-45", "3-16")
def test_without_a_version_the_current_one_is_copied(store):
    _, newer = store["kept"].put("cat.jpg", b"older"), store["kept"].put("cat.jpg", b"newer")
    answer = copy(store, "/kept/cat.jpg")
    assert own_headers(answer) == CHUNKED | {"x-svc-copy-source-version-id": newer.version_id}
    assert stack(store, "photos", "copy.jpg") == [b"newer"]


def test_a_null_version_is_copied_without_telling_a_source_version(store):
    store["paused"].put("cat.jpg", b"meow")
    assert own_headers(copy(store, "/paused/cat.jpg?versionId=null")) == CHUNKED


@statement("4.2-47", "4.2-16", "3-15", "9-06")
def test_the_version_of_the_copy_is_told_and_is_its_own(store):
    source = store["kept"].put("cat.jpg", b"meow")
    answer = copy(store, "/kept/cat.jpg", to=("kept", "copy.jpg"))
    (made,) = store["kept"].versions("copy.jpg")
    assert own_headers(answer) == CHUNKED | {
        "x-svc-version-id": made.version_id,
        "x-svc-copy-source-version-id": source.version_id,
    }
    assert made.version_id != source.version_id


@statement("4.2-48", "3-17")
def test_a_copy_into_a_suspended_bucket_tells_no_version(store):
    store["photos"].put("cat.jpg", b"meow")
    assert own_headers(copy(store, "/photos/cat.jpg", to=("paused", "copy.jpg"))) == CHUNKED
    assert [(each.version_id, each.content) for each in store["paused"].versions()] == [("null", b"meow")]


def test_a_copy_into_a_suspended_bucket_keeps_versions_and_replaces_the_null_one(store):
    store["kept"].put("copy.jpg", b"of the time when it was enabled")
    store["kept"].set_versioning("suspended")
    for content in (b"1", b"2"):
        store["photos"].put("cat.jpg", content)
        copy(store, "/photos/cat.jpg", to=("kept", "copy.jpg"))
    assert stack(store, "kept", "copy.jpg") == [b"2", b"of the time when it was enabled"]


def test_a_current_delete_marker_is_no_source(store):
    store["kept"].put("cat.jpg", b"meow")
    marker = store["kept"].delete("cat.jpg")
    assert refusal(copy(store, "/kept/cat.jpg")) == (404, "NoSuchKey")
    assert refusal(copy(store, f"/kept/cat.jpg?versionId={marker.version_id}")) == (400, "InvalidRequest")


def test_a_source_version_that_is_gone_or_was_never_issued_is_refused(store):
    gone = store["kept"].put("cat.jpg", b"meow")
    store["kept"].delete_version("cat.jpg", gone.version_id)
    assert refusal(copy(store, f"/kept/cat.jpg?versionId={gone.version_id}")) == (404, "NoSuchVersion")
    for never in ("", "A" * 32, "nonsense", "null%20"):
        assert refusal(copy(store, f"/kept/cat.jpg?versionId={never}")) == (400, "InvalidArgument")


# -- metadata


@statement("4.2-12", "3-13")
def test_metadata_comes_along_and_that_of_the_request_is_ignored(store, session):
    store["photos"].put("cat.jpg", b"\x1f\x8b", **DESCRIBED)
    headers = {"x-svc-copy-source": "/photos/cat.jpg", "x-svc-meta-new": "1", "Content-Type": "text/plain"}
    session.put(store.url("photos", "copy.jpg"), headers={**headers, "Cache-Control": "no-store", "Expires": "1"})
    assert describes(store["photos"]["copy.jpg"]) == DESCRIBED


@statement("4.2-13")
def test_the_directive_copy_copies_metadata(store, session):
    store["photos"].put("cat.jpg", b"\x1f\x8b", **DESCRIBED)
    copy(store, "/photos/cat.jpg", metadata_directive="COPY", meta_new="1")
    assert describes(store["photos"]["copy.jpg"]) == DESCRIBED


@statement("4.2-14", "4.2-34", "3-14")
def test_the_directive_replace_takes_all_metadata_from_the_request(store, session):
    store["photos"].put("cat.jpg", b"\x1f\x8b", **DESCRIBED)
    headers = {
        "x-svc-copy-source": "/photos/cat.jpg",
        "x-svc-metadata-directive": "REPLACE",
        "x-svc-meta-new": "1",
        "Content-Type": "text/plain",
        "Cache-Control": "no-store",
        "Content-Disposition": "attachment",
        "Content-Encoding": "br",
        "Content-Language": "en",
        "Expires": "1",
    }
    session.put(store.url("photos", "copy.jpg"), headers=headers)
    assert describes(store["photos"]["copy.jpg"]) == {
        "metadata": {"new": "1"},
        "content_type": "text/plain",
        "cache_control": "no-store",
        "content_disposition": "attachment",
        "content_encoding": "br",
        "content_language": "en",
        "expires": 1,
    }


@statement("4.2-14")
def test_what_is_not_sent_again_with_replace_is_gone(store):
    store["photos"].put("cat.jpg", b"\x1f\x8b", **DESCRIBED)
    copy(store, "/photos/cat.jpg", metadata_directive="REPLACE")
    assert describes(store["photos"]["copy.jpg"]) == {
        **dict.fromkeys(DESCRIBED),
        "metadata": {},
        "content_type": "binary/octet-stream",
    }


@statement("4.2-15")
@pytest.mark.parametrize("value", ["", "copy", "replace", "MERGE", "COPY,COPY", "COPY REPLACE", "A" * 3000])
def test_another_directive_is_refused(store, value):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    fields = [("x-svc-copy-source", "/photos/cat.jpg"), ("x-svc-metadata-directive", value)]
    assert refusal(wire(store, "PUT", "photos", "/k", fields)) == (400, "InvalidArgument")
    assert holdings(store) == before


@statement("4.2-16")
def test_a_copy_differs_from_its_source_in_key_version_and_date_alone(store, noon):
    source = store["kept"].put("cat.jpg", b"\x1f\x8b", **DESCRIBED)
    noon.tick(60)
    copy(store, "/kept/cat.jpg", to=("kept", "copy.jpg"))
    made = store["kept"]["copy.jpg"]
    assert made.version_id != source.version_id
    assert (made.content, made.etag, describes(made), made.acl) == (b"\x1f\x8b", source.etag, DESCRIBED, source.acl)


# -- storage class, encryption, ACL


@statement("4.2-26")
@pytest.mark.parametrize("storage_class", ["STANDARD", "REDUCED_REDUNDANCY"])
def test_the_storage_class_of_the_copy_is_that_of_the_request(store, storage_class):
    store["photos"].put("cat.jpg", b"meow")
    copy(store, "/photos/cat.jpg", storage_class=storage_class)
    assert store["photos"]["copy.jpg"].storage_class.value == storage_class


def test_storage_class_and_encryption_are_not_taken_from_the_source(store):
    store["photos"].put("cat.jpg", b"meow", storage_class="REDUCED_REDUNDANCY", encryption="AES256")
    assert own_headers(copy(store, "/photos/cat.jpg")) == CHUNKED
    made = store["photos"]["copy.jpg"]
    assert (made.storage_class.value, made.encryption) == ("STANDARD", None)


@statement("4.2-25", "4.2-46", "2.1-15")
@pytest.mark.parametrize("algorithm", ["AES256", "aws:kms"])
def test_the_encryption_of_the_copy_is_that_of_the_request_and_confirmed(store, session, algorithm):
    store["photos"].put("cat.jpg", b"meow")
    answer = copy(store, "/photos/cat.jpg", server_side_encryption=algorithm)
    assert own_headers(answer) == CHUNKED | {"x-svc-server-side-encryption": algorithm}
    head = session.head(store.url("photos", "copy.jpg"))
    assert head.headers["x-svc-server-side-encryption"] == algorithm


@statement("3-12", "4.2-28")
def test_the_acl_of_a_copy_is_private_for_whoever_asked(store, alice):
    store["photos"].put("cat.jpg", b"meow", acl="public-read-write")
    store["kept"].acl = "public-read-write"
    copy(store, "/photos/cat.jpg", to=("kept", "copy.jpg"), account=alice)
    acl = store.session(alice).get(store.url("kept", "copy.jpg", acl=None)).content
    assert grants(acl) == [("CanonicalUser", "alice", "FULL_CONTROL")]
    assert store["kept"]["copy.jpg"].owner == alice


@statement("4.2-27")
@pytest.mark.parametrize(
    ("canned", "added"),
    [
        ("private", []),
        ("public-read", [("Group", "AllUsers", "READ")]),
        ("public-read-write", [("Group", "AllUsers", "READ"), ("Group", "AllUsers", "WRITE")]),
        ("authenticated-read", [("Group", "AuthenticatedUsers", "READ")]),
        ("bucket-owner-read", [("CanonicalUser", "default", "READ")]),
        ("bucket-owner-full-control", [("CanonicalUser", "default", "FULL_CONTROL")]),
    ],
)
def test_a_copy_takes_every_canned_acl(store, alice, canned, added):
    store["photos"].put("cat.jpg", b"meow", acl="public-read")
    store["photos"].acl = "public-read-write"
    copy(store, "/photos/cat.jpg", account=alice, acl=canned)
    acl = store.session(alice).get(store.url("photos", "copy.jpg", acl=None)).content
    assert grants(acl) == [("CanonicalUser", "alice", "FULL_CONTROL"), *added]


@statement("4.2-27")
@pytest.mark.parametrize("value", ["", "public", "PRIVATE", "private,private"])
def test_a_copy_takes_no_other_canned_acl(store, value):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    fields = [("x-svc-copy-source", "/photos/cat.jpg"), ("x-svc-acl", value)]
    assert refusal(wire(store, "PUT", "photos", "/k", fields)) == (400, "InvalidArgument")
    assert holdings(store) == before


# -- expiration


@statement("4.2-44", "3-06")
def test_a_copy_under_an_expiration_rule_tells_date_and_rule(store, noon):
    store["photos"].put("cat.jpg", b"meow")
    store["kept"].expire(rule_id="old-photos", days=1)
    answer = copy(store, "/photos/cat.jpg", to=("kept", "copy.jpg"))
    assert own_headers(answer) == CHUNKED | {
        "x-svc-expiration": 'expiry-date="Mon, 23 Nov 2026 00:00:00 GMT", rule-id="old-photos"',
        "x-svc-version-id": store["kept"]["copy.jpg"].version_id,
    }


# -- onto itself


def test_a_copy_onto_itself_that_changes_nothing_is_refused(store):
    store["kept"].put("cat.jpg", b"meow")
    before = holdings(store)
    for headers in ({}, {"acl": "public-read"}, {"meta_new": "1"}, {"metadata_directive": "COPY"}):
        answer = copy(store, "/kept/cat.jpg", to=("kept", "cat.jpg"), **headers)
        assert refusal(answer) == (400, "InvalidRequest")
    assert holdings(store) == before


@pytest.mark.parametrize(
    "headers",
    [
        {"metadata_directive": "REPLACE"},
        {"storage_class": "STANDARD"},
        {"storage_class": "REDUCED_REDUNDANCY"},
        {"server_side_encryption": "AES256"},
    ],
)
def test_a_copy_onto_itself_that_changes_something_is_a_new_version(store, headers):
    store["kept"].put("cat.jpg", b"meow")
    assert copy(store, "/kept/cat.jpg", to=("kept", "cat.jpg"), **headers).status_code == 200
    assert stack(store, "kept", "cat.jpg") == [b"meow", b"meow"]


@statement("4.2-07", "9-05")
def test_an_older_version_copied_onto_its_key_is_the_newest_again(store):
    older, _ = store["kept"].put("cat.jpg", b"older"), store["kept"].put("cat.jpg", b"newer")
    answer = copy(store, f"/kept/cat.jpg?versionId={older.version_id}", to=("kept", "cat.jpg"))
    assert answer.status_code == 200
    assert stack(store, "kept", "cat.jpg") == [b"older", b"newer", b"older"]


# -- errors


@statement("4.2-49", "7-07", "7-08")
def test_an_error_met_while_copying_is_in_a_200_and_nothing_is_copied(store):
    store["photos"].put("cat.jpg", b"meow")
    store["photos"].put("copy.jpg", b"older")
    before = holdings(store)
    store.fail("PUT Object Copy", faults.EmbeddedError("InternalError"))
    answer = copy(store, "/photos/cat.jpg")
    assert (refusal(answer), own_headers(answer)) == ((200, "InternalError"), CHUNKED)
    assert re.match(rb"<\?xml [^>]*\?>\n +<Error>", answer.content)
    assert elements(answer.content) == {
        "Code": "InternalError",
        "Message": "We encountered an internal error. Please try again.",
        "Resource": "/photos/copy.jpg",
        "RequestId": answer.headers["x-svc-request-id"],
        "HostId": answer.headers["x-svc-id-2"],
    }
    assert holdings(store) == before


@statement("7-08")
def test_the_copy_after_an_embedded_error_succeeds(store):
    store["photos"].put("cat.jpg", b"meow")
    store.fail("PUT Object Copy", faults.EmbeddedError("SlowDown"))
    answers = [copy(store, "/photos/cat.jpg") for _ in range(2)]
    assert [(each.status_code, etree.fromstring(each.content).tag) for each in answers] == [
        (200, "Error"),
        (200, "CopyObjectResult"),
    ]


@statement("7-06")
def test_an_error_found_before_copying_begins_is_an_error_answer_although_one_is_to_be_embedded(store):
    store.fail("PUT Object Copy", faults.EmbeddedError("InternalError"), times=None)
    answer = copy(store, "/photos/nosuch.jpg")
    assert (refusal(answer), int(answer.headers["Content-Length"])) == ((404, "NoSuchKey"), len(answer.content))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"storage-class": "GLACIER"}, (400, "InvalidStorageClass")),
        ({"storage-class": ""}, (400, "InvalidStorageClass")),
        ({"server-side-encryption": "rot13"}, (400, "InvalidArgument")),
        ({"server-side-encryption": ""}, (400, "InvalidArgument")),
        ({"copy-source-if-modified-since": "yesterday"}, (400, "InvalidArgument")),
        ({"copy-source-if-unmodified-since": ""}, (400, "InvalidArgument")),
        ({"metadata-directive": "REPLACE", "meta-a": "a" * 2048}, (400, "MetadataTooLarge")),
        ({"meta-a": "a" * 8192}, (400, "RequestHeaderSectionTooLarge")),
    ],
)
@statement("7-06")
def test_a_copy_with_a_bad_header_is_refused_and_copies_nothing(store, headers, expected):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    fields = [("x-svc-copy-source", "/photos/cat.jpg"), *((f"x-svc-{name}", value) for name, value in headers.items())]
    assert refusal(wire(store, "PUT", "photos", "/k", fields)) == expected
    assert holdings(store) == before


def test_a_header_of_the_service_that_a_copy_does_not_know_is_never_ignored(store):
    store["photos"].put("cat.jpg", b"meow")
    before = holdings(store)
    with pytest.raises(UnsupportedRequest, match="x-svc-tagging-directive"):
        copy(store, "/photos/cat.jpg", tagging_directive="COPY")
    store.unhandled_requests.clear()
    assert holdings(store) == before


def test_the_content_of_a_copy_is_that_of_the_source_when_it_was_copied(store):
    store["photos"].put("cat.jpg", b"meow")
    answer = copy(store, "/photos/cat.jpg")
    store["photos"].put("cat.jpg", b"changed")
    assert (status_of(answer), stack(store, "photos", "copy.jpg")) == (200, [b"meow"])
    assert store["photos"]["copy.jpg"].etag == etag_of(b"meow")
