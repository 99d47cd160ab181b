"""Finds what an entity refers to: the values of its claims, its classes, its article and its
pictures."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from questloom.knowledge.readers.commons_page import file_name

MAX_VALUES = 100
"""An entity with more than MAX_VALUES values (a country, a capital) is a hub. A hub is gathered,
but the values of its claims are not."""
INTERNAL = frozenset(("Q4167836", "Q4167410", "Q13406463", "Q11266439", "Q17442446"))
"""Classes of a wiki's own pages: categories, disambiguation pages, lists and templates. An item of
one of these classes for internal pages is gathered, but the values of its claims are not."""
INSTANCE_OF, SUBCLASS_OF, PICTURE = "P31", "P279", "P18"
_ITEM = re.compile(r"Q[1-9]\d*")

Json = dict[str, Any]


class Links(NamedTuple):
    """The ids and titles to which an entity refers. Each tuple keeps the order of the entity's
    claims."""

    classes: tuple[str, ...]
    parents: tuple[str, ...]
    """The direct superclasses, if the entity is a class."""
    values: tuple[str, ...]
    """The items that the entity's claims name, except classes ("instance of") and superclasses
    ("subclass of")."""
    units: tuple[str, ...]
    properties: tuple[str, ...]
    """The properties of the entity's claims and of their qualifiers."""
    article: str
    pictures: tuple[str, ...]
    sitelinks: int = 0
    """Number of wikis with a page about the entity."""

    @property
    def named(self) -> tuple[str, ...]:
        """All items that an entity's claims name."""
        return (*self.classes, *self.parents, *self.values)

    @property
    def is_way(self) -> bool:
        """Whether `gather` follows the entity's claims to their values, which it does not for a hub
        or an internal page."""
        return len(self.values) <= MAX_VALUES and not INTERNAL & set(self.classes)


def links_of(entity: Json, wiki: str) -> Links:
    """Reads the links of an entity from the API's JSON. Deprecated claims are ignored.

    Args:
        wiki: the wiki of the article, such as "enwiki".
    """
    found: dict[str, list[str]] = {INSTANCE_OF: [], SUBCLASS_OF: []}
    values: list[str] = []
    units: list[str] = []
    properties: list[str] = []
    pictures: list[tuple[bool, str]] = []
    for prop, statements in (entity.get("claims") or {}).items():
        for statement in statements:
            if statement.get("rank") == "deprecated":
                continue
            properties += [prop, *(statement.get("qualifiers") or ())]
            snak = statement["mainsnak"]
            for item in _items(snak):
                found.get(prop, values).append(item)
            for qualifiers in (statement.get("qualifiers") or {}).values():
                for qualifier in qualifiers:
                    units += _units(qualifier)
            units += _units(snak)
            if prop == PICTURE and snak.get("snaktype") == "value":
                name = file_name(str(snak["datavalue"]["value"]))
                pictures.append((statement.get("rank") != "preferred", name))
    best = [name for other, name in pictures if not other] or [name for _, name in pictures]
    return Links(
        classes=_unique(found[INSTANCE_OF]),
        parents=_unique(found[SUBCLASS_OF]),
        values=_unique(values),
        units=_unique(units),
        properties=_unique(properties),
        article=str(((entity.get("sitelinks") or {}).get(wiki) or {}).get("title", "")),
        pictures=_unique(best),
        sitelinks=len(entity.get("sitelinks") or ()),
    )


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _items(snak: Json) -> Iterator[str]:
    value = snak.get("datavalue", {}).get("value")
    if isinstance(value, dict) and value.get("entity-type") == "item":
        name = str(value.get("id") or f"Q{value.get('numeric-id')}")
        if _ITEM.fullmatch(name):
            yield name


def _units(snak: Json) -> list[str]:
    value = snak.get("datavalue", {}).get("value")
    unit = str(value.get("unit", "")).rpartition("/")[2] if isinstance(value, dict) else ""
    return [unit] if _ITEM.fullmatch(unit) else []


def classes_above(classes: Iterable[str], links: Mapping[str, Links]) -> set[str]:
    """Returns the given classes and all their superclasses that occur in `links`."""
    above: set[str] = set()
    waiting = list(classes)
    while waiting:
        one = waiting.pop()
        if one not in above:
            above.add(one)
            waiting += links[one].parents if one in links else ()
    return above


def is_item(name: str) -> bool:
    """Whether a text is an item's id.

    >>> is_item("Q42"), is_item("P31"), is_item("Q42 x")
    (True, False, False)
    """
    return _ITEM.fullmatch(name) is not None


def number_of(name: str) -> int:
    """The number in an id; ids are sorted by this number.

    >>> sorted(["Q10", "Q9"], key=number_of)
    ['Q9', 'Q10']
    """
    return int(name[1:])
