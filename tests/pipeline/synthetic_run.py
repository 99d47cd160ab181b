"""A run made up for tests and benches: plausible questions with drawn pictures, in the real layout, through the real records.

It exercises what the report and the audit show; nothing in it is certified.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from questloom.files.parquet import write_records
from questloom.records.form import (
    Ask,
    ClaimClause,
    ClassClause,
    Clause,
    Compute,
    Form,
    Image,
    Reads,
)
from questloom.records.identity import chance, record_id, sha256_hex, shard_of
from questloom.records.knowledge import TOPICS, Claim, ImageAsset, PropertyInfo, Value, entity_value
from questloom.records.outcomes import Pending, Reason, Rejection
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
from questloom.records.table import Json
from tests.pipeline.made_up import blurred, draw_picture, name, person

NUM_SHARDS = 4
PROPERTIES = {
    "P84": "architect",
    "P19": "place of birth",
    "P69": "educated at",
    "P131": "located in",
    "P571": "inception",
    "P569": "date of birth",
    "P50": "author",
    "P186": "material",
    "P177": "crosses",
    "P1684": "inscription",
    "P2048": "height",
    "P112": "founded by",
    "P407": "language",
}
LICENCES = ("CC BY-SA 4.0", "CC BY 4.0", "CC0", "Public domain")
KINDS = (
    ("lighthouse", "building_or_place"),
    ("bridge", "building_or_place"),
    ("town hall", "building_or_place"),
    ("painting", "artifact"),
    ("mountain hut", "location"),
)
STAGES = (
    ("seeds", ()),
    (
        "drafts",
        (("no_path", 0.10), ("no_answer", 0.04), ("no_description", 0.12), ("error", 0.002)),
    ),
    (
        "certificate",
        (
            ("margin_too_small", 0.16),
            ("not_unique", 0.09),
            ("picture_not_needed", 0.03),
            ("leak", 0.03),
            ("decoration", 0.02),
            ("no_evidence", 0.01),
        ),
    ),
    ("pictures", (("not_grounded", 0.05), ("no_licence", 0.03), ("picture_too_small", 0.02))),
    (
        "filters",
        (
            ("text_search_shortcut", 0.07),
            ("image_search_shortcut", 0.03),
            ("near_duplicate", 0.02),
            ("answered_without_picture", 0.015),
        ),
    ),
    ("export", (("over_quota", 0.02), ("dropped_by_request", 0.01))),
)


class Synthetic:
    """The sources (labels, attribution, pictures) of a synthetic run; what a store gives in a real one."""

    def __init__(self, num_pictures: int) -> None:
        self.pictures: dict[str, bytes] = {}
        self.assets: dict[str, ImageAsset] = {}
        self.by_kind: dict[str, list[str]] = {}
        self.degraded: dict[str, str] = {}
        for i in range(num_pictures):
            kind = KINDS[i % len(KINDS)][0]
            data = draw_picture(f"picture {i}", kind)
            key = sha256_hex(data)
            self.pictures[key] = data
            self.by_kind.setdefault(kind, []).append(key)
            worse = blurred(data)
            self.degraded[key] = sha256_hex(worse)
            self.pictures[self.degraded[key]] = worse
            draw = chance(0, key, "asset")
            self.assets[key] = ImageAsset(
                id=key,
                file=f"{name(key)} {kind} {1890 + i % 130}.jpg",
                mime="image/jpeg",
                width=800,
                height=600,
                num_bytes=len(data),
                licence=draw.choice(LICENCES),
                licence_url="https://creativecommons.org/licenses/by-sa/4.0/",
                author=person(key),
                source_page=f"https://commons.wikimedia.org/wiki/File:{name(key)}.jpg",
            )

    def label(self, entity_id: str, language: str = "en") -> str:
        kind, _, key = entity_id.partition(":")
        if kind == "person":
            return person(key)
        return {
            "place": name(key),
            "school": f"{name(key)} Academy",
            "thing": f"{name(key)} {key.split('/')[-1].title()}",
            "class": key,
            "unit": key,
            "part": "plaque",
        }.get(kind, entity_id)

    def property(self, property_id: str) -> PropertyInfo | None:
        return (
            PropertyInfo(id=property_id, labels={"en": PROPERTIES[property_id]})
            if property_id in PROPERTIES
            else None
        )

    def claims(self, subject: str) -> tuple[Claim, ...]:
        return (
            Claim(
                subject=subject, property="P131", value=entity_value("place:elsewhere"), revision=7
            ),
        )

    def image(self, image_id: str) -> ImageAsset | None:
        return self.assets.get(image_id)

    def image_bytes(self, image_id: str) -> bytes:
        return self.pictures[image_id]


def seed(i: int) -> Seed:
    kind, domain = KINDS[i % len(KINDS)]
    draw = chance(0, str(i), "seed")
    level = draw.choices(("easy", "medium", "hard"), (4, 3, 3))[0]
    return Seed(
        entity_id=f"thing:{i}/{kind}",
        method=draw.choice(("paths", "injection")),
        rule="anchor",
        level=level,
        domain=domain,
        topic=draw.choice(TOPICS),
    )


@dataclass
class Asking:
    """What a question asks, and how it says it."""

    clauses: tuple[Clause, ...]
    bindings: dict[str, str]
    answer: Answer
    text: str


def in_year(year: int) -> Value:
    return Value(kind="time", time=f"+{year}-00-00T00:00:00Z", precision=9)


def asking(
    shape: str, key: str, made: tuple[Clause, ...], made_by: str, year: int, sources: Synthetic
) -> Asking:
    """A school's town, a birth, a computed number, or what a plaque leads to.

    Args:
        made: the clauses that lead to the maker.
        made_by: what the maker did.
        year: of the birth, the school's founding and the plaque.
    """
    kind, maker, school, town = key.split("/")[-1], f"person:{key}", f"school:{key}", f"place:{key}"
    thing, known, born = f"the {kind} in the picture", {"x0": key, "x1": maker}, in_year(year)
    who = f"the person who {made_by} {thing}"
    match shape:
        case "school":
            more: tuple[Clause, ...] = (
                ClaimClause(subject="x1", property="P69", object="x2"),
                ClaimClause(subject="x2", property="P131", object="a"),
                ClaimClause(subject="x2", property="P571", object=born),
            )
            answer = Answer(
                value=entity_value(town),
                text=sources.label(town),
                type="entity",
                aliases=(sources.label(town).lower(),),
            )
            return Asking(
                (*made, *more),
                known | {"x2": school, "a": town},
                answer,
                f"In which town is the academy, founded in {year}, where {who} was educated?",
            )
        case "born":
            answer = Answer(value=born, text=str(year), type="date", precision="year")
            return Asking(
                (*made, ClaimClause(subject="x1", property="P569", object="a")),
                known | {"a": born.key()},
                answer,
                f"In which year was {who} born?",
            )
        case "computed":
            more = (
                ClaimClause(subject="x1", property="P569", object="d1"),
                ClaimClause(subject="x0", property="P571", object="d2"),
                Compute(out="a", op="duration_years", args=("d1", "d2")),
            )
            answer = Answer(
                value=Value(kind="quantity", number=41),
                text="41",
                type="quantity",
                unit="unit:year",
            )
            return Asking(
                (*made, *more),
                known | {"d1": born.key(), "d2": in_year(year + 41).key(), "a": "quantity:41:"},
                answer,
                f"How many whole years after the birth of the person who {made_by} it was {thing} begun?",
            )
        case _:
            more = (
                Reads(var="r", of="x0", property="P1684", part="part:plaque"),
                ClaimClause(subject="x2", property="P571", object="r"),
                ClaimClause(subject="x2", property="P112", object="a"),
            )
            founder = f"person:{school}"
            return Asking(
                (*made[:2], *more),
                known | {"r": born.key(), "x2": school, "a": founder},
                Answer(value=entity_value(founder), text=person(school), type="string"),
                f"Who founded the academy that opened in the year written on the plaque of {thing}?",
            )


def hops_of(form: Form, bindings: dict[str, str], of: str, sources: Synthetic) -> tuple[Hop, ...]:
    """A hop for every claim between two variables, each with its sentence."""
    return tuple(
        Hop(
            source=c.subject,
            target=c.object,
            property=c.property,
            claim_id=record_id("Claim", of, i),
            revision=100_000 + i,
            section=0,
            start=0,
            end=40,
            article_id=record_id("Article", of, i),
            evidence=f"{sources.label(bindings[c.subject])} is known for its {PROPERTIES[c.property]}; older sources give another account.",
        )
        for i, c in enumerate(form.of(ClaimClause))
        if isinstance(c.subject, str) and isinstance(c.object, str)
    )


def question(start: Seed, sources: Synthetic) -> Question:
    """A question that grew from a seed: a path from a thing over its maker to a school, a date, a place or a computed number."""
    key, kind = start.entity_id, start.entity_id.split("/")[-1]
    draw = chance(0, start.id, "question")
    year = draw.randint(1790, 1930)
    shape = draw.choice(
        ("school", "born", "computed", "detail")
        if start.level != "easy"
        else ("born", "born", "detail")
    )
    made_by, link = ("painted", "P50") if kind == "painting" else ("designed", "P84")
    made = (
        Image(var="x0"),
        ClassClause(var="x0", class_id=f"class:{kind}"),
        ClaimClause(subject="x0", property=link, object="x1"),
    )
    asked = asking(shape, key, made, made_by, year, sources)
    form = Form(
        clauses=asked.clauses,
        ask=Ask(var="a", type=asked.answer.type, precision=asked.answer.precision),
    )
    return Question(
        seed_id=start.id,
        seed_entity=key,
        method=start.method,
        level=start.level,
        domain=start.domain,
        topic=start.topic,
        text=asked.text,
        writer="graph",
        answer=asked.answer,
        form=Json(form.to_json()),
        bindings=asked.bindings,
        hops=hops_of(form, asked.bindings, start.id, sources),
        anchor=key,
        anchor_phrase=f"the {kind} in the picture",
    )


def certified(item: Question) -> Question:
    """The question with a plausible certificate."""
    draw = chance(0, item.id, "certificate")
    margin = draw.choices((2, 3, 4, 9), (6, 3, 2, 2))[0]
    rival = Rival(
        var="x2" if "x2" in item.bindings else "x1",
        entity_id="Q90001",
        label=f"{name(item.id)} School",
        num_gaps=min(margin, 4),
        gaps=tuple(f"{p} is not stated" for p in list(PROPERTIES.values())[: min(margin, 4)]),
    )
    nominal = max(2, len(item.hops))
    names = (
        "claims",
        "connected",
        "one_answer",
        "margin",
        "no_decoration",
        "needs_picture",
        "no_leak",
    )
    scores = (float(len(item.hops)), None, None, float(margin), None, 5.0, None)
    checks = tuple(Check(name=n, passed=True, score=s) for n, s in zip(names, scores, strict=True))
    form = item.logical_form
    return item.replace(
        certificate=Certificate(
            basis=draw.choices(("margin", "closed"), (4, 1))[0],
            margin=margin,
            nearest_rival=None if margin == 9 else rival,
            breaking_claims=tuple(h.claim_id for h in item.hops[:2]),
            evidence=item.hops,
            nominal_hops=nominal,
            effective_hops=max(1, nominal - draw.choice((0, 0, 0, 1))),
            smallest_part=Json(form.without(form.clauses[1]).to_json() if form else None),
            answers_without_picture=draw.randint(2, 5),
            checks=checks,
        )
    )


def filtered(item: Question) -> Question:
    """The question with the verdicts of the filters."""
    return item.replace(
        verdicts=(
            Verdict(filter="answer_in_question", passed=True, solver="exact match"),
            Verdict(filter="duplicates", passed=True, solver="local_search"),
            Verdict(
                filter="text_search",
                passed=True,
                solver="local_search",
                num_samples=1,
                evidence=Json({"best": "Academies of the north", "rank_of_answer": None}),
            ),
            Verdict(filter="image_search", passed=True, solver="local_search", num_samples=1),
            Verdict(
                filter="text_only",
                passed=True,
                solver="popularity_prior",
                num_samples=4,
                num_correct=0,
            ),
            Verdict(filter="no_tools", passed=True, solver="not_run"),
            Verdict(
                filter="solvable", passed=True, solver="small-vl-8b", num_samples=4, num_correct=3
            ),
        )
    )


def exported(item: Question, sources: Synthetic) -> Question:
    """The question with its split; every tenth with a degraded picture."""
    draw = chance(0, item.id, "export")
    placed = item.replace(split=draw.choices(("sft", "rl", "benchmark"), (5, 4, 1))[0])
    if draw.random() > 0.1:
        return placed
    made = Enhancement(
        degradation="blur", tool="sharpen", severity=0.4, original_image_id=item.image_id
    )
    return placed.replace(image_id=sources.degraded[item.image_id], enhancement=made)


def write_run(
    folder: Path, *, num_seeds: int, num_pictures: int = 40, waiting: int = 3
) -> Synthetic:
    """Writes a run of `num_seeds` seeds, about 0.3 of which end as questions; returns its sources.

    Args:
        folder: where; it is made.
        num_seeds: seeds.
        num_pictures: distinct pictures, shared by the questions.
        waiting: seeds that wait for a provider in the certificate's stage.
    """
    sources = Synthetic(num_pictures)
    alive: list = [seed(i) for i in range(num_seeds)]
    for number, (stage, losses) in enumerate(STAGES, 1):
        label = f"{number:02d}-{stage}"
        kept, rejected, pending = [], [], []
        for i, item in enumerate(alive):
            seed_id = getattr(item, "seed_id", item.id)
            if stage == "certificate" and i < waiting:
                pending.append(
                    Pending(
                        item_id=item.id,
                        seed_id=seed_id,
                        stage=stage,
                        cause="provider",
                        message="endpoint-a: timed out after 60 s",
                    )
                )
                continue
            made = item
            if stage == "drafts":
                made = question(item, sources)
                keys = sources.by_kind[item.entity_id.split("/")[-1]]
                image = keys[i // len(KINDS) % len(keys)]
                made = made.replace(image_id=image, source_image_id=image)
            elif stage == "certificate":
                made = certified(item)
            elif stage == "filters":
                made = filtered(item)
            elif stage == "export":
                made = exported(item, sources)
            at = chance(0, item.id, stage).random()
            for reason, share in losses:
                at -= share
                if at < 0:
                    title = (
                        item.text if isinstance(item, Question) else sources.label(item.entity_id)
                    )
                    rejected.append(
                        Rejection(
                            item_id=item.id,
                            seed_id=seed_id,
                            stage=stage,
                            reason=Reason(reason).value,
                            title=title,
                            evidence=Json(
                                {
                                    "rival": f"{name(item.id)} School",
                                    "margin": 1,
                                    "missing": ["date of birth"],
                                }
                            ),
                        )
                    )
                    break
            else:
                kept.append(made)
        write_stage(folder, label, alive, kept, rejected, pending)
        alive = kept
    for key, data in sources.pictures.items():
        path = folder / "pictures" / f"{key}.jpg"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    write_facts(folder)
    return sources


def write_stage(
    folder: Path,
    label: str,
    came: list,
    kept: list,
    rejected: list[Rejection],
    pending: list[Pending],
) -> None:
    """Writes one stage's shards with their counts in the metadata, as the jobs do."""
    kind = type(kept[0]) if kept else Question
    for shard in range(NUM_SHARDS):

        def here(items: list, shard: int = shard) -> list:
            return [
                x
                for x in items
                if shard_of(getattr(x, "item_id", None) or x.id, NUM_SHARDS) == shard
            ]

        numbers = {
            "num_kept": len(here(kept)),
            "num_rejected": len(here(rejected)),
            "num_pending": len(here(pending)),
            "num_out": len(here(kept)),
        }
        if kept and type(came[0]) is not kind:  # a draft has another id than its seed
            mine = {q.seed_id for q in here(kept)}
            numbers["num_in"] = len(mine) + numbers["num_rejected"] + numbers["num_pending"]
        else:
            numbers["num_in"] = len(here(came))
        place = folder / "stages" / label
        write_records(
            place / f"rejected-{shard:05d}.parquet",
            Rejection,
            sorted(here(rejected), key=lambda r: r.item_id),
        )
        if here(pending):
            write_records(
                place / f"pending-{shard:05d}.parquet",
                Pending,
                sorted(here(pending), key=lambda p: p.item_id),
            )
        write_records(
            place / f"kept-{shard:05d}.parquet",
            kind,
            sorted(here(kept), key=lambda r: r.id),
            **{k: str(v) for k, v in numbers.items()},
        )


def write_facts(folder: Path, title: str = "north-country") -> None:
    """recipe.json and run.json."""
    recipe = {
        "name": title,
        "seed": 7,
        "language": "en",
        "methods": {"paths": 0.5, "injection": 0.5},
        "margin": 2,
    }
    (folder / "recipe.json").write_text(
        json.dumps({"recipe": recipe, "fingerprint": "5f3c0d", "store": "1d0e"}), encoding="utf-8"
    )
    stages = {s: {"seconds": 1.5 * n * n} for n, (s, _) in enumerate(STAGES, 1)}
    facts = {
        "started": "2026-11-20T09:00:00Z",
        "seconds": 341.2,
        "stages": stages,
        "versions": {"questloom": "0.1.0", "python": "3.11.7", "apache-beam": "2.77"},
    }
    (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")
