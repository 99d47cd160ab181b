"""Object stores for the tests that need one: one server of each kind a test process, started on first use; and what tests need not wait for."""

import gc
import os
import uuid
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.small_buckets import BUCKET, FAKE_GCS, NO_FAKE_GCS, connect, gs_server, s3_server

# A machine that other work shares is slow at times, and a property holds at any speed.
settings.register_profile("any_speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_speed")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported for a suite stays: a collection of garbage that walks through all of it takes 0.7 s."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


def pytest_sessionfinish() -> None:
    """Libraries tell what the end of the process finds uncollected."""
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def _power_stays() -> Iterator[None]:
    """A disk that is waited for after each file keeps what a killed process wrote no better."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(scope="session")
def _s3() -> Iterator[dict[str, str]]:
    with s3_server() as names:
        yield names


@pytest.fixture(scope="session")
def _gs() -> Iterator[dict[str, str]]:
    if not FAKE_GCS:
        pytest.skip(NO_FAKE_GCS)
    with gs_server() as names:
        yield names


def _set(names: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    connect(names)


@pytest.fixture
def s3(_s3: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty prefix of an S3 bucket, as an address."""
    _set(_s3, monkeypatch)
    return f"s3://{BUCKET}/{uuid.uuid4().hex}"


@pytest.fixture
def gs(_gs: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty prefix of a Google Cloud Storage bucket, as an address."""
    _set(_gs, monkeypatch)
    return f"gs://{BUCKET}/{uuid.uuid4().hex}"


@pytest.fixture(params=["s3", "gs"])
def bucket(request: pytest.FixtureRequest) -> str:
    """Both, one after the other."""
    return request.getfixturevalue(request.param)
