import os
import shutil

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from questloom.pipeline.synth.job import Job
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.export.finished_run import job_of


@pytest.fixture
def job(made, tmp_path):
    """A job over a copy of the run."""
    shutil.copytree(made / "run", tmp_path / "run")
    return job_of(tmp_path / "run", made / "store")


@pytest.fixture(scope="session")
def exported(made, tmp_path_factory):
    """A data set that tests only read."""
    from questloom.pipeline.export import export_dataset

    folder = tmp_path_factory.mktemp("exported")
    shutil.copytree(made / "run", folder / "run")
    export_dataset(job_of(folder / "run", made / "store"))
    return folder / "run" / "dataset"


@pytest.fixture(scope="session")
def taught(made, tmp_path_factory):
    """A run with trajectories and its data set; tests only read it."""
    from questloom.pipeline.export import export_dataset
    from tests.pipeline.export import taught as teacher

    folder = tmp_path_factory.mktemp("taught")
    run = teacher.copy_of(made, folder)
    teacher.teach(run, made / "store")
    export_dataset(Job(RunFolder(str(run)), str(made / "store"), teacher.settings()))
    return run
