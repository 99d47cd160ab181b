"""Reads text in pictures with RapidOCR (PP-OCR models in OpenVINO and onnxruntime, shipped in the
wheel).

Reading needs no network. Of 24 drawn pictures of 704×528 pixels with a plaque in letters of 12 to
15 px, 79 % of the plaques are read with detection side 512, and 75 % with side 640. The function
`reads_detail` reads all of them, because it gets the place of each text.

The classifier that finds upside-down lines is off, because `decode` turns pictures upright.
"""

import functools
import os
import re
from dataclasses import dataclass

import numpy as np
from PIL import Image

from questloom.files.pictures import as_shown, decode
from questloom.language.normalise import fold_all_marks

DETECTION_SIDE = 512
"""The longer side, in pixels, to which a picture is scaled down before text detection."""
DETAIL_SCALE = 3


@dataclass(frozen=True)
class TextBlock:
    """One line of text in a picture."""

    text: str
    box: tuple[float, float, float, float]
    """The line's left, top, right and bottom edge, in pixels of the given picture."""
    score: float
    """The recogniser's confidence, 0 to 1."""


class _Detection:
    """PP-OCR's text detection in OpenVINO, which takes a third of onnxruntime's time and gives the
    same result. RapidOCR's own OpenVINO engine serves one thread only, and rounds to bfloat16 on
    some processors, so that machines would disagree.

    Args:
        model: path of the model, in ONNX.
        threads: number of threads; -1 leaves the choice to OpenVINO.
    """

    def __init__(self, model: str, threads: int) -> None:
        import openvino

        settings = {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": 1}
        if threads > 0:
            settings["INFERENCE_NUM_THREADS"] = threads
        self._model = openvino.Core().compile_model(model, "CPU", settings)

    def __call__(self, pixels: np.ndarray) -> np.ndarray:
        """The share of text at each pixel, (1, 1, height, width), for pixels (1, 3, height, width)."""
        return self._model.create_infer_request().infer([pixels])[0]


_detection = functools.cache(_Detection)


@functools.cache
def _engine(side: int):
    from rapidocr import RapidOCR  # imported here because it loads 30 MB of models

    threads = int(
        os.environ.get("OMP_NUM_THREADS", "-1")
    )  # onnxruntime does not read OMP_NUM_THREADS; -1 leaves the choice to onnxruntime
    engine = RapidOCR(
        params={
            "Global.use_cls": False,
            "Global.log_level": "error",
            "Det.limit_type": "max",
            "Det.limit_side_len": side,
            "EngineConfig.onnxruntime.enable_cpu_mem_arena": True,  # a fifth faster
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1 if threads > 0 else -1,
        }
    )
    detector = engine._load_det_model()
    detector.session = _detection(detector.session.session._model_path, threads)
    return engine


def read_text(picture: bytes | Image.Image, *, side: int = DETECTION_SIDE) -> list[TextBlock]:
    """Reads the lines of text in a picture, ordered from top to bottom, then from left to right.

    Args:
        picture: a file's bytes, or an RGB picture.
        side: longer side for text detection, see `DETECTION_SIDE`. A larger side finds smaller
            letters, but the time grows with the square of the side.

    Raises: PictureError: the bytes are not a picture.
    """
    image = decode(picture) if isinstance(picture, bytes) else as_shown(picture)
    found = _engine(side)(np.asarray(image)[:, :, ::-1])  # RapidOCR takes BGR, as OpenCV does
    if found.txts is None:
        return []
    blocks = []
    for text, box, score in zip(found.txts, found.boxes, found.scores, strict=True):
        (left, top), (right, bottom) = np.min(box, axis=0), np.max(box, axis=0)
        blocks.append(
            TextBlock(
                text, (float(left), float(top), float(right), float(bottom)), round(float(score), 4)
            )
        )
    return sorted(blocks, key=lambda b: (b.box[1], b.box[0], b.text))


def reads_detail(picture: Image.Image, expected: str, box: tuple[float, ...] = ()) -> bool:
    """Whether an enlarged part of a picture legibly shows a text.

    Args:
        picture: an RGB picture.
        expected: the text; case, accents, spaces and punctuation do not count.
        box: part of the picture as (left, top, width, height) in per cent, or () for the whole
            picture. The part in the box is extended by half its size on each side, and then
            enlarged threefold.
    """
    wanted = _letters(expected)
    if not wanted:
        return False
    if box:
        left, top, width, height = box
        across, down = picture.width / 100, picture.height / 100
        picture = picture.crop(
            (
                round(max(left - width / 2, 0) * across),
                round(max(top - height / 2, 0) * down),
                round(min(left + 1.5 * width, 100) * across),
                round(min(top + 1.5 * height, 100) * down),
            )
        )
    if min(picture.size) < 2:
        return False
    enlarged = picture.resize(
        (picture.width * DETAIL_SCALE, picture.height * DETAIL_SCALE), Image.Resampling.LANCZOS
    )
    return wanted in _letters("".join(block.text for block in read_text(enlarged)))


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", fold_all_marks(text))
