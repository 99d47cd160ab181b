"""What a killed worker left half-written goes when the job has ended; what stands stays."""

from questloom.pipeline.runners.stage_job import sweep
from questloom.records.synthesis import Seed
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Stage, in_order


def test_half_written_files_beside_the_shards_go_and_shards_stay(tmp_path):
    (stage,) = in_order(Stage(name="draft", takes=Seed, gives=Seed))
    run = RunFolder(str(tmp_path))
    shard = tmp_path / "stages" / stage.label / "kept-00000.parquet"
    shard.parent.mkdir(parents=True)
    shard.write_bytes(b"whole")
    left = shard.with_name(".rejected-00001.parquet.d731cad6.part")
    left.write_bytes(b"half")
    sweep(run, (stage,))
    assert shard.is_file() and not left.exists()
