"""The order in which files of tests begin: the longest first, so that no process waits in the end for another's last file."""
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
LONGEST = (
    "train/test_grpo.py", "pipeline/synth/test_synth_job.py", "pipeline/test_bad_inputs.py", "pipeline/teach/test_teach_job.py",
    "pipeline/commands/test_demo_train.py", "benchmarks/test_train_vs_trl.py", "pipeline/commands/test_publish.py", "train/test_sft.py",
    "pipeline/evolve/test_rounds.py", "train/test_replay.py", "pipeline/export/test_purge.py", "pipeline/commands/test_publish_model.py")
"""Of 20 s of processor time and more."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {FOLDER / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))
