"""What the document of a PUT Bucket may say beside a location."""

import pytest

from fakestore import UnsupportedRequest


@pytest.mark.parametrize("region", ["eu-west-1", "us-gov-east-1", "EU"])
def test_a_region_is_not_modelled_and_makes_no_bucket(fakestore, region):
    constraint = f"<LocationConstraint>{region}</LocationConstraint>"
    document = f"<CreateBucketConfiguration>{constraint}</CreateBucketConfiguration>"
    with pytest.raises(UnsupportedRequest, match=f"^the LocationConstraint '{region}' names a region"):
        fakestore.session().put(fakestore.url("photos"), data=document)
    fakestore.unhandled_requests.clear()
    assert dict(fakestore.buckets) == {}
