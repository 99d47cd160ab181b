"""The graph writer's phrases as data: one YAML file a language, and which properties a good question may use.

`en.yaml` is complete. A property that a language's file does not list is worded from its label (`fallback` in the file), so that
every claim has words; no question is made of it.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from questloom.prompts.phrases.frames import Frame, VerbForms, past_tense, third_person
from questloom.records.errors import InputError

_FOLDER = Path(__file__).parent


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
class PropertyUse:
    """What a property may do in a good question; see `properties.yaml`."""

    hop: bool = False
    clue: bool = False
    answer: bool = False
    volatile: bool = False
    single: bool = False
    """Whether it has one value by its meaning."""
    weight: float = 0.0
    only: tuple[str, ...] = ()
    """Classes of one of which a thing must be that is asked for or led to; of any, where there are none."""
    never: tuple[str, ...] = ()
    """Classes by which nothing may be called that is asked for or led to."""
    century: bool = False
    """Whether no more than the century is asked for: sources mean different years by it."""
    unasked_of: tuple[str, ...] = ()
    """Classes of whose members it is not asked."""


@functools.cache
def language_data(language: str) -> dict[str, Any]:
    """A language's whole file.

    Raises:
        InputError: there is no file for the language.
    """
    path = _FOLDER / f"{language}.yaml"
    if not re.fullmatch(r"[a-z-]{2,12}", language) or not path.is_file():
        known = ", ".join(sorted(p.stem for p in _FOLDER.glob("*.yaml") if p.stem != "properties"))
        raise InputError(
            f"language {language!r}",
            "the graph writer has no phrases for it",
            f"Use one of {known}, or the llm writer.",
        )
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@functools.cache
def verb_forms(language: str = "en") -> VerbForms:
    """The verbs of a language's file."""
    data = language_data(language)
    forms = {base: (past_tense(base),) * 2 for base in data["regular_verbs"]} | {
        base: tuple(forms) for base, forms in data["irregular_verbs"].items()
    }
    present = {base: "has" if base == "have" else third_person(base) for base in forms}
    return VerbForms(
        bases={
            finite: base for base, (past, _) in forms.items() for finite in (past, present[base])
        },
        participles={
            finite: participle
            for base, (past, participle) in forms.items()
            if base not in data["no_passive"]
            for finite in (past, present[base])
        },
    )


@functools.cache
def property_phrase(property_id: str, language: str = "en", *, label: str = "") -> PropertyPhrase:
    """How a property is said in a language.

    Args:
        property_id: "P84".
        language: the language of the phrase.
        label: the property's own label, from which words are made if the language's file does not list it.

    Raises:
        InputError: there are no phrases for the language.
    """
    data = language_data(language)
    entry = data["properties"].get(property_id) or _from_label(
        data["fallback"], label or property_id
    )
    return PropertyPhrase(property=property_id, **_fields(entry))


def variants(phrase: PropertyPhrase) -> list[PropertyPhrase]:
    """A phrase, and what it is for every kind of subject and of object."""
    return [
        phrase,
        *(phrase.variant((kind,)) for kind in phrase.kinds),
        *(phrase.variant((), (kind,)) for kind in phrase.kinds_object),
    ]


def _from_label(rules: list[Mapping[str, str]], label: str) -> dict[str, str]:
    """An entry made from the words of the label, by the first rule that it fits."""
    # Braces would be read as slots; "has part(s)" is about a part.
    label = (
        re.sub(r"^has (?=\w)|\(s\)|\s*\(.*?\)$", "", re.sub(r"[{}“”]", "", label)).strip() or label
    )
    rule = next(rule for rule in rules if re.search(rule["pattern"], label))
    return {
        name: text.replace("{label}", label) for name, text in rule.items() if name != "pattern"
    }


def _fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry as the fields of a phrase; a text alone is a list of one."""
    fields: dict[str, Any] = {}
    for name, value in entry.items():
        if name in ("kinds", "kinds_object"):
            fields[name] = {kind: _fields(change) for kind, change in value.items()}
        elif name in ("say", "o", "s", "ask", "ask_shown"):
            texts = (value,) if isinstance(value, str) else tuple(value)
            fields[name] = tuple(Frame.parse(t) for t in texts) if name == "say" else texts
        else:
            fields[name] = value
    return fields


@functools.cache
def _uses() -> dict[str, Any]:
    return yaml.safe_load((_FOLDER / "properties.yaml").read_text(encoding="utf-8"))


@functools.cache
def common_class_ranks() -> Mapping[str, int]:
    """The classes that people speak of, to their rank: the smaller one is said where a thing is of several."""
    return {
        class_id: rank
        for rank, class_id in enumerate(
            yaml.safe_load((_FOLDER / "classes.yaml").read_text(encoding="utf-8"))
        )
    }


@functools.cache
def vague_classes() -> frozenset[str]:
    """The classes that fit so many kinds of things that nobody asks for one by them."""
    return frozenset(_uses()["vague_classes"])


@functools.cache
def property_use(property_id: str) -> PropertyUse:
    """What a property may do in a good question; nothing where it is not listed, since nobody has read a phrase of it.

    Args:
        property_id: "P84".
    """
    data = _uses()
    volatile, single = (
        property_id in data["volatile_properties"],
        property_id in data["single_properties"],
    )
    if property_id in data["trivial_properties"]:
        return PropertyUse(**data["trivial"], volatile=volatile)
    listed: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in data["properties"].get(property_id, {}).items()
    }
    return PropertyUse(**listed, volatile=volatile, single=single)
