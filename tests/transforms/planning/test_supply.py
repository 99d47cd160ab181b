"""A level that a store cannot give is said by name before any word, with the bound that refused most."""

from collections import Counter

import pytest

from questloom.records.errors import InputError
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import PlannedSeed
from questloom.records.synthesis import Seed
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.planning.supply import FEW, Supply, check_supply, supply_of
from questloom.transforms.stages.stage import reject


def seed(level: str, number: int) -> Seed:
    return Seed(entity_id=f"Q{number}", method="paths", rule="rare", level=level, domain="other")


def planned(level: str, num: int) -> list[PlannedSeed]:
    return [PlannedSeed(seed=seed(level, n)) for n in range(num)]


def dropped(level: str, num: int, reason: Reason = Reason.NO_DESCRIPTION) -> list[Rejection]:
    return [reject(seed(level, n), reason, {"level": level, "refused": {}}) for n in range(num)]


def test_seeds_are_counted_by_level_and_errors_of_ours_are_not():
    broken = reject(seed("hard", 9), Reason.ERROR, "Traceback")
    gone = [*dropped("hard", 3), *dropped("hard", 1, Reason.GUESSABLE), broken]
    found = supply_of([*planned("easy", 2), *planned("hard", 1)], gone)
    assert (found["easy"].seeds, found["easy"].planned) == (2, 2)
    assert (found["hard"].seeds, found["hard"].planned) == (5, 1)
    assert found["hard"].most == "no_description 3, guessable 1"


def test_the_two_commonest_refusals_and_lacks_are_named():
    counted = Counter({"a": 3000, "b": 2, "c": 1})
    found = Supply(refused=counted, lacks=counted)
    assert (found.most, found.lacking) == ("a 3,000, b 2", "; lacking most: a 3,000, b 2")
    assert (Supply().most, Supply().lacking) == ("none", "")


def test_a_level_without_plans_stops_the_run_by_name_and_reason():
    found = supply_of(planned("easy", 30), dropped("hard", FEW + 1))
    with pytest.raises(InputError, match=r"21 seeds of the level hard 0 have.*no_description 21"):
        check_supply(found, SeedRules(), "store")
    check_supply(supply_of(planned("easy", 30), dropped("hard", FEW)), SeedRules(), "store")
    check_supply(supply_of(planned("hard", 1), dropped("hard", FEW + 1)), SeedRules(), "store")


def test_fewer_plans_than_wanted_stop_it_where_the_recipe_says_so():
    found = supply_of([*planned("easy", 30), *planned("hard", 9)], dropped("hard", 5))
    levels = {"easy": 0.5, "hard": 0.5}
    strict = SeedRules(levels=levels, accepted=20, on_exhausted="error")
    with pytest.raises(InputError, match=r"14 seeds of the level hard 9 have.*10 questions"):
        check_supply(found, strict, "store")
    check_supply(found, SeedRules(levels=levels, accepted=18, on_exhausted="error"), "store")
    check_supply(found, SeedRules(levels=levels, accepted=20), "store")
    unwanted = supply_of(planned("easy", 30), dropped("hard", FEW))
    only_easy = SeedRules(levels={"easy": 1.0}, accepted=18, on_exhausted="error")
    check_supply(unwanted, only_easy, "store")
    unseeded = supply_of(planned("easy", 30), [])
    with pytest.raises(InputError, match=r"0 seeds of the level hard 0 have"):
        check_supply(unseeded, strict, "store")
