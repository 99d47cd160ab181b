"""The words with which an encyclopedia states a relation. The phrases for relations in questions
are in another module.

A *cue* is a regular expression for words in a sentence that state a relation. The mark `>` says
that the related thing comes after the cue in the sentence; `<` says that it comes before the cue. A
table lists the cues of common relations. Relations outside the table get cues from their phrases in
questions, their labels and their aliases.
"""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from questloom.language.relations import Hints, relation_table
from questloom.language.relations import relation as known_of
from questloom.prompts.phrases import property_phrase, verb_forms


@dataclass(frozen=True, kw_only=True)
class Relation:
    """What the oracle knows about a relation: its names, and no identifiers of things."""

    property: str
    """The relation's property id, which serves only to look up phrases."""
    label: str
    aliases: tuple[str, ...] = ()
    datatype: str = "wikibase-item"


@functools.cache
def with_object(kind: str) -> frozenset[str]:
    """The ids of the properties whose object is always of a given kind: "person", "place" or
    "noun".

    A "noun" is a common noun ("typhoid fever", "brown bear"). Pages write common nouns without a
    link and without a capital.
    """
    return frozenset(
        pid
        for pid, known in relation_table().relations.items()
        if known.hints and known.hints.object_is == kind
    )


@dataclass(frozen=True)
class Cue:
    """Words that state a relation, and whether the related thing comes before or after them."""

    words: re.Pattern[str]
    after: bool


@dataclass(frozen=True, kw_only=True)
class Cues:
    """The ways in which pages state one relation."""

    keys: tuple[str, ...]
    """Names of infobox parameters on the subject's page, most certain first."""
    weak_keys: frozenset[str]
    """The parameters in `keys` that mean something else on some pages."""
    subject: tuple[Cue, ...]
    """Cues (phrases for the relation) in sentences on the subject's page."""
    object: tuple[Cue, ...]
    """Cues (phrases for the relation) in sentences on the object's page."""
    words: str
    """Words with which to search for the relation."""


_COPULA = re.compile(r"^(?:is|was) (?=\S+ \S+)")
"""Matches "is" or "was" at the start of a phrase. The "is" or "was" of a phrase is removed, because
pages also say "a bridge designed by …"."""


def _cue(text: str) -> Cue:
    after = not text.startswith("<")
    words = text.strip("<>").strip()
    return Cue(
        re.compile(
            rf"(?<!\w){words}" if words[:1].isalpha() or words[:1] == "(" else words, re.IGNORECASE
        ),
        after,
    )


@functools.cache
def cues_of(relation: Relation, language: str = "en") -> Cues:
    """The cues of a relation: first those in the language's table, then those from its names and, in English, from its
    phrases."""
    hints = known_of(relation.property, language).hints or Hints()
    if language != "en":
        return _cues(relation, hints)
    phrase, verbs = property_phrase(relation.property, label=relation.label), verb_forms()
    said, said_of_object = phrase.predicates("s", verbs), phrase.predicates("o", verbs)
    own = [_from_phrase(t, "{o}") for t in said]
    others = [_from_phrase(t, "{s}") for t in said_of_object]
    return _cues(relation, hints, own, others, [*phrase.o[:1], *(_plain(t) for t in said[:2])])


def _cues(
    relation: Relation,
    hints: Hints,
    own: Sequence[Cue | None] = (),
    others: Sequence[Cue | None] = (),
    words: Sequence[str] = (),
) -> Cues:
    """The cues of a relation: those of the table, then the given ones for its subject's and its object's page."""
    named = (relation.label, *relation.aliases)
    names = [re.sub(r"\W+", "_", name.casefold()) for name in named]
    return Cues(
        keys=(*dict.fromkeys([*(k.lstrip("~") for k in hints.keys), *names]),),
        weak_keys=frozenset(k[1:] for k in hints.keys if k[0] == "~"),
        subject=tuple(c for c in (*map(_cue, hints.subject), *own) if c),
        object=tuple(c for c in (*map(_cue, hints.object), *others) if c),
        words=" ".join(dict.fromkeys([*named, *words])),
    )


def _plain(template: str) -> str:
    return _COPULA.sub("", re.sub(r"\{\w+\}|[“”]", "", template)).strip()


def _from_phrase(template: str, slot: str) -> Cue | None:
    """Makes a cue from a question's phrase. The cue is the words before the phrase's blank, or else
    the words after the blank."""
    before, _, behind = _COPULA.sub("", template).partition(slot)
    text, after = (before, True) if len(before.strip(" “")) > 2 else (behind, False)
    text = text.strip(" “”")
    return (
        Cue(re.compile(rf"(?<!\w){re.escape(text)}", re.IGNORECASE), after)
        if len(text) > 2
        else None
    )
