"""What every test of the project may use."""

pytest_plugins = ["pytester"]
