"""Clusters on a coast of lighthouses: what each ability's plans are made of, and what each bound refuses."""

from dataclasses import replace
from random import Random

import pytest

from questloom.records.form import ClaimClause, Compute, Image, Reads
from questloom.records.knowledge import Detail
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import PlannedSeed
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.planner import plan_seed, plans_of
from questloom.transforms.planning.reasoning import LONGEST
from questloom.transforms.planning.shapes.chain import Walk
from questloom.transforms.planning.shapes.cluster import (
    MAX_STEPS,
    _compared,
    _count_from_reading,
    _Pair,
    _search,
    _starts,
    _walks,
    off_cluster,
)
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.planning import coast
from tests.transforms.planning.observed import COAST, metres, picture, plaque, seed

AT = Ground(Lookups(COAST), DraftRules(), CertificateRules(max_guess=0.5), 1)
ALL = "perception+search+reasoning"
COAST_AT = coast.ground()


def plans(ability: str, level: str = "medium", entity_id: str = "Q1003", at: Ground = AT):
    return plans_of(at, seed(ability, level, entity_id)).plans


def test_what_is_seen_is_asked_or_counted_from_and_nothing_is_searched_for():
    (read,), (counted,) = plans("perception"), plans("perception+reasoning")
    assert read.answer.text == "1803" and read.logical_form.of(Reads)
    assert counted.answer.text == "3" and counted.logical_form.of(Compute)
    assert not read.logical_form.of(ClaimClause) and not counted.logical_form.of(ClaimClause)


def test_a_level_that_a_plan_has_too_few_claims_for_refuses_it():
    plan = plans(ALL, "medium")[0]
    assert off_cluster(AT, seed(ALL, "medium"), plan) is None
    assert off_cluster(AT, seed(ALL, "hard"), plan) is Reason.OFF_LEVEL
    assert off_cluster(AT, seed("perception", "hard"), plan) is None, "nothing is searched for"
    idle = plan.certificate.smallest_part
    less = {**idle, "clauses": [c for c in idle["clauses"] if c["is"] != "claim"]}
    short = plan.replace(certificate=plan.certificate.replace(smallest_part=less))
    assert off_cluster(AT, seed(ALL, "medium"), short) is Reason.OFF_LEVEL


def test_an_answer_that_stands_on_the_picture_is_refused_where_a_search_is_asked():
    plan = plans("perception+search", "medium")[0]
    shown = plaque(plan.answer.text)
    images = {**COAST.images, plan.anchor: (picture(plan.anchor, shown),)}
    facts = SmallFacts([], dict(COAST.entities), COAST.articles, images)
    at = replace(AT, facts=Lookups(facts))
    assert off_cluster(at, seed("perception+search", "medium"), plan) is (
        Reason.ANSWERED_WITHOUT_TOOLS
    )


def test_a_thing_to_which_a_shorter_way_leads_is_no_end_of_a_way():
    refused = plans_of(AT, seed(ALL, "expert")).refusals.reasons
    assert refused[Reason.COLLAPSES.value]


def test_a_seed_around_which_nothing_can_be_compared_says_which_bound_refused_most():
    strict = replace(AT, certificate=CertificateRules(max_guess=-1.0))
    made = plan_seed(strict, seed(ALL))
    assert isinstance(made, Rejection) and made.evidence["refused"][Reason.GUESSABLE.value]
    assert isinstance(plan_seed(AT, seed(ALL)), PlannedSeed)


def test_a_reading_is_asked_at_the_level_of_its_print():
    assert plans("perception", "medium") and not plans("perception", "easy")


def test_years_are_not_compared_beyond_what_somebody_would_count():
    kept = plans(ALL)
    assert kept and all(0 < float(p.answer.text) <= LONGEST for p in kept)
    claims = [
        c.replace(value=year(200)) if c.property in ("P569", "P570") else c
        for e in COAST.entities
        for c in COAST.claims(e)
    ]
    ancient = SmallFacts(claims, dict(COAST.entities), COAST.articles, COAST.images)
    at = replace(AT, facts=Lookups(ancient))
    assert not plans(ALL, at=at)


def test_planning_a_cluster_twice_gives_the_same_plans():
    again = replace(AT, facts=Lookups(COAST))
    assert plans(ALL, "expert") == plans(ALL, "expert", at=again) != ()


def store(*more, without: tuple = (), shown: Detail | None = None, **domains: str) -> Ground:
    """The coast with more claims, without some (each a subject and a property), with another detail on Q1003's picture, and with other domains."""
    claims = [c for e in COAST.entities for c in COAST.claims(e)]
    kept = [c for c in claims if (c.subject, c.property) not in without]
    entities = {k: e.replace(domain=domains.get(k, e.domain)) for k, e in COAST.entities.items()}
    images = dict(COAST.images)
    if shown:
        images["Q1003"] = (picture("Q1003", shown),)
    return replace(AT, facts=Lookups(SmallFacts([*kept, *more], entities, COAST.articles, images)))


@pytest.mark.parametrize(
    ("shown", "asked"),
    [
        (plaque("1849"), "49"),
        (plaque("1850"), "50"),
        (plaque("1800"), ""),
        (plaque("TIDE AND TRUTH"), ""),
        (Detail(property="P571", value=year(120)), "20"),
        (Detail(property="P571", value=year(30)), ""),
    ],
)
def test_years_are_counted_from_the_picture_to_the_nearest_turn_of_a_century(shown, asked):
    found = _count_from_reading(store(shown=shown), seed("perception+reasoning"), Random(1))
    assert [answer.text for _, _, answer in found] == [asked] * bool(asked)


@pytest.mark.parametrize(("most", "num"), [(3, 1), (2, 0)])
def test_what_is_read_is_no_longer_than_an_answer_may_be(most, num):
    at = store(shown=plaque("TIDE AND TRUTH"))
    at = replace(at, draft=replace(at.draft, max_answer_words=most))
    assert len(plans("perception", at=at)) == num


DESIGNED = ClaimClause(subject="x0", property="P84", object="x1")
ALSO = ClaimClause(subject="x2", property="P84", object="x1")
TWO_LIGHTS = Walk(("Q1003", "Q2003", "Q4003"), (), (Image(var="x0"), DESIGNED, ALSO))
BRIDGE = claim("Q4003", "P31", "Q12280")


def compared(claims: int, at: Ground = AT, one: str = "x0", other: str = "x2", walk=TWO_LIGHTS):
    """What a question with some claims asks of two things of a walk: the operation, what is compared and the answer."""
    return {
        (
            form.of(Compute)[0].op,
            next(c.property for c in form.clauses if getattr(c, "object", "") == "c"),
            answer.text,
        )
        for form, _, answer in _compared(at, _Pair(walk, one, other, 2), claims, Random(1))
    }


def test_two_lighthouses_are_compared_in_as_many_claims_as_are_asked_for():
    assert compared(3) == {("difference", "P571", "90")}, "from the year in the picture"
    assert compared(3, one="x2", other="x1") == set(), "it has no year, and is not shown"
    assert compared(4) == {("difference", "P571", "10"), ("difference", "P2048", "4.5")}
    assert compared(5) == {("earliest", "P571", "23"), ("latest", "P571", "27.5")}
    assert compared(2) == compared(6) == set()
    ((form, _, _), *_) = [
        g for g in _compared(AT, _Pair(TWO_LIGHTS, "x0", "x2", 2), 4, Random(1)) if "4.5" in g[2].text
    ]  # fmt: skip
    assert form.ask.unit != "years"


def test_a_year_in_the_picture_is_counted_to_things_of_its_domain_and_the_rest_to_its_kind():
    bridge = store(BRIDGE, without=(("Q4003", "P31"),))
    assert compared(3, bridge) == {("difference", "P571", "90")}
    assert compared(4, bridge) == compared(5, bridge) == set(), "a lighthouse and a bridge"
    work = store(BRIDGE, without=(("Q4003", "P31"),), Q4003="work")
    assert compared(3, work) == set()
    assert compared(4, one="x0", other="x1") == {
        ("difference", "P569", "40"),
        ("difference", "P570", "40"),
    }, "linked things"


def test_dates_of_places_are_not_compared_but_their_sizes_are():
    places = store(Q1003="location", Q4003="location")
    assert compared(3, places) == set()
    assert compared(4, places) == {("difference", "P2048", "4.5")}
    assert compared(5, places) == set()


def test_the_winner_is_asked_for_what_the_loser_has_otherwise():
    tall = [claim(e, "P2048", metres(23.0)) for e in ("Q1003", "Q4003")]
    heights = ("Q1003", "P2048"), ("Q4003", "P2048")
    assert compared(5, store(*tall, without=heights)) == set(), "both are of one height"
    assert compared(5, store(without=heights[:1])) == set(), "the height of one is not known"


def test_who_was_born_first_is_not_asked_where():
    """Two architects; who died first may be asked where he was born."""
    two = Walk(
        ("Q1003", "Q2003", "Q2004"), (), (Image(var="x0"), DESIGNED, replace(DESIGNED, object="x2"))
    )

    def asked(key: str) -> set[str]:
        return {
            c.property
            for n in range(20)
            for form, _, _ in _compared(AT, _Pair(two, "x1", "x2", 1), 5, Random(n))
            for c in form.of(ClaimClause)
            if c.object == "a" and key in {c.property for c in form.of(ClaimClause) if c.object == "c"}
        }  # fmt: skip

    assert asked("P569") == {"P570"} and asked("P570") == {"P569", "P19"}


def test_walks_start_at_the_seed_or_at_a_neighbour_that_may_be_shown():
    def starts(entity_id: str, at: Ground = AT):
        made = list(_starts(at, seed(entity_id=entity_id), Random(1), Refusals()))
        assert [w.things for w in made[0]] == [(entity_id,)]
        for near, there in made[1:]:
            assert there.things == (*near.things, entity_id) and len(there.steps) == 1
        return {near.things[0] for near, _ in made[1:]}

    assert starts("Q2003") == {"Q1003", "Q4003"} and starts("Q3003") == {"Q2003"}
    assert starts("Q3003", store(without=(("Q2003", "P570"),))) == set(), "he may live"
    assert starts("Q2003", replace(AT, min_views=2)) == set()


@pytest.mark.parametrize("claims", [2, 3, 4, 5])
def test_a_search_has_as_many_claims_as_are_asked_for(claims):
    start = [Walk((coast.lighthouse(3),))]
    forms = [form for form, _, _ in _search(COAST_AT, start, claims, Random(1), Refusals())]
    assert {len(form.of(ClaimClause)) for form in forms} == {claims}
    things = [form for form in forms if form.ask.var != "a"]
    assert 0 < len(things) < len(forms), "the last thing, or what it has"
    assert all(any(c.subject == f.ask.var for c in f.of(ClaimClause)) for f in things)


def test_from_a_neighbours_picture_every_walk_leads_over_the_seed():
    for start in list(_starts(AT, seed(entity_id="Q2003"), Random(1), Refusals()))[1:]:
        walks = _walks(AT, start, Random(1), Refusals())
        assert len(walks) > 2 and all("Q2003" in walk.things for walk in walks[1:])


def test_no_walk_is_longer_than_allowed_and_none_is_a_long_way_round():
    start, refusals = [Walk((coast.lighthouse(3),))], Refusals()
    walks = _walks(COAST_AT, start, Random(1), refusals)
    assert {len(w.steps) for w in walks} == set(range(MAX_STEPS + 1))
    stands = (claim(coast.lighthouse(i), "P131", coast.town(i)) for i in range(coast.NUM))
    near = coast.ground(coast.coast([*coast.coast_claims(), *stands]))
    there = {w.things[1:] for w in _walks(near, start, Random(1), refusals)}
    assert (coast.town(3),) in there and (coast.architect(3), coast.town(3)) not in there
    assert refusals.reasons[Reason.COLLAPSES.value]
