"""Most clients need no option of the store, others need `serve=True` or `serve="process"`."""

from __future__ import annotations

from pathlib import Path

CLIENTS = {
    *("boto3", "pandas", "s3fs", "aioboto3", "httpx"),
    *("polars", "obstore", "duckdb", "aws"),
    *("deltalake", "gdal", "opendal"),
}


def test_a_report_shows_the_requests_of_every_client(pytester):
    result = pytester.runpytest_subprocess("-p", "no:randomly", Path(__file__).with_name("three_ways.py"))
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["E *Failed: the end"] * 3)
    for client in CLIENTS:
        result.stdout.fnmatch_lines([f"*Object* photos/{client}* -> 20? (as default)*"])
