"""Exact clues made vague: each kind with a case that it certifies and one that is refused, what silence means, and what is counted."""

from dataclasses import replace
from random import Random

import pytest

from questloom.records.form import FUZZY_KINDS, Ask, ClaimClause, Form, Fuzzy, Image, variables
from questloom.records.knowledge import entity_value
from questloom.records.synthesis import Seed
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.certificate.margin import margins
from questloom.transforms.facts.fuzzy import fits
from questloom.transforms.planning.fuzz import (
    _same_depths,
    certify_fuzzed,
    fuzz,
    vaguer,
)
from questloom.transforms.planning.planner import plans_of
from tests.small_facts import claim, year
from tests.transforms.planning import coast
from tests.transforms.planning.novels import (
    CLAIMS,
    NUM,
    ONE,
    RIVAL,
    VILLAGE_CLUE,
    YEAR_CLUE,
    architect,
    changed,
    ground,
    novel,
    novels,
    options,
    place,
    plan_if_certified,
    plan_of,
    published,
    set_in,
)


def certified(at, clue, kind):
    plan, found = options(at, clue, kind)
    return [made for v in found if (made := certify_fuzzed(at, plan, clue, (v,))) is not None]


@pytest.mark.parametrize(
    ("clue", "kind"),
    [
        (VILLAGE_CLUE, "category"),
        (VILLAGE_CLUE, "meta-attribute"),
        (VILLAGE_CLUE, "exclusion"),
        (YEAR_CLUE, "range"),
        (YEAR_CLUE, "arithmetic"),
    ],
)
def test_each_kind_takes_an_exact_clues_place_and_leaves_more_things(clue, kind):
    at = ground()
    plan = plan_of(at, ONE, clue)
    for made in certified(at, clue, kind):
        (counted,) = made.certificate.fuzzed
        assert counted.kind == kind and 0 < counted.before < counted.after
        assert made.route.calls >= plan.route.calls
        assert clue not in made.logical_form.clauses and made.answer == plan.answer
        assert Form.from_json(made.logical_form.to_json()) == made.logical_form
        hop = next(h for h in made.certificate.evidence if h.property == clue.property)
        assert hop.claim_id and hop.target == "x2", "the claim behind it is evidence"
    assert certified(at, clue, kind)


@pytest.mark.parametrize(
    ("clue", "kind", "claims", "why"),
    [
        (VILLAGE_CLUE, "category", changed(CLAIMS, RIVAL, "P840", place(5)), "both in villages"),
        (
            VILLAGE_CLUE,
            "meta-attribute",
            changed(CLAIMS, RIVAL, "P840", place(5)),
            "both in villages whose name begins with K",
        ),
        (
            YEAR_CLUE,
            "range",
            changed(CLAIMS, RIVAL, "P577", year(1818)),
            "both in one decade",
        ),
        (
            YEAR_CLUE,
            "arithmetic",
            [
                *CLAIMS,
                *[
                    claim(f"Q5{n:03}", p, v)
                    for n in range(3)
                    for p, v in (("P31", "Q8261"), ("P577", year(1816)), ("P50", architect(ONE)))
                ],
            ],
            "others of the same author came out in that year",
        ),
    ],
)
def test_a_vague_clue_is_refused_where_a_rival_fits_it_too(clue, kind, claims, why):
    at = ground(novels(claims))
    plan = plan_of(ground(), ONE, clue)
    found = [v for v in vaguer(at, plan, clue) if v.kind == kind and v.property == clue.property]
    assert found, why
    assert all(certify_fuzzed(at, plan, clue, (v,)) is None for v in found), why


def test_a_person_and_a_thing_of_no_common_class_have_no_category():
    by = ClaimClause(subject="x2", property="P50", object=entity_value(architect(9)))
    at = ground()
    plan = plan_of(at, ONE, VILLAGE_CLUE)
    of_person = plan.replace(
        form=Form(
            clauses=tuple(
                by if c == VILLAGE_CLUE else c
                for c in plan.logical_form.clauses
                if not (isinstance(c, ClaimClause) and c.property == "P50")
            ),
            ask=plan.logical_form.ask,
        ).to_json()
    )
    found = vaguer(at, of_person, by)
    assert found and not [v for v in found if v.property == "P50" and v.kind == "category"]


@pytest.mark.parametrize(
    ("number", "spans"),
    [
        (1816, [7, 8]),
        (1809, []),
        (1808, [8]),
        (1810, [7]),
        (1811, [7, 8]),
        (1818, [7, 8]),
        (1819, [7]),
        (1890, [7]),
        (1891, [8]),
        (1899, []),
        (1900, []),
    ],
)
def test_no_range_is_told_of_a_year_at_its_edge(number, spans):
    claims = CLAIMS
    for n in (ONE, 13, 23):  # one alone in its year would be told by that
        claims = changed(claims, novel(n), "P577", year(number))
    at = ground(novels(claims))
    _, found = options(at, published(number), "range")
    assert [v.object.precision for v in found] == spans


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Karsel", "initial"),
        ("Karsk Port", "number"),
        ("Kar-Sel Port", ""),
        ("The Karsel", ""),
        ("St. Karsel", ""),
        ("Yorsel", ""),
    ],
)
def test_a_name_is_told_of_only_where_all_count_alike_and_a_list_of_names_gives_nothing_away(
    name, told
):
    at = ground(novels(names={place(ONE): name}))
    _, found = options(at, VILLAGE_CLUE, "meta-attribute")
    assert [bool(v.number) for v in found][:1] == {"number": [True], "initial": [False]}.get(
        told, []
    )
    if name == "Yorsel":
        assert sum(n.startswith("Y") for n in (name,)) == 1, "the only one that begins so"


@pytest.mark.parametrize(
    ("alike", "words", "told"), [(5, 2, True), (4, 2, False), (10, 4, True), (10, 5, False)]
)
def test_a_number_of_words_is_told_of_five_names_at_least_and_of_four_words_at_most(
    alike, words, told
):
    villages = [place(ONE), *(place(i) for i in range(1, 20, 2) if i != ONE)]
    letters = "abcdefghij"
    names = {
        thing: " ".join(f"{part}{letters[n]}" for part in "QWXYZ"[: words if n < alike else 1])
        for n, thing in enumerate(villages)
    }
    _, found = options(ground(novels(names=names)), VILLAGE_CLUE, "meta-attribute")
    assert any(v.number == words for v in found) is told


def test_years_are_counted_from_no_far_date_and_from_no_other_event_of_a_person():
    at = ground(novels(changed(CLAIMS, architect(ONE), "P569", year(1700))))
    assert options(at, YEAR_CLUE, "arithmetic")[1] == [], "nobody counts 116 years"
    near = options(ground(), YEAR_CLUE, "arithmetic")[1]
    assert [(v.number, v.since) for v in near] == [(45, "P569")]
    for born, number in ((1755, []), (1756, [60]), (1815, [1]), (1816, []), (1817, [-1])):
        at = ground(novels(changed(CLAIMS, architect(ONE), "P569", year(born))))
        assert [v.number for v in options(at, YEAR_CLUE, "arithmetic")[1]] == number


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param(changed(CLAIMS, RIVAL, "P840"), id="nobody knows where the rival is set"),
        pytest.param(
            [c for n in range(40) for c in [claim(novel(n), "P840", place(n + 7))]] + CLAIMS,
            id="a novel may be set in several places",
        ),
    ],
)
def test_an_exclusion_needs_a_known_value_of_the_rival_and_a_relation_of_one_value(claims):
    at = ground(novels(claims))
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    assert [v for v in vaguer(at, plan, YEAR_CLUE) if v.kind == "exclusion"] == []


def test_silence_matches_a_vague_clue_and_is_a_gap_in_an_exact_one():
    """Who says "in the 19th century" of a novel says it of most whose year nobody knows."""
    facts = novels(changed(CLAIMS, RIVAL, "P577"))
    at = ground(facts)
    plan = plan_of(at, ONE, YEAR_CLUE)
    assert plan.certificate.margin == 1
    for vague in vaguer(at, plan, YEAR_CLUE):
        if vague.property == "P577":
            assert fits(facts, vague, RIVAL, entity_value(architect(ONE))) is None
            form = Form(
                clauses=tuple(vague if c == YEAR_CLUE else c for c in plan.logical_form.clauses),
                ask=plan.logical_form.ask,
            )
            assert min(m.margin for m in margins(form, facts, binding_of(plan.bindings))) == 0
            assert certify_fuzzed(at, plan, YEAR_CLUE, (vague,)) is None


def test_a_count_of_years_leaves_every_thing_but_the_pictured_one_as_far_from_the_answer():
    """The writer sorts things by that distance."""
    things = [ClaimClause(subject=f"x{n}", property="P1066", object=f"x{n + 1}") for n in range(3)]
    form = Form(clauses=(Image(var="x0"), *things), ask=Ask(var="x3", type="entity"))
    for start, same in (("x0", True), ("x1", False), ("x2", True)):
        counted = Fuzzy(
            kind="arithmetic", subject="x3", property="P569", object=start, number=9, since="P569"
        )
        assert _same_depths(form, replace(form, clauses=(*form.clauses, counted))) is same


def test_a_vague_clue_that_is_idle_is_refused():
    at = ground()
    plan = plan_of(at, ONE, VILLAGE_CLUE, YEAR_CLUE)
    vague = [v for v in vaguer(at, plan, YEAR_CLUE) if v.kind == "range"]
    assert vague
    assert all(certify_fuzzed(at, plan, YEAR_CLUE, (v,)) is None for v in vague), (
        "the village tells"
    )


def test_the_route_may_not_get_cheaper(monkeypatch):
    at, plan = ground(), plan_of(ground(), ONE, YEAR_CLUE)
    vague = next(v for v in vaguer(at, plan, YEAR_CLUE) if v.kind == "range")
    assert certify_fuzzed(at, plan, YEAR_CLUE, (vague,))
    dearer = plan.replace(route=plan.route.replace(calls=plan.route.calls + 9))
    assert certify_fuzzed(at, dearer, YEAR_CLUE, (vague,)) is None


def test_without_kinds_a_plan_stays_as_it_is_and_with_them_only_those_are_used():
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    assert fuzz(ground(), plan) == plan
    for kind in FUZZY_KINDS:
        made = fuzz(ground(fuzz=(kind,)), plan)
        assert [f.kind for f in made.certificate.fuzzed] == [kind]


def test_whatever_a_store_lacks_a_vague_clue_leaves_more_things_and_no_route_is_cheaper():
    """Over stores with claims taken away and doubled at random."""
    draw, seen, num = Random(5), set(), 0
    for round_ in range(8):
        claims = [c for c in CLAIMS if c.property == "P31" or draw.random() > 0.01 * round_]
        claims += [claim(novel(draw.randrange(NUM)), "P840", place(n)) for n in range(round_)]
        at = ground(novels(claims), fuzz=FUZZY_KINDS)
        for clue in (set_in(round_), published(1813 + round_ % 5)):
            plan = plan_if_certified(at, round_, clue)
            made = fuzz(at, plan) if plan is not None else None
            if plan is None or made is None or made == plan:
                continue
            num += 1
            seen.update(f.kind for f in made.certificate.fuzzed)
            assert made.certificate.passed and 1 <= len(made.certificate.fuzzed) <= 2
            assert all(0 < f.before < f.after for f in made.certificate.fuzzed)
            assert made.route.calls >= plan.route.calls and made.answer == plan.answer
    assert num > 5 and len(seen) > 2, (num, seen)


def test_a_seeds_plans_are_fuzzed_where_the_recipe_asks_for_it():
    for kinds in ((), ("range",)):
        at = coast.ground(fuzz=kinds)
        seed = Seed(
            entity_id=coast.lighthouse(3),
            method="paths",
            rule="rare",
            level="easy",
            domain="other",
        )
        fuzzed = [p for p in plans_of(at, seed).plans if p.certificate.fuzzed]
        assert bool(fuzzed) == bool(kinds)
        assert all("P577" in p.relations for p in fuzzed)


def test_the_kinds_of_a_vague_clue_that_does_not_fit_are_told_apart_from_the_unknown():
    facts = novels([*CLAIMS, claim(novel(7), "P577", year(1850))])
    in_village = Fuzzy(kind="category", subject="x", property="P840", object=entity_value("Q532"))
    assert (
        fits(facts, in_village, novel(ONE)) is True and fits(facts, in_village, novel(4)) is False
    )
    assert fits(facts, in_village, architect(1)) is None, "it is set nowhere"
    elsewhere = replace(in_village, kind="exclusion", object=entity_value(place(4)))
    assert fits(facts, elsewhere, novel(ONE)) is True and fits(facts, elsewhere, novel(4)) is False
    with pytest.raises(ValueError, match="no kind of fuzzy clause"):
        fits(facts, replace(in_village, kind="odd"), novel(ONE))
    assert variables(replace(in_village, object="x0")) == ("x", "x0")
