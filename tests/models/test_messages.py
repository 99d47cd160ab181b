"""Pictures in messages."""

import io

import pytest

from questloom.models.messages import Picture
from tests.models.pictures import file_of, scene


def test_a_jpeg_that_carries_a_second_picture_is_sent_as_a_jpeg():
    out = io.BytesIO()
    scene(1).save(out, "MPO", save_all=True, append_images=[scene(2)])
    assert Picture(out.getvalue()).url().startswith("data:image/jpeg;base64,")


@pytest.mark.parametrize("data", [b"", b"no picture", file_of(scene(1), "TIFF")])
def test_what_no_model_reads_is_an_error_on_first_use(data):
    with pytest.raises(ValueError, match="is no PNG, JPEG, WebP or GIF"):
        Picture(data).url()
