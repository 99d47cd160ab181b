"""A SPARQL query service with Wikidata's RDF: seeds, and entities with their claims, for some hundreds. For more use the JSON dump.

Of a claim's qualifiers only start and end time are asked for: they decide whether it holds. `P580`/`P582`, ranks,
units, bounds, globes, precisions and calendars come out as `wikidata_json` reads them from a dump. How far a time is
uncertain (`before`, `after`) no RDF says.

Source of the format: https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format
"""

import http.client
import re
import socket
import urllib.error
import urllib.parse
from collections.abc import Iterator
from typing import Any

import orjson
from SPARQLWrapper import JSON, POST, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import (
    EndPointInternalError,
    EndPointNotFound,
    QueryBadFormed,
    Unauthorized,
    URITooLong,
)

from questloom.calls.attempts import Status
from questloom.calls.caller import Caller
from questloom.calls.retry import CallFault, fault_of_status
from questloom.knowledge.readers.polite import QUERIES, ask, user_agent
from questloom.knowledge.readers.wikidata_json import (
    WIKI,
    Item,
    holds_at,
    make_coordinate,
    make_quantity,
    make_time,
)
from questloom.records.knowledge import Claim, Entity, Qualifier, Redirect, Value
from questloom.records.names import codes_of, names_by_language
from questloom.records.periods import JULIAN, parts_of, time_of, to_julian

WIKIDATA_ENDPOINT = "https://query.wikidata.org/sparql"
TIMEOUT = 70
"""Seconds; the Query Service ends a query after 60."""
LONGEST = 600
"""Seconds from sending to the last byte."""
MAX_REPLY_BYTES = 256 << 20
BATCH = 20
"""Entities a query: their statements are a few thousand rows."""
PAGE = 5000

Row = dict[str, dict[str, str]]
"""A result row: variable to {"type", "value", "xml:lang"?, "datatype"?}; unbound variables are absent."""

_ENTITY = "http://www.wikidata.org/entity/"
_PREFIXES = f"""PREFIX wd: <{_ENTITY}>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
PREFIX pqv: <http://www.wikidata.org/prop/qualifier/value/>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX schema: <http://schema.org/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
"""
_SEEDS = """SELECT ?item WHERE {
  ?item wikibase:sitelinks ?sitelinks ; wikibase:statements ?statements ; wdt:P18 ?picture .
  ?article schema:about ?item ; schema:isPartOf <https://%(language)s.wikipedia.org/> .
  FILTER(?sitelinks <= %(max_sitelinks)d && ?statements >= %(min_statements)d)
  FILTER NOT EXISTS { ?item wdt:P31 wd:Q5 }
}"""
_STATEMENTS = """SELECT ?item ?property ?statement ?rank ?type ?value ?precision ?calendar ?unit ?lower ?upper ?globe
  ?start ?startPrecision ?end ?endPrecision WHERE {
  VALUES ?item { %(values)s }
  ?property wikibase:claim ?claim ; wikibase:statementProperty ?says ; wikibase:propertyType ?type .
  ?item ?claim ?statement .
  ?statement wikibase:rank ?rank .
  OPTIONAL { ?statement ?says ?value }
  OPTIONAL { ?property wikibase:statementValue ?full . ?statement ?full ?node .
             OPTIONAL { ?node wikibase:timePrecision ?precision }
             OPTIONAL { ?node wikibase:timeCalendarModel ?calendar }
             OPTIONAL { ?node wikibase:quantityUnit ?unit }
             OPTIONAL { ?node wikibase:quantityLowerBound ?lower ; wikibase:quantityUpperBound ?upper }
             OPTIONAL { ?node wikibase:geoGlobe ?globe } }
  OPTIONAL { ?statement pqv:P580 ?startNode . ?startNode wikibase:timeValue ?start ; wikibase:timePrecision ?startPrecision }
  OPTIONAL { { ?statement pqv:P582 ?endNode . ?endNode wikibase:timeValue ?end ; wikibase:timePrecision ?endPrecision }
             UNION { ?statement pq:P582 ?end . FILTER(isBlank(?end) || CONTAINS(STR(?end), "/.well-known/genid/")) } }
}"""
_NAMES = """SELECT ?item ?kind ?text WHERE {
  VALUES ?item { %(values)s }
  { ?item rdfs:label ?text . BIND("label" AS ?kind) FILTER(LANG(?text) IN (%(languages)s)) }
  UNION { ?item skos:altLabel ?text . BIND("alias" AS ?kind) FILTER(LANG(?text) IN (%(languages)s)) }
  UNION { ?item schema:description ?text . BIND("description" AS ?kind) FILTER(LANG(?text) IN (%(languages)s)) }
  UNION { ?item schema:version ?text . BIND("version" AS ?kind) }
  UNION { ?item owl:sameAs ?other . BIND("redirect" AS ?kind) BIND(STR(?other) AS ?text) }
  UNION { ?page schema:about ?item ; schema:isPartOf ?site ; schema:name ?name . BIND(STR(?site) AS ?kind) BIND(?name AS ?text) }
}"""


class SparqlService:
    """A query service: one query at a time, replies cached.

    Args:
        endpoint: its address.
        caller: of `polite_caller`; delete its folder to ask anew.
        contact: mail address or page of whoever runs this; "" takes QUESTLOOM_CONTACT.

    Raises:
        InputError: there is no contact.
    """

    def __init__(self, endpoint: str, caller: Caller, *, contact: str = "") -> None:
        self.endpoint, self.caller, self.agent = endpoint, caller, user_agent(contact)

    def select(self, query: str) -> list[Row]:
        """The rows of a SELECT query, in the service's order.

        Raises:
            ProviderFault: the service fails lastingly, or refuses the query.
        """
        query = _PREFIXES + query

        async def send() -> bytes:
            # The event loop stands still meanwhile: it has nothing else to do, and a query in a thread would go on beside the next one after a timeout.
            body = self._send(query)
            self._check(body)
            return body

        return rows_of(
            ask(
                self.caller,
                QUERIES,
                {"endpoint": self.endpoint, "query": query},
                send,
                timeout=LONGEST,
            )
        )

    def select_all(
        self, query: str, order: str, *, page: int = PAGE, limit: int | None = None
    ) -> Iterator[Row]:
        """All rows, in slices of `page` in a stable order (a variable that tells all rows apart), up to `limit`."""
        offset = 0
        while limit is None or offset < limit:
            wanted = page if limit is None else min(page, limit - offset)
            rows = self.select(f"{query}\nORDER BY {order} LIMIT {wanted} OFFSET {offset}")
            yield from rows
            offset += len(rows)
            if len(rows) < wanted:
                return

    def _send(self, query: str) -> bytes:
        wrapper = SPARQLWrapper(self.endpoint, agent=self.agent, returnFormat=JSON)
        wrapper.setMethod(POST)
        wrapper.setTimeout(TIMEOUT)
        wrapper.setQuery(query)
        try:
            body: bytes = wrapper.query().response.read(MAX_REPLY_BYTES + 1)
        except urllib.error.HTTPError as error:
            said, headers = (
                f"{self.endpoint} answers: {_shown(error.read(500))}",
                {k.lower(): v for k, v in error.headers.items()},
            )
            raise fault_of_status(QUERIES, error.code, said, headers) from error
        except EndPointInternalError as error:
            raise CallFault(
                QUERIES,
                f"{self.endpoint} answers: {_words(str(error))}"[:300],
                Status.SERVER_ERROR,
                status=500,
            ) from error
        except EndPointNotFound as error:
            raise CallFault(
                QUERIES,
                f"there is no query service at {self.endpoint}; look at its address and the network",
                Status.NOT_ACCEPTED,
                status=404,
                retryable=False,
            ) from error
        except (QueryBadFormed, Unauthorized, URITooLong) as error:
            raise CallFault(
                QUERIES,
                f"{self.endpoint} refuses the query: {type(error).__name__}, {_words(str(error))}"[
                    :300
                ],
                Status.NOT_ACCEPTED,
                retryable=False,
            ) from error
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, OSError) as error:
            reason = getattr(error, "reason", error)
            unreachable = isinstance(reason, ConnectionRefusedError | socket.gaierror)
            kind = (
                Status.TIMEOUT
                if isinstance(reason, TimeoutError)
                else Status.UNREACHABLE
                if unreachable
                else Status.CUT
            )
            raise CallFault(
                QUERIES,
                f"no reply from {self.endpoint} ({reason}); look at its address and the network"[
                    :300
                ],
                kind,
            ) from error
        if len(body) > MAX_REPLY_BYTES:
            raise CallFault(
                QUERIES,
                f"a reply of more than {MAX_REPLY_BYTES:,} bytes",
                Status.NOT_ACCEPTED,
                retryable=False,
            )
        return body

    def _check(self, body: bytes) -> None:
        try:
            rows_of(body)
        except (
            ValueError
        ) as error:  # a page of HTML, or JSON cut off: the service does so when it is overloaded
            raise CallFault(
                QUERIES,
                f"{self.endpoint} gives no SPARQL result ({error}): {_shown(body)}",
                Status.BAD_RESPONSE,
                status=200,
            ) from error


def rows_of(body: bytes) -> list[Row]:
    """The rows of a reply in application/sparql-results+json.

    Raises:
        ValueError: it is none.
    """
    try:
        rows = orjson.loads(body)["results"]["bindings"]
    except (KeyError, TypeError) as error:
        raise ValueError("no results.bindings") from error
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and all(map(_is_cell, row.values())) for row in rows
    ):
        raise ValueError("results.bindings are no rows")
    return rows


def _is_cell(cell: object) -> bool:
    return isinstance(cell, dict) and isinstance(cell.get("value"), str)


def _shown(body: bytes) -> str:
    return _words(body[:500].decode("utf-8", "replace"))[:200]


def _words(text: str) -> str:
    """On one line; of a page of HTML the words, of which it may say some twice."""
    return " ".join(
        (re.sub(r"<[^>]*>?", " ", text) if "<html" in text[:200].lower() else text).split()
    )


def rare_seeds(
    service: SparqlService,
    *,
    language: str = "en",
    max_sitelinks: int = 10,
    min_statements: int = 20,
    limit: int = 500,
) -> list[str]:
    """Ids by VSearcher's rule (an article in the language, few sitelinks, many statements, a picture, not human), by address."""
    query = _SEEDS % {
        "language": language,
        "max_sitelinks": max_sitelinks,
        "min_statements": min_statements,
    }
    return [_id(row["item"]) for row in service.select_all(query, "?item", limit=limit)]


def service_entities(
    service: SparqlService, ids: list[str], *, snapshot: str, languages: tuple[str, ...] = ("en",)
) -> Iterator[Item | Redirect]:
    """Entities with their claims, in the order of their ids; those that the service does not know are left out.

    An id that was merged into another gives a redirect, and its target comes behind those that were asked for.

    Args:
        service: with Wikidata's RDF.
        ids: of items.
        snapshot: the day at which a claim must hold to be among the best.
        languages: of labels, aliases and descriptions.
    """
    waiting = {i for i in ids if re.fullmatch(r"Q\d+", i)}
    asked: set[str] = set()
    codes = dict.fromkeys(code for language in languages for code in codes_of(language))
    while waiting:
        some, targets = sorted(waiting), set()
        asked |= waiting
        for at in range(0, len(some), BATCH):
            batch = some[at : at + BATCH]
            values = {"values": " ".join(f"wd:{i}" for i in batch)}
            statements = service.select(_STATEMENTS % values)
            names = service.select(
                _NAMES % {**values, "languages": ", ".join(f'"{code}"' for code in codes)}
            )
            for entity_id in batch:
                own = [r for r in statements if _id(r["item"]) == entity_id]
                texts = [r for r in names if _id(r["item"]) == entity_id]
                others = [
                    r["text"]["value"].removeprefix(_ENTITY)
                    for r in texts
                    if r["kind"]["value"] == "redirect"
                ]
                if target := next((other for other in others if re.fullmatch(r"Q\d+", other)), ""):
                    targets.add(target)
                    yield Redirect(wiki=WIKI, title=entity_id, target=target)
                elif own or texts:
                    yield _entity(entity_id, own, texts, snapshot, languages)
        waiting = targets - asked


def _entity(
    entity_id: str,
    statements: list[Row],
    names: list[Row],
    snapshot: str,
    languages: tuple[str, ...],
) -> Item:
    texts: dict[str, dict[str, Any]] = {"label": {}, "description": {}, "alias": {}}
    sitelinks: dict[str, str] = {}
    revision = 0
    for row in sorted(names, key=lambda r: r["text"]["value"]):
        kind, text, language = (
            row["kind"]["value"],
            row["text"]["value"],
            row["text"].get("xml:lang", ""),
        )
        if kind == "version":
            revision = int(text)
        elif kind == "alias":
            texts["alias"].setdefault(language, []).append(text)
        elif kind in texts:
            texts[kind][language] = text
        elif wiki := _wiki(kind):
            sitelinks[wiki] = text
    labels, aliases = names_by_language(texts["label"], texts["alias"], languages)
    claims = _claims(entity_id, statements, revision, snapshot)
    return Entity(
        id=entity_id,
        labels=labels,
        descriptions=names_by_language(texts["description"], {}, languages)[0],
        aliases=aliases,
        sitelinks=sitelinks,
        revision=revision,
        num_statements=len({r["statement"]["value"] for r in statements}),
        classes=tuple(
            dict.fromkeys(
                c.value.entity
                for c in claims
                if c.property == "P31" and c.best and c.value.kind == "entity"
            )
        ),
        picture_files=tuple(
            dict.fromkeys(
                c.value.text for c in claims if c.property == "P18" and c.best and c.value.text
            )
        ),
    ), claims


def _claims(subject: str, rows: list[Row], revision: int, snapshot: str) -> tuple[Claim, ...]:
    """One claim a statement; a statement has several rows where a qualifier has several values."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["statement"]["value"], []).append(row)
    preferred = {_id(r["property"]) for r in rows if r["rank"]["value"].endswith("PreferredRank")}
    claims: dict[tuple[str, str, str, tuple[tuple[str, str], ...]], Claim] = {}
    for statement, group in sorted(groups.items()):
        row = min(group, key=lambda r: sorted((k, v["value"]) for k, v in r.items()))
        qualifiers = tuple(
            sorted(
                {
                    Qualifier(property=p, value=_time(r[name], r.get(f"{name}Precision")))
                    for r in group
                    for p, name in (("P580", "start"), ("P582", "end"))
                    if name in r
                },
                key=lambda q: (q.property, q.value.key()),
            )
        )
        prop, value = _id(row["property"]), _value(row)
        rank = row["rank"]["value"].rpartition("#")[2].removesuffix("Rank").lower()
        best = rank == ("preferred" if prop in preferred else "normal") and holds_at(
            qualifiers, snapshot
        )
        claims.setdefault(
            (prop, value.key(), rank, tuple((q.property, q.value.key()) for q in qualifiers)),
            Claim(
                subject=subject,
                property=prop,
                value=value,
                rank=rank,
                best=best,
                qualifiers=qualifiers,
                revision=revision,
                statement=statement.rpartition("/")[2].replace("-", "$", 1),
            ),
        )
    return tuple(sorted(claims.values(), key=lambda c: (c.property, c.value.key(), c.statement)))


def _value(row: Row) -> Value:
    """The value of a statement's row, by its property's type."""
    cell = row.get("value")
    if cell is None:
        return Value(kind="novalue")
    text, kind = cell["value"], row["type"]["value"].rpartition("#")[2]
    if cell["type"] == "bnode" or "/.well-known/genid/" in text:
        return Value(kind="somevalue")

    def told(name: str) -> str:
        return row[name]["value"] if name in row else ""

    match kind:
        case "Time":
            return _time(cell, row.get("precision"), told("calendar"))
        case "Quantity":
            return make_quantity(text, told("unit"), told("lower"), told("upper"))
        case "GlobeCoordinate":
            found = re.fullmatch(
                r"(?:<(\S*)> *)?Point\(([-+\d.eE]+) ([-+\d.eE]+)\)", text, re.IGNORECASE
            )
            if found is None:
                return Value(kind="somevalue")
            return make_coordinate(
                float(found[3]), float(found[2]), told("globe") or found[1] or ""
            )
        case "Monolingualtext":
            return Value(kind="monolingual", text=text, language=cell.get("xml:lang", ""))
        case "CommonsMedia":
            return Value(
                kind="commons_media",
                text=urllib.parse.unquote(text.rpartition("/")[2]).replace("_", " "),
            )
        case "Url":
            return Value(kind="url", text=text)
        case "ExternalId":
            return Value(kind="external_id", text=text)
        case _ if text.startswith(_ENTITY):
            return Value(kind="entity", entity=text[len(_ENTITY) :])
        case _:
            return Value(kind="string", text=text)


def _time(cell: dict[str, str], precision: dict[str, str] | None, calendar: str = "") -> Value:
    """A time of RDF as one of JSON.

    In RDF the year 0 is 1 BC (XSD 1.1) and days are Gregorian; in JSON 1 BC is -1 and days are as they are stated. An
    end that is not known is no time, but a blank node or an address that stands for one.
    """
    found = re.fullmatch(r"([+-]?\d+)(-\d\d-\d\dT\d\d:\d\d:\d\dZ)", cell["value"])
    if not found:
        return Value(kind="somevalue")
    year = int(found[1]) - (int(found[1]) <= 0)
    time = f"{'-' if year < 0 else '+'}{abs(year):04d}{found[2]}"
    value = make_time(time, int(precision["value"]) if precision else 11, calendar)
    if value.unit != JULIAN:
        return value
    try:
        return value.replace(time=time_of(*to_julian(*parts_of(value.time))))
    except ValueError:  # 30 February: nothing that the service has converted
        return value.replace(unit="")


def _id(cell: dict[str, str]) -> str:
    return cell["value"].rpartition("/")[2]


def _wiki(site: str) -> str:
    """ "enwiki" for https://en.wikipedia.org/, "commonswiki" for https://commons.wikimedia.org/."""
    name, _, project = (
        urllib.parse.urlparse(site).netloc.removesuffix(".org").removeprefix("www.").partition(".")
    )
    name = name.replace("-", "_")
    return (
        {"wikipedia": f"{name}wiki", "wikimedia": f"{name}wiki", "": f"{name}wiki"}.get(
            project, f"{name}{project}"
        )
        if name
        else ""
    )
