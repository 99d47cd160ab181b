import os
import signal
import subprocess
import sys
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions

from questloom.pipeline.runners import forked_worker
from questloom.pipeline.runners.local_runner import local_runner

SCRIPT = """
import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from questloom.pipeline.runners.local_runner import local_runner

open({ran!r}, "a").write("ran\\n")
options = PipelineOptions(["--direct_num_workers=2"], save_main_session=False)
with beam.Pipeline(runner=local_runner(2), options=options) as pipeline:
    pipeline | beam.Create([1])
"""


def test_a_worker_runs_in_a_process_of_its_own_with_the_variables_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUESTLOOM_SAID", "by the test")
    options = PipelineOptions(["--direct_num_workers=2"], save_main_session=False)
    with beam.Pipeline(runner=local_runner(2), options=options) as pipeline:
        (
            pipeline
            | beam.Create([str(tmp_path)])
            | beam.Map(
                lambda folder: Path(folder, "said").write_text(
                    f"{os.getpid()} {os.environ['QUESTLOOM_SAID']}, {signal.getsignal(signal.SIGINT).__name__}"
                )
            )
        )
    process, said = (tmp_path / "said").read_text().split(" ", 1)
    assert int(process) != os.getpid()
    assert said == "by the test, default_int_handler"  # Ctrl-C ends a worker, not its server


def test_a_worker_does_not_run_the_script_of_the_user_again(tmp_path: Path) -> None:
    script, ran = tmp_path / "script.py", tmp_path / "ran"
    script.write_text(SCRIPT.format(ran=str(ran)))
    subprocess.run([sys.executable, str(script)], check=True, timeout=120)
    assert ran.read_text() == "ran\n"


def test_a_worker_that_dies_before_it_is_ready_ends_the_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forked_worker, "work", os._exit)
    options = PipelineOptions(["--direct_num_workers=2"], save_main_session=False)
    with (
        pytest.raises(RuntimeError, match="before it was ready"),
        beam.Pipeline(runner=local_runner(2), options=options) as pipeline,
    ):
        pipeline | beam.Create([1])


def test_workers_share_the_processors_unless_the_user_says_how_many_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    for given, expected in ((None, "3"), ("5", "5")):
        monkeypatch.delenv(forked_worker.THREADS, raising=False)
        if given:
            monkeypatch.setenv(forked_worker.THREADS, given)
        options = PipelineOptions(["--direct_num_workers=2"], save_main_session=False)
        with beam.Pipeline(runner=local_runner(2), options=options) as pipeline:
            (
                pipeline
                | beam.Create([str(tmp_path / "threads")])
                | beam.Map(lambda path: Path(path).write_text(os.environ["OMP_NUM_THREADS"]))
            )
        assert (tmp_path / "threads").read_text() == expected
        assert os.environ.get(forked_worker.THREADS) == given
