"""Puts claims into words for prompts: the relation, the value, and the page's own words for the
relation."""

from questloom.prompts.phrases.words import answer_words
from questloom.records.knowledge import Claim, Value
from questloom.transforms.certificate.stating import statement_of
from questloom.transforms.writing.answers import answer_of
from questloom.transforms.writing.llm.relation_words import relation_words

NO_PAGE = " (on no page)"
"""The text that follows a claim like "inception" in a prompt, if no page tells which event the
claim means."""


def property_label(store, property_id: str, language: str) -> str:
    """A property's label, or the property's id where the store has no label."""
    info = store.property(property_id)
    return info.label(language) if info else property_id


def value_words(store, value: Value, language: str) -> str:
    """The words for a value in prompts; "" for a kind of value that questions do not mention."""
    if value.kind == "entity":
        name = store.label(value.entity, language)
        return "" if name == value.entity else name
    answer = answer_of(store, value, language=language)
    return "" if answer is None else answer_words(answer, language)


def page_words(store, claim: Claim | None) -> str:
    """The page's words for a claim whose relation names no particular event: "inception" may mean a
    founding, a charter or a first mention."""
    if claim is None or not relation_words(claim.property, claim.property).events:
        return ""
    said = statement_of(store, claim)
    return NO_PAGE if said is None else f' (the page: "{" ".join(said.text.split())}")'
