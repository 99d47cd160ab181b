"""Turns a claim's value into a typed answer: its words, its aliases, and the precision that the
question asks for. This module also rates how much an answer interests readers."""

from questloom.knowledge.dates import PRECISIONS, Date, coarsened, dates_of
from questloom.language.amounts import COMMA_DECIMALS
from questloom.language.date_words import century_words, date_words
from questloom.language.english import MONTHS
from questloom.prompts.phrases import property_use
from questloom.prompts.phrases.words import Words
from questloom.records.knowledge import Value
from questloom.records.periods import MONTH, YEAR, parts_of
from questloom.records.synthesis import Answer
from questloom.transforms.facts.lookups import Facts

_BY_KIND = {"entity": 1.0, "string": 0.9, "monolingual": 0.9}
"""How much an answer interests readers, by its kind. Names interest readers most, since people
remember them."""
BARE_NUMBER = 0.3
"""How much a date or a number interests readers as an answer: nobody remembers the founding year of
a town, or a height."""


def answer_of(
    facts: Facts, value: Value, unit_label: str = "", precision: str = "", language: str = ""
) -> Answer | None:
    """The typed answer for a value; None for a kind of value that makes no good answer.

    Args:
        facts: the store, for labels of entities and units.
        value: the value.
        unit_label: the unit's name, if the value has a unit and the caller knows a better name than
            the label.
        precision: "year" or "century" to ask for less precision than the value has.
        language: the language of the answer; "" for that of `facts`. English names and dates are
            right answers in every language.
    """
    language = language or facts.language
    match value.kind:
        case "entity":
            entity = facts.entity(value.entity)
            if entity is None or not entity.labels:
                return None
            label = entity.label(language)
            names = tuple(n for n in entity.names((language, "en")) if n != label)
            return Answer(value=value, text=label, type="entity", aliases=names)
        case "time" if value.year is not None:
            return _date(value, precision, language)
        case "quantity" if value.number is not None:
            entity = facts.entity(value.unit) if value.unit else None
            unit = unit_label or (entity.label(language) if entity else "")
            number = (
                f"{value.number:,.10g}" if abs(value.number) >= 10_000 else f"{value.number:.10g}"
            )
            plain = f"{value.number:.10g}"
            if language in COMMA_DECIMALS:
                number, plain = (said.translate(_COMMAS) for said in (number, plain))
            return Answer(
                value=value,
                text=plain,
                type="quantity",
                unit=unit,
                aliases=() if number == plain else (number,),
            )
        case "string" | "monolingual" if value.text.strip():
            return Answer(value=value, text=value.text.strip(), type="string")
    return None


_COMMAS = str.maketrans(",.", ".,")


def _date(value: Value, precision: str, language: str) -> Answer:
    if precision == "century":
        text, *more = _century(parts_of(value.time)[0], language)
        return Answer(
            value=coarsened(value, PRECISIONS[precision]),
            text=text,
            type="date",
            precision=precision,
            aliases=tuple(more),
        )
    # Pages give days of either calendar, usually as the source states them.
    (text, *more), *others = [_said(date, precision, language) for date in dates_of(value)]
    exact = (
        "year"
        if precision == "year" or value.precision == YEAR
        else "month"
        if value.precision == MONTH
        else "day"
    )
    aliases = dict.fromkeys(
        (*more, *(wording for said in others for wording in said if wording != text))
    )
    asked = coarsened(value, PRECISIONS[exact])
    return Answer(value=asked, text=text, type="date", precision=exact, aliases=tuple(aliases))


def _century(year: int, language: str) -> tuple[str, ...]:
    """The usual wording of a year's century, and the English one if it differs."""
    number = (abs(year) - 1) // 100 + 1
    said = century_words(number, language, before_christ=year < 0)
    english = f"{Words.century(abs(year))}{' BC' if year < 0 else ''}"
    return (said, english) if said else (english,)


def _said(date: Date, precision: str, language: str) -> tuple[str, ...]:
    """The usual wording of a date, followed by other wordings."""
    english = _said_in_english(date, precision)
    if language == "en":
        return english
    is_year = precision == "year" or date.precision == YEAR
    month, day = (0, 0) if is_year else (date.month, date.day)
    return tuple(dict.fromkeys((date_words(date.year, month, day, language), *english)))


def _said_in_english(date: Date, precision: str) -> tuple[str, ...]:
    said = f"{abs(date.year)}{' BC' if date.year < 0 else ''}"
    if precision == "year" or date.precision == YEAR:
        return (said,)
    name, numbers = MONTHS[date.month - 1], f"{abs(date.year):04d}-{date.month:02d}"
    if date.precision == MONTH:
        return f"{name} {said}", numbers
    return f"{date.day} {name} {said}", f"{name} {date.day}, {said}", f"{numbers}-{date.day:02d}"


def telling(property_id: str, value: Value) -> float:
    """How much readers want to know a property's value, 0 to 1."""
    return property_use(property_id).weight * _BY_KIND.get(value.kind, BARE_NUMBER)
