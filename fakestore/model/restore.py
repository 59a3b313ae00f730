"""The restoration of archived objects."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class Restoration(NamedTuple):
    """A temporary copy of an archived object.

    Attributes:
        ready: When the copy can be read.
        expires: When the copy is removed again.
    """

    ready: datetime
    expires: datetime
