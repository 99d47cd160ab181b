import pytest
from PIL import Image

from questloom.models.ocr import read_text, reads_detail
from questloom.models.picture_file import PictureError
from tests.models.pictures import file_of, scene, with_text


def test_lettering_is_read_with_its_place():
    picture = with_text(scene(1), "HOLM POINT", (100, 60), 40)
    (block,) = read_text(file_of(picture))
    assert block.text.replace(" ", "") == "HOLMPOINT"
    left, top, right, bottom = block.box
    assert 60 < left < 110 < 300 < right < 420
    assert 40 < top < 75 < 90 < bottom < 130


def test_a_picture_without_text_gives_none():
    assert read_text(Image.linear_gradient("L").convert("RGB")) == []


def test_lines_come_from_top_to_bottom():
    picture = with_text(with_text(scene(3), "LOWER", (60, 380), 36), "UPPER", (60, 40), 36)
    assert [b.text for b in read_text(picture)] == ["UPPER", "LOWER"]


def test_a_detail_is_legible_close_up_only_where_it_really_stands():
    picture = with_text(scene(4), "1847", (500, 400), 12)
    assert reads_detail(picture, "1847", (77, 82, 8, 5))
    assert not reads_detail(picture, "1847", (5, 5, 8, 5))
    assert not reads_detail(picture, "1848", (77, 82, 8, 5))


def test_a_detail_too_small_to_read_is_not_legible():
    picture = with_text(scene(4), "1847", (500, 400), 48).resize((64, 48))
    assert not reads_detail(picture, "1847", (75, 80, 20, 12))
    assert not reads_detail(picture, "", (75, 80, 20, 12))


def test_what_is_no_picture_is_a_picture_error():
    with pytest.raises(PictureError):
        read_text(b"nothing")
