"""The operations that docs/reference/operations.md lists, each with the shortest request for it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from botocore.model import ServiceModel
from botocore.session import Session

_ROW = re.compile(
    r"^\| (?P<name>[^|]+) \| (?P<api_name>\w+) \| `(?P<method>[A-Z]+) (?P<scope>\w+)(?:\?(?P<query>[^ `]*))?"
    r"(?: with (?P<header>[^`]*))?`",
    re.MULTILINE,
)
_UNSUPPORTED = re.compile(r"^\| `(\S+)` \| (.+) \|$", re.MULTILINE)
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
    rows = _ROW.finditer(_PAGE.read_text(encoding="utf-8"))
    return [
        Operation(
            row["name"],
            row["api_name"],
            row["method"],
            row["scope"],
            {name.partition("=")[0]: _VALUES.get(name) for name in (row["query"] or "").split("&") if name},
            row["header"] or "",
        )
        for row in rows
    ]


def unsupported_parameters() -> dict[str, str]:
    """Return the query parameters that the page lists as not supported, each with the feature and its alternative."""
    (section,) = re.findall(r"^## Not supported$.*", _PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return dict(_UNSUPPORTED.findall(section))


@cache
def service_model() -> ServiceModel:
    """Return botocore's model of the public service."""
    return Session().get_service_model("s3")
