"""Reads Wikidata entities from the rows of data sets on the Hugging Face Hub. The resulting records
equal those that a Wikidata dump gives.

One row holds one entity: id, labels, descriptions, aliases, sitelinks, claims. Each field of a row
is an object of Wikidata's JSON, or the text of such an object. In the data set
`philippesaade/wikidata`, the snaks (values of statements) lack `snaktype` and the type of the
value. The snaks of that data set also have labels, which this reader ignores.

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
"""Maps the datatype of a property to the JSON type of the property's values. The values of a
datatype that is not listed are texts."""


def plan_entity_rows(path: str, most: int = 1 << 12) -> list[RowRange]:
    """Splits a data set of entities into at most `most` ranges.

    Raises:
        InputError: the data set cannot be read, or lacks a field.
    """
    return plan_rows(path, FIELDS, most)


def read_entity_rows(
    part: RowRange, *, snapshot: str, languages: tuple[str, ...] = ()
) -> Iterator[Item | PropertyInfo | Redirect | Rejection]:
    """Reads the entities of a range.

    Args:
        part: a range of `plan_entity_rows`.
        snapshot: a day, YYYY-MM-DD; a claim counts as a best claim only if it holds on this day.
        languages: languages of the labels, aliases and descriptions to keep; () keeps all.

    Raises: InputError: a row has no id, or a field is not JSON.
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
    """Returns the statement, and adds `snaktype` and value type to all its snaks (values)."""
    qualifiers = statement.get("qualifiers") or {}
    return {
        **statement,
        "mainsnak": whole_snak(where, statement.get("mainsnak") or {}),
        "qualifiers": {p: [whole_snak(where, s) for s in some] for p, some in qualifiers.items()},
    }


def whole_snak(where: str, snak: Row) -> Row:
    """Returns the snak (one value of a statement), and adds `snaktype` and value type.

    Raises: InputError: the snak lacks `snaktype` or the value's type, and its property has no
    datatype from which they could be derived.

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
