"""Looks up labels, datatypes and classes for the wording of a form. `StoreWords` reads labels,
datatypes and classes from a store."""

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from questloom.records.knowledge import value_of_key
from questloom.transforms.certificate.leak import names_of_value
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.values import best_values

MAX_SUPERCLASSES = 200
_PRONOUN = {"Q6581097": "he", "Q6581072": "she"}


def hidden_names(
    facts: Facts, bindings: Mapping[str, str], languages: tuple[str, ...]
) -> list[str]:
    """The names of the things of a form, which a question must not contain.

    Args:
        facts: the store.
        bindings: the key of each variable's value.
        languages: codes of the languages of the names.
    """
    return [
        name
        for key in bindings.values()
        if key.startswith("Q")
        for name in names_of_value(facts, value_of_key(key), languages)
    ]


class WordSource(Protocol):
    """The look-ups in a store that are needed to put a form into words."""

    def label(self, entity_id: str, language: str) -> str:
        """The label of an entity, class, unit or property; the id where there is no label."""

    def datatype(self, property_id: str) -> str:
        """Wikibase's name for the property's datatype ("wikibase-item", "time"); "" where the
        datatype is not known."""

    def class_of(self, entity_id: str) -> str:
        """The class that people name for an entity; "" where the class is not known."""

    def superclasses(self, class_id: str) -> tuple[str, ...]:
        """The class itself and its superclasses, the nearest first."""

    def may_have(self, class_id: str, property_id: str) -> bool:
        """Whether things of a class may have a property: towns have no artist."""


class StoreWords:
    """A `WordSource` that reads a store. The look-ups of classes are cached, since every question
    needs them."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.superclasses = functools.lru_cache(maxsize=10_000)(self._superclasses)

    def label(self, entity_id: str, language: str) -> str:
        if entity_id.startswith("P"):
            info = self._store.property(entity_id)
            return info.label(language) if info else entity_id
        return self._store.label(entity_id, language)

    def datatype(self, property_id: str) -> str:
        info = self._store.property(property_id)
        return info.datatype if info else ""

    def may_have(self, class_id: str, property_id: str) -> bool:
        """Whether an entity of the class has the property in the store, or none is known."""
        profile = self._store.profile
        return bool(
            profile(property_id, class_id).num_subjects or not profile("P31", class_id).num_subjects
        )

    def group_of(self, entity_id: str, groups: Mapping[str, str]) -> str:
        """The nearest group of living things to which a thing belongs by P171 (parent taxon), in
        everyday words; "" where there is none.

        Args:
            entity_id: the thing.
            groups: maps English labels of taxa, in lower case, to everyday words.
        """
        labels = (self.label(t, "en").lower() for t in self._above(entity_id, "P171"))
        return next((groups[label] for label in labels if label in groups), "")

    def class_of(self, entity_id: str) -> str:
        return find_descriptor_class(self._store, entity_id)

    def classes_of(self, bindings: Mapping[str, str]) -> dict[str, str]:
        """The class of each variable's thing, where known."""
        return {var: found for var, key in bindings.items() if (found := self.class_of(key))}

    def pronoun_of(self, entity_id: str) -> str:
        """ "he" or "she" by the claim of P21 (sex); "" where there is no claim, or another value."""
        values = best_values(self._store, entity_id, "P21") if entity_id.startswith("Q") else ()
        return _PRONOUN.get(values[0].entity, "") if len(values) == 1 else ""

    def _superclasses(self, class_id: str) -> tuple[str, ...]:
        return self._above(class_id, "P279")

    def _above(self, entity_id: str, property_id: str) -> tuple[str, ...]:
        def parents(below: str) -> list[str]:
            return [
                c.value.entity
                for c in self._store.claims(below)
                if c.best and c.property == property_id and c.value.entity
            ]

        return nearest_first(entity_id, parents)


def nearest_first(class_id: str, parents: Callable[[str], Iterable[str] | None]) -> tuple[str, ...]:
    """The class and all its superclasses, the nearest first. The search goes breadth first over
    direct superclasses, and also ends for cycles and huge hierarchies.

    >>> nearest_first("a", {"a": ["c", "b"], "b": ["a"], "c": []}.get)
    ('a', 'b', 'c')
    """
    found = [class_id]
    for current in found:
        found.extend(sorted(set(parents(current) or ()) - set(found)))
        if len(found) > MAX_SUPERCLASSES:
            break
    return tuple(found)
