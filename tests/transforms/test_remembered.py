"""Answers are kept with what was asked, and go with it."""

import ast
import gc
import weakref

import pytest

from questloom.transforms.certificate.askable import has_said_kind, leads_to_kind
from questloom.transforms.certificate.certificate_rules import Trust
from questloom.transforms.certificate.completeness import share_held, share_seen
from questloom.transforms.certificate.facts import best_values, is_functional
from questloom.transforms.certificate.lifetime import contradicted
from questloom.transforms.certificate.said_class import said_class
from questloom.transforms.remembered import remembered
from tests.doctests import ROOT
from tests.small_facts import SmallFacts


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


def test_no_look_up_holds_a_store_that_is_gone():
    store = SmallFacts([])
    best_values(store, "Q1", "P1")
    is_functional(store, "P1", ("Q2",), Trust())
    share_held(store, "Q2"), share_seen(store)
    contradicted(store, "Q1"), said_class(store, "Q1")
    leads_to_kind(store, "P1", "Q1"), has_said_kind(store, "Q1")
    gone = weakref.ref(store)
    del store
    gc.collect()
    assert gone() is None


def holding(text: str) -> list[str]:
    """Functions with a cache of the module whose first argument is a store, or a model."""
    return [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        and any("cache" in ast.unparse(each) for each in node.decorator_list)
        and [each.arg for each in node.args.args][:1] in (["facts"], ["store"], ["clip"])
    ]


@pytest.mark.parametrize("cache", ["lru_cache", "functools.cache", "lru_cache(maxsize=8)"])
def test_a_cache_that_would_hold_a_store_is_noticed(cache):
    assert holding(f"@{cache}\ndef f(facts: Facts, n: int) -> int: ...") == ["f"]


def test_no_cache_of_a_module_holds_a_store():
    found = {str(p): holding(p.read_text("utf-8")) for p in (ROOT / "transforms").rglob("*.py")}
    assert {path: names for path, names in found.items() if names} == {}
