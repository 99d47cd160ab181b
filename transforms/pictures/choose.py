"""Finds the pictures that may show the anchor (the pictured entity). Lists the candidates in a
fixed order, and checks each candidate."""

import re
from collections.abc import Collection, Sequence
from typing import Any

import imagehash

from questloom.files.locations import location
from questloom.knowledge.licences import may_be_given_on
from questloom.models.picture_file import PictureError, decode
from questloom.records.errors import InputError
from questloom.records.knowledge import Article, Entity, ImageAsset
from questloom.records.outcomes import Reason, Rejection
from questloom.records.table import Json
from questloom.transforms.pictures.picture_rules import PictureRules
from questloom.transforms.pictures.simple import too_simple

MAX_DISTANCE = 6
"""Maximum number of bits (of 64) that differ between the perceptual hashes of near-duplicates."""
REFUSED_MIMES = ("image/svg+xml", "image/gif", "image/x-xcf", "image/vnd.djvu", "application/pdf")


def candidates(
    entity: Entity, article: Article | None, images: Sequence[ImageAsset], rules: PictureRules
) -> list[ImageAsset]:
    """The pictures of an entity that will be checked, at most `rules.max_candidates`. Pictures from
    P18 (image) come first, then those in the infobox, then all others. Each group is sorted by
    id."""
    infobox = {p.file for p in article.pictures if p.in_infobox} if article else set()

    def rank(image: ImageAsset) -> tuple[int, str]:
        return (
            0 if image.file in entity.picture_files else 1 if image.file in infobox else 2
        ), image.id

    return sorted(images, key=rank)[: rules.max_candidates]


def showable(images: Sequence[ImageAsset], rules: PictureRules) -> list[ImageAsset]:
    """The pictures of an entity that a question may show, according to their metadata. Where the
    search withholds the shown picture, the entity must have another view that the search may
    return."""
    found = [i for i in images if may_be_given_on(i, rules.licences)]
    return [
        i
        for i in found
        if check_metadata(i, rules) is None and (not rules.withhold_own or has_other_view(i, found))
    ]


def num_views(images: Sequence[ImageAsset]) -> int:
    """The number of pictures of a thing that are no near-duplicates of an earlier one."""
    different: list[str] = []
    for image in images:
        if not near_duplicate(image.perceptual_hash, different):
            different.append(image.perceptual_hash)
    return len(different)


def has_other_view(image: ImageAsset, images: Sequence[ImageAsset]) -> bool:
    """Whether the entity has another picture that is not a near-duplicate of the given picture."""
    return any(
        i.id != image.id and not near_duplicate(i.perceptual_hash, (image.perceptual_hash,))
        for i in images
    )


def check_metadata(
    image: ImageAsset, rules: PictureRules, *, excluded: Collection[str] = ()
) -> tuple[Reason, Any] | None:
    """The reason why a picture's metadata forbid its use: (reason, evidence). None if the picture
    may be used. The check of metadata does not look at pixels.

    Args:
        image: the picture.
        rules: the recipe's settings for pictures.
        excluded: perceptual hashes (16 hex digits) of pictures to exclude, such as those of
            benchmarks.
    """
    if not image.licence:
        return Reason.NO_LICENCE, None
    if not may_be_given_on(image, rules.licences):
        return Reason.LICENCE_NOT_ALLOWED, {
            "licence": image.licence,
            **({"repository": "local"} if image.repository == "local" else {}),
        }
    if image.mime in REFUSED_MIMES or not image.mime.startswith("image/"):
        return Reason.PICTURE_KIND, {"mime": image.mime}
    if min(image.width, image.height) < rules.min_side:
        return Reason.PICTURE_TOO_SMALL, {
            "width": image.width,
            "height": image.height,
            "least": rules.min_side,
        }
    twin = near_duplicate(image.perceptual_hash, excluded)
    if twin:
        return Reason.PICTURE_DUPLICATE, {"perceptual_hash": twin}
    return None


def check_picture(
    image: ImageAsset,
    data: bytes,
    rules: PictureRules,
    *,
    seed_id: str = "",
    excluded: Collection[str] = (),
    is_sign: bool = False,
) -> ImageAsset | Rejection:
    """The picture, or its rejection. The metadata of the picture are checked first, then its
    pixels.

    Args:
        image: the picture.
        data: the bytes of the picture.
        rules: the recipe's settings for pictures.
        seed_id: the seed that the rejection names.
        excluded: perceptual hashes of pictures to exclude (see `check_metadata`).
        is_sign: whether the question is about a flag, a coat of arms or a logo. Pictures of signs
            may be simple.
    """
    refusal = check_metadata(image, rules, excluded=excluded)
    if refusal is None:
        try:
            pixels = decode(data, at_least=256)
            simple = None if is_sign else too_simple(image, pixels)
            if simple:
                refusal = Reason.PICTURE_TOO_SIMPLE, simple
        except PictureError as error:
            refusal = error.reason, str(error)
    if refusal is None:
        return image
    return Rejection(
        item_id=image.id,
        seed_id=seed_id,
        stage="",
        reason=refusal[0].value,
        evidence=Json(refusal[1]),
        title=image.file,
    )


def near_duplicate(
    perceptual_hash: str, others: Collection[str], max_distance: int = MAX_DISTANCE
) -> str:
    """The nearest of the other hashes, if it differs in at most `max_distance` bits; otherwise "".
    Among equally near hashes the smallest is returned."""
    if not perceptual_hash:
        return ""
    bits = int(perceptual_hash, 16)
    near = [
        (distance, other)
        for other in others
        if other and (distance := (bits ^ int(other, 16)).bit_count()) <= max_distance
    ]
    return min(near)[1] if near else ""


def perceptual_hash(data: bytes) -> str:
    """The 64-bit perceptual hash of a picture (pHash: signs of the lowest cosine coefficients), as 16 hex digits.

    Raises:
        PictureError: the bytes are not a picture.
    """
    return str(imagehash.phash(decode(data, at_least=64)))


def read_hashes(files: Sequence[str]) -> frozenset[str]:
    """Reads perceptual hashes from files with one hash (16 hex digits) per line. Skips blank lines
    and lines that begin with #.

    Raises:
        InputError: a file is missing, or a line is not a hash.
    """
    found = set()
    for file in files:
        try:
            lines = location(file).read_text().splitlines()
        except OSError as error:
            raise InputError(
                file, f"cannot be read ({error.strerror})", "Check filters.exclude_pictures."
            ) from error
        for number, line in enumerate(lines, 1):
            value = line.split("#")[0].strip().lower()
            if value and not re.fullmatch(r"[0-9a-f]{16}", value):
                raise InputError(
                    f"{file}, line {number}",
                    f"{value[:40]!r} is no perceptual hash",
                    "Write 16 hex digits a line.",
                )
            found.add(value)
    return frozenset(found - {""})
