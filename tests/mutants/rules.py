"""The central rules that the state machines must notice, each with an edit of the source that inverts it.

This is the one place that quotes the package's source. When code moves, adjust the file or the text here; an edit whose
text is not found exactly once is an error.
"""

from __future__ import annotations

from typing import NamedTuple

BUCKET = "fakestore/model/bucket.py"
HISTORY = "fakestore/model/history.py"
LIFECYCLE = "fakestore/model/lifecycle.py"
ACL = "fakestore/model/acl.py"
POLICY = "fakestore/model/policy.py"
AUTHORIZATION = "fakestore/operations/core/authorization.py"
PRECONDITIONS = "fakestore/operations/core/preconditions.py"
MFA = "fakestore/operations/core/mfa.py"
OBJECT = "fakestore/operations/object/object.py"
OBJECT_HEADERS = "fakestore/operations/object/headers.py"
COPY = "fakestore/operations/object/copy.py"


class Rule(NamedTuple):
    """A rule, the machine that must notice its inversion, and the edit: `old` in `file` becomes `new`."""

    machine: str
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


RULES = [
    # -- which versions a DELETE removes, and what a PUT replaces
    Rule(
        "versions",
        "a simple DELETE in an enabled bucket removes the null version",
        BUCKET,
        "removes_null=self._semantics.delete_removes_null_version",
        "removes_null=not self._semantics.delete_removes_null_version",
    ),
    Rule(
        "versions",
        "a simple DELETE in a suspended bucket replaces the null version with a null marker",
        BUCKET,
        "key=key, version_id=self.versioning.next_id(self._ids.issue), last_modified=now, owner=owner",
        "key=key, version_id=self._ids.issue(), last_modified=now, owner=owner",
    ),
    Rule(
        "versions",
        "a simple DELETE in a bucket that was never versioned removes the object and makes no marker",
        BUCKET,
        "if self.versioning is Versioning.NEVER:\n            self._take(key, NULL)",
        "if False:\n            self._take(key, NULL)",
    ),
    Rule(
        "versions",
        "a PUT in a suspended bucket replaces the null version and goes on top",
        HISTORY,
        "self._entries.pop(entry.version_id, None)\n        under",
        "under",
    ),
    Rule(
        "versions",
        "a PUT gets the id null unless versioning is enabled",
        HISTORY,
        "return mint() if self is Versioning.ENABLED else NULL",
        "return mint() if self is not Versioning.NEVER else NULL",
    ),
    Rule(
        "versions",
        "a PUT in a bucket that was never versioned gets the id null",
        HISTORY,
        "return mint() if self is Versioning.ENABLED else NULL",
        "return mint() if self is not Versioning.SUSPENDED else NULL",
    ),
    Rule(
        "versions",
        "a version id names that version, not the current one",
        BUCKET,
        "found = history.get(version_id) if history else None",
        "found = history.current if history else None",
    ),
    Rule(
        "versions",
        "a version id that was never issued is an invalid argument",
        BUCKET,
        "if not self._ids.is_issued(version_id):",
        "if False:",
    ),
    Rule(
        "versions",
        "the latest version is the one written last",
        HISTORY,
        "return next(reversed(self._entries.values()), None)",
        "return next(iter(self._entries.values()), None)",
    ),
    Rule(
        "versions",
        "MFA Delete refuses to delete a version without the device's code",
        OBJECT,
        "            if bucket.mfa_delete:\n                check_mfa(call, bucket)",
        "",
    ),
    Rule(
        "versions",
        "MFA Delete refuses a wrong code",
        MFA,
        "if not device.displays(serial, code):",
        "if False:",
    ),
    # -- who may do what
    Rule(
        "access",
        "to read an object needs READ on the object, not on the bucket",
        OBJECT,
        'READ = Access("s3:GetObject", Right.OBJECT_READ)',
        'READ = Access("s3:GetObject", Right.BUCKET_READ)',
    ),
    Rule(
        "access",
        "a grant to a group of accounts holds for every account",
        ACL,
        "return self is not Group.LOG_DELIVERY",
        "return False",
    ),
    Rule(
        "access",
        "a grant to the log writer holds for no account",
        ACL,
        "return self is not Group.LOG_DELIVERY",
        "return True",
    ),
    Rule(
        "access",
        "a grant gives its own permission only",
        ACL,
        "self.permission is permission or self.permission is Permission.FULL_CONTROL",
        "True",
    ),
    Rule(
        "access",
        "FULL_CONTROL includes the other permissions",
        ACL,
        "self.permission is permission or self.permission is Permission.FULL_CONTROL",
        "self.permission is permission",
    ),
    Rule(
        "access",
        "to write needs WRITE on the bucket",
        OBJECT,
        'PUT = Access("s3:PutObject", Right.BUCKET_WRITE)',
        'PUT = Access("s3:PutObject", Right.BUCKET_READ)',
    ),
    Rule(
        "access",
        "a simple DELETE needs WRITE on the bucket, not its ownership",
        OBJECT,
        'DELETE = Access("s3:DeleteObject", Right.BUCKET_WRITE)',
        'DELETE = Access("s3:DeleteObject", Right.BUCKET_OWNER)',
    ),
    Rule(
        "access",
        "WRITE on the bucket does not allow to delete a version",
        OBJECT,
        'Access("s3:DeleteObjectVersion", Right.BUCKET_OWNER_ALONE)',
        'Access("s3:DeleteObjectVersion", Right.BUCKET_WRITE)',
    ),
    Rule(
        "access",
        "no policy allows another account to delete a version",
        OBJECT,
        'Access("s3:DeleteObjectVersion", Right.BUCKET_OWNER_ALONE)',
        'Access("s3:DeleteObjectVersion", Right.BUCKET_OWNER)',
    ),
    Rule(
        "access",
        "the owner may always read the ACL",
        AUTHORIZATION,
        "_OWNERS_RIGHTS = (Permission.READ_ACP, Permission.WRITE_ACP)",
        "_OWNERS_RIGHTS = (Permission.WRITE_ACP,)",
    ),
    Rule(
        "access",
        "the owner may always write the ACL",
        AUTHORIZATION,
        "_OWNERS_RIGHTS = (Permission.READ_ACP, Permission.WRITE_ACP)",
        "_OWNERS_RIGHTS = (Permission.READ_ACP,)",
    ),
    Rule(
        "access",
        "the owner may read the content only by a grant",
        AUTHORIZATION,
        "_OWNERS_RIGHTS = (Permission.READ_ACP, Permission.WRITE_ACP)",
        "_OWNERS_RIGHTS = (Permission.READ, Permission.READ_ACP, Permission.WRITE_ACP)",
    ),
    Rule(
        "access",
        "an object belongs to the account that wrote it",
        OBJECT,
        "owner=call.account,\n            metadata=metadata",
        "owner=bucket.owner,\n            metadata=metadata",
    ),
    Rule(
        "access",
        "that an object is missing is told only to those who may list the bucket",
        AUTHORIZATION,
        "if listing is not Verdict.ALLOWED and (",
        "if False and (",
    ),
    Rule(
        "access",
        "a Deny wins over an Allow",
        POLICY,
        "if statement.effect is Effect.DENY:\n                    return statement",
        "return statement",
    ),
    Rule(
        "access",
        "a Deny covers the bucket's owner",
        AUTHORIZATION,
        "if verdict is Verdict.DENIED:",
        "if verdict is Verdict.DENIED and account.id != bucket.owner.id:",
    ),
    Rule(
        "access",
        "a Deny of GetObject does not cover GetObjectVersion",
        OBJECT,
        'READ_VERSION = Access("s3:GetObjectVersion"',
        'READ_VERSION = Access("s3:GetObject"',
    ),
    Rule(
        "access",
        "a Deny covers only the keys that its resource names",
        POLICY,
        "and any(_matches(pattern, resource) for pattern in self.resources)",
        "",
    ),
    Rule(
        "access",
        "an Allow suffices without a grant",
        AUTHORIZATION,
        "if not allowed and not _may(account, permission, entry.acl):",
        "if not _may(account, permission, entry.acl):",
    ),
    Rule(
        "access",
        "a Deny of PutObjectAcl covers a PUT that asks for an ACL",
        OBJECT_HEADERS,
        "authorize(SET_ACL, call.account, bucket, call.key, None)",
        "pass",
    ),
    # -- which side of a condition fails
    Rule(
        "conditions",
        "if-match fails if the entity tag differs",
        PRECONDITIONS,
        "self.match is not None and not _matches(self.match, version.etag)",
        "self.match is not None and _matches(self.match, version.etag)",
    ),
    Rule(
        "conditions",
        "if-none-match fails if the entity tag is the same",
        PRECONDITIONS,
        "self.none_match is not None and _matches(self.none_match, version.etag)",
        "self.none_match is not None and not _matches(self.none_match, version.etag)",
    ),
    Rule(
        "conditions",
        "if-modified-since fails if the object was modified before or at the date",
        PRECONDITIONS,
        "modified <= self.modified_since <= now",
        "self.modified_since < modified",
    ),
    Rule(
        "conditions",
        "if-modified-since fails also at the very second of the modification",
        PRECONDITIONS,
        "modified <= self.modified_since <= now",
        "modified < self.modified_since <= now",
    ),
    Rule(
        "conditions",
        "if-unmodified-since fails if the object was modified after the date",
        PRECONDITIONS,
        "modified > self.unmodified_since",
        "modified <= self.unmodified_since",
    ),
    Rule(
        "conditions",
        "if-unmodified-since holds at the very second of the modification",
        PRECONDITIONS,
        "modified > self.unmodified_since",
        "modified >= self.unmodified_since",
    ),
    Rule(
        "conditions",
        "a true if-match wins over a false if-unmodified-since",
        PRECONDITIONS,
        "if self.match is None and self.unmodified_since is not None",
        "if self.unmodified_since is not None",
    ),
    Rule(
        "conditions",
        "a read whose if-none-match fails is 304, not 412",
        OBJECT,
        "if failed.unchanged:",
        "if not failed.unchanged:",
    ),
    Rule(
        "conditions",
        "a copy whose condition fails is refused",
        COPY,
        "if failed := conditions.failed(source, call.now):",
        "if (failed := conditions.failed(source, call.now)) and False:",
    ),
    Rule(
        "conditions",
        "a PUT with If-None-Match: * is refused if the object exists",
        PRECONDITIONS,
        "if isinstance(newest, ObjectVersion):\n                raise PRECONDITION_FAILED",
        "if not isinstance(newest, ObjectVersion):\n                raise PRECONDITION_FAILED",
    ),
    # -- what a copy takes from its source
    Rule(
        "conditions",
        "a copy takes the metadata of its source unless the directive is REPLACE",
        COPY,
        "metadata=source.all_metadata if replacement is None else replacement",
        "metadata=metadata_of(call)",
    ),
    Rule(
        "conditions",
        "a copy with the directive REPLACE takes the metadata of the request",
        COPY,
        "metadata=source.all_metadata if replacement is None else replacement",
        "metadata=source.all_metadata",
    ),
    Rule(
        "conditions",
        "a copy does not take the ACL of its source",
        COPY,
        "requested_acl=asked.acl or PRIVATE",
        'requested_acl=asked.acl or __import__("fakestore.model.acl").model.acl.GrantList.of(source.acl.grants)',
    ),
    Rule(
        "conditions",
        "a copy does not take the storage class of its source",
        COPY,
        "storage_class=asked.storage_class",
        "storage_class=source.storage_class",
    ),
    Rule(
        "conditions",
        "a copy of an object onto itself that changes nothing is refused",
        COPY,
        "if onto_itself and not changes and is_current:",
        "if False:",
    ),
    # -- when a lifecycle rule acts
    Rule(
        "lifecycle",
        "days are rounded up to the next midnight",
        LIFECYCLE,
        "return midnight if midnight == due else midnight + timedelta(days=1)",
        "return midnight",
    ),
    Rule(
        "lifecycle",
        "days that end at midnight are not rounded",
        LIFECYCLE,
        "return midnight if midnight == due else midnight + timedelta(days=1)",
        "return midnight + timedelta(days=1)",
    ),
    Rule(
        "lifecycle",
        "a rule acts on the keys with its prefix",
        LIFECYCLE,
        "if not self.enabled or not entry.key.startswith(self.prefix):",
        "if not self.enabled:",
    ),
    Rule(
        "lifecycle",
        "an object that expires is deleted as by a simple DELETE",
        BUCKET,
        "self.delete(key, owner=self.owner, now=action.at)",
        "self._take(key, history.current.version_id)",
    ),
    Rule(
        "lifecycle",
        "a version is noncurrent since the entry above it was written",
        LIFECYCLE,
        "(at := _midnight(over.last_modified, days)) is not None",
        "(at := _midnight(entry.last_modified, days)) is not None",
    ),
    Rule(
        "lifecycle",
        "a rule keeps exactly as many newer noncurrent versions as it says",
        LIFECYCLE,
        "if newer >= (rule.newer_noncurrent_versions or 0)",
        "if newer > (rule.newer_noncurrent_versions or 0)",
    ),
    Rule(
        "lifecycle",
        "an expired delete marker is removed only when nothing is left under it",
        LIFECYCLE,
        "elif current is not None and len(history) == 1:",
        "elif current is not None:",
    ),
    Rule(
        "lifecycle",
        "days remove a delete marker only after that many days",
        LIFECYCLE,
        "if self.days is not None:\n            return _midnight(marker.last_modified, self.days)",
        "if self.days is not None:\n            return _midnight(marker.last_modified, 0)",
    ),
]
