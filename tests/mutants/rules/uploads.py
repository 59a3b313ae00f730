"""Multipart uploads. The machine `uploads` must notice each inversion."""

from __future__ import annotations

from tests.mutants.rules.rule import (
    AUTHORIZATION,
    BUCKET,
    COPY,
    KEY_INDEX,
    NULL_IS_REPLACED,
    NULL_STAYS_IN_PLACE,
    PRECONDITIONS,
    VERSIONING,
    Rule,
)

UPLOAD = "fakestore/model/multipart_upload.py"
UPLOAD_INDEX = "fakestore/model/multipart_upload.py"
VERSION = "fakestore/model/object_version.py"
LISTING = "fakestore/model/listing.py"
UPLOADS = "fakestore/operations/multipart/upload.py"
COMPLETION = "fakestore/operations/multipart/completion.py"
PARTS = "fakestore/operations/multipart/part.py"
LISTINGS = "fakestore/operations/multipart/listing.py"
_INITIATOR = "if requester == bucket.owner or (upload is not None and requester == upload.initiator):"
_ABORTED = "bucket.uploads.end(parameters.upload(call, bucket) if upload is None else upload)"
_COMPLETED = "version = self._store(upload.key, new, new.encryption, owner=upload.initiator, now=now)"

RULES = [
    # -- which upload a request names, and how an upload ends
    Rule(
        "an upload id names an upload of its key only",
        UPLOAD_INDEX,
        "if upload is not None and upload.key == key:\n            return upload",
        "if upload is not None:\n            return upload",
    ),
    Rule(
        "to complete an upload ends it",
        BUCKET,
        _COMPLETED + "\n        self.uploads.end(upload, named)",
        _COMPLETED,
    ),
    Rule(
        "to complete an upload ends no other upload of the key",
        BUCKET,
        _COMPLETED + "\n        self.uploads.end(upload, named)",
        _COMPLETED + "\n        for each in list(self.uploads.of_key(upload.key)):\n            self.uploads.end(each)",
    ),
    Rule(
        "an aborted upload leaves nothing",
        UPLOADS,
        _ABORTED,
        "parameters.upload(call, bucket)",
    ),
    Rule(
        "to abort an upload aborts no other upload of the key",
        UPLOADS,
        _ABORTED,
        "for each in list(bucket.uploads.of_key(parameters.upload(call, bucket).key)):\n"
        "        bucket.uploads.end(each)",
    ),
    Rule(
        "a snapshot keeps the uploads that end later",
        BUCKET,
        "other.uploads = self.uploads.copy()",
        "other.uploads = self.uploads",
    ),
    # -- parts
    Rule(
        "a part replaces the part with the same number",
        UPLOAD,
        "stop = bisect_right(self.parts, part.number, key=_number)",
        "stop = start",
    ),
    Rule(
        "a part leaves the parts after it",
        UPLOAD,
        "parts=(*self.parts[:start], part, *self.parts[stop:])",
        "parts=(*self.parts[:start], part)",
    ),
    Rule(
        "a copied part has both ends of its range",
        PARTS,
        "range(int(match[1]), int(match[2]) + 1)",
        "range(int(match[1]), int(match[2]))",
    ),
    Rule(
        "a range that ends behind the source is refused",
        PARTS,
        "if selected.stop > size:",
        "if selected.stop > 10 * size:",
    ),
    # -- which parts make an object
    Rule(
        "the content of an object is in the order of its parts",
        UPLOAD,
        "content = join_content(part.content for part in parts)",
        "content = join_content(part.content for part in reversed(parts))",
    ),
    Rule(
        "the entity tag is over the parts in their order",
        UPLOAD,
        "for part in parts:\n        digest.update(",
        "for part in reversed(parts):\n        digest.update(",
    ),
    Rule(
        "parts that are not named are dropped",
        UPLOAD,
        "parts = self._named_parts(named)\n",
        "self._named_parts(named)\n        parts = self.parts\n",
    ),
    Rule(
        "the numbers of the named parts ascend",
        UPLOAD,
        "if earlier.number >= later.number:",
        "if earlier.number == later.number:",
    ),
    Rule("a part is named once", UPLOAD, "if earlier.number >= later.number:", "if earlier.number > later.number:"),
    Rule(
        "a named part was uploaded with this entity tag",
        UPLOAD,
        "if part.digest != named.digest:",
        "if False:",
    ),
    Rule(
        "a part that is not the last one has the smallest size, at least",
        UPLOAD,
        "if part.size < limits.min_part_size:",
        "if False:",
    ),
    Rule("the last part may be small", UPLOAD, "for part in parts[:-1]:", "for part in parts:"),
    Rule(
        "a part of the smallest size is large enough",
        UPLOAD,
        "if part.size < limits.min_part_size:",
        "if part.size <= limits.min_part_size:",
    ),
    # -- what is stored
    Rule(
        "to complete an upload in an enabled bucket keeps the null version",
        BUCKET,
        _COMPLETED,
        "self._remove(upload.key, NULL)\n        " + _COMPLETED,
    ),
    Rule(
        "to complete an upload in a suspended bucket replaces the null version and goes on top",
        KEY_INDEX,
        NULL_IS_REPLACED,
        NULL_STAYS_IN_PLACE,
    ),
    Rule(
        "an object gets the version id of the state in which its upload is completed",
        VERSIONING,
        "return issue() if self is Versioning.ENABLED else NULL",
        "return issue() if self is not Versioning.NEVER else NULL",
    ),
    Rule(
        "the initiator owns the object",
        BUCKET,
        _COMPLETED,
        _COMPLETED.replace("upload.initiator", "self.owner"),
    ),
    Rule(
        "the object has the tags of the request that began its upload",
        UPLOAD,
        "return self.new._replace(\n",
        "return self.new._replace(\n            tags=type(self.new.tags)({}),\n",
    ),
    Rule(
        "the date of an object is that of its completion",
        BUCKET,
        _COMPLETED,
        _COMPLETED.replace("now=now", "now=upload.initiated"),
    ),
    Rule(
        "a copy of an object that was uploaded in parts is one piece",
        COPY,
        "digest = copied.content_digest or entity_tag(copied.content)",
        "digest = copied.digest",
    ),
    Rule(
        "a read by part returns the bytes of that part",
        VERSION,
        "start = sum(part.size for part in self.parts[: number - 1])",
        "start = sum(part.size for part in self.parts[:number]) - self.parts[0].size",
    ),
    # -- conditional completion
    Rule(
        "a condition on the object that exists is checked when an upload is completed",
        COMPLETION,
        "        super().check(bucket, key)\n",
        "",
    ),
    Rule(
        "If-None-Match: * fails if an object exists when its upload is completed",
        PRECONDITIONS,
        "if self.must_be_absent and current is not None:",
        "if self.must_be_absent and current is None:",
    ),
    Rule(
        "a condition conflicts with a write since the upload began",
        COMPLETION,
        "if bucket.uploads.get(key, self.upload_id).key_was_written:",
        "if False:",
    ),
    Rule(
        "a request without a condition never conflicts",
        COMPLETION,
        "if not self.has_condition or bucket",
        "if bucket",
    ),
    Rule(
        "a write to another key does not conflict",
        UPLOAD_INDEX,
        "for upload_id in self._ids_of_key.get(key, ()):\n            if not",
        "for upload_id in self._uploads:\n            if not",
    ),
    # -- permissions
    Rule(
        "the owner of the bucket may abort every upload",
        UPLOADS,
        _INITIATOR,
        "if upload is not None and requester == upload.initiator:",
    ),
    Rule("the initiator may abort their upload", UPLOADS, _INITIATOR, "if requester == bucket.owner:"),
    Rule(
        "WRITE on the bucket does not allow to abort the upload of another account",
        UPLOADS,
        "if upload is None and is_granted(",
        "if is_granted(",
    ),
    Rule(
        "a policy may allow to abort the upload of another account",
        AUTHORIZATION,
        "lack = None if allowed else requirement.find_lack(call, bucket)",
        "lack = requirement.find_lack(call, bucket)",
    ),
    Rule(
        "to list uploads needs READ on the bucket",
        LISTINGS,
        'access=Access("s3:ListBucketMultipartUploads", BUCKET_READ)',
        'access=Access("s3:ListBucketMultipartUploads", UPLOAD_INITIATOR)',
    ),
    Rule(
        "an anonymous requester may not begin an upload",
        UPLOADS,
        "if not isinstance(call.requester, Account):",
        "if False:",
    ),
    # -- listings
    Rule(
        "the uploads of a key are listed as they began",
        UPLOAD_INDEX,
        "return (self._uploads[upload_id] for upload_id in self._ids_of_key.get(key, ()))",
        "return (self._uploads[upload_id] for upload_id in reversed(self._ids_of_key.get(key, ())))",
    ),
    Rule(
        "a page of uploads goes on after both markers",
        LISTING,
        "later = () if after_upload is None else bucket.uploads.after(selection.after, after_upload)",
        "later = ()",
    ),
    Rule(
        "a page of parts goes on after its marker",
        UPLOAD,
        "place = bisect_right(self.parts, number, key=_number)",
        "place = bisect_left(self.parts, number, key=_number)",
    ),
]
