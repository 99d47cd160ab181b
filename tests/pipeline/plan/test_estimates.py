"""Ranges: worked numbers of the arithmetic that every forecast rests on."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questloom.pipeline.plan.estimates import ZERO, Range, exactly, mean_of, share_of
from questloom.pipeline.plan.priors import around

numbers = st.floats(0.001, 1e6)
ranges = st.lists(numbers, min_size=3, max_size=3).map(lambda v: Range(*sorted(v)))


def test_relative_errors_of_a_product_add_up_by_squares():
    product = Range(5, 10, 20) * Range(1, 2, 4)
    assert product.likely == 20
    assert product.low == pytest.approx(20 / 2 ** math.sqrt(2))
    assert product.high == pytest.approx(20 * 2 ** math.sqrt(2))


def test_a_known_factor_only_scales():
    product = Range(5, 10, 20) * exactly(3)
    assert (product.low, product.likely, product.high) == pytest.approx((15, 30, 60))
    assert Range(5, 10, 20) * ZERO == ZERO


@given(ranges, ranges)
def test_products_and_sums_keep_their_order(a, b):
    for found in (a * b, a + b):
        assert found.low <= found.likely * (1 + 1e-9) and found.likely <= found.high * (1 + 1e-9)


def test_a_measured_share_lies_near_what_was_counted_and_narrows_with_more_items():
    prior = Range(0.1, 0.5, 0.9)
    few, many = share_of(8, 10, prior), share_of(800, 1000, prior)
    assert few.likely == pytest.approx(10 / 14)
    assert many.likely == pytest.approx(0.8, abs=0.002)
    assert many.high - many.low < (few.high - few.low) / 5
    assert share_of(0, 0, prior).likely == 0.5


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_share_stays_between_none_and_all(kept, more):
    found = share_of(kept, kept + more, Range(0.2, 0.5, 0.8))
    assert 0 <= found.low <= found.likely <= found.high <= 1


def test_a_mean_of_many_has_its_standard_error_and_of_one_the_priors_spread():
    many = mean_of([1.0, 2.0, 3.0, 4.0, 5.0], exactly(1))
    assert (many.likely, many.high) == pytest.approx((3, 3 + 1.645 * math.sqrt(2.5 / 5)))
    assert mean_of([10.0], Range(1, 2, 4)) == Range(5, 10, 20)
    assert mean_of([], Range(1, 2, 4)) == Range(1, 2, 4)


def test_a_prior_share_moves_by_odds():
    found = around(50, 100, 3)
    assert (found.low, found.likely, found.high) == pytest.approx((0.25, 0.5, 0.75))
