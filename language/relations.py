"""The use and the English of each relation (a Wikidata property), one entry per relation.

`relations.yaml` holds the table of relations. The planner reads `use`, the graph writer `say`, the
proof of words `read`, and the oracle `hints`. A *hop* is a step along a relation from one thing to
the next. A *clue* is a clause that describes a thing.
"""

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import yaml

from questloom.language.frames import Frame, VerbForms
from questloom.records.errors import InputError

FILE = Path(__file__).with_name("relations.yaml")


class _Loader(yaml.CSafeLoader):
    """A YAML loader that refuses duplicate keys. With duplicate keys the first entry of a property
    would be lost unnoticed."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found = super().construct_mapping(node, deep=deep)
        if len(found) < len(node.value):
            keys = [key.value for key, _ in node.value]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise yaml.constructor.ConstructorError(
                None, None, f"{twice!r} stands twice", node.start_mark
            )
        return found


PLACEMENTS = ("person", "place", "noun")


@dataclass(frozen=True, kw_only=True)
class PropertyUse:
    """How a good question may use a property."""

    hop: bool = False
    """Whether the property may lead from one entity of a path to the next."""
    clue: bool = False
    """Whether the property may describe an entity ("…, which was built in 1850")."""
    answer: bool = False
    """Whether a question may ask for the property's value."""
    volatile: bool = False
    """Whether the property's values change with time or follow each other."""
    single: bool = False
    """Whether the property has one value by its meaning; most of Wikidata's own constraints agree.
    If a store's dump lacks the constraints, this property still gets the lower threshold for
    declared single values."""
    weight: float = 0.0
    """How informative and how pleasant the property is, 0 to 1. Hops and clues are drawn in
    proportion to this weight."""
    only: tuple[str, ...] = ()
    """Allowed classes of the thing that a question asks for or a step reaches. An empty tuple allows all classes."""
    never: tuple[str, ...] = ()
    """Classes that must not be the name of the thing that a question asks for or a step reaches."""
    century: bool = False
    """Whether a question asks only for the century, because sources mean different years by the property."""
    unasked_of: tuple[str, ...] = ()
    """Classes whose members are never asked about with this property."""
    step: str = ""
    """Name of a group of similar steps. Two steps of one group in a row sound silly: the child of
    the mother, the town of the district of the town."""
    forward_only: bool = False
    """Whether many things share the value. No step may run backwards over such a property, from a
    town to "the man who was born there and died in …"."""


@dataclass(frozen=True, kw_only=True)
class PropertyPhrase:
    """The English of one property: plain sentences, and nouns for its two ends."""

    property: str
    say: tuple[Frame, ...]
    """Sentences with both ends of the relation, the best first."""
    o: tuple[str, ...] = ()
    """Nouns for the object in relation to the subject ("architect"), the best first."""
    s: tuple[str, ...] = ()
    """Nouns for the subject in relation to the object: the subject is the "pupil" of a teacher."""
    ask: tuple[str, ...] = ()
    """Questions for the object, where the sentences give no natural question."""
    ask_shown: tuple[str, ...] = ()
    """Questions for the object when the picture shows the subject. {this} stands for the picture
    ("Who painted {this}?")."""
    measure: str = ""
    """The name of the quantity ("height")."""
    event: str = ""
    """The event that the date belongs to ("birth")."""
    dated: bool = False
    """Whether the date can stand before the thing's noun: "the 1871 painting"."""
    adjective: bool = False
    """Whether the value stands before the noun: "the violet species"."""
    kinds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Words that replace the usual ones for subjects of a kind."""
    kinds_object: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Words that replace the usual ones for objects of a kind."""

    def variant(
        self, subject_kinds: tuple[str, ...], object_kinds: tuple[str, ...] = ()
    ) -> "PropertyPhrase":
        """The phrase for a subject and an object of these kinds, the most specific kind first.
        Where the kinds' words conflict, the subject's words apply."""
        phrase = self
        for kinds, table in ((object_kinds, self.kinds_object), (subject_kinds, self.kinds)):
            found = next((table[kind] for kind in kinds if kind in table), None)
            if found:
                phrase = replace(phrase, **found)
        return phrase

    def frames(self, verbs: VerbForms) -> tuple[Frame, ...]:
        """The sentences and their passives."""
        return (*self.say, *(p for frame in self.say if (p := frame.passive(verbs.participles))))

    def predicates(self, end: str, verbs: VerbForms) -> list[str]:
        """The predicates about one end, as templates: "was designed by {o}" for "s"."""
        return [f.predicate(f"{{{f.end}}}") for f in self.frames(verbs) if f.subject == end]


@dataclass(frozen=True, kw_only=True)
class ReadTerms:
    """Terms by which foreign text states a relation: beginnings of words, or regular expressions."""

    subject: tuple[str, ...]
    """Terms about the relation's subject; about both ends where `object` is empty."""
    object: tuple[str, ...] = ()
    """Terms about the relation's object. A property needs these terms where both ends are of one
    kind and the words must tell the ends apart."""
    bare: bool = False
    """Whether the value alone states the relation ("a bridge in Merren")."""
    events: tuple[tuple[str, ...], ...] = ()
    """The events of a property that names no particular event, each with its terms. A question may
    name an event only where the page names it."""


@dataclass(frozen=True, kw_only=True)
class Hints:
    """The places where an encyclopedia states a relation.

    A cue is a regular expression. The other end of the relation follows the cue (a cue may end with
    ">"), or precedes a cue that begins with "<".
    """

    keys: tuple[str, ...] = ()
    """Infobox parameters, the most reliable first. A parameter marked with "~" is unreliable: on
    some pages it holds something else."""
    subject: tuple[str, ...] = ()
    """Cues on the page of the subject."""
    object: tuple[str, ...] = ()
    """Cues on the page of the object."""
    object_is: str = ""
    """The kind of noun at the object's end: "person", "place" (no person) or "noun" (a common
    noun); "" where the kind varies."""


@dataclass(frozen=True, kw_only=True)
class Relation:
    """The entry of one property. A part that nobody has written is None."""

    pid: str
    use: PropertyUse = PropertyUse()
    say: PropertyPhrase | None = None
    read: ReadTerms | None = None
    hints: Hints | None = None


@dataclass(frozen=True, kw_only=True)
class RelationTable:
    """All relations by property id, and the words that clearly state one relation."""

    relations: Mapping[str, Relation]
    telling_words: tuple[str, ...]


@functools.cache
def relation_table() -> RelationTable:
    """The package's relation table, read once per process."""
    return parse_relations(FILE.read_text(encoding="utf-8"), FILE.name)


def relation(property_id: str) -> Relation:
    """The entry of a property; an empty entry where the table does not list the property.

    Args:
        property_id: a property id such as "P84".
    """
    return relation_table().relations.get(property_id) or Relation(pid=property_id)


def worded_properties() -> list[str]:
    """The ids of the properties that have plain sentences."""
    return [pid for pid, known in relation_table().relations.items() if known.say]


def parse_relations(text: str, name: str) -> RelationTable:
    """Reads a relation table from text.

    Args:
        text: YAML in the format of `relations.yaml`.
        name: name of the text, for errors.

    Raises:
        InputError: the text is no table of relations. The error names the property and the key.
    """
    try:
        data = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise InputError(name, f"no YAML ({error})", "Correct the syntax.") from None
    where = name
    try:
        _check_keys(data, {"areas", "telling_words", "relations"})
        telling = _terms(data["telling_words"])
        found = {}
        for pid, entry in _mapping(data["relations"]).items():
            where = f"{name}, {pid}"
            if not re.fullmatch(r"P[1-9]\d*", str(pid)):
                raise ValueError("no property id")
            _check_keys(entry, set(_PARTS))
            parts = {}
            for key, value in entry.items():
                where = f"{name}, {pid}, {key}"
                parts[key] = _PARTS[key](pid, value)
            found[pid] = Relation(pid=pid, **parts)
    except KeyError as error:
        raise InputError(where, f"has no {error.args[0]!r}", "Add it.") from None
    except (TypeError, ValueError, re.error) as error:
        raise InputError(
            where, str(error), "See language/README.md for what may stand here."
        ) from None
    return RelationTable(relations=found, telling_words=telling)


def phrase_of(property_id: str, entry: Any) -> PropertyPhrase:
    """The phrase of an entry. An entry is a list of sentences, or a mapping with the key
    `sentences`.

    Raises:
        ValueError: the entry is malformed, or a sentence lacks subject, verb or other end.
        KeyError: the entry has no sentences.
    """
    found = _phrase_fields(entry)
    if "say" not in found:
        raise KeyError("sentences")
    return PropertyPhrase(property=property_id, say=found.pop("say"), **found)


def _phrase_fields(entry: Any) -> dict[str, Any]:
    """The fields of a phrase from its entry. A single text counts as a list of one."""
    if isinstance(entry, list):
        entry = {"sentences": entry}
    _check_keys(
        entry, {f.name for f in fields(PropertyPhrase)} - {"property", "say"} | {"sentences"}
    )
    found: dict[str, Any] = {}
    for name, value in entry.items():
        if name in ("kinds", "kinds_object"):
            found[name] = {kind: _phrase_fields(change) for kind, change in value.items()}
        elif name == "sentences":
            found["say"] = tuple(Frame.parse(text) for text in _strings(value))
        elif name in ("o", "s", "ask", "ask_shown"):
            found[name] = _strings([value] if isinstance(value, str) else value)
        else:
            found[name] = _checked(name, value, str if name in ("measure", "event") else bool)
    return found


_USE_TYPES: dict[str, type | tuple[type, ...]] = {"weight": (int, float), "step": str}


def _use(_: str, entry: Any) -> PropertyUse:
    if entry in ("never", "volatile", "trivial"):
        entry = {} if entry == "never" else {entry: True}
    _check_keys(entry, {f.name for f in fields(PropertyUse)} | {"trivial"})
    # True of so many entities that it is only useful beside other clues.
    found: dict[str, Any] = {"clue": True, "weight": 0.1} if entry.get("trivial") else {}
    for name, value in entry.items():
        if name in ("only", "never", "unasked_of"):
            found[name] = _strings(value)
        elif name != "trivial":
            found[name] = _checked(name, value, _USE_TYPES.get(name, bool))
    return PropertyUse(**found)


def _read(_: str, entry: Any) -> ReadTerms:
    if isinstance(entry, list):
        entry = {"subject": entry}
    _check_keys(entry, {f.name for f in fields(ReadTerms)})
    return ReadTerms(
        subject=_terms(entry["subject"]),
        object=_terms(entry.get("object", [])),
        bare=_checked("bare", entry.get("bare", False), bool),
        events=tuple(_terms(event) for event in entry.get("events", [])),
    )


def _hints(_: str, entry: Any) -> Hints:
    _check_keys(entry, {f.name for f in fields(Hints)})
    if entry.get("object_is", "") not in ("", *PLACEMENTS):
        raise ValueError(f"object_is is none of {', '.join(PLACEMENTS)}")
    return Hints(
        keys=_strings(entry.get("keys", [])),
        subject=_terms(entry.get("subject", [])),
        object=_terms(entry.get("object", [])),
        object_is=entry.get("object_is", ""),
    )


_PARTS: dict[str, Callable[[str, Any], Any]] = {
    "use": _use,
    "say": phrase_of,
    "read": _read,
    "hints": _hints,
}


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("is no mapping")
    return value


def _check_keys(value: Any, known: set[str]) -> None:
    for key in _mapping(value):
        if key not in known:
            raise ValueError(f"{key!r} is unknown; known are {', '.join(sorted(known))}")


def _checked(name: str, value: Any, kind: type | tuple[type, ...]) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{name} is {value!r}")
    return value


def _strings(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise ValueError(f"{value!r} is no list of texts")
    return tuple(value)


def _terms(value: Any) -> tuple[str, ...]:
    """Regular expressions, checked to compile in Python."""
    for term in _strings(value):
        try:
            re.compile(term.strip("<>"))
        except re.error as error:
            raise ValueError(f"{term!r} is no expression ({error})") from None
    return tuple(value)
