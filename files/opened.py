"""What a process has open and shares: stores, searches, model clients, stages' functions. One owner, one `close`.

Whoever starts a job makes an `Opened`, hands it down, and closes it. It pickles as its name: in the process that made it the name stands for
this very object, in a worker process for one of the worker's own, which is filled as it is used and closed when the worker ends.
"""

import threading
import uuid
import weakref
from collections.abc import Callable, Hashable
from contextlib import ExitStack
from typing import Any, TypeVar

T = TypeVar("T")

_BY_NAME: weakref.WeakValueDictionary[str, "Opened"] = weakref.WeakValueDictionary()
_OF_THIS_WORKER: list["Opened"] = []
"""Those that came by name from another process; nobody else would keep them."""
_LOCK = threading.Lock()


class Opened:
    """Things by key, each made at most once.

    >>> with Opened() as opened:
    ...     first = opened.once("list", list)
    ...     first is opened.once("list", list)
    True
    """

    def __init__(self, name: str = "") -> None:
        self._name = name or uuid.uuid4().hex
        self._things: dict[Hashable, Any] = {}
        self._closing = ExitStack()
        self._lock = threading.RLock()
        weakref.finalize(
            self, self._closing.close
        )  # an owner that is forgotten, or alive when the interpreter ends, closes all the same
        _BY_NAME[self._name] = self

    def once(
        self, key: Hashable, make: Callable[[], T], close: Callable[[T], object] | None = None
    ) -> T:
        """The thing of a key; made by the first who asks, while others wait.

        Args:
            key: what the thing is and everything that makes it another one (a path, the settings).
            make: may ask for further things.
            close: called with the thing at the end, in reverse order of making.
        """
        if (
            key in self._things
        ):  # without the lock: who only takes what stands does not wait for what another thread opens
            return self._things[key]
        with self._lock:
            if key not in self._things:
                made = make()
                if close is not None:
                    self._closing.callback(close, made)
                self._things[key] = made
            return self._things[key]

    def get(self, key: Hashable) -> Any:
        """The thing of a key, if it is open; else None."""
        with self._lock:
            return self._things.get(key)

    def put(self, key: Hashable, thing: Any) -> None:
        """Lays a thing under its key before anybody asks for it; what belongs to its maker is not closed here."""
        with self._lock:
            assert key not in self._things, f"{key} is open already"
            self._things[key] = thing

    def close(self) -> None:
        """Closes everything; what is asked for afterwards is made anew."""
        with self._lock:
            self._things.clear()
            closing = self._closing.pop_all()
        closing.close()  # without the lock: what is closed may wait for a thread that asks for something here

    def __enter__(self) -> "Opened":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Callable[[str], "Opened"], tuple[str]]:
        return _here, (self._name,)


def _here(name: str) -> Opened:
    """This process's `Opened` of a name."""
    with _LOCK:
        found = _BY_NAME.get(name)
        if found is None:
            found = Opened(name)
            _OF_THIS_WORKER.append(found)
        return found
