"""Writes items and properties as lines of a Wikidata JSON dump. Writes truth.jsonl, which states
everything that is true in the fictional world.

Source: https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html
"""

import uuid
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from questloom.knowledge.world import gaps, vocabulary
from questloom.knowledge.world.model import Statement, Thing
from questloom.knowledge.world.part import Part
from questloom.knowledge.world.readable import value_text
from questloom.records.identity import sha256_hex
from questloom.records.knowledge import Qualifier, Value

CALENDAR = "http://www.wikidata.org/entity/Q1985727"
ENTITY_URL = "http://www.wikidata.org/entity/"
SINGLE, SINGLE_BEST, DISTINCT, SUBJECT_TYPE = "Q19474404", "Q52060874", "Q21502410", "Q21503250"
MODIFIED = "2024-01-01T00:00:00Z"


@cache
def wiki_codes() -> tuple[str, ...]:
    """The language codes of real Wikipedias, large ones first."""
    return tuple((Path(__file__).parent / "wiki_codes.txt").read_text(encoding="utf-8").split())


def _datavalue(value: Value) -> dict[str, Any]:
    match value.kind:
        case "entity":
            kind = "property" if value.entity[0] == "P" else "item"
            return {
                "value": {
                    "entity-type": kind,
                    "numeric-id": int(value.entity[1:]),
                    "id": value.entity,
                },
                "type": "wikibase-entityid",
            }
        case "time":
            return {
                "value": {
                    "time": value.time,
                    "timezone": 0,
                    "before": 0,
                    "after": 0,
                    "precision": value.precision,
                    "calendarmodel": CALENDAR,
                },
                "type": "time",
            }
        case "quantity":
            return {
                "value": {
                    "amount": f"{value.number:+.10g}",
                    "unit": ENTITY_URL + value.unit if value.unit else "1",
                },
                "type": "quantity",
            }
        case "coordinate":
            return {
                "value": {
                    "latitude": value.latitude,
                    "longitude": value.longitude,
                    "altitude": None,
                    "precision": 0.0001,
                    "globe": ENTITY_URL + "Q2",
                },
                "type": "globecoordinate",
            }
        case "monolingual":
            return {
                "value": {"text": value.text, "language": value.language},
                "type": "monolingualtext",
            }
        case _:
            return {"value": value.text, "type": "string"}


def snak(prop: str, value: Value, *, unknown: bool = False) -> dict[str, Any]:
    """A snak in the form of the dump: one property with one value."""
    datatype = vocabulary.properties()[prop].datatype
    if unknown or value.kind in ("somevalue", "novalue"):
        return {
            "snaktype": "novalue" if value.kind == "novalue" else "somevalue",
            "property": prop,
            "datatype": datatype,
        }
    return {
        "snaktype": "value",
        "property": prop,
        "datavalue": _datavalue(value),
        "datatype": datatype,
    }


def statement_json(subject: str, statement: Statement) -> dict[str, Any]:
    """A statement with rank, qualifiers and an id that depends only on its content."""
    digest = sha256_hex(
        f"{subject}{statement.property}{statement.value.key()}{statement.rank}{statement.qualifiers}"
    )
    found: dict[str, Any] = {
        "mainsnak": snak(statement.property, statement.value, unknown=statement.unknown_in_dump),
        "type": "statement",
        "id": f"{subject}${str(uuid.UUID(digest[:32])).upper()}",
        "rank": statement.rank,
    }
    if statement.qualifiers:
        found["qualifiers"] = _by_property(statement.qualifiers)
        found["qualifiers-order"] = list(found["qualifiers"])
    found["references"] = []
    return found


def _by_property(qualifiers: tuple[Qualifier, ...]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for one in qualifiers:
        found.setdefault(one.property, []).append(snak(one.property, one.value))
    return found


def grouped(subject: str, statements: list[Statement]) -> dict[str, list[dict[str, Any]]]:
    """Groups the statements by property, in the order in which they were made."""
    found: dict[str, list[dict[str, Any]]] = {}
    for statement in statements:
        found.setdefault(statement.property, []).append(statement_json(subject, statement))
    return found


def _terms(texts: dict[str, str]) -> dict[str, dict[str, str]]:
    return {language: {"language": language, "value": text} for language, text in texts.items()}


def item_line(part: Part, thing: Thing, gap_level: int) -> bytes:
    """The line of one item in the dump, without the comma."""
    sitelinks = {}
    if thing.article:
        sitelinks["enwiki"] = {"site": "enwiki", "title": thing.title, "badges": []}
    for code in wiki_codes()[1 : 1 + num_other_wikis(part, thing)]:
        sitelinks[f"{code}wiki"] = {
            "site": f"{code}wiki",
            "title": thing.labels.get(code, thing.title),
            "badges": [],
        }
    number = int(thing.id[1:])
    return orjson.dumps(
        {
            "type": "item",
            "id": thing.id,
            "labels": _terms({"en": thing.label, **thing.labels}),
            "descriptions": _terms({"en": thing.description}),
            "aliases": {
                language: [{"language": language, "value": text} for text in texts]
                for language, texts in thing.aliases.items()
                if texts
            },
            "claims": grouped(thing.id, gaps.remaining(part.seed, gap_level, thing)),
            "sitelinks": sitelinks,
            "pageid": number - 800_000_000,
            "ns": 0,
            "title": thing.id,
            "lastrevid": 2_000_000_000 + number % 100_000_000,
            "modified": MODIFIED,
        }
    )


def num_other_wikis(part: Part, thing: Thing) -> int:
    """The number of Wikipedias in other languages with an article about a thing. The number of
    Wikipedias has a heavy tail: 0 for most things, nearly 200 for the country."""
    if not thing.article:
        return 0
    draw = part.rng(f"sitelinks-{thing.id}").lognormvariate(0, 0.8)
    return min(len(wiki_codes()) - 1, int(thing.fame**0.85 * draw / 2))


def term_lines(learning: bool = False) -> list[bytes]:
    """The dump's lines for the real classes, everyday values and properties. For the learning
    world, only the classes, values and properties that it uses are written."""
    unused = vocabulary.of_country() if learning else frozenset()
    items = sorted(
        (qid for qid in vocabulary.labels() if qid not in unused), key=lambda qid: int(qid[1:])
    )
    properties = sorted(
        (pid for pid in vocabulary.properties() if pid not in unused), key=lambda pid: int(pid[1:])
    )
    return [orjson.dumps(made) for made in (*map(_item, items), *map(_property, properties))]


def _item(qid: str) -> dict[str, Any]:
    """The dump's line for a real class or everyday value."""
    statements = [
        Statement("P279", Value(kind="entity", entity=p))
        for p in vocabulary.class_parents().get(qid, ())
    ]
    if qid in vocabulary.classes_of_terms():
        statements.append(
            Statement("P31", Value(kind="entity", entity=vocabulary.classes_of_terms()[qid]))
        )
    return {
        "type": "item",
        "id": qid,
        "labels": _terms({"en": vocabulary.labels()[qid]}),
        "descriptions": {},
        "aliases": {},
        "claims": grouped(qid, statements),
        "sitelinks": {},
        "pageid": int(qid[1:]),
        "ns": 0,
        "title": qid,
        "lastrevid": 1_000_000_000 + int(qid[1:]) % 1_000_000,
        "modified": MODIFIED,
    }


def _property(pid: str) -> dict[str, Any]:
    """The dump's line for a real property with its constraints."""
    term = vocabulary.properties()[pid]
    constraints = [
        *({"s": SINGLE, "b": SINGLE_BEST, "d": DISTINCT}[c] for c in term.constraints),
        SUBJECT_TYPE,
    ]
    return {
        "type": "property",
        "datatype": term.datatype,
        "id": pid,
        "labels": _terms({"en": term.label}),
        "descriptions": {},
        "aliases": {"en": [{"language": "en", "value": a} for a in term.aliases]}
        if term.aliases
        else {},
        "claims": grouped(
            pid, [Statement("P2302", Value(kind="entity", entity=c)) for c in constraints]
        ),
        "pageid": 10_000 + int(pid[1:]),
        "ns": 120,
        "title": f"Property:{pid}",
        "lastrevid": 1_500_000_000 + int(pid[1:]),
        "modified": MODIFIED,
    }


def truth_line(part: Part, thing: Thing, *, pictures: bool) -> bytes:
    """The line of a thing in truth.jsonl; the package's README describes the schema."""
    claims = []
    for s in thing.statements:
        if s.rank == "deprecated" or s.value.kind == "novalue":
            continue
        label = part.label(s.value.entity) if s.value.kind == "entity" else ""
        claims.append(
            [
                s.property,
                s.value.key(),
                value_text(s.value, label),
                s.value in thing.values(s.property),
            ]
        )
    shown = thing.pictures if pictures else []
    return orjson.dumps(
        {
            "id": thing.id,
            "kind": thing.kind,
            "label": thing.label,
            "labels": thing.labels,
            "aliases": thing.aliases,
            "description": thing.description,
            "class": thing.classes[0],
            "class_labels": [
                vocabulary.labels()[c] for c in vocabulary.ancestors(thing.classes[0])
            ],
            "claims": claims,
            "told": [
                [
                    key,
                    value.key(),
                    value_text(value, part.label(value.entity) if value.kind == "entity" else ""),
                ]
                for key, value in thing.told.items()
            ],
            "details": [
                {
                    "picture": p.file,
                    "property": m.property,
                    "part": m.part,
                    "value": m.value.key(),
                    "readable": m.readable,
                }
                for p in shown
                if p.kind in ("photo", "sketch")
                for i, m in enumerate(thing.marks)
                if i in p.marks
            ],
            "pictures": [p.file for p in shown if p.kind in ("photo", "copy", "sketch")],
            "article": thing.title if thing.article else "",
        }
    )
