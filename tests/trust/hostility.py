"""Hostile requests, and the outcomes they may have: a success, a documented error, or UnsupportedRequest.

Headers are written with `x-svc-`; `request_of` names them as the dialect does. `hostility_s3.py` has what only the
dialect S3 is tested with.
"""

from __future__ import annotations

import json
import re
from email.utils import formatdate

import requests
from hypothesis import strategies as st

from fakestore import FakeStore, MfaDevice, UnsupportedRequest, faults
from fakestore.http import Headers, Request
from tests.support.operations import operations
from tests.support.state import state_of
from tests.support.wire import digest_header


def hostile_store(dialect="document"):
    """Return a store that has something of everything, so that a hostile request finds something to break."""
    store = FakeStore(dialect=dialect, base_url="http://objects.test", access_key_id="AK")
    anna = store.create_account("anna", email="anna@example.com")
    photos = store.create_bucket("photos", versioning="enabled", acl="public-read-write")
    photos.put("k", b"older", metadata={"colour": "red"}, tags={"colour": "red"})
    photos.put("k", b"newer", account=anna, acl="bucket-owner-read")
    photos.put("a/b", b"in a folder")
    photos.delete("gone")
    photos.expire(rule_id="r", days=30)
    conditions = CONDITIONS.replace(b"x-svc-", store.dialect.header_prefix.encode())
    policy = request_of("PUT", "photos.objects.test", "/?policy", body=conditions, dialect=dialect)
    assert store.handle(policy).status == 204
    photos.deny(anna, "s3:DeleteObject")
    store.create_bucket("plain").put("k", b"unversioned")
    locked = store.create_bucket("locked")
    locked.put("k", b"null version")
    locked.versioning = "suspended"
    locked.enable_mfa_delete(MfaDevice("serial", "123456"))
    return store


def is_documented(code):
    """Return whether the service has an error of this code: a fault can only be planned for one that it has."""
    try:
        return faults.ServiceError(code).code == code
    except ValueError:
        return False


class Judge:
    """Sends requests to one store and judges their outcome. After a success the store is restored."""

    def __init__(self, store=None):
        self.store = store or hostile_store()
        self.beginning = self.store.snapshot()
        self.before = state_of(self.store)
        self.session = requests.Session()
        self.session.mount("http://", self.store.adapter())
        self.session.auth = self.store.auth()

    def handle(self, request):
        """Return the status of the answer, or None if the request is unsupported."""
        try:
            return self._judge(lambda: self.store.handle(request).status)
        except Exception as error:
            error.add_note(f"the request was {request!r:.1000}")
            raise

    def send(self, method, url, **options):
        """Send a request through `requests`. What `requests` itself refuses to prepare has no outcome."""
        try:
            prepared = self.session.prepare_request(requests.Request(method, url, **options))
        except (requests.RequestException, ValueError, AttributeError):
            return None
        return self._judge(lambda: self.session.send(prepared).status_code)

    def _judge(self, ask):
        try:
            status = ask()
        except UnsupportedRequest:
            # Its traceback would keep the request.
            self.store.unhandled_requests.clear()
            status = None
        else:
            self._check_reply(status, self.store.exchanges[-1])
        if status is None or (status >= 300 and status != 303):  # a form that was stored may redirect
            assert state_of(self.store) == self.before, "a refused request had an effect"
        else:
            self.store.restore(self.beginning)
        return status

    def _check_reply(self, status, exchange):
        assert exchange.status == status
        if status < 400:
            assert exchange.error_code is None
            return
        assert is_documented(exchange.error_code)
        assert exchange.explanation
        body = exchange.reply.body
        if isinstance(body, bytes) and exchange.request.method != "HEAD":
            assert re.search(b"<Code>([A-Za-z]+)</Code>", body)[1].decode() == exchange.error_code
            body.decode("utf-8")


def request_of(method, host, target, headers=(), body=b"", *, signed=True, length=True, dialect="document"):
    """Return a request with the headers that every request needs, and others. S3 needs https for customer keys."""
    prefix, scheme, protocol = ("x-amz-", "AWS", "https") if dialect == "s3" else ("x-svc-", "SVC", "http")
    fields = [("Date", formatdate(usegmt=True)), ("Authorization", f"{scheme} AK:c2ln")] if signed else []
    if length and (body or method in ("PUT", "POST")):
        fields.append(("Content-Length", str(len(body))))
    if dialect == "s3" and "content-md5" not in {name.lower() for name, _ in headers}:
        fields += digest_header(method, target, body)
    fields += [(re.sub("^x-svc-", prefix, name, flags=re.IGNORECASE), value) for name, value in headers]
    return Request(method, protocol, host, target, Headers(fields), body)


# -- hostile values

NUMBERS = ["0", "-1", "9" * 400, "1" * 5000, "1e400", "0x10", "٣", "1_000", " 1", "+1", "18446744073709551616", "nan"]
DATES = [
    "Sun, 06 Nov 99999 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 +99999999",
    "Mon, 01 Jan 0001 00:00:00 +2359",
    "Fri, 31 Dec 9999 23:59:59 -2359",
    "Sun, 06 Nov 1994 " + "9" * 400 + ":49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
    "06 Nov 1994 08:49",
    "(" * 500,
    "now",
]
TEXTS = [
    *("", " ", "\0", "\r\nInjected: yes", "\ud800", "\udfff\ud800", "%", "%ff", "%00", "%ed%a0%80", "%F0%9F%98%80"),
    *("a" * 70_000, "%41" * 30_000, ",", ",,,", '"', '"""', "*", "null", "é", "\U0010ffff", "😀", "=" * 4000),
    *("../../etc/passwd", "/photos/k", "//", "/photos/k?versionId=null", "/photos/k?versionId=", "photos%2Fk"),
    *("&lt;![CDATA[", "]]>", "<", "&amp;", "${jndi:ldap://x}", " " * 50_000 + "x", "public-read", "REPLACE"),
    *("bytes=" + "9" * 400 + "-", "bytes=-" + "9" * 400, "bytes=0-0,1-1", "aws:kms", "100-continue", "serial 123456"),
    'id="' * 5000,
    'uri="http://acs.amazonaws.com/groups/global/AllUsers",' * 2000,
    *("SVC AK:c2ln", "SVC :", "SVC AK:", "SVC  AK:x"),
]
VALUES = [*NUMBERS, *DATES, *TEXTS]
#: Any character, with lone surrogates and control characters among them.
characters = st.characters() | st.sampled_from("\ud800\udfff\0\x01\x7f\x85\r\n\t%&=+?/\\\"'<>;:,*")
any_text = st.text(characters, max_size=30)
hostile_values = st.sampled_from(VALUES) | any_text

COPYING = [
    *("x-svc-acl", "x-svc-copy-source-if-match", "x-svc-copy-source-if-none-match", "x-svc-storage-class"),
    *("x-svc-copy-source-if-modified-since", "x-svc-copy-source-if-unmodified-since", "x-svc-metadata-directive"),
]
ACLS = ["x-svc-acl", "x-svc-grant-read", "x-svc-grant-write", "x-svc-grant-full-control"]
READING = ["Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"]
WRITING = [
    *("Content-MD5", "Content-Encoding", "Content-Disposition", "Content-Language", "Cache-Control", "Expires"),
    *("If-Match", "If-None-Match", "x-svc-meta-colour", "x-svc-meta-", "X-SVC-META-COLOUR"),
    *("x-svc-server-side-encryption", "x-svc-storage-class", "x-svc-tagging", "Referer", "User-Agent", *ACLS),
]
COMMON = [
    "Content-Length",
    "Content-Type",
    "Expect",
    "Date",
    "Authorization",
    "Transfer-Encoding",
    "x-svc-mfa",
    "x-svc-date",
]
HEADERS = list(dict.fromkeys([*COMMON, *READING, *WRITING, *COPYING, "x-svc-copy-source", "Host", "If-Range"]))

methods = (
    st.sampled_from(["PUT", "GET", "HEAD", "DELETE", "POST"] * 3 + ["put", "PATCH", "OPTIONS", "", "PUT object"])
    | any_text
)
hosts = st.sampled_from(
    [
        *["photos.objects.test"] * 6,
        *(
            "plain.objects.test",
            "locked.objects.test",
            "objects.test",
            "nowhere.objects.test",
            ".objects.test",
            "",
            "x",
        ),
        *("PHOTOS.objects.test", "photos.objects.test:80", "photos.objects.test:99999999", "a.b.objects.test"),
    ]
) | any_text.map(lambda text: text + ".objects.test")
paths = (
    st.sampled_from(["/k", "/k", "/", "/a/b", "/gone", "/new", "/a%2Fb", "/%ff", "/%", "/" + "k" * 1025, "//", "*", ""])
    | hostile_values.map(lambda text: "/" + text)
    | any_text
)
LISTING = ["prefix", "delimiter", "max-keys", "encoding-type"]
SUBRESOURCES = list(dict.fromkeys(name for operation in operations() for name in operation.query))
MARKERS = ["marker", "key-marker", "version-id-marker", "start-after", "continuation-token", "fetch-owner", "versionId"]
queries = st.lists(
    st.tuples(
        st.sampled_from([*SUBRESOURCES, *LISTING, *MARKERS]) | any_text,
        st.sampled_from([None, "", "2", "url", "null", "true"]) | hostile_values,
    ),
    max_size=3,
).map(lambda pairs: "&".join(name if value is None else f"{name}={value}" for name, value in pairs))

DOCUMENTS = [
    b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
    b"<VersioningConfiguration><Status>Enabled</Status><MfaDelete>Enabled</MfaDelete></VersioningConfiguration>",
    b"<Delete><Quiet>false</Quiet><Object><Key>k</Key><VersionId>null</VersionId></Object></Delete>",
    b"<LifecycleConfiguration><Rule><ID>x</ID><Filter><And><Prefix>a</Prefix><ObjectSizeGreaterThan>1"
    b"</ObjectSizeGreaterThan></And></Filter><Status>Enabled</Status><Expiration><Days>1</Days></Expiration>"
    b"<NoncurrentVersionExpiration><NoncurrentDays>3</NoncurrentDays></NoncurrentVersionExpiration>"
    b"</Rule></LifecycleConfiguration>",
    b"<LifecycleConfiguration><Rule><Prefix/><Status>Enabled</Status><Expiration><Date>2030-01-31T00:00:00Z</Date>"
    b"</Expiration></Rule></LifecycleConfiguration>",
    b"<AccessControlPolicy><Owner><ID>%(id)s</ID></Owner><AccessControlList><Grant>"
    b'<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>%(id)s</ID></Grantee>'
    b"<Permission>READ</Permission></Grant></AccessControlList></AccessControlPolicy>"
    % {b"id": FakeStore().default_account.id.encode()},  # each store has the same one
    b"<CreateBucketConfiguration><LocationConstraint>eu</LocationConstraint></CreateBucketConfiguration>",
    b"<CORSConfiguration><CORSRule><AllowedOrigin>https://*.x</AllowedOrigin><AllowedMethod>GET</AllowedMethod>"
    b"<AllowedHeader>*</AllowedHeader><MaxAgeSeconds>9</MaxAgeSeconds></CORSRule></CORSConfiguration>",
    b"<MetricsConfiguration><Id>2</Id><Filter><Prefix>a</Prefix></Filter></MetricsConfiguration>",
    b"<WebsiteConfiguration><IndexDocument><Suffix>x</Suffix></IndexDocument><RoutingRules><RoutingRule><Redirect>"
    b"<HttpRedirectCode>301</HttpRedirectCode></Redirect></RoutingRule></RoutingRules></WebsiteConfiguration>",
    b'{"Version": "2012-10-17", "Statement": [{"Sid": "s", "Effect": "Allow", "Principal": "*",'
    b' "Action": ["s3:GetObject"], "Resource": "arn:aws:s3:::photos/*"}]}',
    b'{"Statement": {"Effect": "Deny", "NotPrincipal": {"AWS": "*"}, "NotAction": "s3:Get*", "NotResource":'
    b' "arn:aws:s3:::photos/p/*", "Condition": {"DateLessThanIfExists": {"aws:CurrentTime": "2030-01-31T00:00:00Z"},'
    b' "ForAnyValue:StringLike": {"s3:RequestObjectTagKeys": ["a*", "?"]}, "Bool": {"aws:SecureTransport": false},'
    b' "NumericEquals": {"s3:max-keys": 10}, "NotIpAddress": {"aws:SourceIp": "203.0.113.0/24"}}}}',
]
#: A policy whose conditions read what a request says, with operators of each kind. No request meets all of them.
CONDITIONS = json.dumps(
    {
        "Statement": {
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:*",
            "Resource": ["arn:aws:s3:::photos", "arn:aws:s3:::photos/*"],
            "Condition": {
                "StringNotLike": {
                    **dict.fromkeys(["aws:Referer", "s3:prefix", "s3:VersionId", "s3:ExistingObjectTag/a"], "*a*b?"),
                    **dict.fromkeys(["s3:x-svc-acl", "s3:x-svc-copy-source", "s3:RequestObjectTag/a"], "*a*b?"),
                },
                "NumericNotEquals": {"s3:max-keys": 10, "s3:delimiter": "1"},
                "DateNotEquals": {"s3:if-match": "2026-11-21", "s3:x-svc-storage-class": "2026-11-21"},
                "NotIpAddress": {"aws:UserAgent": "::1", "s3:x-svc-server-side-encryption": "10.0.0.0/8"},
                "ArnNotLike": {"s3:if-none-match": "arn:*:s3:::*"},
                "ForAnyValue:StringEqualsIgnoreCase": {"s3:RequestObjectTagKeys": ["never"]},
            },
        }
    }
).encode()
#: The routes that read a document.
ROUTES = [
    ("PUT", "photos.objects.test", "/?versioning"),
    ("PUT", "locked.objects.test", "/?versioning"),
    ("POST", "photos.objects.test", "/?delete"),
    ("PUT", "photos.objects.test", "/?lifecycle"),
    ("PUT", "photos.objects.test", "/?acl"),
    ("PUT", "photos.objects.test", "/k?acl"),
    ("PUT", "fresh.objects.test", "/"),
    ("PUT", "photos.objects.test", "/?policy"),
    ("PUT", "photos.objects.test", "/?cors"),
    ("PUT", "photos.objects.test", "/?website"),
    ("PUT", "photos.objects.test", "/?metrics&id=2"),
]


MARKUP = (b"<", b"&x;", b"&#0;", b"&#xd800;", b"]]>", b"<![CDATA[", b"\0", b"9" * 400, b"\xff")


@st.composite
def damaged_documents(draw, documents=tuple(DOCUMENTS), pieces=MARKUP):
    """Draw one of the documents in which a few bytes are cut out, put in or doubled."""
    document = draw(st.sampled_from(documents))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(document)))
        end = draw(st.integers(start, min(len(document), start + 20)))
        extra = draw(st.binary(max_size=8) | st.sampled_from(pieces) | st.just(document[start:end] * 2))
        document = document[:start] + extra + document[end:]
    return document


bodies = st.just(b"") | damaged_documents() | st.binary(max_size=200)

#: Method, path, subresource, and the parameters and headers that mean something there.
SHAPES = [
    ("PUT", "/k", "", [], WRITING),
    ("PUT", "/k", "", [], COPYING),
    ("GET", "/k", "", ["versionId"], READING),
    ("HEAD", "/k", "", ["versionId"], READING),
    ("DELETE", "/k", "", ["versionId"], []),
    ("GET", "/k", "acl", ["versionId"], ["Range"]),
    ("PUT", "/k", "acl", ["versionId"], ACLS),
    ("PUT", "/", "acl", [], ACLS),
    ("PUT", "/", "", [], ACLS),
    ("GET", "/", "", [*LISTING, "marker"], []),
    ("GET", "/", "list-type=2", [*LISTING, "start-after", "continuation-token", "fetch-owner"], []),
    ("GET", "/", "versions", [*LISTING, "key-marker", "version-id-marker"], []),
    ("GET", "/", "versioning", [], []),
    ("DELETE", "/", "", [], []),
    ("POST", "/", "delete", [], []),
    ("PUT", "/", "lifecycle", [], []),
    ("PUT", "/", "policy", [], []),
    ("PUT", "/", "versioning", [], []),
]


@st.composite
def hostile_requests(draw, shapes=tuple(SHAPES), bodies=bodies, dialect="document"):
    """Draw a request that is mostly valid, with hostile values in places that mean something; rarely anything."""
    rarely = st.sampled_from([False] * 9 + [True])
    method, path, subresource, parameters, names = draw(st.sampled_from(shapes))
    if draw(rarely):
        method = draw(methods)
    if draw(rarely) or (path != "/" and draw(rarely)):
        path = draw(paths)
    pairs = [subresource] if subresource else []
    for name in draw(st.lists(st.sampled_from(parameters), max_size=2, unique=True)) if parameters else []:
        pairs.append(f"{name}={draw(hostile_values)}")
    query = draw(queries) if draw(rarely) else "&".join(pairs)
    headers = st.sampled_from([*names, *COMMON]) if draw(rarely) or not names else st.sampled_from(names)
    fields = draw(st.lists(st.tuples(headers, hostile_values), max_size=3))
    if "x-svc-copy-source-if-match" in names:
        fields.append(("x-svc-copy-source", "/photos/k"))
    if draw(rarely):
        fields.append((draw(any_text), draw(hostile_values)))
    body = draw(bodies) if method in ("PUT", "POST") or draw(rarely) else b""
    host = draw(hosts) if draw(rarely) else "photos.objects.test"
    target = f"{path}?{query}" if query else path
    signed, length = not draw(rarely), not draw(rarely)
    return request_of(method, host, target, fields, body, signed=signed, length=length, dialect=dialect)
