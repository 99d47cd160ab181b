"""python -m questloom.train.small_clip --store W1 [--store W2 …] --unseen W3 --out models/small_clip

Each store is a fictional world that was made and ingested (`questloom world --seed 1000 …`,
`questloom ingest …`). Worlds for training have seeds from 1000 on. The worlds of demo and tests
have lower seeds.
"""

from dataclasses import asdict, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Annotated

import torch
import typer

from questloom.knowledge.store.store import Store
from questloom.models.clip import Clip
from questloom.train.small_clip.checkpoint import save, start
from questloom.train.small_clip.examples import examples_of
from questloom.train.small_clip.fit import fit
from questloom.train.small_clip.measure import measure


def main(
    store: Annotated[list[str], typer.Option()],
    unseen: Annotated[str, typer.Option()],
    out: Annotated[Path, typer.Option()],
    steps: int = 600,
    seed: int = 1,
) -> None:
    """Trains on the stores `store` and measures on the store `unseen`. The checkpoint and its
    calibration are written to `out`."""
    torch.use_deterministic_algorithms(True)
    examples = reduce(add, (examples_of(Store.open(path)) for path in store))
    typer.echo(f"{len(examples.pixels)} pictures of {len(examples.looks)} entities")
    model, tokenizer = start(out, seed)
    fit(model, tokenizer, examples, steps=steps, seed=seed, report=typer.echo)
    save(model, out)
    clip, held_out = Clip.load(str(out)), examples_of(Store.open(unseen))
    measured = measure(clip, clip.embed_pictures(held_out.files), held_out)
    replace(measured.calibration, model=out.name).write(out)
    typer.echo(str(asdict(measured)))


if __name__ == "__main__":
    typer.run(main)
