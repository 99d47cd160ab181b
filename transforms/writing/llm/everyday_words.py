"""Finds the everyday words for things. The everyday word for a thing is the common word for its
class ("town"). The everyday word for a person is the word for the person's role in a relation
("painter", for a painting's creator). The module also makes the question for the value of a
property. The graph writer uses the same everyday words, and test readers accepted them.
"""

from collections.abc import Iterable
from typing import Any

from questloom.language.names_in_text import HUMAN
from questloom.language.relations import relation
from questloom.prompts.phrases import property_phrase, variants
from questloom.records.form import Ask, ClaimClause, Form
from questloom.records.knowledge import Claim, Value, entity_value
from questloom.records.names import codes_of
from questloom.transforms.remembered import remembered
from questloom.transforms.writing.answers import answer_of
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.label_source import StoreWords
from questloom.transforms.writing.llm.relation_words import LANGUAGE

VAGUE_NOUN = "thing"
"""The noun for a thing whose kind the store does not know. (A question never says "which thing".)"""
Role = tuple[str, str, str]
"""A claim about a person: subject, property, and the person who gets a role."""


@remembered(1)
def _form_words(store: Any) -> FormWords:
    return FormWords(
        form=Form(clauses=(), ask=Ask(var="a", type="entity")),
        names={},
        classes={},
        genders={},
        years={},
        facts=StoreWords(store),
        language=LANGUAGE,
    )


def noun_of(store: Any, entity_id: str, language: str) -> str:
    """The common noun for the kind of a thing ("town" for a municipality of the Netherlands); ""
    where there is none. Only English has a list of common nouns. In another language, the noun is
    the label of the thing's class."""
    words = _form_words(store)
    class_id = words.class_id(entity_value(entity_id))
    if language == LANGUAGE:
        return words.class_noun(class_id) if class_id else ""
    found = store.entity(class_id) if class_id else None
    labels = found.labels if found is not None else {}
    return next((label for code in codes_of(language) if (label := labels.get(code))), "")


def role_nouns(store: Any, roles: Iterable[Role], person: str, language: str) -> tuple[str, ...]:
    """The roles that claims give a person: "painter" for the creator of a painting, "sculptor" for
    the creator of a sculpture. Works only for English, like `noun_of`."""
    entity = store.entity(person)
    if (
        language != LANGUAGE
        or entity is None
        or HUMAN not in (*entity.classes, *entity.class_closure)
    ):
        return ()
    found = [
        noun
        for subject, property_id, who in roles
        if who == person
        for noun in _phrase_nouns(store, subject, property_id)
    ]
    return tuple(dict.fromkeys(reversed(found)))


def _phrase_nouns(store: Any, subject: str, property_id: str) -> tuple[str, ...]:
    if relation(property_id).say is None:
        return ()
    return (
        _form_words(store)
        .phrase(ClaimClause(subject=entity_value(subject), property=property_id, object="a"))
        .o
    )


def find_role_nouns(
    store: Any, roles: Iterable[Role], language: str
) -> tuple[frozenset[str], frozenset[str]]:
    """Two sets of nouns for people's roles. The first set has the right nouns for the objects of
    the claims ("sculptor" for the creator of a sculpture). The second set has nouns that would be
    right if the subjects were of another kind ("painter" for the creator of a painting). A question
    must not use the second set: nobody is the painter of a sculpture."""
    told, other = set[str](), set[str]()
    for subject, property_id, _ in roles if language == LANGUAGE else ():
        told.update(_phrase_nouns(store, subject, property_id))
        if _form_words(store).kinds(entity_value(subject)) and relation(property_id).say:
            other.update(n for phrase in variants(property_phrase(property_id)) for n in phrase.o)
    return frozenset(told), frozenset(other - told)


@remembered(1)
def _english(store: Any) -> English:
    return English(store, recipe_seed=0)


def word_claim(store: Any, claim: Claim, language: str) -> str:
    """A claim between two things as people say it ("Ada Orm painted View of Merren"); "" where the
    property has no sentence for both names."""
    if language != LANGUAGE or claim.value.kind != "entity" or relation(claim.property).say is None:
        return ""
    words, subject = _form_words(store), entity_value(claim.subject)
    clause = ClaimClause(subject=subject, property=claim.property, object=claim.value)
    frame = words.phrase(clause).say[0]
    if frame.other not in ("s", "o"):
        return ""
    ends = {"s": words.name(subject), "o": words.name(claim.value)}
    return frame.statement(ends[frame.subject], ends[frame.other])


def word_question(
    store: Any, subject: str, property_id: str, value: Value, language: str, precision: str = ""
) -> str:
    """The usual question for a value of a named thing ("What is the range of Ardwen Light, in
    nautical miles?"); "" where the property has no phrase. A date is asked for with the given
    precision, or with its own."""
    answer = answer_of(store, value) if language == LANGUAGE and relation(property_id).say else None
    if answer is None:
        return ""
    ask = Ask(var="a", type=answer.type, unit=answer.unit, precision=precision or answer.precision)
    form = Form(
        clauses=(ClaimClause(subject=entity_value(subject), property=property_id, object="a"),),
        ask=ask,
    )
    said = _english(store).question(form, {"a": value.key()}, subject)
    return "" if said.problems or f" {VAGUE_NOUN} " in said.text else said.text
