"""An event loop whose clock jumps to the next timer: hours of waiting in a moment."""

import asyncio
import selectors
import time
from collections.abc import Coroutine
from typing import Any


class _Selector(selectors.DefaultSelector):
    """Never waits: what a loop would have waited for is added to the clock."""

    now = 1_000.0

    def select(self, timeout=None):
        ready = super().select(0)
        if not ready and timeout:
            self.now += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.clock = _Selector()
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now


def run(work: Coroutine[Any, Any, Any], monkeypatch) -> tuple[Any, float]:
    """What a coroutine gives, and the seconds that it took by the loop's clock, which `time.monotonic` tells meanwhile, too."""
    loop = _Loop()
    with monkeypatch.context() as patched:
        patched.setattr(time, "monotonic", loop.time)
        try:
            return loop.run_until_complete(work), loop.time() - _Selector.now
        finally:
            loop.run_until_complete(_end(asyncio.all_tasks(loop)))
            loop.close()


async def _end(left: set[asyncio.Task]) -> None:
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
