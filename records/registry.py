"""What every registry refuses: two objects with one name, and help texts that are no sentence."""

from collections import Counter
from collections.abc import Iterable


def check_names(what: str, names: Iterable[str]) -> None:
    """Raises an error if two objects of a registry share a name.

    Args:
        what: the objects and what they share, for the error: "two filters have the reason".

    Raises:
        ValueError: a name occurs twice.

    >>> check_names("two tools have the name", ["saw", "file"])
    """
    if twice := [name for name, number in Counter(names).items() if number > 1]:
        raise ValueError(f"{what} {twice[0]}")


def check_sentence(whose: str, words: str) -> None:
    """Raises an error if a text for users is no sentence.

    Args:
        whose: name of the object, for the error.

    Raises:
        ValueError: the text does not begin with a capital letter, or does not end with a full stop.
    """
    if not words.endswith(".") or not words[:1].isupper():
        raise ValueError(f"{whose}: {words!r} is no sentence")
