"""In which words an encyclopedia states a relation: what the oracle's reading knows of English beyond the question's own phrases.

A *cue* is a piece of a sentence, as an expression, with a mark for where the other end of the relation stands: `>` behind it, `<` before it.
Relations that the table does not list get their cues from the phrases that questions are written with, and from label and aliases.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from questloom.prompts.phrases import property_phrase, verb_forms


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A relation as the oracle is told of it: names, no identifiers of things."""

    property: str
    """Property id; with it the phrases are looked up."""
    label: str
    aliases: tuple[str, ...] = ()
    datatype: str = "wikibase-item"


OF_PERSONS = frozenset(
    [
        "P22",
        "P25",
        "P26",
        "P40",
        "P50",
        "P57",
        "P61",
        "P84",
        "P86",
        "P161",
        "P170",
        "P287",
        "P631",
        "P1066",
        "P3373",
    ]
)
"""Relations at whose object's end a person stands, always."""
OF_PLACES = frozenset(
    "P17 P19 P20 P36 P47 P119 P131 P159 P177 P189 P206 P276 P403 P504 P610 P706 P840 P885 P937 P1071 P1427 P1444 P4552".split()
)
"""Those at whose object's end no person stands."""

OF_NOUNS = frozenset(["P509", "P822"])
"""Those at whose object's end a common noun stands ("typhoid fever", "brown bear"), which no link and no capital shows."""


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
_FILE = Path(__file__).with_name("relations.txt")


@functools.cache
def _table() -> dict[str, tuple[str, str, str]]:
    lines = (
        line
        for line in _FILE.read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    )
    rows = [[cell.strip() for cell in re.split(r"\s\|(?=\s|$)", line)] for line in lines]
    return {row[0]: (row[1], row[2], row[3] if len(row) > 3 else "") for row in rows}


def _cue(text: str) -> Cue:
    after = not text.startswith("<")
    words = text.strip("<>").strip()
    return Cue(
        re.compile(
            rf"(?<!\w){words}" if words[:1].isalpha() or words[:1] == "(" else words, re.IGNORECASE
        ),
        after,
    )


def _cues(cell: str) -> list[Cue]:
    """A cell's cues; a semicolon in brackets parts nothing."""
    return [_cue(text.strip()) for text in re.split(r";(?![^\[]*\])", cell) if text.strip()]


@functools.cache
def cues_of(relation: Relation) -> Cues:
    """How a relation is stated: the table's cues first, then those of its phrases and names."""
    keys, subject, object_ = _table().get(relation.property, ("", "", ""))
    phrase, verbs = property_phrase(relation.property, label=relation.label), verb_forms()
    said, said_of_object = phrase.predicates("s", verbs), phrase.predicates("o", verbs)
    known = [key for key in keys.split() if key]
    names = [re.sub(r"\W+", "_", name.casefold()) for name in (relation.label, *relation.aliases)]
    own = [*_cues(subject), *(_from_phrase(t, "{o}") for t in said)]
    others = [*_cues(object_), *(_from_phrase(t, "{s}") for t in said_of_object)]
    words = " ".join(
        dict.fromkeys(
            [relation.label, *relation.aliases, *phrase.o[:1], *(_plain(t) for t in said[:2])]
        )
    )
    return Cues(
        keys=(*dict.fromkeys([*(k.lstrip("~") for k in known), *names]),),
        weak_keys=frozenset(k[1:] for k in known if k[0] == "~"),
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
