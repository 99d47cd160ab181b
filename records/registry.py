"""Two checks for every registry: no two objects have the same name, and every help text is a
sentence."""

from collections import Counter
from collections.abc import Iterable


def check_names(what: str, names: Iterable[str]) -> None:
    """Raises an error if two objects of a registry share a name.

    Args:
        what: the start of the error message: "two filters have the reason".

    Raises:
        ValueError: a name occurs twice.

    >>> check_names("two tools have the name", ["saw", "file"])
    """
    if twice := [name for name, number in Counter(names).items() if number > 1]:
        raise ValueError(f"{what} {twice[0]}")


def check_sentence(whose: str, words: str) -> None:
    """Raises an error if a text for users is not a sentence.

    Args:
        whose: name of the object, for the error message.

    Raises:
        ValueError: the text does not begin with a capital letter, or does not end with a full stop.
    """
    if not words.endswith(".") or not words[:1].isupper():
        raise ValueError(f"{whose}: {words!r} is no sentence")
