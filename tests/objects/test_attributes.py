"""GET Object attributes, website redirects and storage classes."""

from __future__ import annotations

import pytest
from freezegun import freeze_time
from lxml import etree

from fakestore import S3, UnsupportedRequest
from tests.support.cases import each
from tests.support.documents import complete_document
from tests.support.wire import elements, outcome

decision = pytest.mark.decision
RESTORE = (
    b"<RestoreRequest><Days>%d</Days><GlacierJobParameters><Tier>%s</Tier></GlacierJobParameters></RestoreRequest>"
)
CLASSES = ["STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"]


# -- attributes


def attributes(client, names, target="/k?attributes", **options):
    return client.send("GET", target, {"object-attributes": names}, **options)


def test_attributes_come_in_a_fixed_order(client):
    client.put(checksum_crc32="cZWHwQ==")
    root = etree.fromstring(attributes(client, "ObjectSize, StorageClass ,Checksum,ObjectParts,ETag").body)
    assert etree.QName(root).localname == "GetObjectAttributesResponse"
    assert [(etree.QName(each).localname, each.text) for each in root] == [
        ("ETag", "e6d9226c2a86b7232933663c13467527"),
        ("Checksum", None),
        ("StorageClass", "STANDARD"),
        ("ObjectSize", "11"),
    ]
    assert [(etree.QName(each).localname, each.text) for each in root[1]] == [
        ("ChecksumCRC32", "cZWHwQ=="),
        ("ChecksumType", "FULL_OBJECT"),
    ]


def test_only_requested_attributes_of_a_version_are_returned(client):
    bucket = client.store["photos"]
    bucket.versioning = "enabled"
    first = bucket.put("k", b"1")
    bucket.put("k", b"22")
    reply = attributes(client, "ObjectSize", f"/k?attributes&versionId={first.version_id}")
    assert elements(reply) == {"ObjectSize": "1"}
    assert client.header(reply, "version-id") == first.version_id
    marker = bucket.delete("k")
    assert outcome(attributes(client, "ETag")) == (404, "NoSuchKey")
    assert outcome(attributes(client, "ETag", f"/k?attributes&versionId={marker.version_id}"))[0] == 405


def test_unknown_or_no_attributes_are_refused(client):
    client.put()
    assert outcome(client.send("GET", "/k?attributes")) == (400, "InvalidRequest")
    assert outcome(attributes(client, " , ")) == (400, "InvalidRequest")
    assert outcome(attributes(client, "ETag,Color")) == (400, "InvalidArgument")


def test_attributes_need_both_permissions(client):
    bob, bucket = client.store.create_account("bob"), client.store["photos"]
    bucket.put("k")
    bucket.allow(bob, "s3:GetObjectAttributes")
    assert outcome(attributes(client, "ETag", account=bob)) == (403, "AccessDenied")
    bucket.allow(bob, "s3:GetObject")
    assert attributes(client, "ETag", account=bob).status == 200


# -- redirects


def test_redirect_is_returned_and_not_copied(client):
    client.put(website_redirect_location="/elsewhere")
    assert client.header(client.send("GET", "/k"), "website-redirect-location") == "/elsewhere"
    assert client.send("PUT", "/copy", {"copy-source": "/photos/k"}).status == 200
    assert client.header(client.send("HEAD", "/copy"), "website-redirect-location") is None
    redirect = {"website-redirect-location": "/uploaded"}
    upload_id = elements(client.send("POST", "/upload?uploads", redirect))["UploadId"]
    etag = client.send("PUT", f"/upload?partNumber=1&uploadId={upload_id}", body=b"part").headers["ETag"]
    body = complete_document([(1, etag)])
    assert client.send("POST", f"/upload?uploadId={upload_id}", body=body).status == 200
    assert client.header(client.send("HEAD", "/upload"), "website-redirect-location") == "/uploaded"

    own = {"copy-source": "/photos/k"}
    assert outcome(client.send("PUT", "/k", own)) == (400, "InvalidRequest")
    assert client.send("PUT", "/k", own | {"website-redirect-location": "/elsewhere"}).status == 200
    reply = client.send("PUT", "/k", {"website-redirect-location": "elsewhere"})
    assert outcome(reply) == (400, "InvalidRedirectLocation")


# -- storage classes


@decision("storage-classes")
def test_storage_classes_are_those_of_the_dialect(client):
    for case in each(*CLASSES):
        with case as name:
            reply = client.send("PUT", "/k", {"storage-class": name})
            if client.store.dialect is S3:
                assert reply.status == 200
                assert client.header(client.send("HEAD", "/k"), "storage-class") == name
                assert elements(attributes(client, "StorageClass")) == {"StorageClass": name}
            else:
                assert (name, *outcome(reply)) == (name, 400, "InvalidStorageClass")
                with pytest.raises(ValueError, match="STANDARD"):
                    client.store["photos"].put("k", storage_class=name)
    reply = client.send("PUT", "/k", {"storage-class": "OUTPOSTS"})
    assert outcome(reply) == (400, "InvalidStorageClass")
    assert elements(reply)["StorageClassRequested"] == "OUTPOSTS"


@decision("restore-takes-time")
def test_archived_object_is_read_after_it_was_restored(s3):
    with freeze_time("2030-01-01 12:00") as clock:
        s3.put(storage_class="DEEP_ARCHIVE")
        for method, target, headers in (("GET", "/k", {}), ("PUT", "/copy", {"copy-source": "/photos/k"})):
            reply = s3.send(method, target, headers)
            assert outcome(reply) == (403, "InvalidObjectState")
            assert elements(reply)["StorageClass"] == "DEEP_ARCHIVE"
            assert ("the source object's storage class" in elements(reply)["Message"]) is (method == "PUT")
        assert s3.send("HEAD", "/k").status == 200
        assert s3.header(s3.send("HEAD", "/k"), "restore") is None

        assert s3.send("POST", "/k?restore", body=RESTORE % (2, b"Bulk")).status == 202
        assert outcome(s3.send("POST", "/k?restore", body=RESTORE % (2, b"Bulk"))) == (409, "RestoreAlreadyInProgress")
        clock.tick(48 * 3600 - 1)
        assert s3.header(s3.send("HEAD", "/k"), "restore") == 'ongoing-request="true"'
        assert s3.send("GET", "/k").status == 403

        clock.tick(1)
        reply = s3.send("GET", "/k")
        assert (reply.status, reply.body) == (200, b"test data..")
        assert s3.header(reply, "restore") == ('ongoing-request="false", expiry-date="Sun, 06 Jan 2030 00:00:00 GMT"')
        assert s3.send("POST", "/k?restore", body=RESTORE % (1, b"Bulk")).status == 200
        clock.tick(36 * 3600)
        assert s3.send("GET", "/k").status == 403
        assert s3.header(s3.send("HEAD", "/k"), "restore") is None


@decision("restore-status")
@pytest.mark.parametrize("target", ["/", "/?list-type=2", "/?versions"])
def test_listing_says_on_request_which_objects_are_restored(s3, target):
    def statuses(headers):
        root = etree.fromstring(bytes(s3.send("GET", target, headers).body))
        return [[part.text for part in each] for each in root.iterfind(".//{*}RestoreStatus")]

    wanted = {"optional-object-attributes": "RestoreStatus"}
    with freeze_time("2030-01-01 12:00") as clock:
        s3.put("/other")
        s3.put(storage_class="GLACIER")
        assert statuses(wanted) == []
        s3.send("POST", "/k?restore", body=RESTORE % (2, b"Bulk"))
        assert (statuses(wanted), statuses({})) == ([["true"]], [])
        clock.tick(12 * 3600)
        assert statuses(wanted) == [["false", "2030-01-04T00:00:00.000Z"]]
        clock.tick(72 * 3600)
        assert statuses(wanted) == []
    with pytest.raises(UnsupportedRequest, match="supported: RestoreStatus"):
        s3.send("GET", target, {"optional-object-attributes": "Tags"})


def test_only_archived_objects_are_restored(s3):
    for storage_class, tier, why in [
        ("STANDARD", b"Bulk", "which is not an archive"),
        ("DEEP_ARCHIVE", b"Expedited", "which cannot be restored with the tier Expedited"),
    ]:
        s3.put(storage_class=storage_class)
        assert outcome(s3.send("POST", "/k?restore", body=RESTORE % (1, tier))) == (403, "InvalidObjectState")
        assert why in s3.store.exchanges[-1].explanation
    for document in (b"<RestoreRequest/>", b"<RestoreRequest><Days>0</Days></RestoreRequest>"):
        assert outcome(s3.send("POST", "/k?restore", body=document)) == (400, "MalformedXML")
        assert "<Days>" in s3.store.exchanges[-1].explanation
    with pytest.raises(UnsupportedRequest, match="both <Tier> and <GlacierJobParameters>"):
        s3.send("POST", "/k?restore", body=(RESTORE % (1, b"Bulk")).replace(b"</R", b"<Tier>Standard</Tier></R"))
