"""A ladder: one tree at several sizes, with the same picture and the same answer."""

from dataclasses import replace

import pytest

from questloom.records.form import Image
from questloom.records.plan import PlannedSeed
from questloom.records.synthesis import Seed
from questloom.transforms.planning.planner import plan_seed
from questloom.transforms.planning.shapes import ladder
from tests.transforms.planning.coast import ground, novel

ROUNDS = {"medium": 2, "hard": 3}
AT = replace(ground(rounds=ROUNDS), ladder=tuple(ROUNDS))


def seed(level: str, thing: str = novel(3)) -> Seed:
    return Seed(entity_id=thing, method="injection", rule="rare", level=level, domain="other")


def hidden(plan) -> dict[str, str]:
    return {var: key for var, key in plan.bindings.items() if var[0] in "xy" and var != "x0"}


def test_all_sizes_have_one_picture_and_one_answer_and_each_hides_what_the_smaller_one_hides():
    planned = [plan_seed(AT, seed(level)) for level in ROUNDS]
    assert all(isinstance(p, PlannedSeed) and len(p.plans) == 1 for p in planned)
    rungs = [p.plans[0] for p in planned]
    assert [len(hidden(plan)) for plan in rungs] == [2, 3]
    assert len({(plan.bindings["x0"], plan.answer.text) for plan in rungs}) == 1
    small, large = rungs
    assert hidden(small).items() < hidden(large).items()
    assert small.logical_form.of(Image) == large.logical_form.of(Image)


def test_if_one_size_has_no_certificate_the_ladder_has_no_question_at_any_size():
    strict = replace(AT, certificate=replace(AT.certificate, max_guess=-1.0))
    assert not any(isinstance(plan_seed(strict, seed(level)), PlannedSeed) for level in ROUNDS)
    # The tallest tree needs more names than this coast has.
    tall = replace(AT, draft=replace(AT.draft, rounds={"medium": 2, "hard": 9}))
    assert not any(isinstance(plan_seed(tall, seed(level)), PlannedSeed) for level in ROUNDS)


def test_a_name_that_leaks_at_one_size_refuses_the_ladder_at_every_size(monkeypatch):
    def leaks_when_tallest(at, form, bindings, answer) -> bool:
        return sum(var[0] in "xy" and var != "x0" for var in bindings) == max(ROUNDS.values())

    monkeypatch.setattr(ladder, "names_leak", leaks_when_tallest)
    assert not any(isinstance(plan_seed(AT, seed(level)), PlannedSeed) for level in ROUNDS)


@pytest.mark.parametrize("level", ROUNDS)
def test_without_ladders_a_tree_is_grown_for_its_level_alone(level):
    planned = plan_seed(replace(AT, ladder=()), seed(level))
    assert isinstance(planned, PlannedSeed) and len(planned.plans) > 1
