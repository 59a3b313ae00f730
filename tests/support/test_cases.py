"""A loop over cases goes on after a failure, and names what failed."""

import pytest

from tests.support.cases import each


def run(*statuses):
    """Run cases that fail unless their status is 200, and return the numbers of the cases that ran."""
    ran = []
    for case in each(*enumerate(statuses)):
        with case as (number, status):
            ran.append(number)
            assert status == 200
    return ran


def test_cases_that_hold_raise_nothing():
    assert run(200, 200) == [0, 1]
    assert run() == []


def test_a_failure_is_raised_after_the_last_case_and_names_its_case():
    with pytest.raises(AssertionError) as failed:
        run(200, 404, 200)
    assert failed.value.__notes__ == ["case 2 of 3: (1, 404)"]


def test_several_failures_are_raised_together():
    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases failed") as failed:
        run(500, 200, 404)
    assert [each.__notes__ for each in failed.value.exceptions] == [
        ["case 1 of 3: (0, 500)"],
        ["case 3 of 3: (2, 404)"],
    ]


def test_an_error_that_was_expected_and_not_raised_is_a_failure():
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        for case in each("1", "x"):
            with case as text, pytest.raises(ValueError, match="invalid literal"):
                int(text)


def test_an_interruption_is_not_collected():
    with pytest.raises(KeyboardInterrupt):
        for case in each(1, 2):
            with case:
                raise KeyboardInterrupt
