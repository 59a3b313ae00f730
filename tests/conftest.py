"""What every test of the project may use."""

from tests.support.profile import load_profile

pytest_plugins = ["pytester"]

load_profile()
