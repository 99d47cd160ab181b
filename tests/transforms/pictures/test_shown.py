import io

from PIL import Image

from questloom.records.identity import sha256_hex
from questloom.transforms.pictures.shown import MAX_SIDE, shown
from tests.models.pictures import file_of, scene


def test_no_metadata_survives_and_the_name_is_the_hash_of_the_bytes():
    exif = Image.Exif()
    exif[0x010E] = "Holm Point Lighthouse"
    xmp = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>Holm Point Lighthouse</x:xmpmeta>"
    source = file_of(scene(1), exif=exif, xmp=xmp, comment=b"Holm Point Lighthouse")
    assert source.count(b"Holm Point Lighthouse") == 3
    found = shown(source)
    assert b"Holm" not in found.data
    assert b"Exif" not in found.data
    assert not set(Image.open(io.BytesIO(found.data)).info) - {
        "jfif",
        "jfif_version",
        "jfif_unit",
        "jfif_density",
    }
    assert found.id == sha256_hex(found.data)
    assert found == shown(source)


def test_a_large_picture_is_scaled_down_with_its_shape_kept():
    found = shown(file_of(scene(1, (1200, 600))), max_side=400)
    assert (found.width, found.height) == (400, 200)
    assert Image.open(io.BytesIO(found.data)).size == (400, 200)


def test_a_picture_at_the_limit_keeps_its_size_and_a_line_stays_a_line():
    assert shown(scene(1, (400, 200)), max_side=400).width == 400 and MAX_SIDE == 2048
    thin = shown(Image.new("RGB", (3000, 1)))
    assert (thin.width, thin.height) == (2048, 1)
    tall = shown(Image.new("RGB", (1, 3000)))
    assert (tall.width, tall.height) == (1, 2048)
    assert shown(Image.new("RGB", (2049, 10))).width == 2048
