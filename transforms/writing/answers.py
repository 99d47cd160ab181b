"""A claim's value as a typed answer: its words, its aliases, the precision that the question asks for, and how much people like to know it."""
from knowledge.dates import PRECISIONS, coarsened
from prompts.phrases import property_use
from prompts.phrases.words import Words
from records.knowledge import Value
from records.synthesis import Answer
from transforms.certificate.facts import Facts

MAX_ANSWER_WORDS = 6
"""The default of the recipe's limit, `DraftRules.max_answer_words` (OpenSearch-VL, App.: at most 6 tokens)."""
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
_BY_KIND = {"entity": 1.0, "string": 0.9, "monolingual": 0.9}
"""How telling an answer is by its kind: a name is remembered."""
BARE_NUMBER = 0.3
"""How telling any other answer is: nobody remembers the founding year of a town, nor a height."""


def in_words(max_answer_words: int) -> str:
    """The recipe's limit as prompts say it.

    >>> in_words(1), in_words(6)
    ('one word', 'six words')
    """
    return f"{Words({}).number(max_answer_words)} word{'s' if max_answer_words > 1 else ''}"


def short(answer: Answer, max_answer_words: int) -> Answer:
    """The answer, if it has no more words than the recipe allows. Raises ValueError, with words for the model."""
    if len(answer.text.split()) > max_answer_words:
        raise ValueError(f"the answer {answer.text!r} is longer than {in_words(max_answer_words)}")
    return answer


def answer_of(facts: Facts, value: Value, unit_label: str = "", precision: str = "") -> Answer | None:
    """The answer that a value is, or None for a kind that is no good answer.

    Args:
        facts: for labels of entities and units.
        value: the value.
        unit_label: the unit's name, where the value has one and the caller knows better than the label.
        precision: "year" or "century" to ask for less than the value holds.
    """
    match value.kind:
        case "entity":
            entity = facts.entity(value.entity)
            if entity is None or not entity.labels:
                return None
            names = tuple(n for n in entity.names(("en",)) if n != entity.label())
            return Answer(value=value, text=entity.label(), type="entity", aliases=names)
        case "time" if value.year is not None:
            return _date(value, precision)
        case "quantity" if value.number is not None:
            entity = facts.entity(value.unit) if value.unit else None
            unit = unit_label or (entity.label() if entity else "")
            number = f"{value.number:,.10g}" if abs(value.number) >= 10_000 else f"{value.number:.10g}"
            plain = f"{value.number:.10g}"
            return Answer(value=value, text=plain, type="quantity", unit=unit, aliases=() if number == plain else (number,))
        case "string" | "monolingual" if value.text.strip():
            return Answer(value=value, text=value.text.strip(), type="string")
    return None


def _date(value: Value, precision: str) -> Answer:
    year, month, day = ([*value.time.lstrip("+-")[:10].split("-"), "00", "00"])[:3]
    era = " BC" if value.time.startswith("-") else ""
    said = f"{int(year)}{era}"
    if precision == "century":
        return Answer(value=coarsened(value, PRECISIONS[precision]), text=f"{Words.century(int(year))}{era}", type="date", precision=precision)
    if precision == "year" or value.precision == 9:
        return Answer(value=coarsened(value, PRECISIONS["year"]), text=said, type="date", precision="year")
    name = MONTHS[int(month) - 1]
    if value.precision == 10:
        return Answer(value=value, text=f"{name} {said}", type="date", precision="month", aliases=(f"{year}-{month}",))
    return Answer(value=value, text=f"{int(day)} {name} {said}", type="date", precision="day",
                  aliases=(f"{name} {int(day)}, {said}", f"{year}-{month}-{day}"))


def telling(property_id: str, value: Value) -> float:
    """How much people like to know a property's value, 0 to 1."""
    return property_use(property_id).weight * _BY_KIND.get(value.kind, BARE_NUMBER)
