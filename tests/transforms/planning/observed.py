"""A coast for tests of explorations: lighthouses with years and heights, their architects and towns, and a picture of each."""

from questloom.records.identity import sha256_hex
from questloom.records.knowledge import (
    Article,
    Detail,
    Entity,
    ImageAsset,
    InfoboxField,
    Section,
    Value,
)
from questloom.records.synthesis import Seed
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import HUMAN, LIGHTHOUSE

TOWN, PLAQUE, METRE = "Q3957", "Q721747", "Q11573"
NUMBER = 60


def metres(number: float) -> Value:
    return Value(kind="quantity", number=number, unit=METRE)


def picture(entity_id: str, *details: Detail) -> ImageAsset:
    return ImageAsset(
        id=sha256_hex(entity_id),
        file=f"{entity_id}.png",
        mime="image/png",
        width=800,
        height=800,
        num_bytes=9,
        licence="CC0",
        entity_ids=(entity_id,),
        details=details,
    )


def plaque(text: str) -> Detail:
    return Detail(
        property="P1684", value=Value(kind="monolingual", text=text, language="en"), part=PLAQUE
    )


def coast() -> SmallFacts:
    """Lighthouse Q1iii by architect Q2iii, who was born in town Q3iii and designed lighthouse Q4iii too; all of them are pictured, Q1iii with a plaque."""
    claims, images = [], dict[str, tuple[ImageAsset, ...]]()
    for i in range(NUMBER):
        first, architect, town, second = f"Q1{i:03}", f"Q2{i:03}", f"Q3{i:03}", f"Q4{i:03}"
        claims += [
            claim(architect, "P31", HUMAN),
            claim(architect, "P569", year(1660 + i)),
            claim(architect, "P570", year(1740 + i)),
            claim(architect, "P19", town),
            claim(town, "P31", TOWN),
            claim(town, "P571", year(1200 + i)),
        ]
        for light, opened, height in (
            (first, 1700 + i, 20.0 + i),
            (second, 1710 + i, 21.5 + 2 * i),
        ):
            claims += [
                claim(light, "P31", LIGHTHOUSE),
                claim(light, "P84", architect),
                claim(light, "P571", year(opened)),
                claim(light, "P2048", metres(height)),
            ]
        images |= {e: (picture(e),) for e in (architect, town, second)} | {
            first: (picture(first, plaque(str(1800 + i))),)
        }
    domains = {LIGHTHOUSE: "building_or_place", HUMAN: "person", TOWN: "location"}
    entities = {
        c.subject: Entity(
            id=c.subject,
            labels={"en": f"Name {c.subject}"},
            domain=domains[c.value.entity],
            topic="arts",
        )
        for c in claims
        if c.property == "P31"
    }
    texts = {
        e: " ".join(
            f"Name {c.value.entity}"
            if c.value.entity
            else str(c.value.year or f"{c.value.number:.12g}")
            for c in claims
            if c.subject == e
        )
        for e in entities
    }
    articles = {
        e: Article(
            wiki="enwiki",
            title=f"Name {e}",
            page_id=int(e[1:]),
            revision=1,
            sections=(Section(title="", level=1, text=text),),
            infobox=(InfoboxField(name="x", text="y"),),
        )
        for e, text in texts.items()
    }
    return SmallFacts(claims, entities, articles, images)


COAST = coast()


def seed(
    ability: str = "perception+search", level: str = "medium", entity_id: str = "Q1003"
) -> Seed:
    return Seed(
        entity_id=entity_id,
        method="exploration",
        rule="pictured",
        level=level,
        domain="building_or_place",
        topic="arts",
        ability=ability,
    )
