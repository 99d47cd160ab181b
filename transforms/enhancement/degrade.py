"""Degrades pictures as OpenSearch-VL does: a random share of the kept questions gets a picture that
one named tool can repair.

The share of degraded questions is 10 % by default. OpenSearch-VL does not publish how severe its
degradations are, nor how often each of its three kinds occurs. Here the recipe sets the severity
and the kinds.
"""

import random
from dataclasses import dataclass

from PIL import Image, ImageOps

from questloom.models.picture_ops import blur, distort_perspective, down_sample
from questloom.records.identity import chance, priority
from questloom.transforms.enhancement.enhancement_rules import EnhancementRules

TOOLS = {
    "blur": "sharpen",
    "down_sampling": "super_resolution",
    "perspective": "perspective_correct",
    "turned_left": "rotate",
    "turned_right": "rotate",
    "upside_down": "rotate",
    "mirrored": "flip",
}
"""The tool that repairs each kind of degradation. The first three kinds come from OpenSearch-VL.
"mirrored" means mirrored top to bottom, because everybody notices this."""
TURNS = {"turned_left": 90.0, "turned_right": 270.0, "upside_down": 180.0}
"""By how many degrees clockwise a picture must be turned to be upright again."""
_GROUNDS = ((58, 62, 68), (74, 60, 48), (205, 205, 198), (232, 226, 214))
"""Background colours around a picture seen at an angle. The colours are dark or light, so that the
picture's outline is easy to see."""


@dataclass(frozen=True)
class Degradation:
    """A degradation drawn at random: its kind and severity, and for "perspective" the corners and
    the background colour."""

    kind: str
    severity: float
    corners: tuple[tuple[float, float], ...] = ()
    ground: tuple[int, int, int] = (0, 0, 0)

    @property
    def tool(self) -> str:
        """The tool that repairs the degradation."""
        return TOOLS[self.kind]


def is_chosen(question_id: str, seed: int, share: float) -> bool:
    """Whether a question gets a degraded picture. The result depends only on the question's id, the
    seed and the share."""
    return int(priority(seed, question_id, "enhancement")[:12], 16) < share * 16**12


def draw(
    question_id: str, seed: int, rules: EnhancementRules, *, reads: bool = False
) -> Degradation:
    """Draws the degradation of a question. All kinds in the recipe are equally likely; every
    severity in the recipe's range is equally likely.

    Args:
        question_id: the question's id.
        seed: the seed of the recipe.
        rules: the recipe's settings for degraded pictures.
        reads: whether the question asks for a detail that is small in the picture. A picture with a
            small detail is only tilted. No repair makes letters of 13 px readable again after a
            blur of 2 px. Even deconvolution with the true width failed (0 of 8 plaques).
    """
    rng = chance(seed, question_id, "enhancement")
    kind = "perspective" if reads else rng.choice(sorted(rules.kinds))
    if kind in TURNS or kind == "mirrored":
        return Degradation(kind, 1.0)
    severity = round(rng.uniform(*getattr(rules, kind)), 3)
    if kind != "perspective":
        return Degradation(kind, severity)
    return Degradation(kind, severity, _corners(rng, severity), rng.choice(_GROUNDS))


def degrade(picture: Image.Image, degradation: Degradation) -> Image.Image:
    """The degraded picture in RGB."""
    match degradation.kind:
        case "blur":
            return blur(picture, 0.006 * degradation.severity * max(picture.size))
        case "down_sampling":
            return down_sample(picture, 1 + 3 * degradation.severity)
        case "mirrored":
            return ImageOps.flip(picture)
        case kind if kind in TURNS:
            return picture.rotate(TURNS[kind], expand=True)
        case _:
            return distort_perspective(picture, degradation.corners, degradation.ground)


def _corners(rng: random.Random, severity: float) -> tuple[tuple[float, float], ...]:
    """The new positions of the four corners, clockwise from the top left. Every corner moves
    inwards by a different distance."""

    def inward() -> float:
        return rng.uniform(0.3, 1.0) * 0.16 * severity

    return tuple(
        (
            round(x + (inward() if x == 0 else -inward()), 4),
            round(y + (inward() if y == 0 else -inward()), 4),
        )
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))
    )
