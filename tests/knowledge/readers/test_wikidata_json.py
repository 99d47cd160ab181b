"""Wikidata dumps: entities, claims with the best rank and in force, property definitions, and lines that are none."""

import bz2
import gzip
import json

import pytest

from questloom.knowledge.dates import dates_overlap
from questloom.knowledge.readers.byte_ranges import plan_ranges
from questloom.knowledge.readers.wikidata_json import parse_entity, read_entities, read_value
from questloom.records.errors import InputError
from questloom.records.knowledge import Entity, PropertyInfo, Redirect, Value
from questloom.records.outcomes import Reason, Rejection

SNAPSHOT = "2026-01-31"


def _snak(prop, value, kind, **extra):
    return {
        "snaktype": "value",
        "property": prop,
        "datavalue": {"value": value, "type": kind},
        **extra,
    }


def _item(prop, qid):
    return _snak(prop, {"entity-type": "item", "id": qid}, "wikibase-entityid")


def _time(prop, time, precision=11, **more):
    return _snak(prop, {"time": time, "precision": precision, "calendarmodel": "", **more}, "time")


def _julian(time, precision=11):
    return _time("P1", time, precision, calendarmodel="http://www.wikidata.org/entity/Q1985786")


def _quantity(amount, unit="1", **bounds):
    return _snak("P1", {"amount": amount, "unit": unit, **bounds}, "quantity")


def _place(longitude, **more):
    return _snak(
        "P1",
        {"latitude": 1.5, "longitude": longitude, "precision": None, **more},
        "globecoordinate",
    )


def _statement(snak, rank="normal", **qualifiers):
    return {
        "mainsnak": snak,
        "type": "statement",
        "rank": rank,
        "id": "x",
        "qualifiers": {k: [v] for k, v in qualifiers.items()},
    }


def _entity(**claims):
    return {
        "id": "Q1",
        "type": "item",
        "lastrevid": 5,
        "labels": {"en": {"language": "en", "value": "one"}},
        "claims": claims,
    }


def _claims(**claims):
    return parse_entity(_entity(**claims), snapshot=SNAPSHOT)[1]


def test_an_item_gives_its_names_links_classes_pictures_and_claims():
    data = {
        **_entity(
            P31=[_statement(_item("P31", "Q5"))],
            P18=[_statement(_snak("P18", "A_b.jpg", "string"))],
        ),
        "aliases": {"en": [{"language": "en", "value": "uno"}]},
        "descriptions": {"en": {"language": "en", "value": "a thing"}},
        "sitelinks": {"enwiki": {"site": "enwiki", "title": "One"}},
    }
    entity, claims = parse_entity(data, snapshot=SNAPSHOT)
    assert entity == Entity(
        id="Q1",
        labels={"en": "one"},
        aliases={"en": ("uno",)},
        descriptions={"en": "a thing"},
        sitelinks={"enwiki": "One"},
        num_statements=2,
        classes=("Q5",),
        picture_files=("A b.jpg",),
        revision=5,
    )
    assert [(c.property, c.value.kind, c.best, c.revision) for c in claims] == [
        ("P31", "entity", True, 5),
        ("P18", "commons_media", True, 5),
    ]


def test_only_the_preferred_or_else_the_normal_statements_are_best():
    claims = _claims(
        P1=[
            _statement(_item("P1", "Q2")),
            _statement(_item("P1", "Q3"), "preferred"),
            _statement(_item("P1", "Q4"), "deprecated"),
        ],
        P2=[_statement(_item("P2", "Q5")), _statement(_item("P2", "Q6"), "deprecated")],
    )
    assert [(c.value.entity, c.best) for c in claims] == [
        ("Q2", False),
        ("Q3", True),
        ("Q4", False),
        ("Q5", True),
        ("Q6", False),
    ]


@pytest.mark.parametrize(
    ("qualifiers", "best"),
    [
        ({}, True),
        ({"P582": _time("P582", "+2020-05-01T00:00:00Z")}, False),
        ({"P582": _time("P582", "+2026-00-00T00:00:00Z", 9)}, True),
        ({"P582": _time("P582", "+2026-01-00T00:00:00Z", 10)}, True),
        ({"P582": _time("P582", "+2026-01-30T00:00:00Z")}, False),
        ({"P580": _time("P580", "+2027-01-01T00:00:00Z")}, False),
        ({"P580": _time("P580", "+2020-01-01T00:00:00Z")}, True),
        ({"P582": {"snaktype": "somevalue", "property": "P582"}}, False),
        ({"P582": {"snaktype": "novalue", "property": "P582"}}, True),
        ({"P582": _time("P582", "-0044-03-15T00:00:00Z")}, False),
        ({"P582": _time("P582", "+1990-00-00T00:00:00Z", 8)}, False),
        ({"P582": _time("P582", "+2000-00-00T00:00:00Z", 7)}, False),
        ({"P582": _time("P582", "+2001-00-00T00:00:00Z", 7)}, True),
        ({"P582": _time("P582", "+2100-00-00T00:00:00Z", 7)}, True),
        ({"P582": _time("P582", "+2000-00-00T00:00:00Z", 6)}, False),
        ({"P582": _time("P582", "+2029-00-00T00:00:00Z", 8)}, True),
        ({"P582": _time("P582", "-0100-00-00T00:00:00Z", 7)}, False),
        ({"P580": _time("P580", "+2100-00-00T00:00:00Z", 7)}, True),
        ({"P580": _time("P580", "+2200-00-00T00:00:00Z", 7)}, False),
        ({"P580": _time("P580", "+2030-00-00T00:00:00Z", 8)}, False),
        ({"P580": _time("P580", "-13798000000-00-00T00:00:00Z", 3)}, True),
        ({"P582": _time("P582", "+2020-00-00T00:00:00Z", 9, before=0, after=10)}, True),
        ({"P582": _time("P582", "+00000001990-05-04T00:00:00Z")}, False),
        ({"P582": _julian("+2026-01-20T00:00:00Z")}, True),
        ({"P582": _time("P582", "+2026-01-20T00:00:00Z")}, False),
    ],
)
def test_only_statements_that_hold_at_the_snapshot_are_best(qualifiers, best):
    assert [c.best for c in _claims(P1=[_statement(_item("P1", "Q2"), **qualifiers)])] == [best]


@pytest.mark.parametrize(
    ("snak", "value"),
    [
        (_item("P1", "Q2"), Value(kind="entity", entity="Q2")),
        (
            _snak("P1", {"entity-type": "item", "numeric-id": 7}, "wikibase-entityid"),
            Value(kind="entity", entity="Q7"),
        ),
        (
            _snak(
                "P1",
                {"amount": "+8848.86", "unit": "http://www.wikidata.org/entity/Q11573"},
                "quantity",
            ),
            Value(kind="quantity", number=8848.86, unit="Q11573"),
        ),
        (
            _snak("P1", {"amount": "-3", "unit": "1"}, "quantity"),
            Value(kind="quantity", number=-3.0),
        ),
        (_snak("P1", {"amount": "1e999", "unit": "1"}, "quantity"), Value(kind="somevalue")),
        (
            _time("P1", "+1889-04-20T00:00:00Z"),
            Value(kind="time", time="+1889-04-20T00:00:00Z", precision=11),
        ),
        (
            _time("P1", "+1889-00-00T00:00:00Z", 11),
            Value(kind="time", time="+1889-00-00T00:00:00Z", precision=9),
        ),
        (_time("P1", "+1889-13-01T00:00:00Z"), Value(kind="somevalue")),
        (_time("P1", "soon"), Value(kind="somevalue")),
        (
            _snak("P1", {"latitude": 1.5, "longitude": 2, "precision": None}, "globecoordinate"),
            Value(kind="coordinate", latitude=1.5, longitude=2.0),
        ),
        (
            _snak("P1", {"text": "Moi", "language": "fi"}, "monolingualtext"),
            Value(kind="monolingual", text="Moi", language="fi"),
        ),
        (_snak("P1", "x", "string", datatype="external-id"), Value(kind="external_id", text="x")),
        (_snak("P1", "http://x", "string", datatype="url"), Value(kind="url", text="http://x")),
        ({"snaktype": "somevalue", "property": "P1"}, Value(kind="somevalue")),
        ({"snaktype": "novalue", "property": "P1"}, Value(kind="novalue")),
        (_snak("P1", {}, "new-type"), Value(kind="somevalue")),
        (
            _julian("+1642-12-25T00:00:00Z"),
            Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit="Q1985786"),
        ),
        (
            _julian("+1642-12-00T00:00:00Z", 11),
            Value(kind="time", time="+1642-12-00T00:00:00Z", precision=10),
        ),
        (
            _time("P1", "+00000001889-04-20T00:00:00Z"),
            Value(kind="time", time="+1889-04-20T00:00:00Z", precision=11),
        ),
        (_time("P1", "+0000-00-00T00:00:00Z", 9), Value(kind="somevalue")),
        (_time("P1", "-0000-00-00T00:00:00Z", 7), Value(kind="somevalue")),
        (
            _quantity("+35", "http://www.wikidata.org/entity/Q199"),
            Value(kind="quantity", number=35.0),
        ),
        (
            _quantity("+35", "1", lowerBound="+34.5", upperBound="+35.5"),
            Value(kind="quantity", number=35.0, lower=34.5, upper=35.5),
        ),
        (
            _quantity("+35", "1", lowerBound="+35", upperBound="+35"),
            Value(kind="quantity", number=35.0),
        ),
        (
            _place(2, globe="http://www.wikidata.org/entity/Q111"),
            Value(kind="coordinate", latitude=1.5, longitude=2.0, unit="Q111"),
        ),
        (
            _place(2, globe="http://www.wikidata.org/entity/Q2"),
            Value(kind="coordinate", latitude=1.5, longitude=2.0),
        ),
    ],
)
def test_each_kind_of_value_is_read(snak, value):
    assert read_value(snak) == value


ENTITY = "http://www.wikidata.org/entity/"


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (_julian("+1642-12-25T00:00:00Z"), _time("P1", "+1643-01-04T00:00:00Z"), True),
        (_julian("+1642-12-25T00:00:00Z"), _time("P1", "+1642-12-25T00:00:00Z"), False),
        (_julian("+1642-00-00T00:00:00Z", 9), _time("P1", "+1642-00-00T00:00:00Z", 9), True),
        (_julian("-0044-03-15T00:00:00Z"), _time("P1", "-0044-03-13T00:00:00Z"), True),
        (_time("P1", "+2000-00-00T00:00:00Z", 7), _time("P1", "+1901-01-01T00:00:00Z", 7), True),
        (_time("P1", "+2000-00-00T00:00:00Z", 7), _time("P1", "+2001-00-00T00:00:00Z", 7), False),
        (_time("P1", "-0100-00-00T00:00:00Z", 7), _time("P1", "-0001-00-00T00:00:00Z", 7), True),
        (_time("P1", "-0100-00-00T00:00:00Z", 7), _time("P1", "+0100-00-00T00:00:00Z", 7), False),
        (
            _time("P1", "+1889-04-20T00:00:00Z", timezone=60),
            _time("P1", "+1889-04-20T00:00:00Z"),
            True,
        ),
        (
            _time("P1", "-13798000000-00-00T00:00:00Z", 3),
            _time("P1", "-13798000000-01-01T00:00:00Z", 3),
            True,
        ),
        (
            _time("P1", "-13798000000-00-00T00:00:00Z", 3),
            _time("P1", "-13797000000-00-00T00:00:00Z", 3),
            False,
        ),
        (_quantity("+35", ENTITY + "Q199"), _quantity("+35"), True),
        (_quantity("+35", ENTITY + "Q11573"), _quantity("+35"), False),
        (_quantity("+35", upperBound="+36", lowerBound="+34"), _quantity("+35.0"), True),
        (_quantity("-0"), _quantity("+0"), True),
        (_place(2, globe=ENTITY + "Q111"), _place(2, globe=ENTITY + "Q2"), False),
        (_place(2), _place(2, globe=ENTITY + "Q2"), True),
        (_place(350), _place(-10), True),
        (_place(180), _place(-180), True),
        (_place(-0.000001), _place(0), True),
        (_place(10), _place(-10), False),
        (
            _snak("P1", {"text": "Moi", "language": "fi"}, "monolingualtext"),
            _snak("P1", {"text": "Moi", "language": "sv"}, "monolingualtext"),
            False,
        ),
    ],
)
def test_two_values_are_one_by_all_that_a_datavalue_says_and_decides_it(one, other, equal):
    assert (read_value(one).key() == read_value(other).key()) is equal


@pytest.mark.parametrize(
    ("time", "precision", "before", "after", "said"),
    [
        ("+1850-00-00T00:00:00Z", 9, 0, 0, "time:+1850/9"),
        ("+1850-00-00T00:00:00Z", 9, 0, 5, "time:+185/8"),
        ("+1850-00-00T00:00:00Z", 9, 0, 10, "time:+18/7"),
        ("+1850-00-00T00:00:00Z", 9, 1, 0, "time:+18/7"),
        ("+1895-00-00T00:00:00Z", 9, 0, 10, "time:+1/6"),
        ("+1850-12-00T00:00:00Z", 10, 0, 1, "time:+185/8"),
        ("+2017-12-10T00:00:00Z", 11, 1, 1, "time:+2017-12/10"),
        ("+1850-02-31T00:00:00Z", 11, 0, 1, "time:+1850-02/10"),
        ("+0001-00-00T00:00:00Z", 9, 1, 0, "somevalue"),
        ("-0044-00-00T00:00:00Z", 7, 0, 1, "somevalue"),
    ],
)
def test_a_time_that_may_be_earlier_or_later_is_told_as_far_as_it_is_sure(
    time, precision, before, after, said
):
    assert read_value(_time("P1", time, precision, before=before, after=after)).key() == said


def test_a_property_gives_its_constraints_unless_they_are_deprecated():
    def constraint(kind, rank="normal"):
        return {
            "mainsnak": _item("P2302", kind),
            "rank": rank,
            "qualifiers": {"P4155": [_item("P4155", "P580")], "P2303": [_item("P2303", "Q9")]},
        }

    data = {
        "id": "P1",
        "type": "property",
        "datatype": "time",
        "labels": {},
        "claims": {
            "P2302": [constraint("Q19474404"), constraint("Q52060874", "deprecated")],
            "P2668": [_statement(_item("P2668", "Q23611288"))],
        },
    }
    assert parse_entity(data, snapshot=SNAPSHOT) == PropertyInfo(
        id="P1",
        datatype="time",
        single_value=True,
        separators=("P580",),
        exceptions=("Q9",),
        stability="Q23611288",
    )


@pytest.mark.parametrize(
    "data",
    [
        [],
        3,
        None,
        {},
        {"id": "M1", "type": "mediainfo"},
        {"id": "L1", "type": "lexeme"},
        {"id": "Q1", "missing": ""},
        {"id": "Q1", "claims": {"P1": [{}]}},
        {"id": "Q1", "claims": 3},
        {"id": "Q1", "labels": {"en": "x"}},
        {"id": "Q1", "claims": {"P1": [_statement(_item("P1", "Q2"), "best")]}},
    ],
)
def test_what_is_no_entity_is_a_rejection(data):
    got = parse_entity(data, snapshot=SNAPSHOT)
    assert isinstance(got, Rejection)
    assert got.reason == Reason.BAD_ENTITY


def test_labels_that_stand_for_many_languages_are_found():
    data = {
        "id": "Q1",
        "labels": {
            "mul": {"language": "mul", "value": "Ann"},
            "ru": {"language": "ru", "value": "Анн"},
        },
    }
    entity, _ = parse_entity(data, snapshot=SNAPSHOT, languages=("en", "ru"))
    assert entity.labels == {"en": "Ann", "ru": "Анн"}


def test_where_all_languages_are_kept_what_stands_for_every_one_stands_under_english_too():
    data = {
        "id": "Q1",
        "labels": {"mul": {"value": "Ann"}, "ru": {"value": "Анн"}},
        "aliases": {"mul": [{"value": "Anna"}], "ru": [{"value": "Аня"}]},
    }
    entity, _ = parse_entity(data, snapshot=SNAPSHOT)
    assert entity.labels == {"mul": "Ann", "en": "Ann", "ru": "Анн"}
    assert entity.aliases == {"mul": ("Anna",), "en": ("Anna",), "ru": ("Аня",)}


@pytest.mark.parametrize("languages", [(), ("en",), ("de",), ("de-at",), ("en", "de")])
@pytest.mark.parametrize("labels", [{"mul"}, {"mul", "en"}, {"mul", "de"}, {"de"}])
@pytest.mark.parametrize("aliases", [{"mul"}, {"mul", "de"}, {"en"}, set()])
def test_names_under_mul_are_names_in_every_language(languages, labels, aliases):
    terms = {
        "labels": {code: {"language": code, "value": f"label {code}"} for code in labels},
        "aliases": {code: [{"language": code, "value": f"alias {code}"}] for code in aliases},
    }
    entity, _ = parse_entity({"id": "Q1", **terms}, snapshot=SNAPSHOT, languages=languages)
    for asked in languages or ("en", "de", "fr", "de-at"):
        codes = {asked, asked.partition("-")[0], "mul"}
        wanted = {
            *(f"label {code}" for code in labels & codes),
            *(f"alias {code}" for code in aliases & codes),
        }
        assert set(entity.names((asked,))) == wanted and set(entity.other_names(asked)) >= {
            name for name in wanted if name.startswith("alias")
        }
        own = next(
            (f"label {code}" for code in (asked, asked.partition("-")[0], "mul") if code in labels),
            None,
        )
        assert own is None or entity.label(asked) == own


def test_entity_data_files_are_read_with_their_redirects(tmp_path):
    path = tmp_path / "Q7.json"
    path.write_text(json.dumps({"entities": {"Q7": _entity()}}))
    got = [x for part in plan_ranges(str(path)) for x in read_entities(part, snapshot=SNAPSHOT)]
    assert got[0] == Redirect(wiki="wikidatawiki", title="Q7", target="Q1")
    assert got[1][0].id == "Q1"


def _dump(num=40):
    return (
        "[\n"
        + ",\n".join(
            json.dumps(
                {**_entity(), "id": f"Q{n}", "labels": {"en": {"value": "x" * (n % 9 * 30)}}}
            )
            for n in range(1, num + 1)
        )
        + "\n]\n"
    )


@pytest.mark.parametrize("form", ["plain", "bz2", "gz"])
@pytest.mark.parametrize("range_bytes", [61, 1000, 1 << 40])
def test_each_line_is_read_by_one_range(tmp_path, form, range_bytes):
    data = _dump().encode()
    (tmp_path / "d").write_bytes(
        {"plain": data, "bz2": bz2.compress(data, 1), "gz": gzip.compress(data)}[form]
    )
    got = [
        x
        for part in plan_ranges(str(tmp_path / "d"), range_bytes=range_bytes)
        for x in read_entities(part, snapshot=SNAPSHOT)
    ]
    assert [entity.id for entity, _ in got] == [f"Q{n}" for n in range(1, 41)]


def test_a_line_that_is_no_json_is_refused_and_a_cut_file_is_an_error(tmp_path):
    path = tmp_path / "d"

    def read(text, keep_partial=False):
        path.write_text(text)
        return [
            x
            for part in plan_ranges(str(path), range_bytes=500)
            for x in read_entities(part, snapshot=SNAPSHOT, keep_partial=keep_partial)
        ]

    got = read(_dump().replace('"id": "Q7"', '"id": Q7'))
    assert [x.reason for x in got if isinstance(x, Rejection)] == [Reason.BAD_ENTITY]
    assert len(got) == 40
    for cut in (_dump()[:-200], _dump()[: _dump().index('{"id": "Q30"')]):
        with pytest.raises(InputError, match="the file ends"):
            read(cut)
        assert sum(isinstance(x, tuple) for x in read(cut, True)) >= 29


def test_the_real_entities_and_properties_are_read(shared):
    got = [
        x
        for name in ("entities", "properties")
        for part in plan_ranges(str(shared(f"wikidata/{name}.json.gz")))
        for x in read_entities(part, snapshot=SNAPSHOT, languages=("en", "fr"))
    ]
    items = {x[0].id: x for x in got if isinstance(x, tuple)}
    infos = {x.id: x for x in got if isinstance(x, PropertyInfo)}
    assert [r.title for r in got if isinstance(r, Rejection)] == ["M56656949", "M566797"]
    assert (len(items), len(infos)) == (13, 15)
    adams, claims = items["Q42"]
    assert (adams.labels["en"], adams.classes, adams.num_statements) == (
        "Douglas Adams",
        ("Q5",),
        332,
    )
    assert [c.value.year for c in claims if c.property == "P569" and c.best] == [1952]
    assert sum(c.best for c in claims) < len(claims)
    assert infos["P625"].single_best_value
    assert "P518" in infos["P625"].separators
    assert infos["P11840"].single_value
    assert not infos["P31"].single_value


def _entities(path, **options):
    """The items of a JSON array, by id."""
    read = (
        parse_entity(data, snapshot=SNAPSHOT, **options) for data in json.loads(path.read_bytes())
    )
    return {entity.id: (entity, claims) for entity, claims in read}


def test_an_owner_until_the_20th_century_has_none_left_and_a_century_has_one_value(shared):
    found = _entities(shared("reports/century.json"))
    assert [(c.value.entity, c.best) for c in found["Q7000001"][1] if c.property == "P127"] == [
        ("Q7000010", False),
        ("Q7000011", True),
    ]
    one, other, year = (
        next(c.value for c in found[q][1] if c.property == "P571")
        for q in ("Q7000002", "Q7000003", "Q7000004")
    )
    assert (
        one.key() == other.key()
        and dates_overlap(one, year)
        and not dates_overlap(one, Value(kind="time", time="+2010-00-00T00:00:00Z", precision=9))
    )


@pytest.mark.parametrize("languages", [(), ("en",), ("de",)])
def test_an_alias_under_mul_alone_is_a_name_in_the_reported_entities(shared, languages):
    found = _entities(shared("reports/mul_aliases.json"), languages=languages)
    house, person = found["Q7100002"][0], found["Q7100001"][0]
    for language in languages or ("en", "de"):
        assert (
            house.names((language,)) == ("Haus Lorn", "Lornpalais")
            and house.label(language) == "Haus Lorn"
        )
        assert set(person.names((language,))) == {
            "Ilse Brandt",
            "I. M. Brandt",
            *(["Ilse the Elder"] if language == "en" else []),
        }
