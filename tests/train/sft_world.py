"""What the tests of supervised fine-tuning learn from: a model's folder, dialogues with pictures, a run's episodes; and runs in processes of
their own.

`python -m tests.train.sft_world FOLDER PART…` makes the runs that tests compare. Forked from a parent that has imported everything and run no
backward pass yet: autograd's threads do not outlive a fork.
"""

import copy
import json
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import Qwen3VLForConditionalGeneration

from questloom.agent.play.episode_files import EpisodeFiles
from questloom.files.parquet import write_records
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer
from questloom.records.trajectories import ToolStatistics, Trajectory
from questloom.train.sft import loop as sft_loop
from questloom.train.sft.command import main
from tests.agent import tiny
from tests.train.played import TOKENS, episode

FAST = (
    "--set",
    "batch.rows=4",
    "--set",
    "batch.epochs=3",
    "--set",
    "keep.checkpoint_every=2",
    "--set",
    "data.max_tokens=400",
    "--set",
    "optimiser.epsilon=1e-4",
)
"""Six updates of three or four rows. With Adam's own ε gradients that are 0 but for rounding would move weights by as much as others."""


def model_folder(folder: Path) -> Path:
    """The tiny Qwen3-VL, as transformers stores a model."""
    tiny.model().save_pretrained(folder)
    tiny.processor().save_pretrained(folder)
    return folder


def dialogue(number: int, num_turns: int = 2, *, pictures: bool = True) -> dict[str, Any]:
    """A ShareGPT row as JSON, its pictures as files that `dialogue_file` writes: the question's, and one that the first call brings."""
    said: list[dict[str, str]] = [
        {"from": "human", "value": f"{'<image>' * pictures}Who built tower {number}?"}
    ]
    for turn in range(num_turns - 1):
        shown = "<image>" if pictures and turn == 0 else ""
        said += [
            {
                "from": "gpt",
                "value": f'<think>look {number}</think>\n<tool_call>{{"n": {turn}}}</tool_call>',
            },
            {"from": "observation", "value": f"Result {number} {turn}\n{shown}"},
        ]
    said.append({"from": "gpt", "value": f"<think>seen</think>\n<answer>{1871 + number}</answer>"})
    shown = sum(turn["value"].count("<image>") for turn in said)
    return {
        "conversations": said,
        "images": [f"pictures/{number * 2 + n}.png" for n in range(shown)],
        "system": "Look, search, answer.",
        "tools": "",
    }


def dialogue_file(
    folder: Path, rows: Sequence[dict[str, Any]], name: str = "dialogues.json"
) -> Path:
    """Rows with the pictures that they name."""
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for row in rows:
        for path in row["images"]:
            (folder / path).write_bytes(tiny.picture(int(Path(path).stem)))
    (folder / name).write_text(json.dumps(rows))
    return folder / name


def some_dialogues() -> list[dict[str, Any]]:
    """Seven rows of unequal length, one without pictures."""
    return [dialogue(n, 1 + n % 3, pictures=n != 3) for n in range(7)]


def trajectory(
    number: int, split: str = "sft/train", *, told: bool = True, num_turns: int = 3
) -> tuple[Trajectory, dict[str, bytes]]:
    """A kept trajectory and its pictures' files.

    Args:
        told: whether the engine told its token ids; else the turn's text is all there is.
    """
    played, bank = episode(num_turns, seed=number)
    if not told:
        played = played.replace(
            turns=tuple(turn.replace(token_ids=(), logprobs=()) for turn in played.turns)
        )
    made = Trajectory(
        question_id=f"q{number}",
        seed_id=f"s{number}",
        split=split,
        level="easy",
        method="m",
        domain="d",
        language="en",
        answer=Answer(value=Value(kind="string", text="x"), text="x", type="string"),
        image_id="i",
        source_image_id="i",
        episode=played,
        statistics=ToolStatistics(),
    )
    return made, {image.sha256: bank.data(image.handle) for image in bank.images}


def episodes_folder(
    folder: Path,
    trajectories: Sequence[tuple[Trajectory, dict[str, bytes]]],
    policy: str = "teacher",
) -> Path:
    """A run's folder with the kept episodes of a policy."""
    place = folder / "episodes" / policy
    files = EpisodeFiles(str(place))
    files.write_prompt([], max_calls=3, handles=True, special_tokens=TOKENS.special_tokens)
    for path in (folder, place):
        (path / "recipe.json").write_text("{}")
    write_records(
        place / "stages" / "05-keep" / "kept-00000.parquet",
        Trajectory,
        [made for made, _ in trajectories],
    )
    for _, pictures in trajectories:
        for sha256, data in pictures.items():
            files.keep_picture(sha256, data)
    return folder


# Runs in processes of their own


def arguments(folder: Path, out: str, *more: str) -> list[str]:
    """Of a run on the dialogues in `folder`."""
    return [
        "--config",
        "tiny",
        "--data",
        str(folder / "dialogues.json"),
        "--validation",
        str(folder / "held_out.json"),
        "--model",
        str(folder / "model"),
        "--out",
        str(folder / out),
        *FAST,
        *more,
    ]


def ranks(size: int, do: Callable[[], int], **environment: str) -> list[int]:
    """Forks processes as a launcher would start them, and waits; their exit codes (negative for a signal)."""
    return [
        os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for child in started(size, do, **environment)
    ]


def started(size: int, do: Callable[[], int], **environment: str) -> list[int]:
    """The forked processes' ids."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    children = []
    for rank in range(size):
        child = os.fork()
        if not child:
            code = 1
            try:
                if size > 1:
                    os.environ.update(
                        WORLD_SIZE=str(size),
                        RANK=str(rank),
                        LOCAL_RANK=str(rank),
                        MASTER_ADDR="127.0.0.1",
                        MASTER_PORT=str(port),
                    )
                os.environ.update(environment)
                code = do()
            except BaseException:
                traceback.print_exc()
            os._exit(code)
        children.append(child)
    return children


def killed_when(path: Path, text: str, children: Sequence[int]) -> None:
    """Kills processes, as a machine that fails would, once a file says something."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and text not in (path.read_text() if path.is_file() else ""):
        time.sleep(0.002)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def stopped(
    when: Callable[[], None], do: Callable[[], int], again: Callable[[], int], size: int = 1
) -> list[int]:
    """Lets a run be asked to stop, as a scheduler would ask it, and go on; the exit codes of the second start.

    Args:
        when: lets the first rank send itself SIGTERM at some place.
    """

    def first() -> int:
        if os.environ.get("RANK", "0") == "0":
            when()
        return do()

    codes = ranks(size, first)
    assert set(codes) == {128 + signal.SIGTERM}, codes
    return ranks(size, again)


def sigterm_in(owner: Any, name: str, is_now: Callable[..., bool]) -> None:
    """Sends the process SIGTERM before a function's call for which that is to happen."""
    call = getattr(owner, name)

    def asked(*given: Any, **named: Any) -> Any:
        if is_now(*given, **named):
            os.kill(os.getpid(), signal.SIGTERM)
        return call(*given, **named)

    setattr(owner, name, asked)


def parts(folder: Path) -> dict[str, Callable[[], Any]]:
    """The runs by name."""

    def run(out: str, *more: str, size: int = 1) -> Callable[[], Any]:
        return lambda: ranks(size, lambda: main(arguments(folder, out, *more)))

    def broken() -> list[int]:
        """Killed once it has written down its third update; its last checkpoint is of the second."""
        killed_when(
            folder / "broken" / "metrics.jsonl",
            '"update": 3,',
            started(1, lambda: main(arguments(folder, "broken"))),
        )
        return ranks(1, lambda: main(arguments(folder, "broken")))

    def asked_to_stop(out: str, size: int) -> Callable[[], list[int]]:
        """By SIGTERM to one rank, in the third update of a run that would write no checkpoint before its end."""

        def run() -> int:
            return main(arguments(folder, out, "--set", "keep.checkpoint_every=100"))

        return lambda: stopped(
            lambda: sigterm_in(sft_loop, "_update", lambda run, stream, update, *rest: update == 2),
            run,
            run,
            size,
        )

    def handed_over() -> list[int]:
        """Two ranks under FSDP2, killed once their checkpoint of the second update stands; gone on with by one."""
        killed_when(
            folder / "handed_over" / "checkpoints" / "update-000002" / "state.json",
            "2",
            started(
                2, lambda: main(arguments(folder, "handed_over", "--set", "parallel.kind=fsdp"))
            ),
        )
        return ranks(1, lambda: main(arguments(folder, "handed_over")))

    return {
        "unbroken": run("unbroken"),
        "broken": broken,
        "ddp": run("ddp", size=2),
        "fsdp": run("fsdp", "--set", "parallel.kind=fsdp", size=2),
        "handed_over": handed_over,
        "stopped": asked_to_stop("stopped", 1),
        "stopped_ddp": asked_to_stop("stopped_ddp", 2),
        "tied": run("tied", "--model", str(folder / "model_tied")),
        "tied_fsdp": run(
            "tied_fsdp",
            "--set",
            "parallel.kind=fsdp",
            "--model",
            str(folder / "model_tied"),
            size=2,
        ),
        "fsdp_bf16": run(
            "fsdp_bf16",
            "--set",
            "parallel.kind=fsdp",
            "--set",
            "weights.precision=bf16",
            "--set",
            "weights.activation_checkpointing=true",
            size=2,
        ),
        "fsdp_lora": run(
            "fsdp_lora",
            "--set",
            "parallel.kind=fsdp",
            "--set",
            "weights.lora={rank: 4, alpha: 128}",
            "--set",
            "weights.precision=bf16",
            "--model",
            str(folder / "model_bf16"),
            size=2,
        ),
    }


def prepare(folder: Path) -> None:
    """The model and the dialogues of all runs."""
    model_folder(folder / "model")
    copy.deepcopy(tiny.model()).bfloat16().save_pretrained(folder / "model_bf16")
    tiny.processor().save_pretrained(folder / "model_bf16")
    config = copy.deepcopy(tiny.model().config)
    config.tie_word_embeddings = config.text_config.tie_word_embeddings = True
    torch.manual_seed(3)
    Qwen3VLForConditionalGeneration(config).save_pretrained(folder / "model_tied")
    tiny.processor().save_pretrained(folder / "model_tied")
    dialogue_file(folder, some_dialogues())
    dialogue_file(folder, [dialogue(20), dialogue(21, 3)], "held_out.json")


def everything(folder: Path, names: Sequence[str]) -> None:
    """Makes the named runs, and leaves their exit codes in FOLDER/codes.json."""
    import matplotlib.backends.backend_agg
    import matplotlib.figure  # noqa: F401
    import torch.utils.tensorboard  # noqa: F401

    prepare(folder)
    codes = {}
    for name in names:
        began = time.perf_counter()
        codes[name] = parts(folder)[name]()
        print(f"{name}: {codes[name]} in {time.perf_counter() - began:.1f} s", flush=True)
    (folder / "codes.json").write_text(json.dumps(codes))


if __name__ == "__main__":
    everything(Path(sys.argv[1]), sys.argv[2:])
