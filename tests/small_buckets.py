"""Object stores on loopback: moto's S3 server, and fake-gcs-server where its binary is installed."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from gcsfs.core import GCSFileSystem
from s3fs import S3FileSystem

from questloom.files.buckets import _files

BUCKET = "questloom-tests"
FAKE_GCS = os.environ.get("FAKE_GCS_SERVER") or shutil.which("fake-gcs-server") or ""
NO_FAKE_GCS = "fake-gcs-server is not here: `go install github.com/fsouza/fake-gcs-server@latest`, then put it on PATH or name it in FAKE_GCS_SERVER"
S3_NAMES = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
}


def free_port() -> int:
    """A port of loopback on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """moto's server with one bucket; gives the environment in which it is found."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with _running([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], url):
        _ask("PUT", f"{url}/{BUCKET}")
        yield {**S3_NAMES, "AWS_ENDPOINT_URL": url}


@contextmanager
def gs_server() -> Iterator[dict[str, str]]:
    """fake-gcs-server with one bucket, in memory; gives the environment in which it is found."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with _running(
        [
            FAKE_GCS,
            "-scheme",
            "http",
            "-host",
            "127.0.0.1",
            "-port",
            str(port),
            "-backend",
            "memory",
            "-public-host",
            f"127.0.0.1:{port}",
        ],
        f"{url}/storage/v1/b?project=p",
    ):
        _ask("POST", f"{url}/storage/v1/b?project=p", f'{{"name": "{BUCKET}"}}'.encode())
        yield {"STORAGE_EMULATOR_HOST": url, "NO_GCE_CHECK": "true"}


@contextmanager
def _running(command: list[str], url: str) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not _answers(url):
            assert process.poll() is None and time.monotonic() < deadline, (
                f"{command[:3]} does not answer at {url}"
            )
            time.sleep(0.1)
        yield
    finally:
        process.kill()
        process.wait()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def _ask(method: str, url: str, data: bytes = b"") -> None:
    urllib.request.urlopen(
        urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method),
        timeout=20,
    ).close()


_CONNECTED: dict[str, str] = {}


def connect(names: dict[str, str]) -> None:
    """Makes file systems anew, which takes a second, where they were made for another environment."""
    if _CONNECTED.items() & names.items() != names.items():
        forget_connections()
    _CONNECTED.update(names)


def forget_connections() -> None:
    """The environment has changed: file systems are made anew."""
    _CONNECTED.clear()
    _files.cache_clear()
    for kind in (S3FileSystem, GCSFileSystem):
        kind.clear_instance_cache()
