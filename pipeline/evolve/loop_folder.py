"""The files of a loop: `LOOP/loop.json`, `LOOP/rounds/01/…`; see README.md. The folder of a loop
must be on a local disk.
"""

import json
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from questloom.files.parquet import write_whole
from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json, chance
from questloom.transforms.stages.run_folder import RunFolder

STEPS = ("forward", "verify", "diagnose", "update", "train")
"""The steps of a round in order."""
FILES = {
    "forward": "forward.json",
    "verify": "verify.json",
    "diagnose": "diagnosis.json",
    "update": "update.json",
    "train": "train.json",
}
"""For each step, the file that the step writes last."""
VERSION = 2
"""The version of a loop's files. Files of version 1 do not state their version, and contain less
about rollouts and findings. In version 1, two loops always drew the same random seeds."""


@dataclass(frozen=True)
class RoundFolder:
    """One round's folder."""

    path: Path

    @property
    def number(self) -> int:
        return int(self.path.name)

    @property
    def synth(self) -> RunFolder:
        return RunFolder(str(self.path / "synth"))

    @property
    def batch(self) -> RunFolder:
        return RunFolder(str(self.path / "batch"))

    @property
    def unsolved(self) -> RunFolder:
        return RunFolder(str(self.path / "unsolved"))

    @property
    def data(self) -> RunFolder:
        return RunFolder(str(self.path / "data"))

    def done(self, step: str) -> bool:
        """Whether the file of a step exists."""
        return (self.path / FILES[step]).is_file()

    def read(self, step: str) -> dict[str, Any]:
        """The content of a step's file.

        Raises:
            InputError: the step has not ended yet.
        """
        if not self.done(step):
            raise InputError(
                str(self.path),
                f"the step {step} has not ended there",
                f"Run it first: {self._command} --round {self.number} --step {step}",
            )
        return json.loads((self.path / FILES[step]).read_text(encoding="utf-8"))

    def write(self, step: str, found: dict[str, Any]) -> None:
        """Writes a step's file, which ends the step."""
        write_json(self.path / FILES[step], found)

    @property
    def _command(self) -> str:
        return f"questloom evolve --out {shlex.quote(str(self.path.parents[1]))}"

    @property
    def has_recipe(self) -> bool:
        return (self.path / "recipe.json").is_file()

    @cached_property
    def _begun(self) -> dict[str, Any]:
        if not self.has_recipe:
            raise InputError(
                str(self.path),
                "has no recipe yet",
                f"Run the rounds before it first, or all: {self._command}",
            )
        return json.loads((self.path / "recipe.json").read_text(encoding="utf-8"))

    @property
    def recipe(self) -> Recipe:
        """The round's recipe as the loop evolved it; ODE calls this recipe C_t. The recipe does not
        contain the random seed and the excluded entities of this round.

        Raises:
            InputError: the round has not been prepared.
        """
        return recipe_of(self._begun["recipe"], str(self.path / "recipe.json"))

    @property
    def as_run(self) -> Recipe:
        """The recipe of the round's run, with the random seed and the excluded entities of this
        round.
        """
        return recipe_of(self.synth.read_recipe()["recipe"], str(self.synth.recipe))

    @property
    def model(self) -> str:
        """The folder of the policy's model; "" means the model that the recipe names."""
        return self._begun["model"]

    @property
    def parent(self) -> int:
        """The number of the round whose edited recipe this round uses; 0 for the first round."""
        return self._begun["parent"]

    def begin(self, recipe: Recipe, *, model: str, parent: int) -> None:
        """Prepares the round's folder."""
        write_json(
            self.path / "recipe.json",
            {"recipe": recipe.resolved(), "model": model, "parent": parent},
        )


@dataclass(frozen=True)
class LoopFolder:
    """A loop's folder."""

    path: Path

    def round(self, number: int) -> RoundFolder:
        """The folder of a round; the first round has number 1."""
        return RoundFolder(self.path / "rounds" / f"{number:02d}")

    def held_out(self, number: int) -> RoundFolder:
        """The folder in which the recipe of a round is tried on fresh tasks."""
        return RoundFolder(self.path / "held_out" / f"{number:02d}")

    def rounds(self, *, before: int = 1 << 30) -> list[RoundFolder]:
        """The rounds that have begun, in order."""
        found = (
            (RoundFolder(p) for p in sorted((self.path / "rounds").glob("[0-9][0-9]")))
            if self.path.is_dir()
            else ()
        )
        return [each for each in found if each.has_recipe and each.number < before]

    @property
    def begun(self) -> bool:
        return (self.path / "loop.json").is_file()

    @cached_property
    def _facts(self) -> dict[str, Any]:
        if not self.begun:
            raise InputError(
                str(self.path),
                "is no loop (no loop.json in it)",
                "Begin one: questloom evolve --out LOOP --store STORE --recipe RECIPE.",
            )
        return json.loads((self.path / "loop.json").read_text(encoding="utf-8"))

    @property
    def store(self) -> str:
        return self._facts["store"]

    @property
    def recipe(self) -> Recipe:
        """The recipe with which the loop began. The section `evolve` of this recipe applies to the
        whole loop.

        Raises:
            InputError: the folder holds no loop.
        """
        return recipe_of(self._facts["recipe"], str(self.path / "loop.json"))

    def seed_of(self, purpose: str) -> int:
        """The random seed for the given purpose. Two loops with different seeds also have different
        seeds in every round.
        """
        return chance(self.recipe.seed, purpose, "loop").getrandbits(31)

    def check_version(self) -> None:
        """Raises an error if another version of the program began the loop. A loop of another
        version can still be read.

        Raises:
            InputError: another version began the loop, and would choose the questions of a round by
                other rules.
        """
        if self._facts.get("version", 1) != VERSION:
            raise InputError(
                str(self.path),
                "holds a loop of another version, which draws its rounds with other seeds",
                "Go on with that version, or begin a loop in a new --out folder.",
            )

    def begin(self, recipe: Recipe, *, store: str, digest: str) -> None:
        """Writes `loop.json`, or checks that an existing `loop.json` says the same.

        Raises:
            InputError: the folder holds another loop, or other files.
        """
        facts = {"recipe": recipe.resolved(), "store": store, "digest": digest}
        if self.begun:
            changed = sorted(key for key in facts if self._facts[key] != facts[key])
            if changed:
                raise InputError(
                    str(self.path),
                    f"holds a loop with another {' and '.join(changed)}",
                    "Name a new --out folder, or go on with --out alone.",
                )
            return
        if self.path.exists() and any(self.path.iterdir()):
            raise InputError(
                str(self.path),
                "is not empty and holds no loop",
                "Name a new or an empty --out folder.",
            )
        write_json(self.path / "loop.json", {**facts, "version": VERSION})


def write_json(path: Path, value: Any) -> None:
    """Writes a JSON file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (canonical_json(value) + "\n").encode())
