"""The document of conformance: made of the statements and markers, and checked against them."""

from __future__ import annotations

import pytest

from tests import conformance
from tests.spec.statements import STATEMENTS

EVERY = {statement: ["tests/spec/test_spec_a.py::test_b"] for statement in STATEMENTS}


def test_where_every_statement_has_a_test_and_the_document_is_as_written_nothing_is_wrong():
    assert conformance.problems(EVERY, conformance.render(EVERY)) == []


@pytest.mark.parametrize("without", [{}, {"4.1-06": []}])
def test_a_statement_without_a_test_is_a_problem(without):
    held = {statement: tests for statement, tests in EVERY.items() if statement != "4.1-06"} | without
    assert conformance.problems(held, conformance.render(held)) == [
        "statement 4.1-06 has no test: Content-MD5 of another body is an error."
    ]


def test_a_marker_of_a_statement_that_there_is_not_is_a_problem():
    held = EVERY | {"4.9-01": ["tests/spec/test_spec_a.py::test_c"]}
    assert conformance.problems(held, conformance.render(held)) == [
        "statement '4.9-01' is marked, and there is none: tests/spec/test_spec_a.py::test_c"
    ]


@pytest.mark.parametrize(
    "change", [lambda text: text + "\n", lambda text: text.replace("4.1-06", "4.1-6"), lambda _: ""]
)
def test_a_document_that_is_not_as_it_would_be_written_is_a_problem(change):
    assert conformance.problems(EVERY, change(conformance.render(EVERY))) == [
        "docs/conformance.md is out of date; write it with: make conformance"
    ]


def test_the_document_names_each_statement_once_with_links_to_its_tests():
    document = conformance.render(
        EVERY | {"8-02": ["tests/spec/test_spec_b.py::test_c", "tests/spec/test_spec_a.py::test_b"]}
    )
    assert [line for line in document.splitlines() if line.startswith("| 8-02 ")] == [
        "| 8-02 | An object of 5 GB can be copied, one byte more cannot."
        " | [`a::b`](../tests/spec/test_spec_a.py)<br>[`b::c`](../tests/spec/test_spec_b.py) |"
    ]
    assert [statement for statement in STATEMENTS if document.count(f"\n| {statement} |") != 1] == []


def test_markers_are_noted_by_test_without_its_parameters(pytester, monkeypatch):
    monkeypatch.setattr(conformance, "ROOT", pytester.path)
    pytester.makeini("[pytest]\nmarkers = statement\nasyncio_default_fixture_loop_scope = function")
    pytester.makepyfile(
        test_a="""
        import pytest

        @pytest.mark.statement("1-01", "1-02")
        @pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.statement("1-03"))])
        def test_b(n):
            raise AssertionError("only collected")
        """
    )
    markers = conformance.Markers()
    pytester.inline_run("--collect-only", plugins=[markers])
    assert markers.held == {each: ["test_a.py::test_b"] for each in ("1-01", "1-02", "1-03")}
