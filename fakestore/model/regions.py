"""The regions of the public service."""

from __future__ import annotations

#: The region that has no LocationConstraint.
HOME_REGION = "us-east-1"
#: An old LocationConstraint for eu-west-1. It is returned as it was sent.
EU = "EU"
REGIONS = frozenset(
    (
        *("us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "ca-west-1", "mx-central-1", "sa-east-1"),
        *("eu-central-1", "eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2"),
        *("eu-west-1", "eu-west-2", "eu-west-3", "af-south-1", "il-central-1", "me-central-1", "me-south-1"),
        *("ap-east-1", "ap-east-2", "ap-south-1", "ap-south-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3"),
        *("ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4"),
        *("ap-southeast-5", "ap-southeast-6", "ap-southeast-7"),
        # other partitions
        *("cn-north-1", "cn-northwest-1", "eu-isoe-west-1", "eusc-de-east-1", "us-gov-east-1", "us-gov-west-1"),
        *("us-iso-east-1", "us-iso-west-1", "us-isob-east-1", "us-isob-west-1", "us-isof-east-1", "us-isof-south-1"),
    )
)

#: The regions that also accept signatures of version 2. All others are newer.
REGIONS_WITH_VERSION_2 = frozenset(
    (
        *("us-east-1", "us-west-1", "us-west-2", "eu-west-1", "sa-east-1"),
        *("ap-northeast-1", "ap-southeast-1", "ap-southeast-2"),
    )
)

#: The domains of the partitions, by the beginning of the names of their regions.
DOMAINS = {
    "cn-": "amazonaws.com.cn",
    "eu-isoe-": "cloud.adc-e.uk",
    "eusc-": "amazonaws.eu",
    "us-iso-": "c2s.ic.gov",
    "us-isob-": "sc2s.sgov.gov",
    "us-isof-": "csp.hci.ic.gov",
    "": "amazonaws.com",
}


def domain_of_region(region: str) -> str:
    """Return the domain of the partition that has a region.

    Example:
        >>> domain_of_region("eu-central-1"), domain_of_region("eusc-de-east-1")
        ('amazonaws.com', 'amazonaws.eu')
    """
    return next(domain for beginning, domain in DOMAINS.items() if region.startswith(beginning))


def host_of_region(region: str) -> str:
    """Return the host at which the service answers for a region.

    Example:
        >>> host_of_region("eu-central-1"), host_of_region("us-east-1")
        ('s3.eu-central-1.amazonaws.com', 's3.amazonaws.com')
    """
    return f"s3.{domain_of_region(region)}" if region == HOME_REGION else f"s3.{region}.{domain_of_region(region)}"


def region_of_constraint(constraint: str) -> str:
    """Return the region that a LocationConstraint names.

    Example:
        >>> region_of_constraint("EU"), region_of_constraint("us-west-2")
        ('eu-west-1', 'us-west-2')
    """
    return "eu-west-1" if constraint == EU else constraint
