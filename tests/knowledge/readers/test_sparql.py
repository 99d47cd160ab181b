"""The query service: a real SPARQL engine on loopback over Wikidata's RDF, and a service that misbehaves."""

import json
import time
import urllib.parse

import pytest
import rdflib

from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.knowledge.readers.byte_ranges import plan_ranges
from questloom.knowledge.readers.sparql import SparqlService, rare_seeds, service_entities
from questloom.knowledge.readers.wikidata_json import parse_entity, read_entities
from questloom.records.errors import InputError, ProviderFault
from questloom.records.knowledge import Redirect, Value

SNAPSHOT = "2026-01-31"
RDF = """
@prefix wd: <http://www.wikidata.org/entity/> . @prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> . @prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> . @prefix psv: <http://www.wikidata.org/prop/statement/value/> .
@prefix pqv: <http://www.wikidata.org/prop/qualifier/value/> . @prefix wikibase: <http://wikiba.se/ontology#> .
@prefix schema: <http://schema.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix geo: <http://www.opengis.net/ont/geosparql#> .
wd:P31 wikibase:claim p:P31 ; wikibase:statementProperty ps:P31 ; wikibase:statementValue psv:P31 ; wikibase:propertyType wikibase:WikibaseItem .
wd:P569 wikibase:claim p:P569 ; wikibase:statementProperty ps:P569 ; wikibase:statementValue psv:P569 ; wikibase:propertyType wikibase:Time .
wd:P2048 wikibase:claim p:P2048 ; wikibase:statementProperty ps:P2048 ; wikibase:statementValue psv:P2048 ; wikibase:propertyType wikibase:Quantity .
wd:P18 wikibase:claim p:P18 ; wikibase:statementProperty ps:P18 ; wikibase:statementValue psv:P18 ; wikibase:propertyType wikibase:CommonsMedia .
wd:P625 wikibase:claim p:P625 ; wikibase:statementProperty ps:P625 ; wikibase:statementValue psv:P625 ; wikibase:propertyType wikibase:GlobeCoordinate .
wd:P26 wikibase:claim p:P26 ; wikibase:statementProperty ps:P26 ; wikibase:statementValue psv:P26 ; wikibase:propertyType wikibase:WikibaseItem .
wd:Q7 rdfs:label "tower"@en, "Turm"@de, "tour"@fr ; skos:altLabel "the tower"@en ; schema:description "a high one"@en ; schema:version 99 ;
  wikibase:sitelinks 2 ; wikibase:statements 25 ; wdt:P18 <http://commons.wikimedia.org/wiki/Special:FilePath/A%20b.jpg> ;
  p:P31 wds:Q7-a, wds:Q7-b ; p:P569 wds:Q7-c ; p:P2048 wds:Q7-d ; p:P18 wds:Q7-e ; p:P625 wds:Q7-f ; p:P26 wds:Q7-g, wds:Q7-h, wds:Q7-i, wds:Q7-j .
<https://en.wikipedia.org/wiki/Tower> schema:about wd:Q7 ; schema:isPartOf <https://en.wikipedia.org/> ; schema:name "Tower"@en .
<https://commons.wikimedia.org/wiki/T> schema:about wd:Q7 ; schema:isPartOf <https://commons.wikimedia.org/> ; schema:name "T"@en .
wds:Q7-a wikibase:rank wikibase:NormalRank ; ps:P31 wd:Q12 . wds:Q7-b wikibase:rank wikibase:PreferredRank ; ps:P31 wd:Q13 .
wds:Q7-c wikibase:rank wikibase:NormalRank ; ps:P569 "-0043-03-15T00:00:00Z"^^xsd:string ; psv:P569 [ wikibase:timePrecision 11 ] .
wds:Q7-d wikibase:rank wikibase:NormalRank ; ps:P2048 "+300.5"^^xsd:decimal ; psv:P2048 [ wikibase:quantityUnit wd:Q11573 ] .
wds:Q7-e wikibase:rank wikibase:NormalRank ; ps:P18 <http://commons.wikimedia.org/wiki/Special:FilePath/A%20b.jpg> .
wds:Q7-f wikibase:rank wikibase:NormalRank ; ps:P625 "Point(2.5 48.8)"^^geo:wktLiteral .
wds:Q7-g wikibase:rank wikibase:NormalRank ; ps:P26 wd:Q20 ; pqv:P582 [ wikibase:timeValue "1990-01-01T00:00:00Z"^^xsd:string ; wikibase:timePrecision 9 ] .
wds:Q7-j wikibase:rank wikibase:NormalRank ; ps:P26 wd:Q20 ; pqv:P580 [ wikibase:timeValue "1990-01-01T00:00:00Z"^^xsd:string ; wikibase:timePrecision 9 ] .
wds:Q7-h wikibase:rank wikibase:NormalRank ; ps:P26 <http://www.wikidata.org/.well-known/genid/0f3> . wds:Q7-i wikibase:rank wikibase:NormalRank .
wd:Q8 wikibase:sitelinks 50 ; wikibase:statements 25 ; wdt:P18 <http://x/y.jpg> . wd:Q9 rdfs:label "nine"@en .
wd:Q9 wikibase:sitelinks 3 ; wikibase:statements 30 ; wdt:P18 <http://x/z.jpg> ; wdt:P31 wd:Q5 .
<https://en.wikipedia.org/wiki/Nine> schema:about wd:Q9 ; schema:isPartOf <https://en.wikipedia.org/> ; schema:name "Nine"@en .
"""


def _service(server, tmp_path, *, attempts=4):
    """The service without its pace: the engine is ours."""
    caller = Caller(
        SqliteCache(tmp_path / "calls.sqlite"),
        retry=RetryPolicy(max_attempts=attempts, first_delay=0.01, max_retry_after=100),
    )
    return SparqlService(f"{server.address}/sparql", caller, contact="tests@example.org")


def _serving(loopback, rdf):
    """The loopback server as a SPARQL engine over RDF."""
    graph = rdflib.Graph()
    graph.parse(data=rdf, format="turtle")

    def answer(path, body, number):
        query = urllib.parse.parse_qs(body)["query"][0]
        return (
            200,
            {"Content-Type": "application/sparql-results+json"},
            graph.query(query).serialize(format="json"),
        )

    loopback.answer = answer
    return loopback


@pytest.fixture
def engine(loopback):
    return _serving(loopback, RDF)


def _rows(*items):
    return json.dumps(
        {
            "head": {"vars": ["item"]},
            "results": {
                "bindings": [
                    {"item": {"type": "uri", "value": f"http://www.wikidata.org/entity/{x}"}}
                    for x in items
                ]
            },
        }
    ).encode()


def test_entities_come_with_names_sitelinks_ranks_units_precisions_and_times_in_force(
    engine, tmp_path
):
    ((entity, claims), (nine, _)) = service_entities(
        _service(engine, tmp_path),
        ["Q7", "Q9", "Q404", "no id"],
        snapshot=SNAPSHOT,
        languages=("en", "de"),
    )
    assert (entity.labels, entity.aliases, entity.descriptions) == (
        {"en": "tower", "de": "Turm"},
        {"en": ("the tower",)},
        {"en": "a high one"},
    )
    assert (entity.sitelinks, entity.revision, entity.num_statements) == (
        {"enwiki": "Tower", "commonswiki": "T"},
        99,
        10,
    )
    assert (entity.classes, entity.picture_files, nine.label()) == (("Q13",), ("A b.jpg",), "nine")
    found = {(c.property, c.value.key(), c.rank, c.best) for c in claims}
    assert found == {
        ("P31", "Q12", "normal", False),
        ("P31", "Q13", "preferred", True),
        ("P569", "time:-0044-03-15/11", "normal", True),
        ("P2048", "quantity:300.5:Q11573", "normal", True),
        ("P18", "commons_media::A b.jpg", "normal", True),
        ("P625", "coordinate:48.80000,2.50000", "normal", True),
        ("P26", "Q20", "normal", False),
        ("P26", "Q20", "normal", True),
        ("P26", "somevalue", "normal", True),
        ("P26", "novalue", "normal", True),
    }
    assert {c.statement for c in claims if c.property == "P31"} == {"Q7$a", "Q7$b"}


PREFIXES = (
    RDF.partition("wd:P31 ")[0]
    + "@prefix pq: <http://www.wikidata.org/prop/qualifier/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
)
GREGORIAN, JULIAN = "Q1985727", "Q1985786"
ENTITY = "http://www.wikidata.org/entity/"


def _time(time, precision, calendar=GREGORIAN):
    return "time", {
        "time": time,
        "precision": precision,
        "timezone": 0,
        "before": 0,
        "after": 0,
        "calendarmodel": ENTITY + calendar,
    }


def _time_node(precision, calendar=GREGORIAN):
    return f"wikibase:timePrecision {precision} ; wikibase:timeCalendarModel wd:{calendar}"


# (Wikibase's JSON, the value in its RDF, the node with all of it): times as Wikibase's export writes them, days in the Gregorian calendar.
EXPORTED = {
    "a day": (
        _time("+1889-04-20T00:00:00Z", 11),
        '"1889-04-20T00:00:00Z"^^xsd:string',
        _time_node(11),
    ),
    "a Julian day": (
        _time("+1642-12-25T00:00:00Z", 11, JULIAN),
        '"1643-01-04T00:00:00Z"^^xsd:string',
        _time_node(11, JULIAN),
    ),
    "a Julian day before Christ": (
        _time("-2014-01-05T00:00:00Z", 11, JULIAN),
        '"-2014-12-19T00:00:00Z"^^xsd:string',
        _time_node(11, JULIAN),
    ),
    "a Julian year": (
        _time("+1642-00-00T00:00:00Z", 9, JULIAN),
        '"1642-01-01T00:00:00Z"^^xsd:string',
        _time_node(9, JULIAN),
    ),
    "a century": (
        _time("+2000-00-00T00:00:00Z", 7),
        '"2000-01-01T00:00:00Z"^^xsd:string',
        _time_node(7),
    ),
    "a century before Christ": (
        _time("-0100-00-00T00:00:00Z", 7),
        '"-0099-01-01T00:00:00Z"^^xsd:string',
        _time_node(7),
    ),
    "the year 1 BC": (
        _time("-0001-00-00T00:00:00Z", 9),
        '"0000-01-01T00:00:00Z"^^xsd:string',
        _time_node(9),
    ),
    "a decade": (
        _time("+1830-00-00T00:00:00Z", 8),
        '"1830-01-01T00:00:00Z"^^xsd:string',
        _time_node(8),
    ),
    "millions of years": (
        _time("-66000000-00-00T00:00:00Z", 3),
        '"-65999999-01-01T00:00:00Z"^^xsd:string',
        _time_node(3),
    ),
    "a bare number": (
        ("quantity", {"amount": "+35", "unit": "1"}),
        '"+35"^^xsd:decimal',
        "wikibase:quantityUnit wd:Q199",
    ),
    "a measure with bounds": (
        (
            "quantity",
            {
                "amount": "+35",
                "unit": ENTITY + "Q11573",
                "lowerBound": "+34.5",
                "upperBound": "+35.5",
            },
        ),
        '"+35"^^xsd:decimal',
        'wikibase:quantityUnit wd:Q11573 ; wikibase:quantityLowerBound "+34.5"^^xsd:decimal ; wikibase:quantityUpperBound "+35.5"^^xsd:decimal',
    ),
    "a place": (
        ("globecoordinate", {"latitude": 48.8, "longitude": 2.5, "globe": ENTITY + "Q2"}),
        '"Point(2.5 48.8)"^^geo:wktLiteral',
        "wikibase:geoGlobe wd:Q2",
    ),
    "a place on Mars by its node": (
        ("globecoordinate", {"latitude": 48.8, "longitude": 2.5, "globe": ENTITY + "Q111"}),
        '"Point(2.5 48.8)"^^geo:wktLiteral',
        "wikibase:geoGlobe wd:Q111",
    ),
    "a place on Mars": (
        ("globecoordinate", {"latitude": 48.8, "longitude": 2.5, "globe": ENTITY + "Q111"}),
        '"<http://www.wikidata.org/entity/Q111> Point(2.5 48.8)"^^geo:wktLiteral',
        "wikibase:geoGlobe wd:Q111",
    ),
}


@pytest.mark.parametrize("name", EXPORTED)
def test_a_value_is_the_same_from_the_service_as_from_the_dump(loopback, tmp_path, name):
    (kind, value), said, node = EXPORTED[name]
    types = {"time": "Time", "quantity": "Quantity", "globecoordinate": "GlobeCoordinate"}
    server = _serving(
        loopback,
        f"""{PREFIXES}
        wd:P1 wikibase:claim p:P1 ; wikibase:statementProperty ps:P1 ; wikibase:statementValue psv:P1 ; wikibase:propertyType wikibase:{types[kind]} .
        wd:Q7 p:P1 wds:Q7-a . wds:Q7-a wikibase:rank wikibase:NormalRank ; ps:P1 {said} ; psv:P1 [ {node} ] .""",
    )
    ((_, (theirs,)),) = service_entities(_service(server, tmp_path), ["Q7"], snapshot=SNAPSHOT)
    statement = {
        "mainsnak": {
            "snaktype": "value",
            "property": "P1",
            "datavalue": {"type": kind, "value": value},
        },
        "rank": "normal",
        "id": "Q7$a",
    }
    _, (ours,) = parse_entity({"id": "Q7", "claims": {"P1": [statement]}}, snapshot=SNAPSHOT)
    assert (
        theirs.id == ours.id
        and theirs.value.key() == ours.value.key()
        and theirs.value.bounds == ours.value.bounds
    )
    if (
        "year" not in name and value.get("precision", 11) == 11
    ):  # below its precision an export writes 1 January
        assert theirs.value == ours.value


def test_a_place_without_its_node_has_its_globe_in_the_text(loopback, tmp_path):
    server = _serving(
        loopback,
        f"""{PREFIXES}
        wd:P625 wikibase:claim p:P625 ; wikibase:statementProperty ps:P625 ; wikibase:statementValue psv:P625 ; wikibase:propertyType wikibase:GlobeCoordinate .
        wd:Q7 p:P625 wds:Q7-a . wds:Q7-a wikibase:rank wikibase:NormalRank ; ps:P625 "<{ENTITY}Q111> Point(2.5 48.8)"^^geo:wktLiteral .""",
    )
    ((_, (claim,)),) = service_entities(_service(server, tmp_path), ["Q7"], snapshot=SNAPSHOT)
    assert claim.value == Value(kind="coordinate", latitude=48.8, longitude=2.5, unit="Q111")


def test_an_owner_until_a_passed_century_or_an_unknown_time_is_best_no_more(loopback, tmp_path):
    owners = {
        "Q20": '[ wikibase:timeValue "2000-01-01T00:00:00Z"^^xsd:string ; wikibase:timePrecision 7 ]',
        "Q21": '[ wikibase:timeValue "2001-01-01T00:00:00Z"^^xsd:string ; wikibase:timePrecision 7 ]',
        "Q22": "",
        "Q23": "_:unknown",
        "Q24": "<http://www.wikidata.org/.well-known/genid/0f3>",
    }
    statements = [
        f"wd:Q7 p:P127 wds:Q7-{q} . wds:Q7-{q} wikibase:rank wikibase:NormalRank ; ps:P127 wd:{q} "
        f"{f'; pqv:P582 {end}' if '[' in end else f'; pq:P582 {end}' if end else ''} ."
        for q, end in owners.items()
    ]
    server = _serving(
        loopback,
        f"""{PREFIXES} {" ".join(statements)}
        wd:P127 wikibase:claim p:P127 ; wikibase:statementProperty ps:P127 ; wikibase:propertyType wikibase:WikibaseItem .""",
    )
    ((_, claims),) = service_entities(_service(server, tmp_path), ["Q7"], snapshot=SNAPSHOT)
    assert {c.value.entity for c in claims if c.best} == {"Q21", "Q22"} and len(claims) == 5


@pytest.mark.parametrize("languages", [("en",), ("de",), ("de-at",), ("en", "de")])
def test_names_under_mul_are_the_same_from_the_service_as_from_the_dump(
    loopback, tmp_path, languages
):
    labels, aliases = (
        {"mul": "Haus Lorn", "de": "Lornhaus", "fr": "Maison Lorn"},
        {"mul": ["Lornpalais"], "en": ["House of Lorn"], "de": ["Palais"]},
    )
    said = "".join(f'wd:Q7 rdfs:label "{text}"@{code} . ' for code, text in labels.items())
    said += "".join(
        f'wd:Q7 skos:altLabel "{text}"@{code} . '
        for code, texts in aliases.items()
        for text in texts
    )
    ((theirs, _),) = service_entities(
        _service(_serving(loopback, PREFIXES + said), tmp_path),
        ["Q7"],
        snapshot=SNAPSHOT,
        languages=languages,
    )
    ours, _ = parse_entity(
        {
            "id": "Q7",
            "labels": {c: {"value": t} for c, t in labels.items()},
            "aliases": {c: [{"value": t} for t in texts] for c, texts in aliases.items()},
        },
        snapshot=SNAPSHOT,
        languages=languages,
    )
    assert (theirs.labels, theirs.aliases) == (
        ours.labels,
        ours.aliases,
    ) and "Lornpalais" in theirs.names(languages)


def test_an_id_that_was_merged_gives_its_redirect_and_the_item_that_it_became(loopback, tmp_path):
    server = _serving(
        loopback,
        PREFIXES
        + 'wd:Q5 owl:sameAs wd:Q9 . wd:Q6 owl:sameAs wd:Q7 . wd:Q7 rdfs:label "seven"@en . wd:Q9 rdfs:label "nine"@en .',
    )
    first, second, (seven, _), (nine, _) = service_entities(
        _service(server, tmp_path), ["Q5", "Q6", "Q7"], snapshot=SNAPSHOT
    )
    assert (first, second) == (
        Redirect(wiki="wikidatawiki", title="Q5", target="Q9"),
        Redirect(wiki="wikidatawiki", title="Q6", target="Q7"),
    )
    assert (seven.label(), nine.label()) == ("seven", "nine")


def test_merged_ids_that_point_at_each_other_end(loopback, tmp_path):
    server = _serving(loopback, PREFIXES + "wd:Q5 owl:sameAs wd:Q6 . wd:Q6 owl:sameAs wd:Q5 .")
    assert [
        r.title for r in service_entities(_service(server, tmp_path), ["Q5"], snapshot=SNAPSHOT)
    ] == ["Q5", "Q6"]


def test_rare_seeds_follow_the_rule(engine, tmp_path):
    assert rare_seeds(_service(engine, tmp_path)) == ["Q7"]


def test_requests_are_identified_and_a_reply_that_is_there_is_not_asked_for_again(engine, tmp_path):
    first = rare_seeds(_service(engine, tmp_path))
    assert rare_seeds(_service(engine, tmp_path)) == first
    assert len(engine.requests) == 1
    assert engine.requests[0][2]["user-agent"] == "Questloom/0.1 (tests@example.org)"


def test_without_a_contact_nothing_is_asked(monkeypatch, tmp_path):
    monkeypatch.delenv("QUESTLOOM_CONTACT", raising=False)
    for contact in ("", "nobody"):
        with pytest.raises(InputError, match="without a contact"):
            SparqlService(
                "http://127.0.0.1:9",
                Caller(SqliteCache(tmp_path / "calls.sqlite")),
                contact=contact,
            )


def test_slices_are_asked_for_until_one_is_not_full(loopback, tmp_path):
    def answer(path, body, number):
        query = urllib.parse.parse_qs(body)["query"][0]
        offset = int(query.rpartition("OFFSET ")[2])
        return (
            200,
            {"Content-Type": "application/sparql-results+json"},
            _rows(*[f"Q{n}" for n in range(offset, min(offset + 4, 10))]),
        )

    loopback.answer = answer
    rows = list(_service(loopback, tmp_path).select_all("SELECT ?item WHERE {}", "?item", page=4))
    assert [r["item"]["value"].rpartition("/")[2] for r in rows] == [f"Q{n}" for n in range(10)]
    assert len(loopback.requests) == 3


@pytest.mark.parametrize(
    "bad",
    [
        (429, {"Retry-After": "0.3"}, b"too many"),
        (500, {}, b"java.util.concurrent.TimeoutException"),
        (503, {}, b""),
        (200, {}, b"<html>busy</html>"),
        (200, {}, b'{"head": {}, "results": {"bindings": [{"item"'),
        (200, {}, b"[]"),
        (200, {"Content-Length": "500"}, b"cut"),
    ],
)
def test_a_passing_failure_is_asked_again_and_never_cached(loopback, tmp_path, bad):
    loopback.answer = lambda path, body, number: (
        bad
        if number < 3
        else (200, {"Content-Type": "application/sparql-results+json"}, _rows("Q1"))
    )
    began = time.monotonic()
    assert len(_service(loopback, tmp_path).select("SELECT ?item WHERE {}")) == 1
    assert len(loopback.requests) == 3
    assert time.monotonic() - began > (0.6 if bad[0] == 429 else 0)
    (line,) = cost_lines(tmp_path / "calls.sqlite", by=("provider",))
    assert (line.group, line.num_faults, line.money) == (("sparql",), 2, 0)


def test_a_lasting_failure_leaves_the_work_pending(loopback, tmp_path):
    loopback.answer = lambda path, body, number: (500, {}, b"down")
    with pytest.raises(ProviderFault) as caught:
        _service(loopback, tmp_path).select("SELECT ?item WHERE {}")
    assert caught.value.retryable
    assert len(loopback.requests) == 4
    loopback.answer = lambda path, body, number: (
        200,
        {"Content-Type": "application/sparql-results+json"},
        _rows("Q1"),
    )
    assert len(_service(loopback, tmp_path).select("SELECT ?item WHERE {}")) == 1


def test_a_page_of_html_is_told_in_words_with_the_address(loopback, tmp_path):
    for status, body in (
        (404, b"<html><body>Not here</body></html>"),
        (501, b"<!DOCTYPE HTML><html><title>Error</title><p>Unsupported method</p>"),
    ):
        loopback.answer = lambda path, body, number, reply=(status, {}, body): reply
        with pytest.raises(ProviderFault, match=r"http://127.*") as caught:
            _service(loopback, tmp_path).select(f"SELECT {status}")
        assert "<" not in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [(400, {}, b"malformed"), (403, {}, b"forbidden"), (429, {"Retry-After": "90000"}, b"banned")],
)
def test_a_refusal_or_a_ban_is_not_asked_again(loopback, tmp_path, bad):
    loopback.answer = lambda path, body, number: bad
    with pytest.raises(ProviderFault):
        _service(loopback, tmp_path).select("SELECT nonsense")
    assert len(loopback.requests) == 1


def test_the_real_entities_through_a_service_agree_with_the_dump_in_their_item_claims(
    shared, loopback, tmp_path
):
    """Wikidata's RDF of the real entities' item-valued statements, made from the same JSON, gives the same best claims."""
    items = {
        x[0].id: x
        for part in plan_ranges(str(shared("wikidata/entities.json.gz")))
        for x in read_entities(part, snapshot=SNAPSHOT)
        if isinstance(x, tuple)
    }
    lines = [
        "@prefix wd: <http://www.wikidata.org/entity/> . @prefix wikibase: <http://wikiba.se/ontology#> ."
    ]
    for number, claim in enumerate(
        c
        for _, claims in items.values()
        for c in claims
        if c.value.kind == "entity" and c.value.entity.startswith("Q")
    ):
        statement, prop = (
            f"<http://www.wikidata.org/entity/statement/{claim.subject}-{number}>",
            claim.property,
        )
        lines.append(
            f"wd:{claim.subject} <http://www.wikidata.org/prop/{prop}> {statement} . {statement} wikibase:rank "
            f"wikibase:{claim.rank.title()}Rank ; <http://www.wikidata.org/prop/statement/{prop}> wd:{claim.value.entity} ."
        )
        for name in ("P580", "P582"):
            for q in claim.qualifiers:
                if q.property == name and q.value.kind == "time" and q.value.time.startswith("+"):
                    lines.append(
                        f"{statement} <http://www.wikidata.org/prop/qualifier/value/{name}> [ wikibase:timeValue "
                        f'"{q.value.time[1:]}" ; wikibase:timePrecision {q.value.precision} ] .'
                    )
        lines.append(
            f"wd:{prop} wikibase:claim <http://www.wikidata.org/prop/{prop}> ; wikibase:propertyType wikibase:WikibaseItem ; "
            f"wikibase:statementProperty <http://www.wikidata.org/prop/statement/{prop}> ."
        )
    graph = rdflib.Graph()
    graph.parse(data="\n".join(lines), format="turtle")
    loopback.answer = lambda path, body, number: (
        200,
        {"Content-Type": "application/sparql-results+json"},
        graph.query(urllib.parse.parse_qs(body)["query"][0]).serialize(format="json"),
    )
    for wanted in ("Q42", "Q571"):
        ((_, claims),) = service_entities(_service(loopback, tmp_path), [wanted], snapshot=SNAPSHOT)
        theirs = {
            (c.property, c.value.entity, c.rank, c.best)
            for c in items[wanted][1]
            if c.value.kind == "entity" and c.value.entity.startswith("Q")
        }
        assert {(c.property, c.value.entity, c.rank, c.best) for c in claims} == theirs
