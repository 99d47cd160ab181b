"""Filter `too_simple`: refuses flags, coats of arms, logos, maps, icons, charts and pages of text.
Accepts photographs and drawings of things.

Three tests run, cheapest first. The first test looks at the file's name, and the second at
statistics of colours and edges. The third test measures which share of the picture text covers
(`covered_by_text`, after the filter `visible_text` has read the text). If the recipe names a model
as judge, the judge is a fourth test.
"""

import re
from collections.abc import Sequence

import numpy as np
from PIL import Image

from questloom.models.ocr import TextBlock
from questloom.records.knowledge import ImageAsset

_KINDS = (
    "flag",
    "coat of arms",
    "coats of arms",
    "coa",
    "logo",
    "logotype",
    "wordmark",
    "map",
    "locator",
    "icon",
    "emblem",
    "seal",
    "diagram",
    "chart",
    "graph",
    "signature",
    "pictogram",
    "symbol",
    "wappen",
    "escudo",
    "blason",
    "bandera",
)
_NAME = re.compile(r"\b(?P<kind>" + "|".join(_KINDS) + r")s?\b")
_CATEGORY = re.compile(
    r"^(?:svg |png )?(?P<kind>flags|coats of arms|logos|maps|locator maps|icons|emblems|seals|diagrams|"
    r"charts|signatures)\b"
)
SIDE = 96
MAX_FLAT_COLOURS = 4
"""A picture is too simple if this number of colours (of 4,096) or fewer cover 95 % of its pixels.
Photographs have 40 to 350 colours, black-and-white photographs up to 16, and flags two to nine."""
MIN_TONES = 3.6
"""A picture is too simple if the entropy of its luminance, in bits, is lower than this number. 27
photographs have 6.5 to 7.7 bits, full drawings more than 4.5, and 40 flags, arms and maps less than
2.5."""
MAX_TEXT_COVERAGE = 0.35


def kind_by_name(image: ImageAsset) -> str:
    """The kind of simple picture that the file's name or categories state ("flag", "map"); "" if
    they state none."""
    words = re.sub(r"[_\-.]+", " ", image.file.rsplit(".", 1)[0]).lower()
    found = _NAME.search(words)
    if found:
        return found["kind"]
    for category in image.categories:
        found = _CATEGORY.match(category.lower())
        if found:
            return found["kind"]
    return ""


def statistics(picture: Image.Image) -> dict[str, float]:
    """Computes statistics of a small copy of the picture. The statistics separate flat graphics
    from photographs and full drawings.

    Returns:
        `colours`: how many of 4,096 colours (4 bits per channel) cover 95 % of the pixels; `tones`:
            entropy of luminance in bits (0 to 8); `busy`: share of pixels that differ from a
            neighbour by more than 2 %.
    """
    small = np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BILINEAR), dtype=np.int32)
    # Each of the 4,096 colours as one number; to sort rows of three numbers takes ten times as long.
    numbered = (small >> 4) @ np.array([256, 16, 1])
    counts = np.sort(np.bincount(numbered.ravel()))[::-1]
    colours = int(np.searchsorted(np.cumsum(counts), 0.95 * SIDE * SIDE)) + 1
    grey = small @ np.array([299, 587, 114]) // 1000
    share = np.bincount(grey.ravel()) / grey.size
    tones = float(-(share[share > 0] * np.log2(share[share > 0])).sum())
    busy = float(
        (
            (np.abs(np.diff(grey, axis=1))[:-1] > 5) | (np.abs(np.diff(grey, axis=0))[:, :-1] > 5)
        ).mean()
    )
    return {"colours": colours, "tones": round(tones, 2), "busy": round(busy, 3)}


def text_coverage(blocks: Sequence[TextBlock], width: int, height: int) -> float:
    """Share of the picture's area that lines of text cover. A single character does not count,
    because OCR once read a man with a hat as one large 京."""
    area = sum(
        (b.box[2] - b.box[0]) * (b.box[3] - b.box[1]) for b in blocks if len(b.text.strip()) > 1
    )
    return round(min(1.0, area / (width * height)), 3)


def covered_by_text(blocks: Sequence[TextBlock], width: int, height: int) -> dict | None:
    """The evidence that a picture is a page of text, for a rejection; None where the picture is not
    a page of text.

    Args:
        blocks: the text in the picture, with positions in pixels.
        width: width of the picture, in pixels.
        height: height of the picture, in pixels.
    """
    coverage = text_coverage(blocks, width, height)
    return {"sign": "text", "coverage": coverage} if coverage > MAX_TEXT_COVERAGE else None


def too_simple(image: ImageAsset, picture: Image.Image) -> dict | None:
    """The evidence in a picture's name and pixels that the picture is too simple, for a rejection;
    None where the picture is not too simple.

    Args:
        image: metadata of the picture.
        picture: pixels of the picture, RGB, at any scale.
    """
    kind = kind_by_name(image)
    if kind:
        return {"sign": "name", "kind": kind}
    numbers = statistics(picture)
    if numbers["colours"] <= MAX_FLAT_COLOURS or numbers["tones"] < MIN_TONES:
        return {"sign": "pixels", **numbers}
    return None
