"""Tests of the log: what it does while the service is busy, slow, or out of reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import requests

from examples.sensor_log.log import SensorLog
from fakestore import FakeStore, faults


@pytest.fixture
def fakestore_options() -> dict[str, Any]:
    # The store does not really wait for `faults.Latency`.
    return {"dialect": "s3", "buckets": {"readings": "enabled"}, "sleep": lambda seconds: None}


@pytest.fixture
def waits() -> list[float]:
    """How long the log has waited, in seconds."""
    return []


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def log(fakestore: FakeStore, spool: Path, waits: list[float]) -> SensorLog:
    return SensorLog(fakestore.session(), fakestore.url("readings"), spool, wait=waits.append)


def statuses(store: FakeStore) -> list[int | None]:
    return [call.status for call in store.calls("PUT Object")]


def test_busy_service_is_tried_again_after_longer_waits(
    fakestore: FakeStore, log: SensorLog, waits: list[float]
) -> None:
    fakestore.fail("PUT Object", faults.ServiceError("SlowDown"), times=3)
    assert log.record("0900.json", b"21.5")
    assert statuses(fakestore) == [503, 503, 503, 200]
    assert waits == [1, 2, 4]


def test_service_says_how_long_to_wait(fakestore: FakeStore, log: SensorLog, waits: list[float]) -> None:
    fakestore.fail("PUT Object", faults.ServiceError("SlowDown", retry_after=30))
    assert log.record("0900.json", b"21.5")
    assert waits == [30]


@pytest.mark.parametrize(
    "fault", [faults.ConnectTimeout(), faults.ReadTimeout(), faults.ConnectionReset(), faults.Latency(11)]
)
def test_broken_connection_is_tried_again(fakestore: FakeStore, log: SensorLog, fault: faults.Fault) -> None:
    fakestore.fail("PUT Object", fault)
    assert log.record("0900.json", b"21.5")
    assert fakestore["readings"]["0900.json"].content == b"21.5"


def test_answer_that_takes_nine_seconds_is_in_time(fakestore: FakeStore, log: SensorLog, waits: list[float]) -> None:
    fakestore.fail("PUT Object", faults.Latency(9))
    assert log.record("0900.json", b"21.5")
    assert waits == []


def test_lost_answer_does_not_store_a_reading_twice(fakestore: FakeStore, log: SensorLog) -> None:
    fakestore.fail("PUT Object", faults.AfterCommit(faults.ReadTimeout()))
    assert log.record("0900.json", b"21.5")
    assert len(fakestore["readings"].versions("0900.json")) == 1


def test_refused_reading_is_not_sent_again(fakestore: FakeStore, log: SensorLog) -> None:
    fakestore["readings"].deny(fakestore.default_account, "s3:PutObject")
    with pytest.raises(requests.HTTPError, match="403"):
        log.record("0900.json", b"21.5")
    assert statuses(fakestore) == [403]


def test_readings_of_an_outage_are_sent_later(fakestore: FakeStore, log: SensorLog, spool: Path) -> None:
    fakestore.fail("PUT Object", faults.ServiceError("ServiceUnavailable"), times=10)
    assert not log.record("0900.json", b"21.5")
    assert not log.record("1000.json", b"22.0")
    assert log.send_spooled() == ["0900.json", "1000.json"]
    assert list(fakestore["readings"]) == ["0900.json", "1000.json"]
    assert list(spool.iterdir()) == []
