"""Describes an entity's appearance in a few words: its class and its visible attributes, never its
name.

An example is "a white lighthouse of granite with 3 bands". CLIP compares pictures with the
description of an entity. OpenSearch-VL's pipeline compares pictures with a text that names the
entity. A text with a name tests whether a model knows names, not what a picture shows.
"""

from dataclasses import dataclass
from typing import Protocol

from questloom.language.english import NUMBER_WORDS
from questloom.records.knowledge import Claim, Entity, ImageAsset, Value

CLASS, COLOUR, MATERIAL, DEPICTS, SEX, STOREYS, COUNT, GENRE, PARENT = (
    "P31",
    "P462",
    "P186",
    "P180",
    "P21",
    "P1101",
    "P1114",
    "P136",
    "P171",
)
HUMAN, TAXON, PAINTING = "Q5", "Q16521", "Q3305213"
_GROUPS = {
    "Q5113": "bird",
    "Q152": "fish",
    "Q7377": "mammal",
    "Q10811": "reptile",
    "Q10908": "amphibian",
    "Q28319": "butterfly",
    "Q1390": "insect",
    "Q1358": "spider",
    "Q25314": "flower",
    "Q764": "fungus",
    "Q756": "plant",
    "Q729": "animal",
}
"""Groups of organisms that have an everyday name. Narrow groups come before the wider groups that
contain them through P171 (parent taxon)."""
_MAX_RANKS = 40


class Described(Protocol):
    """The look-ups of `questloom.knowledge.store.Store` that a description needs."""

    def entity(self, entity_id: str) -> Entity | None: ...
    def claims(self, subject: str) -> tuple[Claim, ...]: ...
    def label(self, entity_id: str, language: str = ...) -> str: ...
    def images_of(self, entity_id: str) -> tuple[ImageAsset, ...]: ...


@dataclass(frozen=True)
class Looks:
    """The visible facts about an entity, in words. All tuples of words are sorted."""

    noun: str
    colours: tuple[str, ...] = ()
    materials: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    """Counted or coloured parts: "three arches", "a red door"."""
    shown: tuple[str, ...] = ()
    """The things that a work of art depicts."""

    def text(self) -> str:
        """The description in English."""
        words = " ".join((" and ".join(self.colours), self.noun)).strip()
        text = f"{article(words)} {words}"
        if self.materials:
            text += f" of {_listed(self.materials)}"
        if self.parts:
            text += f" with {_listed(self.parts)}"
        if self.shown:
            text += f" showing {_listed(tuple(f'{article(w)} {w}' for w in self.shown))}"
        return text


def looks_of(store: Described, entity_id: str, *, without_picture: str = "") -> Looks:
    """The visible facts about an entity, from its claims and from the details of its pictures.

    Args:
        store: the store.
        entity_id: the entity to describe.
        without_picture: id of a picture whose own details are not used, because the description
            will judge this picture.
    """
    best = _best(store, entity_id)

    def labels(property: str) -> tuple[str, ...]:
        return tuple(
            sorted({store.label(v.entity) for v in best.get(property, ()) if v.kind == "entity"})
        )

    shown = {noun_of(store, v.entity) for v in best.get(DEPICTS, ()) if v.kind == "entity"}
    parts = {f"{_number(v.number)} storeys" for v in best.get(STOREYS, ()) if v.number}
    for image in store.images_of(entity_id):
        if image.id == without_picture or entity_id not in image.depicts:
            continue
        for detail in image.details:
            part = detail.part_label or (store.label(detail.part) if detail.part else "")
            if detail.property == COUNT and part and detail.value.number:
                parts.add(
                    f"{_number(detail.value.number)} {plural(part)}"
                    if detail.value.number > 1
                    else f"{article(part)} {part}"
                )
            elif detail.property == COLOUR and part and detail.value.kind == "entity":
                colour = store.label(detail.value.entity)
                parts.add(f"{article(colour)} {colour} {part}")
    genre = (
        " and ".join(labels(GENRE)) if shown else ""
    )  # a novel's genre is not visible, a picture's is
    painted = any(
        v.entity == PAINTING for v in best.get(CLASS, ())
    )  # oil or tempera, canvas or copper: not visible
    return Looks(
        noun=f"{genre} {noun_of(store, entity_id)}".strip(),
        colours=labels(COLOUR),
        materials=() if painted else labels(MATERIAL),
        parts=tuple(sorted(parts)),
        shown=tuple(sorted(shown)),
    )


def noun_of(store: Described, entity_id: str) -> str:
    """The kind of an entity in one word: "man" or "woman" for a person, the group for an organism,
    otherwise the name of its class. If the entity is a class itself, its own name is used."""
    best = _best(store, entity_id)
    classes = sorted(v.entity for v in best.get(CLASS, ()) if v.kind == "entity")
    if HUMAN in classes:
        sexes = {store.label(v.entity) for v in best.get(SEX, ())}
        return "man" if sexes == {"male"} else "woman" if sexes == {"female"} else "person"
    if TAXON in classes:
        return _group(store, entity_id)
    if classes:
        return store.label(classes[0])
    return store.label(entity_id) if store.entity(entity_id) is not None else "thing"


def _group(store: Described, taxon: str) -> str:
    for _ in range(_MAX_RANKS):
        if taxon in _GROUPS:
            return _GROUPS[taxon]
        parents = sorted(
            v.entity for v in _best(store, taxon).get(PARENT, ()) if v.kind == "entity"
        )
        if not parents:
            break
        taxon = parents[0]
    return "organism"


def _best(store: Described, entity_id: str) -> dict[str, list[Value]]:
    found: dict[str, list[Value]] = {}
    for claim in store.claims(entity_id):
        if claim.best:
            found.setdefault(claim.property, []).append(claim.value)
    return found


def article(words: str) -> str:
    """The English indefinite article ("a" or "an") for some words, by their first letter.

    >>> article("arch bridge"), article("university"), article("lighthouse")
    ('an', 'a', 'a')
    """
    return (
        "an"
        if words[:1].lower() in "aeiou" and not words.lower().startswith(("uni", "eu", "one"))
        else "a"
    )


def plural(noun: str) -> str:
    """The regular English plural of a noun.

    >>> plural("arch"), plural("window"), plural("gallery")
    ('arches', 'windows', 'galleries')
    """
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def _number(number: float) -> str:
    return NUMBER_WORDS[int(number)] if number in range(2, 13) else f"{number:g}"


def _listed(items: tuple[str, ...]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]
