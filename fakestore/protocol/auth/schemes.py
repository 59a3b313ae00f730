"""The authentication schemes that a dialect chooses from."""

from __future__ import annotations

from typing import Final

from fakestore.protocol.auth.base import HeaderScheme, QueryScheme
from fakestore.protocol.auth.hmac_sha1 import HmacSha1Header, HmacSha1Query
from fakestore.protocol.auth.v4.header import Version4Header
from fakestore.protocol.auth.v4.query import Version4Query

HMAC_SHA1_HEADER: Final[HeaderScheme] = HmacSha1Header()
HMAC_SHA1_QUERY: Final[QueryScheme] = HmacSha1Query()
VERSION_4_HEADER: Final[HeaderScheme] = Version4Header()
VERSION_4_QUERY: Final[QueryScheme] = Version4Query()
