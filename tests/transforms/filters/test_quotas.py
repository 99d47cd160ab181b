"""Quotas: nothing lies on too many questions, and as few as possible go for it."""
import random

import pytest

from transforms.filters.quotas import Parts, QuotaRules, over_quota


def parts(number: int, nodes: tuple[str, ...], relations: tuple[str, ...] = ()) -> Parts:
    return Parts(f"q{number:03}", f"{number:03}", nodes, relations)


def kept(found: list[Parts], rules: QuotaRules) -> list[Parts]:
    gone = dict(over_quota(found, rules))
    return [p for p in found if p.id not in gone]


@pytest.mark.parametrize("num_hub", [10, 60, 150])
def test_no_node_is_on_more_than_its_share_of_the_kept_questions(num_hub):
    found = [parts(i, ("Qhub" if i < num_hub else f"Qown{i}", f"Qpic{i}")) for i in range(200)]
    stay = kept(found, QuotaRules(node=0.05, relation=1.0, least=1))
    share = sum("Qhub" in p.nodes for p in stay) / len(stay)
    assert share <= 0.05
    assert sum("Qhub" not in p.nodes for p in stay) == 200 - num_hub, "none that is not on the hub has to go"


def test_a_relation_of_every_question_is_cut_to_its_least_number():
    found = [parts(i, (f"Q{i}",), ("P170",)) for i in range(50)]
    assert len(kept(found, QuotaRules(relation=0.4, least=7))) == 7


def test_the_questions_with_rare_things_are_kept_before_those_with_common_ones():
    found = [parts(i, ("Qa", "Qhub")) for i in range(8)] + [parts(8, ("Qa", "Qrare"))]
    stay = kept(found, QuotaRules(least=3, node=0.01))
    assert len(stay) == 3 and found[8] not in stay[:0] and any(p.id == "q000" for p in stay)
    lone = [parts(9, ("Qlone",))]
    assert lone[0] in kept([*found, *lone], QuotaRules(least=3, node=0.01))


def test_what_is_within_its_share_stays_and_the_reason_names_what_is_not():
    found = [parts(i, ("Qhub",)) for i in range(4)]
    assert dict(over_quota(found, QuotaRules(least=3, node=0.01))) == {"q003": "Qhub"}
    assert not dict(over_quota(found, QuotaRules(least=4, node=0.01)))


def test_the_order_in_which_questions_come_changes_nothing():
    found = [parts(i, (f"Q{i % 7}", f"Q{i % 13}"), (f"P{i % 3}",)) for i in range(80)]
    rules = QuotaRules(node=0.1, relation=0.3, least=2)
    shuffled = random.Random(4).sample(found, len(found))
    assert sorted(over_quota(found, rules)) == sorted(over_quota(shuffled, rules))
