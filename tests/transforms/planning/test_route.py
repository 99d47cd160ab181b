"""The route: each move at its price, and each shortcut that makes a question cheap."""

from dataclasses import replace

import pytest

from questloom.records.form import (
    Ask,
    ClaimClause,
    ClassClause,
    Compare,
    Compute,
    Form,
    Reads,
    SentenceClause,
)
from questloom.records.knowledge import (
    Detail,
    Value,
    entity_value,
)
from questloom.transforms.planning import route as route_module
from questloom.transforms.planning.moves import State
from questloom.transforms.planning.route import find_route, selecting_sets
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import HUMAN, LIGHTHOUSE
from tests.transforms.planning.tower import (
    ARCHITECT,
    ASIDE,
    DESIGNED,
    NAMES,
    PAGES,
    PRIZE,
    SHOWN,
    SPAN,
    SPAN_BINDING,
    TAUGHT,
    TEACHER,
    THINGS,
    THREE,
    THREE_BINDING,
    TOWER,
    TWO,
    TWO_BINDING,
    born,
    facts,
)


def test_a_chain_costs_a_call_more_than_its_hops_each_needing_the_one_before():
    two, three = (
        find_route(TWO, TWO_BINDING, facts()),
        find_route(THREE, THREE_BINDING, facts()),
    )
    assert (two.calls, two.depth, two.looks, two.exact) == (3, 3, 1, True)
    assert (three.calls, three.depth, three.pages >= 1, three.exact) == (4, 4, True, True)
    assert three.moves[0] == "image_search x0" and two.treewidth == three.treewidth == 1


def test_a_page_that_states_all_saves_the_page_between():
    told = {**PAGES, TOWER: "Maren Holt, pupil of Aldo Vess, designed it."}
    without_link = find_route(THREE, THREE_BINDING, facts(told))
    assert without_link.calls == 4, "nothing open says whose pupil she was"
    said = {**told, TEACHER: "Aldo Vess was the teacher of Maren Holt."}
    found = find_route(THREE, THREE_BINDING, facts(said, aside=("Born in 1661.", *ASIDE)))
    assert found.calls == 3 and found.moves == ("image_search x0", "visit x0", "visit x2")


def test_one_selective_clause_makes_the_picture_and_the_way_needless():
    won = ClaimClause(subject="x1", property="P166", object=entity_value(PRIZE))
    form = born("x1", SHOWN, DESIGNED, won)
    alone = facts(more=(claim(ARCHITECT, "P166", PRIZE),))
    found = find_route(form, TWO_BINDING, alone)
    assert (found.calls, found.looks, found.most_selective) == (2, 0, 1)
    shared = facts(more=(claim(ARCHITECT, "P166", PRIZE), claim("Q2005", "P166", PRIZE)))
    dearer = find_route(form, TWO_BINDING, shared)
    assert (dearer.calls, dearer.looks, dearer.most_selective) == (3, 1, 2)
    assert found.moves == ("text_search x1", "visit x1")


def test_a_name_within_a_name_is_no_step():
    names = {**NAMES, TOWER: "Maren Holt Light"}
    pages = {**PAGES, TOWER: "Nobody knows much of it."}
    given_away = find_route(TWO, TWO_BINDING, facts(pages, names=names))
    assert (given_away.calls, given_away.names_exposed) == (2, 1)
    hidden = find_route(TWO, TWO_BINDING, facts())
    assert (hidden.calls, hidden.names_exposed) == (3, 0)


def test_a_close_look_and_a_computation_are_a_call_each():
    found = find_route(SPAN, SPAN_BINDING, facts())
    assert (found.calls, found.looks) == (5, 2) and found.moves[-1] == "python_interpreter n"


def test_branches_that_meet_are_wider_than_a_chain_whatever_is_written():
    meeting = Form(
        clauses=(
            SHOWN,
            DESIGNED,
            ClaimClause(subject="z", property="P86", object="x0"),
            ClaimClause(subject="z", property="P50", object="x1"),
            ClassClause(var="z", class_id=LIGHTHOUSE),
        ),
        ask=Ask(var="z", type="entity"),
    )
    store = facts(more=(claim("Q7000", "P86", TOWER), claim("Q7000", "P50", ARCHITECT)))
    found = find_route(
        meeting, {"x0": THINGS["x0"], "x1": THINGS["x1"], "z": entity_value("Q7000")}, store
    )
    assert found.treewidth == 2


def test_what_needs_every_clause_has_one_smallest_set():
    wanted, is_all = selecting_sets(THREE, THREE_BINDING, facts())
    assert is_all and wanted == (frozenset(THREE.clauses),)


def test_what_no_page_says_costs_a_search_and_is_not_free():
    silent = find_route(TWO, TWO_BINDING, facts({TOWER: PAGES[TOWER], ARCHITECT: "A person."}))
    assert silent.calls == silent.depth == 3 and "text_search a" in silent.moves


def test_a_class_is_in_the_words_and_costs_nothing():
    plain = find_route(TWO, TWO_BINDING, facts())
    told = Form(clauses=(*TWO.clauses, ClassClause(var="x1", class_id=HUMAN)), ask=TWO.ask)
    assert find_route(told, TWO_BINDING, facts()).calls == plain.calls


def test_a_search_shows_a_short_page_whole_so_that_it_need_not_be_opened():
    found = find_route(TWO, TWO_BINDING, facts(aside=ASIDE[:2]))
    assert found.moves == ("image_search x0", "text_search x1") and found.pages == 0


def test_of_a_longer_page_a_search_shows_what_names_the_thing_that_it_was_found_by():
    told = {**PAGES, ARCHITECT: "Maren Holt, born in 1660, designed Orm Light."}
    assert find_route(TWO, TWO_BINDING, facts(told)).moves == ("image_search x0", "text_search x1")
    apart = facts(
        {**PAGES, ARCHITECT: "Maren Holt designed Orm Light."}, aside=("In 1660.", *ASIDE)
    )
    assert find_route(TWO, TWO_BINDING, apart).moves[-1] == "visit x1", "in another passage"


def test_a_name_in_what_a_search_shows_is_in_hand():
    told = {**PAGES, ARCHITECT: "Maren Holt of Orm Light learned from Aldo Vess."}
    found = find_route(THREE, THREE_BINDING, facts(told))
    assert found.moves == ("image_search x0", "text_search x1", "visit x2")


def test_the_search_with_the_picture_shows_the_description_too():
    told = facts(described={TOWER: "lighthouse by Maren Holt"})
    assert find_route(TWO, TWO_BINDING, told).moves == ("image_search x0", "visit x1")
    other = facts(described={TOWER: "lighthouse by Maren Holtby"})
    assert find_route(TWO, TWO_BINDING, other).calls == 3


def test_a_constant_left_in_is_a_way_in_without_the_picture():
    """The words name the teacher: its page leads to the pupil without the picture."""
    named = born("x1", SHOWN, DESIGNED, replace(TAUGHT, object=entity_value(TEACHER)))
    page = {**PAGES, TEACHER: "Aldo Vess taught Maren Holt, born in 1660."}
    found = find_route(named, TWO_BINDING, facts(page))
    assert found.looks == 0 and found.moves == ("text_search x1",)
    assert found.most_selective == 1
    hidden = find_route(born("x1", SHOWN, DESIGNED), TWO_BINDING, facts(page))
    assert hidden.looks == 1 and hidden.most_selective == 0


READ = Reads(var="r", of="x1", property="P1684")


def read(var: str, *clauses) -> Form:
    return Form(clauses=clauses, ask=Ask(var=var, type="date", precision="year"))


def test_a_look_at_a_later_things_picture_waits_for_its_page_and_one_at_the_shown_one_does_not():
    later = find_route(read("r", SHOWN, DESIGNED, READ), {**TWO_BINDING, "r": year(1700)}, facts())
    assert later.moves == ("image_search x0", "text_search x1", "visit x1", "crop r")
    assert (later.depth, later.looks, later.exact) == (4, 2, True)
    shown = replace(READ, of="x0")
    here = find_route(read("r", SHOWN, shown), {"x0": THINGS["x0"], "r": year(1700)}, facts())
    assert here.moves == ("crop r",) and here.depth == 1, "the picture is given"


def test_two_branches_are_no_deeper_than_the_longer_of_them():
    """Years between the openings of two pages that both wait for the picture only."""
    built = ClaimClause(subject="x0", property="P571", object="b")
    span = Form(
        clauses=(*TWO.clauses, built, Compute(out="n", op="difference", args=("b", "a"))),
        ask=Ask(var="n", type="quantity", unit="years"),
    )
    page = {**PAGES, TOWER: "Orm Light of 1700 was designed by Maren Holt."}
    store = facts(page, (claim(TOWER, "P571", year(1700)),))
    binding = {**TWO_BINDING, "b": year(1700), "n": Value(kind="quantity", number=40.0)}
    found = find_route(span, binding, store)
    assert found.moves[0] == "image_search x0" and found.moves[-1] == "python_interpreter n"
    assert (found.calls, found.depth, found.pages) == (4, 4, 2)


@pytest.mark.parametrize("limit", ["MAX_STATES", "MAX_SETS"])
def test_beyond_its_limits_a_route_is_a_way_that_was_found_and_says_so(monkeypatch, limit):
    monkeypatch.setattr(route_module, limit, 1)
    found = find_route(THREE, THREE_BINDING, facts())
    assert found.exact is (limit == "MAX_SETS") and found.calls >= 4
    won = ClaimClause(subject="x1", property="P166", object=entity_value(PRIZE))
    many = find_route(
        born("x1", SHOWN, DESIGNED, won),
        TWO_BINDING,
        facts(more=(claim(ARCHITECT, "P166", PRIZE),)),
    )
    assert not many.exact


def test_a_name_within_a_name_that_the_words_give_is_in_hand_from_the_start():
    won = ClaimClause(subject="x1", property="P166", object=entity_value(PRIZE))
    names = {**NAMES, PRIZE: "Maren Holt Medal"}
    store = facts(more=(claim(ARCHITECT, "P166", PRIZE),), names=names)
    found = find_route(born("x1", SHOWN, DESIGNED, won), TWO_BINDING, store)
    assert found.moves == ("visit x1",) and found.names_exposed == 1
    built = ClaimClause(subject="x0", property="P571", object=year(1700))
    dated = find_route(
        born("x1", SHOWN, DESIGNED, won, built),
        TWO_BINDING,
        facts(
            more=(claim(ARCHITECT, "P166", PRIZE), claim(TOWER, "P571", year(1700))), names=names
        ),
    )
    assert dated.moves == ("visit x1",)


def test_a_sentence_is_read_on_its_subjects_page_and_gives_the_other_thing():
    said = SentenceClause(
        subject="x1", object="x2", article_id="a", revision=1, section=0, start=0, end=9
    )
    form = born("x2", SHOWN, DESIGNED, said)
    found = find_route(form, THREE_BINDING, facts())
    assert "visit x1" in found.moves and found.moves[-1] == "visit x2" and found.calls == 4


WON = ClaimClause(subject="x1", property="P166", object=entity_value(PRIZE))
TWICE = (claim(ARCHITECT, "P166", PRIZE), claim("Q2005", "P166", PRIZE))


@pytest.mark.parametrize(
    ("compared", "looks"),
    [
        (Compare(left="a", op="<", right=year(1661)), 0),
        (Compare(left="a", op="<", right=year(1900)), 1),
        (Compare(left="b", op="<", right=year(1900)), 1),
    ],
    ids=["tells the two apart", "fits both", "of another date"],
)
def test_a_comparison_in_the_words_costs_nothing_and_tells_two_prize_winners_apart(compared, looks):
    built = ClaimClause(subject="x0", property="P571", object="b")
    form = born("x1", SHOWN, DESIGNED, WON, built, compared)
    more = (*TWICE, claim(TOWER, "P571", year(1700)), claim("Q2005", "P569", year(1700)))
    page = {**PAGES, TOWER: "Orm Light of 1700 was designed by Maren Holt."}
    found = find_route(form, {**TWO_BINDING, "b": year(1700)}, facts(page, more))
    assert min(found.looks, 1) == looks


def test_a_comparison_of_a_date_that_a_cheap_way_does_not_need_is_left_out():
    """The lighthouse opened after its architect was born, which nobody who knows her needs."""
    built = ClaimClause(subject="x0", property="P571", object="b")
    form = born("x1", SHOWN, DESIGNED, WON, built, Compare(left="b", op=">", right="a"))
    more = (TWICE[0], claim(TOWER, "P571", year(1700)))
    found = find_route(form, {**TWO_BINDING, "b": year(1700)}, facts(more=more))
    assert (found.calls, found.looks) == (2, 0)


def test_whoever_does_not_look_still_knows_what_kind_of_thing_is_pictured():
    """A bridge opened in that year too, but the question says "this lighthouse"."""
    opened = ClaimClause(subject="x0", property="P1619", object=year(1700))
    form = born("x1", SHOWN, DESIGNED, opened)
    of_bridge = (
        claim("Q7000", "P31", "Q12280"),
        claim("Q7000", "P1619", year(1700)),
        claim("Q7000", "P84", "Q2005"),
        claim("Q2005", "P569", year(1690)),
    )
    own = claim(TOWER, "P1619", year(1700))
    twin = (of_bridge[0].replace(value=entity_value(LIGHTHOUSE)), *of_bridge[1:])
    for others, needless in ((of_bridge, True), (twin, False)):
        wanted, _ = selecting_sets(form, TWO_BINDING, facts(more=(own, *others)))
        assert any(SHOWN not in clauses for clauses in wanted) is needless


def test_the_reading_is_the_one_of_the_shown_picture_whatever_others_say():
    shown = Reads(var="r", of="x0", property="P1684")
    store = facts()
    (view,) = store.images[TOWER]
    other = view.replace(id="1" * 64, details=(Detail(property="P1684", value=year(1900)),))
    store.images[TOWER] = (view, other)
    form = read("r", SHOWN, DESIGNED, shown)
    found = find_route(form, {**TWO_BINDING, "r": year(1700)}, store)
    assert found.moves == ("image_search x0", "crop r")


def test_where_no_path_leads_to_the_answer_the_route_ends_and_says_that_it_is_not_exact():
    """The sentence stands on a page that the store does not have."""
    said = SentenceClause(
        subject="x1", object="x2", article_id="a", revision=1, section=0, start=0, end=9
    )
    lost = facts({TOWER: PAGES[TOWER], TEACHER: PAGES[TEACHER]})
    found = find_route(born("x2", SHOWN, DESIGNED, said), THREE_BINDING, lost)
    assert found.calls > 0 and not found.exact


@pytest.mark.parametrize(("twin", "all_sets"), [(True, True), (False, False)])
def test_sixty_four_sets_of_clauses_are_examined_at_most(twin, all_sets):
    """One clause singles out the answer, in 64 sets; without a twin so do the six others together."""
    ids = [f"P90{n}" for n in range(7)]
    clauses = tuple(
        ClaimClause(subject="a", property=p, object=entity_value(f"Q9{p}")) for p in ids
    )
    others = {f"Q70{n}": [p for p in ids[1:] if p != f"P90{n}"] for n in range(1, 7)}
    fitting = {"Q700": ids, **others, **({"Q777": ids[1:]} if twin else {})}
    store = SmallFacts([claim(q, p, f"Q9{p}") for q, found in fitting.items() for p in found])
    form = Form(clauses=clauses, ask=Ask(var="a", type="entity"))
    wanted, is_all = selecting_sets(form, {"a": entity_value("Q700")}, store)
    assert is_all is all_sets and wanted


class Endless:
    """Moves that never solve the question: each makes one more thing known."""

    asked = 0

    def start(self) -> State:
        return State(known=frozenset(), opened=frozenset(), seen=frozenset())

    def is_solved(self, state: State, wanted: tuple) -> bool:
        self.asked += 1
        return False

    def following(self, state: State):
        num = len(state.moves)
        more = replace(state, known=frozenset({str(num)}), moves=(*state.moves, f"visit {num}"))
        return [more] if num < 4_000 else []


def test_a_shortest_way_is_looked_for_in_four_thousand_states():
    moves = Endless()
    _, exact = route_module._cheapest(moves, ())
    assert not exact and moves.asked == 4_000 + 4_001, "a greedy way is looked for after it"
