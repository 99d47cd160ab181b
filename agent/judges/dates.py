"""Finds the dates in free text. Each date has the precision of its wording, from day to century."""

from questloom.knowledge.dates import Date, dates_in
from questloom.language.amounts import digits_for_words
from questloom.language.normalise import clean, fold


def dates(text: str, *, day_first: bool = False) -> list[tuple[Date, int, int]]:
    """The dates in a text, in order, with their places in the text of `readable_date`. Free wordings and years in words
    are read too.

    Args:
        text: any text.
        day_first: reads 05/12/1931 as 5 December; without this flag an ambiguous date is left out.

    >>> dates("Nineteen thirty-one")[0][0], dates("44 B.C.")[0][0], dates("12-05-1931")
    (Date(year=1931, month=0, day=0, precision=9), Date(year=-44, month=0, day=0, precision=9), [])
    """
    return dates_in(readable_date(text), "free", day_first=day_first)


def readable_date(text: str) -> str:
    """The text that the places of `dates` refer to: cleaned and folded, with years in digits instead of words."""
    return digits_for_words(fold(clean(text)))
