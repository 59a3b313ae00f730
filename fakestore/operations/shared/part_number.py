"""The query parameter `partNumber`."""

from __future__ import annotations

from fakestore.model.limits import MOST_PARTS
from fakestore.operations.core.fields import integer

#: The kind of the number of a part.
PART_NUMBER = integer(
    f"send an integer from 1 to {MOST_PARTS:,}",
    f"Part number must be an integer between 1 and {MOST_PARTS}, inclusive",
    least=1,
    most=MOST_PARTS,
)
