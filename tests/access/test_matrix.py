"""The permissions: every operation is requested by every kind of requester, in every situation of the table.

An operation that the table does not name answers as its first row says: only the owner of the bucket may request it,
and every account that a policy allows. The bucket "photos" belongs to its owner, and the object "cat.jpg" in it to
another account, its uploader.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest

from fakestore import Account, FakeStore, PublicAccessBlock, Snapshot
from tests.support.access import AUTHENTICATED_USERS, put_policy
from tests.support.documents import lifecycle, policy, rule, statement
from tests.support.forms import FORM_TYPE, form_body
from tests.support.operations import operations
from tests.support.state import state_of
from tests.support.wire import request

# The situations:
#   private   nothing was granted: the bucket and the object have the ACL that they were created with
#   granted   what the operation needs is granted: to the grantee by id, to the group member by the group's URI;
#             if no grant is enough, FULL_CONTROL of the bucket and of the object
#   allowed   as private, and the policy allows everything to everybody
#   denied    FULL_CONTROL of everything is granted to everybody, and the policy denies everything to everybody
#   if held   as private, and the policy allows everything to everybody on a condition that holds: as allowed
#   if not    as private, and the policy allows and denies everything on a condition that does not hold: as private
#
# The requesters: O the bucket's owner, U the uploader, G the grantee, X another account, M a member of the group,
#                 k an unknown access key, n no Authorization header
#
# The answers: + success; if the operation has no request in ASKS, any answer without a letter
#              - 403 AccessDenied, k 403 InvalidAccessKeyId, b 409 BucketAlreadyExists,
#              s 403 InvalidObjectState: nothing here is archived, f 403 AccessForbidden: no bucket has rules for it,
#              m 405 MethodNotAllowed
TABLE = """
                                    private  granted  allowed  denied
                                    OUGXMkn  OUGXMkn  OUGXMkn  OUGXMkn

others                              +----k-  +----k-  +++++k-  -----k-

GET Service                         +++++k-  +++++k-  +++++k-  +++++k-
PUT Bucket                          +++++k-  +++++k-  +++++k-  +++++k-
PUT Bucket: taken                   +bbbbk-  +bbbbk-  +bbbbk-  -bbbbk-
HEAD Bucket                         +----k-  +-+-+k-  +++++k-  -----k-
GET Bucket                          +----k-  +-+-+k-  +++++k-  -----k-
GET Bucket version 2                +----k-  +-+-+k-  +++++k-  -----k-
GET Bucket Object versions          +----k-  +-+-+k-  +++++k-  -----k-
GET Bucket policy                   +----k-  +----k-  +mmmmk-  +----k-
PUT Bucket policy                   +----k-  +----k-  +mmmmk-  +----k-
DELETE Bucket policy                +----k-  +----k-  +mmmmk-  +----k-
GET Bucket ACL                      +----k-  +-+-+k-  +++++k-  -----k-
PUT Bucket ACL                      +----k-  +-+-+k-  +++++k-  -----k-
POST Object                         +----k-  +-+-+k-  +++++k-  -----k-
POST Bucket delete                  +----k-  +-+-+k-  +++++k-  -----k-
POST Bucket delete: a version       +----k-  +----k-  +----k-  -----k-
PUT Object                          +----k-  +-+-+k-  +++++k-  -----k-
PUT Object: over another's          +----k-  +-+-+k-  +++++k-  -----k-
PUT Object Copy                     -----k-  --+-+k-  +++++k-  -----k-
PUT Object Copy: of a version       -----k-  --+-+k-  +++++k-  -----k-
PUT Object Copy: of a public one    +----k-  +-+-+k-  +++++k-  -----k-
PUT Object Copy: to a public place  -+---k-  -++-+k-  +++++k-  -----k-
GET Object                          -+---k-  -++-+k-  +++++k-  -----k-
GET Object: a version               -+---k-  -++-+k-  +++++k-  -----k-
GET Object: missing                 +----k-  +-+-+k-  +++++k-  -----k-
HEAD Object                         -+---k-  -++-+k-  +++++k-  -----k-
HEAD Object: a version              -+---k-  -++-+k-  +++++k-  -----k-
HEAD Object: missing                +----k-  +-+-+k-  +++++k-  -----k-
GET Object ACL                      -+---k-  -++-+k-  +++++k-  -----k-
GET Object ACL: a version           -+---k-  -++-+k-  +++++k-  -----k-
GET Object ACL: missing             +----k-  +-+-+k-  +++++k-  -----k-
PUT Object ACL                      -+---k-  -++-+k-  +++++k-  -----k-
PUT Object ACL: a version           -+---k-  -++-+k-  +++++k-  -----k-
PUT Object ACL: missing             +----k-  +-+-+k-  +++++k-  -----k-
GET Object attributes               -+---k-  -++-+k-  +++++k-  -----k-
GET Object attributes: a version    -+---k-  -++-+k-  +++++k-  -----k-
POST Object restore                 s----k-  s----k-  sssssk-  -----k-
OPTIONS Service                     fffffff  fffffff  fffffff  fffffff
OPTIONS Bucket                      +++++++  +++++++  +++++++  +++++++
OPTIONS Object                      +++++++  +++++++  +++++++  +++++++
DELETE Object                       +----k-  +-+-+k-  +++++k-  -----k-
DELETE Object: a version            +----k-  +----k-  +----k-  -----k-
"""

SITUATIONS = ("private", "granted", "allowed", "denied", "if held", "if not")
REQUESTERS = ("owner", "uploader", "grantee", "other", "member", "unknown", "anonymous")
ACCOUNTS = REQUESTERS[:5]
LETTERS = {
    "AccessDenied": "-",
    "InvalidAccessKeyId": "k",
    "BucketAlreadyExists": "b",
    "InvalidObjectState": "s",
    "AccessForbidden": "f",
    "MethodNotAllowed": "m",
}
#: The errors that only an authorized requester gets, for a missing document or header, or a setting that is not set.
AFTER_AUTHORIZATION = ("MalformedXML", "MissingRequestBodyError", "MissingSecurityHeader", "NoSuchConfiguration")
METHODS = ("GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS")


@dataclass(frozen=True)
class Ask:
    """The request of a row.

    Args:
        needs: The grants that together are enough; if it is empty, no grant is.
        done: The status of a success. If it is None, every status below 300 is a success, and so is an error in
            AFTER_AUTHORIZATION, because the request may lack what the operation needs.
    """

    method: str
    key: str = ""
    bucket: str = "photos"
    query: dict[str, str | None] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    needs: tuple[str, ...] = ()
    done: int | None = 200


VERSION = "the older version of cat.jpg"
LIFECYCLE = lifecycle(rule("<Expiration><Days>9</Days></Expiration>"))
ENABLED = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
PRIVATE = {"x-svc-acl": "private"}
ATTRIBUTES = {"x-svc-object-attributes": "ETag"}
TAGGING = b"<Tagging><TagSet><Tag><Key>color</Key><Value>red</Value></Tag></TagSet></Tagging>"
PAYMENT = b"<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>"
CONTROLS = b"<OwnershipControls><Rule><ObjectOwnership>ObjectWriter</ObjectOwnership></Rule></OwnershipControls>"
OBJECT_LOCK = b"<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>"
ACCELERATE = b"<AccelerateConfiguration><Status>Enabled</Status></AccelerateConfiguration>"
LOGGING = b"<BucketLoggingStatus/>"
NOTIFICATION = b"<NotificationConfiguration/>"
REPLICATION = (
    b"<ReplicationConfiguration><Role>r</Role><Rule><Status>Enabled</Status><Destination><Bucket>arn:aws:s3:::photos"
    b"</Bucket></Destination></Rule></ReplicationConfiguration>"
)
WEBSITE = b"<WebsiteConfiguration><IndexDocument><Suffix>index</Suffix></IndexDocument></WebsiteConfiguration>"
CORS = (
    b"<CORSConfiguration><CORSRule><AllowedMethod>PUT</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>"
    b"</CORSConfiguration>"
)
PREFLIGHT = {"Origin": "https://app.test", "Access-Control-Request-Method": "PUT"}
ENCRYPTION = (
    b"<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm>"
    b"</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>"
)
#: Settings of the bucket, so that there is something to read.
SETTINGS = {"tagging": TAGGING, "encryption": ENCRYPTION, "cors": CORS, "replication": REPLICATION, "website": WEBSITE}
RETENTION = b"<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2090-01-01T00:00:00Z</RetainUntilDate></Retention>"
LEGAL_HOLD = b"<LegalHold><Status>OFF</Status></LegalHold>"
FORM = {"Content-Type": FORM_TYPE}
RESTORE = b"<RestoreRequest><Days>1</Days></RestoreRequest>"


def everything(effect: str, **more: object) -> dict[str, object]:
    return statement(effect, "*", "*", ["photos", "photos/*"], **more)


#: Requests come over http.
HELD = {"Bool": {"aws:SecureTransport": "false"}}
NOT_HELD = {"Bool": {"aws:SecureTransport": "true"}}


#: The configurations of a bucket that only its owner reads and changes without a policy: the document of a PUT.
OWNERS_SETTINGS = {
    **SETTINGS,
    "versioning": ENABLED,
    "lifecycle": LIFECYCLE,
    "requestPayment": PAYMENT,
    "ownershipControls": CONTROLS,
    "publicAccessBlock": b"<PublicAccessBlockConfiguration/>",
    "object-lock": OBJECT_LOCK,
    "accelerate": ACCELERATE,
    "logging": LOGGING,
    "notification": NOTIFICATION,
}
#: The configurations of which a bucket can have several: the document of a PUT with the id `a`.
WITH_ID = {
    "analytics": b"<AnalyticsConfiguration><Id>a</Id><StorageClassAnalysis/></AnalyticsConfiguration>",
    "intelligent-tiering": b"<IntelligentTieringConfiguration><Id>a</Id><Status>Enabled</Status><Tiering>"
    b"<Days>90</Days><AccessTier>ARCHIVE_ACCESS</AccessTier></Tiering></IntelligentTieringConfiguration>",
    "inventory": b"<InventoryConfiguration><Destination><S3BucketDestination><Bucket>arn:aws:s3:::photos</Bucket>"
    b"<Format>CSV</Format></S3BucketDestination></Destination><IsEnabled>true</IsEnabled><Id>a</Id>"
    b"<IncludedObjectVersions>All</IncludedObjectVersions><Schedule><Frequency>Daily</Frequency></Schedule>"
    b"</InventoryConfiguration>",
    "metrics": b"<MetricsConfiguration><Id>a</Id></MetricsConfiguration>",
}
READ, WRITE, READ_ACP, WRITE_ACP = ("bucket READ", "bucket WRITE", "bucket READ_ACP", "bucket WRITE_ACP")
ASKS = {
    "GET Service": Ask("GET", bucket=""),
    "PUT Bucket": Ask("PUT", bucket="fresh"),
    "PUT Bucket: taken": Ask("PUT"),
    "HEAD Bucket": Ask("HEAD", needs=(READ,)),
    "DELETE Bucket": Ask("DELETE", done=204),
    "GET Bucket": Ask("GET", needs=(READ,)),
    "GET Bucket version 2": Ask("GET", query={"list_type": "2"}, needs=(READ,)),
    "GET Bucket Object versions": Ask("GET", query={"versions": None}, needs=(READ,)),
    "GET Bucket location": Ask("GET", query={"location": None}),
    "GET Bucket policy": Ask("GET", query={"policy": None}),
    "GET Bucket policyStatus": Ask("GET", query={"policyStatus": None}),
    "PUT Bucket policy": Ask("PUT", query={"policy": None}, body=policy(everything("Allow")), done=204),
    "DELETE Bucket policy": Ask("DELETE", query={"policy": None}, done=204),
    "GET Bucket ACL": Ask("GET", query={"acl": None}, needs=(READ_ACP,)),
    "PUT Bucket ACL": Ask("PUT", query={"acl": None}, headers=PRIVATE, needs=(WRITE_ACP,)),
    "POST Object": Ask("POST", headers=FORM, body=form_body({"key": "new.jpg"}), needs=(WRITE,), done=204),
    "POST Object: with ACL and tags": Ask(
        "POST",
        headers=FORM,
        body=form_body({"key": "new.jpg", "acl": "private", "tagging": TAGGING.decode()}),
        done=204,
    ),
    "POST Bucket delete": Ask(
        "POST", query={"delete": None}, body=b"<Delete><Object><Key>cat.jpg</Key></Object></Delete>", needs=(WRITE,)
    ),
    "POST Bucket delete: a version": Ask(
        "POST",
        query={"delete": None},
        body=f"<Delete><Object><Key>cat.jpg</Key><VersionId>{VERSION}</VersionId></Object></Delete>".encode(),
    ),
    "PUT Object": Ask("PUT", "new.jpg", body=b"new", needs=(WRITE,)),
    "PUT Object: over another's": Ask("PUT", "cat.jpg", body=b"new", needs=(WRITE,)),
    "PUT Object Copy": Ask(
        "PUT", "copy.jpg", headers={"x-svc-copy-source": "/photos/cat.jpg"}, needs=(WRITE, "object READ")
    ),
    "PUT Object Copy: of a version": Ask(
        "PUT",
        "copy.jpg",
        headers={"x-svc-copy-source": f"/photos/cat.jpg?versionId={VERSION}"},
        needs=(WRITE, "object READ"),
    ),
    "PUT Object Copy: of a public one": Ask(
        "PUT", "copy.jpg", headers={"x-svc-copy-source": "/photos/public.jpg"}, needs=(WRITE,)
    ),
    "PUT Object Copy: to a public place": Ask(
        "PUT", "copy.jpg", "public", headers={"x-svc-copy-source": "/photos/cat.jpg"}, needs=("object READ",)
    ),
    "GET Object": Ask("GET", "cat.jpg", needs=("object READ",)),
    "GET Object: a version": Ask("GET", "cat.jpg", query={"versionId": VERSION}, needs=("object READ",)),
    "GET Object: missing": Ask("GET", "dog.jpg", needs=(READ,), done=404),
    "HEAD Object": Ask("HEAD", "cat.jpg", needs=("object READ",)),
    "HEAD Object: a version": Ask("HEAD", "cat.jpg", query={"versionId": VERSION}, needs=("object READ",)),
    "HEAD Object: missing": Ask("HEAD", "dog.jpg", needs=(READ,), done=404),
    "GET Object ACL": Ask("GET", "cat.jpg", query={"acl": None}, needs=("object READ_ACP",)),
    "GET Object ACL: a version": Ask(
        "GET", "cat.jpg", query={"acl": None, "versionId": VERSION}, needs=("object READ_ACP",)
    ),
    "GET Object ACL: missing": Ask("GET", "dog.jpg", query={"acl": None}, needs=(READ,), done=404),
    "PUT Object ACL": Ask("PUT", "cat.jpg", query={"acl": None}, headers=PRIVATE, needs=("object WRITE_ACP",)),
    "PUT Object ACL: a version": Ask(
        "PUT", "cat.jpg", query={"acl": None, "versionId": VERSION}, headers=PRIVATE, needs=("object WRITE_ACP",)
    ),
    "PUT Object ACL: missing": Ask("PUT", "dog.jpg", query={"acl": None}, headers=PRIVATE, needs=(READ,), done=404),
    "GET Object attributes": Ask(
        "GET", "cat.jpg", query={"attributes": None}, headers=ATTRIBUTES, needs=("object READ",)
    ),
    "GET Object attributes: a version": Ask(
        "GET", "cat.jpg", query={"attributes": None, "versionId": VERSION}, headers=ATTRIBUTES, needs=("object READ",)
    ),
    "GET Object tagging": Ask("GET", "cat.jpg", query={"tagging": None}),
    "GET Object tagging: a version": Ask("GET", "cat.jpg", query={"tagging": None, "versionId": VERSION}),
    "PUT Object tagging": Ask("PUT", "cat.jpg", query={"tagging": None}, body=TAGGING),
    "PUT Object tagging: a version": Ask("PUT", "cat.jpg", query={"tagging": None, "versionId": VERSION}, body=TAGGING),
    "DELETE Object tagging": Ask("DELETE", "cat.jpg", query={"tagging": None}, done=204),
    "DELETE Object tagging: a version": Ask(
        "DELETE", "cat.jpg", query={"tagging": None, "versionId": VERSION}, done=204
    ),
    "POST Object restore": Ask("POST", "cat.jpg", query={"restore": None}, body=RESTORE),
    "OPTIONS Service": Ask("OPTIONS", bucket="", headers=PREFLIGHT),
    "OPTIONS Bucket": Ask("OPTIONS", query={"delete": None}, headers=PREFLIGHT),
    "OPTIONS Object": Ask("OPTIONS", "cat.jpg", headers=PREFLIGHT),
    "GET Object retention": Ask("GET", "cat.jpg", query={"retention": None}),
    "PUT Object retention": Ask("PUT", "cat.jpg", query={"retention": None}, body=RETENTION.replace(b"2090", b"2091")),
    "GET Object legal-hold": Ask("GET", "cat.jpg", query={"legal_hold": None}),
    "PUT Object legal-hold": Ask("PUT", "cat.jpg", query={"legal_hold": None}, body=LEGAL_HOLD),
    "DELETE Object": Ask("DELETE", "cat.jpg", needs=(WRITE,), done=204),
    "DELETE Object: a version": Ask("DELETE", "cat.jpg", query={"versionId": VERSION}, done=204),
}
for name, body in OWNERS_SETTINGS.items():
    query = {name.replace("-", "_"): None}
    ASKS[f"GET Bucket {name}"] = Ask("GET", query=query)
    ASKS[f"PUT Bucket {name}"] = Ask("PUT", query=query, body=body, done=204 if name == "tagging" else 200)
    ASKS[f"DELETE Bucket {name}"] = Ask("DELETE", query=query, done=204)
for name, body in WITH_ID.items():
    query = {name.replace("-", "_"): None}
    ASKS[f"List Bucket {name}"] = Ask("GET", query=query)
    ASKS[f"GET Bucket {name}"] = Ask("GET", query={**query, "id": "a"})
    ASKS[f"PUT Bucket {name}"] = Ask("PUT", query={**query, "id": "a"}, body=body)
    ASKS[f"DELETE Bucket {name}"] = Ask("DELETE", query={**query, "id": "a"}, done=204)
#: The operations that cannot succeed in this bucket, or need an upload. They have tests of their own.
TESTED_ELSEWHERE = {
    "Abort Multipart Upload",
    "Complete Multipart Upload",
    "Initiate Multipart Upload",
    "List Multipart Uploads",
    "List Parts",
    "Upload Part",
    "Upload Part Copy",
}
OPERATIONS = {each.name: each for each in operations() if each.name not in TESTED_ELSEWHERE}
for name, each in OPERATIONS.items():
    if name not in ASKS:
        key = "cat.jpg" if each.scope == "object" else ""
        query = {parameter.replace("-", "_"): value for parameter, value in each.query.items()}
        ASKS[name] = Ask(each.method, key, query=query, headers=each.headers("x-svc-"), done=None)
OTHERS, *ROWS = [re.split(r"\s{2,}", line) for line in TABLE.strip().splitlines()[3:] if line]
#: The cells of each row, one for each situation.
EXPECTED = {
    **{name: OTHERS[1:] for name in ASKS if name in OPERATIONS or ":" in name},
    **{name: cells for name, *cells in ROWS},
}
#: Rows whose answer depends on no grant: every account may do it, or the row has an error of its own.
WITHOUT_GRANTS = {
    "GET Service",
    "PUT Bucket",
    "PUT Bucket: taken",
    "OPTIONS Service",
    "OPTIONS Bucket",
    "OPTIONS Object",
}
GROUP = f'uri="{AUTHENTICATED_USERS}"'
FULL_CONTROL = ("bucket FULL_CONTROL", "object FULL_CONTROL")
SINGLE_GRANTS = [
    f"{resource} {permission}"
    for resource in ("bucket", "object")
    for permission in ("READ", "WRITE", "READ_ACP", "WRITE_ACP", "FULL_CONTROL")
]


def is_success(ask: Ask, status: int, code: str | None) -> bool:
    if ask.done is not None:
        return status == ask.done and code in (None, "NoSuchKey")
    return (status < 300 and code is None) or code in AFTER_AUTHORIZATION


@dataclass(frozen=True)
class Answer:
    """The answer to one request, as a letter of the table, and what else is to be seen of it."""

    letter: str
    explanation: str
    #: Whether a refused request changed something.
    changed: bool


class World:
    """A store with the bucket and the object, before anything is granted."""

    def __init__(self, *, empty: bool) -> None:
        self.store = FakeStore()
        self.accounts = {name: self.store.create_account(name) for name in ACCOUNTS}
        self.accounts["unknown"] = Account("0" * 64, "stranger", None, "AKSTRANGER", "secret")
        owner, uploader = self.accounts["owner"], self.accounts["uploader"]
        self.store.create_bucket("public", owner=owner, acl="public-read-write")
        photos = self.store.create_bucket("photos", owner=owner, object_lock=True)
        photos.object_ownership, photos.public_access_block = "ObjectWriter", PublicAccessBlock()
        photos.expire(rule_id="someday", days=1000)
        for query, body in SETTINGS.items():
            reply = request(self.store, "PUT", "photos", account=owner, body=body, **{query: None})
            assert reply.status in (200, 204)
        for name, body in WITH_ID.items():
            query = {name.replace("-", "_"): None, "id": "a"}
            assert request(self.store, "PUT", "photos", account=owner, body=body, **query).status == 200
        if not empty:
            photos.put("public.jpg", b"for all", account=uploader, acl="public-read")
            photos.put("cat.jpg", b"kitten", account=uploader)
            photos.put("cat.jpg", b"meow", account=uploader)
            for query, body in (("retention", RETENTION), ("legal-hold", LEGAL_HOLD)):
                # Only of the current version: the older one is deleted below.
                reply = request(self.store, "PUT", "photos", "cat.jpg", account=owner, body=body, **{query: None})
                assert reply.status == 200
        self.versions = [] if empty else [version.version_id for version in photos.versions("cat.jpg")]
        # A policy about another account, so that there is one to read.
        put_policy(self.store, "photos", statement("Allow", self.store.default_account, "s3:GetObject", "photos/*"))
        self.beginning = self.store.snapshot()
        self.arranged: dict[object, tuple[Snapshot, object]] = {}

    def arrange(self, situation: str, requester: str, needs: tuple[str, ...]) -> None:
        """Begin again in this situation. The world keeps every situation that it has arranged."""
        grantee = GROUP if requester == "member" else self.by_id("grantee")
        wanted = (situation, grantee, needs) if situation == "granted" else situation
        if wanted not in self.arranged:
            self.store.restore(self.beginning)
            self.change(situation, grantee, needs or FULL_CONTROL)
            self.arranged[wanted] = self.store.snapshot(), state_of(self.store)
        snapshot, self.before = self.arranged[wanted]
        self.store.restore(snapshot)

    def change(self, situation: str, grantee: str, grants: tuple[str, ...]) -> None:
        if situation == "granted":
            self.grant(grantee, grants)
        elif situation == "allowed":
            put_policy(self.store, "photos", everything("Allow"))
        elif situation == "if held":
            put_policy(self.store, "photos", everything("Allow", Condition=HELD))
        elif situation == "if not":
            statements = [everything(effect, Condition=NOT_HELD) for effect in ("Allow", "Deny")]
            put_policy(self.store, "photos", *statements)
        elif situation == "denied":
            self.grant(GROUP, FULL_CONTROL)
            put_policy(self.store, "photos", everything("Deny"))

    def by_id(self, name: str) -> str:
        return f'id="{self.accounts[name].id}"'

    def grant(self, grantee: str, grants: tuple[str, ...]) -> None:
        """Grant on the bucket and on both versions of the object, beside what their owners have."""
        for resource, owner in (("bucket", "owner"), ("object", "uploader")):
            headers = {"x-svc-grant-full-control": self.by_id(owner)}
            for permission in (each.split()[1] for each in grants if each.startswith(resource)):
                name = f"x-svc-grant-{permission.lower().replace('_', '-')}"
                headers[name] = f"{headers[name]}, {grantee}" if name in headers else grantee
            queries = [{"versionId": each} for each in self.versions] if resource == "object" else [{}]
            for query in queries:
                key = "cat.jpg" if query else ""
                account = self.accounts[owner]
                reply = request(self.store, "PUT", "photos", key, account=account, headers=headers, acl=None, **query)
                assert reply.status == 200

    def answer(self, row: str, requester: str) -> Answer:
        ask = ASKS[row]
        older = self.versions[-1] if self.versions else ""
        headers = {name: value.replace(VERSION, older) for name, value in ask.headers.items()}
        if requester == "anonymous":
            headers["Authorization"] = None
        reply = request(
            self.store,
            ask.method,
            ask.bucket,
            ask.key,
            account=self.accounts.get(requester),
            headers=headers,
            body=ask.body.replace(VERSION.encode(), older.encode()),
            **{name: value and value.replace(VERSION, older) for name, value in ask.query.items()},
        )
        exchange = self.store.exchanges[-1]
        assert exchange.operation == row.partition(":")[0]
        # A DELETE of many objects answers 200 and refuses each key on its own.
        refused = re.search(b"<Error>.*<Code>(.*)</Code>", bytes(reply.body))
        code = exchange.error_code or (refused and refused[1].decode())
        done = is_success(ask, exchange.status, code)
        letter = "+" if done else LETTERS.get(code or "", f"<{exchange.status} {code}>")
        is_refused = not done or exchange.status >= 400
        return Answer(letter, exchange.explanation or "", is_refused and state_of(self.store) != self.before)


@pytest.fixture(scope="module")
def worlds() -> dict[bool, World]:
    """A world with objects, and one without."""
    return {empty: World(empty=empty) for empty in (False, True)}


def test_only_some_errors_stand_for_a_success():
    ask = Ask("GET", done=None)
    assert is_success(ask, 204, None)
    assert is_success(ask, 400, "MalformedXML")
    for status, code in [(500, "InternalError"), (400, "InvalidRequest"), (200, "AccessDenied"), (304, None)]:
        assert not is_success(ask, status, code)


def test_table_names_operations():
    assert {row.partition(":")[0] for row in EXPECTED} == OPERATIONS.keys()


@pytest.mark.statement("5-06", "5-07", "5-08", "5-09", "3-08", "3-09", "4.2-11")
@pytest.mark.decision("permissions", "anonymous-requests")
@pytest.mark.parametrize("method", METHODS)
def test_operations_answer_each_requester_as_the_table_says(worlds, method):
    wrong = []
    for row, (private, granted, allowed, denied) in EXPECTED.items():
        if ASKS[row].method != method:
            continue
        world = worlds[row == "DELETE Bucket"]
        expected = dict(zip(SITUATIONS, (private, granted, allowed, denied, allowed, private), strict=True))
        for situation, letters in expected.items():
            answers = {}
            for requester in REQUESTERS:
                world.arrange(situation, requester, ASKS[row].needs)
                answers[requester] = world.answer(row, requester)
            answered = "".join(answer.letter for answer in answers.values())
            if answered != letters:
                wrong.append(f"{row}, {situation}: answered {answered}, expected {letters}")
            for requester, answer in answers.items():
                if answer.changed:
                    wrong.append(f"{row}, {situation}: refused {requester} and changed something")
                missing = [name for name in names_of_refusal(requester, answer) if name not in answer.explanation]
                if missing:
                    wrong.append(f"{row}, {situation}: without {missing} for {requester}: {answer.explanation}")
    assert not wrong, "\n".join(wrong)


def names_of_refusal(requester: str, answer: Answer) -> tuple[str, ...]:
    """Return what the explanation of a refusal must name."""
    if answer.letter in "+bsf":
        return ()
    return {"unknown": ("AKSTRANGER",), "anonymous": ("Authorization",)}.get(requester, (requester, "s3:", "photos"))


@pytest.mark.statement("5-06")
@pytest.mark.decision("permissions")
@pytest.mark.parametrize("method", [method for method in METHODS if method != "OPTIONS"])
def test_no_other_single_grant_is_enough(worlds, method):
    wrong = []
    for row in EXPECTED.keys() - WITHOUT_GRANTS:
        world, ask = worlds[row == "DELETE Bucket"], ASKS[row]
        if ask.method != method:
            continue
        alone = [ask.needs[0], f"{ask.needs[0].split()[0]} FULL_CONTROL"] if len(ask.needs) == 1 else []
        for grant in SINGLE_GRANTS:
            world.arrange("granted", "grantee", (grant,))
            answer = world.answer(row, "grantee")
            if (answer.letter == "+") != (grant in alone):
                wrong.append(f"{row}: the grant {grant} alone answered {answer.letter}")
            named = not ask.needs or any(each.split()[1] in answer.explanation for each in ask.needs)
            if answer.letter != "+" and not named:
                wrong.append(f"{row}: with {grant}, none of {ask.needs} is named: {answer.explanation}")
    assert not wrong, "\n".join(wrong)
