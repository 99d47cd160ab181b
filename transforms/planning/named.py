"""Finds the names on a page, and names that contain other names. A reader of a page or name learns
the names in it without another call."""

from questloom.knowledge.store.passages import pieces
from questloom.language.names_in_text import folded, stands_in
from questloom.records.knowledge import Value
from questloom.transforms.certificate.text_veto import article_names, spellings
from questloom.transforms.drafting.interest import TELLING_WORD
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.remembered import remembered

NUM_PASSAGES = 3
"""Number of passages of a page that a search shows (`questloom.agent.providers.local_provider`)."""


@remembered()
def page_names(facts: Facts, entity_id: str, value: Value) -> bool:
    """Whether a thing's page links to a value or contains its name; False where the thing has no page."""
    article = facts.article(entity_id)
    if article is None:
        return False
    return article_names(facts, article, value, spellings(facts, value))


@remembered()
def text_names(facts: Facts, text: str, value: Value) -> bool:
    """Whether a text contains one of the names of a value."""
    return any(stands_in(name, text) for name in spellings(facts, value))


@remembered()
def find_shown_text(facts: Facts, entity_id: str, others: tuple[Value, ...]) -> str:
    """The part of a thing's page that a search shows when the search finds the page by other names;
    "" where the thing has no page.

    A search result shows at most `NUM_PASSAGES` passages, those that fit best. A short page is
    shown whole; a longer page shows the passages with the other names. The search does not look at
    the infobox.
    """
    article = facts.article(entity_id)
    if article is None:
        return ""
    texts = [
        section.text[start:stop]
        for section in article.sections
        for start, stop in pieces(section.text)
    ]
    if len(texts) > NUM_PASSAGES:
        texts = [t for t in texts if any(text_names(facts, t, other) for other in others)]
    return "\n".join(texts)


def find_description(facts: Facts, entity_id: str) -> str:
    """The text that an image search shows beside the name of the pictured thing."""
    entity = facts.entity(entity_id)
    return entity.description(facts.edition) if entity else ""


@remembered()
def name_holds(facts: Facts, entity_id: str, other: str) -> bool:
    """Whether a thing's name reveals another thing's name. "Vantascara Museum" reveals the town
    Vantascara, and "Orla Dant" reveals the family Dant.

    The thing's name must contain the other name as whole words. The longest word of the other name
    must have at least `TELLING_WORD` letters.
    """
    one, two = facts.entity(entity_id), facts.entity(other)
    if one is None or two is None:
        return False
    words, wanted = (folded(e.label(facts.language)).split() for e in (one, two))
    return (
        bool(wanted)
        and max(map(len, wanted)) >= TELLING_WORD
        and any(words[i : i + len(wanted)] == wanted for i in range(len(words)))
    )
