"""The filters in the order in which they run, cheapest first. A new filter needs an entry here and
a file of its own."""

from collections.abc import Sequence
from typing import Any

from questloom.records.errors import InputError
from questloom.records.registry import check_names, check_sentence
from questloom.transforms.filters.answer_in_question import ANSWER_IN_QUESTION
from questloom.transforms.filters.custom import KEY, custom_filters
from questloom.transforms.filters.duplicates import DUPLICATES
from questloom.transforms.filters.filter import Filter
from questloom.transforms.filters.image_search import IMAGE_SEARCH
from questloom.transforms.filters.no_tools import NO_TOOLS
from questloom.transforms.filters.quotas import QUOTAS
from questloom.transforms.filters.solvable import SOLVABLE
from questloom.transforms.filters.text_only import TEXT_ONLY
from questloom.transforms.filters.text_search import TEXT_SEARCH
from questloom.transforms.filters.visible_text import VISIBLE_TEXT

FILTERS: tuple[Filter, ...] = (
    ANSWER_IN_QUESTION,
    DUPLICATES,
    TEXT_SEARCH,
    IMAGE_SEARCH,
    TEXT_ONLY,
    NO_TOOLS,
    SOLVABLE,
    VISIBLE_TEXT,
    QUOTAS,
)


def check(filters: Sequence[Filter]) -> None:
    """Refuses filters that users could confuse with others, and filters that lack a text.

    Raises:
        ValueError: two filters share a name, a reason or a settings key; a text is not a sentence;
            or a reason is not a single word.
    """
    names = [f.name for f in filters]
    reasons = [reason for f in filters for reason in f.reasons]
    keys = [key for f in filters if f.settings for key in f.settings.__annotations__]
    for what, given in (("name", names), ("reason", reasons), ("settings key", keys)):
        check_names(f"two filters have the {what}", given)
    for f in filters:
        for words in (f.help, *f.reasons.values()):
            check_sentence(f"filter {f.name}", words)
        for reason in f.reasons:
            if not reason.isidentifier():
                raise ValueError(f"filter {f.name}: {reason!r} is no reason of a filter")


def filters_of(settings: Any) -> tuple[Filter, ...]:
    """The filters of a recipe: the built-in filters, with custom filters inserted before the first
    filter that searches.

    Args:
        settings: the recipe's section `filters`.

    Raises:
        InputError: a custom filter cannot be loaded, or has the name of another filter.
    """
    own = custom_filters(settings)
    place = FILTERS.index(DUPLICATES) + 1
    found = (*FILTERS[:place], *own, *FILTERS[place:])
    try:
        check(found)
    except ValueError as error:
        raise InputError(
            f"{KEY}: {', '.join(settings.custom)}", str(error), "Rename the class, or the reason."
        ) from error
    return found


check(FILTERS)
