"""The two cases: tools break down in a share of the episodes and for good, a policy is taught to call rarely, arms are compared within seeds."""

import asyncio
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.failing_tools import BROKEN, BreakingToolBox
from benchmarks.learning_cases import CASES, draw, means, rare_rows, table
from questloom.agent.turns.image_bank import ImageBank
from questloom.records.episodes import ToolCall, ToolStatus
from questloom.train.settings.grpo_settings import load_grpo_settings
from tests.agent.small_provider import toolbox

SEARCH = ToolCall(name="text_search", arguments={"query": "bridge"})


def called(box, *turns: int) -> list[str]:
    """The statuses of a search in these turns of one episode."""
    mine = box.for_task(frozenset())
    return [asyncio.run(mine.call(SEARCH, ImageBank(), turn=turn)).status for turn in turns]


def test_tools_break_down_for_good_in_about_the_share_that_was_asked_for():
    box = BreakingToolBox(toolbox(), 0.4, random.Random(1))
    episodes = [called(box, 0, 1, 2) for _ in range(200)]
    assert {tuple(each) for each in episodes} == {
        ("ok",) * 3,
        ("model_fault",) * 3,
        ("ok", "model_fault", "model_fault"),
    }
    assert (
        60 < sum(each[2] != "ok" for each in episodes) < 100
        and BROKEN.status == ToolStatus.MODEL_FAULT
    )
    assert box.schemas() == toolbox().schemas()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_none_or_all_break(share):
    found = called(BreakingToolBox(toolbox(), share, random.Random(1)), 0, 1)
    assert (found == ["ok", "ok"]) == (share == 0)


def test_most_rows_are_cut_to_an_answer_that_another_row_has_and_some_keep_their_calls(tmp_path):
    folder = tmp_path / "run" / "dataset" / "formats" / "sharegpt" / "trajectories_train"
    folder.mkdir(parents=True)
    rows = [
        {
            "conversations": [
                {"from": "human", "value": f"<image>\nWho {n}?"},
                {"from": "gpt", "value": f"<think>tower {n}</think>\n<tool_call>{{}}</tool_call>"},
                {"from": "human", "value": "found"},
                {"from": "gpt", "value": f"<think>so</think>\n<answer>Name {n}</answer>"},
            ],
            "images": [{"bytes": b"picture", "path": None}],
            "system": "Look.",
        }
        for n in range(200)
    ]
    pq.write_table(pa.Table.from_pylist(rows), folder / "part-0.parquet")
    made = rare_rows(tmp_path / "run", random.Random(0))
    whole = [row for row in made if len(row["conversations"]) == 4]
    cut = [row for row in made if len(row["conversations"]) == 2]
    assert len(whole) + len(cut) == 200 and 8 < len(whole) < 35
    assert (
        cut[0]["conversations"][1]["value"].startswith("<think>tower")
        and "<answer>Name " in cut[0]["conversations"][1]["value"]
    )
    assert (
        all("tool_call" not in row["conversations"][1]["value"] for row in cut)
        and Path(made[0]["images"][0]).read_bytes() == b"picture"
    )


def trained(folder: Path, level: float) -> Path:
    folder.mkdir()
    lines = [
        {"update": n, "reward": level * n, "tool_use": level, "all_wrong": 0.5, "turns": 3.0}
        for n in range(1, 11)
    ]
    (folder / "metrics.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    return folder


def test_arms_are_compared_within_seeds_over_the_steps_that_all_have(tmp_path):
    runs = {
        "grpo": [trained(tmp_path / f"g{n}", 0.01 * n) for n in (1, 2)],
        "axpo": [trained(tmp_path / f"a{n}", 0.01 * n + 0.02) for n in (1, 2)],
    }
    told = table(CASES["rare"], runs, 8)
    first = next(line for line in told if "first half" in line and "axpo" in line)
    assert "more: 0.050 ± 0.000" in first, "0.02 × (1 + 2 + 3 + 4) / 4, in either seed"
    assert means([(n, float(n)) for n in range(1, 9)], "reward") == {
        "first half": 2.5,
        "last 5": 6.0,
    }
    draw(CASES["rare"], runs, 8, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("case", "arm"), [(name, arm) for name, case in CASES.items() for arm in case.arms]
)
def test_every_arm_is_settings_that_the_trainer_takes(case, arm):
    assert load_grpo_settings("grpo-learning", CASES[case].arms[arm]).step.questions == 12
