"""The errors for requests of any client to other hosts, and to a store that was left."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import requests

from fakestore.clients import moto
from fakestore.clients.target import Reach, Target, active, find_target, is_for
from fakestore.messages import escaped
from fakestore.model.regions import DOMAINS
from fakestore.protocol.addressing import Addressing, join_netloc
from fakestore.protocol.dialect import DIALECTS, S3_HOSTS
from fakestore.service.service import Service

if TYPE_CHECKING:
    from responses import BaseResponse

#: Hosts of features of the public service that fakestore does not support.
_OTHER_PARTS = {
    "accesspoint.s3-global": "multi-region access points",
    "s3-accelerate": "accelerated transfers",
    "s3-accesspoint": "access points",
    "s3-control": "access points, batch operations and settings of an account",
    "s3-object-lambda": "Object Lambda",
    "s3-outposts": "Outposts",
    "s3-website": "websites",
    "s3express-": "directory buckets",
}
#: The addresses at which botocore looks for credentials if it found none elsewhere: of a machine and of a container.
_CREDENTIAL_HOSTS = frozenset({"169.254.169.254", "169.254.170.2"})
#: A host of the public service, with any text instead of the region.
_REGIONAL_HOST = re.compile(
    rf"(?:.+\.)?s3\.(?:dualstack\.)?(?P<region>[^.]+)\.(?:{'|'.join(map(re.escape, DOMAINS.values()))})"
)
#: The ends of the hosts of all services of the public provider.
_PROVIDER = tuple(f".{domain}" for domain in DOMAINS.values())
#: The value of a query parameter, which may be a secret.
_QUERY_VALUE = re.compile(r"=[^&]*")
_VALUES_OF_MATCHER = re.compile(r"[:.]\s.*", re.DOTALL)


class UnexpectedRequest(requests.ConnectionError):
    """A request was sent to a host that belongs to no active store, and no other mock answered it.

    If ``allow_network`` is set, such a request reaches the network instead.

    It is a ``requests.ConnectionError``, not the built-in ``ConnectionError``.

    It is raised at the line that sent the request. If the code under test catches it, it is raised again when the store
    is left, unless the test removes it from ``store.unhandled_requests``. Like every error of `requests`, it has the
    attribute ``request``: the request, without its body.
    """


def note_unexpected(target: Target, url: SplitResult, request: requests.PreparedRequest) -> UnexpectedRequest:
    """Return the error for a request to another host, and note it in the store. The error gets no body."""
    service = target.service
    earlier = service.unhandled_requests[:1]
    is_first = not service.journal.exchanges() and all(_host_of(error) == url.hostname for error in earlier)
    endpoint = service.endpoint
    hosts = repr(endpoint.netloc)
    if not endpoint.uses_path_style:
        hosts += f" and at '<bucket>.{endpoint.netloc}'"
    explanation = _explain_host(service, url, request)
    base_url = "" if explanation else _advise_base_url(service, url, is_first=is_first)
    network = f" The store answers at {hosts}; {_explain_permission(url)}"
    sentences = (network, base_url) if _is_loopback(url) else (base_url, network)
    request = request.copy()
    request.body = None
    error = UnexpectedRequest(
        f"{escaped(str(request.method))} {redacted_url(url)}: {_netloc(url)!r} is not a host of this store"
        f"{explanation or '.'}{'.'.join(filter(None, sentences))}",
        request=request,
    )
    service.unhandled_requests.append(error)
    return error


def _explain_permission(url: SplitResult) -> str:
    if moto.is_active() and S3_HOSTS.fullmatch(url.hostname or ""):
        return (
            "moto answers S3 beside a store of another dialect only with allow_network=['s3.amazonaws.com'] on the"
            " outermost store"
        )
    purpose, host = "let requests to this host reach the network", _netloc(url)
    if _is_loopback(url):  # the server may have another port in each run
        purpose, host = "reach a server of the test", join_netloc(url.hostname or "", None)
    return f"to {purpose}, use fake_store(allow_network=[{host!r}]), or allow_network=True for every host"


def refuse_if_left(reach: Reach, method: str | None, url: SplitResult) -> None:
    """Refuse a request to a store that was left. It could reach the real service with the credentials of the store."""
    if not reach.is_left or reach.is_mounted:
        return
    if not is_for(reach.endpoint, url.scheme, url.netloc) or find_target(tuple(active), url) is not None:
        return
    raise UnexpectedRequest(
        f"{method} {redacted_url(url)}: the store at {reach.origin!r} was left, so it does not answer; send the request"
        " before the end of the `with` block or of the decorated function (a fixture yields its client inside the"
        " block), or mount store.adapter()",
        request=new_request(method, url),
    )


def new_request(method: str | None, url: SplitResult) -> requests.PreparedRequest:
    request = requests.PreparedRequest()
    request.method, request.url = method, url.geturl()
    return request


def _host_of(error: Exception) -> str | None:
    return urlsplit(str(getattr(getattr(error, "request", None), "url", ""))).hostname


def describe_refusal_of_responses(service: Service, url: SplitResult) -> str:
    """Return a sentence on a request that a mock of `responses` refused, or an empty string if the host is the store's.

    The store does not raise such a refusal again, because a test may want it.
    """
    if is_for(service.endpoint, url.scheme, url.netloc):
        return ""
    hint = _suggest_host(service, url.hostname or "")
    return f"responses refused a request to {_netloc(url)!r}, which is not a host of this store.{hint}"


def _explain_host(service: Service, url: SplitResult, request: requests.PreparedRequest) -> str:
    """Return the end of the sentence on an unknown host, which says what it may be, or an empty string."""
    endpoint, host = service.endpoint, url.hostname or ""
    if stubs := _responses_for(host, request):
        return f". store.responses answers the library 'requests' (for httpx, use respx), and has {', '.join(stubs)}."
    if endpoint.claims(url.scheme, host, endpoint.port):
        return f": the port is not that of {endpoint.netloc!r}."
    if host in _CREDENTIAL_HOSTS:
        if not service.dialect.environment.access_key_id:
            advice = "use fake_store(dialect='s3'), whose account the environment then names"
        else:
            advice = (
                "pass aws_access_key_id and aws_secret_access_key to the client, or set AWS_ACCESS_KEY_ID and"
                " AWS_SECRET_ACCESS_KEY"
            )
        return f". botocore looks for credentials there, because it found none: {advice}."
    if (dialect := _dialect_of(host)) is not None:
        return f". A store of another dialect answers there: use fake_store(dialect={dialect!r})."
    if (part := _other_part_of(host)) is not None:
        return f": it is a host for {part}, which fakestore does not support."
    if (regional := _REGIONAL_HOST.fullmatch(host)) is not None:
        region = escaped(regional["region"])
        return f": {region!r} does not have the form of a region; use a region such as 'eu-central-1'."
    if hint := _suggest_host(service, host):
        return f".{hint}"
    if _is_sibling(host, endpoint.host) or host.endswith(_PROVIDER):
        limits = (
            ", which answers a boto3 client only if it was made after moto was imported, or was passed to"
            " moto.core.patch_client"
        )
        return (
            ". If it is another service, let a mock answer it: store.responses (for the library 'requests'), or for"
            f" example moto{limits if moto.is_active() else ''}."
        )
    return ""


def _advise_base_url(service: Service, url: SplitResult, *, is_first: bool) -> str:
    """Return a sentence without a full stop that advises the option base_url, or an empty string.

    `is_first` is true if the store has got no request, and the first refused request, if any, was for the same host.
    """
    host = url.hostname or ""
    if (":" in host and Addressing.PATH not in service.endpoint.addressing) or not (is_first or is_local(host)):
        return ""
    netloc = _netloc_without_bucket(service, url)
    option = "...) with its URL, without the bucket" if netloc is None else f"{f'{url.scheme}://{netloc}'!r})"
    return f" If the code is configured with that endpoint, use fake_store(base_url={option}"


def _suggest_host(service: Service, host: str) -> str:
    """Return what the test may have meant by a similar host, or an empty string if the host is not similar."""
    endpoint = service.endpoint
    is_sibling = _is_sibling(host, endpoint.host)
    if _is_near(host, endpoint.host) and (is_sibling or not host.endswith(_PROVIDER)):
        return f" Did you mean {endpoint.netloc!r}?"
    bucket, _, rest = host.partition(f".{endpoint.host}")
    if bucket in service.state.buckets and rest and not rest.startswith("."):
        return " A slash is missing after the host: use store.url(bucket, key)."
    return ""


def _responses_for(host: str, request: requests.PreparedRequest) -> list[str]:
    """Return the method and the URL of each response to a host that the mock of an active store has.

    What does not match follows, without the values.
    """
    stubs = [stub for target in active if "responses" in vars(target) for stub in target.responses.registered()]
    urls = [(stub, urlsplit(stub.url)) for stub in stubs if isinstance(stub.url, str)]
    return [
        f"{stub.method} {redacted_url(url)}{_mismatch(stub, request)}" for stub, url in urls if url.hostname == host
    ]


def _mismatch(stub: BaseResponse, request: requests.PreparedRequest) -> str:
    """Return in parentheses what does not match, or an empty string if no mock of `responses` has seen the request.

    The matchers of `responses` run again. They write the values, which may be secret, after what does not match.
    """
    if not hasattr(request, "req_kwargs"):
        return ""
    reason: str = stub.matches(request)[1]
    return f" ({escaped(_VALUES_OF_MATCHER.sub('', reason))})"


def redacted_url(url: SplitResult) -> str:
    """Return a URL for a log: without user, password and the values of its query."""
    query = _QUERY_VALUE.sub("=...", url.query)
    return escaped(url._replace(netloc=_netloc(url), query=query).geturl())


def _netloc_without_bucket(service: Service, url: SplitResult) -> str | None:
    """Return the network location of an endpoint, or None if the host can begin with a bucket name."""
    netloc, host, buckets = _netloc(url), url.hostname or "", service.state.buckets
    bucket = next((each for each in buckets if netloc.startswith(f"{each}.")), None)
    if bucket is not None:
        return netloc.removeprefix(f"{bucket}.")
    is_whole = "." not in host or host.replace(".", "").isdigit() or url.path.lstrip("/").partition("/")[0] in buckets
    return netloc if is_whole else None


def _netloc(url: SplitResult) -> str:
    return escaped(url.netloc.rpartition("@")[2])


def is_local(host: str) -> bool:
    """Return whether a host is an IP address or a name for this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback(url: SplitResult) -> bool:
    """Return whether a server of the test may have this host."""
    host = url.hostname or ""
    return host == "localhost" or (is_local(host) and not host.endswith(".localhost") and ip_address(host).is_loopback)


def _dialect_of(host: str) -> str | None:
    """Return the name of the dialect whose service has this public host, or None."""
    for name, dialect in DIALECTS.items():
        hosts = dialect.public_hosts
        if hosts is not None and hosts.fullmatch(host):
            return name
    return None


def _other_part_of(host: str) -> str | None:
    """Return the unsupported part of the public service that has this host, or None."""
    if not host.endswith(_PROVIDER):
        return None
    return next((part for label, part in _OTHER_PARTS.items() if f".{label}" in f".{host}"), None)


def _is_near(host: str, ours: str) -> bool:
    """Return whether a host may be a misspelt host of the store. Equal labels at the end do not count."""
    theirs, own = host.split("."), ours.split(".")
    while theirs and len(own) > 1 and theirs[-1] == own[-1]:
        theirs, own = theirs[:-1], own[:-1]
    tail = ".".join(theirs[-len(own) :])
    return host.endswith(ours) or SequenceMatcher(None, tail, ".".join(own)).ratio() > 0.75


def _is_sibling(host: str, ours: str) -> bool:
    """Return whether a host is in the domain of the store's host, like all services of one provider."""
    domain = ours.partition(".")[2]
    return "." in domain and host.endswith(f".{domain}")
