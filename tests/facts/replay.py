"""Sends the recorded requests to a store, and compares its answers with the recorded ones.

Source: recorded against the public service in 2026 (some in 2023) by the LocalStack project, whose snapshots are under
the Apache License 2.0. Only facts were used: the request and the answer. The situations are written anew as steps
that a program can carry out, and the ids are numbered within each topic. Headers have the prefix ``x-svc-``, which
stands for that of the dialect.

Every fact is replayed in each dialect (:data:`DIALECTS`) unless ``left_out.json`` says why not. What differs in one of
them is in the entry under the name of the dialect, and is merged into the entry there. :data:`ON_EVERY_OBJECT` is on
every answer that describes an object, :data:`ON_EVERY_COPY` on every answer to a copy, and
:data:`ON_EVERY_LISTED_OBJECT` in every listing of objects, so the entries do not repeat them.

An entry of ``<topic>.json``::

    {"id": "delete-014", "date": "2026-02-21",
     "given": [{"versioning": "enabled"}, {"PUT": "k", "body": "v", "as": "v1"},
               {"DELETE": "k", "query": {"versionId": "{v1}"}}],
     "request": {"GET": "k", "query": {"versionId": "{v1}"}},
     "answer": {"status": 404, "error": ["NoSuchVersion", "The specified ...", {"Key": "k", "VersionId": "{v1}"}]}}

``given`` begins with one bucket, ``bucket``, that was never versioned, and a clock that stands still. Its steps are:
    - ``{"<METHOD>": key, "query": ..., "headers": ..., "body": ..., "bucket": ..., "as": name}``: a request that must
      succeed. The key ``""`` is the bucket itself, the bucket ``null`` the service. ``as`` remembers the version
      that was written as ``{name}``, its entity tag as ``{name.etag}``, its time as ``{name.modified}``, an id that
      differs in its last characters as ``{name.altered}``, and the token of a page as ``{name.next}``;
    - ``{"versioning": state}``, also with a ``bucket``; ``{"create": name}``; ``{"travel": seconds}``;
      ``{"kms": {key: state}}``: the keys of the key management;
      ``{"keys": "test-{n}", "count": 10}``: that many small objects; ``{"open": true}``: the ownership controls and
      the public access block of the bucket are deleted.
With ``"anonymous": true`` a request carries no credentials, and with ``"endpoint"`` it is sent to the host of a region.
``options`` are those of the store.

``{"presign": "get_object", "signature": "s3v4", ...}`` is a request to a URL that botocore presigned. ``params`` and
``expires_in`` are botocore's; ``without`` names parameters that are left out of the URL, ``replace`` changes its text,
``add`` adds to it, and ``later`` is the number of seconds after which it is used.

``{"form": key, "signature": "s3v4", "file": [name, content], ...}`` is a browser form whose policy botocore made and
signed. A ``file`` that is a text has no name. ``fields`` are signed and sent, and ``conditions`` replace those on
their values. ``sent`` is sent in place of signed fields, ``without`` is not sent, ``cut`` shortens fields by a number
of characters, ``named`` sends fields by other names, and ``expires_in`` and ``later`` are as above. A dialect that does
not sign forms in their fields gets the form with an Authorization header.

``as`` remembers an upload that was begun as ``{name}``. A step with a ``status`` must fail with it.

``request`` has the form of such a request. ``base64`` is a body of bytes, ``times`` repeats a body, ``parts`` is the
document that completes an upload, with the entity tag of each part and its checksums, and a name in its query may
include its value: ``name=value``. ``{now}``, ``{now-1d}`` and ``{now+1d}`` are HTTP dates, and ``{owner}`` is the id of
the account that signs, ``{owner.number}`` its number and ``{owner.key}`` its access key. If ``for`` lists values, the
answer is the same for each of them as ``{p}``.

``answer`` is everything that was recorded and is supported:
    - ``headers``: of a success, all of them except those that every reply carries; of an error, those that are named.
      ``null`` means that the header is absent;
    - ``error``: code, message and further elements, or the first of these; ``elements``, their names alone; ``body``;
      ``json``, a body by its meaning;
    - ``document``: the children of the XML root, with lists in short: a version is ``key@version [latest] size``;
      ``root``, its name; ``namespace``; ``text``, its own text; ``ends``, its first and its last child; ``prolog``, the
      first line.
An id that ``given`` does not remember is ``(new)``, the token of a next page ``(token)``. ``asserted`` marks a fact of
which only the named parts are known. ``but`` names what is not compared, and why. Content that was not recorded is
made up. A signature is real if the store verifies it.

Checksums and the client's ``encoding-type`` belong to the recording account or its client, and are left out unless the
fact is about them.
"""

from __future__ import annotations

import base64
import datetime
import gzip
import json
import re
from dataclasses import replace
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import botocore.session
import requests
from botocore.client import BaseClient
from botocore.config import Config
from botocore.handlers import validate_ascii_metadata
from freezegun.api import FrozenDateTimeFactory

from fakestore import DOCUMENT, S3, Account, BlockedEncryption, FakeStore
from fakestore.http import Reply, Request
from tests.support.forms import FORM_TYPE, form_body
from tests.support.wire import NEEDING_DIGEST, md5_base64

HERE = Path(__file__).parent
#: Files with facts of several topics.
MORE_FILES = ("checksums",)
#: The dialects in which facts are replayed, by name.
DIALECTS = {
    "document": DOCUMENT,
    # The answers were recorded before April 2026, when the service began to block customer keys in new buckets.
    "s3": replace(S3, semantics=replace(S3.semantics, default_blocked_encryption=BlockedEncryption.NONE)),
}
#: Headers of every answer that describes an object, by dialect.
ON_EVERY_OBJECT = {"document": {}, "s3": {"x-amz-server-side-encryption": "AES256"}}
#: Headers of every copy between buckets that were never versioned, by dialect (specification, sections 3 and 4.2).
ON_EVERY_COPY = {
    "document": {"x-svc-copy-source-version-id": "null", "x-svc-version-id": "null"},
    "s3": {},
}
START = datetime.datetime(2026, 2, 21, 12, 0, tzinfo=datetime.UTC)
SUCCESSES = range(200, 300)
METHODS = ("GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS")

#: Elements of every listed object, in addition to those of the facts, by dialect.
ON_EVERY_LISTED_OBJECT = {"document": set(), "s3": {"ChecksumAlgorithm", "ChecksumType"}}
#: On every reply, or dropped by the recorder; compared if an answer names them.
COMMON_HEADERS = {
    "accept-ranges",
    "connection",
    "content-length",
    "content-type",
    "date",
    "last-modified",
    "server",
    "transfer-encoding",
}
MULTIPART_PARAMETERS = {"uploads", "uploadId", "partNumber"}
REQUEST_IDS = ("request-id", "id-2")
COMMON_ELEMENTS = {"Bucket", "EncodingType", "LastModified", "Name"}
_ALGORITHMS = ("CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256")
CHECKSUM_ELEMENTS = {"ChecksumType", *(f"Checksum{name}" for name in _ALGORITHMS)}
COMMON_ERROR_ELEMENTS = {"Code", "Message", "RequestId", "HostId"}
_LISTS = {
    "Bucket",
    "CommonPrefixes",
    "Contents",
    "DeleteMarkers",
    "Deleted",
    "Error",
    "Part",
    "Rule",
    "Upload",
    "Versions",
}
_GROUPS = "http://acs.amazonaws.com/groups/"
_PLACEHOLDER = re.compile(r"(?<!\$)\{([a-z][a-z0-9.+-]*)\}")
_VERSION_ID = re.compile(r"(?![0-9a-f]{32})[A-Za-z0-9._]{32}")  # not the MD5 of something
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z")
_EXPIRY_DATE = re.compile(r'expiry-date="\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT"')


def load(name: str) -> list[dict]:
    """Return the entries of one of the JSON files in this folder."""
    return json.loads((HERE / f"{name}.json").read_text())


def load_counts() -> dict[str, int]:
    """Return the number of recorded facts of each topic."""
    return json.loads((HERE / "recorded.json").read_text())


def recorded_ids() -> list[str]:
    """Return the id of every fact of the topics that are replayed, in order."""
    return [f"{topic}-{number:03}" for topic, count in load_counts().items() for number in range(1, count + 1)]


def in_dialect(entry: dict, dialect: str) -> dict:
    """Return an entry as it is in a dialect: with its differences merged in, and the prefix of its headers."""
    merged = _merged({name: part for name, part in entry.items() if name not in DIALECTS}, entry.get(dialect, {}))
    return json.loads(json.dumps(merged).replace("x-svc-", DIALECTS[dialect].header_prefix))


def _merged(value, changes):
    """Return the value with the changes of a dialect: those of objects name by name, any other as a whole."""
    if not (isinstance(value, dict) and isinstance(changes, dict)):
        return changes
    return value | {name: _merged(value[name], each) if name in value else each for name, each in changes.items()}


def left_out(dialect: str) -> list[dict]:
    """Return the groups of facts that are not replayed in a dialect."""
    return [group for group in load("left_out") if dialect in group["dialects"]]


@cache
def replayed(dialect: str) -> list[dict]:
    """Return the facts that are replayed in a dialect."""
    missing = {each for group in left_out(dialect) for each in group["ids"]}
    return [
        in_dialect(fact, dialect)
        for name in (*topics(), *MORE_FILES)
        for fact in load(name)
        if fact["id"] not in missing
    ]


def topics() -> list[str]:
    return list(load_counts())


class Replay:
    """One store in which one situation is arranged, and what is remembered of it. `clock` is frozen already."""

    def __init__(
        self, clock: FrozenDateTimeFactory, dialect: str, value: str = "", options: dict | None = None
    ) -> None:
        clock.move_to(START)
        self._clock = clock
        self._dialect = DIALECTS[dialect]
        self._options = options or {}
        self._memory = {"p": value}
        self._ids: dict[str, str] = {}

    def __enter__(self) -> Replay:
        self.store = FakeStore(buckets=["bucket"], dialect=self._dialect, **self._options)
        owner = self.store.default_account.id
        self._memory["owner"], self._ids[owner] = owner, "owner"
        self._memory["owner.key"] = self.store.default_account.access_key_id
        self._memory["owner.number"] = self.store.default_account.number
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def arrange(self, step: dict) -> None:
        """Carry out a step of a situation."""
        if "create" in step:
            self.store.create_bucket(step["create"])
        elif "versioning" in step:
            self.store[step.get("bucket", "bucket")].versioning = step["versioning"]
        elif "kms" in step:
            for key_id, state in step["kms"].items():
                self.store.set_kms_key(key_id, state)
        elif "travel" in step:
            self._clock.tick(step["travel"])
        elif "open" in step:
            for subresource in ("ownershipControls", "publicAccessBlock"):
                self.arrange({"DELETE": "", "query": {subresource: None}})
        elif "keys" in step:
            for n in range(step["count"]):
                self.store["bucket"].put(step["keys"].replace("{n}", str(n)))
        else:
            reply = self.send(step)
            is_as_planned = reply.status == step["status"] if "status" in step else reply.status < 400
            assert is_as_planned, f"the situation cannot be arranged: {step} got {reply.status} {reply.body}"
            if "as" in step:
                self._remember(step["as"], reply)

    def send(self, request: dict) -> Reply:
        """Send a request."""
        if "presign" in request:
            return self._send_presigned(request)
        if "form" in request:
            return self._send_form(request)
        method = next(name for name in METHODS if name in request)
        filled = self._filled(request)
        self._sent = str(filled)
        bucket, query = filled.get("bucket", "bucket"), {}
        for name, value in filled.get("query", {}).items():
            name, has_value, own = name.partition("=")
            query[name] = own if has_value else value
        url = f"{self.store.base_url}/" if bucket is None else self.store.url(bucket, filled[method], **query)
        if "endpoint" in filled:
            url = url.replace(".s3.", f".s3.{filled['endpoint']}.", 1)
        if bucket is None and query:
            url += "?" + "&".join(f"{name}={value}" for name, value in query.items())
        body = base64.b64decode(filled["base64"]) if "base64" in filled else filled.get("body", "").encode()
        body = _parts_document(filled["parts"]) if "parts" in filled else body * filled.get("times", 1)
        headers = dict(filled.get("headers", {}))
        # The client of the recording account sent a checksum.
        if method in ("PUT", "POST") and not NEEDING_DIGEST.isdisjoint(query):
            headers.setdefault("Content-MD5", md5_base64(body))
        return self._handle(method, url, headers, body, signed=not filled.get("anonymous"))

    def _handle(self, method: str, url: str, headers: dict, body: bytes, *, signed: bool) -> Reply:
        if signed and self._options.get("signatures") == "verify":
            headers = requests.Request(method, url, headers, data=body, auth=self.store.auth()).prepare().headers
        elif signed:
            key = self.store.default_account.access_key_id
            authorization = f"{self._dialect.auth_scheme} {key}:signature"
            headers = {"Date": _http_date(0)} | headers | {"Authorization": authorization}
        return self.store.handle(Request.to_url(method, url, headers, body))

    def _send_presigned(self, request: dict) -> Reply:
        """Send a request with a URL that botocore presigned."""
        filled = self._filled(request)
        self._sent = str(filled)
        url = presign(
            self.store.default_account,
            filled["presign"],
            {"Bucket": "bucket", "Key": "k"} | filled.get("params", {}),
            filled["signature"],
            filled.get("expires_in", 300),
        )
        base, _, query = url.partition("?")
        dropped = tuple(f"{name}=" for name in filled.get("without", ()))
        query = "&".join(part for part in query.split("&") if not part.startswith(dropped or "\n"))
        query = query.replace(*filled.get("replace", ("", "")))
        if "add" in filled:
            query += f"&{filled['add']}"
        self._clock.tick(filled.get("later", 0))
        method, body = filled["presign"].partition("_")[0].upper(), filled.get("body", "").encode()
        return self._handle(method, f"{base}?{query}", filled.get("headers", {}), body, signed=False)

    def _send_form(self, request: dict) -> Reply:
        """Send a browser form whose policy botocore signed."""
        filled = self._filled(request)
        self._sent = str(filled)
        is_signed_in_fields = bool(self._dialect.form_auth)
        fields = filled.get("fields", {})
        account = self.store.default_account
        form = _client(
            account.access_key_id, account.secret_key, filled["signature"] if is_signed_in_fields else "s3"
        ).generate_presigned_post(
            "bucket",
            filled["form"],
            Fields=fields,
            Conditions=filled.get("conditions", [{name: value} for name, value in fields.items()]),
            ExpiresIn=filled.get("expires_in", 300),
        )["fields"] | filled.get("sent", {})
        without = filled.get("without", []) + ([] if is_signed_in_fields else ["AWSAccessKeyId", "signature"])
        cut, named = filled.get("cut", {}), filled.get("named", {})
        parts = {
            named.get(name, name): value[: len(value) - cut.get(name, 0)].encode()
            for name, value in form.items()
            if name not in without
        }
        file = filled.get("file", ["file.txt", "something"])
        content = file.encode() if isinstance(file, str) else (file[0], file[1].encode())
        self._clock.tick(filled.get("later", 0))
        headers = {"Content-Type": FORM_TYPE} | filled.get("headers", {})
        body = form_body(parts, content)
        return self._handle("POST", self.store.url("bucket"), headers, body, signed=not is_signed_in_fields)

    def answer(self, reply: Reply, fact: dict) -> dict:
        """Return the reply in the form of the fact's answer."""
        answer = fact["answer"]
        found: dict = {"status": reply.status}
        headers = {name.lower(): self._symbol(value) for name, value in reply.headers.fields}
        prefix = self._dialect.header_prefix
        ids = {prefix + name for name in REQUEST_IDS} & headers.keys()
        headers |= dict.fromkeys(ids, "(id)")
        common = {name for name in headers if name.startswith(f"{prefix}checksum-")} | COMMON_HEADERS | ids
        common.add(f"{prefix}bucket-region")
        named = answer.get("headers", {})
        if reply.status in SUCCESSES and not fact.get("asserted"):
            found["headers"] = {name: value for name, value in headers.items() if name not in common}
            found["headers"] |= {name: headers.get(name) for name in named}
        elif named:
            found["headers"] = {name: headers.get(name) for name in named}
        if "body" in answer:
            found["body"] = _text(reply)
        if "json" in answer:
            found["json"] = json.loads(bytes(reply.body))
        if "prolog" in answer:
            found["prolog"] = _text(reply).partition("\n")[0] + "\n"
        if reply.headers.get("content-type", "").startswith(("text/xml", "application/xml")) and reply.body:
            found |= self._document(ElementTree.fromstring(bytes(reply.body)), answer)
        return _without(found, fact.get("but", {}))

    def _document(self, root: ElementTree.Element, answer: dict) -> dict:
        namespace = root.tag.rpartition("}")[0].removeprefix("{")
        for each in root.iter():
            each.tag = each.tag.rpartition("}")[2]
        if root.tag == "Error":
            elements = {each.tag: self._symbol(each.text or "") for each in root}
            resource = {"Resource"} if self._dialect.semantics.errors_name_resource else set()
            common = COMMON_ERROR_ELEMENTS | resource
            more = {name: value for name, value in elements.items() if name not in common}
            error = [elements["Code"], elements["Message"], more]
            found = {"error": error[: len(answer["error"])]} if "error" in answer else {}
            return found | ({"elements": sorted(more)} if "elements" in answer else {})
        found = {}
        if "namespace" in answer:
            found["namespace"] = namespace
        if "root" in answer:
            found["root"] = root.tag
        if "text" in answer:
            found["text"] = root.text or ""
        if "ends" in answer:
            found["ends"] = [root[0].tag, root[-1].tag]
        if "document" in answer:
            dropped = (COMMON_ELEMENTS | CHECKSUM_ELEMENTS) - set(answer["document"])
            found["document"] = {name: value for name, value in self._children(root).items() if name not in dropped}
        return found

    def _children(self, parent: ElementTree.Element) -> dict:
        children: dict = {}
        for child in parent:
            name, value = self._child(child)
            if name in _LISTS:
                children.setdefault(name, []).append(value)
            else:
                assert name not in children, f"<{parent.tag}> has two <{name}>"
                children[name] = value
        if "Contents" in children:
            children["Elements of Contents"] = ",".join(sorted(each.tag for each in parent.find("Contents")))
        for name in ("Deleted", "Error"):
            if name in children:  # they have no defined order
                children[name].sort(key=str)
        return children

    def _child(self, child: ElementTree.Element) -> tuple[str, object]:
        def of(name: str) -> str:
            return self._symbol(child.findtext(name) or "")

        match child.tag:
            case "Contents":
                return "Contents", of("Key")
            case "CommonPrefixes":
                return "CommonPrefixes", of("Prefix")
            case "Version" | "DeleteMarker" if len(child):
                latest = " latest" if of("IsLatest") == "true" else ""
                size = f" {of('Size')}b" if child.tag == "Version" else ""
                return child.tag + "s", f"{of('Key')}@{of('VersionId')}{latest}{size}"
            case "Upload":
                mode = [
                    child.findtext(name)
                    for name in ("ChecksumAlgorithm", "ChecksumType")
                    if child.find(name) is not None
                ]
                return "Upload", f"{of('Key')}@{of('UploadId')} {'/'.join(mode)}".rstrip()
            case "Part":
                checksums = [f" {each.tag}={each.text}" for each in child if each.tag in CHECKSUM_ELEMENTS]
                return "Part", f"{of('PartNumber')} {of('Size')}b{''.join(checksums)}"
            case "AccessControlList":
                return "AccessControlList", [self._grant(grant) for grant in child]
            case "TagSet":
                return child.tag, [f"{tag.findtext('Key')}={tag.findtext('Value')}" for tag in child]
            case "NextContinuationToken":
                return child.tag, "(token)"
            case "ContinuationToken" if child.text not in self._ids:
                return child.tag, "(token)"
            case "CreationDate":
                return child.tag, _TIMESTAMP.sub("(date)", child.text or "")
        return child.tag, self._children(child) if len(child) else self._symbol(child.text or "")

    def _grant(self, grant: ElementTree.Element) -> str:
        named = grant.findtext("Grantee/URI") or grant.findtext("Grantee/ID") or ""
        return f"{self._symbol(named).removeprefix(_GROUPS)}:{grant.findtext('Permission')}"

    # -- names for values that differ between runs

    def _remember(self, name: str, reply: Reply) -> None:
        version_id = reply.headers.get(self._dialect.header("version-id"))
        if version_id is not None:
            self._ids[version_id] = f"{{{name}}}"
            altered = "".join("b" if character == "a" else "a" for character in version_id[-4:])
            self._memory |= {name: version_id, f"{name}.altered": version_id[:-4] + altered}
            self._ids[self._memory[f"{name}.altered"]] = f"{{{name}.altered}}"
        if "ETag" in reply.headers:
            self._memory[f"{name}.etag"] = reply.headers["ETag"]
            self._memory[f"{name}.modified"] = _http_date(0)
        upload_id = re.search("<UploadId>(.*)</UploadId>", _text(reply))
        if upload_id:
            self._memory[name] = upload_id[1]
            self._ids[upload_id[1]] = f"{{{name}}}"
        token = re.search("<NextContinuationToken>(.*)</NextContinuationToken>", _text(reply))
        if token:
            self._memory[f"{name}.next"] = token[1]
            self._ids[token[1]] = f"{{{name}.next}}"

    def _filled(self, value):
        """Return the value with every placeholder in it filled in."""
        if isinstance(value, dict):
            return {self._filled(name): self._filled(each) for name, each in value.items()}
        if not isinstance(value, str):
            return value
        return _PLACEHOLDER.sub(lambda found: (_moments() | self._memory)[found[1]], value)

    def _symbol(self, text: str) -> str:
        """Return the text as the facts have it: ids by their names, dates of expiry by a word."""
        if text in self._ids:
            return self._ids[text]
        if _VERSION_ID.fullmatch(text) and text not in self._sent:
            return "(new)"
        bucket_url = self.store.url("bucket") + "/"
        if text.startswith(bucket_url):
            return "{bucket-url}" + text.removeprefix(bucket_url)
        text = text.replace(self._memory["owner.number"], "{owner.number}")
        return _EXPIRY_DATE.sub('expiry-date="(date)"', text)


def _parts_document(parts: dict[str, str]) -> bytes:
    """Return the document that completes an upload with these parts: ``{"1": "<entity tag> ChecksumCRC32=..."}``."""
    listed = ""
    for number, part in parts.items():
        etag, *checksums = part.split()
        pairs = [checksum.partition("=")[::2] for checksum in checksums]
        values = "".join(f"<{name}>{value}</{name}>" for name, value in pairs)
        listed += f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag>{values}</Part>"
    return f"<CompleteMultipartUpload>{listed}</CompleteMultipartUpload>".encode()


def presign(account: Account, operation: str, params: dict, signature: str, expires_in: int) -> str:
    """Return a URL that botocore presigned for an operation of its client."""
    client = _client(account.access_key_id, account.secret_key, signature)
    return client.generate_presigned_url(operation, Params=params, ExpiresIn=expires_in)


@cache
def _client(access_key_id: str, secret_key: str, signature: str) -> BaseClient:
    client = botocore.session.Session().create_client(
        "s3",
        region_name="us-east-1",
        aws_access_key_id=access_key_id,
        aws_secret_access_key=secret_key,
        config=Config(signature_version=signature, s3={"addressing_style": "virtual"}),
    )
    client.meta.events.unregister("before-parameter-build.s3.PutObject", validate_ascii_metadata)
    return client


def _text(reply: Reply) -> str:
    """Return the text that a client shows, which uncompresses it."""
    content = bytes(reply.body)
    return (gzip.decompress(content) if reply.headers.get("Content-Encoding") == "gzip" else content).decode()


def expected(fact: dict, dialect: str, value: str = "") -> dict:
    """Return the answer of a fact for the value `{p}`, in the form of :meth:`Replay.answer`."""
    text = json.dumps(fact["answer"]).replace("{p}", json.dumps(value)[1:-1])
    for name, moment in _moments().items():
        text = text.replace(f"{{{name}}}", moment)
    answer = json.loads(text)
    if answer.get("status") in SUCCESSES and not fact.get("asserted"):
        everywhere = ON_EVERY_OBJECT[dialect] if _describes_an_object(fact) else {}
        if "x-svc-copy-source" in fact["request"].get("headers", {}):
            everywhere = everywhere | ON_EVERY_COPY[dialect]
            if "partNumber" in fact["request"].get("query", {}):  # a part is not a version
                del everywhere["x-svc-version-id"]
        answer["headers"] = everywhere | answer.get("headers", {})
    elements = answer.get("document", {}).get("Elements of Contents")
    if elements is not None:
        answer["document"]["Elements of Contents"] = ",".join(
            sorted(ON_EVERY_LISTED_OBJECT[dialect] | set(elements.split(",")))
        )
    return answer


def _describes_an_object(fact: dict) -> bool:
    request = fact["request"]
    if "presign" in request or "form" in request:
        return True
    key = next((request[name] for name in METHODS if name in request and name not in ("DELETE", "OPTIONS")), "")
    query = set(request.get("query", {}))
    if "GET" in request and "uploadId" in query:
        return False
    passed = {"versionId", *MULTIPART_PARAMETERS}
    subresources = {name for name in query if name not in passed and "response-" not in name}
    return bool(key) and not subresources and request.get("bucket", "") is not None


def _without(value, names):
    """Return a copy that has nothing under these names."""
    if isinstance(value, dict):
        return {name: _without(each, names) for name, each in value.items() if name not in names}
    return [_without(each, names) for each in value] if isinstance(value, list) else value


def _moments() -> dict[str, str]:
    return {"now": _http_date(0), "now-1d": _http_date(-1), "now+1d": _http_date(1)}


def _http_date(days: int) -> str:
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=days)
    return format_datetime(moment.replace(microsecond=0), usegmt=True)
