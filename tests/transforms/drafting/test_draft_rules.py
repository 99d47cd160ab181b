"""The defaults of seeds and drafts are what the papers publish, and what is ours is as the documents say."""

import pytest
from pydantic import TypeAdapter, ValidationError

from questloom.records.synthesis import ABILITIES
from questloom.transforms.drafting.draft_rules import (
    DOMAINS,
    DraftRules,
    ExploreRules,
    SeedRules,
    Share,
    Weight,
)


def test_seeds_have_the_published_thresholds():
    rules = SeedRules()
    assert (
        rules.rare_max_sitelinks,
        rules.rare_min_statements,
        rules.anchor_min_in_degree,
        rules.anchor_max_in_degree,
    ) == (10, 20, 50, 10_000)
    assert (rules.count, dict(rules.methods), dict(rules.rules), dict(rules.domains)) == (
        1000,
        {"paths": 1, "injection": 1},
        {"rare": 1, "anchor": 1},
        {},
    )
    assert dict(rules.levels) == {"easy": 0.4, "medium": 0.3, "hard": 0.3}
    assert (rules.readable, rules.per_entity, rules.living_people, rules.exclude) == (
        1.0,
        1,
        False,
        (),
    )
    assert DOMAINS == ("artifact", "building_or_place", "location", "organism", "other", "person")


def test_drafts_have_the_published_lengths_and_bounds():
    rules = DraftRules()
    assert dict(rules.hops) == {"easy": 2, "medium": 3, "hard": 4, "benchmark": 4}
    assert dict(rules.rounds) == {"easy": 1, "medium": 3, "hard": 5, "benchmark": 10}
    assert (rules.max_hub, rules.max_answer_words) == (10_000, 6)
    assert (rules.max_clauses, rules.max_words) == (3, 110)
    assert (rules.reverse_share, rules.detail_share, rules.computation_share) == (0.5, 0.2, 0.2)


def test_a_cluster_has_more_claims_the_harder_its_level():
    assert dict(ExploreRules().claims) == {
        "easy": 2,
        "medium": 3,
        "hard": 4,
        "expert": 5,
        "benchmark": 5,
    }


def test_what_the_papers_do_not_have_is_on_or_off_as_the_documents_say():
    assert DraftRules().own_page is True
    assert dict(SeedRules().abilities) == dict.fromkeys(ABILITIES, 1.0)


@pytest.mark.parametrize(
    ("kind", "taken", "refused"),
    [
        (Share, (0, 0.5, 1), (-0.01, 1.01)),
        (Weight, (0, 0.5, 7), (-0.01,)),
    ],
)
def test_a_share_and_a_weight_have_their_bounds(kind, taken, refused):
    adapter = TypeAdapter(kind)
    for value in taken:
        assert adapter.validate_python(value) == value
    for value in refused:
        with pytest.raises(ValidationError):
            adapter.validate_python(value)


@pytest.mark.parametrize("name", ["methods", "rules", "levels", "abilities"])
def test_a_table_of_weights_has_one_or_more_of_its_own_keys_and_no_weight_below_0(name):
    adapter = TypeAdapter(SeedRules)
    for key in getattr(SeedRules(), name):
        assert getattr(adapter.validate_python({name: {key: 0}}), name) == {key: 0}
        for table in ({}, {key: -1}, {key: 1, "another": 1}):
            with pytest.raises(ValidationError):
                adapter.validate_python({name: table})
