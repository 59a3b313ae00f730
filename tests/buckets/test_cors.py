"""CORS: the rules of a bucket, preflights, and the headers of replies to scripts of other origins."""

from __future__ import annotations

import boto3
import pytest
import requests

from fakestore import FakeStore, fake_store, faults
from fakestore.http import Headers, Request
from tests.support.cases import each
from tests.support.wire import elements, outcome

decision = pytest.mark.decision
APP, SHOP = "https://app.test", "https://shop.test"
VARY = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"
NOT_ALLOWED = (403, "AccessForbidden")


def rule(origins: str = APP, methods: str = "GET", headers: str = "", more: str = "") -> str:
    """Return a rule; names are separated by blanks."""
    lists = (("AllowedOrigin", origins), ("AllowedMethod", methods), ("AllowedHeader", headers))
    inner = "".join(f"<{tag}>{name}</{tag}>" for tag, names in lists for name in names.split())
    return f"<CORSRule>{inner}{more}</CORSRule>"


def put_rules(client, *rules: str):
    body = f"<CORSConfiguration>{''.join(rules)}</CORSConfiguration>".encode()
    return client.send("PUT", "/?cors", body=body)


def preflight(store: FakeStore, target: str = "/k", origin: str = APP, method: str = "GET", headers: str = ""):
    """Send a preflight as a browser does, without credentials."""
    fields = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers}
    sent = Headers({name: value for name, value in fields.items() if value})
    host = store.base_url.partition("://")[2]
    return store.handle(Request("OPTIONS", "http", f"photos.{host}", target, sent))


def cors_headers(reply) -> dict[str, str]:
    return {
        name.removeprefix("access-control-"): value
        for name, value in reply.headers.items()
        if name.startswith("access-control-") or name == "vary"
    }


def test_preflights_of_two_origins_are_answered_by_the_rules_of_boto3():
    keys = {"access_key_id": "AKIDEXAMPLE", "secret_key": "secret"}
    with fake_store(dialect="s3", buckets=["photos"], signatures="verify", **keys) as store:
        s3 = boto3.client(
            "s3", region_name="us-east-1", aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="secret"
        )
        rules = [
            {"AllowedOrigins": [APP], "AllowedMethods": ["PUT"], "AllowedHeaders": ["*"], "MaxAgeSeconds": 600},
            {"AllowedOrigins": ["*"], "AllowedMethods": ["GET"], "ExposeHeaders": ["ETag", "x-amz-version-id"]},
        ]
        s3.put_bucket_cors(Bucket="photos", CORSConfiguration={"CORSRules": rules})
        assert s3.get_bucket_cors(Bucket="photos")["CORSRules"] == rules

        url = s3.generate_presigned_url("put_object", Params={"Bucket": "photos", "Key": "cat.jpg"})
        announced = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type"}
        allowed = requests.options(url, headers={"Origin": APP} | announced)
        assert (allowed.status_code, allowed.headers["Access-Control-Allow-Origin"]) == (200, APP)
        assert allowed.headers["Access-Control-Allow-Headers"] == "content-type"
        assert requests.put(url, b"meow", headers={"Origin": APP}).headers["Access-Control-Allow-Origin"] == APP

        refused = requests.options(url, headers={"Origin": SHOP} | announced)
        assert refused.status_code == 403
        assert "Access-Control-Allow-Origin" not in refused.headers
        assert SHOP in store.calls("OPTIONS Object")[-1].explanation
        reading = requests.options(url, headers={"Origin": SHOP, "Access-Control-Request-Method": "GET"})
        assert reading.headers["Access-Control-Allow-Origin"] == "*"
        assert reading.headers["Access-Control-Expose-Headers"] == "ETag, x-amz-version-id"
        s3.delete_bucket_cors(Bucket="photos")
        assert requests.options(url, headers={"Origin": APP} | announced).status_code == 403


@decision("preflights")
def test_first_rule_that_allows_everything_of_the_request_applies(client):
    put_rules(
        client,
        rule(methods="PUT", headers="x-a", more="<MaxAgeSeconds>1</MaxAgeSeconds>"),
        rule(methods="GET PUT", headers="X-* content-type", more="<MaxAgeSeconds>2</MaxAgeSeconds>"),
        rule(f"{APP} *", methods="PUT HEAD", more="<MaxAgeSeconds>3</MaxAgeSeconds>"),
    )
    for case in each(
        ({"method": "PUT"}, "1"),
        ({"method": "PUT", "headers": "X-A"}, "1"),
        ({"method": "PUT", "headers": "x-a, x-b,Content-Type"}, "2"),
        ({"method": "GET"}, "2"),
        ({"method": "PUT", "origin": SHOP}, "3"),
        ({"method": "HEAD"}, "3"),
        ({"method": "PUT", "headers": "range"}, None),
        ({"method": "GET", "origin": SHOP}, None),
        ({"method": "DELETE"}, None),
    ):
        with case as (arguments, expected):
            reply = preflight(client.store, **arguments)
            assert cors_headers(reply).get("max-age") == expected
            assert outcome(reply) == (NOT_ALLOWED if expected is None else (200, None))
    explanation = client.store.exchanges[-1].explanation
    assert [f"rule {number}" in explanation for number in (1, 2, 3, 4)] == [True, True, True, False]


@decision("preflights")
def test_wildcard_stands_for_any_part_of_an_origin(client):
    put_rules(client, rule("http://*.app.test https://app.test:* https://a*a.test"))
    for case in each(
        ("http://www.app.test", True),
        ("http://.app.test", True),
        ("https://app.test:8443", True),
        ("https://aa.test", True),
        ("https://a.test", False),
        ("http://app.test", False),
        ("https://www.app.test", False),
        ("http://www.app.test.evil", False),
        ("HTTP://www.app.test", False),
    ):
        with case as (origin, is_allowed):
            reply = preflight(client.store, origin=origin)
            assert (reply.status == 200) is is_allowed
            if is_allowed:
                shared = {"allow-origin": origin, "allow-credentials": "true", "allow-methods": "GET", "vary": VARY}
                assert cors_headers(reply) == shared


@decision("preflights")
def test_preflight_needs_no_credentials_and_its_query_is_not_read(client):
    put_rules(client, rule("*", "GET POST"))
    client.store["photos"].put("k")
    presigned = "/k?X-Amz-Signature=wrong&Cache-Control=no-store"
    for case in each("/", "/k", "/k?acl&uploads", "/?delete", "/k?versionId=none&x-id=1", presigned):
        with case as target:
            assert preflight(client.store, target, method="POST").status == 200
    exchange = client.store.calls("OPTIONS Bucket")[-1]
    assert (exchange.account, exchange.bucket, exchange.status) == (None, "photos", 200)


@decision("preflights")
def test_preflight_may_have_headers_that_other_requests_may_not_have(client):
    put_rules(client, rule("*"))
    sent = {"Origin": APP, "Access-Control-Request-Method": "GET"}
    for case in each("copy-source", "metadata-directive", "expires", "trailer", "decoded-content-length", "bogus"):
        with case as name:
            assert client.send("OPTIONS", "/k", sent | {name: "1"}, signed=False).status == 200


@decision("preflights")
def test_preflight_without_a_bucket_or_with_invalid_names_is_refused(client):
    host = client.store.base_url.partition("://")[2]
    reply = client.store.handle(Request("OPTIONS", "http", host, "/", Headers({"Origin": APP})))
    assert outcome(reply) == NOT_ALLOWED
    assert elements(reply)["ResourceType"] == "BUCKET"
    assert "names no bucket" in client.store.exchanges[-1].explanation
    put_rules(client, rule("*", "GET PUT", "*"))
    for method in ("", "FOO", "get", "PATCH", "GET, PUT"):
        reply = preflight(client.store, method=method)
        assert outcome(reply) == (400, "BadRequest")
        assert elements(reply)["Message"] == f"Invalid Access-Control-Request-Method: {method or 'null'}"
    for headers in ("invalid header", "X-Custom:Header", "range, a/b"):
        reply = preflight(client.store, headers=headers)
        assert outcome(reply) == (400, "BadRequest")
        assert elements(reply)["Message"] == f"Invalid Access-Control-Request-Headers: {headers}"


@decision("preflights")
def test_names_of_allowed_headers_are_in_lower_case(client):
    put_rules(client, rule("*", "PUT", "*"))
    reply = preflight(client.store, method="PUT", headers="Content-Type,, X-Amz-Date ")
    assert cors_headers(reply)["allow-headers"] == "content-type, x-amz-date"


@decision("cors-on-replies")
def test_replies_to_scripts_have_the_headers_of_the_rule(client):
    put_rules(client, rule(methods="GET", more="<ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>0</MaxAgeSeconds>"))
    client.store["photos"].put("k")
    expected = {
        "allow-origin": APP,
        "allow-credentials": "true",
        "allow-methods": "GET",
        "expose-headers": "ETag",
        "max-age": "0",
        "vary": VARY,
    }

    def headers(method="GET", target="/k", origin=APP):
        return cors_headers(client.send(method, target, {"Origin": origin} if origin else {}))

    assert headers() == headers(target="/missing") == headers(target="/?cors") == expected
    assert headers("HEAD") == headers(origin=SHOP) == headers(origin="") == {}
    client.store.fail("GET Object", faults.ServiceError("ServiceUnavailable"))
    assert headers() == expected


@decision("preflights")
def test_empty_origin_is_none(client):
    put_rules(client, rule("*"))
    client.store["photos"].put("k")
    for case in each("", " \t"):
        with case as origin:
            headers = {"Origin": origin, "Access-Control-Request-Method": "GET"}
            assert outcome(client.send("OPTIONS", "/k", headers)) == (400, "BadRequest")
            assert cors_headers(client.send("GET", "/k", headers)) == {}


def test_faults_apply_to_preflights(client):
    put_rules(client, rule())
    client.store.fail("OPTIONS Object", faults.ServiceError("SlowDown"))
    assert [preflight(client.store).status for _ in range(2)] == [503, 200]


def test_rules_are_returned_as_they_were_sent(client):
    more = "<ExposeHeader>ETag</ExposeHeader><ExposeHeader>x-a</ExposeHeader><MaxAgeSeconds>0</MaxAgeSeconds>"
    put_rules(client, "<CORSRule><ID>reading</ID>" + rule(headers="range", more=more).removeprefix("<CORSRule>"))
    document = bytes(client.send("GET", "/?cors").body).decode()
    for case in each("<ID>reading<", "<AllowedHeader>range<", "<AllowedMethod>GET<", f"<AllowedOrigin>{APP}<", more):
        with case as expected:
            assert expected in document


@decision("cors-rules")
def test_invalid_rules_are_refused(client):
    for case in each(
        ([rule("http://*.*.test")], "InvalidRequest", 'AllowedOrigin "http://*.*.test" can not have more than one'),
        ([rule(headers="x-*-*")], "InvalidRequest", 'AllowedHeader "x-*-*" can not have more than one wildcard'),
        ([rule(more="<AllowedHeader>a b</AllowedHeader>")], "InvalidRequest", 'AllowedHeader "a b" contains invalid'),
        ([rule(headers="Bad/Header")], "InvalidRequest", 'AllowedHeader "Bad/Header" contains invalid character.'),
        ([rule(headers="* x-*:y")], "InvalidRequest", 'AllowedHeader "x-*:y" contains invalid character.'),
        ([rule(more="<AllowedHeader></AllowedHeader>")], "InvalidRequest", "AllowedHeader"),
        ([rule(more="<ExposeHeader>x-*</ExposeHeader>")], "InvalidRequest", 'ExposeHeader "x-*" contains wildcard'),
        ([rule(more="<ExposeHeader>a&#13;&#10;b: c</ExposeHeader>")], "InvalidRequest", "ExposeHeader"),
        ([rule(more="<ExposeHeader>\u20ac</ExposeHeader>")], "InvalidRequest", "ExposeHeader"),
        ([rule(more="<ExposeHeader></ExposeHeader>")], "InvalidRequest", "ExposeHeader"),
        ([rule(methods="get")], "InvalidRequest", "Unsupported method is get"),
        ([rule(origins="")], "MalformedXML", ""),
        ([rule(methods="")], "MalformedXML", ""),
        ([rule(more="<MaxAgeSeconds>-1</MaxAgeSeconds>")], "MalformedXML", ""),
        ([rule(more="<MaxAgeSeconds>2147483648</MaxAgeSeconds>")], "MalformedXML", ""),
        ([rule()] * 101, "MalformedXML", ""),
        ([rule(more=f"<ID>{'i' * 256}</ID>")], "InvalidArgument", "ID length should not exceed allowed limit of 255"),
    ):
        with case as (rules, code, message):
            reply = put_rules(client, *rules)
            assert (rules[0], *outcome(reply)) == (rules[0], 400, code)
            assert message in elements(reply)["Message"]
            assert outcome(client.send("GET", "/?cors")) == (404, "NoSuchCORSConfiguration")
