"""What lies where in a loop: `LOOP/loop.json`, `LOOP/rounds/01/…`. See README.md. A loop lies on a local disk."""

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
"""In their order."""
FILES = {
    "forward": "forward.json",
    "verify": "verify.json",
    "diagnose": "diagnosis.json",
    "update": "update.json",
    "train": "train.json",
}
"""The file that a step writes last."""
VERSION = 2
"""Of a loop's files. Those of the first, which state none, say less of rollouts and findings, and other loops' rounds were drawn with the same seeds."""


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
        """Whether a step's file stands."""
        return (self.path / FILES[step]).is_file()

    def read(self, step: str) -> dict[str, Any]:
        """What a step wrote.

        Raises:
            InputError: it has not ended yet.
        """
        if not self.done(step):
            raise InputError(
                str(self.path),
                f"the step {step} has not ended there",
                f"Run it first: {self._command} --round {self.number} --step {step}",
            )
        return json.loads((self.path / FILES[step]).read_text(encoding="utf-8"))

    def write(self, step: str, found: dict[str, Any]) -> None:
        """Ends a step."""
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
        """C_t: as it evolved, before a round's seed and exclusions are set.

        Raises:
            InputError: the round has not been prepared.
        """
        return recipe_of(self._begun["recipe"], str(self.path / "recipe.json"))

    @property
    def as_run(self) -> Recipe:
        """The recipe with which the round's run was made: with its seed and exclusions."""
        return recipe_of(self.synth.read_recipe()["recipe"], str(self.synth.recipe))

    @property
    def model(self) -> str:
        """Folder of the policy's model; "" for what the recipe names."""
        return self._begun["model"]

    @property
    def parent(self) -> int:
        """The round from whose recipe this one was edited; 0 for the first."""
        return self._begun["parent"]

    def begin(self, recipe: Recipe, *, model: str, parent: int) -> None:
        """Prepares the round."""
        write_json(
            self.path / "recipe.json",
            {"recipe": recipe.resolved(), "model": model, "parent": parent},
        )


@dataclass(frozen=True)
class LoopFolder:
    """A loop's folder."""

    path: Path

    def round(self, number: int) -> RoundFolder:
        """A round, from 1."""
        return RoundFolder(self.path / "rounds" / f"{number:02d}")

    def held_out(self, number: int) -> RoundFolder:
        """Where the recipe of that round is tried on fresh tasks."""
        return RoundFolder(self.path / "held_out" / f"{number:02d}")

    def rounds(self, *, before: int = 1 << 30) -> list[RoundFolder]:
        """The rounds that were begun, in order."""
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
        """The first recipe; its section `evolve` is the loop's.

        Raises:
            InputError: there is no loop.
        """
        return recipe_of(self._facts["recipe"], str(self.path / "loop.json"))

    def seed_of(self, purpose: str) -> int:
        """The seed of a round's draws: no loop of another seed draws alike in any of its rounds."""
        return chance(self.recipe.seed, purpose, "loop").getrandbits(31)

    def check_version(self) -> None:
        """Before anything is done in a loop; what stands there can be read whatever its version.

        Raises:
            InputError: it was begun by another version, so that its rounds would be drawn by two rules.
        """
        if self._facts.get("version", 1) != VERSION:
            raise InputError(
                str(self.path),
                "holds a loop of another version, which draws its rounds with other seeds",
                "Go on with that version, or begin a loop in a new --out folder.",
            )

    def begin(self, recipe: Recipe, *, store: str, digest: str) -> None:
        """Writes `loop.json`, or finds that it says the same.

        Raises:
            InputError: the folder holds another loop, or something else.
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
    """Writes JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (canonical_json(value) + "\n").encode())
