"""Keeps the answers of look-ups. The answers of a store or model live as long as the store or
model."""

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

Source = TypeVar("Source")
Params = ParamSpec("Params")
Answer = TypeVar("Answer")
CACHED = 131_072
"""Maximum number of answers that are kept for each function. To make a certificate, the program
asks the same question thousands of times, about hundreds of things."""
PLACE = "_remembered"
"""The name of the attribute in which a source keeps its answers. A class with `__slots__` must list
the attribute that holds answers."""


class Answers:
    """The answers of one source. A copy of the source starts without answers, and so does a pickled
    copy.

    Args:
        source: the object that gave the answers. The source is None after unpickling, so that the
            first look-up starts without answers.
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
    """A decorator that keeps a function's answers. The function's first argument (a store or a
    model) keeps the answers. The other arguments tell which answer is meant.

    The answers are not kept in a module, because a module would hold the store in memory for ever.

    Args:
        size: number of answers that are kept for each source. The least recently used answers are
            dropped first.
    """

    def keeping(
        function: Callable[Concatenate[Source, Params], Answer],
    ) -> Callable[Concatenate[Source, Params], Answer]:
        @functools.wraps(function)
        def answer(source: Source, /, *asked: Params.args, **named: Params.kwargs) -> Answer:
            kept: Answers | None = getattr(source, PLACE, None)
            # a plain copy of the source brings the same object as the original
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
