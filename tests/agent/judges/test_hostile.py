"""Nothing that hedges, lists, denies, echoes or injects is accepted by rules."""

from pathlib import Path

import pytest
import yaml

from questloom.agent.judges.answer import judge_by_rules
from questloom.records.episodes import Outcome
from questloom.records.knowledge import Value, entity_value
from questloom.records.synthesis import Answer

GROUPS = yaml.safe_load((Path(__file__).parent / "hostile.yaml").read_text(encoding="utf-8"))


def answer_of(row) -> Answer:
    """The typed answer that a group of the file describes."""
    value = {
        "entity": lambda: entity_value("Q1"),
        "string": lambda: Value(kind="string", text=row["text"]),
        "date": lambda: Value(kind="time", time=row["time"], precision=row["precision"]),
        "quantity": lambda: Value(kind="quantity", number=float(row["number"])),
    }[row["type"]]()
    return Answer(
        value=value,
        text=row["text"],
        type=row["type"],
        aliases=tuple(row.get("aliases", ())),
        unit=row.get("unit", ""),
        precision=row.get("asked", ""),
    )


CASES = [
    (group, kind, said)
    for group in GROUPS
    for kind, words in group["said"].items()
    for said in map(str, words)
]


@pytest.mark.parametrize(
    ("group", "kind", "said"), CASES, ids=[f"{kind}: {said[:40]}" for _, kind, said in CASES]
)
def test_a_hostile_answer_is_not_accepted_without_a_model(group, kind, said):
    assert (
        judge_by_rules(answer_of(group["answer"]), said, question=group["question"]).outcome
        is not Outcome.CORRECT
    )


@pytest.mark.parametrize("group", GROUPS, ids=[g["answer"]["text"] for g in GROUPS])
def test_the_expected_answer_itself_is_accepted_in_every_group(group):
    assert (
        judge_by_rules(
            answer_of(group["answer"]), group["answer"]["text"], question=group["question"]
        ).outcome
        is Outcome.CORRECT
    )


def test_the_set_is_large_enough_to_mean_something():
    assert len(CASES) >= 60


@pytest.mark.parametrize(
    "said",
    [
        "James Cameron " * 20_000,
        "James Cameron, " + "x" * 1_000_000,
        "\n".join(f"{n}. James Cameron" for n in range(10_000)),
        "\\boxed{" * 50_000 + "James Cameron" + "}" * 50_000,
        "Answer: " * 100_000 + "James Cameron",
    ],
)
def test_a_huge_answer_is_read_in_no_time_and_not_accepted(said):
    answer = answer_of(GROUPS[0]["answer"])
    judged = judge_by_rules(answer, said, question=GROUPS[0]["question"])
    assert judged.outcome is Outcome.WRONG and len(judged.given) <= 1_500


@pytest.mark.parametrize(
    "said",
    [
        "",
        "  \n",
        "—",
        "...",
        "N/A",
        "I don't know.",
        "I'm sorry, but I cannot determine the answer.",
        "Unknown",
        "The answer cannot be determined from the image.",
        "None",
        "Final answer: unknown",
        "I could not find it.",
    ],
)
def test_no_answer_is_its_own_outcome(said):
    assert (
        judge_by_rules(answer_of(GROUPS[0]["answer"]), said, question=GROUPS[0]["question"]).outcome
        is Outcome.NO_ANSWER
    )
