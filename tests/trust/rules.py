"""The rules that the state machines must notice. Each has a marker in the source, and inverts the marked code."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.trust.inversions import (
    always,
    argument,
    before,
    compare,
    instead,
    loop_over,
    negate,
    never,
    omit,
    operand,
    separate,
    skip,
)


class Rule(NamedTuple):
    marker: str
    inversion: Callable


#: A new null version stays in the place of the old null version.
NULL_STAYS_IN_PLACE = instead(
    "replaced = (history.append if history.get(entry.version_id) is None else history.replace)(entry)"
)

#: The rules of each machine.
RULES = {
    "versions": {
        # -- which versions a DELETE removes, and what a PUT replaces
        "a simple DELETE in an enabled bucket removes the null version": Rule("delete-removes-null", negate(1)),
        "a simple DELETE in a suspended bucket replaces the null version with a null marker": Rule(
            "id-of-marker", instead("version_id = self._ids.issue()")
        ),
        "a simple DELETE in a bucket that was never versioned removes the object and makes no marker": Rule(
            "unversioned-delete", never
        ),
        "a PUT in a suspended bucket replaces the null version and goes on top": Rule(
            "null-is-replaced", NULL_STAYS_IN_PLACE
        ),
        "a PUT gets the id null unless versioning is enabled": Rule(
            "next-version-id", operand(1, "self is not Versioning.NEVER")
        ),
        "a PUT in a bucket that was never versioned gets the id null": Rule(
            "next-version-id", operand(1, "self is not Versioning.SUSPENDED")
        ),
        "a version id names that version, not the current one": Rule(
            "version-id-names-version", instead("return history.latest if history else None")
        ),
        "a version id that was never issued is an invalid argument": Rule("version-id-was-issued", never),
        "the latest version is the one written last": Rule(
            "latest-is-last", instead("return self._entries[next(iter(self._entries))] if self._entries else None")
        ),
        "MFA Delete refuses to delete a version without the device's code": Rule("mfa-for-version", never),
        "MFA Delete refuses a wrong code": Rule("mfa-code", never),
        "under MFA Delete, the versioning changes only with the device's code": Rule("mfa-for-versioning", omit(2)),
        "a wrong code is answered before an invalid version id": Rule(
            "mfa-for-version", before("if version_id is not None: bucket.check_version_id(version_id)")
        ),
        "a simple DELETE without the device's code keeps the null version under MFA Delete": Rule(
            "delete-under-mfa", never
        ),
        "a simple DELETE with the device's code removes the null version under MFA Delete": Rule(
            "delete-under-mfa", instead("keep_null_version = bucket.mfa_delete")
        ),
        # -- tags, and what differs between services
        "a service that keeps the null version at a simple DELETE keeps it": Rule("delete-removes-null", omit(1)),
        "the answer to a DELETE without a marker says so only in some services": Rule("delete-names-marker", always),
        "a copy that wrote the null version names it only in some services": Rule("copy-names-null", always),
        "an object is encrypted by default only in some services": Rule("default-encryption", never),
        "a change of tags is a change of the version that is named": Rule(
            "tags-of-version", instead("bucket.replace_version(replace(bucket.get_object(call.key), tags=tags))")
        ),
        "a change of tags leaves the other versions": Rule(
            "tags-of-version",
            instead(
                "for each in [each for each in bucket.entries(call.key) if isinstance(each, ObjectVersion)]:\n"
                "    bucket.replace_version(replace(each, tags=tags))"
            ),
        ),
        "a current delete marker has no tags and does not allow them": Rule("tags-of-marker", instead("raise")),
    },
    "access": {
        "to read an object needs READ on the object, not on the bucket": Rule(
            "read-object", argument(2, "BUCKET_READ")
        ),
        "to copy needs READ on the source": Rule("source-access", skip),
        "bucket-owner-read lets the owner of the bucket read": Rule(
            "grant-to-bucket-owner", operand(2, "self is CannedAcl.BUCKET_OWNER_FULL_CONTROL")
        ),
        "a missing source of a copy is 404 only for a requester with the permission to list its bucket": Rule(
            "source-access", before("_get_source_version(bucket, address)")
        ),
        "a grant to a group of accounts holds for every account": Rule("group-members", never),
        "a grant to the log writer holds for no account": Rule("group-members", omit(2)),
        "a grant to an account holds for that account only": Rule("account-of-grant", always),
        "a grant gives its own permission only": Rule("permission-of-grant", never),
        "FULL_CONTROL includes the other permissions": Rule("permission-of-grant", omit(2)),
        "to list needs READ on the bucket": Rule("bucket-read", argument("permission", "Permission.WRITE")),
        "to write needs WRITE on the bucket": Rule("bucket-write", argument("permission", "Permission.READ")),
        "a simple DELETE needs WRITE on the bucket, not its ownership": Rule(
            "delete-object", argument(2, "BUCKET_OWNER")
        ),
        "WRITE on the bucket does not allow to delete a version": Rule(
            "delete-object", argument("version", 'Access("s3:DeleteObjectVersion", BUCKET_WRITE)')
        ),
        "no policy allows another account to delete a version": Rule(
            "delete-object", argument("version", 'Access("s3:DeleteObjectVersion", BUCKET_OWNER)')
        ),
        "the owner may always read the ACL": Rule(
            "owner-permissions", instead("_OWNER_PERMISSIONS = (Permission.WRITE_ACP,)")
        ),
        "the owner may always write the ACL": Rule(
            "owner-permissions", instead("_OWNER_PERMISSIONS = (Permission.READ_ACP,)")
        ),
        "the owner may read the content only by a grant": Rule(
            "owner-permissions",
            instead("_OWNER_PERMISSIONS = (Permission.READ, Permission.READ_ACP, Permission.WRITE_ACP)"),
        ),
        "an object belongs to the account that wrote it": Rule("owner-of-object", argument("owner", "bucket.owner")),
        "a missing object is 404 only for a requester with the permission to list the bucket": Rule(
            "missing-object", never
        ),
        "a Deny wins over an Allow": Rule("deny-wins", never),
        "a Deny covers the bucket's owner": Rule(
            "deny-covers-owner", operand(1, "effect is Effect.DENY and call.requester != bucket.owner")
        ),
        "a Deny of GetObject does not cover GetObjectVersion": Rule(
            "action-of-request", argument(2, 'self.access.action.removesuffix("Version")')
        ),
        "a Deny covers only the keys that its resource names": Rule(
            "statement-matches", operand(3, "Element.RESOURCE not in self.negated")
        ),
        "a statement applies only if its conditions hold": Rule("statement-conditions", omit(2)),
        "NotPrincipal does not cover the principals that it lists": Rule(
            "statement-matches", operand(1, "self._lists_requester(request.requester)")
        ),
        "an Allow suffices without a grant": Rule("allow-without-grant", omit(1)),
        "a Deny of PutObjectAcl covers a PUT that asks for an ACL": Rule("acl-access", always),
        "a PUT that states tags needs the permission for tags": Rule("tags-access", never),
        "to read tags needs more than READ on the object": Rule(
            "read-tags",
            instead("from fakestore.operations.framework.access import OBJECT_READ as BUCKET_OWNER, Access"),
        ),
        "an anonymous requester is refused unless the service authorizes it": Rule("anonymous-requests", never),
        "a service that authorizes anonymous requesters does so": Rule("anonymous-requests", always),
        "a grant to authenticated users holds for no anonymous requester": Rule("group-members", omit(3)),
    },
    "conditions": {
        # -- which side of a condition fails
        "if-match fails if the entity tag differs": Rule("if-match", negate(1)),
        "if-none-match fails if the entity tag is the same": Rule("if-none-match", negate(2)),
        "if-modified-since fails if the object was modified before or at the date": Rule(
            "if-modified-since", compare(2, ">")
        ),
        "if-modified-since fails also at the very second of the modification": Rule(
            "if-modified-since", compare(2, "<")
        ),
        "if-unmodified-since fails if the object was modified after the date": Rule(
            "if-unmodified-since", compare(2, "<=")
        ),
        "if-unmodified-since holds at the very second of the modification": Rule(
            "if-unmodified-since", compare(2, ">=")
        ),
        "a true if-match wins over a false if-unmodified-since": Rule("if-match-wins", separate),
        "a read ignores if-modified-since beside if-none-match": Rule("if-none-match-wins", omit(2)),
        "a read ignores an if-modified-since in the future": Rule("date-in-future", never),
        "a copy does not ignore an if-modified-since in the future": Rule("date-in-future", omit(2)),
        "a read whose if-none-match fails is 304, not 412": Rule("not-modified", negate(2)),
        "a copy whose condition fails is refused": Rule("source-condition-fails", never),
        "a copy looks at if-match of its source": Rule("source-conditions", argument("match", "None")),
        "a copy looks at if-none-match of its source": Rule("source-conditions", argument("none_match", "None")),
        "a copy looks at if-modified-since of its source": Rule(
            "source-conditions", argument("modified_since", "None")
        ),
        "a copy looks at if-unmodified-since of its source": Rule(
            "source-conditions", argument("unmodified_since", "None")
        ),
        "a PUT with If-None-Match: * is refused if the object exists": Rule("write-if-none-match", negate(2)),
        "a PUT with If-Match is refused if the entity tag differs": Rule("write-if-match", negate(1)),
        "a copy ignores an if-modified-since in the future only in some services": Rule(
            "source-conditions", argument("future_is_ignored", "False")
        ),
        "If-None-Match: * holds over a delete marker": Rule("write-if-none-match", operand(2, "latest is not None")),
        "a PUT with If-Match is refused if the object does not exist": Rule(
            "write-if-match-missing", instead("return")
        ),
        "a copy looks at the conditions on its destination": Rule(
            "conditions-of-write", operand(2, "not (call.source and each is call.preconditions)")
        ),
        "a DELETE with If-Match is refused if the entity tag differs": Rule("delete-if-match", negate(1)),
        "a DELETE with If-Match is refused if the object does not exist": Rule(
            "delete-if-match-missing", instead("return")
        ),
        "a DELETE with a version id cannot have If-Match": Rule("delete-condition-version", never),
        "Expires is a number only in some services": Rule("expires-is-number", omit(2)),
        "encoded words of metadata are decoded only in some services": Rule("metadata-is-decoded", always),
        # -- what a copy takes from its source
        "a copy takes the metadata of its source unless the directive is REPLACE": Rule(
            "new-object-of-copy", instead("new = parameters.new_object(body)")
        ),
        "a copy with the directive REPLACE takes the metadata of the request": Rule(
            "new-object",
            argument("metadata", "metadata if source is not None or self.metadata is None else self.metadata"),
        ),
        "a copy does not take the ACL of its source": Rule(
            "copy-is-stored",
            before(
                "from fakestore.model.acl import GrantList\n"
                "new = new._replace(acl=parameters.acl or GrantList.of(copied.acl.grants))"
            ),
        ),
        "a copy does not take the storage class of its source": Rule(
            "copy-is-stored",
            before("new = new._replace(storage_class=parameters.storage_class or copied.storage_class)"),
        ),
        "a copy of an object onto itself that changes nothing is refused": Rule("copy-changes-nothing", never),
        "a copy of a version that is named by its id onto itself is made": Rule(
            "copy-onto-itself", instead("onto_itself = source.address[:2] == (bucket.name, call.key)")
        ),
        "a copy takes the tags of its source unless the tagging directive is REPLACE": Rule(
            "new-object", argument("tags", "self.tags or NO_TAGS")
        ),
        "a copy with the tagging directive REPLACE takes the tags of the request": Rule(
            "new-object", argument("tags", "tags if source is not None or self.tags is None else self.tags")
        ),
        "tags do not make a copy of an object onto itself a change": Rule(
            "copy-changes",
            instead(
                "return (self.metadata, self.storage_class, self.redirect, self.encryption, self.tags) != (None,) * 5"
            ),
        ),
    },
    "lifecycle": {
        # -- when a lifecycle rule acts
        "an object expires after the days of the rule, not earlier": Rule(
            "expiry-days", argument(2, "(days or 1) - 1")
        ),
        "days are rounded up to the next midnight": Rule("due-at-midnight", always),
        "days that end at midnight are not rounded": Rule("due-at-midnight", never),
        "a rule acts on the keys with its prefix": Rule("rule-has-prefix", omit(2)),
        "a disabled rule does nothing to objects": Rule("rule-has-prefix", omit(1)),
        "a disabled rule aborts no upload": Rule("abort-is-enabled", omit(1)),
        "of several rules, the one that is due first acts": Rule("earliest-rule", instead("return next(times, None)")),
        "an object that is written after the date of a rule expires at the next midnight": Rule(
            "date-has-passed", instead("return date")
        ),
        "an object that expires is deleted as by a simple DELETE": Rule(
            "expiry-is-delete",
            instead("changes = [Change(removed=self._remove(key, self.get_object(key).version_id))]"),
        ),
        "a version is noncurrent since the entry above it was written": Rule(
            "noncurrent-since", argument(2, "midnight_after(entry.last_modified, expiration.days)")
        ),
        "a rule keeps exactly as many newer noncurrent versions as it says": Rule(
            "newer-versions-stay", compare(1, ">")
        ),
        # If an object is left that expires, it would expire again, which adds a delete marker, and so on for ever.
        "an expired delete marker is removed only when nothing is left under it": Rule(
            "lone-marker",
            operand(2, "not any(isinstance(each, ObjectVersion) and self.get_expiry(each) for each in history)"),
        ),
        "days remove a delete marker only after that many days": Rule("marker-days", argument(2, "0")),
        "a rule with tags acts on objects that have them": Rule("rule-has-tags", never),
        "a rule with tags does not act on delete markers": Rule("markers-have-no-tags", omit(2)),
        "a change of tags can make an object due": Rule("tags-change-due-date", skip),
        # -- when a rule aborts an upload
        "an upload is aborted after the days of the rule, not earlier": Rule(
            "abort-days", argument(2, "self.abort_days - 1")
        ),
        "a rule aborts the uploads with its prefix": Rule("abort-has-prefix", never),
    },
    "uploads": {
        # -- which upload a request names, and how an upload ends
        "an upload id names an upload of its key only": Rule(
            "upload-of-key", instead("upload = next((each for each in self if each.upload_id == upload_id), None)")
        ),
        "to complete an upload ends it": Rule("completion-ends-upload", skip),
        "to complete an upload ends no other upload of the key": Rule(
            "completion-ends-upload",
            instead("for each in list(self.uploads.of_key(upload.key)): self.uploads.end(each)"),
        ),
        "an aborted upload leaves nothing": Rule("abort-ends-upload", instead("parameters.upload(call, bucket)")),
        "to abort an upload aborts no other upload of the key": Rule(
            "abort-ends-upload",
            instead(
                "for each in list(bucket.uploads.of_key(parameters.upload(call, bucket).key)): bucket.uploads.end(each)"
            ),
        ),
        "a snapshot keeps the uploads that end later": Rule(
            "snapshot-keeps-uploads", instead("other.uploads = self.uploads")
        ),
        # -- parts
        "a part replaces the part with the same number": Rule("part-is-replaced", instead("stop = start")),
        "a part leaves the parts after it": Rule("later-parts-stay", argument("parts", "(*self.parts[:start], part)")),
        "a copied part has both ends of its range": Rule("copied-range", argument(2, "int(match[2])")),
        "a range that ends behind the source is refused": Rule(
            "range-ends-in-source", operand(1, "selected.stop > 10 * size")
        ),
        # -- which parts make an object
        "the content of an object is in the order of its parts": Rule("content-of-parts", loop_over("reversed(parts)")),
        "the entity tag is over the parts in their order": Rule("entity-tag-of-parts", loop_over("reversed(parts)")),
        "parts that are not named are dropped": Rule(
            "only-named-parts", instead("self._named_parts(named); parts = self.parts")
        ),
        "the numbers of the named parts ascend": Rule("named-parts-ascend", compare(1, "==")),
        "a part is named once": Rule("named-parts-ascend", compare(1, ">")),
        "a named part was uploaded with this entity tag": Rule("named-entity-tag", never),
        "a part that is not the last one has the smallest size, at least": Rule("smallest-part", never),
        "the last part may be small": Rule("last-part-may-be-small", loop_over("parts")),
        "a part of the smallest size is large enough": Rule("smallest-part", compare(1, "<=")),
        # -- what is stored
        "to complete an upload in an enabled bucket keeps the null version": Rule(
            "completion-stores", before("self._remove(upload.key, NULL)")
        ),
        "to complete an upload in a suspended bucket replaces the null version and goes on top": Rule(
            "null-is-replaced", NULL_STAYS_IN_PLACE
        ),
        "an object gets the version id of the state in which its upload is completed": Rule(
            "next-version-id", operand(1, "self is not Versioning.NEVER")
        ),
        "the initiator owns the object": Rule("completion-stores", argument("owner", "self.owner")),
        "the object has the tags of the request that began its upload": Rule(
            "completed-object", argument("tags", "type(self.new.tags)({})")
        ),
        "the date of an object is that of its completion": Rule(
            "completion-stores", argument("now", "upload.initiated")
        ),
        "a copy of an object that was uploaded in parts is one piece": Rule(
            "tag-of-copy", instead("etag = copied.etag")
        ),
        "a read by part returns the bytes of that part": Rule(
            "range-of-part", instead("start = sum(part.size for part in self.parts[:number]) - self.parts[0].size")
        ),
        # -- conditional completion
        "a condition on the object that exists is checked when an upload is completed": Rule(
            "completion-condition", skip
        ),
        "If-None-Match: * fails if an object exists when its upload is completed": Rule(
            "write-if-none-match", negate(2)
        ),
        "a condition conflicts with a write since the upload began": Rule("completion-conflict", never),
        "a request without a condition never conflicts": Rule("unconditional-completion", omit(1)),
        "a write to another key does not conflict": Rule("write-of-key", loop_over("list(self)")),
        # -- permissions
        "the owner of the bucket may abort every upload": Rule("upload-initiator", omit(1)),
        "the initiator may abort their upload": Rule("upload-initiator", operand(3, "False")),
        "WRITE on the bucket does not allow to abort the upload of another account": Rule("ended-upload", omit(1)),
        "a policy may allow to abort the upload of another account": Rule("policy-allows-abort", never),
        "to list uploads needs READ on the bucket": Rule(
            "list-uploads", argument(2, "BUCKET_READ._replace(permission=None)")
        ),
        "an anonymous requester may not begin an upload": Rule("anonymous-operation", never),
        # -- listings
        "the uploads of a key are listed as they began": Rule(
            "uploads-in-order", instead("return list(reversed(self._uploads.get(key, {}).values()))")
        ),
        "a page of uploads goes on after both markers": Rule("upload-marker", always),
        "a page of parts goes on after its marker": Rule(
            "part-marker", instead("place = bisect_left(self.parts, number, key=_number)")
        ),
    },
    "locks": {
        "a locked version is not deleted by its id": Rule("locked-version", never),
        "a retention ends at its date": Rule("retention-ends", always),
        "a legal hold keeps a version": Rule("legal-hold", never),
        "a bypass does not end the compliance mode": Rule("compliance-stays", omit(2)),
        "an active retention does not become shorter": Rule("retention-grows", omit(3)),
        "a lifecycle rule waits for the end of a retention": Rule("expiry-waits-for-retention", never),
        "the default retention is only for objects without one": Rule("default-retention", omit(1)),
    },
    "ownership": {
        "disabled ACLs have no effect": Rule("disabled-acls", never),
        "ignored public grants have no effect": Rule("ignored-public-grants", always),
        "a restricted bucket is only for its owner": Rule("restricted-bucket", never),
        "only a public ACL is blocked": Rule("public-acl-is-blocked", omit(3)),
        "an object with bucket-owner-full-control belongs to the bucket's owner if that is preferred": Rule(
            "preferred-owner", omit(2)
        ),
    },
}
