"""Dates in words, in the languages of the recipe: months, days, centuries, and the full stop of a number that counts
("3. Mai")."""

import re

from questloom.language.english import MONTHS

MONTHS_IN = {
    "en": MONTHS,
    "de": tuple(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
    ),
    "es": tuple(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
    ),
    "fr": tuple(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
    ),
    "it": tuple(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split()
    ),
    "nl": tuple(
        "januari februari maart april mei juni juli augustus september oktober november december".split()
    ),
    "pt": tuple(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro".split()
    ),
}
_DAYS = {
    "en": "{day} {month} {year}",
    "de": "{day}. {month} {year}",
    "es": "{day} de {month} de {year}",
    "pt": "{day} de {month} de {year}",
    "ja": "{year}年{number}月{day}日",
    "zh": "{year}年{number}月{day}日",
}
_MONTHS = {
    "es": "{month} de {year}",
    "pt": "{month} de {year}",
    "ja": "{year}年{number}月",
    "zh": "{year}年{number}月",
}
_CENTURIES = {
    "de": "{number}. Jahrhundert",
    "es": "siglo {roman}",
    "fr": "{roman}e siècle",
    "it": "{roman} secolo",
    "ja": "{number}世紀",
    "nl": "{number}e eeuw",
    "pt": "século {roman}",
    "zh": "{number}世纪",
}
_BEFORE_CHRIST = {
    "en": "{said} BC",
    "de": "{said} v. Chr.",
    "es": "{said} a. C.",
    "fr": "{said} av. J.-C.",
    "it": "{said} a.C.",
    "ja": "紀元前{said}",
    "nl": "{said} v.Chr.",
    "pt": "{said} a.C.",
    "zh": "公元前{said}",
}
_YEARS = {
    "en": "years",
    "de": "Jahre",
    "es": "años",
    "fr": "ans",
    "it": "anni",
    "ja": "年",
    "nl": "jaar",
    "pt": "anos",
    "zh": "年",
}
_COUNTED = frozenset(
    (*MONTHS_IN["de"], "Jänner", *"Jahrhundert Jahrhunderts Jahrtausend Jahrzehnt Jh Jhs".split())
)
_BEFORE_COUNTED = frozenset("der die das dem den des im zum zur vom beim".split())
_BEFORE_STOP = re.compile(r"(?:(\w+) )?(?<!\d)(\d{1,2})\Z")
_AFTER_STOP = re.compile(r" ([^\W\d_]+)")


def date_words(year: int, month: int = 0, day: int = 0, language: str = "en") -> str:
    """A date as people write it in a language; in a language without a table, as in English.

    >>> date_words(1850, 5, 3, "de"), date_words(1850, 5, 3, "fr"), date_words(-44, language="de"), date_words(1850, 5, 3, "ja")
    ('3. Mai 1850', '3 mai 1850', '44 v. Chr.', '1850年5月3日')
    """
    language = language if language in _BEFORE_CHRIST else "en"
    form = "{year}"
    if month:
        form = _DAYS.get(language, _DAYS["en"]) if day else _MONTHS.get(language, "{month} {year}")
    names = MONTHS_IN.get(language, MONTHS)
    said = form.format(
        day=day, month=names[month - 1] if month else "", number=month, year=abs(year)
    )
    return _BEFORE_CHRIST[language].format(said=said) if year < 0 else said


def century_words(number: int, language: str, *, before_christ: bool = False) -> str:
    """A century as people write it in a language other than English; "" for a language without a table.

    >>> century_words(19, "de"), century_words(19, "es"), century_words(5, "de", before_christ=True)
    ('19. Jahrhundert', 'siglo XIX', '5. Jahrhundert v. Chr.')
    """
    if language not in _CENTURIES:
        return ""
    said = _CENTURIES[language].format(number=number, roman=_roman(number))
    return _BEFORE_CHRIST[language].format(said=said) if before_christ else said


def years_in(language: str) -> str:
    """The unit of a number of years: "Jahre" in German."""
    return _YEARS.get(language, _YEARS["en"])


def _roman(number: int) -> str:
    ones = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
    return "X" * (number // 10) + ones[number % 10]


def is_ordinal_stop(text: str, at: int) -> bool:
    """Whether the full stop at an offset belongs to a number that counts, as German writes it, and ends no sentence.

    >>> [is_ordinal_stop(text, text.index(". ")) for text in ("am 3. Mai 1850", "Der 2. Weltkrieg", "Er war 42. Dann kam sie", "1850. Mai")]
    [True, True, False, False]
    """
    if not text[at - 1 : at].isdigit():
        return False
    before, after = (
        _BEFORE_STOP.search(text, max(0, at - 12), at),
        _AFTER_STOP.match(text, at + 1),
    )
    if before is None or after is None:
        return False
    counted = after[1] in _COUNTED and int(before[2]) <= 31
    return counted or ((before[1] or "").lower() in _BEFORE_COUNTED and after[1][0].isupper())
