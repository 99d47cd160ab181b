"""The reward function that lies beside the rows: what it takes for right, and that it is never more lenient than the judge."""

import subprocess
import sys

import pytest

from questloom.agent.judges.answer import judge_by_rules
from questloom.pipeline.export import reward
from questloom.records.episodes import Outcome
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer

TOWER = Answer(
    value=Value(kind="entity", entity="Q1"),
    text="Tower of Hérault",
    type="entity",
    aliases=("Hérault Tower",),
)
DAY = Answer(
    value=Value(kind="time", time="+1823-03-12T00:00:00Z", precision=11),
    text="12 March 1823",
    type="date",
    precision="day",
    aliases=("March 12, 1823", "1823-03-12"),
)
HEIGHT = Answer(
    value=Value(kind="quantity", number=12_500),
    text="12500",
    type="quantity",
    unit="metre",
    aliases=("12,500",),
)
COLD = Answer(
    value=Value(kind="quantity", number=-3.5), text="-3.5", type="quantity", unit="degree"
)


def said(answer, text, reply="<think>So.</think>\n<answer>{}</answer>"):
    return reward.score(
        reply.format(text), [answer.text, *answer.aliases], answer.type, answer.unit
    )


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (TOWER, "the tower of herault"),
        (TOWER, "“Hérault Tower”."),
        (DAY, "12 March 1823"),
        (DAY, "1823-03-12"),
        (HEIGHT, "12,500 metres"),
        (HEIGHT, "12500"),
        (HEIGHT, "12500.0 metre"),
        (COLD, "-3.5 degrees"),
    ],
)
def test_the_answer_in_other_case_accents_or_numerals_is_right_and_the_judge_agrees(answer, text):
    assert said(answer, text) == 1.0
    assert judge_by_rules(answer, text).outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (TOWER, "Tower of Hérault or Tower of Lodève"),
        (TOWER, "tower"),
        (TOWER, ""),
        (TOWER, "..."),
        (DAY, "13 March 1823"),
        (DAY, "1823"),
        (HEIGHT, "1250"),
        (HEIGHT, "12500 kilometres"),
        (HEIGHT, "12500 or 13000"),
        (HEIGHT, "about 12500 feet"),
        (COLD, "3.5 degrees"),
        (COLD, "-35 degrees"),
    ],
)
def test_another_answer_is_wrong(answer, text):
    assert said(answer, text) == 0.0


@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        "<think>{}</think>",
        "<answer>{}</answer> or not",
        "<answer>Lodève</answer><answer>no</answer>{}",
    ],
)
def test_only_what_ends_the_reply_as_an_answer_counts(reply):
    assert said(TOWER, "Tower of Hérault", reply) == 0.0


def test_each_tool_calls_it_in_its_own_way():
    reply, more = (
        "<answer>12,500 metres</answer><|im_end|>",
        {"answers": ["12500"], "answer_type": "quantity", "answer_unit": "metre"},
    )
    assert reward.compute_score("questloom/demo", reply, "12500", more) == 1.0
    assert reward.compute_score("questloom/demo", reply, "12500") == 0.0
    messages = [
        [{"role": "assistant", "content": [{"type": "text", "text": reply}]}],
        [{"role": "assistant", "content": "<answer>9</answer>"}],
    ]
    assert reward.answer_reward(
        messages, [["12500"]] * 2, ["quantity"] * 2, ["metre"] * 2, prompts=None
    ) == [1.0, 0.0]


def test_its_copy_in_the_data_set_runs_without_questloom(exported):
    lines = [
        "import sys",
        f"sys.path.insert(0, {str(exported / 'formats')!r})",
        "import reward",
        "print(reward.compute_score('', '<answer>a</answer>', 'A'))",
    ]
    done = subprocess.run(
        [sys.executable, "-B", "-I", "-S", "-c", "\n".join(lines)], capture_output=True, text=True
    )
    assert done.stdout == "1.0\n", done.stderr


@pytest.mark.parametrize("reply", [None, 5, ""])
def test_what_is_no_reply_earns_nothing(reply):
    assert reward.compute_score("", reply, "A") == 0.0 and reward.answer_reward([[]], [["A"]]) == [
        0.0
    ]
    assert reward.answer_reward([[{"role": "assistant", "content": None}]], [["A"]]) == [0.0]
