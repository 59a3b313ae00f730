"""The dialect of the specification."""

from __future__ import annotations

from fakestore.protocol.dialect import Dialect

#: The dialect of the specification: virtual hosts, ``x-svc-``, and signature version 2 in a header.
DOCUMENT = Dialect(name="document")
