"""The corners of who may do what: nobody reads, changes or learns by a detour what is not for them."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from fakestore.model.version_ids import VersionIds

LOG_DELIVERY = "http://acs.amazonaws.com/groups/s3/LogDelivery"


@pytest.fixture
def photos(fakestore, ann):
    """Ann's own."""
    return fakestore.create_bucket("photos", owner=ann, versioning="enabled")


@pytest.fixture
def drop(fakestore, ann):
    """Ann's as well; everybody may put and list."""
    return fakestore.create_bucket("drop", owner=ann, acl="public-read-write", versioning="enabled")


def ask(fakestore, account, method, bucket, key="", *, headers=None, data=b"", **query):
    """Ask, and return status and error code of the answer."""
    fakestore.session(account).request(method, fakestore.url(bucket, key, **query), headers=headers, data=data)
    return fakestore.exchanges[-1].status, fakestore.exchanges[-1].error_code


DENIED = (403, "AccessDenied")


def give(fakestore, owner, bucket, key="", **permissions):
    """Let an owner give permissions, and keep none: ``read=bob``."""
    headers = {f"x-svc-grant-{name.replace('_', '-')}": f"id={grantee.id}" for name, grantee in permissions.items()}
    assert ask(fakestore, owner, "PUT", bucket, key, headers=headers, acl=None) == (200, None)


# Owning the bucket, owning the object


@pytest.mark.parametrize(
    ("method", "query", "headers"),
    [
        ("GET", {}, {}),
        ("HEAD", {}, {}),
        ("GET", {"acl": None}, {}),
        ("PUT", {"acl": None}, {"x-svc-acl": "public-read"}),
        ("PUT", {}, {"x-svc-copy-source": "/drop/bob.jpg"}),
    ],
)
def test_owning_the_bucket_gives_nothing_on_what_others_keep_in_it(fakestore, drop, ann, bob, method, query, headers):
    his = drop.put("bob.jpg", b"mine", account=bob)
    assert ask(fakestore, ann, method, "drop", "bob.jpg", headers=headers, **query) == DENIED
    assert drop.versions() == [his]


def test_the_owner_of_the_bucket_deletes_what_others_keep_in_it(fakestore, drop, ann, bob):
    version = drop.put("bob.jpg", b"mine", account=bob).version_id
    assert ask(fakestore, ann, "DELETE", "drop", "bob.jpg", versionId=version) == (204, None)
    assert drop.versions() == []


def test_the_uploader_does_not_delete_a_version_for_good(fakestore, drop, bob):
    his = drop.put("bob.jpg", b"mine", account=bob)
    assert ask(fakestore, bob, "DELETE", "drop", "bob.jpg", versionId=his.version_id) == DENIED
    assert drop.versions() == [his]
    assert fakestore.exchanges[-1].explanation == (
        "bob may not s3:DeleteObjectVersion on 'drop/bob.jpg': it belongs to ann"
    )


def test_an_uploader_without_write_any_more_still_reads_and_cannot_delete(fakestore, photos, bob):
    photos.put("bob.jpg", b"mine", account=bob)
    answers = [ask(fakestore, bob, method, "photos", "bob.jpg") for method in ("GET", "PUT", "DELETE")]
    assert answers == [(200, None), DENIED, DENIED]


def test_whoever_overwrites_an_object_owns_the_new_version_alone(fakestore, drop, ann, bob):
    older = drop.put("cat.jpg", b"hers", account=ann)
    ask(fakestore, bob, "PUT", "drop", "cat.jpg", data=b"his")
    newer = drop["cat.jpg"]
    versions = [{}, {"versionId": newer.version_id}, {"versionId": older.version_id}]
    seen = [[ask(fakestore, who, "GET", "drop", "cat.jpg", **each)[0] for each in versions] for who in (ann, bob)]
    assert seen == [[403, 403, 200], [200, 200, 403]]


def test_an_owner_without_any_grant_reads_and_writes_the_acl_and_not_the_object(fakestore, photos, ann, bob):
    photos.put("cat.jpg", b"meow")
    give(fakestore, ann, "photos", "cat.jpg", read=bob)
    answers = [
        ask(fakestore, ann, "GET", "photos", "cat.jpg"),
        ask(fakestore, ann, "GET", "photos", "cat.jpg", acl=None),
    ]
    assert answers == [DENIED, (200, None)]
    give(fakestore, ann, "photos", "cat.jpg", full_control=ann)
    assert ask(fakestore, ann, "GET", "photos", "cat.jpg") == (200, None)


def test_a_buckets_owner_without_any_grant_reads_and_writes_its_acl_and_nothing_else(fakestore, photos, ann, bob):
    give(fakestore, ann, "photos", read=bob)
    answers = [ask(fakestore, ann, "GET", "photos"), ask(fakestore, ann, "PUT", "photos", "cat.jpg")]
    assert answers == [DENIED, DENIED]
    give(fakestore, ann, "photos", full_control=ann)
    assert ask(fakestore, ann, "GET", "photos") == (200, None)


# What one permission does not give


def test_whoever_may_write_an_acl_does_not_become_the_owner(fakestore, photos, ann, bob):
    photos.put("cat.jpg", b"meow")
    give(fakestore, ann, "photos", "cat.jpg", write_acp=bob)
    assert ask(fakestore, bob, "GET", "photos", "cat.jpg", acl=None) == DENIED
    assert ask(fakestore, bob, "PUT", "photos", "cat.jpg", headers={"x-svc-acl": "private"}, acl=None) == (200, None)
    acl = photos["cat.jpg"].acl
    assert (acl.owner, str(acl)) == (ann, "ann:FULL_CONTROL")


def test_whoever_may_read_an_object_may_not_read_its_acl(fakestore, photos, ann, bob):
    photos.put("cat.jpg", b"meow")
    give(fakestore, ann, "photos", "cat.jpg", read=bob)
    assert ask(fakestore, bob, "GET", "photos", "cat.jpg", acl=None) == DENIED


def test_whoever_may_list_a_bucket_may_not_read_what_is_in_it(fakestore, drop, bob):
    drop.put("cat.jpg", b"meow")
    assert ask(fakestore, bob, "GET", "drop") == (200, None)
    assert ask(fakestore, bob, "GET", "drop", "cat.jpg") == DENIED


@pytest.mark.parametrize("query", [{}, {"list_type": 2}, {"versions": None}])
def test_whoever_may_write_to_a_bucket_may_not_list_it(fakestore, photos, ann, bob, query):
    give(fakestore, ann, "photos", write=bob)
    assert ask(fakestore, bob, "PUT", "photos", "cat.jpg") == (200, None)
    assert ask(fakestore, bob, "GET", "photos", **query) == DENIED


def test_a_public_object_in_a_private_bucket_is_read_by_all(fakestore, photos, bob):
    photos.put("cat.jpg", b"meow", acl="public-read")
    assert ask(fakestore, bob, "GET", "photos", "cat.jpg") == (200, None)


def test_an_acl_is_that_of_the_version_which_is_read(fakestore, photos, bob):
    older = photos.put("cat.jpg", b"kitten", acl="public-read")
    newer = photos.put("cat.jpg", b"meow")
    versions = [{}, {"versionId": newer.version_id}, {"versionId": older.version_id}]
    assert [ask(fakestore, bob, "GET", "photos", "cat.jpg", **each)[0] for each in versions] == [403, 403, 200]


def test_nobody_is_in_the_group_of_the_log_writer(fakestore, photos, ann, bob):
    photos.put("cat.jpg", b"meow")
    headers = {"x-svc-grant-read": f"uri={LOG_DELIVERY}"}
    ask(fakestore, ann, "PUT", "photos", "cat.jpg", headers=headers, acl=None)
    assert [ask(fakestore, who, "GET", "photos", "cat.jpg") for who in (ann, bob)] == [DENIED, DENIED]


# Copying


def copy(fakestore, account, source, **headers):
    named = {f"x-svc-copy-source-{name.replace('_', '-')}": value for name, value in headers.items()}
    return ask(fakestore, account, "PUT", "drop", "copy.jpg", headers={"x-svc-copy-source": source, **named})


def test_a_copy_does_not_carry_out_what_may_not_be_read(fakestore, photos, drop, bob):
    photos.put("cat.jpg", b"meow")
    assert copy(fakestore, bob, "/photos/cat.jpg") == DENIED
    assert drop.versions() == []
    assert fakestore.exchanges[-1].explanation == (
        "bob may not s3:GetObject on 'photos/cat.jpg': no READ on object 'cat.jpg' of ann in bucket 'photos';"
        " its grants are ann:FULL_CONTROL"
    )


def test_a_copy_asks_for_read_of_the_version_that_it_names(fakestore, photos, drop, bob):
    older = photos.put("cat.jpg", b"kitten", acl="public-read")
    newer = photos.put("cat.jpg", b"meow")
    answers = [
        copy(fakestore, bob, f"/photos/cat.jpg{suffix}")
        for suffix in ("", f"?versionId={newer.version_id}", f"?versionId={older.version_id}")
    ]
    assert answers == [DENIED, DENIED, (200, None)]
    assert drop["copy.jpg"].content == b"kitten"


@pytest.mark.parametrize("denied", ["s3:GetObject", "s3:GetObjectVersion"])
def test_a_copy_meets_the_policy_of_the_source(fakestore, photos, drop, bob, denied):
    cat = photos.put("cat.jpg", b"meow", acl="public-read")
    photos.deny(bob, denied)
    version = f"?versionId={cat.version_id}" if denied.endswith("Version") else ""
    assert copy(fakestore, bob, f"/photos/cat.jpg{version}") == DENIED


@pytest.mark.parametrize(
    "condition",
    [
        {"if_match": '"no"'},
        {"if_none_match": "*"},
        {"if_modified_since": "Sat, 01 Jan 2000 00:00:00 GMT"},
        {"if_unmodified_since": "Sat, 01 Jan 2000 00:00:00 GMT"},
    ],
)
def test_a_condition_of_a_copy_tells_nothing_of_what_may_not_be_read(fakestore, photos, drop, bob, condition):
    photos.put("cat.jpg", b"meow")
    assert copy(fakestore, bob, "/photos/cat.jpg", **condition) == DENIED


def test_write_is_asked_for_before_the_source_is_looked_at(fakestore, photos, bob):
    headers = {"x-svc-copy-source": "/nowhere/cat.jpg"}
    assert ask(fakestore, bob, "PUT", "photos", "copy.jpg", headers=headers) == DENIED


def test_a_copy_tells_that_there_is_no_source_before_it_asks_for_read(fakestore, photos, drop, bob):
    # The order of a copy: source bucket, source key and version, then READ.
    assert copy(fakestore, bob, "/nowhere/dog.jpg") == (404, "NoSuchBucket")
    assert copy(fakestore, bob, "/photos/dog.jpg") == (404, "NoSuchKey")


# What a refusal does not tell


@pytest.mark.parametrize(
    "headers",
    [
        {"If-None-Match": "*"},
        {"If-Match": '"no"'},
        {"If-Modified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"},
        {"If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"},
        {"Range": "bytes=100-"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_condition_or_range_tells_nothing_of_what_may_not_be_read(fakestore, photos, bob, method, headers):
    photos.put("cat.jpg", b"meow")
    assert ask(fakestore, bob, method, "photos", "cat.jpg", headers=headers) == DENIED


def test_a_refused_head_has_neither_body_nor_any_header_of_the_object(fakestore, photos, bob):
    photos.put("cat.jpg", b"meow", metadata={"name": "Felix"})
    response = fakestore.session(bob).head(fakestore.url("photos", "cat.jpg"))
    told = {"etag", "last-modified", "x-svc-version-id", "x-svc-meta-name"} & {
        name.lower() for name in response.headers
    }
    assert (response.status_code, response.content, told) == (403, b"", set())


MISSING = {
    "a key that never was": ("dog.jpg", {}),
    "a deleted key": ("gone.jpg", {}),
    "a version of a key that never was": ("dog.jpg", {"versionId": "null"}),
    "a delete marker": ("gone.jpg", {"versionId": "marker"}),
    "a version that is gone": ("gone.jpg", {"versionId": "taken"}),
    "a version that was never issued": ("cat.jpg", {"versionId": "nonsense"}),
    "a version with an empty id": ("cat.jpg", {"versionId": ""}),
}
TOLD = {
    "a key that never was": (404, "NoSuchKey"),
    "a deleted key": (404, "NoSuchKey"),
    "a version of a key that never was": (404, "NoSuchVersion"),
    "a delete marker": (405, "MethodNotAllowed"),
    "a version that is gone": (404, "NoSuchVersion"),
    "a version that was never issued": (400, "InvalidArgument"),
    "a version with an empty id": (400, "InvalidArgument"),
}


@pytest.fixture
def missing(fakestore, photos):
    """Asks for what is not there."""
    photos.put("cat.jpg", b"meow")
    taken = photos.put("gone.jpg", b"")
    marker = photos.delete("gone.jpg")
    photos.delete_version("gone.jpg", taken.version_id)
    ids = {"marker": marker.version_id, "taken": taken.version_id}

    def ask_for(what, account, method="GET", **query):
        key, version = MISSING[what]
        named = {name: ids.get(value, value) for name, value in version.items()}
        headers = {"x-svc-acl": "private"} if method == "PUT" else {}
        return ask(fakestore, account, method, "photos", key, headers=headers, **named, **query)

    return ask_for


of_everything_missing = pytest.mark.parametrize("what", MISSING)


@of_everything_missing
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_whoever_may_list_is_told_what_is_missing(missing, ann, what, method):
    assert missing(what, ann, method) == TOLD[what]


@of_everything_missing
@pytest.mark.parametrize(
    ("method", "query"), [("GET", {}), ("HEAD", {}), ("GET", {"acl": None}), ("PUT", {"acl": None})]
)
def test_whoever_may_not_list_is_not_told_what_is_missing(missing, bob, what, method, query):
    assert missing(what, bob, method, **query) == DENIED


@of_everything_missing
def test_a_policy_that_lets_read_does_not_let_know_what_is_missing(photos, missing, bob, what):
    photos.allow(bob, "s3:GetObject", "s3:GetObjectVersion")
    assert missing(what, bob) == DENIED


@of_everything_missing
def test_a_policy_that_lets_list_lets_know_what_is_missing(photos, missing, bob, what):
    photos.allow(bob, "s3:ListBucket")
    assert missing(what, bob) == TOLD[what]


@of_everything_missing
def test_an_owner_who_is_denied_to_list_is_not_told_what_is_missing(photos, missing, ann, what):
    photos.deny(ann, "s3:ListBucket")
    assert missing(what, ann) == DENIED


def test_whoever_is_not_told_is_told_why(fakestore, photos, bob):
    photos.allow(bob, "s3:GetObject")
    ask(fakestore, bob, "GET", "photos", "dog.jpg")
    assert fakestore.exchanges[-1].explanation == (
        "bob may not s3:GetObject on 'photos/dog.jpg': there is no such object, and without READ on bucket 'photos'"
        " that is not told; its grants are ann:FULL_CONTROL"
    )


def test_a_version_of_another_key_is_not_read_through_a_key_of_ones_own(fakestore, drop, ann, bob):
    hers = drop.put("ann.jpg", b"hers", account=ann)
    drop.put("bob.jpg", b"his", account=bob)
    assert ask(fakestore, bob, "GET", "drop", "bob.jpg", versionId=hers.version_id) == (404, "NoSuchVersion")


def test_a_version_of_another_key_is_not_deleted_through_a_key_of_ones_own(fakestore, photos, drop, ann, bob):
    hers = drop.put("ann.jpg", b"hers", account=ann)
    his = fakestore.create_bucket("his", owner=bob, versioning="enabled").put("ann.jpg", b"his")
    assert ask(fakestore, bob, "DELETE", "his", "ann.jpg", versionId=hers.version_id) == (204, None)
    assert (drop.versions(), fakestore["his"].versions()) == ([hers], [his])


def test_an_id_of_another_store_is_one_that_was_never_issued(fakestore, photos, ann):
    photos.put("cat.jpg", b"meow")
    foreign = VersionIds(seed=7).issue()
    assert ask(fakestore, ann, "GET", "photos", "cat.jpg", versionId=foreign) == (400, "InvalidArgument")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
def test_a_bucket_that_is_not_there_is_told_to_every_account(fakestore, bob, method):
    assert ask(fakestore, bob, method, "nowhere", "cat.jpg") == (404, "NoSuchBucket")


def test_many_deletions_in_a_bucket_that_is_not_there_are_told_so(fakestore, bob):
    assert ask(fakestore, bob, "POST", "nowhere", delete=None) == (404, "NoSuchBucket")


# The order of the checks


@pytest.mark.parametrize(
    ("method", "key", "query", "headers"),
    [
        ("PUT", "cat.jpg", {}, {"x-svc-acl": "nonsense"}),
        ("PUT", "cat.jpg", {}, {"Content-MD5": "nonsense"}),
        ("PUT", "k" * 2000, {}, {}),
        ("PUT", "cat.jpg", {}, {"x-svc-copy-source": "nonsense"}),
        ("PUT", "", {"acl": None}, {}),
        ("PUT", "", {"policy": None}, {}),
        ("PUT", "", {"versioning": None}, {}),
        ("PUT", "", {"lifecycle": None}, {}),
        ("GET", "", {"max_keys": "nonsense"}, {}),
    ],
)
def test_who_may_not_is_told_so_before_anything_else_is_wrong(fakestore, photos, bob, method, key, query, headers):
    assert ask(fakestore, bob, method, "photos", key, headers=headers, **query) == DENIED


class Unread:
    """A body that must not be read before the headers are judged."""

    len = 4
    read_at_all = False

    def read(self, size: int = -1) -> bytes:
        self.read_at_all = True
        return b""


def test_the_body_of_a_refused_put_is_not_waited_for(fakestore, photos, bob):
    body = Unread()
    url = fakestore.url("photos", "cat.jpg")
    response = fakestore.session(bob).put(url, data=body, headers={"Expect": "100-continue"})
    assert (response.status_code, body.read_at_all) == (403, False)


# Many at once


def delete_many(fakestore, account, *names, quiet=False):
    """Delete keys, or key and version id, and return the answer by key: the error code, or ``None``."""
    objects = "".join(
        f"<Object><Key>{name}</Key></Object>"
        if isinstance(name, str)
        else f"<Object><Key>{name[0]}</Key><VersionId>{name[1]}</VersionId></Object>"
        for name in names
    )
    body = f"<Delete>{objects}{'<Quiet>true</Quiet>' if quiet else ''}</Delete>".encode()
    response = fakestore.session(account).post(fakestore.url("drop", delete=None), data=body)
    assert response.status_code == 200
    return {each.findtext("Key"): each.findtext("Code") for each in ElementTree.fromstring(response.content)}


def test_of_many_keys_each_is_judged_on_its_own(fakestore, drop, bob):
    for key in ("a.jpg", "kept/b.jpg", "c.jpg"):
        drop.put(key, b"")
    statement = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:DeleteObject",
        "Resource": "arn:aws:s3:::drop/kept/*",
    }
    body = json.dumps({"Statement": statement}).encode()
    fakestore.session(drop.owner).put(fakestore.url("drop", policy=None), data=body).raise_for_status()
    assert delete_many(fakestore, bob, "a.jpg", "kept/b.jpg", "c.jpg") == {
        "a.jpg": None,
        "kept/b.jpg": "AccessDenied",
        "c.jpg": None,
    }
    assert list(drop) == ["kept/b.jpg"]


@pytest.mark.parametrize("quiet", [False, True])
def test_of_many_a_version_is_for_the_owner_of_the_bucket_alone(fakestore, drop, bob, quiet):
    cat = drop.put("cat.jpg", b"", account=bob)
    assert delete_many(fakestore, bob, ("cat.jpg", cat.version_id), quiet=quiet) == {"cat.jpg": "AccessDenied"}
    assert drop.versions() == [cat]


def test_what_was_refused_of_many_is_explained(fakestore, drop, bob):
    drop.deny(bob, "s3:DeleteObject")
    delete_many(fakestore, bob, "a.jpg", ("b.jpg", "null"))
    assert (fakestore.exchanges[-1].status, fakestore.exchanges[-1].explanation) == (
        200,
        "bob may not s3:DeleteObject on 'drop/a.jpg': denied by Deny s3:DeleteObject on drop, drop/*;"
        " bob may not s3:DeleteObjectVersion on 'drop/b.jpg': it belongs to ann",
    )


def test_where_nothing_of_many_was_refused_there_is_nothing_to_explain(fakestore, drop, bob):
    delete_many(fakestore, bob, "a.jpg")
    assert fakestore.exchanges[-1].explanation is None


# Buckets


def test_a_bucket_of_another_is_neither_taken_nor_changed(fakestore, drop, bob):
    assert ask(fakestore, bob, "PUT", "drop", headers={"x-svc-acl": "private"}) == (409, "BucketAlreadyExists")
    assert (drop.owner.display_name, str(drop.acl)) == ("ann", "ann:FULL_CONTROL, AllUsers:READ, AllUsers:WRITE")


def test_each_account_sees_its_own_buckets_alone(fakestore, photos, drop, bob):
    fakestore.create_bucket("his", owner=bob)
    response = fakestore.session(bob).get(fakestore.base_url)
    assert [each.text for each in ElementTree.fromstring(response.content).iter("Name")] == ["his"]


def test_explanations_are_not_sent(fakestore, photos, bob):
    response = fakestore.session(bob).get(fakestore.url("photos", "cat.jpg"))
    error = ElementTree.fromstring(response.content)
    assert [each.tag for each in error] == ["Code", "Message", "Resource", "RequestId", "HostId"]
    assert error.findtext("Message") == "Access Denied"
