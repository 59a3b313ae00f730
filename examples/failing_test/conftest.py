"""Exclude the failing test from ordinary runs. Pass its path to pytest to see its report."""

collect_ignore = ["test_mistake.py"]
