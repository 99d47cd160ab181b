"""In which words an encyclopedia states a relation: what the oracle's reading knows of English beyond the question's own phrases.

A *cue* is a piece of a sentence, as an expression, with a mark for where the other end of the relation stands: `>` behind it, `<` before it.
Relations that the table does not list get their cues from the phrases that questions are written with, and from label and aliases.
"""

import functools
import re
from dataclasses import dataclass

from questloom.language.relations import Hints, relation_table
from questloom.language.relations import relation as known_of
from questloom.prompts.phrases import property_phrase, verb_forms


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A relation as the oracle is told of it: names, no identifiers of things."""

    property: str
    """Property id; with it the phrases are looked up."""
    label: str
    aliases: tuple[str, ...] = ()
    datatype: str = "wikibase-item"


@functools.cache
def with_object(kind: str) -> frozenset[str]:
    """The properties at whose object's end always a "person", a "place" or a common "noun" stands.

    A common noun ("typhoid fever", "brown bear") is what no link and no capital shows.
    """
    return frozenset(
        pid
        for pid, known in relation_table().relations.items()
        if known.hints and known.hints.object_is == kind
    )


@dataclass(frozen=True)
class Cue:
    """Words that state a relation, and on which side the other end stands."""

    words: re.Pattern[str]
    after: bool


@dataclass(frozen=True, kw_only=True)
class Cues:
    """How a relation is stated."""

    keys: tuple[str, ...]
    """Infobox parameters on the subject's page, the surest first."""
    weak_keys: frozenset[str]
    """Those of them that hold something else on other pages."""
    subject: tuple[Cue, ...]
    """In sentences of the subject's page."""
    object: tuple[Cue, ...]
    """In sentences of the object's page."""
    words: str
    """What to search for, in key words."""


_COPULA = re.compile(r"^(?:is|was) (?=\S+ \S+)")
"""Pages say "a bridge designed by …" too."""


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
def cues_of(relation: Relation) -> Cues:
    """How a relation is stated: the table's cues first, then those of its phrases and names."""
    hints = known_of(relation.property).hints or Hints()
    phrase, verbs = property_phrase(relation.property, label=relation.label), verb_forms()
    said, said_of_object = phrase.predicates("s", verbs), phrase.predicates("o", verbs)
    names = [re.sub(r"\W+", "_", name.casefold()) for name in (relation.label, *relation.aliases)]
    own = [*map(_cue, hints.subject), *(_from_phrase(t, "{o}") for t in said)]
    others = [*map(_cue, hints.object), *(_from_phrase(t, "{s}") for t in said_of_object)]
    words = " ".join(
        dict.fromkeys(
            [relation.label, *relation.aliases, *phrase.o[:1], *(_plain(t) for t in said[:2])]
        )
    )
    return Cues(
        keys=(*dict.fromkeys([*(k.lstrip("~") for k in hints.keys), *names]),),
        weak_keys=frozenset(k[1:] for k in hints.keys if k[0] == "~"),
        subject=tuple(c for c in own if c),
        object=tuple(c for c in others if c),
        words=words,
    )


def _plain(template: str) -> str:
    return _COPULA.sub("", re.sub(r"\{\w+\}|[“”]", "", template)).strip()


def _from_phrase(template: str, slot: str) -> Cue | None:
    """The cue of a phrase: what stands before the slot, else what stands behind it."""
    before, _, behind = _COPULA.sub("", template).partition(slot)
    text, after = (before, True) if len(before.strip(" “")) > 2 else (behind, False)
    text = text.strip(" “”")
    return (
        Cue(re.compile(rf"(?<!\w){re.escape(text)}", re.IGNORECASE), after)
        if len(text) > 2
        else None
    )
