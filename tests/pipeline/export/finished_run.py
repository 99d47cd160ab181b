"""A small finished run with its store, written as the stages write theirs: 24 questions on 12 pictures in two shards."""

import json
from pathlib import Path

from questloom.files.parquet import write_whole
from questloom.knowledge.store.build import build_store
from questloom.models.picture_file import decode, encode
from questloom.pipeline.format_registry import format_names
from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.pipeline.synth.job import Job
from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.identity import sha256_hex, shard_of
from questloom.records.knowledge import ImageAsset, Value
from questloom.records.outcomes import Reason
from questloom.records.synthesis import (
    Answer,
    Certificate,
    Check,
    Enhancement,
    Hop,
    Question,
    Rival,
    Seed,
    Verdict,
)
from questloom.transforms.enhancement.degrade import Degradation, degrade
from questloom.transforms.pictures.shown import shown
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Stage, in_order, reject
from questloom.transforms.stages.stage_shards import Outcomes, file_digest, write_shard
from tests.models.pictures import file_of, scene

NUM_SHARDS, NUM_PICTURES, NUM_QUESTIONS = 2, 12, 24
LICENCES = ("CC BY-SA 4.0", "CC0", "Public domain", "CC BY 3.0")
HOSTILE = "Which <b>tower</b> | stands `here`,\n*where* [the](x) ship lay?"
TRACEBACK = {
    "error": "FileNotFoundError(2, '/srv/machine/place')",
    "traceback": 'File "/srv/machine/place.py"',
}
UNLICENSED = "Tower without a licence.jpg"
DRAFT, PICTURES, CERTIFY, ENHANCE, SPLIT = "draft", "pictures", "certify", "enhance", "split"


def file_name(picture: int) -> str:
    """Its Commons file name, which names what it shows."""
    return f"Lamp Tower {picture} é.jpg"


def source_bytes(picture: int) -> bytes:
    """The file as Commons has it."""
    return file_of(scene(picture, (160, 120)), quality=95)


def shown_picture(picture: int):
    """The picture as the policy sees it."""
    return shown(source_bytes(picture))


def write_store(path: Path) -> None:
    """A store that knows the pictures; number 90 has no licence, and no question is about number 91."""
    images = []
    for n in (*range(NUM_PICTURES), 90, 91):
        data = source_bytes(n)
        images.append(
            (
                ImageAsset(
                    id=sha256_hex(data),
                    file=file_name(n) if n != 90 else UNLICENSED,
                    mime="image/jpeg",
                    width=160,
                    height=120,
                    num_bytes=len(data),
                    licence=LICENCES[n % 4] if n != 90 else "",
                    licence_url="https://licence.example",
                    author=f"Ann Grey {n}",
                    credit="Own work",
                    entity_ids=(f"Q9{n:05d}",),
                    source_page=f"https://commons.example/wiki/File:{file_name(n).replace(' ', '_')}",
                ),
                data,
            )
        )
    build_store(str(path), images=images, snapshot="2026-01-01")


def recipe(**export) -> Recipe:
    """Its recipe."""
    return recipe_of(
        {
            "name": "small",
            "seed": 3,
            "run": {"shards": NUM_SHARDS},
            "models": {"clip": "/srv/machine/clip"},
            "export": {"formats": list(format_names())} | export,
        },
        "test",
    )


def drafted(n: int) -> Question:
    """Question n, before it has a picture; questions n and n + 12 share one."""
    kind = ("entity", "date", "quantity")[n % 3]
    form = Form(
        clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="a")),
        ask=Ask(var="a", type=kind),
    )
    return Question(
        seed_id=f"{n:032x}",
        seed_entity=f"Q9{n % NUM_PICTURES:05d}",
        method=("paths", "injection")[n % 2],
        level=("easy", "medium", "hard")[n % 3],
        domain="artifact",
        topic="history",
        text=HOSTILE if n == 0 else f"Who drew tower number {n} of the town in the picture?",
        writer="graph",
        answer=Answer(
            value=Value(kind="string", text=f"Answer {n}"),
            text=f"Answer {n}",
            type=kind,
            aliases=(f"A{n}",),
            unit="metres" if n % 3 == 2 else "",
        ),
        form=form.to_json(),
        bindings={"x0": f"Q9{n % NUM_PICTURES:05d}", "a": f"Q8{n:05d}"},
        anchor=f"Q9{n % NUM_PICTURES:05d}",
        anchor_phrase="the town",
        hops=(Hop(source="x0", target="a", property="P84", claim_id="c1", revision=7),),
    )


def pictured(q: Question, n: int) -> Question:
    """With its picture."""
    return q.replace(
        image_id=shown_picture(n % NUM_PICTURES).id,
        source_image_id=sha256_hex(source_bytes(n % NUM_PICTURES)),
        grounding={"status": "not_run", "model": "clip", "support": ["title"]},
    )


def certified(q: Question, n: int) -> Question:
    """With certificate and verdicts; question 5's verdict names picture 3, as an image search might."""
    seen = {"nearest": file_name(3), "image_id": shown_picture(3).id} if n == 5 else None
    return q.replace(
        certificate=Certificate(
            basis="margin",
            margin=2,
            nearest_rival=Rival(var="x0", entity_id="Q9", label="Other", num_gaps=2),
            breaking_claims=("c1",),
            evidence=q.hops,
            nominal_hops=2,
            effective_hops=1,
            answers_without_picture=3,
            checks=(Check(name="margin", passed=True, score=2.0),),
        ),
        verdicts=(
            Verdict(filter="image_search", passed=True, solver="local_search", evidence=seen),
        ),
    )


def enhanced(q: Question, n: int) -> tuple[Question, bytes | None]:
    """Every sixth question's picture degraded."""
    if n % 6:
        return q, None
    made = shown(degrade(decode(shown_picture(n % NUM_PICTURES).data), Degradation("blur", 0.6)))
    change = Enhancement(
        degradation="blur", tool="sharpen", severity=0.6, original_image_id=q.image_id
    )
    return q.replace(image_id=made.id, enhancement=change), made.data


def split_of(n: int) -> str:
    """By picture, so that splits are disjoint."""
    return ("rl/train", "rl/train", "rl/train", "sft/train", "benchmark", "rl/validation")[
        n % NUM_PICTURES % 6
    ]


def seed(n: int) -> Seed:
    """What question n grew from."""
    return Seed(
        entity_id=f"Q9{n:05d}", method="paths", rule="anchor", level="easy", domain="artifact"
    )


def write_run(run: Path, settings: Recipe) -> None:
    """Seeds, drafts, pictures (one refused for its licence), certificates (question 7 refused, question 8 an error), splits."""
    write_whole(
        run / "recipe.json",
        json.dumps(
            {"recipe": settings.resolved(), "fingerprint": settings.fingerprint, "store": "d"}
        ).encode(),
    )
    numbers = {drafted(n).id: n for n in range(NUM_QUESTIONS)}
    for n in range(NUM_PICTURES):
        write_whole(RunFolder(str(run)).picture(shown_picture(n).id), shown_picture(n).data)
    for shard in range(NUM_SHARDS):
        mine = {i: n for i, n in numbers.items() if shard_of(i, NUM_SHARDS) == shard}
        stages: dict[str, list] = {
            "seeds": [seed(n) for n in mine.values()],
            DRAFT: [drafted(n) for n in mine.values()],
        }
        last: list[Question] = []
        stages[PICTURES] = [pictured(drafted(n), n) for n in mine.values()]
        if shard == 0:
            refused = drafted(99)
            stages[DRAFT].append(refused)
            stages["seeds"].append(seed(99))
            stages[PICTURES].append(
                reject(
                    refused,
                    Reason.NO_LICENCE,
                    {"candidates": [{"file": UNLICENSED, "reason": "no_licence"}]},
                )
            )
        stages[CERTIFY] = []
        for q in (q for q in stages[PICTURES] if isinstance(q, Question)):
            n = mine[q.id]
            bad = {
                7: (Reason.MARGIN_TOO_SMALL, {"rival": "Q1", "seen": file_name(7)}),
                8: (Reason.ERROR, TRACEBACK),
            }.get(n)
            stages[CERTIFY].append(reject(q, *bad) if bad else certified(q, n))
        stages[ENHANCE] = []
        for q in (q for q in stages[CERTIFY] if isinstance(q, Question)):
            made, data = enhanced(q, mine[q.id])
            stages[ENHANCE].append(made)
            if data:
                write_whole(RunFolder(str(run)).picture(made.image_id), data)
            last.append(made.replace(split=split_of(mine[q.id])))
        stages[SPLIT] = last
        _write(run, shard, stages)


def _write(run: Path, shard: int, stages: dict[str, list]) -> None:
    folder, before = RunFolder(str(run)), ""
    made = in_order(
        *(
            Stage(
                name=name,
                takes=Question,
                gives=Seed if name == "seeds" else Question,
                fingerprint="f",
            )
            for name in stages
        )
    )
    for stage, items in zip(made, stages.values(), strict=True):
        outcomes = Outcomes.empty()
        for item in items:
            outcomes.take(item)
        write_shard(folder, stage, shard, before, outcomes)
        before = file_digest(folder.shard(stage.label, "kept", shard))


def job_of(run: Path, store: Path, **export) -> Job:
    """A job over the run; `export` overrides its export settings."""
    return Job(RunFolder(str(run)), str(store), recipe(**export))


def pixels_of(data: bytes) -> bytes:
    """An encoded picture's pixels as encoded again, for comparison."""
    return encode(decode(data))
