"""The headers about CORS: what a browser says about a script, and the answer."""

from __future__ import annotations

from fakestore.model.cors import CorsRule, CrossOriginRequest
from fakestore.operations.core.context import RequestContext
from fakestore.operations.core.parameters import Guard

_VARY = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"


class CrossOriginSharing(Guard):
    """The headers that let a script read the reply to its request, if a rule allows it. [cors-on-replies]"""

    needs_bucket = False

    def headers_of_every_reply(self, context: RequestContext) -> dict[str, str]:
        """Return the headers of the rule, as it is when the request arrives."""
        origin = context.headers.get("origin")
        bucket = None if origin is None else context.state.buckets.get(context.address.bucket or "")
        if origin is None or bucket is None or bucket.cors is None:
            return {}
        sent = CrossOriginRequest(origin, context.received.method)
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
