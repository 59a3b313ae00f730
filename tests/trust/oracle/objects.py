"""What the oracle expects of requests for objects, their ACLs and tags, and of listings and settings."""

from __future__ import annotations

from datetime import timedelta
from email.charset import QP, Charset
from email.header import Header, decode_header, make_header

from tests.trust.oracle.store import Store
from tests.trust.oracle.values import ANONYMOUS, NULL, Answer, Entry, Written, crc64nvme, denied, http_date


class Objects(Store):
    def _lookup(self, name, key, version):
        """Return the object, or the error that a request for it gets."""
        entry = self.find(name, key, version)
        if version is None:
            if entry is None:
                return Answer(404, "NoSuchKey")
            if entry.is_marker:
                return Answer(404, "NoSuchKey", {"x-svc-delete-marker": "true", "x-svc-version-id": entry.id})
            return entry
        if version not in self.issued:
            return Answer(400, "InvalidArgument")
        if entry is None:
            return Answer(404, "NoSuchVersion")
        return _marker_named(entry) if entry.is_marker else entry

    def _new_id(self, name, *, is_new=False):
        if self.buckets[name].versioning != "enabled" and not is_new:
            return NULL
        self.stand_ins += 1
        return f"?{self.stand_ins}"

    def _add(self, name, key, entry):
        """Put an entry on top. There is at most one null version, so a new one replaces the old one."""
        self._remove(name, key, entry.id)
        self.buckets[name].entries.setdefault(key, []).append(entry)
        self._overtake_uploads(name, key)
        return entry

    def _remove(self, name, key, version):
        entries = self.buckets[name].entries.get(key, [])
        kept = [entry for entry in entries if entry.id != version]
        if len(kept) < len(entries):
            self._overtake_uploads(name, key)
        self.buckets[name].entries[key] = kept

    def _overtake_uploads(self, name, key):
        for upload in self.buckets[name].uploads:
            upload.is_overtaken |= upload.key == key
        for upload in self.buckets[name].ended:
            upload.named = None if upload.key == key else upload.named

    # -- writing

    def put(self, who, name, key, content, written=None, *, md5_is_right=True, condition=None):
        """`condition` is None or a pair: "if-none-match" and "*", or "if-match" and an entity tag."""
        written = written or Written()
        if not self.may_use_bucket(who, "s3:PutObject", "WRITE", name, key):
            return denied()
        if refused := self._refused_headers(written, with_metadata=True):
            return refused
        if not self.may_write(who, name, key, written.acl, written.tags):
            return denied()
        if refused := self.refused_acl(name, written.acl):
            return refused
        if refused := self._failed_write_condition(condition, self.find(name, key)):
            return refused
        if not md5_is_right:
            return Answer(400, "BadDigest")
        entry = Entry(self._new_id(name), self.now, self.new_owner(who, name, written.acl), False, content)
        self._describe(entry, written, name)
        self._add(name, key, entry)
        headers = {"ETag": entry.etag, **self._written_headers(name, key, entry)}
        if self.meaning.has_checksums:
            headers |= {"x-svc-checksum-crc64nvme": crc64nvme(content), "x-svc-checksum-type": "FULL_OBJECT"}
        return Answer(200, None, headers)

    def _refused_headers(self, written, *, with_metadata):
        if written.storage is not None and written.storage not in self.meaning.storage_classes:
            return Answer(400, "InvalidStorageClass")
        if with_metadata and self.meaning.expires_is_number and not written.metadata.get("Expires", "0").isdigit():
            return Answer(400, "InvalidArgument")
        return None

    def _describe(self, entry, written, name):
        """Give an entry what the headers of its request say."""
        entry.metadata = self._stored_metadata(written.metadata)
        entry.storage = written.storage or "STANDARD"
        entry.tags = dict(written.tags or {})
        entry.grants = self.expand(written.acl, entry.owner, name)
        entry.retention, entry.hold = written.retention, written.hold
        if entry.retention is None and self.buckets[name].default_retention is not None:
            mode, days = self.buckets[name].default_retention
            entry.retention = (mode, entry.at + timedelta(days=days))

    def _stored_metadata(self, metadata):
        if not self.meaning.decodes_metadata:
            return dict(metadata)
        return {
            header: str(make_header(decode_header(value))) if header.startswith("x-svc-meta-") else value
            for header, value in metadata.items()
        }

    def _shown_metadata(self, metadata):
        if not self.meaning.decodes_metadata:
            return metadata
        return {header: value if value.isascii() else encoded_word(value) for header, value in metadata.items()}

    @staticmethod
    def _failed_write_condition(condition, latest):
        exists = latest is not None and not latest.is_marker
        if condition is None:
            return None
        header, value = condition
        if header == "if-none-match":
            return Answer(412, "PreconditionFailed") if exists else None
        if not exists:
            return Answer(404, "NoSuchKey")
        return None if value == latest.etag else Answer(412, "PreconditionFailed")

    def _written_headers(self, name, key, entry):
        return {
            "x-svc-version-id": None if entry.id == NULL else entry.id,
            **self._encryption(),
            **self._expiration(name, key, entry),
        }

    def _encryption(self):
        return {"x-svc-server-side-encryption": self.meaning.encryption}

    def _expiration(self, name, key, entry):
        dates = [
            (at, rule.id)
            for rule in self.buckets[name].rules
            if rule.is_about(key, entry) and (at := rule.expires(entry.at)) is not None
        ]
        if not dates:
            return {"x-svc-expiration": None}
        at, rule_id = min(dates, key=lambda each: each[0])
        return {"x-svc-expiration": f'expiry-date="{http_date(at)}", rule-id="{rule_id}"'}

    def copy(self, who, source, name, key, written=None, *, conditions=None, condition=None):
        """`source` is a bucket, a key and a version id or None; `condition` is one on the destination."""
        written = written or Written()
        if who == ANONYMOUS or not self.may_use_bucket(who, "s3:PutObject", "WRITE", name, key):
            return denied()
        replaces, replaces_tags = written.directive == "REPLACE", written.tagging == "REPLACE"
        if refused := self._refused_headers(written, with_metadata=replaces):
            return refused
        if {written.directive, written.tagging} - {None, "COPY", "REPLACE"}:
            return Answer(400, "InvalidArgument")
        found = self.source(who, source)
        if isinstance(found, Answer):
            return found
        if source == (name, key, None) and not replaces and written.storage is None:
            return Answer(400, "InvalidRequest")
        if self._failed_condition(conditions or {}, found, copies=True):
            return Answer(412, "PreconditionFailed")
        if refused := self._failed_write_condition(condition, self.find(name, key)):
            return refused
        entry = Entry(self._new_id(name), self.now, self.new_owner(who, name, written.acl), False, found.content)
        self._describe(entry, written, name)
        if not replaces:
            entry.metadata = found.metadata
        if not replaces_tags:
            entry.tags = dict(found.tags)
        self._add(name, key, entry)
        headers = {**self._source_headers(found), **self._written_headers(name, key, entry)}
        if self.buckets[name].versioning == self.meaning.names_null_copy_in:
            headers["x-svc-version-id"] = entry.id
        return Answer(200, None, headers)

    def source(self, who, source):
        """Return the object to copy, or the error."""
        if not self._may_read(who, *source):
            return denied()
        found = self._lookup(*source)
        if isinstance(found, Answer):
            # The headers of a delete marker are left out: they would describe the destination.
            found.headers = dict.fromkeys(found.headers)
            return Answer(400, "InvalidRequest") if found.status == 405 else found
        return found

    def _source_headers(self, found):
        is_named = found.id != NULL or self.meaning.names_null_source
        return {"x-svc-copy-source-version-id": found.id if is_named else None}

    # -- reading

    def _may_read(self, who, name, key, version):
        action = "s3:GetObject" if version is None else "s3:GetObjectVersion"
        return self.may_use_object(who, action, "READ", name, key, version)

    def get(self, who, name, key, version=None, *, conditions=None, part=None):
        if not self._may_read(who, name, key, version):
            return denied()
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            return found
        failed = self._failed_condition(conditions or {}, found)
        if failed in ("if-match", "if-unmodified-since"):
            return Answer(412, "PreconditionFailed")
        headers = {
            "ETag": found.etag,
            "Last-Modified": http_date(found.at),
            **self._version_header(name, found, version),
        }
        if failed:
            return Answer(304, None, headers, b"")
        headers |= {"Content-Type": "binary/octet-stream", "Expires": None, "x-svc-meta-colour": None}
        headers |= {**self._shown_metadata(found.metadata), **self._encryption()}
        headers["x-svc-storage-class"] = None if found.storage == "STANDARD" else found.storage
        headers["x-svc-tagging-count"] = str(len(found.tags)) if found.tags else None
        if version is None:
            headers |= self._expiration(name, key, found)
        return self._content_of(found, part, headers)

    @staticmethod
    def _content_of(found, part, headers):
        """Answer with the whole content, or with one part; an object that was not uploaded in parts has one part."""
        if part is None:
            return Answer(200, None, headers | {"Content-Length": str(len(found.content))}, found.content)
        parts = found.parts or [found.content]
        if part > len(parts):
            return Answer(416, "InvalidPartNumber")
        content, start = parts[part - 1], sum(map(len, parts[: part - 1]))
        span = f"bytes {start}-{start + len(content) - 1}/{len(found.content)}" if content else None
        count = str(len(parts)) if found.parts else None
        headers |= {"Content-Range": span, "Content-Length": str(len(content)), "x-svc-mp-parts-count": count}
        return Answer(206, None, headers, content)

    def _version_header(self, name, entry, requested):
        is_named = requested is not None and self.meaning.names_requested_version
        return {"x-svc-version-id": entry.id if is_named or self.buckets[name].versioning != "never" else None}

    def _failed_condition(self, conditions, entry, *, copies=False):
        """Return the name of the first condition that fails.

        A reader's if-modified-since is ignored if it lies in the future or beside if-none-match. That of a copy is
        never ignored for its neighbour, and for the future only by some services.
        """
        if "if-match" in conditions:
            if conditions["if-match"] not in ("*", entry.etag):
                return "if-match"
        elif "if-unmodified-since" in conditions and entry.at > conditions["if-unmodified-since"]:
            return "if-unmodified-since"
        if "if-none-match" in conditions and conditions["if-none-match"] in ("*", entry.etag):
            return "if-none-match"
        since = conditions.get("if-modified-since")
        if since is None or (not copies and "if-none-match" in conditions):
            return None
        if since > self.now and (not copies or self.meaning.ignores_future_date_of_copy):
            return None
        return "if-modified-since" if entry.at <= since else None

    # -- deleting

    def delete(self, who, name, key, *, keeps_null=False, if_match=None):
        if not self.may_use_bucket(who, "s3:DeleteObject", "WRITE", name, key):
            return denied()
        if refused := self._failed_delete_condition(if_match, self.find(name, key)):
            return refused
        marker = self._simple_delete(who, name, key, self.now, keeps_null=keeps_null)
        return self._deleted(marker is not None, marker and marker.id)

    @staticmethod
    def _failed_delete_condition(if_match, entry):
        """Return the error if the condition does not hold; a missing object and a marker match no entity tag."""
        if if_match is None or (entry is not None and not entry.is_marker and if_match in ("*", entry.etag)):
            return None
        if entry is None or entry.is_marker:
            return Answer(404, "NoSuchKey")
        return Answer(412, "PreconditionFailed")

    def _deleted(self, is_marker, version_id):
        absent = "false" if self.meaning.names_absent_marker else None
        return Answer(
            204,
            None,
            {
                "x-svc-delete-marker": "true" if is_marker else absent,
                "x-svc-version-id": version_id,
                "Content-Length": self.meaning.length_of_delete,
            },
            b"",
        )

    @staticmethod
    def is_locked(entry, now, *, bypasses=False):
        """Return whether a retention or a legal hold keeps an entry; a bypass ends the governance mode."""
        if entry.hold or entry.retention is None:
            return bool(entry.hold)
        mode, until = entry.retention
        return now < until and not (bypasses and mode == "GOVERNANCE")

    def _simple_delete(self, who, name, key, at, *, keeps_null=False):
        """Remove the object, or put a marker on top if the bucket was ever versioned.

        The marker replaces the null version, if it is null itself. Some services always remove the null version. Under
        MFA Delete the null version stays, also if it is a marker, and the new marker never replaces it.
        """
        if self.buckets[name].versioning == "never":
            return self._remove(name, key, NULL)
        null = self.find(name, key, NULL)
        is_locked = null is not None and self.is_locked(null, at)
        is_new = keeps_null and null is not None
        if self.meaning.delete_removes_null and not keeps_null and not is_locked:
            self._remove(name, key, NULL)
        return self._add(
            name, key, Entry(self._new_id(name, is_new=is_new), at, self.new_owner(who, name), is_marker=True)
        )

    def delete_version(self, who, name, key, version, *, mfa_is_right=True, if_match=None, bypasses=False):
        owner = self.buckets[name].owner
        if who != owner or self.verdict(who, "s3:DeleteObjectVersion", name, key) == "Deny":
            return denied()
        if if_match is not None:
            return Answer(501, "NotImplemented")
        entry = self.find(name, key, version)
        if not mfa_is_right:
            return denied()
        if version not in self.issued:
            return Answer(400, "InvalidArgument")
        if entry is not None and self.is_locked(entry, self.now, bypasses=bypasses):
            return denied()
        self._remove(name, key, version)
        return self._deleted(entry is not None and entry.is_marker, version)

    # -- ACLs, tags and settings

    def get_acl(self, who, name, key, version=None):
        action = "s3:GetObjectAcl" if version is None else "s3:GetObjectVersionAcl"
        if not self.may_use_object(who, action, "READ_ACP", name, key, version):
            return denied()
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            return found
        headers = {"Last-Modified": http_date(found.at), **self._version_header(name, found, version)}
        if self.meaning.names_requested_version:
            headers["x-svc-version-id"] = found.id
        return Answer(200, None, headers)

    def put_acl(self, who, name, key, version, acl):
        action = "s3:PutObjectAcl" if version is None else "s3:PutObjectVersionAcl"
        if who == ANONYMOUS or not self.may_use_object(who, action, "WRITE_ACP", name, key, version):
            return denied()
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            if found.headers.get("x-svc-delete-marker"):
                found.status, found.code = 405, "MethodNotAllowed"
            return found
        if refused := self.refused_acl(name, acl):
            return refused
        found.grants = self.expand(acl, found.owner, name)
        return Answer(200, None, self._version_header(name, found, version))

    def tags(self, who, method, name, key, version=None, tags=None):
        """Answer GET, PUT or DELETE of the tags; `tags` are those of a PUT."""
        action = {"GET": "Get", "PUT": "Put", "DELETE": "Delete"}[method]
        kind = "Object" if version is None else "ObjectVersion"
        if not self.may_configure(who, f"s3:{action}{kind}Tagging", name, key):
            return denied()
        found = self._lookup(name, key, version)
        if isinstance(found, Answer):
            entry = self.find(name, key, version)
            return _marker_named(entry) if entry is not None and entry.is_marker else found
        if method != "GET":
            found.tags = dict(tags or {}) if method == "PUT" else {}
        return Answer(204 if method == "DELETE" else 200, None, self._version_header(name, found, version))

    def get_bucket_acl(self, who, name):
        return Answer(200) if self.may_use_bucket(who, "s3:GetBucketAcl", "READ_ACP", name) else denied()

    def put_bucket_acl(self, who, name, acl):
        if who == ANONYMOUS or not self.may_use_bucket(who, "s3:PutBucketAcl", "WRITE_ACP", name):
            return denied()
        if refused := self.refused_acl(name, acl):
            return refused
        self.buckets[name].grants = self.expand(acl, self.buckets[name].owner, name)
        return Answer(200)

    def put_policy(self, who, name, statements):
        """Only the bucket's owner may do this. A policy that allows it to another account only changes the error."""
        if who != self.buckets[name].owner:
            verdict = self.verdict(who, "s3:PutBucketPolicy" if statements else "s3:DeleteBucketPolicy", name)
            return Answer(405, "MethodNotAllowed") if verdict == "Allow" else denied()
        is_public = any(each.is_public for each in statements)
        if is_public and "BlockPublicPolicy" in self.buckets[name].block:
            return denied()
        self.buckets[name].policy = statements
        return Answer(204)

    def get_versioning(self, who, name):
        return Answer(200) if self.may_configure(who, "s3:GetBucketVersioning", name) else denied()

    def put_versioning(self, who, name, versioning, *, mfa_is_right=True):
        if not self.may_configure(who, "s3:PutBucketVersioning", name) or not mfa_is_right:
            return denied()
        if self.buckets[name].locks and versioning != "enabled":
            return Answer(409, "InvalidBucketState")
        self.buckets[name].versioning = versioning
        return Answer(200)

    def put_lifecycle(self, name, rules):
        """The owner of the bucket sends it."""
        self.buckets[name].rules = rules
        return Answer(200 if rules else 204)

    # -- listings

    def list_objects(self, who, name, prefix="", delimiter=""):
        """Return the keys and the common prefixes, or the error."""
        if not self.may_use_bucket(who, "s3:ListBucket", "READ", name):
            return denied()
        keys = [key for key in self.current_keys(name) if key.startswith(prefix)]
        shared = {key: common_prefix(key, prefix, delimiter) for key in keys}
        return [key for key in keys if not shared[key]], sorted({*shared.values()} - {None}, key=str.encode)

    def list_versions(self, name):
        """Return key, id, whether it is the latest and whether it is a marker of every entry."""
        return [
            (key, entry.id, place == 0, entry.is_marker)
            for key in self.keys(name)
            for place, entry in enumerate(reversed(self.entries(name, key)))
        ]


def common_prefix(key, prefix, delimiter):
    """Return the common prefix that stands for a key in a listing, or None."""
    end = key.find(delimiter, len(prefix)) if delimiter else -1
    return None if end < 0 else key[: end + len(delimiter)]


def encoded_word(text):
    """Return a text that is not ASCII as a header shows it: in UTF-8 and quoted-printable (RFC 2047)."""
    charset = Charset("utf-8")
    charset.header_encoding = QP
    return Header(text, charset).encode().replace("=?utf-8?q?", "=?UTF-8?Q?")


def _marker_named(entry):
    headers = {"x-svc-delete-marker": "true", "x-svc-version-id": entry.id, "Allow": "DELETE"}
    return Answer(405, "MethodNotAllowed", headers)
