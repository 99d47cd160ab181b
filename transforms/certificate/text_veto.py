"""The text veto: reads the article about a rival before a missing fact counts as a gap. The rival's
article, infobox and links are searched for the missing value.

An encyclopedia often states more than the store's claims. If the missing value is found, the margin
becomes smaller. If the missing value is not found, this proves nothing.
"""

from questloom.knowledge.dates import dates_of
from questloom.language.amounts import COMMA_DECIMALS
from questloom.language.names_in_text import stands_in
from questloom.records.knowledge import Article, Value
from questloom.transforms.certificate.description import Part
from questloom.transforms.facts.lookups import Facts, languages_of

_COMMAS = str.maketrans(",.", ".,")


def text_says(facts: Facts, rival: str, part: Part) -> bool:
    """Whether the rival's article names the value that is missing from the claims. If the article
    names the value, the rival may fit."""
    if part.role == "kind":
        return False
    assert part.value is not None
    about, wanted = (
        (rival, part.value)
        if part.role in ("has", "range", "sentence")
        else (part.value.entity, None)
    )
    article = facts.article(about)
    if article is None or part.role == "range":
        return False
    value = wanted or Value(kind="entity", entity=rival)
    return article_names(facts, article, value, names_of(facts, value))


def article_names(facts: Facts, article: Article, value: Value, names: tuple[str, ...]) -> bool:
    """Whether an article links to the value's own article, or has one of the value's names in its
    text or infobox."""
    if not names:
        return False
    if value.kind == "entity":
        other = facts.article(value.entity)
        if other is not None and any(link.target == other.title for link in article.links):
            return True
    texts = [*(s.text for s in article.sections), *(f.text for f in article.infobox)]
    return any(stands_in(name, text) for text in texts for name in names)


def names_of(facts: Facts, value: Value) -> tuple[str, ...]:
    """The words that an article would use for a value."""
    if value.kind == "entity":
        entity = facts.entity(value.entity)
        return tuple(n for n in entity.names(languages_of(facts)) if len(n) > 2) if entity else ()
    if value.kind == "time" and value.year is not None:
        return tuple(dict.fromkeys(str(abs(date.year)) for date in dates_of(value)))
    if value.kind == "quantity" and value.number is not None:
        return _written(facts, f"{value.number:g}") if abs(value.number) >= 10 else ()
    return (value.text,) if len(value.text) > 2 else ()


def spellings(facts: Facts, value: Value) -> tuple[str, ...]:
    """The words that a text may use for a value: the result of `names_of`, and numbers with and
    without thousands separators."""
    if value.kind == "quantity" and value.number is not None:
        return _written(facts, f"{value.number:.12g}", f"{value.number:,.12g}")
    return names_of(facts, value)


def _written(facts: Facts, *numbers: str) -> tuple[str, ...]:
    """Numbers as the pages write them: German pages write 12,345.6 as 12.345,6 and 12 345,6."""
    swapped = (
        [n.translate(_COMMAS) for n in numbers] if facts.edition in COMMA_DECIMALS else numbers
    )
    return tuple(dict.fromkeys(swapped))
