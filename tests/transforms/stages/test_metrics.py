"""What a runner shows while a job runs: kept and rejected by reason, and what the calls cost; and that runs do not share functions."""

from dataclasses import dataclass, field

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner

from questloom.calls import meter
from questloom.calls.request import CallRequest, Price, Reply
from questloom.files.opened import Opened
from questloom.files.parquet import read_records, write_records
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Seed
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Stage, in_order, reject
from questloom.transforms.stages.stage_transform import StageTransform
from tests.run_files import shard_path


@dataclass(frozen=True)
class Settings:
    run: str
    paid: bool = False
    reasons: dict = field(
        default_factory=lambda: {
            "Q1": Reason.EXCLUDED,
            "Q2": Reason.EXCLUDED,
            "Q3": Reason.NEAR_DUPLICATE,
        }
    )


SOURCE = in_order(Stage(name="source", takes=Seed, gives=Seed))[0]
OPENED = Opened()


def make(settings: Settings):
    async def paid(seed: Seed):
        request = CallRequest(
            provider="p", content={}, stage="metered", price=Price(tokens_in=2, tokens_out=4)
        )
        meter.add(request, Reply(body=b"", tokens_in=10, tokens_out=5))
        return apply(seed)

    def apply(seed: Seed):
        if seed.entity_id in settings.reasons:
            return reject(seed, settings.reasons[seed.entity_id])
        return seed.replace(domain=settings.run.rsplit("/", 1)[-1])

    return paid if settings.paid else apply


def run(folder, **settings) -> dict[str, int]:
    """Runs the stage over five seeds in one shard; gives the metrics."""
    path = str(folder)
    folder_ = RunFolder(path)
    write_records(
        folder_.shard(SOURCE.label, "kept", 0),
        Seed,
        sorted(
            (
                Seed(entity_id=f"Q{i}", method="paths", rule="rare", level="easy", domain="other")
                for i in range(5)
            ),
            key=lambda s: s.id,
        ),
    )
    stage = in_order(
        SOURCE,
        Stage(
            name="metered",
            takes=Seed,
            gives=Seed,
            make=make,
            fingerprint=str(settings),
            in_flight=2,
        ),
    )[1]
    pipeline = beam.Pipeline(
        runner=FnApiRunner(), options=PipelineOptions([], save_main_session=False)
    )
    (
        pipeline
        | beam.Create([0], reshuffle=False)
        | StageTransform(
            stage,
            run=folder_,
            source=SOURCE.label,
            settings=Settings(path, **settings),
            opened=OPENED,
        )
    )
    result = pipeline.run()
    result.wait_until_finish()
    return {
        m.key.metric.name: m.committed
        for m in result.metrics().query()["counters"]
        if m.key.metric.namespace == "metered"
    }


def test_kept_and_rejected_by_reason_are_counted_and_a_shard_that_stands_adds_no_reason(tmp_path):
    first = run(tmp_path / "run")
    assert (first["num_in"], first["num_kept"], first["num_rejected"]) == (5, 2, 3)
    assert (first["rejected_excluded"], first["rejected_near_duplicate"]) == (2, 1)
    assert "rejected_excluded" not in run(tmp_path / "run")


def test_calls_tokens_and_money_are_counted(tmp_path):
    meter.take("metered")
    found = run(tmp_path / "run", paid=True)
    assert {k: found[k] for k in ("calls", "tokens_in", "tokens_out", "money_millionths")} == {
        "calls": 5,
        "tokens_in": 50,
        "tokens_out": 25,
        "money_millionths": 200,
    }


def test_two_runs_of_one_recipe_in_one_process_do_not_share_a_function(tmp_path):
    for name in ("a", "b"):
        run(tmp_path / name)
        assert {
            s.domain for s in read_records(shard_path(tmp_path / name, "metered", "kept", 0), Seed)
        } == {name}
