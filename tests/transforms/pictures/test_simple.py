import pytest
from PIL import Image, ImageDraw

from models.ocr import TextBlock
from records.knowledge import ImageAsset
from tests.models.pictures import scene
from transforms.pictures.simple import kind_by_name, text_coverage, too_simple


def asset(file: str = "Holm harbour in May.jpg", **fields) -> ImageAsset:
    return ImageAsset(id="0" * 64, file=file, mime="image/jpeg", width=640, height=480, num_bytes=1, **fields)


def tricolour() -> Image.Image:
    image = Image.new("RGB", (600, 400), "white")
    ImageDraw.Draw(image).rectangle((0, 0, 200, 400), fill="navy")
    ImageDraw.Draw(image).rectangle((400, 0, 600, 400), fill="crimson")
    return image


@pytest.mark.parametrize(("file", "kind"), [
    ("Flag of Vessmark.png", "flag"), ("Vessmark_coat_of_arms.jpg", "coat of arms"), ("Logo-of-the-yard.jpg", "logo"),
    ("Vessmark district map.jpg", "map"), ("Locator_map_Vessmark.png", "locator"), ("Maps of the coast.jpg", "map"),
    ("Flagstaff hill.jpg", ""), ("Mapleton church.jpg", ""), ("Church at Holm.jpg", "")])
def test_the_kind_is_known_by_whole_words_of_the_file_name(file, kind):
    assert kind_by_name(asset(file)) == kind


def test_the_kind_is_known_by_categories():
    assert kind_by_name(asset(categories=("Holm", "Flags of Vessmark"))) == "flags"
    assert kind_by_name(asset(categories=("Churches in Holm",))) == ""


def test_flat_graphics_are_too_simple_by_their_pixels():
    assert too_simple(asset(), tricolour())["sign"] == "pixels"
    assert too_simple(asset(), Image.new("RGB", (1, 1)))["sign"] == "pixels"


@pytest.mark.parametrize("seed", range(8))
def test_a_full_picture_is_not_too_simple(seed):
    assert too_simple(asset(), scene(seed), []) is None


def test_a_page_of_text_is_too_simple():
    lines = [TextBlock("words words", (20, y, 620, y + 16), 0.9) for y in range(10, 470, 20)]
    assert too_simple(asset(), scene(1), lines)["sign"] == "text"
    assert text_coverage(lines[:1], 640, 480) == pytest.approx(600 * 16 / (640 * 480), abs=1e-3)
