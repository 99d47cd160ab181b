"""What a solver can do next, and what it knows after each call."""

from dataclasses import replace

from questloom.records.form import (
    Form,
    Fuzzy,
)
from questloom.records.knowledge import (
    entity_value,
)
from questloom.transforms.certificate.execute import Binding
from questloom.transforms.planning.moves import Moves, State
from tests.small_facts import SmallFacts, year
from tests.transforms.planning.tower import (
    ARCHITECT,
    DESIGNED,
    NAMES,
    PAGES,
    SHOWN,
    SPAN,
    SPAN_BINDING,
    TAUGHT,
    TEACHER,
    THREE_BINDING,
    TOWER,
    TWO_BINDING,
    born,
    facts,
)


def after(form: Form, binding: Binding, store: SmallFacts, *made: str) -> tuple[State, list[str]]:
    """The state after some calls, and the calls that a solver can make then."""
    moves = Moves(form, binding, store)
    state = moves.start()
    for call in made:
        state = next(s for s in moves.following(state) if s.moves[-1] == call)
    return state, [s.moves[-1] for s in moves.following(state)]


def test_a_page_that_the_words_name_is_opened_once_by_two_calls_and_only_where_there_is_one():
    named = born("x1", SHOWN, DESIGNED, replace(TAUGHT, object=entity_value(TEACHER)))
    opening = f"visit {TEACHER}"
    _, calls = after(named, TWO_BINDING, facts())
    assert calls == ["image_search x0", "text_search x1", opening]
    state, calls = after(named, TWO_BINDING, facts(), opening)
    assert opening not in calls and state.moves == (f"text_search {TEACHER}", opening)
    alone = facts({k: page for k, page in PAGES.items() if k != TEACHER})
    assert opening not in after(named, TWO_BINDING, alone)[1]


def test_a_computation_waits_for_what_it_computes_with():
    made, computing = ("image_search x0", "text_search x1", "visit x1"), "python_interpreter n"
    assert computing not in after(SPAN, SPAN_BINDING, facts(), *made)[1]
    assert computing in after(SPAN, SPAN_BINDING, facts(), *made, "crop r")[1]
    assert computing not in after(SPAN, SPAN_BINDING, facts(), *made, "crop r", computing)[1]


def test_a_name_within_a_name_within_a_name_is_in_hand_once_the_first_is_and_not_before():
    names = {**NAMES, TOWER: "Maren Holt Light", TEACHER: "Holt"}
    silent = facts(dict.fromkeys(PAGES, "Nobody knows much of it."), names=names)
    form = born("x2", SHOWN, TAUGHT, DESIGNED)
    start, _ = after(form, THREE_BINDING, silent)
    assert not start.known and not start.seen
    found, _ = after(form, THREE_BINDING, silent, "image_search x0")
    assert found.known == {"x0", "x1", "x2"} and found.seen == {SHOWN, DESIGNED, TAUGHT}


def test_a_vague_clue_is_confirmed_where_a_page_states_the_exact_one():
    sixties = Fuzzy(kind="range", subject="x1", property="P569", object=year(1660))
    form = born("x2", SHOWN, DESIGNED, TAUGHT, sixties)
    made = ("image_search x0", "text_search x1", "visit x1")
    assert sixties in after(form, THREE_BINDING, facts(), *made)[0].seen
    silent = facts({**PAGES, ARCHITECT: "Maren Holt learned from Aldo Vess."})
    assert sixties not in after(form, THREE_BINDING, silent, *made)[0].seen
