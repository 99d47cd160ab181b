"""Plants failures in the recipe or the world of an improvement loop. Tests whether the loop's
diagnosis finds each failure, and whether its edits mend the failure.

    python -m benchmarks.planted_failures OUT [--seeds 1 2] [--tasks 8] [--only leaking …]

The script makes a store of 400 articles. The script then runs one loop for each failure and each
random seed. Nothing is trained. The policy (the agent in training) is here an oracle with limited
skill (`tests/pipeline/evolve/skilled.py`). An oracle is a program that knows the answers. The
policy plays with the real player and the real tools. The skill says how often the policy answers
wrongly. Each planted failure has a right stage: the stage of the pipeline that the diagnosis must
name. The script also counts which tags the tasks with planted faults get. The planted failures are:

* leaking: no filter looks for shortcuts, and image search can find the question's own picture. The
  right stage is `filters`.
* mismatched: the tasks show pictures of wrong things, until the recipe checks what pictures show
  (grounding). The right stage is `pictures`.
* too_easy: each question needs only one claim, and the policy knows 98 of 100 claims. The right
  stage is `writer`, or `paths` (a missing hop).
* too_hard: questions are long and need details and computations, and the policy knows only 45 of
  100 claims. The right stage is `writer` or `paths`.
* outage: the search provider is down while the policy plays; the right diagnosis names no stage and
  makes no edit.

The script scores the diagnosis in the first round, and in every later round in which the failure
remains. A failure counts as mended in the first round that no longer has the planted cause. A wrong
difficulty counts as mended when at most the share `evolve.tolerated` of all tasks is tagged as too
easy or too hard. An outage counts as mended if the policy plays normally in the next round.
"""

import argparse
import json
import platform
import random
import shutil
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from questloom.agent.setup import opened_searches
from questloom.files.opened import Opened
from questloom.files.parquet import read_records, write_records
from questloom.pipeline.evolve.loop import begin_loop, run_step
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.evolve.subset import LABEL, questions_of
from questloom.pipeline.evolve.task_row import read_rows
from questloom.pipeline.recipe import Recipe
from questloom.records.errors import ProviderFault
from questloom.records.knowledge import Value
from questloom.records.synthesis import Question
from questloom.records.table import Json
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage_shards import shard_facts
from tests.pipeline.evolve.skilled import rules, with_policy
from tests.pipeline.small_world import LEAN, small_recipe, small_store

ROUNDS = 4
"""The number of rounds: the first round, and three rounds in which the edits may mend the failure.
"""
SHORTCUTS = frozenset(
    {"answer_in_question", "text_search", "image_search", "text_only", "no_tools", "visible_text"}
)
STRICT = {
    "text_search": True,
    "image_search": True,
    "text_only": True,
    "no_tools": True,
    "solvable": True,
    "visible_text": False,
}
SEEDS = {
    "count": 90,
    "per_entity": 2,
    "readable": 4,
    "rare_min_statements": 4,
    "anchor_min_in_degree": 1,
}


@dataclass(frozen=True)
class Plant:
    """A planted failure, and the diagnosis that would be right."""

    stages: frozenset[str]
    """The right stages of the pipeline. The diagnosis must name one of them."""
    recipe: dict[str, Any]
    skills: dict[str, float] = field(default_factory=dict)
    causes: frozenset[str] = frozenset()
    """The findings by which the diagnosis shows this failure."""
    tag: str = ""
    """The tag that tasks get because of the failure; "" if findings show the failure."""


PLANTS = {
    "leaking": Plant(
        frozenset({"filters"}),
        {
            "filters": LEAN,
            "pictures": {"min_side": 200, "withhold_own": False},
            # Planning also leaves out facts on the page of the picture's thing.
            "seeds": {**SEEDS, "levels": {"easy": 1.0}},
            "draft": {"own_page": True, "hops": {"easy": 0, "medium": 2, "hard": 3}},
        },
        causes=SHORTCUTS,
    ),
    "mismatched": Plant(frozenset({"pictures"}), {}, causes=frozenset({"not_grounded"})),
    "too_easy": Plant(
        frozenset({"writer", "paths"}),
        {
            "seeds": {**SEEDS, "levels": {"easy": 1.0}},
            "draft": {
                "hops": {"easy": 1, "medium": 3, "hard": 4},
                "rounds": {"easy": 1, "medium": 2, "hard": 3},
                "detail_share": 0.0,
                "computation_share": 0.0,
            },
        },
        {"claim": 0.98},
        tag="too_easy",
    ),
    "too_hard": Plant(
        frozenset({"writer", "paths"}),
        {
            "seeds": {**SEEDS, "levels": {"medium": 0.5, "hard": 0.5}},
            "draft": {
                "rounds": {"easy": 1, "medium": 3, "hard": 4},
                "detail_share": 1.0,
                "computation_share": 1.0,
            },
        },
        {"claim": 0.45, "detail": 0.3, "compute": 0.2},
        tag="too_hard",
    ),
    "outage": Plant(frozenset({""}), {}),
}


class Down:
    """The search provider during the planted outage: every search fails."""

    def __init__(self, snapshot: str) -> None:
        self.snapshot = snapshot

    def __getattr__(self, name: str) -> Any:
        async def fails(*args: Any, **kwargs: Any) -> Any:
            raise ProviderFault("search", "the service is down", status=503)

        return fails


@dataclass(frozen=True)
class Seen:
    """One round of a planted loop."""

    number: int
    there: bool
    """Whether the failure is still visible in this round."""
    blamed: str
    recurring: list[tuple[str, int]]
    tags: dict[str, int]
    edits: list[str]


def recipe_of_plant(plant: Plant, *, seed: int, tasks: int) -> Recipe:
    """The recipe for the loop's first round: all filters are on, then the planted settings
    apply.
    """
    base: dict[str, Any] = {
        "seed": seed,
        "filters": {**STRICT, "oracle_tools": LEAN["oracle_tools"]},
        "enhancement": {"share": 0.0},
        "seeds": SEEDS,
        "pictures": {"min_side": 200, "withhold_own": True},
    }
    return small_recipe(**{**base, **plant.recipe}, evolve=rules(rounds=ROUNDS, tasks=tasks))


def planted(name: str, folder: Path, store: str, *, seed: int, tasks: int) -> list[Seen]:
    """Plays rounds of a loop with a planted failure, until the failure is mended."""
    plant, seen = PLANTS[name], list[Seen]()
    loop = begin_loop(str(folder), recipe_of_plant(plant, seed=seed, tasks=tasks), store)
    for number in range(1, ROUNDS + 1):
        at = loop.round(number)
        with with_policy(loop.path, store, **plant.skills) as opened:
            run_step(loop, number, "forward", opened)
        if name == "mismatched" and at.recipe.grounding.mode == "none" and not at.done("verify"):
            exchange_pictures(at.batch)
        with with_policy(loop.path, store, **plant.skills) as opened:
            if name == "outage" and number == 1:
                cut_off(loop, opened)
            for step in ("verify", "diagnose", "update", "train"):
                run_step(loop, number, step, opened)
        seen.append(round_seen(at, plant, tolerated=loop.recipe.evolve.tolerated))
        if not seen[-1].there:
            break
    return seen


def round_seen(at: RoundFolder, plant: Plant, *, tolerated: float) -> Seen:
    """Returns the findings, tags and edits from a round's files."""
    diagnosis, verified, update = at.read("diagnose"), at.read("verify"), at.read("update")
    found = [(group["cause"], len(group["tasks"])) for group in diagnosis["recurring"]]
    tags, num = verified["tags"], max(1, len(verified["tasks"]))
    if plant.causes:
        there = any(cause in plant.causes for cause, _ in found)
    elif plant.tag:
        there = tags[plant.tag] > tolerated * num
    else:
        there = tags["infra_failure"] > 0
    return Seen(
        at.number,
        there or at.number == 1,
        diagnosis["blamed"],
        found,
        {k: n for k, n in tags.items() if n},
        [f"{edit['path']} {edit['before']} → {edit['after']}" for edit in update["edits"]],
    )


def cut_off(loop: LoopFolder, opened: Opened) -> None:
    """Replaces the search provider by a provider whose searches all fail."""
    key = (loop.store, loop.recipe.models.clip, loop.recipe.pictures.licences)
    opened.put(("searches", *key), Down(opened_searches(*key, Opened()).snapshot))


def rewritten(batch: RunFolder, changed: dict[str, Question]) -> None:
    """Writes changed questions over the stored questions of a run."""
    for path in batch.shards(LABEL, "kept"):
        kept = [changed.get(q.id, q) for q in read_records(path, Question)]
        write_records(
            path,
            Question,
            kept,
            **shard_facts(
                batch.read_recipe()["fingerprint"], "", (len(kept), len(kept), 0, 0, len(kept))
            ),
        )


def exchange_pictures(batch: RunFolder, share: float = 1.0) -> list[str]:
    """Exchanges the pictures of tasks, if possible between tasks of different domains. Returns the
    ids of the changed tasks.
    """
    questions = sorted(questions_of(batch), key=lambda q: (q.domain, q.id))
    half, chosen = len(questions) // 2, questions[: max(2, round(share * len(questions)))]
    other = {q.id: questions[(n + half) % len(questions)] for n, q in enumerate(questions)}
    rewritten(
        batch,
        {
            q.id: q.replace(
                image_id=other[q.id].image_id,
                source_image_id=other[q.id].source_image_id,
                grounding=Json({"status": "not_run"}),
            )
            for q in chosen
        },
    )
    return [q.id for q in chosen]


def broken_tags(
    folder: Path, store: str, *, seed: int, tasks: int, claim: float
) -> dict[str, Counter[str]]:
    """Counts the tags of tasks, separately for each of three true states of a task. A policy with
    the given skill plays the tasks.

    A task's true state says which answer is stored with the task: the right answer, a nonsense
    answer, or another task's answer.
    """
    loop = begin_loop(
        str(folder), recipe_of_plant(Plant(frozenset(), {}), seed=seed, tasks=tasks), store
    )
    at, draw = loop.round(1), random.Random(seed)
    with with_policy(loop.path, store, claim=claim) as opened:
        run_step(loop, 1, "forward", opened)
        questions = sorted(questions_of(at.batch), key=lambda q: q.id)
        draw.shuffle(questions)
        third = len(questions) // 3
        kinds = {
            **{q.id: "nonsense answer" for q in questions[:third]},
            **{q.id: "another answer" for q in questions[third : 2 * third]},
        }
        if not at.done("verify"):
            rewritten(
                at.batch,
                {
                    q.id: _broken(q, kinds[q.id], questions[2 * third :])
                    for q in questions[: 2 * third]
                },
            )
        run_step(loop, 1, "verify", opened)
    found: dict[str, Counter[str]] = {
        kind: Counter() for kind in ("nonsense answer", "another answer", "sound")
    }
    for row in read_rows(at):
        found[kinds.get(row.id, "sound")][f"{row.tag} {row.cause}".strip()] += 1
    return found


def _broken(question: Question, kind: str, others: list[Question]) -> Question:
    if kind == "another answer":
        same = [
            q
            for q in others
            if q.answer.type == question.answer.type and q.answer.text != question.answer.text
        ]
        if same:
            return question.replace(answer=same[0].answer)
    return question.replace(
        answer=question.answer.replace(
            value=Value(kind="string", text="Xyzzy"), text="Xyzzy", type="string", aliases=()
        )
    )


def main() -> None:
    """Runs the script from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--articles", type=int, default=400)
    parser.add_argument("--only", nargs="+", choices=[*PLANTS, "tags"], default=[*PLANTS, "tags"])
    asked = parser.parse_args()
    if not (asked.out / "store" / "meta.json").is_file():
        shutil.rmtree(asked.out / "store", ignore_errors=True)
        small_store(asked.out, articles=asked.articles, seed=21)
    store, rows = str(asked.out / "store"), list[dict[str, Any]]()
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, {asked.articles} articles, {asked.tasks} tasks a round"
    )
    for name in (each for each in asked.only if each in PLANTS):
        for seed in asked.seeds:
            seen = planted(name, asked.out / f"{name}{seed}", store, seed=seed, tasks=asked.tasks)
            right = [each.blamed in PLANTS[name].stages for each in seen if each.there]
            rows.append({"right": sum(right), "rounds": len(right)})
            print(
                f"\n{name}, seed {seed}: right stage in {sum(right)} of {len(right)} rounds; "
                f"{f'mended in round {seen[-1].number}' if not seen[-1].there else 'not mended'}"
            )
            for each in seen:
                print(
                    f"  round {each.number}: blamed {each.blamed or 'nothing'}; {each.tags}; recurring {each.recurring}; edits {each.edits or 'none'}"
                )
    if rows:
        print(
            f"\nright stage in {sum(r['right'] for r in rows)} of {sum(r['rounds'] for r in rows)} rounds in which the failure was there"
        )
    if "tags" in asked.only:
        for seed, claim in ((asked.seeds[0], 0.0), (asked.seeds[-1], 0.9)):
            found = broken_tags(
                asked.out / f"tags{seed}-{claim}",
                store,
                seed=seed,
                tasks=3 * asked.tasks // 2,
                claim=claim,
            )
            print(
                f"\ntags of a policy with claim {claim}, seed {seed}: {json.dumps({kind: dict(counter) for kind, counter in found.items()})}"
            )


if __name__ == "__main__":
    main()
