"""The KMS keys, if a test names them. By default every id is a key."""

from __future__ import annotations

import re
from enum import StrEnum

from fakestore.model.errors import KMS_DISABLED, KMS_INVALID_STATE, KMS_NOT_FOUND

_ARN = r"arn:aws[a-z-]*:kms:(?P<region>[^:]+):\d{12}:\S+"
_UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


class KmsKeyState(StrEnum):
    """Whether a key can encrypt and decrypt."""

    ENABLED = "enabled"
    DISABLED = "disabled"
    PENDING_DELETION = "pending deletion"


class KmsKeys(dict[str, KmsKeyState]):
    """The state of each key, by its id as clients send it. Without any key, every id is accepted."""

    def check(self, key_id: str, *, account: str, region: str) -> None:
        """Check that a key can encrypt and decrypt.

        Args:
            key_id: The id of the key.
            account: The number of the requester, which is a part of the full name of a key.
            region: The region of the bucket.

        Raises:
            ErrorResponse: KMS.NotFoundException, KMS.DisabledException or KMS.KMSInvalidStateException.
        """
        if not self or self.get(key_id) is KmsKeyState.ENABLED:
            return
        if self.get(key_id) is KmsKeyState.DISABLED:
            raise KMS_DISABLED.error(f"{key_id} is disabled.")
        if key_id in self:
            raise KMS_INVALID_STATE.error(f"{key_id} is pending deletion.")
        arn = re.fullmatch(_ARN, key_id)
        if arn is not None and arn["region"] != region:
            message = f"Invalid arn {arn['region']}"
        elif arn is not None:
            message = f"Key '{key_id}' does not exist"
        elif re.fullmatch(_UUID, key_id):
            message = f"Key 'arn:aws:kms:{region}:{account}:key/{key_id}' does not exist"
        else:
            message = f"Invalid keyId '{key_id}'"
        raise KMS_NOT_FOUND.error(message, explanation=f"unknown key {key_id!r}; known keys: {', '.join(sorted(self))}")
