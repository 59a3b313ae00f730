"""The contenders: fakestore, a bare callback of `responses`, and moto. Each answers the same requests."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from email.utils import formatdate

import requests
import responses

from fakestore import fake_store

#: The requests that are sent for each key, in this order.
REQUESTS = ("PUT", "GET", "HEAD", "GET acl", "copy", "DELETE")

BODY = bytes(range(256)) * 4
BUCKET = "bench"


@dataclass(frozen=True, slots=True)
class Contender:
    """A fake that answers requests to ``host`` while ``active`` is entered.

    ``prefix`` is the prefix of the service's own headers. ``unable`` has the requests that the fake cannot answer.
    """

    name: str
    host: str
    prefix: str
    scheme: str
    active: Callable[[], AbstractContextManager[object]]
    unable: frozenset[str] = frozenset()

    def session(self) -> requests.Session:
        """Return a session with the headers that every request needs."""
        session = requests.Session()
        session.headers["Authorization"] = f"{self.scheme} bench:c2lnbmF0dXJl"
        session.headers["Date"] = formatdate(usegmt=True)
        return session

    def url(self, key: str = "") -> str:
        return f"http://{BUCKET}.{self.host}/{key}"

    def calls(self, session: requests.Session, key: str) -> dict[str, Callable[[], requests.Response]]:
        """Return a function for each of :data:`REQUESTS` that it answers. Call them in this order."""
        url = self.url(key)
        source = {f"{self.prefix}copy-source": f"/{BUCKET}/{key}"}
        calls = {
            "PUT": lambda: session.put(url, data=BODY),
            "GET": lambda: session.get(url),
            "HEAD": lambda: session.head(url),
            "GET acl": lambda: session.get(f"{url}?acl"),
            "copy": lambda: session.put(f"{url}-copy", headers=source),
            "DELETE": lambda: session.delete(url),
        }
        return {request: calls[request] for request in REQUESTS if request not in self.unable}


@contextmanager
def _fakestore() -> Iterator[None]:
    with fake_store(base_url="http://objects.test", access_key_id="bench", secret_key="secret") as store:
        store.create_bucket(BUCKET)
        yield


_ACL = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<AccessControlPolicy><Owner><ID>bench</ID></Owner>'
    b"<AccessControlList></AccessControlList></AccessControlPolicy>"
)
_COPIED = '<?xml version="1.0" encoding="UTF-8"?>\n<CopyObjectResult><ETag>{}</ETag></CopyObjectResult>'


@contextmanager
def _bare() -> Iterator[None]:
    """A dictionary behind a callback, without authentication, ACLs, versions and errors other than 404."""
    objects: dict[str, tuple[bytes, str]] = {}

    def put(request: requests.PreparedRequest) -> tuple[int, dict[str, str], bytes]:
        source = request.headers.get("x-svc-copy-source")
        if source is not None:
            content, etag = objects["/" + source.split("/", 2)[2]]
            objects[request.path_url] = content, etag
            return 200, {}, _COPIED.format(etag).encode()
        sent = request.body
        assert isinstance(sent, bytes)
        etag = f'"{hashlib.md5(sent).hexdigest()}"'
        objects[request.path_url] = sent, etag
        return 200, {"ETag": etag}, b""

    def get(request: requests.PreparedRequest) -> tuple[int, dict[str, str], bytes]:
        path, _, query = request.path_url.partition("?")
        if path not in objects:
            return 404, {}, b""
        content, etag = objects[path]
        return (200, {}, _ACL) if query == "acl" else (200, {"ETag": etag}, content)

    def head(request: requests.PreparedRequest) -> tuple[int, dict[str, str], bytes]:
        if request.path_url not in objects:
            return 404, {}, b""
        # Without Content-Length, because `responses` would wait for a body of that length.
        return 200, {"ETag": objects[request.path_url][1]}, b""

    def delete(request: requests.PreparedRequest) -> tuple[int, dict[str, str], bytes]:
        objects.pop(request.path_url, None)
        return 204, {}, b""

    url = re.compile(r"http://bench\.objects\.test/.*")
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        for method, callback in (("PUT", put), ("GET", get), ("HEAD", head), ("DELETE", delete)):
            mock.add_callback(method, url, callback, content_type=None)
        yield


@contextmanager
def _moto() -> Iterator[None]:
    from moto import mock_aws  # imported here, so that the other two can be measured without moto

    with mock_aws():
        requests.put(MOTO.url(), headers={"Authorization": "AWS bench:c2lnbmF0dXJl"}).raise_for_status()
        yield


FAKESTORE = Contender("fakestore", "objects.test", "x-svc-", "SVC", _fakestore)
BARE = Contender("bare callback", "objects.test", "x-svc-", "SVC", _bare)
# moto answers HEAD with the Content-Length of a body. `requests` waits for that body and raises IncompleteRead.
MOTO = Contender("moto", "s3.amazonaws.com", "x-amz-", "AWS", _moto, frozenset({"HEAD"}))
CONTENDERS = (FAKESTORE, BARE, MOTO)
