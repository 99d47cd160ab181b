"""Lets all processes of a machine take turns at a provider, so that only one call runs at a time.

A process gets its turn by locking a file. The locked file also records the times of calls. The lock
ends with the process that holds it. A killed process therefore does not keep its turn. From the
locked file, a process learns when earlier processes made calls. If a process was killed during a
call, the call counts as if it had lasted until now. A pause from a `Retry-After` header holds for
all processes, even after a job is resumed.
"""

import asyncio
import fcntl
import json
import math
import os
import time
from pathlib import Path

from questloom.calls.attempts import Status
from questloom.calls.pacing import Pace
from questloom.calls.retry import CallFault, RetryPolicy

MINUTE = 60.0
POLL_SECONDS = 0.02
"""The interval, in seconds, at which a waiting process checks whether another call's turn is over.
The first process that finds the turn free takes it.
"""
LONGEST_PAUSE = RetryPolicy().max_retry_after


class TurnLane:
    """A lane (a queue of calls) for a provider whose `Pace` sets `work_per_minute`. Only one event
    loop at a time may use the lane.

    Args:
        path: path of the file; a missing file is created.
        provider: name of the provider in error messages.
        pace: pace of the calls; the starts of `requests_per_minute` calls are evenly spaced, as in
            `Lane`.
    """

    def __init__(self, path: Path, provider: str, pace: Pace) -> None:
        assert pace.work_per_minute is not None
        self._path, self._provider, self._work = path, provider, pace.work_per_minute
        self._spacing = 60 / pace.requests_per_minute if pace.requests_per_minute else 0.0
        self._fd: int | None = None
        self._calls: list[
            tuple[float, float]
        ] = []  # (begun, ended) in seconds since the epoch: processes share no other clock
        self._closed_until = 0.0

    async def enter(self) -> float:
        """Waits until it is the caller's turn and the next call may start. Returns the time at
        which the call starts (monotonic seconds).

        Raises: CallFault: the provider asked one of the processes for too long a pause.
        """
        while not self._lock():
            await asyncio.sleep(POLL_SECONDS)
        try:
            now = time.time()
            self._read(now)
            if self._closed_until - now > LONGEST_PAUSE:
                raise CallFault(
                    self._provider,
                    f"it asked to be left alone for another {self._closed_until - now:.0f} s (as {self._path} says)",
                    Status.RATE_LIMITED,
                    status=429,
                    retry_after=self._closed_until - now,
                )
            await asyncio.sleep(self._pause(now))
            self._calls.append((time.time(), 0.0))
            self._write()
        except BaseException:
            self._unlock()
            raise
        return time.monotonic()

    def leave(
        self,
        entered: float,
        *,
        replied: bool = False,
        overloaded: bool = False,
        limited: bool = False,
        timeout: float = math.inf,
        late: bool = False,
        retry_after: float | None = None,
        banned: float | None = None,
    ) -> None:
        """Ends the caller's turn. Only `retry_after` and `banned`, which ask for a pause, have an
        effect. The other arguments would change a window of calls, which this lane does not have.
        See `Lane.leave`.
        """
        now = time.time()
        self._calls[-1] = (self._calls[-1][0], now)
        pause = retry_after if banned is None else banned
        if pause is not None:
            self._closed_until = max(self._closed_until, now + pause)
        try:
            self._write()
        finally:
            self._unlock()

    def _lock(self) -> bool:
        if self._fd is not None:
            return False
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._fd = fd
        return True

    def _unlock(self) -> None:
        fd, self._fd = self._fd, None
        if fd is not None:
            fcntl.flock(
                fd, fcntl.LOCK_UN
            )  # closing alone would leave the lock to a process that was forked meanwhile
            os.close(fd)

    def _read(self, now: float) -> None:
        """Returns the calls of the last minute, the oldest first, and the pause that the provider
        asked for.
        """
        assert self._fd is not None
        data = os.pread(self._fd, os.fstat(self._fd).st_size, 0)
        try:
            said = json.loads(data or '{"calls": [], "closed_until": 0}')
            self._closed_until = float(said["closed_until"])
            calls = [(float(begun), float(ended)) for begun, ended in said["calls"]]
        except (
            ValueError,
            TypeError,
            KeyError,
        ):  # its writer was killed while writing: treat it as if somebody had just worked for a minute
            calls = [(now - MINUTE, now)]
        # A call without an end was killed, and the provider may still be working on it. No such
        # call counts for longer than a minute.
        calls = [(begun, min(now, ended or begun + MINUTE)) for begun, ended in calls]
        self._calls = [(begun, ended) for begun, ended in calls if ended > now - MINUTE]

    def _write(self) -> None:
        assert self._fd is not None
        data = json.dumps({"calls": self._calls, "closed_until": self._closed_until}).encode()
        os.pwrite(self._fd, data, 0)
        os.ftruncate(self._fd, len(data))

    def _pause(self, now: float) -> float:
        """Number of seconds until the next call may start."""
        start = max(self._closed_until, self._calls[-1][0] + self._spacing if self._calls else 0.0)
        work = sum(ended - begun for begun, ended in self._calls)
        for begun, ended in self._calls:  # the oldest calls leave the minute first
            if work < self._work:
                break
            work -= ended - begun
            start = max(start, ended + MINUTE)
        return max(0.0, start - now)
