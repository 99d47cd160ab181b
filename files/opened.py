"""The objects that a process opens and shares, such as stores, searches, model clients, and
functions of stages. One owner closes all shared objects.

The code that starts a job makes an `Opened`, passes it to other code, and closes it at the end.
A pickled `Opened` contains only its name. In the process that made the `Opened`, unpickling gives
the same object again. In a worker process, unpickling gives the worker's own `Opened`. The worker's
`Opened` is empty at first, and closes when the worker ends.
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
"""Every `Opened` that this process made while unpickling. The list keeps these objects alive."""
_LOCK = threading.Lock()


class Opened:
    """Holds objects by their keys. Each object is made only once.

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
        )  # an owner that is forgotten, or still alive at the interpreter's end, closes its objects all the same
        _BY_NAME[self._name] = self

    def once(
        self, key: Hashable, make: Callable[[], T], close: Callable[[T], object] | None = None
    ) -> T:
        """Returns the object for a key. The first caller makes the object, and other callers wait
        for it.

        Args:
            key: key of the object; it contains everything that tells the object apart (a path, the
                settings).
            make: function that makes the object; it may ask for further objects.
            close: function that closes the object at the end; objects are closed in the reverse
                order of their making.
        """
        if (
            key in self._things
        ):  # without the lock: a caller that takes an open object must not wait for another thread's opening
            return self._things[key]
        with self._lock:
            if key not in self._things:
                made = make()
                if close is not None:
                    self._closing.callback(close, made)
                self._things[key] = made
            return self._things[key]

    def get(self, key: Hashable) -> Any:
        """Returns the object for a key if it is open, else None."""
        with self._lock:
            return self._things.get(key)

    def put(self, key: Hashable, thing: Any) -> None:
        """Stores an object under its key, before any caller asks for the object. The caller made
        the object, and must also close it.
        """
        with self._lock:
            assert key not in self._things, f"{key} is open already"
            self._things[key] = thing

    def close(self) -> None:
        """Closes all objects. If a caller later asks for a closed object, the object is made again."""
        with self._lock:
            self._things.clear()
            closing = self._closing.pop_all()
        closing.close()  # without the lock: an object's close may wait for a thread that asks for something here

    def __enter__(self) -> "Opened":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Callable[[str], "Opened"], tuple[str]]:
        return _here, (self._name,)


def _here(name: str) -> Opened:
    """Returns the `Opened` with this name in this process."""
    with _LOCK:
        found = _BY_NAME.get(name)
        if found is None:
            found = Opened(name)
            _OF_THIS_WORKER.append(found)
        return found
