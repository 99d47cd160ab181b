"""The objects that a process opens and shares: stores, searches, model clients, stages' functions.
One owner closes all of these objects.

The code that starts a job makes an `Opened`, passes it down and closes it. An `Opened` pickles as
its name. In the process that made the object, the name stands for this object. In a worker process,
the name stands for an `Opened` of the worker, which fills during use and closes when the worker
ends.
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
"""The `Opened` objects that came by name from another process; this list keeps them alive."""
_LOCK = threading.Lock()


class Opened:
    """Objects by key, each made at most once.

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
        """The object of a key. The first caller makes the object while other callers wait.

        Args:
            key: identifies the object, with everything that makes the object different (a path, the
                settings).
            make: makes the object; it may ask for further objects.
            close: called with the object at the end, in reverse order of making.
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
        """The object of a key if it is open, else None."""
        with self._lock:
            return self._things.get(key)

    def put(self, key: Hashable, thing: Any) -> None:
        """Stores an object under its key before any caller asks for it. The object's maker closes the object."""
        with self._lock:
            assert key not in self._things, f"{key} is open already"
            self._things[key] = thing

    def close(self) -> None:
        """Closes all objects. An object that is asked for later is made anew."""
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
    """The `Opened` with this name in this process."""
    with _LOCK:
        found = _BY_NAME.get(name)
        if found is None:
            found = Opened(name)
            _OF_THIS_WORKER.append(found)
        return found
