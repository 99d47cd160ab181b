"""Pass@k is unbiased, and intervals hold the truth as often as they say when attempts at one question hang together."""

import itertools
import math

import numpy as np
import pytest

from questloom.eval.statistics import clustered, pass_at_k


def test_pass_at_k_is_the_mean_over_all_draws_of_k_attempts():
    for n, c in itertools.product(range(1, 7), range(7)):
        if c <= n:
            attempts = [True] * c + [False] * (n - c)
            for k in range(1, n + 1):
                draws = [any(draw) for draw in itertools.combinations(attempts, k)]
                assert pass_at_k(n, c, k) == pytest.approx(sum(draws) / len(draws))


def test_intervals_over_questions_cover_and_intervals_over_attempts_would_not():
    draw, covered, naive = np.random.default_rng(0), 0, 0
    for seed in range(200):
        skill = draw.beta(0.4, 0.8, size=60)  # mean 1/3, questions differ much
        values = draw.binomial(8, skill) / 8
        found = clustered([float(v) for v in values], seed=seed)
        covered += found.low <= 1 / 3 <= found.high
        half = 1.96 * math.sqrt(values.mean() * (1 - values.mean()) / 480)
        naive += abs(values.mean() - 1 / 3) <= half
    assert 0.90 <= covered / 200 <= 0.99 and naive / 200 < 0.7


def test_questions_that_all_have_one_value_still_have_an_interval():
    assert (
        clustered([0.0] * 20).high == pytest.approx(1 - 0.025 ** (1 / 20))
        and clustered([0.0] * 20).low == 0
    )
    assert (
        clustered([1.0] * 20).low == pytest.approx(0.025 ** (1 / 20))
        and clustered([1.0] * 20).high == 1
    )
    assert clustered([]).as_json()["low"] == 0


def test_the_same_values_and_seed_give_the_same_interval():
    assert clustered([0, 1, 0.5, 1], seed=3) == clustered([0, 1, 0.5, 1], seed=3)
