"""Everything a store holds, as one value: two are equal only where the stores are."""

from dataclasses import astuple


def fingerprint(store):
    """Accounts, buckets, settings, histories with content: deep, and through the model's own attributes."""
    state = store._service.state
    return (
        tuple(map(astuple, state.accounts)),
        {name: _bucket(record) for name, record in state.buckets.items()},
    )


def _bucket(record):
    return (
        record.created,
        record.acl,
        record.versioning,
        record.mfa_device,
        record.mfa_delete,
        record.policy,
        record.lifecycle,
        {key: [_entry(entry) for entry in record.entries(key)] for key in record},
    )


def _entry(entry):
    # A frozen value; the mapping in it is the one thing that somebody might still reach in and change.
    return (entry, dict(entry.metadata) if hasattr(entry, "metadata") else None)
