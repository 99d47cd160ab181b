"""Reading a recipe loads what says its settings, and nothing of what carries them out."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SLOW = [
    "apache_beam",
    "cv2",
    "lance",
    "torch",
    "transformers",
    "datasets",
    "openai",
    "aiohttp",
    "pandas",
    "PIL",
    "jinja2",
]
READS = """
import json, sys
from questloom.pipeline.recipe import RECIPES, load_recipe
for path in sorted(RECIPES.glob("*.yaml")):
    load_recipe(path.stem)
print(json.dumps(sorted(sys.modules)))
"""


READS_TRAINERS = """
import json, sys
from questloom.train.settings.settings_file import presets, read_settings
from questloom.train.settings.grpo_settings import GrpoSettings
from questloom.train.settings.training_settings import SftSettings
for kind, grpo in ((SftSettings, False), (GrpoSettings, True)):
    for name in presets(grpo=grpo):
        read_settings(kind, name, [], [])
print(json.dumps(sorted(sys.modules)))
"""


def test_reading_the_shipped_settings_of_the_trainers_loads_no_slow_library():
    done = subprocess.run(
        [sys.executable, "-c", READS_TRAINERS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not set(json.loads(done.stdout)) & set(SLOW)


def test_reading_the_shipped_recipes_loads_no_slow_library_and_no_stage():
    done = subprocess.run(
        [sys.executable, "-c", READS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout))
    assert "questloom.pipeline.recipe" in loaded and not loaded & set(SLOW)
    for stage in (
        "certificate.certify",
        "writing.llm.llm_writer",
        "pictures.choose",
        "external.outside_rows",
    ):
        assert f"questloom.transforms.{stage}" not in loaded
