"""Who may do what: every operation, every kind of requester, every way to be let in or kept out.

The bucket "photos" belongs to its owner and the object "cat.jpg" in it to somebody else, its uploader.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, field

import pytest
import requests

from fakestore import Account, FakeStore
from fakestore.operations import OPERATION_NAMES
from tests.trust.fingerprint import fingerprint

# How each situation came about:
#   private   nothing was granted: the bucket and the object have the ACL that they are made with
#   granted   what the operation needs is granted: to the grantee by id, to the group member by the group's URI;
#             where no grant is enough, FULL_CONTROL of the bucket and of the object
#   allowed   private, and the policy allows everybody everything
#   denied    FULL_CONTROL of everything is granted to everybody, and the policy denies everybody everything
#
# Who asks: O the bucket's owner, U the uploader, G the grantee, X another account, M a member of the group,
#           k with an access key that nobody has, n without Authorization
#
# What is answered: + it is done, - 403 AccessDenied, k 403 InvalidAccessKeyId, b 409 BucketAlreadyExists
TABLE = """
                                    private  granted  allowed  denied
                                    OUGXMkn  OUGXMkn  OUGXMkn  OUGXMkn

GET Service                         +++++k-  +++++k-  +++++k-  +++++k-
PUT Bucket                          +++++k-  +++++k-  +++++k-  +++++k-
PUT Bucket: taken                   +bbbbk-  +bbbbk-  +bbbbk-  -bbbbk-
HEAD Bucket                         +----k-  +-+-+k-  +++++k-  -----k-
DELETE Bucket                       +----k-  +----k-  +++++k-  -----k-
GET Bucket                          +----k-  +-+-+k-  +++++k-  -----k-
GET Bucket version 2                +----k-  +-+-+k-  +++++k-  -----k-
GET Bucket Object versions          +----k-  +-+-+k-  +++++k-  -----k-
GET Bucket location                 +----k-  +----k-  +++++k-  -----k-
GET Bucket versioning               +----k-  +----k-  +++++k-  -----k-
PUT Bucket versioning               +----k-  +----k-  +++++k-  -----k-
GET Bucket lifecycle                +----k-  +----k-  +++++k-  -----k-
PUT Bucket lifecycle                +----k-  +----k-  +++++k-  -----k-
DELETE Bucket lifecycle             +----k-  +----k-  +++++k-  -----k-
GET Bucket policy                   +----k-  +----k-  +----k-  +----k-
PUT Bucket policy                   +----k-  +----k-  +----k-  +----k-
DELETE Bucket policy                +----k-  +----k-  +----k-  +----k-
GET Bucket ACL                      +----k-  +-+-+k-  +++++k-  -----k-
PUT Bucket ACL                      +----k-  +-+-+k-  +++++k-  -----k-
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
DELETE Object                       +----k-  +-+-+k-  +++++k-  -----k-
DELETE Object: a version            +----k-  +----k-  +----k-  -----k-
"""

SITUATIONS = ("private", "granted", "allowed", "denied")
REQUESTERS = ("owner", "uploader", "grantee", "other", "member", "unknown", "nobody")
ACCOUNTS = REQUESTERS[:5]
LETTERS = {"AccessDenied": "-", "InvalidAccessKeyId": "k", "BucketAlreadyExists": "b"}

EXPECTED = {
    (name.strip(), situation): cells
    for name, *row in (re.split(r"\s{2,}", line) for line in TABLE.strip().splitlines()[3:])
    for situation, cells in zip(SITUATIONS, row, strict=True)
}
ROWS = list(dict.fromkeys(name for name, _ in EXPECTED))


@dataclass(frozen=True)
class Ask:
    """How a row asks, and which grants on the bucket and the object together are enough; none: no grant is."""

    method: str
    key: str = ""
    bucket: str = "photos"
    query: dict[str, str | None] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    needs: tuple[str, ...] = ()
    done: int = 200


VERSION = "the older version of cat.jpg"
LIFECYCLE = (
    b"<LifecycleConfiguration><Rule><ID>r</ID><Prefix/><Status>Enabled</Status>"
    b"<Expiration><Days>9</Days></Expiration></Rule></LifecycleConfiguration>"
)
ENABLED = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
PRIVATE = {"x-svc-acl": "private"}


def policy(effect: str, action: str = "*", principal: object = "*") -> bytes:
    resources = ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"]
    statement = {"Effect": effect, "Principal": principal, "Action": action, "Resource": resources}
    return json.dumps({"Statement": statement}).encode()


READ, WRITE, READ_ACP, WRITE_ACP = ("bucket READ", "bucket WRITE", "bucket READ_ACP", "bucket WRITE_ACP")
ASKS = {
    "GET Service": Ask("GET", bucket=""),
    "PUT Bucket": Ask("PUT", bucket="fresh"),
    "PUT Bucket: taken": Ask("PUT"),
    "HEAD Bucket": Ask("HEAD", needs=(READ,)),
    "DELETE Bucket": Ask("DELETE", done=204),
    "GET Bucket": Ask("GET", needs=(READ,)),
    "GET Bucket version 2": Ask("GET", query={"list-type": "2"}, needs=(READ,)),
    "GET Bucket Object versions": Ask("GET", query={"versions": None}, needs=(READ,)),
    "GET Bucket location": Ask("GET", query={"location": None}),
    "GET Bucket versioning": Ask("GET", query={"versioning": None}),
    "PUT Bucket versioning": Ask("PUT", query={"versioning": None}, body=ENABLED),
    "GET Bucket lifecycle": Ask("GET", query={"lifecycle": None}),
    "PUT Bucket lifecycle": Ask("PUT", query={"lifecycle": None}, body=LIFECYCLE),
    "DELETE Bucket lifecycle": Ask("DELETE", query={"lifecycle": None}, done=204),
    "GET Bucket policy": Ask("GET", query={"policy": None}),
    "PUT Bucket policy": Ask("PUT", query={"policy": None}, body=policy("Allow"), done=204),
    "DELETE Bucket policy": Ask("DELETE", query={"policy": None}, done=204),
    "GET Bucket ACL": Ask("GET", query={"acl": None}, needs=(READ_ACP,)),
    "PUT Bucket ACL": Ask("PUT", query={"acl": None}, headers=PRIVATE, needs=(WRITE_ACP,)),
    "POST Bucket delete": Ask(
        "POST",
        query={"delete": None},
        body=b"<Delete><Object><Key>cat.jpg</Key></Object></Delete>",
        needs=(WRITE,),
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
    "DELETE Object": Ask("DELETE", "cat.jpg", needs=(WRITE,), done=204),
    "DELETE Object: a version": Ask("DELETE", "cat.jpg", query={"versionId": VERSION}, done=204),
}
#: What any account may do without any grant.
FOR_ALL = {"GET Service", "PUT Bucket"}
#: What is answered by who owns the bucket alone, with an error of its own.
FOR_OWNERS_OF_THE_NAME = {"PUT Bucket: taken"}


@dataclass(frozen=True)
class Answer:
    """What came of one request; ``code`` and ``explanation`` are ``None`` where it was done."""

    status: int | None
    code: str | None
    explanation: str | None
    changed: bool

    def letter(self, done: int) -> str:
        if self.status == done and self.code in (None, "NoSuchKey"):
            return "+"
        return LETTERS.get(self.code or "", f"<{self.status} {self.code}>")


class World:
    """A store with the bucket and the object, before anything is granted."""

    def __init__(self, *, empty: bool = False) -> None:
        self.store = FakeStore()
        self.accounts = {name: self.store.create_account(name) for name in ACCOUNTS}
        owner, uploader = self.accounts["owner"], self.accounts["uploader"]
        self.store.create_bucket("public", owner=owner, acl="public-read-write")
        photos = self.store.create_bucket("photos", owner=owner, versioning="enabled")
        photos.expire(rule_id="someday", days=1000)
        self.versions: list[str] = []
        if not empty:
            photos.put("public.jpg", b"for all", account=uploader, acl="public-read")
            older = photos.put("cat.jpg", b"kitten", account=uploader)
            newer = photos.put("cat.jpg", b"meow", account=uploader)
            self.versions = [older.version_id, newer.version_id]
        # A policy that speaks of somebody else, so that there is one to read.
        somebody = self.store.create_account("somebody")
        self.set_policy(policy("Allow", "s3:GetObject", {"AWS": somebody.id}))
        self.beginning = self.store.snapshot()

    def set_policy(self, document: bytes) -> None:
        self.ask("owner", "PUT", self.store.url("photos", policy=None), data=document).raise_for_status()

    def grant(self, grantee: str, grants: tuple[str, ...]) -> None:
        """Grant on the bucket and on both versions of the object, beside what their owners have."""
        for thing, owner in (("bucket", "owner"), ("object", "uploader")):
            headers = {"x-svc-grant-full-control": f'id="{self.accounts[owner].id}"'}
            for granted in grants:
                if granted.startswith(thing):
                    name = f"x-svc-grant-{granted.split()[1].lower().replace('_', '-')}"
                    headers[name] = f"{headers[name]}, {grantee}" if name in headers else grantee
            for version in [None] if thing == "bucket" else self.versions:
                url = self.store.url("photos", "" if version is None else "cat.jpg", acl=None)
                url += "" if version is None else f"&versionId={version}"
                self.ask(owner, "PUT", url, headers=headers).raise_for_status()

    def ask(self, requester: str, method: str, url: str, **arguments: object) -> requests.Response:
        session = requests.Session()
        session.trust_env = False
        session.mount("http://", self.store.adapter())
        if requester == "unknown":
            session.auth = self.store.auth(Account("0" * 64, "stranger", None, "AKSTRANGER", "secret"))
        elif requester != "nobody":
            session.auth = self.store.auth(self.accounts[requester])
        return session.request(method, url, **arguments)

    def seen(self) -> object:
        """All that a refused request could have changed."""
        return fingerprint(self.store)


@functools.cache
def world_once(*, empty: bool) -> World:
    return World(empty=empty)


def new_world(name: str) -> World:
    """The world that a row is asked in, as it began."""
    world = world_once(empty=name == "DELETE Bucket")
    world.store.restore(world.beginning)
    return world


GROUP = 'uri="http://acs.amazonaws.com/groups/global/AuthenticatedUsers"'
FULL_CONTROL = ("bucket FULL_CONTROL", "object FULL_CONTROL")


def world_of(name: str, situation: str, requester: str) -> World:
    world = new_world(name)
    if situation == "granted":
        grantee = GROUP if requester == "member" else f'id="{world.accounts["grantee"].id}"'
        world.grant(grantee, ASKS[name].needs or FULL_CONTROL)
    elif situation == "allowed":
        world.set_policy(policy("Allow"))
    elif situation == "denied":
        world.grant(GROUP, FULL_CONTROL)
        world.set_policy(policy("Deny"))
    return world


def answer(world: World, name: str, requester: str) -> Answer:
    ask = ASKS[name]
    version = world.versions[0] if world.versions else ""
    query = {key: value and value.replace(VERSION, version) for key, value in ask.query.items()}
    headers = {key: value.replace(VERSION, version) for key, value in ask.headers.items()}
    url = world.store.url(ask.bucket, ask.key, **query) if ask.bucket else world.store.base_url
    before = world.seen()
    response = world.ask(
        requester, ask.method, url, headers=headers, data=ask.body.replace(VERSION.encode(), version.encode())
    )
    exchange = world.store.exchanges[-1]
    assert exchange.operation == name.partition(":")[0]
    # Of many keys, each is refused within an answer of 200.
    each = re.search("<Error>.*<Code>(.*)</Code>", response.text)
    return Answer(
        exchange.status, exchange.error_code or (each and each[1]), exchange.explanation, world.seen() != before
    )


@functools.cache
def answers(name: str, situation: str) -> dict[str, Answer]:
    """What each requester is answered, each in a world of its own."""
    return {requester: answer(world_of(name, situation, requester), name, requester) for requester in REQUESTERS}


in_every_situation = pytest.mark.parametrize("situation", SITUATIONS)
of_every_row = pytest.mark.parametrize("name", ROWS)


def test_the_table_has_every_operation():
    assert {name.partition(":")[0] for name in ROWS} == set(OPERATION_NAMES)


@in_every_situation
@of_every_row
def test_an_operation_answers_each_requester_as_the_table_says(name, situation):
    done = ASKS[name].done
    assert "".join(each.letter(done) for each in answers(name, situation).values()) == EXPECTED[name, situation]


@in_every_situation
@of_every_row
def test_a_refused_request_changes_nothing(name, situation):
    refused = [each for each in answers(name, situation).values() if each.code is not None]
    assert [each.changed for each in refused] == [False] * len(refused)


WHY = (
    r"no {permissions} on (bucket 'photos'|object 'cat\.jpg' of uploader in bucket 'photos'); its grants are \w+:.+"
    r"|there is no such object, and without READ on bucket 'photos' that is not told; its grants are owner:.+"
    r"|it belongs to owner"
    r"|denied by Deny \* on photos, photos/\*"
)


@in_every_situation
@of_every_row
def test_a_denied_account_is_told_what_it_lacked_and_what_the_grants_are(name, situation):
    lacked = "|".join(each.split()[1] for each in ASKS[name].needs) or "nothing"
    why = WHY.replace("{permissions}", f"({lacked})")
    sentence = rf"{{}} may not s3:\w+ on 'photos(/(cat|new|copy|dog|public)\.jpg)?': ({why})"
    denied = {who: each for who, each in answers(name, situation).items() if each.code == "AccessDenied"}
    told = {who: each.explanation for who, each in denied.items() if who in ACCOUNTS}
    assert [text for who, text in told.items() if not re.fullmatch(sentence.replace("{}", who), text or "")] == []


@in_every_situation
@of_every_row
def test_whoever_is_not_known_is_told_how_to_be(name, situation):
    unknown, nobody = answers(name, situation)["unknown"], answers(name, situation)["nobody"]
    assert "no account has the access key 'AKSTRANGER'; access keys: " in (unknown.explanation or "")
    assert "the request has no Authorization header" in (nobody.explanation or "")


SINGLE_GRANTS = [
    f"{thing} {permission}"
    for thing in ("bucket", "object")
    for permission in ("READ", "WRITE", "READ_ACP", "WRITE_ACP", "FULL_CONTROL")
]


@pytest.mark.parametrize("name", [name for name in ROWS if name not in FOR_ALL | FOR_OWNERS_OF_THE_NAME])
def test_no_other_grant_is_enough(name):
    needs = ASKS[name].needs
    enough = []
    for grant in SINGLE_GRANTS:
        world = new_world(name)
        world.grant(f'id="{world.accounts["grantee"].id}"', (grant,))
        if answer(world, name, "grantee").letter(ASKS[name].done) == "+":
            enough.append(grant)
    alone = needs[0] if len(needs) == 1 else None
    assert enough == [each for each in SINGLE_GRANTS if alone and each in (alone, f"{alone.split()[0]} FULL_CONTROL")]
