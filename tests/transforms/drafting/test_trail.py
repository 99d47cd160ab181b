"""What a dropped seed says: its commonest refusal, and the first examples."""

from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.drafting.trail import MAX_EXAMPLES, Trail


def test_the_commonest_reason_is_told_ties_by_name_and_the_default_where_nothing_was_refused():
    trail = Trail()
    assert trail.outcome(Reason.NO_PATH) == (Reason.NO_PATH, {})
    for reason in (Reason.NO_PATH, Reason.LEAK, Reason.NO_PATH, Reason.LEAK, Reason.NO_FACT):
        trail.add_reason(reason, "x")
    reason, evidence = trail.outcome(Reason.NO_ANSWER)
    assert reason == min((Reason.NO_PATH, Reason.LEAK), key=lambda r: r.value)
    assert evidence["tried"] == {
        Reason.NO_FACT.value: 1,
        Reason.LEAK.value: 2,
        Reason.NO_PATH.value: 2,
    }
    trail.add_reason(Reason.NO_PATH, "x")
    assert trail.outcome(Reason.NO_ANSWER)[0] == Reason.NO_PATH


def test_the_first_three_refusals_are_kept_as_examples():
    trail = Trail()
    for number in range(5):
        trail.add(Refusal(reason=Reason.LEAK, evidence={"n": number}), f"try {number}")
    assert MAX_EXAMPLES == 3
    assert trail.examples == [
        {"what": f"try {n}", "reason": Reason.LEAK.value, "evidence": {"n": n}} for n in range(3)
    ]
