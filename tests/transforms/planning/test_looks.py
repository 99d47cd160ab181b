"""What a plan reads in pictures, of the question's thing and of later ones, and what each bound refuses."""

from dataclasses import replace
from random import Random

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Compute, Form, Image, Reads
from questloom.records.knowledge import Detail, ImageAsset, Value, entity_value
from questloom.records.outcomes import Reason
from questloom.records.plan import COMPUTATION, DETAIL, LATER_PICTURE, MID_CHAIN, PLAIN, work_of
from questloom.transforms.certificate.certify import given_by_picture, smallest_part
from questloom.transforms.certificate.effective import chain, effective_hops
from questloom.transforms.certificate.evidence import num_hops
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.readings import SHOWN_ON_PAGE, later_readings, pictures_on_page
from questloom.transforms.planning.finish import ask_attributes, certify_plan
from questloom.transforms.planning.ground import Refusals
from questloom.transforms.planning.looks import ask_reading, dated_by
from questloom.transforms.planning.search import search
from questloom.transforms.planning.shapes.chain import Walk, grow_chains, read_on
from questloom.transforms.planning.shapes.tree import grow_trees
from tests.small_facts import claim, year
from tests.transforms.planning.coast import (
    LIGHTHOUSE,
    architect,
    coast,
    coast_claims,
    ground,
    lighthouse,
    novel,
)

AT = ground()
READ = Reads(var="r", of="x1", property="P1684")


def with_pictures(pictures: dict[str, int], said: str = "", **told) -> Lookups:
    """The coast with more pictures, of things and with the year on them; `said` stands on each of them where it is given."""
    facts = coast(**told)
    for thing, when in pictures.items():
        value = Value(kind="monolingual", text=said) if said else year(when)
        facts.facts.images[thing] = (picture(thing, Detail(property="P1684", value=value)),)
    return facts


def picture(name: str, *details: Detail) -> ImageAsset:
    return ImageAsset(
        id=f"{name:0>64}", file=name, mime="image/jpeg", width=9, height=9, num_bytes=9, details=details
    )  # fmt: skip


def test_what_is_written_in_a_later_picture_is_asked():
    at = ground(with_pictures({architect(3): 1888}))
    walk = (Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"))
    bindings = {"x0": lighthouse(3), "x1": architect(3)}
    ((form, bound, answer),) = ask_reading(at, walk, bindings, "x1")
    assert form.clauses == (*walk, READ) and form.ask.var == "r" and form.ask.type == "date"
    assert bound["r"] == year(1888).key() and answer.text == "1888"
    assert not list(ask_reading(at, walk[:1], {"x0": lighthouse(3)}, "x0")), "that needs no search"
    none = replace(at, draft=replace(at.draft, detail_share=0.0))
    assert not list(ask_reading(none, walk, bindings, "x1")), "the recipe wants no details"
    motto = ground(with_pictures({architect(3): 0}, "TIDE AND TRUTH"))
    ((form, _, answer),) = ask_reading(motto, walk, bindings, "x1")
    assert answer.text == "TIDE AND TRUTH" and form.ask.type == "string"
    fits = replace(motto, draft=replace(motto.draft, max_answer_words=3))
    assert list(ask_reading(fits, walk, bindings, "x1"))
    short = replace(motto, draft=replace(motto.draft, max_answer_words=2))
    assert not list(ask_reading(short, walk, bindings, "x1")), "an answer of three words"


def test_a_later_picture_is_read_only_where_its_page_shows_it_and_does_not_say_it():
    thing = architect(3)
    assert [d.value for d in later_readings(with_pictures({thing: 1888}), thing)] == [year(1888)]
    said = with_pictures({thing: 1888}, told={thing: "It was drawn in 1888."})
    assert later_readings(said, thing) == ()
    lost = with_pictures({thing: 1888})
    del lost.facts.articles[thing]
    assert later_readings(lost, thing) == () and pictures_on_page(lost, thing) == ()
    many = with_pictures({thing: 1888})
    more = tuple(picture(f"{n}") for n in range(SHOWN_ON_PAGE))
    many.facts.images[thing] += more
    assert later_readings(many, thing) == (), "a visit shows not all of them"
    two = with_pictures({thing: 1888})
    two.facts.images[thing] += (picture("two", Detail(property="P1684", value=year(1999))),)
    assert later_readings(two, thing) == (), "which of the two years?"
    counted = with_pictures({thing: 1888})
    arches = Detail(property="P1114", part="Q1", value=Value(kind="quantity", number=3.0))
    counted.facts.images[thing] = (picture("arches", arches),)
    assert later_readings(counted, thing) == (), "only writing"


def test_a_year_in_a_picture_leads_to_the_only_thing_of_its_class_and_year():
    found = dated_by(AT, lighthouse(3), shown=True)
    assert [(d.property, d.thing, d.class_id) for d in found] == [
        ("P571", lighthouse(5), LIGHTHOUSE)
    ], "born or died in 1705 leads to nobody"
    (walk,) = read_on(AT, Walk((lighthouse(3),)), Refusals())
    assert walk.things == (lighthouse(3), lighthouse(5)) and walk.steps == (("P571", True),)
    assert walk.bindings == {
        "x0": lighthouse(3), "x1": lighthouse(5), "r0": year(1705).key()
    }  # fmt: skip
    assert walk.clauses == (
        Image(var="x0"),
        Reads(var="r0", of="x0", property="P1684"),
        ClaimClause(subject="x1", property="P571", object="r0"),
        ClassClause(var="x1", class_id=LIGHTHOUSE),
    )
    assert year(1705).key() in walk.said, "its date is not asked again"
    back = Walk((lighthouse(5), lighthouse(3)))
    assert not read_on(AT, back, Refusals()), "comes back"
    said = Walk((lighthouse(3),), said=frozenset({year(1705).key()}))
    assert not read_on(AT, said, Refusals()), "the year is in the words"
    twin = [claim("Q1900", "P31", LIGHTHOUSE), claim("Q1900", "P571", year(1705))]
    assert not dated_by(ground(coast([*coast_claims(), *twin])), lighthouse(3), shown=True)
    silent = ground(coast(silent=frozenset({lighthouse(5)})))
    assert not dated_by(silent, lighthouse(3), shown=True), "no page says it"
    none = ground(detail_share=0.0)
    assert not dated_by(none, lighthouse(3), shown=True)
    said = ground(coast(told={lighthouse(3): "Built in 1705."}))
    assert dated_by(said, lighthouse(3), shown=True) == found
    assert not dated_by(said, lighthouse(3), shown=False), "of a later thing the page says it"


def test_the_date_that_a_year_in_a_picture_told_is_not_asked():
    """The year on the plaque told when it was built, whatever day of that year is known, and so it told the century."""
    day, built = Value(kind="time", time="+1725-04-03T00:00:00Z", precision=11), lighthouse(25)
    claims = [
        claim(built, "P571", day) if (c.subject, c.property) == (built, "P571") else c
        for c in coast_claims()
    ]
    at = ground(coast(claims))
    forms = list(grow_chains(at, lighthouse(23), 2, Random(1), Refusals()))
    led = [b for _, b, _ in forms if b.get("x1") == built]
    assert led and all(day.key() not in bindings.values() for bindings in led)
    asked = ask_attributes(at, (Image(var="x0"),), {"x0": built}, "x0", Random(1))
    assert day.key() in {b["a"] for _, b, _ in asked}, "where nothing told the year"


def test_a_year_in_a_later_picture_leads_on_by_two_steps_unless_fewer_lead_there():
    at = ground(with_pictures({architect(3): 1705}))
    designed = ClaimClause(subject="x0", property="P84", object="x1")
    start = Walk((lighthouse(3), architect(3)), (("P84", False),), (Image(var="x0"), designed))
    (walk,) = read_on(at, start, Refusals())
    assert walk.steps == (*start.steps, ("P1684", False), ("P571", True))
    assert walk.things[-1] == lighthouse(5) and walk.sides == {"r0": year(1705).key()}
    near = [*coast_claims(), claim(lighthouse(3), "P138", lighthouse(5))]
    refusals = Refusals()
    assert not read_on(ground(with_pictures({architect(3): 1705}, claims=near)), start, refusals)
    assert refusals.reasons == {Reason.COLLAPSES.value: 1}


def test_of_too_few_dated_things_a_year_is_hardly_needed():
    few = {lighthouse(5 + n) for n in range(4)}

    def dated(num: int):
        kept = few | {lighthouse(20 + n) for n in range(num)}
        claims = [c for c in coast_claims() if c.property != "P571" or c.subject in kept]
        return dated_by(ground(coast(claims)), lighthouse(3), shown=True)

    assert not dated(0) and dated(1)


def test_a_look_at_a_later_picture_is_a_hop_and_needed():
    facts = with_pictures({architect(3): 1888})
    form = Form(
        clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"), READ),
        ask=Ask(var="r", type="date", precision="year"),
    )
    binding = {"x0": entity_value(lighthouse(3)), "x1": entity_value(architect(3)), "r": year(1888)}
    assert given_by_picture(form, binding) == {"x0": binding["x0"]}
    assert num_hops(form) == 2 and chain(form) == (("P84", False), ("P1684", False))
    part = smallest_part(form, facts, binding)
    assert part == form and effective_hops(form, part, facts, binding) == 2
    shown = replace(READ, of="x0")
    assert num_hops(Form(clauses=(Image(var="x0"), shown), ask=form.ask)) == 0
    assert [work_of(form), work_of(Form(clauses=(Image(var="x0"), shown), ask=form.ask))] == [
        LATER_PICTURE,
        DETAIL,
    ]


def test_a_shorter_way_to_the_later_picture_is_counted():
    """The lighthouse is named after its architect's teacher: that picture is two looks away, not three."""
    claims = [*coast_claims(), claim(lighthouse(3), "P138", architect(10))]
    teacher = ClaimClause(subject="x1", property="P1066", object="x2")
    designed = ClaimClause(subject="x0", property="P84", object="x1")
    form = Form(
        clauses=(Image(var="x0"), designed, teacher, replace(READ, of="x2")),
        ask=Ask(var="r", type="date", precision="year"),
    )
    binding = {
        "x0": entity_value(lighthouse(3)),
        "x1": entity_value(architect(3)),
        "x2": entity_value(architect(10)),
        "r": year(1888),
    }
    hops = [
        effective_hops(form, form, with_pictures({architect(10): 1888}, claims=c), binding)
        for c in (coast_claims(), claims)
    ]
    assert hops == [3, 2]


@pytest.mark.parametrize("hops", [2, 3, 4])
def test_details_are_read_at_every_level(hops):
    at = ground(with_pictures({architect(n): 1888 + n for n in range(60)}))
    refusals = Refusals()
    forms = grow_chains(at, lighthouse(3), hops, Random(1), refusals)
    plans = search(at, forms, shape="chain", refusals=refusals).plans
    works = {p.work for p in plans}
    # The search ends with six plain ones.
    assert PLAIN in works and works & {DETAIL, LATER_PICTURE, MID_CHAIN}
    grown = grow_chains(at, lighthouse(3), hops, Random(1), Refusals())
    made = {work_of(form) for form, _, _ in grown}
    assert {PLAIN, COMPUTATION, LATER_PICTURE, MID_CHAIN} <= made
    for plan in plans:
        form = plan.logical_form
        assert plan.certificate.nominal_hops == num_hops(form) >= hops
        if form.later_reads:
            looks = [m for m in plan.route.moves if m.startswith("crop")]
            assert looks and plan.route.looks >= 2


def test_a_shown_year_is_compared_with_no_date_of_a_later_thing():
    """Readers found it pointless to count from the plaque of one thing to a date of another."""
    grown = list(grow_chains(AT, lighthouse(3), 3, Random(1), Refusals()))
    assert any(form.of(Compute) for form, _, _ in grown)
    assert not any(form.shown_reads and form.of(Compute) for form, _, _ in grown)


def test_a_tree_asks_for_what_is_written_on_its_asked_thing():
    at = ground(with_pictures({novel(3): 1950}))
    asked = [
        form
        for form, bindings, answer in grow_trees(at, novel(3), 2, Random(1), Refusals())
        if form.ask.var == "r"
    ]
    assert asked and all(r.of == f"x{len(f.of(ClaimClause)[:2])}" for f in asked for r in f.later_reads)  # fmt: skip


def test_a_plan_with_a_later_picture_is_certified_whole():
    pictures = {architect(n): 1885 + n for n in range(60)}
    walk = (Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"))
    bindings = {"x0": lighthouse(3), "x1": architect(3)}

    def planned(at):
        ((form, bound, answer),) = ask_reading(everywhere, walk, bindings, "x1")
        refusals = Refusals()
        plan = certify_plan(at, form, bound, answer, shape="chain", refusals=refusals)
        return plan, refusals.reasons

    everywhere = ground(with_pictures(pictures))
    plan, _ = planned(everywhere)
    assert plan is not None and plan.certificate.effective_hops == 2
    assert plan.route.moves[-2:] == ("visit x1", "crop r") and plan.work == LATER_PICTURE
    twice = ground(with_pictures(pictures))
    second = picture("two", Detail(property="P1684", value=year(1999)))
    twice.facts.facts.images[architect(3)] += (second,)
    assert planned(twice) == (None, {"not_unique": 1}), "the pictures say two years"
    alone = ground(with_pictures({architect(3): 1888}))
    assert planned(alone) == (None, {"picture_not_needed": 1}), "no other architect has a picture"
