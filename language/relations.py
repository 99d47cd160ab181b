"""States how questions may use each relation (a Wikidata property), and which English words express
the relation. The table has one entry per relation.

`relations.yaml` contains the table of relations. The planner reads the key `use` of an entry. The
graph writer reads `say`, the check of wordings reads `read`, and the oracle reads `hints`. A *hop*
is a step along a relation from one thing to the next. A *clue* is a clause that describes a thing.
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
ENGLISH = "en"


class _Loader(yaml.CSafeLoader):
    """A YAML loader that refuses duplicate keys. With duplicate keys, the first entry of a property would be lost
    without notice."""

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
    """Whether the property's values change with time or replace each other."""
    single: bool = False
    """Whether the property has only one value by its meaning; most of Wikidata's own constraints
    agree. A property whose field `single` is true counts as single-valued even where a store lacks
    Wikidata's constraints."""
    weight: float = 0.0
    """How informative and pleasant the property is in a question, 0 to 1. The planner draws
    properties for hops (steps along a path) and clues in proportion to this weight."""
    only: tuple[str, ...] = ()
    """The thing at the end of a step, or the answer, must belong to one of these classes. An empty
    tuple allows all classes."""
    never: tuple[str, ...] = ()
    """Classes that must not name the thing at the end of a step, or the answer."""
    century: bool = False
    """Whether a question asks only for the century, because sources name different years for
    this property."""
    unasked_of: tuple[str, ...] = ()
    """Classes whose members get no questions with this property."""
    step: str = ""
    """Name of a group of steps that are similar. Two steps of the same group in a row sound silly: the child of the
    mother, the town of the district of the town."""
    forward_only: bool = False
    """Whether a path may not follow this property backwards, because too many things have the same
    value. For example, "the man who was born there" could be anybody from a town."""


@dataclass(frozen=True, kw_only=True)
class PropertyPhrase:
    """The English words for one property: plain sentences, and nouns for its two ends."""

    property: str
    say: tuple[Frame, ...]
    """Sentences with both ends of the relation, best sentence first."""
    o: tuple[str, ...] = ()
    """Nouns that name the object by its relation to the subject ("architect"), best noun first."""
    s: tuple[str, ...] = ()
    """Nouns that name the subject by its relation to the object ("pupil" for the pupil of a
    teacher)."""
    ask: tuple[str, ...] = ()
    """Questions about the object, if the sentences give no natural question."""
    ask_shown: tuple[str, ...] = ()
    """Questions about the object if the picture shows the subject. {this} stands for the picture ("Who painted
    {this}?")."""
    measure: str = ""
    """The name of the quantity that the property states ("height")."""
    event: str = ""
    """The event to which the date belongs ("birth")."""
    dated: bool = False
    """Whether the date can stand before the thing's noun: "the 1871 painting"."""
    adjective: bool = False
    """Whether the value can stand before the thing's noun: "the violet species"."""
    noun: bool = False
    """Whether the value can stand in place of the thing's noun: "the botanist"."""
    kinds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Words that replace the usual words if the subject is of a certain kind."""
    kinds_object: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Words that replace the usual words if the object is of a certain kind."""

    def variant(
        self, subject_kinds: tuple[str, ...], object_kinds: tuple[str, ...] = ()
    ) -> "PropertyPhrase":
        """The phrase for a subject and an object of given kinds. Each tuple of kinds begins with
        the most specific kind. If the words for the two kinds conflict, the subject's words are
        used; an object's words may have `kinds` of their own. For an island as object, "in" and
        "at" become "on"."""
        phrase = self
        for kinds, name in ((object_kinds, "kinds_object"), (subject_kinds, "kinds")):
            table = getattr(phrase, name)
            found = next((table[kind] for kind in kinds if kind in table), None)
            if found:
                phrase = replace(phrase, **found)
        if "island" in object_kinds:
            said = (
                replace(f, preposition="on")
                if f.preposition in ("at", "in") and f.other == "o"
                else f
                for f in phrase.say
            )
            phrase = replace(phrase, say=tuple(said))
        return phrase

    def frames(self, verbs: VerbForms) -> tuple[Frame, ...]:
        """Returns the sentences of a phrase, and the passives that can be made from these
        sentences."""
        return (*self.say, *(p for frame in self.say if (p := frame.passive(verbs.participles))))

    def predicates(self, end: str, verbs: VerbForms) -> list[str]:
        """The predicates about one end of the relation, as templates: "was designed by {o}" for "s"."""
        return [f.predicate(f"{{{f.end}}}") for f in self.frames(verbs) if f.subject == end]


@dataclass(frozen=True, kw_only=True)
class ReadTerms:
    """Terms that state a relation in other people's texts: beginnings of words, or regular expressions."""

    subject: tuple[str, ...]
    """Terms about the relation's subject, or about both ends if `object` is empty."""
    object: tuple[str, ...] = ()
    """Terms about the relation's object. A property needs terms for its object if both ends are of
    the same kind, because only words can tell the ends apart."""
    bare: bool = False
    """Whether the value alone already states the relation ("a bridge in Merren")."""
    events: tuple[tuple[str, ...], ...] = ()
    """For a property such as "inception" that does not say which event it is about: the possible
    events, each as a list of terms. A question may name an event only if the page names the
    event."""


@dataclass(frozen=True, kw_only=True)
class Hints:
    """The places where pages of an encyclopedia state a relation.

    A cue is a regular expression for words that state the relation. The other end of the relation follows the cue
    (which may end with ">"), or precedes it if the cue begins with "<".
    """

    keys: tuple[str, ...] = ()
    """Infobox parameters, most reliable first. A parameter marked with "~" is unreliable, because it has another
    meaning on some pages."""
    subject: tuple[str, ...] = ()
    """Cues for sentences on the page of the subject."""
    object: tuple[str, ...] = ()
    """Cues for sentences on the page of the object."""
    object_is: str = ""
    """What the object is: "person", "place" (never a person) or "noun" (a common noun); "" if it may be any of
    these."""


@dataclass(frozen=True, kw_only=True)
class Relation:
    """The entry for one property in the table. A part of the entry is None if the table does not
    have it yet."""

    pid: str
    use: PropertyUse = PropertyUse()
    say: PropertyPhrase | None = None
    read: ReadTerms | None = None
    hints: Hints | None = None


@dataclass(frozen=True, kw_only=True)
class RelationTable:
    """All relations by property id, and the telling words: words such as "born" or "architect" that
    always state a relation."""

    relations: Mapping[str, Relation]
    telling_words: tuple[str, ...]


@functools.cache
def relation_table(language: str = ENGLISH) -> RelationTable:
    """The table of relations of a language in this package, read once per process. The table of another language than
    English has only the keys `read` and `hints`. A language without a file has an empty table."""
    file = FILE if language == ENGLISH else FILE.with_name(f"relations.{language}.yaml")
    if not file.is_file():
        return RelationTable(relations={}, telling_words=())
    return parse_relations(file.read_text(encoding="utf-8"), file.name)


def relation(property_id: str, language: str = ENGLISH) -> Relation:
    """The entry for a property; an empty entry if the table does not list the property.

    Args:
        property_id: a property id such as "P84".
        language: the language of the words. Only English has `use` and `say`.
    """
    return relation_table(language).relations.get(property_id) or Relation(pid=property_id)


def worded_properties() -> list[str]:
    """The ids of the properties that have plain sentences."""
    return [pid for pid, known in relation_table().relations.items() if known.say]


def parse_relations(text: str, name: str) -> RelationTable:
    """Reads a relation table from text.

    Args:
        text: YAML in the format of `relations.yaml`.
        name: name of the text, for error messages.

    Raises: InputError: the text is not a table of relations. The error message names the property
    and the key.
    """
    try:
        data = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise InputError(name, f"no YAML ({error})", "Correct the syntax.") from None
    where = name
    try:
        _check_keys(data, {"areas", "telling_words", "relations"})
        telling = _terms(data.get("telling_words", []))
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
    """The phrase (plain sentences and nouns) that an entry of the table defines. The entry is a
    list of sentences, or a mapping with the key `sentences`.

    Raises: ValueError: the entry is malformed, or a sentence lacks a subject, a verb or the other end.
        KeyError: the entry has no sentences.
    """
    found = _phrase_fields(entry)
    if "say" not in found:
        raise KeyError("sentences")
    return PropertyPhrase(property=property_id, say=found.pop("say"), **found)


def _phrase_fields(entry: Any) -> dict[str, Any]:
    """The fields of a phrase from its entry. A single text counts as a list with one element."""
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
    """Returns the regular expressions, after Python has compiled each of them as a check."""
    for term in _strings(value):
        try:
            re.compile(term.strip("<>"))
        except re.error as error:
            raise ValueError(f"{term!r} is no expression ({error})") from None
    return tuple(value)
