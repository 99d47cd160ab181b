"""What a page names, and which names hold other names: what somebody who reads gets for nothing."""

from questloom.language.names_in_text import folded
from questloom.records.knowledge import Value
from questloom.transforms.certificate.text_veto import article_names, spellings
from questloom.transforms.drafting.interest import TELLING_WORD
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.remembered import remembered


@remembered()
def page_names(facts: Facts, entity_id: str, value: Value) -> bool:
    """Whether a thing's page links a value or has its name; False where the thing has no page."""
    article = facts.article(entity_id)
    if article is None:
        return False
    return article_names(facts, article, value, spellings(facts, value))


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
