"""Answers that are kept as long as what was asked: a look-up's results live and die with its store."""

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

Source = TypeVar("Source")
Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")
CACHED = 131_072
"""Answers kept of each question: a margin asks the same of hundreds of rivals, thousands of times."""
PLACE = "_remembered"
"""The attribute of a source that holds its answers."""


def remembered(
    size: int = CACHED,
) -> Callable[
    [Callable[Concatenate[Source, Asked], Answer]], Callable[Concatenate[Source, Asked], Answer]
]:
    """Keeps a function's answers by its other arguments, in its first one: a store, or a model.

    A cache of the module would hold the store for ever.

    Args:
        size: answers kept of each source; those that were not asked for longest go first.
    """

    def keeping(
        function: Callable[Concatenate[Source, Asked], Answer],
    ) -> Callable[Concatenate[Source, Asked], Answer]:
        @functools.wraps(function)
        def answer(source: Source, /, *asked: Asked.args, **named: Asked.kwargs) -> Answer:
            kept = vars(source).setdefault(PLACE, {})
            if (found := kept.get(function)) is None:
                found = kept[function] = functools.lru_cache(size)(
                    functools.partial(function, source)
                )
            return found(*asked, **named)

        return answer

    return keeping
