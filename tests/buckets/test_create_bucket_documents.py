"""What the document of a PUT Bucket may say beside a location."""

import pytest

from fakestore import UnsupportedRequest


@pytest.mark.parametrize("element", ["Bucket", "Location", "Tags"])
def test_what_is_not_modelled_in_the_document_is_unsupported_and_makes_no_bucket(fakestore, element):
    document = f"<CreateBucketConfiguration><{element}/></CreateBucketConfiguration>"
    with pytest.raises(UnsupportedRequest, match=f"<{element}> in <CreateBucketConfiguration> is not supported"):
        fakestore.session().put(fakestore.url("photos"), data=document)
    fakestore.unhandled_requests.clear()
    assert dict(fakestore.buckets) == {}


@pytest.mark.parametrize("region", ["eu-west-1", "us-gov-east-1", "EU"])
def test_a_region_is_not_modelled_and_makes_no_bucket(fakestore, region):
    constraint = f"<LocationConstraint>{region}</LocationConstraint>"
    document = f"<CreateBucketConfiguration>{constraint}</CreateBucketConfiguration>"
    with pytest.raises(UnsupportedRequest, match=f"^the LocationConstraint '{region}' names a region"):
        fakestore.session().put(fakestore.url("photos"), data=document)
    fakestore.unhandled_requests.clear()
    assert dict(fakestore.buckets) == {}
