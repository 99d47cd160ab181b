"""Planning on a store of eighty articles: what every plan must hold, whatever grew it, and what each bound refuses."""

from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

from benchmarks.plan_supply import supplies
from questloom.files.opened import Opened
from questloom.language.names_in_text import leaked
from questloom.pipeline.export.run_end import finish_run
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.question_stages import make_draft, make_plan
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import InputError
from questloom.records.form import ClaimClause, Compute, Form, Image, Reads, variables
from questloom.records.identity import chance
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import PlannedSeed
from questloom.records.synthesis import Seed
from questloom.records.table import Json
from questloom.transforms.certificate.certify import certify_form, given_by_picture
from questloom.transforms.certificate.effective import chain, composed
from questloom.transforms.certificate.evidence import claim_of, is_named
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.values import best_values
from questloom.transforms.filters.registry import FILTERS
from questloom.transforms.planning.finish import page_texts
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.planner import plan_seed, plans_of
from questloom.transforms.planning.reasoning import CHOOSES
from questloom.transforms.planning.route import find_route
from questloom.transforms.planning.search import search
from questloom.transforms.planning.shapes.chain import grow_chains
from questloom.transforms.planning.shapes.cluster import grow_clusters
from questloom.transforms.planning.shapes.meet import grow_meets
from questloom.transforms.planning.shapes.tree import grow_trees
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.small_world import LEAN, kept_questions, small_recipe

RECIPE = small_recipe(
    draft={"own_page": False, "detail_share": 0.2, "computation_share": 0.2},
)


@pytest.fixture(scope="module")
def at(small) -> Ground:
    job = Job(RunFolder("unused"), small, RECIPE, Opened())
    return Ground(job.lookups, RECIPE.draft, RECIPE.certificate, RECIPE.seed)


@pytest.fixture(scope="module")
def things(at) -> list[str]:
    """The things with a picture that may be shown."""
    found = [e.id for e in at.facts.facts.scan_entities() if e.classes]
    return [e for e in found if at.facts.images_of(e) and at.may_be_shown(e)]


@pytest.fixture(scope="module")
def plans(at, things) -> dict[str, list]:
    """Plans by shape: chains of two and three hops, meets of four and five, trees of two rounds."""
    grow = {
        "chain": [(grow_chains, 2), (grow_chains, 3)],
        "meet": [(grow_meets, 4), (grow_meets, 5)],
        "tree": [(grow_trees, 2)],
    }
    found: dict[str, list] = {shape: [] for shape in grow}
    for shape, ways in grow.items():
        for thing in things:
            for way, size in ways:
                refusals = Refusals()
                forms = way(at, thing, size, chance(1, thing, f"{shape}{size}"), refusals)
                found[shape] += search(at, forms, shape=shape, refusals=refusals).plans
    return found


SEARCHES = ("perception+search", "perception+search+reasoning")


@pytest.fixture(scope="module")
def clusters(at, things) -> dict[tuple[str, str], list]:
    """Plans of explorations with a search, by ability and level."""
    lets = replace(at, draft=replace(at.draft, own_page=True))
    found: dict[tuple[str, str], list] = {}
    for ability in SEARCHES:
        for level in ("easy", "medium", "hard", "expert"):
            for thing in things[::8]:
                seed = Seed(
                    entity_id=thing,
                    method="exploration",
                    rule="pictured",
                    level=level,
                    domain="other",
                    ability=ability,
                )
                made = plans_of(lets, seed).plans
                found.setdefault((ability, level), []).extend((thing, p) for p in made)
    return found


def test_a_cluster_has_as_many_claims_as_its_level_and_needs_them_all(at, clusters):
    for (ability, level), found in clusters.items():
        for thing, plan in found:
            form = plan.logical_form
            claims = form.of(ClaimClause)
            assert len(claims) == at.draft.explore.claims[level] and plan.shape == "cluster"
            assert set(claims) <= set(Form.from_json(plan.certificate.smallest_part).clauses)
            assert bool(form.of(Compute)) == ability.endswith("reasoning")
            assert plan.route.calls > plan.route.looks and thing in plan.bindings.values()
    sizes = {place: len(found) for place, found in clusters.items()}
    assert all(sizes[a, level] for a in SEARCHES for level in ("medium", "hard", "expert")), sizes


def test_clusters_count_years_between_dates_and_readings(clusters):
    forms = [p.logical_form for found in clusters.values() for _, p in found]
    assert Counter(c.op for f in forms for c in f.of(Compute))["difference"] >= 10
    assert any(f.of(Reads) for f in forms)


def test_a_cluster_may_ask_of_the_one_of_two_that_wins_what_the_other_has_otherwise(at, things):
    """Grown, before the certificate: in so small a world hardly one is singled out."""
    grown = []
    for thing in things[::3]:
        seed = Seed(
            entity_id=thing,
            method="exploration",
            rule="pictured",
            level="expert",
            domain="other",
            ability="perception+search+reasoning",
        )
        for claims in (4, 5):
            draw = chance(1, thing, f"winner{claims}")
            grown += islice(grow_clusters(at, seed, claims, draw, Refusals()), 40)
    won = [(f, b) for f, b, _ in grown if any(c.op in CHOOSES for c in f.of(Compute))]
    assert len(won) >= 3
    for form, bindings in won:
        (compute,) = form.of(Compute)
        (asked,) = [c for c in form.of(ClaimClause) if c.subject == compute.out]
        assert asked.object == form.ask.var == "a" and len(compute.keys) == 2
        (loser,) = {bindings[v] for v in compute.args} - {bindings[compute.out]}
        others = {v.key() for v in best_values(at.facts, loser, asked.property)}
        assert others and bindings["a"] not in others


def test_filters_of_words_are_asked_by_the_draft_stage_where_the_recipe_has_them_on(small):
    def asked(**filters) -> int:
        job = Job(RunFolder("unused"), small, small_recipe(filters=filters), Opened())
        return len(make_draft(job).__self__.word_filters)

    assert {f.name for f in FILTERS if f.of_words} == {"answer_in_question", "text_search"}
    assert (asked(), asked(text_search=False)) == (2, 1)
    assert asked(text_search=False, answer_in_question=False) == 0


def test_a_cluster_may_show_a_neighbour_of_its_seed(clusters):
    found = [(thing, plan) for made in clusters.values() for thing, plan in made]
    assert {thing == plan.anchor for thing, plan in found} == {True, False}


@pytest.mark.parametrize("shape", ["chain", "tree"])
def test_every_plan_is_certified_stated_and_away_from_the_pictures_page(at, plans, shape):
    assert len(plans[shape]) >= 10
    for plan in plans[shape]:
        form, binding = plan.logical_form, binding_of(plan.bindings)
        again = certify_form(
            form, at.facts, given_by_picture(form, binding), plan.bindings, at.certificate
        )
        assert again == plan.certificate and plan.certificate.passed
        claims = [claim_of(at.facts, c, binding) for c in form.of(ClaimClause)]
        assert all(claim and is_named(at.facts, claim) for claim in claims)
        names = (plan.answer.text,)
        assert not any(leaked(text, names) for text in page_texts(at.facts, plan.anchor))


def test_a_chain_of_so_many_hops_needs_them_all(plans):
    sizes = Counter()
    for plan in plans["chain"]:
        made, steps = plan.certificate, chain(plan.logical_form)
        if plan.work == "plain":
            assert made.effective_hops == made.nominal_hops == len(steps) == composed(steps)
        sizes[made.nominal_hops] += 1
        needed = Form.from_json(made.smallest_part)
        hops = {c for c in plan.logical_form.of(ClaimClause) if len(variables(c)) == 2}
        assert hops <= set(needed.clauses)
    assert {2, 3} <= set(sizes)


def test_a_tree_hides_as_many_things_as_it_has_rounds_beside_the_pictured_one(plans):
    for plan in plans["tree"]:
        hidden = [v for v in plan.bindings if v[0] in "xy"]
        assert len(hidden) == 3 and plan.logical_form.of(Image)


def test_the_route_of_a_chain_is_at_least_its_hops_and_one_where_no_page_helps(at, plans):
    for plan in plans["chain"]:
        found = find_route(plan.logical_form, binding_of(plan.bindings), at.facts)
        assert found == plan.route and found.exact and found.treewidth >= 1
        assert found.moves[0] == "image_search x0"
        assert 2 <= found.depth <= found.calls == len(found.moves)


def test_details_and_computations_are_among_the_plans_where_dates_allow(plans):
    found = [p.logical_form for shape in plans.values() for p in shape]
    assert any(f.of(Compute) for f in found)
    for form in found:
        used = {form.ask.var, *(c.object for c in form.of(ClaimClause))}
        used |= {arg for c in form.of(Compute) for arg in c.args}
        assert {r.var for r in form.of(Reads)} <= used, (
            "what is read is asked, computed with, or leads on"
        )
    assert any(f.later_reads for f in found)


def test_planning_twice_gives_the_same_plans(at, things):
    seed = Seed(entity_id=things[0], method="paths", rule="anchor", level="medium", domain="other")
    assert plans_of(at, seed) == plans_of(at, seed)
    other = Ground(Lookups(at.facts.facts, at.facts.trust), at.draft, at.certificate, 2)
    assert plans_of(at, seed) == plans_of(replace(other, recipe_seed=at.recipe_seed), seed)


def test_the_plans_of_a_seed_come_with_the_dearest_route_first(at, things):
    for thing in things[:12]:
        seed = Seed(entity_id=thing, method="paths", rule="anchor", level="medium", domain="other")
        calls = [plan.route.calls for plan in plans_of(at, seed).plans]
        assert calls == sorted(calls, reverse=True)


def test_a_seed_without_a_plan_is_rejected_by_the_bound_that_refused_most(at, things):
    impossible = replace(at, certificate=replace(at.certificate, max_guess=-1.0))
    seeds = [
        Seed(entity_id=t, method="paths", rule="anchor", level="easy", domain="other")
        for t in things
    ]
    seed = next(s for s in seeds if isinstance(plan_seed(at, s), PlannedSeed))
    dropped = plan_seed(impossible, seed)
    assert isinstance(dropped, Rejection) and dropped.reason in {r.value for r in Reason}
    refused = dropped.evidence["refused"]
    assert refused[dropped.reason] == max(refused.values()) and refused["guessable"]


def test_a_thing_without_any_claim_has_no_path(at):
    seed = Seed(entity_id="Q0", method="paths", rule="anchor", level="easy", domain="other")
    assert plan_seed(at, seed).reason == Reason.NO_PATH.value


def test_seeds_that_are_not_planned_go_on_as_they_are(at, things):
    seed = Seed(entity_id=things[0], method="external", rule="a", level="easy", domain="other")
    assert plan_seed(at, seed) == PlannedSeed(seed=seed)


def test_what_is_asked_does_not_depend_on_who_writes(small, things):
    models = {
        "endpoints": [{"name": "e", "base_url": "http://127.0.0.1:9/v1"}],
        "roles": {"default": {"endpoint": "e", "model": "m"}},
    }
    asked = small_recipe(writer="llm", models=models)
    by_graph, by_llm = (
        make_plan(Job(RunFolder("unused"), small, recipe, Opened()))
        for recipe in (RECIPE, replace(RECIPE, writer="llm", models=asked.models))
    )
    seeds = [
        Seed(entity_id=t, method="paths", rule="anchor", level="easy", domain="other")
        for t in things
    ]
    planned = [by_llm(seed) for seed in seeds]
    assert planned == [by_graph(seed) for seed in seeds]
    assert any(isinstance(each, PlannedSeed) and each.plans for each in planned)


def test_a_plan_survives_its_row(plans):
    plan = plans["chain"][0]
    seed = Seed(entity_id="Q1", method="paths", rule="a", level="easy", domain="other")
    planned = PlannedSeed(seed=seed, plans=(plan,))
    assert PlannedSeed.from_row(planned.to_row()) == planned
    assert Json(plan.logical_form.to_json()) == plan.form


def test_an_answer_on_the_pictures_page_is_refused_unless_the_recipe_lets_it(at, things):
    lets = replace(at, draft=replace(at.draft, own_page=True))

    def refused(ground: Ground) -> int:
        counts = Counter()
        for thing in things[:20]:
            refusals = Refusals()
            grown = grow_chains(ground, thing, 2, chance(1, thing, "own"), refusals)
            search(ground, grown, shape="chain", refusals=refusals)
            counts.update(refusals.reasons)
        return counts[Reason.IMAGE_SEARCH_SHORTCUT.value]

    assert refused(at) and not refused(lets)


def test_the_supply_of_a_store_is_counted_by_shape_and_level(small):
    found = list(supplies(RECIPE, small, 4))
    assert [(s.shape, s.level) for s in found] == [
        (shape, level)
        for shape in ("chain", "meet", "tree")
        for level in ("easy", "medium", "hard")
    ]
    assert all(s.things == 4 and s.worded <= s.with_plan == len(s.routes) <= 4 for s in found)
    easy = found[0]
    assert easy.with_plan and easy.plans == sum(easy.work.values()) and easy.refused
    assert f"| chain {easy.size} | easy | {easy.with_plan} of 4 [" in easy.line()


SEEDS = {"rare_min_statements": 4, "anchor_min_in_degree": 1, "methods": {"paths": 1}}


def test_a_level_that_the_store_cannot_give_stops_the_run_before_any_word(small, tmp_path):
    seeds = SEEDS | {"count": 21, "levels": {"easy": 1}}
    recipe = small_recipe(seeds=seeds, draft={"max_hub": 1}, filters=LEAN)
    run = RunFolder(str(tmp_path / "run"))
    with pytest.raises(
        InputError, match=r"21 seeds of the level easy 0 have a plan \(refused most"
    ):
        run_synth(recipe, store=small, out=run.path, opened=Opened())
    assert run.labels()[-1].endswith("plan")


def test_as_many_questions_of_each_level_are_kept_as_are_wanted_and_what_lacks_is_said(
    small, tmp_path
):
    seeds = SEEDS | {"count": 40, "accepted": 8, "levels": {"easy": 0.5, "medium": 0.5}}
    hops = {"hops": {"easy": 1, "medium": 2}}
    recipe = small_recipe(seeds=seeds, draft=hops, filters=LEAN)
    job = Job(RunFolder(str(tmp_path / "run")), small, recipe)
    funnel = run_synth(recipe, store=small, out=job.run.path, opened=Opened())
    assert Counter(q.level for q in kept_questions(job)) == {"easy": 4, "medium": 4}
    outcome = finish_run(job, funnel, started=0.0)
    assert (outcome.exit_code, outcome.message) == (0, "Wanted 8: 4 of 4 easy, 4 of 4 medium.")
    for on_exhausted, code in (("keep", 0), ("error", 1)):
        more = seeds | {"accepted": 10, "on_exhausted": on_exhausted}
        wants_more = replace(job, recipe=small_recipe(seeds=more, draft=hops, filters=LEAN))
        outcome = finish_run(wants_more, funnel, started=0.0)
        said = "Wanted 10: 4 of 5 easy, 4 of 5 medium. Draw more seeds (--set seeds.count=N)."
        assert (outcome.exit_code, outcome.message) == (code, said)
