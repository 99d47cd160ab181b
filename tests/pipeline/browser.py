"""Headless Chromium through its DevTools protocol: as much as the report's tests and bench need."""

import asyncio
import base64
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp

CHROMIUM = next(
    (p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    "--hide-scrollbars",
)


class Page:
    """One page of a browser of its own. Use as a context manager; `messages` collects errors, dialogs and console errors."""

    def __init__(self, width: int = 1400, height: int = 1000) -> None:
        assert CHROMIUM, "Chromium is not installed"
        self.messages: list[str] = []
        self._loop = asyncio.new_event_loop()
        self._profile = tempfile.mkdtemp(prefix="questloom-chromium-")
        self._process = subprocess.Popen(
            [
                CHROMIUM,
                *FLAGS,
                f"--user-data-dir={self._profile}",
                f"--window-size={width},{height}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._answers: dict[int, asyncio.Future] = {}
        self._number = 0
        self._loop.run_until_complete(self._connect())
        for domain in ("Page", "Runtime", "Log"):
            self.command(f"{domain}.enable")
        self.resize(width, height)

    async def _connect(self) -> None:
        port_file, deadline = Path(self._profile, "DevToolsActivePort"), time.monotonic() + 30
        while not (port_file.exists() and port_file.read_text().strip()):
            assert time.monotonic() < deadline and self._process.poll() is None, (
                "Chromium does not start"
            )
            await asyncio.sleep(0.05)
        port = port_file.read_text().split()[0]
        self._session = aiohttp.ClientSession()
        async with self._session.get(f"http://127.0.0.1:{port}/json/list") as reply:
            (target,) = [t for t in await reply.json() if t["type"] == "page"]
        self._socket = await self._session.ws_connect(
            target["webSocketDebuggerUrl"], max_msg_size=0
        )
        self._reader = self._loop.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            data = message.json()
            if "id" in data:
                self._answers.pop(data["id"]).set_result(data)
                continue
            method, params = data["method"], data["params"]
            if method == "Page.javascriptDialogOpening":
                self.messages.append(f"dialog: {params['message']}")
                await self._socket.send_json(
                    {"id": -1, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
                )
                self._answers[-1] = self._loop.create_future()
            elif method == "Runtime.exceptionThrown":
                self.messages.append(f"exception: {params['exceptionDetails']}")
            elif (method == "Log.entryAdded" and params["entry"]["level"] == "error") or (
                method == "Runtime.consoleAPICalled" and params["type"] == "error"
            ):
                self.messages.append(f"error: {params}")

    def command(self, method: str, **params: Any) -> dict[str, Any]:
        """One DevTools command and its result."""

        async def ask() -> dict:
            self._number += 1
            future = self._answers[self._number] = self._loop.create_future()
            await self._socket.send_json({"id": self._number, "method": method, "params": params})
            return await asyncio.wait_for(future, 60)

        reply = self._loop.run_until_complete(ask())
        assert "error" not in reply, reply
        return reply["result"]

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is awaited."""
        reply = self.command(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in reply, reply["exceptionDetails"]
        return reply["result"].get("value")

    def wait(self, condition: str, seconds: float = 20) -> float:
        """Waits until an expression is true; returns how long that took, in seconds."""
        started = time.monotonic()
        while not self.run(condition):
            assert time.monotonic() - started < seconds, f"never true: {condition}; {self.messages}"
            self._loop.run_until_complete(asyncio.sleep(0.01))
        return time.monotonic() - started

    def open(self, address: str) -> None:
        """Goes to an address and waits until its scripts have run."""
        self.command("Page.navigate", url="about:blank")
        self.command("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def resize(self, width: int, height: int) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """A PNG of the window, or of the whole page."""
        data = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=whole)[
            "data"
        ]
        path.write_bytes(base64.b64decode(data))

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *error: object) -> None:
        async def close() -> None:
            await self._socket.close()
            await self._session.close()
            await self._reader

        self._loop.run_until_complete(close())
        self._loop.close()
        self._process.terminate()
        self._process.wait(20)
        shutil.rmtree(self._profile, ignore_errors=True)
