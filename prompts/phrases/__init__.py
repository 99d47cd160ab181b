"""The phrases from which the graph writer (a writer without a model) makes questions, as data. For
each language, one YAML file holds the words; `language/relations.yaml` holds the relations.

If a property is not in the table of relations, its words are made from its label (by `fallback` in
the language's file). Every claim can therefore be put into words. Questions use only those
properties that are in the table of relations.
"""

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from questloom.language.frames import VerbForms, past_tense, third_person
from questloom.language.relations import PropertyPhrase, PropertyUse, phrase_of, relation
from questloom.records.errors import InputError

_FOLDER = Path(__file__).parent


@functools.cache
def language_data(language: str) -> dict[str, Any]:
    """Everything that the file of a language contains.

    Raises:
        InputError: there is no file for the language.
    """
    path = _FOLDER / f"{language}.yaml"
    if not re.fullmatch(r"[a-z-]{2,12}", language) or not path.is_file():
        known = ", ".join(sorted(p.stem for p in _FOLDER.glob("*.yaml") if p.stem != "classes"))
        raise InputError(
            f"language {language!r}",
            "the graph writer has no phrases for it",
            f"Use one of {known}, or the llm writer.",
        )
    return yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)


@functools.cache
def verb_forms(language: str = "en") -> VerbForms:
    """The verb forms that the file of a language lists."""
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
    """The words for a relation (a property of Wikidata) in one language.

    Args:
        property_id: the property's id ("P84"). language: the language of the words.
        label: the label of the property. It supplies the words if the property is not in the table
            of relations.

    Raises:
        InputError: the language has no phrases.
    """
    data = language_data(language)
    return relation(property_id).say or phrase_of(
        property_id, _from_label(data["fallback"], label or property_id)
    )


def variants(phrase: PropertyPhrase) -> list[PropertyPhrase]:
    """A phrase, followed by all its variants for special kinds of subjects and objects."""
    return [
        phrase,
        *(phrase.variant((kind,)) for kind in phrase.kinds),
        *(phrase.variant((), (kind,)) for kind in phrase.kinds_object),
    ]


def _from_label(rules: list[Mapping[str, str]], label: str) -> dict[str, Any]:
    """The entry for a property whose words are made from its label. The first rule that matches the
    label is used."""
    # Braces would count as slots; "has part(s)" becomes "has part".
    label = (
        re.sub(r"^has (?=\w)|\(s\)|\s*\(.*?\)$", "", re.sub(r"[{}“”]", "", label)).strip() or label
    )
    rule = next(rule for rule in rules if re.search(rule["pattern"], label))
    entry: dict[str, Any] = {
        name: text.replace("{label}", label) for name, text in rule.items() if name != "pattern"
    }
    return {"sentences": [entry.pop("say")], **entry}


@functools.cache
def _classes() -> dict[str, list[str]]:
    return yaml.load((_FOLDER / "classes.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)


@functools.cache
def common_class_ranks() -> Mapping[str, int]:
    """The rank of each everyday class (such as "bridge"), by class id. If a thing belongs to
    several classes, the writer uses the class with the lowest rank."""
    return {class_id: rank for rank, class_id in enumerate(_classes()["common"])}


@functools.cache
def vague_classes() -> frozenset[str]:
    """Classes that no question asks for, because they fit too many kinds of things (such as
    "object")."""
    return frozenset(_classes()["vague"])


def property_use(property_id: str) -> PropertyUse:
    """How questions may use a property. If a property is not in the table, questions may not use it
    at all, because nobody has checked its words.

    Args:
        property_id: the property's id ("P84").
    """
    return relation(property_id).use
