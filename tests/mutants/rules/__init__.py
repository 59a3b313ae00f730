"""The rules that the state machines must notice, each with an edit of the source that inverts it.

One module holds the rules of one machine. Only these modules quote the package's source. When code moves, adjust the
file or the text there; an edit whose text is not found exactly once is an error.
"""

from __future__ import annotations

from tests.mutants.rules import access, conditions, lifecycle, locks, ownership, uploads, versions

#: The rules of each machine.
RULES = {
    module.__name__.rpartition(".")[2]: module.RULES
    for module in (versions, access, conditions, lifecycle, uploads, locks, ownership)
}
