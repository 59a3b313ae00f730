"""Everything in a store that a request could change, as one value. Two values are equal only if the stores are."""

from email.utils import formatdate

from fakestore.http import Request


def fingerprint(store, *, configuration=True):
    """Return the ACL and the versions of every bucket, and its configuration unless `configuration` is False."""
    return {name: _bucket(store, bucket, configuration) for name, bucket in store.buckets.items()}


def _bucket(store, bucket, configuration):
    entries = [(entry, dict(entry.metadata) if hasattr(entry, "metadata") else None) for entry in bucket.versions()]
    names = ("versioning", "lifecycle", "policy") if configuration else ()
    return bucket.acl, bucket.versioning, entries, [_document(store, bucket, name) for name in names]


def _document(store, bucket, subresource):
    """Return a configuration as its owner reads it, or the status of the error."""
    fields = {"Date": formatdate(usegmt=True), "Authorization": f"SVC {bucket.owner.access_key_id}:signature"}
    reply = store.handle(Request.to_url("GET", store.url(bucket.name, **{subresource: None}), fields))
    return reply.body if reply.status == 200 else reply.status
