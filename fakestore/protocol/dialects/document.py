"""The dialect of the specification."""

from __future__ import annotations

from fakestore.protocol.dialect import Dialect

#: The default dialect, which follows the specification: the bucket in the host, the header prefix ``x-svc-``, and
#: signature version 2 in the Authorization header.
DOCUMENT = Dialect(name="document")
