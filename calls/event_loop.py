"""One event loop a process, on which everything asynchronous lives: clients, their connections, episodes under way."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any


@cache
def event_loop() -> asyncio.AbstractEventLoop:
    """The process's own loop, running in a daemon thread; clients live on it from first use to exit."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="calls", daemon=True).start()
    return loop


def is_event_loop_thread() -> bool:
    """Whether the caller runs on that loop's own thread, which must not wait for it."""
    return threading.current_thread().name == "calls"


def submit(work: Coroutine[Any, Any, Any]) -> Future:
    """Starts a coroutine on the process's loop."""
    return asyncio.run_coroutine_threadsafe(work, event_loop())
