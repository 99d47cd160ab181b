"""Finds the dates in free text, each with the precision that the text gives it, from day to century."""

from questloom.knowledge.dates import Date, dates_in
from questloom.language.amounts import digits_for_words
from questloom.language.normalise import clean, fold


def dates(text: str, *, day_first: bool = False) -> list[tuple[Date, int, int]]:
    """The dates in a text, freely worded and years in words too, with their places in the text from `readable_date`, in order.

    Args:
        text: any text.
        day_first: read 05/12/1931 as 5 December; without it such a date is left out unless it can be read in one way only.

    >>> dates("Nineteen thirty-one")[0][0], dates("44 B.C.")[0][0], dates("12-05-1931")
    (Date(year=1931, month=0, day=0, precision=9), Date(year=-44, month=0, day=0, precision=9), [])
    """
    return dates_in(readable_date(text), "free", day_first=day_first)


def readable_date(text: str) -> str:
    """The text that `dates` gives places in: cleaned, folded, years in words in digits."""
    return digits_for_words(fold(clean(text)))
