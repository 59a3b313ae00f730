"""Kept out of the ordinary run: the test in here is meant to fail. Name it to see its report."""

collect_ignore = ["test_mistake.py"]
