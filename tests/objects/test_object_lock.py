"""Object Lock: retention, legal hold, and what they keep from being removed."""

from __future__ import annotations

from itertools import product

import boto3
import pytest
from botocore.exceptions import ClientError
from freezegun import freeze_time

from fakestore import S3, DeleteMarker, FakeStore, UnsupportedRequest, fake_store
from tests.support.cases import each
from tests.support.client import Client
from tests.support.documents import complete_document, delete_document, policy, statement
from tests.support.wire import elements, md5_base64, outcome

decision = pytest.mark.decision
START = "2030-01-01 12:00:00"
TEN, TWENTY = "2030-01-01T12:10:00Z", "2030-01-01T12:20:00Z"
FAR = "2030-02-01T00:00:00Z"
REFUSED = (403, "AccessDenied")
FAILED = (412, "PreconditionFailed")
BYPASS = {"bypass-governance-retention": "true"}
HOLD = "<LegalHold><Status>{}</Status></LegalHold>"


@pytest.fixture
def clock(frozen_clock):
    frozen_clock.move_to(START)
    return frozen_clock


@pytest.fixture(params=["document", "s3"])
def client(request, clock):
    """A client of a store with the bucket ``photos``, which has Object Lock, in each dialect."""
    store = FakeStore(dialect=request.param, base_url="http://objects.test", max_clock_skew=None)
    store.create_bucket("photos", object_lock=True)
    yield Client(store)
    store.close()


def retention(mode: str = "GOVERNANCE", until: str = TEN) -> bytes:
    return f"<Retention><Mode>{mode}</Mode><RetainUntilDate>{until}</RetainUntilDate></Retention>".encode()


def put_default(client: Client, period: str, mode: str = "GOVERNANCE") -> None:
    rule = f"<Rule><DefaultRetention><Mode>{mode}</Mode>{period}</DefaultRetention></Rule>"
    assert put_configuration(client, f"<ObjectLockEnabled>Enabled</ObjectLockEnabled>{rule}") == (200, None)


def put_configuration(client: Client, inner: str):
    document = f"<ObjectLockConfiguration>{inner}</ObjectLockConfiguration>".encode()
    return outcome_of(client, client.send("PUT", "/?object-lock", body=document))


def outcome_of(client: Client, reply) -> tuple[int, str | None]:
    return reply.status, client.store.exchanges[-1].error_code


def put_retention(client: Client, body: bytes, headers=(), **options):
    return outcome_of(client, client.send("PUT", "/k?retention", headers, body, **options))


def put_locked(client: Client, **headers: str):
    """Store ``k`` with these headers, and return the version."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    assert client.send("PUT", "/k", fields | {"Content-MD5": md5_base64(b"test data..")}, b"test data..").status == 200
    return client.store["photos"]["k"]


def delete(client: Client, version, headers=(), **options):
    target = f"/k?versionId={version.version_id}"
    return outcome_of(client, client.send("DELETE", target, headers, **options))


def test_boto3_cannot_delete_a_locked_version_until_its_retention_ends():
    keys = {"access_key_id": "AKIDEXAMPLE", "secret_key": "secret"}
    with freeze_time(START) as clock, fake_store(dialect="s3", signatures="verify", **keys) as store:
        s3 = boto3.client(
            "s3", region_name="us-east-1", aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="secret"
        )
        s3.create_bucket(Bucket="photos", ObjectLockEnabledForBucket=True)
        rule = {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 1}}
        s3.put_object_lock_configuration(
            Bucket="photos", ObjectLockConfiguration={"ObjectLockEnabled": "Enabled", "Rule": rule}
        )
        assert s3.get_object_lock_configuration(Bucket="photos")["ObjectLockConfiguration"]["Rule"] == rule
        version = {"Bucket": "photos", "Key": "k"}
        version["VersionId"] = s3.put_object(Bucket="photos", Key="k", Body=b"meow")["VersionId"]
        assert s3.head_object(**version)["ObjectLockMode"] == "COMPLIANCE"
        until = s3.get_object_retention(**version)["Retention"]["RetainUntilDate"]
        assert until == store["photos"]["k"].retention.until
        for bypass in (False, True):
            with pytest.raises(ClientError, match="object protected by object lock"):
                s3.delete_object(**version, BypassGovernanceRetention=bypass)
        clock.move_to("2030-01-02 11:59:59")
        with pytest.raises(ClientError, match="object protected by object lock"):
            s3.delete_object(**version)
        clock.move_to("2030-01-02 12:00:00")
        s3.delete_object(**version)
        assert store["photos"].versions() == []


@decision("lock-of-a-marker")
@decision("one-clock-reading-per-request")
def test_retention_ends_within_a_second(client, clock):
    client.put()
    version = client.store["photos"]["k"].version_id
    assert put_retention(client, retention(until="2030-01-01T12:10:00.500Z")) == (200, None)
    for moment, status in (("2030-01-01 12:10:00.499", 403), ("2030-01-01 12:10:00.500", 204)):
        clock.move_to(moment)
        assert client.send("DELETE", "/k", versionId=version).status == status
    client.put()
    assert client.store["photos"]["k"].last_modified.microsecond == 0
    clock.move_to("2030-01-01 12:10:00.700")
    assert put_retention(client, retention(until="2030-01-01T12:10:00.600Z")) == (400, "InvalidArgument")


@decision("default-retention")
def test_configuration_needs_a_body(client):
    assert outcome_of(client, client.send("PUT", "/?object-lock")) == (400, "MissingRequestBodyError")


@decision("default-retention")
def test_messages_about_an_invalid_default_end_with_a_period(client):
    for case in each(
        ("Days", "0", "must be a positive integer value"),
        ("Days", "-1", "must be a positive integer value"),
        ("Days", "many", "must be a positive integer value"),
        ("Days", "36501", "is too large"),
        ("Days", "9" * 30, "is too large"),
        ("Years", "0", "must be a positive integer value"),
        ("Years", "101", "is too large"),
    ):
        with case as (tag, text, problem):
            rule = f"<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><{tag}>{text}</{tag}></DefaultRetention></Rule>"
            inner = f"<ObjectLockEnabled>Enabled</ObjectLockEnabled>{rule}"
            body = f"<ObjectLockConfiguration>{inner}</ObjectLockConfiguration>"
            found = elements(client.send("PUT", "/?object-lock", body=body.encode()))
            assert (found["Code"], found["Message"]) == ("InvalidArgument", f"Default retention period {problem}.")
            assert (found.get("ArgumentName"), "ArgumentValue" in found) == (tag, False)


def test_delete_marker_has_no_lock(client):
    client.put()
    client.store["photos"].delete("k")
    marker = client.store["photos"].versions("k")[0].version_id
    for name, document in (("retention", retention()), ("legal-hold", HOLD.format("ON").encode())):
        for method, body in (("GET", b""), ("PUT", document)):
            assert outcome_of(client, client.send(method, f"/k?{name}", body=body)) == (404, "NoSuchKey")
            named = client.send(method, f"/k?{name}&versionId={marker}", body=body)
            assert outcome_of(client, named) == (405, "MethodNotAllowed")


def test_legal_hold_keeps_a_version_until_it_is_ended(client, clock):
    version = put_locked(client, object_lock_legal_hold="ON")
    clock.move_to("2090-01-01")
    assert delete(client, version, BYPASS) == REFUSED
    assert "a bypass does not affect the legal hold" in client.store.exchanges[-1].explanation
    assert client.send("PUT", "/k?legal-hold", body=HOLD.format("OFF").encode()).status == 200
    assert elements(client.send("GET", "/k?legal-hold")) == {"Status": "OFF"}
    assert delete(client, version) == (204, None)


def test_locked_object_can_be_overwritten_and_hidden_by_a_marker(client):
    first = put_locked(client, object_lock_mode="COMPLIANCE", object_lock_retain_until_date=TEN)
    second = put_locked(client)
    assert client.send("DELETE", "/k").status == 204
    marker, *versions = client.store["photos"].versions("k")
    assert (type(marker), versions, second.retention) == (DeleteMarker, [second, first], None)
    assert delete(client, marker) == delete(client, second) == (204, None)


def test_delete_of_many_refuses_only_locked_versions(client):
    first = put_locked(client, object_lock_mode="GOVERNANCE", object_lock_retain_until_date=TEN)
    second = put_locked(client)
    listed = "".join(
        f"<Object><Key>k</Key><VersionId>{each.version_id}</VersionId></Object>" for each in (first, second)
    )
    body = f"<Delete>{listed}</Delete>".encode()
    digest = {"Content-MD5": md5_base64(body)}
    reply = client.send("POST", "/?delete", digest, body)
    assert (reply.status, reply.body.count(b"<Deleted>")) == (200, 1)
    assert b"<Code>AccessDenied</Code><Message>Access Denied because object protected" in reply.body
    assert TEN[:10] in client.store.exchanges[-1].explanation
    client.send("POST", "/?delete", BYPASS | digest, body)
    assert client.store["photos"].versions() == []


@decision("changing-a-retention")
@pytest.mark.parametrize("mode", ["GOVERNANCE", "COMPLIANCE"])
@pytest.mark.parametrize(
    ("new", "may_change"),
    [
        (retention("{same}", TWENTY), "always"),
        (retention("{same}", TEN), "always"),
        (retention("{same}", "2030-01-01T12:05:00Z"), "by bypass"),
        (retention("{other}", TWENTY), "by bypass"),
        (b"<Retention/>", "by bypass"),
    ],
)
def test_active_retention_only_becomes_longer(client, clock, mode, new, may_change):
    other = {"GOVERNANCE": "COMPLIANCE", "COMPLIANCE": "GOVERNANCE"}[mode]
    new = new.replace(b"{same}", mode.encode()).replace(b"{other}", other.encode())
    client.put()
    assert put_retention(client, retention(mode)) == (200, None)
    assert put_retention(client, new) == ((200, None) if may_change == "always" else REFUSED)
    may_bypass = may_change == "always" or mode == "GOVERNANCE"
    assert put_retention(client, new, BYPASS) == ((200, None) if may_bypass else REFUSED)
    clock.move_to("2030-01-01 12:20:00")
    assert put_retention(client, retention(other, FAR)) == (200, None)


@decision("changing-a-retention")
def test_retention_that_was_read_can_be_put_again(client):
    client.put()
    assert put_retention(client, retention(until="2030-01-01T12:10:00.123456Z")) == (200, None)
    assert put_retention(client, bytes(client.send("GET", "/k?retention").body)) == (200, None)


def test_retention_and_legal_hold_are_set_independently(client):
    version = put_locked(client, object_lock_mode="GOVERNANCE", object_lock_retain_until_date=TEN)
    assert put_retention(client, retention(until=TWENTY)) == (200, None)
    assert client.send("PUT", "/k?legal-hold", body=HOLD.format("ON").encode()).status == 200
    headers = client.send("HEAD", "/k").headers
    names = ("mode", "retain-until-date", "legal-hold")
    shown = [headers[f"{client.prefix}object-lock-{name}"] for name in names]
    assert shown == ["GOVERNANCE", "2030-01-01T12:20:00.000Z", "ON"]
    assert put_retention(client, b"<Retention/>", BYPASS) == (200, None)
    assert delete(client, version) == REFUSED
    assert client.send("PUT", "/k?legal-hold", body=HOLD.format("OFF").encode()).status == 200
    assert delete(client, version) == (204, None)


@decision("governance-bypass")
def test_permission_of_a_bypass_is_that_for_the_key(client):
    version = put_locked(client, object_lock_mode="GOVERNANCE", object_lock_retain_until_date=TEN)
    everyone = statement("Deny", "*", "s3:BypassGovernanceRetention", "photos/k")
    assert client.send("PUT", "/?policy", body=policy(everyone)).status == 204
    body = delete_document(("k", version.version_id))
    reply = client.send("POST", "/?delete", BYPASS | {"Content-MD5": md5_base64(body)}, body)
    assert b"<Code>AccessDenied</Code>" in reply.body


@decision("governance-bypass")
def test_bypass_is_only_for_buckets_with_object_lock(client):
    client.store.create_bucket("open")
    client.store["open"].put("cat.jpg", b"meow")
    body = delete_document("cat.jpg")
    digest = {**BYPASS, "Content-MD5": md5_base64(body)}
    for reply in (
        client.send("DELETE", "/cat.jpg", BYPASS, bucket="open"),
        client.send("POST", "/?delete", digest, body, bucket="open"),
    ):
        assert outcome(reply) == (400, "InvalidArgument")
    assert "cat.jpg" in client.store["open"]


@decision("governance-bypass", "order-of-checks")
def test_bypass_is_checked_before_conditions_and_the_document(client):
    client.put()
    client.store.create_bucket("open")
    failing = {"If-Match": '"another"', **BYPASS}
    for case in each(("DELETE", "/k", failing, b""), ("POST", "/?delete", BYPASS, b"<Delete>")):
        with case as (method, target, headers, body):
            assert outcome(client.send(method, target, headers, body, bucket="open")) == (400, "InvalidArgument")
            with pytest.raises(UnsupportedRequest, match="bypass-governance-retention is 'yes'; expected true"):
                client.send(method, target, headers | {"bypass-governance-retention": "yes"}, body)
    client.store.unhandled_requests.clear()


@decision("governance-bypass")
def test_bypass_needs_the_header_and_the_permission(client):
    version = put_locked(client, object_lock_mode="GOVERNANCE", object_lock_retain_until_date=TEN)
    assert delete(client, version, {"bypass-governance-retention": "false"}) == REFUSED
    client.store["photos"].deny(client.store.default_account, "s3:BypassGovernanceRetention")
    assert delete(client, version, BYPASS) == REFUSED
    assert "s3:BypassGovernanceRetention" in client.store.exchanges[-1].explanation
    assert put_retention(client, b"<Retention/>", BYPASS) == REFUSED
    client.send("DELETE", "/?policy")
    assert delete(client, version, BYPASS) == (204, None)


@decision("permissions-for-locks")
def test_lock_is_read_and_set_only_by_those_who_may(client):
    ann = client.store.create_account("ann")
    photos = client.store["photos"]
    photos.allow(ann, "s3:PutObject", "s3:GetObject")
    mode = {"object-lock-mode": "GOVERNANCE", "object-lock-retain-until-date": TEN, "object-lock-legal-hold": "ON"}
    md5 = {"Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="}
    assert outcome(client.send("PUT", "/k", mode | md5, account=ann)) == REFUSED
    photos.allow(ann, "s3:PutObjectRetention")
    assert outcome(client.send("PUT", "/k", mode | md5, account=ann)) == REFUSED
    photos.allow(ann, "s3:PutObjectLegalHold")
    assert client.send("PUT", "/k", mode | md5, account=ann).status == 200
    photos.deny(ann, "s3:PutObjectRetention")
    assert outcome(client.send("PUT", "/k", mode | md5, account=ann)) == REFUSED
    for action, shown in (("s3:ListBucket", 0), ("s3:GetObjectRetention", 2), ("s3:GetObjectLegalHold", 3)):
        photos.allow(ann, action)
        for method in ("GET", "HEAD"):
            reply = client.send(method, "/k", account=ann)
            assert (reply.status, sum("object-lock" in name for name in reply.headers)) == (200, shown)
    assert put_retention(client, retention(until=TWENTY), account=client.store.create_account("bob")) == REFUSED


@decision("digest-required-for-a-lock")
def test_put_of_a_locked_object_needs_a_digest(client):
    mode = {"object-lock-mode": "GOVERNANCE", "object-lock-retain-until-date": TEN}
    for locked in (mode, {"object-lock-legal-hold": "ON"}, {"object-lock-legal-hold": "OFF"}):
        assert outcome(client.send("PUT", "/k", locked, b"meow")) == (400, "InvalidRequest")
    assert client.send("PUT", "/k", mode | {"checksum-crc32": "ihBq/g=="}, b"meow").status == 200


@decision("digest-required-for-a-lock", "order-of-checks")
def test_headers_of_a_body_are_read_after_the_conditions_even_with_a_lock(client):
    client.put()
    for case in each(
        *product(
            [{}, {"object-lock-legal-hold": "ON"}],
            [
                ({"Content-MD5": "bogus"}, "InvalidDigest"),
                ({"checksum-crc32": "bogus"}, "InvalidRequest"),
                ({"checksum-crc32": "ihBq/g==", "checksum-sha1": "bogus"}, "InvalidRequest"),
                ({"checksum-crc32": "ihBq/g==", "sdk-checksum-algorithm": "SHA1"}, "InvalidRequest"),
                ({"Content-Length": "four", "checksum-crc32": "ihBq/g=="}, "InvalidArgument"),
            ],
        )
    ):
        with case as (lock, (malformed, error)):
            headers = lock | malformed
            assert outcome(client.send("PUT", "/k", headers | {"If-None-Match": "*"}, b"meow")) == FAILED
            assert outcome(client.send("PUT", "/k", headers, b"meow")) == (400, error)


@pytest.mark.parametrize(
    ("headers", "argument"),
    [
        ({"object-lock-mode": "governance", "object-lock-retain-until-date": TEN}, "object-lock-mode"),
        ({"object-lock-mode": "GOVERNANCE", "object-lock-retain-until-date": "soon"}, "object-lock-retain-until-date"),
        (
            {"object-lock-mode": "GOVERNANCE", "object-lock-retain-until-date": "2030-01-01T12:00:00Z"},
            "object-lock-retain-until-date",
        ),
        ({"object-lock-legal-hold": "on"}, "object-lock-legal-hold"),
    ],
)
def test_invalid_lock_headers_store_nothing(client, headers, argument):
    reply = client.send("PUT", "/k", {**headers, "Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="})
    assert outcome(reply) == (400, "InvalidArgument")
    assert elements(reply)["ArgumentName"] == client.prefix + argument
    assert len(client.store["photos"]) == 0


def test_bucket_without_object_lock_locks_nothing(client):
    client.store.create_bucket("plain")
    for case in each(
        ("PUT", "/k", {"object-lock-legal-hold": "ON", "Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg=="}),
        ("POST", "/k?uploads", {"object-lock-legal-hold": "ON"}),
        ("PUT", "/k", {"object-lock-legal-hold": "ON", "copy-source": "/photos/source"}),
        ("GET", "/k?legal-hold", {}),
        ("PUT", "/k?legal-hold", {}, HOLD.format("ON").encode()),
        ("GET", "/k?retention", {}),
        ("PUT", "/k?retention", {}, retention()),
        ("PUT", "/k?retention", BYPASS, retention()),
    ):
        with case as (method, target, headers, *body):
            client.put("/source")
            refused = elements(client.send(method, target, headers, *body, bucket="plain"))
            of_stored = "Bucket is missing Object Lock Configuration"  # recorded with a space
            is_of_stored = target.endswith(("legal-hold", "retention"))
            message = of_stored if is_of_stored else "Bucket is missing ObjectLockConfiguration"
            assert (refused["Code"], refused["Message"]) == ("InvalidRequest", message)
    assert (len(client.store["plain"]), client.store["plain"].uploads) == (0, [])


@decision("default-retention")
def test_default_retention_begins_when_the_object_is_stored(client, clock):
    put_default(client, "<Years>1</Years>")
    upload_id = elements(client.send("POST", "/film?uploads"))["UploadId"]
    etag = client.send("PUT", f"/film?uploadId={upload_id}&partNumber=1", body=b"part").headers["etag"]
    clock.tick(3600.9)  # a retention begins with a whole second
    document = complete_document([(1, etag)])
    assert client.send("POST", f"/film?uploadId={upload_id}", body=document).status == 200
    client.send("PUT", "/copy", {"copy-source": "/photos/film", "object-lock-legal-hold": "ON"})
    film, copy = client.store["photos"]["film"], client.store["photos"]["copy"]
    assert str(film.retention.until) == "2031-01-01 13:00:00+00:00"
    assert (copy.retention, copy.legal_hold, film.legal_hold) == (film.retention, "ON", None)
    own = put_locked(client, object_lock_mode="COMPLIANCE", object_lock_retain_until_date=FAR)
    assert (own.retention.mode, str(own.retention.until)) == ("COMPLIANCE", "2030-02-01 00:00:00+00:00")


def test_upload_is_begun_with_the_lock_of_its_object(client):
    mode = {"object-lock-mode": "GOVERNANCE", "object-lock-retain-until-date": FAR}
    upload_id = elements(client.send("POST", "/k?uploads", mode))["UploadId"]
    etag = client.send("PUT", f"/k?uploadId={upload_id}&partNumber=1", body=b"part").headers["etag"]
    document = complete_document([(1, etag)])
    assert client.send("POST", f"/k?uploadId={upload_id}", body=document).status == 200
    assert client.store["photos"]["k"].retention.mode == "GOVERNANCE"


@decision("default-retention")
@pytest.mark.parametrize("period", ["<Days>0</Days>", "<Years>101</Years>", "<Days>x</Days>"])
def test_default_retention_has_bounds(client, period):
    rule = f"<Rule><DefaultRetention><Mode>GOVERNANCE</Mode>{period}</DefaultRetention></Rule>"
    refused = put_configuration(client, f"<ObjectLockEnabled>Enabled</ObjectLockEnabled>{rule}")
    assert refused == (400, "InvalidArgument")


@decision("locks-and-lifecycle")
def test_lifecycle_removes_a_version_once_it_is_unlocked(client, clock):
    photos = client.store["photos"]
    photos.expire(rule_id="r", noncurrent_days=1)
    put_locked(client, object_lock_mode="COMPLIANCE", object_lock_retain_until_date="2030-01-05T12:00:00Z")
    held = put_locked(client, object_lock_legal_hold="ON")
    current = put_locked(client)
    clock.move_to("2030-01-05 23:59:59")
    assert len(photos.versions("k")) == 3
    clock.move_to("2030-01-06 00:00:00")
    assert photos.versions("k") == [current, held]
    target = f"/k?legal-hold&versionId={held.version_id}"
    assert client.send("PUT", target, body=HOLD.format("OFF").encode()).status == 200
    assert photos.versions("k") == [current]


@decision("locks-and-lifecycle")
def test_current_locked_object_expires_behind_a_marker(client, clock):
    photos = client.store["photos"]
    photos.expire(rule_id="r", days=1)
    version = put_locked(client, object_lock_mode="COMPLIANCE", object_lock_retain_until_date=FAR)
    clock.move_to("2030-01-03 00:00:00")
    assert [type(each) for each in photos.versions("k")] == [DeleteMarker, type(version)]


@decision("locked-null-version")
@pytest.mark.parametrize("lock", ["retention", "legal-hold", "retention that ended"])
def test_null_version_is_not_removed_by_a_simple_delete_while_it_is_locked(client, clock, lock):
    plain = client.store.create_bucket("plain")
    null = plain.put("k")
    plain.versioning = "enabled"
    enabled = b"<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>"
    assert client.send("PUT", "/?object-lock", body=enabled, bucket="plain").status == 200
    body = b"<LegalHold><Status>ON</Status></LegalHold>" if lock == "legal-hold" else retention()
    target = f"/k?{lock.partition(' ')[0]}&versionId=null"
    assert client.send("PUT", target, body=body, bucket="plain").status == 200
    if lock == "retention that ended":
        clock.move_to(TEN)
    client.send("DELETE", "/k", bucket="plain")
    stays = lock != "retention that ended" or not client.store.dialect.semantics.delete_removes_null_version
    assert [each.version_id for each in plain.versions("k")][1:] == [null.version_id] * stays


def test_python_side_shows_the_lock(client):
    version = put_locked(
        client, object_lock_mode="GOVERNANCE", object_lock_retain_until_date=TEN, object_lock_legal_hold="ON"
    )
    assert (version.retention.mode, version.legal_hold) == ("GOVERNANCE", "ON")
    tree = client.store.describe()
    assert "Object Lock" in tree
    assert "GOVERNANCE until 2030-01-01 12:10:00+00:00 and legal hold" in tree
    for versioning in ("suspended", "never"):
        with pytest.raises(ValueError, match="has Object Lock, so its versioning stays enabled"):
            client.store["photos"].versioning = versioning
    with pytest.raises(ValueError, match="Object Lock needs 'enabled'"):
        client.store.create_bucket("other", object_lock=True, versioning="suspended")
    assert "other" not in client.store


@decision("put-of-an-existing-bucket")
def test_bucket_is_not_created_again_with_object_lock():
    client = Client(FakeStore(dialect=S3, base_url="http://objects.test", buckets=["photos"]))
    for value, status in (("true", 409), ("False", 200)):
        assert client.send("PUT", "/", {"bucket-object-lock-enabled": value}).status == status
    with pytest.raises(UnsupportedRequest, match="object-lock-enabled is 'yes'; expected true or false"):
        client.send("PUT", "/", {"bucket-object-lock-enabled": "yes"})
    assert "Object Lock" not in client.store.describe()


@decision("requested-version")
def test_locks_of_a_requested_version_are_answered_with_its_id(client):
    version_id = client.store["photos"].put("k", storage_class="STANDARD").version_id
    named = f"/k?versionId={version_id}"
    replies = [
        client.send("PUT", f"{named}&retention", body=retention()),
        client.send("GET", f"{named}&retention"),
        client.send("PUT", f"{named}&legal-hold", body=HOLD.format("ON").encode()),
        client.send("GET", f"{named}&legal-hold"),
    ]
    expected = version_id if client.prefix == "x-svc-" else None
    assert [(reply.status, client.header(reply, "version-id")) for reply in replies] == [(200, expected)] * 4
