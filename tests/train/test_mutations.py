"""Turning a sign, a mask or a normaliser around makes a test fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.train.mutations import MUTATIONS, ROOT


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_a_mutation_fits_the_code_as_it_is(mutation):
    assert mutation.path.read_text().count(mutation.old) == 1
    assert all((ROOT / file).exists() for file in mutation.files)


@pytest.mark.slow
def test_every_mutation_is_noticed():
    ran = subprocess.run(
        [sys.executable, "-m", "tests.train.mutations"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    missed = [line for line in ran.stdout.splitlines() if not line.startswith("ok")]
    assert ran.returncode == 0 and not missed, "\n".join([*missed, ran.stderr[-2000:]])
