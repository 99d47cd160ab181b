"""The event loop of the process. A process has only one event loop. All asynchronous work of the
process runs on this loop, such as clients, connections and episodes.
"""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any


@cache
def event_loop() -> asyncio.AbstractEventLoop:
    """Returns the event loop of the process, which runs in a daemon thread. Clients stay on the
    loop from their first use until the process exits.
    """
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="calls", daemon=True).start()
    return loop


def is_event_loop_thread() -> bool:
    """Whether the caller runs on the thread of the event loop. The thread of the event loop must
    not wait for the loop.
    """
    return threading.current_thread().name == "calls"


def submit(work: Coroutine[Any, Any, Any]) -> Future:
    """Runs a coroutine on the event loop of the process."""
    return asyncio.run_coroutine_threadsafe(work, event_loop())
