import pytest

from questloom.models.picture_ops import blur
from questloom.records.knowledge import Article, ArticlePicture, Entity, ImageAsset
from questloom.records.outcomes import Reason, Rejection
from questloom.transforms.pictures.choose import (
    candidates,
    check_picture,
    near_duplicate,
    perceptual_hash,
)
from questloom.transforms.pictures.picture_rules import PictureRules
from tests.models.pictures import file_of, scene

DATA = file_of(scene(1))
RULES = PictureRules(min_side=400)


def asset(**fields) -> ImageAsset:
    defaults = {
        "id": "1" * 64,
        "file": "Holm church.jpg",
        "mime": "image/jpeg",
        "width": 640,
        "height": 480,
        "num_bytes": len(DATA),
        "licence": "CC BY-SA 4.0",
        "repository": "shared",
        "perceptual_hash": perceptual_hash(DATA),
    }
    return ImageAsset(**{**defaults, **fields})


def test_a_good_picture_is_kept():
    assert check_picture(asset(), DATA, RULES) == asset()


@pytest.mark.parametrize(
    ("fields", "data", "reason"),
    [
        ({"licence": ""}, DATA, Reason.NO_LICENCE),
        ({"licence": "CC BY-NC 4.0"}, DATA, Reason.LICENCE_NOT_ALLOWED),
        ({"repository": "local"}, DATA, Reason.LICENCE_NOT_ALLOWED),
        ({"mime": "image/svg+xml"}, DATA, Reason.PICTURE_KIND),
        ({"mime": "image/gif"}, DATA, Reason.PICTURE_KIND),
        ({"mime": "video/webm"}, DATA, Reason.PICTURE_KIND),
        ({"height": 399}, DATA, Reason.PICTURE_TOO_SMALL),
        ({"file": "Flag of Holm.jpg"}, DATA, Reason.PICTURE_TOO_SIMPLE),
        ({}, b"no picture", Reason.PICTURE_UNREADABLE),
    ],
)
def test_each_fault_is_refused_with_its_reason(fields, data, reason):
    found = check_picture(asset(**fields), data, RULES, seed_id="s")
    assert isinstance(found, Rejection)
    assert (found.reason, found.seed_id, found.item_id) == (reason.value, "s", "1" * 64)


def test_a_near_duplicate_of_an_excluded_picture_is_refused():
    blurred = perceptual_hash(file_of(blur(scene(1), 2), quality=60))
    other = perceptual_hash(file_of(scene(5)))
    assert isinstance(check_picture(asset(), DATA, RULES, excluded=[other]), ImageAsset)
    found = check_picture(asset(), DATA, RULES, excluded=[other, blurred])
    assert isinstance(found, Rejection)
    assert (found.reason, found.evidence) == (
        Reason.PICTURE_DUPLICATE.value,
        {"perceptual_hash": blurred},
    )


def test_the_nearest_hash_counts_and_ties_go_by_hash():
    assert (
        near_duplicate("00000000000000ff", ["00000000000000fe", "00000000000000fd"], 6)
        == "00000000000000fd"
    )
    assert near_duplicate("00000000000000ff", ["0000000000000000"], 6) == ""
    assert near_duplicate("", ["0000000000000000"], 64) == ""


def test_candidates_are_p18_then_infobox_then_the_rest_by_id_whatever_the_order_given():
    images = [
        asset(id=f"{i}" * 64, file=f"{name}.jpg")
        for i, name in enumerate(("other", "box", "p18", "another"))
    ]
    entity = Entity(id="Q1", picture_files=("p18.jpg",))
    article = Article(
        wiki="enwiki",
        title="Holm",
        page_id=1,
        revision=1,
        pictures=(
            ArticlePicture(file="box.jpg", in_infobox=True),
            ArticlePicture(file="other.jpg"),
        ),
    )
    expected = ["p18.jpg", "box.jpg", "other.jpg"]
    for order in (images, images[::-1]):
        assert [
            i.file for i in candidates(entity, article, order, PictureRules(max_candidates=3))
        ] == expected
    assert candidates(entity, None, images, PictureRules())[0].file == "p18.jpg"
