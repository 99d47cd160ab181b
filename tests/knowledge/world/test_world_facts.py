"""What is true in the world agrees with itself; what the dump leaves out is what the rates say."""

from itertools import combinations

import pytest

from questloom.knowledge.world import gaps, vocabulary
from questloom.knowledge.world.article_texts import pages
from questloom.knowledge.world.curiosities import CURIOSITIES, CURIOUS_SHARE, MOTTOES
from questloom.knowledge.world.model import SNAPSHOT_YEAR, Thing
from questloom.knowledge.world.names import GRAMMARS, NameSource
from questloom.knowledge.world.part import Part
from questloom.knowledge.world.populate import make_part, part_sizes
from tests.shared_data import SHARED, needs


@pytest.fixture(scope="module", params=[3, 8])
def region(request: pytest.FixtureRequest) -> Part:
    return make_part(request.param, 1000, 1)


def first_year(thing: Thing, prop: str) -> int | None:
    return next((v.year for v in thing.values(prop) if v.kind == "time"), None)


def linked(part: Part, thing: Thing, prop: str) -> list[Thing]:
    return [t for v in thing.values(prop) if (t := part.things.get(v.entity))]


def test_nobody_dies_before_birth_or_is_born_to_a_child(region: Part) -> None:
    for person in region.kind("person"):
        birth, death = first_year(person, "P569"), first_year(person, "P570")
        assert birth is not None and (death is None or birth < death <= SNAPSHOT_YEAR)
        for parent in linked(region, person, "P22") + linked(region, person, "P25"):
            assert parent.start + 16 <= person.start <= parent.end + 1


def test_makers_were_alive_when_they_made(region: Part) -> None:
    made = [
        (t, m)
        for t in region.things.values()
        for p in ("P84", "P631", "P170", "P50", "P86", "P57", "P61")
        for m in linked(region, t, p)
    ]
    assert len(made) > 300
    for thing, maker in made:
        assert maker.start + 20 <= thing.start < maker.end, (thing.label, maker.label)


def test_pupils_are_younger_than_their_teachers_and_met_them(region: Part) -> None:
    pairs = [(p, t) for p in region.kind("person") for t in linked(region, p, "P1066")]
    assert len(pairs) > 60 and all(
        t.start + 15 <= p.start and t.end > p.start + 15 for p, t in pairs
    )


def test_honours_and_burials_come_in_time(region: Part) -> None:
    for person in region.kind("person"):
        for statement in person.statements:
            if statement.property == "P166":
                assert person.start + 20 < (statement.qualifiers[0].value.year or 0) <= person.end
        for church in linked(region, person, "P119"):
            assert church.start < person.end


def test_nobody_dies_of_two_things_or_at_the_hand_of_the_dead(region: Part) -> None:
    fates = [p for p in region.kind("person") if p.values("P509") or p.values("P157")]
    # Curiosities are on few things.
    assert len(fates) > 8 and any(p.values("P157") for p in fates)
    for person in fates:
        assert person.values("P570") and len(person.values("P509") + person.values("P157")) == 1
        for other in linked(region, person, "P157"):
            assert other is not person and other.start + 20 < person.end <= other.end + 1, (
                person.label,
                other.label,
            )


def test_what_was_shot_signed_and_held_prisoner_somewhere_came_after_the_place(
    region: Part,
) -> None:
    placed = [
        (t, p)
        for prop, kinds in (("P915", ("film",)), ("P276", ("treaty",)))
        for t in region.kind(*kinds)
        for p in linked(region, t, prop)
    ]
    assert len(placed) > 15 and all(place.start < thing.start for thing, place in placed)
    assert len({place.id for _, place in placed}) >= len(placed) - 2, "each has a place of its own"
    held = [(p, c) for p in region.kind("person") for c in linked(region, p, "P2632")]
    assert len(held) > 4 and all(
        castle.start < person.end and castle.kind == "castle" for person, castle in held
    )


def test_what_people_said_and_bore_is_short_and_no_two_families_bear_the_same(region: Part) -> None:
    last = [(p, v.text) for p in region.kind("person") for v in p.values("P3909")]
    assert len(last) > 5 and all(
        person.values("P570") and len(text.split()) <= 6 and text[-1].isalnum()
        for person, text in last
    )
    mottoes = [v.text for t in region.kind("family", "club") for v in t.values("P1451")]
    assert len(set(mottoes)) == min(len(mottoes), len(MOTTOES)) and all(
        len(text.split()) <= 6 for text in mottoes
    )


def test_curiosities_are_on_few_things_and_never_two_on_one(region: Part) -> None:
    counts = [sum(s.property in CURIOSITIES for s in t.statements) for t in region.things.values()]
    assert max(counts) == 1
    assert 0.9 * CURIOUS_SHARE < sum(counts) / len(counts) <= CURIOUS_SHARE * 1.01
    used = {s.property for t in region.things.values() for s in t.statements}
    assert used >= CURIOSITIES, "every kind is there still"


def test_employers_stood_and_those_who_influenced_or_commissioned_had_lived(region: Part) -> None:
    work = [(p, e) for p in region.kind("person") for e in linked(region, p, "P108")]
    assert len(work) > 150
    assert all(e.start < p.end and e.first("P112") != p.id for p, e in work)
    shaped = [(p, o) for p in region.kind("person") for o in linked(region, p, "P737")]
    assert len(shaped) > 80 and all(o.start < p.start for p, o in shaped)
    ordered = [
        (t, o)
        for t in region.things.values()
        for o in linked(region, t, "P88")
        if o.kind == "person"
    ]
    assert len(ordered) > 40 and all(o.start + 20 <= t.start < o.end for t, o in ordered)


def test_works_lead_back_to_two_whom_their_maker_is_bound_to_and_neither_alone_tells_which(
    region: Part,
) -> None:
    """What questions meet in: of the author's books, and of those dedicated to the author's teacher, one is both."""
    met = 0
    for maker, other in (("P50", "P825"), ("P61", "P138"), ("P84", "P131"), ("P170", "P1071")):
        ways = {
            t.id: (t.first(maker), t.first(other), t.classes[0])
            for t in region.things.values()
            if t.first(maker) and t.first(other)
        }
        for one, way in ways.items():
            rest = [w for thing, w in ways.items() if thing != one and w[2] == way[2]]
            met += (
                way not in rest
                and any(w[0] == way[0] for w in rest)
                and any(w[1] == way[1] for w in rest)
            )
    assert met > 100


def test_a_life_is_written_once_and_by_somebody_else(region: Part) -> None:
    told = [(b.first("P50"), b.first("P921")) for b in region.kind("biography")]
    assert (
        len(told) > 12
        and len({of for _, of in told}) == len(told)
        and all(author != of for author, of in told)
    )


def test_marriage_and_kinship_are_mutual(region: Part) -> None:
    for one, other in (("P26", "P26"), ("P3373", "P3373"), ("P47", "P47")):
        for thing in region.things.values():
            assert all(thing in linked(region, t, other) for t in linked(region, thing, one))


def test_every_property_used_is_a_real_one_with_its_label(region: Part) -> None:
    used = {s.property for t in region.things.values() for s in t.statements}
    assert used <= set(vocabulary.properties()) and len(used) > 90


def test_at_least_25_relations_between_things_are_used_widely(region: Part) -> None:
    counts: dict[str, int] = {}
    for thing in region.things.values():
        for statement in thing.statements:
            if statement.value.kind == "entity":
                counts[statement.property] = counts.get(statement.property, 0) + 1
    assert sum(n >= 60 for n in counts.values()) >= 25


def test_many_lighthouses_and_paintings_have_a_twin(region: Part) -> None:
    for kind, properties in (
        ("lighthouse", ("P84", "P571", "P131", "P186", "P462")),
        ("painting", ("P170", "P571", "P136", "P186", "P195")),
    ):
        facts = {
            t.id: [{v.key() for v in t.values(p)} for p in properties] for t in region.kind(kind)
        }
        twins = {
            x
            for a, b in combinations(facts, 2)
            if sum(p == q for p, q in zip(facts[a], facts[b], strict=True)) >= 3
            for x in (a, b)
        }
        assert len(twins) > 0.4 * len(facts), kind


def test_statements_are_as_heavy_tailed_as_the_rare_rule_needs(region: Part) -> None:
    lengths = sorted(len(t.statements) for t in region.things.values() if t.article)
    assert lengths[len(lengths) // 4] < 16 and sum(n >= 20 for n in lengths) > 200


def test_names_of_two_parts_never_meet() -> None:
    sources = [NameSource(slot, 11) for slot in range(11)]
    stems = [source.stem() for source in sources for _ in range(400)]
    assert len(set(stems)) == len(stems)


def test_stems_are_distinct_in_every_language_and_between_them() -> None:
    stems = [grammar.stem(i) for grammar in GRAMMARS for i in range(0, grammar.num_stems, 7)]
    assert len(set(stems)) == len(stems)


def test_a_million_articles_have_names_enough() -> None:
    num_parts = len(part_sizes(1_000_000))
    used = make_part(1, 1000, 1).names.next_index // NameSource(1, 2).step
    assert used * NameSource(1, num_parts).step < min(g.num_stems for g in GRAMMARS)


def test_titles_are_unique_in_the_whole_world() -> None:
    nation = make_part(5, 2100, 0)
    titles = [
        p.title
        for n in range(3)
        for p in pages(nation if n == 0 else make_part(5, 2100, n, nation))
    ]
    assert len(set(titles)) == len(titles)


def test_a_part_is_the_same_whether_or_not_the_nation_was_made_before(region: Part) -> None:
    again = make_part(region.seed, 1000, 1, make_part(region.seed, 1000, 0))
    assert [(t.id, t.title, t.statements) for t in again.things.values()] == [
        (t.id, t.title, t.statements) for t in region.things.values()
    ]


def test_articles_are_of_decent_length_and_mostly_linked(region: Part) -> None:
    by_title = {p.title: p.text for p in pages(region)}
    lengths = sorted(len(by_title[t.title].split()) for t in region.things.values() if t.article)
    assert (
        lengths[len(lengths) // 2] > 110
        and sum("[[" in by_title[t.title] for t in region.things.values() if t.article)
        > 0.95 * region.size
    )


def test_gaps_hide_properties_at_the_rates_of_the_file_and_twice_them(region: Part) -> None:
    people = [t for t in region.things.values() if t.values("P19")]
    rate = gaps.rate_of("P19")
    assert rate == 0.065
    lost = [
        sum(
            not any(s.property == "P19" for s in gaps.remaining(region.seed, level, t))
            for t in people
        )
        / len(people)
        for level in (0, 1, 2)
    ]
    assert lost[0] == 0 and abs(lost[1] - rate) < 0.035 and abs(lost[2] - 2 * rate) < 0.05


def test_gaps_at_two_hold_all_the_gaps_at_one(region: Part) -> None:
    for thing in region.things.values():
        once, twice = (gaps.remaining(region.seed, level, thing) for level in (1, 2))
        assert all(s in once for s in twice)
        assert gaps.hidden_item(region.seed, 2, thing) or not gaps.hidden_item(
            region.seed, 1, thing
        )


@needs("paintings/paintings.csv.gz")
def test_the_rates_are_those_of_the_painting_table() -> None:
    measured = gaps.measure(SHARED / "data" / "paintings" / "paintings.csv.gz")
    assert all(
        abs(measured[column] - rate) < 0.001
        for column, rate in gaps.rates()["columns"].items()
        if column != "depicts"
    )
    assert abs(measured["depicts"] - gaps.rates()["columns"]["depicts"]) < 0.002


def test_a_river_lies_in_the_district_of_every_place_on_its_banks(region: Part) -> None:
    places = region.kind("town") + region.kind("village")
    pairs = [(place, river) for place in places for river in linked(region, place, "P206")]
    assert len(pairs) == len(places)
    for place, river in pairs:
        assert place.first("P131") in {v.entity for v in river.values("P131")}, place.label
    rivers = region.kind("river")
    assert all(len({v.entity for v in r.values("P131")}) == len(r.values("P131")) for r in rivers)
    assert any(len(r.values("P131")) > 1 for r in rivers)


def test_each_saint_is_a_man_or_a_woman(region: Part) -> None:
    assert {len(saint.values("P21")) for saint in region.nation.kind("saint")} == {1}
