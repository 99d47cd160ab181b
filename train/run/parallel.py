"""Runs training in one process, under DDP, or under FSDP2.

`accelerate launch` and `torchrun` start several processes. Both launchers put the rank of each
process into the environment. Torch wraps the model; accelerate does not. A configuration of
accelerate is either followed or refused with an error. The program checks how many processes the
launcher started: with FSDP on a CPU, accelerate starts processes that do not know of each other;
with `--cpu --num_processes 2`, accelerate may start only one. Under FSDP2, the program also checks
that every parameter is sharded. accelerate's `gradient_accumulation_steps` must stay 1, because the
trainer itself sums gradients over micro-batches (`loss/normalise.py`).
"""

import os
import platform
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

from questloom.records.errors import InputError, QuestloomError
from questloom.train.model.scorer import Scorer
from questloom.train.settings.training_settings import ParallelSettings

_BROKEN = re.compile(r"Connection (closed|reset)|[Tt]imed out|[Tt]imeout", re.ASCII)
"""Matches torch's error messages for a collective call that some rank did not make."""
T = TypeVar("T")
Kind = Literal["single", "ddp", "fsdp"]
_OTHER_LAUNCHERS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE")
_OTHER_ENGINES = {
    "ACCELERATE_USE_DEEPSPEED": "DeepSpeed",
    "ACCELERATE_USE_MEGATRON_LM": "Megatron-LM",
    "ACCELERATE_USE_PARALLELISM_CONFIG": "a parallelism configuration",
}


class LateRank(QuestloomError):
    """The other processes waited for one process, which did not come in time."""


@dataclass(frozen=True)
class World:
    """What a process knows about the processes that train together."""

    kind: Kind
    rank: int
    size: int
    device: torch.device
    patience: timedelta = timedelta(minutes=60)
    """How long a rank waits for the other ranks before it raises an error."""
    meeting: Any = None
    """The process group with which ranks wait for each other and exchange small messages."""
    store: Any = None
    """The key-value store in which each rank records that it has reached a meeting point."""

    @property
    def first(self) -> bool:
        """Whether this is the first rank. Only the first rank writes the files that all ranks
        share."""
        return self.rank == 0

    @property
    def machine(self) -> str:
        """The name of this process's hardware, for a model card."""
        return (
            torch.cuda.get_device_name(self.device)
            if self.device.type == "cuda"
            else f"CPU, {torch.get_num_threads()} threads ({platform.machine()})"
        )

    def wait(self) -> None:
        """Waits until all ranks have called this function."""
        self.gather(None)

    def meet(self, what: str) -> None:
        """Waits until all ranks have come to this point. All ranks must call this function
        together.

        Args:
            what: the work that follows, which the error names.

        Raises:
            LateRank: some ranks have not come in time. The error names the late ranks.
        """
        if self.size == 1:
            return
        self.store.set(f"{what}/{self.rank}", "here")
        try:
            dist.monitored_barrier(self.meeting, timeout=self.patience, wait_all_ranks=True)
        except RuntimeError as error:
            time.sleep(
                min(2.0, self.patience.total_seconds())
            )  # the living ranks record it meanwhile
            try:
                missing = [
                    rank for rank in range(self.size) if not self.store.check([f"{what}/{rank}"])
                ]
            except RuntimeError:
                missing = [0]  # the first rank, which keeps the store, is gone
            who = (
                f"rank {', '.join(map(str, missing))} did not come"
                if missing
                else "a rank came and broke off"
            )
            raise LateRank(
                f"{what}: {who} within {self.patience.total_seconds():g} s, or has died. What was played and the checkpoints are kept; run the "
                "same command again."
            ) from error

    @contextmanager
    def naming_the_missing(self, what: str) -> Iterator[None]:
        """Names the missing ranks if a collective call breaks inside this block.

        Raises:
            LateRank: some ranks have not come in time; this error replaces torch's error about
                broken connections.
        """
        try:
            yield
        except RuntimeError as error:
            if self.size > 1 and _BROKEN.search(str(error)):
                self.meet(what)
            raise

    def gather(self, thing: T) -> list[T]:
        """Gives every rank the objects of all ranks, in the order of the ranks. All ranks must call
        this function together. The objects must be picklable.
        """
        if self.size == 1:
            return [thing]
        found: list[Any] = [None] * self.size
        dist.all_gather_object(found, thing)
        return found

    def sum(self, number: Tensor) -> float:
        """The sum of a number over all ranks. All ranks must call this function together."""
        total = number.detach().double()
        if self.size > 1:
            dist.all_reduce(total)
        return float(total)


def kind_of(settings: ParallelSettings, environment: Mapping[str, str]) -> tuple[Kind, int]:
    """How the processes work together (one process, DDP or FSDP2), and how many processes the
    launcher announces.

    Raises:
        InputError: the launcher's configuration is not supported, or the launcher started the wrong
            number of processes.
    """

    def is_on(name: str) -> bool:
        return environment.get(name, "").lower() in ("1", "true", "yes")

    other = next((what for name, what in _OTHER_ENGINES.items() if is_on(name)), "")
    if other:
        raise InputError(
            "accelerate's configuration",
            f"asks for {other}, which is not done here",
            "Configure DDP (multi-GPU) or FSDP version 2.",
        )
    if is_on("ACCELERATE_USE_FSDP") and environment.get("FSDP_VERSION", "1") != "2":
        raise InputError(
            "accelerate's configuration",
            f"asks for FSDP version {environment.get('FSDP_VERSION', '1')}",
            "Set fsdp_version: 2.",
        )
    if environment.get("ACCELERATE_GRADIENT_ACCUMULATION_STEPS", "1") not in ("", "1"):
        raise InputError(
            "accelerate's configuration",
            "accumulates gradients over steps",
            "Leave gradient_accumulation_steps at 1, and set batch.rows: "
            "an update's rows are summed over micro-batches and divided by one count here.",
        )
    size = int(environment.get("WORLD_SIZE", "1"))
    strange = next(
        (name for name in _OTHER_LAUNCHERS if int(environment.get(name, "1") or 1) > 1), ""
    )
    if strange and "WORLD_SIZE" not in environment:
        raise InputError(
            "the launcher",
            f"started {environment[strange]} processes that do not know each other ({strange}, no WORLD_SIZE)",
            "Use torchrun.",
        )
    if settings.processes and settings.processes != size:
        raise InputError(
            "the launcher",
            f"started {size} process{'es' * (size > 1)} and parallel.processes is {settings.processes}",
            "Start them with torchrun --nproc_per_node, or correct parallel.processes.",
        )
    asked: Kind | Literal["auto"] = settings.kind
    if asked == "auto":
        asked = "fsdp" if is_on("ACCELERATE_USE_FSDP") else "ddp" if size > 1 else "single"
    elif is_on("ACCELERATE_USE_FSDP") and asked != "fsdp":
        raise InputError(
            "accelerate's configuration",
            f"asks for FSDP, and parallel.kind is {asked}",
            "Set parallel.kind to auto or fsdp.",
        )
    if (asked == "single") != (size == 1):
        raise InputError(
            "the launcher",
            f"started {size} process{'es' * (size > 1)} for {asked}",
            "One process is for parallel.kind single; ddp and fsdp need several, for example torchrun --nproc_per_node 8.",
        )
    return asked, size


@contextmanager
def world(
    settings: ParallelSettings, environment: Mapping[str, str] = os.environ
) -> Iterator[World]:
    """Connects to the other processes, and disconnects at the end.

    Raises:
        InputError: see `kind_of`.
    """
    kind, size = kind_of(settings, environment)
    cuda = torch.cuda.is_available() and environment.get("ACCELERATE_USE_CPU", "").lower() != "true"
    device = (
        torch.device("cuda", int(environment.get("LOCAL_RANK", "0")))
        if cuda
        else torch.device("cpu")
    )
    if cuda:
        torch.cuda.set_device(device)
    if kind == "single":
        yield World(kind, 0, 1, device)
        return
    # Objects and counts use gloo, even if gradients use NCCL.
    patience = timedelta(minutes=settings.timeout_minutes)
    store, rank, _ = next(iter(dist.rendezvous("env://", timeout=patience)))
    dist.init_process_group(
        "cpu:gloo,cuda:nccl" if cuda else "gloo",
        store=dist.PrefixStore("groups", store),
        rank=rank,
        world_size=size,
        timeout=patience,
    )
    try:
        if dist.get_world_size() != size:
            raise InputError(
                "the launcher",
                f"promised {size} processes, {dist.get_world_size()} have met",
                "Start all of them with one launcher.",
            )
        yield World(
            kind,
            rank,
            size,
            device,
            patience,
            dist.new_group(backend="gloo", timeout=patience),
            dist.PrefixStore("meetings", store),
        )
    finally:
        dist.destroy_process_group()


def wrap_policy(scorer: Scorer, at: World, *, bf16: bool) -> nn.Module:
    """Wraps the policy in DDP or FSDP2 on this rank's device. A single process needs no wrapper.

    Args:
        scorer: the model that computes log-probabilities, with trained weights in fp32, on the CPU
            or on the device.
        bf16: whether FSDP2 gathers parameters in bf16 and sums gradients in fp32. Without FSDP2,
            the caller uses autocast for bf16.

    Raises:
        InputError: the model does not name the layers that FSDP2 shards.
        RuntimeError: FSDP2 has left a parameter unsharded.
    """
    if at.kind == "single":
        return scorer.to(at.device)
    if at.kind == "ddp":
        scorer.to(at.device)
        return DistributedDataParallel(
            scorer,
            device_ids=[at.device] if at.device.type == "cuda" else None,
            forward_sync_buffers=False,
            gradient_as_bucket_view=True,
        )
    names = scorer.model._no_split_modules
    layers = [module for module in scorer.model.modules() if type(module).__name__ in (names or ())]
    if not layers:
        raise InputError(
            f"model {scorer.model.config.model_type}",
            "names no layers to shard (_no_split_modules)",
            "Train it with DDP or on one GPU.",
        )
    policy = (
        MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        if bf16
        else MixedPrecisionPolicy()
    )
    mesh = dist.init_device_mesh(at.device.type, (at.size,))
    for layer in layers:
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    fully_shard(scorer, mesh=mesh, mp_policy=policy)
    scorer.to(at.device)  # buffers
    whole = [
        name for name, parameter in scorer.named_parameters() if not isinstance(parameter, DTensor)
    ]
    if whole:
        raise RuntimeError(
            f"FSDP2 left {len(whole)} parameters whole, the first {whole[0]}: ranks would train models of their own"
        )
    return scorer


def no_sync_but_last(policy: nn.Module, last: bool) -> AbstractContextManager[Any]:
    """Makes DDP send gradients only once per update.

    FSDP2 sends gradients after every micro-batch. If FSDP2 sent gradients once per update, each
    rank would hold the gradient of the whole model.
    """
    return (
        policy.no_sync()
        if isinstance(policy, DistributedDataParallel) and not last
        else nullcontext()
    )


def clip_gradients(policy: nn.Module, max_norm: float) -> float:
    """Scales the gradient of all ranks down to a maximum norm. Returns the gradient's norm before
    scaling."""
    norm = nn.utils.clip_grad_norm_([p for p in policy.parameters() if p.requires_grad], max_norm)
    return float(norm.full_tensor() if isinstance(norm, DTensor) else norm)
