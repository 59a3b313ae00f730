"""The headers about CORS: what a browser says about a script, and the answer."""

from __future__ import annotations

from fakestore.http.request import Request
from fakestore.model.bucket import BucketRecord
from fakestore.model.cors import CorsRule, CrossOriginRequest

_VARY = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"


def sharing_headers(request: Request, bucket: BucketRecord | None) -> dict[str, str]:
    """Return the headers that let a script read the reply to its request, if a rule allows it. [cors-on-replies]"""
    origin = request.headers.by_name.get("origin")
    if origin is None or bucket is None or bucket.cors is None:
        return {}
    sent = CrossOriginRequest(origin, request.method)
    rule = bucket.cors.find_rule(sent)
    return {} if rule is None else rule_headers(rule, sent)


def rule_headers(rule: CorsRule, request: CrossOriginRequest) -> dict[str, str]:
    """Return the headers about a rule that allows a request."""
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
    headers["Vary"] = _VARY
    return headers
