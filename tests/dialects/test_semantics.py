"""Each field of `Semantics`, with several values. The test of a field is named `test_<field>`."""

from __future__ import annotations

from base64 import b64encode
from contextlib import nullcontext
from dataclasses import fields, replace

import pytest
from freezegun import freeze_time

from fakestore import (
    DOCUMENT,
    S3,
    AnonymousRequests,
    BlockedEncryption,
    ChecksumAlgorithm,
    Encryption,
    FakeStore,
    ObjectOwnership,
    PublicAccessBlock,
    Request,
    Semantics,
    SparseContent,
    StorageClass,
    TransitionMinimum,
    UnsupportedRequest,
    Versioning,
    fake_store,
    faults,
)
from tests.support.cases import each
from tests.support.client import customer_key
from tests.support.documents import lifecycle, rule
from tests.support.wire import crc32_base64, elements, md5_base64, send

COPY = {"copy-source": "/photos/cat.jpg", "metadata-directive": "REPLACE"}
LOCATION = b"<CreateBucketConfiguration><LocationConstraint>us-west-2</LocationConstraint></CreateBucketConfiguration>"
CORS = (
    b"<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>"
    b"</CORSConfiguration>"
)
LOCK = b"<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>"
REPLICATION = (
    b"<ReplicationConfiguration><Role>r</Role><Rule><Prefix/><Status>Enabled</Status><Destination>"
    b"<Bucket>arn:aws:s3:::photos</Bucket></Destination></Rule></ReplicationConfiguration>"
)
BOTH = pytest.mark.parametrize("value", [True, False])


@BOTH
def test_delete_removes_null_version(client_with, value):
    client = client_with(delete_removes_null_version=value)
    client.store["photos"].put("cat.jpg")
    client.store["photos"].versioning = "enabled"
    client.send("DELETE", "/cat.jpg")
    assert len(client.store["photos"].versions("cat.jpg")) == (1 if value else 2)


@BOTH
def test_copy_ignores_future_modified_since(client_with, value):
    client = client_with(copy_ignores_future_modified_since=value)
    client.store["photos"].put("cat.jpg")
    future = {"copy-source-if-modified-since": "Tue, 01 Jan 2300 00:00:00 GMT"}
    assert client.send("PUT", "/copy", headers=COPY | future).status == (200 if value else 412)


@pytest.mark.parametrize(("value", "status"), [(AnonymousRequests.REFUSED, 403), (AnonymousRequests.AUTHORIZED, 200)])
def test_anonymous_requests(client_with, value, status):
    client = client_with(anonymous_requests=value)
    client.store["photos"].put("cat.jpg", b"meow", acl="public-read")
    assert client.send("GET", "/cat.jpg", signed=False).status == status


@BOTH
def test_limits_every_header_section(client_with, value):
    client = client_with(limits_every_header_section=value)
    client.store["photos"].put("cat.jpg")
    assert client.send("GET", "/cat.jpg", headers={"Cookie": "a" * 9 * 1024}).status == (400 if value else 200)


@pytest.mark.parametrize("value", [None, Encryption.AES256])
def test_default_encryption(client_with, value):
    client = client_with(default_encryption=value)
    client.send("PUT", "/cat.jpg")
    assert client.send("GET", "/cat.jpg").headers.get("x-svc-server-side-encryption") == value
    assert client.store["photos"]["cat.jpg"].encryption == value


@pytest.mark.decision("copy-source")
@BOTH
def test_strict_copy_sources(client_with, value):
    client = client_with(strict_copy_sources=value)
    client.store["photos"].put("猫")
    for case in each(
        ("/photos/猫".encode().decode("latin-1"), 200, "Invalid copy source encoding"),
        ("/photos/%E7%8C%AB", 200, None),
        ("/Photos/k", 404, "Invalid copy source bucket name"),
        ("/1.2.3.4/k", 404, "Invalid copy source bucket name"),
        ("/films/k", 404, None),
    ):
        with case as (source, lenient, message):
            for query in ({}, {"uploadId": "u", "partNumber": 1}):
                reply = client.send("PUT", "/copy", {"copy-source": source}, **query)
                if value and message is not None:
                    assert (reply.status, elements(reply)["Message"]) == (400, message)
                else:
                    assert reply.status == (404 if query else lenient)


@pytest.mark.decision("bucket-names")
@BOTH
def test_reserves_bucket_names(client_with, value):
    store = client_with(reserves_bucket_names=value).store
    for case in each(
        *("xn--photos", "sthree-photos", "amzn-s3-demo-photos", "photos-s3alias", "photos--ol-s3"),
        *("photos.mrap", "photos--use1-az4--x-s3", "photos--table-s3"),
    ):
        with case as name:
            assert send(store, "PUT", name).status == (400 if value else 200)
            with pytest.raises(ValueError, match="is a reserved bucket name") if value else nullcontext():
                FakeStore(dialect=store.dialect, buckets=[name]).create_bucket(f"{name}.{name}")
    for name in ("photos-111111111111-mars-1-an", "s3alias", "xn-photos", "x.mrap.x"):
        assert send(store, "PUT", name).status == 200


@pytest.mark.decision("bucket-namespace")
@BOTH
def test_reserves_bucket_names_for_another_account(client_with, value):
    client = client_with(reserves_bucket_names=value)
    own, other = client.store.default_account.number, client.store.create_account("ann").number
    for headers in ({}, {"bucket-namespace": "global"}):
        for number, region in ((own, "us-east-1"), (other, "us-east-1"), (other, "eu-west-1")):
            name = f"pets{len(headers)}-{number}-{region}-an"
            is_refused = value and number == other
            assert client.send("PUT", bucket=name, headers=headers).status == (400 if is_refused else 200)
            if is_refused:
                assert other in client.store.exchanges[-1].explanation


@pytest.mark.decision("content-md5")
@BOTH
def test_documents_need_checksum(client_with, value):
    client = client_with(documents_need_checksum=value)
    bucket = client.store["photos"]
    bucket.versioning = "enabled"  # for replication
    message = "Missing required header for this request: Content-MD5 OR x-svc-checksum-*"
    for case in each(
        ("POST", "/?delete", b"<Delete><Object><Key>k</Key></Object></Delete>"),
        ("PUT", "/?cors", CORS),
        ("PUT", "/?lifecycle", lifecycle(rule("<Expiration><Days>1</Days></Expiration>"))),
        ("PUT", "/?object-lock", LOCK),
        ("PUT", "/?replication", REPLICATION),
        ("PUT", "/?tagging", b"<Tagging/>"),
        ("PUT", "/k?legal-hold", b"<LegalHold><Status>ON</Status></LegalHold>"),
        ("PUT", "/k?retention", b"<Retention/>"),
    ):
        with case as (method, target, body):
            reply = client.send(method, target, {"Content-MD5": None}, body)
            assert (message.encode() in reply.body) is value
            for digest in ({"Content-MD5": md5_base64(body)}, {"checksum-crc32": crc32_base64(body)}):
                assert message.encode() not in client.send(method, target, {"Content-MD5": None} | digest, body).body
            malformed = client.send(method, target, {"Content-MD5": None}, b"<meow/>")
            assert elements(malformed)["Code"] == "MalformedXML"
    payment = b"<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>"
    assert client.send("PUT", "/?requestPayment", {"Content-MD5": None}, payment).status == 200


@pytest.mark.parametrize("value", [None, "CRC64NVME", "CRC32"])
def test_default_checksum(client_with, value):
    client = client_with(default_checksum=None if value is None else ChecksumAlgorithm(value))
    client.send("PUT", "/cat.jpg", body=b"meow")
    headers = client.send("GET", "/cat.jpg", headers={"checksum-mode": "ENABLED"}).headers
    stored = client.store["photos"]["cat.jpg"].checksum
    if value is None:
        assert (stored, headers.get("x-svc-checksum-type")) == (None, None)
    else:
        assert (stored.algorithm, headers[f"x-svc-checksum-{value}"]) == (value, stored.value)


@pytest.mark.parametrize("value", [None, "arn:aws:kms:us-east-1:111111111111:key/1"])
def test_default_kms_key(client_with, value):
    client = client_with(default_kms_key=value)
    client.send("PUT", "/cat.jpg", headers={"server-side-encryption": "aws:kms"})
    headers = client.send("GET", "/cat.jpg").headers
    assert headers["x-svc-server-side-encryption"] == "aws:kms"
    assert headers.get("x-svc-server-side-encryption-aws-kms-key-id") == value


@BOTH
def test_encrypted_entity_tags_are_opaque(client_with, value):
    client = client_with(encrypted_entity_tags_are_opaque=value)
    encrypted = {"server-side-encryption": "aws:kms"}
    plain, *tags = [
        client.send("PUT", "/cat.jpg", body=b"meow", headers=headers).headers["ETag"]
        for headers in ({}, encrypted, encrypted)
    ]
    assert len({plain, *tags}) == (3 if value else 1)


@pytest.mark.parametrize("value", [frozenset({StorageClass.STANDARD}), frozenset(StorageClass)])
def test_storage_classes(client_with, value):
    client = client_with(storage_classes=value)
    for case in each(*StorageClass):
        with case as storage_class:
            status = client.send("PUT", "/cat.jpg", headers={"storage-class": storage_class}).status
            assert status == (200 if storage_class in value else 400)
            if storage_class in value:
                assert client.store["photos"].put("dog.jpg", storage_class=storage_class).storage_class is storage_class
            else:
                with pytest.raises(ValueError, match="unknown storage class"):
                    client.store["photos"].put("dog.jpg", storage_class=storage_class)


@BOTH
def test_delete_always_names_marker(client_with, value):
    client = client_with(delete_always_names_marker=value)
    assert client.send("DELETE", "/cat.jpg").headers.get("x-svc-delete-marker") == ("false" if value else None)


@BOTH
def test_delete_sends_length(client_with, value):
    client = client_with(delete_sends_length=value)
    assert client.send("DELETE", "/cat.jpg").headers.get("content-length") == ("0" if value else None)


@pytest.mark.parametrize("states", [{"never"}, {"suspended"}, {"never", "suspended"}, set()])
def test_copy_names_null_version_in(client_with, states):
    client = client_with(copy_names_null_version_in=frozenset(map(Versioning, states)))
    client.store["photos"].put("cat.jpg")
    for state in ("never", "suspended"):
        if state == "suspended":
            client.store["photos"].versioning = state
        copied = client.send("PUT", "/copy", headers=COPY)
        assert copied.headers.get("x-svc-version-id") == ("null" if state in states else None)


@BOTH
def test_copy_names_null_source(client_with, value):
    client = client_with(copy_names_null_source=value)
    client.store["photos"].put("cat.jpg")
    copied = client.send("PUT", "/copy", headers=COPY)
    assert copied.headers.get("x-svc-copy-source-version-id") == ("null" if value else None)


@pytest.mark.decision("requested-version")
@BOTH
def test_names_requested_version(client_with, value):
    client = client_with(names_requested_version=value)
    client.store["photos"].put("cat.jpg")
    for case in each(("GET", ""), ("HEAD", ""), ("GET", "&acl"), ("GET", "&tagging"), ("DELETE", "&tagging")):
        with case as (method, query):
            named = client.send(method, f"/cat.jpg?versionId=null{query}")
            assert named.headers.get("x-svc-version-id") == ("null" if value else None)
            unnamed = client.send(method, f"/cat.jpg?{query.removeprefix('&')}")
            is_named = value and query == "&acl"
            assert unnamed.headers.get("x-svc-version-id") == ("null" if is_named else None)


@pytest.mark.decision("requested-version")
@BOTH
def test_names_requested_version_of_a_refused_request(client_with, value):
    client = client_with(names_requested_version=value)
    client.store["photos"].put("cat.jpg", b"meow")
    failing = {"If-Match": '"another"'}
    for case in each(
        ("GET", "", failing, 412),
        ("HEAD", "", failing, 412),
        ("GET", "", {"Range": "bytes=4-"}, 416),
        ("GET", "&partNumber=2", {}, 416),
    ):
        with case as (method, query, headers, status):
            named = client.send(method, f"/cat.jpg?versionId=null{query}", headers=headers)
            assert (named.status, named.headers.get("x-svc-version-id")) == (status, "null" if value else None)
            unnamed = client.send(method, f"/cat.jpg?{query.removeprefix('&')}", headers=headers)
            assert (unnamed.status, "x-svc-version-id" in unnamed.headers) == (status, False)


@BOTH
def test_copy_dates_have_zone(client_with, value):
    client = client_with(copy_dates_have_zone=value)
    client.store["photos"].put("cat.jpg")
    body = client.send("PUT", "/copy", headers=COPY).body
    assert b"<CopyObjectResult>" in body
    assert (b".000Z</LastModified>" in body) is value


@BOTH
def test_expires_is_number(client_with, value):
    client = client_with(expires_is_number=value)
    text = "Tue, 01 Jan 2030 00:00:00 GMT"
    assert client.send("PUT", "/cat.jpg", headers={"Expires": text}).status == (400 if value else 200)
    if not value:
        assert client.send("GET", "/cat.jpg").headers["Expires"] == client.store["photos"]["cat.jpg"].expires == text
        assert client.store["photos"].put("cat.jpg", headers={"Expires": text}).expires == text
    else:
        with pytest.raises(ValueError, match="invalid expires"):
            client.store["photos"].put("cat.jpg", headers={"Expires": text})
    client.send("PUT", "/cat.jpg", headers={"Expires": "1000"})
    assert client.store["photos"]["cat.jpg"].expires == 1000


@BOTH
def test_metadata_is_decoded(client_with, value):
    client = client_with(metadata_is_decoded=value)
    sent = "=?UTF-8?B?Y2Fmw6k=?="
    client.send("PUT", "/cat.jpg", headers={"meta-place": sent})
    assert client.store["photos"]["cat.jpg"].metadata["place"] == ("café" if value else sent)
    assert client.send("GET", "/cat.jpg").headers["x-svc-meta-place"] == ("=?UTF-8?Q?caf=C3=A9?=" if value else sent)


@BOTH
def test_has_regions(client_with, value):
    client = client_with(has_regions=value)
    if value:
        assert client.send("PUT", bucket="west", body=LOCATION).status == 200
        assert b"us-west-2</LocationConstraint>" in client.send("GET", bucket="west", location=None).body
        assert client.send("HEAD", bucket="west").headers["x-svc-bucket-region"] == "us-west-2"
        assert client.send("PUT", bucket="west").status == 409
    else:
        assert client.send("PUT", bucket="west", body=LOCATION.replace(b"us-west-2", b"west")).status == 400
        assert "x-svc-bucket-region" not in client.send("HEAD").headers


@pytest.mark.decision("bucket-arns")
@BOTH
def test_shows_bucket_arns(client_with, value):
    client = client_with(shows_bucket_arns=value)
    arn = "arn:aws:s3:::photos"
    assert client.send("HEAD").headers.get("x-svc-bucket-arn") == (arn if value else None)
    assert (arn.encode() in client.send("GET", bucket=None).body) is value


@pytest.mark.parametrize("value", [None, *TransitionMinimum])
def test_default_transition_minimum_size(client_with, value):
    client = client_with(default_transition_minimum_size=value, storage_classes=frozenset(StorageClass))
    header = "transition-default-minimum-object-size"
    moves = lifecycle(rule("<Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>"))
    with freeze_time("2030-01-01") as clock:
        assert client.header(client.send("PUT", lifecycle=None, body=moves), header) == value
        client.store["photos"].put("small")
        clock.move_to("2030-01-04")
        is_moved = value is TransitionMinimum.VARIES
        assert client.store["photos"]["small"].storage_class == ("GLACIER" if is_moved else "STANDARD")
    sent = {header: "varies_by_storage_class"}
    client.send("PUT", lifecycle=None, body=moves, headers=sent)
    assert client.header(client.send("GET", lifecycle=None), header) == "varies_by_storage_class"


@BOTH
def test_accepts_unknown_principals(client_with, value):
    client = client_with(accepts_unknown_principals=value)
    policy = (
        b'{"Statement": {"Effect": "Allow", "Principal": {"AWS": "%s"}, "Action": "s3:GetObject",'
        b' "Resource": "arn:aws:s3:::photos/*"}}'
    )
    accepted = 204 if value else 400
    for case in each(
        b"arn:aws:iam::000000000001:role/admin",
        b"000000000001",
        b"arn:aws:sts::000000000001:assumed-role/admin/session@example.com",
        b"arn:aws:sts::000000000001:federated-user/ada",
        b"arn:aws:iam::cloudfront:user/CloudFront Origin Access Identity E2QWRUHAPOMQZL",
    ):
        with case as principal:
            assert client.send("PUT", policy=None, body=policy % principal).status == accepted
            client.store["photos"].deny(client.store.default_account, "s3:DeleteObject")
            rendered = client.send("GET", policy=None).body
            assert (b'{"AWS": "%s"}' % principal in rendered) is value
            assert client.send("PUT", policy=None, body=rendered).status == 204
    assert client.send("PUT", policy=None, body=policy % b"ada").status == 400
    known = client.store.default_account.number.encode()
    assert client.send("PUT", policy=None, body=policy % known).status == 204


@BOTH
def test_shows_display_names(client_with, value):
    client = client_with(shows_display_names=value)
    client.send("PUT", "/cat.jpg", headers={"acl": "public-read"})
    replies = [
        client.send("GET", bucket=None),
        client.send("GET"),
        client.send("GET", versions=None),
        client.send("GET", acl=None),
        client.send("GET", "/cat.jpg", acl=None),
    ]
    assert {b"<DisplayName>" in reply.body for reply in replies} == {value}


@pytest.mark.parametrize(("value", "status"), [(None, 200), ("BucketOwnerEnforced", 400)])
def test_default_object_ownership(client_with, value, status):
    client = client_with(default_object_ownership=value and ObjectOwnership(value))
    assert client.send("PUT", "/cat.jpg", headers={"acl": "public-read"}).status == status


@pytest.mark.parametrize(("value", "status"), [(None, 200), (PublicAccessBlock(block_public_acls=True), 403)])
def test_default_public_access_block(client_with, value, status):
    client = client_with(default_public_access_block=value)
    assert client.send("PUT", "/cat.jpg", headers={"acl": "public-read"}).status == status


@pytest.mark.decision("largest-upload")
@pytest.mark.parametrize("value", [None, 5 * 1024**3])
def test_largest_upload(client_with, value):
    store = client_with(largest_upload=value).store
    reply = send(store, "PUT", "photos", "/film", body=SparseContent(5 * 1024**3 + 1))
    assert reply.status == (200 if value is None else 400)
    if value is not None:
        assert elements(reply)["Code"] == "EntityTooLarge"
        assert elements(reply)["MaxSizeAllowed"] == str(value)
        assert send(store, "PUT", "photos", "/film", body=SparseContent(value)).status == 200


@pytest.mark.decision("unknown-query-parameters")
@BOTH
def test_ignores_unknown_parameters(client_with, value):
    client = client_with(ignores_unknown_parameters=value)
    client.store["photos"].put("cat.jpg", b"meow")
    with nullcontext() if value else pytest.raises(UnsupportedRequest, match="'v'"):
        assert client.send("GET", "/cat.jpg?v=123&_=4").body == b"meow"
        assert client.store.exchanges[-1].ignored == ("v", "_")
        assert "ignored v, _" in str(client.store.exchanges[-1])
    client.store.unhandled_requests.clear()


@pytest.mark.decision("requests-without-an-operation")
@BOTH
def test_refuses_requests_without_an_operation(client_with, value):
    client = client_with(refuses_requests_without_an_operation=value)
    with nullcontext() if value else pytest.raises(UnsupportedRequest, match="HEAD"):
        assert client.send("HEAD", "/cat.jpg?acl").status == 405
    client.store.unhandled_requests.clear()


@pytest.mark.decision("canned-acls-of-the-service")
@BOTH
def test_has_canned_acls_of_service(client_with, value):
    client = client_with(has_canned_acls_of_service=value)
    for name, on_bucket, on_object in (("aws-exec-read", value, value), ("log-delivery-write", value, False)):
        for target, is_known in (("/?acl", on_bucket), ("/cat.jpg", on_object)):
            assert client.send("PUT", target, headers={"acl": name}).status == (200 if is_known else 400)
        photos = client.store["photos"]
        with nullcontext() if on_bucket else pytest.raises(ValueError, match=f"unknown canned ACL '{name}'"):
            photos.acl = name
        with nullcontext() if on_object else pytest.raises(ValueError, match=f"unknown canned ACL '{name}'"):
            photos.put("cat.jpg", b"meow", acl=name)
    assert client.send("GET", "/?acl").body.count(b"LogDelivery</URI>") == 2 * value


@pytest.mark.decision("expect")
@BOTH
def test_refuses_unknown_expectations(client_with, value):
    reply = client_with(refuses_unknown_expectations=value).send("PUT", "/cat.jpg", headers={"Expect": "meow"})
    assert reply.status == (417 if value else 200)


@pytest.mark.decision("error-body")
@BOTH
def test_errors_name_resource(client_with, value):
    client = client_with(errors_name_resource=value)
    expected = "/photos/missing" if value else None
    assert elements(client.send("GET", "/missing")).get("Resource") == expected
    client.store.fail("PUT Object Copy", faults.EmbeddedError("InternalError"))
    client.store["photos"].put("cat.jpg")
    reply = client.send("PUT", "/copy", headers={"copy-source": "/photos/cat.jpg"})
    assert elements(reply).get("Resource") == ("/photos/copy" if value else None)


@pytest.mark.decision("rule-id-is-encoded")
@pytest.mark.parametrize(("value", "rule_id"), [(True, "%22a%20b%22%2F1%C3%BC"), (False, "%22a b%22/1ü")])
def test_rule_ids_are_encoded(client_with, value, rule_id):
    client = client_with(rule_ids_are_encoded=value)
    client.store["photos"].expire(rule_id='"a b"/1ü', days=1)
    reply = client.send("PUT", "/cat.jpg")
    assert f'rule-id="{rule_id}"' in client.header(reply, "expiration")


@BOTH
def test_customer_keys_need_https(client_with, value):
    store = client_with(customer_keys_need_https=value).store
    store["photos"].put("cat.jpg", b"meow")
    key, md5 = b64encode(b"k" * 32).decode(), md5_base64(b"k" * 32)
    headers = {"algorithm": "AES256", "key": key, "key-md5": md5}
    own, source = (
        {f"x-svc-{prefix}server-side-encryption-customer-{name}": text for name, text in headers.items()}
        for prefix in ("", "copy-source-")
    )
    for case in each(
        ("PUT", "/secret", own, 200),
        ("POST", "/secret?uploads", own, 200),
        ("GET", "/secret", own, 200),
        ("HEAD", "/secret", own, 200),
        ("PUT", "/copy", {**source, "x-svc-copy-source": "/photos/secret"}, 200),
        ("GET", "/cat.jpg", own, 400),
    ):
        with case as (method, target, sent, over_https):
            assert send(store, method, "photos", target, sent, scheme="https").status == over_https
            reply = send(store, method, "photos", target, sent, scheme="http")
            assert reply.status == (400 if value else over_https)
            if value and method != "HEAD":
                assert b"must be made over a secure connection." in reply.body
                assert "customer_keys_need_https" in store.exchanges[-1].explanation


@pytest.mark.parametrize("value", BlockedEncryption)
def test_default_blocked_encryption(client_with, value):
    client = client_with(default_blocked_encryption=value)
    assert client.store["photos"].blocked_encryption is value
    status = 200 if value is BlockedEncryption.NONE else 403
    assert client.send("PUT", "/secret", customer_key("a")).status == status
    assert "blocked encryption" not in client.store.describe()
    client.store["photos"].blocked_encryption = "NONE" if status == 403 else "SSE-C"
    assert "blocked encryption" in client.store.describe()


@BOTH
def test_compares_unverified_dates(client_with, value):
    client = client_with(compares_unverified_dates=value)
    client.store["photos"].put("cat.jpg")
    with freeze_time("2010-01-01") as clock:
        dated = {"Date": "Fri, 01 Jan 2010 00:00:00 GMT"}
        clock.tick(3600)
        assert client.send("GET", "/cat.jpg", headers=dated).status == (403 if value else 200)


@BOTH
def test_new_regions_need_version_4(value):
    dialect = replace(S3, semantics=replace(S3.semantics, new_regions_need_version_4=value))
    for location, needs in (("eu-central-1", value), ("us-west-2", False), ("EU", False), (None, False)):
        store = FakeStore(dialect=dialect, buckets=["other"])
        configuration = LOCATION.replace(b"us-west-2", (location or "").encode()) if location else b""
        assert send(store, "PUT", "photos", "/", body=configuration).status == 200
        for case in each(("GET", "/"), ("HEAD", "/"), ("PUT", "/cat.jpg"), ("GET", "/nothing")):
            with case as (method, target):
                status = send(store, method, "photos", target).status
                assert status == (400 if needs else 404 if target == "/nothing" else 200), (location, method, target)
        assert send(store, "GET", "other").status == 200


@BOTH
def test_kms_needs_version_4(value):
    dialect = replace(S3, auth=DOCUMENT.auth, semantics=replace(S3.semantics, kms_needs_version_4=value))
    kms = {"x-amz-server-side-encryption": "aws:kms"}
    with fake_store(dialect=dialect, buckets=["photos"], signatures="verify") as store:
        store["photos"].put("cat.jpg", b"meow", encryption="aws:kms")
        for case in each(("GET", {}), ("HEAD", {}), ("PUT", kms)):
            with case as (method, headers):
                reply = store.session().request(method, store.url("photos", "cat.jpg"), headers=headers)
                assert reply.status_code == (400 if value else 200)


def test_every_field_has_a_test_and_differs_somewhere():
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert {field.name for field in fields(Semantics)} <= tested
    for field in fields(Semantics):
        assert getattr(DOCUMENT.semantics, field.name) != getattr(S3.semantics, field.name), field.name


def test_documents_have_the_content_type_of_the_dialect():
    for dialect, content_type in (("document", "text/xml; charset=utf-8"), ("s3", "application/xml")):
        store = FakeStore(dialect=dialect, buckets=["photos"])
        reply = store.handle(Request.to_url("GET", store.url("photos"), {"Authorization": "X"}))
        assert (reply.status, reply.headers["content-type"]) == (403, content_type)
