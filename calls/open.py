"""Opens a call cache. The cache is a file, or a Redis database at an address."""

from pathlib import Path

from questloom.calls.cache import CallCache
from questloom.calls.shared.place import is_url
from questloom.calls.sqlite import SqliteCache
from questloom.records.errors import InputError


def open_cache(place: str | Path) -> CallCache:
    """Opens the cache with its ledger and the sums that the budget has spent.

    Args:
        place: the path of a `calls.sqlite`, or `redis://host:port/db?prefix=NAME`.

    Raises:
        InputError: the cache cannot be opened, or the package `redis` is not installed.
    """
    if not is_url(place):
        return SqliteCache(place)
    try:
        from questloom.calls.shared.redis_cache import RedisCache
    except ModuleNotFoundError as error:
        if error.name != "redis":
            raise
        raise InputError(
            "the call cache",
            "is in Redis, and the Python package `redis` is not installed",
            'Run pip install "questloom[redis]".',
        ) from None
    return RedisCache(str(place))
