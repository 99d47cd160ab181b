"""The shortcut solver: right where a clause or a page gives the answer away, wrong on a real chain, cheap, and told nothing."""

import ast
import asyncio
import heapq
import inspect
from pathlib import Path

import pytest

from questloom.agent.oracle.observation_reading import Thing, key, read_page
from questloom.agent.play.player import Player, Task
from questloom.agent.providers.local_provider import LocalProvider
from questloom.agent.shortcut import question_reading, shortcut_engine, shortcut_solver
from questloom.agent.shortcut.question_reading import read_question
from questloom.agent.shortcut.shortcut_engine import ShortcutEngine
from questloom.agent.shortcut.shortcut_solver import (
    MAX_PATHS,
    UNKNOWN,
    Observation,
    ShortcutSolver,
    _Lead,
)
from questloom.agent.turns.limits import Limits
from questloom.knowledge.store.build import build_store
from questloom.knowledge.store.store import Store
from questloom.knowledge.store.vectors import add_vectors
from questloom.models.clip import Clip
from questloom.records.knowledge import Article, Link, Section
from tests.agent.tools.calling import box_with
from tests.agent.tools.little_store import asset, lighthouse, little_store, source
from tests.models.pictures import file_of


def page(number: int, title: str, text: str, *links: str) -> Article:
    return Article(
        wiki="enwiki",
        title=title,
        page_id=number,
        revision=1,
        entity_id=f"Q{number}",
        sections=(Section(title="", level=1, text=text),),
        links=tuple(
            Link(target=t, anchor=t, section=0, sentence_start=0, sentence_end=len(text))
            for t in links
        ),
    )


CHAIN = (
    page(11, "Ilse Varga", "Ilse Varga was an architect, a pupil of Pavo Lind.", "Pavo Lind"),
    page(12, "Pavo Lind", "Pavo Lind was an artist. He was married to Senna Orlo.", "Senna Orlo"),
    page(13, "Senna Orlo", "Senna Orlo was a painter. She left her home as a child.", "Toltis"),
    page(14, "Toltis", "Toltis is a town. Among its people is Senna Orlo.", "Senna Orlo"),
)


@pytest.fixture(scope="module")
def provider(tmp_path_factory) -> LocalProvider:
    return LocalProvider(little_store(tmp_path_factory.mktemp("shortcut")), Clip.load("small"))


@pytest.fixture(scope="module")
def chained(tmp_path_factory) -> LocalProvider:
    """The lighthouses, with an architect whose teacher's wife came from a town that no cue names."""
    path = str(tmp_path_factory.mktemp("chain") / "store")
    build_store(
        path,
        articles=(*map(lighthouse, range(4)), *CHAIN),
        images=(asset(n, v) for n in range(4) for v in range(2)),
        snapshot="2026-11-01",
    )
    clip = Clip.load("small")
    add_vectors(path, clip.embed_pictures, clip.name)
    return LocalProvider(Store.open(path), clip)


def play(provider, question: str, max_calls: int = 12, number: int = 1):
    box = box_with(provider)
    engine = ShortcutEngine(
        tools=[s["function"]["name"] for s in box.schemas()], max_calls=max_calls
    )
    task = Task(task_id="t", question=question, pictures=(file_of(source(number), quality=80),))
    episode = asyncio.run(Player(engine, box, Limits(calls=30)).play(task))
    assert not any(turn.violation for turn in episode.turns)
    return episode, [turn.call for turn in episode.turns if turn.call]


def test_a_page_that_states_all_is_enough(provider):
    episode, calls = play(provider, "Who designed the lighthouse in this picture?")
    assert episode.answer == "Ilse Varga"
    assert [c.name for c in calls] == ["image_search", "visit"]


def test_a_selective_clause_gives_the_answer_away(provider):
    """The picture is another lighthouse's, of 1850: only the clause leads to the right page."""
    episode, calls = play(
        provider,
        "In which year was the lighthouse built whose lantern a storm broke in 1903?",
        number=0,
    )
    assert episode.answer == "1853" and len(calls) <= 6


def test_the_year_is_given_as_a_year(provider):
    episode, _ = play(provider, "In which year was the lighthouse in this picture built?")
    assert episode.answer == "1851"


def test_it_follows_links(chained):
    episode, _ = play(
        chained, "Who was the teacher of the architect who designed the lighthouse in this picture?"
    )
    assert episode.answer == "Pavo Lind"


def test_a_chain_of_three_that_no_cue_ends_is_not_solved(chained):
    question = (
        "In which town was the wife of the teacher of the architect of the lighthouse "
        "in this picture born?"
    )
    episode, _ = play(chained, question)
    assert episode.answer != "Toltis"


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_it_keeps_to_its_budget(chained, limit):
    episode, calls = play(chained, "Who murdered the aunt of this man?", limit)
    assert len(calls) <= limit and episode.answer


def test_pages_that_name_each_other_are_each_read_once_with_the_same_clauses():
    """Two of them led it back and forth for ever, since a page that is open costs no call."""
    solver = ShortcutSolver(
        "Who was the wife of the man from Velm who was married to a painter from Toltis?"
    )
    one, other = Thing("Ada Lund", "u/Ada_Lund"), Thing("Bo Lund", "u/Bo_Lund")
    for thing, spouse in ((one, other), (other, one)):
        solver._opened[key(thing.title)] = read_page(
            f"{thing.title}\nURL: {thing.url}\n\n{thing.title} was married to {spouse.title}.\n"
            f"Links:\n- {spouse.title}: {spouse.url}",
            0,
            (),
        )
    solver._add(_Lead(one, frozenset(), 1.0, "words"))
    num = 0
    while solver._leads and num < 50:
        assert list(solver._open(heapq.heappop(solver._leads)[2])) == []
        num += 1
    assert 2 <= num < 50, "each leads to the other, and then no further"


def test_of_leads_with_equal_rank_the_oldest_comes_first():
    """A lead added after another was taken had the same place in the queue, and two leads cannot be compared."""
    solver = ShortcutSolver("Who was the wife of the man from Velm?")
    first, second, third = (
        _Lead(Thing(name), frozenset(), 1.0, "words") for name in ("Ada", "Bo", "Cy")
    )
    solver._add(first)
    solver._add(second)
    assert heapq.heappop(solver._leads)[2] == first
    solver._add(third)
    assert [heapq.heappop(solver._leads)[2] for _ in range(2)] == [second, third]


def test_a_long_question_has_no_more_than_so_many_paths():
    """A question of eleven clauses led to one thing by over ten thousand lists of clauses."""
    solver, thing = ShortcutSolver("Who was the wife of the man from Velm?"), Thing("Ada Lund")
    for number in range(MAX_PATHS + 9):
        solver._reach(_Lead(thing, frozenset({number}), 1.0, "link"))
    assert len(solver._leads) == len(solver._reached[key("Ada Lund")]) == MAX_PATHS


def test_without_anything_found_it_says_that_it_does_not_know():
    search = ShortcutSolver("Who is it?", tools=frozenset()).solve()
    with pytest.raises(StopIteration) as stop:
        next(search)
    assert stop.value.value.answer == UNKNOWN


def test_the_same_question_gives_the_same_turns(chained):
    question = "Who was the teacher of the architect of the lighthouse in this picture?"
    first, second = (play(chained, question)[0] for _ in range(2))
    assert [t.text for t in first.turns] == [t.text for t in second.turns]


def test_it_is_told_nothing_but_words_and_tools():
    """No form, binding or store can reach it: neither its modules nor what they read pages with import one."""
    assert set(inspect.signature(ShortcutEngine.__init__).parameters) == {
        "self",
        "tools",
        "max_calls",
    }
    allowed = (
        "records.episodes",
        "agent.oracle.observation_reading",
        "agent.oracle.relation_words",
    )
    forbidden = ("records.", "knowledge.", "transforms.", "agent.oracle.", "agent.providers.")
    for module in (question_reading, shortcut_engine, shortcut_solver):
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else []
            )
            for name in names:
                inner = name.removeprefix("questloom.")
                assert inner in allowed or not inner.startswith(forbidden), name


@pytest.mark.parametrize(
    ("text", "kind", "part"),
    [
        ("When did this man die?", "date", ""),
        ("In which century was it built?", "date", "century"),
        ("How tall is the tower in this picture?", "amount", ""),
        ("Where was she born?", "thing", ""),
    ],
)
def test_the_words_tell_what_type_the_answer_has(text, kind, part):
    read = read_question(text)
    assert (read.kind, read.part) == (kind, part)


def test_clauses_are_followed_from_the_picture_outward():
    read = read_question("What is the motto of the family that commissioned this cathedral?")
    assert read.pictured == "this cathedral"
    order = sorted(read.clauses, key=lambda c: c.distance)
    assert [c.relations[-1].property for c in order] == ["P88", "P53", "P1451"]
    late = read_question("Where was the wife of this tower's architect born?")
    assert [c.relations[-1].property for c in sorted(late.clauses, key=lambda c: c.distance)] == [
        "P84",
        "P26",
        "P569",
    ], "the verb of the whole question is the last"


def test_the_verb_behind_the_pictured_thing_is_not_taken_for_its_name():
    assert read_question("In which town was this man born?").pictured == "this man"
    assert read_question("How tall is this water tower?").pictured == "this water tower"
    assert read_question(
        "In which district does the town where this lake lies stand?"
    ).pictured == ("this lake")


def test_what_a_search_shows_is_read_without_opening_the_page():
    search = ShortcutSolver("What is the motto of this man's family?").solve()
    assert next(search).name == "image_search"
    shown = "[1] Ben Varga\nURL: https://w/wiki/Ben_Varga\npoet (1901–1950)\n"
    asked = search.send(Observation(True, shown, (), 0))
    assert asked.arguments == {"query": "What is the motto of Ben Varga's family?"}
    hits = (
        "[1] Orlo family\nURL: https://w/wiki/Orlo_family\n"
        "Its members include Ben Varga and Ada Lund. The family's motto is “We Keep the Keys”.\n"
    )
    with pytest.raises(StopIteration) as stop:
        search.send(Observation(True, hits, (), 1))
    assert stop.value.value.answer == "We Keep the Keys"
