"""Server-side encryption: what is stored and returned of it, and which keys a read must have."""

from __future__ import annotations

import base64
import hashlib
from contextlib import nullcontext

import boto3
import pytest
import requests
from botocore.config import Config
from botocore.exceptions import ClientError

from fakestore import S3, UnsupportedRequest, fake_store
from tests.support.cases import each
from tests.support.client import customer_key
from tests.support.documents import complete_document
from tests.support.wire import document, elements, outcome

decision = pytest.mark.decision
SSE = "server-side-encryption"
KMS_KEY = f"{SSE}-aws-kms-key-id"
BUCKET_KEY = f"{SSE}-bucket-key-enabled"
CONTEXT = f"{SSE}-context"
WITH_KMS = {"": "aws:kms", "-aws-kms-key-id": "my-key", "-bucket-key-enabled": "true"}
MD5_OF_BODY = hashlib.md5(b"test data..").hexdigest()


def encryption_of(client, reply) -> dict[str, str]:
    prefix = f"{client.prefix}{SSE}"
    return {name[len(prefix) :]: value for name, value in reply.headers.items() if name.startswith(prefix)}


@pytest.fixture
def accept_customer_keys(client):
    client.store["photos"].blocked_encryption = "NONE"


@decision("default-encryption")
def test_only_the_recorded_service_encrypts_by_default(client):
    expected = {"": "AES256"} if client.store.dialect is S3 else {}
    assert encryption_of(client, client.put()) == expected
    client.store["photos"].put("other")
    assert encryption_of(client, client.send("HEAD", "/other")) == expected


def put_default(client, algorithm: str, more: str = "", bucket_key: str = "false"):
    default = f"<SSEAlgorithm>{algorithm}</SSEAlgorithm>{more}"
    body = (
        "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
        f"{default}</ApplyServerSideEncryptionByDefault><BucketKeyEnabled>{bucket_key}</BucketKeyEnabled>"
        "</Rule></ServerSideEncryptionConfiguration>"
    )
    return client.send("PUT", "/?encryption", body=body.encode())


def put_kms_default(client):
    assert put_default(client, "aws:kms", "<KMSMasterKeyID>my-key</KMSMasterKeyID>", "true").status == 200


@decision("encryption-header-of-a-read")
def test_encryption_header_is_refused_where_nothing_is_stored(client):
    client.put()
    upload_id = elements(client.send("POST", "/film?uploads"))["UploadId"]
    for case in each(
        ("GET", "/k"),
        ("HEAD", "/k"),
        ("GET", "/"),
        ("GET", "/?versions"),
        ("GET", "/?encryption"),
        ("GET", f"/film?uploadId={upload_id}"),
        ("PUT", f"/film?uploadId={upload_id}&partNumber=1"),
        ("PUT", f"/film?uploadId={upload_id}&partNumber=1", {"copy-source": "/photos/k"}),
    ):
        with case as (method, target, *more):
            body = b"meow" if method == "PUT" and not more else b""
            reply = client.send(method, target, {SSE: "AES256"} | dict(*more), body)
            assert (reply.status, client.store.exchanges[-1].error_code) == (400, "InvalidArgument")
            if method != "HEAD":
                header = f"{client.prefix}{SSE}"
                found = elements(reply)
                assert found["Message"] == f"{header} header is not supported for this operation."
                assert (found["ArgumentName"], found["ArgumentValue"]) == (header, "AES256")
    with pytest.raises(UnsupportedRequest, match=SSE):
        client.send("DELETE", "/k", {SSE: "AES256"})


@decision("default-encryption-of-a-bucket")
def test_default_of_a_bucket_encrypts_everything_that_is_written_after_it(client):
    before = encryption_of(client, client.put("/before"))
    upload_id = elements(client.send("POST", "/begun-before?uploads"))["UploadId"]
    put_kms_default(client)

    assert encryption_of(client, client.put("/put")) == WITH_KMS
    assert encryption_of(client, client.send("PUT", "/copy", {"copy-source": "/photos/before"})) == WITH_KMS
    client.store["photos"].put("python")
    assert encryption_of(client, client.send("HEAD", "/python")) == WITH_KMS
    assert encryption_of(client, client.send("POST", "/upload?uploads")) == WITH_KMS

    etag = client.send("PUT", f"/begun-before?partNumber=1&uploadId={upload_id}", body=b"part").headers["ETag"]
    body = complete_document([(1, etag)])
    assert client.send("POST", f"/begun-before?uploadId={upload_id}", body=body).status == 200
    for key in ("/before", "/begun-before"):
        assert encryption_of(client, client.send("HEAD", key)) == before
    assert client.send("DELETE", "/?encryption").status == 204
    assert encryption_of(client, client.put("/after")) == before


@decision("default-encryption-of-a-bucket")
def test_method_of_the_request_wins_over_the_default_of_the_bucket(client):
    put_kms_default(client)
    assert encryption_of(client, client.send("PUT", "/k", {SSE: "AES256"})) == {"": "AES256"}
    assert "" not in encryption_of(client, client.send("PUT", "/k", customer_key("a")))
    own_key = {SSE: "aws:kms", KMS_KEY: "other"}
    expected = {"": "aws:kms", "-aws-kms-key-id": "other"}
    assert encryption_of(client, client.send("PUT", "/k", own_key)) == expected | {"-bucket-key-enabled": "true"}
    assert encryption_of(client, client.send("PUT", "/k", own_key | {BUCKET_KEY: "false"})) == expected
    of_service = encryption_of(client, client.send("PUT", "/k", {SSE: "aws:kms"}))
    assert of_service.get("-aws-kms-key-id") == client.store.dialect.semantics.default_kms_key


@decision("default-encryption-of-a-bucket")
def test_bucket_has_the_default_of_the_service_until_one_is_set(client):
    expected = (200, None) if client.store.dialect is S3 else (404, "ServerSideEncryptionConfigurationNotFoundError")
    for _ in range(2):
        reply = client.send("GET", "/?encryption")
        assert (reply.status, None if reply.status == 200 else outcome(reply)[1]) == expected
        put_kms_default(client)
        assert b"<KMSMasterKeyID>my-key<" in bytes(client.send("GET", "/?encryption").body)
        client.send("DELETE", "/?encryption")


@decision("default-encryption-of-a-bucket")
@pytest.mark.parametrize("key_id", ["", "a&#13;&#10;x-other: b", "\u20ac"])
def test_default_key_that_no_header_can_carry_is_refused(client, key_id):
    reply = put_default(client, "aws:kms", f"<KMSMasterKeyID>{key_id}</KMSMasterKeyID>")
    assert outcome(reply) == (400, "MalformedXML")


def test_two_layers_of_kms_and_a_bucket_key_alone_are_not_supported(client):
    with pytest.raises(UnsupportedRequest, match="aws:kms:dsse"):
        put_default(client, "aws:kms:dsse")
    for headers, name in (({SSE: "aws:kms:dsse"}, "aws:kms:dsse"), ({BUCKET_KEY: "true"}, BUCKET_KEY)):
        with pytest.raises(UnsupportedRequest, match=name):
            client.send("PUT", "/k", headers)


def test_bucket_key_without_kms_has_no_effect(client):
    assert encryption_of(client, client.send("PUT", "/k", {SSE: "AES256", BUCKET_KEY: "true"})) == {"": "AES256"}
    assert encryption_of(client, client.send("GET", "/k")) == {"": "AES256"}


@decision("kms-keys")
def test_kms_key_is_remembered_and_not_carried_by_a_copy(client):
    headers = {SSE: "aws:kms", KMS_KEY: "my-key", BUCKET_KEY: "true"}
    expected = {"": "aws:kms", "-aws-kms-key-id": "my-key", "-bucket-key-enabled": "true"}
    assert encryption_of(client, client.send("PUT", "/k", headers, b"test data..")) == expected
    assert encryption_of(client, client.send("GET", "/k")) == expected
    assert client.store["photos"]["k"].encryption == "aws:kms"

    own = {"copy-source": "/photos/k"}
    assert client.send("PUT", "/k", own).status == 200  # it changes the encryption
    assert encryption_of(client, client.send("GET", "/k")) == ({"": "AES256"} if client.store.dialect is S3 else {})


@decision("encryption-context")
def test_encryption_context_is_confirmed_by_writes_and_not_by_reads(client):
    context = base64.b64encode(b'{"Key1": "Value1"}').decode()
    headers, source = {SSE: "aws:kms", CONTEXT: context}, {"copy-source": "/photos/k"}
    for case in each(("PUT", "/k", {}), ("PUT", "/copy", source), ("POST", "/k?uploads", {})):
        with case as (method, target, more):
            assert encryption_of(client, client.send(method, target, headers | more))["-context"] == context
    assert client.store["photos"]["copy"].server_side_encryption.context == context
    own = {**source, SSE: "aws:kms"}
    for case in each(client.send("GET", "/k"), client.send("HEAD", "/copy"), client.send("PUT", "/copy", own)):
        with case as reply:
            assert "-context" not in encryption_of(client, reply)


@decision("encryption-context")
@pytest.mark.parametrize("context", ["not base64", "W10=", "eyJhIjogMX0=", "ew==", "/w=="])
def test_encryption_context_must_be_an_object_of_texts(client, context):
    with pytest.raises(UnsupportedRequest, match=CONTEXT):
        client.send("PUT", "/k", {SSE: "aws:kms", CONTEXT: context})
    with pytest.raises(UnsupportedRequest, match=r"send .*aws:kms"):
        client.send("PUT", "/k", {CONTEXT: "e30="})


@decision("kms-keys")
def test_kms_without_a_key_uses_the_key_of_the_service(client):
    shown = encryption_of(client, client.send("PUT", "/k", {SSE: "aws:kms"}))
    assert shown.pop("") == "aws:kms"
    if client.store.dialect is S3:
        assert shown.pop("-aws-kms-key-id").startswith("arn:aws:kms:")
    assert shown == {}


@decision("kms-keys")
def test_only_keys_that_a_test_has_set_encrypt_once_it_has_set_one(client):
    with_key = {SSE: "aws:kms", KMS_KEY: "my-key"}
    before = client.store.snapshot()
    client.store.set_kms_key("other-key")
    put_kms_default(client)
    copy = {"copy-source": "/photos/source"}
    client.put("/source", server_side_encryption="AES256")
    for case in each(
        ("PUT", "/k", with_key),
        ("PUT", "/k", {}),  # with the key of the bucket
        ("PUT", "/k", copy | with_key),
        ("POST", "/k?uploads", with_key),
    ):
        with case as (method, target, headers):
            assert outcome(client.send(method, target, headers)) == (400, "KMS.NotFoundException")
    assert list(client.store["photos"]) == ["source"]
    for headers in ({SSE: "aws:kms"}, with_key | {KMS_KEY: "other-key"}):
        assert client.send("PUT", "/k", headers).status == 200
    client.store.restore(before)
    assert client.send("PUT", "/k", with_key).status == 200


@decision("kms-keys")
def test_unknown_key_is_looked_for_in_the_account_of_the_requester(client):
    client.store.set_kms_key("other-key")
    ann, key_id = client.store.create_account("ann"), "1234abcd-12ab-34cd-56ef-1234567890ab"
    client.store["photos"].allow(ann, "s3:PutObject")
    reply = client.send("PUT", "/k", {SSE: "aws:kms", KMS_KEY: key_id}, account=ann)
    assert f":{ann.number}:key/{key_id}" in elements(reply)["Message"]


@decision("kms-keys")
@pytest.mark.parametrize(
    ("state", "code"), [("disabled", "KMS.DisabledException"), ("pending deletion", "KMS.KMSInvalidStateException")]
)
def test_key_that_is_not_enabled_neither_encrypts_nor_decrypts(client, state, code):
    with_key = {SSE: "aws:kms", KMS_KEY: "my-key"}
    client.store.set_kms_key("my-key")
    assert client.send("PUT", "/k", with_key, b"meow").status == 200
    upload_id = elements(client.send("POST", "/u?uploads", with_key))["UploadId"]
    client.store.set_kms_key("my-key", state)
    for case in each(
        ("PUT", "/k", with_key),
        ("GET", "/k", {}),
        ("PUT", "/copy", {"copy-source": "/photos/k"}),
        ("PUT", f"/u?partNumber=1&uploadId={upload_id}", {}),
    ):
        with case as (method, target, headers):
            assert outcome(client.send(method, target, headers)) == (400, code)
    assert client.send("HEAD", "/k").status == 200
    client.store.set_kms_key("my-key", "enabled")
    assert client.send("GET", "/k").body == b"meow"


@decision("kms-keys")
def test_archived_object_is_refused_before_its_key_is(s3):
    headers = {SSE: "aws:kms", KMS_KEY: "my-key", "storage-class": "GLACIER"}
    s3.store.set_kms_key("my-key")
    assert s3.send("PUT", "/k", headers).status == 200
    s3.store.set_kms_key("my-key", "disabled")
    for method, target, more in (("GET", "/k", {}), ("PUT", "/copy", {"copy-source": "/photos/k"})):
        assert outcome(s3.send(method, target, more)) == (403, "InvalidObjectState")


def test_state_of_a_key_must_be_known(client):
    with pytest.raises(ValueError, match="'pending deletion'"):
        client.store.set_kms_key("my-key", "lost")


def test_key_of_kms_needs_kms(client):
    for headers in ({KMS_KEY: "my-key"}, {KMS_KEY: "my-key", SSE: "AES256"}):
        assert outcome(client.send("PUT", "/k", headers)) == (400, "InvalidArgument")


@decision("entity-tag-of-encrypted")
@pytest.mark.usefixtures("accept_customer_keys")
def test_entity_tag_of_encrypted_content_is_not_its_md5_in_s3(client):
    for headers in ({SSE: "aws:kms"}, customer_key("a")):
        tags = {client.send("PUT", "/k", headers, b"test data..").headers["ETag"] for _ in range(2)}
        if client.store.dialect is S3:
            assert len(tags) == 2
            assert f'"{MD5_OF_BODY}"' not in tags
        else:
            assert tags == {f'"{MD5_OF_BODY}"'}
        source_key = customer_key("a", "copy-source-") if SSE not in headers else {}
        assert client.send("PUT", "/copy", {"copy-source": "/photos/k"} | source_key).status == 200
        assert client.store["photos"]["copy"].etag.unquoted == MD5_OF_BODY


@decision("customer-keys")
@pytest.mark.usefixtures("accept_customer_keys")
def test_object_with_a_customer_key_is_read_only_with_that_key(client):
    reply = client.send("PUT", "/k", customer_key("a"), b"test data..")
    md5 = customer_key("a")[f"{SSE}-customer-key-md5"]
    expected = {"-customer-algorithm": "AES256", "-customer-key-md5": md5}
    assert encryption_of(client, reply) == expected
    assert client.store["photos"]["k"].encryption is None

    for method in ("GET", "HEAD"):
        reply = client.send(method, "/k", customer_key("a"))
        assert (reply.status, encryption_of(client, reply)) == (200, expected)
        assert client.send(method, "/k").status == 400
        assert client.send(method, "/k", customer_key("b")).status == 403
        assert client.send(method, "/k", customer_key("a", algorithm="KMS")).status == 400
    for key, status in ((customer_key("a"), 200), ({}, 400), (customer_key("b"), 403)):
        assert client.send("GET", "/k", key | {"object-attributes": "ETag"}, attributes=None).status == status
    assert outcome(client.send("GET", "/k")) == (400, "InvalidRequest")
    assert outcome(client.send("GET", "/k", customer_key("a", key_md5=None))) == (403, "AccessDenied")
    assert outcome(client.send("GET", "/k", customer_key("b", key_md5=md5))) == (403, "AccessDenied")
    assert customer_key("b")[f"{SSE}-customer-key-md5"] in client.store.exchanges[-1].explanation
    reply = client.send("GET", "/k", customer_key("a", algorithm="KMS"))
    assert outcome(reply) == (400, "InvalidEncryptionAlgorithmError")
    assert elements(reply)["ArgumentValue"] == "KMS"
    with pytest.raises(UnsupportedRequest, match=r"without its algorithm .* send the algorithm AES256"):
        client.send("GET", "/k", customer_key("a", algorithm=None))
    client.store.unhandled_requests.clear()


@decision("customer-keys")
def test_key_for_an_object_without_one_is_refused(client):
    client.put()
    assert outcome(client.send("GET", "/k", customer_key("a"))) == (400, "InvalidRequest")


def test_incomplete_customer_key_is_refused(client):
    for changes, code, message in [
        ({"algorithm": "KMS"}, "InvalidEncryptionAlgorithmError", "Supported value: AES256"),
        ({"algorithm": None}, "InvalidArgument", "must provide a valid encryption algorithm."),
        ({"key": None}, "InvalidArgument", "must provide an appropriate secret key."),
        ({"key": "c2hvcnQ="}, "InvalidArgument", "The secret key was invalid for the specified algorithm."),
        ({"key_md5": "AAAA"}, "InvalidArgument", "did not match the hash that was provided."),
        ({"key_md5": None}, "InvalidArgument", "must provide the client calculated MD5"),
    ]:
        reply = client.send("PUT", "/k", customer_key("a", **changes))
        assert (changes, *outcome(reply)) == (changes, 400, code)
        assert message in elements(reply)["Message"]
        assert list(client.store["photos"]) == []


@decision("default-encryption-of-a-bucket")
def test_bucket_key_is_switched_by_true_or_false(client):
    for method in ("AES256", "aws:kms"):
        with pytest.raises(UnsupportedRequest, match="bucket-key-enabled is 'yes'; expected true or false"):
            client.send("PUT", "/k", {SSE: method, BUCKET_KEY: "yes"})
    client.store.unhandled_requests.clear()
    for text in ("true", "True"):
        reply = client.send("PUT", "/k", {SSE: "aws:kms", BUCKET_KEY: text})
        assert client.header(reply, BUCKET_KEY) == "true"


def test_customer_key_beside_another_encryption_is_refused(client):
    reply = client.send("PUT", "/k", customer_key("a") | {SSE: "AES256"})
    assert outcome(reply) == (400, "InvalidArgument")
    assert elements(reply)["ArgumentValue"] == "AES256"


@decision("customer-keys")
@pytest.mark.usefixtures("accept_customer_keys")
def test_copy_needs_the_key_of_the_source_and_may_have_its_own(client):
    client.send("PUT", "/k", customer_key("a"), b"test data..")
    source = {"copy-source": "/photos/k"}
    assert outcome(client.send("PUT", "/copy", source)) == (400, "InvalidRequest")
    wrong = customer_key("b", "copy-source-")
    assert outcome(client.send("PUT", "/copy", source | wrong)) == (403, "AccessDenied")

    source |= customer_key("a", "copy-source-")
    assert client.send("PUT", "/copy", source).status == 200
    assert client.send("GET", "/copy").body == b"test data.."
    assert client.send("PUT", "/copy", source | customer_key("b")).status == 200
    assert client.send("GET", "/copy", customer_key("b")).body == b"test data.."
    assert client.send("PUT", "/k", source).status == 200  # onto itself, without its key


@pytest.mark.usefixtures("accept_customer_keys")
def test_each_version_keeps_its_own_customer_key(client):
    client.store["photos"].versioning = "enabled"
    first = client.header(client.send("PUT", "/k", customer_key("a")), "version-id")
    client.send("PUT", "/k", customer_key("b"))
    assert client.send("GET", f"/k?versionId={first}", customer_key("b")).status == 403
    assert client.send("GET", f"/k?versionId={first}", customer_key("a")).status == 200


# Buckets that refuse customer keys


def block(what: str, more: str = "") -> bytes:
    blocked = f"<BlockedEncryptionTypes><EncryptionType>{what}</EncryptionType></BlockedEncryptionTypes>"
    rule = f"<Rule>{more}{blocked}</Rule>"
    return f"<ServerSideEncryptionConfiguration>{rule}</ServerSideEncryptionConfiguration>".encode()


@decision("blocked-encryption")
def test_new_bucket_of_s3_refuses_customer_keys_until_its_configuration_says_none(s3):
    s3.put("/source")
    key, target = customer_key("a"), ("PUT", "/k")
    writes = [(*target, key), (*target, key | {"copy-source": "/photos/source"}), ("POST", "/k?uploads", key)]
    for status, configuration in [(403, None), (200, block("NONE")), (403, block("SSE-C")), (200, block("NONE"))]:
        if configuration is not None:
            assert s3.send("PUT", "/?encryption", body=configuration).status == 200
            assert block_of(s3) == ("NONE" if status == 200 else "SSE-C")
        replies = [s3.send(*request) for request in writes]
        assert [reply.status for reply in replies] == [status] * 3
        if status == 403:
            assert outcome(replies[0]) == (403, "AccessDenied")
            assert "store['photos'].blocked_encryption = 'NONE'" in s3.store.exchanges[-1].explanation
    upload_id = elements(replies[-1])["UploadId"]
    assert s3.send("DELETE", "/?encryption").status == 204
    assert block_of(s3) == "SSE-C"
    for part in ({}, {"copy-source": "/photos/source"}):
        reply = s3.send("PUT", f"/k?partNumber=1&uploadId={upload_id}", key | part)
        assert outcome(reply) == (403, "AccessDenied")
    assert s3.send("GET", "/k", key).status == 200
    source = customer_key("a", "copy-source-")
    assert s3.send("PUT", "/copy", source | {"copy-source": "/photos/k"}).status == 200


def block_of(client) -> str | None:
    return document(client.send("GET", "/?encryption")).findtext(".//{*}BlockedEncryptionTypes/{*}EncryptionType")


@decision("blocked-encryption")
def test_configuration_that_names_no_blocked_encryption_is_that_of_a_new_bucket(client):
    is_s3 = client.store.dialect is S3
    bucket = client.store["photos"]
    bucket.blocked_encryption = "NONE" if is_s3 else "SSE-C"
    put_kms_default(client)
    assert bucket.blocked_encryption == ("SSE-C" if is_s3 else "NONE")
    assert block_of(client) == ("SSE-C" if is_s3 else None)
    assert client.send("PUT", "/k", customer_key("a")).status == (403 if is_s3 else 200)


@decision("blocked-encryption")
def test_blocked_encryption_can_be_put_without_a_default(client):
    assert client.send("PUT", "/?encryption", body=block("NONE")).status == 200
    algorithm = document(client.send("GET", "/?encryption")).findtext(".//{*}SSEAlgorithm")
    assert (algorithm, block_of(client)) == ("AES256" if client.store.dialect is S3 else None, "NONE")
    for wrong in (block("AES256"), block("NONE").replace(b"<EncryptionType>NONE</EncryptionType>", b"")):
        assert outcome(client.send("PUT", "/?encryption", body=wrong)) == (400, "MalformedXML")
    empty = b"<ServerSideEncryptionConfiguration><Rule></Rule></ServerSideEncryptionConfiguration>"
    assert outcome(client.send("PUT", "/?encryption", body=empty)) == (400, "MalformedXML")
    with pytest.raises(UnsupportedRequest, match="BucketKeyEnabled"):
        client.send("PUT", "/?encryption", body=block("NONE", "<BucketKeyEnabled>true</BucketKeyEnabled>"))
    client.store.unhandled_requests.clear()
    with pytest.raises(ValueError, match="'SSE-C'"):
        client.store["photos"].blocked_encryption = "AES256"


@pytest.mark.decision("kms-keys")
def test_object_with_kms_encryption_needs_version_4():
    with fake_store(dialect="s3", buckets=["photos"]):
        s3, version_4 = boto3.client("s3"), boto3.client("s3", config=Config(signature_version="s3v4"))
        for key, options in (("kms", {"ServerSideEncryption": "aws:kms"}), ("plain", {})):
            s3.put_object(Bucket="photos", Key=key, Body=b"meow", **options)
            for signer, status in ((s3, 400 if options else 200), (version_4, 200)):
                url = signer.generate_presigned_url("get_object", {"Bucket": "photos", "Key": key})
                reply = requests.get(url)
                assert reply.status_code == status, (key, url)
                assert ("require AWS Signature Version 4" in reply.text) == (status == 400)
                url = signer.generate_presigned_url("head_object", {"Bucket": "photos", "Key": key})
                assert requests.head(url).status_code == status, (key, url)
        fields = {"x-amz-server-side-encryption": "aws:kms"}
        for signer, status in ((s3, 400), (version_4, 204)):
            form = signer.generate_presigned_post("photos", "form", fields, [fields])
            files = {"file": b"meow"}
            assert requests.post(form["url"], data=form["fields"], files=files).status_code == status


class EverySignature:
    def signature(self, request, address, secret_key):
        return request.headers["authorization"].rpartition(":")[2]


@decision("kms-keys")
def test_kms_refuses_a_verified_header_of_version_2():
    kms = {"ServerSideEncryption": "aws:kms"}
    for signatures in ("verify", "accept", EverySignature()):
        with fake_store(dialect="s3", buckets=["photos"], signatures=signatures):
            boto3.client("s3").put_object(Bucket="photos", Key="cat.jpg", **kms)
            version_2 = boto3.client("s3", config=Config(signature_version="s3"))
            for name, options in (("get_object", {}), ("head_object", {}), ("put_object", kms)):
                refused = pytest.raises(ClientError, match=r"400|Signature Version 4")
                with refused if signatures == "verify" else nullcontext():
                    getattr(version_2, name)(Bucket="photos", Key="cat.jpg", **options)
