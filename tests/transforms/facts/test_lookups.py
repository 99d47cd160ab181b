"""`Lookups` answers what its store answers, and keeps what is derived for itself alone."""

import copy
import pickle

from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.trust import Trust
from questloom.transforms.facts.values import is_functional
from tests.small_facts import SmallFacts, claim

DOUBLED = [claim(f"Q{n}", "P84", "Q9") for n in range(30)] + [claim("Q0", "P84", "Q8")]


def test_it_answers_by_the_stores_own_methods():
    facts = SmallFacts(DOUBLED)
    lookups = Lookups(facts)
    for name in (n for n in vars(Facts) if not n.startswith("_")):
        assert getattr(lookups, name) == getattr(facts, name)


def test_two_beliefs_in_one_store_share_no_answer():
    facts = SmallFacts(DOUBLED)
    strict, lax = Lookups(facts, Trust(measured=0.995)), Lookups(facts, Trust(measured=0.9))
    assert not is_functional(strict, "P84", ("Qc",))
    assert is_functional(lax, "P84", ("Qc",))
    assert not is_functional(strict, "P84", ("Qc",))


def test_a_copy_and_a_pickle_start_without_answers_and_keep_the_belief():
    lookups = Lookups(SmallFacts(DOUBLED), Trust(measured=0.9))
    assert is_functional(lookups, "P84", ("Qc",))
    for other in (copy.copy(lookups), pickle.loads(pickle.dumps(lookups))):
        assert other.trust == lookups.trust and "_remembered" not in vars(other)
        assert is_functional(other, "P84", ("Qc",))
