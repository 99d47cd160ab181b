"""Answers are kept with what was asked, and go with it."""

import ast
import copy
import gc
import pickle
import weakref
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest

from questloom.records.form import Ask, ClassClause, Form, SentenceClause
from questloom.records.knowledge import entity_value
from questloom.transforms.certificate.description import Description, Part
from questloom.transforms.remembered import remembered
from tests.doctests import ROOT
from tests.small_facts import SmallFacts, claim, year


class Book:
    """Something that can be asked."""

    def __init__(self, number: int) -> None:
        self.number, self.asked = number, 0


@remembered(2)
def times(book: Book, factor: int) -> int:
    book.asked += 1
    return book.number * factor


def test_each_source_has_its_own_answers_and_is_asked_once():
    one, other = Book(3), Book(5)
    assert [times(one, 2), times(one, 2), times(other, 2), times(one, factor=2)] == [6, 6, 10, 6]
    assert (one.asked, other.asked) == (2, 1), "once by place and once by name"


def test_no_more_answers_are_kept_than_the_size_allows():
    book = Book(3)
    for factor in (1, 2, 3, 1):
        times(book, factor)
    assert book.asked == 4
    times(book, 1)
    assert book.asked == 4


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda book: pickle.loads(pickle.dumps(book))]
)
def test_a_copy_of_a_source_that_was_asked_has_no_answers_of_the_original(copied):
    book = Book(3)
    assert times(book, 2) == 6
    other = copied(book)
    other.number = 5
    assert (times(other, 2), times(book, 2)) == (10, 6)
    assert (other.asked, book.asked) == (2, 1)


class Slotted:
    """A source without a dict of attributes."""

    __slots__ = ("_remembered", "asked", "number")

    def __init__(self, number: int) -> None:
        self.number, self.asked = number, 0


def test_a_source_with_slots_keeps_its_answers():
    book = Slotted(3)
    assert [times(book, 2), times(book, 2), book.asked] == [6, 6, 1]


@dataclass(frozen=True)
class Frozen:
    """A source that lets nothing be assigned."""

    number: int


@remembered(2)
def thing(source: Frozen, asked: tuple[str, ...]) -> object:
    return object()


def test_a_frozen_source_keeps_its_answers():
    source = Frozen(3)
    assert thing(source, ("a",)) is thing(source, ("a",))
    assert source == Frozen(3)


YEARBOOK = ClassClause(var="x", class_id="Q2")
SAID = SentenceClause(
    subject="x", object="y", article_id="a", revision=1, section=0, start=0, end=1
)
ASKED: dict[str, tuple[Any, ...]] = {
    "certificate.guess._countries_in": ("P1", "Q1"),
    "facts.calendars.change_of": ("Q1",),
    "facts.page_statements.linked_things": ("Q1",),
    "facts.page_statements.names_in_sentence": (SAID, "Q1", "Q2"),
    "facts.page_statements.names_on_page": ("Q1", "Q2"),
    "planning.text_facts.spoken": ("Q1", 9),
    "facts.askable._is_coarse": ("P1", "Q1"),
    "facts.askable.has_common_class": ("Q1",),
    "facts.askable.leads_to_kind": ("P1", "Q1"),
    "facts.century._centuries_in": ("P1", "Q1"),
    "facts.completeness.share_held": ("Q2",),
    "facts.completeness.share_seen": (),
    "certificate.effective._onward": ("Q1",),
    "certificate.effective._reached": ("Q1", 1),
    "facts.values._best_by_property": ("Q1",),
    "facts.values._name_told": ("Q1",),
    "planning.named.find_shown_text": ("Q1", ()),
    "planning.named.text_names": ("a text", entity_value("Q2")),
    "certificate.guess._all_answers": (Form(clauses=(YEARBOOK,), ask=Ask(var="x", type="")),),
    "certificate.part_status.status": ("Q1", Part(role="kind", clause=YEARBOOK)),
    "certificate.stating.statement_of": (claim("Q1", "P1", "Q2"),),
    "facts.readings.readings": ("Q1", "P1684", ""),
    "planning.steps._stated_clues": ("Q1",),
    "facts.values._around": (("P131",), "Q1"),
    "facts.fuzzy._years_of": ("Q2", "P569"),
    "facts.values._exceptions": ("P1",),
    "facts.values._is_functional": ("P1", ("Q2",), False),
    "certificate.guess._commonest_end": ("Q1", ("P1",), Ask(var="a", type="entity"), "Q2"),
    "certificate.guess._share_in": ("P1", "Q1", 0.1),
    "certificate.guess._things_along": ("Q1", ("P1",)),
    "certificate.guess._entities_in": ("P1", "Q1"),
    "facts.lifetime.contradicted": ("Q1",),
    "facts.readings.later_readings": ("Q1",),
    "facts.one_of_class._functional_within": ("P1", "Q1", "Q2"),
    "facts.said_class.find_descriptor_class": ("Q1",),
    "certificate.margin._margin_of": (Description(var="x0", parts=()), entity_value("Q1"), 2),
    "facts.value_index._by_subject": ("P1",),
    "facts.value_index.subjects_by_key": ("P1",),
    "facts.indexed._ancestors": ("Q1",),
    "facts.indexed._classes_above": ("Q1",),
    "facts.indexed._closures": (),
    "facts.values._names_read": ("Q1",),
    "facts.within._num_inside": ("P131", "Q1"),
    "facts.within._inside": (("P131",), "Q1"),
    "facts.within._within": ("P131", entity_value("Q1"), 5),
    "planning.finish.days_stated": ("Q1",),
    "planning.finish.page_texts": ("Q1",),
    "planning.ground.different_views": ("Q1",),
    "planning.lacking.lack_behind_step": ("Q1", "P1", "Q2", 2),
    "planning.lacking._shut_steps": ("Q1",),
    "planning.looks._things_of_year": (year(1850), 2, True),
    "planning.named.name_holds": ("Q1", "Q2"),
    "planning.named.page_names": ("Q1", entity_value("Q2")),
    "planning.hiding._describe_thing": ("Q1", 2, True, 1),
    "planning.shapes.tree.steps_to": ("Q1", 9, True),
    "planning.steps._describe_step_end": ("Q1", "P1", "Q2", 2, 3, True, 1),
    "planning.steps.steps_from": ("Q1", 9, True),
    "writing.llm.everyday_words._english": (),
    "writing.llm.everyday_words._form_words": (),
}
"""Every remembered function of `transforms`, and what it is asked below."""


def remembering() -> set[str]:
    """The functions of `transforms` that are decorated with `remembered`."""
    folder = ROOT / "transforms"
    return {
        ".".join((*path.relative_to(folder).with_suffix("").parts, node.name))
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(each).startswith("remembered(") for each in node.decorator_list)
    }


def test_every_remembered_function_is_asked_here():
    assert remembering() == set(ASKED)


@pytest.mark.parametrize("name", sorted(ASKED))
def test_no_look_up_holds_a_source_that_is_gone(name):
    module, _, function = name.rpartition(".")
    source = SmallFacts([])
    getattr(import_module(f"questloom.transforms.{module}"), function)(source, *ASKED[name])
    gone = weakref.ref(source)
    del source
    gc.collect()
    assert gone() is None


HELD_NAMES = {"facts", "store", "clip", "lookups"}
HELD_TYPES = {"Facts", "Store", "Clip", "Lookups"}


def takes_a_source(function: ast.FunctionDef) -> bool:
    """Whether a parameter, wherever it stands, is a store or a model by its name or its type."""
    given = function.args
    return any(
        each.arg in HELD_NAMES
        or (
            each.annotation is not None
            and any(
                (isinstance(part, ast.Name) and part.id in HELD_TYPES)
                or (isinstance(part, ast.Attribute) and part.attr in HELD_TYPES)
                or (isinstance(part, ast.Constant) and part.value in HELD_TYPES)
                for part in ast.walk(each.annotation)
            )
        )
        for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)
    )


def holding(text: str) -> list[str]:
    """Functions that take a store, or a model, and have a cache of the module: as a decorator, or by a call."""
    nodes = list(ast.walk(ast.parse(text)))
    found = {
        node.name: node
        for node in nodes
        if isinstance(node, ast.FunctionDef) and takes_a_source(node)
    }
    called = {
        arg.id
        for node in nodes
        if isinstance(node, ast.Call) and "cache" in ast.unparse(node.func)
        for arg in (*node.args, *(each.value for each in node.keywords))
        if isinstance(arg, ast.Name)
    }
    return [
        name
        for name, node in found.items()
        if name in called or any("cache" in ast.unparse(each) for each in node.decorator_list)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "@lru_cache\ndef f(facts, n: int) -> int: ...",
        "@functools.cache\ndef f(n: int, facts: Facts) -> int: ...",
        "@lru_cache(maxsize=8)\ndef f(n: int, *, of: Store | None = None) -> int: ...",
        "@cache\ndef f(model: 'Clip', /) -> int: ...",
        "@cache\ndef f(of: facts.Facts) -> int: ...",
        "def f(facts: Facts) -> int: ...\nkept = lru_cache(f)",
        "def f(facts: Facts) -> int: ...\nkept = functools.lru_cache(8)(f)",
    ],
)
def test_a_cache_that_would_hold_a_store_is_noticed(text):
    assert holding(text) == ["f"]


def test_a_cache_without_a_store_is_allowed():
    assert holding("@cache\ndef f(n: int) -> int: ...\ndef g(facts: Facts) -> int: ...") == []


def test_no_cache_of_a_module_holds_a_store():
    found = {str(p): holding(p.read_text("utf-8")) for p in (ROOT / "transforms").rglob("*.py")}
    assert {path: names for path, names in found.items() if names} == {}
