"""What a store holds, drawn as a tree for a person."""

from __future__ import annotations

from fakestore.model.buckets import BucketRecord
from fakestore.model.state import State
from fakestore.model.versions import Entry, ObjectVersion, Versioning

#: A key with more versions than this is drawn with the newest ones alone; likewise a bucket with more keys.
_MOST_VERSIONS = 20
_MOST_KEYS = 200


def describe(state: State) -> str:
    """The tree: buckets by name, keys by their UTF-8 bytes, versions newest first."""
    if not state.buckets:
        return "no buckets"
    return "\n".join(line for _, bucket in sorted(state.buckets.items()) for line in _bucket(bucket))


def _bucket(bucket: BucketRecord) -> list[str]:
    about = [f"of {bucket.owner}", f"versioning {bucket.versioning.value}"]
    if bucket.mfa_delete:
        about.append("MFA Delete")
    if bucket.lifecycle is not None:
        about.append(f"{len(bucket.lifecycle.rules)} lifecycle rules")
    if bucket.policy.statements:
        about.append(f"{len(bucket.policy.statements)} policy statements")
    keys = [key for _, key in zip(range(_MOST_KEYS), bucket, strict=False)]
    drawn = [_key(bucket, key) for key in keys]
    if len(bucket) > len(keys):
        drawn.append([f"... and {len(bucket) - len(keys):,} more keys"])
    if not drawn:
        drawn.append(["(empty)"])
    return [f"{bucket.name}  ({', '.join(about)})", *_branches(drawn)]


def _key(bucket: BucketRecord, key: str) -> list[str]:
    entries = bucket.history(key)
    if bucket.versioning is Versioning.NEVER:
        return [f"{_shown(key)}  {_entry(entries[0], with_id=False)}"]
    drawn = [
        [_entry(entry, with_id=True) + ("  (latest)" if place == 0 else "")]
        for place, entry in enumerate(entries[:_MOST_VERSIONS])
    ]
    if len(entries) > _MOST_VERSIONS:
        drawn.append([f"... and {len(entries) - _MOST_VERSIONS:,} older versions"])
    return [_shown(key), *_branches(drawn)]


def _entry(entry: Entry, *, with_id: bool) -> str:
    version = f"{entry.version_id}  " if with_id else ""
    written = f"{entry.last_modified:%Y-%m-%d %H:%M:%S}"
    if not isinstance(entry, ObjectVersion):
        return f"{version}delete marker  {written}"
    granted = [str(grant) for grant in entry.acl.grants if grant.grantee != entry.owner]
    acl = f"  grants {', '.join(granted)}" if granted else ""
    return f"{version}{entry.size:,} bytes  {entry.content_type}  {written}{acl}"


def _branches(drawn: list[list[str]]) -> list[str]:
    lines = []
    for place, (head, *rest) in enumerate(drawn):
        last = place == len(drawn) - 1
        lines.append(("└── " if last else "├── ") + head)
        lines += [("    " if last else "│   ") + line for line in rest]
    return lines


def _shown(key: str) -> str:
    return key if key.isprintable() and key == key.strip() else repr(key)
