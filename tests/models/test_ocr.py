from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from questloom.models.ocr import DETECTION_SIDE, _engine, read_text, reads_detail
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


def test_openvino_finds_the_same_text_as_onnxruntime():
    from rapidocr import RapidOCR

    own = RapidOCR(params={"Global.use_cls": False, "Global.log_level": "error"})
    pixels = np.random.default_rng(0).normal(size=(1, 3, 256, 320)).astype(np.float32)
    ours = _engine(DETECTION_SIDE).text_det.session(pixels)
    assert np.allclose(ours, own._load_det_model().session(pixels), atol=1e-4)


def test_several_threads_read_at_once():
    words = ("NORTH", "SOUTH", "EAST", "WEST") * 4
    pictures = [with_text(scene(3), word, (60, 40), 36) for word in words]
    with ThreadPoolExecutor(8) as pool:
        texts = [blocks[0].text for blocks in pool.map(read_text, pictures)]
    assert texts == list(words)
