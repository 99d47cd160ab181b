"""python -m questloom.train.tiny_base --out models/tiny_base --minutes 55

The drills (exercise dialogues) come from fictional worlds with seeds from 1000 on. The tasks of
demo and tests come from worlds with lower seeds.
"""

from pathlib import Path
from typing import Annotated

import typer
from safetensors.torch import load_file

from questloom.train.tiny_base.drills import FIRST_SEED
from questloom.train.tiny_base.fit import album, fit
from questloom.train.tiny_base.shape import new_model, save_base
from questloom.train.tiny_base.tokens import check_names, new_processor


def main(
    out: Annotated[Path, typer.Option()],
    minutes: float = 55.0,
    worlds: int = 16,
    width: int = 96,
    layers: int = 3,
    seed: int = 0,
    start: Annotated[
        Path | None, typer.Option(help="Weights to continue from, as this command wrote them.")
    ] = None,
) -> None:
    """Pre-trains a base model. The newest state of the model is written to `out` again and
    again."""
    processor = new_processor()
    check_names(processor.tokenizer)
    model = new_model(processor, seed=seed, width=width, layers=layers)
    if start:
        model.load_state_dict(load_file(start / "model.safetensors"))
    typer.echo(
        f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(processor.tokenizer)} tokens"
    )
    learned = album(range(FIRST_SEED, FIRST_SEED + worlds), 480, processor)
    unseen = album(range(FIRST_SEED - 2, FIRST_SEED), 480, processor)
    typer.echo(f"{len(learned.patches)} pictures")
    fit(
        model,
        processor,
        learned,
        unseen,
        minutes=minutes,
        seed=seed,
        report=typer.echo,
        keep=lambda: save_base(model, processor, out),
    )


if __name__ == "__main__":
    typer.run(main)
