"""Degrades the picture of one question, checks the repair, and records both. The original picture
stays in the store."""

from dataclasses import dataclass

from questloom.models.picture_file import decode
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Enhancement, Question
from questloom.transforms.enhancement.degrade import degrade, draw
from questloom.transforms.enhancement.enhancement_rules import EnhancementRules
from questloom.transforms.enhancement.recoverable import Embedder, PictureIndex, Source, find_again
from questloom.transforms.pictures.shown import ShownPicture, shown
from questloom.transforms.stages.stage import reject


@dataclass(frozen=True)
class Enhanced:
    """The question with its new picture. `question.source_image_id` still names the picture before degradation."""

    question: Question
    picture: ShownPicture


def enhance(
    question: Question,
    original: bytes,
    source: Source,
    clip: Embedder,
    index: PictureIndex,
    *,
    seed: int,
    rules: EnhancementRules,
) -> Enhanced | Rejection:
    """The question with a degraded picture, or a rejection where the repaired picture does not lead
    back to the source.

    Args:
        question: a kept question of the chosen share (`degrade.is_chosen`).
        original: the bytes of the question's picture.
        source: the source that the search must find again.
        clip: the checkpoint that made the index.
        index: exact picture search.
        seed: the recipe's seed.
        rules: the recipe's settings of degradation.
    """
    degradation = draw(question.id, seed, rules, reads=question.reads_its_picture)
    picture = shown(degrade(decode(original), degradation))
    found, evidence = find_again(decode(picture.data), degradation, source, clip, index)
    if not found:
        return reject(question, Reason.NOT_RECOVERABLE, evidence)
    record = Enhancement(
        degradation=degradation.kind,
        tool=degradation.tool,
        severity=degradation.severity,
        original_image_id=question.image_id,
    )
    return Enhanced(
        question.replace(
            image_id=picture.id,
            source_image_id=question.source_image_id or question.image_id,
            enhancement=record,
        ),
        picture,
    )
