"""Leaks: no text that the policy sees may contain a name of the answer or of a thing on the path.

Names are compared as whole words in all languages of the recipe. Case, accents, punctuation and
simple inflections of names do not matter. In scripts without spaces, names are compared character
by character. Numbers are searched for both as digits and as words.
"""

from questloom.knowledge.dates import dates_of
from questloom.language.names_in_text import leaked, names_of_entity, number_forms
from questloom.records.knowledge import Value
from questloom.records.periods import parts_of
from questloom.records.synthesis import Answer
from questloom.transforms.facts.lookups import Facts


def names_of_value(facts: Facts, value: Value, languages: tuple[str, ...]) -> tuple[str, ...]:
    """All names of a value: the names and aliases of an entity, the year and day of a date, the
    digits and words of a number."""
    match value.kind:
        case "entity":
            entity = facts.entity(value.entity)
            return names_of_entity(entity, languages) if entity else ()
        case "time":
            if value.year is None:
                return (str(abs(parts_of(value.time)[0])),)
            dates = dates_of(value)
            years = [
                form for date in dates for form in number_forms(float(abs(date.year)), languages[0])
            ]
            days = [
                f"{abs(date.year):04d}-{date.month:02d}-{date.day:02d}"
                for date in dates
                if date.day
            ]
            return tuple(dict.fromkeys((*years, *days)))
        case "quantity":
            return number_forms(float(value.number or 0.0), languages[0])
        case _:
            return (value.text,) if value.text else ()


def answer_names(facts: Facts, answer: Answer, languages: tuple[str, ...]) -> tuple[str, ...]:
    """All names of a question's answer."""
    return tuple(
        dict.fromkeys(
            (answer.text, *answer.aliases, *names_of_value(facts, answer.value, languages))
        )
    )


def find_leak(
    facts: Facts,
    texts: dict[str, str],
    hidden: dict[str, Value],
    answer: Answer,
    languages: tuple[str, ...],
) -> dict[str, str] | None:
    """Which text contains which hidden name; None if no text does.

    Args:
        texts: the texts that the policy sees, by kind: {"question": …, "caption": …, "picture": …}.
        hidden: the values of all variables of the form, by variable. Things that the question names
            on purpose are not hidden.
        answer: the expected answer.
        languages: codes of the languages in which names are compared.
    """
    for where, text in sorted(texts.items()):
        hit = leaked(text, answer_names(facts, answer, languages), languages)
        if hit:
            return {"where": where, "node": "answer", "name": hit}
        for var, value in sorted(hidden.items()):
            if value.kind != "entity":
                continue
            hit = leaked(text, names_of_value(facts, value, languages), languages)
            if hit:
                return {"where": where, "node": var, "name": hit}
    return None
