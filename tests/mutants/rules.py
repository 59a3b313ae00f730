"""The central rules that the state machines must notice, each with an edit of the source that inverts it.

This module, `upload_rules.py` and `lock_rules.py` are the only ones that quote the package's source. When code moves,
adjust the file or the text there; an edit whose text is not found exactly once is an error.
"""

from __future__ import annotations

from typing import NamedTuple

BUCKET = "fakestore/model/bucket.py"
HISTORY = "fakestore/model/history.py"
KEY_INDEX = "fakestore/model/key_index.py"
VERSIONING = "fakestore/model/versioning.py"
LIFECYCLE = "fakestore/model/lifecycle.py"
ACL = "fakestore/model/acl.py"
POLICY = "fakestore/model/policy.py"
AUTHORIZATION = "fakestore/operations/core/authorization.py"
PRECONDITIONS = "fakestore/operations/core/preconditions.py"
MFA = "fakestore/operations/core/mfa.py"
COPY_SOURCE = "fakestore/operations/core/copy_source.py"
OBJECT = "fakestore/operations/object/object.py"
DELETION = "fakestore/operations/core/deletion.py"
METADATA = "fakestore/operations/object/metadata.py"
PUT_HEADERS = "fakestore/operations/object/put_headers.py"
COPY = "fakestore/operations/object/copy.py"
OBJECT_TAGGING = "fakestore/operations/object/tagging.py"
NAMED_VERSION = "fakestore/operations/object/version.py"
AUTHENTICATOR = "fakestore/protocol/auth/authenticator.py"
EXECUTION = "fakestore/service/execution.py"

#: The statement that adds an entry, and an edit that lets a new null version stay where the old one was.
NULL_IS_REPLACED = "replaced = history.append(entry)"
NULL_STAYS_IN_PLACE = "replaced = (history.append if history.get(entry.version_id) is None else history.replace)(entry)"
#: The statements of a copy that find its source.
_AUTHORIZE_SOURCE = "    authorize(READ_OBJECT, context, bucket, Resource(source.key, source.version_id))\n"
_GET_SOURCE = "    version = _get_source_version(bucket, source)\n"
#: The statement of a copy that stores the new object, and what an edit puts at its front.
_COPY_IS_STORED = "    version = bucket.put(context.key, new, owner=context.owner, now=context.now)"
_IMPORT = "    from fakestore.model.acl import GrantList\n\n"


class Rule(NamedTuple):
    """A rule, the machine that must notice its inversion, and the edit: `old` in `file` becomes `new`.

    Args:
        central: Whether the rule is one of the most central ones, which `--central` selects.
    """

    machine: str
    name: str
    file: str
    old: str
    new: str
    central: bool = False

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
        "removes_null = self._semantics.delete_removes_null_version",
        "removes_null = not self._semantics.delete_removes_null_version",
        central=True,
    ),
    Rule(
        "versions",
        "a simple DELETE in a suspended bucket replaces the null version with a null marker",
        BUCKET,
        "else:\n            version_id = self.versioning.next_id(self._ids.issue)",
        "else:\n            version_id = self._ids.issue()",
        central=True,
    ),
    Rule(
        "versions",
        "a simple DELETE in a bucket that was never versioned removes the object and makes no marker",
        BUCKET,
        "if self.versioning is Versioning.NEVER:\n            return Deletion(removed=self._remove(key, NULL))",
        "if False:\n            return Deletion(removed=self._remove(key, NULL))",
        central=True,
    ),
    Rule(
        "versions",
        "a PUT in a suspended bucket replaces the null version and goes on top",
        KEY_INDEX,
        NULL_IS_REPLACED,
        NULL_STAYS_IN_PLACE,
        central=True,
    ),
    Rule(
        "versions",
        "a PUT gets the id null unless versioning is enabled",
        VERSIONING,
        "return issue() if self is Versioning.ENABLED else NULL",
        "return issue() if self is not Versioning.NEVER else NULL",
    ),
    Rule(
        "versions",
        "a PUT in a bucket that was never versioned gets the id null",
        VERSIONING,
        "return issue() if self is Versioning.ENABLED else NULL",
        "return issue() if self is not Versioning.SUSPENDED else NULL",
    ),
    Rule(
        "versions",
        "a version id names that version, not the current one",
        BUCKET,
        "return history.get(version_id) if history else None",
        "return history.latest if history else None",
        central=True,
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
        "if version_id is not None and bucket.mfa_delete:  # before",
        "if False:  # before",
        central=True,
    ),
    Rule(
        "versions",
        "MFA Delete refuses a wrong code",
        MFA,
        "if not device.displays(serial, code):",
        "if False:",
        central=True,
    ),
    Rule(
        "versions",
        "a wrong code is answered before an invalid version id",
        OBJECT,
        "if version_id is not None and bucket.mfa_delete:  # before",
        "if version_id is not None:\n        bucket.check_version_id(version_id)\n"
        "    if version_id is not None and bucket.mfa_delete:  # before",
    ),
    Rule(
        "versions",
        "a simple DELETE without the device's code keeps the null version under MFA Delete",
        DELETION,
        "keep_null_version=not has_valid_mfa(context, bucket)",
        "keep_null_version=False",
        central=True,
    ),
    Rule(
        "versions",
        "a simple DELETE with the device's code removes the null version under MFA Delete",
        DELETION,
        "keep_null_version=not has_valid_mfa(context, bucket)",
        "keep_null_version=bucket.mfa_delete",
    ),
    # -- tags, and what differs between services
    Rule(
        "versions",
        "a service that keeps the null version at a simple DELETE keeps it",
        BUCKET,
        "removes_null = self._semantics.delete_removes_null_version and",
        "removes_null = True and",
        central=True,
    ),
    Rule(
        "versions",
        "the answer to a DELETE without a marker says so only in some services",
        OBJECT,
        "if marker is not None or context.semantics.delete_always_names_marker:",
        "if True:",
    ),
    Rule(
        "versions",
        "a copy that wrote the null version names it only in some services",
        COPY,
        "if context.semantics.copy_returns_null_version_id and bucket",
        "if bucket",
    ),
    Rule(
        "versions",
        "an object is encrypted by default only in some services",
        BUCKET,
        "return DefaultEncryption(self._semantics.default_encryption)",
        "return None",
    ),
    Rule(
        "versions",
        "a change of tags is a change of the version that is named",
        BUCKET,
        "self._index.replace(replace(version, tags=tags))",
        "self._index.replace(replace(self.get_object(version.key), tags=tags))",
        central=True,
    ),
    Rule(
        "versions",
        "a change of tags leaves the other versions",
        BUCKET,
        "self._index.replace(replace(version, tags=tags))",
        "for each in [each for each in self.entries(version.key) if isinstance(each, ObjectVersion)]:\n"
        "            self._index.replace(replace(each, tags=tags))",
        central=True,
    ),
    Rule(
        "versions",
        "a current delete marker has no tags and does not allow them",
        NAMED_VERSION,
        "if error.error is not NO_SUCH_KEY or error.marker is None:",
        "if True:",
    ),
    # -- who may do what
    Rule(
        "access",
        "to read an object needs READ on the object, not on the bucket",
        AUTHORIZATION,
        'READ_OBJECT = Access("s3:GetObject", OBJECT_READ',
        'READ_OBJECT = Access("s3:GetObject", BUCKET_READ',
        central=True,
    ),
    Rule(
        "access",
        "to copy needs READ on the source",
        COPY_SOURCE,
        _AUTHORIZE_SOURCE,
        "",
    ),
    Rule(
        "access",
        "a missing source of a copy is 404 only for a requester with the permission to list its bucket",
        COPY_SOURCE,
        _AUTHORIZE_SOURCE + _GET_SOURCE,
        _GET_SOURCE + _AUTHORIZE_SOURCE,
    ),
    Rule(
        "access",
        "a grant to a group of accounts holds for every account",
        ACL,
        "return self is Group.ALL_USERS or (self is Group.AUTHENTICATED_USERS and requester is not ANONYMOUS)",
        "return False",
        central=True,
    ),
    Rule(
        "access",
        "a grant to the log writer holds for no account",
        ACL,
        "(self is Group.AUTHENTICATED_USERS and requester is not ANONYMOUS)",
        "(requester is not ANONYMOUS)",
    ),
    Rule(
        "access",
        "a grant to an account holds for that account only",
        ACL,
        "return self.grantee.id == owning_account(requester).id",
        "return True",
        central=True,
    ),
    Rule(
        "access",
        "a grant gives its own permission only",
        ACL,
        "if self.permission is not permission and self.permission is not Permission.FULL_CONTROL:",
        "if False:",
        central=True,
    ),
    Rule(
        "access",
        "FULL_CONTROL includes the other permissions",
        ACL,
        "if self.permission is not permission and self.permission is not Permission.FULL_CONTROL:",
        "if self.permission is not permission:",
    ),
    Rule(
        "access",
        "to list needs READ on the bucket",
        AUTHORIZATION,
        "BUCKET_READ = Requirement(holder=Holder.BUCKET, permission=Permission.READ)",
        "BUCKET_READ = Requirement(holder=Holder.BUCKET, permission=Permission.WRITE)",
    ),
    Rule(
        "access",
        "to write needs WRITE on the bucket",
        AUTHORIZATION,
        "BUCKET_WRITE = Requirement(holder=Holder.BUCKET, permission=Permission.WRITE)",
        "BUCKET_WRITE = Requirement(holder=Holder.BUCKET, permission=Permission.READ)",
        central=True,
    ),
    Rule(
        "access",
        "a simple DELETE needs WRITE on the bucket, not its ownership",
        AUTHORIZATION,
        'Access("s3:DeleteObject", BUCKET_WRITE',
        'Access("s3:DeleteObject", BUCKET_OWNER',
    ),
    Rule(
        "access",
        "WRITE on the bucket does not allow to delete a version",
        AUTHORIZATION,
        'Access("s3:DeleteObjectVersion", OWNER_WITHOUT_POLICY)',
        'Access("s3:DeleteObjectVersion", BUCKET_WRITE)',
        central=True,
    ),
    Rule(
        "access",
        "no policy allows another account to delete a version",
        AUTHORIZATION,
        'Access("s3:DeleteObjectVersion", OWNER_WITHOUT_POLICY)',
        'Access("s3:DeleteObjectVersion", BUCKET_OWNER)',
        central=True,
    ),
    Rule(
        "access",
        "the owner may always read the ACL",
        AUTHORIZATION,
        "_OWNER_PERMISSIONS = (Permission.READ_ACP, Permission.WRITE_ACP)",
        "_OWNER_PERMISSIONS = (Permission.WRITE_ACP,)",
        central=True,
    ),
    Rule(
        "access",
        "the owner may always write the ACL",
        AUTHORIZATION,
        "_OWNER_PERMISSIONS = (Permission.READ_ACP, Permission.WRITE_ACP)",
        "_OWNER_PERMISSIONS = (Permission.READ_ACP,)",
        central=True,
    ),
    Rule(
        "access",
        "the owner may read the content only by a grant",
        AUTHORIZATION,
        "_OWNER_PERMISSIONS = (Permission.READ_ACP, Permission.WRITE_ACP)",
        "_OWNER_PERMISSIONS = (Permission.READ, Permission.READ_ACP, Permission.WRITE_ACP)",
        central=True,
    ),
    Rule(
        "access",
        "an object belongs to the account that wrote it",
        OBJECT,
        "headers.new_object(body), owner=context.owner",
        "headers.new_object(body), owner=bucket.owner",
    ),
    Rule(
        "access",
        "a missing object is 404 only for a requester with the permission to list the bucket",
        AUTHORIZATION,
        "if listing is Verdict.DENIED or (",
        "if False and (",
    ),
    Rule(
        "access",
        "a Deny wins over an Allow",
        POLICY,
        "if statement.effect is Effect.DENY:\n                    return statement\n                allow = statement",
        "return statement",
        central=True,
    ),
    Rule(
        "access",
        "a Deny covers the bucket's owner",
        AUTHORIZATION,
        "if verdict is Verdict.DENIED:",
        "if verdict is Verdict.DENIED and context.requester != bucket.owner:",
        central=True,
    ),
    Rule(
        "access",
        "a Deny of GetObject does not cover GetObjectVersion",
        AUTHORIZATION,
        "return AccessRequest(self.context.requester, self.access.action, ",
        'return AccessRequest(self.context.requester, self.access.action.removesuffix("Version"), ',
        central=True,
    ),
    Rule(
        "access",
        "a Deny covers only the keys that its resource names",
        POLICY,
        "self._lists_resource(request.resource) is (",
        "True is (",
        central=True,
    ),
    Rule(
        "access",
        "a statement applies only if its conditions hold",
        POLICY,
        "return self.is_about(request) and all(each.holds(request.facts) for each in self.conditions)",
        "return self.is_about(request)",
    ),
    Rule(
        "access",
        "NotPrincipal does not cover the principals that it lists",
        POLICY,
        "self._lists_requester(request.requester) is (Element.PRINCIPAL not in self.negated)",
        "self._lists_requester(request.requester)",
    ),
    Rule(
        "access",
        "an Allow suffices without a grant",
        AUTHORIZATION,
        "if not allowed and not _is_granted(requester, permission, acl):",
        "if not _is_granted(requester, permission, acl):",
    ),
    Rule(
        "access",
        "a Deny of PutObjectAcl covers a PUT that asks for an ACL",
        PUT_HEADERS,
        "acl = () if self.acl is None else (_PUT_ACL,)",
        "acl = ()",
        central=True,
    ),
    Rule(
        "access",
        "a PUT that states tags needs the permission for tags",
        PUT_HEADERS,
        "tags = (PUT_OBJECT_TAGGING,) if self.tags else ()",
        "tags = ()",
        central=True,
    ),
    Rule(
        "access",
        "to read tags needs more than READ on the object",
        OBJECT_TAGGING,
        "import BUCKET_OWNER, PUT_OBJECT_TAGGING, Access",
        "import OBJECT_READ as BUCKET_OWNER, PUT_OBJECT_TAGGING, Access",
        central=True,
    ),
    Rule(
        "access",
        "an anonymous requester is refused unless the service authorizes it",
        AUTHENTICATOR,
        "if self.anonymous_requests is AnonymousRequests.REFUSED:",
        "if False:",
        central=True,
    ),
    Rule(
        "access",
        "a service that authorizes anonymous requesters does so",
        AUTHENTICATOR,
        "if self.anonymous_requests is AnonymousRequests.REFUSED:",
        "if True:",
        central=True,
    ),
    Rule(
        "access",
        "a grant to authenticated users holds for no anonymous requester",
        ACL,
        "(self is Group.AUTHENTICATED_USERS and requester is not ANONYMOUS)",
        "(self is Group.AUTHENTICATED_USERS)",
        central=True,
    ),
    # -- which side of a condition fails
    Rule(
        "conditions",
        "if-match fails if the entity tag differs",
        PRECONDITIONS,
        "if not matches_entity_tag(self.match, version.etag):",
        "if matches_entity_tag(self.match, version.etag):",
        central=True,
    ),
    Rule(
        "conditions",
        "if-none-match fails if the entity tag is the same",
        PRECONDITIONS,
        "if self.none_match is not None and matches_entity_tag(",
        "if self.none_match is not None and not matches_entity_tag(",
        central=True,
    ),
    Rule(
        "conditions",
        "if-modified-since fails if the object was modified before or at the date",
        PRECONDITIONS,
        "modified <= self.modified_since",
        "modified > self.modified_since",
        central=True,
    ),
    Rule(
        "conditions",
        "if-modified-since fails also at the very second of the modification",
        PRECONDITIONS,
        "modified <= self.modified_since",
        "modified < self.modified_since",
        central=True,
    ),
    Rule(
        "conditions",
        "if-unmodified-since fails if the object was modified after the date",
        PRECONDITIONS,
        "modified > self.unmodified_since",
        "modified <= self.unmodified_since",
        central=True,
    ),
    Rule(
        "conditions",
        "if-unmodified-since holds at the very second of the modification",
        PRECONDITIONS,
        "modified > self.unmodified_since",
        "modified >= self.unmodified_since",
        central=True,
    ),
    Rule(
        "conditions",
        "a true if-match wins over a false if-unmodified-since",
        PRECONDITIONS,
        "elif self.unmodified_since is not None and",
        "if self.unmodified_since is not None and",
    ),
    Rule(
        "conditions",
        "a read ignores if-modified-since beside if-none-match",
        PRECONDITIONS,
        "modified_since is None or none_match is not None else",
        "modified_since is None else",
    ),
    Rule(
        "conditions",
        "a read ignores an if-modified-since in the future",
        PRECONDITIONS,
        "if self.modified_since > now and self.future_is_ignored:",
        "if False:",
    ),
    Rule(
        "conditions",
        "a copy does not ignore an if-modified-since in the future",
        PRECONDITIONS,
        "if self.modified_since > now and self.future_is_ignored:",
        "if self.modified_since > now:",
    ),
    Rule(
        "conditions",
        "a read whose if-none-match fails is 304, not 412",
        OBJECT,
        "if failure is not None and not failure.not_modified:",
        "if failure is not None and failure.not_modified:",
    ),
    Rule(
        "conditions",
        "a copy whose condition fails is refused",
        EXECUTION,
        "if failure is not None:",
        "if False:",
        central=True,
    ),
    Rule(
        "conditions",
        "a copy looks at if-match of its source",
        PRECONDITIONS,
        'match=headers.get("copy-source-if-match")',
        "match=None",
        central=True,
    ),
    Rule(
        "conditions",
        "a copy looks at if-none-match of its source",
        PRECONDITIONS,
        'none_match=headers.get("copy-source-if-none-match")',
        "none_match=None",
        central=True,
    ),
    Rule(
        "conditions",
        "a copy looks at if-modified-since of its source",
        PRECONDITIONS,
        ' modified_since=_parse_date(context, "copy-source-if-modified-since")',
        " modified_since=None",
        central=True,
    ),
    Rule(
        "conditions",
        "a copy looks at if-unmodified-since of its source",
        PRECONDITIONS,
        ' unmodified_since=_parse_date(context, "copy-source-if-unmodified-since")',
        " unmodified_since=None",
        central=True,
    ),
    Rule(
        "conditions",
        "a PUT with If-None-Match: * is refused if the object exists",
        PRECONDITIONS,
        "if self.must_be_absent and current is not None:",
        "if self.must_be_absent and current is None:",
    ),
    Rule(
        "conditions",
        "a PUT with If-Match is refused if the entity tag differs",
        PRECONDITIONS,
        "if not matches_entity_tag(self.match, current.etag):",
        "if matches_entity_tag(self.match, current.etag):",
    ),
    Rule(
        "conditions",
        "a copy ignores an if-modified-since in the future only in some services",
        PRECONDITIONS,
        "future_is_ignored=context.semantics.copy_ignores_future_modified_since",
        "future_is_ignored=False",
    ),
    Rule(
        "conditions",
        "a PUT with If-Match is refused if the object does not exist",
        PRECONDITIONS,
        "        if current is None:\n            raise",
        "        if current is None:\n            return\n            raise",
    ),
    Rule(
        "conditions",
        "a copy looks at the conditions on its destination",
        EXECUTION,
        "if parsed.preconditions is not None and bucket is not None:",
        "if parsed.preconditions is not None and bucket is not None and not operation.copies:",
        central=True,
    ),
    Rule(
        "conditions",
        "a DELETE with If-Match is refused if the entity tag differs",
        PRECONDITIONS,
        "elif matches_entity_tag(self.match, entry.etag):",
        "elif not matches_entity_tag(self.match, entry.etag):",
        central=True,
    ),
    Rule(
        "conditions",
        "a DELETE with If-Match is refused if the object does not exist",
        PRECONDITIONS,
        "        if not isinstance(entry, ObjectVersion):\n            reason",
        "        if not isinstance(entry, ObjectVersion):\n            return\n            reason",
        central=True,
    ),
    Rule(
        "conditions",
        "If-Match of a DELETE with a version id is about that version",
        PRECONDITIONS,
        "entry = bucket.find_entry(key, self.version_id)",
        "entry = bucket.find_entry(key, None)",
    ),
    Rule(
        "conditions",
        "Expires is a number only in some services",
        METADATA,
        "if text is not None and context.semantics.expires_is_number and",
        "if text is not None and",
    ),
    Rule(
        "conditions",
        "encoded words of metadata are decoded only in some services",
        METADATA,
        "    if context.semantics.metadata_is_decoded:",
        "    if True:",
    ),
    # -- what a copy takes from its source
    Rule(
        "conditions",
        "a copy takes the metadata of its source unless the directive is REPLACE",
        COPY,
        "headers.new_object(body, source)",
        "headers.new_object(body)",
        central=True,
    ),
    Rule(
        "conditions",
        "a copy with the directive REPLACE takes the metadata of the request",
        PUT_HEADERS,
        "metadata=metadata if self.metadata is None else self.metadata,",
        "metadata=metadata if source is not None or self.metadata is None else self.metadata,",
        central=True,
    ),
    Rule(
        "conditions",
        "a copy does not take the ACL of its source",
        COPY,
        _COPY_IS_STORED,
        _IMPORT + "    new = new._replace(acl=headers.acl or GrantList.of(source.acl.grants))\n" + _COPY_IS_STORED,
        central=True,
    ),
    Rule(
        "conditions",
        "a copy does not take the storage class of its source",
        COPY,
        _COPY_IS_STORED,
        "    new = new._replace(storage_class=headers.storage_class or source.storage_class)\n" + _COPY_IS_STORED,
        central=True,
    ),
    Rule(
        "conditions",
        "a copy of an object onto itself that changes nothing is refused",
        COPY,
        "if onto_itself and not headers.changes_source",
        "if False and not headers.changes_source",
    ),
    Rule(
        "conditions",
        "a copy of a version that is named by its id onto itself is made",
        COPY,
        "(copied.bucket, copied.key, copied.version_id) == (bucket.name, context.key, None)",
        "(copied.bucket, copied.key) == (bucket.name, context.key)",
    ),
    Rule(
        "conditions",
        "a copy takes the tags of its source unless the tagging directive is REPLACE",
        PUT_HEADERS,
        "tags=tags if self.tags is None else self.tags,",
        "tags=self.tags or NO_TAGS,",
        central=True,
    ),
    Rule(
        "conditions",
        "a copy with the tagging directive REPLACE takes the tags of the request",
        PUT_HEADERS,
        "tags=tags if self.tags is None else self.tags,",
        "tags=tags if source is not None or self.tags is None else self.tags,",
        central=True,
    ),
    Rule(
        "conditions",
        "tags do not make a copy of an object onto itself a change",
        COPY,
        "return (self.metadata, self.storage_class, self.redirect, self.encryption) != (None, None, None, None)",
        "return (self.metadata, self.storage_class, self.redirect, self.encryption, self.tags) != (None,) * 5",
    ),
    # -- when a lifecycle rule acts
    Rule(
        "lifecycle",
        "an object expires after the days of the rule, not earlier",
        LIFECYCLE,
        "midnight_after(version.last_modified, days or 0)",
        "midnight_after(version.last_modified, (days or 1) - 1)",
        central=True,
    ),
    Rule(
        "lifecycle",
        "days are rounded up to the next midnight",
        LIFECYCLE,
        "return midnight if midnight == due else midnight + timedelta(days=1)",
        "return midnight",
        central=True,
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
        "self._remove(key, self.get_object(key).version_id)",
    ),
    Rule(
        "lifecycle",
        "a version is noncurrent since the entry above it was written",
        LIFECYCLE,
        "midnight_after(newer.last_modified, days)",
        "midnight_after(entry.last_modified, days)",
        central=True,
    ),
    Rule(
        "lifecycle",
        "a rule keeps exactly as many newer noncurrent versions as it says",
        LIFECYCLE,
        "if newer_count >= (rule.newer_noncurrent_versions or 0)",
        "if newer_count > (rule.newer_noncurrent_versions or 0)",
    ),
    Rule(
        "lifecycle",
        "an expired delete marker is removed only when nothing is left under it",
        LIFECYCLE,
        "elif latest is not None and len(history) == 1:",
        "elif latest is not None:",
    ),
    Rule(
        "lifecycle",
        "days remove a delete marker only after that many days",
        LIFECYCLE,
        "return midnight_after(marker.last_modified, self.days)",
        "return midnight_after(marker.last_modified, 0)",
    ),
    Rule(
        "lifecycle",
        "a rule with tags acts on objects that have them",
        LIFECYCLE,
        "if self.tags and not self.tags.items() <= entry.tags.items():",
        "if False:",
        central=True,
    ),
    Rule(
        "lifecycle",
        "a rule with tags does not act on delete markers",
        LIFECYCLE,
        "return not self.has_size and not self.tags",
        "return not self.has_size",
    ),
    Rule(
        "lifecycle",
        "a change of tags can make an object due",
        BUCKET,
        "self._index.replace(replace(version, tags=tags))\n        self._schedule.note_change(",
        "self._index.replace(replace(version, tags=tags))\n        return None\n        self._schedule.note_change(",
        central=True,
    ),
]
