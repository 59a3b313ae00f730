"""Ownership controls and the public access block: who owns objects, and which ACLs and policies a bucket accepts."""

from __future__ import annotations

import json
from itertools import product

import boto3
import pytest
import requests
from botocore.exceptions import ClientError

from fakestore import S3, FakeStore, PublicAccessBlock, fake_store
from tests.support.access import ALL_USERS, AUTHENTICATED_USERS, open_bucket
from tests.support.cases import each
from tests.support.client import Client
from tests.support.documents import policy, statement
from tests.support.wire import outcome

decision = pytest.mark.decision
OK, DENIED, NO_ACLS = (200, None), (403, "AccessDenied"), (400, "AccessControlListNotSupported")
PUBLIC = {"acl": "public-read"}
FULL_CONTROL = {"acl": "bucket-owner-full-control"}
CONTROLS = "<OwnershipControls><Rule><ObjectOwnership>{}</ObjectOwnership></Rule></OwnershipControls>"
ENFORCED, PREFERRED, WRITER = "BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"


@pytest.fixture
def client():
    """A client of a store of the dialect S3, whose bucket has the settings of a new one."""
    return Client(FakeStore(dialect="s3", base_url="http://objects.test", buckets=["photos"]))


@pytest.fixture
def photos(client):
    return client.store["photos"]


@pytest.fixture
def ben(client):
    """Another account, which may write to the bucket and read it."""
    ben = client.store.create_account("ben")
    client.store["photos"].allow(ben, "s3:PutObject", "s3:PutObjectAcl", "s3:DeleteObject")
    return ben


def send(client, method, target, headers=(), body=b"", **options):
    return outcome(client.send(method, target, headers, body, **options))


@decision("public-access-block")
def test_ignored_acl_of_a_bucket_grants_nothing(client, photos):
    photos.object_ownership, photos.public_access_block, photos.acl = WRITER, None, "public-read"
    targets = ("/", "/missing")
    assert [send(client, "GET", each, signed=False) for each in targets] == [OK, (404, "NoSuchKey")]
    photos.public_access_block = PublicAccessBlock(ignore_public_acls=True)
    assert [send(client, "GET", each, signed=False) for each in targets] == [DENIED, DENIED]


@decision("object-ownership")
def test_document_of_a_disabled_acl_names_the_owner_of_the_bucket(client, photos, ben):
    photos.object_ownership = WRITER
    assert send(client, "PUT", "/cat.jpg", FULL_CONTROL, account=ben) == OK
    written = client.send("GET", "/cat.jpg", acl=None, account=ben).body
    photos.object_ownership = ENFORCED
    shown = client.send("GET", "/cat.jpg", acl=None).body
    assert send(client, "PUT", "/cat.jpg", body=shown, acl=None) == OK
    assert send(client, "PUT", "/cat.jpg", body=written, acl=None) == (400, "InvalidArgument")


def explanation(client):
    return client.store.exchanges[-1].explanation


def test_boto3_cannot_publish_in_a_bucket_that_blocks_public_acls():
    keys = {"access_key_id": "AKIDEXAMPLE", "secret_key": "secret"}
    with fake_store(dialect="s3", signatures="verify", **keys) as store:
        s3 = boto3.client(
            "s3", region_name="us-east-1", aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="secret"
        )
        s3.create_bucket(Bucket="photos", ObjectOwnership="BucketOwnerPreferred")
        s3.put_object(Bucket="photos", Key="cat.jpg", Body=b"meow")
        named = {"Bucket": "photos", "Key": "cat.jpg", "ACL": "public-read"}
        for case in each(
            lambda: s3.put_object_acl(**named),
            lambda: s3.put_object(Body=b"purr", **named),
            lambda: s3.put_bucket_acl(Bucket="photos", ACL="public-read"),
            lambda: s3.put_bucket_policy(
                Bucket="photos", Policy=json.dumps({"Statement": statement("Allow", "*", "s3:GetObject", "photos/*")})
            ),
        ):
            with case as attempt:
                with pytest.raises(ClientError, match="AccessDenied"):
                    attempt()
        assert "public access block" in store.exchanges[-1].explanation
        url = "https://photos.s3.amazonaws.com/cat.jpg"
        s3.put_public_access_block(Bucket="photos", PublicAccessBlockConfiguration={"IgnorePublicAcls": True})
        s3.put_object_acl(**named)
        assert requests.get(url).status_code == 403
        s3.delete_public_access_block(Bucket="photos")
        assert requests.get(url).content == b"meow"


@decision("object-ownership")
def test_bucket_without_acls_refuses_them_after_their_arguments(client, photos):
    client.put()
    for case in each(("PUT", "/k"), ("PUT", "/k?acl"), ("PUT", "/?acl"), ("POST", "/k?uploads")):
        with case as (method, target):
            assert send(client, method, target, {"acl": "private"}) == NO_ACLS
            assert "ObjectWriter" in explanation(client)
            assert "public access block" not in explanation(client)
            assert send(client, method, target, {"acl": "unknown"}) == (400, "InvalidArgument")
    assert send(client, "PUT", "/copy", {"copy-source": "/photos/k", **PUBLIC}) == NO_ACLS
    assert [hint for hint in ("ObjectWriter", "public access block") if hint not in explanation(client)] == []
    photos.public_access_block = None
    assert send(client, "PUT", "/k", PUBLIC) == NO_ACLS
    assert "public access block" not in explanation(client)
    owner = f'id="{photos.owner.id}"'
    for case in each(
        *product(
            (FULL_CONTROL, {"grant-full-control": owner}),
            (("PUT", "/k"), ("PUT", "/k?acl"), ("PUT", "/?acl"), ("POST", "/k?uploads")),
        )
    ):
        with case as (headers, (method, target)):
            assert send(client, method, target, headers) == OK
    assert send(client, "PUT", "/k", {"grant-read": owner}) == NO_ACLS


def test_refusal_in_a_bucket_without_acls_names_the_action_for_its_policy(client, photos):
    client.put()
    bob = client.store.create_account("bob")
    for case in each(
        ("GET", "/k", "s3:GetObject"),
        ("GET", "/missing", "s3:ListBucket"),
        ("PUT", "/k", "s3:PutObject"),
    ):
        with case as (method, target, action):
            assert send(client, method, target, account=bob) == DENIED
            assert f"ACLs are disabled (BucketOwnerEnforced), so the policy of the bucket must allow {action}" in (
                explanation(client)
            )
            photos.allow(bob, action)
            assert send(client, method, target, account=bob) != DENIED


@decision("object-ownership")
@pytest.mark.parametrize(
    ("ownership", "headers", "owner"),
    [
        (ENFORCED, {}, "default"),
        (ENFORCED, FULL_CONTROL, "default"),
        (PREFERRED, {}, "ben"),
        (PREFERRED, FULL_CONTROL, "default"),
        (WRITER, FULL_CONTROL, "ben"),
        (None, {}, "ben"),
    ],
)
def test_ownership_says_who_owns_a_new_object(client, photos, ben, ownership, headers, owner):
    photos.object_ownership = ownership
    assert send(client, "PUT", "/k", headers, account=ben) == OK
    assert str(photos["k"].owner) == owner
    listing = client.send("GET", "/?versions")
    assert photos["k"].owner.id.encode() in listing.body


@decision("object-ownership")
def test_disabled_acls_have_an_effect_again_when_they_are_enabled(client, photos, ben):
    open_bucket(client.store)
    photos.put("k", account=ben, acl="public-read")
    assert send(client, "GET", "/k", account=client.store.create_account("cleo")) == OK
    assert send(client, "PUT", "/?ownershipControls", body=CONTROLS.format(ENFORCED).encode()) == OK
    assert send(client, "GET", "/k", account=client.store.create_account("dora")) == DENIED
    assert send(client, "GET", "/k", account=ben) == DENIED
    assert send(client, "GET", "/k") == OK
    for target in ("/k?acl", "/?versions"):
        body = bytes(client.send("GET", target).body)
        assert (ben.id.encode() in body, photos.owner.id.encode() in body) == (False, True)
    client.send("DELETE", "/?ownershipControls")
    assert send(client, "GET", "/k", account=ben) == OK
    assert ben.id.encode() in client.send("GET", "/k?acl", account=ben).body


@decision("object-ownership")
def test_delete_marker_of_another_account_belongs_to_the_bucket_owner(client, photos, ben):
    photos.versioning = "enabled"
    assert client.send("DELETE", "/k", account=ben).status == 204
    assert photos.versions("k")[0].owner == photos.owner


@decision("object-ownership")
def test_granting_bucket_cannot_disable_its_acl(client, photos):
    open_bucket(client.store).acl = "public-read"
    refused = (400, "InvalidBucketAclWithObjectOwnership")
    assert send(client, "PUT", "/?ownershipControls", body=CONTROLS.format(ENFORCED).encode()) == refused
    with pytest.raises(ValueError, match=r"only its owner .* private ACL"):
        photos.object_ownership = ENFORCED
    assert photos.object_ownership == WRITER


@decision("object-ownership")
@decision("public-access-block")
@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"acl": "private"}, OK),
        (PUBLIC, (400, "InvalidBucketAclWithObjectOwnership")),
        ({"object-ownership": WRITER, **PUBLIC}, (400, "InvalidBucketAclWithBlockPublicAccessError")),
        ({"object-ownership": WRITER, "acl": "private"}, OK),
    ],
)
def test_acl_of_a_new_bucket_must_fit_its_settings(client, headers, expected):
    assert send(client, "PUT", "/", headers, bucket="other") == expected
    assert ("other" in client.store) is (expected == OK)
    if expected == OK:
        assert send(client, "PUT", "/", PUBLIC, bucket="other")[0] == 400
        assert send(client, "PUT", "/", {"object-ownership": WRITER}, bucket="other")[0] == 409


@decision("public-access-block")
@pytest.mark.parametrize(
    ("acl", "group"), [("public-read", ALL_USERS), ("authenticated-read", AUTHENTICATED_USERS)], ids=["all", "accounts"]
)
def test_each_switch_blocks_one_thing(client, photos, acl, group):
    cleo = client.store.create_account("cleo")
    open_bucket(client.store)
    everyone_reads = policy(statement("Allow", "*", "s3:GetObject", "photos/*"))
    for case in each(
        (None, set()),
        ("block_public_acls", {"acl"}),
        ("ignore_public_acls", {"read by ACL"}),
        ("block_public_policy", {"policy"}),
        ("restrict_public_buckets", {"read by policy", "read by ACL with a policy"}),
    ):
        with case as (switch, blocked):
            photos.public_access_block = None
            client.send("DELETE", "/?policy")
            photos.put("public", acl=acl)
            photos.put("private")
            photos.public_access_block = PublicAccessBlock(**{switch: True} if switch else {})
            answers = {"read by ACL": send(client, "GET", "/public", account=cleo)}
            answers["acl"] = send(client, "PUT", "/k", {"grant-read": f'uri="{group}"'})
            answers["policy"] = send(client, "PUT", "/?policy", body=everyone_reads)
            if switch != "block_public_policy":
                answers["read by policy"] = send(client, "GET", "/private", account=cleo)
                answers["read by ACL with a policy"] = send(client, "GET", "/public", account=cleo)
            denied = {name for name, answer in answers.items() if answer == DENIED}
            assert denied == blocked
            assert send(client, "GET", "/private") == OK
            assert group.encode() in client.send("GET", "/public?acl").body


@decision("public-access-block")
def test_policy_for_named_accounts_is_not_public(client, ben):
    assert send(client, "PUT", "/k", account=ben) == OK
    named = policy(statement("Allow", ben, "s3:*", ["photos", "photos/*"]), statement("Deny", "*", "s3:*", "photos/x"))
    assert send(client, "PUT", "/?policy", body=named) == (204, None)


def test_python_side_opens_a_bucket_that_it_creates_with_an_acl(client, photos):
    shared = client.store.create_bucket("shared", acl="public-read")
    assert (shared.object_ownership, shared.public_access_block) == (WRITER, None)
    shared.put("k", acl="public-read")
    for arrange in (lambda: photos.put("k", acl="public-read"), lambda: setattr(photos, "acl", "public-read")):
        photos.object_ownership = ENFORCED
        with pytest.raises(ValueError, match="object_ownership = 'ObjectWriter'"):
            arrange()
        photos.object_ownership = WRITER
        with pytest.raises(ValueError, match="public_access_block = None"):
            arrange()
    assert (list(photos), len(photos.acl.grants)) == ([], 1)
    tree = client.store.describe()
    assert "object ownership ObjectWriter, public access block of nothing" in tree
    with pytest.raises(ValueError, match="'BucketOwnerEnforced', 'BucketOwnerPreferred'"):
        photos.object_ownership = "Mine"


def test_settings_are_part_of_a_snapshot(client, photos):
    before = client.store.snapshot()
    open_bucket(client.store)
    client.store.restore(before)
    assert photos.object_ownership == ENFORCED
    assert photos.public_access_block.restrict_public_buckets


# The option acls


@decision("object-ownership")
def test_new_buckets_can_be_like_those_before_april_2023():
    with fake_store(dialect="s3", buckets=["photos"], acls=True) as store:
        store.create_bucket("albums")
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket="public", ACL="public-read")
        for bucket in store.buckets.values():
            assert (bucket.object_ownership, bucket.public_access_block) == (None, None)
            s3.put_object(Bucket=bucket.name, Key="k", Body=b"meow", ACL="public-read")
            assert requests.get(store.url(bucket.name, "k")).content == b"meow"
            everyone = policy(statement("Allow", "*", "s3:GetObject", f"{bucket.name}/*"))
            s3.put_bucket_policy(Bucket=bucket.name, Policy=everyone.decode())
        for missing in (s3.get_bucket_ownership_controls, s3.get_public_access_block):
            with pytest.raises(ClientError, match=r"NotFound|NoSuchPublicAccessBlock"):
                missing(Bucket="photos")
        store.reset()
        assert store["photos"].object_ownership is None
    assert S3.semantics.default_object_ownership == ENFORCED


def test_refusals_that_the_option_acls_prevents_name_it(client, photos):
    cleo = client.store.create_account("cleo")
    everyone_reads = policy(statement("Allow", "*", "s3:GetObject", "photos/*"))
    refused = [
        ("PUT", "/k", PUBLIC, b"", {}),
        ("PUT", "/?policy", {}, everyone_reads, {}),
        ("PUT", "/", PUBLIC, b"", {"bucket": "other"}),
        ("PUT", "/", {"object-ownership": WRITER, **PUBLIC}, b"", {"bucket": "other"}),
    ]
    for case in each(*refused):
        with case as (method, target, headers, body, more):
            assert client.send(method, target, headers, body, **more).status in (400, 403)
            assert "fake_store(acls=True)" in client.store.exchanges[-1].explanation
    photos.object_ownership = WRITER
    assert client.send("PUT", "/k", PUBLIC).status == 403
    assert "fake_store(acls=True)" in client.store.exchanges[-1].explanation
    photos.public_access_block = None
    assert send(client, "PUT", "/?policy", body=everyone_reads) == (204, None)
    photos.public_access_block = PublicAccessBlock(restrict_public_buckets=True)
    assert send(client, "GET", "/k", account=cleo) == DENIED
    assert "fake_store(acls=True)" in client.store.exchanges[-1].explanation
