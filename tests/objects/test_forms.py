"""POST Object: browser forms, their policies and their signatures."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import boto3
import httpx
import pytest
import requests
from botocore.config import Config

from fakestore import S3, AnonymousRequests, Dialect, FakeStore, Limits, UnsupportedRequest, fake_store, faults
from fakestore.http import Request
from tests.support.cases import each
from tests.support.client import customer_key
from tests.support.documents import policy as bucket_policy
from tests.support.documents import statement
from tests.support.forms import CAT, FORM_TYPE, encode, form_body, policy, post, post_body
from tests.support.wire import UnseekableBody, elements, md5_base64, outcome

decision = pytest.mark.decision
KEY = {"key": "cat.jpg"}


@pytest.fixture
def photos(store):
    return store["photos"]


@pytest.fixture
def store():
    """A store of the default dialect, where a form is signed in the Authorization header."""
    with fake_store(buckets=["photos"]) as store:
        yield store


@pytest.fixture
def s3_store():
    """A store of the dialect S3 that verifies signatures, with a bucket whose ACLs count and may be public."""
    options = {"access_key_id": "AKIDEXAMPLE", "secret_key": "secret", "signatures": "verify"}
    with fake_store(dialect="s3", buckets=["photos"], region="us-east-1", **options) as store:
        store["photos"].object_ownership, store["photos"].public_access_block = "ObjectWriter", None
        yield store


def presigned_post(key="cat.jpg", fields=(), conditions=(), *, signature="s3v4", region="us-east-1", **credentials):
    """Return the URL and the fields of a form that boto3 signs."""
    keys = {"aws_access_key_id": "AKIDEXAMPLE", "aws_secret_access_key": "secret"} | credentials
    client = boto3.client("s3", region_name=region, config=Config(signature_version=signature), **keys)
    return client.generate_presigned_post("photos", key, dict(fields), list(conditions), ExpiresIn=60)


def send_form(form, file=CAT, **changes):
    """Send a form with plain requests. A field whose changed value is None is not sent."""
    fields = {name: value for name, value in (form["fields"] | changes).items() if value is not None}
    return requests.post(form["url"], data=fields, files={"file": file}, allow_redirects=False)


def error_of(reply):
    texts = elements(reply)
    return texts["Code"], texts["Message"]


def only_unsupported(store, pattern, ask):
    """Check that a request is unsupported, and forget it."""
    with pytest.raises(UnsupportedRequest, match=pattern):
        ask()
    store.unhandled_requests.clear()


# -- with boto3 and plain requests


@decision("credentials-of-a-form")
@pytest.mark.parametrize("signature", ["s3", "s3v4"])
def test_form_that_boto3_signs_uploads_under_its_policy(s3_store, signature):
    fields = {"acl": "public-read", "Content-Type": "image/jpeg", "x-amz-meta-by": "anna"}
    conditions = [
        {"acl": "public-read"},
        ["starts-with", "$Content-Type", "image/"],
        ["eq", "$x-amz-meta-by", "anna"],
        ["content-length-range", 1, 10],
    ]
    form = presigned_post("in/${filename}", fields, conditions, signature=signature)
    reply = send_form(form)
    assert (reply.status_code, reply.content) == (204, b"")
    uploaded = s3_store["photos"]["in/cat.jpg"]
    assert (uploaded.content, uploaded.content_type, uploaded.metadata) == (b"meow", "image/jpeg", {"by": "anna"})
    assert requests.get(s3_store.url("photos", "in/cat.jpg")).content == b"meow"
    refused = send_form(form, **{"x-amz-meta-by": "eve"})
    assert refused.status_code == 403
    assert '["eq", "$x-amz-meta-by", "anna"]'.replace('"', "&quot;") in refused.text
    assert "'eve'" in s3_store.exchanges[-1].explanation


@pytest.mark.parametrize("signature", ["s3", "s3v4"])
def test_form_that_exceeds_its_length_range_stores_nothing(s3_store, signature):
    form = presigned_post(conditions=[["content-length-range", 2, 4]], signature=signature)
    for size, code in [(1, "EntityTooSmall"), (5, "EntityTooLarge")]:
        reply = send_form(form, ("cat.jpg", b"x" * size))
        assert outcome(reply) == (400, code)
        assert elements(reply)["ProposedSize"] == str(size)
    assert len(s3_store["photos"]) == 0
    assert [send_form(form, ("cat.jpg", b"x" * size)).status_code for size in (2, 4)] == [204, 204]


def test_form_reaches_a_store_through_its_server(s3_store):
    form = presigned_post()
    with s3_store.serve() as url:
        reply = httpx.post(f"{url}/photos", data=form["fields"], files={"file": CAT})
    assert reply.status_code == 204
    assert reply.headers["location"] == f"{url}/photos/cat.jpg"
    assert s3_store["photos"]["cat.jpg"].content == b"meow"


# -- credentials


@decision("session-tokens")
@pytest.mark.parametrize("signature", ["s3", "s3v4"])
def test_token_in_a_form_is_refused_if_signatures_are_verified(s3_store, signature):
    token = {"x-amz-security-token": "session-token"}
    form = presigned_post("cat.jpg", token, [token], signature=signature)
    assert outcome(send_form(form)) == (400, "InvalidToken")


@decision("credentials-of-a-form")
def test_wrong_credentials_in_a_form_are_refused(s3_store):
    form = presigned_post()
    credential = form["fields"]["x-amz-credential"]
    invalid = (400, "AuthorizationQueryParametersError")
    for case in each(
        ({"x-amz-signature": "0" * 64}, (403, "SignatureDoesNotMatch")),
        ({"policy": policy(["starts-with", "$key", ""])}, (403, "SignatureDoesNotMatch")),
        ({"x-amz-credential": credential.replace("AKID", "NONE")}, (403, "InvalidAccessKeyId")),
        ({"x-amz-credential": "AKIDEXAMPLE"}, invalid),
        ({"x-amz-credential": credential.replace("us-east-1", "eu-west-1")}, invalid),
        ({"x-amz-date": "yesterday"}, invalid),
        ({"x-amz-algorithm": "AWS4-ECDSA-P256-SHA256"}, invalid),
        ({"policy": None}, (400, "InvalidArgument")),
    ):
        with case as (changes, expected):
            assert outcome(send_form(form, **changes)) == expected
            assert s3_store.exchanges[-1].explanation
    code, message = error_of(send_form(form, AWSAccessKeyId="AKIDEXAMPLE"))
    assert (code, message.partition(";")[0]) == ("InvalidArgument", "Only one auth mechanism allowed")
    assert outcome(send_form(presigned_post(signature="s3"), signature="eA==")) == (403, "SignatureDoesNotMatch")
    assert len(s3_store["photos"]) == 0


def test_signatures_of_forms_select_the_account_if_they_are_accepted():
    with fake_store(dialect="s3", buckets=["photos"]) as store:
        store["photos"].object_ownership = "ObjectWriter"
        anna = store.create_account("anna", access_key_id="AKANNA")
        store["photos"].allow(anna, "s3:PutObject")
        for signature in ("s3", "s3v4"):
            form = presigned_post(aws_access_key_id="AKANNA", aws_secret_access_key="any", signature=signature)
            assert send_form(form).status_code == 204
            assert store.exchanges[-1].account == store["photos"]["cat.jpg"].owner == anna


@decision("credentials-of-a-form")
def test_form_is_signed_in_its_fields_or_in_a_header_by_dialect(store, s3_store):
    for headers in ({"Authorization": "AWS AKIDEXAMPLE:c2ln"}, {"Authorization": "Bearer x"}):
        only_unsupported(s3_store, "sign its fields", lambda headers=headers: post(s3_store, KEY, headers=headers))
    url, headers = f"{s3_store.url('photos')}?AWSAccessKeyId=AK&Signature=c2ln&Expires=9", {"Content-Type": FORM_TYPE}
    only_unsupported(
        s3_store, "sign its fields", lambda: s3_store.handle(Request.to_url("POST", url, headers, form_body(KEY)))
    )
    for fields in ({"AWSAccessKeyId": "AK"}, {"signature": "c2ln"}, {"x-svc-credential": "AK/20261121"}):
        only_unsupported(store, "Authorization header", lambda fields=fields: post(store, KEY | fields))
    assert outcome(post(store, KEY, signed=False)) == (403, "AccessDenied")
    assert post(store, KEY).status == 204


@decision("credentials-of-a-form")
def test_form_with_a_signature_in_a_header_must_leave_its_body_unsigned():
    dialect = replace(S3, form_auth=())
    with fake_store(dialect=dialect, signatures="verify", buckets=["photos"]) as store:

        def send(headers):
            headers = {"Content-Type": FORM_TYPE, **headers}
            return store.session().post(store.url("photos"), data=form_body(KEY), headers=headers)

        only_unsupported(store, "send it unsigned", lambda: send({}))
        assert send({"x-amz-content-sha256": "UNSIGNED-PAYLOAD"}).status_code == 204


@decision("anonymous-forms")
def test_anonymous_form_needs_a_bucket_that_allows_it(s3_store):
    assert outcome(post(s3_store, KEY, signed=False)) == (403, "AccessDenied")
    s3_store["photos"].acl = "public-read-write"
    assert post(s3_store, KEY, signed=False).status == 204
    assert str(s3_store["photos"]["cat.jpg"].owner) == "anonymous"
    refusing = replace(S3, semantics=replace(S3.semantics, anonymous_requests=AnonymousRequests.REFUSED))
    with fake_store(dialect=refusing) as store:
        store.create_bucket("photos", acl="public-read-write")
        assert outcome(post(store, KEY, signed=False)) == (403, "AccessDenied")
    late = KEY | {"policy": policy({"key": "cat.jpg"}, minutes=-1)}
    assert error_of(post(s3_store, late, signed=False)) == (
        "AccessDenied",
        "Invalid according to Policy: Policy expired.",
    )


# -- policies


@decision("policy-of-a-form")
@pytest.mark.parametrize(
    ("conditions", "fields", "failed"),
    [
        ([{"key": "cat.jpg"}], {}, None),
        ([{"KEY": "cat.jpg"}], {}, None),
        ([["EQ", "$key", "cat.jpg"]], {}, None),
        ([{"key": "cat"}], {}, '["eq", "$key", "cat"]'),
        ([["starts-with", "$key", "cat"]], {}, None),
        ([["starts-with", "$key", "dog"]], {}, '["starts-with", "$key", "dog"]'),
        ([["starts-with", "key", ""]], {}, '["starts-with", "key", ""]'),
        ([{"key": "cat.jpg"}, ["starts-with", "$acl", ""]], {}, '["starts-with", "$acl", ""]'),
        ([{"key": "cat.jpg"}, ["starts-with", "$acl", ""]], {"acl": "private"}, None),
        ([{"key": "cat.jpg"}, {"bucket": "other"}], {}, '["eq", "$bucket", "other"]'),
        ([{"key": "cat.jpg"}], {"acl": "private", "a": "b"}, "Extra input fields: acl, a"),
        ([{"key": "cat.jpg"}], {"x-ignore-this": "1", "X-Ignore-That": "2"}, None),
        ([{"key": "cat.jpg"}, ["starts-with", "$Content-Type", "image/"]], {"content-type": "image/a, image/b"}, None),
        (
            [{"key": "cat.jpg"}, ["starts-with", "$Content-Type", "image/"]],
            {"content-type": "image/a,text/b"},
            '["starts-with", "$Content-Type", "image/"]',
        ),
        ([{"key": "cat.jpg"}, ["content-length-range", 0, "9"]], {}, None),
        ([{"key": "cat.jpg"}, ["content-length-range", True, 9]], {}, '["content-length-range", true, 9]'),
        ([{"key": "cat.jpg"}, ["content-length-range", 0, "x"]], {}, '["content-length-range", 0, "x"]'),
    ],
)
def test_policy_decides_about_fields(store, photos, conditions, fields, failed):
    reply = post(store, {**KEY, **fields, "policy": policy(*conditions)})
    if failed is None:
        assert reply.status == 204
        return
    problem = failed if failed.startswith("Extra") else f"Policy Condition failed: {failed}"
    assert error_of(reply) == ("AccessDenied", f"Invalid according to Policy: {problem}")
    assert "policy" in store.exchanges[-1].explanation
    assert len(photos) == 0


@decision("policy-of-a-form")
def test_policy_must_have_a_condition_on_the_bucket(store):
    document = encode({"expiration": "2100-01-01T00:00:00Z", "conditions": [{"key": "cat.jpg"}]})
    assert error_of(post(store, KEY | {"policy": document}))[1].endswith("Extra input fields: bucket")


@pytest.mark.parametrize(("length", "status"), [(1, 204), (70, 204), (71, 400)])
def test_the_boundary_has_1_to_70_characters(store, photos, length, status):
    line = f"--{'x' * length}"
    body = f'{line}\r\nContent-Disposition: form-data; name="key"\r\n\r\ncat.jpg\r\n'
    body += f'{line}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nmeow\r\n{line}--\r\n'
    headers = {"Content-Type": f"multipart/form-data; boundary={'x' * length}"}
    assert post_body(store, body.encode(), headers=headers).status == status
    assert ("cat.jpg" in photos) is (status == 204)


@decision("policy-of-a-form")
@pytest.mark.parametrize(
    "document",
    [
        "",
        "no JSON",
        b"\xff\xfe",
        "[]",
        "[" * 5000,
        '{"expiration": "2100-01-01T00:00:00Z"}',
        '{"conditions": []}',
        '{"expiration": "2100-01-01T00:00:00Z", "expiration": "2100-01-01T00:00:00Z", "conditions": []}',
        {"expiration": "2100-01-01T00:00:00Z", "conditions": {}},
        {"expiration": "2100-01-01T00:00:00Z", "conditions": [], "more": 1},
        *({"expiration": each, "conditions": []} for each in ("", "soon", "2100-02-30T00:00:00Z", 1, None)),
        *(
            {"expiration": "2100-01-01T00:00:00Z", "conditions": [each]}
            for each in (
                *(1, "key", [], {}, [1, 2, 3], ["eq"], ["eq", "$key"], ["eq", "$key", "a", "b"], ["eq", "$key", 1]),
                *(["ne", "$key", "a"], ["content-length-range", 1], {"key": 1}, {"key": ["a"]}, {"key": None}),
                {"key": "half of a surrogate pair \ud800"},
            )
        ),
    ],
    ids=lambda document: str(document)[:80],
)
def test_malformed_policy_is_refused(store, photos, document):
    reply = post(store, KEY | {"policy": encode(document)})
    code, message = error_of(reply)
    assert (reply.status, code) == (400, "InvalidPolicyDocument")
    assert message.startswith("Invalid Policy: ")
    assert len(photos) == 0


@decision("policy-of-a-form")
def test_policy_in_something_else_than_base64_is_refused(store):
    assert outcome(post(store, KEY | {"policy": "{}"})) == (400, "InvalidPolicyDocument")


def test_policy_has_escapes_of_its_own(store):
    text = '{"expiration": "2100-01-01T00:00:00Z", "conditions": [{"bucket": "photos"}, {"key": "\\$\\v\\\\$\\u00e9"}]}'
    assert post(store, {"key": "$\v\\$é", "policy": encode(text)}).status == 204


def test_policy_expires_by_the_clock_of_the_store(store, noon):
    fields = KEY | {"policy": policy({"key": "cat.jpg"}, minutes=10)}
    store.travel(minutes=10)
    assert post(store, fields).status == 204
    store.travel(seconds=1)
    assert error_of(post(store, fields))[1] == "Invalid according to Policy: Policy expired."
    assert "2026-11-21T12:10:01" in store.exchanges[-1].explanation


# -- fields


def test_form_with_an_acl_is_refused_where_acls_do_not_count(s3_store):
    s3_store["photos"].object_ownership = "BucketOwnerEnforced"
    form = presigned_post(fields={"acl": "public-read"}, conditions=[{"acl": "public-read"}])
    assert outcome(send_form(form)) == (400, "AccessControlListNotSupported")
    assert "object_ownership = 'ObjectWriter'" in s3_store.exchanges[-1].explanation
    assert "public_access_block" not in s3_store.exchanges[-1].explanation
    assert send_form(presigned_post()).status_code == 204


@decision("blocked-encryption")
def test_form_with_a_customer_key_is_refused_where_such_keys_are_blocked(s3_store):
    fields = customer_key("k", "x-amz-")
    form = presigned_post(fields=fields, conditions=[{name: value} for name, value in fields.items()])
    assert outcome(send_form(form)) == (403, "AccessDenied")
    s3_store["photos"].blocked_encryption = "NONE"
    assert send_form(form).status_code == 204


def test_fields_are_the_headers_of_the_object(store, photos):
    tags = "<Tagging><TagSet><Tag><Key>kind</Key><Value>cat</Value></Tag></TagSet></Tagging>"
    fields = {
        "Key": "cat.jpg",
        "ACL": "public-read",
        "Tagging": tags,
        "Content-Type": "image/jpeg",
        "Cache-Control": "no-cache",
        "Content-Disposition": "inline",
        "Content-Encoding": "x-tar",
        "Content-Language": "de",
        "Content-MD5": md5_base64(b"meow"),
        "Expires": "1000",
        "X-Svc-Meta-By": "anna",
        "x-svc-storage-class": "REDUCED_REDUNDANCY",
        "x-svc-server-side-encryption": "AES256",
        "x-svc-website-redirect-location": "/dog.jpg",
        "x-svc-checksum-crc32": "ihBq/g==",
    }
    reply = post(store, fields)
    assert reply.status == 204, bytes(reply.body)
    uploaded = photos["cat.jpg"]
    assert uploaded.content == b"meow"
    assert uploaded.tags == {"kind": "cat"}
    assert uploaded.storage_class == "REDUCED_REDUNDANCY"
    assert reply.headers["x-svc-server-side-encryption"] == "AES256"
    assert reply.headers["x-svc-checksum-crc32"] == "ihBq/g=="
    got = store.session().get(store.url("photos", "cat.jpg")).headers
    returned = [name for name in fields if name not in ("Key", "ACL", "Tagging", "Content-MD5", "x-svc-checksum-crc32")]
    assert {name: got[name] for name in returned} == {name: fields[name] for name in returned}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"acl": "everybody"}, (400, "InvalidArgument")),
        ({"tagging": "<Tagging><TagSet><Label/></TagSet></Tagging>"}, (400, "MalformedXML")),
        ({"tagging": "<!DOCTYPE a><Tagging/>"}, (400, "MalformedXML")),
        ({"x-svc-meta-long": "x" * 2050}, (400, "MetadataTooLarge")),
        ({"x-svc-checksum-crc32": "AAAAAA=="}, (400, "BadDigest")),
        ({"Content-MD5": md5_base64(b"wuff")}, (400, "BadDigest")),
        ({"key": "k" * 1025}, (400, "KeyTooLongError")),
        ({"key": ""}, (400, "InvalidArgument")),
    ],
    ids=str,
)
def test_wrong_value_of_a_field_is_refused_like_that_of_a_header(store, photos, fields, expected):
    assert outcome(post(store, KEY | fields)) == expected
    assert len(photos) == 0


@decision("unknown-fields-of-a-form")
def test_field_that_means_something_else_is_unsupported(store, photos):
    assert post(store, KEY | {"submit": "Upload", "utf8": "x"}).status == 204
    for name in ("x-svc-acl", "x-svc-tagging", "x-svc-grant-read", "x-svc-mfa", "x-svc-copy-source", "x-amz-meta-a"):
        only_unsupported(store, name, lambda name=name: post(store, KEY | {name: "private"}))
    for name in ("If-None-Match", "Content-Range", "Digest", "x-svc-meta-", "x-svc-meta-a b", "x-svc-meta-a\r\nb"):
        only_unsupported(store, "POST Object", lambda name=name: post(store, KEY | {name: "*"}))
    only_unsupported(store, "twice", lambda: post(store, [("key", "a"), ("Key", "b")]))
    for name in ("x-svc-acl", "x-svc-meta-a", "If-None-Match", "Content-Encoding"):
        only_unsupported(store, "form|POST Object", lambda name=name: post(store, KEY, headers={name: "*"}))


@decision("unknown-fields-of-a-form")
def test_signature_of_another_service_in_the_fields_is_unsupported(store, s3_store):
    signed = KEY | {"x-goog-signature": "x"}
    for one, advice in ((store, "this dialect does not have; sign .* header"), (s3_store, "as this dialect does")):
        only_unsupported(one, f"'x-goog-signature' belongs to .*{advice}", lambda one=one: post(one, signed))


@decision("metadata-of-a-form")
def test_field_may_have_what_a_header_may_have(store):
    post(store, KEY | {"Cache-Control": "no-store,\tprivate— \xe9"})
    assert store["photos"]["cat.jpg"].cache_control == "no-store,\tprivate  \xe9"


@decision("metadata-of-a-form")
def test_no_field_can_add_a_header_to_a_reply(store, s3_store):
    injected = "a\r\nInjected: yes\0—é"
    for one in (store, s3_store):
        one["photos"].acl = "public-read-write"
        prefix = one.dialect.header_prefix
        names = ["Content-Type", "Cache-Control", f"{prefix}meta-text", f"{prefix}website-redirect-location"]
        fields = dict.fromkeys(names, injected) | {f"{prefix}website-redirect-location": f"/{injected}"}
        fields["success_action_redirect"] = f"http://example.com/{injected}"
        reply = post(one, KEY | fields, signed=one is store)
        assert reply.status == 303
        got = requests.Session()
        got.mount("http", one.adapter())
        got.auth = one.auth()
        read = got.get(one.url("photos", "cat.jpg"))
        for headers in (dict(reply.headers.fields), read.headers):
            assert not re.search("[\0\r\n]", "".join(headers.values()))
    assert s3_store["photos"]["cat.jpg"].metadata["text"] == injected


@decision("fields-before-the-file")
def test_fields_after_the_file_are_ignored(store, photos):
    assert post(store, KEY, after={"key": "dog.jpg", "x-svc-acl": "?", "submit": "Upload"}).status == 204
    assert list(photos) == ["cat.jpg"]
    reply = post(store, {}, after=KEY)
    assert error_of(reply)[0] == "InvalidArgument"
    assert "check the order of the fields" in error_of(reply)[1]


@decision("fields-before-the-file")
def test_form_has_exactly_one_file(store, photos):
    for file, after in [(None, {}), (CAT, {"File": "second"})]:
        assert outcome(post(store, KEY, file, after)) == (400, "IncorrectNumberOfFilesInPostRequest")
    assert len(photos) == 0


@decision("name-of-the-file")
@pytest.mark.parametrize(
    ("file", "key"),
    [
        (("cat.jpg", b""), "a/cat.jpg/cat.jpg"),
        (("C:\\photos\\cat.jpg", b""), "a/cat.jpg/cat.jpg"),
        (("photos/cat.jpg", b""), "a/cat.jpg/cat.jpg"),
        (("photos\\cat.jpg", b""), "a/cat.jpg/cat.jpg"),
        (("\\\\server\\photos\\cat.jpg", b""), "a/cat.jpg/cat.jpg"),
        (("каt.jpg", b""), "a/каt.jpg/каt.jpg"),
        (b"", "a/${filename}/${filename}"),
    ],
)
def test_name_of_the_file_replaces_its_variable(store, photos, file, key):
    fields = {"key": "a/${filename}/${filename}", "x-svc-meta-name": "${filename}"}
    assert (
        post(store, fields | {"policy": policy({"key": key}, ["starts-with", "$x-svc-meta-name", ""])}, file).status
        == 204
    )
    assert list(photos) == [key]
    assert photos[key].metadata["name"].encode("latin-1").decode() == key.rpartition("/")[2]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("s3:x-amz-acl", "private"),
        ("s3:x-amz-server-side-encryption", "AES256"),
        ("s3:RequestObjectTag/kind", "cat"),
        ("aws:Referer", "http://example.com/"),
        ("s3:authType", "POST"),
        ("s3:signatureversion", "AWS4-HMAC-SHA256"),
    ],
)
def test_conditions_of_bucket_policies_are_about_fields(s3_store, key, value):
    tags = "<Tagging><TagSet><Tag><Key>kind</Key><Value>cat</Value></Tag></TagSet></Tagging>"
    fields = {"acl": "private", "x-amz-server-side-encryption": "AES256", "tagging": tags}
    form = presigned_post(fields=fields, conditions=[{name: value} for name, value in fields.items()])
    for operator, status in [("StringNotEquals", 204), ("StringEquals", 403)]:
        denied = statement("Deny", "*", "s3:PutObject", "photos/*", Condition={operator: {key: value}})
        put = s3_store.session().put(s3_store.url("photos", policy=None), data=bucket_policy(denied))
        assert put.status_code == 204
        headers = {"Referer": "http://example.com/"}
        reply = requests.post(form["url"], data=form["fields"], files={"file": CAT}, headers=headers)
        assert reply.status_code == status


# -- answers


@decision("answer-to-a-form")
@pytest.mark.parametrize(("sent", "status"), [("200", 200), ("201", 201), ("204", 204), ("500", 204), ("", 204)])
def test_form_chooses_the_status_of_a_success(store, sent, status):
    reply = post(store, KEY | {"success_action_status": sent})
    assert reply.status == status
    assert reply.headers["etag"] == store["photos"]["cat.jpg"].etag
    assert reply.headers["location"] == store.url("photos", "cat.jpg")
    assert (elements(reply)["Location"] if reply.body else "") == (reply.headers["location"] if status == 201 else "")


@decision("answer-to-a-form")
def test_document_of_a_form_has_no_namespace():
    store = FakeStore(dialect=Dialect(xml_namespace="urn:example"), buckets=["photos"])
    reply = post(store, KEY | {"success_action_status": "201"})
    assert b"<PostResponse><Location>" in reply.body


@decision("answer-to-a-form")
@pytest.mark.parametrize(
    ("url", "location"),
    [
        ("http://example.com", "http://example.com?{}"),
        ("https://example.com/done?user=1", "https://example.com/done?user=1&{}"),
        ("http://example.com/ä b#top", "http://example.com/%C3%A4%20b?{}#top"),
        ("/done", None),
        ("javascript:alert(1)", None),
        ("http://[", None),
        ("http:/done", None),
        ("", None),
    ],
)
def test_form_redirects_to_a_url_that_a_browser_understands(store, url, location):
    for redirects in ({"success_action_redirect": url, "redirect": "http://other.test"}, {"redirect": url}):
        reply = post(store, {"key": "ä", "success_action_status": "201"} | redirects)
        if location is None:
            assert (reply.status, reply.headers["location"]) == (201, store.url("photos", "ä"))
        else:
            etag = store["photos"]["ä"].etag.strip('"')
            assert reply.status == 303
            assert reply.headers["location"] == location.format(f"bucket=photos&key=%C3%A4&etag=%22{etag}%22")


# -- like every other operation


def test_form_writes_a_version_and_the_journal_names_the_object(store, photos):
    photos.versioning = "enabled"
    replies = [post(store, KEY, ("cat.jpg", content)) for content in (b"kitten", b"meow")]
    assert [reply.headers["x-svc-version-id"] for reply in replies] == [
        version.version_id for version in reversed(photos.versions("cat.jpg"))
    ]
    exchange = store.calls("POST Object", bucket="photos", key="cat.jpg")[-1]
    assert (exchange.status, exchange.key, exchange.version_id) == (204, "cat.jpg", photos["cat.jpg"].version_id)
    assert exchange.request.body == b"meow"  # the file, as for a PUT
    assert exchange.request.headers["content-type"].startswith("multipart/form-data")


def test_fault_is_planned_for_the_key_of_a_form(store, photos):
    store.fail("POST Object", faults.ServiceError("SlowDown"), key="dog.jpg")
    assert post(store, KEY).status == 204
    assert outcome(post(store, {"key": "dog.jpg"})) == (503, "SlowDown")
    assert list(photos) == ["cat.jpg"]


def test_form_that_breaks_off_stores_nothing(store, photos):
    whole = form_body(KEY)
    cut = UnseekableBody(whole[:-30])
    headers = {"Content-Length": str(len(whole))}
    assert outcome(post_body(store, cut, headers=headers))[0] == 400
    assert outcome(post_body(store, UnseekableBody(whole))) == (411, "MissingContentLength")

    def failing():
        yield whole[:-30]
        raise OSError("the disk failed")

    for body in (failing(), iter(failing())):
        with pytest.raises(OSError, match="the disk failed"):
            post_body(store, body, headers=headers)
        assert "the disk failed" in store.exchanges[-1].explanation
    assert len(photos) == 0


def test_waiting_client_continues_before_the_fields_are_read(store):
    waits = {"Expect": "100-continue"}
    assert post(store, KEY, headers=waits).status == 204
    assert store.exchanges[-1].interim == (100,)
    for fields in (KEY | {"acl": "?"}, {"key": ""}, {}):
        assert outcome(post(store, fields, headers=waits))[0] == 400
        assert store.exchanges[-1].interim == (100,)
    assert outcome(post(store, KEY, headers=waits | {"Authorization": None}))[0] == 403
    assert store.exchanges[-1].interim == (100,)
    assert outcome(post(store, KEY, headers=waits | {"Content-Type": "a/b"}))[0] == 412
    assert store.exchanges[-1].interim == ()
    assert outcome(post(store, KEY, headers={"Expect": "cake"})) == (417, "ExpectationFailed")


@decision("size-of-a-form")
def test_fields_and_file_have_limits():
    with fake_store(buckets=["photos"], limits=Limits(form_fields=400, object_size=100)) as store:
        assert post(store, KEY, ("cat.jpg", b"x" * 100)).status == 204
        reply = post(store, KEY, ("cat.jpg", b"x" * 101))
        assert outcome(reply) == (400, "EntityTooLarge")
        assert (elements(reply)["ProposedSize"], elements(reply)["MaxSizeAllowed"]) == ("101", "100")
        for case in each(
            {"a": "x" * 400},
            {"a": "x" * 150, "b": "x" * 150},
            {f"field-{number}": "" for number in range(20)},
        ):
            with case as fields:
                assert outcome(post(store, KEY | fields)) == (400, "MaxPostPreDataLengthExceededError")


def test_without_the_library_forms_are_unsupported(store, monkeypatch):
    monkeypatch.setitem(sys.modules, "multipart", None)
    only_unsupported(store, r"fakestore\[forms\]", lambda: post(store, KEY))
    assert outcome(post(store, KEY, headers={"Content-Type": "text/html"})) == (412, "PreconditionFailed")


@decision("unknown-fields-of-a-form")
def test_exchange_names_the_fields_that_were_ignored(store, photos):
    assert post(store, {**KEY, "acl": "private", "submit": "Upload", "Content-Type": "a/b"}).status == 204
    assert store.exchanges[-1].ignored == ("submit",)
    assert str(store.exchanges[-1]).endswith(", created version null, ignored submit")
    assert post(store, KEY).status == 204
    assert store.exchanges[-1].ignored == ()
