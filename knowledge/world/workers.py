"""A pool of processes that Ctrl-C ends without a traceback, and its results in order."""

import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

A = TypeVar("A")
T = TypeVar("T")


def worker_pool(workers: int) -> ProcessPoolExecutor:
    """Gives a pool for `in_order`.

    Args:
        workers: number of processes.

    Returns:
        The pool; it starts a process where a job finds none idle.
    """
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_die_of_ctrl_c)


def in_order(
    pool: Executor, function: Callable[[A], T], jobs: list[A], workers: int
) -> Iterator[T]:
    """Yields the results of jobs in the order of the jobs. Only a few jobs run at a time, so that memory does not grow
    with the number of jobs.

    Args:
        pool: of `worker_pool`.
        function: what a worker calls with a job; it is found by its name in its module.
        jobs: the jobs.
        workers: number of processes of the pool.

    Yields:
        The result of each job.
    """
    waiting: deque[Future[T]] = deque()
    for job in jobs:
        # A worker that starts has no handler yet: it inherits that Ctrl-C waits.
        heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            waiting.append(pool.submit(function, job))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        if len(waiting) > 2 * workers:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _die_of_ctrl_c() -> None:
    """Python's own handler would print a traceback where the worker waits for a job."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
