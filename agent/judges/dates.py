"""Finds the dates in free text. Each date has the precision of its wording, from a day to a
century."""

from questloom.knowledge.dates import Date, dates_in
from questloom.language.amounts import digits_for_words
from questloom.language.normalise import clean, fold


def dates(text: str, *, day_first: bool = False) -> list[tuple[Date, int, int]]:
    """Finds the dates in a text, in order, each with its start and end in the text that
    `readable_date` returns. The function also reads free wordings ("44 B.C.") and years in words
    ("nineteen thirty-one").

    Args:
        text: any text.
        day_first: whether "05/12/1931" means 5 December; if False, ambiguous dates are left out.

    >>> dates("Nineteen thirty-one")[0][0], dates("44 B.C.")[0][0], dates("12-05-1931")
    (Date(year=1931, month=0, day=0, precision=9), Date(year=-44, month=0, day=0, precision=9), [])
    """
    return dates_in(readable_date(text), "free", day_first=day_first)


def readable_date(text: str) -> str:
    """The text to which the positions from `dates` refer: in lower case, without accents, and with
    numbers in digits instead of words."""
    return digits_for_words(fold(clean(text)))
