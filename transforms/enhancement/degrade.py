"""Degradations of OpenSearch-VL: a seeded share of kept questions gets a picture that one named tool repairs.

The share of degraded questions is 10 %. OpenSearch-VL does not publish the severity and the mixture
of the three kinds; here the recipe sets them.
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
"""Maps each degradation to the tool that repairs it. The first three degradations come from
OpenSearch-VL. A picture is mirrored top to bottom, since everybody notices that."""
TURNS = {"turned_left": 90.0, "turned_right": 270.0, "upside_down": 180.0}
"""Degrees clockwise that turn the picture upright again."""
_GROUNDS = ((58, 62, 68), (74, 60, 48), (205, 205, 198), (232, 226, 214))
"""Background colours for a picture seen at an angle, dark or light, so that its outline stands out."""


@dataclass(frozen=True)
class Degradation:
    """One degradation drawn at random: its kind, its severity, and the seed for its other random numbers."""

    kind: str
    severity: float
    corners: tuple[tuple[float, float], ...] = ()
    ground: tuple[int, int, int] = (0, 0, 0)

    @property
    def tool(self) -> str:
        """The tool that repairs the degradation."""
        return TOOLS[self.kind]


def is_chosen(question_id: str, seed: int, share: float) -> bool:
    """Whether a question belongs to the degraded share. The question's id alone decides, so other
    questions do not matter."""
    return int(priority(seed, question_id, "enhancement")[:12], 16) < share * 16**12


def draw(
    question_id: str, seed: int, rules: EnhancementRules, *, reads: bool = False
) -> Degradation:
    """Draws the degradation of one question: all kinds of the recipe are equally likely, and
    severity is uniform in its range.

    Args:
        question_id: the question's id.
        seed: the recipe's seed.
        rules: the recipe's settings of degradation.
        reads: whether the question asks for a detail that is small in the picture. A picture with a
            small detail is only tilted. No repair makes letters of 13 px readable after a blur of 2
            px, not even deconvolution with the true width (0 of 8 plaques).
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
    """The degraded picture, RGB."""
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
    """The new positions of the corners, from top left clockwise. Every corner moves in, and one
    side moves more than the other."""

    def inward() -> float:
        return rng.uniform(0.3, 1.0) * 0.16 * severity

    return tuple(
        (
            round(x + (inward() if x == 0 else -inward()), 4),
            round(y + (inward() if y == 0 else -inward()), 4),
        )
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))
    )
