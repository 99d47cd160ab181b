"""Work is counted as it is asked for."""

import sys

import numpy as np

from benchmarks.plan_growth import Calls, Counted, ratio_lines
from tests.small_facts import SmallFacts, claim

FACTS = SmallFacts([claim("Q1", "P84", "Q8"), claim("Q1", "P84", "Q9"), claim("Q2", "P84", "Q9")])


def test_a_store_counts_its_look_ups_and_the_rows_that_they_return():
    store = Counted(FACTS)
    assert store.language == FACTS.language and (store.lookups, store.rows) == (0, 0)
    assert store.claims("Q1") == FACTS.claims("Q1")
    assert (store.lookups, store.rows) == (1, 2)
    assert store.article("Q1") is None
    assert (store.lookups, store.rows) == (2, 2), "no row was found"
    assert len(list(store.subjects_by_value("P84"))) == 2
    assert (store.lookups, store.rows) == (3, 4)


def test_calls_are_counted_wherever_they_are_written():
    clock = Calls()
    try:
        before = clock()
        len("in C")
        many = [(lambda: None)() for _ in range(50)]
        after = clock()
    finally:
        sys.setprofile(None)
    assert 50 < after - before < 60 and len(many) == 50


def test_each_measure_has_the_ratio_of_the_two_stores():
    work = np.array([[[1, 10, 4, 2], [2, 10, 8, 3]]] * 5, dtype=float)
    seconds, lookups, rows = ratio_lines("chain", "CPU s", work)
    assert seconds == "| chain: CPU s | 1 | 2 | 2.00 [2.00, 2.00] | 10 and 15 |"
    assert "look-ups" in lookups and "| 1.00 [1.00, 1.00] |" in lookups
    assert "rows" in rows and "| 2.00 [2.00, 2.00] |" in rows
