import pytest
from PIL import Image, ImageDraw

from questloom.models.ocr import TextBlock
from questloom.records.knowledge import ImageAsset
from questloom.transforms.pictures.simple import (
    covered_by_text,
    kind_by_name,
    statistics,
    text_coverage,
    too_simple,
)
from tests.models.pictures import scene


def asset(file: str = "Holm harbour in May.jpg", **fields) -> ImageAsset:
    return ImageAsset(
        id="0" * 64, file=file, mime="image/jpeg", width=640, height=480, num_bytes=1, **fields
    )


def tricolour() -> Image.Image:
    image = Image.new("RGB", (600, 400), "white")
    ImageDraw.Draw(image).rectangle((0, 0, 200, 400), fill="navy")
    ImageDraw.Draw(image).rectangle((400, 0, 600, 400), fill="crimson")
    return image


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("Flag of Vessmark.png", "flag"),
        ("Vessmark_coat_of_arms.jpg", "coat of arms"),
        ("Logo-of-the-yard.jpg", "logo"),
        ("Vessmark district map.jpg", "map"),
        ("Locator_map_Vessmark.png", "locator"),
        ("Maps of the coast.jpg", "map"),
        ("Flagstaff hill.jpg", ""),
        ("Mapleton church.jpg", ""),
        ("Church at Holm.jpg", ""),
    ],
)
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
    assert covered_by_text(lines, 640, 480) == {
        "sign": "text",
        "coverage": text_coverage(lines, 640, 480),
    }
    assert covered_by_text(lines[:3], 640, 480) is None and covered_by_text([], 640, 480) is None
    assert text_coverage(lines[:1], 640, 480) == 0.031, "9,600 of 307,200 pixels"
    assert text_coverage([TextBlock("xy", (0, 0, 640, 480), 0.9)] * 2, 640, 480) == 1.0


@pytest.mark.parametrize(("side", "refused"), [(35, False), (36, True)])
def test_text_may_cover_thirty_five_hundredths_of_a_picture(side, refused):
    assert (
        covered_by_text([TextBlock("xy", (0, 0, side, 100), 0.9)], 100, 100) is not None
    ) == refused


def test_a_figure_that_is_read_as_one_great_sign_is_no_text():
    assert covered_by_text([TextBlock("京 ", (0, 0, 100, 100), 0.9)], 100, 100) is None
    assert covered_by_text([TextBlock("京都", (0, 0, 100, 100), 0.9)], 100, 100) is not None


def test_numbers_of_a_picture_are_its_colours_tones_and_busy_edges():
    grey = Image.new("RGB", (96, 96), (100, 100, 100))
    assert statistics(grey) == {"colours": 1, "tones": 0.0, "busy": 0.0}
    half = grey.copy()
    half.paste((200, 200, 200), (48, 0, 96, 96))
    found = statistics(half)
    assert found == {"colours": 2, "tones": 1.0, "busy": 0.011}, "one column of 95"
    striped = Image.new("RGB", (96, 96))
    striped.putdata([(255, 255, 255) if x % 2 else (0, 0, 0) for _ in range(96) for x in range(96)])
    assert statistics(striped) == {"colours": 2, "tones": 1.0, "busy": 1.0}
    rows = striped.transpose(Image.Transpose.ROTATE_90)
    assert statistics(rows)["busy"] == 1.0


def test_colours_are_told_apart_in_each_channel():
    quarters = Image.new("RGB", (96, 96))
    for at, colour in enumerate([(240, 0, 0), (0, 240, 0), (0, 0, 240), (240, 240, 0)]):
        quarters.paste(colour, (24 * at, 0, 24 * at + 24, 96))
    assert statistics(quarters)["colours"] == 4 and statistics(quarters)["tones"] == 2.0
    assert too_simple(asset(), quarters)["sign"] == "pixels"


def test_few_colours_that_cover_nearly_all_are_few_and_one_in_twenty_does_not_count():
    image = Image.new("RGB", (96, 96), (0, 0, 0))
    image.paste((240, 240, 240), (0, 0, 96, 4))  # 4.2 % of the pixels
    assert statistics(image)["colours"] == 1


def test_the_name_is_what_stands_before_the_last_dot():
    assert (
        kind_by_name(asset("Holm.map.jpg")) == "map"
        and kind_by_name(asset("Holm.map")) == ""
        and kind_by_name(asset("Holm maps.png")) == "map"
    )


@pytest.mark.parametrize("channel", range(3))
def test_colours_sixteen_levels_apart_are_two_and_closer_ones_are_one(channel):
    def halves(level: int) -> int:
        image = Image.new("RGB", (96, 96))
        image.paste(tuple(level if c == channel else 0 for c in range(3)), (0, 0, 48, 96))
        return statistics(image)["colours"]

    assert (halves(20), halves(12)) == (2, 1)


@pytest.mark.parametrize(("step", "busy"), [(5, 0.0), (6, 1.0)])
def test_neighbours_are_busy_where_they_differ_by_more_than_five_levels_along_rows_and_columns(
    step, busy
):
    striped = Image.new("L", (96, 96))
    striped.putdata([100 + step * (x % 2) for _ in range(96) for x in range(96)])
    rgb = striped.convert("RGB")
    assert (
        statistics(rgb)["busy"]
        == statistics(rgb.transpose(Image.Transpose.ROTATE_90))["busy"]
        == busy
    )


def bands(*colours: int | tuple[int, int, int]) -> Image.Image:
    """Columns of colours (or of greys) of the same width, over a side that they divide."""
    image = Image.new("RGB", (len(colours), 1))
    image.putdata([c if isinstance(c, tuple) else (c, c, c) for c in colours])
    return image.resize((96, 96), Image.Resampling.NEAREST)


@pytest.mark.parametrize(("levels", "refused"), [(64, True), (80, False)])
def test_four_colours_are_too_few_however_many_tones_they_have_and_five_are_enough(levels, refused):
    image = Image.new("L", (96, 96))
    image.putdata([at % levels for at in range(96 * 96)])  # sixteen tones a colour
    assert (too_simple(asset(), image.convert("RGB")) is not None) == refused


@pytest.mark.parametrize(("tones", "refused"), [(12, True), (16, False)])
def test_twelve_tones_are_too_few_however_far_apart_and_sixteen_are_enough(tones, refused):
    assert (too_simple(asset(), bands(*(16 * n for n in range(tones)))) is not None) == refused


def test_tones_are_told_to_two_places():
    assert statistics(bands(0, 100, 200))["tones"] == 1.58


@pytest.mark.parametrize(
    ("colour", "grey"), [((10, 0, 0), 2), ((0, 80, 0), 46), ((0, 0, 35), 3), ((0, 171, 0), 100)]
)
def test_a_colour_is_as_light_as_the_grey_that_the_eye_sees_in_it(colour, grey):
    assert statistics(bands(colour, grey))["tones"] == 0.0
