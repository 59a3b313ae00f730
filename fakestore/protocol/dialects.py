"""The dialects of the fake: `DOCUMENT` follows the specification, and `S3` the public service."""

from __future__ import annotations

import os
import re

from fakestore.messages import did_you_mean
from fakestore.model.acl import ALL_BLOCKED, ObjectOwnership
from fakestore.model.checksums import ChecksumAlgorithm
from fakestore.model.encryption import BlockedEncryption, Encryption
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.regions import DOMAINS, REGIONS, domain_of_region
from fakestore.model.semantics import GIB, AnonymousRequests, Semantics, TransitionMinimum
from fakestore.model.storage_class import StorageClass
from fakestore.model.versioning import Versioning
from fakestore.protocol.addressing import Addressing
from fakestore.protocol.auth.version_2 import Version2Form, Version2Header, Version2Query
from fakestore.protocol.auth.version_4 import Version4Form, Version4Header, Version4Query
from fakestore.protocol.dialect import ClientEnvironment, Dialect

#: The default dialect, which follows the specification: the bucket in the host, the header prefix ``x-svc-``, and
#: signature version 2 in the Authorization header.
DOCUMENT = Dialect(name="document")


_REGION = r"(?:[a-z]{2}|eusc)(?:-[a-z]+)+-\d+"

_DOMAIN = "|".join(map(re.escape, DOMAINS.values()))

#: The public hosts, without those of unknown regions.
_HOSTS = (
    *(f"s3.{domain}" for domain in DOMAINS.values()),
    *(
        f"s3{fips}{dualstack}{separator}{region}.{domain_of_region(region)}"
        for region in sorted(REGIONS)
        for fips in ("", "-fips")
        for dualstack in ("", ".dualstack")
        for separator in ".-"
    ),
)

#: The dialect for Amazon S3 and compatible services: the bucket in the host or the path, the header prefix ``x-amz-``,
#: and signature versions 2 and 4. It follows recorded answers of Amazon S3.
S3 = Dialect(
    name="s3",
    header_prefix="x-amz-",
    auth_scheme="AWS",
    xml_namespace="http://s3.amazonaws.com/doc/2006-03-01/",
    xml_content_type="application/xml",
    addressing=frozenset(Addressing),
    default_base_url="https://s3.amazonaws.com",
    public_hosts=re.compile(
        rf"(?:(?P<bucket>.+)\.)?s3(?:(?:-fips)?(?:\.dualstack)?[.-](?P<region>{_REGION}))?\.(?:{_DOMAIN})"
    ),
    auth=(Version2Header(), Version2Query(), Version4Header(), Version4Query()),
    form_auth=(Version2Form(), Version4Form()),
    # `expires` is refused only after the signature was verified, because the signature must cover it.
    common_headers=frozenset({"date", "content-sha256", "expires", "security-token", "user-agent"}),
    # Some SDKs send these names of the published interface. [x-id-and-api-version]
    api_version="2006-03-01",
    environment=ClientEnvironment(
        access_key_id=("AWS_ACCESS_KEY_ID",),
        secret_key=("AWS_SECRET_ACCESS_KEY",),
        region=("AWS_DEFAULT_REGION", "AWS_REGION"),
        endpoint=("AWS_ENDPOINT_URL_S3",),
        general_endpoint=("AWS_ENDPOINT_URL",),
        fixed=FrozenMapping(
            {
                "AWS_CONFIG_FILE": os.devnull,
                "AWS_EC2_METADATA_DISABLED": "true",
                "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            }
        ),
        fixed_while_served=FrozenMapping({"AWS_ALLOW_HTTP": "true"}),
        removed=(
            "AWS_CONTAINER_AUTHORIZATION_TOKEN",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_CREDENTIAL_EXPIRATION",
            "AWS_DEFAULT_PROFILE",
            "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
            "AWS_PROFILE",
            "AWS_ROLE_ARN",
            "AWS_ROLE_SESSION_NAME",
            "AWS_SECURITY_TOKEN",
            "AWS_SESSION_TOKEN",
            "AWS_WEB_IDENTITY_TOKEN_FILE",
        ),
        hosts=_HOSTS,
    ),
    semantics=Semantics(
        delete_removes_null_version=False,
        copy_ignores_future_modified_since=True,
        anonymous_requests=AnonymousRequests.AUTHORIZED,
        compares_unverified_dates=False,
        default_checksum=ChecksumAlgorithm.CRC64NVME,
        default_encryption=Encryption.AES256,
        default_kms_key="arn:aws:kms:us-east-1:111111111111:key/3b7c5c1e-9c5f-4b2e-8f57-0d6a2e1f4c90",
        encrypted_entity_tags_are_opaque=True,
        storage_classes=frozenset(StorageClass),
        delete_always_names_marker=False,
        delete_sends_length=False,
        copy_names_null_version_in=frozenset({Versioning.SUSPENDED}),
        copy_names_null_source=False,
        names_requested_version=False,
        ignores_unknown_parameters=True,
        refuses_unknown_expectations=False,
        errors_name_resource=False,
        rule_ids_are_encoded=True,
        copy_dates_have_zone=True,
        expires_is_number=False,
        metadata_is_decoded=True,
        has_regions=True,
        new_regions_need_version_4=True,
        shows_bucket_arns=True,
        default_transition_minimum_size=TransitionMinimum.ALL_CLASSES,
        accepts_unknown_principals=True,
        shows_display_names=False,
        default_object_ownership=ObjectOwnership.BUCKET_OWNER_ENFORCED,
        default_public_access_block=ALL_BLOCKED,
        default_blocked_encryption=BlockedEncryption.CUSTOMER_KEY,
        customer_keys_need_https=True,
        limits_every_header_section=True,
        largest_upload=5 * GIB,
    ),
)

_DIALECTS = {dialect.name: dialect for dialect in (DOCUMENT, S3)}
#: The names that ``fake_store(dialect=...)`` accepts.
DIALECT_NAMES = tuple(_DIALECTS)


def get_dialect(name: str) -> Dialect:
    """Return the dialect with this name."""
    if name not in DIALECT_NAMES:
        expected = ", ".join(map(repr, DIALECT_NAMES))
        raise ValueError(
            f"unknown dialect {name!r}: expected {expected} or a Dialect.{did_you_mean(name, DIALECT_NAMES)}"
        )
    return _DIALECTS[name]
