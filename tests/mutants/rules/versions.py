"""What a PUT and a DELETE do in each versioning state. The machine `versions` must notice each inversion."""

from __future__ import annotations

from tests.mutants.rules.rule import (
    BUCKET,
    COPY,
    KEY_INDEX,
    NULL_IS_REPLACED,
    NULL_STAYS_IN_PLACE,
    OBJECT,
    VERSIONING,
    Rule,
)

HISTORY = "fakestore/model/object_version.py"
MFA = "fakestore/operations/mfa.py"
NAMED_VERSION = "fakestore/operations/versioning.py"

RULES = [
    # -- which versions a DELETE removes, and what a PUT replaces
    Rule(
        "a simple DELETE in an enabled bucket removes the null version",
        BUCKET,
        "removes_null = self._semantics.delete_removes_null_version",
        "removes_null = not self._semantics.delete_removes_null_version",
    ),
    Rule(
        "a simple DELETE in a suspended bucket replaces the null version with a null marker",
        BUCKET,
        "else:\n            version_id = self.versioning.next_id(self._ids.issue)",
        "else:\n            version_id = self._ids.issue()",
    ),
    Rule(
        "a simple DELETE in a bucket that was never versioned removes the object and makes no marker",
        BUCKET,
        "if self.versioning is Versioning.NEVER:\n            return Deletion(removed=self._remove(key, NULL))",
        "if False:\n            return Deletion(removed=self._remove(key, NULL))",
    ),
    Rule(
        "a PUT in a suspended bucket replaces the null version and goes on top",
        KEY_INDEX,
        NULL_IS_REPLACED,
        NULL_STAYS_IN_PLACE,
    ),
    Rule(
        "a PUT gets the id null unless versioning is enabled",
        VERSIONING,
        "return issue() if self is Versioning.ENABLED else NULL",
        "return issue() if self is not Versioning.NEVER else NULL",
    ),
    Rule(
        "a PUT in a bucket that was never versioned gets the id null",
        VERSIONING,
        "return issue() if self is Versioning.ENABLED else NULL",
        "return issue() if self is not Versioning.SUSPENDED else NULL",
    ),
    Rule(
        "a version id names that version, not the current one",
        BUCKET,
        "return history.get(version_id) if history else None",
        "return history.latest if history else None",
    ),
    Rule(
        "a version id that was never issued is an invalid argument",
        BUCKET,
        "if not self._ids.is_issued(version_id):",
        "if False:",
    ),
    Rule(
        "the latest version is the one written last",
        HISTORY,
        "return self._entries[next(reversed(self._entries))] if self._entries else None",
        "return self._entries[next(iter(self._entries))] if self._entries else None",
    ),
    Rule(
        "MFA Delete refuses to delete a version without the device's code",
        OBJECT,
        "if version_id is not None and bucket.mfa_delete:  # before",
        "if False:  # before",
    ),
    Rule("MFA Delete refuses a wrong code", MFA, "if not device.displays(serial, code):", "if False:"),
    Rule(
        "a wrong code is answered before an invalid version id",
        OBJECT,
        "if version_id is not None and bucket.mfa_delete:  # before",
        "if version_id is not None:\n        bucket.check_version_id(version_id)\n"
        "    if version_id is not None and bucket.mfa_delete:  # before",
    ),
    Rule(
        "a simple DELETE without the device's code keeps the null version under MFA Delete",
        OBJECT,
        "keep_null_version = version_id is None and not has_valid_mfa(call, bucket)",
        "keep_null_version = False",
    ),
    Rule(
        "a simple DELETE with the device's code removes the null version under MFA Delete",
        OBJECT,
        "keep_null_version = version_id is None and not has_valid_mfa(call, bucket)",
        "keep_null_version = bucket.mfa_delete",
    ),
    # -- tags, and what differs between services
    Rule(
        "a service that keeps the null version at a simple DELETE keeps it",
        BUCKET,
        "removes_null = self._semantics.delete_removes_null_version and",
        "removes_null = True and",
    ),
    Rule(
        "the answer to a DELETE without a marker says so only in some services",
        OBJECT,
        "if marker is not None or call.semantics.delete_always_names_marker:",
        "if True:",
    ),
    Rule(
        "a copy that wrote the null version names it only in some services",
        COPY,
        "if bucket.versioning in call.semantics.copy_names_null_version_in:",
        "if True:",
    ),
    Rule(
        "an object is encrypted by default only in some services",
        BUCKET,
        "if default is None and semantics.default_encryption is not None:",
        "if False:",
    ),
    Rule(
        "a change of tags is a change of the version that is named",
        BUCKET,
        "self._index.replace(replace(version, tags=tags))",
        "self._index.replace(replace(self.get_object(version.key), tags=tags))",
    ),
    Rule(
        "a change of tags leaves the other versions",
        BUCKET,
        "self._index.replace(replace(version, tags=tags))",
        "for each in [each for each in self.entries(version.key) if isinstance(each, ObjectVersion)]:\n"
        "            self._index.replace(replace(each, tags=tags))",
    ),
    Rule(
        "a current delete marker has no tags and does not allow them",
        NAMED_VERSION,
        'if error.error is not NO_SUCH_KEY or "delete-marker" not in error.service_headers:',
        "if True:",
    ),
]
