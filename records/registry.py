"""What every registry refuses: names that clash, and objects whose words are missing."""

from collections import Counter
from collections.abc import Iterable


def check_names(what: str, names: Iterable[str]) -> None:
    """Refuses names that two objects of a registry share.

    Args:
        what: names the objects and what they share, for the error: "two filters have the reason".

    Raises:
        ValueError: a name comes twice.

    >>> check_names("two tools have the name", ["saw", "file"])
    """
    if twice := [name for name, number in Counter(names).items() if number > 1]:
        raise ValueError(f"{what} {twice[0]}")


def check_sentence(whose: str, words: str) -> None:
    """Refuses words for users that are no sentence.

    Args:
        whose: names the object, for the error.

    Raises:
        ValueError: the words do not begin with a capital letter, or do not end with a full stop.
    """
    if not words.endswith(".") or not words[:1].isupper():
        raise ValueError(f"{whose}: {words!r} is no sentence")
