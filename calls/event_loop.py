"""The one event loop of the process. All asynchronous work of the process runs on this loop:
clients, connections, episodes."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any


@cache
def event_loop() -> asyncio.AbstractEventLoop:
    """The process's own loop, in a daemon thread. Clients live on the loop from their first use
    until the process exits."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="calls", daemon=True).start()
    return loop


def is_event_loop_thread() -> bool:
    """Whether the caller runs on the loop's own thread, which must not wait for the loop."""
    return threading.current_thread().name == "calls"


def submit(work: Coroutine[Any, Any, Any]) -> Future:
    """Starts a coroutine on the process's loop."""
    return asyncio.run_coroutine_threadsafe(work, event_loop())
