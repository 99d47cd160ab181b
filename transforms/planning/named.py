"""What a page names, and which names hold other names: what somebody who reads gets for nothing."""

from questloom.knowledge.store.passages import pieces
from questloom.language.names_in_text import folded, stands_in
from questloom.records.knowledge import Value
from questloom.transforms.certificate.text_veto import article_names, spellings
from questloom.transforms.drafting.interest import TELLING_WORD
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.remembered import remembered

NUM_PASSAGES = 3
"""Passages of a page that a search shows (`questloom.agent.providers.local_provider`)."""


@remembered()
def page_names(facts: Facts, entity_id: str, value: Value) -> bool:
    """Whether a thing's page links a value or has its name; False where the thing has no page."""
    article = facts.article(entity_id)
    if article is None:
        return False
    return article_names(facts, article, value, spellings(facts, value))


@remembered()
def text_names(facts: Facts, text: str, value: Value) -> bool:
    """Whether a text has a name of a value."""
    return any(stands_in(name, text) for name in spellings(facts, value))


@remembered()
def find_shown_text(facts: Facts, entity_id: str, others: tuple[Value, ...]) -> str:
    """What a text search that finds a thing's page by others' names shows of it; "" where the thing has no page.

    A hit shows the passages that fit best, `NUM_PASSAGES` at most: a short page is shown whole, of a longer one what
    names the others. Its infobox is not searched.
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
    """What the search with a picture shows of the pictured thing beside its name."""
    entity = facts.entity(entity_id)
    return entity.descriptions.get("en", "") if entity else ""


@remembered()
def name_holds(facts: Facts, entity_id: str, other: str) -> bool:
    """Whether a thing's name gives another's away: "Vantascara Museum" the town, "Orla Dant" the family Dant.

    The other's name must lie in it as whole words, the longest of them of at least `TELLING_WORD` letters.
    """
    one, two = facts.entity(entity_id), facts.entity(other)
    if one is None or two is None:
        return False
    words, wanted = folded(one.label()).split(), folded(two.label()).split()
    return (
        bool(wanted)
        and max(map(len, wanted)) >= TELLING_WORD
        and any(words[i : i + len(wanted)] == wanted for i in range(len(words)))
    )
