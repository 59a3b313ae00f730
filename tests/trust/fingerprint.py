"""Everything in a store that a request could change, as one value. Two values are equal only if the stores are."""

from email.utils import formatdate

from fakestore.http import Request


def fingerprint(store, *, configuration=True):
    """Return the ACL, versions and uploads of every bucket, and its configuration unless `configuration` is False."""
    return {name: _bucket(store, bucket, configuration) for name, bucket in store.buckets.items()}


def _bucket(store, bucket, configuration):
    entries = [(entry, dict(entry.metadata) if hasattr(entry, "metadata") else None) for entry in bucket.versions()]
    names = ("versioning", "lifecycle", "policy", "tagging") if configuration else ()
    documents = [_document(store, bucket, name) for name in names]
    return bucket.acl, bucket.versioning, entries, bucket.uploads, documents


def _document(store, bucket, subresource):
    """Return a configuration as its owner reads it, or the status of the error."""
    scheme = store.dialect.auth_scheme
    fields = {"Date": formatdate(usegmt=True), "Authorization": f"{scheme} {bucket.owner.access_key_id}:signature"}
    reply = store.handle(Request.to_url("GET", store.url(bucket.name, **{subresource: None}), fields))
    return reply.body if reply.status == 200 else reply.status
