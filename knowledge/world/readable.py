"""Writes names and values as people do: "the" before names, dates, measures with their conversion."""

import random

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import Thing
from questloom.language.english import MONTHS
from questloom.records.knowledge import Value

WITH_ARTICLE = {
    "river",
    "sea",
    "range",
    "war",
    "order",
    "party",
    "league",
    "movement",
    "battle",
    "family",
    "agency",
    "wreck",
    "expedition",
    "national_museum",
    "university",
    "museum",
    "observatory",
    "theatre",
    "library",
    "festival",
    "election",
    "flood",
    "tournament",
    "newspaper",
    "orchestra",
    "prize",
    "organ",
    "style",
}
SYMBOLS = {
    "metre": "m",
    "kilometre": "km",
    "centimetre": "cm",
    "kilogram": "kg",
    "tonne": "t",
    "square kilometre": "km2",
    "nautical mile": "nmi",
}
CONVERTED = {"m": "ft", "km": "mi", "cm": "in", "kg": "lb", "t": "LT", "km2": "sqmi", "nmi": "km"}
UNIT_NAMES = {qid: name for name, qid in vocabulary.groups()["unit"].items()}


def mention(thing: Thing) -> str:
    """The name of a thing inside a sentence, with "the" where English needs it."""
    label = thing.label.removesuffix(" (locomotive)")
    return f"the {label}" if thing.kind in WITH_ARTICLE and not label.startswith("The ") else label


def hint(thing: Thing) -> str:
    """The words in brackets after an ambiguous name in a title: "born 1825", "1957 film"; "" for an unambiguous name."""
    return thing.title.removeprefix(thing.label).strip(" ()")


def article_for(noun: str) -> str:
    """The noun with its article: "an arch bridge", "a lighthouse"."""
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def unit_words(value: Value, rng: random.Random) -> str:
    """A quantity in wikitext, either with {{convert}} or in words."""
    number = number_text(value.number or 0)
    name = UNIT_NAMES.get(value.unit, "")
    if not name:
        return number
    symbol = SYMBOLS.get(name)
    if symbol and rng.random() < 0.6:
        return (
            "{{convert|" + number.replace(",", "") + f"|{symbol}|{CONVERTED[symbol]}" + "|abbr=on}}"
        )
    return f"{number} {name if value.number == 1 else name + 's'}".replace("metress", "metres")


def number_text(number: float) -> str:
    """A number with thousands separators: "12,400", "3.5"."""
    return f"{int(number):,}" if number == int(number) else f"{number:g}"


def value_text(value: Value, label: str = "") -> str:
    """A value in plain words: an item's label, a date, a number with its unit."""
    match value.kind:
        case "entity":
            return label or value.entity
        case "time":
            if value.precision >= 11:
                return f"{int(value.time[9:11])} {MONTHS[int(value.time[6:8]) - 1]} {value.year}"
            return str(value.year)
        case "quantity":
            name = UNIT_NAMES.get(value.unit, "")
            return f"{number_text(value.number or 0)} {name}".strip()
        case "coordinate":
            return f"{value.latitude}, {value.longitude}"
        case _:
            return value.text
