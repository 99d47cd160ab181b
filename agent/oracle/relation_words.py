"""The words in which an encyclopedia states a relation, beyond the phrases of the questions.

A *cue* is a regular expression for a piece of a sentence. A mark shows where the other end of the relation stands: `>`
after the cue, `<` before it. The table lists cues of common relations. Relations outside the table get cues from their
question phrases, labels and aliases.
"""

import functools
import re
from dataclasses import dataclass

from questloom.language.relations import Hints, relation_table
from questloom.language.relations import relation as known_of
from questloom.prompts.phrases import property_phrase, verb_forms


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A relation as the oracle knows it: names without identifiers of things."""

    property: str
    """The property id, which is the key for looking up phrases."""
    label: str
    aliases: tuple[str, ...] = ()
    datatype: str = "wikibase-item"


@functools.cache
def with_object(kind: str) -> frozenset[str]:
    """The properties whose object is always a "person", a "place" or a common "noun".

    A common noun ("typhoid fever", "brown bear") has neither a link nor a capital.
    """
    return frozenset(
        pid
        for pid, known in relation_table().relations.items()
        if known.hints and known.hints.object_is == kind
    )


@dataclass(frozen=True)
class Cue:
    """Words that state a relation, and the side on which the other end stands."""

    words: re.Pattern[str]
    after: bool


@dataclass(frozen=True, kw_only=True)
class Cues:
    """The ways in which pages state a relation."""

    keys: tuple[str, ...]
    """Infobox parameters on the subject's page, the most certain first."""
    weak_keys: frozenset[str]
    """The parameters among `keys` that have another meaning on some pages."""
    subject: tuple[Cue, ...]
    """Cues in sentences of the subject's page."""
    object: tuple[Cue, ...]
    """Cues in sentences of the object's page."""
    words: str
    """Key words for a search."""


_COPULA = re.compile(r"^(?:is|was) (?=\S+ \S+)")
"""Matches a leading "is" or "was", which is dropped because pages also say "a bridge designed by …"."""


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
    """The cues of a relation: first those of the table, then those of its phrases and names."""
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
    """The cue of a phrase: the words before the slot, else the words after it."""
    before, _, behind = _COPULA.sub("", template).partition(slot)
    text, after = (before, True) if len(before.strip(" “")) > 2 else (behind, False)
    text = text.strip(" “”")
    return (
        Cue(re.compile(rf"(?<!\w){re.escape(text)}", re.IGNORECASE), after)
        if len(text) > 2
        else None
    )
