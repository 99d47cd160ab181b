"""The graph writer's phrases as data: one YAML file a language, and which properties a good question may use.

`en.yaml` is complete. A property that a language's file does not list is worded from its label and datatype
(`fallback` in the file), so that every claim has words.
"""
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from records.errors import InputError

_FOLDER = Path(__file__).parent
_FALLBACK_BY_DATATYPE = {"wikibase-item": "entity", "time": "time", "quantity": "quantity"}
_LISTS = ("subject", "object", "value", "ask", "ask_subject", "subject_value", "subject_story", "object_story", "subject_relative", "at",
          "event", "clause", "count", "count_subject", "order", "compare", "nouns")


@dataclass(frozen=True, kw_only=True)
class PropertyPhrase:
    """How one property is said. Every tuple holds alternatives; slots are explained in `en.yaml`."""

    property: str
    noun: str = ""
    """What the value is called where its class is unknown ("architect", "place")."""
    role: str = ""
    """What the value is called if it is a person ("architect"); "" where nothing better than "person" fits."""
    subject_value: tuple[str, ...] = ()
    """Noun phrases for the subject, given the object ("the child of {o}")."""
    object_story: tuple[str, ...] = ()
    """Verb phrases of the object where the subject is first met there ("had {s}", for "a child who …")."""
    subject_relative: tuple[str, ...] = ()
    """Relative clauses about the subject that are no verb phrases ("in which {o} took part")."""
    whose: str = ""
    """The value's noun where "an architect whose father …" is good English; "" elsewhere."""
    subject_role: str = ""
    """What the subject is called if it is a person ("child", of a father)."""
    measure: str = ""
    """The quantity's name ("height")."""
    as_: str = ""
    """Its adjective ("tall"), for "twice as tall as"."""
    subject: tuple[str, ...] = ()
    """Verb phrases of the subject, given the object ("was designed by {o}")."""
    subject_story: tuple[str, ...] = ()
    """The same where the object is first met there ("had {o}", for "a father who …")."""
    object: tuple[str, ...] = ()
    """Verb phrases of the object, given the subject ("designed {s}")."""
    value: tuple[str, ...] = ()
    """Noun phrases for the object, given the subject ("the architect of {s}")."""
    ask: tuple[str, ...] = ()
    """Questions for the object."""
    ask_subject: tuple[str, ...] = ()
    """Questions for the subject, beside those that follow from `subject`."""
    at: tuple[str, ...] = ()
    """Dates: verb phrases of the subject with a time ("was opened {at}")."""
    event: tuple[str, ...] = ()
    """Dates: what happened, as a noun phrase ("the opening of {s}")."""
    clause: tuple[str, ...] = ()
    """Dates: what happened, as a clause ("{s} was opened")."""
    count: tuple[str, ...] = ()
    """Questions for the number of objects."""
    count_subject: tuple[str, ...] = ()
    """Questions for the number of subjects."""
    order: tuple[str, ...] = ()
    """Dates: verb phrases of what came first and what came last among several."""
    compare: tuple[str, ...] = ()
    """Quantities: comparative adjectives for less and more."""
    nouns: tuple[str, ...] = ()
    """Dates: comparative adjectives for earlier and later ("older", "newer")."""
    kinds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What differs for subjects of a kind."""
    kinds_object: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What differs for objects of a kind."""

    def variant(self, subject_kinds: tuple[str, ...], object_kinds: tuple[str, ...] = ()) -> "PropertyPhrase":
        """The phrase for a subject and an object of these kinds, the most specific kind first."""
        phrase = self
        for kinds, table in ((subject_kinds, self.kinds), (object_kinds, self.kinds_object)):
            found = next((table[kind] for kind in kinds if kind in table), None)
            if found:
                phrase = replace(phrase, **found)
        return phrase


@dataclass(frozen=True, kw_only=True)
class PropertyUse:
    """What a property may do in a good question; see `properties.yaml`."""

    hop: bool = False
    clue: bool = False
    answer: bool = False
    volatile: bool = False
    single: bool = False
    """Whether it has one value by its meaning."""
    weight: float = 0.0


@functools.cache
def language_data(language: str) -> dict[str, Any]:
    """A language's whole file.

    Raises:
        InputError: there is no file for the language.
    """
    path = _FOLDER / f"{language}.yaml"
    if not re.fullmatch(r"[a-z-]{2,12}", language) or not path.is_file():
        known = ", ".join(sorted(p.stem for p in _FOLDER.glob("*.yaml") if p.stem != "properties"))
        raise InputError(f"language {language!r}", "the graph writer has no phrases for it", f"Use one of {known}, or the llm writer.")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@functools.cache
def property_phrase(property_id: str, language: str = "en", *, label: str = "", datatype: str = "wikibase-item") -> PropertyPhrase:
    """How a property is said in a language.

    Args:
        property_id: "P84".
        language: the language of the phrase.
        label: the property's own label, from which words are made if the language's file does not list it.
        datatype: Wikibase's name of the value's type, for the same purpose.

    Raises:
        InputError: there are no phrases for the language.
    """
    data = language_data(language)
    entry = data["properties"].get(property_id)
    if entry is None:
        entry = _from_label(data["fallback"], label or property_id, datatype)
    return PropertyPhrase(property=property_id, **_fields(entry))


def _from_label(fallback: Mapping[str, Any], label: str, datatype: str) -> dict[str, Any]:
    """An entry made from the fallback of the datatype and the words of the label."""
    # Braces would be read as slots; "has part(s)" is about a part.
    label = re.sub(r"^has (?=\w)|\(s\)|\s*\(.*?\)$", "", re.sub(r"[{}]", "", label)).strip() or label
    shape = _FALLBACK_BY_DATATYPE.get(datatype, "string")
    if shape == "entity":
        shape = next((rule["shape"] for rule in fallback["label_rules"] if re.search(rule["pattern"], label)), shape)
    slots = {"{label}": label, "{head}": label.removesuffix(" of"), "{a}": "an" if label[:1].lower() in "aeiou" else "a"}
    entry = {name: [re.sub("|".join(slots), lambda m: slots[m[0]], t) for t in texts] for name, texts in fallback[shape].items()}
    return {**entry, "noun": label} if shape == "entity" else entry


def _fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {("as_" if name == "as" else name): tuple(value) if name in _LISTS else value for name, value in entry.items()}
    for name in ("kinds", "kinds_object"):
        if name in fields:
            fields[name] = {kind: _fields(change) for kind, change in fields[name].items()}
    return fields


@functools.cache
def _uses() -> dict[str, Any]:
    return yaml.safe_load((_FOLDER / "properties.yaml").read_text(encoding="utf-8"))


@functools.cache
def common_classes() -> Mapping[str, int]:
    """The classes that people speak of, to their rank: the smaller one is said where a thing is of several."""
    return {class_id: rank for rank, class_id in enumerate(yaml.safe_load((_FOLDER / "classes.yaml").read_text(encoding="utf-8")))}


@functools.cache
def property_use(property_id: str) -> PropertyUse:
    """What a property may do in a good question; nothing where it is not listed, since nobody has read a phrase of it.

    Args:
        property_id: "P84".
    """
    data = _uses()
    volatile, single = property_id in data["volatile_properties"], property_id in data["single_properties"]
    if property_id in data["trivial_properties"]:
        return PropertyUse(**data["trivial"], volatile=volatile)
    return PropertyUse(**data["properties"].get(property_id, {}), volatile=volatile, single=single)
