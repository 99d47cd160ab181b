"""The commands of `examples/README.md`, as they stand there, in a copy of the folder."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from questloom.pipeline.recipe import load_recipe
from questloom.records.outcomes import Rejection
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder
from tests.doctests import ROOT

EXAMPLES = ROOT / "examples"
MAIN = "from questloom.pipeline.cli import main; main()"


def commands() -> list[list[str]]:
    """The commands in the README's block, without `questloom`."""
    (block,) = re.findall(
        r"^```\n(.*?)^```$", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.M | re.S
    )
    lines = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert all(line[0] == "questloom" for line in lines)
    return [line[1:] for line in lines]


def test_the_recipe_names_a_filter_and_a_tool_that_lie_beside_it():
    recipe = load_recipe(str(EXAMPLES / "try.yaml"))
    named = (*recipe.filters.custom, *recipe.teach.tools.custom)
    assert named == ("no_sports:NoSports", "distance:TOOL")
    assert all((EXAMPLES / f"{name.partition(':')[0]}.py").is_file() for name in named)


@pytest.mark.slow
def test_the_commands_make_a_run_in_which_filter_and_tool_show(tmp_path):
    folder = shutil.copytree(EXAMPLES, tmp_path / "examples")
    *steps, chat = commands()
    assert [step[0] for step in steps] == ["world", "ingest", "synth", "teach"]
    for step in steps:
        done = subprocess.run(
            [sys.executable, "-P", "-c", MAIN, *step],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{step}: {done.stdout[-2000:]}{done.stderr[-3000:]}"
    assert (chat[0], "--by-hand" in chat) == ("chat", True)
    run = RunFolder(str(folder / "run"))
    dropped = list(run.read(run.label("no_sports"), "rejected", Rejection))
    assert {row.reason for row in dropped} == {"sport"}
    schemas = EpisodeFolder.of(run).files.prompt["schemas"]
    assert "distance" in [schema["function"]["name"] for schema in schemas]
