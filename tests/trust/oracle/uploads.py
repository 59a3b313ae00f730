"""What the oracle expects of multipart uploads."""

from __future__ import annotations

from datetime import timedelta

from tests.trust.oracle.objects import Objects, common_prefix
from tests.trust.oracle.values import ANONYMOUS, Answer, Entry, Part, Upload, denied, http_date, next_midnight

#: The smallest size of a part that is not the last one, in the stores of the machines.
SMALLEST_PART = 4


class Uploads(Objects):
    def begin_upload(self, who, name, key, written):
        if not self.may_use_bucket(who, "s3:PutObject", "WRITE", name, key):
            return denied()
        if who == ANONYMOUS or not self.may_write(who, name, key, written.acl, written.tags):
            return denied()
        upload = Upload("", key, self.now, who, written)
        self.buckets[name].uploads.append(upload)
        return Answer(200, None, {**self._encryption(), **self._abort_headers(name, upload)})

    def learn_upload(self, name, upload_id):
        """Give the upload that began last the id that the store issued."""
        upload = self.buckets[name].uploads[-1]
        assert upload.id == "", "the id of this upload is known"
        assert upload_id not in dict(self.begun), "an id was issued twice"
        upload.id = upload_id
        self.begun.append((upload_id, upload.key))

    def _abort_headers(self, name, upload):
        dates = [
            (next_midnight(upload.at + timedelta(days=rule.abort)), rule.id)
            for rule in self.buckets[name].rules
            if rule.abort is not None and rule.is_about_key(upload.key)
        ]
        at, rule_id = min(dates, key=lambda each: each[0]) if dates else (None, None)
        return {"x-svc-abort-date": at and http_date(at), "x-svc-abort-rule-id": rule_id}

    def put_part(self, who, name, key, upload_id, number, content, *, md5_is_right=True):
        if not self.may_use_bucket(who, "s3:PutObject", "WRITE", name, key):
            return denied()
        upload = self.find_upload(name, key, upload_id)
        if upload is None:
            return Answer(404, "NoSuchUpload")
        if not md5_is_right:
            return Answer(400, "BadDigest")
        upload.parts[number] = Part(content, self.now)
        return Answer(200, None, {"ETag": upload.parts[number].etag, **self._encryption()})

    def copy_part(self, who, name, key, upload_id, number, source, *, span=None, conditions=None):
        """`span` is None or a pair: the first and the last byte to copy."""
        if who == ANONYMOUS or not self.may_use_bucket(who, "s3:PutObject", "WRITE", name, key):
            return denied()
        found = self.source(who, source)
        if isinstance(found, Answer):
            return found
        upload = self.find_upload(name, key, upload_id)
        if upload is None:
            return Answer(404, "NoSuchUpload")
        if self._failed_condition(conditions or {}, found, copies=True):
            return Answer(412, "PreconditionFailed")
        content = found.content
        if span is not None:
            first, last = span
            if first >= len(content):
                return Answer(400, "InvalidRequest")
            if last >= len(content):
                return Answer(400, "InvalidArgument")
            content = content[first : last + 1]
        upload.parts[number] = Part(content, self.now)
        return Answer(200, None, {**self._source_headers(found), **self._encryption()})

    def complete(self, who, name, key, upload_id, named, condition=None):
        """`named` has pairs of a number and an entity tag; it is None if the request has no body."""
        if not self.may_use_bucket(who, "s3:PutObject", "WRITE", name, key):
            return denied()
        upload = self.find_upload(name, key, upload_id)
        if upload is None:
            return self._complete_again(name, key, self.find_ended(name, key, upload_id), named)
        if refused := self._failed_write_condition(condition, self.find(name, key)):
            return refused
        if condition is not None and upload.is_overtaken:
            return Answer(409, "ConditionalRequestConflict")
        if code := self._wrong_parts(upload, named):
            return Answer(400, code)
        parts = [upload.parts[number].content for number, _ in named]
        entry = Entry(self._new_id(name), self.now, self.new_owner(upload.who, name, upload.written.acl), False)
        entry.content, entry.parts = b"".join(parts), parts
        self._describe(entry, upload.written, name)
        self._add(name, key, entry)
        self.end_upload(name, upload, named)
        return Answer(200, None, self._written_headers(name, key, entry))

    def _complete_again(self, name, key, ended, named):
        if ended is None or ended.named is None:
            return Answer(404, "NoSuchUpload")
        if named == []:
            return Answer(400, "MalformedXML")
        if named != ended.named:
            return Answer(404, "NoSuchUpload")
        return Answer(200, None, self._written_headers(name, key, self.find(name, key)))

    @staticmethod
    def _wrong_parts(upload, named):
        """Return the code of the error if the named parts do not make an object."""
        if not named:
            return "InvalidRequest" if named is None else "MalformedXML"
        numbers = [number for number, _ in named]
        if numbers != sorted(set(numbers)):
            return "InvalidPartOrder"
        if any(number not in upload.parts or upload.parts[number].etag != etag for number, etag in named):
            return "InvalidPart"
        if any(len(upload.parts[number].content) < SMALLEST_PART for number in numbers[:-1]):
            return "EntityTooSmall"
        return None

    def _may_manage(self, who, action, name, key, upload):
        """Return whether the requester began the upload or owns the bucket, or a policy allows it.

        That an upload does not exist is revealed to requesters that may write.
        """
        bucket, verdict = self.buckets[name], self.verdict(who, action, name, key)
        if verdict is not None:
            return verdict == "Allow"
        if who == bucket.owner or (upload is not None and who == upload.who):
            return True
        return upload is None and self.has_grant(who, "WRITE", *self.effective_acl(name))

    def abort(self, who, name, key, upload_id):
        upload, ended = self.find_upload(name, key, upload_id), self.find_ended(name, key, upload_id)
        if not self._may_manage(who, "s3:AbortMultipartUpload", name, key, upload or ended):
            return denied()
        if upload is None and ended is None:
            return Answer(404, "NoSuchUpload")
        if upload is not None:
            self.end_upload(name, upload)
        return Answer(204, None, {}, b"")

    def list_parts(self, who, name, key, upload_id, *, after=0, size=1000):
        """Return the answer, and the numbers, entity tags and sizes of a page of the parts and whether it is cut."""
        upload, ended = self.find_upload(name, key, upload_id), self.find_ended(name, key, upload_id)
        if not self._may_manage(who, "s3:ListMultipartUploadParts", name, key, upload or ended):
            return denied(), None
        if upload is None:
            return Answer(404, "NoSuchUpload"), None
        parts = [
            (str(number), part.etag, str(len(part.content)))
            for number, part in sorted(upload.parts.items())
            if number > after
        ]
        return Answer(200, None, self._abort_headers(name, upload)), (parts[:size], len(parts) > size)

    def list_uploads(self, who, name, *, prefix="", delimiter="", after=None, size=1000):
        """Return the answer, and the keys and ids and the common prefixes of a page, and whether it is cut.

        `after` is None or a pair: a key, and the id of one of its uploads or None for all of them.
        """
        if not self.may_use_bucket(who, "s3:ListBucketMultipartUploads", "READ", name):
            return denied(), None
        order = [upload_id for upload_id, _ in self.begun]
        listed = {}
        for upload in sorted(self.buckets[name].uploads, key=lambda each: (each.key.encode(), order.index(each.id))):
            if not upload.key.startswith(prefix):
                continue
            shared = common_prefix(upload.key, prefix, delimiter)
            if after is not None:
                key, marker = after
                later = marker is not None and order.index(upload.id) > order.index(marker)
                if upload.key < key or (upload.key == key and not later) or (shared and key.startswith(shared)):
                    continue
            listed[shared or (upload.key, upload.id)] = None
        page = list(listed)[:size]
        uploads = [each for each in page if isinstance(each, tuple)]
        prefixes = [each for each in page if isinstance(each, str)]
        return Answer(200), (uploads, prefixes, len(listed) > size)
