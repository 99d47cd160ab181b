"""Which shapes a seed's method asks, how large they are, and why a seed has no plan."""

from dataclasses import replace

import pytest

from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import PlannedSeed
from questloom.records.synthesis import Seed
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.planning.planner import plan_seed, plans_of, size_of
from tests.transforms.planning.coast import architect, ground, lighthouse, novel

AT = ground(hops={"easy": 1, "medium": 2, "hard": 4}, rounds={"easy": 1, "medium": 2, "hard": 3})


def seed(method: str, level: str, entity_id: str) -> Seed:
    return Seed(entity_id=entity_id, method=method, rule="rare", level=level, domain="other")


@pytest.mark.parametrize(
    ("method", "level", "size"),
    [
        ("paths", "easy", 2),
        ("paths", "hard", 5),
        ("injection", "easy", 1),
        ("injection", "hard", 3),
    ],
)
def test_the_size_is_the_recipes_hops_and_the_asked_one_or_its_rounds(method, level, size):
    assert size_of(AT, seed(method, level, "Q1")) == size


def test_paths_have_meets_and_chains_and_injection_has_trees():
    found = plans_of(AT, seed("paths", "hard", lighthouse(3)))
    shapes = {p.shape for p in found.plans}
    assert shapes == {"chain", "meet"}
    meet = next(p for p in found.plans if p.shape == "meet")
    assert meet.route.treewidth == 2 and meet.bindings["x4"] == novel(63)
    trees = plans_of(AT, seed("injection", "medium", novel(3)))
    assert {p.shape for p in trees.plans} == {"tree"}
    calls = [p.route.calls for p in found.plans]
    assert calls == sorted(calls, reverse=True) and calls[0] > calls[-1]


def test_a_seed_of_another_method_goes_on_without_plans():
    other = plan_seed(AT, seed("external", "easy", lighthouse(3)))
    assert isinstance(other, PlannedSeed) and other.plans == ()


def test_a_seed_goes_on_with_its_plans_or_says_what_refused_most():
    planned = plan_seed(AT, seed("paths", "easy", lighthouse(3)))
    assert isinstance(planned, PlannedSeed) and planned.plans and planned.entity_id == lighthouse(3)
    strict = replace(AT, certificate=CertificateRules(margin=1, max_guess=-1.0))
    refused = plan_seed(strict, seed("paths", "easy", lighthouse(3)))
    assert isinstance(refused, Rejection) and refused.reason == Reason.GUESSABLE.value
    nowhere = plan_seed(AT, seed("paths", "easy", "Q999999"))
    assert isinstance(nowhere, Rejection) and nowhere.reason == Reason.NO_PATH.value


def test_the_order_of_the_draw_is_the_seeds_own():
    one, other = (
        [p.bindings for p in plans_of(at, seed("paths", "medium", architect(3))).plans]
        for at in (AT, replace(AT, recipe_seed=1))
    )
    assert one == other
