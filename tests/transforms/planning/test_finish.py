"""What a walk ends with, and what refuses a whole form."""

from dataclasses import replace
from random import Random

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Image
from questloom.records.knowledge import Claim, Value, entity_value
from questloom.records.outcomes import Reason
from questloom.records.plan import COMPUTATION, DETAIL, PLAIN
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.planning import search as search_module
from questloom.transforms.planning.finish import (
    as_stated,
    ask_attributes,
    ask_last_thing,
    certify_plan,
    count_years,
    is_compared,
    is_needed_whole,
    page_texts,
    whole_years_agree,
)
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.search import dearest_first, search
from questloom.transforms.planning.shapes.chain import grow_chains
from questloom.transforms.writing.answers import answer_of
from questloom.transforms.writing.form_edits import constants
from tests.small_facts import claim, year
from tests.transforms.planning.coast import (
    HUMAN,
    NUM,
    NUM_TOWNS,
    architect,
    coast,
    coast_claims,
    ground,
    lighthouse,
    novel,
    town,
)

AT = ground()
WAY = (Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"))
BINDINGS = {"x0": lighthouse(3), "x1": architect(3)}


def certified(at=AT, size: int = 2, start: str = lighthouse(3)):
    """Plans and refusals of all chains of a size."""
    refusals = Refusals()
    made = [
        certify_plan(at, form, bindings, answer, shape="chain", refusals=refusals)
        for form, bindings, answer in grow_chains(at, start, size, Random(1), Refusals())
    ]
    return [plan for plan in made if plan], refusals.reasons


def test_what_is_asked_of_the_last_thing_is_what_its_pages_say():
    asked = {a.text for _, _, a in ask_attributes(AT, WAY, BINDINGS, "x1", Random(1))}
    teacher, birthplace = (AT.facts.entity(t).label() for t in (architect(10), town(3)))
    assert asked == {"1633", "1713", teacher, birthplace}
    silent = ground(coast(silent=frozenset({architect(3)})))
    assert not list(ask_attributes(silent, WAY, BINDINGS, "x1", Random(1)))
    unheard = replace(silent, certificate=CertificateRules(margin=1, stated=False))
    assert {a.text for _, _, a in ask_attributes(unheard, WAY, BINDINGS, "x1", Random(1))} == asked
    gone = {**BINDINGS, "x1": "Q999999"}
    assert not list(ask_attributes(AT, WAY, gone, "x1", Random(1)))


def test_the_last_thing_is_asked_for_by_its_kind_told_once():
    form, bindings, answer = ask_last_thing(AT, WAY, BINDINGS, "x1")
    told = ClassClause(var="x1", class_id=HUMAN)
    assert form.clauses == (*WAY, told) and form.ask == Ask(var="x1", type="entity")
    assert bindings == BINDINGS and answer.text == AT.facts.entity(architect(3)).label()
    again, _, _ = ask_last_thing(AT, form.clauses, BINDINGS, "x1")
    assert again.clauses == form.clauses
    assert ask_last_thing(ground(max_answer_words=1), WAY, BINDINGS, "x1") is not None
    assert ask_last_thing(AT, WAY, {**BINDINGS, "x1": "Q999999"}, "x1") is None


def test_a_name_that_contains_a_hidden_name_refuses_the_plan_before_any_word():
    """ "Honnuddan's copper" tells of which family the question speaks."""
    plan = next(p for p in certified(size=3)[0] if constants(p.logical_form))
    named, hidden = constants(plan.logical_form)[0], plan.bindings["x1"]
    facts = coast()
    entity = facts.entity
    renamed = entity(named).replace(labels={"en": f"The {entity(hidden).label()} Cup"})
    facts.entity = lambda key: renamed if key == named else entity(key)

    def certify(at: Ground, refusals: Refusals):
        form, bindings = plan.logical_form, plan.bindings
        return certify_plan(at, form, bindings, plan.answer, shape="chain", refusals=refusals)

    refusals = Refusals()
    assert certify(AT, refusals) and not refusals.reasons
    assert certify(ground(facts), refusals) is None
    assert refusals.reasons == {Reason.LEAK.value: 1}


def test_a_plan_is_certified_and_priced():
    plans, _ = certified()
    assert plans and all(p.shape == "chain" and p.route.calls >= 2 for p in plans)
    for plan in plans:
        assert plan.certificate.effective_hops == plan.certificate.nominal_hops == 2
        assert plan.route.exact and plan.route.treewidth == 1 and plan.anchor == lighthouse(3)
        assert 1 <= plan.interest <= 5 and plan.interest == round(plan.interest, 2)
        assert plan.answer.text


def test_a_plan_with_a_step_that_is_not_needed_or_a_shorter_way_is_refused():
    plan = next(p for p in certified()[0] if p.work == PLAIN)
    made, form = plan.certificate, plan.logical_form
    assert is_needed_whole(form, made)
    assert not is_needed_whole(form, made.replace(effective_hops=1)), "a shorter way"
    idle = {**made.smallest_part, "clauses": made.smallest_part["clauses"][:-1]}
    assert not is_needed_whole(form, made.replace(smallest_part=idle)), "a needless step"
    assert not is_needed_whole(form, made.replace(smallest_part=idle), idle=True), "of the walk"
    aside = replace(form, clauses=(*form.clauses, replace(form.of(ClaimClause)[0], object="y0")))
    more = made.replace(nominal_hops=made.nominal_hops + 1)
    assert not is_needed_whole(aside, more), "a needless branch"
    assert is_needed_whole(aside, more, idle=True)


def test_a_plan_says_by_which_sign_its_picture_stands_for_its_thing():
    facts = coast()
    for i in range(NUM):
        thing = lighthouse(i)
        (view,) = facts.facts.images[thing]
        flag = replace(view, file=f"Flag of {facts.facts.entities[thing].label()}.png")
        facts.facts.images[thing] = (flag,)
    signed, _ = certified(ground(facts))
    views, _ = certified()
    assert len(signed) == len(views) > 0
    assert {p.logical_form.sign for p in signed} == {"P41"}
    assert {p.logical_form.sign for p in views} == {""}


def test_an_answer_on_the_pictures_page_is_refused_unless_the_recipe_allows_it():
    told = coast(told={lighthouse(3): "Its architect died in 1713."})
    plans, refused = certified(ground(told))
    assert refused[Reason.IMAGE_SEARCH_SHORTCUT.value] >= 1
    assert "1713" not in {p.answer.text for p in plans}
    allowed, refused = certified(ground(told, own_page=True))
    assert not refused[Reason.IMAGE_SEARCH_SHORTCUT.value]
    assert "1713" in {p.answer.text for p in allowed}
    assert page_texts(told, lighthouse(3))[0].endswith("1713.") and page_texts(told, "Q9") == ()


def test_an_answer_that_its_kind_gives_away_is_refused():
    unguessed = replace(AT, certificate=CertificateRules(margin=1, max_guess=-1.0))
    plans, refused = certified(unguessed)
    assert not plans and refused[Reason.GUESSABLE.value] == 10
    anything = replace(AT, certificate=CertificateRules(margin=1, max_guess=1.0))
    assert not certified(anything, 3)[1][Reason.GUESSABLE.value]


def test_a_seed_has_so_many_plans_of_each_kind_of_work_and_one_of_each_way():
    grown = [
        g for size in (2, 3, 4) for g in grow_chains(AT, lighthouse(3), size, Random(1), Refusals())
    ]
    found = search(AT, grown, shape="chain", refusals=Refusals()).plans
    works = [p.work for p in found]
    assert works.count(PLAIN) == 6
    assert works.count(DETAIL) == 1 and works.count(COMPUTATION) <= 2
    walks = [
        (p.work, tuple(sorted(v for k, v in p.bindings.items() if k[0] in "xy"))) for p in found
    ]
    assert len(set(walks)) == len(walks)
    calls = [p.route.calls for p in found]
    assert (
        calls == sorted(calls, reverse=True)
        and dearest_first(found[::-1])[0].route.calls == calls[0]
    )


def test_the_search_ends_with_enough_plans_or_forms(monkeypatch):
    looked = []

    def forms():
        for grown in grow_chains(AT, lighthouse(3), 3, Random(1), Refusals()):
            looked.append(grown)
            yield grown

    monkeypatch.setattr(search_module, "MAX_FORMS", 2)
    search(AT, forms(), shape="chain", refusals=Refusals())
    assert len(looked) == 2


def test_a_search_examines_120_forms_and_a_walk_has_six_ends():
    (grown, *_) = grow_chains(AT, lighthouse(3), 2, Random(1), Refusals())
    form, bindings, answer = grown
    forms = iter([(form, {**bindings, "x9": f"Q{n}"}, answer) for n in range(200)])
    search(AT, forms, shape="chain", refusals=Refusals(), off=lambda plan: Reason.LEAK)
    assert len(list(forms)) == 80
    more = ("P20", "P119", "P551", "P69", "P937")
    told = [claim(architect(i), p, town(i + n)) for i in range(NUM) for n, p in enumerate(more)]
    many = replace(
        ground(coast([*coast_claims(), *told])), certificate=CertificateRules(stated=False)
    )
    assert len(list(ask_attributes(many, WAY, BINDINGS, "x1", Random(1)))) == 6


@pytest.mark.parametrize("thing", [novel(3), architect(3)])
def test_the_same_seed_gives_the_same_plans(thing):
    def plans():
        return [p.bindings for p in certified(ground(), 2, thing)[0]]

    assert plans() == plans()


def test_the_numbering_holds():
    assert architect(NUM + 3) == architect(3)


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("1856-02-02", "1940-01-29", False),
        ("1940-01-29", "1856-02-02", False),
        ("1856-01-29", "1940-02-02", True),
        ("1856-02-02", "1940-02-02", True),
        ("1856-02-02", "1940", True),
    ],
)
def test_years_are_counted_where_whole_years_and_the_years_alone_say_the_same(one, other, agree):
    def dated(text: str) -> Value:
        whole = len(text) > 4
        time = f"+{text}T00:00:00Z" if whole else f"+{text}-00-00T00:00:00Z"
        return Value(kind="time", time=time, precision=11 if whole else 9)

    assert whole_years_agree(dated(one), dated(other)) is agree


def test_of_two_people_births_are_compared_with_births_only():
    plans, _ = certified(size=3)
    counted = [p for p in plans if p.work == COMPUTATION]
    dates = [
        {c.property for c in p.logical_form.of(ClaimClause) if c.property in ("P569", "P570")}
        for p in counted
    ]
    assert counted and all(len(found) == 1 for found in dates)


def counted(at, asked: str, value: Value, walk=WAY, bindings=BINDINGS, ends=None) -> set[str]:
    """The relations of the dates from which years are counted to an attribute of a walk's last thing."""
    before, last = ends or list(bindings)[-2:]
    clauses = (*walk, ClaimClause(subject=last, property=asked, object="a"))
    form = Form(clauses=clauses, ask=Ask(var="a", type="date"))
    bound = {**bindings, "a": value.key()}
    made = (g for n in range(9) for g in count_years(at, form, bound, before, Random(n)))
    return {g[0].clauses[-2].property for g in made}


def test_years_are_counted_from_a_date_that_a_page_states():
    assert counted(AT, "P569", year(1633)) == {"P571"}
    silent = ground(coast(silent=frozenset({lighthouse(3)})))
    assert counted(silent, "P569", year(1633)) == set()
    unheard = replace(silent, certificate=CertificateRules(margin=1, stated=False))
    assert counted(unheard, "P569", year(1633)) == {"P571"}
    assert counted(AT, "P19", entity_value(town(3))) == set(), "a town is no date"
    assert counted(AT, "P569", year(1704)) == set(), "one year may be no whole year"


def test_years_are_counted_from_a_reading_of_the_dated_thing_only():
    own = ("x0", "x0")
    assert counted(AT, "P1619", year(1633), ends=own) == {"P1684", "P571"}
    assert counted(AT, "P1619", year(1703), ends=own) == {"P1684"}, "not between equal dates"
    assert counted(AT, "P1619", year(1704), ends=own) == set(), "one year may be no whole year"
    assert "P1684" not in counted(AT, "P569", year(1633)), "from a lighthouse to a birth"


def test_a_year_that_the_page_states_too_is_read_in_the_questions_own_picture_only():
    at, own = ground(coast(told={lighthouse(3): "Its plaque says 1705."})), ("x0", "x0")
    assert "P1684" in counted(at, "P1619", year(1633), ends=own)
    later = (Image(var="x9"), ClaimClause(subject="x0", property="P138", object="x9"))
    bindings = {"x9": architect(9), "x0": lighthouse(3)}
    assert "P1684" in counted(AT, "P1619", year(1633), later, bindings, ends=own)
    assert "P1684" not in counted(at, "P1619", year(1633), later, bindings, ends=own)


def test_from_one_person_to_another_births_are_counted_or_deaths():
    taught = ClaimClause(subject="x1", property="P1066", object="x2")
    walk, bindings = (*WAY, taught), {**BINDINGS, "x2": architect(10)}
    assert counted(AT, "P569", year(1640), walk, bindings) == {"P569"}
    assert counted(AT, "P570", year(1720), walk, bindings) == {"P570"}


@pytest.mark.parametrize(
    ("one", "other", "domains", "told"),
    [
        ("x0", "x1", {}, True),
        ("x0", "x1", {"x1": "person"}, True),
        ("x1", "x2", {"x2": "person"}, False),
        ("x0", "x2", {}, True),
        ("x2", "x0", {}, False),
        ("x2", "x2", {}, True),
        ("x0", "x2", {"x2": "person"}, False),
        ("x0", "x2", {"x0": "location", "x2": "location"}, False),
        ("x1", "x3", {}, False),
        ("x0", "gone", {}, False),
        ("gone", "x0", {}, False),
    ],
)
def test_dates_of_a_maker_and_a_work_or_of_two_things_of_a_kind_are_compared(
    one, other, domains, told
):
    """Two things that no claim links are compared where one of them is pictured."""
    links = ("P84", "P1066", "P19")
    clauses = [
        ClaimClause(subject=f"x{n}", property=p, object=f"x{n + 1}") for n, p in enumerate(links)
    ]
    form = Form(clauses=(WAY[0], *clauses), ask=Ask(var="x3", type="entity"))
    bindings = {**BINDINGS, "x2": architect(10), "x3": town(10), "gone": "Q999999"}
    facts = coast()
    for var, domain in domains.items():
        thing = bindings[var]
        facts.facts.entities[thing] = facts.facts.entities[thing].replace(domain=domain)
    assert is_compared(facts, form, bindings, one, other) is told


def test_of_an_attribute_with_several_values_the_class_tells_which_is_asked_for():
    """The town lies in a county and in a state."""
    kinds = ("Q28575", "Q35657")
    more = [
        c
        for i in range(NUM_TOWNS)
        for n, kind in enumerate(kinds)
        for c in (claim(town(i), "P131", f"Q7{n}{i}"), claim(f"Q7{n}{i}", "P31", kind))
    ]
    at = ground(coast([*coast_claims(), *more]))
    forms = [f for f, _, _ in ask_attributes(at, WAY, {**BINDINGS, "x1": town(3)}, "x1", Random(1))]
    told = [
        f.of(ClassClause) for f in forms if any(c.property == "P131" for c in f.of(ClaimClause))
    ]
    assert set(told) == {(ClassClause(var="a", class_id=kind),) for kind in kinds}


def test_a_date_whose_day_no_page_states_is_asked_by_its_year():
    born = Claim(
        subject=architect(3),
        property="P569",
        value=Value(kind="time", time="+1633-05-12T00:00:00Z", precision=11),
        best=True,
    )
    page = next(iter(page_texts(AT.facts, architect(3))))
    assert "1633" in page and "May" not in page
    answer = answer_of(AT.facts, born.value)
    assert (answer.text, answer.precision) == ("12 May 1633", "day")
    said = as_stated(AT.facts, born, answer)
    assert (said.text, said.precision) == ("1633", "year")
    year_only = answer_of(AT.facts, year(1633))
    assert as_stated(AT.facts, born, year_only) is year_only
