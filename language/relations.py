"""What the project knows of each relation (a Wikidata property): its use and its English, one entry a relation.

`relations.yaml` holds the table. The planner reads `use`, the graph writer `say`, the proof of words `read`, the oracle `hints`.
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
    """YAML that refuses a key that stands twice: the first entry of a property would be lost unseen."""

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
    """What a property may do in a good question."""

    hop: bool = False
    """Whether it may lead from one entity of a path to the next."""
    clue: bool = False
    """Whether it may describe an entity ("…, which was built in 1850")."""
    answer: bool = False
    """Whether its value may be asked for."""
    volatile: bool = False
    """Whether its values change with time or come one after the other."""
    single: bool = False
    """Whether it has one value by its meaning, as most of Wikidata's own constraints say too; a store whose dump lacks the
    constraints is then believed at the bar for declared ones."""
    weight: float = 0.0
    """How telling and how pleasant it is, 0 to 1; hops and clues are drawn in proportion."""
    only: tuple[str, ...] = ()
    """Classes of one of which a thing must be that is asked for or led to; of any, where there are none."""
    never: tuple[str, ...] = ()
    """Classes by which nothing may be called that is asked for or led to."""
    century: bool = False
    """Whether no more than the century is asked for: sources mean different years by it."""
    unasked_of: tuple[str, ...] = ()
    """Classes of whose members it is not asked."""
    step: str = ""
    """Steps of one name sound silly one after the other: the child of the mother, the town of the district of the town."""
    forward_only: bool = False
    """Whether many share it and it makes nobody known: no step leads from a town to "the man who was born there and died in …"."""


@dataclass(frozen=True, kw_only=True)
class PropertyPhrase:
    """How one property is said: plain sentences, and what its ends are called."""

    property: str
    say: tuple[Frame, ...]
    """Sentences with both ends, the best first."""
    o: tuple[str, ...] = ()
    """What the object is of the subject ("architect"), the best first."""
    s: tuple[str, ...] = ()
    """What the subject is of the object ("pupil", of a teacher)."""
    ask: tuple[str, ...] = ()
    """Questions for the object, where the sentences give none that people would ask."""
    ask_shown: tuple[str, ...] = ()
    """Questions for the object of the picture's own thing, {this} standing for the picture ("Who painted {this}?")."""
    measure: str = ""
    """The quantity's name ("height")."""
    event: str = ""
    """What a date is the date of ("birth")."""
    dated: bool = False
    """Whether a thing is called by the date: "the 1871 painting"."""
    adjective: bool = False
    """Whether the value stands before the noun: "the violet species"."""
    kinds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What differs for subjects of a kind."""
    kinds_object: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What differs for objects of a kind."""

    def variant(
        self, subject_kinds: tuple[str, ...], object_kinds: tuple[str, ...] = ()
    ) -> "PropertyPhrase":
        """The phrase for a subject and an object of these kinds, the most specific kind first; where both differ, the subject's words stand."""
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
        """What is said of an end, as templates: "was designed by {o}" of "s"."""
        return [f.predicate(f"{{{f.end}}}") for f in self.frames(verbs) if f.subject == end]


@dataclass(frozen=True, kw_only=True)
class ReadTerms:
    """Terms by which others' words say a relation: beginnings of words, or expressions."""

    subject: tuple[str, ...]
    """Said of its subject; of its object too, where `object` is empty."""
    object: tuple[str, ...] = ()
    """Said of its object, where both ends are things of one kind and the words must tell which is which."""
    bare: bool = False
    """Whether the value alone says it ("a bridge in Merren")."""
    events: tuple[tuple[str, ...], ...] = ()
    """Of a property that is of no event in particular, its events in their terms: a question may name one only where the page does."""


@dataclass(frozen=True, kw_only=True)
class Hints:
    """Where an encyclopedia states a relation.

    A cue is an expression; the other end of the relation stands behind it (it may end with ">"), or before one that begins with "<".
    """

    keys: tuple[str, ...] = ()
    """Infobox parameters, the surest first; one with "~" holds something else on other pages."""
    subject: tuple[str, ...] = ()
    """Cues on the subject's page."""
    object: tuple[str, ...] = ()
    """Cues on the object's page."""
    object_is: str = ""
    """What always stands at the object's end: a "person", a "place" (no person) or a common "noun"; "" where it varies."""


@dataclass(frozen=True, kw_only=True)
class Relation:
    """What is known of one property; None where nobody has written that part."""

    pid: str
    use: PropertyUse = PropertyUse()
    say: PropertyPhrase | None = None
    read: ReadTerms | None = None
    hints: Hints | None = None


@dataclass(frozen=True, kw_only=True)
class RelationTable:
    """All relations by property id, and the words that plainly tell one."""

    relations: Mapping[str, Relation]
    telling_words: tuple[str, ...]


@functools.cache
def relation_table() -> RelationTable:
    """The shipped table, read once."""
    return parse_relations(FILE.read_text(encoding="utf-8"), FILE.name)


def relation(property_id: str) -> Relation:
    """What is known of a property; an entry without parts where the table does not list it.

    Args:
        property_id: "P84".
    """
    return relation_table().relations.get(property_id) or Relation(pid=property_id)


def worded_properties() -> list[str]:
    """The properties that have plain sentences."""
    return [pid for pid, known in relation_table().relations.items() if known.say]


def parse_relations(text: str, name: str) -> RelationTable:
    """The table in a text.

    Args:
        text: YAML, as `relations.yaml`.
        name: what errors call it.

    Raises:
        InputError: it is no table of relations; says of which property and key.
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
    """A phrase from its entry: a list of sentences, or a mapping with `sentences` among its keys.

    Raises:
        ValueError: an entry is malformed, or a sentence has no subject, verb and other end.
        KeyError: it has no sentences.
    """
    found = _phrase_fields(entry)
    if "say" not in found:
        raise KeyError("sentences")
    return PropertyPhrase(property=property_id, say=found.pop("say"), **found)


def _phrase_fields(entry: Any) -> dict[str, Any]:
    """An entry as the fields of a phrase; a text alone is a list of one."""
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
    # True of so many entities that it is only good beside other clues.
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
    """Expressions, each of which Python can read."""
    for term in _strings(value):
        try:
            re.compile(term.strip("<>"))
        except re.error as error:
            raise ValueError(f"{term!r} is no expression ({error})") from None
    return tuple(value)
