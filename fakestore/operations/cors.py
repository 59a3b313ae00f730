"""CORS: the rules of a bucket, the headers that a rule adds to a reply, and the preflight before a request."""

from __future__ import annotations

from typing import get_args

from fakestore.errors import ACCESS_FORBIDDEN, BAD_REQUEST, NO_SUCH_CORS, ErrorResponse
from fakestore.model.cors import METHODS, Cors, CorsRule, CrossOriginRequest
from fakestore.model.names import is_header_name
from fakestore.operations.framework.call import Call
from fakestore.operations.framework.credentials import NoCredentials
from fakestore.operations.framework.operation import operation
from fakestore.operations.framework.result import Result
from fakestore.operations.framework.setting import Actions, Setting
from fakestore.operations.regions import check_host
from fakestore.protocol.addressing import Scope
from fakestore.protocol.routing import Route

CORS = Setting(
    "cors",
    "BucketCors",
    Cors,
    Actions("s3:GetBucketCORS", "s3:PutBucketCORS", "s3:PutBucketCORS"),
    attribute="cors",
    missing=NO_SUCH_CORS,
    title="CORS rules",
    needs_checksum=True,
)


def sharing_headers(call: Call) -> dict[str, str]:
    """Return the headers that let a script read a reply, if a rule allows the request. [cors-on-replies]"""
    origin = call.headers.get("origin")
    bucket = call.state.buckets.get(call.bucket_name) if origin else None
    if not origin or bucket is None or bucket.cors is None:
        return {}
    request = CrossOriginRequest(origin, call.received.method)
    rule = bucket.cors.find_rule(request)
    return {} if rule is None else rule_headers(rule, request)


def rule_headers(rule: CorsRule, request: CrossOriginRequest) -> dict[str, str]:
    headers = {"Access-Control-Allow-Origin": "*" if rule.allows_every_origin else request.origin}
    if not rule.allows_every_origin:
        headers["Access-Control-Allow-Credentials"] = "true"
    headers["Access-Control-Allow-Methods"] = ", ".join(rule.methods)
    if request.headers:
        headers["Access-Control-Allow-Headers"] = ", ".join(request.headers)
    if rule.exposed:
        headers["Access-Control-Expose-Headers"] = ", ".join(rule.exposed)
    if rule.max_age is not None:
        headers["Access-Control-Max-Age"] = str(rule.max_age)
    headers["Vary"] = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"
    return headers


def _forbidden(method: str | None, message: str, explanation: str, resource_type: str = "BUCKET") -> ErrorResponse:
    return ACCESS_FORBIDDEN.error(
        f"CORSResponse: {message}", explanation=explanation, Method=method or "OPTIONS", ResourceType=resource_type
    )


def _parse_names(text: str) -> tuple[str, ...]:
    """Return the names of the headers that a preflight announces, in lower case."""
    names = tuple(each.strip().lower() for each in text.split(",") if each.strip())
    for name in names:
        if not is_header_name(name):
            raise BAD_REQUEST.error(
                f"Invalid Access-Control-Request-Headers: {text}",
                explanation=f"Access-Control-Request-Headers has {name!r}, which cannot be the name of a header",
            )
    return names


def answer_preflight(call: Call) -> Result:
    """Reply whether a rule of the bucket allows the announced request. [preflights]"""
    headers, name = call.headers, call.address.bucket
    origin, method = headers.get("origin"), headers.get("access-control-request-method")
    if not origin:
        raise BAD_REQUEST.error("Insufficient information. Origin request header needed.")
    bucket = None if name is None else call.state.buckets.get(name)
    if bucket is None:
        known = ", ".join(sorted(call.state.buckets)) or "none"
        problem = "the request names no bucket" if name is None else f"unknown bucket {name!r}"
        raise _forbidden(method, "Bucket not found", f"{problem}; known buckets: {known}")
    check_host(call, bucket)
    if bucket.cors is None:
        raise _forbidden(
            method, "CORS is not enabled for this bucket.", f"bucket {name!r} has no CORS rules; use PUT Bucket cors"
        )
    if method is None or method not in METHODS:
        problem = "is missing" if method is None else f"is {method!r}"
        raise BAD_REQUEST.error(
            f"Invalid Access-Control-Request-Method: {'null' if method is None else method}",
            explanation=f"Access-Control-Request-Method {problem}; expected one of {', '.join(METHODS)}",
        )
    request = CrossOriginRequest(origin, method, _parse_names(headers.get("access-control-request-headers", "")))
    rule = bucket.cors.find_rule(request)
    if rule is None:
        raise _forbidden(
            method,
            "This CORS request is not allowed. This is usually because the evalution of Origin, request method /"
            " Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's"
            " CORS spec.",
            bucket.cors.explain(request),
            "OBJECT",
        )
    return Result(headers=rule_headers(rule, request))


OPTIONS_SERVICE, OPTIONS_BUCKET, OPTIONS_OBJECT = (
    operation(
        f"OPTIONS {scope.capitalize()}",
        Route("OPTIONS", scope, any_query=True),
        api_name=None,
        access=None,
        credentials=NoCredentials,
    )(answer_preflight)
    for scope in get_args(Scope)
)

OPERATIONS = (*CORS.operations(), OPTIONS_SERVICE, OPTIONS_BUCKET, OPTIONS_OBJECT)
