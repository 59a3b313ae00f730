"""Whatever is sent: a documented error, a success or UnsupportedRequest, and a refused request changes nothing."""

import json
import os
import socket
import threading
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.trust.hostility import (
    DATES,
    DOCUMENTS,
    HEADERS,
    NUMBERS,
    ROUTES,
    TEXTS,
    Judge,
    bodies,
    hostile_requests,
    hostile_values,
    paths,
    queries,
    request_of,
)

MIB = 1024 * 1024
SHORT = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def judge():
    return Judge()


# -- random


@SHORT
@given(request=hostile_requests())
def test_any_request_gets_a_documented_outcome(judge, request):
    judge.handle(request)


@SHORT
@given(route=st.sampled_from(ROUTES), body=bodies)
def test_any_document_gets_a_documented_outcome(judge, route, body):
    judge.handle(request_of(*route, body=body))


@SHORT
@given(
    method=st.sampled_from(["PUT", "GET", "HEAD", "DELETE", "POST"]),
    path=paths,
    query=queries,
    fields=st.dictionaries(st.sampled_from(HEADERS), hostile_values, max_size=3),
    body=bodies,
)
def test_whatever_requests_lets_through_gets_a_documented_outcome(judge, method, path, query, fields, body):
    judge.send(method, f"http://photos.objects.test{path}?{query}", headers=fields, data=body)


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize(
    ("method", "host", "target"),
    [
        ("PUT", "photos.objects.test", "/k"),
        ("GET", "photos.objects.test", "/k"),
        ("DELETE", "locked.objects.test", "/k?versionId=null"),
    ],
)
def test_every_header_with_every_hostile_value_gets_a_documented_outcome(judge, method, host, target, name):
    for value in [*NUMBERS, *DATES, *TEXTS]:
        judge.handle(request_of(method, host, target, [(name, value)], b"body" if method == "PUT" else b""))
        judge.handle(request_of(method, host, target, [("x-svc-copy-source", "/photos/k"), (name, value)]))


@pytest.mark.parametrize("name", HEADERS)
def test_every_header_doubled_gets_a_documented_outcome(judge, name):
    for value in ["", "x", "4", "/photos/k", "private"]:
        judge.handle(request_of("PUT", "photos.objects.test", "/k", [(name, value), (name.upper(), value)], b"body"))


# -- crafted documents

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
BOMBS = {
    "entities": f'<!DOCTYPE Delete [<!ENTITY l0 "ha">{LAUGHS}]><Delete><Object><Key>&l11;</Key></Object></Delete>',
    "entities in an attribute": f'<!DOCTYPE Delete [<!ENTITY l0 "ha">{LAUGHS}]><Delete a="&l11;"/>',
    "one long entity many times": f'<!DOCTYPE Delete [<!ENTITY a "{"a" * 100_000}">]><Delete>{"&a;" * 10_000}</Delete>',
    "parameter entities": "<!DOCTYPE D [<!ENTITY % a \"<!ENTITY b 'c'>\">%a;]><Delete>&b;</Delete>",
    "default attributes": '<!DOCTYPE Delete [<!ATTLIST Delete a CDATA "x">]><Delete/>',
    "undefined entity": "<Delete><Object><Key>&nothing;</Key></Object></Delete>",
    "depth": "<Delete>" + "<a>" * 100_000 + "</a>" * 100_000 + "</Delete>",
    "depth, not closed": "<a>" * 300_000,
    "width": "<Delete>" + "<Object><Key>k</Key></Object>" * 50_000 + "</Delete>",
    "attributes": "<Delete " + " ".join(f'a{n}="x"' for n in range(50_000)) + "/>",
    "one attribute": f'<Delete a="{"x" * MIB}"/>',
    "one name": f"<{'a' * MIB}/>",
    "namespaces": "<Delete " + " ".join(f'xmlns:a{n}="urn:{n}"' for n in range(20_000)) + "/>",
    "comments": "<Delete>" + "<!-- -->" * 100_000 + "</Delete>",
    "processing instructions": '<?xml-stylesheet href="file:///etc/passwd"?><Delete/>',
    "XInclude": '<Delete xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd"/></Delete>',
    "long number": f"<LifecycleConfiguration><Rule><Prefix/><Status>Enabled</Status><Expiration><Days>{'9' * 400}"
    "</Days></Expiration></Rule></LifecycleConfiguration>",
    "character references": f"<Delete><Object><Key>{'&#x1F600;' * 100_000}</Key></Object></Delete>",
    "control character": "<Delete><Object><Key>&#x1;</Key></Object></Delete>",
    "surrogate": "<Delete><Object><Key>&#xD800;</Key></Object></Delete>",
    "UTF-16 by its mark": "<Delete><Object><Key>k</Key></Object></Delete>".encode("utf-16"),
    "an encoding there is not": b'<?xml version="1.0" encoding="nonesuch"?><Delete/>',
    "UTF-7": b'<?xml version="1.0" encoding="UTF-7"?><Delete/>',
    "an encoding it is not in": b'<?xml version="1.0" encoding="UTF-16"?><Delete/>',
    "not UTF-8": b"<Delete><Object><Key>\xff\xfe</Key></Object></Delete>",
    "zero bytes": b"\0" * MIB,
    "10 MiB": b"<Delete>" + b"x" * 10 * MIB,
    "JSON, deep": '{"Statement":' + "[" * 9_000 + "]" * 9_000 + "}",
    "JSON, deep objects": '{"a":' * 4_000 + "1" + "}" * 4_000,
    "JSON, long number": '{"Version":' + "9" * 10_000 + "}",
    "JSON, number of 400 digits": '{"Version":' + "9" * 400 + "}",
    "JSON, infinite": '{"Version": 1e999, "Statement": NaN}',
    "JSON, lone surrogate": '{"Version": "\\ud800", "Statement": "\\udfff"}',
    "JSON, doubled names": '{"Statement": 1, "Statement": 2}',
    "JSON, 10 MiB": b'{"Id": "' + b"x" * 10 * MIB + b'"}',
    "JSON, many stars": json.dumps(
        {
            "Statement": [
                {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "arn:aws:s3:::photos/" + "*a" * 200}
            ]
        }
    ),
}


def as_bytes(document):
    return document if isinstance(document, bytes) else document.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_crafted_document_gets_a_documented_outcome_on_every_route(judge, bomb):
    body = as_bytes(BOMBS[bomb])
    for route in ROUTES:
        judge.handle(request_of(*route, body=body))
        judge.send(route[0], f"http://{route[1]}{route[2]}", data=body)


@pytest.mark.parametrize("bomb", ["entities", "entities in an attribute", "one long entity many times", "depth"])
def test_a_document_takes_little_more_memory_than_its_own_size(judge, bomb):
    body = as_bytes(BOMBS[bomb])
    judge.handle(request_of("POST", "photos.objects.test", "/?delete", body=body))
    tracemalloc.start()
    judge.handle(request_of("POST", "photos.objects.test", "/?delete", body=body))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * len(body) + 8 * MIB


def test_a_policy_full_of_stars_is_matched_in_bounded_time(judge):
    """What it denies is told by names that almost match, again and again."""
    policy = as_bytes(BOMBS["JSON, many stars"])
    assert judge.handle(request_of("PUT", "photos.objects.test", "/?policy", body=policy)) == 204
    judge.store._service.handle(request_of("PUT", "photos.objects.test", "/?policy", body=policy))
    try:
        reply = judge.store._service.handle(request_of("GET", "photos.objects.test", "/" + "a" * 1000 + "b"))
        assert reply.status == 404
    finally:
        judge.store.restore(judge._begin)


def test_a_short_document_says_why_it_is_refused_and_holds_none_of_what_it_names(judge, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the secret of this file")
    body = f'<!DOCTYPE Delete [<!ENTITY x SYSTEM "{secret.as_uri()}">]><Delete><Object><Key>&x;</Key></Object></Delete>'
    reply = judge.store._service.handle(request_of("POST", "photos.objects.test", "/?delete", body=body.encode()))
    assert (reply.status, b"MalformedXML" in reply.body, b"the secret" in reply.body) == (400, True, False)


# -- XML parsing touches nothing


def external(url):
    return [
        f'<!DOCTYPE D [<!ENTITY x SYSTEM "{url}">]><Delete><Object><Key>&x;</Key></Object></Delete>',
        f'<!DOCTYPE D [<!ENTITY % x SYSTEM "{url}">%x;]><Delete><Object><Key>k</Key></Object></Delete>',
        f'<!DOCTYPE Delete SYSTEM "{url}"><Delete><Object><Key>k</Key></Object></Delete>',
        f'<!DOCTYPE Delete PUBLIC "p" "{url}" [<!ENTITY y "z">]><Delete>&y;</Delete>',
        f'<?xml-model href="{url}"?><Delete/>',
        f'<Delete xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{url}"/></Delete>',
        f'<Delete xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x {url}"/>',
    ]


def test_no_file_is_opened_by_a_document(judge, tmp_path):
    """A named pipe: whoever opened it for reading, in C too, would let its writer go on, and be let go by it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    opened, done = threading.Event(), threading.Event()

    def let_readers_go():
        while not done.is_set():
            descriptor = os.open(pipe, os.O_WRONLY)
            if not done.is_set():
                opened.set()
            os.close(descriptor)
            done.wait(0.01)

    waiting = threading.Thread(target=let_readers_go, daemon=True)
    waiting.start()
    try:
        for document in external(pipe.as_uri()) + external(str(pipe)):
            for route in ROUTES:
                judge.handle(request_of(*route, body=document.encode()))
                assert not opened.is_set(), (route, document)
    finally:
        done.set()
        os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
        waiting.join(10)


def test_no_connection_is_made_for_a_document(judge):
    """Notices a parser that may, where libxml2 can connect at all: from 2.14 on, it cannot, and this shows nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd"
        for document in external(url) + external(url.replace("http", "ftp")):
            judge.handle(request_of("POST", "photos.objects.test", "/?delete", body=document.encode()))
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.fixture
def looked_up(monkeypatch):
    """What the parsers of XML that are made from now on would load from elsewhere; they get nothing instead."""
    urls = []

    class Nothing(etree.Resolver):
        def resolve(self, system_url, public_id, context):
            urls.append(system_url)
            return self.resolve_empty(context)

    def parser_of(**options):
        parser = made(**options)
        parser.resolvers.add(Nothing())
        return parser

    made = etree.XMLParser
    monkeypatch.setattr(etree, "XMLParser", parser_of)
    return urls


ELSEWHERE = ["file:///etc/passwd", "/etc/passwd", "http://127.0.0.1/x", "ftp://127.0.0.1/x"]


@pytest.mark.parametrize("url", ELSEWHERE)
def test_nothing_that_a_document_names_is_looked_up(judge, looked_up, url):
    documents = [document.encode() for document in external(url)]
    statuses = {judge.handle(request_of(*route, body=body)) for route in ROUTES for body in documents}
    assert (statuses, looked_up) == ({400, 403}, [])  # 403 of "locked", which asks for MFA first


@pytest.mark.parametrize("url", ELSEWHERE)
def test_a_parser_that_looks_up_what_a_document_names_would_be_noticed(looked_up, url):
    for document in external(url):
        parser = etree.XMLParser(resolve_entities=True, load_dtd=True, no_network=False, recover=True)
        etree.fromstring(document, parser)
    assert set(looked_up) == {url}


# -- what was found, by name


def test_long_text_in_place_of_a_date_is_not_remembered(judge):
    def ask(number):
        judge.handle(request_of("GET", "photos.objects.test", "/k", [("x-svc-date", f"{number}{'x' * MIB}")]))

    ask(0)
    tracemalloc.start()
    for number in range(1, 10):
        ask(number)
    # The journal keeps the last request, and its explanation, until the next is judged.
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 5 * MIB


def test_a_target_that_does_not_begin_with_a_slash_names_no_key(judge):
    assert judge.handle(request_of("PUT", "photos.objects.test", "k", body=b"x")) == 400


def test_every_document_of_the_templates_is_taken_by_a_route(judge):
    """Else the random tests would damage what was refused anyway."""
    statuses = {judge.handle(request_of(*route, body=body)) for body in DOCUMENTS for route in ROUTES}
    assert {200, 204} <= statuses
