"""Vague clues in words: "set in a port", "set in a town with a two-word name", "not set in Velm", "twelve years after he died".

To the grammar a vague clue is a claim with a stand-in for its value, so it goes wherever a clue goes. What differs is here: the
stand-in's noun phrase, the negated sentence, and the years that are counted from another thing's date. A decade needs nothing: it is a date.
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
    """The claims that the words tell, in the form's order, and those of them that are vague clues with a stand-in for their value."""
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
    """The vague clues by their stand-ins; a date needs none."""
    return {
        claim.object.entity: clause
        for claim, clause in vague.items()
        if isinstance(claim.object, Value) and claim.object.kind == "entity"
    }


def name_like(clause: Fuzzy, noun: str, words: Words) -> str:
    """What a value is like, as a noun phrase: "a port", "a town with a two-word name", "a town whose name begins with K"."""
    said = words.indefinite(noun)
    if clause.initial:
        return f"{said} whose name begins with {clause.initial}"
    if clause.number:
        return f"{said} with a {NUMBER_WORDS[clause.number]}-word name"
    return said


def plain_phrase(phrase: PropertyPhrase, clause: Fuzzy) -> PropertyPhrase:
    """A relation's words where its value is not said: nothing stands before the noun, and nobody is called by what is denied."""
    phrase = replace(phrase, dated=False, adjective=False)
    return replace(phrase, o=(), s=(), ask=()) if clause.kind == "exclusion" else phrase


def negated(frame: Frame, bases: Mapping[str, str]) -> Frame:
    """A sentence denied.

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
    """The years from another thing's date: "twelve years after this bridge", "one year before he died".

    Args:
        clause: the arithmetic clue.
        frame: the sentence that the years end.
        since: the phrase of the other date.
        words: numbers.
        choose: picks one sentence.
        noun_phrase: names the other thing, as a subject or not.
    """
    count, relation = abs(clause.number), "after" if clause.number > 0 else "before"
    starts = [f for f in since.say if f.subject == "s" and not f.rest]
    alike = any((f.verb, f.middle) == (frame.verb, frame.middle) for f in starts)
    start = noun_phrase(False) if alike else choose(starts).gap(noun_phrase(True))
    return f"{words.number(count)} {'year' if count == 1 else 'years'} {relation} {start}"


def refers_forward(form: Form, text: str, shown: str) -> bool:
    """Whether "he" or "it" stands before the picture's thing was mentioned, where a vague clue counts years from a thing on the way."""
    if not any(isinstance(c.object, str) for c in form.of(Fuzzy)) or not form.of(Image):
        return False
    found = _BACK.search(text)
    return found is not None and found.start() < text.lower().find(shown.lower())
