"""Answers that are kept as long as what was asked: a look-up's results live and die with its store."""

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

Source = TypeVar("Source")
Params = ParamSpec("Params")
Answer = TypeVar("Answer")
CACHED = 131_072
"""Answers kept of each question: a margin asks the same of hundreds of rivals, thousands of times."""
PLACE = "_remembered"
"""The attribute of a source that holds its answers; a class with `__slots__` names it there."""


class Answers:
    """The answers of one source. A copy of the source, also a pickled one, starts without any.

    Args:
        source: what was asked; None after a pickle, so that whoever asks first begins anew.
    """

    __slots__ = ("by_function", "source")

    def __init__(self, source: object = None) -> None:
        self.source = source
        self.by_function: dict[Any, Any] = {}

    def __reduce__(self) -> tuple[type["Answers"], tuple[()]]:
        return Answers, ()


def remembered(
    size: int = CACHED,
) -> Callable[
    [Callable[Concatenate[Source, Params], Answer]], Callable[Concatenate[Source, Params], Answer]
]:
    """Keeps a function's answers by its other arguments, in its first one: a store, or a model.

    A cache of the module would hold the store for ever.

    Args:
        size: answers kept of each source; those that were not asked for longest go first.
    """

    def keeping(
        function: Callable[Concatenate[Source, Params], Answer],
    ) -> Callable[Concatenate[Source, Params], Answer]:
        @functools.wraps(function)
        def answer(source: Source, /, *asked: Params.args, **named: Params.kwargs) -> Answer:
            kept: Answers | None = getattr(source, PLACE, None)
            # a plain copy of the source brings the very object of the original
            if kept is None or kept.source is not source:
                kept = Answers(source)
                object.__setattr__(source, PLACE, kept)  # a source may be a frozen dataclass
            if (found := kept.by_function.get(function)) is None:
                kept.by_function[function] = functools.lru_cache(size)(
                    functools.partial(function, source)
                )
                found = kept.by_function[function]
            return found(*asked, **named)

        return answer

    return keeping
