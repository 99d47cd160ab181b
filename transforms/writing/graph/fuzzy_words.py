"""Puts vague clues into words: "set in a port", "set in a town with a two-word name", "not set in
Velm", "twelve years after he died".

The grammar treats a vague clue like a claim, with a stand-in in place of the value. This module
makes the words that only vague clues need: the noun phrase for the stand-in, negated sentences, and
years counted from another thing's date. A decade needs no stand-in, since it is a date.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from questloom.language.english import NUMBER_WORDS
from questloom.language.frames import BE, Frame
from questloom.language.relations import PropertyPhrase
from questloom.prompts.phrases.words import Words
from questloom.records.form import ClaimClause, Form, Fuzzy, Image
from questloom.records.knowledge import Value, entity_value

_STAND_IN = "fuzzy"
_BACK = re.compile(r"\b(?:he|him|his|she|her|it|its)\b", re.IGNORECASE)


def tellable_claims(form: Form) -> tuple[tuple[ClaimClause, ...], dict[ClaimClause, Fuzzy]]:
    """The claims that must be put into words, in the order of the form. Vague clues appear as
    claims with a stand-in for the value. The second result maps each claim with a stand-in to its
    vague clue."""
    claims: list[ClaimClause] = []
    vague: dict[ClaimClause, Fuzzy] = {}
    for clause in form.clauses:
        if isinstance(clause, ClaimClause):
            claims.append(clause)
        elif isinstance(clause, Fuzzy):
            value = (
                clause.object
                if clause.kind == "range"
                else entity_value(f"{_STAND_IN}{len(claims)}")
            )
            claim = ClaimClause(subject=clause.subject, property=clause.property, object=value)
            claims.append(claim)
            vague[claim] = clause
    return tuple(claims), vague


def by_stand_in(vague: Mapping[ClaimClause, Fuzzy]) -> dict[str, Fuzzy]:
    """Maps each stand-in to its vague clue. (A date needs no stand-in.)"""
    return {
        claim.object.entity: clause
        for claim, clause in vague.items()
        if isinstance(claim.object, Value) and claim.object.kind == "entity"
    }


def name_like(clause: Fuzzy, noun: str, words: Words) -> str:
    """A noun phrase for a vague value: "a port", "a town with a two-word name", "a town whose name begins with K"."""
    said = words.indefinite(noun)
    if clause.initial:
        return f"{said} whose name begins with {clause.initial}"
    if clause.number:
        return f"{said} with a {NUMBER_WORDS[clause.number]}-word name"
    return said


def plain_phrase(phrase: PropertyPhrase, clause: Fuzzy) -> PropertyPhrase:
    """The words for a relation with a vague value, without adjectives. For an exclusion ("not set
    in Velm"), the words also contain no nouns such as "architect"."""
    phrase = replace(phrase, dated=False, adjective=False)
    return replace(phrase, o=(), s=(), ask=()) if clause.kind == "exclusion" else phrase


def negated(frame: Frame, bases: Mapping[str, str]) -> Frame:
    """Negates a sentence.

    >>> negated(Frame.parse("{s} was set in {o}"), {}).predicate("Velm")
    'was not set in Velm'
    >>> negated(Frame.parse("{s} stands in {o}"), {"stands": "stand"}).predicate("Velm")
    'does not stand in Velm'
    """
    if frame.verb in BE:
        return replace(frame, middle=f"not {frame.middle}".strip())
    verb = "did" if frame.is_past else "does"
    return replace(frame, verb=verb, middle=f"not {bases[frame.verb]} {frame.middle}".strip())


def years_from(
    clause: Fuzzy,
    frame: Frame,
    since: PropertyPhrase,
    words: Words,
    choose: Callable[[Sequence[Frame]], Frame],
    noun_phrase: Callable[[bool], str],
) -> str:
    """The words for years counted from another thing's date: "twelve years after this bridge", "one
    year before he died".

    Args:
        clause: the arithmetic clue.
        frame: the sentence that ends with the words for the years.
        since: the phrase for the date from which the years are counted ("was born").
        words: puts numbers into words.
        choose: picks one of several sentences.
        noun_phrase: gives the words for the other thing; the argument says whether it is a subject.
    """
    count, relation = abs(clause.number), "after" if clause.number > 0 else "before"
    starts = [f for f in since.say if f.subject == "s" and not f.rest]
    alike = any((f.verb, f.middle) == (frame.verb, frame.middle) for f in starts)
    start = noun_phrase(False) if alike else choose(starts).gap(noun_phrase(True))
    return f"{words.number(count)} {'year' if count == 1 else 'years'} {relation} {start}"


def refers_forward(form: Form, text: str, shown: str) -> bool:
    """Whether a text says "he" or "it" before it mentions the pictured thing. Only forms with a
    vague clue that counts years are checked."""
    if not any(isinstance(c.object, str) for c in form.of(Fuzzy)) or not form.of(Image):
        return False
    found = _BACK.search(text)
    return found is not None and found.start() < text.lower().find(shown.lower())
