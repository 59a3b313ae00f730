"""A suite that never uses the fixture, for the time that the plugin adds to it."""


def test_nothing() -> None:
    pass
