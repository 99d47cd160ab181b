"""Which files ingest joins to an entity as its pictures."""

from questloom.records.knowledge import Claim, Entity, Value, entity_value
from questloom.transforms.ingest.entity_stage import _files


def claim(property: str, file: str, *, best: bool = True) -> Claim:
    return Claim(
        subject="Q1", property=property, value=Value(kind="commons_media", text=file), best=best
    )


def test_its_picture_and_its_signs_are_joined_and_other_files_are_not():
    entity = Entity(id="Q1", classes=("Q6256",), picture_files=("peru_from_space.jpg",))
    claims = [
        claim("P41", "flag_of_Peru.svg"),
        claim("P94", "Escudo nacional.svg"),
        claim("P154", "Old logo.svg", best=False),
        claim("P51", "Anthem.ogg"),
        Claim(subject="Q1", property="P36", value=entity_value("Q2868"), best=True),
    ]
    assert _files(entity, claims, []) == [
        "Escudo nacional.svg",
        "Flag of Peru.svg",
        "Peru from space.jpg",
    ]
    assert _files(entity, claims[3:], ["Lima.jpg"]) == ["Lima.jpg", "Peru from space.jpg"]
