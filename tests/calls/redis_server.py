"""A real Redis server on loopback for tests: it can be killed and started again on its port and data."""

import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ConnectionError

LIFE = 1.0
"""Seconds after which a worker counts as dead here."""

BINARY = shutil.which("redis-server")
needs_redis = pytest.mark.skipif(
    BINARY is None, reason="redis-server is not installed (Debian package redis-server)"
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RedisServer:
    """A server in a process of its own.

    Args:
        folder: for its data.
        settings: of redis.conf, by name with "_" for "-".
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder, self.port = folder, free_port()
        self.settings = {"appendonly": "yes", "appendfsync": "always", "save": ""} | settings
        self._process: subprocess.Popen | None = None

    def url(self, prefix: str = "test", user: str = "") -> str:
        return f"redis://{user}127.0.0.1:{self.port}/0?prefix={prefix}"

    def client(self) -> Redis:
        return Redis(port=self.port, password=self.settings.get("requirepass"))

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        assert BINARY is not None
        options = [
            f"--{name.replace('_', '-')} {value or chr(34) * 2}".split(" ", 1)
            for name, value in self.settings.items()
        ]
        self._process = subprocess.Popen(
            [
                BINARY,
                "--port",
                str(self.port),
                "--bind",
                "127.0.0.1",
                "--dir",
                str(self.folder),
                *(part for option in options for part in option),
            ],
            stdout=subprocess.DEVNULL,
        )
        end = time.monotonic() + 10
        with self.client() as client:
            while True:
                try:
                    client.ping()
                    return
                except ConnectionError:
                    assert time.monotonic() < end and self._process.poll() is None, (
                        "redis-server does not start"
                    )
                    time.sleep(0.01)

    def stop(self, how: int = signal.SIGKILL) -> None:
        """Ends it, by default as a crash does."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None
