"""Exports a run in one format more, in a process of its own: recipes know the names of formats from import on.

    python -m tests.pipeline.export.use_own_format FOLDER

Prints as JSON what each reader of the registry says of the new format.
"""

import json
import shutil
import sys
from pathlib import Path

from questloom.pipeline import format_registry

format_registry.MODULES = (*format_registry.MODULES, "tests.pipeline.export.own_format")

import pyarrow.parquet as pq  # noqa: E402

from questloom.pipeline.export.dataset import export_dataset  # noqa: E402
from questloom.pipeline.recipe import recipe_of  # noqa: E402
from questloom.pipeline.settings_reference import reference  # noqa: E402
from questloom.pipeline.synth.job import Job  # noqa: E402
from questloom.records.errors import InputError  # noqa: E402
from questloom.transforms.stages.run_folder import RunFolder  # noqa: E402
from tests.pipeline.export import finished_run as world  # noqa: E402
from tests.pipeline.export import taught  # noqa: E402


def main(folder: Path) -> dict:
    made = folder / "made"
    world.write_store(made / "store")
    world.write_run(made / "run", world.recipe())
    shutil.copytree(made / "run", folder / "untaught")
    own = {"formats": ["own_format"]}
    export_dataset(world.job_of(folder / "untaught", made / "store", **own))
    run = taught.copy_of(made, folder)
    taught.teach(run, made / "store")
    export_dataset(Job(RunFolder(str(run)), str(made / "store"), taught.settings()))
    try:
        recipe_of({"export": {"formats": ["their_format"]}}, "test")
        unknown = ""
    except InputError as error:
        unknown = str(error)
    home = folder / "untaught/dataset/formats"
    lines = next((run / "dataset/formats/own_format").glob("trajectories_train/*.jsonl"))
    return {
        "unknown": unknown,
        "reference": reference(),
        "files": sorted(path.name for path in home.rglob("*") if path.is_file()),
        "parts": sorted(path.name for path in (home / "own_format").iterdir() if path.is_dir()),
        "index": (home / "own_format/index.txt").read_text(),
        "rows": pq.read_table(next(home.glob("own_format/rl_train/*.parquet"))).to_pylist(),
        "trajectories": [json.loads(line) for line in lines.read_text().splitlines()],
        "card": (folder / "untaught/dataset/README.md").read_text(),
        "taught_card": (run / "dataset/README.md").read_text(),
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
