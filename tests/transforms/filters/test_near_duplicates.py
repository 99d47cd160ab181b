"""Alike is what the word triples themselves say: never below the threshold, hardly ever overlooked from it on."""

import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.transforms.filters import near_duplicates
from questloom.transforms.filters.near_duplicates import (
    MAX_BANDS,
    MISSED,
    alike,
    band_keys,
    banding,
    jaccard,
    triples,
)

SENTENCE = "in which year was the architect of lighthouse that stands by sea founded town where painter species shown here picture died"
WORDS = tuple(SENTENCE.split())
few_words = st.lists(st.sampled_from(WORDS[:4]), max_size=8).map(" ".join)
SIMILARITY = 0.85


def brute(members, similarity):
    """What `alike` must give, by comparing all with all."""
    found = {
        m: min(o for o in members if jaccard(triples(o[2]), triples(m[2])) >= similarity)
        for m in members
    }
    return {(m, first) for m, first in found.items() if m != first}


def ranked(texts):
    return [(f"{number:02}", f"q{number}", text) for number, text in enumerate(texts)]


def texts_at(shared: int, own: int, seed: int) -> tuple[str, str]:
    """Two texts of which `shared` triples are the same and `own` of each are not: they differ in their last words."""
    draws = random.Random(seed)
    same = [f"{draws.choice(WORDS)}{n}" for n in range(shared + 2)]
    return tuple(
        " ".join([*same, *(f"{draws.choice(WORDS)}{side}{n}" for n in range(own))]) for side in "xy"
    )


def share_a_band(first: str, second: str, similarity: float = SIMILARITY) -> bool:
    return not set(band_keys(first, "", similarity)).isdisjoint(band_keys(second, "", similarity))


def test_triples_are_runs_of_three_words_and_a_short_text_is_one_of_its_own():
    assert triples("a b c d") == {"a b c", "b c d"}
    assert triples("a b") == {"a b"}
    assert triples("") == {""}


@settings(deadline=None)
@given(
    st.lists(few_words, max_size=12),
    st.sampled_from([0.5, 0.6, 0.75, 0.85, 1.0]),
    st.integers(1, 13),
    st.randoms(use_true_random=False),
)
def test_no_pair_below_the_threshold_is_alike_none_from_it_on_is_overlooked_and_order_and_blocks_do_not_matter(
    texts, similarity, block, draws
):
    members = ranked(texts)
    draws.shuffle(members)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_duplicates, "BLOCK", block)
        assert set(alike(members, similarity)) == brute(members, similarity)


def test_the_threshold_itself_is_alike_and_one_triple_less_is_not():
    for shared, own, similarity in ((17, 3, 17 / 23), (11, 1, 11 / 13), (34, 3, 0.85)):
        members = ranked(texts_at(shared, own, 0))
        assert [len(found) for _, found in ((m, triples(m[2])) for m in members)] == [
            shared + own
        ] * 2
        assert list(alike(members, similarity)) == [(members[1], members[0])]
        assert list(alike(ranked(texts_at(shared - 1, own + 1, 0)), similarity)) == []


def test_a_band_in_common_does_not_make_two_texts_alike():
    """Fails where the exact check is left out."""
    met = [pair for seed in range(50) if share_a_band(*(pair := texts_at(19, 3, seed)))]
    assert len(met) > 25, "at 0.76 most pairs meet in some band"
    assert {jaccard(*map(triples, pair)) for pair in met} == {0.76}
    assert [found for pair in met for found in alike(ranked(pair), SIMILARITY)] == []


def test_fewer_than_one_pair_in_a_hundred_at_the_threshold_shares_no_band():
    pairs = [texts_at(34, 3, seed) for seed in range(1_500)]
    assert {jaccard(*map(triples, pair)) for pair in pairs} == {SIMILARITY}
    assert sum(not share_a_band(*pair) for pair in pairs) < 15


@pytest.mark.parametrize("similarity", [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0])
def test_the_bands_keep_the_promised_chance_for_every_threshold_of_a_recipe(similarity):
    bands, rows = banding(similarity)
    assert (1 - similarity**rows) ** bands <= MISSED
    assert bands <= MAX_BANDS


def test_texts_about_different_things_share_no_band():
    assert set(band_keys("who painted this", "Q1", SIMILARITY)).isdisjoint(
        band_keys("who painted this", "Q2", SIMILARITY)
    )


def test_the_keys_are_the_same_in_every_process():
    program = f"from questloom.transforms.filters.near_duplicates import band_keys; print(list(band_keys('who painted the tower', '', {SIMILARITY})))"
    environment = {"PYTHONHASHSEED": "7", "PYTHONPATH": ":".join(sys.path)}
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert printed.stdout.strip() == str(list(band_keys("who painted the tower", "", SIMILARITY)))


@pytest.mark.parametrize(
    ("similarity", "bands_and_rows"),
    [(0.85, (12, 6)), (0.5, (8, 1)), (0.95, (6, 10)), (0.6, (12, 2)), (1.0, (1, 10))],
)
def test_there_are_as_many_rows_as_twelve_bands_allow_and_no_more_bands_than_needed(
    similarity, bands_and_rows
):
    bands, rows = banding(similarity)
    assert (1 - similarity**rows) ** bands <= MISSED < (1 - similarity**rows) ** (
        bands - 1
    ) or bands == 1
    assert (bands, rows) == bands_and_rows and (MAX_BANDS, MISSED) == (12, 0.005)


def test_there_is_one_key_a_band_of_two_dozen_digits():
    keys = list(band_keys("who painted the tower", "", SIMILARITY))
    assert len(set(keys)) == 12 and {len(k) for k in keys} == {24}


def test_of_one_text_alone_nothing_is_alike_and_of_two_the_later_falls():
    assert list(alike(ranked(["a b c"]), 0.5)) == [] == list(alike([], 0.5))
    assert list(alike(ranked(["a b c", "a b c"]), 0.5)) == [
        (("01", "q1", "a b c"), ("00", "q0", "a b c"))
    ]


def test_a_similarity_that_twelve_bands_of_one_row_cannot_find_is_refused():
    assert banding(0.36) == (12, 1)
    with pytest.raises(ValueError, match="more than 12 bands"):
        banding(0.35)
