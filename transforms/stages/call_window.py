"""Runs a stage's coroutine function over many records at once, up to the size of a window.

The shards of a bundle share the window. The last slow calls of one shard therefore overlap with the
first calls of the next shard. Results are collected by shard and sorted before they are written, so
it does not matter in which order they arrive.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any


async def gather_windowed(
    items: list, function: Callable[[Any], Awaitable[Any]], window: asyncio.Semaphore
) -> list:
    """The results of `function` for the given items, in the order of the items. All callers
    together run at most as many coroutines as the window allows."""

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
