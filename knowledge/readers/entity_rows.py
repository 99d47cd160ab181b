"""Rows of Wikidata entities, as data sets on the Hub have them, to what a dump's lines give.

One row an entity: id, labels, descriptions, aliases, sitelinks, claims, each as in Wikidata's JSON, as an object or as a text that
holds it. `philippesaade/wikidata` leaves out of a snak its `snaktype` and the type of its value, and adds labels, which are not read.

Source of the format: https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html and the data set's card on the Hub
"""

from collections.abc import Iterator
from typing import Any

from questloom.knowledge.readers.data_sets import (
    Row,
    RowRange,
    decoded_field,
    missing,
    plan_rows,
    read_rows,
)
from questloom.knowledge.readers.wikidata_json import Item, parse_entities
from questloom.records.errors import InputError
from questloom.records.knowledge import PropertyInfo, Redirect
from questloom.records.outcomes import Rejection

NESTED = ("labels", "descriptions", "aliases", "sitelinks", "claims")
FIELDS = ("id", *NESTED)
VALUE_TYPES = {
    "wikibase-item": "wikibase-entityid",
    "wikibase-property": "wikibase-entityid",
    "wikibase-lexeme": "wikibase-entityid",
    "globe-coordinate": "globecoordinate",
    "quantity": "quantity",
    "time": "time",
    "monolingualtext": "monolingualtext",
}
"""Type of a value by the datatype of its property; of all others it is a text."""


def plan_entity_rows(path: str, most: int = 1 << 12) -> list[RowRange]:
    """At most so many ranges of a data set of entities.

    Raises:
        InputError: it cannot be read, or lacks a field.
    """
    return plan_rows(path, FIELDS, most)


def read_entity_rows(
    part: RowRange, *, snapshot: str, languages: tuple[str, ...] = ()
) -> Iterator[Item | PropertyInfo | Redirect | Rejection]:
    """The entities of a range.

    Args:
        part: the range.
        snapshot: YYYY-MM-DD: claims are best as of this day.
        languages: of labels, aliases and descriptions to keep; () keeps all.

    Raises:
        InputError: a row has no id, or a field that is no JSON.
    """
    for where, row in read_rows(part):
        if "redirect" in row and "entity" in row:
            yield from parse_entities(row, snapshot=snapshot)
            continue
        if not row.get("id"):
            raise missing(where, "id", row)
        entity = {**row, **{name: decoded_field(where, name, row.get(name)) for name in NESTED}}
        for name in NESTED:
            if not isinstance(entity[name] or {}, dict):
                raise InputError(
                    where, f"has no object in the field {name!r}", "Write it as Wikidata's JSON."
                )
        for name in ("labels", "descriptions"):
            entity[name] = {
                language: text if isinstance(text, dict) else {"value": text}
                for language, text in (entity[name] or {}).items()
                if text
            }
        entity["aliases"] = {k: v for k, v in (entity["aliases"] or {}).items() if v}
        entity["sitelinks"] = {
            site: link if isinstance(link, dict) else {"title": link}
            for site, link in (entity["sitelinks"] or {}).items()
            if link
        }
        entity["claims"] = {
            prop: [_statement(where, s) for s in group]
            for prop, group in (entity["claims"] or {}).items()
        }
        yield from parse_entities(entity, snapshot=snapshot, languages=languages)


def _statement(where: str, statement: Row) -> Row:
    """A statement whose snaks say their kind and the type of their value."""
    qualifiers = statement.get("qualifiers") or {}
    return {
        **statement,
        "mainsnak": whole_snak(where, statement.get("mainsnak") or {}),
        "qualifiers": {p: [whole_snak(where, s) for s in some] for p, some in qualifiers.items()},
    }


def whole_snak(where: str, snak: Row) -> Row:
    """A snak with its kind and the type of its value.

    Raises:
        InputError: it has neither these nor its property's datatype.

    >>> snak = {"property": "P31", "datatype": "wikibase-item", "datavalue": {"id": "Q5"}}
    >>> whole_snak("row 1", snak)["datavalue"]
    {'type': 'wikibase-entityid', 'value': {'id': 'Q5'}}
    """
    if "snaktype" in snak:
        return snak
    value: Any = snak.get("datavalue")
    if value is None:
        return {**snak, "snaktype": "somevalue"}
    if "datatype" not in snak:
        raise missing(where, "claims.datatype", snak)
    kind = VALUE_TYPES.get(str(snak["datatype"]), "string")
    return {**snak, "snaktype": "value", "datavalue": {"type": kind, "value": value}}
