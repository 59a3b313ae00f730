"""The contents of a store as a tree, for a person to read."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Mapping
from itertools import islice

from fakestore.messages import counted, escaped
from fakestore.model.bucket import BucketRecord
from fakestore.model.content import Content, sparse_size
from fakestore.model.multipart_upload import MultipartUpload
from fakestore.model.object_lock import UNLOCKED
from fakestore.model.object_version import Entry, ObjectVersion
from fakestore.model.request_payment import Payer
from fakestore.model.semantics import Semantics
from fakestore.model.state import State
from fakestore.model.storage_class import StorageClass
from fakestore.model.versioning import Versioning

#: The maximum number of versions of a key or parts of an upload, and of keys of a bucket, in the tree.
_MOST_VERSIONS = 20
_MOST_KEYS = 200
#: The maximum number of bytes of a text in the tree.
_MOST_PREVIEWED = 40


def describe(state: State) -> str:
    """Return the tree: buckets by name, keys by their UTF-8 bytes, versions in reverse order of writing."""
    if not state.buckets:
        return "no buckets"
    return "\n".join(line for _, bucket in sorted(state.buckets.items()) for line in _bucket(bucket, state.semantics))


def describe_settings(bucket: BucketRecord, semantics: Semantics) -> str:
    """Return the owner and the versioning of a bucket, and its settings that a new bucket does not have."""
    about = [f"of {bucket.owner}", f"versioning {bucket.versioning}"]
    if bucket.mfa_delete:
        about.append("MFA Delete")
    if bucket.object_ownership is not semantics.default_object_ownership:
        about.append(f"object ownership {bucket.object_ownership or 'not set'}")
    if bucket.public_access_block != semantics.default_public_access_block:
        about.append(f"public access block of {bucket.public_access_block or 'nothing'}")
    if bucket.object_lock is not None:
        about.append("Object Lock")
    if bucket.encryption.default is not None:
        about.append(f"default encryption {bucket.encryption.default.method}")
    if bucket.encryption.blocked not in ((), (semantics.default_blocked_encryption,)):
        about.append(f"blocked encryption {bucket.encryption.blocked[0]}")
    if bucket.lifecycle is not None:
        about.append(counted(len(bucket.lifecycle.rules), "lifecycle rule"))
    if bucket.policy.statements:
        about.append(counted(len(bucket.policy.statements), "policy statement"))
    if bucket.cors is not None:
        about.append(counted(len(bucket.cors.rules), "CORS rule"))
    if bucket.request_payment.payer is Payer.REQUESTER:
        about.append("requester pays")
    about += [f"{name} configuration{id_ and f' {id_!r}'}" for name, id_ in sorted(bucket.configurations)]
    if bucket.tags:
        about.append(_tags(bucket.tags))
    return ", ".join(about)


def _bucket(bucket: BucketRecord, semantics: Semantics) -> list[str]:
    keys = list(islice(bucket, _MOST_KEYS))
    branches = [_key(bucket, key) for key in keys]
    if len(bucket) > len(keys):
        branches.append([f"... and {counted(len(bucket) - len(keys), 'more key')}"])
    uploads = list(bucket.uploads)
    branches += [_upload(upload) for upload in uploads[:_MOST_KEYS]]
    if len(uploads) > _MOST_KEYS:
        branches.append([f"... and {counted(len(uploads) - _MOST_KEYS, 'more unfinished upload')}"])
    if not branches:
        branches.append(["(empty)"])
    return [f"{bucket.name}  ({describe_settings(bucket, semantics)})", *_draw(branches)]


def _key(bucket: BucketRecord, key: str) -> list[str]:
    entries = list(bucket.entries(key))
    if bucket.versioning is Versioning.NEVER:
        return [f"{_printable(key)}  {_entry(entries[0], with_id=False)}"]
    branches = [
        [_entry(entry, with_id=True) + ("  (latest)" if index == 0 else "")]
        for index, entry in enumerate(entries[:_MOST_VERSIONS])
    ]
    if len(entries) > _MOST_VERSIONS:
        branches.append([f"... and {counted(len(entries) - _MOST_VERSIONS, 'older version')}"])
    return [_printable(key), *_draw(branches)]


def _entry(entry: Entry, *, with_id: bool) -> str:
    version = f"{entry.version_id}  " if with_id else ""
    written = f"{entry.last_modified:%Y-%m-%d %H:%M:%S}"
    if not isinstance(entry, ObjectVersion):
        return f"{version}delete marker  {written}"
    about = [counted(entry.size, "byte"), escaped(entry.content_type), written, *describe_exceptions(entry)]
    preview = preview_text(entry.content)
    return version + "  ".join([*about, preview] if preview else about)


def describe_exceptions(version: ObjectVersion) -> list[str]:
    """Return the unusual parts of a version: a storage class other than STANDARD, grants to others, tags, a lock."""
    exceptions = [] if version.storage_class is StorageClass.STANDARD else [str(version.storage_class)]
    if grants := [str(grant) for grant in version.acl.grants if grant.grantee != version.owner]:
        exceptions.append(f"grants {', '.join(grants)}")
    if version.tags:
        exceptions.append(_tags(version.tags))
    if version.lock != UNLOCKED:
        exceptions.append(str(version.lock))
    return exceptions


def preview_text(content: Content) -> str:
    """Return the beginning of a text in quotes, or an empty string if the content is empty or not a text."""
    if sparse_size(content):
        return ""
    try:
        # An incremental decoder accepts a character that the slice cuts off.
        text = getincrementaldecoder("utf-8")().decode(bytes(content[:_MOST_PREVIEWED]))
    except UnicodeDecodeError:
        return ""
    if not text or not all(each.isprintable() or each in "\t\r\n" for each in text):
        return ""
    return repr(text) + ("..." if len(content) > _MOST_PREVIEWED else "")


def _upload(upload: MultipartUpload) -> list[str]:
    size = f"{counted(len(upload.parts), 'part')}, {counted(upload.size, 'byte')}"
    tags = f"  {_tags(upload.new.tags)}" if upload.new.tags else ""
    branches = [
        [f"part {part.number}  {counted(part.size, 'byte')}  {part.last_modified:%Y-%m-%d %H:%M:%S}"]
        for part in upload.parts[:_MOST_VERSIONS]
    ]
    if len(upload.parts) > _MOST_VERSIONS:
        branches.append([f"... and {counted(len(upload.parts) - _MOST_VERSIONS, 'more part')}"])
    return [
        f"{_printable(upload.key)}  unfinished upload {upload.upload_id}  {size}"
        f"  {upload.initiated:%Y-%m-%d %H:%M:%S}{tags}",
        *_draw(branches),
    ]


def _tags(tags: Mapping[str, str]) -> str:
    return "tags " + ", ".join(f"{escaped(key)}={escaped(value)}" for key, value in tags.items())


def _draw(branches: list[list[str]]) -> list[str]:
    lines = []
    for index, (head, *rest) in enumerate(branches):
        is_last = index == len(branches) - 1
        lines.append(("└── " if is_last else "├── ") + head)
        lines += [("    " if is_last else "│   ") + line for line in rest]
    return lines


def _printable(key: str) -> str:
    return key if key.isprintable() and key == key.strip() else repr(key)
