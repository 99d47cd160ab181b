"""The stage pattern on the smallest stages: what is written, what is skipped, what waits, what is never lost."""

from dataclasses import dataclass
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.files.opened import Opened
from questloom.files.parquet import read_records, write_records, write_whole
from questloom.records.errors import BudgetExceeded, ProviderFault
from questloom.records.identity import shard_of
from questloom.records.outcomes import Pending, Reason, Rejection
from questloom.records.synthesis import Seed
from questloom.records.table import Record
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Side, Stage, in_order, reject
from questloom.transforms.stages.stage_shards import Outcomes, write_shard
from questloom.transforms.stages.stage_transform import run_in_order
from tests.run_files import counts, read_stage, shard_path, stage_names

SHARDS = 3
CALLS: list[str] = []
SOURCE = in_order(Stage(name="source", takes=Seed, gives=Seed))[0]


@dataclass(frozen=True)
class Rule:
    """Settings of the test's stage: which entities meet which fate."""

    drop: frozenset[str] = frozenset()
    wait: frozenset[str] = frozenset()
    raise_: frozenset[str] = frozenset()
    broke: frozenset[str] = frozenset()


def make(rule: Rule):
    def apply(seed: Seed):
        CALLS.append(seed.entity_id)
        if seed.entity_id in rule.raise_:
            raise KeyError("a fault of ours")
        if seed.entity_id in rule.wait:
            raise ProviderFault("endpoint", "down")
        if seed.entity_id in rule.broke:
            raise BudgetExceeded("spent")
        return reject(seed, Reason.EXCLUDED) if seed.entity_id in rule.drop else seed

    return apply


def make_async(rule: Rule):
    plain = make(rule)

    async def apply(seed: Seed):
        return plain(seed)

    return apply


def seeds(number: int) -> list[Seed]:
    return [
        Seed(entity_id=f"Q{i}", method="paths", rule="rare", level="easy", domain="other")
        for i in range(number)
    ]


def write_source(run: Path, found: list[Seed]) -> None:
    for shard in range(SHARDS):
        mine = sorted((s for s in found if shard_of(s.id, SHARDS) == shard), key=lambda s: s.id)
        write_records(RunFolder(str(run)).shard(SOURCE.label, "kept", shard), Seed, mine)


def run_job(run: Path, *stages: Stage, rule: Rule = Rule()) -> None:
    """Runs a job of the source and some stages."""
    pipeline = beam.Pipeline(
        runner="FnApiRunner",
        options=PipelineOptions(["--runner=FnApiRunner"], save_main_session=False),
    )
    with Opened() as opened:
        shards = pipeline | beam.Create(range(SHARDS), reshuffle=False)
        run_in_order(
            shards, in_order(SOURCE, *stages), run=RunFolder(str(run)), settings=rule, opened=opened
        )
        pipeline.run().wait_until_finish()


def run_stage(run: Path, rule: Rule, *, factory=make, fingerprint: str = "a") -> None:
    run_job(
        run,
        Stage(
            name="test",
            takes=Seed,
            gives=Seed,
            make=factory,
            fingerprint=f"{fingerprint}{hash(rule)}{factory.__name__}",
            in_flight=4,
        ),
        rule=rule,
    )


def tree(run: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(run)): p.read_bytes() for p in sorted(run.glob("stages/**/*.parquet"))
    }


@pytest.mark.parametrize("factory", [make, make_async])
def test_every_item_is_kept_rejected_or_pending(tmp_path, factory):
    write_source(tmp_path, seeds(40))
    run_stage(
        tmp_path,
        Rule(
            drop=frozenset({"Q1", "Q2"}),
            wait=frozenset({"Q3"}),
            raise_=frozenset({"Q4"}),
            broke=frozenset({"Q5"}),
        ),
        factory=factory,
    )
    found = counts(str(tmp_path), "test")
    assert (
        sum(c.num_in for c in found)
        == 40
        == sum(c.num_kept + c.num_rejected + c.num_pending for c in found)
    )
    rejected = {r.title: r.reason for r in read_stage(str(tmp_path), "test", "rejected", Rejection)}
    assert rejected == {"Q1": "excluded", "Q2": "excluded", "Q4": "error"}
    assert sorted(p.cause for p in read_stage(str(tmp_path), "test", "pending", Pending)) == [
        "budget",
        "provider",
    ]


def test_an_exception_leaves_its_traceback_as_evidence(tmp_path):
    write_source(tmp_path, seeds(3))
    run_stage(tmp_path, Rule(raise_=frozenset({"Q0"})))
    (rejection,) = read_stage(str(tmp_path), "test", "rejected", Rejection)
    assert "a fault of ours" in rejection.evidence["traceback"]


def test_a_finished_shard_is_not_computed_again(tmp_path):
    write_source(tmp_path, seeds(20))
    run_stage(tmp_path, Rule())
    before = tree(tmp_path)
    CALLS.clear()
    run_stage(tmp_path, Rule())
    assert CALLS == [] and tree(tmp_path) == before


def test_a_shard_that_stands_has_its_time_wherever_its_writer_was_killed(tmp_path, monkeypatch):
    def killed_after(path, kind, rows, **facts):
        write_records(path, kind, rows, **facts)
        if path.name.startswith("kept"):
            raise KeyboardInterrupt

    run, stage = (
        RunFolder(str(tmp_path)),
        in_order(SOURCE, Stage(name="test", takes=Seed, gives=Seed))[1],
    )
    monkeypatch.setattr("questloom.transforms.stages.stage_shards.write_records", killed_after)
    with pytest.raises(KeyboardInterrupt):
        write_shard(run, stage, 0, "", Outcomes.empty())
    assert run.shard(stage.label, "kept", 0).is_file()
    assert run.timing(stage.label, 0).is_file()


def test_only_the_shard_that_is_missing_is_computed(tmp_path):
    write_source(tmp_path, seeds(20))
    run_stage(tmp_path, Rule())
    before = tree(tmp_path)
    shard_path(str(tmp_path), "test", "kept", 1).unlink()
    CALLS.clear()
    run_stage(tmp_path, Rule())
    mine = {s.entity_id for s in read_records(shard_path(str(tmp_path), "source", "kept", 1), Seed)}
    assert set(CALLS) == mine and tree(tmp_path) == before


def test_a_shard_with_something_pending_is_done_again_and_then_whole(tmp_path):
    write_source(tmp_path, seeds(12))
    run_stage(tmp_path, Rule(wait=frozenset({"Q7"})), fingerprint="")
    assert [p.item_id for p in read_stage(str(tmp_path), "test", "pending", Pending)]
    run_stage(tmp_path, Rule(), fingerprint="")
    assert not list(read_stage(str(tmp_path), "test", "pending", Pending))
    assert sum(c.num_kept for c in counts(str(tmp_path), "test")) == 12


def test_a_changed_input_is_computed_again(tmp_path):
    write_source(tmp_path, seeds(6))
    run_stage(tmp_path, Rule())
    write_source(tmp_path, seeds(9))
    run_stage(tmp_path, Rule())
    assert sum(c.num_in for c in counts(str(tmp_path), "test")) == 9


@settings(max_examples=10, deadline=None)
@given(st.permutations(list(range(30))))
def test_the_order_of_arrival_does_not_show(tmp_path_factory, order):
    plain, shuffled = tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("shuffled")
    found = seeds(30)
    write_source(plain, found)
    write_source(shuffled, [found[i] for i in order])
    assert tree(plain) == tree(shuffled)


@dataclass(frozen=True, kw_only=True)
class Note(Record):
    """What stands beside a seed."""

    item_id: str
    domain: str


class WriteNotes(beam.DoFn):
    """Writes a note beside every seed with an even number."""

    def __init__(self, run: RunFolder, source: str, label: str) -> None:
        self.run, self.source, self.label = run, source, label

    def process(self, shard: int):
        found = read_records(self.run.shard(self.source, "kept", shard), Seed)
        notes = [Note(item_id=s.id, domain="noted") for s in found if int(s.entity_id[1:]) % 2 == 0]
        write_records(self.run.shard(self.label, "side", shard), Note, notes)
        yield shard


@dataclass(frozen=True)
class Gather:
    run: RunFolder

    def __call__(self, shards, settings, source, label):
        return shards | "notes" >> beam.ParDo(WriteNotes(self.run, source, label))


def make_noted(rule: Rule):
    return lambda seed, note: seed.replace(domain=note.domain if note else "none")


def make_noted_async(rule: Rule):
    async def apply(seed: Seed, note: Note | None):
        return seed.replace(domain=note.domain if note else "none")

    return apply


@pytest.mark.parametrize("factory", [make_noted, make_noted_async])
def test_a_second_input_reaches_a_plain_function_and_a_coroutine_alike(tmp_path, factory):
    write_source(tmp_path, seeds(10))
    side = Side(record=Note, gather=Gather(RunFolder(str(tmp_path))))
    run_job(
        tmp_path, Stage(name="noted", takes=Seed, gives=Seed, make=factory, in_flight=4, side=side)
    )
    kept = {s.entity_id: s.domain for s in read_stage(tmp_path, "noted", "kept", Seed)}
    assert kept == {f"Q{i}": "none" if i % 2 else "noted" for i in range(10)}


def test_a_stage_is_added_in_one_place_and_all_that_follow_are_renumbered(tmp_path):
    def stage(name: str, drop: str) -> Stage:
        return Stage(name=name, takes=Seed, gives=Seed, make=make_dropping(drop), fingerprint=drop)

    write_source(tmp_path, seeds(5))
    run_job(tmp_path, stage("first", "Q0"), stage("last", "Q1"))
    assert stage_names(tmp_path) == ["source", "first", "last"]
    write_source(tmp_path / "more", seeds(5))
    run_job(tmp_path / "more", stage("first", "Q0"), stage("between", "Q2"), stage("last", "Q1"))
    assert RunFolder(str(tmp_path / "more")).labels() == [
        "01-source",
        "02-first",
        "03-between",
        "04-last",
    ]
    assert {s.entity_id for s in read_stage(tmp_path / "more", "last", "kept", Seed)} == {
        "Q3",
        "Q4",
    }
    assert [
        r.stage
        for name in ("first", "between", "last")
        for r in read_stage(tmp_path / "more", name, "rejected", Rejection)
    ] == ["first", "between", "last"], (
        "the stage that rejected stands in the rejection, without a number"
    )


@dataclass(frozen=True)
class make_dropping:
    drop: str

    def __call__(self, rule: Rule):
        return lambda seed: reject(seed, Reason.EXCLUDED) if seed.entity_id == self.drop else seed


def test_a_stage_may_take_what_an_earlier_one_kept(tmp_path):
    write_source(tmp_path, seeds(4))
    run_job(
        tmp_path,
        Stage(name="first", takes=Seed, gives=Seed, make=make_dropping("Q0")),
        Stage(name="again", takes=Seed, gives=Seed, make=make_dropping("Q1"), source="source"),
    )
    assert {s.entity_id for s in read_stage(tmp_path, "again", "kept", Seed)} == {"Q0", "Q2", "Q3"}


@pytest.mark.parametrize(
    "stages",
    [
        [Stage(name="a", takes=Seed, gives=Seed), Stage(name="a", takes=Seed, gives=Seed)],
        [
            Stage(name="a", takes=Seed, gives=Seed, source="b"),
            Stage(name="b", takes=Seed, gives=Seed),
        ],
    ],
)
def test_two_stages_of_one_name_and_a_source_that_comes_later_are_refused(stages):
    with pytest.raises(AssertionError):
        in_order(*stages)


def test_what_a_killed_worker_left_half_written_is_no_timing(tmp_path):
    run = RunFolder(str(tmp_path))
    write_whole(run.timing("01-seeds", 3), b"1.5")
    (tmp_path / "timing" / "01-seeds" / ".00004.0f.part").write_bytes(b"")
    assert run.seconds("01-seeds") == 1.5
