"""Runs and episodes as files, for tests of what reads only those: questions with pictures, and what a policy is said to have played of them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from questloom.files.parquet import write_records, write_whole
from questloom.pipeline.recipe import Recipe
from questloom.records.episodes import BankImage, Episode, ToolCall, ToolResult, Turn
from questloom.records.identity import sha256_hex
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question
from questloom.records.table import Json
from questloom.records.trajectories import Trajectory
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.episodes.tool_statistics import statistics_of
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage_shards import shard_facts
from tests.agent import tiny
from tests.pipeline.evolve.asked import question


@dataclass(frozen=True)
class Try:
    """One rollout.

    Args:
        outcome: "correct", or the reason for which its answer was rejected.
        chain: tools called, with the status of each where it is not "ok": "visit!provider_fault".
        process: why its process was rejected.
    """

    said: str = "x"
    outcome: str = "correct"
    chain: tuple[str, ...] = ("visit",)
    process: str = ""


def asked(number: int, **fields: Any) -> Question:
    """A question with a picture of its own."""
    fields = {"anchor": f"Q{100 + number}", "seed_entity": f"Q{200 + number}", **fields}
    made = question(f"q{number}").replace(**fields)
    picture = sha256_hex(tiny.picture(number))
    return made.replace(
        image_id=made.image_id or picture, source_image_id=made.source_image_id or picture
    )


def a_run(
    run: RunFolder, recipe: Recipe, *shards: Sequence[Question], store: str = "d"
) -> RunFolder:
    """A finished run: a question's picture is `tiny.picture` of its number."""
    facts = {"recipe": recipe.resolved(), "fingerprint": recipe.fingerprint, "store": store}
    write_whole(run.recipe, (json.dumps(facts) + "\n").encode())
    for shard, questions in enumerate(shards):
        num = len(questions)
        write_records(
            run.shard("09-split", "kept", shard),
            Question,
            list(questions),
            **shard_facts(facts["fingerprint"], "", (num, num, 0, 0, num)),
        )
        for number in range(40):
            data = tiny.picture(number)
            if sha256_hex(data) in {q.image_id for q in questions}:
                write_whole(run.picture(sha256_hex(data)), data)
    return run


def episode_of(task: Question, number: int, played: Try) -> Episode:
    """The episode of a try: a turn a call, and one that answers."""
    turns = []
    for call in played.chain:
        name, _, status = call.partition("!")
        turns.append(
            Turn(
                text=f"calls {name}",
                call=ToolCall(name=name, arguments=Json({"query": "ä"})),
                result=ToolResult(status=status or "ok", text=f"what {name} says"),
                num_new_tokens=5,
            )
        )
    turns.append(Turn(text=f"says {played.said}", answer=played.said, num_new_tokens=5))
    shown = BankImage(handle=0, sha256=task.image_id, width=100, height=80, origin="task")
    return Episode(
        task_id=task.id,
        rollout=number,
        engine="oracle",
        model="m",
        question=task.text,
        turns=tuple(turns),
        images=(shown,),
        end="answered",
        answer=played.said,
    )


def a_trajectory(task: Question, number: int, played: Try) -> Trajectory:
    """A try as the stage that plays writes it."""
    made = episode_of(task, number, played)
    return Trajectory(
        question_id=task.id,
        seed_id=task.seed_id,
        split="rl/train",
        level=task.level,
        method=task.method,
        domain=task.domain,
        language="en",
        answer=task.answer,
        image_id=task.image_id,
        source_image_id=task.source_image_id,
        episode=made,
        statistics=statistics_of(made),
    )


def played(run: RunFolder, policy: str, *tries: tuple[Question, Sequence[Try]]) -> EpisodeFolder:
    """What a policy played of a run, judged; in two shards, and in no order."""
    out = EpisodeFolder.of(run, policy)
    rows = [
        (a_trajectory(task, number, each), each)
        for task, mine in tries
        for number, each in enumerate(mine)
    ][::-1]
    for shard in (0, 1):
        mine = rows[shard::2]
        write_records(out.shard("02-play", "kept", shard), Trajectory, [t for t, _ in mine])
        good = [(t, each) for t, each in mine if each.outcome == "correct"]
        for label, lost in (
            ("03-answer", [(t, e.outcome) for t, e in mine if e.outcome != "correct"]),
            ("04-process", [(t, e.process) for t, e in good if e.process]),
        ):
            write_records(
                out.shard(label, "rejected", shard),
                Rejection,
                [
                    Rejection(item_id=t.id, seed_id=t.seed_id, stage=label[3:], reason=why)
                    for t, why in lost
                ],
            )
        write_records(
            out.shard("05-keep", "kept", shard),
            Trajectory,
            [t for t, each in good if not each.process],
        )
    write_whole(out.recipe, b"{}")
    write_whole(out.at("prompt.json"), b'{"prompt": "Look."}')
    for task, _ in tries:
        write_whole(out.at("pictures", f"{task.image_id}.jpg"), run.read_picture(task.image_id))
    return out
