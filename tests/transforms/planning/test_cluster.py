"""Clusters on a coast of lighthouses: what each ability's plans are made of, and what each bound refuses."""

from dataclasses import replace

from questloom.records.form import ClaimClause, Compute, Reads
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import PlannedSeed
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.ground import Ground
from questloom.transforms.planning.planner import plan_seed, plans_of
from questloom.transforms.planning.reasoning import LONGEST
from questloom.transforms.planning.shapes.cluster import off_cluster
from tests.small_facts import SmallFacts, year
from tests.transforms.planning.observed import COAST, picture, plaque, seed

AT = Ground(Lookups(COAST), DraftRules(), CertificateRules(max_guess=0.5), 1)
ALL = "perception+search+reasoning"


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
