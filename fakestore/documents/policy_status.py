"""The PolicyStatus document."""

from __future__ import annotations

from fakestore.model.shape import child, document


@document("PolicyStatus")
class PolicyStatus:
    """Whether the policy of a bucket is public."""

    is_public: bool = child("IsPublic")
