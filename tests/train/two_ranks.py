"""Two gloo processes that make updates together, for `test_two_ranks.py`: `python -m tests.train.two_ranks FOLDER`.

Forked from a parent that has imported everything and run no backward pass yet: autograd's threads do not outlive a fork. Rank 0 leaves the
gradients in FOLDER/gradients.pt.
"""

import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel

from questloom.train.credit.samples import Sample, loss_inputs
from questloom.train.loss.normalise import max_over_ranks, sum_over_ranks
from questloom.train.loss.objective import count
from questloom.train.loss.objective_rules import Objective
from questloom.train.model.scorer import Scorer
from questloom.train.rows.packing import micro_batches, pack
from tests.agent import tiny
from tests.train.played import PICTURES
from tests.train.update import Gradient, backward, lessons_of, rows_of_unequal_length

WORLD = 2
OBJECTIVES = {
    "sft": None,
    "trajectory": Objective(),
    "token": Objective(normaliser="token", kl=0.1),
}
DEALT = {
    "unequal": ([0, 1, 2, 4], [3]),
    "text_beside_pictures": ([1, 4], [0, 2, 3]),
    "nothing_beside_all": ([], [0, 1, 2, 3, 4]),
}
"""Which of the samples each rank has. The first: four rows against one of a single turn. 1 and 4 have no pictures."""


def sharded(scorer: Scorer) -> torch.nn.Module:
    """By FSDP2: each layer, then the rest with the head."""
    for layer in (*scorer.model.model.language_model.layers, *scorer.model.model.visual.blocks):
        fully_shard(layer)
    return fully_shard(scorer)


def update(
    wrap: Callable[[Scorer], torch.nn.Module], mine: list[Sample], objective: Objective | None
) -> Gradient:
    """One update by all ranks, and its gradient."""
    model = tiny.model.__wrapped__()
    model.load_state_dict(tiny.model().state_dict())
    wrapped = wrap(Scorer(model))
    plan = micro_batches(
        [each.row for each in mine], max((len(each.row) for each in mine), default=1) + 150
    )
    plan += [[]] * (max_over_ranks(len(plan)) - len(plan))
    micro = [[mine[n] for n in some] for some in plan]
    counted = 0.0
    for some in micro:
        packed = pack([each.row for each in some], PICTURES)
        counted += (
            len(packed.labels)
            if objective is None
            else count(packed.row, loss_inputs(some, packed)[1], objective)
        )
    backward(wrapped, micro, objective, sum_over_ranks(counted))
    made = {}
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, f"rank {dist.get_rank()}: {name} has no gradient"
        assert (wrap is sharded) == isinstance(parameter, DTensor), f"{name} is {type(parameter)}"
        made[name] = (
            parameter.grad.full_tensor() if isinstance(parameter.grad, DTensor) else parameter.grad
        )
    return made


def run(rank: int, folder: Path) -> None:
    """What one rank does."""
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/meeting",
        rank=rank,
        world_size=WORLD,
        timeout=timedelta(seconds=60),
    )
    assert dist.get_world_size() == WORLD
    taught = lessons_of(rows_of_unequal_length())
    made: dict[str, Gradient] = {}
    for deal, hands in DEALT.items():
        mine = [taught[n] for n in hands[rank]]
        for name, objective in OBJECTIVES.items():
            made[f"ddp {deal} {name}"] = update(DistributedDataParallel, mine, objective)
        made[f"fsdp {deal} trajectory"] = update(sharded, mine, OBJECTIVES["trajectory"])
    assert (
        sum_over_ranks(float(rank)).total == 1.0
        and sum_over_ranks(1.0).world_size == WORLD
        and max_over_ranks(rank) == 1
    )
    if rank == 0:
        torch.save(made, folder / "gradients.pt")
    dist.destroy_process_group()


def main(folder: Path) -> int:
    """Forks the ranks and waits for both; 0 where both did well."""
    children = []
    for rank in range(WORLD):
        child = os.fork()
        if not child:
            try:
                run(rank, folder)
            except BaseException:
                import traceback

                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        children.append(child)
    return max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
