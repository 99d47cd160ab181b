"""English word lists that several parts of the project need, and adjectives."""

import re

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

NUMBER_WORDS = tuple(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
    """.split()
)
"""The number words from zero up; the index of each word is its number."""

_ADJECTIVES = {"classicism": "classical", "historicism": "historicist", "icism": "ic", "ism": "ist"}


def adjective(name: str) -> str:
    """The adjective made from the name of a style or a colour.

    >>> adjective("Gothic architecture"), adjective("Northern Neoclassicism"), adjective("brutalism")
    ('Gothic', 'Northern Neoclassical', 'brutalist')
    """
    name = re.sub(r"^the | (?:architecture|style)$", "", name)
    for ending, instead in _ADJECTIVES.items():
        if name.endswith(ending):
            return name.removesuffix(ending) + instead
    return name
