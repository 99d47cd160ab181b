"""Finds words for a thing's kind in its class, and at the beginning of its description."""

import itertools
from collections.abc import Iterable
from typing import Any

from questloom.language.names_in_text import HUMAN, folded
from questloom.transforms.writing.llm.everyday_words import noun_of
from questloom.transforms.writing.llm.question_checks import FUNCTION_WORDS
from questloom.transforms.writing.llm.relation_words import LANGUAGE

MAX_KIND_WORDS = 4
SMALL_WORDS = frozenset(w for words in FUNCTION_WORDS.values() for w in words.split())
_TELLS_MORE = frozenset(
    "by built in at on from near with that which who where made painted launched located situated designed written".split()
)


def noun_phrase(description: str) -> str:
    """The beginning of a description, up to the first detail: "Medieval triptych" of "Medieval
    triptych by Ada Orm (1480)".

    >>> [noun_phrase(text) for text in ("schooner built in Merren", "species of bird in Norland", "Museum of Tolm")]
    ['schooner', 'species of bird', 'Museum']
    """
    words = description.split()
    start = next((place for place, word in enumerate(words) if word[0].islower()), len(words))
    kept = [
        *words[:start],
        *itertools.takewhile(
            lambda word: word[0].islower() and word not in _TELLS_MORE, words[start:]
        ),
    ]
    while kept and kept[-1] in SMALL_WORDS:
        kept.pop()
    return " ".join(kept).rstrip(",;.")


def description_kind(store: Any, entity_id: str, language: str) -> str:
    """The kind that stands at the beginning of a thing's English description: "species of bird", or
    "triptych" of "Medieval triptych". The result for a person is "", because a person's description
    states too much. The result for another language is "" too."""
    entity = store.entity(entity_id)
    if language != LANGUAGE or entity is None or HUMAN in (*entity.classes, *entity.class_closure):
        return ""
    told = noun_phrase(entity.descriptions.get(language, "")).split()
    kind = list(itertools.dropwhile(lambda word: not word[0].islower(), told))
    if (
        not kind or kind[0] in SMALL_WORDS
    ):  # the noun itself has the capital of a sentence: "Painting by Ada Orm", "Book of hours"
        kind = (
            [told[0].lower(), *kind]
            if told and len(told) == len(kind) + 1 and told[0].isalpha()
            else []
        )
    return " ".join(kind)


def find_descriptor(store: Any, entity_id: str, language: str) -> str:
    """The word for a thing's kind in a question: the common noun for its class, otherwise the
    beginning of its description.

    The word must not be more specific than the class that the form states. "The fish that she
    discovered" may fit three species, and a more specific word would reveal the answer without the
    picture.
    """
    return noun_of(store, entity_id, language) or description_kind(store, entity_id, language)


def seen_kind(store: Any, entity_id: str, language: str) -> str:
    """The word for the kind of the pictured thing. The beginning of the thing's description is used
    if it is more specific ("oil painting"), since everybody sees the thing."""
    noun, told = noun_of(store, entity_id, language), description_kind(store, entity_id, language)
    closer = (
        noun in told.split() and len(told.split()) <= MAX_KIND_WORDS and "and" not in told.split()
    )
    return told if closer or not noun else noun


def find_descriptor_words(
    store: Any, entity_ids: Iterable[str], language: str, anchor: str = ""
) -> frozenset[str]:
    """All words with which questions may name the kinds of the given things. The words come from
    prompts and from the description of the pictured thing."""
    seen = (
        [kind(store, anchor, language) for kind in (description_kind, seen_kind)] if anchor else []
    )
    kinds = [*(find_descriptor(store, e, language) for e in entity_ids), *seen]
    return frozenset(word for kind in kinds for word in folded(kind).split()) - SMALL_WORDS
