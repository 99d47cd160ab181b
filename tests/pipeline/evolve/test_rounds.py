"""Rounds over the small store with a policy that really plays: tags against the truth, an outage, leaks and wrong pictures, and what is edited."""

import hashlib
from collections import Counter
from pathlib import Path

import pytest

from questloom.agent.providers.provider import Provider
from questloom.agent.setup import opened_searches
from questloom.calls.event_loop import submit
from questloom.files.opened import Opened
from questloom.files.parquet import read_records, write_records
from questloom.pipeline.evolve.checks import Checks
from questloom.pipeline.evolve.loop import run_step
from questloom.pipeline.evolve.loop_folder import LoopFolder
from questloom.pipeline.evolve.subset import LABEL, questions_of
from questloom.pipeline.synth.job import Job
from questloom.records.errors import InputError, ProviderFault
from questloom.records.knowledge import Value
from questloom.records.synthesis import Question
from questloom.records.table import Json
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage_shards import shard_facts
from tests.pipeline.evolve.skilled import with_policy

LAST = ("verify", "diagnose", "update", "train")


def steps(loop: LoopFolder, *names: str, number: int = 1, **skills: float) -> None:
    with with_policy(loop.path, loop.store, **skills) as opened:
        for name in names:
            run_step(loop, number, name, opened)


def rewritten(batch: RunFolder, changed: dict[str, Question]) -> None:
    """Puts questions in place of a batch's own."""
    for path in batch.shards(LABEL, "kept"):
        kept = [changed.get(q.id, q) for q in read_records(path, Question)]
        write_records(
            path,
            Question,
            kept,
            **shard_facts(
                batch.read_recipe()["fingerprint"], "", (len(kept), len(kept), 0, 0, len(kept))
            ),
        )


def by_id(loop: LoopFolder) -> dict[str, dict]:
    return {row["id"]: row for row in loop.round(1).read("verify")["tasks"]}


def test_tasks_broken_on_purpose_are_fake_hard_and_those_that_only_the_oracle_solves_too_hard(loop):
    batch = loop.round(1).batch
    questions = questions_of(batch)
    broken = questions[:3]
    rewritten(
        batch,
        {
            q.id: q.replace(
                answer=q.answer.replace(
                    value=Value(kind="string", text="Xyzzy"),
                    text="Xyzzy",
                    type="string",
                    aliases=(),
                )
            )
            for q in broken
        },
    )
    steps(loop, "verify", claim=0.0)
    rows = by_id(loop)
    assert {rows[q.id]["tag"] for q in broken} == {"fake_hard"}
    rest = Counter(row["tag"] for i, row in rows.items() if i not in {q.id for q in broken})
    assert rest["too_hard"] >= 4 and not set(rest) - {"too_hard", "fake_hard"}, rest
    for row in rows.values():
        assert row["probes"] == 4 and row["recovered"] == 0
        assert row["judged"] == 4, "continuations never count in pass rates"


class Down:
    """The searches of a provider that is down."""

    def __init__(self, provider: Provider) -> None:
        self.snapshot = provider.snapshot

    def __getattr__(self, name: str):
        async def fails(*args, **kwargs):
            raise ProviderFault("search", "the service is down", status=503)

        return fails


def test_an_outage_of_the_search_provider_is_nobodys_fault_and_edits_nothing(loop):
    opened = with_policy(loop.path, loop.store)
    clip = loop.recipe.models.clip
    licences = loop.recipe.pictures.licences
    down = Down(opened_searches(loop.store, clip, licences, with_policy(loop.path, loop.store)))
    opened.put(("searches", loop.store, clip, licences), down)
    for name in LAST:
        run_step(loop, 1, name, opened)
    at = loop.round(1)
    assert {row["tag"] for row in at.read("verify")["tasks"]} == {"infra_failure"}
    assert at.read("diagnose")["tasks"] == [] and at.read("diagnose")["blamed"] == ""
    update = at.read("update")
    assert update["edits"] == [] and "provider" in update["note"] and update["parent"] == 0
    assert update["next"] == at.recipe.resolved()


@pytest.mark.slow
def test_a_policy_that_solves_everything_leads_to_harder_tasks(loop):
    steps(loop, *LAST, claim=1.0, detail=1.0, compute=1.0)
    at = loop.round(1)
    tags = at.read("verify")["tags"]
    assert tags["too_easy"] >= 6
    edits = {edit["path"]: edit for edit in at.read("update")["edits"]}
    causes = {edit["cause"] for edit in edits.values()}
    assert causes, at.read("diagnose")["recurring"]
    for edit in edits.values():
        assert len(edit["tasks"]) >= 3 and set(edit["tasks"]) <= set(by_id(loop))
        if edit["cause"] == "too_easy":
            assert edit["path"] != "seeds.levels.easy" or edit["after"] < edit["before"]


def test_pictures_of_other_things_are_the_pictures_fault(loop):
    batch = loop.round(1).batch
    questions = sorted(questions_of(batch), key=lambda q: q.domain)
    shown = {q.id: (q.image_id, q.source_image_id) for q in questions}
    far = questions[len(questions) // 2 :] + questions[: len(questions) // 2]
    rewritten(
        batch,
        {
            q.id: q.replace(
                image_id=shown[other.id][0],
                source_image_id=shown[other.id][1],
                grounding=Json({"status": "not_run"}),
            )
            for q, other in zip(questions, far, strict=True)
        },
    )
    steps(loop, "verify", "diagnose", "update", claim=0.0)
    at = loop.round(1)
    assert at.read("diagnose")["blamed"] == "pictures", at.read("diagnose")["recurring"]
    assert ("grounding.mode", "optional") in {
        (e["path"], e["after"]) for e in at.read("update")["edits"]
    }


@pytest.mark.slow
def test_a_shortcut_by_a_search_that_the_policy_cannot_make_is_none(loop):
    at = loop.round(1)
    job = Job(at.batch, loop.store, at.as_run, Opened())

    def causes(*tools: str) -> set[str]:
        checks = Checks(job, tools)
        return {
            finding.cause
            for q in questions_of(at.batch)
            for finding in submit(checks.findings(q)).result()
        }

    assert causes("text_search", "image_search") & {"text_search", "image_search"}
    assert not causes("visit") & {"text_search", "image_search"}


def digests(at: Path) -> dict[str, str]:
    names = (
        "forward.json",
        "verify.json",
        "diagnosis.json",
        "update.json",
        "train.json",
        "recipe.json",
    )
    return {
        name: hashlib.sha256((at / name).read_bytes()).hexdigest()
        for name in names
        if (at / name).is_file()
    }


@pytest.mark.slow
def test_a_step_that_stands_is_not_done_again_and_one_whose_file_is_lost_comes_out_the_same(loop):
    steps(loop, *LAST)
    at = loop.round(1)
    before = digests(at.path)
    for name in ("verify.json", "diagnosis.json", "update.json", "train.json"):
        (at.path / name).unlink()
    steps(loop, *LAST)
    assert digests(at.path) == before


@pytest.mark.parametrize("step", ["verify", "update"])
def test_a_step_before_its_time_is_refused(loop, step):
    with pytest.raises(InputError, match=r"recipe yet|has not ended"):
        steps(loop, step, number=2)
