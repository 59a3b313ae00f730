"""A store and a naive oracle that live through the same random history give the same answers and hold the same."""

import pytest

from tests.trust.machines import MACHINES, run


@pytest.mark.parametrize("name", MACHINES)
def test_store_agrees_with_the_oracle(name):
    run(name)
