"""A naive oracle: what a store should answer, computed by scanning plain lists.

It is written from the specification and from recorded answers, shares no code with fakestore and imports nothing of it.
It is slow on purpose: it stores the entries of each key in a list, oldest first, and derives everything else from them.
"""

from tests.trust.oracle.lifecycle import Lifecycle
from tests.trust.oracle.locks import Locks
from tests.trust.oracle.ownership import Ownership
from tests.trust.oracle.uploads import Uploads


class Oracle(Uploads, Lifecycle, Locks, Ownership):
    """What the buckets hold, and what each request is answered."""
