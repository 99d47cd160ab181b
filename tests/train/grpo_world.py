"""What the tests of GRPO play: a little store, a run with eight questions, and a tiny policy that has learned to answer, call and look, at random
in equal parts; and runs in processes of their own.

`python -m tests.train.grpo_world FOLDER PART…` makes the runs that tests compare, see `sft_world.py`.
"""

import asyncio
import contextlib
import copy
import errno
import json
import os
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import Qwen3VLForConditionalGeneration

from questloom.agent.engines.cached_model import CachedModel
from questloom.agent.engines.engine import Sample
from questloom.agent.engines.token_engine import Sampling, TokenEngine
from questloom.agent.engines.transformers_engine import TransformersEngine
from questloom.agent.judges.answer import AnswerJudge, Judgement
from questloom.agent.play.player import Player, Task
from questloom.agent.providers.local_provider import LocalProvider
from questloom.agent.tool_settings import ToolSettings
from questloom.agent.tools import ToolBox
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.limits import Limits
from questloom.agent.turns.renderer import Renderer
from questloom.agent.turns.token_renderer import Segment
from questloom.files.parquet import write_records
from questloom.knowledge.store import Store
from questloom.models.clip import Clip
from questloom.records.episodes import Outcome, Turn
from questloom.records.errors import ProviderFault
from questloom.records.identity import sha256_hex
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer, Question
from questloom.train.grpo import loop as grpo_loop
from questloom.train.grpo import step_files
from questloom.train.grpo.command import main
from questloom.train.grpo.replay import main as replay_again
from questloom.train.grpo.step_play import StepPlay
from questloom.train.grpo.update import Learner
from questloom.train.loss.sft_loss import sft_loss_sum
from questloom.train.model.scorer import Scorer
from questloom.train.rollouts import actor
from questloom.train.rollouts.policy_engine import OwnWeights
from questloom.train.rows.episode_rows import row_of_segments
from questloom.train.rows.packing import micro_batches, pack
from questloom.train.rows.row import Row
from questloom.train.run import checkpoints, updating
from questloom.transforms.stages.run_folder import RunFolder
from tests.agent import tiny
from tests.agent.loopback_server import LoopbackServer
from tests.agent.tools.little_store import little_store
from tests.train.played import PICTURES, ROPE, TOKENS
from tests.train.sft_world import killed_when, ranks, sigterm_in, started, stopped

TOOLS = ToolSettings(
    tools=("text_search", "image_search"),
    brief=True,
    results=1,
    max_chars=120,
    max_new_pictures=1,
    handles=False,
)
LIMITS = Limits(calls=3, turn_tokens=90, tokens=700, faults=3, on_violation="observe")
RIGHT = "<think>a</think>\n<answer>Varga</answer>"
WRONG = "<think>b</think>\n<answer>Merren</answer>"
CALL = '<think>c</think>\n<tool_call>\n{"name": "text_search", "arguments": {"query": "Varga"}}\n</tool_call>'
LOOK = '<think>d</think>\n<tool_call>\n{"name": "image_search", "arguments": {"query": "Bram"}}\n</tool_call>'
SAID = (RIGHT, WRONG, CALL, LOOK)
SETTINGS: dict[str, Any] = {
    "name": "test",
    "step": {"steps": 3, "questions": 4, "rollouts": 4, "at_once": 32},
    "play": {
        "limits": {
            "calls": 3,
            "turn_tokens": 90,
            "tokens": 700,
            "faults": 3,
            "on_violation": "observe",
        },
        "tools": {
            "tools": list(TOOLS.tools),
            "brief": True,
            "results": 1,
            "max_chars": 120,
            "max_new_pictures": 1,
            "handles": False,
        },
    },
    "reward": {"alpha": 1.0, "format": False},
    "data": {"max_tokens": 800},
    "weights": {"precision": "fp32", "activation_checkpointing": False},
    "optimiser": {"lr": 1e-3, "schedule": "constant", "warm_up": 0.0, "epsilon": 1e-4},
    "evaluation": {"every": 3, "rollouts": 2},
    "keep": {"checkpoint_every": 1, "checkpoints": 9, "episodes_every": 1},
}
"""Of a run of seconds. With Adam's own ε gradients that are 0 but for rounding would move weights by as much as others."""


class Sayer(TokenEngine):
    """Says one of `SAID` at random, encoded as any tokenizer would."""

    name, model = "transformers", "sayer"
    sampling: Mapping[str, Any] = {}

    def __init__(self) -> None:
        super().__init__(TOKENS, Sampling())

    async def step(
        self, conversation: Conversation, *, max_new_tokens: int, begun: Segment | None = None
    ) -> Sample:
        said = random.Random(conversation.draw()).choice(
            SAID if conversation.turn < 2 else SAID[:2]
        )
        ids = TOKENS.policy(Turn(text=said)).ids
        return self.sample(
            ids,
            [-1.0] * len(ids),
            complete=True,
            num_prompt=sum(len(segment.ids) for segment in self.segments(conversation)),
        )


def question(number: int) -> tuple[Question, bytes]:
    """A question of the run with its picture; the right answer is the same for all."""
    data = tiny.picture(number)
    made = Question(
        seed_id=f"{number:032x}",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="d",
        text=f"Who built tower {number}?",
        writer="graph",
        answer=Answer(value=Value(kind="string", text="Varga"), text="Varga", type="string"),
        image_id=sha256_hex(data),
        split="rl/train" if number < 6 else "rl/validation",
    )
    return made, data


def run_folder(folder: Path, store: Store) -> Path:
    """A finished run with six questions to train on and two held out."""
    folder.mkdir(parents=True)
    recipe = {
        "run": {"shards": 1},
        "pictures": {"withhold_own": False},
        "models": {"clip": "small"},
    }
    (folder / "recipe.json").write_text(
        json.dumps({"recipe": recipe, "fingerprint": "f", "store": store.meta["digest"]})
    )
    made = [question(number) for number in range(8)]
    for each, data in made:
        place = RunFolder(str(folder)).picture(each.image_id)
        assert isinstance(place, Path)
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
    questions = sorted((each for each, _ in made), key=lambda each: each.id)
    write_records(
        folder / "stages" / "01-split" / "kept-00000.parquet", Question, questions, num_pending="0"
    )
    return folder


def taught_rows(store: Store, number: int) -> list[Row]:
    """Rows of what `Sayer` plays."""
    toolbox = ToolBox(LocalProvider(store, Clip.load("small")), settings=TOOLS)
    renderer = Renderer(
        toolbox.schemas(),
        max_calls=LIMITS.calls,
        handles=False,
        brief=True,
        special_tokens=TOKENS.special_tokens,
    )
    player = Player(Sayer(), toolbox, LIMITS, renderer=renderer)

    async def played() -> list[Row]:
        tasks = [
            Task(task_id=f"t{n}", question=f"Who built tower {n}?", pictures=(tiny.picture(n),))
            for n in range(number)
        ]
        made = await asyncio.gather(*(player.rollout(task) for task in tasks))
        return [
            row_of_segments(each.segments, episode_id=each.episode.id, tokens=PICTURES, rope=ROPE)
            for each in made
        ]

    return asyncio.run(played())


def taught_model(store: Store, updates: int = 60, max_tokens: int = 300) -> torch.nn.Module:
    """The tiny Qwen3-VL after some seconds of supervised training on what `Sayer` says, in rows of fewer tokens."""
    rows = [row for row in taught_rows(store, 32) if len(row) < max_tokens]
    model = copy.deepcopy(tiny.model()).train()
    scorer = Scorer(model)
    optimiser = torch.optim.AdamW(model.parameters(), lr=6e-3, betas=(0.9, 0.98))
    chance = random.Random(1)
    for update in range(updates):
        for group in optimiser.param_groups:
            group["lr"] = 6e-3 * min(1.0, (update + 1) / 10, (updates - update) / (updates / 2))
        some = chance.sample(rows, 5)
        plan = micro_batches(some, 2000)
        labels = sum(int(row.loss_mask.sum()) for row in some)
        for batch in plan:
            summed = sft_loss_sum(scorer(pack([some[n] for n in batch], PICTURES)).logp)
            (summed / labels).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
    return model.eval()


def prepare(folder: Path) -> Path:
    """Store, run, model and settings of all runs."""
    store = little_store(folder)
    run_folder(folder / "run", store)
    taught_model(store).save_pretrained(folder / "model")
    tiny.processor().save_pretrained(folder / "model")
    (folder / "settings.yaml").write_text(json.dumps(SETTINGS))
    return folder


def arguments(folder: Path, out: str, *overrides: str) -> list[str]:
    """Of a run in the folder."""
    return [
        "--config",
        str(folder / "settings.yaml"),
        "--questions",
        str(folder / "run"),
        "--store",
        str(folder / "store"),
        "--model",
        str(folder / "model"),
        "--out",
        str(folder / out),
        *(part for text in overrides for part in ("--set", text)),
    ]


# What breaks, in processes of their own


def _dead_engine() -> None:
    """The model's thread fails in the middle of the second turns."""
    go_on, calls = CachedModel.go_on, [0]

    def broken(self: CachedModel, rows: Any, steps: int) -> None:
        calls[0] += 1
        if calls[0] == 5:
            raise RuntimeError("the accelerator is gone")
        go_on(self, rows, steps)

    CachedModel.go_on = broken  # type: ignore[method-assign]


def _dead_judge() -> None:
    async def judge(self: AnswerJudge, answer: Answer, said: str, **about: Any) -> Judgement:
        return Judgement(outcome=Outcome.JUDGE_FAILED, by="", given=said, why="the judge is away")

    AnswerJudge.judge = judge  # type: ignore[assignment]


def _dead_provider() -> None:
    async def step(self: TransformersEngine, conversation: Conversation, **about: Any) -> Sample:
        raise ProviderFault("server", "connection refused")

    TransformersEngine.step = step  # type: ignore[method-assign]


def _nan_gradient() -> None:
    updating.clip_gradients = lambda policy, most: float("nan")  # type: ignore[assignment]


def _late_rank() -> None:
    if os.environ["RANK"] == "1":
        StepPlay.of = lambda self, step: os._exit(9)  # type: ignore[assignment,method-assign,misc]


def _full_disk() -> None:
    def write(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    step_files.write_whole = write  # type: ignore[assignment]


def _full_disk_at_the_checkpoint() -> None:
    def save(*state: Any, **about: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    checkpoints.dcp.save = save


def _stray_engine() -> None:
    """The engine samples from other weights than are trained."""
    engine = OwnWeights.engine

    def other(self: OwnWeights, version: int, sampling: Sampling) -> TokenEngine:
        self._own = copy.deepcopy(self._trained)
        with torch.no_grad():
            self._own.lm_head.weight.mul_(0.85)
        return engine(self, version, sampling)

    OwnWeights.engine = other  # type: ignore[method-assign]


BREAKS: dict[str, tuple[Callable[[], None], tuple[str, ...]]] = {
    "dead_engine": (_dead_engine, ()),
    "dead_judge": (_dead_judge, ()),
    "dead_provider": (_dead_provider, ()),
    "nan_gradient": (_nan_gradient, ()),
    "late_rank": (_late_rank, ("parallel.timeout_minutes=0.1",)),
    "full_disk": (_full_disk, ()),
    "full_disk_at_the_checkpoint": (_full_disk_at_the_checkpoint, ()),
    "stray_engine": (_stray_engine, ("care.engine_kl=1e-4",)),
}


AGAIN = ("dead_engine", "late_rank", "full_disk_at_the_checkpoint", "stray_engine")
"""Those that are called again when they have been mended."""


def parts(folder: Path) -> dict[str, Callable[[], list[int]]]:
    """The runs by name."""

    def run(out: str, *overrides: str, size: int = 1) -> list[int]:
        return ranks(size, lambda: main(arguments(folder, out, *overrides)))

    def broken() -> list[int]:
        """Killed while the second step is played, then once the third is written down and not yet learned from. The first measuring is marked."""
        kill, again = (
            folder / "broken",
            partial(arguments, folder, "broken", "keep.checkpoint_every=2"),
        )
        killed_when(
            kill / "metrics.jsonl",
            '"update": 1, "update_seconds"',
            started(1, lambda: main(again())),
        )
        measured = kill / "held_out" / "update-000000.json"
        measured.write_text(
            json.dumps({**json.loads(measured.read_text()), "held_out/seconds": 12345.0})
        )
        killed_when(
            kill / "replay" / "step-000002" / "step.json",
            "lines",
            started(1, lambda: main(again())),
        )
        return ranks(1, lambda: main(again()))

    def asked_to_stop(out: str, place: Callable[[], None], size: int = 1) -> list[int]:
        """By SIGTERM to one rank, in a run that would write no checkpoint before its end."""

        def run() -> int:
            return main(arguments(folder, out, "keep.checkpoint_every=100"))

        return stopped(place, run, run, size)

    def in_play() -> None:
        """While the second step is played."""
        actor.LOOK_SECONDS = 0.0
        sigterm_in(StepPlay, "of", lambda self, step: step == 1)

    def in_the_update() -> None:
        """While the second step is learned from."""
        sigterm_in(Learner, "learn", lambda self, share, step: step == 1)

    def in_the_last_measuring() -> None:
        """While the held-out questions are played after the third step."""
        actor.LOOK_SECONDS = 0.0
        sigterm_in(grpo_loop, "_examine", lambda run, update, metrics: update == 3)

    def replayed() -> list[int]:
        """The first update of the run with two ranks again; what they say is in files."""
        return ranks(2, lambda: _said(folder / f"ddp_again_{os.environ['RANK']}", "ddp", 1))

    def _said(path: Path, out: str, update: int) -> int:
        with (
            open(path, "w") as file,
            contextlib.redirect_stdout(file),
            contextlib.redirect_stderr(file),
        ):
            return replay_again([str(folder / out), "--update", str(update)])

    def faults() -> list[int]:
        """Short runs in which something breaks, each called again when it has been mended."""
        made = []
        for name, (breaks, overrides) in BREAKS.items():
            for out, broken_by in ((name, breaks), (f"{name}_again", None))[: 1 + (name in AGAIN)]:
                made += ranks(
                    2 if name == "late_rank" else 1,
                    lambda out=out, b=broken_by, name=name, more=overrides: _told(
                        folder / f"{out}_{os.environ.get('RANK', '0')}.txt",
                        b,
                        arguments(folder, name, *short, *more),
                    ),
                )
        return made

    def _told(path: Path, breaks: Callable[[], None] | None, given: list[str]) -> int:
        with open(path, "w") as file, contextlib.redirect_stderr(file):
            if breaks is not None:
                breaks()
            return main(given)

    def served(name: str) -> list[int]:
        """Rollouts from a server of the tiny model: one that takes the weights of every update, or one that says so and keeps those it had."""
        return ranks(1, lambda: _from_a_server(name))

    def _from_a_server(name: str) -> int:
        server = LoopbackServer(loads=name == "served")
        server.model = Qwen3VLForConditionalGeneration.from_pretrained(folder / "model").eval()
        at = f"play.server={{name: lab, url: '{server.url}', model: tiny}}"
        code = _told(
            folder / f"{name}_0.txt",
            None,
            arguments(
                folder,
                name,
                "play.engine=server",
                at,
                "step.steps=2",
                "step.questions=2",
                "evaluation.every=0",
                "optimiser.lr=5e-3",
            ),
        )
        server.model.save_pretrained(folder / f"{name}_weights")
        (folder / f"{name}.json").write_text(
            json.dumps(
                {
                    "version": server.weight_version,
                    "flushed": server.num_flushed,
                    "turns": server.num_requests,
                }
            )
        )
        server.close()
        return code

    short = ("step.steps=1", "step.questions=2", "evaluation.every=0")
    rich = (
        "step.steps=2",
        "axpo={}",
        "objective.kl=0.01",
        "objective.importance_cap=2.0",
        "step.mini_questions=2",
        "step.refills=1",
        "evaluation.every=0",
        "reward.alpha=0.8",
        "reward.format=true",
    )
    return {
        "prepare": lambda: ranks(1, lambda: int(not prepare(folder))),
        "unbroken": partial(run, "unbroken"),
        "broken": broken,
        "stopped": partial(asked_to_stop, "stopped", in_play),
        "stopped_ddp": partial(asked_to_stop, "stopped_ddp", in_the_update, 2),
        "stopped_late": partial(asked_to_stop, "stopped_late", in_the_last_measuring),
        "ddp": partial(run, "ddp", size=2),
        "replayed": replayed,
        "faults": faults,
        "served": partial(served, "served"),
        "stale_server": partial(served, "stale_server"),
        "learns": partial(
            run,
            "learns",
            "step.steps=4",
            "step.rollouts=6",
            "optimiser.lr=2e-3",
            "evaluation.every=0",
        ),
        "kept": partial(run, "kept", "step.steps=2", "axpo={}", "evaluation.every=0"),
        "rich": lambda: ranks(
            1, lambda: _told(folder / "rich_0.txt", None, arguments(folder, "rich", *rich))
        ),
        "rich_fsdp": partial(run, "rich_fsdp", *rich, "parallel.kind=fsdp", size=2),
        "bf16_lora": partial(
            run,
            "bf16_lora",
            "weights.lora.rank=4",
            "weights.precision=bf16",
            "objective.kl=0.01",
            "evaluation.every=0",
            size=2,
        ),
        "bf16_fsdp": partial(
            run,
            "bf16_fsdp",
            "parallel.kind=fsdp",
            "weights.precision=bf16",
            "evaluation.every=0",
            size=2,
        ),
    }


def everything(folder: Path, names: Sequence[str]) -> None:
    """Makes the named runs, and adds their exit codes to FOLDER/codes.json."""
    import matplotlib.backends.backend_agg
    import matplotlib.figure  # noqa: F401
    import torch.utils.tensorboard  # noqa: F401

    told = folder / "codes.json"
    codes = json.loads(told.read_text()) if told.exists() else {}
    for name in names:
        began = time.perf_counter()
        codes[name] = parts(folder)[name]()
        print(f"{name}: {codes[name]} in {time.perf_counter() - began:.1f} s", flush=True)
    told.write_text(json.dumps(codes))


if __name__ == "__main__":
    everything(Path(sys.argv[1]), sys.argv[2:])
