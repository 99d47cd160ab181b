"""A small store by hand: three lighthouses, an architect and a town."""

import io

import pytest
from PIL import Image

from questloom.knowledge.store import Store
from questloom.knowledge.store.build import build_store
from questloom.records.identity import sha256_hex
from questloom.records.knowledge import (
    Article,
    Claim,
    Entity,
    ImageAsset,
    Link,
    PropertyInfo,
    Qualifier,
    Section,
    Value,
    entity_value,
)


def claim(subject: str, property_id: str, value: Value | str, **rest) -> Claim:
    return Claim(
        subject=subject,
        property=property_id,
        value=entity_value(value) if isinstance(value, str) else value,
        **rest,
    )


def year(number: int) -> Value:
    return Value(kind="time", time=f"+{number}-00-00T00:00:00Z", precision=9)


def picture(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (64, 48), colour).save(out, "PNG")
    return out.getvalue()


def lighthouse(number: int) -> Entity:
    return Entity(
        id=f"Q90000{number}",
        labels={"en": f"Lamp {number}", "de": f"Lampe {number}"},
        classes=("Q39715",),
        class_closure=("Q39715", "Q41176"),
        domain="building_or_place",
        num_statements=4,
        sitelinks={"enwiki": f"Lamp {number}"},
        merged_ids=("Q800001",) if number == 1 else (),
    )


ENTITIES = (
    *(lighthouse(n) for n in (3, 1, 2)),
    Entity(
        id="Q900010",
        labels={"en": "Ada Bruck"},
        classes=("Q5",),
        class_closure=("Q5",),
        domain="person",
    ),
    Entity(
        id="Q900020",
        labels={"en": "Norhaven"},
        classes=("Q3957",),
        class_closure=("Q3957",),
        domain="location",
    ),
)
CLAIMS = (
    claim("Q900001", "P84", "Q900010", revision=7),
    claim("Q900002", "P84", "Q900010"),
    claim("Q900003", "P84", "Q900010", best=False, rank="deprecated"),
    claim(
        "Q900001",
        "P571",
        year(1850),
        qualifiers=(Qualifier(property="P1480", value=entity_value("Q5727902")),),
    ),
    claim("Q900002", "P571", year(1850)),
    claim("Q900002", "P571", year(1851)),
    claim("Q900003", "P571", Value(kind="somevalue")),
    claim("Q900001", "P2048", Value(kind="quantity", number=31.5, unit="Q11573")),
    claim("Q900001", "P137", Value(kind="novalue")),
    claim("Q900010", "P19", "Q900020", source="infobox", statement="x"),
)
ARTICLES = (
    Article(
        wiki="enwiki",
        title="Lamp 1",
        page_id=1,
        revision=11,
        entity_id="Q900001",
        redirects=("Old lamp",),
        sections=(
            Section(
                title="",
                level=1,
                text="Lamp 1 is a lighthouse near Norhaven. It was drawn by Ada Bruck.",
            ),
            Section(title="History", level=2, text="A storm broke the lantern in 1902."),
        ),
        links=(
            Link(
                target="Norhaven", anchor="Norhaven", section=0, sentence_start=0, sentence_end=37
            ),
        ),
    ),
    Article(
        wiki="enwiki",
        title="Norhaven",
        page_id=2,
        revision=12,
        entity_id="Q900020",
        sections=(Section(title="", level=1, text="Norhaven is a town known for herring."),),
    ),
)
FILES = {"Lamp 1.png": picture("red"), "Town.png": picture("navy")}
IMAGES = tuple(
    (
        ImageAsset(
            id=sha256_hex(data),
            file=name,
            mime="image/png",
            width=64,
            height=48,
            num_bytes=len(data),
            licence="CC0",
            entity_ids=("Q900001", "Q900020") if name == "Town.png" else ("Q900001",),
        ),
        data,
    )
    for name, data in FILES.items()
)
PROPERTIES = (PropertyInfo(id="P84", labels={"en": "architect"}, datatype="wikibase-item"),)
EVERYTHING = {
    "entities": ENTITIES,
    "claims": CLAIMS,
    "articles": ARTICLES,
    "images": IMAGES,
    "properties": PROPERTIES,
}


@pytest.fixture(scope="session")
def everything() -> dict:
    """The arguments of `build_store`."""
    return EVERYTHING


@pytest.fixture(scope="session")
def store(tmp_path_factory) -> Store:
    path = str(tmp_path_factory.mktemp("small") / "store")
    build_store(path, **EVERYTHING, snapshot="2026-11-01")
    return Store.open(path)
