"""A rule that a state machine must notice, and the files that the rules of several machines are about."""

from __future__ import annotations

from typing import NamedTuple

BUCKET = "fakestore/model/bucket.py"
KEY_INDEX = "fakestore/model/keys.py"
VERSIONING = "fakestore/model/versioning.py"
LIFECYCLE = "fakestore/model/lifecycle.py"
ACL = "fakestore/model/acl.py"
AUTHORIZATION = "fakestore/operations/framework/access.py"
PRECONDITIONS = "fakestore/operations/framework/preconditions.py"
OBJECT = "fakestore/operations/object.py"
DELETION = "fakestore/operations/deletion.py"
PUT_HEADERS = "fakestore/operations/object_headers.py"
COPY = "fakestore/operations/copy.py"
#: The statement that adds an entry, and an edit that lets a new null version stay where the old one was.
NULL_IS_REPLACED = "replaced = history.append(entry)"
NULL_STAYS_IN_PLACE = "replaced = (history.append if history.get(entry.version_id) is None else history.replace)(entry)"


class Rule(NamedTuple):
    """A rule, and the edit that inverts it: `old` in `file` becomes `new`."""

    name: str
    file: str
    old: str
    new: str

    def inverted(self, source):
        """Return the source with the rule inverted.

        Raises:
            LookupError: If the text to replace is not there exactly once.
        """
        if (count := source.count(self.old)) != 1:
            raise LookupError(f"{self.name}: {self.file} has {count} times the text {self.old!r}; expected it once")
        return source.replace(self.old, self.new)
