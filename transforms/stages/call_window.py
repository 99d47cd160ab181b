"""Runs a stage's coroutine function over many records at once, no more than a window's size at a time.

The window is shared *across* the shards of a bundle: the last slow calls of one shard overlap with the first of the next. Results are gathered
by shard and written sorted, so order in time does not show.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any


async def gather_windowed(
    items: list, function: Callable[[Any], Awaitable[Any]], window: asyncio.Semaphore
) -> list:
    """The results of `function` over items, in the items' order, with the window's limit shared by all callers."""

    async def one(item):
        try:
            return await function(item)
        finally:
            window.release()

    tasks = []
    for item in items:
        await window.acquire()
        tasks.append(asyncio.ensure_future(one(item)))
    return await asyncio.gather(*tasks)
