import pytest
from PIL import Image, ImageDraw

from models.ocr import TextBlock
from records.knowledge import ImageAsset
from tests.models.pictures import scene
from transforms.pictures.simple import covered_by_text, kind_by_name, text_coverage, too_simple


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
    assert too_simple(asset(), scene(seed)) is None


def test_a_page_of_text_is_too_simple_and_a_few_lines_are_not():
    lines = [TextBlock("words words", (20, y, 620, y + 16), 0.9) for y in range(10, 470, 20)]
    assert covered_by_text(lines, 640, 480) == {"sign": "text", "coverage": text_coverage(lines, 640, 480)}
    assert covered_by_text(lines[:3], 640, 480) is None and covered_by_text([], 640, 480) is None
    assert text_coverage(lines[:1], 640, 480) == pytest.approx(600 * 16 / (640 * 480), abs=1e-3)
    assert text_coverage([TextBlock("x", (0, 0, 640, 480), 0.9)] * 2, 640, 480) == 1.0


@pytest.mark.parametrize(("side", "refused"), [(35, False), (36, True)])
def test_text_may_cover_thirty_five_hundredths_of_a_picture(side, refused):
    assert (covered_by_text([TextBlock("x", (0, 0, side, 100), 0.9)], 100, 100) is not None) == refused
