"""Exact clues made vague: each kind with a case that it certifies and one that is refused, what silence means, and what is counted."""

from dataclasses import replace
from random import Random

import pytest

from questloom.records.form import FUZZY_KINDS, Ask, ClaimClause, Form, Fuzzy, Image, variables
from questloom.records.knowledge import Value, entity_value
from questloom.records.synthesis import Seed
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.certificate.margin import margins
from questloom.transforms.facts.fuzzy import fits
from questloom.transforms.planning.fuzz import (
    _in_place,
    _is_sayable,
    _ranges,
    _same_depths,
    certify_fuzzed,
    fuzz,
    vaguer,
)
from questloom.transforms.planning.planner import plans_of
from tests.small_facts import claim, year
from tests.transforms.planning import coast
from tests.transforms.planning.novels import (
    NUM,
    architect,
    changed,
    ground,
    novel,
    novels,
    novels_claims,
    place,
    plan_if_certified,
    plan_of,
    published,
    set_in,
)

ONE = 3
VILLAGE_CLUE, YEAR_CLUE = set_in(ONE), published(1816)
RIVAL = novel(NUM + ONE)
CLAIMS = novels_claims()


def options(at, clue, kind, i=ONE, *more):
    plan = plan_of(at, i, clue, *more)
    return plan, [
        v for v in vaguer(at, plan, clue) if v.kind == kind and v.property == clue.property
    ]


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


def test_no_range_is_told_of_a_year_before_christ():
    before = Value(kind="time", time="-0044-00-00T00:00:00Z", precision=9)
    assert list(_ranges(YEAR_CLUE, year(44))) and not list(_ranges(YEAR_CLUE, before))


def test_no_more_than_two_clues_of_a_question_are_vague():
    at = ground(fuzz=FUZZY_KINDS)
    plan = plan_of(at, ONE, YEAR_CLUE)
    (vague,) = fuzz(at, plan).certificate.fuzzed
    full = plan.replace(certificate=plan.certificate.replace(fuzzed=(vague, vague)))
    assert fuzz(at, full) == full
    for room in (1, 2):
        found = list(_in_place(at, plan, YEAR_CLUE, room, Random(1)))
        sizes = [len(told) for told in found]
        assert sizes == sorted(sizes) and set(sizes) == set(range(1, room + 1))
        assert all(len({v.property for v in told}) == len(told) for told in found)


def test_only_what_describes_a_thing_in_mid_chain_by_a_named_end_becomes_vague():
    at, plan = ground(), plan_of(ground(), ONE, VILLAGE_CLUE)
    opened = ClaimClause(subject="x0", property="P1619", object=year(1783))
    born = ClaimClause(subject="x1", property="P569", object=year(1771))
    assert vaguer(at, plan, opened) == [] and vaguer(at, plan, born), "the picture shows it"
    assert all(vaguer(at, plan, c) == [] for c in plan.logical_form.clauses if c != VILLAGE_CLUE)
    assert (
        vaguer(at, plan, replace(VILLAGE_CLUE, subject=entity_value(novel(ONE)), object="x2")) == []
    )


def test_what_a_question_says_of_a_thing_already_is_not_said_again_vaguely():
    at = ground()
    assert {v.property for v in vaguer(at, plan_of(at, ONE, YEAR_CLUE), YEAR_CLUE)} == {
        "P577",
        "P840",
    }
    both = plan_of(at, ONE, YEAR_CLUE, VILLAGE_CLUE)
    assert {v.property for v in vaguer(at, both, YEAR_CLUE)} == {"P577"}
    twice = both.replace(
        form=Form(
            clauses=(*both.logical_form.clauses, set_in(7)), ask=both.logical_form.ask
        ).to_json()
    )
    assert {v.property for v in vaguer(at, twice, VILLAGE_CLUE)} == set()


def test_of_a_thing_of_which_a_date_is_asked_no_other_date_is_told():
    at = ground(novels([*CLAIMS, claim(novel(ONE), "P1191", year(1818))]))
    plan = plan_of(at, ONE, VILLAGE_CLUE)
    assert "P1191" in {v.property for v in vaguer(at, plan, VILLAGE_CLUE)}
    dated = ClaimClause(subject="x2", property="P577", object="a")
    form = Form(clauses=(*plan.logical_form.clauses, dated), ask=Ask(var="a", type="date"))
    asked = plan.replace(form=form.to_json(), bindings={**plan.bindings, "a": year(1816).key()})
    assert "P1191" not in {v.property for v in vaguer(at, asked, VILLAGE_CLUE)}


def test_a_vague_clue_of_another_relation_and_a_counted_date_stand_on_some_page():
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    for silent, lost in ((novel(ONE), {"P840"}), (architect(ONE), set[str]())):
        facts = novels()
        del facts.facts.articles[silent]
        stated, unheard = (
            ground(facts),
            replace(ground(facts), certificate=CertificateRules(margin=1, stated=False)),
        )
        assert {v.property for v in vaguer(stated, plan, YEAR_CLUE)} == {"P577", "P840"} - lost
        assert {v.property for v in vaguer(unheard, plan, YEAR_CLUE)} == {"P577", "P840"}
        counts = [
            any(v.kind == "arithmetic" for v in vaguer(at, plan, YEAR_CLUE))
            for at in (stated, unheard)
        ]
        assert counts == [silent == novel(ONE), True]


def test_a_relation_with_an_adjective_or_a_bare_noun_is_not_said_vaguely():
    """A Gothic church, a poet, a woman."""
    assert [_is_sayable(p) for p in ("P840", "P149", "P106", "P21")] == [True, False, False, False]


@pytest.mark.parametrize(
    ("words", "num", "told"),
    [(4, 5, True), (5, 5, False), (4, 4, False)],
)  # fmt: skip
def test_a_name_is_told_by_up_to_four_words_where_at_least_five_have_as_many(words, num, told):
    villages = [place(ONE + 2 * n) for n in range(num)]
    at = ground(
        novels(
            names={
                v: " ".join(["Yor", "Sel", "Am", "See", "Nord"][:words]) + "e" * n
                for n, v in enumerate(villages)
            }
        )
    )
    found = options(at, VILLAGE_CLUE, "meta-attribute")[1]
    assert any(v.number == words for v in found) is told
    assert any(v.initial == "Y" for v in found) is (num == 5)


@pytest.mark.parametrize(("others", "told"), [(0, True), (3, True), (4, False)])
def test_an_exclusion_rules_out_at_most_four_rivals_that_share_a_value(others, told):
    """The architect wrote more novels that came out in other years, all set in the rival's place."""
    more = [
        c
        for n in range(others)
        for c in (
            claim(f"Q5{n:03}", "P31", "Q8261"),
            claim(f"Q5{n:03}", "P50", architect(ONE)),
            claim(f"Q5{n:03}", "P577", year(1950 + n)),
            claim(f"Q5{n:03}", "P840", place(ONE + 1)),
        )
    ]
    at = ground(novels([*CLAIMS, *more]))
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    found = [v for v in vaguer(at, plan, YEAR_CLUE) if v.kind == "exclusion"]
    assert [v.object for v in found] == [entity_value(place(ONE + 1))] * told


def test_a_rivals_place_that_bears_another_things_title_is_not_excluded_by_its_name():
    at = ground(novels(names={place(ONE + 1): "Thing Q1000"}))
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    assert not [v for v in vaguer(at, plan, YEAR_CLUE) if v.kind == "exclusion"]


def test_a_vague_clue_that_leaves_no_more_things_than_the_exact_one_is_refused():
    """Every novel of that decade and century came out in one year."""
    claims = [
        c.replace(value=year(1816)) if c.property == "P577" and c.value.year < 1900 else c
        for c in CLAIMS
    ]
    at = ground(novels(claims))
    plan = plan_of(at, ONE, YEAR_CLUE)
    found = [v for v in vaguer(at, plan, YEAR_CLUE) if v.kind == "range"]
    assert found and all(certify_fuzzed(at, plan, YEAR_CLUE, (v,)) is None for v in found)


def test_years_are_counted_to_the_only_date_from_another_thing_and_for_two_people_between_births():
    two = [*CLAIMS, claim(novel(ONE), "P577", year(1818))]
    assert options(ground(novels(two)), YEAR_CLUE, "arithmetic")[1] == [], "which of two years?"
    own = [*CLAIMS, claim(novel(ONE), "P1191", year(1818))]
    assert [v.since for v in options(ground(novels(own)), YEAR_CLUE, "arithmetic")[1]] == ["P569"]
    at = coast.ground()
    things = {"x0": coast.lighthouse(3), "x1": coast.architect(3), "x2": coast.architect(10)}
    taught = ClaimClause(subject="x1", property="P1066", object="x2")
    born = ClaimClause(subject="x2", property="P569", object=year(1640))
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    clauses = (
        Image(var="x0"),
        ClaimClause(subject="x0", property="P84", object="x1"),
        taught,
        born,
    )
    people = plan.replace(
        form=Form(clauses=clauses, ask=Ask(var="x2", type="entity")).to_json(), bindings=things
    )
    counted = [v for v in vaguer(at, people, born) if v.kind == "arithmetic"]
    assert {(v.property, v.since) for v in counted} == {("P569", "P569"), ("P570", "P570")}


def test_years_are_not_counted_from_a_pictured_thing_of_which_only_a_sign_is_shown():
    at = coast.ground()
    plan = plan_of(ground(), ONE, YEAR_CLUE)
    born = ClaimClause(subject="x1", property="P569", object=year(1633))
    things = {"x0": coast.lighthouse(3), "x1": coast.architect(3)}
    for sign, since in (("", {"P571"}), ("P41", set())):
        clauses = (
            Image(var="x0", sign=sign),
            ClaimClause(subject="x0", property="P84", object="x1"),
            born,
        )
        form = Form(clauses=clauses, ask=Ask(var="x1", type="entity"))
        shown = plan.replace(form=form.to_json(), bindings=things)
        assert {v.since for v in vaguer(at, shown, born) if v.kind == "arithmetic"} == since
