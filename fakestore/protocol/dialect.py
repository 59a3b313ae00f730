"""Dialects: how a service names things on the wire, and in the environment of its clients.

`DOCUMENT` follows the specification, and `S3` the public service.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from fakestore.messages import check_types, did_you_mean
from fakestore.model.acl import ALL_BLOCKED, ObjectOwnership
from fakestore.model.checksums import ChecksumAlgorithm
from fakestore.model.encryption import BlockedEncryption, Encryption
from fakestore.model.frozen_mapping import FrozenMapping
from fakestore.model.regions import DOMAINS, REGIONS, domain_of_region
from fakestore.model.semantics import DOCUMENT_SEMANTICS, GIB, AnonymousRequests, Semantics, TransitionMinimum
from fakestore.model.storage_class import StorageClass
from fakestore.model.versioning import Versioning
from fakestore.protocol.addressing import Addressing
from fakestore.protocol.auth.scheme import AuthScheme, FormScheme, HeaderScheme, QueryScheme
from fakestore.protocol.auth.version_2 import Version2Form, Version2Header, Version2Query
from fakestore.protocol.auth.version_4 import Version4Form, Version4Header, Version4Query


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientEnvironment:
    """The environment variables that the clients of a service read.

    While a store is entered, they configure clients for its default account. Afterwards they have the values from
    before.

    Example:
        >>> from fakestore import Dialect
        >>> environment = ClientEnvironment(access_key_id=("ACME_KEY",), secret_key=("ACME_SECRET",))
        >>> dialect = Dialect(header_prefix="x-acme-", auth_scheme="ACME", environment=environment)

    Args:
        access_key_id: The variables for the access key of the account.
        secret_key: The variables for its secret key.
        region: The variables for the region. If one of them is set already, its value is kept, unless the store has the
            option ``region``.
        endpoint: The variables for the URL of this service. Their value is the option ``base_url`` of the store, or the
            URL of its server. Without both, they are not set.
        endpoint_while_served: Further variables for this URL. They are set, to the URL of the server, only while the
            server runs.
        netloc_while_served: The variables for the host and the port of the server, without ``http://``.
        empty_files: The variables for files with settings and keys. They name an empty file.
        fixed: Variables with the same value for every store.
        fixed_while_served: Variables with the same value for every store, while its server runs.
        removed: Variables that are unset while a store is entered, because clients would prefer them to the store's
            variables.
        hosts: Hosts that are added to ``no_proxy``, in addition to the host of the store.

    Raises:
        TypeError: If a value has a wrong type.
    """

    access_key_id: tuple[str, ...] = ()
    secret_key: tuple[str, ...] = ()
    region: tuple[str, ...] = ()
    endpoint: tuple[str, ...] = ()
    endpoint_while_served: tuple[str, ...] = ()
    netloc_while_served: tuple[str, ...] = ()
    empty_files: tuple[str, ...] = ()
    fixed: Mapping[str, str] = FrozenMapping({})
    fixed_while_served: Mapping[str, str] = FrozenMapping({})
    removed: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_types(self, ClientEnvironment)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Dialect:
    """The names, the signatures and the semantics of one service.

    If your service differs from an existing dialect only in a few names, copy that dialect with other names:
    ``dataclasses.replace(S3, header_prefix="x-acme-")``. The copy has the same signatures and semantics.

    Example:
        >>> Dialect(header_prefix="x-acme-", auth_scheme="ACME").header("version-id")
        'x-acme-version-id'

    Args:
        name: The name of the dialect in messages.
        header_prefix: The prefix of the service's own headers, in lower case and with a hyphen at its end.
        auth_scheme: The first word of the Authorization header with signature version 2, for example ``"AWS"``.
        xml_namespace: The namespace of the XML documents that the store sends; None for no namespace. Documents of
            requests have this namespace or none.
        xml_content_type: The Content-Type of the XML documents that the store sends, and of the reply to HEAD Bucket.
        addressing: The ways in which a request may name its bucket, for example ``frozenset({Addressing.PATH})``.
        default_base_url: The URL of a store that has no option ``base_url``.
        public_hosts: A pattern for other hosts at which the store also answers; None for no other hosts. The
            pattern must contain two groups: ``bucket`` for the name of a bucket in front of the host, without the
            dot, and ``region`` for the region. Either group may match nothing. For example:
            ``re.compile("(?:(?P<bucket>.+)[.])?store(?:-(?P<region>[a-z]+))?[.]example[.]com")``.
        auth: The signature schemes in headers and in the query. If the default does not fit, use those of another
            dialect, for example ``S3.auth``, or write a :class:`fakestore.HeaderScheme` or
            :class:`fakestore.QueryScheme`. ``store.auth()`` signs with the last scheme that is for headers.
        form_auth: The signature schemes in the fields of a browser form, for example ``S3.form_auth``. If the dialect
            has none, a form is signed in its headers, like every other request.
        common_headers: The service's own headers that every operation accepts, without the prefix: ``"date"`` stands
            for ``x-svc-date``. If ``"content-sha256"`` is one of them, a body may be sent with
            ``Content-Encoding: aws-chunked``.
        api_version: The version of the interface, which some SDKs send in the query parameter ``Version`` or in the
            header ``api-version`` with the prefix, for example ``x-svc-api-version``. Another value is refused. A
            request may also name its operation, as in ``x-id=GetObject``. With None, the dialect knows none of these
            names.
        environment: The environment variables that configure clients of the service.
        semantics: What the operations do in cases that differ between services.

    Raises:
        TypeError: If a value has a wrong type.
        ValueError: If `header_prefix` is not in lower case with a hyphen at its end, `auth_scheme` is not one word,
            `public_hosts` lacks a group, or `addressing` is empty.
    """

    name: str = "custom"
    header_prefix: str = "x-svc-"
    auth_scheme: str = "SVC"
    xml_namespace: str | None = None
    xml_content_type: str = "text/xml; charset=utf-8"
    default_base_url: str = "http://objects.test"
    public_hosts: re.Pattern[str] | None = None
    addressing: frozenset[Addressing] = frozenset({Addressing.VIRTUAL_HOST})
    auth: tuple[AuthScheme, ...] = (Version2Header(),)
    form_auth: tuple[FormScheme, ...] = ()
    common_headers: frozenset[str] = frozenset({"date"})
    api_version: str | None = None
    environment: ClientEnvironment = ClientEnvironment()
    semantics: Semantics = DOCUMENT_SEMANTICS

    def __post_init__(self) -> None:
        check_types(self, Dialect)
        prefix, scheme = self.header_prefix, self.auth_scheme
        if prefix != prefix.lower() or not prefix.endswith("-") or prefix == "-":
            raise ValueError(f"invalid header_prefix {prefix!r}: use lower case with a hyphen at the end, as 'x-amz-'")
        if not scheme or " " in scheme:
            raise ValueError(f"invalid auth_scheme {scheme!r}: use one word, such as 'SVC' or 'AWS'")
        if not all(hasattr(each, "is_used_by") for each in (*self.auth, *self.form_auth)):
            raise TypeError("auth or form_auth has a member that is not a signature scheme; use for example S3.auth")
        hosts = self.public_hosts
        if hosts is not None and not {"bucket", "region"} <= hosts.groupindex.keys():
            raise ValueError(f"invalid public_hosts {hosts.pattern!r}: name a group 'bucket' and a group 'region'")
        if not self.addressing:
            raise ValueError("addressing is empty: name at least one way, such as frozenset({Addressing.PATH})")

    @property
    def aws_chunked(self) -> bool:
        """Whether a body may be sent with ``Content-Encoding: aws-chunked``."""
        return "content-sha256" in self.common_headers

    @property
    def header_scheme(self) -> HeaderScheme:
        """The scheme that the store signs requests with: the last scheme in headers."""
        # isinstance() would be slow: it compares every member of a protocol.
        schemes = [cast("HeaderScheme", scheme) for scheme in self.auth if hasattr(scheme, "sign")]
        if not schemes:
            raise TypeError(
                f"{self!r} cannot sign, because its auth has no scheme for headers; add for example DOCUMENT.auth"
            )
        return schemes[-1]

    @property
    def query_schemes(self) -> tuple[QueryScheme, ...]:
        """The schemes with parameters in the query."""
        return tuple(cast("QueryScheme", scheme) for scheme in self.auth if hasattr(scheme, "credential_parameters"))

    @property
    def query_scheme(self) -> QueryScheme | None:
        """The scheme that the store presigns URLs with, or None if the dialect has no presigned URLs."""
        schemes = [scheme for scheme in self.query_schemes if hasattr(scheme, "presign")]
        return schemes[-1] if schemes else None

    def __repr__(self) -> str:
        return f"<Dialect {self.name!r}>"

    def header(self, name: str) -> str:
        """Return the full name of a header of the service: the prefix and `name`."""
        return self.header_prefix + name


#: The default dialect, which follows the specification: the bucket in the host, the header prefix ``x-svc-``, and
#: signature version 2 in the Authorization header.
DOCUMENT = Dialect(name="document")

_REGION = r"(?:[a-z]{2}|eusc)(?:-[a-z]+)+-\d+"
_DOMAIN = "|".join(map(re.escape, DOMAINS.values()))

#: The public hosts, without the hosts of unknown regions.
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

#: The hosts of Amazon S3.
S3_HOSTS = re.compile(
    rf"(?:(?P<bucket>.+)\.)?s3(?:(?:-fips)?(?:\.dualstack)?[.-](?P<region>{_REGION}))?\.(?:{_DOMAIN})"
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
    public_hosts=S3_HOSTS,
    auth=(Version2Header(), Version2Query(), Version4Header(), Version4Query()),
    form_auth=(Version2Form(), Version4Form()),
    common_headers=frozenset({"date", "content-sha256", "security-token", "user-agent"}),
    # Some SDKs send these names of the published interface. [x-id-and-api-version]
    api_version="2006-03-01",
    environment=ClientEnvironment(
        access_key_id=("AWS_ACCESS_KEY_ID",),
        secret_key=("AWS_SECRET_ACCESS_KEY",),
        region=("AWS_DEFAULT_REGION", "AWS_REGION"),
        endpoint=("AWS_ENDPOINT_URL_S3",),
        endpoint_while_served=(
            "AWS_ENDPOINT",  # polars, obstore and other clients in Rust
            "S3_ENDPOINT_URL",  # s5cmd
        ),
        netloc_while_served=(
            "AWS_S3_ENDPOINT",  # GDAL
            "DUCKDB_S3_ENDPOINT",
        ),
        # Not the null device: DVC reads only regular files. Not a missing file: clients in Rust warn of it.
        empty_files=("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"),
        fixed=FrozenMapping({"AWS_EC2_METADATA_DISABLED": "true"}),
        fixed_while_served=FrozenMapping(
            {
                "AWS_ALLOW_HTTP": "true",  # clients in Rust
                "AWS_HTTPS": "NO",  # GDAL
                "AWS_VIRTUAL_HOSTING": "FALSE",  # GDAL
                "DUCKDB_S3_USE_SSL": "false",
            }
        ),
        removed=(
            "AWS_CONTAINER_AUTHORIZATION_TOKEN",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_CREDENTIAL_EXPIRATION",
            "AWS_DEFAULT_PROFILE",
            "AWS_ENDPOINT_URL",  # of all services
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
        has_canned_acls_of_service=True,
        storage_classes=frozenset(StorageClass),
        delete_always_names_marker=False,
        delete_sends_length=False,
        copy_names_null_version_in=frozenset({Versioning.SUSPENDED}),
        copy_names_null_source=False,
        strict_copy_sources=True,
        reserves_bucket_names=True,
        documents_need_checksum=True,
        names_requested_version=False,
        refuses_requests_without_an_operation=True,
        ignores_unknown_parameters=True,
        refuses_unknown_expectations=False,
        errors_name_resource=False,
        rule_ids_are_encoded=True,
        copy_dates_have_zone=True,
        expires_is_number=False,
        metadata_is_decoded=True,
        has_regions=True,
        new_regions_need_version_4=True,
        kms_needs_version_4=True,
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

#: The dialects by the names that ``fake_store(dialect=...)`` accepts.
DIALECTS = {dialect.name: dialect for dialect in (DOCUMENT, S3)}


def get_dialect(name: str) -> Dialect:
    if name not in DIALECTS:
        expected = ", ".join(map(repr, DIALECTS))
        raise ValueError(f"unknown dialect {name!r}: expected {expected} or a Dialect.{did_you_mean(name, DIALECTS)}")
    return DIALECTS[name]
