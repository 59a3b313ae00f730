"""The operations that docs/reference/operations.md lists, each with the shortest request for it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from botocore.model import ServiceModel
from botocore.session import Session

_ROW = re.compile(
    r"^\| (?P<name>[^|<]+?)(?:<br>(?P<api_name>\w+))? \| (?:`(?P<request>[^`]+)`)? \|[^|]+\|[^|]+\|$", re.MULTILINE
)
_REQUEST = re.compile(r"(?P<method>[A-Z]+) (?P<scope>\w+)(?:[? ](?P<query>[^ ]+))??(?: with (?P<header>.+))?")
_UNSUPPORTED = re.compile(r"^- (.+): (`.+`)$", re.MULTILINE)
_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "operations.md"
#: The query parameters of routes that have a value. The others are subresources.
_VALUES = {"id": "1", "list-type=2": "2", "partNumber": "1", "uploadId": "1"}


class Operation(NamedTuple):
    """An operation, and what a request must have to be for it.

    Args:
        name: The name in the specification.
        api_name: The name in the S3 API; ``none`` if it has none.
        method: The method.
        scope: What the request names: ``service``, ``bucket`` or ``object``.
        query: The query parameters. The value of a subresource is None.
        header: A header without the prefix of the dialect, or an empty string.
    """

    name: str
    api_name: str
    method: str
    scope: str
    query: dict[str, str | None]
    header: str

    def headers(self, prefix: str) -> dict[str, str]:
        """Return the header of the route with the prefix of a dialect. Its value is ``/photos/public.jpg``."""
        return {prefix + self.header: "/photos/public.jpg"} if self.header else {}

    @property
    def has_body(self) -> bool:
        """Whether a request carries a body. If botocore's model of the public service has the operation, it decides."""
        if self.api_name not in service_model().operation_names:
            return self.method in ("PUT", "POST")
        shape = service_model().operation_model(self.api_name).input_shape
        return shape is not None and "payload" in shape.serialization


@cache
def operations() -> list[Operation]:
    """Return all operations of the page."""
    found = []
    for row in _ROW.finditer(_PAGE.read_text(encoding="utf-8")):
        # Without a request, the name is the request, except for the case of its letters.
        method, _, rest = row["name"].partition(" ")
        scope, _, subresource = rest.partition(" ")
        subresource = subresource.lower() if subresource == "ACL" else subresource
        request = _REQUEST.fullmatch(row["request"] or f"{method} {scope.lower()} {subresource}".rstrip())
        assert request is not None
        query = {name.partition("=")[0]: _VALUES.get(name) for name in (request["query"] or "").split("&") if name}
        api_name, header = row["api_name"] or "none", request["header"] or ""
        found.append(Operation(row["name"], api_name, request["method"], request["scope"], query, header))
    return found


def unsupported_parameters() -> dict[str, str]:
    """Return the query parameters that the page lists as not supported, each with the feature."""
    (section,) = re.findall(r"^## Not supported$.*", _PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return {name: feature for feature, names in _UNSUPPORTED.findall(section) for name in re.findall("`(.+?)`", names)}


@cache
def service_model() -> ServiceModel:
    """Return botocore's model of the public service."""
    return Session().get_service_model("s3")
